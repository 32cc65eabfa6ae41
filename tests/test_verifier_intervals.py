"""The verifier's intervals hold every value and keep open ends; bounds that propagate lose no point of the domain."""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator
from fractions import Fraction
from functools import cache
from typing import Any

import pytest
from flint import arb, fmpq
from slow import thinned

from boundcheck.decide.scalar.covers import midpoint, widest
from boundcheck.kernel.check.cover_rule import halves
from boundcheck.kernel.check.leaves import compare, falsified, natural
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, Sequent, propagate
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import Expr, Relation, call, num, parse, parse_relation, var

END = (-2, -1, 0, 1, 2)
TINY = Fraction(1, 1000)
FAR = 1000  #: stands for values near an infinite end
OPS = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
    "==": lambda a, b: a == b,
    "!=": lambda a, b: a != b,
}


def interval(lo: float | Fraction, hi: float | Fraction, lo_open: bool = False, hi_open: bool = False) -> iv.Interval:
    def ball(x: float | Fraction) -> arb:
        if x in (math.inf, -math.inf):
            return iv.INF if x > 0 else iv.NINF
        return arb(fmpq(Fraction(x).numerator, Fraction(x).denominator))

    return (ball(lo), ball(hi), lo_open, hi_open)


def once(f: Callable[[iv.Interval], Any]) -> Callable[[iv.Interval], Any]:
    """``f``, worked out once for each interval; balls that are not exact have no hash, so the object is the key."""
    known: dict[int, tuple[iv.Interval, Any]] = {}

    def run(a: iv.Interval) -> Any:
        if id(a) not in known:
            known[id(a)] = a, f(a)  # the object is kept, so no other one gets its number
        return known[id(a)][1]

    return run


@once
def members(a: iv.Interval) -> list[Fraction]:
    """Values of an interval with the ends of ``END`` or infinite: ends where closed, next to them, and inside."""
    lo = -FAR if a[0] == iv.NINF else Fraction(float(a[0]))
    hi = FAR if a[1] == iv.INF else Fraction(float(a[1]))
    found = [Fraction(k, 2) for k in range(-4, 5)] + [lo + TINY, hi - TINY, Fraction(lo), Fraction(hi)]
    return sorted({x for x in found if inside(x, a)})


@once
def ends(a: iv.Interval) -> tuple[Fraction | None, Fraction | None]:
    """The ends as numbers, None where there is none."""
    low, high = a[0].lower(), a[1].upper()  # a negated end may be a ball
    return None if low == iv.NINF else exactly(low), None if high == iv.INF else exactly(high)


def exactly(end: arb) -> Fraction:
    q = end.fmpq()
    return Fraction(int(q.p), int(q.q))


def inside(x: Fraction | float, a: iv.Interval) -> bool:
    low, high = ends(a)
    above = low is None or low < x or (low == x and not a[2])
    return above and (high is None or x < high or (x == high and not a[3]))


def every(infinite: bool = True) -> Iterator[iv.Interval]:
    """All intervals with ends in END, open and closed, points among them, and some without an end."""
    for lo, hi in itertools.combinations(END, 2):
        for flags in itertools.product((False, True), repeat=2):
            yield interval(lo, hi, *flags)
    for x in END:
        yield interval(x, x)
        if infinite:
            for is_open in (False, True):
                yield interval(x, math.inf, is_open, True)
                yield interval(-math.inf, x, True, is_open)
    if infinite:
        yield iv.ENTIRE


ALL = list(every())
FEW = [a for k, a in enumerate(ALL) if k % 3 == 0]


@pytest.mark.parametrize("op", OPS)
def test_a_comparison_holds_for_all_values_or_is_not_made(op):
    for a, b in itertools.product(ALL, ALL):
        found = compare(op, a, b)
        true = all(OPS[op](x, y) for x in members(a) for y in members(b))
        # members near infinite ends stand for values without bound: both directions are exact here
        assert found == true, (op, a, b)
    assert not compare("defined", ALL[0], ALL[0])


PAIRS = {
    "add": (iv.add, lambda x, y: x + y),
    "sub": (iv.sub, lambda x, y: x - y),
    "mul": (iv.mul, lambda x, y: x * y),
    "div": (iv.div, lambda x, y: x / y if y else None),
    "least": (lambda a, b: iv._least([a, b]), min),
}


@pytest.mark.parametrize("name", ["add", "sub", "mul", "min", "max", "hull"])
def test_an_end_that_is_no_number_is_not_lost(name):
    """Nothing is known of the result, so that no comparison holds of an end of it that the unknown end moves."""
    for low, high in ((arb(0), arb.nan()), (arb.nan(), arb(0)), (arb.nan(), arb.nan())):
        for other in (interval(-1, -1), interval(-2, 1), interval(1, 2)):
            for pair in itertools.permutations([(low, high, False, False), other]):
                found = iv.hull(pair) if name == "hull" else iv.apply(name, list(pair))
                assert found[0].is_nan() or found[1].is_nan(), (low, high, other)
                assert name in ("add", "sub", "mul") or (found[0].is_nan() and found[1].is_nan())


@pytest.mark.parametrize("name", PAIRS)
def test_operations_hold_every_value(name):
    run, exactly = PAIRS[name]
    for a, b in itertools.product(ALL, FEW):
        result = run(a, b)
        values = [exactly(x, y) for x in members(a) for y in members(b)]
        if None in values:
            assert result is None, (a, b)
        elif result is not None:
            least, most = min(values), max(values)  # what lies between them is inside as well
            assert inside(least, result) and inside(most, result), (name, a, b, result)
            bounded = iv.INF not in (a[1], b[1]) and iv.NINF not in (a[0], b[0])
            if bounded and name != "div":  # and no wider than the values are
                assert abs(float(result[0]) - float(least)) < 0.01
                assert abs(float(result[1]) - float(most)) < 0.01
                assert (least == Fraction(float(result[0]))) == (not result[2])
                assert (most == Fraction(float(result[1]))) == (not result[3])


ONE_ARGUMENT = {
    "neg": (iv.neg, lambda x: -x),
    "absolute": (iv.absolute, abs),
    "reciprocal": (iv.reciprocal, lambda x: 1 / x if x else None),
    "square": (lambda a: iv.integer_power(a, 2), lambda x: x**2),
    "cube": (lambda a: iv.integer_power(a, 3), lambda x: x**3),
    "inverse square": (lambda a: iv.integer_power(a, -2), lambda x: 1 / x**2 if x else None),
    "inverse cube": (lambda a: iv.integer_power(a, -3), lambda x: 1 / x**3 if x else None),
    "no power": (lambda a: iv.integer_power(a, 0), lambda x: Fraction(1)),
    "root": (iv.sqrt, lambda x: math.sqrt(x) if x >= 0 else None),
    "3/2": (lambda a: iv.power(a, a, Fraction(3, 2)), lambda x: x**1.5 if x >= 0 else None),
    "-1/2": (lambda a: iv.power(a, a, Fraction(-1, 2)), lambda x: x**-0.5 if x > 0 else None),
    "exp": (iv._FUNCTIONS["exp"], math.exp),
    "log": (iv.log, lambda x: math.log(x) if x > 0 else None),
    "sin": (iv._FUNCTIONS["sin"], math.sin),
    "cos": (iv._FUNCTIONS["cos"], math.cos),
    "tan": (iv._FUNCTIONS["tan"], math.tan),
    "asin": (iv._FUNCTIONS["asin"], lambda x: math.asin(x) if abs(x) <= 1 else None),
    "acos": (iv._FUNCTIONS["acos"], lambda x: math.acos(x) if abs(x) <= 1 else None),
    "atan": (iv._FUNCTIONS["atan"], math.atan),
    "sinh": (iv._FUNCTIONS["sinh"], lambda x: math.sinh(min(x, 700))),
    "cosh": (iv._FUNCTIONS["cosh"], lambda x: math.cosh(min(abs(x), 700))),
    "tanh": (iv._FUNCTIONS["tanh"], math.tanh),
    "erf": (iv._FUNCTIONS["erf"], math.erf),
    "erfc": (iv._FUNCTIONS["erfc"], math.erfc),
    "floor": (iv._FUNCTIONS["floor"], math.floor),
    "ceil": (iv._FUNCTIONS["ceil"], math.ceil),
    "gamma": (iv._FUNCTIONS["gamma"], lambda x: math.gamma(min(x, 170)) if x > 0 or x != int(x) else None),
    "loggamma": (iv._FUNCTIONS["loggamma"], lambda x: math.lgamma(x) if x > 0 else None),
}
EXACT = ("neg", "absolute", "square", "cube", "no power", "reciprocal", "inverse square", "inverse cube")


def _holds(value: float | Fraction, a: iv.Interval, exact: bool) -> bool:
    if exact:
        return inside(value, a)
    margin = 1e-12 * (1 + abs(value))
    return bool(a[0] <= arb(value + margin) and arb(value - margin) <= a[1])


@pytest.mark.parametrize("name", ONE_ARGUMENT)
def test_functions_hold_every_value(name):
    run, exactly = ONE_ARGUMENT[name]
    for a in [*ALL, *(interval(lo, lo + w) for lo in range(-9, 9, 2) for w in (1, 3, 5, 7))]:
        if name in ("exp", "sinh", "cosh") and iv.INF in (a[1], -a[0]):
            xs = [x for x in members(a) if abs(x) < 100]
        else:
            xs = members(a) if a in ALL else [Fraction(int(a[0].fmpq().p)) + Fraction(k, 4) for k in range(29)]
            xs = [x for x in xs if inside(x, a)]
        values = [exactly(x) for x in xs]
        result = run(a)
        if None in values:
            assert result is None, (name, a)
        elif result is not None:
            assert all(_holds(v, result, name in EXACT) for v in values), (name, a, result)
            assert result[0] <= result[1]


@pytest.mark.parametrize(
    ("name", "open_ends", "same"),
    [("exp", (0, 1), True), ("log", (1, 2), True), ("atan", (0, 1), True), ("erfc", (0, 1), False),
     ("acos", (0, 1), False), ("asin", (0, 1), True), ("tanh", (0, 1), True), ("gamma", (2, 3), True),
     ("gamma", (Fraction(1, 2), 1), False), ("sin", (0, 1), True), ("cos", (1, 2), False), ("tan", (0, 1), True)],
)  # fmt: skip
def test_an_open_end_stays_open_on_its_own_side(name, open_ends, same):
    f = iv._FUNCTIONS[name]
    for lo_open, hi_open in itertools.product((False, True), repeat=2):
        result = f(interval(*open_ends, lo_open, hi_open))
        assert (result[2], result[3]) == ((lo_open, hi_open) if same else (hi_open, lo_open)), name


def test_a_turning_point_is_attained_inside():
    for name, ends in (("sin", (1, 2)), ("cos", (-1, 1)), ("gamma", (1, 2)), ("loggamma", (1, 2))):
        result = iv._FUNCTIONS[name](interval(*ends, True, True))
        assert not (result[3] if name in ("sin", "cos") else result[2])
    assert iv._FUNCTIONS["sin"](interval(1, 2))[1] == 1 and iv._FUNCTIONS["cos"](interval(3, 4))[0] == -1
    assert iv._FUNCTIONS["sin"](interval(4, 5))[0] == -1 and iv._FUNCTIONS["cos"](interval(6, 7))[1] == 1
    assert iv._FUNCTIONS["sin"](interval(0, 1))[1] < 1 and iv._FUNCTIONS["cos"](interval(0, 3))[0] > -1
    assert iv._FUNCTIONS["tan"](interval(1, 2)) is None and iv._FUNCTIONS["tan"](interval(-2, -1)) is None
    assert iv._FUNCTIONS["tan"](interval(Fraction(7, 4), 5)) is None  # past a whole period
    assert iv._FUNCTIONS["tan"](interval(2, 4)) is not None


def test_digamma_and_its_derivatives():
    for order, ends in itertools.product(range(4), ((1, 2), (Fraction(1, 2), 3), (2, math.inf))):
        found = iv._polygamma(interval(*ends), order)
        for x in (Fraction(ends[0]) + Fraction(k, 4) * (min(ends[1], 12) - ends[0]) for k in range(5)):
            step = arb(x.numerator) / x.denominator
            sign = (-1) ** (order + 1)
            value = step.digamma() if order == 0 else sign * arb(order + 1).gamma() * arb(order + 1).zeta(step)
            assert found[0] <= value.upper() and value.lower() <= found[1], (order, ends, x)
    assert iv._polygamma(interval(0, 1), 1) is None and iv._polygamma(interval(0, 1, True), 0)[0] == iv.NINF
    assert iv._polygamma(interval(1, 2), 61) is None and iv._polygamma(interval(-1, 2), 0) is None


@pytest.mark.parametrize(
    ("base", "exponent", "value"),
    [
        ((0, 1), (0, 1), None),  # 0**0
        ((0, 1), (0, 1, True, False), (0, 1)),
        ((0, 1), (1, 2), (0, 1)),
        ((0, 1, True, False), (-1, 1), (0, math.inf)),
        ((-1, 1), (1, 2), None),
        ((0, 0), (1, 2), (0, 0)),
        ((2, 3), (1, 2), (2, 9)),
        ((Fraction(1, 2), 2), (-1, 1), (Fraction(1, 2), 2)),
    ],
)
def test_powers_with_a_moving_exponent(base, exponent, value):
    found = iv.power(interval(*base), interval(*exponent))
    if value is None:
        assert found is None
    else:
        assert found is not None and _holds(float(value[0]), found, False)
        assert value[1] == math.inf or _holds(float(value[1]), found, False)
        assert abs(float(found[0]) - value[0]) < 1e-20 + 1e-12 and float(found[1]) >= value[1] - 1e-12


# ---------------------------------------------------------------- what hypotheses imply

GRID = [Fraction(k, 2) for k in range(-8, 9)]


@cache
def at(e: Expr, x: float, y: float) -> float | None:
    """The value of a formula at a dyadic point; exact wherever a tie with a small number is possible."""
    a = [at(c, x, y) for c in e.args]
    if None in a:
        return None
    try:
        return {
            "num": lambda: float(e.value) if e.op == "num" else None,
            "var": lambda: x if e.value == "x" else y,
            "neg": lambda: -a[0],
            "add": lambda: a[0] + a[1],
            "sub": lambda: a[0] - a[1],
            "mul": lambda: a[0] * a[1],
            "div": lambda: a[0] / a[1],
            "pow": lambda: None if a[0] < 0 and not a[1].is_integer() else a[0] ** a[1],
            "exp": lambda: math.exp(a[0]),
            "log": lambda: math.log(a[0]),
            "sqrt": lambda: math.sqrt(a[0]),
            "abs": lambda: abs(a[0]),
            "min": lambda: min(a),
            "max": lambda: max(a),
        }[e.op]()
    except (ValueError, ZeroDivisionError):
        return None


@cache
def true_at(r: Relation, x: float, y: float) -> bool:
    a, b = at(r.lhs, x, y), at(r.rhs, x, y)
    return a is not None and b is not None and OPS[r.op](a, b)


FORMS = ("x", "-x", "x + y", "x - y", "x*y", "x*x", "x/y", "x**2", "x**3", "x**1", "x**-1", "x**-2", "x**(1/2)",
"x**(3/2)", "x**(-1/2)", "exp(x)", "log(x)", "sqrt(x)",
"abs(x)",
         "min(x, y)", "max(x, y)", "exp(-x)", "2 - x**2", "sqrt(x + 1)", "x*y + y", "1/x", "(x - 1)**4",
         "(x + 1)**3",
         "log(x*y)", "abs(x) + abs(y)")  # fmt: skip
SIDES = ((), ("x >= 0", "y > 0"), ("x > -1", "x <= 2", "-1 <= y", "y < 2"), ("x != 1", "x >= 1", "y <= -1"))


@pytest.mark.parametrize("form", thinned(FORMS, 4))
def test_propagation_loses_no_point_of_the_domain(form):
    e = parse(form)
    for n, (given, op, level) in enumerate(itertools.product(SIDES, OPS, (-1, 0, 1, 4))):
        r = Relation(op, e, num(level))
        hyps = (*map(parse_relation, given), r if n % 2 else r.flipped())
        kept = [(x, y) for x, y in itertools.product(GRID, GRID) if all(true_at(g, x, y) for g in hyps)]
        for integers in (frozenset(), frozenset("x")):
            mine = [(x, y) for x, y in kept if not integers or x.denominator == 1]
            box = propagate(hyps, {"x": iv.ENTIRE, "y": iv.ENTIRE}, integers)
            assert box is not None or not mine, (hyps, mine)
            for k, v in enumerate("xy"):
                for value in {point[k] for point in mine}:
                    assert inside(value, box[v]), (hyps, v, value, box)


@pytest.mark.parametrize(
    ("hyps", "integers", "wanted"),
    [
        (("x > 0", "x < 1"), "x", None),
        (("x >= 0", "x < 1"), "x", (0, 0, False, False)),
        (("x > 0", "x <= 1"), "x", (1, 1, False, False)),
        (("x >= 1/2", "x <= 5/2"), "x", (1, 2, False, False)),
        (("x > 1", "x < 4"), "x", (2, 3, False, False)),
        (("x > 1",), "x", (2, math.inf, False, True)),
        (("x > 0", "x < 0"), "", None),
        (("x >= 0", "x <= 0"), "", (0, 0, False, False)),
        (("x >= 0", "x <= 0", "x != 0"), "", None),
        (("x >= 0", "x <= 0", "x > 0"), "", None),
        (("x >= 0", "x <= 1", "x != 0", "1 != x"), "", (0, 1, True, True)),
        (("x >= 0", "x <= 1", "x != 1/2"), "", (0, 1, False, False)),
        (("exp(x) <= 0",), "", None),
        (("exp(x) < 1", "exp(x) > 0"), "", (-math.inf, 0, True, True)),
        (("sqrt(x) < 0",), "", None),
        (("abs(x) < 0",), "", None),
        (("x**2 < 0",), "", None),
        (("sqrt(x) < 2",), "", (0, 4, False, True)),
        (("abs(x) <= 2",), "", (-2, 2, False, False)),
        (("abs(x) < 2",), "", (-2, 2, True, True)),
        (("x**2 < 4",), "", (-2, 2, True, True)),
        (("x**2 <= 4",), "", (-2, 2, False, False)),
        (("x**3 <= 8", "x >= -1"), "", (-1, 2, False, False)),
        (("log(x) < 0",), "", (0, 1, True, True)),
        (("x*x <= 4",), "", (-2, 2, False, False)),
        (("2*x <= 4", "x > -1"), "", (-1, 2, True, False)),
        (("max(x, -1) < 2",), "", (-math.inf, 2, True, True)),
        (("min(x, 3) >= 2",), "", (2, math.inf, False, True)),
    ],
)
def test_the_box_that_hypotheses_imply(hyps, integers, wanted):
    box = propagate(tuple(map(parse_relation, hyps)), {"x": iv.ENTIRE}, frozenset(integers))
    if wanted is None:
        assert box is None
    else:
        assert box is not None
        lo, hi, lo_open, hi_open = box["x"]
        assert abs(float(lo) - wanted[0]) < 1e-12 or (lo == iv.NINF and wanted[0] == -math.inf)
        assert abs(float(hi) - wanted[1]) < 1e-12 or (hi == iv.INF and wanted[1] == math.inf)
        assert (lo_open, hi_open) == wanted[2:]


def test_meeting_intervals():
    for a, b in itertools.product(ALL, ALL):
        both = iv.meet(a, b)
        common = [x for x in members(a) if inside(x, b)]
        assert (both is None) == (not common), (a, b)
        if both is not None:
            assert members(both) == common or set(common) <= set(members(both))
            assert all(inside(x, a) and inside(x, b) for x in members(both))


@pytest.mark.parametrize("op", OPS)
def test_a_hypothesis_is_false_on_a_box_only_if_it_is_false_at_every_point(op):
    h = Relation(op, var("x"), var("y"))
    goal = Relation(op, var("x"), var("y"))
    for a, b in itertools.product(FEW, FEW):
        box = {"x": a, "y": b}
        truths = [OPS[op](x, y) for x in members(a) for y in members(b)]
        if falsified(h, box):
            assert not any(truths), (op, a, b)
        elif op != "!=":
            assert any(truths), (op, a, b)
        assert natural(goal, box) == all(truths)
    assert not falsified(parse_relation("log(x) > 0"), {"x": interval(-2, -1)})
    assert not natural(parse_relation("log(x) > -9"), {"x": interval(0, 1)})


# ---------------------------------------------------------------- covers


def test_two_halves_hold_the_whole():
    for a, c in itertools.product(ALL, (Fraction(-3), Fraction(-1), Fraction(1, 3), Fraction(2), Fraction(0))):
        low, high = halves({"v": a}, "v", c)
        for x in members(a):
            assert (low is not None and inside(x, low["v"])) if x <= c else True
            assert (high is not None and inside(x, high["v"])) if x >= c else True
        assert low is None or not low["v"][0] > low["v"][1]


def test_a_split_point_lies_inside():
    for a in ALL:
        if a[0] < a[1]:
            q = midpoint(a)
            assert inside(q, (a[0], a[1], False, False))
            assert a[1] == iv.INF or a[0] == iv.NINF or inside(q, (a[0], a[1], True, True))
    box = {"x": interval(0, 1), "y": interval(0, 2), "z": interval(1, 1)}
    assert widest(box, frozenset("xyz")) == "y" and widest(box, frozenset("xz")) == "x"
    assert widest(box, frozenset("z")) is None


COVERS = [
    (["x", "1/2", 0, 0], True),
    (["x", "1/2", 0, ["x", "3/4", 0, 0]], True),
    (["x", "3", 0, 0], True),  # a part outside of the box must be said to be settled
    (["x", "3", 0, 1], False),
    (["x", "-3", 1, 0], False),
    (["y", "1/2", 0, 0], False),
]


@pytest.mark.parametrize(("tree", "good"), COVERS)
def test_covers(tree, good):
    seq = Sequent(tuple(map(parse_relation, ("x >= 0", "x <= 1"))), parse_relation("x*(1 - x) <= 0.26"))
    if good:
        assert refine({"rule": "cover", "tree": tree}, seq) == []
    else:
        with pytest.raises(Refused):
            refine({"rule": "cover", "tree": tree}, seq)


def test_what_a_cover_leaves_is_told_with_its_piece():
    seq = Sequent(tuple(map(parse_relation, ("x >= 0", "x <= 1"))), parse_relation("x*(1 - x) <= 0.26"))
    left = refine({"rule": "cover", "tree": ["x", "1/2", 1, ["x", "3/4", 0, 1]]}, seq)
    assert [[str(h) for h in s.hyps[2:]] for s in left] == [["x <= 1/2"], ["x >= 3/4"]]
    left = refine({"rule": "cover", "tree": ["x", "1/2", 0, ["x", "3/4", 1, 0]]}, seq)
    assert [[str(h) for h in s.hyps[2:]] for s in left] == [["x >= 1/2", "x <= 3/4"]]
    assert all(s.goal == seq.goal and s.hyps[:2] == seq.hyps for s in left)
    # a false goal is not settled by splitting it
    false = Sequent(seq.hyps, parse_relation("x*(1 - x) < 1/4"))
    for tree in (0, ["x", "1/2", 0, 0], ["x", "1/3", 0, ["x", "2/3", 0, 0]]):
        with pytest.raises(Refused):
            refine({"rule": "cover", "tree": tree}, false)


def test_a_formula_is_read_at_the_ends_of_its_box():
    assert enclose(parse("x*x"), {"x": interval(-1, 2)})[0] == 0
    assert enclose(parse("max(x, y)"), {"x": interval(0, 2, True, True), "y": interval(1, 2)})[3] is False
    assert enclose(parse("min(x, y)"), {"x": interval(0, 2, True, True), "y": interval(0, 3)})[2] is False
    assert enclose(call("polygamma", var("x")), {"x": interval(-1, 1)}) is None
    assert enclose(parse("x + z"), {"x": interval(0, 1)}) is None


@pytest.mark.parametrize(
    ("hyps", "kept"),
    [
        (["sqrt(x) <= 1/2", "sqrt(x) >= 1/4"], ["1/16", "1/8", "1/4"]),
        (["sqrt(x) <= 1/2"], ["0", "1/100", "1/4"]),
        (["sqrt(x) >= 3"], ["9", "100"]),
        (["x**2 <= 1/4"], ["-1/2", "0", "1/2"]),
        (["x**4 <= 16"], ["-2", "0", "2"]),
        (["x**3 >= -8", "x**3 <= 1/8"], ["-2", "-1", "0", "1/2"]),
        (["x*x <= 1/4"], ["-1/2", "0", "1/2"]),
        (["exp(x) <= 1/2"], ["-1", "-100"]),
        (["exp(x) >= 1/2"], ["-1/2", "0", "7"]),
    ],
)
def test_narrowing_keeps_the_ends_that_the_hypotheses_allow(hyps, kept):
    box = propagate(tuple(map(parse_relation, hyps)), {"x": iv.ENTIRE})
    for q in map(Fraction, kept):
        assert box is not None and iv.meet(box["x"], iv.point(iv.exact(q))) is not None, q


def test_only_a_number_that_is_known_exactly_opens_an_end():
    low = parse("pi")
    ends = enclose(low, {})
    box = {"x": (ends[0], ends[1], False, False)}
    assert propagate((parse_relation("x != pi"),), box) == box
    assert propagate((parse_relation("x != 1/0"),), box) == box
    one = iv.point(iv.exact(Fraction(1)))
    assert propagate((parse_relation("x != 1"),), {"x": one}) is None
    two = (one[0], 2 * one[0], False, False)
    assert propagate((parse_relation("1 != x"),), {"x": two}) == {"x": (one[0], 2 * one[0], True, False)}
