"""Worst laws of projections on a uniform direction: brackets of the directional tail lemmas, and wrong twins."""

from __future__ import annotations

import math
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from hypothesis import given, settings
from hypothesis import strategies as st
from worst_problems import directional

from boundcheck.decide.worst_case.worst_directional import (
    DirectionalTail,
    evaluate,
    noise_supremum,
    signal_supremum,
    supremum,
    total_supremum,
)
from boundcheck.decide.worst_case.worst_values import value_at

F = Fraction
DOMAIN = ["1 < p", "p <= 2", "d >= 1", "sigma > 0", "L >= 0", "mu >= 0", "s >= 1"]


def noise(bound: str = "s**(-p)") -> DirectionalTail:
    level = "(sigma/sqrt(d) + L*mu)*s"
    return directional("noise", "noise", level, bound, DOMAIN, d="d", p="p", sigma="sigma", remainder="L*mu")


SIGNAL = directional(
    "signal", "signal", "(sqrt(8*L*Dbar)/sqrt(d) + L*mu)*s", "s**(-p)", [*DOMAIN, "Dbar > 0"],
    d="d", p="p", gradient="sqrt(8*L*Dbar)", remainder="L*mu/2",
)  # fmt: skip
TOTAL = directional(
    "total", "total", "4*((sqrt(L*Dbar) + sigma)/sqrt(d) + L*mu)*s", "2*s**(-p)", [*DOMAIN, "Dbar > 0"],
    d="d", p="p", sigma="sigma", gradient="sqrt(8*L*Dbar)", remainder="L*mu/2",
)  # fmt: skip


def at(problem: DirectionalTail, **values: int | Fraction) -> dict[str, Fraction]:
    base = {"p": F(3, 2), "d": F(3), "sigma": F(1), "L": F(1), "mu": F(1, 100), "s": F(2), "Dbar": F(1)}
    base |= {name: F(value) for name, value in values.items()}
    return {name: base[name] for name in problem.parameters}


@given(
    p=st.fractions(F(101, 100), 2, max_denominator=100),
    d=st.sampled_from([1, 2, 3, 17, 1000]),
    s=st.fractions(1, 20, max_denominator=20),
)
@settings(deadline=None, max_examples=30)
def test_the_noise_lemma_holds_for_its_worst_law(p: Fraction, d: int, s: Fraction) -> None:
    found = evaluate(noise(), at(noise(), p=p, d=d, s=s))
    assert found.slack_high >= 1.0
    assert found.slack_low > 1.0 - 1e-12  # rounded outwards; the slack is exactly 1 at d = 1, s = 1
    # without a remainder and beyond sigma the supremum is E V^p s^-p: sharp at d = 1 and at p = 2
    exact = evaluate(noise(), at(noise(), p=p, d=d, s=s, mu=0))
    assert exact.slack_high - exact.slack_low < 1e-12
    if d == 1 or (p == 2 and s * s >= d):
        assert math.isclose(exact.slack_low, 1.0, rel_tol=1e-12)


@pytest.mark.parametrize("problem", [SIGNAL, TOTAL], ids=lambda x: x.name)
@pytest.mark.parametrize("d", [1, 2, 10])
@pytest.mark.parametrize("p", [F(101, 100), 2])
def test_signal_and_total_lemmas_hold_for_their_worst_laws(problem: DirectionalTail, d: int, p: Fraction) -> None:
    for s in (1, 3):
        found = evaluate(problem, at(problem, p=p, d=d, s=s))
        assert 1.0 < found.slack_low <= found.slack_high


def test_a_wrong_constant_exceeds_the_bound() -> None:
    twin = noise("99/100*s**(-p)")
    assert evaluate(twin, at(twin, d=1, mu=0)).slack_high < 1
    assert evaluate(twin, at(twin, d=4, p=2, mu=0, s=5)).slack_high < 1
    steep = noise("s**(-p - 1/100)")
    assert evaluate(steep, at(steep, d=1, mu=0, s=5)).slack_high < 1


def test_the_signal_is_never_above_its_norm() -> None:
    assert signal_supremum(5, F(1), F(1)).is_zero()
    assert signal_supremum(5, F(0), F(1, 9)).is_zero()
    assert signal_supremum(1, F(1), F(1, 2)) == 1
    found = evaluate(SIGNAL, at(SIGNAL, d=1, s=2))
    assert found.slack_low == found.slack_high == math.inf


def test_exact_is_a_number_only_where_the_supremum_is_known() -> None:
    # with a remainder, and for centred noise beside a signal, the supremum is only known between two numbers
    assert evaluate(noise(), at(noise(), s=2)).exact is None and evaluate(TOTAL, at(TOTAL, s=2)).exact is None
    # f is linear: P(|<zeta, u>| > 2 sigma/sqrt(d)) of the Pareto norm, by an integral over the circle
    known = evaluate(noise(), at(noise(), d=2, p=2, s=2, mu=0)).exact
    assert known is not None and math.isclose(known, 0.25, rel_tol=1e-12)
    # |<g, u>| = |g| on the line, and the level lies above it by less than any double tells
    near = evaluate(SIGNAL, at(SIGNAL, d=1, s=1, mu=F(1, 10**40)))
    assert near.exact is None or near.exact == 0
    # P(|U_1| > 40/sqrt(d)) for d = 10^4 is 5e-381
    assert evaluate(SIGNAL, at(SIGNAL, d=10**4, s=40, mu=0)).exact is None


def test_levels_at_and_below_zero() -> None:
    assert noise_supremum(3, F(3, 2), F(1), F(0)) == 1
    low, high = total_supremum(3, F(3, 2), F(1), F(1), F(-1))
    assert low == high == 1


def test_the_extremal_vectors_attain_the_bracket() -> None:
    # 3 z-tests at false-alarm rate 1e-6 each: |z| < 4.9. Noise in a direction that depends on its own norm
    # changes nothing for the noise tail; aligned noise attains the upper, symmetric noise the lower end.
    rng = np.random.default_rng(11)
    n, d, level = 200_000, 3, F(3, 2)
    u = rng.standard_normal((n, d))
    u /= np.linalg.norm(u, axis=1, keepdims=True)
    r = np.exp(rng.standard_exponential(n) / 1.5)
    turned = np.stack([np.cos(r), np.sin(r), np.zeros(n)], axis=1)
    low, high = total_supremum(d, F(3, 2), F(1), F(1), level)
    sign = rng.choice([-1.0, 1.0], n)
    rows = [
        ((r[:, None] * turned * u).sum(axis=1), noise_supremum(d, F(3, 2), F(1), level)),
        (((1 + r) * u[:, 0]), high),
        ((1 + sign * r) * u[:, 0], low),
    ]
    for y, exact in rows:
        q = float(exact)
        z = ((np.abs(y) > float(level)).mean() - q) / math.sqrt(q * (1 - q) / n)
        assert abs(z) < 4.9
    assert low < high


def test_scaling_changes_nothing() -> None:
    one, many = (supremum(TOTAL, at(TOTAL, sigma=k, mu=F(k, 100), Dbar=k * k)) for k in (1, 7))
    assert (one[0] - many[0]).contains(0)
    assert (one[1] - many[1]).contains(0)


@pytest.mark.parametrize(
    ("values", "word"),
    [({"p": 1}, "p=1"), ({"d": 0}, "d=0"), ({"s": F(1, 2)}, "s=1/2"), ({"d": F(3, 2)}, "dimension")],
)
def test_bad_points_are_refused(values: dict[str, Fraction], word: str) -> None:
    with pytest.raises(ValueError, match=word):
        evaluate(noise(), at(noise(), **values))


def test_a_level_that_may_be_zero_is_exceeded_with_any_probability_up_to_one() -> None:
    for value in (noise_supremum(3, F(3, 2), F(1), F(-1)), noise_supremum(3, F(3, 2), F(1), F(0)),
                  signal_supremum(3, F(1), F(-1)), signal_supremum(3, F(0), F(-1))):  # fmt: skip
        assert value == 1
    assert signal_supremum(3, F(0), F(0)) == 0 == signal_supremum(3, F(0), F(1))
    wide = signal_supremum(3, F(0), arb(0, 0.5))
    assert wide.contains(0) and wide.contains(1)
    least = noise_supremum(3, F(3, 2), F(1), F(1, 2))
    assert least < 1
    wide = noise_supremum(3, F(3, 2), F(1), arb(0, 0.5))
    assert wide.contains(1) and not wide.contains(1.5)
    assert wide.lower() <= least.upper() and wide.lower() > least - 1e-6


def test_each_part_lies_between_its_levels_with_and_without_the_remainder() -> None:
    for problem, tail in ((noise(), lambda r: (noise_supremum(3, F(3, 2), F(2), r),) * 2),
                          (SIGNAL, lambda r: (signal_supremum(3, arb(8).sqrt(), r),) * 2),
                          (TOTAL, lambda r: total_supremum(3, F(3, 2), F(2), arb(8).sqrt(), r))):  # fmt: skip
        point = at(problem, mu=F(1, 5), sigma=2, s=F(11, 10))
        level, rest = value_at(problem.level, point), value_at(problem.remainder, point)
        low, high = supremum(problem, point)
        assert abs(low - tail(level)[0]) < 1e-12 and abs(high - tail(level - rest)[1]) < 1e-12
        assert 0 < low < high < 1


def test_the_dimension_is_a_positive_integer() -> None:
    def posed(d: str, p: str = "3/2") -> DirectionalTail:
        return directional("n", "noise", "s", "s**(-p)", ["s >= 1"], d=d, p=p)

    point = {"s": F(2), "p": F(3, 2)}
    assert evaluate(posed("3"), point).exact_low.overlaps(noise_supremum(3, F(3, 2), F(1), F(2)))
    for d, value in (("d", F(0)), ("d", F(-1)), ("d", F(3, 2)), ("0", None), ("2*d", F(1))):
        with pytest.raises(ValueError, match=r"dimension|d and p are numbers or parameters"):
            evaluate(posed(d), point | ({} if value is None else {"d": value}))
