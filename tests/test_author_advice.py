"""A bound of a factor goes into a mean through the bound of the product: the message names that line, and it helps."""

import pytest
from slow import larger, more

from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.statement import Fact, Parameter, Statement
from boundcheck.paper import lookup
from boundcheck.verdict import Status

KNOWN = {
    "short": Fact("norm(at(X, s)) <= c", ("s: integer",)),
    "small": Fact("abs(Z) <= K"),
    "mean": Fact("integrable(Y) == 1"),
    "above": Fact("W >= Y - c"),
}
NUMBERS = (Parameter("c", "", ("c >= 0",)), Parameter("K", "", ("K >= 0",)), Parameter("T", "", ("T >= 1",), True))
SORTS = {"X": "integer -> random vector", "Y": "random real", "Z": "random real", "W": "random real"}


def made(claim, proof):
    statement = Statement("lem:own", "t", "lemma", "own", "", NUMBERS, KNOWN, (Fact(claim),), declares=SORTS)
    return elaborate(statement, read_proof(proof), lookup)


@pytest.mark.usefixtures("no_worlds")
@pytest.mark.parametrize(
    ("claim", "hint", "line"),
    [
        ("E(abs(Y)*abs(Z)) <= K*E(abs(Y))", "by small", "abs(Y)*abs(Z) <= abs(Y)*K"),
        *larger(
            [
                ("E(abs(Y)*norm(X[T])**2) <= c**2*E(abs(Y))", "by short", "abs(Y)*norm(X[T])**2 <= abs(Y)*c**2"),
                (
                    "K*c*E(abs(Y)) >= E(abs(Y)*norm(X[T])*abs(Z))",
                    "by short, small",
                    "abs(Y)*norm(X[T])*abs(Z) <= abs(Y)*c*K",
                ),
            ]
        ),
    ],
)
def test_the_line_that_is_missing_is_named_and_helps(claim, hint, line, monkeypatch):
    stated = claim.replace("X[T]", "at(X, T)")
    with monkeypatch.context() as brief:
        brief.setattr("boundcheck.author.elaborate.LINE", 1.0)  # there is nothing to find
        (fault, *_) = made(stated, f"{claim} {hint}").faults
    assert "write the bound of the product as a line before" in str(fault) and line in str(fault)
    found = made(stated, f"product: {line} {hint}\n{claim} by product")
    assert not found.faults
    assert decide_statement(found.statement, lookup, 2.0, 0.0).status is Status.PROVED


def test_nothing_is_named_where_no_factor_is_bounded():
    (fault, *_) = made("E(abs(Y)) <= K", "E(abs(Y)) <= K by small").faults
    assert "as a line before" not in str(fault)


@pytest.mark.parametrize(("put", "told"), [("", True), ("b[t] > 0, ", False), more("K > 0, ", True)])
def test_a_condition_that_divides_wants_what_shows_its_value_before_it(put, told):
    known = {
        "falls": Fact("at(a, t + 1) <= at(a, t)", ("t: integer",)),
        "positive": Fact("at(b, t) > 0", ("t: integer",), ("t >= 0",)),
    }
    sorts = {"a": "integer -> real", "b": "integer -> real"}
    statement = Statement("lem:own", "t", "lemma", "own", "", NUMBERS, known, (Fact("0 <= 1"),), declares=sorts)
    line = f"a[t + 1] <= K/b[t] for integer t where t >= 1, {put}a[t] <= K/b[t]  by falls, positive"
    first, *_ = elaborate(statement, read_proof(line), lookup).lines
    assert ("write b[t] > 0, or != 0, before a[t] <= K/b[t]" in first.fault) is told
    assert (first.kind == "") is told


@pytest.mark.parametrize(("claim", "shown"), [more("E(W) >= E(Y) - c", False), ("E(Y) >= E(Z) + K", True)])
def test_a_mean_that_nothing_shows_to_exist_is_named_and_its_line_helps(claim, shown):
    hint = "by small" if shown else "by above"
    *_, fault = made(claim, f"{claim} {hint}").faults
    assert ("; nothing shows that W is integrable: a line integrable(W) == 1 would" in str(fault)) is not shown
    assert ("is integrable" in str(fault)) is not shown


TANGENTS = {"tangents": Fact("h(u) >= w*u - w**2", ("u", "w")), "at zero": Fact("h(0) == 0")}


@pytest.mark.parametrize(
    ("claim", "hint", "missing"),
    [
        ("h(3) >= 9/4", "by tangents with w = 3/2; u = 3", ""),
        ("h(3) >= 9/4 + h(0)", "by at zero, tangents with w = 3/2; u = 3", ""),
        ("h(3) >= 9/4", "by tangents with w = 1; u = 3", "no reason found"),
        (
            "h(3) >= 9/4",
            "by tangents with v = 3/2; u = 3",
            "none of tangents is for all v: `with` gives no value there",
        ),
    ],
)
def test_values_behind_facts_are_values_of_the_facts(claim, hint, missing):
    statement = Statement(
        "lem:own", "t", "lemma", "own", "", (), TANGENTS, (Fact(claim),), declares={"h": "real -> real"}
    )
    found = elaborate(statement, read_proof(f"{claim}  {hint}", functions=frozenset({"h"})), lookup)
    assert [missing in str(fault) for fault in found.faults] == ([True] if missing else [])
    assert (decide_statement(found.statement, lookup, 2.0, 0.0).status is Status.PROVED) is (missing == "")
