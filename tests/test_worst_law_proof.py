"""The worst-law engine with provers that are told what to say: a proof needs each condition and each region."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from fractions import Fraction

import numpy as np
import pytest
from flint import arb
from test_worst_law import BIAS_BOUND, DOMAIN, SQUARE_BOUND, TWINS, bias, power, square
from worst_problems import tails, worst

from boundcheck.arith.floats import compile_function
from boundcheck.decide.worst_case import worst_law
from boundcheck.decide.worst_case.extremal_law import WorstLaw, clipped_square, excess
from boundcheck.decide.worst_case.worst_law import decide_worst_law
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import num, parse_relation, var
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status, Verdict

F = Fraction
WEAK = tails("0", "min(1, (sigma/t)**p)")


def moment(bound: str) -> WorstLaw:
    domain = ["p > 1", "p <= 3", "q > 0", "q < p", "sigma > 0"]
    return worst("moment", WEAK, power(var("q")), bound, domain)


LOOSE = moment("2*sigma**q*p/(p - q)")


@pytest.fixture(autouse=True)
def no_points(monkeypatch):
    """Without points of the domain nothing is refuted: what is false must fail to be proved."""
    monkeypatch.setattr(worst_law, "CANDIDATES", 0)


def decided(problem: WorstLaw, proves: Callable[[str, Claim], bool]) -> tuple[Verdict, list[tuple[str, Claim]]]:
    asked = []

    def prover(claim: Claim, _: float) -> Verdict:
        why = claim.name.removeprefix(f"{problem.name}: ")
        asked.append((why, claim))
        return Verdict(claim.name, Status.PROVED if proves(why, claim) else Status.UNDECIDED, certificate={"of": why})

    return decide_worst_law(problem, 30.0, prover), asked


@pytest.mark.parametrize("problem", [bias(), square(), LOOSE], ids=lambda q: q.name)
def test_a_proof_needs_every_condition_of_the_law(problem):
    verdict, asked = decided(problem, lambda *_: True)
    assert verdict.status is Status.PROVED and verdict.slack == (1.0, None)
    parts = verdict.certificate["parts"]
    assert [q["certificate"]["of"] for q in parts if "certificate" in q] == [why for why, _ in asked]
    conditions = [c for why, c in asked if why in ("side condition", "finite supremum")]
    assert len(conditions) >= 4
    for c in conditions:
        found, _ = decided(problem, lambda _, claim, c=c: claim != c)
        assert found.status is Status.UNDECIDED and str(c.claim[0]) in found.reason
        assert [s.name for s in found.steps] == [c.name]


def test_a_proof_needs_every_region():
    """Upper bounds of a loose cover, or else each region itself."""

    def asked(*refused: str) -> list[tuple[str, Claim]]:
        return decided(square(), lambda why, _: why not in refused)[1]

    uppers = [c for why, c in asked("empty region") if why == "upper bound"]
    assert len(uppers) == 2
    for one in uppers:
        found, _ = decided(square(), lambda why, c, one=one: why in ("side condition", "upper bound") and c != one)
        assert found.status is Status.UNDECIDED
    regions = [c for why, c in asked("empty region", "upper bound") if why == "supremum"]
    assert len(regions) == 7
    refused = ("empty region", "upper bound")
    assert decided(square(), lambda why, _: why not in refused)[0].status is Status.PROVED
    for one in regions:
        found, _ = decided(square(), lambda why, c, one=one: why not in refused and c != one)
        assert found.status is Status.UNDECIDED and found.reason.startswith("open where ")


def test_empty_regions_alone_prove_nothing():
    for problem in (bias("2**p*tau"), square(), LOOSE):
        found, asked = decided(problem, lambda why, _: why in ("side condition", "finite supremum", "empty region"))
        assert found.status is Status.UNDECIDED
        assert any("supremum" in why for why, _ in asked), "of two opposite regions one is left"


def test_where_two_regions_meet_one_of_them_is_kept():
    """The tail is 1 at the threshold everywhere: s is on the border of both regions, of which only one may go."""
    border = tails("s", "c*t**(-2)")
    false, true = (
        worst("border", border, excess(var("s")), b, ["s >= 7", "s <= 8", "c > 0", "c == s**2"]) for b in ("s/9", "s")
    )
    assert decide_worst_law(false, 5.0).status is not Status.PROVED
    assert decide_worst_law(true, 5.0).status is Status.PROVED


def test_a_scale_is_removed_only_where_the_claim_is_homogeneous():
    found, asked = decided(LOOSE, lambda *_: True)
    (own,) = [c for why, c in asked if why == "supremum"]
    assert "sigma" not in own.claim[0].free and "scaled from" in found.certificate["parts"][-1]
    found, asked = decided(moment("2*sigma**q*p/(p - q) + 1"), lambda *_: True)
    (own,) = [c for why, c in asked if why == "supremum"]
    assert "sigma" in own.claim[0].free and not any("scaled from" in q for q in found.certificate["parts"])


SCALED = [
    ("S**p*tau**(2 - p) <= 3*S**2 - tau*S/9", ("S > 0", "tau >= 4*S", "p > 1", "p <= 2")),
    ("a - b <= a*log(a/b)/2 + b/4", ("a > 0", "b > 0", "a >= b")),
    ("x*y - z**2 <= x*z", ("x > 0", "y > 0", "z > 0", "x <= y + z")),
    ("-(x*y) + z**2 >= -(x*z) - 2*y*z", ("x > 0", "y > 0", "z > 0", "x - y <= 3*z")),
    ("x*log(x/y) <= 2*x - y", ("x > 0", "y > 0", "y >= x/7")),
]


@pytest.mark.parametrize(("claim", "where"), SCALED)
def test_a_scaled_claim_has_the_truth_of_the_claim(claim, where):
    """At points with the unit at 1, which any other point has on its ray."""
    seq = Sequent(tuple(map(parse_relation, where)), parse_relation(claim))
    (unit,), found = worst_law._simpler(seq)
    rng = np.random.default_rng(3)
    columns = {n: np.exp(rng.uniform(-1.5, 1.5, 4000)) for n in sorted(seq.goal.free)}
    columns[unit] = np.ones(4000)
    if "p" in columns:
        columns["p"] = rng.uniform(1.01, 2, 4000)
    relations = [seq.goal, found.goal, *(r for r in seq.hyps if r.free - {unit}), *(r for r in found.hyps if r.free)]
    run = compile_function([r.gap for r in relations], tuple(columns))
    with np.errstate(all="ignore"):
        mine, other, *given = [v > 1e-9 * (1 + np.abs(v)) for v in run(list(columns.values()))]
    inside = np.all(given, axis=0)
    assert (mine & inside).any() and (~mine & inside).any(), "both truths occur"
    assert (mine == other)[inside].mean() > 0.9999


def test_a_witness_of_a_scaled_claim_has_the_scale_at_1():
    def prover(claim: Claim, _: float) -> Verdict:
        region = claim.name.endswith(": supremum")
        witness = {"p": "2", "q": "1"} if region else None
        return Verdict(claim.name, Status.REFUTED if region else Status.PROVED, witness=witness)

    found = decide_worst_law(LOOSE, 10.0, prover)
    assert found.status is Status.UNDECIDED, "what the extremal law does not confirm refutes nothing"
    assert [s.witness for s in found.steps] == [{"p": "2", "q": "1", "sigma": "1"}]


# ---------------------------------------------------------------- a prover that tells the truth about points


def true_at_points(_: str, claim: Claim) -> bool:
    """Whether a claim holds at all of many points of its domain, with p = 2 and p = q + small among them."""
    rng = np.random.default_rng(7)
    n = 6000
    p = np.where(rng.random(n) < 0.3, 2.0, rng.uniform(1.001, 2, n))
    size = np.exp(rng.uniform(-2, 2, n)) * np.where(rng.random(n) < 0.5, 1, 0) + 1.0
    far = np.exp(np.abs(rng.normal(0, 1, n)) * rng.choice([0, 0.5, 2, 20, 200], n))
    columns = {"p": p, "S": size, "tau": 4 * size * far, "q": p * rng.uniform(0.01, 0.99, n), "sigma": size}
    if "S" not in claim.variables and "tau" in claim.variables:
        columns["tau"] = columns["tau"] / size
    names = list(columns)
    with np.errstate(all="ignore"):
        values = compile_function([r.gap for r in (*claim.claim, *claim.where)], names)([columns[k] for k in names])
    goal, *given = [np.broadcast_to(v, (n,)) for v in values]
    inside = np.all([v >= -1e-12 for v in given], axis=0)
    (relation,) = claim.claim
    good = {"<": goal > 0, ">": goal > 0, "==": np.abs(goal) < 1e-12}.get(relation.op, goal >= -1e-12)
    return bool(good[inside].all())


@pytest.mark.parametrize(
    "problem", [bias(), square(), moment("sigma**q*p/(p - q)"), LOOSE], ids=lambda q: str(q.bound)
)
def test_a_true_bound_follows_from_true_claims(problem):
    assert decided(problem, true_at_points)[0].status is Status.PROVED


FALSE = [
    *TWINS,
    moment("0.999*sigma**q*p/(p - q)"),
    moment("sigma**q*(p + 1/10)/(p + 1/10 - q)"),
    # false in one region alone: where the tail is below 1 at tau, where it is not, where p is 2
    square("64*S**p*tau**(2 - p)*(1 + log(tau/S)) - 16*S**2*(tau/S - 4)"),
    square("tau**2 - (tau - 4*S)**2"),
    square(f"{SQUARE_BOUND}*(p - 1)*(2 - p)"),
    bias(f"{BIAS_BOUND} - S*(4*S/tau)**9/100"),
    bias(f"{BIAS_BOUND}*(1 - (4*S/tau)**9/10)"),
]


@pytest.mark.parametrize("twin", FALSE, ids=lambda q: str(q.bound))
def test_a_false_bound_does_not_follow_from_true_claims(twin):
    assert decided(twin, true_at_points)[0].status is not Status.PROVED


# ---------------------------------------------------------------- refutations


def test_a_refutation_is_looked_at_twice(monkeypatch):
    """Neither a bracket below 1 nor a prover's witness refutes what the quadrature does not confirm."""
    monkeypatch.setattr(worst_law, "CANDIDATES", 40)
    twin = moment("0.9*sigma**q*p/(p - q)")
    found = decided(twin, true_at_points)[0]
    assert found.status is Status.REFUTED and found.slack[1] < 1
    point = {k: F(v) for k, v in found.witness.items()}
    assert found.certificate["bound"] and "E k >=" in found.reason and set(point) == {"p", "q", "sigma"}
    for value in (arb(0), arb.nan()):
        with monkeypatch.context() as told:
            told.setattr(worst_law, "lower_bound_by_quadrature", lambda *_, value=value: value)
            assert decided(twin, true_at_points)[0].status is Status.UNDECIDED
    real = worst_law.evaluate
    with monkeypatch.context() as told:
        told.setattr(worst_law, "evaluate", lambda *q: replace(real(*q), slack_high=0.5))
        assert decided(LOOSE, true_at_points)[0].status is Status.PROVED


def test_a_provers_witness_is_looked_at():
    wrong = dict.fromkeys(["p", "S", "tau"], "2")

    def prover(witness: dict[str, str] | None) -> Callable[[Claim, float], Verdict]:
        def told(claim: Claim, _: float) -> Verdict:
            if claim.name.endswith((": supremum", "upper bound", "upper bound of the supremum", ": empty region")):
                return Verdict(claim.name, Status.REFUTED, witness=witness)
            return Verdict(claim.name, Status.PROVED if claim.name.endswith("condition") else Status.UNDECIDED)

        return told

    for witness in (None, {}, {"p": "2"}, {**wrong, "tau": "16"}):
        assert decide_worst_law(square(), 5.0, prover(witness)).status is Status.UNDECIDED
    found = decide_worst_law(square(f"{SQUARE_BOUND}/64"), 5.0, prover({**wrong, "tau": "16"}))
    assert found.status is Status.REFUTED and found.witness == {**wrong, "S": "1", "tau": "16"}


def test_an_infinite_supremum_needs_a_point_where_the_bound_is_a_number(monkeypatch):
    monkeypatch.setattr(worst_law, "CANDIDATES", 400)
    domain = ["p > 1/2", "p <= 2", "S > 0", "tau >= 4*S"]
    assert decided(bias("S/(p - p)", domain), true_at_points)[0].status is Status.UNDECIDED
    found, _ = decided(bias("S + tau", domain), lambda why, _: why != "finite supremum")
    assert found.status is Status.REFUTED and F(found.witness["p"]) <= 1
    assert found.certificate["violates"] == "1 - p < 0"
    found, _ = decided(bias("S + tau", DOMAIN), lambda why, _: why != "finite supremum")
    assert found.status is Status.UNDECIDED and "a finite supremum needs" in found.reason


def test_time_that_ran_out_proves_nothing(monkeypatch):
    monkeypatch.setattr(worst_law, "seconds_used", lambda: 5.0)
    assert decide_worst_law(LOOSE, 1.0, lambda c, s: Verdict(c.name, Status.PROVED)).status is Status.PROVED
    found = decide_worst_law(LOOSE, 0.0, lambda c, s: Verdict(c.name, Status.PROVED))
    assert found.status is Status.UNDECIDED and "time ran out" in found.reason
    left = []
    decide_worst_law(LOOSE, 1.0, lambda c, s: left.append(s) or Verdict(c.name, Status.PROVED))
    assert set(left) == {1.0}


def test_a_strict_bound_that_is_attained_is_not_proved():
    jump = WorstLaw("jump", tails("1", "t**(-2)/10"), clipped_square(num(2)), num(2), (), strict=True)
    assert decide_worst_law(jump, 5.0).status is Status.PROVED
    attained = replace(moment("sigma**q*p/(p - q)"), strict=True)
    assert decided(attained, true_at_points)[0].status is not Status.PROVED
