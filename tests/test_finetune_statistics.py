"""Statistics and wording of the fine-tuning experiment, without PyTorch: known laws; findings follow the data."""

from __future__ import annotations

import copy
import json
import math
import subprocess
import sys
from collections.abc import Callable, Sequence

import numpy as np
import pytest

from boundcheck.app.reporting.sources import DATA
from proofs_numeric.experiments.finetune_report import EXPECTED, PAPER_GAIN, PAPER_STEPS, findings, section
from proofs_numeric.experiments.finetune_statistics import COVERAGE, hill, kurtosis, paired, tail

N = 20_000


def hill_agrees(estimate: Callable[[Sequence[float], int], float], index: float) -> bool:
    """On Pareto samples, where k index/estimate is Gamma(k): within four standard errors."""
    rng = np.random.default_rng(1)
    sample = (1 - rng.random(N)) ** (-1 / index) * np.where(rng.random(N) < 0.5, 1, -1)
    k = N // 10
    return abs(index / estimate(sample, k) - 1) < 4 / math.sqrt(k)


@pytest.mark.parametrize("index", [0.7, 1.5, 3.0])
def test_hill_finds_the_exponent_of_a_pareto_law(index):
    assert hill_agrees(hill, index)
    assert not hill_agrees(lambda sample, k: hill(sample, k) * 1.15, index)
    assert not hill_agrees(lambda sample, k: hill(np.asarray(sample)[np.asarray(sample) > 0] ** 2, k), index)


def test_hill_of_a_scaled_sample_is_the_same_and_of_a_constant_infinite():
    sample = np.random.default_rng(2).standard_cauchy(1000)
    assert hill(7 * sample, 100) == pytest.approx(hill(sample, 100))
    assert hill([2.0] * 30, 5) == math.inf
    assert math.isnan(hill([0.0] * 30, 5)) and math.isnan(hill([1.0, 2.0], 5))


#: law -> (draws, E X^4 / (E X^2)^2, E X^8 / (E X^2)^4): the last bounds the standard error by the delta method
LAWS = {
    "normal": (lambda rng: rng.standard_normal(N), 3.0, 105.0),
    "uniform": (lambda rng: rng.uniform(-1, 1, N), 9 / 5, 9.0),
    "signs": (lambda rng: rng.choice([-1.0, 1.0], N), 1.0, 1.0),
    "normal with Gamma(3)-distributed variance": (
        lambda rng: rng.standard_normal(N) * np.sqrt(rng.gamma(3.0, 1.0, N)),
        3 * 12 / 9,
        105 * 360 / 81,
    ),
}


def kurtosis_agrees(estimate: Callable[[Sequence[float]], float], law: str) -> bool:
    draws, known, eighth = LAWS[law]
    error = 2 * math.sqrt(eighth / N)
    return abs(estimate(draws(np.random.default_rng(3))) - known) < 4 * error + 1e-9


@pytest.mark.parametrize("law", LAWS)
def test_kurtosis_of_known_laws(law):
    assert kurtosis_agrees(kurtosis, law)
    assert not kurtosis_agrees(lambda sample: kurtosis(sample) - 3, law)


def test_kurtosis_is_at_most_the_sample_size_and_survives_any_scale():
    assert kurtosis([0.0] * 9 + [1e200]) == pytest.approx(10)
    assert kurtosis([1e-200, -1e-200]) == pytest.approx(1)
    assert math.isnan(kurtosis([0.0, 0.0]))
    assert tail(np.arange(1, 101)).k == 10


def covers(interval: Callable[..., dict], seeds: int = 3, trials: int = 4000) -> bool:
    """Whether the Student interval holds the true difference in 95 % of trials, within four standard errors."""
    rng = np.random.default_rng(4)
    held = 0
    for first, second in rng.normal(size=(trials, 2, seeds)):
        low, high = interval(first + 1, second)["interval"]
        held += low <= 1 <= high
    return abs(held / trials - 0.95) < 4 * math.sqrt(0.95 * 0.05 / trials)


def test_paired_intervals_cover():
    assert covers(paired)

    def normal(first, second):  # 1.96 in place of Student's quantile
        d = np.asarray(first) - np.asarray(second)
        half = 1.96 * d.std(ddof=1) / math.sqrt(d.size)
        return {"interval": [d.mean() - half, d.mean() + half]}

    assert not covers(normal)


def test_paired_verdicts():
    assert paired([1.0, 1.1, 0.9], [2.0, 2.1, 1.9])["verdict"] == "lower"
    assert paired([2.0, 2.1, 1.9], [1.0, 1.1, 0.9])["verdict"] == "higher"
    assert paired([1.0, 2.0, 3.0], [2.0, 1.0, 3.1])["verdict"] == "undecided"
    assert paired([1.0, None], [1.0, 2.0])["verdict"] == "incomparable"


stored = pytest.mark.skipif(not (DATA / "finetune.json").exists(), reason="no stored results of the experiment")


@pytest.fixture(scope="module")
def data() -> dict:
    return json.loads((DATA / "finetune.json").read_text(encoding="utf-8"))


@stored
def test_findings_follow_the_stored_intervals(data):
    text = section(data, "somewhere")
    assert text.count("somewhere/") == 3 * len(data["figures"])
    for word, said in EXPECTED.items():
        changed = copy.deepcopy(data)
        for contrast in changed["contrasts"]:
            high = 0.02 if word == "smaller" else 0.2
            verdict = "undecided" if word == "smaller" else word
            contrast["test_accuracy"] = {"difference": 0.0, "interval": [-0.02, high], "verdict": verdict}
        lines = [line for line in findings(changed) if "test accuracy" in line]
        assert len(lines) == 4 and all(said in line for line in lines)
        assert not any(s in line for s in EXPECTED.values() if s != said for line in lines)


@stored
def test_the_stored_verdicts_are_those_of_the_stored_runs(data):
    arms = {(a["scope"], a["loss"], a["name"]): a for a in data["arms"]}
    assert data["contrasts"] and not data["quick"]
    for c in data["contrasts"]:
        mine, theirs = (arms[c["scope"], c["loss"], c[who]] for who in ("arm", "other"))
        for what in ("test_loss", "test_accuracy"):
            again = paired(mine[what], theirs[what])
            assert c[what]["verdict"] == again["verdict"]
            if again["interval"] is not None:
                assert c[what]["interval"] == pytest.approx(again["interval"], rel=1e-3, abs=1e-6)
    assert f"Intervals: Student, {100 * COVERAGE:g} %" in section(data, ".")


#: tab:roberta, mean accuracy in per cent on SNLI, MNLI and TREC
ROBERTA = {
    "MeZO": (74.2, 67.9, 83.2),
    "RSC-ZO (M=1)": (83.0, 75.5, 92.4),
    "RSC-ZO (M=2)": (82.0, 76.2, 92.9),
    "RSC-ZO (M=4)": (79.7, 76.9, 93.5),
}


def test_the_gain_of_the_paper_is_that_of_its_table():
    mezo, *ours = ROBERTA.values()
    gains = [round(a - b, 1) / 100 for row in ours for a, b in zip(row, mezo, strict=True)]
    assert (min(gains), max(gains)) == pytest.approx(PAPER_GAIN)


@stored
def test_the_stored_means_are_those_of_the_stored_runs(data):
    for arm in data["arms"]:
        for runs, spread in (("test_loss", "loss_over_seeds"), ("test_accuracy", "accuracy_over_seeds")):
            values = arm[runs]
            assert len(values) == data["settings"]["seeds"]
            if None in values:
                assert arm[spread] == {"mean": None, "sd": None}
            else:
                known = {"mean": np.mean(values), "sd": np.std(values, ddof=1)}
                assert arm[spread] == pytest.approx(known, rel=1e-4, abs=1e-6)


@stored
def test_what_differs_from_the_paper_follows_the_settings(data):
    text = section(data, ".")
    assert "the first stretch of training" in text and "the heavy-tailed loss is run at" in text
    long = copy.deepcopy(data)
    long["settings"] |= {"bias_steps": PAPER_STEPS, "full_steps": PAPER_STEPS}
    assert "the first stretch of training" not in section(long, ".")
    biases = copy.deepcopy(data)
    biases["settings"]["scopes"] = ["bias"]
    assert "the heavy-tailed loss is run at" not in section(biases, ".")


@stored
def test_every_method_of_the_paper_has_its_row(data):
    text = section(data, ".")
    for row in ("Zero-shot", "MeZO (M=1)", "RSC-ZO (M=1)", "RSC-ZO (M=2)", "RSC-ZO (M=4)"):
        assert f"\n| {row} |" in text


def test_without_pytorch_the_command_names_the_extra(tmp_path):
    code = (
        "import sys\nsys.modules['torch'] = None\nfrom proofs_numeric.__main__ import main\n"
        f"words = ['--quick', '-o', {str(tmp_path)!r}, '--model', 'x', '--data', 'y']\n"
        "sys.exit(main(['experiment', 'finetune', *words]))"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=120)
    assert done.returncode == 2
    assert done.stderr == 'error: torch is not installed: pip install "boundcheck[torch]"\n'
