"""Families of claims by kind: what is called false is false by a second route, and no false claim has a proof."""

from __future__ import annotations

import tomllib
from pathlib import Path

import pytest
from slow import apart, more

from boundcheck.claims import read_claims
from boundcheck.decide.scalar.engine import search
from boundcheck.decide.scalar.witness_check import check_witness
from boundcheck.kernel.certificate import verify

FOLDER = Path(__file__).parent.parent / "benchmarks" / "claims"
FAMILIES = [f"kinds-{k}" for k in (4, 5, 6, 7)]
CLAIMS = {c.name: c for f in FAMILIES for c in read_claims(FOLDER / f"{f}.toml")}
RAW = {c["name"]: c for f in FAMILIES for c in tomllib.loads((FOLDER / f"{f}.toml").read_text())["claim"]}
FALSE = [n for n, c in RAW.items() if not c["truth"]]
#: one of each way of proof, decided within a second or two
QUICK = ["su-harmonic-upper", "su-squares-two", "su-geometric-base-zero", "su-geometric-signed", "in-log-slope",
         "in-log-squares", "in-gauss-tail", "in-power-tail", "wh-ceil-floor", "wh-super-additive",
         "wh-halves", "wh-triangle", "wh-no-square", "wh-gap", "wh-sign-bound", "va-machin", "va-nested"]  # fmt: skip


@pytest.mark.parametrize("family", FAMILIES)
def test_a_family_is_large_enough_and_a_third_of_it_is_false(family):
    names = [c.name for c in read_claims(FOLDER / f"{family}.toml")]
    assert len(names) >= 25 and sum(n in FALSE for n in names) >= len(names) / 3


@pytest.mark.parametrize("name", apart(FALSE, "su-root-upper-c", "in-log-squares-b", "in-root-end-b"))
def test_a_false_claim_is_broken_by_its_witness(name):
    """In balls, and in mpmath with 50 digits."""
    assert check_witness(CLAIMS[name], RAW[name]["witness"])


@pytest.mark.parametrize("name", [*QUICK, more("su-bernoulli")])
def test_a_true_claim_has_a_proof_that_the_kernel_accepts(name):
    found = search(CLAIMS[name], 10)
    assert found.certificate is not None, found.reason
    assert verify(found.certificate, CLAIMS[name]).valid


@pytest.mark.campaign
@pytest.mark.parametrize("name", FALSE)
def test_no_false_claim_has_a_proof(name):
    """With refutation off."""
    assert search(CLAIMS[name], 6).certificate is None
