"""Expressions as interned immutable trees, relations between them, substitution, and their text."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from itertools import repeat
from typing import Any, ClassVar
from weakref import WeakValueDictionary

from boundcheck.kernel.formula.vocabulary import BINDERS, FAMILIES, FUNCTIONS, RELATIONS

_FLIPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}
_NEGATED = {"<=": ">", ">": "<=", ">=": "<", "<": ">=", "==": "!=", "!=": "=="}


class FormulaError(ValueError):
    """Text that is not a formula. ``column`` counts from 1; ``about`` is what kind of text is at fault, and that text.

    ``mend`` ends the message with what to write instead; the kernel has no such words.
    """

    mend: ClassVar[Callable[[str, str], str]] = staticmethod(lambda kind, text: "")

    def __init__(self, message: str, column: int | None = None, about: tuple[str, str] = ("", "")):
        super().__init__(message if column is None else f"column {column}: {message}")
        self.column, self.about = column, about

    def __str__(self) -> str:
        return super().__str__() + FormulaError.mend(*self.about)


class Expr:
    """An immutable, interned expression node; equal trees are the same object, so they hash and compare as objects do.

    ``op`` is 'num' (``value`` a Fraction), 'var' or 'const' (``value`` a name), 'add' 'sub' 'mul'
    'div' 'pow' (two ``args``), 'neg', a relation symbol (an event of the proof vocabulary), a
    function name, or a binder with ``args = (body, variable, low, high)``.
    """

    __slots__ = ("__weakref__", "_free", "_opaque", "args", "op", "size", "value")
    op: str
    args: tuple[Expr, ...]
    value: Any
    size: int  #: symbols of its text; what stands in it twice is counted twice
    _free: frozenset[str] | None
    _opaque: bool | None
    _interned: ClassVar[WeakValueDictionary[tuple[Any, ...], Expr]] = WeakValueDictionary()

    def __new__(cls, op: str, args: tuple[Expr, ...] = (), value: Any = None) -> Expr:
        # the two parts of a fraction are hashed and compared much faster than the fraction
        key = (op, args, value) if type(value) is not Fraction else (op, value.numerator, value.denominator)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            found.op, found.args, found.value = op, args, value
            found._free = found._opaque = None
            found.size = 1 + sum([a.size for a in args])
            cls._interned[key] = found
        return found

    def __reduce__(self) -> tuple[Any, ...]:
        return (Expr, (self.op, self.args, self.value))

    def __repr__(self) -> str:
        return f"Expr({text(self)!r})"

    def __str__(self) -> str:
        return text(self)

    @property
    def binds(self) -> bool:
        """Whether the second argument is a bound name: integrals, sums, and union, meet, least of a family."""
        return self.op in BINDERS or (self.op in FAMILIES and len(self.args) == 4 and self.args[1].op == "var")

    @property
    def free(self) -> frozenset[str]:
        """The names of the variables that occur free."""
        if self._free is None:
            if self.op == "var":
                self._free = frozenset({self.value})
            elif self.binds:
                body, var, lo, hi = self.args
                self._free = (body.free - var.free) | lo.free | hi.free
            else:
                self._free = frozenset().union(*(a.free for a in self.args))
        return self._free

    def walk(self) -> Iterator[Expr]:
        """Every distinct subexpression, children before parents."""
        seen: set[Expr] = set()
        stack: list[Expr | tuple[Expr]] = [self]
        while stack:
            node = stack.pop()
            if isinstance(node, tuple):  # all below it is done
                yield node[0]
            elif node not in seen:
                seen.add(node)
                if node.args:
                    stack.append((node,))
                    stack.extend(node.args)
                else:
                    yield node

    def each(self, f: Callable[[Expr], Expr]) -> Expr:
        """The same operation on ``f`` of every part; what has no parts stays."""
        return Expr(self.op, tuple(map(f, self.args)), self.value) if self.args else self

    # Arithmetic with folding of exact constants and of neutral elements only.
    def __add__(self, other: ExprLike) -> Expr:
        o = as_expr(other)
        if self.op == "num" and o.op == "num":
            return num(self.value + o.value)
        if is_zero(self):
            return o
        return self if is_zero(o) else Expr("add", (self, o))

    def __sub__(self, other: ExprLike) -> Expr:
        o = as_expr(other)
        if self.op == "num" and o.op == "num":
            return num(self.value - o.value)
        if is_zero(o):
            return self
        return -o if is_zero(self) else Expr("sub", (self, o))

    def __mul__(self, other: ExprLike) -> Expr:
        o = as_expr(other)
        if self.op == "num" and o.op == "num":
            return num(self.value * o.value)
        if is_zero(self) or is_one(o):
            return self
        if is_zero(o) or is_one(self):
            return o
        return Expr("mul", (self, o))

    def __truediv__(self, other: ExprLike) -> Expr:
        o = as_expr(other)
        if self.op == "num" and o.op == "num" and o.value != 0:
            return num(self.value / o.value)
        return self if is_one(o) else Expr("div", (self, o))

    def __pow__(self, other: ExprLike) -> Expr:
        o = as_expr(other)
        if is_one(o):
            return self
        if self.op == "num" and o.op == "num" and o.value.denominator == 1 and abs(o.value) <= 64 and self.value != 0:
            return num(self.value ** int(o.value))
        return Expr("pow", (self, o))

    def __neg__(self) -> Expr:
        if self.op == "num":
            return num(-self.value)
        return self.args[0] if self.op == "neg" else Expr("neg", (self,))

    def __radd__(self, other: ExprLike) -> Expr:
        return as_expr(other) + self

    def __rsub__(self, other: ExprLike) -> Expr:
        return as_expr(other) - self

    def __rmul__(self, other: ExprLike) -> Expr:
        return as_expr(other) * self

    def __rtruediv__(self, other: ExprLike) -> Expr:
        return as_expr(other) / self

    def __rpow__(self, other: ExprLike) -> Expr:
        return as_expr(other) ** self


ExprLike = Expr | int | Fraction


def num(value: int | Fraction) -> Expr:
    """The exact rational constant ``value``."""
    return Expr("num", (), Fraction(value))


def var(name: str) -> Expr:
    """The variable called ``name``."""
    return Expr("var", (), name)


def const(name: str) -> Expr:
    """One of the constants pi, E, oo."""
    return Expr("const", (), name)


def call(name: str, *args: Expr) -> Expr:
    """The function ``name`` applied to ``args``."""
    return Expr(name, args)


def product(a: Expr, b: Expr) -> Expr:
    """``a*b``; 0 times what is no numeral stays, for that has a value only where both have one."""
    return Expr("mul", (a, b)) if (is_zero(a) or is_zero(b)) and not a.op == b.op == "num" else a * b


def as_expr(value: ExprLike) -> Expr:
    """``value`` itself, or an exact integer or fraction as an expression (floats are refused)."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, (int, Fraction)):
        return num(value)
    raise TypeError(f"an expression, int or Fraction is wanted, not {type(value).__name__}")


def is_zero(e: Expr) -> bool:
    """Whether ``e`` is the number 0."""
    return e.op == "num" and e.value == 0


def is_one(e: Expr) -> bool:
    """Whether ``e`` is the number 1."""
    return e.op == "num" and e.value == 1


def endless(e: Expr) -> bool:
    """Whether ``e`` is oo or -oo."""
    return (e.op == "const" and e.value == "oo") or (e.op == "neg" and endless(e.args[0]))


@dataclass(frozen=True)
class Relation:
    """``lhs op rhs`` with ``op`` one of < <= > >= == !=."""

    op: str
    lhs: Expr
    rhs: Expr

    @property
    def sides(self) -> tuple[Expr, Expr]:
        """Both sides."""
        return self.lhs, self.rhs

    @property
    def free(self) -> frozenset[str]:
        return self.lhs.free | self.rhs.free

    def walk(self) -> Iterator[Expr]:
        """Every subterm of the left side, then of the right one."""
        yield from self.lhs.walk()
        yield from self.rhs.walk()

    def __str__(self) -> str:
        return f"{text(self.lhs)} {self.op} {text(self.rhs)}"

    def flipped(self) -> Relation:
        """The same assertion with its sides exchanged."""
        return Relation(_FLIPPED[self.op], self.rhs, self.lhs)

    def negated(self) -> Relation:
        """The assertion that holds exactly where this one fails."""
        return Relation(_NEGATED[self.op], self.lhs, self.rhs)

    def map(self, f: Callable[[Expr], Expr]) -> Relation:
        """The relation with ``f`` of both sides."""
        return Relation(self.op, f(self.lhs), f(self.rhs))

    @property
    def gap(self) -> Expr:
        """The expression that is >= 0 (> 0 if strict) exactly where an ordering relation holds."""
        return self.rhs - self.lhs if self.op in ("<", "<=") else self.lhs - self.rhs

    @property
    def strict(self) -> bool:
        """Whether it excludes equality of the sides."""
        return self.op in ("<", ">", "!=")


def substitute(e: Expr, values: Mapping[str, ExprLike]) -> Expr:
    """``e`` with expressions put for free variables (no capture: a bound name is left alone)."""
    table = {k: as_expr(v) for k, v in values.items()}
    done: dict[tuple[Expr, frozenset[str]], Expr] = {}  # a part may stand in it very often

    def go(node: Expr, bound: frozenset[str]) -> Expr:
        if not (node.free & table.keys()) - bound:
            return node
        if node.op == "var":
            return table[node.value]
        found = done.get((node, bound))
        if found is None:
            found = inside(node, bound) if node.binds else within(node, bound)
            done[node, bound] = found
        return found

    def within(node: Expr, bound: frozenset[str]) -> Expr:
        return Expr(node.op, tuple(map(go, node.args, repeat(bound))), node.value)

    def inside(node: Expr, bound: frozenset[str]) -> Expr:
        body, v, lo, hi = node.args
        inner = bound | v.free
        for name in body.free - inner:
            if name in table and table[name].free & v.free:
                raise FormulaError(f"substituting {name} would capture the bound variable {v.value}")
        return Expr(node.op, (go(body, inner), v, go(lo, bound), go(hi, bound)))

    return go(e, frozenset())


_FOLDING: dict[str, Callable[..., Expr]] = {
    "add": Expr.__add__, "sub": Expr.__sub__, "mul": Expr.__mul__, "div": Expr.__truediv__, "pow": Expr.__pow__,
    "neg": Expr.__neg__,
}  # fmt: skip


def folded(e: Expr) -> Expr:
    """``e`` with the arithmetic of its numbers done, powers of 1 included."""
    args = tuple(map(folded, e.args))
    if e.op == "pow" and is_one(args[0]):
        return num(1)
    return _FOLDING[e.op](*args) if e.op in _FOLDING else Expr(e.op, args, e.value)


def signed_terms(e: Expr) -> list[tuple[Expr, int]]:
    """The signed terms of a sum, equal ones together; sign 0: they cancel, and must be defined."""
    counts: dict[Expr, int] = {}
    stack = [(e, 1)]
    while stack:
        node, s = stack.pop()
        if node.op in ("add", "sub"):
            stack.append((node.args[0], s))
            stack.append((node.args[1], s if node.op == "add" else -s))
        elif node.op == "neg":
            stack.append((node.args[0], -s))
        else:
            counts[node] = counts.get(node, 0) + s
    return [(node * num(abs(k)), 1 if k > 0 else -1) if k else (node, 0) for node, k in counts.items()]


def factors(e: Expr) -> list[tuple[Expr, bool]]:
    """The factors of a product; True for those in the denominator. A quotient there is one: it must have a value."""
    result: list[tuple[Expr, bool]] = []
    stack = [(e, False)]
    while stack:
        node, inverted = stack.pop()
        if node.op == "mul" or (node.op == "div" and not inverted):
            stack.append((node.args[0], inverted))
            stack.append((node.args[1], inverted or node.op == "div"))
        else:
            result.append((node, inverted))
    return result


MAX_DIGITS = 400  #: digits of one numeral as it is written
MAX_NUMERAL_EXPONENT = 400  #: |e| in a numeral such as 1e-6
_LEVEL = {"add": 1, "sub": 1, "mul": 2, "div": 2, "neg": 3, "pow": 4}
_SYMBOL = {"add": " + ", "sub": " - ", "mul": "*", "div": "/", "pow": "**"}


def _numeral(value: Fraction) -> str:
    """A rational number as it is read: 1e400 where its digits, spelt out, would be too many to be read again."""
    if max(abs(value.numerator), value.denominator) < 10**MAX_DIGITS:
        return str(value)
    twos, fives, rest = 0, 0, value.denominator
    while rest % 2 == 0:
        twos, rest = twos + 1, rest // 2
    while rest % 5 == 0:
        fives, rest = fives + 1, rest // 5
    if rest != 1:
        return str(value)  # no decimal; the reader makes none such
    point = max(twos, fives)
    digits = str(abs(value.numerator) * 2 ** (point - twos) * 5 ** (point - fives))
    trimmed = digits.rstrip("0")
    exponent = len(digits) - len(trimmed) - point
    written = max(-MAX_NUMERAL_EXPONENT, min(MAX_NUMERAL_EXPONENT, exponent))
    trimmed += "0" * (exponent - written)
    if (places := written - exponent) > 0:
        trimmed = trimmed.rjust(places, "0")
        trimmed = f"{trimmed[:-places]}.{trimmed[-places:]}"
    return f"{'-' if value < 0 else ''}{trimmed}e{written}"


def text(e: Expr) -> str:
    """The formula text of ``e``; :func:`parse` reads it back to the same expression."""

    def wrap(node: Expr, level: int) -> str:
        inner = text(node)
        own = _LEVEL.get(node.op, 9)
        if node.op == "num":
            own = 9 if node.value.denominator == 1 and node.value >= 0 else 2 if node.value >= 0 else 0
        elif node.op in RELATIONS:
            own = 0
        return inner if own >= level else f"({inner})"

    if e.op == "num":
        return _numeral(e.value)
    if e.op in ("var", "const"):
        return str(e.value)
    if e.op in RELATIONS:
        return f"{wrap(e.args[0], 1)} {e.op} {wrap(e.args[1], 1)}"
    if e.op == "neg":
        return "-" + wrap(e.args[0], 4)  # --x would be read as x
    if e.op == "pow":
        return f"{wrap(e.args[0], 5)}**{wrap(e.args[1], 4)}"
    if e.op in _LEVEL:
        level = _LEVEL[e.op]
        return wrap(e.args[0], level) + _SYMBOL[e.op] + wrap(e.args[1], level + 1)
    return f"{e.op}({', '.join(map(text, e.args))})"


#: Operations of expressions beside functions, binders and relations.
ARITHMETIC = frozenset({"num", "var", "const", "add", "sub", "mul", "div", "pow", "neg", "polygamma"})
_PLAIN = frozenset({*ARITHMETIC, *FUNCTIONS, *BINDERS, *RELATIONS})


def is_opaque(e: Expr) -> bool:
    """Whether the term is taken as it is by scalar reasoning: a head of proofs, a declared function."""
    return e.op not in _PLAIN


def has_opaque(e: Expr) -> bool:
    """Whether an opaque term occurs in ``e``."""
    if e._opaque is None:
        for n in e.walk():
            n._opaque = is_opaque(n) or any(a._opaque for a in n.args)
    return bool(e._opaque)


def free_names(relations: Iterable[Relation]) -> frozenset[str]:
    """All variables that occur free in ``relations``."""
    return frozenset().union(*(r.free for r in relations))
