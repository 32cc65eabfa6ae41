"""What makes a formula defined, and what of that the verifier leaves to prove."""

from __future__ import annotations

import pytest
from sequents import sequent

from boundcheck.kernel.check.sequent import conditions, obligations
from boundcheck.kernel.formula import Expr, parse

CONDITIONS = {
    "1/x": ["x != 0"],
    "x/2": [],
    "1/0": ["0 != 0"],
    "log(x)": ["x > 0"],
    "gamma(x)": ["x > 0"],
    "loggamma(x)": ["x > 0"],
    "sqrt(x)": ["x >= 0"],
    "tan(x)": ["cos(x) != 0"],
    "asin(x)": ["x >= -1", "x <= 1"],
    "acos(x)": ["x >= -1", "x <= 1"],
    "x**2": [],
    "x**0": [],
    "x**-2": ["x != 0"],
    "x**(1/2)": ["x >= 0"],
    "x**(-1/2)": ["x > 0"],
    "x**y": ["x > 0"],
    "2**y": [],
    "E**y": [],
    "(-2)**y": ["-2 > 0"],
    "0**y": ["0 > 0"],
    "exp(x) + sin(x)": [],
    "1/x + 1/x": ["x != 0"],
}


@pytest.mark.parametrize("source", CONDITIONS)
def test_what_makes_a_formula_defined(source):
    assert [str(r) for r in conditions(parse(source))] == CONDITIONS[source]
    assert [str(r) for r in conditions(Expr("polygamma", (parse("x"),), 2))] == ["x > 0"]


OBLIGATIONS = [
    ("x > 0", "1/x", []),
    ("x < 0", "1/x", []),
    ("x != 0", "1/x", []),
    ("x >= 0", "1/x", ["x != 0"]),
    ("x > y", "1/(x - y)", []),
    ("y > x", "1/(x - y)", ["x - y != 0"]),  # y - x is another formula
    ("x != y", "1/(x - y)", []),
    ("x >= y", "1/(x - y)", ["x - y != 0"]),
    ("x == y", "1/(x - y)", ["x - y != 0"]),
    ("x > y", "log(x - y)", []),
    ("x >= y", "log(x - y)", ["x - y > 0"]),
    ("x != y", "log(x - y)", ["x - y > 0"]),
    ("x >= y", "sqrt(x - y)", []),
    ("x > y", "sqrt(x - y)", []),
    ("x == y", "sqrt(x - y)", ["x - y >= 0"]),
    ("y > x", "sqrt(x - y)", ["x - y >= 0"]),
    ("x > 1; x < 0", "log(x)", []),
    ("x >= y", "integral(t/(x - y), t, 0, 1)", ["defined"]),
]


@pytest.mark.parametrize(("where", "source", "wanted"), OBLIGATIONS)
def test_what_is_left_of_definedness(where, source, wanted):
    found = obligations(parse(source), sequent(where, "0 >= 0"))
    assert [s.goal.op if s.goal.op == "defined" else str(s.goal) for s in found] == wanted


@pytest.mark.parametrize(
    ("where", "source", "wanted"),
    [
        ("n >= 0", "x**n", []),
        ("n >= -1", "x**n", ["x != 0"]),
        ("n >= 1", "x**n", []),
        ("n >= 0; y > 0", "x**(n + y)", ["x >= 0"]),
        ("n >= 0", "x**(n/2)", ["x > 0"]),
        ("n >= 1", "x**(n/2)", ["x >= 0"]),
        ("x >= 0", "1/x", ["x != 0"]),
        ("x <= 0", "1/x", ["x != 0"]),
        ("x >= 0", "1/(x + 1) + 1/y", ["y != 0"]),
        ("x <= 0", "1/(x - 1) + 1/y", ["y != 0"]),
        ("x < 0; -y != 0", "1/(1 - x) + 1/y + 1/z", ["z != 0"]),
        ("x > y", "1/(x - y) + 1/z", ["z != 0"]),
        ("x < y", "1/(x - y) + 1/z", ["x - y != 0", "z != 0"]),  # y - x is another formula
        ("x >= y", "1/(x - y) + 1/z", ["x - y != 0", "z != 0"]),
        ("x > 1; x < 0", "1/y", []),
    ],
)
def test_what_is_left_where_exponents_are_whole_and_signs_are_known(where, source, wanted):
    seq = sequent(where, "0 >= 0", "n")
    assert sorted(str(s.goal) for s in obligations(parse(source), seq)) == sorted(wanted)
