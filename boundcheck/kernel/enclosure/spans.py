"""Evaluation over boxes in intervals with exact ends: tight where a wide ball is not.

A :class:`Span` is [lo, hi] with exact ``arb`` ends, outward rounded; an end may be infinite (a limit
that is not attained). Monotone functions are evaluated at the ends, so exp over [0, 40] is
[1, exp 40], and a closed end stays closed: sqrt over [0, 1] is [0, 1]. A span of NaN decides nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from flint import arb, fmpq, fmpz

from boundcheck.kernel.enclosure import points
from boundcheck.kernel.enclosure.ends import ends
from boundcheck.kernel.enclosure.straight_line import (
    Program,
    exact_of,
    integer_of,
    is_integer_valued,
    program,
    spelled,
)
from boundcheck.kernel.formula import BINDERS, Expr
from boundcheck.kernel.formula.functions import TABLE


class Span(NamedTuple):
    """The set of reals between two exact ends; NaN ends mean: undefined, or not known."""

    lo: Any  # arb
    hi: Any  # arb

    @property
    def known(self) -> bool:
        """Whether neither end is NaN."""
        return not (self.lo.is_nan() or self.hi.is_nan())


ZERO, ONE, INF = arb(0), arb(1), arb.pos_inf()
NEG_INF = -INF
UNKNOWN = Span(arb.nan(), arb.nan())
Binder = Callable[[Expr, Span, Span, Mapping[str, Span], frozenset[str], bool], Span]


def from_ball(ball: Any) -> Span:
    """The span of an ``arb`` or ``fmpq``."""
    x = points.as_arb(ball)
    return UNKNOWN if x.is_nan() else Span(x.lower(), x.upper())


def to_ball(span: Span) -> Any:
    """A ball that contains the span (NaN if unknown)."""
    return span.lo.union(span.hi) if span.known else points.NAN


def hull(*spans: Span) -> Span:
    """The smallest span that contains all ``spans``."""
    if not all(s.known for s in spans):
        return UNKNOWN
    return Span(min(s.lo for s in spans), max(s.hi for s in spans))


def _end_product(x: Any, y: Any) -> Any:
    """The product of two ends; 0 times a limit at infinity is 0, since the limit is not attained."""
    return ZERO if x == 0 or y == 0 else x * y


def add(a: Span, b: Span) -> Span:
    """An enclosure of x + y for x in a, y in b."""
    return Span((a.lo + b.lo).lower(), (a.hi + b.hi).upper())


def sub(a: Span, b: Span) -> Span:
    """An enclosure of x - y for x in a, y in b."""
    return Span((a.lo - b.hi).lower(), (a.hi - b.lo).upper())


def neg(a: Span) -> Span:
    """-a."""
    return Span(-a.hi, -a.lo)


def mul(a: Span, b: Span) -> Span:
    """An enclosure of x y for x in a, y in b."""
    products = [_end_product(x, y) for x in a for y in b]
    return Span(min(p.lower() for p in products), max(p.upper() for p in products))


def _reciprocal(b: Span, partial: bool) -> Span:
    def inverse(x: Any) -> Any:
        return ZERO if x in (INF, NEG_INF) else ONE / x

    if b.lo > 0 or b.hi < 0:
        return Span(inverse(b.hi).lower(), inverse(b.lo).upper())
    if not partial or b.lo == b.hi == 0:
        return UNKNOWN
    if b.lo == 0:
        return Span(inverse(b.hi).lower(), INF)
    return Span(NEG_INF, inverse(b.lo).upper()) if b.hi == 0 else Span(NEG_INF, INF)


def divide(a: Span, b: Span, partial: bool) -> Span:
    """a/b; over ends directly, so that x/3 loses one rounding only."""
    if (b.lo > 0 or b.hi < 0) and all(abs(x) < INF for x in (*a, *b)):
        quotients = [x / y for x in a for y in b]
        return Span(min(q.lower() for q in quotients), max(q.upper() for q in quotients))
    inverse = _reciprocal(b, partial)
    return mul(a, inverse) if inverse.known else UNKNOWN


def _monotone(name: str, a: Span, partial: bool) -> Span:
    """A function that rises, or falls, on its whole domain; with ``partial`` over the part of ``a`` inside of it."""
    f = ends(name)
    low, high = f.low(), f.high()
    if partial:
        reaches = (a.hi >= low if f.closed[0] else a.hi > low) and (a.lo <= high if f.closed[1] else a.lo < high)
    else:
        reaches = not f.partial or (f.holds(a.lo) and f.holds(a.hi))
    if not reaches:
        return UNKNOWN
    left, right = f.value(a.lo), f.value(a.hi)
    return Span(left.lower(), right.upper()) if f.rises else Span(right.lower(), left.upper())


def _between(name: str, a: Span) -> Span:
    """A function between two bounds: its ball, where that says more."""
    f = ends(name)
    low, high = f.range or (NEG_INF, INF)
    ball = f.ball(to_ball(a)) if abs(a.lo) < INF and abs(a.hi) < INF else points.NAN
    return Span(low, high) if ball.is_nan() else Span(max(low, ball.lower()), min(high, ball.upper()))


def _abs(a: Span) -> Span:
    if a.lo >= 0:
        return a
    return neg(a) if a.hi <= 0 else Span(ZERO, max(-a.lo, a.hi))


def _cosh(a: Span) -> Span:
    m = _abs(a)
    return Span(max(ONE, m.lo.cosh().lower()), INF if m.hi == INF else m.hi.cosh().upper())


def _wave(a: Span, method: str, crest: Any) -> Span:
    """sin or cos: the ends, and 1 or -1 where a crest (at ``crest`` + k*pi) may lie inside."""
    if not (abs(a.lo) < INF and abs(a.hi) < INF):
        return Span(-ONE, ONE)
    values = [getattr(x, method)() for x in a]
    lo, hi = min(v.lower() for v in values), max(v.upper() for v in values)
    first, last = ((a.lo - crest) / arb.pi()).ceil(), ((a.hi - crest) / arb.pi()).floor()
    k, m = integer_of(first.lower().floor()), integer_of(last.upper().ceil())
    if k is None or m is None:
        return Span(-ONE, ONE)
    if m > k or (m == k and k % 2 == 0):
        hi = ONE
    if m > k or (m == k and k % 2 == 1):
        lo = -ONE
    return Span(max(lo, -ONE), min(hi, ONE))


def _tan(a: Span) -> Span:
    if not (abs(a.lo) < INF and abs(a.hi) < INF):
        return UNKNOWN
    branches = [integer_of(((x / arb.pi()) + fmpq(1, 2)).floor()) for x in a]
    if branches[0] is None or branches[0] != branches[1]:
        return UNKNOWN
    return Span(a.lo.tan().lower(), a.hi.tan().upper())


#: the minimum of gamma on (0, oo) lies in this interval (DLMF Table 5.4.1)
_GAMMA_MIN = (fmpq(146163214496836, 10**14), fmpq(146163214496837, 10**14))


def _gamma(a: Span, method: str, partial: bool) -> Span:
    """gamma and loggamma on (0, oo), where both fall, then rise; gamma elsewhere by balls."""
    if not a.lo > 0:
        if partial and a.lo == 0 and a.hi > 0:
            return Span(_gamma(Span(min(a.hi, ONE), a.hi), method, partial).lo, INF)
        return from_ball(to_ball(a).gamma()) if method == "gamma" and abs(a.lo) < INF else UNKNOWN
    values = [INF if x == INF else getattr(x, method)() for x in a]
    lo, hi = min(v.lower() for v in values), max(v.upper() for v in values)
    left, right = arb(_GAMMA_MIN[0]), arb(_GAMMA_MIN[1])
    if not (a.lo >= right or a.hi <= left):
        lo = min(lo, getattr(left.union(right), method)().lower())
    return Span(lo, hi)


def _polygamma(a: Span, order: int) -> Span:
    """Monotone on (0, oo): digamma and the even orders rise, the odd orders fall to 0."""
    if not a.lo > 0:
        return UNKNOWN
    lo, hi = (a.lo, a.hi) if order % 2 == 0 else (a.hi, a.lo)
    limit = INF if order == 0 else ZERO
    values = [limit if x == INF else points.polygamma(x, order) for x in (lo, hi)]
    return Span(values[0].lower(), values[1].upper())


def _step_function(a: Span, method: str) -> Span:
    def at(x: Any) -> Any:
        return x if abs(x) == INF else getattr(x, method)()

    return Span(at(a.lo).lower(), at(a.hi).upper())


def _integer_power(base: Span, n: int, partial: bool) -> Span:
    if n == 0:
        return Span(ONE, ONE)
    if n < 0:
        inner = _integer_power(base, -n, partial)
        return _reciprocal(inner, partial)
    a = _abs(base) if n % 2 == 0 else base

    def at(x: Any) -> Any:
        return x if abs(x) == INF else x ** fmpz(n)

    return Span(at(a.lo).lower(), at(a.hi).upper())


def _end_power(x: Any, y: Any) -> Any:
    """x**y at ends x >= 0, limits included; 1 where the limit depends on the path (both bounds are corners then)."""
    if y == 0 or x == 1:
        return ONE
    if x == 0:
        return ZERO if y > 0 else INF
    if x == INF:
        return INF if y > 0 else ZERO
    if abs(y) == INF:
        return INF if (x > 1) == (y > 0) else ZERO
    return x**y


def power(base: Span, exponent: Span, integer: bool, partial: bool) -> Span:
    """base**exponent; ``integer`` says that the exponent is an integer by form."""
    if integer and exponent.lo == exponent.hi:
        n = integer_of(exponent.lo)
        return UNKNOWN if n is None else _integer_power(base, n, partial)
    if integer and base.lo < 0:
        sizes = power(_abs(base), exponent, True, partial)
        return Span(-sizes.hi, sizes.hi) if sizes.known else UNKNOWN
    lo = max(base.lo, ZERO) if partial and base.hi >= 0 else base.lo
    if not lo >= 0:
        return UNKNOWN
    if lo == 0 and not exponent.lo > 0 and not partial and not (integer and exponent.lo >= 0):
        return UNKNOWN
    corners = [_end_power(x, y) for x in (lo, base.hi) for y in exponent]
    if lo == 0 and exponent.lo <= 0:
        corners.append(ONE)
        if exponent.hi > 0:
            corners.append(ZERO)
    return Span(min(c.lower() for c in corners), max(c.upper() for c in corners))


def apply(op: str, args: list[Span], partial: bool) -> Span:
    """The function or arithmetic operation ``op`` on known spans."""
    a = args[0]
    if op in ("add", "sub", "mul"):
        return {"add": add, "sub": sub, "mul": mul}[op](a, args[1])
    if op == "div":
        return divide(a, args[1], partial)
    if op == "neg":
        return neg(a)
    if op in TABLE and TABLE[op].rises is not None:
        return _monotone(op, a, partial)
    if op == "abs":
        return _abs(a)
    if op == "min":
        return Span(min(s.lo for s in args), min(s.hi for s in args))
    if op == "max":
        return Span(max(s.lo for s in args), max(s.hi for s in args))
    if op in ("sin", "cos"):
        return _wave(a, op, arb.pi() / 2 if op == "sin" else ZERO)
    if op == "tan":
        return _tan(a)
    if op == "cosh":
        return _cosh(a)
    if op in ("gamma", "loggamma"):
        return _gamma(a, "gamma" if op == "gamma" else "lgamma", partial)
    return _step_function(a, op) if op in ("floor", "ceil") else _between(op, a)


def _constant_span(e: Expr) -> Span:
    return from_ball(points.value_at(e, {}))


def span_of(
    e: Expr,
    box: Mapping[str, Span],
    integers: frozenset[str] = frozenset(),
    partial: bool = False,
    binder: Binder | None = None,
) -> Span:
    """The values of ``e`` over ``box`` at the current flint precision.

    UNKNOWN where some point of the box is not provably in the domain of ``e``; with ``partial`` the
    values at the points where ``e`` is defined (the caller proves definedness by itself).
    """
    code = program((e,))
    return _run(code, box, integers, partial, binder)[code.outputs[0]]


def spans_of_parts(e: Expr, box: Mapping[str, Span]) -> dict[Expr, Span]:
    """The range of every subexpression of ``e``; an integral or sum inside is unknown."""
    code = program((e,))
    return {step.node: s for step, s in zip(code.steps, _run(code, box, frozenset(), False, None), strict=True)}


def _run(
    code: Program, box: Mapping[str, Span], integers: frozenset[str], partial: bool, binder: Binder | None
) -> list[Span]:
    spans: list[Span] = []
    for step in code.steps:
        if step.op == "var":
            spans.append(box[step.value])
        elif step.op in BINDERS:
            ends = [spans[i] for i in step.args]
            known = binder is not None and all(s.known for s in ends)
            spans.append(binder(step.node, ends[0], ends[1], box, integers, partial) if known and binder else UNKNOWN)
        elif step.op == "const" and step.value == "oo":
            spans.append(Span(INF, INF))
        elif step.op == "neg" and step.node.args[0].op == "const" and step.node.args[0].value == "oo":
            spans.append(Span(NEG_INF, NEG_INF))
        elif step.constant:
            spans.append(_constant_span(step.node))
        else:
            args = [spans[i] for i in step.args]
            if not all(s.known for s in args):
                spans.append(UNKNOWN)
            elif step.op == "pow":
                spans.append(_power_step(step.node.args[1], args, integers, partial))
            elif step.op == "polygamma":
                spans.append(_polygamma(args[0], step.value))
            else:
                result = apply(step.op, args, partial)
                spans.append(result if result.known else UNKNOWN)
    return spans


def _power_step(exponent: Expr, args: list[Span], integers: frozenset[str], partial: bool) -> Span:
    integer = is_integer_valued(exponent, integers) or (
        not exponent.free and args[1].lo == args[1].hi and args[1].lo.is_integer()
    )
    if not exponent.free and not integer and args[1].lo < args[1].hi:
        exact = points.value_at(exponent, {})
        if isinstance(exact, fmpq) and args[0].lo >= 0 and args[0].hi < INF and (exact > 0 or args[0].lo > 0):
            ends = [
                points.as_arb(points.power(exact_of(x) if x.is_exact() and spelled(x) else x, exact, False))
                for x in args[0]
            ]
            return Span(min(v.lower() for v in ends), max(v.upper() for v in ends))
    result = power(args[0], args[1], integer, partial)
    return result if result.known else UNKNOWN
