"""The controlled experiment end to end: the quick run against the paper's numbers, resumption, errors, stored data."""

from __future__ import annotations

import copy
import json
import os
import signal
import sqlite3
import subprocess
import sys
import time
from dataclasses import asdict, replace
from importlib.resources import files
from pathlib import Path
from typing import Any

import pytest

from proofs_numeric.__main__ import main
from proofs_numeric.experiments.controlled_analysis import paper_numbers, summarise
from proofs_numeric.experiments.controlled_figures import FIGURES, RC, words
from proofs_numeric.experiments.controlled_protocol import collect
from proofs_numeric.experiments.controlled_report import section
from proofs_numeric.experiments.controlled_runs import work
from proofs_numeric.experiments.controlled_settings import Settings
from proofs_numeric.experiments.experiment_figures import draw_all
from proofs_numeric.experiments.experiment_jobs import workers

HERE = Path(__file__).parent
Data = dict[str, Any]


def test_published_numbers_are_those_of_the_paper() -> None:
    transcribed = json.loads((HERE / "data" / "controlled_paper.json").read_text(encoding="utf-8"))
    assert paper_numbers() == transcribed["tables"]


#: The least that holds both sweeps: its cells have the very numbers that they have in the whole quick run.
LEAST = ("--dimensions", "25", "100", "--tuning-seeds", "2")


@pytest.fixture(
    scope="module", params=[pytest.param(LEAST, id="least"), pytest.param((), id="whole", marks=pytest.mark.campaign)]
)
def quick_run(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[Data, Path]:
    folder = tmp_path_factory.mktemp("controlled")
    assert (
        main(["experiment", "controlled", "--quick", *request.param, "--json", "-o", str(folder), "--workers", "2"])
        == 0
    )
    return json.loads((folder / "controlled.json").read_text(encoding="utf-8")), folder


def disagreements(data: Data) -> list[str]:
    """What of the paper's findings the data miss: scalar medians, ratios, orderings, cosines, success."""
    cells = {(c["d"], c["p"], c["method"]): c for c in data["cells"]}
    missed = []
    for (d, p), raw, vector, scalar in (
        ((d, p), *(cells[d, p, m]["median"] for m in ("raw", "vector", "scalar"))) for d, p, m in cells if m == "raw"
    ):
        if abs(scalar / cells[d, p, "scalar"]["paper"] - 1) > 0.12:
            missed.append(f"scalar median {scalar} at {d, p}")
        if not raw > vector > scalar:
            missed.append(f"order {raw, vector, scalar} at {d, p}")
        low, high = {25: (1.9, 2.9)}.get(d, (1.9, 2.6)) if p == 1.5 else (3.1, 3.8) if p == 1.2 else (0.0, 9.0)
        if not low <= vector / scalar <= high:
            missed.append(f"vector / scalar {vector / scalar} at {d, p}")
    cosine = data["cosine"]
    if not (cosine["vector_minus_raw"] < 1e-12 and cosine["vector"]["median"] == cosine["raw"]["median"]):
        missed.append("vector cosine differs from raw")
    success = {s["method"]: s["rate"] for s in data["success"] if (s["d"], s["p"]) == (100, 1.5)}
    if success != {"raw": 0.0, "vector": 0.0, "scalar": 1.0}:
        missed.append(f"success {success}")
    return missed


@pytest.mark.thorough
def test_quick_run_reproduces_the_paper(quick_run: tuple[Data, Path]) -> None:
    data, _ = quick_run
    assert len(data["cells"]) == (21 if 200 in data["settings"]["dimensions"] else 15)
    assert disagreements(data) == []
    for cell in data["cells"]:
        low, high = cell["band"]
        assert low < cell["median"] < high
        assert cell["inside"] == (low <= cell["paper"] <= high)


@pytest.mark.thorough
@pytest.mark.parametrize("method, factor", [("scalar", 1.15), ("vector", 0.4), ("raw", 0.05)])
def test_wrong_numbers_would_be_noticed(quick_run: tuple[Data, Path], method: str, factor: float) -> None:
    wrong = copy.deepcopy(quick_run[0])
    for cell in wrong["cells"]:
        if cell["method"] == method:
            cell["median"] *= factor
    assert disagreements(wrong)


@pytest.mark.thorough
def test_report_says_fitted_and_gives_every_verdict(quick_run: tuple[Data, Path]) -> None:
    data, _ = quick_run
    text = section(data, "somewhere")
    assert "Fitted, not predicted" in text
    assert text.count("somewhere/") == 3 * len(FIGURES)
    moved = copy.deepcopy(data)
    moved["cells"][0] |= {"inside": False, "outside_by": 0.25}
    assert section(moved).count("**outside**") == text.count("**outside**") + 1 - (not data["cells"][0]["inside"])


@pytest.mark.thorough
def test_figures_come_with_data_and_are_deterministic(quick_run: tuple[Data, Path], tmp_path: Path) -> None:
    data, folder = quick_run
    listed = draw_all(FIGURES, data, tmp_path, RC, words(data))
    assert listed == data["figures"]
    for figure in listed:
        for kind in ("png", "vector", "data"):
            assert (tmp_path / figure[kind]).read_bytes() == (folder / figure[kind]).read_bytes()
        assert len((folder / figure["data"]).read_text(encoding="utf-8").splitlines()) > 3


SMALL = Settings(
    dimensions=(5,),
    tail_sweep_d=5,
    tail_exponents=(1.5,),
    batch=16,
    steps=40,
    tuning_seeds=4,
    evaluation_seeds=12,
    band_seeds=60,
    raw_check_seeds=0,
    diagnostic_batches=20,
    protocol_draws=100,
)


def numbers(settings: Settings, file: Path, count: int = 2) -> Data:
    """The data of a run, without figures."""
    with workers("controlled", count, work, file) as pool:
        return summarise(collect(settings, pool), quick=False)


def flags(settings: Settings) -> list[str]:
    """The command line of some settings, every one of them a flag."""
    words = []
    for name, value in asdict(settings).items():
        values = value if isinstance(value, tuple) else (value,)
        words += ["--" + name.replace("_", "-"), *map(str, values)]
    return words


@pytest.mark.thorough
def test_killed_run_resumes_to_the_same_numbers(tmp_path: Path) -> None:
    longer, ledger = replace(SMALL, steps=600), tmp_path / "a.sqlite"
    command = [sys.executable, "-m", "proofs_numeric", "experiment", "controlled", *flags(longer), "--workers", "2"]
    process = subprocess.Popen(
        [*command, "--ledger", str(ledger)],
        start_new_session=True,
        stdout=subprocess.DEVNULL,
        stderr=subprocess.DEVNULL,
        cwd=tmp_path,
    )
    deadline = time.monotonic() + 60
    while _rows(ledger) < 3 and process.poll() is None and time.monotonic() < deadline:
        time.sleep(0.02)
    os.kill(process.pid, signal.SIGKILL)  # the parent alone: its workers must end by themselves
    process.wait()
    while _group_lives(process.pid) and time.monotonic() < deadline:
        time.sleep(0.02)
    assert not _group_lives(process.pid)
    assert 3 <= _rows(ledger) < 19  # 1 tuning, 3 evaluation and 15 band jobs
    resumed = numbers(longer, ledger)
    assert _rows(ledger) == 19
    assert resumed == numbers(longer, tmp_path / "b.sqlite", count=1)


def _group_lives(group: int) -> bool:
    """Whether a process group has a member that is not a zombie, as far as /proc tells."""
    for stat in Path("/proc").glob("[0-9]*/stat"):
        try:
            state, _, member = stat.read_text(encoding="utf-8").rpartition(")")[2].split()[:3]
        except OSError:  # it ended meanwhile
            continue
        if int(member) == group and state not in "ZX":
            return True
    return False


def _rows(ledger: Path) -> int:
    if not ledger.exists():
        return 0
    connection = sqlite3.connect(ledger, timeout=10)
    try:
        return int(connection.execute("SELECT count(*) FROM chunks").fetchone()[0])
    except sqlite3.OperationalError:  # the table is not there yet
        return 0
    finally:
        connection.close()


@pytest.mark.thorough
def test_settings_change_the_run(tmp_path: Path) -> None:
    default = numbers(SMALL, tmp_path / "a.sqlite", 1)
    assert [c["paper"] for c in default["cells"]] == [None] * 3
    assert {c["inside"] for c in default["cells"]} == {None}
    assert default["robustness"]
    assert numbers(replace(SMALL, seed=1), tmp_path / "a.sqlite", 1)["cells"] != default["cells"]
    best = numbers(replace(SMALL, lower_alphas=(), final="best", x0="axis"), tmp_path / "a.sqlite", 1)
    assert best["robustness"] == []
    assert all(a["median"] < b["median"] for a, b in zip(best["cells"], default["cells"], strict=True))


@pytest.mark.thorough
def test_flags_reach_the_settings_and_files_are_written(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    settings = replace(SMALL, band_seeds=0, lower_alphas=(), evaluate="selected", criterion="mean", seed=5)
    where = ["--vector-format", "pdf", "-o", str(tmp_path), "--workers", "1"]
    assert main(["experiment", "controlled", *flags(settings), *where]) == 0
    streams = capsys.readouterr()
    assert streams.err == ""  # no progress bar where there is no terminal
    assert streams.out == (tmp_path / "controlled.md").read_text(encoding="utf-8")
    data = json.loads((tmp_path / "controlled.json").read_text(encoding="utf-8"))
    assert data["settings"] == json.loads(json.dumps(asdict(settings)))
    assert (tmp_path / "trajectories.pdf").exists()


@pytest.mark.parametrize(
    "given, words",
    [
        (["--batch", "0"], ["--batch", "0", "at least 1", "give"]),
        (["--batch", "many"], ["--batch", "'many'", "integer"]),
        (["--tail-exponents", "1.5", "1.0"], ["--tail-exponents", "1.0", "(1, 10)"]),
        (["--alphas", "1.9"], ["--alphas", "1.9", "2/(1 + (d - 1)/M)"]),
        (["--alphas", "nan"], ["--alphas", "nan", "(0, 2)"]),
        (["--taus", "0.1", "0.1"], ["--taus", "repeats"]),
        (["--final", "first"], ["--final", "'first'", "last, best"]),
        (["--workers", "-1"], ["--workers", "'-1'", "integer"]),
        (["--batch", "4", "--steps", "1000", "--alphas", "0.001"], ["--batch", "4", "log(T/delta)"]),
        (["--unknown"], ["--unknown"]),
        (["--quik"], ["did you mean --quick?"]),
    ],
)
def test_errors_are_one_line_with_the_mend(
    given: list[str], words: list[str], tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    try:
        status = main(["experiment", "controlled", *given, "-o", str(tmp_path)])
    except SystemExit as exit_:
        status = exit_.code
    streams = capsys.readouterr()
    assert status == 2
    assert streams.out == ""
    assert len(streams.err.splitlines()) == 1
    for word in words:
        assert word in streams.err


def test_a_foreign_ledger_is_refused(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    ledger = tmp_path / "notes.txt"
    ledger.write_text("not a database, and longer than a header of sixteen bytes" * 20, encoding="utf-8")
    before = ledger.read_bytes()
    assert main(["experiment", "controlled", *flags(SMALL), "-o", str(tmp_path), "--ledger", str(ledger)]) == 2
    assert f"the file {ledger} is not a readable ledger" in capsys.readouterr().err
    assert ledger.read_bytes() == before


def stored() -> Data:
    return json.loads(files("boundcheck").joinpath("data/controlled.json").read_text(encoding="utf-8"))


def test_stored_data_are_a_full_run_that_agrees() -> None:
    data = stored()
    assert not data["quick"]
    assert data["settings"]["band_seeds"] >= 100
    assert disagreements(data) == []
    assert "Is every baseline tuned fairly?" in section(data)


def test_stored_floors_agree_within_five_per_cent() -> None:
    """Clipping wherever alpha kappa T >= 7; raw with many seeds, but not without the shift at p = 1.8."""
    data = stored()
    scalar, vector, _ = data["floors"]["within"]
    assert scalar["rows"] >= 50
    assert scalar["leading"]["not_clearly_outside"] == scalar["refined"]["within"] == scalar["rows"]
    assert vector["leading"]["not_clearly_outside"] == vector["rows"]
    many = data["floors"]["raw_check"]
    assert len(many) == 3
    assert all(r["seeds"] >= 1000 for r in many)
    assert all(abs(r["refined_ratio"] - 1) < 0.05 + 2 * r["error"] for r in many)
    assert any(abs(r["leading_ratio"] - 1) > 0.1 for r in many)


def said(name: str, data: dict[str, Any]) -> str:
    return FIGURES[name].caption.format(**data, **words(data))


def test_conclusions_follow_the_stored_numbers() -> None:
    """Each sentence of the section says what is stored, so that it changes with it."""
    data = stored()
    text = section(data)
    assert "(rounding)" in text and "lies on the raw one" in said("cosines", data)
    changed = copy.deepcopy(data)
    changed["cosine"]["vector_minus_raw"] = 0.1
    assert "(rounding)" not in section(changed) and "lies on the raw one" not in said("cosines", changed)
    changed = copy.deepcopy(data)
    changed["prescribed"][0]["tuned"]["clipped"] = 0.9
    assert "to 90.000 % of the derivatives" in section(changed) and "to 90.000 %" not in text
    changed = copy.deepcopy(data)
    changed["summary"]["deviation_bound"][0] = changed["settings"]["x0_norm"] / 2
    assert "at least 0.5 times ||grad f(x_0)||" in section(changed)
    changed = copy.deepcopy(data)
    changed["cells"][0]["paper"] = None
    assert "for the 21 cells that the paper prints" in text
    assert "for the 20 cells that the paper prints" in section(changed)


def test_stored_captions_are_those_of_the_stored_data() -> None:
    data = stored()
    assert [f["caption"] for f in data["figures"]] == [said(name, data) for name in FIGURES]
