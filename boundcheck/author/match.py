"""One-way matching of a pattern with a term, up to the order of sums and products and the names of bound variables.

Yields every substitution; equal terms are recognised by their canonical form. Untrusted: what it proposes is checked.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import islice, product

from boundcheck.author.adapter import applied, same
from boundcheck.kernel.formula import PROOF_HEADS, RELATIONS, Expr, FormulaError, call, is_opaque, num, substitute, var

Values = dict[str, Expr]
MAX_PARTS = 7  #: terms of a sum or factors of a product that are dealt out among metavariables
MAX_FOUND = 40  #: substitutions of one pattern
_FLIPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}
_COMMUTES = frozenset({"dot", "min", "max", "both", "either", "independent"})


@lru_cache(maxsize=50_000)
def spoken(e: Expr) -> frozenset[str]:
    """The free names of ``e``, and the heads that are applied in it."""
    return e.free | {n.op for n in e.walk() if n.args}


def is_applied(e: Expr) -> bool:
    """Whether ``e`` is a declared function of its arguments, none of the field's heads."""
    return is_opaque(e) and e.op not in PROOF_HEADS


def match(pattern: Expr, term: Expr, metas: frozenset[str], values: Mapping[str, Expr]) -> Iterator[Values]:
    """The extensions of ``values`` to the names ``metas`` under which ``pattern`` is ``term``."""
    return islice(_match(pattern, term, metas, dict(values)), MAX_FOUND)


def _match(p: Expr, e: Expr, metas: frozenset[str], values: Values) -> Iterator[Values]:
    if p.op == "var" and p.value in metas:
        known = values.get(p.value)
        if known is None:
            yield {**values, p.value: e}
        elif same(known, e):
            yield values
        return
    own = spoken(p) & metas
    if not own:
        if same(p, e):
            yield values
        return
    if own <= values.keys() and not p.binds and same(substituted(p, values), e):
        yield values
        return
    if p.op in metas:  # a function
        head = values.get(p.op)
        more = len(e.args) - len(p.args)  # F(xi, x) as the function at(F, xi) of x
        if more >= 0 and is_applied(e):
            first = Expr("at", (var(e.op), *e.args[:more])) if more else var(e.op)
            if head is None or head is first:
                yield from _all(p.args, e.args[more:], metas, {**values, p.op: first})
        return
    if p.op in ("add", "sub", "neg"):
        yield from _sum(p, e, metas, values)
    elif p.op in ("mul", "div"):
        yield from _product(p, e, metas, values)
    elif p.op == "pow":
        yield from _power(p, e, metas, values)
    elif p.op in RELATIONS:
        if e.op == p.op:
            yield from _all(p.args, e.args, metas, values)
        if e.op == _FLIPPED[p.op]:
            yield from _all(p.args, e.args[::-1], metas, values)
    elif p.binds:
        if e.op == p.op and e.binds:
            yield from _binder(p, e, metas, values)
    elif p.op == e.op == "at" and p.args[0].op == "var" and p.args[0].value in metas:
        more = len(e.args) - len(p.args)  # at(K, s, l) as the member l of the family at(K, s)
        if more >= 0:
            family = Expr("at", e.args[: more + 1]) if more else e.args[0]
            yield from _all(p.args, (family, *e.args[more + 1 :]), metas, values)
    elif e.op == p.op and len(e.args) == len(p.args):
        yield from _all(p.args, e.args, metas, values)
        if p.op in _COMMUTES and len(p.args) == 2:
            yield from _all(p.args, e.args[::-1], metas, values)


def _all(ps: tuple[Expr, ...], es: tuple[Expr, ...], metas: frozenset[str], values: Values) -> Iterator[Values]:
    if not ps:
        yield values
        return
    for found in _match(ps[0], es[0], metas, values):
        yield from _all(ps[1:], es[1:], metas, found)


def _binder(p: Expr, e: Expr, metas: frozenset[str], values: Values) -> Iterator[Values]:
    body, bound, low, high = p.args
    name = e.args[1]
    if bound.value in metas:
        known = values.get(bound.value)
        if known is not None and known is not name:
            return
        values, metas = {**values, bound.value: name}, metas
        inner = e.args[0]
    elif name is bound:
        inner = e.args[0]
    elif bound.value in e.args[0].free:
        return
    else:
        put = renamed(e.args[0], {str(name.value): bound})
        if put is None:
            return
        inner = put
    yield from _all((low, high, body), (e.args[2], e.args[3], inner), metas, values)


def _power(p: Expr, e: Expr, metas: frozenset[str], values: Values) -> Iterator[Values]:
    base, exponent = p.args
    if e.op == "sqrt":
        e = Expr("pow", (e.args[0], num(Fraction(1, 2))))
    if e.op == "pow":
        yield from _all((base, exponent), e.args, metas, values)
        length = values.get(str(base.value)) if base.op == "var" and base.value in metas else None
        if length is not None and length.op in ("abs", "norm") and same(Expr("pow", (length, e.args[1])), e):
            yield from _all((exponent,), e.args[1:], metas, values)  # abs(X)**2 written as X**2
        elif length is None and base.op == "var" and same(Expr("pow", (call("abs", e.args[0]), e.args[1])), e):
            yield from _all((base, exponent), (call("abs", e.args[0]), e.args[1]), metas, values)
    elif exponent.op == "var" and exponent.value in metas:
        yield from _all((base, exponent), (e, num(1)), metas, values)
    if e.op in ("mul", "div") and exponent.op != "var":  # (x/y)**2 written as x**2/y**2 is left alone
        return


# ---------------------------------------------------------------- sums and products


def terms_of(e: Expr, sign: int = 1) -> list[tuple[int, Expr]]:
    """The signed terms of a sum."""
    if e.op == "add":
        return terms_of(e.args[0], sign) + terms_of(e.args[1], sign)
    if e.op == "sub":
        return terms_of(e.args[0], sign) + terms_of(e.args[1], -sign)
    if e.op == "neg":
        return terms_of(e.args[0], -sign)
    return [(sign, e)]


def factors_of(e: Expr, above: int = 1) -> list[tuple[int, Expr]]:
    """The factors of a product with 1 or -1 for above or below the line; a sign is the factor -1."""
    if e.op == "mul":
        return factors_of(e.args[0], above) + factors_of(e.args[1], above)
    if e.op == "div":
        return factors_of(e.args[0], above) + factors_of(e.args[1], -above)
    if e.op == "neg":
        return [(1, num(-1)), *factors_of(e.args[0], above)]
    return [(above, e)]


def total(terms: list[tuple[int, Expr]]) -> Expr:
    """The sum of signed terms."""
    result = num(0)
    for sign, term in terms:
        result = result + term if sign > 0 else result - term
    return result


def whole(factors: list[tuple[int, Expr]]) -> Expr:
    """The product of factors above and below the line."""
    result = num(1)
    for above, factor in factors:
        result = result * factor if above > 0 else result / factor
    return result


def _sum(p: Expr, e: Expr, metas: frozenset[str], values: Values) -> Iterator[Values]:
    # names that are known stand for the terms of their values: 4 - (p + 1) as b - q where q is p + 1
    known = {n: v for n, v in values.items() if n in metas}
    told = [(sign, known.get(str(t.value), t) if t.op == "var" else t) for sign, t in terms_of(p)]
    ps, ks = _without_numbers([one for sign, t in told for one in terms_of(t, sign)])
    es, ke = _without_numbers(terms_of(e))
    if ks and not ke:
        return
    more = ke - ks
    rest = [*es, (1 if more > 0 else -1, num(abs(more)))] if more else es
    yield from _dealt(ps, rest, metas, values, total, allow_empty=False)


def _without_numbers(terms: list[tuple[int, Expr]]) -> tuple[list[tuple[int, Expr]], Fraction]:
    """The terms that are no numbers, and the sum of those that are."""
    numbers = [Fraction(sign * e.value) for sign, e in terms if e.op == "num"]
    return [t for t in terms if t[1].op != "num"], sum(numbers, Fraction(0))


def _product(p: Expr, e: Expr, metas: frozenset[str], values: Values) -> Iterator[Values]:
    yield from _dealt(factors_of(p), factors_of(e), metas, values, whole, allow_empty=True)


def _dealt(  # type: ignore[no-untyped-def]
    ps: list[tuple[int, Expr]],
    es: list[tuple[int, Expr]],
    metas: frozenset[str],
    values: Values,
    join,
    allow_empty: bool,
) -> Iterator[Values]:
    """Deal the parts of the term out among those of the pattern: first what has a form, the rest to bare names."""
    formed = [(s, p) for s, p in ps if not (p.op == "var" and p.value in metas)]
    names = [(s, str(p.value)) for s, p in ps if p.op == "var" and p.value in metas]
    for found, rest in _formed(formed, es, metas, values):
        yield from _shared(names, rest, found, join, allow_empty)


def _formed(
    formed: list[tuple[int, Expr]], es: list[tuple[int, Expr]], metas: frozenset[str], values: Values
) -> Iterator[tuple[Values, list[tuple[int, Expr]]]]:
    if not formed:
        yield values, es
        return
    (sign, p), *others = formed
    if p.op == "num":
        for n, (s, e) in enumerate(es):
            if e is p and s == sign:
                yield from _formed(others, es[:n] + es[n + 1 :], metas, values)
                return
        numbers = [n for n, (s, e) in enumerate(es) if e.op == "num" and s == sign and e.value]
        if numbers and p.value:  # 2 X with 4 Y: X = 2 Y
            n = numbers[0]
            rest = [*es[:n], (1, num(es[n][1].value / p.value)), *es[n + 1 :]]
            yield from _formed(others, rest, metas, values)
        return
    for n, (s, e) in enumerate(es):
        if s != sign:
            continue
        for found in _match(p, e, metas, values):
            yield from _formed(others, es[:n] + es[n + 1 :], metas, found)


def _shared(  # type: ignore[no-untyped-def]
    names: list[tuple[int, str]], rest: list[tuple[int, Expr]], values: Values, join, allow_empty: bool
) -> Iterator[Values]:
    if not names:
        if not rest or same(join(rest), num(1 if allow_empty else 0)):
            yield values
        return
    if len(names) == 1:
        share = [(s * names[0][0], e) for s, e in rest]
        yield from _given(names[0][1], join(share), values)
        return
    if len(rest) > MAX_PARTS:
        rest = [*rest[: MAX_PARTS - 1], (1, join(rest[MAX_PARTS - 1 :]))]
    for deal in product(range(len(names)), repeat=len(rest)):
        shares: list[list[tuple[int, Expr]]] = [[] for _ in names]
        for which, part in zip(deal, rest, strict=True):
            shares[which].append((part[0] * names[which][0], part[1]))
        if not allow_empty and not all(shares):
            continue
        found: list[Values] = [values]
        for (_, name), share in zip(names, shares, strict=True):
            found = [v for f in found for v in _given(name, join(share), f)]
        yield from found


def _given(name: str, value: Expr, values: Values) -> Iterator[Values]:
    known = values.get(name)
    if known is None:
        yield {**values, name: value}
    elif same(known, value):
        yield values


def substituted(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """A schema with terms put for its metavariables, also for bound ones and inside of binders."""
    if e.op == "var":
        return values.get(str(e.value), e)
    if not e.args:
        return e
    head, args = values.get(e.op), tuple(substituted(a, values) for a in e.args)
    if head is not None and head.op in ("var", "at"):
        return applied(head, args, e.op)
    return Expr(e.op, args, e.value)


def renamed(e: Expr, values: Mapping[str, Expr]) -> Expr | None:
    """``e`` with terms put for free names; None where a bound name would capture."""
    try:
        return substitute(e, values)
    except FormulaError:
        return None
