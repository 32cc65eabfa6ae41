"""Scalar reasoning of a whole statement: what each step demands of the reals, as a lemma and a tactic."""

from __future__ import annotations

import re
from collections.abc import Mapping

from boundcheck.kernel.formula import Expr, FormulaError, Relation, substitute, var
from boundcheck.kernel.proof.book import book
from boundcheck.kernel.proof.facts import Known, ProofError, read_term
from boundcheck.kernel.proof.scalar_claims import _Abstraction, _solve
from boundcheck.kernel.proof.sorts import (
    INTEGER,
    VECTOR,
    Names,
    SortError,
    typed,
)
from boundcheck.kernel.proof.step import Lookup
from boundcheck.kernel.proof.terms import names_of, put_all, settled
from boundcheck.kernel.statement import (
    Claim,
    Follows,
    GramClaim,
    Statement,
)
from boundcheck.rocq.coq_text import NotStated, coq, name, order, relation
from boundcheck.rocq.pieces import Piece, Recorder, Whole
from boundcheck.rocq.shapes import forall
from boundcheck.rocq.typed import Writer
from boundcheck.rocq.vectors import Sorts, conditions_text

FAULTS = (NotStated, ProofError, SortError, FormulaError)


class Reasoning:
    """What the steps of one statement share, and the tactics for their demands."""

    def __init__(self, statement: Statement, lookup: Lookup, proved_there: Mapping[str, str]):
        self.statement, self.lookup, self.there = statement, lookup, proved_there
        self.book = book(statement)
        self.out = Whole(statement.label)
        self.writer = Writer(known=assumed(statement))
        self.hypotheses = {n: f"hyp_{i}" for i, n in enumerate(statement.hypotheses, 1)}
        self.ranges: list[tuple[str, bool]] = []  #: facts on probabilities of a step; whether they depend on chance
        self.visible: frozenset[str] = frozenset()  #: the names that the step at hand may speak of
        self.close, self.at_outcome = "", False  #: its last tactic; whether it speaks at an outcome
        self.everywhere: list[str] = []  #: the facts of a step that are stated for all outcomes

    def has(self, label: str) -> bool:
        """Whether the file has a piece of this name."""
        return any(p.name == label for p in self.out.pieces)

    def assumed(self, label: str, about: str, stated: str) -> str:
        """Put a hypothesis among the pieces, and its name among the rules that are assumed, once; the label."""
        if not self.has(label):
            self.out.rules.append(about)
            self.out.pieces.append(Piece(label, "Hypothesis", stated, (), about))
        return label

    def _intros(self, known: Known, scope: Names, outcome: bool = True, given: str = "W") -> str:
        names = [name(n) for n in known.over]
        names += [f"Z_{name(n)}" for n, s in known.over.items() if s.kind == INTEGER]
        if outcome and self.writer.chancy(known, scope):
            names.insert(len(known.over), "o")
        names += [f"{given}_{i}" for i in range(len(known.where))]
        return f"intros {' '.join(names)}." if names else "idtac."

    # ------------------------------------------------------------ scalar reasoning

    def _asks(self, label: str, c: Recorder) -> str:
        """A tactic for the step's demands, after a lemma over the reals for each scalar one."""
        number = c.number
        found: dict[str, frozenset[str]] = {}
        for j, obligation in enumerate(c.found, 1):
            theorem_ = self.there.get(f"step{number}_{j}")
            if theorem_ and isinstance(obligation.claim, Claim):
                found[theorem_] = names_of([*obligation.claim.claim, *obligation.claim.where])
        uses = []
        for k, (domain, given, goal, scope) in enumerate(c.asked, 1):
            try:
                use = self._ask(f"{label}_q{k}", domain, given, goal, scope, c, found)
            except FAULTS:
                continue
            if use:
                uses.append(use)
        return f"first [ {' | '.join(['bw_plain', *dict.fromkeys(uses), 'bw_hard'])} ]"

    def _ask(
        self, label: str, domain: list[Relation], given: list[Relation], goal: Relation, scope: Names, c: Recorder,
        found: Mapping[str, frozenset[str]],
    ) -> str:  # fmt: skip
        given = list(dict.fromkeys(given))
        if not names_of([goal]) <= self.visible:
            for term in (n for n in goal.walk() if n.op in ("P", "Pgiven")):
                self.range_of(term, scope)  # assumes it, for all events
            return ""
        given = [g for g in given if names_of([g]) <= self.visible]
        if VECTOR in (typed(goal.lhs, scope).kind, typed(goal.rhs, scope).kind):
            return ""
        given = [g for g in given if VECTOR not in (typed(g.lhs, scope).kind, typed(g.rhs, scope).kind)]
        abstract = _Abstraction(c.binders, names_of([goal, *domain, *given]), scope)
        claim, facts, kept = goal.map(abstract), [g.map(abstract) for g in given], [d.map(abstract) for d in domain]
        variables = sorted(names_of([claim, *facts, *kept]))
        whole = abstract.integers(frozenset(variables))
        premises = [
            *((f"I{i}", f"isint {name(v)}") for i, v in enumerate(sorted(whole))),
            *((f"R{i}", relation(r)) for i, r in enumerate(abstract.ranges(frozenset(variables)))),
            *((f"D{i}", relation(r)) for i, r in enumerate(kept)),
            *((f"F{i}", relation(r)) for i, r in enumerate(facts)),
        ]
        script = [f"intros {' '.join([*map(name, variables), *(n for n, _ in premises)])}.", *_solving(facts)]
        tries = ""
        for o, theirs in found.items():  # the names of the theorem that are no abstractions have their own values
            same = [v for v in sorted(theirs & set(variables)) if not v.endswith("_")]
            bound = f" with {' '.join(f'({name(v)} := {name(v)})' for v in same)}" if same else ""
            tries += f" | apply {o}{bound}; bw_premise"
        script.append(f"first [ assumption{tries} | bw_scalar | bw_scalar_hard ].")
        self._bounds(abstract, scope)
        stated = f"{forall(variables)}{''.join(f'({t}) -> ' for _, t in premises)}{relation(claim)}"
        self.out.scalars.append(Piece(label, "Attempt", stated, tuple(script)))
        terms = {str(v.value): t for t, v in abstract.names.items()}
        args = [f"({self.writer.term(terms.get(v, var(v)), scope)})" for v in variables]
        return f"(bw_apply ({' '.join([label, *args])}))"

    def _bounds(self, abstract: _Abstraction, scope: Names) -> None:
        """Keep what is known of the probabilities and indicators of a demand."""
        for term in abstract.names:
            if term.op in ("P", "Pgiven", "ind") and names_of([Relation("==", term, term)]) <= self.visible:
                self.ranges.append((self.range_of(term, scope), typed(term, scope).random))

    def range_of(self, term: Expr, scope: Names) -> str:
        """The start of a tactic that tells that a probability or an indicator lies between 0 and 1."""
        told = self.writer.term(term, scope)
        if term.op == "ind":
            return f"pose proof (ind_range {told.removeprefix('(ind ').removesuffix(')')})"
        given = term.op == "Pgiven"
        inside = told.removesuffix(" o)").removeprefix("((").removesuffix(")") if given else told[1:-1]
        head = inside.split(" ")[0]
        label, full = f"range_{head}", self.writer.heads[head]
        if not self.has(label):
            types = re.findall(
                r"\([^()]*\)|\w+", full.removesuffix(" -> Om -> R") if given else full.removesuffix(" -> R")
            )
            xs = [f"x{i}" for i in range(len(types))]
            over = "".join(f"forall {x} : {k}, " for x, k in zip(xs, types, strict=True))
            value = " ".join([head, *xs, *(["o"] if given else [])])
            more = "forall o : Om, " if given else ""
            self.assumed(label, "a probability lies between 0 and 1", f"{over}{more}0 <= {value} <= 1")
        return f"pose proof ({label}{inside[len(head) :]}{' o' if given else ''})"

    def _gram(self, c: Recorder, number: int) -> list[str]:
        obligation = c.found[-1]
        claim = obligation.claim
        label = f"step{number}_{len(c.found)}"
        if not isinstance(claim, GramClaim) or label not in self.there:
            raise NotStated(f"step {number}: its form is not accepted")
        sorts, terms = Sorts(claim), obligation.terms
        vectors = [v for v in claim.vectors if v in sorts.vectors]
        args = [f"({self.writer.term(terms.get(v, var(v)), c.scope, VECTOR)})" for v in vectors]
        reals = [f"({self.writer.term(terms.get(v, var(v)), c.scope)})" for v in sorted(sorts.scalars)]
        reals += [f"({self.writer.term(substitute(e, terms), c.scope)})" for e in sorts.values]
        theorem = " ".join([self.there[label], "V", *args, "vzero", *reals])
        divides = conditions_text(claim.goal, sorts)
        defined = "repeat match type of G with _ /\\ _ => destruct G as [_ G] end"
        return [f"pose proof ({theorem}) as G; bw_chain G by ({self.close}).", *([f"{defined}."] if divides else [])]

    def _times(self, c: Recorder, by: Follows) -> list[str]:
        """The step's gap as its multiples of facts and a rest that is not negative."""
        goal = c.goal.relation
        if VECTOR in (typed(goal.lhs, c.scope).kind, typed(goal.rhs, c.scope).kind):
            return self._vector_times(c, by)
        rest, lines, parts, positive = goal.gap, [], [], False
        for k, (factor, ref) in enumerate(zip(by.times, by.using, strict=True), 1):
            if not factor:
                continue
            fact, m = c.fact(ref).relation, settled(read_term(factor))
            gap = fact.rhs - fact.lhs if fact.op == "==" else fact.gap
            product = m * gap
            t, p = self.writer.term(gap, c.scope), self.writer.term(product, c.scope)
            equation, plain = fact.op == "==", m.op == "num"
            above = plain and fact.strict and m.value > 0
            positive = positive or above
            op, found = ("=", "=") if equation else (order(fact), "<" if above else "<=")
            how = "lra" if plain else f"bw_zero {t}" if equation else f"bw_times ({self.close})"
            lines.append(f"assert (T{k} : 0 {found} {p}) by (assert (0 {op} {t}) by lra; {how}).")
            rest = rest - product
            parts.append(p)
        left, whole_gap = self.writer.term(rest, c.scope), self.writer.term(goal.gap, c.scope)
        op = {"==": "=", "!=": "<>"}.get(goal.op, ">" if goal.strict and not positive else ">=")
        equal = [k for k, ref in enumerate(by.using, 1) if c.fact(ref).relation.op == "=="]
        change = "".join(f"try rewrite U{k}; " for k in equal)
        weak = "first [apply Req_ge | idtac]"  # all of it may be used up
        none = (
            f" | {weak}; first [timeout 20 bc_field | timeout 30 ({change}first [ring | bw_merge])]"
            if op != ">"
            else ""
        )
        lines.append(f"assert (Q : {left} {op} 0) by (first [ {self.close}{none} ]).")
        lines.append(f"assert (E : {whole_gap} = {' + '.join([left, *parts])}) by ring.")
        return lines

    def _vector_times(self, c: Recorder, by: Follows) -> list[str]:
        """The same for an equation between vectors: in the inner product with any vector, nothing is left."""

        def size(e: Expr) -> str:
            return f"dot {self.writer.term(e, c.scope, VECTOR)} z"

        goal, lines, parts = c.goal.relation, ["apply apart; intros z."], ["0"]
        for k, (factor, ref) in enumerate(zip(by.times, by.using, strict=True), 1):
            if not factor:
                continue
            fact = c.fact(ref).relation
            part = f"{self.writer.term(settled(read_term(factor)), c.scope)} * ({size(fact.rhs)} - {size(fact.lhs)})"
            at_z = f"pose proof (f_equal (fun w => dot w z) U{k}) as F; cbv beta in F"
            lines.append(f"assert (T{k} : {part} = 0) by ({at_z}; rewrite F; ring).")
            parts.append(part)
        gap = f"{size(goal.lhs)} - {size(goal.rhs)}"
        lines.append(f"assert (E : {gap} = {' + '.join(parts)}) by (bw_expand; first [ring | bc_field]).")
        return lines


def assumed(statement: Statement) -> list[Relation]:
    """The domain and the hypotheses that are one relation."""
    return [*statement.domain, *(f.relation for f in statement.hypotheses.values() if f.plain)]


def _solving(facts: list[Relation]) -> list[str]:
    """Equations among the facts put in, as the kernel does before it asks."""
    lines = []
    equations = [f for f in facts if f.op == "=="]
    while equations:
        solution = _solve(equations.pop(0))
        if solution is None:
            continue
        ((v, value),) = solution.items()
        lines.append(
            f"try (assert (S_{name(v)} : {name(v)} = ({coq(value)})) by first [lra | bc_field]; subst {name(v)})."
        )
        equations = [put_all(e, solution) for e in equations]
    return lines
