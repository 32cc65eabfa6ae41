"""What a family makes of random claims, compared with their values in exact rationals, outcome by outcome."""

from __future__ import annotations

import operator
import re
from collections.abc import Callable
from fractions import Fraction
from itertools import product

import pytest
from false_proofs import statement
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st

from boundcheck.kernel.formula import Expr, Relation, parse
from boundcheck.kernel.proof.existence import NoInstance, hypotheses, violations
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.proof.sorts import SortError
from boundcheck.kernel.statement import Claim, Exists, Fact, Family

SORTS = {
    "k": "real", "V": "vector", "X": "random real", "Y": "random vector", "A": "event", "f": "real -> real",
    "Z": "integer -> random real", "H": "integer -> information", "N": "integer",
}  # fmt: skip
COMPARE = {"<": operator.lt, "<=": operator.le, ">": operator.gt, ">=": operator.ge, "==": operator.eq,
           "!=": operator.ne}  # fmt: skip


class Undefined(Exception):
    """A term without a value."""


class World:
    """The values of names at one t, C and u, straight from what a family says."""

    def __init__(self, family: Family, **numbers: Fraction) -> None:
        self.numbers, self.values = numbers, {}
        for key, told in family.values.items():
            term = parse(key, proof=True)
            self.values[str(term.value) if term.op == "var" else term.op] = (term.args, read_term(told))
        own = [(self.of(parse(v), {}, None), self.of(parse(p), {}, None)) for v, p in family.atoms]
        self.atoms, self.masses = zip(*own, strict=True)

    def mean(self, e: Expr, at: dict[str, Fraction], among: list[int]) -> Fraction:
        values = [self.of(e, at, i) for i in range(len(self.masses))]
        return sum(self.masses[i] * values[i] for i in among) / sum(self.masses[i] for i in among)

    def of(self, e: Expr, at: dict[str, Fraction], i: int | None) -> Fraction:
        """The value at an outcome; ``at`` has the bound names."""
        op, args = e.op, e.args
        outcomes = list(range(len(self.masses))) if hasattr(self, "masses") else []
        if op == "num":
            return Fraction(e.value)
        if op == "var" and e.value in at:
            return at[e.value]
        if op == "var" and e.value == "s":
            return self.atoms[i]
        if op == "var" and e.value in self.numbers:
            return self.numbers[e.value]
        if op == "sum":
            low, high = (self.of(x, at, i) for x in args[2:])
            return Fraction(
                sum(self.of(args[0], {**at, args[1].value: Fraction(k)}, i) for k in range(int(low), int(high) + 1))
            )
        if op in ("E", "P"):
            return self.mean(args[0], at, outcomes)
        if op in ("Egiven", "Pgiven"):
            known = [self.of(args[1], at, j) for j in outcomes]
            return self.mean(args[0], at, [j for j in outcomes if known[j] == known[i]])
        if op == "measurable":
            pairs = [(self.of(args[1], at, j), self.of(args[0], at, j)) for j in outcomes]
            return Fraction(all(a != c or b == d for (a, b), (c, d) in product(pairs, pairs)))
        parts = [self.of(a, at, i) for a in args]
        if op == "var" or op in self.values:
            names, told = self.values[e.value if op == "var" else op]
            found = self.of(told, dict(zip((n.value for n in names), parts, strict=True)), i)
            return Fraction(found != 0) if (e.value if op == "var" else op) == "A" else found
        if op in COMPARE:
            return Fraction(COMPARE[op](*parts))
        match op:
            case "add":
                return parts[0] + parts[1]
            case "sub":
                return parts[0] - parts[1]
            case "mul" | "dot":
                return parts[0] * parts[1]
            case "neg":
                return -parts[0]
            case "div":
                if not parts[1]:
                    raise Undefined
                return parts[0] / parts[1]
            case "pow":
                if not parts[0] and parts[1] < 0:
                    raise Undefined
                return parts[0] ** int(parts[1])
            case "norm" | "abs":
                return abs(parts[0])
            case "min" | "max":
                return (min if op == "min" else max)(parts)
            case "clip":
                return max(-parts[1], min(parts[0], parts[1]))
            case "ind":
                return parts[0]
            case "both":
                return Fraction(bool(parts[0] and parts[1]))
            case "either":
                return Fraction(bool(parts[0] or parts[1]))
            case "complement":
                return 1 - parts[0]
        raise AssertionError(op)

    def holds(self, r: Relation, i: int | None = None, **bound: Fraction) -> bool | None:
        """Whether the relation holds; None where it has no value."""
        try:
            return bool(COMPARE[r.op](*(self.of(side, bound, i) for side in r.sides)))
        except Undefined:
            return None


def terms(depth: int, random: bool) -> st.SearchStrategy[str]:
    """Texts of numbers; random ones where they may be."""
    leaves = [
        "0",
        "1",
        "2",
        "3/2",
        "k",
        "u",
        "norm(V)",
        "f(k)",
        "f(u)",
        "N",
        *(["X", "norm(Y)", "Z(2)"] if random else []),
    ]
    if not depth:
        return st.sampled_from(leaves)
    a, chance = terms(depth - 1, random), terms(depth - 1, True)
    event = events(depth - 1, random)
    options = [
        st.sampled_from(leaves),
        st.builds("({} + {})".format, a, a),
        st.builds("({} - {})".format, a, a),
        st.builds("({}*{})".format, a, a),
        st.builds("({}/{})".format, a, a),
        st.builds("{}**2".format, st.sampled_from(["k", "u"])),
        st.builds("({})**(-1)".format, a),
        st.builds("max({}, {})".format, a, a),
        st.builds("f({})".format, a),
        st.builds("ind({})".format, event),
        st.builds("clip({}, 1)".format, a),
        st.builds("dot(V, ({})*V)".format, a),
        st.builds("E({})".format, chance),
        st.builds("P({})".format, events(depth - 1, True)),
        st.builds("sum(({})*i, i, {}, 2)".format, a, st.sampled_from(["-1", "1", "N", "3"])),
        st.builds("measurable({}, H(2))".format, chance),
    ]
    if random:
        options.append(st.builds("Egiven({}, {})".format, chance, st.sampled_from(["H(0)", "H(2)", "X", "Z(1)"])))
    return st.one_of(options)


def events(depth: int, random: bool) -> st.SearchStrategy[str]:
    """Texts of events."""
    a = terms(depth, random)
    plain = st.builds("{} {} {}".format, a, st.sampled_from(list(COMPARE)), a)
    if not random:
        return plain
    more = [plain, st.just("A"), st.just("complement(A)"), st.builds("both(A, {})".format, plain)]
    return st.one_of([*more, st.builds("either(A, {})".format, plain)])


NUMBER = st.sampled_from(["0", "1", "-1", "2", "t", "-t", "1/2", "t - 1"])
CHANCE = st.one_of(NUMBER, st.sampled_from(["s", "s*t", "s**2", "1 - s", "max(s, 0)"]))
FAMILIES = st.builds(
    lambda k, v, x, y, a, f, z, h, n, p: Family(
        "F",
        ("t",),
        ("t >= 0",),
        {"k": k, "V": v, "X": x, "Y": y, "A": a, "f(r)": f, "Z(i)": z, "H(i)": h, "N": n},
        "s",
        (("-1", p), ("0", f"1/2*(1 - {p})"), ("1", f"1/2*(1 - {p})")),
    ),
    NUMBER, NUMBER, CHANCE, CHANCE, st.sampled_from(["s > 0", "s >= 0", "s == t - 1", "s**2", "t > 1"]),
    st.sampled_from(["r", "r**2", "1/r", "2", "ind(r > 1)*r", "r - t"]), st.sampled_from(["s*i", "s", "i", "i*t*s"]),
    st.sampled_from(["s*ind(i >= 1)", "0", "s", "s**2", "s*t*i"]), st.sampled_from(["0", "2"]),
    st.sampled_from(["1/3", "1/2", "1/5"]),
)  # fmt: skip
POINTS = [Fraction(x) for x in ("0", "1/2", "1", "2", "5/3")]


def made(family: Family, told: str, claim: str) -> tuple:
    exists = Exists("C", Fact(claim), (family,))
    hypothesis = Fact(told, ("u",), ("u >= 1/3",))
    return statement([], [], declares=SORTS, hypotheses={"h": hypothesis}, exists=(exists,)), exists


def worked_out(made: Callable[[], list]) -> list:
    """What is made, where the text is a statement and has few enough events."""
    try:
        return made()
    except SortError as fault:
        assert "divided by 0" in str(fault), fault
    except NoInstance as fault:
        assert "events may happen" in str(fault), fault
    assume(False)
    raise AssertionError


def conjunction(claims: list[Claim], point: dict[str, Fraction]) -> bool:
    """Whether all of the claims hold at numbers; what has no value does not."""
    plain = World(Family("numbers", (), atoms=(("0", "1"),)), **point)

    def value(r: Relation) -> bool:
        return plain.holds(r) is True

    return all(value(c.claim[0]) or not all(map(value, c.where)) for c in claims)


PLAIN = Family("F", ("t",), ("t >= 0",), {"k": "0"}, "s", (("-1", "1/2"), ("1", "1/4"), ("0", "1/4")))


@example(PLAIN, "k**(-1)", "<=", "k**(-1)", Fraction(0))  # of a relation between one term nothing was asked
@settings(max_examples=300, deadline=None)
@given(FAMILIES, terms(3, True), st.sampled_from(list(COMPARE)), terms(2, True), st.sampled_from(POINTS))
def test_the_claims_of_a_family_say_that_the_hypothesis_holds_at_every_outcome(family, left, op, right, t):
    told = f"{left} {op} {right}"
    s, exists = made(family, told, "0 <= C")
    claims = worked_out(lambda: hypotheses(s, exists, family))
    for u in POINTS:
        world = World(family, t=t, u=u)
        (relation,) = [Fact(told).relation]
        holds = u < Fraction(1, 3) or all(world.holds(relation, i) is True for i in range(3))
        named = {n: u for c in claims for n in c.variables if n not in ("t", "C")}
        assert conjunction(claims, {"t": t, "C": Fraction(1), **named}) == holds, (told, t, u, claims)


@settings(max_examples=200, deadline=None)
@given(FAMILIES, terms(3, True), st.sampled_from(list(COMPARE)), terms(2, True), st.sampled_from(POINTS))
def test_a_violation_is_an_outcome_at_which_the_claim_fails(family, left, op, right, t):
    told = re.sub(r"\bu\b", "2", f"{left} {op} C*({right})")
    s, exists = made(family, "0 <= 1", told)
    cases = worked_out(lambda: list(violations(s, exists, family)))
    needs = [c for c in hypotheses(s, exists, family) if c.name == "value"]
    for constant in POINTS[1:]:
        point = {"t": t, "C": constant}
        world, plain = World(family, **point), World(Family("numbers", (), atoms=(("0", "1"),)), **point)
        seen = [world.holds(Fact(told).relation, i) for i in range(3)]
        found = any(all(plain.holds(r) is True for r in case) for case in cases)
        if conjunction(needs, point):
            assert None not in seen and found == (False in seen), (told, point)
        else:
            assert None in seen, (told, point, needs)


@pytest.mark.parametrize("planted", ["E(X) <= 1/2", "P(A) <= 1/4", "Egiven(X, H(2)) == 0", "norm(V) <= 1", "1/k >= 0"])
def test_a_false_hypothesis_is_seen_by_both(planted):
    values = {
        "k": "t - 1",
        "V": "2",
        "X": "s + 1",
        "Y": "s",
        "A": "s > -1",
        "f(r)": "r",
        "Z(i)": "s",
        "H(i)": "s",
        "N": "1",
    }
    family = Family("F", ("t",), ("t >= 0",), values, "s", (("-1", "1/3"), ("0", "1/3"), ("1", "1/3")))
    s, exists = made(family, planted, "0 <= C")
    assert not conjunction(hypotheses(s, exists, family), {"t": Fraction(1), "C": Fraction(1), "u": Fraction(1)})
    assert not all(World(family, t=Fraction(1)).holds(Fact(planted).relation, i) for i in range(3))
