"""The proof graph: which statement rests on which, with verdicts; pictures for the base, for momentum, and beyond.

Rows of a picture follow the parts of the paper, and inside of a part the citations: what rests on something stands
below it. The library grandalf orders each row so that few arrows cross; the drawing is SVG, written here, whose text
can be read, searched and clicked on.
"""

from __future__ import annotations

import hashlib
import re
from collections import Counter
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from functools import cache
from itertools import pairwise
from pathlib import Path
from typing import Any

from boundcheck.app.drawing import STAMP, Figure, Row
from boundcheck.app.reporting.render import page
from boundcheck.kernel.statement import Statement

#: verdict -> (fill, edge): read without colour, too, since every box says its verdict
LOOKS = {
    "ASSUMED": ("#eeeeee", "#777777"),
    "CITED": ("#d8ecf8", "#2b7bb0"),
    "PROVED": ("#d5efe4", "#20805a"),
    "REPAIRED": ("#fdeabf", "#a86a00"),
    "REFUTED": ("#f9d0c0", "#b03a10"),
}
OTHER = ("#ffffff", "#777777")
PICTURES = {
    "graph-base": "The proof graph of the base method",
    "graph-momentum": "The proof graph of the momentum method",
    "graph-beyond": "The proof graph of the sharper theorems beyond the paper",
}
TEMPLATE = "graph.svg.j2"
ELSEWHERE = "Cited from other parts"
ALONE = "Without an arrow in this picture"
ACROSS = 5  #: boxes in a row of those without arrows among them
ROUNDS = 30  #: passes of the layout over all rows
_LETTER, _HEIGHT, _GAP, _ROW, _BAND, _TOP, _SIDE = 7.2, 34, 18, 64, 26, 4, 12  #: pixels


@dataclass(frozen=True)
class Graph(Figure):
    """A picture of the proof graph, drawn as SVG text."""

    def svg(self, address: Callable[[str], str] | None = None) -> str:
        """The picture; with ``address`` each box is a link to that of its statement."""
        return _svg(self.title, self.rows, address)

    def stamp(self) -> str:
        """A hash of what is drawn, of the code that draws and of its template."""
        template = Path(__file__).with_name(TEMPLATE).read_bytes()
        return hashlib.sha256(super().stamp().encode() + template).hexdigest()[:16]

    def save(self, path: Path) -> None:
        """Write the picture to ``path``."""
        path.write_text(f"{self.svg().rstrip()}\n<!-- {STAMP}{self.stamp()} -->\n", encoding="utf-8")


def graphs(catalogue: Mapping[str, Statement], decisions: Mapping[str, Any]) -> list[Graph]:
    """The pictures that have something to show.

    One row of data an arrow (statement, its name, kind, verdict, part in the picture, what it rests on); a statement
    that rests on nothing in its picture has one row. Arrows from assumptions are data, and not drawn.
    """
    found = []
    for name, title in PICTURES.items():
        own = [label for label, s in catalogue.items() if _picture(s) == name]
        around = {c for label in own for c in catalogue[label].cites_of_all_forms if c in catalogue} - {*own}
        rows: list[Row] = []
        names = Counter(map(short, (*around, *own)))
        for label in [k for k in catalogue if k in around] + own:
            s = catalogue[label]
            verdict = decisions[label]["verdict"] if label in decisions else "not decided"
            part = s.part if label in own else ELSEWHERE
            cited = s.cites_of_all_forms if label in own else ()
            name_shown = short(label) if names[short(label)] == 1 else label.rpartition(":")[2]
            known = (label, name_shown, s.kind, verdict, part)
            rows += [(*known, c) for c in cited] or [(*known, None)]
        caption = (
            "What a statement rests on stands above it, with an arrow to it; each box has the statement's name and "
            "its verdict, and rows follow the parts of the paper. Assumptions, on which nearly everything rests, are "
            "in the data and not drawn. REPAIRED: the printed form fails or has no truth value, and the form that "
            "its uses need is proved."
        )
        columns = ("statement", "name", "kind", "verdict", "part", "rests on")
        found.append(Graph(name, title, caption, columns, tuple(rows), _undrawn))
    return [f for f in found if f.rows]


def _picture(statement: Statement) -> str:
    if statement.part.startswith("Beyond the paper"):
        return "graph-beyond"
    return "graph-momentum" if statement.part == "Momentum" else "graph-base"


def _undrawn(canvas: Any, rows: Sequence[Row]) -> None:
    raise NotImplementedError("a proof graph is written as SVG, see Graph.save")


def short(label: str) -> str:
    """A label without what all labels of its kind begin with."""
    name = label.partition(":")[2] or label
    for prefix in ("hp-shared-", "momentum-"):
        name = name.removeprefix(prefix) or name
    return name


# ---------------------------------------------------------------- rows


def arrows(rows: Sequence[Row]) -> list[tuple[str, str]]:
    """(premise, conclusion) for all that is drawn."""
    assumed = {str(r[0]) for r in rows if r[3] == "ASSUMED"}
    return [(str(r[5]), str(r[0])) for r in rows if r[5] is not None and r[5] not in assumed]


def levels(rows: Sequence[Row]) -> tuple[dict[str, int], list[tuple[str, int, int]]]:
    """The row of every statement that is drawn, and the parts as (name, first row, last row).

    Parts keep their order; inside of one a statement stands below what it rests on and as near to its uses as that
    allows. What has no arrow in the picture stands alone at the end.
    """
    drawn = {str(r[0]): str(r[4]) for r in rows if r[3] != "ASSUMED"}
    pairs = [(a, b) for a, b in arrows(rows) if a in drawn]
    joined = {label for pair in pairs for label in pair}
    found: dict[str, int] = {}
    parts: list[tuple[str, int, int]] = []
    start = 0
    for part in (*dict.fromkeys(drawn.values()), ALONE):
        members = [label for label, mine in drawn.items() if part == (mine if label in joined else ALONE)]
        if not members:
            continue
        if part == ELSEWHERE:
            ranks = _wrapped(sorted(members, key=lambda label: sum(a == label for a, _ in pairs)))
        elif part == ALONE:
            ranks = _wrapped(members)
        else:
            ranks = _ranks(members, [(a, b) for a, b in pairs if a in members and b in members])
        found |= {label: start + rank for label, rank in ranks.items()}
        end = start + max(ranks.values())
        parts.append((part, start, end))
        start = end + 1
    return found, parts


def _ranks(members: Sequence[str], pairs: Sequence[tuple[str, str]]) -> dict[str, int]:
    """Rows inside of a part: as far down as the uses inside of it allow, those without such uses behind premises."""

    @cache
    def above(label: str) -> int:
        """The longest chain of premises above."""
        return max((above(a) + 1 for a, b in pairs if b == label), default=0)

    @cache
    def below(label: str) -> int:
        """The longest chain of uses below."""
        return max((below(b) + 1 for a, b in pairs if a == label), default=0)

    last = max(map(above, members))
    found = {label: last - below(label) for label in members if below(label)}
    for label in members:
        if label not in found:
            found[label] = max((found[a] + 1 for a, b in pairs if b == label), default=0)
    return found


def _wrapped(members: Sequence[str]) -> dict[str, int]:
    """Statements without arrows among them in rows of at most ACROSS, all of about the same length."""
    count = -(-len(members) // ACROSS)
    each = -(-len(members) // count)
    return {label: n // each for n, label in enumerate(members)}


# ---------------------------------------------------------------- layout


@dataclass(frozen=True)
class Layout:
    """Where things stand, in pixels: boxes (middle, top, width), arrows as points, parts (name, top, bottom)."""

    boxes: Mapping[str, tuple[float, float, float]]
    arrows: Sequence[Sequence[tuple[float, float]]]
    parts: Sequence[tuple[str, float, float]]
    width: float
    height: float


def layout(rows: Sequence[Row]) -> Layout:
    """Boxes in their rows, ordered and spaced by grandalf so that few arrows cross."""
    from grandalf.graphs import Edge, Graph, Vertex
    from grandalf.layouts import SugiyamaLayout, VertexViewer

    level, parts = levels(rows)
    width = {str(r[0]): 16 + _LETTER * max(len(str(r[1])), len(_below(r)) * 0.9) for r in rows if str(r[0]) in level}
    vertices = {label: Vertex(label) for label in level}
    for label, vertex in vertices.items():
        vertex.view = VertexViewer(width[label] + _GAP, _HEIGHT)

    def bend() -> Any:
        made = Vertex(None)
        made.view = VertexViewer(6, _HEIGHT)
        return made

    # Every edge spans one row, and a spine holds what has nothing above it: so the rows are those wanted.
    spine = [bend() for _ in range(max(level.values()) + 1)]
    chains = [
        [vertices[a], *(bend() for _ in range(level[b] - level[a] - 1)), vertices[b]]
        for a, b in arrows(rows)
        if a in level and level[a] < level[b]
    ]
    edges = [Edge(a, b) for chain in (spine, *chains) for a, b in pairwise(chain)]
    reached = {id(edge.v[1]) for edge in edges}
    edges += [
        Edge(spine[level[label] - 1], vertex)
        for label, vertex in vertices.items()
        if id(vertex) not in reached and level[label] > 0
    ]
    edges += [Edge(vertex, spine[1]) for label, vertex in vertices.items() if level[label] == 0 and len(spine) > 1]
    bends = [vertex for chain in chains for vertex in chain[1:-1]]
    whole = Graph([*spine, *vertices.values(), *bends], edges)
    for core in whole.C:
        sugiyama = SugiyamaLayout(core)
        sugiyama.init_all(roots=[v for v in core.sV if not v.e_in()])
        sugiyama.draw(ROUNDS)
        drawn_rows = [[v for v in layer if isinstance(v, Vertex) and v not in spine] for layer in sugiyama.layers]
        _spaced(drawn_rows, [(e.v[0], e.v[1]) for e in edges if not {e.v[0], e.v[1]} & {*spine}])
    tops = {n: _TOP + n * _ROW + sum(_BAND for _, first, _ in parts if first <= n) for n in range(len(spine))}
    left = min(v.view.xy[0] - width[label] / 2 for label, v in vertices.items()) - _SIDE
    left = min(left, *(v.view.xy[0] - _SIDE for v in bends)) if bends else left
    boxes = {
        label: (round(v.view.xy[0] - left, 1), float(tops[level[label]]), round(width[label], 1))
        for label, v in vertices.items()
    }
    drawn = []
    for chain in chains:
        first = level[chain[0].data]
        ends = [boxes[chain[k].data] for k in (0, -1)]
        points = [(ends[0][0], ends[0][1] + _HEIGHT)]
        for k, vertex in enumerate(chain[1:-1], first + 1):
            x = round(vertex.view.xy[0] - left, 1)
            points += [(x, float(tops[k])), (x, float(tops[k] + _HEIGHT))]
        drawn.append((*points, (ends[1][0], ends[1][1])))
    right = max([x + w / 2 for x, _, w in boxes.values()] + [x for points in drawn for x, _ in points])
    bands = [(name, tops[first] - _BAND + 4.0, tops[end] + _HEIGHT + 10.0) for name, first, end in parts]
    return Layout(boxes, drawn, bands, round(right + _SIDE), round(max(b for _, _, b in bands) + _SIDE))


def _spaced(rows: Sequence[Sequence[Any]], edges: Sequence[tuple[Any, Any]]) -> None:
    """Put each box near the middle of its neighbours, in the order of its row and without overlap."""
    near: dict[Any, list[Any]] = {v: [] for row in rows for v in row}
    for a, b in edges:
        near[a].append(b)
        near[b].append(a)
    x: dict[Any, float] = {}
    for row in rows:
        start = -sum(v.view.w for v in row) / 2
        for v in row:
            x[v] = start + v.view.w / 2
            start += v.view.w
    for turn in range(ROUNDS):
        for row in rows if turn % 2 == 0 else rows[::-1]:
            wanted = [sum(x[n] for n in near[v]) / len(near[v]) if near[v] else x[v] for v in row]
            x |= dict(zip(row, _apart(wanted, [v.view.w for v in row]), strict=True))
    for v, place in x.items():
        v.view.xy = (place, v.view.xy[1])


def _apart(wanted: Sequence[float], widths: Sequence[float]) -> list[float]:
    """The places nearest to those wanted (least squares) that keep the order and hold boxes of these widths."""
    offsets = [sum(widths[:k]) + widths[k] / 2 for k in range(len(widths))]
    blocks: list[tuple[float, int]] = []  # (mean of wanted - offset, how many)
    for place, offset in zip(wanted, offsets, strict=True):
        mean, count = place - offset, 1
        while blocks and blocks[-1][0] > mean:
            before, many = blocks.pop()
            mean, count = (mean * count + before * many) / (count + many), count + many
        blocks.append((mean, count))
    means = [mean for mean, count in blocks for _ in range(count)]
    return [mean + offset for mean, offset in zip(means, offsets, strict=True)]


def _below(row: Row) -> str:
    """The second line of a box."""
    return f"{row[2]}, {row[3]}"


# ---------------------------------------------------------------- drawing


def _svg(title: str, rows: Sequence[Row], address: Callable[[str], str] | None) -> str:
    where = layout(rows)
    told = {str(row[0]): row for row in rows}
    boxes = []
    for label, (x, y, width) in where.boxes.items():
        fill, edge = LOOKS.get(str(told[label][3]), OTHER)
        box = {"label": label, "x": x, "y": y, "width": width, "fill": fill, "edge": edge}
        box |= {"name": str(told[label][1]), "below": _below(told[label])}
        boxes.append(box | {"address": None if address is None else address(label)})
    mark = re.sub(r"[^a-z]+", "-", title.lower())
    filters = {"g": "{:g}".format, "curve": _curve}
    return page(TEMPLATE, filters, title=title, where=where, mark=mark, boxes=boxes, height=_HEIGHT) + "\n"


def _curve(points: Sequence[tuple[float, float]]) -> str:
    """A smooth path through the points, upright at each of them."""
    (x0, y0), *rest = points
    path = f"M{x0:g} {y0:g}"
    for x, y in rest:
        middle = (y0 + y) / 2
        path += f"L{x:g} {y:g}" if x == x0 else f"C{x0:g} {middle:g} {x:g} {middle:g} {x:g} {y:g}"
        x0, y0 = x, y
    return path
