"""``plan --p P --d D ...``: the parameters that the base or the momentum theorem prescribes, as exact numbers."""

from __future__ import annotations

import argparse
from fractions import Fraction
from typing import TYPE_CHECKING, Any

from boundcheck.commands.output import Unusable, print_json

if TYPE_CHECKING:
    from boundcheck.plan import Plan
    from boundcheck.plan_momentum import MomentumPlan

_NUMBERS = {
    "p": "tail exponent in (1, 2]",
    "d": "dimension, a whole number",
    "L": "smoothness constant",
    "Delta0": "initial gap f(x_0) - f_*",
    "sigma": "noise level",
    "eps": "target accuracy",
    "delta": "failure probability in (0, 1]",
}


def add(commands: Any) -> None:
    """Register the command."""
    parser = commands.add_parser("plan", help="T, M, tau, alpha and mu that the convergence theorem prescribes")
    for name, meaning in _NUMBERS.items():
        parser.add_argument(f"--{name}", required=True, metavar=name.upper(), help=f"{meaning}; read exactly")
    parser.add_argument("--mu", metavar="MU", help="smoothing radius (default: one that minimises the queries)")
    parser.add_argument("--beta", metavar="BETA", help="momentum in [1/2, 1): thm:momentum-main, with M0 and tau0")
    parser.add_argument("--json", action="store_true", help="print one JSON object; integers are exact")


def run(options: argparse.Namespace) -> int:
    """Print the plan; 0, or 2 where the numbers are unusable or the condition cannot be met."""
    from boundcheck.plan import PlanError, Problem, plan
    from boundcheck.plan_momentum import plan_momentum

    numbers: dict[str, Fraction] = {name: _exact(name, getattr(options, name)) for name in _NUMBERS}
    if numbers["d"].denominator != 1:
        raise Unusable(f"d = {options.d} is outside its domain; choose a whole number d >= 1")
    mu = None if options.mu is None else _exact("mu", options.mu)
    rest = {name: value for name, value in numbers.items() if name != "d"}
    try:
        problem = Problem(d=int(numbers["d"]), **rest)
        if options.beta is None:
            base = plan(problem, mu)
            table = _common(base) | {"eta": base.eta, "eta_target": float(base.eta_target)}
            chosen, theorem, words = base.mu_chosen, "thm:hp-shared-clipped", "2 M T"
        else:
            momentum = plan_momentum(problem, _exact("beta", options.beta), mu)
            table = _common(momentum) | {"eta": momentum.U, "eta_target": float(momentum.U_target)}
            table |= {"M0": momentum.M0, "tau0": momentum.tau0}
            chosen, theorem, words = momentum.mu_chosen, "thm:momentum-main", "2 M0 + 2 M (T - 1)"
    except PlanError as fault:
        raise Unusable(str(fault)) from None
    if options.json:
        print_json(table)
        return 0
    for name, value in table.items():
        print(f"{name:<11} {value}")
    if chosen:
        print(f"mu is the largest radius, to three digits, at which the queries {words} are least; no mu needs fewer.")
    print(f"The integers are the smallest that {theorem} allows with the constants of the catalogue, and exact.")
    return 0


def _common(found: Plan | MomentumPlan) -> dict[str, int | float]:
    return {
        "T": found.T,
        "M": found.M,
        "tau": found.tau,
        "alpha": float(found.alpha),
        "mu": float(found.mu),
        "queries": found.queries,
        "Delta0_bar": float(found.Delta0_bar),
        "S_mu": found.S_mu,
    }


def _exact(name: str, text: str) -> Fraction:
    if len(text) > 400 or any(len(part) > 4 for part in text.lower().split("e")[1:]):
        raise Unusable(f"{name} = {text[:40]}... is too long a number; choose fewer digits")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise Unusable(
            f"{name} = {text} is not a number; write a decimal such as 1.5 or a fraction such as 3/2"
        ) from None
