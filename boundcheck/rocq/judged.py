"""Why a term is integrable, bounded or known from some information, as tactics: the kernel's judgements.

What the kernel takes as given there (a sum of integrable terms is integrable, what is formed from what is known is
known) becomes a hypothesis of the file, for all terms, and is listed among the rules. Bounds are proved.
"""

from __future__ import annotations

from collections.abc import Iterable

from boundcheck.kernel.formula import Expr, Relation, num, var
from boundcheck.kernel.proof.sorts import INFORMATION, INTEGER, REAL, VECTOR, Names, Sort, typed
from boundcheck.kernel.proof.terms import canonical, names, settle
from boundcheck.rocq.closed import power
from boundcheck.rocq.coq_text import NotStated, name
from boundcheck.rocq.sight import _LETTER, Sight
from boundcheck.rocq.typed import TYPES, type_of

_DEPTH = 3


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
        kind = self.kind(e)
        if self.judge.constant(e):
            return "(eexists; intros o _; apply Rle_refl)"
        a = e.args
        if e.op in ("add", "sub", "mul", "dot", "min", "max") and self._all_bounded(a):
            first = {"mul": "scal" if kind == "V" else "mul"}.get(e.op, e.op)
            if e.op == "mul" and kind == "V" and self.kind(a[0]) == "V":
                a = a[::-1]
            inner = [self.fun(x) for x in a]
            return f"(apply (bdd_{first}_{kind} _ {' '.join(inner)}); [{self.bounded(a[0])} | {self.bounded(a[1])}])"
        if e.op in ("neg", "abs", "norm") and self._all_bounded(a):
            return f"(apply (bdd_{e.op}_{kind} _ {self.fun(a[0])}); {self.bounded(a[0])})"
        if e.op == "div" and self.judge.bounded(a[0]) and self.judge.constant(a[1]):
            return f"(apply (bdd_div_{kind} _ {self.fun(a[0])}); {self.bounded(a[0])})"
        if e.op == "pow" and a[1].op == "num" and self.judge.bounded(a[0]):
            return f"(apply (bdd_pow_R _ {self.fun(a[0])}); {self.bounded(a[0])})"
        if e.op == "ind":
            return "(exists 1; intros o _; apply ind_bound)"
        if e.op in ("P", "Pgiven"):
            return f"(exists 1; intros o _; {self.b.range_of(e, self.scope)} as RU; apply Rabs_le; lra)"
        if e.op == "clip":
            return f"(apply (bdd_clip_R _ {self.fun(a[0])}))"
        if e.op in ("min", "max") and self.judge._clipped(e):
            return f"(eapply (bdd_clip_R _ {self.fun(a[1].args[0])}))"
        size = e if e.op in ("abs", "norm") else self.judge._size(e)
        for r, text in self.fact(lambda r: r.lhs if r.op in ("<=", "<", "==") else None, canonical(size)):
            if self.judge.constant(r.rhs):
                return f"(exists {self.b.writer.term(r.rhs, self.scope)}; intros o _; {self._weak(text)})"
        if kind == "R":
            above = list(self.fact(lambda r: r.lhs if r.op in ("<=", "<", "==") else None, canonical(e)))
            below = list(self.fact(lambda r: r.lhs if r.op in (">=", ">", "==") else None, canonical(e)))
            high = [(r, t) for r, t in above if self.judge.constant(r.rhs)]
            low = [(r, t) for r, t in below if self.judge.constant(r.rhs)]
            if high and low:
                ends = [self.b.writer.term(r.rhs, self.scope) for r in (low[0][0], high[0][0])]
                value = self.b.writer.term(e, self.scope)
                below_it = f"assert (LU : {ends[0]} <= {value}) by {self._weak(low[0][1])}"
                above_it = f"assert (HV : {value} <= {ends[1]}) by {self._weak(high[0][1])}"
                bound = f"exists (Rabs {ends[0]} + Rabs {ends[1]}); intros o _"
                return f"({bound}; {below_it}; {above_it}; apply between; assumption)"
        raise NotStated(f"that {e} is bounded")

    def _weak(self, text: str) -> str:
        return f"(pose proof {text} as HU; bw_chain HU by ({self.b.close}); first [bw_got HU | lra])"

    def _all_bounded(self, parts: tuple[Expr, ...]) -> bool:
        return all(map(self.judge.bounded, parts))

    # ------------------------------------------------------------ integrable

    def integrable(self, e: Expr, depth: int = 0) -> str:
        """A tactic for: the mean of ``e`` exists."""
        kind, a = self.kind(e), e.args
        full = {"R": "Om -> R", "V": "Om -> V"}[kind]
        if self.judge.constant(e):
            label = self.assume(
                f"integrable constant {kind}",
                lambda: f"forall c : {kind}, {self.integrable_text(kind, '(fun o : Om => c)')}",
            )
            return f"apply {label}"
        known = self._by_fact("integrable", canonical(e))
        if known:
            return known
        if e.op == "sum" and self.judge._steady(e):
            return self._sum(e, depth, kind)
        if e.op == "Egiven":
            v = self._source(a[1])[0]
            label = self.assume(
                f"integrable conditional mean {kind} {v}",
                lambda: (
                    f"forall (X : {full}) (S : {v}), ({self.integrable_text(kind, '(fun o : Om => X o)')}) -> "
                    + self.integrable_text(kind, f"(fun o : Om => {self._given('Egiven', kind, 'X', v, 'S')} o)")
                ),
            )
            return f"(apply {label}; {self.integrable(a[0], depth)})"
        if self.judge.bounded(e):
            try:
                inner = self.bounded(e)
            except NotStated:
                inner = ""
            if inner:
                size = "Rabs (X o)" if kind == "R" else "norm (X o)"
                label = self.assume(
                    f"integrable bounded {kind}",
                    lambda: (
                        f"forall X : {full}, (exists c, forall o : Om, True -> {size} <= c) -> "
                        f"{self.integrable_text(kind, '(fun o : Om => X o)')}"
                    ),
                )
                return f"(apply ({label} {self.fun(e)}); {inner})"
        pair = e.op in ("add", "sub") or (e.op in ("min", "max") and len(a) == 2)
        if pair and all(self.judge.integrable(x, depth) for x in a):
            f, g = map(self.fun, a)
            parts = f"[{self.integrable(a[0], depth)} | {self.integrable(a[1], depth)}]"
            return f"(apply ({self._closure(e.op, e)} {f} {g}); {parts})"
        if e.op in ("neg", "abs", "norm") and self.judge.integrable(a[0], depth):
            return f"(apply ({self._closure(e.op, e)} {self.fun(a[0])}); {self.integrable(a[0], depth)})"
        if e.op in ("mul", "dot"):
            for turned in (False, True):
                x, y = a[::-1] if turned else a
                if self.judge.bounded(x) and self.judge.integrable(y, depth):
                    label = self._bounded_factor(e, x, y, turned)
                    parts = f"[{self.bounded(x)} | {self.integrable(y, depth)}]"
                    return f"(apply ({label} {self.fun(x)} {self.fun(y)}); {parts})"
        if e.op == "div" and self.judge.constant(a[1]) and self.judge.integrable(a[0], depth):
            over = "X o / c" if kind == "R" else "vscal (/ c) (X o)"
            label = self.assume(
                f"integrable quotient {kind}",
                lambda: (
                    f"forall (X : {full}) (c : R), {self.integrable_text(kind, '(fun o : Om => X o)')} -> "
                    + self.integrable_text(kind, f"(fun o : Om => {over})")
                ),
            )
            return f"(apply ({label} {self.fun(a[0])}); {self.integrable(a[0], depth)})"
        if depth < _DEPTH:
            dominated = self._dominated(e, depth)
            if dominated:
                return dominated
        head = "norm" if kind == "V" else "abs"
        known = self._by_fact("integrable", canonical(Expr(head, (e,))))
        if known:
            size = "Rabs (X o)" if kind == "R" else "norm (X o)"
            label = self.assume(
                f"integrable size {kind}",
                lambda: (
                    f"forall X : {full}, {self.integrable_text('R', f'(fun o : Om => {size})')} -> "
                    + self.integrable_text(kind, "(fun o : Om => X o)")
                ),
            )
            return f"(apply ({label} {self.fun(e)}); {known})"
        e2 = canonical(e)
        if e2 is not e:
            wanted = self.integrable_text(kind, self.fun(e2))
            return f"(assert (C : {wanted}) by ({self.integrable(e2, depth)}); bw_got C)"
        raise NotStated(f"that {e} is integrable")

    def _given(self, head: str, kind: str, x: str, source: str, s: str) -> str:
        """E[X | S] as a function of the outcome, as the writer writes it."""
        parts = [
            (f"Om -> {kind}", f"(fun o : Om => {x} o)"),
            (source, s if source == "Info" else f"(fun o : Om => {s} o)"),
        ]
        return self.b.writer._head(head, parts, f"Om -> {kind}")

    def _sum(self, e: Expr, depth: int, kind: str) -> str:
        body, v = e.args[:2]
        index = str(v.value)
        inner = Shown(self.b, self.c, {**self.scope, index: Sort(INTEGER)})
        metas = {"a": Sort(INTEGER), "b": Sort(INTEGER), "G": Sort(VECTOR if kind == "V" else REAL, True, (INTEGER,))}
        one = Expr("at", (var("G"), var("s")))
        total = Expr("sum", (one, var("s"), var("a"), var("b")))

        def stated() -> str:
            w, scope = self.b.writer, {**metas, "s": Sort(INTEGER)}
            each = self.integrable_text(kind, f"(fun o : Om => {w.term(one, scope)})")
            return (
                f"forall (v_G : R -> Om -> {kind}) (v_a v_b : R), (forall v_s : R, isint v_s -> {each}) -> "
                + self.integrable_text(kind, f"(fun o : Om => {w.term(total, scope)})")
            )

        label = self.assume(f"integrable finite sum {kind}", stated)
        t = name(index)
        each = f"(fun ({t} : R) (o : Om) => {self.b.writer.term(body, inner.scope)})"
        return f"(apply ({label} {each}); intros {t} Z_{t}; {inner.integrable(body, depth)})"

    def _closure(self, op: str, e: Expr) -> str:
        kinds = [typed(x, self.scope).kind for x in e.args]
        metas = {f"x{i}": Sort(k if k != INTEGER else REAL, True) for i, k in enumerate(kinds)}
        term = Expr(e.op, tuple(map(var, metas)))
        kind = self.kind(e)

        def stated() -> str:
            w = self.b.writer
            body = self.integrable_text(kind, f"(fun o : Om => {w.term(term, metas)})")
            over = "".join(f"forall {name(n)} : {type_of(s.kind, True)}, " for n, s in metas.items())
            premises = [
                self.integrable_text(_LETTER[s.kind], f"(fun o : Om => {name(n)} o)") for n, s in metas.items()
            ]
            return over + "".join(f"({p}) -> " for p in premises) + body

        return self.assume(f"integrable {op} {kind} {''.join(_LETTER[k] for k in kinds)}", stated)

    def _bounded_factor(self, e: Expr, x: Expr, y: Expr, turned: bool) -> str:
        kx, ky = self.kind(x), self.kind(y)
        metas = {"x": Sort(VECTOR if kx == "V" else REAL, True), "y": Sort(VECTOR if ky == "V" else REAL, True)}
        order = (var("y"), var("x")) if turned else (var("x"), var("y"))
        term, kind = Expr(e.op, order), self.kind(e)

        def stated() -> str:
            body = self.integrable_text(kind, f"(fun o : Om => {self.b.writer.term(term, metas)})")
            size = "Rabs (v_x o)" if kx == "R" else "norm (v_x o)"
            return (
                f"forall (v_x : Om -> {kx}) (v_y : Om -> {ky}), (exists c, forall o : Om, True -> {size} <= c) -> "
                f"({self.integrable_text(ky, '(fun o : Om => v_y o)')}) -> {body}"
            )

        return self.assume(f"integrable bounded factor {e.op} {kx}{ky} {turned}", stated)

    def _dominated(self, e: Expr, depth: int) -> str:
        plain = e.op in ("abs", "norm")
        size = e if plain else self.judge._size(e)
        kind = self.kind(e)
        for r, text in self.fact(lambda r: r.lhs if r.op in ("<=", "<", "==") else None, canonical(size)):
            if r.rhs is size or not self.judge.integrable(r.rhs, depth + 1):
                continue
            said = "X o" if plain else "Rabs (X o)" if kind == "R" else "norm (X o)"
            zero = "(forall o : Om, 0 <= X o) -> " if plain else ""
            label = self._domination(kind, said, zero)
            first = "intros o; first [apply norm_nonneg | apply Rabs_pos] | " if plain else ""
            return (
                f"(apply ({label} {self.fun(e)} {self.fun(r.rhs)}); [{first}intros o; {self._use(text)} | "
                f"{self.integrable(r.rhs, depth + 1)}])"
            )
        return ""

    def _domination(self, kind: str, said: str, zero: str) -> str:
        """The hypothesis that what is dominated by an integrable number is integrable."""

        def stated() -> str:
            above = self.integrable_text("R", "(fun o : Om => Y o)")
            here = self.integrable_text(kind, "(fun o : Om => X o)")
            return (
                f"forall (X : Om -> {kind}) (Y : Om -> R), {zero}(forall o : Om, {said} <= Y o) -> ({above}) -> {here}"
            )

        return self.assume(f"integrable dominated {kind}{' nonnegative' if zero else ''}", stated)

    # ------------------------------------------------------------ integrals that exist

    def exists(self, e: Expr) -> str:
        """A tactic for: the integral of what stands in ``e`` = integral(body, t, low, high) exists."""
        body, v, low, high = e.args
        known = self._by_fact("integrable", *canonical(Expr("integrable", e.args)).args)
        if known:
            return known
        inner = {**self.scope, str(v.value): Sort(REAL)}
        t = name(str(v.value))
        endless = high.op == "const" and high.value == "oo"
        if any(n.op == "const" and n.value == "oo" for n in low.walk()):
            raise NotStated(f"that {e} exists")
        function = f"(fun {t} : R => {self.b.writer.term(body, inner)})"
        a = self.b.writer.term(low, self.scope)
        if not endless:
            b = self.b.writer.term(high, self.scope)
            head = self.b.writer._head("integrable", [("R -> R", "f"), ("R", "a"), ("R", "b")], "R")
            label = self.assume(
                "integral of a bounded function over a bounded interval",
                lambda: (
                    "forall (f : R -> R) (a b : R), a <= b -> "
                    f"(exists c, forall t : R, a <= t <= b -> Rabs (f t) <= c) -> {head} = 1"
                ),
            )
            show = Shown(self.b, self.c, inner)
            return f"(apply ({label} {function}); [{self.b.close} | {show.on_interval(body, str(v.value), a, b)}])"
        head = self.b.writer._head("integrable_oo", [("R -> R", "f"), ("R", "a")], "R")
        label = self.assume(
            "integral of a power over an unbounded interval",
            lambda: (
                "forall (f : R -> R) (a c q : R), 0 < a -> 1 < q -> "
                f"(forall t : R, a <= t -> f t = c * rpw t (- q)) -> {head} = 1"
            ),
        )
        found = power(body, str(v.value))
        if found is None:
            raise NotStated(f"that {e} exists")
        q_ = settle(Relation("==", -found[1], num(0))).lhs
        c, q = (self.b.writer.term(x, self.scope) for x in (found[0], q_))
        inside = f"intros {t} X; cbv beta; bw_power"
        return f"(apply ({label} {function} {a} {c} {q}); [{self.b.close} | {self.b.close} | {inside}])"

    def on_interval(self, e: Expr, v: str, a: str, b: str) -> str:
        """A tactic for: there is a bound of the integrand between a and b."""
        t = name(v)

        def fun(x: Expr) -> str:
            return f"(fun {t} : R => {self.b.writer.term(x, self.scope)})"

        if v not in names(e):
            return "(eexists; intros ? _; apply Rle_refl)"
        if e.op == "var":
            return "(apply bdd_id_R)"
        if e.op in ("P", "ind"):
            if e.op == "ind":
                return "(exists 1; intros; apply ind_bound)"
            return f"(exists 1; intros {t} _; {self.b.range_of(e, self.scope)} as RU; apply Rabs_le; lra)"
        if e.op in ("add", "sub", "mul", "min", "max"):
            x, y = e.args
            parts = f"[{self.on_interval(x, v, a, b)} | {self.on_interval(y, v, a, b)}]"
            return f"(apply (bdd_{e.op}_R _ {fun(x)} {fun(y)}); {parts})"
        if e.op in ("neg", "abs"):
            return f"(apply (bdd_{e.op}_R _ {fun(e.args[0])}); {self.on_interval(e.args[0], v, a, b)})"
        if e.op == "pow" and e.args[1].op == "num" and e.args[1].value >= 0 and e.args[1].value.denominator == 1:
            return f"(apply (bdd_pow_R _ {fun(e.args[0])}); {self.on_interval(e.args[0], v, a, b)})"
        if e.op == "div" and v not in names(e.args[1]):
            return f"(apply (bdd_div_R _ {fun(e.args[0])}); {self.on_interval(e.args[0], v, a, b)})"
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
            label = self.assume(f"known itself {source[0]}", lambda: f"forall X : {source[0]}, {head} = 1")
            return f"apply {label}"
        if self.judge.constant(e):
            label = self.assume(
                f"known constant {TYPES[kind]} {source[0]}",
                lambda: (
                    f"forall (c : {TYPES[kind]}) (S : {source[0]}), "
                    + self._variable(kind, "(fun o : Om => c)", source)
                ),
            )
            return f"apply {label}"
        if e.op == "Egiven" and e.args[1] is given:
            label = self.assume(
                f"known conditional mean {TYPES[kind]} {source[0]}",
                lambda: (
                    f"forall (X : Om -> {TYPES[kind]}) (S : {source[0]}), "
                    + self._variable(
                        kind, f"(fun o : Om => {self._given('Egiven', TYPES[kind], 'X', source[0], 'S')} o)", source
                    )
                ),
            )
            return f"apply {label}"
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

        def stated() -> str:
            over = "".join(f"forall {name(n)} : {type_of(s.kind, True)}, " for n, s in metas.items())
            premises = [self._variable(s.kind, f"(fun o : Om => {name(n)} o)", source) for n, s in metas.items()]
            body = self._variable(kind, f"(fun o : Om => {self.b.writer.term(term, metas)})", source)
            return f"{over}forall S : {source[0]}, {''.join(f'({p}) -> ' for p in premises)}{body}"

        label = self.assume(f"known {term!s} {''.join(TYPES[s.kind] for s in metas.values())} {source[0]}", stated)
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

        def stated() -> str:
            over = "".join(f"forall {name(n)} : {type_of(s.kind, True)}, " for n, s in metas.items())
            premises = [self._variable(s.kind, f"(fun o : Om => {name(n)} o)", source) for n, s in metas.items()]
            body = self._variable(kind, f"(fun o : Om => {self.b.writer.term(term, {**metas, 'f': sort})})", source)
            before = f"forall v_f : {type_of(sort.kind, False, sort.args)}, {over}forall S : {source[0]}, "
            return f"{before}{''.join(f'({p}) -> ' for p in premises)}{body}"

        label = self.assume(f"known function {' '.join(family.args)} {kind} {source[0]} {e.op == 'at'}", stated)
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
        return self._measurable_text(kind, x, source, given)

    def _source(self, given: Expr) -> tuple[str, str]:
        found = typed(given, self.scope)
        text = self.b.writer.term(given, self.scope)
        if found.kind == INFORMATION:
            return "Info", text
        return f"Om -> {TYPES[found.kind]}", f"(fun o : Om => {text})"

    def _measurable_text(self, kind: str, function: str, source: tuple[str, str], given: str) -> str:
        return (
            f"{self.b.writer._head('measurable', [(f'Om -> {TYPES[kind]}', function), (source[0], given)], 'R')} = 1"
        )
