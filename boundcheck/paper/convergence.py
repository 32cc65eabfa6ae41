"""Theorem "High-probability convergence of base RSC-ZO", its localization argument, and the remarks that follow it."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.deviation import DELTA, HORIZON_3, LOCALIZED_TUNED, TUNED_BOUND
from boundcheck.paper.symbols import BATCH, BELOW, LOCAL, L

PART = "Base: convergence"
EPS = Parameter("eps", "target accuracy", ("eps > 0",))
LOCAL_T = ("at(gap, t) <= 4*Dbar", "t >= 0", "t <= T - 1")
ERROR = "norm(at(gs, t) - gradfmu(at(xs, t)))"
BAD = f"both({ERROR} > eta0, at(gap, t) <= 4*Dbar)"
DRIFT = "5*alpha/4*eta0**2"
SQUARE = "norm(gradf(at(xs, s)))**2"
SQUARE_MU = "norm(gradfmu(at(xs, s)))**2"
SUM_MU = f"sum({SQUARE_MU}, s, 0, T - 1)"

HYPOTHESES = {
    **LOCALIZED_TUNED.hypotheses,
    "iterate": Fact("at(xs, t + 1) == at(xs, t) - alpha*at(gs, t)", over=("t",)),
    "fresh": Fact("iid(samples, past) == 1"),
    "past": Fact("measurable(ind(at(gap, t) <= 4*Dbar), past) == 1", over=("t",)),
    "start": Fact("at(gap, 0) == f(at(xs, 0)) - fstar"),
    "initial gap": Fact("f(at(xs, 0)) - fstar == Delta0"),
    "bar": Fact("Dbar == Delta0 + L*mu**2/2"),
    "running maximum": Fact("at(gap, t + 1) == max(at(gap, t), f(at(xs, t + 1)) - fstar)", over=("t",)),
    "growing": Fact("at(gap, s) <= at(gap, t)", over=("s", "t"), where=("s <= t",)),
    "covers": Fact("f(at(xs, t)) - fstar <= at(gap, t)", over=("t",)),
    "good event": Fact(f"{ERROR} <= eta0", over=("t",), where=LOCAL_T),
    "v": Fact("at(v, s) == fmu(at(xs, s)) - fstar", over=("s",)),
    "w": Fact(f"at(w, s) == alpha/2*{SQUARE_MU}", over=("s",)),
    "ball": Fact("law(v) == ball(d)"),
    "step size": Fact("alpha == 1/(4*L)"),
    "eta0": Fact(f"eta0 == {TUNED_BOUND}"),
    "eta": Fact("eta == eta0 + L*mu"),
    "accuracy": Fact("eta <= eps/4"),
    "horizon": Fact("T == max(3, ceil(32*L*Dbar/eps**2))"),
    "regime": Fact("eps**2 <= 32*L*Dbar"),
}

THEOREM = Statement(
    label="thm:hp-shared-clipped",
    title="High-probability convergence of base RSC-ZO",
    kind="theorem",
    part=PART,
    text="With T = max{3, ceil(32 L bar Delta_0/eps^2)}, alpha = 1/(4L), tau = 8 S_mu (M/log(T/delta))^(1/p), "
    "M >= log(T/delta), eta <= eps/4 and eps^2 <= 32 L bar Delta_0: with probability at least 1 - delta, "
    "the average of "
    "|grad f(x_t)|^2 over t < T is at most eps^2, and some |grad f(x_t)| is at most eps.",
    parameters=(
        *LOCAL,
        BATCH,
        Parameter("tau", "clipping threshold", ("tau > 0",)),
        HORIZON_3,
        DELTA,
        Parameter("lam", "lambda = log(T/delta)", ("M >= lam",)),
        EPS,
        Parameter("alpha", "stepsize", ("alpha > 0",)),
        Parameter("eta0", "deviation bound", ("eta0 >= 0",)),
        Parameter("Delta0", "initial gap f(x_0) - f_*", ("Delta0 >= 0",)),
    ),
    random=("zeta", "u", "U1", "xi", "A", "X1", "g", "v"),
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses=HYPOTHESES,
    claims=(
        Fact(f"P(sum({SQUARE}, s, 0, T - 1)/T <= eps**2) >= 1 - delta"),
        Fact(f"least({SQUARE}, s, 0, T - 1) <= eps**2"),
    ),
    steps=(
        Step(Fact("log(T/delta) >= log(3)"), Decide(), "T >= 3 and delta <= 1"),
        Step(Fact("log(3) > 1"), Decide()),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {TUNED_BOUND}) <= delta/T"),
            Cite("cor:hp-shared-localized-tuned"),
            "deviation at a fixed localized point",
        ),
        Step(
            Fact("P(norm(g - gradfmu(x)) > eta0) <= delta/T"),
            ByRule(
                "level of equals",
                {"X": "norm(g - gradfmu(x))", "a": TUNED_BOUND, "b": "eta0", "q": "delta/T"},
                using=(3, "eta0"),
            ),
        ),
        Step(
            Fact(
                f"ind(at(gap, t) <= 4*Dbar)*Pgiven({ERROR} > eta0, past) <= ind(at(gap, t) <= 4*Dbar)*(delta/T)",
                over=("t",),
            ),
            ByRule(
                "fresh samples",
                {"b": "eta0", "q": "delta/T", "c": "4*Dbar", "Lo": "at(gap, t) <= 4*Dbar", "t": "t"},
                using=(4, "localized", "fresh", "covers"),
            ),
            "1_L P(E_t^c | F_{t-1}) <= 1_L delta/T",
        ),
        Step(
            Fact(f"P({BAD}) <= delta/T", over=("t",)),
            ByRule(
                "conditioning on the past",
                {"A": f"{ERROR} > eta0", "G": "at(gap, t) <= 4*Dbar", "q": "delta/T"},
                using=("past", 5),
            ),
            "P(E_t^c and L_t) <= delta/T",
        ),
        Step(
            Fact(f"P(union({BAD}, t, 0, T - 1)) <= (T - 1 - 0 + 1)*(delta/T)"),
            ByRule("union of a family", {"A": BAD, "t": "t", "a": "0", "b": "T - 1", "q": "delta/T"}, using=(6,)),
            "union bound",
        ),
        Step(
            Fact(f"P(meet(complement({BAD}), t, 0, T - 1)) == 1 - P(union({BAD}, t, 0, T - 1))"),
            ByRule("de Morgan", {"A": BAD, "t": "t", "a": "0", "b": "T - 1"}),
        ),
        Step(
            Fact(f"P(meet(complement({BAD}), t, 0, T - 1)) >= 1 - delta"),
            Follows((7, 8), ("1", "")),
            "P(G) >= 1 - delta",
        ),
        Step(Fact("Delta0 <= Dbar"), Follows(("bar",))),
        Step(
            Fact("at(gap, 0) <= 4*Dbar"),
            Follows(("start", "initial gap", 10)),
            "f(x_0) - f_* = Delta_0 <= bar Delta_0 <= 4 bar Delta_0",
        ),
        Step(
            Fact(
                "fmu(at(xs, s) - alpha*at(gs, s)) <= fmu(at(xs, s)) "
                f"- alpha/2*{SQUARE_MU} + 5*alpha/4*norm(at(gs, s) - gradfmu(at(xs, s)))**2",
                over=("s",),
            ),
            Cite("prop:hp-shared-onestep", {"x": "at(xs, s)", "g": "at(gs, s)"}, using=("step size",)),
            "one-step descent",
        ),
        Step(
            Fact("fmu(at(xs, s + 1)) == fmu(at(xs, s) - alpha*at(gs, s))", over=("s",)),
            ByRule(
                "same point",
                {"y": "at(xs, s + 1)", "z": "at(xs, s) - alpha*at(gs, s)"},
                using=(Use("iterate", {"t": "s"}),),
            ),
        ),
        Step(
            Fact(
                "norm(at(gs, s) - gradfmu(at(xs, s)))**2 <= eta0**2",
                over=("s",),
                where=("at(gap, s) <= 4*Dbar", "s >= 0", "s <= T - 1"),
            ),
            Follows((Use("good event", {"t": "s"}),)),
        ),
        Step(
            Fact(
                f"at(v, s + 1) <= at(v, s) - at(w, s) + {DRIFT}",
                over=("s",),
                where=("at(gap, s) <= 4*Dbar", "s >= 0", "s <= T - 1"),
            ),
            Follows(("v", Use("v", {"s": "s + 1"}), "w", 12, 13, 14), ("", "", "", "1", "", "5*alpha/4")),
            "descent on the good event",
        ),
        Step(
            Fact(
                f"at(v, s + 1) <= at(v, s) - at(w, s) + {DRIFT}",
                over=("s", "t"),
                where=("at(gap, t) <= 4*Dbar", "s >= 0", "s <= t", "t <= T - 1"),
            ),
            Follows(("growing", 15)),
            "L_t implies L_s for s <= t",
        ),
        Step(
            Fact(f"at(v, t + 1) <= at(v, 0) - sum(at(w, s), s, 0, t) + (t + 1)*({DRIFT})", over=("t",), where=LOCAL_T),
            ByRule("telescope", {"v": "v", "w": "w", "c": DRIFT, "n": "t + 1"}, using=(16,)),
            "summing from s = 0 to t",
        ),
        Step(Fact("at(w, s) >= 0", over=("s",)), Follows(("w",))),
        Step(
            Fact("sum(at(w, s), s, 0, t) >= 0", over=("t",)),
            ByRule("sum of nonnegative terms", {"w": "w", "s": "s", "n": "t + 1"}, using=(18,)),
        ),
        Step(
            Fact(f"at(v, t + 1) <= at(v, 0) + (t + 1)*({DRIFT})", over=("t",), where=LOCAL_T),
            Follows((17, 19)),
            "dropping the negative term",
        ),
        Step(
            Fact("abs(fmu(at(xs, 0)) - f(at(xs, 0))) <= L*mu**2/2"),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, 0)"}),
        ),
        Step(
            Fact("at(v, 0) <= Dbar"),
            Follows((Use("v", {"s": "0"}), 21, "initial gap", "bar")),
            "f_mu(x_0) - f_* <= f(x_0) - f_* + L mu^2/2 = bar Delta_0",
        ),
        Step(Fact(f"(t + 1)*({DRIFT}) <= T*({DRIFT})", over=("t",), where=("t <= T - 1",)), Decide(), "t + 1 <= T"),
        Step(
            Fact(f"at(v, t + 1) <= Dbar + T*({DRIFT})", over=("t",), where=LOCAL_T),
            Follows((20, 22, 23)),
        ),
        Step(
            Fact("max(3, ceil(a)) <= 3*a", over=("a",), where=("a >= 1",)), Decide(), "max{3, ceil a} <= 3a for a >= 1"
        ),
        Step(Fact("32*L*Dbar/eps**2 >= 1"), Decide(("regime",)), "eps^2 <= 32 L bar Delta_0"),
        Step(
            Fact("T <= 96*L*Dbar/eps**2"),
            Follows(("horizon", 26, Use(25, {"a": "32*L*Dbar/eps**2"}))),
        ),
        Step(Fact("eta0 <= eps/4"), Follows(("eta", "accuracy")), "eta_0 <= eta <= eps/4"),
        Step(
            Fact(f"T*({DRIFT}) <= 96*L*Dbar/eps**2*(5*alpha/4*eta0**2)"),
            Follows((27,), ("5*alpha/4*eta0**2",)),
        ),
        Step(Fact("eta0**2 <= (eps/4)**2"), Follows((28,))),
        Step(
            Fact("96*L*Dbar/eps**2*(5*alpha/4*eta0**2) <= 96*L*Dbar/eps**2*(5/(16*L)*(eps**2/16))"),
            Follows(("step size", 30), ("", "96*L*Dbar/eps**2*(5/(16*L))")),
        ),
        Step(
            Fact("96*L*Dbar/eps**2*(5/(16*L)*(eps**2/16)) == 15/8*Dbar"),
            Decide(),
            "5/(16L) * 96 L bar Delta_0/eps^2 * eps^2/16 = (15/8) bar Delta_0",
        ),
        Step(
            Fact("at(v, t + 1) <= 23/8*Dbar", over=("t",), where=LOCAL_T),
            Follows((24, 29, 31, 32)),
            "f_mu(x_{t+1}) - f_* <= (23/8) bar Delta_0",
        ),
        Step(
            Fact("abs(fmu(at(xs, s)) - f(at(xs, s))) <= L*mu**2/2", over=("s",)),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, s)"}),
        ),
        Step(
            Fact("f(at(xs, t + 1)) - fstar <= 31/8*Dbar", over=("t",), where=LOCAL_T),
            Follows((33, Use(34, {"s": "t + 1"}), Use("v", {"s": "t + 1"}), "bar")),
            "<= (23/8) bar Delta_0 + bar Delta_0 = (31/8) bar Delta_0",
        ),
        Step(Fact("31/8*Dbar < 4*Dbar"), Decide()),
        Step(
            Fact("at(gap, t + 1) <= 4*Dbar", over=("t",), where=LOCAL_T),
            Follows((35, 36, "running maximum")),
            "L_{t+1} holds",
        ),
        Step(
            Fact("at(gap, t) <= 4*Dbar", over=("t",), where=("t >= 0", "t <= T - 1")),
            ByRule("induction", {"v": "gap", "c": "4*Dbar", "n": "T - 1"}, using=(11, Use(37, {"t": "s"}))),
            "by induction, L_t for all t < T",
        ),
        Step(
            Fact(f"at(v, s + 1) <= at(v, s) - at(w, s) + {DRIFT}", over=("s",), where=("s >= 0", "s <= T - 1")),
            Follows((Use(38, {"t": "s"}), 15)),
            "hence E_t for all t < T",
        ),
        Step(
            Fact(f"at(v, T) <= at(v, 0) - sum(at(w, s), s, 0, T - 1) + T*({DRIFT})"),
            ByRule("telescope", {"v": "v", "w": "w", "c": DRIFT, "n": "T"}, using=(39,)),
            "summing over t = 0, ..., T-1",
        ),
        Step(
            Fact("fmu(at(xs, T)) >= fstar"),
            Cite("app:smoothing-lower-bound", {"x": "at(xs, T)"}),
            "f_mu >= f_*",
        ),
        Step(Fact("at(v, T) >= 0"), Follows((41, Use("v", {"s": "T"}))), "f_mu(x_T) >= f_*"),
        Step(
            Fact(f"sum(alpha/2*{SQUARE_MU} + 0, s, 0, T - 1) == alpha/2*{SUM_MU} + T*0"),
            ByRule("sum affine", {"c": "alpha/2", "k": "0", "G": SQUARE_MU, "s": "s", "n": "T"}),
        ),
        Step(
            Fact(f"sum(alpha/2*{SQUARE_MU} + 0, s, 0, T - 1) <= sum(at(w, s), s, 0, T - 1)"),
            ByRule(
                "sum monotone",
                {"G": f"alpha/2*{SQUARE_MU} + 0", "H": "at(w, s)", "s": "s", "a": "0", "b": "T - 1"},
                using=("w",),
            ),
        ),
        Step(
            Fact(f"alpha/2*{SUM_MU} <= Dbar + T*({DRIFT})"),
            Follows((40, 42, 22, 43, 44)),
            "(alpha/2) sum |grad f_mu(x_t)|^2 <= f_mu(x_0) - f_* + (5 alpha T/4) eta_0^2",
        ),
        Step(
            Fact(f"{SUM_MU}/T <= 2*Dbar/(alpha*T) + 5/2*eta0**2"),
            Follows((45,), ("2/(alpha*T)",)),
            "(1/T) sum |grad f_mu(x_t)|^2 <= 2 bar Delta_0/(alpha T) + (5/2) eta_0^2",
        ),
        Step(Fact("2*Dbar/(alpha*T) == 8*L*Dbar/T"), Decide(("step size",))),
        Step(Fact("max(3, ceil(a)) >= a", over=("a",)), Decide()),
        Step(
            Fact("T >= 32*L*Dbar/eps**2"),
            Follows(("horizon", Use(48, {"a": "32*L*Dbar/eps**2"}))),
        ),
        Step(Fact("8*L*Dbar/T <= eps**2/4"), Follows((49,), ("eps**2/(4*T)",)), "T >= 32 L bar Delta_0/eps^2"),
        Step(
            Fact(f"{SUM_MU}/T <= eps**2/4 + 5/2*eta0**2"),
            Follows((46, 47, 50)),
        ),
        Step(
            Fact("norm(gradfmu(at(xs, s)) - gradf(at(xs, s))) <= L*mu", over=("s",)),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, s)"}, part=1),
        ),
        Step(
            Fact(
                "norm(gradfmu(at(xs, s)) - (gradfmu(at(xs, s)) - gradf(at(xs, s)))) "
                "<= norm(gradfmu(at(xs, s))) + norm(gradfmu(at(xs, s)) - gradf(at(xs, s)))",
                over=("s",),
            ),
            ByRule(
                "norm of a difference",
                {"v": "gradfmu(at(xs, s))", "w": "gradfmu(at(xs, s)) - gradf(at(xs, s))"},
            ),
        ),
        Step(
            Fact("norm(gradf(at(xs, s))) <= norm(gradfmu(at(xs, s))) + L*mu", over=("s",)),
            Follows((52, 53)),
            "|grad f(x_t)| <= |grad f_mu(x_t)| + L mu",
        ),
        Step(
            Fact("c**2 <= 2*a**2 + 2*b**2", over=("a", "b", "c"), where=("0 <= c", "0 <= a", "0 <= b", "c <= a + b")),
            Decide(),
        ),
        Step(
            Fact(f"{SQUARE} <= 2*{SQUARE_MU} + 2*L**2*mu**2", over=("s",)),
            Follows((54, Use(55, {"a": "norm(gradfmu(at(xs, s)))", "b": "L*mu", "c": "norm(gradf(at(xs, s)))"}))),
            "|grad f|^2 <= 2|grad f_mu|^2 + 2 L^2 mu^2",
        ),
        Step(
            Fact(f"sum({SQUARE}, s, 0, T - 1) <= sum(2*{SQUARE_MU} + 2*L**2*mu**2, s, 0, T - 1)"),
            ByRule(
                "sum monotone",
                {"G": SQUARE, "H": f"2*{SQUARE_MU} + 2*L**2*mu**2", "s": "s", "a": "0", "b": "T - 1"},
                using=(56,),
            ),
        ),
        Step(
            Fact(f"sum(2*{SQUARE_MU} + 2*L**2*mu**2, s, 0, T - 1) == 2*{SUM_MU} + T*(2*L**2*mu**2)"),
            ByRule("sum affine", {"c": "2", "k": "2*L**2*mu**2", "G": SQUARE_MU, "s": "s", "n": "T"}),
        ),
        Step(
            Fact(f"sum({SQUARE}, s, 0, T - 1)/T <= 2*(eps**2/4 + 5/2*eta0**2) + 2*L**2*mu**2"),
            Follows((57, 58, 51), ("1/T", "1/T", "2")),
            "averaging",
        ),
        Step(
            Fact("2*(eps**2/4 + 5/2*eta0**2) + 2*L**2*mu**2 <= eps**2/2 + 5*eta0**2 + 2*L**2*mu**2"),
            Decide(),
        ),
        Step(Fact("5*eta0**2 + 2*L**2*mu**2 <= 5*(eta0 + L*mu)**2"), Decide()),
        Step(Fact("5*(eta0 + L*mu)**2 <= 5*(eps/4)**2"), Follows(("eta", "accuracy"))),
        Step(Fact("eps**2/2 + 5*eps**2/16 == 13/16*eps**2"), Decide()),
        Step(Fact("13/16*eps**2 <= eps**2"), Decide()),
        Step(
            Fact(f"sum({SQUARE}, s, 0, T - 1)/T <= eps**2"),
            Follows((59, 60, 61, 62, 63, 64), ("1", "1", "1", "1", "1", "1")),
            "<= (13/16) eps^2 <= eps^2",
        ),
        Step(
            Fact(f"P(sum({SQUARE}, s, 0, T - 1)/T <= eps**2) >= 1 - delta"),
            ByRule(
                "on the good event",
                {
                    "A": BAD,
                    "B": f"sum({SQUARE}, s, 0, T - 1)/T <= eps**2",
                    "q": "delta",
                    "t": "t",
                    "a": "0",
                    "b": "T - 1",
                },
                using=(9, 65),
            ),
            "on G, which has probability at least 1 - delta",
        ),
        Step(
            Fact(f"least({SQUARE}, s, 0, T - 1) <= eps**2"),
            ByRule("minimum below average", {"G": SQUARE, "s": "s", "n": "T", "c": "eps**2"}, using=(65,)),
            "min |grad f(x_t)|^2 <= average, on the same event",
        ),
    ),
    concludes=((66,), (67,)),
    bound="eps**2",
    twins=(
        Twin("the factor 32 of T lowered to 25", {"32*L*Dbar/eps**2)": "25*L*Dbar/eps**2)"}),
        Twin("accuracy eta <= eps/4 relaxed to eps/3", {"eta <= eps/4": "eta <= eps/3"}),
        Twin("localization radius 4 lowered to 3.8", {"<= 4*Dbar": "<= 3.8*Dbar", "< 4*Dbar": "< 3.8*Dbar"}),
    ),
)
MAIN = replace(
    THEOREM,
    label="thm:main",
    title="High-probability convergence of base RSC-ZO (main text)",
    claims=THEOREM.claims[:1],
    steps=(Step(THEOREM.claims[0], Cite("thm:hp-shared-clipped"), "the appendix form, thm:hp-shared-clipped"),),
    concludes=((1,),),
    twins=(Twin("the failure probability delta lowered to 0.9 delta", {">= 1 - delta": ">= 1 - 0.9*delta"}),),
)

TRIVIAL = Statement(
    label="rem:hp-shared-trivial",
    title="Trivial regime",
    kind="remark",
    part=PART,
    text="If eps^2 > 32 L bar Delta_0, then |grad f(x_0)|^2 < eps^2 at the initial point.",
    parameters=(
        L,
        EPS,
        Parameter("mu", "smoothing radius", ("mu > 0",)),
        Parameter("Delta0", "initial gap", ("Delta0 >= 0",)),
        Parameter("Dbar", "bar Delta_0", ("Dbar > 0",)),
    ),
    assumes=("ass:Well-defined", "ass:sample-smooth"),
    hypotheses={
        "smooth": HYPOTHESES["smooth"],
        "below": BELOW,
        "initial gap": HYPOTHESES["initial gap"],
        "bar": HYPOTHESES["bar"],
        "regime": Fact("eps**2 > 32*L*Dbar"),
    },
    claims=(Fact("norm(gradf(at(xs, 0)))**2 < eps**2"),),
    steps=(
        Step(
            Fact("norm(gradf(at(xs, 0)))**2 <= 2*L*(f(at(xs, 0)) - fstar)"),
            Cite("lem:hp-shared-grad-subopt", {"x": "at(xs, 0)"}),
        ),
        Step(Fact("2*L*(f(at(xs, 0)) - fstar) == 2*L*Delta0"), Follows(("initial gap",))),
        Step(Fact("2*L*Delta0 <= 2*L*Dbar"), Follows(("bar",))),
        Step(Fact("2*L*Dbar < eps**2"), Follows(("regime",))),
        Step(Fact("norm(gradf(at(xs, 0)))**2 < eps**2"), Follows((1, 2, 3, 4))),
    ),
    twins=(
        Twin(
            "the regime eps^2 > 32 L bar Delta_0 widened to 1.9 L bar Delta_0",
            {"eps**2 > 32*L*Dbar": "eps**2 > 1.9*L*Dbar"},
        ),
    ),
)
TRIVIAL_MAIN = replace(
    TRIVIAL,
    label="rem:trivial",
    title="Trivial regime (main text)",
)
STATEMENTS = (THEOREM, MAIN, TRIVIAL, TRIVIAL_MAIN)
