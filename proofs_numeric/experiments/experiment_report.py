"""The Markdown section on an experiment, rendered from stored data by a template beside this module."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined


def rendered(template: str, filters: Mapping[str, Any], **values: Any) -> str:
    """The text of a template, with ways of writing numbers besides those below; no blanks at line ends."""
    environment = Environment(
        loader=PackageLoader("proofs_numeric.experiments", "."), undefined=StrictUndefined, autoescape=False
    )
    environment.filters |= {"number": _number, "set": _set, "percent": _percent, "interval": interval, **filters}
    text = environment.get_template(template).render(**values)
    return "\n".join(line.rstrip() for line in text.splitlines()).rstrip() + "\n"


def _number(value: float | None, digits: int = 3) -> str:
    return "" if value is None else f"{value:.{digits}g}"


def _percent(value: float | None, digits: int = 0) -> str:
    return "" if value is None else f"{100 * value:.{digits}f} %"


def interval(ends: Sequence[float] | None, sign: str = "") -> str:
    """From one end to the other, with signs where ``sign`` is +."""
    return "" if ends is None else f"{ends[0]:{sign}.3g} to {ends[1]:{sign}.3g}"


def _set(values: Sequence[float]) -> str:
    return "{" + ", ".join(f"{v:g}" for v in values) + "}"
