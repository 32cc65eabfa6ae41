"""Evaluation of an integrand in complex balls (``acb``), with the flag that asks for analyticity.

:func:`flint.acb.integral` bounds an analytic integrand on an ellipse around the path. Where the flag is
set, a branch cut or a kink touched by the ball makes the value NaN; without it the value is an enclosure.
Definedness on the real path is checked elsewhere.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import acb, arb, fmpz

from boundcheck.kernel.enclosure.straight_line import integer_of, program
from boundcheck.kernel.formula import Expr
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.formula.unfolding import unfold

NAN = acb(arb.nan())
_KNOWN = frozenset({"acos", "asinh", "atanh", "lambertw", "log1p"} | {name for name, f in TABLE.items() if f.entire})


def value(e: Expr, env: Mapping[str, Any], analytic: bool) -> Any:
    """The value of ``e`` over complex balls; non-finite where it is not provably fine."""
    values: list[Any] = []
    code = program((unfold(e, _KNOWN),))  # in functions whose branch cuts are known here
    for step in code.steps:
        args = [values[i] for i in step.args]
        if step.op == "num":
            values.append(acb(arb(fmpz(step.value.numerator)) / fmpz(step.value.denominator)))
        elif step.op == "var":
            values.append(env[step.value])
        elif step.op == "const":
            values.append(acb(arb.pi() if step.value == "pi" else arb.const_e()))
        elif step.op == "pow":
            values.append(_power(args[0], args[1], analytic))
        else:
            values.append(_apply(step.op, args, analytic))
    return values[code.outputs[0]]


def _apply(op: str, args: list[Any], analytic: bool) -> Any:
    z = args[0]
    match op:
        case "add":
            return z + args[1]
        case "sub":
            return z - args[1]
        case "mul":
            return z * args[1]
        case "div":
            return z / args[1]
        case "neg":
            return -z
        case "sqrt":
            return z.sqrt(analytic=analytic)
        case "log":
            return z.log(analytic=analytic)
        case "abs":
            return z.real_abs(analytic=analytic)
        case "floor":
            return z.real_floor(analytic=analytic)
        case "ceil":
            return z.real_ceil(analytic=analytic)
        case "loggamma":
            return z.lgamma() if z.real > 0 else NAN
        case "asin" | "acos":
            return getattr(z, op)() if not analytic or abs(z.real) < 1 or not z.imag.contains(0) else NAN
        case "atan" | "asinh":  # the cuts are on the imaginary axis, beyond 1 and -1
            return getattr(z, op)() if abs(z.imag) < 1 or not z.real.contains(0) else NAN
        case "atanh":
            return z.atanh() if abs(z.real) < 1 or not z.imag.contains(0) else NAN
        case "log1p":
            return z.log1p() if z.real > -1 or not z.imag.contains(0) else NAN
        case "lambertw":  # the cut is the real axis below -1/e
            return z.lambertw() if z.real > -1 / arb.const_e() or not z.imag.contains(0) else NAN
        case "min" | "max":
            for other in args[1:]:
                z = (z.real_min if op == "min" else z.real_max)(other, analytic=analytic)
            return z
    return getattr(z, op)() if op in TABLE and TABLE[op].entire else NAN


def _power(base: Any, exponent: Any, analytic: bool) -> Any:
    n = integer_of(exponent.real) if exponent.is_exact() and exponent.imag == 0 else None
    if n is not None:
        return base**n if abs(n) < 10**6 else NAN
    result = base.pow(exponent, analytic=analytic)
    if result.is_finite() or analytic or exponent.imag != 0 or not exponent.real > 0:
        return result
    # |z**q| = |z|**q for real q > 0; the ball around 0 holds every branch
    size = base.abs_upper()
    q = exponent.real
    radius = max((size ** q.lower()).upper(), (size ** q.upper()).upper())
    return acb(arb(0, radius), arb(0, radius))
