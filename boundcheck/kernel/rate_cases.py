"""A claim with max, min, |.|, square roots of parameters and bare norms, as claims without them, case by case.

max(a, b) makes the cases a >= b and b >= a. A root of a rational function goes by a change of parameters that makes it
rational: its squares as absolute values; then, where c = (n1 p + n0)/(d1 p + d0) in a parameter p, by r = sqrt(c),
p = (n0 - d0 r^2)/(d1 r^2 - n1); where c = A p^2 + B p + C, by u = sqrt(c) + a p with A = a^2, or by
u = p/(sqrt(c) + g) with C = g^2 (Euler's substitutions). Every point of the domain is one of the new domain, and back:
a proof and a counterexample carry over. That roots and quotients are defined on the domain is claimed beside it.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from fractions import Fraction
from math import isqrt
from typing import Any

from boundcheck.kernel.check.ratios import Field, NotRational, Ratio, roots_of
from boundcheck.kernel.formula import Expr, Relation, call, has_opaque, num, substitute, var
from boundcheck.kernel.statement import GramClaim

MAX_CASES = 16  #: cases that one claim is split into
CENTRES = (0, 1, -1)  #: values of a parameter at which a polynomial may be a square
MAX_ROOTS = 12  #: changes of parameters in one case
MAX_SQUARE = 10_000  #: the squares of larger primes are not taken out of a root
_ANY = "any__"  #: the vector of claims about parameters alone
_ZERO, _ONE = num(0), num(1)


class TooMany(ValueError):
    """More cases than are read."""


@dataclass(frozen=True)
class Case:
    """``goal`` under ``hypotheses`` on the domain ``where``, if all of ``defined`` hold.

    ``steps`` are the replacements, in order, that lead to it from the text; ``meaning`` says what each new parameter
    is in the old ones; ``needs`` are the terms that ``defined`` claims to be >= 0.
    """

    goal: Relation
    hypotheses: tuple[Relation, ...]
    where: tuple[Relation, ...]
    defined: tuple[GramClaim, ...] = ()
    steps: tuple[tuple[Expr, Expr], ...] = ()
    meaning: tuple[tuple[str, Expr], ...] = ()
    needs: tuple[Expr, ...] = ()

    @property
    def relations(self) -> tuple[Relation, ...]:
        """All relations, the goal first."""
        return (self.goal, *self.hypotheses, *self.where)

    def put(self, old: Expr, new: Expr) -> Case:
        """``new`` in place of ``old`` everywhere."""

        def there(r: Relation) -> Relation:
            return r.map(lambda e: swap(e, old, new))

        return replace(
            self,
            goal=there(self.goal),
            hypotheses=tuple(map(there, self.hypotheses)),
            where=tuple(dict.fromkeys(map(there, self.where))),
            steps=(*self.steps, (old, new)),
        )

    def given(self, *more: Relation) -> Case:
        """With further relations: of parameters alone in the domain, others among the hypotheses."""
        plain = [not (has_opaque(r.lhs) or has_opaque(r.rhs)) for r in more]
        return replace(
            self,
            hypotheses=(*self.hypotheses, *(r for r, p in zip(more, plain, strict=True) if not p)),
            where=tuple(dict.fromkeys((*self.where, *(r for r, p in zip(more, plain, strict=True) if p)))),
        )

    def if_defined(self, name: str, *goals: Expr) -> Case:
        """Under the condition that each of ``goals``, in parameters alone, is defined and >= 0 on the domain now."""
        square = call("norm", var(_ANY)) ** 2
        new = [GramClaim(name, (_ANY,), Relation(">=", g * square, _ZERO), (), self.where) for g in goals]
        return replace(self, defined=tuple(dict.fromkeys((*self.defined, *new))), needs=(*self.needs, *goals))

    def now(self, e: Expr) -> Expr:
        """``e`` in the new parameters."""
        for old, new in self.steps:
            e = swap(e, old, new)
        return e

    def conditions(self) -> tuple[Relation, ...]:
        """What ``defined`` says in the new parameters: a point that breaks the claim has to meet it too."""
        return tuple(dict.fromkeys(Relation(">=", self.now(e), _ZERO) for e in self.needs))

    def told(self, e: Expr) -> Expr:
        """``e`` in the parameters of the text."""
        for name, value in reversed(self.meaning):
            e = substitute(e, {name: value})
        return e


def swap(e: Expr, old: Expr, new: Expr) -> Expr:
    """``e`` with ``new`` in place of ``old``; the names of points in values of functions stay."""
    if e is old:
        return new
    return Expr(e.op, tuple(swap(a, old, new) for a in e.args), e.value) if e.args and e.op != "at" else e


def cases(
    vectors: Iterable[str], goal: Relation, hypotheses: Iterable[Relation], where: Iterable[Relation]
) -> list[Case]:
    """The claims that a claim comes down to. Raises :class:`TooMany`."""
    free, done = frozenset(vectors), list[Case]()
    waiting = [Case(goal, tuple(hypotheses), tuple(where))]
    while waiting:
        case = waiting.pop(0)
        several = _branches(case)
        if several:
            if len(waiting) + len(done) + len(several) > MAX_CASES:
                raise TooMany(f"its maxima make more than {MAX_CASES} cases")
            waiting += several
            continue
        simpler = _without_a_root(case, free)
        if simpler is not None:
            waiting.insert(0, simpler)
        else:
            done.append(_squared(case, free))
    return done


def _nodes(case: Case) -> Iterator[Expr]:
    for r in case.relations:
        yield from r.lhs.walk()
        yield from r.rhs.walk()


# ---------------------------------------------------------------- max, min, |.|


def _branches(case: Case) -> list[Case]:
    """The cases of the first max, min or absolute value; none where there is none."""
    node = next((n for n in _nodes(case) if n.op in ("max", "min", "abs")), None)
    if node is None:
        return []
    choices = (node.args[0], -node.args[0]) if node.op == "abs" else node.args
    op = "<=" if node.op == "min" else ">="
    out = []
    for k, chosen in enumerate(choices):
        others = [_ZERO] if node.op == "abs" else [o for j, o in enumerate(choices) if j != k]
        out.append(case.put(node, chosen).given(*(Relation(op, chosen, o) for o in others)))
    return out


# ---------------------------------------------------------------- norms


def _squared(case: Case, vectors: frozenset[str]) -> Case:
    """s |X| <= c |Y| as s^2 |X|^2 <= c^2 |Y|^2, if s and c are >= 0 on the domain."""
    goal = case.goal
    small, large = (_multiple(e, vectors) for e in ((goal.lhs, goal.rhs) if goal.op == "<=" else (goal.rhs, goal.lhs)))
    if small is None or large is None or (small[1] is None and large[1] is None):
        return case
    for factor in (small[0], large[0]):
        if not (factor.op == "num" and factor.value >= 0):
            case = case.if_defined(f"{case.told(factor)} >= 0", factor)
    if small[0].op != "num" or small[0].value < 0:
        case = case.given(Relation(">=", small[0], _ZERO))  # else a counterexample to the squares is none to the claim
    squares = [c**2 if n is None else c**2 * n**2 for c, n in (small, large)]
    return replace(case, goal=Relation("<=", *squares))


def _multiple(e: Expr, vectors: frozenset[str]) -> tuple[Expr, Expr | None] | None:
    """(c, |X|) for c |X|, (c, None) for c, with c of parameters alone; None for anything else."""
    if not (e.free & vectors or has_opaque(e)):
        return e, None
    if e.op == "norm":
        return _ONE, e
    if e.op not in ("mul", "div"):
        return None
    first, second = (_multiple(a, vectors) for a in e.args)
    if first is None or second is None or (second[1] is not None and (first[1] is not None or e.op == "div")):
        return None
    return (first[0] / second[0] if e.op == "div" else first[0] * second[0]), first[1] or second[1]


# ---------------------------------------------------------------- roots


def _without_a_root(case: Case, vectors: frozenset[str]) -> Case | None:
    """The case without its first root that can be taken out; None where there is none."""
    if len(case.meaning) >= MAX_ROOTS:
        return None
    for node in _nodes(case):
        if node.op == "pow" and node.args[1].op == "num" and node.args[1].value.denominator == 2:
            whole = call("sqrt", node.args[0]) ** (2 * node.args[1].value)
            found: Case | None = case.put(node, whole)
        elif node.op == "sqrt" and not (node.free & vectors or has_opaque(node)):
            try:
                found = _Root(case, node).out()
            except (NotRational, ArithmeticError):
                found = None
        else:
            continue
        if found is not None:
            return found
    return None


class _Root:
    """One root sqrt(e) of a rational function e of the parameters."""

    def __init__(self, case: Case, node: Expr):
        self.case, self.node = case, node
        (self.e,) = node.args
        sides = [s for r in case.where for s in (r.lhs, r.rhs) if not has_opaque(s)]
        names = frozenset(self.e.free).union(*(s.free for s in sides))
        roots = roots_of([self.e, *sides])
        self.field = Field(names, roots)
        self.words = {n: var(n) for n in names}
        self.words |= {n: call("sqrt", num(c)) for n, c in roots.items()}
        self.known: list[tuple[Any, int]] = []
        self._read_domain()

    def out(self) -> Case | None:
        """The case without this root."""
        value = self.field.read(self.e)
        if value.num.is_zero():
            return self._defined().case.put(self.node, _ZERO)
        outer, above, below = self._parts(value)
        if above.is_constant() and below.is_constant():
            return self._constant(outer, Fraction(str(above.leading_coefficient())))
        self._defined()
        name = f"{self.case.told(self.node)} is defined"
        self.case = self.case.if_defined(name, self.text(above) / self.text(below))
        ways = (self._moebius, self._moved, self._euler)
        return next((found for way in ways if (found := way(outer, above, below)) is not None), None)

    def _moved(self, outer: Expr, above: Any, below: Any) -> Case | None:
        """sqrt(f g) as f sqrt(g/f), or sqrt(g/(f h)) as sqrt(f g/h)/f, with a factor f > 0."""
        plain = self.case
        for part, up in ((above, True), (below, False)):
            factors = [own for q, _ in part.factor()[1] for own in (q, -q)]
            for f in (q for q in factors if self.sign(q) == 2):
                self._signed(None, 2, f)
                size, (n, d) = self.text(f), (above / f, below * f) if up else (above * f, below / f)
                found = self._moebius(outer * size if up else outer / size, n, d)
                if found is not None:
                    return found
                self.case = plain
        return None

    def _defined(self) -> _Root:
        """Under the condition that nothing in e is divided by zero."""
        divisors = [n.args[1] for n in self.e.walk() if n.op == "div"]
        powers = [n.args for n in self.e.walk() if n.op == "pow" and n.args[1].op == "num"]
        for d in [*divisors, *(base for base, k in powers if k.value < 0)]:
            self._nonzero(d)
        return self

    def _nonzero(self, d: Expr) -> None:
        if d.op != "num":
            self.case = self.case.if_defined(f"{self.case.told(d)} != 0", _ONE / d**2)

    def text(self, p: Any) -> Expr:
        """A polynomial as an expression, terms with a plus sign first."""
        total = _ZERO
        for powers, c in sorted(p.to_dict().items(), key=lambda term: term[1] < 0):
            size = Fraction(str(c))
            term = num(abs(size))
            for n, k in zip(self.field.names, powers, strict=True):
                term = term * self.words[n] ** int(k) if k else term
            total = total + term if size > 0 else total - term
        return total

    def _parts(self, value: Ratio) -> tuple[Expr, Any, Any]:
        """(s, N, D) with value = s^2 N/D, s >= 0, N and D without square factors, constants whole and in N."""
        outer, constant, parts = _ONE, Fraction(1), []
        for p, side in ((value.num, 1), (value.den, -1)):
            c, factors = p.factor()
            constant *= Fraction(str(c)) ** side
            core = self.field.one
            for q, k in factors:
                for _ in range(int(k) // 2):
                    size = self._size(q)
                    outer = outer * size if side > 0 else outer / size
                core = core * q if k % 2 else core
            parts.append(core)
        s, rest = _square_free(constant)
        return outer * num(s), parts[0] * self.field.constant(rest), parts[1]

    def _size(self, q: Any) -> Expr:
        """|q|, without the bars where its sign is evident (and then claimed)."""
        for own in (q, -q):
            if self.sign(own):
                e = self.text(own)
                self.case = self.case.if_defined(f"{self.case.told(e)} >= 0", e)
                return e
        return call("abs", self.text(q))

    def _constant(self, outer: Expr, c: Fraction) -> Case | None:
        root = _ONE if c == 1 else call("sqrt", num(c))
        new = outer * root
        return self._defined().case.put(self.node, new) if c > 0 and new is not self.node else None

    def _moebius(self, outer: Expr, above: Any, below: Any) -> Case | None:
        """sqrt(above/below) as a parameter r, a parameter that enters by first powers solved for."""
        options = []
        for p in self._parameters(above, below):
            if self._degree(above, p) > 1 or self._degree(below, p) > 1:
                continue
            (n0, n1), (d0, d1) = (self._coefficients(q, p, 2) for q in (above, below))
            det = n1 * d0 - n0 * d1
            finite = d1.is_zero() or (self.sign(n1) * self.sign(-d1) or self.sign(-n1) * self.sign(d1)) != 0
            rank = (det.is_zero(), not self._nonzero_sign(det), not finite, not d1.is_zero(), len(det.to_dict()), p)
            options.append((rank, p, n0, n1, d0, d1, det))
        if not options or min(options, key=lambda o: o[0])[0][0]:
            return None
        _, p, n0, n1, d0, d1, det = min(options, key=lambda o: o[0])
        r = self._new(call("sqrt", self.text(above) / self.text(below)))
        t = {k: self.text(q) for k, q in (("n0", n0), ("n1", n1), ("d0", d0), ("d1", d1))}
        value = (t["d0"] * r**2 - t["n0"]) / (t["n1"] - t["d1"] * r**2)
        return self._replaced(outer * r, r, p, value, det, above, below)

    def _euler(self, outer: Expr, above: Any, below: Any) -> Case | None:
        """The root of a quadratic polynomial in a parameter whose first or last coefficient is a square."""
        whole = above * below
        for p in self._parameters(whole):
            if self._degree(whole, p) != 2:
                continue
            small = _ONE if below.is_constant() else self._size(below)
            if small.op == "abs":
                continue
            found = self._first_square(whole, p) or self._value_square(whole, p)
            if found is not None:
                c, b, a = self._coefficients(whole, p, 3)
                return self._replaced(outer * found[0] / small, found[0], p, found[1], b * b - a * c * 4, above, below)
        return None

    def _first_square(self, whole: Any, p: str) -> tuple[Expr, Expr] | None:
        """(root, p) in u = sqrt(whole) + a p for whole = a^2 p^2 + b p + c."""
        c, b, square = self._coefficients(whole, p, 3)
        a = _square_root(square)
        if a is None:
            return None
        u = self._new(call("sqrt", self.text(whole)) + self.text(a) * var(p))
        rest = b * self.field.symbol(p) + c
        self._signed(u, self.sign(rest), rest)
        value = (u**2 - self.text(c)) / (self.text(b) + 2 * self.text(a) * u)
        return u - self.text(a) * value, value

    def _value_square(self, whole: Any, p: str) -> tuple[Expr, Expr] | None:
        """(root, p) in u = (p - k)/(sqrt(whole) + g) for whole = a (p - k)^2 + b (p - k) + g^2 and g > 0."""
        c, b, a = self._coefficients(whole, p, 3)
        for k in CENTRES:
            g = _square_root(a * (k * k) + b * k + c)
            if g is None or not self._nonzero_sign(g):
                continue
            g, shifted = (g if self.sign(g) else -g), self.field.symbol(p) - self.field.constant(k)
            self._signed(None, 2, g)
            u = self._new((var(p) - num(k)) / (call("sqrt", self.text(whole)) + self.text(g)))
            self._signed(u, self.sign(shifted), shifted)
            first, middle, last = self.text(a), self.text(b + a * (2 * k)), self.text(g)
            value = (2 * last * u + middle * u**2) / (1 - first * u**2)
            return last + u * (first * value + middle), num(k) + value
        return None

    def _signed(self, u: Expr | None, sign: int, because: Any) -> None:
        """``because`` is claimed to be >= 0 (> 0 for sign 2), and u is so too."""
        if not sign:
            return
        e = self.text(because)
        self.case = self.case.if_defined(f"{self.case.told(e)} >= 0", e)
        if sign == 2:
            self._nonzero(e)
        if u is not None:
            self.case = self.case.given(Relation(">" if sign == 2 else ">=", u, _ZERO))

    def _new(self, meaning: Expr) -> Expr:
        name = f"sqrt__{len(self.case.meaning) + 1}"
        self.case = replace(self.case, meaning=(*self.case.meaning, (name, self.case.told(meaning))))
        return var(name)

    def _replaced(self, root: Expr, r: Expr, p: str, value: Expr, det: Any, above: Any, below: Any) -> Case:
        """``root`` in place of the node, ``value`` in place of p; r >= 0, or > 0 where that is evident and claimed."""
        self._nonzero(self.text(det))
        strict = self.sign(above) * self.sign(below) == 4
        if strict:
            self._nonzero(self.text(above))
        for n in self.field.parameters:  # what is evident now is harder to see once p is gone
            self._signed(var(n), self.sign(self.field.symbol(n)), self.field.symbol(n))
        conditions = [Relation("!=", self.text(q), _ZERO) for q in (det, below) if not q.is_constant()]
        case = self.case.put(self.node, root).given(Relation(">" if strict else ">=", r, _ZERO), *conditions)
        return case.put(var(p), value)

    # ---- polynomials

    def _parameters(self, *polynomials: Any) -> list[str]:
        used = {i for q in polynomials for m in q.to_dict() for i, k in enumerate(m) if k}
        return [n for n in self.field.parameters if self.field.at[n] in used]

    def _degree(self, q: Any, p: str) -> int:
        return max((int(m[self.field.at[p]]) for m in q.to_dict()), default=0)

    def _coefficients(self, q: Any, p: str, count: int) -> list[Any]:
        at = self.field.at[p]
        out: list[dict[tuple[int, ...], Any]] = [{} for _ in range(count)]
        for m, c in q.to_dict().items():
            out[int(m[at])][tuple(0 if i == at else int(k) for i, k in enumerate(m))] = c
        return [self.field.ctx.from_dict(terms) for terms in out]

    # ---- evident signs: what they suggest is claimed beside the case, so that nothing rests on them

    def _read_domain(self) -> None:
        self.known = [(self.field.symbol(n), 2) for n in self.field.roots]
        for _ in range(2):  # a second time with the signs of denominators and of parameters
            for r in self.case.where:
                try:
                    gap = self.field.read(r.gap)
                except (NotRational, KeyError):
                    continue
                if r.op in ("<", "<=", ">", ">=") and not gap.num.is_zero() and self.sign(gap.den) == 2:
                    self._know(gap.num / abs(gap.num.leading_coefficient()), 2 if r.strict else 1)
            for n in self.field.names:
                self._know(self.field.symbol(n), self.sign(self.field.symbol(n)))

    def _know(self, q: Any, size: int) -> None:
        if size and (q, size) not in self.known:
            self.known.append((q, size))

    def sign(self, q: Any) -> int:
        """2 for what is evidently > 0 on the domain, 1 for >= 0, else 0."""
        if q.is_zero():
            return 1
        constant, factors = q.factor()
        least, own = 2, 1 if constant > 0 else -1
        for f, k in factors:
            positive, negative = self._of_factor(f), self._of_factor(-f)
            if k % 2:
                own = own if positive else -own
            size = max(positive, negative)
            least = min(least, size if k % 2 else max(1, size))
        return least if own > 0 else 0

    def _of_factor(self, f: Any) -> int:
        f = f / abs(f.leading_coefficient())
        found = max((size for g, size in self.known if g == f), default=0)
        if found or (found := self._termwise(f)):
            return found
        sums = ((self._termwise(f - g), s) for g, s in self.known)
        found = max((max(t, s) for t, s in sums if t), default=0)
        divided = ((divmod(g, f), s) for g, s in self.known if not found and g.total_degree() > f.total_degree())
        return found or max((s for (q, rest), s in divided if rest.is_zero() and self._termwise(q) == 2), default=0)

    def _termwise(self, f: Any) -> int:
        """The sign of a sum in which every term is evidently >= 0; 1 for the empty one."""
        sizes = [1]
        for m, c in f.to_dict().items():
            size = 2 if c > 0 else 0
            for n, k in zip(self.field.names, m, strict=True):
                own = max((s for g, s in self.known if g == self.field.symbol(n)), default=0)
                size = min(size, own if k % 2 else max(own, 1)) if k else size
            sizes.append(size)
        return max(sizes) if all(sizes) else 0

    def _nonzero_sign(self, q: Any) -> bool:
        return q.is_constant() or 2 in (self.sign(q), self.sign(-q))


def _square_free(c: Fraction) -> tuple[Fraction, Fraction]:
    """(s, m) with c = s^2 m, s > 0 and m a whole number without small square factors."""
    whole, s = c.numerator * c.denominator, 1
    for d in range(2, MAX_SQUARE):
        if d * d > abs(whole):
            break
        while whole % (d * d) == 0:
            whole, s = whole // (d * d), s * d
    root = isqrt(abs(whole))
    if root * root == abs(whole) and root:
        whole, s = whole // (root * root), s * root
    return Fraction(s, c.denominator), Fraction(whole)


def _square_root(q: Any) -> Any | None:
    """A polynomial whose square is q."""
    if q.is_zero():
        return None
    constant, factors = q.factor()
    c = Fraction(str(constant))
    s, m = _square_free(c)
    if m != 1 or any(int(k) % 2 for _, k in factors):
        return None
    root = q * 0 + 1
    for f, k in factors:
        root = root * f ** (int(k) // 2)
    return root * _like(q, s)


def _like(q: Any, c: Fraction) -> Any:
    return (q * 0 + c.numerator) / c.denominator
