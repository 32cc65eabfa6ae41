"""Cited claims in whole statements: hypotheses of the file, applied to values, their premises met by what is there."""

from __future__ import annotations

import re
from collections.abc import Iterable

from boundcheck.kernel.formula import var
from boundcheck.kernel.proof.book import book, declared
from boundcheck.kernel.proof.citation import _placed, _same, _values
from boundcheck.kernel.proof.definedness import presupposed
from boundcheck.kernel.proof.facts import Known, read, read_term
from boundcheck.kernel.proof.sorts import Names
from boundcheck.kernel.proof.terms import names_of, settle, settled
from boundcheck.kernel.statement import Cite, Statement
from boundcheck.rocq.coq_text import NotStated, name
from boundcheck.rocq.judged import Shown
from boundcheck.rocq.pieces import Piece, Recorder
from boundcheck.rocq.reasoning import Reasoning, assumed
from boundcheck.rocq.typed import Writer, over, type_of, whole, whole_values


class Citing(Reasoning):
    """The citations of one statement."""

    def _cite(self, c: Recorder, by: Cite) -> list[str]:
        cited = self.lookup(by.label)
        if by.as_used and cited.as_used is not None:
            cited = cited.as_used
        theirs = declared(cited)
        claim = read(cited.claims[by.part], theirs, sure=False)
        known = [book(cited).hypothesis(n) for n in cited.hypotheses]
        stated = [r for k in (claim, *known) for r in k.relations] + [settle(r) for r in cited.domain]
        spoken = [n for n in theirs if n in names_of(stated)]
        values = _values(c, by, theirs, stated, claim)
        label = self._statement(by, cited, theirs, claim, known, spoken)
        at = {k: settled(read_term(v)) for k, v in by.let.items() if k in claim.over}
        args = [self.writer.value(values.get(n, var(n)), theirs[n], c.scope) for n in spoken]
        for n, s in claim.over.items():
            e = at.get(n, var(n))
            args.append("_" if e == var(n) and n not in c.scope else self.writer.value(e, s, c.scope))
        if Writer.chancy(claim, theirs):
            args.append("o")
        term = f"({' '.join([label, *args])})"
        tags = self._told_before(c, [_placed(k, values, apart=c.scope) for k in known])
        means = self._means(c, [_placed(m, values, apart=c.scope) for k in known for m in presupposed(k)])
        got = (f"solve [ bw_got J{k} ]" for k in range(1, len(means) + 1))
        each = " | ".join([*got, *(f"solve [ bw_from {t} by ({self.close}) ]" for t in tags), self.close])
        return [*means, f"pose proof {term} as K.", f"bw_chain K by (first [ {self._turned(label, each)} ])."]

    def _means(self, c: Recorder, wanted: Iterable[Known]) -> list[str]:
        """That the means that a cited statement supposes something about exist, where the judgements show it."""
        lines: list[str] = []
        show = Shown(self, c, c.scope)
        for known in wanted:
            try:
                stated = self.writer.proposition(known, c.scope, outcome=False)
                how = show.under(known.where, known.over).integrable(known.relation.lhs.args[0])
            except NotStated:
                continue
            start = "try clear dependent o; " if self.at_outcome else ""
            start += self._intros(known, c.scope, False, "U").rstrip(".")  # the step's own conditions are W_0, ...
            lines.append(f"assert (J{len(lines) + 1} : {stated}) by ({start}; {how}).")
        return lines

    def _turned(self, label: str, each: str) -> str:
        """The tactic for premises of ``label``; independence of two elements of one type also the other way round."""
        stated = next(p.statement for p in self.out.pieces if p.name == label)
        ways = [each]
        for head, full in self.writer.heads.items():
            kinds = re.findall(r"\([^()]*\)", full)
            if head.startswith("h_independent") and head in stated and len(kinds) == 2 and kinds[0] == kinds[1]:
                turned = f"turned_{head}"
                told = f"forall X Y : {kinds[0][1:-1]}, {head} X Y = {head} Y X"
                self.assumed(turned, "independence is symmetric", told)
                ways.append(f"rewrite {turned}; first [ {each} ]")
        return " | ".join(ways)

    def _told_before(self, c: Recorder, wanted: Iterable[Known]) -> list[str]:
        """The steps before this one that say what a cited statement supposes."""
        found = []
        for k in range(1, min(c.number, len(self.statement.steps) + 1)):
            step = c.book.step(k)
            sides = (step.relation, step.relation.flipped())
            if any(_same(r, w.relation, frozenset(step.over), {}) for w in wanted for r in sides):
                found.append(f"s_{k}")
        return found

    def _statement(
        self, by: Cite, cited: Statement, theirs: Names, claim: Known, known: list[Known], spoken: list[str]
    ) -> str:
        label = f"cited_{name(by.label)[2:]}_{by.part + 1}".replace("'", "_")
        if self.has(label):
            return label
        writer = Writer(known=assumed(cited))
        names = [f"forall {name(n)} : {type_of(theirs[n].kind, theirs[n].random, theirs[n].args)}, " for n in spoken]
        inner = {**theirs, **claim.over}
        names.append(over(claim.over))
        if Writer.chancy(claim, theirs):
            names.append("forall o : Om, ")
        premises = [told for n in spoken if (told := whole_values(n, theirs[n]))]
        premises += whole(claim.over)
        premises += [writer.relation(settle(r), theirs) for r in cited.domain if names_of([r]) <= set(spoken)]
        for k in known:
            premises.append(writer.proposition(k, theirs))
            premises += [writer.proposition(p, theirs) for p in presupposed(k)]
        premises += [writer.relation(w, inner) for w in claim.where]
        stated = "".join([*names, *(f"({p}) -> " for p in premises)]) + writer.relation(claim.relation, inner)
        self.writer.heads |= writer.heads
        self.out.cited.append(by.label)
        self.out.pieces.append(Piece(label, "Hypothesis", stated, (), f"{by.label}, claim {by.part + 1}"))
        return label
