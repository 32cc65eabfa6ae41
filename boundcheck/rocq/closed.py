"""Sums of equal terms and integrals of powers in closed form, for the heads that stand for sums and integrals.

For sums that is proved from the rules "no terms" and "last term of a range", for integrals from the fundamental
theorem of calculus (Rudin, Real and Complex Analysis, theorem 7.21; unbounded intervals by monotone convergence).
What is used of these is a hypothesis of the file, told among the rules.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import TYPE_CHECKING

from boundcheck.kernel.formula import Expr, Relation, endless, num
from boundcheck.kernel.proof.sorts import REAL, VECTOR, Names, Sort, typed
from boundcheck.kernel.proof.terms import names, settle
from boundcheck.rocq.coq_text import name
from boundcheck.rocq.typed import TYPES

if TYPE_CHECKING:
    from boundcheck.rocq.reasoning import Reasoning

_BOUNDED = "fundamental theorem of calculus, derivative nonnegative"
_ENDLESS = "fundamental theorem of calculus over an unbounded interval, derivative nonnegative"


def power(e: Expr, v: str) -> tuple[Expr, Expr] | None:
    """(c, q) where the term is c*v**q, with c and q free of v."""
    if v not in names(e):
        return e, num(0)
    if e.op == "var":
        return num(1), num(1)
    if e.op == "neg":
        a = power(e.args[0], v)
        return None if a is None else (-a[0], a[1])
    if e.op in ("mul", "div"):
        a, b = power(e.args[0], v), power(e.args[1], v)
        if a is None or b is None:
            return None
        return (a[0] * b[0], a[1] + b[1]) if e.op == "mul" else (a[0] / b[0], a[1] - b[1])
    if e.op == "pow" and v not in names(e.args[1]):
        a = power(e.args[0], v)
        if a is None:
            return None
        return num(1) if a[0] == num(1) else a[0] ** e.args[1], settle(Relation("==", a[1] * e.args[1], num(0))).lhs
    return None


def closed(b: Reasoning, relations: Iterable[Relation], scope: Names) -> Iterator[str]:
    """Tactics, each of which puts the closed form of a sum or an integral of the relations among the facts."""
    done = set()
    for e in (n for r in relations for side in r.sides for n in _outer(side)):
        if e in done or e.op not in ("sum", "integral"):
            continue
        done.add(e)
        told = _sum(b, e, scope) if e.op == "sum" else _integral(b, e, scope)
        if told:
            stated, proof = told
            yield f"try (assert (C{len(done)} : {stated}) by ({proof}))."


def _outer(e: Expr) -> Iterator[Expr]:
    """The parts of a term that stand under no binder."""
    yield e
    if not e.binds:
        for a in e.args:
            yield from _outer(a)


def _sum(b: Reasoning, e: Expr, scope: Names) -> tuple[str, str] | None:
    body, v, low, high = e.args
    if str(v.value) in names(body) or endless(low) or endless(high):
        return None
    w = b.writer
    kind = typed(e, scope).kind
    t = TYPES[kind]
    head = w._head("sum", [(f"R -> {t}", "f"), ("R", "a"), ("R", "b")], t)[1:].split(" ")[0]
    add, zero, times = ("vadd", "vzero", "vscal") if kind == VECTOR else ("Rplus", "0", "Rmult")
    none = b.assumed(f"sum_none_{t}", "no terms", f"forall (f : R -> {t}) (a : R), {head} f a (a - 1) = {zero}")
    last = b.assumed(
        f"sum_last_{t}", "last term of a range",
        f"forall (f : R -> {t}) (a b : R), isint a -> isint b -> a <= b -> "
        f"{head} f a b = {add} ({head} f a (b - 1)) (f b)",
    )  # fmt: skip
    x, m, n = w.term(body, scope, kind), w.term(low, scope), w.term(high, scope)
    stated = f"{w.term(e, scope)} = {times} ({n} - {m} + 1) {x}"
    return stated, f"apply (equal_terms_{t} {head} {none} {last}); [bc_whole | bc_whole | {b.close}]"


def _integral(b: Reasoning, e: Expr, scope: Names) -> tuple[str, str] | None:
    body, v, low, high = e.args
    found = power(body, str(v.value))
    if found is None or endless(low):
        return None
    w = b.writer
    c, q = found
    inner = {**scope, str(v.value): Sort(REAL)}
    q = settle(Relation("==", q, num(0))).lhs
    function = f"(fun {name(str(v.value))} : R => {w.term(body, inner)})"
    factor, exponent = w.term(c, scope), w.term(q, scope)
    minus_one, whole = q == num(-1), q.op == "num" and q.value.denominator == 1 and q.value >= 0
    if minus_one:
        primitive = f"(fun t : R => {factor} * ln t)"
    elif whole:
        primitive = f"(fun t : R => {factor} * t ^ {int(q.value) + 1} / {int(q.value) + 1})"
    else:
        primitive = f"(fun t : R => {factor} * rpw t ({exponent} + 1) / ({exponent} + 1))"
    start = w.term(low, scope)
    derivative = f"apply (primitive_of_{'inverse' if minus_one else 'power'} {factor}); bc_side"
    if whole:
        derivative = f"apply (primitive_of_whole {factor} {int(q.value) + 1} {int(q.value)}%nat); simpl; lra"
    on_it = (
        "let t := fresh in let I := fresh in intros t I; bw_above t; split; "
        f"[eapply is_derive_as; [{derivative} | cbv beta; bw_integrand] | cbv beta; bc_sgn]"
    )
    if not endless(high):
        end = w.term(high, scope)
        head = w._head("integral", [("R -> R", "f"), ("R", "a"), ("R", "b")], "R")
        label = b.assumed(
            "calculus", _BOUNDED,
            "forall (F f : R -> R) (a b : R), a <= b -> "
            f"(forall t, a <= t <= b -> is_derive F t (f t) /\\ 0 <= f t) -> {head} = F b - F a",
        )  # fmt: skip
        stated = f"{w.term(e, scope)} = {primitive} {end} - {primitive} {start}"
        return stated, f"apply ({label} {primitive} {function}); [{b.close} | {on_it}]"
    if minus_one or whole:
        return None
    head = w._head("integral_oo", [("R -> R", "f"), ("R", "a")], "R")
    label = b.assumed(
        "calculus_oo", _ENDLESS,
        "forall (F f : R -> R) (a l : R), (forall t, a <= t -> is_derive F t (f t) /\\ 0 <= f t) -> "
        f"is_lim F p_infty l -> {head} = l - F a",
    )  # fmt: skip
    stated = f"{w.term(e, scope)} = 0 - {primitive} {start}"
    return stated, f"apply ({label} {primitive} {function}); [{on_it} | apply power_vanishes; lra]"
