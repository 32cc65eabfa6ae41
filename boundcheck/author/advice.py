"""What to write before a line on means: the bound of a product whose factor has one, or that a mean exists."""

from __future__ import annotations

from collections.abc import Iterator

from boundcheck.author import adapter
from boundcheck.author.adapter import same
from boundcheck.author.draft import Draft, Seen, instances, terms_in
from boundcheck.author.goal import Goal
from boundcheck.author.match import factors_of, whole
from boundcheck.author.syntax import with_members
from boundcheck.kernel.formula import Expr, Relation, call
from boundcheck.kernel.statement import ByRule

MEANS = ("E", "Egiven")


def product_bound(draft: Draft, goal: Goal) -> str:
    """The line that is missing before a line on E(X*Y) where facts bound factors of X*Y; "" where there is none."""
    r = goal.relation if goal.relation.op in ("<=", "<") else goal.relation.flipped()
    if r.op not in ("<=", "<"):
        return ""
    facts = list(dict.fromkeys([*goal.facts, *draft.seen]))
    for mean in (n for n in r.lhs.walk() if n.op in MEANS):
        of = bound = mean.args[0]
        for seen in facts:
            bound = next((b for b in _with_factor(draft, goal, bound, seen)), bound)
        line = Relation("<=", of, bound)
        if bound is not of and not any(_says(s, line) for s in facts):
            return f"write the bound of the product as a line before, if the other factors are >= 0: {line}"
    return ""


def missing_mean(draft: Draft, goal: Goal) -> str:
    """That nothing shows that a mean of which the line speaks exists, and the line that would; "" where all do."""
    sides = (n for side in goal.relation.sides for n in side.walk())
    for of in dict.fromkeys(n.args[0] for n in sides if n.op in MEANS):
        text = adapter.as_text(of)
        twice = goal.part(goal.said(Relation("==", call("E", of + of), call("E", of) + call("E", of))))
        by = ByRule("expectation of a sum", {"X": text, "Y": text})  # it asks for the mean of X
        refusal = draft.checker.generate(draft.statement, twice.step(by))
        if isinstance(refusal, adapter.Refusal) and refusal.reason.endswith("is integrable"):
            told = with_members(text)
            return f"nothing shows that {told} is integrable: a line integrable({told}) == 1 would"
    return ""


def undefined_condition(goal: Goal) -> str:
    """The condition to write before one that divides, where what came closest is that this may be undefined."""
    if "definedness: " not in goal.closest.best:
        return ""
    for r in goal.fact.conditions:
        for n in (n for side in r.sides for n in side.walk() if n.op == "div" and n.args[1].free):
            divisor, line = with_members(str(n.args[1])), with_members(str(r))
            return f"a condition is defined by those before it alone: write {divisor} > 0, or != 0, before {line}"
    return ""


def _says(seen: Seen, line: Relation) -> bool:
    return same(seen.relation.lhs, line.lhs) and seen.relation.op in ("<=", "<", "==")


def _with_factor(draft: Draft, goal: Goal, of: Expr, seen: Seen) -> Iterator[Expr]:
    """The product with what the fact says put for a factor, or for what a factor is a power of."""
    factors = factors_of(of)
    if len(factors) < 2:
        return
    for one in [seen] if seen.let else instances(seen, terms_in(goal.relation), goal.own):
        for r in (one.relation, one.relation.flipped()):
            for n, (above, factor) in enumerate(factors):
                base, power = (factor.args[0], factor.args[1]) if factor.op == "pow" else (factor, None)
                if r.op in ("<=", "<") and above > 0 and base.op in ("norm", "abs") and same(base, r.lhs):
                    put = r.rhs if power is None else r.rhs**power
                    yield whole([*factors[:n], (1, put), *factors[n + 1 :]])
