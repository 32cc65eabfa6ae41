"""A counterexample to a rate as a picture, where it lies in one or two dimensions.

In one dimension: the values of each function at its points with the slopes there, and the graph of each operator. In
two: the points, and from each its gradients, all shortened alike.
"""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any

from boundcheck.app.drawing import COLOURS, Figure, Row

_AT = re.compile(r"(\w+)('?)\((\w+)\)\Z")
LENGTH = 0.3  #: of the longest gradient drawn, in widths of the picture


def figure(name: str, witness: Mapping[str, str]) -> Figure | None:
    """The picture of a witness of :func:`rate_engine.shown`; None in more than two dimensions.

    Rows: what (point, gradient or value), of which function, at which point, and its numbers.
    """
    vectors: dict[str, list[float]] = {}
    numbers: dict[str, float] = {}
    for key, text in witness.items():
        if text.startswith("("):
            vectors[key] = [float(Fraction(c)) for c in text.strip("()").split(",")]
        else:
            numbers[key] = float(Fraction(text))
    used = sorted({i for v in vectors.values() for i, c in enumerate(v) if c})
    if len(used) > 2 or not used:
        return None
    flat = {key: [v[i] if i < len(v) else 0.0 for i in used] for key, v in vectors.items()}
    rows: list[Row] = []
    for key, v in flat.items():
        at = _AT.match(key)
        rows.append(
            ("gradient" if at else "point", at[1] if at else "", at[3] if at else key, *v, *[0.0] * (2 - len(v)))
        )
    values = {key: at for key in numbers if (at := _AT.match(key)) and at[3] in vectors}  # sqrt(k) is none
    rows += [("value", at[1], at[3], numbers[key], 0.0) for key, at in values.items()]
    parameters = ", ".join(f"{k} = {witness[k]}" for k in numbers if k not in values)
    return Figure(
        name="counterexample",
        title=f"{name}: a counterexample in {'one dimension' if len(used) == 1 else 'two dimensions'}",
        caption=f"At {parameters or 'the only parameters'}. Exact numbers are in the verdict.",
        columns=("what", "of", "at", "first", "second"),
        rows=tuple(rows),
        draw=_line if len(used) == 1 else _plane,
    )


def _tables(rows: Sequence[Row]) -> tuple[dict[str, Any], dict[str, dict[str, Any]], dict[str, dict[str, Any]]]:
    """Points by name; gradients and values by function, then by point."""
    points = {str(r[2]): r[3:] for r in rows if r[0] == "point"}
    gradients: dict[str, dict[str, Any]] = {}
    values: dict[str, dict[str, Any]] = {}
    for what, of, at, *v in rows:
        if what != "point":
            (gradients if what == "gradient" else values).setdefault(str(of), {})[str(at)] = v
    return points, gradients, values


def _line(canvas: Any, rows: Sequence[Row]) -> None:
    points, gradients, values = _tables(rows)
    functions = list(gradients) or [""]
    axes = canvas.subplots(1, len(functions), squeeze=False)[0]
    places = [v[0] for v in points.values()]
    width = (max(places) - min(places)) or 1.0
    for axis, f in zip(axes, functions, strict=True):
        slopes, levels = gradients.get(f, {}), values.get(f, {})
        for n, (at, (slope, _)) in enumerate(slopes.items()):
            x = points[at][0]
            y = levels[at][0] if at in levels else slope
            axis.plot([x], [y], "o", color=COLOURS[n % len(COLOURS)])
            if at in levels:
                reach = width * LENGTH / 2
                ends = [x - reach, x + reach]
                axis.plot(ends, [y + slope * (e - x) for e in ends], color=COLOURS[n % len(COLOURS)])
            axis.annotate(at, (x, y), textcoords="offset points", xytext=(4, 5))
        axis.set_xlabel("x")
        axis.set_ylabel(f"{f}(x), with slopes" if levels else f"{f}(x)")


def _plane(canvas: Any, rows: Sequence[Row]) -> None:
    points, gradients, _ = _tables(rows)
    axis = canvas.subplots()
    every = list(points.values())
    width = max(max(v[i] for v in every) - min(v[i] for v in every) for i in (0, 1)) or 1.0
    longest = max((max(map(abs, g)) for at in gradients.values() for g in at.values()), default=0.0) or 1.0
    scale = LENGTH * width / longest
    for name, (x, y) in points.items():
        axis.plot([x], [y], "o", color="black", markersize=4)
        axis.annotate(name, (x, y), textcoords="offset points", xytext=(4, 5))
    for n, (f, at) in enumerate(gradients.items()):
        for k, (point, (gx, gy)) in enumerate(at.items()):
            x, y = points[point]
            colour = COLOURS[n % len(COLOURS)]
            axis.plot([x, x + scale * gx], [y, y + scale * gy], color=colour, label=None if k else f"{f}' (shortened)")
    axis.set_aspect("equal", adjustable="datalim")
    axis.set_xlabel("first coordinate")
    axis.set_ylabel("second coordinate")
    axis.legend(frameon=False)
