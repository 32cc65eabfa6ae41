"""Plans against the paper's printed formulas, other units of measurement, brute force, and each condition alone."""

from __future__ import annotations

import math
from fractions import Fraction

import mpmath
import pytest
from flint import arb, ctx
from hypothesis import given, settings
from hypothesis import strategies as st
from slow import more

from boundcheck.kernel.formula import parse
from boundcheck.plans import thresholds
from boundcheck.plans.momentum_plan import plan_momentum
from boundcheck.plans.plan_table import planned
from boundcheck.plans.sharp_momentum_plan import (
    SharpMomentumPlan,
    _holds,
    _largest_start,
    _met,
    _search,
    plan_sharp_momentum,
    step_size,
)
from boundcheck.plans.sharp_plan import allowed, plan_sharp, rounded_root
from boundcheck.plans.theorem_plan import (
    PlanError,
    Problem,
    batch,
    horizon,
    largest,
    plan,
    rational,
    require_met,
    smallest,
)
from boundcheck.plans.thresholds import log_batch

F = Fraction
BETA = F(9, 10)


def problem(p, d=10, L="3/2", Delta0="7/5", sigma="4/5", eps="6/5", delta="1/20"):
    return Problem(F(p), d, *(F(x) for x in (L, Delta0, sigma, eps, delta)))


def real(x):
    return mpmath.mpf(F(x).numerator) / F(x).denominator


# ---------------------------------------------------------------- the printed formulas


def printed(q, mu):
    """(bar Delta_0, S_mu) of eq. (S_mu), typed from the paper."""
    bar = real(q.Delta0) + real(q.L) * real(mu) ** 2 / 2
    return bar, (mpmath.sqrt(real(q.L) * bar) + real(q.sigma)) / mpmath.sqrt(q.d) + real(q.L) * real(mu)


@pytest.mark.parametrize("p", ["2", "1.5", "1.2"])
def test_what_the_base_plan_prints(p):
    """T, tau = 8 S_mu (M/log(T/delta))^(1/p), alpha = 1/(4L) of thm:hp-shared-clipped."""
    q, mu = problem(p), F(1, 100)
    found = plan(q, mu)
    with mpmath.workdps(50):
        bar, S = printed(q, mu)
        assert max(3, mpmath.ceil(32 * real(q.L) * bar / real(q.eps) ** 2)) == found.T
        tau = 8 * S * (found.M / mpmath.log(found.T / real(q.delta))) ** (1 / real(q.p))
        assert found.tau == pytest.approx(float(tau), rel=1e-15)
        assert (found.alpha, found.eta_target, found.Delta0_bar) == (1 / (4 * q.L), q.eps / 4, F(7, 5) + F(3, 40000))
        assert found.eta <= float(found.eta_target) and found.eta == pytest.approx(float(q.eps / 4), rel=1e-3)


@pytest.mark.parametrize("p", ["2", "1.5", "1.2"])
@pytest.mark.parametrize("beta", [F(1, 2), BETA])
def test_what_the_momentum_plan_prints(p, beta):
    """T, tau, tau_0, alpha of thm:momentum-main and U of its proof."""
    q, mu = problem(p), F(1, 200)
    found = plan_momentum(q, beta, mu)
    with mpmath.workdps(50):
        bar, S = printed(q, mu)
        b, share = real(beta), 1 / real(q.p)
        T = mpmath.ceil(512 * mpmath.sqrt(3) * real(q.L) * bar / ((1 - b) * real(q.eps) ** 2)) + 2
        lam, lam0 = mpmath.log(2 * T / real(q.delta)), mpmath.log(2 / real(q.delta))
        r = (1 - b) * lam / found.M
        assert T == found.T
        assert found.tau == pytest.approx(float(8 * S * r**-share), rel=1e-15)
        assert found.tau0 == pytest.approx(float(8 * S * (found.M0 / lam0) ** share), rel=1e-15)
        assert found.alpha == pytest.approx(float((1 - b) / (16 * mpmath.sqrt(3) * real(q.L))), rel=1e-15)
        U = 112 * q.d * S * r ** (1 - share) * mpmath.sqrt(1 - mpmath.log(r))
        assert found.eta_target == q.eps / 13 and math.isclose(found.eta, U, rel_tol=1e-14)


# ---------------------------------------------------------------- units

PROBLEM = {"p": "1.5", "d": 4}


def in_other_units(q, mu, length, value):
    """The same problem where lengths are ``length`` times as large, and values of f ``value`` times."""
    slope = value / length
    return Problem(
        q.p, q.d, q.L * slope / length, q.Delta0 * value, q.sigma * slope, q.eps * slope, q.delta
    ), mu * length


@pytest.mark.parametrize(("length", "value"), [(F(5, 2), F(3)), more(F(1), F(3)), more(F(1, 7), F(1, 2))])
def test_the_paper_s_plans_do_not_depend_on_the_units(length, value):
    """T, M, M_0 are pure numbers; tau is a slope, alpha a length over a slope."""
    q, mu = problem(**PROBLEM), F(1, 100)
    other, radius = in_other_units(q, mu, length, value)
    slope = value / length
    for make in (plan, lambda a, b: plan_momentum(a, BETA, b)):
        one, two = make(q, mu), make(other, radius)
        assert (two.T, two.M, two.queries, getattr(two, "M0", 0)) == (one.T, one.M, one.queries, getattr(one, "M0", 0))
        assert two.tau == pytest.approx(one.tau * float(slope), rel=1e-14)
        assert float(two.alpha) == pytest.approx(float(one.alpha) * float(length / slope), rel=1e-14)
    assert plan(other).queries == plan(q).queries
    assert plan(other).mu == pytest.approx(float(plan(q).mu * length), rel=1e-2)


@pytest.mark.parametrize("beta", [more(None), BETA])
def test_the_sharper_plans_do_not_depend_on_the_units(beta):
    """They come from a search that sees the units: integers agree to its tolerance."""
    q, mu = problem(**PROBLEM), F(1, 100)
    length, value = F(5, 2), F(3)
    other, radius = in_other_units(q, mu, length, value)
    one, two = (
        plan_sharp(a, b) if beta is None else plan_sharp_momentum(a, beta, b) for a, b in ((q, mu), (other, radius))
    )
    assert (two.T, two.mu) == (one.T, one.mu * length)
    assert math.isclose(two.M, one.M, rel_tol=1e-3)
    assert math.isclose(two.tau, one.tau * float(value / length), rel_tol=2e-2)
    assert float(two.alpha) == pytest.approx(float(one.alpha * length**2 / value), rel=1e-12)


# ---------------------------------------------------------------- searches


@given(st.integers(-3, 60), st.integers(-3, 300))
@settings(deadline=None)
def test_the_smallest_integer_by_brute_force(first, threshold):
    asked = []
    found = smallest(first, lambda M: asked.append(M) or threshold <= M)
    assert found == max(1, first, threshold) and min(asked) >= max(1, first)


def test_the_smallest_integer_of_a_bound_that_rises_first():
    """sqrt(1 + log y)/y^(1/6), p = 6/5, is below its limit at the first integer, above it, and below again."""
    bound = [math.inf, *(y ** (-1 / 6) * math.sqrt(1 + math.log(y)) for y in range(1, 200_000))]
    peak = max(range(1, 200_000), key=bound.__getitem__)
    assert 1 < peak < 200_000  # at log y = q/2 - 1 = 2
    for first, limit in ((1, 1.05), (1, 0.9), (3, 1.2), (40, 0.8), (1, bound[peak])):
        wanted = next(M for M in range(first, 200_000) if bound[M] <= limit)
        assert smallest(first, lambda M, limit=limit: M >= 200_000 or bound[M] <= limit) == wanted


@given(st.fractions(F(1, 10**6), 3, max_denominator=10**6), st.fractions(F(1, 1000), 2, max_denominator=1000))
@settings(deadline=None)
def test_the_largest_radius_by_brute_force(limit, edge):
    """Below its limit, three digits, within what three digits and twelve halvings leave of the edge."""
    found = largest(limit, lambda m: m < limit and m <= edge)
    top = min(limit, edge)
    assert found is not None and 0 < found <= top and found > top * (1 - F(1, 100) - F(1, 2000))
    digits = found / F(10) ** (math.floor(math.log10(found)) - 2)
    assert digits.denominator == 1 and 100 <= digits <= 1000
    assert largest(limit, lambda m: False) is None


def just_below(x):
    """x - 10^-26, rounded down."""
    return F(int(mpmath.floor((x - mpmath.mpf(10) ** -26) * mpmath.mpf(10) ** 30)), 10**30)


def test_the_radius_does_not_buy_another_step():
    """Where T jumps at 1.4e-13, far below what the batch allows, the chosen radius stays below the jump."""
    q = Problem(F(2), 1, F(1), 1 - F(1, 10**26), F(1), F(1), F(1, 10))
    found = plan(q)
    assert (found.T, horizon(q, F(15, 10**14))) == (32, 33)
    assert F(140, 10**15) <= found.mu <= F(142, 10**15)
    with mpmath.workdps(60):
        gap = just_below(1000 * real(1 - BETA) / (512 * mpmath.sqrt(3)))
    momentum = plan_momentum(Problem(F(2), 1, F(1), gap, F(1), F(1), F(1, 10)), BETA)
    assert momentum.T == 1002 and F(13, 10**14) < momentum.mu < F(15, 10**14)
    assert plan_momentum(momentum.problem, BETA, 2 * momentum.mu).T == 1003


# ---------------------------------------------------------------- domains


def test_ends_of_the_domains():
    good = {"p": "2", "delta": "1", "Delta0": "0"}
    assert problem(**good).delta == 1
    for change in ({"L": "0"}, {"Delta0": "-1"}, {"sigma": "0"}, {"eps": "0"}, {"delta": "0"}, {"delta": "1.01"}):
        with pytest.raises(PlanError, match="is outside its domain"):
            problem(**good | change)
    q = problem("2")
    with pytest.raises(PlanError, match="choose mu below"):
        batch(q, q.eps / (4 * q.L), 30)
    for beta, mu in ((F(49, 100), F(1, 100)), (F(1), F(1, 100)), (BETA, F(0)), (BETA, q.eps / (4 * q.L * q.d) + 1)):
        with pytest.raises(PlanError):
            plan_momentum(q, beta, mu)
        with pytest.raises(PlanError):
            plan_sharp_momentum(q, beta, mu)
    half = plan_sharp_momentum(q, F(1, 2), F(1, 100))
    assert isinstance(half, SharpMomentumPlan) and half.beta == F(1, 2)
    with pytest.raises(PlanError, match=r"choose 0 < mu < eps/L = 0\.8"):
        plan_sharp(q, q.eps / q.L)
    assert plan_momentum(q, BETA, q.eps / (4 * q.L * q.d)).mu == F(1, 50)
    with pytest.raises(ValueError, match="not rational"):
        rational(parse("sqrt(x)"), x=2)
    assert rational(parse("sqrt(x)"), x=F(9, 4)) == F(3, 2)


def test_a_stationary_start_keeps_the_radius_that_is_given():
    q = problem("2", eps="3")
    assert plan_sharp(q, F(1, 7)).mu == F(1, 7) and not plan_sharp(q, F(1, 7)).mu_chosen
    assert plan_sharp(q).mu == 1 and plan_sharp(q).mu_chosen
    assert (plan_sharp(q).alpha, plan_sharp(q).Gamma, plan_sharp(q).queries) == (F(2, 3), F(7, 5), 2)


# ---------------------------------------------------------------- what the sharper theorems leave free


@given(st.fractions(F(1, 10**12), 10**9))
@settings(deadline=None)
def test_a_root_is_rounded_down_in_its_fifteenth_digit(square):
    root = rounded_root(square)
    assert root**2 <= square < (root * (1 + F(1, 10**14))) ** 2
    assert rounded_root(-square) == rounded_root(F(0)) == 0


def test_the_accuracy_condition_leaves_nothing():
    """eta^2 = (T eps^2 - 2 L Delta_0)/(T - 1) at the largest eta."""
    q = problem("1.5")
    for T in (3, 4, 30):
        square = (T * q.eps**2 - 2 * q.L * q.Delta0) / (T - 1)
        assert allowed(q, T) ** 2 <= square < (allowed(q, T) * (1 + F(1, 10**14))) ** 2
    assert allowed(q, 2) == 0  # 2.88 of 4.2


def test_the_step_of_momentum_is_the_largest():
    for L, beta in ((F(3), F(1, 2)), (F(1, 5), BETA), (F(1), F(99, 100))):
        with mpmath.workdps(40):
            limit = min(1 / (4 * real(L)), (1 - real(beta)) / (4 * mpmath.sqrt(3) * real(beta) * real(L)))
            assert limit * (1 - mpmath.mpf(10) ** -14) < real(step_size(L, beta)) <= limit
    assert step_size(F(3), F(1, 10)) == F(1, 12)  # the other limit


def test_the_batch_of_a_threshold_reaches_the_level_of_the_statement():
    with ctx.workprec(128):
        for V, R, h, room in ((3, 2, 1, 5), (1, 50, 7, 2), (F(1, 9), 4, 11, 1)):
            V, R, h, room = (arb(F(x).numerator) / F(x).denominator for x in (V, R, h, room))
            M = math.exp(log_batch(V, R, h, room))
            level = (2 * V * h / M).sqrt() + R * h / (3 * M)
            assert abs(float(level / room) - 1) < 1e-9
        assert log_batch(V, R, h, arb(0)) == math.inf


@pytest.fixture(scope="module")
def searched():
    q, mu = problem("1.5"), F(1, 200)
    return q, mu, _search(q, BETA, mu)


def test_every_condition_of_the_momentum_theorem_alone_refuses(searched):
    """What fails one condition, and only this one, since the others have room."""
    q, mu, found = searched
    M, M0 = found["M"], found["M0"]
    roomy = found | {"U": found["U"] * F(99, 100), "G": found["G"] * F(98, 100), "M": 3 * M, "M0": 3 * M0}
    assert _holds(q, mu, found) and _holds(q, mu, roomy)
    broken = {
        "step size": roomy | {"alpha": found["alpha"] * F(10001, 10000)},
        "accuracy": roomy | {"T": found["T"] * 9 // 10},
        "(Loc)": roomy | {"T": found["T"] * 11 // 10},
        "(Init)": found | {"G": found["G"] * F(1001, 1000)},
        "bias": found | {"B": found["B"] * F(999, 1000)},
        "fluctuation": found | {"M": M - 1},
        "start": found | {"M0": M0 - 1},
    }
    assert {name for name, one in broken.items() if _holds(q, mu, one)} == set()


def test_the_start_error_is_the_largest_that_init_allows(searched):
    q, mu, found = searched
    assert _met(q, mu, found, "Init")
    assert not _met(q, mu, found | {"G": found["G"] * (1 + F(1, 10**8))}, "Init")
    with pytest.raises(PlanError, match="the bias B is too large"):
        _largest_start(q, mu, found | {"B": F(100)})


def test_the_chosen_radius_of_the_momentum_plan_keeps_its_conditions():
    found = plan_sharp_momentum(problem("2"), BETA)
    assert isinstance(found, SharpMomentumPlan) and found.mu_chosen
    again = plan_sharp_momentum(problem("2"), BETA, found.mu)
    assert again.queries <= found.queries * F(1001, 1000)


@pytest.mark.parametrize("unit", [more("1e-200"), "1e200"])
def test_the_unit_of_f_changes_no_integer(unit: str) -> None:
    one, other = (problem("3/2", L=u, Delta0=u, sigma=u, eps=u) for u in ("1", unit))
    for constants, beta in (("paper", None), ("paper", F(9, 10)), ("sharp", None)):
        known, found = (planned(posed, beta, None, constants) for posed in (one, other))
        assert (known.T, known.M, known.mu) == (found.T, found.M, found.mu)
        assert math.isclose(F(found.eta) / F(unit), known.eta, rel_tol=1e-9)


@pytest.mark.parametrize("unit", ["1e-200", more("1e-16"), more("1e200")])
def test_the_unit_of_f_changes_the_sharper_momentum_plan_by_its_search_alone(unit: str) -> None:
    one, other = (
        plan_sharp_momentum(problem("3/2", L=u, Delta0=u, sigma=u, eps=u), BETA, F(1, 1000)) for u in ("1", unit)
    )
    assert one.T == other.T and other.alpha * F(unit) == pytest.approx(float(one.alpha), rel=1e-14)
    for name in ("M", "M0"):
        assert math.isclose(getattr(one, name), getattr(other, name), rel_tol=1e-3)
    for name in ("eta_target", "B", "G"):
        assert math.isclose(getattr(other, name) / F(unit), getattr(one, name), rel_tol=1e-3)


@pytest.mark.parametrize("beta", [None, BETA])
@pytest.mark.parametrize("p", ["1.0001", "1.000000001"])
def test_a_batch_of_too_many_digits_is_refused_before_it_is_searched(p, beta, monkeypatch) -> None:
    """The search took minutes to say so."""

    def searched(*arguments, **options):
        raise AssertionError("searched")

    posed = problem(p, L=711, Delta0="0.07363", sigma=6, eps="3.26", delta="1e-10")
    with monkeypatch.context() as patch, pytest.raises(PlanError, match="more than 1233 digits"):
        patch.setattr(thresholds.scipy.optimize, "minimize", searched)
        planned(posed, beta, F(1, 10**5), "sharp")


@pytest.mark.parametrize("beta", [None, BETA])
@pytest.mark.parametrize("p", [more("1.2"), "2"])
def test_no_batch_that_works_is_called_too_large(p, beta, monkeypatch) -> None:
    posed = problem(p)
    found = planned(posed, beta, F(1, 1000), "sharp")
    monkeypatch.setattr(thresholds, "LARGEST", found.M)
    thresholds.refuse_endless(posed, 1 if beta is None else 1 - beta)
    monkeypatch.setattr(thresholds, "LARGEST", 1)
    with pytest.raises(PlanError, match="digits"):
        thresholds.refuse_endless(problem("1.1"), 1)


@pytest.mark.parametrize("unit", ["1e-350", "1e350"])
def test_a_radius_that_no_double_holds_is_found(unit: str) -> None:
    """Lengths of x in another unit, slopes as they are."""
    known, found = (plan(problem("3/2", L=u, Delta0=1 / u)) for u in (F(1), F(unit)))
    assert (found.T, found.M) == (known.T, known.M)
    assert found.mu * F(unit) == known.mu


@pytest.mark.parametrize("beta", [None, F(9, 10)])
def test_a_noise_below_all_doubles_is_next_to_none(beta) -> None:
    found, usual = (planned(problem("3/2", sigma=s), beta, F(1, 10**4), "sharp") for s in ("1e-400", "1e-300"))
    assert (found.T, found.M) == (usual.T, usual.M)


@pytest.mark.parametrize("constants", ["paper", "sharp"])
@pytest.mark.parametrize("beta", [None, F(9, 10)])
@pytest.mark.parametrize(("large", "small"), [more("1e-320", "1e-330"), ("1e-320", "1e-320"), ("1e400", "1e400")])
def test_numbers_that_no_double_holds_are_not_told(constants, beta, large, small) -> None:
    posed = problem("3/2", L=large, Delta0=large, sigma=small, eps=small)
    with pytest.raises(PlanError, match=r"doubles.*; choose another unit of f"):
        planned(posed, beta, None, constants)


NUMBERS = {
    "thm:hp-shared-clipped": {"mu": "1/160", "T": 33, "M": 10**15},
    "thm:momentum-main": {"mu": "1/160", "beta": "1/2", "T": 10**6, "M": 10**15, "M0": 10**15},
    "app:sharp-convergence": {
        "mu": "1/160", "T": 3, "M": 10**9, "eta": "1/2", "theta1": "100", "theta2": "100"
    },
}  # fmt: skip


@pytest.mark.parametrize(
    ("label", "wrong", "told"),
    [
        ("thm:hp-shared-clipped", {"M": 10**6}, "<= eps/4"),
        ("thm:hp-shared-clipped", {"mu": "0"}, "0 < mu"),
        ("thm:hp-shared-clipped", {"M": 1}, "lam <= M"),
        ("thm:momentum-main", {"mu": "1"}, "mu <= eps/(4"),
        ("thm:momentum-main", {"beta": "1/3"}, "1/2 <= beta"),
        ("thm:momentum-main", {"M0": 10**3}, "G <="),
        ("app:sharp-convergence", {"theta1": "1/4", "theta2": "1/4"}, "sigma <= theta"),
        ("app:sharp-convergence", {"M": 10}, "<= eta - L*mu"),
        ("app:sharp-convergence", {"eta": "3"}, "<= T*eps**2"),
        ("app:sharp-convergence", {"T": 1}, "2 <= T"),
        ("app:sharp-convergence", {"eta": "0"}, "0 < eta"),
    ],
)
def test_a_plan_meets_all_that_its_theorem_assumes_of_numbers(label, wrong, told):
    problem = Problem(Fraction(2), 10, *map(Fraction, ("1", "1/10" if "sharp" in label else "1", "1", "1", "1/10")))
    read = lambda numbers: {k: v if isinstance(v, int) else Fraction(v) for k, v in numbers.items()}  # noqa: E731
    require_met(problem, label, **read(NUMBERS[label]))
    with pytest.raises(PlanError) as fault:
        require_met(problem, label, **read(NUMBERS[label] | wrong))
    assert told in str(fault.value)
