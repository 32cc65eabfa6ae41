"""Which terms are known to be >= 0 where a line holds: by their form, by facts in sight, by the domain."""

from __future__ import annotations

from collections.abc import Sequence
from fractions import Fraction

from boundcheck.author.adapter import Checker
from boundcheck.author.draft import Seen, opaque
from boundcheck.author.ring import UNIT, Monomial
from boundcheck.kernel.formula import Expr, Relation, num
from boundcheck.kernel.proof.scalar_claims import Obligation
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

NONNEGATIVE = frozenset({"norm", "P", "Pgiven", "ind", "abs", "sqrt", "exp"})
SECONDS = 0.25


class Signs:
    """Signs of atoms under ``where`` (the domain and the line's own conditions)."""

    def __init__(self, checker: Checker, where: Sequence[Relation], integers: frozenset[str], facts: Sequence[Seen]):
        self.checker, self.where, self.integers = checker, tuple(where), integers
        self.facts = {}
        for seen in facts:
            r = seen.normal
            for side, other, ops in ((r.lhs, r.rhs, (">", ">=")), (r.rhs, r.lhs, ("<", "<="))):
                if r.op in ops and other.op == "num" and other.value >= 0 and not seen.fact.over:
                    self.facts[side] = seen
        self.known: dict[Expr, bool] = {}
        self.used: dict[Expr, Seen] = {}

    def __call__(self, m: Monomial) -> int:
        """1 where the monomial is known to be >= 0, -1 where it is known to be <= 0, 0 else."""
        sign = 1
        for x, e in m:
            power = Fraction(str(e[0][1])) if len(e) == 1 and e[0][0] is UNIT else None
            if (power is not None and power.numerator % 2 == 0) or self.atom(x):
                continue
            if power is None or power.denominator > 1 or not self._below(x):
                return 0
            sign = -sign
        return sign

    def _below(self, x: Expr) -> bool:
        """Whether a sum is known to be <= 0: 1 - p where p > 1."""
        return x.op in ("add", "sub") and not opaque(x) and self.atom(num(-1) * x)

    def atom(self, x: Expr) -> bool:
        """Whether one atom is known to be >= 0."""
        if x in self.known:
            return self.known[x]
        if x.op == "num":
            found = bool(x.value >= 0)
        elif x.op == "const" or x.op in NONNEGATIVE:
            found = True
        elif x in self.facts:
            self.used[x] = self.facts[x]
            found = True
        elif opaque(x):
            found = x.op in ("E", "Egiven") and self._square(x.args[0])
        else:
            found = self._decided(x)
        self.known[x] = found
        return found

    def _square(self, x: Expr) -> bool:
        return x.op in NONNEGATIVE or (x.op == "pow" and x.args[1].op == "num" and x.args[1].value % 2 == 0)

    def _decided(self, x: Expr) -> bool:
        where = tuple(r for r in self.where if not (opaque(r.lhs) | opaque(r.rhs)))
        names = x.free
        for _ in range(3):
            names = names.union(*(r.free for r in where if r.free & names))
        kept = tuple(r for r in where if r.free <= names)
        claim = Claim("sign", (Relation(">=", x, num(0)),), kept, self.integers & names)
        return self.checker.decide(Obligation("sign", claim, False), SECONDS).status is Status.PROVED
