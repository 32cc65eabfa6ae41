"""Gram certificates as Coq theorems about every inner product space: multipliers and factors are written out.

goal gap = sum of multiplier * hypothesis gap + sum of pivot * square of a combination of the vectors. Equality is an
identity of rational functions in the Gram entries; the signs of multipliers and pivots follow as the certificate says.
"""

from __future__ import annotations

import re
from collections.abc import Mapping
from dataclasses import replace
from fractions import Fraction
from typing import Any

from boundcheck.kernel.check.gram_certificate import Signs, decode_claim, key_of
from boundcheck.kernel.check.poly import fraction
from boundcheck.kernel.check.quadratic import UNIT, FormProblem, Key, basis, problem, remainder
from boundcheck.kernel.check.ratios import NotRational, Ratio
from boundcheck.kernel.formula import Expr, Relation, call, num, parse, substitute, var
from boundcheck.kernel.statement import GramClaim
from boundcheck.rocq.coordinates import Coordinates
from boundcheck.rocq.coq_text import coq, name, number
from boundcheck.rocq.vectors import Sorts, conditions_text, equation_text, scalar_text

_FORM = re.compile(r"  assert \(([FGQSY]\d+) :")  #: facts on inner products
_SIGN = {True: "<", False: "<="}


def gram_theorem(label: str, certificate: Mapping[str, Any]) -> tuple[str, list[str]]:
    """The line that states the theorem ``label``, and all lines. Raises :class:`NotStated` on another form."""
    claim = decode_claim(certificate.get("claim"))
    sorts = Sorts(claim)
    lines = _Gram(label, claim, certificate, sorts).theorem()
    return lines[1], lines


class _Gram:
    def __init__(self, label: str, claim: GramClaim, certificate: Mapping[str, Any], sorts: Sorts):
        self.label, self.claim, self.certificate, self.sorts = label, claim, certificate, sorts
        self.lines: list[str] = []
        self.goal = claim.goal
        self.counter = 0
        self.known: dict[str, str] = {}  #: rational functions that have a name
        self.values: list[str] = []  #: the names
        self.signed: dict[tuple[str, bool], tuple[str, int]] = {}  #: polynomials whose sign is asserted
        self.positive: set[str] = set()  #: polynomials that are asserted to be positive
        self.conditions: list[str] = []  #: what makes the claim defined
        self._read()

    def _read(self) -> None:
        """The claim in coordinates, as the certificate at hand sees it."""
        self.problem: FormProblem = problem(self.claim)
        self.field = self.problem.field
        domain = self.certificate.get("domain", {})
        self.signs = Signs(self.problem, lambda _, k, __: domain.get(str(k)))

    # ------------------------------------------------------------ texts

    def poly(self, p: Any) -> str:
        """A polynomial of the parameters."""
        total = num(0)
        for exponents, c in sorted(p.to_dict().items()):
            term = num(fraction(c))
            for symbol, power in zip(self.field.names, exponents, strict=True):
                if power:
                    base = call("sqrt", num(self.field.roots[symbol])) if symbol in self.field.roots else var(symbol)
                    term = Expr("mul", (term, Expr("pow", (base, num(int(power))))))
            total = total + term
        return f"({coq(total)})"

    def ratio(self, r: Ratio) -> str:
        """A rational function of the parameters."""
        return self.poly(r.num) if r.den.is_constant() and r.den == 1 else f"({self.poly(r.num)} / {self.poly(r.den)})"

    # ------------------------------------------------------------ the theorem

    def theorem(self) -> list[str]:
        claim, sorts = self.claim, self.sorts
        vectors = [v for v in claim.vectors if v in sorts.vectors]
        scalars = sorted(sorts.scalars)
        binder = f"forall (S : Space) ({' '.join([*map(name, vectors), 'v_unused'])} : S)"
        reals = [*map(name, scalars), *sorts.levels.values()]
        if reals:
            binder += f" ({' '.join(reals)} : R)"
        where = [scalar_text(r, sorts) for r in claim.where]
        given = [equation_text(h, sorts) for h in claim.hypotheses]
        arrows = "".join(f"({t}) -> " for t in (*where, *given))
        say = self.lines
        self.conditions = conditions_text(claim.goal, sorts)
        told = [*self.conditions, scalar_text(claim.goal, sorts)]
        conclusion = " /\\ ".join(f"({t})" for t in told) if self.conditions else told[0]
        say.append(f"Theorem {self.label} : {binder}, {arrows}{conclusion}.")
        say.append("Proof.")
        labels = [f"W{i}" for i in range(len(where))] + [f"H{i}" for i in range(len(given))]
        say.append(f"  intros S {' '.join([*map(name, vectors), 'v_unused', *reals, *labels])}.")
        self._solve()
        self._parts()
        say.append("Qed.")
        return ["(* gram *)", *say]

    def _parts(self) -> None:
        """One proof, or two: one where a polynomial is not negative, one where it is not positive."""
        if "split" not in self.certificate:
            self._constraints()
            if "empty" in self.certificate:
                self._empty()
            else:
                self._combination()
            return
        claim, certificate, e = self.claim, self.certificate, parse(self.certificate["split"])
        self.counter += 1
        label = f"B{self.counter}"
        self.lines.append(f"  destruct (bc_cases {self.sorts.scalar(e)} 0) as [{label} | {label}].")
        for op, part in zip((">=", "<="), certificate["parts"], strict=True):
            self.claim, self.certificate = replace(claim, where=(*claim.where, Relation(op, e, num(0)))), part
            self._read()
            self.lines.append("  {")
            before = dict(self.known), list(self.values), dict(self.signed), set(self.positive)
            self._parts()
            self.known, self.values, self.signed, self.positive = before
            self.lines.append("  }")

    def _empty(self) -> None:
        """Products of constraints, of which one is positive, sum to 0: no parameters meet the domain."""
        self.signs.nonnegative(self.field.zero, self.certificate["empty"], strict=True)
        terms = self._terms("V", self.certificate["empty"], True)
        self.lines.append("  exfalso.")
        self.lines.append(f"  assert (E : 0 = {' + '.join(terms) or '0'}) by bc_polynomial.")
        self.lines.append("  lra.")

    def _solve(self) -> None:
        """Equations that give a parameter or a vector are put in, in the order in which the checker puts them."""
        for symbol, term in self.problem.solved:
            self.goal = self.goal.map(lambda e, values={symbol: term}: substitute(e, values))  # type: ignore[misc]
            self.lines.append(f"  subst {name(symbol)}.")

    def _constraints(self) -> None:
        """C0, C1, ...: the polynomials that the domain makes nonnegative, as the certificate numbers them."""
        field, say = self.field, self.lines
        wanted = list(self.signs.constraints)
        for place, (symbol, radicand) in enumerate(field.roots.items()):
            c = number(radicand)
            say.append(f"  assert (C{place} : 0 < {self.poly(wanted[place][0])}) by bc_side.")
            say.append(f"  assert (root_{symbol} : sqrt {c} ^ 2 = {c}) by (apply pow2_sqrt; lra).")
        place = len(field.roots)
        for k, r, gap in self._relations():
            for p, strict in wanted[place : place + (2 if r.op == "==" else 1)]:
                self._constraint(place, p, strict, k, r, gap)
                place += 1
        for p, strict in wanted[place:]:  # between which rationals a root lies
            say.append(f"  assert (C{place} : 0 {_SIGN[strict]} {self.poly(p)}) by bc_root.")
            place += 1

    def _read_scalar(self, e: Expr) -> Ratio:
        """A rational function of the parameters; what it divides by is not noted."""
        before = len(self.field.divisors)
        try:
            return self.field.read(e)
        finally:
            del self.field.divisors[before:]

    def _relations(self) -> list[tuple[int, Relation, Ratio]]:
        """The domain's rational relations in the order of their constraints: those without a denominator first."""
        plain: list[tuple[int, Relation, Ratio]] = []
        waiting: list[tuple[int, Relation, Ratio]] = []
        for k, r in enumerate(self.problem.where):
            try:
                gap = self._read_scalar(r.gap)
            except NotRational:
                continue
            if r.op != "!=":
                (plain if gap.den.is_constant() else waiting).append((k, r, gap))
        return [*plain, *waiting]

    def _constraint(self, place: int, p: Any, strict: bool, k: int, r: Relation, gap: Ratio) -> None:
        """C_place: 0 <= p, from the relation's gap, times its denominator where the certificate gives that a sign."""
        op, text, way = _SIGN[strict], self.poly(p), "bc_constraint"
        proof = self.certificate.get("domain", {}).get(str(k))
        if not gap.den.is_constant():
            q, printed = self.poly(gap.den), self.sorts.scalar(r.gap)
            times = "Rmult_lt_0_compat" if strict else "Rmult_le_pos"
            if proof is not None:
                below = q if self._sign(f"B{place}", gap.den, True, proof) > 0 else f"- 1 * {q}"
                made = f"replace {text} with ({printed} * ({below})) by bc_ratio; apply {times}; lra"
            else:
                square = "apply square_apart; bc_apart" if strict else "apply pow2_ge_0"
                product = f"({printed} * {q} ^ 2)"
                made = f"bc_divided; replace {text} with {product} by bc_ratio; apply {times}; [lra | {square}]"
            way = f"first [solve [{made}] | bc_constraint]"
        self.lines.append(f"  assert (C{place} : 0 {op} {text}) by ({way}).")

    def _combination(self) -> None:
        p, field, say = self.problem, self.field, self.lines
        start = len(say)
        multipliers = [self._decoded(m) for m in self.certificate["multipliers"]]
        rest = remainder(p, multipliers)
        names = basis(p, rest)
        order = self.certificate["order"]
        lower = {(i, j): self._decoded(r) for i, j, r in self.certificate["lower"]}
        diagonal = [self._decoded(r) for r in self.certificate["diagonal"]]
        for k, (_, divisor) in enumerate(sorted({self.poly(q): q for q in field.divisors}.items())):
            self._sign(f"V{k}", divisor, True)
        terms: list[str] = []
        sums: dict[Key, list[str]] = {}  # what the terms give of each inner product and level
        for j, (m, h, form) in enumerate(zip(multipliers, p.given, p.hypotheses, strict=True)):
            if m.num.is_zero():
                continue
            gap, raw = self._hypothesis(j, h)
            parts = {key: self._ratio(form.get(key, field.number(0))) for key in raw}
            self._expanded(f"G{j}", gap, raw, parts)
            if h.op == "==":
                self._denominator(m)
                factor = self._ratio(m)
                proof = f"rewrite Y{j}, Rmult_0_r; apply Rle_refl"
            else:
                self._nonnegative(f"M{j}", m)
                factor = self._ratio(m)
                proof = f"apply Rmult_le_pos; [{self._put_back(factor)}exact M{j} | exact Y{j}]"
            self._term(f"F{j}", f"G{j}", factor, gap, parts, proof, terms, sums)
        for k, d in enumerate(diagonal):
            if d.num.is_zero():
                continue
            square, proof, parts = self._square(k, [names[o] for o in order], lower)
            say.append(f"  assert (S{k} : {square} = {self._sum(parts)}).")
            say.append(f"  {{ bc_dots. {self._turned(parts)}{self._by_field()}. }}")
            self._nonnegative(f"D{k}", d)
            factor = self._ratio(d)
            proof = f"apply Rmult_le_pos; [{self._put_back(factor)}exact D{k} | {proof}]"
            self._term(f"Q{k}", f"S{k}", factor, square, parts, proof, terms, sums)
        gap = self.sorts.scalar(self.goal.gap)
        raw = Coordinates(p.vectors).of(self.goal, given=False)
        keys = dict.fromkeys([*raw, *sums])
        parts = {key: self._ratio(p.goal.get(key, field.number(0)), own=True) for key in keys}
        self._expanded("G", gap, {key: raw.get(key, num(0)) for key in keys}, parts)
        forms = ["G", *(x.group(1) for x in map(_FORM.match, say[start:]) if x)]
        for i, (key, c) in enumerate(parts.items()):
            given = f"{c} = {' + '.join(sums.get(key, ['0']))}"
            say.append(f"  assert (K{i} : {given}).")
            say.append(f"  {{ clear {' '.join(forms)}. {self._unnamed(given)}{self._by_field()}. }}")
        total = " + ".join(terms) or "0"
        change = "".join(f", K{i}" for i in range(len(keys)))
        say.append(f"  assert (E : {gap} = {total}) by (rewrite G{change}; ring).")
        positive = "repeat first [assumption | apply Rle_refl | apply Rplus_le_le_0_compat]"
        say.append(f"  assert (T : 0 <= {gap}) by (rewrite E; {positive}).")
        say += ["  split; [solve [bc_nonzero] |]." for _ in self.conditions]
        say.append("  lra.")

    def _decoded(self, r: Any) -> Ratio:
        """A rational function of the certificate."""
        return self.field.ratio(self.field.decode(r[0]), self.field.decode(r[1]))

    def _ratio(self, r: Ratio, own: bool = False) -> str:
        """A name for a rational function, so that the identity is one of polynomials; numbers stay as they are."""
        text = self.ratio(r)
        if not own and text in self.known:
            return self.known[text]
        if not own and r.num.is_constant() and r.den.is_constant():
            return text
        self._apart(r.den)
        label = f"q{len(self.values) + 1}"
        self.values.append(label)
        self.lines.append(f"  assert (exists q, q = {text}) as [{label} E_{label}] by (eexists; reflexivity).")
        if not own:
            self.known[text] = label
        return label

    def _put_back(self, factor: str) -> str:
        return f"rewrite E_{factor}; " if factor in self.values else ""

    def _unnamed(self, text: str) -> str:
        """The tactic that puts the values for the names in a text again."""
        used = dict.fromkeys(re.findall(r"\bq\d+\b", text))
        return f"rewrite {', '.join(f'?E_{label}' for label in used)}; " if used else ""

    def _by_field(self) -> str:
        roots = " ".join(f"root_{s}" for s in self.field.roots)
        return f"first [bc_ratio | field [{roots}]; repeat split; bc_apart]" if roots else "bc_ratio"

    def _expanded(self, label: str, text: str, raw: Mapping[Key, Expr], parts: Mapping[Key, str]) -> None:
        """label: a form is the sum of its coefficients times inner products of the free vectors."""
        say, plain = self.lines, {key: f"({coq(c)})" for key, c in raw.items()}
        for e in dict.fromkeys(n.args[1] for c in raw.values() for n in c.walk() if n.op == "div"):
            if e.op == "pow":
                self._apart(self._read_scalar(e.args[0]).num)
            self._apart(self._read_scalar(e).num)
        say.append(f"  assert ({label} : {text} = {self._sum(parts)}).")
        say.append("  {")
        for i, (key, c) in enumerate(parts.items()):
            given = f"{plain[key]} = {c}"
            say.append(f"    assert (A{i} : {given}) by ({self._unnamed(given)}{self._by_field()}).")
        say.append(f"    transitivity ({self._sum(plain)}); [| bc_sums].")
        say.append(f"    bc_dots. {self._turned(parts)}first [unfold Rdiv; ring | {self._by_field()}].")
        say.append("  }")

    def _turned(self, parts: Mapping[Key, str]) -> str:
        """The tactic that puts the vectors of every inner product in order."""
        used = sorted({v for key in parts if key[0] == "q" for v in key[1:] if v in self.sorts.vectors})
        pairs = [f"?(dot_sym _ {name(b)} {name(a)})" for a in used for b in used if a < b]
        return f"rewrite {', '.join(pairs)}. " if pairs else ""

    def _sum(self, parts: Mapping[Key, str]) -> str:
        return " + ".join(f"{c} * {self._atom(key)}" for key, c in parts.items()) or "0"

    def _atom(self, key: Key) -> str:
        if key[0] == "l":
            return self.sorts.levels[key[1]]
        if self.sorts.vectors.issuperset(key[1:]):
            return f"(dot {name(key[1])} {name(key[2])})"
        return "(" + (" * ".join(name(v) for v in key[1:] if v != UNIT) or "1") + ")"

    def _term(
        self, label: str, form: str, factor: str, text: str, parts: Mapping[Key, str], proof: str,
        terms: list[str], sums: dict[Key, list[str]],
    ) -> None:  # fmt: skip
        """label: a multiple of a form, in coordinates, is not negative."""
        self.lines.append(f"  assert ({label} : 0 <= {factor} * ({text})) by ({proof}).")
        self.lines.append(f"  rewrite {form} in {label}.")
        terms.append(f"{factor} * ({self._sum(parts)})")
        for key, c in parts.items():
            sums.setdefault(key, []).append(f"{factor} * ({c})")

    def _hypothesis(self, j: int, h: Relation) -> tuple[str, Mapping[Key, Expr]]:
        """Y_j: the gap of hypothesis j, squared where it bounds a norm; its text and its coefficients."""
        small, large = (h.rhs, h.lhs) if h.op in (">=", ">") else h.sides
        if h.op != "==" and small.op == "norm":
            inner = self.sorts.vector(small.args[0])
            gap, how = f"({self.sorts.scalar(large)}) ^ 2 - dot {inner} {inner}", "(apply gap_of_norm; lra)"
        else:
            gap, how = f"({self.sorts.scalar(large)}) - ({self.sorts.scalar(small)})", "lra"
        self.lines.append(f"  assert (Y{j} : {f'{gap} = 0' if h.op == '==' else f'0 <= {gap}'}) by {how}.")
        return gap, Coordinates(self.problem.vectors).of(h)

    def _square(
        self, k: int, names: list[str], lower: Mapping[tuple[int, int], Ratio]
    ) -> tuple[str, str, dict[Key, str]]:
        """The square of column k of the factors, why it is not negative, and its coefficients."""
        vectors: list[tuple[str, str]] = []
        scalars: list[tuple[str, str]] = []
        for i, v in enumerate(names):
            r = self.field.number(1) if i == k else lower.get((i, k))
            if r is None or r.num.is_zero():
                continue
            if i != k:
                self._denominator(r)
            (vectors if v in self.sorts.vectors else scalars).append((v, self._ratio(r)))
        parts: dict[Key, str] = {}
        for group in (vectors, scalars):
            for i, (v, c) in enumerate(group):
                for w, d in group[i:]:
                    parts[("q", *sorted((v, w)))] = f"{c} * {d}" if v == w else f"2 * {c} * {d}"
        vector = scalar = ""
        for v, c in vectors:
            part = f"(vscal {c} {name(v)})"
            vector = f"(vadd {vector} {part})" if vector else part
        for v, c in scalars:
            part = c if v == UNIT else f"({c} * {name(v)})"
            scalar = f"({scalar} + {part})" if scalar else part
        if not vector:
            return f"({scalar}) ^ 2", "apply pow2_ge_0", parts
        if not scalar:
            return f"dot {vector} {vector}", "apply dot_pos", parts
        return f"dot {vector} {vector} + {scalar} ^ 2", "apply square_pos", parts

    # ------------------------------------------------------------ signs

    def _denominator(self, r: Ratio) -> None:
        if not r.den.is_constant():
            self.counter += 1
            self._sign(f"N{self.counter}", r.den, True)

    def _nonnegative(self, label: str, r: Ratio) -> None:
        """label: 0 <= r, from the signs of numerator and denominator."""
        above = self._sign(f"{label}n", r.num, False)
        below = self._sign(f"{label}d", r.den, True)
        text = self.ratio(r)
        if above < 0 and below < 0:
            turned = f"(- 1 * {self.poly(r.num)}) / (- 1 * {self.poly(r.den)})"
            self.lines.append(f"  assert ({label}t : {text} = {turned}) by (field; lra).")
            self.lines.append(f"  assert ({label} : 0 <= {text}) by (rewrite {label}t; bc_sgn).")
        else:
            self.lines.append(f"  assert ({label} : 0 <= {text}) by (bc_sgn).")

    def _sign(self, label: str, p: Any, strict: bool, proof: Any = None) -> int:
        """label: 0 <= s p (< where strict) for the sign s that the certificate proves; s."""
        say, field = self.lines, self.field
        if p.is_zero():
            return 1
        if p.is_constant():
            return 1 if p.leading_coefficient() > 0 else -1
        if (self.poly(p), strict) in self.signed:
            other, total = self.signed[self.poly(p), strict]
            say.append(f"  pose proof {other} as {label}.")
            return total
        if proof is None:
            proof = self.certificate["signs"][key_of(field, p) + ("+" if strict else "")]
        total = self.signs.sign(p, proof, strict=strict)
        product = number(abs(Fraction(proof.get("constant", 0))))
        op = "<" if strict else "<="
        for i, factor in enumerate(proof["factors"]):
            q, power = field.decode(factor["polynomial"]), int(factor["power"])
            if not (strict or power % 2):
                product += f" * ({self.poly(q)} ^ 2) ^ {power // 2}"
                continue
            signed = self.poly(q * factor["sign"])
            product += f" * {signed} ^ {power}"
            times = factor.get("times")
            if times is not None:
                scale = self.poly(field.decode(times["polynomial"]))
                positive = self._terms(f"{label}_{i}t", times["terms"], True)
                say.append(f"  assert ({label}_{i}t : {scale} = {' + '.join(positive) or '0'}) by bc_polynomial.")
                say.append(f"  assert ({label}_{i}ts : 0 < {scale}) by lra.")
            terms = self._terms(f"{label}_{i}", factor["terms"], strict)
            whole = signed if times is None else f"{scale} * {signed}"
            say.append(f"  assert ({label}_{i} : {whole} = {' + '.join(terms) or '0'}) by bc_polynomial.")
            if strict:
                self.positive.add(signed)
            if times is None:
                say.append(f"  assert ({label}_{i}s : 0 {op} {signed}) by lra.")
            else:
                lemma = "scaled_lt" if strict else "scaled_le"
                by = f"apply ({lemma} {scale}); [exact {label}_{i}ts | lra]"
                say.append(f"  assert ({label}_{i}s : 0 {op} {signed}) by ({by}).")
        own = self.poly(p) if total > 0 else f"- 1 * {self.poly(p)}"
        tactic = "bc_product_strict" if strict else "bc_product"
        say.append(f"  assert ({label}p : {own} = {product}) by bc_polynomial.")
        say.append(f"  assert ({label} : 0 {op} {own}) by (rewrite {label}p; {tactic}).")
        self.signed[self.poly(p), strict] = label, total
        return total

    def _apart(self, p: Any) -> None:
        """A fact that gives a denominator's sign, where it is a product of polynomials whose signs are known."""
        text = self.poly(p)
        if p.is_constant() or (text, True) in self.signed:
            return
        lead, factors = p.factor()
        sign, product = (1 if lead > 0 else -1), number(abs(fraction(lead)))
        for q, power in factors:
            found = next((s for s in (1, -1) if self.poly(q * s) in self.positive), 0)
            if not found:
                return
            sign *= found ** int(power)
            product += f" * {self.poly(q * found)} ^ {int(power)}"
        self.counter += 1
        label = f"P{self.counter}"
        own = text if sign > 0 else f"- 1 * {text}"
        self.lines.append(f"  assert ({label}p : {own} = {product}) by bc_polynomial.")
        self.lines.append(f"  assert ({label} : 0 < {own}) by (rewrite {label}p; bc_product_strict).")
        self.signed[text, True] = label, sign

    def _terms(self, label: str, terms: Any, strict: bool) -> list[str]:
        """The texts of products of constraints and a square, after an assertion for each that it is not negative."""
        texts = []
        for k, (c, powers, *squared) in enumerate(terms):
            term = number(Fraction(c))
            for index, n in powers:
                term += f" * {self.poly(self.signs.constraints[index][0])} ^ {int(n)}"
            for q in map(self.field.decode, squared):
                term += f" * {self.poly(q)} ^ 2"
            texts.append(term)
            positive = strict and not squared and all(self.signs.constraints[index][1] for index, _ in powers)
            op, tactic = ("<", "bc_product_strict") if positive and Fraction(c) > 0 else ("<=", "bc_product")
            self.lines.append(f"  assert ({label}_{k} : 0 {op} {term}) by {tactic}.")
        return texts
