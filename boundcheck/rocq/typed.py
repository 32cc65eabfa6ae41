"""Terms of statements as Coq text with types: V a vector, Om -> V a random one, heads of the field as variables.

A term that depends on chance is written at an outcome ``o``. Norm and inner product are those of ``Space``; any other
head (E, P, law, independent, sum, ...) is a variable of the type that its use has, so a theorem holds for all meanings
of the head that satisfy what is assumed of it.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from contextlib import contextmanager

from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.formula import BINDERS, FAMILIES, RELATIONS, Expr, Relation, endless, has_opaque, num
from boundcheck.kernel.proof.facts import Known
from boundcheck.kernel.proof.sorts import (
    AVERAGES,
    EVENT,
    INFORMATION,
    INTEGER,
    LAW,
    OBJECT,
    REAL,
    VECTOR,
    Names,
    Sort,
    check_relation,
    typed,
)
from boundcheck.rocq.coq_text import _CALLS, _RELATIONS, NotStated, called, function, name, number, signed

TYPES = {REAL: "R", INTEGER: "R", VECTOR: "V", EVENT: "Prop", INFORMATION: "Info", OBJECT: "Ob", LAW: "Law"}
_ARITHMETIC = {"add": ("+", "vadd"), "sub": ("-", "vsub")}
_EVENTS = {"both": "/\\", "either": "\\/"}


def type_of(kind: str, random: bool = False, args: tuple[str, ...] = ()) -> str:
    """The Coq type of a sort."""
    return " -> ".join([*(TYPES[a] for a in args), *(["Om"] if random else []), TYPES[kind]])


def over(names: Names, random: bool = False) -> str:
    """The binder of names of these sorts, each of them ``random``."""
    return "".join(f"forall {name(n)} : {type_of(s.kind, random)}, " for n, s in names.items())


def whole(names: Names) -> list[str]:
    """That the integers among the names are whole."""
    return [f"isint {name(n)}" for n, s in names.items() if s.kind == INTEGER]


def whole_values(symbol: str, sort: Sort) -> str:
    """That a declared name is whole, at whole arguments and every outcome; "" for one that is no integer."""
    if sort.kind != INTEGER:
        return ""
    places = [f"a{i}" for i in range(len(sort.args))]
    binder = "".join(f"forall {a} : {TYPES[k]}, " for a, k in zip(places, sort.args, strict=True))
    binder += "forall o : Om, " if sort.random else ""
    at = "".join(f"isint {a} -> " for a, k in zip(places, sort.args, strict=True) if k == INTEGER)
    value = " ".join([name(symbol), *places, *(["o"] if sort.random else [])])
    return f"{binder}{at}isint {f'({value})' if ' ' in value else value}"


def _whole(e: Expr, scope: Names) -> bool:
    """Whether a term is a whole number by its form; then it may be the exponent of what is negative, and of 0."""
    if e.op == "num":
        return bool(e.value.denominator == 1)
    if e.op in ("floor", "ceil"):
        return True
    if e.op in ("neg", "add", "sub", "mul", "min", "max", "abs"):
        return all(_whole(a, scope) for a in e.args)
    if e.op == "pow":
        return e.args[1].op == "num" and e.args[1].value >= 0 and _whole(e.args[1], scope) and _whole(e.args[0], scope)
    return e.op not in ("const", "div") and typed(e, scope).kind == INTEGER


class Writer:
    """Writes terms; ``heads`` collects the heads that were met, with their types.

    ``inside`` are the metavariables of a rule that stand for terms in bound names: these names follow them.
    ``derived`` are those that stand for another one at a value, ``through`` those random only through another.
    ``known`` are relations that are assumed of the names beside what is written.
    """

    def __init__(
        self,
        inside: Mapping[str, tuple[str, ...]] | None = None,
        derived: Mapping[str, tuple[str, Expr]] | None = None,
        through: Mapping[str, str] | None = None,
        known: Iterable[Relation] = (),
    ):
        self.heads: dict[str, str] = {}
        self.inside, self.derived, self.through = inside or {}, derived or {}, through or {}
        plain = tuple(r for r in known if not (has_opaque(r.lhs) or has_opaque(r.rhs)))
        self.box = Sequent(plain, Relation("==", num(0), num(0))).box or {}

    # ------------------------------------------------------------ terms

    def term(self, e: Expr, scope: Names, kind: str = "") -> str:
        """The value of a term at the outcome o. Raises :class:`NotStated`."""
        if kind == VECTOR and e.op == "num" and e.value == 0:
            return "vzero"
        found = typed(e, scope)
        if kind == OBJECT and found.kind != OBJECT:
            return self._head("object", [(type_of(found.kind), self.term(e, scope))], "Ob")
        match e.op:
            case "num":
                return number(e.value)
            case "const":
                if e.value == "oo":
                    raise NotStated("an infinite end")
                return "PI" if e.value == "pi" else "(exp 1)"
            case "var":
                if e.value in self.derived:
                    source, value = self.derived[str(e.value)]
                    itself = source in self.through and source not in self.inside  # the value is put for its chance
                    outcome = f" {self._chance(source)}" if found.random and not itself else ""
                    return f"({name(source)} {self.term(value, scope)}{outcome})"
                return self._variable(e, found)
            case "neg":
                inner = self.term(e.args[0], scope, found.kind)
                return f"(vneg {inner})" if found.kind == VECTOR else f"(- {inner})"
            case "add" | "sub":
                a, b = (self.term(x, scope, found.kind) for x in e.args)
                sign, head = _ARITHMETIC[e.op]
                return f"({head} {a} {b})" if found.kind == VECTOR else f"({a} {sign} {b})"
            case "mul" | "div":
                return self._product(e, scope, found)
            case "pow":
                return self._power(e, scope)
            case "clip":
                z, tau = (self.term(x, scope) for x in e.args)
                return f"(Rmax (- {tau}) (Rmin {z} {tau}))"
            case "norm":
                return f"(norm {self.term(e.args[0], scope, VECTOR)})"
            case "dot":
                return f"(dot {self.term(e.args[0], scope, VECTOR)} {self.term(e.args[1], scope, VECTOR)})"
            case "at":
                return self._applied(self._function(e.args[0], scope), typed(e.args[0], scope), e.args[1:], scope)
        if e.op in RELATIONS:
            r = Relation(e.op, *e.args)  # an event is written one way round, as normal forms are
            return f"({self.relation(r.flipped() if e.op in ('>', '>=') else r, scope)})"
        if e.op in _EVENTS:
            return f"({self.term(e.args[0], scope)} {_EVENTS[e.op]} {self.term(e.args[1], scope)})"
        if e.op == "complement":
            return f"(~ {self.term(e.args[0], scope)})"
        if e.op in _CALLS:
            return called(e.op, [self.term(a, scope) for a in e.args])
        if e.op in scope:
            sort = scope[e.op]
            return self._applied(name(e.op), sort, e.args, scope)
        if e.op in ("meet", "union"):
            body, v, low, high = e.args
            within = {**scope, str(v.value): Sort(INTEGER)}
            ends = f"{self.term(low, scope)} {self.term(high, scope)}"
            with self._hidden(str(v.value)):
                return f"({e.op} {function(str(v.value), self.term(body, within))} {ends})"
        if e.op in (*BINDERS, *FAMILIES) and e.binds:
            return self._binder(e, scope, found)
        if e.op == "ind":
            return f"(ind {self.term(e.args[0], scope)})"
        return self._opaque(e, scope, found)

    def _variable(self, e: Expr, found: Sort) -> str:
        text = name(e.value)
        on = self.inside.get(str(e.value), ())
        outcome = [] if found.args or not found.random else [self._chance(str(e.value))]
        parts = [*map(name, on), *outcome]
        return f"({text} {' '.join(parts)})" if parts else text

    def _chance(self, meta: str) -> str:
        """What a random metavariable takes its chance from: the outcome, or the value of another one."""
        return f"({name(self.through[meta])} o)" if meta in self.through else "o"

    def _function(self, e: Expr, scope: Names) -> str:
        """A family or function itself."""
        if e.op == "var":
            return name(e.value)
        if e.op == "at":
            inner = " ".join(self.term(a, scope) for a in e.args[1:])
            return f"({self._function(e.args[0], scope)} {inner})"
        raise NotStated(f"the function {e}")

    def _applied(self, head: str, sort: Sort, args: tuple[Expr, ...], scope: Names) -> str:
        texts = [self.term(a, scope, kind) for a, kind in zip(args, sort.args, strict=False)]
        outcome = ["o"] if sort.random and len(args) == len(sort.args) else []
        return f"({' '.join([head, *texts, *outcome])})"

    def _product(self, e: Expr, scope: Names, found: Sort) -> str:
        a, b = e.args
        if found.kind == VECTOR:
            if e.op == "div":
                return f"(vscal (/ {self.term(b, scope)}) {self.term(a, scope, VECTOR)})"
            if typed(a, scope).kind == VECTOR:
                a, b = b, a
            return f"(vscal {self.term(a, scope)} {self.term(b, scope, VECTOR)})"
        return f"({self.term(a, scope)} {'*' if e.op == 'mul' else '/'} {self.term(b, scope)})"

    def _power(self, e: Expr, scope: Names) -> str:
        base, exponent = e.args
        if exponent.op == "num" and exponent.value.denominator == 1 and abs(exponent.value) <= 400:
            n = int(exponent.value)
            text = f"({self.term(base, scope)} ^ {abs(n)})"
            return text if n >= 0 else f"(/ {text})"
        if signed(base, exponent):
            raise NotStated("a power of a negative number")
        head = "ipw" if _whole(exponent, scope) and not self._as_real(base, exponent) else "rpw"
        return f"({head} {self.term(base, scope)} {self.term(exponent, scope)})"

    def _as_real(self, base: Expr, exponent: Expr) -> bool:
        """Whether a power with a whole exponent is surely one of a base > 0, or >= 0 with an exponent > 0."""
        found = [
            enclose(e, self.box) if e.free <= self.box.keys() and not has_opaque(e) else None for e in (base, exponent)
        ]
        return positive(found[0], True) or (positive(found[0], False) and positive(found[1], True))

    @contextmanager
    def _hidden(self, *names: str) -> Iterator[None]:
        """Forget, within, what is known of names that are bound."""
        before = self.box
        self.box = {n: a for n, a in before.items() if n not in names}
        try:
            yield
        finally:
            self.box = before

    def _binder(self, e: Expr, scope: Names, found: Sort) -> str:
        body, v, low, high = e.args
        real = e.op in ("integral", "integrable")
        inner = {**scope, str(v.value): Sort(REAL if real else INTEGER)}
        kind = typed(body, inner).kind
        ends, tag = [], ""
        for end in (low, high):
            if endless(end):
                tag += "_oo" if end.op == "const" else "_moo"
            else:
                ends.append(("R", self.term(end, scope)))
        with self._hidden(str(v.value)):
            terms = function(str(v.value), self.term(body, inner))
        result = "R" if e.op == "integrable" else TYPES[found.kind]
        return self._head(e.op + tag, [(f"R -> {TYPES[kind]}", terms), *ends], result)

    def _opaque(self, e: Expr, scope: Names, found: Sort) -> str:
        parts = [self._argument(e.op, a, scope) for a in e.args]
        if e.op == "independent":
            parts.sort(key=lambda part: part[0])  # it is symmetric: one head for both orders of different types
        at_outcome = e.op in ("Egiven", "Pgiven")
        text = self._head(e.op, parts, ("Om -> " if at_outcome else "") + TYPES[found.kind])
        return f"({text} o)" if at_outcome else text

    def _argument(self, op: str, a: Expr, scope: Names) -> tuple[str, str]:
        found = typed(a, scope)
        if found.args:
            return type_of(found.kind, found.random, found.args), self._eta(a, found.random, scope)
        if op not in AVERAGES or found.kind in (INFORMATION, LAW) or (op in ("sphere", "ball", "coordinate")):
            return TYPES[found.kind], self.term(a, scope)
        return type_of(found.kind, True), f"(fun o : Om => {self.term(a, scope)})"

    def _eta(self, e: Expr, random: bool, scope: Names) -> str:
        """A function as one of constants, or of outcomes besides."""
        root = e
        while root.op == "at":
            root = root.args[0]
        own, text = scope[str(root.value)].random, self._function(e, scope)
        if e.op == "var" and own == random:
            return text
        names = " ".join(f"a{i}" for i in range(len(typed(e, scope).args)))
        return f"(fun {names}{' (o : Om)' if random else ''} => {text} {names}{' o' if own else ''})"

    def _head(self, op: str, parts: list[tuple[str, str]], result: str) -> str:
        whole = " -> ".join([*(f"({t})" if "->" in t else t for t, _ in parts), result])
        label = "h_" + re.sub(r"\W+", "_", f"{op} {whole}".replace("->", "to").replace("(", " of ")).strip("_")
        self.heads[label] = whole
        return f"({' '.join([label, *(t for _, t in parts)])})"

    # ------------------------------------------------------------ propositions

    def relation(self, r: Relation, scope: Names) -> str:
        """A relation at the outcome o."""
        kinds = [typed(s, scope).kind for s in r.sides]
        kind = VECTOR if VECTOR in kinds else ""
        if r.op not in _RELATIONS:
            raise NotStated(f"the relation {r.op}")
        return f"{self.term(r.lhs, scope, kind)} {_RELATIONS[r.op]} {self.term(r.rhs, scope, kind)}"

    def proposition(self, known: Known, scope: Names, outcome: bool = True) -> str:
        """A fact for all of its names, and for all outcomes where it depends on chance."""
        inner = {**scope, **known.over}
        chance = "forall o : Om, " if outcome and self.chancy(known, scope) else ""
        with self._hidden(*known.over):
            premises = (*whole(known.over), *(self.relation(w, inner) for w in known.where))
            arrows = "".join(f"({t}) -> " for t in premises)
            return f"{over(known.over)}{chance}{arrows}{self.relation(known.relation, inner)}"

    @staticmethod
    def chancy(known: Known, scope: Names) -> bool:
        """Whether the fact is one for each outcome."""
        inner = {**scope, **known.over}
        return any(check_relation(r, inner) for r in known.relations)

    def value(self, e: Expr, wanted: Sort, scope: Names) -> str:
        """A term as an argument of the wanted sort."""
        if wanted.args:
            return self._eta(e, wanted.random, scope)
        text = self.term(e, scope, wanted.kind)
        return f"(fun o : Om => {text})" if wanted.random else f"({text})"
