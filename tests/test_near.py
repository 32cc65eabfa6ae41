"""Events within rounding of a threshold: found in whole campaigns, decided in balls, whatever the float says."""

from __future__ import annotations

import json
import math
from dataclasses import replace

import numpy as np
import pytest
from flint import arb, ctx
from slow import apart, thinned

from proofs_numeric.__main__ import main
from proofs_numeric.campaigns import campaign
from proofs_numeric.campaigns.campaign import CampaignError, run
from proofs_numeric.campaigns.executors import SerialExecutor
from proofs_numeric.campaigns.ledger import Ledger
from proofs_numeric.checks import registry
from proofs_numeric.checks.cell import CLAIM, Cell
from proofs_numeric.model.streams import stream
from proofs_numeric.precision import replay
from proofs_numeric.precision.replay import Replayed, Tape
from proofs_numeric.precision.ties import AuditError, Peaks, close, drawn
from proofs_numeric.stats.decision_rules import Exceedance

CELLS = registry()
COMPARED = [c for c in CELLS.values() if isinstance(c.draw, Replayed) and c.draw.width is not None]


def test_every_claim_that_counts_events_states_its_width():
    """All but prescribed runs and batches of 100 d, which carry intervals and stop where these straddle a limit."""
    for cell in CELLS.values():
        if cell.kind != CLAIM or cell.name.startswith(("prescribed", "linear-d")) or cell in COMPARED:
            continue
        assert not cell.rule().test(cell.trials, 1e-3, 1e-6).limits, cell.key


SLOWER = ("app:sharp-bernstein", "lem:hp-shared-directional-total-tail")
LABELS = apart(sorted({c.label for c in COMPARED}), *SLOWER)


@pytest.mark.parametrize("label", thinned(LABELS, 4))
def test_any_trial_of_a_chunk_can_be_decided(label):
    """A threshold is put on one value of a whole chunk, so that this trial is replayed; widths hold for it."""
    for cell in [c for c in COMPARED if c.label == label]:

        def fresh(cell=cell):
            return stream(cell.label, cell.name, 7, 0, 3)

        peaks = Peaks(fresh())
        values = cell.draw(peaks, cell.chunk)
        i = cell.chunk // 3 + 1
        t = float(values[i])
        found, near = drawn(cell.draw, fresh, cell.chunk, (math.nextafter(t, -math.inf), t))
        assert near >= 1, cell.key
        same = np.delete(np.arange(cell.chunk), i)
        assert (found[same] == values[same]).all() or near > 1
        width = np.broadcast_to(cell.draw.width(values, peaks.largest), values.shape)
        peaks = Peaks(fresh())
        tape = Tape(peaks)
        few = cell.draw(tape, 3)
        with ctx.workdps(100):
            bounds = [bound for _, bound in cell.draw.reference(tape, 3)]
        assert (np.array(bounds) <= np.broadcast_to(cell.draw.width(few, peaks.largest), 3)).all(), cell.key
        assert width.max() < 1e-5 * max(1.0, np.abs(values).max()), cell.key


CUBIC = CELLS["prop:p2-infinite-variance/cubic"]


def on_a_value(n=64):
    """A trial of the infinite-variance example with a threshold at its float, which lies below the exact value."""

    def fresh():
        return stream(CUBIC.label, CUBIC.name, 0, 0, 3)

    values, tape = CUBIC.draw(fresh(), n), Tape(fresh())
    CUBIC.draw(tape, n)
    with ctx.workdps(60):
        exact = [e for e, _ in CUBIC.draw.reference(tape, n)]
        i = next(i for i in range(n) if exact[i] > float(values[i]))
    return fresh, values, i, float(values[i])


def test_the_float_decision_is_wrong_and_the_replayed_one_right():
    fresh, values, i, limit = on_a_value()
    found, near = drawn(CUBIC.draw, fresh, len(values), (limit,))
    assert (values[i] > limit, found[i] > limit, near) == (False, True, 1)
    test = Exceedance((limit,), (0.5,)).test(64, 1e-3, 1e-6)
    assert test.summary(found)[0] == test.summary(values)[0] + 1


def test_a_reference_that_disagrees_stops_the_run():
    fresh, values, _, limit = on_a_value()
    off = replace(CUBIC.draw, reference=lambda tape, n: [(v * (1 + arb(2) ** -40), e) for v, e in right(tape, n)])
    right = CUBIC.draw.reference
    with pytest.raises(AuditError, match="floats are off by"):
        drawn(off, fresh, len(values), (limit,))


def draw_cancelled(rng, n):
    """U + 2^53 - 2^53, U uniform: 0 in floats."""
    return (rng.random(n) + 2.0**53) - 2.0**53


CANCELLED = Replayed(
    draw_cancelled,
    lambda tape, n: [(arb(u) + arb(2) ** 53 - arb(2) ** 53, 2.0) for u in tape.read("random")],
    lambda values, largest: 2.0,
)


def judged(draw, monkeypatch, limit=0.5, claimed=0.2):
    """P(U > limit) <= claimed, which is false at 1/2 and 1/5."""
    rule = lambda: Exceedance((limit,), (claimed,))  # noqa: E731
    cell = Cell("prop:p2-infinite-variance", "cancelled", CLAIM, draw, rule, 400, 100)
    monkeypatch.setattr(campaign, "find", lambda key: cell)
    with Ledger() as ledger:
        [found] = run([cell], SerialExecutor(), ledger, 5)
        rows = ledger._db.execute("SELECT stage, near FROM chunks ORDER BY stage, chunk").fetchall()
    return found, rows


def test_a_campaign_of_near_events_is_decided_in_balls(monkeypatch):
    """Floats see no event and pass the wrong claim; decided trial by trial it is refuted."""
    blind, rows = judged(draw_cancelled, monkeypatch)
    assert str(blind.judgement.status) == "CONSISTENT" and blind.judgement.outcome.bad == 0
    assert blind.near is None and {near for _, near in rows} == {None}
    found, rows = judged(CANCELLED, monkeypatch)
    assert str(found.judgement.status) == "REFUTED-STAT"
    assert found.near == found.judgement.trials * 5 // 4 == 2000
    assert len(rows) == 20 and {near for _, near in rows} == {100}
    assert 0.4 < found.judgement.outcome.rows[0].observed < 0.6


def test_a_tie_is_told(monkeypatch):
    """U - U is 0 exactly, a ball around it at no precision on one side."""
    tie = replace(
        CANCELLED, reference=lambda tape, n: [(arb(u).exp().log() - arb(u), 2.0) for u in tape.read("random")]
    )
    with pytest.raises(CampaignError, match="cannot be told from its threshold with 400 digits"):
        judged(tie, monkeypatch, limit=0.0)


def test_numbers_of_one_trial_in_groups():
    """Two groups of three and two trials, two calls each: the slices of each trial, in order."""
    tape, one = Tape(np.random.default_rng(1)), Tape(np.random.default_rng(1))
    for rows in (3, 2):
        tape.random((rows, 2))
        tape.standard_normal(rows)
    one.random((1, 2))
    one.standard_normal(1)
    again = np.random.default_rng(1)
    first = [again.random((3, 2)), again.standard_normal(3), again.random((2, 2)), again.standard_normal(2)]
    for i in range(5):
        group, at = (0, i) if i < 3 else (2, i - 3)
        part = tape.trial(i, one)
        assert part.read("random") == first[group][at].tolist()
        assert part.read("standard_normal") == [first[group + 1][at]]
        assert part.empty
    with pytest.raises(LookupError, match="trial 5"):
        tape.trial(5, one)
    tape.integers(0, 3, 1)
    with pytest.raises(LookupError, match="trial 5"):
        tape.trial(5, one)


def test_close_looks_at_both_neighbours():
    assert close(np.array([0.9, 1.05, 2.0, 3.1, -5.0]), 0.1, (3.0, 1.0)).tolist() == [True, True, False, False, False]
    assert close(np.array([3.05]), np.array([0.06]), (1.0, 3.0)).all()


def test_the_count_is_printed(capsys):
    assert main(["run", CUBIC.key, "lem:hp-shared-clipped-bias-abstract/extremal-p1.5-tau16", "--json"]) == 0
    results = json.loads(capsys.readouterr().out)["results"]
    assert [r["near"] for r in results] == [0, None]
    assert main(["run", CUBIC.key]) == 0
    assert "events: 0 trials of 1 cells within rounding of a threshold" in capsys.readouterr().out
    assert replay.EPS == 2.0**-53
