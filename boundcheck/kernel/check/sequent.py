"""Sequents: hypotheses and one goal; the box that hypotheses imply; what definedness demands.

A proof of a sequent shows: at every point that satisfies the hypotheses and where the goal's formula is
defined, the goal holds. That the formula is defined is a goal of its own, ``Relation("defined", e, 0)``.
A hypothesis that is undefined at a point counts as not satisfied there.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, replace
from functools import cache, cached_property, lru_cache

from flint import arb, fmpq

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, to_expr
from boundcheck.kernel.enclosure import intervals
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import ENTIRE, INF, NINF, ZERO, Interval, meet, positive
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import BINDERS, Expr, Relation, call, num, parse, substitute, var
from boundcheck.kernel.formula.functions import TABLE

Box = dict[str, Interval]
ROUNDS = 4  #: sweeps of bound propagation


class Refused(ValueError):
    """A node of a certificate does not apply; the message says why."""


@dataclass(frozen=True)
class Sequent:
    """``hyps`` imply ``goal``; variables in ``integers`` range over the integers."""

    hyps: tuple[Relation, ...]
    goal: Relation
    integers: frozenset[str] = frozenset()

    @cached_property
    def variables(self) -> tuple[str, ...]:
        """Sorted free names of hypotheses and goal."""
        return tuple(sorted(frozenset().union(self.goal.free, *(h.free for h in self.hyps))))

    @cached_property
    def box(self) -> Box | None:
        """Bounds of each variable that follow from the hypotheses; None if they contradict each other."""
        return propagate(self.hyps, dict.fromkeys(self.variables, ENTIRE), self.integers)

    @cached_property
    def algebra(self) -> Algebra:
        """Exact normal forms that may use signs known from the box and from hypotheses."""
        box = self.box or {}
        above = {h.gap for h in self.hyps if h.op in ("<", ">")}
        least = above | {h.gap for h in self.hyps if h.op in ("<=", ">=")}

        def known(e: Expr) -> bool:
            return e in above or positive(enclose(e, box), True)

        def weakly(e: Expr) -> bool:
            return e in least or positive(enclose(e, box), False)

        return Algebra(known, self.integers, weakly)

    def with_goal(self, goal: Relation) -> Sequent:
        """The sequent with another goal."""
        return replace(self, goal=goal)

    def with_hyps(self, *extra: Relation) -> Sequent:
        """The sequent with further hypotheses."""
        return replace(self, hyps=(*self.hyps, *extra))

    def substituted(self, values: Mapping[str, Expr]) -> Sequent:
        """The sequent with expressions put for variables."""

        def put(r: Relation) -> Relation:
            return r.map(lambda e: substitute(e, values))

        return Sequent(tuple(map(put, self.hyps)), put(self.goal), self.integers.difference(values))


def _target(op: str, other: Interval) -> Interval:
    """The values that a side may take when ``side op other``."""
    match op:
        case "<=":
            return (NINF, other[1], True, other[3])
        case "<":
            return (NINF, other[1], True, True)
        case ">=":
            return (other[0], INF, other[2], True)
        case ">":
            return (other[0], INF, True, True)
        case "==":
            return other
    return ENTIRE


class _Empty(Exception):
    """The hypotheses contradict each other on the box."""


def propagate(hyps: tuple[Relation, ...], box: Box, integers: frozenset[str] = frozenset()) -> Box | None:
    """Narrow ``box`` by the hypotheses, both ways through each formula; None if nothing is left."""
    box = dict(box)
    try:
        for _ in range(ROUNDS):
            before = dict(box)
            for h in hyps:
                _narrow_by(h, box)
            for name in integers & box.keys():
                box[name] = _integral(box[name])
            if box == before:
                break
    except _Empty:
        return None
    return {v: intervals.Whole(a) if v in integers else a for v, a in box.items()}


def _integral(a: Interval) -> Interval:
    lo = a[0] if a[0] == NINF else (a[0].floor() + 1 if a[2] else a[0].ceil())
    hi = a[1] if a[1] == INF else (a[1].ceil() - 1 if a[3] else a[1].floor())
    if lo > hi:
        raise _Empty
    return (lo.lower(), hi.upper(), a[0] == NINF, a[1] == INF)


def _narrow_by(h: Relation, box: Box) -> None:
    for r in (h, h.flipped()) if h.op != "defined" else ():
        if r.op == "!=":
            _open_end(r, box)
        elif r.lhs.free and (bound := enclose(r.rhs, box)) is not None:
            _narrow(r.lhs, _target(r.op, bound), box, 0)


def _open_end(h: Relation, box: Box) -> None:
    """x != c makes an end at c open."""
    if h.lhs.op == "var" and not h.rhs.free:
        a, c = box[h.lhs.value], enclose(h.rhs, {})
        if c is not None and c[0] == c[1]:
            if a[0] == a[1] == c[0]:
                raise _Empty
            box[h.lhs.value] = (a[0], a[1], a[2] or bool(a[0] == c[0]), a[3] or bool(a[1] == c[0]))


def _narrow(e: Expr, want: Interval, box: Box, depth: int) -> None:
    """Narrow the variables of ``e`` so that ``e`` lies in ``want``."""
    if want[0].is_nan() or want[1].is_nan():
        return
    if e.op == "var":
        inside = meet(box[e.value], want)
        if inside is None:
            raise _Empty
        box[e.value] = inside
        return
    if not e.free or depth > 40 or e.op in BINDERS:
        return
    for have in (enclose(e, box), _VALUES.get(e.op)):
        both = want if have is None else meet(have, want)
        if both is None:
            raise _Empty
        want = both
    for child, bound in _inverse(e, want, box):
        if child.free and bound is not None:
            _narrow(child, bound, box, depth + 1)


#: values of functions wherever they have one
_VALUES: dict[str, Interval] = {
    "exp": (ZERO, INF, True, True), "sqrt": (ZERO, INF, False, True), "abs": (ZERO, INF, False, True),
}  # fmt: skip


def _inverse(e: Expr, want: Interval, box: Box) -> Iterator[tuple[Expr, Interval | None]]:
    """(argument, values it may take) when ``e`` lies in ``want``."""
    args = e.args
    match e.op:
        case "neg":
            yield args[0], intervals.neg(want)
        case "add" | "sub" | "mul" | "div":
            values = [enclose(a, box) for a in args]
            yield from _inverse_binary(e, want, values)
        case "exp":
            yield args[0], intervals.log(want)
        case "log":
            yield args[0], intervals.exp(want)
        case "sqrt":
            yield args[0], intervals.integer_power(want, 2)
        case "abs":
            yield args[0], (-want[1], want[1], want[3], want[3])
        case "max":
            for a in args:
                yield a, (NINF, want[1], True, want[3])
        case "min":
            for a in args:
                yield a, (want[0], INF, want[2], True)
        case "pow":
            q = args[1].value if args[1].op == "num" else 0
            if 0 < q <= 1000 and q.denominator == 1:
                yield from _inverse_power(args[0], int(q), want)


def _inverse_power(base: Expr, n: int, want: Interval) -> Iterator[tuple[Expr, Interval]]:
    if n % 2:
        low = _odd_root(want[0], n).lower()
        high = _odd_root(want[1], n).upper()
        yield base, (low, high, want[2] and bool(low == 0), want[3] and bool(high == 0))
    elif want[1] < INF:
        if want[1] < 0:
            raise _Empty
        top = want[1].root(n).upper()
        exact_end = bool(top**n == want[1])
        yield base, (-top, top, want[3] and exact_end, want[3] and exact_end)


def _odd_root(x: arb, n: int) -> arb:
    if x in (INF, NINF):
        return x
    return x.root(n) if x >= 0 else -((-x).root(n))


def _inverse_binary(e: Expr, want: Interval, values: list[Interval | None]) -> Iterator[tuple[Expr, Interval | None]]:
    (x, y), (a, b) = e.args, values
    match e.op:
        case "add":
            if b is not None:
                yield x, intervals.sub(want, b)
            if a is not None:
                yield y, intervals.sub(want, a)
        case "sub":
            if b is not None:
                yield x, intervals.add(want, b)
            if a is not None:
                yield y, intervals.sub(a, want)
        case "mul" if x is y:
            yield from _inverse_power(x, 2, want)
        case "mul":
            if b is not None:
                yield x, intervals.div(want, b)
            if a is not None:
                yield y, intervals.div(want, a)
        case "div":
            if b is not None:
                yield x, intervals.mul(want, b)
            if a is not None:
                yield y, intervals.div(a, want)


# ---------------------------------------------------------------- definedness


def conditions(e: Expr, seq: Sequent | None = None) -> tuple[Relation, ...]:
    """Relations that together make every node of ``e`` defined, in order of the formula; what binders bind apart.

    A power whose exponent is an integer by form needs a base other than 0, and none where the exponent is known to be
    >= 0; one whose exponent is > 0 on the box needs a base >= 0. Without a sequent nothing is known.
    """
    integers, box = (frozenset(), None) if seq is None else (seq.integers, seq.box or {})
    zero = num(0)
    out: list[Relation] = []
    for n in outside_binders(e):
        match n.op:
            case "div":
                if n.args[1].op != "num" or n.args[1].value == 0:
                    out.append(Relation("!=", n.args[1], zero))
            case "gamma" | "loggamma" | "polygamma":
                out.append(Relation(">", n.args[0], zero))
            case "tan":
                out.append(Relation("!=", call("cos", n.args[0]), zero))
            case "pow":
                base, exponent = n.args
                size = enclose(exponent, box) if exponent.op != "num" and box is not None else None
                if exponent.op != "num" and is_integer_valued(exponent, integers):
                    least = positive(size, False) or (seq is not None and _at_least_zero(exponent, seq))
                    out += [] if least else [Relation("!=", base, zero)]
                elif positive(size, True) and base.op not in ("num", "const"):
                    out.append(Relation(">=", base, zero))
                else:
                    out += _power_conditions(*n.args)
            case name if name in TABLE:
                out += domain(name, n.args[0])
    return tuple(dict.fromkeys(out))


def _at_least_zero(e: Expr, seq: Sequent) -> bool:
    """Whether e >= 0 is among the hypotheses, or e is a sum or product of what is >= 0."""
    if e.op in ("add", "mul"):
        return all(_at_least_zero(a, seq) for a in e.args)
    return seq.algebra.nonnegative(e)


def domain(name: str, e: Expr) -> list[Relation]:
    """The relations under which a function of the table has a value at ``e``."""
    return [Relation(op, e, end) for op, end in _domain(name)]


@cache
def _domain(name: str) -> tuple[tuple[str, Expr], ...]:
    """The relations under which a function of the table is defined, as (relation, end)."""
    f = TABLE[name]
    low = ((">=" if f.closed[0] else ">", parse(f.low)),) if f.low != "-oo" else ()
    return (*low, ("<=" if f.closed[1] else "<", parse(f.high))) if f.high != "oo" else low


def outside_binders(e: Expr) -> Iterator[Expr]:
    """The nodes of ``e`` with its integrals and sums, but not what they bind."""
    seen: set[Expr] = set()
    stack: list[tuple[Expr, bool]] = [(e, False)]
    while stack:
        node, done = stack.pop()
        if done:
            yield node
        elif node not in seen:
            seen.add(node)
            stack.append((node, True))
            stack.extend((a, False) for a in (node.args[2:] if node.op in BINDERS else node.args))


def _power_conditions(base: Expr, exponent: Expr) -> list[Relation]:
    zero = num(0)
    if exponent.op == "num" and exponent.value.denominator == 1:
        return [Relation("!=", base, zero)] if exponent.value < 0 else []
    if exponent.op == "num" and exponent.value > 0:
        return [Relation(">=", base, zero)]
    if base.op in ("num", "const") and (base.op == "const" or base.value > 0):
        return []
    return [Relation(">", base, zero)]


def has_binder(e: Expr) -> bool:
    """Whether an integral or a sum occurs in ``e``."""
    return any(n.op in BINDERS for n in e.walk())


def obligations(e: Expr, seq: Sequent) -> list[Sequent]:
    """The definedness goals of ``e`` under ``seq.hyps`` that its box does not settle at once."""
    box = seq.box
    if box is None or enclose(e, box) is not None:
        return []
    if has_binder(e):
        return [seq.with_goal(Relation("defined", e, num(0)))]
    known = {(h.op, h.gap) for h in seq.hyps}
    out = []
    for c in conditions(e, seq):
        if c.op == "!=":
            value = enclose(c.lhs, box)
            if value is not None and (positive(value, True) or positive(intervals.neg(value), True)):
                continue
            if any(op in ("<", ">", "!=") and g in (c.lhs, -c.lhs) for op, g in known):
                continue
        elif positive(enclose(c.gap, box), c.strict) or any(
            g is c.gap and (op in ("<", ">") or (not c.strict and op in ("<=", ">="))) for op, g in known
        ):
            continue
        out.append(seq.with_goal(c))
    return out


def isolated(h: Relation, v: str) -> Relation | None:
    """The hypothesis as ``v op bound`` with a bound free of v, if it reads so (also from ``-v op bound``)."""
    for r in (h, h.flipped()):
        if v in r.rhs.free or r.op not in ("<=", "<", ">=", ">", "=="):
            continue
        if r.lhs.op == "neg" and r.lhs.args[0].op == "var":
            r = Relation(r.flipped().op, r.lhs.args[0], -r.rhs)
        if r.lhs.op == "var" and r.lhs.value == v:
            return r
    return _solved(h, v)


@lru_cache(maxsize=4096)
def _solved(h: Relation, v: str) -> Relation | None:
    """A hypothesis that is linear in v with a rational coefficient, solved for v."""
    if v not in h.free or h.op not in ("<=", "<", ">=", ">") or has_binder(h.gap):
        return None
    if not all(_passes(n, v) for n in h.gap.walk() if v in n.free):
        return None
    try:
        form = Algebra().normal(h.gap)
    except AlgebraLimit:
        return None
    linear = ((var(v), fmpq(1)),)
    if form.den != ONE or linear not in form.num:
        return None
    c = form.num[linear]
    rest = {m: x / -c for m, x in form.num.items() if m != linear}
    bound = to_expr(rest)
    if v in bound.free or not _asked(bound) <= _asked(h.gap):  # the bound has a value where the hypothesis holds
        return None
    return Relation((">" if h.strict else ">=") if c > 0 else ("<" if h.strict else "<="), var(v), bound)


def _passes(e: Expr, v: str) -> bool:
    """Whether a node with v below has a value wherever its parts have one, so that v alone decides nothing of that."""
    return e.op in ("var", "neg", "add", "sub", "mul") or (e.op == "div" and v not in e.args[1].free)


def _asked(e: Expr) -> set[Relation | Expr]:
    """What has to hold for a formula to have a value; a power with a symbolic exponent is asked for as it stands."""
    powers = {n for n in outside_binders(e) if n.op == "pow" and n.args[1].op != "num"}
    return powers.union(conditions(e))
