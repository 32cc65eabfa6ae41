"""Sums in the other order and whole numbers in new names: a formula is defined afterwards only where it was before."""

from __future__ import annotations

from sequents import left, rule

from boundcheck.kernel.certificate import make, verify
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.statement import Claim


def _claim(text: str, where: str, integers: str) -> Claim:
    return Claim("c", (parse_relation(text),), (parse_relation(where),), frozenset(integers.split()))


def test_the_terms_of_a_sum_in_the_other_order_are_defined_as_they_stand():
    """The sum of k/k from -n to n has no value: its term 0/0 is the body 1 in no other form."""
    ones = "sum(1, t, -n, n)"
    back = rule("reverse", term="sum(k/k, k, -n, n)", new="t", body="1")
    exists = {**back, "then": [rule("defined", then=[rule("terms", term=ones, new="t")])]}
    closed = rule("closed-form", term=ones, new="t", by="t", then=[rule("identity")] * 2)
    claim = _claim("sum(k/k, k, -n, n) == 2*n + 1", "n >= 0", "n")
    assert not verify(make(claim, [exists, {**back, "then": [closed]}]), claim).valid
    assert left("n >= 0", "defined sum(k/k, k, -n, n)", back, "n")[0].endswith("t <= n |- t != 0 [n t]")
