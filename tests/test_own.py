"""A user's own file: what it defines is decided like the paper's, every fault is one line, and nothing is cited in a
circle."""

from __future__ import annotations

import json
import pickle
from pathlib import Path

import pytest

import proofs_numeric.__main__ as proofs
from boundcheck import lemma, report, user_files
from boundcheck.app.commands import check_jobs, new
from boundcheck.kernel.statement import Cite, Fact, Statement, Step
from boundcheck.stored.premises import weak_premises
from boundcheck.system.exits import Unusable
from boundcheck.verdict import Status
from proofs_numeric import own as own_checks

HEAD = "from boundcheck.kernel.statement import *\n"
SQUARE = (
    'Statement("{label}", "t", "lemma", "p", "x", parameters=(Parameter("x", "", ()),), '
    'claims=(Fact("{claim}"),), steps=({steps},), **{more})'
)


def written(folder: Path, text: str, name: str = "mine.py") -> str:
    path = folder / name
    path.write_text(HEAD + text)
    return str(path)


def square(label: str, claim: str = "x**2 >= 0", by: str = "Decide()", more: str = "{}") -> str:
    return SQUARE.format(label=label, claim=claim, steps=f'Step(Fact("{claim}"), {by})', more=more)


def cite(label: str) -> str:
    return f'Cite("{label}")'


def call(capsys, main, *words: str) -> tuple[int, str, str]:
    status = main(list(words))
    out, err = capsys.readouterr()
    return status, out, err


@pytest.fixture
def template(tmp_path, monkeypatch) -> str:
    monkeypatch.chdir(tmp_path)
    return new.write("my_lemma", tmp_path).name


# ---------------------------------------------------------------- the template


@pytest.mark.usefixtures("one_process")
def test_the_template_passes_as_it_stands(capsys, template):
    status, out, err = call(capsys, lemma.main, "check", template, "--json")
    (result,) = json.loads(out)["results"]
    assert status == 0 and result["verdict"] == "PROVED" and len(result["steps"]) == 5
    assert err == "note: my_lemma.py is a program and is run as such\n"


def test_the_template_can_be_shown_and_evaluated(capsys, template):
    status, out, _ = call(capsys, lemma.main, "show", template)
    assert status == 0 and "rule Markov" in out and "E(Z**2) <= V" in out
    status, out, _ = call(capsys, lemma.main, "eval", f"{template}:lem:my_lemma-chebyshev", "V=2", "t=4", "--json")
    assert status == 0 and json.loads(out)["bound"] == 0.125
    status, _, err = call(capsys, lemma.main, "eval", template, "V=2", "t=-4")
    assert status == 2 and "t > 0 does not hold" in err


def test_a_text_is_evaluated_and_printed_without_a_search_for_reasons(capsys, tmp_path, monkeypatch):
    def searched(*_):
        raise AssertionError("eval and show --text need no reasons")

    path = tmp_path / "mine.toml"
    path.write_text(
        '[[statement]]\nlabel = "lem:own"\nparameters = ["V >= 0", "t > 0"]\nrandom = ["Z"]\nbound = "V/t**2"\n'
        'hypotheses = {moment = "E(Z**2) <= V"}\nclaims = ["P(abs(Z) > t) <= V/t**2"]\nproof = "1 <= 2  by nothing"\n'
    )
    monkeypatch.setattr("boundcheck.author.cache.remembered", searched)
    status, out, err = call(capsys, lemma.main, "eval", f"{path}:lem:own", "V=2", "t=4", "--json")
    assert (status, err) == (0, "") and json.loads(out)["bound"] == 0.125
    status, out, err = call(capsys, lemma.main, "show", str(path), "--text")
    assert (status, err) == (0, "") and "by nothing" in out
    with pytest.raises(AssertionError, match="need no reasons"):
        lemma.main(["show", str(path)])


def test_where_nothing_is_stated_there_is_nothing_to_show_evaluate_or_report(capsys, tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    Path("claims.toml").write_text('[[claim]]\nname = "c"\nclaim = "x**2 >= 0"\nwhere = ["x > 0"]\n')
    for words in (["show"], ["show", "--text"], ["eval"]):
        assert lemma.main([*words, "claims.toml"]) == 2
    assert report.main(["claims.toml"]) == 2 and not Path("claims.md").exists()
    assert set(capsys.readouterr().err.splitlines()) == {f"error: claims.toml: {user_files.NONE_HERE}"}


@pytest.mark.parametrize("words", [["--save"], ["--stale"], ["--output", "there"]])
def test_an_option_of_rocq_is_refused_where_rocq_is_not_asked(capsys, words):
    assert lemma.main(["verify", *words, "c.json"]) == 2
    assert capsys.readouterr().err == f"error: {words[0]} is about what Rocq accepts; add --rocq\n"


def test_a_key_that_is_not_read_is_told_beside_what_it_leaves_undeclared(capsys, tmp_path):
    path = tmp_path / "mine.toml"
    path.write_text('[[statement]]\nlabel = "own:s"\ndeclare = {X = "vector"}\nclaims = ["norm(X) >= 0"]\n')
    assert lemma.main(["check", str(path)]) == 2
    err = capsys.readouterr().err
    assert "key declare is not read; did you mean declares?" in err and "X is not declared" in err


def test_the_report_says_that_a_program_is_run(capsys, template):
    assert report.main([template]) == 0
    assert capsys.readouterr().err == f"note: {template} is a program and is run as such\n"


@pytest.mark.parametrize("executor", ["serial", "processes"])
def test_the_template_is_simulated_and_its_planted_falsehood_caught(capsys, template, executor):
    status, out, _ = call(capsys, proofs.main, "run", template, "--json", "--executor", executor)
    found = json.loads(out)
    assert status == 0
    assert [r["verdict"] for r in found["results"]] == ["CONSISTENT"]
    assert [r["caught"] for r in found["planted"]] == [True]


@pytest.mark.usefixtures("one_process", "no_worlds")
def test_the_template_with_a_smaller_constant_is_not_proved(capsys, template):
    path = Path(template)
    path.write_text(path.read_text().replace('Fact("P(abs(Z) > t) <= V/t**2")', 'Fact("P(abs(Z) > t) <= 0.9*V/t**2")'))
    status, out, _ = call(capsys, lemma.main, "check", template)
    assert status == 3 and out.startswith("UNDECIDED")


def test_a_template_is_never_written_over_a_file(capsys, template):
    Path(template).write_text("precious")
    status, _, err = call(capsys, lemma.main, "new", "my_lemma")
    assert status == 2 and err.count("\n") == 1 and "already" in err
    assert Path(template).read_text() == "precious"
    assert [p.name for p in Path().iterdir()] == [template]  # no part of a file is left


@pytest.mark.parametrize("name", ["", "a b", "../x", "class", "1st", "x" * 200])
def test_a_template_needs_a_name(tmp_path, name):
    with pytest.raises(Unusable):
        new.write(name, tmp_path)
    assert not list(tmp_path.iterdir())


# ---------------------------------------------------------------- faults, one line each


@pytest.mark.parametrize(
    ("text", "told"),
    [
        ("x = (", "line 2: not Python"),
        ("\n\nSTATEMENTS = (missing,)", "line 4: NameError: name 'missing' is not defined"),
        ("raise SystemExit(3)", "line 2: SystemExit: 3"),
        ("pass", "defines no STATEMENTS"),
        ("STATEMENTS = Statement", "STATEMENTS is no tuple"),
        ("STATEMENTS = (3,)", "STATEMENTS[0] is no Statement but int"),
        (f"STATEMENTS = ({square('lem:a')}, {square('lem:a')})", "two statements have this label"),
        (f"STATEMENTS = ({square('lem:hp-shared-clipping-bias')},)", "the catalogue has a statement of this label"),
        (f"STATEMENTS = ({square('lem:a', 'x**2 >= ')},)", "lem:a: claim 1: column"),
        (f"STATEMENTS = ({square('lem:a', 'sine(x) <= 1')},)", "lem:a: step 1: sine(x): sine is not declared"),
        ('STATEMENTS = (Statement("lem:a", "t", "lemma", "p", "x", claims=(Fact("1 < 2"))),)', "claims must be"),
        ('STATEMENTS = (Statement("lem:a", "t", "lemma", "p", "x"),)', "no claims"),
        (f"STATEMENTS = ({square('lem:a', more='dict(concludes=((1,), (1,)))')},)", "1 claims, but concludes"),
        (f"STATEMENTS = ({square('lem:a', by=cite('lem:b'))},)", "cites lem:b, which is not known"),
    ],
)
def test_a_fault_is_told_in_one_line(capsys, tmp_path, text, told):
    path = written(tmp_path, text)
    status, out, err = call(capsys, lemma.main, "check", path)
    assert status == 2 and out == "" and "Traceback" not in err
    assert any(told in line for line in err.splitlines()), err
    assert all(line.startswith(("error: ", "note: ")) and path in line for line in err.splitlines())


def test_a_proof_in_a_circle_is_refused(tmp_path):
    """Each of the two is 'proved' from the other: nothing would show that the falsehood is none."""
    false = "x**2 >= 1"
    circle = f"STATEMENTS = ({square('a', false, cite('b'))}, {square('b', false, cite('a'))})"
    with pytest.raises(user_files.OwnFault, match="in a circle, a -> b -> a"):
        user_files.load(written(tmp_path, circle))


def test_an_unknown_label_of_a_file(capsys, template):
    status, _, err = call(capsys, lemma.main, "check", f"{template}:lem:my_lemma-chebishev")
    assert status == 2 and "did you mean lem:my_lemma-chebyshev?" in err


def test_decisions_of_a_file_are_not_stored(capsys, template):
    status, _, err = call(capsys, lemma.main, "check", template, "--save")
    assert status == 2 and "--save" in err


def test_what_a_file_prints_does_not_spoil_json(capsys, tmp_path):
    path = written(tmp_path, f"print('hello')\nSTATEMENTS = ({square('lem:a')},)")
    status, out, err = call(capsys, lemma.main, "check", path, "--json")
    assert status == 0 and json.loads(out)["results"][0]["verdict"] == "PROVED" and "hello" in err


# ---------------------------------------------------------------- citing, simulating


def test_a_statement_may_cite_its_neighbour_and_the_catalogue(tmp_path):
    text = f"STATEMENTS = ({square('a')}, {square('b', by=cite('a'))})"
    file = user_files.load(written(tmp_path, text))
    others = pickle.loads(pickle.dumps(tuple(file.statements.values())))  # as for a worker process
    verdict = check_jobs.decide_own(others[1], others, 5.0, again=True, keep=False)
    assert verdict.status is Status.PROVED and verdict.rests_on == ("a",)
    assert file.lookup("lem:hp-shared-clipping-bias").kind == "lemma"


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("claim", "word", "status"),
    [("x**2 >= 0", "", 0), ("x**2 >= 1", "REFUTED", 1), ("ind(x > 0) + ind(x < 0) <= 1", "UNDECIDED", 3)],
)
def test_citing_what_does_not_hold_is_told(capsys, tmp_path, claim, word, status):
    """First, second and third hand; in the line, in JSON, and in how the command ends."""
    chain = [square("a", claim), square("b", claim, cite("a")), square("c", claim, cite("b"))]
    path = written(tmp_path, f"STATEMENTS = ({', '.join(chain)},)")
    found, out, _ = call(capsys, lemma.main, "check", path, "--seconds", "1", "--json")
    told = [r["verdict"] for r in json.loads(out)["results"]]
    if not word:
        assert (found, told) == (0, ["PROVED"] * 3)
    else:
        assert found == status and told[0] == word
        assert told[1] == f"PROVED given a ({word})" and f"a ({word})" in told[2] and told[2] != "PROVED"


@pytest.mark.parametrize(
    ("word", "as_used", "weak"),
    [("PROVED", False, False), ("REPAIRED", False, True), ("PROVED", True, False), ("REFUTED", False, True),
     ("UNDECIDED", True, True), ("REFUTED", True, True), ("CITED", False, False), ("ASSUMED", False, False)],
)  # fmt: skip
def test_a_premise_is_weak_in_the_form_that_is_cited(word, as_used, weak):
    step = Step(Fact("x**2 >= 0"), Cite("lem:other", as_used=as_used))
    statement = Statement("a", "t", "lemma", "p", "x", steps=(step,), declares={"x": "real"})
    other = {"PROVED": "REFUTED"}.get(word, "PROVED")  # the verdict of the form that is not cited is no matter
    found = weak_premises(statement, lambda _, used: word if used == as_used else other, {}.__getitem__)
    assert found == ((("lem:other", word),) if weak else ())


def test_a_file_is_read_anew_when_it_has_changed(tmp_path):
    import os

    path = written(tmp_path, f"STATEMENTS = ({square('a')},)")
    assert list(user_files.load(path).statements) == ["a"]
    written(tmp_path, f"STATEMENTS = ({square('other')},)")
    os.utime(path, ns=(1, 1))
    assert list(user_files.load(path).statements) == ["other"]


CHECK = 'from proofs_numeric.own import probability\nCHECKS = (probability("{label}", "c", {draw}, 0.5, 0.1),)'


@pytest.mark.parametrize(
    ("label", "draw", "told"),
    [
        ("b", "lambda rng, n: rng.random(n)", "no statement of the file is called b"),
        ("a", "lambda rng, n: rng.random((n, 2))", "one value each is wanted"),
        ("a", "lambda rng, n: missing", "NameError"),
    ],
)
def test_a_broken_check_is_told_in_one_line(capsys, tmp_path, label, draw, told):
    path = written(tmp_path, f"STATEMENTS = ({square('a')},)\n" + CHECK.format(label=label, draw=draw))
    status, out, err = call(capsys, proofs.main, "run", path)
    assert status == 2 and out == "" and told in err and "Traceback" not in err


def test_a_false_probability_is_rejected_by_simulation(capsys, tmp_path):
    draw = "lambda rng, n: rng.random(n)"
    path = written(tmp_path, f"STATEMENTS = ({square('a')},)\n" + CHECK.format(label="a", draw=draw))
    status, out, _ = call(capsys, proofs.main, "run", path, "--json")
    assert status == 1 and json.loads(out)["results"][0]["verdict"] == "REFUTED-STAT"


def test_a_file_without_checks_has_nothing_to_run(capsys, tmp_path):
    status, _, err = call(capsys, proofs.main, "run", written(tmp_path, f"STATEMENTS = ({square('a')},)"))
    assert status == 2 and "defines no CHECKS" in err


def test_the_error_budget_is_that_of_the_file(template):
    from proofs_numeric.campaigns.campaign import family
    from proofs_numeric.checks import registry

    mine = own_checks.chosen(template)
    assert family(mine[:1]) == 2
    assert family([*mine, next(iter(registry().values()))]) == 2 + len(registry())
