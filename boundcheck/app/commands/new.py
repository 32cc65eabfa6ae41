"""``new NAME``, ``new NAME.toml``: a commented template in the current folder, for statements of one's own."""

from __future__ import annotations

import argparse
import keyword
import os
import re
from importlib import resources
from pathlib import Path
from typing import Any

from boundcheck.app.commands.output import command
from boundcheck.system.exits import Unusable

TEMPLATES = {".py": "template.py.txt", ".toml": "template.toml.txt"}


def add(commands: Any) -> None:
    """Register the command."""
    parser = command(commands, "new", "write NAME.py or NAME.toml here: a template for your own statements", run)
    parser.add_argument("name", metavar="NAME")


def run(options: argparse.Namespace) -> int:
    """Write the template; 0, or 2 for a name that is taken or cannot be one."""
    path = write(options.name, Path.cwd())
    print(f"wrote {path.name}; `python -m boundcheck.lemma check {path.name}` decides it")
    return 0


def write(name: str, folder: Path) -> Path:
    """Write the template to ``folder``, whole or not at all, and never over a file. Raises Unusable."""
    suffix = ".toml" if name.endswith(".toml") else ".py"
    asked, name = name, name.removesuffix(suffix)
    if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]{0,99}", name) or keyword.iskeyword(name):
        raise Unusable(
            f"{asked!r} cannot name a template, which is written here; use letters, digits and _, a letter first"
        )
    path = folder / f"{name}{suffix}"
    text = (
        resources.files("boundcheck")
        .joinpath("data", TEMPLATES[suffix])
        .read_text(encoding="utf-8")
        .replace("NAME", name)
    )
    part = folder / f".{name}.{os.getpid()}.part"
    try:
        try:
            part.write_text(text, encoding="utf-8")
            os.link(part, path)  # fails where the file exists: no check that another process could overtake
        finally:
            part.unlink(missing_ok=True)
    except FileExistsError:
        raise Unusable(f"{path.name}: there is such a file already; choose another name") from None
    except OSError as fault:
        raise Unusable(f"{path.name}: cannot be written here ({fault.strerror or fault})") from None
    return path
