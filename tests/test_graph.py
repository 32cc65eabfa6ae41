"""The proof graph: every citation is an arrow downwards, parts are rows, no two boxes overlap, every name is there."""

import re
from itertools import combinations, pairwise
from xml.etree import ElementTree

import pytest

from boundcheck.app.reporting.graph import ELSEWHERE, Graph, _apart, arrows, graphs, layout, levels
from boundcheck.paper import catalogue

DECISIONS = {label: {"verdict": "ASSUMED" if label.startswith("ass:") else "PROVED"} for label in catalogue()}
GRAPHS = graphs(catalogue(), DECISIONS)
each = pytest.mark.parametrize("graph", GRAPHS, ids=lambda g: g.name)


def test_every_statement_is_in_one_picture_of_its_own_and_every_citation_of_every_form_is_an_arrow():
    found, own = set(), []
    for graph in GRAPHS:
        found |= {(row[0], row[5]) for row in graph.rows if row[5] is not None}
        own += list(dict.fromkeys(row[0] for row in graph.rows if row[4] != ELSEWHERE))
    wanted = set()
    for label, statement in catalogue().items():
        form = statement
        while form is not None:
            wanted |= {(label, cited) for cited in form.cites}
            form = form.as_used
    assert found == wanted
    assert sorted(own) == sorted(catalogue()) and [g.name for g in GRAPHS] == [
        "graph-base",
        "graph-momentum",
        "graph-beyond",
    ]


@each
def test_premises_stand_above_what_rests_on_them_and_parts_do_not_mix(graph):
    level, parts = levels(graph.rows)
    pairs = [(a, b) for a, b in arrows(graph.rows) if a in level]
    assert pairs
    for premise, conclusion in pairs:
        assert level[premise] < level[conclusion], (premise, conclusion)
    assert [first for _, first, _ in parts][1:] == [last + 1 for _, _, last in parts][:-1]
    part = {row[0]: row[4] for row in graph.rows}
    joined = {label for pair in pairs for label in pair}
    for name, first, last in parts:
        inside = {label for label in level if first <= level[label] <= last and label in joined}
        assert {part[label] for label in inside} <= {name}


@each
def test_boxes_do_not_overlap_and_arrows_lead_from_box_to_box(graph):
    found = layout(graph.rows)
    for (x, y, w), (u, v, z) in combinations(found.boxes.values(), 2):
        assert y != v or abs(x - u) >= (w + z) / 2 + 5
    assert all(w / 2 <= x <= found.width - w / 2 for x, _, w in found.boxes.values())
    tops = {(x, y) for x, y, _ in found.boxes.values()}
    assert len(found.arrows) == sum(a in found.boxes for a, _ in arrows(graph.rows))
    for points in found.arrows:
        assert points[-1] in tops and any(points[0][0] == x and points[0][1] > y for x, y in tops)
        assert all(a[1] <= b[1] for a, b in pairwise(points))
    for points in found.arrows:  # no arrow runs through the box of a statement that it does not concern
        for x, y in points[1:-1]:
            assert not any(abs(x - u) < w / 2 and v <= y <= v + 34 for u, v, w in found.boxes.values()), (x, y)


@each
def test_the_drawing_is_svg_with_names_verdicts_and_links(graph, tmp_path):
    root = ElementTree.fromstring(graph.svg(lambda label: f"#{label}"))
    texts = [e.text for e in root.iter("{http://www.w3.org/2000/svg}text")]
    shown = levels(graph.rows)[0]
    links = [e.get("href") for e in root.iter("{http://www.w3.org/2000/svg}a")]
    assert sorted(links) == sorted(f"#{label}" for label in shown)
    names = {row[0]: row[1] for row in graph.rows}
    assert {names[label] for label in shown} <= set(texts)
    kinds = {row[0]: row[2] for row in graph.rows}
    assert sum(t.endswith(", PROVED") for t in texts) == len(shown) and len(set(kinds)) >= len(shown)
    for name in ("a.svg", "b.svg"):
        graph.save(tmp_path / name)
    assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()
    assert graph.drawn(tmp_path / "a.svg")


@each
def test_names_are_short_and_tell_statements_apart_up_to_their_kind(graph):
    told = {(row[1], row[2]) for row in graph.rows}
    assert len(told) == len({row[0] for row in graph.rows})
    assert all(not re.match(r"[a-z]+:", str(row[1])) for row in graph.rows)


def test_a_statement_without_a_decision_is_marked_so():
    for graph in graphs(catalogue(), {}):
        assert {row[3] for row in graph.rows} == {"not decided"} and ", not decided<" in graph.svg()


def test_another_verdict_is_another_drawing(tmp_path):
    other = graphs(catalogue(), {**DECISIONS, "thm:main": {"verdict": "REFUTED"}})[0]
    GRAPHS[0].save(tmp_path / "a.svg")
    assert isinstance(other, Graph) and not other.drawn(tmp_path / "a.svg")
    assert "theorem, REFUTED" in other.svg() and "theorem, REFUTED" not in GRAPHS[0].svg()


def test_places_are_the_nearest_without_overlap():
    assert _apart([0.0, 10.0], [2.0, 2.0]) == [0.0, 10.0]
    assert _apart([0.0, 0.0], [2.0, 4.0]) == [-1.5, 1.5]
    assert _apart([5.0, 0.0, 9.0], [2.0, 2.0, 2.0]) == [1.5, 3.5, 9.0]
