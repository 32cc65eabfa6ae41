"""Bounds by roots: what bounds a variable bounds its square root; a polynomial says where it has its sign."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import product

from flint import fmpq

from boundcheck.decide.scalar.prover import Node, Prover, normal, polynomial, proposing, size, sum_of
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, Poly, to_expr
from boundcheck.kernel.check.sequent import Sequent, isolated, outside_binders
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, Relation, call, num, text, var

_DEGREE = 4  #: of the polynomials that are divided by a linear factor


@proposing(least=4)
def rooted(seq: Sequent) -> Iterator[Node]:
    """n >= c**2 says sqrt(n) >= c, where the goal has sqrt(n): as a lemma, for each such bound."""
    box = seq.box or {}
    roots = [n.args[0] for n in outside_binders(seq.goal.gap) if n.op == "sqrt" and n.args[0].op == "var"]
    for h, x in product(seq.hyps, roots):
        bound = isolated(h, x.value)
        if bound is None or bound.op == "==" or not bound.rhs.free or not positive(box[x.value], False):
            continue
        root = seq.algebra.normal(call("sqrt", bound.rhs))
        whole = all(isinstance(k, fmpq) and k.q == 1 for m in root.num for _, k in m)
        lemma = Relation(bound.op, call("sqrt", x), root.expr())
        if len(root.num) == 1 and root.den == ONE and whole and lemma not in seq.hyps:
            yield {"rule": "cut", "lemma": str(lemma)}
            return


def beyond(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """x <= R from q(x) <= 0, as q(x) - q(R) = (x - R) d(x, R) with q(R) >= 0, and d > 0 where x > R; so for x >= R."""
    goal = seq.goal
    if goal.op not in ("<=", ">=") or depth < 4 or size(goal.gap) > 40:
        return None
    for v, (i, h) in product(sorted(goal.free - seq.integers), enumerate(seq.hyps)):
        bound = isolated(goal, v)
        parts = _powers(h, v, seq) if bound is not None and h.op in ORDER and size(h.gap) <= 60 else None
        done = None if bound is None or parts is None else _divided(p, seq, depth, bound, v, i, parts)
        if done is not None:
            return done
    return None


def _powers(h: Relation, v: str, seq: Sequent) -> list[Expr] | None:
    """The coefficients of -gap as a polynomial of degree 2 to 4 in v, the constant one first; not of a power alone."""
    form = polynomial(-h.gap, seq)
    found: dict[int, Poly] = {}
    for m, c in (form or {}).items():
        k = next((k for a, k in m if a is var(v)), fmpq(0))
        if not isinstance(k, fmpq) or k.q != 1 or k < 0 or any(v in a.free for a, _ in m if a is not var(v)):
            return None
        found.setdefault(int(k.p), {})[tuple(t for t in m if t[0] is not var(v))] = c
    degree = max(found, default=0)
    if not 2 <= degree <= _DEGREE or found.keys() <= {0, degree}:
        return None
    return [to_expr(found.get(k, {})) for k in range(degree + 1)]


def _divided(p: Prover, seq: Sequent, depth: int, bound: Relation, v: str, i: int, parts: list[Expr]) -> Node | None:
    x, end, upper = var(v), bound.rhs, bound.op == "<="
    at_end, quotient = num(0), num(0)
    for k, c in enumerate(parts):
        at_end = at_end + c * end ** num(k)
        for j in range(k):
            quotient = quotient + c * x ** num(j) * end ** num(k - 1 - j)
    value = normal(at_end, seq.algebra)
    if value is None or signs((value,), seq) == [-1]:
        return None
    node = sum_of({i: num(1)}, value, quotient if upper else -quotient)

    def guide(s: Sequent) -> Node | None:
        return p.apply(node, s, depth - 1) if s.goal == seq.goal and len(s.hyps) > len(seq.hyps) else None

    return p.apply({"rule": "case", "on": text(x - end if upper else end - x), "strict": True}, seq, depth, guide)
