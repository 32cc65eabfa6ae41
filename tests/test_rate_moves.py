"""Moves of a certificate are data of strangers: the case after one covers the case before, or the move is refused."""

from __future__ import annotations

import copy
import json
from dataclasses import replace
from functools import cache
from typing import Any

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from rate_points import TERMS, holds, taken_apart, value
from slow import apart
from test_rate_cases import PROX

from boundcheck.decide.certificates import make_rate
from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.decide.quadratic.rate_moves import expand_by_moves, find_move, told
from boundcheck.decide.quadratic.witness import refutes
from boundcheck.kernel.check.gram_certificate import encode_claim
from boundcheck.kernel.check.rate_certificate import verify_rate
from boundcheck.kernel.formula import Expr, Relation, num, parse, parse_relation, var
from boundcheck.kernel.rate import Rate, RateError, expand
from boundcheck.kernel.rate_cases import MAX_MOVES, ROOT, Case, CaseError, cases, moved
from boundcheck.verdict import Status

MARGIN = 1e-6


def with_factor(factor: str, *where: str) -> Rate:
    return replace(PROX, claim=PROX.claim.replace("1/(4*a)", f"1/(4*a)*{factor}"), where=("a > 0", *where))


# ---------------------------------------------------------------- a move that is accepted covers the case before it


def defined_at(e: Expr, at: dict[str, float]) -> float | None:
    """The value of ``e``, None where it is undefined or close to that."""
    try:
        for n in e.walk():
            if n.op == "div" and abs(value(n.args[1], at)) < MARGIN:
                return None
            if n.op == "pow" and value(n.args[1], at) < 0 and abs(value(n.args[0], at)) < MARGIN:
                return None
        return value(e, at)
    except (ValueError, OverflowError, ZeroDivisionError, KeyError):
        return None


def met(r: Relation, at: dict[str, float], margin: float) -> bool:
    gap = defined_at(r.gap, at)
    return gap is not None and (abs(gap) > margin if r.op == "!=" else gap > margin)


def follow(before: Case, move: Any, at: dict[str, float]) -> bool:
    """Whether what a move claims holds at a point of the domain; if so, the point is one of the case after it."""
    after = moved(before, move, frozenset())
    root = parse(move["root"])
    there = {**at, ROOT: defined_at(root, at)}
    if there[ROOT] is None:
        return False
    for claim in after.defined[len(before.defined) :]:
        factor = claim.goal.lhs.args[0]
        found = defined_at(factor, there)
        if found is None or found < -1e-12:
            return False
    new = dict(at)
    for name, meaning in after.meaning[len(before.meaning) :]:
        found = defined_at(meaning, at)
        assert found is not None, (name, str(meaning))
        new[name] = found
    for old, put in after.steps[len(before.steps) :]:
        there_now = defined_at(put, new)
        assert there_now == pytest.approx(defined_at(old, at), rel=1e-5, abs=1e-7), (str(old), str(put))
    assert all(holds(r, new) for r in after.where), [str(r) for r in after.where]
    assert value(after.goal.lhs, new) == pytest.approx(value(before.goal.lhs, at), rel=1e-5, abs=1e-7)
    return True


@cache
def starts() -> list[tuple[Case, Any]]:
    """A case and an honest move of it, for every move of the terms."""
    found: list[tuple[Case, Any]] = []

    def recorded(case: Case, vectors: frozenset[str]) -> Any:
        move = find_move(case, vectors)
        if move is not None:
            found.append((case, move))
        return move

    for text, where in TERMS:
        term, _, domain = taken_apart(text, where)
        cases((), Relation(">=", term, num(0)), (), domain, recorded)
    return found


def points(case: Case, count: int, seed: int) -> list[dict[str, float]]:
    """Points of a case's domain, away from its edges."""
    rng, names = np.random.default_rng(seed), sorted(case.parameters(frozenset()))
    drawn = (dict(zip(names, row, strict=True)) for row in rng.uniform(-3, 3, (60 * count, len(names))))
    return [at for at in drawn if all(met(r, at, MARGIN) for r in case.where)][:count]


def test_honest_moves_hold_at_every_point_and_so_does_what_they_claim():
    tried = 0
    for number, (case, move) in enumerate(starts()):
        drawn = points(case, 20, number)
        assert all(follow(case, move, at) for at in drawn), move
        tried += len(drawn)
    assert len(starts()) > 20 and tried > 300


TEXTS = ("factor", "under", "term", "meaning", "above", "below", "apart")
WRAPS = ["-({})", "2*({})", "({}) + 1", "({})**2", "1/({})", "({})*{p}", "abs({})", "({}) - {p}", "0", "1", ROOT]
RELATIONS = [">", ">=", "<", "<=", "!="]


@st.composite
def changed(draw: st.DrawFn) -> tuple[Case, Any]:
    """A move in which one to three parts differ from an honest one."""
    case, honest = draw(st.sampled_from(starts()))
    move, names = copy.deepcopy(honest), sorted(case.parameters(frozenset()))
    for _ in range(draw(st.integers(1, 3))):
        kind = draw(st.sampled_from(["text", "text", "swap", "bound", "condition", "parameter", "cofactor"]))
        keys = [k for k in TEXTS if k in move]
        if kind == "text":
            key = draw(st.sampled_from(keys))
            move[key] = (
                draw(st.sampled_from(WRAPS)).replace("{}", move[key]).replace("{p}", draw(st.sampled_from(names)))
            )
        elif kind == "swap":
            one, two = draw(st.sampled_from(keys)), draw(st.sampled_from(keys))
            move[one], move[two] = move[two], move[one]
        elif "bounds" not in move:
            continue
        elif kind == "bound":
            low = draw(st.sampled_from(["0", "1", "-1", *names, *(f"-{n}" for n in names), f"{names[0]}**2"]))
            move["bounds"] = [*move["bounds"][draw(st.integers(0, 1)) :], [low, draw(st.booleans())]]
        elif kind == "condition":
            side = draw(st.sampled_from([*names, "sqrt__1", "sqrt__2"]))
            op, other = draw(st.sampled_from(RELATIONS)), draw(st.sampled_from(["0", "1", *names]))
            move["conditions"] = [*move["conditions"], f"{side} {op} {other}"]
        elif kind == "parameter":
            move["parameter"] = draw(st.sampled_from([*names, "sqrt__1", ROOT]))
        else:
            factor = draw(st.sampled_from(["-1", "2", *names]))
            move["cofactors"] = [f"({factor})*({t})" for t in move["cofactors"]]
            move["apart"] = f"({factor})*({move['apart']})"
    return case, move


@given(changed(), st.integers(0, 10**6))
def test_a_move_that_is_accepted_maps_the_domain_into_the_new_one(start, seed):
    case, move = start
    try:
        moved(case, move, frozenset())
    except CaseError:
        return
    for at in points(case, 5, seed):
        follow(case, move, at)


def test_some_changed_moves_are_accepted():
    """Else the test above would say nothing."""
    case, move = next((c, m) for c, m in starts() if "term" in m)
    point = points(case, 1, 0)[0]
    (name,) = {n for n, _ in moved(case, move, frozenset()).meaning}
    turned = {**move, "conditions": [*move["conditions"], f"{name} <= 10**6"]}
    assert follow(case, turned, point)
    assert not follow(case, {**move, "conditions": [f"{name} >= 10**6"]}, point)


# ---------------------------------------------------------------- forged certificates

RATIO = with_factor("(1 + sqrt(m/k))", "m >= 0", "k > 0", "j >= -1", "j <= 1")
SQUARE = with_factor("(1 + sqrt(m*k**2))", "m >= 0", "k >= 0", "k <= 3")
EULER = with_factor("(1 + sqrt(1 + 4*t**2))", "t >= 0", "k >= 0")
CENTRE = with_factor("(1 + sqrt(1 + 8*t**2))", "t >= 0", "k >= 0")


KNOWN: dict[str, Any] = {}


def known(rate: Rate) -> Any:
    """The certificate of a rate that is proved."""
    if rate.claim not in KNOWN:
        verdict = decide_rate(rate)
        assert verdict.status is Status.PROVED, verdict.reason
        KNOWN[rate.claim] = verdict.certificate
    return KNOWN[rate.claim]


def forged(rate: Rate, moves: list[Any]) -> tuple[bool, str]:
    """What the verifier says of a certificate with these moves and with a proof of every case that has one.

    The reason ends with the names of the claims beside the cases that have none.
    """
    proofs = {json.dumps(c["claim"]): c for c in known(rate)["cases"]} if rate in HONEST else {}
    given = iter(moves)
    try:
        found = expand(rate, lambda *_: next(given, None))
        wanted = (*found.cases, *found.defined)
    except (RateError, RecursionError):
        wanted = ()
    best, without = [], []
    for claim in wanted:
        proof = proofs.get(json.dumps(encode_claim(claim))) or decide_gram(claim, seconds=2.0).certificate
        best.append(proof or {})
        without += [claim.name] if proof is None and claim.vectors == ("any__",) else []
    check = verify_rate(json.loads(json.dumps(make_rate(rate, moves, best))), rate)
    return check.valid, f"{check.reason}; open: {', '.join(without)}"


#: sqrt(m/k) beside a length that is ranged in the domain; a root that is undefined at k = 0
LENGTH = replace(RATIO, points=("x0", "B"), given=("norm(x0) <= B",), where=(*RATIO.where, "B >= 0"))
UNDEFINED = with_factor("(1 + sqrt(m*k/k))", "m >= 0", "k >= 0")
HONEST = (RATIO, SQUARE, EULER, CENTRE)


def test_moves_are_part_of_the_certificate():
    for rate in HONEST:
        data = known(rate)
        moves = expand_by_moves(rate)[1]
        assert data["moves"] == moves and verify_rate(json.loads(json.dumps(data)), rate).valid
        assert forged(rate, moves)[0]
        for other in ({"root": "sqrt(m/k)"}, "moves", None, 3):
            assert verify_rate({**data, "moves": other}, rate).reason == "moves: a list is wanted"
        refused = verify_rate({**data, "schema": 1}, rate)
        assert not refused.valid and refused.reason == "schema 2 is wanted"


def last(rate: Rate, **change: Any) -> list[Any]:
    """The moves with other parts in the last one."""
    moves = copy.deepcopy(known(rate)["moves"])
    moves[-1].update(change)
    return moves


def first(rate: Rate, **change: Any) -> list[Any]:
    moves = copy.deepcopy(known(rate)["moves"])
    moves[0].update(change)
    return moves


BARE = {
    "root": "sqrt(m)", "term": "sqrt__1", "parameter": "m", "meaning": ROOT, "above": "sqrt__1**2", "below": "1",
    "cofactors": ["0", "1"], "apart": "1", "bounds": [["0", False]], "conditions": [],
}  # fmt: skip
MORE = "there are more than cases use"
FORGED = {
    # wrong identities
    "another factor": (SQUARE, lambda: first(SQUARE, factor="2*k"), "times the root of"),
    "another rest": (SQUARE, lambda: first(SQUARE, under="2*m"), "times the root of"),
    "the root doubled": (RATIO, lambda: last(RATIO, term="2*sqrt__1"), "is not 0 where"),
    "the root with the wrong sign": (RATIO, lambda: last(RATIO, term="-sqrt__1"), "is not 0 where"),
    "another value of the parameter": (RATIO, lambda: last(RATIO, above="2*sqrt__1**2*k"), "is not 0 where"),
    "a value that is no map onto": (RATIO, lambda: last(RATIO, parameter="j"), "is not 0 where"),
    "another meaning": (EULER, lambda: last(EULER, meaning=f"{ROOT} + t"), "is not 0 where"),
    "the other root": (EULER, lambda: last(EULER, term="2*t - sqrt__1"), "is not 0 where"),
    "cofactors of nothing": (EULER, lambda: last(EULER, cofactors=["0", "0"]), "cofactors"),
    # side claims that fail somewhere on the domain
    "a factor with the wrong sign": (SQUARE, lambda: first(SQUARE, factor="-k"), "open: -k >= 0"),
    "a condition that fails somewhere": (
        RATIO, lambda: last(RATIO, conditions=["sqrt__1 >= 1"]), "open: sqrt(m/k) >= 1"
    ),
    "a strict condition where the root may be 0": (
        RATIO, lambda: last(RATIO, conditions=["sqrt__1 > 0"]), "open: sqrt(m/k) > 0"
    ),
    "a condition on another parameter": (RATIO, lambda: last(RATIO, conditions=["j > 0"]), "open: j > 0"),
    "a condition that is an inequality of points": (RATIO, lambda: last(RATIO, conditions=["m != 2"]), "open: m != 2"),
    "a condition that is an equation": (RATIO, lambda: last(RATIO, conditions=["m == 2"]), "no condition"),
    "a bound that fails somewhere": (RATIO, lambda: last(RATIO, bounds=[["1", False]]), "open: m/k - 1 >= 0"),
    "a strict bound where the root may be 0": (
        RATIO, lambda: last(RATIO, bounds=[["0", True]]), "open: sqrt(m/k) is defined"
    ),
    "no bound, so that nothing is defined": (RATIO, lambda: last(RATIO, bounds=[]), "a bound"),
    "a quotient undefined at m = 1": (
        RATIO, lambda: last(RATIO, above="(m - 1)*sqrt__1**2*k", below="m - 1", cofactors=["0", "1"], apart="m - 1"),
        "open: m - 1 != 0",
    ),
    "a quotient undefined at m = 1, said to be fine": (
        RATIO, lambda: last(RATIO, above="(m - 1)*sqrt__1**2*k", below="m - 1", cofactors=["0", "1"], apart="1"),
        "cofactors",
    ),
    "0/0": (RATIO, lambda: last(RATIO, above="0", below="0", cofactors=["1", "1"], apart="0"), "open: 0 != 0"),
    "a meaning undefined at m = 1": (
        RATIO, lambda: last(RATIO, meaning=f"{ROOT}*(m - 1)/(m - 1)"), "open: sqrt(m/k)*(m - 1)/(m - 1) is defined"
    ),
    "a meaning undefined where g is 0": (
        CENTRE, lambda: last(CENTRE, meaning=known(CENTRE)["moves"][-1]["meaning"] + " + (k - k)/k"),
        "open: t/(sqrt(1 + 8*t**2) + 1) + (k - k)/k is defined",
    ),
    "a rest undefined at k = 0": (SQUARE, lambda: first(SQUARE, factor="k**2", under="m/k**2"), "open: m/k**2 >= 0"),
    "a root undefined at k = 0": (
        UNDEFINED, lambda: [{"root": "sqrt(m*k/k)", "factor": "1", "under": "m"}, BARE], "open: sqrt(m*k/k) is defined"
    ),
    "divisions in a change": (RATIO, lambda: last(RATIO, term="sqrt__1*k/k"), "polynomials"),
    # names
    "a vector": (RATIO, lambda: last(RATIO, parameter="x0"), "a parameter is wanted"),
    "a length": (LENGTH, lambda: last(RATIO, parameter="B"), "given: B is a vector, a number is wanted"),
    "a gradient": (RATIO, lambda: last(RATIO, parameter="f__x1"), "a parameter is wanted"),
    "a name of nothing": (RATIO, lambda: last(RATIO, parameter="q"), "a parameter is wanted"),
    "the new name": (RATIO, lambda: last(RATIO, parameter="sqrt__1"), "a parameter is wanted"),
    "a meaning by itself": (RATIO, lambda: last(RATIO, meaning="sqrt__1"), "no parameter here"),
    "a root left in the term": (RATIO, lambda: last(RATIO, term=ROOT), "no parameter here"),
    "a root left in the value": (RATIO, lambda: last(RATIO, above=f"{ROOT}**2*k"), "no parameter here"),
    "a root in a condition": (RATIO, lambda: last(RATIO, conditions=[f"{ROOT} >= 0"]), "no condition"),
    "a root in a bound": (RATIO, lambda: last(RATIO, bounds=[[ROOT, False]]), "no parameter here"),
    "a vector in a factor": (SQUARE, lambda: first(SQUARE, factor="k + x0 - x0"), "no parameter here"),
    "a value of a function": (SQUARE, lambda: first(SQUARE, factor="k + norm(k) - norm(k)"), "a move that is none"),
    "the next name": (RATIO, lambda: last(RATIO, term="sqrt__2"), "no parameter here"),
    "a root of a vector": (RATIO, lambda: last(RATIO, root="sqrt(x0)"), "no parameter here"),
    "no root": (RATIO, lambda: last(RATIO, root="m/k"), "is no root"),
    # data
    "a number": (RATIO, lambda: [7], "a move that is none"),
    "an empty move": (RATIO, lambda: [{}], "a move that is none"),
    "a text": (RATIO, lambda: ["sqrt(m/k)"], "a move that is none"),
    "a list for a name": (RATIO, lambda: last(RATIO, parameter=["m"]), "a move that is none"),
    "a number for a term": (RATIO, lambda: last(RATIO, term=1), "a move that is none"),
    "one cofactor": (RATIO, lambda: last(RATIO, cofactors=["1"]), "a move that is none"),
    "text that is no formula": (RATIO, lambda: last(RATIO, below="(("), "a move that is none"),
    "too high a power": (RATIO, lambda: last(RATIO, term="sqrt__1**1000"), "a move that is none"),
    "more moves than cases take": (RATIO, lambda: [*known(RATIO)["moves"], None, None], MORE),
    "no moves": (RATIO, list, "case"),
    "moves that stop early": (SQUARE, lambda: known(SQUARE)["moves"][:1], "case"),
    "moves of another rate": (RATIO, lambda: known(EULER)["moves"], "no parameter here"),
}  # fmt: skip


@pytest.mark.parametrize(
    "what",
    apart(
        FORGED,
        "a meaning undefined where g is 0",
        "a strict condition where the root may be 0",
        "a meaning undefined at m = 1",
        "a strict bound where the root may be 0",
        "a condition that is an inequality of points",
    ),
)
def test_a_forged_move_is_refused(what):
    rate, moves, reason = FORGED[what]
    valid, told_reason = forged(rate, moves())
    assert not valid and reason in told_reason, told_reason


def test_a_false_rate_is_not_proved_by_a_smaller_domain():
    """False where m/k is small, and proved after the move: the condition is what is refused."""
    false = with_factor("(1/2 + sqrt(m/k))", "m >= 0", "k > 0")
    assert decide_rate(false).status is Status.REFUTED
    (move,) = expand_by_moves(false)[1]
    move["conditions"].append("sqrt__1 >= 1")
    found = expand(false, lambda case, vectors: move if not case.moves else None)
    assert all(decide_gram(c).status is Status.PROVED for c in found.cases)
    valid, reason = forged(false, [move])
    assert not valid and reason.startswith("case")
    move["conditions"].pop()
    move["bounds"] = [["1", False]]
    valid, reason = forged(false, [move])
    assert not valid and reason.startswith("case")


def test_a_false_rate_is_not_proved_by_a_root_of_the_wrong_sign():
    false = with_factor("(1 - sqrt(m*k**2))", "m >= 0", "k >= 0", "k <= 3")
    assert decide_rate(false).status is Status.REFUTED
    moves = expand_by_moves(false)[1]
    moves[0]["factor"] = "-k"
    given = iter(moves)
    found = expand(false, lambda *_: next(given, None))
    assert all(decide_gram(c).status is Status.PROVED for c in found.cases)
    valid, reason = forged(false, moves)
    assert not valid and reason.startswith("case")


def test_no_branch_is_left_out():
    """The kernel makes the branches; a certificate can only have too few proofs."""
    rate = with_factor("max(1, abs(k))", "k <= 3")
    data = decide_rate(rate).certificate
    assert data["moves"] == [] and len(data["cases"]) > 2 and verify_rate(data, rate).valid
    for k in range(len(data["cases"])):
        fewer = {**data, "cases": [c for j, c in enumerate(data["cases"]) if j != k]}
        assert not verify_rate(fewer, rate).valid
        assert not verify_rate({**fewer, "cases": [*fewer["cases"], fewer["cases"][0]]}, rate).valid
    split = {"root": "sqrt(m)", "factor": "abs(k)", "under": "m/k**2"}
    valid, reason = forged(with_factor("(1 + sqrt(m))", "m >= 0", "k >= -1"), [split])
    assert not valid and reason.startswith("case")


def test_terms_that_grow_are_refused_before_they_are_written():
    rate = with_factor("(1 + sqrt(m))", "m >= 0")
    wide = " + ".join(["m"] * 2000)
    steps = [{"root": "sqrt(m)", "factor": "1", "under": f"m + 0*({wide})"}]
    for _ in range(3):
        last_one = steps[-1]["under"]
        steps.append({"root": f"sqrt({last_one})", "factor": "1", "under": "m"})
        steps.append({"root": "sqrt(m)", "factor": "1", "under": f"m + 0*({wide})"})
    assert not forged(rate, steps)[0]
    again = {"root": "sqrt(m)", "factor": "1", "under": "m"}
    valid, reason = forged(rate, [again] * (MAX_MOVES + 1))
    assert not valid and "moves in a case" in reason


def test_a_term_is_not_written_out_beyond_its_bound():
    case = Case(parse_relation("m**8*(m + 1)**8 >= 0"), (), (parse_relation("m >= 0"),))
    big = var("m")
    for _ in range(14):
        big = Expr("add", (big, big))
    with pytest.raises(CaseError, match="parts"):
        case.put(var("m"), big).put(var("m"), big)


def test_a_counterexample_is_read_in_the_text_and_not_through_moves():
    rate = with_factor("(1/2 + sqrt(m/k))", "m >= 0", "k > 0")
    witness = decide_rate(rate).witness
    assert witness and float(parse(witness["m"]).value) >= 0
    about = expand(rate).cases[0]
    vectors = dict.fromkeys(about.vectors, ("0",))
    levels = {"at(f, x1)": "0", "at(f, xs)": "0"}
    assert not refutes(rate, {"a": "1", "m": "1", "k": "1"}, vectors, levels)


@pytest.mark.parametrize(
    ("where", "parameters"),
    [
        (("m == sqrt(k)", "k <= 0"), {"k": "-1"}),
        (("m == sqrt(k)", "k <= 0"), {"k": "-1", "m": "1"}),
        (("m == 1/k", "k >= 0"), {"k": "0"}),
        (("m == 1/k", "k >= 0"), {"k": "0", "m": "0"}),
        (("m >= sqrt(k)", "k <= 0"), {"k": "-1", "m": "1"}),
        (("m >= 0*(1/k)", "k >= 0"), {"k": "0", "m": "1"}),
        (("max(m, 1/k) >= m", "k >= 0"), {"k": "0", "m": "1"}),
        (("m >= 1", "m <= 0"), {"m": "1"}),
        (("m >= 1",), {}),
        (("max(m, 0) <= 0",), {"m": "1"}),
        (("min(m, 0) >= 0",), {"m": "-1"}),
        (("abs(m) <= 0",), {"m": "-1"}),
        (("m > m",), {"m": "1"}),
        (("m != m",), {"m": "1"}),
        (("m == 2*m",), {"m": "1"}),
        (("m >= 1",), {"m": "x0"}),
        (("m >= 1",), {"m": "k"}),
        (("m >= 1",), {"m": "1/0"}),
        (("m >= 0*m",), {"m": "1/0"}),
        (("m == m",), {"m": "sqrt(-1)"}),
        (("m >= 1",), {"m": "1 +"}),
    ],
)
def test_a_counterexample_is_a_point_of_the_domain(where, parameters):
    """The claim fails at these vectors wherever it is defined: the domain is what they do not meet."""
    assert broken(())
    assert not broken(where, **parameters)


def broken(where: tuple[str, ...], **parameters: str) -> bool:
    """Whether vectors that break a false claim refute it on this domain."""
    rate = replace(PROX, claim="f(x1) - f(xs) <= 0*norm(x0 - xs)**2", where=("a > 0", *where))
    vectors, levels = {"x0": ("1",), "f__x1": ("1/2",)}, {"at(f, x1)": "1/4", "at(f, xs)": "0"}
    return refutes(rate, {"a": "1", **parameters}, vectors, levels)


def test_a_point_of_the_domain_is_one():
    assert broken(("max(m, 0) >= 1", "min(m, 2) <= 1", "abs(-m) == 1"), m="1")
    assert broken(("m == 1/k", "sqrt(k) == 3/2", "k >= 0"), m="4/9", k="9/4")
    assert broken(("m == sqrt(k)", "m > 0", "m**2 <= 2"), m="sqrt(2)", k="2")
    assert broken(("m > 1",), m="2", x0="7")  # the value of a vector is that of its coordinates


@pytest.mark.parametrize("domain", ["k == sqrt(2)*mu", "k == 3*mu", "k == sqrt(L/mu)", "sqrt(2)*mu <= k"])
def test_a_parameter_that_others_give_is_put_in_as_it_is(domain):
    rate = Rate(
        "step", {"f": "smooth_strongly_convex(mu, L)"}, ("x0", "y0"), "norm(x1 - y1) <= 0.99*(1 - g*mu)*norm(x0 - y0)",
        ("x1 = x0 - g*f'(x0)", "y1 = y0 - g*f'(y0)"), where=("mu > 0", domain, "g == 1/L", "L > mu"),
    )  # fmt: skip
    assert decide_rate(rate).status is Status.REFUTED
    assert decide_rate(replace(rate, claim=rate.claim.replace("0.99*", ""))).status is Status.PROVED


def test_messages_are_in_the_words_of_the_text():
    _, (case,), _ = (None, taken_apart("sqrt(m/k)", ("m >= 0", "k > 0"))[1], None)
    name = case.meaning[0][0]
    assert told(f"{name} >= 0", case) == "sqrt(m/k) >= 0"
    assert told(f"1/{name} is defined", case) == "1/sqrt(m/k) is defined"
    assert told(f"nothing of {name}", case) == "nothing of (sqrt(m/k))"
