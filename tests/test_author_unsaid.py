"""What authors leave unsaid is found without a hint: signs of sums, means that exist, lower moments."""

import math

import pytest
from slow import more, thinned

from boundcheck.author import search
from boundcheck.author.adapter import Checker
from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.clock import budget
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.statement import ByRule, Fact, Parameter, Statement, Step
from boundcheck.paper import lookup
from boundcheck.verdict import Status

pytestmark = pytest.mark.usefixtures("no_worlds")

SORTS = {
    "X": "random real", "Y": "random vector", "x": "vector", "c": "real",
    "a": "integer -> real", "b": "integer -> real",
    "g": "integer -> vector", "Z": "integer -> random real",
}  # fmt: skip
KNOWN = {
    "square": Fact("integrable(X**2) == 1"),
    "length": Fact("integrable(norm(Y)**2) == 1"),
    "terms": Fact("at(a, s) >= 0", ("s: integer",), ("s >= 0",)),
    "scale": Fact("b(s) > 0", ("s: integer",), ("s >= 0",)),
}
FOR_K = ("k: integer",), ("k >= 0",)
ENOUGH = 3.0  #: seconds of work in which every reason here is found: what has none is not searched for longer


def proved(claim, over=(), where=(), known=KNOWN, parameters=(), seconds=math.inf):
    """Whether the claim as the only line of its proof, without a hint, is found and then decided."""
    statement = Statement(
        "lem:own", "t", "lemma", "own", "", parameters, known, (Fact(claim, over, where),), declares=SORTS
    )
    told = f" for integer {over[0][0]} where {', '.join(where)}" if over else ""
    with budget(seconds):
        made = elaborate(statement, read_proof(claim + told, functions=frozenset("b")), lookup)
    return not made.faults and decide_statement(made.statement, lookup, 2.0, 0.0).status is Status.PROVED


@pytest.mark.parametrize(
    ("claim", "holds"),
    [
        ("sum(at(a, s), s, 0, k) >= 0", True),
        ("sum(at(a, s), s, 0, k - 1) >= 0", True),
        ("sum(at(a, s), s, 3, k) >= 0", True),
        ("sum(at(a, s), s, -1, k) >= 0", False),  # nothing is known of a[-1]
        ("sum(at(a, s), s, 0, k) > 0", False),
        ("sum(at(a, s) - 1, s, 0, k) >= 0", False),
        ("sum(norm(at(g, s))**2/b(s), s, 0, k) >= 0", True),
        ("sum(norm(at(g, s))**2/b(s + 1), s, 0, k) >= 0", True),
        ("sum(abs(at(Z, s)), s, 0, k) >= 0", True),
        ("sum(at(Z, s), s, 0, k) >= 0", False),
        ("abs(c)*sum(b(s), s, 1, k) >= 0", True),
        ("c*sum(b(s), s, 1, k) >= 0", False),
        ("1 + sum(b(s), s, 1, k) >= 0", True),
        ("1 + sum(b(s), s, 1, k) >= 2", False),
    ],
)
def test_the_sign_of_a_sum_to_any_end(claim, holds):
    assert proved(claim, *FOR_K) is holds


@pytest.mark.parametrize(
    ("claim", "holds"),
    thinned(
        [
            ("E(abs(X)) <= sqrt(E(X**2))", True),
            ("E(abs(X)) <= E(X**2)**(1/2)", True),
            ("E(abs(X))**2 <= E(X**2)", True),
            ("E(norm(Y)) <= sqrt(E(norm(Y)**2))", True),
            ("E(abs(X)) <= E(X**2)", False),  # X = 1/2
            ("E(abs(X)) <= sqrt(E(X**2))/2", False),
            ("E(X**2) <= E(abs(X))**2", False),
        ],
        4,
    ),
)
def test_a_first_moment_is_at_most_the_root_of_the_second(claim, holds):
    assert proved(claim, seconds=math.inf if holds else ENOUGH) is holds


@pytest.mark.parametrize(
    ("claim", "sign", "holds"),
    [
        ("E(abs(X)) <= s", ("s >= 0",), True),
        more("E(abs(X)) <= s/2", ("s >= 0",), False),
        ("E(abs(X)) <= s", (), False),  # s may be negative
    ],
)
def test_a_bound_of_the_second_moment_bounds_the_first(claim, sign, holds):
    known, s = {"second": Fact("E(X**2) <= s**2")}, (Parameter("s", "", sign),)
    assert proved(claim, known=known, parameters=s, seconds=math.inf if holds else ENOUGH) is holds


@pytest.mark.parametrize(
    ("claim", "holds"),
    thinned(
        [
            ("E(norm(Y - E(Y))**2) <= E(norm(Y - x)**2)", True),
            ("E(norm(E(Y) - Y)**2) <= E(norm(x - Y)**2)", True),
            ("E(norm(Y - E(Y))**2) <= E(norm(Y + x)**2)", True),
            ("E(norm(Y - E(Y))**2) <= E(norm(Y - x)**2)/2", False),
            ("E((X - c)**2) <= E((X - E(X))**2)", False),
            ("E((X - E(X))**2) <= E((X - c)**2)", True),
            ("E(norm(Y - x)**2) <= E(norm(Y - E(Y))**2)", False),
        ],
        4,
    ),
)
def test_the_mean_is_the_best_constant(claim, holds):
    assert proved(claim, seconds=math.inf if holds else ENOUGH) is holds


@pytest.mark.thorough
def test_a_goal_that_failed_is_not_searched_again_while_nothing_new_is_known(monkeypatch):
    failed, real = [], search._of_terms

    def of_terms(draft, goal, facts):
        found = real(draft, goal, facts)
        if found is None:
            failed.append(goal.attempt(draft))
        return found

    monkeypatch.setattr(search, "_of_terms", of_terms)
    monkeypatch.setattr("boundcheck.author.elaborate.FIRST", 60.0)  # what that interrupts is begun again
    assert not proved("E((X - c)**2) <= E((X - E(X))**2)")
    assert len(failed) == len(set(failed)) > 20
    assert len({attempt[1] for attempt in failed}) < len(failed)  # a goal is searched again where more is said


@pytest.mark.parametrize("claim", ["E(abs(X)) <= sqrt(E(X**2))", more("E(norm(Y - E(Y))**2) <= E(norm(Y - x)**2)")])
def test_without_a_second_moment_none_of_it_is_found(claim):
    assert not proved(claim, known={}, seconds=ENOUGH)


def test_a_quotient_of_numbers_in_a_rule_is_a_number():
    """Lyapunov's q/r at q = 1, r = 2 is read as 1/2 again, so that the certificate is about the same claim."""
    known = {"square": Fact("integrable(X**2) == 1"), "sign": Fact("E(X**2) >= 0")}
    step = Step(
        Fact("E(abs(X)) <= E(X**2)**(1/2)"), ByRule("Lyapunov", {"X": "abs(X)", "q": "1", "r": "2"}, ("sign",))
    )
    statement = Statement("lem:own", "t", "lemma", "own", "", (), known, (step.fact,), (step,), declares=SORTS)
    assert Checker(lookup).check(statement, step, 2.0) is None
    nodes = [n for o in obligations(statement, 1, step, lookup) for r in o.claim.claim for n in r.rhs.walk()]
    assert not any(n.op == "div" and {a.op for a in n.args} == {"num"} for n in nodes)


EXPONENTIALS = {"moments": Fact("E(exp(lam*at(Z, i))) <= 1", ("i: integer", "lam"), ("i >= 1", "lam > 0"))}
RATE = Parameter("r", "", ("r > 0",))


@pytest.mark.parametrize(
    ("claim", "where", "holds"),
    [
        ("integrable(exp(r*at(Z, k))) == 1", "k >= 1", True),
        ("integrable(exp(r*at(Z, k))) == 1", "k >= 0", False),  # nothing is known of Z[0]
        ("integrable(exp(-r*at(Z, k))) == 1", "k >= 1", False),
        more(
            "E(sum(exp(c**2*at(Z, i)), i, 1, k)) == sum(E(exp(c**2*at(Z, i))), i, 1, k)", "k >= 1", False
        ),  # at c = 0
        ("E(sum(exp(r*at(Z, i)), i, 1, k)) == sum(E(exp(r*at(Z, i))), i, 1, k)", "k >= 1", True),
        ("E(exp(2*at(Z, k))) <= 1", "k >= 1", True),
        ("E(exp(at(Z, k)/3)) <= 1", "k >= 1", True),
        ("E(exp(-2*at(Z, k))) <= 1", "k >= 1", False),
        ("integrable(exp(r*at(Z, k)/2)) == 1", "k >= 1", True),
        ("E(exp(2*at(Z, k))) <= 1", "k >= 0", False),
    ],
)
def test_a_mean_of_which_a_hypothesis_speaks_exists(claim, where, holds):
    allowed = math.inf if holds else ENOUGH
    assert proved(claim, ("k: integer",), (where,), EXPONENTIALS, (RATE,), allowed) is holds


@pytest.mark.parametrize(("factor", "holds"), [("r", True), ("at(Z, k + 1)", False)])
def test_what_is_said_for_all_numbers_is_said_of_no_random_one(factor, holds):
    """The normal Z_i has all its exponential moments, and exp(Z_1*Z_2) has no mean."""
    known = {"moments": Fact("E(exp(lam*at(Z, i))) <= exp(lam**2/2)", ("i: integer", "lam"))}
    claim = f"integrable(exp({factor}*at(Z, k))) == 1"
    assert proved(claim, ("k: integer",), ("k >= 1",), known, (RATE,), ENOUGH) is holds
