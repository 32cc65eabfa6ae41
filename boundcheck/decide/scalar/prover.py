"""The search for a proof: tactics propose rules, :func:`boundcheck.kernel.check.refine.refine` says what is left.

A tactic takes (prover, sequent, depth) and returns a node or None; most of them are made by :func:`proposing` from a
function that yields nodes for a goal. Nothing here is trusted.
"""

from __future__ import annotations

from collections.abc import Callable, Collection, Iterable, Mapping, Sequence
from functools import partial, wraps
from typing import Any

from flint import arb

from boundcheck.decide.scalar.sampling import plausible
from boundcheck.kernel.check.algebra import Algebra
from boundcheck.kernel.check.leaves import falsified, settled
from boundcheck.kernel.check.nodes_read import ORDER
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Poly
from boundcheck.kernel.check.refine import MAX_BITS, refine
from boundcheck.kernel.check.sequent import Refused, Sequent, has_binder
from boundcheck.kernel.clock import deadline, passed, seconds_used
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.formula import Expr, Relation, is_zero, num, text

Node = dict[str, Any]
Tactic = Callable[["Prover", Sequent, int], Node | None]
Guide = Callable[[Sequent], Node | None]
RELATIONS = (*ORDER, "==", "!=")
ANY = (*RELATIONS, "defined")  #: what a goal may be
MAX_DEPTH = 14
ZERO, UNIT = num(0), num(1)
_PINNED = arb(2) ** -64  #: relative width of a variable whose hypotheses leave it one value
FINER = (256, 512, MAX_BITS)  #: bits of the balls at one point, where those of the box settle nothing


class OutOfTime(Exception):
    """The budget is spent."""


def unguided(*asked: object) -> None:
    """The guide, and the tactic, that knows no proof."""


class Proved:
    """Proofs by their goals: one from fewer hypotheses serves as well."""

    def __init__(self) -> None:
        self._nodes: dict[tuple[Relation, frozenset[str]], list[tuple[Sequent, Node]]] = {}

    def add(self, seq: Sequent, node: Node) -> None:
        """Note a proof."""
        self._nodes.setdefault((seq.goal, seq.integers), []).append((seq, node))

    def found(self, seq: Sequent) -> Node | None:
        """A proof of the sequent from what is noted, None if nothing is."""
        for known, node in self._nodes.get((seq.goal, seq.integers), ()):
            if known.hyps == seq.hyps:
                return node
            if all(h in seq.hyps for h in known.hyps):
                return {"rule": "drop", "keep": [seq.hyps.index(h) for h in known.hyps], "then": [node]}
        return None


class Prover:
    """One search with a deadline; remembers what failed."""

    def __init__(
        self, seconds: float, tactics: Iterable[Tactic], exact: Iterable[Tactic] = (), proved: Proved | None = None
    ):
        """``exact``: tactics that are tried before a goal is looked at in sample points, where that may cost more.

        ``proved``: what an earlier search has proved.
        """
        self.deadline = deadline(seconds)
        self.tactics, self.exact = tuple(tactics), tuple(exact)
        self.failed: dict[tuple[Any, ...], int] = {}
        self.proved = Proved() if proved is None else proved
        self.open: list[tuple[Any, ...]] = []
        self.stuck: list[str] = []
        self.notes: dict[Any, Any] = {}  #: what tactics found out before, by what they asked
        self.boxes_stuck: list[dict[str, tuple[float, float]]] = []

    def clock(self) -> None:
        """Raise :class:`OutOfTime` once the deadline has passed."""
        if passed(self.deadline):
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
            if passed(outer):
                raise
            return None
        finally:
            self.deadline = outer

    def apply(self, node: Node, seq: Sequent, depth: int, guide: Guide = unguided) -> Node | None:
        """The node with proofs of everything that it leaves, or None; ``guide`` is asked for each of them first."""
        return self.filled(node, seq, lambda s: guide(s) or self.prove(s, depth - 1), plausible)

    def filled(
        self, node: Node, seq: Sequent, proof: Guide, hopeful: Callable[[Sequent], bool] = lambda s: True
    ) -> Node | None:
        """The node with the ``proof`` of everything that it leaves, or None; so if any of that is not ``hopeful``."""
        self.clock()
        try:
            left = refine(node, seq, self.clock)
        except (Refused, RecursionError):
            return None
        return self.completed(node, left, proof) if all(map(hopeful, left)) else None

    def completed(self, node: Node, left: list[Sequent], proof: Guide) -> Node | None:
        """The node with the ``proof`` of each sequent that it leaves, or None."""
        children = []
        for s in left:
            child = proof(s)
            if child is None:
                return None
            children.append(child)
        return {**node, "then": children} if children else node

    def first(
        self, nodes: Iterable[Node], seq: Sequent, depth: int, guide: Guide = unguided, share: float = 1.0
    ) -> Node | None:
        """The first of the nodes that :meth:`apply` proves, each in a ``share`` of the time that is left."""
        for node in nodes:
            done = self.sliced(share * self.left(), partial(self.apply, node, seq, depth, guide))
            if done is not None:
                return done
        return None

    def cut(
        self, lemma: Relation, seq: Sequent, depth: int, then: Guide = unguided, proof: Guide = unguided
    ) -> Node | None:
        """A lemma: ``proof`` is asked for its proof, and ``then`` for that of the goal with it, before a search."""

        def guide(s: Sequent) -> Node | None:
            if len(s.hyps) > len(seq.hyps):
                return then(s)
            return proof(s)

        return self.apply({"rule": "cut", "lemma": str(lemma)}, seq, depth, guide)

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
        if (node := self.proved.found(seq)) is not None:
            return node
        for tactic in self.exact:
            node = self._tried(tactic, seq, depth)
            if node is not None:
                self.proved.add(seq, node)
                return node
        if not plausible(seq):
            return None
        self.open.append(key)
        try:
            for tactic in self.tactics:
                node = self._tried(tactic, seq, depth)
                if node is not None:
                    self.proved.add(seq, node)
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


def proposing(
    cost: int = 0,
    least: int = 0,
    largest: int | None = None,
    ops: Collection[str] = ORDER,
    share: float = 1.0,
    guide: Tactic = unguided,
) -> Callable[[Callable[[Sequent], Iterable[Node]]], Tactic]:
    """Makes a tactic of a function that yields nodes for a goal: the first node that can be proved.

    The goal is one of ``ops`` with at most ``largest`` nodes, and there is ``least`` depth. What a node leaves has
    ``cost`` less, and ``guide`` is asked for it first. Each node has ``share`` of the time that is left.
    """

    def made(nodes: Callable[[Sequent], Iterable[Node]]) -> Tactic:
        @wraps(nodes)
        def run(p: Prover, seq: Sequent, depth: int) -> Node | None:
            if seq.goal.op not in ops or depth < least or (largest is not None and size(seq.goal.gap) > largest):
                return None
            return p.first(nodes(seq), seq, depth - cost, lambda s: guide(p, s, depth - cost), share)

        return run

    return made


def slope_of(e: Expr, v: str) -> Expr | None:
    """The derivative, None where there is none."""
    try:
        return derivative(e, v)
    except NotDifferentiable:
        return None


def normal(e: Expr, algebra: Algebra) -> Expr | None:
    """The normal form as a formula, None where it is too large."""
    try:
        return algebra.normal(e).expr()
    except AlgebraLimit:
        return None


def polynomial(e: Expr, seq: Sequent) -> Poly | None:
    """The normal form as a polynomial in atoms; None if it has a denominator of several terms, or is too large."""
    try:
        form = seq.algebra.normal(e)
    except AlgebraLimit:
        return None
    return form.num if form.den == ONE else None


def substitution(v: str, new: Expr, by: Expr, inverse: Expr, *facts: str) -> Node:
    """v = by(new), with new = inverse(v), and what is known of the new variable."""
    node: Node = {"rule": "substitute", "var": v, "new": new.value, "by": text(by), "inverse": text(inverse)}
    return {**node, "facts": list(facts)}


def sum_of(times: Mapping[int, Expr], rest: Expr = ZERO, scale: Expr = UNIT) -> Node:
    """scale * gap = the sum of the gaps of hypotheses, by index, each times its factor, and a rest that is >= 0."""
    terms: list[Node] = [{"c": "1", "times": text(e), "hyps": [i]} for i, e in times.items()]
    node: Node = {"rule": "farkas", "terms": terms}
    if not is_zero(rest):
        terms.append({"c": "1", "times": text(rest)})
    return node if scale is UNIT else {**node, "scale": text(scale)}


def by_lemmas(
    p: Prover, seq: Sequent, depth: int, lemmas: Sequence[tuple[Relation, Guide]], times: Sequence[Expr]
) -> Node | None:
    """The gap as a sum of the gaps of lemmas, each with its factor; the guide of each is asked for its proof first."""
    first = len(seq.hyps)

    def put(s: Sequent) -> Node | None:
        k = len(s.hyps) - first
        if k == len(lemmas):
            return p.apply(sum_of({first + i: t for i, t in enumerate(times)}), s, depth)
        lemma, proof = lemmas[k]
        return p.cut(lemma, s, depth, put, proof)

    return put(seq)


def product_of(*factors: tuple[Expr, int]) -> Node:
    """The gap as a product of formulas, of which each is to have the sign beside it."""
    return {"rule": "factor", "factors": [{"text": text(e), "sign": s} for e, s in factors]}


def normalised(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """An inequality in its normal form, if that is another one and not 0."""
    gap = normal(seq.goal.gap, seq.algebra) if seq.goal.op in ORDER else None
    if gap is None or gap is seq.goal.gap or is_zero(gap):
        return None
    return p.apply(product_of((gap, 1)), seq, depth)


def _gap(seq: Sequent) -> list[Node]:
    """The gap of the goal as a rational number, where powers are so large that no ball tells the sides apart."""
    if seq.goal.op not in ORDER or seq.goal.free or has_binder(seq.goal.gap):
        return []
    form = polynomial(seq.goal.gap, seq)
    return [{"rule": "farkas", "terms": [{"c": str(form[()])}]}] if form is not None and form.keys() == {()} else []


def fresh(seq: Sequent, stem: str = "t") -> str:
    """A name that the sequent does not use."""
    taken = {*seq.variables, *seq.integers}
    return next(f"{stem}{i}_" for i in range(1000) if f"{stem}{i}_" not in taken)


def size(e: Expr) -> int:
    """Number of distinct nodes."""
    return sum(1 for _ in e.walk())
