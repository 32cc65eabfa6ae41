"""The gram engine: inequalities between quadratic forms in free vectors, for all parameters of a domain.

goal - sum lambda_j hypothesis_j is factored as L D L^T over the rational functions of the parameters; the signs
of D and of all divisors are proved by products of the domain's constraints. Multipliers are derived: a function
value must cancel, and a vector that only bounds another one (a radius) is used up. A failed search is UNDECIDED.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from boundcheck.decide.memory import keep, key_of, recall
from boundcheck.decide.quadratic.gram_counter import close_counterexample, counterexample
from boundcheck.decide.quadratic.gram_fit import polynomial_text
from boundcheck.decide.quadratic.gram_multipliers import fitted_multipliers
from boundcheck.decide.quadratic.gram_search import candidates
from boundcheck.decide.quadratic.gram_signs import PLAIN, SQUARES, TIMES, SignSearch, emptiness
from boundcheck.kernel.check.gram_certificate import SCHEMA, Signs, encode_claim, verify_gram
from boundcheck.kernel.check.quadratic import Form, FormProblem, NotQuadratic, basis, matrix, problem, remainder
from boundcheck.kernel.check.ratios import NotRational, Ratio
from boundcheck.kernel.clock import budget, seconds_used
from boundcheck.kernel.formula import Expr, Relation, num, parse
from boundcheck.kernel.statement import GramClaim
from boundcheck.verdict import Status, Verdict

SPLITTERS = 3  #: polynomials by which a domain is split in turn
FORCED = 5.0  #: seconds for the multipliers that are forced, their signs and witnesses
REFUTING = 1.0  #: seconds for counterexamples at simple points, at least, and for close ones


@dataclass(frozen=True)
class Neighbour:
    """Where the same claim with other constants is proved, by its certificate, and refuted, by its witness."""

    certificate: Mapping[str, Any] | None = None
    witness: Mapping[str, str] | None = None

    def multipliers(self, p: FormProblem) -> list[list[Ratio]]:
        """The certificate's multipliers, in a list of their own; none where it has none for the whole domain."""
        found = (self.certificate or {}).get("multipliers", ())
        if len(found) != len(p.hypotheses):
            return []
        return [[p.field.ratio(p.field.decode(above), p.field.decode(below)) for above, below in found]]


def decide_gram(
    claim: GramClaim,
    times: tuple[Expr | None, ...] = (),
    refuting: bool = True,
    seconds: float = 10.0,
    splits: int = 0,
    neighbour: Neighbour | None = None,
) -> Verdict:
    """PROVED with a verified certificate, REFUTED with explicit vectors, or UNDECIDED with the reason.

    A certificate of before (:mod:`boundcheck.decide.memory`) is checked first. ``times`` gives multipliers of the
    hypotheses (None where the engine is to derive one). ``seconds`` bounds the search for all multipliers at once,
    which follows where the forced ones do not do and no counterexample is found at simple points; 0 leaves it out.
    Counterexamples to what is hardly false are looked for after it. Where no multipliers do on the whole domain, it is
    split by the sign of what they would need, ``splits`` times, with half of the time. The whole takes at most FORCED
    seconds more than twice these. ``neighbour``: what is known with another constant.
    """
    with budget(FORCED + 2 * seconds):
        return _decided(claim, times, refuting, seconds, splits, neighbour or Neighbour())


def _decided(
    claim: GramClaim,
    times: tuple[Expr | None, ...],
    refuting: bool,
    seconds: float,
    splits: int,
    neighbour: Neighbour,
) -> Verdict:
    start = seconds_used()
    key = key_of("gram", claim)

    def verdict(status: Status, **more: Any) -> Verdict:
        return Verdict(claim.name, status, "gram", seconds=seconds_used() - start, **more)

    known = (recall(key) or {}).get("certificate")
    if known is not None and verify_gram(known, claim, max(5.0, seconds)).valid:
        keep(key, {"certificate": known})
        return verdict(Status.PROVED, certificate=known)
    try:
        p = problem(claim)
        engine = Engine(p, TIMES if seconds > 0 else PLAIN)
        forced = _forced(p, times)
        theirs = neighbour.multipliers(p)
    except (NotQuadratic, NotRational, ArithmeticError) as fault:
        return verdict(Status.UNDECIDED, reason=str(fault))
    multipliers = [m or p.field.number(0) for m in forced]
    certificate = engine.first([*theirs, multipliers])
    if certificate is None and forced.count(None) == 1:
        certificate = engine.first(fitted_multipliers(p, engine.signs, multipliers, forced.index(None)))
    empty = emptiness(engine.signs) if certificate is None else None
    if empty is not None:
        certificate = {"domain": engine.domain, "empty": empty}
    refuting = refuting and certificate is None
    witness = counterexample(claim, p, engine.signs, max(REFUTING, seconds / 3)) if refuting else None
    reason = engine.reason
    if certificate is None and witness is None and seconds > 0:
        engine.search.try_harder()
        certificate = engine.first(candidates(p, engine.signs, seconds) if p.hypotheses else [multipliers])
        reason = engine.reason
    if refuting and certificate is None and witness is None:
        witness = close_counterexample(claim, p, engine.signs, REFUTING, neighbour.witness)
    if witness is not None:
        return verdict(Status.REFUTED, witness=witness.flat(), reason="explicit vectors")
    if certificate is None and seconds > 0 and splits:
        certificate = _by_halves(claim, engine, seconds, splits)
    if certificate is None:
        return verdict(Status.UNDECIDED, reason=reason)
    data = {"schema": SCHEMA, "kind": "gram", "claim": encode_claim(claim), **certificate}
    check = verify_gram(data, claim)
    if not check.valid:
        return verdict(Status.UNDECIDED, reason=f"the verifier refuses the proof found: {check.reason}")
    keep(key, {"certificate": data})
    return verdict(Status.PROVED, certificate=data)


def _by_halves(claim: GramClaim, engine: Engine, seconds: float, splits: int) -> dict[str, Any] | None:
    """Certificates for the two halves into which a polynomial splits the domain."""
    for q in sorted(engine.search.mixed, key=lambda q: (q.total_degree(), len(q.to_dict())))[:SPLITTERS]:
        h, parts = parse(polynomial_text(engine.p.field, q)), []
        for op in (">=", "<="):
            half = replace(claim, where=(*claim.where, Relation(op, h, num(0))))
            found = decide_gram(half, refuting=False, seconds=seconds / 2, splits=splits - 1)
            if found.status is not Status.PROVED or found.certificate is None:
                break
            parts.append({k: v for k, v in found.certificate.items() if k not in ("schema", "kind", "claim")})
        if len(parts) == 2:
            return {"split": str(h), "parts": parts}
    return None


def _forced(p: FormProblem, times: tuple[Expr | None, ...]) -> list[Ratio | None]:
    """The multiplier of each hypothesis that is given, or forced by a level or a radius; None for the others."""
    field = p.field
    known: list[Ratio | None] = [
        field.read(times[k]) if k < len(times) and times[k] is not None else None  # type: ignore[arg-type]
        for k in range(len(p.hypotheses))
    ]
    changed = True
    while changed:
        changed = False
        rest = remainder(p, [m or field.number(0) for m in known])
        unknown = [k for k, m in enumerate(known) if m is None]
        for key in sorted({key for k in unknown for key in p.hypotheses[k]}):
            users = [k for k in unknown if key in p.hypotheses[k]]
            if len(users) != 1 or not (key[0] == "l" or _is_radius(p, rest, key)):
                continue
            value = field.div(rest.get(key, field.number(0)), p.hypotheses[users[0]][key])
            known[users[0]] = value
            changed = True
            break
    return known


def _is_radius(p: FormProblem, rest: Form, key: tuple[str, ...]) -> bool:
    """Whether the vector of a diagonal entry enters by its square alone."""
    if key[0] != "q" or key[1] != key[2]:
        return False
    mixed = [k for form in (rest, *p.hypotheses) for k in form if k[0] == "q" and key[1] in k[1:] and k != key]
    return not mixed


class Engine:
    """The search for the factors of one problem's form and for the signs that they need."""

    def __init__(self, p: FormProblem, effort: int = SQUARES):
        self.p, self.reason = p, ""
        self.domain: dict[str, Any] = {}
        self.signs = Signs(p, self._denominator)
        self.search = SignSearch(self.signs, effort)

    def _denominator(self, signs: Signs, k: int, q: Any) -> Any:
        search = SignSearch(signs)
        if not search.sign(q, strict=True):
            return None
        (proof,) = search.found.values()
        self.domain[str(k)] = proof
        return proof

    def first(self, candidates: Iterable[list[Ratio]]) -> dict[str, Any] | None:
        """The certificate of the first multipliers that have one, or None with ``reason`` set by the last."""
        found = map(self.certificate, candidates)
        return next((certificate for certificate in found if certificate is not None), None)

    def certificate(self, multipliers: list[Ratio]) -> dict[str, Any] | None:
        """The certificate without its head, or None with ``reason`` set."""
        p, field = self.p, self.p.field
        for divisor in field.divisors:
            if not self.search.sign(divisor, strict=True):
                return self._fail(f"{divisor} is not proved to be nonzero on the domain")
        for m, free in zip(multipliers, p.equations, strict=True):
            if not self._nonnegative(m) if not free else not self._finite(m):
                return self._fail(f"the multiplier ({m.num})/({m.den}) is not proved to be nonnegative")
        rest = remainder(p, multipliers)
        levels = [k[1] for k in rest if k[0] == "l"]
        if levels:
            return self._fail(f"{levels[0]} does not cancel")
        if not all(self._finite(c) for c in rest.values()):
            return self._fail("a coefficient is not proved to be finite on the domain")
        names = basis(p, rest)
        factors = self._factors(rest, names)
        if factors is None:
            return self._fail(f"no factorisation over {', '.join(names)} has provable signs")
        return {
            "multipliers": [self._encode(m) for m in multipliers],
            "domain": self.domain,
            **factors,
            "signs": self.search.found,
        }

    def _fail(self, reason: str) -> dict[str, Any] | None:
        self.reason = reason
        return None

    def _encode(self, r: Ratio) -> list[Any]:
        return [self.p.field.encode(r.num), self.p.field.encode(r.den)]

    def _finite(self, r: Ratio) -> bool:
        return self.search.sign(r.den, strict=True) != 0

    def _nonnegative(self, r: Ratio) -> bool:
        return r.num.is_zero() or self.search.sign(r.num, strict=False) * self.search.sign(r.den, strict=True) > 0

    def _factors(self, rest: Form, names: list[str]) -> dict[str, Any] | None:
        """L D L^T with the simplest provable pivot first."""
        field = self.p.field
        entries = matrix(self.p, rest, names)
        left, order = list(range(len(names))), []
        columns: list[dict[int, Ratio]] = []
        diagonal: list[Ratio] = []
        while left:
            for k in sorted(left, key=lambda k: (any(not entries[i][k].num.is_zero() for i in left if i != k),
                                                 len(str(entries[k][k].num)))):  # fmt: skip
                pivot = entries[k][k]
                others = [i for i in left if i != k and not entries[i][k].num.is_zero()]
                if (pivot.num.is_zero() and others) or not self._nonnegative(pivot):
                    continue
                column = {i: field.div(entries[i][k], pivot) for i in others}
                if all(map(self._finite, column.values())):
                    break
            else:
                return None
            left.remove(k)
            order.append(k)
            diagonal.append(pivot)
            columns.append(column)
            for i in column:
                for j in column:
                    entries[i][j] = field.sub(entries[i][j], field.mul(column[i], entries[j][k]))
        place = {k: n for n, k in enumerate(order)}
        lower = [[place[i], n, self._encode(c)] for n, column in enumerate(columns) for i, c in column.items()]
        return {"order": order, "lower": lower, "diagonal": [self._encode(d) for d in diagonal]}
