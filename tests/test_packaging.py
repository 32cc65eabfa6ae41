"""What a stranger gets: README commands that exist, package data, a citation, a check that can be run."""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import tomllib
from fnmatch import fnmatch
from importlib import resources
from pathlib import Path
from types import SimpleNamespace
from typing import NamedTuple

import conftest

ROOT = Path(__file__).parent.parent
README = (ROOT / "README.md").read_text(encoding="utf-8")
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text(encoding="utf-8"))


def test_the_first_screen_has_the_two_command_lines():
    lines = [line for line in README.splitlines()[:25] if line.startswith("python3 -m venv")]
    assert len(lines) == 2
    assert "boundcheck.lemma check" in lines[0] and "pytest -n 2" in lines[1]
    extras = PROJECT["project"]["optional-dependencies"]
    for line in lines:
        for name in re.findall(r"\.\[(\w+)\]", line):
            assert name in extras
    assert any(d.startswith("pytest-xdist") for d in extras["test"])


def test_every_module_that_the_readme_runs_exists():
    found = set(re.findall(r"python3? -m ([\w.]+)", README))
    assert {"boundcheck.lemma", "boundcheck.report", "proofs_numeric"} <= found
    for module in found:
        assert importlib.util.find_spec(module) is not None


def test_the_lemma_commands_of_the_readme_parse():
    from boundcheck.lemma import parser

    commands = [shlex.split(c) for c in re.findall(r"python -m boundcheck\.lemma([^`\n]*)", README)]
    parsed = [parser().parse_args(words).command for words in commands]
    assert {"show", "eval", "check", "verify", "plan", "new", "doctor"} <= set(parsed)


def test_links_of_the_readme_lead_somewhere():
    addresses = re.findall(r"\]\(([^)#]+)\)", README)
    assert "REPORT.md" in addresses
    for address in addresses:
        assert (ROOT / address).exists(), address


def test_data_and_templates_are_in_the_package():
    assert resources.files("boundcheck.app.reporting").joinpath("report.md.j2").is_file()
    assert resources.files("boundcheck").joinpath("data/decisions.json").is_file()
    rules = resources.files("boundcheck.kernel.rules")
    texts = [p.name for p in rules.iterdir() if p.name.endswith(".rules")]
    assert len(texts) == 6 and "probability.rules" in texts
    # the builder takes all files of the packages but those that git ignores
    assert PROJECT["tool"]["hatch"]["build"]["targets"] == {
        "wheel": {"packages": ["boundcheck", "proofs_numeric"]},
        "sdist": {"exclude": ["/.ci"]},
    }
    ignored = (ROOT / ".gitignore").read_text(encoding="utf-8").split()
    assert not [(t, i) for t in texts for i in ignored if fnmatch(t, i)]


def test_the_citation_names_the_paper():
    text = (ROOT / "CITATION.cff").read_text(encoding="utf-8")
    assert "title: Stochastic Zeroth-Order Optimization Under Heavy-Tailed Noise" in text
    for family in ("El Bakkali", "Chayti", "Zhang", "Rahali", "Saadi"):
        assert f"family-names: {family}" in text


def test_the_whole_check_can_be_run():
    path = ROOT / ".ci" / "run"
    if path.exists():  # not part of a source distribution
        assert os.access(path, os.X_OK) and path.read_text().startswith("#!/usr/bin/env bash")


def test_what_the_default_run_leaves_out_has_a_lane_in_the_whole_check():
    path = ROOT / ".ci" / "run"
    left_out = set(re.findall(r"not (\w+)", PROJECT["tool"]["pytest"]["ini_options"]["addopts"])) - {"campaign"}
    assert left_out == {"browser", "rocq", "thorough"}
    if path.exists():
        text = path.read_text(encoding="utf-8")
        (also,) = re.findall(r"^PYTEST_ADDOPTS=\"-m '([^']*)' --part \$part\" bash -c", text, re.MULTILINE)
        assert left_out & set(re.findall(r"not (\w+)", also)) <= set(re.findall(r"-m (\w+)", text))
        assert "thorough" not in also


class Item(NamedTuple):
    """Of a test, what its part depends on."""

    nodeid: str
    mark: str

    def get_closest_marker(self, name: str) -> bool:
        return name == self.mark


def test_each_thorough_test_is_in_one_part():
    def kept(part: tuple[int, int]) -> list[str]:
        items = [Item(f"t{n}", mark) for n, mark in enumerate(["thorough", ""] * 60)]
        hook = SimpleNamespace(pytest_deselected=lambda items: None)
        conftest.pytest_collection_modifyitems(SimpleNamespace(getoption={"--part": part}.get, hook=hook), items)
        return [i.nodeid for i in items]

    plain, parts = {f"t{n}" for n in range(1, 120, 2)}, [kept((k, 3)) for k in (1, 2, 3)]
    assert all(plain < set(p) for p in parts)
    assert sorted(n for p in parts for n in p if n not in plain) == sorted({f"t{n}" for n in range(120)} - plain)
    assert len(kept((1, 1))) == 120
