"""What is judged from the shape of a term: bounded, integrable, known from some information; and what must not be.

Every term that is refused here is unbounded, without a mean or unknown for some law that the facts allow.
"""

from __future__ import annotations

import pytest

from boundcheck.kernel.formula import Expr, Relation, num, parse, parse_relation
from boundcheck.kernel.proof.facts import Known, read
from boundcheck.kernel.proof.judgements import Judge
from boundcheck.kernel.proof.sorts import read_sort
from boundcheck.kernel.statement import Fact

SORTS = {
    "X": "random real", "Y": "random real", "Z": "random vector", "N": "random integer",
    "c": "real", "w": "vector", "n": "integer",
    "B": "integer -> random real", "G": "integer -> real", "Q": "integer, integer -> real",
    "K": "integer -> information", "f": "vector -> real", "F": "vector -> random real", "H": "information",
}  # fmt: skip
SCOPE = {name: read_sort(text) for name, text in SORTS.items()}


def judge(*facts: str | Fact, given: tuple[str, ...] = ()) -> Judge:
    known = [read(f if isinstance(f, Fact) else Fact(f), SCOPE) for f in facts]
    return Judge(known, [relation(g) for g in given], SCOPE)


def relation(text: str) -> Relation:
    return parse_relation(text, proof=True)


def every(claim: str, *where: str, over: str = "k: integer") -> Fact:
    return Fact(claim, over=(over,), where=where)


BOUNDED = (
    "c", "ind(X > 1)", "P(X > c)", "Pgiven(X > 1, Y)", "c - 3*ind(X > 0)", "ind(X > 0)*ind(Y > 0)",
    "min(c, max(-c, X))", "max(-c, min(X, c))", "ind(X > 0)/c", "(1 + ind(X > 0))**3", "sin(X)",
    "abs(sin(X) - c)", "ind(X > 0)*w",
    "norm(ind(X > 0)*w)", "dot(ind(X > 0)*w, w)", "max(ind(X > 0), sin(Y))", "sum(ind(at(B, k) > 0), k, 0, n)",
)  # fmt: skip
UNBOUNDED = (
    "X", "-X", "abs(X)", "Z", "norm(Z)", "dot(Z, w)", "X*ind(Y > 0)", "X + ind(Y > 0)", "min(X, c)", "max(X, c)",
    "min(c, max(X, Y))", "max(c, max(X, -c))", "max(min(X, c), min(Y, c))",
    "max(-c, min(X, c), Y)", "min(X, Y)", "ind(X > 0)/X", "c/X", "X**2", "X/c", "exp(X)",
    "(1 + ind(X > 0))**Y", "(1 + X)**3", "Egiven(X, Y)", "sum(ind(at(B, k) > 0), k, 0, oo)", "sum(at(B, k), k, 0, n)",
    "sum(ind(at(B, k) > 0), k, 0, N)", "sum(ind(at(B, k) > 0), k, -N, 0)", "f(Z)", "at(B, 0)",
)  # fmt: skip


@pytest.mark.parametrize("term", BOUNDED)
def test_bounded_by_its_shape(term):
    assert judge().bounded(parse(term, proof=True)) and judge().integrable(parse(term, proof=True))


@pytest.mark.parametrize("term", UNBOUNDED)
def test_not_bounded_for_every_law(term):
    assert not judge().bounded(parse(term, proof=True)) and not judge().integrable(parse(term, proof=True))


@pytest.mark.parametrize(
    ("term", "facts", "given", "holds"),
    (
        ("X", ("abs(X) <= c",), (), True),
        ("X", ("abs(X) < c",), (), True),
        ("X", ("abs(X) == c",), (), True),
        ("X", ("c >= abs(X)",), (), True),
        ("X", ("abs(X) >= c",), (), False),
        ("X", ("abs(X) != c",), (), False),
        ("X", ("abs(X) <= Y",), (), False),
        ("X", ("abs(Y) <= c",), (), False),
        ("X", ("X <= c",), (), False),
        ("X", ("X >= -c",), (), False),
        ("X", ("X <= c", "X >= -c"), (), True),
        ("X", ("X <= c", "X >= Y"), (), False),
        ("X", ("X <= Y", "X >= c"), (), False),
        ("X", ("X <= c", "X <= 2*c"), (), False),
        ("X", ("X <= c", "X <= Y", "X >= Y", "X >= 0"), (), True),
        ("X", (every("abs(X) <= k + c"),), (), False),  # says for which k nowhere
        ("Z", ("norm(Z) <= c",), (), True),
        ("norm(Z)", ("norm(Z) <= c",), (), True),
        ("Z", ("norm(Z) >= c",), (), False),
        ("Z", ("dot(Z, w) <= c",), (), False),
        ("at(B, 3)", (every("abs(at(B, k)) <= c"),), (), True),
        ("at(B, n)", (every("abs(at(B, k)) <= c"),), (), True),
        ("at(B, N)", (every("abs(at(B, k)) <= c"),), (), False),
        ("at(B, n)", (every("abs(at(B, k)) <= c", "k >= 0"),), (), False),
        ("at(B, n)", (every("abs(at(B, k)) <= c", "k >= 0"),), ("n >= 0",), True),
        ("at(B, n)", (every("abs(at(B, k)) <= c", "k >= 0"),), ("0 <= n",), True),
        ("at(B, n)", (every("abs(at(B, k)) <= c", "k >= 0"),), ("n >= -1",), False),
        ("sum(at(B, k), k, 0, n)", (every("abs(at(B, k)) <= c"),), (), True),
        ("sum(at(B, k), k, 0, oo)", (every("abs(at(B, k)) <= c"),), (), False),
        ("F(w)", (every("abs(F(x)) <= c", over="x: vector"),), (), True),
        ("F(Z)", (every("abs(F(x)) <= c", over="x: vector"),), (), False),
        ("X*ind(X > c)", (every("abs(X*ind(X > r)) <= c", over="r: real"),), (), True),
        ("X*ind(X > n)", (every("abs(X*ind(X > r)) <= c", over="r: real"),), (), True),
        ("X*ind(X > c)", (every("abs(X*ind(X > r)) <= c", over="r: integer"),), (), False),
        ("X*ind(X > N)", (every("abs(X*ind(X > r)) <= c", over="r: integer"),), (), False),
        ("X", (), ("abs(X) <= c",), False),  # for some outcomes only
    ),
)  # fmt: skip
def test_bounded_by_facts(term, facts, given, holds):
    assert judge(*facts, given=given).bounded(parse(term, proof=True)) is holds


@pytest.mark.parametrize(
    "term",
    (
        "X", "-X", "abs(X)", "X + c", "c - 2*X", "X*ind(Y > 0)", "ind(Y > 0)*sin(Y)*X", "max(X, ind(Y > 0))", "X/c",
        "min(X, 0)", "Egiven(X, Y)", "X*w", "norm(X*w)", "dot(X*w, w)", "sum(X, k, 0, n)", "X*Y*ind(X > 0)", "2*X*Y",
        "norm(Z)**2", "norm(Z)**2*ind(Y > 0)",
    ),
)  # fmt: skip
def test_integrable_by_its_shape(term):
    facts = ("integrable(X) == 1", "integrable(X*Y) == 1", "integrable(norm(Z)**2) == 1")
    assert judge(*facts).integrable(parse(term, proof=True))


@pytest.mark.parametrize(
    "term",
    (
        "X**2", "abs(X)**2", "abs(X)**3", "Y", "X + Y", "max(X, Y)", "min(X, Y)", "X*Y", "X/Y", "c/X", "ind(Y > 0)/X",
        "Egiven(Y, X)", "X*Z", "dot(Z, X*w)", "norm(Z)", "norm(Z)**2", "norm(Z)**3", "sum(X, k, 0, oo)", "exp(X)",
        "sum(X, k, 0, N)", "ind(Y > 0)*Y", "Y*sin(X)", "f(X*w)", "X*X*ind(X > 0)", "ind(X > 0)*Y*Y",
    ),
)  # fmt: skip
def test_not_integrable_for_every_law(term):
    assert not judge("integrable(X) == 1").integrable(parse(term, proof=True))


@pytest.mark.parametrize(
    ("term", "facts", "holds"),
    (
        ("X", ("integrable(X) == 0",), False),
        ("X", ("integrable(X) <= 1",), False),
        ("X", ("integrable(X) != 1",), False),
        ("Y", ("integrable(abs(Y)) == 1",), True),
        ("Z", ("integrable(norm(Z)) == 1",), True),
        ("Z", ("integrable(norm(Z)**2) == 1",), False),
        ("dot(Z, w)", ("integrable(norm(Z)) == 1",), True),
        ("abs(X)**2", ("integrable(abs(X)**2) == 1",), True),
        ("Y", ("integrable(X) == 1", "abs(Y) <= X"), True),
        ("Z", ("integrable(X) == 1", "norm(Z) <= X"), True),
        ("norm(Z)", ("integrable(X) == 1", "norm(Z) <= X"), True),
        ("Y", ("integrable(X) == 1", "abs(Y) <= c*X + 1"), True),
        ("Y", ("integrable(X) == 1", "abs(Y) >= X"), False),
        ("Y", ("integrable(X) == 1", "abs(Y) != X"), False),
        ("Y", ("integrable(X) == 1", "Y <= X"), False),
        ("Z", ("integrable(X) == 1", "dot(Z, w) <= X"), False),
        ("X*Y*norm(Z)*ind(Y > 0)", ("integrable(X*Y*norm(Z)) == 1",), True),
        ("X*Y*norm(Z)*ind(Y > 0)", ("integrable(X*Y) == 1",), False),
        ("Y", ("abs(Y) <= X",), False),
        ("Y", ("abs(Y) <= abs(Y)",), False),
        ("Y", ("abs(Y) <= X", "abs(X) <= abs(Y)"), False),
        ("sum(at(B, k), k, 0, n)", (every("integrable(at(B, k)) == 1"),), True),
        ("sum(at(B, k), k, 0, oo)", (every("integrable(at(B, k)) == 1"),), False),
        ("sum(at(B, k), k, 0, n)", (every("integrable(at(B, k)) == 1", "k >= 0"),), True),  # its members are
        ("sum(at(B, k), k, 2, n)", (every("integrable(at(B, k)) == 1", "k >= 0", "k <= n"),), True),
        ("sum(at(B, k), k, 0, n)", (every("integrable(at(B, k)) == 1", "k >= 1"),), False),
        ("sum(at(B, k), k, 0, n)", (every("integrable(at(B, k)) == 1", "k < n"),), False),
        ("sum(at(B, k + 1), k, 0, n)", (every("integrable(at(B, k + 1)) == 1", "k <= n - 1"),), False),
        ("sum(sum(at(B, k), k, j, n), j, 1, n)", (every("integrable(at(B, k)) == 1", "k >= 1"),), True),
        ("sum(sum(at(B, k), k, j, n), j, 0, n)", (every("integrable(at(B, k)) == 1", "k >= 1"),), False),
        ("at(B, N)", (every("integrable(at(B, k)) == 1"),), False),
    ),
)  # fmt: skip
def test_integrable_by_facts(term, facts, holds):
    assert judge(*facts).integrable(parse(term, proof=True)) is holds


@pytest.mark.parametrize(
    ("body", "low", "high", "holds"),
    (
        ("P(X > t)", "0", "c", True),
        ("P(X > t)", "0", "oo", False),
        ("P(X > t)", "-oo", "0", False),
        ("P(X > t)*t**2 + c*t", "0", "c", True),
        ("t**3", "0", "1", True),
        ("abs(t - 1)*max(t, c)", "0", "1", True),
        ("t/c", "0", "1", True),
        ("f(w)", "0", "1", True),
        ("1/t", "0", "1", False),
        ("c/t", "0", "1", False),
        ("t**(-2)", "0", "1", False),
        ("t**(-1/2)", "0", "1", False),
        ("t**c", "0", "1", False),
        ("log(t)**2", "0", "1", False),
        ("log(t)", "0", "1", False),
        ("(t + 1/t)**2", "0", "1", False),
        ("log(t)/c", "0", "1", False),
        ("t*exp(1/t)", "0", "1", False),
        ("1 + 1/t", "0", "1", False),
        ("max(t, 1/t)", "0", "1", False),
        ("f(t*w)", "0", "1", False),
        ("E(F(t*w))", "0", "1", False),
        ("P(Y > t)", "0", "oo", True),  # by the fact
        ("P(Y > t)*t", "0", "oo", False),
        ("P(Y > t)", "1", "oo", False),
    ),
)  # fmt: skip
def test_an_integral_that_exists(body, low, high, holds):
    exists = parse("integral(P(Y > t), t, 0, oo)", proof=True).args
    fact = Known(Relation("==", Expr("integrable", exists), num(1)))
    term = parse(f"integral({body}, t, {low}, {high})", proof=True)
    assert Judge([fact], (), SCOPE).integrable_on(term.args[0], "t", *term.args[2:]) is holds


@pytest.mark.parametrize(
    ("term", "given", "holds"),
    (
        ("X", "X", True),
        ("X + c", "X", True),
        ("ind(X > 1)*w", "X", True),
        ("E(Y)", "X", True),
        ("at(G, n)*X", "X", True),
        ("at(G, N)", "N", True),
        ("f(Z)", "Z", True),
        ("Egiven(Y, X)", "X", True),
        ("Pgiven(Y > 1, X) + X", "X", True),
        ("sum(X**k, k, 0, n)", "X", True),
        ("sum(at(B, k), k, 0, n)", "H", True),
        ("at(B, n)", "H", True),
        ("H", "H", True),
        ("Y", "X", False),
        ("X + Y", "X", False),
        ("ind(X > Y)", "X", False),
        ("X", "X**2", False),
        ("at(B, 0)", "X", False),
        ("at(G, N)", "X", False),
        ("at(Q, n, N)", "X", False),
        ("at(B, N)", "H", False),
        ("F(Z)", "Z", False),
        ("F(w)", "Z", False),
        ("f(Z)", "X", False),
        ("Egiven(Y, X)", "Y", False),
        ("Egiven(X, Y)", "X", False),
        ("sum(at(B, k), k, 0, oo)", "H", False),
        ("sum(at(B, k), k, 0, N)", "H", False),
        ("sum(X**k, k, 0, n)", "Y", False),
        ("integral(ind(Y > t), t, 0, 1)", "X", False),
        ("integral(ind(X > t), t, 0, 1)", "X", False),  # such a rule is not there
        ("H", "X", False),
        ("H", "at(K, 0)", False),
        ("at(K, 0)", "at(K, 1)", False),
    ),
)  # fmt: skip
def test_known_from_information(term, given, holds):
    told = judge(every("measurable(at(B, k), H) == 1"))
    assert told.measurable(parse(term, proof=True), parse(given, proof=True)) is holds


def test_a_condition_on_chance_is_no_fact_and_one_on_laws_is():
    measurable = "measurable(Y, H) == 1"
    assert judge(given=(measurable,)).measurable(parse("Y"), parse("H"))
    assert not judge(given=("X == Y", "X <= 1")).bounded(parse("Y"))
    assert not judge(given=("ind(Y > 1) == 1",)).measurable(parse("Y"), parse("H"))


CHAINS = (
    # (the condition of a fact at k = n, what is given, whether it follows)
    ("k <= m", ("n <= l", "l <= m"), True),
    ("k <= m", ("n <= l", "l < m"), True),
    ("k < m", ("n <= l", "l < m"), True),
    ("k < m", ("n < l", "l == m"), True),
    ("k <= m", ("n < m + 1",), True),  # whole numbers
    ("k + 1 <= m", ("n < m",), True),
    ("k <= m", ("n <= l - 3", "m >= l - 2"), True),
    ("k <= m", ("m - n >= 1",), True),
    ("k <= m", ("2*n <= 2*l - 1", "2*l <= 2*m + 1"), True),
    ("k >= 0", ("n >= 1",), True),
    ("k >= 1", ("n > 0",), True),
    ("k != 0", ("n >= 1",), True),
    ("k == m", ("n <= l", "l <= m", "m <= n"), True),
    ("k + m <= l", ("n + m <= 3", "3 <= l"), True),
    ("k <= 5", ("n <= c", "c <= 5"), True),
    ("k < 6", ("n <= c", "c < 6"), True),
    ("k <= m", ("n <= l", "m <= l"), False),
    ("k <= m", ("l <= n", "l <= m"), False),
    ("k <= m", ("n >= l", "l >= m"), False),
    ("k < m", ("n <= l", "l <= m"), False),
    ("k <= m", ("n <= l + 1", "l <= m"), False),
    ("k <= m", ("n <= c + 1/2", "c + 1/2 <= m + 1"), False),
    ("k <= c", ("n < c + 1",), False),  # c is no whole number
    ("k + 1 <= c", ("n < c",), False),
    ("k <= m", ("n != m",), False),
    ("k == m", ("n <= m",), False),
    ("k != m", ("n <= m",), False),
    ("k >= 0", ("n >= -1",), False),
    ("k + m <= l", ("n <= 1", "m <= l"), False),
    ("k <= m", ("n <= N", "N <= m"), False),  # for some outcomes only
    ("k*m <= l", ("n <= 1", "m <= l"), False),
    ("k <= m", ("w == 0", "n <= 0", "f(w) <= m"), False),  # the vector 0 is no number
)


@pytest.mark.parametrize(("condition", "given", "holds"), CHAINS)
def test_a_condition_of_a_fact_is_met_by_a_chain_of_comparisons(condition, given, holds):
    """Where it is not, B(n) has no mean for some law that the facts allow."""
    scope = {**SCOPE, "m": read_sort("integer"), "l": read_sort("integer")}
    fact = read(every("integrable(at(B, k)) == 1", condition), scope)
    asked = Judge([fact], [relation(g) for g in given], scope)
    assert asked.integrable(parse("at(B, n)", proof=True)) is holds


def test_facts_without_conditions_are_links_of_a_chain():
    fact = every("integrable(at(B, k)) == 1", "k >= 1", "k <= n")
    told = ("n >= 5", "c <= 5", "c >= 3")
    assert judge(fact, *told).integrable(parse("at(B, 3)", proof=True))
    assert not judge(fact, *told).integrable(parse("at(B, 6)", proof=True))
    assert not judge(fact, every("n >= k", "k <= 9")).integrable(parse("at(B, 3)", proof=True))
    assert not judge(fact, "N >= 5", "n >= N").integrable(parse("at(B, 3)", proof=True))  # a chance that none may have
