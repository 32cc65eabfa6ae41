"""Antiderivatives by a table: powers, exponentials, logarithms, waves and arctangents of linear formulas; else sympy.

Nothing here is trusted: the kernel differentiates what is proposed.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

from boundcheck.decide.scalar import symbolic
from boundcheck.decide.scalar.prover import normal, slope_of
from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Exponent, Mono, thaw, to_expr
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.formula import Expr, call, const, is_zero, num, var

_MOST = 8  #: integrations by parts
_LINEAR = ("exp", "sin", "cos", "sinh", "cosh")


def antiderivatives(body: Expr, t: str, algebra: Algebra, clock: Callable[[], None]) -> Iterator[Expr]:
    """Formulas that may have ``body`` as their derivative in ``t``, the plainest first."""
    whole = _direct(body, t, algebra) or _by_table(body, t, algebra)
    if whole is not None:
        yield whole
        return
    for attempt in (body, normal(body, algebra)):
        if attempt is not None:
            found = symbolic.antiderivative(attempt, t, clock)
            yield from found
            if found:
                return


def _direct(e: Expr, t: str, algebra: Algebra) -> Expr | None:
    """Sums and multiples of powers of linear formulas, by the form of the formula."""
    if t not in e.free:
        return e * var(t)
    match e.op:
        case "neg":
            inner = _direct(e.args[0], t, algebra)
            return None if inner is None else -inner
        case "add" | "sub":
            a, b = (_direct(x, t, algebra) or _by_table(x, t, algebra) for x in e.args)
            return None if a is None or b is None else a + b if e.op == "add" else a - b
        case "mul" if t not in e.args[0].free or t not in e.args[1].free:
            k = 0 if t in e.args[0].free else 1
            inner = _direct(e.args[k], t, algebra)
            return None if inner is None else e.args[1 - k] * inner
        case "pow" | "sqrt" | "div":
            return _direct_power(e, t, algebra)
    return None


def _direct_power(e: Expr, t: str, algebra: Algebra) -> Expr | None:
    outer, sign = num(1), 1
    if e.op == "div":
        if t not in e.args[1].free:
            inner = _direct(e.args[0], t, algebra)
            return None if inner is None else inner / e.args[1]
        if t in e.args[0].free:
            return None
        outer, e, sign = e.args[0], e.args[1], -1
    base, power = (
        (e.args[0], e.args[1] if e.op == "pow" else num(1) / num(2)) if e.op in ("pow", "sqrt") else (e, num(1))
    )
    slope = _slope(base, t, algebra) if t not in power.free else None
    return None if slope is None else outer * _power(base, sign * power) / slope


def _by_table(body: Expr, t: str, algebra: Algebra) -> Expr | None:
    try:
        form = algebra.normal(body)
    except AlgebraLimit:
        return None
    if form.den != ONE:
        p, q = to_expr(form.num), to_expr(form.den)
        return _arctangent(p, q, t, algebra) if t not in p.free else None
    total: Expr = num(0)
    for m, c in form.num.items():
        part = _monomial(m, t, algebra)
        if part is None:
            return None
        total = total + to_expr({(): c}) * part
    return total


def _exponent(x: Exponent) -> Expr:
    return to_expr(thaw(x))


def _monomial(m: Mono, t: str, algebra: Algebra) -> Expr | None:
    outer: Expr = num(1)
    power: Expr = num(0)
    found: Expr | None
    factors: list[tuple[Expr, Expr]] = []
    for atom, x in m:
        e = _exponent(x)
        if atom.op == "var" and atom.value == t:
            power = e
        elif t in atom.free or t in e.free:
            factors.append((atom, e))
        elif atom.op == "const" and atom.value == "E":
            outer = outer * call("exp", e)
        else:
            outer = outer * atom**e
    if t in power.free or len(factors) > 1:
        return None
    if not factors:
        found = _power(var(t), power)
    else:
        atom, e = factors[0]
        if atom.op == "const":
            found = _parts("exp", e, power, t, algebra)
        elif atom.op == "log" and atom.args[0] is var(t) and e.op == "num":
            found = _log_power(power, e, t)
        elif atom.op in _LINEAR and e == num(1):
            found = _parts(atom.op, atom.args[0], power, t, algebra)
        elif t in e.free:
            rate = call("log", atom) * e
            found = _parts("exp", rate, power, t, algebra) if t not in atom.free else None
        elif power == num(0):
            slope = _slope(atom, t, algebra)
            found = None if slope is None else _power(atom, e) / slope
            if found is None and e == num(-1):
                found = _arctangent(num(1), atom, t, algebra)
        else:
            found = None
    return None if found is None else outer * found


def _power(base: Expr, e: Expr) -> Expr:
    if e.op == "num" and e.value == -1:
        return call("log", base)
    return base ** (e + num(1)) / (e + num(1))


def _slope(e: Expr, t: str, algebra: Algebra) -> Expr | None:
    """The derivative of a formula that is linear in t."""
    slope = slope_of(e, t)
    slope = None if slope is None else normal(slope, algebra)
    return slope if slope is not None and t not in slope.free and not is_zero(slope) else None


def _whole(e: Expr) -> int | None:
    return int(e.value) if e.op == "num" and e.value.denominator == 1 and 0 <= e.value <= _MOST else None


_NEXT = {"exp": ("exp", 1), "sin": ("cos", -1), "cos": ("sin", 1), "sinh": ("cosh", 1), "cosh": ("sinh", 1)}


def _parts(name: str, inner: Expr, power: Expr, t: str, algebra: Algebra) -> Expr | None:
    """t**n f(c t + d) by parts; t exp(-c t**2) and exp(-c t**2) by the square."""
    n, slope = _whole(power), _slope(inner, t, algebra)
    if slope is None:
        return _square(inner, n, t, algebra) if name == "exp" else None
    if n is None:
        return None
    total: Expr = num(0)
    factor: Expr = num(1)
    for j in range(n + 1):
        name, sign = _NEXT[name]
        factor = factor * num(sign) / slope
        total = total + factor * _raised(var(t), n - j) * call(name, inner)
        factor = -factor * num(n - j)
    return total


def _square(inner: Expr, n: int | None, t: str, algebra: Algebra) -> Expr | None:
    try:
        second = normal(derivative(derivative(inner, t), t), algebra)
        rest = normal(inner - (second or num(0)) / 2 * var(t) ** num(2), algebra)
    except NotDifferentiable:
        return None
    if second is None or rest is None or t in second.free | rest.free or is_zero(second):
        return None
    if n == 1:
        return call("exp", inner) / second
    if n == 0:
        root = call("sqrt", normal(-second / 2, algebra) or -second / 2)
        return call("sqrt", const("pi")) / (2 * root) * call("exp", rest) * call("erf", root * var(t))
    return None


def _raised(e: Expr, n: int) -> Expr:
    return e ** num(n) if n > 1 else e if n else num(1)


def _log_power(power: Expr, e: Expr, t: str) -> Expr | None:
    """t**q log(t)**m by parts."""
    m, log = _whole(e), call("log", var(t))
    if power.op == "num" and power.value == -1:
        return call("log", log) if e.value == -1 else log ** (e + num(1)) / (e + num(1))
    if m is None:
        return None
    total: Expr = num(0)
    factor: Expr = num(1)
    raised = power + num(1)
    for j in range(m + 1):
        total = total + factor * var(t) ** raised * _raised(log, m - j) / raised
        factor = -factor * num(m - j) / raised
    return total


def _arctangent(top: Expr, e: Expr, t: str, algebra: Algebra) -> Expr | None:
    """top/(a t**2 + b t + c) where its discriminant is negative in the plainest way."""
    try:
        first = derivative(e, t)
        twice = normal(derivative(first, t), algebra)
    except NotDifferentiable:
        return None
    if twice is None or t in twice.free or is_zero(twice):
        return None
    a = twice / 2
    b = normal(first - twice * var(t), algebra)
    c = None if b is None else normal(e - a * var(t) ** num(2) - b * var(t), algebra)
    if b is None or c is None or t in b.free | c.free:
        return None
    d = normal(4 * a * c - b * b, algebra)
    if d is None or (d.op == "num" and d.value <= 0):
        return None
    root = call("sqrt", d)
    return top * 2 / root * call("atan", (twice * var(t) + b) / root)
