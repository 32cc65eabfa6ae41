"""Polynomial goals as sums of squares with multipliers (Positivstellensatz certificates).

scale * gap = sum of c * monomial * product of hypothesis gaps * square**2, where the monomials are products of
variables known to be >= 0. The kernel's rule "farkas" checks the identity and the signs.
"""

from __future__ import annotations

from functools import partial
from itertools import combinations
from itertools import product as cartesian
from typing import Any

import numpy as np
from flint import fmpq

from boundcheck.decide.scalar.frame import Dense, Exponents, Frame, frame_of, hypothesis_polys
from boundcheck.decide.scalar.prover import Node, Prover, size
from boundcheck.decide.scalar.semidefinite import Block, Found, Program, product
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Poly, multiply, to_expr
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, text

MAX_DEGREE = 12
MAX_BASIS = 60  #: elements of one basis
MAX_ENTRIES = 2500  #: entries of all Gram matrices together


def _degree(p: Any) -> int:
    return max((sum(m) for m in p), default=0)


class _Setup:
    """One goal read in a frame: target, products of hypotheses, equations."""

    def __init__(self, seq: Sequent, lifted: Poly, frame: Frame, hyps: dict[int, Poly]):
        self.seq, self.frame = seq, frame
        target = frame.read(lifted)
        if target is None:
            raise AlgebraLimit("the goal does not fit the frame")
        self.target: Dense = target
        self.n = len(frame.keys)
        self.one: Exponents = (0,) * self.n
        self.gaps: dict[int, Dense] = {}
        for i, p in hyps.items():
            dense = frame.read(p)
            if dense and not self._plain(dense):
                self.gaps[i] = dense
        self.inequalities = [i for i in self.gaps if seq.hyps[i].op != "=="]
        self.equations = [i for i in self.gaps if seq.hyps[i].op == "=="]

    def _plain(self, p: Dense) -> bool:
        """A positive multiple of one variable that is known to be >= 0 anyway."""
        if len(p) != 1:
            return False
        ((m, c),) = p.items()
        return c > 0 and sum(m) == 1 and self.frame.nonneg[m.index(1)]

    def multipliers(self, degree: int, pairs: bool) -> list[tuple[tuple[int, ...], Exponents, Dense]]:
        """(hypotheses, exponents of the monomial, their product) up to a degree."""
        groups: list[tuple[int, ...]] = [()]
        groups += [(i,) for i in self.inequalities]
        if pairs:
            groups += list(combinations(self.inequalities, 2))
        signed = [k for k in range(self.n) if self.frame.nonneg[k]]
        out = []
        for group in groups:
            poly: Dense = {self.one: fmpq(1)}
            for i in group:
                poly = product(poly, self.gaps[i])
            if _degree(poly) > degree:
                continue
            room = degree - _degree(poly)
            for bits in cartesian((0, 1), repeat=len(signed)):
                if sum(bits) <= room and (not group or sum(bits) <= 2):
                    m = [0] * self.n
                    for k, bit in zip(signed, bits, strict=True):
                        m[k] = bit
                    out.append((group, tuple(m), product(poly, {tuple(m): fmpq(1)})))
        return out

    def blocks(self, target: Dense, degree: int, pairs: bool, strict: bool) -> list[Block] | None:
        """Bases as small as the degrees and the Newton polytope allow."""
        bound = _Polytope(target) if not self.gaps else None
        homogeneous = len({sum(m) for m in target}) == 1 and all(
            len({sum(m) for m in g}) == 1 for g in self.gaps.values()
        )
        top, entries = _degree(target) if homogeneous else max(degree, _degree(target)), 0
        out: list[Block] = []
        for group, m, poly in self.multipliers(top, pairs):
            half = (top - _degree(poly)) // 2
            if homogeneous and (top - _degree(poly)) % 2:
                continue
            degrees = [half] if homogeneous else range(half + 1)
            basis = [e for d in degrees for e in _monomials(self.n, d)]
            if bound is not None:
                basis = bound.inside(basis, m)
            limits = [max(t[k] for t in target) for k in range(self.n)] if not self.gaps else None
            if limits is not None:
                basis = [e for e in basis if all(2 * x + y <= z for x, y, z in zip(e, m, limits, strict=True))]
            if not basis:
                continue
            if len(basis) > MAX_BASIS:
                return None
            entries += len(basis) * (len(basis) + 1) // 2
            if entries > MAX_ENTRIES:
                return None
            items = tuple(poly.items())
            if strict and self._strict(group, m):
                out.append(Block(items, (((self.one, fmpq(1)),),), (group, m), True))
            out.append(Block(items, tuple(((e, fmpq(1)),) for e in basis), (group, m)))
        return out

    def _strict(self, group: tuple[int, ...], m: Exponents) -> bool:
        positive = all(self.seq.hyps[i].strict for i in group)
        return positive and not any(m)

    def free(self, degree: int) -> tuple[list[Dense], list[tuple[int, Exponents]]]:
        """Every monomial times every equation, up to a degree."""
        polys, tags = [], []
        for i in self.equations:
            for d in range(degree - _degree(self.gaps[i]) + 1):
                for e in _monomials(self.n, d):
                    polys.append(product(self.gaps[i], {e: fmpq(1)}))
                    tags.append((i, e))
        return polys, tags

    def node(self, found: Found, tags: list[tuple[int, Exponents]], scale: Expr | None) -> Node:
        """The certificate of rule "farkas"."""
        terms: list[dict[str, Any]] = []
        for block, weight, root in found.squares:
            group, m = block.tag
            term: dict[str, Any] = {"c": str(weight)}
            if group:
                term["hyps"] = list(group)
            if any(m):
                term["times"] = text(self.frame.expr({m: fmpq(1)}))
            if root != {self.one: fmpq(1)}:
                term["square"] = text(self.frame.expr(root))
            terms.append(term)
        for k, c in found.free:
            i, e = tags[k]
            term = {"c": str(c), "hyps": [i]}
            if any(e):
                term["times"] = text(self.frame.expr({e: fmpq(1)}))
            terms.append(term)
        node: Node = {"rule": "farkas", "terms": terms}
        if scale is not None:
            node["scale"] = text(scale)
        return node


def _monomials(n: int, degree: int) -> list[Exponents]:
    if n == 0:
        return [()] if degree == 0 else []
    if n == 1:
        return [(degree,)]
    return [(k, *rest) for k in range(degree, -1, -1) for rest in _monomials(n - 1, degree - k)]


class _Polytope:
    """An outer bound of the Newton polytope by many directions."""

    def __init__(self, p: Dense):
        points = np.array(list(p), dtype=np.int64)
        n = points.shape[1]
        rng = np.random.default_rng(1)
        eye = np.eye(n, dtype=np.int64)
        pairs = [s * eye[i] + t * eye[j] for i, j in combinations(range(n), 2) for s in (1, -1) for t in (1, -1)]
        ones = np.ones((1, n), dtype=np.int64)
        rows = [eye, -eye, ones, -ones, rng.integers(-4, 5, (150, n))]
        self.directions = np.concatenate([*rows, np.array(pairs, dtype=np.int64).reshape(-1, n)])
        self.top = (self.directions @ points.T).max(axis=1)

    def inside(self, basis: list[Exponents], shift: Exponents) -> list[Exponents]:
        """The elements e for which 2 e + shift may lie in the polytope."""
        if not basis:
            return []
        doubled = 2 * np.array(basis, dtype=np.int64) + np.array(shift, dtype=np.int64)
        keep = ((self.directions @ doubled.T) <= self.top[:, None]).all(axis=0)
        return [e for e, k in zip(basis, keep, strict=True) if k]


def sos(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic: degree of the goal first, then more, then multipliers of the goal."""
    goal = seq.goal
    if goal.op not in ("<=", "<", ">=", ">") or size(goal.gap) > 400 or seq.box is None:
        return None
    form = seq.algebra.normal(goal.gap)
    if not 2 <= len(form.num) <= 120:
        return None
    atoms = {a for m in form.num for a, _ in m}
    if any(not a.free for a in atoms) or len(atoms) > 8:
        return None
    hyps = hypothesis_polys(seq, atoms, 8)
    made = frame_of([form.num, *hyps.values()], seq)
    if made is None:
        return None
    frame, lift = made
    if len(frame.keys) > 8:
        return None
    algebra = seq.algebra
    lifted = algebra.settle(multiply(form.num, {lift: fmpq(1)})) if lift else None
    if lifted is not None and lifted.den != ONE:
        return None
    setup = _Setup(seq, lifted.num if lifted else form.num, frame, hyps)
    degree = _degree(setup.target)
    if degree > MAX_DEGREE or len(setup.target) > 120:
        return None
    scale: Expr | None = None
    if form.den != ONE or lift:
        scale = to_expr(form.den) * to_expr({lift: fmpq(1)}) if lift else to_expr(form.den)
    for extra, pairs in ((0, False), (0, True), (2, True)) if setup.gaps else ((0, False),):
        node = _attempt(p, setup, setup.target, degree + degree % 2 + extra, pairs, scale)
        if node is not None:
            done = p.apply(node, seq, depth - 1)
            if done is not None:
                return done
    return _multiplied(p, setup, scale, depth)


def _attempt(p: Prover, setup: _Setup, target: Dense, degree: int, pairs: bool, scale: Expr | None) -> Node | None:
    p.clock()
    strict = setup.seq.goal.strict
    blocks = setup.blocks(target, degree, pairs, strict)
    if not blocks:
        return None
    free, tags = setup.free(max(degree, _degree(target)))
    if len(free) > 400:
        return None
    found = Program(dict(target), blocks, free, strict, p.clock).solve(p.left())
    return None if found is None else setup.node(found, tags, scale)


def _multiplied(p: Prover, setup: _Setup, scale: Expr | None, depth: int) -> Node | None:
    """Multipliers of the goal: a sum of squares or of nonnegative variables, with a 1 where the goal is no form."""
    if setup.gaps or setup.n < 2 or depth < 4:
        return None
    form = len({sum(m) for m in setup.target}) == 1
    units = [tuple(int(i == k) for i in range(setup.n)) for k in range(setup.n)]
    terms = [u if pos else tuple(2 * x for x in u) for u, pos in zip(units, setup.frame.nonneg, strict=True)]
    base: Dense = {t: fmpq(1) for t in terms}
    if not form:
        base[setup.one] = fmpq(1)
    multiplier: Dense = {setup.one: fmpq(1)}
    for _ in (1, 2):
        multiplier = product(multiplier, base)
        target = product(setup.target, multiplier)
        if _degree(target) > MAX_DEGREE or len(target) > 200:
            return None
        factor = setup.frame.expr(base)
        whole = setup.frame.expr(multiplier)
        node = _attempt(p, setup, target, _degree(target), False, whole if scale is None else scale * whole)
        if node is None:
            continue
        if not form:
            return p.apply(node, setup.seq, depth - 1)
        # where factor > 0 by the node, where factor <= 0 by a search
        case: Node = {"rule": "case", "on": text(factor), "strict": True}
        return p.apply(case, setup.seq, depth - 1, partial(p.apply, node, depth=depth - 1))
    return None
