"""The precision audit: every cell within its declared bound in balls, and single precision caught."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from flint import arb, ctx
from slow import apart

import proofs_numeric.__main__
from proofs_numeric.campaigns import campaign, results
from proofs_numeric.campaigns.audit import Audit, AuditError, audit
from proofs_numeric.checks import registry
from proofs_numeric.checks.cell import PLANTED
from proofs_numeric.checks.convergence import Frozen
from proofs_numeric.model.streams import stream
from proofs_numeric.precision.replay import Replayed, Tape, clip

CELLS = registry()
LABELS = sorted({c.label for c in CELLS.values()})


@pytest.mark.parametrize(
    "label", apart(LABELS, "app:sharp-deviation", "cor:hp-shared-localized", "cor:hp-shared-localized-tuned")
)
def test_every_cell_is_audited_and_holds(label):
    """All but prescribed runs and batches of 100 d, which carry intervals; a bound that no float error reaches."""
    for cell in (c for c in CELLS.values() if c.label == label and c.kind != PLANTED):
        if cell.name.startswith(("prescribed", "linear-d")):
            assert audit(cell, 5, 2) is None
            continue
        found = audit(cell, 5, 2)
        assert found.held, (cell.key, found)
        assert found.bound < 1e-9 * max(1.0, abs(cell.draw(stream("t", "size"), 64)).max())


def test_single_precision_is_caught():
    found = audit(CELLS["lem:hp-shared-directional-tail/planted-float32"])
    assert not found.held and found.used > 1e6


@pytest.mark.parametrize(
    "key",
    [
        "lem:hp-shared-directional-total-tail/quadratic-d10-p1.5-onesided-axis-mu1",
        "lem:hp-shared-directional-total-tail/logcosh-d10-p1.5-pareto-axis-mu0.1",
        "cor:hp-shared-localized/quadratic-d10-p1.2-pareto-axis-tau4-M32",
        "thm:momentum-main/law-frozen",
    ],
)
def test_an_error_of_a_part_in_ten_to_the_ten_is_caught(key):
    cell = CELLS[key]
    off = replace(cell, draw=replace(cell.draw, draw=lambda rng, n: cell.draw.draw(rng, n) * (1 + 1e-10)))
    assert audit(cell).held
    assert not audit(off).held


def test_what_is_no_number_is_caught():
    """A NaN among good values, and a bound that declares nothing."""
    cell = CELLS["lem:hp-shared-directional-tail/quadratic-d1-p1.05-pareto-axis"]
    good = cell.draw

    def broken(rng, n):
        return np.where(np.arange(n) == 2, np.nan, good.draw(rng, n))

    def idle(tape, n):
        return [(value, np.inf) for value, _ in good.reference(tape, n)]

    for draw in (replace(good, draw=broken), replace(good, reference=idle)):
        assert not audit(replace(cell, draw=draw)).held
    assert audit(cell).held


def test_a_threshold_without_its_factor_is_caught():
    """The reference reads the paper's parameters, so a run with others is told from it."""
    right, wrong = Frozen(), Frozen(beta=0.5)
    cell = CELLS["thm:momentum-main/law-frozen"]
    mixed = replace(cell, draw=Replayed(wrong.draw().draw, right.draw().reference))
    assert not audit(mixed).held


def test_a_reference_must_use_up_the_numbers_of_the_draw():
    cell = CELLS["prop:p2-infinite-variance/cubic"]
    greedy = replace(cell.draw, draw=lambda rng, n: cell.draw.draw(rng, n) + 0 * rng.random(n))
    with pytest.raises(AuditError, match="other random numbers"):
        audit(replace(cell, draw=greedy))
    other = replace(cell.draw, draw=lambda rng, n: rng.standard_normal(n))
    with pytest.raises(AuditError, match="called standard_normal where the reference expects standard_exponential"):
        audit(replace(cell, draw=other))


def test_the_tape_gives_the_numbers_again():
    tape, rng = Tape(stream("t", "tape")), stream("t", "tape")
    room = np.empty(4)
    tape.standard_normal(out=room)
    room[:] = 0
    tape.random((2, 3))
    assert tape.read("standard_normal") == rng.standard_normal(4).tolist()
    assert tape.read("random") == rng.random(6).tolist()
    assert tape.empty


def test_clip_of_balls():
    with ctx.workdps(60):
        assert [float(clip(arb(z), 2.0)) for z in (-3, -1, 0, 2, 5)] == [-2, -1, 0, 2, 2]


@pytest.mark.parametrize("gap", [math.inf, math.nan, 2.0])
def test_a_discrepancy_of_any_size_is_told_and_stores_nothing(gap, monkeypatch, capsys, tmp_path):
    """JSON has no infinite numbers; results that the audit does not hold are no results."""
    key = "lem:hp-shared-clipped-bias-abstract/law-extremal-p1.5-tau16"
    one = replace(CELLS[key], trials=64)
    monkeypatch.setattr(results, "audit", lambda cell, seed: Audit(6, gap, 1.0))
    monkeypatch.setattr(results, "STORED", tmp_path / "stored.json")
    monkeypatch.setattr(proofs_numeric.__main__, "chosen", lambda names: [one])
    monkeypatch.setattr(campaign, "find", lambda name: one)
    assert proofs_numeric.__main__.main(["run", "--save", "--json"]) == 2
    out, err = capsys.readouterr()
    (record,) = json.loads(out, parse_constant=pytest.fail)["companions"]
    assert record["audit"]["held"] is False and record["audit"]["discrepancy"] == (gap if gap == 2.0 else None)
    assert err.startswith(f"error: {key}: floats are off by") and err.count("\n") == 1
    assert not (tmp_path / "stored.json").exists()


def test_cells_without_a_reference_have_no_audit():
    cell = CELLS["prop:p2-infinite-variance/cubic"]
    assert audit(replace(cell, draw=lambda rng, n: rng.random(n))) is None
