"""The vector Bennett and Bernstein inequalities: the file of statements, planted falsehoods, and what they rest on."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from dataclasses import dataclass
from fractions import Fraction
from functools import cache
from pathlib import Path

import pytest
from slow import apart

from boundcheck.author.elaborate import elaborate
from boundcheck.author.toml import read_statements
from boundcheck.author.twins import apply_twin
from boundcheck.claims import load_document
from boundcheck.decide.statements import decide_obligation, decide_statement
from boundcheck.kernel.check.statement_certificate import verify_statement
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import obligations
from boundcheck.kernel.statement import ByRule, Cite, Fact, Parameter, Statement, Step
from boundcheck.paper.values import at
from boundcheck.user_files import lookup_with
from boundcheck.verdict import Status

FILE = Path(__file__).parent.parent / "boundcheck" / "paper" / "bennett.toml"
QUICK = ("app:bennett", "app:bennett-independent", "app:bennett-freedman", "app:bennett-bernstein")


@cache
def written():
    """The statements of the file by label, as written."""
    document, source = load_document(FILE, str(FILE)), FILE.read_text()
    found, faults = read_statements(document, str(FILE), source, lambda line: None)
    assert not faults
    return {w.statement.label: w for w in found}


def headers():
    """The statements without their proofs: enough to cite them."""
    return {label: w.statement for label, w in written().items()}


@cache
def proved(label: str) -> Statement:
    """The statement with the reasons of its steps."""
    made = elaborate(written()[label].statement, written()[label].lines, lookup_with(headers().values()))
    assert not made.faults, made.faults
    return made.statement


def verdict(statement: Statement, seconds: float = 3.0):
    """What becomes of a statement whose citations are those of the file."""
    others = {**headers(), statement.label: statement}
    return decide_statement(statement, lookup_with(others.values()), seconds)


@pytest.mark.parametrize("label", apart(QUICK, "app:bennett-bernstein"))
def test_proved_and_verified(label):
    found = verdict(proved(label))
    assert found.status is Status.PROVED, found.reason
    assert verify_statement(found.certificate).valid


@pytest.mark.usefixtures("no_worlds")
@pytest.mark.parametrize("label", apart(QUICK, "app:bennett-bernstein"))
def test_no_planted_falsehood_is_proved(label):
    statement = proved(label)
    assert len(statement.twins) >= 3
    for twin in statement.twins:
        assert verdict(apply_twin(statement, twin), 1.0).status is not Status.PROVED, twin.what


def test_every_statement_has_falsehoods_that_change_it():
    for statement in headers().values():
        assert statement.twins, statement.label
        for twin in statement.twins:
            assert apply_twin(statement, twin) != statement


@pytest.mark.parametrize(
    "label", ["app:bennett", "app:bennett-array", "app:bennett-freedman", "app:bennett-bernstein"]
)
def test_hypotheses_say_adapted_and_increasing(label):
    told = [fact.claim for fact in headers()[label].hypotheses.values()]
    assert "increasing(H) == 1" in told
    assert any(t.startswith("measurable(at(X, ") for t in told)
    assert any(t.startswith("Egiven(at(X, ") and t.endswith("== 0") for t in told)


# ---------------------------------------------------------------- the array of one sign


def same_sign(*steps: Step) -> Statement:
    """Every difference is the same fair sign Y; nothing is known but that H increases and starts with nothing."""
    hypotheses = {
        "same": Fact("at(X, i) == Y", over=("i: integer",)),
        "sign": Fact("norm(Y) <= 1"),
        "fair": Fact("E(Y) == 0"),
        "filtration": Fact("increasing(H) == 1"),
        "trivial": Fact("independent(Y, at(H, i)) == 1", over=("i: integer",)),
    }
    return Statement(
        label="lem:same-sign",
        title="one sign",
        kind="lemma",
        part="own",
        text="",
        parameters=(Parameter("n", "", ("n >= 1",), True),),
        hypotheses=hypotheses,
        claims=(),
        steps=steps,
        declares={"X": "integer -> random vector", "Y": "random vector", "H": "integer -> information"},
    )


def refused(statement: Statement, number: int) -> bool:
    """Whether the step does not fit its reason, or what it leaves open is not proved."""

    try:
        wanted = obligations(statement, number, statement.steps[number - 1], lookup_with(headers().values()))
    except ProofError:
        return True
    return any(decide_obligation(o, 1.0).status is not Status.PROVED for o in wanted)


def test_the_array_of_one_sign_meets_one_hypothesis_at_a_time():
    """Given what is independent of Y the means are 0, and X(i) is not known; given Y it is known, and not centred."""
    centred = Step(
        Fact("Egiven(norm(Y), at(H, i)) == E(norm(Y))", over=("i: integer",)),
        ByRule("independent of what is given", {"X": "norm(Y)", "Z": "Y", "V": "at(H, i)"}, using=("trivial",)),
    )
    known = Step(
        Fact("measurable(Y, at(H, i)) == 1", over=("i: integer",)),
        ByRule("known", {"X": "Y", "V": "at(H, i)"}),
    )
    own_sign = Step(Fact("measurable(Y, Y) == 1"), ByRule("known", {"X": "Y", "V": "Y"}))
    own_mean = Step(
        Fact("Egiven(norm(Y), Y) == E(norm(Y))"),
        ByRule("independent of what is given", {"X": "norm(Y)", "Z": "Y", "V": "Y"}, using=("trivial",)),
    )
    assert not refused(same_sign(centred), 1)
    assert refused(same_sign(known), 1)
    assert not refused(same_sign(own_sign), 1)
    assert refused(same_sign(own_mean), 1)


def test_the_inequality_is_not_cited_for_the_array_of_one_sign():
    claim = "P(norm(sum(at(X, i), i, 1, n)) > r) <= 2*exp(r/R - (r/R + V/R**2)*log(1 + r*R/V))"
    plain = claim.replace("r/R", "r/1").replace("V/R**2", "n/1**2").replace("r*R/V", "r*1/n")
    step = Step(Fact(plain, over=("r",), where=("r > 0",)), Cite("app:bennett", {"R": "1", "V": "n"}))
    with pytest.raises(ProofError, match="hypothesis"):
        obligations(same_sign(step), 1, step, lookup_with(headers().values()))


# ---------------------------------------------------------------- laws that meet all hypotheses but one


@dataclass(frozen=True)
class Law:
    """Differences X_1, ..., X_n on the outcomes of fair signs; ``told(i, w)`` is what H_i tells of the outcome w."""

    signs: int
    X: Callable[[int, tuple[int, ...]], int]
    told: Callable[[int, tuple[int, ...]], object]
    n: int = 20
    R: int = 1
    V: int = 20

    def outcomes(self) -> list[tuple[int, ...]]:
        return list(itertools.product((1, -1), repeat=self.signs))

    def given(self, i: int, w: tuple[int, ...], of: Callable[[tuple[int, ...]], int]) -> Fraction:
        """E(of | H_i) at w."""
        alike = [v for v in self.outcomes() if self.told(i, v) == self.told(i, w)]
        return Fraction(sum(map(of, alike)), len(alike))

    def unmet(self) -> set[str]:
        """The hypotheses of app:bennett, by name, that do not hold."""
        times, every = range(1, self.n + 1), self.outcomes()
        pairs = list(itertools.product(every, every))

        def knows(i: int, of: Callable[[tuple[int, ...]], object]) -> bool:
            return all(of(v) == of(w) for v, w in pairs if self.told(i, v) == self.told(i, w))

        def variation(w: tuple[int, ...]) -> Fraction:
            return sum((self.given(i - 1, w, lambda v, i=i: self.X(i, v) ** 2) for i in times), Fraction(0))

        found = {
            "filtration": all(knows(i, lambda w, i=i: self.told(i - 1, w)) for i in times),
            "adapted": all(knows(i, lambda w, i=i: self.X(i, w)) for i in times),
            "centred": all(self.given(i - 1, w, lambda v, i=i: self.X(i, v)) == 0 for i in times for w in every),
            "bounded": all(abs(self.X(i, w)) <= self.R for i in times for w in every),
            "variation": all(variation(w) <= self.V for w in every),
        }
        assert found.keys() == headers()["app:bennett"].hypotheses.keys()
        return {name for name, holds in found.items() if not holds}

    def tail(self, r: float) -> float:
        """P(|sum| > r)."""
        sums = [abs(sum(self.X(i, w) for i in range(1, self.n + 1))) for w in self.outcomes()]
        return sum(s > r for s in sums) / len(sums)

    def bound(self, r: float) -> float:
        """What app:bennett says of it."""
        return at(headers()["app:bennett"].claims[0].relation.rhs, R=self.R, V=self.V, r=r)


LAWS = {
    "independent signs": (Law(6, lambda i, w: w[i - 1], lambda i, w: w[:i], n=6, V=6), 5.9, set()),
    "one sign, nothing known": (Law(1, lambda i, w: w[0], lambda i, w: ()), 19.9, {"adapted"}),
    "one sign, known": (Law(1, lambda i, w: w[0], lambda i, w: w), 19.9, {"centred"}),
    "one sign, known after the first": (Law(1, lambda i, w: w[0], lambda i, w: w[: min(i, 1)]), 19.9, {"centred"}),
    "two signs in turn, each forgotten": (
        Law(2, lambda i, w: w[i % 2], lambda i, w: (i % 2, w[i % 2]) if i else ()), 19.9, {"filtration"},
    ),
    "too long": (Law(6, lambda i, w: 63 if sum(w) == 6 else -1, lambda i, w: w * i, n=1, V=63), 62.5, {"bounded"}),
    "too much": (Law(8, lambda i, w: w[i - 1], lambda i, w: w[:i], n=8, V=1), 7.9, {"variation"}),
}  # fmt: skip


@pytest.mark.parametrize("name", LAWS)
def test_a_law_that_breaks_the_bound_fails_to_meet_a_hypothesis(name):
    """The array of one sign among them: each hypothesis is needed, for without it a finite law refutes the claim."""
    law, r, missing = LAWS[name]
    assert law.unmet() == missing
    assert (law.tail(r) > law.bound(r)) is bool(missing)


@pytest.mark.parametrize("what", ["the differences are not adapted", "the filtration does not increase"])
def test_the_falsehoods_of_the_filtration_leave_out_one_hypothesis(what):
    """Those that the laws above refute: every other hypothesis is as it was."""
    statement = headers()["app:bennett"]
    [twin] = (t for t in statement.twins if t.what == what)
    changed = apply_twin(statement, twin).hypotheses
    [name] = (n for n, fact in statement.hypotheses.items() if changed[n] != fact)
    assert any(missing == {name} for _, _, missing in LAWS.values())


# ---------------------------------------------------------------- rules, and what a weaker one would prove


def own(by: ByRule, fact: Fact, hypotheses: dict[str, Fact]) -> Statement:
    """One step about a family G, a random integer N and information H."""
    return Statement(
        label="lem:rule",
        title="",
        kind="lemma",
        part="own",
        text="",
        parameters=(Parameter("n", "", (), True),),
        hypotheses=hypotheses,
        claims=(),
        steps=(Step(fact, by),),
        declares={
            "G": "integer -> random real",
            "N": "random integer",
            "Z": "random real",
            "H": "information",
        },
    )


KNOWN = {"known": Fact("measurable(at(G, s), H) == 1", over=("s: integer",), where=("1 <= s", "s <= 3"))}
POSITIVE = Fact("ind(at(G, s) > 0) == 1", over=("s: integer",), where=("1 <= s", "s <= 3"))
CASES = [
    # (rule, values, using, claim, hypotheses, whether it holds)
    ("known sum", {"G": "at(G, s)", "s": "s", "a": "1", "b": "3", "V": "H"}, ("known",),
     "measurable(sum(at(G, s), s, 1, 3), H) == 1", KNOWN, True),
    ("known sum", {"G": "at(G, s)", "s": "s", "a": "1", "b": "4", "V": "H"}, ("known",),
     "measurable(sum(at(G, s), s, 1, 4), H) == 1", KNOWN, False),
    ("known sum", {"G": "at(G, s)", "s": "s", "a": "1", "b": "N", "V": "H"}, ("known",),
     "measurable(sum(at(G, s), s, 1, N), H) == 1", KNOWN, False),
    ("last term of a range", {"G": "at(G, s)", "s": "s", "a": "1", "n": "1"}, (),
     "sum(at(G, s), s, 1, 1) == sum(at(G, s), s, 1, 0) + at(G, 1)", {}, True),
    ("last term of a range", {"G": "at(G, s)", "s": "s", "a": "1", "n": "0"}, (),
     "sum(at(G, s), s, 1, 0) == sum(at(G, s), s, 1, -1) + at(G, 0)", {}, False),
    ("last term of a range", {"G": "at(G, s)", "s": "s", "a": "1", "n": "n"}, (),
     "sum(at(G, s), s, 1, n) == sum(at(G, s), s, 1, n - 1) + at(G, n)", {}, False),
    ("no terms", {"G": "at(G, s)", "s": "s", "a": "1", "b": "0"}, (), "sum(at(G, s), s, 1, 0) == 0", {}, True),
    ("no terms", {"G": "at(G, s)", "s": "s", "a": "1", "b": "1"}, (), "sum(at(G, s), s, 1, 1) == 0", {}, False),
    ("known", {"X": "Z**2", "V": "H"}, (), "measurable(Z**2, H) == 1", {}, False),
    ("known", {"X": "Z**2", "V": "Z"}, (), "measurable(Z**2, Z) == 1", {}, True),
    ("independent of what is given", {"X": "ind(Z > 0)", "Z": "Z", "V": "H"}, ("apart",),
     "Egiven(ind(Z > 0), H) == E(ind(Z > 0))", {"apart": Fact("independent(Z, H) == 1")}, True),
    ("independent of what is given", {"X": "Z", "Z": "Z", "V": "H"}, ("apart",),
     "Egiven(Z, H) == E(Z)", {"apart": Fact("independent(Z, H) == 1")}, False),  # Z need not have a mean
    ("independent of what is given", {"X": "ind(Z > N)", "Z": "Z", "V": "H"}, ("apart",),
     "Egiven(ind(Z > N), H) == E(ind(Z > N))", {"apart": Fact("independent(Z, H) == 1")}, False),
    ("either strict case", {"A": "0", "B": "abs(n) + 1", "t": "exp(n)", "a": "1"}, ("low", "high"), "0 < abs(n) + 1",
     {"low": Fact("0 < abs(n) + 1", where=("n < 0",)), "high": Fact("0 < abs(n) + 1", where=("n >= 0",))}, True),
    ("either strict case", {"A": "0", "B": "abs(n)", "t": "exp(n)", "a": "1"}, ("low", "high"), "0 < abs(n)",
     {"low": Fact("0 < abs(n)", where=("n < 0",)), "high": Fact("0 < abs(n)", where=("n > 0",))}, False),
    ("first member of an intersection", {"A": "at(G, s) > 0", "t": "s", "a": "1"}, (),
     "ind(meet(at(G, s) > 0, s, 1, 1)) == ind(at(G, 1) > 0)", {}, True),
    ("first member of an intersection", {"A": "at(G, s) > 0", "t": "s", "a": "1"}, (),
     "ind(meet(at(G, s) > 0, s, 1, 1)) == ind(at(G, 2) > 0)", {}, False),
    ("last member of an intersection", {"A": "at(G, s) > 0", "t": "s", "a": "1", "n": "2"}, (),
     "ind(meet(at(G, s) > 0, s, 1, 2)) == ind(meet(at(G, s) > 0, s, 1, 1))*ind(at(G, 2) > 0)", {}, True),
    ("last member of an intersection", {"A": "at(G, s) > 0", "t": "s", "a": "1", "n": "0"}, (),
     "ind(meet(at(G, s) > 0, s, 1, 0)) == ind(meet(at(G, s) > 0, s, 1, -1))*ind(at(G, 0) > 0)", {}, False),
    ("all of an intersection", {"A": "at(G, s) > 0", "t": "s", "a": "1", "b": "3"}, ("all",),
     "ind(meet(at(G, s) > 0, s, 1, 3)) == 1", {"all": POSITIVE}, True),
    ("all of an intersection", {"A": "at(G, s) > 0", "t": "s", "a": "1", "b": "4"}, ("all",),
     "ind(meet(at(G, s) > 0, s, 1, 4)) == 1", {"all": POSITIVE}, False),
    ("indicators of the same event", {"A": "Z > 0", "B": "2*Z > 0"}, (), "ind(Z > 0) == ind(2*Z > 0)", {}, True),
    ("indicators of the same event", {"A": "Z > 0", "B": "Z >= 0"}, (), "ind(Z > 0) == ind(Z >= 0)", {}, False),
]  # fmt: skip


@pytest.mark.parametrize("case", CASES, ids=lambda c: f"{c[0]}: {c[3]}")
def test_rules_hold_with_their_conditions_alone(case):
    rule, let, using, claim, hypotheses, holds = case
    assert refused(own(ByRule(rule, let, using), Fact(claim), hypotheses), 1) is not holds


# ---------------------------------------------------------------- two ways in which a false step was accepted


def test_a_cited_hypothesis_for_all_is_not_met_under_a_condition_of_the_step():
    """f <= 1 for t > 0 is not f <= 1 for all t, though the step itself speaks of a t > 0."""
    common = {"title": "", "kind": "lemma", "part": "own", "text": "", "parameters": (),
              "declares": {"f": "real -> real"}}  # fmt: skip
    full = Statement(label="lem:all", hypotheses={"h": Fact("f(t) <= 1", over=("t",))}, claims=(Fact("f(-1) <= 1"),),
                     **common)  # fmt: skip
    step = Step(Fact("f(-1) <= 1", over=("t",), where=("t > 0",)), Cite("lem:all"))
    part = Statement(label="lem:some", hypotheses={"g": Fact("f(t) <= 1", over=("t",), where=("t > 0",))}, claims=(),
                     steps=(step,), **common)  # fmt: skip

    wanted = obligations(part, 1, step, {"lem:all": full}.__getitem__)
    assert any(decide_obligation(o, 1.0).status is not Status.PROVED for o in wanted)


def test_nested_sums_are_not_confused():
    from boundcheck.kernel.formula import parse
    from boundcheck.kernel.proof.terms import canonical

    def normal(text):
        return canonical(parse(text, proof=True))

    rows = normal("sum(sum(at(x, s, l), l, 1, 2), s, 1, 2)")
    assert rows is not normal("sum(sum(at(x, s, s), l, 1, 2), s, 1, 2)")
    assert rows is not normal("sum(sum(at(x, l, s), l, 1, 2), s, 1, 2)")
    assert rows is normal("sum(sum(at(x, i, j), j, 1, 2), i, 1, 2)")
    assert canonical(rows) is rows
