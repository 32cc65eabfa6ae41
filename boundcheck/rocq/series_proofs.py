"""Functions of expansions as Coq tactics: Taylor's formula with a named remainder, behind the leading term."""

from __future__ import annotations

from fractions import Fraction
from math import exp as fexp
from math import factorial, inf, log
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.laurent import NoExpansion
from boundcheck.kernel.check.poly import AlgebraLimit, fraction
from boundcheck.kernel.formula import Expr, call, const, num
from boundcheck.rocq.coq_text import coq, number
from boundcheck.rocq.powers import Equations
from boundcheck.rocq.scripts import chained
from boundcheck.rocq.series_values import Value, Values
from boundcheck.rocq.small_series import ONE, Key, NoSeries, Poly, Z, klass, rational, times, whole


class Series(Values):
    """Builds the tactics of one expansion, from the inside out."""

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
        c, lemma, applied, unfold, size = _formula(function, n, float(w), y, ws, power)
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
        proof = f"rewrite E{r}; rewrite {', '.join(reversed(names))}; cbv [poly {unfold} Nat.mul Nat.add]; "
        return self.fact(f"{applied} = {z.name}", f"{proof}simpl INR; field"), z

    def _at_zero(self, function: str, u: Value, most: float = inf) -> Value:
        """f(u) for an argument that vanishes, and is at most ``most``."""
        v, w = self.small_part(u.name, u.poly, [u.equation])
        if w > most:
            raise NoSeries("the width is too large")
        equation, z = self.taylor(function, v, w)
        called = f"{function} {u.name}"
        own = self.fact(f"{called} = {z.name}", f"rewrite <- {equation}; f_equal; symmetry; exact D{v.name}")
        return self.node(called, z.poly, [own, z.equation])

    def inverse(self, u: Value) -> Value:
        """1/u."""
        s = self.scale
        lead, c, v, w = self._unit(u)
        front: Poly = {times(ONE, lead, -1): s.coefficients.c_inverse(c)}
        if v is None:
            return self.node(f"/ {u.name}", front, [u.equation])
        equation, z = self.taylor("inverse", v, w)
        text = f"/ ({self.coefficient(c)} * ({self.monomial(lead)})) * {z.name}"
        proof = f"rewrite U{v.name}, <- {equation}; field; repeat split; bc_expand_side"
        own = self.fact(f"/ {u.name} = {text}", proof)
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
                shift -= fraction(c)
            else:
                divergent.append(self._direction(e, m, c))
        called, most = f"exp {u.name}", 3
        if p and not texts:
            return self._at_zero("exp", u, most)
        front: Key = (shift, 0, klass(divergent), ())
        product, total = f"{self.coefficient(lead)} * ({self.monomial(front)})", " + ".join(texts) or "0"
        known = self.fact(f"exp ({total}) = {product}", f"first [{self.by_logarithms()} | bc_equal]")
        if not p:
            proof = f"transitivity (exp ({total})); [f_equal; {_turned(u)}{self.equal} | exact {known}]"
            return self.node(called, {front: lead}, [self.fact(f"{called} = {product}", proof)])
        v, w = self.small_part(f"{u.name} - ({total})", p, [u.equation])
        if w > most:
            raise NoSeries("the width is too large")
        equation, z = self.taylor("exp", v, w)
        apart = f"rewrite <- exp_plus; f_equal; rewrite D{v.name}; ring"
        proof = f"transitivity (exp ({total}) * exp {v.name}); [{apart} | rewrite {known}, {equation}; reflexivity]"
        own = self.fact(f"{called} = {product} * {z.name}", proof)
        return self.node(called, s.mul({front: lead}, z.poly), [own, z.equation])

    def _direction(self, e: Fraction, m: int, c: Any) -> tuple[Any, Fraction]:
        if isinstance(c, fmpq):
            return ((-e, m, num(1)), -fraction(c))
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
        logs = f"ln ({self.coefficient(c)}) + ln ({self.monomial(lead)})"
        if v is None:
            proof = f"rewrite <- ln_mult by bc_expand_side; f_equal; {_turned(u)}{self.equal}"
            own = self.fact(f"ln {u.name} = {logs}", proof)
            return self.node(f"ln {u.name}", p, [own], "bc_ln; " + self._logs())
        equation, z = self.taylor("log", v, w)
        sides = "try bc_expand_side; try (apply Rmult_lt_0_compat; bc_expand_side)"
        proof = f"rewrite U{v.name}, <- {equation}; rewrite !ln_mult; {sides}; ring"
        own = self.fact(f"ln {u.name} = {logs} + {z.name}", proof)
        return self.node(f"ln {u.name}", s.add(p, z.poly), [own], f"bc_ln; {self._logs()}rewrite {z.equation}; ")

    def power(self, u: Value, a: Fraction, root: bool = False) -> Value:
        """u ** a for a rational a; ``root`` for the square root as such."""
        s = self.scale
        if a.denominator == 1 and not root:
            return self._whole_power(u, int(a))
        lead, c, v, w = self._unit(u)
        if not s.range_of(c)[0] > 0:
            raise NoSeries("a power of a negative base")
        m: Key = (lead[0] * a, 0, klass((key, k * a) for key, k in lead[2]), ())
        value = s.coefficients._lower(s.coefficients.algebra.root(s.coefficients._lift(c), whole(a)))
        cexpr, ctext = s.coefficients.c_expr(c), self.coefficient(c)
        text, key, front = self.coefficient(value), self.monomial(m), {m: value}
        expr = call("sqrt", cexpr) if root else Expr("pow", (cexpr, num(a)))
        plain = chained(Equations(self.seq).prove(expr, s.coefficients.c_expr(value)))
        head = "sqrt {}" if root else f"rpw {{}} {number(a)}"
        called, base = head.format(u.name), head.format(ctext)
        known = self.fact(f"{base} = {text}", f"first [apply sqrt_1 | apply rpw_base_one | {plain}]")
        last = f"first [reflexivity | rewrite {known}; reflexivity]"
        if v is None:
            put = f"replace {u.name} with ({ctext} * ({self.monomial(lead)})) by ({_turned(u)}{self.equal})"
            proof = f"{put}; transitivity ({base} * ({key})); [{self.by_logarithms()} | {last}]"
            return self.node(called, front, [self.fact(f"{called} = {text} * ({key})", proof)])
        equation, z = self.taylor("power", v, w, a)
        apart = f"transitivity ({base} * ({key}) * rpw (1 + {v.name}) {number(a)})"
        proof = f"rewrite U{v.name}; {apart}; [{self.by_logarithms()} | rewrite {equation}; {last}]"
        own = self.fact(f"{called} = {text} * ({key}) * {z.name}", proof)
        return self.node(called, s.mul(front, z.poly), [own, z.equation])

    def _whole_power(self, u: Value, a: int) -> Value:
        """u ** a by products."""
        if a == 0:
            return self.node("1", {ONE: fmpq(1)}, [])
        z, names, power = u, [], f"{u.name} ^ {abs(a)}"
        for _ in range(abs(a) - 1):
            z = self.node(f"{u.name} * {z.name}", self.scale.mul(u.poly, z.poly), [u.equation, z.equation])
            names.append(f"D{z.name}")
        turned = f"rewrite {', '.join(reversed(names))}; " if names else ""
        found = self.node(power, z.poly, [self.fact(f"{power} = {z.name}", f"{turned}ring"), z.equation])
        if a > 0:
            return found
        i = self.inverse(found)
        under = self.fact(f"/ {power} = {i.name}", f"rewrite D{i.name}, D{found.name}; reflexivity")
        return self.node(f"/ {power}", i.poly, [under, i.equation])

    def wave(self, name: str, u: Value) -> Value:
        """sin u or cos u."""
        s = self.scale
        c0 = u.poly.get(ONE)
        p = {k: x for k, x in u.poly.items() if k != ONE}
        if not p:
            raise NoSeries("a constant wave")
        if c0 is None:
            return self._at_zero(name, u)
        v, w = self.small_part(f"{u.name} - {self.coefficient(c0)}", p, [u.equation])
        at = s.coefficients.c_expr(c0)
        (es, zs), (ec, zc) = self.taylor("sin", v, w), self.taylor("cos", v, w)
        (st, sp, sk), (ct, cp, ck) = (self.still(call(f, at)) for f in ("sin", "cos"))
        if name == "sin":
            sum_, p = f"({st}) * {zc.name} + ({ct}) * {zs.name}", s.add(s.mul(sp, zc.poly), s.mul(cp, zs.poly))
        else:
            less = s.scaled(s.mul(sp, zs.poly), ONE, fmpq(-1))
            sum_, p = f"({ct}) * {zc.name} - ({st}) * {zs.name}", s.add(s.mul(cp, zc.poly), less)
        apart = f"replace {u.name} with (({coq(at)}) + {v.name}) by (rewrite D{v.name}; ring)"
        own = self.fact(f"{name} {u.name} = {sum_}", f"{apart}; rewrite {name}_plus, {sk}, {ck}, {es}, {ec}; ring")
        return self.node(f"{name} {u.name}", p, [own, zc.equation, zs.equation])

    def still(self, e: Expr) -> tuple[str, Poly, str]:
        """A formula without the variable in its normal form: as text, as a polynomial, and the equation."""
        p = self.scale.constant(e)
        value = self.scale.coefficients.c_expr(p[ONE]) if p else num(0)
        plain = chained(Equations(self.seq).prove(e, value))
        return coq(value), p, self.fact(f"{coq(e)} = {coq(value)}", f"first [reflexivity | bc_angle | {plain}]", "zE")

    def atan(self, u: Value) -> Value:
        """atan u for an argument that vanishes or diverges."""
        s = self.scale
        lead = s.leading(u.poly)
        if not lead[3] and (s.rate(lead[2]) < 0 or (not lead[2] and lead[0] > 0)):
            return self._at_zero("atan", u)
        if lead[3] or not (s.rate(lead[2]) > 0 or (not lead[2] and lead[0] < 0)):
            raise NoSeries("an arctangent in the middle")
        way = self.sign(u)
        i = self.inverse(u)
        v, w = self.small_part(i.name, i.poly, [i.equation])
        equation, z = self.taylor("atan", v, w)
        half, lemma = ("PI / 2", "atan_beyond") if way > 0 else ("- (PI / 2)", "atan_before")
        proof = f"rewrite {lemma} by lra; rewrite <- {equation}, D{v.name}, D{i.name}; ring"
        own = self.fact(f"atan {u.name} = {half} - {z.name}", proof)
        p = s.add(s.constant(const("pi") * num(Fraction(way, 2))), s.scaled(z.poly, ONE, fmpq(-1)))
        return self.node(f"atan {u.name}", p, [own, z.equation])


def _turned(u: Value) -> str:
    """A rewrite by the equation of a value, "" where its name is the text."""
    return f"rewrite {u.equation}; " if u.equation else ""


def _formula(
    function: str, n: int, w: float, y: str, ws: str, a: Fraction
) -> tuple[list[Fraction], str, str, str, float]:
    """Taylor's formula of a function in y, |y| <= w: coefficients, lemma, the call, what to unfold, the remainder."""
    one_plus = f"(1 + {y})"
    match function:
        case "inverse":
            c = [Fraction((-1) ** k) for k in range(n)]
            return c, f"geo_tayl {n} {ws} ltac:(lra)", f"/ {one_plus}", "geo_c pow", 1 / (1 - w)
        case "exp":
            c = [Fraction(1, factorial(k)) for k in range(n)]
            return c, f"exp_tayl {n} {ws}", f"exp {y}", "exp_c rfact pow", fexp(w) / factorial(n)
        case "log":
            n = max(1, n - 1)
            c = [Z, *(Fraction((-1) ** (k - 1), k) for k in range(1, n + 1))]
            return c, f"log_tayl {n} {ws} ltac:(lra)", f"ln {one_plus}", "log_c pow", 1 / (1 - w) / (n + 1)
        case "sin" | "cos":
            odd = int(function == "sin")
            c = [Fraction((-1) ** (k // 2), factorial(k)) if k % 2 == odd else Z for k in range(n)]
            return c, f"{function}_tayl {n} {ws}", f"{function} {y}", "sin_c cos_c pow", 1 / factorial(n)
        case "atan":
            m = n // 2
            c = [Fraction((-1) ** (k // 2), k) if k % 2 else Z for k in range(2 * m + 1)]
            return c, f"atan_tayl {m} {ws}", f"atan {y}", "atan_c sq_c pow", 1 / (2 * m + 1)
    c = [Fraction(1)]
    for k in range(n):
        c.append(c[-1] * (a - k) / (k + 1))
    size = abs(float(c[n])) * fexp(abs(float(a - n)) * -log(1 - w))
    return c[:n], f"pow_tayl {n} {number(a)} {ws} ltac:(lra)", f"rpw {one_plus} {number(a)}", "pow_c pow", size


FAULTS = (NoExpansion, NoSeries, AlgebraLimit, ArithmeticError, ValueError, KeyError, OverflowError)
