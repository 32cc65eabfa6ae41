"""Powers with real exponents: x**t has no value for x < 0, whatever number t is, and x**2 has one.

Each lemma is false in the model that is named.
"""

from dataclasses import replace

import pytest
from holes import lemma, open_at, refused

from boundcheck.kernel.statement import Cite, Fact, Follows, Parameter, Step, Use

NAMES = {"f": "real -> real", "v": "vector", "g": "integer -> real"}
NEGATIVE, POSITIVE = ("x <= -1",), ("x >= 1",)


def _lemma(claim, by, said, x, whole=True):
    """``claim`` for that reason from the hypothesis ``said``, where n may be any integer, or any number."""
    names = (Parameter("c", "c", ()), Parameter("x", "x", x), Parameter("n", "n", (), whole))
    told = lemma("0 == 0", (Step(claim, by),), NAMES, {"h": said})
    return replace(told, parameters=names, claims=())


@pytest.mark.parametrize(
    ("said", "let", "claim"),
    [  # models: x = -1, c = 2, f = 0, v = 0, g = 2
        (Fact("c <= x**t", ("t",)), {"t": "2"}, "c <= x**2"),
        (Fact("c <= x**t", ("t",)), {"t": "2*n"}, "c <= x**(2*n)"),
        (Fact("c <= x**(t + r)", ("t", "r")), {"t": "1/2", "r": "3/2"}, "c <= x**2"),
        (Fact("at(g, k) <= x**(k/2)", ("k: integer",)), {"k": "4"}, "at(g, 4) <= x**2"),
        (Fact("c <= f(x**t)", ("t",)), {"t": "2"}, "c <= f(x**2)"),
        (Fact("c <= norm(x**t*v)", ("t",)), {"t": "2"}, "c <= norm(x**2*v)"),
        (Fact("c <= sum(f(x**(k*t)), k, 1, 3)", ("t",)), {"t": "2"}, "c <= sum(f(x**(k*2)), k, 1, 3)"),
        (Fact("c <= 0", ("t",), ("x**t >= 1",)), {"t": "2"}, "c <= 0"),
        (Fact("c <= x**t", ("t",)), {"t": "n**2"}, "c <= x**(n**2)"),
        (Fact("c <= x**(t**2)", ("t",)), {"t": "n"}, "c <= x**(n**2)"),
        (Fact("c <= f(x**min(t, 5/2))", ("t",)), {"t": "2"}, "c <= f(x**min(2, 5/2))"),
        (Fact("c <= x**n", ("n: real",)), {}, "c <= x**n"),
        (Fact("c <= f(x**n)", ("n: real",)), {}, "c <= f(x**n)"),
    ],
)
def test_no_value_of_a_name_makes_a_real_exponent_whole(said, let, claim):
    by = Follows((Use("h", let) if let else "h",))
    refused(_lemma(Fact(claim), by, said, NEGATIVE), 1, "may have no value")
    assert open_at(_lemma(Fact(claim), by, said, POSITIVE)) is None


@pytest.mark.parametrize(
    ("exponent", "whole"),
    [
        ("2*n/2", "n"),
        ("n/2 + n/2", "n"),
        ("n*(1/3)*3", "n"),
        ("n**2*2/2", "n**2"),
        ("n**2/2 + n**2/2", "n**2"),
        ("2*exp(0*n)", "(2*exp(0))"),
    ],
)
def test_nor_does_the_normal_form_of_what_is_assumed(exponent, whole):  # model: x = -1, n = 1, c = 1, f = 0
    for form in ("f(POWER)", "f(integral(t*POWER, t, 1, 2))", "norm(POWER*v)"):
        said, by = Fact("c <= " + form.replace("POWER", f"x**({exponent})")), Follows(("h",))
        claim = Fact("c <= " + form.replace("POWER", f"x**({whole})"))
        refused(_lemma(claim, by, said, NEGATIVE), 1, "may have no value")
        assert open_at(_lemma(claim, by, said, POSITIVE)) is None


@pytest.mark.parametrize("let", [{"n": "2"}, {}, {"n": "2*n"}])
def test_nor_does_a_citation_in_a_condition_of_a_claim(let):  # model: x = -1, n = 2, c = 1
    """h says nothing for x < 0, and the cited claim has a condition without a value there."""
    said = Fact("c <= 0", ("t",), ("x**t >= 1",))
    claim = Fact("c <= 0", (), ("x**n >= 1",))
    own = replace(_lemma(claim, Follows((Use("h", {"t": "n"}),)), said, (), False), label="lem:own", claims=(claim,))
    assert open_at(own) is None
    cited = Fact("c <= 0", (), (f"x**({let.get('n', 'n')}) >= 1",))
    refused(_lemma(cited, Cite("lem:own", let), said, NEGATIVE), 1, "may have no value", others=(own,))
    assert open_at(_lemma(cited, Cite("lem:own", let), said, POSITIVE), own) is None


def test_a_mean_says_that_its_powers_have_values():
    """E(X**t) <= c for all t says that X**t has a value almost surely."""
    said = Fact("E(X**t) <= c", ("t",))
    told = _lemma(Fact("E(X**2) <= c"), Follows((Use("h", {"t": "2"}),)), said, NEGATIVE)
    assert open_at(replace(told, declares={**NAMES, "X": "random real"})) is None
