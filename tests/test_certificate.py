"""Certificates: every rule proves a true goal and refuses its wrong twin; edited and hostile ones are refused."""

from __future__ import annotations

import ast
import copy
import json
import sys
import tomllib
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow import more, thinned

from boundcheck.decide import decide, prove, rules_used
from boundcheck.decide.certificates import make
from boundcheck.decide.scalar.sampling import points, values
from boundcheck.kernel.certificate import sequents, verify
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

CLAIMS = Path(__file__).parent.parent / "benchmarks" / "claims"
# (where, claim, a twin that is false and that the same search must not prove)
TWINS = [
    (["x >= 0"], "x + 1 > 0", "x - 1 > 0"),
    (["0 <= x", "x <= 1"], "x*(1 - x) <= 1/4", "x*(1 - x) <= 0.2499"),
    (["x > 0"], "log(x) <= x - 1", "log(x) <= 0.9999*(x - 1)"),
    (["x > 0"], "(1 + 1/x)**x < E", "(1 + 1/x)**x < 2.718"),
    (["a > 0", "b > 0"], "2*a*b <= a**2 + b**2", "2.001*a*b <= a**2 + b**2"),
    (["d >= 1", "S > 0", "a <= b*d", "b <= c"], "a <= c*d", "a <= c*d - 1"),
    (["x > 0", "y > 0", "x <= z", "z <= y"], "x/y <= 1", "x/y < 1"),
    (["0 < p", "p < 1"], "-p*log(p) - (1-p)*log(1-p) <= log(2)", "-p*log(p) - (1-p)*log(1-p) <= 0.6931"),
    (["L > 0", "0 < h < 2/L"], "h*(1 - L*h/2) <= 1/(2*L)", "h*(1 - L*h/2) <= 0.4999/L"),
    ([], "abs(x + y) <= abs(x) + abs(y)", "abs(x + y) < abs(x) + abs(y)"),
    more(["0 < q < 1", "0 < p < 1"], "p*log(p/q) + (1-p)*log((1-p)/(1-q)) >= 0",
     "p*log(p/q) + (1-p)*log((1-p)/(1-q)) > 0"),
    more(["x >= 1"], "1 + sqrt(2*x) <= (1 + sqrt(2))*sqrt(x)", "1 + sqrt(2*x) < (1 + sqrt(2))*sqrt(x)"),
    (["1 < p", "p <= 2", "y >= 1"], "1 + log(8*y**(1/p)) <= (1 + log(8))*(1 + log(y))",
     "1 + log(8*y**(1/p)) <= (0.9999 + log(8))*(1 + log(y))"),
    (["x >= 0"], "gamma(x + 1) > 0.88", "gamma(x + 1) > 0.89"),
    (["x != 0"], "exp(x) > 1 + x", "exp(x) > 1 + 1.001*x"),
    (["x >= y"], "atan(x) >= atan(y)", "atan(x) > atan(y)"),
]  # fmt: skip


@pytest.mark.parametrize(("where", "claim", "twin"), TWINS)
def test_true_claims_get_certificates_and_twins_none(where, claim, twin):
    true = Claim.read(claim, where)
    certificate, reason = prove(true, 4)
    assert certificate is not None, reason
    check = verify(json.loads(json.dumps(certificate)), true)
    assert check.valid, check.reason
    wrong = Claim.read(twin, where)
    assert prove(wrong, 0.2)[0] is None
    assert not verify(certificate, wrong).valid
    forged = make(wrong, certificate["proofs"])  # the proof of one claim under another's name
    assert not verify(forged, wrong).valid
    verdict = decide(wrong, 0.3)
    assert verdict.status is Status.REFUTED or (verdict.status is Status.UNDECIDED and wrong.claim[0].strict)


def certificates():
    return [(c, prove(c, 4)[0]) for c in (Claim.read(claim, where) for where, claim, _ in TWINS[:9])]


CERTIFICATES = certificates()


def mutations(node, path=()):
    """(path, changed value) for every number, text and list inside a proof."""
    if isinstance(node, dict):
        for k, v in node.items():
            yield from mutations(v, (*path, k))
    elif isinstance(node, list):
        if node:
            yield path, node[:-1]
        for i, v in enumerate(node):
            yield from mutations(v, (*path, i))
    elif isinstance(node, str):
        yield path, "-" + node if path[-1] in ("c",) else node + "x"
        yield path, 7
    elif isinstance(node, int):
        yield path, -node - 1
        yield path, None


def changed(certificate, path, value):
    out = copy.deepcopy(certificate)
    at = out
    for k in path[:-1]:
        at = at[k]
    at[path[-1]] = value
    return out


@pytest.mark.parametrize("index", range(len(CERTIFICATES)))
def test_mutated_proofs_are_refused_or_still_prove(index):
    claim, certificate = CERTIFICATES[index]
    refused = 0
    for path, value in list(mutations(certificate["proofs"], ("proofs",)))[:120]:
        check = verify(changed(certificate, path, value), claim, 20)
        refused += not check.valid
        assert check.valid or check.reason
    assert refused > 0


@pytest.mark.parametrize("path", [("claim", "claim"), ("claim", "where")])
def test_an_edited_claim_is_another_claim(path):
    for claim, certificate in CERTIFICATES:
        edited = copy.deepcopy(certificate)
        texts = edited[path[0]][path[1]]
        if not texts:
            continue
        texts[0] = texts[0] + " + 1"
        assert not verify(edited, claim).valid


def test_multiplier_sign_factor_and_leaf():
    claim = Claim.read("2*a*b <= a**2 + b**2", ["a > 0", "b > 0"])
    good = make(claim, [{"rule": "farkas", "terms": [{"c": "1", "times": "(a - b)**2"}]}])
    assert verify(good, claim).valid
    for bad in (
        {"c": "-1", "times": "(a - b)**2"},
        {"c": "1", "times": "(a + b)**2"},
        {"c": "1", "times": "(a - b)*(a - b + 0)*1"},
    ):
        assert not verify(make(claim, [{"rule": "farkas", "terms": [bad]}]), claim).valid
    line = Claim.read("x*(1 - x) <= 0.26", ["0 <= x <= 1"])
    tree = ["x", "1/2", 0, 0]
    assert verify(make(line, [{"rule": "cover", "tree": tree}]), line).valid
    for bad in (["x", "1/2", 0], ["x", "1/2", 0, None], ["y", "1/2", 0, 0], ["x", "1/2", 0, 1], [0, 0], 2, "0", {}):
        assert not verify(make(line, [{"rule": "cover", "tree": bad}]), line).valid


def test_hostile_certificates_are_refused_without_an_exception():
    claim = Claim.read("x + 1 > 0", ["x >= 0"])
    good = make(claim, [{"rule": "eval"}])
    assert verify(good, claim).valid
    deep: object = 0
    for _ in range(5000):
        deep = ["x", "1/2", deep, 0]
    nested: dict = {"rule": "drop", "keep": [0]}
    top = nested
    for _ in range(3000):
        child = {"rule": "drop", "keep": [0]}
        nested["then"] = [child]
        nested = child
    for bad in (
        None, [], 3, "x", {}, {"schema": 1}, {**good, "schema": True}, {**good, "schema": 2}, {**good, "proofs": []},
        {**good, "proofs": [None]}, {**good, "proofs": [{"rule": "magic"}]}, {**good, "proofs": [{"rule": ["eval"]}]},
        {**good, "claim": None}, {**good, "claim": {"claim": [], "where": [], "integers": []}},
        {**good, "claim": {"claim": ["x +"], "where": [], "integers": []}},
        make(claim, [{"rule": "cover", "tree": deep}]), make(claim, [top]),
        make(claim, [{"rule": "eval", "then": [{}]}]),
        make(claim, [{"rule": "expansion", "var": "x", "at": "0", "side": 1, "order": 10**9, "width": "1/2"}]),
        make(claim, [{"rule": "expansion", "var": "x", "at": "(" * 5000, "side": 1, "width": "1/2"}]),
        make(claim, [{"rule": "factor", "factors": [{"text": "(1+x)**1000000", "sign": 1}]}]),
        make(claim, [{"rule": "factor", "factors": [{"text": "x+1", "sign": 1}] * 401}]),
        make(claim, [{"rule": "enumerate", "var": "x", "from": 0, "to": 10**9}]),
        make(claim, [{"rule": "ladder", "var": "z", "end": "low", "at": "0"}]),
    ):  # fmt: skip
        check = verify(bad)
        assert not check.valid and check.reason and check.seconds < 20


KERNEL = Path(__file__).parent.parent / "boundcheck" / "kernel"


def outside(source: str) -> list[str]:
    """What a module of the kernel imports that is not of the kernel, of Python, or exact arithmetic."""
    names = []
    for node in ast.walk(ast.parse(source)):
        if isinstance(node, ast.ImportFrom):
            names.append(node.module or "")
        elif isinstance(node, ast.Import):
            names += [a.name for a in node.names]
    mine = ("boundcheck.kernel", "flint", "mpmath", "sympy")
    return [n for n in names if not n.startswith(mine) and n.partition(".")[0] not in sys.stdlib_module_names]


@pytest.mark.parametrize("path", sorted(KERNEL.rglob("*.py")), ids=lambda p: str(p.relative_to(KERNEL)))
def test_the_kernel_imports_nothing_from_outside_of_its_room(path):
    assert outside(path.read_text(encoding="utf-8")) == []


def test_an_import_from_outside_of_the_kernel_is_seen():
    planted = "def f():\n    from boundcheck.decide import decide\n    import ival\n"
    assert outside(planted) == ["boundcheck.decide", "ival"]


@pytest.mark.parametrize("index", range(len(CERTIFICATES)))
def test_a_proved_claim_is_never_violated_at_random_points(index):
    claim, certificate = CERTIFICATES[index]
    assert certificate is not None and rules_used(certificate)
    for seq in sequents(claim):
        names, columns = points(seq.hyps, seq)
        (gap,) = values((seq.goal.gap,), names, columns)
        with np.errstate(all="ignore"):
            assert not (gap < -1e-9 * (1 + np.abs(np.stack(columns)).max(axis=0) ** 2)).any()


@settings(max_examples=30, deadline=None, derandomize=True)
@given(st.integers(-3, 3), st.integers(-3, 3), st.integers(-3, 3), st.integers(-2, 2))
def test_quadratics_are_decided_like_their_discriminant(a, b, c, k):
    claim = Claim.read(f"({a})*x**2 + ({b})*x + ({c}) >= {k}")
    truth = (a > 0 and b * b <= 4 * a * (c - k)) or (a == 0 and b == 0 and c >= k)
    certificate, _ = prove(claim, 0.5)
    assert (certificate is None) or truth
    if certificate is not None:
        assert verify(certificate, claim).valid


def false_claims():
    out = []
    for f in sorted(CLAIMS.glob("*.toml")):
        for c in tomllib.loads(f.read_text())["claim"]:
            if c.get("truth") is False:
                out.append(Claim.read(c["claim"], c.get("where", []), tuple(c.get("integers", [])), c["name"]))
    return out


FALSE = false_claims()


@pytest.mark.parametrize("claim", thinned(FALSE[::6], 2), ids=lambda c: c.name)
def test_a_sample_of_false_claims_is_not_proved_without_the_refuter(claim):
    assert prove(claim, 0.2)[0] is None


@pytest.mark.campaign
@pytest.mark.parametrize("claim", FALSE, ids=lambda c: c.name)
def test_no_false_claim_is_proved_without_the_refuter(claim):
    assert prove(claim, 10)[0] is None


def test_empty_domains_and_undefined_formulas_are_told():
    empty = decide(Claim.read("x > 0", ["x > 1", "x < 1"]), 0.3)
    assert empty.status is Status.UNDECIDED and "empty" in empty.reason
    hole = decide(Claim.read("sqrt(x)**2 >= 0", ["x >= -1"]), 0.3)
    assert hole.status is Status.UNDECIDED and "undefined at" in hole.reason
    reasons = [decide(Claim.read(text), 0.3).reason for text in ("x/x == 1", "integral(1/t, t, 1, oo) <= 5")]
    assert reasons[0].startswith("the formula may be undefined: no tactic settles x != 0")
    assert reasons[1].startswith("the formula may be undefined: ") and "integral(1/t, t, 1, oo)" in reasons[1]
