"""What makes a formula defined, and what of that the verifier leaves to prove."""

from __future__ import annotations

import pytest
from sequents import left, rule, sequent

from boundcheck.claims import as_claim
from boundcheck.decide.certificates import make
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.check.sequent import Refused, conditions, obligations
from boundcheck.kernel.formula import Expr, Relation, num, parse

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


def test_that_a_term_is_defined_says_nothing_of_its_sign():
    told = Relation("defined", parse("x"), num(0))
    found = obligations(parse("sqrt(x)"), sequent("", "0 >= 0").with_hyps(told))
    assert [str(s.goal) for s in found] == ["x >= 0"]


KINKS = [  # a kink that is taken apart must not take with it what has to be defined
    ("1", "max(x, sqrt(x)**2 - 1)"),
    ("1", "min(log(x) - log(x) - 1 + x, x)"),
    ("2", "abs(max(x + 1, exp(log(x)) - 1))"),
]


@pytest.mark.parametrize(("on", "term"), KINKS)
def test_cases_keep_what_has_to_be_defined(on, term):
    claim = as_claim(f"({term})*sum(k, k, 1, 1) <= abs(x) + 1", [])
    first = rule("case", on=on, then=[rule("eval"), rule("eval")])
    for then in ([rule("eval")] * 2, [rule("hypothesis")] * 2, [rule("defined")] * 2):
        assert not verify(make(claim, [{**first, "then": then}, rule("eval")]), claim).valid
    found = left("", f"defined ({term}) + sum(k, k, 1, 1)", rule("case", on=on))
    assert all("sqrt(x)" in shown or "log(x)" in shown for shown in found)


def test_cases_take_moduli_apart():
    found = left("", "defined 1/abs(x)", rule("case", on="x"))
    assert found == ["x >= 0 |- 1/x defined 0", "x <= 0 |- 1/-x defined 0"]


WHOLE = [  # x**v has no value for x < 0, even where the real v is 2
    ("v == 2", "x**v", rule("substitute", var="v", by="2", inverse="v", new="w"), ""),
    ("v == n", "x**v", rule("substitute", var="v", by="n", inverse="v", new="w"), "n"),
    ("v == 2", "x**(v + 1)", rule("substitute", var="v", by="2", inverse="v", new="w"), ""),
    ("u == 0", "x**asin(u)", rule("arc", term="asin(u)", **{"is": "0"}), ""),
]


@pytest.mark.parametrize(("where", "term", "node", "integers"), WHOLE)
def test_no_whole_exponent_takes_the_place_of_a_real_one(where, term, node, integers):
    with pytest.raises(Refused, match="whole exponent"):
        left(where, f"defined {term} + sum(k, k, 1, 2)", node, integers)
    assert left(where, f"{term} >= 0", node, integers)
    assert left(where, f"defined v + u + {term[3:]} + sum(k, k, 1, 2)", node, integers)


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
