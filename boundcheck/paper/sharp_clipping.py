"""Beyond the paper: the clipped slope with its exact scaling in d; moments and bias of sqrt(d) psi_tau(Y).

The slope splits as Y = <grad f(x), u> + <zeta, u> + R with |R| <= L mu/2. Everything is said for theta = sqrt(d) tau,
the threshold in the units of the gradient: then no bound below grows with d.
"""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.clipping import layer_cake_steps
from boundcheck.paper.sharp_slope import NOISE_HYPOTHESES, PART, SLOPE_HYPOTHESES
from boundcheck.paper.symbols import (
    MU,
    SIGMA,
    D,
    L,
    P,
    S,
)

GRADIENT = Parameter("N", "bound of |grad f(x)|", ("N > 0",))
THETA = Parameter("theta", "sqrt(d) tau", ("theta > 0", "theta >= sigma"))
TAU = Parameter("tau", "clipping threshold", ("tau > 0",))

#: int of the tail min{1, (S/t)^p} against 2 t dt over (0, tau), in closed form but for an integral (p = 2: a log).
WEAK_SECOND_MOMENT = "S**2 + 2*S**p*integral(t**(1 - p), t, S, tau)"
SECOND_MOMENT = Statement(
    label="app:sharp-clipped-second-moment",
    title="Clipped second moment under a weak-L_p tail, exact",
    kind="lemma",
    part=PART,
    text="If P(|Z| > t) <= (S/t)^p for every t >= S, then E[psi_tau(Z)^2] <= S^2 + 2 S^p int_S^tau t^(1-p) dt for "
    "every tau >= S; equality for the law with this tail.",
    parameters=(P, S, Parameter("tau", "clipping threshold", ("tau > 0", "tau >= S"))),
    random=("Z",),
    hypotheses={"tail": Fact("P(abs(Z) > t) <= (S/t)**p", over=("t",), where=("t >= S",))},
    claims=(Fact(f"E(clip(Z, tau)**2) <= {WEAK_SECOND_MOMENT}"),),
    steps=(
        *layer_cake_steps(1, "S"),
        Step(Fact("2*integral(t, t, 0, S) == S**2"), Decide(), name="below"),
        Step(Fact("t*(S/t)**p == S**p*t**(1 - p)", over=("t",), where=("t >= S",)), Decide(), name="integrand"),
        Step(
            Fact("t*P(abs(Z) > t) <= S**p*t**(1 - p)", over=("t",), where=("t >= S",)),
            Follows(("tail", "integrand"), ("t", "")),
            name="tail integrand",
        ),
        Step(
            Fact("integral(t*P(abs(Z) > t), t, S, tau) <= integral(S**p*t**(1 - p), t, S, tau)"),
            ByRule(
                "integral monotone",
                {"G": "t*P(abs(Z) > t)", "H": "S**p*t**(1 - p)", "t": "t", "a": "S", "b": "tau"},
                using=("tail integrand",),
            ),
            name="above",
        ),
        Step(
            Fact("integral(S**p*t**(1 - p), t, S, tau) == S**p*integral(t**(1 - p), t, S, tau)"),
            ByRule("integral scale", {"c": "S**p", "G": "t**(1 - p)", "t": "t", "a": "S", "b": "tau"}),
            name="scale",
        ),
        Step(
            Fact(f"E(clip(Z, tau)**2) <= {WEAK_SECOND_MOMENT}"),
            Follows((2, 3, 4, 6, 8, 9, 11, "below", "above", "scale"), ("1", "1", *("2",) * 5, "1", "2", "2")),
        ),
    ),
    bound=WEAK_SECOND_MOMENT,
    worst_law="clipped-second-moment",
    twins=(Twin("the constant 1 of S^2 lowered to 0.99", {"<= S**2 +": "<= 0.99*S**2 +"}),),
)

_NOISE_MOMENT = "sigma**2 + 2*sigma**p*integral(t**(1 - p), t, sigma, theta)"
SPREAD_PARAMETER = Parameter("J", "root mean square of the clipped noise in the units of the gradient", ("J >= 0",))
SPREAD_FACT = Fact(f"J == sqrt({_NOISE_MOMENT})")
#: sqrt(d E[psi_tau(Y)^2]) is at most this: signal, noise, remainder.
SPREAD = "N + J + sqrt(d)*L*mu/2"
_SIGNAL = "abs(sqrt(d)*dot(gradf(x), u))"
_NOISE = "abs(clip(sqrt(d)*dot(zeta, u), theta))"
_SHIFT = "sqrt(d)*L*mu/2"
_CLIPPED = "clip(slopeF(x, u), tau)"
SLOPE_SECOND_MOMENT = Statement(
    label="app:sharp-second-moment",
    title="Second moment of the clipped slope, free of d",
    kind="lemma",
    part=PART,
    text="If |grad f(x)| <= N and theta = sqrt(d) tau >= sigma, then d E[psi_tau(Y)^2] <= Q^2, Q = N + J + sqrt(d) "
    "L mu/2, J^2 = sigma^2 + 2 sigma^p int_sigma^theta t^(1-p) dt.",
    parameters=(P, D, L, MU, SIGMA, GRADIENT, THETA, TAU, SPREAD_PARAMETER),
    random=("zeta", "u", "U1", "xi"),
    assumes=("ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={
        **SLOPE_HYPOTHESES,
        **NOISE_HYPOTHESES,
        "threshold": Fact("theta == sqrt(d)*tau"),
        "gradient": Fact("norm(gradf(x)) <= N"),
        "spread": SPREAD_FACT,
    },
    claims=(Fact(f"d*E({_CLIPPED}**2) <= ({SPREAD})**2"),),
    steps=(
        Step(
            Fact("abs(slopeF(x, u)) <= abs(dot(gradf(x), u)) + abs(dot(zeta, u)) + L*mu/2"),
            Cite("app:sharp-slope"),
            name="slope",
        ),
        Step(Fact("abs(clip(y, c)) == min(abs(y), c)", over=("y", "c"), where=("c > 0",)), Decide(), name="clip"),
        Step(
            Fact(
                "min(y, c) <= a + min(b, c) + r",
                over=("y", "a", "b", "c", "r"),
                where=("a >= 0", "r >= 0", "y <= a + b + r"),
            ),
            Decide(),
            name="split",
        ),
        Step(
            Fact("min(k*b, k*c) == k*min(b, c)", over=("k", "b", "c"), where=("k > 0",)),
            Decide(),
            name="scale min",
        ),
        Step(Fact("sqrt(d) > 0"), Decide(), name="root"),
        Step(
            Fact("abs(k*a) == k*abs(a)", over=("k", "a"), where=("k > 0",)),
            Decide(),
            name="scale abs",
        ),
        Step(Fact("L*mu/2 >= 0"), Decide(), name="rest"),
        Step(
            Fact(f"abs({_CLIPPED}) <= abs(dot(gradf(x), u)) + min(abs(dot(zeta, u)), tau) + L*mu/2"),
            Follows(
                (
                    "slope",
                    "rest",
                    Use("clip", {"y": "slopeF(x, u)", "c": "tau"}),
                    Use(
                        "split",
                        {
                            "y": "abs(slopeF(x, u))",
                            "a": "abs(dot(gradf(x), u))",
                            "b": "abs(dot(zeta, u))",
                            "c": "tau",
                            "r": "L*mu/2",
                        },
                    ),
                )
            ),
            name="pointwise",
        ),
        Step(
            Fact(f"{_NOISE} == sqrt(d)*min(abs(dot(zeta, u)), tau)"),
            Follows(
                (
                    "root",
                    "threshold",
                    Use("clip", {"y": "sqrt(d)*dot(zeta, u)", "c": "theta"}),
                    Use("scale abs", {"k": "sqrt(d)", "a": "dot(zeta, u)"}),
                    Use("scale min", {"k": "sqrt(d)", "b": "abs(dot(zeta, u))", "c": "tau"}),
                )
            ),
            name="noise scaled",
        ),
        Step(
            Fact(f"sqrt(d)*abs({_CLIPPED}) <= {_SIGNAL} + ({_NOISE} + {_SHIFT})"),
            Follows(
                (
                    "root",
                    "pointwise",
                    "noise scaled",
                    Use("scale abs", {"k": "sqrt(d)", "a": "dot(gradf(x), u)"}),
                ),
                ("", "sqrt(d)", "", ""),
            ),
            name="scaled",
        ),
        Step(
            Fact("a**2 <= b**2", over=("a", "b"), where=("a >= 0", "a <= b")),
            Decide(),
            name="squares",
        ),
        Step(Fact(f"sqrt(d)*abs({_CLIPPED}) >= 0"), Follows(("root",), (f"abs({_CLIPPED})",)), name="sign"),
        Step(
            Fact(f"(sqrt(d)*abs({_CLIPPED}))**2 <= ({_SIGNAL} + ({_NOISE} + {_SHIFT}))**2"),
            Follows(
                (
                    "scaled",
                    "sign",
                    Use("squares", {"a": f"sqrt(d)*abs({_CLIPPED})", "b": f"{_SIGNAL} + ({_NOISE} + {_SHIFT})"}),
                )
            ),
            name="squared",
        ),
        Step(Fact(f"d*{_CLIPPED}**2 == (sqrt(d)*abs({_CLIPPED}))**2"), Decide(), name="square of the slope"),
        Step(
            Fact(f"d*{_CLIPPED}**2 <= ({_SIGNAL} + ({_NOISE} + {_SHIFT}))**2"),
            Follows(("squared", "square of the slope")),
            name="square bound",
        ),
        Step(
            Fact(f"E(d*{_CLIPPED}**2) <= E(({_SIGNAL} + ({_NOISE} + {_SHIFT}))**2)"),
            ByRule(
                "expectation monotone",
                {"X": f"d*{_CLIPPED}**2", "Y": f"({_SIGNAL} + ({_NOISE} + {_SHIFT}))**2"},
                using=("square bound",),
            ),
            name="mean",
        ),
        Step(
            Fact(f"E(d*{_CLIPPED}**2) == d*E({_CLIPPED}**2)"),
            ByRule("expectation scale", {"c": "d", "X": f"{_CLIPPED}**2"}),
            name="mean scaled",
        ),
        Step(
            Fact(
                f"E(({_SIGNAL} + ({_NOISE} + {_SHIFT}))**2) "
                f"<= (sqrt(E({_SIGNAL}**2)) + sqrt(E(({_NOISE} + {_SHIFT})**2)))**2"
            ),
            ByRule("Minkowski", {"X": _SIGNAL, "Y": f"{_NOISE} + {_SHIFT}"}),
            name="Minkowski",
        ),
        Step(
            Fact(f"E(({_NOISE} + {_SHIFT})**2) <= (sqrt(E({_NOISE}**2)) + sqrt(E(({_SHIFT})**2)))**2"),
            ByRule("Minkowski", {"X": _NOISE, "Y": _SHIFT}),
            name="Minkowski noise",
        ),
        Step(
            Fact(f"{_SIGNAL}**2 == d*dot(gradf(x), u)**2"),
            Decide(),
            name="signal square",
        ),
        Step(
            Fact(f"E({_SIGNAL}**2) == E(d*dot(gradf(x), u)**2)"),
            ByRule(
                "expectation of equals",
                {"X": f"{_SIGNAL}**2", "Y": "d*dot(gradf(x), u)**2"},
                using=("signal square",),
            ),
            name="signal mean",
        ),
        Step(
            Fact("E(d*dot(gradf(x), u)**2) == d*E(dot(gradf(x), u)**2)"),
            ByRule("expectation scale", {"c": "d", "X": "dot(gradf(x), u)**2"}),
            name="signal scaled",
        ),
        Step(
            Fact("E(dot(gradf(x), u)**2) == norm(gradf(x))**2/d"),
            ByRule("second moment of a projection", {"z": "gradf(x)", "u": "u", "d": "d"}, using=("direction",)),
            "E <grad f, u>^2 = |grad f|^2/d",
            name="projection",
        ),
        Step(
            Fact("d*E(dot(gradf(x), u)**2) == norm(gradf(x))**2"),
            Follows(("projection",), ("-d",)),
            name="projection scaled",
        ),
        Step(
            Fact(f"E({_SIGNAL}**2) == norm(gradf(x))**2"),
            Follows(("signal mean", "signal scaled", "projection scaled"), ("-1", "-1", "-1")),
            name="signal",
        ),
        Step(Fact("norm(gradf(x)) >= 0"), Follows(()), name="norm sign"),
        Step(
            Fact("sqrt(a) <= sqrt(b)", over=("a", "b"), where=("a >= 0", "a <= b")),
            Decide(),
            name="roots",
        ),
        Step(Fact("sqrt(b**2) == b", over=("b",), where=("b >= 0",)), Decide(), name="root of a square"),
        Step(
            Fact("sqrt(a) <= b", over=("a", "b"), where=("a >= 0", "b >= 0", "a <= b**2")),
            Follows((Use("roots", {"b": "b**2"}), "root of a square"), ("1", "1")),
            name="root bound",
        ),
        Step(
            Fact("norm(gradf(x))**2 <= N**2"),
            Follows(("norm sign", "gradient", Use("squares", {"a": "norm(gradf(x))", "b": "N"}))),
            name="gradient squared",
        ),
        Step(
            Fact(f"E({_SIGNAL}**2) >= 0"),
            ByRule("expectation of a square", {"X": _SIGNAL}),
            name="signal sign",
        ),
        Step(
            Fact(f"sqrt(E({_SIGNAL}**2)) <= N"),
            Follows(
                (
                    "signal",
                    "signal sign",
                    "gradient squared",
                    Use("root bound", {"a": f"E({_SIGNAL}**2)", "b": "N"}),
                )
            ),
            name="signal root",
        ),
        Step(
            Fact("P(abs(sqrt(d)*dot(zeta, u)) > t) <= (sigma/t)**p", over=("t",), where=("t > 0",)),
            Cite("app:sharp-noise-tail"),
            name="tail",
        ),
        Step(
            Fact(f"E(clip(sqrt(d)*dot(zeta, u), theta)**2) <= {_NOISE_MOMENT}"),
            Cite(
                "app:sharp-clipped-second-moment",
                {"Z": "sqrt(d)*dot(zeta, u)", "S": "sigma", "tau": "theta"},
            ),
            name="noise bound",
        ),
        Step(
            Fact(f"{_NOISE}**2 == clip(sqrt(d)*dot(zeta, u), theta)**2"),
            Decide(),
            name="noise square",
        ),
        Step(
            Fact(f"E({_NOISE}**2) == E(clip(sqrt(d)*dot(zeta, u), theta)**2)"),
            ByRule(
                "expectation of equals",
                {"X": f"{_NOISE}**2", "Y": "clip(sqrt(d)*dot(zeta, u), theta)**2"},
                using=("noise square",),
            ),
            name="noise mean",
        ),
        Step(
            Fact(f"E({_NOISE}**2) >= 0"),
            ByRule("expectation of a square", {"X": _NOISE}),
            name="noise sign",
        ),
        Step(
            Fact(f"E({_NOISE}**2) <= {_NOISE_MOMENT}"),
            Follows(("noise mean", "noise bound"), ("1", "1")),
            name="noise moment",
        ),
        Step(
            Fact(f"sqrt(E({_NOISE}**2)) <= sqrt({_NOISE_MOMENT})"),
            Follows(("noise sign", "noise moment", Use("roots", {"a": f"E({_NOISE}**2)", "b": _NOISE_MOMENT}))),
            name="noise roots",
        ),
        Step(
            Fact(f"{_NOISE_MOMENT} >= 0"),
            Follows(("noise sign", "noise moment"), ("1", "1")),
            name="moment sign",
        ),
        Step(
            Fact(f"sqrt(E({_NOISE}**2)) <= J"),
            Follows(("noise roots", "spread", "moment sign")),
            name="noise root",
        ),
        Step(
            Fact(f"E(({_SHIFT})**2) == ({_SHIFT})**2"),
            ByRule("expectation of a constant", {"c": f"({_SHIFT})**2"}),
            name="shift",
        ),
        Step(Fact(f"sqrt(({_SHIFT})**2) == {_SHIFT}"), Decide(), name="shift root"),
        Step(Fact(f"sqrt(E({_NOISE}**2)) >= 0"), Follows(("noise sign",)), name="noise root sign"),
        Step(Fact(f"{_SHIFT} >= 0"), Decide(), name="shift sign"),
        Step(
            Fact(f"E(({_NOISE} + {_SHIFT})**2) <= (J + {_SHIFT})**2"),
            Follows(
                (
                    "Minkowski noise",
                    "noise root",
                    "noise root sign",
                    "shift",
                    "shift root",
                    "shift sign",
                    Use(
                        "squares",
                        {"a": f"sqrt(E({_NOISE}**2)) + {_SHIFT}", "b": f"J + {_SHIFT}"},
                    ),
                )
            ),
            name="noise and shift",
        ),
        Step(
            Fact(f"E(({_NOISE} + {_SHIFT})**2) >= 0"),
            ByRule("expectation of a square", {"X": f"{_NOISE} + {_SHIFT}"}),
            name="both sign",
        ),
        Step(Fact("sqrt(b) >= 0", over=("b",), where=("b >= 0",)), Decide(), name="root sign"),
        Step(
            Fact(f"sqrt(E(({_NOISE} + {_SHIFT})**2)) <= J + {_SHIFT}"),
            Follows(
                (
                    "noise and shift",
                    "both sign",
                    "noise root sign",
                    "noise root",
                    "shift sign",
                    Use("root bound", {"a": f"E(({_NOISE} + {_SHIFT})**2)", "b": f"J + {_SHIFT}"}),
                )
            ),
            name="both root",
        ),
        Step(
            Fact(f"(sqrt(E({_SIGNAL}**2)) + sqrt(E(({_NOISE} + {_SHIFT})**2)))**2 <= ({SPREAD})**2"),
            Follows(
                (
                    "signal root",
                    "both root",
                    "signal sign",
                    "both sign",
                    Use("root sign", {"b": f"E({_SIGNAL}**2)"}),
                    Use("root sign", {"b": f"E(({_NOISE} + {_SHIFT})**2)"}),
                    Use(
                        "squares",
                        {
                            "a": f"sqrt(E({_SIGNAL}**2)) + sqrt(E(({_NOISE} + {_SHIFT})**2))",
                            "b": SPREAD,
                        },
                    ),
                )
            ),
            name="total",
        ),
        Step(
            Fact(f"d*E({_CLIPPED}**2) <= ({SPREAD})**2"),
            Follows(("mean", "mean scaled", "Minkowski", "total")),
        ),
    ),
    bound=f"({SPREAD})**2",
    twins=(Twin("the coefficient 1 of N lowered to 0.9", {"<= (N + J": "<= (0.9*N + J"}),),
)
STATEMENTS = (SECOND_MOMENT, SLOPE_SECOND_MOMENT)
