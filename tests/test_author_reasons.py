"""Reasons that a hint names together: a case distinction, several rules in turn; neither reaches a false line."""

from collections import Counter
from dataclasses import replace

import pytest
from slow import more, thinned

from boundcheck.author import by_citation, by_rule
from boundcheck.author.adapter import Checker
from boundcheck.author.by_cases import by_cases
from boundcheck.author.combine import in_sight
from boundcheck.author.draft import Draft
from boundcheck.author.elaborate import elaborate
from boundcheck.author.goal import Goal, accept
from boundcheck.author.made import Elaboration
from boundcheck.author.proof_reader import read_proof
from boundcheck.author.proof_records import Hint, Item
from boundcheck.author.source import NotationError, Place
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.clock import budget, seconds_used
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.statement import Claim, Decide, Fact, Parameter, Statement
from boundcheck.paper import lookup
from boundcheck.verdict import Status

pytestmark = pytest.mark.usefixtures("no_worlds")

INTEGER = ("j: integer",)


def proved(claim: str, proof: str) -> bool:
    """Whether the claim is proved by these lines, by the search and then by the check that trusts no search."""
    statement = Statement(
        "lem:own", "Own", "lemma", "own", "",
        (Parameter("S", "", ("S > 0",)), Parameter("k", "", ("k >= 0",), True), Parameter("d", "", ("d >= 1",), True)),
        {
            "direction": Fact("law(u) == sphere(d)"),
            "small": Fact("norm(at(X, j)) <= S", over=INTEGER),
            "large": Fact("f(S) <= 1", where=("S > 1",)),
            "little": Fact("f(S) <= 1", where=("S <= 1",)),
            "far": Fact("g(S) <= 1", where=("S > 1",)),
            "near": Fact("g(S) <= 1", where=("S <= 1/2",)),
            "all": Fact("ind(meet(at(Z, j) <= S, j, 0, k)) == 1"),
        },
        (Fact(claim),),
        declares={
            "u": "random vector", "Y": "random real", "X": "integer -> vector", "f": "real -> real",
            "g": "real -> real",
            "Z": "integer -> random real",
        },
    )  # fmt: skip
    made = elaborate(statement, read_proof(proof, functions=frozenset({"f", "g"})), lookup)
    return not made.faults and decide_statement(made.statement, lookup, 2.0, 0.0).status is Status.PROVED


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("abs(S - 1) <= max(S, 1)  by cases S > 1", True),
        ("abs(S - 1) <= S  by cases S > 1", False),  # at S = 1/10
        ("abs(S - 1) <= 1  by cases S <= 1", False),  # at S = 3
        ("max(S, 1) > S/2  by cases S < 1", True),
        ("f(S) <= 1  by cases S > 1, large, little", True),  # each fact holds in one case alone
        ("g(S) <= 1  by cases S > 1, far, near", False),  # nothing is said of S between 1/2 and 1
        ("g(S) <= 1  by cases S > 1, far", False),
        ("f(S) < 1  by cases S > 1, large, little", False),
        ("f(S) == 1  by cases S > 1, large, little", False),
    ],
)
def test_a_case_distinction_needs_both_cases(line, holds):
    claim = line.partition("  by ")[0]
    assert proved(claim, line) is holds


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("X <= Y by cases", (1, 11), "by cases b > 0"),
        ("X <= Y by cases b", (1, 11), "by cases b > 0"),
        ("X <= Y by tail, cases b == 0", (1, 17), "one of <, <=, >, >="),
        ("X <= Y by cases 0 < b < 1", (1, 11), "one of <, <=, >, >="),
        ("X <= Y by cases b > 0,\n  cases c > 0", (2, 3), "one case distinction a line"),
        ("X <= Y by cases b > > 0", (1, 21), "expected"),
    ],
)
def test_an_error_in_a_case_distinction_names_line_and_column(text, place, word):
    with pytest.raises(NotationError) as caught:
        read_proof(text)
    assert (caught.value.place.line, caught.value.place.column) == place
    assert word in str(caught.value)


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("norm(clip(Y, S)*u) <= S  by norm scale, unit length", True),
        ("norm(clip(Y, S)*u) <= S  by unit length, norm scale", True),  # in whatever order
        ("norm(clip(Y, S)*u) <= S/2  by norm scale, unit length", False),
        ("norm(sum(at(X, j), j, 1, k)) <= k*S  by norm of a sum, sum monotone", True),
        ("norm(sum(at(X, j), j, 1, k)) <= (k - 1)*S  by norm of a sum, sum monotone", False),
        ("norm(sum(at(X, j), j, 1, k)) <= k*S/2  by norm of a sum, sum monotone", False),
    ],
)
def test_several_rules_are_used_in_turn(line, holds):
    claim = line.partition("  by ")[0]
    assert proved(claim, line) is holds


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("ind(at(Z, i) <= S) == 1 for integer i where 0 <= i, i <= k  by member of an intersection", True),
        ("ind(at(Z, i) <= S) == 1 for integer i where 0 <= i, i <= k + 1  by member of an intersection", False),
        ("ind(at(Z, i) <= S/2) == 1 for integer i where 0 <= i, i <= k  by member of an intersection", False),
    ],
)
def test_which_member_is_read_off_the_line(line, holds):
    assert proved("S > 0", line) is holds


def lines_of(proof: str, hypotheses: dict[str, Fact], claim: str, before: Elaboration | None = None) -> Elaboration:
    """What becomes of the lines of a statement with two families of random numbers."""
    statement = Statement(
        "lem:own", "Own", "lemma", "own", "",
        (Parameter("S", "", ("S > 0",)), Parameter("k", "", ("k >= 1",), True)),
        hypotheses, (Fact(claim),),
        declares={"Y": "integer -> random real", "Z": "integer -> random real", "V": "random real"},
    )  # fmt: skip
    return elaborate(statement, read_proof(proof), lookup, before=before)


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("sum(at(X, j), j, 1, k) == S*sum(at(W, j), j, 1, k)  by of X", True),
        ("sum(at(X, j), j, 1, k) == S**2*sum(at(W, j), j, 1, k)  by of X", False),
    ],
)
def test_the_equation_named_is_put_in_and_no_further_one(line, holds):
    """W is defined as well: with its definition put in, it is no longer there."""
    of_w = "of W: at(W, j) == at(Z, j)**2 + at(Y, j) for integer j  by definition"
    of_x = "of X: at(X, j) == S*at(W, j) for integer j  by definition"
    made = lines_of(f"{of_w}\n{of_x}\n{line}", {}, "S > 0")
    assert (not made.faults) is holds
    assert not any("at(Z" in step.fact.claim for step in made.statement.steps[2:])


@pytest.mark.parametrize(
    ("known", "holds"), [("E(V**2) >= 1", True), ("E(V**2) >= 0", False)], ids=["at least 1", "nonnegative"]
)
def test_a_root_of_a_mean_is_defined_by_the_fact_that_says_so(known, holds):
    """The bound of the root stands nearer to the goal; it says something only where the root is defined."""
    facts = {"known": Fact(known), "root": Fact("sqrt(E(V**2) - 1) <= S")}
    made = lines_of("", facts, "sqrt(E(V**2) - 1) >= 0")
    assert (not made.faults) is holds


def test_the_search_of_a_line_ends_when_its_time_is_spent(monkeypatch):
    facts = {"of Y": Fact("at(Y, j) == S*at(Z, j)", over=INTEGER)}
    line = "sum(at(Y, j), j, 1, k) == S*sum(at(Z, j), j, 1, k)  by of Y"
    assert not lines_of(line, facts, "S > 0").faults
    monkeypatch.setattr("boundcheck.author.elaborate.LINE", 0.0)
    (fault, *_) = lines_of(line, facts, "S > 0").faults
    assert "the search ended after 0 s of processor time: say more after `by`" in fault.fault


def test_what_a_line_had_no_time_for_is_open_for_the_next_one():
    """The engines find nothing at the end of a line's time; that is no verdict on the obligation."""
    checker = Checker(lookup)
    obligation = Obligation("asserted", Claim.read("integral(exp(-t**2), t, 0, 1) <= 3/4", []), False)
    with budget(0.0):
        assert checker.decide(obligation, 1.0).status is Status.UNDECIDED
    assert checker.decide(obligation, 1.0).status is Status.PROVED


def test_a_rule_is_laid_over_a_goal_once(monkeypatch):
    """A search comes to the same goals again and again: what a rule may be there does not change meanwhile."""
    asked, conclusions = Counter(), by_rule.conclusions

    def counted(rule, goal, whole, given):
        asked[rule, goal, whole, tuple(given.items())] += 1
        return conclusions(rule, goal, whole, given)

    monkeypatch.setattr(by_rule, "conclusions", counted)
    by_rule._starts.cache_clear()
    facts = {"of Y": Fact("at(Y, j) == S*at(Z, j)", over=INTEGER)}
    with budget(1.0):
        assert lines_of("sum(at(Y, j), j, 1, k) == S**2*sum(at(Z, j), j, 1, k)", facts, "S > 0").faults
    assert len(asked) > 100 and set(asked.values()) == {1}


def test_nothing_is_tried_when_the_time_of_a_line_is_spent():
    goal = Goal(Fact("S + 1 > 0"))
    statement = Statement("lem:own", "Own", "lemma", "own", "", (Parameter("S", "", ("S > 0",)),), {}, ())
    draft = Draft(statement, Checker(lookup))
    with budget(0.0):
        assert accept(draft, goal, Decide(), "scalar") is None and draft.checker.tried == 0
    assert accept(draft, goal, Decide(), "scalar") is not None


@pytest.mark.parametrize(
    ("claim", "where", "wanted"),
    [
        ("S > 0", ("S <= 0",), False),
        ("S > 0", ("0 >= S",), False),
        ("S > 0", ("k >= 1", "S <= 0"), False),
        ("S >= 0", ("S < 0",), False),
        ("S > 0", ("S > 0",), True),
        ("S > 0", ("S <= 1",), True),
        ("S >= 0", ("S <= 0",), True),  # at 0
        ("S > 0", (), True),
    ],
)
def test_facts_of_the_other_case_are_not_in_sight(claim, where, wanted):
    facts = {"other": Fact("f(S) == 0", where=where), "same": Fact("f(S) <= 1", where=(claim,))}
    statement = Statement("lem:own", "Own", "lemma", "own", "", (Parameter("S", ""), Parameter("k", "")), facts, ())
    draft, goal = Draft(statement, Checker(lookup)), Goal(Fact("f(S) <= 1", where=(claim,)))
    assert [s.name for s in in_sight(draft, goal)] == (["same", "other"] if wanted else ["same"])


def test_each_case_is_given_the_facts_that_are_said_in_it():
    facts = {n: Fact("f(S) <= 1", where=w) for n, w in (("far", ("S > 1",)), ("near", ("1 >= S",)), ("always", ()))}
    statement = Statement("lem:own", "Own", "lemma", "own", "", (Parameter("S", ""),), facts, ())
    hint, given = Hint(items=tuple(Item(n, Place(1, 1)) for n in facts), case="S > 1"), []

    def find(draft, part, hint):
        given.append((part.fact.where, [i.name for i in hint.items]))
        return draft

    by_cases(Draft(statement, Checker(lookup)), Goal(Fact("f(S) <= 1")), hint, find)
    assert given == [(("S > 1",), ["far", "always"]), (("S <= 1",), ["near", "always"])]


def test_what_is_kept_says_how_long_the_search_took_and_not_how_long_it_took_to_take_it_over():
    facts = {"of Y": Fact("at(Y, j) == S*at(Z, j)", over=INTEGER)}
    line = "sum(at(Y, j), j, 1, k) == S*sum(at(Z, j), j, 1, k)  by of Y"
    first = lines_of(line, facts, "S > 0")
    slow = tuple(replace(m, seconds=1234.5) for m in first.marks)
    again = lines_of(line, facts, "S > 0", replace(first, marks=slow))
    assert first.marks[0].seconds == first.lines[0].seconds < 60
    assert [again.lines[0].seconds, again.marks[0].seconds] == [1234.5, 1234.5]
    assert again.statement.steps == first.statement.steps


COEFFICIENTS = (
    # (left, relation, right, whether it holds)
    ("E(X/(3 - c) + X**2)", "==", "E(X**2) - E(X)/(c - 3)", True),
    ("E(1 + c*X + c**2/(2*(1 - c/3))*X**2)", "<=", "1 + c*E(X) + c**2*V/(2*(1 - c/3))", True),
    ("E(1 + c*X + (exp(c) - 1 - c)*X**2)", "<=", "1 + c*E(X) + (exp(c) - 1 - c)*V", True),  # exp(c) >= 1 + c
    ("E(1 + X**2/(c - 3))", "<=", "1 + V/(c - 3)", False),  # the coefficient is negative
    ("E(1 + X**2/(2*(1 - c/3)))", "<=", "1 + V/(3*(1 - c/3))", False),
    ("E(X + X**2/(2 - c))", "==", "E(X) + E(X**2)/(2 - c)", False),  # nothing at c = 2
    more("E(X**2/(1 + Y**2))", "==", "E(X**2)/(1 + Y**2)", False),  # a matter of chance
)


@pytest.mark.parametrize(("left", "op", "right", "holds"), thinned(COEFFICIENTS, 3))
def test_a_quotient_is_taken_out_of_a_mean(left, op, right, holds):
    statement = Statement(
        "lem:own", "Own", "lemma", "own", "",
        (Parameter("c", "", ("c > 0", "c < 3")), Parameter("V", "", ("V >= 0",))),
        {"mean": Fact("integrable(X) == 1"), "square": Fact("integrable(X**2) == 1"), "size": Fact("E(X**2) <= V")},
        (Fact(f"{left} {op} {right}"),),
        declares={"X": "random real", "Y": "random real"},
    )  # fmt: skip
    before = seconds_used()
    made = elaborate(statement, read_proof(f"{left}\n  {op} {right}"), lookup)
    assert seconds_used() - before < 15.0  # of the minute that a line has; it took 20 s and more
    assert (made.faults == ()) is holds or "2 - c" in right  # a line says 0 for x/0; a claim does not
    proved = made.faults == () and decide_statement(made.statement, lookup, 2.0, 0.0).status is Status.PROVED
    assert proved is holds


@pytest.mark.parametrize(
    "line", ["S/(1 - 1) <= S", "S**2/(S - S) == 0", "norm(u)/0 <= S*norm(u)", "S*(2 - 2)**(-2) <= 1"]
)
def test_a_line_that_divides_by_nothing_is_read(line):
    """The search ended in an error. For a step x/0 is 0; a claim does not speak of it."""
    own, declares = (Parameter("S", "", ("S > 0",)),), {"u": "random vector"}
    made = elaborate(Statement("lem:own", "", "lemma", "own", "", own, declares=declares), read_proof(line), lookup)
    assert len(made.lines) == 1


@pytest.mark.parametrize(
    ("right", "holds"),
    [
        ("norm(v - w)**2 + 2*dot(v - w, w) + norm(w)**2", True),
        ("norm(v - w)**2 + 2*dot(v, w) - norm(w)**2", True),
        ("norm(v - w)**2 + dot(v - w, w) + norm(w)**2", False),
        ("norm(v)**2 + norm(w)**2", False),
    ],
)
def test_an_equation_between_forms_is_two_inequalities(right, holds):
    claim, declares = f"norm(v)**2 == {right}", {"v": "random vector", "w": "random vector"}
    statement = Statement("lem:own", "", "lemma", "own", "", claims=(Fact(claim),), declares=declares)
    made = elaborate(statement, read_proof(f"{claim}  by gram"), lookup)
    assert (made.faults == ()) is holds
    assert (decide_statement(made.statement, lookup, 2.0, 0.0).status is Status.PROVED) is holds


SCALE = Statement(
    "lem:scale", "t", "lemma", "own", "", (Parameter("c", "", ("c > 0",)), Parameter("a", "", ("a >= c",))),
    claims=(Fact("a*P(Z > c) <= a"),), declares={"Z": "random real"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("b(4)*P(Z > b(3)) <= b(4)  by lem:scale with c = b(3); a = b(4)", True),
        ("b(k)*P(Z > b(k)) <= b(k) for integer k  by lem:scale", True),
        ("b(3)*P(Z > b(4)) <= b(3)  by lem:scale with c = b(4); a = b(3)", False),  # b may rise
        ("b(k)*P(Z > -b(k)) <= b(k) for integer k  by lem:scale with c = -b(k); a = b(k)", False),
    ],
)
def test_the_domain_of_what_is_cited_is_shown_by_facts_in_sight(line, holds):
    """Its parameters are values of a family here, of which hypotheses speak."""
    known = {"positive": Fact("b(s) > 0", ("s: integer",)), "rising": Fact("b(s + 1) >= b(s)", ("s: integer",))}
    sorts = {"b": "integer -> real", "Z": "random real"}
    own = Statement("lem:own", "t", "lemma", "own", "", (), known, (Fact("0 == 0"),), declares=sorts)
    cited = {"lem:scale": SCALE}
    made = elaborate(own, read_proof(line, functions=frozenset("b")), lambda label: cited[label])
    assert (not made.faults) is holds


def test_names_of_what_is_cited_stand_for_themselves_where_they_can(monkeypatch):
    """The claim fits with other values as well, 1 for alpha and c*alpha for c: these are asked when that fails."""
    asked = []

    def noted(draft, goal, by, *rest, **how):
        asked.append(dict(by.let))
        return accept(draft, goal, by, *rest, **how)

    monkeypatch.setattr(by_citation, "accept", noted)
    claim, declares = "P(Z <= c/(alpha*(k - 2))) >= 1/2", {"Z": "random real", "y": "integer -> real"}
    own = tuple(Parameter(n, "", (f"{n} > {0 if n != 'k' else 3}",)) for n in ("alpha", "c", "k"))
    step = {"step": Fact("at(y, t + 1) == at(y, t) - alpha*c", ("t: integer",))}
    cited = Statement("lem:used", "t", "lemma", "own", "", own, step, (Fact(claim),), declares=declares)
    mine = Statement("lem:own", "t", "lemma", "own", "", own, step, (Fact(claim),), declares=declares)
    assert not elaborate(mine, read_proof(f"{claim}  by lem:used"), {"lem:used": cited}.__getitem__).faults
    assert asked == [{}]
