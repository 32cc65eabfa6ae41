"""The engines: each one takes a claim and returns a verdict."""

from __future__ import annotations

import time
from collections.abc import Mapping
from typing import Any

from boundcheck.certificate import PRECISION, goals, make, verify
from boundcheck.decide.basic import integers, kinks, steps, trivial
from boundcheck.decide.farkas import farkas
from boundcheck.decide.forms import factored, logarithms, normalised_log, peeled, positive_sides
from boundcheck.decide.interval import cover
from boundcheck.decide.prover import Node, OutOfTime, Prover, Tactic
from boundcheck.decide.reduce import (
    bernstein,
    bernstein_cover,
    concave,
    drop_unused,
    ladder,
    loosened,
    pivot,
    punctured,
    ratio,
    scaled,
)
from boundcheck.decide.refute import refute
from boundcheck.decide.univariate import univariate
from boundcheck.statement import Claim, Status, Verdict
from boundcheck.verify.intervals import precision
from boundcheck.verify.sequent import Sequent



def _brief(tactic: Tactic, share: float) -> Tactic:
    """The tactic with a share of the time left."""

    def run(p: Prover, seq: Sequent, depth: int) -> Node | None:
        return p.sliced(max(0.05, share * p.left()), lambda: tactic(p, seq, depth))

    return run


def _quick_cover(p: Prover, seq: Sequent, depth: int) -> Node | None:
    return cover(p, seq, 0, 300)


TACTICS = (
    trivial, drop_unused, punctured, integers, steps, peeled, _brief(_quick_cover, 0.1), _brief(kinks, 0.8),
    _brief(univariate, 0.75), bernstein, _brief(farkas, 0.3), scaled, _brief(factored, 0.6), _brief(bernstein_cover, 0.3),
    _brief(ladder, 0.5), _brief(concave, 0.4), _brief(pivot, 0.5), _brief(ratio, 0.5), _brief(logarithms, 0.5),
    normalised_log, positive_sides, _brief(cover, 0.8), loosened,
)  # fmt: skip


def prove(claim: Claim, seconds: float) -> tuple[dict[str, Any] | None, str]:
    """(certificate or None, what was tried)."""
    with precision(PRECISION):
        prover = Prover(seconds, TACTICS)
        proofs = []
        for seq in goals(claim):
            try:
                node = prover.prove(seq)
            except OutOfTime:
                return None, f"time ran out on {seq.goal}" + (f"; stuck at {prover.stuck[-1]}" if prover.stuck else "")
            if node is None:
                return None, f"no tactic settles {seq.goal}" + (f"; stuck at {prover.stuck[-1]}" if prover.stuck else "")
            proofs.append(node)
    return make(claim, proofs), ""


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
    """PROVED with a verified certificate, REFUTED with a verified witness, or UNDECIDED with the reason."""
    start = time.monotonic()
    witness = refute(claim, min(0.4, seconds / 10))
    certificate, reason = (None, "") if witness is not None else prove(claim, 0.8 * seconds)
    if witness is None and certificate is None:
        witness = refute(claim, max(0.1, seconds - (time.monotonic() - start)), seed=1)
    if witness is not None:
        return Verdict(
            claim.name, Status.REFUTED, "refute", witness=witness, reason="a point breaks the claim",
            seconds=time.monotonic() - start,
        )  # fmt: skip
    if certificate is not None:
        check = verify(certificate, claim, 10 * seconds)
        if check.valid:
            return Verdict(
                claim.name, Status.PROVED, "+".join(rules_used(certificate)), certificate=certificate,
                seconds=time.monotonic() - start,
            )  # fmt: skip
        reason = f"the verifier refuses the proof found: {check.reason}"
    return Verdict(claim.name, Status.UNDECIDED, "", reason=reason, seconds=time.monotonic() - start)
