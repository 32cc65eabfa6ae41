"""Canonical proof terms: equal arguments of heads become one term, different ones do not."""

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcheck.decide.scalar.canonical import canonical, canonical_heads, linear_solution
from boundcheck.kernel.formula import num, parse, parse_relation, substitute


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("norm(x + mu*w*u - x)", "norm(mu*w*u)"),
        ("norm(a*(b - c))", "norm(a*b - a*c)"),
        ("P(abs(Y) > 4*S*(t/(4*S)))", "P(abs(Y) > t)"),
        ("E((a + b)**2)", "E(a**2 + 2*a*b + b**2)"),
    ],
)
def test_equal_terms_become_one(left, right):
    assert canonical_heads(parse(left, proof=True)) is canonical_heads(parse(right, proof=True))


@pytest.mark.parametrize(
    ("left", "right"),
    [
        ("norm(x - y)", "norm(x + y)"),
        ("P(abs(Y) > 4*S)", "P(abs(Y) >= 4*S)"),
        ("E(sqrt(a)**2)", "E(a)"),
        ("norm(2*x)", "2*norm(x)"),
    ],
)
def test_different_terms_stay_different(left, right):
    assert canonical_heads(parse(left, proof=True)) is not canonical_heads(parse(right, proof=True))


_TERMS = st.sampled_from(["x", "y", "x*y", "x - 2*y", "(x + y)**2", "x/3", "-(y - x)", "3*x**2 - y"])


@given(_TERMS, _TERMS, st.sampled_from(["+", "-", "*"]), st.integers(-9, 9), st.integers(-9, 9))
@settings(deadline=None, max_examples=150)
def test_canonical_form_keeps_the_value(a, b, op, x, y):
    e = parse(f"({a}) {op} ({b})")
    put = {"x": num(x), "y": num(y)}
    difference = canonical(substitute(e, put)) - canonical(substitute(canonical(e), put))
    assert difference is num(0)


def test_linear_solutions():
    assert linear_solution(parse_relation("2*o_ + a == b"), ["o_"]) == {"o_": canonical(parse("(b - a)/2"))}
    assert linear_solution(parse_relation("o_**2 == b"), ["o_"]) is None
    assert linear_solution(parse_relation("o_ + log(o_) == b"), ["o_"]) is None
    assert linear_solution(parse_relation("a*o_ == b"), ["o_"]) is None
