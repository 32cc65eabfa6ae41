"""The report's evidence on the simulation: the mutant table and the precision of every check, from stored cells."""

from __future__ import annotations

from boundcheck.app.reporting.evidence import high_precision, mutants, precision
from proofs_numeric.checks import registry
from proofs_numeric.checks.cell import PLANTED


def cell(name, kind="planted", note="", verdict="REFUTED-STAT", **rest):
    return {
        "name": f"{rest.get('label', 'a')}/{name}",
        "label": "a",
        "kind": kind,
        "note": note,
        "verdict": verdict,
    } | rest


def test_a_mutant_is_one_row_with_the_checks_that_reject_it():
    found = mutants(
        [
            cell("one", note="implementation: no factor d"),
            cell("two", note="implementation: no factor d", verdict="CONSISTENT"),
            cell("three", note="implementation: sign", verdict="UNDERPOWERED"),
            cell("four", note="constant: 2 for 3"),
            cell("five", kind="claim", note="implementation: sign"),
        ]
    )
    assert found == [
        {"what": "no factor d", "rejecting": ["a/one"], "missing": ["a/two"]},
        {"what": "sign", "rejecting": [], "missing": ["a/three"]},
    ]


def test_the_mutants_of_the_project():
    """At least fifteen, those of the list among them; tests/test_checks.py runs each against its check."""
    notes = {c.note.removeprefix("implementation: ") for c in registry().values() if c.kind == PLANTED}
    wanted = {
        "no factor d",
        "Gaussian u, not normalised",
        "u from the cube",
        "different xi in the two evaluations",
        "forward difference",
        "division by mu instead of 2 mu",
        "clip after averaging",
        "clip at d*tau",
        "sign of the step",
        "momentum without (1 - beta)",
        "warm start missing",
        "threshold without (1 - beta)",
        "Lomax for Pareto",
        "noise not centred",
        "off by one in T",
        "evaluations in float32",
    }
    assert wanted <= notes


def test_the_worst_share_of_a_bound_is_shown_and_near_events_are_added():
    def audit(discrepancy, bound, held=True):
        return {"trials": 6, "discrepancy": discrepancy, "bound": bound, "held": held}

    [a, b] = precision(
        [
            cell("x", "claim", audit=audit(1e-16, 1e-15), near=2, label="a"),
            cell("y", "companion", audit=audit(3e-16, 1e-12), near=0, label="a"),
            cell("z", "claim", audit=None, near=None, label="a"),
            cell("w", "planted", audit=None, near=9, label="a"),
            cell("v", "claim", audit=audit(2.0, 1.0, False), label="b"),
        ]
    )
    assert (a["audited"], a["compared"], a["near"], a["held"]) == (2, 2, 2, True)
    assert a["worst"]["name"] == "a/x" and a["worst"]["bound"] == 1e-15
    assert (b["compared"], b["held"], b["worst"]["discrepancy"]) == (0, False, 2.0)


def test_cells_in_high_precision_are_listed():
    cells = [cell("x", precision="float64"), cell("y", precision="mu is too small"), cell("z")]
    assert high_precision(cells) == [{"name": "a/y", "why": "mu is too small"}]
