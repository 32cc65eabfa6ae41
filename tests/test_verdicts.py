"""How verdicts of steps add up to that of a statement, and numbers at points to truths, slacks and refutations."""

from __future__ import annotations

import math
from dataclasses import replace
from fractions import Fraction

import pytest
from flint import arb, ctx

from boundcheck.decide import statements
from boundcheck.decide.statements import _compose, _not_proved, _slack, _with_repair, decide_statement, method_of
from boundcheck.decide.worst_case.worst_values import bracket, check_domain, rounded_down, rounded_up, truth, value_at
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.kernel.proof.obligations import ASSERTED
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Claim,
    Decide,
    Definition,
    Fact,
    Follows,
    Literature,
    Parameter,
    Statement,
    Step,
)
from boundcheck.verdict import Status, Verdict

F = Fraction
PROVED, REFUTED, REPAIRED = Status.PROVED, Status.REFUTED, Status.REPAIRED
CITED, UNDECIDED = Status.CITED, Status.UNDECIDED


def statement(*steps: Step, **more: object) -> Statement:
    x = Parameter("x", "a number", ("x >= 1",))
    return Statement("s", "s", "lemma", "part", "text", (x,), claims=(Fact("x >= 1"),), steps=steps, **more)


def none(label: str) -> Statement:
    raise KeyError(label)


@pytest.mark.parametrize(
    ("found", "status"),
    [
        ((PROVED, PROVED), PROVED),
        ((PROVED, CITED), CITED),
        ((REPAIRED, CITED), CITED),
        ((UNDECIDED, CITED), UNDECIDED),
        ((REPAIRED, PROVED), PROVED),
        ((PROVED, UNDECIDED), UNDECIDED),
        ((UNDECIDED, PROVED), UNDECIDED),
        ((PROVED, REFUTED), UNDECIDED),
        ((Status.ASSUMED, PROVED), UNDECIDED),
        ((Status.CONSISTENT, PROVED), UNDECIDED),
    ],
)
def test_a_statement_is_proved_only_if_every_step_is(found, status):
    repair = Verdict("s", PROVED)
    steps = tuple(
        Verdict(f"s/{n}", s, reason="why", certificate={"certificates": []}, as_used=repair if s is REPAIRED else None)
        for n, s in enumerate(found, 1)
    )
    verdict = _compose(statement(), steps, none, 0.0)
    assert verdict.status is status
    if status is PROVED:
        forms = [s["form"] for s in verdict.certificate["steps"]]
        assert forms == ["repaired" if s is REPAIRED else "printed" for s in found]
        assert ("repaired form" in verdict.reason) == (REPAIRED in found)
    elif status is CITED:
        assert verdict.certificate is None and "literature" in verdict.reason
    else:
        bad = next(n for n, s in enumerate(found, 1) if s not in (PROVED, CITED, REPAIRED))
        assert verdict.certificate is None and verdict.reason.startswith(f"s/{bad} is ")
    assert _compose(statement(imprecise="words"), steps, none, 0.0).status is UNDECIDED


def test_a_broken_step_is_counted_with_the_others():
    steps = tuple(Verdict(f"s/{n}", UNDECIDED, reason="why") for n in (1, 2, 3))
    assert "and 2 more" in _compose(statement(), steps, none, 0.0).reason
    assert "more" not in _compose(statement(), steps[:1], none, 0.0).reason


TRUE, FALSE = Step(Fact("x >= 1/2"), Decide()), Step(Fact("x >= 2"), Decide())


@pytest.mark.parametrize(
    ("step", "status", "used"),
    [
        (TRUE, PROVED, None),
        (FALSE, REFUTED, None),
        (replace(FALSE, repair=TRUE), REPAIRED, PROVED),
        (replace(FALSE, repair=FALSE), REFUTED, REFUTED),
        (replace(TRUE, repair=FALSE), UNDECIDED, REFUTED),
        (replace(TRUE, repair=TRUE), PROVED, PROVED),
    ],
)
def test_a_step_is_repaired_only_by_a_form_that_is_proved(step, status, used):
    found = _with_repair(statement(step), 1, step, none, 2.0, 0.0)
    assert found.status is status
    assert (None if found.as_used is None else found.as_used.status) == used


@pytest.mark.parametrize(
    ("printed", "used", "status"),
    [
        ({}, {}, PROVED),
        ({"imprecise": "words"}, {}, REPAIRED),
        ({"imprecise": "words"}, {"imprecise": "words"}, UNDECIDED),
        ({"imprecise": "words"}, {"literature": "A book"}, REPAIRED),
        ({"open": True}, {}, UNDECIDED),
    ],
)
def test_a_statement_is_repaired_only_by_its_use(printed, used, status):
    fields = dict(printed)
    steps = (FALSE,) if fields.pop("open", False) else (TRUE, Step(Fact("x >= 1"), Decide()))
    good = statement(TRUE, Step(Fact("x >= 1"), Decide()), **used)
    found = decide_statement(statement(*steps, as_used=good, **fields), none, 2.0, 0.0)
    assert found.status is status and found.as_used is not None


def test_what_is_assumed_or_taken_from_the_literature_is_not_proved():
    assert decide_statement(replace(statement(TRUE), kind="assumption"), none).status is Status.ASSUMED
    assert decide_statement(statement(TRUE, literature="A book"), none).status is CITED
    step = Step(Fact("x >= 2"), Literature("A book"))
    found = decide_statement(statement(step, Step(Fact("x >= 1"), Decide())), none, 2.0, 0.0)
    assert [s.status for s in found.steps[:2]] == [CITED, PROVED] and found.status is CITED


@pytest.mark.parametrize(
    ("by", "opaque", "role", "left_out", "found", "status"),
    [
        (Decide(), False, ASSERTED, "", REFUTED, REFUTED),
        (Decide(), False, ASSERTED, "y", REFUTED, REFUTED),
        (Decide(), False, ASSERTED, "x", REFUTED, UNDECIDED),
        (Cite("l"), False, "a hypothesis", "", REFUTED, REFUTED),
        (Cite("l"), False, "a hypothesis", "x", REFUTED, UNDECIDED),
        (Decide(), True, ASSERTED, "", REFUTED, UNDECIDED),
        (Decide(), False, "conclusion", "", REFUTED, UNDECIDED),
        (Decide(), False, "condition of h: t > 0", "", REFUTED, UNDECIDED),
        (Follows(()), False, ASSERTED, "", REFUTED, UNDECIDED),
        (ByRule("Markov"), False, ASSERTED, "", REFUTED, UNDECIDED),
        (Decide(), False, ASSERTED, "", UNDECIDED, UNDECIDED),
    ],
)
def test_only_an_own_claim_of_which_nothing_else_is_known_is_refuted(by, opaque, role, left_out, found, status):
    claim = Claim.read("x >= 2", ["x >= 1"])
    obligation = Obligation(role, claim, opaque)
    broken = Verdict("o", found, witness={"x": "1"})
    step, names = Step(Fact("x >= 2"), by), frozenset(left_out)
    told = _not_proved(step, obligation, broken, names, lambda s, **more: Verdict("v", s, **more))
    assert told.status is status
    assert (told.witness is None) == (status is UNDECIDED)
    assert ("does not follow" in told.reason) == (found is REFUTED and status is UNDECIDED)


def test_the_method_says_why_a_step_holds():
    words = [method_of(Step(Fact("x >= 1"), by)) for by in (ByRule("Markov"), Cite("l"), Cite("l", as_used=True),
    Literature("B"),
                                                             Definition(), Decide())]  # fmt: skip
    assert words == ["rule: Markov", "cites l", "cites l (as used)", "literature: B", "definition", ""]


def test_a_slack_is_told_of_one_own_inequality(monkeypatch):
    monkeypatch.setattr(statements, "slack_bracket", lambda claim, seconds: (1.0, 2.0))

    def slack(by=None, claim="x <= 2*x", seconds=1.0, opaque=False, count=1):
        wanted = [Obligation("the claim", Claim.read(claim), opaque)] * count
        return _slack(Step(Fact("x <= 2*x"), by or Decide()), wanted, seconds)

    assert slack() == (1.0, 2.0)
    for other in ({"by": Follows(())}, {"claim": "x == x"}, {"claim": "x != x"}, {"claim": "0 < x < 1"},
                  {"seconds": 0.0}, {"opaque": True}, {"count": 2}):  # fmt: skip
        assert slack(**other) is None, other
    monkeypatch.setattr(statements, "slack_bracket", lambda claim, seconds: (None, None))
    assert slack() is None


# ---------------------------------------------------------------- numbers at a point


@pytest.mark.parametrize("op", ["<", "<=", ">", ">=", "==", "!="])
def test_truth_at_a_point(op):
    for left, right, order in (
        ("x", "3", -1),
        ("x", "2", 0),
        ("x", "1", 1),
        ("sqrt(x)", "1.5", -1),
        ("sqrt(x)", "1.4", 1),
    ):
        expected = {
            "<": order < 0,
            "<=": order <= 0,
            ">": order > 0,
            ">=": order >= 0,
            "==": order == 0,
            "!=": order != 0,
        }[op]
        assert truth(parse_relation(f"{left} {op} {right}"), {"x": F(2)}) is expected
    assert truth(parse_relation(f"1/(x - 2) {op} 1"), {"x": F(2)}) is None


def test_a_point_must_name_every_parameter_and_lie_in_the_domain():
    where = (parse_relation("x > 1"), parse_relation("x <= y"))
    check_domain(["x", "y"], where, {"x": F(2), "y": F(2)})
    for point, words in (({"x": F(2)}, "missing"), ({"x": F(2), "y": F(2), "z": F(1)}, "unknown"),
                         ({"x": F(1), "y": F(2)}, "does not hold"), ({"x": F(3),
                         "y": F(2)}, "does not hold")):  # fmt: skip
        with pytest.raises(ValueError, match=words):
            check_domain(["x", "y"], where, point)
    with pytest.raises(ValueError, match="cannot be decided"):
        check_domain(["x"], (parse_relation("1/(x - 2) > 0"),), {"x": F(2)})
    with pytest.raises(ValueError, match="undefined"):
        value_at(parse("log(x - 2)"), {"x": F(2)})


def test_brackets_are_rounded_outward():
    third = arb(1) / 3
    assert F(rounded_down(third)) < F(1, 3) < F(rounded_up(third))
    assert rounded_up(third) - rounded_down(third) <= 30 * math.ulp(0.3)
    assert rounded_down(arb(1) / 4) == rounded_up(arb(1) / 4) == 0.25
    with ctx.workprec(128):  # balls far narrower than the distance of two doubles
        for k in (1, 2, -1, -2, 4, 5):
            low, high = rounded_down(arb(k) / 3), rounded_up(arb(k) / 3)
            assert F(low) < F(k, 3) < F(high) and high == math.nextafter(low, math.inf)
    found = bracket(arb(3), arb(1), arb(2))
    assert (found.slack_low, found.slack_high) == (1.5, 3.0)
    found = bracket(arb(1), third, third)
    assert found.slack_low <= 3 <= found.slack_high and found.slack_high - found.slack_low < 1e-12
    wide = bracket(arb(3), arb(0), arb(2))
    assert (wide.slack_low, wide.slack_high) == (1.5, math.inf)
    empty = bracket(arb(3), arb(0), arb(0))
    assert (empty.slack_low, empty.slack_high) == (math.inf, math.inf)
    unknown = bracket(arb(3), arb(1), arb(0, 1))
    assert unknown.slack_low <= 3


A = Parameter("a", "a", ("a >= 1",))
CITED_FROM_THREE_ON = Statement(
    "c", "t", "lemma", "p", "x", (Parameter("a", "a", ("a >= 3",)),), {}, (Fact("a**2 >= 1"),),
    (Step(Fact("a**2 >= 1"), Decide()),),
)  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "by", "hypotheses"),
    [
        # the reason asks for something that is false: t > 0 for all t, or a >= 3 where only a >= 1 is known
        ("a >= 0", Decide(("h",)), {"h": Fact("b*t >= 0", ("t",), ("t > 0",))}),
        ("a**2 >= 1", Cite("c"), {}),
        ("a**2 >= 1", Decide(("h",)), {"h": Fact("b >= 0", (), ("b >= 0",))}),
        ("a >= 0", Follows(("h",), ("a - 2",)), {"h": Fact("b >= 0")}),
    ],
)
def test_a_true_claim_with_a_reason_that_does_not_hold_is_not_refuted(claim, by, hypotheses):
    steps = (Step(Fact(claim), by),)
    s = Statement("s", "t", "lemma", "p", "x", (A,), hypotheses, (Fact(claim),), steps, declares={"b": "real"})
    found = decide_statement(s, {"c": CITED_FROM_THREE_ON}.__getitem__, 2.0, 0.0)
    assert found.status is UNDECIDED, found.reason
    false = replace(s, claims=(Fact("a >= 2"),), steps=(Step(Fact("a >= 2"), Decide()),))
    assert decide_statement(false, none, 2.0, 0.0).status is REFUTED


def test_a_label_that_is_not_there_is_told():
    step = Step(Fact("a >= 1"), Cite("lem:nowhere"))
    s = Statement("s", "t", "lemma", "p", "x", (A,), {}, (Fact("a >= 1"),), (step,))
    found = decide_statement(s, {}.__getitem__, 2.0, 0.0)
    assert found.status is UNDECIDED and "there is no statement lem:nowhere" in found.reason
