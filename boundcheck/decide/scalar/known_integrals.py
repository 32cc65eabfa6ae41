"""Which entry of the table of known integrals and sums a body may be, read off its normal form."""

from __future__ import annotations

from collections.abc import Iterator

from flint import fmpq

from boundcheck.decide.scalar.prover import Node
from boundcheck.kernel.check.binder_rules import Binder
from boundcheck.kernel.check.poly import AlgebraLimit, Mono, freeze, scale, thaw, to_expr
from boundcheck.kernel.formula import Expr, num, text, var

ZERO = num(0)


def entries(b: Binder) -> Iterator[Node]:
    """Nodes of the rule "known" for the term, less the term itself."""
    algebra = b.inside(b.seq.goal).algebra
    try:
        form = algebra.as_poly(algebra.normal(b.body))
    except AlgebraLimit:
        return
    if len(form) != 1:
        return
    ((m, c),) = form.items()
    moving = tuple(f for f in m if b.t in to_expr({(f,): fmpq(1)}).free)
    factor = to_expr({tuple(f for f in m if f not in moving): c})
    for entry, letters in _sum(b, moving) if b.is_sum else _integral(b, moving):
        yield {
            "rule": "known",
            "entry": entry,
            "of": {**{k: text(e) for k, e in letters.items()}, "factor": text(factor)},
        }


def _integral(b: Binder, moving: Mono) -> Iterator[tuple[str, dict[str, Expr]]]:
    t, one = var(b.t), num(1)
    power = sum((to_expr(thaw(x)) for a, x in moving if a is t), ZERO)
    rest = [(a, x) for a, x in moving if a is not t]
    if len(rest) != 1:
        return
    ((atom, x),) = rest
    outside = to_expr(thaw(x))
    if atom.op == "const":
        rates = thaw(x)
        if len(rates) == 1:
            ((m, c),) = rates.items()
            k = dict(m).get(t)
            if k is not None:
                rate = to_expr(scale({tuple(f for f in m if f[0] is not t): c}, fmpq(-1)))
                entry = "gauss" if b.low is None else "gamma"
                yield entry, {"a": power + one, "c": rate, "k": to_expr(thaw(k))}
    elif b.t not in outside.free and atom.op in ("add", "sub"):
        yield "beta", {"a": power + one, "b": outside + one}
        yield "beta prime", {"a": power + one, "b": -outside - (power + one)}


def _sum(b: Binder, moving: Mono) -> Iterator[tuple[str, dict[str, Expr]]]:
    """a**t in several factors, t to the power -1, and a gamma below; t to a negative even power alone."""
    t, base = var(b.t), num(1)
    for atom, x in moving:
        parts = thaw(x)
        if atom is not t and list(parts) == [((t, fmpq(1)),)]:
            base = base * atom ** to_expr({(): parts[((t, fmpq(1)),)]})
    if any(atom.op == "gamma" for atom, _ in moving):
        yield "exponential", {"a": base}
    if any(atom is t and x == freeze({(): fmpq(-1)}) for atom, x in moving):
        yield "logarithm", {"a": base}
    if len(moving) == 1 and moving[0][0] is t:
        yield from ((f"zeta({s})", {}) for s in (2, 4) if moving[0][1] == freeze({(): fmpq(-s)}))
