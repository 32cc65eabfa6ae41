"""What the declared names of a statement are in its world, by name and sort; what its hypotheses define is made so.

f(y) = L y^2/2 with minimum 0, F(z, y) = f(y) + xi(z) y with xi = +-sigma at even odds, directions are fair signs. An
object is a sequence of draws, a draw a pair of noise and direction. Differences of martingales and summands are fair
signs times their largest size, points of a run follow from its recursion.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from flint import fmpq

from boundcheck.decide.worlds.world_terms import apart, called, members, shift
from boundcheck.kernel.formula import Expr, text
from boundcheck.kernel.proof.book import declared
from boundcheck.kernel.statement import Fact, Statement
from boundcheck.models import nums
from boundcheck.models.nums import ONE, ZERO, Value, add, mul
from boundcheck.models.outcomes import Evaluation, Key, Known, Lazy, SamplePoint, Thing, World

Made = Callable[[Evaluation, SamplePoint, list[Any]], Any]
HALF = fmpq(1, 2)
#: Laws of a real with a tail, as (multiple of the scale S, weight by p): the first that meets the hypotheses counts.
TAILS: tuple[Callable[[fmpq], tuple[tuple[fmpq, fmpq], ...]], ...] = (
    lambda p: ((fmpq(8), _below(1 - p) / 2), (fmpq(-8), _below(1 - p) / 2), (ZERO, 1 - _below(1 - p))),
    lambda p: ((fmpq(2), _below(-p) / 2), (fmpq(-2), _below(-p) / 2), (ONE, 1 - _below(-p))),
)


def _below(power: fmpq) -> fmpq:
    """A rational that is 2**power, or a little less."""
    found = nums.power(fmpq(2), power)
    return found if isinstance(found, fmpq) else fmpq(int(float(found.mid()) * 1000), 1000)


def two(a: Value, b: Value) -> tuple[tuple[Value, fmpq], ...]:
    """Two values at even odds."""
    return (a, HALF), (b, HALF)


def build(statement: Statement, tail: int = 0) -> World:
    """The world of a statement; its parameters and free vectors are still to be put into ``values``."""
    w = World(declared(statement))

    def n(name: str) -> Value:
        return w.values.get(name, ONE)

    w.chances |= {
        "xi": lambda: two(n("sigma"), -n("sigma")),
        "sign": lambda: two(ONE, -ONE),
        "u": lambda: two((ONE,), (-ONE,)),
        "ball": lambda: (((ONE,), fmpq(1, 6)), ((-ONE,), fmpq(1, 6)), ((ZERO,), fmpq(2, 3))),
        "point": lambda: two((ONE,), (-HALF,)),
        "weight": lambda: two(ONE, HALF),
        "tail": lambda: tuple((mul(c, n("S")), weight) for c, weight in TAILS[tail](n("p"))),
    }
    w.window = tuple(_window())
    w.values |= {name: (fmpq(7, 5),) for name in ("x", "x0") if str(w.sort(name)) == "vector"}  # parameters
    _functions(w, n)
    _families(w, n)
    for name, sort in statement.sorts.items():
        if (name, sort) in _VALUES:
            w.values[name] = _VALUES[name, sort](n)
    for fact in statement.hypotheses.values():
        _define(w, fact)
    return w


def _window() -> list[Key]:
    found: list[Key] = [(name, kind) for name, kind in (("u", "u"), ("x", "point"), ("S", "sign"), ("W", "weight"))]
    for kind in ("xi", "u"):
        found += [(b, j, kind) for b in ("B", "D") for j in range(-3, 7)] + [("D", kind)]
        found += [("Bs", t, j, kind) for t in range(-1, 4) for j in range(-3, 7)]
    found += [("X", j, "sign") for j in range(-3, 7)]
    return found + [(x, s, j, "sign") for x in ("X", "W") for s in range(-1, 4) for j in range(-1, 5)]


# ---------------------------------------------------------------- values


def _lazy(*key: Any, size: Callable[[], Value] | None = None, vector: bool = False) -> Lazy:
    def told(o: SamplePoint) -> Value:
        found = o[key] if size is None else mul(size(), o[key])
        return (found,) if vector else found

    return Lazy(told)


_VALUES: dict[tuple[str, str], Callable[[Callable[[str], Value]], Any]] = {
    ("fstar", "real"): lambda n: ZERO,
    ("xref", "vector"): lambda n: (ONE,),
    ("e", "vector"): lambda n: (ONE,),
    ("e1", "vector"): lambda n: (ONE,),
    ("xi", "random object"): lambda n: Thing(("xi",)),
    ("B", "random object"): lambda n: Thing(("B",)),
    ("D", "random object"): lambda n: Thing(("D",)),
    ("u", "random vector"): lambda n: _lazy("u", "u"),
    ("v", "random vector"): lambda n: _lazy("v", "ball"),
    ("x", "random vector"): lambda n: _lazy("x", "point"),
    ("g", "random vector"): lambda n: _lazy("g", "point"),
    ("z", "random vector"): lambda n: _lazy("z", "xi", vector=True),
    ("zeta", "random vector"): lambda n: _lazy("zeta", "xi", vector=True),
    ("Z", "random real"): lambda n: _lazy("Z", "tail"),
    ("Z", "random vector"): lambda n: _lazy("Z", "sign", size=lambda: n("R"), vector=True),
    ("Q", "random real"): lambda n: Lazy(lambda o: mul(n("R"), n("R"))),
    ("S", "random vector"): lambda n: _lazy("S", "sign", size=lambda: n("C"), vector=True),
    ("d", "random vector"): lambda n: _lazy("d", "sign", size=lambda: n("R"), vector=True),
    ("W", "random real"): lambda n: _lazy("W", "weight"),
    ("H", "information"): lambda n: Known(lambda key: key[0] in ("x", "S", "W")),
    ("J", "information"): lambda n: Known(lambda key: key[0] == "x"),
}


# ---------------------------------------------------------------- functions


def noise(o: SamplePoint, z: Thing) -> Value:
    """The noise of a draw, or of what is noise itself."""
    return o[z.key if z.key[-1] == "xi" else (*z.key, "xi")]


def _functions(w: World, n: Callable[[str], Value]) -> None:
    def bowl(y: Value) -> Value:
        return mul(mul(HALF, n("L")), mul(y[0], y[0]))

    def rise(y: Value) -> Value:
        return mul(n("L"), y[0])

    plain: Made = lambda ev, o, a: bowl(a[0])  # noqa: E731
    slope: Made = lambda ev, o, a: (rise(a[0]),)  # noqa: E731
    own = Thing(("xi",))
    found: dict[tuple[str, str], Made] = {
        **{(f, "vector -> real"): plain for f in ("f", "f0")},
        **{(g, "vector -> vector"): slope for g in ("gradf", "gradf0", "gradfmu")},
        ("F", "object, vector -> real"): lambda ev, o, a: add(bowl(a[1]), mul(noise(o, a[0]), a[1][0])),
        ("gradF", "object, vector -> vector"): lambda ev, o, a: (add(rise(a[1]), noise(o, a[0])),),
        ("phi", "vector -> random real"): lambda ev, o, a: add(bowl(a[0]), mul(noise(o, own), a[0][0])),
        ("G", "vector -> random vector"): lambda ev, o, a: (add(rise(a[0]), noise(o, own)),),
        ("draw", "object, integer -> object"): lambda ev, o, a: Thing((*a[0].key, int(a[1].p))),
        ("noise", "object -> object"): lambda ev, o, a: Thing((*a[0].key, "xi")),
        ("dir", "object -> vector"): lambda ev, o, a: o[(*a[0].key, "u")],
        ("Bs", "integer -> random object"): lambda ev, o, a: Thing(("Bs", int(a[0].p))),
    }
    _give(w, found)


def _give(w: World, found: dict[tuple[str, str], Made]) -> None:
    w.made |= {name: f for (name, sort), f in found.items() if name in w.sorts and str(w.sort(name)) == sort}


# ---------------------------------------------------------------- families and information


def _families(w: World, n: Callable[[str], Value]) -> None:
    def sign(name: str, size: str) -> Made:
        return lambda ev, o, a: (mul(n(size), o[(name, *(int(i.p) for i in a), "sign")]),)

    def past(ev: Evaluation, o: SamplePoint, a: list[Any]) -> Known:
        shift = n("m") if str(w.sorts.get("S")) == "random vector" else ZERO
        return Known(lambda k: k[0] in ("B", "Bs", "X", "W", "S") and _when(k, n, shift) <= a[-1])

    def batch(ev: Evaluation, o: SamplePoint, a: list[Any]) -> Known:
        return Known(lambda k: k[:2] == ("Bs", int(a[0].p)) and k[2] <= a[1])

    def happens(ev: Evaluation, o: SamplePoint, a: list[Any]) -> Value:
        row = int(a[0].p) - 1
        return ONE if row < 1 or o["W", row, 1, "sign"] > 0 else ZERO

    found: dict[tuple[str, str], Made] = {
        ("X", "integer -> random vector"): sign("X", "R"),
        ("X", "integer, integer -> random vector"): sign("X", "R"),
        ("W", "integer, integer -> random vector"): sign("W", "r"),
        ("I", "integer -> random real"): happens,
        ("K", "integer -> information"): past,
        ("H", "integer -> information"): past,
        ("K", "integer, integer -> information"): batch,
        ("K0", "integer -> information"): lambda ev, o, a: Known(lambda k: k[:2] == ("Bs", 0) and k[2] <= a[0]),
        ("as", "integer -> random vector"): lambda ev, o, a: (mul(n("U"), o["as", "sign"]),),
        ("bs", "integer -> random vector"): lambda ev, o, a: (n("B"),),
        ("gs", "integer -> random vector"): lambda ev, o, a: (ZERO,),
        ("ms", "integer -> random vector"): lambda ev, o, a: (
            add(mul(n("L"), w.values["x0"][0]), mul(n("G"), o["ms", "sign"])),
        ),
    }
    _give(w, found)
    if str(w.sorts.get("Bs")) == "integer -> random object" and "H" in w.sorts:
        w.made["H"] = lambda ev, o, a: Known(lambda k: k[0] == "Bs" and k[1] < a[0])


def _when(key: Key, n: Callable[[str], Value], shift: Value) -> Value:
    """When a coordinate is drawn: of a sequence, of rows of M, of the batches of a run; the warm start's at 0."""
    if len(key) == 2:
        return shift
    if key[0] == "B" or len(key) == 3:
        return key[1] + shift
    if key[0] == "Bs" and key[1] <= 0:
        return ZERO
    return (key[1] - 1) * n("M") + (key[2] if 1 <= key[2] <= n("M") else n("M"))


# ---------------------------------------------------------------- what hypotheses define


def defines(fact: Fact) -> tuple[str, tuple[Any, ...], bool] | None:
    """(name, arguments, whether it gives single members) where a hypothesis gives a function or a family."""
    r = fact.relation
    if r.op != "==":
        return None
    head, args = called(r.lhs)
    over = fact.names
    if over and tuple(text(a) for a in args) == over and not fact.where:
        return head, over, False
    if r.lhs.op == "at" and len(args) == 1 and (not over or (len(over) == 1 and args[0].free == set(over))):
        return head, args, True
    return None


def _define(w: World, fact: Fact) -> None:
    r = fact.relation
    if r.op == "==" and r.lhs.op == "mul" and r.lhs.args[0].op == "var" and not fact.over:
        name = str(r.lhs.args[0].value)
        if str(w.sorts.get(name)) == "random real" and name not in w.values:
            w.values[name] = Lazy(lambda o: _quotient(w, r.rhs, r.lhs.args[1], o))
            w.defined.add(r)
    found = defines(fact)
    if found is None or found[0] not in w.sorts:
        return
    name, args, one = found
    made = _member(w, name, args[0], fact) if one else _closed(w, name, args, r.rhs)
    if made is not None:
        w.made[name] = made
        w.defined.add(r)
        w.defining.setdefault(name, []).append(fact)


def _closed(w: World, name: str, args: tuple[Any, ...], body: Expr) -> Made | None:
    """A function by a formula; None where it has one already."""
    if name in w.made:
        return None
    return lambda ev, o, a: ev.value(body, o, dict(zip(args, a, strict=True)))


def _member(w: World, name: str, index: Expr, fact: Fact) -> Made | None:
    """A family with one more member, or with all from one on; None where such a member may have a value already.

    What is said of a member once more is no definition: it is evaluated.
    """
    before, body, span, at = w.made.get(name), fact.relation.rhs, members(fact), shift(index)
    if span is None or at is None or not apart(fact, w.defining.get(name, ())):
        return None
    first, (t, step) = span[0], at

    def member(ev: Evaluation, o: SamplePoint, a: list[Any]) -> Any:
        if a[0] >= first if fact.over else a[0] <= first or before is None:
            return ev.value(body, o, {t: a[0] - step} if fact.over else {})
        if before is None:
            raise nums.Unknown(f"no start of {name}")
        return before(ev, o, a)

    return member


def _quotient(w: World, a: Expr, b: Expr, o: SamplePoint) -> Value:
    """a/b at an outcome, b not 0."""
    ev = Evaluation(w)
    return mul(ev.value(a, o, {}), nums.inverse(ev.value(b, o, {})))


# ---------------------------------------------------------------- in words

_WORDS: tuple[tuple[str, str], ...] = (
    ("f", "f(y) = L y^2/2"),
    ("f0", "f0(y) = L y^2/2"),
    ("F", "F(z, y) = f(y) + xi(z) y with xi = +-sigma at even odds"),
    ("phi", "phi(y) = L y^2/2 + xi y with xi = +-sigma at even odds"),
    ("v", "v uniform on [-1, 1]"),
    ("u", "u a fair sign"),
    ("B", "batches of independent draws"),
    ("Bs", "independent batches of independent draws"),
    ("X", "X fair signs times R"),
    ("d", "d a fair sign times R"),
    ("S", "S a fair sign times C"),
    ("as", "a_t = +-U, b_t = B"),
    ("I", "W fair signs times r, I(s) whether the row before began with +"),
)


def words(statement: Statement) -> str:
    """The random objects of a statement's world in words; "numbers alone" where it declares none."""
    sorts = statement.sorts
    if not sorts:
        return "numbers alone"
    told = [what for name, what in _WORDS if name in sorts]
    if "gradF" in sorts and "F" not in sorts:
        told.append("gradF(z, y) = L y + xi(z) with xi = +-sigma at even odds")
    return "; ".join(told) or ", ".join(sorts)
