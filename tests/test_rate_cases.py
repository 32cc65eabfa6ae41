"""Roots, maxima and norms of rates: a change of parameters loses no point, and nothing undefined is proved."""

from __future__ import annotations

import copy
from dataclasses import replace

import numpy as np
import pytest
from rate_points import TERMS, holds, meant_at, taken_apart, value
from slow import more, thinned

from boundcheck.decide.quadratic import rate_engine, rate_search
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.decide.quadratic.rate_moves import _Root, expand_by_moves, now
from boundcheck.decide.quadratic.rate_search import decide_found
from boundcheck.decide.quadratic.witness import refutes
from boundcheck.kernel.check.rate_certificate import verify_rate
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.kernel.rate import Rate, RateError, expand
from boundcheck.kernel.rate_cases import CaseError, cases
from boundcheck.verdict import Status, Verdict

STRONG = {"f": "smooth_strongly_convex(mu, L)"}
PROX = Rate(
    "proximal point",
    {"f": "convex"},
    ("x0",),
    "f(x1) - f(xs) <= 1/(4*a)*norm(x0 - xs)**2",
    method=("xs = 0", "f'(xs) = 0", "x1 = x0 - a*f'(x1)"),
    where=("a > 0",),
)
TWO = Rate(
    "two points", STRONG, ("x0", "y0"), "", ("x1 = x0 - g*f'(x0)", "y1 = y0 - g*f'(y0)"), where=("g > 0", "mu > 0")
)


@pytest.mark.parametrize(("text", "where"), TERMS)
def test_every_point_of_the_domain_is_one_of_the_new_domain(text, where):
    term, found, domain = taken_apart(text, where)
    rng, tried = np.random.default_rng(1), 0
    names = sorted(term.free.union(*(r.free for r in domain)))
    while tried < 40:
        at = dict(zip(names, rng.uniform(-3, 3, len(names)), strict=True))
        if not all(value(r.gap, at) > 1e-6 for r in domain):
            continue
        tried += 1
        meant = [meant_at(c, at) for c in found]
        fitting = [k for k, c in enumerate(found) if all(holds(r, meant[k]) for r in c.where)]
        assert fitting
        for k in fitting:
            new = now(found[k], term)
            assert not any(n.op in ("max", "min", "abs") or (n.op == "sqrt" and n.free) for n in new.walk())
            assert value(new, meant[k]) == pytest.approx(value(term, at), rel=1e-9, abs=1e-9)
            for old, _ in found[k].steps:
                if old.op == "var":
                    assert value(now(found[k], old), meant[k]) == pytest.approx(
                        meant[k][old.value], rel=1e-7, abs=1e-9
                    )


@pytest.mark.parametrize(("text", "where"), thinned(TERMS, 6))
def test_every_point_of_the_new_domain_is_one_of_the_old_with_the_same_value(text, where):
    """The kernel does not ask for it; but a case with more points may be false where the claim is true."""
    term, found, domain = taken_apart(text, where)
    rng, met = np.random.default_rng(2), 0
    for case in found:
        gone = {old.value for old, _ in case.steps if old.op == "var"}
        names = sorted({n for n, _ in case.meaning} | (term.free.union(*(r.free for r in domain)) - gone))
        for _ in range(3000):
            at = dict(zip(names, rng.uniform(-5, 5, len(names)), strict=True))
            new = {n: v for n, v in at.items() if n not in gone}
            try:
                if not all(holds(r, new) and abs(value(r.gap, new)) > 1e-6 for r in case.where):
                    continue
                old = new | {n: value(now(case, parse(n)), new) for n in gone}
            except (ZeroDivisionError, OverflowError):
                continue
            met += 1
            assert all(holds(r, old) for r in domain)
            assert value(term, old) == pytest.approx(value(now(case, term), new), rel=1e-6, abs=1e-6)
    assert met >= 10


def test_a_wrong_guess_of_a_sign_proves_nothing(monkeypatch):
    rate = replace(PROX, claim=PROX.claim.replace("1/(4*a)", "c"), where=("a > 0", "m**2 <= 1", "k >= -1", "k <= 1"))
    assert decide_rate(replace(rate, claim=rate.claim.replace("c*", "1/(4*a)*"))).status is Status.PROVED
    terms = ("(1 + sqrt(k**2*m**2))/(4*a)", "(1 + sqrt((2 - m)*(2 + m)))/(4*a)", "(1 + sqrt(m**2*(2 + k)))/(4*a)")
    good = [decide_rate(replace(rate, claim=rate.claim.replace("c*", f"{t}*")), 3.0).status for t in terms]
    assert Status.REFUTED not in good
    monkeypatch.setattr(_Root, "sign", lambda self, q: 2)
    for term in (terms[0], terms[2]):  # |k m| and |m| become k m and m
        undecided(replace(rate, claim=rate.claim.replace("c*", f"{term}*")))
        false = replace(rate, claim=rate.claim.replace("c*", f"0.9*{term}*"))  # where k m is near 0
        assert decide_rate(false, 3.0).status is not Status.PROVED


def undecided(rate: Rate, reason: str = "") -> None:
    verdict = decide_rate(rate, 3.0)
    assert verdict.status is Status.UNDECIDED and reason in verdict.reason, (verdict.status, verdict.reason)


@pytest.mark.parametrize(
    ("factor", "good", "bad"),
    [
        ("(1 + sqrt(m - 1))", "m >= 1", "m >= 0"),
        ("(1 + sqrt(m/k))", "k > 0", "k >= 0"),
        ("(1 + sqrt(m*k**2))", "m >= 0", "m >= -1"),
        more("(1 + sqrt(1 - m**2))", "m**2 <= 1", "m > 0"),
        ("(1 + sqrt(4*m**2 - k))", "k <= 0", "k <= 1"),
        more("(1 + 1/sqrt(m))", "m > 0", "m >= 0"),
    ],
)
def test_what_is_undefined_somewhere_is_not_proved(factor, good, bad):
    claim = PROX.claim.replace("1/(4*a)", f"1/(4*a)*{factor}")
    names = [n for n in ("m", "k") if n in factor]
    loose = tuple(f"{n} >= 0" for n in names if n not in good) if "m" not in good else ()
    rate = replace(PROX, claim=claim, where=("a > 0", good, *loose, *(f"{n} >= -10" for n in names)))
    verdict = decide_rate(rate)
    assert verdict.status is Status.PROVED, verdict.reason
    assert verify_rate(verdict.certificate, rate).valid
    worse = replace(rate, where=("a > 0", bad, *loose, *(f"{n} >= -10" for n in names)))
    undecided(worse, " on the domain")
    assert not verify_rate(verdict.certificate, worse).valid


def test_a_certificate_needs_what_its_cases_rest_on():
    rate = replace(PROX, claim=PROX.claim.replace("1/(4*a)", "1/(4*a)*(1 + sqrt(m - 1))"), where=("a > 0", "m >= 1"))
    expanded, moves = expand_by_moves(rate)
    data, count = decide_rate(rate).certificate, len(expanded.cases)
    assert moves and data["moves"] == moves
    assert len(data["cases"]) == count + len(expanded.defined) > count
    assert verify_rate(data, rate).valid
    assert not verify_rate({**data, "cases": data["cases"][:count]}, rate).valid
    assert not verify_rate({**data, "cases": [*data["cases"][:-1], data["cases"][0]]}, rate).valid
    for k in range(count, len(data["cases"])):
        forged = copy.deepcopy(data)
        forged["cases"][k]["claim"]["where"] = ["m >= 5"]
        assert not verify_rate(forged, rate).valid


def test_all_that_a_rate_asks_shares_one_time(monkeypatch):
    """Where each question takes all of its time, cases and what must be defined together take the time of the rate."""
    rate = replace(PROX, claim=PROX.claim.replace("1/(4*a)", "1/(4*a)*(1 + sqrt(m - 1))"), where=("a > 0", "m >= 1"))
    used, handed = [0.0], []

    def slow(claim, refuting=True, seconds=0.0, splits=0):
        handed.append(seconds)
        used[0] += seconds
        return Verdict("claim", Status.PROVED, certificate={})

    monkeypatch.setattr(rate_engine, "decide_gram", slow)
    monkeypatch.setattr(rate_engine, "seconds_used", lambda: used[0])
    assert decide_rate(rate, 8.0).status is Status.UNDECIDED  # these certificates are refused
    expanded, _ = expand_by_moves(rate)
    assert len(handed) == len(expanded.cases) + len(expanded.defined) > len(expanded.cases)
    assert sum(handed) == pytest.approx(8.0) and max(handed) == pytest.approx(min(handed))


def test_norms_are_squared_where_their_factors_have_a_sign():
    both = replace(TWO, claim="norm(x1 - y1) <= max(1 - g*mu, g*L - 1)*norm(x0 - y0)")
    assert decide_rate(both).status is Status.PROVED
    assert decide_rate(replace(both, claim=both.claim.replace("max", "0.99*max"))).status is Status.REFUTED
    one = replace(both, claim="norm(x1 - y1) <= (1 - g*mu)*norm(x0 - y0)")
    assert decide_rate(one).status is Status.REFUTED
    assert decide_rate(replace(one, where=(*one.where, "g <= 2/(L + mu)"))).status is Status.PROVED


@pytest.mark.parametrize(
    "claim",
    [
        "-2*norm(x0) <= norm(x0)",
        "(k - 10)*norm(x0) <= norm(x0)",
        "norm(x0) <= (k - 1)*norm(x0)",
        "norm(x0) >= -3*norm(x1)",
    ],
)
def test_a_factor_without_a_sign_decides_nothing_by_squares(claim):
    rate = replace(PROX, claim=claim, where=("a > 0", "k >= 0", "k <= 2"))
    assert decide_rate(rate, 3.0).status is not Status.PROVED
    true = claim != "norm(x0) <= (k - 1)*norm(x0)"
    assert not true or decide_rate(rate, 3.0).status is Status.UNDECIDED


def test_a_witness_tells_the_parameters_of_the_text():
    rate = replace(
        TWO, claim="norm(x1 - y1) <= 0.99/sqrt(k)*norm(x0 - y0)", method=("L = mu*k", "g = 1/L", *TWO.method)
    )
    witness = decide_rate(replace(rate, where=("mu > 0", "k > 1"))).witness
    assert witness and not any("__" in name for name in witness)
    assert float(parse(witness["k"]).value) == pytest.approx(float(parse(witness["sqrt(k)"]).value) ** 2)


def test_numbers_under_roots_are_refuted_in_balls_and_proved():
    rate = replace(
        PROX, claim="f(x1) - f(xs) <= c*norm(x0 - xs)**2", method=(*PROX.method[:2], "x1 = x0 - sqrt(2)*f'(x1)")
    )
    for factor, wanted in (
        ("sqrt(2)/8", Status.PROVED),
        ("0.99*sqrt(2)/8", Status.REFUTED),
        ("0.1767", Status.REFUTED),
    ):
        own = replace(rate, claim=rate.claim.replace("c*", f"{factor}*"), where=())
        verdict = decide_rate(own)
        assert verdict.status is wanted, verdict.reason
    about = expand(own).cases[0]
    vectors = dict.fromkeys(about.vectors, ("0",))
    assert not refutes(own, {}, vectors, {"at(f, x1)": "0", "at(f, xs)": "0"})


def test_a_parameter_that_is_called_as_a_root_is_not_that_root():
    """False where root_2_1_ is 0, and true where it is sqrt(2): it was proved for all values."""
    claim = PROX.claim.replace("1/(4*a)", "root_2_1_/(4*a)")
    rate = replace(PROX, claim=claim, where=("a > 0", "root_2_1_ >= 0", "a <= sqrt(2)"))
    assert decide_rate(rate).status is not Status.PROVED
    other = decide_rate(replace(rate, claim=claim.replace("root_2_1_", "k"), where=("a > 0", "k >= 0", "a <= 2")))
    assert other.status is Status.REFUTED


@pytest.mark.parametrize("term", ["clip(5, 1)", "E(1)", "ind(1 <= 2)", "P(1 <= 2)", "at(f, x0)", "at (f, x0)"])
def test_a_term_of_another_vocabulary_is_no_number_free_to_choose(term):
    """True where the term is 1, as the first four are: it was refuted with clip(5, 1) = 25/11."""
    rate = replace(PROX, claim=f"{PROX.claim} + 1 - {term}")
    with pytest.raises(RateError, match=r"unknown function|at is no function"):
        expand(rate)
    undecided(rate, "function")
    vectors, levels = {"x0": ("1",), "f__x1": ("1/2",)}, {"at(f, x1)": "1/4", "at(f, xs)": "0", term: "9"}
    assert not refutes(rate, {"a": "1"}, vectors, levels)


def test_a_step_of_any_size_is_split_where_its_multipliers_change_sign():
    rate = replace(
        TWO,
        points=("x0",),
        method=("xs = 0", "f'(xs) = 0", "x1 = x0 - g*f'(x0)"),
        claim="f(x1) - f(xs) <= max((1 - g*mu)**2, (1 - g*L)**2)*(f(x0) - f(xs))",
    )
    data = decide_rate(rate).certificate
    assert any("split" in case for case in data["cases"]) and verify_rate(data, rate).valid
    number = next(k for k, case in enumerate(data["cases"]) if "split" in case)
    for change in (
        lambda c: c.update(split="1/(g*L - 2)"),
        lambda c: c.update(split="g*L - 1"),
        lambda c: c.update(split="nowhere"),
        lambda c: c.update(parts=c["parts"][::-1]),
        lambda c: c.update(parts=c["parts"][:1]),
        lambda c: c["parts"].__setitem__(0, c["parts"][1]),
        lambda c: c["parts"].__setitem__(0, {"split": "g", "parts": [c, c]}),
    ):
        forged = copy.deepcopy(data)
        change(forged["cases"][number])
        assert not verify_rate(forged, rate).valid


def test_the_least_of_several_is_split_into_cases():
    rate = Rate("least", {"f": "smooth(L)"}, ("x0",), "", ("x1 = x0 - f'(x0)/L",), where=("L > 0",))
    claim = "min(norm(f'(x0))**2, norm(f'(x1))**2) <= c*L*(f(x0) - f(x1))"
    for c, wanted in (("4/3", Status.PROVED), ("0.99*4/3", Status.REFUTED)):
        assert decide_rate(replace(rate, claim=claim.replace("c*", f"{c}*"))).status is wanted


def test_too_many_cases_are_a_fault():
    many = "+".join(f"abs(a{k})" for k in range(6))
    with pytest.raises(CaseError):
        cases((), parse_relation(f"{many} >= 0"), (), ())


def test_a_constant_that_fits_and_is_false_is_undecided(monkeypatch):
    rate = replace(PROX, claim=PROX.claim.replace("1/(4*a)", "c"))
    assert decide_found(rate, ("c",)).status is Status.PROVED
    monkeypatch.setattr(rate_search, "monomial", lambda field, *_: field.number(0))
    verdict = decide_found(rate, ("c",))
    assert verdict.status is Status.UNDECIDED and "is refuted" in verdict.reason


def test_the_best_constant_may_have_roots():
    rate = replace(
        PROX, claim=PROX.claim.replace("1/(4*a)", "c"), method=(*PROX.method[:2], "x1 = x0 - sqrt(2*a)*f'(x1)")
    )
    verdict = decide_found(rate, ("c",))
    assert verdict.status is Status.PROVED and "sqrt(2*a)" in verdict.reason and "sqrt__" not in verdict.reason


def test_a_class_takes_terms_with_parentheses():
    rate = replace(
        PROX,
        functions={"f": "smooth_strongly_convex(mu, max(mu*(1 + k), sqrt(mu)))"},
        where=("a > 0", "mu > 0", "k > 0"),
    )
    assert len(expand(rate).cases) == 2
    with pytest.raises(RateError):
        expand(replace(rate, functions={"f": "smooth_strongly_convex(mu, max(mu, k)"}))
    with pytest.raises(RateError):
        expand(replace(rate, functions={"f": "smooth_strongly_convex(mu), (k)"}))
