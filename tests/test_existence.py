"""What refutes "there is a constant": the claims for a witness, all of them, and families that are no instances."""

from __future__ import annotations

from dataclasses import replace

import pytest
from false_proofs import statement
from slow import apart

from boundcheck.decide import decide
from boundcheck.decide.quantified import decide_exists
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.check.skolem import verify_skolem
from boundcheck.kernel.proof.existence import NoInstance, hypotheses, obligations, violations
from boundcheck.kernel.proof.sorts import SortError
from boundcheck.kernel.statement import Exists, Fact, Family, Statement
from boundcheck.lemma import main
from boundcheck.paper import lookup
from boundcheck.user_files import load
from boundcheck.verdict import Status

LAW = Family(
    "f",
    ("x",),
    ("x > 0", "x <= 1"),
    {"X": "s*(1 + x)", "b": "2 + x", "n": "ceil(x)", "k": "3", "Y": "0", "Z": "s"},
    "s",
    (("1", "1/4"), ("-1", "3/4 - x/9"), ("0", "x/9")),
    {"m": "a lemma", "i": "a lemma"},
)
ASSERTED = Exists("C", Fact("P(X > k) <= C*b + E(X)", where=("k <= 4", "abs(X) <= 2*b")), (LAW,))
WHOLE = statement(
    [],
    [],
    hypotheses={
        "h": Fact("E(X**2) <= 4*k", where=("k >= 1",)),
        "j": Fact("abs(X) <= b", where=("b >= E(X)",)),
        "m": Fact("E(X) >= 5"),
        "i": Fact("independent(Y, Z) == 1"),
    },
    domains={"k": ("k >= 2",), "n": ("n >= 1",), "b": ("b > 0",), "x": ("x <= 2",)},
    integers=("n",),
    random=("X", "Y", "Z"),
    exists=(ASSERTED,),
)
MEAN = "1/4*(1 + x) + (3/4 - x/9)*(-1*(1 + x))"


def test_each_way_in_which_the_event_may_happen_is_a_case():
    up, down = ("1 + x {} 3", "-1*(1 + x) {} 3")
    met = "abs({}) <= 2*(2 + x)"
    told = [[str(r) for r in case] for case in violations(WHOLE, ASSERTED, LAW)]
    shared = f"C*(2 + x) + ({MEAN})"
    events = [  # of 1 + x > 3 and -(1 + x) > 3; that 0 > 3 is decided
        ([up.format("<="), down.format("<=")], "0"),
        ([up.format("<="), down.format(">")], "3/4 - x/9"),
        ([up.format(">"), down.format("<=")], "1/4"),
        ([up.format(">"), down.format(">")], "1/4 + (3/4 - x/9)"),
    ]
    wanted = [
        [*happens, condition, f"{mass} > {shared}"]
        for condition in (met.format("1 + x"), met.format("-1*(1 + x)"), "0 <= 2*(2 + x)")
        for happens, mass in events
    ]
    assert sorted(map(_spaced, told)) == sorted(map(_spaced, wanted))
    swapped = replace(ASSERTED, claim=replace(ASSERTED.claim, claim="C*b + E(X) >= P(X > k)"))
    assert len(list(violations(WHOLE, swapped, LAW))) == len(told)
    family = Family("p", ("x",), ("x > 0",), {"k": "x**2"})
    for claim in ("k <= C*x", "C*x >= k"):
        s = plain(claim, family, domains={"k": (), "x": ()})
        ((case,),) = violations(s, s.exists[0], family)
        assert str(case) in ("x**2 > C*x", "C*x < x**2")


def _spaced(case: list[str]) -> list[str]:
    return sorted(t.replace("(-1)", "-1") for t in case)


def test_the_claims_for_a_witness():
    failing = next(case for case in violations(WHOLE, ASSERTED, LAW) if str(case[-1]).startswith("1/4 >"))
    found = obligations(WHOLE, ASSERTED, LAW, failing, {"x": "1/(1 + C)"})

    def told(name: str, where: str = "") -> list[str]:
        return [str(c).replace("(-1)", "-1") for c in found if c.name == name and where in str(c)]

    at, first = "1/(1 + C)", "1/2"
    fails = ["1 + x > 3", "-1*(1 + x) <= 3", "abs(1 + x) <= 2*(2 + x)", f"1/4 > C*(2 + x) + ({MEAN})"]
    wanted = (f"0*({at}) == 0", *(c.replace("x", at) for c in ("x > 0", "x <= 1", *fails)))
    assert sorted(told("witness")) == sorted(f"{c} where C >= 1" for c in wanted)
    wanted = (c.replace("x/9", "1/18").replace("x", first) for c in fails)
    assert sorted(told("constant below 1")) == sorted(f"{c} where C > 0, C <= 1" for c in wanted)
    domain = "x > 0, x <= 1"
    assert told("law") == [f"{p} > 0 where {domain}" for p in ("3/4 - x/9", "x/9")] + [
        f"1/4 + (3/4 - x/9) + x/9 == 1 where {domain}"
    ]
    second = "1/4*(1 + x)**2 + (3/4 - x/9)*(-1*(1 + x))**2 + x/9*0**2"
    assert told("hypothesis") == [
        f"ceil(x) >= 1 where {domain}",
        f"2 + x > 0 where {domain}",
        f"x <= 2 where {domain}",
        f"{second} <= 12 where {domain}",
        *(f"{size} <= 2 + x where {domain}, 2 + x >= {MEAN}" for size in ("abs(1 + x)", "abs(-1*(1 + x))", "0")),
    ]
    assert not told("value")


def plain(claim: str, family: Family, **more) -> Statement:
    domains = dict.fromkeys(family.free, ()) | more.pop("domains", {})
    return statement([], [], exists=(Exists("C", Fact(claim), (family,)),), domains=domains, **more)


POSITIVE = Family("f", ("x",), ("x > 0",))
SIGNS = (("1", "1/2"), ("-1", "1/2"))
SIGN = replace(POSITIVE, variable="s", atoms=SIGNS)
KNOWN = {
    "V": "vector",
    "f": "vector -> real",
    "g": "vector -> vector",
    "X": "random real",
    "Y": "random real",
    "H": "integer -> information",
    "A": "event",
    "k": "real",
    "d": "integer",
}
UP = replace(SIGN, values={"X": "s*x", "Y": "s", "k": "2", "V": "x"})


def known(claim: str, family: Family, hypothesis: Fact | str = "0 <= 1", **more) -> Statement:
    h = Fact(hypothesis) if isinstance(hypothesis, str) else hypothesis
    free = (Exists("C", Fact(claim), (family,)),)
    return statement([], [], exists=free, declares=KNOWN, domains={"x": ("x > 0",)}, hypotheses={"h": h}, **more)


#: what makes a family no instance -> (statement, words of the refusal)
NO_INSTANCE = {
    "a name without a value": (known("1 <= C*x + k", POSITIVE), "f gives no value to k"),
    "a function without a value": (known("f(V) <= C", UP), "f gives no value to f(x)"),
    "a norm that has no value": (known("1 <= C*x", POSITIVE, "1 >= norm(V)"), "f gives no value to V"),
    "a value for a term": (
        known("1 <= C*x", replace(SIGN, values={"E(X)": "0"})),
        "to E(X), which has one; give one to X",
    ),
    "a value for two": (known("1 <= C*x", replace(SIGN, values={"2": "1"})), "to 2, which has one"),
    "a value at a place": (known("1 <= C*x", replace(UP, values={"f(1)": "x"})), "give one to f at all arguments"),
    "one argument for two": (known("1 <= C*x", replace(UP, values={"H(i, j)": "x"})), "to H at all arguments"),
    "a value for no name of the statement": (
        known("1 <= C*x", replace(UP, values={"q": "x"})),
        "f gives no value to q",
    ),
    "a value for what is free": (known("1 <= C*x", replace(UP, values={"x": "1"})), "f gives no value to x"),
    "an infinite value": (known("k <= C*x", replace(UP, values={"k": "oo"})), "f gives no value to k by oo"),
    "a value by itself": (known("k <= C*x", replace(UP, values={"k": "k + 1"})), "f gives no value to k"),
    "a random value for a constant": (
        known("k <= C*x", replace(UP, values={"k": "s"})),
        "a random value to a constant",
    ),
    "a mean that needs an outcome": (
        known("k <= C*x", replace(UP, values={"k": "Egiven(X, Y)", "X": "s", "Y": "s"})),
        "a random value to a constant",
    ),
    "the constant as a free name": (known("x <= C", replace(SIGN, free=("x", "C"))), "stand for one thing"),
    "an event as a free name": (
        known("P(A) <= C*x", replace(SIGN, free=("x", "A"))),
        "f: the constant and each free name",
    ),
    "the variable of the law is a name of the claim": (
        plain("P(X > s) <= C/x", replace(SIGN, values={"X": "s"}), random=("X",)),
        "s is not declared",
    ),
    "a law of a vector": (known("1 <= C*x", UP, "law(X) == coordinate(d)"), "law(X) is not computed; what shows"),
    "independence": (known("1 <= C*x", UP, "independent(X, Y) == 1"), "independent(X, Y) is not computed; what shows"),
    "what is known, for all of it": (
        known("1 <= C*x", UP, Fact("Egiven(X, G) == 0", ("G: information",))),
        "f does not say what is known",
    ),
    "an integral of an event": (
        known("1 <= C*x", UP, "integral(P(X > t), t, 0, 1) <= 1"),
        "it is not told where an event under it happens",
    ),
    "a minimum over a range": (known("1 <= C*x", UP, "least(k, i, 1, 2) >= 1"), "is not computed between 1 and 2"),
    "a long union": (known("1 <= C*x", UP, "P(union(X > i, i, 1, 40)) <= 1"), "is not computed between 1 and 40"),
    "a function with a corner": (
        known("1 <= C*x", replace(UP, values={"f(y)": "max(y, 0)", "g(y)": "1"}), "gradient(f, g) == 1"),
        "max has no",
    ),
    "too many events": (
        known("1 <= C*x", UP, Fact("P(X > t) + P(X > u) + P(X > v) + P(X > w) <= 4", ("t", "u", "v", "w"))),
        "more than 6 events",
    ),
    "a domain that moves with the constant": (known("1 <= C*x", replace(UP, where=("x <= C",))), "C is no free name"),
    "a value that doubles": (
        known(f"1 <= C*x + norm({'g(' * 40}V{')' * 40})", replace(UP, values=UP.values | {"g(y)": "y*y + 1"})),
        "the value of g is too long",
    ),
    "too much to work out": (
        known("1 <= C*x", UP, "sum(sum(sum(sum(sum(k + X, a, 1, 15), b, 1, 15), c, 1, 15), i, 1, 15), j, 1, 15) >= 0"),
        "too long to be worked out",
    ),
}


@pytest.mark.parametrize("why", apart(NO_INSTANCE, "too much to work out"))
def test_a_family_that_is_no_instance_is_told_so_and_refutes_nothing(why):
    s, told = NO_INSTANCE[why]
    found = decide_exists(s, s.exists[0], decide, 2.0)
    assert found.status is Status.UNDECIDED and told in found.reason
    family = s.exists[0].families[0]
    with pytest.raises((NoInstance, SortError)):
        hypotheses(s, s.exists[0], family)


def test_what_meets_a_hypothesis_is_taken_from_the_family():
    s, _ = NO_INSTANCE["independence"]
    family = replace(s.exists[0].families[0], meets={"h": "a lemma"})
    assert decide_exists(replace(s, exists=(replace(s.exists[0], families=(family,)),)),
                         replace(s.exists[0], families=(family,)), decide, 2.0).status is Status.REFUTED  # fmt: skip


#: a hypothesis, values, whether every member of the family meets it
HOLDS = {
    "bound names are no names of the family": ("sum(x, x, 0, 3) >= 6", {}, True),
    "nor are those of an integral": ("integral(x, x, 0, 2) <= 2", {}, True),
    "the integral of a value": ("integral(X**2*x, t, 0, 1) == x**3", {}, True),
    "a sum with an end of its own": ("sum(k, i, 1, d) == 2*d", {"d": "30 + ceil(x)"}, True),
    "a sum whose terms are not told apart": ("sum(i/(i - 2), i, 1, 40) <= 50", {}, False),
    "squares": ("f(V) >= 0", {"f(y)": "y**2"}, True),
    "a gradient": ("gradient(f, g) == 1", {"f(y)": "k*y**3 - y", "g(y)": "6*y**2 - 1"}, True),
    "no gradient": ("gradient(f, g) == 1", {"f(y)": "k*y**3 - y", "g(y)": "6*y**2"}, False),
    "no gradient at 0": ("gradient(f, g) == 1", {"f(y)": "abs(y)", "g(y)": "1"}, False),
    "a gradient of what has no value at 0": ("gradient(f, g) == 1", {"f(y)": "0/y", "g(y)": "0"}, False),
    "what is known grows": ("increasing(H) == 1", {"H(i)": "s*ind(i >= 3)"}, True),
    "what is known shrinks": ("increasing(H) == 1", {"H(i)": "s*ind(i <= 3)"}, False),
    "known": ("measurable(X, H(1)) == 1", {"H(i)": "2*s"}, True),
    "unknown": ("measurable(X, H(1)) == 1", {"H(i)": "s**2"}, False),
    "the mean given nothing": ("Egiven(X, H(1)) == 0", {"H(i)": "s**2"}, True),
    "the mean given all": ("Egiven(X, H(1)) == 0", {"H(i)": "s"}, False),
    "a chance given what happened": ("Pgiven(X > 0, Y > 0) == ind(Y > 0)", {}, True),
    "a chance": ("P(X > 0) == 1/2", {}, True),
    "a chance at an open level": ("P(X > k) <= 1/2", {}, True),
    "a smaller chance": ("P(X > 0) <= 49/100", {}, False),
    "both": ("P(both(X > 0, Y > 0)) == 1/2", {}, True),
    "either": ("P(either(X > 0, Y < 0)) == 1", {}, True),
    "the complement": ("P(complement(A)) == 1/2", {"A": "s >= 1"}, True),
    "an intersection": ("P(meet(X > -i*x, i, 0, 2)) == 1/2", {}, True),
    "a union": ("P(union(X > -i*x, i, 0, 2)) == 1", {}, True),
    "an event by a number": ("P(A) <= 1", {"A": "5*s**2"}, True),
    "clipping": ("E(abs(clip(X, 1))) <= 1", {}, True),
    "clipping further": ("E(abs(clip(X, 1))) <= 9/10", {}, False),
    "a mean exists": ("integrable(X) == 1", {}, True),
    "a mean of what has no value": ("integrable(1/(Y - 1)) == 1", {}, False),
    "all outcomes": ("X**2 == x**2", {}, True),
    "one outcome": ("X >= 0", {}, False),
    "the value of the whole numbers": ("d >= 1", {"d": "floor(x) + 1"}, True),
}


@pytest.mark.parametrize("why", HOLDS)
def test_hypotheses_are_computed(why):
    told, values, holds = HOLDS[why]
    family = replace(UP, values=UP.values | values)
    s = known("1 <= C*x", family, told)
    found = decide_exists(s, s.exists[0], decide, 2.0)
    assert found.status is (Status.REFUTED if holds else Status.UNDECIDED), found.reason
    if holds:
        assert verify_skolem(found.certificate, s, s.exists[0]).valid


TOGETHER = {
    "V": "vector",
    "W": "vector",
    "X": "random real",
    "Y": "random real",
    "f": "vector -> real",
    "g": "vector -> vector",
    "H": "information",
    "N": "random integer",
    "A": "event",
    "B": "event",
}
VALUES = (
    {
        "V": "x",
        "W": "-1",
        "X": "s*x",
        "Y": "s",
        "H": "0",
        "N": "0",
        "A": "s > 0",
        "B": "s <= 0",
        "f(y)": "y**2/2",
        "g(y)": "y",
    },
    {
        "V": "x",
        "W": "-x",
        "X": "s + 1",
        "Y": "x*s",
        "H": "s",
        "N": "1 + floor(x)",
        "A": "s > x",
        "B": "s > 0",
        "f(y)": "x*y",
        "g(y)": "x",
    },
    {
        "V": "1/x",
        "W": "1",
        "X": "x*ind(s > 0)",
        "Y": "x",
        "H": "s**2",
        "N": "1 - floor(s)",
        "A": "s == 1",
        "B": "A",
        "f(y)": "0",
        "g(y)": "0",
    },
)
TERMS = {
    "norm(V + W)": "x",
    "norm(V)": "1",
    "norm(W)": "1",
    "E(X)": "x",
    "E(X**2)": "1",
    "E(X*Y)": "x",
    "E(Y**2)": "1",
    "P(A)": "1",
    "P(both(A, B))": "0",
    "E(Egiven(X, H))": "x",
    "f(V)": "x",
    "dot(V, W)": "x",
    "E(abs(X))": "x",
}


@pytest.mark.parametrize(
    ("claim", "given"),
    [
        ("norm(V + W) <= C*(norm(V) + norm(W))", {}),
        ("abs(dot(V, W)) <= C*norm(V)*norm(W)", {}),
        ("E(X)**2 <= C*E(X**2)", {}),
        ("E(X*Y)**2 <= C*E(X**2)*E(Y**2)", {}),
        ("P(A) <= C*(P(both(A, B)) + P(complement(B)))", {}),
        ("E(Egiven(X, H))**2 <= C*E(X**2)", {}),
        ("E(abs(Egiven(X, H))) <= C*E(abs(X))", {}),
        ("E(Egiven(X, H)**2) <= C*E(X**2)", {}),
        ("P(X >= 1) <= C*E(abs(X))", {}),
        ("P(N >= 1) <= C*E(N**2)", {}),
        (
            "norm(g(V)) <= C*norm(V)",
            {"a": Fact("gradient(f, g) == 1"), "b": Fact("f(y) == norm(y)**2/2", ("y: vector",))},
        ),
        ("E(X*Y) <= C", {"a": Fact("measurable(Y, H) == 1"), "b": Fact("Egiven(X, H) == 0")}),
        ("abs(E(X)) <= C", {"a": Fact("abs(X) <= 1 + ind(A)")}),
        ("P(A) <= C*P(B)", {"a": Fact("ind(A) <= ind(B)")}),
    ],
)
def test_what_holds_of_all_vectors_laws_and_functions_is_refuted_by_no_family(claim, given):
    """Each holds with C = 1 or 2, and a family that gave values to terms made one side large."""
    for values in (*VALUES, TERMS):
        family = replace(SIGN, where=("x >= 1",), values=values)
        s = plain(claim, family, declares=TOGETHER, hypotheses=given)
        found = decide_exists(s, s.exists[0], decide, 1.0)
        assert found.status is Status.UNDECIDED, (found.witness, values)
        assert "gives" in found.reason or values is not TERMS


@pytest.mark.parametrize("claim", ["x == C", "x < C", "X <= C/x", "P(X > x/2) <= C*X", "P(X >= x) <= C/x"])
def test_of_a_random_claim_one_outcome_is_enough(claim):
    """Each is false for all C; what is claimed of a random number is claimed at every outcome."""
    s = known(claim, UP)
    assert decide_exists(s, s.exists[0], decide, 2.0).status is Status.REFUTED


@pytest.mark.parametrize(
    ("vouched", "told"),
    [
        ({"E(Y)": "x"}, ""),
        ({"Egiven(Y, H(1))": "x*s"}, ""),
        ({"norm(Y)": "x"}, "may vouch for one mean of what has no values, not for norm(Y)"),
        ({"P(Y > 0)": "x"}, "not for P(Y > 0)"),
        ({"E(X)": "x"}, "not for E(X)"),
        ({"E(Y)": "x", "E(Y**2)": "1"}, "not for E(Y**2)"),
        ({"E(Y)": "s"}, "a random value to a constant"),
    ],
)
def test_one_mean_is_taken_on_the_authors_word(vouched, told):
    term = next(iter(vouched))
    family = replace(SIGN, values={"X": "s*x"}, vouches=vouched)
    s = known(f"{term} <= C", family)
    found = decide_exists(s, s.exists[0], decide, 2.0)
    assert found.status is (Status.UNDECIDED if told else Status.REFUTED) and told in found.reason
    if not told:
        assert found.reason.endswith(f"; its author vouches for {term} == {vouched[term]}")
        assert verify_skolem(found.certificate, s, s.exists[0]).valid
        true = known(f"{term} <= C*x", family)
        assert decide_exists(true, true.exists[0], decide, 2.0).status is Status.UNDECIDED


@pytest.mark.parametrize(
    ("witness", "integers", "good"),
    [
        ({"x": "1/C"}, (), True),
        ({"x": "1/C"}, ("x",), False),
        ({"x": "ceil(C)"}, ("x",), True),
        ({"x": "1/C"}, ("n",), True),
        ({"x": "n/C"}, ("n",), False),
        ({"x": "1/C", "y": "1"}, (), False),
        ({"y": "1/C"}, (), False),
        ({}, (), False),
    ],
)
def test_a_witness_is_a_function_of_the_constant_alone_and_an_integer_where_one_is_wanted(witness, integers, good):
    s = plain("1 <= C*x", replace(POSITIVE, values={"n": "1"}), domains={"x": (), "n": ()}, integers=integers)
    (failing,) = violations(s, s.exists[0], POSITIVE)
    if good:
        assert obligations(s, s.exists[0], POSITIVE, failing, witness)
    else:
        with pytest.raises(NoInstance):
            obligations(s, s.exists[0], POSITIVE, failing, witness)
    for value, whole in (("2", True), ("x", False), ("floor(x)", True), ("x/2", False)):
        family = replace(POSITIVE, values={"n": value})
        s = plain("1 <= C*x", family, domains={"x": (), "n": ("n <= n",)}, integers=("n",))
        if whole:
            assert obligations(s, s.exists[0], family, failing, {"x": "1/C"})
        else:
            with pytest.raises(NoInstance):
                obligations(s, s.exists[0], family, failing, {"x": "1/C"})


def test_each_free_name_has_its_witness():
    family = replace(POSITIVE, free=("x", "y"), where=("x > 0", "y > x"))
    s = plain("y <= C*x", family)
    (failing,) = violations(s, s.exists[0], family)
    assert obligations(s, s.exists[0], family, failing, {"x": "1/C", "y": "2 + C"})
    for witness in ({"x": "1/C", "y": "z"}, {"x": "y", "y": "2 + C"}, {"x": "1/C"}):
        with pytest.raises(NoInstance):
            obligations(s, s.exists[0], family, failing, witness)


def test_numbers_of_the_witness_for_1_are_worked_out():
    s = plain("1 <= C*x", POSITIVE)
    (failing,) = violations(s, s.exists[0], POSITIVE)
    for witness, first in (("1/8*C**(-3/2)", "1/8"), ("2 + 4*C**2", "6"), ("3 - C/2", "5/2"), ("-(2*C)", "-2"),
                           ("exp(C) + 2**C", "exp(1) + 2"), ("(2*C)**3", "8"), ("(1 + C)*(2 + C)", "6")):  # fmt: skip
        (own,) = [c for c in obligations(s, s.exists[0], POSITIVE, failing, {"x": witness}) if "below" in c.name]
        assert str(own).startswith(f"1 > C*{first} where ") or str(own).startswith(f"1 > C*({first}) where "), str(own)


def test_that_there_is_a_constant_is_a_claim_of_its_own(tmp_path, capsys):
    """What `show --text` prints of such a statement can be read; without it, or another claim, nothing is said."""
    path = tmp_path / "own.toml"
    head = '[[statement]]\nlabel = "lem:own"\nparameters = ["V >= 0"]\n'
    family = '{name = "large V", free = ["V"], where = ["V >= 1"]}'
    for claim, families, verdict in (("V <= C", family, "REFUTED"), ("V <= V + C", family, "UNDECIDED")):
        path.write_text(f'{head}exists = [{{constant = "C", claim = "{claim}", families = [{families}]}}]\n')
        (statement,) = load(str(path)).statements.values()
        assert decide_statement(statement, lookup, 5.0, 0.0).status is Status[verdict]
    wrong = {
        "": "claims: missing; write claims = ",
        'exists = [{constant = "C", claim = "V <= D"}]\n': "exists[0].claim: D is not declared",
        'exists = [{constant = "C", claim = "norm(V) <= C"}]\n': "exists[0].claim: ",
    }
    for more, told in wrong.items():
        path.write_text(head + more)
        assert main(["check", str(path)]) == 2
        assert told in capsys.readouterr().err


def test_a_witness_that_grows_as_the_constant_is_told_so():
    s = known("x <= C", UP)
    assert decide_exists(s, s.exists[0], decide, 2.0).witness == {"x": "4*C"}
