"""The reader of proofs: text -> chains of lines with ranges and hints.

let tail = S**p*t**(-p);  c = 2*tau          abbreviations: what follows is read with their terms
NAME: TERM                                   a chain; NAME (optional) is that of its end result
    <= TERM  for t where t >= tau   by HINT  each link has a range and a hint of its own, or those of its chain
    == TERM
A <= B  if z != 0                            conditions without quantified names
on {norm(at(gs, t)) <= eta}:                 the lines of the block hold on an event
    ...
for integer t where 1 <= t, t <= T:          the lines of the block hold for all t
    ...
if norm(z) <= U:                             the lines of the block hold under conditions
    ...
claim 2 by [fact], [fact]                    what a claim follows from, where the search shall not find it
as in lem:own, from NAME to NAME             these lines of another proof: put in before the proof is read
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

from boundcheck.author.proof_records import BY, EXACTLY, Chain, Conclusion, Hint, Line, Link, Range
from boundcheck.author.reasons_given import read_hint, refs
from boundcheck.author.source import NotationError, Piece, Row, rows
from boundcheck.author.syntax import Lets, is_relation, relations, sides, term
from boundcheck.hints import nearest
from boundcheck.kernel.formula import BINDERS, CONSTANTS, FAMILIES, FUNCTIONS, PROOF_HEADS, Expr

MAX_LINES = 5_000
MAX_LETS = 500
KINDS = ("real", "integer", "vector", "event", "information", "object", "random")
EVERYWHERE = Range()
_NAMED = re.compile(r"([A-Za-z0-9_][\w .'-]*?)\s*:(?![=:])")
_LINK = re.compile(r"(<=|>=|==|!=|<|>)\s*")
_APPLIED = re.compile(r"\b([A-Za-z_]\w*)\(")
_BETWEEN = frozenset({"for", "where", "if", "and", "on", "let", "claim"})
_SORTED = re.compile(rf"(?:{'|'.join(KINDS)})\s+(?=\w)")
#: Functions of papers and other programs, in small letters: what a proof says instead.
ELSEWHERE = {
    **dict.fromkeys(("inner", "innerproduct", "inner_product", "ip", "scalarproduct"), "write dot(v, w)"),
    **dict.fromkeys(("var", "variance"), "write E((X - E(X))**2)"),
    **dict.fromkeys(("cov", "covariance"), "write E((X - E(X))*(Y - E(Y)))"),
    **dict.fromkeys(("pr", "prob", "probability"), "write P(X > a)"),
    **dict.fromkeys(("mean", "expectation", "expect"), "write E(X)"),
    **dict.fromkeys(("indicator", "one"), "write ind(X > a)"),
    **dict.fromkeys(("grad", "nabla"), 'declare gradf = "vector -> vector", and state gradient(f, gradf) == 1'),
}
_WORDS = frozenset({*FUNCTIONS, *BINDERS, *FAMILIES, *CONSTANTS, *PROOF_HEADS})


@dataclass(frozen=True)
class _Around:
    """What holds around a line: abbreviations, known names, the range and conditions of the blocks that it is in."""

    lets: dict[str, Expr]
    known: frozenset[str]
    range: Range = EVERYWHERE


def read_proof(
    text: str,
    first: int = 1,
    known: frozenset[str] = frozenset(),
    functions: frozenset[str] = frozenset(),
    numbers: Sequence[int] = (),
) -> list[Line]:
    """The lines of a proof. ``known`` are names that no line quantifies over by merely mentioning them in a range.

    ``functions`` are the names that are declared: no other is applied, beside the words of the language.

    Raises :class:`boundcheck.author.source.NotationError` with line and column; ``first`` is the first line's number,
    ``numbers`` are those of all lines where they do not follow each other.
    """
    found = rows(text, first, numbers)
    if len(found) > MAX_LINES:
        raise NotationError(
            f"a proof of {len(found)} lines; at most {MAX_LINES} are read", found[MAX_LINES].piece.place
        )
    for row in found:
        check_functions(row.piece, functions)
    return _block(found, _Around({}, known))


def check_functions(piece: Piece, functions: frozenset[str]) -> None:
    """Refuse a function that is neither a word of the language nor declared."""
    body, _, _ = piece.before_word(BY, EXACTLY)
    for found in _APPLIED.finditer(body.text):
        name = found[1]
        if name not in _WORDS and name not in functions and name not in _BETWEEN:
            raise body.fault(f"unknown function {name}; {_instead(name, functions)}", found.start())


def _instead(name: str, functions: frozenset[str]) -> str:
    """What to write for a function that is neither a word of the language nor declared."""
    if mend := ELSEWHERE.get(name.lower()):
        return mend
    return nearest(
        name, [*functions, *FUNCTIONS, *PROOF_HEADS], f'declare it, as in declares = {{{name} = "real -> real"}}'
    )


def _block(found: list[Row], around: _Around) -> list[Line]:
    lines: list[Line] = []
    lets = dict(around.lets)
    at = 0
    while at < len(found):
        row = found[at]
        if row.indent != found[0].indent:
            raise row.piece.fault(f"indented by {row.indent}, the lines around it by {found[0].indent}")
        deeper = at + 1
        while deeper < len(found) and found[deeper].indent > row.indent:
            deeper += 1
        inner, here = found[at + 1 : deeper], replace(around, lets=lets)
        if re.match(r"let\b", row.piece.text):
            _let(_whole(row, inner), lets)
        elif re.match(r"(on|for|if)\b.*:$", row.piece.text):
            lines += _inner_block(row, inner, here)
        elif re.match(r"claim\b", row.piece.text):
            lines.append(_conclusion(_whole(row, inner), lets))
        else:
            lines.append(_chain(row, inner, here))
        at = deeper
    return lines


def _whole(row: Row, inner: Iterable[Row]) -> Piece:
    piece = row.piece
    for more in inner:
        piece = piece.joined(more.piece)
    return piece


def _let(piece: Piece, lets: dict[str, Expr]) -> None:
    for part in piece.cut(3).split(";"):
        if not part.text:
            continue
        name, sign, _ = part.text.partition("=")
        name = name.strip()
        if not sign or part.text[len(part.text.partition("=")[0]) + 1 :].startswith("="):
            raise part.fault("an abbreviation is written: let name = term; name = term")
        if not name.isidentifier() or name in _WORDS:
            raise part.fault(f"{name!r} cannot be an abbreviation; choose a name that is no word of the language")
        if name in lets:
            raise part.fault(f"{name} is an abbreviation already; choose another name")
        if len(lets) >= MAX_LETS:
            raise part.fault(f"more than {MAX_LETS} abbreviations")
        lets[name] = term(part.cut(part.text.index("=") + 1), lets)


def _inner_block(row: Row, inner: list[Row], around: _Around) -> list[Line]:
    piece = row.piece.cut(0, len(row.piece.text) - 1)
    if not inner:
        raise row.piece.fault("the block is empty; indent its lines")
    if piece.text.startswith("on"):
        event = piece.cut(2)
        if not (event.text.startswith("{") and event.text.endswith("}")):
            raise event.fault("the event of a block is written in braces: on {X <= a}:")
        condition = str(Expr("ind", (term(event.cut(1, len(event.text) - 1), around.lets),)))
        own = Range((), (f"{condition} == 1",))
    elif piece.text.startswith("if"):
        own = Range((), read_conditions(piece.cut(2), around.lets))
    else:
        own = read_range(piece.cut(3), around.lets, around.known)
    return _block(inner, replace(around, range=around.range.and_(own)))


def _conclusion(piece: Piece, lets: Lets) -> Conclusion:
    found = re.match(r"claim\s+([0-9]{1,3})\s+by\s+", piece.text)
    if not found:
        raise piece.fault("what a claim follows from is written: claim 1 by [fact], [fact]")
    return Conclusion(int(found[1]), tuple(refs(piece.cut(found.end()), lets)), piece.place)


# ---------------------------------------------------------------- chains


def _chain(row: Row, inner: list[Row], around: _Around) -> Chain:
    head, name, role = row.piece, "", ""
    marked = re.match(r"(printed|repaired)\b", head.text)
    if marked:
        role, head = marked[1], head.cut(marked.end())
    named = _NAMED.match(head.text)
    if named:
        name, head = named[1], head.cut(named.end())
    pieces: list[tuple[Piece, str]] = [(head, row.remark)] if head.text else []
    for more in inner:
        if _LINK.match(more.piece.text) is None and pieces:
            pieces[-1] = (pieces[-1][0].joined(more.piece), pieces[-1][1])
        else:
            pieces.append((more.piece, more.remark))
    if not pieces:
        raise row.piece.fault(f"nothing is said under the name {name}")
    first, links, whole = _head(*pieces[0], around)
    for piece, remark in pieces[1:]:
        links.append(_link(piece, remark, around))
    if not links:
        raise pieces[0][0].fault("a relation (<=, ==, ...) is missing: a line says TERM <= TERM")
    shared = whole
    for link in links:
        shared = shared.and_(link.range) if link.range is not None else shared
    shared = around.range.and_(shared)
    links = [replace(k, range=shared if k.range is None else around.range.and_(k.range)) for k in links]
    return Chain(first, tuple(links), row.piece.place, shared, name, role)


def _head(piece: Piece, remark: str, around: _Around) -> tuple[Expr, list[Link], Range]:
    body, range_, hint = _parts(piece, around)
    terms, symbols = sides(body)
    first = term(terms[0], around.lets)
    links = []
    for n, (symbol, part) in enumerate(zip(symbols, terms[1:], strict=True), 1):
        own = hint if n == len(symbols) else Hint()
        links.append(Link(symbol, term(part, around.lets), part.place, range_, own, remark))
    return first, links, (range_ or Range()) if not links else Range()


def _link(piece: Piece, remark: str, around: _Around) -> Link:
    found = _LINK.match(piece.text)
    if found is None:
        raise piece.fault("a link of a chain begins with <=, ==, ...")
    body, range_, hint = _parts(piece.cut(found.end()), around)
    if is_relation(body):
        raise body.fault("one relation a line: begin a new line with the next symbol")
    return Link(found[1], term(body, around.lets), piece.place, range_, hint, remark)


def _parts(piece: Piece, around: _Around) -> tuple[Piece, Range | None, Hint]:
    """The formula of a line, its range (None: not said) and its hint."""
    words = piece.words(BY, EXACTLY)
    hint = Hint()
    if words:
        word, at = words[0]
        hint = read_hint(word, piece.cut(at + len(word)), around.lets)
        piece = piece.cut(0, at)
    body, word, behind = piece.before_word("for", "if")
    if not word:
        return body, None, hint
    if word == "if":
        return body, Range((), read_conditions(behind, around.lets)), hint
    return body, read_range(behind, around.lets, around.known), hint


# ---------------------------------------------------------------- ranges


def read_range(piece: Piece, lets: Lets, known: frozenset[str] = frozenset()) -> Range:
    """The range after ``for`` or ``for all``: ``x, y``, ``integer t where 1 <= t``, ``y: vector``, or ``t >= a``.

    Where it has conditions alone, it is for all of the names in these that are not ``known``.
    """
    if re.match(r"all\s+(?!where\b|if\b)\w", piece.text):  # as a table of facts prints it: for all t where t >= 0
        piece = piece.cut(len("all"))
    names, word, behind = piece.before_word("where", "if")
    parts = [p for p in names.split(",") if p.text]
    if not parts:
        raise piece.fault("for what? write: for t where t >= 0")
    over: list[str] = []
    where: list[str] = []
    for part in parts:
        if is_relation(part):
            if _SORTED.match(part.text):
                raise part.fault("a sort and a condition in one; write: for integer t where t >= 0")
            where += read_conditions(part, lets)
        else:
            over.append(_quantified(part))
    bare = {o.partition(":")[0] for o in over}
    for part in parts:  # s, t >= 0 is read as for every s, also below 0, and the t of the statement
        if over and is_relation(part) and not any(r.free & bare for r in relations(part, lets)):
            raise part.fault(
                f"{part.text} is about none of {', '.join(sorted(bare))}; write: for s, t where s >= 0, t >= 0"
            )
    if len(bare) < len(over):
        raise piece.fault("it is for all values of one name twice; two things, two names")
    if word:
        where += read_conditions(behind, lets)
    if not over:
        free = frozenset().union(*(r.free for p in parts if is_relation(p) for r in relations(p, lets)))
        over = sorted(free - known)
        if not over:
            raise piece.fault("all of its names are known; conditions on these are written with 'if'")
        if len(over) > 1:  # t >= a for every a, where an a of the statement was meant, perhaps misspelt
            new = ", ".join(over)
            raise piece.fault(f"{new} are new: declare what stands for one thing, or write: for {new} where ...")
    return Range(tuple(over), tuple(where))


def _quantified(piece: Piece) -> str:
    """A quantified name, with its sort where one is given: ``t: integer``."""
    name, colon, sort = (s.strip() for s in piece.text.partition(":"))
    if not colon:
        *words, name = piece.text.split() or [""]
        sort = " ".join(words)
    if not name.isidentifier():
        raise piece.fault(f"{piece.text!r} is no name; a range reads: for t, s where t >= 0")
    unknown = [w for w in re.findall(r"[\w]+", sort) if w not in KINDS]
    if unknown:
        raise piece.fault(f"{unknown[0]!r} is no sort; one of {', '.join(KINDS)} is wanted")
    return f"{name}: {sort}" if sort else name


def read_conditions(piece: Piece, lets: Lets) -> tuple[str, ...]:
    """The relations between commas and ``and``, as texts."""
    found: list[str] = []
    for part in _anded(piece):
        found += [str(r) for r in relations(part, lets)]
    return tuple(found)


def _anded(piece: Piece) -> list[Piece]:
    parts: list[Piece] = []
    for part in piece.split(","):
        rest = part
        while True:
            before, word, rest = rest.before_word("and")
            parts.append(before)
            if not word:
                break
    return parts
