"""The pieces of a whole statement's file, and a step's context that keeps what the step demands."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass, field
from typing import Any

from boundcheck.kernel.formula import Relation
from boundcheck.kernel.proof.sorts import Names
from boundcheck.kernel.proof.step import Context
from boundcheck.rocq.coq_text import comment


class Recorder(Context):
    """A step's context that keeps every demand, with what it may use."""

    def __init__(self, *given: Any) -> None:
        super().__init__(*given)
        self.asked: list[tuple[list[Relation], list[Relation], Relation, Names]] = []

    def require(
        self,
        role: str,
        goal: Relation,
        facts: Iterable[Relation] = (),
        extra: Iterable[Relation] = (),
        scope: Names | None = None,
    ) -> None:
        """As in the kernel, and kept."""
        facts, extra = list(facts), list(extra)
        ask = (list(self.domain), [*self.goal.where, *extra, *facts], goal, self.scope if scope is None else scope)
        if ask not in self.asked:
            self.asked.append(ask)
        super().require(role, goal, facts, extra, scope)


@dataclass(frozen=True)
class Piece:
    """A hypothesis, lemma or theorem of the file."""

    name: str
    kind: str  #: Hypothesis, Lemma, Theorem, Let, Variable; Attempt: a lemma where its proof goes, else nothing
    statement: str
    proof: tuple[str, ...] = ()
    about: str = ""

    def text(self) -> str:
        """The lines of the piece."""
        head = f"(* {comment(self.about)} *)\n" if self.about else ""
        if self.kind == "Attempt":
            script = "; ".join(p.removesuffix(".") for p in self.proof)
            proof = f"timeout 60 (exact (ltac:({script}) : {self.statement}))"
            return f"Definition {self.name} := ltac:(first [ {proof} | exact I ])."
        line = f"{head}{self.kind} {self.name} : {self.statement}."
        if self.kind not in ("Lemma", "Theorem"):
            return line
        body = "\n".join(f"  {p}" for p in self.proof)
        return f"{line}\nProof.\n{body}\nQed."


@dataclass
class Whole:
    """A statement's file: its pieces in order, the rules and statements that it takes as hypotheses."""

    label: str
    scalars: list[Piece] = field(default_factory=list)  #: what steps come down to over the reals
    pieces: list[Piece] = field(default_factory=list)
    heads: dict[str, str] = field(default_factory=dict)
    rules: list[str] = field(default_factory=list)  #: assumed
    cited: list[str] = field(default_factory=list)
    claims: list[str] = field(default_factory=list)

    def file(self, module: str) -> str:
        """The text of the file, which requires the one of the obligations, ``module``."""
        lines = [
            f"(* {comment(self.label)} as a theorem: heads are variables, rules and citations hypotheses *)",
            "From Coq Require Import Reals Lra Psatz ZArith.",
            "From Coquelicot Require Import Coquelicot.",
            f"Require Import Boundcheck Rules Whole {module}.",
            "Open Scope R_scope.",
            *(p.text() for p in self.scalars),
            "Section Statement.",
            "Context {V : Space}.",
            "Hypothesis apart : separated V.",
            "Variables Om Info Ob Law : Type.",
            *(f"Variable {n} : {t}." for n, t in sorted(self.heads.items())),
            *(p.text() for p in self.pieces),
            "End Statement.",
        ]
        return "\n".join(lines) + "\n"
