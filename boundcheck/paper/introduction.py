"""What the paper says outside its labels: introduction, abstract, takeaway of the first appendix, clipping remarks."""

from __future__ import annotations

from boundcheck.kernel.statement import (
    ByRule,
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
from boundcheck.paper.complexity import EXPLICIT
from boundcheck.paper.convergence import EPS
from boundcheck.paper.symbols import SIGMA, D, L, P

PART = "Introduction and remarks"

WEAK_MOMENT = Statement(
    label="rem:weak-moment",
    title="Weak-L_p control is strictly weaker than a bounded p-th moment",
    kind="remark",
    part=PART,
    text="E|zeta|^p <= sigma^p implies P(|zeta| > t) <= (sigma/t)^p by Markov; a variable with P(|Z| > t) = t^-p for "
    "t >= 1 "
    "meets the weak condition, and E min(|Z|, b)^p exceeds every multiple of log b.",
    parameters=(P, SIGMA),
    random=("zeta", "Z"),
    hypotheses={
        "moment": Fact("E(norm(zeta)**p) <= sigma**p"),
        "tail": Fact("P(abs(Z) > t) == t**(-p)", over=("t",), where=("t >= 1",)),
        "truncated": Fact(
            "E(min(abs(Z), b)**p) >= p*integral(t**(p - 1)*t**(-p), t, 1, b)", over=("b",), where=("b >= 1",)
        ),
    },
    claims=(
        Fact("P(norm(zeta) > t) <= (sigma/t)**p", over=("t",), where=("t > 0",)),
        Fact("P(abs(Z) > t) <= t**(-p)", over=("t",), where=("t > 0",)),
        Fact("E(min(abs(Z), b)**p) >= p*log(b)", over=("b",), where=("b >= 1",)),
    ),
    steps=(
        Step(
            Fact("P(norm(zeta) > t) <= E(norm(zeta)**p)/t**p", over=("t",), where=("t > 0",)),
            ByRule("Markov", {"X": "norm(zeta)", "a": "t", "q": "p"}),
            "Markov's inequality",
            name="Markov",
        ),
        Step(Fact("sigma**p/t**p == (sigma/t)**p", over=("t",), where=("t > 0",)), Decide(), name="power"),
        Step(
            Fact("P(norm(zeta) > t) <= (sigma/t)**p", over=("t",), where=("t > 0",)),
            Follows(("Markov", "moment", "power"), ("1", "1/t**p", "1")),
            name="weak",
        ),
        Step(Fact("1 <= t**(-p)", over=("t",), where=("t > 0", "t < 1")), Decide(), name="trivial"),
        Step(
            Fact("P(abs(Z) > t) <= t**(-p)", over=("t",), where=("t > 0", "t < 1")), Follows(("trivial",)), name="near"
        ),
        Step(Fact("P(abs(Z) > t) <= t**(-p)", over=("t",), where=("t > 0", "t >= 1")), Follows(("tail",)), name="far"),
        Step(
            Fact("P(abs(Z) > t) <= t**(-p)", over=("t",), where=("t > 0",)),
            ByRule("either case", {"A": "P(abs(Z) > t)", "B": "t**(-p)", "t": "t", "a": "1"}, using=("near", "far")),
            name="Z weak",
        ),
        Step(
            Fact("integral(t**(p - 1)*t**(-p), t, 1, b) == log(b)", over=("b",), where=("b >= 1",)),
            Decide(),
            name="log",
        ),
        Step(
            Fact("E(min(abs(Z), b)**p) >= p*log(b)", over=("b",), where=("b >= 1",)),
            Follows(("truncated", "log"), ("1", "-p")),
            "the p-th moment of Z is infinite: the converse fails",
            name="infinite",
        ),
    ),
    concludes=(("weak",), ("Z weak",), ("infinite",)),
    twins=(Twin("the exponent of the tail raised to 1.01 p", {"<= (sigma/t)**p": "<= (sigma/t)**(1.01*p)"}),),
)

RATE = Statement(
    label="app:abstract-rate",
    title="The rates of the abstract and of the contributions",
    kind="remark",
    part=PART,
    text="eps^-2 (sqrt(d)/eps)^(p/(p-1)) = d^(p/(2(p-1))) eps^(-(3p-2)/(p-1)), which is d eps^-4 at p = 2.",
    parameters=(P, D, EPS),
    claims=(
        Fact("eps**(-2)*(sqrt(d)/eps)**(p/(p - 1)) == d**(p/(2*(p - 1)))*eps**(-(3*p - 2)/(p - 1))"),
        Fact("d**(2/(2*(2 - 1)))*eps**(-(3*2 - 2)/(2 - 1)) == d*eps**(-4)"),
    ),
    steps=(
        Step(
            Fact("eps**(-2)*(sqrt(d)/eps)**(p/(p - 1)) == d**(p/(2*(p - 1)))*eps**(-(3*p - 2)/(p - 1))"),
            Decide(),
            "T of order eps^-2 times M of order (sqrt(d)/eps)^(p/(p-1))",
            name="rate",
        ),
        Step(Fact("d**(2/(2*(2 - 1)))*eps**(-(3*2 - 2)/(2 - 1)) == d*eps**(-4)"), Decide(), "p = 2", name="two"),
    ),
    concludes=(("rate",), ("two",)),
    twins=(Twin("the exponent 3p-2 lowered to 3p-2.01", {"(3*p - 2)": "(3*p - 2.01)"}),),
)

_COUNT = "(4 + 32*L*Delta0/eps**2)*((sqrt(d)*(sqrt(L*Delta0) + sigma) + eps/4)/eps)**2"
TAKEAWAY_USED = Statement(
    label="app:takeaway",
    title="The takeaway at p = 2, with the factors that it leaves out",
    kind="remark",
    part=PART,
    text="At p = 2, T (d S_mu/eps)^2 <= (4 + 32 L Delta_0/eps^2)((sqrt(d)(sqrt(L Delta_0) + sigma) + eps/4)/eps)^2: "
    "the "
    "number of queries is of order L Delta_0 (sqrt(L Delta_0) + sigma)^2 d eps^-4 up to logarithms.",
    parameters=EXPLICIT.parameters,
    hypotheses=EXPLICIT.hypotheses,
    claims=(Fact(f"T*(d*S/eps)**2 <= {_COUNT}"),),
    steps=(
        Step(
            Fact("T <= 4 + 32*L*Delta0/eps**2"),
            Cite("rem:hp-shared-complexity", part=1, as_used=True),
            name="horizon bound",
        ),
        Step(
            Fact("d*S <= sqrt(d)*(sqrt(L*Delta0) + sigma) + eps/4"),
            Cite("rem:hp-shared-complexity", part=2, as_used=True),
            name="scale bound",
        ),
        Step(
            Fact(
                "t*(a/e)**2 <= u*(b/e)**2",
                over=("t", "a", "b", "u", "e"),
                where=("0 <= t", "t <= u", "0 <= a", "a <= b", "e > 0"),
            ),
            Decide(),
            name="product",
        ),
        Step(Fact("d*S >= 0"), Decide(), name="sign"),
        Step(
            Fact(f"T*(d*S/eps)**2 <= {_COUNT}"),
            Follows(
                (
                    "sign",
                    "horizon bound",
                    "scale bound",
                    Use(
                        "product",
                        {
                            "t": "T",
                            "a": "d*S",
                            "b": "sqrt(d)*(sqrt(L*Delta0) + sigma) + eps/4",
                            "u": "4 + 32*L*Delta0/eps**2",
                            "e": "eps",
                        },
                    ),
                )
            ),
        ),
    ),
)
NO_NOISE = Family(
    "little noise, unit gap",
    ("sigma",),
    ("sigma > 0",),
    {"d": "1", "L": "1", "Delta0": "1", "mu": "1", "eps": "1", "Dbar": "3/2", "T": "48"},
    note="T does not fall with sigma, the printed bound does",
)
TAKEAWAY = Statement(
    label="app:takeaway",
    title="The takeaway of the first appendix: O(d sigma^2 eps^-4) queries at p = 2",
    kind="remark",
    part=PART,
    text="At p = 2 the method achieves the benchmark complexity O(d sigma^2 eps^-4) up to logarithmic factors.",
    parameters=(D, L, SIGMA, EPS, Parameter("T", "number of steps", ("T >= 3",), integer=True)),
    hypotheses={
        "bar": Fact("Dbar == Delta0 + L*mu**2/2"),
        "horizon": Fact("T == max(3, ceil(32*L*Dbar/eps**2))"),
    },
    exists=(Exists("C", Fact("T <= C*d*sigma**2*eps**(-4)"), (NO_NOISE,)),),
    imprecise="the order hides L Delta_0 and sqrt(L Delta_0); each of the T steps costs at least two queries",
    as_used=TAKEAWAY_USED,
    twins=(Twin("the factor 32 of the bound lowered to 30", {"32*L*Delta0/eps**2": "30*L*Delta0/eps**2"}),),
)

EACH_CLIPPED = Statement(
    label="rem:each-vector-clipped",
    title="Clipping each vector d Y u is scalar clipping",
    kind="remark",
    part=PART,
    text="|d Y u| = d|Y|, so clipping the vector d Y u at norm d tau gives d psi_tau(Y) u.",
    parameters=(D, Parameter("tau", "clipping threshold", ("tau > 0",))),
    random=("u",),
    hypotheses={"direction": Fact("law(u) == sphere(d)")},
    claims=(
        Fact("norm(d*y*u) == d*abs(y)", over=("y",)),
        Fact("d*y*min(1, d*tau/(d*abs(y))) == d*clip(y, tau)", over=("y",), where=("y != 0",)),
    ),
    steps=(
        Step(Fact("norm(u) == 1"), ByRule("unit length", {"u": "u", "d": "d"}, using=("direction",)), name="unit"),
        Step(
            Fact("norm(d*y*u) == abs(d*y)*norm(u)", over=("y",)),
            ByRule("norm scale", {"c": "d*y", "v": "u"}),
            name="norm",
        ),
        Step(Fact("abs(d*y) == d*abs(y)", over=("y",)), Decide(), name="modulus"),
        Step(Fact("norm(d*y*u) == d*abs(y)", over=("y",)), Follows(("unit", "modulus", "norm")), name="length"),
        Step(
            Fact("d*y*min(1, d*tau/(d*abs(y))) == d*clip(y, tau)", over=("y",), where=("y != 0",)),
            Decide(),
            name="clip",
        ),
    ),
    concludes=(("length",), ("clip",)),
    twins=(Twin("the radius d tau lowered to 0.99 d tau", {"min(1, d*tau/(": "min(1, 0.99*d*tau/("}),),
)

FINAL_CLIP = Statement(
    label="rem:final-clipping",
    title="Clipping the final vector keeps its direction",
    kind="remark",
    part=PART,
    text="If |g| > r, clipping at r gives (r/|g|) g, a positive multiple of g: the cosine with any vector is "
    "unchanged.",
    parameters=(Parameter("r", "clipping radius", ("r > 0",)),),
    claims=(
        Fact("min(1, r/norm(g)) == r/norm(g)", over=("g",), where=("norm(g) > r",)),
        Fact("dot(h, c*g)*norm(g) == dot(h, g)*norm(c*g)", over=("g", "h", "c"), where=("c > 0",)),
    ),
    steps=(
        Step(Fact("min(1, r/n) == r/n", over=("n",), where=("n > r",)), Decide(), name="factor"),
        Step(
            Fact("min(1, r/norm(g)) == r/norm(g)", over=("g",), where=("norm(g) > r",)),
            Follows((Use("factor", {"n": "norm(g)"}),)),
            name="clip",
        ),
        Step(
            Fact("norm(c*g) == abs(c)*norm(g)", over=("g", "c")),
            ByRule("norm scale", {"c": "c", "v": "g"}),
            name="norm",
        ),
        Step(
            Fact("dot(h, c*g) == c*dot(h, g)", over=("g", "h", "c")),
            ByRule("dot of a multiple", {"c": "c", "v": "h", "w": "g"}),
            name="dot",
        ),
        Step(Fact("abs(c) == c", over=("c",), where=("c > 0",)), Decide(), name="modulus"),
        Step(
            Fact("dot(h, c*g)*norm(g) == dot(h, g)*norm(c*g)", over=("g", "h", "c"), where=("c > 0",)),
            Follows(("modulus", "norm", "dot")),
            "equal cosines",
            name="cosine",
        ),
    ),
    concludes=(("clip",), ("cosine",)),
    twins=(Twin("negative factors allowed", {"c > 0": "c < 1"}),),
)
STATEMENTS = (WEAK_MOMENT, RATE, TAKEAWAY, EACH_CLIPPED, FINAL_CLIP)
