"""What authors leave unsaid of the terms of a line: a sum of nonnegative terms is >= 0, X has a mean if X**2 has.

These are lines of their own, each by a rule that the kernel checks. They are looked for where a line is not found
without them, and where a claim speaks of a mean of which nothing shows that it exists.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import replace
from itertools import islice

from boundcheck.author import adapter
from boundcheck.author.adapter import RULES
from boundcheck.author.by_gram import by_gram, multiples, vectors_of
from boundcheck.author.by_rule import Prove, by_rule, outside
from boundcheck.author.combine import by_domain
from boundcheck.author.draft import Draft, Seen, instances, terms_in
from boundcheck.author.goal import PATIENT, QUICK, Closest, Goal, accept
from boundcheck.author.inside import bounds_of, expanded, multiplied_out, named_equations, with_equations
from boundcheck.author.match import substituted, terms_of, total
from boundcheck.kernel.clock import exhausted
from boundcheck.kernel.formula import Expr, Relation, call, num
from boundcheck.kernel.proof.terms import names_of
from boundcheck.kernel.statement import ByGram, ByRule, Fact, Follows

MAX_TERMS = 6  #: of a line, of each kind
_LENGTHS = ("abs", "norm")
_DOMINATED = {"norm": "integrable, dominated", "abs": "integrable, dominated number"}
_SIGNED = ("sum of nonnegative terms", "expectation of a square", "expectation of a nonnegative variable")


def grounded(draft: Draft, goal: Goal, prove: Prove) -> Draft:
    """The draft with lines on signs of sums and means of the goal, on means that exist, on lower moments, on last
    terms of sums, on what stands under roots."""
    draft = with_means(with_signs(draft, goal, prove), goal, prove)
    return _with_arguments(with_last_terms(_with_higher_moments(draft, goal), goal), goal)


def _with_arguments(draft: Draft, goal: Goal) -> Draft:
    """The draft with the signs of what stands under roots, in logarithms and below the line, where the domain tells
    them by further parameters: T >= 0 where T >= 2**m."""
    partial = (n for n in dict.fromkeys(goal.relation.walk()) if n.op in ("sqrt", "log", "div"))
    for n in islice(partial, MAX_TERMS):
        sign = goal.part(said(goal, Relation(">=" if n.op == "sqrt" else ">", n.args[-1], num(0))))
        if sign.relation.free and not sign.structured and not _said(draft, sign):
            draft = by_domain(draft, sign) or draft
    return draft


def with_last_terms(draft: Draft, goal: Goal) -> Draft:
    """The draft with the last term split off where the goal speaks of a sum with it and of one without, or of no other
    term; and with what a sum of no terms is."""
    sums = _terms(draft, goal, ("sum",))
    for body, index, low, high in (s.args for s in sums):
        shorter = call("sum", body, index, low, adapter.canonical(high - num(1)))
        values = {"G": body, "s": index, "a": low}
        if adapter.same(high, low) or any(adapter.same(shorter, other) for other in sums):
            draft = by_rule_at(draft, goal, "last term of a range", {**values, "n": high}) or draft
        for few in (call("sum", body, index, low, high), shorter):
            if adapter.same(few.args[3], low - num(1)):
                draft = by_rule_at(draft, goal, "no terms", {**values, "b": few.args[3]}) or draft
    return draft


def by_rule_at(draft: Draft, goal: Goal, rule: str, values: dict[str, Expr]) -> Draft | None:
    """The draft with what the rule says at these values, where the goal holds; None where that is said already."""
    part, by = _at(goal, rule, values)
    return None if _said(draft, part) else accept(draft, part, by, f"rule: {rule}")


def _at(goal: Goal, rule: str, values: dict[str, Expr]) -> tuple[Goal, ByRule]:
    """What the rule says at these values, where the goal holds, and that it is the reason."""
    derived = {
        d.name: substituted(values[d.source], {str(values["s"].value): values["n"]}) for d in RULES[rule].derived
    }
    claim = adapter.relation_of(RULES[rule].conclusion).map(lambda e: substituted(e, {**values, **derived}))
    return goal.part(said(goal, claim)), ByRule(rule, {k: adapter.as_text(v) for k, v in values.items()})


def with_signs(draft: Draft, goal: Goal, prove: Prove) -> Draft:
    """The draft with ``T >= 0`` for the sums and means T of the goal that a rule shows to be so."""
    for term in _terms(draft, goal, ("sum", "E")):
        part = goal.part(said(goal, Relation(">=", term, num(0))))
        if part.fact.claim in goal.path or _said(draft, part):
            continue
        for rule in _SIGNED if not exhausted() else ():
            found = by_rule(draft, replace(part, depth=1), prove, only=rule)
            if found is not None:
                draft = found
                break
    return draft


def with_means(draft: Draft, goal: Goal, prove: Prove) -> Draft:
    """The draft with ``integrable(Y) == 1`` for the means E(Y) of the goal, and for the terms of Y multiplied out: of
    lower powers, of squares of sums, of products, of what a fact bounds."""
    numbers = adapter.numbers(draft.statement)
    goal = replace(goal, closest=Closest())  # what is near to a bound that nobody wrote says little
    for term in _terms(draft, goal, ("E", "Egiven", "integrable")):
        of = term.args[0]
        found = _of_a_lower_power(draft, goal, of) or _of_a_square(draft, goal, of) or _of_a_shift(draft, goal, of)
        terms = dict.fromkeys([*of.walk(), *(multiplied_out(of, numbers) or adapter.canonical(of)).walk()])
        draft = _of_products(found or draft, goal, terms) or found or _below_a_fact(draft, goal, of, prove) or draft
    return draft


def _of_products(draft: Draft, goal: Goal, terms: Iterable[Expr]) -> Draft | None:
    """The means of products of two random factors among ``terms`` exist where those of both squares do; the mean of
    one with a constant beside it where that of a power does."""
    found = None
    products = [n for n in terms if n.op in ("dot", "mul")]
    for n in products[:MAX_TERMS]:
        factors = [a for a in n.args if draft.random & outside(a)]
        if exhausted() or not factors or _said(draft, _exists(goal, n)):
            continue
        if len(factors) == 2:
            found = _of_a_product(found or draft, goal, n) or found
        elif factors[0] not in products:
            found = _of_a_lower_power(found or draft, goal, factors[0]) or found
    return found


def with_inner_products(draft: Draft, goal: Goal, sides: Iterable[Expr], equations: Iterable[Seen]) -> Draft:
    """The draft with E(<w, X>) = <w, E(X)> for the means of inner products in ``sides`` with a constant w.

    |E(X)|**2 is one of these, <E(X), E(X)>. So is what stands beside a w there and has a mean by one of ``equations``.
    """
    terms = dict.fromkeys(n for side in sides for n in side.walk())
    found = [n.args for n in terms if n.op == "dot"]
    for mean in (n.args[0] for n in terms if n.op == "norm" and n.args[0].op == "E"):
        part, by = _at(goal, "dot with itself", {"v": mean})
        draft = accept(draft, part, by, f"rule: {by.rule}") or draft
        found.append((mean, mean.args[0]))
    pairs = [pair for v, w in found for pair in ((v, w), (w, v))]
    pairs = [(x, w) for x, w in pairs if draft.random & outside(x) and not draft.random & outside(w)]
    for x, w in pairs[: 2 * MAX_TERMS]:
        part, by = _at(goal, "inner product with an expectation", {"w": w, "X": x})
        draft = accept(draft, part, by, f"rule: {by.rule}") or draft
    for s in (s for s in equations if s.relation.lhs.op == "E" and len(terms_of(s.relation.lhs.args[0])) > 1):
        more = expanded(draft, goal, more=(s.relation.lhs,))
        split, draft = more.seen[: more.last - draft.last], more  # E(X - Y) == E(X) - E(Y)
        if not split:
            continue
        for w in dict.fromkeys(w for _, w in pairs):
            parts = ([(k, call("E", t)) for k, t in terms_of(s.relation.lhs.args[0])], terms_of(s.relation.rhs))
            left, right = (total([(k, _product(w, t)) for k, t in terms]) for terms in parts)
            part = goal.part(goal.said(Relation("==", left, right)))
            draft = by_gram(draft, part, (*split, s), always=True) or draft
    return draft


def _product(w: Expr, v: Expr) -> Expr:
    """<w, v>, as |w|**2 where these are one."""
    return call("norm", w) ** num(2) if v is w else call("dot", w, v)


def with_squares_of_constants(draft: Draft, goal: Goal, sides: Iterable[Expr]) -> Draft:
    """The draft with |c|**2 multiplied out, for the squares |X + c|**2 in ``sides`` and the sum c of what is constant.

    It is what E|X + c|**2 is above E|X|**2 where -c is the mean of X.
    """
    lengths = dict.fromkeys(n.args[0] for side in sides for n in side.walk() if n.op == "norm")
    for v in islice(lengths, MAX_TERMS):
        square = call("norm", total([(s, t) for s, t in terms_of(v) if not draft.random & outside(t)])) ** num(2)
        out = multiplied_out(square, adapter.numbers(draft.statement))
        if out is not None:
            draft = by_gram(draft, goal.part(goal.said(Relation("==", square, out))), (), always=True) or draft
    return draft


def _of_a_product(draft: Draft, goal: Goal, of: Expr) -> Draft | None:
    v, w = of.args
    if of.op == "mul":
        return _dominated(draft, goal, of, _kept(v) + _kept(w))
    for square in (call("norm", v) ** num(2), call("norm", w) ** num(2)):
        draft = _of_a_square(draft, goal, square) or _of_a_shift(draft, goal, square) or draft
    part, by = _at(goal, "Cauchy-Schwarz", {"v": v, "w": w})
    known = accept(draft, part, by, f"rule: {by.rule}")
    return known and _dominated(known, goal, of, _kept(call("norm", v)) + _kept(call("norm", w)), known.last)


def _of_a_shift(draft: Draft, goal: Goal, of: Expr) -> Draft | None:
    """The mean of |w|**2 exists where that of |v|**2 does and w - v is no random quantity."""
    if of.op != "pow" or of.args[1] is not num(2) or _said(draft, _exists(goal, of)):
        return None
    w = of.args[0].args[0] if of.args[0].op in _LENGTHS else of.args[0]
    length = "norm" if of.args[0].op == "norm" else "abs"
    for v in islice(_squares(draft, goal, length), MAX_TERMS):
        shift = adapter.canonical(w - v)
        if draft.random & outside(shift):
            continue
        if length == "abs":
            found = _dominated(draft, goal, of, num(2) * _kept(v) + num(2) * shift ** num(2))
        else:
            bound = num(2) * call(length, v) ** num(2) + num(2) * call(length, shift) ** num(2)
            below = goal.part(said(goal, Relation("<=", of, bound)))
            parts = tuple(map(adapter.as_text, vectors_of(Relation("==", of, bound))))
            found = accept(draft, below, ByGram(parts), "quadratic form", QUICK)
            found = found and _dominated(found, goal, of, bound, found.last)
        if found is not None:
            return found
    return None


def _kept(e: Expr) -> Expr:
    """The square as a maximum, inside of which the kernel does not multiply it out: a fact says that it has a mean."""
    return call("max", e ** num(2), num(0))


def _squares(draft: Draft, goal: Goal, length: str) -> Iterator[Expr]:
    """The v of whose square |v|**2 facts in sight say that it has a mean, or speak of its mean."""
    for of in _averaged(draft, goal):
        if of.op == "pow" and of.args[1] is num(2) and (of.args[0].op == "norm") == (length == "norm"):
            v = of.args[0].args[0] if of.args[0].op in _LENGTHS else of.args[0]
            if adapter.canonical(v) is not num(0):
                yield v


def _averaged(draft: Draft, goal: Goal) -> Iterable[Expr]:
    """What facts in sight say to have a mean, or speak of the mean of; for all values: at the terms of the goal.

    First what hypotheses say, which speak of means that exist, and lines that say so.
    """
    terms = terms_in(goal.relation)
    sure = [s for s in draft.seen if isinstance(s.ref, str) or s.relation.lhs.op == "integrable"]
    seen = dict.fromkeys([*sure, *draft.seen])
    facts = (one.relation for s in seen for one in instances(s, terms, goal.own))
    return dict.fromkeys(n.args[0] for r in facts for s in r.sides for n in s.walk() if n.op in ("E", "integrable"))


def _below_a_fact(draft: Draft, goal: Goal, of: Expr, prove: Prove) -> Draft | None:
    """The mean exists, as a fact bounds the length; squares of sums that it is bounded by have a mean first."""
    part = replace(_exists(goal, of), depth=1)
    for bound in () if _said(draft, part) else bounds_of(draft, goal, of):
        for term in bound.rhs.walk():
            draft = _of_a_square(draft, goal, term) or draft
    rules = () if _said(draft, part) else (_DOMINATED["norm"], _DOMINATED["abs"])
    return next((found for rule in rules if (found := by_rule(draft, part, prove, only=rule)) is not None), None)


def _of_a_lower_power(draft: Draft, goal: Goal, of: Expr) -> Draft | None:
    """The mean of |X|**q exists where that of |X|**r does, for some r >= q that a fact speaks of."""
    for base, power in _lengths(of):
        part = _exists(goal, call("pow", base, power))
        for higher in _powers(draft, goal, base):
            if higher is power or _said(draft, part):
                continue
            values = {"X": str(base), "q": str(power), "r": str(higher)}
            found = accept(draft, part, ByRule("integrable, lower power", values), "rule: integrable, lower power")
            if found is not None:
                whole = power is num(1) and of is not base
                return (_dominated(found, goal, of, base) or found) if whole else found
    return None


def _lengths(of: Expr) -> Iterator[tuple[Expr, Expr]]:
    """(|X|, q) for a power X**q: as it is where X is a modulus, else its modulus or its norm."""
    base, power = of.args if of.op == "pow" else (of, num(1))
    for one in (base,) if base.op in _LENGTHS else (call("abs", base), call("norm", base)):
        yield one, power


def _with_higher_moments(draft: Draft, goal: Goal) -> Draft:
    """The draft with E(|X|**q) <= E(|X|**r)**(q/r) for the moments of the goal, and those that facts speak of."""
    for term in _terms(draft, goal, ("E",)):
        lengths = [(b, p, r) for b, p in _lengths(term.args[0]) for r in dict.fromkeys(_powers(draft, goal, b))]
        for base, power, higher in lengths:
            if higher is power or exhausted():
                continue
            above = call("E", call("pow", base, higher))
            sign = goal.part(said(goal, Relation(">=", above, num(0))))
            known = accept(draft, sign, ByRule(_SIGNED[2], {"X": str(above.args[0])}), f"rule: {_SIGNED[2]}")
            if known is None:
                continue
            values = {"X": str(base), "q": str(power), "r": str(higher)}
            lower = Relation("<=", call("E", call("pow", base, power)), call("pow", above, power / higher))
            by = ByRule("Lyapunov", values, (known.last,))
            draft = accept(known, goal.part(said(goal, lower)), by, "rule: Lyapunov") or draft
    return draft


def _powers(draft: Draft, goal: Goal, base: Expr) -> Iterator[Expr]:
    """The powers of a length, or of what it is the modulus of, whose means the goal and facts speak of."""
    own = (n.args[0] for n in goal.relation.walk() if n.op in ("E", "integrable"))
    for of in dict.fromkeys([*own, *_averaged(draft, goal)]):
        for n in of.walk():
            even = n.op == "pow" and n.args[1].op == "num" and n.args[1].value % 2 == 0
            if n.op == "pow" and (n.args[0] is base or (even and n.args[0] is base.args[0])):
                yield n.args[1]


def _of_a_square(draft: Draft, goal: Goal, of: Expr) -> Draft | None:
    """The mean of |b v + w|**2 exists where those of |v|**2 and |w|**2 do: it is at most 2 b**2 |v|**2 + 2 |w|**2."""
    if of.op != "pow" or of.args[1] is not num(2) or of.args[0].op != "norm":
        return None
    if _said(draft, _exists(goal, of)):
        return None
    whole = of.args[0].args[0]
    parts = list(dict.fromkeys(multiples(whole, adapter.numbers(draft.statement))))
    still = [(c, v) for c, v in parts if v.op == "E" or not adapter.names(v) & draft.random]
    known = [(num(1), v) for v in islice(_squares(draft, goal, "norm"), MAX_TERMS) if not adapter.same(v, whole)]
    for some in ([*known, *still], parts):
        if not 1 < len(some) <= 2 * MAX_TERMS or (some is not parts and not known):
            continue
        bound = num(0)
        for c, v in some:
            bound = bound + num(len(some)) * c ** num(2) * call("norm", v) ** num(2)
        below = goal.part(said(goal, Relation("<=", of, bound)))
        vectors = tuple(map(adapter.as_text, vectors_of(Relation("==", of, bound))))
        found = accept(draft, below, ByGram(vectors), "quadratic form", QUICK)
        found = found and _dominated(found, goal, of, bound, found.last)
        if found is not None:
            return found
    return None


def _dominated(draft: Draft, goal: Goal, of: Expr, bound: Expr, *using: int) -> Draft | None:
    """The mean exists, as the length is at most what has one."""
    length = "norm" if bound.op == "norm" else "abs"
    rule = _DOMINATED[length]
    below = goal.part(said(goal, Relation("<=", call(length, of), bound)))
    found = accept(draft, below, Follows(using), "scalar", PATIENT)
    if found is None:
        return None
    by = ByRule(rule, {"X": str(of), "Y": str(bound)}, (found.last,))
    return accept(found, _exists(goal, of), by, f"rule: {rule}")


def of_a_known_mean(draft: Draft, goal: Goal) -> Draft | None:
    """``integrable(Y) == 1`` where the kernel sees it: hypotheses speak of E(Y), or Y is a sum of such terms."""
    if goal.relation.op != "==" or goal.relation.lhs.op != "integrable" or len(goal.relation.lhs.args) != 1:
        return None
    of = goal.relation.lhs.args[0]
    same = accept(draft, goal.part(said(goal, Relation("==", of, of))), Follows(()), "scalar")
    if same is None:
        return None
    by = ByRule("integrable of equals", {"X": adapter.as_text(of), "Y": adapter.as_text(of)}, (same.last,))
    return accept(same, goal, by, "rule: integrable of equals", near=-1)


def _terms(draft: Draft, goal: Goal, heads: tuple[str, ...]) -> list[Expr]:
    """The terms of the goal with these heads that hold no bound name, as written, then with definitions put in."""
    equations = [s for s in dict.fromkeys([*named_equations(goal), *draft.definitions]) if s.relation.lhs.op == "at"]
    sides = [*goal.relation.sides, *(with_equations(side, equations) for side in goal.relation.sides)]
    bound = {str(n.args[1].value) for s in sides for n in s.walk() if n.binds}
    found = [n for s in sides for n in s.walk() if n.op in heads and not n.free & bound]
    return list(dict.fromkeys(found))[:MAX_TERMS]


def said(goal: Goal, relation: Relation) -> Fact:
    """The relation as the goal is said, for the names alone that it speaks of, and conditions on these."""
    whole, spoken = goal.said(relation), names_of([relation])
    gone = {name for name in whole.names if name not in spoken}
    if not gone:
        return whole
    over = tuple(o for o in whole.over if adapter.bare(o) not in gone)
    return replace(whole, over=over, where=tuple(str(c) for c in whole.conditions if not c.free & gone))


def _exists(goal: Goal, of: Expr) -> Goal:
    return goal.part(said(goal, Relation("==", call("integrable", of), num(1))))


def _said(draft: Draft, part: Goal) -> bool:
    """Whether a fact in sight says just this, perhaps for all values of its names."""
    terms = terms_in(part.relation)
    for seen in draft.seen:
        if set(seen.fact.over) <= set(part.fact.over):
            some: Iterable[Seen] = (seen,)
        else:
            some = () if seen.conditions else instances(seen, terms, part.own)
        if any(one.normal == part.normal for one in some):
            return True
    return False
