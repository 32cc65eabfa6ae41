"""What the box of a sequent says, as lines before its tactics: bounds of variables, of numbers, of terms."""

from __future__ import annotations

from collections.abc import Iterator
from fractions import Fraction

from flint import arb

from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, Interval
from boundcheck.kernel.enclosure.straight_line import fraction_of
from boundcheck.kernel.formula import BINDERS, Expr, Relation, num, var
from boundcheck.rocq.coq_text import coq, name, number
from boundcheck.rocq.exponents import is_power

DIGITS = 12  #: digits to which a bound of a box is rounded outwards when it is longer


def bound(x: arb, down: bool) -> Fraction | None:
    """A short rational below (above) a finite end of a box."""
    if x in (INF, NINF) or not x.is_finite():
        return None
    exact = fraction_of(x)
    if exact.denominator <= 10**6:
        return exact
    unit = Fraction(1, 10**DIGITS)
    steps = exact / unit
    return unit * (steps.__floor__() if down else steps.__ceil__())


def ends(a: Interval) -> Iterator[tuple[Fraction, bool, bool]]:
    """(short rational, whether it is itself left out, whether it is the lower one) of the finite ends of a box."""
    for x, is_open, down in ((a[0], a[2], True), (a[1], a[3], False)):
        q = bound(x, down)
        if q is not None:
            yield q, is_open and q == fraction_of(x), down


def between(q: Fraction, op: str, what: str, down: bool) -> str:
    """The text of a bound from below or from above."""
    return f"{number(q)} {op} {what}" if down else f"{what} {op} {number(q)}"


def box_lines(seq: Sequent) -> list[str]:
    """Bounds of the variables that the hypotheses imply, each tried: those that are not needed may fail."""
    parts = [p for h in seq.hyps for p in _parts(h)]
    lines = ["bc_open_extremes."] if parts != [*seq.hyps] else []
    for v, a in (seq.box or {}).items():
        for q, is_open, down in ends(a):
            r = between(q, f"{'<' if is_open else '<='}", name(v), down)
            told = [h for h in parts if _may_bound(h, v)]
            ways = "".join(f" | bc_narrow ({coq(h.lhs)}) ({coq(h.rhs)}) {name(v)}" for h in told)
            if v in seq.integers and q.denominator == 1:
                ways += f" | bc_whole_bound ({q - 1 if down else q + 1})%Z"
            lines.append(f"try (assert (B_{name(v)}_{'l' if down else 'h'} : {r}) by first [bc_bound{ways}]).")
    return lines


def _parts(h: Relation) -> Iterator[Relation]:
    """What a hypothesis says of each part of a smallest or largest value, as ``bc_open_extremes`` does; or itself."""
    for r in (h, h.flipped()):
        if r.op in {"min": (">", ">="), "max": ("<", "<=")}.get(r.lhs.op, ()):
            for a in r.lhs.args:
                yield from _parts(Relation(r.op, a, r.rhs))
            return
    yield h


def _may_bound(h: Relation, v: str) -> bool:
    """Whether a hypothesis says more of a variable than a bound of the variable itself."""
    return v in h.free and h.op != "!=" and not any(side.op == "var" and not other.free for side, other in (
        h.sides, (h.rhs, h.lhs)
    ))  # fmt: skip


def implied_lines(seq: Sequent) -> list[str]:
    """Signs of variables that the box knows and no hypothesis says as it is, each tried."""
    plain = {x.value for h in seq.hyps for x, y in (h.sides, (h.rhs, h.lhs)) if x.op == "var" and not y.free}
    lines = []
    for v, a in (seq.box or {}).items():
        if v not in plain and a[0] >= 0:
            lines.append(f"try (assert (0 {'<' if a[2] or a[0] > 0 else '<='} {name(v)}) by bc_implied).")
    return lines


def points(seq: Sequent) -> dict[str, Expr]:
    """Variables that two hypotheses hold at one number."""
    found: dict[str, Expr] = {}
    for v, a in (seq.box or {}).items():
        if a[0] == a[1] and a[0].is_exact():
            q = num(fraction_of(a[0]))
            said = {h.op for h in seq.hyps if h.lhs is var(v) and h.rhs is q}
            said |= {h.flipped().op for h in seq.hyps if h.rhs is var(v) and h.lhs is q}
            if {"<=", ">="} <= said and v not in seq.integers:
                found[v] = q
    return found


def number_lines(seq: Sequent) -> list[str]:
    """Bounds of the numbers in hypotheses that are no rationals, so that these are linear for ``lra``; each tried."""
    lines = []
    for t in dict.fromkeys(t for h in seq.hyps for side in h.sides for t in _numbers(side)):
        a = enclose(t, {})
        low, high = (None, None) if a is None else (bound(a[0], True), bound(a[1], False))
        if low is not None and high is not None:
            both = f"{number(low)} <= {coq(t)} <= {number(high)}"
            lines.append(f"try (assert ({both}) by (bc_to_exp; split; interval with (i_prec 90))).")
    return lines


def _numbers(e: Expr) -> Iterator[Expr]:
    """The largest parts of a formula without variables that are powers, roots, exponentials or logarithms."""
    if is_power(e) and not any(n.op == "var" for n in e.walk()):
        yield e
    elif e.op not in BINDERS:
        for a in e.args:
            yield from _numbers(a)


def range_lines(seq: Sequent) -> list[str]:
    """Enclosures of the goal's powers, roots, logarithms and quotients on the box, from the inside out, each tried."""
    lines: list[str] = []
    seen: set[Expr] = set()
    for side in seq.goal.sides:
        for t in side.walk():
            if t in seen or not t.free or not (is_power(t) or t.op == "div"):
                continue
            seen.add(t)
            a = enclose(t, seq.box or {})
            if a is None:
                continue
            lines += [
                f"try (assert ({between(candidate, '<=', coq(t), down)}) by bc_range)."
                for q, _, down in ends(a)
                for candidate in dict.fromkeys((_near(q), q))
            ]
    return lines


def _near(q: Fraction) -> Fraction:
    """An integer or a half that a rounded bound surely means, or the bound itself."""
    whole = Fraction(round(2 * q), 2)
    return whole if abs(whole - q) < Fraction(1, 10**9) else q


def pinned(seq: Sequent) -> str:
    """Tactics that put its value for every variable of the goal whose box is one place."""
    box = (seq.box or {}).items()
    places = [(name(v), bound(a[0], True)) for v, a in box if v in seq.goal.free and a[0] == a[1]]
    return "".join(f"assert ({v} = {number(q)}) by lra; subst {v}; " for v, q in places if q is not None)
