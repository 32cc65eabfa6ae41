"""A form in vectors as the sum of its coefficients times inner products, the coefficients not simplified.

Rocq proves such an expansion by ``ring`` alone; that a coefficient equals the simplified one is then an equation of
rational functions of the parameters, far smaller than one of whole forms.
"""

from __future__ import annotations

from collections.abc import Iterable

from boundcheck.kernel.check.quadratic import UNIT, Key
from boundcheck.kernel.formula import Expr, Relation, has_opaque, is_opaque, num, text
from boundcheck.rocq.coq_text import NotStated

Linear = dict[str, Expr]
Form = dict[Key, Expr]


def _add(a: dict[Key, Expr], b: dict[Key, Expr], sign: int) -> dict[Key, Expr]:
    out = dict(a)
    for k, c in b.items():
        own = c if sign > 0 else -c
        out[k] = out[k] + own if k in out else own
    return out


class Coordinates:
    """Reads terms as the kernel's reader of quadratic problems does, with formulas for coefficients."""

    def __init__(self, vectors: Iterable[str]):
        self.vectors = frozenset(vectors)

    def gap(self, large: Expr, small: Expr) -> Form:
        """The coefficients of large - small."""
        return _add(self.form(large), self.form(small), -1)

    def ball(self, large: Expr, small: Expr) -> Form:
        """The coefficients of large**2 - dot(x, x), where small is norm(x)."""
        return _add(self._radius(large), self._square(self._linear(small.args[0])), -1)

    def of(self, r: Relation) -> Form:
        """The coefficients of the printed gap of an inequality."""
        return self.form(r.gap)

    def _is_scalar(self, e: Expr) -> bool:
        return not (e.free & self.vectors or has_opaque(e))

    def _bilinear(self, a: Linear, b: Linear) -> Form:
        out: Form = {}
        for v, c in a.items():
            for w, d in b.items():
                out = _add(out, {("q", *sorted((v, w))): c * d}, 1)
        return out

    def _square(self, a: Linear) -> Form:
        return self._bilinear(a, a)

    def _linear(self, e: Expr) -> Linear:
        match e.op:
            case "var" if e.value in self.vectors:
                return {e.value: num(1)}
            case "num" if e.value == 0:
                return {}
            case "neg":
                return {v: -c for v, c in self._linear(e.args[0]).items()}
            case "add" | "sub":
                out = self._linear(e.args[0])
                for v, c in self._linear(e.args[1]).items():
                    own = c if e.op == "add" else -c
                    out[v] = out[v] + own if v in out else own
                return out
            case "mul":
                for k in (0, 1):
                    if self._is_scalar(e.args[k]):
                        return {v: e.args[k] * c for v, c in self._linear(e.args[1 - k]).items()}
            case "div" if self._is_scalar(e.args[1]):
                return {v: c * (num(1) / e.args[1]) for v, c in self._linear(e.args[0]).items()}
        raise NotStated(f"{e} as a combination of vectors")

    def _radius(self, e: Expr) -> Form:
        if e.op == "norm":
            return self._square(self._linear(e.args[0]))
        if self._is_scalar(e):
            return {("q", UNIT, UNIT): e * e}
        if e.op == "mul":
            for k in (0, 1):
                if self._is_scalar(e.args[k]):
                    return {key: e.args[k] * e.args[k] * c for key, c in self._radius(e.args[1 - k]).items()}
        if e.op == "div" and self._is_scalar(e.args[1]):
            inverse = num(1) / e.args[1]
            return {key: inverse * inverse * c for key, c in self._radius(e.args[0]).items()}
        return self._square(self._linear(e))

    def form(self, e: Expr) -> Form:
        """The coefficients of a quadratic form plus levels. Raises :class:`NotStated`."""
        if self._is_scalar(e):
            return {("q", UNIT, UNIT): e}
        match e.op:
            case "neg":
                return {k: -c for k, c in self.form(e.args[0]).items()}
            case "add" | "sub":
                return _add(self.form(e.args[0]), self.form(e.args[1]), 1 if e.op == "add" else -1)
            case "div" if self._is_scalar(e.args[1]):
                return {k: c * (num(1) / e.args[1]) for k, c in self.form(e.args[0]).items()}
            case "mul":
                for k in (0, 1):
                    if self._is_scalar(e.args[k]):
                        return {key: e.args[k] * c for key, c in self.form(e.args[1 - k]).items()}
                if not has_opaque(e):
                    return self._bilinear(self._linear(e.args[0]), self._linear(e.args[1]))
            case "pow" if e.args[1] is num(2):
                base = e.args[0]
                if base.op == "norm" or not has_opaque(base):
                    return self._square(self._linear(base.args[0] if base.op == "norm" else base))
            case "dot":
                return self._bilinear(self._linear(e.args[0]), self._linear(e.args[1]))
            case op if is_opaque(e) and op != "norm":
                return {("l", text(e)): num(1)}
        raise NotStated(f"{e} as a square, a product or a level")
