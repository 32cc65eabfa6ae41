"""'There is a constant C such that for all ...': refuted by a certified function of C, never by a true assertion."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from pathlib import Path

import pytest
from slow import brief

from boundcheck import lemma
from boundcheck.app.commands import check_jobs
from boundcheck.decide import decide
from boundcheck.decide.quantified import decide_exists
from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.skolem import verify_skolem
from boundcheck.kernel.formula import parse, substitute
from boundcheck.kernel.proof.existence import NoInstance, hypotheses, obligations, violations
from boundcheck.kernel.proof.sorts import SortError
from boundcheck.kernel.statement import Exists, Fact, Family, Parameter, Statement
from boundcheck.paper import lookup
from boundcheck.verdict import Status

FALSE = ("lem:momentum-freedman", "lem:momentum-onestep-bias", "lem:momentum-onestep-estimator", "app:takeaway")


@pytest.mark.parametrize("label", [brief(label, label) for label in FALSE])
def test_the_printed_constant_does_not_exist(label):
    statement = lookup(label)
    (exists,) = statement.exists
    verdict = decide_exists(statement, exists, decide)
    assert verdict.status is Status.REFUTED, verdict.reason
    assert verdict.witness and all(exists.constant in w for w in verdict.witness.values())
    assert verify_skolem(verdict.certificate, statement, exists).valid


def test_the_run_of_a_family_is_one_that_the_paper_speaks_of():
    """bar Delta_0 is f(x_0) - f_* + L mu^2/2 in the paper; the statement here is proved without."""
    values = lookup("lem:momentum-onestep-bias").exists[0].families[0].values
    start = substitute(parse(values["f(y)"]), {"y": parse(values["x0"])})
    numbers = {name: parse(values[name]) for name in ("L", "mu", "fstar")}
    bar = substitute(parse("start - fstar + L*mu**2/2"), {**numbers, "start": start})
    assert Algebra().is_zero(bar - parse(values["Dbar"])) and not Algebra().is_zero(bar - parse("1/8"))


def test_what_the_author_of_a_family_vouches_for_is_told():
    told = {label: decide_exists(lookup(label), lookup(label).exists[0], decide).reason for label in FALSE}
    for label in ("app:takeaway", "lem:momentum-freedman"):
        assert "author" not in told[label], "all is computed from values of names"
    assert (
        "; its author vouches for Egiven(est(M, tau, x, B), H) == tau**(1 - p) and for hypotheses directions, apart"
        in (told["lem:momentum-onestep-estimator"])
    )


def test_certificates_are_refused_after_every_change():
    statement = lookup("lem:momentum-freedman")
    (exists,) = statement.exists
    good = decide_exists(statement, exists, decide).certificate

    def changed(**more):
        return {**copy.deepcopy(good), **more}

    for other in (
        changed(witness={"eta": "C**(-1)"}),  # too slow: C sqrt(eta) grows
        changed(witness={}),
        changed(witness={"eta": "x"}),
        changed(certificates=good["certificates"][:-1]),
        changed(failing=7),
        changed(family="another"),
        changed(schema=2),
        {},
    ):
        assert not verify_skolem(other, statement, exists).valid
    weaker = replace(exists, claim=Fact(exists.claim.claim.replace("sqrt(V*eta)", "sqrt(V*(1 + eta))")))
    assert not verify_skolem(good, statement, weaker).valid


def _toy(claim: str, family: Family) -> tuple[Statement, Exists]:
    exists = Exists("C", Fact(claim), (family,))
    domain = Parameter("a", "a number", ("a > 0",))
    return Statement("toy", "toy", "lemma", "toy", "toy", parameters=(domain,), exists=(exists,)), exists


POSITIVE = Family("any a", ("a",), ("a > 0",))


@pytest.mark.parametrize(
    ("claim", "refuted"),
    [
        ("a <= C*a**2", True),  # small a
        ("a**2 <= C*a", True),  # large a
        ("1 <= C*a/(1 + a)", True),
        ("a/(1 + a) <= C", False),
        ("a <= C*(1 + a**2)", False),
    ],
)
def test_toys(claim, refuted):
    statement, exists = _toy(claim, POSITIVE)
    verdict = decide_exists(statement, exists, decide, 3.0)
    assert (verdict.status is Status.REFUTED) == refuted, verdict.reason


def test_a_family_that_breaks_a_hypothesis_refutes_nothing():
    statement, exists = _toy("a <= C*a**2", Family("negative a", ("b",), ("b > 0",), {"a": "-b"}))
    assert decide_exists(statement, exists, decide, 3.0).status is Status.UNDECIDED


F_1 = ("a",), ("a > 0",), {"f(t)": "a"}


@pytest.mark.parametrize(
    ("told", "family", "given", "sort"),
    [
        ("1 <= C*n", (("n",), ("n > 0",)), Fact("n > 0"), "integer"),
        ("1 <= C*n", (("a",), ("a > 0",), {"n": "a"}), Fact("n > 0"), "integer"),
        ("1 <= C*f(1)", F_1, Fact("f(1) > 0"), "integer -> integer"),
        ("1 <= C*at(f, 1)", (*F_1[:2], {"at(f, t)": "a"}), Fact("at(f, 1) > 0"), "integer -> integer"),
    ],
)
def test_a_family_gives_whole_values_to_what_is_declared_whole(told, family, given, sort):
    """A whole number above 0 is at least 1; it was refuted by 1/(4 C). What is declared real is refuted so."""
    exists = Exists("C", Fact(told), (Family("small", *family),))
    name = "n" if "n" in told else "f"
    true = Statement(
        "toy", "toy", "lemma", "toy", "toy", hypotheses={"h": given}, exists=(exists,), declares={name: sort}
    )
    verdict = decide_exists(true, exists, decide, 3.0)
    assert verdict.status is Status.UNDECIDED and "is an integer" in verdict.reason
    false = replace(true, declares={name: sort.removesuffix("integer") + "real"})
    assert decide_exists(false, exists, decide, 3.0).status is Status.REFUTED
    assert not verify_skolem(decide_exists(false, exists, decide, 3.0).certificate, true, exists).valid


def test_a_family_fixes_no_name_that_a_hypothesis_is_for_all_of():
    """f(k) >= 1 for all whole k was asked of f at the one k >= 2 that the family speaks of: f(1) was small."""
    family = Family("small", ("a", "k"), ("a > 0", "k >= 2"), {"f(i)": "a*ind(i == 1) + 2*ind(i != 1)"})
    exists = Exists("C", Fact("1 <= C*f(1)"), (family,))
    stated = {"h": Fact("f(k) >= 1", ("k: integer",))}
    sorts = {"f": "integer -> real"}
    asked = replace(exists, claim=Fact("1 <= C*k", ("k: integer",), ("k > 0",)))
    asked = replace(asked, families=(Family("small", ("k",), ("k > 0",)),))
    whole = Statement("toy", "toy", "lemma", "toy", "toy", exists=(asked,))
    assert "k is an integer" in decide_exists(whole, asked, decide, 3.0).reason  # of a claim for all whole k
    true = Statement("toy", "toy", "lemma", "toy", "toy", hypotheses=stated, exists=(exists,), declares=sorts)
    assert decide_exists(true, exists, decide, 3.0).status is Status.UNDECIDED
    assert "a >= 1 where a > 0, k >= 2, k_ == 1" in [str(c) for c in hypotheses(true, exists, family)]
    false = replace(true, hypotheses={"h": replace(stated["h"], where=("k >= 2",))})
    assert decide_exists(false, exists, decide, 3.0).status is Status.REFUTED


@pytest.mark.parametrize(
    ("term", "told"),
    [("x**2", "x**2 >= -C"), ("abs(x)", "abs(x) >= -C"), ("2", "2 <= C"), ("f(1)**2", "f(1)**2 >= -C")],
)
def test_a_family_gives_no_value_to_what_has_one(term, told):
    values = {"x": "s", "f(t)": "s", term: "s" if term == "2" else "-s"}
    exists = Exists("C", Fact(told), (Family("f", ("s",), ("s > 0",), values),))
    true = Statement(
        "toy", "toy", "lemma", "toy", "toy", exists=(exists,), declares={"x": "real", "f": "real -> real"}
    )
    verdict = decide_exists(true, exists, decide, 3.0)
    assert verdict.status is Status.UNDECIDED and "which has one" in verdict.reason


def test_freedman_holds_in_the_range_of_its_uses():
    """With eta >= log 2 the same family refutes nothing."""
    statement = lookup("lem:momentum-freedman")
    (exists,) = statement.exists
    family = replace(exists.families[0], where=("eta >= 7/10",))
    narrowed = replace(exists, families=(family,))
    assert decide_exists(statement, narrowed, decide, 3.0).status is Status.UNDECIDED


def test_moments_of_a_family_are_computed_from_its_law():
    statement = lookup("lem:momentum-freedman")
    (exists,) = statement.exists
    biased = replace(exists.families[0], atoms=(("-1", "1/4"), ("1", "3/4")))
    claims = hypotheses(statement, exists, biased)
    assert any(decide(c, 2.0).status is not Status.PROVED for c in claims), claims
    for wrong in ("a <= C", "n <= C + H"):
        with pytest.raises(SortError):
            list(violations(statement, replace(exists, claim=Fact(wrong)), biased))


def _carried(label: str) -> dict:
    statement = lookup(label)
    return json.loads(json.dumps(decide_exists(statement, statement.exists[0], decide).certificate))


def test_a_certificate_on_file_says_what_it_refutes_and_is_refused_after_a_change(tmp_path, capsys):
    good = _carried("lem:momentum-freedman")
    weaker = copy.deepcopy(good)
    (exists,) = weaker["statement"]["exists"]
    exists["claim"]["claim"] = exists["claim"]["claim"].replace("sqrt(V*eta)", "sqrt(V*(1 + eta))")
    narrowed = copy.deepcopy(good)
    narrowed["statement"]["text"] += " Or not."
    cases = {
        "good": (good, 0, "no constant in lem:momentum-freedman, as the catalogue has it"),
        "weaker": (weaker, 1, "NOT as the catalogue has it"),
        "narrowed": (narrowed, 0, "NOT as the catalogue has it"),
        "other": ({**good, "assertion": 1}, 1, "assertion: one of the 1"),
        "bare": ({k: v for k, v in good.items() if k != "statement"}, 1, "statement: a statement is wanted"),
    }
    for name, (data, status, told) in cases.items():
        file = tmp_path / f"{name}.json"
        file.write_text(json.dumps(data))
        assert lemma.main(["verify", str(file)]) == status, name
        assert told in " ".join(capsys.readouterr().out.split()), "where lines are folded depends on the path"


@pytest.mark.usefixtures("one_process")
def test_check_writes_what_it_proves_and_what_it_refutes(tmp_path, capsys):
    assert lemma.main(["check", "lem:momentum-freedman", "--strict", "--certificates", str(tmp_path)]) == 1
    files = sorted(str(f) for f in tmp_path.iterdir())
    assert [Path(f).name for f in files] == ["lem_momentum-freedman.json", "lem_momentum-freedman.refuted.json"]
    capsys.readouterr()
    assert lemma.main(["verify", files[0]]) == 0
    told = " ".join(capsys.readouterr().out.split())
    assert "lem:momentum-freedman, as the catalogue has it in the form that is used" in told
    assert lemma.main(["verify", *files]) == 0


def test_a_refutation_that_the_verifier_refuses_is_no_verdict():
    statement = lookup("lem:momentum-freedman")
    found = check_jobs.decide_own(statement, (), 5.0, False, True)
    assert found.status is Status.REPAIRED and check_jobs.verified(found).status is Status.REPAIRED
    broken = replace(found, certificate={**found.certificate, "witness": {"eta": "C**(-1)"}})
    refused = check_jobs.verified(broken)
    assert refused.status is Status.UNDECIDED and "refuses the refutation" in refused.reason


NAMES = {"x": "vector", "X": "random real", "A": "event", "f": "real -> real", "y": "real", "z": "random vector"}
BITES = {"variable": "v", "atoms": (("s", "1/s"), ("0", "1 - 1/s"))}


def _asked(claim, values, where, **law):
    family = Family("F", ("s",), (where,), values, **law)
    exists = Exists("C", Fact(claim), (family,))
    statement = Statement("toy", "toy", "lemma", "toy", "toy", exists=(exists,), declares=NAMES)
    return decide_exists(statement, exists, decide, 3.0)


#: what the names have in the tests below, so that all terms of these have values
COMPUTED = {"x": "s", "f(t)": "s", "X": "s", "z": "-s", "A": "v > 0"}


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("norm(x) >= -C", {"norm(x)": "-s"}),
        ("dot(x, x) >= -C", {"dot(x, x)": "-s"}),
        ("norm(f(1)*x) >= -C", {"norm(f(1)*x)": "-s"}),
        ("E(X**2) >= -C", {"E(X**2)": "-s"}),
        ("E(norm(z)) >= -C", {"E(norm(z))": "-s"}),
        ("sum(norm(x), k, 1, 2) >= -C", {"sum(norm(x), k, 1, 2)": "-s"}),
        ("integral(P(X > t), t, 0, 1) >= -C", {"integral(P(X > t), t, 0, 1)": "-s"}),
        ("E(ind(A)) <= C", {"E(ind(A))": "s"}),
        ("ind(A) <= C", {"ind(A)": "s"}),
        ("integrable(X) <= C", {"integrable(X)": "s"}),
        ("P(X > 0)**2 <= C", {"P(X > 0)": "s"}),
        ("norm(2*x) <= C*norm(x)", {"norm(2*x)": "s", "norm(x)": "1"}),
        ("P(A) <= C", {"P(A)": "s"}),
    ],
)
def test_a_family_gives_no_term_a_value_that_it_cannot_have(claim, values):
    """All of these are true: a norm is not negative, a probability is at most 1. Terms are computed from names."""
    found = _asked(claim, values, "s > 1")
    assert found.status is Status.UNDECIDED and "which has one; give one to" in found.reason
    assert _asked(claim, COMPUTED, "s > 1", **BITES).status is Status.UNDECIDED


@pytest.mark.parametrize("member", ["Z({})", "at(Z, {})"])
@pytest.mark.parametrize(
    ("claim", "value", "hypothesis"),
    [
        ("E(norm({0})) <= C", "s", Fact("law({0}) == sphere(d)")),
        ("E(norm({0})) <= C", "s", Fact("law({1}) == sphere(d)", ("k: integer",))),
        ("E(dot({0}, x)*dot({2}, x)) <= C*E(dot({0}, x))*E(dot({2}, x))", "v", Fact("independent({0}, {2}) == 1")),
    ],
)
def test_what_is_assumed_of_a_family_is_of_its_members_however_these_are_written(claim, value, hypothesis, member):
    """A unit vector is of length 1, and means of independent numbers multiply: there is a constant."""
    members = [member.format(k) for k in (1, "k", 2)]
    sorts = {"Z": "integer -> random vector", "d": "integer", "x": "vector"}
    values = {member.format("i"): value, "d": "1", "x": "1"}
    exists = Exists("C", Fact(claim.format(*members)), (Family("F", ("s",), ("s > 1",), values, **BITES),))
    statement = Statement("toy", "toy", "lemma", "toy", "toy", exists=(exists,), declares=sorts)
    assert decide_exists(statement, exists, decide, 3.0).status is Status.REFUTED
    told = replace(hypothesis, claim=hypothesis.claim.format(*members))
    found = decide_exists(replace(statement, hypotheses={"h": told}), exists, decide, 3.0)
    assert found.status is Status.UNDECIDED and "is not computed; what shows" in found.reason


@pytest.mark.parametrize(
    ("claim", "values"),
    [
        ("E(f(1)**2) <= C*E(f(1))**2", {"f(1)": "v", "E(f(1)**2)": "E(v**2)", "E(f(1))": "E(v)"}),
        ("E(y**2) <= C*E(y)**2", {"E(y**2)": "E(v**2)", "E(y)": "E(v)"}),
        ("norm(x)**2 <= C", {"norm(x)": "v"}),
    ],
)
def test_a_family_makes_no_constant_random(claim, values):
    found = _asked(claim, values, "s > 1", **BITES)
    assert found.status is Status.UNDECIDED and "; give one to" in found.reason
    found = _asked(claim, {"f(t)": "v", "y": "v", "x": "v"}, "s > 1", **BITES)
    assert found.status is Status.UNDECIDED and "F gives a random value to a constant" in found.reason


@pytest.mark.parametrize(
    ("claim", "values", "law"),
    [
        ("norm(x) <= C", {"x": "-s"}, {}),
        ("dot(x, x) <= C*norm(x)", {"x": "s"}, {}),
        ("E(X**2) <= C", {"X": "s"}, {}),
        ("1 <= C*P(X > 0)", {"X": "v"}, BITES),
        ("1 <= C*P(A)", {"A": "v > 1/2"}, BITES),
        ("1 <= C*(1 - ind(A)*f(1))", {"A": "1 > 0", "f(t)": "1 - t/s"}, {}),
        ("E(X**2) <= C*E(X)**2", {"X": "v"}, BITES),
        ("E(Egiven(X, X > 0)**2) <= C", {"X": "v"}, BITES),
        ("X <= C", {"X": "v"}, BITES),  # at one outcome
    ],
)
def test_terms_are_computed_from_names(claim, values, law):
    assert _asked(claim, values, "s > 1", **law).status is Status.REFUTED


REAL = {"f": "real -> real", "v": "vector", "X": "random real"}
AT_LEAST = ("t",), ("t >= 1",)
OTHER = {"X": "1", "x": "-1", "a": "t", "s": "1/2", "f(r)": "0", "v": "1"}


@pytest.mark.parametrize(
    ("told", "values", "given"),  # each says that a term has a value, which contradicts the family
    [
        ("x**s <= C", {"x": "-t", "s": "2", "a": "1"}, ""),  # a real exponent stays one, whatever number it is
        ("a <= C", {"s": "2"}, "x**s >= 0"),
        ("a <= C", {"s": "0"}, "(x + 1)**s >= 0"),
        ("a <= C", {"s": "0"}, "f(1/s) >= 0"),
        ("a <= C", {"s": "0"}, "f(1/s - 1/s) >= 0"),
        ("a + f(1/s) <= C", {"s": "0"}, ""),
        ("a + f(sqrt(x)) <= C", {}, ""),
        ("a <= C", {"s": "0"}, "norm(v/s) >= 0"),
        ("a <= C", {"X": "0"}, "E(1/X) >= 0"),
        ("a <= C", {"s": "0"}, "1/s <= 1/s"),
        ("a <= C", {"s": "0"}, "1/s + ind(1/s > 0) <= 1/s + ind(1/s > 0)"),
        ("a <= C", {"s": "0"}, "1/s <= 1/s where ind(a > 1) >= 0"),
        ("a <= C", {"s": "0"}, "f(0) >= 0 where ind(1/s > 0) <= 1"),
        ("a <= C", {"s": "0"}, "sum(f(1/s), k, 1, 2) >= 0"),
        ("a <= C", {"s": "0"}, "sum(0/(k - 30), k, 1, 40) >= 0"),
        ("a <= C", {"f(r)": "0/(r - 1)"}, "E(f(X)) >= 0"),
    ],
)
def test_what_has_no_value_in_a_family_has_none_there(told, values, given):
    exists = Exists("C", Fact(told), (Family("f", *AT_LEAST, OTHER | values),))
    named = tuple(Parameter(n, n, (d,)) for n, d in (("x", "x <= -1"), ("s", "s >= 0"), ("a", "a > 0")))
    claim, _, where = (given or "0 <= 1").partition(" where ")
    true = Statement(
        "toy", "toy", "lemma", "toy", "toy", parameters=named, exists=(exists,), declares=REAL,
        hypotheses={"h": Fact(claim, (), (where,) if where else ())},
    )  # fmt: skip
    assert decide_exists(true, exists, decide, 3.0).status is Status.UNDECIDED
    # where the same terms have values, a false assertion is refuted
    free = replace(exists, claim=Fact("a <= C"), families=(Family("f", *AT_LEAST, OTHER),))
    claim = claim.replace("x + 1", "x + 2").replace("x**s", "(-x)**s").replace("k - 30", "k - 300")
    false = replace(true, exists=(free,), hypotheses={"h": replace(true.hypotheses["h"], claim=claim)})
    found = decide_exists(false, free, decide, 3.0)
    assert found.status is Status.REFUTED, found.reason


def test_a_function_has_one_value_at_one_place():
    """f(a) and f(s) had two values at a = s = 2; a function is given for all arguments."""
    for values in ({"f(a)": "t", "f(s)": "1"}, {"f(r)": "r*t"}):
        family = Family("f", *AT_LEAST, {"a": "2", "s": "2", **values})
        exists = Exists("C", Fact("f(a) <= C*f(s)"), (family,))
        named = tuple(Parameter(n, n, (f"{n} > 0",)) for n in ("s", "a"))
        true = Statement("toy", "toy", "lemma", "toy", "toy", parameters=named, exists=(exists,), declares=REAL)
        assert decide_exists(true, exists, decide, 3.0).status is Status.UNDECIDED


def test_a_certificate_gives_a_real_exponent_no_whole_value():
    """The witness of a certificate is a text: a free exponent that it makes 2 stays real."""
    exists = Exists("C", Fact("x**s <= C"), (Family("f", ("t", "s"), ("t >= 1", "s >= 1"), {"x": "-t"}),))
    named = (Parameter("x", "x", ("x <= -1",)), Parameter("s", "s", ("s >= 1",)))
    true = Statement("toy", "toy", "lemma", "toy", "toy", parameters=named, exists=(exists,))
    (failing,) = violations(true, exists, exists.families[0])
    claims = obligations(true, exists, exists.families[0], failing, {"t": "1 + C", "s": "2"})
    assert not all(decide(c, 2.0).status is Status.PROVED for c in claims)


@pytest.mark.parametrize(
    ("integrand", "smooth"),
    [("x**2", True), ("floor(r)*x", True), ("floor(x)", False), ("x*ceil(x)", False), ("integral(s, s, x, 2)", False)],
)
def test_what_jumps_is_no_gradient(integrand, smooth):
    """Of the integral of floor it would be floor(1 + sin(y)) cos(y), near 0 either 0 or about 1: no slope is."""
    at_end = integrand.replace("x", "(1 + sin(y))")
    values = {"f(y)": f"integral({integrand}, x, 0, 1 + sin(y))", "g(y)": f"({at_end})*cos(y)"}
    family = Family("f", ("r",), ("r >= 1",), values)
    exists = Exists("C", Fact("dot(g(e), e) <= C"), (family,))
    sorts = {"f": "vector -> real", "g": "vector -> vector", "e": "vector"}
    given = {"slope": Fact("gradient(f, g) == 1")}
    toy = Statement("toy", "toy", "lemma", "toy", "toy", declares=sorts, hypotheses=given, exists=(exists,))
    family = replace(family, values={**values, "e": "1"})
    if smooth:
        assert hypotheses(toy, exists, family)
    else:
        with pytest.raises(NoInstance, match="may jump"):
            hypotheses(toy, exists, family)
