"""Appendix "Weak-L_2 Noise Can Have Infinite Variance"."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Decide, Fact, Follows, Statement, Step, Twin, Use
from boundcheck.paper.symbols import SMOOTH_F, D, L

PART = "Noise model"
DENSITY = "z**(-3)"

INFINITE_VARIANCE = Statement(
    label="prop:p2-infinite-variance",
    title="The case p = 2 still allows infinite variance",
    kind="proposition",
    part=PART,
    text="With Z of density |z|^-3 on |z| >= 1 and F(x; xi) = f_0(x) + Z x_1: f = f_0, F(.; xi) is L-smooth, "
    "the noise "
    "is Z e_1, P(|Z| > t) <= t^-2 for every t > 0, and E Z^2 is infinite.",
    parameters=(D, L),
    random=("Z",),
    hypotheses={
        "smooth": SMOOTH_F,
        "tail": Fact(f"P(abs(Z) > t) == 2*integral({DENSITY}, z, t, oo)", over=("t",), where=("t >= 1",)),
        "symmetric": Fact("E(Z) == -E(Z)"),
        "modulus": Fact(f"E(abs(Z)) == 2*integral(z*{DENSITY}, z, 1, oo)"),
        "truncated": Fact(
            f"E(min(Z**2, b**2)) >= 2*integral(z**2*{DENSITY}, z, 1, b)", over=("b",), where=("b >= 1",)
        ),
        "sample": Fact("F(x) == f(x) + (Z - E(Z))*dot(e1, x)", over=("x",)),
        "sample gradient": Fact("gradF(x) == gradf(x) + Z*e1", over=("x",)),
        "unit": Fact("norm(e1) == 1"),
    },
    claims=(
        Fact("F(x) == f(x) + Z*dot(e1, x)", over=("x",)),
        Fact("norm(gradF(x) - gradF(y)) <= L*norm(x - y)", over=("x", "y")),
        Fact("norm(gradF(x) - gradf(x)) == abs(Z)", over=("x",)),
        Fact("P(abs(Z) > t) <= t**(-2)", over=("t",), where=("t > 0",)),
        Fact("E(min(Z**2, b**2)) >= 2*log(b)", over=("b",), where=("b >= 1",)),
    ),
    steps=(
        Step(Fact("2*integral(z**(-3), z, 1, oo) == 1"), Decide(), "the density integrates to 1"),
        Step(Fact("E(Z) == 0"), Follows(("symmetric",)), "symmetry"),
        Step(Fact("2*integral(z*z**(-3), z, 1, oo) == 2*integral(z**(-2), z, 1, oo)"), Decide()),
        Step(Fact("2*integral(z**(-2), z, 1, oo) == 2"), Decide(), "finite"),
        Step(Fact("E(abs(Z)) == 2"), Follows(("modulus", 3, 4)), "E|Z| is finite, so E Z exists and is 0"),
        Step(Fact("F(x) == f(x) + Z*dot(e1, x)", over=("x",)), Follows(("sample", 2)), "f = f_0"),
        Step(
            Fact("gradF(x) - gradF(y) == gradf(x) - gradf(y)", over=("x", "y")),
            Follows(("sample gradient", Use("sample gradient", {"x": "y"}))),
            "the added term is linear",
        ),
        Step(
            Fact("norm(gradF(x) - gradF(y)) == norm(gradf(x) - gradf(y))", over=("x", "y")),
            ByRule("norm of equals", {"v": "gradF(x) - gradF(y)", "w": "gradf(x) - gradf(y)"}, using=(7,)),
        ),
        Step(
            Fact("norm(gradF(x) - gradF(y)) <= L*norm(x - y)", over=("x", "y")),
            Follows((8, Use("smooth", {"y": "x", "z": "y"}))),
            "F(.; xi) is L-smooth",
        ),
        Step(Fact("gradF(x) - gradf(x) == Z*e1", over=("x",)), Follows(("sample gradient",)), "the noise is Z e_1"),
        Step(
            Fact("norm(gradF(x) - gradf(x)) == norm(Z*e1)", over=("x",)),
            ByRule("norm of equals", {"v": "gradF(x) - gradf(x)", "w": "Z*e1"}, using=(10,)),
        ),
        Step(Fact("norm(Z*e1) == abs(Z)*norm(e1)"), ByRule("norm scale", {"c": "Z", "v": "e1"})),
        Step(
            Fact("norm(gradF(x) - gradf(x)) == abs(Z)", over=("x",)),
            Follows((11, 12, "unit")),
            "|grad F - grad f| = |Z|",
        ),
        Step(
            Fact("2*integral(z**(-3), z, t, oo) == t**(-2)", over=("t",), where=("t >= 1",)),
            Decide(),
            "2 int_t^oo z^-3 dz = t^-2",
        ),
        Step(
            Fact("P(abs(Z) > t) == t**(-2)", over=("t",), where=("t >= 1",)),
            Follows(("tail", 14)),
            "P(|Z| > t) = t^-2 for t >= 1",
        ),
        Step(Fact("1 <= t**(-2)", over=("t",), where=("0 < t", "t < 1")), Decide(), "for 0 < t < 1"),
        Step(
            Fact("P(abs(Z) > t) <= t**(-2)", over=("t",), where=("0 < t", "t < 1")),
            Follows((16,)),
        ),
        Step(
            Fact("P(abs(Z) > t) <= t**(-2)", over=("t",), where=("t > 0",)),
            ByRule("two cases", {"A": "P(abs(Z) > t)", "B": "t**(-2)", "t": "t", "a": "1"}, using=(17, 15)),
            "the assumption holds with p = 2 and sigma = 1",
        ),
        Step(
            Fact("2*integral(z**2*z**(-3), z, 1, b) == 2*log(b)", over=("b",), where=("b >= 1",)),
            Decide(),
            "2 int_1^b z^-1 dz = 2 log b",
        ),
        Step(
            Fact("E(min(Z**2, b**2)) >= 2*log(b)", over=("b",), where=("b >= 1",)),
            Follows(("truncated", 19)),
            "E Z^2 exceeds every 2 log b, hence is infinite",
        ),
    ),
    concludes=((6,), (9,), (13,), (18,), (20,)),
    bound="t**(-2)",
    twins=(Twin("the tail exponent -2 of the conclusion lowered to -2.01", {"<= t**(-2)": "<= t**(-2.01)"}),),
)
STATEMENTS = (INFINITE_VARIANCE,)
