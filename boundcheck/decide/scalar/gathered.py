"""A difference of two products, each a sum times powers with formulas as exponents: compared by logarithms."""

from __future__ import annotations

from flint import fmpq

from boundcheck.decide.scalar.prover import Node, Prover
from boundcheck.decide.scalar.reduce import concave, ladder
from boundcheck.decide.scalar.sampling import signs
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Mono, Poly, to_expr
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.formula import Relation, text

_ORDER = ("<=", "<", ">=", ">")


def gathered(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """gap = (A b**x - C d**y)/e, with sums A, C > 0 that have no such powers: A b**x >= C d**y, then its logarithm."""
    if seq.goal.op not in _ORDER or depth < 4 or has_binder(seq.goal.gap):
        return None
    try:
        form = seq.algebra.normal(seq.goal.gap)
    except AlgebraLimit:
        return None
    den = to_expr(form.den)
    flipped = signs((den,), seq) == [-1]
    groups: dict[Mono, Poly] = {}
    for m, c in form.num.items():
        power = tuple(f for f in m if not isinstance(f[1], fmpq))
        groups.setdefault(power, {})[tuple(f for f in m if isinstance(f[1], fmpq))] = -c if flipped else c
    if len(groups) != 2 or () in groups or len(form.num) < 3:
        return None
    parts = [(to_expr({power: fmpq(1)}), rest) for power, rest in groups.items()]
    shown = [signs((to_expr(rest),), seq) for _, rest in parts]
    if sorted(shown) != [[-1], [1]]:
        return None
    (upper, above), (lower, below) = parts if shown[0] == [1] else parts[::-1]
    negative = to_expr({m: -c for m, c in below.items()})
    lemma = Relation(">" if seq.goal.strict else ">=", to_expr(above) * upper, negative * lower)

    def curved(s: Sequent) -> Node | None:
        """Concave in a variable or monotone, whole or not, before numbers are put for whole variables."""
        if s.goal.op not in _ORDER or s.hyps != seq.hyps or s.goal.lhs.op != "log":
            return None
        return p.sliced(p.left() / 3, lambda: concave(p, s, depth - 2) or ladder(p, s, depth - 2))

    def guide(s: Sequent) -> Node | None:
        if s.goal == lemma:
            return p.apply({"rule": "monotone", "fn": "log"}, s, depth - 1, curved)
        if len(s.hyps) == len(seq.hyps):
            return None
        node: Node = {"rule": "farkas", "terms": [{"c": "1", "hyps": [len(s.hyps) - 1]}]}
        if form.den != ONE:
            node["scale"] = text(-den if flipped else den)
        return p.apply(node, s, depth - 1)

    return p.apply({"rule": "cut", "lemma": str(lemma)}, seq, depth, guide)
