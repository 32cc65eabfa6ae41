"""Beyond the paper: momentum RSC-ZO with the sharper bias, fluctuation and warm start; batches linear in d."""

from __future__ import annotations

from boundcheck.kernel.formula import parse, substitute
from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin
from boundcheck.paper.convergence import EPS
from boundcheck.paper.momentum_array import ARRAY_FACTS, TIMES
from boundcheck.paper.momentum_convergence import (
    DRIFT_K,
    FINAL,
    LOCALIZED_HYPOTHESES,
    LYAPUNOV_STEP,
    SUM,
)
from boundcheck.paper.momentum_drift import BIAS_FACT, fresh_bias_steps
from boundcheck.paper.momentum_fluctuation import BAD as BAD_Z
from boundcheck.paper.momentum_fluctuation import SUM as ARRAY_AT_T
from boundcheck.paper.momentum_fluctuation import good_event_steps
from boundcheck.paper.momentum_freedman import ARRAY_HYPOTHESES, ARRAY_SUM, COUNT
from boundcheck.paper.momentum_initialization import H_PARAMETER
from boundcheck.paper.momentum_start import AT_START, INITIAL, START_ERROR, at_start, start_event_steps
from boundcheck.paper.momentum_symbols import (
    BETA,
    BOUND_B,
    BOUND_G,
    BOUND_U,
    DELTA,
    HORIZON,
    RUNNING_HYPOTHESES,
    RUNNING_RANDOM,
)
from boundcheck.paper.sharp_bias import BIAS
from boundcheck.paper.sharp_deviation import (
    DEVIATION,
    ESTIMATOR_HYPOTHESES,
    ESTIMATOR_PARAMETERS,
    LOG_LEVEL,
    RANGE,
    RHO,
    SUM_LEVEL,
    VARIANCE,
    bernstein_proof,
    moment_steps,
)
from boundcheck.paper.sharp_slope import GRADIENT_STEPS, PART
from boundcheck.paper.symbols import BATCH, GAP

FREEDMAN = Statement(
    label="app:sharp-freedman",
    title="Vector Freedman in Bernstein's form",
    kind="lemma",
    part=PART,
    text="A martingale-difference array with |X_i| <= R and predictable variation <= V: with h = log(2/rho), "
    "|sum X_i| <= sqrt(2 V h) + (2/3) R h with probability at least 1 - rho; the level of lem:momentum-freedman is "
    "larger.",
    parameters=(COUNT, BATCH, RANGE, VARIANCE, RHO, LOG_LEVEL),
    random=("X", "H"),
    hypotheses={**ARRAY_HYPOTHESES, "h": Fact("h == log(2/rho)")},
    claims=(Fact(f"P(norm({ARRAY_SUM}) > {SUM_LEVEL}) <= rho"),),
    steps=bernstein_proof(f"norm({ARRAY_SUM})", "lit:pinelis-bennett"),
    bound=SUM_LEVEL,
    twins=(Twin("the factor 2 under the root lowered to 1.9", {"sqrt(2*V*h)": "sqrt(1.9*V*h)"}),),
)

_RUN = {k: f for k, f in ESTIMATOR_HYPOTHESES.items() if k != "gradient"}
_RANGE = "(sqrt(d)*theta + Q)/M"
_MOMENT = "d*Q**2/M**2"
_R = f"(1 - beta)*({_RANGE})"
_V = f"(1 - beta)/(1 + beta)*(M*({_MOMENT}))"
FLUCTUATION_U = f"sqrt(2*({_V})*h) + 2/3*({_R})*h"
_LOCAL = {
    **{k: RUNNING_HYPOTHESES[k] for k in ("fresh", "covers", "growing", "localized", "below")},
    "N": Fact("N == sqrt(8*L*Dbar)"),
    "b": Fact("at(bs, t) == Egiven(at(gs, t), past) - gradfmu(at(xs, t))", over=("t",)),
}
_SUMMANDS = ("summand range bound", "summand moment", "zero mean", "range sign", "moment sign")
FLUCTUATION = Statement(
    label="app:sharp-fluctuation",
    title="Stopped weighted fluctuation, free of d but for d/M",
    kind="lemma",
    part=PART,
    text="At localized points N^2 = 8 L bar Delta_0. If sqrt(2 V h) + (2/3) R h <= U with V = (1-beta)/(1+beta) (d/M) "
    "Q^2, R = (1-beta)(sqrt(d) theta + Q)/M, h = log(4T/delta), then |z_t| <= U for all t < T at once with "
    "probability at least 1 - delta/2.",
    parameters=(*ESTIMATOR_PARAMETERS, GAP, BETA, HORIZON, DELTA, BOUND_U, LOG_LEVEL),
    random=RUNNING_RANDOM,
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob", "rem:f-smooth"),
    hypotheses={
        **_RUN,
        **_LOCAL,
        **ARRAY_FACTS,
        "stopped": Fact(f"at(zst, t) == {ARRAY_AT_T}", over=("t",)),
        "h": Fact("h == log(4*T/delta)"),
        "U": Fact(f"{FLUCTUATION_U} <= U"),
    },
    claims=(Fact(f"P(meet(complement({BAD_Z}), t, 1, T - 1)) >= 1 - delta/2"),),
    steps=(
        *GRADIENT_STEPS,
        *moment_steps(gradient=("gradient",)),
        Step(Fact(f"norm(X1) <= {_RANGE}"), Follows(("range",)), name="summand range bound"),
        Step(Fact(f"E(norm(X1)**2) <= {_MOMENT}"), Follows(("V",), ("1/M",)), name="summand moment"),
        Step(Fact(f"{_RANGE} > 0"), Decide(), name="range sign"),
        Step(Fact(f"{_MOMENT} > 0"), Decide(), name="moment sign"),
        Step(
            Fact("Egiven(at(at(X, t), s, l), at(H, s, l - 1)) == 0", over=("s", "l", "t"), where=("s >= 1", "s <= t")),
            Cite("app:momentum-array", {"r": _RANGE, "m": _MOMENT}, using=_SUMMANDS),
            name="differences",
        ),
        Step(
            Fact(f"norm(at(at(X, t), s, l)) <= {_R}", over=("s", "l", "t"), where=("s >= 1", "s <= t")),
            Cite("app:momentum-array", {"r": _RANGE, "m": _MOMENT}, using=_SUMMANDS, part=1),
            name="bounded",
        ),
        Step(
            Fact(
                f"sum(sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M), s, 1, t) <= {_V}",
                over=("t",),
                where=TIMES,
            ),
            Cite("app:momentum-array", {"r": _RANGE, "m": _MOMENT}, using=_SUMMANDS, part=2),
            integers=("t",),
            name="variation",
        ),
        Step(Fact(f"{_R} > 0"), Decide(), name="R sign"),
        Step(Fact(f"{_V} > 0"), Decide(), name="V sign"),
        Step(Fact("delta/(2*T) > 0"), Decide(), name="rho sign"),
        Step(Fact("delta/(2*T) <= 1"), Decide(), name="rho"),
        Step(Fact("log(2/(delta/(2*T))) == log(4*T/delta)"), Decide(), name="logs"),
        Step(Fact("h == log(2/(delta/(2*T)))"), Follows(("logs", "h")), name="level"),
        Step(
            Fact(f"P(norm({ARRAY_AT_T}) > {FLUCTUATION_U}) <= delta/(2*T)", over=("t",), where=TIMES),
            Cite(
                "app:sharp-freedman",
                {"X": "at(X, t)", "n": "t", "R": _R, "V": _V, "rho": "delta/(2*T)"},
                using=("R sign", "V sign", "rho sign", "rho", "level"),
            ),
            integers=("t",),
            name="Freedman",
        ),
        Step(Fact(f"{FLUCTUATION_U} <= U"), Follows(("U",)), name="level U"),
        *good_event_steps(FLUCTUATION_U, ("Freedman", "smaller", "event"), ("1", "1", "1")),
    ),
    concludes=(("good event",),),
    bound=FLUCTUATION_U,
    twins=(Twin("the factor 2 under the root lowered to 1.9", {f"sqrt(2*({_V})*h)": f"sqrt(1.9*({_V})*h)"}),),
)

#: What the base statements call N, theta, ..., at the warm start.
_AT_START = {
    **AT_START,
    **{k: f"{k}0" for k in ("N", "theta", "J", "Q", "h")},
    "theta1": "theta10",
    "theta2": "theta20",
}
_START_VALUES = {k: parse(v, proof=True) for k, v in _AT_START.items()}
START_DEVIATION = str(substitute(parse(DEVIATION), _START_VALUES))
_START = {k: at_start(f, _AT_START) for k, f in _RUN.items()}
_CALLED_START = {f"at start: {k}": f for k, f in _START.items()}
_CALLED = {q.symbol: q for q in ESTIMATOR_PARAMETERS}
START_PARAMETERS = (
    *(
        Parameter(
            _AT_START[k],
            f"{_CALLED[k].meaning}, warm start",
            tuple(str(at_start(Fact(w), _AT_START).relation) for w in _CALLED[k].domain),
            integer=_CALLED[k].integer,
        )
        for k in ("N", "tau", "theta", "theta1", "theta2", "J", "Q", "M")
    ),
    Parameter("h0", "log(4/delta)", ("h0 > 0",)),
)
START = Statement(
    label="app:sharp-start",
    title="Warm-start deviation, linear in d",
    kind="lemma",
    part=PART,
    text="At x_0, N_0^2 = 2 L bar Delta_0. If the deviation bound with M_0, tau_0 and h_0 = log(4/delta) is at most "
    "G, then |g_0 - grad f_mu(x_0)| <= G with probability at least 1 - delta/2.",
    parameters=(
        *(q for q in ESTIMATOR_PARAMETERS if q.symbol not in _AT_START),
        *START_PARAMETERS,
        GAP,
        DELTA,
        BOUND_G,
        INITIAL,
    ),
    random=RUNNING_RANDOM,
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob", "rem:f-smooth"),
    hypotheses={
        **_START,
        "below": RUNNING_HYPOTHESES["below"],
        "initial gap": Fact("f(at(xs, 0)) - fstar == Delta0"),
        "bar": Fact("Dbar == Delta0 + L*mu**2/2"),
        "N0": Fact("N0 == sqrt(2*L*Dbar)"),
        "h0": Fact("h0 == log(4/delta)"),
        "G": Fact(f"{START_DEVIATION} <= G"),
    },
    claims=(Fact(f"P({START_ERROR} <= G) >= 1 - delta/2"),),
    steps=(
        Step(
            Fact("norm(gradf(at(xs, 0)))**2 <= 2*L*(f(at(xs, 0)) - fstar)"),
            Cite("lem:hp-shared-grad-subopt", {"x": "at(xs, 0)"}),
            name="gradient gap",
        ),
        Step(Fact("Delta0 <= Dbar"), Follows(("bar",)), name="gap"),
        Step(
            Fact("norm(gradf(at(xs, 0)))**2 <= 2*L*Dbar"),
            Follows(("gradient gap", "initial gap", "gap"), ("1", "", "2*L")),
            name="gradient squared",
        ),
        Step(Fact("sqrt(2*L*Dbar)**2 == 2*L*Dbar"), Decide(), name="gradient level"),
        Step(Fact("sqrt(2*L*Dbar) > 0"), Decide(), name="gradient level sign"),
        Step(Fact("norm(gradf(at(xs, 0))) >= 0"), Follows(()), name="gradient sign"),
        Step(
            Fact("norm(gradf(at(xs, 0))) <= sqrt(2*L*Dbar)"),
            Follows(
                ("gradient squared", "gradient level", "gradient level sign", "gradient sign"),
                (
                    "1/(norm(gradf(at(xs, 0))) + sqrt(2*L*Dbar))",
                    "1/(norm(gradf(at(xs, 0))) + sqrt(2*L*Dbar))",
                    "",
                    "",
                ),
            ),
            name="gradient root",
        ),
        Step(Fact("norm(gradf(at(xs, 0))) <= N0"), Follows(("gradient root", "N0")), name="gradient"),
        Step(Fact("log(2/(delta/2)) == log(4/delta)"), Decide(), name="logs"),
        Step(Fact("h0 == log(2/(delta/2))"), Follows(("logs", "h0")), name="level"),
        Step(
            Fact(f"P({START_ERROR} > {START_DEVIATION}) <= delta/2"),
            Cite("app:sharp-deviation", {**_AT_START, "rho": "delta/2"}, using=("gradient", "level")),
            name="deviation",
        ),
        Step(Fact(f"{START_DEVIATION} <= G"), Follows(("G",)), name="level G"),
        *start_event_steps(START_DEVIATION),
    ),
    bound=START_DEVIATION,
    twins=(Twin("the failure probability lowered to delta/3", {">= 1 - delta/2": ">= 1 - delta/3"}),),
)

_DERIVED = ("warm start", "weighted event", "bias")
_AVERAGE = f"{SUM}/(T - 2)"
MOMENTUM = Statement(
    label="app:sharp-momentum",
    title="High-probability convergence of momentum RSC-ZO with batches linear in d",
    kind="theorem",
    part=PART,
    text="With alpha <= 1/(4L), alpha <= (1-beta)/(4 sqrt(3) beta L), (Init) and (Loc), G, U and B at least the "
    "deviation of the warm start, the fluctuation and the bias of app:sharp-deviation, and 8 bar Delta_0/(alpha "
    "(T-2)) + 4 U^2 + 16 B^2 + 2 L^2 mu^2 <= eps^2: with probability at least 1 - delta the average of |grad "
    "f(x_t)|^2 over t = 1, ..., T-2 is at most eps^2. For every eps > 0.",
    parameters=(
        *ESTIMATOR_PARAMETERS,
        *START_PARAMETERS,
        GAP,
        BETA,
        LYAPUNOV_STEP,
        HORIZON,
        DELTA,
        EPS,
        BOUND_G,
        BOUND_B,
        BOUND_U,
        H_PARAMETER,
        DRIFT_K,
        LOG_LEVEL,
        INITIAL,
    ),
    random=RUNNING_RANDOM,
    assumes=(
        "ass:Well-defined",
        "ass:sample-smooth",
        "ass:hp-shared-prob",
        "rem:f-smooth",
        "eq:momentum-init-condition",
        "eq:momentum-localization-condition",
    ),
    hypotheses={
        **{k: f for k, f in START.hypotheses.items() if k not in _START},
        **_CALLED_START,
        **FLUCTUATION.hypotheses,
        **{k: f for k, f in LOCALIZED_HYPOTHESES.items() if k not in _DERIVED},
        "B": Fact(f"{BIAS} <= B"),
        "accuracy": Fact(f"{FINAL} <= eps**2"),
    },
    claims=(Fact(f"P({_AVERAGE} <= eps**2) >= 1 - delta"),),
    steps=(
        *(Step(f, Follows((k,))) for k, f in _CALLED_START.items()),
        Step(
            Fact(f"P({START_ERROR} <= G) >= 1 - delta/2"),
            Cite("app:sharp-start"),
            name="warm start",
        ),
        Step(
            Fact(f"P(meet(complement({BAD_Z}), t, 1, T - 1)) >= 1 - delta/2"),
            Cite("app:sharp-fluctuation"),
            name="weighted event",
        ),
        *GRADIENT_STEPS,
        Step(
            Fact(f"norm(d*E(clip(slopeF(x, u), tau)*u) - gradfmu(x)) <= {BIAS}"),
            Cite("app:sharp-clipping-bias", using=("gradient",)),
            name="clipping bias",
        ),
        Step(
            Fact("E(g) - gradfmu(x) == d*E(clip(slopeF(x, u), tau)*u) - gradfmu(x)"),
            Follows(("mean of batch",)),
            name="estimator mean",
        ),
        Step(
            Fact("norm(E(g) - gradfmu(x)) == norm(d*E(clip(slopeF(x, u), tau)*u) - gradfmu(x))"),
            ByRule(
                "norm of equals",
                {"v": "E(g) - gradfmu(x)", "w": "d*E(clip(slopeF(x, u), tau)*u) - gradfmu(x)"},
                using=("estimator mean",),
            ),
            name="mean norm",
        ),
        Step(
            Fact("norm(E(g) - gradfmu(x)) <= B"),
            Follows(("mean norm", "clipping bias", "B"), ("1", "1", "1")),
            name="fixed point",
        ),
        *fresh_bias_steps(),
        Step(BIAS_FACT, Follows(("b bound",)), name="bias"),
        Step(
            Fact(f"P({_AVERAGE} <= {FINAL}) >= 1 - delta"),
            Cite("thm:momentum-localized-convergence", part=1),
            name="convergence",
        ),
        Step(
            Fact(f"P({_AVERAGE} <= {FINAL}) <= P({_AVERAGE} <= eps**2)"),
            ByRule("wider range", {"X": _AVERAGE, "a": FINAL, "b": "eps**2"}, using=("accuracy",)),
            name="larger",
        ),
        Step(
            Fact(f"P({_AVERAGE} <= eps**2) >= 1 - delta"),
            Follows(("convergence", "larger"), ("1", "1")),
        ),
    ),
    bound="eps**2",
    twins=(
        Twin("the failure probability lowered to 0.9 delta", {">= 1 - delta": ">= 1 - 0.9*delta"}),
        Twin("the bias left out of the accuracy", {"+ 16*B**2 + 2*L**2*mu**2 <= eps**2": "+ 2*L**2*mu**2 <= eps**2"}),
    ),
)
STATEMENTS = (FREEDMAN, FLUCTUATION, START, MOMENTUM)
