"""Rates of methods: decided for all parameters, false twins refuted exactly, certificates refused after a change."""

from __future__ import annotations

import copy
import csv
import json
from dataclasses import replace
from fractions import Fraction
from itertools import pairwise
from pathlib import Path

import pytest
from slow import apart, thinned

from boundcheck.app.counterexample import figure
from boundcheck.claims import ClaimFileError
from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.decide.quadratic.rate_search import LOWER, best_constants, decide_found
from boundcheck.decide.quadratic.witness import refutes
from boundcheck.kernel.check.gram_certificate import MAX_VECTORS, verify_gram
from boundcheck.kernel.check.rate_certificate import decode_rate, encode_rate, verify_rate
from boundcheck.kernel.check.ratios import Field
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.kernel.rate import Rate, RateError, expand
from boundcheck.kernel.statement import GramClaim
from boundcheck.lemma import main
from boundcheck.rates import read_rates, with_constant
from boundcheck.verdict import Status

FOLDER = Path(__file__).parent.parent / "examples" / "rates"
ENTRIES = {e.rate.name: e for path in sorted(FOLDER.glob("*.toml")) for e in read_rates(path)}
#: what the engine does not prove by itself today
OPEN = {
    "partially inexact Douglas-Rachford, 1 step",
    "Krasnoselskii-Mann, 1 step, little averaging",
}
QUICK = (
    "gradient descent, 1 step",
    "gradient descent, exact line search",
    "optimized gradient method, 1 step",
    "proximal point method, 3 steps",
    "subgradient method under restricted secant inequality and error bound",
    "accelerated proximal gradient, 1 step",
    "Bregman proximal point method, 2 steps",
    "proximal point of a monotone operator, 2 steps",
    "Halpern iteration, 2 steps",
    "Krasnoselskii-Mann, 1 step, moderate averaging",
    "accelerated gradient, potential",
    "accelerated gradient flow, strongly convex",
    "subgradient method, 2 steps",
    "optimized gradient method, the last step of its potential",
    "Peaceman-Rachford, the best step",
    "reflected resolvent of a Lipschitz and strongly monotone operator",
)
GD = ENTRIES["gradient descent, 1 step"].rate


def settles(name: str) -> None:
    entry = ENTRIES[name]
    verdict = decide_found(entry.rate, entry.find, entry.weights)
    assert verdict.status is (Status.UNDECIDED if name in OPEN else Status.PROVED), verdict.reason
    if verdict.certificate is not None:
        asked = None if entry.find else entry.rate
        assert verify_rate(json.loads(json.dumps(verdict.certificate)), asked).valid
    assert entry.twin is not None
    false = decide_rate(entry.twin)
    assert false.status is Status.REFUTED, false.reason
    assert decide_rate(entry.twin, refuting=False).status is not Status.PROVED


@pytest.mark.parametrize("name", thinned(QUICK, 7))
def test_a_rate_is_proved_and_its_twin_refuted(name):
    settles(name)


@pytest.mark.campaign
@pytest.mark.parametrize("name", sorted(set(ENTRIES) - set(QUICK)))
def test_every_other_rate_of_the_examples(name):
    settles(name)


def test_there_are_enough_examples_each_with_a_twin_and_a_source():
    assert len(ENTRIES) >= 40 and set(QUICK) | OPEN <= set(ENTRIES)
    assert all(e.twin is not None and e.source for e in ENTRIES.values())


def test_the_witness_is_shown_as_points_gradients_and_values():
    witness = decide_rate(ENTRIES["gradient descent, 1 step"].twin).witness
    assert {"L", "a", "x0", "x1", "f(x1)", "f'(x1)", "f'(xs)"} <= set(witness)
    step, length = Fraction(witness["a"]), len(witness["x0"].split(","))
    for i in range(length):
        x0, g0, x1 = (Fraction(witness[k].strip("()").split(",")[i]) for k in ("x0", "f'(x0)", "x1"))
        assert x1 == x0 - step * g0


@pytest.mark.usefixtures("one_process")
def test_a_counterexample_is_drawn_with_its_numbers(tmp_path, capsys):
    path, out = tmp_path / "r.toml", tmp_path / "pictures"
    path.write_text(TEXT.replace("1/(4*a)", "1/(5*a)"), encoding="utf-8")
    assert main(["check", str(path), "--json", "--figures", str(out)]) == 1
    told = capsys.readouterr()
    witness = json.loads(told.out.splitlines()[-1])["results"][0]["witness"]
    (drawing,), (data,) = out.glob("*.svg"), out.glob("*.csv")
    assert f"drawn in {drawing}" in told.err and "counterexample" in drawing.read_text(encoding="utf-8")
    rows = list(csv.DictReader(data.read_text(encoding="utf-8").splitlines()))
    by = {(r["what"], r["of"], r["at"]): r for r in rows}
    for point in ("x0", "x1"):
        assert float(by["point", "", point]["first"]) == float(Fraction(witness[point].strip("()").split(",")[0]))
    assert float(by["value", "f", "x1"]["first"]) == float(Fraction(witness["f(x1)"]))
    assert main(["check", "lem:hp-shared-grad-subopt", "--figures", str(out)]) == 2
    assert "name a file with [[rate]]" in capsys.readouterr().err


def test_a_picture_needs_at_most_two_dimensions():
    flat = {"L": "1", "x0": "(1, 0, 2)", "x1": "(0, 0, 1)", "f'(x0)": "(1, 0, 0)", "f(x0)": "1/2"}
    drawing = figure("name", flat)
    assert drawing is not None and drawing.title.endswith("two dimensions")
    assert ("point", "", "x0", 1.0, 2.0) in drawing.rows and ("gradient", "f", "x0", 1.0, 0.0) in drawing.rows
    assert figure("name", {**flat, "f'(x0)": "(1, 1, 0)"}) is None
    assert figure("name", {"x0": "(0, 0)"}) is None
    line = figure("name", {"x0": "(2)", "A(x0)": "(1)"})
    assert line is not None and line.title.endswith("one dimension")
    root = figure("name", {"sqrt(k)": "2", "k": "4", "x0": "(2)", "f(x0)": "1"})
    assert root is not None and [r[:3] for r in root.rows] == [("point", "", "x0"), ("value", "f", "x0")]


def test_gradients_of_sums_are_named_as_in_the_file():
    entry = ENTRIES["Frank-Wolfe, 1 step"]
    witness = decide_rate(entry.twin).witness
    assert witness and not any("__" in key or "at(" in key for key in witness)


def test_a_maximum_makes_cases_and_each_needs_its_certificate():
    rate = ENTRIES["gradient descent contraction"].rate
    cases = expand(rate).cases
    assert len(cases) == 2 and len(cases[0].where) == len(cases[1].where)
    data = decide_rate(rate).certificate
    assert verify_rate(data, rate).valid
    assert not verify_rate({**data, "cases": data["cases"][:1]}, rate).valid
    assert not verify_rate({**data, "cases": data["cases"][::-1]}, rate).valid


def _changes(data):
    def changed(edit):
        other = copy.deepcopy(data)
        edit(other)
        return other

    yield "claim", changed(lambda d: d["rate"].update(claim=d["rate"]["claim"].replace("L/(2", "0.99*L/(2")))
    yield "class", changed(lambda d: d["rate"]["functions"].update(f="convex"))
    yield "class's constant", changed(lambda d: d["rate"]["functions"].update(f="smooth_convex(2*L)"))
    yield "step", changed(lambda d: d["rate"]["method"].__setitem__(2, "x1 = x0 - 1.1*a*f'(x0)"))
    yield "domain", changed(lambda d: d["rate"].update(where=["a > 0"]))
    yield (
        "multiplier",
        changed(
            lambda d: d["cases"][0]["multipliers"].__setitem__(
                next(k for k, m in enumerate(d["cases"][0]["multipliers"]) if m[0]), [[], [["1", [0, 0]]]]
            )
        ),
    )
    yield "kind", changed(lambda d: d.update(kind="gram"))
    yield "schema", changed(lambda d: d.update(schema=1))
    yield "moves", changed(lambda d: d.update(moves=[None, None]))
    yield "no moves", changed(lambda d: d.pop("moves"))
    yield "no cases", changed(lambda d: d.update(cases=[]))


def test_certificates_are_refused_after_every_change():
    data = json.loads(json.dumps(decide_rate(GD).certificate))
    assert verify_rate(data).valid and verify_rate(data, GD).valid
    assert not verify_rate(data, replace(GD, where=("a > 0",))).valid
    for what, other in _changes(data):
        assert not verify_rate(other).valid, what
    assert decode_rate(encode_rate(GD)) == replace(GD, sums={})


def test_a_counterexample_must_meet_everything_exactly():
    rate = Rate("point", {"f": "convex"}, ("x0",), "f(x0) - f(xs) <= 1/2*dot(f'(x0), x0)", ("xs = 0", "f'(xs) = 0"))
    vectors = {"x0": ("1",), "f__x0": ("1",)}
    assert refutes(rate, {}, vectors, {"at(f, x0)": "1", "at(f, xs)": "0"})
    for levels in ({"at(f, x0)": "2", "at(f, xs)": "0"}, {"at(f, x0)": "1/2", "at(f, xs)": "0"}, {"at(f, x0)": "1"}):
        assert not refutes(rate, {}, vectors, levels)
    assert not refutes(rate, {}, {"x0": ("1",)}, {"at(f, x0)": "1", "at(f, xs)": "0"})
    assert not refutes(replace(rate, claim="nothing"), {}, vectors, {"at(f, x0)": "1", "at(f, xs)": "0"})


def test_inequalities_that_are_only_necessary_refute_nothing():
    method = ("xs = 0", "A(xs) = 0", "y = x - a*A(x)", "z = x - a*A(y)")
    claim = "norm(z - xs)**2 <= 0.999*norm(x - xs)**2"
    three = Rate(
        "extragradient", {"A": "lipschitz_monotone(L)"}, ("x",), claim, method, (), ("L > 0", "a > 0", "a < 1/L")
    )
    assert not expand(three).exact
    verdict = decide_rate(three)
    assert verdict.status is Status.UNDECIDED and "necessary" in verdict.reason
    proved = decide_rate(replace(three, claim="norm(z - xs)**2 <= norm(x - xs)**2"))
    assert proved.status is Status.PROVED  # necessary inequalities prove all the same


@pytest.mark.parametrize(
    ("functions", "total", "claim"),
    [  # the first three hold for all members: a sum of convex functions that is smooth has smooth terms
        ({"f": "convex", "g": "convex", "F": "smooth_convex(L)"}, "f + g",
         "norm(f'(x) - f'(y))**2 <= L**2*norm(x - y)**2"),
        ({"f": "convex", "g": "lipschitz_convex(L)", "F": "smooth_convex(L)"}, "f + 2*g",
         "4*norm(g'(x) - g'(y))**2 <= L**2*norm(x - y)**2"),
        ({"f": "convex", "g": "indicator", "F": "smooth_convex(L)"}, "f + g", "norm(g'(x))**2 <= norm(x - y)**2"),
        ({"A": "monotone", "B": "monotone", "C": "lipschitz(L)"}, "A + B",
         "norm(A(x) - A(y))**2 <= 9*L**2*norm(x - y)**2"),
        ({"f": "convex", "g": "any", "F": "smooth_convex(L)"}, "f + c*g",
         "c*norm(f'(x) - f'(y))**2 <= 9*L**2*norm(x - y)**2"),
    ],
)  # fmt: skip
def test_a_sum_of_a_class_with_terms_of_classes_is_not_refuted(functions, total, claim):
    whole = "C" if "C" in functions else "F"
    rate = Rate("sum", functions, ("x", "y"), claim, (), (), ("L > 0", "c >= 0"), {whole: total})
    assert not expand(rate).exact
    assert decide_rate(rate).status is Status.UNDECIDED
    free = replace(rate, functions={k: v for k, v in functions.items() if k != whole})
    assert expand(free).exact  # a sum of no class leaves its terms apart


def test_a_sum_of_a_class_is_refuted_where_a_term_of_no_class_takes_up_the_rest():
    functions = {"f": "convex", "g": "any", "F": "smooth_convex(L)"}
    claim = "norm(f'(x) - f'(y))**2 <= L**2*norm(x - y)**2"
    rate = Rate("sum", functions, ("x", "y"), claim, (), (), ("L > 0",), {"F": "(f - g)/L"})
    assert decide_rate(rate).status is Status.REFUTED
    twice = replace(rate, functions={**functions, "G": "convex"}, sums={"F": "(f - g)/L", "G": "f + g"})
    assert decide_rate(twice).status is Status.UNDECIDED


@pytest.mark.parametrize(
    ("function", "point"), [("f", "xs"), ("g", "xs"), ("u", "xs"), ("h", "y"), ("x", "y"), ("L", "v"), ("xs", "g")]
)
def test_a_verdict_does_not_depend_on_the_names_of_functions_and_points(function, point):
    """The texts of classes have names of their own, for points, values and gradients."""
    f, s = function, point
    claim = f"{f}(w) - {f}({s}) <= K/2*norm(w - {s})**2"
    rate = Rate("growth", {f: f"quadratic_growth_convex(K, {s})"}, ("w",), claim, (f"{s} = 0",), (), ("K > 0",))
    assert decide_rate(rate).status is Status.PROVED
    assert decide_rate(replace(rate, claim=claim.replace("K/2", "0.49*K"))).status is not Status.PROVED


@pytest.mark.parametrize(
    ("where", "claim"),
    [
        (("L == K", "K > 0"), "L(x) <= K(x)"),  # two values would become one with the two numbers
        (("K > 0",), "L(x) <= L(y) + K*norm(x - y)**2"),
        (("K > 0",), "K*norm(x - y)**2 >= 0"),
        ((), "dot(L - x, x) <= norm(x)**2"),
    ],
)
def test_a_function_is_no_number(where, claim):
    rate = Rate("named twice", {"L": "convex", "K": "convex"}, ("x", "y"), claim, (), (), where)
    with pytest.raises(RateError, match=r"[LK] is a function, a (number|vector) is wanted"):
        expand(rate)


@pytest.mark.parametrize(
    ("claim", "told"),
    [
        ("norm(x, y)**2 <= norm(x)**2", "claim: norm takes 1 arguments, 2 are given"),
        ("dot(x, x, y) <= norm(x)**2", "claim: dot takes 2 arguments, 3 are given"),
        ("dot(x) <= norm(x)**2", "claim: dot takes 2 arguments, 1 are given"),
        ("max(x, y)*max(x, y) <= norm(x)**2 + norm(y)**2", "claim: x is a vector, a number is wanted in max"),
        ("x*y <= norm(x)**2/2 + norm(y)**2/2", r"claim: x\*y: a product of two vectors"),
        ("abs(x) <= norm(x)", "claim: x is a vector, a number is wanted in abs"),
        ("norm(K)**2 >= 0", "claim: K is a number, a vector is wanted in norm"),
        ("norm(x)**2 + x >= 0", "claim: .* a vector is wanted|a number is wanted"),
        ("f(x) <= f(z)", "method: K is no vector"),
        ("norm(f'(c))**2 >= 0", r"method: 2\*K is no vector"),
        ("norm(w)**2 >= 0", "method: x is a vector, a number is wanted in x[*][*]2"),
    ],
)
def test_a_claim_speaks_of_numbers_and_vectors(claim, told):
    method = {"f(x) <= f(z)": ("z = K",), "norm(f'(c))**2 >= 0": ("c = 2*K",), "norm(w)**2 >= 0": ("w = x**2*x",)}
    rate = Rate("sorts", {"f": "smooth(K)"}, ("x", "y"), claim, method.get(claim, ()), (), ("K > 0",))
    with pytest.raises(RateError, match=told):
        expand(rate)


@pytest.mark.parametrize(("functions", "told"), [({"f": "smooth(x)"}, "functions.f: x is no real"), ({}, "")])
def test_the_parameters_of_a_class_are_numbers(functions, told):
    """A point that is named in a class, a step that is defined by another one, and a point 0 are what they are."""
    rate = Rate(
        "sorts", functions or {"f": "quadratic_growth_convex(K, xs)"}, ("x",), "f(y) - f(xs) <= K*norm(x)**2",
        ("y = x - a*z", "z = 0", "a = b/2", "b = 1/K", "xs = 0"), (), ("K > 0",),
    )  # fmt: skip
    if told:
        with pytest.raises(RateError, match=told):
            expand(rate)
    else:
        assert decide_rate(rate).status is Status.PROVED


def test_forty_vectors_are_proved_and_more_are_refused():
    def chain(n: int) -> GramClaim:
        names = [f"v{k}" for k in range(n)]
        total = " + ".join(f"norm({a} - {b})**2" for a, b in pairwise(names))
        return GramClaim("chain", tuple(names), parse_relation(f"{total} >= 0", proof=True))

    found = decide_gram(chain(MAX_VECTORS))
    assert MAX_VECTORS >= 40 and found.status is Status.PROVED
    assert verify_gram(found.certificate, chain(MAX_VECTORS)).valid
    assert decide_gram(chain(MAX_VECTORS + 1)).status is Status.UNDECIDED


TEXT = """[[rate]]
name = "n"
functions = { f = "convex" }
points = ["x0"]
method = ["xs = 0", "f'(xs) = 0", "x1 = x0 - a*f'(x1)"]
where = ["a > 0"]
claim = "f(x1) - f(xs) <= 1/(4*a)*norm(x0 - xs)**2"
"""


def reads(tmp_path: Path, text: str) -> list[str]:
    path = tmp_path / "r.toml"
    path.write_text(text, encoding="utf-8")
    told: list[str] = []
    try:
        read_rates(path, told.append)
    except ClaimFileError as fault:
        told += map(str, fault.faults)
    return told


FAULTS = {
    'f = "convex"': ('f = "convexx"', "unknown class"),
    '"convex" }': ('"smooth_convex" }', "smooth_convex(L) is wanted"),
    "x1 = x0 - a": ("x1 = x0 - b", "b is neither a point, defined in method, nor ranged in where"),
    "f(x1) - f(xs) <=": ("f(x1 + x0) - f(xs) <=", "named points only"),
    "x0 - a*f'(x1)": ("x0 - a*f'(x1) + y", "y is neither a point, defined in method, nor ranged in where"),
    "<= 1/(4*a)": ("< 1/(4*a)", "one inequality"),
    '"xs = 0"': ('"xs == 0"', "name = term"),
    '"xs = 0", ': ("", "xs is neither a point, defined in method"),
    'points = ["x0"]': ('points = "x0"', "a list of texts"),
    "1/(4*a)*": ("1/(4*a)*q(x0)*", "unknown function q"),
    'name = "n"': ("", "name"),
    "[[rate]]": ('[[rate]]\nfind = "d"', "d is no name in the claim"),
    "[[rate]]\n": ('[[rate]]\nweights = ["a", "a"]\n', "asked for twice"),
    "claim =": ('find = "a"\nclaim =', "find: a stands outside of the claim too"),
}


@pytest.mark.parametrize("text", FAULTS)
def test_faults_are_told_in_one_line_with_the_mend(tmp_path, text):
    put, told = FAULTS[text]
    lines = reads(tmp_path, TEXT.replace(text, put, 1))
    assert any(told in line for line in lines), lines
    assert all("\n" not in line and "Traceback" not in line for line in lines)


def test_a_good_file_is_silent_and_unknown_keys_are_told(tmp_path):
    assert reads(tmp_path, TEXT) == []
    assert "did you mean where" in reads(tmp_path, TEXT.replace("where =", "wher ="))[0]


@pytest.mark.usefixtures("one_process")
def test_check_decides_rates_and_its_status_says_how(tmp_path, capsys):
    path = tmp_path / "r.toml"
    path.write_text(TEXT, encoding="utf-8")
    assert main(["check", str(path), "--json", "--certificates", str(tmp_path / "c")]) == 0
    row = json.loads(capsys.readouterr().out)["results"][0]
    assert row["verdict"] == "PROVED" and main(["verify", row["certificate"]]) == 0
    path.write_text(TEXT.replace("1/(4*a)", "1/(5*a)"), encoding="utf-8")
    assert main(["check", str(path), "--json"]) == 1
    out = capsys.readouterr().out.splitlines()[-1]
    row = json.loads(out)["results"][0]
    assert row["verdict"] == "REFUTED" and "f'(x1)" in row["witness"]
    path.write_text(TEXT.replace("convex", "concave"), encoding="utf-8")
    assert main(["check", str(path)]) == 2


@pytest.mark.parametrize(
    "name, formula, other",
    [
        ("proximal point method, 1 step", "1/(4*a)", "1/(3*a)"),
        ("gradient descent, exact line search", "((L - mu)/(L + mu))**2", "(L - mu)/(L + mu)"),
        ("Halpern iteration, 2 steps", "4/9", "5/9"),
    ],
)
def test_the_best_constant_is_found_and_is_the_known_one(name, formula, other):
    rate = ENTRIES[name].rate
    left, _, right = rate.claim.partition(" <= ")
    assert right.startswith(formula)
    asked = replace(rate, claim=f"{left} <= c{right.removeprefix(formula)}")
    found = best_constants(asked, ("c",))
    assert found is not None and found.verdict.status is Status.PROVED and found.refuted == LOWER
    assert same_function(found.formulas["c"], formula) and not same_function(found.formulas["c"], other)


def same_function(a: str, b: str) -> bool:
    left, right = parse(a), parse(b)
    field = Field(left.free | right.free, {})
    return field.same(field.read(left), field.read(right))


def test_a_constant_that_is_no_simple_function_is_left_open():
    method = ("xs = 0", "f'(xs) = 0")
    rate = Rate("no", {"f": "lipschitz_convex(M)"}, ("x0",), "f(x0) - f(xs) <= c*norm(x0)**2", method, (), ("M > 0",))
    assert decide_found(rate, ("c",)).status is Status.UNDECIDED


STEP = ("xs = 0", "f'(xs) = 0", "x1 = x0 - f'(x0)/L")
WEIGHED = {
    "the greatest weight": (
        Rate("a", {"f": "smooth_convex(L)"}, ("x0",), "p*(f(x1) - f(xs)) + L/2*norm(x1 - xs)**2 "
             "<= n*(f(x0) - f(xs)) + L/2*norm(x0 - xs)**2", STEP, (), ("n >= 0", "L > 0")),
        ("p",), (), {"p": "n + 1"},
    ),
    "one after the other": (
        Rate("b", {"f": "smooth_convex(L)"}, ("x0",), "p*(f(x1) - f(xs)) + q*norm(f'(x1))**2 + L**2*norm(x1 - xs)**2 "
             "<= (2*n + 1)*L*(f(x0) - f(xs)) + n*(n + 2)*norm(f'(x0))**2 + L**2*norm(x0 - xs)**2",
             STEP, (), ("n >= 0", "L > 0")),
        ("p", "q"), (), {"p": "(2*n + 3)*L", "q": "(n + 1)*(n + 3)"},
    ),
    "times the constant": (
        Rate("c", {"f": "smooth_strongly_convex(mu, L)"}, ("x0",), "f(x1) - f(xs) + p*norm(x1 - xs)**2 "
             "<= r*(f(x0) - f(xs) + p*norm(x0 - xs)**2)", STEP, (), ("mu > 0", "mu < L")),
        ("r",), ("p",), {"r": "(1 - mu/L)**2"},
    ),
    "forced by the goal": (
        ENTRIES["accelerated gradient, potential"].rate, ("p",), ("q",), {"p": "s**2", "q": "s**2 - s"},
    ),
    "no best one asked for": (
        Rate("d", {"f": "smooth(L)"}, ("x0", "xm"), "f(x1) + p*norm(x1 - x0)**2 <= f(x0) + p*norm(x0 - xm)**2",
             ("x1 = x0 - a*f'(x0) + b*(x0 - xm)",), (), ("L > 0", "a > 0", "b > 0", "b < 1", "a < (1-b)/L")),
        (), ("p",), {},
    ),
}  # fmt: skip


@pytest.mark.parametrize("case", apart(WEIGHED, "one after the other", "times the constant", "forced by the goal"))
def test_the_weights_of_a_potential_are_found_for_all_parameters(case):
    rate, find, weights, known = WEIGHED[case]
    if case == "forced by the goal":
        claim = "p*(f(x1) - f(xs)) + L/2*norm(z1 - xs)**2 <= q*(f(x0) - f(xs)) + L/2*norm(z0 - xs)**2"
        rate = replace(rate, claim=claim)
    found = best_constants(rate, find, weights)
    assert found is not None and found.verdict.status is Status.PROVED, found
    assert found.formulas.keys() == {*find, *weights}
    assert all(same_function(found.formulas[name], formula) for name, formula in known.items()), found.formulas
    chosen = rate
    for name, formula in found.formulas.items():
        chosen = with_constant(chosen, name, formula)
    assert verify_rate(json.loads(json.dumps(found.verdict.certificate)), chosen).valid
    for name in find:  # a hundredth beyond what is best, with the other weights as they are, is false
        share = "0.99" if name == "r" else "1.01"
        beyond = rate
        for other, formula in found.formulas.items():
            beyond = with_constant(beyond, other, f"{share}*({formula})" if other == name else formula)
        assert decide_rate(beyond).status is Status.REFUTED


@pytest.mark.parametrize(
    "claim, find, weights, told",
    [
        ("w**2*norm(x1 - xs)**2 <= w*norm(x0 - xs)**2", (), ("w",), "affine in all of them"),
        ("p*w*norm(x1 - xs)**2 <= norm(x0 - xs)**2", (), ("p", "w"), "affine in all of them"),
        ("norm(x1 - xs)**2 <= c**2*w*norm(x0 - xs)**2", ("c",), ("w",), "linear in the constant"),
        ("norm(x1 - xs)**2 <= max(w, 1)*norm(x0 - xs)**2", (), ("w",), "without max"),
        ("norm(x1 - xs)**2 <= norm(x0 - xs)**2", (), ("w",), "w, which is asked for, does not occur"),
        ("w*norm(x1 - xs)**2 <= 1/2*w*norm(x0 - xs)**2 - norm(x0)**2", (), ("w",), "no simple formula fits w"),
    ],
)
def test_weights_that_cannot_be_found_are_told(claim, find, weights, told):
    rate = replace(GD, claim=claim, functions={"f": "convex"})
    verdict = decide_found(rate, find, weights)
    assert verdict.status is Status.UNDECIDED and told in verdict.reason


def test_the_name_of_a_rate_decides_nothing():
    other = replace(ENTRIES["gradient descent, 1 step"].twin, name="gradient descent, 1 step")
    assert decide_rate(other).status is Status.REFUTED


def test_a_rate_on_an_empty_domain_is_not_proved():
    verdict = decide_rate(replace(GD, where=("a > 1/L", "a < 1/(2*L)")))
    assert verdict.status is Status.UNDECIDED and "empty" in verdict.reason


def test_hostile_texts_are_faults():
    for claim in ("__import__('os')", "f(x1) <= " + "(" * 500, "norm(x0) ** 2 <= f__x1"):
        with pytest.raises(RateError):
            expand(replace(GD, claim=claim))
