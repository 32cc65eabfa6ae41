"""Proofs as text: the reader's errors, found reasons, what a false line says."""

from dataclasses import replace
from pathlib import Path

import pytest
from slow import more

from boundcheck.author import inside
from boundcheck.author.elaborate import elaborate
from boundcheck.author.proof_reader import read_proof
from boundcheck.author.proof_records import Chain
from boundcheck.author.source import NotationError, Piece
from boundcheck.author.syntax import term, with_members
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.statement import Fact, Parameter, Statement
from boundcheck.paper import lookup
from boundcheck.verdict import Status

PROOFS = Path(__file__).parent / "data" / "proofs"


def header(*claims: str, hypotheses: dict[str, Fact] | None = None) -> Statement:
    """A statement without a proof about S > 0."""
    return Statement(
        "lem:own", "Own", "lemma", "own", "", (Parameter("S", "a scale", ("S > 0",)),),
        hypotheses or {}, tuple(Fact(c) for c in claims), declares={"Z": "random real"},
    )  # fmt: skip


def elaborated(text: str, statement: Statement):
    return elaborate(statement, read_proof(text), lookup)


@pytest.mark.parametrize(
    ("label", "file"),
    [
        ("lem:hp-shared-clipped-bias-abstract", "clipped-bias.proof"),
        more("lem:hp-shared-clipped-second-moment", "clipped-second-moment.proof"),
    ],
)
def test_a_proof_of_the_paper_as_text_is_proved_and_its_falsehood_is_not(label, file):
    printed = replace(lookup(label), declares={"Z": "random real"}, random=())  # the catalogue has no sorts yet
    made = elaborate(replace(printed, steps=(), concludes=()), read_proof((PROOFS / file).read_text()), lookup)
    assert [f.fault for f in made.faults] == []
    assert decide_statement(made.statement, lookup, 4.0, 0.0).status is Status.PROVED
    (claim,) = made.statement.claims
    wrong = replace(made.statement, claims=(Fact(claim.claim.replace("<= ", "<= 0.9*")),))
    assert decide_statement(wrong, lookup, 1.0, 0.0).status is not Status.PROVED


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("a <= b ** ** c", (1, 11), "expected"),
        ("let a = 2\nlet a = 3", (2, 5), "already"),
        ("E(X) <=\n", (1, 8), "missing"),
        ("x: E(X)", (1, 4), "relation"),
        ("on {X > 1}:\n", (1, 1), "empty"),
        ("on X > 1:\n    X > 0", (1, 4), "braces"),
        ("X <= Y for", (1, 11), "for what"),
        ("X <= Y by", (1, 10), "nothing"),
        ("X <= foo(Y)", (1, 6), "unknown function foo"),
        ("X <= Y exactly magic", (1, 16), "exactly"),
        ("X <= Y for wrong t", (1, 12), "no sort"),
        ("X <= Y for integer t >= 0", (1, 12), "write: for integer t where t >= 0"),
        ("inner(v, w) <= 1", (1, 1), "write dot(v, w)"),
        ("Var(X) <= 1", (1, 1), "write E((X - E(X))**2)"),
        ("X <= Y by lem:own with X = Z, r = 2*s", (1, 24), "semicolons: with X = Z; r = 2*s"),
        ("X <= Y by this with X = Z, that", (1, 28), "values stand last: by that, this with X = Z; r = 2*s"),
    ],
)
def test_an_error_names_line_and_column(text, place, word):
    with pytest.raises(NotationError) as caught:
        read_proof(text)
    assert (caught.value.place.line, caught.value.place.column) == place
    assert word in str(caught.value)


@pytest.mark.parametrize("line", ["let a# = b#*(b# + 1)", "let a# = max(b#, b# + 1)", "let a# = E(Z*b#)/b#"])
@pytest.mark.parametrize("number", [20, 200])
def test_abbreviations_of_abbreviations_that_double_are_refused_where_they_grow_too_long(line, number):
    def text(n):
        lines = [line.replace("a#", f"a{k + 1}").replace("b#", f"a{k}" if k else "S") for k in range(n)]
        return "\n".join([*lines, f"a{n} >= 0"])

    assert read_proof(text(3))
    with pytest.raises(NotationError, match="abbreviations written out it has more than") as caught:
        read_proof(text(number))
    assert caught.value.place.line < 20


def test_a_range_is_read_as_it_is_printed():
    """``show`` writes "for all"."""
    (said,), (printed,) = read_proof("X <= Y for t where t >= 0"), read_proof("X <= Y for all t where t >= 0")
    assert said.range == printed.range


@pytest.mark.parametrize(
    ("text", "written"),
    [
        ("at(xs, t + 1) <= norm(at(xs, 0))", "xs[t + 1] <= norm(xs[0])"),
        ("P(at(X, s, at(k, 1)) > (a + b)*c)", "P(X[s, k[1]] > (a + b)*c)"),
        ("flat(x, y) <= 1", "flat(x, y) <= 1"),
    ],
)
def test_members_of_families_are_told_as_they_are_written(text, written):
    assert with_members(text) == written
    read, again = (term(Piece.of_line(t, 1), {}) for t in (text, written))
    assert read == again


def test_a_block_under_conditions_quantifies_nothing():
    first, second = read_proof("if 0 <= a, a <= b:\n  X <= a\n  Y <= b if c > 0")
    assert (first.range.over, first.range.where) == ((), ("0 <= a", "a <= b"))
    assert (second.range.over, second.range.where) == ((), ("0 <= a", "a <= b", "c > 0"))
    with pytest.raises(NotationError, match="empty"):
        read_proof("if 0 <= a:\n")


def test_members_of_families_events_and_ranges_are_read():
    (chain,) = read_proof("on {norm(gs[t]) <= S}:\n  name: X[t] <= S for integer t, 1 <= t <= 3 by tail, [b at s = t]")
    assert isinstance(chain, Chain)
    assert chain.name == "name"
    assert str(chain.first) == "at(X, t)"
    assert chain.range.over == ("t: integer",)
    assert chain.range.where == ("ind(norm(at(gs, t)) <= S) == 1", "1 <= t", "t <= 3")
    assert [i.name for i in chain.links[0].hint.items] == ["tail", "b"]
    assert chain.links[0].hint.items[1].let == {"s": "t"}


def test_a_rewriting_that_the_reader_refuses_is_left_out():
    assert not inside._readable(Fact("E(Z**(2**(1/2))) == 1"))
    assert inside._readable(Fact("E(Z**2) == 1"))


ABOUT_SUMS = Statement(
    "lem:own", "Own", "lemma", "own", "",
    (Parameter("S", "a scale", ("S > 0",)), Parameter("n", "", ("n >= 1",), True)),
    {"small": Fact("norm(at(X, j)) <= 1", ("j: integer",))}, (), declares={"X": "integer -> random vector"},
)  # fmt: skip


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("norm(W[j]) <= S for integer j  by of W, small", True),
        ("norm(W[j]) <= S/2 for integer j  by of W, small", False),
        ("sum(W[j], j, 1, n) == S*sum(X[j], j, 1, n)  by of W", True),
        ("sum(W[j], j, 1, n) == 2*S*sum(X[j], j, 1, n)  by of W", False),
    ],
)
def test_a_definition_unfolds_inside_of_norms_and_sums(line, holds):
    made = elaborated("of W: at(W, j) == S*X[j] for integer j  by definition\n" + line, ABOUT_SUMS)
    assert (not made.faults) == holds
