"""Truth and values of proof formulas in a finite model: the whole proof vocabulary, exact wherever it can be.

A fact holds in a model if it does at every atom of positive weight and for all values tried of the names that it
ranges over. Names are read at the atom unless an average binds them. ``partial`` models raise
:class:`~benchmarks.hunter.nums.Undefined` for a quotient by 0 and the like; the others give such a term some value of
its own, the same one wherever it occurs.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from flint import arb, fmpq, fmpq_poly

from benchmarks.hunter import nums
from benchmarks.hunter.model import Law, Model, Rv, Sigma, apply_quadratic, second_moment
from benchmarks.hunter.nums import ONE, ZERO, IllTyped, Split, Undefined, Unknown, Value, add, compare, mul, neg
from boundcheck.kernel.formula import RELATIONS, Expr, Relation

MAX_TERMS = 40  #: terms of a sum or members of a union
_X = fmpq_poly([0, 1])
_DOMAIN = {  # function -> where it is defined
    "log": lambda a: nums.sign(a) > 0,
    "gamma": lambda a: nums.sign(a) > 0,
    "loggamma": lambda a: nums.sign(a) > 0,
    "asin": lambda a: compare("<=", a * a, ONE),
    "acos": lambda a: compare("<=", a * a, ONE),
}


class Evaluator:
    """Values of terms in one model."""

    def __init__(self, model: Model):
        self.m = model
        self.span: tuple[Value, Value] | None = None
        self.cache: dict[Any, Value] = {}

    def reset(self) -> None:
        """Forget averages: a name has another value now."""
        self.cache.clear()

    # ------------------------------------------------------------ facts

    def holds(self, r: Relation, atom: int, bound: Mapping[str, Any]) -> bool:
        """Whether the relation holds at an atom."""
        if r.op == "==" and r.lhs.op == "law":
            return self.has_law(r.lhs.args[0], self.value(r.rhs, atom, bound), bound)
        return compare(r.op, self.side(r.lhs, atom, bound), self.side(r.rhs, atom, bound), self.span)

    def side(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> Value:
        """The value of a side of a relation; a truth value is no number."""
        found = self.value(e, atom, bound)
        if isinstance(found, bool | Sigma | Law):
            raise IllTyped("an event or a sigma-field is compared")
        return found

    def event(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> bool:
        """Whether an event happens at an atom."""
        if e.op in RELATIONS:
            return self.holds(Relation(e.op, *e.args), atom, bound)
        if e.op == "complement":
            return not self.event(e.args[0], atom, bound)
        if e.op in ("both", "either"):
            found = [self.event(a, atom, bound) for a in e.args]
            return all(found) if e.op == "both" else any(found)
        if e.op in ("union", "meet"):
            found = [self.event(e.args[0], atom, b) for b in self.range(e, atom, bound)]
            return any(found) if e.op == "union" else all(found)
        found = self.value(e, atom, bound)
        if not isinstance(found, bool):
            raise IllTyped("a number stands for an event")
        return found

    # ------------------------------------------------------------ terms

    def value(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> Any:
        """The value of a term at an atom."""
        op = e.op
        if op == "num":
            return fmpq(e.value.numerator, e.value.denominator)
        if op == "var":
            return self.name(e.value, atom, bound)
        if op == "const":
            return float("inf") if e.value == "oo" else arb.pi() if e.value == "pi" else arb(1).exp()
        if op in ("P", "E", "Pgiven", "Egiven"):
            return self.average(e, atom, bound)
        if op in RELATIONS or op in ("both", "either", "complement", "union", "meet"):
            return self.event(e, atom, bound)
        if op == "ind":
            return ONE if self.event(e.args[0], atom, bound) else ZERO
        if op in ("integral", "sum", "least"):
            return getattr(self, f"_{op}")(e, atom, bound)
        if op == "at":
            return self.member(e, atom, bound)
        if op in ("law", "independent", "measurable", "iid", "sphere", "ball"):
            return self.predicate(e, atom, bound)
        return self.function(op, e, [self.value(a, atom, bound) for a in e.args], atom, bound)

    def name(self, name: str, atom: int, bound: Mapping[str, Any]) -> Any:
        """The value of a name at an atom."""
        found = bound[name] if name in bound else self.m.value(name)
        return found.values[atom] if isinstance(found, Rv) else found

    def member(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> Any:
        """at(X, s, ...), also nested."""
        index: tuple[Any, ...] = ()
        while e.op == "at":
            index = (*(nums.scalar(self.value(a, atom, bound)) for a in e.args[1:]), *index)
            e = e.args[0]
        if e.op != "var" or not all(isinstance(i, fmpq) for i in index):
            raise Unknown("a member of what is no family")
        found = self.m.member(e.value, index)
        if found is None:
            raise Unknown("a family defined in a circle")
        return found.values[atom] if isinstance(found, Rv) else found

    def undefined(self, *key: Any, vector: bool = False) -> Value:
        """What an undefined term is worth: nothing, or its own unknown value."""
        if self.m.partial:
            raise Undefined(str(key[0]))
        if any(isinstance(k, arb | fmpq_poly) for k in key):
            raise Unknown("unknown value of a ball")
        return self.m.unknown(key, vector)

    def function(self, op: str, e: Expr, a: list[Any], atom: int, bound: Mapping[str, Any]) -> Value:
        """A function of values."""
        if any(isinstance(x, bool | Sigma | Law) for x in a):
            raise IllTyped(f"{op} of an event")
        if op == "add":
            return add(*a)
        if op == "sub":
            return add(a[0], neg(a[1]))
        if op == "neg":
            return neg(a[0])
        if op == "mul":
            return mul(*a)
        if op == "div":
            try:
                return mul(a[0], nums.inverse(a[1]))
            except ZeroDivisionError:
                return self.undefined("div", *(a[:1]), vector=nums.is_vector(a[0]))
        if op == "pow":
            return self.power(e, a[0], a[1])
        if op == "sqrt":
            return nums.root(a[0], self.span) if nums.sign(a[0], self.span) >= 0 else self.undefined("sqrt", a[0])
        if op == "abs":
            return nums.absolute(a[0], self.span)
        if op in ("min", "max"):
            return self.extreme(op, a)
        if op == "clip":
            return self.extreme("max", [neg(a[1]), self.extreme("min", a)])
        if op == "norm":
            return nums.norm(a[0], self.span)
        if op == "dot":
            return nums.dot(*a)
        if op in ("f", "F", "fmu", "gradf", "gradF", "gradfmu", "slopef", "slopeF"):
            return self.objective(op, a, atom, bound)
        if op in _DOMAIN and not _DOMAIN[op](nums.scalar(a[0])):
            return self.undefined(op, a[0])
        return nums.call(op, a[0])

    def extreme(self, op: str, values: list[Value]) -> Value:
        """The minimum or the maximum."""
        best = nums.scalar(values[0])
        for v in values[1:]:
            if compare("<" if op == "min" else ">", v, best, self.span):
                best = nums.scalar(v)
        return best

    def power(self, e: Expr, a: Value, b: Value) -> Value:
        """a**b; 0**0 is 1 for an exponent that is an integer by its form or its sort, else undefined."""
        a, b = nums.scalar(a), nums.scalar(b)
        whole = e.args[1].op == "num" or all(self.m.sort(n).integer for n in e.args[1].free)
        integer = isinstance(b, fmpq) and b.q == 1
        s = 1 if isinstance(a, fmpq_poly) and integer else nums.sign(a, self.span)
        if s > 0 or (integer and (b > 0 or (s < 0 and whole) or (b == 0 and whole))):
            return nums.power(a, b)
        if s == 0 and nums.sign(b) > 0:
            return ZERO
        return self.undefined("pow", a, b)

    def objective(self, op: str, a: list[Value], atom: int, bound: Mapping[str, Any]) -> Value:
        """f, F, fmu, their gradients, and the slopes over (x - mu u, x + mu u)."""
        q = self.m.quadratic(atom if op in ("F", "gradF", "slopeF") else None)
        x = a[0]
        if nums.is_zero(x):
            x = (ZERO,) * self.m.d
        if not nums.is_vector(x):
            raise IllTyped("a point that is no vector")
        if op.startswith("grad"):  # that of the smoothing of a quadratic is its own
            return tuple(add(mul(s, y), b) for s, y, b in zip(q[0], x, q[1], strict=True))
        if op in ("f", "F"):
            return apply_quadratic(q, x, add, mul)
        mu = nums.scalar(self.name("mu", atom, bound))
        if op == "fmu":
            extra = mul(mul(mu, mu), mul(fmpq(1, 2) * second_moment("ball", self.m.d), sum(q[0], ZERO)))
            return add(apply_quadratic(q, x, add, mul), extra)
        ends = [apply_quadratic(q, add(x, mul(s * ONE, mul(mu, a[1]))), add, mul) for s in (1, -1)]
        rise = add(ends[0], neg(ends[1]))
        try:
            return mul(rise, nums.inverse(mul(fmpq(2), mu)))
        except ZeroDivisionError:
            return self.undefined("slope", rise)

    # ------------------------------------------------------------ binders

    def range(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> list[dict[str, Any]]:
        """The bound names of a sum, union, meet or least, one dictionary a member."""
        low, high = (nums.scalar(self.value(a, atom, bound)) for a in e.args[2:])
        if not all(isinstance(x, fmpq) for x in (low, high)):
            raise Unknown("a range between balls")
        if low.q != 1 or high.q != 1:  # a range between reals is some range
            if self.m.partial:
                raise Undefined("a range between reals")
            wide = self.m.rng.random() < 0.5 if "wide" not in self.m.styles else self.m.styles["wide"] == "yes"
            self.m.styles["wide"] = "yes" if wide else "no"
            low, high = (fmpq(low.floor()), fmpq(high.ceil())) if wide else (fmpq(low.ceil()), fmpq(high.floor()))
        if high - low >= MAX_TERMS:
            raise Unknown("a long range")
        return [{**bound, e.args[1].value: fmpq(k)} for k in range(int(low.p), int(high.p) + 1)]

    def _sum(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> Value:
        total: Value = ZERO
        for b in self.range(e, atom, bound):
            total = add(total, self.value(e.args[0], atom, b))
        return total

    def _least(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> Value:
        members = self.range(e, atom, bound)
        if not members:
            return self.undefined("least")
        return self.extreme("min", [self.value(e.args[0], atom, b) for b in members])

    def _integral(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> Value:
        body, t = e.args[0], e.args[1].value
        low, high = (self.value(a, atom, bound) for a in e.args[2:])
        if any(isinstance(v, fmpq_poly) for v in bound.values()) and (body.free & bound.keys()):
            raise Unknown("an integral in an integral")
        if not all(isinstance(x, fmpq | float) for x in (low, high)):
            raise Unknown("an end that is no rational")
        if isinstance(low, fmpq) and isinstance(high, fmpq) and low > high:
            return neg(self._pieces(body, t, high, low, atom, bound))
        return self._pieces(body, t, low, high, atom, bound)

    def _pieces(self, body: Expr, t: str, low: Value, high: Value, atom: int, bound: Mapping[str, Any]) -> Value:
        total: Value = ZERO
        pending, splits = [(low, high)], 0
        before = self.span
        while pending:
            span = pending.pop()
            if span[0] == span[1]:
                continue
            try:
                self.span = span
                found = self.value(body, atom, {**bound, t: _X})
            except Split as cut:
                splits += 1
                if splits > 60:
                    raise Unknown("too many pieces") from None
                pending += [(span[0], cut.point), (cut.point, span[1])]
                continue
            finally:
                self.span = before
            total = add(total, self._area(found, *span))
        return total

    def _area(self, found: Value, low: Value, high: Value) -> Value:
        if nums.is_vector(found):
            return tuple(self._area(x, low, high) for x in found)
        found = nums.scalar(found)
        if isinstance(low, float) or isinstance(high, float):
            if nums.is_zero(found):
                return ZERO
            return self.undefined("integral", low, high)
        if isinstance(found, fmpq_poly):
            primitive = found.integral()
            return primitive(high) - primitive(low)
        return mul(found, high - low)

    # ------------------------------------------------------------ averages

    def average(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> Value:
        """P, E and their conditional forms: means over the atoms that what is given does not tell apart."""
        where = atom if len(e.args) > 1 else -1
        try:
            key = (e, where, self.span, tuple(sorted((n, bound[n]) for n in e.free if n in bound)))
            if key in self.cache:
                return self.cache[key]
        except (TypeError, ValueError):
            key = None
        if atom not in self.m.live and len(e.args) > 1:
            return ZERO  # at an atom of weight 0 a conditional mean is whatever it is
        block = self.m.live if len(e.args) == 1 else self.block(e.args[1], atom, bound)
        total: Value = ZERO
        mass = ZERO
        for n in block:
            if e.op.startswith("P"):
                x: Value = ONE if self.event(e.args[0], n, bound) else ZERO
            else:
                x = self.side(e.args[0], n, bound)
            total = add(total, mul(self.m.weights[n], x))
            mass = mass + self.m.weights[n]
        found = total if len(e.args) == 1 else mul(total, 1 / mass)
        if key is not None:
            self.cache[key] = found
        return found

    def block(self, given: Expr, atom: int, bound: Mapping[str, Any]) -> list[int]:
        """The atoms of positive weight that what is given does not tell from ``atom``."""
        own = self.told(given, atom, bound)
        return [n for n in self.m.live if n == atom or _same(self.told(given, n, bound), own)]

    def told(self, given: Expr, atom: int, bound: Mapping[str, Any]) -> Any:
        """What is known at an atom: the number of its block, or the value of a variable."""
        found = self.value(given, atom, bound)
        return found.blocks[atom] if isinstance(found, Sigma) else found

    def predicate(self, e: Expr, atom: int, bound: Mapping[str, Any]) -> Any:
        """law, independent, measurable, iid."""
        if e.op in ("sphere", "ball"):
            d = self.value(e.args[0], atom, bound)
            if not isinstance(d, fmpq) or d.q != 1 or not 1 <= d <= 9:
                raise Unknown("a dimension that is none")
            return Law(e.op, int(d.p))
        if e.op == "measurable":
            known = {n: self.told(e.args[1], n, bound) for n in self.m.live}
            told = {n: self.told(e.args[0], n, bound) for n in self.m.live}
            pairs = ((a, b) for a in self.m.live for b in self.m.live if a < b)
            return ONE if all(_same(told[a], told[b]) for a, b in pairs if _same(known[a], known[b])) else ZERO
        if e.op == "independent":
            return ONE if self.independent(e, bound) else ZERO
        raise Unknown(e.op)

    def independent(self, e: Expr, bound: Mapping[str, Any]) -> bool:
        """Whether the joint law of two variables is the product of their laws."""
        laws: list[list[tuple[Any, list[int]]]] = []
        for side in e.args[:2]:
            groups: list[tuple[Any, list[int]]] = []
            for n in self.m.live:
                v = self.told(side, n, bound)
                home = next((g for x, g in groups if _same(x, v)), None)
                if home is None:
                    groups.append((v, [n]))
                else:
                    home.append(n)
            laws.append(groups)
        mass = lambda atoms: sum((self.m.weights[n] for n in atoms), ZERO)  # noqa: E731
        return all(mass([n for n in a if n in b]) == mass(a) * mass(b) for _, a in laws[0] for _, b in laws[1])

    def has_law(self, e: Expr, law: Any, bound: Mapping[str, Any]) -> bool:
        """Whether a variable has the finite law that stands for sphere(d) or ball(d)."""
        if not isinstance(law, Law):
            raise Unknown("no law")
        from benchmarks.hunter.model import law_source

        values = [self.value(e, n, bound) for n in self.m.live]
        vector = nums.is_vector(values[0])
        if vector and len(values[0]) != law.d:
            return False
        wanted = law_source(law.kind, law.d, vector)
        found: dict[Any, fmpq] = {}
        for n, v in zip(self.m.live, values, strict=True):
            if not all(isinstance(x, fmpq) for x in (v if vector else (v,))):
                raise Unknown("a law of balls")
            found[v] = found.get(v, ZERO) + self.m.weights[n]
        return found == dict(zip(wanted.values, wanted.weights, strict=True))


def _same(a: Any, b: Any) -> bool:
    if isinstance(a, bool | int) or isinstance(b, bool | int):
        return bool(a == b)
    return compare("==", a, b)
