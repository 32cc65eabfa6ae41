"""Normal forms as ordinary polynomials: every atom with its least power becomes a variable of known sign.

With x**(1/2), E**t and (a + b)**p in a formula, the variables are these powers; two formulas that are read in one
frame are compared as polynomials in them.
"""

from __future__ import annotations

from dataclasses import dataclass
from math import gcd, lcm
from typing import Any

from flint import fmpq

from boundcheck.decide.scalar.prover import polynomial
from boundcheck.kernel.check.poly import Mono, Poly, freeze, thaw, to_expr
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, text

Exponents = tuple[int, ...]
Dense = dict[Exponents, Any]
Key = tuple[Expr, Mono]  #: an atom, and the monomial that multiplies its exponent (the empty one for numbers)


def _row(m: Mono) -> dict[Key, Any]:
    out: dict[Key, Any] = {}
    for atom, x in m:
        for sub, c in thaw(x).items():
            out[atom, sub] = out.get((atom, sub), fmpq(0)) + c
    return out


@dataclass(frozen=True)
class Frame:
    """The variables: keys with units, and which of them are known to be >= 0."""

    keys: tuple[Key, ...]
    units: tuple[Any, ...]
    nonneg: tuple[bool, ...]

    def read(self, p: Poly) -> Dense | None:
        """The polynomial in the frame; None if a power does not fit."""
        place = {k: i for i, k in enumerate(self.keys)}
        out: Dense = {}
        for m, c in p.items():
            exponents = [0] * len(self.keys)
            for k, x in _row(m).items():
                i = place.get(k)
                if i is None:
                    return None
                q = x / self.units[i]
                if q.q != 1 or q < 0:
                    return None
                exponents[i] = int(q.p)
            out[tuple(exponents)] = c
        return out

    def mono(self, exponents: Exponents) -> Mono:
        """The monomial of the normal form."""
        total: dict[Expr, Poly] = {}
        for (atom, sub), u, e in zip(self.keys, self.units, exponents, strict=True):
            if e:
                part = total.setdefault(atom, {})
                part[sub] = part.get(sub, fmpq(0)) + u * e
        found = ((a, freeze({m: c for m, c in x.items() if c != 0})) for a, x in total.items())
        return tuple(
            sorted(((a, x) for a, x in found if not (isinstance(x, fmpq) and x == 0)), key=lambda t: text(t[0]))
        )

    def expr(self, p: Dense) -> Expr:
        """A formula."""
        return to_expr({self.mono(e): c for e, c in p.items()})


def frame_of(polys: list[Poly], seq: Sequent) -> tuple[Frame, Mono] | None:
    """A frame for all of ``polys``, after the first has been multiplied by the monomial that is returned with it."""
    rows = [[_row(m) for m in p] for p in polys]
    keys = list(dict.fromkeys(k for p in rows for r in p for k in r))
    box = seq.box or {}
    units, nonneg, lift = [], [], {}
    for k in keys:
        found = [r.get(k, fmpq(0)) for p in rows for r in p]
        low = min([r.get(k, fmpq(0)) for r in rows[0]], default=fmpq(0))
        if low < 0:
            lift[k] = -low
            found = [c - low for c in found] + [-low]
        if min(found) < 0:
            return None
        denominator = lcm(*(int(c.q) for c in found))
        unit = fmpq(max(gcd(*(int(c.p * denominator / c.q) for c in found)), 1), denominator)
        units.append(unit)
        atom, sub = k
        even = sub == () and unit.q == 1 and int(unit.p) % 2 == 0
        root = sub != () or unit.q != 1
        nonneg.append(even or root or positive(enclose(atom, box), False))
    frame = Frame(tuple(keys), tuple(units), tuple(nonneg))
    return frame, frame.mono(tuple(int((lift.get(k, fmpq(0)) / u).p) for k, u in zip(keys, units, strict=True)))


def hypothesis_polys(seq: Sequent, atoms: set[Expr], limit: int) -> dict[int, Poly]:
    """The polynomial gaps of the hypotheses that speak of these atoms only, by index, shortest first."""
    out: dict[int, Poly] = {}
    for i, h in enumerate(seq.hyps):
        if h.op in ("!=", "defined"):
            continue
        p = polynomial(h.gap, seq)
        if p and len(p) == 1 and h.op != "==" and len(next(iter(p))) <= 1:
            continue  # the sign of one atom: the box knows it
        if p and {a for m in p for a, _ in m} <= atoms and len(p) <= 30:
            out[i] = p
    short = sorted(out, key=lambda i: (seq.hyps[i].op != "==", len(out[i]), i))[:limit]
    return {i: out[i] for i in sorted(short)}
