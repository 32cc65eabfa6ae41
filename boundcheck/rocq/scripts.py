"""Lines of proofs of equations, and the gamma function of fractions by its recurrence."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, field

from boundcheck.kernel.check.poly import primes
from boundcheck.kernel.formula import Expr
from boundcheck.rocq.coq_text import number

MOST_STEPS = 40  #: from a value of the gamma function to one between 0 and 1


@dataclass
class Script:
    """Lines of a proof; fresh names come from one counter."""

    lines: list[str] = field(default_factory=list)
    counter: int = 0

    def fresh(self, stem: str) -> str:
        """A new name."""
        self.counter += 1
        return f"{stem}{self.counter}"

    def say(self, line: str) -> None:
        """One more line."""
        self.lines.append(line)

    def rewrite(self, stem: str, stated: str, proof: str) -> str:
        """Try to prove an equation and to rewrite by it; its name."""
        h = self.fresh(stem)
        self.lines += [f"try (assert ({h} : {stated}) by {proof}).", f"try rewrite {h}."]
        return h


def branches(script: Iterable[str]) -> bool:
    """Whether a script has proofs of parts."""
    return any("{" in line for line in script)


def chained(script: Sequence[str]) -> str:
    """A script without branches as one tactic, ``fail`` for any other."""
    return "fail" if branches(script) else "; ".join(line.rstrip(".") for line in script)


def recurrence(e: Expr, script: Script) -> None:
    """gamma(q) for a fraction q > 1 as a product with the gamma function of one between 0 and 1."""
    q = e.args[0].value if e.args[0].op == "num" else None
    if q is not None and q.denominator == 1:
        script.say("try (progress bc_factorials).")
    while q is not None and q.denominator > 1 and 1 < q < MOST_STEPS:
        proof = f"(rewrite (Gam_down {number(q)}) by lra; f_equal; [lra | f_equal; lra])"
        script.rewrite("EG", f"Gam {number(q)} = {number(q - 1)} * Gam {number(q - 1)}", proof)
        q -= 1


def by_logarithms(numbers: list[str], tactic: str) -> str:
    """The tactic, with the logarithms of composite numbers taken apart before ``field``."""
    if not numbers:
        return tactic
    start = "apply same_ln; [bc_sgn | bc_sgn | ]; " if tactic == "bc_by_ln" else ""
    return f"{start}bc_ln; rewrite ?{', ?'.join(numbers)}; bc_field"


def composites(terms: Iterable[Expr], script: Script) -> list[str]:
    """Equations ln 8 = 3 ln 2 for every composite number in the terms; their names."""
    found: dict[int, None] = {}
    for t in terms:
        for n in t.walk():
            if n.op == "num":
                for k in (abs(n.value.numerator), n.value.denominator):
                    if k > 1 and k.bit_length() < 120:
                        found.setdefault(k)
    names = []
    for k in found:
        parts = primes(k)
        if len(parts) > 1 or parts[0][1] > 1:
            h = script.fresh("N")
            logs = " + ".join(f"{e} * ln {p}" for p, e in parts)
            product = " * ".join(f"{p} ^ {e}" for p, e in parts)
            proof = f"replace {k} with ({product}) by ring; bc_ln; simpl INR; ring"
            script.say(f"try (assert ({h} : ln {k} = {logs}) by ({proof})).")
            names.append(h)
    return names
