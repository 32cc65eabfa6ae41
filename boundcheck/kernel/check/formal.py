"""Exact Taylor coefficients of special functions at a symbolic point, and enclosures of their remainders."""

from __future__ import annotations

from collections.abc import Callable
from math import factorial
from typing import Any

import flint
from flint import arb, arb_series, fmpq

from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, Interval
from boundcheck.kernel.formula import Expr, call, const, is_zero, num

Coefficient = Any
_SERIES = frozenset({"atan", "asin", "erf", "erfc", "gamma", "loggamma", "lambertw"})


class Formal:
    """Truncated power series in t with coefficients of an :class:`boundcheck.kernel.check.series.Expander`."""

    def __init__(self, mul: Callable[[Any, Any], Any], add: Callable[[Any, Any], Any], normal: Callable[[Expr], Any]):
        self.mul, self.add, self.normal = mul, add, normal

    def times(self, a: list[Any], b: list[Any]) -> list[Any]:
        """The product of two truncated series, by coefficients."""
        out = [fmpq(0)] * len(a)
        for i, x in enumerate(a):
            for j, y in enumerate(b[: len(a) - i]):
                out[i + j] = self.add(out[i + j], self.mul(x, y))
        return out

    def integral(self, first: Coefficient, slope: list[Any]) -> list[Any]:
        """The series with value ``first`` at 0 and derivative ``slope``."""
        return [first] + [self.mul(fmpq(1, k + 1), c) for k, c in enumerate(slope)]

    def inverse(self, a: list[Any], head: Coefficient) -> list[Any]:
        """1/a, with ``head`` = 1/a[0]; a[0] itself is not read."""
        out = [head]
        for n in range(1, len(a)):
            total: Any = fmpq(0)
            for k in range(1, n + 1):
                total = self.add(total, self.mul(a[k], out[n - k]))
            out.append(self.mul(fmpq(-1), self.mul(head, total)))
        return out

    def power(self, a: list[Any], q: Any, head: Coefficient, inverse: Coefficient) -> list[Any]:
        """a**q with ``head`` = a[0]**q and ``inverse`` = 1/a[0], a[0] not read (Miller's recurrence)."""
        out = [head]
        for n in range(1, len(a)):
            total: Any = fmpq(0)
            for k in range(1, n + 1):
                total = self.add(total, self.mul(k * q - (n - k), self.mul(a[k], out[n - k])))
            out.append(self.mul(fmpq(1, n), self.mul(inverse, total)))
        return out

    def exp(self, a: list[Any], head: Coefficient) -> list[Any]:
        """exp(a), with ``head`` = exp(a[0])."""
        out = [head]
        for n in range(1, len(a)):
            total: Any = fmpq(0)
            for k in range(1, n + 1):
                total = self.add(total, self.mul(fmpq(k), self.mul(a[k], out[n - k])))
            out.append(self.mul(fmpq(1, n), total))
        return out

    def coefficients(self, name: str, at: Expr, n: int) -> list[Any] | None:
        """f(at), f'(at), f''(at)/2, ... (n of them); None for a function without a recurrence here."""
        a = self.normal(at)
        here = self.normal(call(name, at)) if name != "polygamma" else None
        line = [a, fmpq(1)] + [fmpq(0)] * n
        square = self.times(line[: max(n, 1)], line[: max(n, 1)])
        down = [self.mul(fmpq(-1), c) for c in square]  # 1 + square and 1 + down differ from these in the head alone
        match name:
            case "atan":
                slope = self.inverse(square, self.normal(1 / (1 + at ** num(2))))
            case "asin":
                inside = 1 - at ** num(2)
                slope = self.power(down, fmpq(-1, 2), self.normal(1 / call("sqrt", inside)), self.normal(1 / inside))
            case "erf" | "erfc":
                factor = self.normal((2 if name == "erf" else num(-2)) / call("sqrt", const("pi")))
                slope = [self.mul(factor, c) for c in self.exp(down, self.normal(call("exp", -(at ** num(2)))))]
            case "loggamma" | "gamma":
                logs = [self.normal(call("loggamma", at))]
                for k in range(1, n):
                    logs.append(self.mul(fmpq(1, factorial(k)), self.normal(Expr("polygamma", (at,), k - 1))))
                return logs if name == "loggamma" else self.exp(logs, here)
            case "lambertw":
                return self._lambert(at, here, n)
            case "sinc":
                return self._sinc(at, n)
            case _:
                return None
        return self.integral(here, slope)[:n]

    def _lambert(self, at: Expr, here: Coefficient, n: int) -> list[Any]:
        """w(at + t) from w' = exp(-w)/(1 + w), a coefficient at a time."""
        w = call("lambertw", at)
        decay, inverse = self.normal(call("exp", -w)), self.normal(1 / (1 + w))
        out = [here]
        for k in range(1, n):
            slope = self.times(self.exp([self.mul(fmpq(-1), c) for c in out], decay), self.inverse(out, inverse))
            out.append(self.mul(fmpq(1, k), slope[k - 1]))
        return out

    def _sinc(self, at: Expr, n: int) -> list[Any]:
        """sinc(at + t) = sin(at + t)/(at + t); about 0 its own series."""
        if is_zero(at):
            return [fmpq(0) if k % 2 else fmpq((-1) ** (k // 2), factorial(k + 1)) for k in range(n)]
        turns = [self.normal(f) for f in (call("sin", at), call("cos", at), -call("sin", at), -call("cos", at))]
        sine = [self.mul(fmpq(1, factorial(k)), turns[k % 4]) for k in range(n)]
        return self.times(sine, self.inverse([fmpq(0), fmpq(1), *([fmpq(0)] * n)][:n], self.normal(1 / at)))


def remainder(name: str, n: int, r: Interval, derivative: Expr | None) -> Interval | None:
    """{f^(n)(x)/n! : x in r}."""
    if name == "sinc":  # sinc x is the mean of cos(x s) over s in [0, 1], so |f^(n)(x)| <= 1/(n + 1)
        most = (1 / (arb(factorial(n)) * (n + 1))).upper()
        return (-most, most, False, False)
    if name in _SERIES:
        lo, hi = r[0], r[1]
        if lo == NINF or hi == INF or (name in ("gamma", "loggamma") and not lo > 0):
            return None
        if name == "asin" and not (lo > -1 and hi < 1):
            return None
        old = flint.ctx.cap
        flint.ctx.cap = n + 1
        try:
            x = arb_series([lo.union(hi), 1])
            method = "lgamma" if name == "loggamma" else name
            return iv.point(getattr(x, method)()[n])
        except (ValueError, ZeroDivisionError):
            return None
        finally:
            flint.ctx.cap = old
    if derivative is None:
        return None
    value = enclose(derivative, {"t": r})
    return None if value is None else iv.mul(value, iv.point(1 / arb(factorial(n))) or iv.ENTIRE)
