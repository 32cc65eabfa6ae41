"""The search for a proof: tactics propose rules, :func:`boundcheck.kernel.check.refine.refine` says what is left.

A tactic takes (prover, sequent, depth) and returns a node or None. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable
from typing import Any

from flint import arb

from boundcheck.decide.scalar.sampling import plausible
from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.poly import ONE, AlgebraLimit
from boundcheck.kernel.check.refine import MAX_BITS, refine
from boundcheck.kernel.check.sequent import Refused, Sequent, has_binder
from boundcheck.kernel.clock import deadline, seconds_used
from boundcheck.kernel.formula import Expr

Node = dict[str, Any]
Tactic = Callable[["Prover", Sequent, int], Node | None]
MAX_DEPTH = 14
_PINNED = arb(2) ** -64  #: relative width of a variable whose hypotheses leave it one value
FINER = (256, 512, MAX_BITS)  #: bits of the balls at one point, where those of the box settle nothing


class OutOfTime(Exception):
    """The budget is spent."""


class Prover:
    """One search with a deadline; remembers what failed."""

    def __init__(self, seconds: float, tactics: Iterable[Tactic], exact: Iterable[Tactic] = ()):
        """``exact``: tactics that are tried before a goal is looked at in sample points, where that may cost more."""
        self.deadline = deadline(seconds)
        self.tactics, self.exact = tuple(tactics), tuple(exact)
        self.failed: dict[tuple[Any, ...], int] = {}
        self.proved: dict[Sequent, Node] = {}
        self.open: list[tuple[Any, ...]] = []
        self.stuck: list[str] = []
        self.notes: dict[Any, Any] = {}  #: what tactics found out before, by what they asked
        self.boxes_stuck: list[dict[str, tuple[float, float]]] = []

    def clock(self) -> None:
        """Raise :class:`OutOfTime` once the deadline has passed."""
        if seconds_used() > self.deadline:
            raise OutOfTime

    def left(self) -> float:
        """Seconds until the deadline."""
        return self.deadline - seconds_used()

    def sliced(self, seconds: float, run: Callable[[], Node | None]) -> Node | None:
        """Run with at most ``seconds`` of the time left."""
        outer = self.deadline
        self.deadline = min(outer, seconds_used() + seconds)
        opened = len(self.open)
        try:
            return run()
        except OutOfTime:
            del self.open[opened:]
            if seconds_used() > outer:
                raise
            return None
        finally:
            self.deadline = outer

    def apply(
        self, node: Node, seq: Sequent, depth: int, guide: Callable[[Sequent], Node | None] = lambda s: None
    ) -> Node | None:
        """The node with proofs of everything that it leaves, or None; ``guide`` is asked for each of them first."""
        self.clock()
        try:
            left = refine(node, seq, self.clock)
        except (Refused, RecursionError):
            return None
        if any(not plausible(s) for s in left):
            return None
        children = []
        for s in left:
            child = guide(s) or self.prove(s, depth - 1)
            if child is None:
                return None
            children.append(child)
        return {**node, "then": children} if children else node

    def prove(self, seq: Sequent, depth: int = MAX_DEPTH) -> Node | None:
        """A proof of the sequent, or None."""
        self.clock()
        box = seq.box
        if box is None or settled(seq.goal, box) or any(falsified(h, box) for h in seq.hyps):
            return {"rule": "eval"}
        if depth <= 0:
            return None
        key = (frozenset(seq.hyps), seq.goal.flipped() if seq.goal.op in (">=", ">") else seq.goal)
        if self.failed.get(key, -1) >= depth or key in self.open:
            return None
        if all(box[v][1] - box[v][0] <= _PINNED * (1 + abs(box[v][0])) for v in seq.goal.free):
            node = self._closed(seq)
            if node is not None or (not seq.goal.free and not has_binder(seq.goal.gap)):
                return node
        if seq in self.proved:
            return self.proved[seq]
        for tactic in self.exact:
            node = self._tried(tactic, seq, depth)
            if node is not None:
                self.proved[seq] = node
                return node
        if not plausible(seq):
            return None
        self.open.append(key)
        try:
            for tactic in self.tactics:
                node = self._tried(tactic, seq, depth)
                if node is not None:
                    self.proved[seq] = node
                    return node
        finally:
            if key in self.open:
                self.open.remove(key)
        self.failed[key] = depth
        return None

    def _tried(self, tactic: Tactic, seq: Sequent, depth: int) -> Node | None:
        """What a tactic finds; None too where it gets too deep or too large, or a number is beyond doubles or text."""
        try:
            return tactic(self, seq, depth)
        except (RecursionError, AlgebraLimit, OverflowError, ValueError):
            return None

    def _closed(self, seq: Sequent) -> Node | None:
        """A goal at one point: by finer balls, or an identity (the box has been tried)."""
        for bits in FINER if not has_binder(seq.goal.gap) else ():
            try:
                refine({"rule": "eval", "bits": bits}, seq)
                return {"rule": "eval", "bits": bits}
            except (Refused, RecursionError):
                self.clock()
        for node in ({"rule": "identity"}, {"rule": "hypothesis"}, {"rule": "defined"}, *_gap(seq)):
            try:
                if not refine(node, seq):
                    return node
            except (Refused, RecursionError):
                continue
        return None


def _gap(seq: Sequent) -> list[Node]:
    """The gap of the goal as a rational number, where powers are so large that no ball tells the sides apart."""
    if seq.goal.op not in ("<=", "<", ">=", ">") or seq.goal.free or has_binder(seq.goal.gap):
        return []
    try:
        form = seq.algebra.normal(seq.goal.gap)
    except AlgebraLimit:
        return []
    value = form.num.get((), None) if form.den == ONE and len(form.num) == 1 else None
    return [] if value is None else [{"rule": "farkas", "terms": [{"c": str(value)}]}]


def fresh(seq: Sequent, stem: str = "t") -> str:
    """A name that the sequent does not use."""
    taken = {*seq.variables, *seq.integers}
    return next(f"{stem}{i}_" for i in range(1000) if f"{stem}{i}_" not in taken)


def size(e: Expr) -> int:
    """Number of distinct nodes."""
    return sum(1 for _ in e.walk())
