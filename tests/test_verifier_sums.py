"""Rules of the verifier for sums of terms of known sign, weighted means, new names and edges."""

from __future__ import annotations

from typing import Any

import pytest
from sequents import left, rule

from boundcheck.decide.certificates import make
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.kernel.statement import Claim


def means(*terms: tuple[str, str]) -> dict[str, Any]:
    return rule("means", terms=[{"weight": w, "value": v} for w, v in terms])


def farkas(*terms: dict[str, Any], **fields: str) -> dict[str, Any]:
    return rule("farkas", terms=list(terms), **fields)


#: (domain, goal, node, what is left to prove)
LEAVES: list[tuple[str, str, dict[str, Any], list[str]]] = [
    # squares, and signs that are goals of their own
    ("", "x**2 + y**2 >= 2*x*y", farkas({"c": "1", "square": "x - y"}), []),
    ("x >= 0", "x*y**2 >= 0", farkas({"c": "1", "times": "x", "square": "y"}), []),
    ("x >= 0", "x*y >= 0", farkas({"c": "1", "times": "y", "hyps": [0]}), ["x >= 0 |- y >= 0"]),
    ("", "z*(x - y)**2 >= 0", farkas({"c": "2", "times": "z/2", "square": "x - y"}), [" |- z/2 >= 0"]),
    ("", "y >= 0", farkas({"c": "1", "square": "y"}, scale="y"), [" |- y > 0"]),
    ("", "x**2/y**2 >= 0", farkas({"c": "1", "square": "x/y"}), [" |- y != 0"]),
    ("x == 0", "x/y >= 0", farkas({"c": "1", "times": "1/y", "hyps": [0]}), ["x == 0 |- y != 0"]),
    # means
    ("x >= 0; y >= 0", "sqrt(x*y) <= 1", means(("1/2", "x"), ("1/2", "y")),
     ["x >= 0; y >= 0; x**(1/2)*y**(1/2) <= 1/2*x + 1/2*y |- sqrt(x*y) <= 1"]),
    ("x > 0; y > 0", "x >= t", means(("t", "x"), ("1 - t", "y")),
     ["x > 0; y > 0 |- t >= 0", "x > 0; y > 0 |- 1 - t >= 0",
      "x > 0; y > 0; x**t*y**(1 - t) <= t*x + (1 - t)*y |- x >= t"]),
    ("t >= 0; t <= 1", "x >= 1", means(("t", "x"), ("1 - t", "1")),
     ["t >= 0; t <= 1 |- x >= 0", "t >= 0; t <= 1 |- x > 0",
      "t >= 0; t <= 1; x**t*1**(1 - t) <= t*x + (1 - t) |- x >= 1"]),
    # a strict case
    ("x >= 0", "x >= 0", rule("case", on="x", strict=True), ["x >= 0; x > 0 |- x >= 0", "x >= 0; x <= 0 |- x >= 0"]),
    ("x != 0", "x**2 > 0", rule("case", on="x", strict=True),
     ["x != 0; x > 0 |- x**2 > 0", "x != 0; x < 0 |- x**2 > 0"]),
    # powers of both sides
    ("x >= 0; y >= 0", "x <= y", rule("monotone", fn="power", exponent="3"), ["x >= 0; y >= 0 |- x**3 <= y**3"]),
    ("x > 0; p != 1", "x < y", rule("monotone", fn="power", exponent="p"),
     ["x > 0; p != 1 |- p > 0", "x > 0; p != 1 |- y > 0", "x > 0; p != 1 |- y >= 0", "x > 0; p != 1 |- x**p < y**p"]),
    # a value that is put in
    ("x >= 0; x <= 0", "x*y >= 0", rule("substitute", var="x", new="t", by="0", inverse="x"),
     ["0 >= 0; 0 <= 0 |- 0*y >= 0"]),
    ("x**2 == 1", "x >= 0", rule("substitute", var="x", new="t", by="1", inverse="x"),
     ["x**2 == 1 |- 1 == x", "1**2 == 1 |- 1 >= 0"]),
    ("x >= 0", "x >= 0", rule("substitute", var="x", new="t", by="t**2", inverse="x"),
     ["x >= 0 |- x**2 == x", "t**2 >= 0 |- t**2 >= 0"]),
    # a new name
    ("", "sqrt(x**2 + 1) >= x", rule("let", term="sqrt(x**2 + 1)", new="t", facts=["t >= 0", "t**2 == x**2 + 1"]),
     [" |- sqrt(x**2 + 1)**2 == x**2 + 1", "t >= 0; t**2 == x**2 + 1 |- t >= x"]),
    ("x >= 1", "sqrt(x) >= 0", rule("let", term="sqrt(x)", new="t", facts=["t >= 2"]),
     ["x >= 1 |- sqrt(x) >= 2", "x >= 1; t >= 2 |- t >= 0"]),
    ("", "1/x >= 0", rule("let", term="1/x", new="t", facts=[]), [" |- x != 0", " |- t >= 0"]),
    # a sign that has no proof
    ("", "-x**2 >= 0", farkas({"c": "1", "times": "-1", "square": "x"}), [" |- -1 >= 0"]),
    ("x >= 1; y >= 1", "x >= 0", means(("2", "x"), ("-1", "y")),
     ["x >= 1; y >= 1 |- -1 >= 0", "x >= 1; y >= 1; x**2*y**(-1) <= 2*x + (-1)*y |- x >= 0"]),
]  # fmt: skip


@pytest.mark.parametrize(("where", "goal", "node", "wanted"), LEAVES)
def test_a_rule_leaves_exactly_this(where, goal, node, wanted):
    assert left(where, goal, node) == wanted


#: (domain, goal, node): false somewhere, or malformed
REFUSED: list[tuple[str, str, dict[str, Any]]] = [
    ("", "x**2 + y**2 >= 2.001*x*y", farkas({"c": "1", "square": "x - y"})),
    ("", "x**2 > 0", farkas({"c": "1", "square": "x"})),
    ("", "-x**2 >= 0", farkas({"c": "-1", "square": "x"})),
    ("", "x >= 0", farkas({"c": "1", "square": "x"}, scale="0")),
    ("", "x >= 0", farkas({"c": "1", "square": "z"}, scale="z")),
    ("", "x**2 >= 0", farkas({"c": "1", "times": "z", "square": "x"})),
    # weights that do not add up to 1, twice the mean, the other way round
    ("x >= 0; y >= 0", "x >= 0", means(("1/2", "x"), ("0.499", "y"))),
    ("x >= 0; y >= 0", "x >= 0", means(("1", "x"), ("1", "y"))),
    ("x >= 0; y >= 0", "x >= 0", means(("t", "x"), ("1 - s", "y"))),
    ("x >= 0", "x >= 0", means(("1/2", "x"), ("1/2", "z"))),
    ("x >= 0", "x >= 0", rule("means", terms=["x"])),
    ("x >= 0", "x >= 0", rule("means", terms=[])),
    ("x >= 0", "x >= 0", rule("means", terms=[{"weight": "1/13", "value": "x"}] * 13)),
    # names and powers
    ("x >= 0", "x <= y", rule("monotone", fn="power", exponent="z")),
    ("x >= 0", "sqrt(x) >= 0", rule("let", term="sqrt(x)", new="x", facts=[])),
    ("x >= 0", "sqrt(x) >= 0", rule("let", term="sqrt(z)", new="t", facts=[])),
    ("x >= 0", "sqrt(x) >= 0", rule("let", term="sqrt(x)", new="t", facts=["z >= 0"])),
    ("x >= 0", "sqrt(x) >= 0", rule("let", term="sqrt(x)", new="t 1", facts=[])),
]  # fmt: skip


@pytest.mark.parametrize(("where", "goal", "node"), REFUSED)
def test_a_rule_refuses(where, goal, node):
    with pytest.raises(Refused):
        left(where, goal, node)


def test_a_whole_certificate_by_means_and_its_twin():
    def claim(bound: str) -> Claim:
        where = (parse_relation("x > 0"), parse_relation("y > 0"))
        return Claim("c", (parse_relation(f"sqrt(x*y) <= {bound}"),), where, frozenset())

    proof = {**means(("1/2", "x"), ("1/2", "y")), "then": [farkas({"c": "1", "hyps": [2]})]}
    good, twin = claim("(x + y)/2"), claim("0.4999*(x + y)")
    assert verify(make(good, [proof]), good).valid
    assert not verify(make(twin, [proof]), twin).valid


@pytest.mark.parametrize(
    ("one", "other", "same"),
    [
        ("b**(p/(p - 1)*(1 - 1/p))", "b", True),
        ("b**(p/(p - 1))", "b*b**(1/(p - 1))", True),
        ("x**(3*q/(2*q + 1))", "x**(3/2 - 3/2/(2*q + 1))", True),
        ("x**(1/(p*(1 - p)))", "x**(1/p)*x**(1/(1 - p))", False),
        ("b**(p/(p - 1)*(1 - 1/p))", "b**2", False),
        ("b**(p/(p - 1))", "b*b**(1/(p - 2))", False),
        ("x**(1/p/(p + 2))", "x**(1/2/p - 1/2/(p + 2))", True),
        ("x**(1/p/(p + 2))", "x**(1/2/p + 1/2/(p + 2))", False),
    ],
)
def test_exponents_are_compared_by_partial_fractions(one, other, same):
    """False is no proof that they differ; a product of two sums in a denominator is not taken apart."""
    algebra = Algebra(lambda e: True)
    assert algebra.is_zero(parse(one) - parse(other)) is same
