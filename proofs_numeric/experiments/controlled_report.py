"""The Markdown section on the controlled experiment, rendered from stored data alone: nothing is computed here.

The text is the template ``controlled_report.md.j2``; this module holds its ways of writing numbers.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from itertools import groupby
from typing import Any

from proofs_numeric.experiments.controlled_settings import METHOD_NAMES, METHODS
from proofs_numeric.experiments.experiment_report import rendered

ROUNDING = 1e-12  #: a difference of cosines below this is one of rounding


def section(data: Mapping[str, Any], figures: str = ".") -> str:
    """Markdown from the data of one run; ``figures`` is the folder of the figure files as seen from the document."""
    filters = {"signed": _signed, "groupby_cell": _by_cell}
    values = {"names": METHOD_NAMES, "methods": METHODS, "rounding": ROUNDING}
    return rendered("controlled_report.md.j2", filters, data=data, folder=figures, **values)


def _signed(value: float) -> str:
    return f"{100 * value:+.1f} %"


def _by_cell(rows: Sequence[Mapping[str, Any]]) -> list[list[Mapping[str, Any]]]:
    """Rows of the same (d, p) together, in the order stored."""
    return [list(group) for _, group in groupby(rows, key=lambda row: (row["d"], row["p"]))]
