"""What each name of a set of facts is: real, integer, vector, event or sigma-field, random or not, a family or not.

For a proof layer that declares its names :func:`benchmarks.hunter.adapter.sorts` hands the declarations over; for one
that does not, :func:`infer` finds what the places tell in which a name stands. A name of which they tell nothing is
left out: a model then draws its sort.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace

from boundcheck.kernel.formula import RELATIONS, Expr, Relation

REAL, VECTOR, EVENT, SIGMA, OTHER = "real", "vector", "event", "sigma-field", "other"
#: head -> the sort of its value, those of its arguments (the last one repeats)
_SIGNATURES: dict[str, tuple[str, tuple[str, ...]]] = {
    "norm": (REAL, (VECTOR,)),
    "dot": (REAL, (VECTOR,)),
    "f": (REAL, (VECTOR,)),
    "F": (REAL, (VECTOR,)),
    "fmu": (REAL, (VECTOR,)),
    "gradf": (VECTOR, (VECTOR,)),
    "gradF": (VECTOR, (VECTOR,)),
    "gradfmu": (VECTOR, (VECTOR,)),
    "slopef": (REAL, (VECTOR,)),
    "slopeF": (REAL, (VECTOR,)),
    "clip": (REAL, (REAL,)),
    "P": (REAL, (EVENT,)),
    "ind": (REAL, (EVENT,)),
    "both": (EVENT, (EVENT,)),
    "either": (EVENT, (EVENT,)),
    "complement": (EVENT, (EVENT,)),
    "sphere": (OTHER, (REAL,)),
    "ball": (OTHER, (REAL,)),
    "pow": (REAL, (REAL,)),
}
_SAME = ("add", "sub", "neg")
_RANDOM_HEADS = ("F", "gradF", "slopeF")


@dataclass(frozen=True)
class Sort:
    """What a name is. ``arity`` is the number of indices of a family (0: no family)."""

    kind: str = REAL
    random: bool = False
    integer: bool = False
    arity: int = 0


class _Places:
    """What the places tell: a union-find over names and terms would be exact; passes over the facts do."""

    def __init__(self, known: Mapping[str, Sort]):
        self.kinds = {name: sort.kind for name, sort in known.items()}
        self.arity: dict[str, int] = {}
        self.integers: set[str] = set()
        self.vector_places: set[str] = set()

    def of(self, e: Expr) -> str | None:
        """The kind of ``e``, or None."""
        if e.op in RELATIONS:
            return EVENT
        if e.op == "var":
            return self.kinds.get(e.value)
        if e.op == "num":
            return REAL if e.value else None
        if e.op == "at":
            return self.of(e.args[0])
        if e.op in _SAME:
            return next((k for k in map(self.of, e.args) if k is not None), None)
        if e.op == "mul":
            kinds = [self.of(a) for a in e.args]
            return VECTOR if VECTOR in kinds else REAL if kinds == [REAL, REAL] else None
        if e.op in ("div", "E", "Egiven", "integral", "sum", "least"):
            return self.of(e.args[0])
        if e.op in ("union", "meet"):
            return EVENT
        return _SIGNATURES[e.op][0] if e.op in _SIGNATURES else REAL

    def put(self, e: Expr, kind: str | None) -> None:
        """Take note of ``e`` standing where a ``kind`` belongs."""
        if e.op == "var":
            if kind is not None:
                self.kinds.setdefault(e.value, kind)
        elif e.op == "at":
            base, indices = e, 0
            while base.op == "at":
                indices += len(base.args) - 1
                for index in base.args[1:]:
                    self.put(index, REAL)
                    self.integers |= index.free
                base = base.args[0]
            if base.op == "var":
                self.arity[base.value] = max(indices, self.arity.get(base.value, 0))
            self.put(base, kind)
        elif e.op in RELATIONS:
            self.relation(e.op, *e.args)
        elif e.op in _SAME:
            own = kind or self.of(e)
            for a in e.args:
                self.put(a, own)
        elif e.op == "mul":
            a, b = e.args
            for one, other in ((a, b), (b, a)):
                vector = self.of(other) == VECTOR
                self.put(one, REAL if vector or kind == REAL else kind if self.of(other) == REAL else None)
        elif e.op == "div":
            self.put(e.args[0], kind)
            self.put(e.args[1], REAL)
        elif e.op in ("integral", "sum", "least", "union", "meet") and len(e.args) == 4:
            self.put(e.args[0], EVENT if e.op in ("union", "meet") else kind)
            self.put(e.args[1], REAL)
            if e.op != "integral":
                self.integers |= e.args[1].free | e.args[2].free | e.args[3].free
            for end in e.args[2:]:
                self.put(end, REAL)
        elif e.op in ("E", "Egiven"):
            self.put(e.args[0], kind)
            for a in e.args[1:]:
                self.given(a)
        elif e.op == "Pgiven":
            self.put(e.args[0], EVENT)
            self.given(e.args[1])
        elif e.op in ("measurable", "independent", "iid", "law"):
            self.put(e.args[0], None)
            for a in e.args[1:]:
                self.given(a) if e.op == "measurable" else self.put(a, None)
        else:
            wanted = _SIGNATURES.get(e.op, (REAL, (REAL,)))[1]
            for n, a in enumerate(e.args):
                self.put(a, wanted[min(n, len(wanted) - 1)])

    def given(self, e: Expr) -> None:
        """``e`` stands for what is known: a sigma-field if it is called past or a member of a family called H."""
        base = e
        while base.op == "at":
            base = base.args[0]
        self.put(e, SIGMA if base.op == "var" and base.value in ("past", "H") else None)

    def relation(self, op: str, a: Expr, b: Expr) -> None:
        kind = (self.of(a) or self.of(b)) if op in ("==", "!=") else REAL
        self.put(a, kind)
        self.put(b, kind)


def infer(
    relations: Iterable[Relation],
    random: Iterable[str] = (),
    integers: Iterable[str] = (),
    known: Mapping[str, Sort] | None = None,
    guess: bool = True,
    reals: Iterable[str] = (),
) -> dict[str, Sort]:
    """The sorts that the places in ``relations`` tell; ``known`` ones stand.

    ``guess``: a random name is a real. ``reals`` are no integers, though they may stand in an index.
    """
    relations = list(relations)
    places = _Places(known or {})
    for _ in range(4):
        before = (len(places.kinds), len(places.arity))
        for r in relations:
            places.relation(r.op, r.lhs, r.rhs)
        if (len(places.kinds), len(places.arity)) == before:
            break
    random, integers = set(random), set(integers) | (places.integers - set(reals))
    names = {n for r in relations for side in (r.lhs, r.rhs) for e in side.walk() if e.op == "var" for n in [e.value]}
    found: dict[str, Sort] = {}
    for name in sorted(names):
        if name in places.kinds or name in places.arity:
            kind = places.kinds.get(name, REAL)
            found[name] = Sort(kind, name in random, name in integers and kind == REAL, places.arity.get(name, 0))
            if name in places.arity and not isinstance(found[name], type(None)):
                found[name] = replace(found[name], integer=False)
        elif name in integers:
            found[name] = Sort(REAL, name in random, True)
        elif guess and name in random:
            found[name] = Sort(REAL, True)
    return {**found, **(known or {})}


def random_heads(relations: Iterable[Relation]) -> bool:
    """Whether the relations speak of the sample objective, which is random without a random name."""
    return any(n.op in _RANDOM_HEADS for r in relations for side in (r.lhs, r.rhs) for n in side.walk())
