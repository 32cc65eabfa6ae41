"""Terms of quadratic forms are what they are declared: no vector counts as a number, no definition as none."""

from __future__ import annotations

from dataclasses import replace

import pytest
from holes import lemma, refused

from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.decide.statements import decide_step
from boundcheck.kernel.formula import parse
from boundcheck.kernel.rate import Rate, RateError, expand
from boundcheck.kernel.statement import ByGram, Fact, Step
from boundcheck.verdict import Status

NAMES = {"y": "real", "v": "vector", "w": "vector", "f": "real -> real"}
LONG = {"a": "norm(y*v)**2 >= y**2", "b": "norm(y*w)**2 >= y**2"}


@pytest.mark.parametrize(
    ("vectors", "given", "times"),
    [
        (("y",), {**LONG, "o": "dot(y*v, y*w) == 0"}, ("w**2", "1", "v*w")),
        (("y",), {**LONG, "o": "dot(y*v, y*w) == 0"}, ()),
        (("y",), {"a": "y**2 >= 0"}, ("v",)),
        (("v",), {"a": "norm(v)**2*f(0) <= y", "b": "w == v"}, ()),
    ],
)
def test_a_vector_is_no_number_in_a_form(vectors, given, times):
    """Model: y = 1 and orthogonal unit vectors; with numbers v and w, where <v, w> is v w, y is 0."""
    step = Step(Fact("y**2 <= 0"), ByGram(vectors, tuple(given), times))
    false = lemma("y**2 <= 0", [step], NAMES, {k: Fact(told) for k, told in given.items()})
    refused(false, 1, "is a vector, and none of the vectors that the form is in")


@pytest.mark.parametrize(
    ("equal", "vectors", "claim"),
    [
        ("x == y", ("x", "y"), "E(norm(x)**2) <= E(norm(y)**2)"),
        ("x == y", ("x", "y"), "Egiven(norm(x)**2, H) <= Egiven(norm(y)**2, H)"),
        ("S == T", ("x",), "norm(x)**2 + E(S) <= norm(x)**2 + E(T)"),
    ],
)
def test_what_is_equal_for_some_outcomes_has_no_equal_mean_in_a_form(equal, vectors, claim):
    """Model: S = T = 0 and x = y = 0 on A; S = 1, T = 0, x != 0 and y = 0 elsewhere; H knows nothing."""
    random = {"x": "random vector", "y": "random vector", "S": "random real", "T": "random real", "A": "event"}
    names = {**random, "H": "information", "s": "real"}
    for where, proved in (("ind(A) == 1", False), ("s >= 1", True)):
        said = {"h": Fact(equal, (), (where,))}
        step = Step(Fact(claim, (), (where,)), ByGram(vectors, ("h",)))
        told = lemma("0 == 0", [step], names, said)
        if proved:
            assert decide_step(told, 1, step, {}.__getitem__, 10.0).status is Status.PROVED
        else:
            refused(told, 1, "nothing follows for a law under a condition on A")


@pytest.mark.parametrize(
    ("coefficient", "told"),
    [("x", "sums.F: x is no real"), ("g__x", "sums.F: names have no double underscore"), ("K*c", "")],
)
def test_the_coefficients_of_a_sum_are_numbers(coefficient, told):
    """With x*f for a point x the square of what says nothing is |x|^2."""
    functions, method = {"f": "any", "g": "convex"}, ("f(x) = 3", "c = 2/K")
    rate = Rate(
        "sorts", functions, ("x",), "F(x)**2 <= 9*norm(x)**2", method, (), ("K > 0",), {"F": f"{coefficient}*f"}
    )
    if told:
        with pytest.raises(RateError, match=told):
            expand(rate)
    else:
        assert decide_rate(replace(rate, claim="F(x)**2*norm(x)**2 <= 36*norm(x)**2")).status is Status.PROVED


@pytest.mark.parametrize("line", ["2*f'(x) = 0", "f(x) + f(y) = 0", "-f(x) = 0", "norm(x) = 0", "pi = 4", "E = 1"])
def test_a_definition_of_what_is_no_name_is_refused(line):
    """2*f'(x) = 0 was passed over: |f'(x)| <= 0 was refuted, though it follows."""
    rate = Rate("defined", {"f": "convex"}, ("x", "y"), "norm(f'(x))**2 <= 0", (line,))
    with pytest.raises(RateError, match="what is defined is a name or f'"):
        expand(rate)
    assert expand(replace(rate, method=("f'( x ) = 0",))).places["f__x"] == parse("0")


HALF = "dot(x, z) <= c*(norm(x)**2 + norm(z)**2)"


@pytest.mark.parametrize(
    ("value", "template"),
    [
        ("1/2", (HALF,)),  # sharp, and not what the step says
        ("1", ("norm(x - z)**2 <= 2*c*(norm(x)**2 + norm(z)**2)",)),
        ("1", (HALF, "q <= 5")),
        ("2", (HALF,)),
    ],
)
def test_a_best_constant_is_that_of_what_the_step_says(value, template):
    claim = "dot(x, z) <= norm(x)**2 + norm(z)**2"  # of slack 2

    def decided(sharp):
        step = Step(Fact(claim), ByGram(("x", "z"), sharp=sharp))
        return decide_step(lemma(claim, (step,), {"x": "vector", "z": "vector"}), 1, step, {}.__getitem__, 2.0, 2.0)

    found = decided({value: template})
    assert found.slack is None and found.status is Status.UNDECIDED and "the template says" in found.reason
    low, high = decided({"1": (HALF,)}).slack
    assert low <= 2 <= high < 2.001
