"""Momentum RSC-ZO: the initialization and its condition (Init)."""

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
from boundcheck.paper.momentum_drift import BIAS_FACT
from boundcheck.paper.momentum_lyapunov import PHI
from boundcheck.paper.momentum_start import GAP, INITIAL, INITIAL_FACTS, START_ERROR
from boundcheck.paper.momentum_symbols import BETA, BOUND_B, BOUND_G, DELTA, PROCESS, SMOOTHED
from boundcheck.paper.symbols import BELOW, MU, SMOOTH_F, D, L

INIT = "5*alpha/4*G**2 + 2*alpha/(1 - beta)*(beta*((1 + L*alpha)*G + L*alpha*Hmu) + (1 - beta)*B)**2 <= Dbar"
INIT_CONDITION = Statement(
    label="eq:momentum-init-condition",
    title="(Init)",
    kind="assumption",
    part=PART,
    text="(5 alpha/4) G^2 + (2 alpha/(1-beta)) (beta((1 + L alpha) G + L alpha H_mu) + (1-beta) B)^2 <= bar Delta_0.",
    claims=(Fact(INIT),),
)
H_PARAMETER = Parameter("Hmu", "H_mu = sqrt(2 L Delta_0) + L mu", ("Hmu >= 0",))
STEP_4 = Parameter("alpha", "stepsize", ("alpha > 0", "alpha <= 1/(4*L)"))
INIT_HYPOTHESES = {
    **PROCESS,
    **SMOOTHED,
    **INITIAL_FACTS,
    "smooth": SMOOTH_F,
    "below": BELOW,
    "bias": BIAS_FACT,
    "first momentum": Fact("at(ms, 0) == at(gs, 0)"),
    "warm": Fact(f"{START_ERROR} <= G"),
    "Hmu": Fact("Hmu == sqrt(2*L*Delta0) + L*mu"),
    "Phi": Fact(PHI.format("t"), over=("t",)),
    "start": Fact("at(gap, 0) == f(at(xs, 0)) - fstar"),
    "running maximum": Fact("at(gap, t + 1) == max(at(gap, t), f(at(xs, t + 1)) - fstar)", over=("t",)),
    "Init": Fact(INIT),
    "warm start": Fact(f"P({START_ERROR} <= G) >= 1 - delta/2"),
}
_G0, _D0, _D1, _U1 = "at(gs, 0)", "gradfmu(at(xs, 0))", "gradfmu(at(xs, 1))", "at(us, 1)"
_U1_BOUND = "beta*((1 + L*alpha)*G + L*alpha*Hmu) + (1 - beta)*B"

INITIALIZATION = Statement(
    label="lem:momentum-initialization",
    title="Initialization",
    kind="lemma",
    part=PART,
    text="If alpha <= 1/(4L) and (Init), then E_0 implies Phi_1 - f_* <= 2 bar Delta_0; so this has probability at "
    "least "
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
                f"fmu(at(xs, 0) - alpha*{_G0}) <= fmu(at(xs, 0)) - alpha/2*norm({_D0})**2 + 5*alpha/4*norm({_G0} - "
                f"{_D0})**2"
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
                f"norm(gradf(at(xs, 0)) + ({_D0} - gradf(at(xs, 0)))) <= norm(gradf(at(xs, 0))) + norm({_D0} - "
                "gradf(at(xs, 0)))"
            ),
            ByRule("triangle", {"v": "gradf(at(xs, 0))", "w": f"{_D0} - gradf(at(xs, 0))"}),
            name="triangle 1",
        ),
        Step(
            Fact(f"norm({_D0}) <= Hmu"),
            Follows(("triangle 1", "gradient root", "gradient bias", "Hmu"), ("1", "1", "1", "-1")),
            "|grad f_mu(x_0)| <= H_mu",
            name="Hmu bound",
        ),
        Step(
            Fact(f"norm({_D0} + ({_G0} - {_D0})) <= norm({_D0}) + norm({_G0} - {_D0})"),
            ByRule("triangle", {"v": _D0, "w": f"{_G0} - {_D0}"}),
            name="triangle 2",
        ),
        Step(
            Fact(f"norm({_G0}) <= Hmu + G"),
            Follows(("triangle 2", "Hmu bound", "warm")),
            "|g_0| <= H_mu + G",
            name="g0",
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
            Fact(f"norm({_G0} - {_D1}) <= (1 + L*alpha)*G + L*alpha*Hmu"),
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
                f"norm(beta*({_G0} - {_D1}) + (1 - beta)*at(bs, 1)) <= norm(beta*({_G0} - {_D1})) + norm((1 - "
                "beta)*at(bs, 1))"
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
                {"A": f"{START_ERROR} <= G", "B": "at(Phi, 1) - fstar <= 2*Dbar", "q": "delta/2"},
                using=("warm start", "Phi1"),
            ),
            name="probability",
        ),
    ),
    concludes=(("Phi1",), ("f at 1",), ("L1",), ("probability",)),
    twins=(Twin("the conclusion 2 bar Delta_0 lowered to 1.9", {"fstar <= 2*Dbar": "fstar <= 1.9*Dbar"}),),
)
STATEMENTS = (INIT_CONDITION, INITIALIZATION)
