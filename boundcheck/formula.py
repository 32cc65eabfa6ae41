"""Formula text <-> expression: one grammar, one closed list of functions, exact rational numbers.

The reader is its own tokenizer and precedence parser: text is data and is never evaluated as code.
An :class:`Expr` is an immutable, interned tree; a :class:`Relation` compares two of them.
Two vocabularies share the grammar: claims (the closed list of ``FUNCTIONS``) and proofs, which add
the opaque heads of ``PROOF_HEADS`` (probability, expectation, norm, ...).
"""

from __future__ import annotations

import difflib
import re
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass
from fractions import Fraction
from typing import Any, ClassVar
from weakref import WeakValueDictionary

MAX_LENGTH = 20_000  #: characters in one formula
MAX_DEPTH = 120  #: nesting of one formula
MAX_DIGITS = 400  #: digits of one numeral
MAX_NUMERAL_EXPONENT = 400  #: |e| in a numeral such as 1e-6
MAX_POWER = 10**6  #: product of the literal integer exponents on one path

#: name -> number of arguments (None: two or more). The closed list of functions of a claim.
FUNCTIONS: dict[str, int | None] = {
    **dict.fromkeys(("exp", "log", "sqrt", "abs", "sin", "cos", "tan", "asin", "acos", "atan"), 1),
    **dict.fromkeys(("sinh", "cosh", "tanh", "gamma", "loggamma", "erf", "erfc", "floor", "ceil"), 1),
    "min": None,
    "max": None,
}
BINDERS = ("integral", "sum")  #: integral(body, t, lo, hi), sum(body, k, lo, hi)
CONSTANTS = ("pi", "E", "oo")
#: Heads of the proof vocabulary and their meaning: compared as terms, never evaluated.
PROOF_HEADS: dict[str, str] = {
    "P": "probability of an event",
    "E": "expectation (of a scalar or of a vector)",
    "Pgiven": "conditional probability of an event given a random variable or the past",
    "Egiven": "conditional expectation given a random variable or the past",
    "ind": "indicator of an event",
    "law": "law of a random variable",
    "sphere": "uniform law on the unit sphere of R^d",
    "ball": "uniform law on the unit ball of R^d",
    "independent": "1 if the two random objects are independent",
    "iid": "1 if the terms over the index are independent (of the past) and identically distributed",
    "measurable": "1 if the first is measurable with respect to the second",
    "norm": "Euclidean norm",
    "dot": "Euclidean inner product",
    "clip": "scalar clipping psi_tau: clip(z, tau) = z min(1, tau/|z|)",
    "f": "the objective",
    "F": "the sample objective F(.; xi)",
    "fmu": "the spherical smoothing of f",
    "gradf": "gradient of f",
    "gradF": "gradient of F(.; xi)",
    "gradfmu": "gradient of the smoothing of f",
    "slopef": "two-point slope D_mu f(x, u) of f",
    "slopeF": "two-point slope (F(x+mu u; xi) - F(x-mu u; xi))/(2 mu)",
    "at": "a member of an indexed family of vectors or scalars",
    "least": "least of the terms of an indexed family",
    "union": "union of the events of an indexed family",
    "meet": "intersection of the events of an indexed family",
    "both": "intersection of two events",
    "either": "union of two events",
    "complement": "complement of an event",
}
RELATIONS = ("<=", ">=", "==", "!=", "<", ">")
_FLIPPED = {"<=": ">=", ">=": "<=", "<": ">", ">": "<", "==": "==", "!=": "!="}
_NEGATED = {"<=": ">", ">": "<=", ">=": "<", "<": ">=", "==": "!=", "!=": "=="}


class FormulaError(ValueError):
    """Text that is not a formula. ``column`` counts from 1."""

    def __init__(self, message: str, column: int | None = None):
        super().__init__(message if column is None else f"column {column}: {message}")
        self.column = column


class Expr:
    """An immutable, interned expression node; equal trees are the same object.

    ``op`` is 'num' (``value`` a Fraction), 'var' or 'const' (``value`` a name), 'add' 'sub' 'mul'
    'div' 'pow' (two ``args``), 'neg', a relation symbol (an event of the proof vocabulary), a
    function name, or a binder with ``args = (body, variable, low, high)``.
    """

    __slots__ = ("__weakref__", "_free", "_hash", "args", "op", "value")
    op: str
    args: tuple[Expr, ...]
    value: Any
    _hash: int
    _free: frozenset[str] | None
    _interned: ClassVar[WeakValueDictionary[tuple[Any, ...], Expr]] = WeakValueDictionary()

    def __new__(cls, op: str, args: tuple[Expr, ...] = (), value: Any = None) -> Expr:
        key = (op, args, value)
        found = cls._interned.get(key)
        if found is None:
            found = object.__new__(cls)
            found.op, found.args, found.value = op, args, value
            found._hash, found._free = hash(key), None
            cls._interned[key] = found
        return found

    def __hash__(self) -> int:
        return self._hash

    def __eq__(self, other: object) -> bool:
        return self is other

    def __reduce__(self) -> tuple[Any, ...]:
        return (Expr, (self.op, self.args, self.value))

    def __repr__(self) -> str:
        return f"Expr({text(self)!r})"

    def __str__(self) -> str:
        return text(self)

    @property
    def free(self) -> frozenset[str]:
        """The names of the variables that occur free."""
        if self._free is None:
            if self.op == "var":
                self._free = frozenset({self.value})
            elif self.op in BINDERS:
                body, var, lo, hi = self.args
                self._free = (body.free - var.free) | lo.free | hi.free
            else:
                self._free = frozenset().union(*(a.free for a in self.args))
        return self._free

    def walk(self) -> Iterator[Expr]:
        """Every distinct subexpression, children before parents."""
        seen: set[Expr] = set()
        stack: list[tuple[Expr, bool]] = [(self, False)]
        while stack:
            node, done = stack.pop()
            if done:
                yield node
            elif node not in seen:
                seen.add(node)
                stack.append((node, True))
                stack.extend((a, False) for a in node.args)

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


def as_expr(value: ExprLike) -> Expr:
    """``value`` itself, or an exact integer or fraction as an expression (floats are refused)."""
    if isinstance(value, Expr):
        return value
    if isinstance(value, (int, Fraction)):
        return num(value)
    raise TypeError(f"an expression, int or Fraction is wanted, not {type(value).__name__}")


def is_zero(e: Expr) -> bool:
    return e.op == "num" and e.value == 0


def is_one(e: Expr) -> bool:
    return e.op == "num" and e.value == 1


@dataclass(frozen=True)
class Relation:
    """``lhs op rhs`` with ``op`` one of < <= > >= == !=."""

    op: str
    lhs: Expr
    rhs: Expr

    @property
    def free(self) -> frozenset[str]:
        return self.lhs.free | self.rhs.free

    def __str__(self) -> str:
        return f"{text(self.lhs)} {self.op} {text(self.rhs)}"

    def flipped(self) -> Relation:
        """The same assertion with its sides exchanged."""
        return Relation(_FLIPPED[self.op], self.rhs, self.lhs)

    def negated(self) -> Relation:
        """The assertion that holds exactly where this one fails."""
        return Relation(_NEGATED[self.op], self.lhs, self.rhs)

    def map(self, f: Callable[[Expr], Expr]) -> Relation:
        return Relation(self.op, f(self.lhs), f(self.rhs))

    @property
    def gap(self) -> Expr:
        """The expression that is >= 0 (> 0 if strict) exactly where an ordering relation holds."""
        if self.op in ("<", "<="):
            return self.rhs - self.lhs
        if self.op in (">", ">="):
            return self.lhs - self.rhs
        return self.lhs - self.rhs

    @property
    def strict(self) -> bool:
        return self.op in ("<", ">", "!=")


def substitute(e: Expr, values: Mapping[str, ExprLike]) -> Expr:
    """``e`` with expressions put for free variables (no capture: a bound name is left alone)."""
    table = {k: as_expr(v) for k, v in values.items()}

    def go(node: Expr, bound: frozenset[str]) -> Expr:
        if not (node.free & table.keys()) - bound:
            return node
        if node.op == "var":
            return table[node.value]
        if node.op in BINDERS:
            body, v, lo, hi = node.args
            inner = bound | v.free
            for name in body.free - inner:
                if name in table and table[name].free & v.free:
                    raise FormulaError(f"substituting {name} would capture the bound variable {v.value}")
            return Expr(node.op, (go(body, inner), v, go(lo, bound), go(hi, bound)))
        return Expr(node.op, tuple(go(a, bound) for a in node.args), node.value)

    return go(e, frozenset())


# ---------------------------------------------------------------- printing

_LEVEL = {"add": 1, "sub": 1, "mul": 2, "div": 2, "neg": 3, "pow": 4}
_SYMBOL = {"add": " + ", "sub": " - ", "mul": "*", "div": "/", "pow": "**"}


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
        return str(e.value)
    if e.op in ("var", "const"):
        return str(e.value)
    if e.op in RELATIONS:
        return f"{wrap(e.args[0], 1)} {e.op} {wrap(e.args[1], 1)}"
    if e.op == "neg":
        return "-" + wrap(e.args[0], 3)
    if e.op == "pow":
        return f"{wrap(e.args[0], 5)}**{wrap(e.args[1], 4)}"
    if e.op in _LEVEL:
        level = _LEVEL[e.op]
        return wrap(e.args[0], level) + _SYMBOL[e.op] + wrap(e.args[1], level + 1)
    return f"{e.op}({', '.join(map(text, e.args))})"


# ---------------------------------------------------------------- reading

_TOKEN = re.compile(
    r"\s*(?:(?P<num>(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<op>\*\*|<=|>=|==|!=|[-+*/()<>,]))"
)
_WANTED = {"^": "write ** for a power", "=": "write == for equality", "&": "put one relation in each string"}


def _number(token: str, column: int) -> Fraction:
    mantissa, _, exponent = token.lower().partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise FormulaError(f"a numeral of {len(mantissa)} digits; at most {MAX_DIGITS} are read", column)
    if exponent and (len(exponent) > 6 or abs(int(exponent)) > MAX_NUMERAL_EXPONENT):
        raise FormulaError(f"exponent {exponent[:12]} of a numeral; at most {MAX_NUMERAL_EXPONENT} is read", column)
    return Fraction(mantissa.rstrip(".") if mantissa.endswith(".") else mantissa) * Fraction(10) ** int(exponent or 0)


class _Reader:
    def __init__(self, source: str, heads: Mapping[str, str]):
        if not isinstance(source, str):
            raise FormulaError(f"a formula is text, not {type(source).__name__}")
        if len(source) > MAX_LENGTH:
            raise FormulaError(f"a formula of {len(source)} characters; at most {MAX_LENGTH} are read")
        self.heads = heads
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while source[at:].strip():
            match = _TOKEN.match(source, at)
            if match is None:
                bad = len(source) - len(source[at:].lstrip())
                hint = _WANTED.get(source[bad])
                raise FormulaError(f"unexpected {source[bad]!r}" + (f"; {hint}" if hint else ""), bad + 1)
            kind = str(match.lastgroup)
            self.tokens.append((kind, match.group(kind), match.start(kind) + 1))
            at = match.end()
        self.tokens.append(("end", "end of text", len(source) + 1))
        self.at = 0
        self.depth = 0

    @property
    def peek(self) -> str:
        return self.tokens[self.at][1]

    def take(self) -> tuple[str, str, int]:
        token = self.tokens[self.at]
        self.at += 1
        return token

    def expect(self, symbol: str) -> None:
        kind, found, column = self.tokens[self.at]
        if kind == "end" or found != symbol:
            raise FormulaError(f"{symbol!r} expected, found {found!r}", column)
        self.at += 1

    def relation_chain(self) -> list[Relation]:
        sides, ops = [self.sum()], []
        while self.peek in RELATIONS:
            ops.append(self.take()[1])
            sides.append(self.sum())
        return [Relation(op, a, b) for op, a, b in zip(ops, sides, sides[1:], strict=False)]

    def sum(self) -> Expr:
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormulaError(f"nesting deeper than {MAX_DEPTH}", self.tokens[self.at][2])
        left = self.product()
        while self.peek in ("+", "-"):
            op = "add" if self.take()[1] == "+" else "sub"
            left = Expr(op, (left, self.product()))
        self.depth -= 1
        return left

    def product(self) -> Expr:
        left = self.unary()
        while self.peek in ("*", "/"):
            op = "mul" if self.take()[1] == "*" else "div"
            right = self.unary()
            if op == "div" and left.op == right.op == "num" and right.value != 0:
                left = left / right  # 3/4 is the rational number
            else:
                left = Expr(op, (left, right))
        return left

    def unary(self) -> Expr:
        signs = 0
        while self.peek in ("+", "-"):
            signs += self.take()[1] == "-"
        inner = self.power()
        if not signs % 2:
            return inner
        return -inner if inner.op == "num" else Expr("neg", (inner,))

    def power(self) -> Expr:
        base = self.atom()
        if self.peek != "**":
            return base
        self.take()
        self.depth += 1
        if self.depth > MAX_DEPTH:
            raise FormulaError(f"nesting deeper than {MAX_DEPTH}", self.tokens[self.at][2])
        exponent = self.unary()
        self.depth -= 1
        return Expr("pow", (base, exponent))

    def atom(self) -> Expr:
        kind, token, column = self.take()
        if kind == "num":
            return num(_number(token, column))
        if kind == "name":
            if self.peek == "(" and self.tokens[self.at][0] == "op":
                return self.application(token, column)
            if token in CONSTANTS:
                return const(token)
            if token in FUNCTIONS or token in BINDERS:
                raise FormulaError(f"{token} is a function and wants its arguments in parentheses", column)
            return var(token)
        if token == "(":
            inner = self.sum()
            self.expect(")")
            return inner
        raise FormulaError(f"a number, a name or '(' expected, found {token!r}", column)

    def argument(self) -> Expr:
        if not self.heads:
            return self.sum()
        chain_start = self.at
        chain = self.relation_chain()
        if not chain:
            self.at = chain_start
            return self.sum()
        if len(chain) > 1:
            raise FormulaError("one relation, not a chain, is wanted in an event", self.tokens[chain_start][2])
        return Expr(chain[0].op, (chain[0].lhs, chain[0].rhs))

    def application(self, name: str, column: int) -> Expr:
        if name not in FUNCTIONS and name not in BINDERS and name not in self.heads:
            known = [*FUNCTIONS, *BINDERS, *sorted(self.heads)]
            near = difflib.get_close_matches({"ln": "log", "lgamma": "loggamma"}.get(name, name), known, 1)
            raise FormulaError(f"unknown function {name}" + (f"; did you mean {near[0]}?" if near else ""), column)
        self.expect("(")
        args = [self.argument()]
        while self.peek == ",":
            self.take()
            args.append(self.argument())
        self.expect(")")
        if name in BINDERS:
            if len(args) != 4 or args[1].op != "var":
                raise FormulaError(f"{name} is written {name}(expression, variable, from, to)", column)
        elif name in FUNCTIONS:
            wanted = FUNCTIONS[name]
            if (wanted is None and len(args) < 2) or (wanted is not None and len(args) != wanted):
                raise FormulaError(f"{name} wants {wanted or 'two or more'} arguments, got {len(args)}", column)
        return Expr(name, tuple(args))

    def finish(self) -> None:
        kind, token, column = self.tokens[self.at]
        if kind != "end":
            hint = "; a product is written with *" if kind in ("num", "name") or token == "(" else ""
            raise FormulaError(f"unexpected {token!r}{hint}", column)


def _check_caps(e: Expr, proof: bool) -> None:
    """Refuse towers of large literal powers, and oo anywhere but as an end of a binder."""
    weight: dict[Expr, int] = {}
    ends = {a for n in e.walk() if n.op in BINDERS for a in n.args[2:]}
    ends |= {a.args[0] for a in ends if a.op == "neg"}
    for node in e.walk():
        if node.op == "const" and node.value == "oo" and node not in ends and node is not e:
            raise FormulaError("oo stands only as an end of integral(...) or sum(...)")
        own = max((weight[a] for a in node.args), default=1)
        if node.op == "pow":
            exponent = node.args[1].args[0] if node.args[1].op == "neg" else node.args[1]
            if exponent.op == "num":
                own *= max(1, abs(int(exponent.value)))
            elif not exponent.free and any(n.op == "pow" for n in exponent.walk()):
                raise FormulaError("a power whose exponent is itself a constant power is refused")
        if own > MAX_POWER:
            raise FormulaError(f"literal exponents multiply to {own}; at most {MAX_POWER} is read")
        weight[node] = own
    if e.op == "const" and e.value == "oo" and not proof:
        raise FormulaError("oo stands only as an end of integral(...) or sum(...)")


def parse(source: str, *, proof: bool = False) -> Expr:
    """Read one expression. ``proof=True`` admits the opaque heads of the proof vocabulary.

    Raises :class:`FormulaError` with the column and, where one is known, the mend.
    """
    reader = _Reader(source, PROOF_HEADS if proof else {})
    result = reader.sum()
    reader.finish()
    _check_caps(result, proof)
    return result


def parse_relations(source: str, *, proof: bool = False) -> tuple[Relation, ...]:
    """Read one relation, or a chain ``a < b <= c`` as its conjunction."""
    reader = _Reader(source, PROOF_HEADS if proof else {})
    chain = reader.relation_chain()
    reader.finish()
    if not chain:
        raise FormulaError("a relation (<, <=, >, >=, ==, !=) is wanted")
    for r in chain:
        _check_caps(r.lhs, proof)
        _check_caps(r.rhs, proof)
    return tuple(chain)


def parse_relation(source: str, *, proof: bool = False) -> Relation:
    """Read exactly one relation (no chain)."""
    relations = parse_relations(source, proof=proof)
    if len(relations) != 1:
        raise FormulaError("one relation, not a chain, is wanted here")
    return relations[0]


def free_names(relations: Iterable[Relation]) -> frozenset[str]:
    """All variables that occur free in ``relations``."""
    return frozenset().union(*(r.free for r in relations))
