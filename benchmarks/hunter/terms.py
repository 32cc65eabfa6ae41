"""Random terms over a few names, their subterms, and the simplifications that hold only where a term is defined."""

from __future__ import annotations

import random as python_random
from collections.abc import Callable, Iterator, Mapping

from boundcheck.kernel.formula import Expr, Relation, call, const, is_one, is_zero, num, substitute, var
from boundcheck.kernel.proof.sorts import EVENT, INFORMATION, INTEGER, REAL, VECTOR, Sort

_KINDS = (
    *("add", "sub", "mul", "div", "sqrt", "abs", "log", "square", "max", "norm", "dot"),
    *("mean", "prob", "at", "int", "pow", "zero", "given", "ind"),
)
WORD = "wd_"  #: a function the name of which is to be a word of the language


class Terms:
    """Random terms of each sort over declared names."""

    def __init__(self, rng: python_random.Random, names: Mapping[str, Sort]):
        self.rng, self.names = rng, names

    def name(self, kind: str, random: bool | None = None) -> Expr:
        """A name of a kind that is no function; a numeral where there is none."""
        kinds = (REAL, INTEGER) if kind == REAL else (kind,)
        fits = [n for n, s in self.names.items() if s.kind in kinds and not s.args and random in (None, s.random)]
        if not fits and kind == EVENT:
            return Expr(">", (self.name(REAL, random), num(0)))
        if not fits:
            return num(self.rng.choice((0, 1, 2) if kind != VECTOR else (0,)))
        return var(self.rng.choice(fits))

    def real(self, depth: int = 1, random: bool | None = None) -> Expr:
        """A scalar term; ``random=False``: of constants alone."""
        rng = self.rng
        leaf = rng.random()
        if depth <= 0 or leaf < 0.45:
            if leaf < 0.1:
                return num(rng.choice((0, 1, 2, 1, -1))) if leaf < 0.08 else num(1) / num(2)
            return self.name(REAL, random)
        go = lambda: self.real(depth - 1, random)  # noqa: E731
        kind = rng.choice(_KINDS)
        if kind in ("add", "sub", "mul", "div"):
            return Expr(kind, (go(), go()))
        if kind in ("sqrt", "abs", "log"):
            return call(kind, go())
        if kind == "square":
            return Expr("pow", (go(), num(2)))
        if kind == "pow":
            return Expr("pow", (go(), self.real(0, False)))
        if kind == "max":
            return call("max", go(), go())
        if kind == "norm":
            return call("norm", self.vector(depth - 1, random))
        if kind == "dot":
            return call("dot", self.vector(0, random), self.vector(depth - 1, random))
        if kind == "mean":
            return call("E", self.real(depth - 1))
        if kind == "prob":
            return call("P", self.event(depth - 1))
        if kind == "at":
            return self.applied(random) or go()
        if kind == "int":  # tells integers from other reals
            n = self.name(REAL, random)
            return rng.choice((n * (n - 1), call("ceil", n) - n, call("abs", 2 * n - 1) - 1))
        if kind == "given" and random is not False:
            return call("Egiven", self.name(REAL, True), self.past())
        if kind == "ind" and random is not False:
            return call("ind", self.event(0))
        return num(0) * go() if rng.random() < 0.3 else go()

    def applied(self, random: bool | None = None, kind: str = REAL) -> Expr | None:
        """A declared function or family at some arguments."""
        fits = [
            (n, s)
            for n, s in self.names.items()
            if n != WORD and s.args and s.kind == kind and random in (None, s.random)
        ]
        if not fits:
            return None
        name, sort = self.rng.choice(fits)
        chance = None if random is not False and self.rng.random() < 0.4 else False
        wide = self.rng.random() < 0.2  # a number where an integer belongs
        args = tuple(self.name(REAL if k == INTEGER and wide else k, chance) for k in sort.args)
        return Expr("at", (var(name), *args)) if INTEGER in sort.args else Expr(name, args)

    def past(self) -> Expr:
        """Something that can be known: information, a member of a family of it, a random variable."""
        fits = [var(n) for n, s in self.names.items() if s.kind == INFORMATION and not s.args]
        more = self.applied(None, INFORMATION)
        return self.rng.choice([*fits, *([more] if more is not None else []), self.chance()])

    def chance(self) -> Expr:
        """A random number: a name, or the size of a random vector."""
        fits = [var(n) for n, s in self.names.items() if s.random and not s.args and s.kind in (REAL, INTEGER)]
        fits += [call("norm", var(n)) for n, s in self.names.items() if s == Sort(VECTOR, True)]
        return self.rng.choice(fits or [self.name(REAL)])

    def hidden(self) -> Expr:
        """A number that depends on chance by a head, not by a random name that stands there as itself.

        Each construct through which that can be has the same share, where there are names for it.
        """
        ways = (
            self._mean, self._chance, self._exists, self._area, self._happens, self._member, self._relation,
            self._least, self._function, self._at_random, self._word,
        )  # fmt: skip
        found = None
        while found is None:
            found = self.rng.choice(ways)()
        return found

    def _mean(self) -> Expr:
        return call("Egiven", self.chance(), self.past())

    def _chance(self) -> Expr:
        event = self.event(0) if self.rng.random() < 0.4 else self._compared()
        return call("Pgiven", event, self.past())

    def _exists(self) -> Expr:
        r, x = var("r"), self.chance()
        body = self.rng.choice((num(1), num(1), x)) / self.rng.choice((r, r * r, r - num(1)))
        ends = self.rng.choice(((x, num(1)), (num(-1), x), (num(0), num(1)), (self.name(REAL), num(2))))
        return Expr("integrable", (body, r, *ends))

    def _area(self) -> Expr:
        r, x = var("r"), self.chance()
        return Expr("integral", (self.rng.choice((num(1), r, r * r)), r, *self.rng.choice(((num(0), x), (x, num(1))))))

    def _happens(self) -> Expr | None:
        fits = [n for n, s in self.names.items() if s.kind == EVENT and not s.args]
        return call("ind", var(self.rng.choice(fits))) if fits else None

    def _member(self) -> Expr | None:
        one = self.applied(None, EVENT)
        return None if one is None else call("ind", one)

    def _relation(self) -> Expr:
        return call("ind", self._compared())

    def _compared(self) -> Expr:
        return Expr(self.rng.choice((">", "<=", ">", "<=", "==")), (self.chance(), self.name(REAL, False)))

    def _least(self) -> Expr | None:
        fits = [n for n, s in self.names.items() if s == Sort(REAL, True, (INTEGER,))]
        one = Expr("at", (var(self.rng.choice(fits)), var("s"))) if fits else None
        return None if one is None else Expr(self.rng.choice(("least", "sum")), (one, var("s"), num(0), num(1)))

    def _function(self) -> Expr | None:
        return self.applied(True)

    def _at_random(self) -> Expr | None:
        """A function that does not depend on chance, at a place that does."""
        fits = [n for n, s in self.names.items() if n != WORD and s == Sort(REAL, False, (REAL,))]
        return Expr(self.rng.choice(fits), (self.chance(),)) if fits else None

    def _word(self) -> Expr | None:
        return Expr(WORD, (self.chance(),)) if WORD in self.names else None

    def edge(self) -> Expr:
        """A constant that has no value for some values of its names, beside a number."""
        n = self.name(REAL, False)
        part = self.rng.choice((call("sqrt", n), call("log", n), num(1) / n))
        return self.rng.choice((part, num(1) + part, num(1) - part, num(-1) - part, num(-1) + part))

    def vector(self, depth: int = 1, random: bool | None = None) -> Expr:
        """A vector term."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.5:
            return self.name(VECTOR, random)
        kind = rng.choice(("add", "sub", "mul", "div", "mean", "at"))
        if kind in ("add", "sub"):
            return Expr(kind, (self.vector(depth - 1, random), self.vector(depth - 1, random)))
        if kind == "mul":
            return self.real(depth - 1, random) * self.vector(depth - 1, random)
        if kind == "div":
            return self.vector(depth - 1, random) / self.real(depth - 1, random)
        if kind == "at":
            return self.applied(random, VECTOR) or self.vector(0, random)
        return call("E", self.vector(0, True))

    def event(self, depth: int = 1) -> Expr:
        """An event."""
        rng = self.rng
        if depth <= 0 or rng.random() < 0.7:
            known = (
                self.name(EVENT) if rng.random() < 0.3 else self.applied(None, EVENT) if rng.random() < 0.3 else None
            )
            if known is not None:
                return known
            return Expr(rng.choice((">", "<=", ">")), (self.real(max(depth - 1, 0), True), self.real(0, False)))
        kind = rng.choice(("both", "complement", "either"))
        return call(kind, *(self.event(depth - 1) for _ in range(1 if kind == "complement" else 2)))

    def of(self, sort: Sort, depth: int = 1) -> Expr:
        """A term of a sort."""
        if sort.kind == EVENT:
            return self.event(depth)
        if sort.kind in (REAL, INTEGER):
            return self.real(depth)
        return self.vector(depth) if sort.kind == VECTOR else self.name(sort.kind)

    def partial(self) -> Expr:
        """A term that is 0 by convention somewhere, or unknown."""
        n = self.name(REAL)
        return self.rng.choice((num(1) / n, call("sqrt", n), call("log", n), self.name(VECTOR) / n, n / n))

    def condition(self) -> Relation:
        """A condition on a number."""
        n = self.name(REAL, False if self.rng.random() < 0.8 else None)
        return Relation(self.rng.choice((">=", ">", "<=")), n, num(self.rng.choice((0, 0, 1))))

    def relation(self, depth: int = 1) -> Relation:
        """A relation between scalars, often one that a form alone decides."""
        rng = self.rng
        a = self.real(depth)
        near = (a + num(1), a, call("abs", a), call("max", a, self.real(0)), const("oo"), Expr("pow", (a, num(2))))
        b = rng.choice(near) if rng.random() < 0.7 else self.real(depth)
        if rng.random() < 0.3:
            b = simplify(b, rng)
        return Relation(rng.choice(("<=", "<=", "<", "==")), a, b) if rng.random() < 0.6 else Relation(">=", b, a)


def rewrite(e: Expr, change: Callable[[Expr], Expr | None]) -> Expr:
    """``e`` with ``change`` applied from below wherever it gives something."""
    if e.args:
        e = Expr(e.op, tuple(rewrite(a, change) for a in e.args), e.value)
    found = change(e)
    return e if found is None else found


def simplify(e: Expr, rng: python_random.Random | None = None) -> Expr:
    """``e`` with some (all, without ``rng``) of the laws applied that need a condition: t*(x/t) is x for t != 0."""

    def law(e: Expr) -> Expr | None:
        if rng is not None and rng.random() < 0.25:
            return None
        a, b = (e.args[0], e.args[1]) if len(e.args) == 2 else (e.args[0] if e.args else e, e)
        if e.op == "mul":
            for one, other in ((a, b), (b, a)):
                if other.op == "div" and other.args[1] is one:
                    return other.args[0]
                if is_one(one):
                    return other
            if is_zero(a) or is_zero(b):
                return num(0)
            if a is b and a.op == "sqrt":
                return a.args[0]
        if e.op == "div":
            if a is b:
                return num(1)
            if a.op == "mul" and b in a.args:
                return a.args[1] if a.args[0] is b else a.args[0]
            if is_zero(a):
                return num(0)
        if e.op == "sub" and a is b:
            return num(0)
        if e.op == "sub" and a.op == "add" and b in a.args:
            return a.args[1] if a.args[0] is b else a.args[0]
        if e.op == "add" and (is_zero(a) or is_zero(b)):
            return b if is_zero(a) else a
        if e.op == "pow" and a.op == "sqrt" and b is num(2):
            return a.args[0]
        if e.op == "pow" and is_zero(b):
            return num(1)
        if (e.op, a.op) in (("exp", "log"), ("log", "exp")):
            return a.args[0]
        return None

    return rewrite(e, law)


def subterms(r: Relation) -> list[Expr]:
    """The distinct subterms of both sides that are no events."""
    found = r.walk()
    return [n for n in dict.fromkeys(found) if n.op not in ("<", "<=", ">", ">=", "==", "!=")]


def replaced(e: Expr, old: Expr, new: Expr) -> Expr:
    """``e`` with ``new`` for every ``old``."""
    return rewrite(e, lambda n: new if n is old else None)


def put(r: Relation, values: Mapping[str, Expr]) -> Relation:
    """A relation with terms for names; a bound name is left alone."""
    return r.map(lambda e: substitute(e, values))


def smaller(e: Expr, numbers: bool = True) -> Iterator[Expr]:
    """Simpler terms in place of ``e``: its arguments, and 0, 1."""
    yield from (a for a in e.args if a.op != "num")
    if numbers and e.op != "num":
        yield num(0)
        yield num(1)
