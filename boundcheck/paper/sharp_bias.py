"""Beyond the paper: the bias of clipping along each direction, which loses no factor sqrt(d)."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.sharp_clipping import GRADIENT, TAU
from boundcheck.paper.sharp_slope import NOISE_HYPOTHESES, PART, SLOPE_HYPOTHESES
from boundcheck.paper.symbols import MU, SIGMA, SMOOTH_F, D, L, P
from boundcheck.paper.two_point import unbiased_steps

SHARE_1 = Parameter("theta1", "share of sqrt(d) tau for the signal", ("theta1 > 0",))
SHARE_2 = Parameter("theta2", "share of sqrt(d) tau for the noise", ("theta2 > 0",))
BIAS = "4/9*(d/(d + 2))*N**3/theta1**2 + (3*d/(d + 2))**((p - 1)/2)*sigma**p*theta2**(1 - p)/(p - 1)"
SHARES = Fact("tau == theta1/sqrt(d) + theta2/sqrt(d) + L*mu/2")

_TAIL = "(sigma*v/t)**p"
NOISE_EXCESS = Statement(
    label="app:sharp-noise-excess",
    title="Excess of the noise along its own direction",
    kind="lemma",
    part=PART,
    text="E[(|zeta||U_1| - a)_+ |U_1|] <= sigma^p a^(1-p)/(p-1) E|U_1|^(p+1) for every a > 0.",
    parameters=(P, D, SIGMA, Parameter("a", "level", ("a > 0",))),
    random=("zeta", "u", "U1", "xi"),
    assumes=("ass:hp-shared-prob",),
    hypotheses=NOISE_HYPOTHESES,
    claims=(Fact("E(max(norm(zeta)*abs(U1) - a, 0)*abs(U1)) <= sigma**p*a**(1 - p)/(p - 1)*E(abs(U1)**(p + 1))"),),
    steps=(
        Step(
            Fact("max(norm(zeta)*v - a, 0) == integral(ind(norm(zeta)*v > t), t, a, oo)", over=("v",)),
            ByRule("excess as an integral", {"X": "norm(zeta)*v", "a": "a"}),
            name="length",
        ),
        Step(
            Fact("E(max(norm(zeta)*v - a, 0)) == E(integral(ind(norm(zeta)*v > t), t, a, oo))", over=("v",)),
            ByRule(
                "expectation of equals",
                {"X": "max(norm(zeta)*v - a, 0)", "Y": "integral(ind(norm(zeta)*v > t), t, a, oo)"},
                using=("length",),
            ),
            name="mean length",
        ),
        Step(
            Fact(
                "E(integral(ind(norm(zeta)*v > t), t, a, oo)) == integral(P(norm(zeta)*v > t), t, a, oo)", over=("v",)
            ),
            ByRule("Tonelli", {"W": "1", "A": "norm(zeta)*v > t", "t": "t", "a": "a", "b": "oo"}),
            name="Tonelli",
        ),
        Step(
            Fact("P(norm(zeta)*v > r) <= (sigma*v/r)**p", over=("r", "v"), where=("r > 0", "v > 0")),
            ByRule(
                "tail of a multiple",
                {"X": "norm(zeta)", "v": "v", "a": "r", "c": "sigma", "p": "p"},
                ("weak Lp",),
            ),
            name="tail",
        ),
        Step(
            Fact("P(norm(zeta)*v > r) <= (sigma*v/r)**p", over=("r", "v"), where=("r > 0", "v >= 0")),
            ByRule("tail of zero", {"X": "norm(zeta)", "v": "v", "a": "r", "B": "(sigma*v/r)**p"}, ("tail",)),
            name="tail and zero",
        ),
        Step(
            Fact(
                f"integral(P(norm(zeta)*v > t), t, a, oo) <= integral({_TAIL}, t, a, oo)",
                over=("v",),
                where=("v >= 0",),
            ),
            ByRule(
                "integral monotone",
                {"G": "P(norm(zeta)*v > t)", "H": _TAIL, "t": "t", "a": "a", "b": "oo"},
                using=(Use("tail and zero", {"r": "t"}),),
            ),
            name="tail integral",
        ),
        Step(
            Fact(f"{_TAIL} == sigma**p*v**p*t**(-p)", over=("t", "v"), where=("t > 0", "v >= 0")),
            Decide(),
            name="powers",
        ),
        Step(
            Fact(
                f"integral({_TAIL}, t, a, oo) == integral(sigma**p*v**p*t**(-p), t, a, oo)",
                over=("v",),
                where=("v >= 0",),
            ),
            ByRule(
                "integral of equals",
                {"G": _TAIL, "H": "sigma**p*v**p*t**(-p)", "t": "t", "a": "a", "b": "oo"},
                using=("powers",),
            ),
            name="power integral",
        ),
        Step(
            Fact(
                "integral(sigma**p*v**p*t**(-p), t, a, oo) == sigma**p*v**p*integral(t**(-p), t, a, oo)",
                over=("v",),
                where=("v >= 0",),
            ),
            ByRule("integral scale", {"c": "sigma**p*v**p", "G": "t**(-p)", "t": "t", "a": "a", "b": "oo"}),
            name="scale",
        ),
        Step(Fact("integral(t**(-p), t, a, oo) == a**(1 - p)/(p - 1)"), Decide(), name="closed form"),
        Step(
            Fact("E(max(norm(zeta)*v - a, 0)) <= sigma**p*a**(1 - p)/(p - 1)*v**p", over=("v",), where=("v >= 0",)),
            Follows(("mean length", "Tonelli", "tail integral", "power integral", "scale", "closed form")),
            name="excess",
        ),
        Step(
            Fact("E(v*max(norm(zeta)*v - a, 0)) == v*E(max(norm(zeta)*v - a, 0))", over=("v",)),
            ByRule("expectation scale", {"c": "v", "X": "max(norm(zeta)*v - a, 0)"}),
            name="weighted",
        ),
        Step(Fact("v*v**p == v**(p + 1)", over=("v",), where=("v >= 0",)), Decide(), name="one more"),
        Step(
            Fact(
                "E(v*max(norm(zeta)*v - a, 0)) <= sigma**p*a**(1 - p)/(p - 1)*v**(p + 1)",
                over=("v",),
                where=("v >= 0",),
            ),
            Follows(("excess", "weighted", "one more"), ("v", "1", "-sigma**p*a**(1 - p)/(p - 1)")),
            name="weighted excess",
        ),
        Step(
            Fact(
                "E(abs(U1)*max(norm(zeta)*abs(U1) - a, 0)) <= E(sigma**p*a**(1 - p)/(p - 1)*abs(U1)**(p + 1))",
            ),
            ByRule(
                "frozen expectation",
                {
                    "Q": "v*max(norm(zeta)*v - a, 0)",
                    "v": "v",
                    "V": "abs(U1)",
                    "X": "zeta",
                    "B": "sigma**p*a**(1 - p)/(p - 1)*v**(p + 1)",
                },
                using=("frozen coordinate", "weighted excess"),
            ),
            "U_1 is independent of xi",
            name="frozen mean",
        ),
        Step(
            Fact("E(sigma**p*a**(1 - p)/(p - 1)*abs(U1)**(p + 1)) == sigma**p*a**(1 - p)/(p - 1)*E(abs(U1)**(p + 1))"),
            ByRule("expectation scale", {"c": "sigma**p*a**(1 - p)/(p - 1)", "X": "abs(U1)**(p + 1)"}),
            name="out",
        ),
        Step(
            Fact("E(max(norm(zeta)*abs(U1) - a, 0)*abs(U1)) <= sigma**p*a**(1 - p)/(p - 1)*E(abs(U1)**(p + 1))"),
            Follows(("frozen mean", "out"), ("1", "1")),
        ),
    ),
    twins=(Twin("the exponent p + 1 raised to p + 1.01", {"*E(abs(U1)**(p + 1))": "*E(abs(U1)**(p + 1.01))"}),),
)

_SIGNAL_BOUND = "4/27*N**3/a**2*E(abs(U1)**4)"
SIGNAL_EXCESS = Statement(
    label="app:sharp-signal-excess",
    title="Excess of the signal along its own direction",
    kind="lemma",
    part=PART,
    text="For 0 <= c <= N: E[(c|U_1| - a)_+ |U_1|] <= (4/27) N^3 a^-2 E|U_1|^4; 4/27 is the largest (s - 1)/s^3.",
    parameters=(
        D,
        GRADIENT,
        Parameter("a", "level", ("a > 0",)),
        Parameter("c", "|grad f(x)|", ("c >= 0", "c <= N")),
    ),
    random=("U1",),
    claims=(Fact(f"E(max(c*abs(U1) - a, 0)*abs(U1)) <= {_SIGNAL_BOUND}"),),
    steps=(
        Step(
            Fact("max(b - a, 0)*a**2 <= 4/27*b**3", over=("b",), where=("b >= 0",)),
            Decide(),
            name="cubic",
        ),
        Step(
            Fact("max(b - a, 0) <= 4/27*b**3/a**2", over=("b",), where=("b >= 0",)),
            Follows(("cubic",), ("1/a**2",)),
            name="excess",
        ),
        Step(
            Fact("(c*v)**3 <= (N*v)**3", over=("v",), where=("v >= 0",)),
            Decide(),
            name="larger",
        ),
        Step(Fact("c*v >= 0", over=("v",), where=("v >= 0",)), Decide(), name="sign"),
        Step(
            Fact("max(c*v - a, 0) <= 4/27*N**3/a**2*v**3", over=("v",), where=("v >= 0",)),
            Follows(("sign", Use("excess", {"b": "c*v"}), "larger"), ("", "1", "4/27/a**2")),
            name="at v",
        ),
        Step(
            Fact("max(c*v - a, 0)*v <= 4/27*N**3/a**2*v**4", over=("v",), where=("v >= 0",)),
            Follows(("at v",), ("v",)),
            name="weighted",
        ),
        Step(Fact("abs(U1) >= 0"), Decide(), name="modulus"),
        Step(
            Fact("max(c*abs(U1) - a, 0)*abs(U1) <= 4/27*N**3/a**2*abs(U1)**4"),
            Follows(("modulus", Use("weighted", {"v": "abs(U1)"}))),
            name="pointwise",
        ),
        Step(
            Fact("E(max(c*abs(U1) - a, 0)*abs(U1)) <= E(4/27*N**3/a**2*abs(U1)**4)"),
            ByRule(
                "expectation monotone",
                {"X": "max(c*abs(U1) - a, 0)*abs(U1)", "Y": "4/27*N**3/a**2*abs(U1)**4"},
                using=("pointwise",),
            ),
            name="mean",
        ),
        Step(
            Fact(f"E(4/27*N**3/a**2*abs(U1)**4) == {_SIGNAL_BOUND}"),
            ByRule("expectation scale", {"c": "4/27*N**3/a**2", "X": "abs(U1)**4"}),
            name="out",
        ),
        Step(
            Fact(f"E(max(c*abs(U1) - a, 0)*abs(U1)) <= {_SIGNAL_BOUND}"),
            Follows(("mean", "out"), ("1", "1")),
        ),
    ),
    twins=(Twin("4/27 lowered to 4/28", {"4/27": "4/28"}),),
)
_CLIPPED = "clip(slopeF(x, u), tau)"
_LOSS = f"({_CLIPPED} - slopeF(x, u))"
_W = f"E({_LOSS}*u)"
_A = "theta1/sqrt(d)"
_B = "theta2/sqrt(d)"
_SIGNAL = f"max(abs(dot(gradf(x), u)) - {_A}, 0)"
_NOISE = f"max(abs(dot(zeta, u)) - {_B}, 0)"
_ALONG = f"abs(dot({_W}, u))"
_D1 = f"4/27*N**3/({_A})**2*(3/(d*(d + 2)))"
_D2 = f"sigma**p*({_B})**(1 - p)/(p - 1)*((1/d)**((3 - p)/2)*(3/(d*(d + 2)))**((p - 1)/2))"
CLIPPING_BIAS = Statement(
    label="app:sharp-clipping-bias",
    title="Clipping bias along each direction, free of d",
    kind="lemma",
    part=PART,
    text="If |grad f(x)| <= N and sqrt(d) tau = theta_1 + theta_2 + sqrt(d) L mu/2, then |d E[psi_tau(Y) u] - grad "
    "f_mu(x)| <= (4/9) d/(d+2) N^3/theta_1^2 + (3d/(d+2))^((p-1)/2) sigma^p theta_2^(1-p)/(p-1). The paper bounds "
    "the loss by d E|Y - psi_tau(Y)|, which is of the order sqrt(d) larger.",
    parameters=(P, D, L, MU, SIGMA, GRADIENT, TAU, SHARE_1, SHARE_2),
    random=("zeta", "u", "U1", "xi"),
    assumes=("ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={
        **SLOPE_HYPOTHESES,
        **NOISE_HYPOTHESES,
        "smooth": SMOOTH_F,
        "gradient": Fact("norm(gradf(x)) <= N"),
        "shares": SHARES,
        "unbiased": Fact("Egiven(slopeF(x, u), u) == slopef(x, u)"),
        "u given": Fact("Egiven(slopeF(x, u)*u, u) == Egiven(slopeF(x, u), u)*u"),
    },
    claims=(Fact(f"norm(d*E({_CLIPPED}*u) - gradfmu(x)) <= {BIAS}"),),
    steps=(
        *unbiased_steps(1),
        Step(
            Fact("abs(slopeF(x, u)) <= abs(dot(gradf(x), u)) + abs(dot(zeta, u)) + L*mu/2"),
            Cite("app:sharp-slope"),
            name="slope",
        ),
        Step(
            Fact("abs(clip(y, c) - y) == max(abs(y) - c, 0)", over=("y", "c"), where=("c > 0",)),
            Decide(),
            name="loss",
        ),
        Step(
            Fact(
                "max(y - (a + b + r), 0) <= max(m - a, 0) + max(n - b, 0)",
                over=("y", "a", "b", "m", "n", "r"),
                where=("y <= m + n + r",),
            ),
            Decide(),
            name="split",
        ),
        Step(
            Fact(f"abs({_LOSS}) <= {_SIGNAL} + {_NOISE}"),
            Follows(
                (
                    "slope",
                    "shares",
                    Use("loss", {"y": "slopeF(x, u)", "c": "tau"}),
                    Use(
                        "split",
                        {
                            "y": "abs(slopeF(x, u))",
                            "a": _A,
                            "b": _B,
                            "r": "L*mu/2",
                            "m": "abs(dot(gradf(x), u))",
                            "n": "abs(dot(zeta, u))",
                        },
                    ),
                )
            ),
            name="pointwise",
        ),
        Step(Fact(f"dot({_W}, {_W}) == norm({_W})**2"), ByRule("dot with itself", {"v": _W}), name="itself"),
        Step(
            Fact(f"dot({_W}, {_W}) == E(dot({_W}, {_LOSS}*u))"),
            ByRule("inner product with an expectation", {"X": f"{_LOSS}*u", "w": _W}),
            name="inside",
        ),
        Step(
            Fact(f"dot({_W}, {_LOSS}*u) == {_LOSS}*dot({_W}, u)"),
            ByRule("dot of a multiple", {"c": _LOSS, "v": _W, "w": "u"}),
            name="multiple",
        ),
        Step(
            Fact("a*b <= abs(a)*abs(b)", over=("a", "b")),
            Decide(),
            name="modulus",
        ),
        Step(
            Fact(f"dot({_W}, {_LOSS}*u) <= {_SIGNAL}*{_ALONG} + {_NOISE}*{_ALONG}"),
            Follows(("multiple", "pointwise", Use("modulus", {"a": _LOSS, "b": f"dot({_W}, u)"})), ("", _ALONG, "1")),
            name="weighted",
        ),
        Step(
            Fact(f"E(dot({_W}, {_LOSS}*u)) <= E({_SIGNAL}*{_ALONG} + {_NOISE}*{_ALONG})"),
            ByRule(
                "expectation monotone",
                {"X": f"dot({_W}, {_LOSS}*u)", "Y": f"{_SIGNAL}*{_ALONG} + {_NOISE}*{_ALONG}"},
                using=("weighted",),
            ),
            name="mean",
        ),
        Step(
            Fact(f"E({_SIGNAL}*{_ALONG} + {_NOISE}*{_ALONG}) == E({_SIGNAL}*{_ALONG}) + E({_NOISE}*{_ALONG})"),
            ByRule("expectation of a sum", {"X": f"{_SIGNAL}*{_ALONG}", "Y": f"{_NOISE}*{_ALONG}"}),
            name="sum",
        ),
        Step(
            Fact(f"E({_SIGNAL}*{_ALONG}) <= norm({_W})*E(max(norm(gradf(x))*abs(U1) - {_A}, 0)*abs(U1))"),
            ByRule(
                "excess along a fixed direction",
                {"z": "gradf(x)", "w": _W, "u": "u", "U1": "U1", "d": "d", "a": _A},
                using=("direction", "coordinate"),
            ),
            "the gradient's own direction is the worst",
            name="signal aligned",
        ),
        Step(
            Fact(f"E({_NOISE}*{_ALONG}) <= norm({_W})*E(max(norm(zeta)*abs(U1) - {_B}, 0)*abs(U1))"),
            ByRule(
                "excess along an independent direction",
                {"z": "zeta", "w": _W, "u": "u", "U1": "U1", "d": "d", "a": _B},
                using=("direction", "independent", "coordinate", "frozen coordinate"),
            ),
            "the noise's own direction is the worst",
            name="noise aligned",
        ),
        Step(Fact(f"{_A} > 0"), Decide(), name="a"),
        Step(Fact(f"{_B} > 0"), Decide(), name="b"),
        Step(Fact("norm(gradf(x)) >= 0"), Follows(()), name="gradient sign"),
        Step(
            Fact(f"E(max(norm(gradf(x))*abs(U1) - {_A}, 0)*abs(U1)) <= 4/27*N**3/({_A})**2*E(abs(U1)**4)"),
            Cite(
                "app:sharp-signal-excess",
                {"c": "norm(gradf(x))", "a": _A},
                using=("a", "gradient", "gradient sign"),
            ),
            name="signal excess",
        ),
        Step(
            Fact(
                f"E(max(norm(zeta)*abs(U1) - {_B}, 0)*abs(U1)) <= sigma**p*({_B})**(1 - p)/(p - 1)*E(abs(U1)**(p + 1))"
            ),
            Cite("app:sharp-noise-excess", {"a": _B}, using=("b",)),
            name="noise excess",
        ),
        Step(Fact("abs(U1)**4 == U1**4"), Decide(), name="even"),
        Step(
            Fact("E(abs(U1)**4) == E(U1**4)"),
            ByRule("expectation of equals", {"X": "abs(U1)**4", "Y": "U1**4"}, using=("even",)),
            name="even mean",
        ),
        Step(
            Fact("E(U1**4) == 3/(d*(d + 2))"),
            ByRule("fourth moment of a coordinate", {"U1": "U1", "d": "d"}, using=("coordinate",)),
            name="fourth",
        ),
        Step(Fact("abs(U1)**2 == U1**2"), Decide(), name="square"),
        Step(
            Fact("E(abs(U1)**2) == E(U1**2)"),
            ByRule("expectation of equals", {"X": "abs(U1)**2", "Y": "U1**2"}, using=("square",)),
            name="square mean",
        ),
        Step(
            Fact("E(U1**2) == 1/d"),
            ByRule("second moment of a coordinate", {"U1": "U1", "d": "d"}, using=("coordinate",)),
            name="second",
        ),
        Step(
            Fact("E(abs(U1)**(p + 1)) <= E(abs(U1)**2)**((4 - (p + 1))/(4 - 2))*E(abs(U1)**4)**((p + 1 - 2)/(4 - 2))"),
            ByRule("moments between", {"X": "abs(U1)", "q": "p + 1", "a": "2", "b": "4"}),
            name="between",
        ),
        Step(
            Fact("E(abs(U1)**(p + 1)) <= (1/d)**((3 - p)/2)*(3/(d*(d + 2)))**((p - 1)/2)"),
            Follows(("between", "even mean", "fourth", "square mean", "second")),
            name="moment",
        ),
        Step(
            Fact(f"4/27*N**3/({_A})**2*E(abs(U1)**4) == {_D1}"),
            Follows(("even mean", "fourth")),
            name="signal value",
        ),
        Step(Fact(f"sigma**p*({_B})**(1 - p)/(p - 1) >= 0"), Decide(), name="factor sign"),
        Step(
            Fact(f"sigma**p*({_B})**(1 - p)/(p - 1)*E(abs(U1)**(p + 1)) <= {_D2}"),
            Follows(("moment", "factor sign"), (f"sigma**p*({_B})**(1 - p)/(p - 1)", "")),
            name="noise value",
        ),
        Step(
            Fact(f"norm({_W})**2 <= norm({_W})*({_D1} + {_D2})"),
            Follows(
                (
                    "itself",
                    "inside",
                    "mean",
                    "sum",
                    "signal aligned",
                    "noise aligned",
                    "signal excess",
                    "noise excess",
                    "signal value",
                    "noise value",
                ),
                ("-1", "1", "1", "1", "1", "1", f"norm({_W})", f"norm({_W})", f"norm({_W})", f"norm({_W})"),
            ),
            name="quadratic",
        ),
        Step(Fact("2*(a*b) <= a**2 + b**2", over=("a", "b")), Decide(), name="Young"),
        Step(Fact(f"norm({_W}) >= 0"), Follows(()), name="sign"),
        Step(Fact(f"{_D1} + {_D2} > 0"), Decide(), name="bound sign"),
        Step(
            Fact(f"norm({_W})**2 <= ({_D1} + {_D2})**2"),
            Follows(("quadratic", Use("Young", {"a": f"norm({_W})", "b": f"{_D1} + {_D2}"})), ("2", "1")),
            name="length squared",
        ),
        Step(
            Fact(f"norm({_W}) <= {_D1} + {_D2}"),
            Follows(("length squared", "sign", "bound sign"), (f"1/(norm({_W}) + {_D1} + {_D2})", "", "")),
            name="length",
        ),
        Step(Fact(f"d*({_D1}) == 4/9*(d/(d + 2))*N**3/theta1**2"), Decide(), name="signal scaled"),
        Step(
            Fact(f"d*({_D2}) == (3*d/(d + 2))**((p - 1)/2)*sigma**p*theta2**(1 - p)/(p - 1)"),
            Decide(),
            name="noise scaled",
        ),
        Step(
            Fact(f"norm(d*E({_CLIPPED}*u) - gradfmu(x)) <= {BIAS}"),
            Follows((8, 9, "length", "signal scaled", "noise scaled"), ("1", "1", "d", "1", "1")),
        ),
    ),
    bound=BIAS,
    twins=(
        Twin("the exponent (p-1)/2 of 3d/(d+2) lowered to (p-1)/3", {"**((p - 1)/2)*sigma": "**((p - 1)/3)*sigma"}),
        Twin("the constant 4/9 lowered to 4/10", {"4/9": "4/10"}),
    ),
)
STATEMENTS = (NOISE_EXCESS, SIGNAL_EXCESS, CLIPPING_BIAS)
