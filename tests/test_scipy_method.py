"""The SciPy method: Algorithm 1 on the same draws, counts, faults of the function, SciPy's conventions."""

from __future__ import annotations

import contextlib
import math

import numpy as np
import pytest
from plain_oracle import PlainOracle
from scipy.optimize import OptimizeWarning, minimize

from proofs_numeric import scipy_method
from proofs_numeric.model.objectives import Quadratic
from proofs_numeric.model.optimizer import ALGORITHM, Parameters, optimize
from proofs_numeric.scipy_method import rsc_zo
from proofs_numeric.tuning.step_records import NonFiniteLossWarning, PlateauWarning

D = 4
START = np.array([1.0, -2.0, 0.5, 3.0])
MOMENTUM = {"beta": 0.8, "M0": 7, "tau0": 3.0}


def bowl(x, xi=0.0):
    return float(x @ x / 2 + np.sum(xi * x))


def heavy(rng):
    return rng.standard_t(1.5, D)


def run(fun=bowl, **options):
    return minimize(fun, START, method=rsc_zo, options={"alpha": 0.05, "mu": 0.1, "rng": 3, **options})


def reference(T, M, tau, **momentum):
    """x_T of the simulation's own Algorithm 1, on the same random numbers."""
    oracle = PlainOracle(
        D,
        lambda points, xi: (points * points).sum(axis=1) / 2 + (xi * points).sum(axis=1),
        lambda rng, n: np.array([heavy(rng) for _ in range(n)]),
        Quadratic(D),
    )
    parameters = Parameters(T, 0.05, 0.1, M, tau, **momentum)
    rng = np.random.default_rng(3)
    return optimize(oracle, START[None, :], parameters, rng).last[0]


def agrees(momentum):
    found = run(sample=heavy, M=3, tau=1.5, maxiter=20, **momentum)
    return np.allclose(found.x, reference(20, 3, 1.5, **momentum), rtol=1e-12, atol=1e-12)


@pytest.mark.parametrize("momentum", [{}, MOMENTUM], ids=["base", "momentum"])
def test_the_iterates_are_those_of_algorithm_1(momentum, monkeypatch):
    assert agrees(momentum)
    wrong = ALGORITHM.but(move=lambda x, m, alpha: x + alpha * m)
    monkeypatch.setattr(scipy_method, "ALGORITHM", wrong)
    assert not agrees(momentum)


def test_the_warm_start_is_not_averaged(monkeypatch):
    monkeypatch.setattr(scipy_method, "ALGORITHM", ALGORITHM.but(average=lambda m, g, beta: beta * m + g))
    assert not agrees(MOMENTUM)


def test_both_points_of_a_pair_see_the_same_xi():
    seen = []

    def constant(x, xi):
        seen.append(xi)
        return xi

    with pytest.warns(PlateauWarning, match="no difference differs from zero"):
        found = run(constant, sample=lambda rng: float(rng.random()), maxiter=5, M=2)
    assert np.array_equal(found.x, START)
    assert seen[0:20:2] == seen[1:20:2] and len(set(seen)) == 11


@pytest.mark.parametrize("clip", ["scalar", "vector", "none"])
def test_it_descends(clip):
    found = run(clip=clip, maxiter=300, tau=10.0)
    assert found.success and found.status == 0 and found.nit == 300 and found.nfev == 601
    assert found.fun < 1e-3 * bowl(START)
    assert math.isnan(found.clip_fraction) == (clip != "scalar")


def test_one_direction_clipped_as_scalar_or_as_vector_is_the_same_update():
    scalar, vector = (run(clip=c, sample=heavy, maxiter=50, tau=0.5) for c in ("scalar", "vector"))
    assert np.allclose(scalar.x, vector.x, rtol=1e-12)
    assert not np.allclose(scalar.x, run(clip="none", sample=heavy, maxiter=50, tau=0.5).x, rtol=1e-3)
    assert 0 < scalar.clip_fraction < 1


def test_pairs_that_are_not_finite_are_left_out_and_counted():
    calls = iter(range(10**6))

    def broken(x):
        return [math.inf, math.nan, bowl(x), bowl(x)][next(calls) % 4]

    with pytest.warns(NonFiniteLossWarning, match="10 pairs were left out"):
        found = run(broken, maxiter=10, M=2, tau=1.0)
    assert found.skipped == 10 and np.isfinite(found.x).all()
    # the pair that is left is the whole estimate: its norm is d psi(Y), not d psi(Y)/2
    calls = iter(range(10**6))
    with pytest.warns(NonFiniteLossWarning):
        one = run(broken, maxiter=1, M=2, tau=0.1)
    assert np.linalg.norm(one.x - START) == pytest.approx(0.05 * D * 0.1)
    with pytest.warns(NonFiniteLossWarning):
        nothing = run(lambda x: math.nan, maxiter=3)
    assert np.array_equal(nothing.x, START) and nothing.skipped == 3 and not nothing.success and nothing.status == 2


def test_a_flat_pair_of_an_estimate_that_is_left_out_does_not_count(recwarn):
    """Two estimates whose step would not be finite hold a flat pair each; the third moves, by no flat one."""
    left_out = [1.0, 1.0, 1e300, -1e300]
    values = iter([*left_out, *left_out, 2.0, 1.0, 3.0, 1.0, 0.0])
    with pytest.warns(NonFiniteLossWarning, match="4 pairs were left out"):
        found = run(lambda x: next(values), alpha=1e10, maxiter=3, M=2)
    assert found.skipped == 4 and not np.array_equal(found.x, START)
    assert not [w for w in recwarn if issubclass(w.category, PlateauWarning)]


def test_the_budget_of_evaluations_is_kept():
    found = run(maxfev=100, M=3, maxiter=1000)
    assert found.nfev == 97 and found.nit == 16 and found.status == 1 and not found.success
    warm = run(maxfev=100, M=3, maxiter=1000, tau=1.0, **MOMENTUM)
    assert warm.nfev <= 100 and (warm.nfev - 1 - 14) % 6 == 0
    assert run(maxfev=1).nit == 0


def test_both_kinds_of_callback():
    points, results = [], []

    def whole(intermediate_result):
        results.append(intermediate_result)
        if intermediate_result.nit == 4:
            raise StopIteration

    options = {"alpha": 0.05, "rng": 1, "maxiter": 9}
    minimize(bowl, START, method=rsc_zo, callback=points.append, options=options)
    stopped = minimize(bowl, START, method=rsc_zo, callback=whole, options=options)
    assert len(points) == 9 and stopped.nit == 4 and stopped.status == 99 and not stopped.success
    assert np.array_equal(points[3], stopped.x) and results[0].nfev == 2
    assert not np.array_equal(points[0], points[1])


def test_arguments_reach_the_function():
    options = {"alpha": 1, "maxiter": 3}
    with pytest.warns(PlateauWarning):
        found = minimize(lambda x, a: a * bowl(x), START, args=(0.0,), method=rsc_zo, options=options)
    assert np.array_equal(found.x, START) and found.fun == 0


def test_the_same_seed_gives_the_same_numbers_and_x0_is_left_alone():
    x0 = START.copy()
    first, again, other = (minimize(bowl, x0, method=rsc_zo, options={"alpha": 0.1, "rng": r}) for r in (1, 1, 2))
    assert np.array_equal(first.x, again.x) and not np.array_equal(first.x, other.x)
    assert np.array_equal(x0, START)


@pytest.mark.parametrize(
    "options, word",
    [
        ({"alpha": -1.0}, "alpha"),
        ({"mu": 0.0}, "mu"),
        ({"M": 0}, "M must"),
        ({"tau": math.nan}, "tau"),
        ({"beta": 1.0}, "beta"),
        ({"beta": 0.5}, "M0 and tau0"),
        ({"clip": "norm"}, "clip must be one of scalar, vector, none"),
        ({"maxiter": 0}, "maxiter"),
        ({"tol": 1.0}, "tol"),
    ],
)
def test_unusable_options_are_named(options, word):
    with pytest.raises(ValueError, match=word):
        run(**options)


@pytest.mark.parametrize(
    "given",
    [{"jac": lambda x: x}, {"bounds": [(0, 1)] * D}, {"tol": 1e-3}, {"constraints": {"type": "eq", "fun": bowl}}],
)
def test_what_the_method_would_ignore_is_refused(given):
    with pytest.raises(ValueError, match=f"takes no {next(iter(given))}"):
        minimize(bowl, START, method=rsc_zo, options={"alpha": 0.1}, **given)


@pytest.mark.parametrize("value", [np.zeros(2), 1j, "a", None])
def test_a_function_that_returns_no_number_is_named(value):
    with pytest.raises(TypeError, match="fun must return one real number"):
        run(lambda x: value, maxiter=1)


def test_a_call_that_cannot_be_made_is_told_with_its_mend():
    def noisy(x, xi):
        return float(x @ x + xi)

    def call(fun, **options):
        return minimize(fun, START, method=rsc_zo, options=options)

    with pytest.raises(TypeError, match=r"fun needs 2 arguments \(x, xi\) and is called with 1; .* the option sample"):
        call(noisy, alpha=0.1)
    with pytest.raises(TypeError, match=r"sample must be a function of a numpy.random.Generator .*, got 3"):
        call(noisy, alpha=0.1, sample=3)
    with pytest.raises(ValueError, match=r"rng must be None, an integer >= 0 or a numpy.random.Generator, got 'x'"):
        call(bowl, alpha=0.1, rng="x")
    with (
        pytest.warns(OptimizeWarning, match="Unknown solver options: alfa"),
        pytest.raises(ValueError, match=r"alpha, the step size, is missing: give options=\{'alpha': VALUE\}"),
    ):
        call(bowl, alfa=0.1)
    with pytest.raises(ValueError, match=r"alpha, the step size, is missing"):
        minimize(bowl, START, method=rsc_zo)


def test_arguments_with_defaults_and_any_number_of_them_need_no_sample():
    for fun in (lambda x, scale=2.0: scale * float(x @ x), lambda *found: float(found[0] @ found[0])):
        assert minimize(fun, START, method=rsc_zo, options={"alpha": 0.1, "maxiter": 1}).nit == 1


# What SciPy's own methods do


def test_a_misspelt_option_is_named_as_by_scipy_and_nothing_else_changes():
    with pytest.warns(OptimizeWarning, match="Unknown solver options: learning_rate, maxitr"):
        found = run(learning_rate=1.0, maxitr=3, maxiter=5)
    assert np.array_equal(found.x, run(maxiter=5).x)


@pytest.mark.parametrize("disp", [True, False])
def test_disp_prints_the_outcome(disp, capsys):
    found = run(disp=disp, maxiter=5)
    said = capsys.readouterr().out
    assert (found.message in said and f"Function evaluations: {found.nfev}" in said) if disp else said == ""


def test_disp_warns_where_there_is_no_success(capsys):
    run(disp=True, maxfev=3, maxiter=9)
    assert capsys.readouterr().out.startswith("Warning: the next iteration")


@pytest.mark.parametrize("start", [[], np.zeros((0,))])
def test_an_empty_start_is_refused_in_one_line(start):
    with pytest.raises(ValueError, match=r"x0 is empty: give at least one coordinate"):
        minimize(bowl, start, method=rsc_zo, options={"alpha": 0.1})


@pytest.mark.parametrize("mu", [1e-16, 1e-300, 5e-324])
def test_a_radius_below_the_resolution_of_x_is_no_success(mu):
    """x + mu u = x in every evaluation: x0 comes back, and the result says that nothing was tried."""
    with pytest.warns(PlateauWarning) as said:
        found = minimize(lambda x: (x**2).sum(), [3.0], method=rsc_zo, options={"alpha": 0.1, "mu": mu, "rng": 1})
    assert found.x == [3.0] and not found.success and found.status == 3 and "resolution of x" in found.message
    assert "take mu of at least 2.2e-15" in str(said[0].message) and said[0].filename == __file__


def test_the_radius_that_the_warning_names_works():
    for mu, moves in ((2.3e-15, True), (1e-17, False)):
        with pytest.warns(PlateauWarning) if not moves else contextlib.nullcontext():
            options = {"alpha": 0.1, "mu": mu, "rng": 1, "maxiter": 50}
            found = minimize(lambda x: 7 * x.sum(), [3.0], method=rsc_zo, options=options)
        assert found.success == moves and (found.x[0] < 3.0) == moves


# Numbers at the end of the doubles


@pytest.mark.parametrize("slope", [1e150, 1e200, 1e300, 1e307])
@pytest.mark.parametrize("M", [1, 4])
def test_a_vector_beyond_the_doubles_is_clipped_to_its_radius(slope, M):
    options = {"alpha": 0.1, "tau": 1.0, "clip": "vector", "maxiter": 1, "M": M, "rng": 1}
    found = minimize(lambda x: slope * x.sum(), np.zeros(3), method=rsc_zo, options=options)
    assert found.success and found.skipped == 0 and np.linalg.norm(found.x) == pytest.approx(0.3, rel=1e-12)
    same = minimize(lambda x: 1e3 * x.sum(), np.zeros(3), method=rsc_zo, options=options)
    assert np.allclose(found.x, same.x, rtol=1e-9)


@pytest.mark.parametrize(("clip", "M"), [("none", 1), ("scalar", 1), ("vector", 1), ("none", 3)])
def test_a_step_that_is_not_finite_is_left_out_counted_and_said(clip, M):
    """tau is infinite: d Y, or alpha d Y, is no double."""
    with pytest.warns(NonFiniteLossWarning, match="left out"):
        options = {"alpha": 1e3, "maxiter": 2, "rng": 1, "clip": clip, "M": M}
        found = minimize(lambda x: 1e307 * x.sum(), np.zeros(3), method=rsc_zo, options=options)
    assert np.array_equal(found.x, np.zeros(3)) and found.skipped == 2 * M and not found.success and found.status == 4
    assert f"{2 * M} pairs were not finite" in found.message


def test_a_late_step_that_is_not_finite_keeps_the_earlier_ones():
    calls = iter(range(10**6))
    wild = lambda x: (1e308 if next(calls) >= 20 else 1.0) * float(x.sum())  # noqa: E731
    with pytest.warns(NonFiniteLossWarning):
        found = minimize(wild, np.zeros(3), method=rsc_zo, options={"alpha": 1.0, "maxiter": 12, "rng": 1})
    assert found.skipped == 2 and 0 < np.linalg.norm(found.x) < 1e3
    assert not found.success and "not finite at the last point" in found.message  # 1e308 times the sum there
