"""Facts over their names in a model, and how a model is bent until it meets given facts.

A fact is tried at all values of its names that a window holds (integers) or a pool (reals, vectors): the names of the
model, their neighbours, small numbers. So "it holds" is certain only for a fact without such names; a fact that fails
does so certainly, at the values told.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field, replace
from functools import lru_cache
from typing import Any

from flint import fmpq, fmpq_poly

from benchmarks.hunter import nums
from benchmarks.hunter.atoms import AtAtoms
from benchmarks.hunter.line import at_point, parts
from benchmarks.hunter.model import LINE, Function, Model, Rv, Sigma
from benchmarks.hunter.nums import FAULTS, VARIES, ZERO, IllTyped, Split, Unknown, X, is_vector
from benchmarks.hunter.pools import FAR, values_for
from benchmarks.hunter.ties import tie
from boundcheck.kernel.formula import Expr, Relation, free_names, num, substitute
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, REAL, VECTOR, Sort

MOST_INDICES = 3000  #: combinations of integers, before a fact about all of them is relied on
MOST = 40  #: combinations of values that are tried for the names of one fact


@dataclass(frozen=True)
class Fact:
    """A fact to be tried: for all values of the names ``over`` of these sorts that meet ``where``."""

    relation: Relation
    over: tuple[tuple[str, Sort], ...] = ()
    where: tuple[Relation, ...] = ()
    given: tuple[tuple[bool, Any], ...] = ()  #: events (as terms; False: the complement) under which it is asserted
    sure: bool = True  #: it is assumed of every outcome, not of almost every one for each value of its names

    @property
    def relations(self) -> tuple[Relation, ...]:
        """The relation and its conditions."""
        return (self.relation, *self.where)

    @property
    def free(self) -> frozenset[str]:
        """The names that it speaks of and does not range over."""
        return frozenset(free_names(self.relations).union(*(e.free for _, e in self.given)) - set(self.names))

    @property
    def names(self) -> tuple[str, ...]:
        """The names that it ranges over."""
        return tuple(n for n, _ in self.over)

    def __str__(self) -> str:
        tail = (
            f" for all {', '.join(f'{s} {n}' if s.kind != REAL else n for n, s in self.over)}" if self.over else ""
        ) + (f" where {', '.join(map(str, self.where))}" if self.where else "")
        head = "".join(f"{'' if yes else 'not '}{e} -> " for yes, e in self.given)
        return f"{head}{self.relation}{tail}"


@dataclass
class Outcome:
    """What became of a fact in a model: True, False, or None (it cannot be told); where it fails, and how."""

    holds: bool | None
    at: Mapping[str, Any] = field(default_factory=dict)
    atom: int = 0
    how: str = ""  #: false, ill-typed


def check(model: Model, ev: AtAtoms, fact: Fact, dense: bool = False, near: Sequence[Any] = ()) -> Outcome:
    """The outcome of a fact in a model; ``dense``: more values are tried, before it is relied on.

    Where there are too many combinations of values to try all, those of the values ``near`` are tried first.
    """
    names = fact.names
    pools: list[Sequence[Any]] = []
    for name, sort in fact.over:
        pool = values_for(model, name, sort, model.rng, dense)
        pool += [v for v in near if sort.kind == EVENT and _eventful(v)]
        if not fact.sure or _parts(fact)[1]:  # of constants alone
            pool = [v for v in pool if not (is_vector(v) and any(isinstance(x, VARIES) for x in v))]
        if not pool:
            return Outcome(None)
        pools.append(pool)
    combos: Iterable[tuple[Any, ...]] = itertools.product(*pools)
    size = 1
    for p in pools:
        size *= len(p)
    most = MOST * (8 if dense else 1)
    if dense and all(s.kind == INTEGER for _, s in fact.over):
        most = MOST_INDICES  # what holds of all indices is looked at for each: others are summed over
    if size > most:
        some = [tuple(model.rng.choice(p) for p in pools) for _ in range(most)]
        some += [
            (*one[:k], v, *one[k + 1 :])
            for k, p in enumerate(pools)
            for v, one in zip(FAR, some, strict=False)
            if v in p
        ]
        combos = itertools.chain(itertools.product(*([v for v in p if v in near] for p in pools)), some)
    doubt = False
    atoms = model.live if _random(model, fact) else model.live[:1]
    for combo in combos:
        bound = dict(zip(names, combo, strict=True))
        for atom in atoms:
            how = _fails(ev, fact, atom, bound, cuts=dense and fact.sure and not _parts(fact)[1])
            if how == "?":
                doubt = True
            elif how:
                return Outcome(False, bound, atom, how)
    if names and not doubt:
        return _everywhere(model, ev, fact, atoms, pools)
    return Outcome(None if doubt else True)


def _eventful(value: Any) -> bool:
    return isinstance(value, Rv) and isinstance(value.values[0], bool)


def _fails(
    ev: AtAtoms,
    fact: Fact,
    atom: int,
    bound: Mapping[str, Any],
    points: list[fmpq] | None = None,
    cuts: bool = False,
) -> str:
    """How a fact fails at an atom, or somewhere on the line there; "" where it holds, "?" where that is open.

    With ``cuts`` single points count that have no mass: what holds surely holds there too.
    """
    if not ev.m.line or ev.span is not None or ev.point is not None:
        return _fails_here(ev, fact, atom, bound, points)

    try:
        found = [how for _, how in ev.along(lambda: _fails_here(ev, fact, atom, bound, points), cuts)]
    except Unknown:
        return "?"
    bad = next((h for h in found if h not in ("", "?")), "?" if "?" in found else "")
    return _at_points(ev, fact, atom, bound) if bad == "?" and ev.m.line == "uniform" else bad


#: points of the line that are nothing else: what fails at all of them fails with a positive probability
_SOMEWHERE = tuple(fmpq(p, 7919) for p in (-5261, -1373, 2741, 6007))


def _at_points(ev: AtAtoms, fact: Fact, atom: int, bound: Mapping[str, Any]) -> str:
    """How a fact fails at each of a few points of the line, where that cannot be told for intervals."""
    try:
        found = set()
        for p in _SOMEWHERE:
            ev.point = p
            found.add(_fails_here(ev, fact, atom, {n: at_point(v, p) for n, v in bound.items()}, None))
    finally:
        ev.point = None
    return found.pop() if len(found) == 1 and "" not in found else "?"


def _fails_here(ev: AtAtoms, fact: Fact, atom: int, bound: Mapping[str, Any], points: list[fmpq] | None) -> str:
    """ "" where the fact holds, "?" where that cannot be told (``points``: where to look), else how it fails."""
    try:
        if not _applies(ev, fact, atom, bound) or ev.holds(fact.relation, atom, bound):
            return ""
        return "false"
    except IllTyped:
        return "ill-typed"
    except Unknown as why:
        if points is not None:
            points += why.points
        return "?"
    except (RecursionError, OverflowError):
        return "?"


def _random(model: Model, fact: Fact) -> bool:
    """Whether the fact may differ between atoms."""
    names, heads = _parts(fact)
    return heads or any(_varies(model, n) for n in names)


@lru_cache(maxsize=4096)
def _parts(fact: Fact) -> tuple[tuple[str, ...], bool]:
    """The names of a fact, and whether it has a head that is random by itself."""
    sides = [s for r in fact.relations for s in r.sides] + [e for _, e in fact.given]
    nodes = {n for s in sides for n in s.walk()}
    heads = any(n.op in ("Egiven", "Pgiven") for n in nodes) or (bool(fact.over) and any(n.op == "law" for n in nodes))
    return tuple(sorted({str(n.value) for n in nodes if n.op == "var"} | {n.op for n in nodes})), heads


def _varies(model: Model, name: str) -> bool:
    found = model.values.get(name)
    sort = model.sort(name)
    return (
        sort.random
        or sort.kind == EVENT
        or isinstance(found, Rv)
        or (isinstance(found, Function) and found.body is not None)
    )


def _everywhere(
    model: Model, ev: AtAtoms, fact: Fact, atoms: Sequence[int], pools: Sequence[Sequence[Any]]
) -> Outcome:
    """The fact for *all* values of its last name that is a real or a vector, where it is piecewise polynomial in that.

    Of the vectors those on a few lines are taken, all of them in R^1.
    """
    free = [(n, s.kind) for n, s in fact.over if s in (Sort(REAL), Sort(VECTOR))]
    if not free or model.line:
        return Outcome(True)
    t, kind = free[-1]
    others = [n for n in fact.names if n != t]
    choices = dict(zip(fact.names, pools, strict=True))
    lines: list[Any] = [lambda x: x]
    if kind == VECTOR:
        lines = []
        for k in range(model.d):
            p = model.rng.choice(choices[t]) if model.d > 1 else (ZERO,)
            lines.append(lambda x, k=k, p=p: tuple(y + x if n == k else y for n, y in enumerate(p)))
    for line in lines:
        for _ in range(6 if others else 1):
            bound = {n: model.rng.choice(choices[n]) for n in others}
            for atom in atoms:
                found = _along(ev, fact, atom, bound, t, line)
                if found is not None:
                    return found
    return Outcome(True)


def _along(ev: AtAtoms, fact: Fact, atom: int, bound: Mapping[str, Any], t: str, line: Any) -> Outcome | None:
    """Where the fact fails on a line, if it is piecewise polynomial there."""
    pending: list[tuple[Any, Any]] = [(float("-inf"), float("inf"))]

    def at(x: fmpq) -> Outcome | None:
        how = _fails(ev, fact, atom, {**bound, t: line(x)})
        return Outcome(False, {**bound, t: line(x)}, atom, how) if how not in ("", "?") else None

    for _ in range(40):
        if not pending:
            break
        span = pending.pop()
        before, ev.span = ev.span, span
        points: list[fmpq] = []
        try:
            how = _fails(ev, fact, atom, {**bound, t: line(X)}, points)
        except Split as cut:
            how, points = "?", [cut.point]
            pending += [(span[0], cut.point), (cut.point, span[1])]
        finally:
            ev.span = before
        if how not in ("", "?"):
            points.append(nums.inside(*span))
        found = next((o for o in map(at, points) if o is not None), None)
        if found is not None:
            return found
    return None


def _applies(ev: AtAtoms, fact: Fact, atom: int, bound: Mapping[str, Any]) -> bool:
    if not fact.where and not fact.given:
        return True
    try:
        return all(ev.holds(w, atom, bound) for w in fact.where) and all(
            ev.event(e, atom, bound) is yes for yes, e in fact.given
        )
    except IllTyped:
        return False


def meet(
    model: Model, ev: AtAtoms, facts: Sequence[Fact], rounds: int = 10, fixed: frozenset[str] = frozenset()
) -> bool:
    """Bend the model until all facts hold in it; False where that does not succeed. ``fixed`` names stay."""
    for _ in range(rounds):
        broken = None
        for fact in facts:
            found = check(model, ev, fact)
            if found.holds is not True:
                broken = (fact, found)
                break
        if broken is None:
            return True
        if not _bend(model, ev, *broken, fixed):
            return False
    return False


def _bend(model: Model, ev: AtAtoms, fact: Fact, found: Outcome, fixed: frozenset[str]) -> bool:
    """Change one name so that ``fact`` may hold: solved for, put to the extreme of the other side, or drawn anew."""
    r = fact.relation
    if r.op == "==" and tie(model, ev, r, fixed):
        ev.reset()
        return True
    sides = _isolated(r)
    if model.rng.random() < 0.85:
        for left, a, b in model.rng.sample(sides, len(sides)):
            one = replace(fact, relation=Relation(r.op, a, b) if left else Relation(r.op, b, a))
            if _settable(model, a, b, fact, fixed) and _solve(model, ev, r.op, a, b, one):
                ev.reset()
                return True
            if _family(a, fact, fixed) and _solve_member(model, ev, r.op, a, b, one):
                ev.reset()
                return True
    names = sorted(n for n in fact.free if n not in fixed)
    if not names:
        return False
    model.forget(model.rng.choice(names))
    ev.reset()
    return True


def _isolated(r: Relation) -> list[tuple[bool, Expr, Expr]]:
    """(whether the term stands on the left, the term, the other side): both sides, and the terms of sums."""
    found: list[tuple[bool, Expr, Expr]] = []
    for left, a, b in ((True, r.lhs, r.rhs), (False, r.rhs, r.lhs)):
        found.append((left, a, b))
        if a.op == "add":
            found += [(left, a.args[0], b - a.args[1]), (left, a.args[1], b - a.args[0])]
        elif a.op == "sub":
            found.append((left, a.args[0], b + a.args[1]))
    return found


def _settable(model: Model, a: Expr, b: Expr, fact: Fact, fixed: frozenset[str]) -> bool:
    return a.op == "var" and a.value not in fact.names and a.value not in fixed and a.value not in b.free


def _family(a: Expr, fact: Fact, fixed: frozenset[str]) -> bool:
    if a.op != "at" or len(a.args) != 2 or a.args[0].op != "var" or a.args[1].op != "var":
        return False
    return a.args[1].value in fact.names and len(fact.over) == 1 and a.args[0].value not in fixed


def _solve(model: Model, ev: AtAtoms, op: str, a: Expr, b: Expr, fact: Fact) -> bool:
    sort = model.sort(a.value)
    if op == "!=" or sort.kind in (INFORMATION, EVENT) or sort.args:
        return False
    if model.line:
        return _solve_on_line(model, ev, op, a, b, fact)
    if op == "==" and not fact.over:
        try:
            values = tuple(ev.value(b, n, {}) for n in range(len(model.atoms)))
        except FAULTS:
            return False
        if any(isinstance(v, Sigma | Function | bool | float) for v in values):
            return False
        if not sort.random and any(v is not values[0] and v != values[0] for v in values):
            return False
        if sort.kind == INTEGER and not all(isinstance(v, fmpq) and v.q == 1 for v in values):
            return False
        model.values[a.value] = Rv(values) if sort.random else values[0]
        return True
    if sort.kind not in (REAL, INTEGER):
        return False
    up = (op in ("<=", "<", "==")) == (fact.relation.lhs is b)  # b op a
    if not sort.random:
        best = _beyond(model, ev, _bounds(model, ev, b, fact, model.live), up, op, sort.kind == INTEGER)
        if best is None:
            return False
        model.values[a.value] = best
        return True
    each = [
        _beyond(model, ev, _bounds(model, ev, b, fact, [n]), up, op, sort.kind == INTEGER)
        for n in range(len(model.atoms))
    ]
    if any(v is None for v in each):
        return False
    model.values[a.value] = Rv(tuple(each))
    return True


def _solve_on_line(model: Model, ev: AtAtoms, op: str, a: Expr, b: Expr, fact: Fact) -> bool:
    """Put a random name beyond the other side, or at it, where that is a polynomial in the line; perhaps far out."""
    sort = model.sort(a.value)
    if fact.over or not sort.random or sort.kind not in (REAL, VECTOR) or (sort.kind == VECTOR and op != "=="):
        return False
    try:
        values = [ev.value(b, n, {}) for n in range(len(model.atoms))]
    except FAULTS:
        return False
    if not all(
        isinstance(x, fmpq | fmpq_poly) and is_vector(v) == (sort.kind == VECTOR) for v in values for x in parts(v)
    ):
        return False
    if op != "==":
        more = abs(model.number()) + (LINE if model.line != "uniform" and model.rng.random() < 0.5 else ZERO)
        up = (op in ("<=", "<")) == (fact.relation.lhs is b)
        values = [v + more if up else v - more for v in values]
    model.values[a.value] = Rv(tuple(values))
    return True


def _solve_member(model: Model, ev: AtAtoms, op: str, a: Expr, b: Expr, fact: Fact) -> bool:
    """Put every member at(a, s) of a family of constants, for all s of the fact, beyond the other side."""
    name, index = a.args[0].value, a.args[1].value
    sort = model.sort(name)
    if sort.kind != REAL or sort.random or op == "!=" or sort.args != (INTEGER,):
        return False
    up = (op in ("<=", "<", "==")) == (fact.relation.lhs is b)
    for k in values_for(model, index, Sort(INTEGER), model.rng):
        one = Fact(fact.relation.map(lambda e, k=k: substitute(e, {index: num(int(k.p))})))  # type: ignore[misc]
        best = _beyond(model, ev, _bounds(model, ev, one.relation.lhs if up == (op in ("<=", "<", "==")) else
                                          one.relation.rhs, one, model.live), up, op, False)  # fmt: skip
        if best is None:
            return False
        model.members[name, (k,)] = best
    return True


def _beyond(model: Model, ev: AtAtoms, bounds: list[Any], up: bool, op: str, integer: bool) -> fmpq | None:
    """A number that is at least (at most) all of ``bounds``, often just so."""
    if not bounds:
        return None
    try:
        best = ev.extreme("max" if up else "min", bounds)
        if not isinstance(best, fmpq):
            best = fmpq(int(float(nums.ball(best).mid()) * 8) + (2 if up else -2), 8)
    except (Unknown, Split, IllTyped, ValueError, OverflowError):
        return None
    extra = abs(model.number()) if model.rng.random() < 0.6 or op in ("<", ">") else ZERO
    best = best + extra if up else best - extra
    return fmpq(best.ceil() if up else best.floor()) if integer else best


def _bounds(model: Model, ev: AtAtoms, b: Expr, fact: Fact, atoms: Sequence[int]) -> list[Any]:
    """The values of ``b`` at atoms and at values of the names that the fact ranges over."""
    pools = [values_for(model, n, sort, model.rng) for n, sort in fact.over]
    found = []
    combos = (
        [tuple(model.rng.choice(p) for p in pools) for _ in range(20)] if pools and all(pools) else [()] * (not pools)
    )
    for combo in combos:
        bound = dict(zip(fact.names, combo, strict=True))
        for n in atoms:
            try:
                if _applies(ev, fact, n, bound):
                    found.append(nums.scalar(ev.value(b, n, bound)))
            except FAULTS:
                continue
    return found
