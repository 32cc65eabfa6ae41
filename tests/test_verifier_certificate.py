"""The door of the verifier: a certificate proves its own claim, all of it, or it is refused."""

from __future__ import annotations

from typing import Any

import pytest
from flint import ctx

from boundcheck.decide.certificates import make
from boundcheck.kernel import certificate
from boundcheck.kernel.certificate import goals, read_claim, verify
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.statement import Claim

EVAL = {"rule": "eval"}


def claim(goal: str, where: str = "", integers: str = "") -> Claim:
    relations = [tuple(parse_relation(r) for r in text.split("; ") if r) for text in (goal, where)]
    return Claim("claim", relations[0], relations[1], frozenset(integers.split()))


TWO = claim("x >= 0; 1/x >= 0", "x >= 0; x != 0")
GOOD = make(TWO, [EVAL, EVAL])


def test_every_goal_has_a_proof_and_every_proof_a_goal():
    assert [str(s.goal) for s in goals(claim("1/x >= 0; sqrt(y) >= log(y)", "x >= 0"))] == [
        "x != 0", "1/x >= 0", "y > 0", "y >= 0", "sqrt(y) >= log(y)",
    ]  # fmt: skip
    assert str(goals(claim("max(x, y, z) >= x"))[0].goal) == "max(x, max(y, z)) >= x"
    assert str(goals(claim("x >= 0", "x >= max(1, y, z)"))[0].hyps[0]) == "x >= max(1, max(y, z))"
    assert goals(claim("n >= 0", "", "n"))[0].integers == {"n"}
    found = verify(GOOD, TWO)
    assert found.valid and found.nodes == 2 and found.reason == "" and found.seconds >= 0
    for proofs in ([EVAL], [EVAL, EVAL, EVAL], [], None, "ab", {"rule": "eval"}, [EVAL, 3], [EVAL, {"rule": "none"}]):
        assert not verify({**GOOD, "proofs": proofs}).valid


def test_false_goals_are_refused_wherever_they_stand():
    for goal in ("x >= 0; x >= 1", "x >= 1; x >= 0", "x > 0"):
        false = claim(goal, "x >= 0")
        assert not verify(make(false, [EVAL] * len(goals(false)))).valid
    inner = {"rule": "case", "on": "x - 1", "then": [EVAL, EVAL]}
    assert verify(make(claim("abs(x - 1) >= 0", "x >= 0"), [inner])).valid
    assert verify(make(claim("abs(x - 1) >= 0", "x >= 0"), [inner])).nodes == 3
    for then in ([EVAL], [EVAL] * 3, None, "ab", [], {"0": EVAL, "1": EVAL}):
        assert not verify(make(claim("abs(x - 1) >= 0", "x >= 0"), [{**inner, "then": then}])).valid
    assert not verify(make(claim("abs(x - 1) >= 1/2", "x >= 0"), [inner])).valid
    assert not verify(make(claim("x >= 0", "x >= 0"), [{**EVAL, "then": [EVAL]}])).valid


@pytest.mark.parametrize(
    "data",
    [
        None, "x", [], 3, {**GOOD, "schema": 2}, {**GOOD, "schema": True}, {**GOOD, "schema": "1"},
        {**GOOD, "schema": 1.0}, {k: v for k, v in GOOD.items() if k != "schema"},
        {k: v for k, v in GOOD.items() if k != "claim"}, {**GOOD, "claim": ["x >= 0"]},
        {**GOOD, "claim": {"claim": [], "where": [], "integers": []}, "proofs": []},
        {**GOOD, "claim": {"claim": "x >= 0", "where": [], "integers": []}},
        {**GOOD, "claim": {"claim": ["x >= 0", 3], "where": [], "integers": []}},
        {**GOOD, "claim": {"claim": ["x >="], "where": [], "integers": []}},
        {**GOOD, "claim": {"claim": ["0 >= 0"] * 201, "where": [], "integers": []}, "proofs": [EVAL] * 201},
        {**GOOD, "claim": {"claim": ["0 >= 0"], "integers": []}, "proofs": [EVAL]},
        {**GOOD, "claim": {"claim": ["0 >= 0"], "where": [], "integers": "n"}, "proofs": [EVAL]},
    ],
)  # fmt: skip
def test_what_is_no_certificate_is_refused_with_a_reason(data: Any):
    found = verify(data)
    assert not found.valid and found.reason


def test_a_claim_is_read_as_it_is_written():
    about = read_claim(GOOD["claim"])
    assert (about.claim, about.where, about.integers) == (TWO.claim, TWO.where, TWO.integers)
    assert read_claim({"claim": ("0 >= 0",) * 200, "where": [], "integers": ["n"]}).integers == {"n"}
    for data in (None, [], {"claim": [], "where": [], "integers": []}, {"claim": ["x"], "where": [], "integers": []}):
        with pytest.raises(Refused):
            read_claim(data)


@pytest.mark.parametrize("other", [claim("x >= 0; 1/x >= 0", "x >= 0"), claim("x >= 0", "x >= 0; x != 0"),
                                   claim("x >= 0; 1/x >= 0", "x >= 0; x != 0", "x")])  # fmt: skip
def test_a_certificate_is_about_one_claim(other):
    assert verify(GOOD, TWO).valid
    assert "another claim" in verify(GOOD, other).reason


def test_depth_size_and_time_are_bounded(monkeypatch):
    deep: dict[str, Any] = EVAL
    for _ in range(4):
        deep = {"rule": "cut", "lemma": "x >= 0", "then": [deep]}
    proof = make(claim("x >= 0", "x >= 0"), [deep])
    assert verify(proof).valid and verify(proof).nodes == 5
    for name, enough in (("MAX_DEPTH", 4), ("MAX_NODES", 5)):
        monkeypatch.setattr(certificate, name, enough)
        assert verify(proof).valid
        monkeypatch.setattr(certificate, name, enough - 1)
        assert "too large or too deep" in verify(proof).reason
        monkeypatch.undo()
    assert "more than" in verify(proof, seconds=-1.0).reason


def test_the_verifier_has_a_precision_of_its_own():
    sharp = make(claim("2**(-90) + 1 > 1"), [EVAL])
    with ctx.workprec(20):
        assert verify(sharp).valid
    third = claim("x > 1/3 - 2**(-200)", "x >= 1/3")
    assert not verify(make(third, [EVAL])).valid
    assert verify(make(third, [{**EVAL, "bits": 400}])).valid
