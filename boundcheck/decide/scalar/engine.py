"""The scalar engine: order of tactics, the search for a certificate, and the verdict."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import ctx

from boundcheck.arith import in_balls
from boundcheck.decide.certificates import make
from boundcheck.decide.memory import Record, fraction, keep, key_of, recall
from boundcheck.decide.scalar.bases import atoms, exponential, powers
from boundcheck.decide.scalar.basic import arcs, first_values, folded, integers, kinks, opened, steps, trivial
from boundcheck.decide.scalar.bernstein import bernstein
from boundcheck.decide.scalar.binder_tactics import (
    assumed,
    attained,
    closed,
    existence,
    kinked,
    mirrored,
    rewritten,
    termwise,
)
from boundcheck.decide.scalar.chords import chords, weighted
from boundcheck.decide.scalar.comparisons import compared, drawn_out
from boundcheck.decide.scalar.constants import constant
from boundcheck.decide.scalar.equivalents import (
    exponents,
    factored,
    grounded,
    peeled,
    split_factors,
    unlogged,
    unwrapped,
)
from boundcheck.decide.scalar.farkas import contradicted, farkas
from boundcheck.decide.scalar.gathered import gathered
from boundcheck.decide.scalar.homogeneous import products_named, scaled, scaled_powers
from boundcheck.decide.scalar.interval import cover
from boundcheck.decide.scalar.known_bounds import bounded, tangent_powers
from boundcheck.decide.scalar.means import balanced, means
from boundcheck.decide.scalar.products import products
from boundcheck.decide.scalar.prover import Node, OutOfTime, Proved, Prover, Tactic
from boundcheck.decide.scalar.reduce import (
    alone,
    chained,
    drop_unused,
    ladder,
    pivot,
    punctured,
    put_at_bounds,
    ratio,
    shifted,
    tilted,
    touching,
)
from boundcheck.decide.scalar.refute import refute
from boundcheck.decide.scalar.root_bounds import beyond, rooted
from boundcheck.decide.scalar.roots import by_powers, factored_equations, freed, raised, slack, solved, squared
from boundcheck.decide.scalar.sampling import violation
from boundcheck.decide.scalar.sos import sos
from boundcheck.decide.scalar.sum_tactics import completed, induction, partial, sharpened
from boundcheck.decide.scalar.univariate import univariate
from boundcheck.decide.scalar.whole_numbers import branches, classes, residues, rounded, tightened
from boundcheck.decide.scalar.witness_check import check_witness
from boundcheck.decide.scalar.zero import based, pinned, reflected
from boundcheck.kernel.certificate import PRECISION, goals, sequents, verify
from boundcheck.kernel.check.sequent import Sequent, has_binder
from boundcheck.kernel.clock import budget, seconds_used
from boundcheck.kernel.enclosure.points import as_arb
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status, Verdict

QUICK = 0.12  #: share of the time for the first, cheap look at a claim
LEAST = 0.3  #: seconds for that at least, up to half of the time: what is begun twice is paid twice
REFUTE = 0.12  #: share of the time for the first search for a witness
PATIENCE = 1.5  #: shares of the time after which enclosures give up: what is found in time is still to be verified


def _brief(tactic: Tactic, share: float) -> Tactic:
    """The tactic with a share of the time left."""

    def run(p: Prover, seq: Sequent, depth: int) -> Node | None:
        return p.sliced(max(0.05, share * p.left()), lambda: tactic(p, seq, depth))

    return run


def _quick_cover(p: Prover, seq: Sequent, depth: int) -> Node | None:
    return cover(p, seq, 0, 300)


def _logarithms(p: Prover, seq: Sequent, depth: int) -> Node | None:
    return exponents(p, seq, depth, 1.0)


def sums(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """Sums by induction, by their partial sums, and beside others that are known."""
    if not has_binder(seq.goal.gap) or assumed(seq):
        return None
    for tactic, share in ((completed, 0.5), (induction, 0.6), (partial, 0.5), (compared, 0.4), (sharpened, 1.0)):
        node = _brief(tactic, share)(p, seq, depth)
        if node is not None:
            return node
    return None


TACTICS = (
    trivial, existence, constant, _brief(termwise, 0.2), kinked, mirrored, _brief(closed, 0.6), rewritten,
    _brief(drawn_out, 0.7), _brief(sums, 0.8), pinned, residues, grounded, drop_unused, _brief(alone, 0.5), solved,
    factored_equations, unwrapped, peeled, unlogged,
    _brief(put_at_bounds, 0.3), _brief(slack, 0.5), punctured, tightened, classes,
    _brief(weighted, 0.4), balanced, _brief(products_named, 0.4), atoms, _brief(shifted, 0.6), _brief(gathered, 0.5),
    _brief(tangent_powers, 0.3), steps, _brief(farkas, 0.1), _brief(integers, 0.35), rounded, products, opened,
    _brief(freed, 0.3), _brief(contradicted, 0.2), _brief(chained, 0.5), by_powers, rooted, _brief(beyond, 0.2),
    _brief(powers, 0.3), _brief(exponential, 0.4), _brief(exponents, 0.4), _brief(split_factors, 0.5),
    _brief(_quick_cover, 0.1), _brief(chords, 0.4), _brief(squared, 0.4), _brief(kinks, 0.8),
    _brief(univariate, 0.75), reflected, based, _brief(means, 0.3), scaled_powers, bernstein, _brief(sos, 0.3),
    _brief(raised, 0.4), _brief(bounded, 0.3), _brief(touching, 0.7), _brief(farkas, 0.3), _brief(branches, 0.7),
    _brief(induction, 0.4), scaled, _brief(factored, 0.5), _brief(ladder, 0.5), _brief(tilted, 0.4),
    _brief(pivot, 0.5), _brief(ratio, 0.5), _brief(first_values, 0.35), _brief(_logarithms, 0.5), _brief(cover, 0.8),
)  # fmt: skip


@dataclass
class Search:
    """What one search for a proof found: a certificate, or why not and where it got stuck, and what it proved."""

    certificate: dict[str, Any] | None = None
    reason: str = ""
    boxes: list[dict[str, tuple[float, float]]] = field(default_factory=list)
    proved: Proved = field(default_factory=Proved)


def search(claim: Claim, seconds: float, proved: Proved | None = None) -> Search:
    """Look for a certificate of ``claim``; ``proved`` is what an earlier search has."""
    with ctx.workprec(PRECISION):
        prover = Prover(seconds, TACTICS, (attained, _brief(folded, 0.2), _brief(arcs, 0.3)), proved)
        proofs = []
        for seq in goals(claim):
            try:
                node = prover.prove(seq)
                said = "no tactic settles"
            except OutOfTime:
                node, said = None, "time ran out on"
            except (LookupError, ArithmeticError, TypeError) as fault:  # a tactic's own fault costs no refutation
                node, said = None, f"a tactic failed ({type(fault).__name__}: {fault}) on"
            if node is None:
                where = f"; stuck at {prover.stuck[-1]}" if prover.stuck else ""
                why = _undefined(seq, claim) or f"{_unsettled(seq, claim, said)}{where}"
                return Search(None, why, prover.boxes_stuck[-20:], prover.proved)
            proofs.append(node)
    return Search(make(claim, proofs))


def prove(claim: Claim, seconds: float) -> tuple[dict[str, Any] | None, str]:
    """(certificate or None, what was tried)."""
    found = search(claim, seconds)
    return found.certificate, found.reason


def _undefined(seq: Sequent, claim: Claim) -> str | None:
    """Where the claim's formula is undefined, if a sample point shows it."""
    if seq.goal in {s.goal for s in sequents(claim)} or seq.goal.op == "defined":
        return None
    at = violation(seq)
    if at is None or _has_values(claim, at):
        return None
    return (
        "the formula is undefined at "
        + ", ".join(f"{v} = {_plain(x)}" for v, x in at.items())
        + f" ({seq.goal} fails)"
    )


def _plain(x: float) -> str:
    """A coordinate as people write it: whole numbers without a point, 0 without a sign."""
    return str(int(x)) if x.is_integer() and abs(x) < 2**53 else repr(x)


def _has_values(claim: Claim, at: Mapping[str, float]) -> bool:
    """Whether all sides of the claim have values there: conditions may ask for more than that, as gamma's do."""
    point = {name: Fraction(x) for name, x in at.items()}
    sides = [side for r in claim.claim for side in r.sides]
    if not all(side.free <= point.keys() for side in sides):
        return False
    return all(not as_arb(in_balls.at_point(side, point, integers=claim.integers)).is_nan() for side in sides)


def _unsettled(seq: Sequent, claim: Claim, said: str) -> str:
    """What is not settled; a goal that is no relation of the claim is asked for its formula to be defined."""
    if seq.goal.op == "defined":
        return f"the formula may be undefined: {said} whether {seq.goal.lhs} is defined"
    own = seq.goal in {s.goal for s in sequents(claim)}
    return f"{said} {seq.goal}" if own else f"the formula may be undefined: {said} {seq.goal}"


def rules_used(certificate: Mapping[str, Any]) -> list[str]:
    """The rules of a certificate, in order of first use."""
    out: dict[str, None] = {}
    stack = list(reversed(certificate["proofs"]))
    while stack:
        node = stack.pop()
        out.setdefault(node["rule"])
        stack.extend(reversed(node.get("then", [])))
    return list(out)


def decide(claim: Claim, seconds: float = 10.0) -> Verdict:
    """PROVED with a verified certificate, REFUTED with a verified witness, or UNDECIDED with the reason.

    What an earlier search found (:mod:`boundcheck.decide.memory`) is checked, and searched only if it does not hold.
    """
    key = key_of("claim", claim)
    known = _recalled(claim, recall(key), seconds)
    verdict = _searched(claim, seconds) if known is None else known
    if verdict.status is Status.PROVED:
        keep(key, {"certificate": verdict.certificate})
    elif verdict.status is Status.REFUTED:
        keep(key, {"witness": verdict.witness})
    return verdict


def _recalled(claim: Claim, record: Record | None, seconds: float) -> Verdict | None:
    """The verdict by an earlier certificate or witness, if it holds."""
    start = seconds_used()
    if record is None:
        return None
    if "certificate" in record:
        return _by_certificate(claim, record["certificate"], start, max(5.0, 10 * seconds))
    witness: Any = record.get("witness")
    try:
        fits = isinstance(witness, dict) and all(fraction(v) is not None for v in witness.values())
    except (ValueError, ZeroDivisionError):
        return None
    return _refuted(claim, witness, start) if fits and check_witness(claim, witness) else None


def _by_certificate(claim: Claim, certificate: Any, start: float, seconds: float) -> Verdict | None:
    if not verify(certificate, claim, seconds).valid:
        return None
    method = "+".join(rules_used(certificate))
    return Verdict(claim.name, Status.PROVED, method, seconds=seconds_used() - start, certificate=certificate)


def _refuted(claim: Claim, witness: dict[str, str], start: float) -> Verdict:
    told, spent = "a point breaks the claim", seconds_used() - start
    return Verdict(claim.name, Status.REFUTED, "refute", seconds=spent, witness=witness, reason=told)


def _searched(claim: Claim, seconds: float) -> Verdict:
    """The verdict by a search of its own.

    A first look at the cheap proofs, then a short search for a witness, then the full search for a proof,
    then a search for a witness in the boxes where that got stuck; in all about ``seconds`` of processor time, and
    at most PATIENCE times that where one enclosure takes all of it.
    Two arithmetics stand behind PROVED: the search (interval arrays, floats) and
    :func:`boundcheck.kernel.certificate.verify` (balls, exact rationals).
    """
    start = seconds_used()

    def left() -> float:
        return seconds - (seconds_used() - start)

    def verdict(status: Status, method: str = "", **fields: Any) -> Verdict:
        return Verdict(claim.name, status, method, seconds=seconds_used() - start, **fields)

    with budget(PATIENCE * seconds):
        with ctx.workprec(PRECISION):
            if any(s.box is None for s in sequents(claim)):
                return verdict(
                    Status.UNDECIDED, "empty domain", reason="the domain is empty: no point satisfies the hypotheses"
                )
        found = search(claim, max(QUICK * seconds, min(LEAST, seconds / 2)))
        if found.certificate is None:
            witness = refute(claim, REFUTE * seconds, found.boxes)
            if witness is None and left() > 0:
                found = search(claim, 0.85 * left(), found.proved)
                if found.certificate is None and left() > 0.02:
                    witness = refute(claim, left(), found.boxes, 1)
            if witness is not None:
                return _refuted(claim, witness, start)
    if found.certificate is None:
        return verdict(Status.UNDECIDED, reason=found.reason)
    check = verify(found.certificate, claim, max(5.0, 10 * seconds))
    if not check.valid:
        return verdict(Status.UNDECIDED, reason=f"the verifier refuses the proof found: {check.reason}")
    return verdict(Status.PROVED, "+".join(rules_used(found.certificate)), certificate=found.certificate)
