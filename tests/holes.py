"""False lemmas on trial: the first step that is not proved, and why."""

from boundcheck.decide import decide
from boundcheck.kernel.proof.facts import ProofError
from boundcheck.kernel.proof.obligations import conclusion_steps, obligations
from boundcheck.kernel.statement import Claim, Decide, Fact, Statement, Step
from boundcheck.verdict import Status

SECONDS = 1.0
NOTHING = Step(Fact("0 == 0"), Decide())


def lemma(claim, steps, declares, hypotheses=None, label="lem:hole"):
    return Statement(
        label, "t", "lemma", "part", "text", (), hypotheses or {}, (Fact(claim),), tuple(steps), declares=declares
    )


def open_at(statement, *others):
    """The first step that is not proved, with the reason; None where all are."""
    table = {s.label: s for s in (statement, *others)}
    for number, step in enumerate([*statement.steps, *conclusion_steps(statement)], 1):
        try:
            wanted = obligations(statement, number, step, table.__getitem__)
        except ProofError as fault:
            return number, str(fault)
        for o in wanted:
            assert isinstance(o.claim, Claim)
            if decide(o.claim, SECONDS).status is not Status.PROVED:
                return number, f"{o.role}: {o.claim}"
    return None


def refused(statement, number, *words, others=()):
    found = open_at(statement, *others)
    assert found is not None, "a false lemma is proved"
    assert found[0] == number, found
    for word in words:
        assert word in found[1], found
