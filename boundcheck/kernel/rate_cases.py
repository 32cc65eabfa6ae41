"""A claim with max, min, |.|, square roots of parameters and bare norms, as claims without them, case by case.

max(a, b) makes the cases a >= b and b >= a, both of them here. A root sqrt(e) goes by moves, which a search finds and
a certificate names. Each adds to ``defined`` what it rests on: claims about the parameters on the domain as it then
is. If the case after a move holds on its domain, and these claims hold, then so does the case before it:

- ``factor`` s and ``under`` d put s sqrt(d) for sqrt(e). Checked: e = s^2 d is an identity. Claimed: e, d and s are
  defined and >= 0 (of s = |q| only that q is defined). Two numbers >= 0 with the same square are one.
- A change of parameters puts a polynomial ``term`` t for sqrt(e), and ``above``/``below`` = a/b for a parameter p,
  with a new parameter u in them. Let x be a point of the domain before, r = sqrt(e) there, and u the value of
  ``meaning``, a term in x and r. Checked: modulo r^2 = e, t = r and a = p b for this u; and f a + g b = c, with
  polynomials f and g (``cofactors``) and with a term c (``apart``) of the parameters before. Claimed: e - l^2 >= 0 for
  each l of ``bounds`` (> 0 for a strict one), so that r is defined and r >= l; that ``meaning`` is defined; that
  c != 0; and each of ``conditions``, for this u. Were b = 0, then a = p b = 0 and c = 0. So p = a/b and sqrt(e) = t:
  at (x, u) the case after the move says what the case before says at x. The relations that its domain has more, t >= l
  for each l and ``conditions``, hold at (x, u).

So a wrong move is refused, or rests on a claim that has no proof, or makes a case that says more than is wanted: its
domain may have points that come from none of the domain before. For this reason a counterexample is never read through
a move (``witness.refutes``). New names have a double underscore, and no text of a rate has one.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass, replace
from typing import Any

from boundcheck.kernel.check.ratios import Field, roots_of
from boundcheck.kernel.clock import deadline
from boundcheck.kernel.formula import (
    Expr,
    Relation,
    call,
    has_opaque,
    num,
    parse,
    parse_relation,
    product,
    substitute,
    var,
)
from boundcheck.kernel.statement import GramClaim

MAX_CASES = 16  #: cases that one claim is split into
MAX_MOVES = 40  #: moves in one case
MAX_SIZE = 50_000  #: parts of one term
ROOT = "root__"  #: in the ``meaning`` of a new parameter: the root that is taken out
_ANY = "any__"  #: the vector of claims about parameters alone
_ZERO, _ONE = num(0), num(1)


class CaseError(ValueError):
    """More cases than are read, or a move that is none."""


@dataclass(frozen=True)
class Case:
    """``goal`` under ``hypotheses`` on the domain ``where``, if all of ``defined`` hold.

    ``steps`` are the replacements, in order, that lead to it from the text; ``meaning`` says what each new parameter
    is in those before it.
    """

    goal: Relation
    hypotheses: tuple[Relation, ...]
    where: tuple[Relation, ...]
    defined: tuple[GramClaim, ...] = ()
    steps: tuple[tuple[Expr, Expr], ...] = ()
    meaning: tuple[tuple[str, Expr], ...] = ()
    moves: int = 0

    @property
    def nodes(self) -> Iterable[Expr]:
        """All terms, the goal's first, parts before the whole."""
        relations = (self.goal, *self.hypotheses, *self.where)
        return (n for r in relations for n in r.walk())

    def parameters(self, vectors: frozenset[str]) -> frozenset[str]:
        """The names that are ranged in the domain."""
        sides = (s for r in self.where for s in r.sides if not has_opaque(s))
        return frozenset().union(*(s.free for s in sides)) - vectors

    def put(self, old: Expr, new: Expr) -> Case:
        """``new`` in place of ``old`` everywhere."""

        def there(r: Relation) -> Relation:
            return r.map(lambda e: swap(e, old, new))

        hypotheses, where = tuple(map(there, self.hypotheses)), tuple(dict.fromkeys(map(there, self.where)))
        case = replace(self, goal=there(self.goal), hypotheses=hypotheses, where=where)
        sizes: dict[Expr, int] = {}
        for n in case.nodes:
            sizes[n] = 1 + sum(sizes[a] for a in n.args)
            if sizes[n] > MAX_SIZE:
                raise CaseError(f"a term of more than {MAX_SIZE} parts")
        return replace(case, steps=(*self.steps, (old, new)))

    def given(self, *more: Relation) -> Case:
        """With further relations: of parameters alone in the domain, others among the hypotheses."""
        plain = [r for r in more if not (has_opaque(r.lhs) or has_opaque(r.rhs))]
        return replace(
            self,
            hypotheses=(*self.hypotheses, *(r for r in more if r not in plain)),
            where=tuple(dict.fromkeys((*self.where, *plain))),
        )

    def claimed(self, name: str, goal: Expr, *more: Relation) -> Case:
        """If ``goal``, in parameters alone, is defined and >= 0 on the domain where also ``more`` holds."""
        if goal.op == "num" and goal.value >= 0:
            return self
        relation = Relation(">=", goal * call("norm", var(_ANY)) ** 2, _ZERO)
        where = (*self.where, *more) if ROOT in goal.free else self.where
        claim = GramClaim(name, (_ANY,), relation, (), where)
        return replace(self, defined=tuple(dict.fromkeys((*self.defined, claim))))


#: the move for a case with these vectors, None for no more
NextMove = Callable[[Case, frozenset[str]], Any]


def swap(e: Expr, old: Expr, new: Expr) -> Expr:
    """``e`` with ``new`` in place of ``old``; the names of points in values of functions stay."""
    if e is old:
        return new
    return e if e.op == "at" else e.each(lambda a: swap(a, old, new))


def cases(
    vectors: Iterable[str],
    goal: Relation,
    hypotheses: Iterable[Relation],
    where: Iterable[Relation],
    next_move: NextMove = lambda case, vectors: None,
    nonnegative: Mapping[str, Expr] | None = None,
) -> list[Case]:
    """The claims that a claim comes down to, by the moves that ``next_move`` has for a case and the vectors.

    They rest on what is ``nonnegative``, terms in parameters with what is said of each, on the domain as it stands.

    Raises :class:`CaseError`.
    """
    free, done = frozenset(vectors), list[Case]()
    first = Case(goal, tuple(hypotheses), tuple(where))
    for said, term in (nonnegative or {}).items():
        first = first.claimed(said, term)
    waiting = [first]
    while waiting:
        case = waiting.pop(0)
        if several := _branches(case):
            if len(waiting) + len(done) + len(several) > MAX_CASES:
                raise CaseError(f"its maxima make more than {MAX_CASES} cases")
            waiting += several
        elif (move := next_move(case, free)) is not None:
            waiting.insert(0, moved(case, move, free))
        else:
            done.append(_squared(case, free))
    return done


def _branches(case: Case) -> list[Case]:
    """The cases of the first max, min or absolute value; none where there is none."""
    node = next((n for n in case.nodes if n.op in ("max", "min", "abs")), None)
    if node is None:
        return []
    choices = (node.args[0], -node.args[0]) if node.op == "abs" else node.args
    op = "<=" if node.op == "min" else ">="
    out = []
    for k, chosen in enumerate(choices):
        others = [_ZERO] if node.op == "abs" else [o for j, o in enumerate(choices) if j != k]
        out.append(case.put(node, chosen).given(*(Relation(op, chosen, o) for o in others)))
    return out


def _squared(case: Case, vectors: frozenset[str]) -> Case:
    """s |X| <= c |Y| as s^2 |X|^2 <= c^2 |Y|^2, if s and c are >= 0 on the domain."""
    goal = case.goal
    small, large = (_multiple(e, vectors) for e in (goal.sides if goal.op == "<=" else (goal.rhs, goal.lhs)))
    if small is None or large is None or (small[1] is None and large[1] is None):
        return case
    for factor in (small[0], large[0]):
        case = case.claimed(f"{factor} >= 0", factor)
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
    return (first[0] / second[0] if e.op == "div" else product(first[0], second[0])), first[1] or second[1]


# ---------------------------------------------------------------- moves


def moved(case: Case, move: Any, vectors: frozenset[str]) -> Case:
    """The case after a move (see the module's docstring). Raises :class:`CaseError`."""
    names = case.parameters(vectors)
    if case.moves >= MAX_MOVES:
        raise CaseError(f"more than {MAX_MOVES} moves in a case")
    case = replace(case, moves=case.moves + 1)
    try:
        root = _term(move["root"], names)
        if root.op != "sqrt":
            raise CaseError(f"{root} is no root")
        return _factored(case, root, move, names) if "factor" in move else _changed(case, root, move, names)
    except (KeyError, TypeError, ValueError, AttributeError, ArithmeticError) as fault:
        raise CaseError(f"a move that is none: {fault}") from None


def _term(text: str, names: frozenset[str]) -> Expr:
    """A term in parameters of these names. Raises :class:`CaseError`."""
    e = parse(text)
    if not e.free <= names:
        raise CaseError(f"{min(e.free - names)} is no parameter here")
    return e


def _factored(case: Case, root: Expr, move: Mapping[str, Any], names: frozenset[str]) -> Case:
    """sqrt(e) as s sqrt(d)."""
    (e,), factor, under = root.args, _term(move["factor"], names), _term(move["under"], names)
    size = factor.args[0] if factor.op == "abs" else factor
    field = Field(names, roots_of((e, size, under)), deadline(math.inf))
    if not field.same(field.read(size * size * under), field.read(e)):
        raise CaseError(f"{root} is not {factor} times the root of {under}")
    case = case.claimed(f"{root} is defined", e).claimed(f"{under} >= 0", under)
    case = case.claimed(f"{factor} >= 0", factor if size is factor else size * size)
    return case.put(root, factor if under is _ONE else factor * call("sqrt", under))


def _changed(case: Case, root: Expr, move: Mapping[str, Any], names: frozenset[str]) -> Case:
    """sqrt(e) as t, p as a/b, in a new parameter u."""
    (e,), p, u = root.args, move["parameter"], f"sqrt__{len(case.meaning) + 1}"
    if p not in names or not move["bounds"]:
        raise CaseError(f"{p}: a parameter is wanted, and a bound of the root")
    meaning, apart = _term(move["meaning"], names | {ROOT}), _term(move["apart"], names)
    polynomials = [_term(t, names | {u}) for t in (move["term"], move["above"], move["below"], *move["cofactors"])]
    term, above, below, first, second = polynomials
    field = Field(names | {u, ROOT}, roots_of((e, meaning, apart, *polynomials)), deadline(math.inf))
    for polynomial in polynomials:
        field.read(polynomial)
    if field.divisors:
        raise CaseError("a change of parameters has polynomials, without divisions")
    field.read(meaning)
    divided = bool(field.divisors)
    if not field.same(field.read(first * above + second * below), field.read(apart)):
        raise CaseError("the cofactors do not show that the quotient is defined")
    square = field.read(e)
    zero = square.den * field.symbol(ROOT) ** 2 - square.num
    for difference in (term - var(ROOT), above - var(p) * below):
        if not divmod(field.read(substitute(difference, {u: meaning})).num, zero)[1].is_zero():
            raise CaseError(f"{difference} is not 0 where {u} is {meaning}")
    lows = []
    for text, strict in move["bounds"]:
        low = _term(text, names)
        gap = e - low * low
        case = case.claimed(f"{root} is defined" if low is _ZERO else f"{gap} >= 0", 1 / gap if strict else gap)
        lows.append(Relation(">" if strict else ">=", var(ROOT), low))
    told = substitute(meaning, {ROOT: root})
    case = case.claimed(f"{apart} != 0", 1 / apart**2)
    if divided:
        case = case.claimed(f"{told} is defined", meaning * meaning, *lows)
    conditions = list(map(parse_relation, move["conditions"]))
    for r in conditions:
        if r.op == "==" or not r.free <= names | {u}:
            raise CaseError(f"{r} is no condition of the new domain")
        gap = substitute(r.gap, {u: meaning})
        gap = 1 / gap**2 if r.op == "!=" else 1 / gap if r.strict else gap
        case = case.claimed(f"{r.map(lambda s: substitute(s, {u: told}))}", gap, *lows)
    case = replace(case, meaning=(*case.meaning, (u, told))).put(root, term)
    return case.given(*(Relation(r.op, term, r.rhs) for r in lows), *conditions).put(var(p), above / below)
