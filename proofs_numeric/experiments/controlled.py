"""The paper's controlled experiment as a program: clipping before versus after aggregation (sec:experiments).

    python -m proofs_numeric experiment controlled [--quick] [--json] [-o DIR] [--save] [--SETTING VALUE ...]

Simulates (or resumes from the ledger), then writes data, figures and a Markdown report.
"""

from __future__ import annotations

from collections.abc import Sequence

from proofs_numeric.experiments.controlled_analysis import summarise
from proofs_numeric.experiments.controlled_figures import FIGURES, RC, words
from proofs_numeric.experiments.controlled_protocol import collect
from proofs_numeric.experiments.controlled_report import section
from proofs_numeric.experiments.controlled_runs import work
from proofs_numeric.experiments.controlled_settings import QUICK, Settings
from proofs_numeric.experiments.experiment_figures import draw_all
from proofs_numeric.experiments.experiment_jobs import workers
from proofs_numeric.experiments.program import Program, versions

PROGRAM = Program(
    "controlled",
    "Clipping before versus after aggregation: the paper's controlled experiment, reproduced.",
    Settings,
    QUICK,
    "under a minute: no further seeds, no lower step sizes",
)


def main(argv: Sequence[str]) -> None:
    """Run the experiment; see the module's first lines."""
    parser = PROGRAM.parser()
    parser.add_argument("--vector-format", choices=("svg", "pdf"), default="svg", help="beside PNG [svg]")
    arguments = parser.parse_args(argv)
    settings, count = PROGRAM.read(arguments)
    _, folder, ledger = PROGRAM.places(arguments)
    with workers(PROGRAM.name, count, work, ledger) as pool:
        outcome = collect(settings, pool)
    data = summarise(outcome, arguments.quick) | {"versions": versions("numpy", "scipy", "matplotlib")}
    data["figures"] = draw_all(FIGURES, data, folder, RC, words(data), arguments.vector_format)
    PROGRAM.deliver(arguments, data, section)
