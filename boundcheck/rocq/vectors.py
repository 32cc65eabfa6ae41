"""Relations between forms in vectors, as Coq text: which names are vectors, which are lengths or parameters."""

from __future__ import annotations

from boundcheck.kernel.formula import Expr, Relation, has_opaque, is_opaque, num, text
from boundcheck.kernel.statement import GramClaim
from boundcheck.rocq.coq_text import _BINARY, _RELATIONS, NotStated, coq, defined, name, number, relation


class Sorts:
    """Vectors are the declared names that stand under norm or dot, or in an equation with one; the rest are reals.

    Other heads of the proof vocabulary (values of functions) are levels: reals with names of their own.
    """

    def __init__(self, claim: GramClaim):
        relations = (claim.goal, *claim.hypotheses, *claim.where)
        self.vectors: set[str] = set()
        self.levels: dict[str, str] = {}  #: text of a value of a function -> its name
        self.values: list[Expr] = []  #: these values, in the same order
        for n in (n for r in relations for n in r.walk() if n.op in ("norm", "dot")):
            self.vectors |= n.free & set(claim.vectors)
        for _ in claim.hypotheses:
            for h in claim.hypotheses:
                names = h.free & set(claim.vectors)
                plain = not any(map(has_opaque, h.sides))
                if h.op == "==" and plain and names & self.vectors:
                    self.vectors |= names
        self.scalars: set[str] = set()
        for side in (side for r in relations for side in r.sides):
            self._collect(side)

    def _collect(self, e: Expr) -> None:
        if is_opaque(e) and e.op not in ("norm", "dot"):
            if text(e) not in self.levels:
                self.values.append(e)
                self.levels[text(e)] = f"l_{len(self.values)}"
        elif e.op == "var":
            if e.value not in self.vectors:
                self.scalars.add(e.value)
        else:
            for a in e.args:
                self._collect(a)

    def vectorial(self, e: Expr) -> bool:
        """Whether a term is a vector."""
        if is_opaque(e):
            return False
        if e.op == "var":
            return e.value in self.vectors
        return any(map(self.vectorial, e.args))

    def vector(self, e: Expr) -> str:
        """The text of a vector. Raises :class:`NotStated`."""
        match e.op:
            case "var" if e.value in self.vectors:
                return name(e.value)
            case "num" if e.value == 0:
                return "(vzero : S)"
            case "neg":
                return f"(vneg {self.vector(e.args[0])})"
            case "add" | "sub":
                head = "vadd" if e.op == "add" else "vsub"
                return f"({head} {self.vector(e.args[0])} {self.vector(e.args[1])})"
            case "mul":
                a, b = e.args
                if self.vectorial(a) and not self.vectorial(b):
                    a, b = b, a
                return f"(vscal {self.scalar(a)} {self.vector(b)})"
            case "div":
                return f"(vscal (/ {self.scalar(e.args[1])}) {self.vector(e.args[0])})"
        raise NotStated(f"the vector {e}")

    def scalar(self, e: Expr) -> str:
        """The text of a real term. Raises :class:`NotStated`."""
        match e.op:
            case "norm":
                return f"(norm {self.vector(e.args[0])})"
            case "dot":
                return f"(dot {self.vector(e.args[0])} {self.vector(e.args[1])})"
            case "num":
                return number(e.value)
            case "neg":
                return f"(- {self.scalar(e.args[0])})"
            case "add" | "sub" | "mul" | "div":
                return f"({self.scalar(e.args[0])} {_BINARY[e.op]} {self.scalar(e.args[1])})"
            case "pow" if e.args[1].op == "num" and e.args[1].value.denominator == 1 and e.args[1].value >= 0:
                if self.vectorial(e.args[0]):
                    if e.args[1].value != 2:
                        raise NotStated(f"the power {e} of a vector")
                    v = self.vector(e.args[0])
                    return f"(dot {v} {v})"
                return f"({self.scalar(e.args[0])} ^ {int(e.args[1].value)})"
            case _ if is_opaque(e):
                return self.levels[text(e)]
        if self.vectorial(e):
            raise NotStated(f"the vector {e} for a number")
        return f"({coq(e)})" if e.args else coq(e)


def conditions_text(r: Relation, sorts: Sorts) -> list[str]:
    """What makes the sides of a relation defined: no divisor is 0, and so on; values of functions are numbers."""

    def plain(e: Expr) -> Expr:
        if is_opaque(e) and e.op not in ("norm", "dot"):
            return num(0)
        return Expr(e.op, tuple(map(plain, e.args)), e.value) if e.args else e

    wanted = defined((r.map(plain),))
    return [scalar_text(c, sorts) if c.op in _RELATIONS else relation(c) for c in wanted]


def scalar_text(r: Relation, sorts: Sorts) -> str:
    """A relation between reals."""
    return f"{sorts.scalar(r.lhs)} {_RELATIONS[r.op]} {sorts.scalar(r.rhs)}"


def equation_text(r: Relation, sorts: Sorts) -> str:
    """A hypothesis: between reals, or an equation of vectors."""
    if sorts.vectorial(r.lhs) or sorts.vectorial(r.rhs):
        if r.op != "==":
            raise NotStated(f"an inequality between vectors: {r}")
        return f"{sorts.vector(r.lhs)} = {sorts.vector(r.rhs)}"
    return scalar_text(r, sorts)
