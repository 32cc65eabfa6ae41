"""The binomial rule: against mpmath at 30 digits, as mutual inverses, and at its nominal level."""

from __future__ import annotations

import math

import mpmath
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_numeric.model.streams import stream
from proofs_numeric.stats import binomial, budget

trials = st.integers(1, 10**7)
rates = st.floats(1e-6, 0.99)
levels = st.sampled_from([0.05, 1e-3, 1e-6, 2.5e-10])
REPETITIONS = 2000
#: a rule of level 0.05 may reject this often in 2000 repetitions; more has probability 1e-6
ALLOWED = binomial.critical_count(REPETITIONS, 0.05, 1e-6) - 1


def tail(N, q, c):
    """P(Bin(N, q) >= c) at 30 digits; q is the double itself."""
    with mpmath.workdps(40):
        return mpmath.betainc(c, N - c + 1, 0, mpmath.mpf(q), regularized=True) if 0 < c <= N else mpmath.mpf(c <= 0)


@settings(deadline=None, max_examples=60)
@given(N=st.integers(1, 4000), q=rates, a=levels)
def test_critical_count_is_the_smallest(N, q, a):
    c = binomial.critical_count(N, q, a)
    assert tail(N, q, c) <= a
    assert tail(N, q, c - 1) > a * (1 - 1e-8)


def summed_tail(N, q, c):
    """P(Bin(N, q) >= c) for c beyond the mean, term by term at 40 digits."""
    with mpmath.workdps(40):
        odds = mpmath.mpf(q) / (1 - mpmath.mpf(q))
        term = mpmath.binomial(N, c) * mpmath.mpf(q) ** c * (1 - mpmath.mpf(q)) ** (N - c)
        total, k = term, c
        while term > total * mpmath.mpf(10) ** -30 and k < N:
            term *= odds * (N - k) / (k + 1)
            k += 1
            total += term
        return total


@pytest.mark.parametrize(("N", "q", "a"), [(10**8, 1e-6, 1e-10), (10_000, 4e-5, 1e-20), (10**6, 0.1, 2.5e-10)])
def test_where_library_routines_go_wrong(N, q, a):
    c = binomial.critical_count(N, q, a)
    assert summed_tail(N, q, c) <= a < summed_tail(N, q, c - 1)
    assert c < N


@settings(deadline=None, max_examples=60)
@given(N=st.integers(1, 4000), share=st.floats(0, 1), a=levels)
def test_upper_limit_solves_its_equation(N, share, a):
    """P(Bin(N, U) <= k) = a, from above."""
    k = round(share * N)
    U = binomial.upper_limit(k, N, a)
    if k == N:
        assert U == 1.0
    else:
        assert 1 - tail(N, U, k + 1) <= a * (1 + 1e-9)
        assert 1 - tail(N, U * (1 - 1e-7), k + 1) >= a * (1 - 1e-9)


@settings(deadline=None, max_examples=60)
@given(N=trials, share=st.floats(0, 1), a=levels)
def test_limits_enclose_the_estimate_and_mirror_each_other(N, share, a):
    k = round(share * N)
    assert binomial.lower_limit(k, N, a) <= k / N <= binomial.upper_limit(k, N, a)
    assert binomial.lower_limit(k, N, a) == pytest.approx(1 - binomial.upper_limit(N - k, N, a), rel=1e-6, abs=1e-8)


@settings(deadline=None, max_examples=60)
@given(N=trials, q=rates, a=levels)
def test_count_limit_and_power_are_mutual_inverses(N, q, a):
    """k < c is not rejected, so the lower limit at k is at most q; k = c is, so it is at least q. p1 is rejected."""
    c = binomial.critical_count(N, q, a)
    if c <= N:
        assert binomial.lower_limit(c, N, a) >= q * (1 - 1e-7)
        p1 = binomial.detectable(N, c, 0.99)
        assert p1 > q
        assert binomial.tail_probability(N, p1, c) == pytest.approx(0.99, abs=1e-6)
    if c > 1:
        assert binomial.lower_limit(c - 1, N, a) <= q * (1 + 1e-7)


@settings(deadline=None, max_examples=40)
@given(N=st.integers(1, 4000), q=rates, a=levels)
def test_the_lower_side_mirrors_the_upper_one(N, q, a):
    c = binomial.critical_count_below(N, q, a)
    assert c == -1 or 1 - tail(N, q, c + 1) <= a
    assert 1 - tail(N, q, c + 2) > a * (1 - 1e-8)


@pytest.mark.parametrize(("Nq", "ratio"), [(10, 5.1), (100, 2.0), (1e3, 1.29), (1e4, 1.09)])
def test_the_published_power_table(Nq, ratio):
    N = 10**7
    c = binomial.critical_count(N, Nq / N, 2.5e-10)
    assert binomial.detectable(N, c, 0.99) / (Nq / N) == pytest.approx(ratio, rel=0.03)


def few(N, q, k):
    """P(Bin(N, q) <= k) for few k, term by term at 60 digits."""
    with mpmath.workdps(60):
        p = mpmath.mpf(q)
        return mpmath.fsum(mpmath.binomial(N, j) * p**j * (1 - p) ** (N - j) for j in range(k + 1))


@pytest.mark.parametrize(("k", "N", "a"), [(11, 849942358, 0.001), (8, 1369857866, 0.05), (2, 212580478, 0.05)])
def test_an_upper_limit_of_many_trials_is_rounded_up(k, N, a):
    """The inverse function of the library lost so many digits that the limit held at a larger level than a."""
    assert a * (1 - 1e-6) < few(N, binomial.upper_limit(k, N, a), k) <= a


@pytest.mark.parametrize(("N", "a"), [(470, 1 - 1e-9), (8231433687, 1 / 14000), (7676958549, 0.5), (13, 0.05)])
def test_a_lower_limit_where_all_trials_are_bad_is_rounded_down(N, a):
    """Next to 1 the complement of an upper limit was rounded up."""
    with mpmath.workdps(60):
        low = mpmath.mpf(binomial.lower_limit(N, N, a))
        assert low < 1 and a * (1 - 1e-4) < low**N <= a


def test_what_many_trials_detect_is_rounded_up():
    N, c, power = 497989547, 20, math.sqrt(0.99)
    assert power <= 1 - few(N, binomial.detectable(N, c, power), c - 1) < power + 1e-9


@pytest.mark.parametrize(("N", "q", "a"), [(10**10, 1.3e-8, 1e-6), (3 * 10**9, 2.7e-8, 1e-3), (10**11, 1.7e-9, 0.05)])
def test_a_critical_count_below_of_many_trials(N, q, a):
    c = binomial.critical_count_below(N, q, a)
    assert few(N, q, c) <= a < few(N, q, c + 1)


def test_no_trial_bad():
    assert binomial.upper_limit(0, 100, 0.05) == pytest.approx(1 - 0.05**0.01, rel=1e-8)
    assert binomial.lower_limit(0, 100, 0.05) == 0.0
    assert binomial.detectable(10, 11, 0.99) == math.inf


@pytest.mark.parametrize("q", [0.001, 0.05, 0.5])
def test_calibration_of_test_and_limit(q):
    """At P(bad) = q, the least favourable truth, both err in at most 5 % of 2000 repetitions."""
    N = 1000
    k = stream("t", f"binomial{q}").binomial(N, q, REPETITIONS)
    assert (k >= binomial.critical_count(N, q, 0.05)).sum() <= ALLOWED
    upper = np.array([binomial.upper_limit(int(n), N, 0.05) for n in range(N + 1)])
    lower = np.array([binomial.lower_limit(int(n), N, 0.05) for n in range(N + 1)])
    assert (upper[k] < q).sum() <= ALLOWED
    assert (lower[k] > q).sum() <= ALLOWED


def test_a_rule_at_twice_its_level_would_be_noticed():
    """The judge of the calibration has power: 10 % errors pass it with probability below 1e-3."""
    assert 1 - binomial.tail_probability(REPETITIONS, 0.10, ALLOWED + 1) < 1e-3


@pytest.mark.parametrize(
    "call",
    [
        lambda: binomial.critical_count(0, 0.1, 0.05),
        lambda: binomial.critical_count(10, 0.1, 0.0),
        lambda: binomial.upper_limit(11, 10, 0.05),
        lambda: binomial.lower_limit(-1, 10, 0.05),
        lambda: binomial.detectable(10, 3, 1.0),
        lambda: budget.levels(0),
    ],
)
def test_bad_arguments_are_refused(call):
    with pytest.raises(ValueError, match=r"must|has at least"):
        call()


def test_the_budget_is_divided_not_spent_twice():
    share = budget.levels(400)
    assert share.reject * 400 == pytest.approx(1e-6)
    assert share.confidence * 2 * 400 == pytest.approx(1e-3)
    assert share.screen >= share.reject
