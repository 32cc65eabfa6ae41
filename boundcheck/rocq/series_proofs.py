"""Functions of expansions as Coq tactics: Taylor's formula with a named remainder, behind the leading term."""

from __future__ import annotations

from fractions import Fraction
from math import exp as fexp
from math import factorial, log
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.laurent import NoExpansion
from boundcheck.kernel.check.poly import AlgebraLimit, fraction
from boundcheck.kernel.formula import Expr, call, const, num
from boundcheck.rocq.coq_text import coq, number
from boundcheck.rocq.powers import Equations
from boundcheck.rocq.scripts import chained
from boundcheck.rocq.series_values import NewUnit, Value, Values
from boundcheck.rocq.small_series import ONE, Key, NoSeries, Poly, Z, klass, literal, rational, times, whole


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
        self.say(
            f"assert ({own} : / {u.name} = {text}) by (rewrite U{v.name}, <- "
            f"{equation}; field; repeat split; bc_expand_side)"
        )
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
                self.say(
                    f"assert ({own} : exp {u.name} = {product}) by (transitivity (exp ({total})); "
                    f"[f_equal; {_turned(u)}{self.equal} | exact G{own}])"
                )
            else:
                self.say(f"assert ({own} : exp {u.name} = 1) by ({_turned(u)}apply exp_0)")
            return self.node(f"exp {u.name}", front, [own])
        v, w = self.small_part(f"{u.name} - ({total or '0'})", p, [u.equation])
        if w > 3:
            raise NoSeries("the width is too large")
        equation, z = self.taylor("exp", v, w)
        if texts:
            self.say(
                f"assert ({own} : exp {u.name} = {product} * {z.name}) by "
                f"(transitivity (exp ({total}) * exp {v.name}); "
                f"[rewrite <- exp_plus; f_equal; rewrite D{v.name}; ring | rewrite G{own}, {equation}; reflexivity])"
            )
        else:
            self.say(
                f"assert ({own} : exp {u.name} = {z.name}) by (rewrite <- "
                f"{equation}; f_equal; rewrite D{v.name}; ring)"
            )
        return self.node(f"exp {u.name}", s.mul(front, z.poly), [own, z.equation])

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
        own = self.fresh("zF")
        logs = f"ln ({self.coefficient(c)}) + ln ({self.monomial(lead)})"
        if v is None:
            self.say(
                f"assert ({own} : ln {u.name} = {logs}) by (rewrite <- ln_mult by "
                f"bc_expand_side; f_equal; {_turned(u)}{self.equal})"
            )
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
                z = self.node(
                    f"{u.name} * {z.name}",
                    s.mul(u.poly, z.poly),
                    [u.equation, z.equation] if z is not u else [u.equation],
                )
                names.append(f"D{z.name}")
            n = abs(int(a))
            turned = f"rewrite {', '.join(reversed(names))}; " if names else ""
            own = self.fresh("zF")
            self.say(f"assert ({own} : {u.name} ^ {n} = {z.name}) by ({turned}ring)")
            if a < 0:
                inner = self.node(f"{u.name} ^ {n}", z.poly, [own, z.equation])
                i, under = self.inverse(inner), self.fresh("zF")
                self.say(
                    f"assert ({under} : / {u.name} ^ {n} = {i.name}) by (rewrite "
                    f"D{i.name}, D{inner.name}; reflexivity)"
                )
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
        plain = chained(Equations(self.seq).prove(expr, s.coefficients.c_expr(value)))
        self.say(
            f"assert (C{own} : {base} = {self.coefficient(value)}) by first "
            f"[apply sqrt_1 | apply rpw_base_one | {plain}]"
        )
        apart = f"apply same_ln; [bc_sgn | bc_sgn | bc_ln; {self._logs()}bc_expand_equal]"
        if v is None:
            same = (
                f"replace {u.name} with ({ctext} * ({self.monomial(lead)})) by ({_turned(u)}{self.equal}); "
                f"transitivity ({base} * ({self.monomial(m)})); "
                f"[{apart} | first [reflexivity | rewrite C{own}; reflexivity]]"
            )
            self.say(f"assert ({own} : {head.format(u.name)} = {product}) by ({same})")
            return self.node(head.format(u.name), front, [own])
        equation, z = self.taylor("power", v, w, a)
        rest = f"rpw (1 + {v.name}) {number(a)}"
        self.say(
            f"assert ({own} : {head.format(u.name)} = {product} * {z.name}) by (rewrite U{v.name}; "
            f"transitivity ({base} * ({self.monomial(m)}) * {rest}); [{apart} "
            f"| rewrite {equation}; first [reflexivity | rewrite C{own}; reflexivity]])"
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
            self.say(
                f"assert ({own} : {name} {u.name} = {z.name}) by (rewrite <- "
                f"{equation}; f_equal; rewrite D{v.name}; ring)"
            )
            return self.node(f"{name} {u.name}", z.poly, [own, z.equation])
        at = s.coefficients.c_expr(c0)
        (es, zs), (ec, zc) = self.taylor("sin", v, w), self.taylor("cos", v, w)
        parts: dict[str, Poly] = {}
        texts: dict[str, str] = {}
        for f in ("sin", "cos"):
            parts[f] = s.constant(call(f, at))
            value = s.coefficients.c_expr(parts[f][ONE]) if parts[f] else num(0)
            plain = chained(Equations(self.seq).prove(call(f, at), value))
            texts[f] = coq(value)
            self.say(f"assert (C{own}{f} : {f} ({coq(at)}) = {texts[f]}) by first [reflexivity | bc_angle | {plain}]")
        st, ct = texts["sin"], texts["cos"]
        sum_ = (
            f"({st}) * {zc.name} + ({ct}) * {zs.name}" if name == "sin" else f"({ct}) * {zc.name} - ({st}) * {zs.name}"
        )
        self.say(
            f"assert ({own} : {name} {u.name} = {sum_}) by (replace {u.name} with "
            f"(({coq(at)}) + {v.name}) by (rewrite D{v.name}; ring); "
            f"rewrite {name}_plus, C{own}sin, C{own}cos, {es}, {ec}; ring)"
        )
        a, b = (
            s.mul(parts["sin"], (zc if name == "sin" else zs).poly),
            s.mul(parts["cos"], (zs if name == "sin" else zc).poly),
        )
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
            self.say(
                f"assert ({own} : atan {u.name} = {z.name}) by (rewrite <- "
                f"{equation}; f_equal; symmetry; exact D{v.name})"
            )
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
            f"assert ({own} : atan {u.name} = {half} - {z.name}) by (rewrite {lemma} by "
            f"lra; rewrite <- {equation}, D{v.name}, D{i.name}; ring)"
        )
        p = s.add(s.constant(const("pi") * num(Fraction(way, 2))), s.scaled(z.poly, ONE, fmpq(-1)))
        return self.node(f"atan {u.name}", p, [own, z.equation])


def _turned(u: Value) -> str:
    """A rewrite by the equation of a value, "" where its name is the text."""
    return f"rewrite {u.equation}; " if u.equation else ""


def _geo(n: int, w: float, y: str, ws: str, a: Fraction) -> Any:
    return (
        [Fraction((-1) ** k) for k in range(n)],
        f"geo_tayl {n} {ws} ltac:(lra)",
        f"/ (1 + {y})",
        "geo_c pow",
        1 / (1 - w),
    )


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


__all__ = ["FAULTS", "NewUnit", "Series", "Value"]
