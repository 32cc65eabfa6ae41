"""The normal form of terms is read again as itself, so that a cited claim and a written one meet."""

from __future__ import annotations

import pytest

from boundcheck.kernel.formula import parse
from boundcheck.kernel.proof.terms import canonical


@pytest.mark.parametrize(
    "text",
    ["4/9*(d/(d + 2))*N**3/t**2", "(a + b)/(c + d)/(e*f)", "1/((d + 2)*t)", "x/y/y", "(a + 1/(b*c))/(c + 1/(b*c))"],
)
def test_normal_form_of_quotients_is_stable(text):
    once = canonical(parse(text))
    assert canonical(once) is once


def test_quotients_that_differ_have_different_normal_forms():
    assert canonical(parse("N/(d + 2)/t")) is not canonical(parse("N/(d + 2)*t"))
    assert canonical(parse("N/t/t")) is not canonical(parse("N/t"))


def test_a_long_product_of_sums_stays_one_and_has_one_form():
    """Multiplied out in part it had 128 terms, each again a factor of what came behind: no text was longer."""
    factors = [f"(x{k} + 1)" for k in range(40)]
    product = canonical(parse("*".join(factors), proof=True))
    assert product.size < 2000
    assert product is canonical(parse("1*" + "*".join(factors), proof=True))
    assert product is not canonical(parse("*".join([*factors[:-1], "(x39 + 2)"]), proof=True))
