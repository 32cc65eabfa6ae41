"""The exact small worlds of docs/small-worlds.md: which claim is tried in which world, and the table.

``python -m proofs_numeric.small_world_cases`` goes through all outcomes and writes the page.
"""

from __future__ import annotations

import argparse
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from fractions import Fraction
from pathlib import Path

from flint import arb, ctx

from boundcheck.plans.theorem_plan import exact
from boundcheck.system.files import write_json, write_text
from proofs_numeric.exact_checks.martingales import MARTINGALES, RHOS, Martingale, Refuted, beside, refuted
from proofs_numeric.exact_checks.small_worlds import (
    BITS,
    Found,
    World,
    base_runs,
    below,
    bound,
    boxed_base_run,
    deviations,
    failure,
    momentum_runs,
    numbers,
    quiet_momentum_run,
    squares,
    sums,
)

PAGE = Path(__file__).parent.parent / "docs" / "small-worlds.md"
STORED = Path(__file__).parent.parent / "boundcheck" / "data" / "martingales.json"  #: for the report
F = Fraction
_HALF = F(1, 2)
SIGNS = World("fair signs", ((F(1), _HALF), (F(-1), _HALF)), F(2), F(1), F(1), F(7, 5))
SMALL_SIGNS = World("signs of 1/10", ((F(1, 10), _HALF), (F(-1, 10), _HALF)), F(2), F(1, 10), F(1), F(7, 5))
JUMP = World("one-sided jump", ((F(20), F(1, 400)), (F(-20, 399), F(399, 400))), F(2), F(1), F(1), F(7, 5))
SMALL_JUMP = World("jump of 2", ((F(2), F(1, 400)), (F(-2, 399), F(399, 400))), F(2), F(1, 10), F(1), F(7, 5))
_RARE = F(1, 10**14)
RARE = World(
    "jump of 10^6", ((F(10**6), _RARE), (-(10**6) * _RARE / (1 - _RARE), 1 - _RARE)), F(2), F(1, 10), F(1), F(7, 5)
)
HEAVY = World("p = 3/2", ((F(4), F(1, 16)), (F(-4), F(1, 16)), (F(0), F(7, 8))), F(3, 2), F(1), F(1), F(7, 5))
MU = F(1, 5)  #: then bar Delta_0 = x_0^2/2 + mu^2/2 = 1


@dataclass(frozen=True)
class Case:
    """A claim P(value > level) <= allowed of a statement in a world."""

    label: str
    world: World
    size: str  #: M, T and the like
    value: str  #: what is compared with the level
    tried: Callable[[], tuple[arb, arb, Found]]  #: the level, the allowed probability, what was found


def _deviation(label: str, world: World, M: int, allowed: str, **given: Fraction | int) -> Case:
    def tried() -> tuple[arb, arb, Found]:
        with ctx.workprec(BITS):
            env = numbers(label, world, M=M, **given)
            level = bound(label, env)
            permitted = env["rho"] if allowed == "rho" else env["delta"] / env["T"]
            return level, permitted, failure(deviations(world, world.x0, env["tau"], M), level, permitted)

    return Case(label, world, f"M = {M}", "\\|g - grad f_mu(x_0)\\|", tried)


def _localized(world: World, M: int, tau: Fraction | None) -> Case:
    given: dict[str, Fraction | int] = {"mu": MU, "Dbar": F(1), "T": 3, "delta": F(2, 5)}
    if tau is not None:
        return _deviation("cor:hp-shared-localized", world, M, "delta/T", tau=tau, **given)
    return _deviation("cor:hp-shared-localized-tuned", world, M, "delta/T", **given)


def _sharp(world: World, M: int) -> Case:
    given = {"mu": MU, "N": F(3, 2), "theta1": F(3), "theta2": F(4), "rho": F(1, 10)}
    return _deviation("app:sharp-deviation", world, M, "rho", theta=F(7) + MU / 2, **given)


def _sum(world: World, M: int) -> Case:
    label = "app:sharp-bernstein"

    def tried() -> tuple[arb, arb, Found]:
        with ctx.workprec(BITS):
            variance = M * sum(v**2 * w for v, w in world.law)
            env = numbers(label, world, M=M, R=max(abs(v) for v, _ in world.law), V=variance, rho=F(1, 10))
            level = bound(label, env)
            return level, env["rho"], failure(sums(world, M), level, env["rho"])

    return Case(label, world, f"M = {M}", "\\|sum of M independent xi\\|", tried)


def _sharp_run(world: World, M: int, T: int, eta: Fraction, eps: Fraction, theta1: Fraction, theta2: Fraction) -> Case:
    label = "app:sharp-convergence"

    def tried() -> tuple[arb, arb, Found]:
        with ctx.workprec(BITS):
            theta = theta1 + theta2 + world.L * F(1, 100) / 2
            env = numbers(
                label, world, M=M, T=T, eta=eta, eps=eps, delta=_HALF, mu=F(1, 100), theta1=theta1, theta2=theta2,
                theta=theta, Delta0=world.gap(),
            )  # fmt: skip
            paths = base_runs(world, M, env["tau"], env["alpha"], T)
            level = env["eps"] ** 2
            return level, env["delta"], failure(squares(paths, world, 0, T - 1), level, env["delta"])

    return Case(label, world, f"M = {M}, T = {T}", "average of \\|grad f(x_t)\\|^2", tried)


def _base(world: World, M: int, eps: Fraction) -> Case:
    label = "thm:hp-shared-clipped"

    def tried() -> tuple[arb, arb, Found]:
        with ctx.workprec(BITS):
            mu = F(1, 100)
            gap = world.gap() + world.L * mu**2 / 2
            env = numbers(label, world, M=M, T=3, eps=eps, delta=_HALF, mu=mu, Dbar=gap)
            average, rest = boxed_base_run(world, M, env["tau"], env["alpha"], 3)
            level = env["eps"] ** 2
            if not below(average, level):
                rest = F(1)
            return level, env["delta"], Found(M + 1, rest, None, enumerated=False)

    return Case(label, world, f"M = {M}, T = 3", "average of \\|grad f(x_t)\\|^2", tried)


def _sharp_momentum(world: World, M0: int, M: int, T: int, alpha: Fraction, eps: Fraction) -> Case:
    label = "app:sharp-momentum"

    def tried() -> tuple[arb, arb, Found]:
        with ctx.workprec(BITS):
            mu, beta = F(1, 100), _HALF
            gap = world.gap() + world.L * mu**2 / 2
            shares = {"theta1": F(3), "theta2": F(2), "theta10": F(3), "theta20": F(2)}
            theta = F(5) + world.L * mu / 2
            env = numbers(
                label, world, M=M, M0=M0, T=T, alpha=alpha, beta=beta, eps=eps, delta=_HALF, mu=mu, Dbar=gap,
                Delta0=world.gap(), theta=theta, theta0=theta, G=F(30), U=F(30), B=F(8), **shares,
            )  # fmt: skip
            paths = momentum_runs(world, M0, env["tau0"], M, env["tau"], env["alpha"], env["beta"], T)
            level = env["eps"] ** 2
            return level, env["delta"], failure(squares(paths, world, 1, T - 2), level, env["delta"])

    return Case(label, world, f"M0 = {M0}, M = {M}, T = {T}", "average of \\|grad f(x_t)\\|^2", tried)


def _momentum(world: World, M0: int, M: int, T: int, eps: Fraction) -> Case:
    label = "thm:momentum-main"

    def tried() -> tuple[arb, arb, Found]:
        with ctx.workprec(BITS):
            mu, beta = F(1, 100), _HALF
            gap = world.gap() + world.L * mu**2 / 2
            env = numbers(label, world, M=M, M0=M0, T=T, beta=beta, eps=eps, delta=_HALF, mu=mu, Dbar=gap)
            path, rest = quiet_momentum_run(world, M0, env["tau0"], M, env["tau"], env["alpha"], env["beta"], T)
            [(average, _)] = squares(iter([(path, F(1))]), world, 1, T - 2)
            level = env["eps"] ** 2
            if not below(average, level):
                rest = F(1)
            return level, env["delta"], Found(1, rest, None, enumerated=False)

    return Case(label, world, f"M0 = {M0}, M = {M}, T = {T}", "average of \\|grad f(x_t)\\|^2", tried)


def cases() -> Iterator[Case]:
    """All cases of the page."""
    for world in (SIGNS, JUMP, HEAVY):
        for M in (3, 12):
            yield _localized(world, M, F(12))
            yield _localized(world, M, None)
            yield _sharp(world, M)
            yield _sum(world, M)
    yield _sharp_run(SMALL_SIGNS, 24, 2, F(119, 100), F(13, 10), F(33, 10), F(2, 5))
    yield _base(SMALL_SIGNS, 240_000, F(11, 2))
    yield _base(SMALL_JUMP, 240_000, F(11, 2))
    yield _momentum(RARE, 42_469, 3_499_367, 60, F(11, 2))
    yield _sharp_momentum(SIGNS, 3, 3, 4, F(1, 8000), F(300))


# ---------------------------------------------------------------- the page

_HEAD = """# Exact small worlds

How far are the bounds from what happens? Here this is computed, not simulated. A *small world* is the real algorithm
on a discrete law in one dimension: f(x) = L x^2/2 with L = 1, x_0 = 7/5, F(x; xi) = f(x) + xi x. Every outcome of
every batch is gone through, so probabilities are exact rationals; only this page rounds them. In each world all
hypotheses of the statement hold: those between numbers were decided in balls (numbers with a proved error bound),
those on the noise exactly ({worlds}).

*Level* and *allowed*: the statement says that the value exceeds the level with probability at most *allowed*.
*Exact*: that probability in this world. *Least*: the smallest level for which the claim would be true here; the last
column but one says how much larger the level of the statement is. *At most*: there are too many outcomes to go
through. Then all within forty standard deviations of the mean are enclosed in one ball that meets the claim, and the
chance of all others counts as failure. For the momentum method with the paper's constants one outcome is gone
through, that in which the rare jump never comes; all others count as failure.

Read on: [models-of-statements.md](models-of-statements.md) has examples for every statement, and
[verdicts.md](verdicts.md) says what the words mean.

Generated by `python -m proofs_numeric.small_world_cases`; do not edit.

| statement | world | size | value | level | allowed | exact | least | level/least | outcomes |
|---|---|---|---|---|---|---|---|---|---|
"""

_SUMS = """
## Sums of martingale differences

The law of |S|, S = X_1 + ... + X_n, by a recursion over the states that tell what comes next; it decides on its way
that every mean given the past is 0, that |X_i| <= R and that the variation stays within V. *Fair signs*: n independent
signs. *Rare jumps*: 1 with a small probability, for which Bennett's exponent is attained. *Signs, then one big jump*:
the last difference is R = 4 with probability 1/400. *Orthogonal signs*: in n dimensions, |S| = sqrt(n) surely.
*Stopped*: signs until |S| reaches a level: the law is that of the largest |S_i|. *Size by the past*: fair signs
where the sum is below 0, rare jumps where it is above, half of a sign far out, nothing once the variation is used up.

*Paper*: the level 2 (sqrt(V eta) + R eta) of lem:momentum-freedman; *sharp*: sqrt(2 V h) + R h/3 of
app:sharp-freedman; *least*: the smallest level for which P(|S| > level) <= rho. The last columns hold Bennett's bound
(app:bennett) at a level a thousandth below the least, where rho is passed, and the exact probability there.

| martingale | n | R | V | rho | paper | sharp | least | paper/least | sharp/least | Bennett | exact | Bennett/exact |
|---|---|---|---|---|---|---|---|---|---|---|---|---|
"""

_REFUTED = """
What is a little less than these bounds is refuted by such a law: |S| exceeds the level with a probability of at least
*exact*, which is more than the planted falsehood allows. Where the differences need not be adapted or the filtration
need not increase, twenty equal signs, and two signs in turn, refute app:bennett (`tests/test_bennett.py`).

| statement | planted falsehood | martingale | n | level | allowed | exact | exact/allowed |
|---|---|---|---|---|---|---|---|
"""


def _short(x: Fraction | arb | None) -> str:
    if x is None:
        return ""
    if isinstance(x, Fraction):
        with ctx.workprec(BITS):
            x = exact(x)
    return "0" if x == 0 else str(x.str(4, radius=False))


def row(case: Case) -> str:
    """The line of a case in the table."""
    level, allowed, found = case.tried()
    exact = ("" if found.enumerated or not found.failure else "at most ") + _short(found.failure)
    ratio = "" if found.least is None else _short(level / found.least)
    cells = (
        case.label, case.world.name, case.size, case.value, _short(level), _short(allowed), exact, _short(found.least),
        ratio, f"{found.outcomes:,}" if found.enumerated else "enclosed",
    )  # fmt: skip
    return f"| {' | '.join(cells)} |"


def sum_row(m: Martingale, rho: Fraction) -> dict[str, str]:
    """The cells of a martingale at rho, by their heading."""
    found = beside(m, rho)
    if not found.held():
        raise ArithmeticError(f"{m.name} breaks a bound at rho = {rho}")
    least, bennett = found.least, found.bennett
    with ctx.workprec(BITS):
        told: dict[str, arb | Fraction] = {
            "R": m.R,
            "V": m.V,
            "rho": rho,
            "paper": found.paper.level,
            "sharp": found.sharp.level,
            "least": least,
            "paper/least": found.paper.level / least,
            "sharp/least": found.sharp.level / least,
            "Bennett": bennett.allowed,
            "exact": bennett.found.failure,
            "Bennett/exact": bennett.allowed / exact(bennett.found.failure),
        }
    return {"martingale": m.name, "n": str(m.n), **{name: _short(x) for name, x in told.items()}}


def sum_rows() -> list[dict[str, str]]:
    """The table of martingales."""
    return [sum_row(m, rho) for m in MARTINGALES for rho in RHOS]


def refuted_row(r: Refuted) -> str:
    """The line of a planted falsehood."""
    if not r.refutes():
        raise ArithmeticError(f"{r.law.name} does not refute {r.what}")
    told: tuple[arb | Fraction, ...] = (r.level, r.allowed, r.exact, exact(r.exact) / r.allowed)
    return f"| {r.label} | {r.what} | {r.law.name} | {r.law.n} | {' | '.join(map(_short, told))} |"


def sums_of_differences() -> str:
    """The part of the page on martingales."""
    rows = "".join(f"| {' | '.join(r.values())} |\n" for r in sum_rows())
    return _SUMS + rows + _REFUTED + "\n".join(map(refuted_row, refuted())) + "\n"


def page() -> str:
    """The page as Markdown."""
    told = list(cases())
    worlds = "; ".join(
        f"{w.name}: " + ", ".join(f"{v} with {c}" for v, c in w.law) for w in dict.fromkeys(c.world for c in told)
    )
    return _HEAD.format(worlds=worlds) + "\n".join(row(c) for c in told) + "\n" + sums_of_differences()


def main(arguments: list[str] | None = None) -> int:
    """Write the page, and the table of martingales for the report."""
    argparse.ArgumentParser(prog="python -m proofs_numeric.small_world_cases", description=__doc__).parse_args(
        arguments
    )
    write_text(PAGE, page())
    write_json(STORED, {"schema": 1, "rows": sum_rows()})
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
