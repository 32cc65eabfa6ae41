"""Evaluation at one point: exact rationals as long as possible, balls (python-flint ``arb``) after that.

A value is an ``fmpq`` (exact) or an ``arb`` (an enclosure; NaN where the expression is undefined or
not provably defined). Exactness decides what balls cannot: sqrt(3*x - 1) at x = 1/3 is 0, not NaN.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping
from typing import Any

from flint import acb, arb, fmpq, fmpz

from boundcheck.kernel.enclosure.ends import ends
from boundcheck.kernel.enclosure.straight_line import Step, integer_of, is_integer_valued, program
from boundcheck.kernel.formula import BINDERS, Expr
from boundcheck.kernel.formula.functions import TABLE

Value = Any  # fmpq | arb: python-flint ships no types
NAN = arb.nan()
MAX_BITS = 30_000  #: an exact rational longer than this continues as a ball
Binder = Callable[[Expr, Value, Value, Mapping[str, Value], frozenset[str]], Value]


def as_arb(value: Value) -> arb:
    """``value`` as a ball at the current precision."""
    return value if isinstance(value, arb) else arb(value)


def _capped(value: fmpq) -> Value:
    return arb(value) if max(value.p.bit_length(), value.q.bit_length()) > MAX_BITS else value


def _add(a: Value, b: Value) -> Value:
    return _capped(a + b) if isinstance(a, fmpq) and isinstance(b, fmpq) else as_arb(a) + as_arb(b)


def _sub(a: Value, b: Value) -> Value:
    return _capped(a - b) if isinstance(a, fmpq) and isinstance(b, fmpq) else as_arb(a) - as_arb(b)


def _mul(a: Value, b: Value) -> Value:
    if isinstance(a, fmpq) and isinstance(b, fmpq):
        return _capped(a * b)
    if isinstance(a, fmpq) and a == 0:
        return a
    if isinstance(b, fmpq) and b == 0:
        return b
    return as_arb(a) * as_arb(b)


def _div(a: Value, b: Value) -> Value:
    if isinstance(b, fmpq):
        if b == 0:
            return NAN
        return _capped(a / b) if isinstance(a, fmpq) else a / arb(b)
    return as_arb(a) / b if not b.contains(0) else NAN


def power(base: Value, exponent: Value, integer: bool) -> Value:
    """base**exponent, both finite; ``integer`` says that the exponent is an integer by its form or a literal one."""
    if isinstance(exponent, fmpq) and exponent.q == 1 and integer:
        n = exponent.p
        if n == 0:
            return fmpq(1)
        if isinstance(base, fmpq):
            if base == 0:
                return fmpq(0) if n > 0 else NAN
            if max(base.p.bit_length(), base.q.bit_length()) * abs(n) <= MAX_BITS or base in (1, -1):
                return base ** int(n)
        x = as_arb(base)
        return x ** fmpz(n)  # NaN where 0 is inside: flint takes powers of balls by logarithms
    if isinstance(base, fmpq) and base == 0:
        return fmpq(0) if as_arb(exponent) > 0 else NAN
    if isinstance(base, fmpq) and base == 1:
        return base
    if not as_arb(base) > 0:
        return NAN
    if isinstance(exponent, fmpq):
        if exponent == 0:
            return exponent + 1
        root = _exact_root(base, exponent) if isinstance(base, fmpq) else None
        if root is not None:
            return root
    return as_arb(base) ** exponent


def _exact_root(base: fmpq, exponent: fmpq) -> fmpq | None:
    """base**(n/m) where it is rational, for small m and n."""
    m, n = int(exponent.q), int(exponent.p)
    if m > 64 or max(base.p.bit_length(), base.q.bit_length()) * max(abs(n), 1) > MAX_BITS:
        return None
    roots = []
    for part in (base.p, base.q):
        root = part.root(m)
        if root**m != part:
            return None
        roots.append(root)
    return fmpq(roots[0], roots[1]) ** n


def _sqrt(x: Value) -> Value:
    if isinstance(x, fmpq):
        if x < 0:
            return NAN
        root = _exact_root(x, fmpq(1, 2))
        return arb(x).sqrt() if root is None else root
    return x.sqrt() if x >= 0 else NAN


def _of_table(name: str) -> Callable[[Value], Value]:
    """A function by its entry in the table: exact values, else its ball in the domain."""
    exact = {fmpq(k): fmpq(v) for k, v in TABLE[name].exact.items()}
    branch = ends(name)

    def f(x: Value) -> Value:
        if isinstance(x, fmpq) and x in exact:
            return exact[x]
        ball = as_arb(x)
        return branch.ball(ball) if not branch.partial or branch.holds(ball) else NAN

    return f


def _gamma(x: Value) -> Value:
    if isinstance(x, fmpq) and x.q == 1:
        n = int(x.p)
        if n <= 0:
            return NAN
        if n <= 2000:
            return fmpq(math.factorial(n - 1))
    return as_arb(x).gamma()


def _loggamma(x: Value) -> Value:
    if isinstance(x, fmpq) and x in (1, 2):
        return fmpq(0)
    ball = as_arb(x)
    return ball.lgamma() if ball > 0 else NAN


def _floor(x: Value) -> Value:
    if isinstance(x, fmpq):
        return fmpq(x.p // x.q)
    return _decided(x.floor())


def _ceil(x: Value) -> Value:
    if isinstance(x, fmpq):
        return fmpq(-((-x.p) // x.q))
    return _decided(x.ceil())


def _decided(x: arb) -> Value:
    n = integer_of(x)
    return x if n is None else fmpq(n)


def _least(*xs: Value) -> Value:
    best = xs[0]
    for x in xs[1:]:
        if isinstance(best, fmpq) and isinstance(x, fmpq):
            best = min(best, x)
        else:
            a, b = as_arb(best), as_arb(x)
            best = best if a <= b else x if b <= a else a.min(b)
    return best


FUNCTION: dict[str, Callable[..., Value]] = {
    **{name: _of_table(name) for name in TABLE},
    "sqrt": _sqrt,
    "abs": abs,
    "gamma": _gamma,
    "loggamma": _loggamma,
    "floor": _floor,
    "ceil": _ceil,
    "min": _least,
    "max": lambda *xs: -_least(*(-x for x in xs)),
    "add": _add,
    "sub": _sub,
    "mul": _mul,
    "div": _div,
    "neg": lambda x: -x,
}


def polygamma(x: arb, order: int) -> arb:
    """The derivative of order ``order`` of digamma, on (0, oo)."""
    return acb(x).polygamma(order).real if x > 0 else NAN


def constant(name: str) -> arb:
    """pi, E or oo as a ball."""
    if name == "pi":
        return arb.pi()
    return arb.const_e() if name == "E" else arb.pos_inf()


def value_at(
    e: Expr,
    point: Mapping[str, Value],
    integers: frozenset[str] = frozenset(),
    binder: Binder | None = None,
) -> Value:
    """The value of ``e`` at ``point`` (fmpq or arb each) at the current flint precision.

    ``binder`` evaluates integral(...) and sum(...); without it they are NaN. A missing variable is a KeyError.
    """
    code = program((e,))
    values: list[Value] = []
    for step in code.steps:
        values.append(_step(step, values, point, integers, binder))
    return values[code.outputs[0]]


def _step(
    step: Step, values: list[Value], point: Mapping[str, Value], integers: frozenset[str], binder: Binder | None
) -> Value:
    if step.op == "num":
        return fmpq(step.value.numerator, step.value.denominator)
    if step.op == "var":
        return point[step.value]
    if step.op == "const":
        return constant(step.value)
    args = [values[i] for i in step.args]
    if step.op in BINDERS:
        return NAN if binder is None else binder(step.node, args[0], args[1], point, integers)
    if step.op != "neg" and any(isinstance(a, arb) and not a.is_finite() for a in args):  # -oo is an end
        return NAN
    if step.op == "pow":
        exponent = step.node.args[1]
        integer = is_integer_valued(exponent, integers) or (
            not exponent.free and isinstance(args[1], fmpq) and args[1].q == 1
        )
        return power(args[0], args[1], integer)
    if step.op == "polygamma":
        return polygamma(as_arb(args[0]), step.value)
    return FUNCTION[step.op](*args)
