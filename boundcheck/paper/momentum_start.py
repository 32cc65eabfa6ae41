"""Momentum RSC-ZO: the warm start."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace

from boundcheck.kernel.formula import parse, substitute
from boundcheck.kernel.statement import (
    ByRule,
    Cite,
    Decide,
    Fact,
    Follows,
    Parameter,
    Statement,
    Step,
    Twin,
)
from boundcheck.paper.deviation import LOCALIZED, LOCALIZED_BOUND
from boundcheck.paper.momentum_array import PART
from boundcheck.paper.momentum_estimator import BASE_ASSUMPTIONS
from boundcheck.paper.momentum_symbols import (
    BOUND_G,
    C_G,
    DELTA,
    RUNNING_RANDOM,
)
from boundcheck.paper.symbols import LOCAL

#: What the base statements call x, g, M, tau, at the warm start.
AT_START = {"x": "at(xs, 0)", "g": "at(gs, 0)", "M": "M0", "tau": "tau0"}


def at_start(fact: Fact, names: Mapping[str, str] = AT_START) -> Fact:
    """``fact`` for the warm start: x_0, g_0, M_0, tau_0 (what ``names`` says) in place of x, g, M, tau."""
    values = {k: parse(v, proof=True) for k, v in names.items()}
    return Fact(str(fact.relation.map(lambda e: substitute(e, values))), fact.over, fact.where)


START_BATCH = Parameter("M0", "warm-start batch size", ("M0 >= 1",), integer=True)
START_TAU = Parameter("tau0", "warm-start threshold", ("tau0 > 0",))
START_LAMBDA = Parameter("lam0", "lambda_0 = log(2/delta)", ("lam0 > 0",))
START_RATIO = Parameter("q0", "q_0 = lambda_0/M_0", ("q0 > 0", "q0 <= 1"))
INITIAL = Parameter("Delta0", "initial gap f(x_0) - f_*", ("Delta0 >= 0",))
GAP = Parameter("Dbar", "bar Delta_0", ("Dbar > 0",))
G_BOUND = f"{C_G}*d*S*q0**((p - 1)/p)*sqrt(1 + log(1/q0))"
_LEVEL = str(substitute(parse(LOCALIZED_BOUND), {"M": parse("M0"), "tau": parse("tau0"), "lam": parse("lam0")}))
START_ERROR = "norm(at(gs, 0) - gradfmu(at(xs, 0)))"
_RATE = "d*S*q0**((p - 1)/p)"
_LOG = "sqrt(1 + log(1/q0))"
_A = "8*d/sqrt(M0)*S**(p/2)*(8*S*q0**(-1/p))**(1 - p/2)"
_C = "sqrt(1 + log(8*q0**(-1/p)))"
_FIRST = "8*d/sqrt(M0)*S**(p/2)*tau0**(1 - p/2)*sqrt(1 + log(tau0/S))*(1 + sqrt(2*lam0))"
INITIAL_FACTS = {
    "initial gap": Fact("f(at(xs, 0)) - fstar == Delta0"),
    "bar": Fact("Dbar == Delta0 + L*mu**2/2"),
}
START_HYPOTHESES = {
    **{k: at_start(f) for k, f in LOCALIZED.hypotheses.items() if k not in ("lambda", "localized")},
    **INITIAL_FACTS,
    "start lambda": Fact("lam0 == log(2/delta)"),
    "start ratio": Fact("q0 == lam0/M0"),
    "start threshold": Fact("tau0 == 8*S*(M0/lam0)**(1/p)"),
}
START = (*LOCAL, DELTA, START_BATCH, START_TAU, START_LAMBDA, START_RATIO, INITIAL)


def start_event_steps(level: str) -> tuple[Step, ...]:
    """From P(error of g_0 > level) <= delta/2 ("deviation") and level <= G ("level G") to P(E_0) >= 1 - delta/2."""
    return (
        Step(
            Fact(f"P({START_ERROR} > G) <= P({START_ERROR} > {level})"),
            ByRule("larger level", {"X": START_ERROR, "a": level, "b": "G"}, using=("level G",)),
            name="smaller",
        ),
        Step(
            Fact(f"P({START_ERROR} <= G) == 1 - P(complement({START_ERROR} <= G))"),
            ByRule("complement", {"A": f"{START_ERROR} <= G"}),
            name="complement",
        ),
        Step(
            Fact(f"P(complement({START_ERROR} <= G)) == P({START_ERROR} > G)"),
            ByRule("negation", {"X": START_ERROR, "a": "G"}),
            name="negation",
        ),
        Step(
            Fact(f"P({START_ERROR} <= G) >= 1 - delta/2"),
            Follows(("complement", "negation", "smaller", "deviation"), ("", "", "1", "1")),
            "P(E_0) >= 1 - delta/2",
        ),
    )


WARM_START_USED = Statement(
    label="lem:momentum-warm-start",
    title="Warm-start deviation, with C_G = 126 + 2^(4-p)/(p-1)",
    kind="lemma",
    part=PART,
    text="With G = (126 + 2^(4-p)/(p-1)) d S_mu q_0^((p-1)/p) sqrt(1 + log(1/q_0)), q_0 = lambda_0/M_0: "
    "|g_0 - grad f_mu(x_0)| <= G with probability at least 1 - delta/2.",
    parameters=(*START, BOUND_G),
    random=RUNNING_RANDOM,
    assumes=BASE_ASSUMPTIONS,
    hypotheses={**START_HYPOTHESES, "G": Fact(f"G == {G_BOUND}")},
    claims=(Fact(f"P({START_ERROR} <= G) >= 1 - delta/2"),),
    steps=(
        Step(
            Fact("f(at(xs, 0)) - fstar <= 4*Dbar"),
            Follows(("initial gap", "bar")),
            "f(x_0) - f_* <= bar Delta_0 <= 4 bar Delta_0",
            name="localized",
        ),
        Step(Fact("log(1/(delta/2)) == log(2/delta)"), Decide(), name="log"),
        Step(Fact("lam0 == log(1/(delta/2))"), Follows(("start lambda", "log")), name="lambda"),
        Step(Fact("log(2/delta) >= log(2)"), Decide(), name="log two"),
        Step(Fact("lam0 >= log(2)"), Follows(("start lambda", "log two")), name="level"),
        Step(Fact("(M0/lam0)**(1/p) == q0**(-1/p)"), Decide(("start ratio",)), name="power"),
        Step(Fact("tau0 == 8*S*q0**(-1/p)"), Follows(("start threshold", "power")), name="tau0"),
        Step(Fact("8*S*q0**(-1/p) >= 4*S"), Decide(), name="4S"),
        Step(Fact("tau0 >= 4*S"), Follows(("tau0", "4S")), name="threshold"),
        Step(
            Fact(f"P({START_ERROR} > {_LEVEL}) <= delta/2"),
            Cite(
                "cor:hp-shared-localized",
                {**AT_START, "T": "1", "delta": "delta/2", "lam": "lam0"},
                using=("threshold",),
            ),
            "the localized deviation bound with failure probability delta/2",
            name="deviation",
        ),
        Step(
            Fact(f"8*d/sqrt(M0)*S**(p/2)*(8*S*q0**(-1/p))**(1 - p/2)*sqrt(lam0) == 8*8**(1 - p/2)*({_RATE})"),
            Decide(("start ratio",)),
            name="first",
        ),
        Step(
            Fact("1 + sqrt(2*lam0) <= 262/100*sqrt(lam0)"), Decide(("level",)), "lambda_0 >= log 2", name="lambda root"
        ),
        Step(Fact("8*S*q0**(-1/p)/S == 8*q0**(-1/p)"), Decide(), name="ratio"),
        Step(Fact("1 + log(8*q0**(-1/p)) <= (1 + log(8))*(1 + log(1/q0))"), Decide(), name="log split"),
        Step(Fact("1 + log(8*q0**(-1/p)) >= 0"), Decide(), name="log sign"),
        Step(Fact("1 + log(1/q0) >= 0"), Decide(), name="log q"),
        Step(
            Fact(f"sqrt(1 + log(8*q0**(-1/p))) <= sqrt(1 + log(8))*{_LOG}"),
            ByRule(
                "root of a product",
                {"a": "1 + log(8*q0**(-1/p))", "b": "1 + log(8)", "c": "1 + log(1/q0)"},
                using=("log split", "log sign", "log q"),
            ),
            name="root",
        ),
        Step(Fact("8*8**(1 - p/2)*(262/100)*sqrt(1 + log(8)) <= 104.5"), Decide(), name="constant"),
        Step(
            Fact(f"{_FIRST} <= 104.5*({_RATE})*{_LOG}"),
            Follows(
                ("tau0", "ratio", "log sign", "log q", "lambda root", "first", "root", "constant"),
                (
                    "",
                    "",
                    "",
                    "",
                    f"{_A}*{_C}",
                    f"262/100*{_C}",
                    f"262/100*8*8**(1 - p/2)*({_RATE})",
                    f"({_RATE})*{_LOG}",
                ),
            ),
            "8 sqrt(8) sqrt(1 + log 8) 2.62 <= 104.5",
            name="first term",
        ),
        Step(Fact(f"8*d*(8*S*q0**(-1/p))/(3*M0)*lam0 == 64/3*({_RATE})"), Decide(("start ratio",)), name="linear"),
        Step(
            Fact(f"2**(2*p + 1)/(p - 1)*d*S**p*(8*S*q0**(-1/p))**(1 - p) == 2**(4 - p)/(p - 1)*({_RATE})"),
            Decide(),
            name="bias",
        ),
        Step(Fact(f"{_LOG} >= 1"), Decide(), name="root log"),
        Step(Fact(f"({_RATE}) >= 0"), Decide(), name="rate sign"),
        Step(Fact("2**(4 - p)/(p - 1) >= 0"), Decide(), name="bias sign"),
        Step(Fact("(104.5 + 64/3)*r*w <= 126*r*w", over=("r", "w"), where=("r >= 0", "w >= 0")), Decide(), name="sum"),
        Step(
            Fact(f"8*d*tau0/(3*M0)*lam0 <= 64/3*({_RATE})*{_LOG}"),
            Follows(("tau0", "linear", "root log"), ("", "1", f"64/3*({_RATE})")),
            name="second term",
        ),
        Step(
            Fact(f"2**(2*p + 1)/(p - 1)*d*S**p*tau0**(1 - p) <= 2**(4 - p)/(p - 1)*({_RATE})*{_LOG}"),
            Follows(("tau0", "bias", "root log"), ("", "1", f"2**(4 - p)/(p - 1)*({_RATE})")),
            name="third term",
        ),
        Step(Fact("1 + log(tau0/S) >= 0"), Decide(("threshold",)), name="log tau0"),
        Step(
            Fact(f"{_LEVEL} <= {G_BOUND}"),
            Follows(
                ("log q", "log tau0", "first term", "second term", "third term", "rate sign", "root log"),
                ("", "", "1", "1", "1", f"(126 - 104.5 - 64/3)*{_LOG}", ""),
            ),
            "104.5 + 64/3 <= 126",
            name="levels",
        ),
        Step(Fact(f"{_LEVEL} <= G"), Follows(("log tau0", "log q", "levels", "G"), ("", "", "1", "")), name="level G"),
        *start_event_steps(_LEVEL),
    ),
    bound=G_BOUND,
)
WARM_START = replace(
    WARM_START_USED,
    title="Warm-start deviation",
    text="If C_G is sufficiently large, |g_0 - grad f_mu(x_0)| <= G with probability at least 1 - delta/2.",
    claims=(),
    steps=(),
    imprecise="C_G is to be a sufficiently large absolute constant; none is independent of p",
    as_used=WARM_START_USED,
    twins=(
        Twin("the 126 of C_G lowered to 120", {"(126 + ": "(120 + ", "126*r*w": "120*r*w", "(126 - ": "(120 - "}),
        Twin("the bias constant 2^(4-p) lowered to 2^(3.99-p)", {"2**(4 - p)": "2**(3.99 - p)"}),
    ),
)

STATEMENTS = (WARM_START,)
