"""Why a term is integrable, bounded or known from some information, as tactics: the kernel's judgements.

What the kernel takes as given there (a sum of integrable terms is integrable, what is formed from what is known is
known) becomes a hypothesis of the file, for all terms, and is listed among the rules. Bounds are proved.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator

from boundcheck.kernel.formula import Expr, Relation, endless, num, var
from boundcheck.kernel.proof.sorts import INFORMATION, INTEGER, REAL, VECTOR, Names, Sort, typed
from boundcheck.kernel.proof.terms import canonical, names, settle
from boundcheck.rocq.closed import power
from boundcheck.rocq.coq_text import NotStated, function, name
from boundcheck.rocq.sight import Sight
from boundcheck.rocq.typed import TYPES, over, type_of

_DEPTH = 3
#: what is bounded where its parts are: how many of these are looked at
_PARTS = dict.fromkeys(("add", "sub", "mul", "dot", "min", "max"), 2)
_PARTS |= dict.fromkeys(("neg", "abs", "norm", "div", "pow"), 1)
_BELOW = ("<=", "<", "==")


def _side(*ops: str) -> Callable[[Relation], Expr | None]:
    """What a relation of one of these kinds is about."""
    return lambda r: r.lhs if r.op in ops else None


def _each(tactics: Iterable[str]) -> str:
    """The tactics for what a lemma leaves."""
    first, *more = tactics
    return f"[{' | '.join([first, *more])}]" if more else first


class Shown(Sight):
    """The judgements of one step as tactics. Each method gives a tactic for its goal, or raises :class:`NotStated`."""

    def under(self, where: Iterable[Relation], over: Names) -> Shown:
        """The judgements under more conditions, with more names."""
        inner = Shown(self.b, self.c, {**self.scope, **over})
        inner.judge = self.judge.under(where, over)
        return inner

    # ------------------------------------------------------------ bounded

    def bounded(self, e: Expr) -> str:
        """A tactic for: there is a bound for all outcomes."""
        kind, a = self.kind(e), e.args
        if self.judge.constant(e):
            return "(eexists; intros o _; apply Rle_refl)"
        still = (e.op != "div" or self.judge.constant(a[1])) and (e.op != "pow" or a[1].op == "num")
        if still and e.op in _PARTS and all(map(self.judge.bounded, a[: _PARTS[e.op]])):
            return self._of_parts(e, kind, self.fun, self.bounded)
        if e.op in ("ind", "P", "Pgiven"):
            return self._unit(e, "o")
        if e.op == "clip":
            return f"(apply (bdd_clip_R _ {self.fun(a[0])}))"
        if e.op in ("min", "max") and self.judge._clipped(e):
            return f"(eapply (bdd_clip_R _ {self.fun(a[1].args[0])}))"
        size = e if e.op in ("abs", "norm") else self.judge._size(e)
        for end, text in self._constants(size, *_BELOW):
            return f"(exists {end}; intros o _; {self._weak(text)})"
        high, low = (next(self._constants(e, *ops), None) for ops in (_BELOW, (">=", ">", "==")))
        if kind == "R" and high and low:
            value = self.b.writer.term(e, self.scope)
            below_it = f"assert (LU : {low[0]} <= {value}) by {self._weak(low[1])}"
            above_it = f"assert (HV : {value} <= {high[0]}) by {self._weak(high[1])}"
            bound = f"exists (Rabs {low[0]} + Rabs {high[0]}); intros o _"
            return f"({bound}; {below_it}; {above_it}; apply between; assumption)"
        raise NotStated(f"that {e} is bounded")

    def _of_parts(self, e: Expr, kind: str, fun: Callable[[Expr], str], show: Callable[[Expr], str]) -> str:
        """A tactic for a bound of ``e`` from those of its parts."""
        parts, op = e.args[: _PARTS[e.op]], e.op
        if op == "mul" and kind == "V":
            op, parts = "scal", parts[::-1] if self.kind(parts[0]) == "V" else parts
        return f"(apply (bdd_{op}_{kind} _ {' '.join(map(fun, parts))}); {_each(map(show, parts))})"

    def _unit(self, e: Expr, place: str) -> str:
        """A tactic for a bound of an indicator or a probability."""
        if e.op == "ind":
            return f"(exists 1; intros {place} _; apply ind_bound)"
        return f"(exists 1; intros {place} _; {self.b.range_of(e, self.scope)} as RU; apply Rabs_le; lra)"

    def _constants(self, e: Expr, *ops: str) -> Iterator[tuple[str, str]]:
        """The numbers by which facts in sight bound a term, and how each fact is used."""
        for r, text in self.fact(_side(*ops), canonical(e)):
            if self.judge.constant(r.rhs):
                yield self.b.writer.term(r.rhs, self.scope), text

    def _weak(self, text: str) -> str:
        return f"(pose proof {text} as HU; bw_chain HU by ({self.b.close}); first [bw_got HU | lra])"

    # ------------------------------------------------------------ integrable

    def integrable(self, e: Expr, depth: int = 0) -> str:
        """A tactic for: the mean of ``e`` exists."""
        kind, a = self.kind(e), e.args
        full, size = f"Om -> {kind}", "Rabs (X o)" if kind == "R" else "norm (X o)"
        if self.judge.constant(e):
            return f"apply {self._integrable('constant', kind, f'forall c : {kind}, [c]')}"
        known = self._by_fact("integrable", canonical(e))
        if known:
            return known
        if e.op == "sum" and self.judge._steady(e):
            return self._sum(e, depth, kind)
        if e.op == "Egiven":
            v = self._source(a[1])[0]
            told = f"forall (X : {full}) (S : {v}), ([X o]) -> [{self._given('Egiven', kind, 'X', v, 'S')} o]"
            label = self._integrable("conditional mean", f"{kind} {v}", told)
            return f"(apply {label}; {self.integrable(a[0], depth)})"
        if self.judge.bounded(e):
            try:
                inner = self.bounded(e)
            except NotStated:
                inner = ""
            if inner:
                told = f"forall X : {full}, (exists c, forall o : Om, True -> {size} <= c) -> [X o]"
                return f"(apply ({self._integrable('bounded', kind, told)} {self.fun(e)}); {inner})"
        pair = e.op in ("add", "sub") or (e.op in ("min", "max") and len(a) == 2)
        if (pair or e.op in ("neg", "abs", "norm")) and all(self.judge.integrable(x, depth) for x in a):
            label = self._closure(e)
            inner = _each(self.integrable(x, depth) for x in a)
            return f"(apply ({label} {' '.join(map(self.fun, a))}); {inner})"
        if e.op in ("mul", "dot"):
            for turned in (False, True):
                x, y = a[::-1] if turned else a
                if self.judge.bounded(x) and self.judge.integrable(y, depth):
                    label = self._bounded_factor(e, x, y, turned)
                    parts = f"[{self.bounded(x)} | {self.integrable(y, depth)}]"
                    return f"(apply ({label} {self.fun(x)} {self.fun(y)}); {parts})"
        if e.op == "div" and self.judge.constant(a[1]) and self.judge.integrable(a[0], depth):
            quotient = "X o / c" if kind == "R" else "vscal (/ c) (X o)"
            label = self._integrable("quotient", kind, f"forall (X : {full}) (c : R), [X o] -> [{quotient}]")
            return f"(apply ({label} {self.fun(a[0])}); {self.integrable(a[0], depth)})"
        if depth < _DEPTH:
            dominated = self._dominated(e, depth)
            if dominated:
                return dominated
        known = self._by_fact("integrable", canonical(Expr("norm" if kind == "V" else "abs", (e,))))
        if known:
            label = self._integrable("size", kind, f"forall X : {full}, [R: {size}] -> [X o]")
            return f"(apply ({label} {self.fun(e)}); {known})"
        e2 = canonical(e)
        if e2 is not e:
            wanted = self.integrable_text(kind, self.fun(e2))
            return f"(assert (C : {wanted}) by ({self.integrable(e2, depth)}); bw_got C)"
        raise NotStated(f"that {e} is integrable")

    def _integrable(self, about: str, kind: str, told: str) -> str:
        """A hypothesis on what is integrable, once; [X o] says that X is, a vector or number as the first of ``kind``.

        [R: X o] is said of numbers.
        """

        def mean(found: re.Match[str]) -> str:
            return self.integrable_text(found[1] or kind[0], f"(fun o : Om => {found[2]})")

        return self.assume(f"integrable {about} {kind}", re.sub(r"\[(?:(R): )?([^]]*)\]", mean, told))

    def _given(self, head: str, kind: str, x: str, source: str, s: str) -> str:
        """E[X | S] as a function of the outcome, as the writer writes it."""
        parts = [
            (f"Om -> {kind}", f"(fun o : Om => {x} o)"),
            (source, s if source == "Info" else f"(fun o : Om => {s} o)"),
        ]
        return self.b.writer._head(head, parts, f"Om -> {kind}")

    def _sum(self, e: Expr, depth: int, kind: str) -> str:
        body, v = e.args[:2]
        index, w = str(v.value), self.b.writer
        inner = Shown(self.b, self.c, {**self.scope, index: Sort(INTEGER)})
        scope = {n: Sort(INTEGER) for n in ("a", "b", "s")}
        scope["G"] = Sort(VECTOR if kind == "V" else REAL, True, (INTEGER,))
        one = Expr("at", (var("G"), var("s")))
        each, total = (w.term(x, scope) for x in (one, Expr("sum", (one, var("s"), var("a"), var("b")))))
        told = f"forall (v_G : R -> Om -> {kind}) (v_a v_b : R), (forall v_s : R, isint v_s -> [{each}])"
        label = self._integrable("finite sum", kind, f"{told} -> [{total}]")
        t = name(index)
        terms = f"(fun ({t} : R) (o : Om) => {w.term(body, inner.scope)})"
        return f"(apply ({label} {terms}); intros {t} Z_{t}; {inner.integrable(body, depth)})"

    def _formed(self, term: Expr, metas: Names, says: Callable[[str, str], str], more: str = "", **still: Sort) -> str:
        """That something is so of a term where it is of what it is formed from, the random ``metas``."""
        premises = "".join(f"({says(s.kind, f'(fun o : Om => {name(n)} o)')}) -> " for n, s in metas.items())
        scope = {**metas, **still}
        formed = says(typed(term, scope).kind, f"(fun o : Om => {self.b.writer.term(term, scope)})")
        return f"{over(metas, random=True)}{more}{premises}{formed}"

    def _closure(self, e: Expr) -> str:
        kinds = [typed(x, self.scope).kind for x in e.args]
        metas = {f"x{i}": Sort(k if k != INTEGER else REAL, True) for i, k in enumerate(kinds)}
        told = self._formed(Expr(e.op, tuple(map(var, metas))), metas, lambda k, f: self.integrable_text(TYPES[k], f))
        return self.assume(f"integrable {e.op} {self.kind(e)} {''.join(TYPES[k] for k in kinds)}", told)

    def _bounded_factor(self, e: Expr, x: Expr, y: Expr, turned: bool) -> str:
        kx, ky = self.kind(x), self.kind(y)
        metas = {"x": Sort(VECTOR if kx == "V" else REAL, True), "y": Sort(VECTOR if ky == "V" else REAL, True)}
        term = Expr(e.op, (var("y"), var("x")) if turned else (var("x"), var("y")))
        size = "Rabs (v_x o)" if kx == "R" else "norm (v_x o)"
        body = self.integrable_text(self.kind(e), f"(fun o : Om => {self.b.writer.term(term, metas)})")
        told = (
            f"forall (v_x : Om -> {kx}) (v_y : Om -> {ky}), (exists c, forall o : Om, True -> {size} <= c) -> "
            f"({self.integrable_text(ky, '(fun o : Om => v_y o)')}) -> {body}"
        )
        return self.assume(f"integrable bounded factor {e.op} {kx}{ky} {turned}", told)

    def _dominated(self, e: Expr, depth: int) -> str:
        plain = e.op in ("abs", "norm")
        size = e if plain else self.judge._size(e)
        kind = self.kind(e)
        for r, text in self.fact(_side(*_BELOW), canonical(size)):
            if r.rhs is size or not self.judge.integrable(r.rhs, depth + 1):
                continue
            said = "X o" if plain else "Rabs (X o)" if kind == "R" else "norm (X o)"
            zero = "(forall o : Om, 0 <= X o) -> " if plain else ""
            told = f"forall (X : Om -> {kind}) (Y : Om -> R), {zero}(forall o : Om, {said} <= Y o)"
            sign = f"{kind} nonnegative" if zero else kind
            label = self._integrable("dominated", sign, f"{told} -> ([R: Y o]) -> [X o]")
            first = "intros o; first [apply norm_nonneg | apply Rabs_pos] | " if plain else ""
            return (
                f"(apply ({label} {self.fun(e)} {self.fun(r.rhs)}); [{first}intros o; {self._use(text)} | "
                f"{self.integrable(r.rhs, depth + 1)}])"
            )
        return ""

    # ------------------------------------------------------------ integrals that exist

    def exists(self, e: Expr) -> str:
        """A tactic for: the integral of what stands in ``e`` = integral(body, t, low, high) exists."""
        body, v, low, high = e.args
        known = self._by_fact("integrable", *canonical(Expr("integrable", e.args)).args)
        if known:
            return known
        inner = {**self.scope, str(v.value): Sort(REAL)}
        t = name(str(v.value))
        if any(n.op == "const" and n.value == "oo" for n in low.walk()):
            raise NotStated(f"that {e} exists")
        fun, a = function(str(v.value), self.b.writer.term(body, inner)), self.b.writer.term(low, self.scope)
        if not endless(high):
            head = self.b.writer._head("integrable", [("R -> R", "f"), ("R", "a"), ("R", "b")], "R")
            label = self.assume(
                "integral of a bounded function over a bounded interval",
                "forall (f : R -> R) (a b : R), a <= b -> "
                f"(exists c, forall t : R, a <= t <= b -> Rabs (f t) <= c) -> {head} = 1",
            )
            inside = Shown(self.b, self.c, inner).on_interval(body, str(v.value))
            return f"(apply ({label} {fun}); [{self.b.close} | {inside}])"
        head = self.b.writer._head("integrable_oo", [("R -> R", "f"), ("R", "a")], "R")
        label = self.assume(
            "integral of a power over an unbounded interval",
            "forall (f : R -> R) (a c q : R), 0 < a -> 1 < q -> "
            f"(forall t : R, a <= t -> f t = c * rpw t (- q)) -> {head} = 1",
        )
        found = power(body, str(v.value))
        if found is None:
            raise NotStated(f"that {e} exists")
        q_ = settle(Relation("==", -found[1], num(0))).lhs
        c, q = (self.b.writer.term(x, self.scope) for x in (found[0], q_))
        inside = f"intros {t} X; cbv beta; bw_power"
        return f"(apply ({label} {fun} {a} {c} {q}); [{self.b.close} | {self.b.close} | {inside}])"

    def on_interval(self, e: Expr, v: str) -> str:
        """A tactic for: there is a bound of the integrand in ``v`` between the ends."""
        a = e.args
        if v not in names(e):
            return "(eexists; intros ? _; apply Rle_refl)"
        if e.op == "var":
            return "(apply bdd_id_R)"
        if e.op in ("P", "ind"):
            return self._unit(e, name(v))
        natural = e.op != "pow" or (a[1].op == "num" and a[1].value >= 0 and a[1].value.denominator == 1)
        if e.op in _PARTS and self.kind(a[0]) == "R" and natural and not (e.op == "div" and v in names(a[1])):
            return self._of_parts(
                e, "R", lambda x: function(v, self.b.writer.term(x, self.scope)), lambda x: self.on_interval(x, v)
            )
        return "(apply bdd_continuous; intros; c_find; cbv beta; bc_side)"

    # ------------------------------------------------------------ known from some information

    def measurable(self, e: Expr, given: Expr) -> str:
        """A tactic for: ``e`` is known from ``given``."""
        known = self._by_fact("measurable", canonical(e), canonical(given))
        if known:
            return known
        kind = typed(e, self.scope).kind
        source = self._source(given)
        if e is given or canonical(e) is canonical(given):
            itself = "X" if source[0] == "Info" else "(fun o : Om => X o)"
            head = self.b.writer._head("measurable", [(source[0], itself), (source[0], itself)], "R")
            label = self.assume(f"known itself {source[0]}", f"forall X : {source[0]}, {head} = 1")
            return f"apply {label}"
        t, info = TYPES[kind], source[0]
        if self.judge.constant(e):
            told = f"forall (c : {t}) (S : {info}), {self._variable(kind, '(fun o : Om => c)', source)}"
            return f"apply {self.assume(f'known constant {t} {info}', told)}"
        if e.op == "Egiven" and e.args[1] is given:
            mean = f"(fun o : Om => {self._given('Egiven', t, 'X', info, 'S')} o)"
            told = f"forall (X : Om -> {t}) (S : {info}), {self._variable(kind, mean, source)}"
            return f"apply {self.assume(f'known conditional mean {t} {info}', told)}"
        if e.op == "at" or e.op in self.scope:
            return self._function_of(e, given, kind, source)
        if e.op in ("Egiven", "Pgiven", "var") or not e.args or e.binds:
            return self._at(e, given, kind, source)
        moving = [i for i, x in enumerate(e.args) if x.op != "num"]
        metas: dict[str, Sort] = {}
        parts = list(e.args)
        for i in moving:
            k = typed(e.args[i], self.scope).kind
            metas[f"x{i}"] = Sort(k, True)
            parts[i] = var(f"x{i}")
        term = Expr(e.op, tuple(parts), e.value)
        told = self._formed(term, metas, lambda k, f: self._variable(k, f, source), f"forall S : {info}, ")
        label = self.assume(f"known {term!s} {''.join(TYPES[s.kind] for s in metas.values())} {info}", told)
        args = " ".join(self.fun(e.args[i]) for i in moving)
        inner = " | ".join(self.measurable(e.args[i], given) for i in moving)
        return f"(apply ({label} {args}); [{inner}])"

    def _function_of(self, e: Expr, given: Expr, kind: str, source: tuple[str, str]) -> str:
        """A value of a function or family that is no matter of chance, at arguments that are known."""
        symbol = str(e.args[0].value) if e.op == "at" else e.op
        family = self.scope.get(symbol)
        indices = e.args[1:] if e.op == "at" else e.args
        if family is None or family.random:
            return self._at(e, given, kind, source)
        metas = {f"x{i}": Sort(k, True) for i, k in enumerate(family.args)}
        sort = Sort(family.kind, False, family.args)
        names_ = tuple(map(var, metas))
        term = Expr("at", (var("f"), *names_)) if e.op == "at" else Expr("f", names_)
        more = f"forall S : {source[0]}, "
        told = self._formed(term, metas, lambda k, x: self._variable(k, x, source), more, f=sort)
        about = f"known function {' '.join(family.args)} {kind} {source[0]} {e.op == 'at'}"
        label = self.assume(about, f"forall v_f : {type_of(sort.kind, False, sort.args)}, {told}")
        args = " ".join(self.fun(x) for x in indices)
        inner = " | ".join(self.measurable(x, given) for x in indices)
        return f"(apply ({label} {name(symbol)} {args}); [{inner}])"

    def _at(self, e: Expr, given: Expr, kind: str, source: tuple[str, str]) -> str:
        plain = canonical(e)
        if plain is not e and plain.op not in ("at", "var"):
            return self.measurable(plain, given)
        raise NotStated(f"that {e} is known from {given}")

    def _variable(self, kind: str, x: str, source: tuple[str, str]) -> str:
        """That a random variable of a schema is known from the schema's S."""
        given = "S" if source[0] == "Info" else "(fun o : Om => S o)"
        return f"{self.b.writer._head('measurable', [(f'Om -> {TYPES[kind]}', x), (source[0], given)], 'R')} = 1"

    def _source(self, given: Expr) -> tuple[str, str]:
        found = typed(given, self.scope)
        text = self.b.writer.term(given, self.scope)
        if found.kind == INFORMATION:
            return "Info", text
        return f"Om -> {TYPES[found.kind]}", f"(fun o : Om => {text})"
