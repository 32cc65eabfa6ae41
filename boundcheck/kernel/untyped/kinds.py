"""Vectors and scalars in a proof: a name that stands for both would make its facts contradict each other.

``law(u) == sphere(d)`` says of a vector that it is uniform on the sphere, and of a scalar that it is a coordinate of
such a vector; |c v| = |c| |v| is about a scalar c. What a name is shows in where it stands: in norm(...), dot(...),
as a point of f or as its gradient it is a vector; under abs, exp, min, ..., in a power, a denominator or an ordering
it is a scalar.
"""

from __future__ import annotations

from collections.abc import Iterable

from boundcheck.kernel.formula import BINDERS, FUNCTIONS, RELATIONS, Expr, Relation, substitute, var

VECTOR, SCALAR = "vector", "scalar"
_OF_VECTORS = frozenset({"norm", "dot", "f", "F", "fmu", "gradf", "gradF", "gradfmu", "slopef", "slopeF"})
_GRADIENTS = frozenset({"gradf", "gradF", "gradfmu"})
_OF_SCALARS = frozenset({*FUNCTIONS, "clip", "pow"})
_MEANS = frozenset({"E", "Egiven", *BINDERS, "at"})  #: of the kind of their first argument
_PASSES = 4  #: what one relation says of a name may tell what a product in another one is


class Clash(ValueError):
    """A name that stands for a vector and for a scalar."""


def check(facts: Iterable[tuple[Iterable[Relation], Iterable[str]]]) -> None:
    """Raise :class:`Clash` if the facts, each with the names that it holds for all of, use a name in both ways."""
    kinds = _Kinds()
    relations = [
        r.map(lambda e, n=n, over=over: substitute(e, {o: var(f"{o}@{n}") for o in over}))  # type: ignore[misc]
        for n, (group, over) in enumerate(facts)
        for r in group
    ]
    for _ in range(_PASSES):
        before = len(kinds.known)
        for r in relations:
            kinds.relation(r.op, r.lhs, r.rhs)
        if len(kinds.known) == before:
            return


class _Kinds:
    """What is known of the names."""

    def __init__(self) -> None:
        self.known: dict[str, str] = {}

    def relation(self, op: str, a: Expr, b: Expr) -> None:
        kind = SCALAR if op not in ("==", "!=") else self.of(a) or self.of(b)
        self.place(a, kind)
        self.place(b, kind)

    def of(self, e: Expr) -> str | None:
        """The kind of ``e`` by its form and its names; None where these leave it open (as the number 0 does)."""
        if e.op == "num":
            return SCALAR if e.value else None
        if e.op == "var":
            return self.known.get(e.value)
        if e.op in _GRADIENTS:
            return VECTOR
        if e.op in ("add", "sub", "neg"):
            return next((k for k in map(self.of, e.args) if k is not None), None)
        if e.op in _MEANS or e.op == "div":
            return self.of(e.args[0])
        if e.op == "mul":
            found = {self.of(a) for a in e.args}
            return VECTOR if VECTOR in found else SCALAR if found == {SCALAR} else None
        return SCALAR

    def place(self, e: Expr, kind: str | None) -> None:
        """Take note of the names of ``e``, which stands where a ``kind`` belongs (None: either)."""
        if e.op == "var":
            if kind is not None and self.known.setdefault(e.value, kind) != kind:
                raise Clash(f"{e.value.partition('@')[0]} stands for a vector and for a scalar")
        elif e.op in ("add", "sub", "neg"):
            for a in e.args:
                self.place(a, kind)
        elif e.op == "mul":
            for a, b in (e.args, e.args[::-1]):
                other = self.of(b)
                self.place(a, SCALAR if kind == SCALAR or other == VECTOR else kind if other == SCALAR else None)
        elif e.binds:
            body, bound, *ends = e.args
            self.place(substitute(body, {bound.value: var(f"{bound.value}@")}), kind if e.op in BINDERS else None)
            for end in ends:
                self.place(end, SCALAR)
        elif e.op in _MEANS:
            self.place(e.args[0], kind)
            for a in e.args[1:]:
                self.place(a, None)
        elif e.op == "div":
            self.place(e.args[0], kind)
            self.place(e.args[1], SCALAR)
        elif e.op in RELATIONS:
            self.relation(e.op, *e.args)
        else:
            if e.op in _GRADIENTS and kind == SCALAR:
                raise Clash(f"{e} is a vector and stands for a scalar")
            own = VECTOR if e.op in _OF_VECTORS else SCALAR if e.op in _OF_SCALARS else None
            for a in e.args:
                self.place(a, own)
