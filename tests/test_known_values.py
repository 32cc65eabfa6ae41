"""Values from the table, arcs, turned integrals, limits by their terms: each with twins that must be refused."""

from fractions import Fraction

import pytest
from mpmath import mp
from slow import thinned

from boundcheck.arith import mp as arithmetic
from boundcheck.decide import decide
from boundcheck.decide.certificates import make
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.check.binder_rules import binder, vanishing
from boundcheck.kernel.check.known_values import KNOWN
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, Sequent
from boundcheck.kernel.formula import num, parse, parse_relation
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

#: entry -> values of its letters
LETTERS = {
    "gamma": {"a": "3/2", "c": "2", "k": "3"},
    "gauss": {"a": "5", "c": "1/3", "k": "2"},
    "beta": {"a": "1/2", "b": "5/3"},
    "beta prime": {"a": "3/4", "b": "2"},
    "exponential": {"a": "-7/3"},
    "logarithm": {"a": "-4/5"},
    "zeta(2)": {},
    "zeta(4)": {},
}


def sequent(where: str, goal: str, integers: str = "") -> Sequent:
    hyps = tuple(parse_relation(h) for h in where.split("; ") if h)
    return Sequent(hyps, parse_relation(goal), frozenset(integers.split()))


@pytest.mark.parametrize("entry", KNOWN)
def test_the_table_agrees_with_quadrature_and_summation(entry):
    known, letters = KNOWN[entry], {k: Fraction(v) for k, v in LETTERS[entry].items()}
    body, value = parse(known.body), parse(known.value)
    places = {"0": 0, "1": 1, "oo": mp.inf, "-oo": -mp.inf}
    low, high = places[known.low], places[known.high]
    if known.head == "sum":
        found = mp.nsum(
            lambda k: arithmetic.evaluate(body, {**letters, "t": Fraction(int(k))}, 60, {"t"}), [low, high]
        )
    else:
        middle = [x for x in (0, 0.5, 1) if low < x < high]
        found = mp.quad(lambda t: arithmetic.evaluate(body, {**letters, "t": t}, 30), [low, *middle, high])
    assert abs(found - arithmetic.evaluate(value, letters, 30)) < mp.mpf(10) ** -8


GAMMA = {"entry": "gamma", "of": {"a": "s", "c": "c", "k": "1", "factor": "1"}}


def known_node(term: str, **changes):
    return {"rule": "known", "term": term, "new": "u0_", **GAMMA, **changes}


def test_the_conditions_of_an_entry_are_left_to_be_proved():
    term = "integral(t**(s - 1)*exp(-c*t), t, 0, oo)"
    goal = f"{term} == gamma(s)*c**(-s)"
    assert {"s > 0", "c > 0"} <= {str(s.goal) for s in refine(known_node(term), sequent("", goal))}
    shown = refine(known_node(term), sequent("s > 0; c > 0", goal))
    assert not {"s > 0", "c > 0"} & {str(s.goal) for s in shown}


def test_a_letter_may_speak_of_all_variables():
    goal = "integral(s*c*(t**(s - 1)*exp(-c*t)), t, 0, oo) == s*c*gamma(s)*c**(-s)"
    node = known_node("integral(s*c*(t**(s - 1)*exp(-c*t)), t, 0, oo)", of={**GAMMA["of"], "factor": "s*c"})
    assert "s*c*(gamma(s/1)*c**(-s/1)/1) == " in str(refine(node, sequent("s > 0; c > 0", goal))[-1].goal)


@pytest.mark.parametrize("factor", ["1", "c"])
def test_a_power_of_the_table_that_numbers_make_zero_is_one_everywhere(factor):
    """abs(t)**(a - 1) at a == 1 is abs(t)**0, at t = 0 too: the body is the entry's by its form, with no cases."""
    body = "exp(-t**2/2)" if factor == "1" else f"{factor}*exp(-t**2/2)"
    term = f"integral({body}, t, -oo, oo)"
    node = {"rule": "known", "term": term, "new": "u0_", "entry": "gauss"}
    node |= {"of": {"a": "1", "c": "1/2", "k": "2", "factor": factor}}
    left = refine(node, sequent("", f"{term} == {factor}*sqrt(2*pi)"))
    for s in left[-2:]:  # that the body is the entry's, and the claim with the value put in
        assert not refine({"rule": "identity"}, s)
    for wrong in ({"a": "2"}, {"c": "1"}, {"k": "1"}):
        left = refine({**node, "of": {**node["of"], **wrong}}, sequent("", f"{term} == {factor}*sqrt(2*pi)"))
        with pytest.raises(Refused):
            refine({"rule": "identity"}, left[-2])


def test_a_sum_of_the_table_is_no_integral():
    """Both go from 0 to oo; the integral of a**t/gamma(t + 1) is another number (0.4517... below e at a = 1)."""
    letters = {"entry": "exponential", "of": {"a": "c", "factor": "1"}}
    for head, fits in (("sum", True), ("integral", False)):
        term = f"{head}(c**t/gamma(t + 1), t, 0, oo)"
        node, seq = known_node(term, **letters), sequent("c > 0", f"{term} == exp(c)")
        if fits:
            assert refine(node, seq)
        else:
            with pytest.raises(Refused):
                refine(node, seq)


@pytest.mark.parametrize(
    "changes",
    [
        {"entry": "delta"},
        {"entry": 3},
        {"of": {"a": "s", "c": "c", "k": "1"}},
        {"of": {"a": "s", "c": "c", "k": "1", "factor": "1", "b": "1"}},
        {"of": {"a": "s", "c": "c", "k": "1", "factor": "u0_"}},
        {"of": {"a": "s", "c": "c", "k": "1", "factor": "integral(t, t, 0, 1)"}},
        {"of": {"a": "s", "c": "c", "k": "1", "factor": "z"}},
        {"of": None},
        {"entry": "gauss"},
        {"new": "s"},
    ],
)
def test_an_entry_that_does_not_fit_is_refused(changes):
    seq = sequent("s > 0; c > 0", "integral(t**(s - 1)*exp(-c*t), t, 0, oo) == gamma(s)*c**(-s)")
    assert refine(known_node("integral(t**(s - 1)*exp(-c*t), t, 0, oo)"), seq)
    with pytest.raises(Refused):
        refine(known_node("integral(t**(s - 1)*exp(-c*t), t, 0, oo)", **changes), seq)


@pytest.mark.parametrize(
    ("claim", "where"),
    thinned(
        [
            ("integral(t**(s - 1)*exp(-c*t), t, 0, oo) == gamma(s)*c**s", ("s > 0", "c > 0")),
            ("integral(t**(s - 1)*exp(-c*t), t, 0, oo) == gamma(s)*c**(-s)", ("s >= 0", "c > 0")),
            ("integral(t**(s - 1)*exp(-c*t), t, 0, oo) == gamma(s)*c**(-s)", ("s > 0", "c >= 0")),
            ("integral(exp(-c*t**2), t, 0, oo) == sqrt(pi/c)", ("c > 0",)),
            ("integral(t**3*exp(-t**2), t, -oo, oo) == 1", ()),
            ("sum(x**k/gamma(k + 1), k, 0, oo) == exp(-x)", ("x > 0",)),
            ("sum(x**k/k, k, 1, oo) == -log(1 - x)", ("x >= -1", "x <= 1")),
            ("sum(x**k/k, k, 1, oo) == log(1 - x)", ("x > 0", "x < 1")),
        ],
        2,
    ),
)
def test_false_values_are_not_proved(claim, where):
    assert decide(Claim.read(claim, where), 0.3).status is not Status.PROVED


def test_a_certificate_with_another_entry_or_letter_is_refused():
    about = Claim.read(
        "integral(t**(a - 1)*(1 - t)**(b - 1), t, 0, 1) == gamma(a)*gamma(b)/gamma(a + b)", ("a > 0", "b > 0")
    )
    found = decide(about, 5.0)
    assert found.status is Status.PROVED and verify(found.certificate, about).valid
    proofs = found.certificate["proofs"]

    def changed(node):
        """Every node of the rule with its letters exchanged."""
        node = {**node, "then": [changed(n) for n in node.get("then", [])]}
        if node["rule"] != "known":
            return node
        return {**node, "of": {**node["of"], "a": node["of"]["b"], "b": node["of"]["a"]}}

    assert not verify(make(about, [changed(n) for n in proofs]), about).valid


# ---------------------------------------------------------------- arcs


def arc(term: str, is_: str):
    return {"rule": "arc", "term": term, "is": is_}


@pytest.mark.parametrize(
    ("where", "term", "is_"),
    [
        ("x >= 0; x <= 2", "asin(sin(x))", "x"),  # beyond pi/2
        ("x >= -1; x <= 1", "acos(cos(x))", "x"),  # below 0
        ("x >= 0; x <= 1", "asin(sin(x))", "pi - x"),  # the right sine, another branch
        ("x >= 0; x <= 1", "atan(x)", "x"),
    ],
)
def test_an_arc_on_another_branch_is_not_proved(where, term, is_):
    seq = sequent(where, f"{term} == {is_}")
    conditions = refine(arc(term, is_), seq)[:-1]
    found = [decide(Claim("a condition", (c.goal,), c.hyps), 1.0).status for c in conditions]
    assert any(status is not Status.PROVED for status in found)


@pytest.mark.parametrize("node", [arc("sin(x)", "x"), arc("asin(x)", "z"), arc("asin(z)", "x"), {"rule": "arc"}])
def test_an_arc_of_something_else_is_refused(node):
    with pytest.raises(Refused):
        refine(node, sequent("x >= 0", "sin(x) <= asin(x)"))


# ---------------------------------------------------------------- turned about, limits by terms


def test_only_integrals_are_turned_about():
    seq = sequent("", "integral(t, t, x, y) == sum(k, k, 1, 3)")
    (left,) = refine({"rule": "reverse", "term": "integral(t, t, x, y)"}, seq)
    assert str(left.goal) == "-integral(t, t, y, x) == sum(k, k, 1, 3)"
    for term in ("sum(k, k, 1, 3)", "integral(t, t, x, z)", "x"):
        with pytest.raises(Refused):
            refine({"rule": "reverse", "term": term}, seq)


TAIL = "integral(t**(-p), t, a, oo)"


@pytest.mark.parametrize(
    ("gap", "conditions"),
    [
        ("t**(1 - p)", ["1 - p < 0"]),
        ("c*t**(-2)", ["-2 < 0"]),
        ("c", ["0 < 0"]),
        ("t**(-p) + c", ["-p < 0", "0 < 0"]),
        ("t**5*exp(-c*t)", ["-c < 0"]),
        ("exp(c*t)/t", ["c < 0"]),
        ("2**(-t)", ["-1 < 0"]),
        ("c**t", ["abs(c) < 1", "1 > 0"]),
        ("t*exp(-t)*2**t", ["-1 < 0", "1 < 0"]),
    ],
)
def test_what_makes_a_term_vanish_at_infinity(gap, conditions):
    seq = sequent("p > 1; a > 0", f"{TAIL} == c", "")
    b = binder({"term": TAIL, "new": "t"}, seq)
    assert sorted(str(r) for r in vanishing(b, parse(gap), None, -1)) == sorted(
        str(parse_relation(c)) for c in conditions
    )


OTHER = [
    "exp(-t*sin(t))",
    "c**(t**2)",
    "log(t)/t",
    "sin(t)/t",
    "1/(1 + t)",
    "exp(-t**c)",
    "exp(t - t**2)",
    "t**t",
    "exp(-1/t)/t",
]


@pytest.mark.parametrize("gap", OTHER)
def test_other_terms_are_left_to_expansions(gap):
    seq = sequent("p > 1; a > 0", f"{TAIL} == c", "")
    with pytest.raises(Refused):
        vanishing(binder({"term": TAIL, "new": "t"}, seq), parse(gap), None, -1)


def test_limits_by_terms_are_at_infinity_or_at_zero_from_above():
    seq = sequent("p > 1; a > 0", f"{TAIL} == c", "")
    b = binder({"term": TAIL, "new": "t"}, seq)
    assert [str(r) for r in vanishing(b, parse("t**p"), num(0), 1)] == ["p > 0"]
    for end, side in ((num(0), -1), (num(1), 1), (parse("a"), 1), (None, 1)):
        with pytest.raises(Refused):
            vanishing(b, parse("t**p"), end, side)
    with pytest.raises(Refused):
        vanishing(b, parse("exp(-1/t)"), num(0), 1)


def test_a_sum_is_closed_at_the_value_of_its_first_end_and_not_at_a_limit():
    """0**k is 1 at k = 0, and tends to 0 from above."""
    term = "sum(q**k, k, 0, oo)"
    seq = sequent("0 < q; q < 1", f"{term} == 1/(1 - q)")
    b = binder({"term": term, "new": "t"}, seq)
    assert vanishing(b, parse("q**t"), None, -1)
    with pytest.raises(Refused):
        vanishing(b, parse("t**2"), num(0), 1)
    for end, side in ((num(1), 1), (num(0), -1), (None, 1)):  # at 1, at 0 from below, at -oo
        with pytest.raises(Refused):
            vanishing(b, parse("t**p"), end, side)
    with pytest.raises(Refused):  # a sum has no place between 0 and 1
        vanishing(binder({"term": "sum(k, k, 0, oo)", "new": "t"}, seq), parse("t**p"), num(0), 1)
