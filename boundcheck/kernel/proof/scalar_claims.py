"""From facts to scalar claims: opaque terms become arbitrary reals, equations are used, what remains is decided.

An obligation is stronger than what the step needs: proving it is sound, refuting it refutes nothing. Functions are
total here and partial in scalar claims, so every partial term of a fact that an obligation uses is shown to be defined
first, from what stands before it: a fact at whose points sqrt(a) has no value in a claim says nothing about them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import dataclass, field, replace

from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import BINDERS, Expr, Relation, endless, has_opaque, is_opaque, num, substitute, var
from boundcheck.kernel.formula.functions import PARTIAL
from boundcheck.kernel.proof.sorts import INTEGER, Names, SortError, typed
from boundcheck.kernel.proof.terms import fresh, linear_solution, names, names_of, put
from boundcheck.kernel.statement import Claim, GramClaim

EVENTS = frozenset({"P", "Pgiven", "ind"})
ZERO, ONE = num(0), num(1)
MAX_LONGER = 2_000  #: symbols by which equations may make all that is claimed and given longer
INFINITE = Expr("const", (), "oo")


@dataclass(frozen=True)
class Obligation:
    """A claim that must be proved. ``opaque``: it has variables that stand for opaque terms.

    A claim between quadratic forms comes with the multipliers that the proof gives for its hypotheses. ``terms`` has
    what the names stand for that were put for terms, for people; nothing is decided by it.
    """

    role: str
    claim: Claim | GramClaim
    opaque: bool
    times: tuple[Expr | None, ...] = ()
    terms: Mapping[str, Expr] = field(default_factory=dict, compare=False)


def partial_terms(e: Expr, binders: bool) -> Iterator[Expr]:
    """The subterms of ``e`` outside of opaque ones that are undefined somewhere, innermost first.

    Without ``binders`` plain integrals and sums to infinity are among them: they may diverge.
    """
    if is_opaque(e) or (e.op in BINDERS and (binders or has_opaque(e))):
        return
    if e.op in BINDERS:
        yield from (t for a in e.args[2:] for t in partial_terms(a, binders))
        may_diverge = e.op == "integral" or any(endless(a) for a in e.args[2:])
        if may_diverge or any(True for _ in partial_terms(e.args[0], binders)):
            yield e
        return
    for a in e.args:
        yield from partial_terms(a, binders)
    if partial(e):
        yield e


def partial_sides(r: Relation, binders: bool) -> list[Expr]:
    """The :func:`partial_terms` of both sides, each once."""
    return list(dict.fromkeys(t for side in r.sides for t in partial_terms(side, binders)))


def partial(e: Expr) -> bool:
    """Whether the outermost operation of ``e`` is undefined for some numbers."""
    last = e.args[-1] if e.args else e
    if e.op == "div" and last.op == "num" and last.value:
        return False
    if e.op == "pow" and last.op == "num" and last.value.denominator == 1 and last.value >= 0:
        return False
    return e.op in PARTIAL


def defined(e: Expr) -> Relation:
    """A relation that holds exactly where ``e`` is defined."""
    return Relation("==", Expr("mul", (ZERO, e)), ZERO)


def is_real_power(e: Expr, scope: Names) -> bool:
    """Whether ``e`` is a power whose exponent is not whole by its form: no value of its names makes it whole.

    A formula as an exponent takes a base below 0 if it is whole by its form, and 0**0 is 1 only then. One in which no
    name is left is the number that it is.
    """
    return e.op == "pow" and bool(names(e.args[1])) and not _whole_by_form(e.args[1], scope)


def _whole_by_form(e: Expr, scope: Names) -> bool:
    """Whether a term is an integer by its sort, or formed of such ones as scalar claims see it: n**2 is one."""
    try:
        if typed(e, scope).kind == INTEGER:
            return True
    except SortError:
        return False
    if e.op == "pow":
        k = e.args[1]
        return k.op == "num" and k.value >= 0 and k.value.denominator == 1 and _whole_by_form(e.args[0], scope)
    return e.op in ("add", "sub", "neg", "mul", "min", "max", "abs") and all(_whole_by_form(a, scope) for a in e.args)


def base_of_a_real_power(base: Expr, exponent: Expr) -> Expr:
    """What has a value where ``base`` has one with a real exponent, which has become this one."""
    positive = exponent.op == "num" and exponent.value > 0
    return Expr("sqrt" if positive else "log", (base,))


def in_its_form(term: Expr, given: Iterable[Relation]) -> tuple[Relation, ...]:
    """What is given when ``term`` is to be defined: no equation puts a value for a name in an exponent.

    A formula as an exponent takes a base below 0 if it is whole by its form: x = 2 makes x**x not x**2.
    """
    powers = [n.args for n in term.walk() if n.op == "pow" and n.args[1].op != "num"]
    above_0 = [base.op == "num" and base.value > 0 for base, _ in powers]
    moving = frozenset().union(*(names(x) for (_, x), safe in zip(powers, above_0, strict=True) if not safe))
    found: list[Relation] = []
    for r in given:
        kept = (r.op,) if r.op != "==" or not names_of([r]) & moving else ("<=", ">=")
        found += [replace(r, op=op) for op in kept]
    return tuple(found)


def converges(integral: Expr, taken: frozenset[str]) -> tuple[Relation, tuple[Relation, ...]]:
    """What shows that a plain integral or sum exists: a relation, and the conditions that it may use.

    An integrand of continuous functions that is defined on a closed bounded interval is bounded there.
    """
    body, v, low, high = integral.args
    finite = not any(endless(n) for end in (low, high) for n in end.walk())
    steady = not any(n.op in ("floor", "ceil", *BINDERS) for n in body.walk())
    if integral.op != "integral" or not finite or not steady:
        return defined(integral), ()
    new = var(fresh(f"{v.value}_", taken))
    body = substitute(body, {str(v.value): new})
    inner = list(partial_terms(body, False))
    ends = (Relation("<=", Expr("min", (low, high)), new), Relation("<=", new, Expr("max", (low, high))))
    return (defined(body) if inner else Relation("==", ZERO, ZERO)), ends


class _Abstraction:
    """Replaces maximal opaque terms by fresh variables, and knows their ranges (P in [0, 1], norm >= 0)."""

    def __init__(self, binders: bool, taken: frozenset[str], scope: Names) -> None:
        self.names: dict[Expr, Expr] = {}
        self.binders, self.taken, self.scope = binders, set(taken), scope

    def __call__(self, e: Expr) -> Expr:
        if is_opaque(e) or (e.op in BINDERS and (self.binders or has_opaque(e))):
            if e not in self.names:
                name = fresh(f"o{len(self.names) + 1}_", self.taken)
                self.taken.add(name)
                self.names[e] = var(name)
            return self.names[e]
        return e.each(self)

    def ranges(self, wanted: frozenset[str]) -> list[Relation]:
        """What is known of the opaque variables among ``wanted``."""
        found = []
        for term, name in self.names.items():
            if name.value in wanted and term.op in (*EVENTS, "norm"):
                found.append(Relation(">=", name, ZERO))
                if term.op in EVENTS:
                    found.append(Relation("<=", name, ONE))
        return found

    def integers(self, wanted: frozenset[str]) -> frozenset[str]:
        """The variables among ``wanted`` that range over the integers: by their declaration, or their term's."""
        own = {n for n in wanted if n in self.scope and self.scope[n].kind == INTEGER}
        return frozenset(own | {str(v.value) for t, v in self.names.items() if v.value in wanted and self._whole(t)})

    def _whole(self, term: Expr) -> bool:
        return term.op == "at" and typed(term, self.scope).kind == INTEGER


def scalar_obligation(
    role: str, domain: Iterable[Relation], facts: Iterable[Relation], goal: Relation, scope: Names, binders: bool
) -> Obligation:
    """The scalar claim "domain and facts imply goal", opaque terms abstracted to real variables.

    Of the domain only the relations that speak of the variables of the goal and the facts are kept. With
    ``binders``, integrals and sums are opaque too. A vector stands for each of its coordinates.
    """
    domain, facts = list(domain), list(facts)
    abstract = _Abstraction(binders, names_of([goal, *domain, *facts]) | _whole_names(scope), scope)
    claim, hypotheses = goal.map(abstract), [f.map(abstract) for f in facts]
    used = names_of([claim, *hypotheses])
    kept = [r for r in (d.map(abstract) for d in domain) if r.free <= used]
    claim, relations = _eliminate(claim, kept, hypotheses, abstract.integers(names_of([claim, *kept, *hypotheses])))
    used = names_of([claim, *relations])
    where = tuple(r for r in dict.fromkeys([*relations, *abstract.ranges(used)]) if not trivial(r))
    used = names_of([claim, *where])
    terms = {str(name.value): term for term, name in abstract.names.items() if name.value in used}
    return Obligation(role, Claim(role, (claim,), where, abstract.integers(used)), bool(abstract.names), terms=terms)


def _whole_names(scope: Names) -> set[str]:
    """The names of integers, wherever they are spoken of: one of them put for a term would make the term whole."""
    return {n for n, s in scope.items() if s.kind == INTEGER}


def _eliminate(
    goal: Relation, relations: list[Relation], facts: list[Relation], whole: frozenset[str]
) -> tuple[Relation, list[Relation]]:
    """Use each equation among ``facts`` that can be solved for a variable by putting its value everywhere.

    An opaque variable is solved for wherever it enters linearly; another one only where it stands alone on a
    side. An equation that cannot be solved rewrites its left side, as a term, to its right side. One that makes all
    much longer stays as it is: each of x == y*(y + 1), y == z*(z + 1), ... doubles it. So does one that gives a
    ``whole`` name a value that is not whole by its form: x**n has a value for x < 0, x**(m/2) has none. Returns the
    goal and all relations with the values put in.
    """
    relations = [*relations, *facts]
    equations = [f for f in facts if f.op == "=="]
    most = MAX_LONGER + _size([goal, *relations])
    while equations:
        equation = equations.pop(0)
        change, kept = _use(equation, whole)
        first, *changed = [
            goal.map(change),
            *(r for f in relations for r in (kept if f == equation else [f.map(change)])),
        ]
        if _size([first, *changed]) <= most:
            goal, relations, equations = first, changed, [r.map(change) for r in equations]
    return goal, relations


def _size(relations: Iterable[Relation]) -> int:
    return sum(side.size for r in relations for side in r.sides)


def _use(equation: Relation, whole: frozenset[str]) -> tuple[Callable[[Expr], Expr], list[Relation]]:
    """What an equation puts into terms, and what is left of it then."""
    solution = _solve(equation)
    if solution is not None and any(n in whole and not is_integer_valued(e, whole) for n, e in solution.items()):
        return (lambda e: e), [equation]
    if solution is None:
        return _rewriting(equation), [equation]
    return (lambda e: put(e, solution)), []


def _rewriting(equation: Relation) -> Callable[[Expr], Expr]:
    """The replacement of the equation's left side by its right side, wherever it stands as a term."""

    def rewrite(e: Expr) -> Expr:
        if e is equation.lhs:
            return equation.rhs
        if e.op in BINDERS and e.args[1].value in equation.free:
            return Expr(e.op, (*e.args[:2], *map(rewrite, e.args[2:])))  # another variable is meant in the body
        return e.each(rewrite)

    return rewrite


def _solve(equation: Relation) -> dict[str, Expr] | None:
    found = linear_solution(equation, [n for n in sorted(equation.free) if n.endswith("_")])
    if found is not None:
        return found
    for side, other in (equation.sides, equation.flipped().sides):
        if side.op == "var" and side.value not in other.free:
            return {str(side.value): other}
    return None


def trivial(relation: Relation) -> bool:
    """Whether every real satisfies it for its form alone: t <= oo, a <= a."""
    if relation.lhs is relation.rhs and not relation.strict:
        return True
    if relation.op in ("==", "!="):
        return False
    low, high = (relation if relation.op in ("<", "<=") else relation.flipped()).sides
    return high is INFINITE and not endless(low)
