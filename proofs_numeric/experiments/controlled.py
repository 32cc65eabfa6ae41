"""The paper's controlled experiment as a program: clipping before versus after aggregation (sec:experiments).

    python -m proofs_numeric experiment controlled [--quick] [--json] [-o DIR] [--save] [--SETTING VALUE ...]

Simulates (or resumes from the ledger), then writes data, figures and a Markdown report. Exit status: 0 done,
2 unusable input or ledger, 130 interrupted.
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
from proofs_numeric.experiments.controlled_analysis import summarise
from proofs_numeric.experiments.controlled_figures import draw_all
from proofs_numeric.experiments.controlled_protocol import collect
from proofs_numeric.experiments.controlled_report import report_section
from proofs_numeric.experiments.controlled_runs import Ledger, WorkerDied
from proofs_numeric.experiments.controlled_settings import DOMAINS, QUICK, SettingError, Settings

HELP = {
    "dimensions": "d of the dimension sweep",
    "dimension_sweep_p": "p of the dimension sweep, of the curves and of the diagnostics",
    "tail_exponents": "p of the tail sweep",
    "tail_sweep_d": "d of the tail sweep, of the curves and of the diagnostics",
    "batch": "M, directions a step",
    "epsilon": "target accuracy of ||grad f||",
    "tuning_seeds": "validation seeds",
    "evaluation_seeds": "seeds of the tables",
    "band_seeds": "further seeds, for the bands; 0 takes the evaluation seeds",
    "scale": "scale of the Pareto noise, P(A > a) = (scale/a)^p; also its weak-L_p sigma",
    "x0_norm": "||x0||",
    "x0": "direction of x0: diagonal is (1,...,1), axis is e_1",
    "steps": "T",
    "final": "which iterate is final: the last, or the best of all (smallest norm)",
    "criterion": "statistic over the validation seeds that tuning minimises",
    "alphas": "step sizes of the fitted grid",
    "lower_alphas": "further step sizes, for the robustness table; may be empty",
    "taus": "scalar thresholds",
    "radii": "radii r_vec of vector clipping",
    "delta": "failure probability in the threshold of thm:tuned-dev",
    "evaluate": "configurations run on evaluation and further seeds",
    "diagnostic_batches": "batches of the cosine and dominance diagnostics",
    "diagnostic_norm": "||x|| of the diagnostics",
    "raw_check_seeds": "seeds of the check of the raw closed form; 0 leaves it out",
    "protocol_draws": "repetitions of the whole protocol for its band",
    "coverage": "coverage of bands and intervals",
    "seed": "master seed",
}


class _Parser(argparse.ArgumentParser):
    def error(self, message: str) -> NoReturn:
        """One line, no usage text."""
        print(f"experiment controlled: {message}; see --help", file=sys.stderr)
        raise SystemExit(2)


def parser() -> argparse.ArgumentParser:
    """The flags: how to run, and one a setting."""
    result = _Parser(
        prog="python -m proofs_numeric experiment controlled",
        description="Clipping before versus after aggregation: the paper's controlled experiment, reproduced.",
        allow_abbrev=False,
    )
    result.add_argument("--quick", action="store_true", help="under a minute: no further seeds, no lower step sizes")
    result.add_argument("--json", action="store_true", help="print one JSON object instead of the report")
    result.add_argument("-o", "--output", metavar="DIR", help="folder for data and figures [controlled-results]")
    result.add_argument(
        "--save", action="store_true", help="store data and figures in the source tree (default folders there)"
    )
    result.add_argument("--ledger", metavar="FILE", help="finished jobs, read to resume [DIR/controlled.sqlite]")
    result.add_argument("--workers", default=str(os.cpu_count() or 1), metavar="N", help="processes [all processors]")
    result.add_argument("--vector-format", choices=("svg", "pdf"), default="svg", help="beside PNG [svg]")
    group = result.add_argument_group("settings (defaults: fitted to the paper's tables)")
    for field in fields(Settings):
        many = isinstance(field.default, tuple)
        shown = " ".join(map(str, field.default)) if many else field.default
        group.add_argument(
            "--" + field.name.replace("_", "-"),
            nargs=("*" if field.name == "lower_alphas" else "+") if many else None,
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
        raise SettingError(f"--{name.replace('_', '-')}: {text!r} is not {domain}; {mend}") from None


def read_settings(arguments: argparse.Namespace) -> Settings:
    """Defaults, then --quick, then explicit flags; raises SettingError with a line for each fault."""
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
        except SettingError as error:
            faults.append(str(error))
    if faults:
        raise SettingError("\n".join(faults))
    return Settings(**values)


def _workers(text: str) -> int:
    if not text.isdecimal() or not 1 <= int(text) <= 1024:
        raise SettingError(f"--workers: {text!r} is not an integer from 1 to 1024; give 2")
    return int(text)


def _folders(arguments: argparse.Namespace) -> tuple[Path, Path, Path]:
    """Where the JSON data, the figures and the ledger go."""
    package = Path(boundcheck.__file__).parent
    figures = Path(arguments.output or "controlled-results")
    data = figures / "controlled.json"
    if arguments.save:
        if not arguments.output:
            figures = package.parent / "docs" / "figures" / "controlled"
        data = package / "data" / "controlled.json"
    ledger = Path(arguments.ledger) if arguments.ledger else figures / "controlled.sqlite"
    return data, figures, ledger


def _write(path: Path, text: str) -> None:
    """Whole or not at all."""
    path.parent.mkdir(parents=True, exist_ok=True)
    partial = path.with_name(path.name + ".partial")
    partial.write_text(text, encoding="utf-8")
    partial.replace(path)


def versions() -> dict[str, str]:
    """What the numbers were made with."""
    return {"python": platform.python_version()} | {name: version(name) for name in ("numpy", "scipy", "matplotlib")}


def main(argv: list[str] | None = None) -> int:
    """Run the experiment; see the module's first lines."""
    arguments = parser().parse_args(argv)
    console = Console(stderr=True)
    data_file, folder, ledger_file = _folders(arguments)
    try:
        settings, workers = read_settings(arguments), _workers(arguments.workers)
        ledger = Ledger(ledger_file)
        try:
            outcome = collect(settings, ledger, workers, console)
        finally:
            ledger.close()
        data = summarise(outcome, arguments.quick) | {"versions": versions()}
        data["figures"] = draw_all(data, folder, arguments.vector_format)
        text = json.dumps(data, indent=1, allow_nan=False) + "\n"
        _write(data_file, text)
        report = report_section(data)
        if not arguments.save:
            _write(folder / "controlled.md", report)
    except (SettingError, FloatingPointError, WorkerDied, OSError) as error:
        return _complain(str(error).splitlines())
    except KeyboardInterrupt:
        print("experiment controlled: interrupted; the same command resumes", file=sys.stderr)
        return 130
    sys.stdout.write(text if arguments.json else report)
    return 0


def _complain(lines: Sequence[str]) -> int:
    for line in lines:
        print(f"experiment controlled: {line}", file=sys.stderr)
    return 2


if __name__ == "__main__":
    sys.exit(main())
