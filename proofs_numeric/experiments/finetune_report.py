"""The Markdown section on the fine-tuning experiment, from stored data alone; what was found is worded by its rules.

The text is the template ``finetune_report.md.j2``; this module holds the rules and the ways of writing numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from proofs_numeric.experiments.experiment_report import interval, rendered
from proofs_numeric.experiments.finetune_settings import LOSSES, SCOPES

Record = Mapping[str, Any]
#: RSC-ZO less MeZO in the paper's tab:roberta, over its three tasks and M = 1, 2, 4: the smallest and the largest gain
PAPER_GAIN = (0.055, 0.103)
PAPER_STEPS = 100_000
#: what the interval for the difference in accuracy, RSC-ZO less MeZO, says of the paper's expectation
EXPECTED = {
    "higher": "as the paper expects",
    "lower": "**against the paper's expectation**",
    "undecided": "an advantage is neither seen nor excluded",
    "smaller": "no advantage is seen, and one of the paper's size is excluded",
    "incomparable": "a run ended in no number",
}


def section(data: Record, figures: str) -> str:
    """Markdown from the data of one run; ``figures`` is the folder of the figure files as seen from the document."""
    addresses = [(scope, loss) for scope in data["settings"]["scopes"] for loss in data["settings"]["losses"]]
    return rendered(
        "finetune_report.md.j2",
        {"cell": _cell, "extract": lambda key, table: table[key]},
        data=data,
        folder=figures,
        scopes=SCOPES,
        losses=LOSSES,
        addresses=addresses,
        findings=findings(data),
        rows=table(data, addresses),
        gain=PAPER_GAIN,
        paper_steps=PAPER_STEPS,
    )


def findings(data: Record) -> list[str]:
    """A line for each scope and loss, in words that the stored intervals fix."""
    lines = []
    for scope, loss in dict.fromkeys((c["scope"], c["loss"]) for c in data["contrasts"]):
        here = [c for c in data["contrasts"] if (c["scope"], c["loss"]) == (scope, loss)]
        said = [_against(c) for c in here if c["other"].startswith("MeZO")]
        line = (
            f"{SCOPES[scope].capitalize()}, {LOSSES[loss]} loss, test accuracy less that of MeZO: {'; '.join(said)}."
        )
        controls = [c for c in here if c["other"].startswith(("raw at lr", "vector"))]
        told = [
            f"{c['arm']} {c['test_loss']['verdict']} than {c['other']}"
            for c in controls
            if c["test_loss"]["verdict"] in ("lower", "higher")
        ]
        if controls:
            line += f" Test loss told apart from the controls (a smaller raw step, clipped vectors): {len(told)} of "
            line += f"{len(controls)}{': ' + '; '.join(told) if told else ''}."
        lines.append(line)
    return lines + [line for scope, found in data["scopes"].items() if (line := _mechanism(scope, found))]


def _mechanism(scope: str, found: Record) -> str:
    """What clipping does to the cosine with the gradient, where there are estimates enough to tell."""
    said = [
        f"{c['less_raw']['difference']:+.2g} ({interval(c['less_raw']['interval'], '+')}) at tau = {c['tau']:g}, "
        f"{LOSSES[c['loss']]} loss"
        for c in found["cosines"]
        if c["less_raw"] is not None and c["less_raw"]["difference"] is not None
    ]
    if not said:
        return ""
    start = {c["loss"]: c["mean"] for c in found["cosines"] if c["tau"] is None}
    raw = ", ".join(f"{start[loss]:.2g} ({word})" for loss, word in LOSSES.items())
    return (
        f"{SCOPES[scope].capitalize()}, cosine of {found['directions']} directions with the gradient: raw {raw}, "
        f"noiseless {start['noiseless']:.2g}; scalar clipping changes it by {'; '.join(said)}."
    )


def expectation(accuracy: Record) -> str:
    """The key of EXPECTED for a difference in accuracy with its interval."""
    verdict = str(accuracy["verdict"])
    return "smaller" if verdict == "undecided" and accuracy["interval"][1] < PAPER_GAIN[0] else verdict


def _against(contrast: Record) -> str:
    accuracy = contrast["test_accuracy"]
    said = EXPECTED[expectation(accuracy)]
    if accuracy["verdict"] == "incomparable":
        return f"{contrast['arm']}: {said}"
    low, high = (100 * end for end in accuracy["interval"])
    return f"{contrast['arm']} {100 * accuracy['difference']:+.1f} points ({low:+.1f} to {high:+.1f}), {said}"


def table(data: Record, addresses: Sequence[tuple[str, str]]) -> list[tuple[str, list[Record | None]]]:
    """(method, its record for each scope and loss or None), in the order of the paper's table, controls after."""
    found = {(a["scope"], a["loss"], a["name"]): a for a in data["arms"]}
    order = {"MeZO": 0, "RSC-ZO": 1}
    names = sorted(dict.fromkeys(a["name"] for a in data["arms"]), key=lambda n: order.get(n.split(" (")[0], 2))
    return [(n, [found.get((*at, n)) for at in addresses]) for n in names]


def _cell(arm: Record | None) -> str:
    """Accuracy in percent, mean and standard deviation over the seeds."""
    if arm is None:
        return ""
    spread = arm["accuracy_over_seeds"]
    if spread["mean"] is None or arm["loss_over_seeds"]["mean"] is None:
        return "diverged"
    return f"{100 * spread['mean']:.1f} ({100 * spread['sd']:.1f})"
