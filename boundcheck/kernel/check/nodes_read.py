"""Reading a node of a certificate, and side conditions that a rule needs."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from fractions import Fraction
from typing import Any, TypeVar

from boundcheck.kernel.check.leaves import natural
from boundcheck.kernel.check.poly import AlgebraLimit, add
from boundcheck.kernel.check.quotients import Ratio
from boundcheck.kernel.check.sequent import Refused, Sequent, obligations
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import (
    BINDERS,
    MAX_LENGTH,
    Expr,
    FormulaError,
    Relation,
    num,
    parse,
    parse_relation,
    substitute,
)

Node = Mapping[str, Any]
Term = TypeVar("Term", Expr, Relation)
Clock = Callable[[], None]  #: raises Refused when the time is up
ZERO = num(0)
ORDER = ("<=", "<", ">=", ">")
LARGEST = 10**30  #: whole number that stands in a node as such


def formula(node: Node, key: str) -> Expr:
    """The formula text under ``key``."""
    return read(node.get(key), key)


def read(source: Any, what: str) -> Expr:
    """The formula in a certificate's text. Raises :class:`Refused`."""
    return _read(source, what, parse)


def relation(source: Any, what: str = "a relation") -> Relation:
    """The relation in a certificate's text. Raises :class:`Refused`."""
    return _read(source, what, parse_relation)


def _read(source: Any, what: str, reader: Callable[[str], Term]) -> Term:
    if not isinstance(source, str) or len(source) > MAX_LENGTH:
        raise Refused(f"{what}: a formula text is wanted")
    try:
        return reader(source)
    except (FormulaError, ValueError, RecursionError) as error:
        raise Refused(f"{what}: {error}") from None


def rational(source: Any, what: str) -> Fraction:
    """The rational number in a certificate's text. Raises :class:`Refused`."""
    e = read(source, what) if isinstance(source, str) and len(source) < 2000 else None
    if e is None or e.op != "num":
        raise Refused(f"{what}: a rational number is wanted")
    value: Fraction = e.value
    return value


def known(node: Node, key: str, seq: Sequent, *more: str, default: Expr | None = None) -> Expr:
    """The formula under ``key``, in variables of the sequent and the names in ``more``. Raises :class:`Refused`."""
    e = default if default is not None and key not in node else formula(node, key)
    if not e.free <= {*seq.variables, *more}:
        raise Refused(f"{key}: a formula in known variables is wanted")
    return e


def fresh_name(node: Node, seq: Sequent) -> str:
    """The name under "new", free also where a hypothesis was dropped that spoke of it. Raises :class:`Refused`."""
    e = formula(node, "new")
    if e.op != "var" or e.value in {*seq.variables, *seq.integers}:
        raise Refused("new: a fresh name is wanted")
    return str(e.value)


def name_of(node: Node, key: str, seq: Sequent) -> str:
    """The variable of the sequent that a node names. Raises :class:`Refused`."""
    v = node.get(key)
    if not isinstance(v, str) or v not in seq.variables:
        raise Refused(f"{key}: a variable of the sequent is wanted")
    return v


def items(node: Node, key: str, limit: int = 400) -> list[Any]:
    """The list under ``key``, at most ``limit`` long. Raises :class:`Refused`."""
    v = node.get(key)
    if not isinstance(v, (list, tuple)) or len(v) > limit:
        raise Refused(f"{key}: a list of at most {limit} entries is wanted")
    return list(v)


def objects(node: Node, key: str, limit: int = 400) -> list[Node]:
    """The list of objects under ``key``, at most ``limit`` long. Raises :class:`Refused`."""
    found = items(node, key, limit)
    if not all(isinstance(v, Mapping) for v in found):
        raise Refused(f"{key}: a list of objects is wanted")
    return found


def whole_number(value: Any, what: str, low: int = -LARGEST, high: int = LARGEST) -> int:
    """A whole number of a certificate. Raises :class:`Refused`."""
    if not isinstance(value, int) or isinstance(value, bool) or not low <= value <= high:
        raise Refused(f"{what}: a whole number from {low} to {high} is wanted")
    return value


def hypothesis(index: Any, seq: Sequent) -> Relation:
    """The hypothesis that a node names by its place. Raises :class:`Refused`."""
    return seq.hyps[whole_number(index, "an index of a hypothesis", 0, len(seq.hyps) - 1)]


def facts_about(
    node: Node, new: str, value: Expr, names: set[str], seq: Sequent
) -> tuple[list[Relation], list[Sequent]]:
    """The facts of a node about a name that is new beside ``names``, and that they hold for its ``value``."""
    facts = [relation(source) for source in items(node, "facts", 6)] if "facts" in node else []
    if not all(fact.free <= names | {new} for fact in facts):
        raise Refused("a fact on unknown variables")
    return facts, [s for fact in facts for s in need(fact.map(lambda e: substitute(e, {new: value})), seq)]


def slope(e: Expr, v: str) -> Expr:
    """The derivative of a formula. Raises :class:`Refused` where it has none."""
    try:
        return derivative(e, v)
    except NotDifferentiable as error:
        raise Refused(str(error)) from None


def normal_form(e: Expr, seq: Sequent) -> Ratio:
    """The normal form of a formula. Raises :class:`Refused` where it would be too large."""
    try:
        return seq.algebra.normal(e)
    except AlgebraLimit as error:
        raise Refused(str(error)) from None


def ordering(seq: Sequent) -> Relation:
    """The goal, which must be an inequality. Raises :class:`Refused`."""
    if seq.goal.op not in ORDER:
        raise Refused(f"the rule wants an inequality, not {seq.goal.op}")
    return seq.goal


def at_least(e: Expr, strict: bool) -> Relation:
    """e >= 0, or e > 0 where ``strict``."""
    return Relation(">" if strict else ">=", e, ZERO)


def need(goal: Relation, seq: Sequent) -> list[Sequent]:
    """What is left to show that a side condition is defined and holds: nothing where a hypothesis or the box says so.

    A hypothesis is defined where it holds.
    """
    box = seq.box
    if box is None:
        return []
    for h in seq.hyps:
        if h == goal:
            return []
        if h.op in ORDER and goal.op in ORDER and h.gap is goal.gap and (h.strict or not goal.strict):
            return []
    if natural(goal, box):
        return []
    partial = obligations(goal.gap, seq)
    return partial if goal.op in ORDER and _same_as_hypothesis(goal, seq) else [*partial, seq.with_goal(goal)]


def _same_as_hypothesis(goal: Relation, seq: Sequent) -> bool:
    """Whether a hypothesis says the same up to rearrangement and a positive rational factor."""
    if len(seq.hyps) > 30:
        return False
    try:
        wanted = seq.algebra.normal(goal.gap)
        for h in seq.hyps:
            if h.op in ORDER and (h.strict or not goal.strict) and h.free == goal.free:
                have = seq.algebra.normal(h.gap)
                m = next(iter(wanted.num), None)
                if have.den == wanted.den and m in have.num:
                    factor = wanted.num[m] / have.num[m]
                    if factor > 0 and not add(wanted.num, have.num, -factor):
                        return True
    except AlgebraLimit:
        pass
    return False


def refuse_more_bases(
    seq: Sequent, before: Expr, after: Expr, old: Expr | None = None, whole: frozenset[str] = frozenset()
) -> None:
    """Refuse a goal of definedness where an exponent that was not whole by its form becomes so, or one of whole names.

    A power takes more bases then: x**(n/2) has no value for x < 0, x**(2/2) has one. ``after`` is ``before`` with
    something put for names, or for ``old``; the names in ``whole`` are whole in it too. Raises :class:`Refused`.
    """
    if seq.goal.op != "defined":
        return
    pending = [(before, after, seq.integers, seq.integers | whole)]
    seen = set(pending)
    while pending:
        e, f, here, there = pending.pop()
        if e is f or e is old or e.op == "var":
            continue
        if e.op == "pow" and e.args[1] is not f.args[1]:
            fixed = f.args[1].free <= there or is_integer_valued(f.args[1], there)
            if fixed and not is_integer_valued(e.args[1], here):
                raise Refused("a whole exponent for a real one")
        inner = (here, there)
        if e.op in BINDERS:
            own = {str(e.args[1].value)}
            inner = (here | own, there | own) if e.op == "sum" else (here - own, there - own)
        for k, (a, b) in enumerate(zip(e.args, f.args, strict=True)):
            part = (a, b, *(inner if k == 0 else (here, there)))
            if part not in seen:
                seen.add(part)
                pending.append(part)
