"""Momentum RSC-ZO: clipping bias along the trajectory, and the drift recurrence."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Exists,
    Fact,
    Follows,
    Parameter,
    Statement,
    Step,
    Twin,
    Use,
)
from boundcheck.paper.momentum_array import PART
from boundcheck.paper.momentum_estimator import BASE_ASSUMPTIONS, ONE_SIDED_FAMILY, ONE_SIDED_SCALE, ONE_SIDED_TAU
from boundcheck.paper.momentum_symbols import (
    B_BOUND,
    BETA,
    BOUND_B,
    PROCESS,
    RUNNING,
    RUNNING_HYPOTHESES,
    RUNNING_RANDOM,
    SMOOTHED,
    STEP,
    THRESHOLD,
)
from boundcheck.paper.symbols import L
from boundcheck.paper.two_point import ESTIMATOR_BIAS_BOUND

LOCALIZED_T = ("at(gap, t) <= 4*Dbar", "t >= 1")
_WEIGHTED_BIAS = "sum(beta**(t - s)*(1 - beta)*at(bs, s), s, 1, t)"


def fresh_bias_steps() -> tuple[Step, ...]:
    """From |E g - grad f_mu(x)| <= B at a fixed localized point ("fixed point") to |b_t| <= B on L_t ("b bound")."""
    return (
        Step(
            Fact("norm(Egiven(at(gs, t), past) - gradfmu(at(xs, t))) <= B", over=("t",), where=LOCALIZED_T),
            ByRule(
                "fresh bias",
                {"b": "B", "c": "4*Dbar", "t": "t"},
                using=("fixed point", "localized", "fresh", "covers"),
            ),
            name="fresh b",
        ),
        Step(
            Fact("norm(at(bs, t)) == norm(Egiven(at(gs, t), past) - gradfmu(at(xs, t)))", over=("t",)),
            ByRule(
                "norm of equals",
                {"v": "at(bs, t)", "w": "Egiven(at(gs, t), past) - gradfmu(at(xs, t))"},
                using=("b",),
            ),
            name="b norm",
        ),
        Step(
            Fact("norm(at(bs, t)) <= B", over=("t",), where=LOCALIZED_T),
            Follows(("fresh b", "b norm")),
            "|b_t| <= B on L_t",
            name="b bound",
        ),
    )


BIAS_USED = Statement(
    label="lem:momentum-onestep-bias",
    title="One-step clipping bias, with C_B = 2^(4-p)/(p-1)",
    kind="lemma",
    part=PART,
    text="On L_t, |b_t| <= B = 2^(4-p)/(p-1) d S_mu q^((p-1)/p), and so is the weighted sum of b_1, ..., b_t.",
    parameters=(*RUNNING, BOUND_B),
    random=RUNNING_RANDOM,
    assumes=BASE_ASSUMPTIONS,
    hypotheses={
        **RUNNING_HYPOTHESES,
        "b": Fact("at(bs, t) == Egiven(at(gs, t), past) - gradfmu(at(xs, t))", over=("t",)),
        "B": Fact(f"B == {B_BOUND}"),
    },
    claims=(
        Fact("norm(at(bs, t)) <= B", over=("t",), where=LOCALIZED_T),
        Fact(f"norm({_WEIGHTED_BIAS}) <= B", over=("t",), where=LOCALIZED_T),
    ),
    steps=(
        *THRESHOLD,
        Step(
            Fact(f"norm(E(g) - gradfmu(x)) <= {ESTIMATOR_BIAS_BOUND}"),
            Cite("lem:momentum-onestep-estimator", using=("tau above",), as_used=True),
            name="bias",
        ),
        Step(
            Fact(f"2**(2*p + 1)/(p - 1)*d*S**p*(8*S*q**(-1/p))**(1 - p) == {B_BOUND}"),
            Decide(),
            "with tau = 8 S_mu q^(-1/p)",
            name="B form",
        ),
        Step(Fact("norm(E(g) - gradfmu(x)) <= B"), Follows(("tau", "bias", "B form", "B")), name="fixed point"),
        *fresh_bias_steps(),
        Step(
            Fact("norm(at(bs, s)) <= B", over=("s", "t"), where=(*LOCALIZED_T, "s >= 1", "s <= t")),
            Follows(("growing", Use("b bound", {"t": "s"}))),
            "L_t lies in L_s for s <= t",
            name="earlier",
        ),
        Step(
            Fact(
                "norm(beta**(t - s)*(1 - beta)*at(bs, s)) == abs(beta**(t - s)*(1 - beta))*norm(at(bs, s))",
                over=("s", "t"),
            ),
            ByRule("norm scale", {"c": "beta**(t - s)*(1 - beta)", "v": "at(bs, s)"}),
            name="norm scale",
        ),
        Step(Fact("beta**(t - s) >= 0", over=("s", "t")), Decide(), name="weight"),
        Step(Fact("abs(a*(1 - beta)) == a*(1 - beta)", over=("a",), where=("a >= 0",)), Decide(), name="modulus"),
        Step(
            Fact(
                "norm(beta**(t - s)*(1 - beta)*at(bs, s)) <= beta**(t - s)*((1 - beta)*B)",
                over=("s", "t"),
                where=(*LOCALIZED_T, "s >= 1", "s <= t"),
            ),
            Follows(
                ("weight", "norm scale", Use("modulus", {"a": "beta**(t - s)"}), "earlier"),
                ("", "", "", "beta**(t - s)*(1 - beta)"),
            ),
            name="term",
        ),
        Step(
            Fact(
                f"norm({_WEIGHTED_BIAS}) <= sum(norm(beta**(t - s)*(1 - beta)*at(bs, s)), s, 1, t)",
                over=("t",),
            ),
            ByRule("norm of a sum", {"G": "beta**(t - s)*(1 - beta)*at(bs, s)", "s": "s", "a": "1", "b": "t"}),
            name="triangle",
        ),
        Step(
            Fact(
                "sum(norm(beta**(t - s)*(1 - beta)*at(bs, s)), s, 1, t) <= sum(beta**(t - s)*((1 - beta)*B), s, 1, t)",
                over=("t",),
                where=LOCALIZED_T,
            ),
            ByRule(
                "sum monotone",
                {
                    "G": "norm(beta**(t - s)*(1 - beta)*at(bs, s))",
                    "H": "beta**(t - s)*((1 - beta)*B)",
                    "s": "s",
                    "a": "1",
                    "b": "t",
                },
                using=("term",),
            ),
            name="monotone",
        ),
        Step(
            Fact("sum(beta**(t - s)*c, s, 1, t) == (1 - beta**t)/(1 - beta)*c", over=("c", "t"), where=("t >= 1",)),
            Decide(),
            integers=("t",),
            name="geometric",
        ),
        Step(
            Fact("(1 - beta**t)/(1 - beta)*((1 - beta)*B) == (1 - beta**t)*B", over=("t",)),
            Decide(),
            name="cancel",
        ),
        Step(Fact("beta**t >= 0", over=("t",)), Decide(), name="power"),
        Step(
            Fact(f"norm({_WEIGHTED_BIAS}) <= B", over=("t",), where=LOCALIZED_T),
            Follows(
                ("power", Use("geometric", {"c": "(1 - beta)*B"}), "cancel", "triangle", "monotone"),
                ("B", "", "", "1", "1"),
            ),
            "sum beta^(t-s)(1-beta) <= 1",
            integers=("t",),
            name="weighted",
        ),
    ),
    concludes=(("b bound",), ("weighted",)),
    bound=B_BOUND,
)
EVERY_RATIO = Statement(
    label="app:every-ratio",
    title="Every ratio q in (0, 1] occurs",
    kind="lemma",
    part=PART,
    text="With beta = 1/2, T = 4, M = ceil(log(8)/(2q)) and delta = 8 exp(-2 q M) in (0, 1], lambda = log(2T/delta) "
    "gives "
    "(1-beta) lambda/M = q.",
    parameters=(
        Parameter("q", "ratio", ("q > 0", "q <= 1")),
        Parameter("M", "batch size", ("M >= 1",), integer=True),
        Parameter("delta", "failure probability", ("delta > 0",)),
    ),
    hypotheses={"M": Fact("M == ceil(log(8)/(2*q))"), "delta": Fact("delta == 8*exp(-2*q*M)")},
    claims=(Fact("(1 - 1/2)*log(2*4/delta)/M == q"), Fact("delta <= 1")),
    steps=(
        Step(Fact("ceil(a) >= a", over=("a",)), Decide(), name="ceil"),
        Step(Fact("M >= log(8)/(2*q)"), Follows(("M", Use("ceil", {"a": "log(8)/(2*q)"}))), name="M above"),
        Step(Fact("log(8) <= 2*q*M"), Follows(("M above",), ("2*q",)), name="lambda"),
        Step(Fact("8*exp(-a) <= 1", over=("a",), where=("a >= log(8)",)), Decide(), name="exp"),
        Step(Fact("delta <= 1"), Follows(("lambda", "delta", Use("exp", {"a": "2*q*M"}))), name="delta one"),
        Step(Fact("log(2*4/(8*exp(-a))) == a", over=("a",)), Decide(), name="log"),
        Step(Fact("log(2*4/delta) == 2*q*M"), Follows(("delta", Use("log", {"a": "2*q*M"}))), name="level"),
        Step(Fact("(1 - 1/2)*(2*q*M)/M == q"), Decide(), name="quotient"),
        Step(Fact("(1 - 1/2)*log(2*4/delta)/M == q"), Follows(("level", "quotient")), name="ratio"),
    ),
    concludes=(("ratio",), ("delta one",)),
    twins=(Twin("delta = 9 exp(-2qM)", {"8*exp(-2*q*M)": "9*exp(-2*q*M)"}),),
)
_Q = f"(8*{ONE_SIDED_SCALE}/({ONE_SIDED_TAU}))**p"
ONE_SIDED_BIAS_FAMILY = replace(
    ONE_SIDED_FAMILY,
    values={
        **ONE_SIDED_FAMILY.values,
        "beta": "1/2",
        "T": "4",
        "delta": "1",
        "lam": "1",
        "q": _Q,
        "B": B_BOUND.replace("d*S*q", f"{ONE_SIDED_SCALE}*({_Q})"),
        "norm(at(bs, t))": ONE_SIDED_FAMILY.values["norm(E(g) - gradfmu(x))"],
    },
    meets={
        k: "app:every-ratio" if k in ("lambda", "ratio", "threshold") else "app:one-sided-noise"
        for k in BIAS_USED.hypotheses
        if k != "scale"
    },
    note="the same noise at x_t = 0, with tau as the running threshold",
)
BIAS = replace(
    BIAS_USED,
    title="One-step clipping bias",
    text="On L_t, |b_t| <= B, and the weighted sum of b_1, ..., b_t is at most B as well (C_B sufficiently large).",
    claims=(),
    steps=(),
    concludes=(),
    exists=(Exists("C", Fact("norm(at(bs, t)) <= C*d*S*q**((p - 1)/p)"), (ONE_SIDED_BIAS_FAMILY,)),),
    imprecise="C_B is to be a sufficiently large absolute constant; none is independent of p",
    as_used=BIAS_USED,
    twins=(Twin("C_B lowered to 2^(3.99-p)/(p-1)", {"2**(4 - p)": "2**(3.99 - p)"}),),
)

# ---------------------------------------------------------------- drift

AT_T = ("at(gap, t) <= 4*Dbar", "t >= 2")
_Q = "(beta*at(us, t - 1) + (1 - beta)*at(bs, t))"
_DRIFT_VECTORS = ("at(us, t)", "at(us, t - 1)", "at(bs, t)", "at(rs, t)", "at(ms, t - 1)", "B")
_DRIFT = (
    "norm(at(us, t))**2 <= (1 + beta)/2*norm(at(us, t - 1))**2 + {two}*(1 - beta)*B**2 "
    "+ {three}*beta**2*L**2*alpha**2/(1 - beta)*norm(at(ms, t - 1))**2"
)
DRIFT_CLAIM = _DRIFT.format(two="2", three="3")
BIAS_FACT = Fact("norm(at(bs, t)) <= B", over=("t",), where=LOCALIZED_T)
_RECURRENCE = "at(us, t) == beta*at(us, t - 1) + (1 - beta)*at(bs, t) + at(rs, t)"

DRIFT = Statement(
    label="lem:momentum-drift-recurrence",
    title="Drift recurrence",
    kind="lemma",
    part=PART,
    text="u_t = beta u_{t-1} + (1-beta) b_t + r_t for t >= 2; for beta in [1/2, 1), on L_t, |u_t|^2 <= (1+beta)/2 "
    "|u_{t-1}|^2 "
    "+ 2(1-beta) B^2 + 3 beta^2 L^2 alpha^2/(1-beta) |m_{t-1}|^2.",
    parameters=(L, BETA, STEP, BOUND_B, Parameter("Dbar", "bar Delta_0", ("Dbar > 0",))),
    hypotheses={**PROCESS, **SMOOTHED, "bias": BIAS_FACT},
    claims=(
        Fact(_RECURRENCE, over=("t",), where=("t >= 2",)),
        Fact(DRIFT_CLAIM, over=("t",), where=AT_T),
    ),
    steps=(
        Step(
            Fact(
                "at(es, t) == beta*at(es, t - 1) + (1 - beta)*at(as, t) + (1 - beta)*at(bs, t) + at(rs, t)",
                over=("t",),
                where=("t >= 1",),
            ),
            Follows(("momentum", "split", "error", Use("error", {"t": "t - 1"}), "drift")),
            "recurrence of e_t",
            name="e",
        ),
        Step(
            Fact(
                "sum(beta**(t - s)*((1 - beta)*at(as, s)), s, 1, t) "
                "== beta*sum(beta**(t - 1 - s)*((1 - beta)*at(as, s)), s, 1, t - 1) + (1 - beta)*at(as, t)",
                over=("t",),
                where=("t >= 2",),
            ),
            ByRule("last term of a discounted sum", {"c": "beta", "G": "(1 - beta)*at(as, s)", "s": "s", "t": "t"}),
            name="sum",
        ),
        Step(
            Fact("at(zs, t) == beta*at(zs, t - 1) + (1 - beta)*at(as, t)", over=("t",), where=("t >= 2",)),
            Follows(("weighted", Use("weighted", {"t": "t - 1"}), "sum")),
            "z_t = beta z_{t-1} + (1-beta) a_t",
            name="z",
        ),
        Step(
            Fact(_RECURRENCE, over=("t",), where=("t >= 2",)),
            Follows(("corrected", Use("corrected", {"t": "t - 1"}), "e", "z")),
            "u_t = beta u_{t-1} + (1-beta) b_t + r_t",
            name="recurrence",
        ),
        Step(
            Fact(f"norm{_Q}**2 <= beta*norm(at(us, t - 1))**2 + (1 - beta)*B**2", over=("t",), where=AT_T),
            ByGram(("at(us, t - 1)", "at(bs, t)", "B"), using=("bias",)),
            "|q_t|^2 <= beta |u_{t-1}|^2 + (1-beta) B^2",
            name="q",
        ),
        Step(
            Fact(
                f"norm({_Q} + at(rs, t))**2 <= (1 + (1 - beta)/(2*beta))*norm{_Q}**2 "
                "+ (1 + 2*beta/(1 - beta))*norm(at(rs, t))**2",
                over=("t",),
            ),
            ByGram(("at(us, t - 1)", "at(bs, t)", "at(rs, t)")),
            "Young with rho = (1-beta)/(2 beta)",
            name="Young",
        ),
        Step(Fact("(1 + (1 - beta)/(2*beta))*beta == (1 + beta)/2"), Decide(), name="rho u"),
        Step(Fact("(1 + (1 - beta)/(2*beta))*(1 - beta) <= 2*(1 - beta)"), Decide(), "beta >= 1/2", name="rho B"),
        Step(Fact("1 + 2*beta/(1 - beta) <= 3*beta/(1 - beta)"), Decide(), "beta >= 1/2", name="rho r"),
        Step(
            Fact(
                f"norm({_Q} + at(rs, t))**2 <= (1 + beta)/2*norm(at(us, t - 1))**2 + 2*(1 - beta)*B**2 "
                "+ 3*beta/(1 - beta)*norm(at(rs, t))**2",
                over=("t",),
                where=AT_T,
            ),
            Follows(
                ("Young", "q", "rho B", "rho r"),
                ("1", "1 + (1 - beta)/(2*beta)", "B**2", "norm(at(rs, t))**2"),
            ),
            name="Young form",
        ),
        Step(
            Fact("norm(at(rs, t)) == norm(beta*(gradfmu(at(xs, t - 1)) - gradfmu(at(xs, t))))", over=("t",)),
            ByRule(
                "norm of equals",
                {"v": "at(rs, t)", "w": "beta*(gradfmu(at(xs, t - 1)) - gradfmu(at(xs, t)))"},
                using=("drift",),
            ),
            name="r norm",
        ),
        Step(
            Fact(
                "norm(beta*(gradfmu(at(xs, t - 1)) - gradfmu(at(xs, t)))) "
                "== abs(beta)*norm(gradfmu(at(xs, t - 1)) - gradfmu(at(xs, t)))",
                over=("t",),
            ),
            ByRule("norm scale", {"c": "beta", "v": "gradfmu(at(xs, t - 1)) - gradfmu(at(xs, t))"}),
            name="r scale",
        ),
        Step(
            Fact("at(xs, t - 1) - at(xs, t) == alpha*at(ms, t - 1)", over=("t",)),
            Follows((Use("iterate", {"t": "t - 1"}),)),
            name="x",
        ),
        Step(
            Fact("norm(at(xs, t - 1) - at(xs, t)) == norm(alpha*at(ms, t - 1))", over=("t",)),
            ByRule("norm of equals", {"v": "at(xs, t - 1) - at(xs, t)", "w": "alpha*at(ms, t - 1)"}, using=("x",)),
            name="x norm",
        ),
        Step(
            Fact("norm(alpha*at(ms, t - 1)) == abs(alpha)*norm(at(ms, t - 1))", over=("t",)),
            ByRule("norm scale", {"c": "alpha", "v": "at(ms, t - 1)"}),
            name="x scale",
        ),
        Step(Fact("abs(a) == a", over=("a",), where=("a >= 0",)), Decide(), name="modulus"),
        Step(
            Fact("norm(at(rs, t)) <= beta*L*alpha*norm(at(ms, t - 1))", over=("t",)),
            Follows(
                (
                    Use("modulus", {"a": "alpha"}),
                    Use("modulus", {"a": "beta"}),
                    "r norm",
                    "r scale",
                    "x norm",
                    "x scale",
                    Use("smoothed", {"y": "at(xs, t - 1)", "z": "at(xs, t)"}),
                ),
                ("", "", "", "", "", "", "beta"),
            ),
            "|r_t| <= beta L |x_t - x_{t-1}| = beta L alpha |m_{t-1}|",
            name="r",
        ),
        Step(
            Fact(
                "3*beta/(1 - beta)*norm(at(rs, t))**2 <= 3*beta**3*L**2*alpha**2/(1 - beta)*norm(at(ms, t - 1))**2",
                over=("t",),
            ),
            ByGram(("at(rs, t)", "at(ms, t - 1)"), using=("r",)),
            name="r squared",
        ),
        Step(
            Fact(
                "3*beta**3*L**2*alpha**2/(1 - beta)*norm(at(ms, t - 1))**2 "
                "<= 3*beta**2*L**2*alpha**2/(1 - beta)*norm(at(ms, t - 1))**2",
                over=("t",),
            ),
            ByGram(("at(ms, t - 1)",)),
            "beta < 1",
            name="beta",
        ),
        Step(
            Fact(DRIFT_CLAIM, over=("t",), where=AT_T),
            ByGram(
                _DRIFT_VECTORS,
                using=("recurrence", "bias", "r"),
                sharp={
                    "3": (_DRIFT.format(two="2", three="c"),),
                    "2": (_DRIFT.format(two="c", three="3"),),
                    "1/2": (DRIFT_CLAIM, "beta >= c"),
                },
            ),
            "for all beta and alpha at once",
            name="drift bound",
        ),
    ),
    concludes=(("recurrence",), ("drift bound",)),
    twins=(
        Twin("the constant 3 lowered to 1.1", {"3*beta**2*L**2": "1.1*beta**2*L**2"}),
        Twin("the constant 2 lowered to 0.9", {"2*(1 - beta)*B**2": "0.9*(1 - beta)*B**2"}),
    ),
)

STATEMENTS = (EVERY_RATIO, BIAS, DRIFT)
