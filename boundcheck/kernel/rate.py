"""A rate of a method over declared classes as data, and the claims about free vectors that it comes down to.

f(x) is the value of f at the point x, f'(x) its gradient there (one of its subgradients; what an operator gives),
with x a name. Every declared function is looked at in every point where it occurs; a sum of functions is looked at
through its terms. The claim holds for all members of the classes if it follows from their inequalities
(``interpolation``) at those points. Maxima and roots of parameters are taken out by ``rate_cases``.
"""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Mapping, Sequence, Set
from dataclasses import dataclass, replace
from itertools import permutations

from boundcheck.kernel.check.quadratic import scalar_names
from boundcheck.kernel.formula import (
    CONSTANTS,
    Expr,
    FormulaError,
    Relation,
    call,
    is_opaque,
    is_zero,
    num,
    parse,
    parse_relation,
    product,
    substitute,
    var,
)
from boundcheck.kernel.proof.sorts import REAL, VECTOR, Sort, SortError, fits, typed
from boundcheck.kernel.rate_cases import Case, CaseError, NextMove, cases
from boundcheck.kernel.rules.interpolation import CLASSES, Class
from boundcheck.kernel.rules.schema import split
from boundcheck.kernel.statement import GramClaim

MAX_HYPOTHESES = 2000  #: inequalities of one claim
MAX_SIZE = 2_000  #: symbols of what a defined name stands for

_CALL = re.compile(r"\b([A-Za-z]\w*)('?)\(\s*([A-Za-z]\w*)\s*\)")
_HEADS = ("norm", "dot", "at")  #: ``at`` is what f(x) becomes; any other opaque term would be a number free to choose
_NUMBER, _POINT = Sort(REAL), Sort(VECTOR)
_NAME = re.compile(r"[A-Za-z]\w*\Z")
_CLASS = re.compile(r"\s*([a-z]\w*)\s*(?:\((.*)\))?\s*\Z", re.DOTALL)
_RESERVED = frozenset({"norm", "dot", "sqrt", "max", "min", "at", "value", *CONSTANTS})


def _plain(relation: Relation) -> Relation:
    """The relation with roots for half powers, if it applies words of the language alone. Raises FormulaError."""
    for e in relation.walk():
        if is_opaque(e) and e.args and e.op not in _HEADS:
            raise FormulaError(f"unknown function {e.op}")
    return relation.map(rooted)


def rooted(e: Expr) -> Expr:
    """``e`` with sqrt(a)**k in place of a**(k/2)."""
    if e.op == "pow" and e.args[1].op == "num" and e.args[1].value.denominator == 2:
        return call("sqrt", rooted(e.args[0])) ** num(2 * e.args[1].value)
    return e.each(rooted)


class RateError(ValueError):
    """A rate that says nothing definite; the message names the key, the text and the mend."""


@dataclass(frozen=True)
class Rate:
    """What is claimed of a method: texts throughout (see the module's docstring for f(x) and f'(x)).

    ``functions`` maps a name to its class, ``sums`` a name to a sum of functions with coefficients. ``method`` holds
    definitions ``name = term`` in order, ``given`` further relations between forms, ``where`` the parameters' domain.
    """

    name: str
    functions: Mapping[str, str]
    points: tuple[str, ...]
    claim: str
    method: tuple[str, ...] = ()
    given: tuple[str, ...] = ()
    where: tuple[str, ...] = ()
    sums: Mapping[str, str] | None = None


@dataclass(frozen=True)
class Expanded:
    """The text as a claim about free vectors; whether a counterexample to it is one to the classes; sources.

    ``cases`` is what it comes down to, ``places`` gives every point and gradient of the method in terms of the free
    vectors, ``defined`` what the cases need of the parameters alone, ``forms`` how each case came about.
    """

    claim: GramClaim
    cases: tuple[GramClaim, ...]
    exact: bool
    sources: tuple[str, ...]
    places: Mapping[str, Expr]
    defined: tuple[GramClaim, ...] = ()
    forms: tuple[Case, ...] = ()


def gradient_name(function: str, point: str) -> str:
    """The free vector that stands for function'(point)."""
    return f"{function}__{point}"


def spelled(text: str, functions: Iterable[str]) -> str:
    """A text with the internal names turned back into f'(x) and f(x)."""
    for f in functions:
        text = re.sub(rf"\b{f}__(\w+)\b", rf"{f}'(\1)", text)
        text = re.sub(rf"\bat\({f}, (\w+)\)", rf"{f}(\1)", text)
    return text


def expand(rate: Rate, next_move: NextMove = lambda case, vectors: None) -> Expanded:
    """The claims that ``rate`` comes down to by the moves of ``next_move``.

    Raises :class:`RateError`, also for a move that is none.
    """
    return _Expansion(rate).result(next_move)


class _Expansion:
    def __init__(self, rate: Rate):
        self.rate = rate
        self.sums = dict(rate.sums or {})
        self.used: dict[str, list[str]] = {f: [] for f in dict.fromkeys((*rate.functions, *self.sums))}
        for name in (*self.used, *rate.points):
            if not _NAME.match(name) or "__" in name or name in _RESERVED:
                raise RateError(f"{name[:60]!r}: a name of letters, digits and single _ that is no word of formulas")
        if doubled := set(self.used) & set(rate.points):
            raise RateError(f"{min(doubled)}: declared twice")
        heads = {f: text.partition("(")[0].strip() for f, text in rate.functions.items()}
        self.operators = {f for f, head in heads.items() if head in CLASSES and CLASSES[head].operator}
        self.terms = {name: self._sum(name, text) for name, text in self.sums.items()}
        mixed = {name for name, terms in self.terms.items() if terms.keys() & self.operators}
        for name in sorted(f for f in mixed - self.operators if heads.get(f) in CLASSES):
            raise RateError(f"functions.{name}: {heads[name]} is a class of functions, and the sum has an operator")
        self.operators |= mixed
        self.points: set[str] = set(rate.points)
        self.primed: set[str] = set()  #: functions of which gradients are spoken of

    # ---- reading

    def _translate(self, key: str, text: str) -> str:
        """f'(x) and f(x) as names of the proof vocabulary; notes where each function is looked at."""
        if "__" in text:
            raise RateError(f"{key}: names have no double underscore")
        if re.search(r"\bat\s*\(", text):
            raise RateError(f"{key}: at is no function here; write f(x) for the value of f at x")

        def put(match: re.Match[str]) -> str:
            f, prime, point = match.groups()
            if f not in self.used:
                if prime:
                    raise RateError(f"{key}: {f} is no declared function; declare it in functions")
                return match[0]
            self._look(f, point)
            self.primed |= {f} if prime else set()
            vector = prime or f in self.operators
            return gradient_name(f, point) if vector else f"at({f}, {point})"

        out = _CALL.sub(put, text)
        for f in self.used:
            if re.search(rf"(?<!\w){f}'?\(", out.replace(f"at({f}, ", "")):
                raise RateError(f"{key}: {f} is looked at in named points only; define the point in method first")
        return out

    def _read(self, key: str, text: str) -> Relation:
        try:
            return _plain(parse_relation(self._translate(key, text), proof=True))
        except FormulaError as fault:
            raise RateError(f"{key}: {fault}") from None

    def _term(self, key: str, text: str) -> Expr:
        try:
            e = parse(self._translate(key, text), proof=True)
            return _plain(Relation("==", e, e)).lhs
        except FormulaError as fault:
            raise RateError(f"{key}: {fault}") from None

    def _sum(self, name: str, text: str) -> dict[str, Expr]:
        """The coefficients of a sum of functions."""
        if "__" in text:
            raise RateError(f"sums.{name}: names have no double underscore")
        try:
            e = rooted(parse(text))
        except FormulaError as fault:
            raise RateError(f"sums.{name}: {fault}") from None
        out: dict[str, Expr] = {}
        earlier = [f for f in self.rate.functions if f not in self.sums]

        def go(node: Expr, factor: Expr) -> None:
            if node.op == "var" and node.value in earlier:
                out[node.value] = out[node.value] + factor if node.value in out else factor
            elif node.op in ("add", "sub"):
                go(node.args[0], factor)
                go(node.args[1], factor if node.op == "add" else -factor)
            elif node.op == "neg":
                go(node.args[0], -factor)
            elif node.op == "mul" and not node.args[0].free & set(earlier):
                go(node.args[1], product(factor, node.args[0]))
            elif node.op == "div" and not node.args[1].free & set(earlier):
                go(node.args[0], factor / node.args[1])
            else:
                raise RateError(f"sums.{name}: a sum of multiples of {', '.join(earlier)} is wanted")

        go(e, parse("1"))
        return out

    def _class(self, f: str, text: str) -> tuple[Class, dict[str, Expr]]:
        match = _CLASS.match(text)
        known = CLASSES.get(match[1]) if match else None
        if match is None or known is None:
            raise RateError(f"functions.{f}: unknown class {text[:60]!r}; known: {', '.join(CLASSES)}")
        given = [a for a in split(match[2] or "") if a]
        if len(given) != len(known.parameters):
            wanted = f"{known.name}({', '.join(known.parameters)})" if known.parameters else known.name
            raise RateError(f"functions.{f}: {wanted} is wanted, not {text[:60]!r}")
        return known, {n: self._term(f"functions.{f}", a) for n, a in zip(known.parameters, given, strict=True)}

    # ---- expanding

    def result(self, next_move: NextMove) -> Expanded:
        rate = self.rate
        method = [self._definition(n, line) for n, line in enumerate(rate.method)]
        given = [self._read(f"given[{n}]", line) for n, line in enumerate(rate.given)]
        where = [self._read(f"where[{n}]", line) for n, line in enumerate(rate.where)]
        goal = self._read("claim", rate.claim)
        if goal.op not in ("<=", ">="):
            raise RateError("claim: one inequality with <= or >= is wanted")
        declared = [(f, *self._class(f, text)) for f, text in rate.functions.items() if text.strip() != "any"]
        for f, known, values in declared:
            for p in known.points:
                if values[p].op != "var":
                    raise RateError(f"functions.{f}: {p} is the name of a point")
                self._look(f, values[p].value)
        classes = {f: known for f, known, _ in declared}
        self._spread(classes)
        table = self._values(method)
        self._require_typed(method, {"claim": [goal], "given": given, "where": where}, declared)
        vectors = self._free_vectors(table)
        hypotheses: list[Relation] = list(given)
        exact, sources = True, []
        for f, known, values in declared:
            hypotheses += self._inequalities(f, known, values)
            where += [self._instance(c, {}, values) for c in known.conditions]
            exact = exact and (known.exact is None or len(self.used[f]) <= known.exact)
            sources.append(f"{f} is {rate.functions[f]}: {known.source}")
        exact = exact and self._chosen_apart(classes)
        if len(hypotheses) > MAX_HYPOTHESES:
            raise RateError(f"{len(hypotheses)} inequalities; at most {MAX_HYPOTHESES} are read")
        hypotheses = [r.map(lambda e: _put(e, table)) for r in hypotheses]
        where = [r.map(lambda e: _put(e, table)) for r in where]
        goal = goal.map(lambda e: _put(e, table))
        hypotheses += self._points_defined(table, [goal, *hypotheses])
        self._all_known([goal, *hypotheses], where, vectors)
        claim = GramClaim(
            rate.name, tuple(vectors), goal, tuple(dict.fromkeys(hypotheses)), tuple(dict.fromkeys(where))
        )
        try:
            signs = self._added_up(classes)
            forms = tuple(cases(vectors, goal, claim.hypotheses, claim.where, next_move, signs))
        except CaseError as fault:
            raise RateError(f"claim: {fault}") from None
        names = [*rate.points, *(n for n in self.points if n not in rate.points)]
        names += [gradient_name(f, p) for f in self.used for p in self.used[f]]
        places = {n: table.get(n, var(n)) for n in names}
        claims = tuple(replace(claim, goal=c.goal, hypotheses=c.hypotheses, where=c.where) for c in forms)
        defined = tuple(dict.fromkeys(d for c in forms for d in c.defined))
        return Expanded(claim, claims, exact, tuple(sources), places, defined, forms)

    def _require_typed(
        self,
        method: Iterable[tuple[str, Expr]],
        relations: Mapping[str, Iterable[Relation]],
        declared: Sequence[tuple[str, Class, dict[str, Expr]]],
    ) -> None:
        """Refuse what speaks of no numbers and vectors: norm(x, y), the larger one of two points."""
        vectors = [gradient_name(f, p) for f, points in self.used.items() for p in points]
        vectors += [*self.rate.points, *(p for points in self.used.values() for p in points)]
        names = dict.fromkeys(vectors, _POINT)
        names |= dict.fromkeys(self.used.keys() - self.operators, Sort(REAL, args=(VECTOR,)))
        ranged = {n for r in relations["where"] for n in r.free}
        ranged |= {n for _, _, values in declared for e in values.values() for n in scalar_names(e)}

        def sort(key: str, e: Expr, wanted: Sort | None = None) -> Sort:
            """The sort of a term in which what is not defined is a number."""
            try:
                found = typed(e, dict.fromkeys(scalar_names(e) - names.keys(), _NUMBER) | names)
            except SortError as fault:
                self._known(e, ranged | names.keys())
                raise RateError(f"{key}: {spelled(str(fault), self.used)}") from None
            fit = wanted is None or (not found.args and fits(found.kind, wanted.kind))
            if not fit and not (wanted is _POINT and is_zero(e)):
                raise RateError(f"{key}: {spelled(str(e), self.used)} is no {wanted}")
            return found

        waiting = dict(method)
        while ready := {n: e for n, e in waiting.items() if not scalar_names(e) & waiting.keys() - names.keys()}:
            for name, e in ready.items():
                found = sort("method", e, _NUMBER if name.startswith("at(") else names.get(name))
                names.setdefault(name, _POINT if is_zero(e) else found)
                del waiting[name]
        for key, said in relations.items():
            for r in said:
                sort(key, Expr(r.op, r.sides))
        for name, terms in self.terms.items():
            for factor in terms.values():
                sort(f"sums.{name}", factor, _NUMBER)
        for f, known, values in declared:
            for name, e in values.items():
                sort(f"functions.{f}", e, _POINT if name in known.points else _NUMBER)

    def _chosen_apart(self, declared: Mapping[str, Class]) -> bool:
        """Whether members of the ``declared`` classes that take given values may be chosen one by one.

        A sum of a class must then have a term of no class that takes up what is left: with two convex functions whose
        sum is smooth, each is smooth too, which the inequalities of the three classes do not say. That of an indicator
        is not looked at everywhere.
        """
        sets = {f for f, known in declared.items() if known.of_a_set}
        bound = {name: terms for name, terms in self.terms.items() if name in declared}
        return all(
            not sets & {name, *terms} and any(self._takes_up(f, name, declared) for f in terms)
            for name, terms in bound.items()
        )

    def _takes_up(self, f: str, name: str, declared: Collection[str]) -> bool:
        """Whether a term of a sum of a class is of no class, and nothing is said of its gradients elsewhere."""
        free = f not in declared and f not in self.primed and _never_zero(self.terms[name][f])
        return free and not self._shared(f, name, declared)

    def _shared(self, f: str, name: str, declared: Collection[str]) -> bool:
        """Whether a term of a sum of a class stands in another such sum, or in one whose gradients are spoken of."""
        told = self.primed.union(declared)
        return any(f in terms for other, terms in self.terms.items() if other in told and other != name)

    def _added_up(self, declared: Mapping[str, Class]) -> dict[str, Expr]:
        """What has to be >= 0, so that gradients of terms add up to one of a function whose class is declared.

        Subgradients do so where their coefficients are >= 0, and where all are <= 0, since the sum of the function and
        of convex ones is differentiable then, and so is each. With f = h = |x| and f - h = 0, 1 - (-1) is none of 0.
        A term of no class whose gradients are spoken of is like those; one that stands in two sums is the difference
        of others: with f + u = h + u = 0 again 1 - (-1). Else its gradients are what is left.
        """
        wanted: dict[str, Expr] = {}
        loose = {f for f, known in declared.items() if not known.differentiable} | (self.primed - declared.keys())
        for name in sorted((self.terms.keys() & declared.keys()) - self.operators):
            terms = self.terms[name]
            several = {f: c for f, c in terms.items() if f in loose}
            shared = [f for f in terms if f not in declared and self._shared(f, name, declared)]
            if (len(several) < 2 and not shared) or any(self._takes_up(f, name, declared) for f in terms):
                continue
            signs = {c.value > 0 if c.op == "num" else None for c in several.values() if not is_zero(c)}
            if shared or signs == {True, False}:
                why = f"{shared[0]} stands in another sum too" if shared else "coefficients have both signs"
                raise RateError(
                    f"sums.{name}: subgradients of {' and '.join(several or terms)}, which may have several, need not"
                    f" add up to one of {name} where {why}"
                )
            if signs != {False}:
                wanted |= {f"the coefficient {c} of {f} in {name} is >= 0": c for f, c in several.items()}
        return wanted

    def _look(self, f: str, point: str) -> None:
        if point not in self.used[f]:
            self.used[f].append(point)

    def _spread(self, declared: Mapping[str, Class]) -> None:
        """The terms of a sum are looked at where the sum is; a sum of a class also where its terms are.

        Not so where the sum or a term is the indicator of a set: a point that another term is looked at in would be in
        the set then.
        """
        sets = {f for f, known in declared.items() if known.of_a_set}
        for _ in range(1 + len(self.terms)):  # sums may share terms
            for name, terms in self.terms.items():
                for f in terms:
                    for point in self.used[name]:
                        self._look(f, point)
                    if name in self.rate.functions and not sets & {name, *terms}:
                        for point in self.used[f]:
                            self._look(name, point)

    def _definition(self, n: int, line: str) -> tuple[str, Expr]:
        key = f"method[{n}]"
        left, equals, right = line.partition("=")
        if not equals or right.startswith("=") or left.rstrip().endswith(("<", ">", "!")):
            raise RateError(f"{key}: a definition is written name = term; a relation goes into given")
        name = self._translate(key, left).strip()
        plain = left.strip()
        if plain in _RESERVED or not (_NAME if name == plain else _CALL).fullmatch(plain):  # as 2*f'(x), pi
            raise RateError(f"{key}: what is defined is a name or f'(x), not {plain[:40]!r}")
        if name == plain:
            self.points.add(plain)
        return name, self._term(key, right)

    def _values(self, method: list[tuple[str, Expr]]) -> dict[str, Expr]:
        """What each defined name stands for, in terms of free vectors and parameters."""
        table: dict[str, Expr] = {}
        for name, terms in self.terms.items():
            for point in self.used[name]:
                parts = [c * var(gradient_name(f, point)) for f, c in terms.items()]
                table[gradient_name(name, point)] = sum(parts, num(0))
                table[f"at({name}, {point})"] = sum((c * _level(f, point) for f, c in terms.items()), num(0))
        later: dict[str, Expr] = {}
        for name, term in method:
            if name in later or name in self.rate.points:
                raise RateError(f"method: {spelled(name, self.used)} is defined twice")
            if name in table:
                raise RateError(
                    f"method: {spelled(name, self.used)} is the gradient of a sum; define those of its terms"
                )
            later[name] = _put(_put(term, table), later)
            if name in scalar_names(later[name]):
                raise RateError(f"method: {spelled(name, self.used)} is defined by itself")
            later = {k: _put(e, {name: later[name]}) for k, e in later.items()}
            if max(e.size for e in later.values()) > MAX_SIZE:  # x1 = x0 + a*x0, x2 = x1 + a*x1, ... doubles it
                raise RateError(f"method: up to {spelled(name, self.used)} it is longer than {MAX_SIZE} symbols")
        return {**{k: _put(e, later) for k, e in table.items()}, **later}

    def _free_vectors(self, table: Mapping[str, Expr]) -> list[str]:
        found = list(self.rate.points)
        for f, points in self.used.items():
            found += [n for p in points if (n := gradient_name(f, p)) not in table]
        return found

    def _inequalities(self, f: str, known: Class, values: dict[str, Expr]) -> list[Relation]:
        def names(point: str, x: str, g: str, u: str) -> dict[str, Expr]:
            return {x: var(point), g: var(gradient_name(f, point)), u: _level(f, point)}

        points = self.used[f]
        return [
            self._instance(t, names(a, "x", "g", "u") | names(b, "y", "h", "v"), values, f)
            for a, b in permutations(points, 2)
            for t in known.pairs
            if not (known.operator and points.index(a) > points.index(b))
        ] + [self._instance(t, names(a, "x", "g", "u"), values, f) for a in points for t in known.singles]

    def _points_defined(self, table: Mapping[str, Expr], relations: list[Relation]) -> list[Relation]:
        """|x|^2 >= 0 for the points that a function is looked at in and that have parts which no relation has.

        A claim or a hypothesis has to be defined on the domain, and so has what stands in the value of a function.
        """
        said = {n for r in relations for n in r.walk()}
        looked_at = dict.fromkeys(p for points in self.used.values() for p in points)
        terms = [table[p] for p in looked_at if p in table]
        partial = [e for e in terms if any(_partial(n) and n not in said for n in e.walk())]
        return [Relation(">=", call("norm", e) ** num(2), num(0)) for e in partial]

    def _instance(self, text: str, names: dict[str, Expr], values: dict[str, Expr], f: str = "") -> Relation:
        def levels(e: Expr) -> Expr:  # the value of f, whatever f is called, so after all names of the text
            if e.op == "value":
                return _level(f, str(e.args[0].value))
            return e.each(levels)

        told = parse_relation(text, proof=True).map(lambda e: levels(substitute(e, {**values, **names})))
        return parse_relation(str(told), proof=True)  # 0/2 is the numeral 0, as in the text that a certificate keeps

    def _known(self, e: Expr, names: Set[str]) -> None:
        for name in sorted(scalar_names(e) - names):
            shown = spelled(name, self.used)
            raise RateError(f"{shown} is neither a point, defined in method, nor ranged in where")

    def _all_known(self, relations: list[Relation], where: list[Relation], vectors: list[str]) -> None:
        ranged = frozenset().union(*(r.free for r in where)) if where else frozenset()
        for r in relations:
            self._known(Expr(r.op, r.sides), ranged | set(vectors))
        for name in sorted(set(self.rate.points) | {p for points in self.used.values() for p in points}):
            if name not in self.points:
                raise RateError(f"{name} is looked at, but is neither in points nor defined in method")


def _put(e: Expr, table: Mapping[str, Expr]) -> Expr:
    """``e`` with defined names and the values of sums replaced; a function's value keeps the name of its point."""
    if e.op == "at":
        return table.get(str(e), e)
    if e.op == "var":
        return table.get(str(e.value), e)
    return e.each(lambda a: _put(a, table))


def _partial(e: Expr) -> bool:
    """Whether some numbers have no value here: a quotient, a root, a power that is no product."""
    if e.op == "div":
        return not _never_zero(e.args[1])
    return e.op == "sqrt" or (e.op == "pow" and not (e.args[1].op == "num" and e.args[1].value >= 0))


def _never_zero(e: Expr) -> bool:
    """Whether a coefficient is a number other than 0, or one over something, by its form."""
    if e.op == "num":
        return bool(e.value != 0)
    return e.op in ("div", "neg") and _never_zero(e.args[0])


def _level(f: str, point: str) -> Expr:
    return Expr("at", (var(f), var(point)))
