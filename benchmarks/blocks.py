"""The measured parts of README.md: each benchmark writes the lines between its own two marks and no others."""

from __future__ import annotations

import os
import platform
from pathlib import Path

from boundcheck.system.files import between, write_text

README = Path(__file__).parent / "README.md"


def machine() -> str:
    """What the figures were measured on."""
    return f"{platform.machine()}, {os.cpu_count()} cores, {platform.system()}, Python {platform.python_version()}"


def replace_block(name: str, lines: list[str], readme: Path = README) -> None:
    """Put ``lines`` between the marks ``<!-- measured by NAME -->`` and ``<!-- end of NAME -->`` of ``readme``.

    Raises FileFault, naming the mark, where one of them is missing.
    """
    first, last = f"<!-- measured by {name} -->", f"<!-- end of {name} -->"
    write_text(readme, between(readme, first, last, "\n" + "\n".join(lines) + "\n\n"))
