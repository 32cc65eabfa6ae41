"""Rates on their domains: what is proved is defined on all of it, what has no value meets no hypothesis."""

from __future__ import annotations

from dataclasses import replace

import pytest
from slow import apart, more

from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.decide.quadratic.rate_search import decide_found
from boundcheck.decide.quadratic.witness import refutes
from boundcheck.kernel.rate import Rate
from boundcheck.verdict import Status

UNDEFINED = {
    "a factor 0 beside a norm": ("(1/m)*(0*norm(x)) <= norm(y)", {}, None),
    "0 before the factor": ("0*(norm(x)/m) <= norm(y)", {}, None),
    "a coefficient of a sum": ("F(x) <= h(x)", {}, {"F": "(1/m)*(0*f) + h"}),
    "another coefficient of a sum": ("F(x) <= h(x)", {}, {"F": "0*(1/m*f) + h"}),
    "a point that a value is taken in": ("norm(y)**2 <= norm(y)**2 + f(z) - f(z)", {"method": ("z = (1/m)*x",)}, None),
    "a point of a root": ("f(z) <= f(z)", {"method": ("z = x/sqrt(m)",)}, None),
    "a point that a gradient is taken in": ("norm(f'(z))**2 >= 0", {"method": ("z = x/m",)}, None),
    "a point behind a point": ("f(w) <= f(w)", {"method": ("z = x/m", "w = z - y")}, None),
    "a power": ("f(z) <= f(z)", {"method": ("z = m**(-1)*x",)}, None),
}


#: of a kind that the others show
FURTHER = (
    "0 before the factor", "a point behind a point", "a point that a gradient is taken in", "a power",
    "another coefficient of a sum",
)  # fmt: skip


@pytest.mark.parametrize("case", apart(UNDEFINED, *FURTHER))
def test_what_is_undefined_somewhere_on_the_domain_is_not_proved(case):
    claim, more, sums = UNDEFINED[case]
    rate = Rate("u", {"f": "convex", "h": "convex"}, ("x", "y"), claim, where=("m >= 0",), sums=sums, **more)
    assert decide_rate(rate).status is Status.UNDECIDED
    assert decide_rate(replace(rate, where=("m > 0",))).status is Status.PROVED


@pytest.mark.parametrize(
    "given",
    [
        more(("m*norm(z)**2 <= 0", "dot((1/m)*x, z) <= 1")),
        more(("m*norm(z)**2 <= 0", "norm((1/m)*x)**2 <= 1")),
        more(("m*norm(z)**2 <= 0", "norm(x - (1/m)*y)**2 <= 1")),
        ("m*norm(z)**2 <= 0", "dot((1/sqrt(m))*x, y) <= 1"),
    ],
)
def test_a_hypothesis_without_a_value_is_not_met(given):
    """Where m = 0 it has none, and where m > 0 the other one says that z = 0."""
    rate = Rate("u", {"f": "convex"}, ("x", "y", "z"), "norm(z)**2 <= 0", (), given, ("m >= 0",))
    assert decide_rate(rate).status is Status.UNDECIDED
    vectors = {n: ("0",) if n != "z" else ("1",) for n in "xyz"}
    assert not refutes(rate, {"m": "0"}, vectors, {})
    assert refutes(replace(rate, given=given[:1]), {"m": "0"}, vectors, {})


@pytest.mark.parametrize(
    ("kind", "where", "claim"),
    [
        ("cocoercive_strongly_monotone(2, 1)", (), "norm(A(x))**2 <= 0"),
        ("cocoercive_strongly_monotone(mu, 1/mu)", ("mu > 0",), "norm(A(x))**2 <= 0"),  # mu times the identity
        ("cocoercive_strongly_monotone(mu, 2/mu)", ("mu > 0",), "norm(A(x))**2 <= 0"),
        ("lipschitz_strongly_monotone(2, 1)", (), "norm(A(x))**2 <= 0"),
    ],
)
def test_a_class_without_members_has_no_counterexample(kind, where, claim):
    verdict = decide_rate(Rate("e", {"A": kind}, ("x",), claim, where=where))
    assert verdict.status is (Status.REFUTED if "1/mu" in kind else Status.UNDECIDED)


@pytest.mark.parametrize(
    "kind", ["smooth_strongly_convex(1, 1)", "smooth_strongly_convex(2, 1)", "strongly_convex(-1)"]
)
def test_a_class_whose_conditions_no_number_meets_proves_nothing(kind):
    """Functions with mu = L there are, but the class's condition leaves them out: nothing is said of them."""
    verdict = decide_rate(Rate("e", {"f": kind}, ("x",), "norm(x)**2 <= 0"))
    assert verdict.status is Status.UNDECIDED and "empty" in verdict.reason


def test_a_sum_of_operators_is_an_operator():
    """S(x) is the vector A(x) + B(x), and no number that is free to choose."""
    sums = {"S": "A + 2*B"}
    rate = Rate(
        "s", {"A": "monotone", "B": "strongly_monotone(mu)"}, ("x", "y"), "S(x) >= 0", where=("mu > 0",), sums=sums
    )
    assert decide_rate(rate).status is Status.UNDECIDED
    claim = "dot(S(x) - S(y), x - y) >= {}*mu*norm(x - y)**2"
    assert decide_rate(replace(rate, claim=claim.format(2))).status is Status.PROVED
    assert decide_rate(replace(rate, claim=claim.format("2.01"))).status is Status.REFUTED


@pytest.mark.parametrize(
    ("claim", "where", "least"),
    [
        ("(s - 1)*f(x) <= w*f(x)", "s >= 1", "s >= 999/1000"),
        ("(s - 1)*f(x) + norm(x)**2 <= w*f(x) + c*norm(x)**2", "s >= 1", "s >= 999/1000"),
        ("(1 - s*L)*f(x) <= w*f(x)", "s*L <= 1", "s*L <= 1001/1000"),
        ("(2 - s)*f(x) + u*norm(x)**2 <= w*f(x) + 3*norm(x)**2", "s <= 2", "s <= 2001/1000"),
        ("(s - 1)*f(x) + w*norm(x - y)**2 <= w*f(x) + (s - 1)*norm(x - y)**2", "s >= 1", "s >= 999/1000"),
    ],
)
def test_a_weight_is_nonnegative_on_the_whole_domain(claim, where, least):
    """Its formula was read off at points of the domain, none of which lay between 999/1000 and 1."""
    find, weights = (("c",) if "c*" in claim else ()), tuple(w for w in "uw" if f"{w}*" in claim)
    rate = Rate("w", {"f": "convex"}, ("x", "y"), claim, (), (), (where, "L > 0", "s > 0"))
    assert decide_found(rate, find, weights, 4.0).status is Status.PROVED
    wider = decide_found(replace(rate, where=(least, "L > 0", "s > 0")), find, weights, 4.0)
    assert wider.status is Status.UNDECIDED and wider.certificate is None
    assert "w is not proved to be >= 0 on the domain" in wider.reason


@pytest.mark.parametrize(("kind", "claim", "proved"), [
    ("strongly_convex(0)", "f(y) <= f(x)", True),
    ("strongly_convex(0)", "f(x) <= f(y)", False),
    ("strongly_convex(2/4)", "norm(x - y)**2/4 <= f(x) - f(y)", True),
    ("strongly_convex(2/4)", "norm(x - y)**2/3 <= f(x) - f(y)", False),
])  # fmt: skip
def test_a_parameter_of_a_class_may_be_a_numeral(kind, claim, proved):
    """A quotient of numerals was no numeral, as it is in a certificate: the verifier refused the proof."""
    found = decide_rate(Rate("n", {"f": kind}, ("x", "y"), claim, ("f'(y) = 0",)))
    assert found.status is (Status.PROVED if proved else Status.REFUTED), found.reason
