"""What a step demands is worked out in time that grows like a power of the length of its text, whatever it says.

So a hostile certificate cannot keep `verify` busy. Counted are calls of functions, not seconds.
"""

import sys
from dataclasses import replace
from itertools import pairwise

import pytest
from holes import lemma
from slow import thinned

from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.statement import Decide, Fact, Follows, Parameter, Step

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
    "norm(g(@*x) + y)", "E(abs(X - @)**2)", "f(@)/f(#)",
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


@pytest.mark.parametrize(("term", "place"), thinned([(t, p) for t in TERMS for p in PLACES], 3))
def test_what_a_term_demands_grows_slowly_with_it(term, place):
    def made(n):
        fact, hypotheses, by = PLACES[place](TERMS[term](n))
        return lemma(fact.claim, [Step(fact, by)], DECLARES | {"b": "real"}, hypotheses)

    counts = grows(made, (6, 12, 24))
    assert slowly(counts), counts


@pytest.mark.parametrize("condition", CONDITIONS)
def test_what_conditions_demand_grows_slowly_with_their_number(condition):
    counts = grows(lambda n: with_conditions(condition, n), (6, 12, 24))
    assert slowly(counts), counts


def test_what_doubles_with_each_term_is_told_from_it():
    def doubling(n):
        return doubling(n - 1) + doubling(n - 1) if n else 1

    assert not slowly([calls(lambda n=n: doubling(n)) for n in (6, 12, 24)])
    assert slowly([calls(lambda n=n: [str(k) for k in range(n**3)] and sum(map(abs, range(n)))) for n in (6, 12, 24)])
