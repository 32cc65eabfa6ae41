"""Sharp constants of quadratic inequalities: a rigorous bracket between a refuted and a proved value."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

from boundcheck.decide.memory import Record, fraction, keep, key_of, recall
from boundcheck.decide.quadratic.gram_engine import Neighbour, decide_gram
from boundcheck.decide.quadratic.gram_fit import simplest_between
from boundcheck.kernel.clock import budget, deadline, passed, seconds_used
from boundcheck.kernel.formula import num, parse_relation
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.forms import vector_names
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.proof.terms import exchanged, put_all, settle
from boundcheck.kernel.statement import ByGram, GramClaim
from boundcheck.verdict import Status

SEARCH = 1.0  #: seconds of search for all multipliers in one decision, where what is forced does not do
#: where a bracket is divided, in shares of its width from the refuted end; then nearer to the ends
SHARES = tuple((Fraction(a, 32), Fraction(b, 32)) for a, b in ((8, 24), (3, 6), (26, 29), (1, 2), (30, 31)))


def with_constant(by: ByGram, obligation: Obligation, value: str) -> Callable[[Fraction], GramClaim]:
    """The obligation of a :class:`ByGram` step with c in place of its constant ``value``.

    Further relations of the template replace those of the domain with the same left side and sign.
    """
    claim = obligation.claim
    if not isinstance(claim, GramClaim):
        raise ProofError("best constants are for quadratic forms")
    own = {v.strip("_"): v for v in claim.vectors}
    vectors = vector_names(by, lambda n: own[f"v{n}"])
    goal, *domain = (
        settle(parse_relation(t, proof=True)).map(lambda e: exchanged(e, vectors)) for t in by.sharp[value]
    )

    def at(c: Fraction) -> GramClaim:
        new = [put_all(r, {"c": num(c)}) for r in domain]
        kept = [r for r in claim.where if not any((r.op, r.lhs) == (n.op, n.lhs) for n in new)]
        return GramClaim(claim.name, claim.vectors, put_all(goal, {"c": num(c)}), claim.hypotheses, (*kept, *new))

    return at


@dataclass(frozen=True)
class Sharp:
    """The claim is PROVED with the constant ``proved`` and, if known, REFUTED with ``refuted`` (its witness too)."""

    proved: Fraction
    refuted: Fraction | None
    witness: dict[str, str] | None = None
    seconds: Fraction = field(
        default=Fraction(0), compare=False
    )  #: that an earlier search for it took, if it is one of before

    def __str__(self) -> str:
        if self.refuted is None:
            return f"{float(self.proved):.6g} (not known to be sharp)"
        low, high = sorted((self.proved, self.refuted))
        return f"between {float(low):.6g} and {float(high):.6g}"


def sharp_constant(
    claim: Callable[[Fraction], GramClaim], value: Fraction, seconds: float = 5.0, width: float = 1e-4
) -> Sharp | None:
    """The bracket of the best constant in place of ``value``; None where the claim is not proved with ``value``.

    Whichever direction can be refuted is the sharp one, close by first. Simple rationals are tried first, so that a
    sharp constant such as 1/2 is proved itself.
    """
    proved = decide_gram(claim(value), refuting=False, seconds=seconds)
    if proved.status is not Status.PROVED:
        return None
    key = key_of("sharp", value, claim(value), claim(value + 1))
    found = _recalled(claim, recall(key), seconds, width) or _searched(
        claim, value, proved.certificate, seconds, width
    )
    ends = {"proved": str(found.proved), "refuted": None if found.refuted is None else str(found.refuted)}
    keep(key, {**ends, "seconds": str(max(found.seconds, Fraction(seconds)))})
    return found


def _recalled(
    claim: Callable[[Fraction], GramClaim], record: Record | None, seconds: float, width: float
) -> Sharp | None:
    """The bracket of an earlier search that took as long or is narrow enough, if both of its ends hold."""
    try:
        known = record or {}
        proved, took = fraction(known["proved"]), fraction(known["seconds"])
        refuted = None if known["refuted"] is None else fraction(known["refuted"])
    except (KeyError, ValueError, TypeError, ZeroDivisionError):
        return None
    if took < seconds and (refuted is None or abs(proved - refuted) > width * abs(proved)):
        return None
    if decide_gram(claim(proved), refuting=False, seconds=SEARCH).status is not Status.PROVED:
        return None
    if refuted is None:
        return Sharp(proved, None, seconds=took)
    verdict = decide_gram(claim(refuted), seconds=SEARCH)
    return Sharp(proved, refuted, dict(verdict.witness or {}), took) if verdict.status is Status.REFUTED else None


def _searched(
    claim: Callable[[Fraction], GramClaim], value: Fraction, certificate: Any, seconds: float, width: float
) -> Sharp:
    end = deadline(seconds)
    near, known = value / 64, Neighbour(certificate)
    for search in (0.0, SEARCH):
        for beyond in (value - near, value + near, value / 2, value * 2, value / 64, value * 64, -abs(value)):
            verdict = decide_gram(claim(beyond), seconds=search, neighbour=known)
            if verdict.status is Status.REFUTED:
                found = Sharp(value, beyond, dict(verdict.witness or {}))
                known = Neighbour(certificate, verdict.witness)
                found, known = _bisect(claim, found, known, end, width, 0.0)
                return _bisect(claim, found, known, end, width, SEARCH)[0]
    return Sharp(value, None)


def _bisect(
    claim: Callable[[Fraction], GramClaim], found: Sharp, known: Neighbour, end: float, width: float, search: float
) -> tuple[Sharp, Neighbour]:
    """The bracket made narrower; ``search``: seconds for multipliers that nothing forces, in each decision."""
    undecided = 0
    while not passed(end) and found.refuted is not None and undecided < len(SHARES):
        gap = found.proved - found.refuted
        if abs(gap) <= width * max(abs(found.proved), Fraction(1, 10**6)):
            break
        least, most = SHARES[undecided]
        middle = simplest_between(*sorted((found.refuted + gap * least, found.refuted + gap * most)))
        with budget(end - seconds_used()):
            verdict = decide_gram(claim(middle), seconds=search, neighbour=known)
        if verdict.status is Status.PROVED:
            found, undecided = Sharp(middle, found.refuted, found.witness), 0
            known = replace(known, certificate=verdict.certificate)
        elif verdict.status is Status.REFUTED:
            found, undecided = Sharp(found.proved, middle, dict(verdict.witness or {})), 0
            known = replace(known, witness=verdict.witness)
        else:
            undecided += 1
    return found, known
