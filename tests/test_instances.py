"""Instances of rules: which values a metavariable takes, what a step must show, what would be false and is refused.

The rules of this file are artificial: each is true, asks for one thing, and is false where that is not looked at.
"""

from __future__ import annotations

from collections.abc import Mapping

import pytest

from boundcheck.kernel.formula import parse
from boundcheck.kernel.proof import instances
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.instances import live
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.rules import Derived, Implies, Rule
from boundcheck.kernel.statement import ByRule, Fact, Parameter, Statement, Step

NOTHING: Mapping[str, str] = {}
SORTS = {
    "X": "random real", "Y": "random real", "Z": "random vector", "N": "random integer", "A": "event", "c": "real",
    "x": "real", "v": "vector", "n": "integer", "m": "integer", "f": "real -> real", "F": "real -> random real",
    "B": "integer -> random real", "S": "integer -> real", "H": "information", "D": "random object", "k": "real",
    "Q": "integer, integer -> real", "K": "integer -> information", "g": "vector -> real", "O": "object",
}  # fmt: skip


def fact(text: str) -> Fact:
    """``claim for all NAMES where CONDITIONS``."""
    text, _, where = text.partition(" where ")
    claim, _, over = text.partition(" for all ")
    return Fact(claim, *(tuple(p.strip() for p in part.split(";") if p.strip()) for part in (over, where)))


RULES = {
    r.name: r
    for r in (
        Rule("mean", "c: real", "E(c) == c"),
        Rule("least", "k: integer", "k*(k - 1) >= 0"),
        Rule("length", "v: vector", "norm(v) >= 0"),
        Rule("null", "v: vector", "norm(v) == 0", sides=(Fact("v == 0"),)),
        Rule("size", "q: random quantity", "E(q) == E(q)"),
        Rule("value", "h: vector -> real; v: vector", "E(h(v)) == h(v)"),
        Rule("tower", "X: random real; V: source", "E(Egiven(X, V)) == E(X)", integrable=("X",)),
        Rule("given", "X: random real; V: information", "measurable(X, V) == 1", measurable=(("X", "V"),)),
        Rule("tail", "X: random real; a, q: real", "P(X > a) <= E(X)/a", sides=(Fact("X >= 0"), Fact("a > 0"))),
        Rule("sure", "A: event", "P(A) == 1", implies=(Implies((), "A"),)),
        Rule("never", "A: event", "P(A) == 0", implies=(Implies((), "~A"),)),
        Rule("less", "A, B: event", "P(A) <= P(B)", implies=(Implies(("A",), "B"),)),
        Rule("not", "A, B: event", "P(A) + P(B) <= 1", implies=(Implies(("A",), "~B"),)),
        Rule("twice", "A, B, C: event", "P(A) <= P(B) + P(C)", implies=(Implies(("A", "~B"), "C"),)),
        Rule("text", "X: random real; a: real", "P(X > a) <= 0", implies=(Implies((), "X <= a"),)),
        Rule("all", "G(t), R(t): random real; t: bound; a, b: random real",
             "integral(G, t, a, b) <= integral(R, t, a, b)",
             premises=(Fact("G <= R", ("t",), ("a <= t", "t <= b")),), sides=(Fact("a <= b"),)),
        Rule("area", "G(t): real; t: bound; a: real; b: end", "integral(G, t, a, b) == integral(G, t, a, b)",
             sides=(Fact("a <= b"),)),
        Rule("exists", "G(t): real; t: bound; a, b: real", "integral(2*G, t, a, b) == 2*integral(G, t, a, b)",
             converges=("integral(G, t, a, b)",)),
        Rule("exists if", "G(t): real; t: bound; a, b: real", "integral(2*G, t, a, b) == 2*integral(G, t, a, b)",
             converges=("integral(G, t, a, b) if a > 0",)),
        Rule("below", "G(t): real; t: bound; b: real", "integral(2*G, t, -oo, b) == 2*integral(G, t, -oo, b)",
             converges=("integral(G, t, -oo, b)",)),
        Rule("factor", "c: real; G(t): real; t: bound", "integral(c*G, t, 0, 1) == c*integral(G, t, 0, 1)"),
        Rule("own", "c: real", "integral(c, t, 0, 1) == c"),
        Rule("square", "G(t, s): real; t, s: bound", "integral(integral(G, t, 0, 1), s, 0, 1) == "
             "integral(integral(G, s, 0, 1), t, 0, 1)"),
        Rule("positive", "G(t): real; t: bound", "integral(G, t, 0, 1) >= 0",
             sides=(Fact("G >= 0", (), ("0 <= t", "t <= 1")),)),
        Rule("first", "G(s), H: real; s: bound; n: integer", "sum(G, s, n, n) == H",
             derived=(Derived("H", "G", "s", "n"),)),
        Rule("frozen", "R(y): real; y: bound; V: random real; W: random real", "W == W",
             derived=(Derived("W", "R", "y", "V"),)),
        Rule("alone", "R: random real; V: random real", "R == R", only=(("R", "V"),)),
        Rule("even", "A: event; q: real", "P(A) <= q", premises=(Fact("P(A) <= q"),)),
        Rule("for each", "S(t): real; t: bound; q: real", "sum(S, t, 0, 1) <= 2*q",
             premises=(Fact("S <= q", ("t: integer",)),)),
        Rule("family", "w: integer -> real; n: integer", "at(w, n) == at(w, n)"),
        Rule("of a family", "w: integer -> real; n: integer", "sum(at(w, s), s, n, n) == at(w, n)"),
    )
}  # fmt: skip


@pytest.fixture(autouse=True)
def artificial(monkeypatch):
    monkeypatch.setattr(instances, "RULES", RULES)


def asked(rule: str, claim: str, let=NOTHING, using=(), given=NOTHING, domain=NOTHING, declares=NOTHING) -> list[str]:
    step = Step(fact(claim), ByRule(rule, let, using))
    parameters = tuple(Parameter(n, "", tuple(d.split("; "))) for n, d in domain.items())
    sorts = {k: s for k, s in {**SORTS, **declares}.items() if k not in domain}
    statement = Statement(
        "lem:own", "t", "lemma", "part", "text", parameters, {k: fact(t) for k, t in given.items()}, (Fact("0 == 0"),),
        (step,), declares=sorts,
    )  # fmt: skip
    return [f"{o.role}: {o.claim}" for o in obligations(statement, 1, step, {}.__getitem__)]


def refused(words: str, *args, **more) -> None:
    with pytest.raises(ProofError, match=words):
        asked(*args, **more)


# ---------------------------------------------------------------- values


@pytest.mark.parametrize(
    ("rule", "let", "claim"),
    [
        ("mean", {"c": "x"}, "E(x) == x"),
        ("mean", {}, "E(c) == c"),
        ("mean", {"c": "n"}, "E(n) == n"),
        ("mean", {"c": "E(X)"}, "E(E(X)) == E(X)"),
        ("least", {"k": "n + m"}, "(n + m)*(n + m - 1) >= 0"),
        ("length", {"v": "0"}, "norm(0) >= 0"),
        ("length", {"v": "2*v"}, "norm(2*v) >= 0"),
        ("size", {"q": "X"}, "E(X) == E(X)"),
        ("size", {"q": "Z"}, "E(Z) == E(Z)"),
        ("size", {"q": "n"}, "E(n) == E(n)"),
        ("value", {"h": "g", "v": "v"}, "E(g(v)) == g(v)"),
        ("area", {"G": "t", "t": "t", "a": "0", "b": "oo"}, "integral(t, t, 0, oo) == integral(t, t, 0, oo)"),
        ("factor", {"c": "x", "G": "r", "t": "r"}, "integral(x*r, r, 0, 1) == x*integral(r, r, 0, 1)"),
        ("own", {"c": "x"}, "integral(x, t, 0, 1) == x"),
        ("own", {"c": "t"}, "integral(t, t_, 0, 1) == t"),  # the rule's own t makes room
        ("family", {"w": "S", "n": "n"}, "at(S, n) == at(S, n)"),
        ("family", {"w": "at(Q, m)", "n": "n"}, "at(Q, m, n) == at(Q, m, n)"),
        ("alone", {"R": "X**2 + c", "V": "X"}, "X**2 + c == X**2 + c"),
        ("alone", {"R": "E(Y)*X", "V": "X"}, "E(Y)*X == E(Y)*X"),
        ("alone", {"R": "sum(X*s, s, 0, n)", "V": "X"}, "sum(X*s, s, 0, n) == sum(X*s, s, 0, n)"),
        ("alone", {"R": "X", "V": "X"}, "X == X where X >= 0"),  # of values, no law: a condition on chance is one
        ("alone", {"R": "P(Y > X)*X", "V": "X"}, "P(Y > X)*X == P(Y > X)*X"),
    ],
)
def test_values(rule, let, claim):
    assert asked(rule, claim, let, declares={"t": "real"}) == []


@pytest.mark.parametrize(
    ("rule", "let", "fault"),
    [
        # false: E(X) == X
        ("mean", {"c": "X"}, "c = X may not depend on chance"),
        ("mean", {"c": "x + at(B, 0)"}, "may not depend on chance"),
        ("mean", {"c": "Egiven(X, Y)"}, "may not depend on chance"),
        ("value", {"h": "g", "v": "Z"}, "v = Z may not depend on chance"),
        ("tail", {"X": "X", "a": "Y", "q": "1"}, "a = Y may not depend on chance"),
        # false: 1/2*(1/2 - 1) >= 0
        ("least", {"k": "1/2"}, "k is integer"),
        ("least", {"k": "x"}, "k is integer"),
        ("least", {"k": "n/2"}, "k is integer"),
        # no value of the sort
        ("length", {"v": "1"}, "v is vector"),
        ("length", {"v": "x"}, "v is vector"),
        ("length", {"v": "x - x"}, "v is vector"),
        ("mean", {"c": "v"}, "c is real"),
        ("mean", {"c": "f"}, "c is real"),
        ("mean", {"c": "S"}, "c is real"),
        ("mean", {"c": "oo"}, "c is real"),
        ("mean", {"c": "X > 1"}, "c is real"),
        ("size", {"q": "H"}, "q is"),
        ("size", {"q": "O"}, "q is"),
        ("sure", {"A": "0"}, "A is"),
        ("sure", {"A": "X"}, "A is"),
        ("given", {"X": "X", "V": "0"}, "V is information"),
        ("given", {"X": "X", "V": "Y"}, "V is information"),
        ("value", {"h": "0", "v": "v"}, "h is vector -> real"),
        ("value", {"h": "f", "v": "v"}, "h is vector -> real"),
        ("value", {"h": "v", "v": "v"}, "h is vector -> real"),
        ("family", {"w": "B", "n": "n"}, "may not depend on chance"),
        ("family", {"w": "Q", "n": "n"}, "w is integer -> real"),
        ("family", {"w": "at(S, 0)", "n": "n"}, "w is integer -> real"),
        ("area", {"G": "t", "t": "t", "a": "oo", "b": "1"}, "a is real"),
        ("area", {"G": "t", "t": "t", "a": "0", "b": "v"}, "b is real"),
        ("area", {"G": "t", "t": "t", "a": "0", "b": "X"}, "b = X may not depend on chance"),
        ("mean", {"c": "unknown"}, "unknown is not declared"),
        # given what: information, or what is random
        ("tower", {"X": "X", "V": "c"}, "V = c is neither information nor random"),
        ("tower", {"X": "X", "V": "O"}, "V = O is neither information nor random"),
        ("tower", {"X": "X", "V": "v"}, "V = v is neither information nor random"),
        ("tower", {"X": "X", "V": "K"}, "V is source"),
        ("tower", {"X": "X", "V": "A"}, "V is source"),
        # false: a bound name that is none, two that are one, a value that is caught by it
        ("factor", {"c": "x", "G": "r", "t": "2*r"}, "t must be a name"),
        ("factor", {"c": "x", "G": "r", "t": "0"}, "t must be a name"),
        ("square", {"G": "r", "t": "r", "s": "r"}, "two bound names are the same"),
        ("factor", {"c": "r", "G": "r", "t": "r"}, "c = r may not depend on r"),
        ("first", {"G": "s", "s": "s", "n": "s", "H": "s"}, "may not depend on s"),
        # false: by Y, R(X, Y) has no symmetry of X alone
        ("alone", {"R": "X*Y", "V": "X"}, "R = X.Y may not depend on Y"),
        ("alone", {"R": "Y", "V": "X"}, "may not depend on Y"),
        ("alone", {"R": "F(c)*X", "V": "X"}, "may not depend on F"),
        ("alone", {"R": "at(B, 0)*X", "V": "X"}, "may not depend on B"),
        ("alone", {"R": "ind(Y > X)", "V": "X"}, "may not depend on Y"),
        ("alone", {"R": "Egiven(Y, H)", "V": "X"}, "may not depend on H, Y"),
        ("alone", {"R": "X", "V": "X + Y"}, "may not depend on X"),
        # what is put in the frozen place is random, and a law speaks of the constant there
        ("frozen", {"R": "P(X > y)", "y": "y", "V": "Y", "W": "0"}, "speaks of the law at a constant y"),
        ("frozen", {"R": "E(X*y)", "y": "y", "V": "X", "W": "0"}, "speaks of the law at a constant y"),
    ],
)
def test_no_value(rule, let, fault):
    refused(fault, rule, "0 == 0", let, declares={"unused": "real"})


def test_there_is_no_such_rule_name_or_premise():
    refused("no rule is called", "gone", "0 == 0")
    refused("mean has no d, only c", "mean", "E(c) == c", {"d": "1"})
    refused("even has 1 premises, 0 facts", "even", "P(A) <= c", {"q": "c"})


def test_sources():
    assert "integrable" not in str(
        asked("tower", "E(Egiven(ind(X > 1), H)) == E(ind(X > 1))", {"X": "ind(X > 1)", "V": "H"})
    )
    for v in ("Y", "Z", "N", "D", "at(K, n)", "X + Y"):
        let = {"X": "ind(X > 1)", "V": v}
        assert asked("tower", f"E(Egiven(ind(X > 1), {v})) == E(ind(X > 1))", let) == []
    refused("nothing shows that X is integrable", "tower", "E(Egiven(X, H)) == E(X)", {"V": "H"})
    assert asked("tower", "E(Egiven(X, H)) == E(X)", {"V": "H"}, given={"h": "integrable(X) == 1"}) == []


def test_what_is_known():
    assert asked("given", "measurable(Y, H) == 1", {"X": "Y", "V": "H"}, given={"h": "measurable(Y, H) == 1"}) == []
    refused("nothing shows that Y is known from H", "given", "measurable(Y, H) == 1", {"X": "Y", "V": "H"})


# ---------------------------------------------------------------- premises and side conditions


def test_the_conclusion_is_the_instance():
    assert asked("mean", "E(x) == c", {"c": "x"}) == ["conclusion: x == c"]
    assert asked("mean", "E(x) <= c", {"c": "x"}, ("h",), {"h": "x <= c"}) == []
    assert asked("mean", "E(x) <= c", {"c": "x"}, ("h",), {"h": "x <= c where c >= 1"}) == ["condition of h: c >= 1"]


def test_side_conditions_are_demanded_of_the_values():
    let = {"X": "X", "a": "c", "q": "1"}
    found = asked("tail", "P(X > c) <= E(X)/c", let, domain={"c": "c >= 0"})
    assert found == ["side condition: X >= 0", "side condition: c > 0 where c >= 0"]
    assert asked("tail", "P(X > c) <= E(X)/c", let, ("h", "p"), {"h": "X >= 0", "p": "c > 0"}) == []
    # false under a condition on chance, for a law
    refused("nothing follows for a law", "tail", "P(X > c) <= E(X)/c where X >= 0", let)
    assert asked("tail", "P(X > c) <= E(X)/c where c > 0", let, ("h",), {"h": "X >= 0"}) == []


def test_a_premise_is_what_is_cited():
    assert asked("even", "P(A) <= c", {"q": "c"}, ("h",), {"h": "P(A) <= c"}) == []
    assert asked("even", "P(A) <= c", {"q": "c"}, ("h",), {"h": "P(A) <= x"}) != []
    assert asked("even", "P(A) <= c", {"q": "c"}, ("h",), {"h": "P(A) <= c where x >= 0"}) == [
        "premise 1, its condition: x >= 0"
    ]


EACH = {"S": "at(S, t)", "t": "t", "q": "c"}
SUM = "sum(at(S, t), t, 0, 1) <= 2*c"


@pytest.mark.parametrize(
    ("given", "left"),
    [
        ("at(S, t) <= c for all t: integer", []),
        ("at(S, t) <= c for all t: integer where t >= 0", ["premise 1, its condition: t >= 0"]),
        ("at(S, t) <= x for all t: integer", ["premise 1: o1_ <= c where o1_ <= x"]),
    ],
)
def test_a_premise_holds_for_all(given, left):
    assert asked("for each", SUM, EACH, ("h",), {"h": given}) == left


def test_a_premise_about_one_value_is_none_about_all():
    """False: at(S, t) <= c for the t of the statement alone."""
    one = {"t": "integer"}
    refused("h speaks of one t", "for each", SUM, EACH, ("h",), {"h": "at(S, t) <= c"}, declares=one)
    found = asked("for each", SUM, EACH, ("h",), {"h": "at(S, n) <= c"})
    assert found and found[0].startswith("premise 1")


@pytest.mark.parametrize("where", ["hypothesis", "domain", "condition", "goal"])
def test_what_is_known_of_a_name_is_not_known_of_the_bound_one(where):
    """False: r >= 0 of one r gives integral(r - 1/2) >= 0 nothing."""
    let = {"G": "r - 2", "t": "r"}
    claim = "integral(r - 2, r, 0, 1) >= 0"
    fault = "positive binds r, of which something else is known"
    if where == "hypothesis":
        refused(fault, "positive", claim, let, ("h",), {"h": "r >= 2"}, declares={"r": "real"})
    elif where == "domain":
        refused(fault, "positive", claim, let, domain={"r": "r >= 2"})
    elif where == "condition":
        refused(fault, "positive", f"{claim} where r >= 2", let, declares={"r": "real"})
    else:
        refused(fault, "positive", f"{claim} for all r", let)
    assert asked("positive", claim, let) == ["side condition: r - 2 >= 0 where 0 <= r, r <= 1"]


def test_a_premise_over_a_range():
    let = {"G": "X*r", "R": "2*X*r", "t": "r", "a": "0", "b": "c"}
    claim = "integral(X*r, r, 0, c) <= integral(2*X*r, r, 0, c)"
    assert asked("all", claim, let, ("h",), {"h": "X*r <= 2*X*r for all r"}, domain={"c": "c >= 0"}) == []
    assert asked("all", claim, let, ("h",), {"h": "X*r <= 2*X*r for all r where r >= 0"}, domain={"c": "c >= 0"}) == []
    found = asked("all", claim, let, ("h",), {"h": "X*r <= 2*X*r for all r where r >= 1"}, domain={"c": "c >= 0"})
    assert found == ["premise 1, its condition: r >= 1 where c >= 0, 0 <= r, r <= c"]
    assert asked("all", claim, let, ("h",), {"h": "X*r <= 2*X*r for all r"}) == ["side condition: 0 <= c"]


def test_an_integral_that_must_exist():
    let = {"G": "1/r", "t": "r", "a": "x", "b": "c"}
    claim = "integral(2*(1/r), r, x, c) == 2*integral(1/r, r, x, c)"
    (found,) = asked("exists", claim, let)
    assert found == "convergence: 0*(1/r_) == 0 where min(x, c) <= r_, r_ <= max(x, c)"
    (found,) = asked("exists", claim, let, ("h",), {"h": "x >= 1"})
    assert found == "convergence: 0*(1/r_) == 0 where x >= 1, min(x, c) <= r_, r_ <= max(x, c)"
    (found,) = asked("exists if", claim, let)
    assert found == "convergence: 0*(1/r_) == 0 where x > 0, min(x, c) <= r_, r_ <= max(x, c)"
    (found,) = asked("exists", f"{claim} where c >= x", let)
    assert found == "convergence: 0*(1/r_) == 0 where c >= x, min(x, c) <= r_, r_ <= max(x, c)"
    plain = {"G": "P(X > r)", "t": "r", "a": "x", "b": "c"}
    assert asked("exists", "integral(2*P(X > r), r, x, c) == 2*integral(P(X > r), r, x, c)", plain) == []
    below = {"G": "P(X > r)", "t": "r", "b": "c"}
    refused("nothing shows", "below", "integral(2*P(X > r), r, -oo, c) == 2*integral(P(X > r), r, -oo, c)", below)
    hard = {"G": "P(X > r)/r", "t": "r", "a": "x", "b": "c"}
    refused(
        "nothing shows that", "exists", "integral(2*(P(X > r)/r), r, x, c) == 2*integral(P(X > r)/r, r, x, c)", hard
    )


# ---------------------------------------------------------------- events


@pytest.mark.parametrize(
    ("rule", "let", "claim", "left"),
    [
        ("sure", {"A": "X**2 >= 0"}, "P(X**2 >= 0) == 1", ["implication of events: X**2 >= 0"]),
        ("never", {"A": "X**2 < 0"}, "P(X**2 < 0) == 0", ["implication of events: X**2 >= 0"]),
        ("never", {"A": "X == c"}, "P(X == c) == 0", ["implication of events: X != c"]),
        ("sure", {"A": "A"}, "P(A) == 1", ["implication of events: o1_ == 1 where o1_ >= 0, o1_ <= 1"]),
        ("never", {"A": "A"}, "P(A) == 0", ["implication of events: o1_ == 0 where o1_ >= 0, o1_ <= 1"]),
        ("less", {"A": "X > 2", "B": "X > 1"}, "P(X > 2) <= P(X > 1)", ["implication of events: X > 1 where X > 2"]),
        ("less", {"A": "X > 1", "B": "X > 1"}, "P(X > 1) <= P(X > 1)", []),
        ("not", {"A": "X > 2", "B": "X < 1"}, "P(X > 2) + P(X < 1) <= 1",
         ["implication of events: X >= 1 where X > 2"]),
        ("twice", {"A": "X > 2", "B": "Y > 1", "C": "X > Y"}, "P(X > 2) <= P(Y > 1) + P(X > Y)",
         ["implication of events: X > Y where X > 2, Y <= 1"]),
        ("text", {"X": "X", "a": "c"}, "P(X > c) <= 0", ["implication of events: X <= c"]),
        ("text", {"X": "min(X, c)", "a": "c"}, "P(min(X, c) > c) <= 0", ["implication of events: min(X, c) <= c"]),
    ],
)  # fmt: skip
def test_events(rule, let, claim, left):
    assert asked(rule, claim, let) == left


def test_an_event_uses_facts_where_their_conditions_hold():
    let, claim = {"A": "X > 2", "B": "Y > 1"}, "P(X > 2) <= P(Y > 1)"
    assert asked("less", claim, let, ("h",), {"h": "Y > 1 where X > 2"}) == []
    assert asked("less", claim, let, ("h",), {"h": "Y > 1 where X > 3"}) == [
        "condition of h: X > 3 where X > 2"  # false: to use it where X is 5/2
    ]
    assert asked("less", claim, let, ("h",), {"h": "Y > 1"}) == []
    refused("nothing follows for a law", "less", f"{claim} where Y > 1", let)


# ---------------------------------------------------------------- derived values


def test_derived_values():
    let = {"G": "at(S, s)", "s": "s", "n": "m + 1", "H": "0"}
    assert asked("first", "sum(at(S, s), s, m + 1, m + 1) == at(S, m + 1)", let) == []
    assert asked("first", "sum(at(S, s), s, m + 1, m + 1) == at(S, m)", let) != []
    frozen = {"R": "y**2 + c", "y": "y", "V": "Y", "W": "0"}
    assert asked("frozen", "Y**2 + c == Y**2 + c", frozen) == []
    constant = {"R": "P(X > y)", "y": "y", "V": "x", "W": "0"}
    assert asked("frozen", "P(X > x) == P(X > x)", constant) == []


@pytest.mark.parametrize(
    ("term", "names"),
    [
        ("X + c", "X c"), ("E(X)*Y", "Y"), ("P(X > Y)", ""), ("Egiven(X, Y)", "X Y"), ("ind(X > Y)", "X Y"),
        ("F(c)", "F c"), ("at(B, n)", "B n"), ("norm(Z)", "Z"), ("2", ""), ("integrable(X)", ""), ("f(E(X))", "f"),
        ("measurable(X, H)", ""), ("sum(at(B, s), s, 0, n)", "B s n"),
    ],
)  # fmt: skip
def test_the_names_outside_of_means(term, names):
    assert live(parse(term, proof=True)) == set(names.split())
