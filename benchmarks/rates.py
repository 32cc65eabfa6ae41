"""Rates for all parameters, beside PEPit at five points of the parameters: python benchmarks/rates.py [--readme].

Needs the extra ``bench`` (PEPit with clarabel). For every rate of examples/rates/ that has a counterpart among
PEPit's own examples: PEPit's value at the first of five points drawn from the rate's domain, the time for all five,
the largest relative difference from the rate in closed form that PEPit prints; then the verdict for all parameters,
its time, and that of the twin.
"""

from __future__ import annotations

import argparse
import ast
import contextlib
import importlib
import io
import math
import statistics
import time
import tomllib
import warnings
from fractions import Fraction
from pathlib import Path
from typing import Any

from blocks import machine, replace_block
from flint import arb

from boundcheck.arith.in_balls import evaluate
from boundcheck.decide.quadratic.gram_sdp import interior_samples
from boundcheck.decide.quadratic.rate_engine import decide_rate, value_at
from boundcheck.decide.quadratic.rate_moves import expand_by_moves, now
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.quadratic import problem
from boundcheck.kernel.formula import parse
from boundcheck.rates import Entry, read_rates

FOLDER = Path(__file__).parent.parent / "examples" / "rates"
POINTS = 5
Numbers = dict[str, float]
#: rate -> (package, call of an example in the rate's parameters)
PEPIT = {
    rate: (package, call)
    for package, calls in tomllib.loads(Path(__file__).with_name("pepit.toml").read_text(encoding="utf-8")).items()
    for rate, call in calls.items()
}


def points_of(entry: Entry) -> list[Numbers]:
    """Five points of the domain, in floats, by the parameters of the text."""
    expanded, _ = expand_by_moves(entry.rate)
    p, form = problem(expanded.cases[0]), expanded.forms[0]
    points = interior_samples(Signs(p, lambda *_: None), POINTS, seed=11)
    numbers = [dict(zip(p.field.names, map(float, row), strict=True)) for row in points] or [{}]
    gone = [old for old, _ in form.steps if old.op == "var"]
    exact = [{n: Fraction(x) for n, x in v.items()} for v in numbers]
    return [
        v | {str(old): float(value_at(now(form, old), e)) for old in gone} for v, e in zip(numbers, exact, strict=True)
    ]


def argument(node: ast.expr, numbers: Numbers) -> Any:
    """The value of an argument: a number, inf, a formula in the rate's parameters, or a list of these."""
    if isinstance(node, ast.List):
        return [argument(part, numbers) for part in node.elts]
    if isinstance(node, ast.Constant):
        return node.value
    text = ast.unparse(node)
    return math.inf if text == "inf" else float(evaluate(parse(text), {k: arb(v) for k, v in numbers.items()}))


def by_pepit(entry: Entry) -> tuple[str, str, str]:
    """PEPit's value at the first point, the seconds for all, the largest relative difference from its printed rate."""
    package, text = PEPIT[entry.rate.name]
    example, arguments = text.partition("(")[0], {k.arg: k.value for k in ast.parse(text, mode="eval").body.keywords}
    module = importlib.import_module(f"PEPit.examples.{package}.{example}")
    call = next(getattr(module, name) for name in dir(module) if name.startswith("wc_"))
    values, worst = [], 0.0
    start = time.perf_counter()
    for numbers in points_of(entry):
        with contextlib.redirect_stdout(io.StringIO()), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            given = {name: argument(node, numbers) for name, node in arguments.items()}
            tau, rate = call(**given, wrapper="cvxpy", solver="CLARABEL", verbose=-1)
        values.append(tau)
        if rate is not None:
            worst = max(worst, abs(tau - rate) / max(abs(rate), 1e-3))
    return f"{values[0]:.5g}", f"{time.perf_counter() - start:.2f}", f"{worst:.0e}"


def table() -> list[str]:
    """The lines of the table as Markdown, with the counts under it."""
    lines = [
        f"{machine()}.",
        "",
        "| rate | PEPit, first point | s for 5 | off its closed form | for all parameters | s | false twin | s |",
        "|---|---|---|---|---|---|---|---|",
    ]
    seconds, proved, refuted, examples = [], 0, 0, set()
    entries = [e for path in sorted(FOLDER.glob("*.toml")) for e in read_rates(path)]
    for entry in (e for e in entries if e.rate.name in PEPIT):
        value, took, off = by_pepit(entry)
        verdict = decide_rate(entry.rate)
        assert entry.twin is not None
        twin = decide_rate(entry.twin)
        seconds.append(verdict.seconds)
        proved += verdict.status == "PROVED"
        refuted += twin.status == "REFUTED"
        package, call = PEPIT[entry.rate.name]
        examples.add((package, call.partition("(")[0]))
        lines.append(
            f"| {entry.rate.name} | {value} | {took} | {off} | {verdict.status} | {verdict.seconds:.2f} "
            f"| {twin.status} | {twin.seconds:.2f} |"
        )
    lines += [
        "",
        f"{len(seconds)} rates of {len(examples)} examples: {proved} PROVED, no multiplier in the file; {refuted} "
        f"twins REFUTED with exact vectors; median {statistics.median(seconds):.2f} s, at most {max(seconds):.1f} s.",
    ]
    return lines


if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--readme", action="store_true", help="write the table into README.md")
    options = parser.parse_args()
    measured = table()
    print("\n".join(measured))
    if options.readme:
        replace_block("rates.py", measured)
