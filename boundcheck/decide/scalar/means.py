"""Weighted means: products of powers against sums of products of powers, with rational or symbolic exponents.

Every monomial is divided by its value at a point where both sides touch (all variables 1, or found in floats).
Lemmas "product of v**w <= sum of w v" that are tight there are put up for each monomial that lies between others;
a linear program at sample values of the parameters picks some, their factors are solved for as rational functions.
AM-GM, Young, Hoelder, Minkowski and the means of powers are of this kind. The kernel checks each lemma and the sum.
One product m = m_1**w_1 ... m_k**w_k against c_1 m_1 + ... + c_k m_k needs no such point: the sum is at least C m with
C = (c_1/w_1)**w_1 ... (c_k/w_k)**w_k, the largest C, so what is left speaks of the parameters (a best step size).
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from math import prod
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray

from boundcheck.arith.linear_program import least
from boundcheck.decide.scalar.prover import Node, Prover, size, sum_of
from boundcheck.decide.scalar.sampling import points, signs, values
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Mono, Poly, is_sum, multiply, thaw, to_expr
from boundcheck.kernel.check.ratios import Field, NotRational
from boundcheck.kernel.check.ratios import Ratio as Rational
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.check.sequent import Refused, Sequent, has_binder
from boundcheck.kernel.formula import Expr, Relation, num, substitute, text, var

MAX_MONOMIALS = 36
MAX_LEMMAS = 700
MAX_PARTS = 5  #: products of a goal that is balanced
SAMPLES = 4  #: values of the parameters at which a combination is tried
Array = NDArray[np.float64]


Column = dict[int, Rational]  #: a sum of monomials by index that is >= 0


@dataclass(frozen=True)
class Lemma:
    """The monomial ``product`` is the mean of ``parts`` with their weights."""

    product: int
    parts: Column

    def column(self, field: Field) -> Column:
        """The mean less the product."""
        return {**self.parts, self.product: field.number(-1)}


class _Problem:
    """The goal as a sum of coefficients (functions of the parameters) times monomials in positive atoms."""

    def __init__(self, seq: Sequent, p: Poly):
        self.seq, self.algebra = seq, seq.algebra
        self.parameters = frozenset().union(
            *(to_expr(thaw(x)).free for m in p for _, x in m if not isinstance(x, fmpq))
        )
        self.coefficients: dict[Mono, Poly] = {}
        for m, c in p.items():
            own = tuple(t for t in m if t[0].free and not t[0].free <= self.parameters)
            rest = tuple(t for t in m if t not in own)
            part = self.coefficients.setdefault(own, {})
            part[rest] = part.get(rest, fmpq(0)) + c
        self.monos: list[Mono] = list(self.coefficients)
        self.field = Field(self.parameters, {})
        self.sums = sorted({a for m in self.monos for a, _ in m if is_sum(a)}, key=text)
        self.relations: list[Column] = []

    # ------------------------------------------------------------------ monomials

    def index(self, m: Mono) -> int:
        if m not in self.monos:
            self.monos.append(m)
        return self.monos.index(m)

    def expand(self, at: dict[Expr, Expr]) -> None:
        """For a monomial R and a sum S = sum of s: R = sum of R s/S, as relations between monomials over values."""
        first = list(self.monos)
        for m in first:
            for s in self.sums:
                self._expansion(m, s, at)
        inner = [m for m in self.monos if m not in first]
        for m in inner:
            for s, x in m:
                if is_sum(s) and s not in self.sums and not (isinstance(x, fmpq) and x < 0):
                    self._expansion(m, s, at)

    def _expansion(self, m: Mono, s: Expr, at: dict[Expr, Expr]) -> None:
        form = self.algebra.normal(s)
        if form.den != ONE or len(self.monos) > MAX_MONOMIALS or len(form.num) > 4:
            return
        relation: Column = {}
        for t, c in form.num.items():
            ((new, _),) = multiply({m: fmpq(1)}, {((s, fmpq(-1)),): fmpq(1)}).items()
            ((new, _),) = multiply({new: fmpq(1)}, {t: fmpq(1)}).items()
            share = to_expr({(): c}) * value(t, at) / at[s]
            k = self.index(new)
            found = self.field.read(self.algebra.normal(share).expr())
            relation[k] = self.field.add(relation.get(k, self.field.number(0)), found)
        k = self.index(m)
        relation[k] = self.field.sub(relation.get(k, self.field.number(0)), self.field.number(1))
        self.relations += [relation, {k: self.field.neg(c) for k, c in relation.items()}]

    # ------------------------------------------------------------------ exponents

    def exponents(self, atoms: list[Expr]) -> list[list[Rational]]:
        """For each monomial the exponents of the atoms, as functions of the parameters."""
        return [[self.field.read(to_expr(thaw(dict(m).get(a, fmpq(0))))) for a in atoms] for m in self.monos]


def number_at(r: Rational, point: list[float]) -> float:
    """The value of a rational function in floats."""

    def poly(p: Any) -> float:
        total = 0.0
        for e, c in p.to_dict().items():
            term = float(c.p) / float(c.q)
            for x, k in zip(point, e, strict=True):
                term *= x ** int(k)
            total += term
        return total

    below = poly(r.den)
    return poly(r.num) / below if below else float("nan")


def means(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic."""
    goal, box = seq.goal, seq.box
    if goal.op not in ("<=", "<", ">=", ">") or box is None or size(goal.gap) > 300 or depth < 3:
        return None
    if any(n.op in ("sin", "cos", "tan", "integral", "sum", "floor", "ceil", "abs") for n in goal.gap.walk()):
        return None
    form = seq.algebra.normal(goal.gap)
    if not 2 <= len(form.num) <= 60 or goal.strict:
        return None
    problem = _Problem(seq, form.num)
    if not 2 <= len(problem.monos) <= 14:
        return None
    atoms = sorted({a for m in problem.monos for a, _ in m}, key=text)
    if any(not (a.op == "const" or seq.algebra.positive(a)) for a in atoms):
        return None
    try:
        node = _search(p, problem, atoms, form.den)
    except NotRational:
        return None
    if node is None:
        return None
    return run_chain(p, seq, node, depth)


def balanced(p: Prover, seq: Sequent, depth: int) -> Node | None:
    """The tactic for one product of powers against the sum of others, at the weights of its exponents."""
    goal = seq.goal
    if goal.op not in ("<=", ">=") or depth < 4 or size(goal.gap) > 100 or has_binder(goal.gap):
        return None
    form = seq.algebra.normal(goal.gap)
    problem = _Problem(seq, form.num)
    monos = {k: to_expr({m: fmpq(1)}) for k, m in enumerate(problem.monos)}
    factors = [seq.algebra.normal(to_expr(problem.coefficients[m])).expr() for m in problem.monos]
    atoms = sorted({a for m in problem.monos for a, _ in m}, key=text)
    if not 3 <= len(monos) <= MAX_PARTS or any(a.op != "const" and not seq.algebra.positive(a) for a in atoms):
        return None
    low, *parts = sorted(monos, key=signs(tuple(factors), seq).__getitem__)
    try:
        found = _between(problem.field, problem.exponents(atoms), low, tuple(parts))
    except NotRational:
        return None
    weights = {} if found is None else {k: formula_of(problem.field, w) for k, w in found.parts.items()}
    wanted = (-factors[low], *(factors[k] for k in parts), *weights.values())
    if not weights or any(s != 1 for s in signs(wanted, seq)):
        return None
    over = {k: factors[k] / w for k, w in weights.items()}
    most = prod((over[k] ** w for k, w in weights.items()), start=num(1))
    means_of = [{"weight": text(w), "value": text(over[k] * monos[k])} for k, w in weights.items()]
    enough: Node = {"rule": "cut", "lemma": str(Relation(">=", most, -factors[low]))}
    first = len(seq.hyps)
    last = sum_of({first: num(1), first + 1: monos[low]}, scale=to_expr(form.den))
    return run_chain(p, seq, [{"rule": "means", "terms": means_of}, enough, last], depth)


def parameter_samples(seq: Sequent, wanted: list[str]) -> list[list[float]]:
    """Sample values of the parameters ``wanted``, moderate ones."""
    names, columns = points(seq.hyps, seq)
    if not wanted:
        return [[]]
    if not columns or columns[0].shape[0] == 0:
        return []
    table = np.array([columns[names.index(v)] for v in wanted]).T
    good = [list(map(float, r)) for r in table if np.all(np.abs(r) < 50) and np.all(np.abs(r) > 1e-2)]
    box = seq.box or {}
    ends = [[float(x) for x in box[v][:2] if x.is_finite()] for v in wanted]

    def far(row: list[float]) -> float:
        """How far the parameters are from what is neither close to an end nor large."""
        gaps = [min([abs(x - e) for e in end] or [abs(x)]) for x, end in zip(row, ends, strict=True)]
        return max(abs(float(np.log(max(g, 1e-9)))) for g in gaps)

    moderate = sorted(good, key=far)[: max(SAMPLES, len(good) // 3)]
    return moderate[:: max(1, len(moderate) // SAMPLES)][:SAMPLES]


def _search(p: Prover, problem: _Problem, atoms: list[Expr], den: Poly) -> list[Node] | None:
    samples = parameter_samples(problem.seq, list(problem.field.names))
    if not samples:
        return None
    at = _touch(problem, atoms)
    problem.expand(at)
    atoms = sorted({a for m in problem.monos for a, _ in m}, key=text)
    if len(problem.monos) > MAX_MONOMIALS + 8:
        return None
    table = problem.exponents(atoms)
    values_at = [value(m, at) for m in problem.monos]
    choices = _targets(problem, values_at)
    for sample in samples:
        p.clock()
        numeric = np.array([[number_at(r, sample) for r in row] for row in table])
        lemmas = _lemmas(problem, table, numeric)
        for unit, targets in choices:
            chosen = _linear(problem, lemmas, targets, sample)
            if chosen is None:
                continue
            solved = _exact(problem, lemmas, chosen, targets, samples)
            if solved is not None:
                return _nodes(problem, solved, values_at, unit, den)
    return None


@dataclass(frozen=True)
class Target:
    """The coefficient of a normed monomial over the unit: as a rational function of the parameters where it is one."""

    formula: Expr
    exact: Rational | None


def _targets(problem: _Problem, values_at: list[Expr]) -> list[tuple[Expr, list[Target]]]:
    """Units, and the coefficients of the goal in normed monomials over each."""
    scaled = [
        problem.algebra.normal(to_expr(problem.coefficients.get(m, {})) * v)
        for m, v in zip(problem.monos, values_at, strict=True)
    ]
    own = len(problem.coefficients)
    units = {tuple(t for t in next(iter(f.num)) if not t[0].free): None for f in scaled[:own] if f.num}
    out = []
    for m in list(units)[:4]:
        unit = to_expr({m: fmpq(1)})
        targets = []
        for f in scaled:
            e = problem.algebra.normal(f.expr() / unit).expr()
            try:
                targets.append(Target(e, problem.field.read(e)))
            except NotRational:
                targets.append(Target(e, None))
        out.append((unit, targets))
    return sorted(out, key=lambda c: sum(t.exact is None for t in c[1]))


def value(m: Mono, at: dict[Expr, Expr]) -> Expr:
    """The value of a monomial where the atoms have these values, as a formula in the parameters."""
    out: Expr = num(1)
    for a, x in m:
        if at[a] is not num(1):
            out = out * at[a] ** to_expr(thaw(x))
    return out


# ---------------------------------------------------------------- where the sides touch


def _touch(problem: _Problem, atoms: list[Expr]) -> dict[Expr, Expr]:
    """The values of the atoms, and of what their sums consist of, where every variable is 1."""
    names = {v for a in atoms for v in a.free} - problem.parameters
    plain = {v: num(1) for v in names}
    out: dict[Expr, Expr] = {}
    todo = list(atoms)
    while todo:
        a = todo.pop()
        if a in out:
            continue
        # a constant is only ever raised to powers that are compared as they stand
        out[a] = num(1) if a.op == "const" else problem.algebra.normal(substitute(a, plain)).expr()
        if is_sum(a):
            todo += [b for m in problem.algebra.normal(a).num for b, _ in m]
    return out


# ---------------------------------------------------------------- lemmas


def _lemmas(problem: _Problem, table: list[list[Rational]], numeric: Array) -> list[Lemma]:
    """Each monomial between two others, and each with a negative coefficient between more."""
    out: list[Lemma] = []
    n = len(problem.monos)
    if not np.all(np.isfinite(numeric)):
        return out
    for a, b in combinations(range(n), 2):
        d = numeric[a] - numeric[b]
        k = int(np.argmax(np.abs(d)))
        if abs(d[k]) < 1e-9:
            continue
        lam = (numeric[:, k] - numeric[b, k]) / d[k]
        off = np.abs(numeric - numeric[b] - lam[:, None] * d).max(axis=1)
        for i in np.flatnonzero((off < 1e-8) & (lam > 1e-9) & (lam < 1 - 1e-9)):
            lemma = _between(problem.field, table, int(i), (a, b))
            if lemma is not None and len(out) < MAX_LEMMAS:
                out.append(lemma)
    ends = np.concatenate([numeric, np.ones((n, 1))], axis=1)
    for m in range(len(problem.coefficients)):
        others = [k for k in range(n) if k != m]
        cost = np.array([1.0 if k < len(problem.coefficients) else 1.3 for k in others])
        found = least(cost, ends[others].T, ends[m])
        if found is not None:
            parts = tuple(k for k, x in zip(others, found, strict=True) if x > 1e-9)
            if len(parts) > 2:
                lemma = _between(problem.field, table, m, parts)
                if lemma is not None:
                    out.append(lemma)
    return out


def _between(field: Field, table: list[list[Rational]], m: int, parts: tuple[int, ...]) -> Lemma | None:
    """The weights of the parts whose mean is the monomial m, exactly."""
    one = field.number(1)
    rows = [[table[k][i] for k in parts] + [table[m][i]] for i in range(len(table[m]))]
    rows.append([one for _ in parts] + [one])
    weights = solve_exactly(field, rows, len(parts))
    return None if weights is None else Lemma(m, dict(zip(parts, weights, strict=True)))


def solve_exactly(field: Field, rows: list[list[Rational]], unknowns: int) -> list[Rational] | None:
    """The solution of a linear system over the field; None if there is none or more than one."""
    rows = [list(r) for r in rows]
    at = 0
    for k in range(unknowns):
        pivot = next((i for i in range(at, len(rows)) if not rows[i][k].num.is_zero()), None)
        if pivot is None:
            return None
        rows[at], rows[pivot] = rows[pivot], rows[at]
        lead = rows[at][k]
        rows[at] = [field.div(x, lead) for x in rows[at]]
        for i in range(len(rows)):
            if i != at and not rows[i][k].num.is_zero():
                factor = rows[i][k]
                rows[i] = [field.sub(x, field.mul(factor, y)) for x, y in zip(rows[i], rows[at], strict=True)]
        at += 1
    if any(not r[-1].num.is_zero() for r in rows[at:]):
        return None
    return [rows[k][-1] for k in range(unknowns)]


# ---------------------------------------------------------------- the combination


def _linear(problem: _Problem, lemmas: list[Lemma], targets: list[Target], sample: list[float]) -> list[int] | None:
    """The columns (lemmas, then relations, then single monomials) that add up to the target at one sample."""
    n = len(problem.monos)
    known = [*(lemma.column(problem.field) for lemma in lemmas), *problem.relations]
    columns = np.zeros((n, len(known) + n))
    columns[:, len(known) :] = np.eye(n)
    for j, column in enumerate(known):
        for k, c in column.items():
            columns[k, j] = number_at(c, sample)
    point = [np.array([x]) for x in sample]
    goal = np.array([float(v[0]) for v in values(tuple(t.formula for t in targets), problem.field.names, point)])
    own = len(problem.coefficients)
    foreign = [1.0 + 0.3 * sum(k >= own for k in x.parts) for x in lemmas]
    single = [0.01 if k < own else 0.1 for k in range(n)]
    cost = np.array(foreign + [0.05] * len(problem.relations) + single)
    if not np.all(np.isfinite(goal)):
        return None
    found = least(cost, columns, goal)
    return None if found is None else [int(k) for k in np.flatnonzero(np.abs(found) > 1e-9)]


def _exact(
    problem: _Problem, lemmas: list[Lemma], chosen: list[int], targets: list[Target], samples: list[list[float]]
) -> list[tuple[Lemma | Mono, Expr]] | None:
    """The factors of the chosen columns as functions of the parameters; relations are left out.

    What is left over of a positive monomial may be any formula; the rest is a linear system over a field.
    """
    field, n, first = problem.field, len(problem.monos), len(lemmas) + len(problem.relations)
    zero = field.number(0)
    spare = [k - first for k in chosen if k >= first]
    used = [k for k in chosen if k < first]
    known = [lemmas[k].column(field) if k < len(lemmas) else problem.relations[k - len(lemmas)] for k in used]
    rows = [[column.get(m, zero) for column in known] for m in range(n)]
    system = []
    for m in range(n):
        if m not in spare:
            exact = targets[m].exact
            if exact is None:
                return None
            system.append([*rows[m], exact])
    found = solve_exactly(field, system, len(used))
    if found is None:
        return None
    out: list[tuple[Lemma | Mono, Expr]] = []
    for k, factor in zip(used, found, strict=True):
        if k >= len(lemmas) or factor.num.is_zero():
            continue
        if any(number_at(factor, s) < -1e-9 for s in samples):
            return None
        out.append((lemmas[k], formula_of(field, factor)))
    for m in spare:
        taken = zero
        for factor, c in zip(found, rows[m], strict=True):
            taken = field.add(taken, field.mul(factor, c))
        out.append((problem.monos[m], targets[m].formula - formula_of(field, taken)))
    return out


def _nodes(
    problem: _Problem, solved: list[tuple[Any, Expr]], values_at: list[Expr], unit: Expr, den: Poly
) -> list[Node]:
    """A node for each lemma, then the sum."""
    count = len(problem.seq.hyps)
    place = {m: i for i, m in enumerate(problem.monos)}
    nodes: list[Node] = []
    terms: list[dict[str, Any]] = []

    def normed(k: int) -> Expr:
        return to_expr({problem.monos[k]: fmpq(1)}) / values_at[k]

    for item, factor in solved:
        weight = unit * factor
        if isinstance(item, Lemma):
            parts = [
                {"weight": text(formula_of(problem.field, w)), "value": text(normed(k))} for k, w in item.parts.items()
            ]
            nodes.append({"rule": "means", "terms": parts})
            terms.append({"c": "1", "times": text(weight), "hyps": [count + len(nodes) - 1]})
        elif factor.free:
            nodes.append({"rule": "cut", "lemma": str(Relation(">=", factor, num(0)))})
            terms.append({"c": "1", "times": text(unit * normed(place[item])), "hyps": [count + len(nodes) - 1]})
        else:
            terms.append({"c": "1", "times": text(weight * normed(place[item]))})
    last: Node = {"rule": "farkas", "terms": terms}
    if den != ONE:
        last["scale"] = text(to_expr(den))
    return [*nodes, last]


def formula_of(field: Field, r: Rational) -> Expr:
    """A rational function of the parameters as a formula."""

    def poly(p: Any) -> Expr:
        total: Expr = num(0)
        for e, c in p.to_dict().items():
            term: Expr = num(Fraction(int(c.p), int(c.q)))
            for name, k in zip(field.names, e, strict=True):
                if k:
                    term = term * var(name) ** num(int(k))
            total = total + term
        return total

    above = poly(r.num)
    return above if r.den.is_one() else above / poly(r.den)


def run_chain(p: Prover, seq: Sequent, nodes: list[Node], depth: int) -> Node | None:
    """The nodes one under the other: the last child of each is proved by the next, the others by a search."""
    first, *rest = nodes
    p.clock()
    try:
        left = refine(first, seq, p.clock)
    except (Refused, AlgebraLimit):
        return None
    return p.completed(
        first, left, lambda s: run_chain(p, s, rest, depth) if rest and s is left[-1] else p.prove(s, depth - 2)
    )
