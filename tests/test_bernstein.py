"""Bernstein coefficients: the sum found is the polynomial, and its terms settle no sign that a point breaks."""

import itertools
from fractions import Fraction
from fractions import Fraction as F

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcheck.decide import decide
from boundcheck.decide.certificates import make
from boundcheck.decide.scalar.bernstein import bernstein, summands
from boundcheck.decide.scalar.prover import Prover
from boundcheck.kernel.certificate import goals, verify
from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.poly import fraction, to_expr
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.formula import num, parse, var
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status


def side(lo: Fraction | None, hi: Fraction | None, lo_open: bool = False, hi_open: bool = False) -> iv.Interval:
    low = iv.NINF if lo is None else iv.exact(lo).lower()
    return (low, iv.INF if hi is None else iv.exact(hi).upper(), lo_open or lo is None, hi_open or hi is None)


def nonnegative(form, box, strict):
    found = summands(form, box, strict)
    if found is None:
        return False
    total = sum((num(fraction(c)) * e for c, e in found), num(0))
    assert all(c > 0 for c, _ in found) and Algebra().is_zero(total - to_expr(form))
    return True


COEFFICIENTS = st.lists(st.integers(-3, 3), min_size=9, max_size=9)
ENDS = st.sampled_from(list(itertools.combinations(range(-2, 4), 2)) + [(k, None) for k in (-1, 0, 1)]
                       + [(None, k) for k in (-1, 0, 1)])  # fmt: skip


@settings(deadline=None, max_examples=200, derandomize=True)
@given(COEFFICIENTS, ENDS, ENDS, st.lists(st.booleans(), min_size=4, max_size=4))
def test_bernstein_coefficients_settle_no_sign_that_a_point_breaks(c, xs, ys, flags):
    gap = sum((num(k) * var("x") ** num(i % 3) * var("y") ** num(i // 3) for i, k in enumerate(c)), num(0))
    box = {"x": side(*xs, flags[0], flags[1]), "y": side(*ys, flags[2], flags[3])}
    form = Algebra().normal(gap).num
    weak, strict = nonnegative(form, box, False), nonnegative(form, box, True)
    assert weak or not strict

    def inside(ends: tuple[int | None, int | None], opened: list[bool]) -> list[Fraction]:
        lo = F(ends[0]) if ends[0] is not None else F(ends[1]) - 50
        hi = F(ends[1]) if ends[1] is not None else lo + 50
        found = [lo + (hi - lo) * k / 8 for k in range(9)] + [lo + F(1, 100), hi - F(1, 100)]
        return [
            x for x in found if not (x == lo and opened[0] and ends[0] is not None) and not (x == hi and opened[1])
        ]

    values = [
        sum(k * x ** (i % 3) * y ** (i // 3) for i, k in enumerate(c))
        for x in inside(xs, flags[:2])
        for y in inside(ys, flags[2:])
    ]
    assert not weak or min(values) >= 0
    assert not strict or min(values) > 0


@pytest.mark.parametrize(
    ("source", "x", "weak", "strict"),
    [
        ("x*(1 - x)", side(0, 1), True, False),
        ("x*(1 - x)", side(0, 1, True, True), True, True),
        ("x*(1 - x)", side(0, 1, True, False), True, False),
        ("x*(1 - x) + 1", side(0, 1), True, True),
        ("1 - x", side(None, 1), True, False),
        ("1 - x", side(0, 1), True, False),
        ("x", side(0, 1), True, False),
        ("-x", side(-1, 2), False, False),
        ("1 - x", side(-1, 2), False, False),
        ("2 - x", side(-1, 2), True, False),
        ("3 - x", side(-1, 2), True, True),
        ("-x**2", side(None, 0), False, False),
        ("x**2", side(None, 0), True, False),
        ("2 - x", side(None, 1), True, True),
        ("1 - x**3", side(None, 1), False, False),
        ("x", side(None, 1), False, False),
        ("x", side(None, None), False, False),
        ("x**2", side(0, None), True, False),
        ("x**2 + 1", side(0, None), True, True),
        ("x**2 - 2*x + 1", side(1, None), True, False),
        ("x**2 - 2*x + 1", side(F(1, 2), None), False, False),
        ("0", side(0, 1), True, False),
        ("0", side(0, 1, True, True), True, False),
        ("x**61", side(0, 1), False, False),
        ("1/x", side(1, 2), False, False),
        ("sqrt(x)", side(1, 2), False, False),
        ("log(x)", side(1, 2), True, False),
        ("log(x)", side(F(1, 2), 2), False, False),
    ],
)
def test_bernstein_in_one_variable(source, x, weak, strict):
    form = Algebra().normal(parse(source)).num
    assert (nonnegative(form, {"x": x}, False), nonnegative(form, {"x": x}, True)) == (weak, strict)


def test_bernstein_needs_every_side_open_for_what_vanishes_on_the_edge():
    form = Algebra().normal(parse("x*y")).num
    for flags in itertools.product((False, True), repeat=4):
        box = {"x": side(0, 1, *flags[:2]), "y": side(0, 1, *flags[2:])}
        assert nonnegative(form, box, False) and nonnegative(form, box, True) == all(flags)


@pytest.mark.parametrize(
    ("source", "strict"), [("y + x*y", False), ("y + x*y + 1", True), ("x + y", False), ("x*y + x + 1", True)]
)
def test_bernstein_with_a_side_without_end(source, strict):
    form = Algebra().normal(parse(source)).num
    box = {"x": side(0, 1), "y": side(0, None)}
    assert nonnegative(form, box, False) and nonnegative(form, box, True) == strict


UNIT = ("0 <= x", "x <= 1")


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("x*y - x - y + 11/10 > 0", (*UNIT, "0 <= y", "y <= 1")),
        ("x**2*y + x*y + 1 >= 0", (*UNIT, "0 <= y")),
        ("x*(2 - x)/(1 + x**2 + y**2) >= 0", ("0 <= x", "x <= 2", "y <= 0")),
        ("x**3 <= 0", ("x <= 0",)),
    ],
)
def test_what_the_coefficients_show_the_verifier_accepts_as_a_combination(claim, where):
    asked = Claim.read(claim, where)
    node = bernstein(Prover(20.0, ()), goals(asked)[-1], 6)
    check = verify(make(asked, [node]))
    assert check.valid, check.reason
    assert node["rule"] == "farkas"


def test_what_the_coefficients_do_not_show_on_the_whole_box_is_proved_otherwise():
    asked = Claim.read("x**2 - x + 7/25 > 0", UNIT)
    assert bernstein(Prover(20.0, ()), goals(asked)[-1], 6) is None
    assert decide(asked, 20.0).status is Status.PROVED
