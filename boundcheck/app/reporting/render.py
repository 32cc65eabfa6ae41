"""The report as Markdown pages: templates filled with the joined results. The same stored data, the same text."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined

from boundcheck.app.commands.output import bracket, shortened
from boundcheck.app.drawing import Figure
from boundcheck.app.reporting.context import Record, context, how
from boundcheck.app.reporting.markdown import MORE, anchor, cell, finished, link, math, page_of, said, worded
from boundcheck.app.reporting.sources import Sources
from boundcheck.app.reporting.waterfall import NAME as WATERFALL
from boundcheck.app.reporting.waterfall import ROOTS, tables
from boundcheck.author.wording import reason_text
from boundcheck.kernel.statement import Statement
from proofs_numeric.experiments import controlled_report, finetune_report

FIGURES = "docs/figures"  #: where the figures lie, seen from the report
EXPERIMENT_FIGURES = "docs/figures/controlled"
TUNING_FIGURES = "docs/figures/finetune"
FRONT = "REPORT.md"  #: the name of the front page, unless another one is given
PARTS = ("ledger", "planted", "simulation", "rules", "experiments")  #: the pages beside it and the statements


def drafts(
    catalogue: Mapping[str, Statement], sources: Sources, figures: Sequence[Figure], front: str = FRONT
) -> tuple[dict[str, str], list[Record]]:
    """Every page by its path as seen from the report, with formulas still marked and links as seen from there.

    Beside them what is known of every statement.
    """
    environment = _environment({})
    ledger = next((f for f in figures if f.name == WATERFALL), None)
    values = context(catalogue, sources) | {
        "figures": [f for f in figures if f is not ledger],
        "waterfall": ledger,
        "ledger": tables(ledger.rows) if ledger is not None else [],
        "mains": ROOTS,
        "folder": FIGURES,
        "report": front,
        "controlled": _section(controlled_report.section, sources.controlled, EXPERIMENT_FIGURES),
        "finetune": _section(finetune_report.section, sources.finetune, TUNING_FIGURES),
    }
    template = environment.get_template("report.md.j2")
    text = template.render(**values, contents="")
    found = {front: template.render(**values, contents=_contents(text))}  # sections are known once they are written
    for name in PARTS:
        found[f"{MORE}/{name}.md"] = environment.get_template(f"{name}.md.j2").render(**values)
    page = environment.get_template("statement.md.j2")
    for record in values["statements"]:
        found[page_of(record["label"])] = page.render(s=record, report=front)
    return found, values["statements"]


def page(template: str, filters: Mapping[str, Any], **values: Any) -> str:
    """The text of one template, with further filters."""
    return _environment(filters).get_template(template).render(**values)


def _environment(filters: Mapping[str, Any]) -> Environment:
    environment = Environment(
        loader=PackageLoader("boundcheck.app.reporting", "."), undefined=StrictUndefined, autoescape=False
    )
    environment.filters |= {
        "bracket": bracket,
        "cell": cell,
        "how": how,
        "link": link,
        "math": math,
        "number": _number,
        "page": page_of,
        "reason": reason_text,
        "said": said,
        "short": lambda text: shortened(text, 240),
        "worded": worded,
        **filters,
    }
    return environment


def pages(
    catalogue: Mapping[str, Statement], sources: Sources, figures: Sequence[Figure], front: str = FRONT
) -> dict[str, str]:
    """Every page by its path as seen from the report, as it is written."""
    return {path: finished(text, path) for path, text in drafts(catalogue, sources, figures, front)[0].items()}


def _contents(text: str) -> str:
    """Links to the sections of a report."""
    headings = [line.removeprefix("## ") for line in text.splitlines() if line.startswith("## ")]
    return ", ".join(f"[{h}](#{anchor(h)})" for h in headings)


def _section(write: Callable[[dict[str, Any], str], str], data: dict[str, Any] | None, figures: str) -> str:
    """What an experiment writes about its stored data; nothing where it has not been run."""
    return "" if data is None else write(data, figures).rstrip()


def _number(value: Any, digits: int = 4) -> str:
    return "" if value is None else f"{value:.{digits}g}"
