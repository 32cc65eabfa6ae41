"""Re-check of counterexamples to claims about free vectors and to rates: numbers are put into what is written.

Numbers are closed terms (rationals, roots, what arithmetic makes of them). A relation holds only if that is decided:
exactly, in balls at growing precision, or as an identity of algebraic numbers. What is undefined is not decided.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction

from flint import arb

from boundcheck.arith import in_balls
from boundcheck.kernel.check import algebraic
from boundcheck.kernel.check.poly import fraction
from boundcheck.kernel.enclosure.straight_line import exact_of
from boundcheck.kernel.formula import Expr, Relation, call, is_opaque, num, parse, product, substitute, text
from boundcheck.kernel.rate import Rate, RateError, expand
from boundcheck.kernel.statement import GramClaim

PRECISIONS = (64, 256, 1024)  #: bits of the balls
_NUMBERS = frozenset({"num", "add", "sub", "mul", "div", "pow", "neg", "sqrt", "max", "min", "abs"})
_SIGNS = {"<": {-1}, "<=": {-1, 0}, ">": {1}, ">=": {0, 1}, "==": {0}}
_FAULTS = (ValueError, TypeError, ArithmeticError, LookupError, RecursionError)
Texts = Mapping[str, str]


def check_witness(
    claim: GramClaim,
    parameters: Texts,
    vectors: Mapping[str, tuple[str, ...]],
    levels: Texts | None = None,
    places: Mapping[str, Expr] | None = None,
) -> Fraction | None:
    """The value (in balls: an upper bound of it) of the violated goal, or None if it is no counterexample.

    ``levels`` maps the text of a value of a function to a number; ``places`` says what a name in such a text stands
    for, where it is no vector and no parameter. All declared vectors have as many coordinates. Never raises.
    """
    try:
        point = Point(parameters, {v: vectors[v] for v in claim.vectors}, levels or {})
        gap = point.number(claim.goal.gap)
        bits = next((b for b in PRECISIONS if in_balls.sign_at(gap, {}, b) == -1), None)
        if bits is None or claim.goal.op not in ("<=", ">="):
            return None
        if not all(map(point.holds, (*claim.where, *claim.hypotheses))) or not point.functional(places or {}):
            return None
        value = in_balls.at_point(gap, {}, bits)
        return fraction(exact_of(value.upper()) if isinstance(value, arb) else value)
    except _FAULTS:
        return None


def refutes(
    rate: Rate, parameters: Mapping[str, str], vectors: Mapping[str, tuple[str, ...]], levels: Mapping[str, str]
) -> bool:
    """Whether ``rate`` fails at exact numbers that members of its classes take. Never raises."""
    try:
        known = expand(rate)
    except (RateError, RecursionError):
        return False
    return known.exact and check_witness(known.claim, parameters, vectors, levels, known.places) is not None


class Point:
    """Closed terms for parameters, for coordinates of vectors, and for values of functions.

    A vector that stands alone as a number is a length: it lies on the first axis. Raises ValueError, TypeError,
    KeyError for what is none of these; division by zero and the like are left in the terms.
    """

    def __init__(self, parameters: Texts, vectors: Mapping[str, tuple[str, ...]], levels: Texts):
        self.numbers: dict[str, Expr] = {}
        self.vectors: dict[str, tuple[Expr, ...]] = {}
        self.levels: dict[str, Expr] = {}
        self.used: set[Expr] = set()  #: values of functions that were asked for
        # all are read before there is a name, so they are closed
        numbers, values = ({n: self.number(parse(t)) for n, t in given.items()} for given in (parameters, levels))
        coordinates = {v: tuple(self.number(parse(t)) for t in given) for v, given in vectors.items()}
        self.dimension = max(map(len, coordinates.values()), default=1)
        if self.dimension == 0 or any(len(given) != self.dimension for given in coordinates.values()):
            raise ValueError("vectors of one dimension are wanted")
        self.numbers, self.levels, self.vectors = numbers, values, coordinates

    def number(self, e: Expr) -> Expr:
        """The closed term that ``e`` is here."""
        match e.op:
            case "var" if e.value in self.vectors:
                first, *others = self.vectors[e.value]
                if any(c is not num(0) for c in others):
                    raise ValueError(f"{e} is no number")
                return first
            case "var":
                return self.numbers[e.value]
            case "norm":
                return call("sqrt", self._dot(e.args[0], e.args[0]))
            case "dot":
                return self._dot(*e.args)
            case "pow" if e.args[0].op == "norm" and e.args[1].op == "num" and e.args[1].value % 2 == 0:
                return self._dot(*e.args[0].args * 2) ** num(e.args[1].value / 2)
            case op if op in _NUMBERS:
                return Expr(op, tuple(map(self.number, e.args)), e.value)
            case _ if is_opaque(e):
                self.used.add(e)
                return self.levels[text(e)]
        raise ValueError(f"{e} is no number")

    def vector(self, e: Expr) -> tuple[Expr, ...]:
        """The coordinates of a linear combination of vectors."""
        match e.op:
            case "var":
                return self.vectors[e.value]
            case "num" if e.value == 0:
                return (e,) * self.dimension
            case "neg":
                return tuple(-c for c in self.vector(e.args[0]))
            case "add" | "sub":
                pairs = zip(*map(self.vector, e.args), strict=True)
                return tuple(a + b if e.op == "add" else a - b for a, b in pairs)
            case "div":
                divisor = self.number(e.args[1])
                return tuple(c / divisor for c in self.vector(e.args[0]))
            case "mul":
                first, second = e.args if self._directed(e.args[1]) else e.args[::-1]
                factor = self.number(first)
                return tuple(product(factor, c) for c in self.vector(second))
        raise ValueError(f"{e} is no vector")

    def _directed(self, e: Expr) -> bool:
        """Whether a vector stands in ``e`` outside of norms, products and values of functions."""
        return e.value in self.vectors if e.op == "var" else not is_opaque(e) and any(map(self._directed, e.args))

    def _dot(self, a: Expr, b: Expr) -> Expr:
        return sum((product(x, y) for x, y in zip(self.vector(a), self.vector(b), strict=True)), num(0))

    def holds(self, r: Relation) -> bool:
        """Whether a relation between numbers, or an equation (or !=) between vectors, is decided and true."""
        try:
            pairs = list(zip(self.vector(r.lhs), self.vector(r.rhs), strict=True)) if r.op in ("==", "!=") else []
        except (ValueError, KeyError):
            pairs = []
        signs = {_sign(a - b) for a, b in pairs or [(self.number(r.lhs), self.number(r.rhs))]}
        return None not in signs and (signs != {0} if r.op == "!=" else signs <= _SIGNS[r.op])

    def functional(self, places: Mapping[str, Expr]) -> bool:
        """Whether functions surely have one value at one argument, of those that were asked for."""
        used = [(e.op, tuple(substitute(a, places) for a in e.args), self.levels[text(e)]) for e in self.used]
        return all(
            value is other or op != head or any(map(self._apart, args, others))
            for n, (op, args, value) in enumerate(used)
            for head, others, other in used[:n]
        )

    def _apart(self, a: Expr, b: Expr) -> bool:
        """Whether two arguments differ, or may be taken so: names and values that nothing fixes are free."""
        known = self.numbers.keys() | self.vectors.keys()
        if any(e.op == "var" and e.value not in known | other.free for e, other in ((a, b), (b, a))):
            return True
        if all(is_opaque(e) and e.op not in ("norm", "dot") and text(e) not in self.levels for e in (a, b)):
            return a.op != b.op or any(map(self._apart, a.args, b.args))
        try:
            return self.holds(Relation("!=", a, b))
        except _FAULTS:
            return False


def _sign(gap: Expr) -> int | None:
    """The sign of a closed term, None where it is not decided."""
    signs = (in_balls.sign_at(gap, {}, bits) for bits in PRECISIONS)
    found = next((s for s in signs if s is not None), None)
    return 0 if found is None and algebraic.is_zero(gap) else found
