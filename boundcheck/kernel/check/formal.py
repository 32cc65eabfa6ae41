"""Exact Taylor coefficients of functions at a symbolic point, by their slopes, and enclosures of their remainders."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from math import factorial
from typing import Any

from flint import arb, fmpq

from boundcheck.kernel.check.slope_leaves import series
from boundcheck.kernel.derivative import slope_in_x
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import Interval
from boundcheck.kernel.formula import Expr, call, is_zero, num, substitute, var

Coefficient = Any
_FORMED = frozenset({"var", "neg", "add", "sub", "mul", "div", "exp", "sqrt"})


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
        """f(at), f'(at), f''(at)/2, ... (n of them), from the slope of f; None where that has other functions in it.

        The slope is a formula in x and f; where f is in it, one more coefficient of f gives one more of the slope.
        """
        if name == "sinc" and is_zero(at):
            return [fmpq(0) if k % 2 else fmpq((-1) ** (k // 2), factorial(k + 1)) for k in range(n)]
        if name in ("gamma", "loggamma"):
            logs = [self.normal(call("loggamma", at))]
            for k in range(1, n):
                logs.append(self.mul(fmpq(1, factorial(k)), self.normal(Expr("polygamma", (at,), k - 1))))
            return logs if name == "loggamma" else self.exp(logs, self.normal(call("gamma", at)))
        slope = slope_in_x(name)
        if slope is None or not all(map(_is_formed, slope.walk())):
            return None
        values = {"x": at, "f": call(name, at)}
        line = {"x": [self.normal(at), fmpq(1)] + [fmpq(0)] * n, "f": [self.normal(values["f"])]}
        while len(line["f"]) < n:
            known = len(line["f"]) if "f" in slope.free else n
            line["f"] = self.integral(line["f"][0], self.of(slope, line, values, known))
        return line["f"][:n]

    def of(self, e: Expr, line: Mapping[str, list[Any]], values: Mapping[str, Expr], n: int) -> list[Any]:
        """The first n coefficients of a formula, from those of its variables and their ``values`` at 0."""

        def head(f: Expr) -> Coefficient:
            return self.normal(substitute(f, values))

        if not e.free:
            return [self.normal(e)] + [fmpq(0)] * (n - 1)
        if e.op == "var":
            return line[e.value][:n]
        a, *others = (self.of(part, line, values, n) for part in e.args)
        match e.op:
            case "neg":
                return [self.mul(fmpq(-1), c) for c in a]
            case "exp":
                return self.exp(a, head(e))
            case "sqrt":
                return self.power(a, fmpq(1, 2), head(e), head(1 / e.args[0]))
        (b,) = others
        match e.op:
            case "add" | "sub":
                sign = fmpq(1 if e.op == "add" else -1)
                return [self.add(x, self.mul(sign, y)) for x, y in zip(a, b, strict=True)]
            case "div":
                return self.times(a, self.inverse(b, head(1 / e.args[1])))
        return self.times(a, a if e.op == "pow" else b)  # the square, or a product


def _is_formed(e: Expr) -> bool:
    """Whether :meth:`Formal.of` forms a term of its parts."""
    return not e.free or e.op in _FORMED or (e.op == "pow" and e.args[1] is num(2))


def remainder(name: str, n: int, r: Interval, derivative: Expr | None) -> Interval | None:
    """{f^(n)(x)/n! : x in r}."""
    if name == "sinc":  # sinc x is the mean of cos(x s) over s in [0, 1], so |f^(n)(x)| <= 1/(n + 1)
        most = (1 / (arb(factorial(n)) * (n + 1))).upper()
        return (-most, most, False, False)
    if derivative is None:
        found = series(call(name, var("t")), "t", r[0].union(r[1]), {}, n) if iv.bounded(r) else None
        return None if found is None else iv.point(found[n])
    value = enclose(derivative, {"t": r})
    return None if value is None else iv.mul(value, iv.point(1 / arb(factorial(n))) or iv.ENTIRE)
