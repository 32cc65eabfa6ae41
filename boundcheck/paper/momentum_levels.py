"""Momentum RSC-ZO: the two levels of the Freedman bound and their sum, U with C_U = 112."""

from __future__ import annotations

from boundcheck.kernel.statement import (
    ByRule,
    Decide,
    Fact,
    Follows,
    Step,
)
from boundcheck.paper.momentum_symbols import U_BOUND

R = "(1 - beta)*(2*d*tau/M)"
MOMENT = "64*d**2/M**2*(S**p*tau**(2 - p))*(1 + log(tau/S))"
V = "64*d**2*(1 - beta)/M*(S**p*tau**(2 - p))*(1 + log(tau/S))"
RATE = "d*S*q**((p - 1)/p)"
LOG = "sqrt(1 + log(1/q))"
#: Steps after the bounds R and V are known (V lambda >= 0 in "V sign"), with lambda = log(2T/delta).
LEVEL_STEPS = (
    Step(Fact("exp(-log(2*T/delta)) == delta/(2*T)"), Decide(), name="probability"),
    Step(
        Fact(f"(1 - beta)*(2*d*(8*S*q**(-1/p))/M)*lam == 16*{RATE}"),
        Decide(("ratio",)),
        "R lambda = 16 d S_mu q^((p-1)/p)",
        name="linear",
    ),
    Step(
        Fact(f"64*d**2*(1 - beta)/M*(S**p*(8*S*q**(-1/p))**(2 - p))*lam == 64*8**(2 - p)*({RATE})**2"),
        Decide(("ratio",)),
        name="V lambda",
    ),
    Step(Fact("8*S*q**(-1/p)/S == 8*q**(-1/p)"), Decide(), name="tau over S"),
    Step(Fact("1 + log(8*q**(-1/p)) <= (1 + log(8))*(1 + log(1/q))"), Decide(), name="log split"),
    Step(Fact("1 + log(8*q**(-1/p)) >= 0"), Decide(), name="log sign"),
    Step(
        Fact(f"({V})*lam == 64*8**(2 - p)*({RATE})**2*(1 + log(8*q**(-1/p)))"),
        Follows(("tau", "V lambda", "tau over S"), ("", "-(1 + log(8*q**(-1/p)))", "")),
        name="V lambda form",
    ),
    Step(
        Fact(f"({V})*lam <= (8*8**(1 - p/2)*({RATE}))**2*((1 + log(8))*(1 + log(1/q)))"),
        Follows(("V lambda form", "log split"), ("1", f"64*8**(2 - p)*({RATE})**2")),
        name="V lambda bound",
    ),
    Step(Fact("(1 + log(8))*(1 + log(1/q)) >= 0"), Decide(), name="logs"),
    Step(Fact(f"({V})*lam >= 0"), Follows(("V sign",), ("lam",)), name="V lambda sign"),
    Step(
        Fact(f"sqrt(({V})*lam) <= sqrt((8*8**(1 - p/2)*({RATE}))**2)*sqrt((1 + log(8))*(1 + log(1/q)))"),
        ByRule(
            "root of a product",
            {"a": f"({V})*lam", "b": f"(8*8**(1 - p/2)*({RATE}))**2", "c": "(1 + log(8))*(1 + log(1/q))"},
            using=("V lambda bound", "V lambda sign", "logs"),
        ),
        name="root",
    ),
    Step(Fact(f"sqrt((8*8**(1 - p/2)*({RATE}))**2) == 8*8**(1 - p/2)*({RATE})"), Decide(), name="root of square"),
    Step(Fact(f"sqrt((1 + log(8))*(1 + log(1/q))) == sqrt(1 + log(8))*{LOG}"), Decide(), name="root of logs"),
    Step(Fact("8*8**(1 - p/2)*sqrt(1 + log(8)) <= 40"), Decide(), name="forty"),
    Step(Fact(f"{RATE}*{LOG} >= 0"), Decide(), name="rate sign"),
    Step(Fact(f"{LOG} >= 1"), Decide(), name="root log"),
    Step(
        Fact(f"sqrt(({V})*lam) <= 40*{RATE}*{LOG}"),
        Follows(
            ("V lambda sign", "rate sign", "root of square", "root of logs", "root", "forty"),
            ("", "", "", "", "1", f"{RATE}*{LOG}"),
        ),
        "sqrt(V lambda) <= 40 d S_mu q^((p-1)/p) sqrt(1 + log(1/q))",
        name="quadratic",
    ),
    Step(
        Fact(f"{R}*lam == 16*{RATE}"),
        Follows(("tau", "linear")),
        name="R lambda",
    ),
    Step(
        Fact(f"2*(sqrt(({V})*lam) + {R}*lam) <= {U_BOUND}"),
        Follows(("V lambda sign", "R lambda", "quadratic", "root log"), ("", "", "2", f"32*{RATE}")),
        "2 (40 + 16) = 112",
        name="levels",
    ),
)
