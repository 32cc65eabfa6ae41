"""The rules about conditional means and known values: each holds as it stands, and no weakened form passes."""

import pytest

from boundcheck.decide import decide
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.statement import ByRule, Fact, Statement, Step
from boundcheck.verdict import Status

DECLARED = {
    "g": "object, vector -> vector",
    "m": "vector -> vector",
    "k": "vector -> real",
    "x": "random vector",
    "X": "random object",
    "xs": "integer -> random vector",
    "ms": "integer -> random vector",
    "H": "information",
    "J": "information",
    "K": "integer -> information",
    "q": "real",
    "A": "integer -> event",
}
Y = ("y: vector",)
FACTS = {
    "apart": Fact("independent(X, H) == 1"),
    "apart too": Fact("independent(X, J) == 1"),
    "known": Fact("measurable(x, H) == 1"),
    "known too": Fact("measurable(x, J) == 1"),
    "exists": Fact("integrable(g(X, x)) == 1"),
    "each exists": Fact("integrable(g(X, y)) == 1", Y),
    "near": Fact("norm(E(g(X, y)) - m(y)) <= q", Y, ("k(y) <= 1",)),
    "at a point": Fact("norm(E(g(X, y)) - E(g(X, y))) <= q", Y, ("k(y) <= 1",)),
    "members": Fact("ind(at(A, t)) == 1", ("t: integer",), ("t >= 1", "t <= 4")),
    "member known": Fact("measurable(ind(at(A, t)), H) == 1", ("t: integer",), ("1 <= t", "t <= 4")),
}
DISTANCE = {"Q": "g(X, y)", "M": "m(y)", "K": "k(y)", "c": "1", "q": "q", "y": "y", "Y": "x", "X": "X", "H": "H"}
MEAN = {"Q": "g(X, y)", "y": "y", "Y": "x", "X": "X", "H": "H", "J": "J"}
BOUND = "ind(k(x) <= 1)*norm(Egiven(g(X, x), H) - m(x)) <= ind(k(x) <= 1)*q"
SAME = "Egiven(g(X, x), H) == Egiven(g(X, x), J)"
MEET = {"A": "at(A, t)", "t": "t", "a": "1", "b": "4"}
KNOWN = {"A": "at(A, t)", "s": "t", "a": "1", "b": "4", "V": "H"}
CASES = {
    "distance": (BOUND, "frozen distance of the mean", DISTANCE, ("apart", "near"), "exists"),
    "same mean": (SAME, "same frozen mean", MEAN, ("apart", "apart too", "each exists"), "known too"),
    "norm": ("norm(Egiven(g(X, x), H)) <= Egiven(norm(g(X, x)), H)", "norm of the conditional expectation",
             {"X": "g(X, x)", "V": "H"}, (), "exists"),
    "all": ("ind(meet(at(A, t), t, 1, 4)) == 1", "all of an intersection", MEET, ("members",), "members"),
    "known": ("measurable(ind(meet(at(A, t), t, 1, 4)), H) == 1", "known intersection", KNOWN, ("member known",),
              "member known"),
}  # fmt: skip


def fits(claim, rule, values, using, without=()):
    """What the step demands; raises :class:`ProofError` where it does not fit the rule."""
    step = Step(Fact(claim), ByRule(rule, values, tuple(using)))
    hypotheses = {n: f for n, f in FACTS.items() if n not in without}
    statement = Statement("own", "own", "lemma", "own", "own", hypotheses=hypotheses, declares=DECLARED, steps=(step,))
    return obligations(statement, 1, step, lambda label: None)


@pytest.mark.parametrize("case", CASES)
def test_holds_as_it_stands(case):
    claim, rule, values, using, _ = CASES[case]
    assert isinstance(fits(claim, rule, values, using), list)


@pytest.mark.parametrize("case", CASES)
def test_fails_without_what_it_rests_on(case):
    claim, rule, values, using, needed = CASES[case]
    with pytest.raises(ProofError):
        fits(claim, rule, values, using, (needed,))


def test_a_mean_at_a_fixed_point_is_no_function_of_the_random_point():
    values = DISTANCE | {"M": "E(g(X, y))"}
    claim = "ind(k(x) <= 1)*norm(Egiven(g(X, x), H) - E(g(X, x))) <= ind(k(x) <= 1)*q"
    with pytest.raises(ProofError, match="law at a constant"):
        fits(claim, "frozen distance of the mean", values, ("apart", "at a point"))


def test_an_intersection_needs_all_of_its_members():
    found = fits("ind(meet(at(A, t), t, 0, 4)) == 1", "all of an intersection", MEET | {"a": "0"}, ("members",))
    assert any(decide(o.claim, 2).status is not Status.PROVED for o in found)
