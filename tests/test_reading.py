"""Generated pages on the proofs: beside the paper's text, which reasons were found, what Rocq accepted."""

import importlib.util
import json
from pathlib import Path

import pytest

DOCS = Path(__file__).parent.parent / "docs"
READING = json.loads((DOCS / "reading.json").read_text(encoding="utf-8"))


def page(name: str):
    spec = importlib.util.spec_from_file_location(name, DOCS / f"{name}.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", ["make_reading", "make_reasons", "make_rocq"])
def test_the_page_is_what_the_catalogue_says(name):
    assert page(name).main(["--check"]) == 0, f"python docs/{name}.py writes it anew"


@pytest.mark.parametrize("label", READING)
def test_every_line_of_the_proof_stands_there_once(label):
    make, pieces = page("make_reading"), READING[label]
    lines = make.proof(label)
    assert [x for b in make.blocks(lines, [p["from"] for p in pieces]) for x in b] == lines != []
    assert sum(bool(p["printed"]) for p in pieces) >= len(pieces) - 2


@pytest.mark.parametrize("anchors", [["", "b", "a"], ["", "c"], ["", "d"], ["a"]])
def test_a_line_that_is_not_there_or_not_in_order_is_told(anchors):
    with pytest.raises(ValueError, match=r"begins|order"):
        page("make_reading").blocks(["x", "a: 1", "  b: 2", "d", "d"], anchors)


def test_lines_are_counted_by_kind_and_hint():
    make = page("make_reasons")
    assert make.kind_of("cites lem:own") == make.kind_of("cites thm:other") == "citation"
    assert make.kind_of("rule: Markov") == "rule" and make.kind_of("exactly") == "exactly"
    total = make.text().split("| **all** | ")[1].split(" | ")
    assert int(total[0].replace(",", "")) == sum(int(t.split()[0].replace(",", "")) for t in total[1:4])
    assert int(total[0].replace(",", "")) == len(list(make.lines()))
