"""The engines: each one takes a claim and returns a verdict. The package itself may be called: see :func:`__call__`.

>>> import boundcheck
>>> boundcheck.decide("exp(x) >= 1 + x").status
<Status.PROVED: 'PROVED'>
"""

import sys
from collections.abc import Sequence
from types import ModuleType
from typing import Any

from boundcheck.decide.scalar.engine import decide, prove, rules_used
from boundcheck.decide.scalar.slack import slack_bracket
from boundcheck.verdict import Verdict

__all__ = ["decide", "prove", "rules_used", "slack_bracket"]


class _Engines(ModuleType):
    """This package, callable, so that ``boundcheck.decide(claim)`` reads as what it does."""

    def __call__(self, claim: Any, where: Sequence[Any] = (), seconds: float = 10.0) -> Verdict:
        """The verdict of a :class:`boundcheck.kernel.statement.Claim`, a formula text, or a sympy relation.

        ``where`` holds texts or sympy relations. Raises FormulaError or TypeError for what is no claim.
        """
        from boundcheck.claims import as_claim

        return decide(as_claim(claim, where), seconds)


sys.modules[__name__].__class__ = _Engines
