"""A line is told false only where a world meets all hypotheses and breaks it; what is true is never told false."""

from fractions import Fraction

import pytest
from test_author_lines import MEANS, head, made

from boundcheck.author import adapter
from boundcheck.decide.worlds.world_search import Broken, counterexample
from boundcheck.kernel.statement import Fact
from boundcheck.paper import catalogue

RECURSION = head(
    'w = "integer -> real"',
    'step = "w[t + 1] <= (1 - q)*w[t] + c for integer t where t >= 0", start = "w[0] <= 1"',
    '"0 < q < 1", "c >= 0", "integer T >= 0"',
)
MARKOV = head('X = "random real"', 'mean = "E(X) == 1", sign = "X >= 0", integrable = "integrable(X) == 1"', '"a > 0"')
GAP = head(
    'v = "integer -> real"', 'falls = "v[t + 1] <= v[t] for integer t where t >= 1", start = "v[0] <= 0"',
    '"integer n >= 1"',
)  # fmt: skip
SECONDS = 1.0


def _found(header, claim, *over):
    elaboration, _ = made(header, "1 <= 1")
    return counterexample(elaboration.statement, Fact(claim, over), SECONDS)


def test_a_false_bound_of_a_recursion_is_broken_by_its_own_terms():
    """Computed again from the values that are told; the name w is the author's, not a sign."""
    found = _found(RECURSION, "at(w, T) <= (1 - q)**T + c/(2*q)")
    values = {name: Fraction(text) for name, text in found.values.items() if "[" not in name}
    q, c, T = values["q"], values["c"], int(values["T"])
    assert 0 < q < 1 and c >= 0 and T >= 0
    assert "step" in found.equal and "step" in str(found)
    w = Fraction(found.values["w[0]"]) if "start" not in found.equal else Fraction(1)
    assert w <= 1
    for _ in range(T):
        w = (1 - q) * w + c
    assert w > (1 - q) ** T + c / (2 * q)


@pytest.mark.parametrize(
    ("header", "claim", "holds"),
    [
        (RECURSION, "at(w, T) <= (1 - q)**T + c/q", True),
        (MARKOV, "P(X >= a) <= 1/a", True),
        (MARKOV, "P(X >= a) <= 1/(2*a)", False),
        (MEANS, "E(X - X) == 0", True),
        (GAP, "at(v, n) <= at(v, 1)", True),
        (GAP, "at(v, n) <= at(v, 0)", False),
    ],
)
def test_what_is_false_is_told_and_what_is_true_is_not(header, claim, holds):
    assert (_found(header, claim) is None) is holds


def test_no_world_contradicts_what_is_proved_and_one_breaks_an_assumption():
    known = catalogue()
    for label in ("lem:hp-shared-clipped-second", "lem:hp-shared-directional-to"):
        statement = next(s for name, s in known.items() if name.startswith(label))
        for fact in statement.claims:
            assert adapter.false_where(statement, fact, 0.3) == ""
    [assumed] = known["ass:Well-defined"].claims
    assert "fstar" in adapter.false_where(known["ass:Well-defined"], assumed, SECONDS)


def test_a_first_value_is_told_only_where_no_equation_gives_it():
    found = _found(RECURSION, "at(w, T) <= (1 - q)**T + c/(2*q)")
    assert "w[1]" not in found.values


def test_a_line_that_is_false_says_so_and_one_whose_reason_is_not_found_does_not():
    [wrong], [short] = (made(RECURSION, line)[0].faults for line in ("w[T] <= c", "w[T] <= (1 - q)**T + c/q"))
    assert "no reason found for w[T] <= c: it is false where" in wrong.fault
    assert "false" not in short.fault


def test_signs_and_uniform_numbers_are_explained_where_they_are_told():
    told = str(Broken({"X": "1 + w(1)", "U": "unit(1)"}))
    assert told.startswith("X = 1 + sign(1), U = uniform(1); ")
    assert "fair signs" in told and "(0, 1)" in told
    assert str(Broken({"X": "1"})) == "X = 1"


def test_vectors_are_told_to_be_numbers_and_arguments_are_those_of_the_value():
    header = head(
        'u = "vector", g = "integer, vector -> vector", b = "real, real, real, real -> real"', 'far = "norm(u) >= 1"'
    )
    told = str(_found(header, "norm(u) <= 1/2"))
    assert told.startswith("u = ") and told.endswith("vectors have dimension 1")
    values = _found(header, "norm(g(1, u)) + b(2, 1, 1, 1) <= -1").values
    assert {"g(k, y)", "b(k, j, i, k_0)"} <= values.keys()
    assert not {"y", "z"} & set(values["b(k, j, i, k_0)"]) and "k" not in values["g(k, y)"]
