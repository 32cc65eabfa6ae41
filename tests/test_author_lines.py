"""Lines as papers write them are found: with definitions put in, sums with one term more, means of products.

Beside each line stands one that is false, or does not follow, and is not found.
"""

import tomllib

import pytest
from slow import more

from boundcheck.author import adapter, ring
from boundcheck.author.elaborate import elaborate
from boundcheck.author.goal import Goal
from boundcheck.author.match import match
from boundcheck.author.proof_reader import read_proof
from boundcheck.author.signs import Signs
from boundcheck.author.toml import read_statements
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.clock import budget
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.kernel.statement import Fact, Parameter, Statement
from boundcheck.paper import lookup
from boundcheck.verdict import Status

pytestmark = pytest.mark.usefixtures("no_worlds")

ENOUGH = 60.0  #: seconds of work; every reason here is found in a small part of them


def made(header, proof, seconds=ENOUGH):
    """The elaboration of the last statement of a file; those before it may be cited."""
    source = f"{header}\nproof = '''\n{proof}\n'''\n"
    written, faults = read_statements(tomllib.loads(source), "own.toml", source, lambda told: None)
    assert not faults
    known = {w.statement.label: w.statement for w in written}
    with budget(seconds):
        return elaborate(written[-1].statement, written[-1].lines, known.__getitem__), known


def proved(header, proof, seconds=ENOUGH):
    found, known = made(header, proof, seconds)
    if found.faults:
        return False
    return decide_statement(found.statement, known.__getitem__, ENOUGH, 0.0).status is Status.PROVED


def head(declares, hypotheses, parameters="", claims='"0 <= 1"'):
    return (
        f'[[statement]]\nlabel = "lem:own"\ntitle = "t"\ntext = "t"\nparameters = [{parameters}]\n'
        f"declares = {{{declares}}}\nhypotheses = {{{hypotheses}}}\nclaims = [{claims}]"
    )


FALLING = head(
    'v = "integer -> real"',
    'falls = "v[t + 1] <= v[t] for integer t where t >= FIRST", start = "v[0] <= 0"', '"integer n >= 1"',
    '"v[n] <= 0"',
)  # fmt: skip


@pytest.mark.parametrize("hint", [more("induction"), "induction, falls, start"])
@pytest.mark.parametrize(("first", "holds"), [("0", True), ("1", False)])
def test_a_falling_sequence_stays_below_its_start(hint, first, holds):
    assert proved(FALLING.replace("FIRST", first), f"v[n] <= 0 by {hint}") is holds


MEANS = head(
    'A = "random vector", B = "random vector", X = "random real", Y = "random real", b = "real", c = "real"',
    'a = "integrable(norm(A)**2) == 1", b = "integrable(norm(B)**2) == 1", x = "integrable(X**2) == 1", '
    'y = "integrable((Y - b)**2) == 1"',
)  # fmt: skip


@pytest.mark.parametrize(
    "line",
    [
        "E(dot(A, B)) == E(Egiven(dot(A, B), A)) by tower",
        more("E(X*(Y - b)) == E(Egiven(X*(Y - b), A)) by tower"),
        more("E((Y - c)**2) == E(Egiven((Y - c)**2, A)) by tower"),
    ],
)
@pytest.mark.parametrize(("known", "holds"), [("2", True), ("1", False)])
def test_a_product_has_a_mean_where_the_squares_of_both_have(line, known, holds):
    assert proved(MEANS.replace("**2", f"**{known}"), line) is holds


MARKOV = head(
    'X = "random real", Y = "random real"',
    'mean = "integrable(X) == 1", sign = "X >= 0", square = "integrable(Y**2) == 1", all = "integrable(exp(Y)) == 1"',
    '"a > 0", "t"',
)


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("P(X >= a) <= E(X)/a", True),
        ("P(X > a) <= E(X)/a", True),
        ("P(X >= a/2) <= E(X)/a", False),
        more("P(Y >= a) <= E(Y)/a", False),  # Y may be negative
        ("P(abs(Y) >= a) <= E(Y**2)/a**2", True),
        ("P(Y >= a) <= E(Y**2)/a**2", True),
        more("P(abs(Y) >= a) <= E(Y**2)/(2*a**2)", False),
        ("P(Y >= t) <= E(exp(Y))/exp(t)", True),
        ("P(Y <= t) <= E(exp(Y))/exp(t)", False),
        ("ind(abs(Y) >= a) <= Y**2/a**2", True),
        ("abs(Y)*ind(X > a) <= abs(Y)*X/a", True),
        ("Y*ind(X > a) <= Y*X/a", False),
        ("abs(Y)*ind(X > a) <= abs(Y)*X/(2*a)", False),
    ],
)
@pytest.mark.parametrize("hinted", [True, False])
def test_an_event_that_makes_a_variable_large(line, holds, hinted):
    assert proved(MARKOV, line + (" by Markov" if line[0] == "P" else " by indicator at most") * hinted) is holds


STEPS = head(
    'x = "integer -> vector", g = "integer -> vector", u = "vector"',
    'step = "x[t + 2] == x[t + 1] - h*g[t + 1] + b*(x[t + 1] - x[t]) for integer t where t >= 0"',
    '"h > 0", "0 <= b", "b < 1"',
)  # fmt: skip
MOVED = """grads: g[t + 1] == (b*(x[t + 1] - x[t]) - (x[t + 2] - x[t + 1]))/h for integer t where t >= 0   by step
dot(g[t + 1], x[t + 2] - x[t + 1]) <= b/(2*h)*norm(x[t + 1] - x[t])**2 - (1/h - b/(K*h))*norm(x[t + 2] - x[t + 1])**2
  for integer t where t >= 0   by gram, grads"""


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        (MOVED.replace("\n  for", " for").replace("K", "2"), True),
        (MOVED.replace("\n  for", " for").replace("K", "3"), False),
        ("norm(x[t] - g[t]/t)**2 == norm(x[t])**2 - 2/t*dot(g[t], x[t]) + norm(g[t])**2/t**2 for integer t where t > 0"
         "  by gram", True),
        ("norm(x[t] - g[t]/t)**2 == norm(x[t])**2 - 2*dot(g[t], x[t]) + norm(g[t])**2/t**2 for integer t where t > 0"
         "  by gram", False),
    ],
)  # fmt: skip
def test_a_form_with_an_index_and_facts_where_they_stand(line, holds):
    assert proved(STEPS, line) is holds


SUMS = head(
    's = "integer -> real", M = "integer -> random real", V = "integer -> random real", w = "integer -> real"',
    'pos = "w[t] > 0 for integer t where t >= 0", sign = "V[t] >= 0 for integer t where t >= 0"',
    '"a > 0", "integer T >= 1"',
)  # fmt: skip
NAMES = """of p: p[t] == sum(s[k], k, 1, t) for integer t   exactly definition
of i: i[t] == ind(meet(M[k] <= a, k, 0, t)) for integer t   exactly definition
of d: d[t] == w[t]*E(V[t]) for integer t   exactly definition
"""


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        more("p[t + 1] == p[t] + s[t + 1] for integer t where t >= 0  by of p", True),
        ("p[t + 1] == p[t] + s[t + 1] for integer t where t >= 0  by last term of a range, of p", True),
        more("p[t + 1] == p[t] + s[t + 1] for integer t where t >= -5  by of p", False),
        more("p[t + 1] == p[t] + s[t] for integer t where t >= 0  by of p", False),
        ("p[0] == 0  by of p, no terms", True),
        ("p[1] == s[1]  by of p", True),
        more("p[1] == 0  by of p", False),
        (
            "i[t + 1] == i[t]*ind(M[t + 1] <= a) for integer t where t >= 0  by of i, last member of an intersection",
            True,
        ),
        ("i[t + 1] == i[t]*ind(M[t] <= a) for integer t where t >= 0  by of i, last member of an intersection", False),
        ("d[T] >= 0  by of d, pos, sign", True),
        more("d[T] > 0  by of d, pos, sign", False),
        ("d[-1] >= 0  by of d, pos, sign", False),
    ],
)
def test_lines_on_what_is_defined(line, holds):
    assert proved(SUMS, NAMES + line) is holds


CITED = """[[statement]]
label = "lem:step"
title = "t"
text = "t"
parameters = ["h > 0"]
declares = {D = "integer -> real", g = "integer -> vector", x = "integer -> vector"}
hypotheses = {h = "h > 0"}
claims = ["h*dot(g[t], x[t] - u) <= D[t] - D[t + 1] + h**2/2*norm(g[t])**2 for integer t, vector u where t >= 0"]
proof = ""

"""
REGRET = head(
    'D = "integer -> real", g = "integer -> vector", x = "integer -> vector", z = "vector", f = "vector -> real"',
    'one = "h*dot(g[t], x[t] - u) <= D[t] - D[t + 1] + h**2/2*norm(g[t])**2 for integer t, vector u where t >= 0", '
    'short = "norm(g[t]) <= G for integer t where t >= 0", '
    'convex = "f(x[t]) - f(v) <= dot(g[t], x[t] - v) for integer t, vector v where t >= 0"',
    '"h > 0", "G >= 0"',
)  # fmt: skip


@pytest.mark.parametrize(("half", "holds"), [("2", True), more("3", False)])
def test_a_citation_with_facts_at_the_places_of_the_line(half, holds):
    line = f"D[t + 1] <= D[t] - h*(f(x[t]) - f(z)) + h**2*G**2/{half} for integer t where t >= 0"
    assert proved(CITED + REGRET, f"{line}  by lem:step, short, convex with u = z") is holds


def test_what_is_no_definition_does_not_stand_in_the_way():
    wrong = "of q: q[t] == s[t]/t for integer t where t >= 1   exactly definition\n"
    found, _ = made(SUMS, wrong + "log(x) <= x - 1 for x where x > 0")
    first, second, *_ = found.lines
    assert "write it without `where`" in first.fault and second.kind


def test_what_a_refused_definition_leaves_without_a_meaning_is_not_searched():
    header = head('X = "real"', 'bound = "X <= v for v where v > 0"', claims='"X <= 2"')
    found, _ = made(header, "number: v == X   exactly definition\nsign: v <= 3\nother: X <= 2  by [bound at v = 2]")
    first, second, third, *_ = found.lines
    assert first.fault == "v == X: v is not a new name: hypothesis bound is for all v; take another"
    assert second.fault == f"v <= 3 speaks of v, to which line {first.place.line} gives no meaning"
    assert "gives no meaning" not in third.fault


def test_claims_on_the_way_can_be_read():
    goal = Goal(Fact("0 <= 1"))
    normal = adapter.normal(parse_relation("sum(at(s, k) - 1, k, 1, t)/t <= 2", proof=True))
    assert "#" in str(normal)
    assert adapter.normal(adapter.relation_of(goal.said(normal).claim)) == normal


@pytest.mark.parametrize(
    ("a", "b", "equal"),
    [("1/(2*m*(t + 1))", "1/(2*m)*(1/(t + 1))", True), ("1/(m**2*t + m**3)", "1/m**2*(1/(t + m))", True),
     ("1/(m + 2*m*t)", "1/m*(1/(t + 1))", False), ("1/(m*t + m + 1)", "1/m*(1/(t + 1))", False)],
)  # fmt: skip
def test_a_common_factor_below_the_line(a, b, equal):
    r = parse_relation(f"{a} <= {b}")
    assert (not ring.gap(*r.sides)) is equal


@pytest.mark.parametrize("hint", ["logs, positive", "positive, logs"])
@pytest.mark.parametrize(("line", "holds"), [("log(b[t]) <= 1", True), ("b[t] <= 3", True), ("b[t] <= 2", False)])
def test_a_fact_may_show_where_another_is_defined(hint, line, holds):
    """The kernel reads facts in turn; in which order they are named is no matter."""
    header = head(
        'g = "integer -> real", b = "integer -> real"',
        'logs = "g[t] == log(b[t]) for integer t", positive = "b[t] > 0 for integer t"',
    )
    assert proved(header, f"{line} for integer t where g[t] <= 1 by {hint}") is holds


def reached(line, hint, known, sorts, *numbers):
    """Whether a reason is found for the line, which is the claim as well."""
    statement = Statement("lem:own", "t", "lemma", "own", "", numbers, known, (Fact(line),), declares=sorts)
    return not elaborate(statement, read_proof(f"{line}  by {hint}"), lookup).faults


def test_a_fact_under_a_condition_does_not_spoil_the_others():
    """Of unit vectors something is said that would cover <x, u>: the line follows without it."""
    known = {
        "unit": Fact("abs(dot(e, u)) <= 1", ("e: vector",), ("norm(e) == 1",)),
        "remainder": Fact("abs(D - dot(x, u)) <= c/2"),
        "triangle": Fact("abs(a) <= abs(a - b) + abs(b)", ("a", "b")),
    }
    numbers = Parameter("c", "", ("c >= 0",)), Parameter("s", "", ("s >= 1",))
    sorts, hint = {"x": "vector", "u": "vector", "D": "real"}, "[triangle at a = D; b = dot(x, u)]"
    assert reached("abs(D) <= abs(dot(x, u)) + c*s", hint, known, sorts, *numbers)
    assert not reached("abs(D) <= abs(dot(x, u)) + c*s/3", hint, known, sorts, *numbers)


def test_nor_does_it_where_others_show_its_condition():
    """The condition of the product is shown by the other fact named, not by the product at other places."""
    known = {
        "positive": Fact("0 < norm(S) + ind(norm(S) <= 0)"),
        "product": Fact("abs(x*y) == x*abs(y)", ("x", "y"), ("x >= 0",)),
    }
    k, sorts = "lam*sinh(lam*norm(S))/(norm(S) + ind(norm(S) <= 0))", {"S": "vector", "d": "vector"}
    for factor, holds in ((k, True), (f"(lam - 1)*({k})", False)):
        line = f"abs({factor}*dot(S, d)) == {factor}*abs(dot(S, d))"
        assert reached(line, "positive, product", known, sorts, Parameter("lam", "", ("lam > 0",))) is holds


@pytest.mark.parametrize(("share", "holds"), [("", True), more("0.9*", False)])
def test_a_combination_divides_by_a_mean_only_where_there_is_no_other(share, holds, monkeypatch):
    """With E(<S, d>) below the line three facts are enough, and it is 0."""
    monkeypatch.setattr("boundcheck.author.elaborate.LINE", 3.0)
    parts = "E(norm(S)**2 + 2*dot(S, d) + norm(d)**2)", "E(norm(S)**2 + 2*dot(S, d))"
    known = {
        "mean": Fact(f"E(norm(S + d)**2) == {parts[0]}"),
        "split": Fact(f"{parts[0]} == {parts[1]} + E(norm(d)**2)"),
        "again": Fact(f"{parts[1]} == E(norm(S)**2) + E(2*dot(S, d))"),
        "tower": Fact("E(dot(S, d)) == E(Egiven(dot(S, d), H))"),
        "none": Fact("E(Egiven(dot(S, d), H)) == E(0)"),
    }
    sorts = {"S": "random vector", "d": "random vector", "H": "information"}
    assert reached(f"E(norm(S + d)**2) <= E(norm(S)**2) + {share}E(norm(d)**2)", "mean", known, sorts) is holds


def test_what_the_names_of_a_line_are_is_looked_up_to_the_end():
    """Six equations on what does not matter, which may have no value, stand nearer than those that say what c is."""
    known = {"k is": Fact("k == 1 - b"), "b is": Fact("b == 1 - r/(2*c)"), "c is": Fact("c == log(a)")}
    known |= {"a is": Fact("a == 3 + r"), "large": Fact("c >= 1")}
    known |= {f"T{i} is": Fact(f"T{i} == {i}/(1 - b)") for i in range(6)}
    numbers = [Parameter(n, "", ()) for n in ("k", "b", "c", "a", *(f"T{i}" for i in range(6)))]
    for line, holds in (("k > 0", True), ("k < 0", False)):
        assert reached(line, "large", known, {}, *numbers, Parameter("r", "", ("r > 0",))) is holds


@pytest.mark.parametrize(
    ("term", "sign"),
    [("1/(1 - p)", -1), ("1/(p - 1)", -1), ("1/(1 - p)**2", 1), ("x/(1 - p)", 0), ("1/(2 - p)", 0)],
)
def test_a_monomial_may_be_known_to_be_negative(term, sign):
    """In the normal form 1/(p - 1) is -1 times the monomial 1/(1 - p)."""
    signs = Signs(adapter.Checker(lookup), (parse_relation("p > 1"),), frozenset(), ())
    assert [signs(m) for m in ring.polynomial(parse(term))] == [sign]


def test_names_that_are_known_stand_for_the_terms_of_their_values():
    known = {"q": parse("p + 1")}
    assert [v["b"] for v in match(parse("b - q"), parse("4 - (p + 1)"), frozenset("bq"), known)] == [parse("4")]
    assert not list(match(parse("b - q"), parse("4 - p"), frozenset("bq"), {**known, "b": parse("4")}))


INNER = head(
    'g = "integer -> random vector", w = "random vector", y = "integer -> random vector"', "", '"integer n >= 1"'
)


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("dot(w, sum(g[t], t, 1, n)) == sum(dot(w, g[t]), t, 1, n)", True),
        ("sum(dot(g[t], w), t, 1, n) <= norm(w)*norm(sum(g[t], t, 1, n))", True),
        ("sum(dot(y[t], g[t]), t, 1, n) == dot(y[1], sum(g[t], t, 1, n))", False),
        ("sum(dot(w, g[t]), t, 1, n) == dot(w, sum(g[t], t, 0, n))", False),
    ],
)
def test_inner_products_with_one_vector_are_summed(line, holds):
    proof = line if "<=" not in line else line.replace("<=", "\n  == dot(w, sum(g[t], t, 1, n))\n  <=")
    assert proved(INNER, proof + "\n0 <= 1") is holds
