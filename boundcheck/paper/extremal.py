"""Which statements are about all laws with a given tail, and the extremal problem that gives their exact supremum.

A problem is read from the statement's own hypotheses, domain and claim, so a statement with another constant
(a twin) poses another problem. ``Statement.worst_law`` names the way of reading. What a problem does not have, such as
a further hypothesis, a name of another sort, an integer, might exclude the extremal law: such a statement poses none.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from types import MappingProxyType

from boundcheck.author.scalar_claim import NotExtremal, scalar_claim
from boundcheck.decide.worst_case.extremal_law import Kernel, TailClass, WorstLaw, clipped_square, excess
from boundcheck.decide.worst_case.worst_directional import DirectionalTail, Part
from boundcheck.kernel.formula import Expr, num, parse, var
from boundcheck.kernel.proof.terms import names, names_of
from boundcheck.kernel.statement import Statement
from boundcheck.paper import said

Problem = WorstLaw | DirectionalTail
_CLIPPED = "clip(Z, tau)"
_TAIL = Statement("", "", "", "", "", declares={"Z": "random real"})  #: what is known of Z beside its tail
#: |g|^2 <= 2 L (f - f_*) by lem:hp-shared-grad-subopt, and f - f_* <= 4 bar Delta_0.
_GRADIENT = "sqrt(8*L*Dbar)"
_SLOPE, _NOISELESS = "slope(xi, x, u)", "(f(x + mu*u) - f(x - mu*u))/(2*mu)"


def problem(statement: Statement) -> Problem | None:
    """The extremal problem of ``statement``, None where it has none. Raises :class:`NotExtremal`."""
    if not statement.worst_law:
        return None
    if statement.worst_law not in _READERS:
        raise NotExtremal(f"{statement.label}: no extremal problem is called {statement.worst_law}")
    return _READERS[statement.worst_law](statement)


def _moment(kernel: str, build: Callable[[Expr], Kernel]) -> Callable[[Statement], Problem]:
    """E kernel(Z) <= bound for all Z with the tail of the hypothesis "tail"."""
    wanted = parse(f"E({kernel})", proof=True)

    def read(statement: Statement) -> Problem:
        tail = statement.hypotheses.get("tail")
        if tail is None or tail.over != ("t",) or "t" in statement.symbols:
            raise NotExtremal(f"{statement.label}: a hypothesis called tail is wanted, for all t")
        given, conditions = tail.relation, tail.conditions
        others = (names(given.rhs) | names_of(conditions)) - {"t"}
        claim, where = scalar_claim(statement, replace(_TAIL, hypotheses={"tail": tail}), others)
        event = parse("P(abs(Z) > t)", proof=True)
        if claim.lhs is not wanted or given.lhs is not event or given.op != "<=" or len(conditions) != 1:
            raise NotExtremal(f"{statement.label}: neither tail nor claim may have another form")
        (condition,) = conditions
        if condition.op != ">=" or condition.lhs is not var("t") or "t" in condition.rhs.free:
            raise NotExtremal(f"{statement.label}: the tail is wanted from a threshold on, not where {condition}")
        tails = TailClass(condition.rhs, given.rhs)
        return WorstLaw(statement.label, tails, build(var("tau")), claim.rhs, where)

    return read


def _tail(part: Part, event: str, remainder: str, label: str) -> Callable[[Statement], Problem]:
    """P(|event| > level) <= bound, the event being a projection on a uniform direction plus a small remainder."""
    wanted = parse(f"abs({event})", proof=True)
    gradient = parse(_GRADIENT if part is not Part.NOISE else "0")
    sigma, rest = var("sigma") if part is not Part.SIGNAL else num(1), parse(remainder)
    others = frozenset({"d", "p"}).union(gradient.free, sigma.free, rest.free)

    def read(statement: Statement) -> Problem:
        claim, where = scalar_claim(statement, said(label), others)
        happens = claim.lhs.args[0] if claim.lhs.op == "P" else None
        if happens is None or happens.op != ">" or happens.args[0] is not wanted:
            raise NotExtremal(f"{statement.label}: the claim is not about P(|{event}| > level)")
        return DirectionalTail(
            statement.label,
            part,
            happens.args[1],
            claim.rhs,
            where,
            var("d"),
            var("p"),
            gradient=gradient,
            sigma=sigma,
            remainder=rest,
        )

    return read


_READERS: MappingProxyType[str, Callable[[Statement], Problem]] = MappingProxyType(
    {
        "clipped-bias": _moment(f"abs(Z - {_CLIPPED})", excess),
        "clipped-second-moment": _moment(f"{_CLIPPED}**2", clipped_square),
        "directional-tail": _tail(Part.NOISE, f"{_SLOPE} - {_NOISELESS}", "L*mu", "lem:hp-shared-directional-tail"),
        "signal-tail": _tail(Part.SIGNAL, _NOISELESS, "L*mu/2", "lem:hp-shared-directional-signal-tail"),
        "total-tail": _tail(Part.TOTAL, _SLOPE, "L*mu/2", "lem:hp-shared-directional-total-tail"),
    }
)
