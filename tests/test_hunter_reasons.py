"""Why the conditions of the rules stand there: models by hand that need them, and what a machine says of reasons."""

import random
import sys
from pathlib import Path

import pytest

from boundcheck.decide import decide
from boundcheck.kernel.rules import RULES
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

sys.path.insert(0, str(Path(__file__).parent.parent))

from benchmarks.hunter import tables
from benchmarks.hunter.reasons import POINTWISE, REASONS, reason
from benchmarks.hunter.schemas import conditions, needed
from benchmarks.hunter.witnesses import WITNESSES, Witness, broken_by, by_hand
from boundcheck.kernel.statement import Fact

TABLE = Path(__file__).parent.parent / "docs" / "rules-on-models.md"
ROWS = tables.read(TABLE.read_text(encoding="utf-8"))
LISTED = [(name, c["condition"], c["needed"]) for name, row in ROWS.items() for c in row["conditions"]]
_LAWS = ("E", "P", "Egiven", "Pgiven", "measurable", "independent", "law")


@pytest.mark.parametrize(("rule", "start"), WITNESSES)
def test_a_model_by_hand_breaks_the_rule_without_its_condition(rule, start):
    (text,) = (t for t, _ in conditions(RULES[rule]) if t.startswith(start))
    assert " is false" in by_hand(rule, text)


def test_a_model_that_breaks_nothing_is_told():
    with pytest.raises(ValueError, match="holds in the model"):
        broken_by(RULES["power as an integral"], "side q >= 1", Witness(values={"X": 1, "q": 2}))
    with pytest.raises(ValueError, match="X >= 0 does not hold in the model"):
        broken_by(RULES["power as an integral"], "side q >= 1", Witness(values={"X": -1, "q": 0}))


def test_the_table_lists_each_condition_of_each_rule():
    assert {(n, c) for n, c, _ in LISTED} == {(n, c) for n, rule in RULES.items() for c, _ in conditions(rule)}


def test_each_condition_is_shown_or_explained_and_no_reason_is_left_over():
    for name, condition, shown in LISTED:
        assert shown or reason(name, condition), (name, condition)
        assert shown or not by_hand(name, condition), (name, condition)
    for rule, start in REASONS:
        assert [n for n, c, shown in LISTED if not shown and n.startswith(rule) and c.startswith(start)], (rule, start)


@pytest.mark.parametrize(("rule", "start"), [key for key, why in REASONS.items() if why == POINTWISE])
def test_what_holds_at_every_outcome_stands_outside_of_laws(rule, start):
    """Where a name is in no mean and no probability, a random one has at each outcome the value of a constant."""
    for name in (n for n in RULES if n.startswith(rule)):
        r, meta = RULES[name], start.removesuffix(" constant")
        for f in (Fact(r.conclusion), *r.premises, *r.sides):
            for relation in (f.relation, *f.conditions):
                for e in (n for side in (relation.lhs, relation.rhs) for n in side.walk()):
                    if e.op in _LAWS or (e.op == "integrable" and not e.binds):
                        assert meta not in e.free, (name, str(e))


@pytest.mark.parametrize(("negative", "other"), [("b", "c"), ("c", "b")])
def test_what_is_left_of_a_product_with_one_negative_factor(negative, other):
    """Why the root of a product would do without one of its signs."""
    domain = ("a <= b*c", "a >= 0", f"{negative} < 0", f"{other} >= 0")
    for conclusion in (f"{other} <= 0", "a <= 0"):
        assert decide(Claim.read(conclusion, domain), 5.0).status is Status.PROVED


@pytest.mark.thorough
def test_what_is_redundant_is_needed_in_no_model():
    """A few drawings for each here; the campaign has many."""
    for name, condition, shown in LISTED:
        if not shown and reason(name, condition).startswith("redundant"):
            assert not needed(RULES[name], dict(conditions(RULES[name]))[condition], random.Random(2), 3, 60.0)


@pytest.mark.campaign
def test_what_is_redundant_is_needed_in_none_of_many_models():
    for name, condition, shown in LISTED:
        if not shown and reason(name, condition).startswith("redundant"):
            found = needed(RULES[name], dict(conditions(RULES[name]))[condition], random.Random(3), 2000, 60.0)
            assert not found, (name, condition, found)
