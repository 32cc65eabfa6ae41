"""Values for a statement's parameters: read from text, completed by its equations, checked against its domain."""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import dataclass
from fractions import Fraction

from boundcheck.hints import nearest
from boundcheck.kernel.formula import (
    PROOF_HEADS,
    Expr,
    FormulaError,
    Relation,
    parse,
    parse_relations,
    substitute,
    var,
)
from boundcheck.kernel.statement import Parameter, Statement
from boundcheck.system.exits import Unusable

MAX_TEXT = 400  #: characters of one value
_VALUE = re.compile(r"[+-]?(\d+\.?\d*|\.\d+)([eE][+-]?\d{1,3})?(/\d+)?")


class ParameterError(Unusable):
    """Values that do not fit the statement; ``lines`` has one each, naming parameter, value, domain and mend."""


@dataclass(frozen=True)
class Point:
    """Exact values of the parameters given, and formulas of these for the parameters that the statement defines."""

    given: Mapping[str, Fraction]
    defined: Mapping[str, Expr]

    def put(self, e: Expr) -> Expr:
        """``e`` as a formula of the given parameters."""
        return substitute(e, dict(self.defined))

    @property
    def names(self) -> frozenset[str]:
        """The names with a value, given or defined by the others."""
        return frozenset(self.given) | frozenset(self.defined)


def definitions(statement: Statement) -> dict[str, Expr]:
    """symbol -> formula for each hypothesis "symbol == formula" that fixes one parameter by others."""
    found: dict[str, Expr] = {}
    for fact in statement.hypotheses.values():
        r = fact.relation
        scalar = r.op == "==" and fact.plain and r.free <= statement.symbols
        if scalar and r.lhs.op == "var" and r.lhs.value not in r.rhs.free:
            found.setdefault(r.lhs.value, r.rhs)
    return found


def resolved(defined: Mapping[str, Expr]) -> dict[str, Expr]:
    """The same definitions with defined symbols put in; those that define each other in a circle are left out."""
    found = dict(defined)
    for _ in found:
        found = {k: substitute(e, {n: v for n, v in found.items() if n != k}) for k, e in found.items()}
    return {k: e for k, e in found.items() if not e.free & found.keys()}


def read_value(text: str) -> Fraction:
    """A decimal or a fraction as an exact rational; ValueError for anything else (nan, inf, a formula)."""
    if len(text) > MAX_TEXT or not _VALUE.fullmatch(text):
        raise ValueError("a finite decimal such as 1.5 or 1e-6, or a fraction such as 3/2, is wanted")
    number, _, divisor = text.partition("/")
    if divisor and not int(divisor):
        raise ValueError("the divisor is zero")
    return Fraction(number) / int(divisor or 1)


#: head -> its range, as relations of a term under it; other heads range over the reals
_RANGES = {"norm": (">= 0",), "P": (">= 0", "<= 1"), "Pgiven": (">= 0", "<= 1"), "ind": (">= 0", "<= 1")}


def covered(e: Expr) -> Expr:
    """``e`` with a name for each term under a head of the proof vocabulary: norm(x) is then called "norm(x)"."""
    if e.op in PROOF_HEADS:
        return var(str(e))
    return Expr(e.op, tuple(map(covered, e.args)), e.value) if e.args else e


def heads(e: Expr) -> dict[str, Parameter]:
    """The terms of ``e`` under a head, outermost ones only, as parameters with the ranges of their heads."""
    if e.op in PROOF_HEADS:
        name = str(e)
        domain = tuple(f"{name} {relation}" for relation in _RANGES.get(e.op, ()))
        return {name: Parameter(name, PROOF_HEADS[e.op].partition(":")[0].partition(",")[0], domain)}
    found: dict[str, Parameter] = {}
    for argument in e.args:
        found |= heads(argument)
    return found


def _named(text: str) -> str:
    """A name as it is looked up: that of a term under a head in the spelling of :func:`covered`."""
    try:
        e = parse(text, proof=True)
    except FormulaError:
        return text.strip()
    return str(e) if e.op in PROOF_HEADS else text.strip()


def read_point(statement: Statement, texts: list[str], bound: Expr) -> Point:
    """The values in ``texts`` (NAME=VALUE), with every name in ``bound`` given or defined, inside the domain.

    A term of ``bound`` under a head, such as norm(x), takes a value as a parameter does. A parameter that a hypothesis
    defines may be left out, or given in place of what defines it. Raises :class:`ParameterError` with all faults.
    """
    wanted = covered(bound).free
    known = {q.symbol: q for q in (*statement.parameters, *statement.bound_names)} | heads(bound)
    known |= {name: _quantified(statement, name) for name in sorted(wanted - known.keys())}
    faults: list[str] = []
    given: dict[str, Fraction] = {}
    for text in texts:
        name, equals, value = text.rpartition("=")
        name, value = _named(name), value.strip()
        if not equals:
            faults.append(f"{text!r}: NAME=VALUE is wanted, such as {next(iter(known), 'p')}=1.5")
        elif name not in known:
            hint = nearest(name, known, f"it has {', '.join(known) or 'none'}")
            faults.append(f"{name} = {value}: no parameter of {statement.label} has this name; {hint}")
        elif name in given:
            faults.append(f"{name} = {value}: given twice; leave one out")
        else:
            try:
                given[name] = read_value(value)
            except ValueError as fault:
                faults.append(f"{name} = {value}{_meaning(known[name])}: {fault}; {_domain(known[name])}")
    if faults:
        raise ParameterError(faults)
    defined = _complete(statement, given)
    for name in sorted(wanted - given.keys() - defined.keys()):
        faults.append(f"{name} is missing{_meaning(known[name])}: {_domain(known[name])}; add {name}=VALUE")
    point = Point(given, {k: e for k, e in defined.items() if k not in given})
    faults += _outside(known, point)
    if not faults:
        faults += _clashes(known, point, defined)
    if faults:
        raise ParameterError(faults)
    return point


def _quantified(statement: Statement, name: str) -> Parameter:
    """A name of the bound that is no parameter; its domain is what a claim for all of its values says of it."""
    domains = (fact.where for fact in statement.claims if name in fact.over)
    return Parameter(name, "", next(domains, ()))


def _meaning(parameter: Parameter) -> str:
    return f" ({parameter.meaning})" if parameter.meaning else ""


def _domain(parameter: Parameter) -> str:
    domain = ", ".join((*parameter.domain, *(("an integer",) if parameter.integer else ())))
    return f"its domain is {domain}" if domain else "its domain is all reals"


def _complete(statement: Statement, given: Mapping[str, Fraction]) -> dict[str, Expr]:
    """What the given values determine, as formulas of them."""
    pending = definitions(statement)
    found: dict[str, Expr] = {}
    while True:
        ready = {k: e for k, e in pending.items() if e.free <= given.keys() | found.keys()}
        if not ready:
            return found
        for name, e in ready.items():
            found[name] = substitute(e, {k: v for k, v in found.items() if k not in given})
            del pending[name]


def _outside(known: Mapping[str, Parameter], point: Point) -> list[str]:
    from boundcheck.decide.worst_case.worst_values import truth

    faults = []
    for parameter in known.values():
        name = parameter.symbol
        if name not in point.names:
            continue
        if parameter.integer and name in point.given and point.given[name].denominator != 1:
            faults.append(f"{_told(parameter, point)}: an integer is wanted; {_domain(parameter)}")
            continue
        for text in parameter.domain:
            relations = tuple(r.map(covered) for r in parse_relations(text, proof=True))
            if any(not r.free <= point.names for r in relations):
                continue
            failing = [r for r in relations if truth(r.map(point.put), point.given) is not True]
            if failing:
                sides = _sides(failing[0], name, point)
                mend = f"choose {name} within it"
                if name in point.defined:
                    causes = sorted((point.defined[name].free | failing[0].free) & point.given.keys())
                    mend = f"change {' or '.join(causes)}"
                faults.append(
                    f"{_told(parameter, point)}: {failing[0]} does not hold{sides}; {_domain(parameter)}; {mend}"
                )
                break
    return faults


def _told(parameter: Parameter, point: Point) -> str:
    return f"{parameter.symbol} = {_value(parameter.symbol, point)}{_meaning(parameter)}"


def _value(name: str, point: Point) -> str:
    from boundcheck.decide.worst_case.worst_values import value_at

    if name in point.given:
        exact = point.given[name]
        try:
            decimal = exact if exact.denominator == 1 else float(exact)
        except OverflowError:
            return str(exact)
        return str(decimal) if Fraction(str(decimal)) == exact else str(exact)
    e = point.defined[name]
    try:
        return f"{e} = {float(value_at(e, point.given)):.6g}"
    except (ValueError, ArithmeticError):
        return f"{e}, which is undefined there"


def _sides(relation: Relation, name: str, point: Point) -> str:
    """The values of the other parameters in a relation that fails, for the message."""
    others = sorted(relation.free - {name})
    return f" with {', '.join(f'{n} = {_value(n, point)}' for n in others)}" if others else ""


def _clashes(known: Mapping[str, Parameter], point: Point, defined: Mapping[str, Expr]) -> list[str]:
    """Given parameters that their defining equation contradicts."""
    from boundcheck.decide.worst_case.worst_values import truth

    faults = []
    for name in sorted(point.given.keys() & defined.keys()):
        if truth(Relation("==", var(name), point.put(defined[name])), point.given) is not True:
            told = _told(known[name], point)
            faults.append(f"{told}: the other values make it {defined[name]}; leave out {name}, or these")
    return faults
