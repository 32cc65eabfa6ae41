"""The catalogue: every step fits its reason, citations do not go in circles, and every planted falsehood is caught."""

from functools import cache

import pytest
from slow import LONG, brief, case, thinned

from boundcheck.author.twins import apply_twin
from boundcheck.decide.statements import decide_obligation
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.serial import decode
from boundcheck.kernel.statement import ByRule, Cite, Follows, Literature, Statement
from boundcheck.paper import UnknownLabel, catalogue, lookup
from boundcheck.stored import decisions
from boundcheck.verdict import Status
from boundcheck.written import encode, fingerprint

DECIDED = [s for s in catalogue().values() if s.kind != "assumption" and not s.literature]
TWINS = [(s.label, n) for s in DECIDED for n in range(len(s.twins))]
SECONDS = LONG  #: for one obligation: all of a statement that is decided here were proved in less


def forms(statement: Statement) -> list[Statement]:
    return [statement, *(forms(statement.as_used) if statement.as_used is not None else [])]


def demanded(statement: Statement) -> dict[tuple[int, int, bool, str], list[Obligation] | None]:
    """What every step of every form demands; None where the step does not fit its reason."""
    found: dict[tuple[int, int, bool, str], list[Obligation] | None] = {}
    for form, one in enumerate(forms(statement)):
        for number, step in enumerate([*one.steps, *conclusion_steps(one)], 1):
            for repaired, version in ((False, step), (True, step.repair)):
                if version is None or isinstance(version.by, Literature):
                    continue
                try:
                    found[form, number, repaired, version.fact.claim] = obligations(one, number, version, lookup)
                except ProofError:
                    found[form, number, repaired, version.fact.claim] = None
    return found


@cache
def original(label: str) -> dict[tuple[int, int, bool, str], list[Obligation] | None]:
    """What the statement of the catalogue demands, worked out once."""
    return demanded(lookup(label))


@cache
def proved(obligation: Obligation) -> bool:
    return decide_obligation(obligation, SECONDS).status is Status.PROVED


@pytest.mark.parametrize("statement", [brief(s.label, s) for s in DECIDED], ids=lambda s: s.label)
def test_every_step_fits_its_reason(statement):
    misfits = [key for key, wanted in original(statement.label).items() if wanted is None]
    assert not misfits
    assert any(form.steps for form in forms(statement))


@pytest.mark.parametrize("statement", DECIDED, ids=lambda s: s.label)
def test_every_statement_plants_a_falsehood(statement):
    assert statement.twins, "a statement whose check cannot fail checks nothing"


@pytest.mark.parametrize(("label", "number"), thinned([case(*twin) for twin in TWINS], 4), ids=str)
def test_a_planted_falsehood_is_not_proved(label, number):
    """Of the claims that the twin demands and the statement does not, one at least must not be provable."""
    statement = lookup(label)
    twin = apply_twin(statement, statement.twins[number])
    known = {o for wanted in original(label).values() for o in wanted or ()}
    changed = demanded(twin)
    numbered = [[*one.steps, *conclusion_steps(one)] for one in forms(twin)]
    assert changed != original(label)
    misfits = [numbered[form][number - 1] for (form, number, _, _), wanted in changed.items() if wanted is None]
    if any(isinstance(step.by, (Cite, ByRule, Follows)) for step in misfits):
        return  # what is cited, or the rule, says something else; or nothing shows that a mean of the twin exists
    fresh = {o: None for wanted in changed.values() for o in wanted or () if o not in known}
    assert any(not proved(obligation) for obligation in fresh)


def test_citations_do_not_go_in_circles():
    def visit(label: str, path: tuple[str, ...]) -> None:
        assert label not in path, " -> ".join((*path, label))
        for form in forms(lookup(label)):
            for cited in form.cites:
                visit(cited, (*path, label))

    for label in catalogue():
        visit(label, ())


@pytest.mark.parametrize("statement", [brief(s.label, s) for s in DECIDED], ids=lambda s: s.label)
def test_statements_survive_encoding_and_twins_change_the_fingerprint(statement):
    again = decode(encode(statement))
    assert demanded(again) == original(statement.label)
    own = fingerprint(statement)
    assert fingerprint(again) == own
    for twin in statement.twins:
        assert fingerprint(apply_twin(statement, twin)) != own


def test_an_unknown_label_is_told_with_the_nearest():
    with pytest.raises(UnknownLabel, match="did you mean lem:hp-shared-clipping-bias"):
        lookup("lem:hp-shared-clipping-bia")


def test_every_planted_falsehood_was_caught_when_the_stored_decisions_were_made():
    """Twins of statements that take long are decided by `check --save` and the campaign: what is stored says so."""
    stored = decisions.load()["decisions"]
    found = {(label, n): twin["caught"] for label, row in stored.items() for n, twin in enumerate(row["twins"])}
    assert found.keys() == set(TWINS)
    assert all(caught is True for caught in found.values())
    assert not [s.label for s in DECIDED if decisions.stale(s, stored.get(s.label))]
