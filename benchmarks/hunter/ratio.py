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


def ratio(num: fmpq_poly, den: fmpq_poly) -> fmpq_poly | Ratio:
    """num/den, a polynomial where it is one."""
    common = num.gcd(den)
    num, den = divmod(num, common)[0], divmod(den, common)[0]
    return num * (1 / den[0]) if den.degree() == 0 else Ratio(num, den)


def _parts(a: Any) -> tuple[fmpq_poly, fmpq_poly]:
    if isinstance(a, Ratio):
        return a.num, a.den
    return (a if isinstance(a, fmpq_poly) else fmpq_poly([a])), fmpq_poly([1])
