"""Assertions that a constant exists, and what refutes one: scalar claims for a witness that moves with the constant.

"There is C > 0 such that for all parameters ..." is refuted by a family of instances and a function of C for each of
its free names (a Skolem function), if at the instance for max(C, 1) the hypotheses hold and the claim fails, for
all C > 0. Pure: the claims are generated here, decided by the engines and checked again by the verifier.
"""

from __future__ import annotations

from collections.abc import Collection, Iterator, Mapping
from itertools import combinations

from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import (
    RELATIONS,
    Expr,
    Relation,
    folded,
    has_opaque,
    is_opaque,
    num,
    parse,
    parse_relations,
    substitute,
    text,
    var,
)
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.definedness import Placed, placed_inside
from boundcheck.kernel.proof.facts import quantified
from boundcheck.kernel.proof.scalar_claims import EVENTS, base_of_a_real_power, defined, partial_terms, real_powers
from boundcheck.kernel.proof.sorts import INTEGER, Names, SortError, typed
from boundcheck.kernel.proof.terms import names, names_of, settled
from boundcheck.kernel.statement import Claim, Exists, Family, Statement

#: Hypotheses about structure: they hold for what a family leaves alone; else the family says what shows them.
PREDICATES = ("integrable", "independent", "measurable", "increasing", "gradient")
STRUCTURAL = ("iid", "independent", "measurable", "law", "increasing", "integrable", "gradient")


class NoInstance(ValueError):
    """A family that does not make the assertion a scalar one."""


def domain(family: Family) -> tuple[Relation, ...]:
    """The domain of the free names."""
    return tuple(r for w in family.where for r in parse_relations(w))


def hypotheses(statement: Statement, family: Family) -> list[Claim]:
    """The scalar claims that make every member of ``family`` an instance of ``statement``."""
    terms = {key: settled(parse(key, proof=True)) for key in family.values}
    for key, term in terms.items():
        if term.op != "var" and not is_opaque(term) and not (term.op == "sum" and has_opaque(term)):
            raise NoInstance(f"{family.name} gives a value to {key}, which has one")
    _refuse_chance(statement, family)
    stated = {k: f for k, f in statement.hypotheses.items() if k not in family.meets}
    own = _own(family) | {e.constant for e in statement.exists}
    for name, fact in stated.items():
        if own.intersection(fact.names):
            raise NoInstance(f"hypothesis {name} holds for all {', '.join(fact.over)}, which {family.name} fixes")
    sorts = declared(statement)
    facts = [(f.relation, f.conditions) for f in stated.values()]
    facts += [(r, ()) for r in statement.domain]
    chosen = {family.variable}.union(*(names(parse(k, proof=True)) for k in family.values))
    chosen -= statement.symbols
    found = [Claim("law", (r,), domain(family)) for r in _law(family)]
    ranges = (r for term in terms.values() for r in _range(term))
    found += [Claim("range", (r,), domain(family)) for own in ranges for r in _each(own, family)]
    found += _functional(terms, family, sorts)
    for f in stated.values():
        scope = {**sorts, **quantified(f, sorts)}
        found += _with_values((f.relation, *f.conditions), family, scope, statement.symbols)
    for relation, conditions in facts:
        if any(n.op in STRUCTURAL for n in relation.walk()):
            if names_of([relation]) & chosen:
                raise NoInstance(f"{family.name} does not say what shows {relation}")
            continue
        given = [r for c in conditions for r in _each(c, family)]
        for r in _each(relation, family):
            if has_opaque(r.lhs) or has_opaque(r.rhs):
                raise NoInstance(f"{family.name} gives no value for {r}")
            found.append(Claim("hypothesis", (r.map(lambda e: _put(e, {})),), (*domain(family), *given)))
    return found


def _with_values(
    relations: tuple[Relation, ...], family: Family, sorts: Names, symbols: Collection[str]
) -> Iterator[Claim]:
    """Claims that what stands in the relations has a value in the family, also inside of heads, as it is written.

    What has names to which the family gives no value is for its author.
    """
    known = {*symbols, *family.free}
    powers = real_powers(relations, sorts)
    for side in (s for r in relations for s in r.sides):
        asked: list[Placed] = [(t, (), {}) for t in partial_terms(side, False)]
        asked += (found for found, _ in placed_inside(side, sorts))
        pairs = [(_values(n.args[0], family), _values(n.args[1], family)) for n in side.walk() if n in powers]
        stays = (base_of_a_real_power(b, x) for bases, xs in pairs for b, x in _pairs(bases, xs) if _becomes_whole(x))
        for e, ranges, over in (*asked, *((t, (), {}) for t in stays)):
            given = [r for c in ranges for r in _each(c, family)]
            for value in _values(e, family):
                if not has_opaque(value) and value.free <= known | over.keys():
                    whole = frozenset(n for n, sort in over.items() if sort.kind == INTEGER)
                    yield Claim("value", (defined(_put(value, {})),), (*domain(family), *given), whole)


def _functional(terms: Mapping[str, Expr], family: Family, sorts: Names) -> Iterator[Claim]:
    """Claims that a function to which the family gives two values has them at different numbers."""
    told = [(e, family.values[key]) for key, e in terms.items() if e.op in sorts or e.op == "at"]
    for (a, value), (b, other) in combinations(told, 2):
        if a.op != b.op or value == other or (a.op == "at" and (a.args[0] is not b.args[0])):
            continue
        pairs = [(x, y) for x, y in zip(_args(a, family), _args(b, family), strict=True) if x is not y]
        if not pairs:
            raise NoInstance(f"{family.name} gives {a} and {b} two values, which are one")
        if numbers := [(x, y) for x, y in pairs if all(e.free <= set(family.free) for e in (x, y))]:
            yield Claim("apart", (Relation("!=", *numbers[0]),), domain(family))


def _args(e: Expr, family: Family) -> list[Expr]:
    return [folded(_value(a, family)) for a in e.args]


def _becomes_whole(exponent: Expr) -> bool:
    """Whether an exponent is whole by the form of what was put for its names; a function of the constant may be."""
    return is_integer_valued(folded(exponent), exponent.free)


def _pairs(left: list[Expr], right: list[Expr]) -> list[tuple[Expr, Expr]]:
    size = max(len(left), len(right))
    return list(zip(left * (size // len(left)), right * (size // len(right)), strict=True))


def _refuse_chance(statement: Statement, family: Family) -> None:
    """Refuse a value that depends on chance for what does not, and one for the mean of a constant, which has one."""
    try:
        sorts = declared(statement)
        for fact in (*statement.hypotheses.values(), *(e.claim for e in statement.exists)):
            sorts = {**quantified(fact, sorts), **sorts}
        for key, told in family.values.items():
            term = parse(key, proof=True)
            if term.op in ("E", "Egiven") and not typed(term.args[0], sorts).random:
                raise NoInstance(f"{family.name} gives a value to {key}, the mean of a constant")
            if family.variable in _outside_means(parse(told, proof=True)) and not typed(term, sorts).random:
                raise NoInstance(f"{family.name} gives a random value to {key}, which does not depend on chance")
    except SortError as fault:
        raise NoInstance(str(fault)) from None


def _outside_means(e: Expr) -> frozenset[str]:
    """The names in a value that are not averaged over."""
    if e.op == "E":
        return frozenset()
    return e.free if not e.args else frozenset().union(*map(_outside_means, e.args))


def _range(term: Expr) -> Iterator[Relation]:
    """Between which numbers a term lies whatever its names are: a norm is not negative, an indicator is 0 or 1."""
    if term.op == "ind" or term.op in PREDICATES:
        yield Relation("==", term * (1 - term), num(0))
    elif nonnegative(term):
        yield Relation(">=", term, num(0))
        if at_most_1(term):
            yield Relation("<=", term, num(1))


def nonnegative(e: Expr) -> bool:
    """Whether a term is not negative by its form, where it has a value."""
    match e.op:
        case "num":
            return bool(e.value >= 0)
        case "norm" | "abs" | "sqrt" | "exp":
            return True
        case "dot":
            return e.args[0] is e.args[1]
        case "pow":
            k = e.args[1]
            return nonnegative(e.args[0]) or (k.op == "num" and k.value.denominator == 1 and k.value % 2 == 0)
        case "mul" if e.args[0] is e.args[1]:
            return True
        case "mul" | "div" | "add" | "min":
            return all(map(nonnegative, e.args))
        case "max":
            return any(map(nonnegative, e.args))
        case "E" | "Egiven" | "sum" | "least" | "most":
            return nonnegative(e.args[0])
    return at_most_1(e)


def at_most_1(e: Expr) -> bool:
    """Whether a term lies in [0, 1] by its form."""
    if e.op in ("E", "Egiven", "least", "most"):
        return at_most_1(e.args[0])
    if e.op == "mul":
        return all(map(at_most_1, e.args))
    return e.op in EVENTS or e.op in PREDICATES


def _own(family: Family) -> set[str]:
    """The names that the family speaks of, also in its values, and those that it gives a value."""
    bare = {e.value for e in (parse(k, proof=True) for k in family.values) if e.op == "var"}
    inside = (names(parse(v, proof=True)) for v in family.values.values())
    return {*family.free, *bare, family.variable}.union(*inside) - {""}


def _law(family: Family) -> list[Relation]:
    """The atoms' probabilities are such."""
    if not family.atoms:
        return []
    masses = [parse(probability) for _, probability in family.atoms]
    total = sum(masses, num(0))
    return [*(Relation(">=", mass, num(0)) for mass in masses), Relation("==", total, num(1))]


def violations(exists: Exists, family: Family) -> Iterator[tuple[Relation, ...]]:
    """Sets of scalar relations, in the constant and the free names, each of which says that the claim fails."""
    relation = exists.claim.relation
    lhs, rhs = (relation if relation.op == "<=" else relation.flipped()).sides
    if relation.op not in ("<=", ">="):
        raise NoInstance("an inequality is wanted")
    if lhs.op != "P":
        yield (Relation(">", _value(lhs, family), _value(rhs, family)),)
        return
    if lhs.args[0].op not in RELATIONS:
        raise NoInstance(f"{family.name} does not say when {lhs.args[0]} happens")
    events, bound = _each(Relation(lhs.args[0].op, *lhs.args[0].args), family), _value(rhs, family)
    if len(events) != len(family.atoms):
        raise NoInstance(f"{family.name} does not say when {lhs.args[0]} happens")
    atoms = list(zip(events, family.atoms, strict=True))
    for size in range(len(atoms), 0, -1):
        for chosen in combinations(atoms, size):
            mass = sum((parse(probability) for _, (_, probability) in chosen), num(0))
            yield (*dict.fromkeys(r for r, _ in chosen), Relation(">", mass, bound))


def obligations(
    statement: Statement, exists: Exists, family: Family, failing: tuple[Relation, ...], witness: Mapping[str, str]
) -> list[Claim]:
    """What must be proved: for every constant from 1 on the witness is in the domain and the claim fails.

    For a constant below 1 the witness for 1 serves.
    """
    constant = parse(exists.constant)
    values = {k: parse(v) for k, v in witness.items()}
    if set(values) != set(family.free) or any(v.free - {exists.constant} for v in values.values()):
        raise NoInstance("a witness is one function of the constant for each free name")
    try:
        sorts = declared(statement)
        sorts |= quantified(exists.claim, sorts)
    except SortError as fault:
        raise NoInstance(str(fault)) from None
    whole = frozenset(n for n, t in sorts.items() if t.kind == INTEGER and not t.args)
    given = {n: [var(n)] for n in whole - family.values.keys()} | _whole_values(family, sorts)
    for symbol, taken in sorted(given.items()):
        for value in (substitute(v, values) for v in taken):
            if not is_integer_valued(value, whole - values.keys()):
                raise NoInstance(f"{symbol} is an integer, {value} need not be one")
    where = (Relation(">=", constant, num(1)),)
    met = tuple(r for c in exists.claim.conditions for r in _each(c, family))
    goals = (*domain(family), *met, *failing)
    claims = [Claim("witness", (r.map(lambda e: _put(e, values)),), where) for r in goals]
    first = {k: folded(substitute(v, {exists.constant: num(1)})) for k, v in values.items()}
    below = (Relation(">", constant, num(0)), Relation("<=", constant, num(1)))
    claims += [Claim("constant below 1", (r.map(lambda e: _put(e, first)),), below) for r in (*met, *failing)]
    fact = exists.claim
    named = {exists.constant, *statement.symbols}
    for needed in _with_values((fact.relation, *fact.conditions), family, sorts, named):
        claims += (_at_witness(needed, put, range_) for put, range_ in ((values, where), (first, below)))
    return [*claims, *hypotheses(statement, family)]


def _at_witness(claim: Claim, values: Mapping[str, Expr], where: tuple[Relation, ...]) -> Claim:
    goal, *given = (r.map(lambda e: _put(e, values)) for r in (*claim.claim, *claim.where))
    return Claim(claim.name, (goal,), (*where, *given), claim.integers)


def _whole_values(family: Family, sorts: Names) -> dict[str, list[Expr]]:
    """What is given to whole names and to members of whole families, at every atom."""
    found: dict[str, list[Expr]] = {}
    for key, told in family.values.items():
        term = parse(key, proof=True)
        head = str(term.value) if term.op == "var" else str(term.args[0].value) if term.op == "at" else term.op
        if head in sorts and sorts[head].kind == INTEGER:
            value = parse(told, proof=True)
            atoms = [parse(v) for v, _ in family.atoms] if family.variable in value.free else []
            found[key] = [substitute(value, {family.variable: a}) for a in atoms] or [value]
    return found


def _put(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """Values put, and read back from its text: the form in which a certificate keeps it."""
    return parse(text(substitute(e, values)))


def _each(relation: Relation, family: Family) -> list[Relation]:
    """The relation with the family's values put, once for every atom if it is random."""
    pairs = _pairs(_values(relation.lhs, family), _values(relation.rhs, family))
    return [Relation(relation.op, a, b) for a, b in pairs]


def _value(e: Expr, family: Family) -> Expr:
    """The value of ``e``, which is not random."""
    values = _values(e, family)
    if len(values) != 1:
        raise NoInstance(f"{e} is random in {family.name}")
    return values[0]


def _values(e: Expr, family: Family) -> list[Expr]:
    """The value of ``e`` in the family: one expression, or one for each atom."""
    if family.variable in names(e):
        raise NoInstance(f"{family.variable} stands for something else outside of {family.name}")
    table = {settled(parse(k, proof=True)): parse(v, proof=True) for k, v in family.values.items()}
    own = _own(family)

    def put(node: Expr) -> Expr:
        if node in table:
            return put_means(table[node])
        if node.binds and node.args[1].value in own:
            raise NoInstance(f"{node} binds {node.args[1]}, of which {family.name} speaks")
        return node.each(put)

    def put_means(node: Expr) -> Expr:
        if node.op == "E":
            if not family.atoms:
                raise NoInstance(f"{family.name} has no law, so no {node}")
            values = ((parse(p), substitute(node.args[0], {family.variable: parse(v)})) for v, p in family.atoms)
            return sum((p * value for p, value in values), num(0))
        return node.each(put_means)

    result = put(settled(e))
    if family.variable in result.free:
        return [substitute(result, {family.variable: parse(v)}) for v, _ in family.atoms]
    return [result]
