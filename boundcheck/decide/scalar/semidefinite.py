"""target = sum of multiplier * (basis' Q basis) + free columns, with exact rational Q >= 0.

A semidefinite program in floats shows which Q there are; where all of them are singular the basis is cut down to
the face on which they lie (rational null vectors), then Q is rounded and the linear equations are solved exactly.
Polynomials are dicts from tuples of exponents to rationals. Nothing here is trusted: the kernel adds up again.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field, replace
from fractions import Fraction
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray
from scipy.sparse import coo_matrix, csc_matrix, eye_array, hstack, vstack

from boundcheck.arith.rational_linear import echelon, null_space

Exponents = tuple[int, ...]
Dense = dict[Exponents, Any]
Array = NDArray[np.float64]

MAX_ROWS = 500  #: monomials
MAX_ENTRIES = 2600  #: entries of all Gram matrices
FACES = 5  #: rounds of cutting down to a face
DENOMINATORS = (1, 2, 12, 60, 840, 2**12, 2**20, 2**30)  #: tried for the free entries of Q, simplest first
NOTHING = 1e-10  #: a margin that is rounding error
FLAT = 1e-5  #: an eigenvalue below this, relative to the largest, counts as 0 in a search for a face


@dataclass(frozen=True)
class Block:
    """multiplier * (a sum of squares in the span of ``basis``); ``tag`` is the caller's."""

    multiplier: tuple[tuple[Exponents, Any], ...]
    basis: tuple[tuple[tuple[Exponents, Any], ...], ...]
    tag: Any
    strict: bool = False  #: one nonnegative number, of which some must be positive


@dataclass
class Found:
    """(block, weight > 0, root): weight * root**2 for each square; (column, factor) for each free column."""

    squares: list[tuple[Block, Any, Dense]] = field(default_factory=list)
    free: list[tuple[int, Any]] = field(default_factory=list)


def product(a: Any, b: Any) -> Dense:
    """The product of two polynomials, given as dicts or as their items."""
    out: Dense = {}
    right = list(b.items()) if isinstance(b, dict) else b
    for m, c in a.items() if isinstance(a, dict) else a:
        for n, d in right:
            k = tuple(x + y for x, y in zip(m, n, strict=True))
            out[k] = out.get(k, fmpq(0)) + c * d
    return {k: c for k, c in out.items() if c != 0}


class Program:
    """One identity to be found."""

    def __init__(self, target: Dense, blocks: list[Block], free: list[Dense], strict: bool, clock: Callable[[], None]):
        self.target, self.blocks, self.free, self.strict, self.clock = target, blocks, free, strict, clock
        self.entries: list[tuple[int, int, int]] = []
        self.columns: list[Dense] = []
        self.rows: dict[Exponents, int] = {}

    def solve(self, seconds: float) -> Found | None:
        """The identity with exact coefficients, or None."""
        for _ in range(FACES):
            self.clock()
            if not self._layout():
                return None
            found = self._floats(seconds)
            if found is None:
                return None
            margin, grams, loose = found
            if margin > NOTHING:
                exact = self._round(grams, loose)
                if exact is not None:
                    return exact
            cut = self._face(grams)
            if cut is None:
                return self._round(grams, loose) if margin <= NOTHING else None
            self.blocks = cut
        return None

    # ------------------------------------------------------------------ the linear equations

    def _layout(self) -> bool:
        """Entries, columns and rows; basis elements whose diagonal must vanish are left out. False if too large."""
        while True:
            self.entries, self.columns, self.rows = [], [], {m: i for i, m in enumerate(self.target)}
            users: dict[Exponents, list[tuple[int, bool, Any]]] = {}
            for b, block in enumerate(self.blocks):
                if len(self.entries) > MAX_ENTRIES:
                    return False
                for j, right in enumerate(block.basis):  # the upper triangle, column by column
                    for i in range(j + 1):
                        poly = product(block.multiplier, product(block.basis[i], right))
                        if i != j:
                            poly = {m: 2 * c for m, c in poly.items()}
                        self.entries.append((b, i, j))
                        self.columns.append(poly)
                        for m, c in poly.items():
                            users.setdefault(m, []).append((len(self.entries) - 1, i == j, c))
            for poly in self.free:
                for m, c in poly.items():
                    users.setdefault(m, []).append((-1, False, c))
            if any(m not in users for m in self.target) or len(self.entries) > MAX_ENTRIES:
                return False
            gone: dict[int, set[int]] = {}
            for m, uses in users.items():
                if m not in self.target and (
                    all(d and c > 0 for _, d, c in uses) or all(d and c < 0 for _, d, c in uses)
                ):
                    for e, _, _ in uses:
                        b, i, _ = self.entries[e]
                        gone.setdefault(b, set()).add(i)
            if not gone:
                break
            self.blocks = [
                replace(x, basis=tuple(v for i, v in enumerate(x.basis) if i not in gone.get(b, ())))
                for b, x in enumerate(self.blocks)
            ]
            self.blocks = [b for b in self.blocks if b.basis]
        self.columns += self.free
        for m in users:
            self.rows.setdefault(m, len(self.rows))
        return len(self.rows) <= MAX_ROWS and bool(self.entries)

    # ------------------------------------------------------------------ floats

    def _floats(self, seconds: float) -> tuple[float, list[Array], Array] | None:
        """(margin, Gram matrices, free factors): the largest t with every Q >= t and the strict numbers' sum >= t."""
        import clarabel

        n, rows, free = len(self.entries), len(self.rows), len(self.free)
        weight = np.array([1.0 if i == j else np.sqrt(0.5) for _, i, j in self.entries] + [1.0] * free)
        found = [
            (self.rows[m], k, float(c.p) / float(c.q)) for k, poly in enumerate(self.columns) for m, c in poly.items()
        ]
        ri, ci, data = map(np.array, zip(*found, strict=True))
        sums = coo_matrix((data * weight[ci], (ri, ci)), shape=(rows, n + free + 1))
        rhs = np.zeros(rows)
        for m, c in self.target.items():
            rhs[self.rows[m]] = float(c.p) / float(c.q)
        scale = max(1e-300, float(np.abs(rhs).max()))
        pinned = np.array([self.blocks[b].strict for b, _, _ in self.entries])
        above = np.array([[float(i == j)] for _, i, j in self.entries]) * ~pinned[:, None]
        margins = hstack([-eye_array(n), csc_matrix((n, free)), above])  # t - Q
        least = np.append(np.zeros(n + free), 1.0)  # t <= 1, and at most the sum of the strict numbers
        most = [least, np.append(-1.0 * pinned, least[n:])] if self.strict else [least]
        a = vstack([sums, margins, *(m[None, :] for m in most)]).tocsc()
        b = np.concatenate([rhs / scale, np.zeros(n), [1.0, 0.0][: len(most)]])
        triangles = [clarabel.PSDTriangleConeT(len(block.basis)) for block in self.blocks]
        cones: list[Any] = [clarabel.ZeroConeT(rows), *triangles, clarabel.NonnegativeConeT(len(most))]
        settings = clarabel.DefaultSettings()
        settings.verbose = False
        settings.time_limit = max(0.05, seconds)
        settings.max_threads = 1
        settings.tol_gap_abs = settings.tol_gap_rel = settings.tol_feas = 1e-11
        result = clarabel.DefaultSolver(csc_matrix((len(least),) * 2), -least, a, b, cones, settings).solve()
        x = np.array(result.x)
        if not np.all(np.isfinite(x)) or str(result.status) not in ("Solved", "AlmostSolved", "InsufficientProgress"):
            return None
        if x[-1] < -1e-5:
            return None
        grams = [np.zeros((len(block.basis),) * 2) for block in self.blocks]
        for (at, i, j), value in zip(self.entries, x[:n] * weight[:n] * scale, strict=True):
            grams[at][i, j] = grams[at][j, i] = value
        return float(x[-1]), grams, x[n:-1] * scale

    # ------------------------------------------------------------------ faces

    def _face(self, grams: list[Array]) -> list[Block] | None:
        """The blocks on the face where the Gram matrices lie; None if they have no small eigenvalue."""
        top = max((float(np.abs(q).max()) for q in grams), default=0.0)
        if top == 0:
            return None
        out, changed = [], False
        for block, q in zip(self.blocks, grams, strict=True):
            values, vectors = np.linalg.eigh(q)
            flat = values < FLAT * max(top, 1e-9)
            if not flat.any():
                out.append(block)
                continue
            if flat.all():
                changed = True
                continue
            kernel = _rational_span(vectors[:, flat].T)
            if kernel is None:
                out.append(block)
                continue
            changed = True
            basis = []
            for row in null_space(kernel, len(block.basis)):
                poly: Dense = {}
                for c, item in zip(row, block.basis, strict=True):
                    for m, v in item:
                        poly[m] = poly.get(m, fmpq(0)) + c * v
                basis.append(tuple((m, v) for m, v in poly.items() if v != 0))
            out.append(replace(block, basis=tuple(basis)))
        return out if changed and out else None

    # ------------------------------------------------------------------ exact

    def _round(self, grams: list[Array], loose: Array) -> Found | None:
        """Free entries rounded, the others solved for exactly; None unless every Gram matrix is >= 0."""
        floats = [grams[b][i, j] for b, i, j in self.entries] + list(loose)
        order = sorted(range(len(floats)), key=lambda k: -abs(floats[k]))  # the largest entries become pivots
        if len(self.rows) * len(order) > 200_000:
            return None
        matrix = [[fmpq(0)] * (len(order) + 1) for _ in self.rows]
        for position, k in enumerate(order):
            for m, c in self.columns[k].items():
                matrix[self.rows[m]][position] = c
        for m, c in self.target.items():
            matrix[self.rows[m]][-1] = c
        self.clock()
        reduced, pivots = echelon(matrix, len(order) + 1)
        if len(order) in pivots:
            return None
        taken = set(pivots)
        others = [k for k in range(len(order)) if k not in taken]
        for d in DENOMINATORS:
            self.clock()
            x = [fmpq(0)] * len(order)
            for k in others:
                x[k] = fmpq(round(floats[order[k]] * d), d)
            used = [k for k in others if x[k] != 0]
            for r, pivot in enumerate(pivots):
                value = reduced[r, len(order)]
                for k in used:
                    c = reduced[r, k]
                    if c != 0:
                        value -= c * x[k]
                x[pivot] = value
            found = self._squares({order[k]: v for k, v in enumerate(x)})
            if found is not None:
                return found
        return None

    def _squares(self, x: dict[int, Any]) -> Found | None:
        found = Found()
        sizes = [len(b.basis) for b in self.blocks]
        grams = [[[fmpq(0)] * s for _ in range(s)] for s in sizes]
        for k, (b, i, j) in enumerate(self.entries):
            grams[b][i][j] = grams[b][j][i] = x[k]
        for block, q in zip(self.blocks, grams, strict=True):
            parts = ldl(q)
            if parts is None:
                return None
            for weight, row in parts:
                poly: Dense = {}
                for c, item in zip(row, block.basis, strict=True):
                    if c != 0:
                        for m, v in item:
                            poly[m] = poly.get(m, fmpq(0)) + c * v
                poly = {m: c for m, c in poly.items() if c != 0}
                if poly:
                    found.squares.append((block, weight, poly))
        if self.strict and not any(b.strict for b, _, _ in found.squares):
            return None
        n = len(self.entries)
        found.free = [(k, x[n + k]) for k in range(len(self.free)) if x[n + k] != 0]
        return found


def ldl(matrix: list[list[Any]]) -> list[tuple[Any, list[Any]]] | None:
    """(d, row) with matrix = sum of d row row', every d > 0; None if the rational matrix is not >= 0."""
    q = [list(r) for r in matrix]
    n = len(q)
    out: list[tuple[Any, list[Any]]] = []
    left = set(range(n))
    while left:
        k = max(left, key=lambda i: q[i][i])
        d = q[k][k]
        if d < 0 or min(q[i][i] for i in left) < 0:
            return None
        if d == 0:
            return out if all(q[i][j] == 0 for i in left for j in left) else None
        row = [q[k][j] / d if j in left else fmpq(0) for j in range(n)]
        out.append((d, row))
        left.remove(k)
        for i in left:
            if row[i] != 0:
                for j in left:
                    if row[j] != 0:
                        q[i][j] -= d * row[i] * row[j]
    return out


def _rational_span(vectors: Array) -> list[list[Any]] | None:
    """A rational basis, in reduced echelon form, of the span of float rows; None if it shows no simple one."""
    a = np.array(vectors, dtype=float)
    rows, n = a.shape
    r = 0
    for column in range(n):
        if r == rows:
            break
        k = r + int(np.argmax(np.abs(a[r:, column])))
        if abs(a[k, column]) < 1e-3:
            a[r:, column] = 0
            continue
        a[[r, k]] = a[[k, r]]
        a[r] /= a[r, column]
        for i in range(rows):
            if i != r:
                a[i] -= a[i, column] * a[r]
        r += 1
    out = []
    for i in range(r):
        row = []
        for v in a[i]:
            f = Fraction(float(v)).limit_denominator(60)
            if abs(float(f) - v) > 1e-3:
                return None
            row.append(fmpq(f.numerator, f.denominator))
        out.append(row)
    return out
