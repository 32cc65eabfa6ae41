"""Scripts for rules that put a value for a term: arcs, integrals that are turned about, known sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from boundcheck.kernel.check.binder_rules import Binder, binder
from boundcheck.kernel.check.known_values import KNOWN
from boundcheck.kernel.check.nodes_read import formula
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, parse, substitute, var
from boundcheck.rocq.binder_proofs import OPEN, everywhere, passed, within
from boundcheck.rocq.coq_text import DEFINED, NotStated, coq, end, name, relation
from boundcheck.rocq.reduction_proofs import side_children
from boundcheck.rocq.shapes import Lemma

Node = Mapping[str, Any]
Children = Sequence[Lemma]


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


#: entry -> the lemma of Boundcheck.v that gives its sum; the others have values of the gamma function
_SUMS = {"logarithm": "isSum_logarithm"}


def _known(node: Node, seq: Sequent, children: Children) -> list[str]:
    """A sum of the table: its lemma, with a factor before the terms."""
    lemma = _SUMS.get(str(node.get("entry")))
    if lemma is None:
        raise NotStated(f"the known value {node.get('entry')}")
    b, entry = binder(node, seq), KNOWN[str(node["entry"])]
    values = {key: formula(node["of"], key) for key in node["of"]}
    factor, a = values["factor"], values["a"]
    terms, value = (substitute(parse(text), {**values, "t": var(b.t)}) for text in (entry.body, entry.value))
    inner = within(b, children)
    equal = [c for c in inner if c.sequent.goal.op == "=="]
    tactic = _summed(b, terms, factor, f"apply ({lemma} ({coq(a)})); bc_given", equal)
    others = [c for c in children[:-1] if c.sequent.hyps == seq.hyps]
    lines = [OPEN, *side_children(seq, others)]
    if seq.goal.op == DEFINED and seq.goal.lhs is b.term:
        places = everywhere(b, [c for c in inner if c.sequent.goal.op == DEFINED])
        return [*lines, f"split; [bc_whole | split; [eexists; {tactic} | {places}]]."]
    closed = Expr("mul", (factor, value))
    lines.append(f"assert (ZV : {coq(b.term)} = {coq(closed)}) by (apply SumInf_value; {tactic}).")
    return [*lines, *passed(children[-1], "ZV")]


def _summed(b: Binder, terms: Expr, factor: Expr, known: str, equal: Sequence[Lemma]) -> str:
    """A tactic for ``isSum`` of the binder's body, which is a factor times the terms of a known sum."""
    x = name(b.t)
    own, other = (f"(fun {x} : R => {coq(e)})" for e in (b.body, Expr("mul", (factor, terms))))
    uses = " | ".join([*(c.use() for c in equal), "bc_equal"])
    same = f"(intros {x} J0 J1 J2; cbn [Rbar_le] in J2; cbv beta; first [{uses}])"
    scaled = f"(apply (isSum_scaled ({coq(factor)})); {known})"
    return f"(apply (isSum_ext {own} {other}); [bc_whole | {same} | {scaled}])"


RULES: dict[str, Callable[[Node, Sequent, Children], list[str]]] = {
    "arc": _arc, "reverse": _reverse, "known": _known,
}  # fmt: skip
