"""Chords of convex functions as hypotheses: what the verifier accepts; ratios of gamma functions decided by them."""

from __future__ import annotations

import pytest
from mpmath import mp
from sequents import left, rule, sequent, show
from slow import more

from boundcheck.claims import as_claim
from boundcheck.decide import decide
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.verdict import Status

MID = {"fn": "exp", "from": "x", "to": "y", "weight": "1/2", "at": "(x + y)/2"}


@pytest.mark.parametrize("name", [n for n, f in TABLE.items() if f.convex is not None])
def test_what_is_called_convex_is_so(name):
    f, value = TABLE[name], getattr(mp, name)
    low = {"-oo": -8, "-1": -1, "0": 0, "1": 1, "-1/E": -mp.exp(-1)}[f.low] if "gamma" not in name else 0
    for k in range(1, 40):
        a, b = low + mp.mpf(k) / 7, low + mp.mpf(k) / 7 + mp.mpf(k % 5 + 1) / 9
        below = value((a + b) / 2) - (value(a) + value(b)) / 2
        assert below < 0 if f.convex else below > 0


@pytest.mark.parametrize("name", ["sin", "tanh", "asin", "atan", "erf", "sinc", "asinh", "abs", "floor"])
def test_of_others_no_chord_is_known(name):
    assert TABLE[name].convex is None
    with pytest.raises(Refused, match="known to be convex or concave"):
        refine(rule("jensen", **{**MID, "fn": name}), sequent("x >= 0; y >= 0", "x + y >= 0"))


@pytest.mark.parametrize(
    ("domain", "node", "leaves"),
    [
        ("x >= 0; y >= 0", MID, ["x >= 0; y >= 0; exp((x + y)/2) <= 1/2*exp(x) + 1/2*exp(y) |- x + y >= 0"]),
        ("x > 0; y > 0", {**MID, "fn": "log"},
         ["x > 0; y > 0; log((x + y)/2) >= 1/2*log(x) + 1/2*log(y) |- x + y >= 0"]),
        ("x > 0; y > 0", {**MID, "fn": "gamma", "strict": True},
         ["x > 0; y > 0 |- x != y",
          "x > 0; y > 0; gamma((x + y)/2) < 1/2*gamma(x) + 1/2*gamma(y) |- x + y >= 0"]),
        # where it is not known to be defined, or the weight not to be one, that is to be shown
        ("x >= 0; y > 0", {**MID, "fn": "log"},
         ["x >= 0; y > 0 |- x > 0",
          "x >= 0; y > 0; log((x + y)/2) >= 1/2*log(x) + 1/2*log(y) |- x + y >= 0"]),
        ("x >= y; y >= 2", {**MID, "weight": "x", "at": "(1 - x)*x + x*y"},
         ["x >= y; y >= 2 |- 1 - x >= 0",
          "x >= y; y >= 2; exp((1 - x)*x + x*y) <= (1 - x)*exp(x) + x*exp(y) |- x + y >= 0"]),
    ],
)  # fmt: skip
def test_a_chord_joins_the_hypotheses_under_its_conditions(domain, node, leaves):
    assert left(domain, "x + y >= 0", rule("jensen", **node)) == leaves


@pytest.mark.parametrize(
    ("change", "reason"),
    [
        ({"at": "(x + 2*y)/3"}, "not the weighted mean"),
        ({"at": "x"}, "not the weighted mean"),
        ({"weight": "z"}, "a formula in known variables is wanted"),
        ({"from": "z", "at": "(z + y)/2"}, "a formula in known variables is wanted"),
        ({"fn": 3}, "known to be convex"),
        ({"fn": None}, "known to be convex"),
        ({"weight": None}, "a formula text is wanted"),
    ],
)
def test_no_other_chord_is_accepted(change, reason):
    with pytest.raises(Refused, match=reason):
        refine(rule("jensen", **{**MID, **change}), sequent("x >= 0; y >= 0", "x + y >= 0"))


@pytest.mark.parametrize("weight", ["2", "-1"])
def test_a_weight_beyond_one_leaves_what_cannot_be_shown(weight):
    """A line through two points lies below a convex function outside of them."""
    node = {**MID, "weight": weight, "at": f"(1 - ({weight}))*x + ({weight})*y"}
    leaves = [show(s) for s in refine(rule("jensen", **node), sequent("x >= 0; y >= 0", "x + y >= 0"))]
    assert any(" |- 1 - 2 >= 0" in s or " |- (-1) >= 0" in s or " |- -1 >= 0" in s for s in leaves), leaves


@pytest.mark.parametrize(
    ("claim", "where", "status"),
    [
        ("gamma(x + s) <= x**s*gamma(x)", ["x > 0", "0 < s < 1"], "PROVED"),  # Wendel 1948
        ("gamma(x + s) <= 0.99*x**s*gamma(x)", ["x > 0", "0 < s < 1"], "REFUTED"),
        more("(x/(x + s))**(1 - s) <= gamma(x + s)/(x**s*gamma(x))", ["x > 0", "0 < s < 1"], "PROVED"),
        more("1.01*(x/(x + s))**(1 - s) <= gamma(x + s)/(x**s*gamma(x))", ["x > 0", "0 < s < 1"], "REFUTED"),
        ("gamma(x + 1)/gamma(x + s) < (x + s)**(1 - s)", ["x > 0", "0 < s < 1"], "PROVED"),
        ("gamma(x + 1)/gamma(x + s) < (x + s/2)**(1 - s)", ["x > 0", "0 < s < 1"], "REFUTED"),
        more("x**(1 - s) < gamma(x + 1)/gamma(x + s)", ["x > 0", "0 < s < 1"], "PROVED"),  # Gautschi 1959
        more("gamma(n + z + 1)/gamma(n + 1)*n**(-z) >= 1", ["1 <= n <= 50", "0 <= z <= 1"], "PROVED"),
        ("gamma(n + z + 1)/gamma(n + 1) >= (n + 11/10*z)**z", ["1 <= n", "0 <= z <= 1"], "REFUTED"),
        ("gamma(k + 1/2)*sqrt(k) <= gamma(k + 1)", ["k >= 1"], "PROVED"),
        ("gamma(k + 1/2)*sqrt(k + 1/3) <= gamma(k + 1)", ["k >= 1"], "REFUTED"),
        ("loggamma(x + 1/2) <= loggamma(x) + log(x)/2", ["x > 0"], "PROVED"),
    ],
)
def test_ratios_of_gamma_functions(claim, where, status):
    read = as_claim(claim, where)
    verdict = decide(read, 10.0)
    assert verdict.status is Status(status), verdict.reason
    assert verdict.status is not Status.PROVED or verify(verdict.certificate, read).valid
