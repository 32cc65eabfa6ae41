"""Beyond the paper: deviation of the whole estimator, under which the sufficient batch grows linearly in d."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Ref, Statement, Step, Twin, Use
from boundcheck.paper.concentration import VECTOR_BERNSTEIN_HYPOTHESES, summand_steps
from boundcheck.paper.momentum_freedman import BENNETT, bernstein_steps
from boundcheck.paper.sharp_bias import BIAS, SHARE_1, SHARE_2
from boundcheck.paper.sharp_bias import CLIPPING_BIAS as SHARP_BIAS
from boundcheck.paper.sharp_clipping import (
    GRADIENT,
    SPREAD,
    SPREAD_FACT,
    SPREAD_PARAMETER,
    TAU,
    THETA,
)
from boundcheck.paper.sharp_slope import PART
from boundcheck.paper.symbols import BATCH, MU, SIGMA, D, L, P

RANGE = Parameter("R", "almost sure bound", ("R > 0",))
VARIANCE = Parameter("V", "bound of the sum of the E|X_l|^2", ("V > 0",))
RHO = Parameter("rho", "failure probability", ("0 < rho", "rho <= 1"))
LOG_LEVEL = Parameter("h", "log(2/rho)", ("h > 0",))
_SUM_HYPOTHESES = {**VECTOR_BERNSTEIN_HYPOTHESES, "variance": Fact("M*E(norm(X1)**2) <= V")}

PINELIS_SUM = Statement(
    label="lit:pinelis-sum",
    title="Bennett inequality for independent sums in a Hilbert space",
    kind="theorem",
    part=PART,
    text="Independent centred X_l in a Hilbert space with |X_l| <= R and sum E|X_l|^2 <= V satisfy P(|sum X_l| > r) "
    "<= 2 exp(r/R - (r/R + V/R^2) log(1 + r R/V)) for every r > 0.",
    parameters=(BATCH, RANGE, VARIANCE),
    random=("X", "X1"),
    hypotheses=_SUM_HYPOTHESES,
    claims=(Fact(f"P(norm(X) > r) <= {BENNETT}", over=("r",), where=("r > 0",)),),
    literature="Pinelis, Ann. Probab. 22 (1994), 1679-1706, Theorem 3.4 (Hilbert space: D = 1), for independent terms",
    note="The same theorem as lit:pinelis-bennett, whose martingale is here a sum of independent terms.",
)

SUM_LEVEL = "sqrt(2*V*h) + 2/3*R*h"
_DENOMINATOR = f"(2*(V + R*({SUM_LEVEL})/3))"


def bernstein_proof(length: str, cited: str) -> tuple[Step, ...]:
    """P(length > sqrt(2 V h) + (2/3) R h) <= rho from Bennett's inequality for it, the claim of ``cited``."""
    return (
        Step(
            Fact(f"P({length} > r) <= {BENNETT}", over=("r",), where=("r > 0",)),
            Cite(cited),
            name="Bennett",
        ),
        *bernstein_steps(),
        Step(Fact(f"{SUM_LEVEL} > 0"), Decide(), name="level"),
        Step(Fact("sqrt(2*V*h)**2 == 2*V*h"), Decide(), name="root"),
        Step(Fact("sqrt(2*V*h) >= 0"), Decide(), name="root sign"),
        Step(
            Fact("a**2 + b*(a + b) <= (a + b)**2", over=("a", "b"), where=("a >= 0", "b >= 0")),
            Decide(),
            name="level squared",
        ),
        Step(
            Fact(f"h*{_DENOMINATOR} <= ({SUM_LEVEL})**2"),
            Follows(("root", "root sign", Use("level squared", {"a": "sqrt(2*V*h)", "b": "2/3*R*h"}))),
            "r^2 >= 2 h (V + R r/3) at r = sqrt(2 V h) + (2/3) R h",
            name="square",
        ),
        Step(
            Fact(f"h <= ({SUM_LEVEL})**2/{_DENOMINATOR}"),
            Follows(("level", "square"), ("", f"1/{_DENOMINATOR}")),
            name="quotient",
        ),
        Step(
            Fact(f"exp(-({SUM_LEVEL})**2/{_DENOMINATOR}) <= exp(-h)"),
            Follows(("level", "quotient", Use("exp", {"a": f"-({SUM_LEVEL})**2/{_DENOMINATOR}", "b": "-h"}))),
            name="exp bound",
        ),
        Step(Fact("exp(-log(2/rho)) == rho/2"), Decide(), name="half"),
        Step(Fact("2*exp(-h) == rho"), Follows(("h", "half")), name="rho"),
        Step(
            Fact(f"P({length} > {SUM_LEVEL}) <= rho"),
            Follows(
                (
                    "level",
                    Use("Bennett", {"r": SUM_LEVEL}),
                    Use("Bernstein", {"r": SUM_LEVEL}),
                    "exp bound",
                    "rho",
                ),
                ("", "1", "1", "2", "1"),
            ),
        ),
    )


BERNSTEIN_SUM = Statement(
    label="app:sharp-bernstein",
    title="Vector Bernstein inequality without a term for the mean",
    kind="lemma",
    part=PART,
    text="Independent centred X_l in a Hilbert space with |X_l| <= R and sum E|X_l|^2 <= V: with h = log(2/rho), "
    "|sum X_l| <= sqrt(2 V h) + (2/3) R h with probability at least 1 - rho.",
    parameters=(BATCH, RANGE, VARIANCE, RHO, LOG_LEVEL),
    random=("X", "X1"),
    hypotheses={**_SUM_HYPOTHESES, "h": Fact("h == log(2/rho)")},
    claims=(Fact(f"P(norm(X) > {SUM_LEVEL}) <= rho"),),
    steps=bernstein_proof("norm(X)", "lit:pinelis-sum"),
    bound=SUM_LEVEL,
    twins=(
        Twin("the factor 2 under the root lowered to 1.9", {"sqrt(2*V*h)": "sqrt(1.9*V*h)"}),
        Twin("the factor 2/3 of the range lowered to 0.6", {"2/3*R*h": "0.6*R*h"}),
    ),
)

_CLIPPED = "clip(slopeF(x, u), tau)"
_SUMMAND = f"({_CLIPPED}*u - E({_CLIPPED}*u))"
_W = f"E({_CLIPPED}*u)"
_RANGE = "(sqrt(d)*theta + Q)/M"
_VARIANCE = "d*Q**2/M"
SPREAD_TOTAL = Parameter("Q", "bound of sqrt(d E[psi_tau(Y)^2])", ("Q > 0",))
FLUCTUATION = "sqrt(2*d*Q**2/M*h) + 2/3*(sqrt(d)*theta + Q)/M*h"
DEVIATION = f"{FLUCTUATION} + {BIAS}"
ESTIMATOR_HYPOTHESES = {
    **SHARP_BIAS.hypotheses,
    "threshold": Fact("theta == sqrt(d)*tau"),
    "spread": SPREAD_FACT,
    "Q": Fact(f"Q == {SPREAD}"),
    "summand": Fact(f"X1 == d/M*{_SUMMAND}"),
    "independent sum": Fact("iid(X1, A) == 1"),
    "mean of batch": Fact(f"E(g) == d*E({_CLIPPED}*u)"),
    "fluctuation": Fact("g - E(g) == A"),
}
ESTIMATOR_PARAMETERS = (
    P,
    D,
    L,
    MU,
    SIGMA,
    GRADIENT,
    TAU,
    THETA,
    SHARE_1,
    SHARE_2,
    SPREAD_PARAMETER,
    SPREAD_TOTAL,
    BATCH,
)
ESTIMATOR_RANDOM = ("zeta", "u", "U1", "xi", "A", "X1", "g")


def moment_steps(gradient: tuple[Ref, ...] = ()) -> tuple[Step, ...]:
    """Range and variance of the summands through Q; the steps "range" and "V" are what they are for.

    ``gradient`` names the step that shows |grad f(x)| <= N, where that is not a hypothesis.
    """
    return (
        Step(
            Fact(f"d*E({_CLIPPED}**2) <= ({SPREAD})**2"),
            Cite("app:sharp-second-moment", using=gradient),
            name="second moment",
        ),
        *summand_steps(),
        Step(Fact(f"d*E({_CLIPPED}**2) <= Q**2"), Follows(("second moment", "Q"), ("1", "")), name="Q squared"),
        Step(
            Fact(f"M*E(norm(X1)**2) <= {_VARIANCE}"),
            Follows(("variance", "Q squared"), ("1", "d/M")),
            "V <= d Q^2/M",
            name="V",
        ),
        Step(Fact(f"dot({_W}, {_W}) == norm({_W})**2"), ByRule("dot with itself", {"v": _W}), name="itself"),
        Step(
            Fact(f"dot({_W}, {_W}) == E(dot({_W}, {_CLIPPED}*u))"),
            ByRule("inner product with an expectation", {"X": f"{_CLIPPED}*u", "w": _W}),
            name="inside",
        ),
        Step(
            Fact(f"dot({_W}, {_CLIPPED}*u) == {_CLIPPED}*dot({_W}, u)"),
            ByRule("dot of a multiple", {"c": _CLIPPED, "v": _W, "w": "u"}),
            name="multiple",
        ),
        Step(
            Fact(f"E(dot({_W}, {_CLIPPED}*u)) == E({_CLIPPED}*dot({_W}, u))"),
            ByRule(
                "expectation of equals",
                {"X": f"dot({_W}, {_CLIPPED}*u)", "Y": f"{_CLIPPED}*dot({_W}, u)"},
                using=("multiple",),
            ),
            name="multiple mean",
        ),
        Step(
            Fact(f"E({_CLIPPED}*dot({_W}, u)) <= sqrt(E({_CLIPPED}**2))*sqrt(E(dot({_W}, u)**2))"),
            ByRule("Cauchy-Schwarz in L2", {"X": _CLIPPED, "Y": f"dot({_W}, u)"}),
            name="Cauchy-Schwarz",
        ),
        Step(
            Fact(f"E(dot({_W}, u)**2) == norm({_W})**2/d"),
            ByRule("second moment of a projection", {"z": _W, "u": "u", "d": "d"}, using=("direction",)),
            name="projection",
        ),
        Step(
            Fact(f"E({_CLIPPED}**2) >= 0"),
            ByRule("expectation of a square", {"X": _CLIPPED}),
            name="second moment sign",
        ),
        Step(
            Fact(f"E({_CLIPPED}**2) <= Q**2/d"),
            Follows(("Q squared",), ("1/d",)),
            name="second moment bound",
        ),
        Step(
            Fact("sqrt(a) <= sqrt(b)", over=("a", "b"), where=("a >= 0", "a <= b")),
            Decide(),
            name="roots",
        ),
        Step(
            Fact(f"sqrt(E({_CLIPPED}**2)) <= sqrt(Q**2/d)"),
            Follows(
                (
                    "second moment sign",
                    "second moment bound",
                    Use("roots", {"a": f"E({_CLIPPED}**2)", "b": "Q**2/d"}),
                )
            ),
            name="root of the moment",
        ),
        Step(
            Fact("sqrt(Q**2/d)*sqrt(b**2/d) == Q*b/d", over=("b",), where=("b >= 0",)),
            Decide(),
            name="roots multiplied",
        ),
        Step(Fact("sqrt(b**2/d) >= 0", over=("b",), where=("b >= 0",)), Decide(), name="root sign"),
        Step(Fact(f"norm({_W}) >= 0"), Follows(()), name="sign"),
        Step(
            Fact(f"norm({_W})**2 <= sqrt(E({_CLIPPED}**2))*sqrt(norm({_W})**2/d)"),
            Follows(
                ("second moment sign", "itself", "inside", "multiple mean", "Cauchy-Schwarz", "projection"),
                ("", "-1", "1", "1", "1", ""),
            ),
            name="quadratic root",
        ),
        Step(
            Fact(f"norm({_W})**2 <= Q*norm({_W})/d"),
            Follows(
                (
                    "sign",
                    "second moment sign",
                    "quadratic root",
                    "root of the moment",
                    Use("root sign", {"b": f"norm({_W})"}),
                    Use("roots multiplied", {"b": f"norm({_W})"}),
                ),
                ("", "", "1", f"sqrt(norm({_W})**2/d)", "", "1"),
            ),
            name="quadratic",
        ),
        Step(Fact("2*(a*b) <= a**2 + b**2", over=("a", "b")), Decide(), name="Young"),
        Step(
            Fact(f"norm({_W})**2 <= (Q/d)**2"),
            Follows(("quadratic", Use("Young", {"a": f"norm({_W})", "b": "Q/d"})), ("2", "1")),
            name="length squared",
        ),
        Step(Fact("Q/d > 0"), Decide(), name="Q sign"),
        Step(
            Fact(f"norm({_W}) <= Q/d"),
            Follows(("length squared", "sign", "Q sign"), (f"1/(norm({_W}) + Q/d)", "", "")),
            "|E[psi_tau(Y) u]| <= Q/d",
            name="length",
        ),
        Step(Fact("d/M*(theta/sqrt(d) + Q/d) == (sqrt(d)*theta + Q)/M"), Decide(), name="range value"),
        Step(Fact("tau == theta/sqrt(d)"), Decide(("threshold",)), name="tau"),
        Step(
            Fact(f"norm(X1) <= {_RANGE}"),
            Follows(("tau", "summand range", "length", "range value"), ("", "1", "d/M", "1")),
            name="range",
        ),
    )


SHARP_DEVIATION = Statement(
    label="app:sharp-deviation",
    title="Deviation of the clipped estimator, linear in d",
    kind="theorem",
    part=PART,
    text="If |grad f(x)| <= N and sqrt(d) tau = theta = theta_1 + theta_2 + sqrt(d) L mu/2 >= sigma, then with "
    "probability at least 1 - rho, h = log(2/rho): |g - grad f_mu(x)| <= sqrt(2 (d/M) Q^2 h) + (2/3) (sqrt(d) theta "
    "+ Q) h/M + bias. For fixed theta all of it depends on d through d/M and the remainder sqrt(d) L mu/2 alone, "
    "which is absent for quadratic F(.; xi): the sufficient batch is linear in d for every p in (1, 2].",
    parameters=(*ESTIMATOR_PARAMETERS, RHO, LOG_LEVEL),
    random=ESTIMATOR_RANDOM,
    assumes=("ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={**ESTIMATOR_HYPOTHESES, "h": Fact("h == log(2/rho)")},
    claims=(Fact(f"P(norm(g - gradfmu(x)) > {DEVIATION}) <= rho"),),
    steps=(
        *moment_steps(),
        Step(Fact(f"{_VARIANCE} > 0"), Decide(), name="V sign"),
        Step(Fact(f"{_RANGE} > 0"), Decide(), name="R sign"),
        Step(
            Fact(f"P(norm(A) > sqrt(2*({_VARIANCE})*h) + 2/3*({_RANGE})*h) <= rho"),
            Cite(
                "app:sharp-bernstein",
                {"X": "A", "R": _RANGE, "V": _VARIANCE},
                using=("V sign", "R sign"),
            ),
            name="Bernstein",
        ),
        Step(
            Fact(f"norm(d*E({_CLIPPED}*u) - gradfmu(x)) <= {BIAS}"),
            Cite("app:sharp-clipping-bias"),
            name="clipping bias",
        ),
        Step(
            Fact(f"E(g) - gradfmu(x) == d*E({_CLIPPED}*u) - gradfmu(x)"),
            Follows(("mean of batch",)),
            name="estimator mean",
        ),
        Step(
            Fact(f"norm(E(g) - gradfmu(x)) == norm(d*E({_CLIPPED}*u) - gradfmu(x))"),
            ByRule(
                "norm of equals",
                {"v": "E(g) - gradfmu(x)", "w": f"d*E({_CLIPPED}*u) - gradfmu(x)"},
                using=("estimator mean",),
            ),
            name="mean norm",
        ),
        Step(
            Fact("norm((g - E(g)) + (E(g) - gradfmu(x))) <= norm(g - E(g)) + norm(E(g) - gradfmu(x))"),
            ByRule("triangle", {"v": "g - E(g)", "w": "E(g) - gradfmu(x)"}),
            name="triangle",
        ),
        Step(
            Fact("norm(g - E(g)) == norm(A)"),
            ByRule("norm of equals", {"v": "g - E(g)", "w": "A"}, using=("fluctuation",)),
            name="A",
        ),
        Step(
            Fact(f"norm(g - gradfmu(x)) <= norm(A) + ({BIAS})"),
            Follows(("triangle", "A", "mean norm", "clipping bias"), ("1", "1", "1", "1")),
            name="split",
        ),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {DEVIATION}) <= P(norm(A) > {FLUCTUATION})"),
            ByRule(
                "larger variable",
                {"X": "norm(g - gradfmu(x))", "Y": "norm(A)", "a": FLUCTUATION, "b": f"({BIAS})"},
                using=("split",),
            ),
            name="larger",
        ),
        Step(Fact(f"P(norm(g - gradfmu(x)) > {DEVIATION}) <= rho"), Follows(("Bernstein", "larger"))),
    ),
    bound=DEVIATION,
    twins=(
        Twin("the factor 2 under the root lowered to 1.9", {"sqrt(2*d*Q**2/M*h)": "sqrt(1.9*d*Q**2/M*h)"}),
        Twin("the factor 2/3 of the range lowered to 0.6", {"2/3*(sqrt(d)*theta": "0.6*(sqrt(d)*theta"}),
        Twin("the constant 4/9 of the bias lowered to 4/10", {"4/9": "4/10"}),
    ),
)
STATEMENTS = (PINELIS_SUM, BERNSTEIN_SUM, SHARP_DEVIATION)
