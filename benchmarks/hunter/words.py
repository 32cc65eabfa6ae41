"""A model in words."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from benchmarks.hunter.meet import Outcome
from benchmarks.hunter.model import Function, Model, Rv
from boundcheck.kernel.formula import Relation
from boundcheck.kernel.statement import Fact as Text

_LINES = {
    "heavy": "= n with probability 1/(n(n + 1))",
    "wide": "= n with probability 4/(n(n + 1)(n + 2))",
    "uniform": "uniform on [-1, 1]",
}
LONGEST = 1200  #: characters of a model in words


def text_of(f: Text) -> str:
    """A fact of a statement or of a rule in one line."""
    over = f" for all {', '.join(f.over)}" if f.over else ""
    return f.claim + over + (f" where {', '.join(f.where)}" if f.where else "")


def shown(model: Model, found: Outcome, goal: Relation | str) -> str:
    """A model in one line."""
    parts = [f"{goal} is {found.how}" + (f" at {_text(found.at)}" if found.at else "")]
    if len(model.atoms) > 1:
        parts.append(f"weights {', '.join(map(str, model.weights))}, atom {found.atom + 1}")
    if model.d > 1:
        parts.append(f"R^{model.d}")
    if model.line:
        parts.append(f"x {_LINES[model.line]}")
    parts.append(_text(model.values))
    members = {f"{n}[{', '.join(map(str, i))}]": v for (n, i), v in list(model.members.items())[:12]}
    if members:
        parts.append(_text(members))
    if model.unknown_values:
        parts.append("unknown values: " + ", ".join(f"{k} = {v}" for k, v in list(model.unknown_values.items())[:4]))
    line = "; ".join(p for p in parts if p)
    return line if len(line) <= LONGEST else line[:LONGEST] + " ..."


def _text(values: Mapping[str, Any]) -> str:
    def one(v: Any) -> str:
        if isinstance(v, Rv):
            return "[" + ", ".join(map(one, v.values)) + "]"
        if isinstance(v, tuple):
            return "(" + ", ".join(map(one, v)) + ")"
        if isinstance(v, Function):
            if v.body is not None:
                return f"{', '.join(v.names)} -> {v.body}"
            if v.of is not None:
                return f"gradient of {v.of.name}"
            kinds = [f"{_text(vars(p))}" for p in dict.fromkeys(v.parts)]
            return f"function <{' | '.join(kinds)}>"
        return str(getattr(v, "blocks", v))

    return ", ".join(f"{n} = {one(v)}" for n, v in values.items())
