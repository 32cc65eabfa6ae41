"""The facts in sight of a step, as texts that say how each is used."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING

from boundcheck.kernel.formula import Expr, Relation
from boundcheck.kernel.proof.definedness import presupposed
from boundcheck.kernel.proof.facts import Known
from boundcheck.kernel.proof.judgements import ONE, Judge
from boundcheck.kernel.proof.sorts import Names, typed
from boundcheck.kernel.proof.terms import canonical, match, put_all, settle
from boundcheck.rocq.typed import TYPES

if TYPE_CHECKING:
    from boundcheck.rocq.pieces import Recorder
    from boundcheck.rocq.reasoning import Reasoning


class Sight:
    """The facts in sight of a step, and what the judgements about its terms share."""

    def __init__(self, builder: Reasoning, c: Recorder, scope: Names):
        self.b, self.c, self.scope = builder, c, scope
        self.judge = Judge(c.in_sight(), (*c.domain, *c.goal.where), scope)
        self.facts = [f for f in self._in_sight() if not f[1].fixed & c.goal.over.keys()]
        given = ((f"W_{i}", Known(r)) for i, r in enumerate(c.goal.where))
        self.facts += [(w, k) for w, k in given if not builder.writer.chancy(k, scope)]

    def _in_sight(self) -> Iterator[tuple[str, Known]]:
        book, statement = self.c.book, self.c.statement
        for n in statement.hypotheses:
            known, label = book.hypothesis(n), self.b.hypotheses[n]
            yield label, known
            yield from ((f"{label}_mean{j}", mean) for j, mean in enumerate(presupposed(known), 1))
        for k in range(1, min(self.c.number, len(statement.steps) + 1)):
            yield f"s_{k}", book.step(k)

    # ------------------------------------------------------------ texts

    def fun(self, e: Expr) -> str:
        """The term as a function of the outcome."""
        return f"(fun o : Om => {self.b.writer.term(e, self.scope)})"

    def kind(self, e: Expr) -> str:
        """R or V."""
        return TYPES[typed(e, self.scope).kind]

    def assume(self, about: str, stated: str) -> str:
        """A hypothesis of the file for a judgement, once; its name."""
        return self.b.assumed("use_" + "".join(ch if ch.isalnum() else "_" for ch in about), about, stated)

    def integrable_text(self, kind: str, function: str) -> str:
        """That a function of the outcome has a mean."""
        return f"{self.b.writer._head('integrable', [(f'Om -> {kind}', function)], 'R')} = 1"

    # ------------------------------------------------------------ facts

    def fact(self, accept: Callable[[Relation], Expr | None], term: Expr) -> Iterator[tuple[Relation, str]]:
        """Instances of facts in sight about ``term``, as :meth:`Judge.known` finds them, each with its text."""
        for label, fact in self.facts:
            plain = fact.relation.map(canonical)
            for r in (plain, plain.flipped()):
                about = accept(r)
                if about is None:
                    continue
                values: dict[str, Expr] = {}
                if not match(about, term, frozenset(fact.over), values) or values.keys() != fact.over.keys():
                    continue
                if not all(self.judge.holds(settle(put_all(w, values))) for w in fact.where):
                    continue
                args = [self.b.writer.value(values[n], s, self.scope) for n, s in fact.over.items()]
                if self.b.writer.chancy(fact, self.scope):
                    args.append("o")
                yield put_all(r, values).map(canonical), f"({' '.join([label, *args])})"

    def _use(self, text: str) -> str:
        return f"(pose proof {text} as HU; bw_chain HU by ({self.b.close}); bw_got HU)"

    def _by_fact(self, head: str, *args: Expr) -> str | None:
        term = Expr(head, args)
        for r, text in self.fact(lambda r: r.lhs if r.op == "==" and r.rhs is ONE else None, term):
            if r.rhs is ONE:
                return self._use(text)
        return None
