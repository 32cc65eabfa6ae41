"""Integrals and sums in balls, with parameters in body and ends: every value inside, none where undefined."""

from __future__ import annotations

import math
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq

from boundcheck.kernel.clock import budget
from boundcheck.kernel.enclosure import integrals, series_sums
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import parse

F = Fraction


def side(lo: Fraction | float, hi: Fraction | float, lo_open: bool = False, hi_open: bool = False) -> iv.Interval:
    def end(x: Fraction | float) -> arb:
        if x in (math.inf, -math.inf):
            return iv.INF if x > 0 else iv.NINF
        return arb(fmpq(F(x).numerator, F(x).denominator))

    return (end(lo).lower(), end(hi).upper(), lo_open, hi_open)


def value(text: str, **box: tuple) -> iv.Interval | None:
    with ctx.workprec(64), budget(20):
        return enclose(parse(text), {v: side(*a) for v, a in box.items()})


#: text, box, some values that are attained, how wide the enclosure may be beyond them (None: it may be unknown)
INSIDE = [
    ("integral(t, t, p, q)", {"p": (0, 0), "q": (2, 2)}, [2], 1e-9),
    ("integral(t, t, p, q)", {"p": (2, 2), "q": (0, 0)}, [-2], 1e-9),
    ("integral(t, t, p, q)", {"p": (1, 1), "q": (1, 1)}, [0], 1e-9),
    ("integral(t, t, p, q)", {"p": (0, 1), "q": (2, 3)}, [1.5, 4.5, 2, 4], 2.5),
    ("integral(t, t, p, q)", {"p": (2, 3), "q": (0, 1)}, [-1.5, -4.5, -2], 2.5),
    ("integral(t, t, p, q)", {"p": (0, 2), "q": (1, 3)}, [4.5, -1.5, 0], 9),
    ("integral(t - 5, t, p, q)", {"p": (0, 2), "q": (2, 3)}, [0, -10.5], 9),
    ("integral(1/t, t, p, q)", {"p": (1, 2), "q": (3, 4)}, [math.log(4), math.log(1.5)], 1),
    ("integral(1/t, t, p, q)", {"p": (1, 3), "q": (2, 4)}, [math.log(4), -math.log(1.5)], 4),
    ("integral(t**a, t, 1, q)", {"a": (-1, -1), "q": (2, 3)}, [math.log(2), math.log(3)], 1),
    ("integral(t, t, p, q)", {"p": (0, 1), "q": (0, 1)}, [0, 0.5, -0.5], 1.5),
    ("integral(t**a, t, 2, q)", {"a": (-1, -1), "q": (3, 3)}, [math.log(1.5)], 1e-9),
    ("integral(t**a, t, 2, q)", {"a": (2, 2), "q": (3, 3)}, [19 / 3], 1e-9),
    ("integral(2**t*t**t, t, 1, 2)", {}, [6.39409342398335], 1),
    ("integral(t**a, t, 1, 2)", {"a": (1, 2)}, [1.5, 7 / 3], 4),
    ("integral(t**a, t, 1, 2)", {"a": (-2, 0)}, [1, 0.5, math.log(2)], 4),
    ("integral(t**(-2), t, 1, q)", {"q": (F(10) ** 30, F(10) ** 40)}, [1], 1e-9),
    ("integral(abs(t - a), t, 0, 1)", {"a": (0, 1)}, [0.5, 0.25], 2),
    ("integral(abs(t - a), t, 0, 1)", {"a": (F(1, 3), F(1, 3))}, [5 / 18], 1e-9),
    ("integral(floor(t), t, 0, q)", {"q": (F(5, 2), F(5, 2))}, [2], 1e-6),
    ("integral(max(t, 1 - t), t, 0, 1)", {}, [0.75], 1e-9),
    ("integral(min(t, a), t, 0, 2)", {"a": (1, 1)}, [1.5], 1e-9),
    ("integral(exp(-a*t), t, 0, 1)", {"a": (1, 2)}, [1 - math.exp(-1), (1 - math.exp(-2)) / 2], 1),
    ("integral(exp(-a*t), t, 0, oo)", {"a": (1, 2)}, [1, 0.5], 2),
    ("integral(exp(a*t), t, -oo, 0)", {"a": (1, 2)}, [1, 0.5], 2),
    ("integral(exp(-t), t, p, oo)", {"p": (0, 1)}, [1, math.exp(-1)], 1.5),
    ("integral(exp(t), t, -oo, q)", {"q": (-1, 0)}, [1, math.exp(-1)], 1.5),
    ("integral(exp(-t), t, p, oo)", {"p": (-2, -2)}, [math.exp(2)], 1e-6),
    ("integral(exp(-t), t, oo, 0)", {}, [-1], 1e-6),
    ("integral(exp(-t**2), t, oo, -oo)", {}, [-math.sqrt(math.pi)], 1e-6),
    ("integral(exp(-t**2), t, -oo, oo)", {}, [math.sqrt(math.pi)], 1e-6),
    ("integral(1/t**2, t, p, oo)", {"p": (1, 2)}, [1, 0.5], 1.5),
    ("integral(1/sqrt(t), t, 0, q)", {"q": (1, 4)}, [2, 4], 3),
    ("integral(1/sqrt(t), t, q, 0)", {"q": (4, 4)}, [-4], 1e-6),
    ("integral(1/sqrt(a - t), t, 0, a)", {"a": (4, 4)}, [4], 1e-6),
    ("integral(1/sqrt(a - t), t, 0, a)", {"a": (3, 4)}, [4, 2 * math.sqrt(3)], None),
    ("integral(1/sqrt(t - a), t, a, 2)", {"a": (-1, -1)}, [2 * math.sqrt(3)], 1e-6),
    ("integral(1/sqrt(1 - t**2), t, -1, 1)", {}, [math.pi], 1e-6),
    ("integral(log(t), t, 0, q)", {"q": (1, 1)}, [-1], 1e-6),
    ("integral(t**(-a), t, 0, 1)", {"a": (F(1, 4), F(1, 2))}, [4 / 3, 2], 3),
    ("integral(t**(-a)*exp(-t), t, 0, oo)", {"a": (F(1, 2), F(1, 2))}, [math.sqrt(math.pi)], 1e-6),
    ("integral(sinc(t)*t, t, 0, p)", {"p": (1, 1)}, [1 - math.cos(1)], 1e-9),
    ("integral((-2)**m*t**m, t, -1, 1)", {"m": (2, 2)}, [8 / 3], None),
    ("integral(t**2, t, 1/3, 2/3)", {}, [7 / 81], 1e-12),
    ("integral(sin(t)/t, t, 0, 1)", {}, [0.946083070367183], 1e-9),
    ("sum(k, k, 1, 10)", {}, [55], 1e-9),
    ("sum(k, k, 3, 3)", {}, [3], 1e-9),
    ("sum(1/k, k, 3, 2)", {}, [0], 1e-9),
    ("sum(1/k, k, 5, -5)", {}, [0], 1e-9),
    ("sum(a*k, k, -2, 3)", {"a": (1, 2)}, [3, 6], 7),
    ("sum(a**k, k, 0, oo)", {"a": (F(1, 4), F(1, 2))}, [4 / 3, 2], 3),
    ("sum(a**k, k, -3, oo)", {"a": (F(1, 2), F(1, 2))}, [16], 1e-9),
    ("sum((-1)**k, k, 0, 4)", {}, [1], 1e-9),
    ("sum(0**k, k, 0, 4)", {}, [1], 1e-9),
    ("sum((-1)**k/2**k, k, 0, oo)", {}, [2 / 3], 1e-9),
    ("sum(1/k**a, k, 1, oo)", {"a": (2, 3)}, [1.6449340668, 1.2020569], 2),
    ("sum(1/k**2, k, 7, oo)", {}, [math.pi**2 / 6 - sum(1 / k**2 for k in range(1, 7))], 1e-9),
    ("sum(1/k**2, k, -9, -1)", {}, [sum(1 / k**2 for k in range(1, 10))], 1e-9),
    (
        "sum(1/(k**2 + 1), k, -5, oo)",
        {},
        [sum(1 / (k**2 + 1) for k in range(-5, 1)) + (math.pi / math.tanh(math.pi) - 1) / 2],
        1e-6,
    ),
    ("sum(1/k, k, 1, 30000)", {}, [10.886184992], 1e-6),
    ("sum(sqrt(k), k, 5, 40005)", {}, [sum(math.sqrt(k) for k in range(5, 40006))], None),
    ("sum(1/k**2, k, 10, 50000)", {}, [0.10514633567], 1e-6),
    ("sum(k**3, k, 1, 30000)", {}, [(30000 * 30001 // 2) ** 2], None),
]


@pytest.mark.parametrize(
    ("text", "box", "attained", "width"), INSIDE, ids=[f"{i}-{c[0]}" for i, c in enumerate(INSIDE)]
)
def test_an_enclosure_holds_what_is_attained(text, box, attained, width):
    found = value(text, **box)
    if width is not None or found is not None:
        assert found is not None
        for x in attained:
            assert found[0] <= x + 1e-8 * (1 + abs(x)) and x - 1e-8 * (1 + abs(x)) <= found[1], (x, found)
    if width is not None:
        assert found[1] - found[0] <= max(attained) - min(attained) + width


UNKNOWN = [
    ("integral(sqrt(t - 2)**2, t, 0, 1)", {}),
    ("integral(exp(log(t - 2)), t, 0, 1)", {}),
    ("integral(exp(log(t - 1/2)), t, 0, 1)", {}),
    ("integral(sqrt(t)*sqrt(t), t, -1, 1)", {}),
    ("integral(sqrt(t - a)**2, t, 1, 2)", {"a": (1, F(3, 2))}),
    ("integral(exp(-t)*(1 + sqrt(9 - t)**2), t, 0, oo)", {}),
    ("integral(1/t, t, p, q)", {"p": (-1, 0), "q": (1, 2)}), ("integral(1/t, t, p, q)", {"p": (-1, 1), "q": (0, 2)}),
    ("integral(1/t, t, 0, q)", {"q": (1, 2)}), ("integral(1/t, t, 1, oo)", {}), ("integral(1/t, t, -oo, -1)", {}),
    ("integral(1/(t - a), t, 0, 1)", {"a": (F(1, 2), 2)}),
    ("integral(1/(t - a)**2, t, 0, 1)", {"a": (F(1, 2), F(1, 2))}),
    ("integral(t, t, 0, q)", {"q": (1, math.inf, False, True)}), ("integral(t, t, p, 0)", {"p": (-math.inf, 0, True)}),
    ("integral(exp(-t), t, 0, q)", {"q": (1, math.inf, False, True)}), ("integral(t*a, t, 0, 1)", {}),
    ("integral(exp(-t), t, p, oo)", {"p": (-math.inf, 0, True)}), ("integral(log(t), t, -1, 1)", {}),
    ("integral(sqrt(t), t, -1, 1)", {}), ("integral(sqrt(t - a), t, 0, 1)", {"a": (0, 1)}),
    ("integral(exp(t), t, 0, oo)", {}), ("integral(exp(-a*t), t, 0, oo)", {"a": (0, 1)}),
    ("integral(exp(-a*t), t, 0, oo)", {"a": (-1, 1)}), ("integral(t**(-a), t, 0, 1)", {"a": (F(1, 2), 1)}),
    ("integral(1/sqrt(t*(t - 1/2)), t, 0, 1)", {}), ("integral(t**m, t, -1, 1)", {"m": (1, 2)}),
    ("integral(0*log(t), t, -1, 1)", {}), ("integral(0/(t - 1/3), t, 0, 1)", {}), ("integral(1, t, -oo, oo)", {}),
    ("integral(tan(t), t, 0, 2)", {}), ("integral(gamma(t), t, -1/2, 1/2)", {}), ("integral(sin(t), t, 0, oo)", {}),
    ("integral(integral(s, s, 0, t), t, 0, 1)", {}), ("sum(1/k, k, 1, oo)", {}), ("sum(1, k, 1, oo)", {}),
    ("sum(k, k, 1, n)", {"n": (3, 4)}), ("sum(k, k, n, 5)", {"n": (F(7, 2), F(7, 2))}), ("sum(k*b, k, 1, 2)", {}),
    ("sum(k, k, 1, n)", {"n": (F(7, 2), F(7, 2))}), ("sum(1/(k - 3), k, 1, 5)", {}), ("sum(1/(k - 3), k, 1, oo)", {}),
    ("sum(1/(k - 300), k, 1, oo)", {}), ("sum(1/(k - 300)**2, k, 1, 50000)", {}),
    ("sum(a**k, k, 0, oo)", {"a": (0, 1)}),
    ("sum(a**k, k, 0, oo)", {"a": (F(1, 2), 2)}), ("sum((-1)**k, k, 0, oo)", {}), ("sum((-1)**k, k, 0, 30000)", {}),
    ("sum(1/k, k, -5, 5)", {}), ("sum(sqrt(k), k, -5, 5)", {}), ("sum(sqrt(1000 - k)*0 + 1/k**2, k, 1, oo)", {}),
    ("sum(floor(k/2), k, 1, 30000)", {}), ("sum(k, k, -30000, n)", {"n": (math.inf, math.inf, True, True)}),
]  # fmt: skip


@pytest.mark.parametrize(("text", "box"), UNKNOWN, ids=[f"{i}-{c[0]}" for i, c in enumerate(UNKNOWN)])
def test_what_need_not_exist_is_not_known(text, box):
    assert value(text, **box) is None


def test_what_is_cut_off_a_sum_is_not_forgotten():
    """With 200 bits the remainder is what is not known."""
    with ctx.workprec(200), budget(20):
        for text, order, first, last in (("1/k**2", 1, 1, None), ("1/k**3", 2, 3, None), ("1/k**2", 1, 1, 30_000)):
            found = enclose(parse(f"sum({text}, k, {first}, {'oo' if last is None else last})"), {})
            with ctx.workprec(400):
                tails = [arb(order + 1).zeta(arb(k)) for k in (first, *([] if last is None else [last + 1]))]
                true = tails[0] - (tails[1] if last is not None else 0)
                assert found is not None and found[0] < true < found[1], text
                assert found[1] - found[0] < 1e-16


def test_where_a_budget_ends_nothing_is_known():
    node = parse("integral(exp(-t*a)*sin(30*t), t, 0, oo)")
    with budget(-1.0):
        assert enclose(node, {"a": side(1, 1)}) is None
        assert enclose(parse("sum(1/(k**2 + 17/3), k, 1, oo)"), {}) is None
    assert enclose(parse("sum(1/(k**2 + 17/3), k, 1, oo)"), {}) is not None  # what was not found is not remembered


def test_whole_parameters_in_a_body():
    with ctx.workprec(64):
        m = iv.Whole(side(2, 3))
        found = enclose(parse("integral(t**m, t, -1, 1)"), {"m": m})
        assert found is None or (found[0] <= 0 and found[1] >= 2 / 3 - 1e-12)
        two = iv.Whole(side(2, 2))
        found = enclose(parse("integral(t**m, t, -1, 1)"), {"m": two})
        assert found is not None and found[0] <= 2 / 3 + 1e-12 and found[1] >= 2 / 3 - 1e-12
        found = enclose(parse("sum((-1)**(k*m), k, 0, 3)"), {"m": iv.Whole(side(1, 2))})
        assert found is not None and found[0] <= 0 and found[1] >= 4
        assert enclose(parse("sum((-1)**(k*m), k, 0, 3)"), {"m": side(1, 2)}) is None


def test_the_small_parts_of_an_integral():
    grown = integrals._grown(side(1, 1), arb(0.5), 1), integrals._grown(side(1, 1), arb(0.5), -1)
    assert grown == ((arb(1), arb(1.5), False, False), (arb(0.5), arb(1), False, False))
    assert integrals._middle(side(1, 3)) == 2 and integrals._middle(side(1, 1)) == 1
    assert str(integrals._point(side(1, 2))) == "3/2"
    assert series_sums._integer(side(3, 3)) == 3 and series_sums._integer(side(3, 4)) is None
    assert series_sums._integer(side(F(7, 2), F(7, 2))) is None and series_sums._integer(side(0, 0)) == 0
