"""Whether an exported theorem says what the claim says: definedness, powers, and what is stored under a name."""

from __future__ import annotations

import copy
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from boundcheck import lemma
from boundcheck.app.commands.certified import about
from boundcheck.app.commands.export import certificates, proved
from boundcheck.app.commands.verify_rocq import _form_of
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.check.statement_certificate import verify_statement
from boundcheck.kernel.rate import Rate
from boundcheck.kernel.statement import Cite, Fact, Parameter, Statement, Step
from boundcheck.paper import catalogue
from boundcheck.rocq import compiler
from boundcheck.rocq.claim_files import Export, Obligation, export, of_its_statement
from boundcheck.rocq.coq_text import NotStated
from boundcheck.rocq.sections import whole
from boundcheck.verdict import Status
from boundcheck.written import encode

MISSING = "no coqc here; .ci/run installs coq and libcoq-interval where it can"


def stated(claim: str, given: tuple[str, ...] = (), **domains: tuple[str, ...]) -> Statement:
    """A claim from hypotheses, about numbers; n is an integer."""
    parameters = tuple(Parameter(n, "", where, integer=n == "n") for n, where in domains.items())
    names = tuple(f"h{k}" for k in range(len(given)))
    return Statement(
        "lem:said", "t", "lemma", "p", "", parameters, dict(zip(names, map(Fact, given), strict=True)), (Fact(claim),),
        concludes=(names,),
    )  # fmt: skip


def decided(statement: Statement) -> dict:
    found = decide_statement(statement, {}.__getitem__, 8.0, 0.0)
    assert found.status is Status.PROVED, found.reason
    return dict(found.certificate)


def theorem_text(statement: Statement) -> str:
    lines = whole(statement, {}.__getitem__, {}).file("nothing").splitlines()
    return "\n".join(line for line in lines if line.startswith(("Hypothesis", "Theorem")))


# ------------------------------------------------------------ whole powers

POWERS = {
    "a hypothesis on what may be negative": (
        stated("x**n*x**n >= 1", ("x**n >= 1",), x=(), n=("n >= 0",)), "ipw v_x v_n",
    ),
    "a claim about what may be negative": (stated("(x**n)**2 >= 0", (), x=(), n=("n >= 0",)), "ipw v_x v_n"),
    "0 to the power 0": (stated("x**n >= 0", (), x=("x >= 0",), n=("n >= 0",)), "ipw v_x v_n"),
    "an exponent by its form": (stated("x**(2*n + 1)*x >= 0", (), x=(), n=("n >= 0",)), "ipw v_x ((2 * v_n) + 1)"),
    "rounded": (stated("(x**ceil(y))**2 >= 0", (), x=("x != 0",), y=()), "ipw v_x (rceil v_y)"),
    "of what is positive by its domain": (stated("x**n > 0", (), x=("x > 0",), n=()), "rpw v_x v_n"),
    "of what is not negative": (stated("x**n >= 0", (), x=("x >= 0",), n=("n >= 1",)), "rpw v_x v_n"),
    "of what a hypothesis says": (stated("x**n > 0", ("x > y",), x=(), y=("y >= 0",), n=()), "rpw v_x v_n"),
    "an exponent that is not whole": (stated("x**p > 0", (), x=("x > 0",), p=()), "rpw v_x v_p"),
}  # fmt: skip


@pytest.mark.parametrize("case", POWERS)
def test_a_power_with_a_whole_exponent_is_that_of_any_number(case):
    """exp (n ln x) is no power of a negative x: a hypothesis of it would leave these x out, a claim say nothing."""
    statement, text = POWERS[case]
    found = theorem_text(statement)
    other = text.replace("ipw", "rpw") if "ipw" in text else text.replace("rpw", "ipw")
    assert f"({text})" in found and f"({other})" not in found


def test_what_is_known_of_a_name_is_not_known_of_one_that_is_bound():
    every = Fact("(t**n)**2 >= 0", ("t: real",))
    statement = replace(stated("t**n > 0", (), t=("t > 0",), n=()), hypotheses={"square": every}, concludes=((),))
    found = theorem_text(statement)
    assert "Hypothesis hyp_1 : forall v_t : R, ((ipw v_t v_n) ^ 2) >= 0." in found
    assert "Theorem claim_1 : (rpw v_t v_n) > 0." in found


@pytest.fixture(scope="module")
def folder(tmp_path_factory) -> Path:
    return tmp_path_factory.mktemp("rocq")


@pytest.mark.rocq
@pytest.mark.skipif(shutil.which("coqc") is None, reason=MISSING)
@pytest.mark.parametrize("case", ["a hypothesis on what may be negative", "a claim about what may be negative"])
def test_statements_with_whole_powers_are_theorems(case, folder):
    statement, _ = POWERS[case]
    found = export("powers", decided(statement))
    outcome = compiler.accept(found, folder, 120.0)
    assert outcome.failed == {}
    there = {o.name: o.same_as or o.name for o in found.obligations}
    told = compiler.theorem(whole(statement, {}.__getitem__, there), "powers", folder, 120.0)
    assert told["accepted"], told


# ------------------------------------------------------------ whole numbers of a cited statement

FAMILIES = {
    "integer -> integer": ("at(N, 1)*(at(N, 1) - 1) >= 0", "(forall a0 : R, isint a0 -> isint (v_N a0)) -> "),
    "vector -> integer": ("N(0)*(N(0) - 1) >= 0", "(forall a0 : V, isint (v_N a0)) -> "),
    "random integer": ("N*(N - 1) >= 0", "(forall o : Om, isint (v_N o)) -> "),
    "integer -> random integer": (
        "at(N, 1)*(at(N, 1) - 1) >= 0", "(forall a0 : R, forall o : Om, isint a0 -> isint (v_N a0 o)) -> ",
    ),
}  # fmt: skip


@pytest.mark.parametrize("sort", FAMILIES)
def test_a_cited_claim_about_whole_numbers_is_assumed_of_whole_numbers(sort):
    """N (N - 1) >= 0 for every number N would be false, and whatever follows from it worth nothing."""
    claim, premise = FAMILIES[sort]
    low = Statement("lem:low", "t", "lemma", "p", "", claims=(Fact(claim),), declares={"N": sort})
    top = replace(low, label="lem:top", steps=(Step(Fact(claim), Cite("lem:low")),), concludes=((1,),))
    found = whole(top, {"lem:low": low}.__getitem__, {}).file("nothing")
    cited = next(line for line in found.splitlines() if line.startswith("Hypothesis cited_"))
    assert premise in cited
    assert f"Hypothesis whole_v_N : {premise.removeprefix('(').removesuffix(') -> ')}." in found


# ------------------------------------------------------------ forms in vectors

STEP = Rate(
    "step", {"f": "smooth_convex(L)"}, ("x0",), "f(x1) - f(xs) <= L/(2*(2*L*a + 1))*norm(x0 - xs)**2",
    ("xs = 0", "f'(xs) = 0", "x1 = x0 - a*f'(x0)"), where=("a > 0", "a <= 1/L"),
)  # fmt: skip
GRAM = {
    "schema": 1, "kind": "gram",
    "claim": {"vectors": ["x"], "goal": "norm(x)**2/m >= 0", "hypotheses": [], "where": ["m > 0"]},
    "multipliers": [], "domain": {}, "order": [0], "lower": [], "diagonal": [[[["1", [0]]], [["1", [1]]]]],
    "signs": {"1:1+": {"constant": "1", "factors": [
        {"polynomial": [["1", [1]]], "power": 1, "sign": 1, "terms": [["1", [[0, 1]]]]}]}},
}  # fmt: skip


def test_a_form_is_said_to_be_defined():
    assert "-> ((2 * (((2 * v_L) * v_a) + 1)) <> 0) /\\ (" in export("r", decide_rate(STEP).certificate).file()
    assert "-> (v_m <> 0) /\\ (" in export("g", GRAM).file()


def test_only_the_square_of_a_vector_is_a_number():
    for power in ("4", "0", "1"):
        claim = {**GRAM["claim"], "where": ["m > 0", f"x**{power} <= 1"]}
        assert "of a vector" in export("g", {**GRAM, "claim": claim}).obligations[0].refused


@pytest.mark.rocq
@pytest.mark.skipif(shutil.which("coqc") is None, reason=MISSING)
def test_a_form_that_may_be_undefined_is_not_accepted(folder):
    assert compiler.accept(export("divided", GRAM), folder, 120.0).accepted == ["claim"]
    for where in ("m >= 0", "2*m >= 0"):
        bad = {**GRAM, "claim": {**GRAM["claim"], "where": [where]}}
        assert compiler.accept(export("undefined", bad), folder, 120.0).accepted == []
    assert compiler.accept(export("step", decide_rate(STEP).certificate), folder, 120.0).failed == {}


# ------------------------------------------------------------ texts of a certificate in a proof

CLOSED = '1) by admit. Abort. Definition claim := I. (* "'  #: ends the proof, and hides what follows up to OPENED
OPENED = "*) Goal 0 = 0. assert (0 = 0"
FALSE = {
    "schema": 1, "kind": "gram", "domain": {}, "empty": [["1", [[0, CLOSED]]], ["1", [[0, OPENED]]]],
    "claim": {"vectors": ["x"], "goal": "norm(x)**2 <= 0", "hypotheses": [], "where": ["a > 0"]},
}  # fmt: skip


@pytest.mark.parametrize("powers", [[[0, CLOSED]], [["0", 1]], [[0, True]], [[0, "1"]], [[0, 1.0]]])
def test_no_text_of_a_certificate_is_one_of_a_proof(powers):
    """A false form whose certificate ended the proof by itself was accepted, without an axiom."""
    found = export("forged", {**FALSE, "empty": [["1", powers], ["1", [[0, 1]]]]}).obligations[0]
    assert found.refused and not found.text
    assert export("forged", FALSE).obligations[0].refused


def test_a_theorem_states_what_its_claim_says():
    (form,) = export("g", GRAM).obligations
    assert form.said.startswith("forall (S : Space)") and f"Theorem claim : {form.said}." in form.text
    square = {"rule": "farkas", "terms": [{"c": "1", "times": "(a - b)**2"}]}
    claim = {"claim": ["2*a*b <= a**2 + b**2"], "where": ["a > 0"], "integers": []}
    (number,) = export("n", {"claim": claim, "proofs": [square]}).obligations
    assert number.said == "forall v_a v_b : R, (v_a > 0) -> (2 * v_a * v_b <= (v_a ^ 2) + (v_b ^ 2))"
    assert f"Theorem claim : {number.said}." in number.text


def test_what_rocq_takes_for_granted_is_read():
    theory = "Theory:\n  Type hierarchy is collapsed\n"
    told = f"{theory}Axioms:\nloop is assumed to be guarded.\nx : forall y,\n  y = bad : P\n"
    assert compiler.axioms(told) == ["Theory", "loop", "x"]


@pytest.mark.rocq
@pytest.mark.skipif(shutil.which("coqc") is None, reason=MISSING)
def test_a_theorem_that_states_something_else_is_not_accepted(folder):
    good = Obligation("claim", "t", "Theorem claim : 0 <= 1. Proof. lra. Qed.", "0 <= 1")
    other = replace(good, text="Definition claim := I.")
    for one, accepted in ((good, ["claim"]), (other, [])):
        outcome = compiler.accept(Export("said", "claim", (one,)), folder, 60.0)
        assert outcome.accepted == ["claim"]
        compiler.ground([outcome], folder, 120.0)
        assert outcome.accepted == accepted


# ------------------------------------------------------------ what a name stands for

LABEL = "app:sharp-slope"


def of_the_catalogue() -> dict:
    return json.loads(json.dumps(proved(LABEL, 10.0)))


def test_a_certificate_is_about_what_its_statement_demands():
    good = of_the_catalogue()
    of_its_statement(good)
    less = copy.deepcopy(good)
    next(s for s in less["steps"] if s["certificates"])["certificates"].pop()
    other = copy.deepcopy(good)
    place = next(c for s in other["steps"] for c in s["certificates"] if "claim" in c["claim"])
    place["claim"]["where"] = [*place["claim"]["where"], "1 < 0"]
    for bad in ({**good, "steps": []}, less, other):
        with pytest.raises((NotStated, ValueError)):
            of_its_statement(bad)
        assert not verify_statement(bad).valid


def test_what_is_exported_of_a_certificate_is_what_its_statement_demands(tmp_path, capsys):
    path = tmp_path / "c.json"
    path.write_text(json.dumps({**of_the_catalogue(), "steps": []}), encoding="utf-8")
    assert lemma.main(["export", str(path), "-o", str(tmp_path / "v")]) == 2
    assert "steps are to be proved, 0 are" in capsys.readouterr().err


def test_results_are_stored_of_what_the_catalogue_says():
    """Not of a certificate from before a change of the text, or of another statement with its label."""
    good, own = of_the_catalogue(), catalogue()[LABEL]
    assert _form_of(own, good) is own
    old = encode(replace(own, parameters=own.parameters[:-1]))
    assert _form_of(own, {**good, "statement": old}) is None
    cited = [encode(replace(catalogue()[x], claims=catalogue()[x].claims[:0])) for x in own.cites]
    assert cited and _form_of(own, {**good, "cited": cited}) is None
    assert _form_of(own, {**good, "kind": "skolem"}) is None
    twice = next(s for s in catalogue().values() if s.as_used is not None and not s.cites)
    assert _form_of(twice, {"kind": "statement", "statement": encode(twice.as_used), "cited": []}) is twice.as_used


def test_a_certificate_has_no_name_but_that_of_what_it_proves(tmp_path):
    path = tmp_path / "own.json"
    for kind, name in (("claim", "own"), ("gram", "own"), ("skolem", "own"), ("statement", LABEL)):
        path.write_text(json.dumps({"kind": kind, "statement": {"label": LABEL}}), encoding="utf-8")
        assert [label for label, _ in certificates([str(path)], 1.0)] == [name]


def test_what_is_told_of_a_certificate_is_what_it_is_about():
    claim = {"claim": ["x**n >= 0"], "where": ["x >= 0"], "integers": ["n"]}
    assert about({"claim": claim}) == "x**n >= 0 where x >= 0, n whole"
    assert "x >= 0, n whole" in export("t", {"claim": claim, "proofs": []}).file()
    assert about({**of_the_catalogue(), "cited": []}) == f"{LABEL}, as the catalogue has it"
    other = encode(replace(catalogue()[LABEL], claims=(Fact("1 >= 2"),)))
    assert "NOT as the catalogue has it" in about({"kind": "statement", "statement": other})


def test_a_refutation_is_of_what_its_statement_says(tmp_path, capsys):
    path = tmp_path / "forged.json"
    path.write_text(
        json.dumps({"kind": "skolem", "certificates": [], "statement": {"label": LABEL}}), encoding="utf-8"
    )
    assert lemma.main(["export", str(path), "-o", str(tmp_path / "v")]) == 2
    assert "not a Skolem certificate" in capsys.readouterr().err


def test_two_files_have_two_names(tmp_path, capsys, monkeypatch):
    monkeypatch.setattr("boundcheck.app.commands.verify_rocq.compiler", lambda: "8.16.1")
    paths = [tmp_path / name for name in ("a-b.json", "a_b.json")]
    for path in paths:
        path.write_text(json.dumps(GRAM), encoding="utf-8")
    assert lemma.main(["verify", "--rocq", *map(str, paths)]) == 2
    assert "one by one" in capsys.readouterr().err
    assert not {compiler.module_name(x) for x in ("Boundcheck", "Rules", "Whole", "Grounds")} & set(compiler.OWN)


def test_what_rests_on_another_axiom_is_not_accepted(tmp_path, monkeypatch):
    for told in ((0, "Axioms:\nx.bad : False\n"), (1, "Error: no such module")):
        monkeypatch.setattr(compiler, "run", lambda *_, told=told: told)
        outcome = compiler.CoqOutcome("t", accepted=["claim"])
        compiler.ground([outcome], tmp_path, 1.0)
        assert outcome.accepted == [] and outcome.failed["claim"].startswith("axioms: ") and outcome.foreign
