"""Beyond the paper: convergence of base RSC-ZO with step 1/L, and a batch that is linear in d."""

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
from boundcheck.paper.convergence import EPS
from boundcheck.paper.deviation import DELTA
from boundcheck.paper.sharp_deviation import (
    DEVIATION,
    ESTIMATOR_HYPOTHESES,
    ESTIMATOR_PARAMETERS,
    ESTIMATOR_RANDOM,
    LOG_LEVEL,
)
from boundcheck.paper.sharp_slope import PART
from boundcheck.paper.symbols import BELOW, SMOOTH_F, L

STEP_L = Parameter("alpha", "stepsize", ("alpha > 0", "alpha <= 1/L"))
_DESCENT = "f(x - alpha*g) <= f(x) - alpha/2*norm(gradf(x))**2 + 1/2*alpha*norm(g - gradf(x))**2"
ONE_STEP = Statement(
    label="app:sharp-onestep-f",
    title="One-step descent of f itself",
    kind="proposition",
    part=PART,
    text="For every alpha <= 1/L: f(x - alpha g) <= f(x) - (alpha/2)|grad f(x)|^2 + (alpha/2)|g - grad f(x)|^2.",
    parameters=(L, STEP_L),
    assumes=("ass:sample-smooth", "rem:f-smooth"),
    hypotheses={"smooth": SMOOTH_F},
    claims=(Fact(_DESCENT),),
    steps=(
        Step(
            Fact("f(x + -alpha*g) <= f(x) + dot(gradf(x), -alpha*g) + L/2*norm(-alpha*g)**2"),
            ByRule("descent lemma", {"x": "x", "h": "-alpha*g"}, using=("smooth",)),
            name="smoothness",
        ),
        Step(
            Fact("dot(gradf(x), -alpha*g) == -alpha*dot(gradf(x), g)"),
            ByRule("dot of a multiple", {"c": "-alpha", "v": "gradf(x)", "w": "g"}),
            name="slope",
        ),
        Step(
            Fact("norm(-alpha*g) == abs(-alpha)*norm(g)"),
            ByRule("norm scale", {"c": "-alpha", "v": "g"}),
            name="length",
        ),
        Step(
            Fact("f(x - alpha*g) <= f(x) - alpha*dot(gradf(x), g) + L*alpha**2/2*norm(g)**2"),
            Follows(("smoothness", "slope", "length"), ("1", "", "")),
            name="descent",
        ),
        Step(
            Fact(_DESCENT),
            ByGram(("gradf(x)", "g"), using=("descent",), sharp={"1/2": (_DESCENT.replace("1/2*", "c*"),)}),
        ),
    ),
    twins=(
        Twin("the constant 1/2 of the error lowered to 0.49", {"1/2*alpha*norm(g": "0.49*alpha*norm(g"}),
        Twin("the step range 1/L widened to 1.05/L", {"alpha <= 1/L": "alpha <= 1.05/L"}),
    ),
)

GAMMA = Parameter("Gam", "bound of f(x_t) - f_* along the run", ("Gam > 0",))
ETA = Parameter("eta", "deviation from grad f that is allowed", ("eta > 0",))
HORIZON_2 = Parameter("T", "number of iterates x_0, ..., x_(T-1)", ("T >= 2",), integer=True)
LOCAL_GAMMA = Fact("f(x) - fstar <= Gam")
LEVEL = "eta - L*mu"
#: What a plan must satisfy, with h = log(2 (T-1)/delta).
CONDITIONS = {
    "level": Fact("h == log(2*(T - 1)/delta)"),
    "deviation": Fact(f"{DEVIATION} <= {LEVEL}"),
    "accuracy": Fact("2*L*Delta0 + (T - 1)*eta**2 <= T*eps**2"),
    "radius": Fact("Gam == Delta0 + (T - 1)*eta**2/(2*L)"),
    "N": Fact("N == sqrt(2*L*Gam)"),
}
_ERROR = "norm(at(gs, t) - gradfmu(at(xs, t)))"
_BAD = f"both({_ERROR} > {LEVEL}, at(gap, t) <= Gam)"
_SQUARE = "norm(gradf(at(xs, s)))**2"
_LOCAL_T = ("at(gap, t) <= Gam", "t >= 0", "t <= T - 2")
_RUN = ("s >= 0", "s <= T - 1 - 1")
_DRIFT = "alpha/2*eta**2"
_SUM = f"sum({_SQUARE}, s, 0, T - 1)"
_SUM_1 = f"sum({_SQUARE}, s, 0, T - 1 - 1)"

SHARP_THEOREM = Statement(
    label="app:sharp-convergence",
    title="High-probability convergence of base RSC-ZO with a batch linear in d",
    kind="theorem",
    part=PART,
    text="With alpha = 1/L and T >= 2: if the deviation bound with h = log(2(T-1)/delta), N^2 = 2L Gamma, Gamma = "
    "Delta_0 + (T-1) eta^2/(2L) is at most eta - L mu, and 2 L Delta_0 + (T-1) eta^2 <= T eps^2, then with "
    "probability at least 1 - delta the average of |grad f(x_t)|^2 over t < T is at most eps^2. For every eps > 0.",
    parameters=(
        *ESTIMATOR_PARAMETERS,
        LOG_LEVEL,
        HORIZON_2,
        DELTA,
        EPS,
        Parameter("alpha", "stepsize", ("alpha > 0",)),
        Parameter("Delta0", "initial gap f(x_0) - f_*", ("Delta0 >= 0",)),
        ETA,
        GAMMA,
    ),
    random=(*ESTIMATOR_RANDOM, "v"),
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob", "rem:f-smooth"),
    hypotheses={
        **{k: f for k, f in ESTIMATOR_HYPOTHESES.items() if k != "gradient"},
        **CONDITIONS,
        "below": BELOW,
        "ball": Fact("law(v) == ball(d)"),
        "localized": LOCAL_GAMMA,
        "step size": Fact("alpha == 1/L"),
        "iterate": Fact("at(xs, t + 1) == at(xs, t) - alpha*at(gs, t)", over=("t",)),
        "fresh": Fact("iid(samples, past) == 1"),
        "past": Fact("measurable(ind(at(gap, t) <= Gam), past) == 1", over=("t",)),
        "start": Fact("at(gap, 0) == f(at(xs, 0)) - fstar"),
        "initial gap": Fact("f(at(xs, 0)) - fstar == Delta0"),
        "running maximum": Fact("at(gap, t + 1) == max(at(gap, t), f(at(xs, t + 1)) - fstar)", over=("t",)),
        "growing": Fact("at(gap, s) <= at(gap, t)", over=("s", "t"), where=("s <= t",)),
        "covers": Fact("f(at(xs, t)) - fstar <= at(gap, t)", over=("t",)),
        "good event": Fact(f"{_ERROR} <= {LEVEL}", over=("t",), where=_LOCAL_T),
        "values": Fact("at(vs, s) == f(at(xs, s)) - fstar", over=("s",)),
        "w": Fact(f"at(w, s) == alpha/2*{_SQUARE}", over=("s",)),
    },
    claims=(
        Fact(f"P({_SUM}/T <= eps**2) >= 1 - delta"),
        Fact(f"least({_SQUARE}, s, 0, T - 1) <= eps**2"),
    ),
    steps=(
        Step(
            Fact("norm(gradf(x))**2 <= 2*L*(f(x) - fstar)"),
            Cite("lem:hp-shared-grad-subopt"),
            name="gradient gap",
        ),
        Step(
            Fact("norm(gradf(x))**2 <= 2*L*Gam"),
            Follows(("gradient gap", "localized"), ("1", "2*L")),
            name="gradient squared",
        ),
        Step(Fact("sqrt(2*L*Gam)**2 == 2*L*Gam"), Decide(), name="root"),
        Step(Fact("sqrt(2*L*Gam) > 0"), Decide(), name="root sign"),
        Step(Fact("norm(gradf(x)) >= 0"), Follows(()), name="norm sign"),
        Step(
            Fact("norm(gradf(x)) <= sqrt(2*L*Gam)"),
            Follows(
                ("gradient squared", "root", "root sign", "norm sign"),
                ("1/(norm(gradf(x)) + sqrt(2*L*Gam))", "1/(norm(gradf(x)) + sqrt(2*L*Gam))", "", ""),
            ),
            name="gradient root",
        ),
        Step(Fact("norm(gradf(x)) <= N"), Follows(("gradient root", "N")), name="gradient"),
        Step(Fact("log(2/(delta/(T - 1))) == log(2*(T - 1)/delta)"), Decide(), name="logs"),
        Step(Fact("h == log(2/(delta/(T - 1)))"), Follows(("logs", "level")), name="h"),
        Step(Fact("delta/(T - 1) > 0"), Decide(), name="rho sign"),
        Step(Fact("delta/(T - 1) <= 1"), Decide(), name="rho"),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {DEVIATION}) <= delta/(T - 1)"),
            Cite("app:sharp-deviation", {"rho": "delta/(T - 1)"}, using=("gradient", "h", "rho", "rho sign")),
            "deviation at a fixed localized point",
            name="deviates",
        ),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {LEVEL}) <= P(norm(g - gradfmu(x)) > {DEVIATION})"),
            ByRule("larger level", {"X": "norm(g - gradfmu(x))", "a": DEVIATION, "b": LEVEL}, using=("deviation",)),
            name="larger",
        ),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {LEVEL}) <= delta/(T - 1)"),
            Follows(("deviates", "larger"), ("1", "1")),
            name="fixed point",
        ),
        Step(
            Fact(
                f"ind(at(gap, t) <= Gam)*Pgiven({_ERROR} > {LEVEL}, past) <= ind(at(gap, t) <= Gam)*(delta/(T - 1))",
                over=("t",),
            ),
            ByRule(
                "fresh samples",
                {"b": LEVEL, "q": "delta/(T - 1)", "c": "Gam", "Lo": "at(gap, t) <= Gam", "t": "t"},
                using=("fixed point", "localized", "fresh", "covers"),
            ),
            name="given the past",
        ),
        Step(
            Fact(f"P({_BAD}) <= delta/(T - 1)", over=("t",)),
            ByRule(
                "conditioning on the past",
                {"A": f"{_ERROR} > {LEVEL}", "G": "at(gap, t) <= Gam", "q": "delta/(T - 1)"},
                using=("past", "given the past"),
            ),
            name="bad",
        ),
        Step(
            Fact(f"P(union({_BAD}, t, 0, T - 2)) <= (T - 2 - 0 + 1)*(delta/(T - 1))"),
            ByRule(
                "union of a family",
                {"A": _BAD, "t": "t", "a": "0", "b": "T - 2", "q": "delta/(T - 1)"},
                using=("bad",),
            ),
            "union bound over the T-1 estimates that the conclusion rests on",
            name="union",
        ),
        Step(
            Fact(f"P(meet(complement({_BAD}), t, 0, T - 2)) == 1 - P(union({_BAD}, t, 0, T - 2))"),
            ByRule("de Morgan", {"A": _BAD, "t": "t", "a": "0", "b": "T - 2"}),
            name="de Morgan",
        ),
        Step(Fact("(T - 2 - 0 + 1)*(delta/(T - 1)) == delta"), Decide(), name="total"),
        Step(
            Fact(f"P(meet(complement({_BAD}), t, 0, T - 2)) >= 1 - delta"),
            Follows(("union", "de Morgan", "total"), ("1", "", "1")),
            "P(G) >= 1 - delta",
            name="event",
        ),
        Step(Fact("eta**2/(2*L) >= 0"), Decide(), name="share"),
        Step(
            Fact("at(gap, 0) <= Gam"),
            Follows(("start", "initial gap", "radius", "share"), ("", "", "", "T - 1")),
            name="L0",
        ),
        Step(
            Fact(
                f"f(at(xs, s) - alpha*at(gs, s)) <= f(at(xs, s)) - alpha/2*{_SQUARE} "
                "+ 1/2*alpha*norm(at(gs, s) - gradf(at(xs, s)))**2",
                over=("s",),
            ),
            Cite("app:sharp-onestep-f", {"x": "at(xs, s)", "g": "at(gs, s)"}, using=("step size",)),
            name="descent",
        ),
        Step(
            Fact("f(at(xs, s + 1)) == f(at(xs, s) - alpha*at(gs, s))", over=("s",)),
            ByRule(
                "same point of f",
                {"y": "at(xs, s + 1)", "z": "at(xs, s) - alpha*at(gs, s)"},
                using=(Use("iterate", {"t": "s"}),),
            ),
            name="same",
        ),
        Step(
            Fact("norm(gradfmu(at(xs, s)) - gradf(at(xs, s))) <= L*mu", over=("s",)),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, s)"}, part=1),
            name="smoothing bias",
        ),
        Step(
            Fact(
                "norm((at(gs, s) - gradfmu(at(xs, s))) + (gradfmu(at(xs, s)) - gradf(at(xs, s)))) "
                "<= norm(at(gs, s) - gradfmu(at(xs, s))) + norm(gradfmu(at(xs, s)) - gradf(at(xs, s)))",
                over=("s",),
            ),
            ByRule(
                "triangle",
                {"v": "at(gs, s) - gradfmu(at(xs, s))", "w": "gradfmu(at(xs, s)) - gradf(at(xs, s))"},
            ),
            name="triangle",
        ),
        Step(
            Fact(
                "norm(at(gs, s) - gradf(at(xs, s))) <= eta",
                over=("s",),
                where=("at(gap, s) <= Gam", "s >= 0", "s <= T - 2"),
            ),
            Follows(("triangle", "smoothing bias", Use("good event", {"t": "s"})), ("1", "1", "1")),
            "|g_t - grad f(x_t)| <= eta",
            name="error",
        ),
        Step(
            Fact("a**2 <= b**2", over=("a", "b"), where=("a >= 0", "a <= b")),
            Decide(),
            name="squares",
        ),
        Step(
            Fact(
                "norm(at(gs, s) - gradf(at(xs, s)))**2 <= eta**2",
                over=("s",),
                where=("at(gap, s) <= Gam", "s >= 0", "s <= T - 2"),
            ),
            Follows(("error", Use("squares", {"a": "norm(at(gs, s) - gradf(at(xs, s)))", "b": "eta"}))),
            name="error squared",
        ),
        Step(
            Fact(
                f"at(vs, s + 1) <= at(vs, s) - at(w, s) + {_DRIFT}",
                over=("s", "t"),
                where=("at(gap, t) <= Gam", "s >= 0", "s <= t", "t <= T - 2"),
            ),
            Follows(
                ("growing", "values", Use("values", {"s": "s + 1"}), "w", "descent", "same", "error squared"),
                ("", "", "", "", "1", "", "1/2*alpha"),
            ),
            name="descends",
        ),
        Step(
            Fact(
                f"at(vs, t + 1) <= at(vs, 0) - sum(at(w, s), s, 0, t) + (t + 1)*({_DRIFT})",
                over=("t",),
                where=_LOCAL_T,
            ),
            ByRule("telescope", {"v": "vs", "w": "w", "c": _DRIFT, "n": "t + 1"}, using=("descends",)),
            name="so far",
        ),
        Step(Fact("at(w, s) >= 0", over=("s",)), Follows(("w",)), name="w sign"),
        Step(
            Fact("sum(at(w, s), s, 0, t) >= 0", over=("t",)),
            ByRule("sum of nonnegative terms", {"w": "w", "s": "s", "n": "t + 1"}, using=("w sign",)),
            name="sum sign",
        ),
        Step(
            Fact(f"(t + 1)*({_DRIFT}) <= (T - 1)*({_DRIFT})", over=("t",), where=("t <= T - 2",)),
            Decide(),
            name="fewer",
        ),
        Step(
            Fact(f"Gam == Delta0 + (T - 1)*({_DRIFT})"),
            Follows(("radius", "step size")),
            name="room",
        ),
        Step(
            Fact("f(at(xs, t + 1)) - fstar <= Gam", over=("t",), where=_LOCAL_T),
            Follows(
                (
                    "so far",
                    "sum sign",
                    "fewer",
                    "room",
                    "initial gap",
                    Use("values", {"s": "0"}),
                    Use("values", {"s": "t + 1"}),
                ),
                ("1", "1", "1", "-1", "", "", ""),
            ),
            name="next value",
        ),
        Step(
            Fact("at(gap, t + 1) <= Gam", over=("t",), where=_LOCAL_T),
            Follows(("next value", "running maximum")),
            name="next",
        ),
        Step(
            Fact("at(gap, t) <= Gam", over=("t",), where=("t >= 0", "t <= T - 1")),
            ByRule("induction", {"v": "gap", "c": "Gam", "n": "T - 1"}, using=("L0", Use("next", {"t": "s"}))),
            "by induction, L_t for all t < T",
            name="all",
        ),
        Step(
            Fact(f"at(vs, s + 1) <= at(vs, s) - at(w, s) + {_DRIFT}", over=("s",), where=_RUN),
            Follows((Use("all", {"t": "s"}), Use("descends", {"t": "s"}))),
            name="every step",
        ),
        Step(
            Fact(f"at(vs, T - 1) <= at(vs, 0) - sum(at(w, s), s, 0, T - 1 - 1) + (T - 1)*({_DRIFT})"),
            ByRule("telescope", {"v": "vs", "w": "w", "c": _DRIFT, "n": "T - 1"}, using=("every step",)),
            name="telescoped",
        ),
        Step(
            Fact(f"sum(alpha/2*{_SQUARE} + 0, s, 0, T - 1 - 1) == alpha/2*{_SUM_1} + (T - 1)*0"),
            ByRule("sum affine", {"c": "alpha/2", "k": "0", "G": _SQUARE, "s": "s", "n": "T - 1"}),
            name="affine",
        ),
        Step(
            Fact(f"sum(alpha/2*{_SQUARE} + 0, s, 0, T - 1 - 1) <= sum(at(w, s), s, 0, T - 1 - 1)"),
            ByRule(
                "sum monotone",
                {"G": f"alpha/2*{_SQUARE} + 0", "H": "at(w, s)", "s": "s", "a": "0", "b": "T - 1 - 1"},
                using=("w",),
            ),
            name="w sum",
        ),
        Step(
            Fact("norm(gradf(at(xs, T - 1)))**2 <= 2*L*(f(at(xs, T - 1)) - fstar)"),
            Cite("lem:hp-shared-grad-subopt", {"x": "at(xs, T - 1)"}),
            "the last iterate needs no estimate",
            name="last gradient",
        ),
        Step(
            Fact(f"{_SUM} == {_SUM_1} + norm(gradf(at(xs, T - 1)))**2"),
            ByRule("last term of a sum", {"G": _SQUARE, "s": "s", "n": "T - 1"}),
            name="last term",
        ),
        Step(
            Fact(f"1/(2*L)*{_SUM_1} <= Delta0 - (f(at(xs, T - 1)) - fstar) + (T - 1)*(1/(2*L)*eta**2)"),
            Follows(
                (
                    "step size",
                    "telescoped",
                    "affine",
                    "w sum",
                    "initial gap",
                    Use("values", {"s": "0"}),
                    Use("values", {"s": "T - 1"}),
                ),
                ("", "1", "", "1", "", "", ""),
            ),
            name="sum before",
        ),
        Step(
            Fact(f"{_SUM} <= 2*L*Delta0 + (T - 1)*eta**2"),
            Follows(("sum before", "last gradient", "last term"), ("2*L", "1", "1")),
            name="sum of squares",
        ),
        Step(
            Fact(f"{_SUM}/T <= eps**2"),
            Follows(("sum of squares", "accuracy"), ("1/T", "1/T")),
            name="average",
        ),
        Step(
            Fact(f"P({_SUM}/T <= eps**2) >= 1 - delta"),
            ByRule(
                "on the good event",
                {"A": _BAD, "B": f"{_SUM}/T <= eps**2", "q": "delta", "t": "t", "a": "0", "b": "T - 2"},
                using=("event", "average"),
            ),
            "on G, which has probability at least 1 - delta",
            name="claim",
        ),
        Step(
            Fact(f"least({_SQUARE}, s, 0, T - 1) <= eps**2"),
            ByRule("minimum below average", {"G": _SQUARE, "s": "s", "n": "T", "c": "eps**2"}, using=("average",)),
            name="least",
        ),
    ),
    concludes=(("claim",), ("least",)),
    bound="eps**2",
    twins=(
        Twin("the factor 2 of 2 L Delta_0 lowered to 1.9", {"2*L*Delta0 + (T": "1.9*L*Delta0 + (T"}),
        Twin("one estimate left out of the union", {"log(2*(T - 1)/delta)": "log(2*(T - 2)/delta)"}),
        Twin("the step 1/L lowered to 0.9/L", {"alpha == 1/L": "alpha == 0.9/L"}),
    ),
)

SHARP_TRIVIAL = Statement(
    label="app:sharp-trivial",
    title="Where nothing need be run",
    kind="remark",
    part=PART,
    text="If 2 L Delta_0 <= eps^2, then |grad f(x_0)| <= eps. (rem:trivial asks for 32 L bar Delta_0 < eps^2.)",
    parameters=(L, EPS, Parameter("Delta0", "initial gap", ("Delta0 >= 0",))),
    assumes=("ass:Well-defined", "ass:sample-smooth"),
    hypotheses={
        "smooth": SMOOTH_F,
        "below": BELOW,
        "initial gap": Fact("f(at(xs, 0)) - fstar == Delta0"),
        "regime": Fact("2*L*Delta0 <= eps**2"),
    },
    claims=(Fact("norm(gradf(at(xs, 0)))**2 <= eps**2"),),
    steps=(
        Step(
            Fact("norm(gradf(at(xs, 0)))**2 <= 2*L*(f(at(xs, 0)) - fstar)"),
            Cite("lem:hp-shared-grad-subopt", {"x": "at(xs, 0)"}),
        ),
        Step(Fact("2*L*(f(at(xs, 0)) - fstar) == 2*L*Delta0"), Follows(("initial gap",))),
        Step(Fact("norm(gradf(at(xs, 0)))**2 <= eps**2"), Follows((1, 2, "regime"))),
    ),
    twins=(Twin("the regime widened to 1.9 L Delta_0", {"2*L*Delta0 <= eps": "1.9*L*Delta0 <= eps"}),),
)
STATEMENTS = (ONE_STEP, SHARP_THEOREM, SHARP_TRIVIAL)
