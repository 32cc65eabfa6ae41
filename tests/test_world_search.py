"""A line is told false only where a world meets all hypotheses and breaks it; what is true is never told false."""

from dataclasses import replace
from fractions import Fraction

import pytest
from test_author_lines import MEANS, head, made

from boundcheck.author import adapter
from boundcheck.decide.statements import decide_statement
from boundcheck.decide.worlds.world_chance import pieces
from boundcheck.decide.worlds.world_draw import _fits
from boundcheck.decide.worlds.world_refute import refuted
from boundcheck.decide.worlds.world_search import Broken, broken_claim, counterexample
from boundcheck.decide.worlds.world_terms import Unknown
from boundcheck.kernel.clock import budget
from boundcheck.kernel.formula import Relation, num, var
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import Cite, Decide, Fact, Statement, Step
from boundcheck.paper import catalogue
from boundcheck.verdict import EQUALITY, Status, witness_text

RECURSION = head(
    'w = "integer -> real"',
    'step = "w[t + 1] <= (1 - q)*w[t] + c for integer t where t >= 0", start = "w[0] <= 1"',
    '"0 < q < 1", "c >= 0", "integer T >= 0"',
)
MARKOV = head('X = "random real"', 'mean = "E(X) == 1", sign = "X >= 0", integrable = "integrable(X) == 1"', '"a > 0"')
GAP = head(
    'v = "integer -> real"', 'falls = "v[t + 1] <= v[t] for integer t where t >= 1", start = "v[0] <= 0"',
    '"integer n >= 1"',
)  # fmt: skip
SGD = head(
    'f = "vector -> real", gradf = "vector -> vector", x = "vector", z = "vector", y = "random vector", '
    'g = "random vector"',
    'convex = "f(v) >= f(u) + dot(gradf(u), v - u) for vector u, vector v", mean = "E(g) == gradf(x)", '
    'second = "E(norm(g)**2) <= s**2", step = "y == x - h*g"',
    '"h > 0", "s >= 0"',
)  # fmt: skip
POLYAK = head(  # x is an argument of f in the world as well, and y of the gradient
    'f = "vector -> real", gradf = "vector -> vector", x = "vector", y = "vector", z = "vector", h = "real"',
    'convex = "f(v) >= f(u) + dot(gradf(u), v - u) for vector u, vector v", short = "norm(gradf(x)) <= G", '
    'positive = "norm(gradf(x)) > 0", of_h = "h == (f(x) - f(z))/norm(gradf(x))**2", step = "y == x - h*gradf(x)", '
    'best = "f(z) <= f(x)"',
    '"G > 0"',
)  # fmt: skip
WALK = head(
    'd = "integer -> random real", H = "integer -> information"',
    'mean = "Egiven(d[t + 1], H[t]) == b for integer t where t >= 0", '
    'second = "E(d[t]**2) <= c for integer t where t >= 1"',
    '"b > 0", "c >= b**2", "integer T >= 1"',
)  # fmt: skip
ZYGMUND = head(
    'Z = "random real"',
    'sign = "Z >= 0", square = "integrable(Z**2) == 1", mean = "E(Z) > 0", second = "E(Z**2) > 0"', '"0 <= q <= 1"',
)  # fmt: skip
AVERAGE = head(
    'm = "integer -> random real", xi = "integer -> random real", H = "integer -> information"',
    'zero = "m[0] == 0", step = "m[t + 1] == b*m[t] + (1 - b)*xi[t + 1] for integer t where t >= 0", '
    'mean = "Egiven(xi[t + 1], H[t]) == 0 for integer t where t >= 0", '
    'second = "E(xi[t]**2) <= s**2 for integer t where t >= 1", '
    'past = "measurable(m[t], H[t]) == 1 for integer t where t >= 0"',
    '"0 < b < 1", "s >= 0", "integer T >= 1"',
)  # fmt: skip
SECONDS = 1.0


def _found(header, claim, *over):
    elaboration, _ = made(header, "1 <= 1")
    return counterexample(elaboration.statement, Fact(claim, over), SECONDS)


def test_a_false_bound_of_a_recursion_is_broken_by_its_own_terms():
    """Computed again from the values that are told; the name w is the author's, not a sign."""
    found = _found(RECURSION, "at(w, T) <= (1 - q)**T + c/(2*q)")
    values = {name: Fraction(text) for name, text in found.values.items() if "[" not in name}
    q, c, T = values["q"], values["c"], int(values["T"])
    assert 0 < q < 1 and c >= 0 and T >= 0
    assert "step" in found.equal and "step" in str(found)
    w = Fraction(found.values["w[0]"]) if "start" not in found.equal else Fraction(1)
    assert w <= 1
    for _ in range(T):
        w = (1 - q) * w + c
    assert w > (1 - q) ** T + c / (2 * q)


@pytest.mark.parametrize(
    ("header", "claim", "holds"),
    [
        (RECURSION, "at(w, T) <= (1 - q)**T + c/q", True),
        (MARKOV, "P(X >= a) <= 1/a", True),
        (MARKOV, "P(X >= a) <= 1/(2*a)", False),
        (MEANS, "E(X - X) == 0", True),
        (GAP, "at(v, n) <= at(v, 1)", True),
        (GAP, "at(v, n) <= at(v, 0)", False),
    ],
)
def test_what_is_false_is_told_and_what_is_true_is_not(header, claim, holds):
    assert (_found(header, claim) is None) is holds


def test_no_world_contradicts_what_is_proved_and_one_breaks_an_assumption():
    known = catalogue()
    for label in ("lem:hp-shared-clipped-second", "lem:hp-shared-directional-to"):
        statement = next(s for name, s in known.items() if name.startswith(label))
        for fact in statement.claims:
            assert adapter.false_where(statement, fact, 0.3) == ""
    [assumed] = known["ass:Well-defined"].claims
    assert "fstar" in adapter.false_where(known["ass:Well-defined"], assumed, SECONDS)


def test_a_first_value_is_told_only_where_no_equation_gives_it():
    found = _found(RECURSION, "at(w, T) <= (1 - q)**T + c/(2*q)")
    assert "w[1]" not in found.values


def test_a_line_that_is_false_says_so_and_one_whose_reason_is_not_found_does_not():
    [wrong], [short] = (made(RECURSION, line)[0].faults for line in ("w[T] <= c", "w[T] <= (1 - q)**T + c/q"))
    assert "no reason found for w[T] <= c: it is false where" in wrong.fault
    assert "false" not in short.fault


def test_signs_and_uniform_numbers_are_explained_where_they_are_told():
    told = str(Broken({"X": "1 + w(1)", "U": "unit(1)"}))
    assert told.startswith("X = 1 + sign(1), U = uniform(1); ")
    assert "fair signs" in told and "(0, 1)" in told
    assert str(Broken({"X": "1"})) == "X = 1"


def test_vectors_are_told_to_be_numbers_and_arguments_are_those_of_the_value():
    header = head(
        'u = "vector", g = "integer, vector -> vector", b = "real, real, real, real -> real"', 'far = "norm(u) >= 1"'
    )
    told = str(_found(header, "norm(u) <= 1/2"))
    assert told.startswith("u = ") and told.endswith("vectors have dimension 1")
    values = _found(header, "norm(g(1, u)) + b(2, 1, 1, 1) <= -1").values
    assert {"g(k, y)", "b(k, j, i, k_0)"} <= values.keys()
    assert not {"y", "z"} & set(values["b(k, j, i, k_0)"]) and "k" not in values["g(k, y)"]


def _decided(header, claim, proof="1 <= 1", seconds=10.0, **more):
    elaboration, known = made(header, proof)
    statement = replace(elaboration.statement, claims=(Fact(claim),), concludes=(), **more)
    return statement, decide_statement(statement, known.__getitem__, seconds, 0.0)


CALLED = RECURSION.replace("w[t + 1]", "w(t + 1)").replace("w[t]", "w(t)").replace("w[0]", "w(0)")
PAIRS = [  # what a statement says, a claim that is true, one that is false
    (RECURSION, "at(w, T) <= (1 - q)**T + c/q", "at(w, T) <= (1 - q)**T + c/(2*q)"),
    (CALLED, "w(T) <= (1 - q)**T + c/q", "w(T) <= (1 - q)**T + c/(2*q)"),
    (MARKOV, "P(X >= a) <= 1/a", "P(X >= a) <= 1/(2*a)"),
    (GAP, "at(v, n) <= at(v, 1)", "at(v, n) <= at(v, 0)"),
    (SGD, "E(norm(y - z)**2) <= norm(x - z)**2 - 2*h*(f(x) - f(z)) + h**2*s**2",
     "E(norm(y - z)**2) <= norm(x - z)**2 - 2*h*(f(x) - f(z)) + h**2*s**2/2"),
    (POLYAK, "norm(y - z)**2 <= norm(x - z)**2 - (f(x) - f(z))**2/G**2",
     "norm(y - z)**2 <= norm(x - z)**2 - 2*(f(x) - f(z))**2/G**2"),
    (ZYGMUND, "P(Z > q*E(Z)) >= (1 - q)**2*E(Z)**2/E(Z**2)", "P(Z > q*E(Z)) >= (1 - q)*E(Z)**2/E(Z**2)"),
    (AVERAGE, "E(at(m, T)**2) <= (1 - b)*s**2/(1 + b)", "E(at(m, T)**2) <= (1 - b)**2*s**2/(1 + b)"),
    (WALK, "E((at(d, T) - b)**2) <= c - b**2", "E((at(d, T) - b)**2) <= (c - b**2)/2"),
]  # fmt: skip


@pytest.mark.parametrize(("header", "true", "false"), PAIRS)
def test_a_statement_whose_claim_is_false_in_a_small_world_is_refuted_by_it(header, true, false):
    """The witness alone shows it again, and shows nothing against the claim that is true."""
    statement, found = _decided(header, false)
    assert found.status is Status.REFUTED and found.method == "world" and false in found.reason
    again = refuted(statement, found.witness)
    assert again.status is Status.REFUTED and again.witness == found.witness
    statement, other = _decided(header, true, seconds=2.0)
    assert other.status is Status.UNDECIDED and refuted(statement, found.witness).status is Status.UNDECIDED


def test_what_is_taken_from_the_literature_is_refuted_where_it_is_false():
    """Half of what Markov's inequality says; as it is, nothing is found."""
    assert _decided(MARKOV, "P(X >= a) <= 1/(2*a)", literature="Markov 1884")[1].status is Status.REFUTED
    assert _decided(MARKOV, "P(X >= a) <= 1/a", literature="Markov 1884")[1].status is Status.CITED


def test_a_world_of_which_a_value_is_changed_refutes_nothing():
    statement, found = _decided(GAP, "at(v, n) <= at(v, 0)")
    assert EQUALITY in found.witness.values() and "falls with equality" in witness_text(found.witness)
    for name in found.witness:
        assert refuted(statement, found.witness | {name: "oops("}).status is Status.UNDECIDED
    less = {name: text for name, text in found.witness.items() if text != EQUALITY}
    assert refuted(statement, less).status is Status.UNDECIDED


def test_only_a_bound_among_the_hypotheses_holds_with_equality():
    elaboration, _ = made(head('X = "real"', 'strict = "X < 1", bound = "X <= 1"'), "1 <= 1")
    statement = replace(elaboration.statement, claims=(Fact("X <= 0"),))
    assert refuted(statement, {"bound": EQUALITY}).status is Status.UNDECIDED  # X == 1 breaks the other
    for name in ("strict", "X", "nothing"):
        assert "no hypothesis with <= or >=" in refuted(statement, {"X": "1/2", name: EQUALITY}).reason
    assert refuted(statement, {"X": "1/2"}).status is Status.REFUTED
    bound = replace(statement, hypotheses={"bound": statement.hypotheses["bound"]})
    assert refuted(bound, {"bound": EQUALITY}).status is Status.REFUTED


def test_a_value_speaks_of_signs_whatever_the_statement_calls_w():
    header = head('w = "integer -> real", X = "random real"', 'first = "w(1) == 5", mean = "E(X) == 0"')
    elaboration, _ = made(header, "1 <= 1")

    def asked(claim, world):
        return refuted(replace(elaboration.statement, claims=(Fact(claim),)), world).status

    assert asked("E(X**2) <= 1/2", {"w(k)": "5*k", "X": "w(1)"}) is Status.REFUTED
    assert asked("E(X**2) <= 1", {"w(k)": "5*k", "X": "w(1)"}) is Status.UNDECIDED
    assert asked("w(2) <= 9", {"w(k)": "5*k", "X": "w(1)"}) is Status.REFUTED
    assert asked("w(2) <= 9", {"w(k)": "w(k)", "X": "w(1)"}) is Status.UNDECIDED  # no number, and not 5 at 1


def _as_statement(rule):
    """A rule schema as the statement that it is, None where it says more than facts about its names."""
    special = rule.implies or rule.converges or rule.only or rule.derived
    metas = rule.metas.values()
    if special or any(m.on or m.bound or m.end or m.sort.kind in ("quantity", "source") for m in metas):
        return None
    said = [
        *(f"integrable({x}) == 1" for x in rule.integrable),
        *(f"measurable({x}, {h}) == 1" for x, h in rule.measurable),
    ]
    facts = [*rule.premises, *rule.sides, *map(Fact, said)]
    hypotheses = {f"h{n}": fact for n, fact in enumerate(facts)}
    declares = {name: str(meta.sort) for name, meta in rule.metas.items()}
    return Statement("a", "t", "lemma", "p", "text", (), hypotheses, (Fact(rule.conclusion),), declares=declares)


@pytest.mark.thorough
def test_no_world_breaks_a_rule_and_one_breaks_an_equation_that_is_off_by_one():
    """The rules and the worlds share no code that says what E, P or independence mean."""
    statements = {name: found for name, rule in RULES.items() if (found := _as_statement(rule))}
    for name, statement in statements.items():
        assert broken_claim(statement, 0.1) is None, name
        r = Fact(RULES[name].conclusion).relation
        if r.op == "==" and not statement.hypotheses and not any(n.binds for n in r.walk()):
            off = replace(statement, claims=(Fact(f"{r.lhs} == {r.rhs} - 1"),))
            assert broken_claim(off, SECONDS) is not None, name


def test_a_definition_stands_in_the_way_of_what_speaks_of_it_alone():
    """log(v[t]) has no value for all t: what h is cannot be told of every t, and nothing else needs it."""
    lines = "height: h[t] == log(v[t]) for integer t  exactly definition\n"
    [told], [not_told] = (made(GAP, lines + line)[0].faults for line in ("v[n] <= v[0]", "h[n] <= v[0]"))
    assert "it is false where" in told.fault and "height" not in told.fault
    assert "false" not in not_told.fault


@pytest.mark.parametrize(("kind", "status"), [("assumption", Status.UNDECIDED), ("lemma", Status.REFUTED)])
def test_what_rests_on_an_assumption_that_is_cited_is_not_refuted(kind, status):
    """The assumption that x <= 1 is not among the hypotheses, and no world meets it of itself."""
    told = made(head('x = "real"', ""), "1 <= 1")[0].statement
    assumed = replace(told, label="ass:own", kind=kind, claims=(Fact("x <= 1"),), steps=())
    steps = (Step(Fact("x <= 1"), Cite("ass:own")), Step(Fact("x <= 2"), Decide()))
    statement = replace(told, claims=(Fact("x <= 2"),), steps=steps, concludes=())
    assert decide_statement(statement, {"ass:own": assumed}.__getitem__, 10.0, 0.0).status is status


@pytest.mark.parametrize("line", ["x <= 0  by ass:first", "x <= 1/2  by ass:first"])
@pytest.mark.parametrize(("kind", "status"), [("assumption", Status.UNDECIDED), ("lemma", Status.REFUTED)])
def test_a_line_whose_citation_is_not_accepted_rests_on_it(line, kind, status):
    """The line is open, and a large x breaks it: no refutation where what is cited is assumed."""
    first = head('x = "real"', "", claims='"x <= 1"').replace("lem:own", "ass:first") + f'\nkind = "{kind}"'
    found, known = made("\n".join((first, head('x = "real"', "", claims='"x <= 0"'))), line)
    assert decide_statement(found.statement, known.__getitem__, 10.0, 0.0).status is status


def test_a_line_that_cites_what_is_not_known_is_not_refuted():
    """What is called lem:nowhere may be an assumption."""
    found, known = made(head('x = "real"', "", claims='"x <= 2"'), "x <= 1  by lem:nowhere")
    assert decide_statement(found.statement, known.__getitem__, 10.0, 0.0).status is Status.UNDECIDED


def test_a_hypothesis_may_be_called_as_a_step_is():
    """The first step is a definition, and the hypothesis of its name says that v[0] <= 0."""
    header = head('v = "integer -> real"', '"step 1" = "v[0] <= 0"')
    told = made(header, "height: h[t] == 2*v[t] for integer t  exactly definition")[0].statement
    assert adapter.false_where(told, Fact("at(h, 0) <= 0"), SECONDS) == ""
    assert adapter.false_where(told, Fact("at(h, 0) <= -1"), SECONDS)


def test_a_world_is_worked_out_in_its_time():
    statement, found = _decided(GAP, "at(v, n) <= at(v, 0)")
    with budget(0.0):
        late = refuted(statement, found.witness)
    assert late.status is Status.UNDECIDED and "the time is over" in late.reason


def test_a_mean_over_many_pieces_looks_at_the_clock():
    assert list(pieces(None, num(1), None, 0, 1)) == [(num(1), 0, 1)]
    with budget(0.0), pytest.raises(Unknown, match="the time is over"):
        list(pieces(None, num(1), None, 0, 1))


def test_what_was_found_without_time_is_not_remembered():
    asked = [Relation(">=", var("x"), num(0))], "x", Fraction(7, 3), False, {}
    with budget(0.0):
        assert not _fits(*asked)
    assert _fits(*asked)
