"""The stored results that the report joins: decisions, Monte Carlo, experiments. Nothing is computed here."""

from __future__ import annotations

from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

from boundcheck.models.kept import stored
from boundcheck.stored import decisions
from boundcheck.system.files import FileFault, read_json

DATA = Path(__file__).parents[2] / "data"
#: file -> what is missing without it, and the command that writes it
PRODUCERS = {
    "decisions.json": ("decisions", "python -m boundcheck.lemma check --save"),
    "monte_carlo.json": ("Monte Carlo results", "python -m proofs_numeric run --executor processes --save"),
    "controlled.json": (
        "results of the controlled experiment",
        "python -m proofs_numeric experiment controlled",
    ),
    "finetune.json": (
        "results of the fine-tuning experiment",
        "python -m proofs_numeric experiment finetune --save",
    ),
    "models.json": ("models of the statements", "python -m boundcheck.models"),
    "plans.json": ("table of queries", "python -m boundcheck.lemma plan --table --save"),
    "martingales.json": ("table of martingales", "python -m proofs_numeric.small_world_cases"),
}


@dataclass(frozen=True)
class Sources:
    """What is stored; ``missing`` says in one line each what is not, and which command would store it."""

    decisions: dict[str, Any]
    monte_carlo: dict[str, Any] | None
    controlled: dict[str, Any] | None
    missing: tuple[str, ...]
    plans: dict[str, Any] | None = None
    finetune: dict[str, Any] | None = None
    martingales: dict[str, Any] | None = None
    models: dict[str, Any] = field(default_factory=dict)  #: by label

    @property
    def cells(self) -> list[dict[str, Any]]:
        """The cells of the simulation."""
        return [] if self.monte_carlo is None else list(self.monte_carlo["cells"])


def load(folder: Path = DATA) -> Sources:
    """The stored results in ``folder``. Raises :class:`FileFault` for a file that is not readable."""
    missing = [
        f"no {what} stored: run `{command}`"
        for name, (what, command) in PRODUCERS.items()
        if not (folder / name).exists()
    ]
    return Sources(
        decisions.load(folder / "decisions.json"),
        _read(folder / "monte_carlo.json", "cells"),
        _read(folder / "controlled.json", "settings"),
        tuple(missing),
        _read(folder / "plans.json", "rows"),
        _read(folder / "finetune.json", "settings"),
        _read(folder / "martingales.json", "rows"),
        stored(folder / "models.json"),
    )


def _read(path: Path, key: str) -> dict[str, Any] | None:
    if not path.exists():
        return None
    data = read_json(path)
    if not isinstance(data, dict) or data.get("schema") != 1 or key not in data:
        raise FileFault(f"{path}: not stored results of schema 1; run `{PRODUCERS[path.name][1]}`")
    return data
