"""RSCZO against the faults of zeroth-order training code: each test is shown to fail on an optimizer with the fault.

A property is a function that asserts; ``rejects`` runs it again with the fault planted and wants it to fail.
"""

from __future__ import annotations

import copy
import gc
import io
import itertools
import math
import random
import subprocess
import sys
import warnings
from types import SimpleNamespace

import numpy as np
import pytest

torch = pytest.importorskip("torch", reason='needs pip install "boundcheck[torch]"')

from proofs_numeric.estimator import PAPER  # noqa: E402
from proofs_numeric.objectives import Quadratic  # noqa: E402
from proofs_numeric.optimizer import ALGORITHM, Parameters, optimize, sampler  # noqa: E402
from proofs_numeric.oracles import UserOracle  # noqa: E402
from proofs_numeric.tuning import (  # noqa: E402
    RSCZO,
    ClipFractionWarning,
    NonFiniteLossWarning,
    PlateauWarning,
    estimate,
    perturbation,
    rsczo,
    sphere_from_gaussian,
)
from proofs_numeric.tuning import closure as closures  # noqa: E402
from proofs_numeric.tuning.estimate import Estimate  # noqa: E402
from proofs_numeric.tuning.records import Plateau  # noqa: E402

pytestmark = pytest.mark.torch
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
    return RSCZO(parameters, **{"lr": 0.1, "check_first": False, **options})


def linear(parameters, slope):
    """sum <slope_i, p_i> as a closure, which also keeps the points where it was called."""
    points = []

    def closure():
        points.append([p.detach().clone() for p in parameters])
        return sum((p * a).sum() for p, a in zip(parameters, slope, strict=True))

    closure.points = points
    return closure


# Put back to the bit


def awkward(dtype):
    """Parameters with everything that a subtraction does not bring back: tiny, huge, zeros of both signs, mixed."""
    tiny = normal(40, 50, seed=1, dtype=dtype, scale=1e-9)
    wide = torch.nn.Parameter(normal(3, 7, 11, seed=2, dtype=dtype).data * 10.0 ** torch.arange(-9, 2, dtype=dtype))
    zeros = torch.nn.Parameter(torch.tensor([0.0, -0.0, 1.0, -1e-30, 1e30, 1e-45, 3.0], dtype=dtype))
    lasting = torch.nn.Parameter(normal(5, 6, 4, 4, seed=3, dtype=dtype).data.to(memory_format=torch.channels_last))
    return [tiny, wide, zeros, lasting, normal(20_000, seed=4, dtype=dtype), normal(1, seed=5, dtype=dtype)]


def restored(parametrisation="gaussian", dtype=torch.float32, **options):
    parameters = awkward(dtype)
    before = bits(parameters)
    optimizer = make(parameters, lr=0.0, mu=1e-2, M=3, parametrisation=parametrisation, **options)
    for _ in range(2):
        optimizer.step(lambda: sum(p.sum() for p in parameters))
        assert same(before, bits(parameters))


def subtract_only(x, a, y, lost):
    x.add_(a)
    return perturbation.Residual(torch.empty(0, dtype=torch.int16), x.new_empty(0))


@PARAMETRISATIONS
@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_a_step_without_update_restores_every_bit(monkeypatch, parametrisation, dtype):
    restored(parametrisation, dtype)
    restored(parametrisation, dtype, beta=0.9, M0=2, tau0=1.0)
    rejects(monkeypatch, lambda: restored(parametrisation, dtype), (perturbation, "leave", subtract_only))


def test_the_points_of_evaluation_are_x_plus_and_minus_the_same_step():
    """The second point is reached from x, not from the rounded first one."""
    x = awkward(torch.float32)
    home = [p.detach().clone() for p in x]
    closure = linear(x, [torch.ones_like(p) for p in x])
    make(x, lr=0.0, mu=1e-2).step(closure)
    plus, minus = closure.points
    for p, up, down in zip(home, plus, minus, strict=True):
        step = (up.double() - p.double() + p.double() - down.double()) / 2
        reach = torch.maximum(torch.maximum(up.abs(), down.abs()), p.abs()).double()
        assert bool(((up.double() - p.double() - step).abs() <= 2**-23 * reach).all())


@pytest.mark.parametrize("fault_at", [0, 1, 2, 3])
def test_a_closure_that_raises_leaves_the_parameters_alone(fault_at):
    parameters = awkward(torch.float32)
    before, calls = bits(parameters), itertools.count()

    def closure():
        if next(calls) == fault_at:
            raise KeyboardInterrupt
        return parameters[0].sum()

    with pytest.raises(KeyboardInterrupt):
        make(parameters, M=2).step(closure)
    assert same(before, bits(parameters))


@pytest.mark.parametrize("broken_off", [0, 3, 7, 12, 25])
def test_a_move_that_breaks_off_is_mended(monkeypatch, broken_off):
    """Out of memory, or an interrupt, between two pieces of a move there or back."""
    parameters = awkward(torch.float32)
    before, calls, honest = bits(parameters), itertools.count(), perturbation.leave

    def leave(*arguments):
        if next(calls) == broken_off:
            raise MemoryError
        return honest(*arguments)

    monkeypatch.setattr(perturbation, "leave", leave)
    with pytest.raises(MemoryError):
        make(parameters, M=2).step(lambda: parameters[0].sum())
    assert same(before, bits(parameters))


@pytest.mark.parametrize("dtype", [torch.float32, torch.float64])
def test_whatever_the_bits_are_they_come_back(dtype):
    """Random bit patterns, so NaN with payloads, infinities and subnormal numbers, and steps of the same kind."""
    for seed in range(20):
        generator = torch.Generator().manual_seed(seed)
        kind = perturbation.BITS[dtype]
        limits = torch.iinfo(kind)
        x, a = (torch.randint(limits.min, limits.max, (5000,), generator=generator).to(kind).view(dtype) for _ in "xa")
        if seed % 2:  # within a few orders of magnitude of each other
            x, a = (torch.randn(5000, generator=generator, dtype=dtype) * 10.0 ** (-seed % 7) for _ in "xa")
        home, y, lost = x.clone(), torch.empty_like(x), torch.empty(5000, dtype=torch.bool)
        residual = perturbation.leave(x, a, y, lost)
        assert not torch.equal(x.view(kind), home.view(kind)) and residual.bytes <= x.numel() * x.element_size()
        perturbation.come_back(x, a, residual)
        assert torch.equal(x.view(kind), home.view(kind))


# One stream


def update_lies_along_the_directions(**options):
    """x_new - x is -lr Y v with v as the closure saw it, with groups, a frozen tensor in between, and a mask."""
    tensors = [normal(3, 5, seed=i) for i in range(4)] + [normal(17_000, seed=9)]
    tensors[1].requires_grad_(False)
    mask = torch.arange(15).reshape(3, 5) % 2 == 0
    groups = [{"params": tensors[:3], "masks": [None, None, mask]}, {"params": tensors[3:], "lr": 0.3}]
    optimizer = make(groups, M=2, **options)
    closure = linear(tensors, [normal(*t.shape, seed=20 + i) for i, t in enumerate(tensors)])
    for _ in range(2):
        home = [t.detach().clone() for t in tensors]
        closure.points.clear()
        optimizer.step(closure)
        v = [
            [(p - x) / optimizer.settings.mu for p, x in zip(point, home, strict=True)]
            for point in closure.points[::2]
        ]
        d = 15 + 8 + 15 + 17_000
        factor = d if optimizer.settings.parametrisation == "sphere" else 1
        assert torch.equal(tensors[1], home[1])
        assert torch.equal(tensors[2][~mask], home[2][~mask])
        for number, lr in enumerate((0.1, 0.1, 0.1, 0.3, 0.3)):
            g = sum(y * u[number] for y, u in zip(optimizer.last.clipped, v, strict=True)) * factor / 2
            moved = home[number] - lr * g
            assert torch.allclose(tensors[number], moved, rtol=1e-9, atol=1e-9 * float(g.abs().max() + 1))


def with_directions(change):
    """The estimate made from other directions than those that were tried."""
    honest = Estimate.__init__

    def init(self, site, directions, *rest):
        honest(self, site, [change(d) for d in directions], *rest)

    return init


class Burning(perturbation.Direction):
    """Draws for a frozen tensor too, as code does whose update loops over all parameters."""

    def normals(self, site):
        burnt = perturbation.Site((normal(3, 5), *site.parameters), (None, *site.masks))
        yield from itertools.islice(perturbation.Direction(self.seed).normals(burnt), 1, None)


class Unmasked(perturbation.Direction):
    """Forgets the mask, in the update only."""

    def normals(self, site):
        yield from perturbation.Direction(self.seed).normals(
            perturbation.Site(site.parameters, (None,) * len(site.masks))
        )


@PARAMETRISATIONS
def test_the_update_uses_the_directions_that_were_tried(monkeypatch, parametrisation):
    def check():
        update_lies_along_the_directions(parametrisation=parametrisation)

    check()
    for change in (
        lambda d: perturbation.Direction(d.seed ^ 1, d.scale),
        lambda d: Burning(d.seed, d.scale),
    ):
        rejects(monkeypatch, check, (Estimate, "__init__", with_directions(change)))


def masked_entries_do_not_move():
    x = normal(50)
    mask = torch.arange(50) < 20
    optimizer = make([{"params": [x], "masks": [mask]}], M=2, weight_decay=0.1, beta=0.5, M0=3, tau0=1.0)
    home = x.detach().clone()
    closure = linear([x], [normal(50, seed=3)])
    for _ in range(3):
        optimizer.step(closure)
    assert all(torch.equal(p[0][20:], home[20:]) for p in closure.points) and torch.equal(x[20:], home[20:])
    assert bool((x[:20] != home[:20]).all())


def test_masked_entries_are_neither_perturbed_nor_updated(monkeypatch):
    masked_entries_do_not_move()
    change = with_directions(lambda d: Unmasked(d.seed, d.scale))
    where = SimpleNamespace(**{**vars(torch), "where": lambda mask, moved, x: moved})
    rejects(monkeypatch, masked_entries_do_not_move, (Estimate, "__init__", change), (rsczo, "torch", where))


def directions_are_distinct(parametrisation="gaussian"):
    x = [normal(40, 25, seed=1), normal(40, 25, seed=2)]
    closure = linear(x, x)
    optimizer = make(x, lr=0.0, M=3, parametrisation=parametrisation)
    optimizer.step(closure)
    optimizer.step(closure)
    found = [(p - h.detach()).reshape(-1) for point in closure.points[::2] for p, h in zip(point, x, strict=True)]
    for a, b in itertools.combinations(found, 2):
        # 66 cosines of independent directions with 1000 entries: beyond 0.2 (6.3 sigma) with probability 2e-8
        assert abs(float(a @ b / (a.norm() * b.norm()))) < 0.2


def seeded_anew(self, site):
    """Every tensor starts the stream again."""
    for piece in site.pieces:
        yield torch.empty_like(piece.entries).normal_(generator=torch.Generator().manual_seed(self.seed))


@PARAMETRISATIONS
def test_no_two_directions_and_no_two_tensors_share_numbers(monkeypatch, parametrisation):
    directions_are_distinct(parametrisation)
    for patch in (
        (perturbation.Seeds, "draw", lambda self: 5),
        (perturbation.Direction, "normals", seeded_anew),
    ):
        rejects(monkeypatch, lambda: directions_are_distinct(parametrisation), patch)


def test_seeds_do_not_repeat_and_streams_are_set_apart():
    drawn = [perturbation.Seeds(7, purpose) for purpose in (0, 1)]
    first, second = ([s.draw() for _ in range(20_000)] for s in drawn)
    assert len(set(first)) == 20_000 and all(0 <= s < 2**32 for s in first)
    assert first[:100] != second[:100] and len(set(first) & set(second)) < 5
    with pytest.raises(ValueError, match="seed"):
        make([normal(2)], seed=-1)


# Which way, and how far


def descends(parametrisation="gaussian", clip="scalar"):
    x = normal(20, seed=1)
    mu, tau = (1e-3, 5.0) if parametrisation == "gaussian" else sphere_from_gaussian(20, 1e-3, 5.0)
    optimizer = make([x], lr=0.02, mu=mu, tau=tau, parametrisation=parametrisation, clip=clip)
    start = float((x.detach() ** 2).sum())
    for _ in range(200):
        optimizer.step(lambda: (x**2).sum() / 2)
    assert float((x.detach() ** 2).sum()) < 0.5 * start


@PARAMETRISATIONS
@pytest.mark.parametrize("clip", ["scalar", "vector", "none"])
def test_it_descends(monkeypatch, parametrisation, clip):
    descends(parametrisation, clip)
    ascent = ALGORITHM.but(move=lambda x, m, alpha: x + alpha * m)
    rejects(monkeypatch, lambda: descends(parametrisation, clip), (rsczo, "ALGORITHM", ascent))


def scale_is_free_of_mu(parametrisation="gaussian"):
    ends = []
    for mu in (1e-1, 1e-4):
        x = normal(30, seed=1)
        make([x], mu=mu, M=2, parametrisation=parametrisation).step(linear([x], [normal(30, seed=2)]))
        ends.append(x.detach() - normal(30, seed=1).detach())
    assert torch.allclose(*ends, rtol=1e-6, atol=1e-9) and float(ends[0].norm()) > 0.1


@PARAMETRISATIONS
def test_on_a_linear_loss_mu_does_not_matter(monkeypatch, parametrisation):
    scale_is_free_of_mu(parametrisation)
    honest = estimate.pair

    def undivided(loss, number, excursion, mu):
        return tuple(mu * value for value in honest(loss, number, excursion, mu))

    rejects(monkeypatch, lambda: scale_is_free_of_mu(parametrisation), (rsczo, "pair", undivided))


def is_unbiased(parametrisation="gaussian", M=1500):
    """The mean of g on a linear loss is its slope: chi-square of 6 standardised means, false alarm 1e-6."""
    x, slope = normal(6, seed=1), normal(6, seed=2)
    optimizer = make([x], lr=1.0, M=M, parametrisation=parametrisation)
    closure = linear([x], [slope])
    home = x.detach().clone()
    optimizer.step(closure)
    g, a = (home - x).detach(), slope.detach()
    v = torch.stack([(point[0] - home) / 1e-3 for point in closure.points[::2]])
    if parametrisation == "sphere":
        assert torch.allclose(v.norm(dim=1), torch.ones(M, dtype=torch.float64), rtol=1e-9)
        # Cov(d <a, u> u) = (d ||a||^2 I + 2 d a a^T)/(d + 2) - a a^T
        covariance = 6 * (a @ a * torch.eye(6) + 2 * torch.outer(a, a)) / 8 - torch.outer(a, a)
    else:
        covariance = a @ a * torch.eye(6) + torch.outer(a, a)
    statistic = float((g - a) @ torch.linalg.solve(covariance / M, g - a))
    assert statistic < 38.3  # P(chi^2_6 > 38.3) < 1.1e-6


@PARAMETRISATIONS
def test_the_estimate_is_unbiased_on_a_linear_loss(monkeypatch, parametrisation):
    is_unbiased(parametrisation)
    patch = (rsczo.Settings, "factor", lambda self, d: 1 if self.parametrisation == "sphere" else 2)
    rejects(monkeypatch, lambda: is_unbiased(parametrisation), patch)


def parametrisations_agree(translate=sphere_from_gaussian):
    """From the same numbers, z and u = z/||z||: the updates differ by ||z||^2/d - 1, here at most 6 sigma = 8.5%."""
    ends = []
    for parametrisation in ("gaussian", "sphere"):
        x = normal(10_000, seed=1)
        mu, tau = (1e-3, 0.5) if parametrisation == "gaussian" else translate(10_000, 1e-3, 0.5)
        optimizer = make([x], mu=mu, tau=tau, M=16, parametrisation=parametrisation)
        optimizer.step(linear([x], [normal(10_000, seed=2, scale=0.01)]))
        assert 0 < optimizer.last.clip_fraction < 1
        ends.append((x - normal(10_000, seed=1)).detach())
    assert float((ends[0] - ends[1]).norm()) < 0.085 * float(ends[0].norm())


def test_the_units_translate(monkeypatch):
    parametrisations_agree()
    for wrong in (
        lambda d, mu, tau: (mu, tau),
        lambda d, mu, tau: (mu, tau / d),
        lambda d, mu, tau: (mu * d**0.5, tau * d**0.5),
    ):
        with pytest.raises(AssertionError):
            parametrisations_agree(wrong)


# Algorithm 1 itself, against the simulation's


def trajectory(momentum, T=12, d=6, M=3):
    """(x_T of the class, x_T of the simulation) on the same directions and the same heavy-tailed xi."""
    options = {"mu": 0.1, "M": M, "tau": 1.5, **momentum}
    total = (T * M) + momentum.get("M0", 0)
    xi = np.random.default_rng(1).standard_t(1.5, (total, d))
    x = normal(d, seed=4)
    home = x.detach().numpy().copy()
    optimizer = RSCZO([x], lr=0.05, parametrisation="sphere", check_first=False, **options)
    first, u = [0], []
    for _ in range(T):
        M_now, start = optimizer.next_directions, x.detach().clone()
        seen = {}

        def closure(m, start=start, seen=seen):
            seen.setdefault(m, (x.detach() - start) / 0.1)
            return (x * x).sum() / 2 + (torch.from_numpy(xi[first[0] + m]) * x).sum()

        optimizer.step(closure)
        first[0] += M_now
        u += [seen[m].numpy() for m in range(M_now)]
    places = {"u": iter(u), "xi": iter(xi)}
    oracle = UserOracle(
        d,
        lambda points, xi: (points * points).sum(axis=1) / 2 + (xi * points).sum(axis=1),
        lambda rng, n: np.array(list(itertools.islice(places["xi"], n))),
    )
    recipe = PAPER.but(directions=lambda rng, n, d: np.array(list(itertools.islice(places["u"], n))))
    parameters = Parameters(T, 0.05, 0.1, M, 1.5, **momentum)
    path = optimize(Quadratic(d), sampler(oracle, 0.1, recipe), home[None], parameters, np.random.default_rng(0))
    return x.detach().numpy(), path.last[0]


def agrees(momentum):
    assert np.allclose(*trajectory(momentum), rtol=1e-10, atol=1e-10)


MOMENTUM = {"beta": 0.8, "M0": 5, "tau0": 4.0}


@pytest.mark.parametrize("momentum", [{}, MOMENTUM], ids=["base", "momentum"])
def test_on_the_sphere_it_is_the_algorithm_of_the_simulation(monkeypatch, momentum):
    agrees(momentum)
    unclipped = (estimate, "scalar_weight", lambda y, tau, d: d * y)
    after = (estimate, "scalar_weight", lambda y, tau, d: d * np.clip(y, -tau, tau) / 1.01)
    for patch in (unclipped, after):
        rejects(monkeypatch, lambda: agrees(momentum), patch)


def test_the_warm_start_is_a_separate_estimate(monkeypatch):
    honest = RSCZO._momentum
    cold = (RSCZO, "_momentum", lambda self, parameter, warm: (honest(self, parameter, warm)[0], False))
    heavy_ball = (rsczo, "ALGORITHM", ALGORITHM.but(average=lambda m, g, beta: beta * m + g))
    for patch in (cold, heavy_ball):
        rejects(monkeypatch, lambda: agrees(MOMENTUM), patch)


def clips_before_averaging():
    """Two directions with Y of +-100 and +-1 at tau = 2: the large one is cut, the small one is whole."""
    x = normal(500, seed=1)
    sizes = {0: 100.0, 1: 1.0}
    signs = {}

    def closure(m):
        side = signs[m] = -signs.get(m, -1)
        return side * sizes[m] * 1e-3

    optimizer = make([x], M=2, tau=2.0)
    optimizer.step(closure)
    assert optimizer.last.raw == pytest.approx((100.0, 1.0)) and optimizer.last.clipped == pytest.approx((2.0, 1.0))
    assert optimizer.last.clip_fraction == 0.5


def test_each_scalar_is_clipped_before_averaging(monkeypatch):
    clips_before_averaging()
    mean_first = (estimate, "scalar_weight", lambda y, tau, d: np.full_like(y, np.clip(y.mean(), -tau, tau)))
    rejects(monkeypatch, clips_before_averaging, mean_first)


def test_with_one_direction_scalar_and_vector_clipping_are_one_update_on_the_sphere():
    ends = []
    for clip in ("scalar", "vector", "none"):
        x = normal(50, seed=1)
        optimizer = make([x], mu=1e-2, tau=0.01, clip=clip, parametrisation="sphere")
        optimizer.step(linear([x], [normal(50, seed=3)]))
        ends.append(x.detach())
        assert optimizer.last.clip_fraction == (clip != "none")
        if clip == "vector":
            assert optimizer.last.norm == pytest.approx(50 * abs(optimizer.last.raw[0]))
    assert torch.allclose(ends[0], ends[1], rtol=1e-12) and not torch.allclose(ends[0], ends[2], rtol=1e-3)


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

    RSCZO(model.parameters(), lr=0.0, seed=1).check(closure)
    assert values[0] == values[1] and len(set(values)) > 10


def test_a_closure_that_does_not_repeat_itself_is_refused():
    x = normal(5)
    batches = itertools.count()
    optimizer = RSCZO([x])
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
    optimizer = RSCZO([x], mu=mu)
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
        optimizer = RSCZO([x], lr=0.1, M=2, check_first=check_first)
        calls = []

        def closure(x=x, calls=calls):
            calls.append(1)
            return (x**2).sum() * torch.rand(())

        for _ in range(3):
            optimizer.step(closure)
        ends.append((bits([x])[0], torch.rand(3)))
        assert len(calls) == 12 + 26 * check_first
    assert same(*ends)


# As an optimizer of PyTorch


def resumes(**options):
    """Saved to a file and loaded by a new optimizer in the middle, the run ends at the same bits."""
    settings = {"M": 2, "tau": 1.0, "beta": 0.7, "M0": 4, "tau0": 2.0, "weight_decay": 0.01, **options}
    whole, parts = ([normal(6, 5, seed=1, dtype=torch.float32), normal(7, seed=2)] for _ in range(2))

    def run(optimizer, parameters, steps):
        for _ in range(steps):
            optimizer.step(lambda: sum((p.double() ** 2).sum() for p in parameters))

    first = make(whole, **settings)
    run(first, whole, 6)
    second = make(parts, **settings)
    run(second, parts, 3)
    file = io.BytesIO()
    torch.save(second.state_dict(), file)
    file.seek(0)
    third = make(parts, lr=7.0, seed=99, check_first=True)
    third.load_state_dict(torch.load(file, weights_only=True))
    assert (third.steps, third.warm, third.settings, third.watch) == (3, True, second.settings, second.watch)
    run(third, parts, 3)
    assert same(bits(whole), bits(parts))
    return third


@PARAMETRISATIONS
def test_a_saved_run_continues_to_the_bit(monkeypatch, parametrisation):
    resumes(parametrisation=parametrisation)
    honest = RSCZO.state_dict

    def without_place(self):
        saved = honest(self)
        return {**saved, "rsczo": {**saved["rsczo"], "seeds": {**saved["rsczo"]["seeds"], "count": 0}}}

    def without_momentum(self):
        return {**honest(self), "state": {}}

    for wrong in (without_place, without_momentum):
        rejects(monkeypatch, lambda: resumes(parametrisation=parametrisation), (RSCZO, "state_dict", wrong))


def test_a_foreign_state_is_refused_and_copies_go_on_alone():
    x = normal(5)
    with pytest.raises(ValueError, match="not saved by RSCZO"):
        make([x]).load_state_dict(torch.optim.SGD([x], lr=0.1).state_dict())
    model = torch.nn.Linear(3, 1)
    model, optimizer = copy.deepcopy((model, make(model.parameters(), M=2)))
    optimizer.step(lambda: model(torch.ones(1, 3)).sum())
    again = copy.deepcopy(optimizer)
    assert (again.steps, again.seeds, again.settings) == (1, optimizer.seeds, optimizer.settings)


def test_learning_rate_schedulers_work():
    x, slope = normal(4, seed=1), normal(4, seed=2)
    optimizer = make([x], lr=1.0)
    scheduler = torch.optim.lr_scheduler.StepLR(optimizer, step_size=1, gamma=0.1)
    for lr in (1.0, 0.1, 0.01):
        home, closure = x.detach().clone(), linear([x], [slope])
        optimizer.step(closure)
        v = (closure.points[0][0] - home) / 1e-3
        assert torch.allclose(x.detach(), home - lr * optimizer.last.raw[0] * v, rtol=1e-9, atol=1e-10)
        scheduler.step()


def decays():
    """With a constant loss only weight decay acts: x (1 - lr lambda)^3, in the group that has it, where not masked."""
    x, y = normal(5, seed=1), normal(5, seed=2)
    mask = torch.tensor([True, True, True, False, False])
    optimizer = make([{"params": [x], "weight_decay": 0.2, "masks": [mask]}, {"params": [y]}], lr=0.5)
    for _ in range(3):
        optimizer.step(lambda: 1.0)
    wanted = torch.where(mask, normal(5, seed=1) * 0.9**3, normal(5, seed=1))
    assert torch.allclose(x, wanted, rtol=1e-12) and torch.equal(y, normal(5, seed=2))


def test_weight_decay_is_apart_from_the_estimate(monkeypatch):
    decays()
    ignoring = ALGORITHM.but(move=lambda x, m, alpha: x / (1 - 0.5 * 0.2) - alpha * m)
    rejects(monkeypatch, decays, (rsczo, "ALGORITHM", ignoring))


def test_a_tensor_unfrozen_later_begins_with_the_estimate_of_that_step():
    x, late = normal(5, seed=1), normal(5, seed=2)
    late.requires_grad_(False)
    optimizer = make([x, late], lr=0.0, beta=0.9, M0=2, tau0=10.0)
    closure = linear([x, late], [normal(5, seed=3), normal(5, seed=4)])
    optimizer.step(closure)
    late.requires_grad_(True)
    closure.points.clear()
    optimizer.step(closure)
    v = (closure.points[0][1] - late.detach()) / 1e-3
    assert torch.allclose(optimizer.state[late]["momentum"], optimizer.last.clipped[0] * v, rtol=1e-9, atol=1e-12)


def test_what_cannot_be_moved_is_refused_in_words():
    x = normal(6, 4)
    with pytest.raises(ValueError, match="tau holds for the direction as a whole"):
        make([{"params": [x], "tau": 3.0}])
    with pytest.raises(ValueError, match="share memory"):
        make([x, torch.nn.Parameter(x.data[2:])])
    with pytest.raises(ValueError, match="contiguous"):
        make([torch.nn.Parameter(x.data[:, :2])])
    with pytest.raises(ValueError, match="masks must hold"):
        make([{"params": [x], "masks": [torch.ones(3, dtype=torch.bool)]}])
    with pytest.raises(ValueError, match="masks must hold"):
        make([{"params": [x], "masks": []}])
    with pytest.raises(ValueError, match="lr must be finite"):
        make([x], lr=-1.0)
    with pytest.raises(ValueError, match="every parameter is frozen or masked"):
        make([normal(3).requires_grad_(False)]).step(lambda: 0.0)
    with pytest.raises(TypeError, match="closure"):
        make([x]).step()
    for wrong in (x, "a", None, torch.tensor(1j)):
        with pytest.raises(TypeError, match="one real number"):
            make([x]).step(lambda wrong=wrong: wrong)


def test_the_record_of_a_step():
    x = normal(9, seed=1)
    optimizer = make([x], M=4, tau=1.0)
    loss = optimizer.step(linear([x], [normal(9, seed=2)]))
    last = optimizer.last
    assert loss == last.loss == pytest.approx(np.mean(last.losses))
    assert last.raw == tuple((plus - minus) / (2 * 1e-3) for plus, minus in last.losses)
    assert last.clipped == tuple(np.clip(last.raw, -1, 1)) and last.clip_fraction == np.mean(np.abs(last.raw) > 1)
    assert (last.step, last.skipped, last.warm_start, last.norm, last.plateau, last.tau) == (
        1,
        0,
        False,
        None,
        None,
        1.0,
    )
    with pytest.raises(AttributeError):
        last.loss = 0.0


# Memory

MEASURE = """
import gc, sys, torch
torch.set_num_threads(1)
from proofs_numeric.tuning import RSCZO, perturbation
if {copying}:
    perturbation.leave = lambda x, a, y, lost: (perturbation.Residual(None, x.clone()), x.add_(a))[0]
model = [torch.nn.Parameter(torch.empty(n).normal_(std=0.05)) for n in (12_000_000, 8_000_000)]
small = [torch.nn.Parameter(torch.zeros(10))]
def peak():  # of this program alone: ru_maxrss would begin with the size of the process that started it
    lines = open("/proc/self/status").read().splitlines()
    return next(int(line.split()[1]) for line in lines if line.startswith("VmHWM")) * 1024
def step(parameters):
    optimizer = RSCZO(parameters, lr=1e-6, mu=1e-3, M=2, tau=1.0, check_first=False)
    optimizer.step(lambda: float(sum(p[0] for p in parameters)))
    return optimizer.last.residual_bytes
step(small)
before = peak()
residual = step(model)
print((peak() - before) / 20_000_000, residual / 20_000_000)
"""


def extra_bytes(copying):
    """(peak memory of a step beyond the model, its residuals), in bytes for each parameter of 4 bytes."""
    code = MEASURE.format(copying=copying)
    done = subprocess.run([sys.executable, "-c", code], check=True, capture_output=True, text=True, timeout=120)
    return tuple(float(word) for word in done.stdout.split())


@pytest.mark.skipif(not sys.platform.startswith("linux"), reason="the peak memory is read from /proc")
def test_a_step_needs_the_memory_of_inference():
    """Less than one byte a parameter, a quarter of a copy, where |mu z| is small against most parameters."""
    peak, residual = extra_bytes(copying=False)
    assert 0 < residual < 0.5 and peak < 1.0
    assert extra_bytes(copying=True)[0] > 3.5


def test_residuals_never_exceed_a_copy():
    x = normal(30_000, dtype=torch.float32, scale=1e-9)
    optimizer = make([x], lr=0.0, mu=1.0)
    optimizer.step(lambda: 0.0)
    assert 0 < optimizer.last.residual_bytes <= 4 * 30_000
    gc.collect()
