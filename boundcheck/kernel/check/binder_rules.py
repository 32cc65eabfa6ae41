"""Rules of sums and integrals: definedness, splitting, closed forms by differences or derivatives, comparison.

A node names one integral or sum of the goal as ``term`` and a fresh name ``new`` for what it binds. A rule that
replaces the term keeps the goal's sense: the new formula is defined only where the old one is, and has the same value
there. The ends of a sum are whole by their form, those of an integral in order (to be proved). Integrals are improper
ones: a formula that is defined on an open range is continuous there (one with floor, ceil or a binder is refused).
"""

from __future__ import annotations

from dataclasses import dataclass, replace

from flint import fmpq

from boundcheck.kernel.check.nodes_read import (
    Clock,
    Node,
    at_least,
    formula,
    fresh_name,
    known,
    need,
    normal_form,
    ordering,
    refuse_more_bases,
    slope,
)
from boundcheck.kernel.check.poly import ONE, Poly, thaw, to_expr
from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.check.sequent import Refused, Sequent, has_binder, obligations, outside_binders
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import BINDERS, Expr, Relation, call, endless, num, substitute, var

MOST_TERMS = 60  #: of a sum that is written out


@dataclass(frozen=True)
class Binder:
    """An integral or sum with ``body`` in the fresh variable ``t``; an infinite end is None."""

    term: Expr
    body: Expr
    t: str
    low: Expr | None
    high: Expr | None
    seq: Sequent

    @property
    def is_sum(self) -> bool:
        """Whether it is a sum."""
        return self.term.op == "sum"

    def with_range(self, low: Expr, high: Expr) -> Expr:
        """The same binder between other ends."""
        return Expr(self.term.op, (*self.term.args[:2], low, high))

    def with_body(self, body: Expr) -> Expr:
        """The same binder of another body, given in the fresh variable."""
        return Expr(self.term.op, (body, var(self.t), *self.term.args[2:]))

    def inside(self, goal: Relation) -> Sequent:
        """``goal`` at every place of the range: closed and whole for a sum, open for an integral."""
        x, closed = var(self.t), self.is_sum
        extra = []
        if self.low is not None:
            extra.append(Relation(">=" if closed else ">", x, self.low))
        if self.high is not None:
            extra.append(Relation("<=" if closed else "<", x, self.high))
        inner = replace(self.seq, goal=goal, integers=self.seq.integers | ({self.t} if closed else set()))
        return inner.with_hyps(*extra)

    def defined(self, *formulas: Expr) -> list[Sequent]:
        """That formulas are defined at every place of the range."""
        return [s for f in formulas for s in obligations(f, self.inside(at_least(f, False)))]

    def ends(self) -> list[Sequent]:
        """That the finite ends have values."""
        return [s for e in (self.low, self.high) if e is not None for s in obligations(e, self.seq)]

    def ordered(self) -> list[Sequent]:
        """That the ends are in order (those of a sum may leave it empty)."""
        if self.low is None or self.high is None:
            return []
        return need(Relation("<=", self.low - num(1) if self.is_sum else self.low, self.high), self.seq)


def binder(node: Node, seq: Sequent) -> Binder:
    """The integral or sum that a node names, with its ends looked at. Raises :class:`Refused`."""
    term, new = known(node, "term", seq), fresh_name(node, seq)
    if term.op not in BINDERS:
        raise Refused("term: an integral or sum is wanted")
    body, v, lo, hi = term.args
    low, high = (None if endless(e) else e for e in (lo, hi))
    if (low is None and lo.op != "neg") or (high is None and hi.op == "neg"):
        raise Refused("an infinite end on the wrong side")
    found = Binder(term, substitute(body, {v.value: var(new)}), new, low, high, seq)
    if found.is_sum and (low is None or not all(is_integer_valued(e, seq.integers) for e in (low, high) if e)):
        raise Refused("the ends of the sum are not whole by their form")
    if not found.is_sum and not _smooth(body):
        raise Refused("an integrand that may jump")
    return found


def _body(node: Node, key: str, b: Binder) -> Expr:
    """Another body that a node gives, continuous where it is to be integrated. Raises :class:`Refused`."""
    body = known(node, key, b.seq, b.t)
    if not b.is_sum and not _smooth(body):
        raise Refused(f"{key}: a continuous formula is wanted")
    return body


def _smooth(e: Expr) -> bool:
    return not any(n.op in ("floor", "ceil", *BINDERS) for n in e.walk())


def with_value(b: Binder, new: Expr) -> list[Sequent]:
    """The goal with ``new`` for the term. Raises :class:`Refused` where it does not occur.

    Where that is a goal of definedness also that the ends have values: ``new`` need not have them in it.
    """
    return [*(b.ends() if b.seq.goal.op == "defined" else ()), _put_for(b.term, new, b.seq)]


def _put_for(term: Expr, new: Expr, seq: Sequent) -> Sequent:
    """The goal with ``new`` for the integral or sum ``term``."""
    changed = seq.goal.map(lambda e: replaced(e, term, new))
    if changed == seq.goal:
        raise Refused("the term does not occur in the goal")
    refuse_more_bases(seq, seq.goal.lhs, changed.lhs, term)
    return seq.with_goal(changed)


# ---------------------------------------------------------------- definedness


def _terms(node: Node, seq: Sequent) -> list[Sequent]:
    """A finite sum of defined terms, a continuous integrand on a closed range; else dominated by ``by``."""
    if seq.goal.op != "defined" or formula(node, "term") is not seq.goal.lhs:
        raise Refused("terms wants the goal that its term is defined")
    b = binder(node, seq)
    ends = b.ends()
    if node.get("test") is True:
        return [*ends, *_integral_test(b)]
    if "by" in node:
        other = _body(node, "by", b)
        least = b.inside(Relation("<=", call("abs", b.body), other))
        exists = seq.with_goal(Relation("defined", b.with_body(other), num(0)))
        return [*ends, *b.ordered(), *b.defined(b.body, other), least, exists]
    if b.low is None or b.high is None:
        raise Refused("an infinite range needs a majorant")
    if b.is_sum:
        return [*ends, *b.defined(b.body)]
    x = var(b.t)
    closed = seq.with_hyps(Relation(">=", x, b.low), Relation("<=", x, b.high)).with_goal(at_least(b.body, False))
    return [*ends, *b.ordered(), *obligations(b.body, closed)]


def _integral_test(b: Binder) -> list[Sequent]:
    """A sum to oo of f(k), f >= 0 falling on [low, oo), exists where the integral of f does."""
    if not b.is_sum or b.low is None or b.high is not None or not _smooth(b.body):
        raise Refused("the integral test wants an infinite sum of a continuous formula")
    rate = slope(b.body, b.t)
    wide = b.seq.with_hyps(Relation(">=", var(b.t), b.low))
    left = [s for f in (b.body, rate) for s in obligations(f, wide.with_goal(at_least(f, False)))]
    left += [wide.with_goal(at_least(f, False)) for f in (b.body, -rate)]
    area = Expr("integral", (b.body, var(b.t), *b.term.args[2:]))
    return [*left, b.seq.with_goal(Relation("defined", area, num(0)))]


# ---------------------------------------------------------------- the same value in another form


def _unroll(node: Node, seq: Sequent) -> list[Sequent]:
    """A sum's last term apart (``to`` is the end that is left), its first term apart, or all of a short sum."""
    b = binder(node, seq)
    if not b.is_sum or b.low is None:
        raise Refused("unroll wants a sum")

    def term(k: Expr) -> Expr:
        return substitute(b.body, {b.t: k})

    refuse_more_bases(replace(seq, integers=seq.integers | {b.t}), b.body, term(b.low))

    if "to" in node and b.high is not None:
        to = formula(node, "to")
        if not seq.algebra.is_zero(b.high - to - num(1)) or not is_integer_valued(to, seq.integers):
            raise Refused("to: the end before the last is wanted")
        new = b.with_range(b.low, to) + term(b.high)
    elif "first" in node:
        new = term(b.low) + b.with_range(b.low + num(1), b.term.args[3])
    elif b.high is not None:
        count = _constant(b.high - b.low, seq)
        if count is None or not -1 <= count <= MOST_TERMS:
            raise Refused("a sum of a fixed short length is wanted")
        return with_value(b, sum((term(b.low + num(k)) for k in range(count + 1)), num(0)))
    else:
        raise Refused("an infinite sum is not written out")
    least = [] if b.high is None else need(Relation(">=", b.high, b.low), seq)
    return [*least, *with_value(b, new)]


def _constant(e: Expr, seq: Sequent) -> int | None:
    """The whole number that a formula is by its normal form, None for any other."""
    form = normal_form(e, seq)
    c = form.num.get((), fmpq(0)) if form.den == ONE and form.num.keys() <= {()} else fmpq(1, 2)
    return int(c) if c.q == 1 else None


def _divide(node: Node, seq: Sequent) -> list[Sequent]:
    """An integral as the sum of two, on both sides of ``at``, a sum as that up to ``at`` and the rest.

    Both exist where the whole does.
    """
    b, at = binder(node, seq), known(node, "at", seq)
    if has_binder(at) or (b.is_sum and not is_integer_valued(at, seq.integers)):
        raise Refused("divide wants a place, a whole one for a sum")
    after = at + num(1) if b.is_sum else at
    left = obligations(at, seq)
    left += [] if b.low is None else need(Relation("<=", b.low, after), seq)
    left += [] if b.high is None else need(Relation("<=", at, b.high), seq)
    return [*left, *with_value(b, b.with_range(b.term.args[2], at) + b.with_range(after, b.term.args[3]))]


def _same(node: Node, seq: Sequent) -> list[Sequent]:
    """Another body with the same values on the range."""
    b = binder(node, seq)
    body = _body(node, "body", b)
    equal = b.inside(Relation("==", b.body, body))
    return [*b.ordered(), *b.defined(b.body, body), equal, *with_value(b, b.with_body(body))]


def _closed_form(node: Node, seq: Sequent, clock: Clock) -> list[Sequent]:
    """F(high) - F(low) where F' is the integrand, F(high + 1) - F(low) where F(k + 1) - F(k) is the summand.

    At an end where F is not defined, ``low`` or ``high`` names its limit, which an expansion of F confirms, or
    the form of its terms where "terms" names that end.
    """
    b = binder(node, seq)
    whole = known(node, "by", seq, b.t)
    if node.get("terms", []) not in ([], ["low"], ["high"], ["low", "high"]):
        raise Refused("terms: a list of low and high is wanted")
    if not _smooth(whole):
        raise Refused("by: a continuous formula is wanted")
    x = var(b.t)
    if b.is_sum:
        after = substitute(whole, {b.t: x + num(1)})
        left = b.defined(b.body, whole, after)
        left.append(b.inside(Relation("==", after - whole, b.body)))
    else:
        rate = slope(whole, b.t)
        left = [*b.defined(b.body, whole, rate), b.inside(Relation("==", rate, b.body))]
    values = []
    for key, end, side in (("low", b.low, 1), ("high", b.high, -1)):
        if key in node:
            value = known(node, key, seq)
            if has_binder(value):
                raise Refused(f"{key}: a limit without sums and integrals is wanted")
            left += obligations(value, seq)
            if key in node.get("terms", ()):
                left += [s for r in vanishing(b, whole - value, end, side) for s in need(r, seq)]
            else:
                from boundcheck.kernel.check.limits import require_vanishing  # what takes no limit rests on none

                if b.is_sum and end is not None:
                    raise Refused("a sum is closed at its finite ends")
                require_vanishing(b.seq, b.t, whole - value, end, side, clock)
        elif end is None:
            raise Refused(f"{key}: the limit at infinity is wanted")
        else:
            value = substitute(whole, {b.t: end + num(1) if b.is_sum and side < 0 else end})
            left += obligations(value, seq)
        values.append(value)
    if ("low" in node or "high" in node) and b.low is not None and b.high is not None:
        left += need(Relation("<", b.low, b.high), seq)  # two limits at one place may differ
    return [*b.ordered(), *left, *with_value(b, values[1] - values[0])]


def vanishing(b: Binder, gap: Expr, end: Expr | None, side: int) -> list[Relation]:
    """Conditions on the other variables under which each term of ``gap`` vanishes at oo, or at 0 from above.

    A term is a factor free of t, a power t**a, and at oo exponentials exp(c t**k), k > 0, and r**(a t + b), a > 0.
    It vanishes at oo where c < 0 or |r| < 1, whatever the power of t is; else where a < 0, at 0 where a > 0.
    Raises :class:`Refused`.
    """
    at_zero = end is not None
    if (at_zero and (end is not num(0) or side < 0 or b.is_sum)) or (not at_zero and side > 0):
        raise Refused("terms: the limit is at oo, or that of an integrand at 0 from above")
    t = var(b.t)
    form = normal_form(gap, b.inside(at_least(gap, False)))
    if b.t in to_expr(form.den).free:
        raise Refused("terms: a sum of terms is wanted")
    wanted: list[Relation] = []
    for m in form.num:
        power: Expr = num(0)
        faster: list[Relation] = []
        for atom, x in m:
            moving = {k: c for k, c in thaw(x).items() if any(b.t in a.free for a, _ in k)}
            if atom is t and not moving:
                power = power + to_expr(thaw(x))
            elif b.t in atom.free:
                raise Refused("terms: a term that is no product of powers and exponentials")
            elif moving:
                if at_zero or len(moving) > 1:
                    raise Refused("terms: an exponent of several terms")
                ((k, c),) = moving.items()
                degree = dict(k).get(t)
                slope = to_expr({tuple(f for f in k if f[0] is not t): c})
                if not isinstance(degree, fmpq) or degree <= 0 or b.t in slope.free:
                    raise Refused("terms: an exponent that is no power of the variable")
                if atom.op == "const" or (atom.op == "num" and atom.value > 1):
                    faster.append(Relation("<", slope, num(0)))
                elif degree == 1:
                    faster += [Relation("<", call("abs", atom), num(1)), Relation(">", slope, num(0))]
                else:
                    raise Refused("terms: an exponent that is not linear in the variable")
        wanted += faster or [Relation(">" if at_zero else "<", power, num(0))]
    return wanted


def _reversed(node: Node, seq: Sequent) -> list[Sequent]:
    """An integral is the negative of that from high to low; a finite sum has its terms in the other order.

    ``body`` is f(low + high - k) in another form; f and ``body`` are defined on the range.
    """
    term = known(node, "term", seq)
    if term.op == "sum":
        b = binder(node, seq)
        body = _body(node, "body", b)
        if b.low is None or b.high is None:
            raise Refused("reverse wants a finite sum")
        other = substitute(b.body, {b.t: b.low + b.high - var(b.t)})
        if not b.inside(seq.goal).algebra.is_zero(other - body):
            raise Refused("reverse: the body is another one")
        return [*b.ordered(), *b.defined(b.body, body), *with_value(b, b.with_body(body))]
    if term.op != "integral":
        raise Refused("reverse wants an integral or a sum")
    body, v, low, high = term.args
    return [_put_for(term, -Expr(term.op, (body, v, high, low)), seq)]


# ---------------------------------------------------------------- comparison


def _termwise(node: Node, seq: Sequent) -> list[Sequent]:
    """gap = sum of c_i * binder(f_i) over one range: the sum of c_i * f_i has its sign everywhere on it."""
    goal, b = ordering(seq), binder(node, seq)
    form = normal_form(goal.gap, seq)
    if form.den != ONE:
        raise Refused("a gap that is not linear in its integrals and sums")
    total: Expr = num(0)
    for m, c in form.num.items():
        bound = [(a, e) for a, e in m if a.op in BINDERS]
        rest: Poly = {tuple(f for f in m if f not in bound): c}
        if len(bound) != 1 or bound[0][1] != 1 or any(has_binder(a) for a, _ in m if a is not bound[0][0]):
            raise Refused("a gap that is not linear in its integrals and sums")
        other = bound[0][0]
        if other.op != b.term.op or any(x is not y for x, y in zip(other.args[2:], b.term.args[2:], strict=True)):
            raise Refused("two ranges")
        if not b.is_sum and not _smooth(other.args[0]):
            raise Refused("an integrand that may jump")
        total = total + to_expr(rest) * substitute(other.args[0], {other.args[1].value: var(b.t)})
    left = b.ordered()
    if goal.strict and b.low is not None and b.high is not None:
        left += need(Relation("<=" if b.is_sum else "<", b.low, b.high), seq)
    inner = b.inside(at_least(total, goal.strict))
    return [*left, *obligations(total, inner), inner]


def _partial(node: Node, seq: Sequent) -> list[Sequent]:
    """An infinite sum as the limit of its partial sums up to ``new``: a relation that all of them meet.

    The goal is not strict and continuous in the sum: an integral both ends of which move jumps where they meet.
    """
    b = binder(node, seq)
    if not b.is_sum or b.low is None or b.high is not None:
        raise Refused("partial wants an infinite sum")
    finite = Expr("sum", (b.term.args[0], b.term.args[1], b.low, var(b.t)))
    start = Relation(">=", var(b.t), b.low)
    goal = ordering(seq)
    if goal.strict or any(_jumps(n, b.term) for n in outside_binders(goal.gap)):
        raise Refused("partial wants a relation that a limit keeps")
    changed = _put_for(b.term, finite, b.seq).goal
    wide = replace(seq, goal=changed, integers=seq.integers | {b.t}).with_hyps(start)
    return [*obligations(changed.gap, wide), wide]


def _jumps(e: Expr, moving: Expr) -> bool:
    """Whether a node may jump where a term moves: a floor, an integral both ends of which have the term."""
    return e.op in ("floor", "ceil") or (e.op in BINDERS and all(moving in a.walk() for a in e.args[2:]))


RULES = {
    "terms": _terms,
    "reverse": _reversed,
    "unroll": _unroll,
    "divide": _divide,
    "same": _same,
    "termwise": _termwise,
    "partial": _partial,
    "closed-form": _closed_form,
}
