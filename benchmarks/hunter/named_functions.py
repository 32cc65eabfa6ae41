"""Functions of models at their arguments: quadratic and Huber functions, their gradients, functions by equations."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from flint import fmpq, fmpq_poly

from benchmarks.hunter import nums
from benchmarks.hunter.model import Function, Part
from benchmarks.hunter.nums import ZERO, IllTyped, Split, Unknown, Value, X, add, compare, mul
from benchmarks.hunter.ratio import Ratio

if TYPE_CHECKING:
    from benchmarks.hunter.atoms import AtAtoms


def apply(ev: AtAtoms, f: Function, args: list[Any], atom: int) -> Any:
    """The value of a function at its arguments, at an atom."""
    args = [_argument(ev, a, k) for a, k in zip(args, f.sort.args, strict=True)]
    found = _value(ev, f, args, atom)
    return _oddly(f.odd, found, args) if f.odd and ev.null(args) else found


def _oddly(odd: str, found: Any, args: list[Any]) -> Any:
    """The value at the one argument where a function is another one."""
    if odd == "far":
        return mul(fmpq(7), found)
    more = fmpq(1)
    if odd == "pole":
        x = args[0][0] if isinstance(args[0], tuple) else args[0]
        more = ZERO if nums.is_zero(x) else nums.inverse(x)
    return (
        tuple(add(y, more if k == 0 else ZERO) for k, y in enumerate(found))
        if isinstance(found, tuple)
        else add(found, more)
    )


def _value(ev: AtAtoms, f: Function, args: list[Any], atom: int) -> Any:
    if f.law is not None:
        return ev.here(f.law, atom)
    if f.body is not None:
        return ev.value(f.body, atom, dict(zip(f.names, args, strict=True)))
    if f.of is not None and f.of.body is not None:
        return tuple(_slope(ev, f.of, args[0], k, atom) for k in range(ev.m.d))
    part = (f.of or f).parts[atom]
    xs = [x for a in args for x in (a if isinstance(a, tuple) else (a,))]
    if f.of is not None:
        return tuple(_rise(ev, part, k, x) for k, x in enumerate(xs))
    if f.sort.kind == "vector":
        found = [_rise(ev, part, k, xs[k % len(xs)]) for k in range(ev.m.d)]
        found[-1] = add(found[-1], mul(part.mixed, xs[0]))
        return tuple(found)
    total: Value = part.constant
    for k, x in enumerate(xs):
        total = add(total, add(_bowl(ev, part, k, x), mul(part.slopes[k % len(part.slopes)], x)))
    if f.sort.kind == "event":
        return compare(">", total, ZERO, ev.span)
    if f.sort.kind not in ("real", "vector"):
        raise Unknown(f"a function with values of sort {f.sort.kind}")
    return total


def _argument(ev: AtAtoms, a: Any, kind: str) -> Any:
    """An argument of a kind; an object may be a vector too."""
    if kind == "vector" and isinstance(a, tuple):
        return a
    return _point(ev, a) if kind == "vector" else a if kind == "object" and nums.is_vector(a) else nums.scalar(a)


def _point(ev: AtAtoms, a: Any) -> Any:
    if nums.is_zero(a):
        return (ZERO,) * ev.m.d
    if not nums.is_vector(a):
        raise IllTyped("a point that is no vector")
    return a


def _scale(part: Part, k: int) -> fmpq:
    return part.scales[k % len(part.scales)]


def _bowl(ev: AtAtoms, part: Part, k: int, x: Value) -> Value:
    """s x^2/2, or the Huber function with that curvature near 0."""
    half = _scale(part, k) / 2
    if part.radius is not None:
        size = nums.absolute(x, ev.span)
        if compare(">", size, part.radius, ev.span):
            return mul(half, add(mul(2 * part.radius, size), fmpq(-1) * part.radius**2))
    return mul(half, mul(x, x))


def _rise(ev: AtAtoms, part: Part, k: int, x: Value) -> Value:
    """The slope of the bowl and its line."""
    if part.radius is not None:
        x = ev.extreme("max", [-part.radius, ev.extreme("min", [x, part.radius])])
    return add(mul(_scale(part, k), x), part.slopes[k % len(part.slopes)])


def _slope(ev: AtAtoms, f: Function, x: tuple[Any, ...], k: int, atom: int, side: int = 1) -> Value:
    """The derivative of a function that an equation defines along an axis, towards one side."""
    if not all(isinstance(nums.scalar(y), fmpq) for y in x):
        raise Unknown("a derivative at what is no rational")
    end = fmpq(1)
    before, point = ev.span, ev.point
    if ev.m.line:
        raise Unknown("a derivative of a mean over the line")
    for _ in range(40):
        moved = tuple(add(y, mul(fmpq(side), X)) if n == k else y for n, y in enumerate(x))
        try:
            ev.span = (ZERO, end)
            found = nums.scalar(apply(ev, f, [moved], atom))
        except Split as cut:
            end = cut.point
            continue
        finally:
            ev.span, ev.point = before, point
        if isinstance(found, Ratio):
            raise Unknown("a derivative of a quotient")
        return mul(fmpq(side), found.derivative()(ZERO)) if isinstance(found, fmpq_poly) else ZERO
    raise Unknown("no derivative")


def is_gradient(ev: AtAtoms, f: Function, g: Function) -> bool:
    """Whether g is the gradient of f: by its making, or else at some points, from both sides."""
    if f.odd or g.odd:
        return False
    if g.of is f:
        return True
    points = [(ZERO,) * ev.m.d, *(ev.m.vector() for _ in range(3))]
    for x in points:
        for atom in ev.m.live:
            for k in range(ev.m.d):
                told = apply(ev, g, [x], atom)
                if not isinstance(told, tuple):
                    return False  # its values are no vectors
                told = told[k]
                if any(not compare("==", _slope(ev, f, x, k, atom, s), told) for s in (1, -1)):
                    return False
    return True


def gradient(name: str, f: Function, sort: Any) -> Function:
    """The gradient of a function, as a function of that name; what has a gradient is nowhere odd."""
    f.odd = ""
    return Function(name, sort, of=f)


def lipschitz(f: Function) -> fmpq:
    """A Lipschitz constant of a drawn field, or of the gradient of a function."""
    return (f.of or f).size + max((abs(p.mixed) for p in f.parts), default=ZERO)


__all__ = ["apply", "gradient", "is_gradient", "lipschitz"]
