"""Oracles without an exact difference: mu is asked at building, runs in balls, and what floats would have given."""

from __future__ import annotations

import json
from dataclasses import replace

import numpy as np
import pytest
from flint import ctx

from proofs_numeric.__main__ import main
from proofs_numeric.checks import registry
from proofs_numeric.checks.places import Setting
from proofs_numeric.checks.small_radius import CASES, OFFSET, TRIALS, values
from proofs_numeric.checks.tails import TOTAL, scale
from proofs_numeric.exact_in_law.by_values import TOLERANCE, TwoValues, draw
from proofs_numeric.model.streams import stream
from proofs_numeric.precision.replay import Tape

CELLS = {k: c for k, c in registry().items() if "by-values" in k}


def exact(problem, n, rng):
    """|Y| by the exact difference, in balls, from the numbers of the same stream."""
    tape = Tape(rng)
    problem.in_floats(tape, n)
    with ctx.workdps(60):
        return np.array([float(v) for v, _ in draw(problem, TRIALS, 1.0)[0].reference(tape, n)])


@pytest.mark.parametrize("case", CASES, ids=lambda c: getattr(c, "name", ""))
def test_the_run_chosen_is_right_to_the_declared_error(case):
    problem, rng = values(*case), (stream("t", "by values") for _ in iter(int, 1))
    run, said = draw(problem, TRIALS, scale(TOTAL, case[0]))
    wanted = exact(problem, 40, next(rng))
    found = run(next(rng), 40)
    assert np.allclose(found, wanted, rtol=1e-15 if said else 1e-9, atol=0)
    if said:
        assert not np.allclose(problem.in_floats(next(rng), 40), wanted, rtol=1e-6)


def test_the_declared_error_of_floats_holds_and_is_not_idle():
    """Of 200 directions each, within the bound, and somewhere above a thousandth of it."""
    for setting in (Setting(1, 1.5, mu=1e-6), Setting(3, 1.2, mu=1e-9), Setting(10, 2.0, mu=1e-12)):
        problem = values(setting, OFFSET)
        rng = stream("t", "error")
        gaps = np.abs(problem.in_floats(rng, 200) - exact(problem, 200, stream("t", "error")))
        tape = Tape(stream("t", "error"))
        problem.oracle.draw(tape, 0)
        noise = setting.real_law.sigma * 200.0 ** (3 / setting.p)
        assert gaps.max() <= problem.error(noise)
        assert gaps.max() >= 1e-3 * problem.error(setting.sigma)


def test_the_error_grows_with_offset_over_mu():
    base = TwoValues(replace(Setting(3, 1.5).oracle, offset=1e6), Setting(3, 1.5).x, 1e-3)
    assert replace(base, mu=1e-6).error(1.0) == pytest.approx(1e3 * base.error(1.0), rel=0.01)
    assert draw(base, TRIALS, 1e9)[1] == ""
    run, said = draw(base, TRIALS, 1.0)
    assert base.expected_error(TRIALS) > TOLERANCE
    assert said.startswith("mu = 0.001 is too small for float64: 2^-53 kappa |F|/mu = ")
    assert run.draw == base.in_balls


def test_cells_say_how_they_are_run(capsys):
    assert [bool(c.precision) for c in CELLS.values()] == [False, False] + [True] * (len(CELLS) - 2)
    key = next(k for k, c in CELLS.items() if c.precision)
    assert main(["run", key, "--json"]) == 0
    record = json.loads(capsys.readouterr().out)["results"][0]
    assert record["verdict"] == "CONSISTENT"
    assert record["precision"] == CELLS[key].precision and record["audit"]["held"]
    assert main(["run", key]) == 0
    assert f"high precision: {key}: mu = 1e-08 is too small" in " ".join(capsys.readouterr().out.split())
    assert main(["run", next(iter(CELLS)), "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["results"][0]["precision"] == "float64"
