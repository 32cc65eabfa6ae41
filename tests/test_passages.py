"""Passages of other proofs: what they stand for, what is checked of them anew, errors with line and column."""

import tomllib

import pytest

from boundcheck.author.elaborate import elaborate
from boundcheck.author.passages import with_passages
from boundcheck.author.source import NotationError
from boundcheck.author.toml import read_statements
from boundcheck.decide.statements import decide_statement
from boundcheck.paper import lookup
from boundcheck.verdict import Status

pytestmark = pytest.mark.usefixtures("no_worlds")

PROOF = """\
let r = S
before: 0 <= S
# what follows is taken
size: S
  <= r + 1
  <= S + 2
if S > 1:
  inside: S > 0
total: 0 <= S + 2   by size
after: S + 2 > 0
"""


def told(label):
    return {"lem:own": PROOF, "lem:takes": "as in lem:own, from size to total\n"}.get(label)


def test_the_lines_stand_where_they_are_taken():
    text, numbers = with_passages("X <= Y\n  as in lem:own, from size to total\nY <= Z\n", told, 5)
    assert text.splitlines() == [
        "X <= Y", "  size: S", "    <= r + 1", "    <= S + 2", "  if S > 1:", "    inside: S > 0",
        "  total: 0 <= S + 2   by size", "Y <= Z",
    ]  # fmt: skip
    assert numbers == [5, 6, 6, 6, 6, 6, 6, 7]


def test_a_passage_may_be_one_line_with_what_belongs_to_it():
    text, _ = with_passages("as in lem:own, from size to size", told)
    assert text.splitlines() == ["size: S", "  <= r + 1", "  <= S + 2"]


def test_a_passage_may_begin_with_an_abbreviation():
    text, _ = with_passages("as in lem:own, from r to before", told)
    assert text.splitlines() == ["let r = S", "before: 0 <= S"]


@pytest.mark.parametrize("text", ["", "X <= Y", "X <= Y\n\n  <= Z\n", "as: X <= Y\nasin: 1 <= 2\n"])
def test_a_proof_that_takes_nothing_stays_as_it_is(text):
    assert with_passages(text, told)[0] == text


@pytest.mark.parametrize(
    ("text", "place", "word"),
    [
        ("as in lem:own", (1, 1), "from size to total"),
        ("X <= Y\n  as in lem:own, from size", (2, 3), "from size to total"),
        ("as in lem:other, from size to total", (1, 7), "lem:other"),
        ("as in lem:own, from sizes to total", (1, 21), "'sizes' is not the name"),
        ("as in lem:own, from size to end", (1, 29), "'end' is not the name"),
        ("as in lem:own, from total to size", (1, 30), "behind total"),
        ("as in lem:own, from inside to total", (1, 21), "outside of its blocks"),
        ("as in lem:takes, from size to total", (1, 23), "'size' is not the name"),
    ],
)
def test_an_error_names_line_and_column(text, place, word):
    with pytest.raises(NotationError) as caught:
        with_passages(text, told)
    assert (caught.value.place.line, caught.value.place.column) == place
    assert word in str(caught.value)


def test_a_passage_that_takes_one_is_refused():
    proof = "size: 0 <= 1\nas in lem:own, from size to total\ntotal: 0 <= 2\n"
    with pytest.raises(NotationError, match="takes one itself"):
        with_passages("as in lem:b, from size to total", lambda label: proof)


FILE = """
[[statement]]
label = "lem:a"
title = "a"
parameters = ["S > 1"]
claims = ["log(S) <= S"]
proof = '''
let X = S
below: log(X) <= X - 1
wide: X - 1 <= X
log(S) <= S  by below, wide
'''

[[statement]]
label = "lem:b"
title = "b"
parameters = ["S > 1"]
claims = ["log(S**2) <= S**2"]
proof = '''
let X = CHOICE
as in lem:a, from below to wide
log(S**2) <= S**2  by below, wide
'''
"""


@pytest.mark.parametrize(("choice", "holds"), [("S**2", True), ("1 - S", False)])  # log(1 - S) is not even defined
def test_what_is_taken_is_proved_anew_of_what_it_speaks_of_here(choice, holds):
    source = FILE.replace("CHOICE", choice)
    (_, written), faults = read_statements(tomllib.loads(source), "own.toml", source, print)
    assert not faults
    made = elaborate(written.statement, written.lines, lookup)
    proved = not made.faults and decide_statement(made.statement, lookup, 2.0, 0.0).status is Status.PROVED
    assert proved is holds
    if not holds:
        (line,) = {f.place.line for f in made.faults if "1 - S" in f.text}
        assert source.splitlines()[line - 1].startswith("as in lem:a")
