"""Hypothesis strategies: random formulas and rational points, shared by the tests of the arithmetics."""

from __future__ import annotations

from fractions import Fraction

from hypothesis import strategies as st

from boundcheck.kernel.formula import Expr, call, num, var

NAMES = ("x", "y")
_UNARY = (
    "exp",
    "log",
    "sqrt",
    "abs",
    "sin",
    "cos",
    "atan",
    "tanh",
    "erf",
    "erfc",
    "cosh",
    "sinh",
    "gamma",
    "loggamma",
)


def rationals(low: int = -4, high: int = 4) -> st.SearchStrategy[Fraction]:
    return st.fractions(min_value=low, max_value=high, max_denominator=12)


def formulas(leaves: int = 8) -> st.SearchStrategy[Expr]:
    """Formulas in x and y with every kind of operation."""
    leaf = st.one_of(st.sampled_from(NAMES).map(var), rationals().map(num))

    def extend(inner: st.SearchStrategy[Expr]) -> st.SearchStrategy[Expr]:
        pair = st.tuples(inner, inner)
        return st.one_of(
            st.tuples(st.sampled_from(("add", "sub", "mul", "div")), pair).map(lambda t: Expr(t[0], t[1])),
            st.tuples(st.sampled_from(_UNARY), inner).map(lambda t: call(t[0], t[1])),
            st.tuples(st.sampled_from(("min", "max")), pair).map(lambda t: call(t[0], *t[1])),
            st.tuples(
                inner, st.sampled_from([num(2), num(3), num(-1), num(Fraction(1, 2)), num(Fraction(-3, 2))])
            ).map(lambda t: Expr("pow", t)),
            pair.map(lambda t: Expr("pow", t)),
        )

    return st.recursive(leaf, extend, max_leaves=leaves)
