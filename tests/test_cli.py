"""The command line's contract: JSON keys, exit statuses, one line a fault, no colour when piped."""

from __future__ import annotations

import io
import json
import math
import os
import re
import subprocess
import sys
from pathlib import Path

import doors
import pytest

from boundcheck import lemma
from boundcheck.app.commands import check, check_jobs, output, session
from boundcheck.app.commands.output import bracket
from boundcheck.author.wording import fact_text
from boundcheck.paper import catalogue, lookup
from boundcheck.stored import decisions
from boundcheck.verdict import Status, Verdict

BIAS = "lem:hp-shared-clipped-bias-abstract"
KEYS = {
    *("name", "verdict", "as_used", "method", "slack", "witness", "reason", "seconds", "certificate", "rests_on"),
    "steps",
}


def call(capsys, *words: str) -> tuple[int, str, str]:
    status = lemma.main(list(words))
    out, err = capsys.readouterr()
    return status, out, err


def outside(*words: str, **environment: str) -> subprocess.CompletedProcess[str]:
    command = [sys.executable, "-m", *words]
    return subprocess.run(command, capture_output=True, text=True, timeout=120, env={**os.environ, **environment})


def test_the_table_is_plain_and_complete_when_piped():
    done = outside("boundcheck.lemma", FORCE_COLOR="", TERM="xterm")
    assert done.returncode == 0 and done.stderr == ""
    assert "\x1b" not in done.stdout
    assert [line.split()[0] for line in done.stdout.splitlines()[1 : 1 + len(catalogue())]] == list(catalogue())


def test_the_table_loads_no_engine():
    code = (
        "import sys; from boundcheck import lemma; lemma.main([]); "
        "print([m for m in ('numpy', 'scipy', 'sympy', 'flint', 'matplotlib', 'rich') if m in sys.modules])"
    )
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, timeout=60)
    assert done.stdout.splitlines()[-1] == "[]"


def test_eval_is_sharp_where_the_lemma_is(capsys):
    status, out, _ = call(capsys, "eval", BIAS, "p=1.5", "S=1", "tau=16", "--json")
    found = json.loads(out)
    assert status == 0 and list(found) == ["label", "parameters", "bound", "exact", "slack"]
    assert found == {
        "label": BIAS,
        "parameters": {"p": 1.5, "S": 1, "tau": 16},
        "bound": 8.0,
        "exact": 8.0,
        "slack": [1.0, 1.0],
    }


@pytest.mark.parametrize(("tau", "sharp"), [("4", False), ("6", False), ("6.3", False), ("6.4", True), ("100", True)])
def test_slack_is_one_exactly_from_the_crossing_on(capsys, tau, sharp):
    _, out, _ = call(capsys, "eval", BIAS, "p=3/2", "S=1", f"tau={tau}", "--json")  # the crossing: 4*2**(2/3) = 6.3496
    low, high = json.loads(out)["slack"]
    assert (low == high == 1.0) if sharp else low > 1.0


@pytest.mark.parametrize(
    ("label", "values", "told"),
    [
        (BIAS, "p=1 S=1 tau=16", "p = 1 (tail exponent): 1 < p does not hold"),
        (BIAS, "p=2.5 S=1 tau=16", "p = 2.5 (tail exponent): p <= 2 does not hold"),
        (BIAS, "p=1.5 S=1 tau=3", "tau >= 4*S does not hold with S = 1"),
        (BIAS, "p=nan S=1 tau=16", "a finite decimal"),
        (BIAS, "p=inf S=1 tau=16", "a finite decimal"),
        (BIAS, "p=1.5 S=1 tau=1/0", "the divisor is zero"),
        (BIAS, "p=1.5 S=1", "tau is missing (clipping threshold)"),
        (BIAS, "p=1.5 S=1 tau=16 q=1", "q = 1: no parameter"),
        (BIAS, "p=1.5 p=1.5 S=1 tau=16", "given twice"),
        (BIAS, "p S=1 tau=16", "NAME=VALUE is wanted"),
        ("thm:tuned-dev", "p=1.5 S=1 d=0 M=1000 T=100 delta=0.1", "d = 0 (dimension): d >= 1 does not hold"),
        ("thm:tuned-dev", "p=1.5 S=1 d=2.5 M=1000 T=100 delta=0.1", "an integer is wanted"),
        ("thm:tuned-dev", "p=1.5 S=1 d=2 M=3 T=100 delta=0.1", "change M or T or delta"),
        ("thm:tuned-dve", "p=1.5", "did you mean thm:tuned-dev?"),
    ],
)
def test_bad_parameters_are_told_in_one_line(capsys, label, values, told):
    status, out, err = call(capsys, "eval", label, *values.split())
    assert status == 2 and out == ""
    assert err.startswith("error: ") and err.count("\n") == 1 and told in err


def test_all_faults_are_told_each_in_its_line(capsys):
    status, _, err = call(capsys, "eval", BIAS, "p=1", "S=-1", "tau=16")
    assert status == 2 and len(err.splitlines()) == 2


def test_defined_parameters_may_be_left_out_or_given(capsys):
    _, out, _ = call(
        capsys, "eval", "thm:tuned-dev", *["p=1.5", "S=1", "d=10", "M=1000", "T=100", "delta=0.1"], "--json"
    )
    lam = 6.907755278982137
    expected = (120 + 2**2.5 / 0.5) * 10 * (lam / 1000) ** (1 / 3) * (1 + math.log(1000 / lam)) ** 0.5
    assert json.loads(out)["bound"] == pytest.approx(expected, rel=1e-9)
    status, _, err = call(
        capsys, "eval", "thm:tuned-dev", *["p=1.5", "S=1", "d=10", "M=1000", "T=100", "delta=0.1", "lam=7"]
    )
    assert status == 2 and "leave out lam" in err


@pytest.mark.parametrize("words", [["evel"], ["check", "--seconds", "0"], ["check", "--seconds", "nan"], ["show"]])
def test_a_wrong_command_line_is_one_line(capsys, words):
    status, _, err = call(capsys, *words)
    assert status == 2 and err.count("\n") == 1


@pytest.mark.parametrize("target", ["lem:nothing", "missing.toml", "some/where", "program.py"])
def test_unusable_targets(capsys, target):
    status, out, err = call(capsys, "check", target)
    assert status == 2 and out == "" and err.startswith("error: ") and "Traceback" not in err


def test_show_tells_everything(capsys):
    status, out, _ = call(capsys, "show", BIAS)
    assert status == 0
    for word in ("parameters", "hypotheses", "claim", "steps", "rule Tonelli", "P(abs(Z) > t)"):
        assert word in out
    assert call(capsys, "show", "lem:nothing")[0] == 2


MAIN = "thm:main thm:hp-shared-clipped thm:momentum-main app:sharp-convergence app:sharp-momentum"


@pytest.mark.parametrize("label", f"{MAIN} cor:hp-shared-localized-tuned lem:momentum-freedman".split())
def test_hypotheses_stand_in_the_words_of_the_paper_and_whole_on_request(capsys, label):
    statement = lookup(label)
    form = statement.as_used if statement.as_used is not None and not statement.hypotheses else statement
    shown = [call(capsys, "show", label, *more)[1] for more in ([], ["--full"])]
    said = [" ".join(text.split()) for text in shown]
    heads = [text[: text.index(" steps (the claim")] for text in said]
    for name, fact in form.hypotheses.items():
        assert name in heads[0] and f"{name}: " + " ".join(fact_text(fact).split()) in heads[1]
    out = shown[0].partition("\nhypotheses")[2].partition("\n\n")[0]
    told = [line for line in out.splitlines()[1:] if line.startswith("  ") and line[2] != " "]
    assert 1 <= len(told) <= 16  # "about a dozen", beside what parameters are set to
    assert not any(line.lstrip().startswith("P(") for line in told)


def test_what_a_form_shares_with_the_one_above_is_not_said_twice(capsys):
    out = call(capsys, "show", "thm:momentum-main")[1]
    assert out.count("\nparameters\n") == 1 and "\nparameters and hypotheses: as above\n" in out
    assert "tau == 8*S*(M/((1 - beta)*lam))**(1/p)" in out.partition("\nhypotheses")[0]


def test_places_of_a_users_file_are_shown_and_their_faults_told(tmp_path, capsys):
    path = tmp_path / "own.toml"
    text = """
[place."Assumption 2"]
says = "the noise has a variance"
hypotheses = ["noise"]

[setting.noise]
source = "Assumption 1"
declares = {X = "random real"}
hypotheses = {noise = "E(X**2) <= 1", centred = "E(X) == 0"}

[[statement]]
label = "lem:own"
settings = ["noise"]
claims = ["E(2*X) == 0"]
proof = "E(2*X) == 0"
"""
    path.write_text(text)
    _, out, _ = call(capsys, "show", str(path))
    assert "Assumption 2: the noise has a variance (noise)" in out and "centred: E(X) == 0" in out
    assert "noise: E(X**2) <= 1" in call(capsys, "show", str(path), "--full")[1]
    path.write_text(text.replace('says = "the noise has a variance"', "says = 3"))
    status, _, err = call(capsys, "check", str(path))
    assert status == 2 and "place Assumption 2: says is a text" in err
    path.write_text(text.replace('says = "the noise', 'seys = "the noise'))
    status, _, err = call(capsys, "check", str(path))
    assert status == 2 and "place Assumption 2: key seys is not known; keys are says, hypotheses" in err
    path.write_text(text.replace("[setting.noise]", '[[setting]]\nname = "noise"'))
    status, _, err = call(capsys, "check", str(path))
    assert status == 2 and 'setting: tables with names are wanted; write [setting."its name"]' in err


@pytest.mark.usefixtures("one_process")
def test_check_prints_the_object_of_the_contract_and_verify_accepts_its_certificates(tmp_path, capsys):
    label = "lem:hp-shared-grad-subopt"
    words = ("ass:sample-smooth", label, "--json", "--certificates", str(tmp_path), "--seconds", "5")
    status, out, err = call(capsys, "check", *words)
    found = json.loads(out)
    assert set(found) == {"schema", "results"} and found["schema"] == 1
    first, second = found["results"]
    assert set(first) == set(second) == set(second["steps"][0]) == KEYS
    assert [first["name"], first["verdict"]] == ["ass:sample-smooth", "ASSUMED"]
    assert second["name"] == label and second["verdict"] == "PROVED" and status == 0
    assert "\x1b" not in out and err == ""
    path = second["certificate"]
    assert lemma.main(["verify", path]) == 0
    data = json.loads(Path(path).read_text())
    data["statement"]["claims"][0]["claim"] = data["statement"]["claims"][0]["claim"].replace("2*L", "1.9*L")
    forged = tmp_path / "forged.json"
    forged.write_text(json.dumps(data))
    assert lemma.main(["verify", str(forged)]) == 1
    assert lemma.main(["verify", str(forged), path]) == 1


@pytest.mark.parametrize(
    "text", ["", "{", "[]", "3", "NaN", '{"schema": NaN}', "[" * 100_000, "\x00\xff", '{"a": 1e999}' * 2]
)
def test_unreadable_certificates(tmp_path, capsys, text):
    path = tmp_path / "c.json"
    path.write_bytes(text.encode("latin-1"))
    status, _, err = call(capsys, "verify", str(path))
    assert status == 2 and err.count("\n") == 1


@pytest.mark.parametrize(
    "data",
    [
        {},
        {"kind": "statement"},
        {"kind": "statement", "statement": {"type": "Statement"}, "cited": [], "steps": []},
        {"schema": 1, "claim": {"claim": ["1 < 0"], "where": [], "integers": []}, "proofs": [{"rule": "trust me"}]},
        {"schema": True, "claim": None, "proofs": {}},
    ],
)
def test_certificates_that_are_not_valid(tmp_path, data):
    path = tmp_path / "c.json"
    path.write_text(json.dumps(data))
    assert lemma.main(["verify", str(path)]) == 1


def test_a_file_of_claims_keeps_its_order_and_its_statuses(tmp_path):
    path = tmp_path / "claims.toml"
    path.write_text(
        '[[claim]]\nname = "b"\nwhere = ["x > 0"]\nclaim = "x + 1 > x"\n'
        '[[claim]]\nname = "a"\nwhere = ["x > 0"]\nclaim = "x**2 > x"\n'
    )
    done = doors.here("boundcheck.lemma", ["check", str(path), "--json", "--seconds", "5"], tmp_path)
    rows = json.loads(done.stdout)["results"]
    assert [(r["name"], r["verdict"]) for r in rows] == [("b", "PROVED"), ("a", "REFUTED")]
    assert done.returncode == 1 and set(rows[1]["witness"]) == {"x"}


def test_what_is_undecided_says_why_in_json():
    rows = session.as_json(Verdict("c", Status.UNDECIDED, reason="no tactic settles it"), None)
    assert rows["reason"] == "no tactic settles it"


@pytest.mark.parametrize(
    ("words", "status"),
    [
        (["PROVED", "ASSUMED", "CITED"], 0),
        (["PROVED", "REPAIRED"], 1),
        (["UNDECIDED", "REFUTED"], 1),
        (["UNDECIDED", "PROVED"], 3),
    ],
)
def test_exit_statuses(words, status):
    assert check.status_of([Status(w) for w in words]) == status


def test_verdicts_without_certificates_stay_whole():
    inner = Verdict("s/1", Status.PROVED, certificate={"certificates": [1]})
    outer = Verdict("s", Status.REPAIRED, certificate={"a": 1}, steps=(inner,), as_used=inner)
    found = check_jobs.bare(outer)
    assert found.certificate is None and found.steps[0].certificate is None and found.as_used is not None
    assert found.as_used.certificate is None and found.status is Status.REPAIRED


def test_brackets_are_rounded_outwards():
    assert bracket((1.0000000028, 1.0000000029)) == "1 .. 1.00001"
    assert bracket((1.0, 1.0)) == "1" and bracket(None) == "" and bracket((None, None)) == ""
    assert bracket((None, 2.0)) == "<= 2" and bracket((1.5, None)) == ">= 1.5"


def test_stored_decisions_speak_of_the_catalogue():
    stored = decisions.load()["decisions"]
    assert set(stored) <= set(catalogue())


@pytest.mark.parametrize("columns", [80, 100, 140])
def test_no_label_is_broken_on_a_narrow_terminal(columns, monkeypatch, capsys):
    from boundcheck.app.commands import list as listing

    monkeypatch.setenv("COLUMNS", str(columns))
    monkeypatch.setattr(sys.stdout, "isatty", lambda: True)
    listing.run(None)
    table = re.sub(r"\x1b\[[\d;]*m", "", capsys.readouterr().out).split("\n\n")[0].splitlines()
    assert max(map(len, table)) <= columns
    for label in catalogue():
        assert sum(label in line.split() for line in table) == 1
    assert ("a wider terminal also shows" in "\n".join(table)) == (columns < 120)


def test_columns_are_left_out_in_the_order_given_and_a_table_too_wide_is_not_drawn():
    from boundcheck.app.commands.output import fitting

    assert fitting([10, 5, 60], (2, 1), 41) == [0, 1, 2]  # 12 + 7 + 22, the last column folded
    assert fitting([10, 5, 60], (2, 1), 40) == [0, 1]
    assert fitting([10, 5, 60], (2, 1), 16) == [0]
    assert fitting([10, 5, 60], (), 40) is None


@pytest.mark.parametrize("columns", [None, 80, 130])
@pytest.mark.parametrize("words", [["list"], ["show", "cor:hp-shared-localized"], ["show", "lem:momentum-freedman"]])
def test_no_line_is_wider_than_a_page_when_piped(words, columns, monkeypatch, capsys):
    if columns is None:
        monkeypatch.delenv("COLUMNS", raising=False)
        monkeypatch.setattr(sys, "__stdout__", io.StringIO())  # the size of no terminal is asked
    else:
        monkeypatch.setenv("COLUMNS", str(columns))
    _, out, _ = call(capsys, *words)
    room = (columns or output.WIDTH) if words == ["list"] else min(columns or output.WIDTH, output.WIDTH)
    assert room / 2 < max(map(len, out.splitlines())) <= room


def test_columns_that_a_pipe_has_no_room_for_are_named_and_shown_on_request(monkeypatch, capsys):
    title = catalogue()[BIAS].title
    monkeypatch.setenv("COLUMNS", "100")
    _, out, _ = call(capsys, "list")
    assert title not in out and "beyond 100 columns, shown with COLUMNS=200: title\n" in out
    monkeypatch.setenv("COLUMNS", "200")
    _, out, _ = call(capsys, "list")
    assert title in out and "COLUMNS" not in out


def test_a_long_verdict_hangs_below_its_word_whole(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "60")
    reason = " ".join(f"word{n}" for n in range(30))
    session.print_result(
        Verdict("a:b", Status.UNDECIDED, "steps", reason=reason, steps=(Verdict("a:b/1", Status.PROVED),)), True
    )
    lines = capsys.readouterr().out.splitlines()
    assert lines[0].startswith("UNDECIDED   a:b  1 step  ") and all(line.startswith(" " * 12) for line in lines[1:])
    assert max(map(len, lines)) <= 60 and " ".join(" ".join(lines).split()).endswith(reason)


def test_a_long_reason_is_told_once_where_a_step_has_it(monkeypatch, capsys):
    monkeypatch.setenv("COLUMNS", "100")
    reason = " ".join(f"word{n}" for n in range(60))
    step = Verdict("a:b/1", Status.UNDECIDED, reason=reason)
    session.print_result(
        Verdict("a:b", Status.UNDECIDED, "steps", reason=f"a:b/1 is UNDECIDED: {reason}", steps=(step,)), True
    )
    out = " ".join(capsys.readouterr().out.split())
    assert out.count("word0 ") == 1 and out.count("word59") == 1


def test_show_typesets_on_a_terminal_that_can_and_nowhere_else(monkeypatch, capsys):
    label = "lem:momentum-freedman"
    _, plain, _ = call(capsys, "show", label)
    assert "norm(at(X, s, l)) <= R" in plain and "‖" not in plain
    monkeypatch.setattr("boundcheck.app.commands.show.typesets", lambda: True)
    _, typeset, _ = call(capsys, "show", label)
    assert "‖X_(s,l)‖ ≤ R for all s: integer, l: integer where" in typeset and "norm(" not in typeset
    assert call(capsys, "show", label, "--ascii")[1] == plain
