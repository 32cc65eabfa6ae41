"""Gram certificates as Coq theorems about every inner product space: multipliers and factors are written out.

goal gap = sum of multiplier * hypothesis gap + sum of pivot * square of a combination of the vectors. Equality is an
identity of rational functions in the Gram entries; the signs of multipliers and pivots follow as the certificate says.
"""

from __future__ import annotations

from collections.abc import Mapping
from fractions import Fraction
from typing import Any

from boundcheck.kernel.check.gram_certificate import Signs, decode_claim, key_of
from boundcheck.kernel.check.quadratic import UNIT, FormProblem, basis, problem, remainder
from boundcheck.kernel.check.ratios import Ratio
from boundcheck.kernel.formula import Expr, Relation, call, num, substitute, var
from boundcheck.kernel.statement import GramClaim
from boundcheck.rocq.coq_text import NotStated, coq, name, number
from boundcheck.rocq.powers import fraction
from boundcheck.rocq.vectors import Sorts, equation_text, scalar_text

_SIGN = {True: "<", False: "<="}


def gram_theorem(label: str, certificate: Mapping[str, Any]) -> str:
    """The theorem ``label`` with its proof. Raises :class:`NotStated` where the certificate has another form."""
    claim = decode_claim(certificate.get("claim"))
    sorts = Sorts(claim)
    return "\n".join(_Gram(label, claim, certificate, sorts).theorem())


def _gives(h: Relation, vectors: list[str]) -> bool:
    """Whether an equation gives a vector by others."""
    return h.lhs.op == "var" and h.lhs.value in vectors and h.lhs.value not in h.rhs.free


def _put(r: Relation, values: Mapping[str, Expr]) -> Relation:
    return r.map(lambda e: substitute(e, values))


class _Gram:
    def __init__(self, label: str, claim: GramClaim, certificate: Mapping[str, Any], sorts: Sorts):
        self.label, self.claim, self.certificate, self.sorts = label, claim, certificate, sorts
        self.problem: FormProblem = problem(claim)
        self.field = self.problem.field
        self.signs = Signs(self.problem, lambda _, k, __: certificate["domain"].get(str(k)))
        self.lines: list[str] = []
        self.goal = claim.goal
        self.counter = 0

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
        vectors = [v for v in claim.vectors if sorts.is_vector(v)]
        scalars = sorted(sorts.scalars)
        binder = f"forall (S : Space) ({' '.join([*map(name, vectors), 'v_unused'])} : S)"
        reals = [*map(name, scalars), *sorts.levels.values()]
        if reals:
            binder += f" ({' '.join(reals)} : R)"
        where = [scalar_text(r, sorts) for r in claim.where]
        given = [equation_text(h, sorts) for h in claim.hypotheses]
        arrows = "".join(f"({t}) -> " for t in (*where, *given))
        say = self.lines
        say.append(f"Theorem {self.label} : {binder}, {arrows}{scalar_text(claim.goal, sorts)}.")
        say.append("Proof.")
        labels = [f"W{i}" for i in range(len(where))] + [f"H{i}" for i in range(len(given))]
        say.append(f"  intros S {' '.join([*map(name, vectors), 'v_unused', *reals, *labels])}.")
        self._solve()
        self._constraints()
        self._combination()
        say.append("Qed.")
        return ["(* gram *)", *say]

    def _solve(self) -> None:
        """Equations that give a vector are put in, in the order in which the checker puts them."""
        if len(self.problem.where) != len(self.claim.where):
            raise NotStated("a parameter that an equation of the domain gives")
        hypotheses, vectors = list(self.claim.hypotheses), list(self.claim.vectors)
        while True:
            found = next((h for h in hypotheses if h.op == "==" and _gives(h, vectors)), None)
            if found is None:
                return
            values = {found.lhs.value: found.rhs}
            hypotheses = [_put(h, values) for h in hypotheses if h is not found]
            self.goal = _put(self.goal, values)
            vectors.remove(found.lhs.value)
            self.lines.append(f"  subst {name(found.lhs.value)}.")

    def _constraints(self) -> None:
        """C0, C1, ...: the polynomials that the domain makes nonnegative, as the certificate numbers them."""
        field, say = self.field, self.lines
        wanted = list(self.signs.constraints)
        texts = [self.poly(p) for p, _ in wanted]
        for place, (symbol, radicand) in enumerate(field.roots.items()):
            c = number(radicand)
            say.append(f"  assert (C{place} : 0 < {texts[place]}) by bc_side.")
            say.append(f"  assert (root_{symbol} : sqrt {c} ^ 2 = {c}) by (apply pow2_sqrt; lra).")
        for place, (text, (_, strict)) in enumerate(zip(texts, wanted, strict=True)):
            if place >= len(field.roots):
                say.append(f"  assert (C{place} : 0 {_SIGN[strict]} {text}) by bc_constraint.")

    def _combination(self) -> None:
        p, field, say = self.problem, self.field, self.lines
        if "empty" in self.certificate or "split" in self.certificate:
            raise NotStated("a domain that is empty, or split")
        multipliers = [field.ratio(field.decode(m[0]), field.decode(m[1])) for m in self.certificate["multipliers"]]
        if "minors" in self.certificate:
            raise NotStated("a form that is nonnegative by its minors")
        rest = remainder(p, multipliers)
        names = basis(p, rest)
        order = self.certificate["order"]
        lower = {(i, j): field.ratio(field.decode(r[0]), field.decode(r[1])) for i, j, r in self.certificate["lower"]}
        diagonal = [field.ratio(field.decode(r[0]), field.decode(r[1])) for r in self.certificate["diagonal"]]
        for k, (_, divisor) in enumerate(sorted({self.poly(q): q for q in field.divisors}.items())):
            self._sign(f"V{k}", divisor, True)
        terms, facts = [], []
        for j, (m, h) in enumerate(zip(multipliers, p.given, strict=True)):
            gap = self._hypothesis(j, h)
            if h.op == "==":
                self._denominator(m)
                say.append(f"  assert (F{j} : {self.ratio(m)} * ({gap}) = 0) by (rewrite Y{j}; ring).")
            else:
                self._nonnegative(f"M{j}", m)
                say.append(f"  assert (F{j} : 0 <= {self.ratio(m)} * ({gap})) by (apply Rmult_le_pos; assumption).")
            terms.append(f"{self.ratio(m)} * ({gap})")
            facts.append(f"F{j}")
        for k, d in enumerate(diagonal):
            if d.num.is_zero():
                continue
            square, proof = self._square(k, [names[o] for o in order], lower)
            self._nonnegative(f"D{k}", d)
            say.append(f"  assert (Q{k} : 0 <= {square}) by ({proof}).")
            say.append(f"  assert (F_{k} : 0 <= {self.ratio(d)} * ({square})) by (apply Rmult_le_pos; assumption).")
            terms.append(f"{self.ratio(d)} * ({square})")
        total = " + ".join(terms) or "0"
        gap = self.sorts.scalar(self.goal.gap)
        say.append(f"  assert (E : {gap} = {total}).")
        say.append("  { bc_dots.")
        vectors = sorted(v for v in self.claim.vectors if self.sorts.is_vector(v))
        for a in vectors:
            for b in vectors:
                if a < b:
                    say.append(f"    rewrite ?(dot_sym _ {name(b)} {name(a)}).")
        roots = " ".join(f"root_{s}" for s in field.roots)
        last = f"first [bc_field | field [{roots}]; repeat split; bc_sgn]" if roots else "bc_field"
        say.append(f"    {last}. }}")
        say.append("  lra.")

    def _hypothesis(self, j: int, h: Relation) -> str:
        """Y_j: the gap of hypothesis j, squared where it bounds a norm; its text."""
        say = self.lines
        small, large = (h.rhs, h.lhs) if h.op in (">=", ">") else (h.lhs, h.rhs)
        if h.op != "==" and small.op == "norm":
            inner = self.sorts.vector(small.args[0])
            bound = self.sorts.scalar(large)
            gap = f"({bound}) ^ 2 - dot {inner} {inner}"
            say.append(f"  assert (Y{j} : 0 <= {gap}) by (apply gap_of_norm; lra).")
            return gap
        gap = f"({self.sorts.scalar(large)}) - ({self.sorts.scalar(small)})"
        op = "=" if h.op == "==" else "<="
        say.append(f"  assert (Y{j} : {gap} = 0) by lra." if op == "=" else f"  assert (Y{j} : 0 <= {gap}) by lra.")
        return gap

    def _square(self, k: int, names: list[str], lower: Mapping[tuple[int, int], Ratio]) -> tuple[str, str]:
        vector, scalar = None, None
        for i, v in enumerate(names):
            r = self.field.number(1) if i == k else lower.get((i, k))
            if r is None or r.num.is_zero():
                continue
            if i != k:
                self._denominator(r)
            if self.sorts.is_vector(v):
                part = f"(vscal {self.ratio(r)} {name(v)})"
                vector = part if vector is None else f"(vadd {vector} {part})"
            else:
                part = self.ratio(r) if v == UNIT else f"({self.ratio(r)} * {name(v)})"
                scalar = part if scalar is None else f"({scalar} + {part})"
        if vector is None:
            return f"({scalar}) ^ 2", "apply pow2_ge_0"
        if scalar is None:
            return f"dot {vector} {vector}", "apply dot_pos"
        return f"dot {vector} {vector} + {scalar} ^ 2", "apply square_pos"

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

    def _sign(self, label: str, p: Any, strict: bool) -> int:
        """label: 0 <= s p (< where strict) for the sign s that the certificate proves; s."""
        say, field = self.lines, self.field
        if p.is_zero():
            return 1
        if p.is_constant():
            return 1 if p.leading_coefficient() > 0 else -1
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
            terms = []
            for k, (c, powers, *squared) in enumerate(factor["terms"]):
                if squared or any(index >= len(self.signs.constraints) - 2 * len(field.roots) for index, _ in powers):
                    raise NotStated("a sign by squares, or by where a root lies")
                term = number(Fraction(c))
                for index, n in powers:
                    term += f" * {self.poly(self.signs.constraints[index][0])} ^ {n}"
                terms.append(term)
                weak = f"assert ({label}_{i}_{k} : 0 <= {term}) by bc_product"
                best = f"assert ({label}_{i}_{k} : 0 < {term}) by bc_product_strict"
                say.append(f"  first [{best} | {weak}]." if strict else f"  {weak}.")
            say.append(f"  assert ({label}_{i} : {signed} = {' + '.join(terms) or '0'}) by bc_polynomial.")
            say.append(f"  assert ({label}_{i}s : 0 {op} {signed}) by lra.")
        own = self.poly(p) if total > 0 else f"- 1 * {self.poly(p)}"
        tactic = "bc_product_strict" if strict else "bc_product"
        say.append(f"  assert ({label}p : {own} = {product}) by bc_polynomial.")
        say.append(f"  assert ({label} : 0 {op} {own}) by (rewrite {label}p; {tactic}).")
        return total
