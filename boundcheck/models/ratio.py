"""Quotients of polynomials in the variable of an integral, or in the coordinate of a line: what a pole is made of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from flint import fmpq, fmpq_poly


@dataclass(frozen=True)
class Ratio:
    """num/den without a common factor; den is no constant."""

    num: fmpq_poly
    den: fmpq_poly

    def __add__(self, other: Any) -> fmpq_poly | Ratio:
        num, den = _parts(other)
        return ratio(self.num * den + num * self.den, self.den * den)

    def __mul__(self, other: Any) -> fmpq_poly | Ratio:
        num, den = _parts(other)
        return ratio(self.num * num, self.den * den)

    def __neg__(self) -> Ratio:
        return Ratio(-self.num, self.den)

    def __pow__(self, n: int) -> fmpq_poly | Ratio:
        return ratio(self.num**n, self.den**n)

    __radd__, __rmul__ = __add__, __mul__

    def __call__(self, x: fmpq) -> fmpq:
        """The value at a point; 0 at a pole."""
        below = self.den(x)
        return self.num(x) / below if below else fmpq(0)

    def moved(self, shift: fmpq) -> fmpq_poly | Ratio:
        """f(shift + 1/u)/u**2 as a function of u: its integral over (0, 1/a) is that of f over (shift + a, oo)."""
        top = max(self.num.degree(), self.den.degree())
        return ratio(_turned(self.num, shift, top), _turned(self.den, shift, top) * fmpq_poly([0, 0, 1]))

    def mirrored(self) -> fmpq_poly | Ratio:
        """f(-u)."""
        minus = fmpq_poly([0, -1])
        return ratio(self.num(minus), self.den(minus))


def ratio(num: fmpq_poly, den: fmpq_poly) -> fmpq_poly | Ratio:
    """num/den, a polynomial where it is one."""
    common = num.gcd(den)
    num, den = divmod(num, common)[0], divmod(den, common)[0]
    return num * (1 / den[0]) if den.degree() == 0 else Ratio(num, den)


def _turned(p: fmpq_poly, shift: fmpq, top: int) -> fmpq_poly:
    """u**top p(shift + 1/u)."""
    moved = p(fmpq_poly([shift, 1]))
    return fmpq_poly([moved[top - k] for k in range(top + 1)])


def _parts(a: Any) -> tuple[fmpq_poly, fmpq_poly]:
    if isinstance(a, Ratio):
        return a.num, a.den
    return (a if isinstance(a, fmpq_poly) else fmpq_poly([a])), fmpq_poly([1])
