"""Attacks on the schemas, the proof layer, existence claims and certificates: nothing false may pass.

Nearly each statement here was PROVED (or REFUTED, or a certificate of it valid) before
what it abuses was mended.
"""

from dataclasses import replace

import pytest
from false_proofs import statement

from boundcheck.app.commands.certified import about
from boundcheck.app.commands.verify import checked
from boundcheck.decide import decide
from boundcheck.decide.certificates import make
from boundcheck.decide.quantified import decide_exists
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.certificate import goals, verify
from boundcheck.kernel.check.statement_certificate import verify_statement
from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Claim,
    Decide,
    Definition,
    Exists,
    Fact,
    Family,
    Follows,
    Literature,
    Step,
    Use,
)
from boundcheck.verdict import Status

SECONDS = 1.0  #: for an obligation, of abuses and of the honest twins: these are proved in it


def one(claim, by, **more):
    """A statement whose claim is its only step."""
    return statement([Fact(claim)], [Step(Fact(claim), by)], **more)


SLOPE = "slopef(x, u) == (f(x + mu*u) - f(x - mu*u))/(2*mu)"
SPHERE = Fact("law(u) == sphere(d)")
AS_USED = one("0 == 1", Cite("AA", as_used=True), label="AA as used")
CITED = {
    "M0": statement(
        [Fact("P(X > c) <= E(X)/c")],
        [Step(Fact("P(X > c) <= E(X**1)/c**1"), ByRule("Markov", {"A": "X > c", "X": "X", "a": "c", "q": "1"}))],
        domains={"c": ("c > 0",), "X": ("X >= 0",)},
        random=("X",),
        label="M0",
    ),
    "SLOPE": one(
        SLOPE,
        ByRule("two-point slope", {"x": "x", "u": "u"}),
        domains={"mu": ("mu > 0",), "x": (), "u": ()},
        label="SLOPE",
    ),
    "AA": statement([Fact("0 == 1")], [], label="AA", as_used=AS_USED),
    "INT": one("n*(n - 1) >= 0", Decide(), domains={"n": ("n >= 0",)}, integers=("n",), label="INT"),
}


def frozen(x, independent):
    """The level V >= V passed off as one about the variable ``x`` that is independent of V."""
    return one(
        "Pgiven(V >= V, V) <= 1/(1 + V)",
        ByRule("freezing", {"Q": "V >= v", "v": "v", "V": "V", "X": x, "B": "1/(1 + v)"}, ("i", "h")),
        hypotheses={"i": Fact(independent), "h": Fact("P(V >= v) <= 1/(1 + v)", ("v",), ("v >= 0",))},
        domains={"V": ("V >= 0",)},
        random=("V", "W"),
    )


def captured(head):
    claim = Fact(f"P({head}(at(X, s) > s, s, 1, 3)) <= 0", ("s",), ("s >= 5",))
    return statement(
        [claim],
        [Step(claim, Follows((Use("h", {"t": "s"}),)))],
        hypotheses={"h": Fact(f"P({head}(at(X, s) > t, s, 1, 3)) <= 0", ("t",), ("t >= 5",))},
        random=("X",),
    )


def undefined(claim, by):
    """a >= -1 for all real a, because a step mentions sqrt(a)."""
    return statement(
        [Fact("a >= -1")],
        [Step(Fact(claim), by), Step(Fact("a >= -1"), Follows((1,)))],
        domains={"a": ()},
        random=("X",),
    )


FALSE = {
    "a real as an index becomes an integer": statement(
        [Fact("t >= 1")],
        [
            Step(Fact("n >= 1", ("n",), ("n > 0",)), Decide(), integers=("n",)),
            Step(Fact("t >= 1 + 0*at(x, t)"), Follows((Use(1, {"n": "t"}),))),
            Step(Fact("t >= 1"), Follows((2,))),
        ],
        domains={"t": ("t > 0",)},
    ),
    "a condition on one t taken for all t": statement(
        [Fact("1 <= x")],
        [
            Step(
                Fact("integral(1, t, 1, 2) <= integral(x, t, 1, 2)"),
                ByRule("integral monotone", {"G": "1", "H": "x", "t": "t", "a": "1", "b": "2"}, ("h",)),
            ),
            Step(Fact("integral(1, t, 1, 2) == 1"), Decide()),
            Step(Fact("integral(x, t, 1, 2) == x"), Decide()),
            Step(Fact("1 <= x"), Follows((1, 2, 3))),
        ],
        hypotheses={"h": Fact("1 <= x", where=("t >= 1",))},
        domains={"x": (), "t": ()},
    ),
    "a random variable put for a constant": one(
        "P(X > Y) <= 1/(1 + Y)",
        Follows((Use("h", {"t": "Y"}),)),
        hypotheses={"h": Fact("P(X > t) <= 1/(1 + t)", ("t",), ("t >= 0",))},
        domains={"Y": ("Y >= 0",)},
        random=("X", "Y"),
    ),
    "freezing, a name that cancels": frozen("W + 0*V", "independent(V, W) == 1"),
    "freezing, independent of the sum but not of its terms": frozen(
        "V + W - 2*V*W", "independent(V, V + W - 2*V*W) == 1"
    ),
    "frozen expectation, independent of the modulus only": one(
        "E(ind(W > V)) <= E(1/(1 + V))",
        ByRule("frozen expectation", {"Q": "ind(W > v)", "v": "v", "V": "V", "X": "abs(W)", "B": "1/(1 + v)"}, "ih"),
        hypotheses={
            "i": Fact("independent(V, abs(W)) == 1"),
            "h": Fact("E(ind(W > v)) <= 1/(1 + v)", ("v",), ("v >= 0",)),
        },
        domains={"V": ("V >= 0",)},
        random=("V", "W"),
    ),
    "the sample's gradient as a constant": one(
        "E(norm(gradF(x))) == norm(gradF(x))", ByRule("expectation of a constant", {"c": "norm(gradF(x))"})
    ),
    "the sample's slope as a constant": one(
        "E(slopeF(x, u)*Z) == slopeF(x, u)*E(Z)",
        ByRule("expectation scale", {"c": "slopeF(x, u)", "X": "Z"}),
        random=("Z",),
    ),
    "u and -u have the same law, but not with the sample": one(
        "E(F(x)*u) == E(F(x)*(-u))",
        ByRule("symmetry of the sphere", {"G": "F(x)*u"}, ("h",)),
        hypotheses={"h": SPHERE},
        random=("u",),
    ),
    "undefined: a constant": undefined("E(sqrt(a)) <= sqrt(a)", ByRule("expectation of a constant", {"c": "sqrt(a)"})),
    "undefined: a factor": undefined(
        "sqrt(a)*E(X) <= E(sqrt(a)*X)", ByRule("expectation scale", {"c": "sqrt(a)", "X": "X"})
    ),
    "undefined: a definition": undefined("c == sqrt(a)", Definition()),
    "undefined: itself": undefined("sqrt(a) <= sqrt(a)", Decide()),
    "undefined: a case": statement(
        [Fact("0 <= z")],
        [
            Step(Fact("0 <= z", ("t",), ("t > 0", "t < log(z)")), Decide()),
            Step(Fact("0 <= z", ("t",), ("t > 0", "t >= log(z)")), Decide()),
            Step(
                Fact("0 <= z", ("t",), ("t > 0",)),
                ByRule("either case", {"A": "0", "B": "z", "t": "t", "a": "log(z)"}, (1, 2)),
            ),
            Step(Fact("0 <= z"), Follows((Use(3, {"t": "1"}),))),
        ],
        domains={"z": ()},
    ),
    "undefined: an event and its complement": one(
        "P(X > -1) <= P(log(X) > 0) + P(X*(1 - X) >= 0)",
        ByRule("union", {"A": "X > -1", "B": "log(X) > 0", "C": "X*(1 - X) >= 0"}),
        random=("X",),
    ),
    "an integral that diverges, split": one(
        "integral(1/t, t, 0, 1) == integral(1/t, t, 0, 1/2) + integral(1/t, t, 1/2, 1)",
        ByRule("integral split", {"G": "1/t", "t": "t", "a": "0", "c": "1/2", "b": "1"}),
    ),
    "an integral that diverges, subtracted from itself": one(
        "integral(1/t, t, 1, oo) - integral(1/t, t, 1, oo) == 0", Follows(())
    ),
    "an integral that diverges inside, bounded integrand by a floor": one(
        "integral(1/(1 - t + floor(t)), t, 0, 1) - integral(1/(1 - t + floor(t)), t, 0, 1) == 0", Follows(())
    ),
    "two definitions, one in a repair": statement(
        [Fact("0 == 1")],
        [
            Step(Fact("0 == 1"), Decide(), repair=Step(Fact("c == 1"), Definition())),
            Step(Fact("c == 2"), Definition()),
            Step(Fact("0 == 1"), Follows((1, 2))),
        ],
    ),
    "a repair that nobody proves": statement(
        [Fact("0 == 1")],
        [
            Step(Fact("1 <= 2"), Decide(), repair=Step(Fact("0 == 1"), Decide())),
            Step(Fact("0 == 1"), Follows((1,))),
        ],
    ),
    "a claim about a symbol that its proof defines": one("c == 1", Definition()),
    "a claim from the literature": one("0 == 1", Literature("nobody")),
    "cited: a constant there, random here": one(
        "P(X > c) <= E(X)/c", Cite("M0"), domains={"c": ("c > 0",), "X": ("X >= 0",)}, random=("X", "c")
    ),
    "cited: half of an integer parameter's namesake": one(
        "1/2*(1/2 - 1) >= 0", Cite("INT", {"n": "1/2"}), domains={"n": ("n >= 0",)}, integers=("n",)
    ),
    "cited: another mu, which the slope does not write": statement(
        [Fact("(f(x + 2*mu*u) - f(x - 2*mu*u))/(4*mu) == (f(x + mu*u) - f(x - mu*u))/(2*mu)")],
        [
            Step(Fact(SLOPE), ByRule("two-point slope", {"x": "x", "u": "u"})),
            Step(Fact("slopef(x, u) == (f(x + 2*mu*u) - f(x - 2*mu*u))/(2*(2*mu))"), Cite("SLOPE", {"mu": "2*mu"})),
            Step(
                Fact("(f(x + 2*mu*u) - f(x - 2*mu*u))/(4*mu) == (f(x + mu*u) - f(x - mu*u))/(2*mu)"), Follows((1, 2))
            ),
        ],
        domains={"mu": ("mu > 0",), "x": (), "u": ()},
    ),
    "a slope for all mu": statement(
        [Fact("(f(x + 2*u) - f(x - 2*u))/4 == (f(x + u) - f(x - u))/2")],
        [
            Step(Fact(SLOPE, ("mu",), ("mu > 0",)), ByRule("two-point slope", {"x": "x", "u": "u"})),
            Step(
                Fact("(f(x + 2*u) - f(x - 2*u))/4 == (f(x + u) - f(x - u))/2"),
                Follows((Use(1, {"mu": "1"}), Use(1, {"mu": "2"}))),
            ),
        ],
        domains={"x": (), "u": ()},
    ),
    "the form as used cites itself": AS_USED,
    "an integral over an integer parameter": statement(
        [Fact("1/6 <= 0")],
        [
            Step(Fact("0 <= y**2", ("y",)), Decide()),
            Step(
                Fact("integral(t - t**2, t, 0, 1) <= integral(0, t, 0, 1)"),
                ByRule(
                    "integral monotone",
                    {"G": "t - t**2", "H": "0", "t": "t", "a": "0", "b": "1"},
                    (Use(1, {"y": "t"}),),
                ),
            ),
            Step(Fact("integral(t - t**2, t, 0, 1) == 1/6"), Decide()),
            Step(Fact("integral(0, t, 0, 1) == 0"), Decide()),
            Step(Fact("1/6 <= 0"), Follows((2, 3, 4))),
        ],
        domains={"t": ()},
        integers=("t",),
    ),
    "induction that reaches one half": statement(
        [Fact("1 <= 0")],
        [
            Step(Fact("at(v, 0) <= 0"), Follows(("start",))),
            Step(Fact("at(v, s + 1) <= 0", ("s",), ("s >= 0", "s <= n - 1", "at(v, s) <= 0")), Follows(("periodic",))),
            Step(
                Fact("at(v, t) <= 0", ("t",), ("t >= 0", "t <= n")),
                ByRule("induction", {"X": "at(v, s)", "C": "0", "s": "s", "a": "0", "n": "n"}, (1, 2)),
            ),
            Step(Fact("1 <= 0"), Follows((Use(3, {"t": "1/2"}), "half"))),
        ],
        hypotheses={
            "start": Fact("at(v, 0) == 0"),
            "periodic": Fact("at(v, s + 1) == at(v, s)", ("s",)),
            "half": Fact("at(v, 1/2) == 1"),
        },
        domains={"n": ("n >= 1",)},
        integers=("n",),
    ),
    "a telescope of one step and a half": one(
        "at(v, 3/2) <= at(v, 0) - sum(at(w, s), s, 0, 3/2 - 1) + 3/2*0",
        ByRule("telescope", {"v": "v", "w": "w", "c": "0", "n": "3/2"}, ("d",)),
        hypotheses={"d": Fact("at(v, s + 1) <= at(v, s) - at(w, s) + 0", ("s",))},
    ),
    "a union over no integer at all": one(
        "P(union(at(X, t) > 1, t, 1/2, 3/5)) <= (3/5 - 1/2 + 1)*(-1)",
        ByRule("union over a range", {"A": "at(X, t) > 1", "t": "t", "a": "1/2", "b": "3/5", "q": "-1"}, ("h",)),
        hypotheses={"h": Fact("P(at(X, t) > 1) <= -1", ("t",), ("t >= 1/2", "t <= 3/5"))},
        random=("X",),
    ),
    "a discounted sum up to two and a half": one(
        "sum(2**(5/2 - s)*s, s, 1, 5/2) == 2*sum(2**(5/2 - 1 - s)*s, s, 1, 5/2 - 1) + 5/2",
        ByRule("last term of a discounted sum", {"c": "2", "G": "s", "s": "s", "t": "5/2"}),
    ),
    "a discounted sum whose end is its index": one(
        "sum(2**(s*s + 2 - s)*1, s, 1, s*s + 2) == 2*sum(2**(s*s + 2 - 1 - s)*1, s, 1, s*s + 2 - 1) + 1",
        ByRule("last term of a discounted sum", {"c": "2", "G": "1", "s": "s", "t": "s*s + 2"}),
        domains={"s": ()},
        integers=("s",),
    ),
    "the index of a union captures": captured("union"),
    "the index of an intersection captures": captured("meet"),
    "the index of a least term captures": one(
        "sum(least(at(v, r) - s, r, 0, 1), s, 0, r) == "
        "sum(least(at(v, r) - s, r, 0, 1), s, 0, r - 1) + least(at(v, r) - r, r, 0, 1)",
        ByRule("last term of a sum", {"G": "least(at(v, r) - s, r, 0, 1)", "s": "s", "n": "r"}),
        domains={"r": ("r >= 1",)},
        integers=("r",),
    ),
}


@pytest.mark.usefixtures("no_worlds")
@pytest.mark.parametrize("abuse", FALSE)
def test_an_abuse_proves_nothing(abuse):
    verdict = decide_statement(FALSE[abuse], CITED.__getitem__, SECONDS, 0.0)
    assert verdict.status not in (Status.PROVED, Status.REPAIRED), abuse
    assert verdict.certificate is None


HONEST = {
    "a constant put for a constant": one(
        "P(X > 2*c) <= 1/(1 + 2*c)",
        Follows((Use("h", {"t": "2*c"}),)),
        hypotheses={"h": Fact("P(X > t) <= 1/(1 + t)", ("t",), ("t >= 0",))},
        domains={"c": ("c >= 0",)},
        random=("X",),
    ),
    "an integral that exists, split": one(
        "integral(1/t, t, a, 3) == integral(1/t, t, a, 2) + integral(1/t, t, 2, 3)",
        ByRule("integral split", {"G": "1/t", "t": "t", "a": "a", "c": "2", "b": "3"}),
        domains={"a": ("a > 0", "a <= 2")},
    ),
    "a repair that is proved": statement(
        [Fact("x <= 2", where=("x <= 1",))],
        [
            Step(
                Fact("x <= 0", where=("x <= 1",)), Decide(), repair=Step(Fact("x <= 3/2", where=("x <= 1",)), Decide())
            )
        ],
        domains={"x": ()},
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_the_honest_twin_is_proved_and_its_certificate_holds(name):
    verdict = decide_statement(HONEST[name], CITED.__getitem__, SECONDS, 0.0)
    assert verdict.status is Status.PROVED, verdict.reason
    assert verify_statement(verdict.certificate).valid


# ---------------------------------------------------------------- certificates


def test_the_printed_form_is_no_proof_of_a_repaired_step():
    s = HONEST["a repair that is proved"]
    certificate = decide_statement(s, CITED.__getitem__, 4.0, 0.0).certificate
    step = certificate["steps"][0]
    assert step["form"] == "repaired"
    for forms in ({"form": "printed"}, {"form": None}, {}):
        bare = {k: v for k, v in step.items() if k != "form"}
        assert not verify_statement({**certificate, "steps": [{**bare, **forms}, *certificate["steps"][1:]]}).valid


@pytest.mark.parametrize("term", ["floor(log(x))", "ceil(sqrt(x))", "floor(y)"])
def test_a_floor_of_something_undefined_says_nothing_about_its_argument(term):
    about = Claim.read("x > -1")
    assert len(goals(about)) == 1
    proof = {"rule": "step", "term": term, "new": "t_", "then": [{"rule": "eval"}]}
    assert not verify(make(about, [proof]), about).valid


def test_a_floor_of_something_defined_may_be_brought_in():
    about = Claim.read("floor(x) > x - 1")
    proof = {"rule": "step", "term": "floor(x)", "new": "t_", "then": [{"rule": "hypothesis"}]}
    assert verify(make(about, [proof]), about).valid


# ---------------------------------------------------------------- there is no constant


def exists(claim, family, **more):
    return statement([], [], exists=(Exists("C", claim, (family,)),), **more)


FAMILY = Family("f", ("x",), ("x > 0",))
SIGNS = (("1", "1/2"), ("-1", "1/2"))
#: assertions that hold with the constant in the name, and a family that would refute them
TRUE = {
    "C = 0: a parameter that is an integer has the value 1/2": exists(
        Fact("x*n*(1 - n) <= C"),
        replace(FAMILY, values={"n": "1/2"}),
        domains={"n": (), "x": ("x > 0",)},
        integers=("n",),
    ),
    "C = 1: the witness is no integer": exists(
        Fact("1 <= C*x**2"), FAMILY, domains={"x": ("x > 0",)}, integers=("x",)
    ),
    "C = 1: a sign is no coordinate of the sphere": exists(
        Fact("E(U1**2) <= C/x"),
        Family("f", ("x",), ("x >= 1",), {"E(U1**2)": "E(s**2)", "d": "x"}, "s", SIGNS),
        hypotheses={"h": Fact("law(U1) == sphere(d)")},
        domains={"d": ("d >= 1",), "x": ("x == d",)},
        random=("U1",),
    ),
    "C = 1: the condition of the claim": exists(Fact("x <= C", where=("x <= 1",)), FAMILY, domains={"x": ("x > 0",)}),
    "C = 1: probabilities beyond 1": exists(
        Fact("P(X > x) <= C"),
        replace(FAMILY, values={"X": "s*(2*x)"}, variable="s", atoms=(("1", "1/2"), ("1", "x"))),
        domains={"x": ("x > 0",)},
        random=("X",),
    ),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_family_that_is_no_instance_refutes_nothing(name):
    s = TRUE[name]
    assert decide_exists(s, s.exists[0], decide).status is Status.UNDECIDED


def test_an_instance_refutes():
    s = exists(Fact("x <= C", where=("x >= 1",)), FAMILY, domains={"x": ("x > 0",)})
    assert decide_exists(s, s.exists[0], decide).status is Status.REFUTED
    whole = exists(Fact("n <= C"), replace(FAMILY, values={"n": "ceil(x)"}), domains={"n": ()}, integers=("n",))
    assert decide_exists(whole, whole.exists[0], decide).status is Status.REFUTED


# ---------------------------------------------------------------- scalar claims

#: claims that a strict end at 0 made look true: 0**y is 0 for y > 0
AT_ZERO = [
    ("x**y > 0", ("x >= 0", "y > 0")),
    ("x**y != 0", ("x >= 0", "y > 0")),
    ("x**(1/y) > 0", ("x >= 0", "y > 0")),
    ("min(x, y)**y > 0", ("x >= 0", "y > 0")),
    ("1/x**y > 0", ("x >= 0", "y > 0")),
    ("x**y/x**y == 1", ("x >= 0", "y > 0")),
]


@pytest.mark.parametrize(("claim", "where"), AT_ZERO)
def test_a_power_of_zero_is_zero(claim, where):
    about = Claim.read(claim, where)
    assert decide(about, 0.3).status is not Status.PROVED
    for proof in ({"rule": "eval"}, {"rule": "unequal", "as": ">", "then": [{"rule": "eval"}]}):
        assert not verify(make(about, [proof] * len(goals(about))), about).valid


def test_a_power_of_a_positive_number_is_positive():
    about = Claim.read("x**y > 0", ("x > 0", "y > 0"))
    assert verify(make(about, [{"rule": "eval"}]), about).valid


def test_verify_names_what_a_certificate_takes_as_given():
    """A certificate is valid under what it cites: a forged lemma in it is told, not hidden."""
    forged = one("0 == 1", Decide(), label="lem:momentum-freedman")
    s = one("0 == 1", Cite("lem:momentum-freedman"))
    verdict = decide_statement(s, lambda label: forged, 2.0, 0.0)
    assert checked(verdict.certificate).valid
    assert "given lem:momentum-freedman, NOT as the catalogue has it" in about(verdict.certificate)
