"""RSCZO at the end of the floats, and its state: no parameter becomes NaN, no state is loaded by halves."""

from __future__ import annotations

import contextlib
import copy
import math
import warnings

import pytest

torch = pytest.importorskip("torch", reason='needs pip install "boundcheck[torch]"')

from rsczo_tools import PARAMETRISATIONS, bits, make, normal, one_thread, rejects, same  # noqa: E402, F401

from proofs_numeric.tuning import NonFiniteLossWarning, estimate, rsczo  # noqa: E402
from proofs_numeric.tuning.step_records import Plateau  # noqa: E402

pytestmark = pytest.mark.torch
F32, F64 = torch.float32, torch.float64


def told(skips):
    return pytest.warns(NonFiniteLossWarning, match="or a step would be") if skips else contextlib.nullcontext()


def zeros(d, dtype):
    return torch.nn.Parameter(torch.zeros(d, dtype=dtype))


# Clipping by vector at a norm that overflows


def clipped_to_its_radius(dtype, slope, M=1, parametrisation="gaussian"):
    """The step has length lr tau sqrt(d) (d tau on the sphere), and the direction of a small slope."""
    d, moved = 1000, []
    for size in (slope, 1.0):
        x = zeros(d, dtype)
        o = make([x], lr=1.0, tau=1e-3, clip="vector", M=M, parametrisation=parametrisation, seed=4)
        o.step(lambda x=x, size=size: size * x.sum())
        assert o.skipped == 0 and o.last.skipped == 0 and o.last.clip_fraction == 1.0
        moved.append(x.detach().clone())
    radius = 1e-3 * (d if parametrisation == "sphere" else math.sqrt(d))
    assert float(moved[0].double().norm()) == pytest.approx(radius, rel=1e-5)
    assert torch.allclose(moved[0], moved[1], rtol=1e-3, atol=1e-3 * radius / math.sqrt(d))


@PARAMETRISATIONS
@pytest.mark.parametrize("M", [1, 3])
@pytest.mark.parametrize(("dtype", "slope"), [(F32, 1e17), (F32, 1e20), (F32, 1e33), (F64, 1e160), (F64, 1e300)])
def test_a_vector_whose_norm_overflows_is_shortened(monkeypatch, dtype, slope, M, parametrisation):
    clipped_to_its_radius(dtype, slope, M, parametrisation)


def test_the_test_sees_a_norm_that_overflows(monkeypatch):
    """Planted: the clipping as it was, by the norm alone."""

    def naive(self, radius, factor, largest):
        self.norm = estimate.norm(g for _, g in self.pieces())
        self.clip_fraction = float(self.norm > radius)
        self.terms = [(direction, w * (min(self.norm, radius) / self.norm)) for direction, w in self.terms]

    assert rejects(monkeypatch, lambda: clipped_to_its_radius(F32, 1e20), (estimate.Estimate, "_clip", naive)) is None


@pytest.mark.parametrize(("dtype", "slope"), [(F32, 1e-30), (F64, 1e-200)])
def test_a_vector_whose_squares_underflow_is_measured(dtype, slope):
    x = zeros(10, dtype)
    o = make([x], lr=1.0, tau=slope / 10, clip="vector")
    o.step(lambda: (slope * x.double()).sum())
    assert o.last.clip_fraction == 1.0 and o.last.norm > 0
    assert float(x.detach().double().norm()) <= slope / 10 * math.sqrt(10) * (1 + 1e-5)


def test_a_vector_of_zeros_stays_zero():
    x = zeros(10, F32)
    o = make([x], lr=1.0, tau=1.0, clip="vector")
    o.step(lambda: 0.0 * x.sum())
    assert o.last.norm == 0.0 and o.skipped == 0 and not x.detach().any()


# Steps that are not finite


@PARAMETRISATIONS
@pytest.mark.parametrize("clip", ["none", "scalar", "vector"])
@pytest.mark.parametrize(("dtype", "slope", "lr"), [(F32, 1e38, 1.0), (F32, 1e30, 1e9), (F64, 1e306, 1.0)])
@pytest.mark.parametrize("beta", [0.0, 0.9])
def test_a_step_beyond_the_type_is_skipped_counted_and_said(dtype, slope, lr, clip, parametrisation, beta):
    """tau is infinite: the losses are finite in double, the step is not in the parameters' own type."""
    momentum = {"beta": beta, "M0": 2, "tau0": math.inf} if beta else {}
    x = zeros(1000, dtype)
    o = make([x], lr=lr, clip=clip, M=2, parametrisation=parametrisation, **momentum)
    with told(True):
        loss = o.step(lambda: (slope * x.double()).sum())
    assert not x.detach().any() and o.skipped == 2 and o.last.skipped == 2 and math.isnan(loss)
    assert all(math.isfinite(y) for pair in o.last.losses for y in pair)
    assert not o.warm and o.last.clipped != o.last.raw
    o.step(lambda: x.sum() * 1e-12)
    assert torch.isfinite(x).all() and (lr > 1 or x.detach().any())


def test_only_the_direction_that_is_not_finite_is_left_out():
    x, losses = zeros(4, F32), iter([1e38, -1e38, 1.0, 0.5])
    with told(True):
        o = make([x], lr=1.0, M=2)
        o.step(lambda: next(losses))
    assert o.skipped == 1 and [math.isnan(y) for y in o.last.clipped] == [True, False]
    assert torch.isfinite(x).all() and x.detach().any() and o.last.loss == 0.75


@pytest.mark.parametrize("size", [1e307, 1.7e308])
def test_the_mean_of_large_losses_is_finite(size):
    x = zeros(2, F64)
    o = make([x], tau=1.0, M=3)
    assert o.step(lambda: size) == pytest.approx(size) and o.skipped == 0


def test_the_plateau_of_large_quotients_is_read_as_of_small_ones():
    rows = ((1.0, 1.1, 1.5), (2.0, 2.1, 2.6))
    small, large = (
        Plateau.read(1e-3, tuple(tuple(y * unit for y in row) for row in rows), 0.1) for unit in (1.0, 1e307)
    )
    assert (small.verdict, large.verdict) == ("curvature", "curvature")
    assert (large.finer, large.coarser) == (pytest.approx(small.finer), pytest.approx(small.coarser))


# The learning rate later on


@pytest.mark.parametrize("name", ["lr", "weight_decay"])
@pytest.mark.parametrize("value", [-1.0, math.nan, math.inf])
def test_a_learning_rate_set_later_is_checked_before_anything_moves(name, value):
    x = normal(4)
    o, before, calls = make([x]), bits([x]), []
    o.param_groups[0][name] = value
    with pytest.raises(ValueError, match=f"{name} must be finite and at least 0, got {value!r}"):
        o.step(lambda: calls.append(1) or x.sum())
    assert same(before, bits([x])) and calls == [] and o.steps == 0


# All or nothing


def wreck(path, value):
    """Sets the entry of a state at a path of keys."""

    def change(state):
        for key in path[:-1]:
            state = state[key]
        state[path[-1]] = value

    return change


def without(path):
    def change(state):
        for key in path[:-1]:
            state = state[key]
        del state[path[-1]]

    return change


WRECKS = [
    wreck(("rsczo", "settings", "tau"), -1.0),
    wreck(("rsczo", "settings", "clip"), "norm"),
    wreck(("rsczo", "settings", "speed"), 1.0),
    without(("rsczo", "settings", "mu")),
    wreck(("rsczo", "settings"), None),
    wreck(("rsczo", "seeds", "seed"), -1),
    wreck(("rsczo", "seeds", "count"), 1.5),
    wreck(("rsczo", "watch", "seen"), "many"),
    without(("rsczo", "watch")),
    wreck(("rsczo", "steps"), -3),
    wreck(("rsczo", "warm"), "yes"),
    wreck(("rsczo", "step"), 1),
    without(("rsczo", "steps")),
    without(("rsczo",)),
    wreck(("param_groups", 0, "lr"), -7.0),
    wreck(("param_groups", 0, "lr"), math.nan),
    wreck(("param_groups", 0, "weight_decay"), -1.0),
    wreck(("param_groups", 0, "params"), [0, 1]),
    wreck(("param_groups", 0, "masks"), [torch.ones(7, dtype=torch.bool)]),
    wreck(("param_groups",), []),
    without(("param_groups",)),
    wreck(("state", 0, "momentum"), torch.zeros(9)),
]


def everything(o):
    groups = [{k: v for k, v in g.items() if k != "params"} for g in o.param_groups]
    m = [s["momentum"].clone() for s in o.state.values()]
    return groups, m, o.settings, copy.copy(o.seeds), copy.copy(o.watch), o.check_first, o.steps, o.skipped, o.warm


def unchanged_by(change):
    x = normal(3)
    o = make([x], tau=1.0, beta=0.5, M0=1, tau0=1.0)
    o.step(lambda: x.sum())
    state = copy.deepcopy(o.state_dict())
    state["param_groups"][0]["lr"] = 7.0
    state["rsczo"]["steps"] = 40
    change(state)
    before, groups = everything(o), o.param_groups
    with pytest.raises(ValueError):
        o.load_state_dict(state)
    after = everything(o)
    assert before[0] == after[0] and torch.equal(before[1][0], after[1][0]) and before[2:] == after[2:]
    assert o.param_groups is groups and o.param_groups[0]["params"][0] is x
    o.step(lambda: x.sum())


@pytest.mark.parametrize("change", WRECKS)
def test_a_state_that_is_refused_changes_nothing(change):
    unchanged_by(change)


def test_the_test_sees_a_state_that_is_half_loaded(monkeypatch):
    """Planted: torch's part first, then the settings."""
    before = rsczo.RSCZO.load_state_dict

    def halves(self, state):
        torch.optim.Optimizer.load_state_dict(self, state)
        before(self, state)

    assert rejects(monkeypatch, lambda: unchanged_by(WRECKS[0]), (rsczo.RSCZO, "load_state_dict", halves)) is None


def test_a_good_state_is_loaded_whole():
    x, y = normal(3), normal(3)
    o = make([x], tau=1.0, beta=0.5, M0=1, tau0=1.0, seed=5)
    for _ in range(3):
        o.step(lambda: (x * x).sum())
    y.data.copy_(x.data)
    again = make([y], lr=9.0)
    again.load_state_dict(copy.deepcopy(o.state_dict()))
    for _ in range(3):
        o.step(lambda: (x * x).sum())
        again.step(lambda: (y * y).sum())
    assert same(bits([x]), bits([y])) and again.steps == 6 and again.param_groups[0]["lr"] == 0.1
    with warnings.catch_warnings():
        again.load_state_dict(again.state_dict())
