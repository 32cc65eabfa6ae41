"""Which powers of a claim have whole exponents and bases that may be negative: they are another function.

``rpw x y`` is exp (y ln x), for x > 0; ``ipw x n`` is the product of n factors x, or its inverse. For the kernel both
are ``x ** y``, told apart by the exponent's form.
"""

from __future__ import annotations

from collections.abc import Iterator

from boundcheck.kernel.certificate import goals
from boundcheck.kernel.check.sequent import Box
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import ENTIRE, INF, positive
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import BINDERS, Expr
from boundcheck.kernel.statement import Claim
from boundcheck.rocq.coq_text import NotStated, general, signed


def bases(claim: Claim) -> frozenset[Expr]:
    """The bases of whole powers that ``rpw`` does not have: of what may be negative, or 0 ** 0. Raises NotStated.

    Their exponents are whole by their form. What cannot be told apart is refused: the condition that a base is
    positive, or that an exponent is whole, would leave out a part of a hypothesis, and the theorem would say less than
    the claim.
    """
    box = goals(claim)[0].box or {}
    free = frozenset(v for r in (*claim.where, *claim.claim) for v in r.free)
    whole, other = set[Expr](), set[Expr]()
    for k, r in enumerate((*claim.where, *claim.claim)):
        powers = (p for side in r.sides for p in _powers(side, claim.integers, box))
        for base, exponent, inner, is_whole in powers:
            beyond_0 = positive(enclose(exponent, inner), True)
            if not is_whole:
                other.add(base)
            elif positive(enclose(base, inner), strict=not beyond_0):
                continue
            elif base.free <= free:
                whole.add(base)
            elif k < len(claim.where):
                raise NotStated("a whole power of what may be 0 or negative, in a hypothesis")
    if whole & other:
        raise NotStated("powers of what may be negative, some of them with exponents that are not whole")
    return frozenset(whole)


def _powers(e: Expr, integers: frozenset[str], box: Box) -> Iterator[tuple[Expr, Expr, Box, bool]]:
    """(base, exponent, box with what is bound, the exponent is whole) of every power with a general exponent."""
    if e.op in BINDERS:
        body, v, low, high = e.args
        own, first = str(v.value), enclose(low, box)
        inner = {**box, own: (first[0], INF, False, True) if first is not None else ENTIRE}
        yield from _powers(body, integers | {own} if e.op == "sum" else integers - {own}, inner)
        for side in (low, high):
            yield from _powers(side, integers, box)
        return
    if e.op == "pow" and general(*e.args) and not signed(*e.args):
        base, exponent = e.args
        yield base, exponent, box, is_integer_valued(exponent, integers)
    for a in e.args:
        yield from _powers(a, integers, box)
