"""Rules that turn a sequent into others: cases, ladders, factors, homogeneity, substitutions, lemmas."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.nodes_read import (
    ZERO,
    Node,
    at_least,
    formula,
    fresh_name,
    items,
    known,
    name_of,
    need,
    ordering,
    rational,
    refuse_more_bases,
)
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, add, freeze, multiply, thaw
from boundcheck.kernel.check.sequent import (
    Refused,
    Sequent,
    conditions,
    domain,
    obligations,
    outside_binders,
)
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import (
    BINDERS,
    MAX_LENGTH,
    Expr,
    FormulaError,
    Relation,
    call,
    const,
    num,
    parse_relation,
    substitute,
    var,
)
from boundcheck.kernel.formula.functions import RISING, TABLE


def _case(node: Node, seq: Sequent) -> list[Sequent]:
    """Two children: e >= 0 (e > 0 where "strict") and e <= 0, kinks abs(e), min and max resolved in each."""
    e = known(node, "on", seq)
    left = obligations(e, seq)
    never = any(h.op == "!=" and h.gap in (e, -e) for h in seq.hyps)
    a, b = e.args if e.op == "sub" else (e, ZERO)
    strict = node.get("strict") is True
    for op, sign in ((">" if never or strict else ">=", 1), ("<" if never else "<=", -1)):
        child = seq.with_hyps()

        def put(r: Relation, sign: int = sign) -> Relation:
            return r.map(lambda f: resolve(f, e, sign, seq, r.op != "defined"))

        hyps = tuple(put(h) for h in child.hyps)
        left.append(Sequent((*hyps, Relation(op, a, b)), put(child.goal), seq.integers))
    return left


def binary(e: Expr) -> Expr:
    """``e`` with min and max of many arguments nested in pairs."""
    if e.op in ("num", "var", "const"):
        return e
    args = tuple(binary(a) if i != 1 or e.op not in ("integral", "sum") else a for i, a in enumerate(e.args))
    while e.op in ("min", "max") and len(args) > 2:
        args = (*args[:-2], Expr(e.op, args[-2:]))
    return Expr(e.op, args, e.value)


def resolve(f: Expr, e: Expr, sign: int, seq: Sequent, drop: bool = True) -> Expr:
    """``f`` where sign*e >= 0: abs of +-e, and (``drop``) min/max of two formulas that differ by +-e, taken apart."""
    if f.op in ("num", "var", "const", "integral", "sum"):
        return f
    args = tuple(resolve(a, e, sign, seq, drop) for a in f.args)
    if f.op == "abs":
        for s in (1, -1):
            if seq.algebra.is_zero(args[0] - (e if s > 0 else -e)):
                return args[0] if s * sign > 0 else -args[0]
    if drop and f.op in ("min", "max") and len(args) == 2:
        a, b = args
        for s in (1, -1):
            if seq.algebra.is_zero(a - b - (e if s > 0 else -e)):
                return a if (s * sign > 0) == (f.op == "max") else b
    return Expr(f.op, args, f.value)


def _step(node: Node, seq: Sequent) -> list[Sequent]:
    """floor(u) or ceil(u) relaxed to a new integer variable within 1 of u."""
    term, new = known(node, "term", seq), fresh_name(node, seq)
    if term.op not in ("floor", "ceil"):
        raise Refused("step wants a floor or ceil")
    u, t = term.args[0], var(new)
    facts = (
        (Relation("<=", t, u), Relation(">", t, u - 1))
        if term.op == "floor"
        else (Relation(">=", t, u), Relation("<", t, u + 1))
    )

    def put(r: Relation) -> Relation:
        return r.map(lambda e: replaced(e, term, t))

    # the facts about t say that u is defined: that is to be proved
    return [*obligations(u, seq), Sequent((*map(put, seq.hyps), *facts), put(seq.goal), seq.integers | {new})]


def _arc(node: Node, seq: Sequent) -> list[Sequent]:
    """asin(u), acos(u) or atan(u) replaced by y: its sine (cosine, tangent) is u, and it lies on the branch."""
    term, y = known(node, "term", seq), known(node, "is", seq)
    if term.op not in ("asin", "acos", "atan"):
        raise Refused("arc wants asin, acos or atan, and what it is")
    refuse_more_bases(seq, term.free, y)
    u, half = term.args[0], const("pi") / 2
    sine, cosine = call("sin", y), call("cos", y)
    low, high = (num(0), const("pi")) if term.op == "acos" else (-half, half)
    equal = {"asin": (sine, u), "acos": (cosine, u), "atan": (sine, u * cosine)}[term.op]
    op = "<" if term.op == "atan" else "<="
    conditions = [Relation("==", *equal), Relation(op, low, y), Relation(op, y, high)]
    goal = seq.goal.map(lambda e: replaced(e, term, y))
    return [*obligations(y, seq), *obligations(u, seq), *(seq.with_goal(c) for c in conditions), seq.with_goal(goal)]


def _let(node: Node, seq: Sequent) -> list[Sequent]:
    """A subformula becomes a new variable of which only the facts are known, each proved of the subformula."""
    term, new = known(node, "term", seq), fresh_name(node, seq)
    left, facts = obligations(term, seq), []
    for source in items(node, "facts", 6):
        fact = relation(source)
        if not fact.free <= {*seq.variables, new}:
            raise Refused("let: a fact on unknown variables")
        stated = fact.map(lambda e: substitute(e, {new: term}))
        left += [*obligations(stated.gap, seq), *need(stated, seq)]
        facts.append(fact)

    def put(r: Relation) -> Relation:
        return r.map(lambda e: replaced(e, term, var(new)))

    whole = {new} if is_integer_valued(term, seq.integers) else set()  # as an exponent it takes any base
    return [*left, Sequent((*map(put, seq.hyps), *facts), put(seq.goal), seq.integers | whole)]


def replaced(e: Expr, old: Expr, new: Expr) -> Expr:
    """``e`` with every occurrence of the subformula ``old`` replaced."""
    if e is old:
        return new
    if e.op in ("num", "var", "const", "integral", "sum"):
        return e
    return Expr(e.op, tuple(replaced(a, old, new) for a in e.args), e.value)


def _equal(node: Node, seq: Sequent) -> list[Sequent]:
    if seq.goal.op != "==":
        raise Refused("equal wants ==")
    return [seq.with_goal(Relation(op, seq.goal.lhs, seq.goal.rhs)) for op in ("<=", ">=")]


def _unequal(node: Node, seq: Sequent) -> list[Sequent]:
    op = node.get("as")
    if seq.goal.op != "!=" or op not in ("<", ">"):
        raise Refused("unequal wants != and one of < and >")
    return [seq.with_goal(Relation(op, seq.goal.lhs, seq.goal.rhs))]


def _defined(node: Node, seq: Sequent) -> list[Sequent]:
    if seq.goal.op != "defined":
        raise Refused("defined wants a goal of definedness")
    left = obligations(seq.goal.lhs, seq)
    return _parts_defined(seq) if any(s.goal == seq.goal for s in left) else left


def _parts_defined(seq: Sequent) -> list[Sequent]:
    """A formula is defined where its integrals and sums are, and the conditions outside of them hold."""
    e = seq.goal.lhs
    if e.op in BINDERS:
        raise Refused("an integral or sum is not evaluated on the whole box")
    outer = [n for n in outside_binders(e) if n.op in BINDERS]
    left = [seq.with_goal(Relation("defined", n, ZERO)) for n in outer]
    return left + [s for c in conditions(e, seq) for s in need(c, seq)]


def _factor(node: Node, seq: Sequent) -> list[Sequent]:
    """gap is exactly the product of the factors, each of a proved sign."""
    goal = ordering(seq)
    product, sign, left = num(1), 1, []
    for f in items(node, "factors", 40):
        if not isinstance(f, Mapping):
            raise Refused("a factor is an object")
        e, s = known(f, "text", seq), f.get("sign")
        if s not in (1, -1) or isinstance(s, bool):
            raise Refused("a factor has sign 1 or -1")
        sign *= s
        product = product * e
        left += obligations(e, seq)
        left += need(at_least(e if s > 0 else -e, goal.strict), seq)
    if sign < 0 or not seq.algebra.is_zero(goal.gap - product):
        raise Refused("the factors do not multiply to the gap")
    return left


def _monotone(node: Node, seq: Sequent) -> list[Sequent]:
    """Both sides through log, exp, the square, or a power that increases."""
    goal = ordering(seq)
    if goal.op in (">", ">="):
        goal = goal.flipped()
    a, b = goal.lhs, goal.rhs
    match node.get("fn"):
        case "log":
            both = [*need(at_least(a, True), seq), *need(at_least(b, True), seq)]
            return [*both, seq.with_goal(goal.map(lambda e: call("log", e)))]
        case "exp":
            return [seq.with_goal(goal.map(lambda e: call("exp", e)))]
        case "square":
            return [*need(at_least(b, False), seq), seq.with_goal(goal.map(lambda e: e ** num(2)))]
        case "power":
            r = known(node, "exponent", seq)
            powers = goal.map(lambda e: e**r)
            left = [*obligations(r, seq), *need(at_least(r, True), seq), *obligations(powers.gap, seq)]
            left += [*need(at_least(a, False), seq), *need(at_least(b, False), seq)]
            return [*left, seq.with_goal(powers)]
    raise Refused("fn is log, exp, square or power")


def _jensen(node: Node, seq: Sequent) -> list[Sequent]:
    """f(at) <= (1 - w) f(a) + w f(b), at = (1 - w) a + w b, is a hypothesis for a convex f, >= for a concave one."""
    name = node.get("fn")
    f = TABLE.get(name) if isinstance(name, str) else None
    if not isinstance(name, str) or f is None or f.convex is None:
        raise Refused("jensen: a function is wanted that is known to be convex or concave")
    a, b, w, at = (known(node, key, seq) for key in ("from", "to", "weight", "at"))
    if not seq.algebra.is_zero((num(1) - w) * a + w * b - at):
        raise Refused("jensen: at is not the weighted mean")
    strict = node.get("strict") is True
    left = [s for e in (a, b, w, at) for s in obligations(e, seq)]
    for e in (a, b):
        inside = [at_least(e, True)] if name in ("gamma", "loggamma") else domain(name, e)
        left += [s for relation in inside for s in need(relation, seq)]
    left += [*need(at_least(w, strict), seq), *need(at_least(num(1) - w, strict), seq)]
    if strict:
        left.append(seq.with_goal(Relation("!=", a, b)))
    op = ("<" if f.convex else ">") + ("" if strict else "=")
    fact = Relation(op, call(name, at), (num(1) - w) * call(name, a) + w * call(name, b))
    return [*left, seq.with_hyps(fact)]


def _peel(node: Node, seq: Sequent) -> list[Sequent]:
    """gap = c (f(a) - f(b)) with f strictly increasing: compare a and b."""
    goal = ordering(seq)
    a, b, c = known(node, "upper", seq), known(node, "lower", seq), known(node, "factor", seq, default=num(1))
    if a.op != b.op or len(a.args) != 1:
        raise Refused("peel wants one function on both sides")
    if a.op not in RISING:
        raise Refused(f"peel: {a.op} is not known to increase")
    if not seq.algebra.is_zero(goal.gap - c * (a - b)):
        raise Refused("peel: the goal has another form")
    left = [*obligations(a, seq), *obligations(b, seq), *obligations(c, seq), *need(at_least(c, True), seq)]
    return [*left, seq.with_goal(Relation(">" if goal.strict else ">=", a.args[0], b.args[0]))]


def _scale(node: Node, seq: Sequent) -> list[Sequent]:
    """Homogeneity: hypotheses and goal keep their sense under v -> s^w v, so one variable may be 1."""
    weights = node.get("weights")
    unit = name_of(node, "unit", seq)
    if not isinstance(weights, Mapping) or not weights or len(weights) > 40:
        raise Refused("weights: an object is wanted")
    table = {v: rational(w, "weight") for v, w in weights.items() if isinstance(v, str)}
    if table.get(unit, 0) == 0 or table.keys() & seq.integers or not table.keys() <= set(seq.variables):
        raise Refused("the unit needs a weight, and integers cannot be scaled")
    if need(at_least(var(unit), True), seq):
        raise Refused("the unit is not known to be positive")
    s = var("scale_")
    if "scale_" in seq.variables:
        raise Refused("the name scale_ is taken")
    wide = seq.with_hyps(at_least(s, True))
    moved = {v: s ** num(w) * var(v) for v, w in table.items()}
    for r in (*seq.hyps, seq.goal):
        if r.op == "defined":
            raise Refused("definedness is not scaled")
        if not all(_homogeneous(e, moved, wide, s) for e in (r.gap, *(c.gap for c in conditions(r.gap)))):
            raise Refused(f"not homogeneous: {r}")
    return [seq.substituted({unit: num(1)})]


def _homogeneous(gap: Expr, moved: dict[str, Expr], wide: Sequent, s: Expr) -> bool:
    if not gap.free & moved.keys():
        return True
    try:
        before, after = wide.algebra.normal(gap), wide.algebra.normal(substitute(gap, moved))
    except AlgebraLimit:
        return False
    if before.zero or after.zero:
        return before.zero and after.zero
    left, right = multiply(after.num, before.den), multiply(before.num, after.den)
    k, j = (dict(next(iter(p))).get(s, fmpq(0)) for p in (left, right))  # one power of s in all of left, and of right
    power = freeze(add(thaw(k), thaw(j), fmpq(-1)))
    shifted = multiply(right, {((s, power),): fmpq(1)} if power != 0 else ONE)
    return not add(left, shifted, fmpq(-1))


def _substitute(node: Node, seq: Sequent) -> list[Sequent]:
    """x = by(t), with t = inverse(x) at every point of the domain: an identity, or a goal of its own.

    For a whole x both are whole by their form, and t is.
    """
    v, new = name_of(node, "var", seq), fresh_name(node, seq)
    by, inverse = formula(node, "by"), formula(node, "inverse")
    whole = frozenset({new} if v in seq.integers else ())
    if whole and not (is_integer_valued(by, seq.integers - {v} | whole) and is_integer_valued(inverse, seq.integers)):
        raise Refused("substitute: a whole variable wants formulas that are whole by their form")
    rest = set(seq.variables) - {v}
    if not by.free <= rest | {new} or not inverse.free <= rest | {v}:
        raise Refused("substitute: unknown variables")
    refuse_more_bases(replace(seq, integers=seq.integers | whole), frozenset({v}), by)
    back = substitute(by, {new: inverse})
    left = [*obligations(inverse, seq), *obligations(back, seq)]
    if not seq.algebra.is_zero(back - var(v)):
        left += need(Relation("==", back, var(v)), seq)
    facts = []
    for source in items(node, "facts", 6) if "facts" in node else []:
        fact = relation(source)
        if not fact.free <= rest | {new}:
            raise Refused("substitute: a fact on unknown variables")
        left += need(fact.map(lambda e: substitute(e, {new: inverse})), seq)
        facts.append(fact)
    changed = seq.substituted({v: by}).with_hyps(*facts)
    return [*left, replace(changed, integers=changed.integers | whole)]


def relation(source: Any) -> Relation:
    """The relation in a certificate's text. Raises :class:`Refused`."""
    if not isinstance(source, str) or len(source) > MAX_LENGTH:
        raise Refused("a relation text is wanted")
    try:
        return parse_relation(source)
    except (FormulaError, ValueError, RecursionError) as error:
        raise Refused(f"a relation: {error}") from None


def _cut(node: Node, seq: Sequent) -> list[Sequent]:
    """A lemma proved from the hypotheses joins them."""
    lemma = relation(node.get("lemma"))
    if not lemma.free <= set(seq.variables) or lemma.op == "!=":
        raise Refused("a lemma on unknown variables")
    proof = need(lemma, seq)
    return [*proof, seq.with_hyps(lemma)]


def _drop(node: Node, seq: Sequent) -> list[Sequent]:
    keep = items(node, "keep")
    if not all(isinstance(i, int) and not isinstance(i, bool) and 0 <= i < len(seq.hyps) for i in keep):
        raise Refused("keep: indices of hypotheses are wanted")
    return [Sequent(tuple(seq.hyps[i] for i in keep), seq.goal, seq.integers)]


def _enumerate(node: Node, seq: Sequent) -> list[Sequent]:
    v, first, last = name_of(node, "var", seq), node.get("from"), node.get("to")
    if (
        v not in seq.integers
        or not isinstance(first, int)
        or not isinstance(last, int)
        or not 0 <= last - first <= 5000
    ):
        raise Refused("enumerate wants an integer variable and a short range")
    refuse_more_bases(seq, frozenset({v}), num(first))
    box = seq.box
    if box is None:
        return []
    out = [seq.substituted({v: num(k)}) for k in range(first, last + 1)]
    if not box[v][0] >= first:
        out.append(seq.with_hyps(Relation("<=", var(v), num(first - 1))))
    if not box[v][1] <= last:
        out.append(seq.with_hyps(Relation(">=", var(v), num(last + 1))))
    return out


RULES = {
    "case": _case, "step": _step, "arc": _arc, "let": _let, "equal": _equal, "unequal": _unequal, "defined": _defined,
    "factor": _factor, "monotone": _monotone, "jensen": _jensen, "peel": _peel,
    "scale": _scale, "substitute": _substitute, "cut": _cut, "drop": _drop,
    "enumerate": _enumerate,
}  # fmt: skip
