"""What a normal form leaves out, and what need not exist: means, integrals, infinite sums, the least of no terms.

Each lemma is false, or speaks of nothing, in the model that is named.
"""

from dataclasses import replace

import pytest
from holes import lemma, open_at, refused

from boundcheck.kernel.statement import ByRule, Cite, Definition, Fact, Follows, Literature, Parameter, Step, Use

NAMES = {
    "X": "random real",
    "Y": "random real",
    "Q": "integer -> random real",
    "f": "real -> real",
    "x": "vector",
}
LOOSE = {"c": (), "q": (), "s": ("s >= 0",), "n": ("n >= 0",)}
TIGHT = {**LOOSE, "s": ("s > 0",), "n": ("n >= 1",)}


def _fact(told):
    return told if isinstance(told, Fact) else Fact(told)


def _lemma(steps, hypotheses=None, domains=None):
    """The last step is the claim."""
    names = tuple(Parameter(n, n, tuple(d), n == "n") for n, d in (domains or LOOSE).items())
    told = lemma("0 == 0", steps, NAMES, {k: _fact(h) for k, h in (hypotheses or {}).items()})
    return replace(told, parameters=names, claims=(steps[-1].fact,))


def _said(claim, hypotheses=None, domains=None, where=()):
    return _lemma((Step(Fact(claim, (), where), Literature("told")),), hypotheses, domains)


# ---------------------------------------------------------------- what is assumed


@pytest.mark.parametrize(
    ("said", "claim"),
    [
        ("f(1/s - 1/s) >= c", "c <= f(0)"),  # models: s = 0, c = 1, f = 0
        ("f(0*(1/s)) >= c", "c <= f(0)"),
        ("f(log(s) - log(s)) >= c", "c <= f(0)"),
        ("f(1/(1/s)) >= c", "c <= f(s)"),
        ("f(1/(1/log(s + 1))) >= c", "c <= f(log(s + 1))"),
        ("f(1/(1/sqrt(s))) >= c", "c <= f(sqrt(s))"),
        ("norm(0*x/s) >= c", "c <= 0"),
        ("P(X/s - X/s > -1) >= c", "c <= P(0 > -1)"),
        ("f(1/s - 1/s) + sum(f(1/s), k, 1, 0) >= c + sum(f(1/s), k, 1, 0)", "c <= f(0)"),
    ],
)
def test_an_assumption_says_nothing_where_what_its_normal_form_leaves_out_has_no_value(said, claim):
    by = Follows(("h",))
    refused(_lemma((Step(Fact(claim), by),), {"h": said}), 1, "may have no value")
    assert open_at(_lemma((Step(Fact(claim), by),), {"h": said}, TIGHT)) is None


def test_nor_does_one_for_all_values_of_a_name():  # model: f = 0 but at 1, c = 1, where t is not 0
    by = Follows((Use("h", {"t": "0"}),))
    refused(
        _lemma((Step(Fact("c <= f(0)"), by),), {"h": Fact("f(1/t - 1/t) >= c", ("t",))}), 1, "1/t may have no value"
    )
    ranged = {"h": Fact("f(1/t - 1/t) >= c", ("t",), ("t >= 1",))}
    assert open_at(_lemma((Step(Fact("c <= f(0)"), Follows((Use("h", {"t": "1"}),))),), ranged)) is None


def test_nor_does_a_domain():
    told = _lemma((Step(Fact("c <= f(0)"), Follows(())),), {}, {**LOOSE, "c": ("c <= f(1/s - 1/s)",)})
    refused(told, 1, "may have no value")
    assert open_at(_lemma(told.steps, {}, {**TIGHT, "c": ("c <= f(1/s - 1/s)",)})) is None


@pytest.mark.parametrize(
    "condition", ["f(1/s - 1/s) >= 1", "P(1/Y - 1/Y > -1) == 1", "f(E(Y) - E(Y)) >= 1", "P(0*E(Y) > -1) == 1"]
)
def test_no_condition_is_met_where_what_its_normal_form_leaves_out_has_no_value(condition):
    """Models: s = 0, Y = 0 or without a mean, c = 1."""
    given = {"h": Fact("c <= 0", (), (condition,)), "k": "f(0) >= 1", "p": "P(0 > -1) == 1"}
    refused(_lemma((Step(Fact("c <= 0"), Follows(("h", "k", "p"))),), given), 1, "may have no value")


def test_nor_is_one_of_a_cited_statement():
    cited = replace(_lemma((Step(Fact("c <= f(0)"), Follows(("h",))),), {"h": "f(1/s - 1/s) >= c"}), label="lem:cited")
    told = _lemma((Step(Fact("c <= f(0)"), Cite("lem:cited")),), {"h": "f(0) >= c"})
    refused(told, 1, "may have no value", others=(cited,))


@pytest.mark.parametrize(
    "said",
    [
        "f(1/(2*s) + 1/(3*s)) >= c",
        "f((x1 + x2)/(2*s)) >= c",
        "sum(f(k/(2*s + 2*k)), k, 1, n) >= c",
        "P(1/(3*X) > 1) <= q",
        "E(1/(s*X)) <= q",
        "integral(P(X > 1/(2*t)), t, 1, 2) <= q",
        "f(s**(-2)*(s + q)**(-2)) >= c",
        "f(log(2*s) + sqrt(4*s)) >= c",
    ],
)
def test_another_form_of_a_term_leaves_nothing_out(said):
    claim = said.replace(">= c", ">= c - 1").replace("<= q", "<= q + 1")
    told = _lemma((Step(Fact(claim), Follows(("h",))),), {"h": said}, {**LOOSE, "x1": (), "x2": ()})
    found = open_at(told)
    assert found is None or "may have no value" not in found[1]


# ---------------------------------------------------------------- what is claimed


@pytest.mark.parametrize(
    "claim",
    [
        "f(1/s - 1/s) + sum(f(1/s), k, 1, 0) <= q",  # what the empty sum speaks of is asked for nowhere
        "f(1/s - 1/s) + sum(f(1/s), k, 1, n) <= q",
        "f(log(s) - log(s)) + sum(f(log(s)), k, 1, n) <= q",
    ],
)
def test_what_stands_in_an_empty_sum_is_no_term_outside_of_it(claim):  # model: s = 0, n = 0
    refused(_said(claim), 2, "definedness")
    assert open_at(_said(claim, domains=TIGHT)) is None


@pytest.mark.parametrize("inside", ["0*log(t)", "0*E(Y)"])
def test_an_integral_that_exists_has_another_form_that_does_not(inside):
    """Models: log(t) for t < 0; Y without a mean."""
    known = {"h": "integral(P(X > t), t, -1, 1) <= q"}
    refused(_said(f"integral(P(X + {inside} > t), t, -1, 1) <= q", known), 2)
    assert open_at(_said("integral(P(X > t), t, -1, 1) <= q", known)) is None


def test_an_integral_that_the_normal_form_leaves_out_exists():  # it diverges, unless X <= 0
    refused(_said("f(0*integral(P(X > t)/t, t, 0, 1)) <= q"), 2, "nothing shows that it exists")


@pytest.mark.parametrize(
    "claim",
    [
        "sum(f(k), k, 1, oo) <= q",
        "f(sum(f(k), k, 1, oo)) <= q",
        "f(0*sum(f(k), k, 1, oo)) <= q",
        "P(sum(at(Q, k), k, 1, oo) > 1) <= q",
        "sum(P(X > k), k, 1, oo) >= 0",
    ],
)
def test_an_infinite_sum_over_heads_exists(claim):  # model: f = 1, Q = 1, X without a mean
    refused(_said(claim), 2, "nothing shows that it exists")


def test_a_hypothesis_says_that_an_infinite_sum_exists():
    said = {"h": "sum(f(k), k, 1, oo) <= q", "p": "q >= 0"}
    assert open_at(_lemma((Step(Fact("sum(f(k), k, 1, oo) <= 2*q"), Follows(("h", "p"))),), said)) is None
    refused(_said("sum(f(k), k, 2, oo) <= q", said), 2, "nothing shows that it exists")


@pytest.mark.parametrize(
    "inside", ["sum(at(Q, k), k, 1, oo)", "integral(at(Z, t), t, 0, oo)", "norm(x)*f(integral(at(Z, t), t, 0, 1))"]
)
def test_so_it_does_inside_of_a_mean(inside):  # model: Q = 1, Z = 1; or Z that has no integral
    names = {**NAMES, "Z": "real -> random real"}
    claim = f"E(min(1, max(0, {inside}))) <= q"
    told = replace(_said(claim), declares=names)
    refused(told, 2, "nothing shows that it exists")
    said = {"h": Fact(f"E({inside}) <= q")}
    assert open_at(replace(told, hypotheses=said)) is None


CITED = [  # a hypothesis about t, and a model in which it speaks of nothing
    "sum(f(k), k, 1, oo) <= t",  # f = 1
    "integral(P(X > s), s, 0, oo) <= t",  # X without a mean
    "norm(integral(f(s), s, 0, oo)*x) <= t",  # f = 1
    "E(min(1, sum(at(Q, k), k, 1, oo))) <= t",  # Q = 1
]


@pytest.mark.parametrize("said", CITED)
def test_what_a_cited_statement_assumes_exists(said):  # and c = 1
    """A name for a value by convention meets no hypothesis."""
    given = {"h": Fact("c <= 0", ("t",), (said,))}
    known = {**given, "is": said.removesuffix("t") + "q"}
    own = replace(_lemma((Step(Fact("c <= 0"), Follows(("is", Use("h", {"t": "q"})))),), known), label="lem:own")
    assert open_at(own) is None
    value = said.removesuffix(" <= t")
    steps = (
        Step(Fact(f"v == {value}"), Definition(), name="v"),
        Step(Fact(f"{value} <= v"), Follows(("v",))),
        Step(Fact("c <= 0"), Cite("lem:own", {"q": "v"})),
    )
    refused(_lemma(steps, given), 3, "nothing shows that", others=(own,))
    told = _lemma((Step(Fact("c <= 0"), Cite("lem:own")),), known)
    assert open_at(told, own) is None


@pytest.mark.parametrize("claim", ["most(f(k), k, 1, n) <= q", "f(least(f(k), k, 1, n)) <= q",
                                   "P(least(at(Q, k), k, 1, n) > 1) <= 1"])  # fmt: skip
def test_of_no_terms_none_is_the_least(claim):  # model: n = 0
    refused(_said(claim), 2, "definedness")
    assert open_at(_said(claim, domains=TIGHT)) is None


def test_nothing_is_said_of_the_least_of_no_terms():  # model: n = 0, c = 1
    said = {"h": "c <= n*least(f(k), k, 1, n)", "none": "n == 0"}
    refused(_lemma((Step(Fact("c <= 0"), Follows(("h", "none"))),), said), 1, "definedness")


# ---------------------------------------------------------------- conditions

ABSENT = [  # models: X > 0; f = 1; Y and all of Q without a mean; n = 0
    "integral(P(X > t)/t, t, 0, 1) >= integral(P(X > t)/t, t, 0, 1)",
    "integral(f(t), t, 0, 1) <= integral(f(t), t, 0, 1) + 1",
    "sum(f(k), k, 1, oo) <= sum(f(k), k, 1, oo)",
    "sum(E(at(Q, k)), k, 1, 2) <= sum(E(at(Q, k)), k, 1, 2)",
    "least(f(k), k, 1, n) <= least(f(k), k, 1, n)",
    "E(Y) <= E(Y) + 1",
]


@pytest.mark.parametrize("condition", ABSENT)
@pytest.mark.parametrize("told", [False, True])
def test_no_condition_is_met_that_speaks_of_what_need_not_exist(condition, told):  # and c = 1
    """A line that says it, with the values by convention, does not make it exist."""
    lines = (Step(Fact(condition), Follows(())),) if told else ()
    steps = (*lines, Step(Fact("c <= 0"), Follows((*range(1, len(lines) + 1), "h"))))
    refused(_lemma(steps, {"h": Fact("c <= 0", (), (condition,))}), len(steps))


@pytest.mark.parametrize("condition", ABSENT)
@pytest.mark.parametrize("told", [False, True])
def test_nothing_is_in_sight_by_such_a_condition(condition, told):  # and X without a mean, c = 0
    lines = (Step(Fact(condition), Follows(())),) if told else ()
    claim = "abs(E(X)) <= E(abs(X))"
    steps = (*lines, Step(Fact(claim), ByRule("modulus of the expectation", {"X": "X"})))
    given = {"h": Fact("integrable(X) == 1", (), (condition,))}
    refused(_lemma(steps, given), len(steps) + 1, "is integrable")
    steps = (*lines, Step(Fact("f(1/c) <= q"), Literature("told")))
    refused(_lemma(steps, {"h": Fact("c > 0", (), (condition,))}), len(steps) + 1, "definedness")


def test_a_condition_is_met_where_a_hypothesis_says_that_the_mean_exists():
    given = {"h": Fact("c <= 0", (), ("E(Y) <= E(Y) + 1",)), "mean": "integrable(Y) == 1"}
    assert open_at(_lemma((Step(Fact("c <= 0"), Follows(("h",))),), given)) is None


CASES = [  # models: Y without a mean; f without an integral; and c = 1
    "E(Y)",
    "norm(integral(f(t), t, 0, 1)*x)",
    "f(1/s)",
]


@pytest.mark.parametrize("term", CASES)
def test_no_case_is_one_where_a_term_has_no_value(term):
    """Where E(Y) < 5 is no statement, E(Y) >= 5 is none."""
    below, above = (f"0 < 1 + abs({term})", f"1 + abs({term}) < 6"), (f"0 < 1 + abs({term})", f"1 + abs({term}) >= 6")
    given = {"low": Fact("c <= 0", (), below), "high": Fact("c <= 0", (), above)}
    both = ByRule("either case", {"A": "c", "B": "0", "t": f"1 + abs({term})", "a": "6"}, ("low", "high"))
    refused(_lemma((Step(Fact("c <= 0"), both),), given), 1)
    own = replace(_lemma((Step(Fact("c <= 0", (), below), Follows(("low",))),), given), label="lem:own")
    own = replace(own, hypotheses={"low": given["low"]})
    told = Step(Fact("c <= 0", (), below), Cite("lem:own"), name="own")
    again = replace(both, using=("own", "high"))
    refused(_lemma((told, Step(Fact("c <= 0"), again)), given), 2, others=(own,))
    shown = {"E(Y)": "integrable(Y) == 1", "f(1/s)": "s >= 1"}.get(term, "integral(f(t), t, 0, 1) == q")
    assert open_at(_lemma((told, Step(Fact("c <= 0"), again)), {**given, "shown": Fact(shown)}), own) is None


@pytest.mark.parametrize(("term", "domain"), [("1/s", "s > 0"), ("log(s)", "s > 0"), ("X/s", "s > 0")])
@pytest.mark.parametrize("op", ["<=", "=="])
def test_a_name_for_a_value_by_convention_meets_no_condition(term, domain, op):  # model: s = 0, c = 1
    given = {"h": Fact("c <= 0", ("t",), (f"{term} {op} t",))}
    steps = (
        Step(Fact(f"v == {term}"), Definition(), name="v"),
        Step(Fact(f"{term} {op} v"), Follows(("v",)), name="low"),
        Step(Fact("c <= 0"), Follows(("low", Use("h", {"t": "v"})))),
    )
    refused(_lemma(steps, given), 3, "definedness")
    assert open_at(_lemma(steps, given, {**LOOSE, "s": (domain,)})) is None


def test_nor_does_an_event_that_is_given():  # model: Y without a mean, X = 2
    given = {"low": Fact("X <= 1", (), ("E(Y) <= 5",)), "high": Fact("X <= 1", (), ("E(Y) > 5",))}
    for name, event in (("low", "E(Y) <= 5"), ("high", "E(Y) > 5")):
        rule = ByRule("monotone", {"A": event, "B": "X <= 1"}, (name,))
        refused(
            _lemma((Step(Fact(f"P({event}) <= P(X <= 1)"), rule),), given), 1, "nothing shows that Y is integrable"
        )


def test_nor_does_what_a_cited_statement_assumes():  # model: s = 0, c = 1, f = 1
    given = {"h": Fact("f(c) <= 0", (), ("1/s <= 1/s",))}
    own = replace(_lemma((Step(Fact("f(c) <= 0"), Follows(("h",))),), {"h": "f(c) <= 0"}), label="lem:own")
    steps = (Step(Fact("f(c) <= 0"), Cite("lem:own")),)
    refused(_lemma(steps, given), 1, "definedness", others=(own,))
    assert open_at(_lemma(steps, given, TIGHT), own) is None


@pytest.mark.parametrize(
    ("said", "where", "let"),
    [  # models: s = 0; Y without a mean; and c = 1, f = 0
        ("c <= f(t/s)", (), {"t": "0"}),
        ("c <= f((t - r)/s)", (), {"t": "s", "r": "s"}),
        ("c <= f(0)", ("f(t*log(s)) <= q",), {"t": "0"}),
        ("c <= f(0)", ("f(t*E(Y)) <= q",), {"t": "0"}),
        ("c <= f(0)", ("f((t - 1)*E(Y) + r) <= q",), {"t": "1", "r": "0"}),
        ("c <= f(0)", ("norm(t*integral(f(k), k, 0, 1)*x) <= q",), {"t": "0"}),
    ],
)
def test_no_value_of_a_name_leaves_out_what_has_none(said, where, let):
    """f(t/s) at t = 0 is f(0/s), which the normal form takes for f(0)."""
    over = tuple(n for n in ("t", "r") if n in let)
    given = {"h": Fact(said, over, where), "q": Fact("q == f(0)"), "sign": Fact("q >= 0")}
    use = Step(Fact("c <= f(0)"), Follows(("q", "sign", Use("h", let))))
    refused(_lemma((use,), given), 1)
    shown = {"shown": Fact("integrable(Y) == 1"), "sum": Fact("integral(f(k), k, 0, 1) == q")}
    own = replace(_lemma((replace(use, fact=replace(given["h"])),), given), label="lem:own")
    own = replace(own, steps=(Step(given["h"], Follows(("h",))),))
    cited = Step(Fact("c <= f(0)"), Cite("lem:own", let, ("q", "sign")))
    refused(_lemma((cited,), given), 1, others=(own,))
    if not where or "log" in where[0]:
        assert open_at(_lemma((use,), {**given, **shown}, TIGHT)) is None
        assert open_at(_lemma((cited,), {**given, **shown}, TIGHT), own) is None


def test_nor_does_one_of_a_name_of_a_cited_statement():  # model: X = 0
    own = replace(_said("P(X <= 0) <= c*P(f(q*log(X)) > 1)", {"h": "P(f(q*log(X)) > 1) >= 0"}), label="lem:own")
    step = Step(Fact("P(X <= 0) <= c*P(f(0) > 1)"), Cite("lem:own", {"q": "0"}, ("p",)))
    given = {"p": "P(f(0) > 1) >= 0"}
    refused(_lemma((step,), given), 1, "definedness of log(X)", others=(own,))
    assert open_at(_lemma((step,), {**given, "x": "X > 0"}), own) is None


@pytest.mark.parametrize(("domains", "open_step"), [(LOOSE, 2), (TIGHT, None)])
def test_what_a_citation_says_under_a_condition_may_say_nothing(domains, open_step):  # model: s = 0, c = 1
    says = Fact("c <= 0", (), ("f(1/s) <= f(1/s)",))
    own = replace(_lemma((Step(says, Follows(("h",))),), {"h": says}, domains), label="lem:own")
    steps = (Step(says, Cite("lem:own")), Step(Fact("c <= 0"), Follows((1,))))
    found = open_at(_lemma(steps, {"h": says}, domains), own)
    assert (found and found[0]) == open_step


@pytest.mark.parametrize(
    ("said", "claim", "let"),
    [  # models: c = 1, f = 0, where s = 0, or s = 1 for -s below a root
        ("c <= f(integral(sqrt(-s) - sqrt(-s), t, 1, 2))", "c <= f(integral(0, t, 1, 2))", {}),
        ("c <= f(integral(1/s - 1/s + 1/t, t, 1, 2))", "c <= f(integral(1/t, t, 1, 2))", {}),
        ("c <= f(sum(1/s - 1/s + 1/k, k, 1, 2))", "c <= f(sum(1/k, k, 1, 2))", {}),
        ("c <= f(integral(r*log(s*t), t, 1, 2))", "c <= f(integral(0, t, 1, 2))", {"r": "0"}),
    ],
)
def test_nor_is_it_told_by_an_integral_or_a_sum_that_is_left(said, claim, let):
    """The normal form speaks of an integral at this place as well, of something else."""
    over = tuple(let)
    by = Follows((Use("h", let),) if let else ("h",))
    refused(_lemma((Step(Fact(claim), by),), {"h": Fact(said, over)}), 1, "may have no value")
    if "-s" not in said:
        shown = said.replace("1/s - 1/s + 1/k", "sqrt(k) - sqrt(k) + 1/k")
        assert open_at(_lemma((Step(Fact(claim), by),), {"h": Fact(shown, over)}, TIGHT)) is None


@pytest.mark.parametrize(
    "term", ["integral(t, t, 1, 1/s)", "integral(0, t, 1, 1/s)", "integral(t, t, log(s), 1)", "integral(t, t, 1/s, s)"]
)
def test_the_ends_of_an_integral_inside_of_a_head_have_values(term):
    """Model: s = 0, c = 1. An end that the normal form leaves out is asked for as well."""
    said, by = f"c <= s*f({term})", Follows(("h", "zero"))
    given = {"h": said, "zero": "s == 0"}
    refused(_lemma((Step(Fact("c <= 0"), by),), given), 1, "definedness")
    for claim in (f"f({term}) <= f({term})", f"E(X*{term}) <= E(X*{term})", f"P(X > {term}) <= 1"):
        refused(_said(claim, {"mean": "integrable(X) == 1"}), 2, "definedness")
        assert open_at(_said(claim, {"mean": "integrable(X) == 1"}, TIGHT)) is None
    one = {"h": f"c <= (s - 1)*f({term})", "one": "s == 1"}
    assert open_at(_lemma((Step(Fact("c <= 0"), Follows(("h", "one"))),), one, TIGHT)) is None
    left = f"f({term.replace('1/s', '1/s - 1/s').replace('log(s)', 'log(s) - log(s)')})"
    whole = left.replace("1/s - 1/s", "0").replace("log(s) - log(s)", "0")
    refused(_lemma((Step(Fact(f"c <= {whole}"), Follows(("h",))),), {"h": f"c <= {left}"}), 1, "may have no value")
