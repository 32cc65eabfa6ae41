"""Powers among the parts of formulas; exponents in one form; formulas without hyperbolic functions and moduli."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from fractions import Fraction
from math import gcd
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import AlgebraLimit, Poly, add, multiply, to_expr
from boundcheck.kernel.formula import BINDERS, Expr, num
from boundcheck.kernel.formula.unfolding import unfolded

HYPERBOLIC = ("sinh", "cosh", "tanh")
OPAQUE = (
    "min", "max", "floor", "ceil", "sin", "cos", "tan", "asin", "acos", "atan", *HYPERBOLIC, "abs", "gamma", "erf",
)  # fmt: skip
Powers = dict[Expr, Poly]  #: a positive product: base -> exponent


def is_power(e: Expr) -> bool:
    """Whether a term is a power with an exponent that is no literal integer, a root, an exponential or a logarithm."""
    if e.op == "pow":
        return not (e.args[1].op == "num" and e.args[1].value.denominator == 1)
    return e.op in ("exp", "sqrt", "log")


def maximal(e: Expr) -> Iterator[Expr]:
    """The maximal power terms and opaque calls below ring operations."""
    if is_power(e) or e.op in OPAQUE:
        yield e
    elif e.op not in BINDERS:
        for a in e.args:
            yield from maximal(a)


def variables_of(sides: Iterable[Expr], moduli: bool = False) -> list[str]:
    """The variables, or those of which there are ``moduli``, in bases of powers and roots of the power terms."""
    powers = (n for side in sides for t in maximal(side) for n in t.walk())
    parts = (a for n in powers if n.op == "sqrt" or (n.op == "pow" and is_power(n)) for a in n.args[0].walk())
    inner = (a.args[0] for a in parts if a.op == "abs") if moduli else parts
    return sorted({a.value for a in inner if a.op == "var"})


def common(a: Fraction, b: Fraction) -> Fraction:
    """The largest q > 0 of which both are integer multiples (0 is a multiple of all)."""
    a, b = abs(a), abs(b)
    if not a or not b:
        return a + b
    n = a.denominator * b.denominator // gcd(a.denominator, b.denominator)
    return Fraction(gcd(int(a * n), int(b * n)), n)


def reduced(p: Poly, q: Poly) -> Poly:
    """p/q with q an atom of power -1; where q = a v + r is linear in a variable v, v/q becomes 1/a - (r/a)/q.

    Then a is positive: 1 - v and v - 1 are one atom.
    """
    linear = next((m[0][0] for m in q if len(m) == 1 and m[0][1] == fmpq(1) and m[0][0].op == "var"), None)
    if linear is not None and q[((linear, fmpq(1)),)] < 0:
        p, q = ({m: -c for m, c in x.items()} for x in (p, q))
    atom = to_expr(q)
    if linear is None or any(linear in {a for a, _ in m} for m in q if m != ((linear, fmpq(1)),)):
        return multiply(p, {((atom, fmpq(-1)),): fmpq(1)})
    a = q[((linear, fmpq(1)),)]
    rest = {m: c for m, c in q.items() if m != ((linear, fmpq(1)),)}
    whole: Poly = {}
    waiting = dict(p)
    for _ in range(20):  # the degree in the variable falls with each round
        high = {m: c for m, c in waiting.items() if isinstance(dict(m).get(linear), fmpq) and dict(m)[linear] >= 1}
        if not high:
            break
        low = {m: c for m, c in waiting.items() if m not in high}
        lowered = multiply(high, {((linear, fmpq(-1)),): 1 / a})
        whole = add(whole, lowered)
        waiting = add(low, multiply(lowered, rest), fmpq(-1))
    return add(whole, multiply(waiting, {((atom, fmpq(-1)),): fmpq(1)}))


def apart(p: Poly) -> Poly:
    """Partial fractions: v**-k / (a v + r) as v**-k / r - (a/r) v**(1 - k) / (a v + r), until no product is left."""
    done: Poly = {}
    one: Poly = {(): fmpq(1)}
    waiting = dict(p)
    for _ in range(60):
        if not waiting:
            return done
        m, c = waiting.popitem()
        found = _pair(m)
        if found is None:
            done = add(done, {m: c})
            continue
        v, atom, a, r = found
        inverse: Poly = {((v, fmpq(1)), (atom, fmpq(-1))): fmpq(-a.p, a.q)}
        bare = tuple(x for x in m if x[0] is not atom)
        waiting = add(waiting, multiply(multiply({bare: c}, r), add(one, inverse)))
    return p


def _pair(m: Any) -> tuple[Expr, Expr, Any, Poly] | None:
    """(v, atom, a, 1/r): a variable below 0 and an atom a v + r below it in one monomial, r a single term."""
    for atom, x in m:
        if atom.op not in ("add", "sub") or x != fmpq(-1):
            continue
        for v, y in m:
            if v.op != "var" or not isinstance(y, fmpq) or y >= 0 or v.value not in atom.free:
                continue
            try:
                form = Algebra().normal(atom).num
            except AlgebraLimit:
                continue
            linear = ((v, fmpq(1)),)
            rest = {k: c for k, c in form.items() if k != linear}
            if linear in form and len(rest) == 1 and all(v is not b for k in rest for b, _ in k):
                ((k, c),) = rest.items()
                if all(isinstance(z, fmpq) for _, z in k):
                    return v, atom, form[linear], {tuple((b, -z) for b, z in k): 1 / c}
    return None


def rewritten(e: Expr, change: Callable[[Expr], Expr]) -> Expr:
    """``e`` with every part changed, from the inside out; what stands under a binder stays."""
    if not e.args or e.op in BINDERS:
        return e
    return change(Expr(e.op, tuple(rewritten(a, change) for a in e.args), e.value))


def exponential(e: Expr) -> Expr:
    """A hyperbolic function or tangent in others, as the table of functions says; anything else as it is."""
    return (unfolded(e) if e.op in ("tan", *HYPERBOLIC) else None) or e


def square(e: Expr) -> Expr:
    """The square of a modulus as the square of what is in it."""
    squared = e.op == "pow" and e.args[0].op == "abs" and e.args[1] is num(2)
    return Expr("pow", (e.args[0].args[0], e.args[1])) if squared else e


def no_modulus(e: Expr) -> Expr:
    """0 for the modulus of 0."""
    return num(0) if e.op == "abs" and e.args[0] is num(0) else e


def times(a: Powers, b: Powers, sign: int) -> Powers:
    """The product of two products of powers (sign -1: the quotient)."""
    out = dict(a)
    for base, x in b.items():
        total = add(out.get(base, {}), x, fmpq(sign))
        if total:
            out[base] = total
        else:
            out.pop(base, None)
    return out
