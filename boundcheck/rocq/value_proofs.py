"""Scripts for rules that put a value for a term: arcs, integrals that are turned about, known sums."""

from __future__ import annotations

from collections.abc import Callable, Mapping

from boundcheck.kernel.check.binder_rules import Binder, binder
from boundcheck.kernel.check.known_values import KNOWN
from boundcheck.kernel.check.nodes_read import Node, formula
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, num, parse, substitute, var
from boundcheck.rocq.binder_proofs import passed
from boundcheck.rocq.comparison import OPEN, entered, everywhere, exists_on, within
from boundcheck.rocq.coq_text import DEFINED, NotStated, coq, ends, function, name
from boundcheck.rocq.reduction_proofs import proved, side_children
from boundcheck.rocq.shapes import Children


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
    if term.op == "sum":
        raise NotStated("the terms of a sum in the other order")
    body, v, low, high = term.args
    other = Expr(term.op, (body, v, high, low))
    child, defined = children[-1], seq.goal.op == DEFINED
    wanted = f"ex_Int {function(v.value, body)} {ends(term if defined else other)}"
    turned = f"assert (ZX : {wanted}) by (apply ex_Int_turned; assumption)."
    if defined:
        return [OPEN, f"{proved('ZG', child)} bc_open.", turned, "bc_parts."]
    value = f"assert (ZV : {coq(term)} = - {coq(other)}) by (apply Int_turned; assumption)."
    return [OPEN, turned, value, *passed(child, "ZV")]


def valued(node: Node, seq: Sequent, children: Children) -> tuple[Binder, Expr, str]:
    """A sum or integral of the table, its value, and a tactic that it has it. Raises :class:`NotStated`."""
    b, entry = binder(node, seq), str(node.get("entry"))
    of = {key: formula(node["of"], key) for key in node["of"]}
    known = _lemma(of, name(b.t), entry)
    closed, body = (_put(of, text, b) for text in (KNOWN[entry].value, KNOWN[entry].body))
    inner = within(b, children)
    equal = " | ".join([*(c.use() for c in inner if c.sequent.goal.op == "=="), "bc_equal"])
    if entry != "gauss":
        return b, closed, _scaled(b, of["factor"], body, known, closed, equal)
    half = _put(of, KNOWN["gamma"].value, b)
    above = Binder(b.with_range(num(0), b.term.args[3]), b.body, b.t, num(0), None, b.seq)
    right = _scaled(above, of["factor"], body, known, half, equal)
    return b, closed, _even(b, half, right)


def _put(of: Mapping[str, Expr], text: str, b: Binder) -> Expr:
    """A formula of the table, its letters put in, with the factor before it."""
    return Expr("mul", (of["factor"], substitute(parse(text), {**of, "t": var(b.t)})))


def _even(b: Binder, half: Expr, right: str) -> str:
    """A tactic for ``isInt`` of an even body over the whole line, from one for the range above 0."""
    x, value = name(b.t), coq(half)
    mirrored = f"(intros {x}; cbv beta; rewrite ?Rabs_Ropp; first [reflexivity | bc_deep | bc_equal])"
    even = f"apply (isInt_even {function(b.t, b.body)} ({value}))"
    line = f"({even}; [{right} | {mirrored} | intros {x}; bc_cont])"
    return f"(eapply isInt_as; [{line} | first [unfold Rdiv; ring | bc_equal]])"


def existing(node: Node, seq: Sequent, children: Children) -> str:
    """A tactic that a term exists of which a node knows the value. Raises :class:`NotStated`."""
    _, closed, tactic = valued(node, seq, children)
    return f"(exists ({coq(closed)}); {tactic})"


def _known(node: Node, seq: Sequent, children: Children) -> list[str]:
    """A sum or integral of the table: its lemma, with a factor before the terms. Those of beta are not followed."""
    b, closed, tactic = valued(node, seq, children)
    inner = within(b, children)
    others = [c for c in children[:-1] if c.sequent.hyps == seq.hyps and b.t not in c.sequent.variables]
    lines = [OPEN, *side_children(seq, others)]
    if seq.goal.op == DEFINED and seq.goal.lhs is b.term:
        places = everywhere(b, [c for c in inner if c.sequent.goal.op == DEFINED])
        return [*lines, f"{exists_on(b, existing(node, seq, children), places)}."]
    lemma = "SumInf_value" if b.is_sum else "Int_value"
    lines.append(f"assert (ZV : {coq(b.term)} = {coq(closed)}) by (apply {lemma}; {tactic}).")
    return [*lines, *passed(children[-1], "ZV")]


Known = tuple[str, str]  #: a lemma of Boundcheck.v applied to its letters, and the terms of which it is


def _lemma(of: Mapping[str, Expr], x: str, entry: str) -> Known:
    """The lemma about an entry of the table. Raises :class:`NotStated`."""
    a = of.get("a", num(0))
    match entry:
        case "logarithm" | "exponential":
            negative = a.op == "num" and a.value < 0
            if negative and entry == "exponential":
                raise NotStated("the exponential series of a negative number")
            size = f"({coq(-a if negative else a)})"
            power = f"{f'sgz {x} * ' if negative else ''}rpw {size} {x}"  # also of a negative number
            if entry == "exponential":
                return f"isSum_exponential {size}", f"{power} / Gam ({x} + 1)"
            return f"{'isSum_alternating' if negative else 'isSum_logarithm'} {size}", f"{power} / {x}"
        case "gamma" | "gauss":
            c, k, before = coq(of["c"]), coq(of["k"]), f"rpw {x} (({coq(a)}) - 1)"
            if of["k"] is num(1):
                return f"Gam_rate ({coq(a)}) ({c})", f"{before} * exp (- (({c}) * {x}))"
            return f"Gam_power ({coq(a)}) ({c}) ({k})", f"{before} * exp (- (({c}) * rpw {x} ({k})))"
    raise NotStated(f"the known value {entry}")


def _scaled(b: Binder, factor: Expr, body: Expr, known: Known, closed: Expr, equal: str) -> str:
    """A tactic for ``isSum`` or ``isInt`` of the binder's body: a factor times the terms of a lemma."""
    x, front, value = name(b.t), coq(factor), coq(closed)
    own, other = function(b.t, b.body), function(b.t, f"({front}) * ({known[1]})")
    plain = "rewrite ?rpw_base_one, ?Rmult_1_r, ?Rmult_1_l, ?pow_1; first [reflexivity | ring | bc_deep | bc_equal]"
    if not b.is_sum:
        plain = f"rewrite ?(Rabs_pos_eq {x}) by lra; bc_whole_powers {x}; {plain}"
    through = f"transitivity ({coq(body)}); [first [{equal}] | {plain}]"
    same = f"({entered(b)}; first [solve [{through}] | {plain}])"
    head = "isSum" if b.is_sum else "isInt"
    lemma = (
        f"(eapply {head}_as; [apply ({head}_scaled ({front})); apply ({known[0]}); first [lra | bc_side | "
        "split; bc_side] | first [rewrite ?over_one; bc_deep | bc_equal]])"
    )
    if b.is_sum:
        return f"(apply (isSum_ext {own} {other} _ ({value})); [bc_whole | {same} | {lemma}])"
    return f"(apply (Int_ext {own} {other} {ends(b.term)} ({value})); [bc_ends | {same} | {lemma}])"


RULES: dict[str, Callable[[Node, Sequent, Children], list[str]]] = {
    "arc": _arc, "reverse": _reverse, "known": _known,
}  # fmt: skip
