"""Rocq's kernel on exported certificates: true ones are accepted; one digit changed, and they are not."""

from __future__ import annotations

import copy
import fcntl
import json
import shutil
from dataclasses import replace
from pathlib import Path

import pytest
from slow import thinned

from boundcheck import lemma
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.kernel.rate import Rate
from boundcheck.kernel.statement import ByRule, Decide, Fact, Follows, Parameter, Statement, Step, Use
from boundcheck.rocq.claim_files import export
from boundcheck.rocq.compiler import CoqOutcome, accept, axioms, ground, module_name, prepare, run, theorem
from boundcheck.rocq.proved_rules import FILE
from boundcheck.rocq.sections import whole

MISSING = "no coqc here; .ci/run installs coq and libcoq-interval where it can"
pytestmark = [pytest.mark.rocq, pytest.mark.skipif(shutil.which("coqc") is None, reason=MISSING)]


def claim(text: str, where: tuple[str, ...], proof: dict, integers: tuple[str, ...] = ()) -> dict:
    return {"schema": 1, "claim": {"claim": [text], "where": [*where], "integers": [*integers]}, "proofs": [proof]}


CASES = {
    "farkas": claim("2*a*b <= a**2 + b**2", (), {"rule": "farkas", "terms": [{"c": "1", "times": "(a - b)**2"}]}),
    "identity": claim("x**p*x**(1 - p) == x", ("x > 0",), {"rule": "identity"}),
    "eval": claim("exp(x) <= 8", ("x <= 2",), {"rule": "eval"}),
    "factor": claim(
        "x**2 >= 2*x", ("x >= 2",),
        {"rule": "factor", "factors": [{"text": "x", "sign": 1}, {"text": "x - 2", "sign": 1}]},
    ),
    "case": claim(
        "abs(x) >= x", (), {"rule": "case", "on": "x", "then": [{"rule": "eval"}, {"rule": "farkas", "terms": [
            {"c": "2", "hyps": [0]}]}]},
    ),
    "enumerate": claim(
        "n**2 >= 2*n - 1", ("n >= 1", "n <= 3"),
        {"rule": "enumerate", "var": "n", "from": 1, "to": 3, "then": [{"rule": "eval"}] * 3}, ("n",),
    ),
    "square": claim("2*a*b <= a**2 + b**2", (), {"rule": "farkas", "terms": [{"c": "1", "square": "a - b"}]}),
    "round": claim(
        "m*n <= m*n + k", ("2*k >= -1",),
        {"rule": "round", "then": [{"rule": "farkas", "terms": [{"c": "1/2", "hyps": [0]}, {"c": "1/2"}]}]},
        ("k", "m", "n"),
    ),
    "ladder": claim(
        "x**p >= 1", ("x >= 1", "1 < p", "p <= 2"),
        {"rule": "ladder", "var": "x", "end": "low", "at": "1", "then": [{"rule": "identity"}, {"rule": "eval"}]},
    ),
    "corner": claim(
        "(a + b)**p <= a**p + b**p", ("a > 0", "b > 0", "0 < p", "p <= 1"),
        {"rule": "ladder", "var": "a", "end": "low", "at": "0", "strict": "slope", "then": [
            {"rule": "identity"}, {"rule": "ladder", "var": "b", "end": "low", "at": "0", "strict": "slope", "then": [
                {"rule": "identity"}, {"rule": "eval"}]}]},
    ),
    "power": claim(
        "x**p <= b**p", ("p > 0", "x >= 0", "b >= x", "b >= 0"),
        {"rule": "peel", "upper": "b**p", "lower": "x**p", "then": [{"rule": "farkas", "terms": [
            {"c": "1", "hyps": [2]}]}]},
    ),
    "falling": claim(
        "x**(p - 1) > b**(p - 1)", ("p < 1", "x > 0", "b > x", "b > 0"),
        {"rule": "peel", "upper": "x**(p - 1)", "lower": "b**(p - 1)", "falls": True, "then": [
            {"rule": "farkas", "terms": [{"c": "1", "hyps": [2]}]}]},
    ),
    "inverse": claim("atan(x) + atan(1/x) == pi/2", ("x > 0",), {"rule": "identity"}),
    "root": {
        **claim("sqrt(x**2 - 10*x + 25) == abs(x - 5)", (), {}),
        "proofs": [{"rule": "farkas", "terms": [{"c": "1", "square": "x - 5"}]}, {"rule": "identity"}],
    },
    "floor": claim("floor(exp(2*pi)) == 535", (), {"rule": "eval"}),
    "halves": claim("log(1 + x) <= 317/200*log(x)", ("x >= 5/2", "x <= 4"), {"rule": "eval"}),
}  # fmt: skip
GRAM = {
    "schema": 1, "kind": "gram",
    "claim": {
        "vectors": ["x", "y"], "goal": "norm(x + y)**2 <= 2*norm(x)**2 + 2*norm(y)**2", "hypotheses": [],
        "where": [],
    },
    "multipliers": [], "domain": {}, "order": [0, 1], "lower": [[1, 0, [[["-1", []]], [["1", []]]]]],
    "diagonal": [[[["1", []]], [["1", []]]], [[], [["1", []]]]], "signs": {},
}  # fmt: skip
SHOWN = ("rule_triangle", "rule_telescope", "rule_Lyapunov", "rule_Minkowski", "rule_union_over_a_range")
#: case -> (where in the certificate, what is put there): one digit of the proof or of the claim
CHANGES = {
    "farkas": (("proofs", 0, "terms", 0, "times"), "(a - 2*b)**2"),
    "farkas multiplier": (("proofs", 0, "terms", 0, "c"), "2"),
    "square": (("proofs", 0, "terms", 0, "square"), "a - 2*b"),
    "round": (("claim", "claim", 0), "m*n <= m*n + k - 1"),
    "factor": (("proofs", 0, "factors", 1, "text"), "x - 1"),
    "identity": (("claim", "claim", 0), "x**p*x**(2 - p) == x"),
    "eval": (("claim", "claim", 0), "exp(x) <= 7"),
    "case": (("claim", "claim", 0), "abs(x) >= x + 1"),
    "enumerate": (("claim", "claim", 0), "n**2 >= 2*n"),
    "power": (("claim", "where", 2), "b >= x - 1"),
    "falling": (("claim", "where", 2), "b > x - 1"),
    "inverse": (("claim", "claim", 0), "atan(x) + atan(1/x) == pi/3"),
    "root": (("claim", "claim", 0), "sqrt(x**2 - 10*x + 25) == abs(x - 4)"),
    "floor": (("claim", "claim", 0), "floor(exp(2*pi)) == 536"),
    "halves": (("claim", "claim", 0), "log(1 + x) <= 137/200*log(x)"),
}


#: |F(x) - F(y)| <= L |x - y| for all, so F(x) - F(y) + (F(y) - F(z)) has at most L |x - y| + |F(y) - F(z)|.
WHOLE = Statement(
    "lem:whole", "A whole statement", "lemma", "Tests", "",
    (Parameter("L", "", ("L > 0",)),),
    {"Lipschitz": Fact("norm(F(x) - F(y)) <= L*norm(x - y)", ("x: vector", "y: vector"))},
    (Fact("norm(2*(F(x) - F(y))) <= 2*(L*norm(x - y))", ("x: vector", "y: vector")),),
    (
        Step(Fact("norm(2*(F(x) - F(y))) == abs(2)*norm(F(x) - F(y))", ("x: vector", "y: vector")),
             ByRule("norm scale", {"c": "2", "v": "F(x) - F(y)"})),
    ),
    ((1, Use("Lipschitz", {"x": "x", "y": "y"})),),
    {"F": "vector -> vector"},
)  # fmt: skip


#: E X <= E Y for X <= Y: both must be integrable; X > 2 c implies X > c.
SIDES = Statement(
    "lem:sides", "A rule with sides", "lemma", "Tests", "", (Parameter("c", "", ("c > 0",)),),
    {"above": Fact("X <= Y"), "X": Fact("integrable(X) == 1"), "Y": Fact("integrable(Y) == 1")},
    (Fact("E(X) <= E(Y)"), Fact("P(X > 2*c) <= P(X > c)")),
    (
        Step(Fact("E(X) <= E(Y)"), ByRule("expectation monotone", {"X": "X", "Y": "Y"}, ("above",))),
        Step(Fact("P(X > 2*c) <= P(X > c)"), ByRule("monotone", {"A": "X > 2*c", "B": "X > c"})),
    ),
    ((1,), (2,)),
    {"X": "random real", "Y": "random real"},
)  # fmt: skip


#: a claim in one step, a twin that says more, domains, declarations, hypotheses, the reason; names are of one case
ONE_STEP = {
    "sum of equal terms": (
        "sum(c1, i, 2, n) == (n - 1)*c1", "sum(c1, i, 2, n) == n*c1", {"n": ("n >= 1",), "c1": ()}, {}, {}, Decide(),
    ),
    "integral of a power": (
        "integral(c2*t**(-q), t, a2, oo) == c2*a2**(1 - q)/(q - 1)",
        "integral(c2*t**(-q), t, a2, oo) == c2*a2**(1 - q)/q",
        {"a2": ("a2 > 0",), "q": ("q > 1",), "c2": ("c2 > 0",)}, {}, {}, Decide(),
    ),
    "integral of an inverse": (
        "integral(c3*t**(-1), t, a3, b3) == c3*log(b3/a3)", "integral(c3*t**(-1), t, a3, b3) == c3*log(a3/b3)",
        {"a3": ("a3 > 0",), "b3": ("b3 >= a3",), "c3": ("c3 > 0",)}, {}, {}, Decide(),
    ),
    "integral of a whole power": (
        "integral(t, t, 0, b4) == b4**2/2", "integral(t, t, 0, b4) == b4**2", {"b4": ("b4 > 0",)}, {}, {}, Decide(),
    ),
    "equations between vectors": (
        "u == 3*w", "u == 4*w", {}, {"u": "vector", "v": "vector", "w": "vector"},
        {"first": Fact("u == v + w"), "second": Fact("v == 2*w")}, Follows(("first", "second"), ("-1", "-1")),
    ),
    "a gap used up": (
        "x/(1 - b6) <= y", "x/(1 - b6) <= 2*y", {"b6": ("b6 < 1",), "x": (), "y": ()}, {},
        {"fact": Fact("x <= (1 - b6)*y")}, Follows(("fact",), ("1/(1 - b6)",)),
    ),
    "a factor of a mean": (
        "E(Y) == 2*E(Z)", "E(Y) == 3*E(Z)", {}, {"Y": "random real", "Z": "random real"},
        {"twice": Fact("Y == 2*Z"), "Y": Fact("integrable(Y) == 1"), "Z": Fact("integrable(Z) == 1")},
        ByRule("expectation of equals", {"X": "Y", "Y": "2*Z"}, ("twice",)),
    ),
    "a bound in another form": (
        "P(X > b8) <= P(X > sqrt(c8*r**(2 - p) + r*log(r) + r))", "P(X > b8) <= P(X > sqrt(c8*r**(2 - p) + r*log(r)))",
        {"b8": (), "c8": ("c8 > 0",), "p": (), "r": ("r > 0",)}, {"X": "random real"},
        {"bound": Fact("sqrt(r*(1 + log(r)) + r**(2 - p)*c8) <= b8")},
        ByRule("larger level", {"X": "X", "a": "sqrt(c8*r**(2 - p) + r*log(r) + r)", "b": "b8"}, ("bound",)),
    ),
    "induction": (
        "at(V, m) <= c9", "at(V, m + 1) <= c9", {"m": ("m >= 0",), "c9": ()}, {"V": "integer -> real"},
        {
            "start": Fact("at(V, 0) <= c9"),
            "step": Fact("at(V, s + 1) <= c9", ("s: integer",), ("s >= 0", "s <= m - 1", "at(V, s) <= c9")),
        },
        ByRule("induction", {"X": "at(V, s)", "C": "c9", "s": "s", "a": "0", "n": "m", "t": "m"}, ("start", "step")),
    ),
}  # fmt: skip


def in_steps(claims: dict[str, str]) -> Statement:
    """One statement with a claim for each case, each in one step."""
    rows = [ONE_STEP[case] for case in claims]
    domains = {n: where for row in rows for n, where in row[2].items()}
    return Statement(
        "lem:one-step", "Steps", "lemma", "Tests", "",
        tuple(Parameter(n, "", where, integer=n in ("n", "m")) for n, where in domains.items()),
        {name: fact for row in rows for name, fact in row[4].items()}, tuple(map(Fact, claims.values())),
        tuple(Step(Fact(claim), row[5]) for claim, row in zip(claims.values(), rows, strict=True)),
        tuple((k,) for k in range(1, len(rows) + 1)), {name: sort for row in rows for name, sort in row[3].items()},
    )  # fmt: skip


@pytest.fixture(scope="module")
def library(tmp_path_factory, worker_id) -> Path:
    """The compiled files of the package, made once for all workers."""
    made = tmp_path_factory.getbasetemp() / "library"
    if worker_id != "master":
        made = tmp_path_factory.getbasetemp().parent / "library"
    made.mkdir(exist_ok=True)
    with (made / "lock").open("w") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        prepare(made, ("Boundcheck", "Rules", "Whole"))
    return made


@pytest.fixture(scope="module")
def folder(tmp_path_factory, library) -> Path:
    return Path(shutil.copytree(library, tmp_path_factory.mktemp("rocq") / "files"))


def judged(label: str, certificate: dict, folder: Path) -> CoqOutcome:
    return accept(export(label, certificate), folder, 120.0)


def test_rules_are_accepted_and_rest_on_the_reals_alone(folder):
    """In one file, as the claims of a statement: what is beneath is asked once, which takes longer than all of it."""
    together = {"kind": "statement", "steps": [{"certificates": list(CASES.values())}]}
    outcome = judged("good", together, folder)
    assert outcome.failed == {} and len(outcome.accepted) == len(CASES)
    ground([outcome], folder, 120.0)
    assert outcome.foreign == [] and "ClassicalDedekindReals.sig_forall_dec" in outcome.axioms


@pytest.mark.parametrize("change", thinned(CHANGES, 3))
def test_one_digit_changed_is_refused_by_rocq(change, folder):
    certificate = copy.deepcopy(CASES[change.split()[0]])
    path, value = CHANGES[change]
    place = certificate
    for key in path[:-1]:
        place = place[key]
    assert place[path[-1]] != value
    place[path[-1]] = value
    found = export(f"bad {change}", certificate)
    assert not found.obligations[0].refused, "Rocq is to refuse it, not the exporter"
    outcome = accept(found, folder, 120.0)
    assert outcome.accepted == [] and "Error" in outcome.failed["claim"]
    assert "does not compile" in (folder / f"{module_name(found.label)}.v").read_text("utf-8")


def as_theorem(statement: Statement, folder: Path) -> dict:
    if not (folder / "nothing.vo").exists():
        (folder / "nothing.v").write_text("", "utf-8")
        assert run(folder, "nothing.v", 60.0)[0] == 0
    return theorem(whole(statement, {}.__getitem__, {}), "nothing", folder, 120.0)


def test_a_whole_statement_is_a_theorem(folder):
    assert as_theorem(WHOLE, folder) == {"accepted": True, "rules": [], "cited": []}


def test_a_rule_with_sides_is_a_theorem(folder):
    found = as_theorem(SIDES, folder)
    assert found["accepted"], found
    assert "expectation monotone" in found["rules"] and "monotone" in found["rules"]


def test_steps_are_theorems(folder):
    good = as_theorem(in_steps({case: row[0] for case, row in ONE_STEP.items()}), folder)
    assert good["accepted"], good
    assert {"expectation of equals", "larger level"} <= set(good["rules"]) and good["cited"] == []


@pytest.mark.parametrize("case", thinned(ONE_STEP, 2))
def test_a_step_that_says_more_is_refused(case, folder):
    bad = as_theorem(in_steps({case: ONE_STEP[case][1]}), folder)
    assert not bad["accepted"] and "Error" in bad["reason"]


def test_an_implication_that_does_not_hold_is_refused(folder):
    bad = Step(Fact("P(X > c) <= P(X > 2*c)"), ByRule("monotone", {"A": "X > c", "B": "X > 2*c"}))
    wrong = replace(SIDES, claims=(bad.fact,), steps=(bad,), concludes=((1,),))
    found = as_theorem(wrong, folder)
    assert not found["accepted"] and "Error" in found["reason"]


@pytest.mark.parametrize(
    "wrong",
    [
        {"claims": (Fact("norm(2*(F(x) - F(y))) <= 1.9*(L*norm(x - y))", ("x: vector", "y: vector")),)},
        {"hypotheses": {"Lipschitz": Fact("norm(F(x) - F(y)) <= L*norm(x - 2*y)", ("x: vector", "y: vector"))}},
    ],
)
def test_a_whole_statement_with_one_digit_changed_is_refused(wrong, folder):
    found = as_theorem(replace(WHOLE, **wrong), folder)
    assert not found["accepted"] and "Error" in found["reason"]


@pytest.mark.thorough
def test_a_form_in_vectors(folder):
    assert judged("good gram", GRAM, folder).accepted == ["claim"]
    smaller = copy.deepcopy(GRAM)
    smaller["claim"]["goal"] = "norm(x + y)**2 <= 2*norm(x)**2 + 1*norm(y)**2"
    assert judged("bad gram", smaller, folder).accepted == []
    pivot = copy.deepcopy(GRAM)
    pivot["diagonal"][0][0][0][0] = "2"
    assert judged("bad pivot", pivot, folder).accepted == []


#: a contraction for all steps: two cases, denominators, a sign by a positive multiple
RATE = Rate(
    "contraction", {"f": "smooth_strongly_convex(mu, L)"}, ("x0", "y0"),
    "norm(x1 - y1)**2 <= max((1 - a*L)**2, (1 - a*mu)**2)*norm(x0 - y0)**2",
    ("x1 = x0 - a*f'(x0)", "y1 = y0 - a*f'(y0)"), where=("a > 0",),
)  # fmt: skip


def test_a_rate_for_all_parameters_and_one_with_a_digit_changed(folder):
    certificate = decide_rate(RATE).certificate
    assert judged("good rate", certificate, folder).accepted == ["case_1", "case_2"]
    bad = copy.deepcopy(certificate["cases"][0])
    above = next(r[0] for _, _, r in bad["lower"] if r[0])
    above[0][0] = f"{above[0][0]}1"
    outcome = judged("bad rate", bad, folder)
    assert outcome.accepted == [] and "Error" in outcome.failed["claim"]


@pytest.mark.thorough
def test_a_domain_that_is_split_and_one_that_is_empty(folder):
    above, below = copy.deepcopy(GRAM), copy.deepcopy(GRAM)
    base = {k: GRAM[k] for k in ("schema", "kind")}
    claim = {**GRAM["claim"], "where": ["a >= 0"], "goal": "a*norm(x)**2 >= 0", "vectors": ["x"]}
    leaf = {"multipliers": [], "domain": {}, "order": [0], "lower": [], "diagonal": [[[["1", [1]]], [["1", [0]]]]]}
    sign = {
        "constant": "1",
        "factors": [{"polynomial": [["1", [1]]], "power": 1, "sign": 1, "terms": [["1", [[0, 1]]]]}],
    }
    part = {**leaf, "signs": {"1:1": sign}}
    above = {**base, "claim": claim, "split": "a - 1", "parts": [part, part]}
    assert judged("split", above, folder).accepted == ["claim"]
    wrong = copy.deepcopy(above)
    wrong["parts"][1]["diagonal"][0][0][0][0] = "2"
    assert judged("bad split", wrong, folder).accepted == []
    nothing = {**claim, "where": ["a > 0", "-a > 1"], "goal": "norm(x)**2 <= 0"}
    empty = {"empty": [["1", [[0, 1]]], ["1", [[1, 1]]], ["1", []]]}
    below = {**base, "claim": nothing, "domain": {}, **empty}
    assert judged("empty", below, folder).accepted == ["claim"]
    below = {**below, "claim": {**nothing, "where": ["a > 0", "-a < 1"]}}
    assert judged("not empty", below, folder).accepted == []


def test_a_file_that_assumes_is_seen(folder):
    found = export("assuming", CASES["eval"])
    cheat = folder / "cheat.v"
    cheat.write_text(
        found.file(assumptions=False).replace("Open Scope R_scope.", "Open Scope R_scope.\nAxiom bad : False."),
        "utf-8",
    )
    text = cheat.read_text("utf-8")
    text = text.replace("Definition everything := (I, claim).", "Definition everything := (I, claim, bad).")
    cheat.write_text(text, "utf-8")
    assert run(folder, "cheat.v", 120.0)[0] == 0
    outcome = CoqOutcome("cheat", accepted=["claim"])
    ground([outcome], folder, 120.0)
    assert outcome.foreign == ["cheat.bad"]


def test_one_bad_obligation_leaves_the_others(folder):
    bad = copy.deepcopy(CASES["eval"])
    bad["claim"]["claim"] = ["exp(x) <= 7"]
    statement = {"kind": "statement", "steps": [{"certificates": [CASES["farkas"], bad, CASES["eval"]]}]}
    outcome = judged("mixed", statement, folder)
    assert outcome.accepted == ["step1_1", "step1_3"] and list(outcome.failed) == ["step1_2"]


def test_the_limit_of_time_ends_coqc(folder):
    (folder / "slow.v").write_text(
        "Goal True. do 1000000000 idtac. repeat (idtac; idtac; fail || idtac). Abort.\n", "utf-8"
    )
    code, told = run(folder, "slow.v", 0.5)
    assert code == 124 and "limit" in told


def test_verify_rocq_says_what_is_accepted(tmp_path, folder, capsys):
    """The second time in a folder that holds the library, which is not compiled again."""
    good, bad = tmp_path / "good.json", tmp_path / "bad.json"
    good.write_text(json.dumps(CASES["farkas"]), "utf-8")
    wrong = copy.deepcopy(CASES["farkas"])
    wrong["proofs"][0]["terms"][0]["c"] = "3"
    bad.write_text(json.dumps(wrong), "utf-8")
    assert lemma.main(["verify", "--rocq", str(good)]) == 0
    out = capsys.readouterr().out
    assert "accepts 1 of 1 obligations" in out and "axioms of the standard reals" in out
    compiled = (folder / "Boundcheck.vo").stat().st_mtime_ns
    assert lemma.main(["verify", "--rocq", str(bad), "-o", str(folder)]) == 1
    assert (folder / "Boundcheck.vo").stat().st_mtime_ns == compiled
    assert "NOT ACCEPTED" in capsys.readouterr().out


def test_the_rules_are_proved(folder):
    (folder / "Rules.v").write_text(
        FILE.read_text("utf-8") + "".join(f"Print Assumptions {t}.\n" for t in SHOWN), "utf-8"
    )
    code, told = run(folder, "Rules.v", 300.0)
    assert code == 0, told
    assert CoqOutcome("rules", axioms=axioms(told)).foreign == []


def test_a_rule_with_its_premise_weakened_is_refused(folder):
    text = FILE.read_text("utf-8")
    false = text.replace("Pr A <= Pr B + Pr C.", "Pr A <= Pr B.", 1)
    assert false != text
    (folder / "False_rules.v").write_text(false, "utf-8")
    code, told = run(folder, "False_rules.v", 300.0)
    assert code == 1 and "Error" in told
