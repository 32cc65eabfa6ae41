"""Every number that a page of the docs states is that of the code or of the stored data, which fit each other.

Blocks with commands are run by tests/test_docs.py; here is what stands in sentences and tables. Timings are the
business of benchmarks/README.md and are not compared.
"""

from __future__ import annotations

import json
import math
import re
from fractions import Fraction
from pathlib import Path
from typing import Any

import mpmath
import numpy as np
import pytest
from flint import acb, ctx
from scipy import stats

from boundcheck import claims
from boundcheck.app.reporting.sources import DATA
from boundcheck.kernel.formula import parse_relation, reader
from boundcheck.paper import catalogue, formulas, lookup
from boundcheck.paper.values import value as bound
from boundcheck.plans.plan_table import PROBLEMS, RADII, planned, rows
from boundcheck.plans.theorem_plan import exact, smallest, value, within
from boundcheck.pytest_plugin import CHEAP
from boundcheck.stored import decisions
from proofs_numeric.campaigns import audit, results
from proofs_numeric.campaigns.campaign import run
from proofs_numeric.campaigns.executors import SerialExecutor
from proofs_numeric.campaigns.ledger import Ledger
from proofs_numeric.checks import high_dimension, registry, sharp
from proofs_numeric.checks.cell import CLAIM, PLANTED
from proofs_numeric.checks.floor_cells import FLOORS
from proofs_numeric.checks.prescribed import LINE, MOMENTUM_LINE, RUNS
from proofs_numeric.exact_in_law import by_values, noise_floors
from proofs_numeric.experiments.controlled_floors import AGREEMENT, RELAXATIONS, predicted
from proofs_numeric.experiments.controlled_settings import Configuration, Settings
from proofs_numeric.experiments.controlled_theory import direction_moment, prescribed
from proofs_numeric.precision import ties
from proofs_numeric.tuning import watch

DOCS = Path(__file__).parent.parent / "docs"


def page(name: str) -> str:
    """A page with its line ends as spaces."""
    return " ".join((DOCS / name).read_text(encoding="utf-8").split())


def stored(name: str) -> dict[str, Any]:
    found: dict[str, Any] = json.loads((DATA / name).read_text(encoding="utf-8"))
    return found


def says(text: str, *parts: str) -> list[str]:
    """The parts that a page lacks."""
    return [part for part in parts if part not in text]


# ---------------------------------------------------------------- stored data against the code


CELLS = {c["name"]: c for c in stored("monte_carlo.json")["cells"]}


def test_no_stored_decision_is_stale():
    known = decisions.load()["decisions"]
    old = known.keys() - decisions.current(catalogue(), known).keys()
    assert not old, "`python -m boundcheck.lemma check --save` decides them anew"
    assert known.keys() == catalogue().keys()


def test_stored_cells_are_those_of_the_code():
    """The same cells with the same claims at the same thresholds: nothing is left of an earlier question."""
    assert CELLS.keys() == registry().keys()
    for key, cell in registry().items():
        old = CELLS[key]
        assert (old["label"], old["kind"], old["note"]) == (cell.label, cell.kind, cell.note)
        assert old["precision"] == (cell.precision or "float64")
    claims_and_some = [k for n, (k, c) in enumerate(registry().items()) if c.kind == CLAIM or n % 8 == 0]
    for key in claims_and_some:
        old, rule = CELLS[key], registry()[key].rule()
        if hasattr(rule, "levels"):
            assert [r["threshold"] for r in old["rows"]] == pytest.approx(list(rule.thresholds), rel=1e-9), key
            assert [r["claimed"] for r in old["rows"]] == pytest.approx(list(rule.levels), rel=1e-9), key
        else:
            assert old["claimed"] == pytest.approx(rule.claimed, rel=1e-9), key


@pytest.mark.parametrize(
    "key",
    [
        "lem:hp-shared-directional-signal-tail/quadratic-d3-p1.8-student-axis",
        "lem:hp-shared-clipped-bias-abstract/extremal-p1.5-tau16",
        "lem:hp-shared-clipping-bias/planted-no-d",
        "cor:hp-shared-localized/quadratic-d1-p1.5-pareto-axis-mu1e-06-tau4-M32",
        "thm:momentum-main/law-linear",
        "app:sharp-bernstein/successes-M64-q0.5",
    ],
)
def test_stored_numbers_come_out_again(key):
    """The seed that is stored, drawn by the code that is here. NumPy promises the same numbers for one version."""
    data = stored("monte_carlo.json")
    if data["provenance"]["numpy"] != np.__version__:
        pytest.skip(f"the stored numbers are those of NumPy {data['provenance']['numpy']}")
    with Ledger() as ledger:
        [found] = run([registry()[key]], SerialExecutor(), ledger, data["seed"])
    now, old = results.entry(found, data["seed"]), CELLS[key]
    for field in ("verdict", "trials", "bad", "observed", "upper"):
        assert now[field] == pytest.approx(old[field]) if isinstance(old[field], float) else now[field] == old[field]


def test_the_stored_comparison_is_that_of_the_code():
    old, now = stored("monte_carlo.json")["deviation"], sharp.comparison()
    assert len(old) == len(now)
    for a, b in zip(old, now, strict=True):
        assert a["cell"] == b["cell"]
        numbers = [k for k in b if k != "cell"]
        assert [a[k] for k in numbers] == pytest.approx([b[k] for k in numbers], rel=1e-3)


def test_stored_plans_are_those_of_the_code():
    """All problems are there, and one plan of each method and each set of constants is made again."""
    table = stored("plans.json")["rows"]
    assert len(table) == len(PROBLEMS) * 2 * len(RADII) * 2
    problem = PROBLEMS[1]
    mine = [r for r in table if (r["p"], r["d"], r["radius"]) == (float(problem.p), problem.d, RADII[0])]
    assert len(mine) == 4
    for row in mine:
        beta = None if row["beta"] is None else Fraction(str(row["beta"]))
        again = planned(problem, beta, problem.eps / (16 * problem.L * problem.d), row["constants"])
        assert (row["T"], row["M"], row["queries"]) == tuple(str(getattr(again, k)) for k in ("T", "M", "queries"))
        assert row["M0"] == (None if beta is None else str(again.M0))


def test_stored_closed_forms_are_those_of_the_code():
    data = stored("controlled.json")
    settings = Settings(**{k: tuple(v) if isinstance(v, list) else v for k, v in data["settings"].items()})
    some = data["floors"]["rows"][::9]
    assert {row["method"] for row in some} == {"scalar", "vector", "raw"}
    for row in some:
        steps = round(row["relaxations"] / (row["alpha"] * row["kappa"]))
        if steps != settings.steps:
            continue  # the many short raw runs
        floor = predicted(settings, row["d"], row["p"], Configuration(row["method"], row["alpha"], row["level"]))
        assert (floor.leading, floor.refined) == pytest.approx((row["leading"], row["refined"]), rel=1e-4)
    for row in data["prescribed"]:
        theory = prescribed(row["p"], row["d"], settings.batch, settings.steps, settings.delta, settings.x0_norm, 1.0)
        assert (theory.tau, theory.deviation) == pytest.approx((row["tau"], row["deviation_bound"]), rel=1e-4)
    ratios = [row["tau"] / row["tuned_tau"] for row in data["prescribed"]]
    assert data["summary"]["prescribed_over_tuned_tau"] == pytest.approx([min(ratios), max(ratios)], rel=1e-4)


# ---------------------------------------------------------------- pages


def test_campaigns_names_digits_and_trials():
    few = {6: "six"}[audit.TRIALS]
    first, *rest = ties.DIGITS
    listed = ", ".join(map(str, rest[:-1])) + f" and {rest[-1]}"
    tolerance = f"10^{math.log10(by_values.TOLERANCE):.0f}"
    wanted = [
        f"After a run {few} trials of every finished cell are computed again in balls of {audit.DIGITS} digits",
        f"with {first} digits, then {listed}",
        f"A trial that {ties.DIGITS[-1]} digits cannot tell",
        f"compares this with {tolerance} of the scale",
    ]
    assert says(page("campaigns.md"), *wanted) == []


def test_campaigns_names_what_floats_lose_at_a_small_radius():
    losses = {
        float(m[1]): float(m[2])
        for c in CELLS.values()
        if (m := re.match(r"mu = (\S+) is too small for float64: .* = (\S+) is above", c["precision"]))
    }
    assert losses.keys() == {1e-8, 1e-12}
    small, large = losses[1e-8], losses[1e-12]
    wanted = f"mu = 10^-8, where the bound on floats is {small:g}, and 10^-12, where it is {large:g}."
    assert says(page("campaigns.md"), wanted) == []


@pytest.mark.thorough
def test_campaigns_names_the_batches_of_prescribed_runs():
    largest = max([c.plan.M for c in (*LINE, *MOMENTUM_LINE)])
    M = sorted(case.plan.M for case in RUNS)
    dims = sorted({case.d for case in RUNS})
    assert {(case.eps, case.delta) for case in RUNS} == {("1", "0.1")}
    far = sorted({s.d for s in high_dimension.SETTINGS})
    assert all(batch == 100 * s.d and s.law == "onesided" for s, batch in sharp.LINEAR)
    linear = [s.d for s, _ in sharp.LINEAR]
    wanted = [
        f"M reaches {largest // 10**20} * 10^20",
        f"d = {dims[0]}, {dims[1]} and {dims[2]}, M from {M[0]} to {M[-1]:,} at eps = 1, delta = 0.1",
        f"single batches of 100 d directions, d = {linear[0]} to {linear[-1]}, one-sided noise",
        f"are in 10^{math.log10(far[0]):g} and 10^{math.log10(far[1]):g} dimensions",
    ]
    assert len(dims) == 3 and len(far) == 2
    assert says(page("campaigns.md"), *wanted) == []


def test_campaigns_names_the_noise_floors_and_their_brackets():
    text = page("campaigns.md")
    for floor in FLOORS:
        law = {"pareto": f"Pareto p = {floor.p:g}", "gaussian": "Gaussian"}[floor.law]
        tau = "" if floor.clipping == "raw" else f", tau = {floor.tau:g}"
        assert f"line, {law}, M = {floor.M}{tau} |" in text
        level = math.inf if floor.clipping == "raw" else floor.tau
        law_of = floor.setting.real_law
        _, low, high = noise_floors.bracket(law_of, floor.M, floor.alpha, level, floor.T, floor.reach, floor.near)
        middle = (low > 0.25) & (high < 0.75)
        assert (high - low)[middle].min() >= 0.01 and (high - low)[middle].max() <= 0.02
    assert "at 0.01 to 0.02 from each other in the middle" in text


def test_controlled_names_the_settings_that_were_run():
    s = stored("controlled.json")["settings"]
    alphas, taus, radii = (", ".join(f"{v:g}" for v in s[k]) for k in ("alphas", "taus", "radii"))
    seeds = s["tuning_seeds"] + s["evaluation_seeds"]
    cells = [c for c in stored("controlled.json")["cells"] if c["paper"] is not None]
    wanted = [
        f"M = {s['batch']}, epsilon = {s['epsilon']}",
        f"{s['tuning_seeds']} validation and {s['evaluation_seeds']} evaluation seeds",
        f"scale {s['scale']:g} (A = U^(-1/p)), ||x0|| = {s['x0_norm']:g} for every d, T = {s['steps']}",
        f"alpha in {{{alphas}}}, tau in {{{taus}}}, r_vec in {{{radii}}}",
        f"about five free choices for {len(cells)} numbers",
        f"With {len(cells)} cells about one published number",
        f"on {seeds} seeds drawn without replacement",
        f"the choice of hyperparameters on {s['tuning_seeds']} seeds",
        f"The raw rows of {seeds + s['band_seeds']} seeds cannot show",
        f"so {s['raw_check_seeds']:,} short runs with",
        f"the stated {100 * s['coverage']:g} %",
        f"The agreement asked for, {100 * AGREEMENT:g} %",
        f"one row for every configuration with alpha kappa t >= {RELAXATIONS:g}",
    ]
    assert says(page("controlled.md"), *wanted) == []
    assert round(len(cells) * (1 - s["coverage"])) == 1


def test_controlled_names_what_the_shift_is_worth():
    [near_two] = [r for r in stored("controlled.json")["floors"]["raw_check"] if r["p"] == 1.8]
    assert 1 / near_two["leading_ratio"] == pytest.approx(1.2, abs=0.03)  # about a fifth too high
    assert abs(near_two["refined_ratio"] - 1) < 2 * near_two["error"]
    assert says(page("controlled.md"), "p = 1.8 (11) is about a fifth too high, (10) is not") == []
    assert says(page("controlled.md"), f"ten times smaller steps give a {10 ** (1 - 1 / 1.2):.2f} times smaller") == []
    assert direction_moment(2.0, 7) == pytest.approx(1)  # E V^2 = 1


def test_finetune_names_the_settings_that_were_run():
    data = stored("finetune.json")
    s = data["settings"]
    wanted = [
        f"A step has {s['pairs']} forward pairs at every M: one mini-batch of {s['pairs']}/M examples",
        f"mu = {s['mu']:.0e}".replace("e-03", "e-3"),
        f"(d = {data['scopes']['bias']['d']:,})",
        f"a fresh Pareto({s['tail']:g}) weight",
        f"swept at M = {s['directions'][0]} and kept for M = {s['directions'][1]}, {s['directions'][2]}",
        f"the cosine of (1/{s['cosine_directions']}) sum",
        f"the most that {s['cosine_directions']} directions allow",
        f"({s['seeds']} seeds: {stats.t.ppf(0.975, s['seeds'] - 1):.1f} standard errors)",
        f"`--scale` ({s['scale']:g}, ",
    ]
    assert says(page("finetune.md"), *wanted) == []


def test_howto_plan_names_the_constants_of_the_catalogue():
    """C_p of the tuned deviation at p = 2, from the bound at M = lambda, where the logarithm is 1."""
    paper = bound("cor:hp-shared-localized-tuned", p=2.0, d=1, S=1.0, M=2, lam=2.0)
    assert paper == pytest.approx(124)
    sharper = next(c for c in lookup("app:sharp-constant").claims if "17" in c.claim)
    assert parse_relation(sharper.claim, proof=True).op == "<="
    assert says(page("howto-plan.md"), f"proves C_2 <= 17 in place of {paper:.0f}") == []


def test_howto_plan_names_the_batches_of_both_bernstein_inequalities():
    """The least M whose level is at most M/10, from the bounds of the statements; h is log(2/rho), rho = 1/1000."""

    def least(label, variance):
        level, h = formulas.bound(label), formulas.value("app:sharp-bernstein", "h")

        def excess(M, bits):
            told = {"rho": Fraction(1, 1000), "V": M * variance, "R": 1}
            return value(level, bits, **told, h=value(h, bits, rho=told["rho"])) - exact(Fraction(M, 10))

        return smallest(1, lambda M: within(lambda bits: excess(M, bits), M, "the level"))

    rows = [
        f"| {v} | {least('lem:hp-shared-vector-bernstein', v)} | {least('app:sharp-bernstein', v)} |"
        for v in (Fraction(1), Fraction(1, 100), Fraction(1, 10000))
    ]
    assert says(page("howto-plan.md"), *rows) == []


def test_claims_names_the_limits_of_the_reader():
    wanted = [
        f"Files above {claims.MAX_BYTES // 10**6} MB",
        f"numerals above {reader.MAX_DIGITS} digits",
        f"literal powers above 10^{math.log10(reader.MAX_POWER):g}",
        f"nesting above {reader.MAX_DEPTH} are refused",
    ]
    assert says(page("claims.md"), *wanted) == []


def test_claims_names_what_extrapolation_returns():
    found = []
    for digits in (15, 25):
        with mpmath.workdps(digits):
            found.append(str(mpmath.nsum(lambda k: k ** (-mpmath.mpf(3) / 2), [1, mpmath.inf]))[:6])
    wanted = f"returns {found[0]} with 15 digits and {found[1]} with 25 (the value is {str(mpmath.zeta(1.5))[:6]}...)"
    assert says(page("claims.md"), wanted) == []
    end = mpmath.findroot(lambda x: mpmath.exp(x) - 1 - x - x * x, 1.79)
    assert 0 < mpmath.mpf("1.7932822") - end < 1e-7  # "on an interval of length below 1e-7"


def test_verdicts_names_what_the_integrator_returns():
    with ctx.workprec(53):
        blind = acb.integral(lambda z, flag: (z * z).sqrt(), acb(-1), acb(1)).real
    assert f"gives {float(blind.mid()):.4f} with a radius below 10^-15" in page("verdicts.md")
    assert float(blind.rad()) < 1e-15


def test_howto_names_the_numbers_of_the_optimizer_and_the_plugin():
    wanted = [f"in {watch.WINDOW} estimates nothing or more than {100 * watch.OFTEN:g}% was clipped"]
    assert says(page("howto-torch.md"), *wanted) == []
    assert says(page("howto-pytest.md"), f"more than 2^{math.log2(CHEAP):g} trials are skipped") == []


def test_a_missing_number_is_seen():
    assert says("M = 3", "M = 3", "M = 4") == ["M = 4"]
    kinds = {c["kind"] for c in CELLS.values()}
    assert {CLAIM, PLANTED} <= kinds and next(rows())["constants"] == "paper"
