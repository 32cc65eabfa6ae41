"""FILE.toml with [[statement]]: decided, falsehoods caught, kept, linted; the first line of each kind of error."""

import json
from pathlib import Path

import pytest

from boundcheck.author import cache, lint
from boundcheck.author.elaborate import elaborate
from boundcheck.author.notation import read_proof
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.statement import Fact, Parameter, Statement, Status
from boundcheck.lemma import main
from boundcheck.own import OwnFault, load
from boundcheck.paper import lookup
from boundcheck.twins import apply_twin

EXAMPLES = Path(__file__).parent.parent / "examples" / "lemmas.toml"
HEAD = '[[statement]]\nlabel = "lem:own"\nparameters = ["V >= 0", "r > 0"]\nrandom = ["Z"]\n'
HEAD += 'hypotheses = {moment = "E(Z**2) <= V"}\nclaims = ["P(abs(Z) > r) <= V/r**2"]\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOUNDCHECK_CACHE", str(tmp_path / "cache"))


def written(tmp_path, proof: str, head: str = HEAD) -> str:
    path = tmp_path / "own.toml"
    path.write_text(f"{head}proof = '''\n{proof}\n'''\n")
    return str(path)


def test_examples_are_proved_and_each_of_their_falsehoods_is_not():
    file = load(str(EXAMPLES))
    assert file.remarks == ()
    assert len(file.statements) == 5
    for label, statement in file.statements.items():
        assert decide_statement(statement, file.lookup, 4.0, 0.0).status is Status.PROVED, label
        assert statement.twins, label
        for twin in statement.twins:
            found = decide_statement(apply_twin(statement, twin), file.lookup, 2.0, 0.0)
            assert found.status is not Status.PROVED, (label, twin.what)


def test_the_template_passes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.toml"]) == 0
    assert main(["check", "mine.toml"]) == 0
    assert "PROVED      lem:mine-chebyshev" in capsys.readouterr().out


CHEBYSHEV = "square: E(abs(Z)**2) <= V\nP(abs(Z) > r)\n  <= E(abs(Z)**2)/r**2   by Markov\n  <= V/r**2"


def test_what_was_found_is_kept_and_a_changed_file_proves_nothing(tmp_path):
    path = written(tmp_path, CHEBYSHEV)
    first = load(path).statements["lem:own"]
    (kept,) = cache.folder().glob("*.json")
    data = json.loads(kept.read_text())
    assert data["lines"][0]["kind"]
    data["statement"]["claims"][0]["claim"] = "P(abs(Z) > r) <= 0"
    kept.write_text(json.dumps(data))
    again = load(written(tmp_path, CHEBYSHEV + "\n")).statements["lem:own"]
    assert again.claims == first.claims


@pytest.mark.parametrize(
    ("proof", "word"),
    [
        ("P(abs(Z) > r) <= V/(2*r**2)   by moment", "no reason found for P(abs(Z) > r) <= V/(2*r**2)"),
        ("x**2 >= 2*x  for x", "closest: scalar: step: x**2 >= 2*x"),
        ("E(abs(Z)**2) <= V  by momnet", "'momnet' is not known here; did you mean moment?"),
        ("P(abs(Z) > r) <= V/r**2  by Tonelli", "no reason found for P(abs(Z) > r) <= V/r**2"),
    ],
)
def test_a_line_without_a_reason_says_what_came_closest(tmp_path, proof, word):
    remarks = load(written(tmp_path, proof)).remarks
    assert any(word in line and "own.toml: lem:own: line 8 column" in line for line in remarks), remarks


def test_a_missing_premise_is_named():
    statement = Statement(
        "lem:own", "", "lemma", "", "", (Parameter("r", "", ("r > 0",)),), {}, (),
        declares=dict.fromkeys("ZY", "random real"),
    )  # fmt: skip
    made = elaborate(statement, read_proof("P(Z > r) <= P(Z > Y)   by larger level"), lookup)
    (fault,) = made.faults
    assert "larger level fits; its premise is missing: Y <= r" in fault.fault


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (('label = "lem:own"', 'label = "own"'), "a label such as"),
        (("claims =", "claim ="), "claims: missing"),
        (('"V >= 0"', '"V >= "'), "parameters[0]: column 5"),
        (("E(Z**2) <= V", "E(Z**2)"), "hypotheses.moment"),
    ],
)
def test_faults_of_a_file_are_told_with_their_key(tmp_path, change, word):
    path = written(tmp_path, CHEBYSHEV, HEAD.replace(*change))
    with pytest.raises(OwnFault) as caught:
        load(path)
    assert word in str(caught.value)


def test_a_fault_in_a_proof_has_the_line_of_the_file(tmp_path):
    with pytest.raises(OwnFault, match=r"lem:own: proof: line 9 column 15: "):
        load(written(tmp_path, "P(abs(Z) > r)\n  <= V/r**2 **"))


def test_the_lint_tells_of_means_hypotheses_and_single_names():
    facts = {"a": Fact("E(u**2) <= V"), "b": Fact("Z <= W")}
    statement = Statement(
        "lem:own", "", "lemma", "", "", (Parameter("V", ""),), facts, (Fact("E(Z) <= V"),),
        declares=dict.fromkeys("uZW", "real"),
    )  # fmt: skip
    told = "\n".join(lint.remarks(statement))
    assert "nothing in E(u**2) is random; is u missing in random?" in told
    assert "W occurs once" in told
    made = elaborate(statement, read_proof("V <= V + 1"), lookup).statement
    assert "hypothesis b is never used" in "\n".join(lint.remarks(made))
