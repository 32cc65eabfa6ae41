"""The worked cases: every statement is proved, every planted falsehood and every check comes out as it must, and the
committed report says just that."""

from __future__ import annotations

import ast
import os
import re
from pathlib import Path

import pytest
from slow import larger

from boundcheck import report, user_files
from boundcheck.app.reporting.user_report import render
from boundcheck.author.twins import apply_twin
from boundcheck.decide import decide
from boundcheck.decide.statements import decide_statement
from boundcheck.decide.worlds.world_refute import refuted
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

FOLDER = Path(__file__).parent.parent / "examples"
CASES = sorted(p.stem for p in FOLDER.glob("*.py"))


def test_there_are_three_cases_with_references():
    assert CASES == ["clipping", "concentration", "momentum"]
    for case in CASES:
        doc = ast.get_docstring(ast.parse((FOLDER / f"{case}.py").read_text()))
        assert doc and re.search(r"References?\..*\b(19|20)\d\d\b", doc, re.DOTALL) and "Found here" in doc


@pytest.fixture(scope="module", params=[CASES[0], *larger([(c,) for c in CASES[1:]])])
def case(request) -> tuple[str, str]:
    before = Path.cwd()
    os.chdir(FOLDER.parent)  # the report names the file as it was called
    try:
        return request.param, render(f"examples/{request.param}.py")
    finally:
        os.chdir(before)


@pytest.mark.thorough
def test_the_committed_report_is_what_is_decided_now(case):
    name, text = case
    assert text == (FOLDER / f"{name}.md").read_text()


def test_everything_holds_and_everything_planted_is_caught(case):
    name, text = case
    file = user_files.load(str(FOLDER / f"{name}.py"))
    rows = re.findall(r"^\| \[.*?\| (\w+) \| \d+ \|", text, re.MULTILINE)
    assert rows == ["PROVED"] * len(file.statements)
    assert all(s.twins for s in file.statements.values())
    assert "NOT CAUGHT" not in text and len(re.findall(r"\| caught: ", text)) == sum(
        len(s.twins) for s in file.statements.values()
    )
    checks = re.findall(r"(\d+) of (\d+) as they must", text)
    assert checks and all(a == b for a, b in checks) and sum(int(n) for _, n in checks) == len(file.checks)


@pytest.mark.thorough
def test_a_theory_as_text_is_proved_and_nothing_false_beside_it():
    file = user_files.load(str(FOLDER / "adagrad.toml"))
    lookup = user_files.lookup_with(file.statements.values())
    assert not file.remarks and len(file.statements) == 11 and sum(len(s.twins) for s in file.statements.values()) == 9
    assert [decide_statement(s, lookup, 2.0, 0.0).status for s in file.statements.values()] == [Status.PROVED] * 11
    planted = [(s, t) for s in file.statements.values() for t in s.twins if t.world]
    found = [refuted(apply_twin(s, t), t.world).status for s, t in planted]
    assert found == [Status.REFUTED] * 4


BEST = "(p - 1)**(p - 1)/p**p"
ATOM = "p*tau/(p - 1)"


@pytest.mark.parametrize(
    ("claim", "where", "wanted"),
    [
        # the law with one atom shows that no smaller constant than the best one serves, for any p
        (f"G**p/({ATOM})**p*({ATOM} - tau) <= 0.999*{BEST}*G**p*tau**(1 - p)", ("G > 0", "tau > 0"), Status.REFUTED),
        # the published constant is four times the best one for p = 2, and more than 2.5 times for p >= 1.5
        ("(p - 1)**(p - 1)/p**p == 1/4", ("p == 2",), Status.PROVED),
        (f"2.5*{BEST} <= 1", ("p >= 1.5",), Status.PROVED),
    ],
)
def test_the_published_bias_constant_is_loose(claim, where, wanted):
    found = decide(Claim.read(claim, ("1 < p", "p <= 2", *where)), 10.0)
    assert found.status is wanted, found.reason


def test_check_finds_a_report_that_is_out_of_date(tmp_path, capsys):
    path = tmp_path / "small.py"
    path.write_text(
        'from boundcheck.kernel.statement import *\nSTATEMENTS = (Statement("lem:a", "A | B", "lemma", "p", "x", '
        'claims=(Fact("exp(x) >= 1 + x", over=("x",)),), '
        'steps=(Step(Fact("exp(x) >= 1 + x", over=("x",)), Decide()),),'
        'twins=(Twin("more", {"1 + x": "1 + x + x**2/4"}),)),)\n'
    )
    assert report.main([str(path)]) == 0
    written = (tmp_path / "small.md").read_text()
    assert "| PROVED |" in written and "caught: " in written
    assert report.main([str(path), "--check"]) == 0
    (tmp_path / "small.md").write_text(written.replace("| PROVED |", "| REFUTED |"))
    assert report.main([str(path), "--check"]) == 1
    path.write_text("STATEMENTS = (missing,)")
    assert report.main([str(path)]) == 2
    assert "NameError" in capsys.readouterr().err


def test_a_report_says_for_which_parameters_and_what_the_names_are(tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text(
        '[[statement]]\nlabel = "lem:own"\nparameters = ["0 < p < 1", "integer n >= 1", "c"]\nrandom = ["Z"]\n'
        'claims = ["p*n <= n", "abs(Z) + c >= c"]\n'
    )
    text = render(str(path))
    assert "- parameter $`p`$: $`0< p`$, $`p< 1`$\n- parameter $`n`$: $`n\\ge 1`$, integer\n" in text
    assert "- parameter $`c`$: real\n- $`Z`$: random real\n- claim: " in text


def test_what_shows_nothing_is_not_told_as_success(tmp_path):
    """A planted falsehood of a statement that is not proved, and a check that could not have seen a violation."""
    path = tmp_path / "open.py"
    path.write_text(
        "from boundcheck.kernel.statement import *\nfrom proofs_numeric.own import probability\n"
        'STATEMENTS = (Statement("lem:a", "A", "lemma", "p", "x", claims=(Fact("exp(x) >= 1 + x", over=("x",)),), '
        'steps=(Step(Fact("exp(x) >= 1 + x", over=("x",), where=("x > -9",)), Decide()),), '
        'twins=(Twin("less", {"1 + x": "0.9 + x"}),)),)\n'
        'CHECKS = (probability("lem:a", "few", lambda rng, n: rng.random(n), 0.5, 0.6, trials=8),)\n'
    )
    text = render(str(path))
    assert "| less | shows nothing, since the statement is not proved: UNDECIDED |" in text
    assert "| 8 | UNDERPOWERED |" in text and "| 0 of 1 as they must |" in text


RARE = """[[statement]]
label = "lem:tail"
declares = {Z = "random real"}
parameters = ["t > 0"]
hypotheses = {first = "E(abs(Z)) <= 1"}
claims = ["P(abs(Z) >= t) <= 1/t"]
proof = '''
P(abs(Z) >= t) <= E(abs(Z))/t     by Markov
'''
twins = [{what = "it ends at 97", change = {"P(abs(Z) >= t) <= 1/t" = "P(abs(Z) >= t) <= 97*ind(t < 97)/t"}, WORLD}]
"""


@pytest.mark.parametrize(
    ("jump", "status"), [("97*ind(unit(1) < 1/97)", "REFUTED"), ("ind(unit(1) < 1/97)", "UNDECIDED")]
)
def test_a_report_decides_a_planted_falsehood_in_its_world(tmp_path, jump, status):
    path = tmp_path / "own.toml"
    path.write_text(RARE.replace("WORLD", f'world = {{t = "97", Z = "{jump}"}}'))
    assert f"| it ends at 97 | caught: {status} |" in render(str(path))


@pytest.mark.parametrize(("claim", "told"), [("E(abs(Z)) <= 1/2", True), ("E(abs(Z)) <= 2", False)])
def test_a_report_tells_the_world_in_which_a_claim_is_false(tmp_path, claim, told):
    path = tmp_path / "own.toml"
    path.write_text(RARE.split("proof")[0].replace("P(abs(Z) >= t) <= 1/t", claim))
    text = render(str(path))
    assert (". Witness: " in text) is told and ("REFUTED: false in a small world" in text) is told
