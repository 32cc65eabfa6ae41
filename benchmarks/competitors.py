"""What a user would otherwise use on a claim, in the same run: z3, mpmath.iv bisection, scipy minimisation.

Each returns "true", "false" or None (undecided, or the claim cannot be stated). Only z3's answers are
proofs, and only for polynomial claims; a small minimum proves nothing.
"""

from __future__ import annotations

import math
import time
from collections.abc import Callable
from typing import Any

import numpy as np
from mpmath import iv
from scipy import optimize

from boundcheck.arith.floats import compile_function
from boundcheck.decide.scalar.search_space import prepare
from boundcheck.kernel.formula import BINDERS, Expr, Relation
from boundcheck.kernel.statement import Claim


class NotStated(Exception):
    """The tool has no way to state the claim."""


# ------------------------------------------------------------------ z3


def z3_solver(claim: Claim, seconds: float) -> str | None:
    """z3 on hypotheses and negated claim; NotStated unless everything is polynomial or rational."""
    import z3

    names = {n: (z3.Int if n in claim.integers else z3.Real)(n) for n in claim.variables}

    def term(e: Expr) -> Any:
        match e.op:
            case "num":
                return z3.RealVal(f"{e.value.numerator}/{e.value.denominator}")
            case "var":
                return names[e.value]
            case "neg":
                return -term(e.args[0])
            case "add" | "sub" | "mul" | "div":
                a, b = map(term, e.args)
                return {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b}[e.op]
            case "abs":
                a = term(e.args[0])
                return z3.If(a >= 0, a, -a)
            case "min" | "max":
                result = term(e.args[0])
                for other in map(term, e.args[1:]):
                    first = result <= other if e.op == "min" else result >= other
                    result = z3.If(first, result, other)
                return result
            case "pow" if e.args[1].op == "num" and e.args[1].value.denominator == 1 and 0 <= e.args[1].value <= 60:
                return term(e.args[0]) ** int(e.args[1].value)
        raise NotStated(e.op)

    def formula(r: Relation) -> Any:
        a, b = term(r.lhs), term(r.rhs)
        return {"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[r.op]

    solver = z3.Solver()
    solver.set("timeout", int(1000 * seconds))
    solver.add(*map(formula, claim.where))
    solver.add(z3.Not(z3.And(*map(formula, claim.claim))))
    answer = solver.check()
    return "true" if answer == z3.unsat else "false" if answer == z3.sat else None


# ------------------------------------------------------------------ mpmath.iv

_IV: dict[str, Callable[..., Any]] = {
    "exp": iv.exp,
    "log": iv.log,
    "sqrt": iv.sqrt,
    "sin": iv.sin,
    "cos": iv.cos,
    "tan": iv.tan,
    "abs": abs,
    "cosh": lambda x: (iv.exp(x) + iv.exp(-x)) / 2,
    "sinh": lambda x: (iv.exp(x) - iv.exp(-x)) / 2,
    "gamma": iv.gamma,
    "loggamma": iv.loggamma,
}


def _interval(e: Expr, box: dict[str, Any]) -> Any:
    match e.op:
        case "num":
            return iv.mpf(e.value.numerator) / e.value.denominator
        case "var":
            return box[e.value]
        case "const":
            return iv.pi if e.value == "pi" else iv.e
        case "neg":
            return -_interval(e.args[0], box)
        case "add" | "sub" | "mul" | "div" | "pow":
            a, b = (_interval(x, box) for x in e.args)
            if e.op == "pow":
                n = e.args[1]
                return a ** int(n.value) if n.op == "num" and n.value.denominator == 1 else iv.exp(b * iv.log(a))
            return {"add": a + b, "sub": a - b, "mul": a * b, "div": a / b if e.op == "div" else None}[e.op]
    if e.op not in _IV:
        raise NotStated(e.op)
    return _IV[e.op](*(_interval(a, box) for a in e.args))


def iv_bisection(claim: Claim, seconds: float) -> str | None:
    """Bisection of the box of bounds with mpmath.iv; NotStated for unbounded, integer or tied variables."""
    problem = prepare(claim)
    if claim.integers or problem.solved or any(len(r.free) != 1 for r in claim.where):
        raise NotStated("domain")
    if any(not math.isfinite(problem.low[n]) or not math.isfinite(problem.high[n]) for n in problem.names):
        raise NotStated("unbounded")
    deadline = time.perf_counter() + seconds
    start = tuple((problem.low[n], problem.high[n]) for n in problem.names)
    stack = [start]
    while stack:
        if time.perf_counter() > deadline:
            return None
        sides = stack.pop()
        box = {n: iv.mpf(list(s)) for n, s in zip(problem.names, sides, strict=True)}
        states = [_state(r, box) for r in claim.claim]
        if all(s is True for s in states):
            continue
        if any(s is False for s in states):
            return "false"
        if not sides:
            return None
        widths = [b - a for a, b in sides]
        i = widths.index(max(widths))
        middle = (sides[i][0] + sides[i][1]) / 2
        if not sides[i][0] < middle < sides[i][1]:
            return None
        stack += [(*sides[:i], half, *sides[i + 1 :]) for half in ((sides[i][0], middle), (middle, sides[i][1]))]
    return "true"


def _state(r: Relation, box: dict[str, Any]) -> bool | None:
    try:
        gap = _interval(r.gap, box)
    except (ZeroDivisionError, ValueError, TypeError, OverflowError):
        return None
    low, high = gap.a, gap.b
    if r.op in ("==", "!="):
        return None
    if low > 0 or (low >= 0 and not r.strict):
        return True
    return False if high < 0 else None


# ------------------------------------------------------------------ scipy


def scipy_minimum(claim: Claim, seconds: float) -> str | None:
    """Differential evolution on the gap over the bounds (1e6 where there are none); a guess, not a proof."""
    problem = prepare(claim)
    ordering = [r for r in problem.goals if r.op not in ("==", "!=")]
    if not problem.names or not ordering or claim.integers:
        raise NotStated("no minimisation problem")
    if any(n.op in BINDERS for r in (*problem.goals, *problem.where) for n in r.walk()):
        raise NotStated("integral")
    gaps = compile_function([r.gap for r in ordering], problem.names)
    where = [r for r in problem.where if r.op not in ("==", "!=")]
    slack = compile_function([r.gap for r in where], problem.names)
    deadline = time.perf_counter() + seconds

    def objective(x: Any) -> float:
        columns = [np.array([v]) for v in x]
        if where and min(float(v[0]) for v in slack(columns)) < 0:
            return 1e9
        value = min(float(v[0]) for v in gaps(columns))
        return value if math.isfinite(value) else 1e9

    bounds = [(max(problem.low[n], -1e6), min(problem.high[n], 1e6)) for n in problem.names]
    found = optimize.differential_evolution(
        objective, bounds, seed=0, maxiter=10_000, callback=lambda xk, convergence: time.perf_counter() > deadline
    )
    return "false" if found.fun < 0 else "true"


TOOLS: dict[str, Callable[[Claim, float], str | None]] = {
    "z3": z3_solver,
    "mpmath.iv": iv_bisection,
    "scipy": scipy_minimum,
}
__all__ = ["TOOLS", "NotStated"]
