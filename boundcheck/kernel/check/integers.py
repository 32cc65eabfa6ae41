"""Rules of whole numbers: rounding, branches between neighbours, residues, classes modulo m, induction."""

from __future__ import annotations

from itertools import product
from math import lcm

from flint import fmpq

from boundcheck.kernel.check.nodes_read import (
    Node,
    fresh_name,
    hypothesis,
    known,
    name_of,
    need,
    ordering,
    refuse_more_bases,
    whole_number,
)
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Poly
from boundcheck.kernel.check.sequent import Refused, Sequent, isolated, obligations
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import Expr, Relation, num, substitute, var

MOST_CASES = 4000  #: residues of all variables together


def whole(e: Expr, seq: Sequent) -> tuple[int, Poly] | None:
    """(D, p) where D*e is p, a polynomial with integer coefficients in integer variables, floors and ceilings."""
    try:
        form = seq.algebra.normal(e)
    except AlgebraLimit:
        return None
    if form.den != ONE:
        return None
    for m in form.num:
        for atom, power in m:
            fits = isinstance(power, fmpq) and power.q == 1 and power > 0
            if not fits or not (atom.op in ("floor", "ceil") or (atom.op == "var" and atom.value in seq.integers)):
                return None
    d = lcm(1, *(int(c.q) for c in form.num.values()))
    return d, {m: c * d for m, c in form.num.items()}


def _round(node: Node, seq: Sequent) -> list[Sequent]:
    """g >= 0 for whole D*g follows from g > -1/D."""
    goal = ordering(seq)
    found = whole(goal.gap, seq)
    if goal.strict or found is None:
        raise Refused("round wants >= or <= between whole numbers")
    return [seq.with_goal(Relation(">", goal.gap, num(-1) / num(found[0])))]


def _branch(node: Node, seq: Sequent) -> list[Sequent]:
    """A whole e is at most k or at least k + 1."""
    e, k = known(node, "on", seq), whole_number(node.get("at"), "at")
    found = whole(e, seq)
    if found is None or found[0] != 1:
        raise Refused("branch wants a whole number")
    ends = (Relation("<=", e, num(k)), Relation(">=", e, num(k + 1)))
    return [*obligations(e, seq), *(seq.with_hyps(end) for end in ends)]


def _residues(node: Node, seq: Sequent) -> list[Sequent]:
    """lhs != rhs as a goal, or an equation among the hypotheses that has no solution modulo m."""
    m = whole_number(node.get("mod"), "mod", 2, 64)
    r = hypothesis(node["hyp"], seq) if "hyp" in node else seq.goal
    if r.op != ("==" if "hyp" in node else "!="):
        raise Refused("residues wants !=, or an equation among the hypotheses")
    found = whole(r.lhs - r.rhs, seq)
    if found is None or any(atom.op != "var" for mono in found[1] for atom, _ in mono):
        raise Refused("residues wants a polynomial in whole numbers")
    names = sorted({atom.value for mono in found[1] for atom, _ in mono})
    if m ** len(names) > MOST_CASES:
        raise Refused("residues: too many cases")
    terms = [(int(c.p), [(names.index(a.value), int(x.p)) for a, x in mono]) for mono, c in found[1].items()]
    for values in product(range(m), repeat=len(names)):
        total = 0
        for c, powers in terms:
            for i, x in powers:
                c = c * pow(values[i], x, m) % m
            total += c
        if total % m == 0:
            raise Refused(f"both sides may agree modulo {m}")
    return []


def _classes(node: Node, seq: Sequent) -> list[Sequent]:
    """n = m*q + r, a child for every residue r."""
    v, m, new = name_of(node, "var", seq), whole_number(node.get("mod"), "mod", 2, 24), fresh_name(node, seq)
    if v not in seq.integers:
        raise Refused("classes wants an integer variable")
    left = [seq.substituted({v: num(m) * var(new) + num(r)}) for r in range(m)]
    return [Sequent(s.hyps, s.goal, s.integers | {new}) for s in left]


def _induction(node: Node, seq: Sequent) -> list[Sequent]:
    """The goal at n = from, and at n + 1 if it holds at n >= from.

    Hypotheses on n are bounds. Lower ones must give n >= from and are forgotten: the goal is proved for every n from
    there on. Upper ones are kept, as they hold at n where they hold at n + 1. The goal's formula is proved to be
    defined throughout, since an assumption that is undefined would not count.
    """
    v, start = name_of(node, "var", seq), known(node, "from", seq)
    if v not in seq.integers or v in start.free:
        raise Refused("induction wants an integer variable and a place to begin that does not move with it")
    if not is_integer_valued(start, seq.integers):
        raise Refused("induction begins at a whole number")
    refuse_more_bases(seq, seq.goal.lhs, substitute(seq.goal.lhs, {v: start}))
    others, upper = [], []
    for h in seq.hyps:
        if v not in h.free:
            others.append(h)
            continue
        bound = isolated(h, v)
        if bound is None or bound.op not in ("<", "<=", ">", ">="):
            raise Refused("induction: a hypothesis on the variable that is no bound")
        if bound.op in ("<", "<="):
            upper.append(bound)
    n = var(v)
    left = [*obligations(start, seq), *need(Relation(">=", n, start), seq)]
    wide = Sequent((*others, *upper, Relation(">=", n, start)), seq.goal, seq.integers)
    left += obligations(seq.goal.lhs - seq.goal.rhs, wide)
    left.append(Sequent((*others, *upper), seq.goal, seq.integers).substituted({v: start}))

    def after(r: Relation) -> Relation:
        return r.map(lambda e: substitute(e, {v: n + 1}))

    step = (*others, *map(after, upper), Relation(">=", n, start), seq.goal)
    return [*left, Sequent(step, after(seq.goal), seq.integers)]


RULES = {"round": _round, "branch": _branch, "residues": _residues, "classes": _classes, "induction": _induction}
