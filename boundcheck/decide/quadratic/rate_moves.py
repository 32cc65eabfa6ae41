"""The moves that take square roots of parameters out of a rate: a search; the kernel checks each (``rate_cases``).

Squares leave a root as absolute values. Then, where c = (n1 p + n0)/(d1 p + d0) in a parameter p, r = sqrt(c) becomes
a parameter and p = (n0 - d0 r^2)/(d1 r^2 - n1); where c = A p^2 + B p + C, it is u = sqrt(c) + a p with A = a^2, or
u = (p - k)/(sqrt(c) + g) with g^2 the value of c at k (Euler's substitutions); or a factor f > 0 moves, sqrt(f g) =
f sqrt(g/f). Signs that are evident on the domain are guessed here, and claimed beside the case by the kernel.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from fractions import Fraction
from math import isqrt
from typing import Any

from boundcheck.kernel.check.ratios import Field, NotRational, Ratio, roots_of
from boundcheck.kernel.formula import (
    Expr,
    FormulaError,
    Relation,
    call,
    has_opaque,
    num,
    parse,
    parse_relation,
    substitute,
    var,
)
from boundcheck.kernel.rate import Expanded, Rate, expand
from boundcheck.kernel.rate_cases import ROOT, Case, CaseError, moved, swap

CENTRES = (0, 1, -1)  #: values of a parameter at which a polynomial may be a square
MAX_ROOTS = 12  #: changes of parameters in one case
MAX_SQUARE = 10_000  #: the squares of larger primes are not taken out of a root
_ZERO, _ONE = num(0), num(1)
Move = dict[str, Any]


def expand_by_moves(rate: Rate) -> tuple[Expanded, list[Move | None]]:
    """The claims that ``rate`` comes down to, and the moves that lead to them.

    Raises :class:`boundcheck.kernel.rate.RateError`.
    """
    moves: list[Move | None] = []

    def next_move(case: Case, vectors: frozenset[str]) -> Move | None:
        moves.append(find_move(case, vectors))
        return moves[-1]

    found = expand(rate, next_move)
    while moves and moves[-1] is None:
        moves.pop()
    return found, moves


def find_move(case: Case, vectors: frozenset[str]) -> Move | None:
    """A move for the first root that can be taken out; None where there is none."""
    if len(case.meaning) >= MAX_ROOTS:
        return None
    for node in case.nodes:
        if node.op != "sqrt" or node.free & vectors or has_opaque(node):
            continue
        try:
            for move in _Root(case, node, vectors).moves():
                moved(case, move, vectors)
                return move
        except (NotRational, ArithmeticError, CaseError):
            continue
    return None


def now(case: Case, e: Expr) -> Expr:
    """``e`` in the parameters that a case has in the end."""
    for old, new in case.steps:
        e = swap(e, old, new)
    return e


def meanings(case: Case) -> dict[str, Expr]:
    """What each new parameter is in those of the text."""
    known: dict[str, Expr] = {}
    for name, value in case.meaning:
        known[name] = substitute(value, known)
    return known


def told(text: str, case: Case) -> str:
    """A claim's name, or a reason, in the parameters of the text."""
    if not (known := meanings(case)):
        return text
    term, defined, _ = text.partition(" is defined")
    try:
        if defined:
            return f"{substitute(parse(term), known)} is defined"
        return str(parse_relation(text).map(lambda e: substitute(e, known)))
    except FormulaError:
        for name, meaning in known.items():
            text = re.sub(rf"\b{name}\b", f"({meaning})", text)
        return text


class _Root:
    """One root sqrt(e) of a rational function e of the parameters."""

    def __init__(self, case: Case, node: Expr, vectors: frozenset[str]):
        self.case, self.node = case, node
        (self.e,) = node.args
        sides = [s for r in case.where for s in r.sides if not has_opaque(s)]
        roots = roots_of([self.e, *sides])
        self.field = Field(case.parameters(vectors), roots)
        self.words = {n: var(n) for n in self.field.parameters}
        self.words |= {n: call("sqrt", num(c)) for n, c in roots.items()}
        self.new = var(f"sqrt__{len(case.meaning) + 1}")
        self.known: list[tuple[Any, int]] = []
        self._read_domain()

    def moves(self) -> Iterator[Move]:
        """Moves that may be made with it, the first of which is likely to do."""
        value = self.field.read(self.e)
        if value.num.is_zero():
            yield self._factored(_ZERO, _ONE)
            return
        if (q := self._signless(value)) is not None:
            rest = self.field.ratio(value.num, value.den * q * q)
            yield self._factored(call("abs", self.text(q)), self.text(rest.num) / self.text(rest.den))
            return
        outer, above, below = self._parts(value)
        if above.is_constant() and below.is_constant():
            c = Fraction(str(above.leading_coefficient()))
            if c > 0 and (outer is not _ONE or self.e is not num(c)):
                yield self._factored(outer, num(c))
            return
        if (found := self._moebius(above, below)) is not None:
            yield found if outer is _ONE else self._factored(outer, self.text(above) / self.text(below))
            return
        for f, n, d, up in self._factors(above, below):
            if self._moebius(n, d) is not None:
                yield self._factored(outer * f if up else outer / f, self.text(n) / self.text(d))
                return
        whole, small = above * below, _ONE if below.is_constant() else self._size(below)
        if small is not None and (found := self._euler(whole)) is not None:
            plain = outer is _ONE and small is _ONE
            yield found if plain else self._factored(outer / small, self.text(whole))

    def _factored(self, factor: Expr, under: Expr) -> Move:
        return {"root": str(self.node), "factor": str(factor), "under": str(under)}

    def _factors(self, above: Any, below: Any) -> Iterator[tuple[Expr, Any, Any, bool]]:
        """sqrt(f g) as f sqrt(g/f), or sqrt(g/(f h)) as sqrt(f g/h)/f, with a factor f > 0."""
        for part, up in ((above, True), (below, False)):
            for f in (own for q, _ in part.factor()[1] for own in (q, -q)):
                if self.sign(f) == 2:
                    n, d = (above / f, below * f) if up else (above * f, below / f)
                    yield self.text(f), n, d, up

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

    def _signless(self, value: Ratio) -> Any | None:
        """A factor whose square divides e, of no evident sign."""
        squares = [q for p in (value.num, value.den) for q, k in p.factor()[1] if k >= 2]
        return next((q for q in squares if self._size(q) is None), None)

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
                    assert size is not None
                    outer = outer * size if side > 0 else outer / size
                core = core * q if k % 2 else core
            parts.append(core)
        s, rest = _square_free(constant)
        return outer * num(s), parts[0] * self.field.constant(rest), parts[1]

    def _size(self, q: Any) -> Expr | None:
        """|q|, where its sign is evident."""
        return next((self.text(own) for own in (q, -q) if self.sign(own)), None)

    # ---- changes of parameters

    def _moebius(self, above: Any, below: Any) -> Move | None:
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
        _, p, *coefficients, det = min(options, key=lambda o: o[0])
        n0, n1, d0, d1 = map(self.text, coefficients)
        r = self.new
        value = d0 * r**2 - n0, n1 - d1 * r**2
        return self._changed((r, var(ROOT)), p, value, (d1, d0), det, (above, below))

    def _euler(self, whole: Any) -> Move | None:
        """The root of a quadratic polynomial in a parameter whose first or last coefficient is a square."""
        for p in self._parameters(whole):
            if self._degree(whole, p) == 2:
                found = self._first_square(whole, p) or self._value_square(whole, p)
                if found is not None:
                    return found
        return None

    def _first_square(self, whole: Any, p: str) -> Move | None:
        """u = sqrt(whole) + a p for whole = a^2 p^2 + b p + c."""
        u, (c, b, square) = self.new, self._coefficients(whole, p, 3)
        root = _square_root(square)
        if root is None:
            return None
        rest = b * self.field.symbol(p) + c
        tc, tb, a = map(self.text, (c, b, root))
        bound = [(-(a * var(p)), self.sign(rest))] if self.sign(rest) else []
        value, cofactors = (u**2 - tc, tb + 2 * a * u), (4 * a**2, tb - 2 * a * u)
        there = u - a * var(p), var(ROOT) + a * var(p)
        return self._changed(there, p, value, cofactors, b * b - square * c * 4, (whole, self.field.one), bound)

    def _value_square(self, whole: Any, p: str) -> Move | None:
        """u = (p - k)/(sqrt(whole) + g) for whole = a (p - k)^2 + b (p - k) + g^2 and g > 0."""
        u, (c, b, a) = self.new, self._coefficients(whole, p, 3)
        for k in CENTRES:
            root = _square_root(a * (k * k) + b * k + c)
            if root is None or not self._nonzero_sign(root):
                continue
            g, first, middle = map(self.text, (root if self.sign(root) else -root, a, b + a * (2 * k)))
            shifted = var(p) - num(k)
            below = 1 - first * u**2
            value = k * below + (2 * g * u + middle * u**2), below
            one = first**2 * u * (middle * u - 2 * g)
            two = 2 * middle**2 - middle**2 * below - 4 * first * g**2
            there = g + u * (first * shifted + middle), shifted / (var(ROOT) + g)
            sign = self.sign(self.field.symbol(p) - self.field.constant(k))
            signs = [(u, sign)] if sign else []
            det = b * b - a * c * 4
            return self._changed(there, p, value, (one, two - k * one), det, (whole, self.field.one), (), signs)
        return None

    def _changed(
        self,
        there: tuple[Expr, Expr],
        p: str,
        value: tuple[Expr, Expr],
        cofactors: tuple[Expr, Expr],
        det: Any,
        parts: tuple[Any, Any],
        bounds: Iterable[tuple[Expr, int]] = (),
        signs: Iterable[tuple[Expr, int]] = (),
    ) -> Move:
        """The move with root and meaning ``there``; a sign 2 is strict; ``parts`` are those under the root."""
        above, below = parts
        evident = (
            (var(n), self.sign(self.field.symbol(n))) for n in self.field.parameters
        )  # harder to see once p is gone
        conditions = [Relation(">" if s == 2 else ">=", e, _ZERO) for e, s in (*signs, *evident) if s]
        conditions += [Relation("!=", self.text(q), _ZERO) for q in (det, below) if not q.is_constant()]
        lows = [(_ZERO, 2 if self.sign(above) * self.sign(below) == 4 else 1), *bounds]
        return {
            "root": str(self.node),
            "term": str(there[0]),
            "parameter": p,
            "meaning": str(there[1]),
            "above": str(value[0]),
            "below": str(value[1]),
            "cofactors": list(map(str, cofactors)),
            "apart": str(self.text(det)),
            "bounds": [[str(low), s == 2] for low, s in lows],
            "conditions": [str(r) for r in conditions if r not in self.case.where],
        }

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
