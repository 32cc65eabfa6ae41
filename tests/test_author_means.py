"""Lines on means of squares and products: hypotheses say for all indices what exists, squares are multiplied out."""

from importlib import import_module

import pytest
from slow import more

from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.paper import lookup
from boundcheck.verdict import Status

SORTS = {"X": "integer -> random vector", "m": "vector"}
INDEX = ("i: integer",)
SQUARE = {"square": Fact("integrable(norm(at(X, i))**2) == 1", INDEX)}
MEAN = {"mean": Fact("E(at(X, i)) == m", INDEX)}


@pytest.fixture(autouse=True)
def _soon_asked_whether_it_is_false(monkeypatch):
    monkeypatch.setattr("boundcheck.author.elaborate.FIRST", 0.3)
    monkeypatch.setattr("boundcheck.author.elaborate.LINE", 4.0)


def made(line, hypotheses=SQUARE | MEAN):
    claim = line.partition(" by ")[0]
    for k in "12":
        claim = claim.replace(f"X[{k}]", f"at(X, {k})")
    statement = Statement("lem:own", "t", "lemma", "own", "", (), hypotheses, (Fact(claim),), declares=SORTS)
    return elaborate(statement, read_proof(line), lookup)


def proved(line, hypotheses=SQUARE | MEAN):
    """Whether the line, which is the claim as well, is found and then decided."""
    found = made(line, hypotheses)
    return not found.faults and decide_statement(found.statement, lookup, 2.0, 0.0).status is Status.PROVED


@pytest.mark.parametrize(
    "term", ["norm(X[1])", "X[1]", "dot(X[1], X[2])", "norm(X[1] - m)**2", "dot(X[1], m)", more("dot(X[1] - m, X[2])")]
)
def test_what_squares_that_have_a_mean_give_one(term, no_worlds):
    assert proved(f"integrable({term}) == 1")
    lengths = {"length": Fact("integrable(norm(at(X, i))) == 1", INDEX)}
    assert proved(f"integrable({term}) == 1", lengths) is (term in ("norm(X[1])", "X[1]", "dot(X[1], m)"))


@pytest.mark.parametrize("term", ["norm(X[1])**2", more("norm(X[1] + X[2] - 2*m)**2"), more("dot(X[1], X[2])")])
def test_what_is_said_of_squares_about_a_point_is_asked_at_the_indices_of_the_line(term, no_worlds):
    assert proved(f"integrable({term}) == 1", {"variance": Fact("E(norm(at(X, i) - m)**2) <= 3", INDEX)})
    assert not proved(f"integrable({term}) == 1", {"distance": Fact("E(norm(at(X, i) - m)) <= 3", INDEX)})


@pytest.mark.parametrize(
    ("line", "wrong"),
    [
        ("E(norm(X[1] + X[2])**2) == E(norm(X[1])**2) + E(norm(X[2])**2) + 2*E(dot(X[1], X[2]))",
         ("2*E(dot", "E(dot")),
        ("E(norm(X[1] + X[2])**2) <= 3*E(norm(X[1])**2) + 3/2*E(norm(X[2])**2)", ("3/2", "1/2")),
        more("E(norm(X[1] + X[2])**2) + E(norm(X[1] - X[2])**2) == 2*E(norm(X[1])**2) + 2*E(norm(X[2])**2)",
             ("== 2", "== 3")),
        more("E(norm(X[1] - m)**2) == E(norm(X[1])**2) - norm(m)**2 by mean", ("- norm", "- 2*norm")),
        more("E(norm(X[1] + X[2] - 2*m)**2) == E(norm(X[1] + X[2])**2) - 4*norm(m)**2 by mean", ("- 4", "- 3")),
        more("E(norm(X[1] - 3*m)**2) <= E(norm(X[1])**2) + 3*norm(m)**2 by mean", ("+ 3", "+ 2.9")),
    ],
)  # fmt: skip
def test_squares_under_means_are_multiplied_out(line, wrong):
    assert proved(line)
    (fault,) = made(line.replace(*wrong)).faults[:1]
    assert "it is false where X[k] = " in fault.fault


def test_without_squares_that_have_a_mean_nothing_is_multiplied_out(no_worlds, monkeypatch):
    monkeypatch.setattr("boundcheck.author.elaborate.LINE", 1.5)  # twice what the line takes where they have one
    assert not proved("E(norm(X[1] - m)**2) == E(norm(X[1])**2) - norm(m)**2 by mean", MEAN)


@pytest.mark.parametrize(("line", "searches"), [("3/2", 2), ("1/2", 1)])
def test_a_line_that_takes_longer_is_searched_on_where_it_is_not_false(line, searches, monkeypatch):
    module, told = import_module("boundcheck.author.elaborate"), []
    real = module.find
    monkeypatch.setattr(module, "find", lambda *given: told.append(given) or real(*given))
    monkeypatch.setattr(module, "FIRST", 0.02)
    found = made(f"E(norm(X[1] + X[2])**2) <= 3*E(norm(X[1])**2) + {line}*E(norm(X[2])**2)")
    assert len(told) == searches and (not found.faults) is (searches == 2)


ABOUT = {
    "X": "random real", "Y": "random vector", "G": "vector -> random vector", "c": "real", "b": "real", "u": "vector",
}  # fmt: skip
SEEN = {
    "number": Fact("integrable(X**2) == 1"),
    "vector": Fact("integrable(norm(Y)**2) == 1"),
    "function": Fact("integrable(norm(G(y))**2) == 1", ("y: vector",)),
}


def told(line):
    """Whether the line is found and then decided, of a number, a vector and a random function with second moments."""
    claim, word, over = line.partition(" for ")
    fact = Fact(claim, (over.replace("vector v", "v: vector"),) if word else ())
    statement = Statement("lem:own", "t", "lemma", "own", "", (), SEEN, (fact,), declares=ABOUT)
    found = elaborate(statement, read_proof(line, functions=frozenset({"G"})), lookup)
    return not found.faults and decide_statement(found.statement, lookup, 2.0, 0.0).status is Status.PROVED


@pytest.mark.parametrize(
    ("line", "old", "wrong"),
    [
        more("E((X - E(X))**2) <= E((X - (c + b)/2)**2)", "b)/2)**2)", "b)/2)**2)/2"),  # a constant of several terms
        ("E(X + z) == E(X) + z for z", "+ z for", "+ 2*z for"),  # what exists has no z in it
        more("E(norm(Y - v)**2) == E(norm(Y)**2) - 2*dot(v, E(Y)) + norm(v)**2 for vector v", "2*dot", "dot"),
        ("E(norm(Y - E(Y))**2) == E(norm(Y)**2) - norm(E(Y))**2", "- norm", "- 0.9*norm"),
        ("E(dot(E(Y), Y)) == norm(E(Y))**2", "norm(E(Y))", "E(norm(Y))"),
        ("integrable(dot(G(u), Y)) == 1", "dot(G(u), Y)", "norm(Y)**3"),  # G(u) is random
        more("E(norm(G(u) - E(G(u)))**2) == E(norm(G(u))**2) - norm(E(G(u)))**2", "- norm", "- 2*norm"),
    ],
)
def test_means_of_squares_about_a_point(line, old, wrong, no_worlds, monkeypatch):
    monkeypatch.setattr("boundcheck.author.elaborate.LINE", 2.5)
    assert told(line)
    monkeypatch.setattr("boundcheck.author.elaborate.LINE", 0.7)  # of what is false no more is searched
    assert not told(line.replace(old, wrong))


FIELD = {"G": "vector -> random vector", "gradf": "vector -> vector", "w": "vector", "z": "vector", "s": "vector"}
UNBIASED = {
    "mean": Fact("E(G(y)) == gradf(y)", ("y: vector",)),
    "second": Fact("integrable(norm(G(y))**2) == 1", ("y: vector",)),
    "difference": Fact("E(G(w) - G(z)) == gradf(w) - gradf(z)"), "least": Fact("gradf(s) == 0*s"),
}  # fmt: skip


@pytest.mark.parametrize(
    ("line", "old", "wrong"),
    [
        # the variance of SVRG's estimate (Johnson and Zhang 2013, theorem 1), by the means of its terms, or by its own
        ("E(norm(G(w) - G(z) - gradf(w) + gradf(z))**2) <= E(norm(G(w) - G(z))**2) by mean", "<= E", "<= 0.9*E"),
        ("E(norm(G(w) - G(z) - (gradf(w) - gradf(z)))**2) == E(norm(G(w) - G(z))**2) - norm(gradf(w) - gradf(z))**2"
         " by difference", "- norm(gradf(w) - gradf(z))", "- norm(gradf(w) + gradf(z))"),
        ("E(norm(G(z) - G(s) - gradf(z))**2) <= E(norm(G(z) - G(s))**2) by mean, least", "- gradf(z)", "+ gradf(z)"),
        more("E(norm(G(w) - gradf(w))**2) <= E(norm(G(w))**2) by mean", "<= E", "<= 0.9*E"),
    ],
)  # fmt: skip
def test_what_is_above_a_variance(line, old, wrong, no_worlds, monkeypatch):
    def found(text):
        claim = Fact(text.partition(" by ")[0])
        statement = Statement("lem:own", "t", "lemma", "own", "", (), UNBIASED, (claim,), declares=FIELD)
        made = elaborate(statement, read_proof(text, functions=frozenset({"G", "gradf"})), lookup)
        return not made.faults and decide_statement(made.statement, lookup, 2.0, 0.0).status is Status.PROVED

    assert found(line)
    monkeypatch.setattr("boundcheck.author.elaborate.LINE", 0.7)  # of what is false no more is searched
    assert not found(line.replace(old, wrong, 1))


@pytest.mark.parametrize(
    ("bound", "holds"), [("norm(G(u) - Y)**2 + norm(c*Y - u)**2", True), ("norm(Y - u)**3", False)]
)
def test_what_is_below_squares_of_sums_has_a_mean(bound, holds, no_worlds):
    """Those of the squares exist first."""
    known = SEEN | {"below": Fact(f"X**2 <= {bound}")}
    del known["number"]
    fact = Fact("integrable(X**2) == 1")
    statement = Statement("lem:own", "t", "lemma", "own", "", (), known, (fact,), declares=ABOUT)
    found = elaborate(statement, read_proof(f"{fact.claim} by below"), lookup)
    assert (not found.faults) is holds
