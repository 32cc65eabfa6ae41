"""Values of integrals and sums in Rocq: a primitive (or a formula whose differences are the terms) and its limits."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction

from flint import ctx

from boundcheck.decide.scalar.antiderivatives import antiderivatives
from boundcheck.decide.scalar.symbolic import antidifference
from boundcheck.kernel.certificate import PRECISION
from boundcheck.kernel.check.binder_rules import Binder
from boundcheck.kernel.check.nodes_read import Node, formula
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.derivative import derivative
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import BINDERS, Expr, Relation, num, substitute, var
from boundcheck.rocq.comparison import entered
from boundcheck.rocq.coq_text import NotStated, coq, end, ends, function, name, number
from boundcheck.rocq.expansion_proofs import DEPTHS, Place, Walk, expanded, expansion_facts, joined, plain
from boundcheck.rocq.far_erf import sign_far
from boundcheck.rocq.powers import Equations
from boundcheck.rocq.scripts import branches
from boundcheck.rocq.series_proofs import Series
from boundcheck.rocq.shapes import first
from boundcheck.rocq.small_series import ONE, Finer, NoSeries, rational

SECONDS = 5.0  #: for a primitive that no certificate names
WIDTHS = (Fraction(1, 4), Fraction(1, 64), Fraction(1, 4096), Fraction(1, 2**24))


@dataclass(frozen=True)
class Primitive:
    """F with its limits at the ends of the range (``None`` where it is to be put in)."""

    formula: Expr
    low: Expr | None = None
    high: Expr | None = None

    @classmethod
    def of(cls, node: Node) -> Primitive:
        """The one that a node for a closed form has."""
        return cls(formula(node, "by"), *(formula(node, k) if k in node else None for k in ("low", "high")))


def equation(seq: Sequent, lhs: Expr, rhs: Expr) -> str:
    """A tactic for an equation, as one."""
    lines = Equations(seq).prove(lhs, rhs)
    return "bc_equal" if branches(lines) else first("bc_equal", joined([line.rstrip(".") for line in lines]))


def as_binder(e: Expr, seq: Sequent, t: str) -> Binder:
    """An integral or sum with a fresh name for what it binds."""
    body, v, lo, hi = e.args
    low, high = (None if end(x) in ("p_infty", "m_infty") else x for x in (lo, hi))
    return Binder(e, substitute(body, {v.value: var(t)}), t, low, high, seq)


def found(b: Binder) -> Primitive:
    """A primitive that the certificate does not name, by the search for antiderivatives. Raises :class:`NotStated`."""
    start = seconds_used()

    def clock() -> None:
        if seconds_used() - start > SECONDS:
            raise NotStated(f"no primitive of {b.term} in {SECONDS:g} s")

    with ctx.workprec(PRECISION):
        if b.is_sum:
            whole = antidifference(b.body, b.t, clock)
        else:
            whole = next(iter(antiderivatives(b.body, b.t, b.inside(b.seq.goal).algebra, clock)), None)
    if whole is None:
        raise NotStated(f"no primitive of {b.term}")
    return Primitive(whole)


def value(b: Binder, p: Primitive, equal: str = "") -> tuple[Expr, str]:
    """The value of the integral or sum as a formula, and a tactic that proves it (``isInt``, ``isSum`` or ``Sum = ``).

    ``equal`` is a tactic for the equation inside the range, where a certificate's child proves it.
    """
    return _sum(b, p, equal) if b.is_sum else _integral(b, p, equal)


def _integral(b: Binder, p: Primitive, equal: str) -> tuple[Expr, str]:
    f = p.formula
    slope = derivative(f, b.t)
    fun, body, seen = function(b.t, f), function(b.t, b.body), entered(b)
    same = equal or equation(b.inside(Relation("==", slope, b.body)), slope, b.body)
    derive = f"{seen}; apply (d_eq _ _ ({coq(slope)})); [bc_derive | {same}]"
    steady = f"{seen}; bc_cont"
    a, la = _limit(b, p.low, f, True)
    c, lc = _limit(b, p.high, f, False)
    both = (
        "intros JE; first [discriminate JE | injection JE as JE; first [exfalso; "
        "lra | rewrite JE; reflexivity | rewrite <- JE; bc_equal]]"
    )
    tactic = (
        f"(eapply isInt_as; [apply (Int_primitive {fun} {body} {ends(b.term)} ({coq(a)}) ({coq(c)})); "
        f"[bc_ends | {derive} | {steady} | {la} | {lc} | {both}] | first [reflexivity | ring | bc_equal]])"
    )
    return c - a, tactic


def _sum(b: Binder, p: Primitive, equal: str) -> tuple[Expr, str]:
    f = p.formula
    after = substitute(f, {b.t: var(b.t) + num(1)})
    fun, body = function(b.t, f), function(b.t, b.body)
    assert b.low is not None
    low = coq(b.low)
    same = equal or equation(b.inside(Relation("==", after - f, b.body)), after - f, b.body)
    differ = f"{entered(b)}; {same}"
    start = substitute(f, {b.t: b.low})
    if b.high is None:
        limit, far = _limit(b, p.high, f, False)
        tactic = (
            f"(eapply isSum_as; [apply (isSum_telescope {fun} {body} ({low}) ({coq(limit)})); "
            f"[bc_whole | {differ} | {far}] | cbv beta; first [reflexivity | ring | bc_equal]])"
        )
        return limit - start, tactic
    stop = substitute(f, {b.t: b.high + num(1)})
    closed = stop - start
    tactic = (
        f"(rewrite (Sum_telescope {fun} {body} ({low}) ({coq(b.high)})); [cbv beta; "
        f"first [reflexivity | bc_equal] | bc_sum_ok | {differ}])"
    )
    return closed, tactic


def _limit(b: Binder, given: Expr | None, f: Expr, low: bool) -> tuple[Expr, str]:
    """The limit of f at an end, and a tactic for it: by continuity, by a few rules, or by an expansion."""
    e = b.low if low else b.high
    side = "lim_right" if low else "lim_left"
    if e is not None and given is None:
        at = substitute(f, {b.t: e})
        if enclose(at, b.seq.box or {}) is not None or _continuous(f, b.t):
            return at, f"(apply ({side} {function(b.t, f)} ({coq(e)})); bc_cont)"
    series = _rate(b, f, e, low)
    rules = "(eapply lim_as; [bc_limit | cbv beta; first [bc_equal | bc_side]])"
    if series is not None:
        limit, tactic = series
        return (given or limit), f"first [{rules} | {tactic}]"
    return (still(_far(b, f, low), b.t) if given is None else given), rules


def _far(b: Binder, f: Expr, low: bool) -> Expr:
    """The formula with what the error function goes to at an infinite end, where its argument has a sign far out."""
    if f.op in ("erf", "erfc") and b.t in f.free and (b.low if low else b.high) is None:
        sign = sign_far(f.args[0], b.t, -1 if low else 1, b.seq.box or {})
        if sign:
            return num(sign if f.op == "erf" else 1 - sign)
    if not f.args or f.op in BINDERS:
        return f
    return Expr(f.op, tuple(_far(b, a, low) for a in f.args), f.value)


def still(f: Expr, t: str) -> Expr:
    """What is left of a sum where every product with the variable vanishes."""
    if t not in f.free:
        return f
    match f.op:
        case "add":
            return still(f.args[0], t) + still(f.args[1], t)
        case "sub":
            return still(f.args[0], t) - still(f.args[1], t)
        case "neg":
            return -still(f.args[0], t)
    return num(0)


def _continuous(f: Expr, t: str) -> bool:
    """Whether powers in the variable have exponents that do not move: then what is not defined at an end may be 0."""
    return all(n.op != "log" for n in f.walk() if t in n.free) and not any(
        n.op == "div" and t in n.args[1].free for n in f.walk()
    )


def _rate(b: Binder, f: Expr, at: Expr | None, low: bool) -> tuple[Expr, str] | None:
    seq = Sequent(b.seq.hyps, Relation("==", f, num(0)), b.seq.integers)
    for width in WIDTHS:
        place = Place(b.t, at, 1 if low == (at is not None) else -1, width)
        found = expanded(place, seq, DEPTHS[:6], lambda s, place=place: _rated(f, place, s))  # type: ignore[misc]
        if found is not None:
            return found
    return None


def _rated(f: Expr, place: Place, s: Series) -> tuple[Expr, str]:
    scale = s.scale
    expansion_facts(place, s)
    walk = Walk(s, place)
    y = walk.of(plain(f))
    limit = scale.coefficients.c_expr(y.poly[ONE]) if ONE in y.poly else num(0)
    unit = (Fraction(1, scale.q), 0, (), ())
    rest = scale.scaled({k: c for k, c in y.poly.items() if k != ONE}, unit, None, -1)
    if not rest:
        raise NoSeries("a constant")
    if scale.q < 4 and any(k[0] >= 0 and k[1] > scale.power(k[0]) and not k[2] for k in rest):
        raise Finer(2)  # g times a logarithm vanishes by no power of g
    bound = rational(scale.total(rest, s.bounds))
    small = s.bounded(rest)
    turned = f"rewrite {', '.join(reversed(walk.order))}; " if walk.order else ""
    v = name(place.variable)
    lemma = {(True, 1): "rate_right", (True, -1): "rate_left", (False, 1): "from_p", (False, -1): "from_m"}[
        place.at is not None, place.side
    ]
    sign = "+" if place.side > 0 else "-"
    moved = f"({coq(place.at)}) {sign} zh" if place.at is not None else "/ zh" if place.side > 0 else "- / zh"
    s.say("exists zg; split; [apply Rlt_le; exact Pg | split; [exact Gg |]]")
    s.say(f"replace ({coq(f)}) with {y.name} by (bc_expand_unfold; {turned}first [reflexivity | bc_expand_equal])")
    s.say(
        f"replace ({y.name} - ({coq(limit)})) with (zg * ({small})) by (rewrite {y.equation}; {s._defined()}{s.equal})"
    )
    s.say(
        "rewrite Rabs_mult, (Rabs_pos_eq zg) by (apply Rlt_le; exact Pg); rewrite Rmult_comm; "
        "apply Rmult_le_compat_r; [apply Rlt_le; exact Pg | apply Rabs_le; split; bc_expand_bound]"
    )
    fun = function(place.variable, f)
    lines = [
        f"apply ({lemma} {scale.q - 1} {number(bound)} {number(place.width)} ({coq(limit)}) {fun})",
        "split; [lra | split; [lra | intros zh zh0 zh1]]; cbv beta",
        f"assert (exists v, v = {moved}) as [{v} zX0] by (eexists; reflexivity)",
        "rewrite <- zX0",
        *s.lines,
    ]
    return limit, joined(lines)
