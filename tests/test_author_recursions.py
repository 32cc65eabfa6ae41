"""One line, ``by induction``, for recursions as papers state them; unions with a level for each event.

Beside each stands a line that is a little too strong, or a hypothesis a little too weak, and is not proved.
"""

import pytest
from slow import more
from test_author_lines import head, made, proved

from boundcheck.author import by_rule

pytestmark = pytest.mark.usefixtures("no_worlds")

A = 'a = "integer -> real"'
CONTRACTION = head(A, 'step = "a[t + 1] <= q*a[t] + c for integer t where t >= 1", start = "a[1] <= 1"',
                   '"integer n >= 1", "0 < q < 1", "c >= 0"')  # fmt: skip
DRIFT = head(
    A, 'step = "a[t + 1] <= a[t] + c for integer t where t >= 0", start = "a[0] <= 1"', '"integer n >= 0", "c"'
)
DECAY = head(
    A, 'step = "a[t + 1] <= (1 - 2/(t + 1))*a[t] + c/(t + 1)**2 for integer t where t >= 1", start = "a[1] <= c"',
    '"integer n >= 1", "c >= 0"',
)  # fmt: skip
COUNT = head(
    A, 'step = "a[t + 1] == a[t] + t + 1 for integer t where t >= 0", start = "a[0] == 0"', '"integer n >= 0"'
)
MEAN = head(
    'X = "integer -> random real", H = "integer -> information"',
    'step = "Egiven(X[t + 1], H[t]) <= X[t]/2 + 1 for integer t", mean = "integrable(X[t]) == 1 for integer t", '
    'start = "E(X[0]) <= 2"',
    '"integer n >= 0"',
)
ALONG = """
next: E(X[t + 1]) for integer t
  == E(Egiven(X[t + 1], H[t])) by tower
  <= E(X[t])/2 + 1             by step
"""


@pytest.mark.parametrize(
    ("header", "line", "wrong"),
    [
        more(CONTRACTION, "a[n] <= q**(n - 1) + c/(1 - q)", "a[n] <= q**n + c/(1 - q)"),
        more(CONTRACTION, "a[t] <= q**(t - 1) + c/(1 - q) for integer t where t >= 1",
             "a[t] <= q**(t - 1) + c/(1 - q) for integer t where t >= 0"),
        more(DRIFT, "a[n] <= 1 + c*n", "a[n] <= 1 + c*n/2"),
        more(DRIFT, "1 + c*n >= a[n]", "1 - c*n >= a[n]"),
        (DECAY, "a[n] <= c/n", "a[n] <= c/(n + 1)"),
        more(COUNT, "a[n] == n*(n + 1)/2", "a[n] == n**2"),
    ],
)  # fmt: skip
def test_a_recursion_in_one_line(header, line, wrong):
    assert proved(header, f"{line} by induction")
    assert not proved(header, f"{wrong} by induction")


@pytest.mark.parametrize(("bound", "holds"), [("2", True), more("3/2", False)])
def test_a_recursion_of_means_along_a_line(bound, holds):
    assert proved(MEAN, f"{ALONG}E(X[n]) <= {bound} by induction, next, step") is holds


@pytest.mark.parametrize("gone", ["step", more("start")])
def test_what_is_missing_is_told(gone):
    known = (
        'b[t + 1] <= b[t] for integer t", start = "a[0] <= 1"'
        if gone == "step"
        else 'a[t + 1] <= a[t] + c for integer t"'
    )
    header = head('a = "integer -> real", b = "integer -> real"', f'step = "{known}', '"integer n >= 0", "c"')
    found, _ = made(header, "a[n] <= 1 + c*n by induction")
    what = "the step is missing" if gone == "step" else "the first case is missing"
    assert what in found.lines[0].fault


@pytest.mark.parametrize(
    ("start", "steps", "first", "holds"),
    [
        ("a[0] <= c", "s >= 0, s <= n - 1", "0", True),
        ("a[0] <= c + 1/2", "s >= 0, s <= n - 1", "0", False),
        ("a[1] <= c", "s >= 0, s <= n - 1", "0", False),
        ("a[0] <= c", "s >= 1, s <= n - 1", "0", False),
        ("a[0] <= c", "s >= 0, s <= n - 2", "0", False),
        ("a[1] <= c", "s >= 1, s <= n - 1", "1", True),
        ("a[1] <= c", "s >= 2, s <= n - 1", "1", False),
    ],
)
def test_what_an_induction_rests_on(start, steps, first, holds):
    step = f"a[s + 1] <= c for integer s where {steps}, a[s] <= c"
    header = head(A, f'step = "{step}", start = "{start}"', '"integer n >= 3", "c"')
    why = f"exactly rule induction with X = a[s]; C = c; s = s; a = {first}; n = n; t = n from [start], [step]"
    assert proved(header, f"a[n] <= c {why}") is holds


@pytest.mark.parametrize(("d", "holds"), [("2", True), ("-2", False)])
def test_an_induction_does_not_go_on_where_its_condition_says_nothing(d, holds):
    """1/(s - 2) <= 0 holds up to 1, has no value at 2, and says nothing there of 3, where 1 <= 0 is false."""
    step = f"1/(s + 1 + {d}) <= c for integer s where s >= 0, s <= n - 1, 1/(s + {d}) <= c"
    header = head(A, f'step = "{step}", start = "1/{d} <= c"', '"integer n >= 5", "c"')
    why = f"exactly rule induction with X = 1/(s + {d}); C = c; s = s; a = 0; n = n; t = n from [start], [step]"
    assert proved(header, f"1/(n + {d}) <= c {why}") is holds


def test_the_premise_that_is_told_is_the_one_that_is_missing():
    """P(A) >= 1 - a follows, though it is no fact."""
    header = head('A = "event", B = "event"', 'first = "P(A) >= 1 - a/2"', '"a >= 0", "b >= 0"')
    found, _ = made(header, "P(both(A, B)) >= 1 - a - b by both events")
    assert "its premise is missing: P(B) >= 1 - b" in found.lines[0].fault


@pytest.mark.parametrize(
    ("hint", "proposed"),
    [("", False), (" by start", False), (" by induction with X = a[s]; C = c; s = s; a = 0; n = n; t = n", True)],
)
def test_an_induction_is_proposed_where_the_hint_tells_of_what(monkeypatch, hint, proposed):
    """It concludes any inequality: of a line without a hint it would be tried again and again, and never fit."""
    asked = []
    usual = by_rule.proposals

    def proposals(draft, goal, rule, whole):
        for found in usual(draft, goal, rule, whole):
            asked.append(rule.name)
            yield found

    monkeypatch.setattr(by_rule, "proposals", proposals)
    made(head(A, 'start = "a[0] <= c"', '"integer n >= 0", "c"'), f"a[n] <= c{hint}")
    assert ("induction" in asked) is proposed


EVENTS = head(
    'Z = "integer -> random real", r = "integer -> real"',
    'above = "P(Z[t] > r[t]) <= d/2**t for integer t where t >= 1", '
    'within = "P(Z[t] <= r[t]) >= 1 - d/2**t for integer t where t >= FIRST"',
    '"integer n >= 1", "d >= 0"',
)


@pytest.mark.parametrize(
    ("line", "holds"),
    [
        ("P(union(Z[t] > r[t], t, 1, n)) <= sum(d/2**t, t, 1, n) by union bound", True),
        ("P(union(Z[t] > r[t], t, 1, n)) <= sum(d/2**t, t, 2, n) by union bound", False),
        ("P(union(Z[t] > r[t], t, 0, n)) <= sum(d/2**t, t, 0, n) by union bound", False),
        ("P(meet(Z[t] <= r[t], t, 1, n)) >= 1 - sum(d/2**t, t, 1, n) by intersection over a range", True),
        ("P(meet(Z[t] <= r[t], t, 1, n)) >= 1 - sum(d/2**t, t, 1, n)/2 by intersection over a range", False),
    ],
)
def test_a_level_for_each_event(line, holds):
    assert proved(EVENTS.replace("FIRST", "1"), line) is holds


def test_the_level_holds_for_each_event_of_the_range():
    line = "P(meet(Z[t] <= r[t], t, 1, n)) >= 1 - sum(d/2**t, t, 1, n) by intersection over a range"
    assert not proved(EVENTS.replace("FIRST", "2"), line)
