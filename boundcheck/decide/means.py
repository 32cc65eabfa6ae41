"""Weighted means: products of powers against sums of products of powers, with rational or symbolic exponents.

Every monomial is divided by its value at a point where both sides touch (all variables 1, or found in floats).
Lemmas "product of v**w <= sum of w v" that are tight there are put up for each monomial that lies between others;
a linear program at sample values of the parameters picks some, their factors are solved for as rational functions.
AM-GM, Young, Hoelder, Minkowski and the means of powers are of this kind. The kernel checks each lemma and the sum.
"""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from itertools import combinations
from typing import Any

import numpy as np
from flint import fmpq
from numpy.typing import NDArray
from scipy.optimize import linprog

from boundcheck.decide.prover import Node, Prover, size
from boundcheck.decide.sampling import points
from boundcheck.kernel.check.poly import ONE, AlgebraLimit, Mono, Poly, is_sum, multiply, thaw, to_expr
from boundcheck.kernel.check.ratios import Field, NotRational
from boundcheck.kernel.check.ratios import Ratio as Rational
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, num, substitute, text, var

MAX_MONOMIALS = 36
MAX_LEMMAS = 700
SAMPLES = 4  #: values of the parameters at which a combination is tried
Array = NDArray[np.float64]


@dataclass(frozen=True)
class Lemma:
    """The monomial ``product`` is the mean of ``parts`` with ``weights``."""

    product: int
    parts: tuple[int, ...]
    weights: tuple[Rational, ...]


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
        self.relations: list[dict[int, Any]] = []

    # ------------------------------------------------------------------ monomials

    def index(self, m: Mono) -> int:
        if m not in self.monos:
            self.monos.append(m)
        return self.monos.index(m)

    def expand(self, at: dict[Expr, Fraction]) -> None:
        """For a monomial R and a sum S = sum of s: R = sum of R s/S, as relations between monomials over values."""
        first = list(self.monos)
        for m in first:
            for s in self.sums:
                self._expansion(m, s, at)
        inner = [m for m in self.monos if m not in first]
        for m in inner:
            for s, x in m:
                if is_sum(s) and not (isinstance(x, fmpq) and x < 0):
                    self._expansion(m, s, at)

    def _expansion(self, m: Mono, s: Expr, at: dict[Expr, Fraction]) -> None:
        form = self.algebra.normal(s)
        if form.den != ONE or len(self.monos) > MAX_MONOMIALS:
            return
        relation: dict[int, Any] = {}
        whole = self.value(((s, fmpq(1)),), at)
        for t, c in form.num.items():
            ((new, _),) = multiply({m: fmpq(1)}, {((s, fmpq(-1)),): fmpq(1)}).items()
            ((new, _),) = multiply({new: fmpq(1)}, {t: fmpq(1)}).items()
            part = self.value(t, at)
            if whole is None or part is None:
                return
            k = self.index(new)
            relation[k] = relation.get(k, fmpq(0)) + c * fmpq(part.numerator, part.denominator) / fmpq(
                whole.numerator, whole.denominator
            )
        k = self.index(m)
        relation[k] = relation.get(k, fmpq(0)) - 1
        self.relations.append(relation)

    def value(self, m: Mono, at: dict[Expr, Fraction]) -> Fraction | None:
        """The value of a monomial with whole exponents where the atoms have these values; None if not rational."""
        out = Fraction(1)
        for a, x in m:
            base = at.get(a)
            if base is None:
                return None
            if base == 1:
                continue
            if not isinstance(x, fmpq) or x.q != 1:
                return None
            out *= base ** int(x.p)
        return out

    # ------------------------------------------------------------------ exponents

    def exponents(self, atoms: list[Expr]) -> list[list[Rational]]:
        """For each monomial the exponents of the atoms, as functions of the parameters."""
        return [[self.field.read(to_expr(thaw(dict(m).get(a, fmpq(0))))) for a in atoms] for m in self.monos]


def _number(r: Rational, point: list[float]) -> float:
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
    return _chain(p, seq, node, depth)


def _parameters(problem: _Problem) -> list[list[float]]:
    """Sample values of the parameters."""
    names, columns = points(problem.seq.hyps, problem.seq)
    wanted = list(problem.field.names)
    if not wanted:
        return [[]]
    if not columns or columns[0].shape[0] == 0:
        return []
    table = np.array([columns[names.index(v)] for v in wanted]).T
    good = [list(map(float, r)) for r in table if np.all(np.abs(r) < 50) and np.all(np.abs(r) > 1e-2)]
    moderate = sorted(good, key=lambda r: sum(abs(x - round(x, 1)) + abs(np.log(abs(x))) for x in r))
    return moderate[: len(moderate) // 2 + 1][:: max(1, len(moderate) // (2 * SAMPLES))][:SAMPLES]


def _search(p: Prover, problem: _Problem, atoms: list[Expr], den: Poly) -> list[Node] | None:
    samples = _parameters(problem)
    if not samples:
        return None
    at = _touch(problem, atoms)
    if at is None:
        return None
    problem.expand(at)
    atoms = sorted({a for m in problem.monos for a, _ in m}, key=text)
    if len(problem.monos) > MAX_MONOMIALS + 8:
        return None
    table = problem.exponents(atoms)
    values_at = [_scaled(problem, m, at) for m in problem.monos]
    targets = []
    for m, v in zip(problem.monos, values_at, strict=True):
        c = problem.coefficients.get(m)
        if c is None:
            targets.append(problem.field.number(0))
            continue
        scaled = problem.algebra.normal(to_expr(c) * v)
        targets.append(problem.field.read(scaled.expr()))
    for sample in samples:
        p.clock()
        numeric = np.array([[_number(r, sample) for r in row] for row in table])
        lemmas = _lemmas(problem, table, numeric)
        chosen = _linear(problem, lemmas, targets, sample)
        if chosen is None:
            continue
        solved = _exact(problem, lemmas, chosen, targets, samples)
        if solved is not None:
            return _nodes(problem, solved, values_at, den)
    return None


def _scaled(problem: _Problem, m: Mono, at: dict[Expr, Fraction]) -> Expr:
    """The value of a monomial where the variables have these values, as a formula in the parameters."""
    out: Expr = num(1)
    for a, x in m:
        if at[a] != 1:
            out = out * num(at[a]) ** to_expr(thaw(x))
    return out


# ---------------------------------------------------------------- where the sides touch


def _touch(problem: _Problem, atoms: list[Expr]) -> dict[Expr, Fraction] | None:
    """Rational values of all atoms at a point where the gap seems to be 0, or is least relative to its terms."""
    names = sorted({v for a in atoms for v in a.free} - problem.parameters)
    plain = {v: Fraction(1) for v in names}
    found = _atoms_at(problem, plain)
    return found


def _atoms_at(problem: _Problem, at: dict[str, Fraction]) -> dict[Expr, Fraction] | None:
    """The values of the atoms (and of what their sums consist of); None if one is no positive rational."""
    out: dict[Expr, Fraction] = {}
    todo = [a for m in problem.monos for a, _ in m]
    while todo:
        a = todo.pop()
        if a in out:
            continue
        if a.op == "const":
            out[a] = Fraction(1)  # only ever raised to powers that are compared as they stand
            continue
        value = problem.algebra.normal(substitute(a, {v: num(x) for v, x in at.items()}))
        q = value.num.get((), fmpq(0)) if set(value.num) <= {()} and value.den == ONE else None
        if q is None or q <= 0:
            return None
        out[a] = Fraction(int(q.p), int(q.q))
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
        solve: Any = linprog
        found = solve(cost, A_eq=ends[others].T, b_eq=ends[m], bounds=(0, None), method="highs-ds")
        if found.status == 0:
            parts = tuple(k for k, x in zip(others, found.x, strict=True) if x > 1e-9)
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
    weights = _solve(field, rows, len(parts))
    return None if weights is None else Lemma(m, parts, tuple(weights))


def _solve(field: Field, rows: list[list[Rational]], unknowns: int) -> list[Rational] | None:
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


def _linear(problem: _Problem, lemmas: list[Lemma], targets: list[Rational], sample: list[float]) -> list[int] | None:
    """The columns (lemmas, then relations, then single monomials) that add up to the target at one sample."""
    n = len(problem.monos)
    columns: list[Array] = []
    for lemma in lemmas:
        column = np.zeros(n)
        column[lemma.product] -= 1.0
        for k, w in zip(lemma.parts, lemma.weights, strict=True):
            column[k] += _number(w, sample)
        columns.append(column)
    for relation in problem.relations:
        column = np.zeros(n)
        for k, c in relation.items():
            column[k] += float(c.p) / float(c.q)
        columns.append(column)
    columns += list(np.eye(n))
    goal = np.array([_number(t, sample) for t in targets])
    free = range(len(lemmas), len(lemmas) + len(problem.relations))
    bounds = [(None, None) if k in free else (0, None) for k in range(len(columns))]
    cost = np.array([1.0] * len(lemmas) + [0.0] * len(problem.relations) + [0.01] * n)
    if not np.all(np.isfinite(goal)):
        return None
    solve: Any = linprog
    found = solve(cost, A_eq=np.array(columns).T, b_eq=goal, bounds=bounds, method="highs-ds")
    if found.status != 0:
        return None
    return [k for k in range(len(columns)) if abs(found.x[k]) > 1e-9]


def _exact(
    problem: _Problem, lemmas: list[Lemma], chosen: list[int], targets: list[Rational], samples: list[list[float]]
) -> list[tuple[Lemma | Mono, Rational]] | None:
    """The factors of the chosen columns as functions of the parameters; relations are left out."""
    field, n = problem.field, len(problem.monos)
    zero = field.number(0)
    rows = [[zero] * (len(chosen) + 1) for _ in range(n)]
    for position, k in enumerate(chosen):
        if k < len(lemmas):
            lemma = lemmas[k]
            rows[lemma.product][position] = field.sub(rows[lemma.product][position], field.number(1))
            for part, w in zip(lemma.parts, lemma.weights, strict=True):
                rows[part][position] = field.add(rows[part][position], w)
        elif k < len(lemmas) + len(problem.relations):
            for m, c in problem.relations[k - len(lemmas)].items():
                rows[m][position] = field.number(Fraction(int(c.p), int(c.q)))
        else:
            rows[k - len(lemmas) - len(problem.relations)][position] = field.number(1)
    for m in range(n):
        rows[m][-1] = targets[m]
    found = _solve(field, rows, len(chosen))
    if found is None:
        return None
    out: list[tuple[Lemma | Mono, Rational]] = []
    for k, factor in zip(chosen, found, strict=True):
        if len(lemmas) <= k < len(lemmas) + len(problem.relations) or factor.num.is_zero():
            continue
        if any(_number(factor, s) < -1e-9 for s in samples):
            return None
        out.append((lemmas[k] if k < len(lemmas) else problem.monos[k - len(lemmas) - len(problem.relations)], factor))
    return out


def _nodes(problem: _Problem, solved: list[tuple[Any, Rational]], values_at: list[Expr], den: Poly) -> list[Node]:
    """A node for each lemma, then the sum."""
    count = len(problem.seq.hyps)
    place = {m: i for i, m in enumerate(problem.monos)}
    nodes: list[Node] = []
    terms: list[dict[str, Any]] = []

    def normed(k: int) -> Expr:
        return to_expr({problem.monos[k]: fmpq(1)}) / values_at[k]

    for item, factor in solved:
        weight = _formula(problem.field, factor)
        if isinstance(item, Lemma):
            parts = [
                {"weight": text(_formula(problem.field, w)), "value": text(normed(k))}
                for k, w in zip(item.parts, item.weights, strict=True)
            ]
            nodes.append({"rule": "means", "terms": parts})
            terms.append({"c": "1", "times": text(weight), "hyps": [count + len(nodes) - 1]})
        else:
            terms.append({"c": "1", "times": text(weight * normed(place[item]))})
    last: Node = {"rule": "farkas", "terms": terms}
    if den != ONE:
        last["scale"] = text(to_expr(den))
    return [*nodes, last]


def _formula(field: Field, r: Rational) -> Expr:
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


def _chain(p: Prover, seq: Sequent, nodes: list[Node], depth: int) -> Node | None:
    """The nodes one under the other: the last child of each is proved by the next, the others by a search."""
    from boundcheck.kernel.check.rules import refine
    from boundcheck.kernel.check.sequent import Refused

    first, rest = nodes[0], nodes[1:]
    p.clock()
    try:
        left = refine(first, seq, p.clock)
    except (Refused, AlgebraLimit):
        return None
    children = []
    for s in left[: len(left) - 1] if rest else left:
        child = p.prove(s, depth - 2)
        if child is None:
            return None
        children.append(child)
    if rest:
        last = _chain(p, left[-1], rest, depth)
        if last is None:
            return None
        children.append(last)
    return {**first, "then": children} if children else first
