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
