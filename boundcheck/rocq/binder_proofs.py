"""Scripts for the rules about integrals and sums, and for leaves whose goal has one."""

from __future__ import annotations

from collections.abc import Callable

from boundcheck.kernel.check.binder_rules import Binder, _constant, binder
from boundcheck.kernel.check.nodes_read import Node, formula
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.sequent import Sequent, isolated, outside_binders
from boundcheck.kernel.formula import BINDERS, Expr, Relation, num, substitute, var
from boundcheck.kernel.proof.terms import exchanged
from boundcheck.rocq.comparison import OPEN, compared, entered, everywhere, exists_on, within
from boundcheck.rocq.coq_text import DEFINED, NotStated, coq, end, ends, exists, function, name, relation
from boundcheck.rocq.primitives import Primitive, as_binder, equation, found, value
from boundcheck.rocq.reduction_proofs import have, proved, side_children
from boundcheck.rocq.shapes import Children, Lemma, first, uses


class Hints:
    """What a certificate's nodes say about integrals and sums: primitives, where they are divided, equal bodies."""

    def __init__(self) -> None:
        self.nodes: dict[Expr, tuple[Node, Children]] = {}
        self.values: dict[Expr, str] = {}  #: tactics that a term exists since its value is known

    def note(self, node: Node, children: Children) -> None:
        """Remember a node about a term."""
        if node.get("rule") in ("closed-form", "divide", "same"):
            self.nodes.setdefault(formula(node, "term"), (node, children))

    def primitive(self, e: Expr) -> tuple[str, Primitive] | None:
        """The new name and the primitive that a closed form has for a term."""
        node, _ = self.nodes.get(e, ({}, ()))
        return (str(node["new"]), Primitive.of(node)) if node.get("rule") == "closed-form" else None

    def converges(self, e: Expr, seq: Sequent, depth: int = 4) -> str | None:
        """A tactic for ``ex_Int`` of a term by what nodes say about it and its parts; None where none does."""
        node, children = self.nodes.get(e, ({}, ()))
        rule = node.get("rule")
        if e.op != "integral" or rule not in ("divide", "same") or not depth:
            return None
        b = as_binder(e, seq, str(node["new"]))
        fun = function(b.t, b.body)
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
        equal = [c for c in children if c.sequent.goal == Relation("==", b.body, body)]
        same = f"({entered(b)}; {first(*(c.use() for c in equal), 'bc_equal')})"
        inner = self.part(b.with_body(body), seq, depth)
        return f"(apply (ex_Int_ext {fun} {function(b.t, body)}); [bc_ends | {same} | {inner}])"

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
        ways.append(f"(eapply Int_exists; {_on_closed(b)})")
    try:
        _, tactic = value(b, p or found(b))
        ways.append(f"(eexists; {tactic})" if b.is_sum else f"(eapply Int_exists; {tactic})")
    except NotStated:
        if not ways:
            raise
    return first(*ways)


def _on_closed(b: Binder, steady: str = "bc_cont") -> str:
    """A tactic for an integral between numbers, of what is continuous there."""
    assert b.low is not None and b.high is not None
    proof = f"[bc_ends | intros {name(b.t)} J; cbv beta; {steady}]"
    return f"apply (Int_closed {function(b.t, b.body)} ({coq(b.low)}) ({coq(b.high)})); {proof}"


def existence(e: Expr, seq: Sequent, children: Children = (), known: Hints | None = None) -> str:
    """A tactic that an integral or sum is defined. Raises :class:`NotStated`."""
    b = as_binder(e, seq, _fresh(seq))
    places = everywhere(b, children)
    if b.is_sum and b.high is not None:
        return f"(split; [bc_sum_ok | {places}])"
    plain = exists_on(b, _converges(e, seq, known), places)
    if b.is_sum or b.low is None or b.high is None or known is None:
        return f"({plain})"
    other = as_binder(b.with_range(b.high, b.low), seq, b.t)
    exists_ = f"apply ex_Int_turned; eapply Int_exists; {_on_closed(other)}"
    return first(plain, f"split; [{exists_} | apply between_turned; {everywhere(other, children)}]")


def _defined(node: Node, seq: Sequent, children: Children) -> list[str]:
    """The script of the goal that a formula is defined, from children about its integrals and sums."""
    lines = [OPEN]
    for k, n in enumerate(binders_of(seq.goal.lhs)):
        ways = [c.use() for c in children if c.sequent.goal == Relation(DEFINED, n, num(0))]
        lines.append(f"assert (ZD{k} : {exists(n)}) by {first(*ways or [existence(n, seq)])}.")
    for k, c in enumerate(children):
        if c.sequent.goal.op != DEFINED and c.sequent.hyps == seq.hyps:
            lines.append(proved(f"ZC{k}", c))
    return [*lines, "bc_parts."]


def _terms(node: Node, seq: Sequent, children: Children) -> list[str]:
    b = binder(node, seq)
    if node.get("test") is True or "by" in node:
        return compared(node, b, children)
    inner = b.inside(seq.goal).hyps
    x = var(b.t)
    closed = (*seq.hyps, Relation(">=", x, b.low), Relation("<=", x, b.high)) if b.low and b.high else inner
    own = [c for c in children if c.sequent.hyps in (inner, closed)]
    lines = [OPEN, *side_children(seq, [c for c in children if c not in own])]
    if b.is_sum and b.high is not None:
        return [*lines, f"(split; [bc_sum_ok | {everywhere(b, own)}])."]
    if not own:
        return [*lines, f"{existence(seq.goal.lhs, seq)}."]
    steady = f"c_find; cbv beta; first [lra{uses(own)} | bc_side]"
    return [*lines, f"(split; [(eapply Int_exists; {_on_closed(b, steady)}) | {everywhere(b, own)}])."]


# ---------------------------------------------------------------- another form of the same value


def _closed_form(node: Node, seq: Sequent, children: Children) -> list[str]:
    b = binder(node, seq)
    inner = within(b, children)
    if seq.goal.op == DEFINED and seq.goal.lhs is b.term:  # it exists, since it has a value
        known = Hints()
        known.note(node, children)
        places = [c for c in inner if c.sequent.goal.op == DEFINED]
        return [OPEN, *side_children(seq, children), f"{existence(b.term, seq, places, known)}."]
    equal = [c for c in inner if c.sequent.goal.op == "=="]
    if seq.goal.op == DEFINED:
        raise NotStated("a closed form of what is to be defined")
    closed, tactic = value(b, Primitive.of(node), first(*(c.use() for c in equal)) if equal else "")
    line = f"assert (ZV : {coq(b.term)} = {coq(closed)}) by {_as_value(b, tactic)}."
    return [OPEN, *side_children(seq, children[:-1]), line, *passed(children[-1], "ZV")]


def _as_value(b: Binder, tactic: str) -> str:
    """A tactic that a term has its value, from what :func:`value` gives."""
    return tactic if b.is_sum and b.high is not None else f"(apply {'SumInf' if b.is_sum else 'Int'}_value; {tactic})"


def passed(child: Lemma, label: str) -> list[str]:
    """The goal from a child's where one term is replaced."""
    return [
        proved("ZG", child),
        f"rewrite {label}. first [exact ZG | cbv beta; lra | bc_turned ZG].",
    ]


def _unroll(node: Node, seq: Sequent, children: Children) -> list[str]:
    b = binder(node, seq)
    assert b.low is not None
    fun, low = function(b.term.args[1].value, b.term.args[0]), coq(b.low)

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
        count = _constant(b.high - b.low, seq) or 0
        for k in range(count + 1):
            new = new + term(b.low + num(k))
        rule = (
            f"rewrite (Sum_few {fun} ({low}) ({coq(b.high)}) {count + 1}); [cbn [nsum]; simpl INR; "
            "rewrite ?Rplus_0_l, ?Rplus_0_r | bc_whole | simpl INR; first [ring | lra]]"
        )
    line = f"assert (ZV : {coq(b.term)} = {coq(new)}) by ({rule}; cbv beta; first [reflexivity | bc_same])."
    return [OPEN, *side_children(seq, children[:-1]), line, *passed(children[-1], "ZV")]


def _same(node: Node, seq: Sequent, children: Children) -> list[str]:
    b, body, child = binder(node, seq), formula(node, "body"), children[-1]
    if b.is_sum:
        raise NotStated("another body of a sum")
    old, new, other = function(b.t, b.body), function(b.t, body), b.with_body(body)
    inner = within(b, children)
    equal = [c for c in inner if c.sequent.goal == Relation("==", b.body, body)]
    places = everywhere(b, [c for c in inner if c not in equal])
    same, ways = function(b.t, f"{coq(b.body)} = {coq(body)}"), first(*(c.use() for c in equal), "bc_equal")
    lines = [
        OPEN,
        *side_children(seq, children[:-1]),
        f"assert (ZS : on_range {ends(b.term)} {same}) by ({entered(b)}; {ways}).",
    ]
    if seq.goal.op == DEFINED:
        proof = f"apply (ex_Int_ext {old} {new}); [bc_ends | exact ZS | exact ZG]"
        told = f"assert (ZG : {exists(other)}) by {child.use()}."
        return [*lines, told, f"destruct ZG as [ZG _]. split; [{proof} | {places}]."]
    back = f"(intros {name(b.t)} J1 J2; symmetry; apply ZS; assumption)"
    proof = f"apply (ex_Int_ext {new} {old}); [bc_ends | {back} | assumption]"
    equal_to = f"apply (Int_same_body {old} {new}); [bc_ends | exact ZS | exact ZX]"
    return [
        *lines,
        f"assert (ZX : ex_Int {new} {ends(b.term)}) by ({proof}).",
        f"assert (ZV : {coq(b.term)} = {coq(other)}) by ({equal_to}).",
        f"assert (ZP : {exists(other)}) by (split; [exact ZX | {places}]).",
        *passed(child, "ZV"),
    ]


def _induction(node: Node, seq: Sequent, children: Children) -> list[str]:
    v, start = str(node["var"]), formula(node, "from")
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
    wide = [c for c in children[:-1] if c.sequent.goal.op == DEFINED]
    other, below = (goal.rhs, "<=") if goal.lhs is b.term else (goal.lhs, ">=")
    fun = function(b.term.args[1].value, b.term.args[0])
    told = "".join(f"{proved(f'ZW{k}', c)[:-1]}; " for k, c in enumerate(wide))
    turn, back = ("apply Rle_ge; ", "apply Rge_le; ") if goal.op == ">=" else ("", "")
    lemma = f"partial_{'le' if goal.op == below else 'ge'} {fun} ({coq(b.low)}) ({coq(other)})"
    return [
        OPEN,
        f"{turn}apply ({lemma}); [bc_whole | assumption |].",
        f"intros {name(b.t)} J1 J2. {told}bc_open; {back}{children[-1].use()}.",
    ]


def divide(node: Node, seq: Sequent, children: Children, known: Hints) -> list[str]:
    """An integral as the sum of two."""
    b, at = binder(node, seq), formula(node, "at")
    if b.is_sum:
        raise NotStated("a sum as the sum of two")
    child = children[-1]
    fun = function(b.t, b.body)
    low, high = end(b.term.args[2]), end(b.term.args[3])
    left, right = b.with_range(b.term.args[2], at), b.with_range(at, b.term.args[3])
    steady = function(b.t, f"continuity_pt {fun} {name(b.t)}")
    lines = [OPEN, *side_children(seq, children[:-1])]
    lines.append(f"assert (ZC : on_range {low} {high} {steady}) by ({entered(b)}; bc_cont).")
    if seq.goal.op == DEFINED:
        lines.append(f"{proved('ZG', child)} bc_open.")
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
    for k, e in enumerate(binders_of(*goal.sides)):
        b = as_binder(e, seq, _fresh(seq))
        if not b.is_sum and b.low is not None and b.low is b.high:
            values[e] = num(0)
            lines.append(f"rewrite (Int_none {function(b.t, b.body)} ({coq(b.low)})).")
            continue
        try:
            closed, tactic = value(b, found(b))
        except NotStated:
            if b.low is None or b.high is None or seq.goal.free:
                return [*lines, *plain(seq)]  # what holds of any value
            return [*lines, *_numeric(b, seq)]
        values[e] = closed
        lines.append(f"assert (ZV{k} : {coq(e)} = {coq(closed)}) by {_as_value(b, tactic)}.")
        lines.append(f"rewrite ZV{k}.")
        simple = _simpler(closed, seq)
        if simple is not None:
            values[e] = simple
            lines.append(f"assert (ZW{k} : {coq(closed)} = {coq(simple)}) by {equation(seq, closed, simple)}.")
            lines.append(f"rewrite ZW{k}.")
    return [*lines, *plain(seq.with_goal(goal.map(lambda f: exchanged(f, values))))]


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
    value_ = f"RInt {function(b.t, b.body)} ({coq(b.low)}) ({coq(b.high)})"
    proof = f"apply Int_value; apply Int_closed; [bc_ends | intros {name(b.t)} J; cbv beta; bc_cont]"
    return [
        f"assert (ZV : {coq(b.term)} = {value_}) by ({proof}).",
        "rewrite ZV. bc_order. first [integral | integral with (i_fuel 1000) | "
        "integral with (i_prec 40, i_degree 5, i_fuel 3000)].",
    ]
