"""The report as Markdown: the template filled with the joined results. Pure: the same stored data, the same text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from boundcheck.commands.output import shortened
from boundcheck.kernel.statement import Statement
from boundcheck.reporting.context import context
from boundcheck.reporting.figures import Figure
from boundcheck.reporting.markdown import anchor, cell, code, code_cell, prose
from boundcheck.reporting.sources import Sources
from boundcheck.reporting.waterfall import NAME as WATERFALL
from boundcheck.reporting.waterfall import ROOTS, tables
from proofs_numeric.experiments import controlled_report, finetune_report

FIGURES = "docs/figures"  #: where the figures lie, seen from the report
EXPERIMENT_FIGURES = "docs/figures/controlled"
TUNING_FIGURES = "docs/figures/finetune"


def markdown(catalogue: Mapping[str, Statement], sources: Sources, figures: Sequence[Figure]) -> str:
    """The whole report."""
    environment = Environment(
        loader=PackageLoader("boundcheck.reporting", "."), undefined=StrictUndefined, autoescape=False
    )
    environment.filters |= {
        "anchor": anchor,
        "cell": cell,
        "code": code,
        "code_cell": code_cell,
        "number": _number,
        "prose": prose,
        "short": lambda text: shortened(text, 240),
    }
    template = environment.get_template("report.md.j2")
    ledger = next((f for f in figures if f.name == WATERFALL), None)
    values = context(catalogue, sources) | {
        "figures": [f for f in figures if f is not ledger],
        "waterfall": ledger,
        "ledger": tables(ledger.rows) if ledger is not None else [],
        "mains": ROOTS,
        "folder": FIGURES,
        "controlled": _section(controlled_report.section, sources.controlled, EXPERIMENT_FIGURES),
        "finetune": _section(finetune_report.section, sources.finetune, TUNING_FIGURES),
    }
    text = template.render(**values, contents="")
    text = template.render(**values, contents=_contents(text))  # the sections are known once they are written
    return "\n".join(line.rstrip() for line in text.splitlines()) + "\n"


def _contents(text: str) -> str:
    """Links to the sections of a report."""
    headings = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    return ", ".join(f"[{h}](#{anchor(h)})" for h in headings)


def _section(write: Callable[[dict[str, Any], str], str], data: dict[str, Any] | None, figures: str) -> str:
    """What an experiment writes about its stored data; nothing where it has not been run."""
    return "" if data is None else write(data, figures).rstrip()


def _number(value: Any, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}g}"
