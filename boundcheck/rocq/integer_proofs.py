"""Scripts for rules of whole numbers and for names: branches, residues, classes, a subformula as a new variable."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.integers import whole
from boundcheck.kernel.check.nodes_read import Node, formula
from boundcheck.kernel.check.poly import to_expr
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, num, substitute, var
from boundcheck.rocq.coq_text import NotStated, coq, name
from boundcheck.rocq.powers import proved_equal
from boundcheck.rocq.reduction_proofs import facts_at, side_children
from boundcheck.rocq.shapes import Children


def _let(node: Node, seq: Sequent, children: Children) -> list[str]:
    """The child at the subformula itself, of which each fact is proved."""
    term, new = formula(node, "term"), str(node["new"])
    sides = children[:-1]
    facts = facts_at(node, {new: term}, seq, sides)
    return [*side_children(seq, sides), *facts, f"{children[-1].use({new: term})}."]


def _branch(node: Node, seq: Sequent, children: Children) -> list[str]:
    e, k = formula(node, "on"), int(node["at"])
    found = whole(e, seq)
    if found is None:
        raise NotStated("a whole number that is not seen")
    same = to_expr(found[1])
    low, high = children[-2:]
    return [
        *side_children(seq, children[:-2]),
        *proved_equal("ZE", e, same, seq),
        f"assert (ZI : isint ({coq(same)})) by bc_whole.",
        f"destruct (int_split _ ({k}) ZI) as [W | W]; rewrite <- ZE in W; simpl Z.add in W.",
        f"{{ {low.use()}. }}",
        f"{high.use()}.",
    ]  # fmt: skip


def _split(v: str, m: int, new: str) -> list[str]:
    """One case for each residue of an integer variable, in order; ``new`` is the quotient."""
    x = name(v)
    cases = " | ".join(["WR"] * m)
    return [
        f"destruct (int_class {x} {m} ltac:(lia) ltac:(bc_whole)) as ({new} & ZI{new} & W).",
        f"cbn [residues] in W. destruct W as [{cases.replace(' | ', ' | [', m - 2) + ']' * (m - 2)}].",
    ]


def _classes(node: Node, seq: Sequent, children: Children) -> list[str]:
    v, m, new = str(node["var"]), int(node["mod"]), str(node["new"])
    q = name(new)
    lines = _split(v, m, q)
    for r in range(m):
        lines.append(
            f"{{ assert (ZV : {name(v)} = {coq(num(m) * var(new) + num(r))}) by (rewrite WR; "
            f"simpl INR; ring). clear WR. subst {name(v)}. {children[r].use()}. }}"
        )
    return lines


def _residues(node: Node, seq: Sequent, children: Children) -> list[str]:
    """Every residue of the variables leaves a number that the modulus does not divide."""
    m = int(node["mod"])
    at = node.get("hyp")
    r = seq.goal if at is None else seq.hyps[int(at)]
    found = whole(r.lhs - r.rhs, seq)
    if found is None:
        raise NotStated("a whole number that is not seen")
    times, p = found
    names = sorted({atom.value for mono in p for atom, _ in mono})
    if m ** len(names) > 64:
        raise NotStated("many residues")
    quotients = {v: f"{v}'q" for v in names}
    lines = [
        *side_children(seq, children),
        "intros ZQ." if at is None else f"exfalso. assert (ZQ : {coq(r.lhs)} = {coq(r.rhs)}) by assumption.",
    ]

    def cases(left: list[str], values: dict[str, Expr]) -> list[str]:
        if not left:
            return _impossible(times, p, values, m, seq)
        v = left[0]
        out = _split(v, m, name(quotients[v]))
        for k in range(m):
            place = num(m) * var(quotients[v]) + num(k)
            out.append(
                "{ " + f"assert (ZV{name(v)} : {name(v)} = {coq(place)}) by (rewrite WR; simpl INR; ring). clear WR."
            )
            out += cases(left[1:], {**values, v: place})
            out.append("}")
        return out

    return [*lines, *cases(names, {})]


def _impossible(times: int, p: Any, values: dict[str, Expr], m: int, seq: Sequent) -> list[str]:
    moved = seq.algebra.normal(substitute(to_expr(p), values)).num
    rest = int(moved.get((), fmpq(0))) % m
    over = {mono: c / m for mono, c in moved.items() if mono}
    constant = (int(moved.get((), fmpq(0))) - rest) // m
    whole_part = to_expr(over) + num(constant) if over else num(constant)
    turned = "; ".join(f"rewrite ZV{name(v)} in ZQ" for v in values)
    return [
        f"{turned}. apply (no_multiple {m} {rest} ({coq(whole_part)})); [lia | bc_whole | bc_multiple {times} ZQ]."
    ]


RULES: dict[str, Callable[[Node, Sequent, Children], list[str]]] = {
    "let": _let, "branch": _branch, "classes": _classes, "residues": _residues,
}  # fmt: skip
