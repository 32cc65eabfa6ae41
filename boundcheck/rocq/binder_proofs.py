"""Scripts for the rules about integrals and sums, and for leaves whose goal has one."""

from __future__ import annotations

from collections.abc import Callable

from boundcheck.kernel.check.binder_rules import Binder, binder
from boundcheck.kernel.check.nodes_read import Node, formula
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.check.sequent import Sequent, isolated, outside_binders
from boundcheck.kernel.formula import BINDERS, Expr, Relation, num, substitute, var
from boundcheck.rocq.comparison import OPEN, compared, entered, everywhere, within
from boundcheck.rocq.coq_text import DEFINED, NotStated, coq, end, exists, name, relation
from boundcheck.rocq.primitives import Primitive, as_binder, equation, found, value
from boundcheck.rocq.reduction_proofs import have, side_children
from boundcheck.rocq.shapes import Children, Lemma


class Hints:
    """What a certificate's nodes say about integrals and sums: primitives, where they are divided, equal bodies."""

    def __init__(self) -> None:
        self.nodes: dict[Expr, tuple[Node, Sequent, Children]] = {}
        self.values: dict[Expr, str] = {}  #: tactics that a term exists since its value is known

    def note(self, node: Node, seq: Sequent, children: Children) -> None:
        """Remember a node about a term."""
        if node.get("rule") in ("closed-form", "divide", "same"):
            self.nodes.setdefault(formula(node, "term"), (node, seq, children))

    def primitive(self, e: Expr) -> tuple[str, Primitive] | None:
        """The new name and the primitive that a closed form has for a term."""
        node, _, _ = self.nodes.get(e, ({}, None, ()))
        if node.get("rule") != "closed-form":
            return None
        ends = (formula(node, k) if k in node else None for k in ("low", "high"))
        return str(node["new"]), Primitive(formula(node, "by"), *ends)

    def converges(self, e: Expr, seq: Sequent, depth: int = 4) -> str | None:
        """A tactic for ``ex_Int`` of a term by what nodes say about it and its parts; None where none does."""
        node, _, children = self.nodes.get(e, ({}, None, ()))
        rule = node.get("rule")
        if e.op != "integral" or rule not in ("divide", "same") or not depth:
            return None
        b = as_binder(e, seq, str(node["new"]))
        x = name(b.t)
        fun = f"(fun {x} : R => {coq(b.body)})"
        low, high = end(e.args[2]), end(e.args[3])
        if rule == "divide":
            at = formula(node, "at")
            parts = [self.part(p, seq, depth) for p in (b.with_range(e.args[2], at), b.with_range(at, e.args[3]))]
            steady = f"({entered(b)}; bc_cont)"
            return (
                f"(apply (Int_split_ex {fun} {low} ({coq(at)}) {high}); "
                f"[{parts[0]} | {parts[1]} | bc_ends | bc_ends | {steady}])"
            )
        body = formula(node, "body")
        other = f"(fun {x} : R => {coq(body)})"
        equal = [c for c in children if c.sequent.goal == Relation("==", b.body, body)]
        uses = " | ".join([*(c.use() for c in equal), "bc_equal"])
        same = f"({entered(b)}; first [{uses}])"
        return f"(apply (ex_Int_ext {fun} {other}); [bc_ends | {same} | {self.part(b.with_body(body), seq, depth)}])"

    def part(self, e: Expr, seq: Sequent, depth: int = 4) -> str:
        """A tactic for ``ex_Int`` of a term, by its nodes, on a closed range, or by a primitive."""
        found_ = self.converges(e, seq, depth - 1)
        return found_ if found_ is not None else f"first [assumption | {_converges(e, seq, self)}]"


def binders_of(*formulas: Expr) -> list[Expr]:
    """The outermost integrals and sums, each once."""
    return list(dict.fromkeys(n for e in formulas for n in outside_binders(e) if n.op in BINDERS))


def _fresh(seq: Sequent) -> str:
    names = {*seq.variables, *seq.integers}
    return next(t for t in (f"t{i}_" for i in range(99)) if t not in names)


# ---------------------------------------------------------------- that it is defined


def _converges(e: Expr, seq: Sequent, known: Hints | None) -> str:
    """A tactic for ``ex_Int`` or ``ex_Sum``: on a closed range, or by a primitive. Raises :class:`NotStated`."""
    new, p = (known.primitive(e) if known else None) or (_fresh(seq), None)
    b = as_binder(e, seq, new)
    ways = []
    tree = known.converges(e, seq) if known else None
    if tree:
        ways.append(tree)
    if known and e in known.values:
        ways.append(known.values[e])
    if not b.is_sum and b.low is not None and b.high is not None:
        x = name(b.t)
        fun = f"(fun {x} : R => {coq(b.body)})"
        steady = f"intros {x} J; cbv beta; bc_cont"
        closed = f"apply (Int_closed {fun} ({coq(b.low)}) ({coq(b.high)})); [bc_ends | {steady}]"
        ways.append(f"(eapply Int_exists; {closed})")
    try:
        _, tactic = value(b, p or found(b))
        ways.append(f"(eexists; {tactic})" if b.is_sum else f"(eapply Int_exists; {tactic})")
    except NotStated:
        if not ways:
            raise
    return f"first [{' | '.join(ways)}]"


def existence(e: Expr, seq: Sequent, children: Children = (), known: Hints | None = None) -> str:
    """A tactic that an integral or sum is defined. Raises :class:`NotStated`."""
    b = as_binder(e, seq, _fresh(seq))
    places = everywhere(b, children)
    if b.is_sum and b.high is not None:
        return f"(split; [bc_sum_ok | {places}])"
    one = _converges(e, seq, known)
    if b.is_sum:
        return f"(split; [bc_whole | split; [{one} | {places}]])"
    plain = f"split; [{one} | {places}]"
    if b.low is None or b.high is None or known is None:
        return f"({plain})"
    body, v, low, high = e.args
    other = as_binder(Expr(e.op, (body, v, high, low)), seq, b.t)
    x = name(b.t)
    closed = f"Int_closed (fun {x} : R => {coq(other.body)}) ({coq(high)}) ({coq(low)})"
    found_ = f"eapply Int_exists; apply ({closed}); [bc_ends | intros {x} J; cbv beta; bc_cont]"
    turned = f"split; [apply ex_Int_turned; {found_} | apply between_turned; {everywhere(other, children)}]"
    return f"first [{plain} | {turned}]"


def _defined(node: Node, seq: Sequent, children: Children) -> list[str]:
    """The script of the goal that a formula is defined, from children about its integrals and sums."""
    lines = [OPEN]
    for k, n in enumerate(binders_of(seq.goal.lhs)):
        uses = [c.use() for c in children if c.sequent.goal == Relation(DEFINED, n, num(0))]
        if not uses:
            uses = [existence(n, seq)]
        lines.append(f"assert (ZD{k} : {exists(n)}) by first [{' | '.join(uses)}].")
    for k, c in enumerate(children):
        if c.sequent.goal.op != DEFINED and c.sequent.hyps == seq.hyps:
            lines.append(f"assert (ZC{k} : {relation(c.sequent.goal)}) by {c.use()}.")
    return [*lines, "bc_parts."]


def _terms(node: Node, seq: Sequent, children: Children) -> list[str]:
    e = seq.goal.lhs
    b = binder(node, seq)
    if node.get("test") is True or "by" in node:
        return compared(node, b, children)
    inner = b.inside(seq.goal).hyps
    x = var(b.t)
    closed = (*seq.hyps, Relation(">=", x, b.low), Relation("<=", x, b.high)) if b.low and b.high else inner
    own = [c for c in children if c.sequent.hyps in (inner, closed)]
    others = [c for c in children if c not in own]
    return [OPEN, *side_children(seq, others), f"{_renamed(b, e, seq, own)}."]


def _renamed(b: Binder, e: Expr, seq: Sequent, children: Children) -> str:
    body, v, lo, hi = e.args
    del body, v, lo, hi
    places = everywhere(b, children)
    if b.is_sum and b.high is not None:
        return f"(split; [bc_sum_ok | {places}])"
    if not children:
        return existence(e, seq)
    x = name(b.t)
    fun = f"(fun {x} : R => {coq(b.body)})"
    uses = "".join(f" | {c.use()}" for c in children)
    steady = f"intros {x} J; cbv beta; c_find; cbv beta; first [lra{uses} | bc_side]"
    assert b.low is not None and b.high is not None
    closed = f"(eapply Int_exists; apply (Int_closed {fun} ({coq(b.low)}) ({coq(b.high)})); [bc_ends | {steady}])"
    return f"(split; [{closed} | {places}])"


# ---------------------------------------------------------------- another form of the same value


def _closed_form(node: Node, seq: Sequent, children: Children) -> list[str]:
    b = binder(node, seq)
    p = Primitive(formula(node, "by"), *(formula(node, k) if k in node else None for k in ("low", "high")))
    inner = within(b, children)
    if seq.goal.op == DEFINED and seq.goal.lhs is b.term:  # it exists, since it has a value
        known = Hints()
        known.note(node, seq, children)
        places = [c for c in inner if c.sequent.goal.op == DEFINED]
        return [OPEN, *side_children(seq, children), f"{existence(b.term, seq, places, known)}."]
    equal = [c for c in inner if c.sequent.goal.op == "=="]
    uses = {"equal": f"first [{' | '.join(c.use() for c in equal)}]"} if equal else {}
    closed, tactic = value(b, p, uses)
    return _replacing(b, closed, tactic, seq, children)


def _replacing(b: Binder, closed: Expr, tactic: str, seq: Sequent, children: Children) -> list[str]:
    old = coq(b.term)
    if b.is_sum and b.high is not None:
        line = f"assert (ZV : {old} = {coq(closed)}) by {tactic}."
    else:
        lemma = "SumInf_value" if b.is_sum else "Int_value"
        line = f"assert (ZV : {old} = {coq(closed)}) by (apply {lemma}; {tactic})."
    others = [c for c in children[:-1] if c.sequent.hyps == seq.hyps]
    lines = [OPEN, *side_children(seq, others), line]
    if seq.goal.op == DEFINED:
        raise NotStated("a closed form of what is to be defined")
    return [*lines, *passed(children[-1], "ZV")]


def passed(child: Lemma, label: str) -> list[str]:
    """The goal from a child's where one term is replaced."""
    return [
        f"assert (ZG : {relation(child.sequent.goal)}) by {child.use()}.",
        f"rewrite {label}. first [exact ZG | cbv beta; lra | bc_turned ZG].",
    ]


def _unroll(node: Node, seq: Sequent, children: Children) -> list[str]:
    b = binder(node, seq)
    assert b.low is not None
    fun = f"(fun {coq(b.term.args[1])} : R => {coq(b.term.args[0])})"
    low = coq(b.low)
    lines = [OPEN, *side_children(seq, children[:-1])]

    def term(k: Expr) -> Expr:
        return substitute(b.body, {b.t: k})

    if "to" in node and b.high is not None:
        to = formula(node, "to")
        new = b.with_range(b.low, to) + term(b.high)
        rule = (
            f"rewrite (Sum_last' {fun} ({low}) ({coq(b.high)}) ({coq(to)})); "
            "[| bc_sum_ok | bc_given | first [ring | lra]]"
        )
    elif "first" in node:
        if b.high is None:
            raise NotStated("the first term of an infinite sum")
        new = term(b.low) + b.with_range(b.low + num(1), b.term.args[3])
        rule = f"rewrite (Sum_first {fun} ({low}) ({coq(b.high)})); [| bc_sum_ok | bc_given]"
    else:
        assert b.high is not None
        new = num(0)
        from boundcheck.kernel.check.binder_rules import _constant

        count = _constant(b.high - b.low, seq) or 0
        for k in range(count + 1):
            new = new + term(b.low + num(k))
        rule = (
            f"rewrite (Sum_few {fun} ({low}) ({coq(b.high)}) {count + 1}); [cbn [nsum]; simpl INR; "
            "rewrite ?Rplus_0_l, ?Rplus_0_r | bc_whole | simpl INR; first [ring | lra]]"
        )
    lines.append(f"assert (ZV : {coq(b.term)} = {coq(new)}) by ({rule}; cbv beta; first [reflexivity | bc_same]).")
    return [*lines, *passed(children[-1], "ZV")]


def _same(node: Node, seq: Sequent, children: Children) -> list[str]:
    b, body = binder(node, seq), formula(node, "body")
    inner = within(b, children)
    x = name(b.t)
    old, new = (f"(fun {x} : R => {coq(f)})" for f in (b.body, body))
    equal = [c for c in inner if c.sequent.goal == Relation("==", b.body, body)]
    uses = " | ".join([*(c.use() for c in equal), "bc_equal"])
    low, high = end(b.term.args[2]), end(b.term.args[3])
    lines = [OPEN, *side_children(seq, [c for c in children[:-1] if c.sequent.hyps == seq.hyps])]
    other = b.with_body(body)
    child = children[-1]
    if b.is_sum:
        raise NotStated("another body of a sum")
    lines.append(
        f"assert (ZS : on_range {low} {high} (fun {x} : R => {coq(b.body)} = "
        f"{coq(body)})) by ({entered(b)}; first [{uses}])."
    )
    if seq.goal.op == DEFINED:
        lines.append(f"assert (ZG : {exists(other)}) by {child.use()}.")
        return [
            *lines,
            f"destruct ZG as [ZG _]. split; [apply (ex_Int_ext {old} {new}); [bc_ends | exact ZS | "
            f"exact ZG] | {everywhere(b, [c for c in inner if c not in equal])}].",
        ]
    back = f"(intros {x} J1 J2; symmetry; apply ZS; assumption)"
    proof = f"apply (ex_Int_ext {new} {old}); [bc_ends | {back} | assumption]"
    lines.append(f"assert (ZX : ex_Int {new} {low} {high}) by ({proof}).")
    lines.append(
        f"assert (ZV : {coq(b.term)} = {coq(other)}) by "
        f"(apply (Int_same_body {old} {new}); [bc_ends | exact ZS | exact ZX])."
    )
    more = [c for c in inner if c not in equal]
    lines.append(f"assert (ZP : {exists(other)}) by (split; [exact ZX | {everywhere(b, more)}]).")
    return [*lines, *passed(child, "ZV")]


def _induction(node: Node, seq: Sequent, children: Children) -> list[str]:
    v, start = str(node["var"]), formula(node, "from")
    z = name(v) + "'i"
    base, step = children[-2:]
    upper = [b for b in (isolated(h, v) for h in seq.hyps if v in h.free) if b is not None and b.op in ("<", "<=")]
    moved = [r.map(lambda e: substitute(e, {v: var(v + "'i")})) for r in (*upper, seq.goal)]
    z = name(v + "'i")
    arrows = "".join(f"({relation(r)}) -> " for r in moved[:-1])
    goal = relation(moved[-1])
    wide = [
        c for c in children[:-2] if c.sequent.goal.op == DEFINED and Relation(">=", var(v), start) in c.sequent.hyps
    ]
    lines = [
        OPEN,
        *side_children(seq, [c for c in children[:-2] if c not in wide]),
        have(Relation(">=", var(v), start), seq, children[:-2], "ZN"),
    ]
    names = " ".join(f"U{i}" for i in range(len(upper)))
    for k, c in enumerate(wide):
        text = relation(c.sequent.goal.map(lambda e: substitute(e, {v: var(v + "'i")})))
        lines.append(f"assert (ZW{k} : forall {z} : R, isint {z} -> {z} >= {coq(start)} -> {arrows}{text}).")
        lines.append(f"{{ intros {z} J1 J2{' ' + names if names else ''}. {c.use({v: z})}. }}")
    told = "".join(
        f"pose proof (ZW{k} {{0}} ltac:(bc_whole) ltac:(lra){' ltac:(lra)' * len(upper)}); " for k in range(len(wide))
    )
    lines.append(f"assert (ZI : forall {z} : R, isint {z} -> {coq(start)} <= {z} -> {arrows}{goal}).")
    lines.append("{")
    lines.append(f"  apply (whole_induction (fun {z} : R => {arrows}{goal}) ({coq(start)})); cbv beta.")
    lines.append("  { bc_whole. }")
    lines.append(
        f"  {{ intros{' ' + names if names else ''}. {told.format('(' + coq(start) + ')')}bc_open; {base.use()}. }}"
    )
    lines.append(f"  intros {z} J1 J2 J3{' ' + names if names else ''}.")
    before = f"assert (J4 : {goal}) by (apply J3; lra)"
    there = f"({z} + 1)"
    lines.append(f"  {before}. {told.format(z)}{told.format(there)}bc_open; {step.use({v: z})}.")
    lines.append("}")
    return [*lines, "apply ZI; first [assumption | lra]."]


def _partial(node: Node, seq: Sequent, children: Children) -> list[str]:
    b = binder(node, seq)
    goal = seq.goal
    if goal.op == DEFINED or b.low is None:
        raise NotStated("that a sum exists by its partial sums")
    if goal.lhs is not b.term and goal.rhs is not b.term:
        raise NotStated("partial sums inside a formula")
    below = (goal.lhs is b.term) == (goal.op == "<=")
    lemma = "partial_le" if below else "partial_ge"
    child = children[-1]
    wide = [c for c in children[:-1] if c.sequent.goal.op == DEFINED]
    other = goal.rhs if goal.lhs is b.term else goal.lhs
    fun = f"(fun {coq(b.term.args[1])} : R => {coq(b.term.args[0])})"
    x = name(b.t)
    uses = "".join(f"assert (ZW{k} : {relation(c.sequent.goal)}) by {c.use()}; " for k, c in enumerate(wide))
    turn = "apply Rle_ge; " if goal.op == ">=" else ""
    back = "apply Rge_le; " if goal.op == ">=" else ""
    return [
        OPEN,
        f"{turn}apply ({lemma} {fun} ({coq(b.low)}) ({coq(other)})); [bc_whole | assumption |].",
        f"intros {x} J1 J2. {uses}bc_open; {back}{child.use()}.",
    ]


def divide(node: Node, seq: Sequent, children: Children, known: Hints) -> list[str]:
    """An integral as the sum of two."""
    b, at = binder(node, seq), formula(node, "at")
    child = children[-1]
    x = name(b.t)
    fun = f"(fun {x} : R => {coq(b.body)})"
    low, high = end(b.term.args[2]), end(b.term.args[3])
    left, right = b.with_range(b.term.args[2], at), b.with_range(at, b.term.args[3])
    steady = f"({entered(b)}; bc_cont)"
    lines = [OPEN, *side_children(seq, [c for c in children[:-1] if c.sequent.hyps == seq.hyps])]
    lines.append(f"assert (ZC : on_range {low} {high} (fun {x} : R => continuity_pt {fun} {x})) by {steady}.")
    if seq.goal.op == DEFINED:
        lines.append(f"assert (ZG : {relation(child.sequent.goal)}) by {child.use()}. bc_open.")
        parts = (
            f"apply (Int_split_ex {fun} {low} ({coq(at)}) {high}); [assumption "
            "| assumption | bc_ends | bc_ends | exact ZC]"
        )
        return [*lines, f"split; [{parts} | {everywhere(b, ())}]."]
    lines.append(f"assert (ZP1 : ex_Int {fun} {low} {end(at)}) by {known.part(left, seq)}.")
    lines.append(f"assert (ZP2 : ex_Int {fun} {end(at)} {high}) by {known.part(right, seq)}.")
    lines.append(f"assert (ZV : {coq(b.term)} = {coq(left)} + {coq(right)}).")
    lines.append("{ apply Int_sum; [exact ZP1 | exact ZP2 | bc_ends | bc_ends | exact ZC]. }")
    for i, e in enumerate((left, right)):
        places = everywhere(as_binder(e, seq, b.t), ())
        lines.append(f"assert (ZE{i} : {exists(e)}) by (split; [assumption | {places}]).")
    return [*lines, *passed(child, "ZV")]


RULES: dict[str, Callable[[Node, Sequent, Children], list[str]]] = {
    "defined": _defined, "terms": _terms, "closed-form": _closed_form, "unroll": _unroll, "same": _same,
    "induction": _induction, "partial": _partial,
}  # fmt: skip


# ---------------------------------------------------------------- leaves


def leaf(seq: Sequent, plain: Callable[[Sequent], list[str]]) -> list[str]:
    """The script of a leaf whose goal has integrals or sums: they get their values, the rest is as without them."""
    goal = seq.goal
    if goal.op == DEFINED:
        if goal.lhs.op in BINDERS:
            return [OPEN, f"{existence(goal.lhs, seq)}."]
        return _defined({}, seq, ())
    lines, values = [OPEN], {}
    for k, e in enumerate(binders_of(goal.lhs, goal.rhs)):
        b = as_binder(e, seq, _fresh(seq))
        if not b.is_sum and b.low is not None and b.low is b.high:
            values[e] = num(0)
            lines.append(f"rewrite (Int_none (fun {name(b.t)} : R => {coq(b.body)}) ({coq(b.low)})).")
            continue
        try:
            closed, tactic = value(b, found(b))
        except NotStated:
            if b.low is None or b.high is None or seq.goal.free:
                return [*lines, *plain(seq)]  # what holds of any value
            return [*lines, *_numeric(b, seq)]
        values[e] = closed
        lemma = "" if b.is_sum and b.high is not None else "apply SumInf_value; " if b.is_sum else "apply Int_value; "
        lines.append(f"assert (ZV{k} : {coq(e)} = {coq(closed)}) by ({lemma}{tactic}).")
        lines.append(f"rewrite ZV{k}.")
        simple = _simpler(closed, seq)
        if simple is not None:
            values[e] = simple
            lines.append(f"assert (ZW{k} : {coq(closed)} = {coq(simple)}) by {equation(seq, closed, simple)}.")
            lines.append(f"rewrite ZW{k}.")
    for e, closed in values.items():
        goal = goal.map(lambda f, e=e, closed=closed: replaced(f, e, closed))  # type: ignore[misc]
    return [*lines, *plain(seq.with_goal(goal))]


def _simpler(closed: Expr, seq: Sequent) -> Expr | None:
    """The normal form of a value in which roots of numbers occur; None for any other."""
    if not any(n.op == "sqrt" and n.args[0].op == "num" for n in closed.walk()):
        return None
    try:
        return seq.algebra.normal(closed).expr()
    except AlgebraLimit:
        return None


def _numeric(b: Binder, seq: Sequent) -> list[str]:
    """Bounds of an integral over a closed range by interval arithmetic."""
    if b.is_sum or b.low is None or b.high is None or seq.goal.free:
        raise NotStated(f"a value of {b.term}")
    x = name(b.t)
    fun = f"(fun {x} : R => {coq(b.body)})"
    low, high = coq(b.low), coq(b.high)
    steady = f"intros {x} J; cbv beta; bc_cont"
    return [
        f"assert (ZV : {coq(b.term)} = RInt {fun} ({low}) ({high})) by (apply "
        f"Int_value; apply Int_closed; [bc_ends | {steady}]).",
        "rewrite ZV. bc_order. first [integral | integral with (i_fuel 1000) | "
        "integral with (i_prec 40, i_degree 5, i_fuel 3000)].",
    ]
