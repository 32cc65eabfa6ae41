"""Remarks on the query complexity of base RSC-ZO: no truth value as printed, so an explicit form is proved."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.statement import ByRule, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.convergence import EPS
from boundcheck.paper.deviation import C_P, DELTA, HORIZON_3
from boundcheck.paper.symbols import BATCH, GAP, SIGMA, D, L, P, S

PART = "Base: complexity"
INITIAL = Parameter("Delta0", "initial gap f(x_0) - f_*", ("Delta0 >= 0",))
#: A sufficient M/lambda: A^q (2 q^2 (1 + log A))^(q/2).
SUFFICIENT = "A**q*(2*q**2*(1 + log(A)))**(q/2)"
RADIUS = Fact("mu == eps/(8*L*d)")

EXPLICIT = Statement(
    label="rem:hp-shared-complexity",
    title="Complexity of base RSC-ZO, with explicit constants",
    kind="remark",
    part=PART,
    text="With mu = eps/(8 L d), q = p/(p-1) and A = 8 C_p d S_mu/eps, every M >= lambda A^q (2 q^2 (1 + log "
    "A))^(q/2) "
    "satisfies eta <= eps/4; moreover T <= 4 + 32 L Delta_0/eps^2 and d S_mu <= sqrt(d)(sqrt(L Delta_0) "
    "+ sigma) + eps/4.",
    parameters=(
        P,
        D,
        L,
        SIGMA,
        GAP,
        S,
        BATCH,
        HORIZON_3,
        DELTA,
        EPS,
        INITIAL,
        Parameter("q", "p/(p - 1)"),
        Parameter("A", "8 C_p d S_mu/eps"),
        Parameter("lam", "lambda = log(T/delta)"),
        Parameter("mu", "smoothing radius", ("mu > 0",)),
    ),
    hypotheses={
        "radius": RADIUS,
        "bar": Fact("Dbar == Delta0 + L*mu**2/2"),
        "scale": Fact("S == (sqrt(L*Dbar) + sigma)/sqrt(d) + L*mu"),
        "exponent": Fact("q == p/(p - 1)"),
        "ratio": Fact(f"A == 8*{C_P}*d*S/eps"),
        "horizon": Fact("T == max(3, ceil(32*L*Dbar/eps**2))"),
        "batch": Fact(f"M >= lam*({SUFFICIENT})"),
        "lambda": Fact("lam == log(T/delta)"),
        "regime": Fact("eps**2 <= 32*L*Dbar"),
    },
    claims=(
        Fact(f"{C_P}*d*S*(lam/M)**((p - 1)/p)*sqrt(1 + log(M/lam)) + L*mu <= eps/4"),
        Fact("T <= 4 + 32*L*Delta0/eps**2"),
        Fact("d*S <= sqrt(d)*(sqrt(L*Delta0) + sigma) + eps/4"),
    ),
    steps=(
        Step(Fact("L*mu <= eps/8"), Decide(("radius",)), "L mu = O(eps/d)", name="shift"),
        Step(Fact("d*L*mu == eps/8"), Decide(("radius",)), "d L mu = O(eps)", name="d shift"),
        Step(
            Fact("L*Dbar == L*Delta0 + eps**2/(128*d**2)"),
            Decide(("bar", "radius")),
            "bar Delta_0 = Delta_0 + O(eps^2/(L d^2))",
            name="gap",
        ),
        Step(Fact("max(3, ceil(a)) <= a + 3", over=("a",), where=("a >= 0",)), Decide(), name="rounding"),
        Step(Fact("eps**2/(128*d**2) <= eps**2/128"), Decide(), name="dimension"),
        Step(Fact("32*L*Dbar/eps**2 >= 0"), Decide(), name="positive"),
        Step(
            Fact("T <= 32*L*Dbar/eps**2 + 3"),
            Follows(("horizon", "positive", Use("rounding", {"a": "32*L*Dbar/eps**2"}))),
            name="steps",
        ),
        Step(
            Fact("T <= 13/4 + 32*L*Delta0/eps**2"),
            Follows(("steps", "gap", "dimension"), ("1", "32/eps**2", "32/eps**2")),
            name="sharper horizon",
        ),
        Step(
            Fact("T <= 4 + 32*L*Delta0/eps**2"),
            Follows(("sharper horizon",)),
            "T = O(1 + L Delta_0/eps^2)",
            name="horizon bound",
        ),
        Step(
            Fact("sqrt(a + b**2) <= sqrt(a) + b", over=("a", "b"), where=("a >= 0", "b >= 0")),
            Decide(),
            name="root of a sum",
        ),
        Step(Fact("eps/(sqrt(128)*d) >= 0"), Decide(), name="share"),
        Step(Fact("L*Delta0 >= 0"), Decide(), name="gap sign"),
        Step(Fact("(eps/(sqrt(128)*d))**2 == eps**2/(128*d**2)"), Decide(), name="share squared"),
        Step(
            Fact("sqrt(L*Dbar) <= sqrt(L*Delta0) + eps/(sqrt(128)*d)"),
            ByRule(
                "root of a bound",
                {"a": "L*Dbar", "b": "L*Delta0 + (eps/(sqrt(128)*d))**2", "c": "sqrt(L*Delta0) + eps/(sqrt(128)*d)"},
                using=("gap", Use("root of a sum", {"a": "L*Delta0", "b": "eps/(sqrt(128)*d)"}), "share", "gap sign"),
            ),
            name="root gap",
        ),
        Step(
            Fact("d*S == sqrt(d)*(sqrt(L*Dbar) + sigma) + d*L*mu"),
            Decide(("scale",)),
            "d S_mu = sqrt(d)(sqrt(L bar Delta_0) + sigma) + d L mu",
            name="d scale",
        ),
        Step(Fact("sqrt(d)*(eps/(sqrt(128)*d)) <= eps/8"), Decide(), name="root share"),
        Step(
            Fact("d*S <= sqrt(d)*(sqrt(L*Delta0) + sigma) + eps/4"),
            Follows(("d scale", "root gap", "root share", "d shift"), ("1", "sqrt(d)", "1", "1")),
            "= sqrt(d)(sqrt(L Delta_0) + sigma) + O(eps)",
            name="scale bound",
        ),
        Step(Fact("q >= 2"), Decide(("exponent",)), "p <= 2", name="q"),
        Step(Fact("log(T/delta) >= log(3)"), Decide(), name="log three"),
        Step(Fact("log(3) > 1"), Decide(), name="three"),
        Step(Fact("lam >= 1"), Follows(("lambda", "log three", "three")), name="lam"),
        Step(Fact("sqrt(L*Dbar) >= eps/6"), Decide(("regime",)), name="regime root"),
        Step(Fact("sqrt(d) >= 1"), Decide(), name="root d"),
        Step(
            Fact("d*S >= sqrt(L*Dbar)"),
            Follows(("d scale", "root d"), ("", "sqrt(L*Dbar)")),
            name="scale above",
        ),
        Step(Fact(f"8*{C_P} >= 960"), Decide(), name="C_p"),
        Step(
            Fact(f"8*{C_P}*d*S/eps >= 1"),
            Follows(
                ("C_p", "scale above", "regime root"),
                ("d*S/eps", "960/eps", "960/eps"),
            ),
            name="ratio above",
        ),
        Step(Fact("A >= 1"), Follows(("ratio", "ratio above")), name="A"),
        Step(Fact("log(a) >= 0", over=("a",), where=("a >= 1",)), Decide(), name="log sign"),
        Step(
            Fact(f"log({SUFFICIENT}) == q*log(A) + q/2*(log(2*q**2) + log(1 + log(A)))"),
            Decide(("A", "q", Use("log sign", {"a": "A"}))),
            name="log sufficient",
        ),
        Step(Fact("log(1 + a) <= a", over=("a",), where=("a >= 0",)), Decide(), name="log"),
        Step(Fact("log(1 + a) >= 0", over=("a",), where=("a >= 0",)), Decide(), name="log nonnegative"),
        Step(Fact("1 + q/2*log(2*q**2) <= 2*q**2"), Decide(("q",)), "q >= 2", name="constant"),
        Step(Fact("3*q/2 <= 2*q**2"), Decide(("q",)), name="slope"),
        Step(
            Fact(f"1 + log({SUFFICIENT}) <= 2*q**2*(1 + log(A))"),
            Follows(
                (
                    "A",
                    "q",
                    Use("log sign", {"a": "A"}),
                    "log sufficient",
                    Use("log", {"a": "log(A)"}),
                    "constant",
                    "slope",
                ),
                ("", "", "", "1", "q/2", "1", "log(A)"),
            ),
            "1 + log y_0 <= 2 q^2 (1 + log A)",
            name="log bound",
        ),
        Step(
            Fact(
                "exp(-b/q)*sqrt(1 + b) <= exp(-a/q)*sqrt(1 + a)",
                over=("a", "b"),
                where=("q >= 2", "a >= 0", "a >= q/2 - 1", "b >= a"),
            ),
            Decide(),
            "y^(-1/q) sqrt(1 + log y) falls from log y = q/2 - 1 on (here b = log y)",
            name="falling",
        ),
        Step(
            Fact("y**(-1/q) == exp(-log(y)/q)", over=("y",), where=("y >= 1", "q >= 2")),
            Decide(),
            name="logarithmic",
        ),
        Step(Fact("log(a) <= log(b)", over=("a", "b"), where=("a >= 1", "a <= b")), Decide(), name="log monotone"),
        Step(Fact(f"{SUFFICIENT} >= 1"), Decide(("A", "q")), name="at least one"),
        Step(Fact("q/2*log(2*q**2) >= q/2 - 1"), Decide(("q",)), name="late"),
        Step(
            Fact(f"log({SUFFICIENT}) >= q/2 - 1"),
            Follows(
                (
                    "A",
                    "q",
                    Use("log sign", {"a": "A"}),
                    "log sufficient",
                    "late",
                    Use("log nonnegative", {"a": "log(A)"}),
                ),
                ("", "", "q", "-1", "1", "q/2"),
            ),
            name="late enough",
        ),
        Step(
            Fact(f"M/lam >= {SUFFICIENT}"),
            Follows(("lam", "A", "q", Use("log sign", {"a": "A"}), "batch"), ("", "", "", "", "1/lam")),
            name="batch ratio",
        ),
        Step(Fact("M/lam >= 1"), Follows(("lam", "batch ratio", "at least one")), name="ratio one"),
        Step(
            Fact(f"(M/lam)**(-1/q)*sqrt(1 + log(M/lam)) <= ({SUFFICIENT})**(-1/q)*sqrt(1 + log({SUFFICIENT}))"),
            Follows(
                (
                    "lam",
                    "q",
                    "at least one",
                    "late enough",
                    "batch ratio",
                    "ratio one",
                    Use("log sign", {"a": SUFFICIENT}),
                    Use("log monotone", {"a": SUFFICIENT, "b": "M/lam"}),
                    Use("logarithmic", {"y": "M/lam"}),
                    Use("logarithmic", {"y": SUFFICIENT}),
                    Use("falling", {"a": f"log({SUFFICIENT})", "b": "log(M/lam)"}),
                )
            ),
            name="fallen",
        ),
        Step(
            Fact("1 + log(M/lam) >= 1"),
            Follows(("lam", "ratio one", Use("log sign", {"a": "M/lam"}))),
            name="root",
        ),
        Step(
            Fact(f"({SUFFICIENT})**(-1/q) == 1/(A*sqrt(2*q**2*(1 + log(A))))"),
            Decide(("A", "q", Use("log sign", {"a": "A"}))),
            name="power",
        ),
        Step(
            Fact(f"sqrt(1 + log({SUFFICIENT})) <= sqrt(2*q**2*(1 + log(A)))"),
            ByRule(
                "root of a product",
                {"a": f"1 + log({SUFFICIENT})", "b": "2*q**2*(1 + log(A))", "c": "1"},
                using=("log bound", "late enough", "q", "A", Use("log sign", {"a": "A"})),
            ),
            name="root bound",
        ),
        Step(
            Fact(f"({SUFFICIENT})**(-1/q)*sqrt(1 + log({SUFFICIENT})) <= 1/A"),
            Follows(
                ("A", "q", Use("log sign", {"a": "A"}), "power", "root bound"),
                ("", "", "", "", "1/(A*sqrt(2*q**2*(1 + log(A))))"),
            ),
            name="one over A",
        ),
        Step(
            Fact("(lam/M)**((p - 1)/p) == (M/lam)**(-1/q)"),
            Decide(("lam", "exponent")),
            name="exponents",
        ),
        Step(Fact(f"{C_P}*d*S*(1/A) == eps/8"), Decide(("ratio",)), name="target"),
        Step(
            Fact(f"{C_P}*d*S*(lam/M)**((p - 1)/p)*sqrt(1 + log(M/lam)) <= eps/8"),
            Follows(
                ("lam", "root", "q", "A", "exponents", "fallen", "one over A", "target"),
                ("", "", "", "", "", f"{C_P}*d*S", f"{C_P}*d*S", "1"),
            ),
            "eta_0 <= eps/8",
            name="deviation",
        ),
        Step(
            Fact(f"{C_P}*d*S*(lam/M)**((p - 1)/p)*sqrt(1 + log(M/lam)) + L*mu <= eps/4"),
            Follows(("lam", "root", "deviation", "shift"), ("", "", "1", "1")),
            "eta = eta_0 + L mu <= eps/4",
            name="eta",
        ),
        Step(
            Fact("eps**(-2)*(sqrt(d)/eps)**(p/(p - 1)) == d**(p/(2*(p - 1)))*eps**(-(3*p - 2)/(p - 1))"),
            Decide(),
            "M T scales like d^(p/(2(p-1))) eps^(-(3p-2)/(p-1))",
            name="rate",
        ),
        Step(Fact("d**(2/(2*(2 - 1)))*eps**(-(3*2 - 2)/(2 - 1)) == d*eps**(-4)"), Decide(), "at p = 2: d eps^-4"),
    ),
    concludes=(("eta",), ("horizon bound",), ("scale bound",)),
    twins=(
        Twin("the radius eps/(8 L d) raised to eps/(3 L d)", {"mu == eps/(8*L*d)": "mu == eps/(3*L*d)"}),
        Twin("the factor 2 q^2 lowered to q", {"(2*q**2*(1 + log(A)))**(q/2)": "(q*(1 + log(A)))**(q/2)"}),
    ),
)

PRINTED = Statement(
    label="rem:hp-shared-complexity",
    title="Complexity of base RSC-ZO",
    kind="remark",
    part=PART,
    text="With mu of order eps/(L d), M of order log(T/delta)(sqrt(d)(sqrt(L Delta_0) + sigma)/eps)^(p/(p-1)) up to "
    "logarithms suffices, and 2MT = O~(L Delta_0 (sqrt(L Delta_0) + sigma)^(p/(p-1)) d^(p/(2(p-1))) "
    "eps^(-(3p-2)/(p-1))).",
    parameters=(D, L, EPS, Parameter("mu", "smoothing radius", ("mu > 0",))),
    steps=(
        Step(
            Fact("L*mu < eps/4", over=("c",), where=("c > 0", "mu == c*eps/(L*d)")),
            Decide(),
            "any mu of order eps/(L d) leaves room in eta <= eps/4",
            repair=Step(
                Fact("L*mu < eps/4", over=("c",), where=("c > 0", "c <= 1/8", "mu == c*eps/(L*d)")),
                Decide(),
                "a constant c <= 1/8 does (c < d/4 is needed)",
            ),
        ),
    ),
    claims=(),
    imprecise="the constants hidden in the orders of mu and M, and which logarithms are dropped, are not given",
    as_used=EXPLICIT,
    twins=EXPLICIT.twins,
)
PRINTED_MAIN = replace(PRINTED, label="rem:complexity", title="Query complexity (main text)")
STATEMENTS = (PRINTED, PRINTED_MAIN)
