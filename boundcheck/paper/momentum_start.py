"""Momentum RSC-ZO: the warm start, the initialization and its condition (Init)."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.formula import parse, substitute
from boundcheck.paper.deviation import LOCALIZED, LOCALIZED_BOUND
from boundcheck.paper.momentum_drift import BIAS_FACT, PHI
from boundcheck.paper.momentum_estimator import BASE_ASSUMPTIONS
from boundcheck.paper.momentum_fluctuation import PART
from boundcheck.paper.momentum_symbols import (
    BETA,
    BOUND_B,
    BOUND_G,
    C_G,
    DELTA,
    PROCESS,
    RUNNING_RANDOM,
    SMOOTHED,
)
from boundcheck.paper.symbols import BELOW, LOCAL, MU, SMOOTH_F, D, L
from boundcheck.statement import (
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

#: What the base statements call x, g, M, tau, at the warm start.
AT_START = {"x": "at(xs, 0)", "g": "at(gs, 0)", "M": "M0", "tau": "tau0"}
_VALUES = {k: parse(v, proof=True) for k, v in AT_START.items()}


def at_start(fact: Fact) -> Fact:
    """``fact`` for the warm start: x_0, g_0, M_0, tau_0 in place of x, g, M, tau."""
    return Fact(str(fact.relation.map(lambda e: substitute(e, _VALUES))), fact.over, fact.where)


START_BATCH = Parameter("M0", "warm-start batch size", ("M0 >= 1",), integer=True)
START_TAU = Parameter("tau0", "warm-start threshold", ("tau0 > 0",))
START_LAMBDA = Parameter("lam0", "lambda_0 = log(2/delta)", ("lam0 > 0",))
START_RATIO = Parameter("q0", "q_0 = lambda_0/M_0", ("q0 > 0", "q0 <= 1"))
INITIAL = Parameter("Delta0", "initial gap f(x_0) - f_*", ("Delta0 >= 0",))
GAP = Parameter("Dbar", "bar Delta_0", ("Dbar > 0",))
G_BOUND = f"{C_G}*d*S*q0**((p - 1)/p)*sqrt(1 + log(1/q0))"
_LEVEL = str(substitute(parse(LOCALIZED_BOUND), {**_VALUES, "lam": parse("lam0")}))
_ERROR = "norm(at(gs, 0) - gradfmu(at(xs, 0)))"
_RATE = "d*S*q0**((p - 1)/p)"
_LOG = "sqrt(1 + log(1/q0))"
_A = "8*d/sqrt(M0)*S**(p/2)*(8*S*q0**(-1/p))**(1 - p/2)"
_C = "sqrt(1 + log(8*q0**(-1/p)))"
_FIRST = "8*d/sqrt(M0)*S**(p/2)*tau0**(1 - p/2)*sqrt(1 + log(tau0/S))*(1 + sqrt(2*lam0))"
INITIAL_FACTS = {
    "initial gap": Fact("f(at(xs, 0)) - fstar == Delta0"),
    "bar": Fact("Dbar == Delta0 + L*mu**2/2"),
}
START_HYPOTHESES = {
    **{k: at_start(f) for k, f in LOCALIZED.hypotheses.items() if k not in ("lambda", "localized")},
    **INITIAL_FACTS,
    "start lambda": Fact("lam0 == log(2/delta)"),
    "start ratio": Fact("q0 == lam0/M0"),
    "start threshold": Fact("tau0 == 8*S*(M0/lam0)**(1/p)"),
}
START = (*LOCAL, DELTA, START_BATCH, START_TAU, START_LAMBDA, START_RATIO, INITIAL)

WARM_START_USED = Statement(
    label="lem:momentum-warm-start",
    title="Warm-start deviation, with C_G = 126 + 2^(4-p)/(p-1)",
    kind="lemma",
    part=PART,
    text="With G = (126 + 2^(4-p)/(p-1)) d S_mu q_0^((p-1)/p) sqrt(1 + log(1/q_0)), q_0 = lambda_0/M_0: "
    "|g_0 - grad f_mu(x_0)| <= G with probability at least 1 - delta/2.",
    parameters=(*START, BOUND_G),
    random=RUNNING_RANDOM,
    assumes=BASE_ASSUMPTIONS,
    hypotheses={**START_HYPOTHESES, "G": Fact(f"G == {G_BOUND}")},
    claims=(Fact(f"P({_ERROR} <= G) >= 1 - delta/2"),),
    steps=(
        Step(
            Fact("f(at(xs, 0)) - fstar <= 4*Dbar"),
            Follows(("initial gap", "bar")),
            "f(x_0) - f_* <= bar Delta_0 <= 4 bar Delta_0",
            name="localized",
        ),
        Step(Fact("log(1/(delta/2)) == log(2/delta)"), Decide(), name="log"),
        Step(Fact("lam0 == log(1/(delta/2))"), Follows(("start lambda", "log")), name="lambda"),
        Step(Fact("log(2/delta) >= log(2)"), Decide(), name="log two"),
        Step(Fact("lam0 >= log(2)"), Follows(("start lambda", "log two")), name="level"),
        Step(Fact("(M0/lam0)**(1/p) == q0**(-1/p)"), Decide(("start ratio",)), name="power"),
        Step(Fact("tau0 == 8*S*q0**(-1/p)"), Follows(("start threshold", "power")), name="tau0"),
        Step(Fact("8*S*q0**(-1/p) >= 4*S"), Decide(), name="4S"),
        Step(Fact("tau0 >= 4*S"), Follows(("tau0", "4S")), name="threshold"),
        Step(
            Fact(f"P({_ERROR} > {_LEVEL}) <= delta/2"),
            Cite(
                "cor:hp-shared-localized",
                {**AT_START, "T": "1", "delta": "delta/2", "lam": "lam0"},
                using=("threshold",),
            ),
            "the localized deviation bound with failure probability delta/2",
            name="deviation",
        ),
        Step(
            Fact(f"8*d/sqrt(M0)*S**(p/2)*(8*S*q0**(-1/p))**(1 - p/2)*sqrt(lam0) == 8*8**(1 - p/2)*({_RATE})"),
            Decide(("start ratio",)),
            name="first",
        ),
        Step(
            Fact("1 + sqrt(2*lam0) <= 262/100*sqrt(lam0)"), Decide(("level",)), "lambda_0 >= log 2", name="lambda root"
        ),
        Step(Fact("8*S*q0**(-1/p)/S == 8*q0**(-1/p)"), Decide(), name="ratio"),
        Step(Fact("1 + log(8*q0**(-1/p)) <= (1 + log(8))*(1 + log(1/q0))"), Decide(), name="log split"),
        Step(Fact("1 + log(8*q0**(-1/p)) >= 0"), Decide(), name="log sign"),
        Step(Fact("1 + log(1/q0) >= 0"), Decide(), name="log q"),
        Step(
            Fact(f"sqrt(1 + log(8*q0**(-1/p))) <= sqrt(1 + log(8))*{_LOG}"),
            ByRule(
                "root of a product",
                {"a": "1 + log(8*q0**(-1/p))", "b": "1 + log(8)", "c": "1 + log(1/q0)"},
                using=("log split", "log sign", "log q"),
            ),
            name="root",
        ),
        Step(Fact("8*8**(1 - p/2)*(262/100)*sqrt(1 + log(8)) <= 104.5"), Decide(), name="constant"),
        Step(
            Fact(f"{_FIRST} <= 104.5*({_RATE})*{_LOG}"),
            Follows(
                ("tau0", "ratio", "log sign", "log q", "lambda root", "first", "root", "constant"),
                (
                    "",
                    "",
                    "",
                    "",
                    f"{_A}*{_C}",
                    f"262/100*{_C}",
                    f"262/100*8*8**(1 - p/2)*({_RATE})",
                    f"({_RATE})*{_LOG}",
                ),
            ),
            "8 sqrt(8) sqrt(1 + log 8) 2.62 <= 104.5",
            name="first term",
        ),
        Step(Fact(f"8*d*(8*S*q0**(-1/p))/(3*M0)*lam0 == 64/3*({_RATE})"), Decide(("start ratio",)), name="linear"),
        Step(
            Fact(f"2**(2*p + 1)/(p - 1)*d*S**p*(8*S*q0**(-1/p))**(1 - p) == 2**(4 - p)/(p - 1)*({_RATE})"),
            Decide(),
            name="bias",
        ),
        Step(Fact(f"{_LOG} >= 1"), Decide(), name="root log"),
        Step(Fact(f"({_RATE}) >= 0"), Decide(), name="rate sign"),
        Step(Fact("2**(4 - p)/(p - 1) >= 0"), Decide(), name="bias sign"),
        Step(Fact("(104.5 + 64/3)*r*w <= 126*r*w", over=("r", "w"), where=("r >= 0", "w >= 0")), Decide(), name="sum"),
        Step(
            Fact(f"8*d*tau0/(3*M0)*lam0 <= 64/3*({_RATE})*{_LOG}"),
            Follows(("tau0", "linear", "root log"), ("", "1", f"64/3*({_RATE})")),
            name="second term",
        ),
        Step(
            Fact(f"2**(2*p + 1)/(p - 1)*d*S**p*tau0**(1 - p) <= 2**(4 - p)/(p - 1)*({_RATE})*{_LOG}"),
            Follows(("tau0", "bias", "root log"), ("", "1", f"2**(4 - p)/(p - 1)*({_RATE})")),
            name="third term",
        ),
        Step(Fact("1 + log(tau0/S) >= 0"), Decide(("threshold",)), name="log tau0"),
        Step(
            Fact(f"{_LEVEL} <= {G_BOUND}"),
            Follows(
                ("log q", "log tau0", "first term", "second term", "third term", "rate sign", "root log"),
                ("", "", "1", "1", "1", f"(126 - 104.5 - 64/3)*{_LOG}", ""),
            ),
            "104.5 + 64/3 <= 126",
            name="levels",
        ),
        Step(Fact(f"{_LEVEL} <= G"), Follows(("log tau0", "log q", "levels", "G"), ("", "", "1", "")), name="level G"),
        Step(
            Fact(f"P({_ERROR} > G) <= P({_ERROR} > {_LEVEL})"),
            ByRule("larger level", {"X": _ERROR, "a": _LEVEL, "b": "G"}, using=("level G",)),
            name="smaller",
        ),
        Step(
            Fact(f"P({_ERROR} <= G) == 1 - P(complement({_ERROR} <= G))"),
            ByRule("complement", {"A": f"{_ERROR} <= G"}),
            name="complement",
        ),
        Step(
            Fact(f"P(complement({_ERROR} <= G)) == P({_ERROR} > G)"),
            ByRule("negation", {"X": _ERROR, "a": "G"}),
            name="negation",
        ),
        Step(
            Fact(f"P({_ERROR} <= G) >= 1 - delta/2"),
            Follows(("complement", "negation", "smaller", "deviation"), ("", "", "1", "1")),
            "P(E_0) >= 1 - delta/2",
        ),
    ),
    bound=G_BOUND,
)
WARM_START = replace(
    WARM_START_USED,
    title="Warm-start deviation",
    text="If C_G is sufficiently large, |g_0 - grad f_mu(x_0)| <= G with probability at least 1 - delta/2.",
    claims=(),
    steps=(),
    imprecise="C_G is to be a sufficiently large absolute constant; none is independent of p",
    as_used=WARM_START_USED,
    twins=(
        Twin("the 126 of C_G lowered to 120", {"(126 + ": "(120 + ", "126*r*w": "120*r*w", "(126 - ": "(120 - "}),
        Twin("the bias constant 2^(4-p) lowered to 2^(3.99-p)", {"2**(4 - p)": "2**(3.99 - p)"}),
    ),
)

# ---------------------------------------------------------------- initialization

INIT = "5*alpha/4*G**2 + 2*alpha/(1 - beta)*(beta*((1 + L*alpha)*G + L*alpha*H) + (1 - beta)*B)**2 <= Dbar"
INIT_CONDITION = Statement(
    label="eq:momentum-init-condition",
    title="(Init)",
    kind="assumption",
    part=PART,
    text="(5 alpha/4) G^2 + (2 alpha/(1-beta)) (beta((1 + L alpha) G + L alpha H_mu) + (1-beta) B)^2 <= bar Delta_0.",
    claims=(Fact(INIT),),
)
H_PARAMETER = Parameter("H", "H_mu = sqrt(2 L Delta_0) + L mu", ("H >= 0",))
STEP_4 = Parameter("alpha", "stepsize", ("alpha > 0", "alpha <= 1/(4*L)"))
INIT_HYPOTHESES = {
    **PROCESS,
    **SMOOTHED,
    **INITIAL_FACTS,
    "smooth": SMOOTH_F,
    "below": BELOW,
    "bias": BIAS_FACT,
    "first momentum": Fact("at(ms, 0) == at(gs, 0)"),
    "warm": Fact(f"{_ERROR} <= G"),
    "H": Fact("H == sqrt(2*L*Delta0) + L*mu"),
    "Phi": Fact(PHI.format("t"), over=("t",)),
    "start": Fact("at(gap, 0) == f(at(xs, 0)) - fstar"),
    "running maximum": Fact("at(gap, t + 1) == max(at(gap, t), f(at(xs, t + 1)) - fstar)", over=("t",)),
    "Init": Fact(INIT),
    "warm start": Fact(f"P({_ERROR} <= G) >= 1 - delta/2"),
}
_G0, _D0, _D1, _M1, _U1 = "at(gs, 0)", "gradfmu(at(xs, 0))", "gradfmu(at(xs, 1))", "at(ms, 1)", "at(us, 1)"
_U1_BOUND = "beta*((1 + L*alpha)*G + L*alpha*H) + (1 - beta)*B"

INITIALIZATION = Statement(
    label="lem:momentum-initialization",
    title="Initialization",
    kind="lemma",
    part=PART,
    text="If alpha <= 1/(4L) and (Init), then E_0 implies Phi_1 - f_* <= 2 bar Delta_0; so this has probability at least "
    "1 - delta/2.",
    parameters=(D, L, MU, BETA, STEP_4, DELTA, BOUND_G, BOUND_B, H_PARAMETER, INITIAL, GAP),
    random=("v",),
    assumes=("ass:Well-defined", "ass:sample-smooth", "eq:momentum-init-condition"),
    hypotheses=INIT_HYPOTHESES,
    claims=(
        Fact("at(Phi, 1) - fstar <= 2*Dbar"),
        Fact("f(at(xs, 1)) - fstar <= 3*Dbar"),
        Fact("at(gap, 1) <= 4*Dbar"),
        Fact("P(at(Phi, 1) - fstar <= 2*Dbar) >= 1 - delta/2"),
    ),
    steps=(
        Step(
            Fact(
                f"fmu(at(xs, 0) - alpha*{_G0}) <= fmu(at(xs, 0)) - alpha/2*norm({_D0})**2 + 5*alpha/4*norm({_G0} - {_D0})**2"
            ),
            Cite("prop:hp-shared-onestep", {"x": "at(xs, 0)", "g": _G0}),
            "one-step descent",
            name="descent",
        ),
        Step(
            Fact(f"at(xs, 1) == at(xs, 0) - alpha*{_G0}"),
            Follows((Use("iterate", {"t": "0"}), "first momentum")),
            name="x1",
        ),
        Step(
            Fact(f"fmu(at(xs, 1)) == fmu(at(xs, 0) - alpha*{_G0})"),
            ByRule(
                "same point",
                {"y": "at(xs, 1)", "z": f"at(xs, 0) - alpha*{_G0}"},
                using=("x1",),
            ),
            name="same",
        ),
        Step(
            Fact("abs(fmu(at(xs, 0)) - f(at(xs, 0))) <= L*mu**2/2"),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, 0)"}),
            name="bias at 0",
        ),
        Step(
            Fact("abs(fmu(at(xs, 1)) - f(at(xs, 1))) <= L*mu**2/2"),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, 1)"}),
            name="bias at 1",
        ),
        Step(Fact("fmu(at(xs, 0)) - fstar <= Dbar"), Follows(("bias at 0", "initial gap", "bar")), name="start value"),
        Step(
            Fact("fmu(at(xs, 1)) - fstar <= Dbar + 5*alpha/4*G**2"),
            ByGram((_G0, _D0, "G"), using=("descent", "same", "start value", "warm")),
            "f_mu(x_1) - f_* <= bar Delta_0 + (5 alpha/4) G^2",
            name="value at 1",
        ),
        Step(
            Fact("2*alpha/(1 - beta)*a**2 >= 0", over=("a",)),
            Decide(),
            name="square",
        ),
        Step(
            Fact("fmu(at(xs, 1)) - fstar <= 2*Dbar"),
            Follows(("value at 1", "Init", Use("square", {"a": _U1_BOUND})), ("1", "1", "1")),
            name="value below",
        ),
        Step(Fact("L*mu**2/2 <= Dbar"), Follows(("bar",)), name="shift"),
        Step(
            Fact("f(at(xs, 1)) - fstar <= 3*Dbar"),
            Follows(("value below", "bias at 1", "shift")),
            "f(x_1) - f_* <= 3 bar Delta_0 < 4 bar Delta_0",
            name="f at 1",
        ),
        Step(
            Fact("at(gap, 1) <= 4*Dbar"),
            Follows(("start", "initial gap", "bar", Use("running maximum", {"t": "0"}), "f at 1")),
            "L_1 holds",
            name="L1",
        ),
        Step(
            Fact("norm(gradf(at(xs, 0)))**2 <= 2*L*(f(at(xs, 0)) - fstar)"),
            Cite("lem:hp-shared-grad-subopt", {"x": "at(xs, 0)"}),
            name="gradient",
        ),
        Step(Fact("a <= sqrt(b)", over=("a", "b"), where=("a >= 0", "b >= 0", "a**2 <= b")), Decide(), name="sqrt"),
        Step(
            Fact("norm(gradf(at(xs, 0)))**2 <= 2*L*Delta0"), Follows(("gradient", "initial gap")), name="gradient gap"
        ),
        Step(Fact("2*L*Delta0 >= 0"), Decide(), name="gap sign"),
        Step(Fact("norm(gradf(at(xs, 0))) >= 0"), Follows(()), name="norm sign"),
        Step(
            Fact("norm(gradf(at(xs, 0))) <= sqrt(2*L*Delta0)"),
            Follows(
                (
                    "gap sign",
                    "norm sign",
                    "gradient gap",
                    Use("sqrt", {"a": "norm(gradf(at(xs, 0)))", "b": "2*L*Delta0"}),
                )
            ),
            name="gradient root",
        ),
        Step(
            Fact(f"norm({_D0} - gradf(at(xs, 0))) <= L*mu"),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, 0)"}, part=1),
            name="gradient bias",
        ),
        Step(
            Fact(
                f"norm(gradf(at(xs, 0)) + ({_D0} - gradf(at(xs, 0)))) <= norm(gradf(at(xs, 0))) + norm({_D0} - gradf(at(xs, 0)))"
            ),
            ByRule("triangle", {"v": "gradf(at(xs, 0))", "w": f"{_D0} - gradf(at(xs, 0))"}),
            name="triangle 1",
        ),
        Step(
            Fact(f"norm({_D0}) <= H"),
            Follows(("triangle 1", "gradient root", "gradient bias", "H"), ("1", "1", "1", "-1")),
            "|grad f_mu(x_0)| <= H_mu",
            name="H bound",
        ),
        Step(
            Fact(f"norm({_D0} + ({_G0} - {_D0})) <= norm({_D0}) + norm({_G0} - {_D0})"),
            ByRule("triangle", {"v": _D0, "w": f"{_G0} - {_D0}"}),
            name="triangle 2",
        ),
        Step(
            Fact(f"norm({_G0}) <= H + G"), Follows(("triangle 2", "H bound", "warm")), "|g_0| <= H_mu + G", name="g0"
        ),
        Step(
            Fact(f"at(xs, 0) - at(xs, 1) == alpha*{_G0}"),
            Follows((Use("iterate", {"t": "0"}), "first momentum")),
            name="move",
        ),
        Step(
            Fact(f"norm(at(xs, 0) - at(xs, 1)) == norm(alpha*{_G0})"),
            ByRule("norm of equals", {"v": "at(xs, 0) - at(xs, 1)", "w": f"alpha*{_G0}"}, using=("move",)),
            name="move norm",
        ),
        Step(
            Fact(f"norm(alpha*{_G0}) == abs(alpha)*norm({_G0})"),
            ByRule("norm scale", {"c": "alpha", "v": _G0}),
            name="move scale",
        ),
        Step(Fact("abs(alpha) == alpha"), Decide(), name="modulus"),
        Step(
            Fact(f"norm(({_G0} - {_D0}) + ({_D0} - {_D1})) <= norm({_G0} - {_D0}) + norm({_D0} - {_D1})"),
            ByRule("triangle", {"v": f"{_G0} - {_D0}", "w": f"{_D0} - {_D1}"}),
            name="triangle 3",
        ),
        Step(
            Fact(f"norm({_G0} - {_D1}) <= G + L*alpha*norm({_G0})"),
            Follows(
                (
                    "modulus",
                    "move norm",
                    "move scale",
                    "triangle 3",
                    "warm",
                    Use("smoothed", {"y": "at(xs, 0)", "z": "at(xs, 1)"}),
                ),
                ("", "", "", "1", "1", "1"),
            ),
            "|g_0 - grad f_mu(x_1)| <= G + L alpha |g_0|",
            name="g0 at 1",
        ),
        Step(
            Fact(f"norm({_G0} - {_D1}) <= (1 + L*alpha)*G + L*alpha*H"),
            Follows(("g0 at 1", "g0"), ("1", "L*alpha")),
            name="distance",
        ),
        Step(
            Fact("sum(beta**(1 - s)*((1 - beta)*at(as, s)), s, 1, 1) == beta**(1 - 1)*((1 - beta)*at(as, 1))"),
            ByRule("first term", {"G": "beta**(1 - s)*((1 - beta)*at(as, s))", "s": "s"}),
            name="one term",
        ),
        Step(Fact("beta**(1 - 1) == 1"), Decide(), name="power"),
        Step(
            Fact("at(zs, 1) == (1 - beta)*at(as, 1)"),
            Follows((Use("weighted", {"t": "1"}), "one term", "power")),
            name="z1",
        ),
        Step(
            Fact(f"{_U1} == beta*({_G0} - {_D1}) + (1 - beta)*at(bs, 1)"),
            Follows(
                (
                    Use("corrected", {"t": "1"}),
                    Use("error", {"t": "1"}),
                    Use("momentum", {"t": "1"}),
                    Use("split", {"t": "1"}),
                    "first momentum",
                    "z1",
                )
            ),
            "u_1 = beta (g_0 - grad f_mu(x_1)) + (1-beta) b_1",
            name="u1",
        ),
        Step(Fact("norm(at(bs, 1)) <= B"), Follows(("L1", Use("bias", {"t": "1"}))), "|b_1| <= B", name="b1"),
        Step(
            Fact(f"norm({_U1}) == norm(beta*({_G0} - {_D1}) + (1 - beta)*at(bs, 1))"),
            ByRule("norm of equals", {"v": _U1, "w": f"beta*({_G0} - {_D1}) + (1 - beta)*at(bs, 1)"}, using=("u1",)),
            name="u1 norm",
        ),
        Step(
            Fact(
                f"norm(beta*({_G0} - {_D1}) + (1 - beta)*at(bs, 1)) <= norm(beta*({_G0} - {_D1})) + norm((1 - beta)*at(bs, 1))"
            ),
            ByRule("triangle", {"v": f"beta*({_G0} - {_D1})", "w": "(1 - beta)*at(bs, 1)"}),
            name="triangle 4",
        ),
        Step(
            Fact(f"norm(beta*({_G0} - {_D1})) == abs(beta)*norm({_G0} - {_D1})"),
            ByRule("norm scale", {"c": "beta", "v": f"{_G0} - {_D1}"}),
            name="scale 1",
        ),
        Step(
            Fact("norm((1 - beta)*at(bs, 1)) == abs(1 - beta)*norm(at(bs, 1))"),
            ByRule("norm scale", {"c": "1 - beta", "v": "at(bs, 1)"}),
            name="scale 2",
        ),
        Step(Fact("abs(beta) == beta"), Decide(), name="beta"),
        Step(Fact("abs(1 - beta) == 1 - beta"), Decide(), name="one minus beta"),
        Step(
            Fact(f"norm({_U1}) <= {_U1_BOUND}"),
            Follows(
                ("beta", "one minus beta", "scale 1", "scale 2", "u1 norm", "triangle 4", "distance", "b1"),
                ("", "", "", "", "", "1", "beta", "1 - beta"),
            ),
            "|u_1| <= beta((1 + L alpha) G + L alpha H_mu) + (1-beta) B",
            name="u1 bound",
        ),
        Step(Fact("a**2 <= b**2", over=("a", "b"), where=("a >= 0", "a <= b")), Decide(), name="squares"),
        Step(Fact(f"norm({_U1}) >= 0"), Follows(()), name="u1 sign"),
        Step(
            Fact(f"norm({_U1})**2 <= ({_U1_BOUND})**2"),
            Follows(("u1 sign", "u1 bound", Use("squares", {"a": f"norm({_U1})", "b": _U1_BOUND}))),
            name="u1 square",
        ),
        Step(
            Fact("at(Phi, 1) - fstar <= 2*Dbar"),
            Follows((Use("Phi", {"t": "1"}), "value at 1", "u1 square", "Init"), ("", "1", "2*alpha/(1 - beta)", "1")),
            "Phi_1 - f_* <= 2 bar Delta_0",
            name="Phi1",
        ),
        Step(
            Fact("P(at(Phi, 1) - fstar <= 2*Dbar) >= 1 - delta/2"),
            ByRule(
                "on the event",
                {"A": f"{_ERROR} <= G", "B": "at(Phi, 1) - fstar <= 2*Dbar", "q": "delta/2"},
                using=("warm start", "Phi1"),
            ),
            name="probability",
        ),
    ),
    concludes=(("Phi1",), ("f at 1",), ("L1",), ("probability",)),
    twins=(Twin("the conclusion 2 bar Delta_0 lowered to 1.9", {"fstar <= 2*Dbar": "fstar <= 1.9*Dbar"}),),
)
STATEMENTS = (WARM_START, INIT_CONDITION, INITIALIZATION)
