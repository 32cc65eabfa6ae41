"""Beyond the paper: the paper's tuning in the words of the sharper bound: scales, spread of the clipped noise."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Decide, Fact, Follows, Step, Use
from boundcheck.paper.deviation import TAU_TUNED
from boundcheck.paper.sharp_deviation import ESTIMATOR_HYPOTHESES
from boundcheck.paper.symbols import BELOW, LOCALIZED, SCALE, SMOOTH_F

B = "sqrt(1 + 2*8**(2 - p)*log(8))"
RATE = "(lam/M)**((p - 1)/p)"
ROOT = "sqrt(1 + log(M/lam))"
#: a is the scale of the problem in the units of the gradient; it takes the place of sigma in app:sharp-deviation.
HYPOTHESES = {
    **{k: f for k, f in ESTIMATOR_HYPOTHESES.items() if k not in ("gradient", "spread", "shares")},
    "below": BELOW,
    "localized": LOCALIZED,
    "smooth": SMOOTH_F,
    "scale": SCALE,
    "a": Fact("a == sqrt(d)*S"),
    "lambda": Fact("lam == log(T/delta)"),
    "tuned": Fact(f"tau == {TAU_TUNED}"),
    "h": Fact("h == log(2*T/delta)"),
    "N": Fact("N == sqrt(8*L*Dbar)"),
    "y": Fact("y == M/lam"),
    "z": Fact("z == y**(1/p)"),
    "spread": Fact("J == sqrt(a**2 + 2*a**p*integral(t**(1 - p), t, a, theta))"),
    "share 1": Fact("theta1 == (theta - sqrt(d)*L*mu/2)/2"),
    "share 2": Fact("theta2 == (theta - sqrt(d)*L*mu/2)/2"),
    "b": Fact(f"b == {B}"),
    "w": Fact("w == z**((2 - p)/2)*sqrt(1 + log(y))"),
}
#: a = sqrt(d) S, z = (M/lambda)^(1/p), J <= a b w, Q <= a (sqrt(8) + b) w.
SPREAD_STEPS = (
    # ---- the scales a = sqrt(d) S, z = (M/lambda)^(1/p)
    Step(Fact("sqrt(d)*S == sqrt(L*Dbar) + sigma + sqrt(d)*L*mu"), Decide(("scale",)), name="scaled"),
    Step(Fact("a == sqrt(L*Dbar) + sigma + sqrt(d)*L*mu"), Follows(("a", "scaled")), name="a parts"),
    Step(Fact("sqrt(L*Dbar) > 0"), Decide(), name="gap root"),
    Step(Fact("sqrt(d)*L*mu > 0"), Decide(), name="shift"),
    Step(Fact("sigma <= a"), Follows(("a parts", "gap root", "shift")), name="sigma below"),
    Step(Fact("sqrt(d)*L*mu <= a"), Follows(("a parts", "gap root")), name="shift below"),
    Step(Fact("sqrt(8*L*Dbar) == sqrt(8)*sqrt(L*Dbar)"), Decide(), name="roots"),
    Step(Fact("sqrt(8) >= 1/2"), Decide(), name="eight"),
    Step(
        Fact("N + sqrt(d)*L*mu/2 <= sqrt(8)*a"),
        Follows(
            ("a parts", "N", "roots", "eight", "shift"),
            ("-sqrt(8)", "1", "1", "sqrt(d)*L*mu + sigma", "0"),
        ),
        name="N and shift",
    ),
    Step(Fact("N <= sqrt(8)*a"), Follows(("N and shift", "shift")), name="N below"),
    Step(Fact("sqrt(d)*(8*S*y**(1/p)) == 8*(sqrt(d)*S)*y**(1/p)"), Decide(), name="product"),
    Step(Fact("theta == 8*a*z"), Follows(("threshold", "tuned", "y", "product", "a", "z")), name="theta value"),
    Step(Fact("(1/y)**((p - 1)/p) == (y**(1/p))**(1 - p)"), Decide(), name="rate of y"),
    Step(Fact("lam/M == 1/y"), Decide(("y",)), name="inverse"),
    Step(Fact(f"{RATE} == z**(1 - p)"), Follows(("inverse", "rate of y", "z")), name="rate"),
    Step(Fact(f"{ROOT} == sqrt(1 + log(y))"), Follows(("y",)), name="root"),
    # ---- the spread J of the clipped noise
    Step(Fact("u**r <= v**r", over=("u", "v", "r"), where=("0 < u", "u <= v", "r >= 0")), Decide(), name="power"),
    Step(Fact("2 - p >= 0"), Decide(), name="power sign"),
    Step(Fact("t**(1 - p) == t**(-1)*t**(2 - p)", over=("t",), where=("0 < t",)), Decide(), name="split"),
    Step(
        Fact("t**(1 - p) <= t**(-1)*theta**(2 - p)", over=("t",), where=("0 < t", "t <= theta")),
        Follows(("power sign", "split", Use("power", {"u": "t", "v": "theta", "r": "2 - p"})), ("", "", "t**(-1)")),
        name="integrand",
    ),
    Step(Fact("a <= 8*a*z"), Decide(), name="a and z"),
    Step(Fact("a <= theta"), Follows(("a and z", "theta value")), name="range"),
    Step(
        Fact("integral(t**(1 - p), t, a, theta) <= integral(t**(-1)*theta**(2 - p), t, a, theta)"),
        ByRule(
            "integral monotone",
            {"G": "t**(1 - p)", "H": "t**(-1)*theta**(2 - p)", "t": "t", "a": "a", "b": "theta"},
            using=("integrand", "range"),
        ),
        name="integral",
    ),
    Step(
        Fact("integral(t**(-1)*theta**(2 - p), t, a, theta) == theta**(2 - p)*log(theta/a)"),
        Decide(("range",)),
        name="logarithm",
    ),
    Step(Fact("8*a*z/a == 8*z"), Decide(), name="quotient"),
    Step(Fact("a**p*(8*a*z)**(2 - p) == a**2*(8**(2 - p)*z**(2 - p))"), Decide(), name="squares of a"),
    Step(
        Fact("a**p*integral(t**(1 - p), t, a, theta) <= a**p*(8*a*z)**(2 - p)*log(8*z)"),
        Follows(("integral", "logarithm", "theta value", "quotient"), ("a**p", "a**p", "", "")),
        name="integral bound",
    ),
    Step(Fact("log(8*y**(1/p)) <= log(8)*(1 + log(y))"), Decide(), name="log split"),
    Step(Fact("log(8*z) <= log(8)*(1 + log(y))"), Follows(("log split", "z")), name="log bound"),
    Step(Fact("log(y) >= 0"), Decide(), name="log sign"),
    Step(Fact("z**(2 - p) >= 1"), Decide(), name="z power"),
    Step(Fact("1 <= v*(1 + l)", over=("v", "l"), where=("v >= 1", "l >= 0")), Decide(), name="one"),
    Step(Fact("8**(2 - p)*z**(2 - p)*a**2 >= 0"), Decide(), name="coefficient"),
    Step(
        Fact(
            "a**2 + 2*a**p*integral(t**(1 - p), t, a, theta) "
            "<= a**2*((1 + 2*8**(2 - p)*log(8))*(z**(2 - p)*(1 + log(y))))"
        ),
        Follows(
            (
                "integral bound",
                "squares of a",
                "log bound",
                Use("one", {"v": "z**(2 - p)", "l": "log(y)"}),
                "log sign",
                "z power",
                "coefficient",
            ),
            ("2", "2*log(8*z)", "2*a**2*8**(2 - p)*z**(2 - p)", "a**2", "", "", ""),
        ),
        name="J squared",
    ),
    Step(Fact("(z**((2 - p)/2)*sqrt(1 + log(y)))**2 == z**(2 - p)*(1 + log(y))"), Decide(), name="w square"),
    Step(Fact(f"{B}**2 == 1 + 2*8**(2 - p)*log(8)"), Decide(), name="b square"),
    Step(
        Fact("a**2 + 2*a**p*integral(t**(1 - p), t, a, theta) <= (a*b*w)**2"),
        Follows(("J squared", "w square", "b square", "w", "b"), ("1", "", "", "", "")),
        name="J level",
    ),
    Step(Fact("integral(0*t, t, a, theta) == 0"), Decide(("range",)), name="zero"),
    Step(Fact("0*t <= t**(1 - p)", over=("t",), where=("a <= t", "t <= theta")), Decide(), name="sign of t"),
    Step(
        Fact("integral(0*t, t, a, theta) <= integral(t**(1 - p), t, a, theta)"),
        ByRule(
            "integral monotone",
            {"G": "0*t", "H": "t**(1 - p)", "t": "t", "a": "a", "b": "theta"},
            using=("sign of t", "range"),
        ),
        name="integral sign",
    ),
    Step(
        Fact("a**2 + 2*a**p*integral(t**(1 - p), t, a, theta) >= 0"),
        Follows(("zero", "integral sign"), ("", "2*a**p")),
        name="J sign",
    ),
    Step(Fact("sqrt(u) <= sqrt(v)", over=("u", "v"), where=("u >= 0", "u <= v")), Decide(), name="monotone root"),
    Step(Fact("sqrt((a*b*w)**2) == a*b*w"), Decide(), name="root of a square"),
    Step(
        Fact("sqrt(a**2 + 2*a**p*integral(t**(1 - p), t, a, theta)) <= sqrt((a*b*w)**2)"),
        Follows(
            (
                "J level",
                "J sign",
                Use(
                    "monotone root",
                    {"u": "a**2 + 2*a**p*integral(t**(1 - p), t, a, theta)", "v": "(a*b*w)**2"},
                ),
            )
        ),
        name="J root",
    ),
    Step(Fact("J <= a*b*w"), Follows(("J root", "spread", "root of a square", "J sign")), name="J below"),
    Step(Fact("z**((2 - p)/2)*sqrt(1 + log(y)) >= 1"), Decide(), name="growth"),
    Step(Fact("w >= 1"), Follows(("growth", "w")), name="w above"),
    Step(Fact("sqrt(8)*a >= 0"), Decide(), name="sign 8a"),
    Step(
        Fact("Q <= a*(sqrt(8) + b)*w"),
        Follows(("Q", "N and shift", "J below", "w above", "sign 8a"), ("1", "1", "1", "sqrt(8)*a", "")),
        name="Q below",
    ),
)
