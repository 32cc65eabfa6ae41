"""RSCZO moves the parameters there and back: every bit restored, one stream of directions, little memory."""

from __future__ import annotations

import gc
import itertools
import subprocess
import sys
from types import SimpleNamespace

import pytest

torch = pytest.importorskip("torch", reason='needs pip install "boundcheck[torch]"')

from rsczo_tools import PARAMETRISATIONS, bits, linear, make, normal, one_thread, rejects, same  # noqa: E402, F401

from proofs_numeric.tuning import perturbation, rsczo  # noqa: E402
from proofs_numeric.tuning.estimate import Estimate  # noqa: E402

pytestmark = pytest.mark.torch


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
