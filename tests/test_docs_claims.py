"""The worked examples of docs/claims.md have the verdicts that the text states."""

from __future__ import annotations

import re
import tomllib
from pathlib import Path

import pytest
from slow import more

from boundcheck.claims import read_claims
from boundcheck.decide import decide
from boundcheck.decide.scalar.witness_check import check_witness

TEXT = (Path(__file__).parent.parent / "docs" / "claims.md").read_text()
EXAMPLES = re.findall(r"^### (\d+)\. .*?```toml\n(.*?)```\n\nVerdict: ([A-Z, ]+)$", TEXT, re.MULTILINE | re.DOTALL)


def test_there_are_ten_examples_with_a_reference_each():
    assert [int(number) for number, _, _ in EXAMPLES] == list(range(1, 11))
    for _, block, verdicts in EXAMPLES:
        assert len(tomllib.loads(block)["claim"]) == len(verdicts.split(", "))


@pytest.mark.parametrize(
    ("number", "block", "verdicts"),
    [(more if e[0] in ("5", "7", "10") else pytest.param)(*e) for e in EXAMPLES],
    ids=[e[0] for e in EXAMPLES],
)
def test_worked_examples(number, block, verdicts, tmp_path):
    file = tmp_path / f"example-{number}.toml"
    file.write_text(block)
    for claim, wanted in zip(read_claims(file), verdicts.split(", "), strict=True):
        verdict = decide(claim, 10.0)
        assert verdict.status == wanted, (claim.name, verdict.reason)
        if wanted == "REFUTED":
            assert verdict.witness is not None and check_witness(claim, verdict.witness)
        else:
            assert verdict.certificate is not None


def test_the_python_example_runs():
    (code,) = re.findall(r"```python\n(.*?)```", TEXT, re.DOTALL)
    assert code.count("assert ") == 2  # the program tests what it shows
    names: dict[str, object] = {}
    exec(compile(code, "docs/claims.md", "exec"), names)
    assert names["verdict"].witness
