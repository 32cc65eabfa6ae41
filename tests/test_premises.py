"""What rests on something that does not hold or is open is told so by every front door, at first and second hand."""

from __future__ import annotations

import json

import pytest

from boundcheck import lemma
from boundcheck.app.commands import verify
from boundcheck.app.reporting.context import context
from boundcheck.app.reporting.html import page
from boundcheck.app.reporting.render import drafts
from boundcheck.app.reporting.sources import load
from boundcheck.app.reporting.user_report import render
from boundcheck.kernel.statement import Cite, Fact, Statement, Step
from boundcheck.paper import catalogue
from boundcheck.stored import decisions, premises
from boundcheck.verdict import Status, Verdict, worded

pytest_plugins = ("pytester",)

#: c rests on b, b on a; a says the claim that is put in
TOML = """
[[statement]]
label = "lem:a"
parameters = ["x"]
claims = ["{claim}"]
proof = "{claim} exactly scalar"

[[statement]]
label = "lem:b"
parameters = ["x"]
claims = ["{claim}"]
proof = "{claim} exactly cite lem:a 1"

[[statement]]
label = "lem:c"
parameters = ["x"]
claims = ["{claim}"]
proof = "{claim} exactly cite lem:b 1"
"""
PYTHON = """
from boundcheck.statement import Cite, Decide, Fact, Statement, Step

def says(label, by):
    return Statement(label, "t", "lemma", "p", "x", claims=(Fact({claim!r}),), declares={{"x": "real"}},
                     steps=(Step(Fact({claim!r}), by),))

STATEMENTS = (says("lem:a", Decide()), says("lem:b", Cite("lem:a")), says("lem:c", Cite("lem:b")))
"""
CLAIMS = [("x**2 >= 0", "", 0), ("x**2 >= 1", "REFUTED", 1), ("ind(x > 0) + ind(x < 0) <= 1", "UNDECIDED", 3)]
WEAK = CLAIMS[1:]


@pytest.fixture(params=["toml", "py"])
def write(request, tmp_path):
    def written(claim):
        path = tmp_path / f"own.{request.param}"
        path.write_text((TOML if request.param == "toml" else PYTHON).format(claim=claim))
        return str(path)

    return written


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(("claim", "word", "status"), CLAIMS)
def test_check_and_verify_end_with_the_weakest(write, tmp_path, capsys, claim, word, status):
    path, proofs = write(claim), tmp_path / "proofs"
    assert lemma.main(["check", path, "--seconds", "1", "--json", "--certificates", str(proofs)]) == status
    rows = {r["name"]: r for r in json.loads(capsys.readouterr().out)["results"]}
    if word:
        assert rows["lem:a"]["verdict"] == word
        assert rows["lem:b"]["verdict"] == f"PROVED given lem:a ({word})"
        assert rows["lem:c"]["verdict"] == f"PROVED given lem:a ({word})"
    files = {name: row["certificate"] for name, row in rows.items() if row["certificate"]}
    assert set(files) == ({"lem:b", "lem:c"} if word else {"lem:a", "lem:b", "lem:c"})
    assert lemma.main(["verify", *files.values()]) == (3 if word else 0)
    out = capsys.readouterr().out
    assert ("valid given lem:a (UNDECIDED)" in " ".join(out.split())) is bool(word)
    assert f"lem:c, a statement that is not of the catalogue: {claim}" in " ".join(out.split())  # what it says
    assert lemma.main(["verify", files["lem:c"]]) == 3  # b is not among the certificates
    assert "given lem:b (UNDECIDED)" in " ".join(capsys.readouterr().out.split())


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("taken", "told"),
    [("", "a statement"), (", literature='A. Author, Theorem 1'", "a statement of the literature")],
)
def test_verify_tells_what_is_taken_without_proof(tmp_path, capsys, taken, told):
    path, proofs = tmp_path / "own.py", tmp_path / "proofs"
    said = f"Statement('lem:a', 't', 'lemma', 'p', 'x'{taken}, claims=(Fact('x <= 1'),), declares={{'x': 'real'}})"
    path.write_text(PYTHON.format(claim="x <= 1").replace('says("lem:a", Decide())', said))
    lemma.main(["check", str(path), "--seconds", "1", "--quiet", "--certificates", str(proofs)])
    capsys.readouterr()
    assert lemma.main(["verify", str(proofs / "lem_b.json")]) == (3 if told == "a statement" else 0)
    out = " ".join(capsys.readouterr().out.split())
    assert f"given lem:a, {told} that is not of the catalogue: x <= 1" in out


@pytest.mark.parametrize(("claim", "word", "status"), CLAIMS)
def test_pytest_lets_no_such_item_pass(write, pytester, claim, word, status):
    path = write(claim)
    result = pytester.runpytest_inprocess("--boundcheck", path, "--boundcheck-seconds", "1", "-k", "claim", "-v")
    if not word:
        return result.assert_outcomes(passed=3)
    result.assert_outcomes(failed=3)
    result.stdout.fnmatch_lines(["*lem:c*claim FAILED*", f"verdict    PROVED given lem:a ({word}) by *"])
    again = pytester.runpytest_inprocess(
        "--boundcheck", path, "--boundcheck-seconds", "1", "-k", "claim", "--boundcheck-undecided=xfail"
    )
    return again.assert_outcomes(**({"xfailed": 3} if word == "UNDECIDED" else {"failed": 3}))


@pytest.mark.parametrize(("claim", "word", "status"), CLAIMS)
def test_the_report_on_a_file_tells_it_in_row_and_section(tmp_path, claim, word, status):
    path = tmp_path / "own.py"
    path.write_text(PYTHON.format(claim=claim))
    text = render(str(path), 1.0).replace("\\", "")
    told = f"PROVED given lem:a ({word})" if word else "PROVED"
    rows = [line for line in text.splitlines() if line.startswith("| [t]") and "`lem:c`" in line]
    assert len(rows) == 1 and f"| {told} |" in rows[0]
    assert text.count(told) >= 4  # b and c, each in its row and in its section
    assert told in page(render(str(path), 1.0), tmp_path).replace("&nbsp;", " ")


def test_show_tells_what_a_statement_of_a_file_rests_on(write, capsys):
    path = write("x**2 >= 1")
    assert lemma.main(["show", f"{path}:lem:c"]) == 0
    assert "rests on: lem:b (of this file), lem:a (of this file)" in capsys.readouterr().out


# The form that a statement's uses need holds by its own proof, or does not

USED = (
    """
[[statement]]
label = "lem:d"
parameters = ["x"]
claims = ["{claim}"]
proof = "{claim} exactly scalar"

[[statement]]
label = "lem:a"
parameters = ["x"]
claims = ["x <= x"]
proof = "x <= x exactly scalar"
[statement.as_used]
claims = ["{claim}"]
proof = "{claim} exactly {by}"

[[statement]]
label = "lem:b"
parameters = ["x"]
claims = ["{claim}"]
proof = """
    + "'''\n{first}{claim} exactly cite lem:a 1 as used\n'''\n"
)


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize("first", ["", "x <= x exactly cite lem:a 1\n"])
@pytest.mark.parametrize("by", ["scalar", "cite lem:d 1"])
@pytest.mark.parametrize(("claim", "word", "status"), CLAIMS)
def test_a_form_that_is_cited_holds_by_its_own_proof(tmp_path, capsys, claim, word, status, by, first):
    """lem:a is PROVED as it is printed; what lem:b takes of it is the other form, by itself or by lem:d."""
    path, proofs = tmp_path / "own.toml", tmp_path / "proofs"
    path.write_text(USED.format(claim=claim, by=by, first=first))
    source = "lem:a" if by == "scalar" else "lem:d"
    assert lemma.main(["check", f"{path}:lem:b", "--seconds", "1", "--json", "--certificates", str(proofs)]) == status
    rows = {r["name"]: r for r in json.loads(capsys.readouterr().out)["results"]}
    assert rows["lem:b"]["verdict"] == (f"PROVED given {source} ({word})" if word else "PROVED")
    assert f"PROVED given {source} ({word})" in render(str(path), 1.0).replace("\\", "") or not word
    files = [row["certificate"] for row in rows.values() if row["certificate"]]
    assert lemma.main(["verify", *files]) == 3
    assert "given lem:a (UNDECIDED)" in " ".join(capsys.readouterr().out.split())  # the printed form is not enough


@pytest.mark.parametrize(("claim", "word", "status"), WEAK)
def test_pytest_lets_no_form_pass_that_does_not_hold(tmp_path, pytester, claim, word, status):
    path = tmp_path / "own.toml"
    path.write_text(USED.format(claim=claim, by="cite lem:d 1", first=""))
    result = pytester.runpytest_inprocess(
        "--boundcheck", str(path), "--boundcheck-seconds", "1", "-k", "lem:b and claim", "-v"
    )
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines([f"verdict    PROVED given lem:d ({word}) by *"])


@pytest.mark.usefixtures("one_process")
@pytest.mark.parametrize(
    ("kind", "own"),
    [('literature = "A. Author, Some Book"', "CITED"), ('kind = "assumption"', "ASSUMED"), ("", "PROVED")],
)
@pytest.mark.parametrize(("claim", "word", "status"), CLAIMS)
def test_what_is_taken_as_given_is_the_printed_form(tmp_path, capsys, claim, word, status, kind, own):
    """The form that the uses need is no hypothesis of the paper and stands in no book: it is to be proved."""
    text = USED.format(claim=claim, by="scalar", first="")
    text = text.replace("[statement.as_used]\n", '[statement.as_used]\nkind = "lemma"\n')
    path = tmp_path / "own.toml"
    path.write_text(text.replace('label = "lem:a"\n', f'label = "lem:a"\n{kind}\n'))
    assert lemma.main(["check", f"{path}:lem:b", "--seconds", "1", "--json"]) == status
    rows = {r["name"]: r for r in json.loads(capsys.readouterr().out)["results"]}
    assert rows["lem:a"]["verdict"] == own
    assert rows["lem:b"]["verdict"] == (f"PROVED given lem:a ({word})" if word else "PROVED")


# The catalogue, with a premise whose stored verdict is put there


@pytest.fixture
def leaning(monkeypatch, tmp_path):
    """(label, premise): a proved statement of the catalogue whose premise is stored as UNDECIDED."""
    data = decisions.load()
    found = data["decisions"]
    label, premise = next(
        (label, cited)
        for label, s in catalogue().items()
        if found[label]["verdict"] == "PROVED"
        for step in s.steps
        if isinstance(step.by, Cite) and found.get(cited := step.by.label, {}).get("verdict") == "PROVED"
    )
    found[premise]["verdict"] = "UNDECIDED"
    path = tmp_path / "decisions.json"
    path.write_text(json.dumps(data))
    real = decisions.load
    monkeypatch.setattr(decisions, "load", lambda _=path: real(path))
    return label, premise


def test_show_and_list_tell_it_of_the_catalogue(leaning, capsys):
    label, premise = leaning
    assert lemma.main(["show", label]) == 0
    out = " ".join(capsys.readouterr().out.split())
    assert f"PROVED given {premise} (UNDECIDED)" in out
    assert lemma.main(["list"]) == 0
    assert "PROVED given what does not hold or is open" in " ".join(capsys.readouterr().out.split())


def test_no_proof_of_the_catalogue_leans_on_what_is_open(capsys):
    stored = decisions.current(catalogue(), decisions.load()["decisions"])
    assert [label for label in catalogue() if premises.stored_given(label, stored)] == []


def test_the_report_on_the_catalogue_tells_it(leaning):
    label, premise = leaning
    found = load()
    record = next(s for s in context(catalogue(), found)["statements"] if s["label"] == label)
    assert f"{premise} (UNDECIDED)" in record["given"]
    pages, _ = drafts(catalogue(), found, [], "REPORT.md")
    front = pages["REPORT.md"]
    assert f"PROVED given {premise} (UNDECIDED)" in front and "rest on what does not hold or is open" in front
    own = next(text for name, text in pages.items() if text.startswith(f"# {label}\n"))
    assert f"Given {premise} (UNDECIDED)" in own


def test_a_verdict_of_the_catalogue_that_leans_is_not_as_recorded():
    label = next(iter(catalogue()))
    stored = decisions.load()["decisions"][label]
    verdict = Verdict(label, Status(stored["verdict"]), as_used=None)
    if stored["as_used"] is None:
        assert decisions.as_recorded(catalogue()[label], stored, verdict)
    leaning = Verdict(label, Status(stored["verdict"]), given=(("lem:x", "UNDECIDED"),))
    assert not decisions.as_recorded(catalogue()[label], stored, leaning)


def test_what_the_catalogue_has_no_current_decision_of_is_open(monkeypatch):
    label = next(iter(catalogue()))
    assert premises.recorded(label) and premises.recorded("lem:of-a-file") == ""
    monkeypatch.setattr(decisions, "load", lambda: {"decisions": {}})
    assert premises.recorded(label) == "UNDECIDED"


# Certificates that lean on each other


def cited(label, by):
    return Statement(
        label,
        "t",
        "lemma",
        "p",
        "x",
        claims=(Fact("x >= 1"),),
        declares={"x": "real"},
        steps=(Step(Fact("x >= 1"), Cite(by)),),
    )


def test_a_circle_of_certificates_proves_nothing():
    """Two valid certificates of one false claim, each given the other."""
    from boundcheck.written import encode

    a, b = cited("a", "b"), cited("b", "a")
    circle = [{"kind": "statement", "statement": encode(s), "cited": [encode(t)]} for s, t in ((a, b), (b, a))]
    weak = verify._weak_premises(circle)
    assert all(("b", "UNDECIDED") in w or ("a", "UNDECIDED") in w for w in weak) and all(weak)


def test_wording():
    assert worded("PROVED", ()) == "PROVED"
    assert worded("PROVED", (("a", "REFUTED"), ("b", "UNDECIDED"))) == "PROVED given a (REFUTED), b (UNDECIDED)"
