"""What the tests of RSCZO share: planted faults, seeded parameters, comparison to the bit, a linear loss."""

from __future__ import annotations

import math

import pytest
import torch

from proofs_numeric.tuning import RSCZO

PARAMETRISATIONS = pytest.mark.parametrize("parametrisation", ["gaussian", "sphere"])


@pytest.fixture(autouse=True)
def one_thread():
    before = torch.get_num_threads()
    torch.set_num_threads(1)
    yield
    torch.set_num_threads(before)


def rejects(monkeypatch, check, *patches):
    """Whether ``check`` fails with the attributes (owner, name, value) replaced."""
    with monkeypatch.context() as planted:
        for owner, name, value in patches:
            planted.setattr(owner, name, value)
        with pytest.raises(AssertionError):
            check()


def normal(*shape, seed=0, dtype=torch.float64, scale=1.0):
    entries = torch.empty(shape, dtype=dtype).normal_(generator=torch.Generator().manual_seed(seed)) * scale
    return torch.nn.Parameter(entries)


def bits(parameters):
    return [p.detach().clone().view(torch.int32 if p.dtype == torch.float32 else torch.int64) for p in parameters]


def same(first, second):
    return all(torch.equal(a, b) for a, b in zip(first, second, strict=True))


def make(parameters, **options):
    return RSCZO(parameters, **{"lr": 0.1, "tau": math.inf, "check_first": False, **options})


def linear(parameters, slope):
    """sum <slope_i, p_i> as a closure, which also keeps the points where it was called."""
    points = []

    def closure():
        points.append([p.detach().clone() for p in parameters])
        return sum((p * a).sum() for p, a in zip(parameters, slope, strict=True))

    closure.points = points
    return closure
