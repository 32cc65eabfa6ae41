"""Re-check of a Gram certificate, and of a witness against a quadratic claim, in exact rational arithmetic.

A certificate holds multipliers lambda_j >= 0, the factors of goal - sum lambda_j hypothesis_j = L D L^T, and for
every polynomial whose sign is needed a factorisation with, for each factor, a combination of products of the domain's
constraints and of squares with nonnegative coefficients, which may stand for the factor times another polynomial that
is positive on the domain. Everything else is recomputed from the
claim. A form whose D is >= 0 and whose L is finite on the domain is nonnegative there, closed ends included. Or it
holds a sum of such products that is 0 though one of them is positive: the domain is empty. Or two certificates, for
the two halves into which a polynomial's sign splits the domain.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import replace
from fractions import Fraction
from math import isqrt
from typing import Any

from flint import fmpq

from boundcheck.kernel.certificate import Check
from boundcheck.kernel.check.numerals import require_bounded
from boundcheck.kernel.check.quadratic import FormProblem, NotQuadratic, basis, matrix, problem, remainder
from boundcheck.kernel.check.ratios import Field, NotRational, Ratio
from boundcheck.kernel.clock import passed, seconds_used
from boundcheck.kernel.formula import FormulaError, Relation, num, parse, parse_relation
from boundcheck.kernel.statement import GramClaim

SCHEMA = 1
MAX_VECTORS = 40
MAX_SPLITS = 4  #: depth to which a domain is split
ROOT_SCALE = 10**6  #: a square root of a rational lies between two neighbouring multiples of 1/ROOT_SCALE
MAX_RELATIONS = 2000  #: hypotheses, and relations of the domain


class Refused(ValueError):
    """A certificate that does not prove its claim."""


def encode_claim(claim: GramClaim) -> dict[str, Any]:
    """The claim as texts."""
    return {
        "vectors": list(claim.vectors),
        "goal": str(claim.goal),
        "hypotheses": [str(h) for h in claim.hypotheses],
        "where": [str(r) for r in claim.where],
    }


def decode_claim(data: Any) -> GramClaim:
    """The claim behind :func:`encode_claim`'s data; raises :class:`Refused`."""
    if not isinstance(data, Mapping) or data.keys() != {"vectors", "goal", "hypotheses", "where"}:
        raise Refused("claim: vectors, goal, hypotheses and where are wanted")

    def read(key: str) -> tuple[Relation, ...]:
        texts = data[key]
        if not isinstance(texts, (list, tuple)) or len(texts) > MAX_RELATIONS:
            raise Refused(f"claim.{key}: a list is wanted")
        return tuple(parse_relation(t, proof=True) for t in texts)

    try:
        vectors = tuple(str(v) for v in data["vectors"])
        return GramClaim(
            "certificate", vectors, parse_relation(data["goal"], proof=True), read("hypotheses"), read("where")
        )
    except FormulaError as fault:
        raise Refused(f"claim: {fault}") from None


class Signs:
    """The domain's constraints as polynomials, and the check of sign certificates against them.

    ``domain(signs, k, q)`` gives a strict sign certificate for the denominator q of relation k, or None; without
    one the relation N/q >= 0 is used in the weaker form N q >= 0.
    """

    def __init__(self, p: FormProblem, domain: Callable[[Signs, int, Any], Any], deadline: float = float("inf")):
        self.field, self.deadline = p.field, deadline
        self.constraints: list[tuple[Any, bool]] = [(self.field.symbol(n), True) for n in self.field.roots]
        waiting: list[tuple[int, Relation, Ratio]] = []
        for k, r in enumerate(p.where):
            if r.op == "!=":
                continue
            before = len(self.field.divisors)
            try:
                gap = self.field.read(r.gap)
            except NotRational:
                continue  # a hypothesis that says nothing rational is not used
            finally:
                del self.field.divisors[before:]
            if gap.den.is_constant():
                self._accept(r, gap.num)
            else:
                waiting.append((k, r, gap))
        for k, r, gap in waiting:
            proof = domain(self, k, gap.den)
            sign = self.sign(gap.den, proof, strict=True) if proof is not None else 0
            self._accept(r, gap.num * sign if sign else self.field.reduce(gap.num * gap.den))
        for n, c in self.field.roots.items():
            low = Fraction(isqrt(c.numerator * ROOT_SCALE**2 // c.denominator), ROOT_SCALE)
            self.constraints.append((self.field.symbol(n) - self.field.constant(low), low * low < c))
            self.constraints.append((self.field.constant(low + Fraction(1, ROOT_SCALE)) - self.field.symbol(n), True))

    def _accept(self, r: Relation, p: Any) -> None:
        if r.op == "==":
            self.constraints += [(p, False), (-p, False)]
        else:
            self.constraints.append((p, r.strict))

    def sign(self, p: Any, proof: Any, *, strict: bool) -> int:
        """+1 or -1 where the certificate proves p >= 0 or <= 0 (> 0, < 0 if strict); +1 for 0. Raises Refused."""
        field = self.field
        if not isinstance(proof, Mapping) or not isinstance(proof.get("factors"), (list, tuple)):
            raise Refused("a sign certificate has factors")
        constant = Fraction(proof.get("constant", 0))
        total, product = (constant > 0) - (constant < 0), field.constant(constant)
        for factor in proof["factors"]:
            q, power = field.decode(factor["polynomial"]), factor["power"]
            if type(power) is not int or not 1 <= power <= 40:
                raise Refused("a factor's power is a positive integer")
            for _ in range(power):
                product = field.reduce(product * q)
            if strict or power % 2:
                own = factor["sign"]
                if own not in (1, -1):
                    raise Refused("a factor's sign is 1 or -1")
                times = self.divisor(factor.get("times"))
                self.nonnegative(field.reduce(q * own * times), factor["terms"], strict=strict)
                total *= own**power
        if not field.reduce(product - p).is_zero():
            raise Refused("the factors do not multiply to the polynomial")
        if total == 0 and (strict or not p.is_zero()):
            raise Refused("the polynomial has no sign")
        return total or 1

    def divisor(self, proof: Any) -> Any:
        """A polynomial that its own terms prove to be positive: what a factor may be multiplied by. Raises Refused."""
        if proof is None:
            return self.field.one
        product = self.field.decode(proof["polynomial"])
        self.nonnegative(product, proof["terms"], strict=True)
        return product

    def nonnegative(self, p: Any, terms: Any, *, strict: bool) -> None:
        """Check p = sum of coefficient * product of powers of constraints, coefficients >= 0. Raises Refused.

        A term may have a polynomial more, by whose square it is multiplied.
        """
        field, left, positive = self.field, p, False
        for coefficient, powers, *squared in terms:
            if passed(self.deadline):
                raise Refused("the check took too long")
            c = Fraction(coefficient)
            if c < 0:
                raise Refused("a coefficient of a sign certificate is negative")
            product, all_strict = field.constant(c), True
            for index, power in powers:
                if type(index) is not int or not 0 <= index < len(self.constraints):
                    raise Refused("a sign certificate names a constraint that the domain does not have")
                if type(power) is not int or not 1 <= power <= 40:
                    raise Refused("a constraint's power is a positive integer")
                g, strictly = self.constraints[index]
                all_strict = all_strict and strictly
                for _ in range(power):
                    product = field.reduce(product * g)
            for q in map(field.decode, squared):
                product, all_strict = field.reduce(field.reduce(product * q) * q), False
            positive = positive or (all_strict and c > 0)
            left = left - product
        if not field.reduce(left).is_zero():
            raise Refused("the products of constraints do not sum to the polynomial")
        if strict and not positive:
            raise Refused("the polynomial is not proved to be positive")


def key_of(field: Field, p: Any) -> str:
    """The key under which a certificate keeps the sign of ``p``."""
    return ";".join(f"{c}:{','.join(map(str, m))}" for c, m in field.encode(p))


def verify_gram(certificate: Any, claim: GramClaim | None = None, seconds: float = 60.0) -> Check:
    """Re-check a certificate; with ``claim``, also that it is about this very claim. Never raises."""
    start = seconds_used()
    try:
        if not isinstance(certificate, Mapping) or certificate.get("kind") != "gram":
            raise Refused("kind: gram is wanted")
        require_bounded(certificate)
        if type(certificate.get("schema")) is not int or certificate["schema"] != SCHEMA:
            raise Refused(f"schema {SCHEMA} is wanted")
        about = decode_claim(certificate.get("claim"))
        if claim is not None and encode_claim(claim) != encode_claim(about):
            raise Refused("the certificate is about another claim")
        nodes = _parts(about, certificate, start + seconds, MAX_SPLITS)
    except (
        ValueError, TypeError, KeyError, AttributeError, IndexError, ArithmeticError, RecursionError,
        FormulaError, NotQuadratic, NotRational,
    ) as fault:  # fmt: skip
        return Check(False, f"{fault}", 0, seconds_used() - start)
    return Check(True, "", nodes, seconds_used() - start)


def _parts(claim: GramClaim, certificate: Mapping[str, Any], deadline: float, splits: int) -> int:
    """Check one proof, or two of which one holds where a polynomial is >= 0 and one where it is <= 0."""
    if "split" not in certificate:
        return _check(problem(claim), certificate, deadline)
    if splits == 0:
        raise Refused("the domain is split too often")
    h, field = parse(certificate["split"]), problem(claim).field
    field.divisors.clear()
    if not field.read(h).den.is_constant() or field.divisors:
        raise Refused("a domain is split by the sign of a polynomial")
    above, below = certificate["parts"]
    nodes = 0
    for op, part in ((">=", above), ("<=", below)):
        own = replace(claim, where=(*claim.where, Relation(op, h, num(0))))
        nodes += _parts(own, part, deadline, splits - 1)
    return nodes


def _check(p: FormProblem, certificate: Mapping[str, Any], deadline: float) -> int:
    field = p.field
    domain = certificate.get("domain")
    if not isinstance(domain, Mapping):
        raise Refused("domain: an object is wanted")
    signs = Signs(p, lambda _, k, __: domain.get(str(k)), deadline)
    if "empty" in certificate:
        signs.nonnegative(field.zero, certificate["empty"], strict=True)  # 0 > 0: no parameters meet the domain
        return 0
    stored = certificate.get("signs")
    if not isinstance(stored, Mapping):
        raise Refused("signs: an object is wanted")

    def sign(q: Any, strict: bool) -> int:
        if q.is_constant():
            value = q.leading_coefficient() if not q.is_zero() else fmpq(0)
            if strict and value == 0:
                raise Refused("a divisor is zero")
            return 1 if value >= 0 else -1
        return signs.sign(q, stored[key_of(field, q) + ("+" if strict else "")], strict=strict)

    def nonnegative(r: Ratio) -> None:
        if not r.num.is_zero() and sign(r.num, False) * sign(r.den, True) < 0:
            raise Refused("a multiplier or pivot is not proved to be nonnegative")

    def ratio(data: Any) -> Ratio:
        return field.ratio(field.decode(data[0]), field.decode(data[1]))

    multipliers = [ratio(m) for m in certificate["multipliers"]]
    if len(multipliers) != len(p.hypotheses):
        raise Refused("one multiplier for each hypothesis is wanted")
    for divisor in field.divisors:
        sign(divisor, True)
    for m, free in zip(multipliers, p.equations, strict=True):
        if free:
            sign(m.den, True)
        else:
            nonnegative(m)
    rest = remainder(p, multipliers)
    if any(key[0] == "l" for key in rest):
        raise Refused("a function value does not cancel")
    names = basis(p, rest)
    if len(names) > MAX_VECTORS:
        raise Refused("too many vectors")
    for c in rest.values():
        sign(c.den, True)
    order = certificate["order"]
    if sorted(order) != list(range(len(names))):
        raise Refused("order: a permutation is wanted")
    lower = {(i, j): ratio(r) for i, j, r in certificate["lower"]}
    diagonal = [ratio(r) for r in certificate["diagonal"]]
    if len(diagonal) != len(names) or not all(0 <= j < i < len(names) for i, j in lower):
        raise Refused("the factors have another size than the form")
    for r in lower.values():
        sign(r.den, True)
    for r in diagonal:
        nonnegative(r)
    entries = matrix(p, rest, [names[k] for k in order])
    for i in range(len(names)):
        for j in range(i + 1):
            total = field.number(0)
            for k in range(j + 1):
                left = lower.get((i, k)) if i != k else field.number(1)
                right = lower.get((j, k)) if j != k else field.number(1)
                if left is not None and right is not None:
                    total = field.add(total, field.mul(field.mul(left, diagonal[k]), right))
            if not field.same(total, entries[i][j]):
                raise Refused("the factors do not multiply to the form")
    return len(names)
