"""One real variable: bisection with Taylor leaves, expansions at ends, at infinity and at contact points."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

from flint import arb, ctx, fmpq

from boundcheck.decide.scalar.covers import midpoint
from boundcheck.decide.scalar.prover import Node, Prover
from boundcheck.kernel.check.cover_rule import halves
from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Box, Refused, Sequent, isolated
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import Expr, Relation, call, const, num, substitute, text, var

WIDTHS = tuple(Fraction(1, 2**k) for k in (1, 2, 3, 4, 5, 6, 8, 10, 13, 16, 20, 27, 40, 60))
LARGEST_END = 2**4096  #: a larger finite end of a box is not written out as a fraction
MAX_BOXES = 3000
MAX_SPLITS = 60
MAX_TRIES = 5  #: expansions at one point of contact, on ever smaller boxes


def univariate(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic: a cover of the interval whose delicate pieces are expansions."""
    if len(seq.variables) != 1 or seq.goal.op not in ("<=", "<", ">=", ">"):
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

    def expand_end(self, seq: Sequent, box: Box, end: str, depth: int) -> tuple[Any, list[Node]] | None:
        """Cut off the part of the box next to an end of the domain and prove it by an expansion."""
        at = self.ends(seq)[end]
        side = 1 if end == "low" else -1
        lo, hi = box[self.v][0], box[self.v][1]
        order, k = 6, 0
        while k < len(WIDTHS):
            width = WIDTHS[k]
            if at is None:
                far = -side / width
                cut: Fraction | None = far
                c = arb(far.numerator)
                if (side < 0 and not c > lo) or (side > 0 and not c < hi):
                    cut = None  # the box lies wholly inside
                node: Node = {
                    "rule": "expansion",
                    "var": self.v,
                    "at": "oo",
                    "side": -side,
                    "order": order,
                    "width": str(width),
                }
            else:
                value = enclose(at, {})
                if value is None:
                    return None
                cut = fraction_of(value[1] if side < 0 else value[0]) + side * width * Fraction(7, 8)
                c = arb(fmpq(cut.numerator, cut.denominator))
                if (side > 0 and c >= hi) or (side < 0 and c <= lo):
                    cut = None
                node = {
                    "rule": "expansion",
                    "var": self.v,
                    "at": text(at),
                    "side": side,
                    "order": order,
                    "width": str(width),
                }
            part = self.expansion(seq, box, node, cut, side, depth)
            if isinstance(part, str):
                if "cancel" in part or "no leading" in part:
                    order += 6
                    if order > 18:
                        return None
                elif "width" in part or "not bounded" in part or "remainder" in part:
                    k += 1
                else:
                    self.hopeless.add(end)
                    return None
                continue
            if part is None:
                return None
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
        return None

    def expansion(
        self, seq: Sequent, box: Box, node: Node, cut: Fraction | None, side: int, depth: int
    ) -> Node | str | None:
        """The expansion node, proved on the piece of the box up to ``cut``; the verifier's reason if it refuses."""
        bounds = []
        whole, here = self.box[self.v], box[self.v]
        lo, hi = here[0], here[1]
        if cut is not None:
            bounds.append(Relation("<=" if side > 0 else ">=", var(self.v), num(cut)))
        if lo != whole[0] and not (cut is not None and side < 0):
            bounds.append(Relation(">=", var(self.v), _rational(lo)))
        if hi != whole[1] and not (cut is not None and side > 0):
            bounds.append(Relation("<=", var(self.v), _rational(hi)))
        piece = seq.with_hyps(*bounds)
        self.p.clock()
        try:
            left = refine(node, piece, self.p.clock)
        except Refused as refusal:
            reason = str(refusal)
            if "wrong sign" not in reason:
                return reason
            other = self.absurd(node, piece)
            if other is None:
                return None
            left = other
        children = []
        for s in left:
            child = self.p.prove(s, min(depth - 1, 5))
            if child is None:
                return None
            children.append(child)
        return {**node, "then": children} if children else node

    def absurd(self, node: Node, piece: Sequent) -> list[Sequent] | None:
        """The same expansion, but showing that a hypothesis fails next to the point."""
        for i, h in enumerate(piece.hyps):
            if h.op in ("<=", "<", ">=", ">") and h.lhs.op != "var" and h.rhs.op != "var" and h.free:
                try:
                    left = refine({**node, "absurd": i}, piece, self.p.clock)
                except Refused:
                    continue
                node["absurd"] = i
                return left
        return None

    def contact(self, seq: Sequent, box: Box, depth: int) -> tuple[Any, list[Node]] | None:
        """Find a point of contact inside the box, name it exactly, and expand on both sides."""
        for at in (*simple_zeros(seq, self.v, box), *contact_points(seq.goal.gap, self.v, box)):
            key = text(at)
            if self.failed_contacts.get(key, 0) >= MAX_TRIES:
                continue
            node = self.both_sides(self.bounded_piece(seq, box), at, box)
            if node is not None:
                return 1, [node]
            self.failed_contacts[key] = self.failed_contacts.get(key, 0) + 1
        return None

    def both_sides(self, piece: Sequent, at: Expr, box: Box) -> Node | None:
        """Split a small box at a point of contact and expand each way."""
        x = var(self.v)
        node: Node = {"rule": "case", "on": text(x - at)}
        try:
            left = refine(node, piece)
        except Refused:
            return None
        if len(left) != 2:
            return None
        size = box[self.v][1] - box[self.v][0]
        width = next((w for w in reversed(WIDTHS) if arb(w.numerator) / w.denominator > 2 * size), None)
        if width is None:
            return None
        children = []
        for s, side in zip(left, (1, -1), strict=True):
            child = self.touch(s, at, side, width)
            if child is None:
                return None
            children.append(child)
        return {**node, "then": children}

    def touch(self, seq: Sequent, at: Expr, side: int, width: Fraction) -> Node | None:
        if seq.box is None:
            return {"rule": "eval"}
        order = 6
        while order <= 18:
            node: Node = {
                "rule": "expansion",
                "var": self.v,
                "at": text(at),
                "side": side,
                "order": order,
                "width": str(width),
            }
            part = self.expansion(seq, seq.box, node, None, side, 5)
            if isinstance(part, str) and ("cancel" in part or "no leading" in part):
                order += 6
                continue
            return None if isinstance(part, str) else part
        return None

    def bounded_piece(self, seq: Sequent, box: Box) -> Sequent:
        x, (lo, hi) = var(self.v), (box[self.v][0], box[self.v][1])
        extra = []
        if lo != self.box[self.v][0]:
            extra.append(Relation(">=", x, _rational(lo)))
        if hi != self.box[self.v][1]:
            extra.append(Relation("<=", x, _rational(hi)))
        return seq.with_hyps(*extra)


def _rational(x: Any) -> Expr:
    return num(fraction_of(x))


def simple_zeros(seq: Sequent, v: str, box: Box) -> list[Expr]:
    """Simple constants inside a small box at which the gap is exactly 0."""
    out = []
    lo, hi = box[v][0], box[v][1]
    for c, f in _units():
        q = simplest(lo / c, hi / c)
        if q is not None and q.denominator <= 60:
            e = num(q) * f if f is not None else num(q)
            if seq.algebra.is_zero(substitute(seq.goal.gap, {v: e})):
                out.append(e)
    return out


def simplest(lo: arb, hi: arb) -> Fraction | None:
    """The fraction of least denominator in [lo, hi]."""
    x, y = fraction_of(lo.lower()), fraction_of(hi.upper())
    if x <= 0 <= y:
        return Fraction(0)
    if y < 0:
        inner = simplest(-hi, -lo)
        return None if inner is None else -inner
    terms = []
    for _ in range(40):
        whole = x.numerator // x.denominator
        if whole == x:
            terms.append(whole)
            break
        if whole + 1 <= y:
            terms.append(whole + 1)
            break
        terms.append(whole)
        x, y = 1 / (y - whole), 1 / (x - whole)
    out = Fraction(terms[-1])
    for t in reversed(terms[:-1]):
        out = t + 1 / out
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
    try:
        slope = derivative(gap, v)
        second = derivative(slope, v)
    except NotDifferentiable:
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
