"""Directions per second of the estimator against a plain NumPy transcription, and the share of random numbers.

Run ``python benchmarks/simulate.py [--repeat N]``. Each figure is the best of N runs in one process; ratios are
within this run. The floor is the time to draw the normals of u alone, with the same generator.
"""
# ruff: noqa: B023

from __future__ import annotations

import os  # the thread count must be set before NumPy is imported

os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")

import argparse
import time
from collections.abc import Callable

import numpy as np

from proofs_numeric.estimator import estimate, repeat
from proofs_numeric.noise import Noise, Pareto
from proofs_numeric.objectives import Quadratic
from proofs_numeric.oracles import LinearNoiseOracle
from proofs_numeric.streams import stream

ENTRIES = 1 << 20  #: entries of u in one timing, about


def transcription(rows: int, M: int, d: int, x: np.ndarray, mu: float, tau: float, rng: np.random.Generator) -> None:
    """The formulas as they stand, one estimator at a time: F at both points, the quotient, psi_tau, the average."""
    for _ in range(rows):
        u = rng.standard_normal((M, d))
        u = u / np.linalg.norm(u, axis=1, keepdims=True)
        zeta = np.zeros((M, d))
        zeta[:, 0] = (1 + rng.pareto(1.5, M)) * rng.choice([-1.0, 1.0], M)
        above, below = x + mu * u, x - mu * u
        F_above = 0.5 * np.sum(above**2, axis=1) + np.sum(zeta * above, axis=1)
        F_below = 0.5 * np.sum(below**2, axis=1) + np.sum(zeta * below, axis=1)
        y = (F_above - F_below) / (2 * mu)
        d / M * np.sum((y * np.minimum(1.0, tau / np.abs(y)))[:, None] * u, axis=0)


def best(call: Callable[[], object], repeats: int) -> float:
    """The shortest process time of ``repeats`` calls, in seconds."""
    times = []
    for _ in range(repeats):
        start = time.process_time()
        call()
        times.append(time.process_time() - start)
    return min(times)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--repeat", type=int, default=5)
    repeats = max(1, parser.parse_args().repeat)
    print(f"{'d':>5} {'M':>5} {'directions/s':>13} {'ns/entry':>9} {'x plain':>8} {'x floor':>8} {'random share':>13}")
    for d in (1, 10, 100, 1000):
        for M in (32, 4096):
            rows = max(1, ENTRIES // (M * d))
            oracle = LinearNoiseOracle(Quadratic(d), Noise(Pareto(1.5), "axis", d))
            x, rng, entries = np.ones((1, d)), stream("benchmark", "simulate"), rows * M * d
            buffer = np.empty(min(entries, 1 << 14))
            direct = best(lambda: estimate(oracle, repeat(x, rows), 0.01, M, 5.0, rng), repeats)
            plain = best(lambda: transcription(rows, M, d, x[0], 0.01, 5.0, rng), repeats)
            draws = max(1, entries // len(buffer))
            floor = best(lambda: [rng.standard_normal(out=buffer) for _ in range(draws)], repeats)
            floor *= entries / (draws * len(buffer))
            print(
                f"{d:>5} {M:>5} {rows * M / direct:>13,.0f} {direct / entries * 1e9:>9.1f} {plain / direct:>8.2f}"
                f" {direct / floor:>8.2f} {min(1.0, floor / direct):>13.0%}"
            )


if __name__ == "__main__":
    main()
