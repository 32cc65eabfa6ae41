"""Terms with roots and maxima over domains, and their values at points in floats: for tests of cases and moves."""

from __future__ import annotations

import math

from boundcheck.decide.quadratic.rate_moves import find_move
from boundcheck.kernel.formula import Expr, Relation, parse, parse_relation
from boundcheck.kernel.rate import rooted
from boundcheck.kernel.rate_cases import Case, cases

WORDS = {"sqrt": math.sqrt, "abs": abs, "max": max, "min": min}
#: what is taken apart, and its domain
TERMS = [
    ("sqrt(L*k)", ("L > 0", "k > 0")),
    ("sqrt(L*k) + k", ("L > 0", "k >= 0")),
    ("sqrt(mu/L)", ("mu > 0", "mu < L")),
    ("1/(1 + sqrt(L/mu))", ("mu > 0", "mu <= L")),
    ("sqrt(1 - mu/L)*sqrt(mu*L)", ("mu > 0", "mu < L")),
    ("sqrt(8*mu**3*L/9)", ("mu > 0", "mu < L")),
    ("sqrt((L - mu)**2*k)", ("k > 0", "L > 0", "mu > 0")),
    ("sqrt(1 - q**2)", ("q >= 0", "q < 1")),
    ("sqrt(L**2 - mu**2)", ("mu > 0", "mu <= L")),
    ("(1 + sqrt(1 + 4*t**2))/2", ("t >= 0",)),
    ("sqrt(1 + 4*t**2)", ("t >= -3", "t <= 3")),
    ("sqrt(1 + 8*t**2)", ("t >= 1",)),
    ("sqrt(t**2 + t + 1)*t", ("t > 0",)),
    ("sqrt((3 - t)*(t + 1))", ("t > 0", "t < 2")),
    ("sqrt(2 - t**2)", ("t >= 1/2", "t <= 1")),
    ("sqrt(n + sqrt(n + 1))", ("n >= 1",)),
    ("sqrt(1 - sqrt(q))*sqrt(1 + sqrt(q))", ("q > 0", "q < 1")),
    ("n**(-1/2) + (n + 1)**(3/2)", ("n > 0",)),
    ("max(abs(1 - g*L), abs(1 - g*mu))*sqrt(g)", ("g > 0", "mu > 0", "mu < L")),
    ("sqrt(2*L)*sqrt(3)", ("L > 0",)),
]


def value(e: Expr, at: dict[str, float]) -> float:
    match e.op:
        case "num":
            return float(e.value)
        case "var":
            return at[e.value]
        case "neg":
            return -value(e.args[0], at)
    args = [value(a, at) for a in e.args]
    if e.op in WORDS:
        return float(WORDS[e.op](*args))
    a, b = args
    return {
        "add": lambda: a + b,
        "sub": lambda: a - b,
        "mul": lambda: a * b,
        "div": lambda: a / b,
        "pow": lambda: a**b,
    }[e.op]()


def holds(r: Relation, at: dict[str, float]) -> bool:
    gap = value(r.gap, at)
    return abs(gap) > 1e-12 if r.op == "!=" else gap >= -1e-9


def meant_at(case: Case, at: dict[str, float]) -> dict[str, float]:
    """The new parameters of a case at a point of the old ones, beside them."""
    meant = dict(at)
    for name, meaning in case.meaning:
        meant[name] = value(meaning, meant)
    return meant


def taken_apart(text: str, where: tuple[str, ...]) -> tuple[Expr, list[Case], list[Relation]]:
    """A term, the cases of a claim about it by the moves that are found, and its domain."""
    term, domain = rooted(parse(text)), [parse_relation(r) for r in where]
    return term, cases((), Relation(">=", term, parse("0")), (), domain, find_move), domain
