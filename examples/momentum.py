"""Two steps of momentum methods: the normalised one of Cutkosky and Mehta, and a Lyapunov function in one Gram matrix.

    python -m boundcheck.lemma check examples/momentum.py
    python -m proofs_numeric run examples/momentum.py

References. A. Cutkosky and H. Mehta, Momentum Improves Normalized SGD, ICML 2020: the lemma on the decrease of one
step, with the constants 1/3 and 8/3. Z. Li, H. Bao, X. Zhang and P. Richtarik, PAGE, ICML 2021: the descent lemma
for an inexact gradient (Lemma 2, number not confirmed).

Found here: 1/3 and 8/3 can be replaced by 1 and 2, and neither 1 nor 2 by anything better; the Lyapunov function
decreases for every step size up to (1 - beta)/L, and no larger multiple of (1 - beta)/L serves every beta.
"""

import numpy as np

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
from proofs_numeric.own import probability

SMOOTH = Fact("norm(gradf(y) - gradf(z)) <= L*norm(y - z)", over=("y: vector", "z: vector"))
GRADIENT = Fact("gradient(f, gradf) == 1")
POINTS = {"f": "vector -> real", "gradf": "vector -> vector", **dict.fromkeys(("x", "m", "u", "e", "mp"), "vector")}
L = Parameter("L", "smoothness constant", ("L > 0",))

# ---------------------------------------------------------------- the normalised step

ETA = Parameter("eta", "step size", ("eta > 0",))
NORMALISED = {
    "gradient of f": GRADIENT,
    "smooth": SMOOTH,
    "unit": Fact("norm(u) == 1"),
    "direction": Fact("dot(m, u) == norm(m)"),  # u = m/|m|
    "error": Fact("e == m - gradf(x)"),
}
SHARP_STEP = "f(x - eta*u) <= f(x) - 1*eta*norm(gradf(x)) + 2*eta*norm(e) + L/2*eta**2"

#: Small worlds, on the line, that break planted falsehoods: a step away from the minimum, a step without memory.
UPHILL = {"L": "1", "eta": "1", "f(y)": "y**2/2", "x": "1", "m": "0", "u": "-1", "mp": "1"}
PLAIN_STEP = {"L": "1", "beta": "0", "x": "1", "u": "1", "e": "1"}
SHARP = Statement(
    label="lem:normalised-step-sharp",
    title="One normalised step, with the best constants",
    kind="lemma",
    part="Normalised SGD",
    text="f(x - eta m/|m|) <= f(x) - eta |grad f(x)| + 2 eta |m - grad f(x)| + L eta^2/2.",
    parameters=(L, ETA),
    declares=POINTS,
    hypotheses=NORMALISED,
    claims=(Fact(SHARP_STEP),),
    steps=(
        Step(
            Fact("f(x - eta*u) <= f(x) + dot(gradf(x), -eta*u) + L/2*norm(-eta*u)**2"),
            ByRule("descent lemma", {"phi": "f", "G": "gradf", "h": "-eta*u"}, using=("gradient of f", "smooth")),
            name="descent",
        ),
        Step(
            Fact("dot(gradf(x), -eta*u) == -eta*dot(gradf(x), u)"),
            ByRule("dot of a multiple", {"c": "-eta", "v": "gradf(x)", "w": "u"}),
            name="scale",
        ),
        Step(
            Fact("norm(-eta*u) == abs(-eta)*norm(u)"),
            ByRule("norm scale", {"c": "-eta", "v": "u"}),
            name="step length",
        ),
        Step(Fact("abs(-eta) == eta"), Decide(), name="modulus"),
        Step(Fact("norm(-eta*u)**2 == eta**2"), Follows(("step length", "modulus", "unit")), name="step squared"),
        Step(
            Fact("dot(m, u) == dot(gradf(x), u) + dot(e, u)"),
            ByRule("difference of projections", {"v": "m", "w": "gradf(x)", "z": "e", "u": "u"}, using=("error",)),
            name="split",
        ),
        Step(
            Fact("abs(dot(e, u)) <= norm(e)*norm(u)"), ByRule("Cauchy-Schwarz", {"v": "e", "w": "u"}), name="schwarz"
        ),
        Step(Fact("dot(e, u) <= norm(e)"), Follows(("schwarz", "unit")), name="error along u"),
        Step(Fact("gradf(x) == m - e"), Follows(("error",)), name="gradient"),
        Step(
            Fact("norm(gradf(x)) == norm(m - e)"),
            ByRule("norm of equals", {"v": "gradf(x)", "w": "m - e"}, using=("gradient",)),
            name="gradient norm",
        ),
        Step(
            Fact("norm(m - e) <= norm(m) + norm(e)"),
            ByRule("norm of a difference", {"v": "m", "w": "e"}),
            name="triangle",
        ),
        Step(
            Fact("-dot(gradf(x), u) <= -1*norm(gradf(x)) + 2*norm(e)"),
            Follows(("split", "direction", "error along u", "gradient norm", "triangle"), ("1", "-1", "1", "1", "1")),
            name="inner product",
        ),
        Step(
            Fact(SHARP_STEP),
            Follows(("descent", "scale", "step squared", "inner product"), ("1", "1", "L/2", "eta")),
        ),
    ),
    twins=(
        Twin(
            "2 |m - grad f| lowered to 1.99",
            {"2*eta*norm(e)": "1.99*eta*norm(e)", "+ 2*norm(e)": "+ 1.99*norm(e)"},
            UPHILL,
        ),
        Twin("|grad f| with 1.01 before it", {"1*eta*norm": "1.01*eta*norm", "-1*norm": "-1.01*norm"}, UPHILL),
    ),
    note="For m = -s g with s -> 0 both sides of the inner product agree: -<g, u> = |g| = -|g| + 2 |m - g| - 2 s |g|.",
)
PUBLISHED = Statement(
    label="lem:normalised-step",
    title="One normalised step, as published",
    kind="lemma",
    part="Normalised SGD",
    text="f(x - eta m/|m|) <= f(x) - eta/3 |grad f(x)| + 8 eta/3 |m - grad f(x)| + L eta^2/2.",
    parameters=(L, ETA),
    declares=POINTS,
    hypotheses=NORMALISED,
    claims=(Fact("f(x - eta*u) <= f(x) - eta/3*norm(gradf(x)) + 8*eta/3*norm(e) + L/2*eta**2"),),
    steps=(
        Step(Fact(SHARP_STEP), Cite("lem:normalised-step-sharp")),
        Step(
            Fact("f(x - eta*u) <= f(x) - eta/3*norm(gradf(x)) + 8*eta/3*norm(e) + L/2*eta**2"),
            Follows((1,)),
            "what is lost: 2 eta/3 (|grad f| + |m - grad f|)",
        ),
    ),
    twins=(
        Twin(
            "1.99 |m - grad f|, with the full |grad f|", {"eta/3*norm(g": "eta*norm(g", "8*eta/3": "1.99*eta"}, UPHILL
        ),
    ),
)

# ---------------------------------------------------------------- the Lyapunov function

Y = "x - alpha*m"
LYAPUNOV = (
    f"f({Y}) + {{half}}*alpha/(1 - beta)*norm(mp - gradf({Y}))**2 "
    "<= f(x) + {half}*alpha/(1 - beta)*norm(m - gradf(x))**2 - {gain}*alpha*norm(gradf(x))**2"
)
CLAIM = LYAPUNOV.format(half="1/2", gain="1/2")
DECREASE = Statement(
    label="lem:momentum-lyapunov",
    title="A Lyapunov function of gradient descent with momentum",
    kind="lemma",
    part="Momentum",
    text="For x' = x - alpha m, m' = beta m + (1 - beta) grad f(x') and alpha <= (1 - beta)/L the function "
    "f(x) + alpha/(2(1 - beta)) |m - grad f(x)|^2 falls by at least alpha/2 |grad f(x)|^2.",
    parameters=(
        L,
        Parameter("beta", "momentum", ("0 <= beta", "beta < 1")),
        Parameter("alpha", "step size", ("alpha > 0", "alpha <= 1*(1 - beta)/L")),
    ),
    declares=POINTS,
    hypotheses={
        "gradient of f": GRADIENT,
        "smooth": SMOOTH,
        "momentum": Fact(f"mp == beta*m + (1 - beta)*gradf({Y})"),
    },
    claims=(Fact(CLAIM),),
    steps=(
        Step(
            Fact(f"f({Y}) <= f(x) + dot(gradf(x), -alpha*m) + L/2*norm(-alpha*m)**2"),
            ByRule("descent lemma", {"phi": "f", "G": "gradf", "h": "-alpha*m"}, using=("gradient of f", "smooth")),
            "PAGE's descent lemma, before it is rewritten",
            name="descent",
        ),
        Step(
            Fact(f"norm(gradf({Y}) - gradf(x)) <= L*norm({Y} - x)"),
            Follows((Use("smooth", {"y": Y, "z": "x"}),)),
            name="drift",
        ),
        Step(
            Fact(CLAIM),
            ByGram(
                ("gradf(x)", "m", f"gradf({Y})", "mp"),
                using=("descent", "drift", "momentum"),
                times=("1", "alpha*beta**2/(2*(1 - beta)**2)", ""),
            ),
            "one Gram certificate for all alpha, beta and L",
        ),
    ),
    twins=(
        Twin(
            "the step range widened by 1 percent",
            {"1*(1 - beta)": "1.01*(1 - beta)"},
            PLAIN_STEP | {"alpha": "1.01", "f(y)": "y**2/2", "m": "1"},
        ),
        Twin(
            "the gain 1/2 raised to 0.51",
            {"- 1/2*alpha*norm": "- 0.51*alpha*norm"},
            PLAIN_STEP | {"alpha": "1", "f(y)": "y", "m": "0"},
        ),
    ),
)
SHARPNESS = Statement(
    label="rem:momentum-sharp",
    title="The constants cannot be improved",
    kind="remark",
    part="Momentum",
    text="On the line: for grad f(x) = 1 and m = -s the inner product of the normalised step is -<g, u> = 1, more "
    "than -|g| + c |m - g| = -1 + c (1 + s) for c < 2 and small s. For f(x) = L x^2/2, x = 0 and beta = 0 the "
    "Lyapunov function rises from alpha m^2/2 to L (alpha m)^2/2 if alpha > 1/L.",
    parameters=(
        L,
        Parameter("alpha", "step size", ("alpha > 0", "alpha > 1/L")),
        Parameter("c", "constant", ("0 < c", "c < 2")),
    ),
    claims=(
        Fact("1 > -1 + c*(1 + s)", over=("s",), where=("0 < s", "s < 2/c - 1")),
        Fact("2/c - 1 > 0"),
        Fact("L*(alpha*m)**2/2 > alpha*m**2/2", over=("m",), where=("m != 0",)),
    ),
    steps=(
        Step(Fact("1 > -1 + c*(1 + s)", over=("s",), where=("0 < s", "s < 2/c - 1")), Decide(), name="inner"),
        Step(Fact("2/c - 1 > 0"), Decide(), name="room"),
        Step(Fact("L*alpha > 1"), Decide(), name="long"),
        Step(Fact("m**2*alpha > 0", over=("m",), where=("m != 0",)), Decide(), name="positive"),
        Step(
            Fact("L*(alpha*m)**2/2 > alpha*m**2/2", over=("m",), where=("m != 0",)),
            Follows(("long", "positive")),
            name="rise",
        ),
    ),
    concludes=(("inner",), ("room",), ("rise",)),
    twins=(Twin("a step size below 1/L", {"alpha > 1/L": "alpha > 0.99/L", "L*alpha > 1": "L*alpha > 0.99"}),),
)
STATEMENTS = (SHARP, PUBLISHED, DECREASE, SHARPNESS)

# ---------------------------------------------------------------- simulation: one step on f(x) = +-x^2/2, L = 1


def increase(beta: float, share: float):
    """Of the Lyapunov function plus alpha/2 |grad f|^2 in one step from random x and m; alpha = share (1 - beta)/L."""
    alpha = share * (1 - beta)
    weight = alpha / (2 * (1 - beta))

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        curvature = np.where(rng.random(n) < 0.5, 1.0, -1.0)
        x, m = rng.standard_normal((2, n))
        y = x - alpha * m
        g, h = curvature * x, curvature * y
        after = curvature * y**2 / 2 + weight * (beta * (m - h)) ** 2
        before = curvature * x**2 / 2 + weight * (m - g) ** 2
        return after - before + alpha / 2 * g**2

    return draw


ROUNDING, RARE = 1e-9, 1e-3  #: an increase above ROUNDING is none of the arithmetic; it must happen never

CHECKS = (
    probability(DECREASE.label, "beta0.5", increase(0.5, 1.0), ROUNDING, RARE),
    probability(DECREASE.label, "beta0.9", increase(0.9, 1.0), ROUNDING, RARE),
    probability(
        DECREASE.label, "planted", increase(0.9, 1.5), ROUNDING, RARE, planted="a step size of 1.5 (1 - beta)/L"
    ),
)
