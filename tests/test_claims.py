"""The claims file: what is read, what is refused and how it is said; claims from sympy."""

from __future__ import annotations

import re
from pathlib import Path

import pytest
import sympy as sp
from slow import more

from boundcheck.claims import ClaimFileError, as_claim, claim_from_sympy, depth, read_claims
from boundcheck.decide import decide
from boundcheck.kernel.formula import FormulaError, parse
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

BENCHMARKS = Path(__file__).parent.parent / "benchmarks" / "claims"


def write(tmp_path: Path, text: str) -> Path:
    file = tmp_path / "claims.toml"
    file.write_text(text)
    return file


def faults(tmp_path: Path, text: str) -> list[str]:
    with pytest.raises(ClaimFileError) as caught:
        read_claims(write(tmp_path, text))
    return [str(f).replace(str(tmp_path), "") for f in caught.value.faults]


def test_public_claims_are_read_without_warning():
    warnings: list[str] = []
    claims = [c for f in sorted(BENCHMARKS.glob("*.toml")) for c in read_claims(f, warnings.append)]
    assert len(claims) >= 341 and warnings == []
    assert len({c.name for c in claims}) == len(claims)


def test_a_claim_is_read_exactly(tmp_path):
    (claim,) = read_claims(
        write(
            tmp_path,
            '[[claim]]\nname = "a"\nwhere = ["0 < x <= 0.1", "n >= 1"]\nclaim = "x**n <= 0.1"\nintegers = ["n"]\n',
        )
    )
    assert claim == Claim.read("x**n <= 1/10", ["0 < x", "x <= 1/10", "n >= 1"], ("n",), "a")


def test_all_faults_are_told_at_once(tmp_path):
    found = faults(
        tmp_path,
        """
[[claim]]
name = "one"
claim = "x^2 >= 0"
[[claim]]
name = "one"
where = ["x > 0", "ln(x) > 0"]
claim = "x >= sqt(x)"
[[claim]]
claim = 3
where = "x > 0"
integers = ["n", 1]
[[claim]]
name = ""
claim = "x + 1"
[[claim]]
name = "typo"
claim = "m >= 0"
where = ["integer m"]
integers = ["n"]
""",
    )
    assert found == [
        "/claims.toml: claim one: claim column 2: unexpected '^'; write ** for a power",
        "/claims.toml: claim one: claim column 6: unknown function sqt; did you mean sqrt?",
        "/claims.toml: claim one: where[1] column 1: unknown function ln; did you mean log?",
        "/claims.toml: claim one: name: used before, by claim #1; names are unique",
        "/claims.toml: claim #3: name: missing",
        "/claims.toml: claim #3: claim: a text is wanted, not an integer",
        '/claims.toml: claim #3: where: a list of texts is wanted, not a text; write where = ["x > 0"]',
        "/claims.toml: claim #3: integers: a list of names is wanted, not a list with other things than texts; "
        'write integers = ["n"]',
        "/claims.toml: claim #4: name: a name that is not blank is wanted",
        "/claims.toml: claim #4: claim: a relation (<, <=, >, >=, ==, !=) is wanted",
        '/claims.toml: claim typo: where[0] column 9: no condition; write integers = ["m"] in the table',
        "/claims.toml: claim typo: integers: n does not occur in the claim",
    ]


def test_unknown_keys_warn_and_do_not_stop(tmp_path):
    warnings: list[str] = []
    file = write(tmp_path, 'title = "x"\n[[claim]]\nname = "a"\nclaim = "x >= x"\nwher = ["x > 0"]\ntruth = true\n')
    assert len(read_claims(file, warnings.append)) == 1
    assert len(warnings) == 2 and "title" in warnings[0] and "did you mean where?" in warnings[1]


@pytest.mark.parametrize(
    ("table", "told"),
    [
        ("[[claims]]", "claims are not read; did you mean claim?"), ("[[statment]]", "did you mean statement?"),
        ("[rates]", "did you mean rate?"), ("[[lemma]]", "what is decided is called claim, rate, statement"),
    ],
)  # fmt: skip
def test_what_is_to_be_decided_is_not_passed_over(tmp_path, table, told):
    said = '[[claim]]\nname = "a"\nclaim = "x >= x"\n'
    with pytest.raises(ClaimFileError, match=re.escape(told)):
        read_claims(write(tmp_path, said + table + '\nname = "b"\nclaim = "x > x"\n'))
    warnings: list[str] = []
    assert len(read_claims(write(tmp_path, said + "[about]\nauthor = 'A'\n"), warnings.append)) == 1 == len(warnings)


def test_free_text_is_never_read(tmp_path):
    one = read_claims(write(tmp_path, '[[claim]]\nname = "a"\nclaim = "x >= 0"\ntruth = true\n'))
    two = read_claims(write(tmp_path, '[[claim]]\nname = "a"\nclaim = "x >= 0"\ntruth = false\nwitness = {x = 3}\n'))
    assert one == two


@pytest.mark.parametrize("text", ["", "claim = 3\n", "claim = []\n", "claim = [1]\n"])
def test_no_claims(tmp_path, text):
    assert faults(tmp_path, text)


def test_missing_files_and_folders(tmp_path):
    with pytest.raises(ClaimFileError, match="no such file"):
        read_claims(tmp_path / "none.toml")
    with pytest.raises(ClaimFileError, match="not a regular file"):
        read_claims(tmp_path)


def test_depth_is_iterative():
    assert depth(parse("x")) == 1 and depth(parse("x+(y+z)")) == 3


# ------------------------------------------------------------------ sympy

X = sp.Symbol("x", positive=True)
N = sp.Symbol("n", integer=True, nonnegative=True)
T = sp.Symbol("t", real=True)


def test_sympy_relations_become_claims():
    claim = claim_from_sympy(sp.Le(sp.log(X), X - 1), name="log")
    assert claim.variables == ("x",) and str(claim.where[0]) == "x > 0" and claim.name == "log"
    claim = claim_from_sympy(sp.Ge((1 + X) ** N, 1 + N * X))
    assert claim.integers == {"n"} and {str(w) for w in claim.where} == {"n >= 0", "x > 0"}
    claim = claim_from_sympy(sp.Le(sp.Integral(sp.exp(-T * X), (T, 0, sp.oo)), 1 / X))
    assert "integral(exp((-1)*t*x), t, 0, oo)" in str(claim)
    claim = claim_from_sympy(sp.And(sp.Ge(sp.Min(T, 1), -5), sp.pi > T), [sp.Gt(T, -5), "t <= 1"])
    assert len(claim.claim) == 2 and len(claim.where) == 2


def test_sympy_floats_and_strangers_are_refused():
    with pytest.raises(FormulaError, match="Rational"):
        claim_from_sympy(sp.Le(X, sp.Float("0.1")))
    with pytest.raises(FormulaError, match="no counterpart"):
        claim_from_sympy(sp.Le(sp.zeta(X), 3))
    for two in (sp.LambertW(X, -1), sp.Function("log")(X, 10)):  # another branch, another base
        with pytest.raises(FormulaError, match="has one argument"):
            claim_from_sympy(sp.Le(two, X, evaluate=False))
    assert str(claim_from_sympy(sp.Le(sp.LambertW(X), X)).claim[0]) == "lambertw(x) <= x"
    with pytest.raises(FormulaError, match="not real"):
        claim_from_sympy(sp.Le(abs(sp.Symbol("z", imaginary=True)), X))
    with pytest.raises(FormulaError, match="rename"):
        claim_from_sympy(sp.Le(sp.Symbol("exp"), X))
    with pytest.raises(TypeError, match="a relation is wanted"):
        claim_from_sympy(X + 1)
    with pytest.raises(TypeError, match="evaluate=False"):
        claim_from_sympy(sp.Ge(X, 0))


def test_as_claim():
    claim = as_claim("0 < x < 1", ["x > 0"])
    assert as_claim(claim) is claim and len(claim.claim) == 2
    assert as_claim(sp.Ge(X, 0, evaluate=False)).where


def test_two_symbols_of_one_name_are_not_one_variable():
    """x*y >= 0 for x > 0 is false, and integral(t, s, 0, 1) is t: a claim would say x and t for both."""
    x, positive = sp.Symbol("x"), sp.Symbol("x", positive=True)
    t, bound = sp.Symbol("t"), sp.Dummy("t")
    for relation, where in (
        (positive * x >= 0, ()),
        (x**3 >= 0, (positive > 1,)),
        (sp.Eq(sp.Integral(t, (bound, 0, 1)), sp.Rational(1, 2)), ()),
        (sp.Eq(sp.Sum(t, (bound, 1, 3)), 6), ()),
        (sp.And(x >= 0, positive >= 1), ()),
    ):
        with pytest.raises(FormulaError, match="two different symbols are called"):
            claim_from_sympy(relation, where)
    own = sp.Eq(sp.Integral(t, (t, 0, 1)), t, evaluate=False)
    assert str(claim_from_sympy(own)) == "integral(t, t, 0, 1) == t"


K, M = sp.Symbol("k", integer=True), sp.Symbol("m", integer=True)
UNSAID = ["even", "odd", "prime", "composite", "irrational", "noninteger", "transcendental"]


@pytest.mark.parametrize("assumed", [*({k: True} for k in UNSAID), {"integer": False}, {"rational": True}])
def test_what_sympy_assumes_and_no_condition_says_is_refused(assumed):
    """x != 1/2 holds for every irrational x; it was asked of every x."""
    x = sp.Symbol("x", **assumed)
    for relation, where in ((sp.Ne(x, sp.pi, evaluate=False), ()), (sp.Le(T, T**2, evaluate=False), (sp.Ge(x, T),))):
        with pytest.raises(FormulaError, match="which no condition of a claim says"):
            claim_from_sympy(relation, where)


@pytest.mark.parametrize(
    ("assumed", "said"),
    [
        ({"zero": True}, "x == 0"),
        ({"extended_positive": True}, "x > 0"),
        ({"extended_nonnegative": True}, "x >= 0"),
        ({"positive": False}, "x <= 0"),
        ({"negative": False, "nonzero": True}, "x > 0"),
        ({"nonzero": True}, "x != 0"),
        ({"finite": True}, ""),
        ({"complex": True}, ""),
        ({}, ""),
    ],
)
def test_what_sympy_assumes_of_signs_is_a_condition(assumed, said):
    claim = claim_from_sympy(sp.Ne(sp.Symbol("x", **assumed), sp.pi, evaluate=False))
    assert [str(r) for r in claim.where] == ([said] if said else [])


def test_what_sympy_assumes_of_a_condition_holds_for_a_claim_that_is_a_text():
    assert decide(as_claim("m >= 1", [sp.Gt(M, 0)]), 2.0).status is Status.PROVED
    assert decide(as_claim("x*m >= 1", [sp.Gt(M, 0), X > 1]), 2.0).status is Status.PROVED
    assert decide(as_claim("m >= 1", ["m > 0"]), 2.0).status is Status.REFUTED
    assert decide(as_claim("x >= 0", [sp.Ge(X, -5, evaluate=False)]), 2.0).status is Status.PROVED
    with pytest.raises(FormulaError, match="even"):
        as_claim("m >= 1", [sp.Gt(sp.Symbol("m", even=True), 0)])


SUM = sp.Sum(K, (K, 1, M))
GAUSS = sp.Eq(SUM, M * (M + 1) / 2, evaluate=False)


@pytest.mark.parametrize(
    ("relation", "status"),
    [
        (sp.Eq(sp.Sum(K, (K, 3, 1)), 0, evaluate=False), Status.REFUTED),
        (sp.Eq(sp.Sum(K, (K, 3, 1)), -2, evaluate=False), Status.PROVED),
        (sp.Ge(sp.Sum(1, (K, 1, M)), 0, evaluate=False), Status.REFUTED),
        (sp.Eq(sp.Sum(K, (K, 3, 2)), 0, evaluate=False), Status.PROVED),
        (sp.Eq(sp.Sum(sp.Sum(1, (T, 3, 1)), (K, 2, 0)), 1, evaluate=False), Status.PROVED),
    ],
)
def test_a_sum_means_what_it_means_in_sympy(relation, status):
    """From 3 to 1 it is minus the term at 2, where a sum of a claim has no terms."""
    assert decide(claim_from_sympy(relation), 3.0).status is status


def test_a_sum_of_sympy_whose_ends_are_in_order_is_one_of_a_claim():
    assert decide(claim_from_sympy(GAUSS), 1.0).status is not Status.REFUTED  # it was, at -2
    for where in ([M >= 0], ["m >= 0"], [M > 3, "m <= 7"]):
        claim = claim_from_sympy(GAUSS, where)
        assert str(claim.claim[0].lhs) == "sum(k, k, 1, m)" and decide(claim, 3.0).status is Status.PROVED
    nested = claim_from_sympy(sp.Le(sp.Sum(T, (T, 0, K), (K, 0, M)), 0), [M >= 0])
    assert str(nested.claim[0].lhs) == "sum(sum(t, t, 0, k), k, 0, m)"
    loose = claim_from_sympy(sp.Le(sp.Sum(T, (T, 2, K), (K, 0, M)), 0), ["k >= 9"])  # of another k
    assert str(loose.claim[0].lhs).count("sum(t, t,") == 4


@pytest.mark.parametrize("part", [1 / T, sp.log(T), more(sp.Sum(K**T, (K, 1, sp.oo)))])
def test_nothing_times_what_has_no_value_of_sympy_is_not_nothing(part):
    """0 times 1/t is no number at t = 0, in sympy and in a claim."""
    claim = claim_from_sympy(sp.Le(sp.Mul(0, part, evaluate=False), 1, evaluate=False))
    assert str(claim).startswith("0*") and decide(claim, 1.0).status is Status.UNDECIDED
