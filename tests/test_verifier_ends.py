"""Ends of integrals and sums, bounds near them, paths to a face: false claims that were accepted, and relatives."""

from __future__ import annotations

from typing import Any

import pytest
from flint import arb, ctx
from sequents import left, rule, sequent

from boundcheck.claims import as_claim
from boundcheck.decide import decide
from boundcheck.decide.certificates import make
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, isolated
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.growth import Scale
from boundcheck.kernel.enclosure.intervals import INF, Interval
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

UNIT = (arb(0), arb(1), True, False)  #: (0, 1]
EVAL = rule("eval")


def value(text: str, **box: Interval) -> Interval | None:
    with ctx.workprec(96):
        return enclose(parse(text), box)


def holds(found: Interval | None, number: float) -> bool:
    """Whether an enclosure says nothing, or holds a number."""
    return found is None or bool(found[0] <= number <= found[1])


# ---------------------------------------------------------------- both ends of an integral that move with a sum

HALVES = "sum(2**(-k), k, 1, {})"
BOTH_MOVE = [  # 0 where the sum is 1, and at least 1/2 at each of its partial sums
    "integral(1/t, t, 1 - {0}, 2*(1 - {0})) >= 1/2",
    "integral(1/t, t, (1 - {0})/3, sqrt(1 - {0})) >= 1/2",
    "1/(1 + integral(1/t, t, 1 - {0}, 2*(1 - {0}))) <= 2/3",
    "integral(1/t, t, 1 - {0}, integral(2, s, 0, 1 - {0})) >= 1/2",
    "integral(1/s, s, 2*(1 - {0}), 1 - {0}) <= -1/2",
]


@pytest.mark.parametrize("text", BOTH_MOVE)
def test_an_integral_both_ends_of_which_move_jumps_where_they_meet(text: str) -> None:
    node = rule("partial", term=HALVES.format("oo"), new="n")
    with pytest.raises(Refused, match="a limit keeps"):
        left("", text.format(HALVES.format("oo")), node)


@pytest.mark.thorough
def test_a_jump_that_a_limit_does_not_keep_is_not_proved() -> None:
    """The integral of 1/t from 0 to 0 is 0; for every partial sum of the halves it is log 2."""
    text = BOTH_MOVE[0]
    claim = as_claim(text.format(HALVES.format("oo")))
    partial = parse_relation(text.format(HALVES.format("n")))
    each = Claim("c", (partial,), (parse_relation("n >= 1"),), frozenset("n"))
    found = decide(each, 20.0)
    assert found.status is Status.PROVED and found.certificate is not None
    whole = rule("closed-form", term=HALVES.format("oo"), new="m", by="(-2)*2**((-1)*m)", high="0", terms=["high"])
    exists = {**whole, "then": [rule("identity"), EVAL]}
    limit = rule("partial", term=HALVES.format("oo"), new="n", then=found.certificate["proofs"])
    assert not verify(make(claim, [exists, limit]), claim).valid
    for truth in ("integral(1/t, t, 2 - {0}, 2*(2 - {0})) >= 1/2", "integral(t, t, 0, {0}) <= 1/2"):
        assert decide(as_claim(truth.format(HALVES.format("oo"))), 5.0).status is Status.PROVED
    false = as_claim("integral(1/t, t, 2 - {0}, 2*(2 - {0})) >= 7/10".format(HALVES.format("oo")))
    assert decide(false, 5.0).status is Status.REFUTED


@pytest.mark.parametrize("text", ["integral(t, t, 0, {}) <= 1/2", "abs({}) <= 1", "integral(t, t, 0, 1)*{} <= 1"])
def test_a_limit_keeps_what_is_continuous_in_the_sum(text: str) -> None:
    node = rule("partial", term=HALVES.format("oo"), new="n")
    assert left("", text.format(HALVES.format("oo")), node)[-1].endswith(f"{text.format(HALVES.format('n'))} [n]")


# ---------------------------------------------------------------- an end that may be any large number


@pytest.mark.parametrize("text,at_one", [
    ("integral(exp(-t), t, 0, 1/a)", 0.6321205588285577),
    ("integral(exp(-t**2), t, log(a), 1)", 0.7468241328124271),
    ("integral(exp(-t), t, 1/a, 0)", -0.6321205588285577),
    ("integral(exp(-t**2), t, log(a), 1/a)", 0.7468241328124271),
    ("integral(exp(-t**2), t, -1/a, oo)", 1.6330510582651852),
    ("integral(t**(-2), t, 1/2, 1/a)", 1.0),
])  # fmt: skip
def test_end_without_bound_is_not_infinite(text: str, at_one: float) -> None:
    assert holds(value(text, a=UNIT), at_one)


def test_end_that_is_infinite() -> None:
    found = value("integral(exp(-a*t), t, 0, oo)", a=(arb(1), arb(1), False, False))
    assert found is not None and holds(found, 1.0) and bool(found[1] - found[0] < 1e-9)


def test_claim_with_an_end_without_bound() -> None:
    claim = as_claim("integral(exp(-t), t, 0, 1/a) >= 0.99", ["0 < a", "a <= 1"])
    assert not verify(make(claim, [EVAL]), claim).valid


@pytest.mark.parametrize("end", ["oo", "-oo"])
def test_no_range_from_infinity_to_itself(end: str) -> None:
    assert value(f"integral(exp(t), t, {end}, {end})") is None
    found = value("integral(exp(t), t, 1/2, 1/2)")
    assert found is not None and bool(found[0] == found[1] == 0)


# ---------------------------------------------------------------- ends that are lost with the term

LOST = [  # each has no value at s = 0, and what the rule puts for it has one
    ("integral(0, t, -oo, 1/s)", {"by": "0", "low": "0"}),
    ("integral(0*t, t, 1/s, oo)", {"by": "0", "high": "0"}),
    ("sum(0, k, floor(1/s), oo)", {"by": "0", "high": "0"}),
    ("sum(0, k, floor(1/s), floor(1/s) + 1)", {}),
    ("sum(1, k, floor(1/s), floor(1/s) - 1)", {}),
]


@pytest.mark.parametrize("term,node", LOST)
def test_value_of_a_term_whose_end_has_none(term: str, node: dict[str, Any]) -> None:
    name = "closed-form" if node else "unroll"
    asked = left("s >= 0", f"defined {term}", rule(name, term=term, new="u", **node))
    assert any("|- s != 0" in goal for goal in asked)
    assert decide(as_claim(f"{term} == 0", ["s >= 0"]), 1).status is Status.UNDECIDED


def test_value_of_a_term_whose_end_has_one() -> None:
    assert decide(as_claim("integral(0, t, -oo, 1/s) == 0", ["s > 0"]), 5).status is Status.PROVED


# ---------------------------------------------------------------- long sums


@pytest.mark.parametrize("text,low,high", [
    ("sum(exp(-10*(k + 5)**2), k, -30000, -5)", 1.00004, 1.00005),
    ("sum(exp(-10*(k - 5)**2), k, -30000, 5)", 1.00004, 1.00005),
    ("sum(exp(-10*(k - 200)**2), k, -30000, 256)", 1.00009, 1.0001),
    ("sum(exp(-10*(k - 200)**2), k, -30000, 300)", 1.00009, 1.0001),
])  # fmt: skip
def test_long_sum_that_ends_early(text: str, low: float, high: float) -> None:
    found = value(text)
    assert found is None or bool(low < found[0] <= found[1] < high)


# ---------------------------------------------------------------- bounds near an end


@pytest.mark.parametrize(
    "text", ["sum(1/(1 + exp(5*k)/gamma(k)), k, 5, oo)", "sum(1/(1 + 150**k/gamma(k)), k, 5, oo)"]
)
def test_divergent_sum_with_a_denominator_that_falls(text: str) -> None:
    assert value(text) is None  # the terms tend to 1


@pytest.mark.parametrize(
    "text", ["exp(5*t)/gamma(t)", "9**t/gamma(t + 1)", "exp(5*t)/(gamma(t)*gamma(t))", "1/gamma(t)"]
)
def test_quotient_by_gamma_is_bounded_from_above_alone(text: str) -> None:
    bound = Scale("t", {}, arb(16)).bound(parse(text))
    assert bound is None or bound.c == 0


def test_exponents_that_move_where_the_scale_is_below_one() -> None:
    q = (arb("0.3"), arb("0.31"), False, False)
    found = value("integral(10**(-6)*t**(-q), t, 0, 100000)", q=(q[0].lower(), q[1].upper(), False, False))
    assert holds(found, 0.004517539514526254)  # at q = 0.3


def test_scale_below_one_has_no_bounds() -> None:
    assert Scale("t", {}, arb("0.01"), parse("0")).bound(parse("t")) is None
    assert Scale("t", {}, arb(1), parse("0")).bound(parse("t")) is not None


# ---------------------------------------------------------------- the way to a face

LOG_AWAY = "exp(log(v)) <= 5"  #: linear in v, and not defined for v <= 0


def test_ladder_over_places_where_a_hypothesis_is_not_defined() -> None:
    claim = as_claim("-1/v >= 0", [LOG_AWAY, "v >= -10"])  # false at v = 1
    step = rule("ladder", var="v", end="low", at="-10")
    for children in (2, 3, 4):
        assert not verify(make(claim, [{**step, "then": [EVAL] * children}]), claim).valid


@pytest.mark.parametrize("text", [
    LOG_AWAY, "v + log(v) - log(v) <= 5", "v*sqrt(v)/sqrt(v) <= 5", "v + 1/v - 1/v <= 5", "v + v**2 - v*v <= 5",
    "sqrt(v)**2 <= 5", "v + 0*log(v) <= 5", "v/(v - v + 1) <= 5",
])  # fmt: skip
def test_bound_that_is_not_defined_everywhere_is_none(text: str) -> None:
    assert isolated(parse_relation(text), "v") is None


@pytest.mark.parametrize("text,bound", [
    ("2*v + 1 <= 5", "v <= 2"), ("v + log(w) - log(w) <= 5", "v <= 5"), ("3 - v/2 > w", "v < 6 - 2*w"),
    ("v*(w + 1) - v*w <= 5", "v <= 5"), ("v <= log(w)", "v <= log(w)"), ("-v >= log(w)", "v <= -log(w)"),
])  # fmt: skip
def test_bound_that_is_one(text: str, bound: str) -> None:
    assert str(isolated(parse_relation(text), "v")) == bound


# ---------------------------------------------------------------- integrals both ends of which move

DOUBLE = "integral(1/t, t, v, 2*v)"  #: log 2 for v > 0, and 0 for v = 0


@pytest.mark.parametrize("text", [DOUBLE, f"v*{DOUBLE}", "integral(1/t**2, t, v**2, v)", "integral(t, t, v, v + 1)"])
def test_integral_with_two_moving_ends_has_no_derivative(text: str) -> None:
    with pytest.raises(NotDifferentiable):
        derivative(parse(text), "v")


def test_ladder_to_a_face_where_an_integral_jumps() -> None:
    goal = sequent("v > 0", f"{DOUBLE} <= 1/2")  # log 2 is 0.69
    with pytest.raises(Refused), ctx.workprec(96):
        refine(rule("ladder", var="v", end="low", at="0"), goal)


# ---------------------------------------------------------------- what takes the place of whole numbers


@pytest.mark.parametrize("where,goal,node,integers,after", [
    ("n > 1", "2**n >= n", rule("let", term="n", new="m", facts=["m > 1"]), "n", "m > 1; m > 1 |- 2**m >= m [m n]"),
    ("", "(-2)**(2*n) >= 1", rule("let", term="2*n", new="m", facts=[]), "n", "|- (-2)**m >= 1 [m n]"),
    ("", "(-2)**floor(x) <= x", rule("let", term="floor(x)", new="m", facts=[]), "", "|- (-2)**m <= x [m]"),
    ("", "x**2 >= 0", rule("let", term="x**2", new="m", facts=["m >= 0"]), "n", "m >= 0 |- m >= 0 [n]"),
])  # fmt: skip
def test_let_keeps_whole_numbers(where: str, goal: str, node: dict[str, Any], integers: str, after: str) -> None:
    assert left(where, goal, node, integers)[-1].strip() == after


def test_expansion_of_whole_numbers_about_a_real_place() -> None:
    node = rule("expansion", var="n", at="x", side=1, width="1/2", order=4)
    with pytest.raises(Refused, match="fewer bases"):
        left("n >= x; n <= x + 1/4", "exp(n - x) >= 1", node, "n")
    node["at"] = "0"
    assert left("n >= 0; n <= 1/4", "exp(n) >= 1", node, "n")


def test_infinite_scale_is_not_a_place() -> None:
    assert value("integral(exp(-t), t, 0, a)", a=(arb(1), INF, False, True)) is None


# ---------------------------------------------------------------- powers that become 0**0 at a face

FLAT = "integral(exp(-1/u)/u**4, u, 0, v)**v"  #: tends to 1/e as v -> 0, rising, and is 0**0 = 1 for the numeral 0


def test_power_that_jumps_at_a_face() -> None:
    at_zero = "0 <= 1/10 |- integral(exp((-1)/u)/u**4, u, 0, 0) != 0"
    where, goal = "v > 0; v <= 1/10", f"{FLAT} >= 1/2"  # false at v = 1/100
    assert at_zero in left(where, goal, rule("ladder", var="v", end="low", at="0"))


@pytest.mark.parametrize("where,goal", [
    ("v > 0; x > 1", "x**v >= 1"), ("v >= 0; x >= 2", "(x + v)**(2*v) >= 1"), ("v >= 0; x > 0", "x**(v + 1) >= 0"),
])  # fmt: skip
def test_powers_that_do_not_jump(where: str, goal: str) -> None:
    assert not any("!=" in s for s in left(where, goal, rule("ladder", var="v", end="low", at="0")))
