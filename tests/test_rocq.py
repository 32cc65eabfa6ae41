"""What is exported to Rocq: names and comments cannot break out, definedness is said, proofs are followed."""

from __future__ import annotations

import copy
import json
import re
import runpy
from fractions import Fraction
from pathlib import Path

import pytest

from boundcheck import lemma
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.kernel.certificate import goals, read_claim
from boundcheck.kernel.check.quadratic import NotQuadratic
from boundcheck.kernel.formula import Relation, num, parse, parse_relation, var
from boundcheck.kernel.proof.sorts import INTEGER, Sort
from boundcheck.kernel.proof.terms import canonical
from boundcheck.kernel.rate import Rate
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import Statement
from boundcheck.paper import catalogue
from boundcheck.rocq import accepted, compiler
from boundcheck.rocq.claim_files import Export, Obligation, export
from boundcheck.rocq.closed import power
from boundcheck.rocq.coordinates import Coordinates
from boundcheck.rocq.coq_text import NotStated, comment, coq, defined, name, number, relation
from boundcheck.rocq.proved_rules import FILE, proved, theorem, theorems
from boundcheck.rocq.sections import whole
from boundcheck.rocq.typed import Writer
from boundcheck.stored.decisions import fingerprint

SQUARES = {
    "schema": 1,
    "claim": {"claim": ["2*a*b <= a**2 + b**2"], "where": [], "integers": []},
    "proofs": [{"rule": "farkas", "terms": [{"c": "1", "times": "(a - b)**2"}]}],
}


def test_names_are_never_words_of_coq():
    for word in ("fun", "forall", "exp", "R", "Prop", "Set", "Admitted", "Axiom", "let", "fix"):
        assert coq(var(word)) == f"v_{word}"
    assert name("x'") != name("x") and name("é") != name("e")
    hostile = name("x : R). Axiom a : False. Check (0")
    assert re.fullmatch(r"[A-Za-z_][\w']*", hostile)


def test_two_names_stay_two():
    texts = ["a", "a_", "a'", "a b", "a-b", "a.b", "ä", "A"]
    assert len({name(t) for t in texts}) == len(texts)


def test_a_comment_cannot_be_left():
    told = comment('x *) Axiom a : False. (* "y\n*)')
    assert "*)" not in told and "(*" not in told and '"' not in told and "\n" not in told


def test_a_hostile_label_is_a_module_and_a_comment():
    one = Obligation("claim", "*) Axiom bad : False. (*", refused="*)")
    found = Export('a*) Axiom bad : False. (* "', "claim", (one,))
    outside = re.sub(r"\(\*.*?\*\)", "", found.file(), flags=re.DOTALL)
    assert "Axiom" not in outside and "False" not in outside
    assert re.fullmatch(r"[A-Za-z]\w*", compiler.module_name("../../etc/passwd *)"))


@pytest.mark.parametrize(
    ("formula", "text"),
    [
        ("x + y*z", "v_x + v_y * v_z"),
        ("(x + y)*z", "(v_x + v_y) * v_z"),
        ("x - (y - z)", "v_x - (v_y - v_z)"),
        ("x/(y*z)", "v_x / (v_y * v_z)"),
        ("-(x*y)", "(- (v_x * v_y))"),
        ("-x + y", "(- v_x) + v_y"),
        ("(-x)**2", "((- v_x) ^ 2)"),
        ("-x**2", "(- (v_x ^ 2))"),
        ("x**(-2)", "(/ (v_x ^ 2))"),
        ("x**y", "(rpw v_x v_y)"),
        ("x**(1/2)", "(rpw v_x (1 / 2))"),
        ("log(x)*abs(y)", "(ln v_x) * (Rabs v_y)"),
        ("max(x, y, z)", "(Rmax v_x (Rmax v_y v_z))"),
        ("floor(x) + ceil(x)", "(rfloor v_x) + (rceil v_x)"),
        ("0.1*E", "(1 / 10) * (exp 1)"),
        ("integral(t**2, t, 0, x)", "(Int (fun v_t : R => (v_t ^ 2)) (Finite 0) (Finite v_x))"),
        ("integral(exp(-t), t, -oo, oo)", "(Int (fun v_t : R => (exp (- v_t))) m_infty p_infty)"),
        ("sum(k, k, 1, n)", "(Sum (fun v_k : R => v_k) 1 v_n)"),
        ("sum(1/k, k, 1, oo)", "(SumInf (fun v_k : R => 1 / v_k) 1)"),
    ],
)
def test_formulas_as_text(formula, text):
    assert coq(parse(formula)) == text


def test_numbers_are_exact():
    assert number(Fraction(-3, 7)) == "((- 3) / 7)"
    assert number(Fraction(10**40)) == str(10**40)


@pytest.mark.parametrize(
    "formula", ["loggamma(x)", "lambertw(x)", "sum(k, k, -oo, 1)", "integral(t, t, oo, 1)", "x**1000"]
)
def test_what_boundcheck_v_does_not_define_is_refused(formula):
    with pytest.raises(NotStated):
        coq(parse(formula))


def test_what_makes_a_relation_defined():
    texts = [relation(c) for c in defined([parse_relation("1/x + log(y) + sqrt(z) <= a**b")])]
    assert sorted(texts) == ["pow_ok v_a v_b", "v_x <> 0", "v_y > 0", "v_z >= 0"]
    assert defined([Relation(">", num(2), num(0))]) == ()


@pytest.mark.parametrize(
    ("formula", "wanted"),
    [
        ("x**y + x**2", ["pow_ok v_x v_y"]),
        ("x**y + x**(-1/2)", ["pow_ok v_x v_y", "v_x > 0"]),  # 0 ** (1/2) has a value, 0 ** (-1/2) has none
        ("x**y + gamma(x)", ["pow_ok v_x v_y", "v_x > 0"]),
        ("(-1)**k", ["isint v_k"]),
        ("(-2)**(k + 1) + (-2)**(-1/2)", ["(- 2) > 0", "isint (v_k + 1)"]),
        ("tan(x)*cos(x)**n", ["(cos v_x) <> 0", "pow_ok (cos v_x) v_n"]),  # the same condition by something else
        ("log1p(x)*x**n", ["pow_ok v_x v_n", "v_x > (- 1)"]),
        ("x**y/x", ["pow_ok v_x v_y", "v_x <> 0"]),
    ],
)
def test_a_power_hides_no_condition_of_another_term_in_its_base(formula, wanted):
    assert sorted(relation(c) for c in defined([parse_relation(f"{formula} <= 1")])) == wanted


def test_a_power_of_a_negative_number_has_a_sign_or_is_refused():
    """``rpw`` of it is 0, which it is not."""
    assert coq(parse("(-2)**k")) == "(sgz v_k * rpw 2 v_k)"
    with pytest.raises(NotStated):
        Writer().term(parse("(-2)**k"), {"k": Sort(INTEGER)})
    assert Writer().term(parse("2**k"), {"k": Sort(INTEGER)}) == "(rpw 2 v_k)"


def test_what_makes_an_integral_or_a_sum_defined():
    def told(formula):
        return [relation(c) for c in defined([parse_relation(f"{formula} <= 1")])]

    body, ends = "(fun v_t : R => 1 / v_t)", "(Finite 1) p_infty"
    found = f"ex_Int {body} {ends} /\\ between {ends} (fun v_t : R => (v_t <> 0))"
    assert told("integral(1/t, t, 1, oo)") == [found]
    assert told("sum(k, k, 1, n)") == ["sum_ok 1 v_n /\\ on_whole 1 (Finite v_n) (fun v_k : R => True)"]
    terms = "(fun v_k : R => (ln v_k))"
    assert told("sum(log(k), k, 2, oo)") == [
        f"isint 2 /\\ ex_Sum {terms} 2 /\\ on_whole 2 p_infty (fun v_k : R => (v_k > 0))"
    ]


def test_a_theorem_concludes_that_an_integral_exists():
    claim = {"claim": ["integral(t, t, 0, 1) <= 1"], "where": [], "integers": []}
    text = export("t", {"schema": 1, "claim": claim, "proofs": [{"rule": "eval"}]}).file()
    assert "Theorem claim : (ex_Int (fun v_t : R => v_t) (Finite 0) (Finite 1) /\\ between" in text


def stated(text, *where, integers=("n",)):
    """The obligation that a claim becomes, whatever its proof."""
    claim = {"claim": [text], "where": [*where], "integers": [*integers]}
    proofs = [{"rule": "eval"}] * len(goals(read_claim(claim)))
    return export("t", {"schema": 1, "claim": claim, "proofs": proofs}).obligations[0]


@pytest.mark.parametrize(
    ("text", "where", "head", "condition"),
    [
        ("x**n <= 1", ["x >= -1", "x <= 1", "n >= 1"], "ipw", "whole_ok v_x v_n"),
        ("x**n <= 1", ["0 <= x", "x <= 1", "n >= 0"], "ipw", "whole_ok v_x v_n"),  # 0 ** 0 is 1
        ("x**n <= 1", ["0 <= x", "x <= 1", "n >= 1"], "rpw", "pow_ok v_x v_n"),
        ("x**n > 0", ["x > 0"], "rpw", "pow_ok v_x v_n"),
        ("x**2 >= 0", ["x**n > 0"], "ipw", "whole_ok v_x v_n"),  # as a hypothesis, too
        ("sum(x**k, k, 0, n) >= 0", ["n >= 0", "x >= 0"], "ipw", "whole_ok v_x v_k"),
        ("sum(x**k, k, 1, n) >= 0", ["n >= 1", "x >= 0"], "rpw", "pow_ok v_x v_k"),
    ],
)
def test_whole_powers_of_what_may_be_negative_or_0_have_their_own_function(text, where, head, condition):
    found = stated(text, *where)
    assert not found.refused
    theorem = found.text[found.text.index("Theorem") :]
    assert f"({head} v_x " in theorem and f"({condition})" in theorem
    assert ({"ipw", "rpw"} - {head}).pop() not in theorem
    assert "(v_x > 0) -> " not in theorem or "x > 0" in where, "a condition that the claim does not have"


@pytest.mark.parametrize("where", [["x**n > 0", "x**a <= 1"], ["sum(k**n, k, -1, 3) > 0"]])
def test_powers_that_cannot_be_told_apart_are_refused(where):
    assert "power" in stated("x**2 >= 0", *where).refused


def test_a_theorem_states_definedness_and_claim():
    claim = {"claim": ["1/x > 0"], "where": ["x > 0"], "integers": []}
    found = export("t", {"schema": 1, "claim": claim, "proofs": [{"rule": "eval"}]})
    assert "Theorem claim : forall v_x : R, (v_x > 0) -> (v_x <> 0) /\\ (1 / v_x > 0)." in found.file()
    hypothesis = {"claim": ["x != 0"], "where": ["1/x > 0"], "integers": []}
    found = export("t", {"schema": 1, "claim": hypothesis, "proofs": [{"rule": "eval"}]})
    assert "(v_x <> 0) -> (1 / v_x > 0) -> (v_x <> 0)" in found.file()


def test_the_multipliers_of_a_certificate_are_in_the_proof():
    text = export("t", SQUARES).file()
    assert "1 * ((v_a - v_b) ^ 2)" in text and "Admitted" not in text and "Axiom" not in text


def test_what_is_not_a_certificate_is_told():
    with pytest.raises(NotStated):
        export("t", {"kind": "poem"})
    broken = export("t", {"schema": 1, "claim": {"claim": ["x >"]}, "proofs": []})
    assert broken.obligations[0].refused
    unknown = dict(SQUARES, proofs=[{"rule": "trust me"}])
    assert export("t", unknown).obligations[0].refused == "the rule trust me"


def test_the_same_claim_is_exported_once():
    statement = {"kind": "statement", "steps": [{"certificates": [SQUARES]}, {"certificates": [SQUARES]}]}
    found = export("lem:x", statement)
    assert [o.same_as for o in found.obligations] == ["", "step1_1"]
    assert found.file().count("Theorem ") == 1


def test_the_obligation_where_coqc_stops_is_named_with_its_rule():
    text = "(* lem:x: a *)\n(* step1_1: a *)\n(* eval *)\nLemma a.\n(* step2_1: b *)\n(* farkas *)\nLemma b.\n"
    told = 'File "./x.v", line 7, characters 0-3:\nError: no\n'
    assert compiler.blame(text, told) == ("step2_1", "farkas: Error: no")
    assert compiler.blame(text, told.replace("line 7", "line 4"))[0] == "step1_1"
    assert compiler.blame(text, told.replace("line 7", "line 1"))[0] == ""
    assert compiler.marked(text).count("idtac") == 2
    late = compiler.blame(text, "@@ step1_1\n@@ step2_1\n\nError: the limit of 9 s is over")
    assert late == ("step2_1", "Error: the limit of 9 s is over")


def test_a_file_is_compiled_until_what_is_left_goes(tmp_path, monkeypatch):
    """Of five obligations the second and the last fail; coqc stops at each first error."""
    made = {"kind": "statement", "steps": [{"certificates": [_own(k) for k in range(5)]}]}
    found, runs = export("lem:x", made), []

    def run(directory, file, seconds):
        lines = (directory / file).read_text(encoding="utf-8").splitlines()
        runs.append(sum(line.startswith("Theorem") for line in lines))
        for place, line in enumerate(lines, 1):
            if line.startswith(("Theorem step1_2 ", "Theorem step1_5 ")):
                return 1, f'File "./{file}", line {place}, characters 0-1:\nError: no'
        return 0, ""

    monkeypatch.setattr(compiler, "run", run)
    monkeypatch.setattr(compiler, "prepare", lambda directory: None)
    outcome = compiler.accept(found, tmp_path, 1.0)
    assert outcome.accepted == ["step1_1", "step1_3", "step1_4"]
    assert outcome.failed == dict.fromkeys(["step1_2", "step1_5"], "farkas: Error: no")
    assert runs == [5, 3, 3]  # all, what is behind the first error, what is left
    assert "step1_3" in (tmp_path / "lem_x.v").read_text(encoding="utf-8")


def test_a_file_that_takes_all_the_time_is_given_up(tmp_path, monkeypatch):
    monkeypatch.setattr(compiler, "run", lambda *_: (124, "Error: the limit of 1 s is over"))
    monkeypatch.setattr(compiler, "prepare", lambda directory: None)
    calls = iter([(124, "Error: late"), (124, "Error: late"), (0, "")])
    monkeypatch.setattr(compiler, "run", lambda *_: next(calls))
    outcome = compiler.accept(export("t", SQUARES), tmp_path, 1.0)
    assert outcome.accepted == [] and outcome.failed == {"claim": "Error: late"}


def _own(k: int) -> dict:
    claim = {"claim": [f"2*a*b <= a**2 + b**2 + {k}"], "where": [], "integers": []}
    terms = [{"c": "1", "times": "(a - b)**2"}, *([{"c": str(k)}] if k else [])]
    return {"schema": 1, "claim": claim, "proofs": [{"rule": "farkas", "terms": terms}]}


RATE = Rate(
    "gradient descent", {"f": "smooth_convex(L)"}, ("x0",), "f(x1) - f(xs) <= L/(2*(2*L*a + 1))*norm(x0 - xs)**2",
    ("xs = 0", "f'(xs) = 0", "x1 = x0 - a*f'(x0)"), where=("a > 0", "a <= 1/L"),
)  # fmt: skip


def test_a_rate_is_exported_by_its_cases_and_by_no_others():
    certificate = decide_rate(RATE).certificate
    found = export("rate", certificate)
    assert [o.name for o in found.obligations] == ["case_1"] and not found.obligations[0].refused
    other = copy.deepcopy(dict(certificate))
    other["rate"]["claim"] = other["rate"]["claim"].replace("2*L*a", "3*L*a")
    with pytest.raises(NotStated, match="another claim"):
        export("rate", other)


def test_coefficients_of_a_form_are_those_of_the_kernel():
    read = Coordinates(["x", "y"])
    form = read.of(Relation(">=", parse("norm(x - 2*y)**2/(3*a) + b*dot(x, y)", proof=True), num(0)), given=False)
    wanted = {("q", "x", "x"): "1/(3*a)", ("q", "x", "y"): "b - 4/(3*a)", ("q", "y", "y"): "4/(3*a)"}
    assert {k: canonical(v) for k, v in form.items()} == {k: canonical(parse(v)) for k, v in wanted.items()}
    with pytest.raises(NotQuadratic):
        read.form(parse("norm(x)*norm(y)", proof=True))


def test_what_is_current_is_left_out_of_a_campaign(tmp_path, capsys, monkeypatch):
    known = accepted.load()
    label = next(iter(known))
    one = {**known[label], "fingerprint": fingerprint(catalogue()[label]), "exporter": accepted.exporter()}
    path = tmp_path / "rocq.json"
    accepted.save(label, one, list(catalogue()), path)
    now = {label: fingerprint(catalogue()[label])}
    assert accepted.current(now, path) == {label}
    for change in ({"exporter": "other"}, {"fingerprint": "other"}):
        accepted.save(label, {**one, **change}, list(catalogue()), path)
        assert accepted.current(now, path) == frozenset()
    certificate = tmp_path / "c.json"
    certificate.write_text(
        json.dumps({**SQUARES, "kind": "statement", "statement": {"label": label}}), encoding="utf-8"
    )
    monkeypatch.setattr(accepted, "current", lambda fingerprints: frozenset(fingerprints))
    monkeypatch.setattr("boundcheck.app.commands.verify_rocq.compiler", lambda: "8.16.1")
    assert lemma.main(["verify", "--rocq", "--stale", str(certificate)]) == 0
    out, err = capsys.readouterr()
    assert out == "" and "1 of 1 are stored and current" in err


def test_what_rocq_says_of_axioms_is_asked_without_a_limit_of_time():
    text = compiler.grounds(["a.everything"], ["a"])
    assert text.index("Unset Default Timeout.") < text.index("Print Assumptions")


def test_a_square_in_a_combination_is_written():
    proof = {"rule": "farkas", "terms": [{"c": "1", "square": "a - b"}]}
    text = export("t", {**SQUARES, "proofs": [proof]}).file()
    assert "1 * ((v_a - v_b) ^ 2)" in text


def test_a_refutation_of_a_constant_is_exported():
    found = export("t", {"kind": "skolem", "certificates": [SQUARES, SQUARES]})
    assert [o.name for o in found.obligations] == ["refutation_1", "refutation_2"]


def test_a_statement_without_a_claim_is_no_theorem():
    with pytest.raises(NotStated):
        whole(Statement("lem:none", "", "lemma", "", ""), catalogue().__getitem__, {})


def test_axioms_are_read_and_foreign_ones_seen():
    told = "Axioms:\nClassicalDedekindReals.sig_not_dec : forall P : Prop, {P}\nUint63.eqb_refl\n  : x\nbad : False\n"
    outcome = compiler.CoqOutcome("t", axioms=compiler.axioms(told))
    assert outcome.axioms == ["ClassicalDedekindReals.sig_not_dec", "Uint63.eqb_refl", "bad"]
    assert outcome.foreign == ["bad"]
    assert compiler.axioms("Closed under the global context\n") == []


def test_boundcheck_v_assumes_nothing():
    text = re.sub(r"\(\*.*?\*\)", "", compiler.BASE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.search(r"\b(Axiom|Axioms|Admitted|admit|Parameter|Parameters|Conjecture|Variable|Variables)\b", text)


def test_export_writes_files(tmp_path, capsys):
    source = tmp_path / "squares.json"
    source.write_text(json.dumps(SQUARES), encoding="utf-8")
    assert lemma.main(["export", str(source), "--to", "rocq", "-o", str(tmp_path / "out")]) == 0
    assert {p.name for p in (tmp_path / "out").iterdir()} == {"Boundcheck.v", "squares.v"}
    assert "1 of 1 obligations" in capsys.readouterr().out


def test_export_tells_what_cannot_be_stated(tmp_path, capsys):
    claim = {"claim": ["loggamma(x) > 0"], "where": ["x > 0"], "integers": []}
    source = tmp_path / "g.json"
    source.write_text(json.dumps({"schema": 1, "claim": claim, "proofs": [{"rule": "eval"}]}), encoding="utf-8")
    assert lemma.main(["export", str(source), "-o", str(tmp_path / "out")]) == 1
    assert "claim is not stated: loggamma" in capsys.readouterr().out


def test_unusable_input_is_one_line(tmp_path, capsys):
    (tmp_path / "a.json").write_text("[1]", encoding="utf-8")
    for words in (["export", str(tmp_path / "a.json")], ["export", "lem:nobody"], ["verify", "--rocq", "no.json"]):
        assert lemma.main(words) == 2
        out, err = capsys.readouterr()
        assert out == "" and len(err.splitlines()) == 1 and err.startswith("error: ")


def test_without_coqc_one_line_says_how_to_install_it(tmp_path, capsys, monkeypatch):
    source = tmp_path / "squares.json"
    source.write_text(json.dumps(SQUARES), encoding="utf-8")
    monkeypatch.setenv("PATH", str(tmp_path))
    assert lemma.main(["verify", "--rocq", str(source)]) == 2
    err = capsys.readouterr().err
    assert len(err.splitlines()) == 1 and "apt-get install coq libcoq-interval" in err


def test_the_proved_rules_are_rules_and_at_least_sixty():
    named = {theorem(rule) for rule in RULES}
    assert len(named) == len(RULES), "two rules under one theorem's name"
    assert theorems() <= named, f"theorems of no rule: {theorems() - named}"
    assert sum(map(proved, RULES)) >= 60
    assert proved("Markov") and not proved("divergence on the ball")


def test_rules_v_assumes_nothing():
    text = re.sub(r"\(\*.*?\*\)", "", FILE.read_text(encoding="utf-8"), flags=re.DOTALL)
    assert not re.search(r"\b(Axiom|Axioms|Admitted|admit|Parameter|Parameters|Conjecture|Hypothesis)\b", text)


def test_a_stored_result_goes_stale_with_its_statement(tmp_path):
    found = export("lem:x", SQUARES)
    outcome = compiler.CoqOutcome("lem:x", accepted=["claim"], axioms=["Uint63.eqb_refl", compiler.REALS[0]])
    one = accepted.record(found, outcome, "abc", "8.16.1")
    assert one["rules"] == {"farkas": 1} and one["machine"] and one["axioms"] == [compiler.REALS[0]]
    assert accepted.told(one, "abc") == "re-checked by Rocq 8.16.1: all 1 obligations"
    assert accepted.told(one, "abd").startswith("STALE")
    path = tmp_path / "rocq.json"
    accepted.save("lem:x", one, ["lem:x", "lem:y"], path)
    accepted.save("lem:y", {**one, "accepted": 0, "failed": {"claim": "eval: no"}}, ["lem:x", "lem:y"], path)
    summary = runpy.run_path(str(Path(__file__).parents[1] / "docs" / "make_rocq.py"))["summary"](accepted.load(path))
    assert (summary["obligations"], summary["accepted"], summary["whole"]) == (2, 1, 1)
    assert summary["failures"] == {"eval": 1}


def test_the_stored_results_are_of_the_catalogue():
    known = accepted.load()
    assert known and set(known) <= set(catalogue())
    for label, one in known.items():
        assert one["accepted"] + len(one["failed"]) == one["obligations"], label
        assert set(one["axioms"]) <= set(compiler.REALS), label


def test_at_least_thirty_statements_are_theorems_of_their_present_text():
    current = {x: one for x, one in accepted.load().items() if one["fingerprint"] == fingerprint(catalogue()[x])}
    assert sum(one.get("theorem", {}).get("accepted", False) for one in current.values()) >= 30


def test_what_powers_are_integrated():
    for text, found in {
        "c*t**(-q)": ("c", "-q"), "(a/t)**p": ("a**p", "-p"), "-t": ("-1", "1"), "a*t*t": ("a", "2"), "b": ("b", "0"),
    }.items():  # fmt: skip
        factor, exponent = power(parse(text), "t")
        assert canonical(factor - parse(found[0])) is canonical(num(0)), text
        assert canonical(exponent - parse(found[1])) is canonical(num(0)), text
    assert power(parse("t + 1"), "t") is None and power(parse("a**t"), "t") is None


def test_means_that_a_citation_supposes_are_shown():
    """Bernstein's inequality is cited for centred vectors; that they have a mean is shown before it is used."""
    label = "lem:hp-shared-empirical-fluctuation"
    step = next(p for p in whole(catalogue()[label], catalogue().__getitem__, {}).pieces if p.name == "s_58")
    shown = next(line for line in step.proof if line.startswith("assert (J1 : "))
    assert "h_integrable_of_Om_to_V_to_R" in shown and "v_X v_j o" in shown


def test_the_two_statements_of_the_tuned_bound_are_theorems():
    for label in ("lem:hp-shared-empirical-fluctuation", "cor:hp-shared-localized-tuned"):
        assert accepted.load()[label]["theorem"]["accepted"], label


def test_conditions_of_a_mean_that_a_citation_supposes_have_names_of_their_own():
    """The conditions of the step are W_0, W_1, ...; what it cites supposes a mean under conditions of its own."""
    label = "app:bennett-independent"
    made = whole(catalogue()[label], catalogue().__getitem__, {})
    inner = [line for p in made.pieces for line in p.proof if line.startswith("assert (J") and "intros" in line]
    assert any("U_0" in line for line in inner)
    assert not [line for line in inner if re.search(r"intros[^;.]*\bW_", line)]
