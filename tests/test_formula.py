"""The grammar: what is read, what is refused and with which words, and that printing reads back."""

from fractions import Fraction

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcheck.formula import (
    Expr,
    FormulaError,
    call,
    num,
    parse,
    parse_relation,
    parse_relations,
    substitute,
    text,
    var,
)

LEAVES = st.one_of(
    st.builds(num, st.fractions(min_value=-50, max_value=50, max_denominator=40)),
    st.sampled_from([var("x"), var("y"), var("tau")]),
)
EXPRESSIONS = st.recursive(
    LEAVES,
    lambda inner: st.one_of(
        st.builds(lambda a, b, op: Expr(op, (a, b)), inner, inner, st.sampled_from(["add", "sub", "mul"])),
        st.builds(lambda a: Expr("neg", (var("z"), a)[:1]), inner),
        st.builds(lambda a: call("exp", a), inner),
        st.builds(lambda a, b: call("max", a, b), inner, inner),
        st.builds(lambda a: Expr("pow", (a, var("p"))), inner),
    ),
    max_leaves=12,
)


@given(EXPRESSIONS)
@settings(deadline=None, max_examples=300)
def test_printing_reads_back_to_the_same_object(e):
    assert parse(text(e)) is e


@pytest.mark.parametrize(
    ("source", "value"),
    [("0.1", Fraction(1, 10)), ("1e-6", Fraction(1, 10**6)), ("3/4", Fraction(3, 4)), ("-.5", Fraction(-1, 2))],
)
def test_numerals_are_exact_rationals(source, value):
    assert parse(source) is num(value)


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("-x**2", "-(x**2)"),
        ("x**y**z", "x**(y**z)"),
        ("a/b*c", "(a/b)*c"),
        ("a - b - c", "(a - b) - c"),
        ("x**-2", "x**(-2)"),
        ("--x", "x"),
    ],
)
def test_precedence(left, right):
    assert parse(left) is parse(right)
    assert parse("a - (b - c)") is not parse("a - b - c")


def test_a_chain_is_a_conjunction():
    assert [str(r) for r in parse_relations("0 < x <= y")] == ["0 < x", "x <= y"]
    with pytest.raises(FormulaError, match="not a chain"):
        parse_relation("0 < x <= y")


@pytest.mark.parametrize(
    ("source", "words"),
    [
        ("x^2 < 1", "column 2.*write \\*\\*"),
        ("2 x < 1", "column 3.*product is written"),
        ("sin x < 1", "wants its arguments in parentheses"),
        ("log(2 < x", "column 7.*'\\)' expected"),
        ("ln(x) < 1", "did you mean log"),
        ("oo < x", "only as an end"),
        ("1e999 < x", "exponent 999"),
        ("2**3**4**5 < x", "constant power"),
        ("x**1000**2 < 1", "refused|at most"),
        ("(" * 500 + "x" + ")" * 500 + " < 1", "nesting deeper"),
        ("1" * 1000 + " < x", "numeral of 1000 digits"),
        ("x.__class__ < 1", "column 2"),
        ("x < 1; import os", "column 6"),
        ("max(x) < 1", "two or more"),
        ("sum(k, 2, 0, 3) < 1", "sum is written"),
        ("x", "a relation"),
    ],
)
def test_refusals_say_where_and_what_to_do(source, words):
    with pytest.raises(FormulaError, match=words):
        parse_relations(source)


def test_proof_heads_only_in_proofs():
    parse("P(abs(Z) > t)", proof=True)
    with pytest.raises(FormulaError, match="unknown function P"):
        parse("P(x)")


def test_substitution_refuses_capture():
    e = parse("integral(t*x, t, 0, 1)")
    assert substitute(e, {"x": var("y")}) is parse("integral(t*y, t, 0, 1)")
    assert substitute(e, {"t": var("y")}) is e
    with pytest.raises(FormulaError, match="capture"):
        substitute(e, {"x": var("t")})
    assert e.free == {"x"}
