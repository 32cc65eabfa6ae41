"""Random sequences that a world tells by their steps alone: what is shown of all members holds, and no more is."""

import itertools
import re
import tomllib
from dataclasses import replace
from random import Random

import pytest
from test_author_lines import head

from boundcheck.author.toml import read_statements
from boundcheck.decide.statements import decide_statement
from boundcheck.decide.worlds import world_states
from boundcheck.decide.worlds.world_refute import as_families, refuted
from boundcheck.decide.worlds.world_terms import STATE
from boundcheck.kernel.formula import num, substitute
from boundcheck.kernel.statement import Fact
from boundcheck.verdict import Status

DECLARED = (
    'x = "integer -> random real", g = "integer -> random real", m = "integer -> random real", '
    'D = "integer -> real", H = "integer -> information"'
)
STEP = 'step = "x[t + 1] == x[t] - h*g[t] for integer t where t >= 0"'
MEAN = 'mean = "Egiven(g[t], H[t]) == x[t] for integer t where t >= 0"'
PAST = 'past = "measurable(x[t], H[t]) == 1 for integer t where t >= 0"'
FROM_1 = 'start = "x[0] == 1"'
OF_D = 'of_D = "D[t] == E(x[t]**2) for integer t where t >= 0"'
SECOND = 'second = "Egiven(g[t]**2, H[t]) <= s**2 + x[t]**2 for integer t where t >= 0"'
SQUARES = 'squares = "integrable(x[t]**2) == 1 for integer t where t >= 0"'
DOMAIN = '"h > 0", "s >= 0", "integer T >= 1"'
WORLD = {"h": "1/2", "s": "1", "T": "2", "g(k)": "x(k) + s*w(k + 1)", "H(k)": "k1 <= k"}
TRUE, FALSE = "D[T] <= ((1 - h)**2)**T + T*h**2*s**2", "D[T] <= ((1 - h)**2)**T + h**2*s**2"


def stated(*hypotheses, claim="1 <= 0"):
    source = head(DECLARED, ", ".join(hypotheses), DOMAIN, claims=f'"{claim}"')
    [written], faults = read_statements(tomllib.loads(source), "own.toml", source, lambda told: None)
    assert not faults
    return as_families(written.statement)


def met(*hypotheses, **changes):
    """Whether the world is shown to meet the hypotheses; 1 <= 0 is false in it."""
    world = {
        **WORLD,
        **{{"g": "g(k)", "H": "H(k)", "m": "m(k)", "x0": "x(0)"}.get(n, n): v for n, v in changes.items()},
    }
    return refuted(stated(*hypotheses), world).status is Status.REFUTED


RUN = (STEP, FROM_1, MEAN, PAST, OF_D, SECOND, SQUARES)


def test_a_run_of_many_steps_refutes_a_bound_that_its_mean_breaks():
    """E x_2^2 = (1 - h)^4 + ((1 - h)^2 + 1) h^2 s^2, which is 3/8 here, over all four outcomes."""
    h, s = 0.5, 1
    exact = (
        sum(((1 - h) * ((1 - h) - h * s * a) - h * s * b) ** 2 for a, b in itertools.product((1, -1), repeat=2)) / 4
    )
    for bound, claim in ((exact, FALSE), (exact, "D[T] < 3/8"), (exact, "D[T] <= 3/8"), (exact, TRUE)):
        statement = stated(*RUN, claim=claim)
        limit = {FALSE: 1 / 16 + 1 / 4, TRUE: 1 / 16 + 1 / 2}.get(claim, 3 / 8)
        false = bound > limit or (bound == limit and "<=" not in claim)
        assert (refuted(statement, WORLD).status is Status.REFUTED) is false


def test_such_a_world_is_found_and_none_where_the_bound_holds():
    for claim, status in (("D[1] <= (1 - 2*h)*D[0] + h**2*s**2", Status.REFUTED), ("D[1] >= -1", Status.UNDECIDED)):
        found = decide_statement(stated(*RUN, claim=claim), {}.__getitem__, 10.0, 0.0)
        assert found.status is status and (found.method == "world" or status is Status.UNDECIDED)


@pytest.mark.parametrize(
    "wrong",
    [
        {"g": "x(k) + s*w(k + 2)"},  # x[t] depends on w(t + 1), which H[t] does not know
        {"g": "x(k) + s*w(k)*w(5)"},
        {"g": "x(k) + s*w(k, 1)"},  # of two indices
        {"g": "x(k + 1) + s*w(k + 1)"},  # by itself
        {"g": "2*x(k) + s*w(k + 1)"},
        {"g": "x(k) + 2*s*w(k + 1)"},  # the second moment
        {"H": "k1 <= k - 1"},
        {"H": "k1 <= k + 1"},  # then the noise is known
        {"H": "k1 <= 0"},
        {"g": "x(k) + s*(2*unit(k + 1) - 1)"},
    ],
)
def test_what_is_told_of_all_members_is_shown_or_not_met(wrong):
    assert met(*RUN) and not met(*RUN, **wrong)


@pytest.mark.parametrize(
    ("hypothesis", "holds"),
    [
        ("E(x[t + 1]) == (1 - h)*E(x[t])", False),  # true, and not told: the mean of a member is not
        ("E(x[t]) == 0", False),
        ("x[t] <= 1", False),
        ("x[t]**2 >= 0", True),
        ("P(x[t] > 1) <= 1", False),
        ("independent(x[t], H[t]) == 1", False),
        ("independent(x[t], g[t]) == 1", False),
        ("independent(g[t] - x[t], H[t]) == 1", True),
        ("E((g[t] - x[t])**2) == s**2", True),  # it cancels
        ("E((g[t] - 2*x[t])**2) >= s**2", False),
        ("independent(g[t] - 2*x[t], H[t]) == 1", False),
        ("measurable(x[t], H[t]) == 0", False),
        ("measurable(x[t]*g[t], H[t + 1]) == 1", True),
        ("measurable(x[t + 1], H[t]) == 1", False),
        ("measurable(x[t], g[t]) == 1", False),
        ("integrable(x[t]**4) == 1", True),
        ("integrable(1/x[t]) == 1", False),
        ("integrable(1/(1 + x[t]**2)) == 1", True),
        ("Egiven(x[t + 1], H[t]) == (1 - h)*x[t]", True),
        ("Egiven(x[t + 1], H[t]) == (1 - h)*x[t] + 1/10", False),
        ("Egiven(x[t + 1]**2, H[t]) == (1 - h)**2*x[t]**2 + h**2*s**2", True),
        ("Egiven(x[t + 1]**2, H[t]) <= (1 - h)**2*x[t]**2", False),
        ("Egiven(x[t + 2], H[t]) == (1 - h)**2*x[t]", True),
        ("Egiven(ind(x[t] > 1), H[t]) == ind(x[t] > 1)", True),
        ("Egiven(ind(x[t] > 1), H[t]) == 1", False),
    ],
)
def test_facts_about_a_member_at_an_open_index(hypothesis, holds):
    assert met(STEP, FROM_1, f'more = "{hypothesis} for integer t where t >= 0"') is holds


def test_a_start_that_is_random_or_a_step_from_nowhere_is_not_told():
    assert met(STEP, PAST, x0="2") and not met(STEP, PAST, x0="w(7)")
    assert not met('step = "x[t + 1] == x[t] - h*g[t] for integer t"', PAST, x0="2")
    assert met('step = "x[t + 1] == x[t] - h*g[t] for integer t where t >= 0, t >= -1"', PAST, x0="2")
    seen = 'step = "x[t + 1] == x[t] - h*g[t] for integer t where t >= 0, g[t + 3] >= 0"'
    assert not met(seen, PAST, x0="2", g="s*w(k + 1)")  # whether there is a step is seen later


@pytest.mark.parametrize(("m", "holds"), [("m[t + 1]", True), ("m[t + 2]", False)])
def test_sequences_that_speak_of_each_other(m, holds):
    """Momentum: m_(t+1) and x_(t+1) are told by m_t, x_t and g_t; not if a step looks ahead."""
    average = 'average = "m[t + 1] == h*m[t] + (1 - h)*g[t] for integer t where t >= 0", zero = "m[0] == 0"'
    step = f'step = "x[t + 1] == x[t] - h*{m} for integer t where t >= 0"'
    both = 'both = "measurable(m[t] + x[t], H[t]) == 1 for integer t where t >= 0"'
    mean = 'mean = "Egiven(m[t + 1], H[t]) == h*m[t] + (1 - h)*x[t] for integer t where t >= 0"'
    assert met(average, step, FROM_1, both, mean) is holds


def test_what_rests_on_a_sequence_that_looks_ahead_is_not_kept():
    """m follows x, which is asked first, in a condition that may be left out; it knows the sign after the next."""
    follows = 'follows = "m[t + 1] == x[t] for integer t where t >= 0", zero = "m[0] == 0"'
    ahead = 'step = "x[t + 1] == m[t] - h*g[t] for integer t where t >= 0"'
    asked = 'asked = "m[0] == 0 for integer t where t >= 0, x[t] >= m[t]"'
    past = 'past = "measurable(m[t], H[t]) == 1 for integer t where t >= 0"'
    assert met(follows, ahead, FROM_1, asked, past) and not met(follows, ahead, FROM_1, asked, past, g="w(k + 3)")
    mean = 'mean = "integrable(m[t]) == 1 for integer t where t >= 0"'
    assert met(follows, ahead, FROM_1, asked, mean, g="w(k + 1)")
    assert not met(follows, ahead, FROM_1, asked, mean, g="unit(k + 1)**(-2)")


def test_no_value_of_a_member_at_an_open_index_refutes_a_claim():
    """A claim for all integers is tried at numbers; at an open index a member is no number that could be chosen."""
    run = STEP, FROM_1, MEAN
    statement = replace(stated(*run), claims=(Fact("at(x, t) >= -100", ("t: integer",), ("t >= 0",)),))
    found = refuted(statement, WORLD)
    assert found.status is Status.UNDECIDED and "no claim is false" in found.reason
    false = replace(statement, claims=(Fact("at(x, t) >= 0", ("t: integer",), ("t >= 0",)),))
    assert refuted(false, WORLD).witness["t"] == "2"


TERMS = ("x[t]", "x[t + 1]", "m[t]", "x[t - 1]", "g[t]", "ind(x[t] > 0)*g[t]")
WHEN = ("t", "t + 1", "t - 1", "0")
STEPS = (
    STEP,
    'step = "x[t + 1] == x[t] - h*m[t + 1] for integer t where t >= 0"',
    'step = "x[t + 1] == clip(x[t] - h*g[t], 1) for integer t where t >= 0"',
    'step = "x[t] == x[t - 1] - h*g[t - 1] for integer t where t >= 1"',
)
NOISES = (
    "x(k) + s*w(k + 1)",
    "s*w(k)",
    "x(k)*w(k + 1) + m(k)",
    "s*w(k + 2)",
    "ind(x(k) > 0)*w(k + 1)",
    "w(k)*w(k + 1)",
)
AVERAGE = 'average = "m[t + 1] == h*m[t] + (1 - h)*g[t] for integer t where t >= 0", zero = "m[0] == 0"'


def drawn(random):
    """A fact for all t >= 0 about the members at t, with t to be put in."""
    a, h = random.choice(TERMS), f"H[{random.choice(WHEN)}]"
    b = random.choice((a, random.choice(TERMS)))
    return random.choice([
        f"measurable({a}, {h}) == 1", f"independent({a}, {h}) == 1", f"Egiven({a}, {h}) == {b}",
        f"Egiven(({a})*({b}), {h}) <= ({b})**2", f"E(({a} - {b})**2) >= {b}",
    ])  # fmt: skip


def compared(seed, count):
    """(facts that are met at an open index, those of them that a claim at t = 0, 1 or 2 refutes)."""
    random, met_ones, false = Random(seed), 0, []
    for _ in range(count):
        fact, hypotheses = drawn(random), (random.choice(STEPS), AVERAGE, FROM_1)
        changes = {"g": random.choice(NOISES), "H": random.choice(["k1 <= k", "k1 < k", "k1 <= k + 1"])}
        if not met(*hypotheses, f'more = "{fact} for integer t where t >= 0"', **changes):
            continue
        met_ones += 1
        world = WORLD | {"g(k)": changes["g"], "H(k)": changes["H"]}
        for t in (0, 1, 2):
            put = re.sub(r"\bt( [+-] 1)?\b", lambda m, t=t: str(t + int((m[1] or "0").replace(" ", ""))), fact)
            if refuted(stated(*hypotheses, claim=put), world).status is Status.REFUTED:
                false.append((put, hypotheses, world))
    return met_ones, false


def test_what_holds_at_an_open_index_holds_at_the_first_ones():
    """There the same world works members out as numbers and signs."""
    met_ones, false = compared(1, 120)
    assert met_ones >= 15 and not false


def one_for_all(e):
    """A value with 1 in the place of each member."""
    return substitute(e, {n: num(1) for n in e.free if n.startswith(STATE)})


@pytest.mark.parametrize(
    ("name", "wrong"), [("is_known", lambda *_: True), ("_is_adapted", lambda *_: True), ("settled", one_for_all)]
)
def test_and_would_not_if_more_were_taken_for_known(name, wrong, monkeypatch):
    """That the past of a member is known; that a step looks back only; what number it is."""
    monkeypatch.setattr(world_states, name, wrong)
    assert compared(1, 120)[1]
