"""Expansions next to a point or at infinity as Coq tactics: every value as a polynomial in a small g plus a remainder.

Each value of a formula gets a name y with an equation ``y = P + M r``, |r| <= b: P and M are products of powers of g,
L = -log h and exponentials (h = g**q is the distance, or the inverse of the variable), r a new variable. Sums and
products follow by ``field`` and ``interval``, functions by Taylor's formula (``Boundcheck.v``). What is
computed here is only what to try; Rocq proves each step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from math import exp as fexp
from math import factorial, log
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.laurent import NoExpansion
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr, call, const, num
from boundcheck.rocq.coq_text import coq, number
from boundcheck.rocq.powers import Equations
from boundcheck.rocq.small_series import ONE, Key, NoSeries, Poly, Scale, Z, as_written, klass, literal, rational, times, whole

_FIELD = "bc_expand_equal"


@dataclass
class Value:
    """A named value: what it is as a polynomial, and the equation that says so ("" where the name is the text)."""

    name: str
    poly: Poly
    equation: str = ""


@dataclass
class Series:
    """Builds the tactics of one expansion, from the inside out."""

    seq: Sequent
    scale: Scale
    depth: int
    lines: list[str] = field(default_factory=list)
    bounds: dict[str, float] = field(default_factory=dict)  #: of remainders
    counter: int = 0
    exponentials: dict[Any, str] = field(default_factory=dict)
    roots: dict[Expr, str] = field(default_factory=dict)  #: of numbers -> their equation
    small: dict[Any, str] = field(default_factory=dict)  #: (product, N) -> name of the product over g**N

    def fresh(self, stem: str) -> str:
        """A new name."""
        self.counter += 1
        return f"{stem}{self.counter}"

    def say(self, line: str) -> None:
        """One more tactic."""
        self.lines.append(line)

    # ------------------------------------------------------------ texts

    def _units(self, k: Any) -> list[tuple[str, int]]:
        found = []
        for key, x in k:
            unit = self.scale.units.setdefault(key, Fraction(1))
            count = x / unit
            if count.denominator != 1:
                self.scale.units[key] = unit / count.denominator
                raise NewUnit
            found.append((self._exponential(key), int(count)))
        return found

    def _exponential(self, key: Any) -> str:
        """The name of exp(-unit base L**m / h**d)."""
        if key not in self.exponentials:
            own = self.fresh("zE")
            self.exponentials[key] = own
            d, m, base = key
            text = f"{number(self.scale.units[key])} * ({coq(base)}) * zL ^ {m} * / zg ^ {self.scale.power(d)}"
            self.say(f"assert (exists E, E = exp (- ({text}))) as [{own} D{own}] by (eexists; reflexivity)")
            self.say(f"assert (P{own} : 0 < {own}) by (rewrite D{own}; apply exp_pos)")
            self.say(f"assert (L{own} : ln {own} = - ({text})) by (rewrite D{own}; apply ln_exp)")
            self.say(f"assert (N{own} : {own} <> 0) by lra")
        return self.exponentials[key]

    def coefficient(self, c: Any) -> str:
        """A coefficient as text; the powers of its roots become rules for ``field``."""
        e = self.scale.coefficients.c_expr(c)
        for t in e.walk():
            if t.op == "pow" and t.args[0].op == "num" and t.args[1].op == "num" and t not in self.roots:
                x = t.args[1].value
                if 1 < x.denominator <= 12 and t.args[0].value > 0:
                    own = self.fresh("zQ")
                    power = number(t.args[0].value ** x.numerator)
                    self.say(f"assert ({own} : {coq(t)} ^ {x.denominator} = {power}) by bc_by_ln")
                    self.roots[t] = own
        return f"({coq(e)})"

    @property
    def equal(self) -> str:
        """A tactic for an identity, with what is known of roots of numbers."""
        if not self.roots:
            return _FIELD
        return f"first [ring | field; repeat split; bc_expand_side | field [{' '.join(self.roots.values())}]; repeat split; bc_expand_side | {_FIELD}]"

    def monomial(self, key: Key) -> str:
        """A monomial in g, L, the exponentials and remainders."""
        e, m, k, rs = key
        powers = [("zg", self.scale.power(e)), ("zL", m), *self._units(k), *rs]
        texts = [f"{x} ^ {n}" if n > 0 else f"/ {x} ^ {-n}" for x, n in powers if n]
        return " * ".join(texts) or "1"

    def text(self, p: Poly) -> str:
        """A polynomial in g, L, the exponentials and remainders."""
        return " + ".join(f"{self.coefficient(c)} * ({self.monomial(key)})" for key, c in p.items()) or "0"

    def bounded(self, p: Poly, logs: bool = False) -> str:
        """The same by bounded variables alone; with ``logs`` powers of L alone stay."""
        parts = []
        for key, c in p.items():
            e, m, k, rs = key
            if logs and e == 0 and not k and not rs:
                parts.append(f"{self.coefficient(c)} * zL ^ {m}" if m else self.coefficient(c))
                continue
            i = self.scale.power(e) - m
            factors = [(r, x) for r, x in rs] + [("zK", m)]
            if k:
                n, _, _, _ = self.scale.vanishing(k, -i)
                factors.append((self._vanishing(k, n), 1))
                i += n
            if i < 0:
                raise NoSeries("a monomial that grows")
            factors.append(("zg", i))
            parts.append(" * ".join([self.coefficient(c), *(f"{x} ^ {n}" if n > 1 else x for x, n in factors if n)]))
        return " + ".join(parts) or "0"

    def _vanishing(self, k: Any, n: int) -> str:
        """The name of a product of exponentials over g**N, with its bound."""
        if (k, n) in self.small:
            return self.small[k, n]
        s = self.scale
        _, count, rate, bound = s.vanishing(k, n)
        product = self.monomial((Z, 0, k, ()))
        own = self.fresh("ze")
        exponent = " + ".join(
            f"{number(x)} * ({coq(key[2])}) * zL ^ {key[1]} * / zg ^ {s.power(key[0])}" for key, x in k
        )
        d = max(key[0] for key, _ in k)
        i = s.power(d)
        c = as_written(rate)
        steady = []
        for (d2, m2, base), x in k:
            j = s.power(d - d2) - (m2 if d2 != d else 0)
            logs = f"zL ^ {m2}" if d2 == d else f"zK ^ {m2}"
            steady.append(f"{number(x)} * ({coq(base)}) * {logs} * zg ^ {j}")
        top = number(rational(bound))
        self.say(f"assert (exists e, e = ({product}) * / zg ^ {n}) as [{own} D{own}] by (eexists; reflexivity)")
        same = "apply same_ln; [bc_sgn | bc_sgn | bc_ln; " + self._logs() + "bc_expand_equal]"
        self.say(f"assert (X{own} : {product} = exp (- ({exponent}))) by ({same})")
        grows = (
            f"replace ({exponent}) with (({' + '.join(steady)}) / zg ^ {i}) by (rewrite ?DzK; bc_expand_equal); "
            "apply Rmult_le_compat_r; [left; apply Rinv_0_lt_compat; bc_sgn | bc_expand_bound]"
        )
        self.say(f"assert (S{own} : {number(c)} / zg ^ {i} <= {exponent}) by ({grows})")
        least = (
            f"rewrite D{own}, X{own}; split; [apply Rlt_le; apply Rdiv_lt_0_compat; bc_sgn | "
            f"eapply Rle_trans; [apply (exp_vanishes {count} {i} {n} zg {self.top} {number(c)}); "
            f"[split; assumption | lra | exact S{own} | simpl; lia] | "
            f"cbn [rfact]; simpl INR; simpl Nat.sub; simpl Nat.mul; bc_expand_bound]]"
        )
        self.say(f"assert (B{own} : 0 <= {own} <= {top}) by ({least})")
        self.small[k, n] = own
        return own

    @property
    def top(self) -> str:
        """The largest g, as a number."""
        return number(as_written(self.scale.top))

    def _logs(self) -> str:
        """Rewrites of logarithms of g and the exponentials."""
        return "rewrite ?LGg; " + "".join(f"rewrite ?L{e}; " for e in self.exponentials.values())

    def _defined(self) -> str:
        """Rewrites of products by what they are."""
        return "rewrite ?DzK; " + "".join(f"rewrite ?D{e}; " for e in self.small.values())

    # ------------------------------------------------------------ values

    def node(self, definition: str, p: Poly, uses: list[str], also: str = "") -> Value:
        """A new value with its expansion; ``uses`` are equations that turn the definition into the polynomial."""
        s = self.scale
        own = self.fresh("zy")
        self.say(f"assert (exists y, y = {definition}) as [{own} D{own}] by (eexists; reflexivity)")
        kept, m, rest = s.cut(p, self.depth)
        uses_text = "".join(f"rewrite {u}; " for u in dict.fromkeys(uses) if u)
        if m is None:
            self.say(f"assert (E{own} : {own} = {self.text(kept)}) by (rewrite D{own}; {uses_text}{also}{self.equal})")
            return Value(own, kept, f"E{own}")
        small = self.bounded(rest)
        bound = rational(s.total(rest, self.bounds))
        r = self.fresh("zr")
        known = s.add(kept, {times(m, (Z, 0, (), ((r, 1),))): fmpq(1)})
        proof = (
            f"exists ({small}); split; [split; bc_expand_bound | "
            f"rewrite D{own}; {uses_text}{also}{self._defined()}{self.equal}]"
        )
        b = number(bound)
        self.say(
            f"assert (exists r, - {b} <= r <= {b} /\\ {own} = {self.text(known).replace(r, 'r')}) "
            f"as [{r} [B{r} E{own}]] by ({proof})"
        )
        self.bounds[r] = float(bound)
        return Value(own, known, f"E{own}")

    def small_part(self, definition: str, p: Poly, uses: list[str]) -> tuple[Value, Fraction]:
        """A value that is small with a proof of its bound: |y| <= w."""
        v = self.node(definition, p, uses)
        w = rational(self.scale.total(v.poly, self.bounds))
        small = self.bounded(v.poly)
        self.say(
            f"assert (W{v.name} : Rabs {v.name} <= {number(w)}) by (replace {v.name} with ({small}) by "
            f"(rewrite {v.equation}; {self._defined()}{self.equal}); apply Rabs_le; split; bc_expand_bound)"
        )
        return v, w

    def sign(self, v: Value) -> int:
        """The sign of a value, proved as ``S<name>``: 0 < y or 0 < - y. Raises :class:`NoSeries`."""
        s = self.scale
        exact = {k: c for k, c in v.poly.items() if not k[3]}
        lead = s.leading(exact)
        loose = [k for k in v.poly if k[3]]
        if any(not s.beyond(k, lead) for k in loose):
            raise NoSeries("the remainder hides the sign")
        m: Key = (lead[0], 0, lead[2], ())
        low, high = s.range_of(v.poly[lead])
        way = 1 if low > 0 else -1 if high < 0 else 0
        if not way:
            raise NoSeries("a leading coefficient of unknown sign")
        p = s.scaled(v.poly, m, fmpq(way), -1)
        if s.least(p, self.bounds) <= 0:
            raise NoSeries("the width is too large")
        y = v.name if way > 0 else f"- {v.name}"
        if lead[1] < 0:
            raise NoSeries("a quotient by a logarithm")
        small = self.bounded(p, True)
        at = f"rewrite {v.equation}; " if v.equation else ""
        self.say(
            f"assert (S{v.name} : 0 < {y}) by (replace ({y}) with (({self.monomial(m)}) * ({small})) by "
            f"({at}{self._defined()}{self.equal}); apply Rmult_lt_0_compat; [bc_sgn | bc_expand_bound])"
        )
        return way

    # ------------------------------------------------------------ functions

    def _unit(self, u: Value) -> tuple[Key, Any, Value | None, Fraction]:
        """(M, c, v, w) with u = c M (1 + v) and |v| <= w < 1; v None for exactly c M."""
        s = self.scale
        lead = s.leading(u.poly)
        if lead[3] or lead[1]:
            raise NoSeries("no leading term, or one with a logarithm")
        c = u.poly[lead]
        low, high = s.range_of(c)
        if not (low > 0 or high < 0):
            raise NoSeries("a leading coefficient of unknown sign")
        rest = {k: x for k, x in u.poly.items() if k != lead}
        if not rest:
            return lead, c, None, Z
        p = s.scaled(rest, lead, s.coefficients.c_inverse(c), -1)
        front = f"({self.coefficient(c)} * ({self.monomial(lead)}))"
        v, w = self.small_part(f"{u.name} / {front} - 1", p, [u.equation])
        if w >= Fraction(99, 100):
            raise NoSeries("the width is too large")
        self.say(f"assert (P{v.name} : 0 < 1 + {v.name}) by (apply Rabs_le_between in W{v.name}; lra)")
        self.say(f"assert (U{v.name} : {u.name} = {front} * (1 + {v.name})) by (rewrite D{v.name}; {self.equal})")
        return lead, c, v, w

    def _count(self, v: Value) -> int:
        """How many terms of a series in v are worth having."""
        lead = self.scale.leading(v.poly)
        if lead[2]:
            return 2
        if lead[0] <= 0:
            raise NoSeries("an argument that does not vanish")
        return max(1, min(14, -(-self.depth // self.scale.power(lead[0]))))

    def taylor(self, function: str, v: Value, w: Fraction, power: Fraction = Z) -> tuple[str, Value]:
        """(equation, value) of f(v) for a small v by Taylor's formula."""
        n = self._count(v)
        s, y = self.scale, v.name
        ws = number(w)
        c, lemma, applied, unfold, size = _FUNCTIONS[function](n, float(w), y, ws, power)
        n = len(c)
        r = self.fresh("zr")
        bound = rational(size)
        self.say(f"destruct ({lemma} {y} W{y}) as [{r} [B{r} E{r}]]")
        self.say(f"cbv beta in E{r}")
        b = number(bound)
        self.say(
            f"assert (C{r} : - {b} <= {r} <= {b}) by (apply Rabs_le_between; eapply Rle_trans; [exact B{r} | "
            "cbn [rfact pow_c]; simpl INR; bc_expand_bound])"
        )
        self.say(f"clear B{r}")
        self.bounds[r] = float(bound)
        z = Value(r, {(Z, 0, (), ((r, 1),)): fmpq(1)})
        names = []
        for x in reversed(c):
            p = s.mul(v.poly, z.poly)
            if x:
                p = s.add(p, {ONE: whole(x)})
            z = self.node(f"{number(x)} + {y} * {z.name}", p, [v.equation, z.equation])
            names.append(f"D{z.name}")
        own = self.fresh("zF")
        self.say(
            f"assert ({own} : {applied} = {z.name}) by (rewrite E{r}; rewrite {', '.join(reversed(names))}; "
            f"cbv [poly {unfold} Nat.mul Nat.add]; simpl INR; field)"
        )
        return own, z

    def inverse(self, u: Value) -> Value:
        """1/u."""
        s = self.scale
        lead, c, v, w = self._unit(u)
        front: Poly = {times(ONE, lead, -1): s.coefficients.c_inverse(c)}
        if v is None:
            return self.node(f"/ {u.name}", front, [u.equation])
        equation, z = self.taylor("inverse", v, w)
        own = self.fresh("zF")
        text = f"/ ({self.coefficient(c)} * ({self.monomial(lead)})) * {z.name}"
        self.say(f"assert ({own} : / {u.name} = {text}) by (rewrite U{v.name}, <- {equation}; field; repeat split; bc_expand_side)")
        return self.node(f"/ {u.name}", s.mul(front, z.poly), [own, z.equation])

    def exp(self, u: Value) -> Value:
        """exp u."""
        s = self.scale
        divergent: list[tuple[Any, Fraction]] = []
        texts, shift, p = [], Z, dict(u.poly)
        lead: Any = fmpq(1)
        for key, c in list(p.items()):
            e, m, k, rs = key
            if k:
                if s.rate(k) > 0:
                    raise NoSeries("a double exponential")
                continue
            if rs:
                if e <= 0:
                    raise NoSeries("an exponent that is known up to a bounded term")
                continue
            if e > 0:
                continue
            texts.append(f"{self.coefficient(c)} * ({self.monomial(key)})")
            del p[key]
            if e == 0 and m == 0:
                lead = s.coefficients._lower(s.coefficients.algebra.normal(call("exp", s.coefficients.c_expr(c))))
            elif e == 0 and m == 1 and isinstance(c, fmpq):
                shift -= Fraction(int(c.p), int(c.q))
            else:
                divergent.append(self._direction(e, m, c))
        front: Poly = {(shift, 0, klass(divergent), ()): lead}
        (key,) = front
        own = self.fresh("zF")
        product = f"{self.coefficient(lead)} * ({self.monomial(key)})"
        total = " + ".join(texts)
        same = f"apply same_ln; [bc_sgn | bc_sgn | bc_ln; {self._logs()}bc_expand_equal]"
        if texts:
            self.say(f"assert (G{own} : exp ({total}) = {product}) by first [{same} | bc_equal]")
        if not p:
            if texts:
                self.say(f"assert ({own} : exp {u.name} = {product}) by (transitivity (exp ({total})); [f_equal; rewrite {u.equation}; {self.equal} | exact G{own}])")
            else:
                self.say(f"assert ({own} : exp {u.name} = 1) by (rewrite {u.equation}; apply exp_0)")
            return self.node(f"exp {u.name}", front, [own])
        v, w = self.small_part(f"{u.name} - ({total or '0'})", p, [u.equation])
        if w > 3:
            raise NoSeries("the width is too large")
        equation, z = self.taylor("exp", v, w)
        if texts:
            self.say(
                f"assert ({own} : exp {u.name} = {product} * {z.name}) by (transitivity (exp ({total}) * exp {v.name}); "
                f"[rewrite <- exp_plus; f_equal; rewrite D{v.name}; ring | rewrite G{own}, {equation}; reflexivity])"
            )
        else:
            self.say(f"assert ({own} : exp {u.name} = {z.name}) by (rewrite <- {equation}; f_equal; rewrite D{v.name}; ring)")
        return self.node(f"exp {u.name}", s.mul(front, z.poly), [own, z.equation])

    def _direction(self, e: Fraction, m: int, c: Any) -> tuple[Any, Fraction]:
        if isinstance(c, fmpq):
            return ((-e, m, num(1)), -Fraction(int(c.p), int(c.q)))
        low, high = self.scale.range_of(c)
        if not (low > 0 or high < 0):
            raise NoSeries("an exponent of unknown sign")
        text = self.scale.coefficients.c_expr(c)
        return ((-e, m, text), Fraction(-1)) if low > 0 else ((-e, m, -text), Fraction(1))

    def log(self, u: Value) -> Value:
        """log u."""
        s = self.scale
        lead, c, v, w = self._unit(u)
        if not s.range_of(c)[0] > 0:
            raise NoSeries("the logarithm of a negative number")
        p = s.constant(call("log", s.coefficients.c_expr(c)))
        if lead[0]:
            p = s.add(p, {(Z, 1, (), ()): whole(-lead[0])})
        for (d, m, base), k in lead[2]:
            p = s.add(p, s.mul(s.constant(base), {(-d, m, (), ()): whole(-k)}))
        own = self.fresh("zF")
        logs = f"ln ({self.coefficient(c)}) + ln ({self.monomial(lead)})"
        if v is None:
            self.say(f"assert ({own} : ln {u.name} = {logs}) by (rewrite <- ln_mult by bc_expand_side; f_equal; rewrite {u.equation}; {self.equal})")
            return self.node(f"ln {u.name}", p, [own], "bc_ln; " + self._logs())
        equation, z = self.taylor("log", v, w)
        self.say(
            f"assert ({own} : ln {u.name} = {logs} + {z.name}) by (rewrite U{v.name}, <- {equation}; "
            f"rewrite !ln_mult; try bc_expand_side; try (apply Rmult_lt_0_compat; bc_expand_side); ring)"
        )
        return self.node(f"ln {u.name}", s.add(p, z.poly), [own], f"bc_ln; {self._logs()}rewrite {z.equation}; ")

    def power(self, u: Value, a: Fraction, root: bool = False) -> Value:
        """u ** a for a rational a; ``root`` for the square root as such."""
        s = self.scale
        if a.denominator == 1 and not root:
            z, names = u, []
            if a == 0:
                return self.node("1", {ONE: fmpq(1)}, [])
            for _ in range(abs(int(a)) - 1):
                z = self.node(f"{u.name} * {z.name}", s.mul(u.poly, z.poly), [u.equation, z.equation] if z is not u else [u.equation])
                names.append(f"D{z.name}")
            n = abs(int(a))
            turned = f"rewrite {', '.join(reversed(names))}; " if names else ""
            own = self.fresh("zF")
            self.say(f"assert ({own} : {u.name} ^ {n} = {z.name}) by ({turned}ring)")
            if a < 0:
                inner = self.node(f"{u.name} ^ {n}", z.poly, [own, z.equation])
                i, under = self.inverse(inner), self.fresh("zF")
                self.say(f"assert ({under} : / {u.name} ^ {n} = {i.name}) by (rewrite D{i.name}, D{inner.name}; reflexivity)")
                return self.node(f"/ {u.name} ^ {n}", i.poly, [under, i.equation])
            return self.node(f"{u.name} ^ {n}", z.poly, [own, z.equation])
        lead, c, v, w = self._unit(u)
        if not s.range_of(c)[0] > 0:
            raise NoSeries("a power of a negative base")
        m: Key = (lead[0] * a, 0, klass((key, k * a) for key, k in lead[2]), ())
        value = s.coefficients._lower(s.coefficients.algebra.root(s.coefficients._lift(c), whole(a)))
        ctext = self.coefficient(c)
        head = "sqrt {}" if root else f"rpw {{}} {number(a)}"
        own = self.fresh("zF")
        front: Poly = {m: value}
        product = f"{self.coefficient(value)} * ({self.monomial(m)})"
        base = head.format(ctext)
        cexpr = s.coefficients.c_expr(c)
        expr = call("sqrt", cexpr) if root else Expr("pow", (cexpr, literal(a)))
        lines = Equations(self.seq).prove(expr, s.coefficients.c_expr(value))
        plain = "fail" if any("{" in x for x in lines) else "; ".join(x.rstrip(".") for x in lines)
        self.say(f"assert (C{own} : {base} = {self.coefficient(value)}) by first [apply sqrt_1 | apply rpw_base_one | {plain}]")
        apart = f"apply same_ln; [bc_sgn | bc_sgn | bc_ln; {self._logs()}bc_expand_equal]"
        if v is None:
            same = (
                f"replace {u.name} with ({ctext} * ({self.monomial(lead)})) by (rewrite {u.equation}; {self.equal}); "
                f"transitivity ({base} * ({self.monomial(m)})); [{apart} | rewrite C{own}; reflexivity]"
            )
            self.say(f"assert ({own} : {head.format(u.name)} = {product}) by ({same})")
            return self.node(head.format(u.name), front, [own])
        equation, z = self.taylor("power", v, w, a)
        rest = f"rpw (1 + {v.name}) {number(a)}"
        self.say(
            f"assert ({own} : {head.format(u.name)} = {product} * {z.name}) by (rewrite U{v.name}; "
            f"transitivity ({base} * ({self.monomial(m)}) * {rest}); [{apart} | rewrite C{own}, {equation}; reflexivity])"
        )
        return self.node(head.format(u.name), s.mul(front, z.poly), [own, z.equation])

    def wave(self, name: str, u: Value) -> Value:
        """sin u or cos u."""
        s = self.scale
        c0 = u.poly.get(ONE)
        p = {k: x for k, x in u.poly.items() if k != ONE}
        if not p:
            raise NoSeries("a constant wave")
        v, w = self.small_part(f"{u.name} - {self.coefficient(c0) if c0 is not None else '0'}", p, [u.equation])
        own = self.fresh("zF")
        if c0 is None:
            equation, z = self.taylor(name, v, w)
            self.say(f"assert ({own} : {name} {u.name} = {z.name}) by (rewrite <- {equation}; f_equal; rewrite D{v.name}; ring)")
            return self.node(f"{name} {u.name}", z.poly, [own, z.equation])
        at = s.coefficients.c_expr(c0)
        (es, zs), (ec, zc) = self.taylor("sin", v, w), self.taylor("cos", v, w)
        parts = {}
        for f in ("sin", "cos"):
            parts[f] = s.constant(call(f, at))
            value = coq(s.coefficients.c_expr(parts[f][ONE])) if parts[f] else "0"
            lines = Equations(self.seq).prove(call(f, at), s.coefficients.c_expr(parts[f][ONE]) if parts[f] else num(0))
            plain = "fail" if any("{" in x for x in lines) else "; ".join(x.rstrip(".") for x in lines)
            self.say(f"assert (C{own}{f} : {f} ({coq(at)}) = {value}) by first [reflexivity | bc_angle | {plain}]")
            parts[f + "text"] = value
        st, ct = parts["sintext"], parts["costext"]
        sum_ = f"({st}) * {zc.name} + ({ct}) * {zs.name}" if name == "sin" else f"({ct}) * {zc.name} - ({st}) * {zs.name}"
        self.say(
            f"assert ({own} : {name} {u.name} = {sum_}) by (replace {u.name} with (({coq(at)}) + {v.name}) by (rewrite D{v.name}; ring); "
            f"rewrite {name}_plus, C{own}sin, C{own}cos, {es}, {ec}; ring)"
        )
        a, b = s.mul(parts["sin"], (zc if name == "sin" else zs).poly), s.mul(parts["cos"], (zs if name == "sin" else zc).poly)
        p = s.add(a, b) if name == "sin" else s.add(b, s.scaled(a, ONE, fmpq(-1)))
        return self.node(f"{name} {u.name}", p, [own, zc.equation, zs.equation])

    def atan(self, u: Value) -> Value:
        """atan u for an argument that vanishes or diverges."""
        s = self.scale
        lead = s.leading(u.poly)
        vanishes = not lead[3] and (s.rate(lead[2]) < 0 or (not lead[2] and lead[0] > 0))
        own = self.fresh("zF")
        if vanishes:
            v, w = self.small_part(u.name, u.poly, [u.equation])
            equation, z = self.taylor("atan", v, w)
            self.say(f"assert ({own} : atan {u.name} = {z.name}) by (rewrite <- {equation}; f_equal; symmetry; exact D{v.name})")
            return self.node(f"atan {u.name}", z.poly, [own, z.equation])
        if lead[3] or not (s.rate(lead[2]) > 0 or (not lead[2] and lead[0] < 0)):
            raise NoSeries("an arctangent in the middle")
        way = self.sign(u)
        i = self.inverse(u)
        v, w = self.small_part(i.name, i.poly, [i.equation])
        equation, z = self.taylor("atan", v, w)
        half = "PI / 2" if way > 0 else "- (PI / 2)"
        lemma = "atan_beyond" if way > 0 else "atan_before"
        self.say(
            f"assert ({own} : atan {u.name} = {half} - {z.name}) by (rewrite {lemma} by lra; rewrite <- {equation}, D{v.name}, D{i.name}; ring)"
        )
        p = s.add(s.constant(const("pi") * num(Fraction(way, 2))), s.scaled(z.poly, ONE, fmpq(-1)))
        return self.node(f"atan {u.name}", p, [own, z.equation])


class NewUnit(Exception):
    """An exponential needs a finer unit; the expansion starts again."""


def _geo(n: int, w: float, y: str, ws: str, a: Fraction) -> Any:
    return [Fraction((-1) ** k) for k in range(n)], f"geo_tayl {n} {ws} ltac:(lra)", f"/ (1 + {y})", "geo_c pow", 1 / (1 - w)


def _exp(n: int, w: float, y: str, ws: str, a: Fraction) -> Any:
    c = [Fraction(1, factorial(k)) for k in range(n)]
    return c, f"exp_tayl {n} {ws}", f"exp {y}", "exp_c rfact pow", fexp(w) / factorial(n)


def _log(n: int, w: float, y: str, ws: str, a: Fraction) -> Any:
    n = max(1, n - 1)
    c = [Z, *(Fraction((-1) ** (k - 1), k) for k in range(1, n + 1))]
    return c, f"log_tayl {n} {ws} ltac:(lra)", f"ln (1 + {y})", "log_c pow", 1 / (1 - w) / (n + 1)


def _sin(n: int, w: float, y: str, ws: str, a: Fraction) -> Any:
    c = [Z if k % 2 == 0 else Fraction((-1) ** (k // 2), factorial(k)) for k in range(n)]
    return c, f"sin_tayl {n} {ws}", f"sin {y}", "sin_c cos_c pow", 1 / factorial(n)


def _cos(n: int, w: float, y: str, ws: str, a: Fraction) -> Any:
    c = [Z if k % 2 else Fraction((-1) ** (k // 2), factorial(k)) for k in range(n)]
    return c, f"cos_tayl {n} {ws}", f"cos {y}", "sin_c cos_c pow", 1 / factorial(n)


def _atan(n: int, w: float, y: str, ws: str, a: Fraction) -> Any:
    m = n // 2
    c = [Z if k % 2 == 0 else Fraction((-1) ** (k // 2), k) for k in range(2 * m + 1)]
    return c, f"atan_tayl {m} {ws}", f"atan {y}", "atan_c sq_c pow", 1 / (2 * m + 1)


def _power(n: int, w: float, y: str, ws: str, a: Fraction) -> Any:
    c = [Fraction(1)]
    for k in range(n):
        c.append(c[-1] * (a - k) / (k + 1))
    size = abs(float(c[n])) * fexp(abs(float(a - n)) * -log(1 - w))
    return c[:n], f"pow_tayl {n} {number(a)} {ws} ltac:(lra)", f"rpw (1 + {y}) {number(a)}", "pow_c pow", size


_FUNCTIONS = {
    "inverse": _geo, "exp": _exp, "log": _log, "sin": _sin, "cos": _cos, "atan": _atan, "power": _power,
}  # fmt: skip
FAULTS = (NoExpansion, NoSeries, AlgebraLimit, ArithmeticError, ValueError, KeyError, OverflowError)
