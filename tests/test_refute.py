"""The refuter: slivers, extremes, integers, ties; witnesses are checked from their own text; truths stay unrefuted."""

from __future__ import annotations

import math
import tomllib
from fractions import Fraction
from pathlib import Path

import numpy as np
import pytest

from boundcheck.claims import read_claims
from boundcheck.decide.scalar import refute as refute_module
from boundcheck.decide.scalar import witness_check
from boundcheck.decide.scalar.refute import refute
from boundcheck.decide.scalar.search_space import Sampler, prepare
from boundcheck.decide.scalar.simplest import exact_text, rounded
from boundcheck.decide.scalar.witness_check import check_witness
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.formula import Relation, parse_relation
from boundcheck.kernel.statement import Claim

#: families whose false claims come with a witness
FILES = [
    f
    for f in sorted((Path(__file__).parent.parent / "benchmarks" / "claims").glob("*.toml"))
    if all(c["truth"] or "witness" in c for c in tomllib.loads(f.read_text())["claim"])
]


def _truths() -> dict[str, tuple[bool, dict[str, str]]]:
    found = {}
    for file in FILES:
        for c in tomllib.loads(file.read_text())["claim"]:
            found[c["name"]] = c["truth"], {k: str(v) for k, v in c.get("witness", {}).items()}
    return found


CLAIMS = {c.name: c for f in FILES if f.name != "calculus.toml" for c in read_claims(f)}
TRUTHS = _truths()


@pytest.mark.thorough
def test_every_false_public_claim_is_refuted():
    missed = [n for n, c in CLAIMS.items() if not TRUTHS[n][0] and refute(c, 5.0) is None]
    assert missed == []


@pytest.mark.thorough
@pytest.mark.parametrize("first", range(0, 25, 5))
def test_no_true_public_claim_is_refuted(first):
    """In the time in which all false ones but two have a witness."""
    wrong = {n: w for n, c in list(CLAIMS.items())[first::25] if TRUTHS[n][0] and (w := refute(c, 0.02))}
    assert wrong == {}


@pytest.mark.thorough
def test_printed_witnesses_are_accepted():
    rejected = [n for n, c in CLAIMS.items() if not TRUTHS[n][0] and not check_witness(c, TRUTHS[n][1])]
    assert rejected == []


def _slivers() -> list[tuple[str, list[str], tuple[str, ...]]]:
    return [
        ("(x-1/3)**2 >= 1e-18*(1-1e3*(x-0.3333)**2)", ["0 <= x", "x <= 1"], ()),
        ("x*(1-x) <= 0.25-1e-12", ["0 < x", "x < 1"], ()),
        ("x <= 1-1e-9", ["x < 1"], ()),
        ("x**2-2*x*y+y**2 >= 1e-10*(x+y)", ["0 <= x", "x <= 1", "0 <= y", "y <= 1"], ()),
        ("exp(x) >= 1+x+1e-9*x", ["x >= 0"], ()),
        ("log(1+x) <= x-1e-16*x", ["x > 0"], ()),
        ("log(x) <= x**0.01*36.7", ["x > 0"], ()),
        ("-1/log(1-g) >= 0.02", ["0 < g", "g < 1"], ()),
        ("n**5 >= 2**n-1e6", ["n >= 1"], ("n",)),
        ("n*n*n*n*n >= 3*n**4-100", ["n >= -50"], ("n",)),
        ("x <= 1e30", [], ()),
        ("abs(x-y) > 0", [], ()),
        ("x+y+z <= 1.999999*z", ["x > 0", "z == x+y"], ()),
        ("x == y", ["x >= y"], ()),
        ("floor(x) >= x-0.999999", [], ()),
    ]


@pytest.mark.parametrize(("claim", "where", "integers"), _slivers())
def test_hidden_violations_are_found(claim, where, integers):
    c = Claim.read(claim, where, integers)
    witness = refute(c, 5.0)
    assert witness is not None and check_witness(c, witness)


@pytest.mark.parametrize(
    ("claim", "where"),
    [
        ("exp(x) >= 1+x", []),
        ("x**2-2*x*y+y**2 >= 0", []),
        ("x**2 > 0", ["x != 0"]),
        ("x/x == 1", []),
        ("sqrt(x) >= 0", []),
        ("sin(x) <= 1", []),
        ("sqrt(2)*sqrt(3) >= sqrt(6)", []),
        ("exp(x)*exp(-x) == 1", []),
        ("x > 1", ["x > 1"]),
        ("0 > 1", ["x > 1", "x < 0"]),
    ],
)
def test_truths_and_undefined_claims_are_not_refuted(claim, where):
    assert refute(Claim.read(claim, where), 0.2) is None


def test_wrong_witnesses_are_rejected():
    c = Claim.read("log(x) <= 0.7357*sqrt(x)", ["x > 0"])
    assert check_witness(c, {"x": "7.389"})
    for bad in ({"x": "1"}, {"x": "-1"}, {}, {"x": "7.389", "y": "1"}, {"x": "7.389.1"}, {"x": "1/0"}, {"x": "nan"}):
        assert not check_witness(c, bad)
    n = Claim.read("n**2 != 2", ["n > 0"], ("n",))
    assert not check_witness(n, {"n": "1.4142135623730951"})
    tie = Claim.read("sqrt(2)*sqrt(3) > sqrt(6)")
    assert check_witness(tie, {}) and refute(tie, 0.5) == {}
    strict = Claim.read("x < y", ["x <= y"])
    assert check_witness(strict, {"x": "0.1", "y": "0.1"})
    assert not check_witness(Claim.read("x <= y", ["x <= y"]), {"x": "0.1", "y": "0.1"})


def test_the_name_and_the_seed_of_nothing_matter():
    one = Claim.read("x <= 0.7", ["x < 1"], name="surely-true")
    two = Claim.read("x <= 0.7", ["x < 1"], name="near-miss-b")
    found = refute(one, 1.0)
    assert found is not None and found == refute(two, 1.0)


def test_stuck_boxes_are_looked_at():
    c = Claim.read("(x-0.123456789)**2 >= 1e-20*(2-y)", ["0 <= x", "x <= 1", "0 <= y", "y <= 1"])
    box = {"x": (0.12345678, 0.12345679), "y": (0.0, 0.1)}
    assert check_witness(c, refute(c, 3.0, [box]) or {})


def test_time_is_kept():
    start = seconds_used()
    assert refute(Claim.read("exp(x)+exp(y) >= 2*exp((x+y)/2)"), 0.3) is None
    assert 0.3 <= seconds_used() - start < 2.0


def test_integrals_in_a_claim():
    c = Claim.read("integral(exp(-c*t), t, 0, oo) <= 0.9/c", ["c > 0"])
    witness = refute(c, 5.0)
    assert witness is not None and check_witness(c, witness)


@pytest.mark.parametrize(
    ("value", "digits", "text"),
    [(0.1, 3, "0.1"), (1234567.0, 3, "1230000"), (2.7e43, 2, "2.7e43"), (-0.00012, 2, "-0.00012"), (1e-9, 3, "1e-9"),
     (0.0, 3, "0"), (2 / 3, 30, "0.666666666666666629659232512495")],
)  # fmt: skip
def test_short_decimals(value, digits, text):
    assert exact_text(rounded(Fraction(value), digits)) == text


@pytest.mark.parametrize(
    ("value", "text"),
    [
        (Fraction(1) - Fraction(1, 10**20), "0.99999999999999999999"),
        (Fraction(-7, 4), "-1.75"),
        (Fraction(1, 3), "1/3"),
        (Fraction(5), "5"),
        (Fraction(1, 10**401), "1e-401"),
        (Fraction(3 * 10**40), "3e40"),
    ],
)
def test_exact_texts_read_back(value, text):
    assert exact_text(value) == text
    assert Fraction(text) == value


def test_samples_respect_bounds_and_equalities():
    problem = prepare(Claim.read("x+y+n >= 0", ["1 <= x", "x <= 2", "y == x**2", "n >= 3"], ("n",)))
    assert problem.names == ("n", "x") and problem.solved[0][0] == "y"
    drawn = Sampler(problem, 0).draw(500)
    assert drawn["x"].min() >= 1 and drawn["x"].max() <= 2 and drawn["n"].min() >= 3
    assert np.array_equal(drawn["n"], np.round(drawn["n"]))
    again = Sampler(problem, 0).draw(500)
    assert np.array_equal(drawn["x"], again["x"])


def test_a_box_beyond_the_search_range_is_sampled_at_its_edge():
    claim = Claim.read("exp(n) > n", ["n > 2"], ["n"])
    found = refute(claim, 0.2, boxes=[{"n": (float("inf"), float("inf"))}])
    assert found is None


TRUE_FOR = {"<": (-1,), "<=": (-1, 0), ">": (1,), ">=": (0, 1), "==": (0,), "!=": (-1, 1)}


@pytest.mark.parametrize("op", TRUE_FOR)
@pytest.mark.parametrize(
    ("left", "right", "order"),
    [
        ("x", "2", -1), ("x", "1", 0), ("x", "1/2", 1), ("sqrt(2)*x", "1.5", -1), ("sqrt(8)*x", "2*sqrt(2)", 0),
        ("sqrt(2)*x", "1.4", 1), ("exp(x)", "E", 0), ("pi*x", "3.15", -1), ("x", "1 + 1e-30", -1), ("x",
        "1 - 1e-30", 1),
    ],
)  # fmt: skip
def test_a_witness_breaks_a_claim_or_meets_a_hypothesis_exactly_as_the_relation_says(op, left, right, order):
    at = {"x": "1"}
    relation = f"{left} {op} {right}"
    assert check_witness(Claim.read(relation, ["x > 0"]), at) == (order not in TRUE_FOR[op])
    assert check_witness(Claim.read("x > 1", [relation]), at) == (order in TRUE_FOR[op])


@pytest.mark.parametrize("side", ["1/(x - 1)", "log(x - 2)", "sqrt(x - 2)", "(x - 1)**-1"])
def test_a_point_where_a_side_is_undefined_is_no_witness(side):
    for op in TRUE_FOR:
        assert not check_witness(Claim.read(f"{side} {op} 3"), {"x": "1"})
        assert not check_witness(Claim.read("x > 1", [f"{side} {op} 3"]), {"x": "1"})
        assert not check_witness(Claim.read(f"3 {op} {side}"), {"x": "1"})
    assert check_witness(Claim.read("x > 1"), {"x": "1"})


def test_every_hypothesis_and_one_part_of_the_claim_decide():
    chain = Claim.read("0 < x < 1", ["x >= -5", "x <= 5"])
    for x, broken in (("-1", True), ("1/2", False), ("2", True), ("-6", False), ("6", False)):
        assert check_witness(chain, {"x": x}) is broken
    pair = Claim.read("n >= y", ["y >= 0"], ("n",))
    assert check_witness(pair, {"n": "0", "y": "1/2"}) and not check_witness(pair, {"n": "1/4", "y": "1/2"})
    assert not check_witness(pair, {"n": "0"}) and not check_witness(pair, {"n": "0", "y": "1/2", "z": "0"})


NONE: frozenset[str] = frozenset()
#: Equal, but no normal form knows it: balls overlap at every precision.
OPEN = ("gamma(1/3)*gamma(2/3)", "2*pi/sqrt(3)")
SIDES = [("x", "2", -1), ("x", "1", 0), ("x", "1/2", 1), ("sqrt(2)*x", "1.5", -1), ("sqrt(8)*x", "2*sqrt(2)", 0),
("pi", "3*x", 1),
         ("x", "sqrt(2)", -1), ("sqrt(2)", "x", 1)]  # fmt: skip


@pytest.mark.parametrize("op", TRUE_FOR)
def test_each_arithmetic_alone_tells_the_truth(op):
    one = {"x": Fraction(1)}
    for left, right, order in SIDES:
        r, holds = parse_relation(f"{left} {op} {right}"), order in TRUE_FOR[op]
        for truth in (True, False):
            assert witness_check._ball_decides(r, one, NONE, truth) is (holds is truth), (str(r), truth)
        assert witness_check._mp_decides(r, {"x": "1"}, NONE) is holds, str(r)
    for undefined in ("1/(x - 1)", "log(x - 2)", "sqrt(x - 2)"):
        for r in (parse_relation(f"{undefined} {op} 3"), parse_relation(f"3 {op} {undefined}")):
            for truth in (True, False):
                assert not witness_check._ball_decides(r, one, NONE, truth), str(r)
            assert witness_check._mp_decides(r, {"x": "1"}, NONE) is None
    for truth in (True, False):
        assert not witness_check._ball_decides(parse_relation(f"{OPEN[0]} {op} {OPEN[1]}"), {}, NONE, truth)
    for text, order in ((f"x {op} 1 + 1e-40", -1), (f"x {op} 1 + 1e-48", 0), (f"1e9*x {op} 1e9 + 1e-38", 0)):
        assert witness_check._mp_decides(parse_relation(text), {"x": "1"}, NONE) is (order in TRUE_FOR[op])


@pytest.mark.parametrize(("deadline", "bits"), [(0.0, [64]), (11.5, [64, 256]), (math.inf, [64, 256, 1024, 4096])])
def test_no_finer_balls_are_begun_that_would_end_after_the_deadline(deadline, bits, monkeypatch):
    """Each takes a second here; four times the bits are expected to take ten times as long as the ones before."""
    clock, seen, at_point = [0.0], [], witness_check.in_balls.at_point

    def timed(e, point, prec, integers):
        if prec not in seen:
            seen.append(prec)
            clock[0] += 1.0
        return at_point(e, point, prec, integers)

    monkeypatch.setattr(witness_check, "seconds_used", lambda: clock[0])
    monkeypatch.setattr(witness_check.in_balls, "at_point", timed)
    tie = Claim.read(f"{OPEN[0]} != {OPEN[1]}", ())
    assert not check_witness(tie, {}, deadline) and seen == bits
    assert check_witness(Claim.read("pi > 4", ()), {}, -1.0) is False, "nothing is begun"
    assert check_witness(Claim.read("pi > 4", ()), {}) is True


@pytest.mark.parametrize("alone", ["balls", "mpmath"])
def test_a_witness_must_pass_in_either_arithmetic(alone, monkeypatch):
    if alone == "balls":
        claimed: list[Relation] = []
        monkeypatch.setattr(witness_check, "_mp_decides", lambda r, witness, integers: r not in claimed)
    else:
        claimed = []
        monkeypatch.setattr(witness_check, "_ball_decides", lambda *_: True)
    for where, claim, good in (("x > 0", "x > 1", True), ("x > 1", "x > 1", False), ("x > 0", "x >= 1", False),
    ("x < 1", "x > 1", False),
                               ("x >= 1", "x < 1", True), ("x != 1", "x < 1", False), ("x == 1", "x < 1",
                               True)):  # fmt: skip
        about = Claim.read(claim, [where, "x > -5"])
        claimed[:] = about.claim
        assert check_witness(about, {"x": "1"}) is good, (where, claim)
        turned = Claim.read(claim, ["x > -5", where])
        claimed[:] = turned.claim
        assert check_witness(turned, {"x": "1"}) is good


@pytest.mark.parametrize(
    ("claim", "seen"), [("2*integral(t, t, 0, x) == x**2", False), ("integral(t, t, 0, x) < x", True)]
)
def test_a_point_that_was_not_seen_to_break_is_worth_no_more_than_the_budget(claim, seen, monkeypatch):
    asked = []
    monkeypatch.setattr(refute_module, "check_witness", lambda claim, texts, until: asked.append(until))
    assert refute(Claim.read(claim, ("x > 0",)), 2.0) is None
    assert asked and (math.inf in asked) is seen


@pytest.mark.parametrize("where", ["x == k", "k == x", "2*x - k == k", "x == k; k == y"])
def test_a_value_is_put_where_no_name_of_it_is_bound(where):
    """x is k outside of the sum, whose own k is another one."""
    false = Claim.read("sum(k*x, k, 1, 2) == 2*k", where.split("; "))
    true = Claim.read("sum(k*x, k, 1, 2) == 3*k", where.split("; "))
    witness = refute(false, 5.0)
    assert (
        witness is not None and check_witness(false, witness) and Fraction(witness["x"]) == Fraction(witness["k"]) != 0
    )
    assert refute(true, 0.3) is None
