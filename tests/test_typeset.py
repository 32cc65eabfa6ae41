"""Formulas as LaTeX, MathML and Unicode text: fixtures, every head, every formula of the catalogue, and back again."""

from __future__ import annotations

import re
from collections.abc import Iterator
from fractions import Fraction
from random import Random
from xml.etree import ElementTree

import pytest
from slow import more, thinned

from boundcheck.app.commands.show import ASCII, OWN, for_own
from boundcheck.author.layout import tall
from boundcheck.author.typeset import COVERED, boxes, pieces, to_latex, to_mathml, to_unicode
from boundcheck.kernel.formula import FUNCTIONS, PROOF_HEADS, Expr, Relation, num, parse, parse_relation, text, var
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.paper import catalogue
from boundcheck.paper.symbols import NAMES

FIXTURES = {
    "norm(E(g) - gradfmu(x)) <= 8*d/sqrt(M)*S**(p/2)": (
        r"\lVert \mathbb{E}[g]-\nabla f_{\mu}(x)\rVert \le \frac{8d}{\sqrt{M}}\,S^{\frac{p}{2}}",
        "‖E[g] − ∇f_μ(x)‖ ≤ (8d/√M) S^(p/2)",
    ),
    "E(clip(Z, tau)**2) <= integral(2*t*P(abs(Z) > t), t, 0, tau)": (
        r"\mathbb{E}[{\psi_{\tau}(Z)}^{2}]\le \int_{0}^{\tau}2t\,\mathbb{P}(\lvert Z\rvert> t)\,\mathrm{d}t",
        "E[ψ_τ(Z)²] ≤ ∫₀^τ 2t P(|Z| > t) dt",
    ),
    "at(zst, t) == sum(sum(at(at(X, t), s, l), l, 1, M), s, 1, t)": (
        r"\tilde z_{t}= \sum_{s=1}^{t}\sum_{l=1}^{M}X_{t,s,l}",
        "z̃ₜ = ∑_(s=1)^t ∑_(l=1)^M X_(t,s,l)",
    ),
    "independent(zeta, u) == 1": (r"\zeta\perp\!\!\!\perp u", "ζ ⫫ u"),
    "law(u) == sphere(d)": (
        r"\mathrm{law}(u)= \text{Unif}(\mathbb{S}^{d-1})",
        "law(u) = Unif(S^(d−1))",
    ),
    "P(meet(complement(norm(at(zst, t)) > U), t, 1, T - 1)) >= 1 - delta/2": (
        r"\mathbb{P}\left( \bigcap_{t=1}^{T-1}\{\lVert \tilde z_{t}\rVert> U\}^{\mathrm{c}} \right)"
        r"\ge 1-\frac{\delta}{2}",
        "P(⋂_(t=1)^(T − 1) {‖z̃ₜ‖ > U}^c) ≥ 1 − δ/2",
    ),
    "Egiven(F(xi, x)*u, u) == gradfmu(x)/d": (
        r"\mathbb{E}[F(x;\,\xi)\,u\mid u]= \frac{\nabla f_{\mu}(x)}{d}",
        "E[F(x; ξ) u | u] = ∇f_μ(x)/d",
    ),
    "x - (y - z) != -(a + b)*c": (r"x-(y-z)\ne (-(a+b))\,c", "x − (y − z) ≠ (−(a + b)) c"),
    "log(x)**2 < 1/1000000000000": (r"(\log(x))^{2}< 10^{-12}", "(log(x))² < 10⁻¹²"),
    "(x**2)**p > (x/y)**2*3": (
        r"(x^{2})^{p}> \left( \frac{x}{y} \right)^{2}\cdot 3",
        "(x²)^p > (x/y)²·3",
    ),
    "least(at(a, k), k, 1, n) <= max(abs(x), floor(y), ceil(z))": (
        r"\min_{1\le k\le n}a_{k}\le \max\{\lvert x\rvert , \lfloor y\rfloor , \lceil z\rceil \}",
        "min_(1≤k≤n) aₖ ≤ max{|x|, ⌊y⌋, ⌈z⌉}",
    ),
}


@pytest.mark.parametrize("source", FIXTURES)
def test_formulas_look_as_in_a_paper(source):
    relation = parse_relation(source, proof=True)
    found = (re.sub(" +", " ", to_latex(relation, NAMES)), to_unicode(relation, NAMES))
    wanted = FIXTURES[source]
    assert (found[0].replace(" ", ""), found[1]) == (wanted[0].replace(" ", ""), wanted[1])


def test_every_head_and_function_has_a_form_of_its_own():
    assert {*PROOF_HEADS, *FUNCTIONS, "integral", "sum"} == COVERED


def facts(statement: Statement) -> Iterator[Fact]:
    yield from statement.hypotheses.values()
    yield from statement.claims
    for step in statement.steps:
        yield step.fact
        if step.repair is not None:
            yield step.repair.fact
    if statement.as_used is not None:
        yield from facts(statement.as_used)


def all_terms(statement: Statement) -> set[Expr]:
    relations = [r for fact in facts(statement) for r in (fact.relation, *fact.conditions)]
    return {node for r in relations for side in (r.lhs, r.rhs) for node in side.walk()}


@pytest.mark.parametrize("write", [more(to_latex), to_unicode])
def test_different_terms_of_a_statement_print_differently(write):
    """Every term of the catalogue prints; in a statement no two print the same, but x0 and x at 0, and such pairs."""
    clashes = set()
    for statement in catalogue().values():
        seen: dict[str, Expr] = {}
        for term in all_terms(statement):
            other = seen.setdefault(write(term, NAMES), term)
            if other is not term:
                clashes.add(frozenset((text(term), text(other))))
    apart = [pair for pair in clashes if len({t.replace("at(xs, 0)", "x0") for t in pair}) > 1]  # x_0 is both
    assert apart == []


@pytest.mark.parametrize("part", thinned([(n,) for n in range(8)], 8))
def test_every_formula_of_the_catalogue_and_of_the_rules_is_well_formed(part):
    stated = [f for s in catalogue().values() for fact in facts(s) for f in (fact.relation, *fact.conditions)]
    ruled = [fact.relation for rule in RULES.values() for fact in (*rule.premises, *rule.sides)]
    assert len(stated) + len(ruled) > 3000
    for relation in stated[part::8]:
        shown = to_latex(relation, NAMES)
        assert shown.count("{") == shown.count("}") and shown.count(r"\left") == shown.count(r"\right")
        assert "operatorname" not in shown
        root = ElementTree.fromstring(f"<p>{to_mathml(relation, NAMES)}</p>")
        assert {child.tag for child in root} == {"math"} and len(root) == len(pieces(boxes(relation, NAMES)))
    for relation in ruled[part::8]:
        assert to_unicode(relation) and to_latex(relation)


def test_names_follow_their_spelling_and_a_catalogue_may_say_otherwise():
    shown = {n: to_unicode(var(n)) for n in ("eps", "lam0", "U1", "theta20", "ell", "rate", "a_b", "x_max1", "_")}
    assert shown == {"eps": "ε", "lam0": "λ₀", "U1": "U₁", "theta20": "θ₂₀", "ell": "ℓ", "rate": "rate", "a_b": "a_b",
                     "x_max1": "x_(max₁)", "_": "_"}  # fmt: skip
    assert to_unicode(var("theta20"), NAMES) == "θ_(2,0)" and to_latex(var("gap"), NAMES) == r"\Delta"
    assert to_latex(var("my_rate")) == r"\mathrm{my}_{\mathrm{rate}}"


def test_a_part_of_a_formula_begins_with_its_sign():
    """A part that is too wide for the screen scrolls; a sign at its end would not be seen."""
    parts = to_mathml(Relation("<=", parse("x + y"), parse("z - 1"))).split("</math>")[:-1]
    assert [re.sub("<[^>]*>", "", part) for part in parts] == ["x", "+y", "≤z", "−1"]


def test_brackets_grow_only_around_what_is_high():
    flat, high = (boxes(parse(t)) for t in ("(x + 1)*y", "(x/2 + 1)*y"))
    assert not tall(flat) and tall(high)
    assert 'stretchy="false"' in to_mathml(parse("(x + 1)*y")) and "stretchy" not in to_mathml(parse("(x/2 + 1)*y"))


# ---------------------------------------------------------------- back again

_DIGITS = dict(zip("⁰¹²³⁴⁵⁶⁷⁸⁹⁻", "0123456789-", strict=True))


def back(shown: str) -> Expr:
    """The expression behind Unicode text of +, -, products, ratios, powers, roots, exp and log of one-letter names."""
    shown = re.sub(r"[⁰¹²³⁴⁵⁶⁷⁸⁹⁻]+", lambda m: f"**({''.join(_DIGITS[c] for c in m[0])})", shown)
    shown = shown.replace("^", "**").replace("−", "-").replace("·", "*")
    shown = re.sub(r"√([a-z0-9])", r"sqrt(\1)", shown).replace("√(", "sqrt(")
    shown = re.sub(r"(?<=[\w)]) (?=[\w(])", "*", shown)
    shown = re.sub(r"(?<![a-z])([0-9]+)(?=[a-z])", r"\1*", shown)
    return parse(shown)


def random_expression(rng: Random, depth: int) -> Expr:
    if depth == 0 or rng.random() < 0.15:
        if rng.random() < 0.4:
            return num(Fraction(rng.randint(-9, 9), rng.choice((1, 1, 2, 7))))
        return var(rng.choice("abcxyz"))
    inner = [random_expression(rng, depth - 1) for _ in range(2)]
    op = rng.choice(("add", "sub", "mul", "mul", "div", "pow", "neg", "sqrt", "exp", "log"))
    return Expr(op, tuple(inner if op in ("add", "sub", "mul", "div", "pow") else inner[:1]))


def folded(e: Expr) -> Expr:
    """The expression with signs and ratios of numbers as the reader makes them: -3 is a number, -a b is (-a) b."""
    args = tuple(map(folded, e.args))
    if e.op == "neg" and args[0].op in ("mul", "div"):
        first, second = args[0].args
        return folded(Expr(args[0].op, (Expr("neg", (first,)), second)))
    if e.op == "neg" and args[0].op == "num":
        return num(-args[0].value)
    if e.op == "neg" and args[0].op == "neg":
        return args[0].args[0]
    if e.op == "div" and args[0].op == args[1].op == "num" and args[1].value != 0:
        return num(args[0].value / args[1].value)
    return Expr(e.op, args, e.value)


def test_unicode_text_reads_back_to_the_same_expression():
    rng = Random(20)
    for _ in range(600):
        e = random_expression(rng, 4)
        shown = to_unicode(e)
        try:
            found = back(shown)
        except ValueError as fault:
            if "power" in str(fault) or "exponent" in str(fault):
                continue  # beyond the caps of the reader
            raise AssertionError(f"{text(e)} printed as {shown}: {fault}") from fault
        assert folded(found) is folded(e), f"{text(e)} printed as {shown}, which reads {text(found)}"


@pytest.mark.parametrize(
    "name", ["given", "event", "list", "index", "body", "head", "said", "from", "letters", "F", "fmu"]
)
def test_a_function_of_ones_own_is_told_with_its_arguments(name):
    """given(x, y) was told as x | y, F(x, y) as F(y; x), index(x) ended in an error."""
    e = parse(f"{name}(x, y)", proof=True)
    assert to_unicode(e) == f"{name}(x, y)"
    assert to_latex(e).replace(" ", "").endswith("(x,y)")


def test_a_catalogue_has_forms_for_its_functions():
    assert to_unicode(parse("F(x, y)", proof=True), NAMES) == "F(y; x)"


@pytest.mark.parametrize(
    ("declares", "typeset"),
    [
        ({"x1": "real", "y": "real"}, True),
        ({"slope": "real", "Y": "real"}, True),
        ({"x1": "real", "x_1": "real"}, False),
        ({"eps": "real", "epsilon": "real"}, False),
        ({"e": "real"}, False),  # E is printed as e, too
        ({"x": "integer -> real", "xs": "integer -> real"}, False),
    ],
)
def test_names_that_look_the_same_are_told_as_they_are_written(declares, typeset):
    statement = Statement("lem:own", "t", "lemma", "p", "t", declares=declares)
    write = for_own(statement)
    assert write is (OWN if typeset else ASCII)
    told = [write.formula(f"{name}**2") for name in declares]
    assert len(set(told)) == len(told)
