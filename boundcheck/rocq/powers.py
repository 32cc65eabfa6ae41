"""Equations between formulas with powers, roots, exponentials and logarithms, as Coq scripts.

An equation is proved in two moves. Every maximal power term is written as a product of integer powers of a few
base terms (``rpw a (q m)``, with one q for all powers of a whose exponents are multiples of the same monomial m);
that each such equation holds follows by taking logarithms. What remains is an equation of rational functions, for
``field``. The exact normal forms of the certificates' checker say which products to try; Coq proves each.
"""

from __future__ import annotations

from collections.abc import Iterable
from fractions import Fraction
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.poly import AlgebraLimit, Poly, add, fraction, multiply, primes, scale, thaw, to_expr
from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.enclosure.intervals import positive
from boundcheck.kernel.enclosure.straight_line import is_integer_valued
from boundcheck.kernel.formula import Expr, Relation, call, const, num, substitute, var
from boundcheck.rocq.coq_text import MAX_EXPONENT, NotStated, coq, is_whole, longest_first, name
from boundcheck.rocq.equal_parts import twins
from boundcheck.rocq.exponents import (
    HYPERBOLIC,
    OPAQUE,
    Powers,
    apart,
    common,
    exponential,
    is_power,
    maximal,
    no_modulus,
    reduced,
    rewritten,
    square,
    times,
    variables_of,
)
from boundcheck.rocq.scripts import Script, branches, by_logarithms, chained, composites, recurrence

_E = const("E")
_FAULTS = (AlgebraLimit, NotStated, ArithmeticError, KeyError, IndexError, ValueError, TypeError)


class Equations:
    """Proofs of equations between formulas under the hypotheses of one sequent."""

    def __init__(self, seq: Sequent):
        self.seq, self.algebra = seq, seq.algebra
        self.replaced: dict[Expr, Expr] = {}  #: sums in bases -> the products that stand for them
        self.twins: dict[Expr, Expr] = {}  #: logarithms -> a shorter one of the same number

    def positive_product(self, e: Expr) -> Powers:
        """``e`` > 0 as a product of powers. Raises :class:`AlgebraLimit` where the normal form is no product."""
        match e.op:
            case "num":
                if e.value <= 0:
                    raise AlgebraLimit("not a positive number")
                found: Powers = {}
                for n, s in ((e.value.numerator, 1), (e.value.denominator, -1)):
                    for p, k in primes(n) if n > 1 else ():
                        found[num(p)] = {(): fmpq(s * k)}
                return found
            case "mul":
                return times(self.positive_product(e.args[0]), self.positive_product(e.args[1]), 1)
            case "div":
                return times(self.positive_product(e.args[0]), self.positive_product(e.args[1]), -1)
            case "sqrt":
                return self._raised(self.positive_product(e.args[0]), {(): fmpq(1, 2)})
            case "pow":
                exponent = self.exponent(e.args[1])
                if e.args[0] is _E:
                    return {_E: exponent}
                return self._raised(self.positive_product(e.args[0]), exponent)
            case "exp":
                return self._exponential(self.exponent(e.args[0]))
            case "var" | "const":
                return {e: {(): fmpq(1)}}
            case "add" | "sub" | "neg":
                return self._sum(e)
        if e.op == "log" and e not in self.twins:
            normal = self.algebra.normal(e)
            ((m, c),) = normal.num.items() if len(normal.num) == 1 else (((), fmpq(1)),)
            if c < 0 and normal.den == {(): fmpq(1)}:
                return self._negative(e, m, c)
        if e in self.twins:
            self.replaced.setdefault(e, self.twins[e])
        return {self.twins.get(e, e): {(): fmpq(1)}}

    def exponent(self, e: Expr) -> Poly:
        """``e`` as a polynomial whose denominators are atoms with power -1, primitive and reduced."""
        normal = self.algebra.normal(e)
        if normal.den == {(): fmpq(1)}:
            return apart(normal.num)
        return apart(self._over(normal))

    def _over(self, normal: Any) -> Poly:
        c, m, rest = self.algebra.content(normal.den)
        inverse = tuple((a, -x) for a, x in m if isinstance(x, fmpq))
        if len(inverse) != len(m):
            raise AlgebraLimit("a denominator with a symbolic power")
        top = multiply(normal.num, {inverse: 1 / c})
        if rest == {(): fmpq(1)}:
            return top
        return reduced(top, rest)

    def _raised(self, a: Powers, exponent: Poly) -> Powers:
        out = {}
        for base, x in a.items():
            value = scale(x, exponent[()]) if len(exponent) == 1 and () in exponent else self._settled(x, exponent)
            if value:
                out[base] = value
        return out

    def _settled(self, x: Poly, y: Poly) -> Poly:
        """The product of two exponents, p/(p - 1) reduced to 1 + 1/(p - 1) again."""
        product = multiply(x, y)
        out: Poly = {}
        for m, c in product.items():
            below = next((a for a, k in m if a.op in ("add", "sub") and k == fmpq(-1)), None)
            if below is None:
                out = add(out, {m: c})
            else:
                rest = tuple((a, k) for a, k in m if a is not below)
                out = add(out, reduced({rest: c}, self.algebra.normal(below).num))
        return apart(out)

    def _exponential(self, exponent: Poly) -> Powers:
        """exp of a sum: a term c log(a) gives a power of a."""
        found: Powers = {}
        for m, c in exponent.items():
            logs = [a for a, x in m if a.op == "log" and x == fmpq(1)]
            if logs:
                rest = tuple((a, x) for a, x in m if a is not logs[0])
                part = {base: multiply(x, {rest: c}) for base, x in self.positive_product(logs[0].args[0]).items()}
            else:
                part = {_E: {m: c}}
            found = times(found, part, 1)
        return found

    def _sum(self, e: Expr) -> Powers:
        """A sum as a number times a monomial times a primitive sum."""
        normal = self.algebra.normal(e)
        if any(is_power(n) for n in e.walk()):
            if len(normal.num) != 1 or normal.den != {(): fmpq(1)}:
                return {e: {(): fmpq(1)}}
            ((m, c),) = normal.num.items()
            if c < 0:
                return self._negative(e, m, c)
            product = to_expr(normal.num)
            self.replaced.setdefault(e, product)
            return self.positive_product(product)
        found: Powers = {}
        product = num(1)
        for p, sign in ((normal.num, 1), (normal.den, -1)):
            c, m, rest = self.algebra.content(p)
            part = self.positive_product(num(fraction(c)))
            for a, x in m:
                part = times(part, {a: thaw(x)}, 1)
            if rest != {(): fmpq(1)}:
                part = times(part, {to_expr(rest): {(): fmpq(1)}}, 1)
            text = num(fraction(c)) * to_expr({m: fmpq(1)}) * to_expr(rest)
            product = product * text if sign > 0 else product / text
            found = times(found, part, sign)
        if product is not e:
            self.replaced.setdefault(e, product)
        return found

    def _negative(self, e: Expr, m: Any, c: Any) -> Powers:
        """A positive term c times m, c < 0: one of its factors, a logarithm where there is one, is negative."""
        below = next((f for f in m if f[0].op == "log" and f[1] == fmpq(1)), None)
        inner = to_expr({m if below is None else (below,): fmpq(1)})
        above = num(fraction(-c)) * to_expr({tuple(f for f in m if below is not None and f is not below): fmpq(1)})
        base = -inner
        one: Poly = {(): fmpq(1)}
        if base is not e:
            self.replaced.setdefault(e, above * base)
        return times(self.positive_product(above), {base: one}, 1)

    def logarithm(self, u: Expr) -> Expr:
        """ln u as a sum of exponents times logarithms of bases."""
        total = num(0)
        for a, x in self.positive_product(u).items():
            total = total + (to_expr(x) if a is _E else to_expr(x) * call("log", a))
        return total

    # ------------------------------------------------------------ the proof of an equation

    def prove(self, lhs: Expr, rhs: Expr) -> list[str]:
        """The script of a proof of lhs = rhs (the goal as printed): a base that may be 0 is 0 or positive."""
        heads = {n.op for side in (lhs, rhs) for n in side.walk()}
        if heads & {*HYPERBOLIC} or ("tan" in heads and heads & {"sin", "cos"}):
            unfolded = (rewritten(side, exponential) for side in (lhs, rhs))
            return ["unfold tan, tanh, sinh, cosh.", *self.prove(*unfolded)]
        plain = rewritten(lhs, square), rewritten(rhs, square)
        if plain != (lhs, rhs):
            return ["rewrite ?Rabs_square.", *self._split(*plain)]
        return self._split(lhs, rhs)

    def _split(self, lhs: Expr, rhs: Expr) -> list[str]:
        for v in variables_of((lhs, rhs), moduli=True):
            if any(h.op == "!=" and h.gap is var(v) for h in self.seq.hyps) or not _may_vanish(self.seq, v):
                continue
            zero = self.seq.substituted({v: num(0)})
            other = self.seq.with_hyps(Relation("!=", var(v), num(0)))
            at_zero = [rewritten(substitute(side, {v: num(0)}), no_modulus) for side in (lhs, rhs)]
            return [
                f"destruct (Req_dec {name(v)} 0) as [W_{name(v)} | W_{name(v)}].",
                f"{{ subst {name(v)}. rewrite ?Rabs_R0.",
                *(f"  {line}" for line in Equations(zero).prove(*at_zero)),
                "}",
                *Equations(other).prove(lhs, rhs),
            ]  # fmt: skip
        for v in variables_of((lhs, rhs)):
            a = (self.seq.box or {}).get(v)
            if a is None or a[0] != 0 or a[2]:
                continue
            zero = self.seq.substituted({v: num(0)})
            positive = self.seq.with_hyps(Relation(">", var(v), num(0)))
            at_zero = [substitute(side, {v: num(0)}) for side in (lhs, rhs)]
            return [
                f"assert (Z_{name(v)} : 0 <= {name(v)}) by bc_side.",
                f"destruct (Rle_lt_or_eq_dec 0 {name(v)} Z_{name(v)}) as [W_{name(v)} | W_{name(v)}].",
                "{", *(f"  {line}" for line in Equations(positive).prove(lhs, rhs)), "}",
                f"subst {name(v)}.",
                *Equations(zero).prove(*at_zero),
            ]  # fmt: skip
        return self._sum_apart(lhs, rhs) or self._prove(lhs, rhs)

    def _sum_apart(self, lhs: Expr, rhs: Expr) -> list[str]:
        """A sum that may be 0, in the bases of roots: at 0 they are all 0, else it is positive; [] for none."""
        roots: dict[Expr, dict[Expr, Expr]] = {}  # the sum -> each root or power of a multiple, and its factor
        for t in (t for side in (lhs, rhs) for t in maximal(side)):
            base = t.args[0]
            rooted = t.op == "sqrt" or (t.op == "pow" and t.args[1].op == "num" and t.args[1].value > 0)
            if not rooted or base.op not in ("add", "sub") or positive(enclose(base, self.seq.box or {}), True):
                continue
            try:
                powers = Equations(self.seq).positive_product(base)
            except _FAULTS:
                continue
            sums = [a for a in powers if a.op in ("add", "sub")]
            if len(sums) != 1 or powers[sums[0]] != {(): fmpq(1)} or any(is_power(n) for n in base.walk()):
                continue
            front = num(1)
            for a, x in powers.items():
                front = front if a is sums[0] else front * a ** to_expr(x)
            roots.setdefault(sums[0], {})[t] = front
        if len(roots) != 1:
            return []
        ((p, found),) = roots.items()
        if len(found) < 2 or Relation(">", p, num(0)) in self.seq.hyps:
            return []
        other = self.seq.with_hyps(Relation(">", p, num(0)))
        lines = [f"destruct (Req_dec ({coq(p)}) 0) as [WS | WS].", "{"]
        for k, (t, front) in enumerate(found.items()):
            lemma, product = "sqrt_0" if t.op == "sqrt" else "rpw_zero", f"{coq(front)} * ({coq(p)})"
            zero = f"replace ({coq(t.args[0])}) with ({product}) by bc_field; rewrite WS, Rmult_0_r; apply {lemma}"
            lines += [f"  try (assert (ER{k} : {coq(t)} = 0) by ({zero})).", f"  try rewrite ER{k}."]
        below = " | ".join(
            f"(apply (other_factor ({coq(t.args[0])}) ({coq(front)})); [bc_side | bc_field | bc_sgn | exact WS])"
            for t, front in found.items()
        )
        lines += ["  bc_equal.", "}", f"assert (WP : 0 < {coq(p)}) by first [lra | {below}]."]
        return [*lines, *Equations(other).prove(lhs, rhs)]

    def _prove(self, lhs: Expr, rhs: Expr) -> list[str]:
        script = Script()
        for e in dict.fromkeys(n for side in (lhs, rhs) for n in side.walk() if n.op == "gamma"):
            recurrence(e, script)
        found = {t for side in (lhs, rhs) for t in maximal(side)}
        found |= {t for e in found if e.op == "abs" for t in maximal(e.args[0])}  # where the modulus goes away
        terms = sorted(found, key=longest_first)
        products: dict[Expr, Powers] = {}
        sums: dict[Expr, tuple[Expr, str]] = {}  # an equal term, and a tactic for that
        self.twins, self.replaced = twins(terms, self.algebra)
        for t in terms:
            try:
                if t.op in ("sqrt", "pow") and (t.args[0] is num(0) or self.algebra.is_zero(t.args[0])):
                    zero = "rpw_zero" if t.op == "pow" else "sqrt_0"
                    sums[t] = num(0), f"replace ({coq(t.args[0])}) with 0 by bc_field; apply {zero}"
                elif t.op == "log":
                    sums[t] = self.logarithm(t.args[0]), ""
                elif t.op in OPAQUE:
                    sums[t] = self._opaque(t)
                else:
                    products[t] = self.positive_product(t)
            except _FAULTS:
                continue
        units = self._units(products.values())
        names = self._bases(units, script)
        numbers = composites(terms, script)
        rules: list[str] = []
        rewritten: list[str] = []
        solved: list[str] = []  # variables as powers of new names
        for t in terms:
            if t in products:
                own = self._product(t, products[t], units, names, numbers, script)
                rewritten += [own] if own else []
            elif t in sums and sums[t][0] is not t:
                other, proof = sums[t]
                if t.op == "log":
                    proof = self._replaced(t, numbers) + by_logarithms(numbers, "bc_by_lns")
                rewritten.append(script.rewrite("E", f"{coq(t)} = {coq(other)}", f"({proof})"))
        for (a, m), (unit, own) in units.items():
            if m == () and 1 < unit.denominator <= MAX_EXPONENT:
                power = f"{names[a, m]} ^ {unit.denominator}"
                if a.op == "var":
                    proof = f"(rewrite {own}; first [bc_by_ln | symmetry; bc_nth])"
                    solved.append(script.rewrite("Q", f"{coq(a)} = {power}", proof))
                else:
                    h = script.fresh("Q")
                    script.say(
                        f"try (assert ({h} : {power} = {coq(a)}) by (rewrite {own}; first "
                        f"[{by_logarithms(numbers, 'bc_by_ln')} | bc_nth]))."
                    )
                    rules.append(h)
                    if rewritten and any(is_power(n) for n in a.walk()):
                        script.say(f"try rewrite ?{', ?'.join(rewritten)} in {h}.")
        for (a, m), (unit, own) in units.items():
            special = a is const("pi") and any(t.op == "gamma" for t in terms)  # a value that is a root of pi
            if (special or (a is _E and unit == 1)) and m == () and (a, m) in names:
                script.say(f"try rewrite <- {own}.")
        for h in rules if solved else ():
            script.say(f"try rewrite ?{', ?'.join(solved)} in {h}.")
        script.say("rewrite ?Rabs_square.")
        close = "bc_equal"
        if rules:  # first, since on such an equation what bc_equal tries is slow
            close = f"timeout 20 (field [{' '.join(rules)}]; repeat split; bc_sgn) | bc_equal"
        if any(n.op == "abs" for side in (lhs, rhs) for n in side.walk()):
            close += f" | progress rewrite ?Rpow_mult_distr, ?Rabs_square; first [{close}]"
        script.say(f"first [{close}]." if rules or "|" in close else "bc_equal.")
        return script.lines

    def _opaque(self, t: Expr) -> tuple[Expr, str]:
        """The same call with normal arguments, or |u| as u or -u, or a whole number, and a tactic for the equation."""
        args = [self.algebra.normal(a).expr() for a in t.args]
        if t.op == "abs":
            for candidate, lemma in ((t.args[0], "abs_up"), (-t.args[0], "abs_down")):
                if self.algebra.is_zero(t - candidate):
                    return candidate, f"apply {lemma}; bc_side"
            normal = self.algebra.normal(t)
            ((m, c),) = normal.num.items() if len(normal.num) == 1 else (((), None),)
            if len(m) == 1 and m[0][0].op == "abs" and m[0][1] == fmpq(1) and c is not None:
                return num(fraction(c)) * m[0][0], "bc_abs"
        if t.op == "gamma":
            return self.algebra.normal(t).expr(), "first [f_equal; bc_field | bc_special_value]"
        near = self._rounded(t, args[0]) if t.op in ("floor", "ceil") else None
        if near is not None:
            return near, f"apply {t.op}_near; [bc_whole | first [lra | split; bc_field_order]]"
        equal = "bc_abs" if t.op == "abs" else "f_equal; first [bc_field | progress bc_squares; bc_field | bc_by_ln]"
        return Expr(t.op, tuple(args), t.value), equal

    def _rounded(self, t: Expr, arg: Expr) -> Expr | None:
        """The floor or ceiling of a whole number plus a fraction; None of any other argument."""
        form = self.algebra.normal(arg)
        shift = form.num.get((), fmpq(0)) if form.den == {(): fmpq(1)} else fmpq(0)
        body = to_expr({m: c for m, c in form.num.items() if m}) if shift else arg
        if not is_integer_valued(body, self.seq.integers) or (shift and not body.free):
            return None
        n = fraction(shift)
        return body + num(n.__floor__() if t.op == "floor" else n.__ceil__()) if shift else body

    def _units(self, products: Iterable[Powers]) -> dict[tuple[Expr, Any], tuple[Fraction, str]]:
        """(base, monomial) -> the common unit q of its coefficients, and the name of the defining equation."""
        found: dict[tuple[Expr, Any], Fraction] = {}
        for powers in products:
            for a, x in powers.items():
                for m, c in x.items():
                    q = fraction(c)
                    if m == () and a is not _E and q.denominator == 1 and (a, m) not in found:
                        found[a, m] = Fraction(1)
                        continue
                    old = found.get((a, m), Fraction(1) if m == () and a is not _E else Fraction(0))
                    found[a, m] = common(old, q)
        return {key: (q, f"D{i}") for i, (key, q) in enumerate(found.items())}

    def _bases(self, units: dict[tuple[Expr, Any], tuple[Fraction, str]], script: Script) -> dict[Any, str]:
        names: dict[Any, str] = {}
        for i, ((a, m), (unit, own)) in enumerate(units.items()):
            if m == () and a is not _E and unit == 1:
                continue
            exponent = to_expr({m: fmpq(unit.numerator, unit.denominator)})
            term = call("exp", exponent) if a is _E else Expr("pow", (a, exponent))
            names[a, m] = f"T{i}"
            script.say(f"assert (exists T, T = {coq(term)}) as [T{i} {own}] by (eexists; reflexivity).")
            script.say(f"try (assert (P{i} : 0 < T{i}) by (rewrite {own}; bc_sgn)).")
            ends = None if term.free else enclose(term, {})
            if ends is not None and ends[0].is_finite() and ends[1].is_finite():
                low, high = (
                    coq(num(Fraction(round(float(x) * 1000) + d, 1000)))
                    for x, d in zip(ends[:2], (-2, 2), strict=True)
                )
                script.say(
                    f"try (assert (B{i} : {low} <= T{i} <= {high}) by (rewrite {own}; bc_to_exp; split; interval))."
                )
        return names

    def _product(
        self, t: Expr, powers: Powers, units: Any, names: dict[Any, str], numbers: list[str], script: Script
    ) -> str:
        """Write a term as a product of powers of the bases; the name of the equation, "" for one that is too long."""
        above: list[str] = []
        below: list[str] = []
        defs: list[str] = []
        for a, x in powers.items():
            for m, c in x.items():
                unit, own = units[a, m]
                k = fraction(c) / unit
                if abs(k) > MAX_EXPONENT:
                    return ""
                base = names.get((a, m)) or f"({coq(a)})"
                if (a, m) in names:
                    defs.append(own)
                (above if k > 0 else below).append(f"{base} ^ {abs(int(k))}")
        text = " * ".join(above) or "1"
        if below:
            text = f"({text}) / ({' * '.join(below)})"
        rewrites = "".join(f"rewrite {d}; " for d in dict.fromkeys(defs)) + self._replaced(t, numbers)
        last = "bc_by_whole" if t.op == "pow" and is_whole(*t.args) else "bc_root_of"
        plain = f" | {rewrites}{last}" if t.op in ("sqrt", "pow") else ""
        by = rewrites + _named(powers) + by_logarithms(numbers, "bc_by_ln")
        return script.rewrite("E", f"{coq(t)} = {text}", f"first [{by}{plain}]")

    def _replaced(self, t: Expr, numbers: list[str]) -> str:
        """Tactics that put the products for the sums in a term."""

        def by(e: Expr) -> str:
            logs = by_logarithms(numbers, "bc_by_lns")
            if e.op == "log" and e not in self.twins:
                return f"({logs})"
            if e.op == "exp":
                return f"(first [solve [f_equal; bc_field] | {by_logarithms(numbers, 'bc_by_ln')}])"
            return f"(f_equal; first [bc_field | {logs}])" if e in self.twins else "bc_field"

        inside = set(t.walk())
        changed = sorted((e for e, new in self.replaced.items() if e in inside and e is not new), key=longest_first)
        return "".join(f"try replace ({coq(e)}) with ({coq(self.replaced[e])}) by {by(e)}; " for e in changed)


def proved_equal(label: str, lhs: Expr, rhs: Expr, seq: Sequent, short: bool = False) -> list[str]:
    """The lines that assert an equation and prove it; where ``short``, one line if the proof has no parts."""
    stated, proof = f"assert ({label} : {coq(lhs)} = {coq(rhs)})", Equations(seq).prove(lhs, rhs)
    if short and not branches(proof):
        return [f"{stated} by ({chained(proof)})."]
    return [f"{stated}.", "{", *(f"  {line}" for line in proof), "}"]


def _named(powers: Powers) -> str:
    """Names for bases with logarithms in them, so that taking logarithms apart leaves these as they are."""
    return "".join(f"try bc_name ({coq(a)}); " for a in powers if a.args and any(n.op == "log" for n in a.walk()))


def _may_vanish(seq: Sequent, v: str) -> bool:
    a = (seq.box or {}).get(v)
    return a is not None and bool(a[0] < 0 or (a[0] == 0 and not a[2])) and bool(a[1] >= 0)
