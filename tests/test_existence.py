"""What refutes "there is a constant": the claims for a witness, all of them, and families that are no instances."""

from __future__ import annotations

from dataclasses import replace

import pytest
from false_proofs import statement

from boundcheck.decide import decide
from boundcheck.decide.quantified import decide_exists
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.proof.existence import NoInstance, hypotheses, obligations, violations
from boundcheck.kernel.statement import Exists, Fact, Family, Statement
from boundcheck.lemma import main
from boundcheck.paper import lookup
from boundcheck.user_files import load
from boundcheck.verdict import Status

LAW = Family(
    "f",
    ("x",),
    ("x > 0", "x <= 1"),
    {"X": "s*(1 + x)", "E(X)": "E(s)", "E(X**2)": "E((s*(1 + x))**2)", "n": "ceil(x)", "k": "3"},
    "s",
    (("1", "1/4"), ("-1", "3/4 - x/9"), ("0", "x/9")),
    {"m": "a lemma"},
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
    random=("X",),
    exists=(ASSERTED,),
)
MEAN = "1/4 + (3/4 - x/9)*(-1)"


def test_each_set_of_atoms_on_which_the_event_may_happen_is_a_case():
    up, down, none = "1*(1 + x) > 3", "(-1)*(1 + x) > 3", "0*(1 + x) > 3"
    assert [[str(r) for r in case] for case in violations(ASSERTED, LAW)] == [
        [up, down, none, f"1/4 + (3/4 - x/9) + x/9 > C*b + ({MEAN})"],
        [up, down, f"1/4 + (3/4 - x/9) > C*b + ({MEAN})"],
        [up, none, f"1/4 + x/9 > C*b + ({MEAN})"],
        [down, none, f"3/4 - x/9 + x/9 > C*b + ({MEAN})"],
        [up, f"1/4 > C*b + ({MEAN})"],
        [down, f"3/4 - x/9 > C*b + ({MEAN})"],
        [none, f"x/9 > C*b + ({MEAN})"],
    ]
    swapped = replace(ASSERTED, claim=Fact("C*b + E(X) >= P(X > k)"))
    assert list(violations(swapped, LAW)) == list(violations(ASSERTED, LAW))
    plain = Family("p", ("x",), ("x > 0",), {"k": "x**2"})
    for claim in ("k <= C*x", "C*x >= k"):
        assert [[str(r) for r in case] for case in violations(Exists("C", Fact(claim)), plain)] == [["x**2 > C*x"]]


def test_the_claims_for_a_witness():
    failing = list(violations(ASSERTED, LAW))[2]
    found = obligations(WHOLE, ASSERTED, LAW, failing, {"x": "1/(1 + C)"})

    def told(name: str, where: str) -> list[str]:
        assert all(str(c).endswith(f" where {where}") or "b >= " in str(c) or "3 >= 1" in str(c) for c in found
                   if c.name == name)  # fmt: skip
        return [str(c).split(" where ")[0] for c in found if c.name == name]

    at, first = "1/(1 + C)", "1/2"
    met = [[f"abs({s}*(1 + {x})) <= 2*b" for s in ("1", "(-1)", "0")] for x in (at, first)]
    fails = [[f"1*(1 + {x}) > 3", f"0*(1 + {x}) > 3"] for x in (at, first)]
    assert told("witness", "C >= 1") == [
        f"{at} > 0", f"{at} <= 1", "3 <= 4", *met[0], *fails[0], f"1/4 + {at}/9 > C*b + (1/4 + (3/4 - {at}/9)*(-1))",
    ]  # fmt: skip
    assert told("constant below 1", "C > 0, C <= 1") == [
        "3 <= 4", *met[1], *fails[1], "1/4 + 1/18 > C*b + (1/4 + (3/4 - 1/18)*(-1))",
    ]  # fmt: skip
    domain = "x > 0, x <= 1"
    assert told("law", domain) == ["1/4 >= 0", "3/4 - x/9 >= 0", "x/9 >= 0", "1/4 + (3/4 - x/9) + x/9 == 1"]
    told("hypothesis", domain)
    second = "1/4*(1*(1 + x))**2 + (3/4 - x/9)*((-1)*(1 + x))**2 + x/9*(0*(1 + x))**2"
    assert told("range", domain) == [f"{second} >= 0"]
    assert [str(c) for c in found if c.name == "hypothesis"] == [
        f"{second} <= 4*3 where {domain}, 3 >= 1",
        *(f"abs({s}*(1 + x)) <= b where {domain}, b >= {MEAN}" for s in ("1", "(-1)", "0")),
        f"3 >= 2 where {domain}", f"ceil(x) >= 1 where {domain}", f"b > 0 where {domain}", f"x <= 2 where {domain}",
    ]  # fmt: skip
    assert len(found) == 9 + 7 + 4 + 1 + 8


def plain(claim: str, family: Family, **more) -> Statement:
    return statement([], [], exists=(Exists("C", Fact(claim), (family,)),), **more)


POSITIVE = Family("f", ("x",), ("x > 0",))
SIGNS = (("1", "1/2"), ("-1", "1/2"))
SIGN = replace(POSITIVE, variable="s", atoms=SIGNS)
#: what makes a family no instance -> (statement, words of the refusal); each holds with some C, or says nothing
NO_INSTANCE = {
    "a hypothesis for all values of the free name": (
        plain("1 <= C*x", POSITIVE, hypotheses={"h": Fact("x >= 0", over=("x",))}, domains={"x": ("x > 0",)}),
        "hypothesis h holds for all x, which f fixes",
    ),
    "a hypothesis for all values of a name that has a value": (
        plain("1 <= C*x", replace(POSITIVE, values={"k": "1"}), hypotheses={"h": Fact("k >= 1", over=("k",))}),
        "hypothesis h holds for all k",
    ),
    "a hypothesis for all values of a name in a value": (
        plain("1 <= C*x", replace(POSITIVE, values={"k": "1 + t"}), hypotheses={"h": Fact("k >= t", over=("t",))}),
        "hypothesis h holds for all t",
    ),
    "a sum over the free name": (
        plain("1 <= C*x", POSITIVE, hypotheses={"h": Fact("sum(x, x, 0, 3) >= 6")}, domains={"x": ("x > 0",)}),
        "binds x, of which f speaks",
    ),
    "a sum over a name in a value": (
        plain("1 <= C*x", replace(POSITIVE, values={"k": "x*t"}), hypotheses={"h": Fact("sum(k, t, 0, 3) >= 0")}),
        "binds t, of which f speaks",
    ),
    "the variable of the law is a name of the claim": (
        plain("P(X > s) <= C/x", replace(SIGN, values={"X": "s"}), random=("X",)),
        "s stands for something else outside of f",
    ),
    "a mean without a law": (
        plain("1 <= C*x + E(X)", replace(POSITIVE, values={"E(X)": "E(1)"}), random=("X",)),
        "f has no law, so no E(1)",
    ),
    "a claim that is random": (
        plain("X <= C/x", replace(SIGN, values={"X": "s*x"}), random=("X",)), "X is random in f"),
    "a bound that is random": (
        plain("P(X > x) <= C*X", replace(SIGN, values={"X": "s*x"}), random=("X",)), "C*X is random in f"),
    "an event that is not random": (
        plain("P(X > 1) <= C*x", replace(SIGN, values={"X": "2"}), random=("X",)), "does not say when X > 1 happens"),
    "an event without a law": (
        plain("P(X > 1) <= C*x", replace(POSITIVE, values={"X": "2"}), random=("X",)), "does not say when"),
    "an equation": (plain("x == C", POSITIVE), "an inequality is wanted"),
    "a strict inequality": (plain("x < C", POSITIVE), "an inequality is wanted"),
    "a probability that has no value": (
        plain("1 <= C*x", POSITIVE, hypotheses={"h": Fact("P(X > 1) <= 1/2")}, random=("X",)), "f gives no value for"),
    "a norm that has no value": (
        plain("1 <= C*x", POSITIVE, hypotheses={"h": Fact("1 >= norm(v)")}), "f gives no value for"),
    "independence of what the family chooses": (
        plain("1 <= C*x", replace(SIGN, values={"X": "s"}), hypotheses={"h": Fact("independent(X, Y) == 1")},
              random=("X", "Y")), "f does not say what shows"),
}  # fmt: skip


@pytest.mark.parametrize("why", NO_INSTANCE)
def test_a_family_that_is_no_instance_is_told_so_and_refutes_nothing(why):
    s, told = NO_INSTANCE[why]
    found = decide_exists(s, s.exists[0], decide, 2.0)
    assert found.status is Status.UNDECIDED and told in found.reason
    family = s.exists[0].families[0]
    with pytest.raises(NoInstance):
        hypotheses(s, family)
        list(violations(s.exists[0], family))


def test_what_meets_a_hypothesis_is_taken_from_the_family():
    s, _ = NO_INSTANCE["independence of what the family chooses"]
    assert hypotheses(s, replace(s.exists[0].families[0], meets={"h": "a lemma"}))


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
    s = plain("1 <= C*x", POSITIVE, domains={"x": (), "n": ()}, integers=integers)
    (failing,) = violations(s.exists[0], POSITIVE)
    if good:
        assert obligations(s, s.exists[0], POSITIVE, failing, witness)
    else:
        with pytest.raises(NoInstance):
            obligations(s, s.exists[0], POSITIVE, failing, witness)
    for value, whole in (("2", True), ("x", False), ("floor(x)", True), ("x/2", False)):
        family = replace(POSITIVE, values={"n": value})
        s = plain("1 <= C*x", family, domains={"x": (), "n": ()}, integers=("n",))
        if whole:
            assert obligations(s, s.exists[0], family, failing, {"x": "1/C"})
        else:
            with pytest.raises(NoInstance):
                obligations(s, s.exists[0], family, failing, {"x": "1/C"})


def test_each_free_name_has_its_witness():
    family = replace(POSITIVE, free=("x", "y"), where=("x > 0", "y > x"))
    s = plain("y <= C*x", family)
    (failing,) = violations(s.exists[0], family)
    assert obligations(s, s.exists[0], family, failing, {"x": "1/C", "y": "2 + C"})
    for witness in ({"x": "1/C", "y": "z"}, {"x": "y", "y": "2 + C"}, {"x": "1/C"}):
        with pytest.raises(NoInstance):
            obligations(s, s.exists[0], family, failing, witness)


@pytest.mark.parametrize(
    ("hypothesis", "wanted"),
    [
        ("5 >= abs(X)", ["5 >= abs(1*x)", "5 >= abs((-1)*x)"]),
        ("X <= X**2", ["1*x <= (1*x)**2", "(-1)*x <= ((-1)*x)**2"]),
        ("E(X) <= sum(t, t, 0, 3)", ["1 + 2*0 <= sum(t, t, 0, 3)"]),
        ("k**2 >= 4", ["(x/3)**2 >= 4"]),
    ],
)
def test_a_random_side_has_a_value_for_each_atom(hypothesis, wanted):
    family = replace(SIGN, values={"X": "s*x", "E(X)": "1 + 2*E(s)", "k": "x/3"})
    s = plain("1 <= C*x", family, hypotheses={"h": Fact(hypothesis)}, random=("X",))
    told = [str(c) for c in hypotheses(s, family) if c.name == "hypothesis"]
    assert told == [f"{w} where x > 0" for w in wanted]


def test_numbers_of_the_witness_for_1_are_worked_out():
    s = plain("1 <= C*x", POSITIVE)
    (failing,) = violations(s.exists[0], POSITIVE)
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
