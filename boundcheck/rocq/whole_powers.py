"""Which powers of a claim have whole exponents and bases that may be negative: they are another function.

``rpw x y`` is exp (y ln x), for x > 0; ``ipw x n`` is the product of n factors x, or its inverse. For the kernel both
are ``x ** y``, told apart by the exponent's form.
"""

from __future__ import annotations

from collections.abc import Iterator

from boundcheck.kernel.certificate import goals
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import BINDERS, Expr
from boundcheck.kernel.statement import Claim
from boundcheck.rocq.coq_text import NotStated, general, signed


def bases(claim: Claim) -> frozenset[Expr]:
    """The bases that may be negative, all of whose exponents are whole by their form. Raises :class:`NotStated`.

    What cannot be told apart is refused: the condition that a base is positive, or that an exponent is whole, would
    leave out a part of a hypothesis, and the theorem would say less than the claim.
    """
    box = goals(claim)[0].box or {}
    whole, other = set[Expr](), set[Expr]()
    for k, r in enumerate((*claim.where, *claim.claim)):
        for base, is_whole, free in (p for side in (r.lhs, r.rhs) for p in _powers(side, claim.integers)):
            size = enclose(base, box) if free else None
            if not is_whole:
                other.add(base)
            elif free and not positive(size, False):
                whole.add(base)
            elif k < len(claim.where) and not positive(size, True):
                raise NotStated("a whole power of what may be 0, in a hypothesis")
    if whole & other:
        raise NotStated("powers of what may be negative, some of them with exponents that are not whole")
    return frozenset(whole)


def _powers(
    e: Expr, integers: frozenset[str], bound: frozenset[str] = frozenset()
) -> Iterator[tuple[Expr, bool, bool]]:
    """(base, the exponent is whole, the base has no bound variable) of every power with a general exponent."""
    if e.op in BINDERS:
        body, v, *ends = e.args
        own = frozenset((str(v.value),))
        yield from _powers(body, integers | own if e.op == "sum" else integers - own, bound | own)
        for side in ends:
            yield from _powers(side, integers, bound)
        return
    if e.op == "pow" and general(*e.args) and not signed(*e.args):
        base, exponent = e.args
        yield base, is_integer_valued(exponent, integers), not base.free & bound
    for a in e.args:
        yield from _powers(a, integers, bound)
