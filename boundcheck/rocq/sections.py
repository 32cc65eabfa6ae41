"""A whole statement as a Coq theorem: declarations as variables, hypotheses as hypotheses, a lemma for every step.

What a step uses (facts at values, an instance of a rule, a citation) is written out as applications, so substitution,
binding and types are Rocq's; scalar reasoning is by the theorems of the statement's obligations. Rules are stated as
schemas: a lemma where ``Rules.v`` proves them, else a hypothesis. So are cited statements.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping

from boundcheck.kernel.formula import RELATIONS, Expr, Relation, endless, num, var
from boundcheck.kernel.proof.citation import delivered
from boundcheck.kernel.proof.definedness import presupposed
from boundcheck.kernel.proof.facts import Known, ProofError, averages, read, read_term
from boundcheck.kernel.proof.instances import _Schema
from boundcheck.kernel.proof.obligations import conclusion_steps, demand
from boundcheck.kernel.proof.scalar_claims import trivial
from boundcheck.kernel.proof.sorts import (
    EVENT,
    INFORMATION,
    INTEGER,
    QUANTITY,
    REAL,
    SOURCE,
    VECTOR,
    Names,
    Sort,
    SortError,
    typed,
)
from boundcheck.kernel.proof.step import Context, Lookup
from boundcheck.kernel.proof.terms import canonical, exchanged, names_of, put, settle, settled
from boundcheck.kernel.rules import RULES, Rule
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Definition,
    Fact,
    Follows,
    Literature,
    Ref,
    Statement,
    Step,
    Use,
)
from boundcheck.rocq.cited import Citing
from boundcheck.rocq.closed import closed
from boundcheck.rocq.coq_text import NotStated, name
from boundcheck.rocq.judged import Shown
from boundcheck.rocq.pieces import Piece, Recorder, Whole
from boundcheck.rocq.proved_rules import WHOLE, proved, theorem, theorems
from boundcheck.rocq.reasoning import FAULTS
from boundcheck.rocq.typed import TYPES, Writer, type_of, whole_values
from boundcheck.rocq.typed import whole as whole_names


def whole(statement: Statement, lookup: Lookup, proved_there: Mapping[str, str]) -> Whole:
    """The statement as a theorem; ``proved_there`` maps its obligations to theorems that Rocq accepts.

    Where the printed text has no truth value, it is the form that is used. Raises :class:`NotStated` where a part of
    it is not written in this form.
    """
    if not statement.claims and statement.as_used is not None:
        statement = statement.as_used
    if not statement.claims:
        raise NotStated("there is no claim")
    try:
        return Builder(statement, lookup, proved_there).build()
    except FAULTS as fault:
        raise NotStated(str(fault)) from None


class Builder(Citing):
    """Puts the pieces of a statement together, step for step."""

    def build(self) -> Whole:
        s, say = self.statement, self.out.pieces.append
        scope = self.book.declared
        for n, sort in scope.items():
            say(Piece(name(n), "Variable", type_of(sort.kind, sort.random, sort.args)))
            if told := whole_values(n, sort):
                say(Piece(f"whole_{name(n)}", "Hypothesis", told))
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
        self.ranges = []
        self.close = self._asks(label, c)
        self.at_outcome = self.writer.chancy(c.goal, c.scope)
        lines = [self._intros(c.goal, c.scope), *self._range_lines(self.at_outcome)]
        forms = (
            list(closed(self, [goal for _, given, goal, _ in c.asked], c.scope))
            if not isinstance(step.by, ByRule)
            else []
        )
        if forms:
            lines += forms
            change = "; ".join(f"try rewrite C{k}" for k in range(1, len(forms) + 1))
            self.close = f"first [ {self.close} | {change}; bw_closed ]"
        implies = isinstance(step.by, ByRule) and RULES[step.by.rule].implies
        if not implies or self.at_outcome:
            lines += self._facts(c, getattr(step.by, "using", ()))
        if isinstance(step.by, ByRule):
            lines += self._rule(c, step.by)
        elif isinstance(step.by, Cite):
            lines += self._cite(c, step.by)
        elif isinstance(step.by, ByGram):
            lines += self._gram(c, number)
        elif isinstance(step.by, Follows) and step.by.times:
            lines += self._times(c, step.by)
        last = [f"bw_got {h}" for h in ("K", "G") if any(f"as {h}." in x or f"as {h};" in x for x in lines)]
        last += [f"timeout 60 ({x.replace('bw_got', 'bw_alike')})" for x in last]
        facts = [x.split()[1][1:] for x in lines if x.startswith("assert (U") and " by (pose" in x]
        if c.goal.relation.op == "==" and facts and not isinstance(step.by, ByRule):
            change = "; ".join(f"try rewrite {u}" for u in facts)
            last.append(f"timeout 30 ({change}; bw_merge)")
        lines.append(f"first [ {' | '.join([self.close, *last])} ].")
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

    def _reference(self, c: Context, ref: Ref) -> tuple[str, Known]:
        position = c.book.position(c.number, ref)
        label = f"s_{position}" if isinstance(position, int) else self.hypotheses[position]
        return label, c.known(ref)

    def _range_lines(self, outcome: bool) -> list[str]:
        """What is known of probabilities: they lie between 0 and 1."""
        told = [line for line, chance in dict.fromkeys(self.ranges) if outcome or not chance]
        return [f"{line} as {'RP' if outcome == self.at_outcome else 'RQ'}{k}." for k, line in enumerate(told, 1)]

    def _facts(self, c: Context, refs: Iterable[Ref], outcome: bool = False) -> list[str]:
        """Each used fact at its values, its conditions proved; what does not fit stays as it is."""
        lines = []
        self.everywhere = []
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
            start = ""
            if self.writer.chancy(fact, {**c.scope, **fact.over}) and not (self.at_outcome or outcome):
                if not self._at_every_outcome(c, fact):
                    continue
                stated, start = f"forall o : Om, {stated}", "intros o; "
                self.everywhere.append(f"U{k}")
            lines.append(
                f"assert (U{k} : {stated}) by ({start}pose proof {told} as H; bw_chain H by ({self.close}); bw_got H)."
            )
        return lines

    def _at_every_outcome(self, c: Context, fact: Known) -> bool:
        """Whether a fact has no condition that holds for some outcomes only."""
        inner = {**c.scope, **fact.over}
        return not any(self.writer.chancy(Known(w), inner) for w in fact.where)

    def _instance(self, c: Context, ref: Ref) -> str:
        label, known = self._reference(c, ref)
        let = ref.let if isinstance(ref, Use) else {}
        values = {k: settled(read_term(v)) for k, v in let.items()}
        args = [self.writer.value(values.get(n, var(n)), s, c.scope) for n, s in known.over.items()]
        if self.writer.chancy(known, c.book.scope(c.number)):
            args.append("o")
        return f"({' '.join([label, *args])})"

    # ------------------------------------------------------------ rules

    def _rule(self, c: Recorder, by: ByRule) -> list[str]:
        rule = RULES[by.rule]
        schema = _Schema(c, rule, {k: settled(read_term(by.let[k])) if k in by.let else var(k) for k in rule.names})
        averaging = averages([Fact(rule.conclusion).relation, *(p.relation for p in rule.premises)])
        inner: dict[str, Sort] = {**c.scope, **{schema.bound[n]: s for n, s in schema.sorts.items()}}
        only = dict(rule.only)
        metas: dict[str, tuple[Sort, tuple[str, ...]]] = {}
        args = []
        ends = {n: schema.values[n] for n, m in rule.metas.items() if m.end and endless(schema.values[n])}
        for n, meta in rule.metas.items():
            if meta.bound or n in ends:
                continue
            value = canonical(schema.values[n]) if averaging else schema.values[n]
            free = meta.sort.kind in (QUANTITY, SOURCE)
            kind = typed(value, inner).kind if free else meta.sort.kind
            source = meta.sort.kind == SOURCE and kind != INFORMATION
            chance = meta.sort.random and (averaging or meta.sort.kind == EVENT) and typed(value, inner).random
            sort = Sort(
                REAL if kind == INTEGER and free else kind, chance or source or meta.sort.kind == EVENT, meta.sort.args
            )
            metas[n] = (sort, meta.on)
            lambdas = "".join(f"fun {name(schema.bound[b])} : R => " for b in meta.on)
            if any(rule.bound_sorts[b].kind == VECTOR for b in meta.on) or n in only:
                args.append(f"({self._through(value, sort, meta.on, schema, inner, only.get(n), rule)})")
                continue
            args.append(f"({lambdas}{self.writer.value(value, sort, inner)})")
        label = self._schema(rule, metas, ends)
        conclusion = self.writer.relation(schema(Fact(rule.conclusion).relation), c.scope)
        if self._chancy_rule(rule, metas):
            args.append("o")
        tags = [self._reference(c, ref)[0] for ref in by.using[: len(rule.premises)]]
        shown = self._shown(c, by, rule, schema, inner)
        there = "; ".join(f"try specialize ({u} o)" for u in self.everywhere)
        at_outcome = [f"solve [ {there}; {self.close} ]"] if there else []
        tries = (f"solve [ bw_from {t} by ({self.close}) ]" for t in tags)
        each = " | ".join([*at_outcome, *tries, self.close, *(f"solve [ bw_long {t} ]" for t in tags)])
        got = "".join(f"solve [ first [bw_got J{k} | bw_implied J{k}] ] | " for k in range(1, len(shown) + 1))
        each = self._turned(label, each)
        lines = [*shown, f"pose proof ({' '.join([label, *args])}) as K0.", f"bw_chain K0 by (first [ {got}{each} ])."]
        factors = list(self._factors(rule, schema, c.scope))
        change = "; ".join(["idtac", *(f"try rewrite M{k} in K0" for k in range(1, len(factors) + 1))])
        how = f"first [ bw_got K0 | {change}; bw_got K0 | bw_alike K0 ]"
        return [*lines, *factors, f"assert (K : {conclusion}) by {how}."]

    def _factors(self, rule: Rule, schema: _Schema, scope: Names) -> Iterator[str]:
        """The rational factors that a normal form takes out of means, each as an equation."""
        conclusion, k = Fact(rule.conclusion).relation, 0
        for mean in (n for n in conclusion.walk() if n.op == "E"):
            e = put(mean, {n: canonical(v) for n, v in schema.values.items()})
            plain = canonical(e)
            if plain == num(0):
                plain = Expr("mul", (num(0), Expr("E", (num(0),))))
            if plain.op != "mul" or plain.args[0].op != "num" or plain.args[1].op != "E":
                continue
            kind = typed(e, scope).kind
            t, times = TYPES[kind], "vscal" if kind == VECTOR else "Rmult"
            inner = self.writer.term(plain.args[1].args[0], scope, kind)
            factor = self.writer.term(plain.args[0], scope)
            label = f"scale_{t}"
            many, one = (
                self.writer._head("E", [(f"Om -> {t}", f"(fun o : Om => {x})")], t)
                for x in (f"{times} c (X o)", "X o")
            )
            self.assumed(label, "expectation scale", f"forall (c : R) (X : Om -> {t}), {many} = {times} c {one}")
            k += 1
            function = f"(fun o : Om => {inner})"
            apart = "apply FunctionalExtensionality.functional_extensionality; intros ?; cbv beta; bw_real"
            before, after = self.writer.term(e, scope), self.writer.term(plain.args[1], scope)
            yield (
                f"try (assert (M{k} : {before} = {times} {factor} {after}) "
                f"by (rewrite <- ({label} {factor} {function}); f_equal; {apart}))."
            )

    def _through(
        self, value: Expr, sort: Sort, on: tuple[str, ...], schema: _Schema, inner: Names, only: str | None, rule: Rule
    ) -> str:
        """A value as a function of names that it may depend on, and of the one term that it is random through."""
        over = "".join(f"fun {name(schema.bound[b])} : {TYPES[rule.bound_sorts[b].kind]} => " for b in on)
        scope = {**inner, **{schema.bound[b]: rule.bound_sorts[b] for b in on}}
        if only is None:
            return over + self.writer.value(value, sort, scope)
        term = schema.values[only]
        found = typed(term, inner)
        if found.kind == INFORMATION:
            raise NotStated(f"the rule {rule.name} through information")
        put = settled(exchanged(value, {term: var("x_")}))
        kind = TYPES[found.kind]
        return (
            f"{over}fun {name('x_')} : {kind} => {self.writer.term(put, {**scope, 'x_': Sort(found.kind)}, sort.kind)}"
        )

    def _shown(self, c: Recorder, by: ByRule, rule: Rule, schema: _Schema, inner: Names) -> list[str]:
        """What a rule wants besides premises and sides, each shown."""
        lines: list[str] = []
        show = Shown(self, c, c.scope)

        def have(known: Known, how: Callable[[], str], scope: Names = c.scope) -> None:
            k = len(lines) + 1
            start = self._intros(known, scope, False).rstrip(".")
            if (self.at_outcome and known.relation.lhs.op != "integrable") or len(known.relation.lhs.args) == 1:
                start = f"try clear dependent o; {start}"  # what is said of laws is said at no outcome
            stated = self.writer.proposition(known, scope, outcome=False)
            lines.append(f"assert (J{k} : {stated}) by ({start}; {how()}).")

        def holds(head: str, *args: Expr) -> Relation:
            return Relation("==", Expr(head, args), num(1))

        for term in rule.integrable:
            e = schema.term(term)
            have(Known(holds("integrable", e)), lambda e=e: show.integrable(e))  # type: ignore[misc]
        for source, condition in rule.existence:
            e = schema.term(source)
            where = () if condition is None else (schema(condition.relation),)
            over = {n: Sort(REAL) for n in sorted(names_of([holds("integrable", *e.args), *where]) - c.scope.keys())}
            deeper = Shown(self, c, {**c.scope, **over})
            have(Known(holds("integrable", *e.args), where, over), lambda e=e, d=deeper: d.exists(e))  # type: ignore[misc]
        for term, given in rule.measurable:
            e, info = schema.term(term), schema.term(given)
            have(Known(holds("measurable", e, info)), lambda e=e, i=info: show.measurable(e, i))  # type: ignore[misc]
        extra = by.using[len(rule.premises) :]
        for implication in rule.implies:
            k = len(lines) + 1
            events = [self._event(schema, g, c.scope) for g in implication.given]
            then = self._event(schema, implication.then, c.scope)
            outcome = "" if self.at_outcome else "forall o : Om, "
            stated = outcome + "".join(f"({t}) -> " for t in [t for t, _ in events]) + then[0]
            intros = "" if self.at_outcome else "intros o. "
            inside = [
                f"{intros}intros {' '.join(f'G{i}' for i in range(len(events)))}." if events else intros or "idtac."
            ]
            for i, (_, relation_) in enumerate(events):
                if relation_:
                    how = f"first [ apply ind_true; exact G{i} | apply ind_false; exact G{i} ]"
                    inside.append(f"assert (GI{i} : {relation_}) by ({how}).")
            if not self.at_outcome:
                inside += [*self._range_lines(True), *self._facts(c, extra, outcome=True)]
            if then[1]:
                inside.append("first [ apply ind_holds | apply ind_fails ].")
            if any("<>" in t or "~" in t for t, _ in events) or "<" in then[0] or "~" in then[0]:
                inside.append("bw_events.")
            lines.append(f"assert (J{k} : {stated}). {{ {' '.join(inside)} {self.close}. }}")
        return lines

    def _event(self, schema: _Schema, text_: str, scope: Names) -> tuple[str, str]:
        """An event at an outcome as a proposition, and what is said of its indicator, where it is no relation."""
        no = text_.startswith("~")
        bare = text_.removeprefix("~")
        e = schema.values.get(bare) or schema.term(bare)
        stated = self.writer.term(e, scope)
        if no:
            stated = f"~ {stated}"
        r = schema.event(text_)
        return stated, "" if e.op in RELATIONS else self.writer.relation(r, scope)

    def _rule_scope(self, rule: Rule, metas: Mapping[str, tuple[Sort, tuple[str, ...]]]) -> dict[str, Sort]:
        own = {n: s for n, (s, _) in metas.items()}
        ends = {n: Sort(REAL) for n, m in rule.metas.items() if m.end and n not in own}
        return {**rule.bound_sorts, **ends, **own, **{d.name: own[d.source] for d in rule.derived if d.source in own}}

    def _chancy_rule(self, rule: Rule, metas: Mapping[str, tuple[Sort, tuple[str, ...]]]) -> bool:
        known = Known(settle(Fact(rule.conclusion).relation))
        return Writer.chancy(known, self._rule_scope(rule, metas))

    @staticmethod
    def _meta_type(rule: Rule, n: str, s: Sort, on: tuple[str, ...], only: Mapping[str, tuple[str, str]]) -> str:
        before = [TYPES[rule.bound_sorts[b].kind] if b in rule.bound_sorts else "R" for b in on]
        if n in only:
            return " -> ".join([*before, TYPES[only[n][1]], TYPES[s.kind]])
        return " -> ".join([*before, type_of(s.kind, s.random, s.args)])

    def _schema(
        self, rule: Rule, metas: Mapping[str, tuple[Sort, tuple[str, ...]]], ends: Mapping[str, Expr] | None = None
    ) -> str:
        """The rule as a hypothesis or lemma of the file, for the sorts of this use."""
        kinds = "".join(s.kind[:2] + ("o" if s.random else "") for s, _ in metas.values())
        ends = ends or {}
        label = f"use_{theorem(rule.name)}_{kinds}{'_oo' if ends else ''}"
        if self.has(label):
            return label
        scope = self._rule_scope(rule, metas)
        derived = {d.name: (d.source, read_term(d.value)) for d in rule.derived}
        if any(d.value in metas and metas[d.value][1] for d in rule.derived):
            raise NotStated(f"the rule {rule.name}")
        only = {n: (t, metas[t][0].kind) for n, t in rule.only if n in metas}
        told = [f.relation for f in (*rule.premises, *rule.sides) if f.plain]
        through = {n: t for n, (t, _) in only.items()}
        writer = Writer({n: on for n, (_, on) in metas.items() if on}, derived, through, told)
        binder = "".join(
            f"forall {name(n)} : {self._meta_type(rule, n, s, on, only)}, " for n, (s, on) in metas.items()
        )
        chancy = self._chancy_rule(rule, metas)
        if chancy:
            binder += "forall o : Om, "
        bound = {n: rule.bound_sorts.get(n, Sort(REAL)) for n, m in rule.metas.items() if m.bound}
        inner = {**scope, **bound}
        premises = whole_names({n: s for n, (s, on) in metas.items() if not on and not s.args})

        at_ends = {var(n): end for n, end in ends.items()}

        def put(known: Known) -> Known:
            first, *where = (r.map(lambda e: exchanged(e, at_ends)) for r in known.relations)
            free = names_of([first, *where]) & rule.bound_sorts.keys() - known.over.keys()
            over = {**known.over, **{n: rule.bound_sorts[n] for n in sorted(free)}}
            return Known(first, tuple(w for w in where if not trivial(w)), over)

        wide = {**inner, **{n: Sort(REAL) for n in ends}}
        for p in (*rule.premises, *rule.sides):
            known = read(p, wide)
            if any(n.binds for n in p.relation.walk()):
                known = Known(p.relation, known.where, known.over)  # with the schema's own bound names
            known = put(known)
            if not trivial(known.relation):
                premises.append(writer.proposition(known, inner, outcome=not chancy))
        for term in rule.integrable:
            premises.append(writer.proposition(read(Fact(f"integrable({term}) == 1"), inner), inner, False))
        for term, condition in rule.existence:
            e = read_term(term)
            where = () if condition is None else (condition.relation,)
            known = put(Known(Relation("==", Expr("integrable", e.args), num(1)), where))
            premises.append(writer.proposition(known, inner, False))
        for term, given in rule.measurable:
            premises.append(writer.proposition(read(Fact(f"measurable({term}, {given}) == 1"), inner), inner, False))
        for i in rule.implies:
            parts = [
                f"(~ {writer.term(read_term(x[1:]), inner)})"
                if x.startswith("~")
                else writer.term(read_term(x), inner)
                for x in (*i.given, i.then)
            ]
            premises.append(("" if chancy else "forall o : Om, ") + " -> ".join(parts))
        conclusion = writer.relation(put(Known(Fact(rule.conclusion).relation)).relation, inner)
        stated = f"{binder}{''.join(f'({p}) -> ' for p in premises)}{conclusion}"
        self.writer.heads |= writer.heads
        if proved(rule.name) and not writer.heads:
            self.out.pieces.append(
                Piece(label, "Lemma", stated, (f"first [{_linked(theorem(rule.name))}].",), rule.source)
            )
        else:
            self.out.rules.append(rule.name)
            self.out.pieces.append(Piece(label, "Hypothesis", stated, (), f"rule {rule.name}: {rule.source}"))
        return label


def _linked(rule: str) -> str:
    """How a schema follows from the theorem of its name."""
    typed_form = rule.replace("rule_", "typed_", 1)
    if typed_form in theorems(WHOLE):
        return f"exact {typed_form} | intros; apply {typed_form}; assumption"
    ways = (
        f"apply {rule}; first [assumption | lra]",
        f"eapply {rule}; eassumption",
        f"intros; rewrite {rule}; reflexivity",
    )
    return " | ".join(f"intros; {way}" for way in ways)
