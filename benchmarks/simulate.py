"""Directions a second of the estimator, direct and radial, against a plain NumPy transcription of its formulas.

Run ``python benchmarks/simulate.py [--repeat N] [--json] [--readme]``. Every figure is the best process time of N
runs, all in one process, and the ratios are within this run. ``floor`` is the time to draw the normals of u alone with
the same generator; ``random`` is its share of the direct method's time. Where a batch would need more than LIMIT
entries of u, direct and plain are timed on fewer directions (column ``timed``): their cost is proportional to them.
Where PyTorch is installed a MeZO-style loop is timed as well: one direction after the other, the point perturbed in
place, the direction drawn again from its seed whenever it is needed.
"""

from __future__ import annotations

import os

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import json
import math
import time
from collections.abc import Callable

import numpy as np

try:
    import torch
except ImportError:
    torch = None

from blocks import machine, replace_block

from proofs_numeric.exact_in_law import radial
from proofs_numeric.model.estimator import estimate, repeat
from proofs_numeric.model.noise import Noise, Pareto
from proofs_numeric.model.objectives import Quadratic
from proofs_numeric.model.oracles import LinearNoiseOracle
from proofs_numeric.model.streams import stream

ENTRIES = 1 << 20  #: entries of u in one timing, about
LOOPED = 1 << 11  #: directions of the MeZO-style loop in one timing, at most
LIMIT = 1 << 23  #: entries of u that the plain transcription may hold at once
DIMENSIONS, BATCHES = (1, 10, 100, 1000, 10**6), (32, 4096)
MU, TAU, P = 0.01, 5.0, 1.5


def transcription(rows: int, M: int, d: int, x: np.ndarray, mu: float, tau: float, rng: np.random.Generator) -> None:
    """The formulas as they stand, one estimator at a time: F at both points, the quotient, psi_tau, the average."""
    for _ in range(rows):
        u = rng.standard_normal((M, d))
        u = u / np.linalg.norm(u, axis=1, keepdims=True)
        zeta = np.zeros((M, d))
        zeta[:, 0] = (1 + rng.pareto(P, M)) * rng.choice([-1.0, 1.0], M)
        above, below = x + mu * u, x - mu * u
        F_above = 0.5 * np.sum(above**2, axis=1) + np.sum(zeta * above, axis=1)
        F_below = 0.5 * np.sum(below**2, axis=1) + np.sum(zeta * below, axis=1)
        y = (F_above - F_below) / (2 * mu)
        d / M * np.sum((y * np.minimum(1.0, tau / np.abs(y)))[:, None] * u, axis=0)


def mezo(directions: int, d: int, M: int, mu: float, tau: float) -> None:
    """``directions`` terms of one estimate: perturb, two losses, restore, g += psi_tau(Y) u, u from its seed."""
    x, g = torch.full((d,), d**-0.5, dtype=torch.float64), torch.zeros(d, dtype=torch.float64)
    size = (torch.rand(directions, dtype=torch.float64) ** (-1 / P)).tolist()
    sign = torch.randint(0, 2, (directions,)).tolist()
    generator = torch.Generator()

    def direction(seed: int) -> torch.Tensor:
        generator.manual_seed(seed)
        u = torch.randn(d, dtype=torch.float64, generator=generator)
        return u / u.norm()

    for l in range(directions):
        zeta = size[l] if sign[l] else -size[l]
        x.add_(direction(l), alpha=mu)
        above = 0.5 * x.dot(x) + zeta * x[0]
        x.add_(direction(l), alpha=-2 * mu)
        below = 0.5 * x.dot(x) + zeta * x[0]
        x.add_(direction(l), alpha=mu)
        y = float(above - below) / (2 * mu)
        g.add_(direction(l), alpha=d / M * min(max(y, -tau), tau))


def best(call: Callable[[], object], repeats: int) -> float:
    """The shortest process time of ``repeats`` calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def measure(d: int, M: int, repeats: int) -> dict[str, float | None]:
    """Nanoseconds a direction of every method at one size."""
    timed = min(M, max(1, LIMIT // d))
    rows = max(1, ENTRIES // (timed * d))
    oracle = LinearNoiseOracle(Quadratic(d), Noise(Pareto(P), "axis", d))
    x, rng = np.full((1, d), d**-0.5), stream("benchmark", "simulate")
    entries = rows * timed * d
    buffer = np.empty(min(entries, 1 << 14))
    draws = max(1, entries // len(buffer))
    direct = best(lambda: estimate(oracle, repeat(x, rows), MU, timed, TAU, rng), repeats)
    plain = best(lambda: transcription(rows, timed, d, x[0], MU, TAU, rng), repeats)
    floor = best(lambda: [rng.standard_normal(out=buffer) for _ in range(draws)], repeats)
    floor *= entries / (draws * len(buffer))
    slope = np.ones(max(1, ENTRIES // (4 * M)))
    axis = radial.Axis(d, Pareto(P))
    scalars = best(lambda: radial.estimate(axis, slope, M, TAU, rng), repeats)
    share = 1e9 / (rows * timed)
    loop = math.nan
    if torch is not None:
        torch.set_num_threads(1)
        few = max(1, min(M, LOOPED, LIMIT // d))
        loop = best(lambda: mezo(few, d, M, MU, TAU), repeats) * 1e9 / few
    return {
        "d": d,
        "M": M,
        "timed": timed,
        "direct_ns": direct * share,
        "plain_ns": plain * share,
        "floor_ns": floor * share,
        "radial_ns": scalars * 1e9 / (len(slope) * M),
        "torch_ns": None if math.isnan(loop) else loop,
    }


HEAD = (
    f"{'d':>8} {'M':>5} {'timed':>5} {'direct/s':>12} {'radial/s':>12} {'plain/direct':>12}"
    f" {'plain/radial':>12} {'torch/direct':>12} {'direct/floor':>12} {'random':>7}"
)


def line(r: dict[str, float | None]) -> str:
    """One row of the table that :data:`HEAD` begins."""
    random = min(1.0, r["floor_ns"] / r["direct_ns"])
    loop = "not there" if r["torch_ns"] is None else f"{r['torch_ns'] / r['direct_ns']:.1f}"
    return (
        f"{r['d']:>8} {r['M']:>5} {r['timed']:>5} {1e9 / r['direct_ns']:>12,.0f} {1e9 / r['radial_ns']:>12,.0f}"
        f" {r['plain_ns'] / r['direct_ns']:>12.2f} {r['plain_ns'] / r['radial_ns']:>12.2f}"
        f" {loop:>12} {r['direct_ns'] / r['floor_ns']:>12.2f} {random:>7.0%}"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    parser.add_argument("--json", action="store_true")
    parser.add_argument("--readme", action="store_true", help="write the table into benchmarks/README.md")
    options = parser.parse_args()
    library = "no PyTorch" if torch is None else f"PyTorch {torch.__version__}"
    title = f"{machine()}, NumPy {np.__version__}, {library}, one thread; directions a second, ratios of time"
    if not options.json:
        print(f"{title}\n{HEAD}")
    rows = []
    for d in DIMENSIONS:
        for M in BATCHES:
            rows.append(measure(d, M, max(1, options.repeat)))
            if not options.json:
                print(line(rows[-1]), flush=True)
    if options.readme:
        replace_block("simulate.py", [f"{title}.", "", "```text", HEAD, *map(line, rows), "```"])
    if options.json:
        print(json.dumps({"machine": machine(), "numpy": np.__version__, "torch": library, "rows": rows}))


if __name__ == "__main__":
    main()
