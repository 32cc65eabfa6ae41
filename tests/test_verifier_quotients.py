"""The arithmetic of quotients keeps values: sums, products, powers, roots, exponentials, logarithms, term by term."""

from __future__ import annotations

from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from enclosures import agree, box
from flint import ctx, fmpq
from sequents import sequent
from slow import more

from boundcheck.kernel.check import quotients
from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import AlgebraLimit, Exponent, freeze, to_expr
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import Expr, call, num, parse

F = Fraction
PARTS = [
    "0", "1", "-2/3", "x", "-x", "x + y", "x - y", "2*x - 2*y", "12*x**2*y - 18*x*y**2", "x*y**2/(x + y)",
    "1/(1 + x**2)", "x/(1 + x**2)", "(1 + x**2)/(x + y)", "(3 + x)/(2 + y)", "-1/(x - y)", "1/(x - y)**2",
    "sqrt(x + y)", "1/sqrt(x + y)", "(x + y)**(3/2)/(1 + y)", "sqrt(5 + x)/(x + y)", "(1 + x**2)**p",
    "x**p", "x**p/(1 + y)", "x**(p + 1)*y - x**p", "x**(-p)", "8**p", "sqrt(12)", "exp(x)", "exp(x/(1 + y**2))",
    "x*exp(p*y) + exp(-x)", "E", "pi", "log(x)", "p*log(3 + x)", "abs(x - 2*y)", "abs(x)**3", "cos(x)", "cos(x)**3",
    "gamma(3 + x)",
    "sqrt((3 + x)/(2 + y**2))/(5 + y)", "1/(x + sqrt((3 + x)/(2 + y**2)))",
]  # fmt: skip
PARTNERS = [
    "x - y",
    "x/(1 + x**2)",
    "(1 + x**2)/(x + y)",
    "1/sqrt(x + y)",
    "x**p/(1 + y)",
    "sqrt((3 + x)/(2 + y**2))/(5 + y)",
    "1/(x + sqrt((3 + x)/(2 + y**2)))",
]
POINTS = [
    {"x": F(3, 2), "y": F(2, 3), "p": F(5, 4)},
    {"x": F(-3, 4), "y": F(5, 3), "p": F(-1, 3)},
    {"x": F(1, 3), "y": F(-4, 3), "p": F(7, 3)},
    {"x": F(-1, 2), "y": F(-7, 5), "p": F(1, 5)},
]


def known_at(here: dict[str, iv.Interval]) -> Callable[[Expr], bool]:
    """Every fact of sign that holds at the point."""

    def positive(e: Expr) -> bool:
        value = enclose(e, here)
        return value is not None and bool(value[0] > 0)

    return positive


@pytest.fixture(params=[more((0, True)), (1, False), more((1, True)), (2, True), (3, False)], ids=str)
def at(request):
    """(algebra, the value of a formula at the point): with no sign known, and with all that hold there."""
    index, known = request.param
    with ctx.workprec(96):
        here = box(**POINTS[index])
        yield Algebra(known_at(here)) if known else Algebra(), lambda e: enclose(e, here)


def compared(at, wanted: list[tuple[Expr, Callable[[], Ratio]]]) -> int:
    """How many of the results have the value of their formula; the others are undefined or have no form."""
    _, value = at
    count = 0
    for e, found in wanted:
        try:
            form = found().expr()
        except AlgebraLimit:
            continue
        exact, own = value(e), value(form)
        assert agree(exact, own), (str(e), str(form))
        count += exact is not None and own is not None
    return count


def test_sums_products_and_quotients_have_their_values(at):
    a, _ = at
    forms = [(parse(t), a.normal(parse(t))) for t in PARTS]
    wanted = []
    few = [forms[PARTS.index(t)] for t in PARTNERS]
    for (e, r), (f, s) in [*product(forms, few), *product(few, few)]:
        wanted += [
            (e + f, lambda r=r, s=s: a.plus(r, s)),
            (e - f, lambda r=r, s=s: a.plus(r, s, -1)),
            (e * f, lambda r=r, s=s: a.times(r, s)),
            (e / f, lambda r=r, s=s: a.times(r, a.ratio(s.den, s.num))),
            (f / e, lambda r=r, s=s: a.times(s, a.ratio(r.den, r.num))),
        ]
        a._work = 0  # the limit is on one formula
    assert compared(at, wanted) > len(wanted) / 3


def test_powers_and_roots_have_their_values(at):
    a, _ = at
    exponents: list[tuple[str, Exponent]] = [(t, freeze(a.as_poly(a.normal(parse(t))))) for t in
                                             ("1/2", "-7/3", "p", "p/2 + 1", "1/(1 + p)",
                                              "1/log(2)", "p/log(3) + 1")]  # fmt: skip
    wanted = []
    for t in PARTS:
        e, r = parse(t), a.normal(parse(t))
        wanted += [(e ** num(n), lambda r=r, n=n: a.power(r, n)) for n in (-2, -1, 1, 3)]
        wanted += [(e ** parse(x), lambda r=r, q=q: a.root(r, q)) for x, q in exponents]
    assert compared(at, wanted) > len(wanted) / 3


def test_exponentials_and_logarithms_have_their_values(at):
    a, _ = at
    forms = [(e, a.normal(e)) for e in map(parse, [*PARTS, "2*log(x + y)", "log(x)*log(y)", "p*log(x)/(1 + y)",
             "log(x)/2 + x", "-3*log(3 + x)", "log(x/6)", "log(2)*p + 1"])]  # fmt: skip
    wanted = [(call("exp", e), lambda r=r: a.exponential(a.as_poly(r))) for e, r in forms]
    wanted += [(call("log", e), lambda r=r: a.logarithm(r)) for e, r in forms]
    wanted += [(call("log", e * f), lambda r=r, s=s: a.logarithm(a.times(r, s))) for (e, r), (f, s) in
               product(forms[5:20], forms[5:20])]  # fmt: skip
    assert compared(at, wanted) > len(wanted) / 4


def test_a_content_times_the_rest_is_the_whole_and_is_positive(at):
    a, value = at
    for t in PARTS:
        r = a.normal(parse(t))
        if not r.num:
            continue
        c, mono, rest = a.content(r.num)
        assert c > 0 and all(a.positive(atom) for atom, _ in mono)
        whole = to_expr({mono: c}) * to_expr(rest)
        assert agree(value(to_expr(r.num)), value(whole)), t


def test_the_sign_of_a_number_needs_no_fact():
    a = Algebra(lambda e: e.op == "num")
    assert a.positive(parse("3")) and a.positive(parse("pi")) and a.positive(parse("E"))
    assert not a.positive(num(0)) and not a.positive(num(-2))


FALSE = [
    "1/(1 + x)*y - 1", "y*(1/(1 + x)) - 1", "y*(1/(1 + x)) - y", "(1/(1 + x))*(1/(1 + y)) - 1/(1 + x)",
    "(1/(1 + x))*(1 + y) - (1 + y)", "(1 + y)*(1/(1 + x)) - 1", "(x/(1 + x))*((1 + x)/y) - x",
    "((1 + x)/(2 + x))*((3 + x)/(1 + x)) - 1/(2 + x)", "exp(1/(1 + x)) - E", "exp(x/(1 + y)) - exp(x)",
    "exp(1/(1 + x)) - exp(2/(1 + x))", "sin(1/(1 + x)) - sin(1)", "x**(1/(1 + y)) - x",
    "1/sqrt(x + y)/(1 + x) - sqrt(x + y)/(1 + x)", "(1 + x)/(1/sqrt(x + y)) - (1 + x)/sqrt(x + y)",
    "(x + y)/(x - y) - 1", "(x + 2*y)/(2*x + y) - 1/2", "(x - y)/(x - y + 1) - 1", "(x + 1)/(x + y) - 1",
    "cos(x)**2 - 1", "cos(x)**2*cos(y) - cos(y)", "abs(x)**2*y - y", "abs(x)**4 - x**2", "abs(x)**5 - abs(x)*x**2",
    "sqrt(2)**3 - sqrt(2)", "sqrt(3)*sqrt(3) - 9", "2**p*2**(1 - p) - 1", "(x + y)**(-2) - 1/(x + y)",
    "(x*y)**(-2) - (x*y)**2", "x**(-p) - x**p", "1/x**p - x**p", "(2*x)**3 - 2*x**3", "(x**p)**2 - x**p",
    "log((1 + x)/(1 + y)) - log(1 + x)", "log((1 + x)/(1 + y)) - log(1 + x) - log(1 + y)", "log(x**2*y/3) - log(x)",
    "log(-x) - log(x)", "log(-2) - log(2)", "sqrt(-x) - sqrt(x)", "sqrt((1 + x)/(1 + y)) - sqrt(1 + x)",
    "exp(x + log(y)) - exp(x)", "exp(p*log(x)) - x", "exp(log(x)*log(y)) - x*y", "exp(log(x)/2) - x",
    # roots of quotients of unknown sign are squared inside of quotients
    "sqrt((1 + x)/(1 + y))/(2 + x)*(sqrt((1 + x)/(1 + y))/(3 + y)) - (1 + x)/((2 + x)*(3 + y))",
    "(1/(x + sqrt((1 + x)/(1 + y))))**2 - 1/(x**2 + 2*x*sqrt((1 + x)/(1 + y)) + 1 + x)",
]  # fmt: skip
#: True where x and y, and sums of positive terms, are known to be positive.
TRUE = [
    "1/(1 + x)*y - y/(1 + x)", "((1 + x)/(2 + x))*((3 + x)/(1 + x)) - (3 + x)/(2 + x)", "(x + x*y)/(1 + y) - x",
    "((2 + x)/(1 + x))*((1 + x)/(3 + y)) - (2 + x)/(3 + y)", "(2*x + 4*y)/(x + 2*y) - 2",
    "1/sqrt(x + y)*(x + y) - sqrt(x + y)",
    "1/(1 + x) + x/(1 + x) - 1", "1/(1 + x) - 1/(1 + y) - (y - x)/((1 + x)*(1 + y))", "abs(x - y)**2 - (x - y)**2",
    "cos(x)**2 + sin(x)**2 - 1", "(x**p*y)**3 - x**(3*p)*y**3", "x**(-p)*x**p - 1", "1/x**p - x**(-p)",
    "sqrt(12*x**2*y + 12*x**2) - 2*x*sqrt(3)*sqrt(1 + y)", "sqrt(x**p + x**p*y) - x**(p/2)*sqrt(1 + y)",
    "sqrt(x + x**2) - sqrt(x)*sqrt(1 + x)", "sqrt(1/x + 1/y) - sqrt(x + y)/sqrt(x)/sqrt(y)",
    "sqrt((1 + x)/(1 + y)) - sqrt(1 + x)/sqrt(1 + y)", "(4/9)**p - 2**(2*p)/3**(2*p)", "0**(p**2)", "sqrt(0)",
    "log((1 + x)/(1 + y)) - log(1 + x) + log(1 + y)", "log(x + x*y) - log(x) - log(1 + y)",
    "log(2/3) - log(2) + log(3)",
    "log(sqrt(x + y)) - log(x + y)/2", "log(exp(x)) - x", "log(x*exp(y)) - log(x) - y",
    "exp(x + 2*log(y)) - y**2*exp(x)",
    "exp(p*log(x)) - x**p", "exp(-log(x + y)) - 1/(x + y)", "(exp(x)*y)**p - exp(p*x)*y**p", "(8/27)**(1/3) - 2/3",
    "exp((2*x + 4*y)/(x + 2*y)) - E**2", "sin((x - y)/(2*y - 2*x)) + sin(1/2)",
]  # fmt: skip


@pytest.mark.parametrize("source", FALSE)
def test_a_false_identity_of_quotients_is_none(source):
    for here in POINTS:
        with ctx.workprec(96):
            value = enclose(parse(source), box(**here))
            if value is None or value[0] <= 0 <= value[1]:
                continue
            assert not Algebra(known_at(box(**here))).is_zero(parse(source))
    assert not Algebra().is_zero(parse(source))
    assert not Algebra(lambda a: a.op in ("var", "add")).is_zero(parse(source))


@pytest.mark.parametrize("source", TRUE)
def test_a_true_identity_of_quotients_is_seen(source):
    with ctx.workprec(96):
        here = box(**POINTS[0])
        value = enclose(parse(source), here)
        assert value is not None and value[0] <= 0 <= value[1]
        assert Algebra(known_at(here)).is_zero(parse(source))


def test_limits_stop_what_would_not_end(monkeypatch):
    monkeypatch.setattr(quotients, "MAX_WORK", 30)
    a = Algebra()
    r, s = a.normal(parse("x + y")), a.normal(parse("x + 1"))
    with pytest.raises(AlgebraLimit, match="too much work"):
        for _ in range(7):
            a.times(r, s)
    for source in ("(1 + x)**41", "(1 + x + y + z + w)**20", "3**1001", "(3*x)**1001"):
        with pytest.raises(AlgebraLimit, match="too large"):
            Algebra().normal(parse(source))
    assert Algebra().normal(parse("x**1001")).num and Algebra().normal(parse("3**1000")).num
    for source in ("1/(x - x)", "0**(-1/2)", "0**(-p)", "0**p", "log(x - x)"):
        with pytest.raises(AlgebraLimit):
            Algebra().normal(parse(source))
    assert Algebra().root(Ratio({}, quotients.ONE), fmpq(1, 2)).zero


#: (hypotheses, what the algebra must not see as 0, the true twin that it sees): denominators are carried along where a
#: whole power, or a logarithm, takes a factor apart.
CARRIED = [
    ("", "sqrt(1 + x**2)**(m - 1) - (1 + x**2)**((m + 1)/2)", "sqrt(1 + x**2)**(m - 1) - (1 + x**2)**((m - 1)/2)"),
    ("", "((1 + x**2)**(1/3))**(2*m - 2) - (1 + x**2)**(2*m/3 + 1/3)",
     "((1 + x**2)**(1/3))**(2*m - 2) - (1 + x**2)**(2*m/3 - 2/3)"),
    ("", "((2 + cos(x))**(1/2))**(n*m - 3) - (2 + cos(x))**(n*m/2 + 1/2)",
     "((2 + cos(x))**(1/2))**(n*m - 3) - (2 + cos(x))**(n*m/2 - 3/2)"),
    ("", "(exp(x)*sqrt(1 + x**2))**(m - 1) - exp(x*(m - 1))*(1 + x**2)**((m + 1)/2)",
     "(exp(x)*sqrt(1 + x**2))**(m - 1) - exp(x*(m - 1))*(1 + x**2)**((m - 1)/2)"),
    ("", "(-sqrt(1 + x**2))**(m - 1) + (-1)**m*(1 + x**2)**((m + 1)/2)",
     "(-sqrt(1 + x**2))**(m - 1) + (-1)**m*(1 + x**2)**((m - 1)/2)"),
    ("(1 + x)/(y + z) > 0; x > 0", "log(sqrt((1 + x)/(y + z))) - log(1 + x)/2",
     "log(sqrt((1 + x)/(y + z))) - log((1 + x)/(y + z))/2"),
    ("(1 + x)/(y + z) > 0; x > 0", "log(((1 + x)/(y + z))**p) - p*log(1 + x)",
     "log(((1 + x)/(y + z))**p) - p*log((1 + x)/(y + z))"),
    ("x + y > 0", "log((x + y)**(p/(p - 2))) - p*log(x + y)", "log((x + y)**(p/(p - 2))) - p*log(x + y)/(p - 2)"),
]  # fmt: skip


@pytest.mark.parametrize(("where", "false", "true"), CARRIED, ids=[c[1] for c in CARRIED])
def test_denominators_are_carried_along(where, false, true):
    with ctx.workprec(96):
        assert not sequent(where, f"{false} == 0", "m n").algebra.is_zero(parse(false))
        assert sequent(where, f"{true} == 0", "m n").algebra.is_zero(parse(true))


def test_a_sum_of_quotients_is_work(monkeypatch):
    """With other denominators it is three products; with one it is none."""
    sources = ("1/(x + 1) + 1/(y + 1)", "1/(x + 1) + 2/(x + 1)")
    parts = [[Algebra().normal(p) for p in parse(source).args] for source in sources]
    monkeypatch.setattr(quotients, "MAX_WORK", 7)
    with pytest.raises(AlgebraLimit, match="too much work"):
        Algebra().plus(*parts[0])
    assert Algebra().plus(*parts[1]).den == parts[1][0].den
