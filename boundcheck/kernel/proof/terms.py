"""Terms: names, substitution, the normal form by laws that hold for all values, one-way matching.

The normal form is that of a commutative ring with x/0 = 0: sums of monomials over atoms and their inverses.
t*(x/t) stays as it is (it is x only where t is not 0), 1/(a*b) is 1/a times 1/b, x**2*x**3 is x**5; no power law that
has a condition is applied. Rational factors come out of norms, moduli, inner products and means: they do so always.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from fractions import Fraction
from functools import lru_cache
from itertools import islice

from boundcheck.kernel.formula import (
    ARITHMETIC,
    BINDERS,
    FUNCTIONS,
    PROOF_HEADS,
    RELATIONS,
    Expr,
    Relation,
    call,
    has_opaque,
    is_opaque,
    num,
    text,
    var,
)
from boundcheck.kernel.proof.sorts import SortError

_Monomial = tuple[tuple[Expr, int, int], ...]  #: (atom, 1 or -1 for its inverse, how often), sorted
_Polynomial = dict[_Monomial, Fraction]
MAX_TERMS = 200
MAX_SIZE = 10_000  #: symbols of a normal form
MAX_POWER = 64
MAX_PLACES = 200  #: pairs of a part of a pattern and one of a term of which one is laid over the other
WORDS = frozenset({*ARITHMETIC, *FUNCTIONS, *BINDERS, *PROOF_HEADS, *RELATIONS})
Values = Mapping[str, Expr]


@lru_cache(maxsize=50_000)
def names(e: Expr) -> frozenset[str]:
    """The names that ``e`` depends on: those that occur free, and the declared functions that it applies."""
    if e.op == "var":
        return frozenset({e.value})
    if e.binds:
        body, bound, low, high = e.args
        return (names(body) - {bound.value}) | names(low) | names(high)
    own = frozenset() if e.op in WORDS else frozenset({e.op})
    return own.union(*map(names, e.args))


def names_of(relations: Iterable[Relation]) -> frozenset[str]:
    """The names that the relations depend on."""
    return frozenset().union(*(names(side) for r in relations for side in r.sides))


def bound_names(e: Expr) -> frozenset[str]:
    """The names that are bound somewhere in ``e``."""
    return frozenset(str(n.args[1].value) for n in e.walk() if n.binds)


def fresh(name: str, taken: Iterable[str]) -> str:
    """``name`` with as many underscores as it takes to be new."""
    used = set(taken)
    while name in used:
        name += "_"
    return name


def put(e: Expr, values: Values) -> Expr:
    """``e`` with terms put for free names, functions for heads; a bound name that would capture is renamed.

    For a function or a family stands a name (f -> g), or one with its first arguments (X -> at(Y, t)).
    """
    if not names(e) & values.keys():
        return e
    if e.op == "var":
        return values[e.value]
    if e.binds:
        body, bound, low, high = e.args
        inner = {k: v for k, v in values.items() if k != bound.value and k in names(body)}
        taken = frozenset().union(*(names(v) for v in inner.values()))
        if bound.value in taken:
            new = var(fresh(bound.value, taken | names(body)))
            body, bound = put(body, {bound.value: new}), new
        return Expr(e.op, (put(body, inner), bound, put(low, values), put(high, values)))
    args = tuple(put(a, values) for a in e.args)
    if e.op == "at" and args[0].op == "at":
        return Expr("at", (*args[0].args, *args[1:]))
    head = values.get(e.op)
    if head is None or e.op in WORDS:
        return Expr(e.op, args, e.value)
    return applied(head, args, e.op)


def applied(function: Expr, args: tuple[Expr, ...], name: str) -> Expr:
    """``function``, put for the function ``name``, applied: a name, or one with its first arguments, at(F, xi).

    Raises :class:`SortError` for any other term.
    """
    if function.op == "at" and function.args[0].op == "var":
        return Expr(str(function.args[0].value), (*function.args[1:], *args))
    if function.op != "var":
        raise SortError(f"{function} is put for the function {name} and is no name of one")
    return Expr(str(function.value), args)


def put_all(r: Relation, values: Values) -> Relation:
    """:func:`put` on both sides."""
    return r.map(lambda e: put(e, values))


def exchanged(e: Expr, table: Mapping[Expr, Expr]) -> Expr:
    """``e`` with terms put for whole terms, wherever these stand, the outermost first.

    A term that speaks of a name is another one where that name is bound.
    """
    if e in table:
        return table[e]
    if e.binds:
        body, bound, *ends = e.args
        inner = {t: new for t, new in table.items() if bound.value not in names(t)}
        taken = frozenset().union(*map(names, inner.values()))
        if bound.value in taken:
            fresh_one = var(fresh(str(bound.value), taken | names(body).union(*map(names, inner))))
            body, bound = put(body, {str(bound.value): fresh_one}), fresh_one
        return Expr(e.op, (exchanged(body, inner), bound, *(exchanged(a, table) for a in ends)))
    return e.each(lambda a: exchanged(a, table))


# ---------------------------------------------------------------- the normal form


def _sorted(factors: dict[tuple[Expr, int], int]) -> _Monomial:
    return tuple(sorted(((a, s, k) for (a, s), k in factors.items()), key=lambda f: (_written(f[0]), f[1])))


_written = lru_cache(maxsize=2000)(text)


def _times(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    result: _Polynomial = {}
    for ma, ca in a.items():
        for mb, cb in b.items():
            factors: dict[tuple[Expr, int], int] = {}
            for atom, sign, k in (*ma, *mb):
                factors[atom, sign] = factors.get((atom, sign), 0) + k
            key = _sorted(factors)
            result[key] = result.get(key, Fraction(0)) + ca * cb
    return {m: c for m, c in result.items() if c}


def _product(a: _Polynomial, b: _Polynomial) -> _Polynomial:
    """Multiplied out where that has few terms; else sums stay factors, and no sum is multiplied into these."""
    whole = any(s > 0 and t.op == "add" for p in (a, b) for m in p for t, s, _ in m)
    if len(a) * len(b) <= (1 if whole else MAX_TERMS):
        return _times(a, b)
    return _times(_factor(a), _factor(b))


def _factor(p: _Polynomial) -> _Polynomial:
    return p if len(p) == 1 else {((_expression(p), 1, 1),): Fraction(1)}


def _plus(a: _Polynomial, b: _Polynomial, sign: int = 1) -> _Polynomial:
    result = dict(a)
    for m, c in b.items():
        result[m] = result.get(m, Fraction(0)) + sign * c
    return {m: c for m, c in result.items() if c}


def _monic(p: _Polynomial) -> tuple[Fraction, Expr]:
    """The leading coefficient (1 of 0), and the term of which ``p`` is this multiple."""
    c = p[min(p, key=str)] if p else Fraction(1)
    return c, _expression({m: x / c for m, x in p.items()})


def _inverse(p: _Polynomial) -> _Polynomial:
    if not p:
        return {}
    if len(p) == 1:
        ((m, c),) = p.items()
        return {_sorted({(a, -s): k for a, s, k in m}): 1 / c}
    c, term = _monic(p)
    return {((term, -1, 1),): 1 / c}


def divisors(e: Expr) -> frozenset[Expr]:
    """The terms in normal form that are not 0 where 1/e has a value in its normal form, up to rational factors."""
    p = _polynomial(e)
    if len(p) == 1:
        return frozenset(a for m in p for a, _, _ in m)
    return frozenset({_monic(p)[1]})


def _even(p: _Polynomial) -> _Polynomial:
    """``p`` with x**2 for |x|**2, in products too: a normal form keeps its form."""
    result: _Polynomial = {}
    for m, c in p.items():
        rest: _Polynomial = {tuple(f for f in m if not _squared(f)): c}
        for a, s, k in filter(_squared, m):
            rest = _product(rest, _power(a.args[0], s * k))
        result = _plus(result, rest)
    return result


def _squared(factor: tuple[Expr, int, int]) -> bool:
    return factor[0].op == "abs" and factor[2] % 2 == 0


def _power(base: Expr, k: int) -> _Polynomial:
    p = _polynomial(base)
    if k < 0:
        return _inverse(_power(base, -k))
    if len(p) == 1:
        ((m, c),) = p.items()
        return _even({tuple((a, s, j * k) for a, s, j in m if k): c**k})
    if k == 0 or len(p) ** k > MAX_TERMS:
        return {((_expression(p), 1, k),): Fraction(1)} if k else {(): Fraction(1)}
    result = p
    for _ in range(k - 1):
        result = _times(result, p)
    return _even(result)


@lru_cache(maxsize=20_000)
def _polynomial(e: Expr) -> _Polynomial:
    if e.op == "num":
        return {(): e.value} if e.value else {}
    if e.op in ("add", "sub"):
        return _plus(_polynomial(e.args[0]), _polynomial(e.args[1]), 1 if e.op == "add" else -1)
    if e.op == "neg":
        return {m: -c for m, c in _polynomial(e.args[0]).items()}
    if e.op in ("mul", "div"):
        left, right = _polynomial(e.args[0]), _polynomial(e.args[1])
        return _even(_product(left, _inverse(right) if e.op == "div" else right))
    if e.op == "pow":
        k = e.args[1]
        if k.op == "num" and k.value.denominator == 1 and abs(k.value) <= MAX_POWER:
            return _power(e.args[0], int(k.value))
    return _atom(e)


def _atom(e: Expr) -> _Polynomial:
    """The polynomial of a term that is no sum, product or integer power: an atom with a rational factor."""
    if e.op in ("norm", "abs", "E", "dot") and e.args:
        parts = [_polynomial(a) for a in e.args]
        if not all(parts):
            return {}
        factor, inner = Fraction(1), []
        for c, term in map(_monic, parts):
            factor *= c
            inner.append(term)
        if e.op == "dot":
            inner.sort(key=str)
        if e.op in ("norm", "abs"):
            factor = abs(factor)
        if e.op == "abs" and inner[0].op in ("norm", "abs", "ind", "P"):
            return {((inner[0], 1, 1),): factor}
        return {((Expr(e.op, tuple(inner)), 1, 1),): factor}
    return {((_node(e), 1, 1),): Fraction(1)}


def _node(e: Expr) -> Expr:
    if e.op == "clip":
        z, tau = e.args
        return canonical(call("max", Expr("neg", (tau,)), call("min", z, tau)))
    if not e.args:
        return e
    if e.op in RELATIONS:
        return _event(e)
    if e.binds:
        body, bound, low, high = e.args
        inner, low, high = map(canonical, (body, low, high))
        free = (names(inner) - {bound.value}) | names(low) | names(high)
        number = 1 + _binders(inner)  # higher than every bound name inside, so that none captures another,
        while f"#{number}" in free:  # nor one that stands free here, in a member of a sum in normal form
            number += 1
        new = var(f"#{number}")
        return Expr(e.op, (canonical(put(inner, {bound.value: new})), new, low, high))
    if e.op == "at" and e.args[0].op == "at":
        return _node(Expr("at", (*e.args[0].args, *e.args[1:])))
    args = tuple(map(canonical, e.args))
    if e.op in ("min", "max", "both", "either", "independent"):
        args = tuple(sorted(args, key=str))
    return Expr(e.op, args, e.value)


def _binders(e: Expr) -> int:
    """How many binders stand inside of each other in ``e``, at most."""
    return int(e.binds) + max(map(_binders, e.args), default=0)


def _event(e: Expr) -> Expr:
    a, b = map(canonical, e.args)
    if e.op in (">", ">="):
        return Expr("<" if e.op == ">" else "<=", (b, a))
    if e.op in ("==", "!="):
        return Expr(e.op, tuple(sorted((a, b), key=str)))
    return Expr(e.op, (a, b))


def _expression(p: _Polynomial) -> Expr:
    total: Expr = num(0)
    for monomial, coefficient in sorted(p.items(), key=lambda item: str(item[0])):
        term, below = num(coefficient), []
        for atom, sign, k in monomial:
            power = atom if k == 1 else Expr("pow", (atom, num(k)))
            if sign > 0:
                term = term * power
            else:
                below.append(power)
        for power in below:  # one by one: the product of sums below would be multiplied out when it is read again
            term = term / power
        total = total + term
    return _short(total)


def _short(e: Expr) -> Expr:
    if e.size > MAX_SIZE:
        raise SortError(f"a term is longer than {MAX_SIZE} symbols when it is written out; give its parts names")
    return e


@lru_cache(maxsize=50_000)
def canonical(e: Expr) -> Expr:
    """The normal form of ``e``: equal for terms that are equal by the laws above, at all values."""
    if e.op in RELATIONS:
        return _event(e)
    return _expression(_polynomial(e))


@lru_cache(maxsize=50_000)
def settled(e: Expr) -> Expr:
    """``e`` with clipping written out and every maximal opaque term, and binders around one, in normal form."""
    if e.op == "clip":
        z, tau = e.args
        return _short(settled(call("max", Expr("neg", (tau,)), call("min", z, tau))))
    if is_opaque(e) or (e.op in BINDERS and has_opaque(e)):
        return canonical(e)
    if not e.args:
        return e
    args = tuple(map(settled, e.args))
    if e.op == "mul" and num(1) in args:
        return args[1] if args[0] is num(1) else args[0]
    if e.op == "div" and args[0].op == args[1].op == "num" and args[1].value:
        return args[0] / args[1]  # a rule's q/r at q = 1, r = 2 is the number that the text 1/2 is read as
    return Expr(e.op, args, e.value)


def refuse_zero_below(relations: Iterable[Relation]) -> None:
    """Refuse a quotient by what is 0 for its form: it has no value, and its normal form is 0. Raises SortError."""
    for n in (n for r in relations for n in r.walk()):
        power = n.op == "pow" and n.args[1].op == "num" and n.args[1].value < 0
        if (n.op == "div" or power) and canonical(n.args[0 if power else 1]) is num(0):
            raise SortError(f"{n} has no value: it is divided by 0")


def summands(e: Expr) -> tuple[dict[Expr, Fraction], Fraction]:
    """``e`` in normal form as a sum: its terms with their rational factors, and its rational summand."""
    p = _polynomial(e)
    return {_expression({m: Fraction(1)}): c for m, c in p.items() if m}, p.get((), Fraction(0))


def settle(r: Relation) -> Relation:
    """:func:`settled` on both sides."""
    return r.map(settled)


def linear_solution(equation: Relation, wanted: Iterable[str]) -> dict[str, Expr] | None:
    """The value of the first of ``wanted`` that enters the equation linearly with a rational factor, if any."""
    p = _polynomial(equation.lhs - equation.rhs)
    for name in wanted:
        term: _Monomial = ((var(name), 1, 1),)
        rest = {m: c for m, c in p.items() if m != term}
        if term in p and not any(name in names(atom) for m in rest for atom, _, _ in m):
            return {name: _expression({m: -c / p[term] for m, c in rest.items()})}
    return None


# ---------------------------------------------------------------- matching


def match(pattern: Expr, term: Expr, wanted: frozenset[str], found: dict[str, Expr]) -> bool:
    """Whether ``term`` is ``pattern`` at some values of the names ``wanted``; these are added to ``found``.

    Both in normal form. One way, by structure alone: a sum matches a sum of the same shape.
    """
    if pattern.op == "var" and pattern.value in wanted:
        known = found.setdefault(pattern.value, term)
        return known is term
    fits = _alike(pattern, term) and all(
        match(p, t, wanted, found) for p, t in zip(pattern.args, term.args, strict=True)
    )
    return fits and not (pattern.binds and _captured(pattern, found))


def _captured(pattern: Expr, found: Values) -> bool:
    """Whether a value speaks of the name that ``pattern`` binds, and stands where that name is another one."""
    body, bound, *_ = pattern.args
    return any(bound.value in names(found[n]) for n in names(body) & found.keys())


def _alike(pattern: Expr, term: Expr) -> bool:
    """Whether both have the same head, as many arguments and the same bound name."""
    if pattern.op != term.op or pattern.value != term.value or len(pattern.args) != len(term.args):
        return False
    return not pattern.binds or pattern.args[1] is term.args[1]


def placed(pattern: Expr, term: Expr, wanted: frozenset[str]) -> dict[str, Expr] | None:
    """Values of the names ``wanted`` at which ``pattern`` is ``term``, both in normal form.

    The normal form orders by names, so that norm(g(u) - g(x)) at u = z may stand as norm(g(x) - g(z)), of another
    shape. Then a part of the pattern is laid over parts of the term, and the whole is compared with these values put.
    exp(lam*x) is exp(3*x) at lam = 3, the factor that is left.
    """
    values: dict[str, Expr] = {}
    if match(pattern, term, wanted, values):
        return values
    if wanted and _may_be(_heads(pattern), _heads(term)):
        values = {}
        filled = _scaled(pattern, wanted) and _fill(pattern, term, wanted, values)
        if filled and canonical(put(pattern, values)) is term:
            return values
        for part, other in islice(_laid_over(pattern, term, wanted), MAX_PLACES):
            values = {}
            if match(part, other, wanted, values) and canonical(put(pattern, values)) is term:
                return values
    return None


def _laid_over(pattern: Expr, term: Expr, wanted: frozenset[str]) -> Iterator[tuple[Expr, Expr]]:
    """Parts of ``pattern`` with all names that are wanted, each with the parts of ``term`` that may be the same."""
    for part in (n for n in pattern.walk() if is_opaque(n) and n is not pattern and wanted <= n.free):
        yield from ((part, other) for other in term.walk() if other.op == part.op)


@lru_cache(maxsize=50_000)
def _scaled(pattern: Expr, wanted: frozenset[str]) -> bool:
    return any(n.op == "mul" and any(a.op == "var" and a.value in wanted for a in n.args) for n in pattern.walk())


def _fill(pattern: Expr, term: Expr, wanted: frozenset[str], found: dict[str, Expr]) -> bool:
    """Propose values as :func:`match` does, of a name that is a factor what the others leave; False where none fit."""
    if not (pattern.free & wanted) - found.keys():
        return True
    if pattern.op == "var":
        return match(pattern, term, wanted, found)
    if pattern.op == "mul":
        return _left_over(pattern, term, wanted, found)
    return _alike(pattern, term) and all(
        _fill(p, t, wanted, found) for p, t in zip(pattern.args, term.args, strict=True)
    )


def _left_over(pattern: Expr, term: Expr, wanted: frozenset[str], found: dict[str, Expr]) -> bool:
    """Propose what the other factors, which divide ``term``, leave of it for the name that is a factor."""
    p, t = _polynomial(put(pattern, found)), _polynomial(term)
    if not len(p) == len(t) == 1:
        return False
    ((m, a),), ((n, b),) = p.items(), t.items()
    unknown = {var(n) for n in wanted - found.keys()}
    own = [atom for atom, sign, k in m if (sign, k) == (1, 1) and atom in unknown]
    left = {(atom, sign): k for atom, sign, k in n}
    for atom, sign, k in m:
        if atom not in own[:1]:
            fitting = [x for x, s in left if s == sign and left[x, s] >= k and match(atom, x, wanted, dict(found))]
            if not (fitting and match(atom, fitting[0], wanted, found)):
                return False
            left[fitting[0], sign] -= k
    if own:
        found[str(own[0].value)] = _expression({_sorted({f: k for f, k in left.items() if k}): b / a})
    return True


@lru_cache(maxsize=50_000)
def _heads(e: Expr) -> Counter[str]:
    return Counter(n.op for n in e.walk() if is_opaque(n))


def _may_be(pattern: Counter[str], term: Counter[str]) -> bool:
    """Whether a term with these heads may be the pattern at some values, which have heads of their own."""
    return pattern.keys() == term.keys() and pattern <= term
