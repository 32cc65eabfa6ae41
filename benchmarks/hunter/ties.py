"""Predicates made true in a model: a gradient is that of its function, names are independent, something is known."""

from __future__ import annotations

from typing import Any

from benchmarks.hunter import named_functions
from benchmarks.hunter.atoms import AtAtoms
from benchmarks.hunter.model import Function, Model, Rv
from benchmarks.hunter.nums import IllTyped, Split, Unknown
from boundcheck.kernel.formula import Expr, Relation, num
from boundcheck.kernel.proof.sorts import INFORMATION


def tie(model: Model, ev: AtAtoms, r: Relation, fixed: frozenset[str]) -> bool:
    """Make a predicate true by a new value of one of its names; False where none is found. ``fixed`` names stay."""
    e = r.lhs
    if r.rhs != num(1) or e.op not in ("gradient", "measurable", "independent"):
        return False
    names = [str(a.value) if a.op == "var" else "" for a in e.args]
    if e.op == "gradient":
        return _gradient(model, names, fixed)
    own = [n for n in names if n and n not in fixed and not model.sort(n).args]
    if not own or model.rng.random() < 0.3:
        return False
    try:
        if e.op == "independent":
            return _independent(model, ev, e, own, names)
        return own[0] == names[0] and _known(model, ev, own[0], e.args[1])
    except (Unknown, IllTyped, Split):
        return False


def _gradient(model: Model, names: list[str], fixed: frozenset[str]) -> bool:
    if "" in names or names[1] in fixed:
        return False
    f = model.value(names[0])
    if not isinstance(f, Function) or (f.sort.random and not model.sort(names[1]).random):
        return False  # a function that depends on chance has a gradient that does
    model.values[names[1]] = named_functions.gradient(names[1], f, model.sort(names[1]))
    return True


def _independent(model: Model, ev: AtAtoms, e: Expr, own: list[str], names: list[str]) -> bool:
    """Two names depend on one source each; a name on one on which the other side does not, or on none: a constant."""
    rng = model.rng
    plain = [k for k, s in enumerate(model.sources) if not s.values]
    if len(set(own)) == 2 and len(plain) > 1:
        for name, k in zip(own, rng.sample(plain, 2), strict=True):
            _through(model, name, [k])
        return True
    one = rng.choice(own)
    used = sources_of(model, ev, e.args[1 - names.index(one)])
    free = [k for k in plain if k not in used]
    _through(model, one, rng.sample(free, 1) if free else [])
    return True


def _through(model: Model, name: str, chosen: list[int]) -> None:
    """A value that depends on these sources alone."""
    kind = model.sort(name).kind
    if kind == INFORMATION:
        model.values[name] = model.sigma(chosen)
        return
    table: dict[tuple[int, ...], Any] = {}
    made = [table.setdefault(tuple(a[k] for k in chosen), model.one(kind)) for a in model.atoms]
    model.values[name] = Rv(tuple(made))


def sources_of(model: Model, ev: AtAtoms, e: Expr) -> set[int]:
    """The sources on which what a term tells depends."""
    told = [str(ev.told(e, n, {})) for n in range(len(model.atoms))]
    first: dict[tuple[int, tuple[int, ...]], str] = {}
    used = set()
    for atom, t in zip(model.atoms, told, strict=True):
        for k in range(len(model.sources)):
            if first.setdefault((k, (*atom[:k], *atom[k + 1 :])), t) != t:
                used.add(k)
    return used


def _known(model: Model, ev: AtAtoms, name: str, given: Expr) -> bool:
    """The name is a function of what is given."""
    kind = model.sort(name).kind
    if kind == INFORMATION:
        return False
    groups: dict[Any, Any] = {}
    told = [str(ev.told(given, n, {})) for n in range(len(model.atoms))]
    model.values[name] = Rv(tuple(groups.setdefault(t, model.one(kind)) for t in told))
    return True
