"""What a step demands is worked out in time that grows like a power of the length of its text, whatever it says.

So a hostile certificate cannot keep `verify` busy. Counted are calls of functions, not seconds.
"""

import sys
from contextlib import suppress
from dataclasses import replace
from itertools import pairwise

import pytest
from holes import lemma
from slow import apart, thinned

from boundcheck.claims import as_claim
from boundcheck.decide.certificates import make
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.proof.order import Order
from boundcheck.kernel.proof.scalar_claims import MAX_LONGER
from boundcheck.kernel.proof.sorts import REAL, Sort
from boundcheck.kernel.rate import Rate, RateError, expand
from boundcheck.kernel.statement import ByRule, Decide, Definition, Fact, Follows, Parameter, Step

MOST = 12  #: times the calls for twice the length, which is n**3.6
LITTLE = 1_000_000  #: calls, of about a second, that a text may take in any case: so much does a limit of size allow
ENOUGH = 3_000_000  #: calls after which nobody waits
DECLARES = {
    "f": "real -> real", "g": "vector -> vector", "x": "vector", "y": "vector", "b": "real", "c": "real",
    "X": "random real", "Y": "random real", "H": "information", "A": "event", "m": "integer",
}  # fmt: skip


class TooMuch(Exception):
    """More calls than anybody waits for."""


def calls(run):
    """How many Python functions are called."""
    count = 0

    def note(frame, event, arg):
        nonlocal count
        count += event == "call"
        if count > ENOUGH:
            raise TooMuch

    sys.setprofile(note)
    try:
        run()
    except TooMuch:
        pass
    finally:
        sys.setprofile(None)
    return count


def nested(first, around, n):
    term = first
    for k in range(n):
        term = around.replace("@", f"({term})").replace("#", str(k))
    return term


def indices(around, n):
    """Sums inside of each other, each up to the index of the next one."""
    term = "f(1/k0)"
    for k in range(n):
        term = around.replace("@", term).replace("#", f"k{k}").replace("n", f"k{k + 1}" if k < n - 1 else "m")
    return term


NESTED = [
    "f(1/@)", "1/(1 + @)", "sqrt(@)", "log(1 + b*@)", "b**@", "@**b", "(@ + 1)**b", "(@ + 1)*(b + #)", "(@)**2 + b",
    "norm(@*x)", "dot(@*x, x + y)", "P(X > @)", "E(X*@)", "Egiven(Y*@, H)", "E(ind(X > @))", "min(@, b + #)",
    "max(1/@, b + #)", "abs(@ - b)", "clip(@, b)", "gamma(@)", "P(both(complement(X > @), A))", "f(@ + f(#))",
    "norm(g(@*x) + y)", "E(abs(X - @)**2)", "f(@)/f(#)", "clip(b, @)", "(f(@) + b)**2 + c", "abs(@ + 1)**2 + b",
    "(1/(@ + b))**2 + c", "(norm(@*x) + b)**2 + c", "(ind(X > @) + Y)**2 + X", "E((X*@ + Y)**2)",
]  # fmt: skip
LINED_UP = [
    ("*", "(f(#) + 1)"), ("*", "abs(f(#) + 1)**2"), ("*", "(f(#) + c)"), ("*", "1/(f(#) + 1)"), ("+", "1/(f(#) + 1)"),
    ("+", "abs(f(#) - b)"), ("+", "sqrt(f(#))"), ("+", "sqrt(# + 2)"), ("+", "E(X*f(#))"), ("*", "exp(f(#)/(1 + c))"),
]  # fmt: skip
INDEXED = ["sum(@, #, 1, n)", "f(sum(@, #, 1, n))", "most(@, #, 1, n)", "E(X*sum(@, #, 1, n))"]
TERMS = {
    **{a: lambda n, a=a: nested("c", a, n) for a in NESTED},
    **{f"{op} {a}": lambda n, op=op, a=a: op.join(a.replace("#", str(k)) for k in range(n)) for op, a in LINED_UP},
    **{a: lambda n, a=a: indices(a, n) for a in INDEXED},
}
PLACES = {
    "claim": lambda t: (Fact(f"{t} <= {t} + 1"), {}, Decide()),
    "fact": lambda t: (Fact(f"{t} <= c + 1"), {"h": Fact(f"{t} <= c")}, Follows(("h",))),
    "condition": lambda t: ((said := Fact("c <= 1", (), (f"{t} <= c",))), {"h": said}, Follows(("h",))),
}  # fmt: skip
CONDITIONS = [
    "f(1/(b + #)) <= c", "E(X*#/b) <= 1/(b + #)", "f(1/(q#**2 + 1)) <= q#", "sum(f(1/k), k, 1, # + 1) <= c",
    "most(f(1/k), k, 1, # + 1) <= c", "P(X > 1/(b + #)) <= c", "sqrt(b + #) <= c/b",
]  # fmt: skip


#: each gives a name, or a term, a value in which the one before it stands twice
EQUATIONS = [
    "q(# + 1) == (q# + 1)*(q# + 2)", "q(# + 1) == q#*q#", "f(# + 1) == (f(#) + c)*(f(#) + b)",
    "q(# + 1)**c == q#**c*(q#**c + 2)", "f(# + 1)*f(c) == f(f(#)*f(c))*f(#)*f(c)",
]  # fmt: skip


def equated(n, equation, backwards):
    texts = [equation.replace("q(# + 1)", f"q{k + 1}").replace("#", str(k)) for k in range(n)]
    return [Fact(t) for t in (texts[::-1] if backwards else texts)]


def by_facts(n, equation, backwards):
    hypotheses = {f"h{k}": fact for k, fact in enumerate(equated(n, equation, backwards))}
    step = Step(Fact("f(0) + q0 <= 1"), Follows(tuple(hypotheses)))
    return lemma("0 == 0", [step], DECLARES | {f"q{k}": "real" for k in range(n + 1)}, hypotheses)


def by_definitions(n, equation, backwards):
    steps = [Step(fact, Definition()) for fact in equated(n, equation, False)]
    used = tuple(range(1, n + 1))
    end = Step(Fact(f"q{n} >= 1"), Follows(used[::-1] if backwards else used))
    return lemma("0 == 0", [*steps, end], DECLARES | {"q0": "real"})


def with_conditions(condition, n):
    conditions = tuple(condition.replace("#", str(k)) for k in range(n))
    fact = Fact("c <= 1", tuple(f"q{k}" for k in range(n)) if "q#" in condition else (), conditions)
    made = lemma("0 == 0", [Step(fact, Follows(("h",)))], DECLARES, {"h": fact})
    return replace(made, parameters=(Parameter("b", "", ("b >= 1",)),), claims=(fact,))


def worked_out(statement):
    def run():
        for number, step in enumerate([*statement.steps, *conclusion_steps(statement)], 1):
            try:
                obligations(statement, number, step, {}.__getitem__)
            except ProofError:
                return

    return run


def grows(made, sizes):
    """The calls for a statement of each size."""
    return [calls(worked_out(made(n))) for n in sizes]


def slowly(counts):
    return all(late <= max(MOST * early, LITTLE) and late < ENOUGH for early, late in pairwise(counts))


@pytest.mark.parametrize(("term", "place"), thinned([(t, p) for t in TERMS for p in PLACES], 7))
def test_what_a_term_demands_grows_slowly_with_it(term, place):
    def made(n):
        fact, hypotheses, by = PLACES[place](TERMS[term](n))
        return lemma(fact.claim, [Step(fact, by)], DECLARES | {"b": "real"}, hypotheses)

    counts = grows(made, (6, 12, 24))
    assert slowly(counts), counts


@pytest.mark.parametrize("condition", apart(CONDITIONS, "E(X*#/b) <= 1/(b + #)"))
def test_what_conditions_demand_grows_slowly_with_their_number(condition):
    counts = grows(lambda n: with_conditions(condition, n), (6, 12, 24))
    assert slowly(counts), counts


@pytest.mark.parametrize(("equation", "backwards"), thinned([(e, b) for b in (False, True) for e in EQUATIONS], 2))
def test_what_equations_demand_grows_slowly_with_their_number(equation, backwards):
    counts = grows(lambda n: by_facts(n, equation, backwards), (6, 12, 24))
    assert counts[1] < ENOUGH and slowly(counts[1:]), counts
    if equation.startswith("q") and "**" not in equation:
        counts = grows(lambda n: by_definitions(n, equation, backwards), (6, 12, 24))
        assert counts[1] < ENOUGH and slowly(counts[1:]), counts


def test_an_equation_is_put_in_where_all_stays_short_and_kept_where_not():
    def demands(n):
        statement = by_facts(n, EQUATIONS[0], False)
        step = Step(Fact(f"q{n} >= 1"), Follows(tuple(statement.hypotheses)))
        [wanted] = obligations(replace(statement, steps=(step,)), 1, step, {}.__getitem__)
        return wanted.claim

    assert demands(3).variables == ("q0",) and not demands(3).where
    assert demands(24).variables != ("q0",) and {r.op for r in demands(24).where} == {"=="}
    assert all(side.size <= 2 * MAX_LONGER for r in (*demands(24).claim, *demands(24).where) for side in r.sides)


def test_what_doubles_with_each_term_is_told_from_it():
    def doubling(n):
        return doubling(n - 1) + doubling(n - 1) if n else 1

    assert not slowly([calls(lambda n=n: doubling(n)) for n in (6, 12, 24)])
    assert slowly([calls(lambda n=n: [str(k) for k in range(n**3)] and sum(map(abs, range(n)))) for n in (6, 12, 24)])


def bounds(n):
    """Each of n numbers is bounded by each of n others, three times over; none of them is shown to be integrable."""
    names = [["X"], *([f"{letter}{k}" for k in range(n)] for letter in "UVW")]
    said = {f"{a} {b}": Fact(f"abs({a}) <= {b}") for here, above in pairwise(names) for a in here for b in above}
    return said, {x: "random real" for part in names for x in part}, "X"


def members(n):
    """A sum of n members of a family, of which a fact speaks for all values of a name, in another order of places."""
    term, pattern = (" + ".join(f"U({part.replace('#', str(k))})" for k in range(n)) for part in ("c#", "#*t + #"))
    names = {"U": "real -> random real", **{f"c{k}": "real" for k in range(n)}}
    return {"all": Fact(f"{pattern} <= 1", ("t",))}, names, term


@pytest.mark.parametrize(("made", "sizes"), [(bounds, (4, 8, 16)), (members, (8, 16, 32))])
def test_what_shows_that_a_mean_exists_is_looked_at_once(made, sizes):
    def asked(n):
        said, names, term = made(n)
        by = ByRule("expectation monotone", {"X": term, "Y": "Y"}, ("below",))
        step = Step(Fact(f"E({term}) <= E(Y)"), by)
        told = lemma("0 == 0", (step,), {**DECLARES, **names}, {**said, "below": Fact(f"{term} <= Y")})

        def run():
            with pytest.raises(ProofError, match="nothing shows that"):
                obligations(told, 1, step, {}.__getitem__)

        return run

    counts = [calls(asked(n)) for n in sizes]
    assert slowly(counts), counts


@pytest.mark.parametrize("turn", ("x# <= x0 + 1", "x# <= x0 - 1"), ids=("consistent", "contradictory"))
def test_chains_of_comparisons_are_followed_once(turn):
    """n comparisons, told last first, and n conditions; where they contradict each other a chain has no end."""

    def asked(n):
        said = [f"x{k} <= x{k + 1}" for k in reversed(range(n))] + [turn.replace("#", str(n))]
        names = {f"x{k}": Sort(REAL) for k in range(n + 1)}

        def run():
            order = Order(map(parse_relation, said), names)
            assert all(order.gives(parse_relation(f"x0 <= x{k}")) for k in range(n + 1))
            assert order.gives(parse_relation(f"x{n} < x0")) is (turn == "x# <= x0 - 1")

        return run

    counts = [calls(asked(n)) for n in (25, 50, 100, 200)]
    assert slowly(counts), counts


def put_in(n, times):
    """A certificate that puts y0/times + ... for x, y1/times + ... for y0, and so on, n times."""
    node = {"rule": "hypothesis"}
    for k in reversed(range(n)):
        old, new = f"y{k - 1}" if k else "x", f"y{k}"
        by = " + ".join([f"{new}/{times}"] * times)
        node = {"rule": "substitute", "var": old, "new": new, "by": by, "inverse": old, "then": [node]}
    return make(as_claim("x >= 0", ["x >= 1"]), [node])


def test_a_goal_of_a_certificate_does_not_become_longer_than_a_text_may_be():
    counts = [calls(lambda n=n: verify(put_in(n, 200), None, 1.0)) for n in (3, 12)]
    assert slowly(counts), counts
    assert "longer" in verify(put_in(3, 200)).reason and "hypotheses" in verify(put_in(3, 2)).reason


METHODS = [
    "x#+ = x# + a*(x# - f'(x#))", "x#+ = norm(x#)**2*x#", "x#+ = x# - a*x#", "s#+ = s#*(s# + 1)", "s#+ = s#/(s# + 1)",
    "s#+ = max(s#, s#**2)", "s#+ = (1 + sqrt(1 + 4*s#**2))/2", "x#+ = x# - a*f'(x#+)",
]  # fmt: skip


@pytest.mark.parametrize("line", apart(METHODS, "x#+ = x# - a*f'(x#+)"))
def test_what_a_method_demands_grows_slowly_with_its_lines(line):
    def expanded(n):
        lines = [line.replace("#+", str(k + 1)).replace("#", str(k)) for k in range(n)]
        claim = f"norm(x{n})**2 >= 0" if line.startswith("x") else f"s{n}*norm(x0)**2 >= 0"
        rate = Rate("r", {"f": "smooth_convex(1)"}, ("x0",), claim, tuple(lines), (), ("s0 >= 1", "a >= 1"))

        def run():
            with suppress(RateError):
                expand(rate)

        return run

    counts = [calls(expanded(n)) for n in (6, 12, 24)]
    assert slowly(counts), counts
