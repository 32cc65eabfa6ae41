"""What a sequent is in Coq: its premises in order, the text of a lemma, and how a lemma is used."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass

from boundcheck.kernel.check.sequent import Sequent
from boundcheck.kernel.formula import Expr
from boundcheck.rocq.coq_text import DEFINED, coq, defined, name, relation


def premises(seq: Sequent, variables: Sequence[str]) -> list[tuple[str, str]]:
    """(name, text) of every premise: integers, what makes hypotheses and goal defined, hypotheses."""
    found = [(f"I{i}", f"isint {name(v)}") for i, v in enumerate(sorted(seq.integers & set(variables)))]
    about = seq.hyps if seq.goal.op == DEFINED else (*seq.hyps, seq.goal)
    conditions = [c for c in defined(about) if c not in seq.hyps]
    found += [(f"D_{i}", relation(c)) for i, c in enumerate(conditions)]
    return found + [(f"H{i}", relation(h)) for i, h in enumerate(seq.hyps)]


def forall(variables: Iterable[str]) -> str:
    """The binder of real variables."""
    names = " ".join(map(name, variables))
    return f"forall {names} : R, " if names else ""


def opened(head: str, variables: Sequence[str], before: Sequence[tuple[str, str]], conclusion: str) -> list[str]:
    """The first lines of a lemma from premises (name, text), and of its proof."""
    arrows = "".join(f"({text}) -> " for _, text in before)
    names = "".join(f" {x}" for x in (*map(name, variables), *(label for label, _ in before)))
    return [f"{head} : {forall(variables)}{arrows}{conclusion}.", "Proof.", f"  intros{names}."]


@dataclass(frozen=True)
class Lemma:
    """A sequent with the script of its proof; ``rule`` is the certificate's."""

    name: str
    sequent: Sequent
    script: tuple[str, ...]
    rule: str

    def text(self) -> str:
        """The lemma and its proof."""
        seq = self.sequent
        lines = opened(f"Lemma {self.name}", seq.variables, premises(seq, seq.variables), relation(seq.goal))
        script = (f"  {line}" for line in (*_hyperbolic(seq), *self.script))
        return "\n".join([f"(* {self.rule} *)", *lines, *script, "Qed."])

    def use(self, values: Mapping[str, Expr | str] | None = None, premise: str = "bc_given") -> str:
        """The tactic that applies the lemma, with ``values`` for some of its variables, and proves its premises."""
        given = values or {}
        terms = []
        for v in self.sequent.variables:
            value = given.get(v)
            terms.append(name(v) if value is None else value if isinstance(value, str) else f"({coq(value)})")
        return f"(apply ({' '.join([self.name, *terms])}); {premise})"


Children = Sequence[Lemma]  #: of a node, in its order


def uses(lemmas: Iterable[Lemma]) -> str:
    """Further ways of a ``first``: each of the lemmas."""
    return "".join(f" | {lemma.use()}" for lemma in lemmas)


def first(*ways: str) -> str:
    """The tactic that tries some ways in turn; those that are empty are none."""
    return f"first [{' | '.join(filter(None, ways))}]"


def _hyperbolic(seq: Sequent) -> list[str]:
    """What is known of the hyperbolic functions of a sequent: cosh is 1 or more, sinh has its argument's sign."""
    found = dict.fromkeys(n for r in (*seq.hyps, seq.goal) for n in r.walk() if n.op in ("sinh", "cosh") and n.free)
    return [f"try (bc_{n.op} ({coq(n.args[0])}))." for n in found]
