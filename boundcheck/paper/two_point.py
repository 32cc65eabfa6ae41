"""Appendix "High-Probability Analysis of Base RSC-ZO": the tail of the slope Y, and the bias of clipping it."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Statement, Step, Twin, Use
from boundcheck.paper.clipping import BIAS_BOUND, TAIL_BOUND
from boundcheck.paper.directional import (
    DEVIATION,
    DIRECTIONAL_TAIL,
    NOISE_SCALE,
    PART,
    SIGNAL_SCALE,
    SIGNAL_TAIL,
)
from boundcheck.paper.symbols import LEVEL, LOCAL, SCALE, TAU_4S

TOTAL_TAIL = Statement(
    label="lem:hp-shared-directional-total-tail",
    title="Localized weak-L_p bound for the shared-randomness directional estimator",
    kind="lemma",
    part=PART,
    text="If f(x) - f_* <= 4 bar Delta_0, then P(|Y| > 4 S_mu s) <= 2 s^-p for every s >= 1; equivalently "
    "P(|Y| > t) <= 2^(2p+1) S_mu^p t^-p for every t >= 4 S_mu.",
    parameters=LOCAL,
    random=("zeta", "u", "U1", "xi"),
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={**DIRECTIONAL_TAIL.hypotheses, **SIGNAL_TAIL.hypotheses, "scale": SCALE},
    claims=(
        Fact("P(abs(slopeF(x, u)) > 4*S*s) <= 2*s**(-p)", over=("s",), where=("s >= 1",)),
        Fact(
            "P(abs(slopeF(x, u)) > t) <= 2**(2*p + 1)*S**p*t**(-p)",
            over=("t",),
            where=("t >= 4*S",),
        ),
    ),
    steps=(
        Step(Fact("sqrt(8*L*Dbar) == sqrt(8)*sqrt(L*Dbar)"), Decide(), name="roots"),
        Step(Fact("sqrt(8) <= 3"), Decide(), name="three"),
        Step(
            Fact(f"P(abs(slopef(x, u)) > {SIGNAL_SCALE}*s) <= s**(-p)", over=("s",), where=("s >= 1",)),
            Cite("lem:hp-shared-directional-signal-tail"),
        ),
        Step(
            Fact(f"{SIGNAL_SCALE} <= 3*S"),
            Follows(("scale", "roots", "three"), ("", "", "sqrt(L*Dbar)/sqrt(d)")),
            "sqrt(8) <= 3",
        ),
        Step(
            Fact(f"{SIGNAL_SCALE}*s <= 3*S*s", over=("s",), where=("s >= 1",)),
            Follows((4,), ("s",)),
            name="signal level",
        ),
        Step(
            Fact(
                f"P(abs(slopef(x, u)) > 3*S*s) <= P(abs(slopef(x, u)) > {SIGNAL_SCALE}*s)",
                over=("s",),
                where=("s >= 1",),
            ),
            ByRule(
                "larger level",
                {"X": "abs(slopef(x, u))", "b": "3*S*s", "a": f"{SIGNAL_SCALE}*s"},
                using=("signal level",),
            ),
        ),
        Step(
            Fact(f"P(abs{DEVIATION} > {NOISE_SCALE}*s) <= s**(-p)", over=("s",), where=("s >= 1",)),
            Cite("lem:hp-shared-directional-tail"),
        ),
        Step(Fact(f"{NOISE_SCALE} <= S"), Decide(("scale",))),
        Step(
            Fact(f"{NOISE_SCALE}*s <= S*s", over=("s",), where=("s >= 1",)), Follows((8,), ("s",)), name="noise level"
        ),
        Step(
            Fact(
                f"P(abs{DEVIATION} > S*s) <= P(abs{DEVIATION} > {NOISE_SCALE}*s)",
                over=("s",),
                where=("s >= 1",),
            ),
            ByRule(
                "larger level",
                {"X": f"abs{DEVIATION}", "b": "S*s", "a": f"{NOISE_SCALE}*s"},
                using=("noise level",),
            ),
        ),
        Step(
            Fact(
                f"P(abs(slopeF(x, u)) > 4*S*s) <= P(abs(slopef(x, u)) > 3*S*s) + P(abs{DEVIATION} > S*s)",
                over=("s",),
                where=("s >= 1",),
            ),
            ByRule(
                "union",
                {
                    "A": "abs(slopeF(x, u)) > 4*S*s",
                    "B": "abs(slopef(x, u)) > 3*S*s",
                    "C": f"abs{DEVIATION} > S*s",
                },
            ),
            "triangle inequality and union bound",
        ),
        Step(
            Fact("P(abs(slopeF(x, u)) > 4*S*s) <= 2*s**(-p)", over=("s",), where=("s >= 1",)),
            Follows((3, 6, 7, 10, 11)),
        ),
        Step(
            Fact("P(abs(slopeF(x, u)) > t) <= 2*(t/(4*S))**(-p)", over=("t",), where=("t >= 4*S",)),
            Follows((Use(12, {"s": "t/(4*S)"}),)),
            "s = t/(4S) >= 1",
        ),
        Step(
            Fact(
                "2*(t/(4*S))**(-p) == 2**(2*p + 1)*S**p*t**(-p)",
                over=("t",),
                where=("t >= 4*S",),
            ),
            Decide(),
            "2 (4S/t)^p = 2^(2p+1) S^p t^-p",
        ),
        Step(
            Fact(
                "P(abs(slopeF(x, u)) > t) <= 2**(2*p + 1)*S**p*t**(-p)",
                over=("t",),
                where=("t >= 4*S",),
            ),
            Follows((13, 14)),
        ),
    ),
    concludes=((12,), (15,)),
    bound="2*s**(-p)",
    bound_names=(LEVEL,),
    worst_law="total-tail",
    twins=(Twin("the constant 4 lowered to 3.8", {"4*S": "3.8*S", "2*p + 1": "log(2*3.8**p)/log(2)"}),),
)

_CLIPPED = "clip(slopeF(x, u), tau)"
_LOSS = f"({_CLIPPED} - slopeF(x, u))"


def unbiased_steps(at: int) -> tuple[Step, ...]:
    """The nine steps of |d E[psi_tau(Y) u] - grad f_mu(x)| = d |E[(psi_tau(Y) - Y) u]|, the first numbered ``at``."""
    return (
        Step(
            Fact("E(slopeF(x, u)*u) == E(Egiven(slopeF(x, u)*u, u))"),
            ByRule("tower", {"X": "slopeF(x, u)*u", "V": "u"}),
        ),
        Step(
            Fact("Egiven(slopeF(x, u)*u, u) == slopef(x, u)*u"),
            Follows(("u given", "unbiased")),
            "E[Y | u] = D_mu f(x, u)",
        ),
        Step(
            Fact("E(Egiven(slopeF(x, u)*u, u)) == E(slopef(x, u)*u)"),
            ByRule(
                "expectation of equals", {"X": "Egiven(slopeF(x, u)*u, u)", "Y": "slopef(x, u)*u"}, using=(at + 1,)
            ),
        ),
        Step(Fact("gradfmu(x) == d*E(slopef(x, u)*u)"), Cite("app:smoothing-identities", part=1)),
        Step(
            Fact("d*E(slopeF(x, u)*u) == gradfmu(x)"),
            Follows((at, at + 2, at + 3)),
            "d E[Y u] = d E[D_mu f(x, u) u] = grad f_mu(x)",
        ),
        Step(
            Fact(f"E({_CLIPPED}*u - slopeF(x, u)*u) == E({_CLIPPED}*u) - E(slopeF(x, u)*u)"),
            ByRule("expectation shift", {"X": f"{_CLIPPED}*u", "Y": "slopeF(x, u)*u"}),
        ),
        Step(
            Fact(f"d*E({_CLIPPED}*u) - gradfmu(x) == d*E({_LOSS}*u)"),
            Follows((at + 4, at + 5)),
            "= d E[(psi_tau(Y) - Y) u]",
        ),
        Step(
            Fact(f"norm(d*E({_CLIPPED}*u) - gradfmu(x)) == norm(d*E({_LOSS}*u))"),
            ByRule(
                "norm of equals", {"v": f"d*E({_CLIPPED}*u) - gradfmu(x)", "w": f"d*E({_LOSS}*u)"}, using=(at + 6,)
            ),
        ),
        Step(
            Fact(f"norm(d*E({_LOSS}*u)) == abs(d)*norm(E({_LOSS}*u))"),
            ByRule("norm scale", {"c": "d", "v": f"E({_LOSS}*u)"}),
        ),
    )


ESTIMATOR_BIAS_BOUND = "2**(2*p + 1)/(p - 1)*d*S**p*tau**(1 - p)"
CLIPPING_BIAS = Statement(
    label="lem:hp-shared-clipping-bias",
    title="Bias induced by clipping",
    kind="lemma",
    part=PART,
    text="If f(x) - f_* <= 4 bar Delta_0 and tau >= 4 S_mu, then |d E[psi_tau(Y) u] - grad f_mu(x)| "
    "<= 2^(2p+1)/(p-1) d S_mu^p tau^(1-p).",
    parameters=(*LOCAL, TAU_4S),
    random=("zeta", "u", "U1", "xi", "g"),
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={
        **TOTAL_TAIL.hypotheses,
        "unbiased": Fact("Egiven(slopeF(x, u), u) == slopef(x, u)"),
        "u given": Fact("Egiven(slopeF(x, u)*u, u) == Egiven(slopeF(x, u), u)*u"),
        "mean of batch": Fact(f"E(g) == d*E({_CLIPPED}*u)"),
    },
    claims=(
        Fact(f"norm(d*E({_CLIPPED}*u) - gradfmu(x)) <= {ESTIMATOR_BIAS_BOUND}"),
        Fact(f"norm(E(g) - gradfmu(x)) <= {ESTIMATOR_BIAS_BOUND}"),
    ),
    steps=(
        *unbiased_steps(1),
        Step(
            Fact(f"norm(E({_LOSS}*u)) <= E(norm({_LOSS}*u))"),
            ByRule("norm of the expectation", {"X": f"{_LOSS}*u"}),
        ),
        Step(Fact("norm(u) == 1"), ByRule("unit length", {"u": "u", "d": "d"}, using=("direction",))),
        Step(
            Fact(f"norm({_LOSS}*u) == abs({_LOSS})*norm(u)"),
            ByRule("norm scale", {"c": _LOSS, "v": "u"}),
        ),
        Step(
            Fact(f"norm({_LOSS}*u) == abs(slopeF(x, u) - {_CLIPPED})"),
            Follows((11, 12)),
        ),
        Step(
            Fact(f"E(norm({_LOSS}*u)) == E(abs(slopeF(x, u) - {_CLIPPED}))"),
            ByRule(
                "expectation of equals", {"X": f"norm({_LOSS}*u)", "Y": f"abs(slopeF(x, u) - {_CLIPPED})"}, using=(13,)
            ),
        ),
        Step(
            Fact(f"norm(d*E({_CLIPPED}*u) - gradfmu(x)) <= d*E(abs(slopeF(x, u) - {_CLIPPED}))"),
            Follows((8, 9, 10, 14), ("", "", "d", "")),
            "<= d E|psi_tau(Y) - Y|",
        ),
        Step(
            Fact(f"P(abs(slopeF(x, u)) > t) <= {TAIL_BOUND}", over=("t",), where=("t >= 4*S",)),
            Cite("lem:hp-shared-directional-total-tail", part=1),
            "the tail of Y",
        ),
        Step(
            Fact(f"E(abs(slopeF(x, u) - {_CLIPPED})) <= {BIAS_BOUND}"),
            Cite("lem:hp-shared-clipped-bias-abstract", {"Z": "slopeF(x, u)"}),
        ),
        Step(
            Fact(f"norm(d*E({_CLIPPED}*u) - gradfmu(x)) <= {ESTIMATOR_BIAS_BOUND}"),
            Follows((15, 17), ("1", "d")),
        ),
        Step(
            Fact(f"E(g) - gradfmu(x) == d*E({_CLIPPED}*u) - gradfmu(x)"),
            Follows(("mean of batch",)),
            "E[g(x)] = d E[psi_tau(Y) u]",
        ),
        Step(
            Fact(f"norm(E(g) - gradfmu(x)) == norm(d*E({_CLIPPED}*u) - gradfmu(x))"),
            ByRule("norm of equals", {"v": "E(g) - gradfmu(x)", "w": f"d*E({_CLIPPED}*u) - gradfmu(x)"}, using=(19,)),
        ),
        Step(Fact(f"norm(E(g) - gradfmu(x)) <= {ESTIMATOR_BIAS_BOUND}"), Follows((18, 20))),
    ),
    concludes=((18,), (21,)),
    bound=ESTIMATOR_BIAS_BOUND,
    twins=(
        Twin(
            "the constant 2^(2p+1) of the bound lowered to 2^(1.99p+1)",
            {ESTIMATOR_BIAS_BOUND: "2**(1.99*p + 1)/(p - 1)*d*S**p*tau**(1 - p)"},
        ),
    ),
)

STATEMENTS = (TOTAL_TAIL, CLIPPING_BIAS)
