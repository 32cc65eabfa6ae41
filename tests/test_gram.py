"""Quadratic forms in free vectors: verdicts for all parameters, certificates refused after a change, witnesses."""

from __future__ import annotations

import copy
import json
from fractions import Fraction

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st

from boundcheck.decide.quadratic.gram_engine import Engine, Neighbour, decide_gram
from boundcheck.decide.quadratic.gram_sharp import sharp_constant, simplest_between
from boundcheck.decide.quadratic.gram_witness import Counterexample
from boundcheck.decide.quadratic.witness import check_witness
from boundcheck.kernel.check.gram_certificate import verify_gram
from boundcheck.kernel.check.quadratic import problem
from boundcheck.kernel.clock import budget
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.statement import GramClaim
from boundcheck.verdict import Status


def claim(vectors: str, goal: str, hypotheses: tuple[str, ...] = (), where: tuple[str, ...] = ()) -> GramClaim:
    def read(text: str):
        return parse_relation(text, proof=True)

    return GramClaim("test", tuple(vectors.split()), read(goal), tuple(map(read, hypotheses)), tuple(map(read, where)))


def one_step(c: str, steps: str = "alpha <= 1/(4*L)", low: str = "alpha > 0") -> GramClaim:
    return claim(
        "G g e",
        f"fmu(y) <= fmu(x) - alpha/2*norm(G)**2 + ({c})*alpha*norm(e)**2",
        ("g == G + e", "fmu(y) <= fmu(x) - alpha*dot(G, g) + L*alpha**2/2*norm(g)**2"),
        ("L > 0", low, steps),
    )


def drift(two: str = "2", three: str = "3", low: str = "beta >= 1/2", high: str = "beta < 1") -> GramClaim:
    """The drift recurrence times 1 - beta, so that beta = 1 may be a closed end."""
    return claim(
        "w u b r m B",
        f"(1 - beta)*norm(w)**2 <= (1 - beta)*(1 + beta)/2*norm(u)**2 + ({two})*(1 - beta)**2*B**2 "
        f"+ ({three})*beta**2*L**2*alpha**2*norm(m)**2",
        ("w == beta*u + (1 - beta)*b + r", "norm(b) <= B", "norm(r) <= beta*L*alpha*norm(m)"),
        ("L > 0", "alpha >= 0", low, high),
    )


PROVED = {
    "one step, the paper's constant": one_step("5/4"),
    "one step, sharp, whole range": one_step("1/2", "alpha <= 1/L"),
    "one step, alpha = 0 is a closed end": one_step("1/2", "alpha <= 1/L", "alpha >= 0"),
    "one step at one value of alpha": one_step("1/2", "alpha == 1/(4*L)"),
    "drift": drift(),
    "drift on the closed box": drift(high="beta <= 1"),
    "drift at beta = 1": drift(low="beta == 1", high="beta <= 1"),
    "drift for all beta in [0, 1)": drift(low="beta >= 0"),
    "polarization": claim("a b", "-dot(a, b) <= norm(a - b)**2/2 - norm(a)**2/2 - norm(b)**2/2"),
    "a square root in the domain": claim(
        "a b", "2*k*dot(a, b) <= norm(a)**2 + norm(b)**2/3", (), ("k >= 0", "k <= 1/sqrt(3)")
    ),
}
REFUTED = {
    "one step, below sharp": one_step("0.49"),
    "one step, beyond the range": one_step("1/2", "alpha <= 1.01/L"),
    "drift, 2 lowered": drift(two="0.9"),
    "drift, 3 lowered": drift(three="1.1"),
}


@pytest.mark.parametrize("name", PROVED)
def test_proved(name):
    verdict = decide_gram(PROVED[name])
    assert verdict.status is Status.PROVED, verdict.reason
    data = json.loads(json.dumps(verdict.certificate))
    assert verify_gram(data, PROVED[name]).valid


@pytest.mark.parametrize("name", REFUTED)
def test_refuted_by_explicit_vectors(name):
    verdict = decide_gram(REFUTED[name])
    assert verdict.status is Status.REFUTED, verdict.reason
    found = Counterexample.read(verdict.witness, REFUTED[name].vectors)
    assert check_witness(REFUTED[name], found.parameters, found.vectors, found.levels) < 0
    # the same vectors are no witness against the true claim
    true = one_step("5/4") if "one" in name else drift()
    assert check_witness(true, found.parameters, found.vectors, found.levels) is None


def test_what_cannot_be_read_or_found_is_undecided():
    for c in (
        claim("a", "norm(a) <= 1", (), ()),
        claim("a", "norm(a)**3 <= 1"),
        claim("a b", "norm(a)**2 <= k*norm(b)**2", ("norm(a) <= norm(b)",), ("k >= 1/2",)),
        claim("a", "norm(a)**2/(k - 1) >= 0", (), ("k > 0",)),  # undefined at k = 1
    ):
        assert decide_gram(c).status in (Status.UNDECIDED, Status.REFUTED)
    assert decide_gram(claim("a", "norm(a)**2/(k - 1) >= 0", (), ("k > 1",))).status is Status.PROVED


def _changes(data):
    """Certificates that differ from a valid one in one place, each of which proves nothing."""

    def changed(edit):
        other = copy.deepcopy(data)
        edit(other)
        return other

    first = next(k for k, m in enumerate(data["multipliers"]) if m[0])
    yield (
        "a multiplier's sign",
        changed(
            lambda d: d["multipliers"][first].__setitem__(0, [["-" + c, e] for c, e in data["multipliers"][first][0]])
        ),
    )
    yield (
        "a factor's entry",
        changed(
            lambda d: d["lower"][0].__setitem__(
                2, [[["7", [0] * len(d["lower"][0][2][1][0][1])]], d["lower"][0][2][1]]
            )
        ),
    )
    yield "a pivot", changed(lambda d: d["diagonal"].__setitem__(0, d["diagonal"][1]))
    yield "a pivot dropped", changed(lambda d: d["diagonal"].pop())
    yield "the order", changed(lambda d: d["order"].__setitem__(0, d["order"][1]))
    yield (
        "the claim's constant",
        changed(lambda d: d["claim"].__setitem__("goal", d["claim"]["goal"].replace("5/4", "1/4"))),
    )
    yield "the domain widened", changed(lambda d: d["claim"].__setitem__("where", d["claim"]["where"][:2]))
    key = next(k for k, p in data["signs"].items() if any(f["terms"] for f in p["factors"]))

    def factor(d):
        return next(f for f in d["signs"][key]["factors"] if f["terms"])

    yield "a term of a sign dropped", changed(lambda d: factor(d)["terms"].pop())
    yield "a sign's coefficient", changed(lambda d: factor(d)["terms"][0].__setitem__(0, "-1"))
    yield "a sign flipped", changed(lambda d: factor(d).__setitem__("sign", -factor(d)["sign"]))
    yield "a sign missing", changed(lambda d: d["signs"].pop(key))
    yield "a domain sign missing", changed(lambda d: d.__setitem__("domain", {}))


def test_certificates_are_refused_after_every_change():
    c = one_step("5/4")
    data = json.loads(json.dumps(decide_gram(c).certificate))
    assert verify_gram(data, c).valid
    count = 0
    for what, other in _changes(data):
        assert not verify_gram(other).valid, what
        count += 1
    assert count == 12


@pytest.mark.parametrize("hostile", [None, {}, [], {"kind": "gram", "schema": 1}, {"kind": "gram", "schema": True}])
def test_hostile_certificates_are_refused(hostile):
    assert not verify_gram(hostile).valid


def test_forms_of_no_parameter_and_forms_that_overflow_have_an_answer():
    plain = claim("a b", "f(a) <= f(b)", ("norm(a - b)**2 <= 0",))  # nothing to fit a multiplier with
    assert decide_gram(plain, seconds=0.5).status is Status.UNDECIDED
    small = claim(
        "a b c", "(1 - k)*norm(3*c)**2 <= 3*norm(b)**2 + k*norm((1 - k)*a)**2",
        ("3*norm(2*a)**2 == 1/k*norm(b)**2", "3*norm(c/2 + a/k)**2 == 1/2*norm(a)**2"), ("k > 0", "k < 1"),
    )  # fmt: skip
    assert decide_gram(small, seconds=0.5).status is not Status.PROVED


@pytest.mark.parametrize(("factor", "status"), (("s", Status.PROVED), ("s/2", Status.REFUTED)))
def test_forms_of_levels_alone_are_decided(factor, status):
    """No vector is left, so that the matrix of every form is empty."""
    levels = ("at(f, x) <= at(h, x)", "at(h, x) <= s*at(g, x)", "at(f, x) <= at(k, x)", "at(k, x) <= s*at(g, x)")
    one = claim("v", f"at(f, x) <= {factor}*at(g, x)", levels, ("s >= 1/2", "s <= 1"))
    assert decide_gram(one, seconds=2.0).status is status


@given(st.tuples(*[st.integers(0, 6)] * 3), st.tuples(*[st.integers(-3, 3)] * 3))
@settings(deadline=None, max_examples=40)
@example((2, 3, 4), (1, -1, 1))  # positive
@example((1, 1, 1), (1, 1, 1))  # a square
@example((2, 2, 1), (3, 0, 0))  # negative somewhere
def test_constant_forms_agree_with_their_eigenvalues(squares, products):
    (a, b, c), (d, e, f) = squares, products
    goal = (
        f"{a}*norm(x)**2 + {b}*norm(y)**2 + {c}*norm(z)**2 + {2 * d}*dot(x, y) + {2 * e}*dot(x, z) + {2 * f}*dot(y, z)"
    )
    status = decide_gram(claim("x y z", f"{goal} >= 0")).status
    lowest = np.linalg.eigvalsh(np.array([[a, d, e], [d, b, f], [e, f, c]], float))[0]
    if lowest > 1e-9:
        assert status is Status.PROVED
    elif lowest < -1e-9:
        assert status is not Status.PROVED
    else:
        assert status in (Status.PROVED, Status.UNDECIDED)


@pytest.mark.thorough
def test_sharp_constants_are_bracketed():
    found = sharp_constant(lambda c: one_step(str(c)), Fraction(5, 4))
    assert found.proved == Fraction(1, 2)
    assert Fraction(49, 100) < found.refuted < Fraction(1, 2)
    steps = sharp_constant(lambda c: one_step("5/4", f"alpha <= ({c})/L"), Fraction(1, 4), seconds=20, width=0.05)
    assert steps.proved == 1 < steps.refuted < Fraction(11, 10)
    assert sharp_constant(lambda c: one_step(str(c)), Fraction(1, 4)) is None


def test_simplest_between():
    assert simplest_between(Fraction(3, 10), Fraction(4, 10)) == Fraction(1, 3)
    assert simplest_between(Fraction(-1), Fraction(1)) == 0
    assert simplest_between(Fraction(-7, 2), Fraction(-5, 2)) == -3


def test_a_search_for_signs_without_time_finds_nothing_and_forgets_that():
    search = Engine(problem(one_step("1/2"))).search
    p = search.signs.constraints[-1][0]
    with budget(0.0):
        assert search.sign(p, strict=False) == 0
    assert not search.failed and search.sign(p, strict=False) == 1


def test_the_multipliers_of_a_neighbour_prove_and_refute():
    """Three radii, of which one multiplier is not forced: where it is taken from another constant's certificate."""
    known = decide_gram(drift("2", "3"))
    assert known.status is Status.PROVED
    near = Neighbour(known.certificate)
    assert decide_gram(drift("2", "5/4"), seconds=0.0, neighbour=near).status is Status.PROVED
    below = decide_gram(drift("2", "1.19"), seconds=0.0, neighbour=near)
    assert below.status is Status.REFUTED
    again = decide_gram(drift("2", "1.195"), seconds=0.0, neighbour=Neighbour(known.certificate, below.witness))
    assert again.status is Status.REFUTED
    assert decide_gram(drift("2", "1.2"), seconds=0.0, neighbour=near).status is Status.PROVED
    assert near.multipliers(problem(one_step("1/2"))) == []
