"""Appendix "High-Probability Analysis of Base RSC-ZO": deviation of the whole estimator, and the constant C_p."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.concentration import EMPIRICAL_FLUCTUATION, FLUCTUATION_BOUND
from boundcheck.paper.symbols import BATCH, LOCAL, TAU_4S
from boundcheck.paper.two_point import CLIPPING_BIAS, ESTIMATOR_BIAS_BOUND

PART = "Base: deviation"
DELTA_OPEN = Parameter("delta", "failure probability of the run", ("0 < delta", "delta < 1"))
DELTA = Parameter("delta", "failure probability of the run", ("0 < delta", "delta <= 1"))
HORIZON_1 = Parameter("T", "number of steps", ("T >= 1",), integer=True)
HORIZON_3 = Parameter("T", "number of steps", ("T >= 3",), integer=True)

_FLUCTUATION = FLUCTUATION_BOUND.replace("log(1/rho)", "lam")
LOCALIZED_BOUND = (
    "8*d/sqrt(M)*S**(p/2)*tau**(1 - p/2)*sqrt(1 + log(tau/S))*(1 + sqrt(2*lam)) + 8*d*tau/(3*M)*lam "
    f"+ {ESTIMATOR_BIAS_BOUND}"
)
_HYPOTHESES = {
    **EMPIRICAL_FLUCTUATION.hypotheses,
    **CLIPPING_BIAS.hypotheses,
    "fluctuation": Fact("g - E(g) == A"),
}

_LOCALIZED_STEPS = (
    Step(
        Fact(f"P(norm(A) > {FLUCTUATION_BOUND.replace('rho', '(delta/T)')}) <= delta/T"),
        Cite("lem:hp-shared-empirical-fluctuation", {"rho": "delta/T"}),
        "fluctuation with rho = delta/T",
    ),
    Step(Fact("log(1/(delta/T)) == log(T/delta)"), Decide(), "log(1/rho) = lambda"),
    Step(
        Fact(f"norm(E(g) - gradfmu(x)) <= {ESTIMATOR_BIAS_BOUND}"),
        Cite("lem:hp-shared-clipping-bias", part=1),
        "clipping bias",
    ),
    Step(
        Fact("norm((g - E(g)) + (E(g) - gradfmu(x))) <= norm(g - E(g)) + norm(E(g) - gradfmu(x))"),
        ByRule("triangle", {"v": "g - E(g)", "w": "E(g) - gradfmu(x)"}),
    ),
    Step(
        Fact("norm(g - E(g)) == norm(A)"),
        ByRule("norm of equals", {"v": "g - E(g)", "w": "A"}, using=("fluctuation",)),
    ),
    Step(
        Fact("norm(g - gradfmu(x)) <= norm(A) + norm(E(g) - gradfmu(x))"),
        Follows((4, 5)),
        "g - grad f_mu = A + B",
    ),
    Step(
        Fact(f"{_FLUCTUATION} == {FLUCTUATION_BOUND.replace('rho', '(delta/T)')}"),
        Follows(("lambda", 2)),
        "log(1/rho) = lambda",
    ),
    Step(
        Fact(f"P(norm(A) > {_FLUCTUATION}) <= delta/T"),
        ByRule(
            "level of equals",
            {"X": "norm(A)", "a": FLUCTUATION_BOUND.replace("rho", "(delta/T)"), "b": _FLUCTUATION, "q": "delta/T"},
            using=(1, 7),
        ),
    ),
    Step(
        Fact(f"norm(g - gradfmu(x)) <= norm(A) + {ESTIMATOR_BIAS_BOUND}"),
        Follows((6, 3), ("1", "1")),
        "triangle inequality",
    ),
    Step(
        Fact(f"P(norm(g - gradfmu(x)) > {LOCALIZED_BOUND}) <= P(norm(A) > {_FLUCTUATION})"),
        ByRule(
            "larger variable",
            {"X": "norm(g - gradfmu(x))", "Y": "norm(A)", "a": _FLUCTUATION, "b": ESTIMATOR_BIAS_BOUND},
            using=(9,),
        ),
    ),
    Step(Fact(f"P(norm(g - gradfmu(x)) > {LOCALIZED_BOUND}) <= delta/T"), Follows((8, 10))),
)

LOCALIZED_USED = Statement(
    label="cor:hp-shared-localized",
    title="Localized high-probability deviation of the clipped estimator",
    kind="corollary",
    part=PART,
    text="For delta in (0, 1), T >= 1, tau >= 4 S_mu and f(x) - f_* <= 4 bar Delta_0, with probability at least "
    "1 - delta/T: |g(x) - grad f_mu(x)| <= fluctuation + clipping bias.",
    parameters=(*LOCAL, BATCH, TAU_4S, HORIZON_3, DELTA, Parameter("lam", "lambda")),
    random=("zeta", "u", "U1", "xi", "A", "X1", "g"),
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={**_HYPOTHESES, "lambda": Fact("lam == log(T/delta)")},
    claims=(Fact(f"P(norm(g - gradfmu(x)) > {LOCALIZED_BOUND}) <= delta/T"),),
    steps=_LOCALIZED_STEPS,
    bound=LOCALIZED_BOUND,
    note="As used by cor:hp-shared-localized-tuned: delta = 1 is allowed there, which needs delta/T < 1, so T > 1.",
)
LOCALIZED = replace(
    LOCALIZED_USED,
    parameters=(*LOCAL, BATCH, TAU_4S, HORIZON_1, DELTA_OPEN, Parameter("lam", "lambda")),
    as_used=LOCALIZED_USED,
    note="Printed for delta < 1; its use in cor:hp-shared-localized-tuned has delta = 1 as well.",
    twins=(
        Twin("the exponent of the bias lowered", {"2**(2*p + 1)/(p - 1)": "2**(1.99*p + 1)/(p - 1)"}),
        Twin("the factor 2 under the root lowered to 1.9", {"sqrt(2*lam)": "sqrt(1.9*lam)"}),
        Twin("T reaching down to 1 while delta may be 1", {"delta < 1": "delta <= 1"}),
    ),
)

C_P = "(120 + 2**(4 - p)/(p - 1))"
TUNED_BOUND = f"{C_P}*d*S*(lam/M)**((p - 1)/p)*sqrt(1 + log(M/lam))"
_RATE = "(lam/M)**((p - 1)/p)"
_ROOT = "sqrt(1 + log(M/lam))"
TAU_TUNED = "8*S*(M/lam)**(1/p)"
_FIRST = "8*d/sqrt(M)*S**(p/2)*tau**(1 - p/2)"

LOCALIZED_TUNED = Statement(
    label="cor:hp-shared-localized-tuned",
    title="Localized deviation with tuned clipping",
    kind="corollary",
    part=PART,
    text="With T >= 3, delta in (0, 1], M >= lambda = log(T/delta) and tau = 8 S_mu (M/lambda)^(1/p), with "
    "probability at "
    "least 1 - delta/T: |g(x) - grad f_mu(x)| <= C_p d S_mu (lambda/M)^((p-1)/p) sqrt(1 + log(M/lambda)), "
    "C_p = 120 + 2^(4-p)/(p-1).",
    parameters=(
        *LOCAL,
        BATCH,
        Parameter("tau", "clipping threshold", ("tau > 0",)),
        HORIZON_3,
        DELTA,
        Parameter("lam", "lambda = log(T/delta)", ("M >= lam",)),
    ),
    random=("zeta", "u", "U1", "xi", "A", "X1", "g"),
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={
        **_HYPOTHESES,
        "lambda": Fact("lam == log(T/delta)"),
        "tuned": Fact(f"tau == {TAU_TUNED}"),
    },
    claims=(Fact(f"P(norm(g - gradfmu(x)) > {TUNED_BOUND}) <= delta/T"),),
    steps=(
        Step(Fact("log(T/delta) >= log(3)"), Decide(), "T >= 3 and delta <= 1"),
        Step(Fact("log(3) > 1"), Decide()),
        Step(Fact("lam >= 1"), Follows(("lambda", 1, 2)), "lambda >= log 3 > 1"),
        Step(Fact("M/lam >= 1"), Decide((3,)), name="ratio"),
        Step(Fact("y**(1/p) >= 1", over=("y",), where=("y >= 1",)), Decide(), name="power"),
        Step(
            Fact(f"{TAU_TUNED} >= 8*S"),
            Follows((3, "ratio", Use("power", {"y": "M/lam"})), ("", "", "8*S")),
            "M >= lambda; and 8 S >= 4 S",
        ),
        Step(Fact(f"{TAU_TUNED} >= 4*S"), Follows((6, 3), ("1", "")), name="above"),
        Step(Fact("tau >= 4*S"), Follows(("tuned", "above")), name="tau"),
        Step(Fact("1 + log(tau/S) >= 1"), Decide(("tau",)), name="log tau"),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {LOCALIZED_BOUND}) <= delta/T"),
            Cite("cor:hp-shared-localized", using=("tau", 3)),
            "cor:hp-shared-localized applies",
            repair=Step(
                Fact(f"P(norm(g - gradfmu(x)) > {LOCALIZED_BOUND}) <= delta/T"),
                Cite("cor:hp-shared-localized", using=("tau", 3), as_used=True),
                "cor:hp-shared-localized in the form for delta <= 1, T >= 3",
            ),
        ),
        Step(
            Fact(
                "8*d/sqrt(M)*S**(p/2)*(8*S*(M/lam)**(1/p))**(1 - p/2) "
                "== 8**(2 - p/2)*d*S*M**(-(p - 1)/p)*lam**(-(2 - p)/(2*p))"
            ),
            Decide((3,)),
            "substituting tau in the first term",
        ),
        Step(Fact("1 + sqrt(2*lam) <= (1 + sqrt(2))*sqrt(lam)"), Decide((3,)), "lambda >= 1"),
        Step(
            Fact(f"M**(-(p - 1)/p)*lam**(-(2 - p)/(2*p))*sqrt(lam) == {_RATE}"),
            Decide((3,)),
        ),
        Step(
            Fact("8*S*(M/lam)**(1/p)/S == 8*(M/lam)**(1/p)"),
            Decide((3,)),
        ),
        Step(Fact("8**(2 - p/2) <= 8**(3/2)"), Decide(), "p > 1"),
        Step(Fact("8**(3/2) < 23"), Decide()),
        Step(
            Fact("1 + log(8*y**(1/p)) <= (1 + log(8))*(1 + log(y))", over=("y",), where=("y >= 1",)),
            Decide((3,)),
            "y = M/lambda >= 1",
        ),
        Step(Fact("23*(1 + sqrt(2))*sqrt(1 + log(8)) <= 98"), Decide(), "23 (1 + sqrt 2) sqrt(1 + log 8) <= 98"),
        Step(Fact("M/lam >= 1"), Decide((3,))),
        Step(Fact("1 + log(y) >= 1", over=("y",), where=("y >= 1",)), Decide()),
        Step(Fact("1 + log(M/lam) >= 1"), Follows((3, 19, Use(20, {"y": "M/lam"}))), name="root"),
        Step(Fact("1 + log(8*y**(1/p)) >= 0", over=("y",), where=("y >= 1",)), Decide()),
        Step(Fact("1 + log(8*(M/lam)**(1/p)) >= 0"), Follows((3, 19, Use(22, {"y": "M/lam"}))), name="root 8"),
        Step(
            Fact("1 + log(8*(M/lam)**(1/p)) <= (1 + log(8))*(1 + log(M/lam))"),
            Follows((3, 19, Use(17, {"y": "M/lam"}))),
        ),
        Step(
            Fact(f"sqrt(1 + log(8*(M/lam)**(1/p))) <= sqrt(1 + log(8))*{_ROOT}"),
            ByRule(
                "root of a product",
                {"a": "1 + log(8*(M/lam)**(1/p))", "b": "1 + log(8)", "c": "1 + log(M/lam)"},
                using=(24, 3, "root", "root 8"),
            ),
        ),
        Step(Fact(f"d*S*{_RATE} >= 0"), Decide((3, "root"))),
        Step(
            Fact(f"{_FIRST} == 8**(2 - p/2)*d*S*M**(-(p - 1)/p)*lam**(-(2 - p)/(2*p))"),
            Follows(("tuned", 11)),
        ),
        Step(Fact("8**(2 - p/2)*d*S*M**(-(p - 1)/p)*lam**(-(2 - p)/(2*p)) >= 0"), Decide((3, "root"))),
        Step(
            Fact(
                "8**(2 - p/2)*d*S*M**(-(p - 1)/p)*lam**(-(2 - p)/(2*p))*(1 + sqrt(2*lam)) "
                f"<= 8**(2 - p/2)*(1 + sqrt(2))*(d*S*{_RATE})"
            ),
            Follows(
                (12, 13, 3, "root", "root 8"),
                (
                    "8**(2 - p/2)*d*S*M**(-(p - 1)/p)*lam**(-(2 - p)/(2*p))",
                    "8**(2 - p/2)*(1 + sqrt(2))*d*S",
                    "",
                    "",
                    "",
                ),
            ),
            "first term: 8^(2-p/2) (1 + sqrt 2) d S (lambda/M)^((p-1)/p) sqrt(1 + log(8 (M/lambda)^(1/p)))",
        ),
        Step(
            Fact(f"8**(2 - p/2)*(1 + sqrt(2))*(d*S*{_RATE}) <= 23*(1 + sqrt(2))*(d*S*{_RATE})"),
            Follows(
                (15, 16, 3, "root", "root 8"),
                (f"(1 + sqrt(2))*(d*S*{_RATE})", f"(1 + sqrt(2))*(d*S*{_RATE})", "", "", ""),
            ),
        ),
        Step(Fact("sqrt(y) >= 1", over=("y",), where=("y >= 1",)), Decide(), name="roots"),
        Step(
            Fact(f"23*(1 + sqrt(2))*(d*S*{_RATE})*(sqrt(1 + log(8))*{_ROOT}) <= 98*(d*S*{_RATE})*{_ROOT}"),
            Follows((18, 3, "root", "root 8"), (f"(d*S*{_RATE})*{_ROOT}", "", "", "")),
        ),
        Step(
            Fact(
                "8**(2 - p/2)*d*S*M**(-(p - 1)/p)*lam**(-(2 - p)/(2*p))*(1 + sqrt(2*lam))*sqrt(1 + "
                "log(8*(M/lam)**(1/p))) "
                f"<= 98*(d*S*{_RATE})*{_ROOT}"
            ),
            Follows(
                (25, 29, 30, 32, 3, "root", "root 8"),
                (
                    "8**(2 - p/2)*d*S*M**(-(p - 1)/p)*lam**(-(2 - p)/(2*p))*(1 + sqrt(2*lam))",
                    f"sqrt(1 + log(8))*{_ROOT}",
                    f"sqrt(1 + log(8))*{_ROOT}",
                    "1",
                    "",
                    "",
                    "",
                ),
            ),
            "the first term is at most 98 d S (lambda/M)^((p-1)/p) sqrt(1 + log(M/lambda))",
        ),
        Step(
            Fact(f"{_FIRST}*sqrt(1 + log(tau/S))*(1 + sqrt(2*lam)) <= 98*(d*S*{_RATE})*{_ROOT}"),
            Follows(
                (27, "tuned", 14, 33, 3, "root", "root 8"),
                ("sqrt(1 + log(tau/S))*(1 + sqrt(2*lam))", "", "", "1", "", "", ""),
            ),
        ),
        Step(
            Fact(f"8*d*(8*S*(M/lam)**(1/p))/(3*M)*lam == 64/3*(d*S*{_RATE})"),
            Decide((3, "root")),
            "the linear term",
        ),
        Step(Fact("64/3 <= 22"), Decide()),
        Step(Fact(f"{_ROOT} >= 1"), Follows((3, "root", Use("roots", {"y": "1 + log(M/lam)"}))), "M >= lambda"),
        Step(
            Fact(f"8*d*tau/(3*M)*lam <= 22*(d*S*{_RATE})*{_ROOT}"),
            Follows(
                ("tuned", 35, 36, 37, 3, "root", "root 8"), ("", "1", f"d*S*{_RATE}", f"22*(d*S*{_RATE})", "", "", "")
            ),
        ),
        Step(
            Fact(f"2**(2*p + 1)/(p - 1)*d*S**p*(8*S*(M/lam)**(1/p))**(1 - p) == 2**(4 - p)/(p - 1)*(d*S*{_RATE})"),
            Decide((3, "root")),
            "the clipping-bias term",
        ),
        Step(
            Fact(f"2**(4 - p)/(p - 1)*(d*S*{_RATE}) <= 2**(4 - p)/(p - 1)*(d*S*{_RATE})*{_ROOT}"),
            Follows((37, 3, "root", "root 8"), (f"2**(4 - p)/(p - 1)*(d*S*{_RATE})", "", "", "")),
        ),
        Step(
            Fact(f"{ESTIMATOR_BIAS_BOUND} <= 2**(4 - p)/(p - 1)*(d*S*{_RATE})*{_ROOT}"),
            Follows(("tuned", 39, 40, 3, "root", "root 8"), ("", "1", "1", "", "", "")),
        ),
        Step(
            Fact(f"{LOCALIZED_BOUND} <= {TUNED_BOUND}"),
            Follows(("log tau", 34, 38, 41, 3, "root", "root 8"), ("", "1", "1", "1", "", "", "")),
            "98 + 22 = 120",
        ),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {TUNED_BOUND}) <= P(norm(g - gradfmu(x)) > {LOCALIZED_BOUND})"),
            ByRule("larger level", {"X": "norm(g - gradfmu(x))", "a": LOCALIZED_BOUND, "b": TUNED_BOUND}, using=(42,)),
        ),
        Step(Fact(f"P(norm(g - gradfmu(x)) > {TUNED_BOUND}) <= delta/T"), Follows((10, 43))),
    ),
    bound=TUNED_BOUND,
    twins=(
        Twin("the 120 of C_p lowered to 119", {"(120 + ": "(119 + "}),
        Twin("the bias constant 2^(4-p) lowered to 2^(3.99-p)", {"2**(4 - p)": "2**(3.99 - p)"}),
        Twin("the 98 of the first term lowered to 95", {"98": "95", "(120 +": "(117 +"}),
        Twin("the 22 of the linear term lowered to 21", {"22": "21", "(120 +": "(119 +"}),
        Twin("T reaching down to 2", {"T >= 3": "T >= 2"}),
    ),
)

TUNED = replace(
    LOCALIZED_TUNED,
    label="thm:tuned-dev",
    title="Localized deviation with tuned clipping (main text)",
    kind="theorem",
    steps=(
        Step(
            LOCALIZED_TUNED.claims[0],
            Cite("cor:hp-shared-localized-tuned"),
            "the appendix form, cor:hp-shared-localized-tuned",
        ),
    ),
    twins=(Twin("the 120 of C_p lowered to 119", {"(120 + ": "(119 + "}),),
)
STATEMENTS = (LOCALIZED, LOCALIZED_TUNED, TUNED)
