"""Wrong words on a command line: told in one line, with the nearest word there is and where the usage is told."""

import time

import pytest

from boundcheck import lemma, report
from boundcheck.app.commands.output import said_after
from boundcheck.system.arguments import nearest
from proofs_numeric import __main__ as numeric


@pytest.mark.parametrize(
    ("main", "words", "told", "command"),
    [
        (
            lemma.main,
            ["check", "x.toml", "--secnds", "3"],
            "--secnds 3; did you mean --seconds?",
            "boundcheck.lemma check",
        ),
        (lemma.main, ["plan", "--lr", "3"], "unrecognized arguments: --lr 3", "boundcheck.lemma plan"),
        (lemma.main, ["chekc"], "'doctor'); did you mean check?", "boundcheck.lemma"),
        (lemma.main, ["plan", "--constants", "shrp"], "did you mean sharp?", "boundcheck.lemma plan"),
        (numeric.main, ["run", "--sed=3"], "--sed=3; did you mean --seed?", "proofs_numeric run"),
    ],
)
def test_a_misspelt_word_is_told_with_the_nearest_one_by_the_command_it_was_meant_for(
    main, words, told, command, capsys
):
    assert main(words) == 2
    line = capsys.readouterr().err
    assert line.startswith("error: ") and line.count("\n") == 1
    assert line.endswith(f"{told}; `python -m {command} --help` shows the usage\n")


def test_the_report_tells_it_in_the_same_way(capsys):
    assert report.main(["--hmtl", "x"]) == 2
    assert capsys.readouterr().err.startswith("error: unrecognized arguments: --hmtl; did you mean --html?; ")


def test_what_is_near_nothing_gets_no_hint():
    assert nearest("zzz", ["seconds", "seed"]) == ""


def test_a_claims_file_has_no_statement_to_name_and_says_so(tmp_path, capsys):
    path = tmp_path / "mine.toml"
    path.write_text('[[claim]]\nname = "a"\nclaim = "x**2 >= 0"\n')
    assert lemma.main(["check", f"{path}:a"]) == 2
    assert "no statement is called a, nor is there any; a claim or a rate has no label" in capsys.readouterr().err
    assert lemma.main(["check", "mine.tml"]) == 2
    assert "mine.tml: a label, or a file whose name ends in .toml or .py, is wanted" in capsys.readouterr().err


def test_a_line_is_said_where_something_takes_long_and_only_there(capsys):
    with said_after("quick", 30.0):
        pass
    with said_after("slow", 0.01):
        end = time.monotonic() + 30.0
        while "slow" not in (told := capsys.readouterr().err) and time.monotonic() < end:
            time.sleep(0.01)
    assert told == "slow\n"


def test_a_certificate_and_statements_are_not_taken_for_each_other(tmp_path, capsys, monkeypatch):
    """Each command says which one does what was meant."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "own.toml").write_text('[[claim]]\nname = "a"\nclaim = "x**2 >= 0"\n')
    (tmp_path / "own.py").write_text("STATEMENTS = ()\n")
    (tmp_path / "one.json").write_text("{}\n")
    words = {
        ("verify", "own.toml"): "own.toml: statements, not a certificate; `check own.toml --certificates DIR` decides",
        ("verify", "own.py"): "own.py: statements, not a certificate; `check own.py --certificates DIR` decides",
        ("verify", "own.toml:a"): "own.toml:a: statements, not a certificate; `check own.toml:a --certificates DIR`",
        ("verify", "lem:own"): "lem:own: a label, not a certificate; `check lem:own --certificates DIR` decides",
        ("verify", "none.toml"): "none.toml: cannot be read (No such file or directory)",
        ("verify", "none.json"): "none.json: cannot be read (No such file or directory)",
        ("export", "own.toml"): "own.toml: statements, not a certificate; `check own.toml --certificates DIR` decides",
        ("check", "one.json"): "one.json: the name of a certificate, not of statements; `verify one.json` checks",
        ("show", "one.json"): "one.json: the name of a certificate, not of statements; `verify one.json` checks",
        ("eval", "one.json"): "one.json: the name of a certificate, not of statements; `verify one.json` checks",
    }
    for command, told in words.items():
        assert lemma.main(list(command)) == 2
        assert capsys.readouterr().err.startswith(f"error: {told}"), command
