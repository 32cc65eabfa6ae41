"""The pieces of Markdown that the report is written with; :mod:`boundcheck.reporting.html` reads just these."""

from __future__ import annotations

import re


def anchor(heading: str) -> str:
    """The anchor of a heading, as GitHub makes it."""
    return "".join(c for c in heading.lower().replace(" ", "-") if c.isalnum() or c in "-_")


def prose(text: str) -> str:
    """Text in which no character is markup."""
    return re.sub(r"([*<])", r"\\\1", str(text))


def code(text: str) -> str:
    """Text as inline code."""
    return f"`{text}`" if text else ""
