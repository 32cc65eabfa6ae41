"""Momentum RSC-ZO: localization along the trajectory and convergence, with the condition (Loc)."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.momentum_array import PART
from boundcheck.paper.momentum_initialization import H_PARAMETER, INIT_HYPOTHESES
from boundcheck.paper.momentum_lyapunov import GOOD, LYAPUNOV_CLAIM
from boundcheck.paper.momentum_start import GAP, INITIAL
from boundcheck.paper.momentum_symbols import BETA, BOUND_B, BOUND_G, BOUND_U, DELTA, HORIZON
from boundcheck.paper.symbols import MU, D, L

LOC = "(T - 1)*alpha*(U**2 + 4*B**2) <= Dbar"
LOC_CONDITION = Statement(
    label="eq:momentum-localization-condition",
    title="(Loc)",
    kind="assumption",
    part=PART,
    text="(T-1) alpha (U^2 + 4 B^2) <= bar Delta_0.",
    claims=(Fact(LOC),),
)
LYAPUNOV_STEP = Parameter(
    "alpha",
    "stepsize",
    ("alpha > 0", "alpha <= 1/(4*L)", "alpha <= (1 - beta)/(4*sqrt(3)*beta*L)"),
)
DRIFT_K = Parameter("K", "K = alpha (U^2 + 4 B^2)", ("K >= 0",))
_K = "K"
_SQUARE_MU = "norm(gradfmu(at(xs, s + 1)))**2"
SQUARE = "norm(gradf(at(xs, s + 1)))**2"
_SUM_MU = f"sum({_SQUARE_MU}, s, 0, T - 2 - 1)"
SUM = f"sum({SQUARE}, s, 0, T - 2 - 1)"
FINAL = "8*Dbar/(alpha*(T - 2)) + 4*U**2 + 16*B**2 + 2*L**2*mu**2"
_BAD = "norm(at(zst, t)) > U"
_EVENT = "norm(at(gs, 0) - gradfmu(at(xs, 0))) <= G"
_INSIDE = ("at(j, s) <= 0", "s >= 0", "s <= T - 2 - 1")
_RUN = ("s >= 0", "s <= T - 2")
LOCALIZED_HYPOTHESES = {
    **INIT_HYPOTHESES,
    "good": GOOD,
    "growing": Fact("at(gap, s) <= at(gap, t)", over=("s", "t"), where=("s <= t",)),
    "covers": Fact("f(at(xs, t)) - fstar <= at(gap, t)", over=("t",)),
    "Loc": Fact(LOC),
    "weighted event": Fact(f"P(meet(complement({_BAD}), t, 1, T - 1)) >= 1 - delta/2"),
    "K": Fact("K == alpha*(U**2 + 4*B**2)"),
    # at(j, s) is the maximum of at(gap, s + 1) - 4 Dbar and at(Phi, s + 1) - fstar - s K - 2 Dbar
    "j above gap": Fact("at(gap, s + 1) - 4*Dbar <= at(j, s)", over=("s",)),
    "j above Phi": Fact("at(Phi, s + 1) - fstar - s*K - 2*Dbar <= at(j, s)", over=("s",)),
    "j least": Fact(
        "at(j, s) <= 0",
        over=("s",),
        where=("at(gap, s + 1) <= 4*Dbar", "at(Phi, s + 1) - fstar <= 2*Dbar + s*K"),
    ),
    "v": Fact("at(v, s) == at(Phi, s + 1) - fstar", over=("s",)),
    "w": Fact(f"at(w, s) == alpha/2*{_SQUARE_MU}", over=("s",)),
}
LOCALIZED_CONVERGENCE = Statement(
    label="thm:momentum-localized-convergence",
    title="Localized high-probability convergence for momentum RSC-ZO",
    kind="theorem",
    part=PART,
    text="Under (Init), (Loc), alpha <= 1/(4L) and the stepsize condition of the Lyapunov step: with probability at "
    "least "
    "1 - delta, f(x_t) - f_* <= 4 bar Delta_0 for t = 1, ..., T-1 and the average of |grad f(x_t)|^2 over t = 1, "
    "..., T-2 is "
    "at most 8 bar Delta_0/(alpha (T-2)) + 4 U^2 + 16 B^2 + 2 L^2 mu^2.",
    parameters=(
        D,
        L,
        MU,
        BETA,
        LYAPUNOV_STEP,
        DELTA,
        HORIZON,
        BOUND_G,
        BOUND_B,
        BOUND_U,
        H_PARAMETER,
        INITIAL,
        GAP,
        DRIFT_K,
    ),
    random=("v",),
    assumes=(
        "ass:Well-defined",
        "ass:sample-smooth",
        "eq:momentum-init-condition",
        "eq:momentum-localization-condition",
    ),
    hypotheses=LOCALIZED_HYPOTHESES,
    claims=(
        Fact("P(at(gap, T - 1) <= 4*Dbar) >= 1 - delta"),
        Fact(f"P({SUM}/(T - 2) <= {FINAL}) >= 1 - delta"),
    ),
    steps=(
        Step(Fact("at(Phi, 1) - fstar <= 2*Dbar"), Cite("lem:momentum-initialization"), "on I", name="Phi1"),
        Step(Fact("at(gap, 1) <= 4*Dbar"), Cite("lem:momentum-initialization", part=2), "L_1 holds", name="L1"),
        Step(
            Fact(LYAPUNOV_CLAIM, over=("t",), where=("at(gap, t + 1) <= 4*Dbar", "t >= 1", "t <= T - 2")),
            Cite("thm:momentum-lyapunov-step"),
            "one-step Lyapunov inequality",
            name="Lyapunov",
        ),
        Step(
            Fact(
                "fmu(at(xs, t + 1)) <= fmu(at(xs, t)) - 1/2*alpha*norm(gradfmu(at(xs, t)))**2 "
                "- 1/4*alpha*norm(at(ms, t))**2 + alpha*norm(at(us, t))**2 + alpha*U**2",
                over=("t",),
                where=("at(gap, t) <= 4*Dbar", "t >= 1", "t <= T - 1"),
            ),
            Cite("lem:momentum-descent", part=1),
            "momentum descent",
            name="descent",
        ),
        Step(Fact("a**2 >= 0", over=("a",)), Decide(), name="nonnegative"),
        Step(
            Fact("s*k + k <= (T - 1)*k", over=("s", "k"), where=("k >= 0", "s >= 0", "s <= T - 2 - 1")),
            Decide(),
            name="fewer",
        ),
        Step(
            Fact("alpha <= 2*alpha/(1 - beta)"),
            Decide(),
            "2 alpha/(1-beta) >= alpha",
            name="weight",
        ),
        Step(
            Fact(
                "fmu(at(xs, t + 1)) <= at(Phi, t) + alpha*U**2",
                over=("t",),
                where=("at(gap, t) <= 4*Dbar", "t >= 1", "t <= T - 1"),
            ),
            Follows(
                (
                    "Phi",
                    "descent",
                    "weight",
                    Use("nonnegative", {"a": "norm(gradfmu(at(xs, t)))"}),
                    Use("nonnegative", {"a": "norm(at(ms, t))"}),
                ),
                ("", "1", "norm(at(us, t))**2", "alpha/2", "alpha/4"),
            ),
            "f_mu(x_r) <= Phi_{r-1} + alpha U^2",
            name="exit value",
        ),
        Step(
            Fact("abs(fmu(at(xs, s)) - f(at(xs, s))) <= L*mu**2/2", over=("s",)),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, s)"}),
            name="value bias",
        ),
        Step(
            Fact("f(at(xs, s)) <= fmu(at(xs, s)) + L*mu**2/2", over=("s",)),
            Follows(("value bias",)),
            "f <= f_mu + L mu^2/2",
            name="value",
        ),
        Step(Fact("L*mu**2/2 <= Dbar"), Follows(("bar",)), name="shift"),
        Step(
            Fact("at(gap, s + 1) <= 4*Dbar", over=("s",), where=_INSIDE),
            Follows(("j above gap",)),
            name="inside gap",
        ),
        Step(
            Fact(f"at(Phi, s + 1) - fstar <= 2*Dbar + s*({_K})", over=("s",), where=_INSIDE),
            Follows(("j above Phi",)),
            name="inside Phi",
        ),
        Step(Fact("K >= 0"), Decide(), name="K sign"),
        Step(
            Fact("alpha*U**2 <= K"),
            Decide(("K",)),
            name="U below",
        ),
        Step(
            Fact(f"s*({_K}) + alpha*U**2 <= Dbar", over=("s",), where=("s >= 0", "s <= T - 2 - 1")),
            Follows(("K sign", "K", "U below", Use("fewer", {"k": "K"}), "Loc"), ("", "T - 1", "1", "1", "1")),
            "(r-1) alpha (U^2 + 4B^2) <= (T-1) alpha (U^2 + 4B^2) <= bar Delta_0",
            name="room",
        ),
        Step(
            Fact("f(at(xs, s + 2)) - fstar <= 4*Dbar", over=("s",), where=_INSIDE),
            Follows(
                (
                    "inside gap",
                    Use("exit value", {"t": "s + 1"}),
                    "inside Phi",
                    "room",
                    Use("value", {"s": "s + 2"}),
                    "shift",
                ),
                ("", "1", "1", "1", "1", "1"),
            ),
            "f(x_r) - f_* <= 4 bar Delta_0: no first exit",
            name="no exit",
        ),
        Step(
            Fact("at(gap, s + 2) <= 4*Dbar", over=("s",), where=_INSIDE),
            Follows((Use("running maximum", {"t": "s + 1"}), "inside gap", "no exit")),
            name="next gap",
        ),
        Step(
            Fact(f"at(Phi, s + 2) - fstar <= 2*Dbar + (s + 1)*({_K})", over=("s",), where=_INSIDE),
            Follows(
                (
                    "next gap",
                    "K",
                    Use("Lyapunov", {"t": "s + 1"}),
                    "inside Phi",
                    Use("nonnegative", {"a": "norm(gradfmu(at(xs, s + 1)))"}),
                    Use("nonnegative", {"a": "norm(at(ms, s + 1))"}),
                ),
                ("", "-1", "1", "1", "alpha/2", "alpha/8"),
            ),
            name="next Phi",
        ),
        Step(
            Fact("at(j, s + 1) <= 0", over=("s",), where=_INSIDE),
            Follows(("next gap", "next Phi", Use("j least", {"s": "s + 1"}))),
            name="next j",
        ),
        Step(
            Fact("at(j, 0) <= 0"),
            Follows(("L1", "Phi1", Use("j least", {"s": "0"}))),
            name="first j",
        ),
        Step(
            Fact("at(j, t) <= 0", over=("t",), where=("t >= 0", "t <= T - 2")),
            ByRule("induction", {"v": "j", "c": "0", "n": "T - 2"}, using=("first j", "next j")),
            "localization never fails before T",
            name="all j",
        ),
        Step(
            Fact("at(gap, s + 1) <= 4*Dbar", over=("s",), where=_RUN),
            Follows((Use("all j", {"t": "s"}), "j above gap")),
            name="all gaps",
        ),
        Step(
            Fact("at(gap, T - 1) <= 4*Dbar"),
            Follows((Use("all gaps", {"s": "T - 2"}),)),
            "L_{T-1} holds",
            name="localized",
        ),
        Step(
            Fact(f"at(v, s + 1) <= at(v, s) - at(w, s) + {_K}", over=("s",), where=("s >= 0", "s <= T - 2 - 1")),
            Follows(
                (
                    "v",
                    Use("v", {"s": "s + 1"}),
                    "w",
                    "K",
                    Use("all gaps", {"s": "s + 1"}),
                    Use("Lyapunov", {"t": "s + 1"}),
                    Use("nonnegative", {"a": "norm(at(ms, s + 1))"}),
                ),
                ("", "", "", "-1", "", "1", "alpha/8"),
            ),
            name="step",
        ),
        Step(
            Fact(f"at(v, T - 2) <= at(v, 0) - sum(at(w, s), s, 0, T - 2 - 1) + (T - 2)*({_K})"),
            ByRule("telescope", {"v": "v", "w": "w", "c": _K, "n": "T - 2"}, using=("step",)),
            "summing over t = 1, ..., T-2",
            name="telescoped",
        ),
        Step(
            Fact("fmu(at(xs, T - 1)) >= fstar"),
            Cite("app:smoothing-lower-bound", {"x": "at(xs, T - 1)"}),
            "f_mu >= f_*",
            name="below mu",
        ),
        Step(
            Fact("at(v, T - 2) >= 0"),
            Follows(
                (
                    Use("v", {"s": "T - 2"}),
                    Use("Phi", {"t": "T - 1"}),
                    "below mu",
                    Use("nonnegative", {"a": "norm(at(us, T - 1))"}),
                ),
                ("", "", "1", "2*alpha/(1 - beta)"),
            ),
            name="last",
        ),
        Step(Fact("at(v, 0) <= 2*Dbar"), Follows((Use("v", {"s": "0"}), "Phi1")), name="first"),
        Step(
            Fact(f"sum(alpha/2*{_SQUARE_MU} + 0, s, 0, T - 2 - 1) == alpha/2*{_SUM_MU} + (T - 2)*0"),
            ByRule("sum affine", {"c": "alpha/2", "k": "0", "G": _SQUARE_MU, "s": "s", "n": "T - 2"}),
            name="affine",
        ),
        Step(
            Fact(f"sum(alpha/2*{_SQUARE_MU} + 0, s, 0, T - 2 - 1) <= sum(at(w, s), s, 0, T - 2 - 1)"),
            ByRule(
                "sum monotone",
                {"G": f"alpha/2*{_SQUARE_MU} + 0", "H": "at(w, s)", "s": "s", "a": "0", "b": "T - 2 - 1"},
                using=("w",),
            ),
            name="w sum",
        ),
        Step(
            Fact(f"alpha/2*{_SUM_MU} <= 2*Dbar + (T - 2)*({_K})"),
            Follows(("telescoped", "last", "first", "affine", "w sum")),
            "(alpha/2) sum |grad f_mu(x_t)|^2 <= Phi_1 - f_* + (T-2) alpha (U^2 + 4B^2)",
            name="sum bound",
        ),
        Step(
            Fact(f"{_SUM_MU}/(T - 2) <= 4*Dbar/(alpha*(T - 2)) + 2*U**2 + 8*B**2"),
            Follows(
                ("K", "sum bound"),
                (
                    "",
                    "2/(alpha*(T - 2))",
                ),
            ),
            name="average mu",
        ),
        Step(
            Fact("norm(gradfmu(at(xs, s)) - gradf(at(xs, s))) <= L*mu", over=("s",)),
            Cite("lem:hp-shared-smoothing-bias", {"x": "at(xs, s)"}, part=1),
            name="gradient bias",
        ),
        Step(
            Fact(
                "norm(gradfmu(at(xs, s)) - (gradfmu(at(xs, s)) - gradf(at(xs, s)))) "
                "<= norm(gradfmu(at(xs, s))) + norm(gradfmu(at(xs, s)) - gradf(at(xs, s)))",
                over=("s",),
            ),
            ByRule("norm of a difference", {"v": "gradfmu(at(xs, s))", "w": "gradfmu(at(xs, s)) - gradf(at(xs, s))"}),
            name="triangle",
        ),
        Step(
            Fact("norm(gradf(at(xs, s))) <= norm(gradfmu(at(xs, s))) + L*mu", over=("s",)),
            Follows(("gradient bias", "triangle")),
            "|grad f(x_t)| <= |grad f_mu(x_t)| + L mu",
            name="gradients",
        ),
        Step(
            Fact("c**2 <= 2*a**2 + 2*b**2", over=("a", "b", "c"), where=("0 <= c", "0 <= a", "0 <= b", "c <= a + b")),
            Decide(),
            name="two squares",
        ),
        Step(
            Fact(f"{SQUARE} <= 2*{_SQUARE_MU} + 2*L**2*mu**2", over=("s",)),
            Follows(
                (
                    Use("gradients", {"s": "s + 1"}),
                    Use(
                        "two squares",
                        {"a": "norm(gradfmu(at(xs, s + 1)))", "b": "L*mu", "c": "norm(gradf(at(xs, s + 1)))"},
                    ),
                )
            ),
            "|grad f|^2 <= 2 |grad f_mu|^2 + 2 L^2 mu^2",
            name="squares",
        ),
        Step(
            Fact(f"{SUM} <= sum(2*{_SQUARE_MU} + 2*L**2*mu**2, s, 0, T - 2 - 1)"),
            ByRule(
                "sum monotone",
                {"G": SQUARE, "H": f"2*{_SQUARE_MU} + 2*L**2*mu**2", "s": "s", "a": "0", "b": "T - 2 - 1"},
                using=("squares",),
            ),
            name="sum squares",
        ),
        Step(
            Fact(f"sum(2*{_SQUARE_MU} + 2*L**2*mu**2, s, 0, T - 2 - 1) == 2*{_SUM_MU} + (T - 2)*(2*L**2*mu**2)"),
            ByRule("sum affine", {"c": "2", "k": "2*L**2*mu**2", "G": _SQUARE_MU, "s": "s", "n": "T - 2"}),
            name="affine squares",
        ),
        Step(
            Fact(f"{SUM}/(T - 2) <= {FINAL}"),
            Follows(("sum squares", "affine squares", "average mu"), ("1/(T - 2)", "1/(T - 2)", "2")),
            "averaging",
            name="average",
        ),
        Step(
            Fact(f"P(both({_EVENT}, meet(complement({_BAD}), t, 1, T - 1))) >= 1 - delta/2 - delta/2"),
            ByRule(
                "both events",
                {"A": _EVENT, "B": f"meet(complement({_BAD}), t, 1, T - 1)", "a": "delta/2", "b": "delta/2"},
                using=("warm start", "weighted event"),
            ),
            name="both",
        ),
        Step(
            Fact(f"P(both({_EVENT}, meet(complement({_BAD}), t, 1, T - 1))) >= 1 - delta"),
            Follows(("both",)),
            "P(I and E) >= 1 - delta",
            name="event",
        ),
        Step(
            Fact("P(at(gap, T - 1) <= 4*Dbar) >= 1 - delta"),
            ByRule(
                "on both good events",
                {
                    "A": _BAD,
                    "B": _EVENT,
                    "C": "at(gap, T - 1) <= 4*Dbar",
                    "q": "delta",
                    "t": "t",
                    "a": "1",
                    "b": "T - 1",
                },
                using=("event", "localized"),
            ),
            name="P localized",
        ),
        Step(
            Fact(f"P({SUM}/(T - 2) <= {FINAL}) >= 1 - delta"),
            ByRule(
                "on both good events",
                {
                    "A": _BAD,
                    "B": _EVENT,
                    "C": f"{SUM}/(T - 2) <= {FINAL}",
                    "q": "delta",
                    "t": "t",
                    "a": "1",
                    "b": "T - 1",
                },
                using=("event", "average"),
            ),
            name="P average",
        ),
    ),
    concludes=(("P localized",), ("P average",)),
    bound=FINAL,
    twins=(
        Twin("16 B^2 lowered to 15 B^2", {"16*B**2": "15*B**2"}),
        Twin("(Loc) relaxed to 2 bar Delta_0", {LOC: LOC.replace("<= Dbar", "<= 2*Dbar")}),
    ),
)
STATEMENTS = (LOC_CONDITION, LOCALIZED_CONVERGENCE)
