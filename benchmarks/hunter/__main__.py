"""The command line: rules, mutants, statements."""

from __future__ import annotations

import argparse
import json
import sys
import time
from pathlib import Path
from typing import Any

from benchmarks.hunter import adapter, tables
from benchmarks.hunter.schemas import run_rule


def _note(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


def _rules(args: argparse.Namespace) -> dict[str, Any]:
    rows = []
    chosen = [r for r in adapter.rules() if not args.only or r.name in args.only]
    for n, rule in enumerate(chosen, 1):
        found = run_rule(rule, args.seed, args.models, args.seconds, args.tries)
        rows.append(tables.rule_row(found))
        _note(f"{n}/{len(chosen)} {rule.name}: {found.models} models, {len(found.broken)} break it")
    return {"kind": "rules", "seed": args.seed, "models": args.models, "rules": rows}


def main(argv: list[str] | None = None) -> int:
    """Run one of the hunts; the exit status is 1 where something false came out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hunter", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("rules",):
        sub = commands.add_parser(name)
        sub.add_argument("--seed", type=int, default=1)
        sub.add_argument("--only", action="append", default=[], help="a rule or a label; may be repeated")
        sub.add_argument("--json", type=Path, help="write the result to this file")
        sub.add_argument("--markdown", type=Path, help="write the table to this file")
        sub.add_argument("--models", type=int, default=1000, help="models that meet the premises, each rule")
        sub.add_argument("--seconds", type=float, default=60.0, help="processor time of each rule")
        sub.add_argument("--tries", type=int, default=400, help="drawings for each condition that is left out")
    args = parser.parse_args(argv)
    start = time.process_time()
    found = _rules(args)
    found["command"] = " ".join(["python -m benchmarks.hunter", *(argv if argv is not None else sys.argv[1:])])
    _note(f"{time.process_time() - start:.0f} s of processor time")
    if args.json:
        args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    if args.markdown:
        args.markdown.write_text(tables.markdown(found), encoding="utf-8")
    if not args.json and not args.markdown:
        print(json.dumps(found, indent=1))
    return 1 if tables.false_ones(found) else 0


if __name__ == "__main__":
    sys.exit(main())
