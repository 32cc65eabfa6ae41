"""The program benchmarks/rocq.py: its draw is reproducible, its counting is right."""

from __future__ import annotations

import sys
from collections import Counter
from pathlib import Path
from types import SimpleNamespace

import pytest

from boundcheck.rocq.claim_files import Export, Obligation
from boundcheck.rocq.compiler import CoqOutcome
from boundcheck.verdict import Status

sys.path.insert(0, str(Path(__file__).parent.parent / "benchmarks"))
import rocq


@pytest.fixture
def decided(monkeypatch):
    """Claims are decided by their length: every third is refuted."""
    asked = []

    def decide(claim, seconds):
        asked.append(claim)
        status = Status.REFUTED if len(asked) % 3 == 0 else Status.PROVED
        return SimpleNamespace(status=status, certificate={"schema": 1, "name": claim.name})

    monkeypatch.setattr(rocq, "decide", decide)
    return asked


def test_a_draw_is_reproducible(decided):
    draws = []
    for seed in (0, 0, 1):
        decided.clear()
        passed = Counter()
        draws.append((list(rocq.drawn(7, seed, passed)), passed))
    assert draws[0] == draws[1]
    assert draws[0][0] != draws[2][0]
    assert len(draws[0][0]) == 7
    assert draws[0][1] == {"REFUTED": 3}


def row(name, accepted=(), failed=None, axioms=(), refused=""):
    outcome = CoqOutcome(name, list(accepted), dict(failed or {}), list(axioms), 1.5)
    made = Export(name, "claim", (Obligation("claim", "", rules=("eval", "eval", "case")),))
    return rocq.Row(name, None if refused else made, outcome, refused)


def test_what_counts_as_accepted():
    rows = [
        row("good", ["claim"]), row("half", ["a"], {"b": "eval: Error"}),
        row("axiom", ["claim"], axioms=["Foreign.axiom"]), row("kind", refused="a certificate of the kind 'x'"),
    ]  # fmt: skip
    assert [r.accepted for r in rows] == [True, False, False, False]
    told = "\n".join(rocq.lines(rows, {"REFUTED": 2}, "8.16"))
    assert "Accepted: 1 of 4 (25 %), 3 of 4 obligations" in told
    assert "2 REFUTED" in told
    assert "Foreign axioms: Foreign.axiom" in told
    assert "| good | eval 2, case | 1/1 | 1.5 | accepted |" in told
    assert "- half, b: eval: Error" in told
    assert "- kind, a certificate of the kind 'x'" in told
    assert "- axiom, axiom Foreign.axiom" in told


def test_nothing_asked_is_an_error():
    with pytest.raises(SystemExit):
        rocq.main([])
