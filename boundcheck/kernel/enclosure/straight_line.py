"""An expression as a straight-line program: every distinct subexpression once, children before parents.

The four arithmetics interpret the same program, so a formula has one meaning. The body of an
``integral`` or ``sum`` stays an expression inside its step; its ends are evaluated like any argument.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from fractions import Fraction
from functools import lru_cache
from typing import Any

from boundcheck.kernel.formula import BINDERS, FUNCTIONS, Expr, FormulaError

MAX_EXPONENT = 20_000  #: of exact balls that are spelt out, as powers of e
_ARITHMETIC = frozenset({"num", "var", "const", "add", "sub", "mul", "div", "pow", "neg", "polygamma"})


@dataclass(frozen=True, slots=True)
class Step:
    """One operation; ``args`` are the positions of its arguments in the program.

    ``constant``: no variable and no binder below, so that its value can be exact.
    """

    op: str
    value: Any
    args: tuple[int, ...]
    node: Expr
    constant: bool


@dataclass(frozen=True, slots=True)
class Program:
    """Steps in order and the positions of the wanted results."""

    steps: tuple[Step, ...]
    outputs: tuple[int, ...]


@lru_cache(maxsize=2048)
def program(expressions: tuple[Expr, ...]) -> Program:
    """The program that computes ``expressions``; FormulaError for an opaque head or a relation."""
    at: dict[Expr, int] = {}
    steps: list[Step] = []
    for top in expressions:
        stack: list[tuple[Expr, bool]] = [(top, False)]
        while stack:
            node, ready = stack.pop()
            if node in at:
                continue
            inputs = node.args[2:] if node.op in BINDERS else node.args
            if not ready:
                if node.op not in _ARITHMETIC and node.op not in FUNCTIONS and node.op not in BINDERS:
                    raise FormulaError(f"{node.op}(...) is a term of a proof; it has no value")
                stack.append((node, True))
                stack.extend((a, False) for a in reversed(inputs))
            else:
                at[node] = len(steps)
                places = tuple(at[a] for a in inputs)
                constant = node.op != "var" and node.op not in BINDERS and all(steps[i].constant for i in places)
                steps.append(Step(node.op, node.value, places, node, constant))
    return Program(tuple(steps), tuple(at[e] for e in expressions))


def literal(e: Expr) -> Fraction | None:
    """The exact value of a numeral or a negated numeral, else None."""
    if e.op == "num":
        value: Fraction = e.value
        return value
    if e.op == "neg" and e.args[0].op == "num":
        inner: Fraction = e.args[0].value
        return -inner
    return None


def spelled(x: Any) -> bool:
    """Whether an exact ball is short enough to be spelt out: 2**(10**16) is exact, but longer than any memory."""
    return bool(x == 0 or -MAX_EXPONENT < abs(x).log() < MAX_EXPONENT)


def exact_of(x: Any) -> Any:
    """The rational number that an exact ball is. Raises :class:`OverflowError` where it cannot be spelt out."""
    if not spelled(x):
        raise OverflowError("a number too long to be spelt out")
    return x.fmpq()


def fraction_of(x: Any) -> Fraction:
    """:func:`exact_of` as a Fraction."""
    q = exact_of(x)
    return Fraction(int(q.p), int(q.q))


def integer_of(x: Any) -> int | None:
    """The only integer in a ball, if there is one and it can be spelt out."""
    n = x.unique_fmpz() if abs(x) < MAX_EXPONENT or spelled(abs(x).upper()) else None
    return None if n is None else int(n)


def is_integer_valued(e: Expr, integers: Iterable[str]) -> bool:
    """True if ``e`` is an integer by its form: built from integers, floor and ceil by + - * min max abs, and powers
    with a numeral 0, 1, 2, ... as exponent.

    The form decides the two conventions of powers: 0**0 is 1, and a negative base is allowed,
    only where the exponent is an integer by form.
    """
    if e.op == "num":
        return bool(e.value.denominator == 1)
    names = frozenset(integers)
    pending, seen = [e], {e}
    while pending:
        node = pending.pop()
        if node.op == "num":
            if node.value.denominator != 1:
                return False
        elif node.op == "var":
            if node.value not in names:
                return False
        elif node.op == "pow":
            if node.args[1].op != "num" or node.args[1].value < 0:
                return False
        elif node.op in ("floor", "ceil"):
            continue  # whole, whatever stands inside
        elif node.op not in ("neg", "add", "sub", "mul", "min", "max", "abs"):
            return False
        pending += [a for a in node.args if a not in seen]
        seen.update(node.args)
    return True
