"""The plan of the base theorem: exact integers, minimal batch size, and clear refusals."""

import math
from fractions import Fraction
from types import SimpleNamespace

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcheck import lemma
from boundcheck.app.commands import plan_command as command
from boundcheck.paper import values
from boundcheck.plans.momentum_plan import plan_momentum
from boundcheck.plans.theorem_plan import PRECISIONS, PlanError, Problem, batch, horizon, no_radius, plan, within


def problem(p, d=10, L=1, Delta0=1, sigma=1, eps=1, delta="0.1"):
    return Problem(Fraction(p), d, *(Fraction(x) for x in (L, Delta0, sigma, eps, delta)))


def eta_mp(q, mu, T, M):
    """eta by an independent transcription of the theorem in mpmath."""
    with mpmath.workdps(80):
        p, L, eps, s, d = (mpmath.mpf(x.numerator) / x.denominator for x in (q.p, q.L, q.eps, q.sigma, Fraction(q.d)))
        m = mpmath.mpf(mu.numerator) / mu.denominator
        bar = mpmath.mpf(q.Delta0.numerator) / q.Delta0.denominator + L * m**2 / 2
        lam = mpmath.log(T * mpmath.mpf(q.delta.denominator) / q.delta.numerator)
        scale = (mpmath.sqrt(L * bar) + s) / mpmath.sqrt(d) + L * m
        c_p = 120 + 2 ** (4 - p) / (p - 1)
        return c_p * d * scale * (lam / M) ** ((p - 1) / p) * mpmath.sqrt(1 + mpmath.log(M / lam)) + L * m - eps / 4


@pytest.mark.parametrize("p", ["2", "1.5", "1.2"])
def test_batch_is_the_smallest_sufficient_one(p):
    q = problem(p)
    mu = q.eps / (4 * q.L * q.d)
    found = plan(q, mu)
    assert eta_mp(q, mu, found.T, found.M) <= 0 < eta_mp(q, mu, found.T, found.M - 1)
    assert found.T == 33 and found.queries == 2 * found.M * 33


@pytest.mark.parametrize("sign", [-1, 1])
def test_a_comparison_waits_for_the_precision_that_decides_it(sign):
    seen = []

    def excess(bits):
        seen.append((bits, ctx.prec))
        return arb(sign, 2 if sign > 0 or bits < PRECISIONS[2] else 0.5)

    if sign < 0:
        assert within(excess, 7, "x")  # at last [-1.5, -0.5]
    else:
        with pytest.raises(PlanError, match="x at the batch 7 is too close to its limit"):
            within(excess, 7, "x")  # [-1, 3] tells nothing
    tried = PRECISIONS[: 3 if sign < 0 else None]
    assert seen == [(bits + 6, bits + 70) for bits in tried]
    assert not within(lambda bits: arb(1), 7, "x") and within(lambda bits: arb(0), 7, "x")


@given(
    st.fractions(Fraction(11, 10), 2, max_denominator=20),
    st.integers(1, 50),
    st.fractions(Fraction(1, 5), 3, max_denominator=10),
    st.fractions(Fraction(1, 100), Fraction(9, 10), max_denominator=100),
)
@settings(deadline=None, max_examples=25)
def test_no_smaller_batch_suffices(p, d, eps, part):
    q = problem(p, d=d, eps=eps)
    mu = part * eps / (4 * q.L)
    T = horizon(q, mu)
    M = batch(q, mu, T)
    assert eta_mp(q, mu, T, M) <= 0
    assert mpmath.ceil(mpmath.log(T * 10)) == M or eta_mp(q, mu, T, M - 1) > 0


def test_the_chosen_radius_minimises_the_queries():
    q = problem("1.5")
    best = plan(q)
    assert best.mu_chosen
    for mu in (best.mu / 1000, best.mu, 2 * best.mu, Fraction(1, 1000), Fraction(1, 160), Fraction(1, 40)):
        assert plan(q, mu).queries >= best.queries
    assert plan(q, best.mu / 1000).queries == best.queries
    assert plan(q, 1000 * best.mu).queries > best.queries


def test_eta_is_the_bound_of_the_catalogue():
    q = problem("1.5")
    found = plan(q, Fraction(1, 40))
    lam = float(mpmath.log(33 * 10))
    scale = (math.sqrt(found.Delta0_bar) + 1) / math.sqrt(10) + 1 / 40  # S_mu by hand, at L = sigma = 1
    value = values.value("thm:tuned-dev", p=1.5, d=10, S=scale, lam=lam, M=found.M) + 1 / 40
    assert value == pytest.approx(found.eta, rel=1e-12)


@pytest.mark.parametrize(
    ("change", "mu", "words"),
    [
        ({"p": "2", "d": 1, "sigma": "0.1", "eps": "5.6"}, "1.4", "choose mu below eps/\\(4 L\\) = 1.4"),
        ({"p": "2", "eps": "20"}, "0.1", "trivial regime"),
        ({"p": "2"}, "-1", "choose mu > 0"),
        ({"p": "1"}, None, "p = 1 is outside its domain; choose 1 < p <= 2"),
        ({"p": "2", "delta": "0"}, None, "delta = 0"),
    ],
)
def test_refusals_say_why_and_what_would_do(change, mu, words):
    with pytest.raises(PlanError, match=words):
        plan(problem(**change), None if mu is None else Fraction(mu))


def test_all_faults_of_a_problem_are_told_each_in_its_line(capsys):
    words = ["plan", "--L", "1", "--Delta0", "1", "--sigma", "1", "--eps", "1"]
    assert lemma.main([*words, "--p", "3", "--d", "0", "--delta", "2"]) == 2
    told = [line.split(" is outside its domain; choose ") for line in capsys.readouterr().err.splitlines()]
    assert told == [
        ["error: p = 3", "1 < p <= 2"],
        ["error: d = 0", "a whole number d >= 1"],
        ["error: delta = 2", "0 < delta <= 1"],
    ]
    assert lemma.main([*words, "--p", "x", "--d", "1", "--delta", "0.1", "--mu", "y"]) == 2
    assert [line.split(";")[0] for line in capsys.readouterr().err.splitlines()] == [
        "error: p = x is not a number",
        "error: mu = y is not a number",
    ]
    assert lemma.main(words) == 2
    assert capsys.readouterr().err.startswith("error: --p, --d, --delta are missing; ")
    unusable = ["plan", "--p", "x", "--d", "2.5", "--L", "-1", "--Delta0=-1/3", "--eps", "0", "--delta", "0.1"]
    assert lemma.main([*unusable, "--mu", "0", "--beta", "1"]) == 2
    assert [line.removeprefix("error: ").split(";")[0] for line in capsys.readouterr().err.splitlines()] == [
        "--sigma is missing",
        "p = x is not a number",
        "d = 2.5 is outside its domain",
        "L = -1 is outside its domain",
        "Delta0 = -1/3 is outside its domain",
        "eps = 0 is outside its domain",
        "mu = 0 is outside its domain",
        "beta = 1 is outside its domain",
    ]


def test_batches_that_no_run_could_draw_are_not_looked_for():
    with pytest.raises(PlanError, match="more than 1233 digits; choose p farther from 1"):
        plan(problem("1.0001"), Fraction(1, 1000))
    assert plan(problem("1.05"), Fraction(1, 1000)).M > 10**60  # far from the limit


def test_what_no_radius_attains_is_told_with_a_radius_that_works():
    q = problem("1.5")
    told = str(no_radius(q))
    assert told.endswith("give --mu, for instance eps/(16 L d) = 0.00625") and plan(q, Fraction("0.00625")).M > 1


def test_a_threshold_that_no_double_holds_is_not_called_free():
    assert command._told(None, SimpleNamespace(T=33)) == "above 1.8e+308, the largest double"
    assert command._told(None, SimpleNamespace(T=1)) == "any"


def test_the_infeasible_example_has_a_plan_for_another_radius():
    q = problem("2", d=1, sigma="0.1", eps="5.6")
    found = plan(q)
    assert found.mu < Fraction("1.4") and found.eta <= 1.4


def momentum_limits(q, beta, mu, T, M, M0):
    """U - eps/13, B - eps/13 and G - eps/2 by an independent transcription in mpmath."""
    with mpmath.workdps(80):
        p, L, eps, s, d, b = (
            mpmath.mpf(x.numerator) / x.denominator for x in (q.p, q.L, q.eps, q.sigma, Fraction(q.d), beta)
        )
        m = mpmath.mpf(mu.numerator) / mu.denominator
        bar = mpmath.mpf(q.Delta0.numerator) / q.Delta0.denominator + L * m**2 / 2
        scale = d * ((mpmath.sqrt(L * bar) + s) / mpmath.sqrt(d) + L * m)
        share, bias = (p - 1) / p, 2 ** (4 - p) / (p - 1)
        r = (1 - b) * mpmath.log(2 * T * mpmath.mpf(q.delta.denominator) / q.delta.numerator) / M
        r0 = mpmath.log(mpmath.mpf(2 * q.delta.denominator) / q.delta.numerator) / M0
        U = 112 * scale * r**share * mpmath.sqrt(1 - mpmath.log(r))
        G = (126 + bias) * scale * r0**share * mpmath.sqrt(1 - mpmath.log(r0))
        return U - eps / 13, bias * scale * r**share - eps / 13, G - eps / 2


@pytest.mark.parametrize("p", ["2", "1.5", "1.2"])
def test_momentum_integers_are_the_smallest(p):
    q, beta = problem(p), Fraction(9, 10)
    mu = q.eps / (4 * q.L * q.d)
    found = plan_momentum(q, beta, mu)
    U, B, G = momentum_limits(q, beta, mu, found.T, found.M, found.M0)
    assert max(U, B, G) <= 0
    assert max(momentum_limits(q, beta, mu, found.T, found.M - 1, found.M0)[:2]) > 0
    assert momentum_limits(q, beta, mu, found.T, found.M, found.M0 - 1)[2] > 0
    bar = q.Delta0 + q.L * mu**2 / 2
    assert mpmath.ceil(512 * mpmath.sqrt(3) * float(bar) / 0.1) + 2 == found.T
    assert found.queries == 2 * found.M0 + 2 * found.M * (found.T - 1)


def test_momentum_refusals_and_the_chosen_radius():
    q = problem("1.5")
    for beta, mu, words in (
        ("1", None, "beta = 1 is outside"),
        ("0.4", None, "choose 1/2"),
        ("0.9", "0.1", "eps/\\(4 L d\\)"),
    ):
        with pytest.raises(PlanError, match=words):
            plan_momentum(q, Fraction(beta), None if mu is None else Fraction(mu))
    best = plan_momentum(q, Fraction(9, 10))
    for mu in (best.mu / 1000, 1000 * best.mu, Fraction(1, 40)):
        assert plan_momentum(q, Fraction(9, 10), mu).queries >= best.queries
