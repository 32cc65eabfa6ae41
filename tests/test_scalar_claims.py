"""From facts to scalar claims: what becomes an arbitrary real, what is known of it, which equations are used, what is
partial. Rows marked "false" would prove something false if they came out otherwise.
"""

from __future__ import annotations

import pytest

from boundcheck.kernel.formula import Expr, Relation, endless, num, parse, parse_relation, var
from boundcheck.kernel.proof.scalar_claims import converges, defined, partial_terms, scalar_obligation, trivial
from boundcheck.kernel.proof.sorts import read_sort

OO = Expr("const", (), "oo")
SORTS = {
    **dict.fromkeys(("X", "Y"), "random real"), **dict.fromkeys(("c", "a", "y", "x", "t", "k", "o1_"), "real"),
    "I": "random integer", "w": "vector", "n": "integer", "m": "integer", "S": "integer -> integer",
    "B": "integer -> real", "f": "vector -> real", "h": "vector -> integer",
}  # fmt: skip
SCOPE = {name: read_sort(text) for name, text in SORTS.items()}


def relations(text: str) -> list[Relation]:
    return [parse_relation(t, proof=True) for t in text.split(";") if t.strip()]


def claimed(goal: str, facts: str, domain: str, binders: bool):
    return scalar_obligation("r", relations(domain), relations(facts), relations(goal)[0], SCOPE, binders)


# ---------------------------------------------------------------- what is partial, what is trivial


@pytest.mark.parametrize(
    ("term", "wanted"),
    [
        (OO, True), (Expr("neg", (OO,)), True), (Expr("neg", (Expr("neg", (OO,)),)), True), (var("oo_"), False),
        (num(1), False), (parse("-x"), False), (parse("pi"), False), (parse("-pi"), False), (parse("exp(x)"), False),
        (Expr("exp", (OO,)), False), (Expr("add", (OO, OO)), False), (var("oo"), False),
    ],
)  # fmt: skip
def test_an_infinite_end(term, wanted):
    assert endless(term) is wanted


@pytest.mark.parametrize(
    ("term", "told", "with_binders_opaque"),
    [
        ("x", "", ""),
        ("1/x", "1/x", "1/x"),
        ("x/2", "", ""),
        ("x/(-2)", "", ""),
        ("x/0", "x/0", "x/0"),  # false: 0/0
        ("2/x", "2/x", "2/x"),
        ("x - 2", "", ""),
        ("1/(x + 1/y)", "1/y ; 1/(x + 1/y)", "1/y ; 1/(x + 1/y)"),
        ("sqrt(x)", "sqrt(x)", "sqrt(x)"),
        ("sqrt(2)", "sqrt(2)", "sqrt(2)"),
        ("log(2)", "log(2)", "log(2)"),
        ("exp(x)", "", ""),
        ("tan(x)", "tan(x)", "tan(x)"),
        ("gamma(x)", "gamma(x)", "gamma(x)"),
        ("sqrt(1/x)", "1/x ; sqrt(1/x)", "1/x ; sqrt(1/x)"),
        ("log(x) + log(y)", "log(x) ; log(y)", "log(x) ; log(y)"),
        ("x**2", "", ""),
        ("x**0", "", ""),
        ("x**(-1)", "x**(-1)", "x**(-1)"),
        ("x**(1/2)", "x**(1/2)", "x**(1/2)"),
        ("x**y", "x**y", "x**y"),
        ("(1/x)**2", "1/x", "1/x"),
        # opaque terms are total, what stands in them is not looked at
        ("norm(w/x)", "", ""),
        ("E(1/X)", "", ""),
        ("ind(X > 1/x)", "", ""),
        ("1/norm(w)", "1/norm(w)", "1/norm(w)"),
        # integrals and infinite sums may diverge
        ("integral(t, t, 0, 1)", "integral(t, t, 0, 1)", ""),
        ("sum(k, k, 0, n)", "", ""),
        ("sum(k, k, 0, oo)", "sum(k, k, 0, oo)", ""),
        ("sum(k, k, -oo, 0)", "sum(k, k, -oo, 0)", ""),
        ("sum(1/k, k, 1, n)", "sum(1/k, k, 1, n)", ""),
        ("sum(k, k, 0, 1/x)", "1/x", ""),
        ("sum(k, k, sqrt(x), 1/x)", "sqrt(x) ; 1/x", ""),
        ("sum(1/k, k, 1, 1/x)", "1/x ; sum(1/k, k, 1, 1/x)", ""),
        ("sum(sum(1/j, j, 1, k), k, 0, n)", "sum(sum(1/j, j, 1, k), k, 0, n)", ""),
        ("sum(integral(t, t, 0, k), k, 0, n)", "sum(integral(t, t, 0, k), k, 0, n)", ""),
        ("1/integral(t, t, 0, x)", "integral(t, t, 0, x) ; 1/integral(t, t, 0, x)", "1/integral(t, t, 0, x)"),
        ("integral(P(X > t), t, 0, oo)", "", ""),
        ("sum(E(X)/k, k, 0, n)", "", ""),
    ],
)
def test_partial_terms(term, told, with_binders_opaque):
    e = parse(term, proof=True)
    assert " ; ".join(map(str, partial_terms(e, False))) == told
    assert " ; ".join(map(str, partial_terms(e, True))) == with_binders_opaque


def test_that_a_term_is_defined_is_a_relation_of_its_own_value():
    assert str(defined(parse("1/x"))) == "0*(1/x) == 0"


@pytest.mark.parametrize(
    ("term", "told"),
    [
        ("integral(t, t, 0, 1)", "0 == 0 where min(0, 1) <= t__, t__ <= max(0, 1)"),
        ("integral(1/t, t, a, c)", "0*(1/t__) == 0 where min(a, c) <= t__, t__ <= max(a, c)"),
        ("integral(sqrt(s), s, a, c)", "0*sqrt(s_) == 0 where min(a, c) <= s_, s_ <= max(a, c)"),
        ("integral(P(X > s)/s, s, 0, 1)", "0*(P(X > s_)/s_) == 0 where min(0, 1) <= s_, s_ <= max(0, 1)"),
        # false: bounded on every bounded interval, and the integral diverges
        ("integral(exp(t), t, 0, oo)", "0*integral(exp(t), t, 0, oo) == 0"),
        ("integral(exp(-t), t, -oo, 0)", "0*integral(exp(-t), t, -oo, 0) == 0"),
        # false: defined everywhere, and unbounded at a jump
        ("integral(1/(t + floor(1 - t)), t, 0, 1)", "0*integral(1/(t + floor(1 - t)), t, 0, 1) == 0"),
        ("integral(1/(t + 1 - ceil(t)), t, 0, 1)", "0*integral(1/(t + 1 - ceil(t)), t, 0, 1) == 0"),
        ("integral(sum(t/k, k, 1, 3), t, 0, 1)", "0*integral(sum(t/k, k, 1, 3), t, 0, 1) == 0"),
        ("integral(integral(s*t, s, 0, 1), t, 0, 1)", "0*integral(integral(s*t, s, 0, 1), t, 0, 1) == 0"),
        ("sum(1/k, k, 1, n)", "0*sum(1/k, k, 1, n) == 0"),
        ("sum(k, k, 0, oo)", "0*sum(k, k, 0, oo) == 0"),
    ],
)
def test_what_shows_that_an_integral_exists(term, told):
    goal, where = converges(parse(term, proof=True), frozenset({"t_", "t", "a"}))
    assert f"{goal}{' where ' if where else ''}{', '.join(map(str, where))}" == told


@pytest.mark.parametrize(
    ("low", "op", "high", "wanted"),
    [
        ("x", "<=", "x", True), ("x", ">=", "x", True), ("x", "==", "x", True), ("x", "<", "x", False),
        ("x", ">", "x", False), ("x", "!=", "x", False), ("x", "<=", "y", False), ("x", "==", "y", False),
        ("x", "<=", OO, True), ("x", "<", OO, True), (OO, ">=", "x", True), (OO, ">", "x", True),
        (OO, "<=", "x", False), ("x", ">=", OO, False), ("x", "==", OO, False), ("x", "!=", OO, False),
        (OO, "==", "x", False), (OO, "!=", "x", False), (OO, "<", OO, False), (OO, "<=", OO, True),
        (OO, ">", OO, False),
    ],
)  # fmt: skip
def test_what_every_real_satisfies_for_its_form(low, op, high, wanted):
    sides = [parse(s) if isinstance(s, str) else s for s in (low, high)]
    assert trivial(Relation(op, *sides)) is wanted


# ---------------------------------------------------------------- claims


@pytest.mark.parametrize(
    ("goal", "facts", "domain", "told"),
    [
        # of the domain what is about the goal's and the facts' names
        ("x <= 1", "", "x >= 0; y >= 0", "x <= 1 where x >= 0"),
        ("x <= y", "", "x >= 0; y >= 0; c >= 0; x <= c", "x <= y where x >= 0, y >= 0"),
        ("x <= 1", "c >= x", "x >= 0; y >= 0; c >= 0", "x <= 1 where x >= 0, c >= 0, c >= x"),
        ("x <= 1", "x <= c; c <= c; x <= c", "", "x <= 1 where x <= c"),
        ("x <= y", "", "x + y <= 1", "x <= y where x + y <= 1"),
        # each opaque term is one variable; probabilities lie in [0, 1], norms are >= 0, and that is all
        ("P(X > c) <= c", "", "c >= 0", "o1_ <= c where c >= 0, o1_ >= 0, o1_ <= 1"),
        ("P(X > c) <= P(X > a)", "", "", "o1_ <= o2_ where o1_ >= 0, o1_ <= 1, o2_ >= 0, o2_ <= 1"),
        ("P(X > c) + P(X > c)**2 <= 2", "", "", "o1_ + o1_**2 <= 2 where o1_ >= 0, o1_ <= 1"),
        ("ind(X > c) <= Pgiven(X > a, Y)", "", "", "o1_ <= o2_ where o1_ >= 0, o1_ <= 1, o2_ >= 0, o2_ <= 1"),
        ("norm(w) <= c", "", "", "o1_ <= c where o1_ >= 0"),  # false: norm <= 1
        ("E(X) <= c", "", "", "o1_ <= c"),  # false: 0 <= E <= 1
        ("dot(w, w) >= 0", "", "", "o1_ >= 0"),
        ("f(w) <= P(X > c)", "", "", "o1_ <= o2_ where o2_ >= 0, o2_ <= 1"),
        ("E(X*Y) <= 1", "E(X) == c", "", "o1_ <= 1"),
        # a name of the statement is no name of an opaque term: false where o1_ <= 0 is given
        ("P(X > c) <= o1_", "", "", "o1__ <= o1_ where o1__ >= 0, o1__ <= 1"),
        ("P(X > c) <= a", "o1_ <= 0", "", "o1__ <= a where o1_ <= 0, o1__ >= 0, o1__ <= 1"),
        ("P(X > c) <= x", "", "o1_ <= 0", "o1__ <= x where o1__ >= 0, o1__ <= 1"),
        ("P(X > o1_) <= x", "", "", "o1__ <= x where o1__ >= 0, o1__ <= 1"),
        # equations among the facts that can be solved
        ("E(X) <= 3", "E(X) == 2*c + 1; c <= 1", "", "2*c + 1 <= 3 where c <= 1"),
        ("E(X) <= 3", "2*E(X) + c == 1", "c >= 0; a >= 0", "(-1/2)*c + 1/2 <= 3 where c >= 0"),
        ("E(X) <= E(Y)", "E(X) == c; E(Y) == c", "c >= 0", "c <= c where c >= 0"),
        ("x <= 3", "x == c**2", "x >= a; c >= 0", "c**2 <= 3 where c >= 0"),
        ("x <= 3", "c**2 == x", "c >= 0", "c**2 <= 3 where c >= 0"),
        ("x <= 1", "y == x + 1; y <= 2", "", "x <= 1 where x + 1 <= 2"),
        ("x <= 1", "y == x + 1; x == 2*y", "", "2*(x + 1) <= 1 where x == 2*(x + 1)"),
        ("P(X > c) <= a", "P(X > c) == x", "x >= a", "x <= a where x >= a"),
        # others stay: false to divide by c, to solve x == x**2 by either, to use an inequality or the domain as one
        ("E(X) <= 3", "c*E(X) == c", "", "o1_ <= 3 where c*o1_ == c"),
        ("E(X) <= 3", "E(X)**2 == E(X)", "", "o1_ <= 3 where o1_**2 == o1_"),
        ("x <= 3", "x == x**2", "", "x**2 <= 3 where x == x**2"),
        ("x <= 3", "x**2 == x", "", "x <= 3 where x**2 == x"),
        ("E(X) <= 3", "E(X) <= 2*c", "", "o1_ <= 3 where o1_ <= 2*c"),
        ("E(X) <= 3", "E(X) != c", "", "o1_ <= 3 where o1_ != c"),
        ("x <= 3", "x <= c; x >= c", "", "x <= 3 where x <= c, x >= c"),
        ("x <= 3", "x + y == 2", "", "x <= 3 where x + y == 2"),
        ("x**2 <= 3", "x**2 == c + x; x**2 <= y", "", "c + x <= 3 where x**2 == c + x, c + x <= y"),
        ("x + 1 <= y", "c*x == x + 1", "", "x + 1 <= y where c*x == x + 1"),
        ("x**2 <= c**2", "x**2 == y**2; y**2 == c**2", "", "c**2 <= c**2 where x**2 == c**2, y**2 == c**2"),
    ],
)  # fmt: skip
def test_a_claim(goal, facts, domain, told):
    assert str(claimed(goal, facts, domain, True).claim) == told


@pytest.mark.parametrize(
    ("goal", "facts", "opaque", "kept"),
    [
        ("integral(x*t, t, 0, 1) <= x", "", "o1_ <= x", "integral(x*t, t, 0, 1) <= x"),
        ("integral(P(X > t), t, 0, 1) <= 1", "", "o1_ <= 1", "o1_ <= 1"),  # false: with ranges in a body
        ("integral(x*t, t, 0, P(X > 1)) <= 1", "", "o1_ <= 1", "o1_ <= 1"),
        # false: x*k == 2*x*k of one k, put for the k of the sum; 2*t == 6 of one t
        ("sum(x*k, k, 0, 3) <= 1", "x*k == 2*x*k", "o1_ <= 1 where x*k == 2*x*k",
         "sum(x*k, k, 0, 3) <= 1 where x*k == 2*x*k"),
        ("integral(2*t, t, 0, 1) >= 5", "2*t == 6", "o1_ >= 5 where 2*t == 6",
         "integral(2*t, t, 0, 1) >= 5 where 2*t == 6"),
        ("integral(2*x, t, 0, 1) >= 5", "2*x == t + 1", "o1_ >= 5 where 2*x == t + 1",
         "integral(2*x, t, 0, 1) >= 5 where 2*x == t + 1"),
        # at the ends, and where another name is bound, the same variable is meant
        ("integral(2*t, t, 0, 2*t) >= 5", "2*t == 6 + t", "o1_ >= 5 where 2*t == 6 + t",
         "integral(2*t, t, 0, 6 + t) >= 5 where 2*t == 6 + t"),
        ("integral(2*x, t, 0, 1) >= 5", "2*x == 6 + x", "o1_ >= 5 where 2*x == 6 + x",
         "integral(6 + x, t, 0, 1) >= 5 where 2*x == 6 + x"),
    ],
)  # fmt: skip
def test_a_claim_with_integrals_and_sums(goal, facts, opaque, kept):
    assert str(claimed(goal, facts, "", True).claim) == opaque
    assert str(claimed(goal, facts, "", False).claim) == kept


@pytest.mark.parametrize(
    ("goal", "facts", "integers"),
    [
        ("n <= m", "", "m n"), ("I <= x", "", "I"), ("x <= y", "", ""), ("x <= 1", "n <= x", "n"),
        ("at(S, n) <= 1", "", "o1_"), ("x <= at(B, n)", "", ""), ("at(B, n) <= at(S, m)", "", "o2_"),
        ("P(X > n) <= x", "", ""),  # false: a probability is 0 or 1
        ("h(w) <= 1", "", ""), ("E(I) <= 1", "", ""),  # false: a mean of integers is an integer
        ("x <= 1", "n == x", "n"), ("x <= at(S, n)", "at(S, n) == x", "o1_"), ("x <= 1", "n == m", ""),
    ],
)  # fmt: skip
def test_the_variables_that_range_over_integers(goal, facts, integers):
    assert claimed(goal, facts, "", True).claim.integers == set(integers.split())


def test_what_an_obligation_tells():
    found = claimed("P(X > c) <= E(Y)", "E(Y) == norm(w)", "c >= 0", True)
    assert found.role == "r" and found.opaque and found.times == ()
    assert {k: str(e) for k, e in found.terms.items()} == {"o1_": "P(X > c)", "o3_": "norm(w)"}
    assert not claimed("x <= 1", "", "", True).opaque


def test_infinite_ends_are_no_hypotheses():
    fact = Relation("<=", var("x"), OO)
    assert str(scalar_obligation("r", [], [fact], relations("x <= 1")[0], SCOPE, True).claim) == "x <= 1"


@pytest.mark.parametrize(
    ("equation", "wanted"),
    [
        ("n == m + 1", "x**(m + 1) <= c where x**(m + 1) <= a"),
        ("n == m/2", "x**n <= c where x**n <= a, n == m/2"),  # false: x**(m/2) says nothing for x < 0
        ("n == t", "x**n <= c where x**n <= a, n == t"),  # likewise
    ],
)
def test_a_whole_name_stands_for_what_is_whole_by_its_form(equation, wanted):
    assert str(claimed("x**n <= c", f"x**n <= a; {equation}", "", True).claim) == wanted
