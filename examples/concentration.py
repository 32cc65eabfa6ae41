"""Bennett's and Bernstein's inequalities, with proof as data and the best constants.

    python -m boundcheck.lemma check examples/concentration.py
    python -m proofs_numeric run examples/concentration.py

References. S. Boucheron, G. Lugosi and P. Massart, Concentration Inequalities, Oxford 2013: Theorem 2.9 (Bennett),
Corollary 2.11 (Bernstein); N. Cesa-Bianchi and G. Lugosi, Prediction, Learning, and Games, Cambridge 2006: exp(x) <=
1 + x + x^2 for x <= 1, the bound behind many regret and martingale inequalities.

Found here: the constant 1 before x^2 is loose, e - 2 = 0.718... is the best one (attained at x = 1); the 1/3 in
Bernstein's denominator is the best one, 0.333 fails near 0.
"""

import math

import numpy as np

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from proofs_numeric.own import mean, probability

V = Parameter("v", "bound on the second moment", ("v >= 0",))
LAM = Parameter("lam", "argument of the moment generating function", ("lam >= 0",))
CENTRED = {
    "centred": Fact("E(X) == 0"),
    "range": Fact("abs(X) <= 1"),
    "variance": Fact("E(X**2) <= v"),
}
PHI = "(exp(lam) - 1 - lam)"
QUADRATIC = f"1 + lam*X + {PHI}*X**2"

BENNETT = Statement(
    label="thm:bennett-mgf",
    title="Moment generating function of a bounded variable",
    kind="theorem",
    part="Concentration",
    text="If E X = 0, |X| <= 1 and E X^2 <= v, then E exp(lam X) <= exp(v (e^lam - 1 - lam)) for lam >= 0.",
    parameters=(V, LAM),
    declares={"X": "random real"},
    hypotheses=CENTRED,
    claims=(Fact(f"E(exp(lam*X)) <= exp(v*{PHI})"),),
    steps=(
        Step(
            Fact(f"exp(lam*x) <= 1 + lam*x + {PHI}*x**2", over=("x",), where=("-1 <= x", "x <= 1")),
            Decide(),
            "equality at 0 and at 1",
            name="parabola",
        ),
        Step(Fact("-1 <= X"), Follows(("range",)), name="low"),
        Step(Fact("X <= 1"), Follows(("range",)), name="high"),
        Step(
            Fact(f"exp(lam*X) <= {QUADRATIC}"), Follows(("low", "high", Use("parabola", {"x": "X"}))), name="pointwise"
        ),
        Step(Fact("exp(lam*X) >= 0"), Decide(), name="positive"),
        Step(Fact("exp(a) <= exp(b)", over=("a", "b"), where=("a <= b",)), Decide(), name="monotone"),
        Step(Fact("lam*X <= lam"), Follows(("high",), ("lam",)), name="exponent"),
        Step(
            Fact("exp(lam*X) <= exp(lam)"),
            Follows(("exponent", Use("monotone", {"a": "lam*X", "b": "lam"}))),
            "bounded, so its mean exists",
            name="bounded",
        ),
        Step(
            Fact(f"E(exp(lam*X)) <= E({QUADRATIC})"),
            ByRule("expectation monotone", {"X": "exp(lam*X)", "Y": QUADRATIC}, using=("pointwise",)),
            name="mean",
        ),
        Step(
            Fact(f"E({QUADRATIC}) == E(1 + lam*X) + E({PHI}*X**2)"),
            ByRule("expectation of a sum", {"X": "1 + lam*X", "Y": f"{PHI}*X**2"}),
            name="sum",
        ),
        Step(
            Fact("E(1 + lam*X) == E(1) + E(lam*X)"),
            ByRule("expectation of a sum", {"X": "1", "Y": "lam*X"}),
            name="affine",
        ),
        Step(Fact("E(1) == 1"), ByRule("expectation of a constant", {"c": "1"}), name="one"),
        Step(Fact("E(lam*X) == lam*E(X)"), ByRule("expectation scale", {"c": "lam", "X": "X"}), name="first"),
        Step(
            Fact(f"E({PHI}*X**2) == {PHI}*E(X**2)"),
            ByRule("expectation scale", {"c": PHI, "X": "X**2"}),
            name="second",
        ),
        Step(Fact(f"{PHI} >= 0"), Decide(), name="sign"),
        Step(Fact("y + 1 <= exp(y)", over=("y",)), Decide(), name="exponential"),
        Step(
            Fact(f"E(exp(lam*X)) <= 1 + v*{PHI}"),
            Follows(
                ("sign", "mean", "sum", "affine", "one", "first", "centred", "second", "variance"),
                ("", "1", "1", "1", "1", "1", "lam", "1", PHI),
            ),
            name="linear in v",
        ),
        Step(
            Fact(f"E(exp(lam*X)) <= exp(v*{PHI})"),
            Follows(("linear in v", Use("exponential", {"y": f"v*{PHI}"})), ("1", "1")),
        ),
    ),
    bound=f"exp(v*{PHI})",
    twins=(Twin("e^lam - 1 - lam lowered by one percent", {PHI: f"0.99*{PHI}"}),),
)

BERNSTEIN = "exp(v*lam**2/(2*(1 - lam/3)))"
BERNSTEIN_MGF = Statement(
    label="cor:bernstein-mgf",
    title="Bernstein's bound on the moment generating function",
    kind="corollary",
    part="Concentration",
    text="Under the same hypotheses E exp(lam X) <= exp(v lam^2/(2 (1 - lam/3))) for 0 <= lam < 3.",
    parameters=(V, Parameter("lam", LAM.meaning, ("lam >= 0", "lam < 3"))),
    declares={"X": "random real"},
    hypotheses=CENTRED,
    claims=(Fact(f"E(exp(lam*X)) <= {BERNSTEIN}"),),
    steps=(
        Step(Fact(f"E(exp(lam*X)) <= exp(v*{PHI})"), Cite("thm:bennett-mgf"), name="Bennett"),
        Step(Fact(f"{PHI} <= lam**2/(2*(1 - lam/3))"), Decide(), "a contact of order three at 0", name="series"),
        Step(
            Fact(f"v*{PHI} <= v*lam**2/(2*(1 - lam/3))"),
            Follows(("series",), ("v",)),
            name="exponent",
        ),
        Step(Fact("exp(a) <= exp(b)", over=("a", "b"), where=("a <= b",)), Decide(), name="monotone"),
        Step(
            Fact(f"exp(v*{PHI}) <= {BERNSTEIN}"),
            Follows(("exponent", Use("monotone", {"a": f"v*{PHI}", "b": "v*lam**2/(2*(1 - lam/3))"}))),
            name="larger",
        ),
        Step(Fact(f"E(exp(lam*X)) <= {BERNSTEIN}"), Follows(("Bennett", "larger"))),
    ),
    bound=BERNSTEIN,
    twins=(Twin("1/3 lowered to 0.333", {"lam/3": "0.333*lam"}),),
)

EXPONENT = "v*lam**2/(2*(1 - lam/3))"
TAIL = Statement(
    label="cor:bernstein-tail",
    title="Bernstein's tail bound, before it is optimised over lam",
    kind="corollary",
    part="Concentration",
    text="Then P(X > t) <= exp(v lam^2/(2 (1 - lam/3)) - lam t) for every t and 0 < lam < 3.",
    parameters=(V, Parameter("lam", LAM.meaning, ("lam > 0", "lam < 3")), Parameter("t", "level")),
    declares={"X": "random real"},
    hypotheses=CENTRED,
    claims=(Fact(f"P(X > t) <= exp({EXPONENT} - lam*t)"),),
    steps=(
        Step(Fact(f"E(exp(lam*X)) <= {BERNSTEIN}"), Cite("cor:bernstein-mgf"), name="moment"),
        Step(
            Fact("P(X > t) <= E(exp(lam*X))/exp(lam*t)"),
            ByRule("Markov", {"A": "X > t", "X": "exp(lam*X)", "a": "exp(lam*t)", "q": "1"}),
            "exp(lam*X) >= exp(lam*t) wherever X > t",
            name="Markov",
        ),
        Step(Fact(f"exp({EXPONENT})/exp(lam*t) == exp({EXPONENT} - lam*t)"), Decide(), name="quotient"),
        Step(
            Fact(f"P(X > t) <= exp({EXPONENT} - lam*t)"),
            Follows(("Markov", "moment", "quotient"), ("1", "1/exp(lam*t)", "1")),
        ),
    ),
    bound=f"exp({EXPONENT} - lam*t)",
    twins=(Twin("lam t times 1.001", {"- lam*t": "- 1.001*lam*t"}),),
)

X = Parameter("x", "argument", ("x <= 1",))
SHARP = Statement(
    label="lem:exp-quadratic-sharp",
    title="exp below a parabola, with the best constant",
    kind="lemma",
    part="Concentration",
    text="exp(x) <= 1 + x + (e - 2) x^2 for x <= 1, with equality at 1.",
    parameters=(X,),
    claims=(Fact("exp(x) <= 1 + x + (exp(1) - 2)*x**2"),),
    steps=(Step(Fact("exp(x) <= 1 + x + (exp(1) - 2)*x**2"), Decide()),),
    bound="1 + x + (exp(1) - 2)*x**2",
    twins=(Twin("e - 2 = 0.71828... lowered to 0.718", {"(exp(1) - 2)": "0.718"}),),
)
PUBLISHED = Statement(
    label="lem:exp-quadratic",
    title="exp below a parabola, as published",
    kind="lemma",
    part="Concentration",
    text="exp(x) <= 1 + x + x^2 for x <= 1.",
    parameters=(X,),
    claims=(Fact("exp(x) <= 1 + x + x**2"),),
    steps=(
        Step(Fact("exp(x) <= 1 + x + (exp(1) - 2)*x**2"), Cite("lem:exp-quadratic-sharp")),
        Step(Fact("exp(1) - 2 <= 1"), Decide(), "what is lost: a factor 1/(e-2) = 1.392...", name="loss"),
        Step(Fact("exp(x) <= 1 + x + x**2"), Follows((1, "loss"), ("1", "x**2"))),
    ),
    bound="1 + x + x**2",
    twins=(Twin("the constant 1 lowered to 0.718", {"<= 1 + x + x**2": "<= 1 + x + 0.718*x**2"}),),
)
STATEMENTS = (BENNETT, BERNSTEIN_MGF, TAIL, SHARP, PUBLISHED)

# ---------------------------------------------------------------- simulation: two atoms, one at the end of the range


def two_point(v: float) -> tuple[float, float]:
    """(the other atom, probability of the atom 1) of the centred law on {-v, 1} with second moment v <= 1."""
    return -v, v / (1 + v)


def moment_check(v: float, lam: float, factor: float = 1.0, planted: str = ""):
    """E exp(lam X) <= exp(v (e^lam - 1 - lam)), the exponent times ``factor``."""
    low, mass = two_point(v)
    exact = (1 - mass) * math.exp(lam * low) + mass * math.exp(lam)

    def draw(rng: np.random.Generator, n: int) -> np.ndarray:
        return np.exp(lam * np.where(rng.random(n) < mass, 1.0, low))

    variance = mass * (1 - mass) * (math.exp(lam) - math.exp(lam * low)) ** 2
    claimed = math.exp(factor * v * (math.exp(lam) - 1 - lam))
    name = f"{'planted' if planted else 'two-point'}-v{v:g}-lam{lam:g}"
    ends = math.exp(lam * low), math.exp(lam)
    return mean(BENNETT.label, name, draw, claimed, *ends, exact, variance, planted)


def tail_check(v: float, t: float):
    """P(X > t) for the two-point law, t < 1, with the lam that nearly minimises the bound."""
    _, mass = two_point(v)
    lam = t / (v + t / 3)
    claimed = math.exp(v * lam**2 / (2 * (1 - lam / 3)) - lam * t)
    return probability(TAIL.label, f"v{v:g}-t{t:g}", lambda rng, n: (rng.random(n) < mass) * 1.0, t, claimed)


CHECKS = (
    moment_check(0.1, 1.0),
    moment_check(0.5, 2.0),
    moment_check(0.1, 1.0, 0.5, planted="half the exponent"),
    tail_check(0.1, 0.9),
)
