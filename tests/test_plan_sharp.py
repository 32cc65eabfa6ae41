"""The plans of the sharper theorems: sufficient by an independent transcription, minimal, below the paper's."""

import json
import math
from fractions import Fraction

import mpmath
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow import more

from boundcheck.app.reporting.plans import comparison
from boundcheck.lemma import main
from boundcheck.plans.momentum_plan import plan_momentum
from boundcheck.plans.plan_table import PROBLEMS, rows
from boundcheck.plans.sharp_momentum_plan import SharpMomentumPlan, plan_sharp_momentum, step_size
from boundcheck.plans.sharp_plan import _batch, _proposal, _sufficient, allowed, plan_sharp
from boundcheck.plans.theorem_plan import PlanError, Problem, plan
from boundcheck.plans.thresholds import Shares


def problem(p, d=10, L=1, Delta0=1, sigma=1, eps=1, delta="0.1"):
    return Problem(Fraction(p), d, *(Fraction(x) for x in (L, Delta0, sigma, eps, delta)))


def real(x):
    return mpmath.mpf(Fraction(x).numerator) / Fraction(x).denominator


def spread(q, mu, N, theta1, theta2):
    """(theta, Q, bias) transcribed by hand, the integral in closed form."""
    p, s, d, Lmu = real(q.p), real(q.sigma), mpmath.mpf(q.d), real(q.L) * real(mu)
    theta = theta1 + theta2 + mpmath.sqrt(d) * Lmu / 2
    integral = mpmath.log(theta / s) if q.p == 2 else (theta ** (2 - p) - s ** (2 - p)) / (2 - p)
    Q = N + mpmath.sqrt(s**2 + 2 * s**p * integral) + mpmath.sqrt(d) * Lmu / 2
    noise = (3 * d / (d + 2)) ** ((p - 1) / 2) * s**p * theta2 ** (1 - p) / (p - 1)
    return theta, Q, mpmath.mpf(4) / 9 * (d / (d + 2)) * N**3 / theta1**2 + noise


def excess(q, mu, T, M, shares):
    """deviation + L mu - eta of app:sharp-convergence, eta^2 = (T eps^2 - 2 L Delta0)/(T - 1) and N^2 = T eps^2."""
    d, Lmu = mpmath.mpf(q.d), real(q.L) * real(mu)
    eta = mpmath.sqrt((T * real(q.eps) ** 2 - 2 * real(q.L * q.Delta0)) / (T - 1))
    N = mpmath.sqrt(T) * real(q.eps)
    theta, Q, bias = spread(q, mu, N, real(shares.theta1), real(shares.theta2))
    h = mpmath.log(2 * (T - 1) / real(q.delta))
    fluctuation = mpmath.sqrt(2 * d * Q**2 * h / M) + mpmath.mpf(1) / 3 * (mpmath.sqrt(d) * theta + Q) * h / M
    return fluctuation + bias + Lmu - eta


@pytest.mark.parametrize(("p", "goal"), [("2", 600), more("1.5", 2e5), more("1.2", 2e12)])
def test_the_goals_for_the_ratio_of_queries_are_met(p, goal):
    q = problem(p)
    mu = q.eps / (16 * q.L * q.d)
    assert Fraction(plan(q, mu).queries, plan_sharp(q, mu).queries) >= goal


@pytest.mark.parametrize("p", ["2", "1.5", more("1.2"), more("1.05")])
def test_the_batch_is_sufficient_and_minimal_by_another_route(p):
    q = problem(p)
    mu = q.eps / (160 * q.d)
    found = plan_sharp(q, mu)
    shares, M = _batch(q, mu, found.T)
    assert M == found.M
    with mpmath.workdps(120):
        assert excess(q, mu, found.T, M, shares) <= mpmath.mpf(10) ** -13
        assert excess(q, mu, found.T, M - 1, shares) > -(mpmath.mpf(10) ** -13)
    assert found.eta <= float(found.eta_target) * (1 + 1e-12) and found.theta1 + found.theta2 >= float(q.sigma)


def test_a_smaller_batch_or_a_wrong_share_is_refused():
    q, mu, T = problem("1.5"), Fraction(1, 160), 4
    shares, M = _batch(q, mu, T)
    assert _sufficient(q, mu, T, shares, M) and not _sufficient(q, mu, T, shares, M - 1)
    assert not _sufficient(q, mu, T, Shares(shares.theta1 / 4, shares.theta2), M)
    assert not _sufficient(q, mu, T, Shares(shares.theta1, 100 * shares.theta2), M)


def test_the_share_that_is_searched_beats_a_grid():
    q, mu, T = problem("1.5"), Fraction(1, 160), 4
    shares, M = _batch(q, mu, T)
    for a in (Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), 2):
        for b in (Fraction(1, 2), Fraction(9, 10), Fraction(11, 10), 2):
            assert not _sufficient(q, mu, T, Shares(a * shares.theta1, b * shares.theta2), M * 999 // 1000)


@pytest.mark.thorough
@given(
    st.fractions(Fraction(11, 10), 2, max_denominator=20),
    st.integers(1, 50),
    st.fractions(Fraction(1, 2), Fraction(13, 10), max_denominator=10),
)
@settings(deadline=None, max_examples=15)
def test_conditions_of_the_theorem_hold_exactly(p, d, eps):
    q = problem(p, d=d, eps=eps)
    mu = eps / (16 * d)
    found = plan_sharp(q, mu)
    eta = allowed(q, found.T)
    assert found.T >= 2 and 2 * q.L * q.Delta0 + (found.T - 1) * eta**2 <= found.T * q.eps**2
    assert found.Gamma == q.Delta0 + (found.T - 1) * eta**2 / (2 * q.L)


@pytest.mark.parametrize("dimensions", [(10, 1000), more((10, 100, 1000))])
def test_the_batch_is_linear_in_the_dimension(dimensions):
    q, mu = problem("1.5", d=10), Fraction(1, 10**9)
    M = {d: plan_sharp(problem("1.5", d=d), mu).M / d for d in dimensions}
    assert max(M.values()) < 1.2 * min(M.values())
    assert plan(problem("1.5", d=1000), mu).M > 100**1.4 * plan(q, mu).M  # the paper's grows like d^(3/2)


def test_the_chosen_radius_attains_the_least_queries():
    q = problem("1.5")
    best = plan_sharp(q)
    assert best.mu_chosen and best.queries <= plan_sharp(q, best.mu / 1000).queries
    assert plan_sharp(q, 4 * best.mu).queries >= best.queries


def test_nothing_is_run_where_the_start_is_stationary():
    found = plan_sharp(problem("2", d=1, sigma="0.1", eps="5.6"))
    assert (found.T, found.M, found.statement) == (1, 1, "app:sharp-trivial")
    assert plan_sharp_momentum(problem("2", d=1, eps=2), Fraction(9, 10)).statement == "app:sharp-trivial"
    with pytest.raises(PlanError, match="choose 0 < mu < eps/L"):
        plan_sharp(problem("2"), Fraction(2))


@pytest.mark.parametrize("p", ["2", "1.5", more("1.2")])
def test_momentum_conditions_by_another_route(p):
    q, beta = problem(p), Fraction(9, 10)
    mu = q.eps / (16 * q.L * q.d)
    found = plan_sharp_momentum(q, beta, mu)
    assert isinstance(found, SharpMomentumPlan)
    with mpmath.workdps(60):
        bar = real(q.Delta0) + real(q.L) * real(mu) ** 2 / 2
        a, U, B, G, b, T = (real(x) for x in (found.alpha, found.eta_target, found.B, found.G, beta, found.T))
        assert a <= (1 - b) / (4 * mpmath.sqrt(3) * b) and a <= mpmath.mpf(1) / 4
        assert 8 * bar / (a * (T - 2)) + 4 * U**2 + 16 * B**2 + 2 * real(mu) ** 2 <= 1
        assert (T - 1) * a * (U**2 + 4 * B**2) <= bar
        H = mpmath.sqrt(2) + real(mu)
        inner = b * ((1 + a) * G + a * H) + (1 - b) * B
        assert 5 * a / 4 * G**2 + 2 * a / (1 - b) * inner**2 <= bar
        h = mpmath.log(4 * T / real(q.delta))
        tau = mpmath.mpf(found.tau)
        theta = tau * mpmath.sqrt(q.d)
        J2 = 1 + 2 * (mpmath.log(theta) if q.p == 2 else (theta ** (2 - real(q.p)) - 1) / (2 - real(q.p)))
        Q = mpmath.sqrt(8 * bar) + mpmath.sqrt(J2) + mpmath.sqrt(q.d) * real(mu) / 2

        def level(M):
            variance = (1 - b) / (1 + b) * q.d * Q**2 / M
            return mpmath.sqrt(2 * variance * h) + (1 - b) * (mpmath.sqrt(q.d) * theta + Q) * h / (3 * M)

        assert level(found.M) <= U * (1 + mpmath.mpf(10) ** -12) < level(found.M - 1) * (1 + mpmath.mpf(10) ** -11)
    assert found.queries < plan_momentum(q, beta, mu).queries


def test_the_least_batch_is_found_where_the_search_begins_with_a_bias_that_is_too_large():
    """A grid of both shares has its least batch at e^45.5; from its start the search ended at e^104, or nowhere."""
    q = problem("3/2", L=48, Delta0="0.00029", sigma=750, eps="0.00168", delta="1/2")
    found = plan_sharp_momentum(q, Fraction(999, 1000))
    assert found.T > 10**8 and math.exp(45.4) < found.M < math.exp(45.6)


def test_momentum_refuses_what_cannot_work():
    with pytest.raises(PlanError, match="is outside its domain"):
        plan_sharp_momentum(problem("2"), Fraction(3, 10))
    with pytest.raises(PlanError, match="cannot work; choose"):
        plan_sharp_momentum(problem("2"), Fraction(9, 10), Fraction(6, 10))
    assert step_size(Fraction(1), Fraction(1, 2)) <= Fraction(1, 4)


def test_the_horizon_is_not_missed_by_the_search():
    """Every other horizon needs more queries, as real numbers."""
    q, mu = problem("1.2"), Fraction(1, 160)
    best = plan_sharp(q, mu)
    for T in range(3, 13):
        _, log_m = _proposal(q, mu, T)
        assert T * mpmath.e**log_m >= best.T * best.M * 0.999


ARGUMENTS = ["plan", "--p", "1.5", "--d", "10", "--L", "1", "--Delta0", "1", "--sigma", "1", "--eps", "1"]


def run(capsys, *more):
    status = main([*ARGUMENTS, "--delta", "0.1", *more])
    told = capsys.readouterr()
    return status, told.out, told.err


def test_the_command_prints_the_sharper_plan(capsys):
    status, out, _ = run(capsys, "--constants", "sharp", "--mu", "1/160", "--json")
    found, wanted = json.loads(out), plan_sharp(problem("1.5"), Fraction(1, 160))
    assert status == 0 and (found["T"], found["M"], found["queries"]) == (wanted.T, wanted.M, wanted.queries)
    assert found["statement"] == "app:sharp-convergence" and found["eta"] <= found["eta_target"]
    status, out, _ = run(capsys, "--constants", "sharp", "--mu", "1/160", "--beta", "0.9", "--json")
    assert json.loads(out)["statement"] == "app:sharp-momentum" and json.loads(out)["M0"] >= 1
    status, out, _ = run(capsys, "--mu", "1/160", "--json")
    assert json.loads(out)["statement"] == "thm:hp-shared-clipped" and json.loads(out)["mu_chosen"] is False


def test_the_command_says_what_is_missing_or_cannot_work(capsys):
    assert main(ARGUMENTS) == 2 and "--delta is missing" in capsys.readouterr().err
    status, out, err = run(capsys, "--constants", "sharp", "--mu", "1")
    assert status == 2 and not out and "choose 0 < mu < eps/L" in err
    status, out, err = run(capsys, "--save")
    assert status == 2 and "--table" in err


def test_the_table_compares_plans_of_one_problem():
    first = next(rows())
    assert first["constants"] == "paper" and first["statement"] == "thm:hp-shared-clipped"
    q = PROBLEMS[0]
    assert first["queries"] == str(plan(q, q.eps / (16 * q.L * q.d)).queries)


def test_stored_plans_become_one_line_a_problem():
    row = {"p": 2.0, "d": 1, "sigma": 1.0, "eps": 1.0, "beta": None, "radius": "free", "T": "3", "M0": None}
    stored = {
        "rows": [
            {**row, "constants": "paper", "M": "12345678901", "queries": "74074073406", "ratio": None},
            {**row, "constants": "sharp", "M": "10", "queries": "60", "ratio": 1234567890.1},
        ]
    }
    (line,) = comparison(stored)
    assert line["paper"]["M"] == "1.23e10" and line["sharp"]["M"] == "10" and line["ratio"] == "1.2e9"
    assert comparison(None) == []
