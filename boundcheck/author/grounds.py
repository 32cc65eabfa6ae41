"""What authors leave unsaid of the terms of a line: a sum of nonnegative terms is >= 0, X has a mean if X**2 has.

These are lines of their own, each by a rule that the kernel checks. They are looked for where a line is not found
without them, and where a claim speaks of a mean of which nothing shows that it exists.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import replace

from boundcheck.author.by_gram import vectors_of
from boundcheck.author.by_rule import Prove, by_rule
from boundcheck.author.draft import Draft
from boundcheck.author.goal import QUICK, Closest, Goal, accept
from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.formula import Expr, Relation, call, num
from boundcheck.kernel.statement import ByGram, ByRule, Follows

MAX_TERMS = 6  #: of a line, of each kind
_LENGTHS = ("abs", "norm")
_DOMINATED = {"norm": "integrable, dominated", "abs": "integrable, dominated number"}
_SIGNED = ("sum of nonnegative terms", "expectation of a square", "expectation of a nonnegative variable")


def grounded(draft: Draft, goal: Goal, prove: Prove) -> Draft:
    """The draft with lines on signs of sums and means of the goal, on means that exist, on lower moments."""
    return _with_higher_moments(with_means(with_signs(draft, goal, prove), goal, prove), goal)


def with_signs(draft: Draft, goal: Goal, prove: Prove) -> Draft:
    """The draft with ``T >= 0`` for the sums and means T of the goal that a rule shows to be so."""
    for term in _terms(goal, ("sum", "E")):
        part = goal.part(goal.said(Relation(">=", term, num(0))))
        if part.fact.claim in goal.path or _said(draft, part):
            continue
        for rule in _SIGNED if not exhausted() else ():
            found = by_rule(draft, replace(part, depth=1), prove, only=rule)
            if found is not None:
                draft = found
                break
    return draft


def with_means(draft: Draft, goal: Goal, prove: Prove) -> Draft:
    """The draft with ``integrable(Y) == 1`` for the means E(Y) of the goal: of lower powers, of squares of sums, of
    what a fact bounds."""
    for term in _terms(goal, ("E",)):
        of = term.args[0]
        found = _of_a_lower_power(draft, goal, of) or _of_a_square(draft, goal, of)
        draft = found or _below_a_fact(draft, goal, of, prove) or draft
    return draft


def _below_a_fact(draft: Draft, goal: Goal, of: Expr, prove: Prove) -> Draft | None:
    """The mean exists, as a fact bounds the length."""
    part = replace(_exists(goal, of), depth=1, closest=Closest())  # what is near to this says little about the line
    rules = () if _said(draft, part) else (_DOMINATED["norm"], _DOMINATED["abs"])
    return next((found for rule in rules if (found := by_rule(draft, part, prove, only=rule)) is not None), None)


def _of_a_lower_power(draft: Draft, goal: Goal, of: Expr) -> Draft | None:
    """The mean of |X|**q exists where that of |X|**r does, for some r >= q that a fact speaks of."""
    for base, power in _lengths(of):
        part = _exists(goal, call("pow", base, power))
        for higher in _powers(draft, goal, base):
            if higher is power or _said(draft, part):
                continue
            values = {"X": str(base), "q": str(power), "r": str(higher)}
            found = accept(draft, part, ByRule("integrable, lower power", values), "rule: integrable, lower power")
            if found is not None:
                whole = power is num(1) and of is not base
                return (_dominated(found, goal, of, base) or found) if whole else found
    return None


def _lengths(of: Expr) -> Iterator[tuple[Expr, Expr]]:
    """(|X|, q) for a power X**q: as it is where X is a modulus, else its modulus or its norm."""
    base, power = of.args if of.op == "pow" else (of, num(1))
    for one in (base,) if base.op in _LENGTHS else (call("abs", base), call("norm", base)):
        yield one, power


def _with_higher_moments(draft: Draft, goal: Goal) -> Draft:
    """The draft with E(|X|**q) <= E(|X|**r)**(q/r) for the moments of the goal, and those that facts speak of."""
    for term in _terms(goal, ("E",)):
        lengths = [(b, p, r) for b, p in _lengths(term.args[0]) for r in dict.fromkeys(_powers(draft, goal, b))]
        for base, power, higher in lengths:
            if higher is power or exhausted():
                continue
            above = call("E", call("pow", base, higher))
            sign = goal.part(goal.said(Relation(">=", above, num(0))))
            known = accept(draft, sign, ByRule(_SIGNED[2], {"X": str(above.args[0])}), f"rule: {_SIGNED[2]}")
            if known is None:
                continue
            values = {"X": str(base), "q": str(power), "r": str(higher)}
            lower = Relation("<=", call("E", call("pow", base, power)), call("pow", above, power / higher))
            by = ByRule("Lyapunov", values, (known.last,))
            draft = accept(known, goal.part(goal.said(lower)), by, "rule: Lyapunov") or draft
    return draft


def _powers(draft: Draft, goal: Goal, base: Expr) -> Iterator[Expr]:
    """The powers of a length, or of what it is the modulus of, whose means the goal and facts speak of."""
    sides = [s for r in (goal.relation, *(f.relation for f in draft.seen)) for s in r.sides]
    means = dict.fromkeys(n.args[0] for s in sides for n in s.walk() if n.op in ("E", "integrable"))
    for of in means:
        for n in of.walk():
            even = n.op == "pow" and n.args[1].op == "num" and n.args[1].value % 2 == 0
            if n.op == "pow" and (n.args[0] is base or (even and n.args[0] is base.args[0])):
                yield n.args[1]


def _of_a_square(draft: Draft, goal: Goal, of: Expr) -> Draft | None:
    """The mean of |v + w|**2 exists where those of |v|**2 and |w|**2 do: it is at most twice their sum."""
    if of.op != "pow" or of.args[1] is not num(2) or of.args[0].op != "norm":
        return None
    parts = list(dict.fromkeys(vectors_of(Relation("==", of, num(0)))))
    if not 1 < len(parts) <= MAX_TERMS or _said(draft, _exists(goal, of)):
        return None
    bound = num(0)
    for v in parts:
        bound = bound + num(len(parts)) * call("norm", v) ** num(2)
    below = goal.part(goal.said(Relation("<=", of, bound)))
    found = accept(draft, below, ByGram(tuple(map(str, parts))), "quadratic form", QUICK)
    return None if found is None else _dominated(found, goal, of, bound, found.last)


def _dominated(draft: Draft, goal: Goal, of: Expr, bound: Expr, *using: int) -> Draft | None:
    """The mean exists, as the length is at most what has one."""
    length = "norm" if bound.op == "norm" else "abs"
    rule = _DOMINATED[length]
    found = accept(draft, goal.part(goal.said(Relation("<=", call(length, of), bound))), Follows(using), "scalar")
    if found is None:
        return None
    by = ByRule(rule, {"X": str(of), "Y": str(bound)}, (found.last,))
    return accept(found, _exists(goal, of), by, f"rule: {rule}")


def _terms(goal: Goal, heads: tuple[str, ...]) -> list[Expr]:
    """The terms of the goal with these heads that hold no bound name, as they are written."""
    sides = goal.relation.sides
    bound = {str(n.args[1].value) for s in sides for n in s.walk() if n.binds}
    found = [n for s in sides for n in s.walk() if n.op in heads and not n.free & bound]
    return list(dict.fromkeys(found))[:MAX_TERMS]


def _exists(goal: Goal, of: Expr) -> Goal:
    return goal.part(goal.said(Relation("==", call("integrable", of), num(1))))


def _said(draft: Draft, part: Goal) -> bool:
    """Whether a fact in sight says just this."""
    return any(s.normal == part.normal for s in draft.seen if set(s.fact.over) <= set(part.fact.over))
