"""A difference of two products, each a sum times powers with formulas as exponents: compared by logarithms."""

from __future__ import annotations

from functools import partial
from itertools import product

from flint import fmpq

from boundcheck.decide.scalar.equivalents import LOGARITHMS
from boundcheck.decide.scalar.known_bounds import bounded
from boundcheck.decide.scalar.prover import Node, Prover, product_of, sum_of
from boundcheck.decide.scalar.reduce import ladder
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.nodes_read import ORDER, at_least
from boundcheck.kernel.check.poly import AlgebraLimit, Mono, Poly, freeze, scale, thaw, to_expr
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.formula import Expr, Relation, num


def _apart(m: Mono) -> tuple[Mono, Mono]:
    """A monomial as a product of powers with formulas as exponents and of powers with numbers."""
    power = [(a, freeze({k: c for k, c in thaw(x).items() if k})) for a, x in m if not isinstance(x, fmpq)]
    numbers = ((a, x if isinstance(x, fmpq) else thaw(x).get((), fmpq(0))) for a, x in m)
    return tuple(power), tuple((a, x) for a, x in numbers if x != 0)


def _one_power(p: Prover, seq: Sequent, depth: int, groups: dict[Mono, Poly], den: Expr, flipped: bool) -> Node | None:
    """A u**e + B v**e as v**e times A (u/v)**e + B, where Bernoulli's inequality says enough."""
    (one, above), (other, below) = groups.items()
    if len(one) != 1 or len(other) != 1 or one[0][1] != other[0][1]:
        return None
    e, back = to_expr(thaw(one[0][1])), to_expr(scale(thaw(one[0][1]), fmpq(-1)))
    pairs = (one[0][0], above), (other[0][0], below)
    for ((u, a), (v, b)), turned in product((pairs, pairs[::-1]), (False, True)):
        inner = to_expr(a) * ((v / u) ** back if turned else (u / v) ** e) + to_expr(b)
        wanted = at_least(inner, seq.goal.strict)
        done = p.sliced(p.left() / 3, partial(bounded, p, seq.with_goal(wanted), depth - 1))
        if done is not None:
            p.proved.add(seq.with_goal(wanted), done)
            return p.apply(product_of((v**e, 1), (inner, 1), (num(-1 if flipped else 1) / den, 1)), seq, depth)
    return None


def gathered(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """gap = (A b**x - C d**y)/e, with sums A, C > 0 that have no such powers: A b**x >= C d**y, then its logarithm."""
    if seq.goal.op not in ORDER or depth < 4 or has_binder(seq.goal.gap):
        return None
    try:
        form = seq.algebra.normal(seq.goal.gap)
    except AlgebraLimit:
        return None
    den = to_expr(form.den)
    flipped = signs((den,), seq) == [-1]
    groups: dict[Mono, Poly] = {}
    for m, c in form.num.items():
        power, rest = _apart(m)
        groups.setdefault(power, {})[rest] = -c if flipped else c
    if len(groups) != 2 or () in groups or len(form.num) < 3:
        return None
    done = _one_power(p, seq, depth, groups, den, flipped)
    if done is not None:
        return done
    parts = [(to_expr({power: fmpq(1)}), rest) for power, rest in groups.items()]
    shown = [signs((to_expr(rest),), seq) for _, rest in parts]
    if sorted(shown) != [[-1], [1]]:
        return None
    (upper, above), (lower, below) = parts if shown[0] == [1] else parts[::-1]
    negative = to_expr({m: -c for m, c in below.items()})
    lemma = Relation(">" if seq.goal.strict else ">=", to_expr(above) * upper, negative * lower)

    def curved(s: Sequent) -> Node | None:
        """Monotone in a variable, whole or not, before numbers are put for whole variables."""
        if s.goal.op not in ORDER or s.hyps != seq.hyps or s.goal.lhs.op != "log":
            return None
        return p.sliced(p.left() / 3, lambda: ladder(p, s, depth - 2))

    node = sum_of({len(seq.hyps): num(1)}, scale=-den if flipped else den)
    return p.cut(
        lemma,
        seq,
        depth,
        then=lambda s: p.apply(node, s, depth - 1),
        proof=lambda s: p.apply(LOGARITHMS, s, depth - 1, curved) if s.goal == lemma else None,
    )
