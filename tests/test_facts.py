"""Facts and their instances: what a fact holds for, what may be put, and what would be false and is refused.

``instance`` is the one door: hypotheses, steps, cited statements and rules all pass through it.
"""

from __future__ import annotations

import pytest

from boundcheck.kernel.formula import FormulaError, Relation, parse, parse_relation
from boundcheck.kernel.proof.facts import (
    Known,
    ProofError,
    averaged,
    averages,
    conditional,
    instance,
    quantified,
    random_in,
    read,
    read_term,
)
from boundcheck.kernel.proof.sorts import Sort, SortError, read_sort
from boundcheck.kernel.statement import Fact

SORTS = {
    "X": "random real", "Y": "random real", "Z": "random vector", "N": "random integer", "A": "event",
    "c": "real", "a": "real", "w": "vector", "n": "integer", "f": "real -> real", "F": "real -> random real",
    "B": "integer -> random real", "G": "integer -> real", "H": "information", "D": "object", "R": "random object",
    "V": "integer -> vector",
}  # fmt: skip
SCOPE = {name: read_sort(text) for name, text in SORTS.items()}


def relation(text: str) -> Relation:
    return parse_relation(text, proof=True)


def fact(claim: str, over: str = "", where: str = "", sure: bool = True) -> Known:
    parts = [tuple(p.strip() for p in text.split(";") if p.strip()) for text in (over, where)]
    return read(Fact(claim, parts[0], parts[1]), SCOPE, sure)


def at(known: Known, **values: str) -> Known:
    return instance(known, {k: read_term(v) for k, v in values.items()}, SCOPE)


# ---------------------------------------------------------------- what a fact says


@pytest.mark.parametrize(
    ("entry", "kind"),
    (
        ("y", "real"), ("y: integer", "integer"), ("y: vector", "vector"), ("y : real", "real"),
        ("c: vector", "vector"), ("n", "integer"), ("w", "vector"), ("D", "object"),
        ("G", "real"), ("V", "real"), ("H", "information"), ("y: object", "object"),
    ),
)  # fmt: skip
def test_what_a_fact_holds_for_all_of_is_a_constant_of_its_kind(entry, kind):
    name = entry.partition(":")[0].strip()
    assert quantified(Fact("0 == 0", (entry,)), SCOPE) == {name: Sort(kind)}


@pytest.mark.parametrize("entry", ["y: random real", "y: number", "y: law", "y: bound", "y: integer -> real"])
def test_a_fact_does_not_hold_for_all_of_something_else(entry):
    with pytest.raises(SortError, match="is no sort"):
        quantified(Fact("0 == 0", (entry,)), SCOPE)


@pytest.mark.parametrize("entry", ["X", "Z", "N", "X: real", "Z: object"])
def test_a_name_of_a_constant_is_nothing_random(entry):
    with pytest.raises(SortError, match="depends on chance"):
        quantified(Fact("0 == 0", (entry,)), SCOPE)


@pytest.mark.parametrize("entry", ["A", "A: event", "y: event", "pi", "const", "E: real", "norm: vector"])
def test_a_name_of_a_constant_is_no_event_and_no_word(entry):
    with pytest.raises(SortError, match=r"an event depends on chance|a word of the language"):
        quantified(Fact("0 == 0", (entry,)), SCOPE)


@pytest.mark.parametrize(
    ("claim", "over", "where"),
    [
        ("w <= 1", "", ""), ("z <= 1", "", ""), ("z <= 1", "z: vector", ""), ("0 == 0", "", "w <= 1"),
        ("0 == 0", "", "z <= 1"), ("at(B, c) <= 1", "", ""), ("E(A) <= 1", "", ""), ("P(c) <= 1", "", ""),
        ("at(B, c) <= 1", "c: real", ""), ("0 == 0", "y: vector", "y <= 1"),
    ],
)  # fmt: skip
def test_a_fact_is_typed_with_its_conditions(claim, over, where):
    with pytest.raises(SortError):
        fact(claim, over, where)


def test_a_fact_is_read():
    known = fact("clip(X, c) <= 1*k", "k: integer; w", "k >= 1*c; norm(w*1) <= 2", sure=False)
    assert [str(r) for r in known.relations] == ["max(-c, min(X, c)) <= k", "k >= c", "norm(w) <= 2"]
    assert known.over == {"k": Sort("integer"), "w": Sort("vector")}
    assert known.fixed == {"X", "c"} and not known.sure and fact("c <= 1").sure
    assert fact("y <= 1", "y", "y <= c").fixed == {"c"}  # conditions count


@pytest.mark.parametrize(
    ("text", "told"),
    [("abs(X) > c", "abs(X) > c"), ("c + 1", "c + 1"), ("oo", "oo"), (" oo ", "oo"), ("X", "X"), ("0", "0")],
)
def test_a_term_of_a_substitution(text, told):
    assert str(read_term(text)) == told


@pytest.mark.parametrize("text", ["oo + 1", "1 - oo", "c <", "2*oo", "-(-oo)", "-oo", "--oo"])
def test_no_term_of_a_substitution(text):
    with pytest.raises(FormulaError):
        read_term(text)


# ---------------------------------------------------------------- laws, conditional laws, chance

LAWS = (
    # relation, names inside of heads that average, conditional expectations occur, random names
    ("X + c <= Y", "", False, "X Y"),
    ("P(X > c) <= a", "X c", False, "X"),
    ("a <= P(X > c)", "X c", False, "X"),
    ("E(X)*Y == c", "X", False, "X Y"),
    ("c == Egiven(X, Y)", "X Y", True, "X Y"),
    ("Pgiven(X > c, H) <= a", "X c H", True, "X"),
    ("c <= 1 + 2*Pgiven(X > 0, H)", "X H", True, "X"),
    ("law(X) == law(Y)", "X Y", False, "X Y"),
    ("independent(X, Y) == 1", "X Y", False, "X Y"),
    ("measurable(X, H) == 1", "X H", False, "X"),
    ("integrable(X*c) == 1", "X c", False, "X"),
    ("ind(X > c) == 1", "", False, "X"),
    ("norm(Z) <= c", "", False, "Z"),
    ("at(B, n) <= c", "", False, "B"),
    ("F(c) <= f(a)", "", False, "F"),
    ("E(F(c)) <= f(a)", "F c", False, "F"),
    ("sum(at(G, k), k, 0, n) <= c", "", False, ""),
    ("E(sum(at(B, k), k, 0, n)) <= c", "B n", False, "B"),
    ("abs(E(X) + E(Y)) <= c", "X Y", False, "X Y"),
)


@pytest.mark.parametrize(("text", "inside", "given", "chance"), LAWS)
def test_what_speaks_of_laws(text, inside, given, chance):
    r = relation(text)
    assert averaged([r]) == set(inside.split())
    assert averages([r]) is bool(inside)
    assert conditional([r]) is given
    assert random_in([r], SCOPE) == set(chance.split())


def test_of_several_relations_one_suffices():
    law, none = relation("Egiven(X, H) <= c"), relation("a <= Y")
    for pair in ((law, none), (none, law)):
        assert averages(pair) and conditional(pair) and averaged(pair) == {"X", "H"}
        assert random_in(pair, SCOPE) == {"X", "Y"}
    assert not averages([]) and not conditional([]) and averaged([]) == random_in([], SCOPE) == frozenset()
    assert random_in([relation("X <= unknown")], SCOPE) == {"X"}


# ---------------------------------------------------------------- instances


@pytest.mark.parametrize(
    ("known", "values", "told", "left"),
    [
        (fact("y <= c", "y"), {"y": "a"}, "a <= c", ""),
        (fact("y <= c", "y"), {"y": "n"}, "n <= c", ""),
        (fact("y <= c", "y"), {"y": "X"}, "X <= c", ""),
        (fact("y <= c", "y"), {}, "y <= c", "y"),
        (fact("y <= t", "y; t"), {"y": "a"}, "a <= t", "t"),
        (fact("y <= t", "y; t"), {"y": "t"}, "t <= t_", "t_"),  # another t than the one that it holds for all of
        (fact("y <= t + 1", "y; t"), {"y": "t"}, "t <= t_ + 1", "t_"),
        (fact("y <= t", "y; t; t_"), {"y": "t"}, "t <= t__", "t__ t_"),
        (fact("y <= t", "y; t", "t >= y"), {"y": "t"}, "t <= t_ where t_ >= t", "t_"),
        (fact("y <= t", "y; t"), {"y": "t", "t": "y"}, "t <= y", ""),
        (fact("norm(w) <= c", "w"), {"w": "0"}, "0 <= c", ""),
        (fact("norm(w) <= c", "w"), {"w": "w"}, "norm(w) <= c", ""),
        (fact("norm(w) <= c", "w"), {"w": "Z"}, "norm(Z) <= c", ""),
        (fact("at(B, k) <= c", "k: integer"), {"k": "n + 1"}, "at(B, n + 1) <= c", ""),
        (fact("at(B, k) <= c", "k: integer"), {"k": "N"}, "at(B, N) <= c", ""),
        (fact("E(at(B, k)) <= c", "k: integer"), {"k": "n"}, "E(at(B, n)) <= c", ""),
        (fact("E(X) <= y", "y"), {"y": "Y"}, "E(X) <= Y", ""),
        (fact("measurable(X, K) == 1", "K: information"), {"K": "H"}, "measurable(X, H) == 1", ""),
        (fact("y <= c", "y", "y <= a", sure=False), {"y": "a"}, "a <= c where a <= a", ""),
        (fact("y <= c", "y", sure=False), {"y": "X"}, "X <= c", ""),  # nothing random in it: no null set
        (fact("at(B, k) <= c", "k: integer", sure=False), {"k": "N"}, "at(B, N) <= c", ""),  # countably many
        (fact("X <= y", "y", sure=False), {"y": "a"}, "X <= a", ""),
        (fact("X <= y", "y"), {"y": "Y"}, "X <= Y", ""),
        (fact("sum(y*k, k, 0, n) <= c", "y"), {"y": "a"}, "sum(a*k, k, 0, n) <= c", ""),
    ],
)  # fmt: skip
def test_an_instance(known, values, told, left):
    scope = {**SCOPE, "t": Sort("real"), "y": Sort("real")}
    found = instance(known, {k: read_term(v) for k, v in values.items()}, scope)
    where = f" where {', '.join(map(str, found.where))}" if found.where else ""
    assert f"{found.relation}{where}" == told
    assert " ".join(found.over) == left and found.sure == known.sure


@pytest.mark.parametrize(
    ("known", "values", "fault"),
    [
        # false: that of one c it holds for all of
        (fact("y <= c", "y"), {"c": "a"}, "does not hold for all c"),
        (fact("c <= a"), {"c": "a"}, "does not hold for all c"),
        # false: 1/2 <= 0 or 1/2 >= 1 for integers does not hold for reals
        (fact("k*(k - 1) >= 0", "k: integer"), {"k": "1/2"}, "k is integer"),
        (fact("k*(k - 1) >= 0", "k: integer"), {"k": "c"}, "k is integer"),
        (fact("k*(k - 1) >= 0", "k: integer"), {"k": "n/2"}, "k is integer"),
        (fact("k*(k - 1) >= 0", "k: integer"), {"k": "X"}, "k is integer"),
        # no term at all
        (fact("y <= c", "y"), {"y": "w"}, "y is real"),
        (fact("y <= c", "y"), {"y": "f"}, "a function"),
        (fact("y <= c", "y"), {"y": "G"}, "a function"),
        (fact("at(B, k) <= c", "k: integer"), {"k": "G"}, "k is integer"),
        (fact("independent(X, y) == 1", "y"), {"y": "G"}, "a function"),
        (fact("norm(v) <= c", "v: vector"), {"v": "1"}, "v is vector"),
        (fact("norm(v) <= c", "v: vector"), {"v": "c"}, "v is vector"),
        (fact("norm(v) <= c", "v: vector"), {"v": "c - c"}, "v is vector"),
        (fact("norm(v) <= c", "v: vector"), {"v": "n"}, "v is vector"),
        (fact("measurable(X, K) == 1", "K: information"), {"K": "0"}, "K is information"),
        (fact("measurable(X, K) == 1", "K: information"), {"K": "Y"}, "K is information"),
        (fact("y <= c", "y"), {"y": "oo"}, "y is real"),
        (fact("y <= c", "y"), {"y": "X > 1"}, "y is real"),
        (fact("y <= c", "y"), {"y": "unknown"}, "not declared"),
        # false: P(X > X) is 0, P(X > y) >= 1/2 for all y need not be
        (fact("P(X > y) <= f(y)", "y"), {"y": "X"}, "the law at a constant"),
        (fact("P(X > y) <= f(y)", "y"), {"y": "Y"}, "the law at a constant"),
        (fact("f(y) <= 1", "y", "P(X > y) <= c"), {"y": "Y"}, "the law at a constant"),  # in a condition, too
        (fact("E(at(B, k)) <= 1", "k: integer"), {"k": "N"}, "the law at a constant"),
        (fact("Egiven(X*y, H) == y*Egiven(X, H)", "y", sure=False), {"y": "Y"}, "the law at a constant"),
        (fact("integrable(X*y) == 1", "y"), {"y": "X"}, "the law at a constant"),
        # false: X != y almost surely for each y where X has a density, but X != X never
        (fact("X != y", "y", sure=False), {"y": "X"}, "almost surely"),
        (fact("y >= 0", "y", "X <= y", sure=False), {"y": "Y"}, "almost surely"),
        (fact("F(y) <= 1", "y", sure=False), {"y": "X"}, "almost surely"),
        (fact("norm(Z - v) > 0", "v: vector", sure=False), {"v": "Z"}, "almost surely"),
        (fact("at(B, k) != y", "k: integer; y", sure=False), {"k": "N", "y": "X"}, "almost surely"),
    ],
)  # fmt: skip
def test_no_instance_where_it_would_be_false(known, values, fault):
    with pytest.raises((ProofError, SortError), match=fault):
        at(known, **values)


def test_an_instance_is_typed_with_its_conditions():
    family = Known(relation("at(B, k) <= c"), (relation("k >= 0"),), {"k": Sort("real")})  # by nobody's reading
    with pytest.raises(SortError):
        at(family, k="c")
    late = Known(relation("c <= a"), (relation("at(B, k) <= c"),), {"k": Sort("real")})
    with pytest.raises(SortError):
        at(late, k="c")


def test_a_name_that_is_bound_inside_captures_nothing():
    known = fact("sum(y*k, k, 0, 2) <= c", "y")
    scope = {**SCOPE, "k": Sort("real")}
    found = instance(known, {"y": parse("k")}, scope).relation
    assert found.free == {"k", "c"}  # the sum is 3*k, not 0 + 1 + 4
