"""Momentum RSC-ZO: descent of f_mu and the one-step Lyapunov inequality."""

from __future__ import annotations

from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Fact,
    Follows,
    Parameter,
    Statement,
    Step,
    Twin,
    Use,
)
from boundcheck.paper.momentum_array import PART
from boundcheck.paper.momentum_drift import AT_T, BIAS_FACT, DRIFT_CLAIM, LOCALIZED_T
from boundcheck.paper.momentum_symbols import BETA, BOUND_B, BOUND_U, PROCESS, SMOOTHED
from boundcheck.paper.symbols import L

_X = "at(xs, t)"
_GRAD = "gradfmu(at(xs, t))"
_DESCENT = (
    f"fmu(at(xs, t + 1)) <= fmu(at(xs, t)) - alpha/2*norm({_GRAD})**2 - {{quarter}}*alpha*norm(at(ms, t))**2 "
    "+ alpha*norm(at(us, t))**2 + alpha*norm(at(zs, t))**2"
)
_DESCENT_CLAIM = _DESCENT.format(quarter="1/4")
_DESCENT_GOOD = _DESCENT_CLAIM.replace("norm(at(zs, t))**2", "U**2")
_SMOOTH_STEP = (
    f"fmu(at(xs, t + 1)) <= fmu(at(xs, t)) - alpha*dot({_GRAD}, at(ms, t)) + L*alpha**2/2*norm(at(ms, t))**2"
)
GOOD = Fact("norm(at(zs, t)) <= U", over=("t",), where=(*LOCALIZED_T, "t <= T - 1"))
GOOD_T = (*LOCALIZED_T, "t <= T - 1")
_SUM = "at(us, t) + at(zs, t)"
_VECTORS = (_GRAD, "at(ms, t)", "at(us, t)", "at(zs, t)")
TIMES = Parameter("T", "number of steps", ("T >= 4",), integer=True)
LOCAL_GAP = Parameter("Dbar", "bar Delta_0", ("Dbar > 0",))

DESCENT = Statement(
    label="lem:momentum-descent",
    title="Momentum descent",
    kind="lemma",
    part=PART,
    text="If alpha <= 1/(2L): f_mu(x_{t+1}) <= f_mu(x_t) - alpha/2 |grad f_mu(x_t)|^2 - alpha/4 |m_t|^2 + alpha "
    "|u_t|^2 "
    "+ alpha |z_t|^2; on L_t and E the last term is at most alpha U^2.",
    parameters=(L, Parameter("alpha", "stepsize", ("alpha > 0", "alpha <= 1/(2*L)")), BOUND_U, TIMES, LOCAL_GAP),
    hypotheses={
        "iterate": PROCESS["iterate"],
        "error": PROCESS["error"],
        "corrected": PROCESS["corrected"],
        "smoothed": SMOOTHED["smoothed"],
        "good": GOOD,
    },
    claims=(
        Fact(_DESCENT_CLAIM, over=("t",), where=("t >= 1",)),
        Fact(_DESCENT_GOOD, over=("t",), where=GOOD_T),
    ),
    steps=(
        Step(
            Fact(
                "fmu(at(xs, t) - alpha*at(ms, t)) <= fmu(at(xs, t)) + dot(gradfmu(at(xs, t)), -alpha*at(ms, t)) "
                "+ L/2*norm(-alpha*at(ms, t))**2",
                over=("t",),
            ),
            ByRule("descent lemma, smoothed", {"x": _X, "h": "-alpha*at(ms, t)"}, using=("smoothed",)),
            name="smoothness",
        ),
        Step(
            Fact("fmu(at(xs, t + 1)) == fmu(at(xs, t) - alpha*at(ms, t))", over=("t",)),
            ByRule("same point", {"y": "at(xs, t + 1)", "z": "at(xs, t) - alpha*at(ms, t)"}, using=("iterate",)),
            name="next",
        ),
        Step(
            Fact(_SMOOTH_STEP, over=("t",)),
            ByGram((_GRAD, "at(ms, t)"), using=("smoothness", "next")),
            "smoothness of f_mu and x_{t+1} = x_t - alpha m_t",
            name="step",
        ),
        Step(
            Fact("at(ms, t) == gradfmu(at(xs, t)) + (at(us, t) + at(zs, t))", over=("t",)),
            Follows(("error", "corrected")),
            "m_t - grad f_mu(x_t) = u_t + z_t",
            name="m",
        ),
        Step(
            Fact("-dot(a, b) <= norm(a - b)**2/2 - norm(a)**2/2 - norm(b)**2/2", over=("a", "b")),
            ByGram(("a", "b")),
            "polarization",
        ),
        Step(
            Fact(
                f"fmu(at(xs, t + 1)) <= fmu(at(xs, t)) - alpha/2*norm({_GRAD})**2 "
                f"- alpha/2*(1 - L*alpha)*norm(at(ms, t))**2 + alpha/2*norm({_SUM})**2",
                over=("t",),
            ),
            ByGram(_VECTORS, using=("m", "step")),
            name="polarized",
        ),
        Step(Fact("1 - L*alpha >= 1/2"), Decide(), "alpha <= 1/(2L)", name="half"),
        Step(
            Fact(f"norm({_SUM})**2 <= 2*norm(at(us, t))**2 + 2*norm(at(zs, t))**2", over=("t",)),
            ByGram(("at(us, t)", "at(zs, t)")),
            name="two",
        ),
        Step(
            Fact(_DESCENT_CLAIM, over=("t",), where=("t >= 1",)),
            ByGram(
                _VECTORS,
                using=("m", "step"),
                sharp={
                    "1/4": (_DESCENT.format(quarter="c"),),
                    "1/2": (_DESCENT_CLAIM, "alpha <= c/L"),
                },
            ),
            name="descent",
        ),
        Step(
            Fact(_DESCENT_CLAIM, over=("t",), where=("t >= 1",)),
            ByGram(_VECTORS, using=("polarized", "half", "two")),
            "as in the paper",
        ),
        Step(
            Fact(_DESCENT_GOOD, over=("t",), where=GOOD_T),
            ByGram((*_VECTORS, "U"), using=("descent", "good")),
            "on L_t and E, |z_t| <= U",
            name="good descent",
        ),
    ),
    concludes=(("descent",), ("good descent",)),
    twins=(
        Twin("the step range 1/(2L) widened to 1/(1.9 L)", {"alpha <= 1/(2*L)": "alpha <= 1/(1.9*L)"}),
        Twin("the coefficient 1/4 raised to 0.26", {"1/4*alpha*norm(at(ms": "0.26*alpha*norm(at(ms"}),
    ),
)

# ---------------------------------------------------------------- Lyapunov

_NEXT_GOOD = ("at(gap, t + 1) <= 4*Dbar", "t >= 1", "t <= T - 2")
PHI = "at(Phi, {0}) == fmu(at(xs, {0})) + 2*alpha/(1 - beta)*norm(at(us, {0}))**2"
_LYAPUNOV = (
    f"at(Phi, t + 1) <= at(Phi, t) - alpha/2*norm({_GRAD})**2 - {{eighth}}*alpha*norm(at(ms, t))**2 + "
    "alpha*(U**2 + 4*B**2)"
)
LYAPUNOV_CLAIM = _LYAPUNOV.format(eighth="1/8")
_LYAPUNOV_DIRECT = (
    "fmu(at(xs, t + 1)) + 2*alpha/(1 - beta)*norm(at(us, t + 1))**2 <= fmu(at(xs, t)) "
    f"+ 2*alpha/(1 - beta)*norm(at(us, t))**2 - alpha/2*norm({_GRAD})**2 - {{eighth}}*alpha*norm(at(ms, t))**2 "
    "+ alpha*(U**2 + 4*B**2)"
)

LYAPUNOV = Statement(
    label="thm:momentum-lyapunov-step",
    title="One-step Lyapunov inequality",
    kind="theorem",
    part=PART,
    text="If beta in [1/2, 1) and alpha <= min{1/(2L), (1-beta)/(4 sqrt(3) beta L)}: on L_{t+1} and E, Phi_{t+1} <= "
    "Phi_t "
    "- alpha/2 |grad f_mu(x_t)|^2 - alpha/8 |m_t|^2 + alpha (U^2 + 4 B^2) for t = 1, ..., T-2.",
    parameters=(
        L,
        BETA,
        Parameter("alpha", "stepsize", ("alpha > 0", "alpha <= 1/(2*L)", "alpha <= (1 - beta)/(4*sqrt(3)*beta*L)")),
        BOUND_U,
        BOUND_B,
        TIMES,
        LOCAL_GAP,
    ),
    hypotheses={
        **PROCESS,
        **SMOOTHED,
        "bias": BIAS_FACT,
        "good": GOOD,
        "growing": Fact("at(gap, s) <= at(gap, t)", over=("s", "t"), where=("s <= t",)),
        "Phi": Fact(PHI.format("t"), over=("t",)),
    },
    claims=(Fact(LYAPUNOV_CLAIM, over=("t",), where=_NEXT_GOOD),),
    steps=(
        Step(
            Fact("at(gap, t) <= 4*Dbar", over=("t",), where=_NEXT_GOOD),
            Follows((Use("growing", {"s": "t", "t": "t + 1"}),)),
            "L_{t+1} lies in L_t",
            name="localized",
        ),
        Step(
            Fact(_DESCENT_GOOD, over=("t",), where=_NEXT_GOOD),
            Cite("lem:momentum-descent", using=("localized",), part=1),
            name="descent",
        ),
        Step(
            Fact(DRIFT_CLAIM, over=("t",), where=AT_T),
            Cite("lem:momentum-drift-recurrence", part=1),
            name="drift bound",
        ),
        Step(
            Fact(
                DRIFT_CLAIM.replace("t - 1", "s")
                .replace("at(us, t))**2 <=", "at(us, s + 1))**2 <=")
                .replace("(us, s)", "(us, t)")
                .replace("(ms, s)", "(ms, t)")
                .replace("s + 1", "t + 1"),
                over=("t",),
                where=_NEXT_GOOD,
            ),
            Follows((Use("drift bound", {"t": "t + 1"}),)),
            "the drift recurrence at time t+1",
            name="drift at t+1",
        ),
        Step(
            Fact("48*beta**2*L**2*alpha**2 <= (1 - beta)**2"),
            Decide(),
            "the stepsize condition squared",
            name="range",
        ),
        Step(
            Fact("6*beta**2*L**2*alpha**2/(1 - beta)**2 <= 1/8"),
            Follows(("range",), ("1/(8*(1 - beta)**2)",)),
            "6 beta^2 L^2 alpha^2/(1-beta)^2 <= 1/8",
        ),
        Step(
            Fact(
                f"at(Phi, t + 1) <= at(Phi, t) - alpha/2*norm({_GRAD})**2 - alpha*(1/4 - "
                "6*beta**2*L**2*alpha**2/(1 - beta)**2)*norm(at(ms, t))**2 + alpha*U**2 + 4*alpha*B**2",
                over=("t",),
                where=_NEXT_GOOD,
            ),
            Follows(
                ("Phi", Use("Phi", {"t": "t + 1"}), "descent", "drift at t+1"), ("", "", "1", "2*alpha/(1 - beta)")
            ),
            "adding 2 alpha/(1-beta) times the drift recurrence",
            name="sum",
        ),
        Step(
            Fact(LYAPUNOV_CLAIM, over=("t",), where=_NEXT_GOOD),
            ByGram((_GRAD, "at(ms, t)", "at(us, t + 1)", "at(us, t)", "B", "U"), using=("range", "sum")),
            "the coefficient of |m_t|^2 is at least 1/8",
            name="Lyapunov",
        ),
        Step(
            Fact(_LYAPUNOV_DIRECT.format(eighth="1/8"), over=("t",), where=_NEXT_GOOD),
            ByGram(
                (_GRAD, "at(ms, t)", "at(us, t + 1)", "at(us, t)", "B", "U"),
                using=("descent", "drift at t+1", "range"),
            ),
            "one Gram certificate for all alpha, beta",
        ),
    ),
    concludes=(("Lyapunov",),),
    twins=(
        Twin("the step range 4 sqrt(3) lowered to 3.9 sqrt(3)", {"4*sqrt(3)*beta*L": "3.9*sqrt(3)*beta*L"}),
        Twin("the coefficient 1/8 raised to 0.13", {"1/8*alpha*norm(at(ms": "0.13*alpha*norm(at(ms"}),
    ),
)
STATEMENTS = (DESCENT, LYAPUNOV)
