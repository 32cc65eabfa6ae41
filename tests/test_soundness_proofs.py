"""False statements with proofs that abuse a schema, a scope or a citation: none may be PROVED."""

import pytest
from false_proofs import CITED, FALSE, statement

from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.statement import ByRule, Decide, Fact, Follows, Step
from boundcheck.verdict import Status


@pytest.mark.usefixtures("no_worlds")
@pytest.mark.parametrize("abuse", FALSE)
def test_an_abuse_proves_nothing(abuse):
    verdict = decide_statement(FALSE[abuse], CITED.__getitem__, 2.0, 0.0)
    assert verdict.status not in (Status.PROVED, Status.REPAIRED), abuse


def test_the_honest_twins_are_proved():
    """The same shapes without the abuse still go through."""
    honest = [
        statement(
            [Fact("integral(exp(-t), t, 0, oo) <= 3/2")], [Step(Fact("integral(exp(-t), t, 0, oo) <= 3/2"), Decide())]
        ),
        statement(
            [Fact("x > 0")],
            [Step(Fact("x > 0"), Follows(("h",), ("1",)))],
            hypotheses={"h": Fact("x > 0")},
            domains={"x": ()},
        ),
        statement(
            [Fact("integral(1, t, 0, 1) <= integral(2, t, 0, 1)")],
            [
                Step(Fact("1 <= 2", over=("t",)), Decide()),
                Step(
                    Fact("integral(1, t, 0, 1) <= integral(2, t, 0, 1)"),
                    ByRule("integral monotone", {"G": "1", "H": "2", "t": "t", "a": "0", "b": "1"}, (1,)),
                ),
            ],
        ),
    ]
    for s in honest:
        assert decide_statement(s, CITED.__getitem__, 2.0, 0.0).status is Status.PROVED, s.claims
