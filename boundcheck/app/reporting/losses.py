"""The slack ledger: which step of a theorem's proof loses what, read off the stored slack along its citations."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from functools import lru_cache
from typing import Any

from boundcheck.author.wording import fact_text
from boundcheck.kernel.formula import Expr, Relation, has_opaque, parse_relation
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.proof.obligations import conclusion_steps
from boundcheck.kernel.proof.terms import put_all, settle, settled
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import ByGram, ByRule, Cite, Follows, Ref, Statement, Step, Use
from boundcheck.stored.decisions import numbered

Record = dict[str, Any]
SHARP = 1 + 1e-6  #: a slack bracket that ends below this loses nothing worth a row


@dataclass(frozen=True)
class Loss:
    """One slack bracket on the way to a theorem.

    ``low`` is certified, ``high`` from an instance; both are claimed/true at its least over the domain of the step,
    and either may be missing. ``factor``: the step's right side passes into the theorem's bound; else it only secures
    a condition (a sign, a domain) and its slack is no factor of anything.
    """

    name: str
    label: str
    claim: str
    note: str
    low: float | None
    high: float | None
    factor: bool
    whole: bool = False  #: of a whole lemma, against the exact supremum over all laws; its steps are not listed
    constant: bool = False  #: of the first of the step's constants, not of its right side as a whole

    @property
    def certified(self) -> float:
        """The factor that is lost for sure."""
        return max(self.low or 1.0, 1.0)


def losses(root: str, catalogue: Mapping[str, Statement], decisions: Mapping[str, Any]) -> list[Loss]:
    """Every slack bracket on which ``root`` rests, premises first, each once.

    A lemma with a bracket of its own stands for its proof. A statement is taken in the form that is proved. Of a
    statement that is not among ``decisions`` nothing is known, but what it cites is followed.
    """
    found: dict[str, Loss] = {}
    seen: dict[str, bool] = {}

    def add(loss: Loss) -> None:
        """Keep what is lost once; where it passes on one way, it is a factor."""
        earlier = found.get(loss.name)
        if earlier is None or (loss.factor and not earlier.factor):
            found[loss.name] = loss

    def gather(label: str, factor: bool) -> None:
        if label not in catalogue or (label in seen and seen[label] >= factor):
            return
        seen[label] = factor
        statement, stored = _proved(catalogue[label], decisions.get(label))
        if stored is not None and stored["slack"] is not None:
            low, high = stored["slack"]
            add(Loss(label, label, statement.title, "", low, high, factor, whole=True))
            return
        uses = _uses(statement, catalogue)
        for number, printed, known in numbered(statement, stored):
            if number not in uses:
                continue
            step, passes = printed.repair or printed, factor and uses[number]
            if isinstance(step.by, Cite):
                gather(step.by.label, passes)
            slack = _slack(known)
            if slack is not None:
                constant = isinstance(step.by, ByGram) and bool(step.by.sharp)
                text = fact_text(step.fact)
                add(Loss(f"{label}/{number}", label, text, step.note, *slack, passes, constant=constant))

    gather(root, True)
    return list(found.values())


def product(rows: Sequence[Loss]) -> float:
    """The product of the certified factors."""
    return math.prod(r.certified for r in rows if r.factor)


def _proved(statement: Statement, stored: Record | None) -> tuple[Statement, Record | None]:
    """The form that is proved, with its record; undecided, the form that its uses need."""
    used = statement.as_used
    if stored is None:
        return (used or statement), None
    if stored["verdict"] == "REPAIRED" and used is not None and stored["as_used"] is not None:
        return used, stored["as_used"]
    return statement, stored


def _steps(statement: Statement) -> list[Step]:
    """The steps in the form that holds, the claims last."""
    return [s.repair or s for s in (*statement.steps, *conclusion_steps(statement))]


def _slack(known: Record | None) -> tuple[float | None, float | None] | None:
    if known is None:
        return None
    own = known["as_used"] if known["verdict"] == "REPAIRED" and known["as_used"] is not None else known
    return None if own["slack"] is None else tuple(own["slack"])


def _uses(statement: Statement, catalogue: Mapping[str, Statement]) -> dict[int, bool]:
    """The numbers of the steps on which the claims rest: True where the right side passes on, False for conditions."""
    steps = _steps(statement)
    passes = dict.fromkeys(range(len(statement.steps) + 1, len(steps) + 1), True)
    for number in range(len(steps), 0, -1):  # a step refers to earlier ones only
        if number not in passes:
            continue
        for ref, on in _refs(number, steps, statement, catalogue):
            passes[ref] = passes.get(ref, False) or (on and passes[number])
    return passes


def _refs(
    number: int, steps: Sequence[Step], statement: Statement, catalogue: Mapping[str, Statement]
) -> Iterator[tuple[int, bool]]:
    """The earlier steps that a step uses, and whether their right sides pass into its own.

    They do as a multiplied fact, as a link of a chain of inequalities, as a premise of a rule, and as a hypothesis of
    a cited statement; not as a sign, a domain or a side condition.
    """
    step = steps[number - 1]
    by = step.by
    refs: tuple[Ref, ...] = getattr(by, "using", ())
    using = [(place, n) for place, ref in enumerate(refs) if (n := _number(ref, statement)) is not None]
    if isinstance(by, Follows) and by.times:
        yield from ((n, by.times[place] != "") for place, n in using)
    elif isinstance(by, Follows):
        sides = [(n, _sides(refs[place], steps[n - 1])) for place, n in using]
        goal = _sides(number, step)
        for n, own in sides:
            others = [*goal, *(s for m, found in sides if m != n for s in found)]
            yield n, number > len(statement.steps) or any(_linked(s, others, goal) for s in own)
    elif isinstance(by, ByRule):
        rule = RULES.get(by.rule)
        all_pass = rule is not None and (bool(rule.implies) or not rule.premises)
        premises = 0 if rule is None else len(refs) if all_pass else len(rule.premises)
        yield from ((n, place < premises) for place, n in using)
    elif isinstance(by, ByGram):
        yield from ((n, _opaque(steps[n - 1])) for _, n in using)
    else:
        yield from ((n, False) for _, n in using)
    if isinstance(by, Cite) and by.label in catalogue:
        yield from ((n, True) for n in _met(by, number, steps, catalogue[by.label]))


@lru_cache(maxsize=4096)
def _relation(claim: str) -> Relation:
    return parse_relation(claim, proof=True)


@lru_cache(maxsize=4096)
def _expanded(claim: str) -> Relation:
    return settle(_relation(claim))


def _met(by: Cite, number: int, steps: Sequence[Step], cited: Statement) -> Iterator[int]:
    """The earlier steps that are hypotheses of the cited statement."""
    if by.as_used and cited.as_used is not None:
        cited = cited.as_used
    values = {k: settled(read_term(v)) for k, v in by.let.items()}
    earlier = [_expanded(s.fact.claim) for s in steps[: number - 1]]
    for fact in cited.hypotheses.values():
        wanted = settle(put_all(_relation(fact.claim), {k: v for k, v in values.items() if k not in fact.over}))
        yield from (n for n, relation in enumerate(earlier, 1) if relation == wanted)


def _sides(ref: Ref, step: Step) -> tuple[Expr, Expr]:
    """Both sides of a step's relation, with the values of a use put for its names."""
    relation = _relation(step.fact.claim)
    values = {k: read_term(v) for k, v in ref.let.items()} if isinstance(ref, Use) else {}
    return put_all(relation, values).lhs, put_all(relation, values).rhs


def _linked(side: Expr, others: Sequence[Expr], goal: Sequence[Expr]) -> bool:
    """Whether a side of a fact reappears: as a part of another one, or, a bare name, as a whole side of the goal."""
    if side.op == "num":
        return False
    return side in goal if not side.args else any(side in set(o.walk()) for o in others)


def _number(ref: Ref, statement: Statement) -> int | None:
    """The number of the step behind a reference; None for a hypothesis."""
    plain = ref.ref if isinstance(ref, Use) else ref
    if isinstance(plain, int):
        return plain
    return next((n for n, s in enumerate(statement.steps, 1) if s.name == plain), None)


def _opaque(step: Step) -> bool:
    """Whether the step is about probabilities, means or norms."""
    relation = _relation(step.fact.claim)
    return has_opaque(relation.lhs) or has_opaque(relation.rhs)
