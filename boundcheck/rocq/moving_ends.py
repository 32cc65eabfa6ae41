"""Integrals up to a variable as functions with a derivative: what a ladder in that variable needs of them."""

from __future__ import annotations

from dataclasses import dataclass

from boundcheck.kernel.check.sequent import outside_binders
from boundcheck.kernel.formula import Expr, endless, substitute, var
from boundcheck.rocq.coq_text import coq, end, function, name


@dataclass(frozen=True)
class MovingEnds:
    """The integrals of a formula that end at a variable, each with the name of a function that it is."""

    variable: str
    names: tuple[tuple[Expr, str], ...]

    @classmethod
    def of(cls, e: Expr, v: str) -> MovingEnds:
        """Those of ``e`` whose upper end is ``v`` and that have it nowhere else."""
        found = [
            n for n in dict.fromkeys(outside_binders(e))
            if n.op == "integral" and n.args[3] is var(v) and v not in n.args[2].free
            and (v not in n.args[0].free or n.args[1] is var(v)) and not endless(n.args[2])
        ]  # fmt: skip
        return cls(v, tuple((n, f"zF{k}") for k, n in enumerate(found)))

    def lines(self, top: str) -> list[str]:
        """Each function, equal to its integral and with a derivative as far as ``top``."""
        out = []
        x = name(self.variable)
        for e, own in self.names:
            body = substitute(e.args[0], {e.args[1].value: var(self.variable)})
            low, fun = coq(e.args[2]), function(self.variable, body)
            here = f"forall {x}_t, {low} <= {x}_t <= {top} ->"
            out.append(
                f"destruct (upper_end {fun} ({low}) {top}) as [{own} Z{own}]; "
                f"[first [lra | bc_side] | intros {x}_t J; cbv beta; bc_cont |]."
            )
            out.append(f"assert (D{own} : {here} is_derive {own} {x}_t ({fun} {x}_t)) by (apply Z{own}).")
            out.append(f"assert (E{own} : {here} {self.integral(e, f'{x}_t')} = {own} {x}_t) by (apply Z{own}).")
        return out

    def integral(self, e: Expr, top: str) -> str:
        """The integral up to another place, as text."""
        body, v, low, _ = e.args
        return f"Int {function(v.value, body)} {end(low)} (Finite {top})"

    def put(self, text: str) -> str:
        """A text with the functions for the integrals."""
        for e, own in self.names:
            text = text.replace(coq(e), f"({own} {name(self.variable)})")
        return text

    def back(self, place: str = "") -> str:
        """Tactics that write the integrals again, in the goal or at ``place``."""
        return "".join(f"rewrite <- ?E{own}{place} by (split; lra). " for _, own in self.names)
