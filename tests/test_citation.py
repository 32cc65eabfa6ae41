"""Citing: what must be met, what is found among the facts in sight, and what would be false and is refused.

Each cited lemma is taken as true; a row that is refused is false for some law or value, though the lemma is true.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

import pytest

from boundcheck.kernel.proof.citation import circle, delivered
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.proof.step import Context
from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step

NOTHING: Mapping[str, str] = {}
DONE = Step(Fact("0 == 0"), Decide())


def fact(text: str) -> Fact:
    """``claim for all NAMES where CONDITIONS``."""
    text, _, where = text.partition(" where ")
    claim, _, over = text.partition(" for all ")
    return Fact(claim, *(tuple(p.strip() for p in part.split(";") if p.strip()) for part in (over, where)))


def stated(*claims: str, declares=NOTHING, given=NOTHING, domain=NOTHING, label="lem:c", steps=(DONE,), **more):
    """``domain`` maps a real parameter, or an integer one after ``integer``, to its relations."""
    parameters = tuple(
        Parameter(n.split()[-1], "", tuple(filter(None, d.split("; "))), n.startswith("integer "))
        for n, d in domain.items()
    )
    hypotheses = {name: fact(text) for name, text in given.items()}
    return Statement(
        label, "t", "lemma", "part", "text", parameters, hypotheses, tuple(map(fact, claims)), tuple(steps),
        declares=dict(declares), **more,
    )  # fmt: skip


def asked(claim: str, by: Cite, *others: Statement, before=(), **own) -> list[str]:
    """What a step that cites demands, in a statement of the declarations, hypotheses and domain in ``own``."""
    step = Step(fact(claim), by)
    statement = stated(claim, steps=(*before, step), label="lem:own", **own)
    table = {s.label: s for s in (statement, *others)}
    return [f"{o.role}: {o.claim}" for o in obligations(statement, len(before) + 1, step, table.__getitem__)]


def refused(words: str, claim: str, by: Cite, *others: Statement, **own) -> None:
    with pytest.raises(ProofError, match=words):
        asked(claim, by, *others, **own)


# ---------------------------------------------------------------- which statement, which claim


POSITIVE = stated("x + 1 > 0", "2*x >= 0", domain={"x": "x >= 0"})
USED = replace(stated("x >= 1", domain={"x": ""}), as_used=POSITIVE)


def test_a_claim_is_cited_by_its_number_and_form():
    own = {"domain": {"y": "y >= 0"}}
    assert asked("y + 1 > 0", Cite("lem:c", {"x": "y"}), POSITIVE, **own) == []
    assert asked("2*y >= 0", Cite("lem:c", {"x": "y"}, part=1), POSITIVE, **own) == []
    assert asked("2*y >= 0", Cite("lem:c", {"x": "y"}), POSITIVE, **own) != []
    assert asked("y >= 1", Cite("lem:c", {"x": "y"}), USED, **own) == []
    assert asked("y >= 1", Cite("lem:c", {"x": "y"}, as_used=True), USED, **own) != []  # false: its printed form
    assert asked("2*y >= 0", Cite("lem:c", {"x": "y"}, part=1, as_used=True), USED, **own) == []
    assert asked("2*y >= 0", Cite("lem:c", {"x": "y"}, part=1, as_used=True), POSITIVE, **own) == []


@pytest.mark.parametrize("part", [-1, -2, 2, 3])
def test_there_is_no_such_claim(part):
    refused("no claim number", "2*y >= 0", Cite("lem:c", {"x": "y"}, part=part), POSITIVE, domain={"y": "y >= 0"})


def test_there_is_no_such_statement_or_name():
    refused("no statement", "2*y >= 0", Cite("lem:d", {"x": "y"}), POSITIVE, domain={"y": "y >= 0"})
    refused("declares no z", "2*y >= 0", Cite("lem:c", {"x": "y", "z": "1"}), POSITIVE, domain={"y": "y >= 0"})
    refused("say what is put", "2*y >= 0", Cite("lem:c"), POSITIVE, domain={"y": "y >= 0"})


def cites(*labels: str, label="lem:c", **more) -> Statement:
    return stated("0 == 1", steps=[Step(fact("0 == 1"), Cite(other)) for other in labels], label=label, **more)


@pytest.mark.parametrize(
    ("others", "round"),
    [
        ((cites("lem:own"),), True),
        ((cites("lem:d"), cites("lem:own", label="lem:d")), True),
        ((cites("lem:d", "lem:e"), cites(label="lem:d"), cites("lem:own", label="lem:e")), True),
        ((cites("lem:e", "lem:d"), cites(label="lem:d"), cites("lem:own", label="lem:e")), True),
        ((cites(assumes=("lem:own",)),), True),
        ((replace(cites(), as_used=cites("lem:own")),), True),
        ((cites("lem:d"), replace(cites(label="lem:d"), as_used=cites("lem:own", label="lem:d"))), True),
        ((cites("lem:gone"),), False),
        ((cites("lem:gone", "lem:own"),), True),
        ((cites("lem:own", "lem:gone"),), True),
        ((cites("lem:d"), cites("lem:c", label="lem:d")), False),  # a circle of theirs, told where they are checked
        ((cites("lem:d"), cites("lem:e", label="lem:d"), cites(label="lem:e")), False),
    ],
)
def test_a_circle(others, round):
    """False: 0 == 1, each from the other."""
    if round:
        refused("rests on lem:own itself", "0 == 1", Cite("lem:c"), *others)
    else:
        assert asked("0 == 1", Cite("lem:c"), *others) == []


def test_a_statement_does_not_cite_itself():
    refused("itself", "0 == 1", Cite("lem:own"))
    one = cites()
    assert circle(one, one, {}.__getitem__) and circle(one, replace(cites(label="lem:d"), as_used=one), {}.__getitem__)
    assert not circle(one, cites(label="lem:d"), {}.__getitem__)


def test_a_changed_statement_does_not_cite_itself_as_it_was():
    """A planted falsehood has the label of the statement that the lookup knows."""
    was, others = stated("0 == 1", label="lem:own"), cites("lem:own")
    for label in ("lem:own", "lem:c"):
        step = Step(fact("0 == 1"), Cite(label))
        with pytest.raises(ProofError, match="rests on lem:own itself"):
            obligations(
                stated("0 == 1", label="lem:own", steps=(step,)),
                1,
                step,
                {"lem:own": was, "lem:c": others}.__getitem__,
            )


# ---------------------------------------------------------------- values


TAIL = stated("P(X > c) <= f(c)", declares={"X": "random real", "f": "real -> real"}, domain={"c": "c > 0"})
FLAT = stated("g(c) <= 1", declares={"g": "real -> real", "c": "real"})  # of constants: it holds at every outcome
SHIFT = stated("X + c >= X", declares={"X": "random real"}, domain={"c": "c >= 0"})
LONG = stated("norm(v) >= 0", "norm(v + w) >= 0", declares={"v": "vector", "w": "vector"})
WHOLE = stated("k*(k - 1) >= 0", domain={"integer k": ""})
FAMILY = stated("at(B, 0) <= g(0)", declares={"B": "integer -> random real", "g": "real -> real"})
OWN = {
    "X": "random real", "Y": "random real", "f": "real -> real", "g": "real -> real", "F": "real -> random real",
    "v": "vector", "w": "vector", "Z": "random vector", "a": "real", "n": "integer", "N": "random integer",
    "B": "integer -> random real", "S": "integer -> real", "c": "real", "V": "integer -> random vector",
}  # fmt: skip


@pytest.mark.parametrize(
    ("claim", "cited", "let", "left"),
    [
        ("P(X > 2) <= f(2)", TAIL, {"c": "2"}, ["domain of lem:c: 2 > 0"]),
        ("P(X > a) <= f(a)", TAIL, {"c": "a"}, ["domain of lem:c: a > 0"]),
        ("P(X > -1) <= f(-1)", TAIL, {"c": "-1"}, ["domain of lem:c: -1 > 0"]),
        ("P(Y + X > 2) <= g(2)", TAIL, {"c": "2", "X": "Y + X", "f": "g"}, ["domain of lem:c: 2 > 0"]),
        ("P(a > 2) <= f(2)", TAIL, {"c": "2", "X": "a"}, ["domain of lem:c: 2 > 0"]),
        ("g(X) <= 1", FLAT, {"c": "X"}, []),
        ("f(a) <= 1", FLAT, {"c": "a", "g": "f"}, []),
        ("g(n) <= 1", FLAT, {"c": "n"}, []),
        ("g(0) <= 1", FLAT, {"c": "0"}, []),
        ("norm(v) >= 0", LONG, {}, []),
        ("norm(0) >= 0", LONG, {"v": "0"}, []),
        ("norm(Z) >= 0", LONG, {"v": "Z"}, []),
        ("n*(n - 1) >= 0", WHOLE, {"k": "n"}, []),
        ("N*(N - 1) >= 0", WHOLE, {"k": "N"}, []),
        ("at(B, 0) <= g(0)", FAMILY, {}, []),
        ("at(S, 0) <= g(0)", FAMILY, {"B": "S"}, []),
    ],
)
def test_values(claim, cited, let, left):
    assert asked(claim, Cite("lem:c", let), cited, declares=OWN) == left


@pytest.mark.parametrize(
    ("claim", "cited", "let", "fault"),
    [
        # false: P(X > c) <= f(c) with f the tail itself, and f(X) small at large X
        ("P(X > X) <= f(X)", TAIL, {"c": "X"}, "c is a constant of lem:c, and X is random"),
        ("P(X > Y) <= f(Y)", TAIL, {"c": "Y"}, "c is a constant of lem:c, and Y is random"),
        ("P(X > 1) <= F(1)", TAIL, {"c": "1", "f": "F"}, "f is a constant of lem:c"),
        # false for almost every c alone, such as X != c, at c = X
        ("X + Y >= X", SHIFT, {"c": "Y"}, "c is a constant of lem:c"),
        ("F(a) <= 1", stated("F(c) <= 1", declares={"F": "real -> random real", "c": "real"}), {"c": "X"}, "constant"),
        # false: E(X) == X; a law of constants alone is none of values
        ("E(X) == X", stated("E(c) == c", declares={"c": "real"}), {"c": "X"}, "c is a constant of lem:c"),
        # false: X != t almost surely for each t, not at t = X
        ("X != X", stated("X != t for all t", declares={"X": "random real"}), {"t": "X"}, "almost surely"),
        # no value of that sort
        ("g(a) <= 1", stated("measurable(0, K) == 1", declares={"K": "information"}), {"K": "0"}, "is information"),
        ("g(v) <= 1", FLAT, {"c": "v"}, "c of lem:c is real"),
        ("g(a) <= 1", FLAT, {"c": "g"}, "c of lem:c is real"),
        ("g(a) <= 1", FLAT, {"c": "a", "g": "a"}, "g of lem:c is real -> real"),
        ("g(a) <= 1", FLAT, {"c": "a", "g": "S"}, "g of lem:c is real -> real"),
        ("at(V, 0) <= g(0)", FAMILY, {"B": "V"}, "B of lem:c is integer -> random real"),
        ("norm(v) >= 0", LONG, {"v": "1"}, "v of lem:c is vector"),
        ("norm(v) >= 0", LONG, {"v": "a"}, "v of lem:c is vector"),
        ("norm(v) >= 0", LONG, {"v": "a - a"}, "v of lem:c is vector"),
        ("a*(a - 1) >= 0", WHOLE, {"k": "a"}, "k of lem:c is integer"),
        ("1/2*(1/2 - 1) >= 0", WHOLE, {"k": "1/2"}, "k of lem:c is integer"),
        ("at(B, 0) <= g(0)", FAMILY, {"g": "0"}, "g of lem:c is real -> real"),
        ("g(zz) <= 1", FLAT, {"c": "zz"}, "zz is not declared"),
    ],
)
def test_no_value(claim, cited, let, fault):
    refused(fault, "0 == 0", Cite("lem:c", let), cited, declares=OWN)  # the fault is in what is put


# ---------------------------------------------------------------- hypotheses


SMALL = stated("g(x) <= 1", declares={"g": "real -> real", "x": "real"}, given={"small": "x <= 2"})
STEADY = stated(
    "g(x) <= 1", declares={"g": "real -> real", "x": "real"}, given={"all": "g(y) <= x for all y where y >= 0"}
)
PAIR = stated("g(x) <= 1", declares={"g": "real -> real", "x": "real"}, given={"pair": "g(y) <= g(z) for all y; z"})
#: the bound y of the hypothesis is not the y of the claim
OTHER = stated(
    "g(x) <= y", declares={"g": "real -> real", "x": "real", "y": "real"}, given={"h": "g(y) <= x for all y"}
)
TWO = stated("g(x) <= 1", declares={"g": "real -> real", "x": "real"}, given={"two": "g(y) <= g(y_) for all y; y_"})
FIRST = stated(
    "at(S, m) <= 1", declares={"S": "integer -> real"}, given={"falls": "at(S, k + 1) <= at(S, k) for all k: integer"},
    domain={"integer m": ""},
)  # fmt: skip


@pytest.mark.parametrize(
    ("cited", "let", "claim", "given", "left"),
    [
        (SMALL, {"x": "a"}, "g(a) <= 1", {"small": "a <= 2"}, []),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"other": "a <= 2"}, []),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"other": "2 >= a"}, []),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"small": "c <= 2", "other": "a <= 2"}, []),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"other": "y <= 2 for all y"}, []),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"other": "a <= 2 where c >= 0"},
         ["hypothesis small of lem:c, its condition: c >= 0"]),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"other": "y <= 2 for all y where y <= c"},
         ["hypothesis small of lem:c, its condition: a <= c"]),
        # one that holds here is taken before one under a condition on names that are left
        (SMALL, {"x": "a"}, "g(a) <= 1", {"loose": "a <= 2 for all y where y >= c", "other": "a <= 2"}, []),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"loose": "a <= 2 for all y where y >= c"},
         ["hypothesis small of lem:c, its condition: y >= c"]),
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(y) <= a for all y where y >= 0"}, []),
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= a for all z where z >= 0"}, []),
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= a for all z"}, []),
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= t for all z; t"}, []),
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= a for all z where z >= 1"},
         ["hypothesis all of lem:c, its condition: y_ >= 1 where y_ >= 0"]),
        (STEADY, {"x": "y"}, "g(y) <= 1", {"h": "g(z) <= y for all z where z >= 0"}, []),
        (PAIR, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= g(y) for all y; z"}, []),
        (PAIR, {"x": "y"}, "g(y) <= 1", {"h": "g(r) <= g(s) for all r; s"}, []),
        (FIRST, {"m": "n"}, "at(S, n) <= 1", {"h": "at(S, j + 1) <= at(S, j) for all j: integer"}, []),
        (OTHER, {"x": "a", "y": "c"}, "g(a) <= c", {"h": "g(r) <= a for all r"}, []),
        (TWO, {"x": "a"}, "g(a) <= 1", {"h": "g(r) <= g(z) for all r; z"}, []),
    ],
)  # fmt: skip
def test_hypotheses_are_found_by_what_they_say(cited, let, claim, given, left):
    assert asked(claim, Cite("lem:c", let), cited, declares={**OWN, "y": "real"}, given=given) == left


@pytest.mark.parametrize(
    ("cited", "let", "claim", "given"),
    [
        (SMALL, {"x": "a"}, "g(a) <= 1", {}),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"small": "c <= 2"}),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"small": "a <= 3"}),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"small": "a >= 2"}),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"small": "a != 2"}),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"small": "2 <= a"}),
        (SMALL, {"x": "a"}, "g(a) <= 1", {"small": "k <= 2 for all k: integer"}),
        (SMALL, {"x": "a"}, "g(a) <= 1 for all a", {"small": "a <= 2"}),  # of one a
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(y) <= a where y >= 0"}),  # of one y
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(1) <= a"}),
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(k) <= a for all k: integer"}),
        (STEADY, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= z for all z"}),
        (STEADY, {"x": "y"}, "g(y) <= 1", {"h": "g(y) <= y for all y"}),  # another y
        (PAIR, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= g(z) for all z"}),
        (PAIR, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= g(c) for all z"}),
        (FIRST, {"m": "n"}, "at(S, n) <= 1", {"h": "at(S, n + 1) <= at(S, n)"}),
        (OTHER, {"x": "a", "y": "c"}, "g(a) <= c", {"h": "g(c) <= a"}),
        (TWO, {"x": "a"}, "g(a) <= 1", {"h": "g(z) <= g(z) for all z"}),
    ],
)  # fmt: skip
def test_a_hypothesis_that_is_not_there(cited, let, claim, given):
    refused("is not among the facts", claim, Cite("lem:c", let), cited, declares={**OWN, "y": "real"}, given=given)


def test_the_bound_name_of_a_hypothesis_takes_no_value():
    """False: the lemma is cited with g(y) <= x at y = c alone. Here no name of the step is called y."""
    by, own = Cite("lem:c", {"x": "a", "y": "c"}), {"declares": OWN}
    refused("is not among", "g(a) <= c", by, OTHER, given={"h": "g(c) <= a"}, **own)
    assert asked("g(a) <= c", by, OTHER, given={"h": "g(r) <= a for all r"}, **own) == []


def test_what_looks_most_like_it_is_told():
    given = {"far": "a + c <= 2", "near": "a <= c", "other": "f(a) == c", "next": "a <= 3"}
    refused("closest is a <= 3", "g(a) <= 1", Cite("lem:c", {"x": "a"}), SMALL, declares=OWN, given=given)
    with pytest.raises(ProofError) as fault:
        asked("g(a) <= 1", Cite("lem:c", {"x": "a"}), SMALL, declares=OWN, given={"other": "f(a) == c"})
    assert "closest" not in str(fault.value)


def test_a_condition_of_the_step_is_a_hypothesis_of_one_instance():
    assert asked("g(a) <= 1 where a <= 2", Cite("lem:c", {"x": "a"}), SMALL, declares=OWN) == []
    assert asked("g(a) <= 1 for all a where a <= 2", Cite("lem:c", {"x": "a"}), SMALL, declares=OWN) == []


# ---------------------------------------------------------------- laws, and conditions on chance


LAW = stated("P(X > 1) <= 1/2", declares={"X": "random real"}, given={"h": "X <= r"}, domain={"r": "r > 0"})
POINT = stated("g(x) <= 1", declares={"g": "real -> real"}, given={"h": "g(x) <= g(0)"}, domain={"x": "x >= 0"})


def test_a_condition_on_chance_is_no_hypothesis_about_a_law():
    """False: X <= 1 there; P(X > 1) is of all outcomes."""
    own = {"declares": OWN, "domain": {"r": "r > 0"}}
    assert asked("P(X > 1) <= 1/2", Cite("lem:c"), LAW, given={"h": "X <= r"}, **own) == []
    refused("not among", "P(X > 1) <= 1/2 where X <= r", Cite("lem:c"), LAW, **own)
    assert asked("P(X > 1) <= 1/2", Cite("lem:c"), LAW, given={"h": "X <= r where Y <= 1"}, **own) == [
        "hypothesis h of lem:c, its condition: Y <= 1"
    ]
    found = asked("P(X > 1) <= 1/2 where Y <= 1", Cite("lem:c"), LAW, given={"h": "X <= r where Y <= 1"}, **own)
    assert found == ["hypothesis h of lem:c, its condition: Y <= 1"]  # which holds for some outcomes only
    found = asked("P(X > 1) <= 1/2 where c <= 1", Cite("lem:c"), LAW, given={"h": "X <= r where c <= 1"}, **own)
    assert found == []


def test_facts_under_a_condition_on_chance_do_not_meet_a_domain():
    """False: c > 0 where Y <= 1, which need not happen; a fact that it does not depend on chance is used."""
    own = {"declares": OWN, "given": {"h": "a >= 1 where Y <= 1", "k": "a >= 1"}}
    by = Cite("lem:c", {"c": "a"}, ("h",))
    assert asked("P(X > a) <= f(a) where Y <= 1", by, TAIL, **own) == ["domain of lem:c: a > 0"]
    by = replace(by, using=("k",))
    assert asked("P(X > a) <= f(a) where Y <= 1", by, TAIL, **own) == ["domain of lem:c: a > 0 where a >= 1"]


def test_pointwise_statements_are_cited_at_an_outcome():
    own = {"declares": OWN}
    given = {"h": "g(X) <= g(0)"}
    assert asked("g(X) <= 1 where X >= 0", Cite("lem:c", {"x": "X"}), POINT, given=given, **own) == []
    assert asked("g(X) <= 1", Cite("lem:c", {"x": "X"}), POINT, given=given, **own) == ["domain of lem:c: X >= 0"]


MEAN = stated("g(0) <= 1", declares={"X": "random real", "g": "real -> real"}, given={"h": "E(X) <= 0"})


def test_a_hypothesis_about_a_mean_asks_that_it_exists():
    """False where E(Y) is 0 by convention; the lemma may use that X has a mean."""
    by = Cite("lem:c", {"X": "Y"})
    assert asked("g(0) <= 1", by, MEAN, declares=OWN, given={"h": "E(Y) <= 0"}) == []  # a hypothesis says so
    before = (Step(fact("E(Y) <= 0"), Follows(("h",))),)
    own = {"declares": OWN, "before": before, "given": {"h": "E(Y) <= 0 where c*c >= 0"}}
    refused("nothing shows that Y is integrable", "g(0) <= 1", by, MEAN, **own)


def test_conditions_of_the_claim_are_demanded():
    cited = stated("g(t) <= 1 for all t where t >= x", declares={"g": "real -> real", "x": "real"})
    own = {"declares": OWN}
    assert asked("g(a) <= 1", Cite("lem:c", {"x": "c", "t": "a"}), cited, **own) == ["condition of lem:c: a >= c"]
    assert asked("g(a) <= 1 where a >= c", Cite("lem:c", {"x": "c", "t": "a"}), cited, **own) == []
    assert asked("g(t) <= 1 for all t where t >= c", Cite("lem:c", {"x": "c"}), cited, **own) == []
    # the t that it is cited at is not the t of the step: false to mix them
    found = asked("g(t) <= 1 for all t where t >= c", Cite("lem:c", {"x": "c", "t": "a"}), cited, **own)
    assert "condition of lem:c: a >= c where t >= c" in found
    refused(
        "stands for two things", "g(a) <= 1", Cite("lem:c", {"x": "t", "t": "a"}), cited, declares={**OWN, "t": "real"}
    )


# ---------------------------------------------------------------- what a citation says besides


EXISTS = stated("E(X) <= c", declares={"X": "random real", "c": "real"})


def scaled(cite: Step, claim="E(Y + 1) == E(Y) + E(1)", **own) -> list[str]:
    """What linearity asks for after the citation: that Y is integrable."""
    rule = Step(fact(claim), ByRule("expectation of a sum", {"X": "Y", "Y": "1"}))
    statement = stated(claim, steps=(cite, rule), label="lem:own", declares=OWN, **own)
    table = {s.label: s for s in (statement, EXISTS, USED_MEAN)}
    return [f"{o.role}: {o.claim}" for o in obligations(statement, 2, rule, table.__getitem__)]


USED_MEAN = replace(
    stated("0 == 0", label="lem:u"), as_used=stated("E(X) <= 1", declares={"X": "random real"}, label="lem:u")
)


def test_a_cited_mean_exists():
    assert scaled(Step(fact("E(Y) <= a"), Cite("lem:c", {"X": "Y", "c": "a"}))) == []
    assert scaled(Step(fact("E(Y) <= a"), Cite("lem:c", {"X": "Y", "c": "a"}, as_used=True))) == []
    assert scaled(Step(fact("E(Y) <= 1"), Cite("lem:u", {"X": "Y"}, as_used=True))) == []


FAMILIES = {"B": "integer -> random real", "c": "real"}
EVERY = stated("E(at(B, n)) <= c for all n: integer", declares=FAMILIES)
TO_ALL = stated(
    "E(at(B, n)) <= at(S, n_) for all n: integer; n_: integer", declares={**FAMILIES, "S": "integer -> real"}
)
LATER = stated(
    "E(at(B, n)) <= at(S, n_) for all n: integer; n_: integer where n_ >= n",
    declares={**FAMILIES, "S": "integer -> real"},
)


@pytest.mark.parametrize(
    ("cited", "claim", "let", "told"),
    [
        (EXISTS, "E(X) <= c", {}, "integrable(X) == 1"),
        (EXISTS, "E(X) <= c where n >= 1", {}, "integrable(X) == 1 where n >= 1"),
        (EXISTS, "E(X) <= c for all c where c >= n", {}, "integrable(X) == 1 where c >= n for all c"),
        (stated("E(at(B, k)) <= c for all k: integer where k >= 0", declares=FAMILIES), "0 == 0", {},
         "integrable(at(B, k)) == 1 where k >= 0 for all k"),
        (stated("E(at(B, k)) <= c for all k: integer where k >= 0", declares=FAMILIES), "0 == 0", {"k": "n"},
         "integrable(at(B, n)) == 1 where n >= 0"),
        # false: under n >= 1 for each n instead of the one that the step speaks of
        (EVERY, "0 == 0 where n >= 1", {},
         "integrable(at(B, n_)) == 1 where n >= 1 for all n_"),
        (TO_ALL,
         "0 == 0 where n >= 1", {}, "integrable(at(B, n__)) == 1 where n >= 1 for all n__; n_"),
        (LATER,
         "0 == 0 where n >= 1", {"n_": "n_"}, "integrable(at(B, n__)) == 1 where n_ >= n__, n >= 1 for all n__"),
        (EVERY, "0 == 0 for all n: integer where n >= 1", {},
         "integrable(at(B, n_)) == 1 where n >= 1 for all n; n_"),
    ],
)  # fmt: skip
def test_where_a_cited_mean_exists(cited, claim, let, told):
    step = Step(fact(claim), Cite("lem:c", let))
    own = stated("0 == 0", steps=(step,), label="lem:own", declares={**OWN, "n_": "integer"})
    (found,) = delivered(Context(own, 1, step, {"lem:c": cited}.__getitem__))
    where = f" where {', '.join(map(str, found.where))}" if found.where else ""
    assert f"{found.relation}{where}{' for all ' if found.over else ''}{'; '.join(found.over)}" == told


@pytest.mark.parametrize(
    "step",
    [
        Step(fact("E(X) <= a"), Cite("lem:c", {"c": "a"})),  # another variable
        Step(fact("E(Y) <= a where a >= 1"), Cite("lem:c", {"X": "Y", "c": "a"})),  # under a condition
        Step(fact("E(Y) <= a"), Cite("lem:c", {"X": "Y", "c": "a"}, part=1)),  # there is no such claim
        Step(fact("E(Y) <= a"), Cite("lem:c", {"X": "Y", "c": "a"}, part=-1)),
        Step(fact("0 == 0"), Cite("lem:u", {"X": "Y"})),  # the printed form says nothing
        Step(fact("E(Y) <= a"), Decide()),
    ],
)
def test_other_means_need_not_exist(step):
    with pytest.raises(ProofError, match="nothing shows"):
        scaled(step)
