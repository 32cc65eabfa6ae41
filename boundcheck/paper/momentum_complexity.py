"""Momentum RSC-ZO: the main theorem with explicit constants, c_0 = 1/2 and c_1 = 1/13, and its query complexity."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.convergence import EPS
from boundcheck.paper.momentum_array import PART
from boundcheck.paper.momentum_convergence import DRIFT_K, FINAL, LOC, LOCALIZED_HYPOTHESES, SUM
from boundcheck.paper.momentum_drift import BIAS_FACT
from boundcheck.paper.momentum_fluctuation import FLUCTUATION_USED
from boundcheck.paper.momentum_initialization import H_PARAMETER, INIT
from boundcheck.paper.momentum_start import (
    G_BOUND,
    GAP,
    INITIAL,
    START_BATCH,
    START_HYPOTHESES,
    START_LAMBDA,
    START_RATIO,
    START_TAU,
)
from boundcheck.paper.momentum_symbols import (
    B_BOUND,
    BATCH,
    BETA,
    BOUND_B,
    BOUND_G,
    BOUND_U,
    DELTA,
    LAMBDA,
    RATIO,
    RUNNING_HYPOTHESES,
    RUNNING_RANDOM,
    STEP,
    TAU,
    U_BOUND,
)
from boundcheck.paper.symbols import LOCAL, MU, D, L

_KAPPA = "1/(16*sqrt(3))"
_INNER = "(beta*((1 + L*alpha)*G + L*alpha*Hmu) + (1 - beta)*B)"
_C = f"(beta*((1 + {_KAPPA}*(1 - beta))*282845/100000 + 2*{_KAPPA}*(1 - beta)) + (1 - beta)*43515/100000)"
_X = "512*sqrt(3)*L*Dbar/((1 - beta)*eps**2)"
HORIZON_1 = Parameter("T", "number of steps", ("T >= 1",), integer=True)
ROOT = Parameter("Y", "sqrt(L bar Delta_0)", ("Y > 0",))
CHOICES = {
    "step size": Fact("alpha == (1 - beta)/(16*sqrt(3)*L)"),
    "horizon": Fact(f"T == ceil({_X}) + 2"),
    "radius": Fact("mu <= eps/(4*L*d)"),
    "regime": Fact("eps**2 <= 32*L*Dbar"),
    "Y": Fact("Y == sqrt(L*Dbar)"),
}
ACCURACY = {
    "G small": Fact("G <= eps/2"),
    "U small": Fact("U <= eps/13"),
    "B small": Fact("B <= eps/13"),
}
_FREE = {k: f for k, f in LOCALIZED_HYPOTHESES.items() if k not in ("Init", "Loc")}
_AVERAGE = f"{SUM}/(T - 2)"

_CONDITION_STEPS = (
    Step(Fact("alpha <= 1/(4*L)"), Decide(("step size",)), name="alpha 4L"),
    Step(Fact("alpha <= (1 - beta)/(4*sqrt(3)*beta*L)"), Decide(("step size",)), name="alpha Lyapunov"),
    Step(Fact("L*Dbar > 0"), Decide(), name="LD"),
    Step(
        Fact(f"{_X} >= 55"),
        Decide(("regime",)),
        "1 - beta <= 1/2 and eps^2 <= 32 L bar Delta_0",
        name="x",
    ),
    Step(Fact("ceil(a) >= a", over=("a",)), Decide(), name="ceil above"),
    Step(Fact("ceil(a) <= a + 1", over=("a",)), Decide(), name="ceil below"),
    Step(Fact(f"T - 2 >= {_X}"), Follows(("horizon", Use("ceil above", {"a": _X}))), name="T above"),
    Step(Fact(f"T <= {_X} + 3"), Follows(("horizon", Use("ceil below", {"a": _X}))), name="T below"),
    Step(Fact("T >= 4"), Follows(("x", "T above"), ("1", "1")), "T >= 57", name="T"),
    Step(Fact("Y**2 == L*Dbar"), Decide(("Y",)), name="Y squared"),
    Step(Fact("sqrt(2*L*Delta0)**2 == 2*L*Delta0"), Decide(), name="root squared"),
    Step(Fact("(a + b)**2 <= 2*a**2 + 2*b**2", over=("a", "b")), Decide(), name="two squares"),
    Step(
        Fact("Hmu**2 <= 4*Y**2"),
        Follows(
            ("Hmu", "bar", "Y squared", "root squared", Use("two squares", {"a": "sqrt(2*L*Delta0)", "b": "L*mu"})),
            ("", "-4*L", "", "2", "1"),
        ),
        name="Hmu squared",
    ),
    Step(
        Fact("Hmu <= 2*Y"),
        Follows(("Hmu squared",), ("1/(Hmu + 2*Y)",)),
        "H_mu <= 2 sqrt(L bar Delta_0)",
        name="Hmu bound",
    ),
    Step(Fact("eps**2 <= 32*Y**2"), Follows(("regime", "Y squared"), ("1", "-32")), name="regime Y"),
    Step(Fact("eps**2 <= (56569/10000*Y)**2"), Follows(("regime Y",)), name="regime root"),
    Step(
        Fact("eps <= 56569/10000*Y"),
        Follows(("regime root",), ("1/(eps + 56569/10000*Y)",)),
        name="eps",
    ),
    Step(Fact("G <= 282845/100000*Y"), Follows(("G small", "eps"), ("1", "1/2")), name="G Y"),
    Step(Fact("B <= 43515/100000*Y"), Follows(("B small", "eps"), ("1", "1/13")), name="B Y"),
    Step(Fact(f"L*alpha == {_KAPPA}*(1 - beta)"), Decide(("step size",)), name="L alpha"),
    Step(
        Fact(
            "(beta*((1 + r)*G + r*Hmu) + (1 - beta)*B) <= (beta*((1 + r)*282845/100000 + 2*r) + (1 - "
            "beta)*43515/100000)*Y",
            over=("r",),
            where=("r >= 0",),
        ),
        Follows(("G Y", "B Y", "Hmu bound"), ("beta*(1 + r)", "1 - beta", "beta*r")),
        name="inner r",
    ),
    Step(Fact(f"{_KAPPA}*(1 - beta) >= 0"), Decide(), name="kappa"),
    Step(
        Fact(f"{_INNER} <= {_C}*Y"),
        Follows(("kappa", "L alpha", Use("inner r", {"r": f"{_KAPPA}*(1 - beta)"})), ("", "", "1")),
        name="inner",
    ),
    Step(Fact("a**2 <= b**2", over=("a", "b"), where=("a >= 0", "a <= b")), Decide(), name="squares"),
    Step(
        Fact("(beta*((1 + r)*G + r*Hmu) + (1 - beta)*B) >= 0", over=("r",), where=("r >= 0",)),
        Decide(),
        name="inner r sign",
    ),
    Step(Fact("L*alpha >= 0"), Decide(), name="L alpha sign"),
    Step(Fact(f"{_INNER} >= 0"), Follows(("L alpha sign", Use("inner r sign", {"r": "L*alpha"}))), name="inner sign"),
    Step(
        Fact(f"{_INNER}**2 <= ({_C}*Y)**2"),
        Follows(("inner sign", "inner", Use("squares", {"a": _INNER, "b": f"{_C}*Y"}))),
        name="inner squared",
    ),
    Step(
        Fact("G**2 <= (282845/100000*Y)**2"),
        Follows(("G Y", Use("squares", {"a": "G", "b": "282845/100000*Y"}))),
        name="G squared",
    ),
    Step(
        Fact(f"5/4*{_KAPPA}*(1 - beta)*(282845/100000)**2 + 2*{_KAPPA}*{_C}**2 <= 1"),
        Decide(),
        "c_0 = 1/2 and c_1 = 1/13 are small enough for every beta in [1/2, 1)",
        name="small",
    ),
    Step(
        Fact(
            f"5*alpha/4*(282845/100000*Y)**2 + 2*alpha/(1 - beta)*({_C}*Y)**2 == (5/4*{_KAPPA}*(1 - "
            f"beta)*(282845/100000)**2 + 2*{_KAPPA}*{_C}**2)*Y**2/L"
        ),
        Decide(("step size",)),
        name="Init form",
    ),
    Step(Fact("Y**2/L == Dbar"), Decide(("Y squared",)), name="Y over L"),
    Step(
        Fact(INIT),
        Follows(
            ("G squared", "inner squared", "Init form", "small", "Y over L"),
            ("5*alpha/4", "2*alpha/(1 - beta)", "1", "Y**2/L", "1"),
        ),
        "(Init) holds",
        name="Init holds",
    ),
    Step(
        Fact("U**2 <= (eps/13)**2"), Follows(("U small", Use("squares", {"a": "U", "b": "eps/13"}))), name="U squared"
    ),
    Step(
        Fact("B**2 <= (eps/13)**2"), Follows(("B small", Use("squares", {"a": "B", "b": "eps/13"}))), name="B squared"
    ),
    Step(Fact("U**2 + 4*B**2 <= 5*eps**2/169"), Follows(("U squared", "B squared"), ("1", "4")), name="noise level"),
    Step(Fact(f"alpha*({_X}) == 32*Dbar/eps**2"), Decide(("step size",)), name="alpha T"),
    Step(Fact(f"{_KAPPA}*(1 - beta) <= 3/160"), Decide(), name="kappa small"),
    Step(
        Fact("alpha*eps**2 <= 3/5*Dbar"),
        Follows(("regime", "L alpha", "kappa small"), ("alpha", "32*Dbar", "32*Dbar")),
        name="alpha eps",
    ),
    Step(
        Fact("(T - 1)*alpha <= 32*Dbar/eps**2 + 2*alpha"),
        Follows(("T below", "alpha T"), ("alpha", "1")),
        "(T-1) alpha <= 32 bar Delta_0/eps^2 + 2 alpha",
        name="T alpha",
    ),
    Step(Fact("U**2 + 4*B**2 >= 0"), Decide(), name="drift sign"),
    Step(
        Fact("(T - 1)*alpha*(U**2 + 4*B**2) <= (32*Dbar/eps**2 + 2*alpha)*(5*eps**2/169)"),
        Follows(("drift sign", "T alpha", "noise level"), ("", "U**2 + 4*B**2", "32*Dbar/eps**2 + 2*alpha")),
        name="Loc left",
    ),
    Step(
        Fact("(32*Dbar/eps**2 + 2*alpha)*(5*eps**2/169) == 160/169*Dbar + 10/169*(alpha*eps**2)"),
        Decide(),
        name="Loc form",
    ),
    Step(
        Fact(LOC),
        Follows(("Loc left", "Loc form", "alpha eps"), ("1", "1", "10/169")),
        "(Loc) holds: 160/169 + 6/169 <= 1",
        name="Loc holds",
    ),
    Step(
        Fact("alpha*(T - 2) >= 32*Dbar/eps**2"), Follows(("T above", "alpha T"), ("alpha", "-1")), name="alpha T above"
    ),
    Step(Fact("8*a/b <= e/4", over=("a", "b", "e"), where=("a > 0", "e > 0", "b >= 32*a/e")), Decide(), name="ratio"),
    Step(
        Fact("8*Dbar/(alpha*(T - 2)) <= eps**2/4"),
        Follows(("alpha T above", Use("ratio", {"a": "Dbar", "b": "alpha*(T - 2)", "e": "eps**2"}))),
        name="first",
    ),
    Step(Fact("L*mu <= eps/4"), Decide(("radius",)), "mu <= eps/(4 L d)", name="L mu"),
    Step(Fact("L*mu >= 0"), Decide(), name="L mu sign"),
    Step(
        Fact("2*L**2*mu**2 <= eps**2/8"),
        Follows(
            ("L mu", "L mu sign", Use("squares", {"a": "L*mu", "b": "eps/4"})),
            ("", "", "2"),
        ),
        name="smoothing",
    ),
    Step(Fact("4*U**2 + 16*B**2 <= 20*eps**2/169"), Follows(("noise level",), ("4",)), name="noise"),
    Step(
        Fact(f"{FINAL} <= eps**2"),
        Follows(("T", "first", "noise", "smoothing"), ("", "1", "1", "1")),
        "1/4 + 20/169 + 1/8 <= 1",
        name="final",
    ),
)
COROLLARY_USED = Statement(
    label="cor:momentum-complexity",
    title="Complexity of momentum RSC-ZO, with c_0 = 1/2 and c_1 = 1/13",
    kind="corollary",
    part=PART,
    text="With alpha = (1-beta)/(16 sqrt(3) L), T = ceil(512 sqrt(3) L bar Delta_0/((1-beta) eps^2)) + 2, mu <= "
    "eps/(4 L d), "
    "eps^2 <= 32 L bar Delta_0, G <= eps/2, U <= eps/13 and B <= eps/13, for every eps > 0: (Init) and (Loc) hold, "
    "and with "
    "probability at least 1 - delta the average of |grad f(x_t)|^2 over t = 1, ..., T-2 is at most eps^2.",
    parameters=(
        D,
        L,
        MU,
        BETA,
        STEP,
        DELTA,
        HORIZON_1,
        EPS,
        BOUND_G,
        BOUND_B,
        BOUND_U,
        H_PARAMETER,
        INITIAL,
        GAP,
        DRIFT_K,
        ROOT,
    ),
    random=("v",),
    assumes=("ass:Well-defined", "ass:sample-smooth"),
    hypotheses={**_FREE, **CHOICES, **ACCURACY},
    claims=(Fact(INIT), Fact(LOC), Fact(f"P({_AVERAGE} <= eps**2) >= 1 - delta")),
    steps=(
        *_CONDITION_STEPS,
        Step(
            Fact(f"P({_AVERAGE} <= {FINAL}) >= 1 - delta"),
            Cite("thm:momentum-localized-convergence", using=("alpha 4L", "alpha Lyapunov", "T"), part=1),
            name="convergence",
        ),
        Step(
            Fact(f"P({_AVERAGE} <= {FINAL}) <= P({_AVERAGE} <= eps**2)"),
            ByRule("wider range", {"X": _AVERAGE, "a": FINAL, "b": "eps**2"}, using=("final",)),
            name="larger",
        ),
        Step(
            Fact(f"P({_AVERAGE} <= eps**2) >= 1 - delta"),
            Follows(("convergence", "larger"), ("1", "1")),
            name="conclusion",
        ),
    ),
    concludes=(("Init holds",), ("Loc holds",), ("conclusion",)),
    bound="eps**2",
)
COROLLARY = replace(
    COROLLARY_USED,
    title="Complexity of momentum RSC-ZO",
    text="If moreover G <= c_0 eps, U <= c_1 eps and B <= c_1 eps for sufficiently small absolute constants c_0, c_1 "
    "> 0, the "
    "average of |grad f(x_t)|^2 is at most eps^2 with probability at least 1 - delta; M_0 and M as displayed suffice "
    "up to logarithms.",
    claims=(),
    steps=(),
    concludes=(),
    imprecise="c_0, c_1 are to be sufficiently small and the orders of M_0, M hide constants and logarithms",
    as_used=COROLLARY_USED,
    twins=(
        Twin("c_1 = 1/13 raised to 1/12.5", {"U <= eps/13": "U <= eps/12.5", "B <= eps/13": "B <= eps/12.5"}),
        Twin("c_0 = 1/2 raised to 0.7", {"G <= eps/2": "G <= 0.7*eps"}),
        Twin("the stepsize constant 16 lowered to 12", {"(16*sqrt(3)*L)": "(12*sqrt(3)*L)"}),
    ),
)

# ---------------------------------------------------------------- main theorem

_DERIVED = ("warm start", "weighted event", "bias")
_START = {f"at start: {k}": f for k, f in START_HYPOTHESES.items() if k not in ("initial gap", "bar")}
MAIN_USED = Statement(
    label="thm:momentum-main",
    title="High-probability convergence of momentum RSC-ZO, all constants explicit",
    kind="theorem",
    part=PART,
    text="As cor:momentum-complexity, with tau = 8 S_mu (M/((1-beta) lambda))^(1/p), tau_0 = 8 S_mu "
    "(M_0/lambda_0)^(1/p) and "
    "G = (126 + 2^(4-p)/(p-1)) d S_mu q_0^((p-1)/p) sqrt(1 + log(1/q_0)) <= eps/2, U = 112 d S_mu q^((p-1)/p) "
    "sqrt(1 + log(1/q)) <= eps/13, B = 2^(4-p)/(p-1) d S_mu q^((p-1)/p) <= eps/13, q_0 = lambda_0/M_0, q = (1-beta) "
    "lambda/M.",
    parameters=(
        *LOCAL,
        BETA,
        STEP,
        DELTA,
        HORIZON_1,
        EPS,
        BOUND_G,
        BOUND_B,
        BOUND_U,
        H_PARAMETER,
        INITIAL,
        DRIFT_K,
        ROOT,
        BATCH,
        LAMBDA,
        RATIO,
        TAU,
        START_BATCH,
        START_TAU,
        START_LAMBDA,
        START_RATIO,
    ),
    random=RUNNING_RANDOM,
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={
        **RUNNING_HYPOTHESES,
        **{k: f for k, f in FLUCTUATION_USED.hypotheses.items() if k not in RUNNING_HYPOTHESES},
        **_START,
        **{k: f for k, f in _FREE.items() if k not in _DERIVED},
        **CHOICES,
        **ACCURACY,
        "b": Fact("at(bs, t) == Egiven(at(gs, t), past) - gradfmu(at(xs, t))", over=("t",)),
        "U": Fact(f"U == {U_BOUND}"),
        "B": Fact(f"B == {B_BOUND}"),
        "G": Fact(f"G == {G_BOUND}"),
    },
    claims=(Fact(f"P({_AVERAGE} <= eps**2) >= 1 - delta"),),
    steps=(
        *(s for s in _CONDITION_STEPS if s.name in ("x", "ceil above", "T above", "T")),
        *(Step(f, Follows((k,))) for k, f in _START.items()),
        Step(
            Fact("P(norm(at(gs, 0) - gradfmu(at(xs, 0))) <= G) >= 1 - delta/2"),
            Cite("lem:momentum-warm-start", as_used=True),
            "warm start",
        ),
        Step(
            Fact("P(meet(complement(norm(at(zst, t)) > U), t, 1, T - 1)) >= 1 - delta/2"),
            Cite("lem:momentum-stopped-fluctuation", using=("T",), part=1, as_used=True),
            "stopped weighted fluctuation",
        ),
        Step(BIAS_FACT, Cite("lem:momentum-onestep-bias", using=("T",), as_used=True), "one-step bias"),
        Step(
            Fact(f"P({_AVERAGE} <= eps**2) >= 1 - delta"),
            Cite("cor:momentum-complexity", part=2, as_used=True),
        ),
    ),
    bound="eps**2",
)
MAIN = replace(
    MAIN_USED,
    title="High-probability convergence of momentum RSC-ZO",
    text="With M_0 = Theta~((R_mu/eps)^(p/(p-1))) and M = Theta~((1-beta)(R_mu/eps)^(p/(p-1))), R_mu = d S_mu: with "
    "probability at "
    "least 1 - delta the average of |grad f(x_t)|^2 over t = 1, ..., T-2 is at most eps^2.",
    claims=(),
    steps=(),
    imprecise="Theta~ for M_0 and M hides constants and logarithms; as an upper bound of M it cannot suffice",
    as_used=MAIN_USED,
    twins=(Twin("C_U = 112 lowered to 100", {"112": "100"}),),
)
STATEMENTS = (COROLLARY, MAIN)
