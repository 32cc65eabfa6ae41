"""Known bounds put in for what stands in the way: tangents of logarithms and exponentials, Bernoulli's inequality.

log u <= log v + u/v - 1 for v > 0, exp(v) (1 + u - v) <= exp(u), which is at most exp(v)/(1 - u + v) for u - v < 1,
and for b > 0 and 0 <= e <= 1 (else the other way round, where defined) b/(b + e (1 - b)) <= b**e <= 1 + e (b - 1)
(Mitrinovic, Analytic Inequalities, 2.4 and 2.7). For e >= 0, by the tangent of the logarithm, exp(e (1 - 1/b)) <= b**e
<= exp(e (b - 1)), and b**e is above exp(e (b - 1 - (b - 1)**2/2)) for b >= 1, below it for b <= 1. Each bound that is
put in is a lemma to be proved, and the goal with the bounds in its place is a goal of its own.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterator
from functools import partial

from boundcheck.decide.scalar.basic import only
from boundcheck.decide.scalar.prover import Node, Prover, by_lemmas, fresh, normalised, size, slope_of
from boundcheck.decide.scalar.reduce import box_bounds
from boundcheck.decide.scalar.sampling import plausible, signs
from boundcheck.kernel.check.leaves import settled
from boundcheck.kernel.check.nodes_read import ORDER, at_least
from boundcheck.kernel.check.poly import ONE
from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import Expr, Relation, call, const, num, substitute, text, var

_PLAIN = ("var", "num", "const", "add", "sub", "mul", "div", "neg", "pow")  #: what a tangent is taken of
MAX_ATOMS = 3
MAX_TRIES = 6


def _powers(seq: Sequent, depth: int) -> list[Expr] | None:
    """The powers with variable exponents of a goal that is small enough."""
    goal = seq.goal
    if goal.op not in ORDER or depth < 6 or len(goal.free) < 2 or size(goal.gap) > 60 or has_binder(goal.gap):
        return None
    return [n for n in goal.gap.walk() if n.op == "pow" and n.args[1].free]


def tangent_powers(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic: every power with a variable exponent gives way to an exponential, if no base is negative."""
    powers = [n for n in _powers(seq, depth) or () if n.args[0].free]
    positive_bases = all(s == 1 for s in signs(tuple(n.args[0] for n in powers), seq))
    found = _weights(seq, powers) if 1 <= len(powers) <= MAX_ATOMS and positive_bases else None
    return None if found is None else _put(p, seq, powers, *found, depth, _exponentials)


def bounded(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic: a logarithm or an exponential, or every power with a variable exponent, gives way to a bound."""
    powers = _powers(seq, depth)
    if powers is None:
        return None
    for atoms in (powers, *([n] for op in ("log", "exp") for n in _of_plain(seq, op))):
        found = _weights(seq, atoms) if 1 <= len(atoms) <= MAX_ATOMS else None
        if found is not None:
            done = _split(p, seq, atoms, depth) or _put(p, seq, atoms, *found, depth)
            if done is not None:
                return done
    return None


def _of_plain(seq: Sequent, op: str) -> list[Expr]:
    """The logarithms or exponentials of the goal that are of a rational formula."""
    found = dict.fromkeys(n for n in seq.goal.gap.walk() if n.op == op and n.free)
    return [n for n in found if all(m.op in _PLAIN for m in n.args[0].walk())]


def _split(p: Prover, seq: Sequent, powers: list[Expr], depth: int) -> Node | None:
    """Below and above 1, where the bound of a power is another one; only where several of them are to be compared."""
    box = seq.box or {}
    if len(powers) < 2:
        return None
    for base in (n.args[0] for n in powers):
        if base.op == "var" and box[base.value][0] < 1 < box[base.value][1]:
            node: Node = {"rule": "case", "on": text(base - num(1))}
            return p.apply(node, seq, depth, lambda s: None if settled(s.goal, s.box or {}) else bounded(p, s, depth))
    return None


def _put(
    p: Prover, seq: Sequent, atoms: list[Expr], names: list[str], gap: Expr, weights: list[Expr], depth: int,
    of_power: Callable[[Expr, Expr], Iterator[Expr]] | None = None,
) -> Node | None:  # fmt: skip
    shown = signs(tuple(weights), seq)
    if 0 in shown:
        return None
    options = [_bounds(seq, a, s > 0, of_power or _bernoulli) for a, s in zip(atoms, shown, strict=True)]
    tried = 0
    for chosen in itertools.product(*options):
        put = {v: bound for v, (bound, _, _) in zip(names, chosen, strict=True)}
        rest = seq.algebra.normal(substitute(gap, put)).expr()
        left = at_least(rest, seq.goal.strict)
        if not plausible(seq.with_goal(left)):
            continue
        tried += 1
        if tried > MAX_TRIES:
            return None
        lemmas = [left, *(lemma for _, lemma, _ in chosen)]
        factors = (w * scale for w, (_, _, scale) in zip(weights, chosen, strict=True))
        times = [num(1), *(w if s > 0 else -w for s, w in zip(shown, factors, strict=True))]
        done = p.sliced(p.left() / 2, partial(_cut, p, seq, lemmas, times, depth))
        if done is not None:
            return done
    return None


def _weights(seq: Sequent, atoms: list[Expr]) -> tuple[list[str], Expr, list[Expr]] | None:
    """Names for the atoms, the gap in them, and the factor of each; None where the gap is not affine in them."""
    gap, names, weights = seq.goal.gap, [], []
    wide = seq
    for a in atoms:
        names.append(fresh(wide))
        gap = replaced(gap, a, var(names[-1]))
        wide = wide.with_goal(Relation(">=", gap, num(0)))
    for name in names:
        slope = slope_of(gap, name)
        if slope is None or (w := seq.algebra.normal(slope)).den != ONE or w.expr().free & set(names):
            return None
        weights.append(w.expr())
    return names, gap, weights


def _cut(p: Prover, seq: Sequent, lemmas: list[Relation], times: list[Expr], depth: int) -> Node | None:
    """The gap as a sum of the gaps of the lemmas, each with its factor; the first is what is left of the goal."""
    own = list(range(len(seq.hyps)))  # of which a proof that is made here speaks, also behind other lemmas
    known: dict[Relation, Node] = {}
    for k, lemma in enumerate(lemmas):
        proof = p.prove(seq.with_goal(lemma), depth - 2) if k == 0 else _alone(p, seq.with_goal(lemma), depth - 2)
        if proof is None:
            return None
        known[lemma] = {"rule": "drop", "keep": own, "then": [proof]} if k else proof
    return by_lemmas(p, seq, depth - 1, [(lemma, lambda s: known.get(s.goal)) for lemma in lemmas], times)


def _alone(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """A lemma from plain hypotheses and bounds of its variables; what it has a logarithm or power of is a variable."""
    plain = [
        k
        for k, h in enumerate(seq.hyps)
        if h.free <= seq.goal.free and not any(n.op in ("log", "pow") for n in h.gap.walk())
    ]

    def named(s: Sequent) -> Node | None:
        atom = s.goal.lhs
        if atom.op not in ("log", "pow", "exp") or atom.args[0].op in ("var", "num"):
            return rooted(s)
        new = fresh(s)
        if atom.op == "exp":
            below_one = [f"{new} < 1"] if s.goal.op == "<=" else []
            return p.apply({"rule": "let", "term": text(atom.args[0]), "new": new, "facts": below_one}, s, depth)
        tangent = s.goal.rhs.op == "exp"
        (beyond,) = signs((atom.args[0] - num(1),), s) if atom.op == "pow" else (0,)
        equal = "=" if tangent else ""  # a tangent touches at 1, and a base may vanish below it
        facts = [f"{new} >{equal if s.goal.op == '<=' else ''} 0"]
        facts += [f"{new} {'>' if beyond > 0 else '<'}{equal} 1"] if beyond else []
        node: Node = {"rule": "let", "term": text(atom.args[0]), "new": new, "facts": facts}
        return p.apply(node, s, depth, rooted)

    def rooted(s: Sequent) -> Node | None:
        """A power and an exponential, each to the power of 1/exponent, which leaves a formula in the base alone."""
        if s.goal.lhs.op != "pow" or s.goal.rhs.op != "exp":
            return None
        exponent = s.goal.lhs.args[1]
        if not s.algebra.positive(exponent):
            apart: Node = {"rule": "case", "on": text(exponent), "strict": True}
            return p.apply(apart, s, depth, lambda t: rooted(t) if t.algebra.positive(exponent) else None)
        root: Node = {"rule": "monotone", "fn": "power", "exponent": text(num(1) / exponent)}
        return p.apply(root, s, depth, lambda t: normalised(p, t, depth) if t.goal.lhs.op == "pow" else None)

    return only(p, seq, depth, box_bounds(seq, sorted(seq.goal.free)), plain, named)


def _bounds(
    seq: Sequent, atom: Expr, below: bool, of_power: Callable[[Expr, Expr], Iterator[Expr]]
) -> list[tuple[Expr, Relation, Expr]]:
    """Bounds of an atom that hold at the sample points, each with the lemma that says so, and its factor."""
    if atom.op in ("log", "exp"):
        return list((_tangents if atom.op == "log" else _of_exponential)(seq, atom, below))
    op = ">=" if below else "<="
    found = [(e, Relation(op, atom, e), num(1)) for e in of_power(*atom.args)]
    return [(e, lemma, one) for e, lemma, one in found if signs((lemma.gap,), seq) == [1]]


def _of_exponential(seq: Sequent, atom: Expr, below: bool) -> Iterator[tuple[Expr, Relation, Expr]]:
    """exp(v) (1 + u - v) below exp(u), exp(v)/(1 - u + v) above it, v what another exponential is of, or 0."""
    others = [n.args[0] for n in _of_plain(seq, "exp") if n is not atom]
    for v in (*others, num(0)):
        far = seq.algebra.normal(atom.args[0] - v).expr()
        scale, slope = call("exp", v) if v.free else num(1), num(1) + far if below else num(1) / (num(1) - far)
        if far.free and (below or signs((num(1) - far,), seq) == [1]):
            yield scale * slope, Relation(">=" if below else "<=", call("exp", far), slope), scale


def _bernoulli(b: Expr, e: Expr) -> Iterator[Expr]:
    yield num(1)
    yield num(1) + e * (b - num(1))
    yield b / (b + e * (num(1) - b))


def _exponentials(b: Expr, e: Expr) -> Iterator[Expr]:
    yield call("exp", e * (b - num(1)))
    yield call("exp", e * (b - num(1) - (b - num(1)) ** num(2) / num(2)))
    yield call("exp", e * (num(1) - num(1) / b))


def _tangents(seq: Sequent, atom: Expr, below: bool) -> Iterator[tuple[Expr, Relation, Expr]]:
    """log v + u/v - 1 (below: log v + 1 - v/u), v a number times what another logarithm is of, or a variable > 0."""
    (u,) = atom.args
    relations = (*seq.hyps, seq.goal)
    others = [n.args[0] for r in relations for n in r.gap.walk() if n.op == "log" and n.free and n.args[0] is not u]
    numbers = [num(2), *(n for h in seq.hyps for n in h.gap.walk() if n.op == "num" and n.value > 0)]
    sides = [var(v) for v in sorted(seq.goal.free - u.free) if positive((seq.box or {}).get(v), True)]
    for y in dict.fromkeys((*others, num(1), *sides)):
        for c in dict.fromkeys((num(1), const("E"), *numbers)):
            v = y if c is num(1) else c * y
            ratio = v / u if below else u / v
            log = call("log", c) + call("log", y)
            bound = log + num(1) - ratio if below else log + ratio - num(1)
            yield bound, Relation("<=", call("log", ratio), ratio - num(1)), num(1)
