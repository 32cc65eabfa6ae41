"""Which statements take long to decide: their tests run with ``-m campaign``; `check`, which `.ci/run` begins with,
decides them too, and `check --save` decides their planted falsehoods."""

from __future__ import annotations

import pytest

from boundcheck.stored import decisions

LONG = 1.5  #: seconds that the stored decision took
_TOOK = decisions.load()["provenance"]["seconds"]


def case(label: str, *values: object) -> object:
    """The parameters (label, *values) of a test, marked as a campaign where the statement takes long."""
    return pytest.param(label, *values, marks=[pytest.mark.campaign] * (_TOOK.get(label, 0.0) > LONG))
