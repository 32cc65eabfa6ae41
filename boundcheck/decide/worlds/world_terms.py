"""Values of small worlds: folding of terms, the truth of events, and what can be read off the form of a formula."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from fractions import Fraction
from functools import cache, lru_cache
from types import MappingProxyType
from typing import Any

from flint import fmpq

from boundcheck.arith import in_balls
from boundcheck.decide.scalar.engine import decide
from boundcheck.decide.scalar.witness_check import check_witness
from boundcheck.kernel.check.refine import identical
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.clock import budget, exhausted
from boundcheck.kernel.derivative import NotDifferentiable, derivative
from boundcheck.kernel.formula import (
    ARITHMETIC,
    BINDERS,
    FAMILIES,
    FUNCTIONS,
    PROOF_HEADS,
    RELATIONS,
    Expr,
    Relation,
    call,
    num,
    substitute,
    var,
)
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.proof.scalar_claims import defined, partial
from boundcheck.kernel.proof.terms import canonical
from boundcheck.kernel.statement import Claim, Fact
from boundcheck.verdict import Status

ONE, ZERO = num(1), num(0)
MAX_RANK = 4  #: indices of a sign
MAX_SIGNS = 10  #: that a value is gone through for
MAX_BITS = 100_000  #: of a numeral: each member of a sequence may have twice as many as the one before
SECONDS = 2.0  #: for a question to the engines
POINT = "y#"  #: where a function is looked at; no statement can have such a name
WORDS = ("w", "unit", "axis", "batch", "pair", "first", "second")  #: functions of worlds, in texts of values
OWN = {f"{word}#": word for word in WORDS}  #: the same as heads, which no statement can have
SIGN, UNIT = "w#", "u#"  #: what names of signs and of uniform numbers begin with
STATE = "z#"  #: and those of random sequences at open indices (:mod:`world_states`)
CHANCE = (SIGN, UNIT, STATE, "s#")  #: of all that depends on chance, long sums too
HEADS = frozenset({*FUNCTIONS, *PROOF_HEADS, *BINDERS, *FAMILIES, *ARITHMETIC})  #: their meaning is fixed


class Unknown(Exception):
    """The world does not tell this value."""


class Open(Unknown):
    """The world does not tell this value where it is open whether ``relation`` holds."""

    def __init__(self, relation: Relation):
        super().__init__(f"whether {relation}")
        self.relation = relation


def assignments(names: list[str]) -> list[dict[str, Expr]]:
    """All values of signs."""
    return [dict(zip(names, map(num, s), strict=True)) for s in itertools.product((1, -1), repeat=len(names))]


def at_signs(e: Expr, names: list[str]) -> Iterator[Expr]:
    """The value at each assignment of signs."""
    for signs in assignments(names):
        in_time()
        yield refold(substitute(e, signs))


def in_time() -> None:
    """Raise :class:`Unknown` where the time for a world is over."""
    if exhausted():
        raise Unknown("the rest: the time is over")


def refold(e: Expr, known: Mapping[Expr, Expr] = MappingProxyType({})) -> Expr:
    """The expression after names were put in: what is known of parts is made use of."""
    done: dict[Expr, Expr] = dict(known)
    for n in e.walk():
        if n in done:
            continue
        if not n.args or n.op in ("batch", "pair"):
            done[n] = n
        elif n.binds:
            done[n] = Expr(n.op, (done[n.args[0]], n.args[1], *(done[a] for a in n.args[2:])))
        else:
            done[n] = fold(n.op, tuple(done[a] for a in n.args))
    return done[e]


def fold(op: str, a: tuple[Expr, ...]) -> Expr:
    """A head at values."""
    if any(x.op in ("pair", "batch") for x in a):
        raise Unknown("an object for a number")
    if any(along(x) for x in a):
        return _fold_along(op, a)
    if op in RELATIONS:
        return event(Relation(op, *a))
    if op == "div" and _is_root(a[1]):
        return a[0] * a[1] / a[1].args[0]
    if op == "pow" and _is_root(a[0]) and a[1].op == "num" and a[1].value.denominator == 1:
        k = int(a[1].value)
        return a[0].args[0] ** num(k // 2) * (a[0] if k % 2 else ONE)
    if op in _ARITHMETIC:
        return _of_some_length(_ARITHMETIC[op](*a))
    if op == "clip":
        return fold("max", (-a[1], fold("min", a)))
    if op in ("min", "max"):
        best = a[0]
        for x in a[1:]:
            less = event(Relation("<=", best, x))
            best = call(op, best, x) if less.op != "num" else best if bool(less.value) is (op == "min") else x
        return best
    if op in ("abs", "norm"):
        up = event(Relation(">=", a[0], ZERO))
        return call("abs", a[0]) if up.op != "num" else a[0] if up.value else -a[0]
    if (op in ("floor", "ceil") and not a[0].free) or (op == "sqrt" and a[0].op == "num"):
        found = in_balls.at_point(call(op, a[0]), {}, 512)
        if isinstance(found, fmpq):
            return num(int(found.p)) / int(found.q)
    if op not in FUNCTIONS:
        raise Unknown(f"a head {op}")
    return call(op, *a)


def _of_some_length(e: Expr) -> Expr:
    """The term; :class:`Unknown` where it is a numeral that is too long to go on with."""
    if e.op == "num" and max(e.value.numerator.bit_length(), e.value.denominator.bit_length()) > MAX_BITS:
        raise Unknown("a number that is longer than one may be")
    return e


def _is_root(e: Expr) -> bool:
    return e.op == "sqrt" and e.args[0].op == "num" and e.args[0].value > 0


@lru_cache(maxsize=4096)
def valued(e: Expr) -> bool:
    """Whether a value is a number for sure: by its form, by a ball where it has no names, or for all uniform ones."""
    parts = list(filter(partial, e.walk()))
    if not parts:
        return True
    if not all(n.startswith(UNIT) for n in e.free) or any(n.op in RELATIONS for n in e.walk()):
        return False
    return all(proves(defined(part), ()) for part in parts) if e.free else _is_number(e)


def _is_number(e: Expr) -> bool:
    found = in_balls.at_point(e, {}, 64)
    return isinstance(found, fmpq) or bool(found.is_finite())


def _times(a: Expr, b: Expr) -> Expr:
    """The product; 0 times what need not have a value stays."""
    for x, y in ((a, b), (b, a)):
        if x is ZERO and not valued(y):
            return Expr("mul", (a, b))
    return a * b


def _over(a: Expr, b: Expr) -> Expr:
    if b is ZERO:
        raise Unknown("a quotient by 0, which has no value")
    return ZERO if a is ZERO and b.op == "num" else a / b


_ARITHMETIC: dict[str, Callable[..., Expr]] = {
    "add": lambda a, b: a + b, "sub": lambda a, b: a - b, "mul": _times, "dot": _times, "div": _over,
    "pow": lambda a, b: ZERO if a is ZERO and b.op == "num" and b.value > 0 else a**b, "neg": lambda a: -a,
    "ind": lambda a: a, "complement": lambda a: 1 - a, "both": _times, "either": lambda a, b: a + b - _times(a, b),
}  # fmt: skip


# ------------------------------------------------------------ orthogonal axes


def along(e: Expr) -> bool:
    """Whether a value is a vector with parts along orthogonal axes e#..., beside the line of the numbers."""
    return any(n.startswith("e#") for n in e.free)


def parts_of(e: Expr) -> dict[str, Expr]:
    """A vector as coefficients by axis, "" for the line."""
    if not along(e):
        return {"": e}
    if e.op == "var":
        return {str(e.value): ONE}
    found: dict[str, Expr] = {}
    if e.op in ("add", "sub", "neg"):
        for n, a in enumerate(e.args):
            for axis, c in parts_of(a).items():
                found[axis] = found.get(axis, ZERO) + (-c if e.op == "neg" or (e.op == "sub" and n) else c)
    elif e.op == "mul" or (e.op == "div" and not along(e.args[1])):
        vector, scalar = e.args if along(e.args[0]) else e.args[::-1]
        if along(scalar):
            raise Unknown("a product of vectors")
        found = {x: fold(e.op, (c, scalar)) for x, c in parts_of(vector).items()}
    else:
        raise Unknown(f"{e.op} of a vector")
    return found


def _fold_along(op: str, a: tuple[Expr, ...]) -> Expr:
    """A head at values with vectors along axes; axes whose index is open may be the same one."""
    if op in ("add", "sub", "neg"):
        return _ARITHMETIC[op](*a)
    if op == "mul" or (op == "div" and not along(a[1])):
        e = _ARITHMETIC[op](*a)
        parts_of(e)  # a multiple of one vector
        return e
    if op not in ("norm", "dot", "==", "!="):
        raise Unknown(f"{op} of a vector")
    parts = [parts_of(x) for x in a]
    axes = sorted({axis for p in parts for axis in p})
    if len([x for x in axes if x]) > 1 and not all(re.fullmatch(r"e#-?\d+", x) for x in axes if x):
        raise Unknown("axes that may be one")
    if op == "norm":
        return fold("sqrt", (sum((_square(c) for c in parts[0].values()), ZERO),))
    sides = [[p.get(axis, ZERO) for axis in axes] for p in parts]
    if op == "dot":
        return sum((x * y for x, y in zip(*sides, strict=True)), ZERO)
    same = ONE
    for x, y in zip(*sides, strict=True):
        same = fold("both", (same, event(Relation("==", x, y))))
    return same if op == "==" else fold("complement", (same,))


def _square(e: Expr) -> Expr:
    """The square of a value; that of a sign is 1."""
    if e.op == "var" and e.value.startswith("w#"):
        return ONE
    if e.op in ("mul", "div"):
        return fold(e.op, (_square(e.args[0]), _square(e.args[1])))
    return _square(e.args[0]) if e.op == "neg" else fold("mul", (e, e))


def rational(e: Expr) -> Expr:
    """The rational number that an expression without names is, where it is a short one."""
    if e.op == "num" or e.free or e.op in ("pair", "batch") or e.op in RELATIONS:
        return e
    found = in_balls.at_point(e, {}, 64)
    if isinstance(found, fmpq):
        return num(int(found.p)) / int(found.q)
    if not found.is_finite():
        return e
    guess = num(Fraction(float(found)).limit_denominator(10**4))
    near = found.contains(fmpq(int(guess.value.numerator), int(guess.value.denominator)))
    return guess if near and identical(Sequent((), Relation("==", e, guess))) else e


def event(r: Relation) -> Expr:
    """1 or 0 where a relation is decided, else the relation."""
    if r.lhs.op == r.rhs.op == "num":
        return num(int(compared(r.op, r.lhs.value, r.rhs.value)))
    if not r.free:
        with budget(SECONDS):
            for value, one in ((ZERO, r), (ONE, r.negated())):
                if check_witness(Claim("event", (one,)), {}):
                    return value
        if r.op in ("==", "!=") and identical(Sequent((), Relation("==", r.lhs, r.rhs))):
            return ONE if r.op == "==" else ZERO
        raise Unknown(f"whether {r}")
    return Expr(r.op, (_short(r.lhs), _short(r.rhs)))


def _short(e: Expr) -> Expr:
    """The expression in normal form where it is one of names and numbers, so that equal events look alike."""
    simple = all(n.op in ("add", "sub", "neg", "mul", "num", "var", "abs") for n in e.walk())
    return canonical(e) if simple else e


def as_event(r: Relation) -> Expr:
    """The relation as a term."""
    return Expr(r.op, r.sides)


def compared(op: str, a: Any, b: Any) -> bool:
    """The truth of a relation between two numbers."""
    return bool({"<": a < b, "<=": a <= b, ">": a > b, ">=": a >= b, "==": a == b, "!=": a != b}[op])


def by_chance(e: Expr) -> set[str]:
    """The names in a value that depend on chance."""
    return {n for n in e.free if n.startswith(CHANCE)}


def between(name: str) -> tuple[Relation, ...]:
    """The interval of a uniform number."""
    u = var(name)
    return (Relation("<", ZERO, u), Relation("<", u, ONE)) if name.startswith(UNIT) else ()


def of_kind(kind: str, *terms: Expr) -> list[str]:
    """The names of a kind in values."""
    return [n for n in frozenset().union(*(e.free for e in terms)) if n.startswith(kind)]


def starts(index: tuple[Expr, ...], batches: set[tuple[Expr, ...]]) -> bool:
    """Whether the sign of that index belongs to one of the batches."""
    return any(index[:n] in batches for n in range(len(index)))


def opened(args: tuple[Expr, ...], chance: dict[str, Expr]) -> tuple[Expr, ...]:
    """Arguments with a free name for each value in them that depends on chance; ``chance`` gets those values.

    An argument may have such names already, of the arguments of what is being worked out: the new ones are others.
    """
    taken = frozenset().union(*(a.free for a in args))

    def one(e: Expr) -> Expr:
        if e.op == "pair":
            return Expr("pair", tuple(map(one, e.args)))
        if e.op == "batch" or not by_chance(e):
            return e
        name = next(n for k in itertools.count() if (n := f"a#{k}") not in taken and n not in chance)
        chance[name] = e
        return var(name)

    return tuple(map(one, args))


def whole(e: Expr, integers: frozenset[str]) -> bool:
    """Whether the value is an integer by its form."""
    if e.op == "num":
        return bool(e.value.denominator == 1)
    if e.op == "var":
        return e.value in integers or e.value.startswith("w#")
    if e.op in ("floor", "ceil"):
        return True
    return e.op in ("add", "sub", "mul", "neg", "min", "max", "abs") and all(whole(a, integers) for a in e.args)


def proves(goal: Relation, given: Iterable[Relation], integers: frozenset[str] = frozenset()) -> bool:
    """Whether the engines prove a relation for all values of its names that meet the conditions."""
    given = tuple(given)
    free = goal.free.union(*(g.free for g in given))
    uniform = (b for n in sorted(free) for b in between(n))
    claim = _plain(Claim("world", (goal,), (*given, *uniform), integers & free))
    return decide(claim, SECONDS).status is Status.PROVED


def _plain(claim: Claim) -> Claim:
    """The claim with names that a formula may have."""
    turned: dict[str, Expr] = {}
    taken = set(claim.variables)
    for n in sorted(n for n in taken if not n.isidentifier()):
        name = "".join(c if c.isalnum() else "_" for c in n)
        while name in taken:
            name += "_"
        taken.add(name)
        turned[n] = var(name)
    put = lambda r: r.map(lambda e: substitute(e, turned))  # noqa: E731
    names = frozenset(str(turned[n].value) if n in turned else n for n in claim.integers)
    return Claim(claim.name, tuple(map(put, claim.claim)), tuple(map(put, claim.where)), names)


def called(e: Expr) -> tuple[str, tuple[Expr, ...]]:
    """The name that a term is the value of, and its arguments: of a, f(x), at(X, i)."""
    if e.op == "at" and e.args[0].op == "var":
        return str(e.args[0].value), e.args[1:]
    return (str(e.value), ()) if e.op == "var" else (e.op, e.args)


@cache
def read_value(text: str) -> Expr:
    """The term of a value's text; the words of worlds in it are theirs, whatever a statement calls so."""
    done: dict[Expr, Expr] = {}
    for n in (e := read_term(text)).walk():
        op = f"{n.op}#" if n.op in WORDS else n.op
        done[n] = Expr(op, tuple(done[a] for a in n.args)) if n.args else n
    return done[e]


def head_of(text: str) -> str:
    """The name before the parentheses."""
    return text.partition("(")[0].strip()


def names_in(text: str) -> tuple[str, ...]:
    """The words inside of the parentheses. Raises :class:`Unknown` where anything else is there, as a sign."""
    inside = text.partition("(")[2].strip().removesuffix(")")
    words = tuple(word.strip() for word in inside.split(",")) if inside else ()
    if not all(re.fullmatch(r"\w+", word) for word in words):
        raise Unknown(f"{text}: names of indices or numerals belong inside of the parentheses")
    return words


def shift(e: Expr) -> tuple[str, int] | None:
    """(t, c) for an index t + c, ("", c) for a number."""
    if e.op == "var":
        return str(e.value), 0
    if e.op == "num" and e.value.denominator == 1:
        return "", int(e.value)
    if e.op in ("add", "sub") and e.args[0].op == "var" and e.args[1].op == "num":
        return str(e.args[0].value), int(e.args[1].value) * (1 if e.op == "add" else -1)
    return None


def solve(patterns: tuple[Expr, ...], args: tuple[Expr, ...]) -> dict[str, Expr] | None:
    """The names of a defining equation at which its left side is the member asked for."""
    found: dict[str, Expr] = {}
    for p, a in zip(patterns, args, strict=True):
        at = shift(p)
        assert at is not None
        if at[0]:
            found[at[0]] = a - at[1]
        elif a is not num(at[1]):
            return None
    return found


def members(fact: Fact) -> tuple[float, float] | None:
    """The first and the last member of a family that an equation for one, or for all from one on, speaks of."""
    r, (_, args) = fact.relation, called(fact.relation.lhs)
    index = shift(args[0]) if r.lhs.op == "at" and len(args) == 1 else None
    if index is None or bool(index[0]) != bool(fact.over):
        return None
    name, step = index
    if not name:
        return step, step
    if len(fact.conditions) != 1:
        return None
    [c] = fact.conditions
    from_one = c.op == ">=" and c.lhs is var(name) and c.rhs.op == "num" and c.rhs.value.denominator == 1
    return (int(c.rhs.value) + step, math.inf) if from_one else None


def apart(fact: Fact, others: Iterable[Fact]) -> bool:
    """Whether the equation speaks of other members of a family than each of the others, for sure."""
    mine = members(fact)
    return all(
        mine is not None and (theirs := members(other)) is not None and (mine[1] < theirs[0] or theirs[1] < mine[0])
        for other in others
    )


def slope_of(e: Expr) -> Expr:
    """The derivative at the point. Raises :class:`Unknown` where there is none."""
    try:
        return derivative(e, POINT)
    except NotDifferentiable:
        raise Unknown("no derivative") from None


def continuous(e: Expr) -> bool:
    """Whether the formula is continuous in the point by its form."""
    if POINT not in e.free or e.op == "var":
        return True
    if e.op == "div":
        return POINT not in e.args[1].free and continuous(e.args[0])
    if e.op == "pow":
        return e.args[1].op == "num" and e.args[1].value in (1, 2, 3) and continuous(e.args[0])
    return e.op in ("add", "sub", "neg", "mul", "abs", "sin", "cos", "exp", "sinh", "cosh") and all(
        map(continuous, e.args)
    )
