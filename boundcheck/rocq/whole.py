"""A whole statement as a Coq theorem: declarations as variables, hypotheses as hypotheses, a lemma for every step.

What a step uses (facts at values, an instance of a rule, a citation) is written out as applications, so substitution,
binding and types are Rocq's; scalar reasoning is by the theorems of the statement's obligations. Rules are stated as
schemas: a lemma where ``Rules.v`` proves them, else a hypothesis. So are cited statements.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, field
from typing import Any

from boundcheck.kernel.formula import Expr, FormulaError, Relation, substitute, text, var
from boundcheck.kernel.proof.citation import _values, delivered
from boundcheck.kernel.proof.facts import Known, ProofError, averages, read, read_term
from boundcheck.kernel.proof.instances import _Schema
from boundcheck.kernel.proof.obligations import demand
from boundcheck.kernel.proof.scalar import _Abstraction, _solve
from boundcheck.kernel.proof.sorts import INTEGER, QUANTITY, REAL, VECTOR, Names, Sort, SortError, typed
from boundcheck.kernel.proof.step import Context, Lookup, book, declared, presupposed
from boundcheck.kernel.proof.terms import names_of, put_all, settle, settled
from boundcheck.kernel.rules import RULES, Rule
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Definition,
    Fact,
    Follows,
    GramClaim,
    Literature,
    Ref,
    Statement,
    Step,
    Use,
)
from boundcheck.kernel.steps import conclusion_steps
from boundcheck.rocq.printer import NotStated, comment, name, relation
from boundcheck.rocq.rules import proved, theorem
from boundcheck.rocq.typed import Writer, type_of
from boundcheck.rocq.vectors import Sorts

FAULTS = (NotStated, ProofError, SortError, FormulaError)


class Recorder(Context):
    """A step's context that keeps every demand, with what it may use."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.asked: list[tuple[list[Relation], list[Relation], Relation, Names]] = []

    def require(
        self,
        role: str,
        goal: Relation,
        facts: Iterable[Relation] = (),
        extra: Iterable[Relation] = (),
        scope: Names | None = None,
    ) -> None:
        """As in the kernel, and kept."""
        facts, extra = list(facts), list(extra)
        ask = (list(self.domain), [*self.goal.where, *extra, *facts], goal, self.scope if scope is None else scope)
        if ask not in self.asked:
            self.asked.append(ask)
        super().require(role, goal, facts, extra, scope)


@dataclass(frozen=True)
class Piece:
    """A hypothesis, lemma or theorem of the file."""

    name: str
    kind: str  #: Hypothesis, Lemma, Theorem, Definition, Variable
    statement: str
    proof: tuple[str, ...] = ()
    about: str = ""

    def text(self, given_up: bool = False) -> str:
        """The lines of the piece; ``given_up`` leaves the proof out, and Rocq tells so among the axioms."""
        head = f"(* {comment(self.about)} *)\n" if self.about else ""
        line = f"{head}{self.kind} {self.name} : {self.statement}."
        if self.kind not in ("Lemma", "Theorem"):
            return line
        body = "\n".join(f"  {p}" for p in self.proof)
        return f"{line}\nProof. Admitted." if given_up else f"{line}\nProof.\n{body}\nQed."


@dataclass
class Whole:
    """A statement's file: its pieces in order, the rules and statements that it takes as hypotheses."""

    label: str
    scalars: list[Piece] = field(default_factory=list)  #: what steps come down to over the reals
    pieces: list[Piece] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)  #: assumed
    cited: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)

    def file(self, module: str, given_up: frozenset[str] = frozenset()) -> str:
        """The text of the file, which requires the one of the obligations, ``module``."""
        lines = [
            f"(* {comment(self.label)} as a theorem: heads are variables, rules and citations hypotheses *)",
            "From Coq Require Import Reals Lra Psatz ZArith.",
            f"Require Import Boundcheck Rules Whole {module}.",
            "Open Scope R_scope.",
            *(p.text(p.name in given_up) for p in self.scalars),
            "Section Statement.",
            "Context {V : Space}.",
            "Hypothesis apart : separated V.",
            "Variables Om Info Ob Law : Type.",
            *(f"Variable {n} : {t}." for n, t in sorted(self.heads.items())),
            *(p.text(p.name in given_up) for p in self.pieces),
            "End Statement.",
            *(f"Print Assumptions {c}." for c in self.claims),
        ]
        return "\n".join(lines) + "\n"


def whole(statement: Statement, lookup: Lookup, proved_there: Mapping[str, str]) -> Whole:
    """The statement as a theorem; ``proved_there`` maps its obligations to theorems that Rocq accepts.

    Raises :class:`NotStated` where a part of it is not written in this form.
    """
    try:
        return _Builder(statement, lookup, proved_there).build()
    except FAULTS as fault:
        raise NotStated(str(fault)) from None


class _Builder:
    def __init__(self, statement: Statement, lookup: Lookup, proved_there: Mapping[str, str]):
        self.statement, self.lookup, self.there = statement, lookup, proved_there
        self.book = book(statement)
        self.out = Whole(statement.label)
        self.writer = Writer()
        self.hypotheses = {n: f"hyp_{i}" for i, n in enumerate(statement.hypotheses, 1)}
        self.domain_names: list[str] = []

    def build(self) -> Whole:
        s, say = self.statement, self.out.pieces.append
        scope = self.book.declared
        for n, sort in scope.items():
            say(Piece(name(n), "Variable", type_of(sort.kind, sort.random, sort.args)))
            if sort.kind == INTEGER and not sort.args and not sort.random:
                say(Piece(f"whole_{name(n)}", "Hypothesis", f"isint {name(n)}"))
        for i, r in enumerate(s.domain, 1):
            say(Piece(f"dom_{i}", "Hypothesis", self.writer.relation(settle(r), scope)))
        for n, label in self.hypotheses.items():
            known = self.book.hypothesis(n)
            say(Piece(label, "Hypothesis", self.writer.proposition(known, scope), (), n))
            for j, mean in enumerate(presupposed(known), 1):
                told = self.writer.proposition(mean, scope)
                say(Piece(f"{label}_mean{j}", "Hypothesis", told, (), f"{n} presupposes"))
        for number in range(1, len(s.steps) + 1):
            self._step(number, self.book.form(number))
        for k, step in enumerate(conclusion_steps(s), 1):
            self._step(len(s.steps) + k, step, f"claim_{k}")
            self.out.claims.append(f"claim_{k}")
        self.out.heads = self.writer.heads
        return self.out

    # ------------------------------------------------------------ steps

    def _step(self, number: int, step: Step, label: str = "") -> None:
        label = label or f"s_{number}"
        if isinstance(step.by, Literature):
            raise NotStated("a step from the literature")
        c = Recorder(self.statement, number, step, self.lookup, delivered)
        if isinstance(step.by, Definition):
            self._definition(c, label)
            return
        self.visible = frozenset(c.scope)
        demand(c)
        self.close = self._asks(label, c)
        lines = [self._intros(c.goal, c.scope)]
        lines += self._facts(c, getattr(step.by, "using", ()))
        if isinstance(step.by, ByRule):
            lines += self._rule(c, step.by)
        elif isinstance(step.by, Cite):
            lines += self._cite(c, step.by)
        elif isinstance(step.by, ByGram):
            lines += self._gram(c, number)
        elif isinstance(step.by, Follows) and step.by.times:
            lines += self._times(c, step.by)
        lines.append(self.close + ".")
        kind = "Theorem" if label.startswith("claim") else "Lemma"
        self.out.pieces.append(
            Piece(label, kind, self.writer.proposition(c.goal, c.scope), tuple(lines), str(c.goal.relation))
        )

    def _definition(self, c: Recorder, label: str) -> None:
        new = c.goal.relation.lhs
        symbol = str(new.args[0].value if new.op == "at" else new.value)
        sort, scope = c.scope[symbol], {**c.scope, **c.goal.over}
        binders = "".join(f"fun {name(n)} : R => " for n in c.goal.over) + ("fun o : Om => " if sort.random else "")
        body = binders + self.writer.term(c.goal.relation.rhs, scope, sort.kind)
        self.out.pieces.append(Piece(name(symbol), "Let", f"{type_of(sort.kind, sort.random, sort.args)} := {body}"))
        stated = self.writer.proposition(c.goal, c.scope)
        self.out.pieces.append(Piece(label, "Lemma", stated, ("intros; reflexivity.",)))

    def _intros(self, known: Known, scope: Names) -> str:
        names = [name(n) for n in known.over]
        names += [f"Z_{name(n)}" for n, s in known.over.items() if s.kind == INTEGER]
        if self.writer.chancy(known, scope):
            names.insert(len(known.over), "o")
        names += [f"W_{i}" for i in range(len(known.where))]
        return f"intros {' '.join(names)}." if names else "idtac."

    def _reference(self, c: Context, ref: Ref) -> tuple[str, Known]:
        position = c.book.position(c.number, ref)
        label = f"s_{position}" if isinstance(position, int) else self.hypotheses[position]
        return label, c.known(ref)

    def _facts(self, c: Context, refs: Iterable[Ref]) -> list[str]:
        """Each used fact at its values, its conditions proved; what does not fit stays as it is."""
        lines = []
        for k, ref in enumerate(refs, 1):
            try:
                fact = c.fact(ref)
            except (ProofError, SortError):
                continue
            if fact.over and isinstance(c.step.by, ByRule):
                continue  # a premise that speaks of all values is matched as it stands
            if fact.over:
                c.scope = dict(c.settle_scope(fact, c.scope))
            told = self._instance(c, ref)
            stated = self.writer.relation(fact.relation, {**c.scope, **fact.over})
            free = {n: "(vzero : V)" if s.kind == VECTOR else "0" for n, s in fact.over.items()}
            for n, zero in free.items():
                lines.append(f"set ({name(n)} := {zero}).")
            lines.append(
                f"assert (U{k} : {stated}) by (pose proof {told} as H; bw_chain H by ({self.close}); bw_got H)."
            )
        return lines

    def _instance(self, c: Context, ref: Ref) -> str:
        label, known = self._reference(c, ref)
        let = ref.let if isinstance(ref, Use) else {}
        values = {k: settled(read_term(v)) for k, v in let.items()}
        args = [self.writer.value(values.get(n, var(n)), s, c.scope) for n, s in known.over.items()]
        if self.writer.chancy(known, c.book.scope(c.number)):
            args.append("o")
        return f"({' '.join([label, *args])})"

    # ------------------------------------------------------------ scalar reasoning

    def _asks(self, label: str, c: Recorder) -> str:
        """A tactic for the step's demands, after a lemma over the reals for each scalar one."""
        number = c.number
        found = sorted({t for o, t in self.there.items() if o.startswith(f"step{number}_")})
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
        found: list[str],
    ) -> str:  # fmt: skip
        given = list(dict.fromkeys(given))
        if not names_of([goal]) <= self.visible:
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
        tries = "".join(f" | apply {o}; bw_premise" for o in found)
        script.append(f"first [ bw_scalar{tries} | bw_scalar_hard ].")
        stated = f"{_forall(variables)}{''.join(f'({t}) -> ' for _, t in premises)}{relation(claim)}"
        self.out.scalars.append(Piece(label, "Lemma", stated, tuple(script)))
        terms = {str(v.value): t for t, v in abstract.names.items()}
        args = [f"({self.writer.term(terms.get(v, var(v)), scope)})" for v in variables]
        return f"(bw_apply ({' '.join([label, *args])}))"

    def _gram(self, c: Recorder, number: int) -> list[str]:
        obligation = c.found[-1]
        claim = obligation.claim
        label = f"step{number}_{len(c.found)}"
        if not isinstance(claim, GramClaim) or label not in self.there:
            raise NotStated(f"step {number}: its form is not accepted")
        sorts, terms = Sorts(claim), obligation.terms
        vectors = [v for v in claim.vectors if sorts.is_vector(v)]
        args = [f"({self.writer.term(terms.get(v, var(v)), c.scope, VECTOR)})" for v in vectors]
        reals = [f"({self.writer.term(terms.get(v, var(v)), c.scope)})" for v in sorted(sorts.scalars)]
        reals += [f"({self.writer.term(substitute(e, terms), c.scope)})" for e in _levels(claim, sorts)]
        theorem = " ".join([self.there[label], "V", *args, "vzero", *reals])
        return [f"pose proof ({theorem}) as G; bw_chain G by ({self.close})."]

    def _times(self, c: Recorder, by: Follows) -> list[str]:
        """The step's gap as its multiples of facts and a rest that is not negative."""
        goal = c.goal.relation
        rest, lines, parts = goal.gap, [], []
        for k, (factor, ref) in enumerate(zip(by.times, by.using, strict=True), 1):
            if not factor:
                continue
            fact, m = c.fact(ref).relation, settled(read_term(factor))
            gap = fact.rhs - fact.lhs if fact.op == "==" else fact.gap
            product = m * gap
            t, p = self.writer.term(gap, c.scope), self.writer.term(product, c.scope)
            op = "=" if fact.op == "==" else "<" if fact.strict else "<="
            plain = m.op == "num"
            sign = f"bw_zero {t}" if fact.op == "==" else f"bw_times ({self.close})"
            if plain:
                strictly = op == "<" and m.value > 0
                weak = "<" if strictly else "=" if op == "=" else "<="
                lines.append(f"assert (T{k} : 0 {weak} {p}) by (assert (0 {op} {t}) by lra; lra).")
            else:
                weak = "0 = " if op == "=" else "0 <= "
                lines.append(f"assert (T{k} : {weak}{p}) by (assert (0 {op} {t}) by lra; {sign}).")
            rest = rest - product
            parts.append(p)
        left, whole_gap = self.writer.term(rest, c.scope), self.writer.term(goal.gap, c.scope)
        ops = {"==": "=", "!=": "<>"}
        strict = goal.strict and not any(" 0 < " in line.split("by")[0] for line in lines)
        op = ops.get(goal.op, ">" if strict else ">=")
        lines.append(f"assert (Q : {left} {op} 0) by ({self.close}).")
        lines.append(f"assert (E : {whole_gap} = {' + '.join([left, *parts])}) by ring.")
        return lines

    # ------------------------------------------------------------ rules

    def _rule(self, c: Recorder, by: ByRule) -> list[str]:
        rule = RULES[by.rule]
        if rule.implies or rule.integrable or rule.converges or rule.measurable or rule.only:
            raise NotStated(f"the rule {rule.name}")
        schema = _Schema(c, rule, {k: settled(read_term(by.let[k])) if k in by.let else var(k) for k in rule.names})
        averaging = averages([Fact(rule.conclusion).relation, *(p.relation for p in rule.premises)])
        inner: dict[str, Sort] = {**c.scope, **{schema.bound[n]: s for n, s in schema.sorts.items()}}
        metas, args = {}, []
        for n, meta in rule.metas.items():
            if meta.bound:
                continue
            value = schema.values[n]
            kind = typed(value, inner).kind if meta.sort.kind == QUANTITY else meta.sort.kind
            sort = Sort(kind, meta.sort.random and averaging and self._chance(value, meta.on, inner), meta.sort.args)
            metas[n] = (sort, meta.on)
            lambdas = "".join(f"fun {name(schema.bound[b])} : R => " for b in meta.on)
            args.append(f"({lambdas}{self.writer.value(value, sort, inner)})")
        label = self._schema(rule, metas)
        conclusion = self.writer.relation(schema(Fact(rule.conclusion).relation), c.scope)
        if self._chancy_rule(rule, metas):
            args.append("o")
        tags = [self._reference(c, ref)[0] for ref in by.using[: len(rule.premises)]]
        each = " | ".join([*(f"solve [ bw_from {t} by ({self.close}) ]" for t in tags), self.close])
        lines = [f"pose proof ({' '.join([label, *args])}) as K0.", f"bw_chain K0 by (first [ {each} ])."]
        return [*lines, f"assert (K : {conclusion}) by bw_got K0."]

    @staticmethod
    def _chance(value: Expr, on: tuple[str, ...], scope: Names) -> bool:
        return typed(value, scope).random

    def _rule_scope(self, rule: Rule, metas: Mapping[str, tuple[Sort, tuple[str, ...]]]) -> dict[str, Sort]:
        own = {n: s for n, (s, _) in metas.items()}
        return {**rule.bound_sorts, **own, **{d.name: own[d.source] for d in rule.derived if d.source in own}}

    def _chancy_rule(self, rule: Rule, metas: Mapping[str, tuple[Sort, tuple[str, ...]]]) -> bool:
        known = Known(settle(Fact(rule.conclusion).relation))
        return Writer.chancy(known, self._rule_scope(rule, metas))

    def _schema(self, rule: Rule, metas: Mapping[str, tuple[Sort, tuple[str, ...]]]) -> str:
        """The rule as a hypothesis or lemma of the file, for the sorts of this use."""
        kinds = "".join(s.kind[0] + ("o" if s.random else "") for s, _ in metas.values())
        label = f"use_{theorem(rule.name)}_{kinds}"
        if any(p.name == label for p in self.out.pieces):
            return label
        scope = self._rule_scope(rule, metas)
        derived = {d.name: (d.source, read_term(d.value)) for d in rule.derived}
        if any(d.value in metas and metas[d.value][1] for d in rule.derived):
            raise NotStated(f"the rule {rule.name}")
        writer = Writer({n: on for n, (_, on) in metas.items() if on}, derived)
        binder = "".join(
            f"forall {name(n)} : {' -> '.join(['R'] * len(on) + [type_of(s.kind, s.random, s.args)])}, "
            for n, (s, on) in metas.items()
        )
        if self._chancy_rule(rule, metas):
            binder += "forall o : Om, "
        bound = {n: Sort(REAL) for n, m in rule.metas.items() if m.bound}
        inner = {**scope, **bound}
        whole = [f"isint {name(n)}" for n, (s, on) in metas.items() if s.kind == INTEGER and not on and not s.args]
        premises = [*whole]
        for p in (*rule.premises, *rule.sides):
            known = read(p, inner)
            premises.append(writer.proposition(known, inner, outcome=not self._chancy_rule(rule, metas)))
        conclusion = writer.relation(Fact(rule.conclusion).relation, inner)
        stated = f"{binder}{''.join(f'({p}) -> ' for p in premises)}{conclusion}"
        self.writer.heads |= writer.heads
        if proved(rule.name) and not writer.heads:
            self.out.pieces.append(
                Piece(label, "Lemma", stated, (f"intros; first [{_linked(theorem(rule.name))}].",), rule.source)
            )
        else:
            self.out.rules.append(rule.name)
            self.out.pieces.append(Piece(label, "Hypothesis", stated, (), f"rule {rule.name}: {rule.source}"))
        return label

    # ------------------------------------------------------------ citations

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
        return [f"pose proof {term} as K.", f"bw_chain K by ({self.close})."]

    def _statement(
        self, by: Cite, cited: Statement, theirs: Names, claim: Known, known: list[Known], spoken: list[str]
    ) -> str:
        label = f"cited_{name(by.label)[2:]}_{by.part + 1}".replace("'", "_")
        if any(p.name == label for p in self.out.pieces):
            return label
        names = [f"forall {name(n)} : {type_of(theirs[n].kind, theirs[n].random, theirs[n].args)}, " for n in spoken]
        inner = {**theirs, **claim.over}
        names += [f"forall {name(n)} : {type_of(s.kind)}, " for n, s in claim.over.items()]
        if Writer.chancy(claim, theirs):
            names.append("forall o : Om, ")
        premises = [f"isint {name(n)}" for n in spoken if theirs[n].kind == INTEGER and not theirs[n].args]
        premises += [f"isint {name(n)}" for n, s in claim.over.items() if s.kind == INTEGER]
        premises += [self.writer.relation(settle(r), theirs) for r in cited.domain if names_of([r]) <= set(spoken)]
        for k in known:
            premises.append(self.writer.proposition(k, theirs))
            premises += [self.writer.proposition(p, theirs) for p in presupposed(k)]
        premises += [self.writer.relation(w, inner) for w in claim.where]
        stated = "".join([*names, *(f"({p}) -> " for p in premises)]) + self.writer.relation(claim.relation, inner)
        self.out.cited.append(by.label)
        self.out.pieces.append(Piece(label, "Hypothesis", stated, (), f"{by.label}, claim {by.part + 1}"))
        return label


def _levels(claim: GramClaim, sorts: Sorts) -> list[Expr]:
    """The terms behind the levels of a form, in their order."""
    sides = [s for r in (claim.goal, *claim.hypotheses, *claim.where) for s in (r.lhs, r.rhs)]
    known = {text(n): n for s in sides for n in s.walk() if text(n) in sorts.levels}
    return [known[t] for t in sorts.levels]


def _forall(variables: Iterable[str]) -> str:
    names = " ".join(map(name, variables))
    return f"forall {names} : R, " if names else ""


def _linked(rule: str) -> str:
    """How a schema follows from the theorem of its name."""
    return f"apply {rule}; assumption | eapply {rule}; eassumption | intros; rewrite {rule}; reflexivity"


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
            f"try (assert (S_{name(v)} : {name(v)} = {_coq(value)}) by first [lra | bc_field]; subst {name(v)})."
        )
        equations = [put_all(e, solution) for e in equations]
    return lines


def _coq(e: Expr) -> str:
    from boundcheck.rocq.printer import coq

    return f"({coq(e)})"
