"""The worst law: exact suprema, slack, and twins that must fall."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import mpmath
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from worst_problems import tails, worst

from boundcheck.decide.worst_case import worst_law
from boundcheck.decide.worst_case.extremal_law import (
    InfiniteSupremum,
    Kernel,
    WorstLaw,
    clipped_square,
    excess,
    extremal,
    normal,
    power_law,
)
from boundcheck.decide.worst_case.worst_law import decide_worst_law
from boundcheck.decide.worst_case.worst_values import evaluate, lower_bound_by_quadrature, supremum
from boundcheck.kernel.formula import Expr, num, parse, parse_relation, var
from boundcheck.verdict import Status

F = Fraction
TAIL = tails("4*S", "2**(2*p + 1)*S**p*t**(-p)")
DOMAIN = ["1 < p", "p <= 2", "S > 0", "tau >= 4*S"]
BIAS_BOUND = "2**(2*p + 1)/(p - 1)*S**p*tau**(1 - p)"
SQUARE_BOUND = "64*S**p*tau**(2 - p)*(1 + log(tau/S))"
TAU, TIME = var("tau"), var("t")


def bias(bound: str = BIAS_BOUND, domain: list[str] | None = None) -> WorstLaw:
    return worst("bias", TAIL, excess(TAU), bound, domain or DOMAIN)


def square(bound: str = SQUARE_BOUND) -> WorstLaw:
    return worst("square", TAIL, clipped_square(TAU), bound, DOMAIN)


def power(q: Expr) -> Kernel:
    """k(|z|) = |z|^q, q > 0."""
    return Kernel(f"power {q}", num(0), None, q * TIME ** normal(q - num(1)))


def at(p: Fraction | int, s: Fraction | int, tau: Fraction | int) -> dict[str, Fraction]:
    return {"p": F(p), "S": F(s), "tau": F(tau)}


def slack(problem: WorstLaw, point: dict[str, Fraction]) -> tuple[float, float]:
    found = evaluate(problem, point)
    return found.slack_low, found.slack_high


def by_mpmath(point: dict[str, Fraction], kernel: str) -> float:
    """E k under the survival function min(1, tail), split where the tail crosses 1; t = start e^s at infinity."""
    with mpmath.workdps(30):
        p, s, tau = (mpmath.mpf(point[n].numerator) / point[n].denominator for n in ("p", "S", "tau"))
        tail = lambda t: min(mpmath.mpf(1), 2 ** (2 * p + 1) * (s / t) ** p)  # noqa: E731
        cross = 4 * 2 ** (1 / p) * s
        if kernel == "square":
            flat = min(cross, tau)
            rest = mpmath.quad(
                lambda x: 2 * (flat * mpmath.e**x) ** 2 * tail(flat * mpmath.e**x), [0, mpmath.log(tau / flat)]
            )
            return float(flat**2 + rest)
        start = max(cross, tau)
        far = mpmath.quad(lambda x: tail(start * mpmath.e**x) * start * mpmath.e**x, [0, 1, 10, 100, 1000, 10000])
        return float(start - tau + far)


POINTS = [(F(3, 2), 1, 8), (F(3, 2), 1, 4), (2, 1, 16), (2, F(1, 2), 2), (F(101, 100), 1, 6), (F(199, 100), 3, 500)]


@pytest.mark.parametrize("point", POINTS, ids=str)
def test_supremum_agrees_with_quadrature(point: tuple[Fraction, Fraction, Fraction]) -> None:
    where = at(*point)
    for problem, kernel in ((bias(), "bias"), (square(), "square")):
        exact = supremum(problem, where)
        assert exact.rel_accuracy_bits() > 50
        assert math.isclose(float(exact), by_mpmath(where, kernel), rel_tol=1e-10)
        lower = lower_bound_by_quadrature(problem, where)
        assert not lower > exact
        assert lower > 0.9 * exact


@given(
    p=st.fractions(F(101, 100), 2, max_denominator=100),
    s=st.fractions(F(1, 100), 100, max_denominator=100),
    ratio=st.fractions(4, 60, max_denominator=50),
)
@settings(deadline=None, max_examples=40)
def test_bias_slack_is_one_exactly_where_the_tail_is_below_one(p: Fraction, s: Fraction, ratio: Fraction) -> None:
    low, high = slack(bias(), at(p, s, ratio * s))
    # tau >= 4 2^(1/p) S, decided in integers: (tau/4S)^a >= 2^b for p = a/b
    if (ratio / 4) ** p.numerator >= F(2) ** p.denominator:
        assert (low, high) == (1.0, 1.0)
    else:
        assert low > 1.0
        assert high < low * (1 + 1e-12)
    low, high = slack(square(), at(p, s, ratio * s))
    assert 1.0 < low <= high


@given(p=st.fractions(F(51, 50), 2, max_denominator=50), s=st.integers(1, 10**6), ratio=st.integers(4, 100))
@settings(deadline=None, max_examples=15)
def test_scaling_the_units_leaves_the_slack(p: Fraction, s: int, ratio: int) -> None:
    for problem in (bias(), square()):
        one, many = slack(problem, at(p, 1, ratio)), slack(problem, at(p, s, ratio * s))
        assert math.isclose(one[0], many[0], rel_tol=1e-14)


def test_evaluation_of_the_issue() -> None:
    found = evaluate(bias(), at(F(3, 2), 1, 16))
    assert (found.bound, found.exact, found.slack_low, found.slack_high) == (8.0, 8.0, 1.0, 1.0)
    assert evaluate(bias(), at(F(3, 2), 1, 4)).slack_low > 1.06


@pytest.mark.parametrize(
    ("point", "word"),
    [
        ({"p": F(1), "S": F(1), "tau": F(8)}, "p=1"),
        ({"p": F(5, 2), "S": F(1), "tau": F(8)}, "p=5/2"),
        ({"p": F(3, 2), "S": F(1), "tau": F(39, 10)}, "tau >= 4\\*S"),
        ({"p": F(3, 2), "S": F(1)}, "tau is missing"),
        ({"p": F(3, 2), "S": F(1), "tau": F(8), "d": F(1)}, "unknown parameter d"),
    ],
)
def test_a_point_outside_the_domain_is_refused_in_one_line(point: dict[str, Fraction], word: str) -> None:
    with pytest.raises(ValueError, match=word) as caught:
        evaluate(bias(), point)
    assert "\n" not in str(caught.value)


# ---------------------------------------------------------------- decisions


@pytest.mark.parametrize(("problem", "least", "most"), [(bias(), 1.0, 1.0), (square(), 1.003, 1.02)], ids=["b", "s"])
def test_what_holds_is_not_refuted_and_its_least_slack_is_found(problem: WorstLaw, least: float, most: float) -> None:
    verdict = decide_worst_law(problem, 10)
    assert verdict.status is Status.UNDECIDED and verdict.reason == "no law tried exceeds the bound"
    assert verdict.slack is not None and verdict.slack[0] is None
    assert verdict.slack[1] is not None and least <= verdict.slack[1] <= most


TWINS = [
    bias(f"0.999999*{BIAS_BOUND}"),
    bias("2**(2*p)/(p - 1)*S**p*tau**(1 - p)"),
    bias("2**(2*p + 1)/p*S**p*tau**(1 - p)"),
    bias("2**(2*p + 1)/(p - 1)*S**p*tau**(-p)"),
    square("63.5*S**p*tau**(2 - p)*(1 + log(tau/S))"),
    square("S**p*tau**(2 - p)*(1 + log(tau/S))"),
]


@pytest.mark.parametrize("twin", TWINS, ids=lambda t: str(t.bound))
def test_wrong_constants_are_refuted_by_a_law(twin: WorstLaw) -> None:
    verdict = decide_worst_law(twin, 10)
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None and verdict.certificate is not None
    point = {name: F(value) for name, value in verdict.witness.items()}
    assert "P(|Z| > t)" in verdict.certificate["law"]
    # independently: mpmath's expectation of the law exceeds the bound evaluated by mpmath
    from boundcheck.arith import mp

    kernel = "square" if twin.name == "square" else "bias"
    assert by_mpmath(point, kernel) > float(mp.evaluate(twin.bound, point))


def test_an_infinite_supremum_is_refuted() -> None:
    verdict = decide_worst_law(bias(domain=["1/2 < p", "p <= 2", "p != 1", "S > 0", "tau >= 4*S"]), 10)
    assert verdict.status is Status.REFUTED
    assert verdict.witness is not None and F(verdict.witness["p"]) < 1


def test_an_infinite_supremum_refutes_only_a_bound_that_is_a_number() -> None:
    domain = ["p > 1/2", "p <= 2", "S > 0", "tau >= 4*S"]
    assert decide_worst_law(bias("S/(p - p)", domain), 5).status is Status.UNDECIDED
    found = decide_worst_law(bias("S + tau", domain), 5)
    assert found.status is Status.REFUTED and found.witness is not None and F(found.witness["p"]) <= 1
    assert found.certificate == {"kind": "worst law", "violates": "1 - p < 0"}
    with pytest.raises(InfiniteSupremum, match="1 - p < 0"):
        supremum(bias(domain=domain), at(1, 1, 8))


def test_a_refutation_is_looked_at_twice(monkeypatch: pytest.MonkeyPatch) -> None:
    """A bracket below 1 refutes nothing that the quadrature does not confirm."""
    twin = bias(f"0.9*{BIAS_BOUND}")
    assert decide_worst_law(twin, 5).status is Status.REFUTED
    for value in (arb(0), arb.nan()):
        with monkeypatch.context() as told:
            told.setattr(worst_law, "lower_bound_by_quadrature", lambda *_, value=value: value)
            assert decide_worst_law(twin, 5).status is Status.UNDECIDED
    real = worst_law.evaluate
    monkeypatch.setattr(worst_law, "evaluate", lambda *q: replace(real(*q), slack_high=0.5))
    assert decide_worst_law(square(), 5).status is Status.UNDECIDED


def test_other_tails_and_kernels_are_undecided_with_a_reason() -> None:
    exponential = worst("e", tails("1", "2*exp(-t)"), excess(TAU), "1", ["tau >= 1"])
    verdict = decide_worst_law(exponential, 5)
    assert verdict.status is Status.UNDECIDED
    assert "power" in verdict.reason


# ---------------------------------------------------------------- other classes and kernels


def test_moment_of_the_weak_class_is_the_known_constant() -> None:
    # P(|Z| > t) <= (sigma/t)^p for all t: sup E|Z|^q = sigma^q p/(p - q), q < p
    weak = tails("sigma/2", "min(1, (sigma/t)**p)")
    domain = ["p > 1", "q > 0", "q < p", "sigma > 0"]
    problem = worst("moment", weak, power(var("q")), "sigma**q*p/(p - q)", domain)
    point = {"p": F(3, 2), "q": F(1, 2), "sigma": F(3)}
    assert math.isclose(float(supremum(problem, point)), 3**0.5 * 1.5, rel_tol=1e-14)
    low, high = slack(problem, point)
    assert low <= 1.0 <= high and high - low < 1e-12


def test_a_kernel_that_grows_between_two_ends() -> None:
    # k' = 1 on (1, 2) against t^-3 for t >= 1: by hand 3/8
    kernel = Kernel("two", num(1), num(2), num(1))
    problem = worst("two", tails("1", "t**(-3)"), kernel, "3/8")
    assert math.isclose(float(supremum(problem, {})), 0.375, rel_tol=1e-14)
    assert decide_worst_law(problem, 5).slack == (None, 1.0)
    assert decide_worst_law(worst("two", problem.tail_class, kernel, "0.37"), 5).status is Status.REFUTED
    from_two = worst("two", tails("1", "t**(-3)"), Kernel("from 2", num(2), None, num(2) * TIME), "1")
    assert math.isclose(float(supremum(from_two, {})), 1.0, rel_tol=1e-14)


def test_a_tail_that_starts_below_one_jumps_at_the_threshold() -> None:
    # P(|Z| > t) <= t^-2/10 for t >= 1 only: mass 9/10 sits at 1, E min(Z^2, 4) = 1 + 2/10 log 2
    problem = worst("jump", tails("1", "t**(-2)/10"), clipped_square(num(2)), "114/100")
    assert math.isclose(float(supremum(problem, {})), 1 + 0.2 * math.log(2), rel_tol=1e-14)
    assert decide_worst_law(problem, 5).status is Status.UNDECIDED
    low = worst("jump", problem.tail_class, problem.kernel, "113/100")
    assert decide_worst_law(low, 5).status is Status.REFUTED


def test_where_start_and_ends_meet_every_order_gives_the_same() -> None:
    # P(|Z| > t) <= min(1, t^-2): E(|Z| - tau)_+ is 2 - tau up to 1, 1/tau from there on
    for tau, wanted in ((F(1, 2), 1.5), (F(1), 1.0), (F(4), 0.25)):
        there = worst("ends", tails("1/2", "t**(-2)"), excess(num(tau)), "2")
        assert math.isclose(float(supremum(there, {})), wanted, rel_tol=1e-14)
    # min(|Z|, c)^2 below c = 1, at it and beyond, where it is 1 + 2 log c
    for c, wanted in ((F(1, 2), 0.25), (F(1), 1.0), (F(3), 1 + 2 * math.log(3))):
        there = worst("ends", tails("1/2", "t**(-2)"), clipped_square(num(c)), "9")
        assert math.isclose(float(supremum(there, {})), wanted, rel_tol=1e-14)


# ---------------------------------------------------------------- laws of powers


def test_powers_are_collected() -> None:
    found = power_law(parse("2**(2*p + 1)*S**p*t**(-p)"), "t")
    assert found is not None
    assert normal(found.exponent + var("p")) is num(0) and found.bases == {var("S")}
    assert normal(found.coefficient ** (1 / var("p")) / parse("4*2**(1/p)*S")) is num(1)
    other = power_law(parse("(p - 1)*a*sqrt(t)/(b - c)"), "t")
    assert other is not None and other.exponent is num(F(1, 2))
    assert {str(b) for b in other.bases} == {"a", "b", "c", "p", "-a + a*p", "b - c"}
    assert normal(parse("(a*b)**2/sqrt(a) - a**(3/2)*b*b")) is num(0)
    for text in ("(1 + t)**(-2)", "t + t**2", "t**t", "log(a*b)*t", "t*a**(b**c)"):
        assert power_law(parse(text), "t") is None, text
    assert num(-2) in power_law(parse("-2*t"), "t").bases


def test_every_side_condition_of_the_extremal_law_is_asked_for() -> None:
    def needed(kernel: Kernel, threshold: str = "4*S") -> set[str]:
        """The relations without which there is no finite supremum, where all others hold."""
        problem, asked = WorstLaw("n", tails(threshold, "c*t**(-q)"), kernel, num(1)), []
        extremal(problem, lambda r: not asked.append(r))
        found = set()
        for one in asked:
            try:
                extremal(problem, lambda r, one=one: r != one)  # type: ignore[misc]
            except ValueError as fault:
                assert str(one) in str(fault)
                found.add(str(one))
        return found

    a, b, c = var("a"), var("b"), var("c1")
    assert needed(excess(TAU)) == {"q > 0", "c > 0", "4*S >= 0", "tau >= 0", "1 - q < 0"}
    assert needed(clipped_square(TAU), "0") >= {"q > 0", "c > 0", "tau >= 0"}
    two = Kernel("two", b, c, parse("k*t"))
    assert needed(two, "0") >= {"q > 0", "c > 0", "k > 0", "b >= 0", "c1 >= b"}
    assert needed(Kernel("to a", num(0), a, num(1)), "0") >= {"q > 0", "c > 0", "a >= 0"}
    assert needed(power(parse("r")), "0") >= {"r > 0", "-q + r < 0"}
    for unfit in (
        WorstLaw("n", tails("0", "c*s**(-q)"), excess(TAU), num(1)),
        WorstLaw("n", TAIL, Kernel("sum", num(0), a, parse("1 + t")), num(1)),
    ):
        with pytest.raises(ValueError, match="power of t"):
            extremal(unfit, lambda _: True)
    problem = WorstLaw("n", TAIL, two, parse("e"), (parse_relation("z > 0"),))
    assert problem.parameters == ("S", "b", "c1", "e", "k", "p", "z")


@pytest.mark.parametrize(
    ("threshold", "tail"), [("1", "(S - 3)/(S - 3)*t**(-2)"), ("1", "(t - S)/(t - S)*t**(-2)"), ("0", "t**(-2)")]
)
def test_a_tail_that_has_no_value_has_no_extremal_law(threshold, tail):
    """At S = 3 nothing is said of Z: a law that exceeds the bound there refutes nothing."""
    posed = worst("n", tails(threshold, tail), clipped_square(num(2)), "4*ceil((S - 3)**2/10**9)", ["S > 0"])
    with pytest.raises(ValueError, match="is undefined for some t"):
        supremum(posed, {"S": Fraction(3)})
    assert decide_worst_law(posed).status is Status.UNDECIDED
