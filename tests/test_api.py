"""The Python front door: boundcheck.decide on claims, texts and sympy relations; verdicts have no truth value."""

import subprocess
import sys

import pytest
import sympy as sp

import boundcheck
from boundcheck.claims import Claim
from boundcheck.kernel.formula import FormulaError
from boundcheck.verdict import Status


def test_texts_claims_and_sympy_relations_mean_the_same():
    x = sp.Symbol("x", positive=True)
    text = Claim.read("log(x) <= x - 1", ["x > 0"])
    for claim, where in (("log(x) <= x - 1", ["x > 0"]), (text, ()), (sp.log(x) <= x - 1, ())):
        assert boundcheck.decide(claim, where).status is Status.PROVED
    for claim, where in (("log(x) <= x - 1.01", ["x > 0"]), (sp.log(x) <= x - sp.Rational(101, 100), ())):
        found = boundcheck.decide(claim, where)
        assert found.status is Status.REFUTED and set(found.witness) == {"x"}


def test_a_verdict_has_no_truth_value():
    with pytest.raises(TypeError, match="no truth value"):
        bool(boundcheck.decide("x**2 >= 0"))


def test_what_is_no_claim_is_refused():
    with pytest.raises(FormulaError):
        boundcheck.decide("x ^ 2 >= 0")
    with pytest.raises(TypeError):
        boundcheck.decide(3)
    with pytest.raises(AttributeError, match="no attribute 'decode'"):
        boundcheck.decode  # noqa: B018


def test_the_engines_load_only_when_asked_for():
    code = "import sys, boundcheck as b; assert 'flint' not in sys.modules; b.decide; assert 'flint' in sys.modules"
    subprocess.run([sys.executable, "-c", code], check=True, timeout=60)
