"""The Markdown section on the controlled experiment, rendered from stored data alone."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any


def report_section(data: Mapping[str, Any]) -> str:
    return "x\n"
