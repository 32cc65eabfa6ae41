"""The headline bound of every statement as a number: the one place from which simulation and plans take it."""

from __future__ import annotations

from boundcheck.arith import floats
from boundcheck.formula import parse
from boundcheck.paper import lookup


def value(label: str, /, **parameters: float) -> float:
    """The bound of the statement ``label`` at ``parameters``, in double precision.

    Raises KeyError for an unknown label and ValueError where the statement has no bound formula or a parameter
    of the formula is missing.
    """
    statement = lookup(label)
    if not statement.bound:
        raise ValueError(f"{label} has no bound formula")
    expression = parse(statement.bound, proof=True)
    missing = sorted(expression.free - parameters.keys())
    if missing:
        raise ValueError(f"the bound of {label} needs {', '.join(missing)}")
    names = sorted(expression.free)
    evaluated = floats.compile_function([expression], names)([parameters[n] for n in names])
    return float(evaluated[0])
