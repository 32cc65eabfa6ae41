"""Terms of the notation: formulas of the kernel's language, with ``xs[t]`` for a member of a family and abbreviations.

An abbreviation stands for its text: what it names may be bound by the term in which it is used
(``let tail = S**p*t**(-p)``, then ``integral(tail, t, tau, oo)``).
"""

from __future__ import annotations

import re
from collections.abc import Mapping

from boundcheck.author.source import NotationError, Piece
from boundcheck.kernel.formula import MAX_LENGTH, Expr, FormulaError, Relation, parse, parse_relation, parse_relations

Lets = Mapping[str, Expr]
_NAME = re.compile(r"[A-Za-z_][A-Za-z0-9_]*")
_AT = re.compile(r"\bat\(([A-Za-z_][A-Za-z0-9_]*), ")
_BRACKET = re.compile(r"[\[\]()]")
_SYMBOL = re.compile(r"<=|>=|==|!=|<|>")


def _members(piece: Piece) -> tuple[str, list[int]]:
    """The text with ``at(xs, t)`` for each ``xs[t]``, and for each of its characters the index it came from."""
    if not _BRACKET.search(piece.text):
        return piece.text, list(range(len(piece.text)))
    out: list[str] = []
    origin: list[int] = []

    def put(text: str, index: int) -> None:
        out.extend(text)
        origin.extend([index] * len(text))

    stack: list[str] = []
    n = 0
    while n < len(piece.text):
        c = piece.text[n]
        name = _NAME.match(piece.text, n)
        if name:
            end = name.end()
            if end < len(piece.text) and piece.text[end] == "[":
                put("at(", n)
                for k in range(n, end):
                    put(piece.text[k], k)
                put(", ", end)
                stack.append("]")
                n = end + 1
                continue
            for k in range(n, end):
                put(piece.text[k], k)
            n = end
            continue
        if c == "(":
            stack.append(")")
        elif c in ")]" and (not stack or stack.pop() != c):
            raise piece.fault(f"{c!r} closes nothing", n)
        put(")" if c == "]" else c, n)
        n += 1
    return "".join(out), origin


def members(text: str) -> str:
    """A part of a formula with ``at(xs, t)`` for each ``xs[t]``; as it is where its brackets do not fit."""
    try:
        return _members(Piece.of_line(text, 1))[0]
    except NotationError:
        return text


def with_members(text: str) -> str:
    """A formula as people write it: ``xs[t]`` for each ``at(xs, t)``."""
    out: list[str] = []
    closing: list[str] = []
    n = 0
    while n < len(text):
        member = _AT.match(text, n)
        if member:
            out.append(f"{member[1]}[")
            closing.append("]")
            n = member.end()
            continue
        c = text[n]
        if c == "(":
            closing.append(")")
        out.append(closing.pop() if c == ")" and closing else c)
        n += 1
    return "".join(out)


def _fault(piece: Piece, fault: FormulaError, origin: list[int]) -> Exception:
    column = fault.column
    message = str(fault).removeprefix(f"column {column}: ")
    if column is None:
        return piece.fault(message)
    at = origin[column - 1] if 0 < column <= len(origin) else len(piece.text)
    return piece.fault(message, at)


def term(piece: Piece, lets: Lets) -> Expr:
    """The term, or event, that the text says, abbreviations written out. Raises NotationError."""
    if not piece.text:
        raise piece.fault("a term is missing")
    text, origin = _members(piece)
    try:
        if not is_relation(piece):
            return _short(written_out(parse(text, proof=True), lets))
        event = parse_relation(text, proof=True)
        return _short(written_out(Expr(event.op, event.sides), lets))
    except FormulaError as fault:
        raise _fault(piece, fault, origin) from None


def relations(piece: Piece, lets: Lets) -> tuple[Relation, ...]:
    """The relation, or chain of relations, that the text says. Raises NotationError."""
    if not piece.text:
        raise piece.fault("a relation is missing")
    text, origin = _members(piece)
    try:
        return tuple(r.map(lambda e: _short(written_out(e, lets))) for r in parse_relations(text, proof=True))
    except FormulaError as fault:
        raise _fault(piece, fault, origin) from None


def sides(piece: Piece) -> tuple[list[Piece], list[str]]:
    """The terms and the symbols of a chain ``a <= b == c``; one term and no symbol where there is no relation."""
    top = set(piece.top())
    cuts = [m for m in _SYMBOL.finditer(piece.text) if m.start() in top]
    starts, stops = [0, *(m.end() for m in cuts)], [*(m.start() for m in cuts), len(piece.text)]
    return [piece.cut(a, b) for a, b in zip(starts, stops, strict=True)], [m.group() for m in cuts]


def written_out(e: Expr, lets: Lets) -> Expr:
    """``e`` with its abbreviations written out, also where this binds a name of theirs."""
    if not lets:
        return e
    if e.op == "var":
        return lets.get(e.value, e)
    if e.binds and e.args[1].value in lets:
        raise FormulaError(f"{e.args[1].value} is an abbreviation and cannot be bound")
    if not e.args:
        return e
    return Expr(e.op, tuple(written_out(a, lets) for a in e.args), e.value)


def _short(e: Expr) -> Expr:
    """The term, if it can be read again as a side of a relation: ``let b = a*a``, ``let c = b*b``, ... doubles it."""
    if e.size > MAX_LENGTH // 3 or len(str(e)) > MAX_LENGTH // 3:
        raise FormulaError(f"with its abbreviations written out it has more than {MAX_LENGTH // 3} characters")
    return e


def is_relation(piece: Piece) -> bool:
    """Whether a relation symbol stands in the text outside of brackets."""
    return any(piece.text[n] in "<>=!" for n in piece.top())
