"""Refutation of "there is a constant C > 0 such that for all ...": a witness that moves with C, found and certified.

For several C the free names of a family are chosen so that the claim fails with as much room as possible; the
exponents of a power law in C are read off, made simple, and the result is proved for all C > 0 (below 1 with the
witness for 1).
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from fractions import Fraction
from itertools import product
from typing import Any

import numpy as np

from boundcheck.arith import floats, mp
from boundcheck.decide.memory import Record, keep, key_of, recall
from boundcheck.decide.scalar.engine import prove
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.formula import Expr, FormulaError, Relation, substitute
from boundcheck.kernel.proof.existence import NoInstance, domain, hypotheses, obligations, violations
from boundcheck.kernel.proof.sorts import SortError
from boundcheck.kernel.statement import Claim, Exists, Family, Statement
from boundcheck.verdict import Status, Verdict
from boundcheck.written import encode

Decider = Callable[[Claim, float], Verdict]
CONSTANTS = (1e2, 1e3, 1e4, 1e5)
DRAWS = 40_000
PRECISE_DRAWS = 200  #: draws where double precision overflows
SCALES = (1, 4, 16, 64, 256)  #: how far a witness is moved into the failing region, in turn


def decide_exists(statement: Statement, exists: Exists, decide: Decider, seconds: float = 6.0) -> Verdict:
    """REFUTED with a Skolem certificate, or UNDECIDED (a constant may exist; this engine never proves one)."""
    start = seconds_used()
    reason = "no family refutes it"
    key = key_of("exists", exists, statement.domain)
    known = recall(key) or {}
    for family in sorted(exists.families, key=lambda f: f.name != known.get("family")):
        try:
            if _proofs(hypotheses(statement, exists, family), decide, seconds) is None:
                reason = f"the hypotheses are not proved for {family.name}"
                continue
            for number, failing, witness in _tried(statement, exists, family, known):
                try:
                    claims = obligations(statement, exists, family, failing, witness)
                except (NoInstance, FormulaError, SortError) as fault:
                    reason = str(fault)
                    continue
                proofs = _proofs(claims, decide, seconds)
                if proofs is None:
                    continue
                keep(key, {"family": family.name, "failing": number, "witness": witness})
                return Verdict(
                    statement.label,
                    Status.REFUTED,
                    "quantified",
                    witness=witness,
                    certificate={
                        "schema": 1, "kind": "skolem", "family": family.name, "failing": number,
                        "witness": witness, "certificates": proofs,
                        "statement": encode(statement), "assertion": statement.exists.index(exists),
                    },
                    reason=f"no constant {exists.constant}: {family.name}, {_words(witness)}{_vouched(family)}",
                    seconds=seconds_used() - start,
                )  # fmt: skip
        except (NoInstance, FormulaError, SortError) as fault:
            reason = str(fault)
    return Verdict(statement.label, Status.UNDECIDED, "quantified", reason=reason, seconds=seconds_used() - start)


def _tried(
    statement: Statement, exists: Exists, family: Family, known: Record
) -> Iterator[tuple[int, tuple[Relation, ...], dict[str, str]]]:
    """(number, what fails, witness) to try: first what an earlier search found for the family."""
    failing = list(violations(statement, exists, family))
    number: Any
    witness: Any
    number, witness = known.get("failing"), known.get("witness")
    texts = isinstance(witness, dict) and all(isinstance(v, str) for v in witness.values())
    fits = isinstance(number, int) and 0 <= number < len(failing) and texts
    if fits and known.get("family") == family.name:
        yield number, failing[number], witness
    for n, relations in enumerate(failing):
        for found in candidates(exists, family, relations):
            yield n, relations, found


def _proofs(claims: Sequence[Claim], decide: Decider, seconds: float) -> list[Any] | None:
    """The certificates of all claims, None where one of them is not proved.

    A claim about a case that does not happen holds: of such a claim the decider says that its domain is empty.
    """
    found = []
    for claim in claims:
        verdict = decide(claim, seconds)
        certificate = verdict.certificate
        if verdict.status is Status.UNDECIDED:
            certificate, _ = prove(claim, seconds) if verdict.method == "empty domain" else (None, "")
            certificate = certificate if certificate is not None and verify(certificate, claim).valid else None
        if certificate is None or verdict.status is Status.REFUTED:
            return None
        found.append(certificate)
    return found


def _words(witness: dict[str, str]) -> str:
    return ", ".join(f"{k} = {v}" for k, v in witness.items())


def _vouched(family: Family) -> str:
    """What of the family is taken on its author's word: the value of a mean, hypotheses that are shown elsewhere."""
    told = [f"{term} == {value}" for term, value in family.vouches.items()]
    told += [f"hypotheses {', '.join(family.meets)}"] if family.meets else []
    return f"; its author vouches for {' and for '.join(told)}" if told else ""


def candidates(exists: Exists, family: Family, failing: tuple[Relation, ...]) -> Iterator[dict[str, str]]:
    """Functions of the constant for the free names: end + k C^e, simple ones first."""
    ends = {name: _least(family, name) for name in family.free}
    found = [_numeric(exists, family, failing, c, ends) for c in CONSTANTS]
    if any(f is None for f in found):
        return
    logs = np.log(np.array(found))
    slopes = np.polyfit(np.log(CONSTANTS), logs, 1)
    exponents = [_near(float(s)) for s in slopes[0]]
    levels = np.exp(np.median(logs - np.log(CONSTANTS)[:, None] * np.array([float(e[0]) for e in exponents]), axis=0))
    for choice in product(*exponents):
        for scale in SCALES:
            witness = {}
            for name, e, level in zip(family.free, choice, levels, strict=True):
                factor = _power_of_two(level / scale if e < 0 else level * scale)
                term = f"{factor}*{exists.constant}" if e == 1 else f"{factor}*{exists.constant}**({e})"
                witness[name] = f"{ends[name]} + {term}" if ends[name] else term
            yield witness


def _near(slope: float) -> list[Fraction]:
    """Half integers close to a slope, the nearest first, then away from 0."""
    nearest = Fraction(round(2 * slope), 2)
    away = Fraction(1, 2) if slope >= 0 else Fraction(-1, 2)
    return [nearest, nearest + away, nearest + 2 * away]


def _power_of_two(value: float) -> Fraction:
    return Fraction(2) ** int(np.clip(np.rint(np.log2(max(value, 1e-30))), -60, 60))


def _least(family: Family, name: str) -> Fraction:
    """The lower end of a free name's range: its witness moves away from there."""
    for r in domain(family):
        s = r if r.op in (">", ">=") else r.flipped()
        if s.op in (">", ">=") and s.lhs.op == "var" and s.lhs.value == name and s.rhs.op == "num":
            return Fraction(s.rhs.value)
    return Fraction(0)


def _numeric(
    exists: Exists, family: Family, failing: tuple[Relation, ...], c: float, ends: dict[str, Fraction]
) -> Any | None:
    """Distances of the free names from their ends, on the edge of the failing region but inside it."""
    names = list(family.free)
    goals = [*failing, *domain(family)]
    at_c = [substitute(r.gap, {exists.constant: Fraction(c)}) for r in goals]
    run = floats.compile_function(at_c, names)
    rng = np.random.default_rng(5)
    away = 10.0 ** rng.uniform(-14, 6, (DRAWS, len(names)))
    columns = [away[:, i] + float(ends[n]) for i, n in enumerate(names)]
    with np.errstate(all="ignore"):
        values = [np.broadcast_to(np.asarray(v, float), (DRAWS,)) for v in run(columns)]
    good = np.all([v > 0 for v in values], axis=0)

    def holds(row: Any) -> bool:
        return _holds(at_c, dict(zip(names, map(float, row), strict=True)), ends)

    best = _outermost(away[good])
    if best is None or not holds(best):  # what doubles make of it may be an overflow, or rounding
        away = away[:: DRAWS // PRECISE_DRAWS]
        best = _outermost(away[[holds(row) for row in away]])
    return best


def _outermost(inside: Any) -> Any | None:
    """The row whose logarithms are least in size, None of none."""
    return inside[int(np.argmin(np.sum(np.abs(np.log(inside)), axis=1)))] if len(inside) else None


def _holds(gaps: list[Expr], away: dict[str, float], ends: dict[str, Fraction]) -> bool:
    """Whether all of ``gaps`` are positive, in floating point with unlimited exponents."""
    point = {n: mp.number(ends[n]) + mp.number(v) for n, v in away.items()}
    try:
        return all(mp.evaluate(g, point, 30) > 0 for g in gaps)
    except (ArithmeticError, ValueError, TypeError):
        return False
