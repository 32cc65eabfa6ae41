"""What a statement claims of a p-th central moment, as a number at values of its parameters."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from fractions import Fraction

from boundcheck.author.parameters import ParameterError, Point, read_point
from boundcheck.kernel.formula import Expr, Relation, call, has_opaque, num
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.proof.sorts import Names, Sort, typed
from boundcheck.kernel.proof.terms import canonical
from boundcheck.kernel.statement import Statement

VALUES = (Sort("real", random=True), Sort("integer", random=True))


def central_moment(statement: Statement, p: Fraction, values: Mapping[str, object]) -> tuple[float, Expr]:
    """(m, T): E|T - E T|^p <= m is the least such bound, rounded up, that the claims say at these values.

    Claims of the form E(abs(T)**k) <= bound count where k is p. Where E T = 0 (T is Z - E(Z), or a hypothesis says
    so), and for p = 2, the central moment is at most that; else it is at most 2^p times it (Minkowski). Every
    parameter needs a value that meets its domain and the hypotheses on parameters. Raises ValueError with what is
    missing.
    """
    if statement.exists or statement.imprecise:
        raise ValueError(f"{statement.label} has constants without a value")
    names = declared(statement)
    texts = [f"{name}={value}" for name, value in values.items()]
    found: list[tuple[float, Expr]] = []
    for term, power, bound in _moments(statement, names):
        try:
            point = read_point(statement, texts, bound)
        except ParameterError as fault:
            raise ValueError(f"{statement.label}: {fault} (at=...)") from None
        if missing := sorted(statement.symbols - point.names):
            raise ValueError(f"{statement.label} needs values of {', '.join(missing)} (at=...)")
        _check_hypotheses(statement, point)
        found += [(m, term) for m in _at(statement, point, term, power, bound, p)]
    if not found:
        raise ValueError(f"{statement.label} claims no E(abs(X)**{float(p):g}) <= bound of a random number X")
    return min(found, key=lambda pair: pair[0])


def _moments(statement: Statement, names: Names) -> Iterator[tuple[Expr, Expr, Expr]]:
    """(T, k, bound) of the claims E(abs(T)**k) <= bound of a random number T; a whole even power needs no abs."""
    for fact in statement.claims:
        r = fact.relation if fact.relation.lhs.op == "E" else fact.relation.flipped()
        if not fact.plain or r.lhs.op != "E" or r.op not in ("<", "<=", "==") or has_opaque(r.rhs):
            continue
        inside = r.lhs.args[0]
        base, power = inside.args if inside.op == "pow" else (inside, num(1))
        even = power.op == "num" and power.value % 2 == 0
        if base.op != "abs" and not even:
            continue
        term = base.args[0] if base.op == "abs" else base
        if typed(term, names) in VALUES and not has_opaque(power):
            yield term, power, r.rhs


def _at(statement: Statement, point: Point, term: Expr, power: Expr, bound: Expr, p: Fraction) -> Iterator[float]:
    """The bound of the central moment as a number, where the claim is about order p."""
    from boundcheck.decide.worst_case.worst_values import rounded_up, truth, value_at

    if not power.free <= point.names or truth(Relation("==", point.put(power), num(p)), point.given) is not True:
        return
    factor = num(1) if p == 2 or _centred(statement, term) else num(2) ** num(p)
    yield rounded_up(value_at(point.put(factor * bound), point.given))


def _centred(statement: Statement, term: Expr) -> bool:
    """Whether E T = 0 by the form of T, or by a hypothesis."""
    if term.op == "sub":
        for one, other in (term.args, term.args[::-1]):
            if canonical(other) is canonical(call("E", one)):
                return True
    zero = [canonical(call("E", term))]
    if term.op == "sub":
        zero += [canonical(call("E", term.args[0]) - term.args[1]), canonical(term.args[0] - call("E", term.args[1]))]
    facts = [f.relation for f in statement.hypotheses.values() if f.plain and f.relation.op == "=="]
    return any(canonical(side) in zero for r in facts for side in (r.lhs - r.rhs, r.rhs - r.lhs))


def _check_hypotheses(statement: Statement, point: Point) -> None:
    """Raise ValueError unless what the statement assumes of its parameters alone holds at the point."""
    from boundcheck.decide.worst_case.worst_values import truth

    for r in (fact.relation for fact in statement.hypotheses.values() if fact.plain):
        scalar = r.free <= statement.symbols and not any(map(has_opaque, r.sides))
        if scalar and truth(r.map(point.put), point.given) is not True:
            raise ValueError(f"{statement.label} assumes {r}, which does not hold at these values")
