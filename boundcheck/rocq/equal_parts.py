"""One form for parts of powers that are equal but written differently: logarithms, calls and exponentials."""

from __future__ import annotations

from collections.abc import Collection

from flint import fmpq

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.formula import Expr
from boundcheck.rocq.coq_text import coq
from boundcheck.rocq.exponents import OPAQUE


def twins(terms: Collection[Expr], algebra: Algebra) -> tuple[dict[Expr, Expr], dict[Expr, Expr]]:
    """(logarithms and calls below the terms -> a twin, what is written in another form -> that form)."""
    same: dict[Expr, Expr] = {}
    other: dict[Expr, Expr] = {}
    below = {n for t in terms for n in t.walk() if n is not t and n.free and n.op in ("log", "exp", *OPAQUE)}
    inside = sorted(below, key=lambda e: (len(coq(e)), coq(e)))
    seen: list[Expr] = []
    for e in (n for n in inside if n.op == "log"):
        known = next((o for o in seen if equal(e.args[0] - o.args[0], algebra)), None)
        if known is None:
            seen.append(e)
        else:
            same[e] = known
    for e in (n for n in inside if n.op in OPAQUE):
        atom = _atom(e, algebra)
        if atom is not None and atom is not e and atom.op == e.op:
            same[e] = other[e] = atom
    for e in (n for n in inside if n.op == "exp"):
        try:
            other[e] = algebra.normal(e).expr()
        except AlgebraLimit:
            continue
    return same, other


def equal(gap: Expr, algebra: Algebra) -> bool:
    """Whether the normal form of a gap is 0."""
    try:
        return bool(algebra.is_zero(gap))
    except AlgebraLimit:
        return False


def _atom(e: Expr, algebra: Algebra) -> Expr | None:
    """The one atom that is the normal form of a call."""
    try:
        form = algebra.normal(e)
    except AlgebraLimit:
        return None
    m = next(iter(form.num), ())
    plain = form.den == {(): fmpq(1)} and form.num == {m: fmpq(1)} and len(m) == 1 and m[0][1] == fmpq(1)
    return m[0][0] if plain else None
