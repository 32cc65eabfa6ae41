"""Models as small worlds in texts, for laws with a tail: those of the planted falsehoods that meet all hypotheses."""

from __future__ import annotations

from dataclasses import dataclass

from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_refute import broken, holds_for_all, unmet
from boundcheck.decide.worlds.world_terms import Unknown
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.models.told import BY_DEFINITION, Answer, assertion, tighter


@dataclass(frozen=True)
class InTexts:
    """A small world that meets all hypotheses of a statement."""

    statement: Statement
    world: World
    words: str

    def how(self, fact: Fact) -> str:
        """How a hypothesis is known to hold."""
        return BY_DEFINITION if fact in self.world.defining.get(self.world.defined_by(fact), ()) else "exact"

    def bites(self, fact: Fact) -> bool:
        """Whether an inequality that holds fails with a hundredth less room."""
        less = tighter(assertion(fact, declared(self.statement)))
        return less is not None and self._broken(Fact(str(less.relation), fact.over, fact.where))

    def worth(self, fact: Fact) -> Answer:
        """What a claim is worth."""
        try:
            if holds_for_all(self.world, fact):
                return Answer(True, "exact")
        except Unknown as why:
            return Answer(None, str(why))
        return Answer(False) if self._broken(fact) else Answer(None, "not decided")

    def _broken(self, fact: Fact) -> bool:
        try:
            return broken(self.world, fact) is not None
        except Unknown:
            return False


def in_texts(original: Statement, statement: Statement) -> InTexts | None:
    """The first world of a planted falsehood that meets all hypotheses of the statement itself, where there is one."""
    symbols = {q.symbol for q in statement.parameters}
    for twin in original.twins:
        try:
            world = World(statement, twin.world)
            if twin.world and not unmet(world):
                values = {n: t for n, t in twin.world.items() if n not in symbols and world.speaks_of(n)}
                return InTexts(statement, world, "; ".join(f"{n} = {t}" for n, t in values.items()))
        except Unknown:
            continue
    return None
