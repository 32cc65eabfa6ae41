"""Reading formula text: a tokenizer and a precedence parser; text is data and is never evaluated as code."""

from __future__ import annotations

import re
from collections.abc import Mapping
from fractions import Fraction
from functools import lru_cache

from boundcheck.kernel.formula.tree import (
    ARITHMETIC,
    MAX_DIGITS,
    MAX_NUMERAL_EXPONENT,
    Expr,
    FormulaError,
    Relation,
    const,
    num,
    var,
)
from boundcheck.kernel.formula.vocabulary import (
    BINDERS,
    CONSTANTS,
    FUNCTIONS,
    LOOKALIKES,
    PROOF_HEADS,
    RELATIONS,
)

MAX_LENGTH = 20_000  #: characters in one formula
MAX_DEPTH = 120  #: nesting of one formula
MAX_POWER = 10**6  #: product of the literal integer exponents on one path

_TOKEN = re.compile(
    r"\s*(?:(?P<num>(?:[0-9]+\.?[0-9]*|\.[0-9]+)(?:[eE][+-]?[0-9]+)?)|(?P<name>[A-Za-z_][A-Za-z0-9_]*)"
    r"|(?P<op>\*\*|<=|>=|==|!=|[-+*/()<>,]))"
)


def _digits(value: Fraction) -> int:
    """Digits of the longer of numerator and denominator."""
    longest = max(abs(value.numerator), value.denominator)
    about = int(longest.bit_length() * 0.30103)
    return about + 1 if longest >= 10**about else about


def _number(token: str, column: int) -> Fraction:
    mantissa, _, exponent = token.lower().partition("e")
    if len(mantissa) > MAX_DIGITS:
        raise FormulaError(f"a numeral of {len(mantissa)} digits; at most {MAX_DIGITS} are read", column)
    if exponent and (len(exponent.lstrip("+-0")) > 6 or abs(int(exponent)) > MAX_NUMERAL_EXPONENT):
        shown = exponent if len(exponent) <= 100 else f"of {len(exponent)} digits"
        raise FormulaError(f"exponent {shown} of a numeral; at most {MAX_NUMERAL_EXPONENT} is read", column)
    return Fraction(mantissa) * Fraction(10) ** int(exponent or 0)


class _Reader:
    def __init__(self, source: str, heads: Mapping[str, str]):
        self.heads = heads
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while source[at:].strip():
            match = _TOKEN.match(source, at)
            if match is None:
                bad = len(source) - len(source[at:].lstrip())
                raise FormulaError(f"unexpected {source[bad]!r}", bad + 1, ("sign", source[bad : bad + 2]))
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
            if op == "div" and _spelt(left, right):
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
            if token.lower() in LOOKALIKES:
                raise FormulaError(f"{token} is no number and no variable here", column, ("name", token))
            if token in FUNCTIONS or token in BINDERS:
                told = f"for a name of your own write {token}0, say"
                raise FormulaError(f"{token} is a function and wants its arguments in parentheses; {told}", column)
            return var(token)
        if token == "(":
            inner = self.sum()
            self.expect(")")
            return inner
        pair = self.tokens[self.at - 2][1] + token if self.at > 1 else ""
        raise FormulaError(f"a number, a name or '(' expected, found {token!r}", column, ("pair", pair))

    def argument(self) -> Expr:
        """A term; in a proof also an event, one relation between terms."""
        start = self.tokens[self.at][2]
        left = self.sum()
        if not self.heads or self.peek not in RELATIONS:
            return left
        op, right = self.take()[1], self.sum()
        if self.peek in RELATIONS:
            raise FormulaError("one relation, not a chain, is wanted in an event", start)
        return Expr(op, (left, right))

    def application(self, name: str, column: int) -> Expr:
        if name not in FUNCTIONS and name not in BINDERS and not self.heads:  # in a proof: a declared function
            raise FormulaError(f"unknown function {name}", column, ("function", name))
        if name in ARITHMETIC:  # a term of that kind with other parts has no meaning
            raise FormulaError(f"{name} is no function: sums, products and powers are written with + - * / **", column)
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
            raise FormulaError(f"unexpected {token!r}", column, ("rest", token))


def _spelt(left: Expr, right: Expr) -> bool:
    """Whether left/right is a rational number that can be spelt out within the cap."""
    if not left.op == right.op == "num" or right.value == 0:
        return False
    return _digits(left.value / right.value) <= MAX_DIGITS


def _check_caps(e: Expr, proof: bool) -> None:
    """Refuse towers of large literal powers, and oo anywhere but as an end of a binder."""
    weight: dict[Expr, int] = {}
    minus = Expr("neg", (const("oo"),))
    for node in e.walk():
        inside = node.args[:2] if node.op in BINDERS else node.args
        if node is not minus and {minus, const("oo")} & set(inside):
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
    if e is minus or (e is const("oo") and not proof):
        raise FormulaError("oo stands only as an end of integral(...) or sum(...)")


#: Texts whose terms are kept: a proof reads the same facts again for every step.
KEPT = 16_384


def parse(source: str, *, proof: bool = False) -> Expr:
    """Read one expression. ``proof=True`` admits the opaque heads of the proof vocabulary.

    Raises :class:`FormulaError` with the column and, where one is known, the mend.
    """
    return _parse(_text(source), proof)


def parse_relations(source: str, *, proof: bool = False) -> tuple[Relation, ...]:
    """Read one relation, or a chain ``a < b <= c`` as its conjunction."""
    return _parse_relations(_text(source), proof)


def parse_relation(source: str, *, proof: bool = False) -> Relation:
    """Read exactly one relation (no chain)."""
    relations = parse_relations(source, proof=proof)
    if len(relations) != 1:
        raise FormulaError("one relation, not a chain, is wanted here")
    return relations[0]


def _text(source: object) -> str:
    if not isinstance(source, str):
        raise FormulaError(f"a formula is text, not {type(source).__name__}")
    if len(source) > MAX_LENGTH:
        raise FormulaError(f"a formula of {len(source)} characters; at most {MAX_LENGTH} are read")
    return source


@lru_cache(maxsize=KEPT)
def _parse(source: str, proof: bool) -> Expr:
    reader = _Reader(source, PROOF_HEADS if proof else {})
    result = reader.sum()
    reader.finish()
    _check_caps(result, proof)
    return result


@lru_cache(maxsize=KEPT)
def _parse_relations(source: str, proof: bool) -> tuple[Relation, ...]:
    reader = _Reader(source, PROOF_HEADS if proof else {})
    chain = reader.relation_chain()
    reader.finish()
    if not chain:
        raise FormulaError("a relation (<, <=, >, >=, ==, !=) is wanted")
    for r in chain:
        _check_caps(r.lhs, proof)
        _check_caps(r.rhs, proof)
    return tuple(chain)
