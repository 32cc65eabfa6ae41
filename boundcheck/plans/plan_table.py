"""The table of queries, the paper's constants against the sharper theorems, at the problems that the report shows."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction
from pathlib import Path
from typing import Any

from boundcheck.plans.momentum_plan import plan_momentum
from boundcheck.plans.sharp_momentum_plan import plan_sharp_momentum
from boundcheck.plans.sharp_plan import plan_sharp
from boundcheck.plans.theorem_plan import OTHER_UNIT, Plan, PlanError, Problem, plan
from boundcheck.system.files import write_json

PATH = Path(__file__).parents[1] / "data" / "plans.json"
SCHEMA = 1
BETA = Fraction(9, 10)
PROBLEMS = tuple(
    Problem(
        p=Fraction(p),
        d=d,
        L=Fraction(1),
        Delta0=Fraction(1),
        sigma=Fraction(s),
        eps=Fraction(e),
        delta=Fraction(1, 10),
    )
    for p, d, s, e in (("2", 1, "0.1", "5.6"), ("2", 10, "1", "1"), ("1.5", 10, "1", "1"), ("1.2", 10, "1", "1"))
)
RADII = ("eps/(16*L*d)", "eps/(4*L*d)", "free")


def planned(problem: Problem, beta: Fraction | None, mu: Fraction | None, constants: str) -> Plan:
    """The plan of one theorem; ``constants`` is "paper" or "sharp". Raises :class:`PlanError`."""
    if constants == "sharp":
        try:
            return plan_sharp(problem, mu) if beta is None else plan_sharp_momentum(problem, beta, mu)
        except (OverflowError, ZeroDivisionError):
            raise PlanError(f"the search works in doubles, which do not hold its numbers here; {OTHER_UNIT}") from None
    return plan(problem, mu) if beta is None else plan_momentum(problem, beta, mu)


def _radius(problem: Problem, name: str) -> Fraction | None:
    return None if name == "free" else problem.eps / (int(name[5:].split("*")[0]) * problem.L * problem.d)


def rows() -> Iterator[dict[str, Any]]:
    """One row for each problem, method, radius and set of constants; integers as decimal strings, exact."""
    for problem in PROBLEMS:
        for beta in (None, BETA):
            for radius in RADII:
                paper = None
                for constants in ("paper", "sharp"):
                    row: dict[str, Any] = {
                        k: float(getattr(problem, k)) for k in ("p", "L", "Delta0", "sigma", "eps", "delta")
                    }
                    row |= {"d": problem.d, "beta": None if beta is None else float(beta), "radius": radius}
                    row["constants"] = constants
                    try:
                        found = planned(problem, beta, _radius(problem, radius), constants)
                    except PlanError as fault:
                        yield row | {"fault": str(fault)}
                        continue
                    if constants == "paper":
                        paper = found.queries
                    M0 = getattr(found, "M0", None)
                    yield row | {
                        "mu": float(found.mu),
                        "T": str(found.T),
                        "M": str(found.M),
                        "M0": None if M0 is None else str(M0),
                        "queries": str(found.queries),
                        "statement": found.statement,
                        "ratio": float(Fraction(paper, found.queries)) if paper and constants == "sharp" else None,
                    }


def save(path: Path = PATH) -> list[dict[str, Any]]:
    """Compute the table and write it; the rows."""
    found = list(rows())
    write_json(path, {"schema": SCHEMA, "rows": found})
    return found
