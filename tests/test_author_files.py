"""FILE.toml with [[statement]]: decided, falsehoods caught, kept; the first line of each kind of error."""

import importlib
import json
import os
import re
import tomllib
from dataclasses import replace
from pathlib import Path

import pytest
from slow import more

from boundcheck.author import cache
from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.author.toml import read_statements
from boundcheck.author.twins import apply_twin
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.statement import Parameter, Statement
from boundcheck.lemma import main
from boundcheck.paper import lookup
from boundcheck.user_files import OwnFault, load
from boundcheck.verdict import Status

elaborate_module = importlib.import_module("boundcheck.author.elaborate")
EXAMPLES = Path(__file__).parent.parent / "examples" / "lemmas.toml"
SHARED = os.environ["BOUNDCHECK_CACHE"]  #: empty when the run begins; the reasons of the examples are searched once
HEAD = '[[statement]]\nlabel = "lem:own"\nparameters = ["V >= 0", "r > 0"]\nrandom = ["Z"]\n'
HEAD += 'hypotheses = {moment = "E(Z**2) <= V"}\nclaims = ["P(abs(Z) > r) <= V/r**2"]\n'


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOUNDCHECK_CACHE", str(tmp_path / "cache"))


def written(tmp_path, proof: str, head: str = HEAD) -> str:
    path = tmp_path / "own.toml"
    path.write_text(f"{head}proof = '''\n{proof}\n'''\n")
    return str(path)


@pytest.mark.thorough
def test_examples_are_proved_and_each_of_their_falsehoods_is_not(monkeypatch):
    monkeypatch.setenv("BOUNDCHECK_CACHE", SHARED)
    file = load(str(EXAMPLES))
    assert file.remarks == ()
    assert len(file.statements) == 14
    for table in tomllib.loads(EXAMPLES.read_text())["statement"]:
        assert len(table["proof"].strip().splitlines()) <= 15, table["label"]
    for label, statement in file.statements.items():
        assert decide_statement(statement, file.lookup, 20.0, 0.0).status is Status.PROVED, label
        assert statement.twins, label
        for twin in statement.twins:
            found = decide_statement(apply_twin(statement, twin), file.lookup, 2.0, 0.0)
            assert found.status is not Status.PROVED, (label, twin.what)


def test_a_file_says_its_part_once_and_a_label_what_is_no_lemma(tmp_path):
    tables = [
        HEAD.replace("lem:own", label) + f"{more}proof = '''\n{CHEBYSHEV}\n'''\n"
        for label, more in (
            ("thm:own", ""),
            ("rem:own", 'part = "Other"\n'),
            ("lem:own", 'kind = "corollary"\n'),
            ("ass:own", ""),  # an assumption says that it is one
        )
    ]
    path = tmp_path / "own.toml"
    path.write_text('part = "Tails"\n' + "".join(tables))
    found = [(s.kind, s.part) for s in load(str(path)).statements.values()]
    assert found == [("theorem", "Tails"), ("remark", "Other"), ("corollary", "Tails"), ("lemma", "Tails")]


def test_a_hint_may_name_a_rule_whose_name_has_a_comma():
    (chain,) = read_proof("integrable(X) == 1 by integrable, tail, tail of X")
    hint = chain.links[0].hint
    assert ([i.name for i in hint.items], hint.size) == (["integrable, tail", "tail of X"], 2)


@pytest.mark.usefixtures("one_process")
def test_the_template_passes(tmp_path, monkeypatch, capsys):
    monkeypatch.chdir(tmp_path)
    assert main(["new", "mine.toml"]) == 0
    assert main(["check", "mine.toml"]) == 0
    assert "PROVED      lem:mine-chebyshev" in capsys.readouterr().out


CHEBYSHEV = "square: E(abs(Z)**2) <= V\nP(abs(Z) > r)\n  <= E(abs(Z)**2)/r**2   by Markov\n  <= V/r**2"


@pytest.mark.usefixtures("no_worlds")
def test_what_was_found_is_kept_and_a_changed_file_proves_nothing(tmp_path):
    path = written(tmp_path, CHEBYSHEV)
    first = load(path).statements["lem:own"]
    (kept,) = cache.folder().glob("*.json")
    data = json.loads(kept.read_text())
    assert data["own"]["lines"][0]["kind"]
    data["own"]["steps"][-1]["fact"]["claim"] = "P(abs(Z) > r) <= 0"
    kept.write_text(json.dumps(data))
    file = load(written(tmp_path, CHEBYSHEV))
    again = file.statements["lem:own"]
    assert again.claims == first.claims
    assert again.steps[-1].fact.claim == "P(abs(Z) > r) <= 0"
    assert decide_statement(again, file.lookup, 2.0, 0.0).status is not Status.PROVED


def test_a_line_that_has_not_changed_is_not_searched_again(tmp_path, monkeypatch):
    load(written(tmp_path, CHEBYSHEV))
    searched = []
    find = elaborate_module.find
    monkeypatch.setattr(
        elaborate_module, "find", lambda draft, goal, hint: searched.append(goal.fact.claim) or find(draft, goal, hint)
    )
    more = "root: sqrt(V) >= 0\n" + CHEBYSHEV
    file = load(written(tmp_path, more))
    assert searched == ["sqrt(V) >= 0"]
    assert decide_statement(file.statements["lem:own"], file.lookup, 2.0, 0.0).status is Status.PROVED


SETTING = """
[setting.moment]
source = "Assumption 1"
parameters = ["V >= 0"]
random = ["Z"]
hypotheses = {moment = "E(Z**2) <= V"}

[[statement]]
label = "lem:own"
settings = ["moment"]
parameters = ["r > 0"]
claims = ["P(abs(Z) > r) <= V/r**2"]
proof = "P(abs(Z) > r)\\n  <= E(abs(Z)**2)/r**2   by Markov\\n  <= V/r**2   by moment"
"""


def test_a_setting_is_written_once_and_its_hypotheses_keep_their_place(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(SETTING)
    file = load(str(path))
    statement = file.statements["lem:own"]
    assert [q.symbol for q in statement.parameters] == ["V", "r"]
    assert statement.places == {"moment": "Assumption 1"}
    assert decide_statement(statement, file.lookup, 2.0, 0.0).status is Status.PROVED


@pytest.mark.parametrize(
    ("change", "word"),
    [
        (('settings = ["moment"]', 'settings = ["momnet"]'), "no setting is called momnet; did you mean moment?"),
        (('parameters = ["r > 0"]', 'parameters = ["r > 0"]\nhypotheses = {moment = "E(Z**2) <= 2*V"}'), "two names"),
        (('source = "Assumption 1"', "source = 1"), "source is a text"),
        (('source = "Assumption 1"', 'sorce = "Assumption 1"'), "key sorce is not known"),
        (('source = "Assumption 1"', 'extends = ["moment", "moment"]'), "moment extends itself"),
    ],
)
def test_a_setting_that_does_not_fit_is_told(tmp_path, change, word):
    path = tmp_path / "own.toml"
    path.write_text(SETTING.replace(*change))
    with pytest.raises(OwnFault, match=re.escape(word)):
        load(str(path))


def test_a_setting_that_many_ways_lead_to_is_read_once(tmp_path):
    """Each of forty extends the next one twice over: 2**20 ways at the depth that is read."""
    path = tmp_path / "own.toml"
    chain = [f'[setting."s{n}"]\nextends = ["s{n + 1}", "t{n + 1}"]\n' for n in range(19)]
    chain += [f'[setting."t{n}"]\nextends = ["s{n + 1}", "t{n + 1}"]\n' for n in range(1, 19)]
    chain += ['[setting."s19"]\nextends = ["moment"]\n[setting."t19"]\nextends = ["moment"]\n']
    path.write_text("".join(chain) + SETTING.replace('settings = ["moment"]', 'settings = ["s0"]'))
    [statement] = load(str(path), search=False).statements.values()
    assert [q.symbol for q in statement.parameters] == ["V", "r"] and list(statement.hypotheses) == ["moment"]


def test_the_assumptions_of_a_setting_are_those_of_its_statements(tmp_path):
    path = tmp_path / "own.toml"
    text = SETTING.replace('parameters = ["V >= 0"]', 'assumes = ["ass:sample-smooth"]\nparameters = ["V >= 0"]')
    path.write_text(
        text.replace('claims = ["P', 'assumes = ["ass:hp-shared-prob", "ass:sample-smooth"]\nclaims = ["P')
    )
    assert load(str(path)).statements["lem:own"].assumes == ("ass:sample-smooth", "ass:hp-shared-prob")


AGAIN = (
    SETTING
    + """
[[statement]]
label = "thm:again"
title = "In other words"
restates = "lem:own"
"""
)


def test_a_statement_that_restates_another_says_the_same_and_cites_it(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(AGAIN)
    file = load(str(path))
    own, again = file.statements["lem:own"], file.statements["thm:again"]
    assert (again.claims, again.hypotheses, again.parameters) == (own.claims, own.hypotheses, own.parameters)
    assert again.cites == ("lem:own",) and again.kind == "theorem" and again.title == "In other words"
    assert decide_statement(again, file.lookup, 2.0, 0.0).status is Status.PROVED


@pytest.mark.usefixtures("no_worlds")
def test_a_restatement_with_another_claim_is_not_proved(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(AGAIN + 'claims = ["P(abs(Z) > r) <= V/(2*r**2)"]\n')
    file = load(str(path))
    assert decide_statement(file.statements["thm:again"], file.lookup, 2.0, 0.0).status is not Status.PROVED


@pytest.mark.parametrize("label", ["lem:other", "thm:again"])
def test_a_restatement_of_nothing_is_told(tmp_path, label):
    path = tmp_path / "own.toml"
    path.write_text(AGAIN.replace('restates = "lem:own"', f'restates = "{label}"'))
    with pytest.raises(OwnFault, match=f"restates: no statement of this file.*{label}"):
        load(str(path))


def test_a_range_before_its_relation_is_told(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(SETTING.replace("E(Z**2) <= V", "for all t: E(Z**2) <= V"))
    with pytest.raises(OwnFault, match="the relation comes first"):
        load(str(path))


def test_functions_of_papers_are_told_in_hypotheses_and_claims(tmp_path):
    path = tmp_path / "own.toml"
    path.write_text(SETTING.replace("E(Z**2) <= V", "Var(Z) <= V").replace('claims = ["P(', 'claims = ["Prob('))
    with pytest.raises(OwnFault) as caught:
        load(str(path))
    assert "hypotheses.moment: column 1: unknown function Var; write E((X - E(X))**2)" in str(caught.value)
    assert "claims[0]: column 1: unknown function Prob; write P(X > a)" in str(caught.value)


@pytest.mark.usefixtures("no_worlds")
@pytest.mark.parametrize(
    ("proof", "word"),
    [
        ("P(abs(Z) > r) <= V/(2*r**2)   by moment", "no reason found for P(abs(Z) > r) <= V/(2*r**2)"),
        ("x**2 >= 2*x  for x", "closest: scalar: step: x**2 >= 2*x"),
        more("E(abs(Z)**2) <= V  by momnet", "'momnet' is not known here; did you mean moment?"),
        ("E(abs(Z)**2) <= V  by linearity", "rules about it: expectation scale, "),
        ("r <= V for t where t > 0  by induction", "induction runs over a whole number with a least value; write"),
        ("P(abs(Z) > r) <= V/r**2  by Tonelli", "no reason found for P(abs(Z) > r) <= V/r**2"),
    ],
)
def test_a_line_without_a_reason_says_what_came_closest(tmp_path, proof, word):
    remarks = load(written(tmp_path, proof)).remarks
    assert any(word in line and "own.toml: lem:own: line 8 column" in line for line in remarks), remarks


FIRST_LINES = {
    "P(abs(Z) > r)*r**2 <= V": "23: no reason found for P(abs(Z) > r)*r**2 <= V; closest: scalar: "
    "conclusion: P(r < abs(Z))*r**2 <= V where V >= 0, r > 0, P(r < abs(Z)) >= 0, P(r < abs(Z)) <= 1",
    "E(abs(Z)**2) <= V  by momnet": "17: no reason found for E(abs(Z)**2) <= V; closest: 'momnet' is not known here; "
    "did you mean moment?",
    "P(abs(Z) > r) <= V/r**2  by triangle": "18: no reason found for P(abs(Z) > r) <= V/r**2; closest: triangle says "
    "norm(v + w) <= norm(v) + norm(w), which does not fit; its values may be told: with v = ...; w = ...",
    "norm(Z) <= V": "12: no reason found for norm(Z) <= V: Z is a number, a vector is wanted in norm(Z)",
    "u <= V  by moment": "6: no reason found for u <= V: u is a vector, a number is wanted in u <= V",
}
FALSE_LINES = {
    "E(Z**2) <= V - 1  by moment": "12: no reason found for E(Z**2) <= V - 1: it is false where V = 0, Z = 0; "
    "closest: scalar from facts: "
    "conclusion: E(Z**2) <= V - 1 where V >= 0, E(Z**2) <= V",
    "P(abs(Z) > r) <= P(abs(Z) > V)   by larger level": "18: no reason found for P(abs(Z) > r) <= P(abs(Z) > V): "
    "it is false where V = 1, r = 1/2, Z = 1; "
    "closest: larger level fits; its premise is missing: V <= r",
}


def first_line(tmp_path, proof: str) -> str:
    head = HEAD.replace('random = ["Z"]', 'declares = {Z = "random real", u = "random vector"}')
    first, *_ = load(written(tmp_path, proof, head)).remarks
    return first.partition("lem:own: line 8 column ")[2]


@pytest.mark.usefixtures("no_worlds")
@pytest.mark.parametrize("proof", FIRST_LINES)
def test_the_first_line_of_an_error_in_full(tmp_path, proof):
    """A line too far a jump, a misspelt fact, a wrong hint or sort."""
    assert first_line(tmp_path, proof) == FIRST_LINES[proof]


@pytest.mark.parametrize("proof", FALSE_LINES)
def test_the_first_line_of_an_error_of_a_false_line_in_full(tmp_path, proof):
    """One that is never true, and one for which a premise is not there."""
    assert first_line(tmp_path, proof) == FALSE_LINES[proof]


@pytest.mark.usefixtures("no_worlds")
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


def test_what_a_symbol_means_is_said_once_and_a_statement_may_say_otherwise(tmp_path):
    path = tmp_path / "own.toml"
    shared = '[meanings]\nV = "variance"\nr = "level"\n' + HEAD + 'meanings = {r = "threshold"}\n'
    path.write_text(f"{shared}proof = '''\n{CHEBYSHEV}\n'''\n")
    found = load(str(path))
    assert {q.symbol: q.meaning for q in found.statements["lem:own"].parameters} == {"V": "variance", "r": "threshold"}
    assert found.remarks == ()
    path.write_text("meanings = 3\n" + HEAD + "proof = ''\n")
    with pytest.raises(OwnFault, match="meanings: a table of texts is wanted"):
        load(str(path))


def test_a_name_is_declared_once(tmp_path):
    """E(X**2) == X**2 was proved of an X that stands among what is random."""
    text = '[[statement]]\nlabel = "lem:own"\nrandom = ["X"]\ndeclares = {X = "real"}\nclaims = ["E(X**2) == X**2"]\n'
    file = tmp_path / "own.toml"
    file.write_text(text)
    with pytest.raises(OwnFault, match="X is in random already, and here real"):
        load(str(file))
    file.write_text(text.replace('"real"', '"random real"'))
    assert load(str(file), search=False).statements["lem:own"].declares == {"X": "random real"}


@pytest.mark.usefixtures("no_worlds")
def test_a_term_over_0_ends_in_no_traceback(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text(
        '[[statement]]\nlabel = "lem:own"\nrandom = ["X"]\nparameters = ["a"]\nclaims = ["a <= a + 1"]\n'
        "proof = '''\nE(X**2/(a - a)) == 0\na <= a + 1\n'''\n"
    )
    assert load(str(file)).remarks


@pytest.mark.parametrize("range_", ["s, t >= 0", "t >= 0, s", "s, t >= 0 where s <= 1", "integer s, t >= 0"])
def test_a_range_names_what_it_is_for_before_its_conditions(tmp_path, range_):
    """f(s) <= f(t) for s, t >= 0 was assumed of every s, also below 0, and of the t of the statement alone."""
    file = tmp_path / "own.toml"
    text = (
        '[[statement]]\nlabel = "lem:own"\nparameters = ["t >= 0"]\ndeclares = {f = "real -> real"}\n'
        f'hypotheses = {{rise = "f(s) <= f(t) for {range_}"}}\nclaims = ["f(-1) <= f(t)"]\n'
        "proof = '''\nf(-1) <= f(t)  by [rise at s = -1]\n'''\n"
    )
    file.write_text(text)
    with pytest.raises(OwnFault, match="t >= 0 is about none of s; write: for"):
        load(str(file))


def test_the_event_of_a_block_is_one_relation(tmp_path):
    """on {0 < Z < 1} held its lines under 0 < Z alone."""
    with pytest.raises(OwnFault, match="one relation"):
        load(written(tmp_path, "on {0 < Z < 1}:\n  Z <= Z"))


def test_a_label_has_no_letters_that_look_like_others(tmp_path):
    with pytest.raises(OwnFault, match="a label such as"):
        load(written(tmp_path, CHEBYSHEV, HEAD.replace("lem:own", "lem:\u043ewn")))


def test_the_integer_of_a_parameter_is_the_one_that_is_named_first(tmp_path):
    """integer t <= n, with a t that is known, said of n that it is whole: n >= 1/2 if n > 0 was PROVED."""
    file = tmp_path / "own.toml"
    text = (
        '[[statement]]\nlabel = "lem:own"\nparameters = ["t >= 0", "n > 0", "integer t <= n"]\nclaims = ["t <= n"]\n'
    )
    file.write_text(text)
    found = load(str(file), search=False).statements["lem:own"].parameters
    assert [(q.symbol, q.integer) for q in found] == [("t", True), ("n", False)]
    file.write_text(text.replace('"n > 0", ', ""))
    with pytest.raises(OwnFault, match="n is not declared"):
        load(str(file), search=False)
    file.write_text(text.replace('"t >= 0", "n > 0", "integer t <= n"', '"integer 1 <= t <= n", "n < 9"'))
    found = load(str(file), search=False).statements["lem:own"].parameters
    assert [(q.symbol, q.integer) for q in found] == [("t", True), ("n", False)]


@pytest.mark.parametrize("texts", [("T >= 1", "integer T"), ("integer T", "T >= 1"), ("integer T", "T", "T >= 1")])
def test_a_parameter_that_is_named_again_keeps_its_domain(tmp_path, texts):
    """T >= 1 was dropped where "integer T" came behind it, and T + 1 >= 2 was REFUTED at T = 0."""
    file = tmp_path / "own.toml"
    file.write_text(f'[[statement]]\nlabel = "lem:own"\nparameters = {list(texts)}\nclaims = ["T + 1 >= 2"]\n')
    (found,) = load(str(file), search=False).statements["lem:own"].parameters
    assert (found.symbol, found.domain, found.integer) == ("T", ("T >= 1",), True)


@pytest.mark.usefixtures("no_worlds")
def test_a_hypothesis_on_a_range_is_met_within_it(tmp_path):
    """Beyond the range X[i] need not have a mean, and what is said of it is 0 by convention, or nothing."""
    head = HEAD.split("parameters")[0] + 'parameters = ["integer T >= 3", "q > 0"]\n'
    head += 'declares = {X = "integer -> random real"}\n'
    head += 'hypotheses = {means = "integrable(X[i]) == 1 for integer i where i >= 1, i <= T", '
    head += 'size = "E(X[i]) <= q for integer i where i >= 1, i <= T"}\n'
    head += 'claims = ["E(X[t] + X[2]) <= 2*q for integer t where 2 <= t, t < T", "E(sum(X[i], i, 1, T)) <= T*q"]\n'
    proof = "E(X[t] + X[2]) for integer t where 2 <= t, t < T\n  == E(X[t]) + E(X[2])\n  <= 2*q\n"
    proof += "E(sum(X[i], i, 1, T))\n  == sum(E(X[i]), i, 1, T)\n  <= sum(q, i, 1, T)\n  <= T*q"
    file = load(written(tmp_path, proof, head))
    statement = file.statements["lem:own"]
    assert decide_statement(statement, file.lookup, 2.0, 0.0).status is Status.PROVED
    means = statement.hypotheses["means"]
    for where in (("i >= 2", "i <= T"), ("i >= 1", "i < T"), ("i >= 1", "i <= 3*T/4"), ("i >= 1", "i == T")):
        narrow = replace(statement, hypotheses={**statement.hypotheses, "means": replace(means, where=where)})
        assert decide_statement(narrow, file.lookup, 2.0, 0.0).status is not Status.PROVED, where


@pytest.mark.parametrize(
    ("more", "told"),
    [
        ('exists = [{constant = "C", claim = "V <= C", families = ["x"]}]', "exists[0].families: write {name = "),
        ('exists = [{constant = "C", claim = "V <= C", families = 3}]', "exists[0].families: write {name = "),
        ('twins = [{what = "half", change = {V = "V/2"}, world = "x"}]', "twins[0]: write world = {x = "),
    ],
)
def test_a_table_of_another_shape_is_told(more, told):
    """It ended in an error."""
    head = '[[statement]]\nlabel = "lem:own"\nparameters = ["V >= 0"]\nclaims = ["V >= 0"]\n'
    written, faults = read_statements(tomllib.loads(head + more), "own.toml", head, print)
    assert written == [] and len(faults) == 1 and told in faults[0]


@pytest.mark.parametrize(("more", "told"), [("", True), ("\nx <= 1", False)])
def test_what_is_used_is_not_told_while_a_line_is_open(tmp_path, more, told):
    head = (
        '[[statement]]\nlabel = "lem:own"\ntitle = "t"\ntext = "t"\nparameters = ["x"]\n'
        'hypotheses = {above = "x >= 0"}\nclaims = ["x**2 >= 0"]\n'
    )
    remarks = load(written(tmp_path, f"x**2 >= 0{more}", head)).remarks
    assert any("above is never used" in line for line in remarks) is told, remarks


def test_a_word_of_the_language_is_not_declared(tmp_path):
    """Subgradients are called sub, which is the word for a difference: each formula with it was called wrong."""
    file = tmp_path / "own.toml"
    declared = 'declares = {sub = "vector -> vector", u = "vector"}\nclaims = ["norm(sub(u)) >= 0"]\n'
    file.write_text(f'[[statement]]\nlabel = "lem:own"\n{declared}')
    told = "declares: sub is a word of the language and cannot be declared: call it sub0, say"
    with pytest.raises(OwnFault, match=told):
        load(str(file))


def test_a_statement_has_no_source_of_its_own(tmp_path):
    file = tmp_path / "own.toml"
    file.write_text('[[statement]]\nlabel = "lem:own"\nsource = "a paper"\nclaims = ["0 <= 1"]\n')
    told = load(str(file), search=False).remarks
    assert any("key source is not read; a setting has a source; of a statement write it in note" in r for r in told)
