"""Formulas as Coq text over the standard reals, names escaped, and what makes a formula defined.

Coq's functions are total: x/0, ln of a negative number and so on have some value. So a file states, beside each
relation, the conditions under which its terms are defined: as premises for hypotheses (one that is undefined at a
point does not hold there), as conclusions for claims.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from contextlib import contextmanager
from contextvars import ContextVar
from fractions import Fraction

from boundcheck.kernel.check.sequent import conditions, outside_binders
from boundcheck.kernel.formula import BINDERS, Expr, Relation, num
from boundcheck.kernel.formula.unfolding import unfolded

#: How a file of theorems begins.
MAX_EXPONENT = 400  #: the largest natural exponent that is written
_CALLS = {
    "exp": "exp", "log": "ln", "sqrt": "sqrt", "abs": "Rabs", "min": "Rmin", "max": "Rmax", "sin": "sin",
    "cos": "cos", "tan": "tan", "asin": "asin", "acos": "acos", "atan": "atan", "sinh": "sinh", "cosh": "cosh",
    "tanh": "tanh", "floor": "rfloor", "ceil": "rceil", "gamma": "Gam", "erf": "erf",
}  # fmt: skip
_BINARY = {"add": "+", "sub": "-", "mul": "*", "div": "/"}
_RELATIONS = {"<": "<", "<=": "<=", ">": ">", ">=": ">=", "==": "=", "!=": "<>"}
_LEVEL = {"add": 1, "sub": 1, "mul": 2, "div": 2}  # all else is written in parentheses


DEFINED = "defined"  #: the checker's goal that a formula has a value
POWER = "power"  #: the relation between base and exponent under which a power is defined
#: The bases, of the claim that is written, whose powers with whole exponents are ``ipw`` (``whole_powers.py``).
_WHOLE: ContextVar[frozenset[Expr]] = ContextVar("whole", default=frozenset())


class NotStated(ValueError):
    """A formula with a function that the file Boundcheck.v does not define; the message names it."""


def name(symbol: str) -> str:
    """The Coq name of a variable: prefixed, so that no keyword or function of Coq can be meant.

    Letters, digits and _ of ASCII stay; any other character becomes its code, so different names stay different.
    """
    body = "".join(c if c.isascii() and (c.isalnum() or c == "_") else f"'{ord(c):x}'" for c in symbol)
    return f"v_{body}"


def comment(text: str) -> str:
    """Text made harmless inside a comment: no end or begin of a comment, no string quotes, one line."""
    flat = " ".join("".join(c if c.isprintable() else " " for c in text).split())
    return flat.replace("*)", "* )").replace("(*", "( *").replace('"', "'")


def number(q: Fraction) -> str:
    """An exact rational as a term of R."""
    above = str(q.numerator) if q >= 0 else f"(- {-q.numerator})"
    return above if q.denominator == 1 else f"({above} / {q.denominator})"


def coq(e: Expr) -> str:
    """The text of a formula. Raises :class:`NotStated`."""
    match e.op:
        case "num":
            return number(e.value)
        case "var":
            return name(e.value)
        case "const":
            if e.value == "oo":
                raise NotStated("an infinite end")
            return "PI" if e.value == "pi" else "(exp 1)"
        case "neg":
            return f"(- {_inner(e.args[0], 3)})"
        case "pow":
            return _power(*e.args)
        case "integral" | "sum":
            head, parts = _binder(e)
            return f"({head} {' '.join(parts)})"
    if e.op in _BINARY:
        level = _LEVEL[e.op]
        return f"{_inner(e.args[0], level)} {_BINARY[e.op]} {_inner(e.args[1], level + 1)}"
    if e.op in _CALLS:
        return called(e.op, [_inner(a, 9) for a in e.args])
    other = unfolded(e)
    if other is None:
        raise NotStated(e.op)
    return f"({coq(other)})"


def called(op: str, args: Sequence[str]) -> str:
    """A function of arguments; the least and the largest of many are nested in pairs."""
    *before, last = args
    for a in reversed(before):
        last = f"({_CALLS[op]} {a} {last})"
    return last if before else f"({_CALLS[op]} {last})"


def longest_first(e: Expr) -> tuple[int, str]:
    """A key that puts long formulas first, and those of one length in one order: the same text in every run."""
    text = coq(e)
    return -len(text), text


def end(e: Expr) -> str:
    """The end of an integral, infinity among them. Raises :class:`NotStated` for infinity from the wrong side."""
    if e.op == "const" and e.value == "oo":
        return "p_infty"
    if e.op == "neg" and e.args[0].op == "const" and e.args[0].value == "oo":
        return "m_infty"
    return f"(Finite {_inner(e, 9)})"


def ends(e: Expr) -> str:
    """Both ends of an integral."""
    return f"{end(e.args[2])} {end(e.args[3])}"


def function(v: str, body: Expr | str) -> str:
    """A function of one number ``v``."""
    return f"(fun {name(v)} : R => {body if isinstance(body, str) else coq(body)})"


def _binder(e: Expr) -> tuple[str, list[str]]:
    """(head, arguments) of an integral or sum."""
    body, v, lo, hi = e.args
    low, high = end(lo), end(hi)
    if low == "p_infty" or high == "m_infty" or (e.op == "sum" and low == "m_infty"):
        raise NotStated("an infinite end on the wrong side")
    terms = function(v.value, body)
    if e.op == "integral":
        return "Int", [terms, low, high]
    if high == "p_infty":
        return "SumInf", [terms, _inner(lo, 9)]
    return "Sum", [terms, _inner(lo, 9), _inner(hi, 9)]


def exists(e: Expr) -> str:
    """That an integral or sum is defined: it converges, its ends are whole (of a sum), its terms are defined."""
    body, v = e.args[:2]
    head, parts = _binder(e)
    if head == "Int":
        found, over = f"ex_Int {' '.join(parts)}", f"between {parts[1]} {parts[2]}"
    elif head == "SumInf":
        found, over = f"isint {parts[1]} /\\ ex_Sum {' '.join(parts)}", f"on_whole {parts[1]} p_infty"
    else:
        found, over = f"sum_ok {parts[1]} {parts[2]}", f"on_whole {parts[1]} (Finite {parts[2]})"
    inside = " /\\ ".join(f"({relation(c)})" for c in defined((Relation("==", body, body),)))
    return f"{found} /\\ {over} {function(v.value, inside or 'True')}"


def _inner(e: Expr, level: int) -> str:
    text = coq(e)
    return f"({text})" if _LEVEL.get(e.op, 9) < level else text


def _power(base: Expr, exponent: Expr) -> str:
    if exponent.op == "num" and exponent.value.denominator == 1:
        n = int(exponent.value)
        if abs(n) > MAX_EXPONENT:
            raise NotStated(f"the exponent {n}")
        power = f"{_inner(base, 4)} ^ {abs(n)}"
        return f"({power})" if n >= 0 else f"(/ ({power}))"
    if signed(base, exponent):
        sign, size = f"sgz {_inner(exponent, 9)}", -base.value
        return f"({sign})" if size == 1 else f"({sign} * rpw {_inner(num(size), 9)} {_inner(exponent, 9)})"
    return f"({'ipw' if is_whole(base, exponent) else 'rpw'} {_inner(base, 9)} {_inner(exponent, 9)})"


def is_whole(base: Expr, exponent: Expr) -> bool:
    """Whether a power is written as ``ipw``: of a base of the claim that may be negative, or 0 ** 0."""
    return exponent.op != "num" and base in _WHOLE.get()


@contextmanager
def whole_bases(bases: Iterable[Expr]) -> Iterator[None]:
    """Write, within, the powers of these bases as powers with whole exponents."""
    token = _WHOLE.set(frozenset(bases))
    try:
        yield
    finally:
        _WHOLE.reset(token)


def signed(base: Expr, exponent: Expr) -> bool:
    """Whether a power is one of a negative number, which is defined for whole exponents alone."""
    return base.op == "num" and base.value < 0 and exponent.op != "num"


def order(r: Relation) -> str:
    """< where an inequality is strict, else <=."""
    return "<" if r.strict else "<="


def relation(r: Relation) -> str:
    """The text of a relation, or of a condition of definedness. Raises :class:`NotStated`."""
    if r.op == POWER and signed(r.lhs, r.rhs):
        return f"isint {_inner(r.rhs, 9)}"
    if r.op == POWER:
        return f"{'whole_ok' if is_whole(r.lhs, r.rhs) else 'pow_ok'} {_inner(r.lhs, 9)} {_inner(r.rhs, 9)}"
    if r.op == DEFINED:
        if r.lhs.op in BINDERS:
            return exists(r.lhs)
        return " /\\ ".join(f"({relation(c)})" for c in defined((Relation("==", r.lhs, r.lhs),))) or "True"
    if r.op not in _RELATIONS:
        raise NotStated(f"the relation {r.op}")
    return f"{coq(r.lhs)} {_RELATIONS[r.op]} {coq(r.rhs)}"


def defined(relations: Iterable[Relation]) -> tuple[Relation, ...]:
    """The conditions under which all terms of ``relations`` are defined, each once, those of numbers left out."""
    found: dict[Relation, None] = {}
    for r in relations:
        for side in r.sides:
            outer = tuple(outside_binders(side))
            powers = {n.args[0] for n in outer if n.op == "pow" and general(*n.args)}
            for c in conditions(side):
                by_power = c.op in (">", "!=") and c.lhs in powers and not _elsewhere(c, outer)
                if not (_plain(c) or by_power):
                    found.setdefault(c)
            for n in outer:
                if n.op == "pow" and general(*n.args):
                    found.setdefault(Relation(POWER, *n.args))
                if n.op in BINDERS:
                    found.setdefault(Relation(DEFINED, n, num(0)))
    return tuple(found)


def general(base: Expr, exponent: Expr) -> bool:
    """Whether a power is defined for base > 0, and for base = 0 < exponent: no literal exponent, no plain base."""
    return exponent.op != "num" and not (base.op == "const" or (base.op == "num" and base.value > 0))


def _elsewhere(c: Relation, terms: Iterable[Expr]) -> bool:
    """Whether a term itself, and no part of it, wants a condition, other than a power whose condition is its own."""
    others = (n for n in terms if n.op != "pow" or not general(*n.args))
    return any(c in conditions(n) and not any(c in conditions(a) for a in n.args) for n in others)


def _plain(c: Relation) -> bool:
    """Whether a condition is true of numbers alone, such as 2 > 0."""
    gap = c.gap
    return gap.op == "num" and (gap.value != 0 if c.op == "!=" else gap.value > 0 or (gap.value == 0 and not c.strict))
