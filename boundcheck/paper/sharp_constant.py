"""Beyond the paper: the constant C_p of the paper's own tuning, from the sharper deviation bound."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.deviation import DELTA, HORIZON_3
from boundcheck.paper.sharp_deviation import (
    DEVIATION,
    ESTIMATOR_PARAMETERS,
    ESTIMATOR_RANDOM,
    LOG_LEVEL,
)
from boundcheck.paper.sharp_slope import GRADIENT_STEPS, PART
from boundcheck.paper.sharp_tuning import HYPOTHESES, RATE, ROOT, SPREAD_STEPS, B
from boundcheck.paper.symbols import GAP, S

SHARP_C_P = f"(1807/1000*(sqrt(8) + {B}) + 1088/1000*(8 + sqrt(8) + {B}) + 26/100 + (15/4)**(1 - p)/(p - 1))"
TUNED = f"{SHARP_C_P}*d*S*{RATE}*{ROOT}"
_C = SHARP_C_P.replace(B, "b")
_DEVIATION_A = DEVIATION.replace("sigma", "a")


CONSTANT = Statement(
    label="app:sharp-constant",
    title="The paper's tuning with C_2 <= 24 in place of 124",
    kind="corollary",
    part=PART,
    text="With the paper's tau = 8 S_mu (M/lambda)^(1/p), T >= 3 and M >= lambda = log(T/delta): with probability at "
    "least 1 - delta/T, |g(x) - grad f_mu(x)| <= C_p d S_mu (lambda/M)^((p-1)/p) sqrt(1 + log(M/lambda)) with C_p = "
    "1.807 (sqrt 8 + b) + 1.088 (8 + sqrt 8 + b) + 0.26 + (15/4)^(1-p)/(p-1), b^2 = 1 + 2 8^(2-p) log 8; C_2 <= 24.",
    parameters=(
        *(q for q in ESTIMATOR_PARAMETERS if q.symbol != "theta"),
        Parameter("theta", "sqrt(d) tau", ("theta > 0",)),
        S,
        GAP,
        HORIZON_3,
        DELTA,
        Parameter("lam", "lambda = log(T/delta)", ("lam > 0", "M >= lam")),
        LOG_LEVEL,
        Parameter("a", "sqrt(d) S_mu", ("a > 0",)),
        Parameter("y", "M/lambda", ("y >= 1",)),
        Parameter("z", "(M/lambda)^(1/p)", ("z >= 1",)),
        Parameter("b", "spread at y = 1", ("b > 0",)),
        Parameter("w", "growth of the spread", ("w > 0",)),
    ),
    random=ESTIMATOR_RANDOM,
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses=HYPOTHESES,
    claims=(
        Fact(f"P(norm(g - gradfmu(x)) > {TUNED}) <= delta/T"),
        Fact(f"{SHARP_C_P} <= 24", where=("p == 2",)),
    ),
    steps=(
        *SPREAD_STEPS,
        # ---- the fluctuation
        Step(Fact("log(T/delta) >= log(3)"), Decide(), "T >= 3 and delta <= 1", name="log three"),
        Step(Fact("lam >= log(3)"), Follows(("log three", "lambda")), name="lam above"),
        Step(Fact("log(2*T/delta) == log(T/delta) + log(2)"), Decide(), name="log product"),
        Step(Fact("log(2) <= 631/1000*log(3)"), Decide(), name="two and three"),
        Step(
            Fact("h <= 1631/1000*lam"),
            Follows(("h", "log product", "lambda", "two and three", "lam above"), ("", "", "", "1", "631/1000")),
            name="h below",
        ),
        Step(
            Fact("Q**2 <= (a*(sqrt(8) + b)*w)**2"), Follows(("Q below",), ("Q + a*(sqrt(8) + b)*w",)), name="Q square"
        ),
        Step(
            Fact("2*d*Q**2/M*h <= 2*d*(a*(sqrt(8) + b)*w)**2/M*(1631/1000*lam)"),
            Follows(("Q square", "h below"), ("2*d/M*h", "2*d/M*(a*(sqrt(8) + b)*w)**2")),
            name="variance level",
        ),
        Step(
            Fact(
                "(1807/1000*sqrt(d)*c*(1/y)**(1/2))**2 == (1807/1000)**2*d*c**2*(1/y)", over=("c",), where=("c > 0",)
            ),
            Decide(),
            name="level square",
        ),
        Step(Fact("2*1631/1000 <= (1807/1000)**2"), Decide(), name="rounding"),
        Step(
            Fact("2*d*c**2/M*(1631/1000*lam) <= (1807/1000)**2*d*c**2*(lam/M)", over=("c",), where=("c > 0",)),
            Follows(("rounding",), ("d*c**2*lam/M",)),
            name="variance rounded",
        ),
        Step(
            Fact("2*d*c**2/M*(1631/1000*lam) <= (1807/1000*sqrt(d)*c*(1/y)**(1/2))**2", over=("c",), where=("c > 0",)),
            Follows(("variance rounded", "level square", "inverse"), ("1", "-1", "(1807/1000)**2*d*c**2")),
            name="square",
        ),
        Step(Fact("a*(sqrt(8) + b)*w > 0"), Decide(), name="level sign"),
        Step(Fact("2*d*Q**2/M*h >= 0"), Decide(), name="variance sign"),
        Step(
            Fact("2*d*Q**2/M*h <= (1807/1000*sqrt(d)*(a*(sqrt(8) + b)*w)*(1/y)**(1/2))**2"),
            Follows(("variance level", "level sign", Use("square", {"c": "a*(sqrt(8) + b)*w"})), ("1", "", "1")),
            name="variance square",
        ),
        Step(
            Fact(
                "sqrt((1807/1000*sqrt(d)*c*(1/y)**(1/2))**2) == 1807/1000*sqrt(d)*c*(1/y)**(1/2)",
                over=("c",),
                where=("c > 0",),
            ),
            Decide(),
            name="root of the square",
        ),
        Step(
            Fact("sqrt(2*d*Q**2/M*h) <= 1807/1000*sqrt(d)*(a*(sqrt(8) + b)*w)*(1/y)**(1/2)"),
            Follows(
                (
                    "variance square",
                    "variance sign",
                    "level sign",
                    Use(
                        "monotone root",
                        {
                            "u": "2*d*Q**2/M*h",
                            "v": "(1807/1000*sqrt(d)*(a*(sqrt(8) + b)*w)*(1/y)**(1/2))**2",
                        },
                    ),
                    Use("root of the square", {"c": "a*(sqrt(8) + b)*w"}),
                )
            ),
            name="fluctuation root",
        ),
        Step(
            Fact("(y**(1/p))**((2 - p)/2)*(1/y)**(1/2) == (y**(1/p))**(1 - p)"),
            Decide(),
            name="exponents",
        ),
        Step(
            Fact("w*(1/y)**(1/2) == z**(1 - p)*sqrt(1 + log(y))"),
            Follows(("w", "z", "exponents", "log sign"), ("", "", "-sqrt(1 + log(y))", "")),
            name="rates",
        ),
        Step(Fact("sqrt(d)*a == d*S"), Decide(("a",)), name="d S"),
        Step(
            Fact(
                "1807/1000*sqrt(d)*(a*(sqrt(8) + b)*w)*(1/y)**(1/2) "
                "== 1807/1000*(sqrt(8) + b)*(d*S)*(z**(1 - p)*sqrt(1 + log(y)))"
            ),
            Follows(
                ("d S", "rates", "log sign"),
                ("-1807/1000*(sqrt(8) + b)*w*(1/y)**(1/2)", "-1807/1000*(sqrt(8) + b)*(d*S)", ""),
            ),
            name="first value",
        ),
        Step(
            Fact("sqrt(2*d*Q**2/M*h) <= 1807/1000*(sqrt(8) + b)*(d*S)*(z**(1 - p)*sqrt(1 + log(y)))"),
            Follows(("fluctuation root", "first value", "log sign"), ("1", "1", "")),
            name="first",
        ),
        # ---- the range
        Step(Fact("sqrt(d)*(8*a*z) + a*(sqrt(8) + b)*w > 0"), Decide(), name="range sign"),
        Step(
            Fact("2/3*(sqrt(d)*theta + Q)/M*h <= 2/3*(sqrt(d)*(8*a*z) + a*(sqrt(8) + b)*w)/M*(1631/1000*lam)"),
            Follows(
                ("theta value", "Q below", "h below"),
                ("", "2/3/M*h", "2/3/M*(sqrt(d)*(8*a*z) + a*(sqrt(8) + b)*w)"),
            ),
            name="range level",
        ),
        Step(
            Fact("2/3*c/M*(1631/1000*lam) <= 1088/1000*c*(lam/M)", over=("c",), where=("c > 0",)),
            Decide(),
            name="rounded",
        ),
        Step(
            Fact("2/3*(sqrt(d)*theta + Q)/M*h <= 1088/1000*(sqrt(d)*(8*a*z) + a*(sqrt(8) + b)*w)*(1/y)"),
            Follows(
                (
                    "range sign",
                    "range level",
                    Use("rounded", {"c": "sqrt(d)*(8*a*z) + a*(sqrt(8) + b)*w"}),
                    "inverse",
                ),
                ("", "1", "1", "1088/1000*(sqrt(d)*(8*a*z) + a*(sqrt(8) + b)*w)"),
            ),
            name="range rounded",
        ),
        Step(Fact("y**(1/p)*(1/y) == (y**(1/p))**(1 - p)"), Decide(), name="range exponents"),
        Step(Fact("z*(1/y) == z**(1 - p)"), Follows(("z", "range exponents")), name="range rate"),
        Step(Fact("sqrt(1 + log(y)) >= 1"), Decide(), name="root above"),
        Step(Fact("z**(1 - p) > 0"), Decide(), name="rate sign"),
        Step(Fact("1/y <= (1/y)**(1/2)"), Decide(), name="half"),
        Step(Fact("sqrt(d) >= 1"), Decide(), name="root d"),
        Step(Fact("a <= d*S"), Follows(("d S", "root d"), ("1", "a")), name="a below"),
        Step(
            Fact("sqrt(d)*(8*a*z)*(1/y) <= 8*(d*S)*(z**(1 - p)*sqrt(1 + log(y)))"),
            Follows(
                ("d S", "range rate", "root above", "rate sign", "log sign"),
                ("8*z/y", "8*(d*S)", "8*(d*S)*z**(1 - p)", "", ""),
            ),
            name="theta part",
        ),
        Step(
            Fact("a*(sqrt(8) + b)*w*(1/y) <= (sqrt(8) + b)*(d*S)*(z**(1 - p)*sqrt(1 + log(y)))"),
            Follows(
                ("half", "rates", "a below", "log sign"),
                ("a*(sqrt(8) + b)*w", "a*(sqrt(8) + b)", "(sqrt(8) + b)*(z**(1 - p)*sqrt(1 + log(y)))", ""),
            ),
            name="Q part",
        ),
        Step(
            Fact("2/3*(sqrt(d)*theta + Q)/M*h <= 1088/1000*(8 + sqrt(8) + b)*(d*S)*(z**(1 - p)*sqrt(1 + log(y)))"),
            Follows(("range rounded", "theta part", "Q part", "log sign"), ("1", "1088/1000", "1088/1000", "")),
            name="second",
        ),
        # ---- the bias
        Step(Fact("a <= a*z"), Decide(), name="a z"),
        Step(
            Fact("theta1 >= 15/4*a*z"),
            Follows(("share 1", "theta value", "shift below", "a z"), ("", "", "1/4", "1/4")),
            name="theta1",
        ),
        Step(
            Fact("theta2 >= 15/4*a*z"),
            Follows(("share 2", "theta value", "shift below", "a z"), ("", "", "1/4", "1/4")),
            name="theta2",
        ),
        Step(
            Fact(
                "n**3/t**2 <= (sqrt(8)*a)**3/(15/4*a*z)**2",
                over=("n", "t"),
                where=("0 < n", "n <= sqrt(8)*a", "t >= 15/4*a*z"),
            ),
            Decide(),
            name="cubes",
        ),
        Step(
            Fact("4/9*(d/(d + 2))*((sqrt(8)*a)**3/(15/4*a*z)**2) <= 26/100*(sqrt(d)*a)*(1/z**2)"),
            Decide(),
            name="signal constant",
        ),
        Step(Fact("1/z**2 <= z**(1 - p)"), Decide(), name="signal rate"),
        Step(
            Fact("4/9*(d/(d + 2))*N**3/theta1**2 <= 26/100*(d*S)*z**(1 - p)"),
            Follows(
                (
                    "N below",
                    "theta1",
                    Use("cubes", {"n": "N", "t": "theta1"}),
                    "signal constant",
                    "signal rate",
                    "d S",
                ),
                ("", "", "4/9*(d/(d + 2))", "1", "26/100*(sqrt(d)*a)", "26/100*z**(1 - p)"),
            ),
            name="third",
        ),
        Step(
            Fact("t**(1 - p) <= (15/4*a*z)**(1 - p)", over=("t",), where=("t >= 15/4*a*z",)),
            Decide(),
            name="negative power",
        ),
        Step(
            Fact("a**p*(15/4*a*z)**(1 - p) == a*((15/4)**(1 - p)*z**(1 - p))"),
            Decide(),
            name="noise powers",
        ),
        Step(Fact("c**((p - 1)/2) <= sqrt(c)", over=("c",), where=("c >= 1",)), Decide(), name="lower power"),
        Step(Fact("3*d/(d + 2) >= 1"), Decide(), name="ratio above"),
        Step(Fact("sqrt(3*d/(d + 2)) <= sqrt(d)"), Decide(), name="ratio root"),
        Step(
            Fact("(3*d/(d + 2))**((p - 1)/2) <= sqrt(d)"),
            Follows(("ratio above", Use("lower power", {"c": "3*d/(d + 2)"}), "ratio root"), ("", "1", "1")),
            name="dimension",
        ),
        Step(Fact("(3*d/(d + 2))**((p - 1)/2) >= 0"), Decide(), name="dimension sign"),
        Step(
            Fact(
                "(3*d/(d + 2))**((p - 1)/2)*a**p*theta2**(1 - p)/(p - 1) <= (15/4)**(1 - p)/(p - 1)*(d*S)*z**(1 - p)"
            ),
            Follows(
                (
                    "theta2",
                    Use("negative power", {"t": "theta2"}),
                    "noise powers",
                    "dimension",
                    "d S",
                    "dimension sign",
                ),
                (
                    "",
                    "(3*d/(d + 2))**((p - 1)/2)*a**p/(p - 1)",
                    "(3*d/(d + 2))**((p - 1)/2)/(p - 1)",
                    "a*((15/4)**(1 - p)*z**(1 - p))/(p - 1)",
                    "(15/4)**(1 - p)*z**(1 - p)/(p - 1)",
                    "",
                ),
            ),
            name="fourth",
        ),
        Step(Fact("26/100*(d*S)*z**(1 - p) >= 0"), Decide(), name="third sign"),
        Step(Fact("(15/4)**(1 - p)/(p - 1)*(d*S)*z**(1 - p) >= 0"), Decide(), name="fourth sign"),
        Step(
            Fact(f"{_DEVIATION_A} <= {_C}*(d*S)*(z**(1 - p)*sqrt(1 + log(y)))"),
            Follows(
                ("first", "second", "third", "fourth", "third sign", "fourth sign", "root above", "log sign"),
                (
                    "1",
                    "1",
                    "1",
                    "1",
                    "0",
                    "0",
                    "(26/100 + (15/4)**(1 - p)/(p - 1))*(d*S)*z**(1 - p)",
                    "",
                ),
            ),
            name="sum",
        ),
        Step(
            Fact(f"{_DEVIATION_A} <= {TUNED}"),
            Follows(("sum", "rate", "root", "b", "log sign"), ("1", "", "", "", "")),
            name="levels",
        ),
        # ---- the deviation bound with a in place of sigma
        Step(
            Fact("(sigma/t)**p <= (a/t)**p", over=("t",), where=("t > 0",)),
            Decide(("sigma below",)),
            name="larger scale",
        ),
        Step(
            Fact("P(norm(zeta) > t) <= (a/t)**p", over=("t",), where=("t > 0",)),
            Follows(("weak Lp", "larger scale"), ("1", "1")),
            name="weak Lp of a",
        ),
        *GRADIENT_STEPS,
        Step(Fact("theta > 0"), Decide(), name="theta sign"),
        Step(
            Fact("tau == theta1/sqrt(d) + theta2/sqrt(d) + L*mu/2"),
            Decide(("share 1", "share 2", "threshold")),
            name="shares",
        ),
        Step(Fact("log(2/(delta/T)) == log(2*T/delta)"), Decide(), name="logs"),
        Step(Fact("h == log(2/(delta/T))"), Follows(("logs", "h")), name="level"),
        Step(Fact("delta/T > 0"), Decide(), name="rho sign"),
        Step(Fact("delta/T <= 1"), Decide(), name="rho"),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {_DEVIATION_A}) <= delta/T"),
            Cite(
                "app:sharp-deviation",
                {"sigma": "a", "rho": "delta/T"},
                using=("range", "rho sign", "rho", "level", "shares", "gradient"),
            ),
            name="deviation",
        ),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {TUNED}) <= P(norm(g - gradfmu(x)) > {_DEVIATION_A})"),
            ByRule("larger level", {"X": "norm(g - gradfmu(x))", "a": _DEVIATION_A, "b": TUNED}, using=("levels",)),
            name="larger",
        ),
        Step(
            Fact(f"P(norm(g - gradfmu(x)) > {TUNED}) <= delta/T"),
            Follows(("deviation", "larger"), ("1", "1")),
            name="tail",
        ),
        Step(Fact(f"{SHARP_C_P} <= 24", where=("p == 2",)), Decide(), name="at two"),
    ),
    concludes=(("tail",), ("at two",)),
    bound=TUNED,
    twins=(
        Twin("C_2 at most 23", {"<= 24": "<= 23"}),
        Twin("the 1.807 lowered to 1.7", {"1807/1000": "17/10"}),
        Twin("T reaching down to 2", {"T >= 3": "T >= 2"}),
    ),
)
STATEMENTS = (CONSTANT,)
