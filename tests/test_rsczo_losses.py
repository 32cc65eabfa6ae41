"""RSCZO and the loss: the same xi in both passes, losses that are no numbers, precision, what is warned of."""

from __future__ import annotations

import itertools
import math
import random
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason='needs pip install "boundcheck[torch]"')

from rsczo_tools import bits, linear, make, normal, one_thread, rejects, same  # noqa: E402, F401

from proofs_numeric.tuning import (  # noqa: E402
    RSCZO,
    ClipFractionWarning,
    DefaultsWarning,
    NonFiniteLossWarning,
    PlateauWarning,
    estimate,
    perturbation,
    rsczo,
)
from proofs_numeric.tuning import closure as closures  # noqa: E402
from proofs_numeric.tuning.step_records import Plateau  # noqa: E402

pytestmark = pytest.mark.torch


# The same xi twice


def both_passes_see_the_same(autocast=False):
    """The loss is noise of every kind and nothing else: Y must be exactly 0, and the noise new for each direction."""
    x, dropout, values = normal(8, dtype=torch.float32), torch.nn.Dropout(0.5), []

    def closure():
        noise = dropout(torch.ones(64)).sum() + torch.randn(()) + random.random() + np.random.rand()  # noqa: NPY002
        values.append(float(noise))
        return noise

    optimizer = make([x], M=3)
    optimizer.step(closure)
    optimizer.step(closure)
    assert values[::2] == values[1::2] and len(set(values)) == 6
    assert optimizer.last.raw == (0.0, 0.0, 0.0)


def forgetting(*kept):
    """Randomness that brings back only some of the generators."""

    def restore(self):
        if "torch" in kept:
            torch.set_rng_state(self.cpu)
        if "python" in kept:
            random.setstate(self.python)
        if "numpy" in kept:
            np.random.set_state(self.numpy)  # noqa: NPY002

    return restore


def test_dropout_and_all_other_randomness_are_equal_in_both_passes(monkeypatch):
    both_passes_see_the_same()
    for kept in ((), ("torch", "python"), ("torch", "numpy"), ("python", "numpy")):
        rejects(monkeypatch, both_passes_see_the_same, (closures.Randomness, "restore", forgetting(*kept)))


def test_the_loss_at_one_point_with_one_xi_is_bit_equal():
    model = torch.nn.Sequential(torch.nn.Linear(30, 30), torch.nn.Dropout(0.3), torch.nn.Linear(30, 1))
    values = []

    def closure():
        values.append(float(model(torch.ones(4, 30)).sum()))
        return values[-1]

    RSCZO(model.parameters(), lr=0.0, clip="none", seed=1).check(closure)
    assert values[0] == values[1] and len(set(values)) > 10


def test_a_closure_that_does_not_repeat_itself_is_refused():
    x = normal(5)
    batches = itertools.count()
    optimizer = RSCZO([x], lr=1e-6, tau=1.0)
    before = bits([x])
    with pytest.raises(RuntimeError, match="one mini-batch for both passes"):
        optimizer.step(lambda: (x * next(batches)).sum())
    assert same(before, bits([x])) and optimizer.steps == 0


def autocast_is_not_blind():
    torch.manual_seed(1)
    model = torch.nn.Linear(16, 1)
    optimizer = make(model.parameters(), mu=0.1, M=4)
    with torch.autocast("cpu", torch.bfloat16):
        model(torch.ones(2, 16))
        optimizer.step(lambda: model(torch.ones(2, 16)).float().sum())
    assert any(optimizer.last.raw)


def test_an_enclosing_autocast_sees_the_perturbed_weights(monkeypatch):
    autocast_is_not_blind()
    blind = SimpleNamespace(**{**vars(torch), "clear_autocast_cache": lambda: None})
    rejects(monkeypatch, autocast_is_not_blind, (closures, "torch", blind))


def test_the_closure_is_called_twice_a_direction_and_told_which():
    x, calls = normal(4), []

    def indexed(m):
        calls.append(m)
        assert not torch.is_grad_enabled()
        return x.sum()

    def bound(batch=7):
        calls.append(batch)
        return x.sum()

    optimizer = make([x], M=3, beta=0.5, M0=5, tau0=1.0)
    assert optimizer.next_directions == 5
    optimizer.step(indexed)
    assert calls == [0, 0, 1, 1, 2, 2, 3, 3, 4, 4] and optimizer.last.warm_start and optimizer.next_directions == 3
    calls.clear()
    optimizer.step(indexed)
    optimizer.step(bound)
    assert calls == [0, 0, 1, 1, 2, 2] + 6 * [7] and not optimizer.last.warm_start
    assert optimizer.watch.seen == 0  # tau is infinite, and the warm start's tau0 is not watched
    assert not closures.takes_direction(dict.get) or closures.takes_direction(lambda m: m)


# Losses that are no numbers


def non_finite_is_left_out(bad=math.inf):
    """With the bad direction first, the step is that of the good one alone."""
    x, slope = normal(30, seed=1), normal(30, seed=2)
    calls = itertools.count()
    closure = linear([x], [slope])
    home = x.detach().clone()
    optimizer = make([x], M=2, tau=0.5)

    def broken():
        value = closure()
        return bad if next(calls) == 0 else value

    with pytest.warns(NonFiniteLossWarning, match="left out"):
        optimizer.step(broken)
    v = (closure.points[2][0] - home) / 1e-3
    y = float(np.clip(optimizer.last.raw[1], -0.5, 0.5))
    assert optimizer.skipped == optimizer.last.skipped == 1 and math.isnan(optimizer.last.clipped[0])
    assert torch.allclose(x.detach(), home - 0.1 * y * v, rtol=1e-9, atol=1e-12)


@pytest.mark.parametrize("bad", [math.inf, -math.inf, math.nan])
def test_a_loss_that_is_not_finite_is_skipped_and_counted(monkeypatch, bad):
    non_finite_is_left_out(bad)
    honest = estimate.pair

    def numbers(*arguments):
        return tuple(np.nan_to_num(honest(*arguments), posinf=1e30, neginf=-1e30).tolist())

    with monkeypatch.context() as planted:
        planted.setattr(rsczo, "pair", numbers)
        with pytest.raises((AssertionError, pytest.fail.Exception)):
            non_finite_is_left_out(bad)


def test_without_any_finite_loss_nothing_moves_and_the_warm_start_waits():
    x = normal(30, seed=1)
    optimizer = make([x], M=2, beta=0.9, M0=3, tau0=1.0, weight_decay=0.1)
    before = bits([x])
    with pytest.warns(NonFiniteLossWarning):
        loss = optimizer.step(lambda: torch.tensor(math.nan))
    assert math.isnan(loss) and same(before, bits([x]))
    assert (optimizer.steps, optimizer.skipped, optimizer.next_directions) == (1, 3, 3)
    optimizer.step(lambda: math.nan)  # told once
    optimizer.step(lambda: x.sum())
    assert optimizer.last.warm_start and optimizer.next_directions == 2 and not same(before, bits([x]))


# Precision


def small_steps_are_not_lost(dtype):
    """Either refused, or 1000 steps of 1e-6 times about 1 move a parameter of size 1 by about 1e-3."""
    x = torch.nn.Parameter(torch.ones(1, dtype=dtype))
    try:
        optimizer = make([x], lr=1e-6, mu=0.1, parametrisation="sphere")
    except TypeError as refused:
        assert "float32" in str(refused) and "autocast" in str(refused)
        return
    for _ in range(1000):
        optimizer.step(lambda: x.double().sum())
    assert float(x.detach().double()) == pytest.approx(1 - 1e-3, abs=2e-4)


@pytest.mark.parametrize("dtype", [torch.bfloat16, torch.float16, torch.float32, torch.float64])
def test_half_precision_is_refused(monkeypatch, dtype):
    small_steps_are_not_lost(dtype)
    if dtype.itemsize == 2:
        allowed = {**perturbation.BITS, dtype: torch.int16}
        rejects(monkeypatch, lambda: small_steps_are_not_lost(dtype), (perturbation, "BITS", allowed))


def test_frozen_parameters_may_be_half_but_not_become_unfrozen():
    x, half = normal(3), torch.nn.Parameter(torch.ones(3, dtype=torch.bfloat16), requires_grad=False)
    optimizer = make([x, half])
    optimizer.step(lambda: x.sum())
    half.requires_grad_(True)
    with pytest.raises(TypeError, match="float32"):
        optimizer.step(lambda: x.sum())


# What is warned of


def clip_fractions_are_told(tau, said):
    x = normal(10, seed=1)
    optimizer = make([x], lr=1e-9, tau=tau)
    closure = linear([x], [normal(10, seed=2)])
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for _ in range(200):
            optimizer.step(closure)
            closure.points.clear()
    assert [w.category for w in caught] == [ClipFractionWarning] * said
    assert all(w.filename == __file__ for w in caught)
    assert optimizer.watch.seen == (200 if tau < math.inf else 0)
    assert tau == math.inf or 0 <= optimizer.watch.fraction <= 1


@pytest.mark.parametrize("tau, said", [(1e6, 1), (1e-6, 1), (2.0, 0), (math.inf, 0)])
def test_a_threshold_that_does_nothing_or_everything_is_told(monkeypatch, tau, said):
    clip_fractions_are_told(tau, said)
    if said:
        silent = (rsczo.ClipWatch, "add", lambda *_: None)
        rejects(monkeypatch, lambda: clip_fractions_are_told(tau, said), silent)


def plateau_is_told(mu, loss, verdict, dtype=torch.float32):
    x = normal(50, seed=1, dtype=dtype)
    optimizer = RSCZO([x], lr=1e-6, tau=1.0, mu=mu)
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        optimizer.step(lambda: loss(x))
    assert optimizer.last.plateau.verdict == verdict
    assert [w.category for w in caught] == ([] if verdict == "plateau" else [PlateauWarning])
    assert all(w.filename == __file__ and f"mu = {mu:g}" in str(w.message) for w in caught)


PLATEAUS = [
    (1e-3, lambda x: (x**2).sum(), "plateau", torch.float64),
    (1e-3, lambda x: (x**2).sum(), "plateau", torch.float32),
    (3e-6, lambda x: (x**2).sum() + 1e3, "unstable", torch.float32),
    (3.0, lambda x: torch.sin(5 * x).sum(), "unstable", torch.float64),
    (1.0, lambda x: (x**3).sum(), "curvature", torch.float64),
    (1e-3, lambda x: torch.tensor(2.0), "flat", torch.float32),
]


@pytest.mark.parametrize("mu, loss, verdict, dtype", PLATEAUS, ids=[p[2] for p in PLATEAUS])
def test_the_first_step_looks_for_the_plateau(monkeypatch, mu, loss, verdict, dtype):
    def check():
        plateau_is_told(mu, loss, verdict, dtype)

    check()
    if verdict != "plateau":
        blind = classmethod(lambda cls, mu, rows, tolerance: cls(mu, rows, tolerance, "plateau", 0.0, 0.0))
        rejects(monkeypatch, check, (Plateau, "read", blind))


def test_the_plateau_can_be_looked_for_on_request():
    x = normal(50)
    optimizer = make([x])
    assert optimizer.check(lambda: (x**2).sum()).verdict == "plateau"
    with pytest.warns(PlateauWarning, match="NaN or infinite"):
        assert optimizer.check(lambda: math.nan).verdict == "non-finite"
    assert optimizer.steps == 0 and same(bits([x]), bits([normal(50)]))


def test_the_check_changes_nothing_that_follows():
    ends = []
    for check_first in (True, False):
        torch.manual_seed(3)
        x = normal(40, seed=1, dtype=torch.float32)
        optimizer = RSCZO([x], lr=0.1, M=2, clip="none", check_first=check_first)
        calls = []

        def closure(x=x, calls=calls):
            calls.append(1)
            return (x**2).sum() * torch.rand(())

        for _ in range(3):
            optimizer.step(closure)
        ends.append((bits([x])[0], torch.rand(3)))
        assert len(calls) == 12 + 26 * check_first
    assert same(*ends)


def test_the_check_asks_for_the_directions_of_a_step_at_half_and_twice_the_radius():
    """Its quotients on a cubic, 3 x^2 v + h^2 v^3 each, and the numbers that it tells the closure: those of M = 2."""
    x, told = normal(1, seed=1), []

    def loss(number):
        told.append(number)
        return (x**3).sum()

    mu = 0.1
    plateau = make([x], mu=mu, M=2, parametrisation="sphere").check(loss)
    slope, curvature = 3 * float(x.detach()) ** 2, 1.0  # v is 1 or -1
    for row in plateau.quotients:
        sign = math.copysign(1.0, row[1])
        wanted = [sign * (slope + h**2 * curvature) for h in (mu / 2, mu, 2 * mu)]
        assert np.allclose(row, wanted, rtol=1e-12)
    assert told == [0, 0] + 6 * [0] + 6 * [1] + 6 * [0] + 6 * [1]


def test_a_loss_that_is_a_number_at_one_pass_only_is_refused():
    x = normal(3)
    for values in ((math.nan, 1.0), (1.0, math.nan)):
        given = iter(values)
        with pytest.raises(RuntimeError, match="at the same parameters and random numbers"):
            make([x]).check(lambda given=given: next(given))


@pytest.mark.parametrize(("clip", "seen"), [("scalar", 5), ("vector", 1), ("none", 0)])
def test_each_clipped_estimate_is_counted_once(clip, seen):
    """A direction each for scalar clipping, the average for vector clipping; nothing where no loss is a number."""
    x, slope = normal(3, seed=1), normal(3, seed=2)
    optimizer = make([x], tau=1e-9, M=5, clip=clip)
    optimizer.step(linear([x], [slope]))
    assert (optimizer.watch.seen, optimizer.watch.clipped) == (seen, seen)
    with pytest.warns(NonFiniteLossWarning):
        optimizer.step(lambda: math.nan)
    assert (optimizer.watch.seen, optimizer.watch.clipped) == (seen, seen) and optimizer.skipped == 5


def test_defaults_that_do_next_to_nothing_are_told_once():
    x = normal(3)
    with pytest.warns(DefaultsWarning, match=r"^lr was left at 1e-06, .*; tau was left at inf, ") as told:
        RSCZO([x])
    assert len(told) == 1 and told[0].filename == __file__
    with pytest.warns(DefaultsWarning, match="^tau was left at inf"):
        RSCZO([x], lr=0.1)
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        RSCZO([x], lr=1e-6, clip="none")
        RSCZO([x], lr=0.1, tau=math.inf)


def test_backward_in_a_closure_gets_a_plain_message():
    x = normal(3)

    def closure():
        loss = (x * x).sum()
        loss.backward()
        return loss

    before = x.detach().clone()
    with pytest.raises(RuntimeError, match=r"^the closure calls backward\(\), .*; leave out backward\(\)"):
        make([x]).step(closure)
    assert torch.equal(x, before)

    def broken():
        raise RuntimeError("something else")

    with pytest.raises(RuntimeError, match=r"^something else$"):
        make([x]).step(broken)


def test_every_direction_gets_the_batch_of_a_loader():
    x = normal(1)
    optimizer = make([x], M=2, beta=0.5, M0=3, tau0=1.0)
    seen = []

    def loss(batch):
        seen.append(batch)
        return (x * batch).sum()

    for batches in optimizer.batches(range(1, 9)):  # 3 at the warm start, then 2 and 2; the last one is left out
        optimizer.step(loss, batches)
    assert seen == [b for b in range(1, 8) for _ in range(2)] and optimizer.steps == 3
    with pytest.raises(ValueError, match="this step has 2 directions, got 1 batches"):
        optimizer.step(loss, [1.0])
    with pytest.raises(TypeError, match="a function of a batch"):
        optimizer.step(None, [1.0, 2.0])


def test_it_is_imported_from_one_short_place():
    import proofs_numeric

    assert proofs_numeric.RSCZO is RSCZO and callable(proofs_numeric.rsc_zo)
    with pytest.raises(AttributeError, match="no attribute 'nothing'"):
        _ = proofs_numeric.nothing
