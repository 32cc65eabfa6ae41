"""Rates for all parameters, beside PEPit at five points of the parameters: python benchmarks/rates.py [--readme].

Needs the extra ``bench`` (PEPit with clarabel). For every rate of examples/rates/ that has a counterpart among
PEPit's own examples: PEPit's value at the first of five points drawn from the rate's domain, the time for all five,
the largest relative difference from the rate in closed form that PEPit prints; then the verdict for all parameters,
its time, and that of the twin.
"""

from __future__ import annotations

import argparse
import contextlib
import importlib
import io
import statistics
import time
import warnings
from collections.abc import Callable
from pathlib import Path
from typing import Any

from blocks import machine, replace_block

from boundcheck.decide.quadratic.gram_sdp import interior_samples
from boundcheck.decide.quadratic.rate_engine import decide_rate, value_at
from boundcheck.decide.quadratic.rate_moves import expand_by_moves, now
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.quadratic import problem
from boundcheck.rates import Entry, read_rates

FOLDER = Path(__file__).parent.parent / "examples" / "rates"
POINTS = 5
U, C, N = "unconstrained_convex_minimization", "composite_convex_minimization", "nonconvex_optimization"
M, F, I = "monotone_inclusions_variational_inequalities", "fixed_point_problems", "inexact_proximal_methods"
A, P, T = "adaptive_methods", "potential_functions", "continuous_time_models"
S, O = "stochastic_and_randomized_convex_minimization", "online_learning"
Numbers = dict[str, float]
#: rate -> (package, example, its arguments at our parameters)
PEPIT: dict[str, tuple[str, str, Callable[[Numbers], dict[str, Any]]]] = {
    "gradient descent, 1 step": (U, "gradient_descent", lambda v: {"L": v["L"], "gamma": v["a"], "n": 1}),
    "gradient descent, 2 steps": (U, "gradient_descent", lambda v: {"L": v["L"], "gamma": v["a"], "n": 2}),
    "gradient descent contraction": (
        "tutorials", "gradient_descent_contraction",
        lambda v: {"L": v["L"], "mu": v["mu"], "gamma": v["a"], "n": 1},
    ),
    "gradient descent, exact line search": (
        U, "gradient_exact_line_search", lambda v: {"L": v["L"], "mu": v["mu"], "n": 1}
    ),
    "gradient descent with relative inexactness": (
        U, "inexact_gradient_descent", lambda v: {"L": v["L"], "mu": v["mu"], "epsilon": v["e"], "n": 1}
    ),
    "inexact gradient, exact line search": (
        U, "inexact_gradient_exact_line_search",
        lambda v: {"L": v["L"], "mu": v["mu"], "epsilon": v["e"], "n": 1},
    ),
    "optimized gradient method, 1 step": (U, "optimized_gradient", lambda v: {"L": v["L"], "n": 1}),
    "optimized gradient method for the gradient, 1 step": (
        U, "optimized_gradient_for_gradient", lambda v: {"L": v["L"], "n": 1}
    ),
    "conjugate gradient, 1 step": (U, "conjugate_gradient", lambda v: {"L": v["L"], "n": 1}),
    "accelerated gradient, simplified weights, 3 steps": (
        U, "accelerated_gradient_convex_simplified", lambda v: {"mu": 0, "L": v["L"], "n": 3}
    ),
    "accelerated gradient, 1 step": (U, "accelerated_gradient_convex", lambda v: {"mu": 0, "L": v["L"], "n": 1}),
    "accelerated gradient for strongly convex functions, 1 step": (
        U, "accelerated_gradient_strongly_convex", lambda v: {"mu": v["mu"], "L": v["L"], "n": 1}
    ),
    "heavy ball momentum, 1 step": (
        U, "heavy_ball_momentum", lambda v: {"mu": v["mu"], "L": v["L"], "alpha": v["a"], "beta": 0, "n": 1}
    ),
    "information theoretic exact method, 1 step": (
        U, "information_theoretic_exact_method", lambda v: {"mu": v["mu"], "L": v["L"], "n": 1}
    ),
    "triple momentum, 1 step": (U, "triple_momentum", lambda v: {"mu": v["mu"], "L": v["L"], "n": 1}),
    "robust momentum, Lyapunov step, fastest tuning": (
        U, "robust_momentum", lambda v: {"mu": v["L"] * v["r"] ** 2, "L": v["L"], "lam": 0}
    ),
    "Polyak steps in the distance to the optimum": (
        A, "polyak_steps_in_distance_to_optimum", lambda v: {"L": v["L"], "mu": v["mu"], "gamma": v["a"]}
    ),
    "Polyak steps in function values": (
        A, "polyak_steps_in_function_value", lambda v: {"L": v["L"], "mu": v["mu"], "gamma": v["a"]}
    ),
    "gradient descent on a smooth function, 1 step": (
        N, "gradient_descent", lambda v: {"L": v["L"], "gamma": 1 / v["L"], "n": 1}
    ),
    "proximal point method, 1 step": (U, "proximal_point", lambda v: {"gamma": v["a"], "n": 1}),
    "proximal point method, 3 steps": (U, "proximal_point", lambda v: {"gamma": v["a"], "n": 3}),
    "accelerated proximal point method, 1 step": (
        U, "accelerated_proximal_point",
        lambda v: {"A0": v["A"], "gammas": [v["a"]], "n": 1},
    ),
    "subgradient method, 3 steps": (
        U, "subgradient_method", lambda v: {"M": v["M"], "n": 3, "gamma": 1 / (2 * v["M"])}
    ),
    "subgradient method, 1 step": (
        U, "subgradient_method", lambda v: {"M": v["M"], "n": 1, "gamma": 1 / (2**0.5 * v["M"])}
    ),
    "subgradient method, 2 steps": (
        U, "subgradient_method", lambda v: {"M": v["M"], "n": 2, "gamma": 1 / (3**0.5 * v["M"])}
    ),
    "epsilon-subgradient method, 1 step": (
        U, "epsilon_subgradient_method",
        lambda v: {"M": v["M"], "n": 1, "gamma": v["a"], "eps": v["e"], "R": v["R"]},
    ),
    "subgradient method under restricted secant inequality and error bound": (
        U, "subgradient_method_rsi_eb", lambda v: {"mu": v["mu"], "L": v["L"], "gamma": v["a"], "n": 1}
    ),
    "gradient descent under quadratic growth, 1 step": (
        U, "gradient_descent_qg_convex", lambda v: {"L": v["L"], "gamma": v["a"], "n": 1}
    ),
    "gradient descent with decreasing steps under quadratic growth, 1 step": (
        U, "gradient_descent_qg_convex_decreasing", lambda v: {"L": v["L"], "n": 1}
    ),
    "heavy ball under quadratic growth, 2 steps": (
        U, "heavy_ball_momentum_qg_convex", lambda v: {"L": v["L"], "n": 2}
    ),
    "conjugate gradient under quadratic growth, 1 step": (
        U, "conjugate_gradient_qg_convex", lambda v: {"L": v["L"], "n": 1}
    ),
    "relatively inexact proximal point method, 1 step": (
        I, "relatively_inexact_proximal_point_algorithm", lambda v: {"n": 1, "gamma": v["a"], "sigma": v["s"]}
    ),
    "online gradient descent, 1 round": (
        O, "online_gradient_descent", lambda v: {"M": v["M"], "D": v["D"], "n": 1}
    ),
    "Bregman proximal point method, 2 steps": (C, "bregman_proximal_point", lambda v: {"gamma": v["a"], "n": 2}),
    "proximal gradient, 1 step": (
        C, "proximal_gradient", lambda v: {"L": v["L"], "mu": v["mu"], "gamma": v["a"], "n": 1}
    ),
    "accelerated proximal gradient, simplified weights, 1 step": (
        C, "accelerated_proximal_gradient_simplified", lambda v: {"mu": 0, "L": v["L"], "n": 1}
    ),
    "accelerated proximal gradient, 1 step": (
        C, "accelerated_proximal_gradient", lambda v: {"mu": 0, "L": v["L"], "n": 1}
    ),
    "Douglas-Rachford contraction, 1 step": (
        C, "douglas_rachford_splitting_contraction",
        lambda v: {"mu": v["mu"], "L": v["L"], "alpha": v["a"], "theta": 1, "n": 1},
    ),
    "Frank-Wolfe, 1 step": (
        C, "frank_wolfe", lambda v: {"L": v["L"], "D": v["D"], "R": float("inf"), "center": None, "n": 1}
    ),
    "NoLips in function values, 1 step": (
        C, "no_lips_in_function_value", lambda v: {"L": v["L"], "gamma": v["a"], "n": 1}
    ),
    "NoLips in Bregman divergence, 2 steps": (
        C, "no_lips_in_bregman_divergence", lambda v: {"L": v["L"], "gamma": 1 / v["L"], "n": 2}
    ),
    "NoLips on a nonconvex function, 1 step, first form": (
        N, "no_lips_1", lambda v: {"L": v["L"], "gamma": v["a"], "n": 1}
    ),
    "NoLips on a nonconvex function, 1 step, second form": (
        N, "no_lips_2", lambda v: {"L": v["L"], "gamma": v["a"], "n": 1}
    ),
    "difference of convex functions, 1 step": (
        N, "difference_of_convex_algorithm",
        lambda v: {"mu1": v["m"], "mu2": v["k"], "L1": v["L"], "L2": v["K"], "n": 1},
    ),
    "partially inexact Douglas-Rachford, 1 step": (
        I, "partially_inexact_douglas_rachford_splitting",
        lambda v: {"mu": v["mu"], "L": v["L"], "n": 1, "gamma": v["a"], "sigma": v["s"]},
    ),
    "proximal point of a monotone operator, 2 steps": (M, "proximal_point", lambda v: {"alpha": v["a"], "n": 2}),
    "proximal point of a monotone operator, 3 steps": (M, "proximal_point", lambda v: {"alpha": v["a"], "n": 3}),
    "accelerated proximal point of a monotone operator, 3 steps": (
        M, "accelerated_proximal_point", lambda v: {"alpha": v["a"], "n": 3}
    ),
    "optimal proximal point of a strongly monotone operator, 2 steps": (
        M, "optimal_strongly_monotone_proximal_point", lambda v: {"n": 2, "mu": v["mu"]}
    ),
    "Douglas-Rachford, cocoercive and strongly monotone, long steps": (
        M, "douglas_rachford_splitting_2", lambda v: {"beta": v["b"], "mu": v["mu"], "alpha": 1, "theta": v["t"]}
    ),
    "Halpern iteration, 1 step": (F, "halpern_iteration", lambda v: {"n": 1}),
    "Halpern iteration, 2 steps": (F, "halpern_iteration", lambda v: {"n": 2}),
    "Krasnoselskii-Mann, 1 step, moderate averaging": (
        F, "krasnoselskii_mann_constant_step_sizes", lambda v: {"n": 1, "gamma": v["t"]}
    ),
    "Krasnoselskii-Mann, 1 step, little averaging": (
        F, "krasnoselskii_mann_constant_step_sizes", lambda v: {"n": 1, "gamma": v["t"]}
    ),
    "optimal contractive Halpern iteration, 1 step": (
        F, "optimal_contractive_halpern_iteration", lambda v: {"n": 1, "gamma": v["c"]}
    ),
    "gradient descent, first potential": (
        P, "gradient_descent_lyapunov_1", lambda v: {"L": v["L"], "gamma": 1 / v["L"], "n": v["n"]}
    ),
    "gradient descent, second potential": (
        P, "gradient_descent_lyapunov_2", lambda v: {"L": v["L"], "gamma": 1 / v["L"], "n": v["n"]}
    ),
    "accelerated gradient, potential": (
        P, "accelerated_gradient_method",
        lambda v: {"L": v["L"], "gamma": 1 / v["L"], "lam": (v["s"] ** 2 - v["s"]) ** 0.5},
    ),
    "gradient flow, convex": (T, "gradient_flow_convex", lambda v: {"t": v["t"]}),
    "gradient flow, strongly convex": (T, "gradient_flow_strongly_convex", lambda v: {"mu": v["mu"]}),
    "accelerated gradient flow, convex": (T, "accelerated_gradient_flow_convex", lambda v: {"t": v["t"]}),
    "accelerated gradient flow, strongly convex": (
        T, "accelerated_gradient_flow_strongly_convex", lambda v: {"mu": v["mu"], "psd": True}
    ),
    "stochastic gradient descent, interpolation, 2 functions": (
        S, "sgd_overparametrized", lambda v: {"L": v["L"], "mu": v["mu"], "gamma": v["a"], "n": 2}
    ),
    "random coordinate descent, strongly convex, 2 blocks": (
        S, "randomized_coordinate_descent_smooth_strongly_convex",
        lambda v: {"L": v["L"], "mu": v["mu"], "gamma": v["a"], "d": 2},
    ),
    "random coordinate descent, convex, 2 blocks, potential": (
        S, "randomized_coordinate_descent_smooth_convex",
        lambda v: {"L": v["L"], "gamma": v["a"], "d": 2, "t": v["k"]},
    ),
}  # fmt: skip


def points_of(entry: Entry) -> list[Numbers]:
    """Five points of the domain, in floats, by the parameters of the text."""
    expanded, _ = expand_by_moves(entry.rate)
    p, form = problem(expanded.cases[0]), expanded.forms[0]
    points = interior_samples(Signs(p, lambda *_: None), POINTS, seed=11)
    numbers = [dict(zip(p.field.names, map(float, row), strict=True)) for row in points] or [{}]
    gone = [old for old, _ in form.steps if old.op == "var"]
    return [v | {str(old): float(value_at(now(form, old), v)) for old in gone} for v in numbers]


def by_pepit(entry: Entry) -> tuple[str, str, str]:
    """PEPit's value at the first point, the seconds for all, the largest relative difference from its printed rate."""
    package, example, arguments = PEPIT[entry.rate.name]
    module = importlib.import_module(f"PEPit.examples.{package}.{example}")
    call = next(getattr(module, name) for name in dir(module) if name.startswith("wc_"))
    values, worst = [], 0.0
    start = time.perf_counter()
    for numbers in points_of(entry):
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            tau, rate = call(**arguments(numbers), wrapper="cvxpy", solver="CLARABEL", verbose=-1)
        values.append(tau)
        if rate is not None:
            worst = max(worst, abs(tau - rate) / max(abs(rate), 1e-3))
    return f"{values[0]:.5g}", f"{time.perf_counter() - start:.2f}", f"{worst:.0e}"


def table() -> list[str]:
    """The lines of the table as Markdown, with the counts under it."""
    lines = [
        f"{machine()}.",
        "",
        "| rate | PEPit, first point | s for 5 | off its closed form | for all parameters | s | false twin | s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    seconds, proved, refuted, examples = [], 0, 0, set()
    entries = [e for path in sorted(FOLDER.glob("*.toml")) for e in read_rates(path)]
    for entry in (e for e in entries if e.rate.name in PEPIT):
        value, took, off = by_pepit(entry)
        verdict = decide_rate(entry.rate)
        assert entry.twin is not None
        twin = decide_rate(entry.twin)
        seconds.append(verdict.seconds)
        proved += verdict.status == "PROVED"
        refuted += twin.status == "REFUTED"
        examples.add(PEPIT[entry.rate.name][:2])
        lines.append(
            f"| {entry.rate.name} | {value} | {took} | {off} | {verdict.status} | {verdict.seconds:.2f} "
            f"| {twin.status} | {twin.seconds:.2f} |"
        )
    lines += [
        "",
        f"{len(seconds)} rates of {len(examples)} examples: {proved} PROVED, no multiplier in the file; {refuted} "
        f"twins REFUTED with exact vectors; median {statistics.median(seconds):.2f} s, at most {max(seconds):.1f} s.",
    ]
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readme", action="store_true", help="write the table into README.md")
    options = parser.parse_args()
    measured = table()
    print("\n".join(measured))
    if options.readme:
        replace_block("rates.py", measured)
