"""``eval LABEL NAME=VALUE ...``: bound, exact worst case and slack of a statement at one point, as numbers."""

from __future__ import annotations

import argparse
import math
import sys
from typing import TYPE_CHECKING, Any

from boundcheck.app.commands.output import bracket, command, finite, no_certificate, own_statements, print_json
from boundcheck.kernel.statement import Statement
from boundcheck.paper import lookup
from boundcheck.system.exits import Unusable
from boundcheck.user_files import is_own

if TYPE_CHECKING:
    from fractions import Fraction

    from flint import arb

    from boundcheck.author.parameters import Point


def add(commands: Any) -> None:
    """Register the command."""
    parser = command(commands, "eval", "bound, exact or worst-law value and slack at given parameters", run)
    parser.add_argument("label", metavar="LABEL | FILE.toml[:LABEL] | FILE.py[:LABEL]")
    parser.add_argument(
        "values",
        metavar="NAME=VALUE",
        nargs="*",
        help="decimals or fractions, read exactly; also of norm(x) and its like",
    )
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print the numbers; 0, or 2 for an unknown label or parameters outside of the domain."""
    found = evaluated(_statement(options.label), options.values)
    if options.json:
        print_json({k: found[k] for k in ("label", "parameters", "bound", "exact", "slack")})
        return 0
    print(f"{found['label']} at {', '.join(f'{k} = {v}' for k, v in found['parameters'].items())}")
    print(f"bound  {found['bound']:.15g}   {found['formula']}")
    if found["exact"] is None:
        print(f"exact  {found['why']}")
    else:
        print(f"exact  {found['exact']:.15g}   {found['why']}")
        print(f"slack  {bracket(found['slack'])}")
    return 0


def _statement(target: str) -> Statement:
    """The statement meant: of the catalogue, or of a file that has one or is followed by :LABEL."""
    no_certificate(target)
    if not is_own(target):
        return lookup(target)
    file, chosen = own_statements(target, search=False, some=True)
    if len(chosen) != 1:
        raise Unusable(
            f"{file.path}: which statement? write {file.path}:LABEL with one of {', '.join(file.statements)}"
        )
    return chosen[0]


def evaluated(statement: Statement, values: list[str]) -> dict[str, Any]:
    """The object that ``--json`` prints, with ``formula`` and ``why`` (where the exact value is from)."""
    from boundcheck.author.headline import claimed
    from boundcheck.author.parameters import covered, read_point
    from boundcheck.decide.worst_case.worst_values import as_double, value_at
    from boundcheck.kernel.formula import parse

    label = statement.label
    if not statement.bound:
        mend = f"`show {label}` prints what it says; a file of your own gives one with bound = FORMULA"
        raise Unusable(f"{label} has no bound to evaluate; {mend}")
    if not claimed(statement):
        mend = "write it as a side of a claim, or give the side a name by an equation"
        raise Unusable(
            f"{label}: the bound {statement.bound} is no side of a claim, and nothing is proved of it; {mend}"
        )
    formula = parse(statement.bound, proof=True)
    point = read_point(statement, values, formula)
    try:
        ball = value_at(point.put(covered(formula)), point.given)
    except (ValueError, ArithmeticError) as fault:
        raise Unusable(f"{label}: {fault}") from None
    bound = as_double(ball, ball)
    if bound is None or not math.isfinite(bound):
        raise Unusable(f"{label}: {_untold(ball)}")
    return {
        "label": label,
        "parameters": {k: _number(v) for k, v in point.given.items()},
        "bound": bound,
        **_worst(statement, point),
        "formula": statement.bound,
    }


def _worst(statement: Statement, point: Point) -> dict[str, Any]:
    """The exact value and the slack of the bound where an extremal problem is solved, and where they are from."""
    from boundcheck.author.scalar_claim import NotExtremal
    from boundcheck.decide.worst_case import worst_directional, worst_values
    from boundcheck.decide.worst_case.extremal_law import WorstLaw
    from boundcheck.decide.worst_case.worst_values import rounded_down, rounded_up
    from boundcheck.paper.extremal import problem

    def unknown(why: str) -> dict[str, Any]:
        return {"exact": None, "slack": None, "why": why}

    try:
        extremal = problem(statement)
    except NotExtremal as fault:
        raise Unusable(str(fault)) from None
    if extremal is None:
        return unknown("not known: no extremal problem is solved for this statement")
    if absent := sorted(set(extremal.parameters) - point.given.keys()):
        return unknown(f"needs {', '.join(absent)} as well")
    given = {n: point.given[n] for n in extremal.parameters}
    try:
        worst = (worst_values if isinstance(extremal, WorstLaw) else worst_directional).evaluate(extremal, given)
    except (ValueError, ArithmeticError) as fault:
        return unknown(f"not found: {fault}")
    why = worst.reason
    if worst.exact is None:
        ends = f"{rounded_down(worst.exact_low):.15g} and {rounded_up(worst.exact_high):.15g}"
        why = f"between {ends} ({why})"
    return {"exact": worst.exact, "slack": [finite(worst.slack_low), finite(worst.slack_high)], "why": why}


def _untold(bound: arb) -> str:
    """Why a bound has no double."""
    if bound.contains(0) or bound.rel_accuracy_bits() < 40:
        return "the bound cannot be told with the precision that there is; choose smaller or simpler values"
    return (
        f"the bound is beyond the range of double precision; choose {'smaller' if abs(bound) > 1 else 'other'} values"
    )


def _number(value: Fraction) -> int | float | str:
    """A value that was given; as text where it is beyond the range of doubles."""
    if value.denominator == 1:
        return int(value)
    try:
        double = float(value)
    except OverflowError:
        return str(value)
    return double if abs(double) >= sys.float_info.min else str(value)
