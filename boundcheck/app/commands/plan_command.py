"""``plan --p P --d D ...``: the parameters that a convergence theorem prescribes or allows, as exact numbers."""

from __future__ import annotations

import argparse
import sys
from fractions import Fraction
from typing import Any

from boundcheck.app.commands.output import command, cut, finite, gathered, print_json, print_table
from boundcheck.system.exits import Unusable

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
    parser = command(commands, "plan", "T, M, tau, alpha and mu that a convergence theorem prescribes", run)
    for name, meaning in _NUMBERS.items():
        parser.add_argument(f"--{name}", metavar=name.upper(), help=f"{meaning}; read exactly")
    parser.add_argument("--mu", metavar="MU", help="smoothing radius (default: one that minimises the queries)")
    parser.add_argument("--beta", metavar="BETA", help="momentum in [1/2, 1), with M0 and tau0")
    parser.add_argument(
        "--constants",
        choices=("paper", "sharp"),
        default="paper",
        help="the paper's theorem (default), or the fewest queries that the sharper theorems of the catalogue allow",
    )
    parser.add_argument("--table", action="store_true", help="paper against sharp at the problems of the report")
    parser.add_argument("--save", action="store_true", help="with --table: store the table for the report")
    parser.add_argument("--json", action="store_true", help="print one JSON object; integers are exact")


def run(options: argparse.Namespace) -> int:
    """Print the plan; 0, or 2 where the numbers are unusable or the condition cannot be met."""
    if options.table:
        return _table(options)
    if options.save:
        raise Unusable("--save stores the table; add --table")
    return _one(options)


def _one(options: argparse.Namespace) -> int:
    from boundcheck.plans.plan_table import planned
    from boundcheck.plans.theorem_plan import Problem, outside

    given = {name: getattr(options, name) for name in (*_NUMBERS, "mu", "beta")}
    missing = [f"--{name}" for name in _NUMBERS if given[name] is None]
    verb = "is" if len(missing) == 1 else "are"
    told = [f"{', '.join(missing)} {verb} missing; `plan --help` says what each of them is"] if missing else []
    read, faults = gathered(lambda name: (name, _exact(name, given[name])), (n for n in given if given[n] is not None))
    numbers = dict(read)
    if faults := [*told, *faults, *outside(numbers)]:
        raise Unusable(faults)
    mu, beta = numbers.pop("mu", None), numbers.pop("beta", None)
    d = int(numbers.pop("d"))
    found = planned(Problem(d=d, **numbers), beta, mu, options.constants)
    usable = _usable(found, beta, mu, options.constants)
    table, words = _described(found, beta is not None), "2 M0 + 2 M (T - 1)" if hasattr(found, "M0") else "2 M T"
    if options.json:
        print_json(table | {"mu_chosen": found.mu_chosen} | usable)
        return 0
    for name, value in table.items():
        print(f"{name:<11} {_told(value, found)}")
    if found.mu_chosen:
        print(f"mu is the largest radius, to three digits, at which the queries {words} are the least found.")
    for line in _advice(found, usable):
        print(line)
    if options.constants == "paper":
        print(f"The integers are the smallest that {table['statement']} allows with the constants of the catalogue.")
    elif found.T == 1:
        print(
            f"{table['statement']}: x_0 is eps-stationary and nothing need be run; T = M = 1 is the least that can be."
        )
    else:
        print(
            f"{table['statement']} justifies it. tau, T and the split of eps were searched; M is the least for them."
        )
    return 0


def _described(found: Any, momentum: bool) -> dict[str, Any]:
    """The record of a plan, the same names for all four kinds."""
    from boundcheck.kernel.enclosure.straight_line import fraction_of
    from boundcheck.plans.theorem_plan import SCALE, bar_gap, value

    problem, gap = found.problem, bar_gap(found.problem, found.mu)
    scale = value(SCALE, 128, L=problem.L, Dbar=gap, sigma=problem.sigma, d=problem.d, mu=found.mu)
    default = "thm:momentum-main" if momentum else "thm:hp-shared-clipped"
    table: dict[str, Any] = {
        "T": found.T,
        "M": found.M,
        "tau": finite(found.tau),
        "alpha": _double(found.alpha),
        "mu": _double(found.mu),
        "queries": found.queries,
        "Delta0_bar": _double(gap),
        "S_mu": _double(fraction_of(scale.mid())),
    }
    if hasattr(found, "M0"):
        table |= {"M0": found.M0, "tau0": found.tau0}
        target = found.U_target if hasattr(found, "U_target") else found.U
        table |= {"eta": float(found.U), "eta_target": _double(target)}
    else:
        table |= {"eta": found.eta, "eta_target": _double(found.eta_target)}
    return table | {"statement": getattr(found, "statement", default)}


def _double(number: Fraction | float) -> float | str:
    """The number as a double; as a decimal text where a double would make it 0 or infinite."""
    from boundcheck.plans.theorem_plan import short

    exact = Fraction(number)
    if exact and not sys.float_info.min <= abs(exact) <= sys.float_info.max:
        return short(exact)
    return float(number)


def _usable(found: Any, beta: Fraction | None, mu: Fraction | None, constants: str) -> dict[str, Any]:
    """Whether doubles of x carry mu; if not, the plan at the least radius that they do carry, where there is one."""
    from boundcheck.plans.plan_table import planned
    from boundcheck.plans.theorem_plan import PlanError, usable

    least = usable(found.problem)
    if found.mu >= least:
        return {"mu_usable": True}
    told: dict[str, Any] = {"mu_usable": False, "usable_from": _double(least)}
    try:
        other = planned(found.problem, beta, least, constants)
    except PlanError:
        return told | {"usable": None}
    numbers = {"mu": _double(other.mu), "T": other.T, "M": other.M, "queries": other.queries}
    return told | {"usable": numbers | ({"M0": other.M0} if hasattr(other, "M0") else {})}


def _advice(found: Any, usable: dict[str, Any]) -> list[str]:
    """What is said of a radius that cannot be run in doubles."""
    from boundcheck.plans.theorem_plan import no_double, short

    if usable["mu_usable"]:
        return []
    line = f"mu = {short(found.mu)} {no_double(found.problem)}"
    other = usable["usable"]
    if other is None:
        return [f"{line}; no radius from there on meets the theorem's condition, so that x needs more than a double."]
    numbers = ", ".join(f"{name} = {other[name]}" for name in ("T", "M", "M0", "queries") if name in other)
    return [f"{line}. The best usable one is --mu {other['mu']}, with {numbers}."]


def _told(value: Any, found: Any) -> str:
    """A value for people; of a threshold that no double holds it is said whether it is free or too large."""
    if value is not None:
        return str(value)
    return "any" if found.T == 1 else f"above {sys.float_info.max:.3g}, the largest double"


def _table(options: argparse.Namespace) -> int:
    from boundcheck.plans.plan_table import SCHEMA, rows, save

    found = save() if options.save else list(rows())
    if options.json:
        print_json({"schema": SCHEMA, "rows": found})
        return 0
    lines = []
    for row in found:
        if "fault" in row:
            continue
        numbers = [cut(row[k], 9) for k in ("T", "M", "M0", "queries")]
        ratio = "" if row["ratio"] is None else f"{row['ratio']:.3g}"
        beta = "" if row["beta"] is None else f"{row['beta']:g}"
        radius, constants = row["radius"].replace("*", ""), row["constants"]
        lines.append([f"{row['p']:g}", str(row["d"]), f"{row['eps']:g}", beta, radius, constants, *numbers, ratio])
    headers = ["p", "d", "eps", "beta", "mu", "constants", "T", "M", "M0", "queries", "ratio"]
    print_table(headers, lines, frozenset({0, 1, 2, 3, 6, 7, 8, 9, 10}))
    return 0


def _exact(name: str, text: str) -> Fraction:
    if len(text) > 400 or any(len(part) > 4 for part in text.lower().split("e")[1:]):
        raise Unusable(f"{name} = {text[:40]}... is too long a number; choose fewer digits")
    try:
        return Fraction(text)
    except (ValueError, ZeroDivisionError):
        raise Unusable(
            f"{name} = {text} is not a number; write a decimal such as 1.5 or a fraction such as 3/2"
        ) from None
