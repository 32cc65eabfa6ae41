"""Closed zeros, piece by piece: sizes and degree behind the separation bound, angles, sums of arcs and logarithms."""

from __future__ import annotations

from fractions import Fraction

import pytest

from boundcheck.kernel.check import algebraic
from boundcheck.kernel.check.algebraic import _arguments, _literal, _log2, _Other, _Reader, _turn, _whole, is_zero
from boundcheck.kernel.formula import parse

F = Fraction


def test_the_binary_logarithm_of_an_integer_is_not_below_it():
    assert [int(_log2(n)) for n in (0, 1, 2, 3, 4, 5, 8, 9, 2**64, 2**64 + 1)] == [0, 0, 1, 2, 2, 3, 3, 4, 64, 65]
    assert _log2(-8) == 3 and _log2(-9) == 4


#: (formula, log2 of a bound of U's conjugates, the same of L) by the formulas of the module; sqrt(2): 1/2 and 0
SIZES = [
    ("6/5", 3, 3), ("-3/2", 2, 1), ("7", 3, 0), ("0", 0, 0),
    ("sqrt(2)", F(1, 2), 0), ("sqrt(3/2)", F(3, 2), 1), ("(3/2)**(1/3)", F(4, 3), 1),
    ("-sqrt(3/2)", F(3, 2), 1), ("abs(sqrt(3/2))", F(3, 2), 1),
    ("sqrt(2) + sqrt(3/2)", F(5, 2), 1), ("sqrt(3/2) - sqrt(2)", F(5, 2), 1), ("sqrt(6/5) + sqrt(3/2)", F(11, 2), 4),
    ("sqrt(7) + 1/3", F(9, 2), 2), ("1/3 - sqrt(7)", F(9, 2), 2),
    ("sqrt(6/5)*sqrt(3/2)", F(9, 2), 4), ("sqrt(6/5)/sqrt(3/2)", 4, F(9, 2)), ("sqrt(3/2)/sqrt(6/5)", F(9, 2), 4),
    ("sqrt(3/2)**3", F(9, 2), 3), ("sqrt(3/2)**-3", 3, F(9, 2)), ("(3/2)**(5/3)", F(20, 3), 5),
    ("(3/2)**(-5/3)", 5, F(20, 3)), ("sqrt(2)**0", 0, 0),
    ("cos(pi/5)", 1, 1), ("sin(2*pi/7)", 1, 1), ("tan(pi/5)", 2, 2), ("sqrt(2 + sqrt(2))", 1, 0),
]  # fmt: skip


@pytest.mark.parametrize(("text", "u", "low"), SIZES)
def test_sizes_of_conjugates(text, u, low):
    size = _Reader().size(parse(text))
    assert (size.u, size.l) == (u, low)


DEGREES = [
    ("sqrt(2) + 2**(1/2)", 2), ("sqrt(2) + sqrt(3)", 4), ("2**(1/3)*sqrt(2)", 6), ("2**(1/3) + 2**(2/3)", 3),
    ("2**(-2/5)", 5), ("sqrt(2)**4", 2), ("sqrt(2 + sqrt(2))", 4), ("7/5", 1),
    ("cos(pi/5)", 20), ("sin(2*pi/7)", 28), ("tan(pi)", 4), ("cos(pi/5)*sin(pi/3)", 60), ("sqrt(2)*cos(pi/4)", 16),
    ("cos(pi/8)", 16),
]  # fmt: skip


@pytest.mark.parametrize(("text", "degree"), DEGREES)
def test_the_degree_counts_each_root_once_and_the_common_angle(text, degree):
    reader = _Reader()
    reader.size(parse(text))
    assert reader.degree == degree


@pytest.mark.parametrize(
    "text", ["pi", "sqrt(pi)", "2**sqrt(2)", "cos(1)", "exp(1)", "2**(1/201)", "2**201", "2**-201"]
)
def test_what_has_no_size(text):
    with pytest.raises(_Other):
        _Reader().size(parse(text))


def test_the_largest_powers_have_a_size():
    assert _Reader().size(parse("sqrt(2)**200")).u == 100 and _Reader().size(parse("2**(1/200)")).u == F(1, 200)


def unit(n: int) -> tuple[int, int, int, int]:
    """(1 + sqrt 2)**-a (2 + sqrt 3)**-b (5 + 2 sqrt 6)**-n over 1, sqrt 2, sqrt 3, sqrt 6, the factors about equal.

    Its other conjugates are all of one size e**t, so that the number itself, e**(-3 t), is next to the bound.
    """

    def times(p: tuple[int, ...], q: tuple[int, ...]) -> tuple[int, ...]:
        a, b, c, d = p
        e, f, g, h = q
        return (a * e + 2 * b * f + 3 * c * g + 6 * d * h, a * f + b * e + 3 * (c * h + d * g),
                a * g + c * e + 2 * (b * h + d * f), a * h + d * e + b * g + c * f)  # fmt: skip

    total: tuple[int, ...] = (1, 0, 0, 0)
    for factor, count in (((-1, 1, 0, 0), round(2.601 * n)), ((2, 0, -1, 0), round(1.741 * n)), ((5, 0, 0, -2), n)):
        for _ in range(count):
            total = times(total, factor)
    return total[0], total[1], total[2], total[3]


@pytest.mark.parametrize("n", [30, 90, 300])
def test_a_number_next_to_the_separation_bound_is_not_taken_for_0(n):
    p, q, r, s = unit(n)
    text = f"{p} + {q}*sqrt(2) + {r}*sqrt(3) + {s}*sqrt(2)*sqrt(3)".replace("+ -", "- ")
    assert max(map(abs, (p, q, r, s))) > 2 ** (3 * n - 5)
    assert not is_zero(parse(text))
    assert is_zero(parse(f"({text}) - ({text.replace('sqrt(2)*sqrt(3)', 'sqrt(6)')})"))


def test_a_bound_that_would_take_too_many_bits_is_no_answer(monkeypatch):
    text = "sqrt(2) + sqrt(3) - sqrt(5 + 2*sqrt(6))"
    reader = _Reader()
    size = reader.size(parse(text))
    bits = int(size.l + (reader.degree - 1) * size.u) + 2
    for most, wanted in ((bits, True), (bits - 1, False)):
        is_zero.cache_clear()
        monkeypatch.setattr(algebraic, "MOST_BITS", most)
        assert is_zero(parse(text)) is wanted
    is_zero.cache_clear()


TURNS = [
    ("pi", F(1)), ("-pi/3", F(-1, 3)), ("2*pi/7 + pi/5", F(17, 35)), ("pi - 3*pi/4", F(1, 4)), ("0", F(0)),
    ("pi*5/3", F(5, 3)), ("-(pi + pi/2)", F(-3, 2)),
    ("atan(1)", F(1, 4)), ("4*atan(1)", F(1)), ("atan(1/2) + atan(1/3)", F(1, 4)), ("acos(1/2)", F(1, 3)),
    ("-asin(1/2) + pi", F(5, 6)), ("atan(1)/30", F(1, 120)),
    ("1", None), ("pi + 1", None), ("atan(2)", None), ("atan(10**30)", None), ("atan(10**80)", None),
    ("pi/2 - atan(10**-80)", None),
    ("sqrt(2)*pi", None), ("atan(1)/31", None), ("log(2)*pi", None), ("acos(2)", None),
]  # fmt: skip


@pytest.mark.parametrize(("text", "r"), TURNS)
def test_multiples_of_pi(text, r):
    assert _turn(parse(text)) == r


def test_the_cosine_of_what_is_nearly_a_right_angle_is_not_0():
    for text in ("cos(atan(10**30))", "cos(atan(10**80))", "cos(pi/2 - atan(10**-80))", "sin(2*atan(10**90))"):
        assert not is_zero(parse(text)), text
    assert is_zero(parse("cos(atan(1/2) + atan(2))")) and is_zero(parse("sin(4*atan(1))"))


@pytest.mark.parametrize(
    ("text", "wanted"),
    [("2", F(2)), ("-2/3", F(-2, 3)), ("x", None), ("pi", None), ("-x", None), ("1 - x", None)],
)  # fmt: skip
def test_literals(text, wanted):
    assert _literal(parse(text)) == wanted


def test_a_sum_is_multiplied_until_its_factors_are_whole():
    m, terms, r = _whole(parse("atan(2)/2 - 3*atan(3)/4 + pi/3 - atan(2) + acos(1/3)"), ("atan", "acos"))
    assert m == 4 and r == F(4, 3)
    assert {(n, str(e)) for n, e in terms} == {(-2, "atan(2)"), (-3, "atan(3)"), (4, "acos(1/3)")}
    for text in (
        "pi",
        "atan(2) - atan(2)",
        "atan(2) + log(2)",
        "201*atan(2)",
        "100*atan(2) - 101*atan(3)",
        "atan(2) + 1",
    ):
        with pytest.raises(_Other):
            _whole(parse(text), ("atan",))
    assert _whole(parse("100*atan(2) - 100*atan(3)"), ("atan",))[0] == 1


#: (a sum of arcs that is 0, one that is not, though its product of numbers is as real or is so with another sign)
ARCS = [
    ("atan(1/2) + atan(1/3) - pi/4", "atan(1/2) - atan(1/3) - pi/4"),
    ("atan(1/2) + atan(1/3) - pi/4", "atan(1/2) + atan(1/3) + 3*pi/4"),
    ("atan(1/2)/2 + atan(1/3)/2 - pi/8", "(atan(1) + atan(2) + atan(3))/2"),
    ("asin(3/5) + acos(3/5) - pi/2", "asin(3/5) - acos(3/5) - pi/2"),
    ("asin(3/5) - atan(3/4)", "asin(3/5) + atan(3/4)"),
    ("acos(-1) - pi", "acos(-1)"),
    ("acos(-3/5) + acos(3/5) - pi", "acos(-3/5) - acos(3/5) - pi"),
    ("2*atan(1/2) - asin(4/5)", "2*atan(1/2) - acos(4/5)"),
    ("3*atan(1/2) - atan(11/2)", "3*atan(1/2) - atan(11/3)"),
    ("5*atan(1/3) - pi + atan(79/3)", "5*atan(1/3) - pi - atan(79/3)"),
    ("atan(2)/3 + atan(1/2)/3 - pi/6", "atan(2)/3 + atan(1/2)/3 + pi/6"),
    ("asin(1) - pi/2", "asin(1) + pi/2"),
]  # fmt: skip


@pytest.mark.parametrize(("zero", "other"), ARCS)
def test_sums_of_arcs(zero, other):
    assert _arguments(parse(zero)) and is_zero(parse(zero))
    assert not is_zero(parse(other))


LOGARITHMS = [
    ("log(4) - 2*log(2)", "log(4) + 2*log(2)"),
    ("log(2)*2 - log(4)", "log(2)/2 - log(4)"),
    ("log(4)/2 - log(2)", "log(4)*2 - log(2)"),
    ("-log(4) + log(2)*2", "-log(4) - log(2)*2"),
    ("2*(log(2) + log(3)) - log(36)", "2*(log(2) - log(3)) - log(36)"),
    ("log(2 + sqrt(3)) + log(2 - sqrt(3))", "log(2 + sqrt(3)) + log(2 - sqrt(3)) + pi"),
    ("log(2 + sqrt(3)) + log(2 - sqrt(3))", "log(2 + sqrt(3)) - log(2 - sqrt(3))"),
    ("log(3 - 2*sqrt(2))/2 - log(sqrt(2) - 1)", "log(sqrt(2) - 3)/2 - log(1 - sqrt(2)) - log(sqrt(2) - 3)/2"),
]  # fmt: skip


@pytest.mark.parametrize(("zero", "other"), LOGARITHMS)
def test_sums_of_logarithms(zero, other):
    assert is_zero(parse(zero))
    assert not is_zero(parse(other))


@pytest.mark.parametrize(
    "text",
    ["log(-1)*2 - log(-1) - log(-1)", "acos(2) - atan(sqrt(-3)/2)", "sqrt(-2)*sqrt(-2) + 2", "0/(sqrt(2) - 2**(1/2))",
     "tan(pi/2) - tan(pi/2)", "(sqrt(2) - 2**(1/2))**-1 - (2**(1/2) - sqrt(2))**-1", "(-8)**(1/3) + 2",
     "log(sqrt(2) - 2**(1/2)) - log(2**(1/2) - sqrt(2))", "log(-2) + log(-1/2)", "2*log(-3) - log(9)",
     "log(1 - sqrt(2)) + log(-1 - sqrt(2))", "asin(-2) + asin(2)", "0*log(-1) + log(4) - 2*log(2)"],
)  # fmt: skip
def test_what_has_no_value_is_no_zero(text):
    assert not is_zero(parse(text))
