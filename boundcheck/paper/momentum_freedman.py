"""Momentum RSC-ZO: the vector Freedman inequality, with its constant and the range of levels in which it holds."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.statement import (
    Cite,
    Decide,
    Exists,
    Fact,
    Family,
    Follows,
    Parameter,
    Statement,
    Step,
    Twin,
    Use,
)
from boundcheck.paper.momentum_estimator import PART
from boundcheck.paper.symbols import BATCH

#: Sum of a martingale-difference array in lexicographic order; a sequence is an array with one column.
ARRAY_SUM = "sum(sum(at(X, s, l), l, 1, M), s, 1, n)"
ARRAY_HYPOTHESES = {
    "differences": Fact("Egiven(at(X, s, l), at(H, s, l - 1)) == 0", over=("s", "l"), where=("s >= 1", "s <= n")),
    "bounded": Fact("norm(at(X, s, l)) <= R", over=("s", "l"), where=("s >= 1", "s <= n")),
    "variation": Fact("sum(sum(Egiven(norm(at(X, s, l))**2, at(H, s, l - 1)), l, 1, M), s, 1, n) <= V"),
}
COUNT = Parameter("n", "rows of the array", ("n >= 1",), integer=True)
_BOUND_R = Parameter("R", "almost sure bound of the differences", ("R > 0",))
_BOUND_V = Parameter("V", "bound of the predictable quadratic variation", ("V > 0",))
BENNETT = "2*exp(r/R - (r/R + V/R**2)*log(1 + r*R/V))"
BERNSTEIN = "2*exp(-r**2/(2*(V + R*r/3)))"
FREEDMAN_LEVEL = "2*(sqrt(V*eta) + R*eta)"

PINELIS = Statement(
    label="lit:pinelis-bennett",
    title="Bennett inequality for martingales in a Hilbert space",
    kind="theorem",
    part=PART,
    text="A martingale in a Hilbert space with |X_i| <= R and sum E[|X_i|^2 | past] <= V satisfies "
    "P(|sum X_i| > r) <= 2 exp(r/R - (r/R + V/R^2) log(1 + r R/V)) for every r > 0.",
    parameters=(COUNT, BATCH, _BOUND_R, _BOUND_V),
    random=("X", "H"),
    hypotheses=ARRAY_HYPOTHESES,
    claims=(Fact(f"P(norm({ARRAY_SUM}) > r) <= {BENNETT}", over=("r",), where=("r > 0",)),),
    literature="Pinelis, Ann. Probab. 22 (1994), 1679-1706, Theorem 3.4 (number not confirmed; Hilbert space: D = 1)",
    note="Taken from the literature; the printed article was not at hand. Bennett's exponent with the factor 2 of the "
    "norm; the index runs over the array in lexicographic order.",
)


def bernstein_steps() -> tuple[Step, ...]:
    """From Bennett's tail to Bernstein's, for every r > 0; the last step is named "Bernstein"."""
    return (
        Step(
            Fact("y**2/(2*(1 + y/3)) <= (1 + y)*log(1 + y) - y", over=("y",), where=("y >= 0",)),
            Decide(),
            "from Bennett's form to Bernstein's",
            name="Bennett function",
        ),
        Step(
            Fact(
                "r/R - (r/R + V/R**2)*log(1 + r*R/V) == -V/R**2*((1 + r*R/V)*log(1 + r*R/V) - r*R/V)",
                over=("r",),
                where=("r > 0",),
            ),
            Decide(),
            name="exponent",
        ),
        Step(
            Fact("V/R**2*((r*R/V)**2/(2*(1 + (r*R/V)/3))) == r**2/(2*(V + R*r/3))", over=("r",), where=("r > 0",)),
            Decide(),
            name="Bernstein exponent",
        ),
        Step(
            Fact(
                "r/R - (r/R + V/R**2)*log(1 + r*R/V) <= -r**2/(2*(V + R*r/3))",
                over=("r",),
                where=("r > 0",),
            ),
            Follows((Use("Bennett function", {"y": "r*R/V"}), "exponent", "Bernstein exponent"), ("V/R**2", "1", "1")),
            name="exponents",
        ),
        Step(Fact("exp(a) <= exp(b)", over=("a", "b"), where=("a <= b",)), Decide(), name="exp"),
        Step(
            Fact(f"{BENNETT} <= {BERNSTEIN}", over=("r",), where=("r > 0",)),
            Follows(
                (
                    "exponents",
                    Use("exp", {"a": "r/R - (r/R + V/R**2)*log(1 + r*R/V)", "b": "-r**2/(2*(V + R*r/3))"}),
                ),
                ("", "2"),
            ),
            name="Bernstein",
        ),
    )


FREEDMAN_USED = Statement(
    label="lem:momentum-freedman",
    title="Vector Freedman, with C_F = 2 and eta >= log 2",
    kind="lemma",
    part=PART,
    text="For a martingale-difference array in a Hilbert space with |X_i| <= R and sum E[|X_i|^2 | past] <= V: for "
    "every "
    "eta >= log 2, |sum X_i| <= 2 (sqrt(V eta) + R eta) with probability at least 1 - exp(-eta).",
    parameters=(COUNT, BATCH, _BOUND_R, _BOUND_V, Parameter("eta", "level", ("eta >= log(2)",))),
    random=("X", "H"),
    hypotheses=ARRAY_HYPOTHESES,
    claims=(Fact(f"P(norm({ARRAY_SUM}) > {FREEDMAN_LEVEL}) <= exp(-eta)"),),
    steps=(
        Step(Fact("eta > 0"), Decide(), name="eta"),
        Step(Fact(f"{FREEDMAN_LEVEL} > 0"), Decide(("eta",)), name="level"),
        Step(
            Fact(f"P(norm({ARRAY_SUM}) > r) <= {BENNETT}", over=("r",), where=("r > 0",)),
            Cite("lit:pinelis-bennett"),
            name="Bennett",
        ),
        *bernstein_steps(),
        Step(
            Fact(
                "2*(a**2 + b*(2*(a + b))/3)*(2*e) <= (2*(a + b))**2*e",
                over=("a", "b", "e"),
                where=("a >= 0", "b >= 0", "e >= 0"),
            ),
            Decide(),
            name="level squared",
        ),
        Step(Fact("sqrt(V*eta)**2 == V*eta"), Decide(("eta",)), name="root"),
        Step(Fact("sqrt(V*eta) >= 0"), Decide(("eta",)), name="root sign"),
        Step(
            Fact(f"4*(V*eta + R*eta*({FREEDMAN_LEVEL})/3) <= ({FREEDMAN_LEVEL})**2"),
            Follows(("eta", "root", "root sign", Use("level squared", {"a": "sqrt(V*eta)", "b": "R*eta", "e": "1"}))),
            "r^2 >= 4 eta (V + R r/3) at r = 2 (sqrt(V eta) + R eta)",
            name="square",
        ),
        Step(
            Fact(f"2*eta <= ({FREEDMAN_LEVEL})**2/(2*(V + R*({FREEDMAN_LEVEL})/3))"),
            Follows(("eta", "level", "square"), ("", "", f"1/(2*(V + R*({FREEDMAN_LEVEL})/3))")),
            name="quotient",
        ),
        Step(Fact("eta + log(2) <= 2*eta"), Decide(), "eta >= log 2", name="log 2"),
        Step(
            Fact(f"exp(-({FREEDMAN_LEVEL})**2/(2*(V + R*({FREEDMAN_LEVEL})/3))) <= exp(-(eta + log(2)))"),
            Follows(
                (
                    "level",
                    "quotient",
                    "log 2",
                    Use(
                        "exp",
                        {"a": f"-({FREEDMAN_LEVEL})**2/(2*(V + R*({FREEDMAN_LEVEL})/3))", "b": "-(eta + log(2))"},
                    ),
                )
            ),
            name="exp bound",
        ),
        Step(Fact("2*exp(-(eta + log(2))) == exp(-eta)"), Decide(), name="half"),
        Step(
            Fact(f"P(norm({ARRAY_SUM}) > {FREEDMAN_LEVEL}) <= exp(-eta)"),
            Follows(
                (
                    "level",
                    Use("Bennett", {"r": FREEDMAN_LEVEL}),
                    Use("Bernstein", {"r": FREEDMAN_LEVEL}),
                    "exp bound",
                    "half",
                ),
                ("", "1", "1", "2", "1"),
            ),
        ),
    ),
    bound=FREEDMAN_LEVEL,
)
SINGLE_SIGN = Family(
    "a single step, a sign",
    ("eta",),
    ("eta > 0",),
    {
        "n": "1",
        "M": "1",
        "R": "1",
        "V": "1",
        "at(X, s, l)": "x",
        "norm(at(X, s, l))": "abs(x)",
        f"norm({ARRAY_SUM})": "abs(x)",
        "Egiven(at(X, s, l), at(H, s, l - 1))": "E(x)",
        "sum(sum(Egiven(norm(at(X, s, l))**2, at(H, s, l - 1)), l, 1, M), s, 1, n)": "E(x**2)",
    },
    "x",
    (("-1", "1/2"), ("1", "1/2")),
    note="n = M = 1 and X = -1, 1 with probability 1/2 each: V = R = 1",
)
FREEDMAN = replace(
    FREEDMAN_USED,
    title="Vector Freedman",
    text="There is an absolute constant C_F such that, for every eta > 0, |sum X_i| <= C_F (sqrt(V eta) + R eta) "
    "with "
    "probability at least 1 - exp(-eta).",
    parameters=(COUNT, BATCH, _BOUND_R, _BOUND_V, Parameter("eta", "level", ("eta > 0",))),
    claims=(),
    steps=(),
    exists=(
        Exists(
            "C",
            Fact(f"P(norm({ARRAY_SUM}) > C*(sqrt(V*eta) + R*eta)) <= exp(-eta)"),
            (SINGLE_SIGN,),
        ),
    ),
    imprecise="C_F is claimed to exist, for every eta > 0",
    as_used=FREEDMAN_USED,
    twins=(
        Twin("levels eta >= log 2 widened to eta > 0", {"eta >= log(2)": "eta > 0"}),
        Twin("C_F = 2 lowered to 1.6", {FREEDMAN_LEVEL: "1.6*(sqrt(V*eta) + R*eta)"}),
    ),
)
STATEMENTS = (PINELIS, FREEDMAN)
