"""Relatives of the holes: bound names inside of bound names, and what a step supposes when it cites."""

from dataclasses import replace

import pytest
from holes import NOTHING, lemma, open_at, refused

from boundcheck.kernel.formula import parse, var
from boundcheck.kernel.proof.terms import canonical, exchanged, match, put
from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Decide,
    Fact,
    Follows,
    Parameter,
    Step,
)

LET = {"X": "at(X, 1)", "Y": "sum(at(X, s), s, 1, 1)"}  #: for "integrable of equals"

# ---------------------------------------------------------------- bound names inside of bound names


@pytest.mark.parametrize(
    ("claim", "declares"),
    [
        # model: w(s, l) = 0 for s = l, else 1
        ("sum(sum(at(w, s, l), l, 1, 2), s, 1, 2) == sum(sum(at(w, l, l), l, 1, 2), s, 1, 2)",
         "integer, integer -> real"),
        ("sum(sum(at(w, s, l), l, 1, 2), s, 1, 2) == sum(sum(at(w, s, s), l, 1, 2), s, 1, 2)",
         "integer, integer -> real"),
        ("E(sum(sum(at(w, s, l), l, 1, 2), s, 1, 2)) == E(sum(sum(at(w, l, l), l, 1, 2), s, 1, 2))",
         "integer, integer -> random real"),
        # model: f(x, y) = x
        ("integral(integral(f(x, y), x, 0, 1), y, 0, 1) == integral(integral(f(y, y), x, 0, 1), y, 0, 2)",
         "real, real -> real"),
    ],
)  # fmt: skip
def test_a_bound_name_does_not_capture_that_of_an_inner_sum(claim, declares):
    name = "f" if "f(" in claim else "w"
    statement = lemma(claim, (Step(Fact(claim), Decide()),), {name: declares})
    refused(statement, 1)


def test_bound_names_may_be_exchanged():
    claim = "sum(sum(at(w, s, l), l, 1, s), s, 1, 2) == sum(sum(at(w, l, s), s, 1, l), l, 1, 2)"
    assert open_at(lemma(claim, (Step(Fact(claim), Decide()),), {"w": "integer, integer -> real"})) is None


@pytest.mark.parametrize(
    ("said", "known", "right"),
    [  # models: the named one of the Y's, or X[1] itself, has no mean, all else is 0
        (  # Y[1, 0]
            "abs(at(X, j)) <= sum(abs(at(Y, j, k)), k, 0, 1)",
            Fact("integrable(at(Y, k, k)) == 1", ("k: integer",)),
            Fact("integrable(at(Y, j, k)) == 1", ("j: integer", "k: integer")),
        ),
        (  # Y[5, 5]
            "abs(at(X, j)) <= sum(abs(at(Y, k, k)), k, j + 1, 5)",
            Fact("integrable(at(Y, k, k)) == 1", ("k: integer",), ("k <= 4",)),
            Fact("integrable(at(Y, k, k)) == 1", ("k: integer",), ("k <= 5",)),
        ),
        (  # Y[5, 5]
            "abs(at(X, j)) <= abs(sum(at(Y, k, k), k, 0, 5))",
            Fact("abs(sum(at(Y, t, t), k, 0, 5)) <= 1", ("t: integer",), ("t <= 3",)),
            Fact("abs(sum(at(Y, k, k), k, 0, 5)) <= 1"),
        ),
        (  # X[1], with c(1, 0) = 2, else c = 0
            ("integrable(at(X, j)) == 1", "sum(at(c, j, k), k, 0, 1) <= 1"),
            Fact("sum(at(c, k, k), k, 0, 1) <= 1"),
            Fact("integrable(at(X, j)) == 1", ("j: integer",)),
        ),
    ],
)
def test_nor_that_of_a_member_of_a_sum_in_what_is_said_of_it(said, known, right):
    """A sum in normal form has the members X[#1], and what is said of these has a sum over #1 as well."""
    declares = {
        "X": "integer -> random real",
        "Y": "integer, integer -> random real",
        "c": "integer, integer -> real",
    }
    claim, *where = (said,) if isinstance(said, str) else said
    one = Step(Fact("at(X, 1) == sum(at(X, s), s, 1, 1)"), ByRule("first term", {"G": "at(X, s)"}, ()))
    steps = (one, Step(Fact("integrable(at(X, 1)) == 1"), ByRule("integrable of equals", LET, (1,))))
    for fact, proved in ((known, False), (right, True)):
        hypotheses = {"h": Fact(claim, ("j: integer",), tuple(where)), "k": fact}
        statement = lemma("integrable(at(X, 1)) == 1", steps, declares, hypotheses)
        if proved:
            assert open_at(statement) is None
        else:
            refused(statement, 2, "nothing shows that sum(at(X, #1), #1, 1, 1) is integrable")


def test_a_name_that_a_term_binds_is_no_value_where_another_one_is_called_so():
    pattern, term = (canonical(parse(t, proof=True)) for t in ("sum(at(Y, t), k, 0, 5)", "sum(at(Y, k), k, 0, 5)"))
    assert not match(pattern, term, frozenset({"t"}), {})
    assert match(pattern, canonical(put(pattern, {"t": var("s")})), frozenset({"t"}), {})
    free = put(pattern, {"t": var("#1")})
    assert canonical(free).args[1] is var("#2")


# ---------------------------------------------------------------- conditions of a step that cites


def _cites(where, hypotheses, claim, step, declares):
    cited = lemma(claim, (), declares, hypotheses, label="lem:cited")
    step = Step(Fact(step, ("y: vector",), where), Cite("lem:cited", {"x": "y"}))
    names = {k: v for k, v in declares.items() if k != "x"}
    return lemma("0 == 0", (step, NOTHING), names), cited


@pytest.mark.parametrize(
    ("where", "proved"),
    [(("f(y) <= 1",), True), (("f(y) <= 2",), False), ((), False), (("f(-y) <= 1",), False)],
)
def test_what_a_step_supposes_is_a_hypothesis_that_it_may_cite_under(where, proved):
    """Model where it does not hold: f(y) = 2 for all y, Z = 3."""
    declares = {"f": "vector -> real", "Z": "random real", "x": "vector"}
    told = ({"low": Fact("f(x) <= 1")}, "P(Z > f(x)) <= 1/2", "P(Z > f(y)) <= 1/2", declares)
    statement, cited = _cites(where, *told)
    assert (open_at(statement, cited) is None) == proved


def test_a_law_is_not_cited_under_a_condition_on_chance():
    """Model: Z = +-2, x any vector."""
    declares = {"Z": "random real", "x": "vector"}
    statement, cited = _cites(
        ("Z <= 1",), {"low": Fact("Z <= 1")}, "E(Z) <= norm(x) + 1", "E(Z) <= norm(y) + 1", declares
    )
    refused(statement, 1, others=(cited,))


@pytest.mark.parametrize(("where", "proved"), [(("c > 0",), True), ((), False), (("c > -1",), False)])
def test_that_a_cited_mean_exists_holds_where_the_citation_does(where, proved):
    """Model: c = 0, Z without a mean; the cited statement says nothing for c <= 0."""
    cited = replace(
        lemma("E(Z) == 0", (), {"Z": "random real"}, label="lem:cited"),
        parameters=(Parameter("c", "a number", ("c > 0",)),),
    )
    names = {"Z": "random real", "c": "real", "A": "event"}
    steps = (
        Step(Fact("E(Z) == 0", (), ("c > 0",)), Cite("lem:cited")),
        Step(
            Fact("E(Z + ind(A)) == E(Z) + E(ind(A))", (), where),
            ByRule("expectation of a sum", {"X": "Z", "Y": "ind(A)"}),
        ),
        NOTHING,
    )
    found = open_at(lemma("0 == 0", steps, names), cited)
    assert found is None if proved else found is not None and found[0] == 2


@pytest.mark.parametrize(
    ("where", "proved"), [("measurable(at(X, s), at(H, s)) == 1", True), ("at(X, s) <= 0", False)]
)
def test_a_condition_about_laws_is_no_condition_on_chance(where, proved):
    """Model where it does not hold: X_s nonnegative and not known from H_s, Y = X."""
    declares = {"X": "integer -> random real", "Y": "integer -> random real", "H": "integer -> information"}
    step = Step(
        Fact("measurable(at(Y, s), at(H, s)) == 1", ("s: integer",), (where,)),
        ByRule("known by equality", {"X": "at(Y, s)", "Y": "at(X, s)", "V": "at(H, s)"}, ("same",)),
    )
    hypotheses = {"same": Fact("at(Y, s) == at(X, s)", ("s: integer",))}
    assert (open_at(lemma("0 == 0", (step, NOTHING), declares, hypotheses)) is None) == proved


# ---------------------------------------------------------------- names that are declared, and bear on others


@pytest.mark.parametrize("declares", [{"o1_": "integer"}, {"o1_": "integer", "o1__": "integer"}])
@pytest.mark.parametrize("term", ["E(X)", "P(X > 1)", "norm(x)", "f(1)", "at(v, 1)"])
def test_a_declared_integer_makes_no_term_whole(term, declares):
    """Model: the term is 1/2. The scalar claim called it o1_."""
    names = {"X": "random real", "x": "vector", "f": "real -> real", "v": "integer -> real", **declares}
    told = {"mean": Fact("integrable(X) == 1"), "half": Fact(f"{term} <= 1/2")}
    claim = f"{term} <= 0"
    refused(lemma(claim, (Step(Fact(claim), Follows(("half",))),), names, told), 1)


def test_an_integer_that_a_fact_is_for_all_of_makes_no_term_whole():  # model: E(X) = 1/2
    told = {"half": Fact("E(X) <= 1/2"), "zero": Fact("0 <= at(v, 1)", ("o1_: integer",))}
    claim = "E(X) <= 0"
    names = {"X": "random real", "v": "integer -> real"}
    refused(lemma(claim, (Step(Fact(claim), Follows(("zero", "half"))),), names, told), 1)


@pytest.mark.parametrize("over", [("X",), ("X: real",), ("t", "X")])
@pytest.mark.parametrize("sort", ["random real", "random vector", "integer -> random real"])
def test_what_is_random_is_no_constant_where_a_fact_is_for_all_of_it(over, sort):
    """E(X)**2 == E(X**2) for all X, with X a random real: true of constants alone."""
    claim = Fact("norm(E(X)) == 0", over) if sort == "random vector" and over == ("X",) else Fact("E(X) == X", over)
    told = lemma("0 == 0", (NOTHING,), {"X": sort})
    refused(replace(told, claims=(claim,)), 2, "depends on chance")


@pytest.mark.parametrize("sort", ["real", "vector", "integer -> random real"])
def test_a_name_is_not_both_random_and_something_else(sort):
    """E(X**2) == X**2, with X among what is random."""
    told = lemma("0 == 0", (NOTHING,), {"X": sort})
    refused(replace(told, random=("X",)), 1, "declared twice")


@pytest.mark.parametrize("name", ["#1", "#2", "x y", "1x", "", "\u03b5", "x\u2032"])
def test_what_no_formula_can_say_is_no_name(name):
    told = lemma("0 == 0", (NOTHING,), {name: "real"})
    refused(told, 1, "is no name")
    refused(replace(told, declares={}, parameters=(Parameter(name, ""),)), 1, "is no name")
    refused(replace(told, declares={}, claims=(Fact("0 == 0", (f"{name}: real",)),)), 2, "no name")


def test_a_name_that_a_term_binds_is_no_value():
    """Model: X_1 = -X_2 without a mean: a*(X_1 + X_2) has one for every a, X_1 + 2 X_2 has none."""
    claim = "integrable(sum(s*at(X, s), s, 1, 2)) == 1"
    term = "sum(s*at(X, s), s, 1, 2)"
    told = {
        "same": Fact(f"{term} == {term}"),
        "all": Fact("integrable(sum(a*at(X, s), s, 1, 2)) == 1", ("a",)),
    }
    step = Step(Fact(claim), ByRule("integrable of equals", {"X": term, "Y": term}, ("same",)))
    refused(lemma(claim, (step,), {"X": "integer -> random real"}, told), 1, "nothing shows")


def test_a_mean_of_one_integer_is_none_of_all_that_a_rule_binds():
    """Model: t = 0, Y without a mean, P(A_s) = 1 for s != 0 and q = 0: of these the premise says nothing."""
    told = {
        "each": Fact("P(at(A, t)) <= q", ("t: integer",), ("E(Y*t) <= E(Y*t)",)),
        "mean": Fact("integrable(Y*t) == 1"),
    }
    declares = {"A": "integer -> event", "Y": "random real", "t": "integer", "q": "real"}
    claim = "P(union(at(A, r), r, 1, 3)) <= 3*q"
    by = ByRule("union over a range", {"A": "at(A, t)", "t": "t", "a": "1", "b": "3", "q": "q"}, ("each",))
    refused(lemma(claim, (Step(Fact(claim), by),), declares, told), 1, "nothing shows that Y*t is integrable")
    told["mean"] = Fact("integrable(Y*t) == 1", ("t: integer",))
    assert open_at(lemma(claim, (Step(Fact(claim), by),), declares, told)) is None


@pytest.mark.parametrize("value", ["X, 5", "X, X > 0"])
def test_a_value_is_one_term(value):
    """The first part of the text was the value, and the rest was read by nobody."""
    claim = "E(2*X) == 2*E(X)"
    step = Step(Fact(claim), ByRule("expectation scale", {"c": "2", "X": value}))
    told = lemma(claim, (step,), {"X": "random real"}, {"mean": Fact("integrable(X) == 1")})
    assert open_at(told) is not None
    assert open_at(replace(told, steps=(replace(step, by=ByRule("expectation scale", {"c": "2", "X": "X"})),))) is None


def test_what_is_known_at_a_random_time_is_not_spoken_of():
    """Whatever at(H, N) is where N is no stopping time, E(X) == E(Egiven(X, at(H, N))) was PROVED of it."""
    declares = {"X": "random real", "N": "random integer", "H": "integer -> information", "n": "integer"}
    for index in ("N", "n"):
        claim = f"E(X) == E(Egiven(X, at(H, {index})))"
        step = Step(Fact(claim), ByRule("tower", {"X": "X", "V": f"at(H, {index})"}))
        told = lemma(claim, (step,), declares, {"mean": Fact("integrable(X) == 1")})
        if index == "N":
            refused(told, 1, "what is known at a random time")
        else:
            assert open_at(told) is None


BINDS = {"X": "random real", "V": "information", "k": "real", "Y": "random vector", "A": "event"}
WHOLE = {
    "sum": "sum(k*X, k, 1, 2)",
    "integral": "integral(k*X, k, 1, 2)",
    "nested": "sum(sum(k*X, k, 1, 2)*j, j, 0, 3)",
}


@pytest.mark.parametrize("source", ["k*X", "X"])
@pytest.mark.parametrize("how", [*WHOLE, "frozen mean", "mean at a point", "event"])
def test_a_term_is_another_one_where_a_name_of_it_is_bound(how, source):
    """Model: k = 0 and X known from V, X = norm(Y): k*X is independent of both, and sum(k*X, k, 1, 2) is 3*X."""
    told = {"mean": "integrable(X) == 1", "whole": "integrable(integral(k*X, k, 1, 2)) == 1"}
    if how in WHOLE:
        whole = WHOLE[how]
        claim = f"Egiven({whole}, V) == E({whole})"
        by = ByRule("independent of what is given", {"X": whole, "Z": source, "V": "V"}, ("free",))
        told["free"] = f"independent({source}, V) == 1"
    elif how == "frozen mean":
        claim = "Egiven(ind(norm(Y) <= 1)*sum(k*X, k, 1, 2), V) == ind(norm(Y) <= 1)*E(sum(k*X, k, 1, 2))"
        let = {"Q": "sum(k*X, k, 1, 2)", "M": "E(sum(k*X, k, 1, 2))", "K": "norm(y)", "c": "1", "y": "y", "Y": "Y"}
        by = ByRule("frozen mean", {**let, "X": source, "H": "V"}, ("free", "same"))
        told |= {"free": f"independent({source}, V) == 1", "seen": "measurable(Y, V) == 1"}
        told["same"] = Fact("E(sum(k*X, k, 1, 2)) == E(sum(k*X, k, 1, 2))", ("y: vector",), ("norm(y) <= 1",))
    elif how == "mean at a point":
        claim = "Egiven(sum(k*X, k, 1, 2), Y) == E(sum(k*X, k, 1, 2))"
        let = {"Q": "sum(k*X, k, 1, 2)", "M": "E(sum(k*X, k, 1, 2))", "y": "y", "Y": "Y", "X": source}
        by = ByRule("mean at an independent point", let, ("free", "same"))
        told |= {"free": f"independent({source}, Y) == 1"}
        told["same"] = Fact("E(sum(k*X, k, 1, 2)) == E(sum(k*X, k, 1, 2))", ("y: vector",))
    else:
        claim = "ind(norm(Y) <= 1)*Pgiven(sum(k*X, k, 1, 2) > 2, V) <= ind(norm(Y) <= 1)*q"
        let = {"Q": "sum(k*X, k, 1, 2) > 2", "K": "norm(y)", "c": "1", "q": "q", "y": "y", "Y": "Y"}
        by = ByRule("frozen probability", {**let, "X": source, "H": "V"}, ("free", "each"))
        told |= {"free": f"independent({source}, V) == 1", "seen": "measurable(Y, V) == 1"}
        told["each"] = Fact("P(sum(k*X, k, 1, 2) > 2) <= q", ("y: vector",), ("norm(y) <= 1",))
    facts = {name: Fact(f) if isinstance(f, str) else f for name, f in told.items()}
    false = lemma(claim, (Step(Fact(claim), by),), {**BINDS, "q": "real"}, facts)
    if source == "X":
        assert open_at(false) is None
    else:
        refused(false, 1, "may not depend on X")


def test_a_vector_of_a_form_is_another_one_where_a_name_of_it_is_bound():
    e, k_x, x = (parse(t, proof=True) for t in ("sum(k*x, k, 1, 2) + k*x", "k*x", "x"))
    assert str(exchanged(e, {k_x: var("v")})) == "sum(k*x, k, 1, 2) + v"
    assert str(exchanged(e, {x: var("v")})) == "sum(k*v, k, 1, 2) + k*v"
    assert str(exchanged(e, {x: var("k")})) == "sum(k_*k, k_, 1, 2) + k*k"
    ends = parse("sum(j, j, 1, k*x)", proof=True)
    assert str(exchanged(ends, {k_x: var("n")})) == "sum(j, j, 1, n)"


@pytest.mark.parametrize(
    ("over", "hypothesis", "known", "let", "declares", "wrong"),
    [
        # model: g(x, y) = (x - y)**2
        (("a", "a_"), "g(a, a_) <= 0", Fact("g(s, s) <= 0", ("s",)), {}, ("a", "a_"), "g(1, 2) <= 0"),
        (("a_", "a"), "g(a, a_) <= 0", Fact("g(s, s) <= 0", ("s",)), {}, ("a", "a_"), "g(1, 2) <= 0"),
        (("a", "a_"), "g(a, a_) <= 0", Fact("g(s, s) <= 0", ("s",)), {}, ("a", "a_", "a__"), "g(1, 2) <= 0"),
        # model: g(x, y) = 0 at (5, 5), else 1
        (("t",), "g(t, t_) <= 0", Fact("g(5, 5) <= 0"), {"t_": "5"}, ("t",), "g(1, 5) <= 0"),
        (("t",), "g(t, c) <= 0", Fact("g(5, 5) <= 0"), {"c": "5"}, ("t",), "g(1, 5) <= 0"),
    ],
)  # fmt: skip
def test_names_that_a_cited_hypothesis_is_for_all_of_stay_different(over, hypothesis, known, let, declares, wrong):
    """They made room for names of the step, all of them the same room, or that of a name with a value."""
    own = dict.fromkeys(let, "real")
    claim = wrong.replace("5", next(iter(let), "5"))
    cited = lemma(claim, (), {"g": "real, real -> real", **own}, {"h": Fact(hypothesis, over)}, label="lem:cited")
    names = {"g": "real, real -> real", **dict.fromkeys(declares, "real")}
    step = Step(Fact(wrong), Cite("lem:cited", let))
    refused(lemma(wrong, (step,), names, {"k": known}), 1, "is not among the facts", others=(cited,))
    general = Fact(hypothesis.replace(next(iter(let), "-"), "5"), over)
    others = {n: s for n, s in names.items() if n not in over}
    assert open_at(lemma(wrong, (step,), others, {"k": general}), cited) is None
    renamed = Fact("g(p, q) <= 0", ("p", "q"))
    assert open_at(lemma(wrong, (step,), names, {"k": renamed}), cited) is None


TONELLI = "E(integral(abs(w(t))*ind(X > t), t, 0, oo)) == integral(abs(w(t))*P(X > t), t, 0, oo)"


@pytest.mark.parametrize(
    ("ends", "over", "where", "right"),
    [
        # model: w(t) = 1/(t - 5), b = 1, X = 1 or 7 alike: on the left half of log(5/4), on the right no value, 0
        ("b", (), (), False),
        ("r", ("r",), ("r >= 0", "r <= 3"), False),
        ("r", ("r: integer",), ("r >= 0",), False),
        ("r", ("r",), ("r >= 1",), False),
        ("r", ("r",), ("r >= 0",), True),
        ("r", ("r",), (), True),
    ],
)
@pytest.mark.parametrize("name", ["b", "r", "n"])
def test_what_is_known_up_to_a_declared_end_is_not_known_up_to_every_one(ends, over, where, right, name):
    """Tonelli's theorem asks for the integral of W up to every n, and the step may call this n as it likes."""
    exists = Fact(f"integrable(abs(w(t)), t, 0, {ends}) == 1", over, where)
    let = {"W": "abs(w(t))", "X": "X", "t": "t", "n": name, "a": "0", "b": "oo"}
    names = {"w": "real -> real", "X": "random real", "b": "real"}
    statement = lemma("0 == 0", [Step(Fact(TONELLI), ByRule("Tonelli", let))], names, {"h": exists})
    if right:
        assert open_at(statement) is None
    else:
        refused(statement, 1, "nothing shows that integral(abs(w(#1)), #1, 0, ")
