"""Scripts for rules that put a value for a term: arcs, integrals that are turned about, known sums."""

from __future__ import annotations

from collections.abc import Callable, Sequence

from boundcheck.kernel.check.binder_rules import Binder, binder
from boundcheck.kernel.check.known_values import KNOWN
from boundcheck.kernel.check.nodes_read import formula
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, num, parse, substitute
from boundcheck.rocq.binder_proofs import passed, within
from boundcheck.rocq.comparison import OPEN, Children, Node, everywhere
from boundcheck.rocq.coq_text import DEFINED, NotStated, coq, end, name, relation
from boundcheck.rocq.reduction_proofs import side_children
from boundcheck.rocq.shapes import Lemma


def _arc(node: Node, seq: Sequent, children: Children) -> list[str]:
    """The value of an inverse function: its sine (cosine, tangent) is the argument, and it lies on the branch."""
    term, y = formula(node, "term"), formula(node, "is")
    return [
        *side_children(seq, children[:-1]),
        f"assert (ZV : {coq(term)} = {coq(y)}) by (apply {term.op}_is; bc_given).",
        *passed(children[-1], "ZV"),
    ]


def _reverse(node: Node, seq: Sequent, children: Children) -> list[str]:
    """An integral as the negative of the one between the same ends in the other order."""
    term = formula(node, "term")
    body, v, low, high = term.args
    other = Expr(term.op, (body, v, high, low))
    function = f"(fun {coq(v)} : R => {coq(body)})"
    child = children[-1]
    if seq.goal.op == DEFINED:
        exists = f"ex_Int {function} {end(low)} {end(high)}"
        return [
            OPEN,
            f"assert (ZG : {relation(child.sequent.goal)}) by {child.use()}. bc_open.",
            f"assert (ZX : {exists}) by (apply ex_Int_turned; assumption).",
            "bc_parts.",
        ]
    return [
        OPEN,
        f"assert (ZX : ex_Int {function} {end(high)} {end(low)}) by (apply ex_Int_turned; assumption).",
        f"assert (ZV : {coq(term)} = - {coq(other)}) by (apply Int_turned; exact ZX).",
        *passed(child, "ZV"),
    ]


def _known(node: Node, seq: Sequent, children: Children) -> list[str]:
    """A sum of the table: its lemma, with a factor before the terms. Those with values of gamma are not followed."""
    if node.get("entry") != "logarithm":
        raise NotStated(f"the known value {node.get('entry')}")
    b = binder(node, seq)
    factor, a = formula(node["of"], "factor"), formula(node["of"], "a")
    inner = within(b, children)
    equal = [c for c in inner if c.sequent.goal.op == "=="]
    closed = Expr("mul", (factor, substitute(parse(KNOWN["logarithm"].value), {"a": a})))
    tactic = _logarithm(b, factor, a, closed, equal)
    others = [c for c in children[:-1] if c.sequent.hyps == seq.hyps]
    lines = [OPEN, *side_children(seq, others)]
    if seq.goal.op == DEFINED and seq.goal.lhs is b.term:
        places = everywhere(b, [c for c in inner if c.sequent.goal.op == DEFINED])
        return [*lines, f"split; [bc_whole | split; [exists ({coq(closed)}); {tactic} | {places}]]."]
    lines.append(f"assert (ZV : {coq(b.term)} = {coq(closed)}) by (apply SumInf_value; {tactic}).")
    return [*lines, *passed(children[-1], "ZV")]


def _logarithm(b: Binder, factor: Expr, a: Expr, closed: Expr, equal: Sequence[Lemma]) -> str:
    """A tactic for ``isSum`` of the binder's body, which is a factor times a ** k / k, also for a negative number a."""
    x, front = name(b.t), coq(factor)
    own, value = f"(fun {x} : R => {coq(b.body)})", coq(closed)
    if a.op == "num" and a.value < 0:
        lemma, power = f"isSum_alternating ({coq(num(-a.value))})", f"sgz {x} * rpw ({coq(num(-a.value))}) {x}"
    else:
        lemma, power = f"isSum_logarithm ({coq(a)})", f"rpw ({coq(a)}) {x}"
    other = f"(fun {x} : R => ({front}) * ({power} / {x}))"
    uses = " | ".join([*(c.use() for c in equal), "bc_equal"])
    same = f"(intros {x} J0 J1 J2; cbn [Rbar_le] in J2; cbv beta; rewrite ?rpw_base_one, ?Rmult_1_r; first [{uses}])"
    scaled = f"(eapply isSum_as; [apply (isSum_scaled ({front})); apply ({lemma}); split; bc_given | f_equal; f_equal; f_equal; lra])"
    return f"(apply (isSum_ext {own} {other} _ ({value})); [bc_whole | {same} | {scaled}])"


RULES: dict[str, Callable[[Node, Sequent, Children], list[str]]] = {
    "arc": _arc, "reverse": _reverse, "known": _known,
}  # fmt: skip
