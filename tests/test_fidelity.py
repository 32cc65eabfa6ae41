"""The page with printed statements beside formal ones: generated, whole, each hypothesis with its place."""

import importlib.util
import json
from pathlib import Path

import pytest

from boundcheck.paper import catalogue

DOCS = Path(__file__).parent.parent / "docs"
PRINTED = json.loads((DOCS / "printed.json").read_text(encoding="utf-8"))


def page():
    spec = importlib.util.spec_from_file_location("make_fidelity", DOCS / "make_fidelity.py")
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


def test_the_page_is_what_the_catalogue_says():
    assert page().main(["--check"]) == 0, "python docs/make_fidelity.py writes it anew"


def test_every_label_of_the_paper_is_there_with_what_is_printed():
    assert len(PRINTED) == 42
    assert PRINTED.keys() <= catalogue().keys()
    text = (DOCS / "fidelity.md").read_text(encoding="utf-8")
    for label in PRINTED:
        assert f"## {label}\n" in text
        section = text.partition(f"## {label}\n")[2].partition("\n## ")[0]
        assert section.index("**Printed**") < section.index("**Formal**")


@pytest.mark.parametrize("statement", catalogue().values(), ids=lambda s: s.label)
def test_every_hypothesis_has_a_place_in_the_paper(statement):
    forms = [f for f in (statement, statement.as_used) if f is not None]
    for form in forms:
        told = "\n".join(page().formal(form))
        for name in form.hypotheses:
            assert page().worded(name) in told
            beyond = statement.label.startswith(("app:", "lit:"))  # not printed in the paper
            assert form.places.get(name) or statement.label in PRINTED or beyond, name
