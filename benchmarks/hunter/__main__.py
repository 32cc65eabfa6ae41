"""The command line: rules, mutants, statements."""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from pathlib import Path
from typing import Any

from benchmarks.hunter import adapter, tables
from benchmarks.hunter.hunt import run
from benchmarks.hunter.schemas import RuleResult, run_rule
from benchmarks.hunter.statements import run_statement


def _note(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


def _one_rule(wanted: tuple[str, int, int, float, int]) -> RuleResult:
    name, seed, models, seconds, tries = wanted
    return run_rule(next(r for r in adapter.rules() if r.name == name), seed, models, seconds, tries)


def _rules(args: argparse.Namespace) -> dict[str, Any]:
    rows = []
    chosen = [r for r in adapter.rules() if not args.only or r.name in args.only]
    wanted = [(r.name, args.seed, args.models, args.seconds, args.tries) for r in chosen]
    with ProcessPoolExecutor(args.jobs) as pool:
        for n, found in enumerate(pool.map(_one_rule, wanted), 1):
            rows.append(tables.rule_row(found))
            _note(f"{n}/{len(chosen)} {found.name}: {found.models} models, {len(found.broken)} break it")
            if args.json:  # what there is, should the run end early
                done = {"kind": "rules", "seed": args.seed, "models": args.models, "rules": rows}
                args.json.write_text(json.dumps(done, indent=1) + "\n", encoding="utf-8")
    names = [r.name for r in adapter.rules()]
    return {"kind": "rules", "seed": args.seed, "models": args.models, "rules": rows, "all": names}


def _mutants(args: argparse.Namespace) -> dict[str, Any]:
    log = args.log.open("w", encoding="utf-8") if args.log else None

    def note(text: str) -> None:
        _note(text)
        if log is not None:
            print(text, file=log, flush=True)

    found = run(args.seed, args.mutants, args.source, args.seconds, args.budget, note, args.most, tuple(args.only))
    return {
        "kind": "mutants",
        "seed": args.seed,
        "counts": dict(found.counts),
        "sizes": dict(found.sizes),
        "holes": list(found.holes.values()),
    }


def _statements(args: argparse.Namespace) -> dict[str, Any]:
    rows = []
    for label, statement in adapter.catalogue().items():
        for one in (statement, statement.as_used):
            if one is None or (args.only and label not in args.only):
                continue
            row = run_statement(one, args.seed, args.models, args.seconds)
            name = label if one is statement else f"{label} (as used)"
            rows.append({**vars(row), "label": name})
            verdict = row.how.upper() if row.false else row.left_out
            _note(f"{name}: {row.models} models of {row.drawn} {verdict}")
    return {"kind": "statements", "seed": args.seed, "false": [r for r in rows if r["how"] == "false"], "rows": rows}


def main(argv: list[str] | None = None) -> int:
    """Run one of the hunts; the exit status is 1 where something false came out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hunter", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("rules", "mutants", "statements"):
        sub = commands.add_parser(name)
        if name == "mutants":
            sub.add_argument("--mutants", type=int, default=2000)
            sub.add_argument("--source", choices=("both", "random", "catalogue"), default="both")
            sub.add_argument("--budget", type=float, default=0.2, help="seconds for each scalar claim")
            sub.add_argument("--seconds", type=float, default=1e9, help="processor time in all")
            sub.add_argument("--most", type=int, default=3, help="holes of one kind that are shown")
            sub.add_argument("--log", type=Path, help="write every hole to this file as it is found")
        sub.add_argument("--seed", type=int, default=1)
        sub.add_argument(
            "--only",
            action="append",
            default=[],
            help="a rule, a label, a text in a case's origin; repeatable",
        )
        sub.add_argument("--json", type=Path, help="write the result to this file")
        if name == "statements":
            sub.add_argument("--models", type=int, default=40, help="models of the hypotheses, each statement")
            sub.add_argument("--seconds", type=float, default=4.0, help="processor time of each statement")
        if name != "rules":
            continue
        sub.add_argument("--markdown", type=Path, help="write the table to this file")
        sub.add_argument("--models", type=int, default=1000, help="models that meet the premises, each rule")
        sub.add_argument("--seconds", type=float, default=60.0, help="processor time of each rule")
        sub.add_argument("--jobs", type=int, default=1, help="processes")
        sub.add_argument("--tries", type=int, default=400, help="drawings for each condition that is left out")
    args = parser.parse_args(argv)
    start = time.process_time()
    found = {"rules": _rules, "mutants": _mutants, "statements": _statements}[args.command](args)
    found["command"] = " ".join(["python -m benchmarks.hunter", *(argv if argv is not None else sys.argv[1:])])
    _note(f"{time.process_time() - start:.0f} s of processor time")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if getattr(args, "markdown", None):
        args.markdown.write_text(tables.markdown(found), encoding="utf-8")
    if not args.json and not getattr(args, "markdown", None):
        print(json.dumps(found, indent=1))
    return 1 if tables.false_ones(found) else 0


if __name__ == "__main__":
    sys.exit(main())
