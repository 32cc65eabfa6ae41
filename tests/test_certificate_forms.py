"""Certificates that do not fit their claim, are too large, or cannot be checked: none of them is valid."""

from __future__ import annotations

from typing import Any

import pytest

from boundcheck.decide.certificates import make
from boundcheck.kernel import certificate
from boundcheck.kernel.certificate import goals, verify
from boundcheck.kernel.statement import Claim


def test_every_goal_of_a_claim_is_wanted():
    claim = Claim.read("0 < x <= 1/x", ("x >= 0", "x <= 1"))
    assert [str(s.goal) for s in goals(claim)] == ["0 < x", "x != 0", "x <= 1/x"]
    good = Claim.read("x <= 1/x", ("x > 0", "x <= 1"))
    assert [str(s.goal) for s in goals(good)] == ["x <= 1/x"]
    proof = {"rule": "cover", "tree": 0}
    for proofs in ([], [proof, proof]):
        assert "proofs for 1 goals" in verify(make(good, proofs), good).reason


@pytest.mark.parametrize(
    ("changed", "words"),
    [
        ({"schema": 0}, "schema"),
        ({"claim": {"claim": ["x >= 0"], "where": ["x >= 1"], "integers": ["x"]}}, "another claim"),
        ({"claim": {"claim": ["x >= 0"], "where": [], "integers": []}}, "another claim"),
        ({"claim": {"claim": ["x >= 0"], "where": ["x >= 1"], "integers": "x"}}, "list of texts"),
        ({"claim": {"claim": ["x >= 0"] * 201, "where": [], "integers": []}}, "list of texts"),
        ({"claim": {"claim": ["x >= 0"], "where": [3], "integers": []}}, "list of texts"),
        ({"proofs": {"rule": "eval"}}, "a list is wanted"),
        ({"proofs": ["eval"]}, "a node is an object"),
        ({"proofs": [{"rule": "eval", "then": {}}]}, "0 children"),
        ({"proofs": [{"rule": "eval", "then": [{"rule": "eval"}]}]}, "0 children"),
        ({"proofs": [{"rule": "cut", "lemma": "x >= 1/2"}]}, "1 children"),
    ],
)
def test_a_certificate_that_does_not_fit_is_refused_with_the_reason(changed, words):
    claim = Claim.read("x >= 0", ("x >= 1",))
    good = make(claim, [{"rule": "eval"}])
    assert verify(good, claim).valid and verify(good).valid
    found = verify({**good, **changed}, claim)
    assert not found.valid and words in found.reason


def test_time_depth_and_size_are_bounded():
    claim = Claim.read("x >= 0", ("x >= 1",))
    assert "took more than" in verify(make(claim, [{"rule": "eval"}]), claim, -1.0).reason
    node: dict[str, Any] = {"rule": "eval"}
    for _ in range(89):
        node = {"rule": "drop", "keep": [0], "then": [node]}
    assert verify(make(claim, [node]), claim).valid
    for _ in range(2):
        node = {"rule": "drop", "keep": [0], "then": [node]}
    assert "too deep" in verify(make(claim, [node]), claim).reason


@pytest.mark.parametrize(
    "error", [ZeroDivisionError, ValueError, TypeError, RecursionError, MemoryError, KeyError, AttributeError]
)
def test_what_cannot_be_checked_is_not_valid(monkeypatch, error):
    def broken(*_: Any) -> None:
        raise error("of the arithmetic")

    claim = Claim.read("x >= 0", ("x >= 1",))
    monkeypatch.setattr(certificate, "refine", broken)
    found = verify(make(claim, [{"rule": "eval"}]), claim)
    assert not found.valid and "not checkable" in found.reason and found.nodes == 1 and 0 <= found.seconds < 10


def test_a_certificate_of_nothing_is_refused():
    nothing = {"schema": 1, "claim": {"claim": [], "where": [], "integers": []}, "proofs": []}
    assert "at least one relation" in verify(nothing).reason
    found = verify(make(Claim.read("x >= 0", ("x >= 1",)), [{"rule": "eval"}]))
    assert found.valid and found.nodes == 1 and 0 <= found.seconds < 10
