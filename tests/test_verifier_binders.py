"""Rules of sums, integrals and whole numbers: what each leaves, and the wrong twins that it refuses."""

from __future__ import annotations

from fractions import Fraction
from types import SimpleNamespace
from typing import Any

import pytest
from flint import arb
from sequents import left, rule

from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.expansion import Expansion
from boundcheck.kernel.check.laurent import NoExpansion, Series
from boundcheck.kernel.check.limits import limit_of
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import INF, NINF, ZERO, Whole
from boundcheck.kernel.formula import parse

POWER = "integral(1/t**x, t, 1, oo)"
S = "sum(k, k, 1, n)"
EXP = "integral(exp(-t), t, x, oo)"
LEFT = "integral(exp(t), t, -oo, x)"
ZETA = "sum(1/k**x, k, 1, oo)"
LEAVES: list[tuple[str, str, dict[str, Any], str, list[str]]] = [
    # whole numbers
    ("n < m", "n + 1 <= m", rule("round"), "n m", ["n < m |- m - (n + 1) > -1 [m n]"]),
    ("", "n/2 <= m", rule("round"), "n m", ["|- m - n/2 > -1/2 [m n]"]),
    ("", "n >= 0", rule("branch", on="n", at=2), "n", ["n <= 2 |- n >= 0 [n]", "n >= 3 |- n >= 0 [n]"]),
    ("", "n*(n + 1) != 1", rule("residues", mod=2), "n", []),
    ("n**2 == 3*m + 2", "n >= 5", rule("residues", mod=3, hyp=0), "n m", []),
    ("n >= 0", "floor(n/2) <= n", rule("classes", var="n", mod=2, new="q"), "n",
     ["2*q >= 0 |- floor(2*q/2) <= 2*q [q]", "2*q + 1 >= 0 |- floor((2*q + 1)/2) <= 2*q + 1 [q]"]),
    ("n >= 1; n <= m; x > 0", "sum(x*k, k, 1, n) <= n**2*x", rule("induction", var="n", **{"from": "1"}), "n m",
     ["x > 0; n <= m; n >= 1 |- sum(x*k, k, 1, n) - n**2*x defined 0 [m n]",
      "x > 0; 1 <= m |- sum(x*k, k, 1, 1) <= 1**2*x [m]",
      "x > 0; n + 1 <= m; n >= 1; sum(x*k, k, 1, n) <= n**2*x |- sum(x*k, k, 1, n + 1) <= (n + 1)**2*x [m n]"]),
    # existence
    ("n >= 1", "defined sum(1/(k - 1), k, 1, n)", rule("terms", term="sum(1/(k - 1), k, 1, n)", new="t"), "n",
     ["n >= 1; t >= 1; t <= n |- t - 1 != 0 [n t]"]),
    ("x >= 0", "defined integral(log(t), t, 0, x)", rule("terms", term="integral(log(t), t, 0, x)", new="u"), "",
     ["x >= 0; u >= 0; u <= x |- u > 0"]),
    ("x > 0", "defined integral(sin(t)/t**2, t, x, oo)",
     rule("terms", term="integral(sin(t)/t**2, t, x, oo)", new="u", by="1/u**2"), "",
     ["x > 0; u > x |- abs(sin(u)/u**2) <= 1/u**2", "x > 0 |- integral(1/u**2, u, x, oo) defined 0"]),
    ("x > 1", f"defined {POWER}",
     rule("closed-form", term=POWER, new="u", by="u**(1 - x)/(1 - x)", high="0", terms=["high"]), "",
     ["x > 1; u > 1 |- (1 - x)*u**(1 - x - 1)/(1 - x) == 1/u**x",
      "x > 1 |- -(1**(1 - x)/(1 - x)) defined 0"]),
    ("x > 1", f"defined {ZETA}", rule("terms", term=ZETA, new="u", test=True), "",
     ["x > 1; u >= 1 |- 1/u**x >= 0", "x > 1; u >= 1 |- x*u**(x - 1)/(u**x)**2 >= 0",
      "x > 1 |- integral(1/u**x, u, 1, oo) defined 0"]),
    ("", "defined sum(sin(k)/2**k, k, 1, oo)",
     rule("terms", term="sum(sin(k)/2**k, k, 1, oo)", new="u", by="floor(3/2)/2**u"), "",
     ["u >= 1 |- abs(sin(u)/2**u) <= floor(3/2)/2**u [u]", "|- sum(floor(3/2)/2**u, u, 1, oo) defined 0"]),
    # other forms
    ("", "sum(k, k, n, m) >= 0", rule("closed-form", term="sum(k, k, n, m)", new="u", by="u*(u - 1)/2"), "m n",
     ["|- n - 1 <= m [m n]", "u >= n; u <= m |- (u + 1)*(u + 1 - 1)/2 - u*(u - 1)/2 == u [m n u]",
      "|- (m + 1)*(m + 1 - 1)/2 - n*(n - 1)/2 >= 0 [m n]"]),
    ("", f"{LEFT} >= 0", rule("closed-form", term=LEFT, new="u", by="exp(u)", low="0"), "",
     ["u < x |- exp(u) == exp(u)", "|- exp(x) >= 0"]),
    ("", f"{EXP} >= 0", rule("divide", term=EXP, new="u", at="x + 1"), "",
     ["|- x <= x + 1",
      "|- integral(exp(-t), t, x, x + 1) + integral(exp(-t), t, x + 1, oo) >= 0"]),
    ("n >= 3", f"{S} >= 0", rule("divide", term=S, new="t", at="2"), "n",  # the term at 2 counts once
     ["n >= 3 |- sum(k, k, 1, 2) + sum(k, k, 3, n) >= 0 [n]"]),
    ("n >= 1; m >= 1", f"{S} >= 0", rule("divide", term=S, new="t", at="m"), "m n",
     ["n >= 1; m >= 1 |- m <= n [m n]", "n >= 1; m >= 1 |- sum(k, k, 1, m) + sum(k, k, m + 1, n) >= 0 [m n]"]),
    ("x > 1; n >= 0", f"{ZETA} >= 0", rule("divide", term=ZETA, new="t", at="n"), "n",
     ["x > 1; n >= 0 |- sum(1/k**x, k, 1, n) + sum(1/k**x, k, n + 1, oo) >= 0 [n]"]),
    ("n >= 1", f"{S} >= 0", rule("unroll", term=S, new="t", to="n - 1"), "n",
     ["n >= 1 |- sum(k, k, 1, n - 1) + n >= 0 [n]"]),
    ("n >= 1", f"{S} >= 0", rule("unroll", term=S, new="t", first=True), "n",
     ["n >= 1 |- 1 + sum(k, k, 2, n) >= 0 [n]"]),
    ("", "sum(k, k, n, n + 2) >= 0", rule("unroll", term="sum(k, k, n, n + 2)", new="t"), "n",
     ["|- n + (n + 1) + (n + 2) >= 0 [n]"]),
    ("", "sum(k, k, n, n - 1) >= 0", rule("unroll", term="sum(k, k, n, n - 1)", new="t"), "n", ["|- 0 >= 0 [n]"]),
    ("x > 0; x < 1", "integral(abs(t - x), t, 0, 1) >= 0",
     rule("divide", term="integral(abs(t - x), t, 0, 1)", new="u", at="x"), "",
     ["x > 0; x < 1 |- integral(abs(t - x), t, 0, x) + integral(abs(t - x), t, x, 1) >= 0"]),
    ("x > 0", "integral(abs(t), t, 0, x) >= 0", rule("same", term="integral(abs(t), t, 0, x)", new="u", body="u"), "",
     ["x > 0; u > 0; u < x |- abs(u) == u", "x > 0 |- integral(u, u, 0, x) >= 0"]),
    ("x > 0", "integral(t, t, 0, x) >= 0", rule("closed-form", term="integral(t, t, 0, x)", new="u", by="u**2/2"), "",
     ["x > 0; u > 0; u < x |- 2*u/2 == u", "x > 0 |- x**2/2 - 0**2/2 >= 0"]),
    ("x > 0", "integral(exp(-t), t, x, oo) >= 0",
     rule("closed-form", term="integral(exp(-t), t, x, oo)", new="u", by="-exp(-u)", high="0"), "",
     ["x > 0; u > x |- -(exp(-u)*(-1)) == exp(-u)", "x > 0 |- exp(-x) >= 0"]),
    ("n >= 1", f"{S} >= 0", rule("closed-form", term=S, new="u", by="u*(u - 1)/2"), "n",
     ["n >= 1; u >= 1; u <= n |- (u + 1)*(u + 1 - 1)/2 - u*(u - 1)/2 == u [n u]",
      "n >= 1 |- (n + 1)*(n + 1 - 1)/2 - 1*(1 - 1)/2 >= 0 [n]"]),
    # comparison
    ("x > 0", "integral(t, t, 0, x) <= integral(t + 1, t, 0, x)",
     rule("termwise", term="integral(t, t, 0, x)", new="u"), "", ["x > 0; u > 0; u < x |- u + 1 + (-1)*u >= 0"]),
    ("n >= 1", f"{S} > 0", rule("termwise", term=S, new="u"), "n", ["n >= 1; u >= 1; u <= n |- u > 0 [n u]"]),
    ("", f"{LEFT} > 0", rule("termwise", term=LEFT, new="u"), "", ["u < x |- exp(u) > 0"]),
    ("x >= 0", "integral(exp(t), t, 0, x) > 0", rule("termwise", term="integral(exp(t), t, 0, x)", new="u"), "",
     ["x >= 0 |- 0 < x", "x >= 0; u > 0; u < x |- exp(u) > 0"]),
    ("x > 0", "integral(exp(-t), t, x, oo) > 0",
     rule("termwise", term="integral(exp(-t), t, x, oo)", new="u"), "", ["x > 0; u > x |- exp(-u) > 0"]),
    ("n >= 1", "sum(abs(k - 3) + floor(k), k, 1, n) >= 0",
     rule("same", term="sum(abs(k - 3) + floor(k), k, 1, n)", new="u", body="abs(u - 3) + ceil(u)"), "n",
     ["n >= 1; u >= 1; u <= n |- abs(u - 3) + floor(u) == abs(u - 3) + ceil(u) [n u]",
      "n >= 1 |- sum(abs(u - 3) + ceil(u), u, 1, n) >= 0 [n]"]),
    ("", "integral(log(t), t, 0, 1) <= 0",
     rule("closed-form", term="integral(log(t), t, 0, 1)", new="u", by="u*log(u) - u", low="0"), "",
     ["u > 0; u < 1 |- log(u) + u*(1/u) - 1 == log(u)", "|- 1*log(1) - 1 <= 0"]),
    ("x > 1", "sum(1/k**x, k, 1, oo) >= 1", rule("partial", term="sum(1/k**x, k, 1, oo)", new="N"), "",
     ["x > 1; N >= 1 |- sum(1/k**x, k, 1, N) - 1 defined 0 [N]", "x > 1; N >= 1 |- sum(1/k**x, k, 1, N) >= 1 [N]"]),
]  # fmt: skip


@pytest.mark.parametrize(("where", "goal", "node", "integers", "wanted"), LEAVES)
def test_a_rule_leaves_exactly_this(where, goal, node, integers, wanted):
    assert [s.strip() for s in left(where, goal, node, integers)] == wanted


REFUSED: list[tuple[str, str, dict[str, Any], str]] = [
    ("", "n <= x", rule("round"), "n"),  # x is no whole number
    ("", "n < m", rule("round"), "n m"),
    ("", "n/x <= m", rule("round"), "n m"),
    ("", "n >= 0", rule("branch", on="n/2", at=0), "n"),
    ("", "n >= 0", rule("branch", on="x", at=0), "n"),
    ("", "n >= 0", rule("branch", on="n", at=True), "n"),
    ("", "n*(n + 1) != 6", rule("residues", mod=2), "n"),  # 2*3 = 6
    ("", "x*(x + 1) != 1", rule("residues", mod=2), ""),
    ("", "n*(n + 1) >= 1", rule("residues", mod=2), "n"),
    ("n**2 == 3*m + 1", "n >= 5", rule("residues", mod=3, hyp=0), "n m"),
    ("n**2 >= 3*m + 2", "n >= 5", rule("residues", mod=3, hyp=0), "n m"),
    ("x >= 0", "floor(x/2) <= x", rule("classes", var="x", mod=2, new="q"), ""),
    ("n >= 0", "floor(n/2) <= n", rule("classes", var="n", mod=2, new="n"), "n"),
    ("n >= 0", "floor(n/2) <= n", rule("classes", var="n", mod=1, new="q"), "n"),
    ("x >= 1", "x >= 1", rule("induction", var="x", **{"from": "1"}), ""),
    ("n >= 1; n**2 <= m", "n >= 0", rule("induction", var="n", **{"from": "1"}), "n m"),
    ("n >= 1", "n >= 0", rule("induction", var="n", **{"from": "n"}), "n"),
    ("n >= 1", "n >= 0", rule("induction", var="n", **{"from": "1/2"}), "n"),
    ("x >= 0", "defined sum(k, k, 1, x)", rule("terms", term="sum(k, k, 1, x)", new="t"), ""),  # no whole end
    ("", "defined sum(1/k, k, 1, oo)", rule("terms", term="sum(1/k, k, 1, oo)", new="t"), ""),
    ("x > 1", f"defined {POWER}", rule("terms", term=POWER, new="u"), ""),
    ("x > 1", f"defined {POWER}",
     rule("closed-form", term=POWER, new="u", by="u**(1 - x)/(1 - x)", high="0", terms="high"), ""),
    ("x > 1", "defined integral(log(t)/t**x, t, 1, oo)",
     rule("closed-form", term="integral(log(t)/t**x, t, 1, oo)", new="u", by="log(u)*u**(1 - x)", high="0",
          terms=["high"]), ""),
    ("x > 0", "defined integral(floor(t), t, 0, x)", rule("terms", term="integral(floor(t), t, 0, x)", new="u"), ""),
    ("x > 0", "defined integral(t, t, 0, x)", rule("terms", term="integral(t, t, 0, 1)", new="u"), ""),
    ("n >= 1", f"{S} >= 0", rule("unroll", term=S, new="t", to="n"), "n"),
    ("n >= 1", f"{S} >= 0", rule("unroll", term=S, new="t", to="n - 2"), "n"),
    ("n >= 1", f"{S} >= 0", rule("unroll", term=S, new="n", to="n - 1"), "n"),
    ("n >= 1", f"{S} >= 0", rule("unroll", term=S, new="t"), "n"),  # of no fixed length
    ("n >= 1", "n >= 0", rule("unroll", term=S, new="t", to="n - 1"), "n"),  # does not occur
    ("x > 0", f"{EXP} >= 0", rule("closed-form", term=EXP, new="u", by="-exp(-u)", high="1"), ""),
    ("x > 0", f"{EXP} >= 0", rule("closed-form", term=EXP, new="u", by="-exp(-u)"), ""),
    ("x > 0", f"{EXP} >= 0", rule("closed-form", term=EXP, new="u", by="floor(u)", high="0"), ""),
    ("", "integral(floor(t), t, 0, 1) >= 0", rule("termwise", term="integral(floor(t), t, 0, 1)", new="u"), ""),
    ("x > 0", "integral(t, t, 0, x) <= integral(t, t, 0, 1)",
     rule("termwise", term="integral(t, t, 0, x)", new="u"), ""),
    ("x > 0", "integral(t, t, 0, x)**2 >= 0", rule("termwise", term="integral(t, t, 0, x)", new="u"), ""),
    ("x > 0", "integral(t, t, 0, x) >= x", rule("termwise", term="integral(t, t, 0, x)", new="u"), ""),
    ("n >= 1", f"{S} >= 0", rule("terms", term=S, new="t"), "n"),  # that it is defined is not what is asked
    ("x > 1", f"defined {POWER}", rule("terms", term=POWER, new="u", test=True), ""),
    ("n >= 1", f"defined {S}", rule("terms", term=S, new="u", test=True), "n"),
    ("", "defined sum(floor(k)/k**3, k, 1, oo)",
     rule("terms", term="sum(floor(k)/k**3, k, 1, oo)", new="u", test=True), ""),
    ("n >= 1", f"{S} >= 0", rule("divide", term=S, new="t", at="n/2"), "n"),  # n/2 need not be whole
    ("n >= 1", f"{S} >= 0", rule("divide", term=S, new="t", at="x"), "n"),
    ("x > 0", f"{EXP} >= 0", rule("unroll", term=EXP, new="t", first=True), ""),
    ("n >= 1", "n >= 0", rule("unroll", term="n", new="t", first=True), "n"),
    ("n >= 1", "sum(k*z, k, 1, n) >= 0", rule("same", term="sum(k*y, k, 1, n)", new="t", body="t"), "n"),
    ("x > 0", "integral(floor(t), t, 0, x) >= 0",
     rule("divide", term="integral(floor(t), t, 0, x)", new="u", at="x/2"), ""),
    ("x > 0", f"{EXP} >= 0", rule("same", term=EXP, new="u", body="z"), ""),
    ("x > 0", f"{EXP} >= 0", rule("same", term=EXP, new="u", body="floor(u)"), ""),
    ("n >= 1", f"{S} >= 0", rule("closed-form", term=S, new="u", by="floor(u)*(u - 1)/2"), "n"),
    ("n >= 1", f"{S} <= integral(t, t, 1, n)", rule("termwise", term=S, new="u"), "n"),  # a sum is no integral
    ("", "integral(t, t, 0, 1) >= integral(floor(t), t, 0, 1)",
     rule("termwise", term="integral(t, t, 0, 1)", new="u"), ""),
    ("", "integral(exp(-t), t, oo, oo) >= 0", rule("terms", term="integral(exp(-t), t, oo, oo)", new="u"), ""),
    ("", "defined integral(exp(-t), t, oo, oo)",
     rule("terms", term="integral(exp(-t), t, oo, oo)", new="u", by="exp(-u)"), ""),
    ("x > 0", "defined integral(exp(t), t, x, -oo)",
     rule("terms", term="integral(exp(t), t, x, -oo)", new="u", by="exp(u)"), ""),
    ("x > 0", f"defined {EXP}", rule("terms", term=EXP, new="u", by="z*exp(-u)"), ""),  # z is no variable here
    ("x > 0", f"defined {EXP}", rule("terms", term=EXP, new="u", by="floor(u)"), ""),
    ("x > 0", f"{EXP} >= 0", rule("divide", term=EXP, new="u", at="z"), ""),
    ("x > 0", f"{EXP} >= 0", rule("closed-form", term=EXP, new="u", by="-exp(-u)", high="integral(t, t, 0, 0)"), ""),
    ("x > 0; y > 0", "integral(t, t, 0, x)/(y - 1) >= 0",
     rule("termwise", term="integral(t, t, 0, x)", new="u"), ""),  # the divisor may be negative
    ("x > 0", f"{EXP} >= 0", rule("partial", term=EXP, new="N"), ""),
    ("n >= 1", f"{S} >= 0", rule("partial", term=S, new="N"), "n"),
    ("x > 1", "sum(1/k**x, k, 1, oo) > 1", rule("partial", term="sum(1/k**x, k, 1, oo)", new="N"), ""),
    ("x > 1", "floor(sum(1/k**x, k, 1, oo)) >= 1", rule("partial", term="sum(1/k**x, k, 1, oo)", new="N"), ""),
]  # fmt: skip


@pytest.mark.parametrize(("where", "goal", "node", "integers"), REFUSED)
def test_a_rule_refuses(where, goal, node, integers):
    with pytest.raises(Refused):
        left(where, goal, node, integers)


def test_what_cannot_be_seen_at_once_is_left_as_a_goal():
    """Ends whose order is open, terms that may be undefined: none of them is taken for granted."""
    order = left(
        "", "integral(t, t, 0, x) >= 0", rule("closed-form", term="integral(t, t, 0, x)", new="u", by="u**2/2")
    )
    assert "|- 0 <= x" in [s.strip() for s in order]
    last = left("", f"{S} >= 0", rule("unroll", term=S, new="t", to="n - 1"), "n")
    assert "|- n >= 1 [n]" in [s.strip() for s in last]
    wrong = left(
        "x > 0", "integral(t, t, 0, x) >= 0", rule("closed-form", term="integral(t, t, 0, x)", new="u", by="u**2")
    )
    assert "x > 0; u > 0; u < x |- 2*u == u" in wrong
    start = left("n >= 1", f"{S} >= 0", rule("induction", var="n", **{"from": "2"}), "n")
    assert "n >= 1 |- n >= 2 [n]" in start


def test_two_limits_at_one_place_may_differ():
    """t/abs(t) has slope 0 beside 0 and jumps there: limits at both ends need a range that is not one point."""
    term = "integral(0*t, t, 0, x)"
    node = rule("closed-form", term=term, new="u", by="u/abs(u)", low="1")
    assert "x >= 0 |- 0 < x" in left("x >= 0", f"{term} >= 0", node)


EXPANDED = [
    ("1/x", True), ("log(x)/x", True), ("log(x)**3/sqrt(x)", True), ("1 + 1/x", False), ("x/1000", False),
    ("log(x)/1000", False), ("exp(-x)*x**3", True), ("exp(x)/x**9", False),
    ("1/log(x)", True), ("2 + 1/log(x)", False), ("exp(x - x*log(x))", True), ("exp(x*log(x) - x)", False),
    ("exp(x**2 - x*log(x))", False),
    ("exp(-sqrt(log(x)))", True), ("exp(-sqrt(log(x)))*log(x)**3", True), ("x*exp(-sqrt(log(x)))", False),
    ("x**(1/9)*exp(-9*log(x)**(1/3))", False), ("x*exp(-log(x)**(3/2))", True),
]  # fmt: skip
#: the same with a power that is a letter, of numbers between 1 and 2
POWERS = [
    ("x**(-p)", True), ("sqrt(x)*x**(-p)", True), ("log(x)**3*x**(-p)", True), ("x**(-p)*exp(sqrt(log(x)))", True),
    ("x**5*x**(-p)", False), ("x*x**(-p)", False), ("x*x**(-p)*log(x)", False), ("exp(x**5*x**(-p)) - 1", False),
]  # fmt: skip


def has_limit_0(gap, box):
    """Whether an expansion at infinity shows that ``gap`` tends to 0."""
    x = Expansion(Algebra(), box, "x", None, 1, Fraction(1, 2**20), 6, lambda: None)
    try:
        return limit_of(x, parse(gap)) == 0
    except NoExpansion:
        return False


@pytest.mark.parametrize(("gap", "vanishes"), EXPANDED, ids=[gap for gap, _ in EXPANDED])
def test_a_limit_at_infinity_is_that_of_the_fastest_term(gap, vanishes):
    """x log x outgrows x, so that exp(x log x - x) grows; log(x)/x falls although the logarithm grows."""
    assert has_limit_0(gap, {}) is vanishes


@pytest.mark.parametrize(("gap", "vanishes"), POWERS, ids=[gap for gap, _ in POWERS])
def test_a_power_with_a_letter_falls_no_faster_than_a_power(gap, vanishes):
    assert has_limit_0(gap, {"p": (arb(1), arb(2), False, False)}) is vanishes


def test_an_integral_of_nothing_has_no_value_by_a_limit_that_is_another_one():
    """u**5*u**(-p) is 1 for p = 5, at infinity too: the integral of its slope is 0, not -1."""
    term = "integral(5*t**4*t**(-p) - p*t**5*t**(-p - 1), t, 1, oo)"
    node = rule("closed-form", term=term, new="u", by="u**5*u**(-p)", high="0")
    with pytest.raises(Refused):
        left("p == 5", f"{term} == -1", node)
    assert left("p == 6", f"{term} == -1", node)


@pytest.mark.parametrize("rest", [(NINF, ZERO), (ZERO, INF), (NINF, INF)])
def test_a_remainder_without_a_bound_hides_the_limit(rest):
    def bounded(low, high, order=Fraction(1)):
        return SimpleNamespace(of=lambda _: {(): Series({}, order, {order: (low, high, False, False)})})

    assert limit_of(bounded(ZERO, ZERO), parse("x")) == 0
    for order in (Fraction(0), Fraction(-1)):  # as large as the limit itself
        with pytest.raises(NoExpansion):
            limit_of(bounded(ZERO, ZERO, order), parse("x"))
    with pytest.raises(NoExpansion):
        limit_of(bounded(*rest), parse("x"))


def test_a_whole_exponent_takes_any_base_and_only_declared_integers_are_whole():
    def at(base, exponent, whole=True):
        make = Whole if whole else tuple
        one = [parse(t) for t in (*base, *exponent)]
        ends = [enclose(e, {})[0] for e in one]
        box = {"b": (ends[0], ends[1], False, False), "n": make((ends[2], ends[3], False, False))}
        value = enclose(parse("b**n"), box)
        return None if value is None else (float(value[0]), float(value[1]))

    assert at(("0", "1"), ("0", "9")) == (0.0, 1.0)
    assert at(("0", "0"), ("0", "9")) == (0.0, 1.0)  # 0**0 = 1
    assert at(("0", "0"), ("1", "9")) == (0.0, 0.0)
    low, high = at(("-2", "1"), ("0", "3"))
    assert low <= -8 and high >= 8 and high - low < 16.001
    assert at(("-1", "1"), ("-1", "3")) is None
    assert at(("0", "1"), ("0", "9"), whole=False) is None
    assert at(("-2", "1"), ("0", "3"), whole=False) is None
