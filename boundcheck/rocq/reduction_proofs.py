"""Scripts for the rules that reduce a sequent to others: the proof of a lemma from its children's."""

from __future__ import annotations

from collections.abc import Callable, Mapping
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
from boundcheck.kernel.check.poly import add, multiply, thaw, to_expr
from boundcheck.kernel.check.reductions import relation as read_relation
from boundcheck.kernel.check.reductions import resolve
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.derivative import derivative
from boundcheck.kernel.enclosure.intervals import Interval
from boundcheck.kernel.formula import Expr, Relation, num, substitute, var
from boundcheck.rocq.box_bounds import box_lines, implied_lines
from boundcheck.rocq.coq_text import NotStated, coq, name, relation
from boundcheck.rocq.leaf_proofs import boxed, by_slopes
from boundcheck.rocq.moving_ends import MovingEnds
from boundcheck.rocq.powers import Equations
from boundcheck.rocq.scripts import chained
from boundcheck.rocq.shapes import Children, Lemma, premises


def have(goal: Relation, seq: Sequent, children: Children, label: str) -> str:
    """An assertion that a child proves, or that the box settles."""
    uses = "".join(f" | {c.use()}" for c in children if c.sequent.goal == goal and c.sequent.hyps == seq.hyps)
    return f"assert ({label} : {relation(goal)}) by first [ assumption{uses} | bc_side ]."


def side_children(seq: Sequent, children: Children) -> list[str]:
    """Every child with the sequent's own hypotheses as a fact (definedness and side conditions)."""
    lines = []
    for k, c in enumerate(children):
        if c.sequent.hyps == seq.hyps and c.sequent.integers == seq.integers and c.sequent.goal != seq.goal:
            lines.append(f"assert (S{k} : {relation(c.sequent.goal)}) by {c.use()}.")
    return lines


def _resolved(r: Relation, e: Expr, sign: int, seq: Sequent) -> list[tuple[Expr, Expr]]:
    """(kink, what it is) in the order in which ``resolve`` takes abs, min and max apart, innermost first."""
    found: dict[Expr, Expr] = {}

    def go(f: Expr) -> Expr:
        if f.op in ("num", "var", "const", "integral", "sum"):
            return f
        inner = Expr(f.op, tuple(go(a) for a in f.args), f.value)
        if f.op in ("abs", "min", "max"):
            value = resolve(inner, e, sign, seq)
            if value is not inner:
                found.setdefault(inner, value)
                return value
        return inner

    go(r.lhs)
    go(r.rhs)
    return list(found.items())


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
        kinks: dict[Expr, Expr] = {}
        for r in (*seq.hyps, seq.goal):
            for old, new in _resolved(r, e, sign, seq):
                kinks.setdefault(old, new)
        lines.append("{")
        hyps = [label for label, _ in premises(seq, seq.variables)]
        for k, (old, new) in enumerate(kinks.items()):
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
    product: Expr | None = None
    plain: Expr | None = None
    for k, f in enumerate(items(node, "factors")):
        e, s = formula(f, "text"), f["sign"]
        signed = e if s > 0 else -e
        lines.append(have(at_least(signed, goal.strict), seq, children, f"V{k}"))
        product = signed if product is None else Expr("mul", (product, signed))
        plain = e if plain is None else plain * e
    if product is None:
        return ["bc_settle."]
    op = "<" if goal.strict else "<="
    lines.append(f"assert (Y : 0 {op} {coq(product)}) by bc_factors.")
    lines.append(f"assert (E : {coq(goal.gap)} = {coq(product)}).")
    lines += ["{", *(f"  {line}" for line in Equations(seq).prove(goal.gap, product)), "}"]
    lines.append("lra.")
    return lines


def _monotone(node: Node, seq: Sequent, children: Children) -> list[str]:
    goal = seq.goal if seq.goal.op in ("<", "<=") else seq.goal.flipped()
    lines = side_children(seq, children[:-1])
    child = children[-1]
    fn = str(node.get("fn"))
    sides = [goal.lhs, goal.rhs] if fn in ("log", "power") else [goal.rhs] if fn == "square" else []
    for k, e in enumerate(sides):
        lines.append(have(at_least(e, fn == "log"), seq, children[:-1], f"V{k}"))
    lines.append(f"assert (Y : {relation(child.sequent.goal)}) by {child.use()}.")
    kind = "_lt" if goal.op == "<" else "_le"
    if fn == "power":
        return [*lines, *_by_power(goal, formula(node, "exponent"), kind, seq, children), "lra."]
    lemma = {"log": "by_log", "exp": "by_exp", "square": "by_square"}[fn] + kind
    lines.append(f"assert (Z : {relation(goal)}) by (apply {lemma}; bc_given).")
    return [*lines, "lra."]


def _by_power(goal: Relation, r: Expr, kind: str, seq: Sequent, children: Children) -> list[str]:
    """From a**r <= b**r to a <= b: a power with a natural exponent, or any positive one."""
    whole = r.op == "num" and r.value.denominator == 1
    if whole:
        apply = f"apply (by_nth{kind} {int(r.value) - 1})"
    else:
        apply = f"apply (by_power{kind} ({coq(r)}))"
    rest = [] if whole else [have(at_least(r, True), seq, children, "VR")]
    return [*rest, f"assert (Z : {relation(goal)}) by ({apply}; bc_given)."]


def _peel(node: Node, seq: Sequent, children: Children) -> list[str]:
    goal = seq.goal
    a, b = read(node.get("upper"), "upper"), read(node.get("lower"), "lower")
    c = formula(node, "factor") if "factor" in node else num(1)
    lines = side_children(seq, children[:-1])
    child = children[-1]
    lines.append(f"assert (Y : {relation(child.sequent.goal)}) by {child.use()}.")
    op = "<" if goal.strict else "<="
    lemma = {"exp": "up_exp", "log": "up_log", "sqrt": "up_sqrt", "atan": "up_atan"}.get(a.op)
    if lemma is None:
        raise NotStated(f"that {a.op} increases")
    lines.append(f"assert (Z : {coq(b)} {op} {coq(a)}) by (apply {lemma}_{'lt' if goal.strict else 'le'}; bc_given).")
    lines.append(have(at_least(c, True), seq, children, "V"))
    product = Expr("mul", (c, Expr("sub", (a, b))))
    lines.append(f"assert (Q : 0 {op} {coq(product)}) by ({'bc_product_strict' if goal.strict else 'bc_product'}).")
    lines.append(f"assert (E : {coq(goal.gap)} = {coq(product)}).")
    lines += ["{", *(f"  {line}" for line in Equations(seq).prove(goal.gap, product)), "}"]
    return [*lines, "lra."]


def _substitute(node: Node, seq: Sequent, children: Children) -> list[str]:
    v, new = name_of(node, "var", seq), str(node["new"])
    by, inverse = formula(node, "by"), formula(node, "inverse")
    back = substitute(by, {new: inverse})
    lines = side_children(seq, children[:-1])
    lines.append(f"assert (E : {coq(back)} = {name(v)}).")
    lines += ["{", *(f"  {line}" for line in Equations(seq).prove(back, var(v))), "}"]
    for k, source in enumerate(items(node, "facts") if "facts" in node else []):
        fact = read_relation(source).map(lambda e: substitute(e, {new: inverse}))
        lines.append(have(fact, seq, children[:-1], f"V{k}"))
    child = children[-1]
    values = {new: inverse}
    terms = [f"({coq(values.get(w, var(w)))})" for w in child.sequent.variables]
    lines.append(f"pose proof ({' '.join([child.name, *terms])}) as Y.")
    lines.append("rewrite !E in Y." if back.free else f"subst {name(v)}.")
    return [*lines, "apply Y; bc_given."]


def _scale(node: Node, seq: Sequent, children: Children) -> list[str]:
    """The child at v / unit^(w_v/w_unit); each hypothesis and the goal differ by a power of the unit."""
    weights = {v: rational(w, "weight") for v, w in node["weights"].items()}
    unit = str(node["unit"])
    u = var(unit)
    moved: dict[str, Expr] = {}
    for v, w in weights.items():
        if v != unit:
            q = w / weights[unit]
            moved[v] = var(v) / (u ** num(q)) if q else var(v)
    values: dict[str, Expr] = dict(moved.items())
    lines = [have(at_least(u, True), seq, children[:-1], "U")]
    child = children[-1]
    for k, r in enumerate((*seq.hyps, seq.goal)):
        there = r.map(lambda e: substitute(substitute(e, {unit: num(1)}), values))
        power = _degree(r, moved, seq, unit, there)
        if power is None:
            continue
        gap = Expr("mul", (power, there.gap))
        lines.append(f"assert (ES{k} : {coq(r.gap)} = {coq(gap)}).")
        lines += ["{", *(f"  {line}" for line in Equations(seq).prove(r.gap, gap)), "}"]
        lines.append(f"assert (PS{k} : 0 < {coq(power)}) by bc_sgn.")
        op = {"<": "<", ">": "<", "<=": "<=", ">=": "<=", "==": "=", "!=": "<>"}[r.op]
        if k < len(seq.hyps):
            zero = f"{coq(there.gap)} {op} 0" if op in ("=", "<>") else f"0 {op} {coq(there.gap)}"
            step = f"apply (scaled_{_word(op)} ({coq(power)})); [exact PS{k} | rewrite <- ES{k}; lra]"
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


def _word(op: str) -> str:
    return {"<": "lt", "<=": "le", "=": "eq", "<>": "ne"}[op]


def _degree(r: Relation, moved: Mapping[str, Expr], seq: Sequent, unit: str, there: Relation) -> Expr | None:
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
    v, first, last = name_of(node, "var", seq), int(node["from"]), int(node["to"])
    place = sorted(seq.integers & set(seq.variables)).index(v)
    lines: list[str] = []
    values = list(range(first, last + 1))
    rest = list(children[len(values) :])
    below = next((c for c in rest if c.sequent.hyps[-1] == Relation("<=", var(v), num(first - 1))), None)
    above = next((c for c in rest if c.sequent.hyps[-1] == Relation(">=", var(v), num(last + 1))), None)
    lines += box_lines(seq)
    lines.append(f"destruct (int_split {name(v)} ({first - 1}) I{place} ) as [W | W].")
    lines.append("{ " + (f"{below.use()}." if below else "exfalso; first [lra | bc_contradiction].") + " }")
    for k, child in zip(values, children, strict=False):
        lines.append(f"simpl Z.add in W. destruct (int_split {name(v)} ({k}) I{place}) as [W' | W'].")
        lines.append("{")
        lines.append(f"  assert (X : {name(v)} = {coq(num(k))}) by lra. clear W W'. subst {name(v)}.")
        lines.append(f"  {child.use()}.")
        lines.append("}")
        lines.append("clear W. rename W' into W.")
    lines.append("simpl Z.add in W.")
    lines.append(f"{above.use()}." if above else "exfalso; first [lra | bc_contradiction].")
    return lines


def _means(node: Node, seq: Sequent, children: Children) -> list[str]:
    """The product of values to their weights is at most the sum of weights times values."""
    product, total, plain = num(1), num(0), num(1)
    listed = "nil"
    for term in reversed(items(node, "terms")):
        w, v = formula(term, "weight"), formula(term, "value")
        listed = f"(cons ({coq(w)}, {coq(v)}) {listed})"
    for term in items(node, "terms"):
        w, v = formula(term, "weight"), formula(term, "value")
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
    child = children[-1]
    lines = side_children(seq, children[:-1])
    lines.append(f"assert (Y : {relation(child.sequent.goal)}) by {child.use()}.")
    lines.append(f"assert (E : {coq(product)} = {coq(plain)}).")
    lines += ["{", *(f"  {line}" for line in Equations(seq).prove(product, plain)), "}"]
    lines.append(f"assert (N : 0 <= {coq(plain)}) by (apply whole_above; [bc_whole | rewrite <- E; lra]).")
    return [*lines, "lra."]


def _cover(node: Node, seq: Sequent, children: Children) -> list[str]:
    lines = box_lines(seq)
    waiting = {id(c): c for c in children}

    def go(tree: Any, box: dict[str, Interval], path: tuple[Relation, ...], depth: int = 0) -> list[str]:
        if tree == 0:
            if settled(seq.goal, box):
                return [settled_leaf(seq.with_hyps(*path), box)]
            return [against(next(h for h in seq.hyps if falsified(h, box)))]
        if tree == 1:
            wanted = seq.with_hyps(*path)
            child = next(c for c in waiting.values() if c.sequent == wanted)
            return [f"{child.use()}."]
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

    return [*lines, *go(node.get("tree"), dict(seq.box or {}), ())]


def settled_leaf(seq: Sequent, box: dict[str, Interval]) -> str:
    """A tactic for a box that settles the goal."""
    slopes, cut = by_slopes(seq, box), boxed(sorted(seq.goal.free))
    many = ("bc_order; bc_extreme", "bc_plain", slopes, "bc_cover", cut)  # halves of many sides take long
    ways = ("bc_cover", cut, slopes) if len(seq.goal.free) < 2 else many
    return f"first [{' | '.join(filter(None, ways))}]."


def against(h: Relation) -> str:
    """A tactic for a box on which a hypothesis fails."""
    return f"exfalso; bc_fails ({coq(h.lhs)}) ({coq(h.rhs)})."


def _ladder(node: Node, seq: Sequent, children: Children) -> list[str]:
    goal = seq.goal
    v = name_of(node, "var", seq)
    low = node.get("end") == "low"
    at, x, gap = formula(node, "at"), var(v), goal.gap
    slope = derivative(gap, v)
    beyond = x - at if low else at - x
    face_goals = [c for c in children if v not in c.sequent.variables or c.sequent.goal.lhs is not gap]
    strict_slope = goal.strict and node.get("strict") == "slope"
    face_goal = at_least(substitute(gap, {v: at}), goal.strict and not strict_slope)
    inside_goals = [at_least(slope if low else -slope, s) for s in (False, True)]
    face = next((c for c in reversed(face_goals) if c.sequent.goal.lhs is face_goal.lhs), None)
    inside = next((c for c in reversed(children) if c.sequent.goal in inside_goals), None)
    if face is None or inside is None:
        raise NotStated("a ladder whose parts are not told apart")
    strict_slope = inside.sequent.goal.strict
    lines = side_children(seq, children)
    lines.append(have(at_least(beyond, strict_slope), seq, children, "U"))
    lines.append(f"assert (A : {relation(face.sequent.goal)}) by {face.use()}.")
    t = f"{name(v)}_t"
    ends_moved = MovingEnds.of(gap, v)
    lines += ends_moved.lines(name(v) if low else f"({coq(at)})")
    fun = f"(fun {name(v)} : R => {ends_moved.put(coq(gap))})"
    dfun = f"(fun {name(v)} : R => {ends_moved.put(coq(slope))})"
    others = [c for c in children if c.sequent.hyps == inside.sequent.hyps and c is not inside]
    half = f"{coq(at)} < {t} <= {name(v)}" if low else f"{name(v)} <= {t} < {coq(at)}"
    op = "<" if strict_slope else "<="
    sign = "" if low else "- "
    lines.append(f"assert (S : forall {t}, {half} -> 0 {op} {sign}({dfun} {t})).")
    lines.append("{")
    lines.append(f"  intros {t} I. cbv beta. {ends_moved.back()}")
    for k, c in enumerate(others):
        lines.append(f"  assert (O{k} : {_at(c, v, t)}) by {c.use({v: t}, 'bc_inside')}.")
    lines.append(f"  assert (O : {_at(inside, v, t)}) by {inside.use({v: t}, 'bc_inside')}. lra.")
    lines.append("}")
    lemma = ("rising" if low else "falling") + ("_strictly" if strict_slope else "")
    ends = f"({coq(at)}) {name(v)}" if low else f"{name(v)} ({coq(at)})"
    y = f"{fun} ({coq(at)}) {op} {fun} {name(v)}"
    seen = f"intros {t} I; try (assert (0 < {t}) by (destruct I; bc_implied)); cbv beta"
    derive = f"[lra | {seen}; bc_derive | exact S]"
    told = "".join(
        f"try (assert (O{k} : {_at(c, v, t)}) by {c.use({v: t}, 'bc_inside')}); " for k, c in enumerate(others)
    )
    lower, upper = (f"({coq(at)})", t) if low else (t, f"({coq(at)})")
    at_end = f"destruct (Rle_lt_or_eq_dec {lower} {upper}) as [IL | IL]; [lra | {told}bc_cont | subst {t}; bc_cont]"
    corner = f"[lra | {seen}; {told}bc_derive | intros {t} I; cbv beta; first [bc_cont | {at_end}] | exact S]"
    closed = f"apply ({lemma} {fun} {dfun} {ends}); {derive}"
    opened = f"apply ({lemma.replace('ing', 'ing_open', 1)} {fun} {dfun} {ends}); {corner}"
    lines.append(f"assert (Y : {y}) by first [ {closed} | {opened} ].")
    return [*lines, f"cbv beta in Y. {ends_moved.back(' in Y')}lra."]


def _at(lemma: Lemma, v: str, t: str) -> str:
    """The goal of a lemma with the Coq name ``t`` for the variable v."""
    import re

    return re.sub(rf"(?<![\w']){re.escape(name(v))}(?![\w'])", t, relation(lemma.sequent.goal))


RULES: dict[str, Callable[[Node, Sequent, Children], list[str]]] = {
    "case": _case, "step": _step, "equal": _equal, "unequal": _unequal, "drop": _drop, "cut": _cut,
    "factor": _factor, "monotone": _monotone, "peel": _peel, "substitute": _substitute, "scale": _scale,
    "means": _means, "cover": _cover, "ladder": _ladder, "round": _round, "enumerate": _enumerate,
}  # fmt: skip
