"""Induction, telescoping and means of forms as papers write them; beside each line a false one that is not found."""

import pytest
from slow import larger, more
from test_author_lines import ENOUGH, head, proved

from boundcheck.author.adapter import value_of
from boundcheck.author.match import match
from boundcheck.kernel.proof.terms import canonical, placed

pytestmark = pytest.mark.usefixtures("no_worlds")

RATE = head(
    'a = "integer -> real"', 'step = "a[t + 1] <= (1 - q)*a[t] + c for integer t where t >= 0"',
    '"0 < q < 1", "c >= 0", "integer T >= 0"',
)  # fmt: skip
INVERSE = head(
    'a = "integer -> real"',
    'step = "a[t + 1] <= (1 - 2/(t + 2))*a[t] + c/(t + 2)**2 for integer t where t >= 0", positive = "a[0] >= 0"',
    '"c >= 0", "integer T >= 1"',
)
STEP = head(
    'v = "integer -> real", w = "integer -> real"', 'one = "w[t] <= v[t] - v[t + 1] for integer t where t >= 0"',
    '"h > 0", "G >= 0", "integer T >= 1"',
)  # fmt: skip
DRIFT = head(
    'y = "integer -> vector", g = "integer -> vector", x = "vector"',
    'start = "y[0] == x", move = "y[k + 1] == y[k] - h*g[k] for integer k", bounded = "norm(g[k]) <= G for integer k"',
    '"h > 0", "G >= 0", "integer K >= 0"',
)


def _stays(begin: int) -> str:
    step = f'step = "a[t + 1] <= 0 for integer t where a[t] <= 0, t >= {begin}", start = "a[{begin}] <= 0"'
    return head('a = "integer -> real"', step, '"integer T >= 1"')


REGRET = "(v[t] - v[t + 1])/h/2 + h/2*G**2"


@pytest.mark.parametrize(
    ("header", "line", "holds"),
    [
        (RATE, "a[T] <= (1 - q)**T*a[0] + c/q  by induction, step", True),
        (RATE, "a[T] <= (1 - q)**T*a[0] + c/q  by induction", True),
        more(RATE, "a[t] <= (1 - q)**t*a[0] + c/q for integer t where t >= 0  by induction, step", True),
        more(RATE, "a[T] <= (1 - q)**T*a[0] + c/(2*q)  by induction, step", False),
        (RATE, "a[t] <= (1 - q)**t*a[0] + c/q for integer t where t >= -1  by induction, step", False),
        (_stays(0), "a[T] <= 0  by induction, step, start", True),  # from 0 on, though T >= 1
        (_stays(0), "a[T] <= -1  by induction, step, start", False),
        (_stays(2), "a[T] <= 0  by induction, step, start", False),  # not at 1
        (INVERSE, "a[T] <= c/(T + 1)  by induction, step, positive", True),
        more(INVERSE, "a[T] <= c/(2*(T + 1))  by induction, step, positive", False),
        (STEP, "sum(w[t], t, 0, T - 1) <= v[0] - v[T]  by induction, one", True),
        more(STEP, "sum(w[t], t, 0, T - 1) <= v[0] - v[T + 1]  by induction, one", False),
        (STEP, "sum(v[t] - v[t - 1], t, 1, T) == v[T] - v[0]  by telescope", True),
        more(STEP, "sum(v[t] - v[t - 1], t, 1, T) == v[T] - v[1]  by telescope", False),
        *larger(
            [
                (STEP, "sum(v[t] - v[t - 1], t, 1, T) == v[T + 1] - v[0]  by telescope", False),
                (STEP, f"sum({REGRET}, t, 0, T - 1) == (v[0] - v[T])/(2*h) + h*T*G**2/2  by telescope", True),
            ]
        ),
    ],
)
def test_a_line_is_shown_by_induction(header, line, holds):
    assert proved(header, line) is holds


@pytest.mark.parametrize(("bound", "holds"), [("K*h*G", True), more("K*h*G/2", False)])
def test_a_step_of_vectors_and_the_induction_over_it(bound, holds):
    step = "one: norm(y[k + 1] - x) for integer k\n  == norm((y[k] - x) - h*g[k])  by move\n"
    step += "  <= norm(y[k] - x) + norm(h*g[k])\n  == norm(y[k] - x) + h*norm(g[k])\n"
    step += "  <= norm(y[k] - x) + h*G  by bounded\n"
    assert proved(DRIFT, f"{step}norm(y[K] - x) <= {bound}  by induction, one, start") is holds


@pytest.mark.parametrize(
    ("pattern", "term", "value"),
    [("t + 1", "s + 2", "s + 1"), ("t - 1", "s + 1", "s + 2"), ("t + 1", "5", "4"), ("t + 1", "s + 1", "s")],
)
def test_an_index_fits_another_by_what_is_left(pattern, term, value):
    found = [m["t"] for m in match(value_of(pattern), value_of(term), frozenset({"t"}), {})]
    assert found
    assert all(canonical(v) is canonical(value_of(value)) for v in found)


@pytest.mark.parametrize(
    ("pattern", "term", "value"),
    [
        ("exp(a*x)", "exp(2*x)", "2"),
        ("exp(a*x)", "exp(-x)", "-1"),
        ("exp(a*x)", "exp(x)", "1"),
        ("exp(a*x)", "exp(x/2)", "1/2"),
        ("exp(3*a*x)", "exp(x*y)", "y/3"),
        ("exp(a*x + a*y)", "exp(2*x + 2*y)", "2"),
        ("exp(a*x + a*y)", "exp(2*x + 3*y)", None),
        ("exp(a*x - a**2*y)", "exp(2*x - 4*y)", "2"),
        ("exp(a*x - a**2*y)", "exp(2*x - 3*y)", None),
        ("exp(a**2*x)", "exp(4*x)", None),  # a may be -2 as well
        ("exp(x/a)", "exp(x/2)", None),  # 1/a is no factor
        ("exp(a*x**2)", "exp(3*x)", None),  # 3/x has no value at 0
        ("exp(a*x)", "exp(2)", None),
        ("exp(a*x)", "log(2*x)", None),
        ("exp(a*g(a))", "exp(2*g(2))", "2"),
        ("exp(a*g(a))", "exp(2*g(3))", None),
        ("sum(a*at(w, i), i, 1, n)", "sum(2*at(w, i), i, 1, n)", "2"),
    ],
)
def test_a_factor_of_a_place_is_what_the_others_leave(pattern, term, value):
    pattern, term = (canonical(value_of(e)) for e in (pattern, term))
    found = placed(pattern, term, frozenset({"a"}))
    assert found == (None if value is None else {"a": canonical(value_of(value))})


@pytest.mark.parametrize("name", ["a", "w", "z"])
def test_a_place_is_found_whatever_names_are_called(name):
    """The normal form orders by names: at z the difference stands the other way round."""
    pattern, term = (canonical(value_of(f"norm(g({n}) - g(x))**2")) for n in ("u", name))
    assert placed(pattern, term, frozenset({"u"})) == {"u": value_of(name)}
    other = canonical(value_of(f"norm(g({name}) + g(x))**2"))
    assert placed(pattern, other, frozenset({"u"})) is None


MEANS = head(
    'g = "vector -> random vector", x = "vector", z = "vector", c = "vector", s = "vector"',
    'near = "E(norm(g(u) - g(s))**2) <= 1 for vector u"',
)


@pytest.mark.parametrize(
    ("right", "holds"),
    [
        ("2*E(norm(g(x) - g(s))**2) + 2*E(norm(g(z) - g(s) - c)**2)", True),
        ("E(norm(g(x) - g(s))**2) + E(norm(g(z) - g(s) - c)**2)", False),
        ("2*E(norm(g(x) - g(s))**2) + 2*E(norm(g(z) - g(s))**2)", False),
    ],
)
def test_a_form_under_the_mean(right, holds):
    assert proved(MEANS, f"E(norm(g(x) - g(z) + c)**2) <= {right}  by gram") is holds


SMOOTH = head(
    'f = "vector -> real", gradf = "vector -> vector", x = "vector"',
    'gradient = "gradient(f, gradf) == 1", '
    'smooth = "norm(gradf(u) - gradf(v)) <= L*norm(u - v) for vector u, vector v"',
    '"L > 0", "0 < h <= 1/L"',
)


@pytest.mark.parametrize(("factor", "holds"), [("h/2", True), more("h", False)])
def test_the_descent_lemma_in_one_line(factor, holds):
    line = f"f(x - h*gradf(x)) <= f(x) - {factor}*norm(gradf(x))**2  by descent lemma"
    assert proved(SMOOTH, line, ENOUGH if holds else 1.0) is holds


def test_a_root_is_defined_by_a_further_parameter():
    header = head('R = "real"', "", '"integer m >= 0", "T >= DOMAIN"', '"R*sqrt(T) <= R*sqrt(T)"')
    assert proved(header.replace("DOMAIN", "2**m"), "0 <= 1")
    assert not proved(header.replace("DOMAIN", "-2**m"), "0 <= 1")


TOTALS = head(
    'a = "integer -> real", S = "integer -> real"',
    'positive = "a[t] >= 0 for integer t where t >= 1", start = "S[1] == a[1]", '
    'next = "S[t + 1] == S[t] + a[t + 1] for integer t where t >= 1"',
)


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        (
            "S[t] >= S[1] for integer t where t >= 1  by induction, next, positive",
            True,
        ),  # S[1] >= S[1]: nothing to show
        (
            "S[t] >= a[1] for integer t where t >= 1  by induction, next, start, positive",
            True,
        ),  # no recursion at t = 0
        ("S[t] >= S[1] for integer t where t >= 0  by induction, next, positive", False),  # nothing is known of S[0]
        ("S[t] <= S[1] for integer t where t >= 1  by induction, next, positive", False),
    ],
)
def test_the_first_case_may_say_nothing_and_no_fact_is_put_where_it_cannot_hold(line, holds):
    assert proved(TOTALS, line) is holds


def _product(first: str, factor: str) -> str:
    return head(
        'x = "integer -> real", a = "integer -> real"',
        f'start = "x[0] {first}", factor = "a[t] {factor} for integer t where t >= 0", '
        'step = "x[t + 1] == x[t]*(1 + a[t]) for integer t where t >= 0"',
        '"integer T >= 0", "integer n >= 0"',
    )


@pytest.mark.parametrize(
    ("header", "line", "holds"),
    [
        (TOTALS, "S[t] > S[1] - 1 for integer t where t >= 1  by induction, next, positive", True),
        (TOTALS, "S[t] > S[1] for integer t where t >= 1  by induction, next, positive", False),  # not at t = 1
        (_product("> 0", "> -1"), "x[T] > 0  by induction, step, factor", True),
        (_product(">= 0", "> -1"), "x[T] > 0  by induction, step, factor", False),
        (_product("> 0", ">= -1"), "x[T] > 0  by induction, step, factor", False),
        (_product("> 0", "> -1"), "0 < x[t] for integer t where t >= 0  by induction, step, factor", True),
        (_product("> 0", "> -1"), "0 < x[t] for integer t where t >= -1  by induction, step, factor", False),
        (_product("> 0", "> -1"), "2**n > n  by induction", True),
        more(_product("> 0", "> -1"), "2**n > n + 1  by induction", False),  # not at 0
    ],
)
def test_a_strict_inequality_is_shown_where_each_case_is(header, line, holds):
    assert proved(header, line) is holds
