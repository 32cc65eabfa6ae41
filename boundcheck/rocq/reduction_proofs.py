"""Scripts for the rules that reduce a sequent to others: the proof of a lemma from its children's."""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from functools import reduce
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.cover_rule import halves
from boundcheck.kernel.check.integers import whole
from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.nodes_read import (
    ZERO,
    Node,
    at_least,
    formula,
    items,
    name_of,
    rational,
    read,
)
from boundcheck.kernel.check.nodes_read import relation as read_relation
from boundcheck.kernel.check.poly import add, multiply, thaw, to_expr
from boundcheck.kernel.check.reductions import resolve
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.derivative import derivative
from boundcheck.kernel.enclosure.intervals import Interval
from boundcheck.kernel.formula import Expr, Relation, num, substitute, var
from boundcheck.rocq.box_bounds import box_lines, implied_lines
from boundcheck.rocq.coq_text import NotStated, coq, function, is_whole, name, order, relation
from boundcheck.rocq.exponents import rewritten
from boundcheck.rocq.leaf_proofs import boxed, by_slopes
from boundcheck.rocq.moving_ends import MovingEnds
from boundcheck.rocq.powers import Equations, proved_equal
from boundcheck.rocq.scripts import chained
from boundcheck.rocq.shapes import Children, Lemma, first, premises, uses


def have(goal: Relation, seq: Sequent, children: Children, label: str) -> str:
    """An assertion that a child proves, or that the box settles."""
    fitting = uses(c for c in children if c.sequent.goal == goal and c.sequent.hyps == seq.hyps)
    return f"assert ({label} : {relation(goal)}) by first [ assumption{fitting} | bc_side ]."


def proved(label: str, child: Lemma) -> str:
    """An assertion of what a child says."""
    return f"assert ({label} : {relation(child.sequent.goal)}) by {child.use()}."


def side_children(seq: Sequent, children: Children) -> list[str]:
    """Every child with the sequent's own hypotheses as a fact (definedness and side conditions)."""
    lines = []
    for k, c in enumerate(children):
        if c.sequent.hyps == seq.hyps and c.sequent.integers == seq.integers and c.sequent.goal != seq.goal:
            lines.append(proved(f"S{k}", c))
    return lines


def _resolved(e: Expr, sign: int, seq: Sequent) -> dict[Expr, Expr]:
    """kink -> what it is, in the order in which ``resolve`` takes abs, min and max apart, innermost first."""
    found: dict[Expr, Expr] = {}

    def taken(part: Expr) -> Expr:
        value = resolve(part, e, sign, seq) if part.op in ("abs", "min", "max") else part
        if value is not part:
            found.setdefault(part, value)
        return value

    for r in (*seq.hyps, seq.goal):
        r.map(lambda side: rewritten(side, taken))
    return found


def _case(node: Node, seq: Sequent, children: Children) -> list[str]:
    e = formula(node, "on")
    a, b = e.args if e.op == "sub" else (e, ZERO)
    lines = side_children(seq, children[:-2])
    up, down = (c.sequent.hyps[-1].op for c in children[-2:])
    lemma = {(">", "<"): "bc_unequal", (">", "<="): "bc_strictly"}.get((up, down), "bc_cases")
    split = f"({lemma} ({coq(a)}) ({coq(b)}))"
    lines.append(f"assert (W : {coq(a)} {up} {coq(b)} \\/ {coq(a)} {down} {coq(b)}) by (apply {split}; bc_given).")
    lines.append("destruct W as [W | W].")
    for child, sign in zip(children[-2:], (1, -1), strict=True):
        lines.append("{")
        hyps = [label for label, _ in premises(seq, seq.variables)]
        for k, (old, new) in enumerate(_resolved(e, sign, seq).items()):
            lines.append(f"  assert (X{k} : {coq(old)} = {coq(new)}) by ({_kink(old, new)}).")
            lines.append(f"  try rewrite X{k}.")
            lines += [f"  try rewrite X{k} in {h}." for h in hyps]
        lines.append(f"  {child.use()}.")
        lines.append("}")
    return lines


def _kink(old: Expr, new: Expr) -> str:
    if old.op == "abs":
        up = new is old.args[0]
        return f"rewrite {'abs_up' if up else 'abs_down'}; [ring | bc_order_fact]"
    first = new is old.args[0]
    lemma = f"{old.op}_{'first' if first else 'second'}"
    return f"apply {lemma}; bc_order_fact"


def _step(node: Node, seq: Sequent, children: Children) -> list[str]:
    term, new = formula(node, "term"), str(node["new"])
    lines = side_children(seq, children[:-1])
    u = coq(term.args[0])
    facts = ("rfloor_le", "rfloor_gt", "isint_floor") if term.op == "floor" else ("rceil_ge", "rceil_lt", "isint_ceil")
    lines += [f"pose proof ({f} ({u})) as Y{k}." for k, f in enumerate(facts)]
    return [*lines, f"{children[-1].use({new: coq(term)})}."]


def _equal(node: Node, seq: Sequent, children: Children) -> list[str]:
    return ["apply Rle_antisym.", f"{children[0].use()}.", f"apply Rge_le. {children[1].use()}."]


def _unequal(node: Node, seq: Sequent, children: Children) -> list[str]:
    lemma = "Rlt_not_eq" if node.get("as") == "<" else "Rgt_not_eq"
    return [f"apply {lemma}. {children[0].use()}."]


def _drop(node: Node, seq: Sequent, children: Children) -> list[str]:
    return [f"{children[0].use()}."]


def _cut(node: Node, seq: Sequent, children: Children) -> list[str]:
    lemma = read_relation(node.get("lemma"))
    lines = side_children(seq, children[:-1])
    return [*lines, have(lemma, seq, children[:-1], "Y"), f"{children[-1].use()}."]


def _factor(node: Node, seq: Sequent, children: Children) -> list[str]:
    goal = seq.goal
    lines = [*implied_lines(seq), *side_children(seq, children)]
    factors = [(formula(f, "text"), f["sign"]) for f in items(node, "factors")]
    signed = [e if sign > 0 else -e for e, sign in factors]
    if not signed:
        return ["bc_settle."]
    lines += [have(at_least(e, goal.strict), seq, children, f"V{k}") for k, e in enumerate(signed)]
    product = reduce(lambda a, b: Expr("mul", (a, b)), signed)
    lines.append(f"assert (Y : 0 {order(goal)} {coq(product)}) by bc_factors.")
    return [*lines, *proved_equal("E", goal.gap, product, seq), "lra."]


def _monotone(node: Node, seq: Sequent, children: Children) -> list[str]:
    goal = seq.goal if seq.goal.op in ("<", "<=") else seq.goal.flipped()
    lines = side_children(seq, children[:-1])
    fn, kind = str(node.get("fn")), _kind(goal)
    sides = {"square": [goal.rhs], "exp": []}.get(fn, [goal.lhs, goal.rhs])
    lines += [have(at_least(e, fn == "log"), seq, children[:-1], f"V{k}") for k, e in enumerate(sides)]
    lines.append(proved("Y", children[-1]))
    lemma = f"by_{fn}_{kind}"
    if fn == "power":
        r = formula(node, "exponent")
        natural = r.op == "num" and r.value.denominator == 1
        lemma = f"(by_nth_{kind} {int(r.value) - 1})" if natural else f"(by_power_{kind} ({coq(r)}))"
        lines += [] if natural else [have(at_least(r, True), seq, children, "VR")]
    return [*lines, f"assert (Z : {relation(goal)}) by (apply {lemma}; bc_given).", "lra."]


def _kind(goal: Relation) -> str:
    """How the lemmas for an inequality of this kind end."""
    return "lt" if goal.strict else "le"


def _peel(node: Node, seq: Sequent, children: Children) -> list[str]:
    goal = seq.goal
    a, b = read(node.get("upper"), "upper"), read(node.get("lower"), "lower")
    c = formula(node, "factor") if "factor" in node else num(1)
    product = Expr("mul", (c, Expr("sub", (a, b))))
    lemma, conditions = _rises(a, b, node.get("falls") is True, goal.strict)
    return [
        *side_children(seq, children[:-1]),
        proved("Y", children[-1]),
        *(have(r, seq, children, f"V{k}") for k, r in enumerate(conditions)),
        f"assert (Z : {coq(b)} {order(goal)} {coq(a)}) by (apply {lemma}; bc_given).",
        have(at_least(c, goal.strict), seq, children, "V"),
        f"assert (Q : 0 {order(goal)} {coq(product)}) by ({'bc_product_strict' if goal.strict else 'bc_product'}).",
        *proved_equal("E", goal.gap, product, seq),
        "lra.",
    ]


def _rises(a: Expr, b: Expr, falls: bool, strict: bool) -> tuple[str, list[Relation]]:
    """The lemma that compares a function of two values by these, and what it asks of a power."""
    kind = "lt" if strict else "le"
    if a.op in ("exp", "log", "sqrt", "atan"):
        return f"up_{a.op}_{kind}", []
    r = a.args[-1]
    if a.op != "pow" or is_whole(*a.args) or is_whole(*b.args) or (r.op == "num" and r.value.denominator == 1):
        raise NotStated(f"that {a.op} increases")
    way, least = ("down", a.args[0]) if falls else ("up", b.args[0])
    return f"({way}_power_{kind} ({coq(r)}))", [at_least(-r if falls else r, strict), at_least(least, falls)]


def _substitute(node: Node, seq: Sequent, children: Children) -> list[str]:
    v, new = name_of(node, "var", seq), str(node["new"])
    by, inverse = formula(node, "by"), formula(node, "inverse")
    back = substitute(by, {new: inverse})
    child, values = children[-1], {new: inverse}
    terms = [f"({coq(values.get(w, var(w)))})" for w in child.sequent.variables]
    return [
        *side_children(seq, children[:-1]),
        *proved_equal("E", back, var(v), seq),
        *facts_at(node, values, seq, children[:-1]),
        f"pose proof ({' '.join([child.name, *terms])}) as Y.",
        "rewrite !E in Y." if back.free else f"subst {name(v)}.",
        "apply Y; bc_given.",
    ]


def facts_at(node: Node, values: Mapping[str, Expr], seq: Sequent, children: Children) -> list[str]:
    """The facts of a node about a new name, at the value that it stands for."""
    facts = (read_relation(source) for source in (items(node, "facts") if "facts" in node else ()))
    at = (r.map(lambda e: substitute(e, values)) for r in facts)
    return [have(fact, seq, children, f"V{k}") for k, fact in enumerate(at)]


def _scale(node: Node, seq: Sequent, children: Children) -> list[str]:
    """The child at v / unit^(w_v/w_unit); each hypothesis and the goal differ by a power of the unit."""
    weights = {v: rational(w, "weight") for v, w in node["weights"].items()}
    unit = str(node["unit"])
    u = var(unit)
    shares = {v: w / weights[unit] for v, w in weights.items() if v != unit}
    values = {v: var(v) / (u ** num(q)) if q else var(v) for v, q in shares.items()}
    lines = [have(at_least(u, True), seq, children[:-1], "U")]
    child = children[-1]
    for k, r in enumerate((*seq.hyps, seq.goal)):
        there = r.map(lambda e: substitute(substitute(e, {unit: num(1)}), values))
        power = _degree(r, seq, unit, there)
        if power is None:
            continue
        lines += proved_equal(f"ES{k}", r.gap, Expr("mul", (power, there.gap)), seq)
        lines.append(f"assert (PS{k} : 0 < {coq(power)}) by bc_sgn.")
        op = {"<": "<", ">": "<", "<=": "<=", ">=": "<=", "==": "=", "!=": "<>"}[r.op]
        if k < len(seq.hyps):
            zero = f"{coq(there.gap)} {op} 0" if op in ("=", "<>") else f"0 {op} {coq(there.gap)}"
            word = {"<": "lt", "<=": "le", "=": "eq", "<>": "ne"}[op]
            step = f"apply (scaled_{word} ({coq(power)})); [exact PS{k} | rewrite <- ES{k}; lra]"
            lines.append(f"assert (GS{k} : {zero}) by ({step}).")
            lines.append(f"assert (YS{k} : {relation(there)}) by lra.")
        else:
            lines.append(f"assert (YS : {relation(there)}) by {child.use(values)}.")
            if op in ("<", "<="):
                product = f"{coq(power)} * ({coq(there.gap)})"
                lemma = "Rmult_lt_0_compat" if op == "<" else "Rmult_le_pos"
                lines.append(f"assert (QS : 0 {op} {product}) by (apply {lemma}; lra).")
                lines.append("lra.")
            else:
                lines.append(f"bc_scaled_equal ({coq(power)}) ({coq(there.gap)}).")
            return lines
    lines.append(f"{child.use(values)}.")
    return lines


def _degree(r: Relation, seq: Sequent, unit: str, there: Relation) -> Expr | None:
    """unit^k with gap = unit^k * gap of the scaled relation."""
    algebra = seq.algebra
    before, after = algebra.normal(r.gap), algebra.normal(there.gap)
    if before.zero:
        return None
    left, right = multiply(before.num, after.den), multiply(after.num, before.den)
    m1, m2 = next(iter(left)), None
    u = var(unit)
    for m in right:
        if {k: x for k, x in m1 if k is not u} == {k: x for k, x in m if k is not u}:
            m2 = m
    if m2 is None:
        raise NotStated("a homogeneity that is not seen")
    powers = [dict(m).get(u, fmpq(0)) for m in (m1, m2)]
    k = add(thaw(powers[0]), thaw(powers[1]), fmpq(-1))
    return u ** to_expr(k) if k else num(1)


def _enumerate(node: Node, seq: Sequent, children: Children) -> list[str]:
    v, low, high = name_of(node, "var", seq), int(node["from"]), int(node["to"])
    place = sorted(seq.integers & set(seq.variables)).index(v)
    values = range(low, high + 1)

    def beyond(op: str, end: int) -> str:
        """Where the variable is below (above) them all: the child about it, or that it is not."""
        wanted = Relation(op, var(v), num(end))
        uses = (f"{c.use()}." for c in children[len(values) :] if c.sequent.hyps[-1] == wanted)
        return next(uses, "exfalso; first [lra | bc_contradiction].")

    lines = [
        *box_lines(seq),
        f"destruct (int_split {name(v)} ({low - 1}) I{place} ) as [W | W].",
        f"{{ {beyond('<=', low - 1)} }}",
    ]
    for k, child in zip(values, children, strict=False):
        lines += [
            f"simpl Z.add in W. destruct (int_split {name(v)} ({k}) I{place}) as [W' | W'].",
            "{",
            f"  assert (X : {name(v)} = {coq(num(k))}) by lra. clear W W'. subst {name(v)}.",
            f"  {child.use()}.",
            "}",
            "clear W. rename W' into W.",
        ]
    return [*lines, "simpl Z.add in W.", beyond(">=", high + 1)]


def _means(node: Node, seq: Sequent, children: Children) -> list[str]:
    """The product of values to their weights is at most the sum of weights times values."""
    product, total, plain = num(1), num(0), num(1)
    listed = "nil"
    pairs = [(formula(term, "weight"), formula(term, "value")) for term in items(node, "terms")]
    for w, v in reversed(pairs):
        listed = f"(cons ({coq(w)}, {coq(v)}) {listed})"
    for w, v in pairs:
        product, total, plain = product * v**w, total + w * v, Expr("mul", (plain, Expr("pow", (v, w))))
    lines = side_children(seq, children[:-1])
    lines.append(f"assert (MG : mean_given {listed}) by (cbn [mean_given]; repeat split; bc_side).")
    lines.append(f"pose proof (weighted_means {listed} MG) as MW. cbn [mean_product mean_sum mean_weight] in MW.")
    other = chained(Equations(seq).prove(product, plain))
    lines.append(f"assert (ME : {coq(product)} = {coq(plain)}) by first [ring | {other}].")
    by = "rewrite ME; lapply MW; [intros MQ; lra | bc_field]"
    lines.append(f"assert (ML : {coq(product)} <= {coq(total)}) by ({by}).")
    return [*lines, f"{children[-1].use()}."]


def _round(node: Node, seq: Sequent, children: Children) -> list[str]:
    """A whole number above -1 is not negative: some multiple of the gap is a whole number."""
    gap = seq.goal.gap
    found = whole(gap, seq)
    if found is None:
        raise NotStated("a whole number that is not seen")
    times, form = found
    product, plain = Expr("mul", (num(times), gap)), to_expr(form)
    return [
        *side_children(seq, children[:-1]),
        proved("Y", children[-1]),
        *proved_equal("E", product, plain, seq),
        f"assert (N : 0 <= {coq(plain)}) by (apply whole_above; [bc_whole | rewrite <- E; lra]).",
        "lra.",
    ]


def _cover(node: Node, seq: Sequent, children: Children) -> list[str]:
    def go(tree: Any, box: dict[str, Interval], path: tuple[Relation, ...], depth: int = 0) -> list[str]:
        if tree == 0:
            if settled(seq.goal, box):
                return [settled_leaf(seq.with_hyps(*path), box)]
            return [against(next(h for h in seq.hyps if falsified(h, box)))]
        if tree == 1:
            return [next(f"{c.use()}." for c in children if c.sequent == seq.with_hyps(*path))]
        v, at, below, above = tree
        q = rational(at, "at")
        low, high = halves(box, v, q)
        out = [f"destruct (bc_cases {name(v)} {coq(num(q))}) as [W{depth} | W{depth}]."]
        for half, part, op in ((high, above, ">="), (low, below, "<=")):
            out.append("{")
            if half is None:
                out.append("  exfalso; lra.")
            else:
                r = Relation(op, var(v), num(q))
                kept = tuple(p for p in path if p.lhs is not r.lhs or p.op != op)
                out += [f"  {line}" for line in go(part, half, (*kept, r), depth + 1)]
            out.append("}")
        return out

    return [*box_lines(seq), *go(node.get("tree"), dict(seq.box or {}), ())]


def settled_leaf(seq: Sequent, box: dict[str, Interval]) -> str:
    """A tactic for a box that settles the goal."""
    slopes, cut = by_slopes(seq, box), boxed(sorted(seq.goal.free))
    many = ("bc_order; bc_extreme", "bc_plain", slopes, "bc_cover", cut)  # halves of many sides take long
    return f"{first(*('bc_cover', cut, slopes) if len(seq.goal.free) < 2 else many)}."


def against(h: Relation) -> str:
    """A tactic for a box on which a hypothesis fails."""
    return f"exfalso; bc_fails ({coq(h.lhs)}) ({coq(h.rhs)})."


def _ladder(node: Node, seq: Sequent, children: Children) -> list[str]:
    v, at, gap = name_of(node, "var", seq), formula(node, "at"), seq.goal.gap
    low, slope = node.get("end") == "low", derivative(gap, v)
    beyond = var(v) - at if low else at - var(v)
    start = substitute(gap, {v: at})
    at_face = (c for c in reversed(children) if v not in c.sequent.variables or c.sequent.goal.lhs is not gap)
    face = next((c for c in at_face if c.sequent.goal.lhs is start), None)
    inside_goals = [at_least(slope if low else -slope, s) for s in (False, True)]
    inside = next((c for c in reversed(children) if c.sequent.goal in inside_goals), None)
    if face is None or inside is None:
        raise NotStated("a ladder whose parts are not told apart")
    op, moving = order(inside.sequent.goal), MovingEnds.of(gap, v)
    x, t, end = name(v), f"{name(v)}_t", f"({coq(at)})"
    fun, dfun = (function(v, moving.put(coq(e))) for e in (gap, slope))
    others = [c for c in children if c.sequent.hyps == inside.sequent.hyps and c is not inside]
    known = [_there(f"O{k}", c, v, t) for k, c in enumerate(others)]
    told = "".join(f"try ({line}); " for line in known)
    half = f"{coq(at)} < {t} <= {x}" if low else f"{x} <= {t} < {coq(at)}"
    ends, halves_ = (f"{end} {x}", f"{end} {t}") if low else (f"{x} {end}", f"{t} {end}")
    seen = f"intros {t} I; try (assert (0 < {t}) by (destruct I; bc_implied)); cbv beta"
    at_end = f"destruct (Rle_lt_or_eq_dec {halves_}) as [IL | IL]; [lra | {told}bc_cont | subst {t}; bc_cont]"
    corner = f"[lra | {seen}; {told}bc_derive | intros {t} I; cbv beta; first [bc_cont | {at_end}] | exact S]"
    way, kind = "rising" if low else "falling", "_strictly" if op == "<" else ""
    closed = f"apply ({way}{kind} {fun} {dfun} {ends}); [lra | {seen}; bc_derive | exact S]"
    opened = f"apply ({way}_open{kind} {fun} {dfun} {ends}); {corner}"
    return [
        *side_children(seq, children),
        have(at_least(beyond, op == "<"), seq, children, "U"),
        proved("A", face),
        *moving.lines(x if low else end),
        f"assert (S : forall {t}, {half} -> 0 {op} {'' if low else '- '}({dfun} {t})).",
        "{",
        f"  intros {t} I. cbv beta. {moving.back()}",
        *(f"  {line}." for line in known),
        f"  {_there('O', inside, v, t)}. lra.",
        "}",
        f"assert (Y : {fun} {end} {op} {fun} {x}) by first [ {closed} | {opened} ].",
        f"cbv beta in Y. {moving.back(' in Y')}lra.",
    ]


def _there(label: str, child: Lemma, v: str, t: str) -> str:
    """An assertion of what a child says at the Coq name ``t`` for the variable ``v``."""
    goal = re.sub(rf"(?<![\w']){re.escape(name(v))}(?![\w'])", t, relation(child.sequent.goal))
    return f"assert ({label} : {goal}) by {child.use({v: t}, 'bc_inside')}"


RULES: dict[str, Callable[[Node, Sequent, Children], list[str]]] = {
    "case": _case, "step": _step, "equal": _equal, "unequal": _unequal, "drop": _drop, "cut": _cut,
    "factor": _factor, "monotone": _monotone, "peel": _peel, "substitute": _substitute, "scale": _scale,
    "means": _means, "cover": _cover, "ladder": _ladder, "round": _round, "enumerate": _enumerate,
}  # fmt: skip
