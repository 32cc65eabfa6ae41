"""Sums of functions that have a class of their own: whether gradients of the terms add up to one of the sum."""

from __future__ import annotations

from dataclasses import replace

import pytest
from slow import apart, more

from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.kernel.check.rate_certificate import verify_rate
from boundcheck.kernel.rate import Rate
from boundcheck.kernel.rules.interpolation import CLASSES
from boundcheck.verdict import Status

#: F = f - h of a class: with f = h = |x| it is 0, and 1 - (-1) is no gradient of it at 0
DIFFERENCE = "F(x) >= F(y) + dot(f'(y) - h'(y), x - y)"


@pytest.mark.parametrize(
    ("f", "h", "F"),
    [
        ("convex", "convex", "convex"),
        ("convex", "lipschitz_convex(L)", "smooth_convex(L)"),
        ("strongly_convex(L)", "convex", "strongly_convex(L)"),
        ("lipschitz_convex(L)", "convex", "lipschitz_convex(L)"),
    ],
)
@pytest.mark.parametrize("total", ["f - h", "(2*f - 2*h)/2", more("-(h - f)")])
def test_subgradients_of_a_difference_need_not_be_one_of_it(f, h, F, total):
    rate = Rate("sum", {"f": f, "h": h, "F": F}, ("x", "y"), DIFFERENCE, (), (), ("L > 0",), {"F": total})
    verdict = decide_rate(rate)
    assert verdict.status is Status.UNDECIDED and "need not add up to one of F" in verdict.reason
    for name in ("f", "h"):  # what is smooth has one gradient at each point
        other = replace(rate, functions={**rate.functions, name: "smooth(L)"})
        assert decide_rate(other).status is Status.PROVED


def test_subgradients_of_several_terms_of_a_sum_with_both_signs():
    functions = {"f": "convex", "h": "convex", "k": "convex", "F": "convex"}
    claim = "F(x) >= F(y) + dot(f'(y) + h'(y) - k'(y), x - y)"
    rate = Rate("sum", functions, ("x", "y"), claim, sums={"F": "f + h - k"})
    assert decide_rate(rate).status is Status.UNDECIDED
    assert decide_rate(replace(rate, functions={**functions, "k": "smooth(2)"})).status is Status.PROVED
    free = replace(rate, functions={**functions, "k": "any"})
    assert decide_rate(free).status is Status.UNDECIDED  # f = k = |x|, h = 0: 1 - (-1) again
    whole = "F(x) >= F(y) + dot(F'(y), x - y)"
    assert decide_rate(replace(free, claim=whole)).status is Status.PROVED  # with what is left as gradients of k
    shared = replace(
        rate, functions={**functions, "k": "any", "G": "convex"}, sums={"F": "f + h - k", "G": "h - f - k"}
    )
    assert decide_rate(shared).status is Status.UNDECIDED  # one k cannot take up what is left of both
    operators = dict.fromkeys(functions, "monotone")
    monotone = (
        "dot(f(x) + h(x) - k(x) - f(y) - h(y) + k(y), x - y) >= 0"  # a sum of sets is all sums of their elements
    )
    assert decide_rate(replace(rate, functions=operators, claim=monotone)).status is Status.PROVED


@pytest.mark.parametrize(
    ("classes", "sums", "difference"),
    [
        ({"f": "convex", "h": "convex", "W": "smooth(L)"}, {"F": "f + u", "W": "h + u"}, "f'(y) + W'(y) - h'(y)"),
        ({"f": "convex", "h": "convex", "W": "convex"}, {"F": "f + u", "W": "h + u"}, "f'(y) + W'(y) - h'(y)"),
        ({"G": "convex", "K": "convex", "v": "any"}, {"F": "u - v", "G": "1*u", "K": "1*v"}, "G'(y) - K'(y)"),
    ],
)
def test_what_two_sums_share_is_a_difference(classes, sums, difference):
    """f = h = |x|, u = -|x| make F = W = 0, and 1 + 0 - (-1) no gradient of F; so do G = K = |x|."""
    functions = {**classes, "F": "convex", "u": "any"}
    claim = f"F(x) >= F(y) + dot({difference}, x - y)"
    rate = Rate("shared", functions, ("x", "y"), claim, (), (), ("L > 0",), sums)
    verdict = decide_rate(rate)
    assert verdict.status is Status.UNDECIDED and "stands in another sum too" in verdict.reason
    alone = replace(rate, claim="F(x) >= F(y) + dot(f'(y) + u'(y), x - y)", sums={"F": "f + u"})
    if "f" in classes:  # what F is beside f has the gradient that is left
        own = {"f": "convex", "F": "convex", "u": "any"}
        assert decide_rate(replace(alone, functions=own)).status is Status.PROVED
    apart = replace(rate, functions={**functions, "w": "any"}, sums={**sums, "F": sums["F"] + " + w"})
    assert "another sum" in decide_rate(apart).reason  # what W and K are made of is still shared


@pytest.mark.parametrize(
    ("change", "more", "told"),
    [
        ({"claim": DIFFERENCE, "method": ("k'(y) = 0",)}, "", "both signs"),
        ({"claim": DIFFERENCE, "given": ("norm(k'(y))**2 <= 0",)}, "", "both signs"),
        ({"claim": DIFFERENCE.replace(", x - y", " + k'(y), x - y")}, "", "both signs"),
        ({"claim": DIFFERENCE, "given": ("norm(G'(y))**2 <= 0",)}, "1*k", "another sum"),
        ({"claim": DIFFERENCE.replace(", x - y", " + G'(y), x - y")}, "k/2", "another sum"),
    ],
)
def test_a_term_of_which_gradients_are_spoken_of_takes_up_nothing(change, more, told):
    """With f = h = |x| and k = 0 its gradient is 0, and F = f - h + k = 0 has no gradient 1 - (-1) + 0."""
    functions = {"f": "convex", "h": "convex", "k": "any", "F": "convex"}
    sums = {"F": "f - h + k", **({"G": more} if more else {})}
    rate = replace(Rate("free", functions, ("x", "y"), DIFFERENCE, sums=sums), **change)
    verdict = decide_rate(rate)
    assert verdict.status is Status.UNDECIDED and told in verdict.reason
    silent = replace(rate, claim="F(x) >= F(y) + dot(F'(y), x - y) + 0*k(x)", method=(), given=())
    assert decide_rate(silent).status is Status.PROVED


def test_gradients_of_a_term_of_no_class_add_up_beside_smooth_terms():
    functions = {"f": "smooth(2)", "h": "smooth(3)", "k": "any", "F": "convex"}
    claim = DIFFERENCE.replace(", x - y", " + k'(y), x - y")
    assert decide_rate(Rate("s", functions, ("x", "y"), claim, sums={"F": "f - h + k"})).status is Status.PROVED


@pytest.mark.parametrize("total", ["f - h + 0*A", "f - h + A - A", "f + A"])
def test_a_sum_with_an_operator_is_no_function(total):
    """With f = h = |x| subgradients do not add up, which is asked of functions alone."""
    functions = {"f": "convex", "h": "convex", "A": "monotone", "F": "convex"}
    claim = "f(x) - h(x) >= f(y) - h(y) + dot(f'(y) - h'(y), x - y)"
    rate = Rate("mixed", functions, ("x", "y"), claim, sums={"F": total})
    verdict = decide_rate(rate)
    assert verdict.status is Status.UNDECIDED and "the sum has an operator" in verdict.reason
    operators = replace(
        rate, functions={**functions, "F": "monotone"}, claim="dot(F(x) - F(y), x - y) >= 0", sums={"F": total}
    )
    assert decide_rate(operators).status is Status.PROVED


@pytest.mark.parametrize(
    ("total", "claim", "where", "status"),
    [
        ("f + c*h", "f'(y) + c*h'(y)", "c >= 0", Status.PROVED),
        ("f + c*h", "f'(y) + c*h'(y)", "c >= -1", Status.UNDECIDED),
        ("f/c + h", "f'(y)/c + h'(y)", "c > 0", Status.PROVED),
        ("f/c + h", "f'(y)/c + h'(y)", "c <= -1", Status.UNDECIDED),
        ("-f - h", "-f'(y) - h'(y)", "c >= 0", Status.PROVED),
        ("0*f + h", "h'(y)", "c >= 0", Status.PROVED),
    ],
)
def test_subgradients_add_up_where_coefficients_are_of_one_sign(total, claim, where, status):
    functions = {"f": "convex", "h": "convex", "F": "convex"}
    text = f"F(x) >= F(y) + dot({claim}, x - y)"
    rate = Rate("sum", functions, ("x", "y"), text, (), (), (where,), {"F": total})
    verdict = decide_rate(rate)
    assert verdict.status is status
    if verdict.certificate is not None and "c" in total:
        cut = {**verdict.certificate, "cases": verdict.certificate["cases"][:1]}
        assert len(verdict.certificate["cases"]) > 1 and not verify_rate(cut).valid


@pytest.mark.parametrize(
    "name", apart([name for name, c in CLASSES.items() if not c.operator], "smooth_strongly_convex")
)
def test_a_class_is_differentiable_where_no_numbers_give_two_gradients_at_one_point(name):
    known = CLASSES[name]
    text = f"{name}({', '.join(known.parameters)})" if known.parameters else name
    method = ("y = x", "xs = 0") if known.points else ("y = x",)
    rate = Rate(name, {"f": text}, ("x",), "norm(f'(x) - f'(y))**2 <= 0", method)
    assert (decide_rate(rate).status is not Status.REFUTED) == known.differentiable


@pytest.mark.parametrize(
    ("functions", "total", "claim"),
    [
        ({"f": "convex", "i": "indicator", "F": "convex"}, "f + i", "dot(i'(x), y - x) <= f(y) - f(y)"),
        ({"f": "smooth(3)", "i": "indicator", "F": "strongly_convex(2)"}, "f + i", "f(y) + dot(i'(x), y - x) <= f(y)"),
        ({"f": "any", "i": "indicator", "F": "smooth_convex(2)"}, "f + i", "dot(i'(x), y - x) <= f(y) - f(y)"),
        (
            {"f": "convex", "i": "bounded_indicator(D)", "F": "convex"},
            "i + f",
            "norm(x - y)**2 <= D**2 + f(y) - f(y) + i(x)",
        ),
        (
            {"f": "convex", "h": "convex", "F": "indicator"},
            "f + h",
            "f(y) + dot(f'(x) + h'(x), y - x) <= f(y) + F(x)",
        ),
    ],
)
def test_a_point_of_one_term_need_not_lie_in_the_set_of_another_one(functions, total, claim):
    """f(y) has a value outside of the set too, where f + i has none: that f + i is convex says nothing of y."""
    rate = Rate("set", functions, ("x", "y"), claim, (), (), ("D >= 0",), {"F": total})
    assert decide_rate(rate).status is Status.UNDECIDED
    if functions["F"] != "indicator":
        free = replace(rate, functions={k: v for k, v in functions.items() if k != "F"})
        assert decide_rate(free).status is Status.REFUTED  # the same without a class of the sum
    inside = replace(rate, given=("F(y) <= F(y)",))
    assert decide_rate(inside).status is Status.PROVED


def test_points_of_terms_are_points_of_a_sum_where_no_sets_are():
    functions = {"f": "convex", "h": "convex", "F": "strongly_convex(m)"}
    claim = "f(x) + h(x) >= f(y) + h(y) + dot(f'(y) + h'(y), x - y) + m/2*norm(x - y)**2"
    rate = Rate("sum", functions, ("x", "y"), claim, (), (), ("m > 0",), {"F": "f + h"})
    assert decide_rate(rate).status is Status.PROVED
    assert decide_rate(replace(rate, claim=claim.replace("m/2", "m"))).status is not Status.PROVED
