"""The nodes of a scalar certificate as Coq lemmas: one lemma a sequent, its proof from those of its children.

A sequent becomes ``forall variables, integers -> definedness -> hypotheses -> goal``. What the search found (factors,
multipliers, split points, faces) is written into the proof; where a node is a leaf, tactics of Boundcheck.v close it.
"""

from __future__ import annotations

from collections.abc import Sequence

from boundcheck.kernel.certificate import goals
from boundcheck.kernel.check.nodes_read import Node, formula
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.formula import Relation, num
from boundcheck.kernel.statement import Claim
from boundcheck.rocq import (
    binder_proofs,
    box_bounds,
    far_erf,
    integer_proofs,
    leaf_proofs,
    reduction_proofs,
    value_proofs,
)
from boundcheck.rocq.binder_proofs import Hints, existence
from boundcheck.rocq.coq_text import DEFINED, NotStated, defined, relation
from boundcheck.rocq.expansion_proofs import expansion
from boundcheck.rocq.shapes import Children, Lemma, opened, premises, uses
from boundcheck.rocq.termwise_proofs import termwise

MAX_LEMMAS = 4_000  #: lemmas of one obligation
#: What writes the script of a node from the node, its sequent and its children alone.
RULES = {
    **reduction_proofs.RULES, **binder_proofs.RULES, **integer_proofs.RULES, **value_proofs.RULES,
    "termwise": termwise,
}  # fmt: skip


class Nodes:
    """The lemmas of one obligation, named ``prefix_1``, ``prefix_2``, ... in the order in which they are proved."""

    def __init__(self, prefix: str):
        self.prefix = prefix
        self.lemmas: list[Lemma] = []
        self.known = Hints()

    def build(self, node: Node, seq: Sequent) -> Lemma:
        """The lemma that proves ``seq`` as ``node`` says, after those of its children."""
        rule = str(node["rule"])
        # a node without children goes to Rocq unchecked: its kernel is to judge the numbers, not ours
        left = refine(node, seq) if node.get("then") else []
        children = [self.build(n, s) for n, s in zip(node.get("then", []), left, strict=True)]
        if len(self.lemmas) > MAX_LEMMAS:
            raise NotStated(f"more than {MAX_LEMMAS} nodes")
        self.known.note(node, children)
        if rule == "known":
            self.known.values.setdefault(formula(node, "term"), value_proofs.existing(node, seq, children))
        script = self._script(rule, node, seq, children)
        lemma = Lemma(f"{self.prefix}_{len(self.lemmas) + 1}", seq, tuple(script), rule)
        self.lemmas.append(lemma)
        return lemma

    def _script(self, rule: str, node: Node, seq: Sequent, children: Children) -> list[str]:
        if rule == "divide":
            return binder_proofs.divide(node, seq, children, self.known)
        if rule in RULES:
            return RULES[rule](node, seq, children)
        goal = seq.goal
        if rule in ("eval", "identity") and (goal.op == DEFINED or any(map(has_binder, goal.sides))):
            return binder_proofs.leaf(seq, lambda inner: leaf_proofs.LEAVES[rule](node, inner))
        if rule == "expansion":

            def direct() -> str:
                return leaf_proofs.directly(node, seq)

            found = far_erf.far_out(node, seq, direct) or expansion(node, seq, children, direct)
            return [*box_bounds.box_lines(seq), *found]
        if rule in leaf_proofs.LEAVES and not children:
            return leaf_proofs.LEAVES[rule](node, seq)
        if rule == "farkas":
            return [*reduction_proofs.side_children(seq, children), *leaf_proofs.LEAVES[rule](node, seq)]
        raise NotStated(f"the rule {rule}")


def claim_lemmas(prefix: str, claim: Claim, proofs: Sequence[Node]) -> tuple[list[Lemma], list[str]]:
    """All lemmas of a scalar claim, and the text of the theorem that joins them. Raises :class:`NotStated`.

    The theorem says: under the hypotheses (each with what makes it defined) every term of the claim is defined,
    and every relation of the claim holds.
    """
    nodes = Nodes(prefix)
    roots: list[Lemma] = []
    for proof, seq in zip(proofs, goals(claim), strict=True):
        roots.append(nodes.build(proof, seq))
    return nodes.lemmas, _theorem(prefix, claim, roots, nodes.known)


def _theorem(prefix: str, claim: Claim, roots: Sequence[Lemma], known: Hints) -> list[str]:
    parts = [*defined(claim.claim), *claim.claim]
    whole = Sequent(claim.where, Relation("==", num(0), num(0)), claim.integers)
    variables = sorted({v for r in (*claim.claim, *claim.where) for v in r.free})
    conclusion = " /\\ ".join(f"({relation(r)})" for r in parts)
    lines = opened(f"Theorem {prefix}", variables, premises(whole, variables), conclusion)
    for k, root in enumerate(roots):
        if root.sequent.goal.op == DEFINED:
            lines.append(f"  assert (KD{k} : {relation(root.sequent.goal)}) by {root.use()}. bc_open.")
    for k, r in enumerate(parts, 1):
        if r.op == DEFINED:
            try:
                other = f" | {existence(r.lhs, whole, (), known)}"
            except NotStated:
                if all(root.sequent.goal.op != DEFINED for root in roots):
                    raise
                other = ""  # a certificate's own proof is among the hypotheses
            lines.append(f"  assert (K{k} : {relation(r)}) by first [ solve [bc_parts]{other} ].")
            continue
        fitting = [root for root in roots if root.sequent.goal == r or relation(root.sequent.goal) == relation(r)]
        ways = f"assumption{uses(fitting)} | bc_side | subst; bc_side"
        lines.append(f"  assert (K{k} : {relation(r)}) by first [ {ways} ].")
    lines.append("  repeat first [ assumption | split ].")
    lines.append("Qed.")
    return lines
