"""Textbook inequalities by what they need: vanishing bases, formulas as exponents, roots, terms in another order.

The rules that came with them, what they leave, and the wrong twins that they refuse.
"""

from __future__ import annotations

from typing import Any

import pytest
from sequents import left, rule
from slow import larger

from boundcheck.decide.scalar.engine import decide
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

PAIR = "sum(b**(n - k), k, 1, n)"
LEAVES: list[tuple[str, str, dict[str, Any], str, list[str]]] = [
    # all degrees are p, a formula: the gap has a factor s**p > 0
    ("a > b; b > 0; p > 0", "a**p - b**p <= (a - b)**p", rule("scale", weights={"a": "1", "b": "1"}, unit="a"), "",
     ["1 > b; b > 0; p > 0 |- 1**p - b**p <= (1 - b)**p"]),
    # whole for whole
    ("n >= k", "n >= 0", rule("substitute", var="n", new="t", by="k + t", inverse="n - k", facts=["t >= 0"]), "n k",
     ["k + t >= k; t >= 0 |- k + t >= 0 [k t]"]),
    # terms in the other order; a power with an exponent that is known to be >= 0 needs nothing of its base
    ("b >= 0; n >= 1", f"{PAIR} <= n", rule("reverse", term=PAIR, new="t", body="b**(t - 1)"), "n",
     ["b >= 0; n >= 1 |- sum(b**(t - 1), t, 1, n) <= n [n]"]),
    ("n >= 1", f"defined {PAIR}", rule("terms", term=PAIR, new="t"), "n", []),
    ("n >= 1", "defined sum(b**(2*(n - k)), k, 1, n)", rule("terms", term="sum(b**(2*(n - k)), k, 1, n)", new="t"),
     "n", []),
    ("n >= 1", "defined sum(b**(n - k - 1), k, 1, n)", rule("terms", term="sum(b**(n - k - 1), k, 1, n)", new="t"),
     "n", ["n >= 1; t >= 1; t <= n |- b != 0 [n t]"]),
    ("n >= 1", "defined sum(b**(n - k), k, 1, m)", rule("terms", term="sum(b**(n - k), k, 1, m)", new="t"),
     "n m", ["n >= 1; t >= 1; t <= m |- b != 0 [m n t]"]),
]  # fmt: skip
REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    # of two degrees: p and 1, p and q
    ("a > b; b > 0; p > 0", "a**p - b <= (a - b)**p", rule("scale", weights={"a": "1", "b": "1"}, unit="a"), ""),
    ("a > b; b > 0; p > 0", "a**p <= b**q", rule("scale", weights={"a": "1", "b": "1"}, unit="a"), ""),
    ("a > b; b > 0; p > 0", "a**p + 1 >= b**p", rule("scale", weights={"a": "1", "b": "1"}, unit="a"), ""),
    ("a > b; b > 1; p > 0", "a**p >= b**p", rule("scale", weights={"a": "1", "b": "1"}, unit="a"), ""),
    # a whole variable is no other formula of a whole one, and no whole formula of a real one
    ("n >= k", "n >= 0", rule("substitute", var="n", new="t", by="k + t/2", inverse="2*(n - k)"), "n k"),
    ("n >= x", "n >= 0", rule("substitute", var="n", new="t", by="x + t", inverse="n - x"), "n"),
    ("n >= 1", "n >= 0", rule("substitute", var="n", new="t", by="exp(t)", inverse="log(n)"), "n"),
    # another sum, an infinite one, one in which the new name has a meaning
    ("b > 0; n >= 1", f"{PAIR} <= n", rule("reverse", term=PAIR, new="t", body="b**t"), "n"),
    ("b > 0; n >= 1", f"{PAIR} <= n", rule("reverse", term=PAIR, new="t", body="b**(n - t)"), "n"),
    ("b > 0; n >= 1", f"{PAIR} <= n", rule("reverse", term=PAIR, new="n", body="b**(n - 1)"), "n"),
    (
        "b > 0; b < 1",
        "sum(b**k, k, 1, oo) <= 1",
        rule("reverse", term="sum(b**k, k, 1, oo)", new="t", body="b**t"),
        "",
    ),
]


@pytest.mark.parametrize(("where", "goal", "node", "integers", "wanted"), LEAVES)
def test_what_a_rule_leaves(where, goal, node, integers, wanted):
    assert left(where, goal, node, integers) == wanted


@pytest.mark.parametrize(("where", "goal", "node", "integers"), REFUSED)
def test_a_wrong_twin_is_refused(where, goal, node, integers):
    with pytest.raises(Refused):
        left(where, goal, node, integers)


FOUND = [
    ("(1 + x)**r <= 1 + r*x", "x >= -1; r > 0; r <= 1.01", "false"),
    ("a**p - b**p <= 0.99*(a - b)**p", "a >= b; b >= 0; p > 0; p <= 1", "false"),
    ("-x - c <= (-x)**p/c**(p - 1)", "c > 0; x < -c; p >= 1", ""),
    ("(1 - c/n)**n <= exp(-c)", "n >= 1; c >= 0; n - c <= 0; c <= n", ""),
    ("x <= b + sqrt(c)", "b >= 0; c >= 0; x**2 <= b*x + c", ""),
    ("x <= b/2 + sqrt(c)", "b >= 0; c >= 0; x**2 <= b*x + c", "false"),
    ("a/n + b/sqrt(n) <= eps", "a > 0; b > 0; eps > 0; n >= 2*a/eps; n >= 4*b**2/eps**2", ""),
    ("((n + 1)**(1 - a) - n**(1 - a))/(1 - a) >= 1.01*(n + 1)**(-a)", "a >= 0; a < 1; n >= 1", "false"),
    # one power of a quotient, by Bernoulli's inequality
    ("t**(-r) - (t + 1)**(-r) <= 0.99*r*t**(-r - 1)", "r > 0; t > 0", "false"),
    # the gap of a hypothesis as a variable: under a logarithm, with a tangent at a variable, and in a polynomial
    ("(a + d)*(c + f) - 1.01*(b + e)**2 >= 0", "a > 0; c > 0; d > 0; f > 0; a*c >= b**2; d*f >= e**2", "false"),
    # roots as factors of both sides; a root alone on its side
    ("sqrt(2 - 2*s/(a*b))*(a + b) <= 1.99*sqrt(a**2 + b**2 - 2*s)", "a > 0; b > 0; abs(s) <= a*b", "false"),
    ("sqrt(a**2 - b**2)*sqrt(c**2 - d**2) <= 0.99*(a*c - b*d)", "a >= b; b >= 0; c >= d; d >= 0", "false"),
    # the bound itself as antiderivative; refuted where the values are small
    ("integral(exp(-t)/t, t, x, oo) <= exp(-x)*log(1 + 1/x)", "x > 0", ""),
    ("integral(exp(-t)/t, t, x, oo) <= 0.99*exp(-x)*log(1 + 1/x)", "x > 0", "false"),
    # a factor held at an end
    ("integral(t**(a - 1)*exp(-t), t, x, oo) <= 0.99*x**(a - 1)*exp(-x)", "x > 0; a > 0; a <= 1", "false"),
    # a known integral with a formula as the power of t
    ("integral(exp(-t**a), t, 0, oo) == gamma(1 + 1/a)", "a > 0", ""),
]
WHOLE = [
    ("sum(b**(n - k), k, 1, n) <= 0.99/(1 - b)", "b >= 0; b < 1; n >= 1", "false"),
    ("gamma(n + 1)/(gamma(k + 1)*gamma(n - k + 1)) > 1", "k >= 0; n >= k", "false"),
    # sums beside others: differences of an antiderivative; the hypotheses on another variable left out
    ("sum(1/j, j, n + 1, 2*n) <= 0.99*log(2)", "n >= 1", "false"),
    ("log(k) - log(k - 1) >= 1.1/k", "n >= 1; k >= n + 1; k <= 2*n", "false"),
]
SECONDS = [  # what takes longer, most of it truths: what is false beside them stands above
    ("log(k) - log(k - 1) >= 1/k", "n >= 1; k >= n + 1; k <= 2*n", "", "n k"),
    ("integral(exp(-t**a), t, 0, oo) <= 0.99*gamma(1 + 1/a)", "a > 0", "false", ""),
    ("sum(b**(n - k), k, 1, n) <= 1/(1 - b)", "b >= 0; b < 1; n >= 1", "", "n k"),
    ("a/n + b/sqrt(n) <= eps", "a > 0; b > 0; eps > 0; n >= 2*a/eps; n >= 3.9*b**2/eps**2", "false", ""),
    ("log(x*y - z**2) <= x + y - 2.01", "x > 0; x*y > z**2", "false", ""),
    ("sqrt(a**2 - b**2)*sqrt(c**2 - d**2) <= a*c - b*d", "a >= b; b >= 0; c >= d; d >= 0", "", ""),
    ("sqrt(2 - 2*s/(a*b))*(a + b) <= 2*sqrt(a**2 + b**2 - 2*s)", "a > 0; b > 0; abs(s) <= a*b", "", ""),
    ("(1 + x)**r <= 1 + r*x", "x >= -1; r > 0; r <= 1", "", ""),
    ("a**p - b**p <= (a - b)**p", "a >= b; b >= 0; p > 0; p <= 1", "", ""),
    ("((n + 1)**(1 - a) - n**(1 - a))/(1 - a) >= (n + 1)**(-a)", "a >= 0; a < 1; n >= 1", "", ""),
    ("sum(1/j, j, n + 1, 2*n) <= log(2)", "n >= 1", "", "n k"),
    ("t**(-r) - (t + 1)**(-r) <= r*t**(-r - 1)", "r > 0; t > 0", "", ""),
    ("log(x*y - z**2) <= x + y - 2", "x > 0; x*y > z**2", "", ""),
    ("(a + d)*(c + f) - (b + e)**2 >= 0", "a > 0; c > 0; d > 0; f > 0; a*c >= b**2; d*f >= e**2", "", ""),
    ("integral(t**(a - 1)*exp(-t), t, x, oo) <= x**(a - 1)*exp(-x)", "x > 0; a > 0; a <= 1", "", ""),
    # a limit of a quotient with the bound variable below
    ("integral(exp(-t)/(1 + exp(-t))**2, t, x, oo) == 1/(1 + exp(x))", "x*x >= 0", "", ""),
    ("gamma(n + 1)/(gamma(k + 1)*gamma(n - k + 1)) >= 1", "k >= 0; n >= k", "", "n k"),
]


@pytest.mark.parametrize(
    ("claim", "where", "false", "integers"),
    [(*row, "") for row in FOUND] + [(*row, "n k") for row in WHOLE] + larger(SECONDS),
)
def test_the_claim_is_decided(claim, where, false, integers):
    names = {v for part in (claim, where) for v in ("n", "k") if v in part} & set(integers.split())
    asked = Claim("c", (parse_relation(claim),), tuple(map(parse_relation, where.split("; "))), frozenset(names))
    assert decide(asked, 8.0 if false else 20.0).status is (Status.REFUTED if false else Status.PROVED)


@pytest.mark.thorough
def test_a_factor_of_an_integral_may_be_a_number_without_a_numeral():
    """The comparison asked pi for its numeral, and the search ended there."""
    asked = Claim("c", (parse_relation("pi*integral(sin(t)**2/t**2, t, 1, oo) <= 4*pi"),), ())
    verdict = decide(asked, 4.0)
    assert verdict.status is Status.PROVED or "failed" not in verdict.reason
