"""No mean is CONSISTENT without the power for it: laws with rare huge values, without variance, with wrong facts told.

The whole table, 10^4 repetitions of every law, is a campaign; what is small of it runs always.
"""

from __future__ import annotations

import json
import math
import sys
from dataclasses import replace
from pathlib import Path

import numpy as np
import pytest
from slow import more, thinned

from benchmarks import calibration
from boundcheck.verdict import Status
from proofs_numeric.__main__ import main
from proofs_numeric.model.streams import stream
from proofs_numeric.stats.binomial import critical_count
from proofs_numeric.stats.bounded_mean import Mean
from proofs_numeric.stats.budget import Levels
from proofs_numeric.stats.decision import judge, must_confirm, plan
from proofs_numeric.stats.decision_rules import Exceedance, float_sum
from proofs_numeric.stats.heavy_mean import HeavyMean, influence

ROOT = Path(__file__).resolve().parent.parent
REPORTS = Path(__file__).parent / "data" / "reports"
LAWS = list(calibration.laws())
LEVELS = Levels(1e-3, 1e-6, 5e-4)


def verdicts(capsys, path):
    code = main(["run", str(path), "--json"])
    return code, {r["name"].split("/")[1]: r for r in json.loads(capsys.readouterr().out)["results"]}


def test_a_rare_huge_value_is_underpowered_and_says_what_is_missing(capsys):
    code, found = verdicts(capsys, REPORTS / "rare.py")
    assert code == 0 and set(found) == {"four", "tight-range", "true-variance", "t-law"}
    for name, row in found.items():
        assert row["verdict"] == "UNDERPOWERED", name
        assert row["detectable"] > 2 * row["claimed"] and row["upper"] > 2 * row["claimed"]
        assert "twice the claim" in row["missing"] and "trials" in row["missing"] and "values in [0," in row["given"]


def test_the_run_says_for_people_what_is_missing(capsys):
    assert main(["run", str(REPORTS / "rare.py")]) == 0
    assert "UNDERPOWERED: lem:rare/four (the upper limit" in capsys.readouterr().out


@pytest.mark.parametrize("law", LAWS, ids=lambda law: f"{law.rule}-{law.name}-{law.declared}")
@pytest.mark.parametrize("ratio", [1.0, 2.05])
def test_no_law_is_consistent_above_twice_the_claim(law, ratio):
    case = calibration.measure(law, ratio, 40)
    assert calibration.faults([case]) == [] and sum(case.said.values()) == 40


def test_laws_within_reach_are_told_from_those_beyond():
    """A rule that never says CONSISTENT or never rejects would pass the tests above."""
    coin = calibration.measure(LAWS[0], 1.0, 40), calibration.measure(LAWS[0], 2.05, 40)
    assert coin[0].said[Status.CONSISTENT] == 40 and coin[1].said[Status.REFUTED_STAT] == 40
    far = next(law for law in LAWS if "1e12" in law.declared)
    assert calibration.measure(far, 1.0, 40).said[Status.UNDERPOWERED] == 40


def test_the_table_would_catch_a_rule_that_believes_a_declared_variance(monkeypatch):
    """The planted twin: verdicts by the power that the declared variance promises, as if limits did not matter."""
    monkeypatch.setattr(calibration.MeanTest, "_missing", lambda self, row: "")
    rare = next(law for law in LAWS if law.name == "10^6 at 4e-6")
    said = calibration.faults([calibration.measure(rare, 4.0, 40)])
    assert len(said) == 1 and "CONSISTENT 40 times" in said[0]


def test_the_table_would_catch_a_rule_at_twice_its_level():
    case = calibration.measure(LAWS[1], 1.0, 40)
    assert calibration.faults([replace(case, screened=20)]) and not calibration.faults([replace(case, screened=5)])


@pytest.mark.campaign
def test_the_whole_table_is_as_it_stands_in_the_docs():
    cases = [calibration.measure(law, ratio) for law in LAWS for ratio in calibration.RATIOS]
    assert calibration.faults(cases) == []
    assert calibration.table(cases) == (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8")


def test_the_table_of_the_docs_has_every_law_and_no_consistent_above_twice():
    lines = (ROOT / "docs" / "calibration.md").read_text(encoding="utf-8").splitlines()
    n = int(lines[2].removesuffix(" repetitions.").split()[-1])
    rows = [line.replace("\\|", "/").split("|")[1:-1] for line in lines if line.startswith(("| mean", "| prob"))]
    assert len(rows) == len(LAWS) * len(calibration.RATIOS)
    for row in rows:
        ratio, screened, rejected, consistent, underpowered = map(float, row[4:])
        assert rejected + consistent + underpowered == pytest.approx(1, abs=2e-4)
        assert ratio <= 2 or consistent == 0
        assert ratio > 1 or screened * n < critical_count(n, 0.05, 1e-6)


# What the numbers say of laws one by one


def asked(rule, draw, trials=4096):
    stages, rng = plan(rule, trials, LEVELS), stream("t", f"asked {rule}")
    one = stages.tests[0].summary(draw(rng, trials)), trials
    two = None
    if must_confirm(stages, one):
        two = stages.tests[1].summary(draw(rng, 4 * trials)), 4 * trials
    return judge(stages, one, two)


@pytest.mark.parametrize("variance", [1e-300, 1e-12, 1.0, 1e12, 1e300])
@pytest.mark.parametrize("centre", [-1e9, 0.0, 0.3, 1e9])
def test_no_declared_number_buys_a_verdict(variance, centre):
    """Whatever is told of it, an event of 0.3 is consistent with 0.3, at least 0.6 is not with 0.25."""
    event = lambda q: lambda rng, n: (rng.random(n) < q).astype(float)  # noqa: E731
    assert asked(Mean(0.3, 0.0, 1.0, centre, variance), event(0.3)).status is Status.CONSISTENT
    assert asked(Mean(0.25, 0.0, 1.0, centre, variance), event(0.6)).status is Status.REFUTED_STAT
    assert asked(Mean(1e-3, 0.0, 1.0, centre, variance), event(2e-3)).status is Status.UNDERPOWERED
    assert asked(Mean(0.0, 0.0, 1.0, centre, variance), event(0.0)).status is Status.UNDERPOWERED


@pytest.mark.parametrize("claim", [-1.0, 0.0])
def test_a_claim_that_is_not_positive_has_no_twice(claim):
    said = asked(Mean(claim, -2.0, 2.0, claim, 1.0), lambda rng, n: np.full(n, -2.0))
    assert said.status is Status.UNDERPOWERED and "not positive" in said.missing


@pytest.mark.parametrize("at", range(5))
@pytest.mark.parametrize("wrong", [math.nan, math.inf, -math.inf])
def test_numbers_that_are_not_finite_are_refused(at, wrong):
    numbers = [0.5, 0.0, 1.0, 0.5, 0.25]
    numbers[at] = wrong
    with pytest.raises(ValueError, match=r"bounded mean.*finite"):
        Mean(*numbers)


# Under a moment


@pytest.mark.parametrize("p", [1.001, 1.05, 1.2, 1.5, 1.9, 2.0])
def test_catoni_s_inequality(p):
    """exp(phi(y)) <= 1 + y + |y|^p/p on both sides of 0: what the level of the limits rests on."""
    y = np.geomspace(1e-6, 1e30, 20001)
    for side in (1, -1):
        bound = 1 + side * y + y**p / p
        assert (np.exp(influence(side * y, p)) <= bound * (1 + 1e-12)).all()
    assert influence(np.array([0.0, 1e200, -1e200]), p)[1] == pytest.approx(p * math.log(1e200) - math.log(p))


@pytest.mark.parametrize(("p", "a"), [(1.2, 1.8), more(1.5, 1.8), more(1.1, 1.2), more(2.0, 2.5)])
def test_limits_under_the_exact_moment_cover_a_law_without_variance(p, a):
    mean, v = a / (a - 1), calibration.central_moment(a, p)
    x = calibration.pareto(a)(stream("t", f"cover {p} {a}"), (400, 500))
    test = HeavyMean(mean, p, v, mean, proved="exact", exact=True).test(500, 0.05, 0.1)
    rows = [test.decide(test.summary(row), 500) for row in x]
    assert sum(r.rows[0].upper < mean or r.rows[0].lower > mean for r in rows) <= 60  # 0.1 of 400, and chance
    assert sum(r.rejected for r in rows) <= 40
    assert np.median([r.rows[0].upper for r in rows]) < mean + 4 * test.radius(0.05)


def test_the_central_moment_of_pareto():
    """p = 2 is the variance a/((a - 1)^2 (a - 2))."""
    assert calibration.central_moment(3.0, 2.0) == pytest.approx(3 / 4, rel=1e-9)


def test_a_declared_moment_bears_no_verdict():
    """The same numbers: CONSISTENT and REFUTED-STAT with a proof of the moment, neither without."""
    normal = lambda rng, n: 1 + rng.standard_normal(n)  # noqa: E731
    for proved, said in (("lem:moment", Status.CONSISTENT), ("", Status.UNDERPOWERED)):
        assert asked(HeavyMean(1.0, 2.0, 1.0, 1.0, proved=proved), normal).status is said
    for proved, said in (("lem:moment", Status.REFUTED_STAT), ("", Status.UNDERPOWERED)):
        assert asked(HeavyMean(0.3, 2.0, 1.0, 0.3, proved=proved), normal).status is said
    assert "declared and not proved" in asked(HeavyMean(1.0, 2.0, 1.0, 1.0), normal).missing
    # where a lower end is known, rejecting needs no moment, however wrong the one that was declared
    student = lambda rng, n: np.abs(rng.standard_t(1.5, n))  # noqa: E731
    assert asked(HeavyMean(0.8, 2.0, 1e-6, 0.8, low=0.0), student).status is Status.REFUTED_STAT


def test_a_moment_that_cannot_be_is_an_empty_set():
    x = stream("t", "empty").standard_t(1.5, 4096)
    test = HeavyMean(1.0, 2.0, 1e-12, 0.0, proved="exact").test(4096, 1e-3, 1e-3)
    with pytest.raises(ArithmeticError, match="does not hold"):
        test.decide([0.0] + [math.inf] * (len(test.summary(x)) - 1), 4096)


@pytest.mark.parametrize(
    ("numbers", "word"),
    [
        ((1.0, 1.0, 1.0, 1.0), "p = 1.0"),
        ((1.0, 2.5, 1.0, 1.0), "p = 2.5"),
        ((1.0, 2.0, 0.0, 1.0), "moment"),
        ((1.0, 2.0, math.inf, 1.0), "moment"),
        ((math.nan, 2.0, 1.0, 1.0), "claim"),
        ((1.0, 2.0, 1.0, 1.0, 2.0), "lower end"),
    ],
)
def test_moments_out_of_their_domain_are_refused(numbers, word):
    with pytest.raises(ValueError, match=word):
        HeavyMean(*numbers)


def test_infinite_values_have_no_mean():
    test = HeavyMean(1.0, 2.0, 1.0, 1.0).test(3, 1e-3, 1e-3)
    with pytest.raises(FloatingPointError, match="infinite"):
        test.summary(np.array([1.0, math.inf, 0.0]))


def test_a_value_below_the_lower_end_refutes():
    test = HeavyMean(1.0, 2.0, 1.0, 1.0, low=0.0).test(3, 1e-3, 1e-3)
    assert test.decide(test.summary(np.array([0.5, -0.1, 0.3])), 3).rejected
    assert not test.decide(test.summary(np.array([0.5, 0.1, 0.3])), 3).rejected


def test_sums_of_what_no_double_holds():
    assert float_sum([1e308, 1e308]) == math.inf and float_sum([-1e308] * 3) == -math.inf
    assert math.isnan(float_sum([math.inf, -math.inf])) and float_sum([0.1] * 10) == 1.0
    for values in ([1e308] * 300, [math.inf] * 300, [math.inf, -math.inf] * 200, [math.nan] * 300, [5e-324] * 300):
        by_one, at_once = float_sum(values), float_sum(np.array(values))
        assert by_one == at_once or math.isnan(by_one) is math.isnan(at_once) is True


DRAWN = {
    "even": lambda rng, n: np.log1p(0.3 * (0.03 - rng.random(n))),
    "heavy": lambda rng, n: np.exp(rng.standard_exponential(n) * 20 * rng.random()),
    "all sizes": lambda rng, n: rng.standard_normal(n) * 2.0 ** rng.integers(-200, 200, n),
    "all bits": lambda rng, n: np.full(n, (2 - 2.0**-52) * 2.0 ** float(rng.integers(-50, 50))),
    "two large": lambda rng, n: np.append(rng.uniform(0.5, 1, n) * 2.0 ** (n.bit_length() - 53), [1.5, -1.5]),
    "events": lambda rng, n: rng.random(n) < 0.5,
    "narrow": lambda rng, n: rng.random(n, dtype=np.float32),
    "cancelling": lambda rng, n: np.append(np.outer([1.0, -1.0], rng.standard_normal(n)), 2.0**-70),
    "at a tie": lambda rng, n: np.concatenate(
        [np.full(n, 2.0**53), [1.0], np.full(n, 2.0**-50), -np.full(n, 2.0**53)]
    ),
}


@pytest.mark.parametrize("kind", DRAWN)
def test_an_array_is_summed_as_its_values_one_by_one(kind):
    rng = stream("t", f"sums {kind}")
    for _ in range(40):
        values = DRAWN[kind](rng, int(rng.integers(250, 3000)))
        assert float_sum(values) == math.fsum(map(float, values))


def test_a_part_of_a_sum_may_leave_the_doubles():
    most = sys.float_info.max
    assert float_sum([most, most, -most]) == most and float_sum([most, most, -most, -most, 5e-324]) == 5e-324
    assert float_sum([most, most, -most, -1.0]) == most and float_sum([most, most, -most, 2.0**970]) == math.inf
    assert float_sum([most, most, -math.inf]) == -math.inf
    assert math.isnan(float_sum([most, most, math.inf, -math.inf])) and math.isnan(float_sum([most, most, math.nan]))


RULES = (
    lambda t: Mean(t(24.5), t(-60_000), t(60_000), t(20), t(0.5)),  # in half precision 60_049 is 60_064
    lambda t: HeavyMean(t(0.3), t(1.5), t(0.7), t(0.2), t(-1), "exact"),
    lambda t: Exceedance((t(0.1), t(0.3)), (t(0.7), t(0.2)), watch=(t(0.6),)),
)


@pytest.mark.parametrize("rule", RULES)
@pytest.mark.parametrize("kind", [np.float16, np.float32])
def test_a_rule_is_computed_in_doubles(rule, kind):
    """A claim in half precision made all that is computed from it of half precision: a limit of 49 stood for 64."""
    narrow, wide = rule(kind), rule(lambda v: float(kind(v)))
    values = stream("t", "doubles").random(500)
    for one, other in zip(plan(narrow, 500, LEVELS).tests, plan(wide, 500, LEVELS).tests, strict=True):
        assert one.summary(values) == other.summary(values)
        found, wanted = (t.decide(t.summary(values), 500) for t in (one, other))
        assert found == wanted and {type(v) for row in found.rows for v in vars(row).values()} == {float}


FILE = """
from boundcheck.statement import Decide, Fact, Follows, Parameter, Statement, Step, Use
from proofs_numeric.own import heavy_mean
def moment(label, claim, assumed, names, domain=("S > 0",), more={}):
    return Statement(label=label, title="x", kind="lemma", part="example", text=claim, declares={"X": "random real"},
        parameters=tuple(Parameter(n, "a number", domain if n == "S" else (n + " > 1",)) for n in names),
        hypotheses={"moment": Fact(assumed), **more}, claims=(Fact(claim),),
        steps=(Step(Fact(claim), Follows((Use("moment"),))),))
STATEMENTS = (
    Statement(label="lem:a", title="x", kind="lemma", part="example", text="x**2 >= 0",
        parameters=(Parameter("x", "a number"),), claims=(Fact("x**2 >= 0"),),
        steps=(Step(Fact("x**2 >= 0"), Decide()),)),
    moment("lem:moment", "E(abs(X - E(X))**p) <= S + 1/4", "E(abs(X - E(X))**p) <= S", "pS",
        more={"mean": Fact("integrable(X) == 1")}),
    moment("lem:square", "E(X**2) <= S + 1/4", "E(X**2) <= S", "S"),
    moment("lem:raw", "E(abs(X)**p) <= S", "E(abs(X)**p) <= S", "pS"),
    moment("lem:mean", "E(abs(X)**p) <= S", "E(abs(X)**p) <= S", "pS", more={"mean": Fact("E(X) == 0")}),
    moment("lem:small", "E(abs(X)**p) <= S", "E(abs(X)**p) <= S", "pS", ("S > 0", "S <= 1/8")),
    moment("lem:least", "E(abs(X)**p) >= S", "E(abs(X)**p) >= S", "pS"),
    moment("lem:assumes", "E(X**2) <= S", "E(X**2) <= S", "S", more={"few": Fact("S**2 <= 1/2")}),
)
draw = lambda r, n: 1 + r.standard_normal(n)
CHECKS = (heavy_mean("lem:a", "normal", draw, 1.0, ORDER, 1.0, 1.0, proved=PROVED, at=POINT),)
"""


def asked_of(path, capsys, proved, at, p="2.0"):
    path.write_text(FILE.replace("PROVED", repr(proved)).replace("POINT", repr(at)).replace("ORDER", p))
    code, found = verdicts(capsys, path)
    assert code == 0
    return found["normal"]


@pytest.mark.parametrize(
    ("proved", "at", "p", "why"),  # the moment is declared to be at most 1
    thinned(
        [
            ("lem:moment", {"p": 2, "S": "3/4"}, "2.0", ""),
            ("lem:moment", {"p": 2, "S": 0.75}, "2.0", ""),
            ("lem:moment", {"p": 2, "S": 0.76}, "2.0", "says at most 1.01"),
            ("lem:moment", {"p": 1.5, "S": 0.75}, "2.0", "claims no E(abs(X)**2)"),
            ("lem:moment", {"p": 1.5, "S": 0.75}, "1.5", ""),
            ("lem:moment", {"p": 2}, "2.0", "S is missing"),
            ("lem:moment", {"S": 0.75}, "2.0", "needs values of p"),
            ("lem:moment", {"p": 2, "S": -1}, "2.0", "S > 0 does not hold"),
            ("lem:moment", {"p": 2, "S": 0.75, "T": 1}, "2.0", "no parameter"),
            ("lem:square", {"S": 0.75}, "2.0", ""),  # a variance is at most the second moment
            ("lem:square", {"S": 0.75}, "1.5", "claims no E(abs(X)**1.5)"),
            ("lem:raw", {"p": 1.5, "S": 0.3}, "1.5", ""),  # at most 2**1.5 times that
            ("lem:raw", {"p": 1.5, "S": 0.4}, "1.5", "says at most 1.13"),
            ("lem:mean", {"p": 1.5, "S": 1}, "1.5", ""),
            ("lem:small", {"p": 1.5, "S": 0.2}, "1.5", "S <= 1/8 does not hold"),
            ("lem:least", {"p": 1.5, "S": 1}, "1.5", "claims no E(abs(X)**1.5)"),
            ("lem:assumes", {"S": 0.7}, "2.0", ""),
            ("lem:assumes", {"S": 0.8}, "2.0", "assumes S**2 <= 1/2"),
            ("lem:a", {"x": 1}, "2.0", "claims no E(abs(X)**2)"),
        ],
        2,
    ),
)
def test_a_moment_is_what_the_statement_claims_at_these_values(tmp_path, capsys, proved, at, p, why):
    found = asked_of(tmp_path / "own.py", capsys, proved, at, p)
    assert found["verdict"] == ("UNDERPOWERED" if why else "CONSISTENT"), found
    assert why in (found["missing"] or ""), found
    assert why or f"by {proved} for X = X" in found["given"]


@pytest.mark.parametrize(("proved", "verdict"), [("lem:moment", "CONSISTENT"), ("", "UNDERPOWERED")])
def test_a_user_s_mean_under_a_moment(tmp_path, capsys, proved, verdict):
    found = asked_of(tmp_path / "own.py", capsys, proved, {"p": 2, "S": "3/4"})
    assert found["verdict"] == verdict
    assert found["given"].startswith("E|X - EX|^2 <= 1") and (proved in found["given"])


def test_what_proves_a_moment_must_be_a_statement_of_the_file(tmp_path, capsys):
    path = tmp_path / "own.py"
    path.write_text(FILE.replace("PROVED", repr("lem:momentum")).replace("POINT", "{}").replace("ORDER", "2.0"))
    assert main(["run", str(path)]) == 2
    assert "no statement of the file is called lem:momentum" in capsys.readouterr().err


RESTING = """
from dataclasses import replace
from boundcheck.statement import Cite, Decide, Fact, Follows, Literature, Parameter, Statement, Step, Use
from proofs_numeric.own import heavy_mean
SAID = "E(abs(X)**(21/20)) <= 1/5"  # and so is at most 2**(21/20)/5 about its mean
def statement(label, claim, by):
    return Statement(label=label, title="x", kind="lemma", part="example", text=claim, declares={"X": "random real"},
        parameters=(Parameter("x", "a number"),), claims=(Fact(claim), Fact(SAID)), hypotheses={"said": Fact(SAID)},
        steps=(Step(Fact(claim), by), Step(Fact(SAID), Follows((Use("said"),)))), concludes=((1,), (2,)))
STATEMENTS = (
    statement("lem:false", "x**2 <= 0", Decide()),
    statement("lem:open", "x**2 >= 0", Cite("lem:false")),
    statement("lem:resting", "x**2 <= 0", Cite("lem:false")),
    statement("lem:second", "x**2 <= 0", Cite("lem:resting")),
    statement("lem:book", "x**2 >= 0", Literature("a book")),
    statement("lem:true", "x**2 >= 0", Decide()),
    statement("lem:on-true", "x**2 >= 0", Cite("lem:true")),
)
def draw(r, n):
    return r.random(n)**(-0.9)  # of mean 10; the moment that is claimed of it is wrong
CHECK = heavy_mean("lem:true", "mean", draw, 7.0, 1.05, 0.5, 5.0, proved=PROVED, low=1.0, at={"x": 1})
CHECKS = (HOW,)
"""


@pytest.mark.parametrize(
    ("proved", "told"),
    [
        ("lem:false", "lem:false is REFUTED"),
        ("lem:open", "lem:open is PROVED given lem:false (REFUTED)"),
        ("lem:resting", "lem:resting is PROVED given lem:false (REFUTED)"),
        ("lem:second", "lem:second is PROVED given lem:false (REFUTED)"),
    ],
)
@pytest.mark.parametrize("how", ["CHECK", "replace(CHECK, proved='')"])
def test_a_moment_rests_on_what_is_proved(tmp_path, capsys, proved, told, how):
    path = tmp_path / "own.py"
    path.write_text(RESTING.replace("PROVED", repr(proved)).replace("HOW", how))
    _, found = verdicts(capsys, path)
    assert found["mean"]["verdict"] == "UNDERPOWERED" and told in found["mean"]["missing"], found["mean"]


@pytest.mark.parametrize("proved", ["lem:true", "lem:on-true", "lem:book"])
def test_it_counts_as_proved_where_that_is(tmp_path, capsys, proved):
    path = tmp_path / "own.py"
    path.write_text(RESTING.replace("PROVED", repr(proved)).replace("HOW", "CHECK"))
    _, found = verdicts(capsys, path)
    assert found["mean"]["verdict"] == "CONSISTENT" and proved in found["mean"]["given"]
