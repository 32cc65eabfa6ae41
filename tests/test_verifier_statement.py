"""Certificates of statements and of "there is no constant": what makes one no proof is refused, and said."""

from __future__ import annotations

import copy
from dataclasses import replace
from itertools import count
from types import SimpleNamespace

import pytest
from false_proofs import CITED, statement

from boundcheck.decide import decide
from boundcheck.decide.quantified import decide_exists
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.check import skolem as skolem_module
from boundcheck.kernel.check import statement_certificate as statement_module
from boundcheck.kernel.check.skolem import verify_carried, verify_skolem
from boundcheck.kernel.check.statement_certificate import MAX_STEPS, verify_statement
from boundcheck.kernel.serial import SerialError, decode
from boundcheck.kernel.statement import (
    ByGram,
    Cite,
    Decide,
    Exists,
    Fact,
    Family,
    Follows,
    Literature,
    Parameter,
    Statement,
    Step,
    Use,
)
from boundcheck.verdict import Status
from boundcheck.written import encode


def scalar(bound: str) -> Statement:
    """x**2 + x >= bound + 1 for x >= 2, from x**2 >= bound and x**2 + x >= bound + 2."""
    steps = [Step(Fact(f"x**2 >= {bound}"), Decide()), Step(Fact(f"x**2 + x >= {bound} + 2"), Follows((1,)))]
    return statement([Fact(f"x**2 + x >= {bound} + 1")], steps, domains={"x": ("x >= 2",)})


def form(constant: str) -> Statement:
    goal = Fact(f"{constant}*dot(x, y) <= norm(x)**2 + norm(y)**2")
    return statement([goal], [Step(goal, ByGram(("x", "y")))], declares={"x": "vector", "y": "vector"})


def proof(s: Statement) -> dict:
    verdict = decide_statement(s, CITED.__getitem__, 4.0, 0.0)
    assert verdict.status is Status.PROVED, verdict.reason
    return copy.deepcopy(verdict.certificate)


CITES = statement([Fact("P(X > c) <= E(X)/c")], [Step(Fact("P(X > c) <= E(X)/c"), Cite("M0"))],
                  domains={"c": ("c > 1",), "X": ("X >= 0",)}, random=("X",))  # fmt: skip


@pytest.mark.parametrize("s", [scalar("4"), form("2"), CITES], ids=["scalar", "form", "cites"])
def test_a_proof_holds_for_its_own_statement_alone(s):
    good = proof(s)
    assert verify_statement(good).valid
    for change in ({"hypotheses": {**s.hypotheses, "h": Fact("1 >= 0")}}, {"title": "another"}):
        assert verify_statement({**good, "statement": encode(replace(s, **change))}).valid, "what nothing rests on"


@pytest.mark.parametrize(
    ("true", "false", "told"),
    [
        (scalar("4"), scalar("4.01"), "step 1: step: the certificate is about another claim"),
        (scalar("4"), scalar("5"), "step 1: step: the certificate is about another claim"),
        (form("2"), form("2.01"), "step 1: form: "),
        (form("2"), form("-2.01"), "step 1: form: "),
    ],
)
def test_the_proof_of_a_true_statement_is_none_of_a_false_one(true, false, told):
    check = verify_statement({**proof(true), "statement": encode(false)})
    assert not check.valid and check.reason.startswith(told), check.reason


def test_each_claim_of_a_statement_is_to_be_proved():
    good = proof(scalar("4"))
    for claims in (["x**2 + x >= 5", "x**2 + x >= 7"], ["x**2 + x >= 7"], ["x**2 + x >= 7", "x**2 + x >= 5"]):
        s = replace(scalar("4"), claims=tuple(map(Fact, claims)))
        steps = good["steps"] + good["steps"][-1:] * (len(claims) - 1)
        check = verify_statement({**good, "statement": encode(s), "steps": steps})
        assert not check.valid and "conclusion: the certificate is about another claim" in check.reason


TWO = scalar("4")


@pytest.mark.parametrize(
    ("s", "change", "told"),
    [
        (TWO, {"kind": "skolem"}, "kind: statement, schema 1 are wanted"),
        (TWO, {"schema": 2}, "kind: statement, schema 1 are wanted"),
        (TWO, {"statement": encode(Fact("x >= 2"))}, "statement: a statement is wanted"),
        (TWO, {"statement": [encode(TWO)]}, "statement: a statement is wanted"),
        (TWO, {"cited": encode(CITED["M0"])}, "cited: a list of statements is wanted"),
        (TWO, {"cited": [encode(Fact("x >= 2"))]}, "cited: a list of statements is wanted"),
        (TWO, {"cited": [encode(CITED["M0"]), 1]}, "cited: a list of statements is wanted"),
        (TWO, {"steps": {}}, "steps: a list is wanted"),
        (TWO, {"steps": ({},) * 3}, "steps: a list is wanted"),
        (TWO, {"steps": [{}] * (MAX_STEPS + 1)}, "steps: a list is wanted"),
        (TWO, {"steps": [{}] * MAX_STEPS}, f"3 steps are to be proved, {MAX_STEPS} are"),
        (TWO, {"steps": []}, "3 steps are to be proved, 0 are"),
        (TWO, {"steps": [[]] * 3}, "step 1: a list of certificates is wanted"),
        (TWO, {"steps": [{"form": "printed", "certificates": {}}] * 3}, "step 1: a list of certificates is wanted"),
        (TWO, {"steps": [{"form": "printed"}] * 3}, "step 1: a list of certificates is wanted"),
        (TWO, {"steps": [{"form": "repaired", "certificates": []}] * 3}, "step 1: the proof is about the other form"),
        (TWO, {"steps": [{"form": "printed", "certificates": []}] * 3}, "step 1: 1 claims are to be proved, 0"),
        (TWO, {"steps": [{"form": "printed", "certificates": [{}] * 2}] * 3}, "step 1: 1 claims are to be proved, 2"),
        (TWO, {"steps": [{"form": "printed", "certificates": [{}]}] * 3}, "step 1: step: schema 1 is wanted"),
        (CITES, {"cited": []}, "the certificate does not carry M0"),
        (CITES, {"cited": [encode(replace(CITED["M0"], label="M1"))]}, "the certificate does not carry M0"),
    ],
)
def test_what_is_no_certificate_is_refused_and_why(s, change, told):
    check = verify_statement({**proof(s), **change})
    assert not check.valid and told in check.reason, check.reason


def test_one_step_less_or_more_is_no_proof():
    good = proof(scalar("4"))
    for steps in (good["steps"][:-1], good["steps"][1:], good["steps"] + good["steps"][-1:]):
        check = verify_statement({**good, "steps": steps})
        assert not check.valid and f"3 steps are to be proved, {len(steps)} are" in check.reason
    for data in (None, 1, "a text", [good], {}):
        assert not verify_statement(data).valid


@pytest.mark.parametrize("repair", [False, True])
def test_a_step_from_the_literature_is_no_proof(repair):
    foreign = Step(Fact("x >= 5"), Literature("a book"))
    step = Step(Fact("x >= 6"), Decide(), repair=foreign) if repair else foreign
    s = statement([Fact("x >= 5")], [step], domains={"x": ("x >= 2",)})
    (ending,) = proof(statement([Fact("x >= 5")], [Step(Fact("x >= 5"), Decide())], domains={"x": ("x >= 5",)}))[
        "steps"
    ][1:]
    told = "step 1: taken from the literature, not proved"
    first = {"form": "repaired" if repair else "printed", "certificates": []}
    data = {"schema": 1, "kind": "statement", "statement": encode(s), "cited": [], "steps": [first, ending]}
    check = verify_statement(data)
    assert not check.valid and check.reason == told


def test_steps_prove_nothing_that_is_not_claimed():
    """No claims, a constant that is asserted to exist, no truth value: neither engine nor verifier calls it proved."""
    bare = replace(scalar("4"), claims=())
    constant = replace(scalar("4"), exists=(Exists("C", Fact("x <= C")),))
    vague = replace(scalar("4"), imprecise="which x is not said")
    for s in (statement([], []), bare, constant, vague):
        assert decide_statement(s, CITED.__getitem__, 2.0, 0.0).status is Status.UNDECIDED
        good = proof(scalar("4"))
        steps = good["steps"][: len(s.steps) + len(s.claims)]
        check = verify_statement({**good, "statement": encode(s), "steps": steps})
        assert not check.valid and "steps prove claims" in check.reason
    assert "no claims" in decide_statement(bare, CITED.__getitem__, 2.0, 0.0).reason
    assert "constant C is open" in decide_statement(constant, CITED.__getitem__, 2.0, 0.0).reason


def test_nodes_and_seconds_are_those_of_all_claims(monkeypatch):
    good = proof(TWO)
    ticks = count(100)
    asked = []

    def verify(certificate, claim, seconds):
        asked.append(seconds)
        return SimpleNamespace(valid=len(asked) != 3, reason="no", nodes=10 ** len(asked))

    monkeypatch.setattr(statement_module, "seconds_used", lambda: next(ticks))
    monkeypatch.setattr(statement_module, "verify", verify)
    check = verify_statement(good, 3.0)
    assert (check.valid, check.nodes, check.seconds) == (False, 1110, 4)
    assert asked == [2, 1, 0.1], "what is left, and enough to look at a small claim"
    ticks = count(100)
    check = verify_statement(good)
    assert (check.valid, check.nodes, check.seconds) == (True, 10**4 + 10**5 + 10**6, 4)
    ticks = count(100)
    assert verify_statement({**good, "steps": []}) == statement_module.Check(
        False, "3 steps are to be proved, 0 are", 0, 1
    )
    ticks = count(100)
    refused = verify_statement({})
    assert (refused.valid, refused.nodes, refused.seconds) == (False, 0, 1)


# ---------------------------------------------------------------- there is no constant

POSITIVE = Family("any a", ("a",), ("a > 0",))
SIGNS = (("1", "1/2"), ("-1", "1/2"))


def constant(claim: str, *families: Family, **more) -> Statement:
    return statement([], [], exists=(Exists("C", Fact(claim), families or (POSITIVE,)),),
                     domains={"a": ("a > 0",)}, **more)  # fmt: skip


def refutation(s: Statement) -> dict:
    verdict = decide_exists(s, s.exists[0], decide, 4.0)
    assert verdict.status is Status.REFUTED, verdict.reason
    return copy.deepcopy(verdict.certificate)


NONE = constant("a <= C*a**2")


@pytest.mark.parametrize(
    ("change", "told"),
    [
        ({"statement": encode(Fact("a <= C"))}, "statement: a statement is wanted"),
        ({"statement": None}, "statement: a statement is wanted"),
        ({"statement": {"type": "Statement"}}, "not a Skolem certificate: Statement wants the keys"),
        ({"assertion": 1}, "assertion: one of the 1 assertions"),
        ({"assertion": -1}, "assertion: one of the 1 assertions"),
        ({"assertion": False}, "assertion: one of the 1 assertions"),
        ({"assertion": None}, "assertion: one of the 1 assertions"),
        ({"kind": "statement"}, "kind: skolem, schema 1 are wanted"),
        ({"schema": 2}, "kind: skolem, schema 1 are wanted"),
        ({"family": "another"}, "a family of the assertion, a case and a list of certificates are wanted"),
        ({"failing": False}, "a family of the assertion, a case and a list"),
        ({"failing": "0"}, "a family of the assertion, a case and a list"),
        ({"failing": -1}, "a family of the assertion, a case and a list"),
        ({"failing": 64}, "a family of the assertion, a case and a list"),
        ({"failing": 63}, "the family has no such case"),
        ({"failing": 1}, "the family has no such case"),
        ({"certificates": {}}, "a family of the assertion, a case and a list"),
        ({"certificates": []}, "5 claims are to be proved, 0 certificates are given"),
        ({"certificates": [{}] * 5}, "schema 1 is wanted"),
        ({"witness": {}}, "a witness is one function of the constant for each free name"),
        ({"witness": {"a": "b/C"}}, "a witness is one function of the constant for each free name"),
        ({"witness": {"a": "1/C +"}}, "not a Skolem certificate"),
        ({"witness": None}, "not a Skolem certificate"),
    ],
)
def test_what_is_no_refutation_is_refused_and_why(change, told):
    good = refutation(NONE)
    assert verify_carried(good).valid
    check = verify_carried({**good, **change})
    assert not check.valid and told in check.reason, check.reason


def test_a_refutation_is_an_object():
    (exists,) = NONE.exists
    for data in (None, 1, [], "kind"):
        assert not verify_carried(data).valid
        check = verify_skolem(data, NONE, exists)
        assert not check.valid and check.reason == "kind: skolem, schema 1 are wanted"


def test_every_claim_of_a_refutation_is_looked_at(monkeypatch):
    good = refutation(NONE)
    proofs = good["certificates"]
    for n, own in enumerate(proofs):
        others = [p for p in proofs if p != own]
        assert others and all(
            not verify_carried({**good, "certificates": [*proofs[:n], p, *proofs[n + 1 :]]}).valid for p in others
        )
    asked = []

    def verify(certificate, claim, seconds):
        asked.append(claim)
        return SimpleNamespace(valid=len(asked) < 8, reason="no", nodes=10 ** len(asked))

    monkeypatch.setattr(skolem_module, "verify", verify)
    assert verify_carried(good) == skolem_module.Check(True, "", 111110)
    assert verify_carried(good) == skolem_module.Check(False, "no", 111000000)


def test_the_second_of_two_assertions_is_refuted_by_its_own_proof():
    both = replace(NONE, exists=(Exists("C", Fact("a <= C*(1 + a**2)"), (POSITIVE,)), *NONE.exists))
    good = {**refutation(NONE), "statement": encode(both)}
    assert verify_carried({**good, "assertion": 1}).valid
    assert not verify_carried({**good, "assertion": 0}).valid


@pytest.mark.parametrize(
    ("record", "field", "value"),
    [
        ("Parameter", "integer", "yes"),  # verify said nothing of what such a certificate is about
        ("Parameter", "integer", 1),
        ("Parameter", "domain", "x"),
        ("Fact", "over", "t"),
        ("Fact", "where", None),
        ("Statement", "title", 3),
        ("Statement", "random", "X"),
        ("Statement", "hypotheses", []),
        ("Statement", "declares", {"map": [["X", 1]]}),
        ("Use", "let", {"map": [["t", ["0"]]]}),
        ("Step", "by", "trust me"),
    ],
)
def test_what_is_carried_has_the_type_of_its_field(record, field, value):
    told = Statement(
        "lem:own", "t", "lemma", "p", "t", (Parameter("x", "x", ("x > 0",), True),), {"h": Fact("x <= t", ("t",))},
        (Fact("x > 0"),), (Step(Fact("x <= 1"), Follows((Use("h", {"t": "1"}),))),), declares={"X": "random real"},
    )  # fmt: skip
    data = encode(told)
    assert decode(data) == told

    def put(node):
        if isinstance(node, dict):
            found = {k: put(v) for k, v in node.items()}
            return found | {field: value} if node.get("type") == record else found
        return [put(v) for v in node] if isinstance(node, list) else node

    with pytest.raises(SerialError):
        decode(put(data))
