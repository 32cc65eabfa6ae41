"""Bias and variance of a clipped gradient under a bounded p-th moment, with the best constants.

    python -m boundcheck.lemma check examples/clipping.py
    python -m proofs_numeric run examples/clipping.py

Reference. J. Zhang, S. P. Karimireddy, A. Veit, S. Kim, S. Reddi, S. Kumar and S. Sra, Why are Adaptive Methods Good
for Attention Models?, NeurIPS 2020: the appendix's lemma on bias and variance of the clipped gradient.
For E|Z|^p <= G^p it has |E psi(Z) - E Z| <= G^p tau^(1-p) and E psi(Z)^2 <= G^p tau^(2-p), psi clipping at tau.

Found here: the constant 1 of the bias is loose. The best one is (p-1)^(p-1)/p^p, 1/4 for p = 2, attained by a law
with one atom at p tau/(p-1). The constant 1 of the second moment is the best one.
"""

import numpy as np

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from proofs_numeric.own import mean

P = Parameter("p", "order of the moment", ("1 < p", "p <= 2"))
G = Parameter("G", "bound on the p-th moment, to the power 1/p", ("G > 0",))
TAU = Parameter("tau", "clipping level", ("tau > 0",))
MOMENT = {"moment": Fact("E(abs(Z)**p) <= G**p")}
BEST = "(p - 1)**(p - 1)/p**p"

BIAS = f"{BEST}*G**p*tau**(1 - p)"
SQUARE = "G**p*tau**(2 - p)"

SHARP_BIAS = Statement(
    label="lem:clipping-bias-sharp",
    title="Clipping bias under a bounded p-th moment, with the best constant",
    kind="lemma",
    part="Clipping",
    text="If E|Z|^p <= G^p then E|Z - psi(Z)| <= (p-1)^(p-1)/p^p G^p tau^(1-p).",
    parameters=(P, G, TAU),
    declares={"Z": "random real"},
    hypotheses=MOMENT,
    claims=(Fact(f"E(abs(Z - clip(Z, tau))) <= {BIAS}"),),
    steps=(
        Step(Fact("x**p >= 1 + p*(x - 1)", over=("x",), where=("x > 0",)), Decide(), "Bernoulli", name="positive"),
        Step(
            Fact("x**p >= 1 + p*(x - 1)", over=("x",), where=("x >= 0",)),
            Follows((Use("positive", {"x": "max(x, (p - 1)/p)"}),)),
            "the right side is at most 0 for x <= (p-1)/p",
            name="Bernoulli",
        ),
        Step(
            Fact(f"z - tau <= {BEST}*tau**(1 - p)*z**p", over=("z",), where=("z >= 0",)),
            Follows((Use("Bernoulli", {"x": "(p - 1)/p*z/tau"}),), ("tau/(p - 1)",)),
            "Bernoulli at x = (p-1)/p z/tau",
            name="tangent",
        ),
        Step(Fact("abs(Z - clip(Z, tau)) == max(abs(Z) - tau, 0)"), Decide(), name="excess"),
        Step(Fact("max(a, 0) <= b", over=("a", "b"), where=("a <= b", "b >= 0")), Decide(), name="positive part"),
        Step(Fact(f"{BEST}*tau**(1 - p)*abs(Z)**p >= 0"), Decide(), name="nonnegative"),
        Step(
            Fact(f"abs(Z - clip(Z, tau)) <= {BEST}*tau**(1 - p)*abs(Z)**p"),
            Follows(
                (
                    "excess",
                    Use("tangent", {"z": "abs(Z)"}),
                    "nonnegative",
                    Use("positive part", {"a": "abs(Z) - tau", "b": f"{BEST}*tau**(1 - p)*abs(Z)**p"}),
                ),
                ("1", "", "", "1"),
            ),
            name="pointwise",
        ),
        Step(
            Fact(f"E(abs(Z - clip(Z, tau))) <= E({BEST}*tau**(1 - p)*abs(Z)**p)"),
            ByRule(
                "expectation monotone",
                {"X": "abs(Z - clip(Z, tau))", "Y": f"{BEST}*tau**(1 - p)*abs(Z)**p"},
                using=("pointwise",),
            ),
            name="mean",
        ),
        Step(
            Fact(f"E({BEST}*tau**(1 - p)*abs(Z)**p) == {BEST}*tau**(1 - p)*E(abs(Z)**p)"),
            ByRule("expectation scale", {"c": f"{BEST}*tau**(1 - p)", "X": "abs(Z)**p"}),
            name="linear",
        ),
        Step(
            Fact(f"E(abs(Z - clip(Z, tau))) <= {BIAS}"),
            Follows(("mean", "linear", "moment"), ("1", "1", f"{BEST}*tau**(1 - p)")),
        ),
    ),
    bound=BIAS,
    twins=(
        Twin(
            "the best constant times 0.999",
            {BEST: f"0.999*{BEST}"},
            {
                "p": "2",
                "G": "1",
                "tau": "1",
                "Z": "w(1)*(1 + w(2))*(1 + w(3))/2",
            },  # 2 or -2 with probability 1/8 each, or 0
        ),
    ),
)

BIAS_PUBLISHED = Statement(
    label="lem:clipping-bias",
    title="Clipping bias under a bounded p-th moment, as published",
    kind="lemma",
    part="Clipping",
    text="If E|Z|^p <= G^p then |E psi(Z) - E Z| <= G^p tau^(1-p).",
    parameters=(P, G, TAU),
    declares={"Z": "random real"},
    hypotheses=MOMENT,
    claims=(Fact("abs(E(Z - clip(Z, tau))) <= G**p*tau**(1 - p)"),),
    steps=(
        Step(
            Fact("abs(E(Z - clip(Z, tau))) <= E(abs(Z - clip(Z, tau)))"),
            ByRule("modulus of the expectation", {"X": "Z - clip(Z, tau)"}),
        ),
        Step(Fact(f"E(abs(Z - clip(Z, tau))) <= {BIAS}"), Cite("lem:clipping-bias-sharp")),
        Step(Fact(f"{BEST} <= 1"), Decide(), "what is lost: 1 against 1/4 for p = 2", name="loss"),
        Step(
            Fact("abs(E(Z - clip(Z, tau))) <= G**p*tau**(1 - p)"),
            Follows((1, 2, "loss"), ("1", "1", "G**p*tau**(1 - p)")),
        ),
    ),
    bound="G**p*tau**(1 - p)",
    twins=(
        Twin(
            "the constant 1 lowered below the best one",
            {"<= G**p*tau**(1 - p)": f"<= 0.99*{BIAS}"},
            {"p": "2", "G": "1", "tau": "1/2", "Z": "1"},
        ),
    ),
)

SECOND_MOMENT = Statement(
    label="lem:clipping-second-moment",
    title="Second moment of a clipped variable under a bounded p-th moment",
    kind="lemma",
    part="Clipping",
    text="If E|Z|^p <= G^p then E psi(Z)^2 <= G^p tau^(2-p).",
    parameters=(P, G, TAU),
    declares={"Z": "random real"},
    hypotheses=MOMENT,
    claims=(Fact(f"E(clip(Z, tau)**2) <= {SQUARE}"),),
    steps=(
        Step(Fact("u**(2/p) <= u", over=("u",), where=("0 <= u", "u <= 1")), Decide(), name="power 2/p"),
        Step(Fact("w**p <= 1", over=("w",), where=("0 <= w", "w <= 1")), Decide(), name="at most one"),
        Step(Fact("(w**p)**(2/p) == w**2", over=("w",), where=("w >= 0",)), Decide(), name="square"),
        Step(
            Fact("w**2 <= w**p", over=("w",), where=("0 <= w", "w <= 1")),
            Follows(("at most one", "square", Use("power 2/p", {"u": "w**p"})), ("", "1", "1")),
            name="p below 2",
        ),
        Step(Fact("min(s, 1)**p <= s**p", over=("s",), where=("s >= 0",)), Decide(), name="monotone"),
        Step(Fact("clip(Z, tau)**2 == tau**2*min(abs(Z)/tau, 1)**2"), Decide(), name="unit level"),
        Step(Fact("tau**2*(abs(Z)/tau)**p == tau**(2 - p)*abs(Z)**p"), Decide(), name="scale"),
        Step(
            Fact("clip(Z, tau)**2 <= tau**(2 - p)*abs(Z)**p"),
            Follows(
                (
                    "unit level",
                    Use("p below 2", {"w": "min(abs(Z)/tau, 1)"}),
                    Use("monotone", {"s": "abs(Z)/tau"}),
                    "scale",
                ),
                ("1", "tau**2", "tau**2", "1"),
            ),
            name="pointwise",
        ),
        Step(
            Fact("E(clip(Z, tau)**2) <= E(tau**(2 - p)*abs(Z)**p)"),
            ByRule(
                "expectation monotone",
                {"X": "clip(Z, tau)**2", "Y": "tau**(2 - p)*abs(Z)**p"},
                using=("pointwise",),
            ),
            name="mean",
        ),
        Step(
            Fact("E(tau**(2 - p)*abs(Z)**p) == tau**(2 - p)*E(abs(Z)**p)"),
            ByRule("expectation scale", {"c": "tau**(2 - p)", "X": "abs(Z)**p"}),
            name="linear",
        ),
        Step(
            Fact(f"E(clip(Z, tau)**2) <= {SQUARE}"),
            Follows(("mean", "linear", "moment"), ("1", "1", "tau**(2 - p)")),
        ),
    ),
    bound=SQUARE,
    twins=(Twin("the constant 1 lowered to 0.999", {"<= tau**(2 - p)*abs": "<= 0.999*tau**(2 - p)*abs"}),),
)

# ---------------------------------------------------------------- the laws that attain the constants

ATOM = "p*tau/(p - 1)"
MASS = f"G**p/({ATOM})**p"

SHARPNESS = Statement(
    label="rem:clipping-sharp",
    title="The constants cannot be improved",
    kind="remark",
    part="Clipping",
    text="Z = z with probability G^p/z^p, else 0, has E|Z|^p = G^p. With z = p tau/(p-1) it attains the bias bound, "
    "with z = tau that of the second moment; the probability is at most 1 for G <= z.",
    parameters=(P, Parameter("tau", "clipping level", ("tau > 0",)), Parameter("G", "", ("G > 0", "G <= tau"))),
    claims=(
        Fact(f"{MASS} <= 1"),
        Fact(f"{MASS}*({ATOM} - tau) == {BIAS}"),
        Fact(f"G**p/tau**p*tau**2 == {SQUARE}"),
    ),
    steps=(
        Step(Fact("tau <= " + ATOM), Decide(), name="far"),
        Step(Fact("a**p <= b**p", over=("a", "b"), where=("0 < a", "a <= b")), Decide(), name="power"),
        Step(Fact(f"G**p <= ({ATOM})**p"), Follows((Use("power", {"a": "G", "b": ATOM}),)), name="mass"),
        Step(Fact(f"{MASS} <= 1"), Follows(("mass",), (f"1/({ATOM})**p",)), name="at most one"),
        Step(Fact(f"{MASS}*({ATOM} - tau) == {BIAS}"), Decide(), name="bias"),
        Step(Fact(f"G**p/tau**p*tau**2 == {SQUARE}"), Decide(), name="square"),
    ),
    concludes=(("at most one",), ("bias",), ("square",)),
    twins=(Twin("an atom elsewhere", {"p*tau/(p - 1)": "2*p*tau/(p - 1)"}),),
)
STATEMENTS = (SHARP_BIAS, BIAS_PUBLISHED, SECOND_MOMENT, SHARPNESS)

# ---------------------------------------------------------------- simulation: the law that attains the bias


def worst(p: float, level: float) -> tuple[float, float]:
    """(atom, its probability) of the law with E|Z|^p = 1 that has the largest bias at a clipping level >= 1."""
    atom = p * level / (p - 1)
    return atom, atom**-p


def bias_check(p: float, level: float, factor: float = 1.0, planted: str = ""):
    """E(|Z| - level)_+ <= factor * best constant * level^(1-p) for the worst law."""
    atom, mass = worst(p, level)
    exact = mass * (atom - level)

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        z = np.where(rng.random(n) < mass, atom, 0.0)
        return np.maximum(z - level, 0.0)

    variance = mass * (1 - mass) * (atom - level) ** 2
    name = f"{'planted' if planted else 'worst'}-p{p:g}-tau{level:g}"
    claimed = factor * (p - 1) ** (p - 1) / p**p * level ** (1 - p)
    return mean("lem:clipping-bias-sharp", name, draw, claimed, 0.0, atom - level, exact, variance, planted)


CHECKS = (
    bias_check(2.0, 1.0),
    bias_check(1.5, 1.0),
    bias_check(1.5, 4.0),
    bias_check(2.0, 1.0, 0.9, planted="0.9 times the best constant"),
)
