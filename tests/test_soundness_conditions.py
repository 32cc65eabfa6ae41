"""Attacks on what holds only where something else does: a law under a condition on its variable, a bound name.

Each false statement here was PROVED before what it abuses was mended; its twin without the abuse still is.
"""

import pytest
from false_proofs import statement

from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.check.statement_certificate import verify_statement
from boundcheck.kernel.statement import ByRule, Cite, Decide, Definition, Fact, Follows, Step, Use
from boundcheck.verdict import Status

BELOW = Step(Fact("X <= 1", (), ("X <= 1",)), Follows(()))
ONE = Step(Fact("E(1) == 1"), ByRule("expectation of a constant", {"c": "1"}))
MEAN = Step(Fact("m == E(X)"), Definition())


def bounded(label, hypotheses, domain):
    """E(X) <= 1 for a random X <= 1."""
    known = Step(Fact("X <= 1"), Follows(("h",) if hypotheses else ()))
    return statement(
        [Fact("E(X) <= 1")],
        [
            known,
            Step(Fact("E(X) <= E(1)"), ByRule("expectation monotone", {"X": "X", "Y": "1"}, (1,))),
            ONE,
            Step(Fact("E(X) <= 1"), Follows((2, 3))),
        ],
        hypotheses=hypotheses,
        domains={"X": domain},
        random=("X",),
        label=label,
    )


LIBRARY = {
    "HYPOTHESIS": bounded("HYPOTHESIS", {"h": Fact("X <= 1")}, ()),
    "DOMAIN": bounded("DOMAIN", {}, ("X <= 1",)),
}


def cases(*steps):
    """X >= 1 for every value of a random X > 0 with the mean 2: where X <= 1 its mean is said to be at most 1."""
    number = len(steps)
    return statement(
        [Fact("1 <= X")],
        [
            *steps,
            Step(Fact("1 <= X", (), ("X > 0", "X >= 1")), Follows(())),
            Step(
                Fact("1 <= X"), ByRule("either case", {"A": "1", "B": "X", "t": "X", "a": "1"}, (number, number + 1))
            ),
        ],
        hypotheses={"h": Fact("E(X) == 2")},
        domains={"X": ("X > 0",)},
        random=("X",),
    )


def mean(condition):
    """The mean of min(X, c), of c the condition or of X."""
    claim = Fact("m <= 1", (), (condition,))
    return statement(
        [Fact("E(min(X, c)) <= 1", (), (condition,))],
        [
            Step(Fact("m == E(min(X, c))"), Definition()),
            ONE,
            Step(Fact("min(X, c) <= 1", (), (condition,)), Follows(())),
            Step(claim, ByRule("expectation monotone", {"X": "min(X, c)", "Y": "1"}, (3, 2, 1))),
            Step(Fact("E(min(X, c)) <= 1", (), (condition,)), Follows((1, 4))),
        ],
        domains={"c": ()},
        random=("X",),
    )


def copies(where, hypotheses):
    """A bound on one sample, for all samples."""
    claim = "ind(f(at(xs, s)) - fstar <= c)*norm(at(W, s, l)) <= ind(f(at(xs, s)) - fstar <= c)*R"
    known = "norm(X1) <= R"
    return statement(
        [Fact(claim, (), where)],
        [
            Step(Fact(known, (), where), Follows(("h",) if "h" in hypotheses else ())),
            Step(
                Fact(claim, (), where),
                ByRule(
                    "fresh range",
                    {"R": "R", "c": "c", "Lo": "f(at(xs, s)) - fstar <= c", "s": "s", "l": "l"},
                    (1, "k", "i"),
                ),
            ),
        ],
        hypotheses={"k": Fact("f(x) - fstar <= c"), "i": Fact("iid(samples, past) == 1"), **hypotheses},
        random=("X1", "W", "xs", "samples", "past"),
    )


def whole(goal, hypotheses, integers=()):
    """n >= 1 for integers n > 0, used for k."""
    return statement(
        [Fact(goal)],
        [
            Step(Fact("n >= 1", ("n",), ("n > 0",)), Decide(), integers=("n",)),
            Step(Fact(goal), Follows((*hypotheses, Use(1, {"n": "k"})))),
        ],
        hypotheses=hypotheses,
        domains={"k": ("k > 0",), "y": ()},
        integers=integers,
    )


def level(g):
    near = "f(at(xs, t)) - fstar <= c"
    return f"ind({near})*Pgiven(norm(at({g}, t) - gradfmu(at(xs, t))) > b, past) <= ind({near})*q"


SAMPLES = {
    "h": Fact("P(norm(g - gradfmu(x)) > b) <= q"),
    "k": Fact("f(x) - fstar <= c"),
    "i": Fact("iid(samples, past) == 1"),
}
FRESH = ByRule(
    "fresh samples", {"b": "b", "q": "q", "c": "c", "Lo": "f(at(xs, t)) - fstar <= c", "t": "t"}, ("h", "k", "i")
)
PAST = ("g", "gs", "hs", "xs", "samples", "past", "Z")


def drawn(steps, g="gs", hypotheses=SAMPLES, random=PAST, **more):
    return statement([Fact(level(g), ("t",))], steps, hypotheses=hypotheses, random=random, **more)


LIBRARY["FRESH"] = drawn([Step(Fact(level("gs"), ("t",)), FRESH)], label="FRESH")

TIED = {"q": Fact("y == k")}
SUMS = "y + sum(at(v, k), k, 1, 2) >= 1 + sum(at(v, k), k, 1, 2)"

FALSE = {
    "a mean under a condition, contradicted": cases(
        ONE,
        BELOW,
        Step(
            Fact("1 <= X", (), ("X > 0", "X < 1")),
            ByRule("expectation monotone", {"X": "X", "Y": "1"}, (2, 1, "h")),
        ),
    ),
    "a mean under a condition, by a symbol": cases(
        MEAN,
        ONE,
        BELOW,
        Step(Fact("m <= 1", (), ("X <= 1",)), ByRule("expectation monotone", {"X": "X", "Y": "1"}, (3, 1, 2))),
        Step(Fact("1 <= X", (), ("X > 0", "X < 1")), Follows((1, "h", 4))),
    ),
    **{
        f"a mean under a condition, cited: its {by.lower()}": cases(
            MEAN,
            BELOW,
            Step(Fact("m <= 1", (), ("X <= 1",)), Cite(by, {}, (1, 2))),
            Step(Fact("1 <= X", (), ("X > 0", "X < 1")), Follows((1, "h", 3))),
        )
        for by in LIBRARY
    },
    "a bound on other samples under a condition on one": copies(("norm(X1) <= R",), {}),
    "an estimator that is any other": drawn(
        [
            Step(Fact(level("gs"), ("gs", "t")), FRESH),
            Step(Fact(level("hs"), ("t",)), Follows((Use(1, {"gs": "hs"}),))),
        ],
        "hs",
    ),
    "an estimator that is any other, cited": drawn(
        [Step(Fact(level("hs"), ("t",)), Cite("FRESH", {"gs": "hs"}))], "hs"
    ),
    "one sample that is any other, cited": drawn(
        [Step(Fact(level("gs"), ("t",)), Cite("FRESH", {"g": "Z"}))],
        hypotheses={**SAMPLES, "h": Fact("P(norm(Z - gradfmu(x)) > b) <= q")},
    ),
    "one point for all, cited": drawn(
        [Step(Fact(level("gs"), ("t",)), Cite("FRESH", {"x": "z"}))],
        hypotheses={**SAMPLES, "h": Fact("P(norm(g - gradfmu(z)) > b) <= q"), "k": Fact("f(z) - fstar <= c")},
    ),
    "one sample defined afterwards": drawn(
        [
            Step(Fact("g == Z"), Definition()),
            Step(Fact("g - gradfmu(x) == Z - gradfmu(x)"), Follows((1,))),
            Step(
                Fact("norm(g - gradfmu(x)) == norm(Z - gradfmu(x))"),
                ByRule("norm of equals", {"v": "g - gradfmu(x)", "w": "Z - gradfmu(x)"}, (2,)),
            ),
            Step(
                Fact("P(norm(g - gradfmu(x)) > b) <= P(norm(Z - gradfmu(x)) > b)"),
                ByRule("monotone", {"A": "norm(g - gradfmu(x)) > b", "B": "norm(Z - gradfmu(x)) > b"}, (3,)),
            ),
            Step(Fact("P(norm(g - gradfmu(x)) > b) <= q"), Follows((4, "h"))),
            Step(Fact(level("gs"), ("t",)), ByRule(FRESH.rule, FRESH.let, (5, "k", "i"))),
        ],
        hypotheses={**SAMPLES, "h": Fact("P(norm(Z - gradfmu(x)) > b) <= q")},
        random=PAST[1:],
    ),
    "points of a domain for all": drawn([Step(Fact(level("gs"), ("t",)), FRESH)], domains={"x": ("norm(x) <= 1",)}),
    "an integer that a sum of the goal binds": whole(SUMS, TIED),
}


@pytest.mark.parametrize("abuse", FALSE)
def test_an_abuse_proves_nothing(abuse):
    verdict = decide_statement(FALSE[abuse], LIBRARY.__getitem__, 0.5, 0.0)
    assert verdict.status not in (Status.PROVED, Status.REPAIRED), abuse
    assert verdict.certificate is None


HONEST = {
    "cited, its hypothesis": statement(
        [Fact("E(X) <= 1")],
        [Step(Fact("E(X) <= 1"), Cite("HYPOTHESIS"))],
        hypotheses={"h": Fact("X <= 1")},
        domains={"X": ()},
        random=("X",),
    ),
}


@pytest.mark.parametrize("name", HONEST)
def test_the_honest_twin_is_proved_and_its_certificate_holds(name):
    verdict = decide_statement(HONEST[name], LIBRARY.__getitem__, 4.0, 0.0)
    assert verdict.status is Status.PROVED, verdict.reason
    assert verify_statement(verdict.certificate).valid


def test_the_mean_is_refused_for_the_random_condition_alone():
    refused = decide_statement(mean("X <= 1"), LIBRARY.__getitem__, 0.5, 0.0)
    assert any("under a condition on X" in step.reason for step in refused.steps)


# ---------------------------------------------------------------- a step is refuted by a point of the statement only


def compared(using, hypotheses, first=()):
    return statement(
        [Fact("y >= 1")],
        [*first, Step(Fact("y >= 1"), Decide(using))],
        hypotheses=hypotheses,
        domains={"x": ("x >= 0",)} if first else {"y": ()},
    )


@pytest.mark.parametrize(
    ("true", "false"),
    [
        # each is true in its statement, but does not follow from what it uses
        (compared((), {"h": Fact("y >= 5")}), compared((), {"h": Fact("z >= 5")})),
    ],
)
def test_a_point_that_breaks_a_hypothesis_refutes_no_step(true, false):
    kept, broken = (decide_statement(s, LIBRARY.__getitem__, 0.5, 0.0) for s in (true, false))
    assert [v.status for v in kept.steps][-2] is Status.UNDECIDED
    assert "does not follow from what it uses" in kept.reason
    assert [v.status for v in broken.steps][-2] is Status.REFUTED
