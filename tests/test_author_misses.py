"""Lines for which no reason is found: what is told of them, that they are searched once, and when they are again."""

import importlib
import os
from pathlib import Path

import pytest
from slow import apart, more

from boundcheck.author import misses
from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.clock import budget
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.paper import lookup
from boundcheck.user_files import load
from boundcheck.verdict import Status

pytestmark = pytest.mark.usefixtures("no_worlds")
elaborate_module = importlib.import_module("boundcheck.author.elaborate")
HEAD = '[[statement]]\nlabel = "lem:own"\nparameters = ["V >= 0", "r > 0"]\nrandom = ["Z"]\n'
HEAD += 'hypotheses = {moment = "E(Z**2) <= V"}\nclaims = ["P(abs(Z) > r) <= V/r**2"]\n'
CHEBYSHEV = "square: E(abs(Z)**2) <= V\nP(abs(Z) > r)\n  <= E(abs(Z)**2)/r**2   by Markov\n  <= V/r**2"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOUNDCHECK_CACHE", str(tmp_path / "cache"))


def written(tmp_path, proof: str, head: str = HEAD) -> str:
    path = tmp_path / "own.toml"
    path.write_text(f"{head}proof = '''\n{proof}\n'''\n")
    return str(path)


NEAREST = {
    # what is wrong, and what is told of it; it was a premise that nobody means, or a rule on the way
    "a sign": ("E(Z**2) <= V - E(Z)**2", "scalar from facts: conclusion: E(Z**2) <= V - E(Z)**2 where V >= 0, "),
    "a constant": (
        "E(abs(Z)**2)/r**2 <= V/(2*r**2)",
        "scalar from facts: conclusion: E(Z**2)/r**2 <= V/(2*r**2) where V >= 0, r > 0, E(Z**2) <= V",
    ),
    "no mean": ("E(X) <= E(Y)", "expectation monotone: nothing shows that X is integrable"),
    "another event": (
        "P(W >= r/2) <= E(W)/r  by Markov",
        "rule: Markov: implication of events: W >= r where r > 0, W >= r/2",
    ),
    "a step left out": ("(1 - q)*a(1) + V <= (1 - q)**2*a(0) + V  by step", "scalar from facts: "),
    "no gradient": ("f(x - u) <= f(x) - dot(g(x), u) + V/2*norm(u)**2  by descent lemma", "descent lemma fits; its "
        "premise is missing: gradient(f, g) == 1"),
    "no independence": ("E(X*Y) == E(X)*E(Y)", "scalar from facts: conclusion: E(X*Y) == E(X)*E(Y)"),
}  # fmt: skip


@pytest.mark.parametrize("wrong", apart(NEAREST, *({*NEAREST} - {"another event", "no independence"})))
def test_what_is_told_of_a_line_points_at_what_is_wrong(tmp_path, wrong):
    line, told = NEAREST[wrong]
    head = HEAD.replace('random = ["Z"]', 'declares = {Z = "random real", X = "random real", Y = "random real", '
        'W = "random real", a = "integer -> real", f = "vector -> real", g = "vector -> vector", x = "vector", '
        'u = "vector"}').replace('"r > 0"]', '"r > 0", "0 < q", "q < 1"]')  # fmt: skip
    head = head.replace('"E(Z**2) <= V"}', '"E(Z**2) <= V", bound = "abs(X) <= Y", positive = "W >= 0", '
        'mean = "integrable(W) == 1", step = "a(t + 1) <= (1 - q)*a(t) + V for integer t where t >= 0", '
        'smooth = "norm(g(v) - g(w)) <= V*norm(v - w) for vector v, vector w"}')  # fmt: skip
    first, *_ = load(written(tmp_path, line, head)).remarks
    assert f"closest: {told}" in first


def test_a_square_inside_of_a_mean_is_multiplied_out(tmp_path):
    head = HEAD.replace("{moment", '{mean = "integrable(Z) == 1", square = "integrable(Z**2) == 1", moment')
    head = head.replace("P(abs(Z) > r) <= V/r**2", "E((Z - E(Z))**2) == E(Z**2) - E(Z)**2")
    file = load(written(tmp_path, "E((Z - E(Z))**2) == E(Z**2) - E(Z)**2", head))
    assert not any("no reason" in r for r in file.remarks)
    assert decide_statement(file.statements["lem:own"], file.lookup, 2.0, 0.0).status is Status.PROVED


# ---------------------------------------------------------------- lines without a reason

NO_REASON = "V <= 7"  # soon known to have none, and of no use to the lines after it


@pytest.fixture
def searches(monkeypatch):
    """The lines that are searched, in their order."""
    found, real = [], elaborate_module.find

    def find(draft, goal, hint):
        found.append(goal.fact.claim)
        return real(draft, goal, hint)

    monkeypatch.setattr(elaborate_module, "find", find)
    return found


def test_a_line_without_a_reason_is_searched_once(tmp_path, searches):
    proof = f"{NO_REASON}\n{CHEBYSHEV}"
    first = load(written(tmp_path, proof)).remarks
    assert NO_REASON in searches and any("no reason found" in r for r in first)
    searches.clear()
    path = Path(written(tmp_path, proof))
    os.utime(path, ns=(1, 1))  # another version of the same text
    assert load(str(path)).remarks == first
    assert searches == []


@pytest.mark.parametrize(
    "change",
    (
        lambda head, proof: (head, proof.replace(NO_REASON, f"{NO_REASON}  by moment")),
        more(lambda head, proof: (head, f"V + r > 0\n{proof}")),
        lambda head, proof: (
            head.replace("E(Z**2) <= V", "E(Z**2) <= r**2"),
            proof.replace(CHEBYSHEV, CHEBYSHEV.replace("V", "r**2")),
        ),
        more(lambda head, proof: (head.replace("V >= 0", "V > 0"), proof)),
    ),
)
def test_a_line_without_a_reason_is_searched_when_what_it_depends_on_changes(tmp_path, searches, change):
    proof = f"{NO_REASON}\n{CHEBYSHEV}"
    load(written(tmp_path, proof))
    searches.clear()
    head, proof = change(HEAD, proof)
    path = Path(written(tmp_path, proof, head))
    os.utime(path, ns=(1, 1))
    load(str(path))
    assert NO_REASON in searches


def test_a_changed_program_searches_again(tmp_path, searches, monkeypatch):
    path = Path(written(tmp_path, f"{NO_REASON}\n{CHEBYSHEV}"))
    load(str(path))
    searches.clear()
    monkeypatch.setattr(misses, "program", lambda: "another")
    os.utime(path, ns=(1, 1))
    load(str(path))
    assert searches == [NO_REASON]


def test_what_a_spent_budget_does_not_find_is_searched_again():
    statement = Statement(
        "lem:own", "", "lemma", "own", "", claims=(Fact("E(Z) <= 1"),), declares={"Z": "random real"}
    )
    with budget(0.0):
        made = elaborate(statement, read_proof("E(Z) <= 1"), lookup)
    assert made.faults and made.misses == ()


def test_a_reason_for_what_a_lemma_said_before_is_searched_again(tmp_path):
    used = HEAD.replace("lem:own", "lem:used") + f"proof = '''\n{CHEBYSHEV}\n'''\n"
    own = HEAD.replace("Z", "Y") + "proof = '''\nP(abs(Y) > r) <= V/r**2  by lem:used\n'''\n"
    path = tmp_path / "own.toml"
    path.write_text(used + own)
    assert load(str(path)).remarks == ()
    path.write_text(used.replace("Z", "W") + own)
    os.utime(path, ns=(1, 1))
    file = load(str(path))
    assert file.remarks == ()
    assert decide_statement(file.statements["lem:own"], file.lookup, 2.0, 0.0).status is Status.PROVED


def test_a_mean_that_a_rule_lacks_is_told(tmp_path):
    """Of Egiven(g - v, H) it was told that it is not 0, and not that v may have no mean."""
    declares = 'declares = {Z = "random real", g = "random real", v = "random real", H = "information"}'
    head = HEAD.replace('random = ["Z"]', declares)
    head = head.replace('"E(Z**2) <= V"}', '"E(Z**2) <= V", unbiased = "Egiven(g, H) == v"}')
    first, *_ = load(written(tmp_path, "Egiven(g - v, H) == 0", head)).remarks
    assert "closest: conditional expectation of a sum: nothing shows that -v is integrable" in first
