"""Exact small worlds: against other routes to the same probability, with planted mistakes that are refused."""

import itertools
import math
from dataclasses import replace
from fractions import Fraction as F

import numpy as np
import pytest
from flint import arb
from scipy import stats

from boundcheck.plans.theorem_plan import exact
from proofs_numeric import small_world_cases as cases
from proofs_numeric.exact_checks import small_worlds as worlds
from proofs_numeric.exact_checks.small_worlds import NotDecided, NotMet


def test_a_world_is_a_law_with_mean_zero_inside_its_tail():
    good = cases.SIGNS
    with pytest.raises(ValueError, match="no law"):
        replace(good, law=((F(1), F(1, 2)), (F(-1), F(1, 3))))
    with pytest.raises(ValueError, match="not 0"):
        replace(good, law=((F(2), F(1, 2)), (F(-1), F(1, 2))))
    with pytest.raises(ValueError, match="above"):
        replace(good, sigma=F(99, 100))
    with pytest.raises(ValueError, match="above"):
        replace(cases.HEAVY, p=F(8, 5))


def test_batches_are_all_sequences_of_draws_up_to_their_order():
    law, M = cases.HEAVY.law, 3
    direct: dict[tuple[int, ...], F] = {}
    for draws in itertools.product(range(len(law)), repeat=M):
        counts = tuple(draws.count(k) for k in range(len(law)))
        direct[counts] = direct.get(counts, F(0)) + math.prod(law[k][1] for k in draws)
    assert {o.counts: o.chance for o in worlds.batches(law, M)} == direct


def test_the_estimate_is_the_library_s_own_on_the_same_draws():
    """Against the real estimator: two values of F along a random direction, clipped, averaged."""
    world, tau, mu = cases.JUMP, 12.0, 0.2
    for counts in ((1, 2), (0, 3), (3, 0)):
        xi = np.repeat([float(v) for v, _ in world.law], counts)
        u = np.array([1.0, -1.0, 1.0])
        x = float(world.x0)

        def loss(y, xi=xi):
            return float(world.L) * y**2 / 2 + xi * y

        slope = (loss(x + mu * u) - loss(x - mu * u)) / (2 * mu)
        expected = np.mean(np.clip(slope, -tau, tau) * u)
        found = worlds.estimate(world, exact(world.x0), arb(12), counts)
        assert float(found.mid()) == pytest.approx(expected, rel=1e-12)


def test_the_failure_of_a_binomial_deviation_is_the_binomial_tail():
    found = worlds.failure(worlds.sums(cases.SIGNS, 12), exact(7), exact(F(1, 10)))
    assert float(found.failure) == pytest.approx(2 * stats.binom.sf(9, 12, 0.5), rel=1e-12)  # |sum| > 7 is >= 10 of 12
    assert found.least == 6  # P(|S| > 4) = 0.146, P(|S| > 6) = 0.039
    assert worlds.failure(worlds.sums(cases.SIGNS, 12), exact(5), exact(F(1, 10))).failure > F(1, 10)


def test_a_run_goes_as_the_algorithm_goes():
    world = cases.SIGNS
    paths = list(worlds.base_runs(world, 1, arb(9), exact(F(1, 4)), 3))
    assert len(paths) == 4 and sum(c for _, c in paths) == 1
    x1 = sorted({round(float(p[1].mid()), 12) for p, _ in paths})
    assert x1 == pytest.approx([1.4 - (1.4 + 1) / 4, 1.4 - (1.4 - 1) / 4])
    heavy = list(worlds.momentum_runs(world, 1, arb(9), 1, arb(9), exact(F(1, 4)), exact(F(0)), 3))
    assert sorted(float(p[2].mid()) for p, _ in heavy) == pytest.approx(sorted(float(p[2].mid()) for p, _ in paths))
    slow = list(worlds.momentum_runs(world, 1, arb(9), 1, arb(9), exact(F(1, 4)), exact(F(1, 2)), 3))
    m0, g1 = 2.4, (1.4 - 2.4 / 4) + 1
    assert any(float(p[2].mid()) == pytest.approx(1.4 - m0 / 4 - (m0 + g1) / 2 / 4) for p, _ in slow)


def test_the_chance_outside_of_a_range_is_that_of_the_binomial():
    (low, high), rest = worlds.far_from_mean(cases.SIGNS, 400, 2)
    inside = stats.binom.cdf(high, 400, 0.5) - stats.binom.cdf(low - 1, 400, 0.5)
    assert float(rest) == pytest.approx(1 - inside, rel=1e-9) and 0 < rest < F(1, 2)


def test_a_boxed_run_holds_every_run():
    world, tau, alpha = cases.SIGNS, arb(9), exact(F(1, 4))
    average, rest = worlds.boxed_base_run(world, 6, tau, alpha, 3, spread=40)
    assert rest == 0
    for value, _ in worlds.squares(worlds.base_runs(world, 6, tau, alpha, 3), world, 0, 2):
        assert average.contains(value)


def test_a_hypothesis_that_fails_and_numbers_that_lack_are_told():
    given = {"mu": F(1, 5), "Dbar": F(1), "T": 3, "delta": F(2, 5), "tau": F(12)}
    env = worlds.numbers("cor:hp-shared-localized", cases.SIGNS, M=3, **given)
    assert env["S"].overlaps(exact(F(11, 5))) and env["lam"].overlaps((arb(3) / exact(F(2, 5))).log())
    with pytest.raises(NotMet, match="does not hold"):
        worlds.numbers("cor:hp-shared-localized", cases.SIGNS, M=3, **{**given, "tau": F(8)})  # tau >= 4 S = 8.8
    with pytest.raises(NotMet, match="does not hold"):
        worlds.numbers("cor:hp-shared-localized", cases.SIGNS, M=3, **{**given, "Dbar": F(1, 5)})  # gap 0.98 > 4 Dbar
    with pytest.raises(NotMet, match="M have no value"):
        worlds.numbers("cor:hp-shared-localized", cases.SIGNS, **given)


def test_what_balls_do_not_tell_apart_is_no_guess():
    third = exact(1) / 3
    with pytest.raises(NotDecided):
        worlds.below(third, third + third - third)


@pytest.mark.parametrize("n", range(7))
def test_the_page_is_what_the_cases_say(n):
    """Every seventh case, worked out anew; the whole page is a campaign."""
    text = cases.PAGE.read_text(encoding="utf-8")
    quick = [c for c in cases.cases() if "M = 240000" not in c.size]
    assert len(quick) >= 20
    for case in quick[n::7]:
        assert cases.row(case) in text, "python -m proofs_numeric.small_world_cases writes it anew"


@pytest.mark.campaign
def test_the_whole_page_is_what_the_cases_say():
    assert cases.page() == cases.PAGE.read_text(encoding="utf-8")
