"""Obligations: what a step must deliver, and that steps which do not fit their reason are refused."""

from dataclasses import replace

import pytest

from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.proof.facts import ProofError, read_term
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.proof.sorts import check_relation, typed
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Decide,
    Definition,
    Fact,
    Follows,
    Parameter,
    Statement,
    Step,
    Use,
)

TAIL = Fact("P(X > t) <= 1/t", over=("t",), where=("t >= 2",))
BASE = Statement(
    label="test",
    title="test",
    kind="lemma",
    part="test",
    text="",
    parameters=(Parameter("a", "level", ("a >= 3",)), Parameter("n", "count", ("n >= 1",), integer=True)),
    random=("X",),
    hypotheses={"tail": TAIL, "mean": Fact("E(X) == a")},
)


def wanted(step, statement=BASE, lookup=None):
    statement = replace(statement, steps=(*statement.steps, step))
    return obligations(statement, len(statement.steps), step, lookup or (lambda label: pytest.fail(label)))


def test_an_instance_demands_the_conditions_of_the_fact():
    found = wanted(Step(Fact("P(X > a) <= 1/a"), Follows((Use("tail", {"t": "a"}),))))
    assert [str(o.claim.claim[0]) for o in found] == ["a >= 2"]
    assert [str(w) for w in found[0].claim.where] == ["a >= 3"]
    below = wanted(Step(Fact("P(X > 1) <= 1"), Follows((Use("tail", {"t": "1"}),))))
    assert any(str(o.claim.claim[0]) == "1 >= 2" for o in below)


def test_a_decided_step_is_its_own_claim():
    (only,) = wanted(Step(Fact("a*b <= a**2 + b**2", over=("b",)), Decide()))
    assert not only.opaque
    assert str(only.claim) == "a*b <= a**2 + b**2 where a >= 3"


def test_a_rule_wants_its_premises_in_order_and_its_metavariables():
    good = ByRule("Markov", {"A": "abs(X) > a", "X": "abs(X)", "a": "a", "q": "1"})
    roles = [o.role for o in wanted(Step(Fact("P(abs(X) > a) <= E(abs(X)**1)/a**1"), good))]
    assert roles == ["side condition"] * 3 + ["implication of events"]
    with pytest.raises(ProofError, match="q is not declared"):
        wanted(Step(Fact("P(X > a) <= 1"), ByRule("Markov", {"A": "X > a", "X": "X"})))
    with pytest.raises(ProofError, match="no rule"):
        wanted(Step(Fact("P(X > a) <= 1"), ByRule("Markoff", {})))
    with pytest.raises(ProofError, match="Y is not declared"):
        wanted(Step(Fact("E(X) == E(Y)"), ByRule("expectation of equals", {"X": "X", "Y": "Y"})))
    with pytest.raises(ProofError, match="1 premises, 0 facts"):
        wanted(Step(Fact("E(X) == E(2*X)"), ByRule("expectation of equals", {"X": "X", "Y": "2*X"})))


def test_a_wrong_conclusion_of_a_rule_leaves_an_obligation_that_is_false():
    found = wanted(
        Step(
            Fact("P(abs(X) > a) <= E(abs(X))/(2*a)"),
            ByRule("Markov", {"A": "abs(X) > a", "X": "abs(X)", "a": "a", "q": "1"}),
        )
    )
    assert "conclusion" in [o.role for o in found]


def test_constants_may_not_be_random():
    with pytest.raises(ProofError, match="c = X may not depend on chance"):
        wanted(Step(Fact("E(X*X) == X*E(X)"), ByRule("expectation scale", {"c": "X", "X": "X"})))
    with pytest.raises(ProofError, match="w is not declared"):
        wanted(
            Step(
                Fact("integral(w*w, w, 0, 1) == w*integral(w, w, 0, 1)"),
                ByRule("integral scale", {"c": "w", "G": "w", "t": "w", "a": "0", "b": "1"}),
            )
        )


def test_parameters_do_not_range_freely():
    with pytest.raises(ProofError, match="a is in the parameters' domain and cannot range freely"):
        wanted(Step(Fact("a >= 3", over=("a",)), Decide()))


def test_later_steps_and_unknown_facts_are_refused():
    with pytest.raises(ProofError, match="not an earlier step"):
        wanted(Step(Fact("a >= 0"), Follows((1,))))
    with pytest.raises(ProofError, match="no hypothesis"):
        wanted(Step(Fact("a >= 0"), Follows(("nothing",))))
    with pytest.raises(ProofError, match="does not hold for all X"):
        wanted(Step(Fact("a >= 0"), Follows((Use("tail", {"X": "a"}),))))


def test_a_definition_introduces_a_new_symbol():
    assert wanted(Step(Fact("b == 2*a"), Definition())) == []
    for text in ("a == 2", "X == 2*a", "b == b + 1", "2*b == a"):
        with pytest.raises(ProofError):
            wanted(Step(Fact(text), Definition()))


def test_citing_demands_domain_and_hypotheses():
    cited = replace(
        BASE,
        label="cited",
        parameters=(Parameter("a", "level", ("a >= 4",)), Parameter("n", "count", ("n >= 1",), integer=True)),
        claims=(Fact("P(X > a) <= 1/a"),),
    )
    step = Step(Fact("P(X > a) <= 1/a"), Cite("cited"))
    (domain,) = wanted(step, lookup=lambda _: cited)
    assert str(domain.claim) == "a >= 4 where a >= 3" and not domain.opaque
    with pytest.raises(ProofError, match="hypothesis mean of cited is not among the facts"):
        wanted(step, replace(BASE, hypotheses={"tail": TAIL}), lambda _: cited)
    with pytest.raises(ProofError, match="n is not declared"):
        wanted(step, replace(BASE, parameters=BASE.parameters[:1]), lambda _: cited)


def test_a_weaker_fact_does_not_pass_for_a_premise():
    step = Step(
        Fact("integral(P(X > t), t, 1, a) <= integral(1/t, t, 1, a)"),
        ByRule("integral monotone", {"G": "P(X > t)", "H": "1/t", "t": "t", "a": "1", "b": "a"}, using=("tail",)),
    )
    conditions = [o for o in wanted(step) if "its condition" in o.role]
    assert [str(o.claim.claim[0]) for o in conditions] == ["t >= 2"]
    assert parse_relation("1 <= t") in conditions[0].claim.where


def test_the_claim_is_the_last_step():
    statement = replace(BASE, claims=(Fact("a >= 0"),), steps=(Step(Fact("a >= 1"), Decide()),))
    (last,) = conclusion_steps(statement)
    assert last.fact.claim == "a >= 0" and last.by == Follows((1,))


def test_every_typed_schema_is_well_typed_and_has_a_source():
    for rule in RULES.values():
        assert rule.source, rule.name
        kinds = {"quantity": "real", "source": "information"}
        names = {n: m.sort for n, m in rule.metas.items()} | rule.bound_sorts
        names |= {d.name: names[d.source]._replace(random=True) for d in rule.derived}
        scope = {n: s._replace(kind=kinds.get(s.kind, s.kind)) for n, s in names.items()}
        for f in (Fact(rule.conclusion), *rule.premises, *rule.sides):
            for r in (f.relation, *f.conditions):
                check_relation(r, scope)
        terms = [*rule.integrable, *(t for t, _ in rule.existence), *(t for pair in rule.measurable for t in pair)]
        for t in terms:
            typed(read_term(t), scope)
