"""What a term is: its sort and whether it is random, from declarations alone.

A declaration is a text such as ``integer``, ``random vector``, ``vector -> real`` or ``integer -> random vector``.
A term is typed from the declarations of its names and the signatures of the field's heads; nothing is guessed from
where a name stands. Every well-typed term has a value everywhere (x/0, log(-1), the expectation of a variable that is
not integrable, an integral that diverges: 0 by convention), so a step never asks whether a term is defined.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from functools import lru_cache
from typing import NamedTuple

from boundcheck.kernel.formula import (
    ARITHMETIC,
    BINDERS,
    CONSTANTS,
    FAMILIES,
    FUNCTIONS,
    RELATIONS,
    Expr,
    Relation,
    endless,
    is_zero,
)

REAL, INTEGER, VECTOR, EVENT = "real", "integer", "vector", "event"
INFORMATION, OBJECT, LAW, END = "information", "object", "law", "end"
KINDS = (REAL, INTEGER, VECTOR, EVENT, INFORMATION, OBJECT)
QUANTITY, SOURCE = "quantity", "source"  #: of metavariables: a number or a vector; what one can be given
#: Heads that average over what is random inside: their value is no longer random.
MEANS = frozenset({"P", "E", "law", "independent", "measurable", "integrable", "increasing", "adapted", "gradient"})
#: Heads whose value depends on chance only through what they are conditioned on.
CONDITIONAL = frozenset({"Egiven", "Pgiven"})
#: Heads that speak of laws: what stands inside is meant as a random quantity, not as its value.
AVERAGES = MEANS | CONDITIONAL


class SortError(ValueError):
    """A term that does not fit its declarations; says which term, and the two sorts that clash."""


class Sort(NamedTuple):
    """The sort of a name or a term: ``kind`` of its values, whether they are random, the kinds of its arguments."""

    kind: str
    random: bool = False
    args: tuple[str, ...] = ()

    def __str__(self) -> str:
        value = f"random {self.kind}" if self.random else self.kind
        return f"{', '.join(self.args)} -> {value}" if self.args else value


def read_sort(text: str, kinds: tuple[str, ...] = KINDS) -> Sort:
    """The sort behind a declaration's text. Raises :class:`SortError`."""
    if not isinstance(text, str):
        raise SortError(f"a declaration is a text such as 'random vector', not {type(text).__name__}")
    return _read_sort(text, kinds)


@lru_cache(maxsize=10_000)
def _read_sort(text: str, kinds: tuple[str, ...]) -> Sort:
    args: tuple[str, ...] = ()
    value = text
    if "->" in text:
        left, _, value = text.partition("->")
        args = tuple(a.strip() for a in left.split(","))
    words = value.split()
    random = words[:1] == ["random"]
    kind = " ".join(words[random:])
    for name in (*args, kind):
        if name not in kinds:
            raise SortError(f"{text!r}: {name!r} is no sort; one of {', '.join(kinds)} is wanted")
    if kind == EVENT:
        random = True  # an event is a set of outcomes, and so is each member of a family
    return Sort(kind, random, args)


Names = Mapping[str, Sort]


def typed(e: Expr, names: Names) -> Sort:
    """The sort of ``e`` under the declarations ``names``. Raises :class:`SortError`."""
    return _typed_under(e, tuple(map(names.get, _looked_up(e))))


@lru_cache(maxsize=50_000)
def _looked_up(e: Expr) -> tuple[str, ...]:
    """Every name whose declaration the sort of ``e`` may depend on: its variables, bound ones too, and its heads."""
    return tuple(dict.fromkeys(str(n.value) if n.op == "var" else n.op for n in e.walk()))


@lru_cache(maxsize=50_000)
def _typed_under(e: Expr, sorts: tuple[Sort | None, ...]) -> Sort:
    """:func:`typed` where the names that ``e`` looks up have the ``sorts``: the same in every such scope."""
    return _typed(e, {n: s for n, s in zip(_looked_up(e), sorts, strict=True) if s is not None})


def _typed(e: Expr, names: Names) -> Sort:
    op = e.op
    if op == "num":
        return Sort(INTEGER if e.value.denominator == 1 else REAL)
    if endless(e):
        return Sort(END)
    if op == "const":
        return Sort(REAL)
    if op == "var":
        sort = names.get(e.value)
        if sort is None:
            raise SortError(f"{e.value} is not declared")
        return sort
    if op in RELATIONS:
        return Sort(EVENT, _sides(e, e.args[0], e.args[1], names))
    special = _SPECIAL.get(op)
    if special is not None:
        return special(e, names)
    if op in FUNCTIONS:
        return _function(e, names)
    if op in names:
        return _applied(e, names[op], e.args, names)
    raise SortError(f"{op}({', '.join(map(str, e.args))}): {op} is not declared")


def is_random(e: Expr, names: Names) -> bool:
    """Whether the value of ``e`` depends on chance."""
    return typed(e, names).random


def check_relation(r: Relation, names: Names) -> bool:
    """Whether the (well-typed) relation is between random quantities. Raises :class:`SortError`."""
    return typed(Expr(r.op, r.sides), names).random


def _function(e: Expr, names: Names) -> Sort:
    parts = [_typed(a, names) for a in e.args]
    whole = e.op in ("floor", "ceil") or (e.op in ("abs", "min", "max") and all(p.kind == INTEGER for p in parts))
    found = [_fit(p, a, REAL, e).random for p, a in zip(parts, e.args, strict=True)]
    return Sort(INTEGER if whole else REAL, True in found)


def fits(kind: str, wanted: str) -> bool:
    """Whether values of ``kind`` may stand where ``wanted`` is."""
    if wanted == QUANTITY:
        return kind in (REAL, INTEGER, VECTOR)
    if wanted == SOURCE:
        return kind in (REAL, INTEGER, VECTOR, OBJECT, INFORMATION)
    return kind == wanted or (kind == INTEGER and wanted == REAL)


def suits(value: Expr, found: Sort, wanted: Sort) -> bool:
    """Whether a term of the sort ``found`` may stand for a name of the sort ``wanted``; 0 is a vector, too."""
    zero = wanted.kind == VECTOR and is_zero(value)
    return found.args == wanted.args and (zero or fits(found.kind, wanted.kind))


def _want(e: Expr, kind: str, names: Names, inside: Expr) -> Sort:
    return _fit(_typed(e, names), e, kind, inside)


def _fit(found: Sort, e: Expr, kind: str, inside: Expr) -> Sort:
    """What ``e`` was found to be, if that is of the wanted kind. Each term is typed once: towers stay linear."""
    if kind == VECTOR and is_zero(e):
        return Sort(VECTOR)
    if found.args or not fits(found.kind, kind):
        raise SortError(f"{e} is {_told(found)}, {_kind_told(kind)} is wanted in {inside}")
    return found


def _told(t: Sort) -> str:
    return "a function" if t.args else _kind_told(t.kind)


def _kind_told(kind: str) -> str:
    told = {REAL: "a number", INTEGER: "an integer", EVENT: "an event", OBJECT: "an object", END: "infinite"}
    return told.get(kind, kind if kind == INFORMATION else f"a {kind}")


def _sides(e: Expr, a: Expr, b: Expr, names: Names) -> bool:
    left, right = _typed(a, names), _typed(b, names)
    if e.op in ("==", "!="):
        for x, y, other in ((left, right, b), (right, left, a)):
            if x.kind in (VECTOR, LAW) and not x.args:
                if x.kind == VECTOR and is_zero(other):
                    return x.random
                if x.kind == y.kind and not y.args:
                    return left.random or right.random
                raise SortError(f"{a} is {_told(left)} and {b} is {_told(right)} in {a} {e.op} {b}")
    found = [_fit(t, x, REAL, e).random for t, x in ((left, a), (right, b))]
    return True in found


def _sum(e: Expr, names: Names) -> Sort:
    parts = [_typed(a, names) for a in e.args]
    whole = all(p.kind == INTEGER for p in parts)
    kind = VECTOR if any(p.kind == VECTOR for p in parts) else INTEGER if whole else REAL
    wanted = REAL if kind == INTEGER else kind
    found = [_fit(p, a, wanted, e).random for p, a in zip(parts, e.args, strict=True)]
    return Sort(kind, True in found)


def _product(e: Expr, names: Names) -> Sort:
    a, b = (_typed(x, names) for x in e.args)
    if VECTOR not in (a.kind, b.kind):
        whole = a.kind == b.kind == INTEGER
        found = [_fit(p, x, REAL, e).random for p, x in zip((a, b), e.args, strict=True)]
        return Sort(INTEGER if whole else REAL, True in found)
    if a.kind == b.kind:
        raise SortError(f"{e}: a product of two vectors; dot(...) is the inner product")
    scalar, term = (b, e.args[1]) if a.kind == VECTOR else (a, e.args[0])
    _fit(scalar, term, REAL, e)
    return Sort(VECTOR, a.random or b.random)


def _quotient(e: Expr, names: Names) -> Sort:
    top, below = (_typed(a, names) for a in e.args)
    kind = VECTOR if top.kind == VECTOR else REAL
    found = [_fit(top, e.args[0], kind, e).random, _fit(below, e.args[1], REAL, e).random]
    return Sort(kind, True in found)


def _binder(e: Expr, names: Names) -> Sort:
    if not e.binds:
        raise SortError(f"{e.op} is written {e.op}(term, name, from, to), not {e}")
    body, name, low, high = e.args
    whole = e.op != "integral"
    bound = Sort(INTEGER if whole else REAL)
    ends = [Sort(END) if endless(x) else _want(x, INTEGER if whole else REAL, names, e) for x in (low, high)]
    inner = _typed(body, {**names, name.value: bound})
    if e.op in ("union", "meet"):
        inner = _fit(inner, body, EVENT, e)
    elif inner.kind != VECTOR or e.op in ("least", "most"):
        inner = _fit(inner, body, REAL, e)._replace(kind=REAL)
    return Sort(inner.kind, inner.random or any(t.random for t in ends))


#: The kinds of the arguments of a head, and that of its value, which is random where one of them is.
_SIGNATURES = {
    "pow": ((REAL, REAL), REAL), "clip": ((REAL, REAL), REAL), "ind": ((EVENT,), REAL),
    "norm": ((VECTOR,), REAL), "dot": ((VECTOR, VECTOR), REAL), "complement": ((EVENT,), EVENT),
    "both": ((EVENT, EVENT), EVENT), "either": ((EVENT, EVENT), EVENT),
}  # fmt: skip


def _plain(e: Expr, names: Names) -> Sort:
    wanted, kind = _SIGNATURES[e.op]
    _arity(e, len(wanted))
    found = [_want(a, k, names, e).random for a, k in zip(e.args, wanted, strict=True)]
    return Sort(kind, True in found)


def _mean(e: Expr, names: Names) -> Sort:
    _arity(e, 1 if e.op in ("P", "E") else 2)
    inner = _want(e.args[0], EVENT, names, e) if e.op.startswith("P") else _quantity(e.args[0], names, e)
    kind = REAL if e.op.startswith("P") or inner.kind == INTEGER else inner.kind
    if e.op in CONDITIONAL:
        given = _given(e.args[1], names, e)
        return Sort(kind, inner.random or given)
    return Sort(kind)


def _quantity(e: Expr, names: Names, inside: Expr) -> Sort:
    """A number or a vector."""
    found = _typed(e, names)
    if found.args or found.kind not in (REAL, INTEGER, VECTOR):
        raise SortError(f"{e} is {_told(found)}, a number or a vector is wanted in {inside}")
    return found


def _given(e: Expr, names: Names, inside: Expr) -> bool:
    """What one can be given: information, or a random quantity or object (the information in its value)."""
    found = _typed(e, names)
    if found.args or (found.kind != INFORMATION and not found.random):
        raise SortError(f"{e} is {_told(found)}; information or a random quantity is wanted in {inside}")
    return True


def _arity(e: Expr, wanted: int) -> None:
    if len(e.args) != wanted:
        raise SortError(f"{e.op} takes {wanted} arguments, {len(e.args)} are given: {e}")


def _law(e: Expr, names: Names) -> Sort:
    _arity(e, 1)
    if e.op == "law":
        _quantity(e.args[0], names, e)
    else:
        _want(e.args[0], INTEGER, names, e)
    return Sort(LAW)


def _predicate(e: Expr, names: Names) -> Sort:
    if e.op == "integrable" and e.binds:
        body, name, low, high = e.args
        ends = [_want(end, REAL, names, e).random for end in (low, high) if not endless(end)]
        return Sort(INTEGER, _quantity(body, {**names, name.value: Sort(REAL)}, e).random or True in ends)
    _arity(e, 1 if e.op in ("integrable", "increasing") else 2)
    found = [_typed(a, names) for a in e.args]
    first, last = found[0], found[-1]
    if e.op == "integrable":
        _quantity(e.args[0], names, e)
    elif e.op == "measurable":
        _given(e.args[1], names, e)
    elif e.op in ("adapted", "increasing") and (last.kind != INFORMATION or not last.args):
        raise SortError(f"{e.args[-1]} is {_told(last)}; a family of information is wanted in {e}")
    elif e.op == "gradient" and (first.kind, last.kind, first.args, last.args) != (REAL, VECTOR, (VECTOR,), (VECTOR,)):
        raise SortError(f"{e}: a function vector -> real and its gradient vector -> vector are wanted")
    return Sort(INTEGER)


def _member(e: Expr, names: Names) -> Sort:
    family = _typed(e.args[0], names)
    if not family.args:
        raise SortError(f"{e.args[0]} is {_told(family)}, a family is wanted in {e}")
    return _applied(e, family, e.args[1:], names)


def _applied(e: Expr, sort: Sort, given: tuple[Expr, ...], names: Names) -> Sort:
    if len(given) > len(sort.args):
        raise SortError(f"{e} gives {len(given)} arguments, {len(sort.args)} are declared")
    random = sort.random
    for a, kind in zip(given, sort.args, strict=False):
        if kind == OBJECT:
            found = _typed(a, names)
            if found.args or found.kind in (EVENT, INFORMATION, LAW):
                raise SortError(f"{a} is {_told(found)}, an object is wanted in {e}")
        else:
            found = _want(a, kind, names, e)
        if found.random and sort.kind == INFORMATION:
            raise SortError(f"{a} is random in {e}; what is known at a random time is no part of this language")
        random = random or found.random
    return Sort(sort.kind, random, sort.args[len(given) :])


_SPECIAL = {
    **dict.fromkeys(("add", "sub", "neg"), _sum),
    "mul": _product,
    "div": _quotient,
    **dict.fromkeys((*BINDERS, *FAMILIES), _binder),
    **dict.fromkeys(_SIGNATURES, _plain),
    **dict.fromkeys(("P", "E", *CONDITIONAL), _mean),
    **dict.fromkeys(("law", "sphere", "ball", "coordinate"), _law),
    **dict.fromkeys(("independent", "measurable", "integrable", "increasing", "adapted", "gradient"), _predicate),
    "at": _member,
}


_WORDS = frozenset({*_SPECIAL, *ARITHMETIC, *CONSTANTS, *FUNCTIONS})


def check_declared(names: Iterable[str]) -> None:
    """Refuse a name for a value that is a word of the language. Raises :class:`SortError`."""
    for name in names:
        if name in _WORDS:
            raise SortError(f"{name} is a word of the language and cannot be declared: call it {name}0, say")


def check_names(names: Iterable[str]) -> None:
    """Refuse a name that no formula can say. Raises :class:`SortError`.

    The normal form binds names of its own, #1, #2, ...: one that is declared would be theirs.
    """
    for name in names:
        if not (name.isascii() and name.isidentifier()):
            raise SortError(f"{name!r} is no name; the letters a to z, digits and _ are wanted")
