"""Appendix "High-Probability Analysis of Base RSC-ZO": from weak-L_p gradient noise to the scalar two-point slope."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Statement, Step, Twin, Use
from boundcheck.paper.symbols import (
    BELOW,
    COORDINATE,
    DIRECTION,
    GAP,
    INDEPENDENT,
    LEVEL,
    LOCALIZED,
    MU,
    SIGMA,
    SMOOTH_F,
    SMOOTH_SAMPLE,
    WEAK_LP,
    D,
    L,
    P,
)

PART = "Base: directional estimates"
NOISE_SCALE = "(sigma/sqrt(d) + L*mu)"
SIGNAL_SCALE = "(sqrt(8*L*Dbar)/sqrt(d) + L*mu)"


def remainder_steps(grad: str, slope: str, theorem: str, smooth: str, at: int) -> tuple[Step, ...]:
    """The fourteen steps that bound the remainder of a two-point slope: |slope - <grad(x), u>| <= L mu/2.

    ``at`` is the number of the first of them; ``smooth`` names the smoothness hypothesis.
    """
    moved = f"{grad}(x + mu*w*u)"
    gap = f"({moved} - {grad}(x))"
    rest = f"integral(dot({moved} - {grad}(x), u), w, -1, 1)"
    return (
        Step(
            Fact(f"{slope}(x, u) == integral(dot({moved}, u), w, -1, 1)/2"),
            ByRule(theorem, {"x": "x", "u": "u"}),
            "fundamental theorem of calculus",
        ),
        Step(
            Fact(f"integral(dot({moved}, u), w, -1, 1)/2 == dot({grad}(x), u) + {rest}/2"),
            ByRule("mean along a segment", {"V": moved, "W": f"{grad}(x)", "u": "u", "s": "w"}),
        ),
        Step(Fact("norm(u) == 1"), ByRule("unit length", {"u": "u", "d": "d"}, using=("direction",))),
        Step(
            Fact(f"abs({rest}) <= integral(norm({gap}), w, -1, 1)"),
            ByRule("integral Cauchy-Schwarz", {"V": gap, "u": "u", "s": "w"}, using=(at + 2,)),
        ),
        Step(
            Fact("norm(mu*w*u) == abs(mu*w)*norm(u)", over=("w",)),
            ByRule("norm scale", {"c": "mu*w", "v": "u"}),
        ),
        Step(
            Fact(f"norm({gap}) <= L*mu*abs(w)", over=("w",)),
            Follows((Use(smooth, {"y": "x + mu*w*u", "z": "x"}), at + 2, at + 4), times=("1", "L*abs(mu*w)", "L")),
            "L-smoothness along the segment",
        ),
        Step(
            Fact(f"integral(norm({gap}), w, -1, 1) <= integral(L*mu*abs(w), w, -1, 1)"),
            ByRule(
                "integral monotone",
                {"G": f"norm({gap})", "H": "L*mu*abs(w)", "t": "w", "a": "-1", "b": "1"},
                using=(at + 5,),
            ),
        ),
        Step(
            Fact(
                "integral(L*mu*abs(w), w, -1, 1) == integral(L*mu*abs(w), w, -1, 0) + integral(L*mu*abs(w), w, 0, 1)"
            ),
            ByRule("integral split", {"G": "L*mu*abs(w)", "t": "w", "a": "-1", "c": "0", "b": "1"}),
        ),
        Step(Fact("L*mu*abs(w) == -L*mu*w", over=("w",), where=("-1 < w", "w < 0")), Decide()),
        Step(
            Fact("integral(L*mu*abs(w), w, -1, 0) == integral(-L*mu*w, w, -1, 0)"),
            ByRule(
                "integral of equals",
                {"G": "L*mu*abs(w)", "H": "-L*mu*w", "t": "w", "a": "-1", "b": "0"},
                using=(at + 8,),
            ),
        ),
        Step(Fact("L*mu*abs(w) == L*mu*w", over=("w",), where=("0 < w", "w < 1")), Decide()),
        Step(
            Fact("integral(L*mu*abs(w), w, 0, 1) == integral(L*mu*w, w, 0, 1)"),
            ByRule(
                "integral of equals",
                {"G": "L*mu*abs(w)", "H": "L*mu*w", "t": "w", "a": "0", "b": "1"},
                using=(at + 10,),
            ),
        ),
        Step(Fact("integral(-L*mu*w, w, -1, 0) + integral(L*mu*w, w, 0, 1) == L*mu"), Decide()),
        Step(
            Fact("integral(L*mu*abs(w), w, -1, 1)/2 == L*mu/2"),
            Follows((at + 7, at + 9, at + 11, at + 12)),
            "int_-1^1 |w| dw = 1",
        ),
    )


def moment_steps(at: int) -> tuple[Step, ...]:
    """The steps of E[V^p] <= 1 for V = sqrt(d)|U_1|, the first of them numbered ``at``."""
    return (
        Step(Fact("(sqrt(d)*abs(U1))**p == d**(p/2)*abs(U1)**p"), Decide()),
        Step(
            Fact("E((sqrt(d)*abs(U1))**p) == E(d**(p/2)*abs(U1)**p)"),
            ByRule("expectation of equals", {"X": "(sqrt(d)*abs(U1))**p", "Y": "d**(p/2)*abs(U1)**p"}, using=(at,)),
        ),
        Step(
            Fact("E(d**(p/2)*abs(U1)**p) == d**(p/2)*E(abs(U1)**p)"),
            ByRule("expectation scale", {"c": "d**(p/2)", "X": "abs(U1)**p"}),
            "E[V^p] = d^(p/2) E|U_1|^p",
        ),
        Step(
            Fact("E(abs(U1)**p) <= E(abs(U1)**2)**(p/2)"),
            ByRule("Lyapunov", {"X": "abs(U1)", "q": "p", "r": "2"}),
            "Jensen, p <= 2",
        ),
        Step(Fact("abs(U1)**2 == U1**2"), Decide()),
        Step(
            Fact("E(abs(U1)**2) == E(U1**2)"),
            ByRule("expectation of equals", {"X": "abs(U1)**2", "Y": "U1**2"}, using=(at + 4,)),
        ),
        Step(
            Fact("E(U1**2) == 1/d"),
            ByRule("second moment of a coordinate", {"U1": "U1", "d": "d"}, using=("coordinate",)),
        ),
        Step(Fact("d**(p/2)*(1/d)**(p/2) == 1"), Decide()),
        Step(
            Fact("E((sqrt(d)*abs(U1))**p) <= 1"),
            Follows((at + 1, at + 2, at + 3, at + 5, at + 6, at + 7), ("1", "1", "d**(p/2)", "", "", "1")),
            "E[V^p] <= 1",
        ),
    )


def noise_tail_steps(at: int) -> tuple[Step, ...]:
    """The 21 steps of P(|<zeta, u>| > r) <= sigma^p/(r^p d^(p/2)), the first of them numbered ``at``."""
    return (
        *moment_steps(at),
        Step(
            Fact("P(abs(dot(zeta, u)) > r) == P(norm(zeta)*abs(U1) > r)", over=("r",), where=("r > 0",)),
            ByRule(
                "projection of an independent direction",
                {"z": "zeta", "u": "u", "U1": "U1", "d": "d", "r": "r"},
                using=("direction", "independent", "coordinate", "frozen"),
            ),
            "rotational invariance",
        ),
        Step(
            Fact(
                "P(norm(zeta)*abs(U1) > r) == P(norm(zeta)*(sqrt(d)*abs(U1)) > r*sqrt(d))",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule(
                "same event",
                {"A": "norm(zeta)*abs(U1) > r", "B": "norm(zeta)*(sqrt(d)*abs(U1)) > r*sqrt(d)"},
            ),
            "V = sqrt(d)|U_1|",
        ),
        Step(
            Fact(
                "P(norm(zeta)*(sqrt(d)*abs(U1)) > r*sqrt(d)) "
                "== E(Pgiven(norm(zeta)*(sqrt(d)*abs(U1)) > r*sqrt(d), sqrt(d)*abs(U1)))",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule(
                "total probability",
                {"A": "norm(zeta)*(sqrt(d)*abs(U1)) > r*sqrt(d)", "V": "sqrt(d)*abs(U1)"},
            ),
            "condition on V",
        ),
        Step(
            Fact("P(norm(zeta)*v > r*sqrt(d)) <= (sigma*v/(r*sqrt(d)))**p", over=("r", "v"), where=("r > 0", "v > 0")),
            ByRule(
                "tail of a multiple",
                {"X": "norm(zeta)", "v": "v", "a": "r*sqrt(d)", "c": "sigma", "p": "p"},
                ("weak Lp",),
            ),
            "the assumption at t = r sqrt(d)/v",
        ),
        Step(
            Fact(
                "P(norm(zeta)*v > r*sqrt(d)) <= (sigma*v/(r*sqrt(d)))**p", over=("r", "v"), where=("r > 0", "v >= 0")
            ),
            ByRule(
                "tail of zero",
                {"X": "norm(zeta)", "v": "v", "a": "r*sqrt(d)", "B": "(sigma*v/(r*sqrt(d)))**p"},
                (at + 12,),
            ),
            "and at v = 0 the event is empty",
        ),
        Step(
            Fact(
                "Pgiven(norm(zeta)*(sqrt(d)*abs(U1)) > r*sqrt(d), sqrt(d)*abs(U1)) "
                "<= (sigma*(sqrt(d)*abs(U1))/(r*sqrt(d)))**p",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule(
                "freezing",
                {
                    "Q": "norm(zeta)*v > r*sqrt(d)",
                    "v": "v",
                    "V": "sqrt(d)*abs(U1)",
                    "X": "zeta",
                    "B": "(sigma*v/(r*sqrt(d)))**p",
                },
                using=("frozen", at + 13),
            ),
            "V is independent of xi",
        ),
        Step(
            Fact(
                "E(Pgiven(norm(zeta)*(sqrt(d)*abs(U1)) > r*sqrt(d), sqrt(d)*abs(U1))) "
                "<= E((sigma*(sqrt(d)*abs(U1))/(r*sqrt(d)))**p)",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule(
                "expectation monotone",
                {
                    "X": "Pgiven(norm(zeta)*(sqrt(d)*abs(U1)) > r*sqrt(d), sqrt(d)*abs(U1))",
                    "Y": "(sigma*(sqrt(d)*abs(U1))/(r*sqrt(d)))**p",
                },
                using=(at + 14,),
            ),
        ),
        Step(
            Fact(
                "(sigma*(sqrt(d)*abs(U1))/(r*sqrt(d)))**p == (sigma/(r*sqrt(d)))**p*(sqrt(d)*abs(U1))**p",
                over=("r",),
                where=("r > 0",),
            ),
            Decide(),
        ),
        Step(
            Fact(
                "E((sigma*(sqrt(d)*abs(U1))/(r*sqrt(d)))**p) == E((sigma/(r*sqrt(d)))**p*(sqrt(d)*abs(U1))**p)",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule(
                "expectation of equals",
                {
                    "X": "(sigma*(sqrt(d)*abs(U1))/(r*sqrt(d)))**p",
                    "Y": "(sigma/(r*sqrt(d)))**p*(sqrt(d)*abs(U1))**p",
                },
                using=(at + 16,),
            ),
        ),
        Step(
            Fact(
                "E((sigma/(r*sqrt(d)))**p*(sqrt(d)*abs(U1))**p) == (sigma/(r*sqrt(d)))**p*E((sqrt(d)*abs(U1))**p)",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule("expectation scale", {"c": "(sigma/(r*sqrt(d)))**p", "X": "(sqrt(d)*abs(U1))**p"}),
        ),
        Step(Fact("(sigma/(r*sqrt(d)))**p == sigma**p/(r**p*d**(p/2))", over=("r",), where=("r > 0",)), Decide()),
        Step(
            Fact("P(abs(dot(zeta, u)) > r) <= sigma**p/(r**p*d**(p/2))", over=("r",), where=("r > 0",)),
            Follows(
                (at + 9, at + 10, at + 11, at + 15, at + 17, at + 18, at + 8, at + 19),
                ("1", "1", "1", "1", "1", "1", "(sigma/(r*sqrt(d)))**p", "1"),
            ),
            "P(|<zeta, u>| > r) <= sigma^p/(r^p d^(p/2))",
        ),
    )


DEVIATION = "(slopeF(x, u) - slopef(x, u))"
_REST_SAMPLE = "integral(dot(gradF(x + mu*w*u) - gradF(x), u), w, -1, 1)"
_REST = "integral(dot(gradf(x + mu*w*u) - gradf(x), u), w, -1, 1)"
DIRECTIONAL_TAIL = Statement(
    label="lem:hp-shared-directional-tail",
    title="Directional weak-L_p bound",
    kind="lemma",
    part=PART,
    text="For every fixed x and every s >= 1, P(|Y - D_mu f(x, u)| > (sigma/sqrt(d) + L mu) s) <= s^-p.",
    parameters=(P, D, L, MU, SIGMA, LEVEL),
    random=("zeta", "u", "U1", "xi"),
    assumes=("ass:sample-smooth", "ass:hp-shared-prob", "rem:f-smooth"),
    hypotheses={
        "sample smooth": SMOOTH_SAMPLE,
        "smooth": SMOOTH_F,
        "weak Lp": WEAK_LP,
        "direction": DIRECTION,
        "coordinate": COORDINATE,
        "independent": INDEPENDENT,
        "frozen": Fact("independent(sqrt(d)*abs(U1), zeta) == 1"),
        "noise": Fact("zeta == gradF(x) - gradf(x)"),
    },
    claims=(Fact(f"P(abs{DEVIATION} > {NOISE_SCALE}*s) <= s**(-p)"),),
    steps=(
        *remainder_steps("gradF", "slopeF", "fundamental theorem, sample", "sample smooth", 1),
        *remainder_steps("gradf", "slopef", "fundamental theorem", "smooth", 15),
        Step(
            Fact("dot(gradF(x), u) == dot(gradf(x), u) + dot(zeta, u)"),
            ByRule("difference of projections", {"v": "gradF(x)", "w": "gradf(x)", "z": "zeta", "u": "u"}, ("noise",)),
        ),
        Step(Fact(f"abs({_REST_SAMPLE})/2 <= L*mu/2"), Follows((4, 7, 14))),
        Step(Fact(f"abs({_REST})/2 <= L*mu/2"), Follows((18, 21, 28))),
        Step(
            Fact("abs(a + b/2 - c/2) <= abs(a) + abs(b)/2 + abs(c)/2", over=("a", "b", "c")),
            Decide(),
            "triangle inequality",
        ),
        Step(
            Fact(f"abs{DEVIATION} <= abs(dot(zeta, u)) + L*mu"),
            Follows(
                (1, 2, 15, 16, 29, Use(32, {"a": "dot(zeta, u)", "b": _REST_SAMPLE, "c": _REST}), 30, 31),
                ("", "", "", "", "", "1", "1", "1"),
            ),
            "|R| <= L mu, hence |Y - D_mu f| <= |<zeta, u>| + L mu",
        ),
        *noise_tail_steps(34),
        Step(Fact("L*mu <= L*mu*s"), Decide(), "s >= 1"),
        Step(Fact("abs(dot(zeta, u)) + L*mu <= abs(dot(zeta, u)) + L*mu*s"), Follows((55,), ("1",)), name="shifted"),
        Step(
            Fact(f"P(abs{DEVIATION} > {NOISE_SCALE}*s) <= P(abs(dot(zeta, u)) + L*mu > {NOISE_SCALE}*s)"),
            ByRule(
                "larger variable",
                {
                    "X": f"abs{DEVIATION}",
                    "Y": "abs(dot(zeta, u)) + L*mu",
                    "a": f"{NOISE_SCALE}*s",
                    "b": "0",
                },
                using=(33,),
            ),
        ),
        Step(
            Fact(f"P(abs(dot(zeta, u)) + L*mu > {NOISE_SCALE}*s) <= P(abs(dot(zeta, u)) > sigma/sqrt(d)*s)"),
            ByRule(
                "larger variable",
                {"X": "abs(dot(zeta, u)) + L*mu", "Y": "abs(dot(zeta, u))", "a": "sigma/sqrt(d)*s", "b": "L*mu*s"},
                using=("shifted",),
            ),
        ),
        Step(Fact("sigma**p/((sigma/sqrt(d)*s)**p*d**(p/2)) == s**(-p)"), Decide()),
        Step(
            Fact("P(abs(dot(zeta, u)) > sigma/sqrt(d)*s) <= s**(-p)"),
            Follows((Use(54, {"r": "sigma/sqrt(d)*s"}), 59)),
        ),
        Step(
            Fact(f"P(abs{DEVIATION} > {NOISE_SCALE}*s) <= s**(-p)"),
            Follows((57, 58, 60)),
        ),
    ),
    bound="s**(-p)",
    worst_law="directional-tail",
    twins=(
        Twin("the level sigma/sqrt(d) lowered by 1 %", {"(sigma/sqrt(d) + L*mu)": "(0.99*sigma/sqrt(d) + L*mu)"}),
        Twin("the exponent -p of the bound lowered to -1.01 p", {"<= s**(-p)": "<= s**(-1.01*p)"}),
    ),
)

_SIGNAL = "dot(gradf(x), u)"
SIGNAL_TAIL = Statement(
    label="lem:hp-shared-directional-signal-tail",
    title="Localized weak-L_p bound for the noiseless directional signal",
    kind="lemma",
    part=PART,
    text="If f(x) - f_* <= 4 bar Delta_0, then P(|D_mu f(x, u)| > (sqrt(8 L bar Delta_0)/sqrt(d) + L mu) s) <= s^-p "
    "for every s >= 1.",
    parameters=(P, D, L, MU, GAP, LEVEL),
    random=("u", "U1"),
    assumes=("ass:Well-defined", "ass:sample-smooth", "rem:f-smooth"),
    hypotheses={
        "smooth": SMOOTH_F,
        "below": BELOW,
        "direction": DIRECTION,
        "coordinate": COORDINATE,
        "localized": LOCALIZED,
    },
    claims=(Fact(f"P(abs(slopef(x, u)) > {SIGNAL_SCALE}*s) <= s**(-p)"),),
    steps=(
        *remainder_steps("gradf", "slopef", "fundamental theorem", "smooth", 1),
        Step(
            Fact("abs(a + b/2) <= abs(a) + abs(b)/2", over=("a", "b")), Decide(), "triangle inequality", name="halved"
        ),
        Step(
            Fact(f"abs(slopef(x, u)) <= abs({_SIGNAL}) + L*mu/2"),
            Follows((1, 2, Use("halved", {"a": _SIGNAL, "b": _REST}), 4, 7, 14), ("", "", "1", "1/2", "1/2", "1")),
            "|R_mu| <= L mu/2",
        ),
        Step(
            Fact("norm(gradf(x))**2 <= 2*L*(f(x) - fstar)"),
            Cite("lem:hp-shared-grad-subopt"),
        ),
        Step(
            Fact("norm(gradf(x))**2 <= 8*L*Dbar"),
            Follows((17, "localized"), ("1", "2*L")),
            "|g|^2 <= 2L(f(x) - f_*) <= 8 L bar Delta_0",
        ),
        Step(Fact("norm(gradf(x)) <= sqrt(8*L*Dbar)"), Follows((18,)), "|g| <= sqrt(8 L bar Delta_0)"),
        *moment_steps(20),
        Step(
            Fact(f"P(abs({_SIGNAL}) > r) == P(norm(gradf(x))*abs(U1) > r)", over=("r",), where=("r > 0",)),
            ByRule(
                "projection of a fixed direction",
                {"z": "gradf(x)", "u": "u", "U1": "U1", "d": "d", "r": "r"},
                using=("direction", "coordinate"),
            ),
            "rotational invariance, Z = sqrt(d)|<v, u>|",
        ),
        Step(
            Fact(
                "P(norm(gradf(x))*abs(U1) > r) <= P(sqrt(8*L*Dbar)/sqrt(d)*(sqrt(d)*abs(U1)) > r)",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule(
                "monotone",
                {"A": "norm(gradf(x))*abs(U1) > r", "B": "sqrt(8*L*Dbar)/sqrt(d)*(sqrt(d)*abs(U1)) > r"},
                using=(19,),
            ),
            "|g| <= sqrt(8 L bar Delta_0); covers g = 0",
        ),
        Step(
            Fact(
                "P(sqrt(8*L*Dbar)/sqrt(d)*(sqrt(d)*abs(U1)) > r) == P(sqrt(d)*abs(U1) > r*sqrt(d)/sqrt(8*L*Dbar))",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule(
                "same event",
                {
                    "A": "sqrt(8*L*Dbar)/sqrt(d)*(sqrt(d)*abs(U1)) > r",
                    "B": "sqrt(d)*abs(U1) > r*sqrt(d)/sqrt(8*L*Dbar)",
                },
            ),
        ),
        Step(
            Fact(
                "P(sqrt(d)*abs(U1) > r*sqrt(d)/sqrt(8*L*Dbar)) "
                "<= E((sqrt(d)*abs(U1))**p)/(r*sqrt(d)/sqrt(8*L*Dbar))**p",
                over=("r",),
                where=("r > 0",),
            ),
            ByRule("Markov", {"X": "sqrt(d)*abs(U1)", "a": "r*sqrt(d)/sqrt(8*L*Dbar)", "q": "p"}),
            "Markov",
        ),
        Step(
            Fact("1/(sqrt(8*L*Dbar)/sqrt(d)*s*sqrt(d)/sqrt(8*L*Dbar))**p == s**(-p)"),
            Decide(),
        ),
        Step(
            Fact(f"P(abs({_SIGNAL}) > sqrt(8*L*Dbar)/sqrt(d)*s) <= s**(-p)"),
            Follows(
                (
                    Use(29, {"r": "sqrt(8*L*Dbar)/sqrt(d)*s"}),
                    Use(30, {"r": "sqrt(8*L*Dbar)/sqrt(d)*s"}),
                    Use(31, {"r": "sqrt(8*L*Dbar)/sqrt(d)*s"}),
                    Use(32, {"r": "sqrt(8*L*Dbar)/sqrt(d)*s"}),
                    28,
                    33,
                ),
                ("1", "1", "1", "1", "1/(sqrt(8*L*Dbar)/sqrt(d)*s*sqrt(d)/sqrt(8*L*Dbar))**p", "1"),
            ),
        ),
        Step(Fact("L*mu/2 <= L*mu*s"), Decide(), "s >= 1"),
        Step(Fact(f"abs(slopef(x, u)) <= abs({_SIGNAL}) + L*mu*s"), Follows((16, 35), ("1", "1")), name="shifted"),
        Step(
            Fact(f"P(abs(slopef(x, u)) > {SIGNAL_SCALE}*s) <= P(abs({_SIGNAL}) > sqrt(8*L*Dbar)/sqrt(d)*s)"),
            ByRule(
                "larger variable",
                {
                    "X": "abs(slopef(x, u))",
                    "Y": f"abs({_SIGNAL})",
                    "a": "sqrt(8*L*Dbar)/sqrt(d)*s",
                    "b": "L*mu*s",
                },
                using=("shifted",),
            ),
        ),
        Step(Fact(f"P(abs(slopef(x, u)) > {SIGNAL_SCALE}*s) <= s**(-p)"), Follows((34, 37), ("1", "1"))),
    ),
    bound="s**(-p)",
    worst_law="signal-tail",
    twins=(
        Twin("the constant 8 lowered to 7.9", {"sqrt(8*L*Dbar)/sqrt(d) + L*mu": "sqrt(7.9*L*Dbar)/sqrt(d) + L*mu"}),
    ),
)

STATEMENTS = (DIRECTIONAL_TAIL, SIGNAL_TAIL)
