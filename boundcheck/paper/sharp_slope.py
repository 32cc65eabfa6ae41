"""Beyond the paper: the slope Y as signal, noise and remainder; the tail of the noise in units of the gradient."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.directional import noise_tail_steps, remainder_steps
from boundcheck.paper.symbols import (
    COORDINATE,
    DIRECTION,
    INDEPENDENT,
    MU,
    SIGMA,
    SMOOTH_SAMPLE,
    WEAK_LP,
    D,
    L,
    P,
)

PART = "Beyond the paper: sharper base theorem"
_REST = "integral(dot(gradF(x + mu*w*u) - gradF(x), u), w, -1, 1)"
SLOPE_HYPOTHESES = {
    "sample smooth": SMOOTH_SAMPLE,
    "direction": DIRECTION,
    "noise": Fact("zeta == gradF(x) - gradf(x)"),
}
SLOPE = Statement(
    label="app:sharp-slope",
    title="The slope is signal plus noise plus a remainder",
    kind="lemma",
    part=PART,
    text="|Y| <= |<grad f(x), u>| + |<zeta, u>| + L mu/2; the last term is absent for quadratic F(.; xi).",
    parameters=(D, L, MU),
    random=("zeta", "u", "xi"),
    assumes=("ass:sample-smooth",),
    hypotheses=SLOPE_HYPOTHESES,
    claims=(Fact("abs(slopeF(x, u)) <= abs(dot(gradf(x), u)) + abs(dot(zeta, u)) + L*mu/2"),),
    steps=(
        *remainder_steps("gradF", "slopeF", "fundamental theorem, sample", "sample smooth", 1),
        Step(
            Fact("dot(gradF(x), u) == dot(gradf(x), u) + dot(zeta, u)"),
            ByRule("difference of projections", {"v": "gradF(x)", "w": "gradf(x)", "z": "zeta", "u": "u"}, ("noise",)),
        ),
        Step(Fact("abs(a + b + c/2) <= abs(a) + abs(b) + abs(c)/2", over=("a", "b", "c")), Decide(), "triangle"),
        Step(
            Fact("abs(slopeF(x, u)) <= abs(dot(gradf(x), u)) + abs(dot(zeta, u)) + L*mu/2"),
            Follows(
                (1, 2, 15, Use(16, {"a": "dot(gradf(x), u)", "b": "dot(zeta, u)", "c": _REST}), 4, 7, 14),
                ("", "", "", "1", "1/2", "1/2", "1"),
            ),
        ),
    ),
    twins=(Twin("the remainder L mu/2 lowered to L mu/2.1", {" + L*mu/2": " + L*mu/2.1"}),),
)

NOISE_HYPOTHESES = {
    "weak Lp": WEAK_LP,
    "direction": DIRECTION,
    "coordinate": COORDINATE,
    "independent": INDEPENDENT,
    "frozen": Fact("independent(sqrt(d)*abs(U1), zeta) == 1"),
    "frozen coordinate": Fact("independent(abs(U1), zeta) == 1"),
}
NOISE_TAIL = Statement(
    label="app:sharp-noise-tail",
    title="Weak-L_p tail of the projected noise",
    kind="lemma",
    part=PART,
    text="P(sqrt(d) |<zeta, u>| > t) <= (sigma/t)^p for every t > 0.",
    parameters=(P, D, SIGMA),
    random=("zeta", "u", "U1", "xi"),
    assumes=("ass:hp-shared-prob",),
    hypotheses=NOISE_HYPOTHESES,
    claims=(Fact("P(abs(sqrt(d)*dot(zeta, u)) > t) <= (sigma/t)**p", over=("t",), where=("t > 0",)),),
    steps=(
        *noise_tail_steps(1),
        Step(
            Fact("abs(sqrt(d)*dot(zeta, u)) == sqrt(d)*abs(dot(zeta, u))"),
            Decide(),
            name="modulus",
        ),
        Step(
            Fact(
                "P(abs(sqrt(d)*dot(zeta, u)) > r*sqrt(d)) == P(abs(dot(zeta, u)) > r)", over=("r",), where=("r > 0",)
            ),
            ByRule(
                "same event",
                {"A": "abs(sqrt(d)*dot(zeta, u)) > r*sqrt(d)", "B": "abs(dot(zeta, u)) > r"},
                using=("modulus",),
            ),
            name="scaled",
        ),
        Step(
            Fact("sigma**p/((t/sqrt(d))**p*d**(p/2)) == (sigma/t)**p", over=("t",), where=("t > 0",)),
            Decide(),
            name="powers",
        ),
        Step(
            Fact("P(abs(sqrt(d)*dot(zeta, u)) > t) <= (sigma/t)**p", over=("t",), where=("t > 0",)),
            Follows((Use("scaled", {"r": "t/sqrt(d)"}), Use(21, {"r": "t/sqrt(d)"}), "powers")),
        ),
    ),
    bound="(sigma/t)**p",
    bound_names=(Parameter("t", "level", ("t > 0",)),),
    twins=(Twin("the exponent p raised to 1.01 p", {"<= (sigma/t)**p": "<= (sigma/t)**(1.01*p)"}),),
)

#: |grad f(x)| <= N = sqrt(8 L bar Delta_0) where f(x) - f_* <= 4 bar Delta_0; the last step is "gradient".
GRADIENT_STEPS = (
    Step(Fact("norm(gradf(x))**2 <= 2*L*(f(x) - fstar)"), Cite("lem:hp-shared-grad-subopt"), name="gradient gap"),
    Step(
        Fact("norm(gradf(x))**2 <= 8*L*Dbar"),
        Follows(("gradient gap", "localized"), ("1", "2*L")),
        name="gradient squared",
    ),
    Step(Fact("sqrt(8*L*Dbar)**2 == 8*L*Dbar"), Decide(), name="gradient level"),
    Step(Fact("sqrt(8*L*Dbar) > 0"), Decide(), name="gradient level sign"),
    Step(Fact("norm(gradf(x)) >= 0"), Follows(()), name="gradient sign"),
    Step(
        Fact("norm(gradf(x)) <= sqrt(8*L*Dbar)"),
        Follows(
            ("gradient squared", "gradient level", "gradient level sign", "gradient sign"),
            ("1/(norm(gradf(x)) + sqrt(8*L*Dbar))", "1/(norm(gradf(x)) + sqrt(8*L*Dbar))", "", ""),
        ),
        name="gradient root",
    ),
    Step(Fact("norm(gradf(x)) <= N"), Follows(("gradient root", "N")), name="gradient"),
)
STATEMENTS = (SLOPE, NOISE_TAIL)
