"""Relations and terms of sympy as those of claims, converted node by node, with what sympy assumes and means.

A symbol's assumptions become conditions; those that no condition says are refused. A sum of sympy from a to b < a - 1
is minus the sum from b + 1 to a - 1 (Karr's convention), where one of a claim has no terms: it becomes the difference
of both, unless its ends are known to be in order.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Sequence
from fractions import Fraction
from typing import Any

from boundcheck.kernel.formula import (
    BINDERS,
    CONSTANTS,
    FUNCTIONS,
    LOOKALIKES,
    Expr,
    FormulaError,
    Relation,
    as_expr,
    call,
    const,
    endless,
    num,
    parse_relations,
    product,
    var,
)

#: Assumptions that are conditions of a claim, each before those that it implies.
_SIGNS = {"zero": "==", "positive": ">", "negative": "<", "nonnegative": ">=", "nonpositive": "<=", "nonzero": "!="}
_SAID = ("integer", *_SIGNS)
_FUNCTION_NAMES = {"Abs": "abs", "Min": "min", "Max": "max", "ceiling": "ceil", "LambertW": "lambertw"} | {
    f: f for f in FUNCTIONS if f not in ("abs", "min", "max", "ceil", "sqrt")
}
_CONSTANT_NAMES = {"Pi": "pi", "Exp1": "E", "Infinity": "oo"}
_ZERO, _ONE = num(0), num(1)


def read_sympy(
    relation: Any, where: Sequence[Any] = ()
) -> tuple[tuple[Relation, ...], tuple[Relation, ...], frozenset[str]]:
    """The relations of a claim, its conditions and its integers; texts among ``where`` are read as they are.

    Without a ``relation`` the conditions alone are read. Raises FormulaError, and TypeError for what is no relation.
    """
    items = [r for item in (relation, *where) if item is not None for r in _relations(item)]
    _one_symbol_a_name(items)
    symbols = set().union(*(r.free_symbols for r in items if not isinstance(r, Relation)))
    conditions: list[Relation] = []
    integers = set()
    for s in sorted(symbols, key=str):
        said, whole = _assumptions(s)
        conditions += said
        integers |= {s.name} if whole else set()
    given = [r for item in where for r in _relations(item)]
    read = FromSympy(tuple(conditions), frozenset(integers))
    conditions = [*map(read.relation, given), *conditions]
    read = FromSympy(tuple(conditions), frozenset(integers))
    claim = tuple(map(read.relation, [] if relation is None else _relations(relation)))
    occurring = frozenset().union(*(r.free for r in (*claim, *conditions)))
    return claim, tuple(conditions), frozenset(integers & occurring)


def expression_from_sympy(e: Any) -> Expr:
    """A sympy expression as a formula. Raises FormulaError for what has no counterpart."""
    return FromSympy()(e)


def _relations(item: Any) -> list[Any]:
    """The relations of a text, of a sympy relation, or of an And of them."""
    if isinstance(item, str):
        return list(parse_relations(item))
    import sympy  # only users of sympy pay for its import

    if isinstance(item, sympy.And):
        return [r for a in item.args for r in _relations(a)]
    if isinstance(item, sympy.core.relational.Relational):
        return [item]
    if item in (True, False, sympy.true, sympy.false):
        raise TypeError("sympy has decided the relation by itself; build it with evaluate=False")
    raise TypeError(f"a relation is wanted, not {type(item).__name__}")


def _one_symbol_a_name(items: Sequence[Any]) -> None:
    """Refuse two symbols of one name, bound ones too: a claim would take them for one. Raises FormulaError."""
    symbols = {s for item in items if not isinstance(item, Relation) for s in item.atoms() if s.is_Symbol}
    twice = [name for name, count in Counter(s.name for s in symbols).items() if count > 1]
    if twice:
        raise FormulaError(f"two different symbols are called {min(twice)}; rename one, or give both its assumptions")


def _assumptions(s: Any) -> tuple[list[Relation], bool]:
    """What is assumed of a real symbol, as conditions, and whether it is an integer.

    Raises FormulaError where that leaves something out, as of an even or an irrational number.
    """
    import sympy

    try:
        known = sympy.Dummy(**{**s.assumptions0, "real": True}).assumptions0
    except ValueError:  # inconsistent
        raise FormulaError(f"{s.name} is not real; variables of a claim range over the reals") from None
    said = sympy.Dummy(real=True, **{k: True for k in _SAID if known.get(k)}).assumptions0
    left_out = sorted((k for k in known if said.get(k) is not known[k]), key=lambda k: (not known[k], k))
    if left_out:
        what = left_out[0] if known[left_out[0]] else f"not {left_out[0]}"
        raise FormulaError(
            f"{s.name} is assumed {what}, which no condition of a claim says; write 2*m for an even number"
        )
    x = var(s.name)
    found = next(([Relation(op, x, _ZERO)] for k, op in _SIGNS.items() if known.get(k)), [])
    return found, bool(known.get("integer"))


class FromSympy:
    """Structural conversion of sympy expressions, under conditions and with names of integers."""

    def __init__(self, conditions: tuple[Relation, ...] = (), integers: frozenset[str] = frozenset()):
        self.conditions, self.integers = conditions, integers

    def relation(self, r: Any) -> Relation:
        """A relation of sympy; one that was read from a text stays."""
        return r if isinstance(r, Relation) else Relation(r.rel_op, self(r.lhs), self(r.rhs))

    def __call__(self, e: Any) -> Expr:
        kind = type(e).__name__
        if e.is_Rational:
            return num(Fraction(int(e.p), int(e.q)))
        if e.is_Float:
            raise FormulaError(f"{e} is a float; use sympy.Rational, for instance Rational(1, 10)")
        if e.is_Symbol:
            return self._symbol(e)
        if kind in _CONSTANT_NAMES:
            return const(_CONSTANT_NAMES[kind])
        if kind == "NegativeInfinity":
            return -const("oo")
        if e.is_Add or e.is_Mul:
            parts = [self(a) for a in e.args]
            total = parts[0]
            for part in parts[1:]:
                total = total + part if e.is_Add else product(total, part)
            return total
        if e.is_Pow:
            return self(e.base) ** self(e.exp)
        if kind in _FUNCTION_NAMES and e.args:
            name = _FUNCTION_NAMES[kind]
            if len(e.args) != (FUNCTIONS[name] or max(len(e.args), 1)):  # LambertW(x, -1) is another branch
                raise FormulaError(f"{e}: {name} of a claim has one argument")
            return call(name, *(self(a) for a in e.args))
        if kind in ("Integral", "Sum"):
            return self._bound(e.function, list(e.limits), "integral" if kind == "Integral" else "sum")
        raise FormulaError(f"{kind} has no counterpart among the functions of a claim")

    def _symbol(self, s: Any) -> Expr:
        plain = s.name.isascii() and s.name.isidentifier()
        if s.name in {*CONSTANTS, *FUNCTIONS, *BINDERS} or s.name.lower() in LOOKALIKES or not plain:
            raise FormulaError(f"{s.name!r} cannot name a variable; rename the symbol")
        if s.is_extended_real is False:
            raise FormulaError(f"{s.name} is not real; variables of a claim range over the reals")
        return var(s.name)

    def _bound(self, body: Any, limits: list[Any], head: str) -> Expr:
        """An integral or sum; the last of the limits is the outermost one."""
        if not limits:
            return self(body)
        *inner, limit = limits
        if len(limit) != 3:
            raise FormulaError("an integral or sum needs both ends")
        name, low, high = self._symbol(limit[0]), as_expr(self(limit[1])), as_expr(self(limit[2]))

        def over(read: Callable[..., Expr], a: Expr, b: Expr) -> Expr:
            return Expr(head, (read(body, inner, head), name, a, b))

        if head == "integral":
            return over(self._bound, low, high)
        own = str(name.value)
        others = tuple(r for r in self.conditions if own not in r.free)
        if not FromSympy(others, self.integers - {own})._ordered(low, high):
            plain = FromSympy(others, self.integers | {own})._bound
            return over(plain, low, high) - over(plain, high + 1, low - 1)
        inside = [Relation(">=", name, low), *([] if endless(high) else [Relation("<=", name, high)])]
        return over(FromSympy((*others, *inside), self.integers | {own})._bound, low, high)

    def _ordered(self, low: Expr, high: Expr) -> bool:
        """Whether a sum between these ends is known to have a term, or to end just below its beginning."""
        if endless(high):
            return True
        from boundcheck.kernel.check.nodes_read import need  # python-flint, which tables are printed without
        from boundcheck.kernel.check.sequent import Sequent

        goals = (Relation(">=", high - low, _ZERO), Relation(">=", high - low + _ONE, _ZERO))
        return any(not need(g, Sequent(self.conditions, g, self.integers)) for g in goals)
