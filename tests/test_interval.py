"""Interval arithmetic of search and verifier against balls; proofs of the rules, each with a wrong twin."""

from __future__ import annotations

from fractions import Fraction

import numpy as np
import pytest
from flint import arb, ctx, fmpq
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcheck.arith.boxes import enclose
from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.expansion import Expansion
from boundcheck.kernel.check.sequent import Sequent, propagate
from boundcheck.kernel.check.series import NoExpansion
from boundcheck.kernel.enclosure import balls
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.formula import parse, parse_relation

FORMULAS = ["x*y - y/x", "exp(x) - log(y)", "x**(1/3)*y**2", "sin(x)*cos(3*y)", "gamma(x) - loggamma(y)", "x**y",
            "erf(x) + erfc(y)", "tanh(x - y)", "abs(x - y)", "max(x, y) - min(x, 1/y)", "sqrt(x)/(1 + y)",
            "atan(x)*asin(y/9)",
            "cosh(x - 1) + sinh(y)", "x**-2 - y**-3", "floor(x) + ceil(y)"]  # fmt: skip
NUMBER = st.fractions(min_value=Fraction(1, 16), max_value=Fraction(8), max_denominator=64)


def box(**sides: tuple[Fraction, Fraction]) -> dict[str, iv.Interval]:
    return {v: (arb(fmpq(a.numerator, a.denominator)), arb(fmpq(b.numerator, b.denominator)), False, False)
            for v, (a, b) in sides.items()}  # fmt: skip


def dyadic(q: Fraction) -> Fraction:
    return Fraction(round(q * 1024), 1024)


@pytest.mark.parametrize("source", FORMULAS)
@settings(max_examples=25, deadline=None, derandomize=True)
@given(NUMBER, NUMBER, NUMBER, NUMBER, st.floats(0, 1), st.floats(0, 1))
def test_enclosures_hold_every_value(source, a, b, c, d, s, t):
    e = parse(source)
    xs, ys = sorted((dyadic(a), dyadic(b))), sorted((dyadic(c), dyadic(d)))
    x, y = xs[0] + dyadic(Fraction(s)) * (xs[1] - xs[0]), ys[0] + dyadic(Fraction(t)) * (ys[1] - ys[0])
    with ctx.workprec(96):
        whole = balls.enclose(e, box(x=tuple(xs), y=tuple(ys)))
        here = balls.enclose(e, box(x=(x, x), y=(y, y)))
        assert whole is not None and here is not None
        assert whole[0] <= here[1] and here[0] <= whole[1]
        env = {
            "x": (np.array([float(xs[0])]), np.array([float(xs[1])])),
            "y": (np.array([float(ys[0])]), np.array([float(ys[1])])),
        }
        lo, hi, ok = enclose(e, env)
        assert ok.all()
        assert arb(float(lo[0])) <= here[1] and here[0] <= arb(float(hi[0]))


@pytest.mark.parametrize(
    ("source", "low_open", "high_open"),
    [
        ("1 - x", True, False),
        ("x*(1 - x)", False, True),
        ("x**2", False, True),
        ("exp(-x)", True, False),
        ("x/(1 + x)", False, True),
    ],
)
def test_open_ends_are_tracked(source, low_open, high_open):
    half_open = {"x": (arb(0), arb(1), False, True)}
    value = balls.enclose(parse(source), half_open)
    assert (value[2], value[3]) == (low_open, high_open)
    closed = balls.enclose(parse(source), {"x": (arb(0), arb(1), False, False)})
    assert not closed[2] and not closed[3]


@pytest.mark.parametrize("source", ["1/x", "log(x)", "x**(-1/2)", "gamma(x)", "tan(2*x)", "asin(2*x)", "0**x", "x**x"])
def test_undefined_on_a_closed_box_is_none(source):
    assert balls.enclose(parse(source), {"x": (arb(0), arb(1), False, False)}) is None


def test_bounds_propagate_through_formulas():
    hyps = tuple(map(parse_relation, ["x**2 + y**2 < 4", "exp(z) <= x", "x > 0"]))
    out = propagate(hyps, dict.fromkeys("xyz", iv.ENTIRE))
    assert out["x"][1] <= 2 and out["y"][0] >= -2 and out["z"][1] < 1
    assert propagate((*hyps, parse_relation("x > 3")), dict.fromkeys("xyz", iv.ENTIRE)) is None


ZEROS = ["x**(p-1)*x - x**p", "8**(1/p) - 2**(3/p)", "exp(x)*exp(-x) - 1", "sqrt(2)**2 - 2", "log(8) - 3*log(2)",
         "sin(2*x) - 2*sin(x)*cos(x)", "(1+x)**(3/2) - (1+x)*sqrt(1+x)", "log(x*y**2*E) - 1 - log(x) - 2*log(y)",
         "cos(pi/3) - 1/2", "gamma(x + 1) - x*gamma(x)", "2**(1/log(2)) - E", "tan(x) - sin(x)/cos(x)",
         "sin(pi/10) - (sqrt(5) - 1)/4", "sin(pi/5)**2 - (5 - sqrt(5))/8"]  # fmt: skip


@pytest.mark.parametrize("source", ZEROS)
def test_exact_zeros_and_their_twins(source):
    algebra = Algebra(lambda e: e.op == "var")
    assert algebra.is_zero(parse(source))
    assert not algebra.is_zero(parse(f"{source} + 1e-30"))
    with ctx.workprec(160):
        value = balls.enclose(parse(source), {v: (arb(0.7), arb(0.7), False, False) for v in ("x", "y", "p")})
    assert value[0] <= 0 <= value[1]


EXPANSIONS = [("x - sin(x)", "0", 1, 1), ("exp(x) - 1 - x - x**2/2", "0", 1, 1), ("x*log(x)", "0", 1, -1),
              ("log(x) - sqrt(x)", None, 1, -1), ("loggamma(x+1) - log(2*pi*x)/2 - x*log(x) + x", None, 1, 1),
              ("erfc(x) - exp(-x**2)/(x*sqrt(pi))", None, 1, -1), ("atan(x) - pi/2*tanh(x)", None, 1, -1),
              ("asin(x) - pi*x/2", "1", -1, -1), ("gamma(x) - 1/x", "0", 1, -1), ("E - (1 + 1/x)**x", None, 1, 1),
              ("log(1 + exp(x)) - x", None, 1, 1), ("exp(x) - x**E", "E", 1, 1)]  # fmt: skip


@pytest.mark.parametrize(("source", "at", "side", "sign"), EXPANSIONS)
def test_expansions_agree_with_balls(source, at, side, sign):
    e = parse(source)
    width = Fraction(1, 64)
    with ctx.workprec(96):
        point = None if at is None else parse(at)
        assert Expansion(Algebra(), {}, "x", point, side, width).sign(e) == sign
        assert Expansion(Algebra(), {}, "x", point, side, width).sign(-e) == -sign
    with ctx.workprec(4000):
        for k in range(6, 11):
            h = arb(1) / 2**k
            base = balls.enclose(point, {})[0] if point is not None else None
            x = side / h if point is None else (base + side * h).mid()
            value = balls.enclose(e, {"x": (x, x, False, False)})
            assert (value[0] > 0) if sign > 0 else (value[1] < 0)


def test_an_expansion_never_decides_what_cancels():
    tail = "sin(x) - x + x**3/6 - x**5/120 + x**7/5040 - x**9/362880 + x**11/39916800 - x**13/6227020800"
    with ctx.workprec(96), pytest.raises(NoExpansion):
        Expansion(Algebra(), {}, "x", parse("0"), 1, Fraction(1, 8)).sign(parse(tail))


def test_sequents_know_their_box():
    seq = Sequent(
        (parse_relation("0 < x"), parse_relation("x < y"), parse_relation("y <= 1")), parse_relation("x < 2")
    )
    assert seq.box["x"][1] == 1 and seq.box["x"][3]
