"""Counterexamples to claims about free vectors and to rates: what the kernel accepts, and what it must not."""

from __future__ import annotations

from dataclasses import replace
from fractions import Fraction

import pytest
from slow import more

from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.decide.quadratic.gram_witness import Counterexample, accepted, lengths
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.decide.quadratic.witness import check_witness, refutes
from boundcheck.kernel.check.quadratic import problem
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.rate import Rate
from boundcheck.kernel.statement import GramClaim
from boundcheck.verdict import Status

SECONDS = 5.0  #: within which hostile data is settled; it takes hundredths


def claim(vectors: str, goal: str, hypotheses: tuple[str, ...] = (), where: tuple[str, ...] = ()) -> GramClaim:
    def read(text: str):
        return parse_relation(text, proof=True)

    return GramClaim("test", tuple(vectors.split()), read(goal), tuple(map(read, hypotheses)), tuple(map(read, where)))


SHORTER = claim("a b", "norm(a)**2 <= k*norm(b)**2", ("norm(b)**2 >= 1",), ("k >= 0",))
EQUAL = claim("a b", "norm(a)**2 <= k*norm(b)**2", ("norm(b)**2 == 1",), ("k > 0", "k != 3"))
LEVEL = claim("a", "f(x) <= f(y) + k*norm(a)**2", ("f(x) <= f(y) + norm(a)**2",), ("k >= 0",))


@pytest.mark.parametrize(
    ("about", "k", "a", "b", "value"),
    [
        (SHORTER, "1", ("2",), ("1",), Fraction(-3)),
        (SHORTER, "1", ("1",), ("1",), None),  # holds with equality
        (SHORTER, "1", ("2",), ("1/2",), None),  # the hypothesis fails
        (SHORTER, "-1", ("2",), ("1",), None),  # outside of the domain
        (SHORTER, "0", ("2",), ("1",), Fraction(-4)),
        (SHORTER, "1", ("1", "1"), ("0", "1"), Fraction(-1)),
        (EQUAL, "1", ("2",), ("1",), Fraction(-3)),
        (EQUAL, "1", ("3",), ("2",), None),
        (EQUAL, "0", ("2",), ("1",), None),
        (EQUAL, "3", ("2",), ("1",), None),
        (LEVEL, "1/2", ("1",), None, Fraction(-1, 2)),
        (LEVEL, "1", ("1",), None, None),
        (LEVEL, "2", ("1",), None, None),
    ],
)
def test_witnesses(about, k, a, b, value):
    vectors = {"a": a} | ({"b": b} if b is not None else {})
    levels = {"f(x)": "7", "f(y)": "6"}  # as in the hypothesis of LEVEL, with equality
    assert check_witness(about, {"k": k}, vectors, levels) == value
    assert check_witness(about, {}, vectors, levels) is None
    assert check_witness(about, {"k": "x"}, vectors, levels) is None
    assert about is not LEVEL or check_witness(about, {"k": k}, vectors) is None


@pytest.mark.parametrize(
    ("goal", "hypotheses", "levels", "value"),
    [
        ("f(x) <= norm(a)**2", ("f(x) <= 1",), {"f(x)": "1"}, -1),
        ("f(x) <= norm(a)**2", ("f(x) == 1",), {"f(x)": "1"}, -1),
        ("f(x) + f(z) <= norm(a)**2", ("f(x) <= 1", "f(z) <= 2"), {"f(x)": "1", "f(z)": "2"}, -3),
        ("f(x) <= norm(a)**2", ("f(x) + f(z) <= 1", "f(z) >= -2"), {"f(x)": "3", "f(z)": "-2"}, -3),
        ("f(x) + f(z) <= norm(a)**2", ("f(x) <= 1",), {"f(x)": "1", "f(z)": "0"}, -1),  # f(z) may be anything
        ("f(x) <= norm(a)**2 - 5", ("f(x) >= 1",), {"f(x)": "1"}, -6),
    ],
)
def test_levels_are_chosen_outside_of_the_kernel(goal, hypotheses, levels, value):
    about = claim("a", goal, hypotheses)
    assert check_witness(about, {}, {"a": ("0",)}, levels) == value
    name = hypotheses[0][:4]
    off = ({**levels, name: f"{levels[name]} {sign} 1e-300"} for sign in "+-")
    assert None in (check_witness(about, {}, {"a": ("0",)}, other) for other in off)
    verdict = decide_gram(about)
    assert verdict.status is Status.REFUTED
    found = Counterexample.read(verdict.witness, about.vectors)
    assert check_witness(about, {}, found.vectors, found.levels) < 0


def test_levels_that_refute_nothing():
    about = claim("a", "f(x) <= norm(a)**2 + 1", ("f(x) <= 1",))
    assert accepted(about, problem(about), {}, {"a": ("0",)}, {"f(x)": "1"}) is None
    assert decide_gram(about).status is Status.PROVED
    for level in ("1", "1 + 1e-300", "2", "0"):
        assert check_witness(about, {}, {"a": ("0",)}, {"f(x)": level}) is None


def test_a_length_is_a_number():
    length = claim("a B", "norm(a)**2 <= B**2", (), ("B >= 1", "B < 3"))
    for b, value in (("1", -3), ("1/2", None), ("3", None), ("2", None), ("sqrt(2)", -2)):
        found = check_witness(length, {}, {"a": ("2",), "B": (b,)})
        assert found == value or (found is not None and abs(found - value) < 1e-9)
    assert check_witness(length, {}, {"a": ("3", "0"), "B": ("1", "0")}) == -8
    assert check_witness(length, {}, {"a": ("3", "0"), "B": ("1", "2")}) is None
    bound = claim("a B", "norm(a) <= 0", ("norm(a) <= B",))
    assert check_witness(bound, {}, {"a": ("1",), "B": ("1",)}) == -1
    assert check_witness(bound, {}, {"a": ("1",), "B": ("-1",)}) is None  # its square would do
    assert lengths(length) == {"B"} and lengths(bound) == {"B"} and not lengths(SHORTER)


@pytest.mark.parametrize("given", ["B**2 >= 1", "B**2 == 1"])
def test_lengths_are_not_orthogonal(given):
    """True of numbers, false of vectors; it was refuted by B and C along different axes."""
    about = claim("B C", "C**2 <= 0", ("B*C == 0", given))
    assert check_witness(about, {}, {"B": ("1", "0"), "C": ("0", "1")}) is None
    assert check_witness(about, {}, {"B": ("1", "0"), "C": ("1", "0")}) is None
    assert decide_gram(about).status is Status.UNDECIDED


def test_lengths_beside_vectors_of_several_dimensions_are_found():
    about = claim(
        "a b B", "dot(a, b) <= 3*B**2",
        ("norm(a)**2 + norm(b)**2 <= 8*B**2", "dot(a, b) <= 100*B**2", "norm(a - b)**2 >= B**2/2"),
    )  # fmt: skip
    verdict = decide_gram(about)
    assert verdict.status is Status.REFUTED
    found = Counterexample.read(verdict.witness, about.vectors)
    assert len(found.vectors["B"]) > 1 and set(found.vectors["B"][1:]) == {"0"}
    assert check_witness(about, found.parameters, found.vectors, found.levels) < 0


@pytest.mark.parametrize(
    ("where", "holds"),
    [("1 > 1", False), ("1 >= 1", True), ("1 == 1", True), ("1 != 1", False), ("2 > 1", True), ("2 < 1", False)],
)
def test_an_empty_domain_has_no_witness(where, holds):
    found = check_witness(claim("a", "norm(a)**2 <= 0", (), (where,)), {}, {"a": ("1",)})
    assert found == (-1 if holds else None)


def test_a_witness_does_not_say_what_a_root_is():
    root = claim("a", "norm(a)**2 <= sqrt(2)", ("f(x) <= norm(a)**2",), ("k >= sqrt(2)",))
    for k, a, level, value in (("3/2", "2", "1", True), ("1", "2", "1", False), ("3/2", "1", "1", False)):
        found = check_witness(root, {"k": k}, {"a": (a,)}, {"f(x)": level})
        assert (found is not None and found < 0) is value
    assert check_witness(root, {"k": "3/2", "root_2_1_": "1/2"}, {"a": ("1",)}, {"f(x)": "0"}) is None
    assert check_witness(root, {"k": "3/2"}, {"a": ("2",)}, {"f(x)": "5"}) is None
    assert check_witness(root, {"k": "3/2"}, {"a": ("2",)}, {}) is None
    equal = claim("a", "norm(a)**2 <= sqrt(2)", ("f(x) == sqrt(2)",))
    assert check_witness(equal, {}, {"a": ("2",)}, {"f(x)": "1"}) is None
    assert check_witness(equal, {}, {"a": ("2",)}, {"f(x)": "1.4142135623730951"}) is None
    assert check_witness(equal, {}, {"a": ("2",)}, {"f(x)": "2/sqrt(2)"}) < 0


#: a relation about k, numbers at which it holds, and numbers at which it does not: some by a hair, some undefined
DOMAINS = [
    ("k < 1", ("1 - 1e-300", "sqrt(2)/2"), ("1", "sqrt(2)**2/2", "1 + 1e-300")),
    ("k <= 1", ("1", "sqrt(2)**2/2", "1 - 1e-300"), ("1 + 1e-300", "1 + 1e-400*sqrt(2)")),
    ("k**2 == 2", ("sqrt(2)", "-sqrt(8)/2"), ("1.4142135623730951", "sqrt(2) + 1e-100", "7/5")),
    ("k**2 != 2", ("7/5",), ("sqrt(2)", "2/sqrt(2)")),
    ("sqrt(k) >= 0", ("0", "1e-300"), ("-1e-300", "-1")),
    ("0*(1/k) <= 1", ("1e-300",), ("0", "sqrt(2) - 2/sqrt(2)")),
    ("max(k, 1/k) >= k", ("-1", "2"), ("0",)),
    ("abs(k - 1) == 1", ("0", "2"), ("1", "sqrt(2)")),
    ("min(k, 1) == k", ("1", "1/2"), ("1 + 1e-300",)),
    ("dot(a, a) == 2*k", ("1/2",), ("1/2 + 1e-300",)),
    ("k*a == a", ("1", "2 - 1"), ("1 - 1e-300", "0")),
    ("a/k == 0*a", (), ("0", "1e300")),
    ("-(a/2) == k*a", ("-1/2",), ("1/2", "-1", "1")),
    ("a - 3*a == k*a", ("-2",), ("2", "4", "1")),
    ("a*k == norm(a)*a", ("1",), ("2", "0")),
    ("norm(a)**k <= norm(a)**3", ("2", "1/2", "-sqrt(2)"), ("1/0", "pi")),
    ("k*(a + a) == 2*a", ("1",), ("2",)),
    ("a*(k + 1) == 2*a", ("1",), ("0",)),
    ("2*(k*a) == a*norm(a)*2", ("1",), ("2",)),
    ("(a + a)*norm(a)*k == a", ("1/2",), ("2", "1")),
    ("dot(a*k, a) == 2*dot(a, a)", ("2",), ("1", "0")),
    ("k > 1", ("1 + 1e-30*sqrt(2)", "1 + 1e-200*sqrt(2)"), ("1 - 1e-30*sqrt(2)", "1 + 1e-400*sqrt(2)")),
    ("k*a != 0", ("1e-300",), ("0", "1/0")),
    ("a == 1/m", (), ("1",)),  # nothing uses m, and it has no value
    ("m == m", (), ("1",)),
]  # fmt: skip


@pytest.mark.parametrize(("relation", "good", "bad"), DOMAINS)
def test_a_relation_holds_only_where_that_is_decided(relation, good, bad):
    for about in (claim("a", "norm(a) <= 0", (), (relation,)), claim("a", "norm(a) <= 0", (relation,))):
        for a in (("1",), ("3/5", "4/5")):
            for k in good:
                assert check_witness(about, {"k": k}, {"a": a}) == -1, k
            for k in bad:
                assert check_witness(about, {"k": k}, {"a": a}) is None, k


@pytest.mark.parametrize(
    "where",
    [
        ("k == 1/m", "m == 0"),
        ("k == 1/m", "m >= 0", "m <= 0"),
        more(("k == sqrt(m)", "m < 0")),
        more(("k == 1/(m - m)", "m > 0")),
    ],
)
def test_nothing_is_refuted_where_an_equation_has_no_value(where):
    assert decide_gram(claim("a", "norm(a)**2 <= 0", (), where), seconds=0.5).status is Status.UNDECIDED


@pytest.mark.parametrize("m", ["0", "sqrt(2) - 2/sqrt(2)", "sqrt(-1)"])
def test_an_equation_that_gives_what_nothing_uses_must_hold_all_the_same(m):
    """It was dropped with the parameter that it gives."""
    about = claim("a", "norm(a)**2 <= 0", (), ("k == 1/m", "m >= 0"))
    for k in ("0", "1", m, f"1/({m})"):
        assert check_witness(about, {"m": m, "k": k}, {"a": ("1",)}) is None
    assert check_witness(about, {"m": "2", "k": "1/2"}, {"a": ("1",)}) == -1
    assert check_witness(about, {"m": "2", "k": "0.5000001"}, {"a": ("1",)}) is None
    assert check_witness(about, {"m": "2"}, {"a": ("1",)}) is None
    verdict = decide_gram(claim("a", "norm(a)**2 <= 0", (), ("k == 1/m", "m > 0", "m*k >= 1")))
    assert verdict.status is Status.REFUTED
    assert Fraction(verdict.witness["k"]) * Fraction(verdict.witness["m"]) == 1


def test_only_the_number_0_is_a_vector():
    for relation in ("a == 1", "a - 1 == 0", "dot(a, 1) == 2", "norm(a - 1) == 0", "a == k"):
        about = claim("a", "norm(a)**2 <= 0", (relation,), ("k == 1",))
        assert check_witness(about, {"k": "1"}, {"a": ("1", "1")}) is None, relation
    for relation in ("a <= 2*a", "0 <= a", "a > -a"):  # vectors are not ordered
        assert check_witness(claim("a", "norm(a)**2 <= 0", (relation,)), {}, {"a": ("1", "1")}) is None, relation
    nowhere = claim("a", "norm(a)**2 >= 1", ("norm(a/k) <= 1",))
    assert check_witness(nowhere, {"k": "1"}, {"a": ("0",)}) == -1
    assert check_witness(nowhere, {"k": "0"}, {"a": ("0",)}) is check_witness(nowhere, {"k": "0"}, {"a": ()}) is None
    about = claim("a", "norm(a)**2 <= 0", ("a != 0", "norm(a - 0) > 0"))
    assert check_witness(about, {}, {"a": ("1", "1")}) == -2


def test_goals_that_are_no_weak_inequality_are_not_refuted():
    for goal in ("norm(a)**2 != 1", "norm(a)**2 == 1", "1 < norm(a)**2", "norm(a)**2 > 1"):
        assert check_witness(claim("a", goal), {}, {"a": ("0",)}) is None, goal


def test_norms_are_compared_as_they_stand():
    about = claim("r m", "norm(r) <= 0", ("norm(r) <= k*norm(m)",))
    assert check_witness(about, {"k": "1/2"}, {"r": ("1", "1"), "m": ("2", "2")}) < 0  # sqrt(2) = sqrt(8)/2
    assert check_witness(about, {"k": "1/2 - 1e-300"}, {"r": ("1", "1"), "m": ("2", "2")}) is None
    assert check_witness(about, {"k": "-1"}, {"r": ("1",), "m": ("2",)}) is None  # of the squares it is true
    product = claim("r", "norm(r)*norm(r) <= 1", ("norm(r)*norm(r) == 2", "norm(r)**4 == 4", "norm(r)**(-2) == 1/2"))
    assert check_witness(product, {}, {"r": ("1", "1")}) == pytest.approx(-1)
    assert check_witness(product, {}, {"r": ("sqrt(2)", "0")}) == pytest.approx(-1)
    assert check_witness(product, {}, {"r": ("1", "1.0000001")}) is None


@pytest.mark.parametrize(
    "vectors",
    [{}, {"a": ("1",)}, {"a": ("1",), "b": ()}, {"a": (), "b": ()}, {"a": ("2", "0"), "b": ("1",)},
     {"a": ("2",), "b": ("1", "0")}, {"a": ("2",), "b": ("k",)}, {"a": ("b",), "b": ("1",)}, {"a": ("2",), "b": None},
     {"a": ("2",), "b": (None,)}, {"a": ("2",), "b": (1,)}, {"a": ("oo",), "b": ("1",)},
     {"a": ("f(x)",), "b": ("1",)}],
)  # fmt: skip
def test_every_vector_has_coordinates_of_one_dimension(vectors):
    assert check_witness(SHORTER, {"k": "1"}, {"a": ("2",), "b": ("1",)}, {"f(x)": "2"}) == -3
    assert check_witness(SHORTER, {"k": "1"}, vectors, {"f(x)": "2"}) is None


def test_names_that_clash():
    """What is declared a vector is one; other coordinates, and a number of this name, are not looked at."""
    found = check_witness(SHORTER, {"k": "1", "a": "0", "b": "7"}, {"a": ("2",), "b": ("1",), "k": ("100",)})
    assert found == -3
    level = claim("a", "f(x) <= x + norm(a)**2", (), ("x == 1",))
    assert check_witness(level, {"x": "1"}, {"a": ("0",)}, {"f(x)": "2", "x": "0", "f(1)": "2"}) == -1
    assert check_witness(level, {"f(x)": "2", "x": "1"}, {"a": ("0",)}) is None
    assert check_witness(level, {}, {"a": ("0",)}, {"f(x)": "2", "x": "1"}) is None


@pytest.mark.parametrize(
    ("vectors", "goal", "relations", "good"),
    [
        ("a b", "f(a) <= f(b)", ("a == b",), False),
        ("a b", "f(a) <= f(b)", ("norm(a - b)**2 <= 0",), False),
        ("a b", "f(a) <= f(b)", ("norm(a - b)**2 <= 1",), False),
        ("a b", "f(a) <= h(b)", ("a == b",), True),
        ("a b", "f(2*a) <= f(a + b)", (), False),
        ("a b", "f(2*a) <= f(a - b)", (), True),
        ("a", "f(k) <= f(1)", ("k == 1",), False),
        ("a", "f(k) <= f(2)", ("k == 1",), True),
        ("a", "f(x) <= f(y)", (), True),
        ("a", "f(x) <= f(x + 0*y)", (), False),
        ("a", "f(x) <= f(1)", (), True),
        ("a", "at(f, x) <= at(f, y)", (), True),
        ("a", "f(at(xs, k)) <= f(at(xs, k + 1))", (), True),
        ("a", "f(at(xs, k)) <= f(at(xs, 1))", (), False),
        ("a", "f(h(x)) <= f(2*h(x))", (), False),
        ("a", "f(h(x)) <= f(g(x))", (), True),
        ("a", "f(norm(a)) <= f(norm(b))", (), False),
        ("a b", "f(norm(a)) <= f(norm(-b))", (), False),
        ("a b", "f(norm(a)) <= f(norm(2*b))", (), True),
        ("a b", "f(norm(a)) <= f(h(x))", (), False),
        ("a", "at(f, x) <= at(h, x)", (), True),
    ],
)
def test_a_function_has_one_value_at_one_point(vectors, goal, relations, good):
    about = claim(vectors, goal, relations)
    small, _, large = goal.partition(" <= ")
    found = check_witness(about, {"k": "1"}, {"a": ("1",), "b": ("1",)}, {small: "1", large: "0"})
    assert found == (-1 if good else None)


def test_a_function_has_one_value_at_equal_values_of_another():
    same = claim("a b", "f(a) + 1 <= f(b)", ("a == b",))
    assert check_witness(same, {}, {"a": ("1",), "b": ("1",)}, {"f(a)": "1/2", "f(b)": "0.5"}) == -1
    about = claim("a", "f(h(x)) <= f(h(y))", ("h(x) <= h(y)",))
    for x, found in (("1", None), ("2 - 1", None), ("1 - 1e-300", -1)):
        assert (
            check_witness(about, {}, {"a": ("0",)}, {"f(h(x))": "1", "f(h(y))": "0", "h(x)": x, "h(y)": "1"}) == found
        )


def test_a_function_of_a_rate_has_one_value_at_one_point():
    """Points that are defined may be one: with a = 1 both are x0."""
    rate = Rate("point", {"h": "any"}, ("x0",), "h(x1) <= h(x0)", ("x1 = a*x0",), where=("a >= 1",))
    vectors, levels = {"x0": ("1",), "h__x0": ("0",), "h__x1": ("0",)}, {"at(h, x1)": "1", "at(h, x0)": "0"}
    assert refutes(rate, {"a": "2"}, vectors, levels)
    assert not refutes(rate, {"a": "1"}, vectors, levels)
    assert not refutes(rate, {"a": "2"}, {**vectors, "x0": ("0",)}, levels)
    given = Rate("given", {"h": "any"}, ("x0", "y0"), "h(x0) <= h(y0)", given=("norm(x0 - y0)**2 <= 0",))
    assert decide_rate(given).status is not Status.REFUTED


STEP = Rate(
    "step", {"f": "smooth_convex(L)"}, ("x0",), "norm(x1 - xs) <= 0.9*norm(x0 - xs)",
    ("xs = 0", "f'(xs) = 0", "x1 = x0 - g*f'(x0)"), where=("L > 0", "g == sqrt(k)/L", "k > 0", "k <= 1"),
)  # fmt: skip


def test_a_rate_is_evaluated_as_it_is_written():
    """The norms stay norms, the step is a root, and the equation that gives it must hold."""
    numbers, vectors = {"L": "1", "k": "1/2", "g": "sqrt(2)/2"}, {"x0": ("1", "1"), "f__x0": ("1/100", "1/100")}
    levels = {"at(f, x0)": "1/100", "at(f, xs)": "0"}
    assert refutes(STEP, numbers, vectors, levels)
    for other in ({"g": "0.7071067811865476"}, {"g": "-sqrt(2)/2"}, {"k": "2"}, {"L": "0"}, {"L": "-1"}, {"k": "x0"}):
        assert not refutes(STEP, {**numbers, **other}, vectors, levels), other
    for level in ("0.00009", "0.0199 + 1/100", "nan", "1e999999999", "sqrt(-1)", "at(f, xs)"):
        assert not refutes(STEP, numbers, vectors, {**levels, "at(f, x0)": level}), level
    assert refutes(replace(STEP, claim="norm(x1 - xs)**2 <= max(0.8, 0.3)*norm(x0 - xs)**2"), numbers, vectors, levels)
    assert not refutes(replace(STEP, claim="norm(x1 - xs) <= max(0.9, 1)*norm(x0 - xs)"), numbers, vectors, levels)


HOSTILE = [
    "nan", "NaN", "inf", "-inf", "oo", "-oo", "1/0", "0/0", "sqrt(-1)", "(-1)**(1/2)", "", "1 2", "x", "f(1)", "1e401",
    "1e1000000000", "9" * 401, "9**9**9", "-(1e400**1e400)", "pi", "E", "sum(i, i, 1, 10)", "integral(x, x, 0, 1)",
    "exp(-1)", "log(0)", "None", "\u00b2", "(" * 500 + "1" + ")" * 500, None, 3, 1.5, float("nan"), ["1"],
]  # fmt: skip
LARGE = ["9**999999", "1e400", "-9**999999", "2**(-999999)", "1e400 - 1e-400", "sqrt(" * 100 + "2" + ")" * 100,
         "+".join(f"sqrt({i})" for i in range(2, 300))]  # fmt: skip


@pytest.mark.parametrize("term", [*HOSTILE, *LARGE])
def test_hostile_numbers_end_and_refute_nothing(term):
    about = claim("a", "norm(a)**2 <= 0*k", ("k**2 >= 0", "f(x) >= f(x)", "k**100000 <= (k*k)**50000"))
    start = seconds_used()
    for at in (({"k": term}, ("1",), "1"), ({"k": "1"}, (term, "1"), "1"), ({"k": "1"}, ("1",), term)):
        found = check_witness(about, at[0], {"a": at[1]}, {"f(x)": at[2]})
        assert term in LARGE or found is None
    assert seconds_used() - start < SECONDS


@pytest.mark.parametrize("m", ["1e400", "-1e400", "1e400 + 1/3", "10**1000", "9**99999"])
def test_powers_with_huge_exponents_end(m):
    about = claim("a", "norm(a)**2 <= k**m", ("k**m <= (k**(m/2))**2",))
    start = seconds_used()
    for k in ("2", "1/2", "sqrt(2)/2", "1e-400", "0", "-1"):
        check_witness(about, {"k": k, "m": m}, {"a": ("2",) * 1000})
    assert seconds_used() - start < SECONDS


def test_values_at_terms_of_an_index_are_found():
    """fmu(at(xs, t)) is one value; nothing fixes at(xs, t) and at(xs, t + 1), points of a sequence."""
    about = claim(
        "a", "fmu(at(xs, t + 1)) <= fmu(at(xs, t)) - norm(a)**2",
        ("fmu(at(xs, t + 1)) <= fmu(at(xs, t)) - k*norm(a)**2",), ("k > 0", "t >= 1"),
    )  # fmt: skip
    verdict = decide_gram(about)
    assert verdict.status is Status.REFUTED
    found = Counterexample.read(verdict.witness, about.vectors)
    assert set(found.levels) == {"fmu(at(xs, t))", "fmu(at(xs, t + 1))"}
    assert check_witness(about, found.parameters, found.vectors, found.levels) < 0


def test_what_equations_give_is_in_the_witness():
    about = claim(
        "G g e w", "fmu(y) <= fmu(x) - alpha/2*norm(G)**2 + 0.49*alpha*norm(e)**2",
        ("g == G + e", "w == beta*g", "fmu(y) <= fmu(x) - alpha*dot(G, g) + L*alpha**2/2*norm(g)**2"),
        ("L > 0", "alpha > 0", "alpha <= 1/L", "beta == alpha/2", "delta == beta + 1"),
    )  # fmt: skip
    verdict = decide_gram(about)
    assert verdict.status is Status.REFUTED
    found = Counterexample.read(verdict.witness, about.vectors)
    assert found.flat() == dict(verdict.witness)
    assert set(found.vectors) == set(about.vectors) and set(found.levels) == {"fmu(x)", "fmu(y)"}
    assert set(found.parameters) == {"L", "alpha", "beta", "delta"}
    assert check_witness(about, found.parameters, found.vectors, found.levels) < 0
    for part in (found.parameters, found.vectors, found.levels):
        for name in part:
            fewer = {k: {n: v for n, v in kept.items() if n != name} for k, kept in vars(found).items()}
            assert check_witness(about, fewer["parameters"], fewer["vectors"], fewer["levels"]) is None, name
