"""The rule ``expansion`` in Rocq: the sign of a formula next to a point or at infinity, by named remainders."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace
from fractions import Fraction
from typing import Any, TypeVar

from flint import ctx, fmpq

from boundcheck.kernel.certificate import PRECISION
from boundcheck.kernel.check.nodes_read import ORDER, Node, formula, rational
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.check.series import Expander
from boundcheck.kernel.formula import Expr, num, parse, substitute
from boundcheck.kernel.formula.unfolding import unfolded
from boundcheck.rocq.compiler import SENTENCE
from boundcheck.rocq.coq_text import _CALLS, coq, name, number
from boundcheck.rocq.exponents import exponential, rewritten
from boundcheck.rocq.series_proofs import FAULTS, Series
from boundcheck.rocq.series_values import NewUnit, Value
from boundcheck.rocq.shapes import Children, uses
from boundcheck.rocq.small_series import ONE, Finer, NoSeries, Poly, Scale, as_written

T = TypeVar("T")
SECONDS = 120  #: for all tactics of one expansion
DEPTHS = (2, 3, 4, 5, 6, 8, 10, 12, 16)
NARROWER = (1, 4, 32)  #: by how much the certificate's width is divided where it is too large


@dataclass(frozen=True)
class Place:
    """Where the variable goes: to ``at`` (None for infinity) from the side, within the width."""

    variable: str
    at: Expr | None
    side: int
    width: Fraction


_ARCS = {"asin": parse("atan(x/sqrt(1 - x**2))"), "acos": parse("pi/2 - atan(x/sqrt(1 - x**2))")}


def plain(e: Expr) -> Expr:
    """``e`` without tangents, hyperbolic and inverse functions, as Coq unfolds or rewrites them."""

    def change(part: Expr) -> Expr:
        return substitute(_ARCS[part.op], {"x": part.args[0]}) if part.op in _ARCS else exponential(part)

    return rewritten(e, change)


class Walk:
    """The values of a formula's parts, each once."""

    def __init__(self, series: Series, place: Place):
        self.s, self.place = series, place
        self.memo: dict[Expr, Value] = {}
        self.order: list[str] = []  #: definitions of the parts, in order

    def moving(self) -> Poly:
        """The variable itself."""
        place, scale = self.place, self.s.scale
        if place.at is None:
            return {(Fraction(-1), 0, (), ()): fmpq(place.side)}
        return scale.add(scale.constant(place.at), {(Fraction(1), 0, (), ()): fmpq(place.side)})

    def text(self, e: Expr) -> str:
        """A part as text: its name, or itself where the variable does not occur."""
        return self.of(e).name if self.place.variable in e.free else f"({coq(e)})"

    def of(self, e: Expr) -> Value:
        """The value of a part. Raises :class:`NoSeries` and others of ``FAULTS``."""
        found = self.memo.get(e)
        if found is None:
            found = self._moving(e) if self.place.variable in e.free else self._still(e)
            self.memo[e] = found
            if self.place.variable in e.free:
                self.order.append(f"D{found.name}")
        return found

    def _still(self, e: Expr) -> Value:
        s = self.s
        p = s.scale.constant(e)
        value = s.scale.coefficients.c_expr(p[ONE]) if p else num(0)
        return Value(f"({coq(e)})", p, "" if coq(value) == coq(e) else s.still(e)[2])

    def _moving(self, e: Expr) -> Value:
        s, scale = self.s, self.s.scale
        if e.op == "var":
            return s.node(name(e.value), self.moving(), ["zX"])
        a = e.args
        match e.op:
            case "add" | "sub":
                u, v = self.of(a[0]), self.of(a[1])
                sign = "+" if e.op == "add" else "-"
                p = scale.add(u.poly, scale.scaled(v.poly, ONE, fmpq(1 if e.op == "add" else -1)))
                return s.node(f"{u.name} {sign} {v.name}", p, [u.equation, v.equation])
            case "neg":
                u = self.of(a[0])
                return s.node(f"- {u.name}", scale.scaled(u.poly, ONE, fmpq(-1)), [u.equation])
            case "mul":
                u, v = self.of(a[0]), self.of(a[1])
                return s.node(f"{u.name} * {v.name}", scale.mul(u.poly, v.poly), [u.equation, v.equation])
            case "div":
                u, v = self.of(a[0]), self.of(a[1])
                i = s.inverse(v)
                return s.node(
                    f"{u.name} / {v.name}",
                    scale.mul(u.poly, i.poly),
                    [f"(over_is {u.name} {v.name} {i.name} D{i.name})", u.equation, i.equation],
                )
            case "pow":
                return self._power(*a)
            case "sqrt":
                return s.power(self.of(a[0]), Fraction(1, 2), True)
            case "exp":
                return s.exp(self.of(a[0]))
            case "log":
                return s.log(self.of(a[0]))
            case "sin" | "cos":
                return s.wave(e.op, self.of(a[0]))
            case "atan":
                return s.atan(self.of(a[0]))
            case "abs":
                u = self.of(a[0])
                way = s.sign(u)
                lemma = "Rabs_pos_eq" if way > 0 else "Rabs_left"
                p = u.poly if way > 0 else scale.scaled(u.poly, ONE, fmpq(-1))
                return s.node(f"Rabs {u.name}", p, [f"({lemma} {u.name} ltac:(lra))", u.equation])
            case "min" | "max":
                u, v = self.of(a[0]), self.of(a[1])
                p = scale.add(u.poly, scale.scaled(v.poly, ONE, fmpq(-1)))
                d = s.node(f"{u.name} - {v.name}", p, [u.equation, v.equation])
                first = (s.sign(d) > 0) == (e.op == "max")
                head = {"min": "Rmin", "max": "Rmax"}[e.op]
                lemma = f"({head}_{'left' if first else 'right'} {u.name} {v.name} ltac:(lra))"
                w = u if first else v
                return s.node(f"{head} {u.name} {v.name}", w.poly, [lemma, w.equation])
        other = unfolded(e)
        if other is None or e.op in _CALLS:
            raise NoSeries(f"the function {e.op}")
        return self.of(other)

    def _power(self, base: Expr, exponent: Expr) -> Value:
        s = self.s
        if exponent.op == "num":
            if exponent.value.denominator == 1 and abs(exponent.value) > 40:
                raise NoSeries("a large power")
            return s.power(self.of(base), exponent.value)
        b, x = self.of(base), self.of(exponent)
        log = s.log(b)
        product = s.node(f"{x.name} * {log.name}", s.scale.mul(x.poly, log.poly), [x.equation, log.equation])
        found = s.exp(product)
        s.sign(b)
        own = s.fresh("zF")
        s.say(
            f"assert ({own} : rpw {b.name} {x.name} = {found.name}) by (rewrite rpw_exp by lra; "
            f"rewrite D{found.name}, D{product.name}, D{log.name}; reflexivity)"
        )
        return s.node(f"rpw {b.name} {x.name}", found.poly, [own, found.equation])


def read_place(node: Node) -> Place:
    """Where a node's expansion is."""
    at = None if node.get("at") == "oo" else formula(node, "at")
    return Place(str(node.get("var")), at, int(node["side"]), rational(node.get("width"), "width"))


def tactic(gap: Expr, place: Place, seq: Sequent) -> tuple[list[str], Fraction] | None:
    """Tactics that prove 0 < gap (as ``zS``) next to the place, and the width for which they do; None for none found.

    They expect ``zh`` (the distance, or the inverse of the variable's modulus) with ``zh0 : 0 < zh`` and
    ``zh1 : zh <= width``, and ``zX0 : variable = at + zh`` or its like.
    """
    for width in (place.width / narrower for narrower in NARROWER):
        near = replace(place, width=width)
        found = expanded(near, seq, DEPTHS, lambda s, near=near: _tactics(plain(gap), gap, near, s))  # type: ignore[misc]
        if found is not None:
            return found, width
    return None


def expanded(place: Place, seq: Sequent, depths: Iterable[int], build: Callable[[Series], T]) -> T | None:
    """What ``build`` makes of the first expansion that is long and fine enough; None for none."""
    box = {v: a for v, a in (seq.box or {}).items() if v != place.variable}
    for depth in depths:
        q, units = 1, dict[Any, Fraction]()
        for _ in range(12):
            scale = Scale(Expander(seq.algebra, box, place.width, depth), place.width, q, units)
            try:
                with ctx.workprec(PRECISION):
                    return build(Series(seq, scale, depth))
            except Finer as finer:
                q *= finer.args[0]
                if q > 24:
                    break
            except NewUnit:
                continue
            except FAULTS:
                break
    return None


def expansion_facts(place: Place, s: Series) -> None:
    """What is known of g, L and their product, and the variable in terms of g."""
    scale = s.scale
    q, top = scale.q, s.top
    sign = "" if place.side > 0 else "- "
    s.say(f"destruct (root_of {q - 1} zh zh0) as (zg & Pg & Gg & Lg)")
    s.say("simpl INR in Lg")
    s.say(
        f"assert (Wg : zg <= {top}) by (apply (root_below {q - 1}); [exact Pg | lra | "
        "rewrite <- Gg; eapply Rle_trans; [exact zh1 |]; simpl; lra])"
    )
    s.say("assert (Bg : 0 <= zg <= " + top + ") by (split; [apply Rlt_le; exact Pg | exact Wg])")
    s.say("assert (Ng : zg <> 0) by (apply Rgt_not_eq; exact Pg)")
    s.say("assert (exists L, L = - ln zh) as [zL DL] by (eexists; reflexivity)")
    s.say(f"assert (LGg : ln zg = - zL / {q}) by (rewrite DL, Lg; field)")
    s.say("assert (exists K, K = zg * zL) as [zK DzK] by (eexists; reflexivity)")
    least = number(Fraction(int(scale.least_log * 1000 - 1), 1000))
    s.say(f"assert (BL : {least} <= zL) by (rewrite DL; bc_expand_log)")
    bound = number(as_written(scale.log_bound))
    s.say(
        f"assert (BK : 0 <= zK <= {bound}) by (replace zK with ({q} * (zg * - ln zg)) "
        f"by (rewrite DzK, LGg; field); bc_expand_product {top})"
    )
    moved = f"{sign}zg ^ {q}" if place.at is not None else f"{sign}/ zg ^ {q}"
    if place.at is not None:
        at = scale.constant(place.at)
        whole = coq(scale.coefficients.c_expr(at[ONE])) if at else "0"
        moved = f"({whole}) + {moved}" if not sign else f"({whole}) {moved}"
    s.say(f"assert (zX : {name(place.variable)} = {moved}) by (rewrite zX0, Gg; bc_expand_equal)")


def _tactics(e: Expr, gap: Expr, place: Place, s: Series) -> list[str]:
    expansion_facts(place, s)
    walk = Walk(s, place)
    found = walk.of(e)
    if s.sign(found) < 0:
        raise NoSeries("the wrong sign")
    turned = f"rewrite {', '.join(reversed(walk.order))}; " if walk.order else ""
    s.say(
        f"assert (zS : 0 < {coq(gap)}) by (replace ({coq(gap)}) with {found.name}; [exact "
        f"S{found.name} | bc_expand_unfold; {turned}first [reflexivity | bc_expand_equal]])"
    )
    return s.lines


def expansion(node: Node, seq: Sequent, children: Children, direct: Callable[[], str]) -> list[str]:
    """The script of an expansion: named remainders where they are found, else (and where they fail) ``direct``."""
    goal = seq.goal
    gap = goal.gap
    head = []
    if "absurd" in node:
        gap, head = -seq.hyps[int(node["absurd"])].gap, ["exfalso"]
    elif goal.op not in ORDER:
        return [f"{direct()}."]
    place = read_place(node)
    found = tactic(gap, place, seq)
    if found is None:
        return [f"{direct()}."]
    return [
        f"Set Default Timeout {SECONDS}.",  # "Timeout" before a tactic does not raise the default
        f"first [{joined(_region(place, (head + found[0], found[1]), seq, children, direct))} | {direct()}].",
        f"Set Default Timeout {int(SENTENCE)}.",
    ]


def joined(lines: Sequence[str]) -> str:
    """Tactics one after the other as one."""
    return "(" + ";\n    ".join(lines) + ")"


def _region(
    place: Place, found: tuple[list[str], Fraction], seq: Sequent, children: Children, direct: Callable[[], str]
) -> list[str]:
    """The tactics of an expansion, after the facts about the distance ``zh`` that they expect; far off ``direct``."""
    lines, width = found
    known = uses(c for c in children if c.sequent.hyps == seq.hyps)
    v, w, right = name(place.variable), number(width), place.side > 0
    if place.at is None:
        size, far = (v if right else f"- {v}"), number((1 if right else -1) / width)
        out = [f"assert (zw0 : {number(1 / place.width)} <= {size}) by first [lra{known} | bc_side]"]
        split = f"Rle_or_lt ({number(1 / width)}) ({size})"
        near = f"{v} <= {far}" if right else f"{far} <= {v}"
        distance, moved, above = f"/ ({size})", f"{'' if right else '- '}/ zh", "apply Rinv_0_lt_compat; lra"
        below, back = "apply inverse_below; lra", "field; lra"
    else:
        at = coq(place.at)
        distance, moved = (f"{v} - ({at})", f"({at}) + zh") if right else (f"({at}) - {v}", f"({at}) - zh")
        above, below, back = "exact zd", "exact zw", "ring"
        face = next((c for c in reversed(children) if c.sequent == seq.substituted({place.variable: place.at})), None)
        out = [f"assert (zw0 : {distance} <= {number(place.width)}) by first [lra{known} | bc_side]"]
        if face is None:
            out.append(f"assert (zd : 0 < {distance}) by first [lra{known} | bc_side]")
        else:
            out.append(f"assert (zd0 : 0 <= {distance}) by first [lra{known} | bc_side]")
            here = f"(assert (zF0 : {v} = {at}) by lra; subst {v}; {face.use()})"
            out.append(f"destruct (Rle_lt_or_eq_dec 0 ({distance}) zd0) as [zd | zd]; [| solve [{here}]]")
        split = f"Rle_or_lt ({distance}) {w}"
        near = f"{coq(place.at + num(width))} <= {v}" if right else f"{v} <= {coq(place.at - num(width))}"
    if width != place.width:
        rest = f"assert (zB : {near}) by lra; {direct()}"
        out.append(f"destruct ({split}) as [zw | zw]; [| solve [{rest}]]")
    elif place.at is not None:
        out.append("pose proof zw0 as zw")
    return [
        *out,
        f"assert (exists h, h = {distance}) as [zh Dh] by (eexists; reflexivity)",
        f"assert (zh0 : 0 < zh) by (rewrite Dh; {above})",
        f"assert (zh1 : zh <= {w}) by (rewrite Dh; {below})",
        f"assert (zX0 : {v} = {moved}) by (rewrite Dh; {back})",
        *lines,
        "lra",
    ]
