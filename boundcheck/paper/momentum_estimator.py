"""Momentum RSC-ZO: localized bounds of one clipped estimator, with explicit constants."""

from __future__ import annotations

from dataclasses import replace

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
from boundcheck.paper.clipping import BIAS_BOUND, SECOND_MOMENT_BOUND, TAIL_BOUND
from boundcheck.paper.concentration import EMPIRICAL_FLUCTUATION
from boundcheck.paper.symbols import BATCH, LOCAL
from boundcheck.paper.two_point import CLIPPING_BIAS, ESTIMATOR_BIAS_BOUND

PART = "Momentum"
TAU_8S = Parameter("tau", "clipping threshold", ("tau > 0", "tau >= 8*S"))
RANGE = "2*d*tau/M"
VARIANCE = "64*d**2/M*S**p*tau**(2 - p)*(1 + log(tau/S))"
_Y = "slopeF(x, u)"
_CLIPPED = f"clip({_Y}, tau)"
_SUMMAND = f"({_CLIPPED}*u - E({_CLIPPED}*u))"
_BEYOND = f"abs({_Y}) > tau"
HYPOTHESES = {**EMPIRICAL_FLUCTUATION.hypotheses, **CLIPPING_BIAS.hypotheses}
RANDOM = ("zeta", "u", "U1", "xi", "A", "X1", "g")
BASE_ASSUMPTIONS = ("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob")

ESTIMATOR_USED = Statement(
    label="lem:momentum-onestep-estimator",
    title="Localized clipped-estimator bounds, with C_bias = 2^(2p+1)/(p-1) and C_var = 64",
    kind="lemma",
    part=PART,
    text="If f(x) - f_* <= 4 bar Delta_0 and tau >= 8 S_mu: |E g - grad f_mu(x)| <= 2^(2p+1)/(p-1) d S_mu^p "
    "tau^(1-p), "
    "|W_l| <= 2 d tau/M and sum E|W_l|^2 <= 64 (d^2/M) S_mu^p tau^(2-p) (1 + log(tau/S_mu)).",
    parameters=(*LOCAL, BATCH, TAU_8S),
    random=RANDOM,
    assumes=BASE_ASSUMPTIONS,
    hypotheses=HYPOTHESES,
    claims=(
        Fact(f"norm(E(g) - gradfmu(x)) <= {ESTIMATOR_BIAS_BOUND}"),
        Fact(f"norm(X1) <= {RANGE}"),
        Fact(f"M*E(norm(X1)**2) <= {VARIANCE}"),
        Fact("E(X1) == 0"),
    ),
    steps=(
        Step(
            Fact(f"P(abs({_Y}) > t) <= {TAIL_BOUND}", over=("t",), where=("t >= 4*S",)),
            Cite("lem:hp-shared-directional-total-tail", part=1),
            name="tail",
        ),
        Step(
            Fact("1 <= 2**(2*p + 1)*(S/r)**p", over=("r",), where=("r >= S", "r <= 4*S")),
            Decide(),
            "below 4 S the bound is trivial",
            name="trivial",
        ),
        Step(
            Fact(f"P(abs({_Y}) > r) <= 2**(2*p + 1)*(S/r)**p", over=("r",), where=("r >= S", "r <= 4*S")),
            Follows(("trivial",)),
            name="near tail",
        ),
        Step(
            Fact("2**(2*p + 1)*S**p*r**(-p) == 2**(2*p + 1)*(S/r)**p", over=("r",), where=("r > 0",)),
            Decide(),
            name="tail form",
        ),
        Step(
            Fact(f"P(abs({_Y}) > r) <= 2**(2*p + 1)*(S/r)**p", over=("r",), where=("r >= 4*S",)),
            Follows((Use("tail", {"t": "r"}), "tail form")),
            "P(|Y| > r) <= 2^(2p+1) (S_mu/r)^p for r >= S_mu",
        ),
        Step(
            Fact(f"norm(E(g) - gradfmu(x)) <= {ESTIMATOR_BIAS_BOUND}"),
            Cite("lem:hp-shared-clipping-bias", part=1),
            name="bias",
        ),
        Step(
            Fact(f"abs({_Y})*ind({_BEYOND}) == max(abs({_Y}) - tau, 0) + tau*ind({_BEYOND})"),
            ByRule("indicator of an excess", {"X": f"abs({_Y})", "a": "tau"}),
            name="beyond",
        ),
        Step(
            Fact(f"abs({_Y} - {_CLIPPED}) == max(abs({_Y}) - tau, 0)"),
            Decide(),
            name="excess form",
        ),
        Step(Fact(f"ind({_BEYOND}) >= 0"), Follows(()), name="indicator"),
        Step(
            Fact(f"abs({_Y} - {_CLIPPED}) <= abs({_Y})*ind({_BEYOND})"),
            Follows(("excess form", "beyond", "indicator"), ("1", "-1", "tau")),
            "|Y - psi_tau(Y)| <= |Y| 1{|Y| > tau}",
        ),
        Step(
            Fact(f"abs({_Y})*ind({_BEYOND}) == abs({_Y} - {_CLIPPED}) + tau*ind({_BEYOND})"),
            Follows(("excess form", "beyond"), ("1", "-1")),
            name="split",
        ),
        Step(
            Fact(f"E(abs({_Y})*ind({_BEYOND})) == E(abs({_Y} - {_CLIPPED}) + tau*ind({_BEYOND}))"),
            ByRule(
                "expectation of equals",
                {"X": f"abs({_Y})*ind({_BEYOND})", "Y": f"abs({_Y} - {_CLIPPED}) + tau*ind({_BEYOND})"},
                using=("split",),
            ),
            name="E beyond",
        ),
        Step(
            Fact(
                f"E(abs({_Y} - {_CLIPPED}) + tau*ind({_BEYOND})) == E(abs({_Y} - {_CLIPPED})) + E(tau*ind({_BEYOND}))"
            ),
            ByRule("expectation of a sum", {"X": f"abs({_Y} - {_CLIPPED})", "Y": f"tau*ind({_BEYOND})"}),
            name="E sum",
        ),
        Step(
            Fact(f"E(tau*ind({_BEYOND})) == tau*E(ind({_BEYOND}))"),
            ByRule("expectation scale", {"c": "tau", "X": f"ind({_BEYOND})"}),
            name="E scale",
        ),
        Step(
            Fact(f"E(ind({_BEYOND})) == P({_BEYOND})"),
            ByRule("expectation of an indicator", {"A": _BEYOND}),
            name="E indicator",
        ),
        Step(
            Fact(f"E(abs({_Y} - {_CLIPPED})) <= {BIAS_BOUND}"),
            Cite("lem:hp-shared-clipped-bias-abstract", {"Z": _Y}),
            name="excess",
        ),
        Step(
            Fact("tau*(2**(2*p + 1)*S**p*tau**(-p)) == 2**(2*p + 1)*S**p*tau**(1 - p)"),
            Decide(),
            name="level",
        ),
        Step(
            Fact(
                f"E(abs({_Y})*ind({_BEYOND})) <= {BIAS_BOUND} + 2**(2*p + 1)*S**p*tau**(1 - p)",
            ),
            Follows(
                ("E beyond", "E sum", "E scale", "E indicator", "excess", Use("tail", {"t": "tau"}), "level"),
                ("", "", "", "", "1", "tau", "1"),
            ),
            "E|Y| 1{|Y| > tau} <= 2^(2p+1) p/(p-1) S_mu^p tau^(1-p)",
        ),
        Step(Fact("norm(u) == 1"), ByRule("unit length", {"u": "u", "d": "d"}, using=("direction",)), name="unit"),
        Step(
            Fact(f"norm({_CLIPPED}*u) == abs({_CLIPPED})*norm(u)"),
            ByRule("norm scale", {"c": _CLIPPED, "v": "u"}),
            name="Z scale",
        ),
        Step(Fact(f"abs({_CLIPPED}) <= tau"), Follows(()), name="clip"),
        Step(Fact(f"norm({_CLIPPED}*u) <= tau"), Follows(("unit", "Z scale", "clip")), "|Z_l| <= tau", name="Z"),
        Step(
            Fact(f"norm(E({_CLIPPED}*u)) <= E(norm({_CLIPPED}*u))"),
            ByRule("norm of the expectation", {"X": f"{_CLIPPED}*u"}),
            name="EZ",
        ),
        Step(
            Fact(f"E(norm({_CLIPPED}*u)) <= E(tau)"),
            ByRule("expectation monotone", {"X": f"norm({_CLIPPED}*u)", "Y": "tau"}, using=("Z",)),
            name="E|Z|",
        ),
        Step(Fact("E(tau) == tau"), ByRule("expectation of a constant", {"c": "tau"}), name="E tau"),
        Step(
            Fact(f"norm{_SUMMAND} <= norm({_CLIPPED}*u) + norm(E({_CLIPPED}*u))"),
            ByRule("norm of a difference", {"v": f"{_CLIPPED}*u", "w": f"E({_CLIPPED}*u)"}),
            name="difference",
        ),
        Step(
            Fact(f"norm(X1) == norm(d/M*{_SUMMAND})"),
            ByRule("norm of equals", {"v": "X1", "w": f"d/M*{_SUMMAND}"}, using=("summand",)),
            name="W",
        ),
        Step(
            Fact(f"norm(d/M*{_SUMMAND}) == abs(d/M)*norm{_SUMMAND}"),
            ByRule("norm scale", {"c": "d/M", "v": _SUMMAND}),
            name="W scale",
        ),
        Step(Fact("abs(d/M) == d/M"), Decide(), name="d/M"),
        Step(
            Fact(f"norm(X1) <= {RANGE}"),
            Follows(
                ("W", "W scale", "d/M", "difference", "Z", "EZ", "E|Z|", "E tau"),
                ("", "", "", "d/M", "d/M", "d/M", "d/M", ""),
            ),
            "|W_l| <= (d/M)(|Z_l| + E|Z_l|) <= 2 d tau/M",
            name="range",
        ),
        Step(
            Fact(f"E(norm{_SUMMAND}**2) <= E(norm({_CLIPPED}*u)**2)"),
            ByRule("variance below second moment", {"X": f"{_CLIPPED}*u"}),
            name="variance",
        ),
        Step(Fact(f"norm({_CLIPPED}*u)**2 == {_CLIPPED}**2"), Follows(("unit", "Z scale")), name="Z squared"),
        Step(
            Fact(f"E(norm({_CLIPPED}*u)**2) == E({_CLIPPED}**2)"),
            ByRule(
                "expectation of equals", {"X": f"norm({_CLIPPED}*u)**2", "Y": f"{_CLIPPED}**2"}, using=("Z squared",)
            ),
            name="E Z squared",
        ),
        Step(Fact(f"norm(X1)**2 == (d/M)**2*norm{_SUMMAND}**2"), Follows(("W", "W scale", "d/M")), name="W squared"),
        Step(
            Fact(f"E(norm(X1)**2) == E((d/M)**2*norm{_SUMMAND}**2)"),
            ByRule(
                "expectation of equals", {"X": "norm(X1)**2", "Y": f"(d/M)**2*norm{_SUMMAND}**2"}, using=("W squared",)
            ),
            name="E W squared",
        ),
        Step(
            Fact(f"E((d/M)**2*norm{_SUMMAND}**2) == (d/M)**2*E(norm{_SUMMAND}**2)"),
            ByRule("expectation scale", {"c": "(d/M)**2", "X": f"norm{_SUMMAND}**2"}),
            name="E W scale",
        ),
        Step(
            Fact(f"M*E(norm(X1)**2) <= d**2/M*E({_CLIPPED}**2)"),
            Follows(("E W squared", "E W scale", "variance", "E Z squared"), ("", "", "d**2/M", "")),
            "sum E|W_l|^2 <= (d^2/M) E psi_tau(Y)^2: the factor 4 of the paper is not needed",
            name="sum of variances",
        ),
        Step(Fact(f"E({_CLIPPED}**2) >= 0"), ByRule("expectation of a square", {"X": _CLIPPED}), name="square"),
        Step(
            Fact(f"M*E(norm(X1)**2) <= 4*d**2/M*E({_CLIPPED}**2)"),
            Follows(("sum of variances", "square"), ("1", "3*d**2/M")),
            "sum E|W_l|^2 <= (4 d^2/M) E psi_tau(Y)^2",
        ),
        Step(
            Fact(f"E({_CLIPPED}**2) <= {SECOND_MOMENT_BOUND}"),
            Cite("lem:hp-shared-clipped-second-moment", {"Z": _Y}),
            "weak-L_p tail integration",
            name="second moment",
        ),
        Step(
            Fact(f"M*E(norm(X1)**2) <= {VARIANCE}"),
            Follows(("sum of variances", "second moment"), ("1", "d**2/M")),
            name="W variance",
        ),
        Step(
            Fact(f"E({_SUMMAND}) == E({_CLIPPED}*u) - E(E({_CLIPPED}*u))"),
            ByRule("expectation shift", {"X": f"{_CLIPPED}*u", "Y": f"E({_CLIPPED}*u)"}),
            name="mean",
        ),
        Step(
            Fact(f"E(E({_CLIPPED}*u)) == E({_CLIPPED}*u)"),
            ByRule("expectation of a constant", {"c": f"E({_CLIPPED}*u)"}),
            name="mean of the mean",
        ),
        Step(
            Fact(f"E(X1) == E(d/M*{_SUMMAND})"),
            ByRule("expectation of equals", {"X": "X1", "Y": f"d/M*{_SUMMAND}"}, using=("summand",)),
            name="mean of W",
        ),
        Step(
            Fact(f"E(d/M*{_SUMMAND}) == d/M*E({_SUMMAND})"),
            ByRule("expectation scale", {"c": "d/M", "X": _SUMMAND}),
            name="mean scale",
        ),
        Step(
            Fact("E(X1) == 0"),
            Follows(("mean", "mean of the mean", "mean of W", "mean scale")),
            "E[W_l] = 0",
            name="centred",
        ),
    ),
    concludes=(("bias",), ("range",), ("W variance",), ("centred",)),
    bound=ESTIMATOR_BIAS_BOUND,
)
#: Noise zeta = X - E X in dimension 1, F(x; xi) = x^2/2 + zeta x at its minimum x = 0: L = 1, sigma = 1, mu = 1/2;
#: P(X > s) = s^-p for s >= tau and tau^-p below, tau = 16 (p/(p-1))^(1/(p-1)), so that E X = 16^(1-p) <= 1.
ONE_SIDED_SCALE = "(sqrt(1/8) + 3/2)"  #: S_mu there
ONE_SIDED_TAU = "16*(p/(p - 1))**(1/(p - 1))"
ONE_SIDED_BIAS = "tau**(1 - p)/(2*(p - 1))"
ONE_SIDED = Statement(
    label="app:one-sided-noise",
    title="One-sided noise whose clipping bias has the factor 1/(p-1)",
    kind="lemma",
    part=PART,
    text="With X of tail s^-p beyond tau = 16 (p/(p-1))^(1/(p-1)) and P(X > s) = tau^-p below, zeta = X - E X has a "
    "weak-L_p "
    "tail with sigma = 1, and clipping at tau moves its mean by at least tau^(1-p)/(2(p-1)).",
    parameters=(
        Parameter("p", "tail exponent", ("1 < p", "p <= 2")),
        Parameter("tau", "threshold", ("tau >= 16",)),
        Parameter("m", "E X", ("m >= 0",)),
    ),
    random=("zeta",),
    hypotheses={
        "threshold": Fact(f"tau == {ONE_SIDED_TAU}"),
        "mean": Fact("m == tau*tau**(-p) + integral(s**(-p), s, tau, oo)"),
        "tail": Fact("P(abs(zeta) > t) <= (t + m)**(-p)", over=("t",), where=("t >= m",)),
        "beyond": Fact("E(max(zeta - tau, 0)) == integral((t + m)**(-p), t, tau, oo)"),
    },
    claims=(
        Fact("P(abs(zeta) > t) <= t**(-p)", over=("t",), where=("t > 0",)),
        Fact(f"E(max(zeta - tau, 0)) >= {ONE_SIDED_BIAS}"),
    ),
    steps=(
        Step(Fact("integral(s**(-p), s, tau, oo) == tau**(1 - p)/(p - 1)"), Decide(), name="integral"),
        Step(Fact("tau*tau**(-p) == tau**(1 - p)"), Decide(), name="atom"),
        Step(Fact("a + a/(p - 1) == p/(p - 1)*a", over=("a",)), Decide(), name="sum"),
        Step(Fact(f"({ONE_SIDED_TAU})**(1 - p) == 16**(1 - p)*((p - 1)/p)"), Decide(), name="power"),
        Step(Fact("p/(p - 1)*(16**(1 - p)*((p - 1)/p)) == 16**(1 - p)"), Decide(), name="cancel"),
        Step(Fact("tau**(1 - p) == 16**(1 - p)*((p - 1)/p)"), Follows(("threshold", "power")), name="tau power"),
        Step(
            Fact("m == 16**(1 - p)"),
            Follows(
                ("mean", "integral", "atom", Use("sum", {"a": "tau**(1 - p)"}), "tau power", "cancel"),
                ("-1", "-1", "-1", "-1", "-p/(p - 1)", "-1"),
            ),
            "E X = 16^(1-p)",
            name="m",
        ),
        Step(Fact("16**(1 - p) <= 1"), Decide(), name="sixteen"),
        Step(Fact("m <= 1"), Follows(("m", "sixteen")), name="m below"),
        Step(Fact("1 <= t**(-p)", over=("t",), where=("t > 0", "t <= 1")), Decide(), name="trivial"),
        Step(Fact("(t + m)**(-p) <= t**(-p)", over=("t",), where=("t > 0",)), Decide(), name="shift"),
        Step(
            Fact("P(abs(zeta) > t) <= t**(-p)", over=("t",), where=("t > 0", "t < m")),
            Follows(("m below", "trivial")),
            name="near",
        ),
        Step(
            Fact("P(abs(zeta) > t) <= t**(-p)", over=("t",), where=("t > 0", "t >= m")),
            Follows(("tail", "shift")),
            name="far",
        ),
        Step(
            Fact("P(abs(zeta) > t) <= t**(-p)", over=("t",), where=("t > 0",)),
            ByRule(
                "either case", {"A": "P(abs(zeta) > t)", "B": "t**(-p)", "t": "t", "a": "m"}, using=("near", "far")
            ),
            name="weak Lp",
        ),
        Step(Fact("integral((t + m)**(-p), t, tau, oo) == (tau + m)**(1 - p)/(p - 1)"), Decide(), name="excess"),
        Step(Fact("b**(1 - p) <= a**(1 - p)", over=("a", "b"), where=("0 < a", "a <= b")), Decide(), name="falling"),
        Step(
            Fact("(2*tau)**(1 - p) <= (tau + m)**(1 - p)", where=("m <= 1",)),
            Follows((Use("falling", {"a": "tau + m", "b": "2*tau"}),)),
            name="larger base",
        ),
        Step(Fact("(2*tau)**(1 - p) == 2**(1 - p)*tau**(1 - p)"), Decide(), name="two"),
        Step(Fact("2**(1 - p) >= 1/2"), Decide(), name="half"),
        Step(Fact("tau**(1 - p)/(p - 1) >= 0"), Decide(), name="sign"),
        Step(
            Fact(f"E(max(zeta - tau, 0)) >= {ONE_SIDED_BIAS}"),
            Follows(
                ("m below", "sign", "beyond", "excess", "two", "larger base", "half"),
                ("", "", "", "", "-1/(p - 1)", "1/(p - 1)", "tau**(1 - p)/(p - 1)"),
            ),
            "|E psi(zeta)| = E(zeta - tau)_+ >= tau^(1-p)/(2(p-1))",
            name="bias",
        ),
    ),
    concludes=(("weak Lp",), ("bias",)),
    twins=(
        Twin("the factor 1/2 of the bias raised to 1.1", {"tau**(1 - p)/(2*(p - 1))": "1.1*tau**(1 - p)/(p - 1)"}),
    ),
)
_SHOWN = "app:one-sided-noise"
ONE_SIDED_FAMILY = Family(
    "one-sided noise in dimension 1",
    ("p",),
    ("p > 1", "p <= 2"),
    {
        "d": "1",
        "L": "1",
        "mu": "1/2",
        "sigma": "1",
        "Dbar": "1/8",
        "S": ONE_SIDED_SCALE,
        "M": "1",
        "tau": ONE_SIDED_TAU,
        "norm(E(g) - gradfmu(x))": ONE_SIDED_BIAS.replace("tau", f"({ONE_SIDED_TAU})"),
    },
    meets={k: _SHOWN for k in HYPOTHESES if k != "scale"},
    note="F(x; xi) = x^2/2 + zeta x at x = 0",
)
ESTIMATOR = replace(
    ESTIMATOR_USED,
    title="Localized clipped-estimator bounds",
    text="There are absolute constants C_bias, C_var such that, if f(x) - f_* <= 4 bar Delta_0 and tau >= 8 S_mu: "
    "|E g - grad f_mu(x)| <= C_bias d S_mu^p tau^(1-p), |W_l| <= 2 d tau/M, and sum E|W_l|^2 <= C_var (d^2/M) S_mu^p "
    "tau^(2-p) (1 + log(tau/S_mu)).",
    claims=(),
    steps=(),
    concludes=(),
    exists=(Exists("C", Fact("norm(E(g) - gradfmu(x)) <= C*d*S**p*tau**(1 - p)"), (ONE_SIDED_FAMILY,)),),
    imprecise="absolute constants C_bias, C_var are claimed to exist; C_bias cannot be independent of p",
    as_used=ESTIMATOR_USED,
    twins=(
        Twin("the constant 64 of the variance lowered to 60", {"64": "60"}),
        Twin("the range 2 d tau/M lowered to 1.9 d tau/M", {RANGE: "1.9*d*tau/M"}),
        Twin(
            "C_bias lowered to 2^(1.99p+1)/(p-1)",
            {ESTIMATOR_BIAS_BOUND: "2**(1.99*p + 1)/(p - 1)*d*S**p*tau**(1 - p)"},
        ),
    ),
)

STATEMENTS = (ONE_SIDED, ESTIMATOR)
