"""Scripts for the leaves of certificates: a box, a hypothesis, an identity, a combination, a polynomial on a box."""

from __future__ import annotations

from collections.abc import Callable, Iterable

from boundcheck.kernel.check.nodes_read import ORDER, Node, at_least, formula, items, rational
from boundcheck.kernel.check.poly import AlgebraLimit, add, fraction
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import Interval
from boundcheck.kernel.enclosure.straight_line import exact_of, fraction_of
from boundcheck.kernel.formula import Expr, Relation, num, substitute, var
from boundcheck.rocq.box_bounds import (
    between,
    bound,
    box_lines,
    ends,
    implied_lines,
    number_lines,
    pinned,
    points,
    range_lines,
)
from boundcheck.rocq.coq_text import NotStated, coq, function, name, order
from boundcheck.rocq.equal_parts import equal
from boundcheck.rocq.exponents import HYPERBOLIC, rewritten
from boundcheck.rocq.powers import Equations, proved_equal
from boundcheck.rocq.scripts import branches, chained
from boundcheck.rocq.shapes import first


def _eval(node: Node, seq: Sequent) -> list[str]:
    if seq.box is None:
        return ["exfalso.", "first [lra | bc_contradiction | nra | bc_roots; nra]."]
    places = points(seq)
    if places:
        lines = [
            f"assert (P_{name(v)} : {name(v)} = {coq(q)}) by (apply Rle_antisym; lra). subst {name(v)}."
            for v, q in places.items()
        ]
        return [*lines, "rewrite ?rpw_zero, ?sqrt_0.", *_eval(node, seq.substituted(places))]
    return [*box_lines(seq), *number_lines(seq), *range_lines(seq), *_settle(seq, int(node.get("bits", 0)))]


def boxed(variables: Iterable[str]) -> str:
    """A tactic for a goal on a box: interval arithmetic, the box cut in halves as often as that needs."""
    cuts = [f"i_bisect {name(v)}" for v in variables]
    if not cuts:
        return "bc_closed"
    v = cuts[0].split()[1]
    one = (
        f" | timeout 10 interval with ({cuts[0]}, i_taylor {v}) | "
        f"timeout 15 interval with ({cuts[0]}, i_taylor {v}, i_degree 12, i_prec 110)"
    )
    one = one if len(cuts) == 1 else ""
    plain = f"bc_bounds; bc_gap; bc_to_exp; first [timeout 10 interval with ({', '.join(cuts)}){one}]"
    return f"first [bc_split_box {v} 5%nat | {plain}]" if len(cuts) == 1 else f"({plain})"


def _floors(seq: Sequent) -> list[str]:
    """Tactics for an equation that gives the floor or ceiling of a number."""
    found = []
    for side, other in (seq.goal.sides, (seq.goal.rhs, seq.goal.lhs)):
        if side.op not in ("floor", "ceil") or side.free:
            continue
        value = enclose(other, {})
        if value is None or not value[0].is_finite():
            continue
        n = round(fraction_of(value[0]))
        turn = "" if side is seq.goal.lhs else "symmetry; "
        number_ = f"(transitivity (IZR ({n})); [| lra])"
        digits = 2 * abs(n).bit_length() + 200
        found.append(f"({turn}{number_}; apply {side.op}_is; simpl Z.add; split; interval with (i_prec {digits}))")
    return found


def _settle(seq: Sequent, bits: int = 0) -> list[str]:
    goal = seq.goal
    zeros = f"({pinned(seq)}bc_zeros)"
    if goal.op == "==":
        ways = ["lra", *_floors(seq), "timeout 5 ring", "bc_field", zeros, "bc_settle", "exfalso; bc_contradiction"]
        return [f"{first(*ways)}."]
    if not goal.free and not any(n.op == "var" for n in goal.walk()):
        finer = f" | bc_order; bc_to_exp; timeout 30 interval with (i_prec {bits + 64})" if bits else ""
        return [*_zero_bases(seq), f"first [bc_closed | bc_settle{finer} | exfalso; bc_contradiction]."]
    slopes = by_slopes(seq, dict(seq.box or {})) if seq.box else ""
    ways = ["bc_settle", "bc_log_bound", zeros, "bc_box", boxed(sorted(goal.free)), slopes]
    return [f"{first(*ways, 'exfalso; bc_contradiction')}."]


def _zero_bases(seq: Sequent) -> list[str]:
    """Rewrites of powers and roots of numbers that are 0 but not written so, each tried."""
    lines: list[str] = []
    for n in dict.fromkeys(seq.goal.walk()):
        if n.op in ("pow", "sqrt") and n.args[0] is not num(0) and seq.algebra.is_zero(n.args[0]):
            lines.append(f"try (replace ({coq(n.args[0])}) with 0 by lra; rewrite ?rpw_zero, ?sqrt_0).")
    return lines


def _hypothesis(node: Node, seq: Sequent) -> list[str]:
    return same_as_hypothesis(seq) or ["first [assumption | lra | bc_settle]."]


def same_as_hypothesis(seq: Sequent) -> list[str]:
    """The script for a goal that is a hypothesis up to rearrangement and a positive factor; [] for any other."""
    goal = seq.goal
    if goal.op not in ORDER:
        return []
    for h in seq.hyps:
        if h.op not in ORDER or (goal.strict and not h.strict) or h.free != goal.free:
            continue
        try:
            wanted, given = seq.algebra.normal(goal.gap), seq.algebra.normal(h.gap)
        except AlgebraLimit:
            continue
        m = next(iter(wanted.num), None)
        if m is None or wanted.den != given.den or m not in given.num:
            continue
        factor = wanted.num[m] / given.num[m]
        if factor > 0 and not add(wanted.num, given.num, -factor):
            other = Expr("mul", (num(fraction(factor)), h.gap))
            known = f"assert (G : 0 {order(h)} {coq(h.gap)}) by lra."
            return [*proved_equal("E", goal.gap, other, seq), known, "lra."]
    return []


def _identity(node: Node, seq: Sequent) -> list[str]:
    goal = seq.goal
    if goal.op == "defined":
        return ["bc_side."]
    head = [] if goal.op == "==" else [f"cut ({coq(goal.lhs)} = {coq(goal.rhs)}); [lra |]."]
    found = Equations(seq).prove(goal.lhs, goal.rhs)
    inside = list(goal.walk())
    before = ""
    if any(n.op in HYPERBOLIC for n in inside):
        before = "bc_hyperbolic"
    elif any(
        n.op in ("sin", "cos", "tan") and any(a.op in ("asin", "acos", "atan") for a in n.walk()) for n in inside
    ):
        before = "solve [progress bc_inverse; bc_equal]"
    return [*head, f"first [{before} | {chained(found)}]."] if before else [*head, *found]


def same_values(seq: Sequent) -> list[str]:
    """Rewrites of exponentials, logarithms and roots whose arguments are equal but written differently, each tried."""
    known: dict[Expr, Expr] = {}
    lines: list[str] = []

    def merged(e: Expr) -> Expr:
        if e.op not in ("exp", "log", "sqrt") or not e.free:
            return e
        if e not in known:
            others = (o for o in known.values() if o.op == e.op)
            known[e] = next((o for o in others if equal(e.args[0] - o.args[0], seq.algebra)), e)
            if known[e] is not e:
                same, h = f"{coq(e)} = {coq(known[e])}", f"XQ{len(lines)}"
                lines.append(f"try (assert ({h} : {same}) by (f_equal; bc_field); rewrite {h} in *).")
        return known[e]

    for r in (*seq.hyps, seq.goal):
        r.map(lambda side: rewritten(side, merged))
    return lines


def _farkas(node: Node, seq: Sequent) -> list[str]:
    """0 <= scale * gap = sum of terms, each a product of nonnegative factors."""
    if all("square" not in t and len(t.get("hyps") or ()) == 1 for t in items(node, "terms")):
        merged = same_values(seq)
        if merged:  # then the goal is linear in the hypotheses
            whole = _combination(node, seq)
            if branches(whole):
                return [*merged, "first [lra | nra]."]
            linear = chained([*merged, "first [lra | timeout 10 nra]."])
            return [f"first [solve [{linear}] | {chained(whole)}]."]
    return _combination(node, seq)


def _combination(node: Node, seq: Sequent) -> list[str]:
    """The combination written out: each product, their sum, the gap."""
    factor = formula(node, "scale") if "scale" in node else num(1)
    goal, gap = seq.goal, seq.goal.gap
    lines, total = [], num(0)
    known: dict[str, None] = {}  # what the hypotheses say, before anything that is long
    for k, term in enumerate(items(node, "terms"), 1):
        c, hyps = rational(term.get("c"), "c"), [seq.hyps[i] for i in term.get("hyps") or []]
        times = formula(term, "times") if "times" in term else num(1)
        if "square" in term:
            square = Expr("pow", (formula(term, "square"), num(2)))
            times = square if times is num(1) else Expr("mul", (times, square))
        product = Expr("mul", (num(c), times)) if times is not num(1) else num(c)
        for h in hyps:
            product = Expr("mul", (product, h.gap))
        total = total + product
        zero = next((coq(h.gap) for h in reversed(hyps) if h.op == "=="), "")
        if zero:
            lines.append(f"assert (F{k} : {coq(product)} = 0) by (assert (Z : {zero} = 0) by lra; rewrite Z; ring).")
            continue
        known |= dict.fromkeys(f"0 {order(h)} {coq(h.gap)}" for h in hyps)
        weak = f"assert (F{k} : 0 <= {coq(product)}) by bc_product"
        strict = goal.strict and c > 0 and "square" not in term and all(h.strict for h in hyps)
        tried = f"first [ assert (F{k} : 0 < {coq(product)}) by bc_product_strict | {weak} ]"
        lines.append(f"{tried if strict else weak}.")
    lines = [*implied_lines(seq), *(f"assert (G{i} : {text}) by lra." for i, text in enumerate(known)), *lines]
    scaled = gap if factor is num(1) else Expr("mul", (factor, gap))
    lines += proved_equal("E", scaled, total, seq, short=True)
    more = f"assert (Y : 0 {order(goal)} {coq(gap)}) by"
    if factor is num(1):
        return [*lines, f"first [solve [{more} (rewrite E; bc_sum); clear - Y; lra] | lra | nra]."]
    lemma = f"scaled_{'lt' if goal.strict else 'le'} ({coq(factor)})"
    return [*lines, f"{more} (apply ({lemma}); [bc_side | rewrite E; lra]).", "lra."]


def directly(node: Node, seq: Sequent) -> str:
    """A tactic for an expansion: at once, or by the signs of derivatives from an end on."""
    v, goal = str(node.get("var")), seq.goal
    direct = f"bc_settle | bc_box | {boxed(sorted(goal.free))} | exfalso; bc_contradiction"
    low = node.get("side") != -1
    at = formula(node, "at") if node.get("at") != "oo" else _end(seq, v, low)
    if at is None or goal.op not in ORDER or v in at.free:
        return f"first [{direct}]"
    try:
        step = _slopes(goal.gap, v, at, low, seq, 3)
    except (NotDifferentiable, NotStated, AlgebraLimit, ValueError, ArithmeticError):
        return f"first [{direct}]"
    slow = f"assert (G : 0 {order(goal)} {coq(goal.gap)}) by {step}; lra"
    start = enclose(substitute(goal.gap, {v: at}), {w: a for w, a in (seq.box or {}).items() if w != v})
    tie = start is None or bool(start[0] <= 0)
    if tie and any(n.op in ("erf", "erfc") for n in goal.gap.walk()):  # cutting the box in halves would take long
        return f"first [{slow} | {direct}]"
    return f"first [{direct} | {slow}]"


def _end(seq: Sequent, v: str, low: bool) -> Expr | None:
    """The bound of v that the box has, as a number."""
    a = (seq.box or {}).get(v)
    q = None if a is None else bound(a[0] if low else a[1], low)
    return None if q is None else num(q)


def _slopes(gap: Expr, v: str, at: Expr, low: bool, seq: Sequent, depth: int, corner: str = "") -> str:
    """One tactic: gap >= 0 (> 0 of a strict goal) since it is at ``at`` and its derivative has a sign from there on.

    That sign is found the same way. ``corner`` is a tactic for the gap at ``at`` that is tried first.
    """
    op = order(seq.goal)
    slope = derivative(gap, v)
    t = f"{v}_{depth}"
    f, d = function(v, gap), function(v, slope)
    face = substitute(gap, {v: at})
    ways = [corner, "bc_side", boxed(sorted(face.free)) if face.free else ""]
    if op == "<=":  # with an error function the signs take long where it is 0
        zero = f"apply Req_le; symmetry; {chained(Equations(seq).prove(face, num(0)))}"
        ways.insert(1 if any(n.op in ("erf", "erfc") for n in gap.walk()) else 2, zero)
    start = f"assert (A{depth} : 0 {op} {coq(face)}) by {first(*ways)}"
    range_ = f"({coq(at)}) {name(v)}" if low else f"{name(v)} ({coq(at)})"
    inner = substitute(slope if low else -slope, {v: var(t)})
    more = "fail"
    if depth > 1:
        further = seq.substituted({v: var(t)}).with_goal(Relation(">=", inner, num(0)))
        more = _slopes(inner, t, at, low, further, depth - 1)
    free = sorted(inner.free)
    told = "".join(
        f"try (assert ({between(q, '<=', name(t), down)}) by (destruct I{depth}; lra)); "
        for q, _, down in (ends(seq.box[v]) if seq.box and v in seq.box else ())
    )
    signs = f"lra | bc_plain | bc_bounds; bc_order; timeout 10 bc_sgn | {boxed(free)} | bc_settle | {more}"
    have = f"({told}first [{signs}])"
    lemma = "rising" if low else "falling"
    pieces = f"[lra | intros {name(t)} I{depth}; cbv beta; bc_derive | intros {name(t)} I{depth}; cbv beta; {have}]"
    step = "Rlt_le_trans" if op == "<" else "Rle_trans"
    uses = f"eapply {step}; [exact A{depth} | apply ({lemma} {f} {d} {range_}); {pieces}]"
    return f"({start}; {uses})"


def by_slopes(seq: Sequent, box: dict[str, Interval]) -> str:
    """A tactic for a goal that a derivative's sign takes to a face of the box; "" where none does."""
    goal = seq.goal
    if goal.op not in ORDER:
        return ""
    for v in sorted(goal.gap.free):
        try:
            s = enclose(derivative(goal.gap, v), box)
            if s is None or box[v][0] == box[v][1]:
                continue
            faces = ((True, bool(s[0] >= 0), box[v][0]), (False, bool(s[1] <= 0), box[v][1]))
            for low, fits, end in faces:
                if not fits:
                    continue
                if end.is_finite():
                    at = num(bound(end, low) or fraction(exact_of(end)))
                    face = at_least(substitute(goal.gap, {v: at}), goal.strict)
                    corner = by_slopes(seq.with_goal(face), {w: a for w, a in box.items() if w != v})
                    step = _slopes(goal.gap, v, at, low, seq, 1, corner)
                    return f"(assert (G : 0 {order(goal)} {coq(goal.gap)}) by {step}; lra)"
        except (NotDifferentiable, NotStated, AlgebraLimit, ValueError, ArithmeticError):
            continue
    return ""


LEAVES: dict[str, Callable[[Node, Sequent], list[str]]] = {
    "eval": _eval, "hypothesis": _hypothesis, "identity": _identity, "farkas": _farkas,
}  # fmt: skip
