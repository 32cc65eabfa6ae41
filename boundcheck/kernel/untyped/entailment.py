"""Entailment between facts of a proof: opaque terms abstracted, equations used, what remains a scalar claim.

Terms under opaque heads are replaced by fresh real variables, so an obligation is stronger than what the step
needs: proving it is sound, refuting it refutes nothing.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Set

from boundcheck.kernel.formula import (
    BINDERS,
    Expr,
    Relation,
    call,
    free_names,
    has_opaque,
    is_one,
    is_opaque,
    num,
    parse,
    substitute,
    var,
)
from boundcheck.kernel.proof.scalar import Obligation
from boundcheck.kernel.statement import Claim
from boundcheck.kernel.untyped.canonical import PARTIAL, canonical_heads, linear_solution
from boundcheck.kernel.untyped.scope import fresh


def put(relation: Relation, values: Mapping[str, Expr]) -> Relation:
    """``relation`` with expressions put for free names."""
    return relation.map(lambda e: substitute(e, values))


def expand(relation: Relation) -> Relation:
    """``relation`` with defined heads written out (clip(z, tau) is max(-tau, min(z, tau))), opaque terms canonical."""
    return relation.map(lambda e: canonical_heads(expand_term(e)))


def expand_term(e: Expr) -> Expr:
    """One term with its defined heads written out."""
    if not e.args:
        return e
    args = tuple(map(expand_term, e.args))
    if e.op == "clip":
        z, tau = args
        return call("max", Expr("neg", (tau,)), call("min", z, tau))
    if e.op == "mul" and any(map(is_one, args)):
        return args[0] if is_one(args[1]) else args[1]
    return Expr(e.op, args, e.value)


def read_term(source: str) -> Expr:
    """A term of a substitution: an expression, an event such as ``abs(Z) > t``, or an infinite end."""
    if source.strip("- ") == "oo":
        return parse(source, proof=True)
    return parse(f"P({source})", proof=True).args[0]


def instantiate(e: Expr, values: Mapping[str, Expr]) -> Expr:
    """A schema with terms put for all its metavariables, also for bound ones and inside of binders.

    Capture is wanted here (the integrand of a schema may mention the bound name); where it is not, the rule's
    ``fixed`` conditions refuse it.
    """
    if e.op == "var":
        return values.get(e.value, e)
    return Expr(e.op, tuple(instantiate(a, values) for a in e.args), e.value)


def exposed(e: Expr) -> Iterator[Expr]:
    """The subterms of ``e`` that do not stand inside of an opaque term or a binder, ``e`` first."""
    yield e
    if not is_opaque(e) and e.op not in BINDERS:
        for a in e.args:
            yield from exposed(a)


def plain_binders(e: Expr) -> Iterator[Expr]:
    """The integrals, and the sums to infinity, outside of opaque terms and with none inside."""
    for n in exposed(e):
        endless = n.op == "integral" or (n.op == "sum" and any(_is_oo(m) for a in n.args[2:] for m in a.walk()))
        if endless and not has_opaque(n):
            yield n


def partial(e: Expr, known: Set[Expr] = frozenset()) -> bool:
    """Whether the form of ``e`` leaves open that it is defined; opaque terms and those in ``known`` are any reals."""
    if e in known or is_opaque(e):
        return False
    if e.op in BINDERS:
        return any(True for _ in plain_binders(e))
    last = e.args[-1] if e.args else e
    if e.op == "div" and last.op == "num" and last.value:
        total = True
    elif e.op == "pow" and last.op == "num":
        total = last.value.denominator == 1 and last.value >= 0
    else:
        total = e.op not in PARTIAL
    return not total or any(partial(a, known) for a in e.args)


def exists(integral: Expr) -> tuple[Relation, tuple[Relation, ...]]:
    """What shows that an integral or a sum to infinity exists: a relation, and the conditions that it may use.

    An integrand of continuous functions that is defined on a closed bounded interval is bounded there.
    """
    body, v, low, high = integral.args
    finite = not any(_is_oo(n) for end in (low, high) for n in end.walk())
    steady = not any(n.op in ("floor", "ceil", *BINDERS) for n in body.walk())
    if integral.op != "integral" or not finite or not steady:
        return defined(integral), ()
    ends = (Relation("<=", call("min", low, high), v), Relation("<=", v, call("max", low, high)))
    return defined(body), ends


def defined(e: Expr) -> Relation:
    """A relation that holds exactly where ``e`` is defined."""
    return Relation("==", Expr("mul", (num(0), e)), num(0))


class _Abstraction:
    """Replaces maximal opaque terms by fresh variables, and knows their ranges (P in [0, 1], norm >= 0)."""

    def __init__(self, binders: bool, taken: frozenset[str]) -> None:
        self.names: dict[Expr, Expr] = {}
        self.binders = binders
        self.name = fresh("o", taken)

    def __call__(self, e: Expr) -> Expr:
        if is_opaque(e) or (e.op in BINDERS and (self.binders or has_opaque(e))):
            return self.names.setdefault(e, var(self.name(len(self.names) + 1)))
        if not e.args:
            return e
        return Expr(e.op, tuple(map(self, e.args)), e.value)

    def ranges(self, names: frozenset[str]) -> list[Relation]:
        """What is known of the opaque variables among ``names``."""
        zero, one, found = parse("0"), parse("1"), []
        for term, name in self.names.items():
            if name.value not in names:
                continue
            if term.op in ("P", "Pgiven", "ind", "norm"):
                found.append(Relation(">=", name, zero))
            if term.op in ("P", "Pgiven", "ind"):
                found.append(Relation("<=", name, one))
        return found


def scalar_obligation(
    role: str,
    domain: Iterable[Relation],
    facts: Iterable[Relation],
    goal: Relation,
    integers: frozenset[str],
    binders: bool,
) -> Obligation:
    """The scalar claim "domain and facts imply goal", opaque terms abstracted to real variables.

    Of the domain only the relations that speak of the variables of the goal and the facts are kept. With
    ``binders``, integrals and sums are opaque too.
    """
    domain, facts = list(domain), list(facts)
    abstract = _Abstraction(binders, free_names([goal, *domain, *facts]))
    claim, hypotheses = goal.map(abstract), [f.map(abstract) for f in facts]
    names = free_names([claim, *hypotheses])
    kept = [r for r in (d.map(abstract) for d in domain) if r.free <= names]
    claim, relations = _eliminate(claim, kept, hypotheses)
    names = free_names([claim, *relations])
    kept = [r for r in (d.map(abstract) for d in domain) if r.free <= names]  # speak of names that came in now
    where = tuple(r for r in dict.fromkeys([*relations, *kept, *abstract.ranges(names)]) if not trivial(r))
    names = free_names([claim, *where])
    terms = {name.value: term for term, name in abstract.names.items()}
    return Obligation(role, Claim(role, (claim,), where, integers & names), bool(abstract.names), terms=terms)


def _eliminate(goal: Relation, relations: list[Relation], facts: list[Relation]) -> tuple[Relation, list[Relation]]:
    """Use each equation among ``facts`` that can be solved for a variable by putting its value everywhere.

    An opaque variable is solved for wherever it enters linearly; another one only where it stands alone on a
    side. An equation that cannot be solved rewrites its left side, as a term, to its right side. Returns the goal
    and all relations with the values put in.
    """
    relations = [*relations, *facts]
    equations = [f for f in facts if f.op == "=="]
    while equations:
        equation = equations.pop(0)
        solution = _solve(equation)
        if solution is None:
            rewrite = _rewriting(equation)
            goal = goal.map(rewrite)
            relations = [r if r == equation else r.map(rewrite) for r in relations]
            equations = [r.map(rewrite) for r in equations]
            continue
        relations = [r for r in relations if r != equation]
        goal = put(goal, solution)
        relations = [put(r, solution) for r in relations]
        equations = [put(r, solution) for r in equations]
    return goal, relations


def _rewriting(equation: Relation) -> Callable[[Expr], Expr]:
    """The replacement of the equation's left side by its right side, wherever it stands as a term."""

    def rewrite(e: Expr) -> Expr:
        if e is equation.lhs:
            return equation.rhs
        if e.op in BINDERS and e.args[1].value in equation.free:
            return Expr(e.op, (*e.args[:2], *map(rewrite, e.args[2:])))  # another variable is meant in the body
        return Expr(e.op, tuple(map(rewrite, e.args)), e.value) if e.args else e

    return rewrite


def _solve(equation: Relation) -> dict[str, Expr] | None:
    found = linear_solution(equation, [n for n in sorted(equation.free) if n.endswith("_")])
    if found is not None:
        return found
    for side, other in ((equation.lhs, equation.rhs), (equation.rhs, equation.lhs)):
        if side.op == "var" and side.value not in other.free:
            return {side.value: other}
    return None


def trivial(relation: Relation) -> bool:
    """Whether every real satisfies it for its form alone: t <= oo, a <= a."""
    if relation.lhs is relation.rhs and not relation.strict:
        return True
    low, high = (relation.lhs, relation.rhs) if relation.op in ("<", "<=") else (relation.rhs, relation.lhs)
    return relation.op in ("<", "<=", ">", ">=") and (_is_oo(high) or (low.op == "neg" and _is_oo(low.args[0])))


def _is_oo(e: Expr) -> bool:
    return e.op == "const" and e.value == "oo"
