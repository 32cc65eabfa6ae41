"""Terms that vanish at an end, by their form: the conditions, and terms of which nothing is said."""

from __future__ import annotations

from fractions import Fraction

import pytest
from flint import arb, fmpq
from sequents import sequent

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.binder_rules import binder, vanishing
from boundcheck.kernel.check.expansion import Expansion
from boundcheck.kernel.check.laurent import NoExpansion, Series
from boundcheck.kernel.check.limits import limit_of
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.formula import num, parse


def wanted(gap: str, at: str) -> list[str]:
    """The conditions under which the terms of ``gap``, in t, vanish at oo or at 0."""
    head, low = ("sum", "1") if at == "sum" else ("integral", "0")
    term = f"{head}(a*b*c*r*k, k, {low}, oo)"
    b = binder({"term": term, "new": "t"}, sequent("", f"{term} >= 0", "m"))
    end, side = (num(0), 1) if at == "0" else (None, -1)
    return [str(r) for r in vanishing(b, parse(gap), end, side)]


#: (formula, end, conditions or None)
TERMS: list[tuple[str, str, list[str] | None]] = [
    ("t**a", "oo", ["a < 0"]),
    ("t**a", "0", ["a > 0"]),
    ("c*t**a - 3*t**(a - 2)", "oo", ["a < 0", "(-2) + a < 0"]),
    ("1/t", "oo", ["-1 < 0"]),
    ("b", "oo", ["0 < 0"]),
    ("b", "0", ["0 > 0"]),
    ("exp(-c*t)*t**5", "oo", ["-c < 0"]),
    ("exp(-c*t**2)*exp(a)", "oo", ["-c < 0"]),
    ("exp(c/t)", "oo", None),
    ("exp(c*t + a*t**2)", "oo", None),
    ("exp(-t*log(t))", "oo", None),
    ("exp(-t*sin(t))", "oo", None),
    ("exp(-log(t))", "oo", ["-1 < 0"]),
    ("exp(-sqrt(t))", "oo", ["-1 < 0"]),
    ("pi**(a*t)", "oo", ["a < 0"]),
    ("2**(-t)*t", "oo", ["-1 < 0"]),
    ("(1/2)**t", "oo", ["-1 < 0"]),
    ("r**t*t**3", "sum", ["abs(r) < 1", "1 > 0"]),
    ("r**(a*t + b)", "sum", ["abs(r) < 1", "a > 0"]),
    ("r**(t**2)", "sum", None),
    ("(-1)**t/t", "sum", ["abs(-1) < 1", "1 > 0"]),
    ("exp(-c*t)", "0", None),
    ("t**t", "oo", None),
    ("t**(-t)", "oo", None),
    ("sin(t)/t", "oo", None),
    ("1/(t + 1)", "oo", None),
    ("log(t)/t", "oo", None),
    ("r**log(t)", "oo", None),
    ("exp(-c*t) + sin(t)*exp(-t)", "oo", None),
]


@pytest.mark.parametrize(("gap", "at", "found"), TERMS)
def test_terms_vanish_under_conditions(gap, at, found):
    if found is None:
        with pytest.raises(Refused):
            wanted(gap, at)
    else:
        assert wanted(gap, at) == found


def test_terms_vanish_at_two_ends_only():
    term = "integral(a*k, k, 1, 2)"
    b = binder({"term": term, "new": "t"}, sequent("", f"{term} >= 0"))
    total = "sum(a*k, k, 0, 2)"
    s = binder({"term": total, "new": "t"}, sequent("", f"{total} >= 0"))
    for binding, end, side in ((b, num(1), 1), (b, num(0), -1), (b, None, 1), (s, num(0), 1)):
        with pytest.raises(Refused):
            vanishing(binding, parse("t**2"), end, side)
    assert [str(r) for r in vanishing(b, parse("t**2"), num(0), 1)] == ["2 > 0"]


def test_a_remainder_beside_an_exponential_is_looked_at_like_its_terms():
    """exp(-L) is h: a remainder at h**order vanishes with it for order > -1 only."""
    for order, vanishes in ((Fraction(-1, 2), True), (Fraction(-1), False), (Fraction(-2), False)):
        x = Expansion(Algebra(), {}, "x", None, 1, Fraction(1, 100))
        falling = (((Fraction(0), Fraction(1)), fmpq(-1)),)
        x.memo[parse("x")] = {falling: Series({}, order, {Fraction(0): (arb(1), arb(1), False, False)})}
        if vanishes:
            assert limit_of(x, parse("x")) == 0
        else:
            with pytest.raises(NoExpansion):
                limit_of(x, parse("x"))
