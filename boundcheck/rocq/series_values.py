"""Expansions next to a point or at infinity as Coq tactics: every value as a polynomial in a small g plus a remainder.

Each value of a formula gets a name y with an equation ``y = P + M r``, |r| <= b: P and M are products of powers of g,
L = -log h and exponentials (h = g**q is the distance, or the inverse of the variable), r a new variable. Sums and
products follow by ``field`` and ``interval``, functions by Taylor's formula (``Boundcheck.v``). What is
computed here is only what to try; Rocq proves each step.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from fractions import Fraction
from typing import Any

from flint import fmpq

from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr
from boundcheck.rocq.coq_text import coq, number
from boundcheck.rocq.small_series import (
    Key,
    NoSeries,
    Poly,
    Scale,
    Z,
    as_written,
    rational,
    times,
)

_FIELD = "bc_expand_equal"


class NewUnit(Exception):
    """An exponential needs a finer unit; the expansion starts again."""


@dataclass
class Value:
    """A named value: what it is as a polynomial, and the equation that says so ("" where the name is the text)."""

    name: str
    poly: Poly
    equation: str = ""


@dataclass
class Values:
    """Names values and proves their expansions: sums, products, signs."""

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

    def fact(self, said: str, proof: str, stem: str = "zF") -> str:
        """Assert something; its new name."""
        own = self.fresh(stem)
        self.say(f"assert ({own} : {said}) by ({proof})")
        return own

    def called(self, stem: str, definition: str) -> str:
        """A new name for a term."""
        own, it = self.fresh(stem), stem[1:]
        self.say(f"assert (exists {it}, {it} = {definition}) as [{own} D{own}] by (eexists; reflexivity)")
        return own

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
            d, m, base = key
            text = f"{number(self.scale.units[key])} * ({coq(base)}) * zL ^ {m} * / zg ^ {self.scale.power(d)}"
            own = self.exponentials[key] = self.called("zE", f"exp (- ({text}))")
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
                    power = number(t.args[0].value ** x.numerator)
                    self.roots[t] = self.fact(f"{coq(t)} ^ {x.denominator} = {power}", "bc_by_ln", "zQ")
        return f"({coq(e)})"

    @property
    def equal(self) -> str:
        """A tactic for an identity, with what is known of roots of numbers."""
        if not self.roots:
            return _FIELD
        return (
            "first [ring | field; repeat split; bc_expand_side | field "
            f"[{' '.join(self.roots.values())}]; repeat split; bc_expand_side | {_FIELD}]"
        )

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
        own = self.called("ze", f"({product}) * / zg ^ {n}")
        self.say(f"assert (X{own} : {product} = exp (- ({exponent}))) by ({self.by_logarithms()})")
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

    def by_logarithms(self) -> str:
        """A tactic for an equation of products, by their logarithms."""
        return f"apply same_ln; [bc_sgn | bc_sgn | bc_ln; {self._logs()}bc_expand_equal]"

    def _defined(self) -> str:
        """Rewrites of products by what they are."""
        return "rewrite ?DzK; " + "".join(f"rewrite ?D{e}; " for e in self.small.values())

    # ------------------------------------------------------------ values

    def node(self, definition: str, p: Poly, uses: list[str], also: str = "") -> Value:
        """A new value with its expansion; ``uses`` are equations that turn the definition into the polynomial."""
        s, own = self.scale, self.called("zy", definition)
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
