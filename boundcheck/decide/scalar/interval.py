"""Branch and bound over boxes in interval arrays: natural enclosures, mean values, derivative signs onto faces."""

from __future__ import annotations

from collections.abc import Collection
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from boundcheck.arith.boxes import enclose
from boundcheck.decide.scalar.covers import deepened
from boundcheck.decide.scalar.prover import Node, Prover, size, slope_of
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, Sequent
from boundcheck.kernel.formula import Relation, num, var

Array = NDArray[np.float64]
MAX_LEAVES = 6000
MAX_LEVEL = 60


def _outer(seq: Sequent, names: tuple[str, ...]) -> tuple[Array, Array]:
    """The ends of the box in floats, rounded outwards where they are no floats."""

    def end(v: str, k: int) -> float:
        exact = (seq.box or {})[v][k]
        near = float(exact)
        return near if exact == near else float(np.nextafter(near, np.inf if k else -np.inf))

    return np.array([end(v, 0) for v in names]), np.array([end(v, 1) for v in names])


class _Search:
    def __init__(self, seq: Sequent):
        self.seq, self.gap = seq, seq.goal.gap
        self.names = seq.variables
        self.strict = seq.goal.strict
        found = [(i, slope_of(self.gap, v)) for i, v in enumerate(self.names) if v in self.gap.free]
        self.slopes = [(i, d) for i, d in found if d is not None and size(d) <= 800]
        self.smooth = len(self.slopes) == len(found)

    def env(self, lo: Array, hi: Array) -> dict[str, tuple[Array, Array]]:
        return {v: (lo[:, i], hi[:, i]) for i, v in enumerate(self.names)}

    def enough(self, low: Array, ok: NDArray[np.bool_]) -> NDArray[np.bool_]:
        with np.errstate(invalid="ignore"):
            return ok & ((low > 0) if self.strict else (low >= 0))

    def settled(self, lo: Array, hi: Array) -> tuple[NDArray[np.bool_], Array]:
        """(settled, splitting weights) of each box."""
        n = lo.shape[0]
        g_lo, _, ok = enclose(self.gap, self.env(lo, hi))
        done = self.enough(g_lo, ok)
        for h in self.seq.hyps:
            rest = np.flatnonzero(~done)
            if not rest.size:
                break
            done[rest] |= self._falsified(h, lo[rest], hi[rest])
        with np.errstate(invalid="ignore"):
            weights = np.where(np.isfinite(hi - lo), hi - lo, 1e300)
        rest = np.flatnonzero(~done)
        if rest.size and self.smooth:
            done[rest], w = self._by_slopes(lo[rest], hi[rest])
            weights[rest] = np.where(np.isfinite(w), w, weights[rest])
        used = np.array([v in self.gap.free or any(v in h.free for h in self.seq.hyps) for v in self.names])
        weights[:, ~used] = -1
        weights[hi <= lo] = -1
        return done, weights.reshape(n, -1)

    def _falsified(self, h: Relation, lo: Array, hi: Array) -> NDArray[np.bool_]:
        if h.op == "!=":
            return np.zeros(lo.shape[0], dtype=bool)
        g_lo, g_hi, ok = enclose(h.gap, self.env(lo, hi))
        with np.errstate(invalid="ignore"):
            if h.op == "==":
                return ok & ((g_hi < 0) | (g_lo > 0))
            return ok & (g_hi < 0)

    def _by_slopes(self, lo: Array, hi: Array) -> tuple[NDArray[np.bool_], Array]:
        n = lo.shape[0]
        new_lo, new_hi = lo.copy(), hi.copy()
        ok_all = np.ones(n, dtype=bool)
        bounds = []
        with np.errstate(all="ignore"):
            weights = hi - lo
            for i, d in self.slopes:
                d_lo, d_hi, ok = enclose(d, self.env(lo, hi))
                up = ok & (d_lo >= 0) & np.isfinite(lo[:, i])
                down = ok & (d_hi <= 0) & np.isfinite(hi[:, i]) & ~up
                new_hi[up, i] = lo[up, i]
                new_lo[down, i] = hi[down, i]
                bounds.append((i, d_lo, d_hi))
                weights[:, i] = np.where(ok, np.maximum(np.abs(d_lo), np.abs(d_hi)) * (hi[:, i] - lo[:, i]), np.nan)
                ok_all &= ok
            g_lo, _, ok = enclose(self.gap, self.env(new_lo, new_hi))
            done = self.enough(g_lo, ok & ok_all)
            middle = np.where(new_hi > new_lo, (new_lo + new_hi) / 2, new_lo)
            m_lo, _, ok = enclose(self.gap, self.env(middle, middle))
            total = m_lo
            for i, d_lo, d_hi in bounds:
                r = (new_hi[:, i] - new_lo[:, i]) / 2
                total = total - np.where(r > 0, np.maximum(np.abs(d_lo), np.abs(d_hi)) * r, 0.0)
            total = np.nextafter(total - 1e-13 * np.abs(total), -np.inf)
            done |= self.enough(total, ok & ok_all)
        return done, weights


def cover(p: Prover, seq: Sequent, depth: int, leaves: int = MAX_LEAVES) -> Node | None:
    """A bisection tree that settles the goal box by box; stuck boxes go to the other tactics."""
    goal = seq.goal
    if goal.op not in ORDER or seq.box is None or not seq.variables:
        return None
    search = _Search(seq)
    names = search.names
    lo0, hi0 = _outer(seq, names)
    lo, hi = lo0[None, :], hi0[None, :]
    # the tree: children[i] = (axis, split, below, above) or None while open
    children: list[tuple[int, float, int, int] | None] = [None]
    where: dict[int, tuple[Array, Array]] = {}
    ids = np.array([0])
    total = 0
    for level in range(MAX_LEVEL):
        p.clock()
        done, weights = search.settled(lo, hi)
        total += int(lo.shape[0])
        rest = np.flatnonzero(~done)
        if not rest.size:
            break
        if total > leaves or level == MAX_LEVEL - 1:
            p.stuck.append(_where(names, lo[rest[0]], hi[rest[0]]))
            p.boxes_stuck += [_as_box(names, lo[k], hi[k]) for k in rest[:8]]
            return None
        if level >= 14 and depth >= 4 and rest.size <= 8:
            where = {int(ids[row]): (lo[row], hi[row]) for row in rest}
            break
        lo, hi, ids = _split(lo[rest], hi[rest], ids[rest], weights[rest], children)
    tree, order = _encode(names, children, where)
    nodes: list[Node] = []
    for k in order:
        extra = _bounds(names, *where[k], lo0, hi0)
        child = p.prove(seq.with_hyps(*extra), min(depth - 2, 6)) if extra else None
        if child is None:
            p.stuck.append(_where(names, *where[k]))
            return None
        nodes.append(child)
    node: Node = {"rule": "cover", "tree": tree, **({"then": nodes} if nodes else {})}
    try:
        left = refine(node, seq, p.clock)
    except Refused:  # a leaf that floats settle, and balls in smaller parts only
        node = {**node, "tree": deepened(seq, tree, dict(seq.box or {}))}
        try:
            left = refine(node, seq, p.clock)
        except Refused as refusal:
            p.stuck.append(str(refusal))
            return None
    return node if len(left) == len(nodes) else None


def _split(
    lo: Array, hi: Array, ids: Any, weights: Array, children: list[tuple[int, float, int, int] | None]
) -> tuple[Array, Array, Any]:
    axis = np.argmax(weights, axis=1)
    rows = np.arange(lo.shape[0])
    a, b = lo[rows, axis], hi[rows, axis]
    at = _middle(a, b)
    low_hi, high_lo = hi.copy(), lo.copy()
    low_hi[rows, axis] = at
    high_lo[rows, axis] = at
    first = len(children)
    new_ids = np.empty(2 * lo.shape[0], dtype=int)
    for k in range(lo.shape[0]):
        below, above = first + 2 * k, first + 2 * k + 1
        children[int(ids[k])] = (int(axis[k]), float(at[k]), below, above)
        children += [None, None]
        new_ids[k], new_ids[lo.shape[0] + k] = below, above
    return np.vstack([lo, high_lo]), np.vstack([low_hi, hi]), new_ids


def _middle(a: Array, b: Array) -> Array:
    """Split points; powers of 2 outwards on unbounded sides."""
    with np.errstate(all="ignore"):
        mid = (a + b) / 2
        mid = np.where(np.isneginf(a) & np.isposinf(b), 0.0, mid)
        mid = np.where(np.isfinite(a) & np.isposinf(b), np.where(a >= 1, 2 * a, np.where(a >= 0, 1.0, 0.0)), mid)
        mid = np.where(np.isneginf(a) & np.isfinite(b), np.where(b <= -1, 2 * b, np.where(b <= 0, -1.0, 0.0)), mid)
    return mid


def _bounds(names: tuple[str, ...], lo: Array, hi: Array, lo0: Array, hi0: Array) -> list[Relation]:
    out = []
    for i, v in enumerate(names):
        if lo[i] > lo0[i]:
            out.append(Relation(">=", var(v), num(Fraction(float(lo[i])))))
        if hi[i] < hi0[i]:
            out.append(Relation("<=", var(v), num(Fraction(float(hi[i])))))
    return out


def _where(names: tuple[str, ...], lo: Array, hi: Array) -> str:
    return ", ".join(f"{v} in [{a:.6g}, {b:.6g}]" for v, a, b in zip(names, lo, hi, strict=True))


def _as_box(names: tuple[str, ...], lo: Array, hi: Array) -> dict[str, tuple[float, float]]:
    return {v: (float(a), float(b)) for v, a, b in zip(names, lo, hi, strict=True)}


def _encode(
    names: tuple[str, ...], children: list[tuple[int, float, int, int] | None], stuck: Collection[int]
) -> tuple[Any, list[int]]:
    """The nested tree and the stuck leaves in the order in which the rule meets them."""
    order: list[int] = []

    def tree(k: int) -> Any:
        entry = children[k]
        if entry is not None:
            axis, at, below, above = entry
            return [names[axis], str(Fraction(at)), tree(below), tree(above)]
        order.extend([k] if k in stuck else [])
        return int(k in stuck)

    return tree(0), order
