"""Hostile worlds: no true statement is refuted in one, and no hypothesis that does not hold there is taken for met."""

import pytest
from slow import more

from boundcheck.decide.memory import fraction, key_of, remembering
from boundcheck.decide.scalar.engine import decide
from boundcheck.decide.scalar.witness_check import check_witness
from boundcheck.decide.worlds.world import World
from boundcheck.decide.worlds.world_refute import refuted, unmet
from boundcheck.decide.worlds.world_terms import Unknown
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.statement import Claim, Exists, Fact, Parameter, Statement
from boundcheck.verdict import Status


def stated(declares, hypotheses, claims, parameters=(), **more):
    facts = lambda rows: tuple(Fact(r) if isinstance(r, str) else Fact(*r) for r in rows)  # noqa: E731
    named = {f"h{n}": f for n, f in enumerate(facts(hypotheses))}
    return Statement(
        "a", "t", "lemma", "p", "text", parameters, named, facts(claims), declares=declares, **more
    )  # fmt: skip


X = {"X": "integer -> random vector", "H": "integer -> information"}
HEAVY = {"X": "random real", "H": "information"}
FALSE = "0 >= 1"  #: follows from what contradicts itself
TRUE = {
    "a function of a random value, with a mean inside": (
        {**X, "f": "vector -> vector"},
        [("f(y) == E(y + at(X, 2))", ("y: vector",)), "E(at(X, 2)) == 0"],
        ["f(at(X, 1)) == at(X, 1)"], {"X(i)": "w(i)"},
    ),
    "a function by the mean of another one, at a random value": (
        {"xi": "random real", "d": "random real", "F": "real, real -> real", "g": "real -> real"},
        [("g(y) == E(F(xi, y))", ("y",)), ("F(z, y) == z*y + y", ("z", "y")), "E(xi) == 0"],
        ["E(g(d)) == E(d)", ("g(y) == y", ("y",))], {"xi": "w(5)", "d": "w(1)"},
    ),
    "a function that takes a sign out of its argument": (
        {**X, "f": "vector -> real"}, ["P(at(X, 1) == at(X, 2)) == 1/2"],
        ["E(f(at(X, 1))) == E(f(-at(X, 1)))"], {"X(i)": "w(i)", "f(y)": "y*w(1)"},
    ),
    "a gradient that an equation gives too": (
        {"f": "vector -> real", "g": "vector -> vector"},
        ["gradient(f, g) == 1", ("g(y) == 5*y", ("y: vector",))],
        [("f(y) == f(0*y) + 5/2*norm(y)**2", ("y: vector",))], {"f(y)": "y**2/2"},
    ),
    "a function of a batch, with a mean inside": (
        {"B": "integer -> random object", "g": "object -> real", "F": "object -> real"},
        [("F(b) == E(g(b))", ("b: object",))], ["F(at(B, 1)) == g(at(B, 1))"], {"B(t)": "batch(t)", "g(b)": "w(b, 1)"},
    ),
    "a function of a batch that sees more signs": (
        {**X, "B": "integer -> random object", "f": "object -> real"}, ["independent(at(B, 1), at(H, 1)) == 1"],
        ["Egiven(f(at(B, 1)), at(H, 1)) == E(f(at(B, 1)))"],
        {"B(t)": "batch(t)", "H(i)": "k3 == 2", "f(b)": "w(b, 1, 2)"},
    ),
    "an integer with a half": ({"n": "integer"}, ["2*n == 1"], [FALSE], {"n": "1/2"}),
    "an integer that an equation makes a half": ({"n": "integer"}, ["n == 1/2"], [FALSE], {}),
    "integers with halves": ({"N": "integer -> integer"}, ["at(N, 0) == 1/2"], [FALSE], {"N(i)": "1/2"}),
    "a claim on integers at a half": ({}, [], [("floor(j) == j", ("j: integer",))], {"j": "1/2"}),
    "an event that is a number": ({"A": "integer -> event"}, [], ["P(at(A, 1)) <= 1"], {"A(i)": "5"}),
    "a constant that is random": (
        {"Y": "random vector"}, [], [("E(norm(Y)**2) == norm(E(Y))**2", ("Y",))], {"Y": "w(1)"},
    ),
    "another exponential": ({}, [], [("exp(y) >= 1 + y", ("y",))], {"exp(x)": "0 - 1"}),
    "another sum": ({}, [], ["1 + 1 == 2"], {"add(x, y)": "0"}),
    "a name of worlds": ({"w": "integer -> real"}, [], ["E(w(1)) == w(1)"], {}),
    "infinite": ({"c": "real"}, ["c > 0"], ["1/c > 0", "c - c == 0", "c < c + 1"], {"c": "oo"}),
    "a value of a uniform number": ({"u": "random vector"}, ["law(u) == ball(1)"], ["norm(u) <= 1"], {}),
    "a mean that does not exist": (
        {"u": "random vector"}, ["law(u) == ball(1)", "integrable(1/norm(u)) == 1"], [FALSE], {},
    ),
    "not that law": ({"u": "random vector"}, ["law(u) == sphere(1)", "law(u) != sphere(1)"], [FALSE], {}),
    "a function with one other value": (
        {"f": "vector -> real"}, [("f(y) <= norm(y)**2", ("y: vector",))], ["f(0) <= 0"], {"f(0)": "5"},
    ),
    "information as a number": ({**X}, ["independent(at(H, 1), at(X, 1)) == 1", "measurable(at(X, 1), at(H, 1)) == 1",
        "E(norm(at(X, 1))**2) == 1", "E(at(X, 1)) == 0"], [FALSE], {"X(i)": "w(i)", "H(i)": "k1 <= i"}),
    "signs between the integers": (
        {"X": "real -> random vector", "H": "integer -> information"},
        ["increasing(H) == 1", "measurable(X(1/2), at(H, 0)) == 1"],
        ["Egiven(X(1/2), at(H, 1)) == X(1/2)"], {"X(s)": "w(s)", "H(i)": "(2*k1 - 1)**2 <= 0; i <= 0"},
    ),
    "information that speaks of a second index at times": (
        {**X}, ["increasing(H) == 1", "measurable(at(X, 1), at(H, 0)) == 1"],
        ["Egiven(at(X, 1), at(H, 1)) == at(X, 1)"],
        {"X(i)": "w(i)", "H(i)": "k1 <= 5; i >= 0; i*k2 <= i*k2 + i"},
    ),
    "information with the name of an index": (
        {"X": "real -> random vector", "H": "real -> information"},
        [("measurable(X(r), H(s)) == 1", ("r: real", "s: real"), ("r < s",))],
        [("Egiven(X(5), H(k1)) == X(5)", ("k1: real",), ("k1 > 5",))], {"X(s)": "w(s)", "H(s)": "k1 < s"},
    ),
    "a long sum over i beside j": (
        X, [("sum(E(dot(at(X, i), at(X, j))), i, 1, 1000) >= 2", ("j: integer",)),
            ("sum(E(dot(at(X, i), at(X, j))), i, 1, 1000) <= 1", ("j: integer",))], [FALSE], {"X(i)": "w(i)"},
    ),
    "the second index grows, the first has the name of ours": (
        {"H": "integer, integer -> information", "X": "integer -> random vector"},
        [("increasing(at(H, i)) == 1", ("i: integer",)), "measurable(at(X, 5), at(H, 2, 0)) == 1"],
        ["Egiven(at(X, 5), at(H, 2, 1)) == at(X, 5)"],
        {"X(i)": "w(i)", "H(i, s)": "k1 <= 1 + 2*(s - i)**2 - 2*(s - i)"},
    ),
    "a batch beside its own signs": (
        {"B": "integer -> random object", "X": "integer -> random vector", "g": "object -> vector"},
        [("independent(at(B, 1), at(X, k)) == 1", ("k: integer",)), "E(g(at(B, 1))) == 0"],
        ["E(dot(g(at(B, 1)), at(X, 1))) == 0"], {"B(t)": "batch(t)", "X(k)": "w(1, k + 1)", "g(b)": "w(b, 2)"},
    ),
    "the gradient of another member": (
        {"F": "integer, vector -> real", "G": "integer, vector -> vector"},
        ["gradient(at(F, 1), at(G, 2)) == 1", ("at(F, 1, y) == norm(y)**2/2", ("y: vector",))],
        [("at(G, 2, y) == y", ("y: vector",))], {"F(s, y)": "s*y**2/2", "G(s, y)": "s*y"},
    ),
    "the gradient of the next member": (
        {"F": "integer, vector -> real", "G": "integer, vector -> vector"},
        [("gradient(at(F, t + 1), at(G, t)) == 1", ("t: integer",)), ("at(F, 2, y) == norm(y)**2", ("y: vector",))],
        [("at(G, 1, y) == 2*y", ("y: vector",))], {"F(s, y)": "s*y**2/2"},
    ),
    "a gradient beside a vector of that name": (
        {"F": "vector, vector -> real", "G": "vector, vector -> vector", "a": "vector"},
        [("gradient(F(y), G(y)) == 1", ("y: vector",))],
        [("G(y_any, a) == y_any", ("y_any: vector",))], {"F(s, z)": "s*z", "a": "1"},
    ),
    "a value at 0 of a function that has a usual one": (
        {"f": "vector -> real"}, ["f(0) == 1", ("f(y) <= norm(y)**2/2", ("y: vector",))], [FALSE], {},
    ),
    "a range up to a name that is declared too": (
        {"a": "integer -> real", "n": "integer"},
        [("at(a, k) <= 0", ("k: integer", "n: integer"), ("k >= 0", "k <= n", "n <= 3"))],
        ["at(a, 2) <= 0"], {"a(k)": "k", "n": "0"},
    ),
    "a mean in a range up to a name that is declared too": (
        {"X": "integer -> random real", "K": "integer, integer -> real", "n": "integer"},
        [("at(K, k, n) == E(at(X, k))", ("k: integer", "n: integer"), ("1 <= k <= 2", "k <= n"))],
        ["integrable(at(X, 2)) == 1"], {"X(k)": "unit(2)**(-k/2)", "n": "1"},
    ),
    "an integral in an integral": (
        {"f": "real -> real"}, [("f(y) == y/2", ("y: real",))],
        ["integral(f(t), t, 0, 1) < 1/3"], {"f(y)": "integral(y*t, t, 0, 1)"},
    ),
    "a name of an integral in a value": (
        {"f": "real -> real"}, [("f(y) == y/2", ("y: real",))],
        ["integral(f(2*t), t, 0, 1) < 3/5"], {"f(y)": "integral(y*t, t, 0, 1)"},
    ),
    "what is known under one condition": (
        {**X, "Y": "integer -> random vector"},
        [("at(Y, i) == Egiven(at(X, i), at(H, 0))", ("i: integer",)), ("at(Y, i) == 0", ("i: integer",), ("i >= 1",)),
         ("at(Y, i) == 0", ("i: integer",), ("i <= 0",))],
        ["Egiven(at(X, 0), at(H, 0)) == 0"], {"X(i)": "w(i)", "H(i)": "k1 <= i"},
    ),
    "two first values": ({"x": "integer -> real"}, ["at(x, 0) == 1", "at(x, 0) == 2"], [FALSE], {}),
    "a definition that is not used and cannot hold": (
        {**X, "f": "vector -> vector"}, [("f(y) == at(X, 1)", ("y: vector",))],
        ["at(X, 1) == E(at(X, 1))"], {"X(i)": "w(i)"},
    ),
    "a family by itself": (
        {"x": "integer -> real"}, [("at(x, t + 1) == at(x, t + 1) + 1", ("t: integer",), ("t >= 0",))], [FALSE], {},
    ),
    "a family that has no first member": (
        {"x": "integer -> real"}, [("at(x, t) == at(x, t - 1)**2 + 1", ("t: integer",))], [FALSE], {},
    ),
    "a function by another": (
        {"f": "real -> real", "g": "real -> real"},
        [("f(y) == g(y) + 1", ("y",)), ("g(y) == f(y)", ("y",))], [FALSE], {},
    ),
    "a number for almost all values": (
        {"Z": "random real"}, ["Z >= 0", "Z <= 1"], ["Z != 1/2", "abs(Z - 1/3) > 0"], {"Z": "unit(1)"},
    ),
    "a mean that two signs cancel": (
        {"Z": "random real", "Y": "random real"}, ["integrable(Y*Z) == 1"], [FALSE],
        {"Z": "1/unit(1)", "Y": "w(1)"},
    ),
    "a mean given what is large": (
        HEAVY, ["Egiven(X, H) == 0"], ["integrable(X) == 1"], {"X": "w(1)*unit(2)**(-2)", "H": "k1 == 2"},
    ),
    "a mean given what is large, by its name": (
        {**HEAVY, "Y": "random real"}, ["Y == Egiven(X, H)"], ["integrable(X) == 1"],
        {"X": "w(1)*unit(2)**(-1)", "H": "k1 == 2"},
    ),
    "a mean given what is large, of each member": (
        {**HEAVY, "X": "integer -> random real"},
        [("Egiven(at(X, i), H) <= 1", ("i: integer",), ("i >= 1", "i <= 2"))], ["integrable(at(X, 2)) == 1"],
        {"X(i)": "w(1)*unit(2)**(i - 3)", "H": "k1 == 2"},
    ),
    "a mean given what is large, inside of a mean": (
        {**HEAVY, "f": "real -> real"}, ["E(f(Egiven(X, H))) <= 1"], ["integrable(X) == 1"],
        {"X": "unit(2)**(-2)", "f(y)": "0"},
    ),
    "a condition on a mean of what is large": (
        {**HEAVY, "Y": "random real"}, [("Y <= 5", (), ("E(X) > 1",))], ["integrable(X) == 1"],
        {"X": "unit(2)**(-2)", "Y": "0"},
    ),
    "a mean that does not exist is 0, also given information": (
        HEAVY, ["integrable(X) == 0"], ["Egiven(X, H) == 0"], {"X": "(w(1) + 2)*unit(2)**(-2)", "H": "k1 == 2"},
    ),
    "an axis beside all vectors of the line": (
        {"X": "integer -> random vector"}, [("dot(y, at(X, 1)) == 0", ("y: vector",))],
        ["at(X, 1) == 0"], {"X(i)": "axis(i)"},
    ),
    "an axis beside a law on the line": (
        {"X": "integer -> random vector", "u": "random vector"}, ["law(u) == sphere(1)"],
        ["norm(dot(u, at(X, 1))) == norm(at(X, 1))"], {"X(i)": "axis(i)", "u": "w(0)"},
    ),
    "an axis for a number": ({"c": "real"}, ["c != 0"], ["c**2 > 0", "abs(c) == 0"], {"c": "axis(1)"}),
    "axes that may be one": (
        {"X": "integer -> random vector"}, [("at(X, i) != at(X, j)", ("i: integer", "j: integer"), ("i <= j",))],
        [FALSE], {"X(i)": "axis(i)"},
    ),
    "a function of a random value of either sign": (
        {"Z": "random real", "g": "real -> real"},
        [("g(y) == P(unit(2)**(-1/2) > y)", ("y: real",))], ["E(g(Z)) >= 5/8"], {"Z": "w(1)*2"},
    ),
    "a batch in a long sum": (
        {"B": "integer -> random object", "f": "object -> real"}, [],
        ["P(f(at(B, 1)) > 0) <= 1"], {"B(t)": "batch(t)", "f(b)": "P(sum(w(b, i), i, 1, 400) > 0)"},
    ),
    "ill-typed": ({"v": "vector"}, ["v >= 1"], [FALSE], {"v": "1"}),
    "by itself": ({"c": "real"}, ["c == c + 1"], [FALSE], {}),
    "by each other": ({"a": "real", "b": "real"}, ["a == b", "b == a + 1"], [FALSE], {}),
    "too many arguments": ({"x": "integer -> real"}, [("at(x, t) == 0", ("t: integer",))], ["at(x, 1, 2) == 1"], {}),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_what_is_true_is_not_refuted(name):
    *statement, world = TRUE[name]
    assert refuted(stated(*statement), world).status is Status.UNDECIDED


@pytest.mark.parametrize(
    ("name", "new"),
    [
        ("a value at 0 of a function that has a usual one", ["f(0) == 1"]),
        ("a range up to a name that is declared too", [("at(a, k) <= 0", ("k: integer",), ("k >= 0", "k <= n"))]),
        (
            "a mean in a range up to a name that is declared too",
            [("at(K, k, m) == E(at(X, k))", ("k: integer", "m: integer"), ("1 <= k <= 2", "k <= n"))],
        ),
    ],
)
def test_what_follows_no_more_is_refuted(name, new):
    """The claim without what its truth rests on: one hypothesis less, or a name that stands for what is declared."""
    declares, _, claims, world = TRUE[name]
    assert refuted(stated(declares, new, claims), world).status is Status.REFUTED


A = {"a": "integer -> real", "b": "integer -> real", "f": "real -> real", "g": "real -> real", "c": "real"}
LATER = (("t: integer",), ("t >= 0",))


@pytest.mark.parametrize("op", ["<=", "=="])
@pytest.mark.parametrize(
    ("left", "right", "true", "first", "false"),
    [
        ("at(a, t + 1)", ("1/at(a, t)", *LATER), "at(a, 0) != 0", "0", None),
        ("at(a, t + 1)", ("f(1/at(a, t))", *LATER), "at(a, 0) != 0", "0", None),
        ("at(a, t)", ("log(at(b, t))", *LATER), "at(b, 2) > 0", "0", "at(b, 2) > 2"),
        ("at(a, t)", ("5", ("t: integer",), ("t >= 1/c",)), "c != 0", "0", "c > 2"),
        ("at(a, t + 1)", ("sum(at(a, t)*at(a, t), k, 1, 2)", *LATER), "at(a, 0) >= at(a, 0)", "0", "at(a, 1) <= -1"),
    ],
)
def test_an_equation_of_a_family_has_a_value_everywhere(op, left, right, true, first, false):
    """Its claim says that what it speaks of has a value, which contradicts the first world."""
    rhs, *ranges = right
    hypothesis = (f"{left} {op} {rhs}", *ranges)
    world = {"b(k)": first, "f(y)": "0", "c": first, "a(0)": first} | ({"h0": "=="} if op == "<=" else {})
    assert refuted(stated(A, [hypothesis], [true]), world).status is Status.UNDECIDED
    if false is not None:
        away = {k: "2" if v == first and k != "a(0)" else v for k, v in world.items()}
        assert refuted(stated(A, [hypothesis], [false]), away).status is Status.REFUTED


@pytest.mark.parametrize(
    ("bound", "claim"),
    [("f(y) <= 1/y", FALSE), ("f(y) <= sqrt(g(y))", "g(-1) >= 0"), ("f(y) <= 1/(y**2 + c)", "c > 0")],
)
def test_a_bound_with_equality_has_a_value_everywhere(bound, claim):
    world = {"h0": "==", "g(y)": "y", "c": "0"}
    assert refuted(stated(A, [(bound, ("y",))], [claim]), world).status is Status.UNDECIDED
    positive = (bound.replace("1/y", "1/(y**2 + 1)").replace("g(y)", "g(y)**2"), ("y",))
    found = refuted(stated(A, [positive], ["f(0) <= -1"]), {**world, "c": "1"})
    assert found.status is Status.REFUTED


@pytest.mark.parametrize("never", ["sqrt(-2)", "least(1/2, j, 1, 0)", "y + log(0 - 1)"])
def test_an_equation_whose_right_side_never_has_a_value_is_met_nowhere(never):
    """That it says nothing at y = 0, as 1/y, is another thing."""
    for declares, left, over in (({"X": "random real"}, "X", ()), ({"f": "real -> real"}, "f(y)", ("y",))):
        right = never if over else never.replace("y + ", "")
        asked = stated({**declares, "c": "real"}, [(f"{left} == {right}", over)], ["c == 1"])
        assert refuted(asked, {"c": "2"}).status is Status.UNDECIDED
    for right in ("1/y", "1/(y - 1) + sqrt(y)", "log(y - 1)"):
        somewhere = stated({"f": "real -> real", "c": "real"}, [(f"f(y) == {right}", ("y",))], ["c == 1"])
        assert refuted(somewhere, {"c": "2"}).status is Status.REFUTED


@pytest.mark.parametrize("never", ["sqrt(-1 - y**2)", "log(-abs(y))", "1/(y - y)", "sqrt(y - 1) + sqrt(-y)"])
def test_nor_is_one_whose_right_side_has_no_value_at_any_argument(never):
    asked = stated({"f": "real -> real", "c": "real"}, [(f"f(y) == {never}", ("y",))], ["c == 1"])
    assert refuted(asked, {"c": "2"}).status is Status.UNDECIDED
    two = stated(
        {"f": "real, real -> real", "c": "real"}, [("f(y, z) == sqrt(y - z)/(y - z)", ("y", "z"))], ["c == 1"]
    )
    assert refuted(two, {"c": "2"}).status is Status.REFUTED


ONE_OF_TWO = ["P(Y == 1) == P(Y == -1)"]


@pytest.mark.parametrize(
    ("hypotheses", "zero", "world", "status"),
    [
        ([], "sqrt(Y)", {}, Status.UNDECIDED),  # where it has a value almost surely, Y is never -1, and so never 1
        ([], "sqrt(Y + 2)", {}, Status.REFUTED),
        ([], "1/(Y + 1)", {}, Status.UNDECIDED),
        ([], "Y/(c + 1)", {"c": "1"}, Status.REFUTED),
        ([("f(y) == sqrt(y)", ("y",))], "f(Y)", {}, Status.UNDECIDED),
        ([("f(y) == sqrt(y)", ("y",))], "f(c)", {"c": "1"}, Status.REFUTED),
        ([("f(y) == log(c + y)", ("y",))], "f(Y)", {"c": "1"}, Status.UNDECIDED),
        ([("f(y) == y/log(c)", ("y",))], "f(Y)", {"c": "3"}, Status.REFUTED),
        ([], "f(Y)", {"f(y)": "1/(y + 1)"}, Status.UNDECIDED),
        ([], "f(Y)", {"f(y)": "y/2"}, Status.REFUTED),
        ([], "least(k, k, 1, N)", {"N": "w(1)"}, Status.UNDECIDED),
        ([("f(y) == E(sqrt(y + Z))", ("y",)), ("g(z) == f(z)", ("z",))], "g(Y)", {"Z": "1 - w(2)"}, Status.UNDECIDED),
        ([("f(y) == E(y*Z)", ("y",))], "f(Y)", {"Z": "w(2)"}, Status.REFUTED),
    ],
)
def test_what_is_claimed_to_be_certain_has_a_value_at_every_outcome(hypotheses, zero, world, status):
    """It is told for the outcome alone in which all signs are 1; at others it need not have a value there."""
    declares = {"Y": "random real", "Z": "random real", "N": "random integer", "c": "real"}
    declares |= {"f": "real -> real", "g": "real -> real"}
    asked = stated(declares, [*ONE_OF_TWO, *hypotheses], [f"P(Y != 1 + 0*{zero}) >= 1"])
    assert refuted(asked, {"Y": "w(1)", **world}).status is status


def test_a_name_of_a_fact_is_whole_where_its_parameter_is():
    whole, real = (Parameter("n", "n", (), integer) for integer in (True, False))
    claim = ("floor(n) == n", ("n",))
    assert refuted(stated({}, [], [claim], (whole,)), {}).status is Status.UNDECIDED
    assert refuted(stated({}, [], [claim], (real,)), {}).status is Status.REFUTED


def test_one_world_refutes_no_constant():
    asked = stated({}, [], ["C >= 2"], (Parameter("C", "C", ("C > 0",)),), exists=(Exists("C", ()),))
    assert refuted(asked, {"C": "1"}).status is Status.UNDECIDED


@pytest.mark.parametrize("square", ["at(a, t)**2", "at(a, t)*at(a, t)"])
def test_numbers_that_double_their_length_with_each_step_have_an_end(square):
    grows = (f"at(a, t + 1) == {square} + 1/2", ("t: integer",), ("t >= 0",))
    for n, status in ((10, Status.REFUTED), (40, Status.UNDECIDED), (10**6, Status.UNDECIDED)):
        asked = stated({"a": "integer -> real"}, [grows], [f"at(a, {n}) <= 1"])
        assert refuted(asked, {"a(0)": "2"}).status is status


@pytest.mark.parametrize(
    ("name", "status"),
    [
        ("f(1)", Status.REFUTED),
        ("f( 1 )", Status.REFUTED),
        *((f"f({inside})", Status.UNDECIDED) for inside in ("-1", "+1", "1/2", "y + 1", "1, ", "1))")),
    ],
)
def test_what_has_a_value_in_a_world_is_a_name_at_numerals_or_at_names(name, status):
    """The value at -1 is not that at 1."""
    asked = stated({"f": "real -> real"}, [], ["f(1) <= 2"])
    assert refuted(asked, {name: "5"}).status is status


@pytest.mark.parametrize("text", ["1e999999999", float("inf"), 5, None, "nan", "1_0", " 1", "oo"])
def test_a_number_of_a_hostile_record_takes_no_time(text):
    with pytest.raises(ValueError, match="record"):
        fraction(text)


@pytest.mark.parametrize(("text", "value"), [("-3/4", "-3/4"), ("1.5e-3", "3/2000"), ("7", "7")])
def test_a_number_of_a_record(text, value):
    assert str(fraction(text)) == value


def test_a_hostile_witness_is_searched_anew():
    claim = Claim("c", (parse_relation("x**2 >= 1"),), (parse_relation("x >= 0"),))
    for witness in ({"x": "1e999999999"}, {"x": float("inf")}, {"x": "1/0"}, {"x": "2"}, {"y": "0"}, []):
        with remembering({key_of("claim", claim): {"witness": witness}}):
            assert check_witness(claim, decide(claim, 1.0).witness)


@pytest.mark.parametrize(
    ("x", "met"),
    [
        ("(unit(1) - 1/2)*unit(2)**(-2)", False),  # integrated over the first number alone it is 0
        ("(unit(1) - 1/2)/unit(2)", False),
        ("(unit(1) - 1/2)*(unit(2) - unit(3))**(-2)", False),
        ("(unit(1) - 1/2)*unit(2)**2", True),
        ("(unit(1) - 1/2)*max(unit(2), 1/2)", True),
        ("w(1)*unit(2)**(-1/2)", True),
    ],
)
def test_a_mean_over_several_uniform_numbers_exists(x, met):
    world = World(stated({"X": "random real"}, ["E(X) == 0"], []), {"X": x})
    try:
        assert (not unmet(world)) is met
    except Unknown:
        assert not met


REAL = {"X": "random real", "Z": "random real", "H": "information", "x": "vector", "f": "real -> real"}


@pytest.mark.parametrize(
    ("hypothesis", "claim", "world"),  # each hypothesis says that a term has a value, which contradicts the world
    [
        ("0 == 0", "s/s == 1", {"s": "0"}),  # the claim says nothing there
        ("0 == 0", "norm(x)/norm(x) == 1", {"x": "0"}),
        ("0 == 0", "f(s/s) == f(1)", {"s": "0", "f(y)": "y"}),
        ("0 == 0", "E(X/X) >= 1", {"X": "1 + w(1)"}),
        ("P(X/X > 1) <= 1", "P(X == 0) <= 0", {"X": "1 + w(1)"}),
        ("integrable(log(X)) == 1", "P(X <= 0) <= 0", {"X": "1 + w(1)"}),
        ("integrable(1/X) == 1", "P(X == 0) <= 0", {"X": "1 + w(1)"}),
        ("E(0*sqrt(X)) <= 1", "E(X) >= 0", {"X": "0 - 1"}),
        ("E(ind(X > 0)*log(X)) <= 2", "E(X) >= 1", {"X": "w(1)"}),
        ("Egiven(0*sqrt(X), H) <= 1", "E(X) >= 0", {"X": "0 - 1"}),
        ("measurable(0*sqrt(X), H) == 1", "E(X) >= 0", {"X": "0 - 1"}),
        ("independent(sqrt(X), Z) == 1", "E(X) >= 0", {"X": "0 - 1", "Z": "w(1)"}),
        ("P(either(Z > 0, sqrt(X) > 1)) >= 0", "E(X) >= 0", {"X": "0 - 1", "Z": "1"}),
        ("P(both(Z > 2, sqrt(X) > 1)) >= 0", "E(X) >= 0", {"X": "0 - 1", "Z": "1"}),
        ("E(ind(both(Z > 2, f(1/X) > 1))*Z) >= 0", "P(X == 0) <= 0", {"X": "1 + w(1)", "Z": "1", "f(y)": "y"}),
        ("E(f(sqrt(X))) <= 1", "E(X) >= 0", {"X": "0 - 1", "f(y)": "0"}),  # the function does not look at it
        ("E(f(log(X))) <= 1", "P(X < 1/4) <= 0", {"X": "unit(1) - 1/2", "f(y)": "0"}),
        ("f(f(sqrt(X))) <= 1", "E(X) >= 0", {"X": "w(1) - 1", "f(y)": "1"}),
        ("independent(f(sqrt(X)), Z) == 1", "E(X) >= 0", {"X": "0 - 1", "Z": "w(1)", "f(y)": "0"}),
        ("sum(f(log(k + s)), k, 0, 3) <= 1", "s > 0", {"s": "0", "f(y)": "0"}),
        ("sum(f(log(k + s)), k, 0, 3000) <= 1", "s > 0", {"s": "0", "f(y)": "0"}),
        ("integral(f(log(t)), t, s - 1, s) <= 1", "s > 0", {"s": "0", "f(y)": "0"}),
        more("f(integral(1/t, t, s, s + 1)) < 1", "s > 0", {"s": "0", "f(y)": "0"}),
        more(("Z <= 5", (), ("f(integral(1/t, t, s, s + 1)) < 1",)), "s > 0", {"s": "0", "f(y)": "0", "Z": "1"}),
        (("Z <= 5", (), ("1/s <= 5",)), "s > 0", {"s": "0", "Z": "1"}),
        (("P(either(1 > 0, sqrt(y + s) > 1)) <= 1", ("y",), ("y >= -1",)), "s > 0", {"s": "0"}),
        ("Z == sqrt(X)", "E(X) >= 0", {"X": "0 - 1"}),  # gives Z a value that it need not have
        ("Z == 0*sqrt(X)", "E(X) >= 0", {"X": "0 - 1"}),
        ("s**s >= 0", "s > 0", {"s": "0"}),  # an exponent that is a whole number in the world stays real
        ("(s - 1)**s <= 100", "s >= 1", {"s": "0"}),
        ("E(X**s) <= 100", "E(X) >= 0", {"X": "0 - 1", "s": "2"}),
        ("E(f(X**(s - 2))) <= 100", "P(X == 0) <= 0", {"X": "1 + w(1)", "s": "2", "f(y)": "0"}),
    ],
)
def test_what_has_no_value_in_a_world_is_no_value_there(hypothesis, claim, world):
    asked = stated(REAL, [hypothesis], [claim], (Parameter("s", "s", ("s >= 0",)),))
    found = refuted(asked, world)
    assert found.status is Status.UNDECIDED, found.reason
    # where it has one, in the same places, a false claim is refuted: shifted, all arguments are positive
    away = {k: f"3 + {v}" if k in ("X", "s", "x") else v for k, v in world.items()}
    false = stated(REAL, [hypothesis], ["E(max(X, 0)) + norm(x) + s <= 0"], (Parameter("s", "s", ("s >= 0",)),))
    assert refuted(false, {"X": "3", **away}).status is Status.REFUTED


def test_an_exponent_that_is_whole_by_its_form_takes_every_base():
    names = {**REAL, "N": "integer -> integer", "s": "real"}
    for exponent in ("2", "n", "at(N, 1)", "floor(1 + s)", "abs(n)"):
        asked = stated(names, [f"E(X**{exponent}) <= 9"], ["E(X) >= 0"], (Parameter("n", "n", (), True),))
        assert refuted(asked, {"X": "0 - 1", "n": "2", "N(i)": "2", "s": "1"}).status is Status.REFUTED, exponent


def test_nor_is_what_a_uniform_number_makes_undefined():
    asked = stated(REAL, ["P(0*X**(1/2) > 1) <= 1"], ["P(X < 0) <= 0"])
    assert refuted(asked, {"X": "unit(1) - 1/2"}).status is Status.UNDECIDED
    asked = stated(REAL, ["P(0*X**(1/2) > 1) <= 1"], ["P(X < 5) <= 0"])
    assert refuted(asked, {"X": "unit(1) + 1/2"}).status is Status.REFUTED


@pytest.mark.parametrize(("b", "status"), [
    ("5 - 2*ind(i <= 0)", Status.REFUTED),
    ("1 - ind(i <= 0)", Status.UNDECIDED),  # 1/b(0) has no value
])  # fmt: skip
def test_what_an_open_event_decides_has_a_value_either_way(b, status):
    asked = stated(
        {"b": "integer -> real"},
        [("1/b(i) <= 1", ("i: integer",), ())],
        [("1/b(i) <= 1/6", ("i: integer",), ("i >= 0",))],
    )
    assert refuted(asked, {"b(i)": b}).status is status


@pytest.mark.parametrize(("inner", "status"), [("g(y)", Status.UNDECIDED), ("norm(y) + 0*g(y)", Status.REFUTED)])
def test_a_definition_has_a_value_as_far_as_it_speaks_of_other_names(inner, status):
    """From f(y) == sqrt(g(y)) for every y it follows that g(y) >= 0."""
    asked = stated(
        {"f": "vector -> real", "g": "vector -> real", "z": "vector"},
        [(f"f(y) == sqrt({inner})", ("y: vector",), ())],
        ["g(z) >= 0"],
    )
    assert refuted(asked, {"g(y)": "-y", "z": "1"}).status is status
