"""One real variable: bisection with Taylor leaves, expansions at ends, at infinity and at contact points."""

from __future__ import annotations

from contextlib import suppress
from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from boundcheck.decide.scalar.covers import midpoint
from boundcheck.decide.scalar.prover import Node, Prover, slope_of
from boundcheck.kernel.check.cover_rule import halves
from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Box, Refused, Sequent, isolated
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, Relation, call, const, num, substitute, text, var

WIDTHS = tuple(Fraction(1, 2**k) for k in (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 27, 40, 60))
LARGEST_END = 2**4096  #: a larger finite end of a box is not written out as a fraction
ORDERS = (6, 12, 18)  #: of expansions
MAX_BOXES = 3000
MAX_SPLITS = 60
MAX_TRIES = 5  #: expansions at one point of contact, on ever smaller boxes


def univariate(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic: a cover of the interval whose delicate pieces are expansions."""
    if len(seq.variables) != 1 or seq.goal.op not in ORDER:
        return None
    box = seq.box
    if box is None:
        return {"rule": "eval"}
    return _Interval(p, seq, seq.variables[0], box).bisect(seq, depth)


def constant_bounds(hyps: tuple[Relation, ...], v: str, end: str) -> list[Expr]:
    """Constant formulas that hypotheses state as lower (``low``) or upper (``high``) bounds of v."""
    wanted = (">", ">=", "==") if end == "low" else ("<", "<=", "==")
    found = (isolated(h, v) for h in hyps)
    return [r.rhs for r in found if r is not None and not r.rhs.free and r.op in wanted]


class _Interval:
    def __init__(self, p: Prover, seq: Sequent, v: str, box: Box):
        self.p, self.seq, self.v, self.box = p, seq, v, box
        self.count = 0
        self.failed_contacts: dict[str, int] = {}
        self.hopeless: set[str] = set()

    def ends(self, seq: Sequent) -> dict[str, Expr | None]:
        """Formulas of the two ends: a literal bound, else the exact end of the box; None at infinity."""
        box = (seq.box or {})[self.v]
        out: dict[str, Expr | None] = {}
        for key, end, k in (("low", box[0], 0), ("high", box[1], 1)):
            found: Expr | None = None
            if NINF < end < INF:
                for bound in constant_bounds(seq.hyps, self.v, key):
                    value = enclose(bound, {})
                    if value is not None and value[k] == end:
                        found = bound
                        break
                if found is None and abs(end) < LARGEST_END:
                    found = num(fraction_of(end))
            out[key] = found
        return out

    def bisect(self, seq: Sequent, depth: int) -> Node | None:
        tree = self.tree(seq, dict(seq.box or {}), 0, depth)
        if tree is None:
            return None
        if tree[0] == 0:
            return {"rule": "eval"}
        encoded, nodes = tree
        # children in the order in which the rule emits them
        node: Node = {"rule": "cover", "tree": encoded}
        return {**node, "then": nodes} if nodes else node

    def tree(self, seq: Sequent, box: Box, level: int, depth: int) -> tuple[Any, list[Node]] | None:
        self.p.clock()
        self.count += 1
        if self.count > MAX_BOXES:
            return None
        if settled(seq.goal, box) or any(falsified(h, box) for h in seq.hyps):
            return 0, []
        touches = self.touching(box)
        if level >= 12 and not self.bounded(box):
            return None
        if level >= 3 or not self.bounded(box):
            for end in touches:
                if end in self.hopeless:
                    continue
                node = self.expand_end(seq, box, end, depth)
                if node is not None:
                    return node
        if level >= 12 and level % 4 == 0 and self.bounded(box):
            node = self.contact(seq, box, depth)
            if node is not None:
                return node
        if level > MAX_SPLITS:
            self.p.stuck.append(f"{self.v} near {box[self.v][0].str(12, radius=False)}")
            self.p.boxes_stuck.append({self.v: (float(box[self.v][0]), float(box[self.v][1]))})
            return None
        at = midpoint(box[self.v])
        return self.join(seq, box, at, level, depth)

    def join(self, seq: Sequent, box: Box, at: Fraction, level: int, depth: int) -> tuple[Any, list[Node]] | None:
        low, high = halves(box, self.v, at)
        parts: list[Any] = []
        nodes: list[Node] = []
        for half in (low, high):
            if half is None:
                parts.append(0)
                continue
            part = self.tree(seq, half, level + 1, depth)
            if part is None:
                return None
            parts.append(part[0])
            nodes += part[1]
        return [self.v, str(at), *parts], nodes

    def bounded(self, box: Box) -> bool:
        return bool(box[self.v][0] > NINF and box[self.v][1] < INF)

    def touching(self, box: Box) -> list[str]:
        here, whole = box[self.v], self.box[self.v]
        return [k for k, i in (("low", 0), ("high", 1)) if here[i] == whole[i]]

    def node(self, at: Expr | None, side: int, order: int, width: Fraction) -> Node:
        """The expansion at a point, or at infinity."""
        where: Node = {"rule": "expansion", "var": self.v, "at": "oo" if at is None else text(at)}
        return {**where, "side": -side if at is None else side, "order": order, "width": str(width)}

    def expand_end(self, seq: Sequent, box: Box, end: str, depth: int) -> tuple[Any, list[Node]] | None:
        """Cut off the part of the box next to an end of the domain and prove it by an expansion."""
        at = self.ends(seq)[end]
        side = 1 if end == "low" else -1
        lo, hi = box[self.v][0], box[self.v][1]
        value = None if at is None else enclose(at, {})
        if at is not None and value is None:
            return None
        orders, widths = iter(ORDERS), iter(WIDTHS)
        order, width = next(orders), next(widths)
        while True:
            far = -side / width
            if value is not None:
                far = fraction_of(value[1] if side < 0 else value[0]) + side * width * Fraction(7, 8)
            c = arb(fmpq(far.numerator, far.denominator))
            cut = far if (c < hi if side > 0 else c > lo) else None  # the box lies wholly inside
            part = self.expansion(seq, box, self.node(at, side, order, width), cut, side, depth)
            if part is None:
                return None
            if isinstance(part, str):
                finer = any(why in part for why in ("width", "not bounded", "remainder"))
                found = next(orders, None) if _cancels(part) else next(widths, None) if finer else None
                if found is None:
                    if not (finer or _cancels(part)):
                        self.hopeless.add(end)
                    return None
                order, width = (found, width) if isinstance(found, int) else (order, found)
                continue
            if cut is None:
                return 1, [part]
            low, high = halves(box, self.v, cut)
            rest = high if side > 0 else low
            if rest is None:
                return 1, [part]
            other = self.tree(seq, rest, 0 if at is None else 4, depth)
            if other is None:
                return None
            if side > 0:
                return [self.v, str(cut), 1, other[0]], [part, *other[1]]
            return [self.v, str(cut), other[0], 1], [*other[1], part]

    def piece(self, seq: Sequent, box: Box, cut: Fraction | None = None, side: int = 0) -> Sequent:
        """The sequent on a box, or on the part of it up to ``cut``."""
        bounds = [] if cut is None else [Relation("<=" if side > 0 else ">=", var(self.v), num(cut))]
        for i, op, beyond in ((0, ">=", -1), (1, "<=", 1)):
            if box[self.v][i] != self.box[self.v][i] and (cut is None or side != beyond):
                bounds.append(Relation(op, var(self.v), num(fraction_of(box[self.v][i]))))
        return seq.with_hyps(*bounds)

    def expansion(
        self, seq: Sequent, box: Box, node: Node, cut: Fraction | None, side: int, depth: int
    ) -> Node | str | None:
        """The expansion node, proved on the piece of the box up to ``cut``; the verifier's reason if it refuses."""
        piece = self.piece(seq, box, cut, side)
        self.p.clock()
        try:
            left: list[Sequent] | None = refine(node, piece, self.p.clock)
        except Refused as refusal:
            reason = str(refusal)
            if "wrong sign" not in reason:
                return reason
            left = self.absurd(node, piece)
        return None if left is None else self.p.completed(node, left, lambda s: self.p.prove(s, min(depth - 1, 5)))

    def absurd(self, node: Node, piece: Sequent) -> list[Sequent] | None:
        """The same expansion, but showing that a hypothesis fails next to the point."""
        for i, h in enumerate(piece.hyps):
            if h.op in ORDER and h.lhs.op != "var" and h.rhs.op != "var" and h.free:
                with suppress(Refused):
                    left = refine({**node, "absurd": i}, piece, self.p.clock)
                    node["absurd"] = i
                    return left
        return None

    def contact(self, seq: Sequent, box: Box, depth: int) -> tuple[Any, list[Node]] | None:
        """Find a point of contact inside the box, name it exactly, and expand on both sides."""
        for at in (*simple_zeros(seq, self.v, box), *contact_points(seq.goal.gap, self.v, box)):
            key = text(at)
            if self.failed_contacts.get(key, 0) >= MAX_TRIES:
                continue
            node = self.both_sides(self.piece(seq, box), at, box)
            if node is not None:
                return 1, [node]
            self.failed_contacts[key] = self.failed_contacts.get(key, 0) + 1
        return None

    def both_sides(self, piece: Sequent, at: Expr, box: Box) -> Node | None:
        """Split a small box at a point of contact and expand each way."""
        size = box[self.v][1] - box[self.v][0]
        width = next((w for w in reversed(WIDTHS) if arb(w.numerator) / w.denominator > 2 * size), None)
        if width is None:
            return None
        case: Node = {"rule": "case", "on": text(var(self.v) - at)}
        try:
            left = refine(case, piece)
        except Refused:
            return None
        if len(left) != 2:
            return None
        return self.p.completed(case, left, lambda s: self.touch(s, at, 1 if s is left[0] else -1, width))

    def touch(self, seq: Sequent, at: Expr, side: int, width: Fraction) -> Node | None:
        if seq.box is None:
            return {"rule": "eval"}
        for order in ORDERS:
            part = self.expansion(seq, seq.box, self.node(at, side, order, width), None, side, 5)
            if not isinstance(part, str):
                return part
            if not _cancels(part):
                return None
        return None


def _cancels(reason: str) -> bool:
    """Whether an expansion was refused for its order."""
    return "no leading" in reason


def simple_zeros(seq: Sequent, v: str, box: Box) -> list[Expr]:
    """Simple constants inside a small box at which the gap is exactly 0."""
    out = []
    lo, hi = box[v][0], box[v][1]
    for c, f in _units():
        low, high = fraction_of((lo / c).lower()), fraction_of((hi / c).upper())
        q = ((low + high) / 2).limit_denominator(60)
        if low <= q <= high:
            e = num(q) * f if f is not None else num(q)
            if seq.algebra.is_zero(substitute(seq.goal.gap, {v: e})):
                out.append(e)
    return out


def _units() -> list[tuple[arb, Expr | None]]:
    E, pi = const("E"), const("pi")
    two = num(2)
    root2, root3, log2 = call("sqrt", two), call("sqrt", num(3)), call("log", two)
    e = arb.const_e()
    named_units = [(arb.pi(), pi), (e, E), (1 / e, 1 / E), (e**2, E**two), (arb(2).log(), log2)]
    return [(arb(1), None), *named_units, (arb(2).sqrt(), root2), (arb(3).sqrt(), root3)]


def contact_points(gap: Expr, v: str, box: Box) -> list[Expr]:
    """Exact names for the zero of the derivative (or of the gap) inside a small box."""
    slope = slope_of(gap, v)
    second = None if slope is None else slope_of(slope, v)
    if slope is None or second is None:
        return []
    with ctx.workprec(260):
        x = ((box[v][0] + box[v][1]) / 2).mid()
        for _ in range(60):
            at = {v: (x, x, False, False)}
            a, b = enclose(slope, at), enclose(second, at)
            if a is None or b is None or b[0].contains(0):
                break
            step = (a[0] / b[0]).mid()
            x = (x - step).mid()
            if abs(step) < arb(2) ** -200:
                break
        else:
            return []
        margin = (box[v][1] - box[v][0]) * 4
        if x < box[v][0] - margin or x > box[v][1] + margin:
            return []
        return named(x)


def named(x: arb) -> list[Expr]:
    """Formulas whose value agrees with x to 45 digits: q, q c, q + c, sqrt(q), exp(q), log(q), E**q ..."""
    pi = const("pi")
    ideas: list[tuple[arb, Any]] = [(x, lambda q: num(q))]
    ideas.append((x * x, lambda q: call("sqrt", num(q))))
    ideas.append((-(x * x), lambda q: -call("sqrt", num(-q)) if q < 0 else num(0)))
    units = [(c, f) for c, f in _units() if f is not None]
    for c, f in (*units, (arb(5).sqrt(), call("sqrt", num(5))), (1 / arb.pi(), 1 / pi)):
        ideas.append((x / c, lambda q, f=f: num(q) * f))
        ideas.append((x - c, lambda q, f=f: f + num(q)))
    if x > 0:
        ideas.append((x.log(), lambda q: call("exp", num(q))))
    ideas.append((x.exp() if x < 500 else arb(0), lambda q: call("log", num(q)) if q > 0 else num(0)))
    out = []
    for value, make in ideas:
        q = _simple(value)
        if q is not None:
            e = make(q)
            if e not in out:
                out.append(e)
    return out[:3]


def _simple(x: arb) -> Fraction | None:
    f = fraction_of(x.mid())
    near = f.limit_denominator(5000)
    return near if abs(near - f) < Fraction(1, 10**40) * max(Fraction(1), abs(f)) else None
