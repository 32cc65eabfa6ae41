"""The command line: rules, mutants."""

from __future__ import annotations

import argparse
import json
import sys
import time
from concurrent.futures import ProcessPoolExecutor
from contextlib import nullcontext
from pathlib import Path
from typing import Any

from benchmarks.hunter import tables
from benchmarks.hunter.hunt import run
from benchmarks.hunter.mended import HOLES, found_again, hole
from benchmarks.hunter.schemas import RuleResult, conditions, run_rule
from benchmarks.hunter.witnesses import by_hand
from boundcheck.kernel.rules import RULES


def _note(text: str, end: str = "\n") -> None:
    print(text, end=end, file=sys.stderr, flush=True)


def _one_rule(wanted: tuple[str, int, int, float, int]) -> RuleResult:
    name, seed, models, seconds, tries = wanted
    return run_rule(RULES[name], seed, models, seconds, tries)


def _rules(args: argparse.Namespace) -> dict[str, Any]:
    rows: dict[str, dict[str, Any]] = {}
    if args.again:
        kept = tables.read(args.again.read_text(encoding="utf-8"))
        rows = {name: row for name, row in kept.items() if name in RULES and name not in args.only}
    if args.json and args.json.exists():
        kept = json.loads(args.json.read_text(encoding="utf-8"))
        if (kept["seed"], kept["models"]) == (args.seed, args.models):
            rows = {r["rule"]: r for r in kept["rules"] if r["rule"] in RULES and r["rule"] not in args.only}
    wanted = []
    for name, rule in RULES.items():
        row = rows.get(name)
        models = 0 if row and row["models"] else args.models
        tries = 0 if (row and row["conditions"]) or not any(True for _ in conditions(rule)) else args.tries
        if (not args.only or name in args.only) and (models or tries):
            wanted.append((name, args.seed, models, args.seconds, tries))
    found = {"kind": "rules", "seed": args.seed, "models": args.models, "rules": [], "all": list(RULES)}
    with ProcessPoolExecutor(args.jobs) as pool:
        for n, one in enumerate(pool.map(_one_rule, wanted), 1):
            row = tables.rule_row(one)
            rows[one.name] = tables.joined(rows[one.name], row) if one.name in rows else row
            _note(f"{n}/{len(wanted)} {one.name}: {rows[one.name]['models']} models, {len(one.broken)} break it")
            found["rules"] = [rows[r] for r in RULES if r in rows]
            if args.json:  # what there is, should the run end early
                args.json.write_text(json.dumps(found, indent=1) + "\n", encoding="utf-8")
    for name, row in rows.items():
        for c in row["conditions"]:
            if not c["needed"]:
                c["model"] = by_hand(name, c["condition"])
                c["needed"] = bool(c["model"])
    found["rules"] = [rows[r] for r in RULES if r in rows]
    return found


def _mutants(args: argparse.Namespace) -> dict[str, Any]:
    log = args.log.open("a", encoding="utf-8") if args.log else None

    def note(text: str) -> None:
        _note(text)
        if log is not None:
            print(text, file=log, flush=True)

    with hole(args.hole) if args.hole else nullcontext():
        bounds = (args.seconds, args.budget, note, args.most)
        found = run(args.seed, args.mutants, args.source, *bounds, tuple(args.only), args.state, args.first)
    return {"kind": "mutants", "seed": args.seed, **found.data(), "holes": list(found.holes.values())}


def _mended(args: argparse.Namespace) -> dict[str, Any]:
    found = found_again(args.seed, args.mutants, args.budget, args.seconds, _note)
    missed = [name for name in HOLES if name not in found]
    return {"kind": "mended", "seed": args.seed, "found": found, "missed": missed, "holes": found.get("none", ())}


def main(argv: list[str] | None = None) -> int:
    """Run one of the hunts; the exit status is 1 where something false came out."""
    parser = argparse.ArgumentParser(prog="python -m benchmarks.hunter", description=__doc__)
    commands = parser.add_subparsers(dest="command", required=True)
    for name in ("rules", "mutants", "mended"):
        sub = commands.add_parser(name)
        if name != "rules":
            sub.add_argument("--mutants", type=int, default=2000)
            sub.add_argument("--budget", type=float, default=0.1, help="seconds for each scalar claim")
            sub.add_argument("--seconds", type=float, default=1e9, help="processor time in all")
        if name == "mutants":
            sub.add_argument("--source", choices=("both", "random", "written"), default="both")
            sub.add_argument("--state", type=Path, help="keep the hunt in this file and go on from it")
            sub.add_argument("--most", type=int, default=3, help="holes of one kind that are shown")
            sub.add_argument("--first", action="store_true", help="end with the first hole")
            sub.add_argument("--hole", choices=HOLES, help="a mended hole of the kernel that is open again")
            sub.add_argument("--log", type=Path, help="write every hole to this file as it is found")
        sub.add_argument("--seed", type=int, default=1)
        sub.add_argument(
            "--only",
            action="append",
            default=[],
            help="a rule, a label, a text in a case's origin; repeatable",
        )
        sub.add_argument("--json", type=Path, help="write the result to this file; rules in it are not run again")
        if name != "rules":
            continue
        sub.add_argument("--again", type=Path, help="a table of before: what it has is not run again, but for --only")
        sub.add_argument("--markdown", type=Path, help="write the table to this file")
        sub.add_argument("--models", type=int, default=1000, help="models that meet the premises, each rule")
        sub.add_argument("--seconds", type=float, default=60.0, help="processor time of each rule")
        sub.add_argument("--jobs", type=int, default=1, help="processes")
        sub.add_argument("--tries", type=int, default=150, help="drawings for each condition that is left out")
    args = parser.parse_args(argv)
    start = time.process_time()
    found = {"rules": _rules, "mutants": _mutants, "mended": _mended}[args.command](args)
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
