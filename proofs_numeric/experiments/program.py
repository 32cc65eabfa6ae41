"""An experiment as a command: its settings as flags, where its results go."""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Callable, Mapping
from dataclasses import dataclass, fields
from importlib.metadata import version
from pathlib import Path
from typing import Any

import boundcheck
from boundcheck.system.arguments import Parser
from boundcheck.system.files import write_text
from proofs_numeric.experiments.settings import SettingError, flag, read

MOST_WORKERS = 1024


def versions(*packages: str) -> dict[str, str]:
    """What the numbers were made with."""
    return {"python": platform.python_version()} | {name: version(name) for name in packages}


@dataclass(frozen=True)
class Program:
    """``python -m proofs_numeric experiment NAME``.

    ``settings`` is the record of the settings; ``quick`` holds the values that --quick changes, and ``quick_help``
    says so.
    """

    name: str
    description: str
    settings: type
    quick: Mapping[str, Any]
    quick_help: str

    def parser(self) -> argparse.ArgumentParser:
        """The flags: how to run, and one a setting. The caller may add more."""
        result = Parser(
            prog=f"python -m proofs_numeric experiment {self.name}", description=self.description, allow_abbrev=False
        )
        add = result.add_argument
        add("--quick", action="store_true", help=self.quick_help)
        add("--json", action="store_true", help="print one JSON object instead of the report")
        add("-o", "--output", metavar="DIR", help=f"folder for data and figures [{self.name}-results]")
        add("--save", action="store_true", help="store data and figures in the source tree (default folders there)")
        add("--ledger", metavar="FILE", help=f"finished jobs, read to resume [DIR/{self.name}.sqlite]")
        add("--workers", default=str(os.cpu_count() or 1), metavar="N", help="processes [all processors]")
        group = result.add_argument_group("settings")
        for field in fields(self.settings):
            domain, default = field.metadata["domain"], field.default
            many = isinstance(default, tuple)
            shown = " ".join(map(str, default)) if isinstance(default, tuple) else default
            group.add_argument(
                flag(field.name),
                nargs=("*" if domain.empty else "+") if many else None,
                metavar="VALUE",
                help=f"{field.metadata['help']}; {domain.text} [{shown}]",
            )
        return result

    def read(self, arguments: argparse.Namespace) -> tuple[Any, int]:
        """(settings, number of processes): defaults, then --quick, then explicit flags.

        Raises :class:`SettingError` with a line for each fault.
        """
        values: dict[str, Any] = dict(self.quick) if arguments.quick else {}
        told: list[str] = []
        for field in fields(self.settings):
            given = getattr(arguments, field.name)
            if given is not None:
                try:
                    values[field.name] = read(field.name, given, field.default, field.metadata["domain"])
                except SettingError as error:
                    told += error.lines
        text = arguments.workers
        if not text.isdecimal() or not 1 <= int(text) <= MOST_WORKERS:
            told.append(f"--workers: {text!r} is not an integer from 1 to {MOST_WORKERS}; give 2")
        if told:
            raise SettingError(told)
        return self.settings(**values), int(text)

    def places(self, arguments: argparse.Namespace) -> tuple[Path, Path, Path]:
        """(JSON data, folder of the figures, ledger)."""
        package = Path(boundcheck.__file__).parent
        figures = Path(arguments.output or f"{self.name}-results")
        data = figures / f"{self.name}.json"
        if arguments.save:
            if not arguments.output:
                figures = package.parent / "docs" / "figures" / self.name
            data = package / "data" / f"{self.name}.json"
        return data, figures, Path(arguments.ledger or figures / f"{self.name}.sqlite")

    def deliver(
        self, arguments: argparse.Namespace, data: Mapping[str, Any], report: Callable[[Mapping[str, Any]], str]
    ) -> None:
        """Write the data and, outside of the source tree, the report on them; print either."""
        data_file, folder, _ = self.places(arguments)
        text = json.dumps(data, indent=1, allow_nan=False) + "\n"
        write_text(data_file, text)
        told = report(data)
        if not arguments.save:
            write_text(folder / f"{self.name}.md", told)
        sys.stdout.write(text if arguments.json else told)
