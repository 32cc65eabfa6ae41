"""Remarks on the momentum method: explicit batch sizes, effective batch size, and a batch of one."""

from __future__ import annotations

from boundcheck.kernel.statement import Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.complexity import EXPLICIT, SUFFICIENT
from boundcheck.paper.convergence import EPS
from boundcheck.paper.momentum_array import PART
from boundcheck.paper.momentum_symbols import BETA, C_B, C_G, C_U, DELTA
from boundcheck.paper.symbols import GAP, D, L, P, S

RATIO_A = Parameter("A", "C d S_mu/(c eps)", ("A >= 1",))
EXPONENT = Parameter("q", "p/(p - 1)", ("q >= 2",))
_GENERIC = (
    "log sign", "log sufficient", "log", "log nonnegative", "constant", "slope", "log bound", "falling",
    "logarithmic", "log monotone",
    "at least one", "late", "late enough", "power", "root bound", "one over A",
)  # fmt: skip
SUFFICIENT_BATCH = Statement(
    label="app:sufficient-batch",
    title="A sufficient batch size, for any constant",
    kind="lemma",
    part=PART,
    text="If A >= 1, q >= 2 and w >= A^q (2 q^2 (1 + log A))^(q/2), then A w^(-1/q) sqrt(1 + log w) <= 1.",
    parameters=(EXPONENT, RATIO_A, Parameter("w", "effective batch over lambda", ("w >= 1",))),
    hypotheses={"q": Fact("q >= 2"), "A": Fact("A >= 1"), "batch": Fact(f"w >= {SUFFICIENT}")},
    claims=(Fact("A*w**(-1/q)*sqrt(1 + log(w)) <= 1"),),
    steps=(
        *(s for s in EXPLICIT.steps if s.name in _GENERIC),
        Step(
            Fact(f"w**(-1/q)*sqrt(1 + log(w)) <= ({SUFFICIENT})**(-1/q)*sqrt(1 + log({SUFFICIENT}))"),
            Follows(
                (
                    "q",
                    "at least one",
                    "late enough",
                    "batch",
                    Use("log sign", {"a": SUFFICIENT}),
                    Use("log monotone", {"a": SUFFICIENT, "b": "w"}),
                    Use("logarithmic", {"y": "w"}),
                    Use("logarithmic", {"y": SUFFICIENT}),
                    Use("falling", {"a": f"log({SUFFICIENT})", "b": "log(w)"}),
                )
            ),
            name="fallen",
        ),
        Step(
            Fact("A*w**(-1/q)*sqrt(1 + log(w)) <= 1"),
            Follows(("A", "at least one", "late enough", "fallen", "one over A"), ("", "", "", "A", "A")),
        ),
    ),
    twins=(Twin("the factor 2 q^2 lowered to q", {"(2*q**2*(1 + log(A)))**(q/2)": "(q*(1 + log(A)))**(q/2)"}),),
)

# ---------------------------------------------------------------- explicit batch sizes

_SUFFICIENT_0 = SUFFICIENT.replace("log(A)", "log(A0)").replace("A**q", "A0**q")
_A = f"13*({C_U} + {C_B})*d*S/eps"
_A0 = f"2*{C_G}*d*S/eps"
BATCHES = Statement(
    label="rem:momentum-complexity",
    title="Query complexity of momentum RSC-ZO, with explicit constants",
    kind="remark",
    part=PART,
    text="With q = p/(p-1), A_0 = 2 C_G d S_mu/eps and A = 13 (112 + C_B) d S_mu/eps: M_0 >= lambda_0 A_0^q (2 q^2 "
    "(1 + log A_0))^(q/2) "
    "gives G <= eps/2, and M >= (1-beta) lambda A^q (2 q^2 (1 + log A))^(q/2) gives U <= eps/13 and B <= eps/13.",
    parameters=(
        P,
        D,
        L,
        GAP,
        S,
        EPS,
        Parameter("mu", "smoothing radius", ("mu > 0",)),
        Parameter("sigma", "noise level", ("sigma > 0",)),
        Parameter("q", "p/(p - 1)"),
        Parameter("A", "13 (C_U + C_B) d S_mu/eps"),
        Parameter("A0", "2 C_G d S_mu/eps"),
        Parameter("y", "M/((1 - beta) lambda)", ("y >= 1",)),
        Parameter("y0", "M_0/lambda_0", ("y0 >= 1",)),
    ),
    hypotheses={
        "scale": Fact("S == (sqrt(L*Dbar) + sigma)/sqrt(d) + L*mu"),
        "regime": Fact("eps**2 <= 32*L*Dbar"),
        "exponent": Fact("q == p/(p - 1)"),
        "ratio": Fact(f"A == {_A}"),
        "ratio 0": Fact(f"A0 == {_A0}"),
        "batch": Fact(f"y >= {SUFFICIENT}"),
        "batch 0": Fact(f"y0 >= {_SUFFICIENT_0}"),
    },
    claims=(
        Fact(f"{C_G}*d*S*y0**(-1/q)*sqrt(1 + log(y0)) <= eps/2"),
        Fact(f"{C_U}*d*S*y**(-1/q)*sqrt(1 + log(y)) <= eps/13"),
        Fact(f"{C_B}*d*S*y**(-1/q) <= eps/13"),
    ),
    steps=(
        Step(Fact("sqrt(L*Dbar) >= eps/6"), Decide(("regime",)), name="regime root"),
        Step(Fact("sqrt(d) >= 1"), Decide(), name="root d"),
        Step(Fact("d*S == sqrt(d)*(sqrt(L*Dbar) + sigma) + d*L*mu"), Decide(("scale",)), name="d scale"),
        Step(
            Fact("d*S >= sqrt(L*Dbar)"),
            Follows(("d scale", "root d"), ("", "sqrt(L*Dbar)")),
            name="scale above",
        ),
        Step(Fact("q >= 2"), Decide(("exponent",)), name="q"),
        Step(Fact("d*S >= eps/6"), Follows(("regime root", "scale above")), name="dS"),
        Step(Fact(f"{C_B} >= 0"), Decide(), name="C_B"),
        Step(Fact("13*(112 + c)*s/eps >= 1", over=("c", "s"), where=("c >= 0", "s >= eps/6")), Decide(), name="large"),
        Step(
            Fact("2*(126 + c)*s/eps >= 1", over=("c", "s"), where=("c >= 0", "s >= eps/6")), Decide(), name="large 0"
        ),
        Step(Fact("13*(112 + c)*(d*S)/eps == 13*(112 + c)*d*S/eps", over=("c",)), Decide(), name="form"),
        Step(Fact("2*(126 + c)*(d*S)/eps == 2*(126 + c)*d*S/eps", over=("c",)), Decide(), name="form 0"),
        Step(
            Fact(f"{_A} >= 1"),
            Follows(("C_B", "dS", Use("large", {"c": C_B, "s": "d*S"}), Use("form", {"c": C_B})), ("", "", "1", "1")),
            name="A large",
        ),
        Step(
            Fact(f"{_A0} >= 1"),
            Follows(
                ("C_B", "dS", Use("large 0", {"c": C_B, "s": "d*S"}), Use("form 0", {"c": C_B})), ("", "", "1", "1")
            ),
            name="A0 large",
        ),
        Step(Fact("A >= 1"), Follows(("A large", "ratio"), ("1", "-1")), name="A"),
        Step(Fact("A0 >= 1"), Follows(("A0 large", "ratio 0"), ("1", "-1")), name="A0"),
        Step(
            Fact("A*y**(-1/q)*sqrt(1 + log(y)) <= 1"),
            Cite("app:sufficient-batch", {"w": "y"}, using=("q", "A")),
            name="rate",
        ),
        Step(Fact(f"y0 >= {_SUFFICIENT_0}"), Follows(("batch 0",))),
        Step(
            Fact("A0*y0**(-1/q)*sqrt(1 + log(y0)) <= 1"),
            Cite("app:sufficient-batch", {"A": "A0", "w": "y0"}, using=("q", "A0")),
            name="rate 0",
        ),
        Step(Fact("y**(-1/q)*sqrt(1 + log(y)) >= 0"), Decide(("q",)), name="sign"),
        Step(Fact("y0**(-1/q)*sqrt(1 + log(y0)) >= 0"), Decide(("q",)), name="sign 0"),
        Step(Fact("sqrt(1 + log(y)) >= 1"), Decide(), name="root"),
        Step(Fact("y**(-1/q) >= 0"), Decide(("q",)), name="power"),
        Step(
            Fact(f"{C_G}*d*S*y0**(-1/q)*sqrt(1 + log(y0)) <= eps/2"),
            Follows(("q", "rate 0", "ratio 0"), ("", "eps/2", "-eps/2*y0**(-1/q)*sqrt(1 + log(y0))")),
            "G <= eps/2",
            name="G",
        ),
        Step(
            Fact(f"({C_U} + {C_B})*d*S*y**(-1/q)*sqrt(1 + log(y)) <= eps/13"),
            Follows(("q", "rate", "ratio"), ("", "eps/13", "-eps/13*y**(-1/q)*sqrt(1 + log(y))")),
            name="U + B",
        ),
        Step(Fact("d*S*(y**(-1/q)*sqrt(1 + log(y))) >= 0"), Follows(("q", "sign"), ("", "d*S")), name="rate sign"),
        Step(
            Fact(f"{C_U}*d*S*y**(-1/q)*sqrt(1 + log(y)) <= eps/13"),
            Follows(
                ("q", "power", "root", "sign", "U + B", "C_B"), ("", "", "", "", "1", "d*S*y**(-1/q)*sqrt(1 + log(y))")
            ),
            "U <= eps/13",
            name="U",
        ),
        Step(
            Fact(f"{C_B}*d*S*y**(-1/q) <= eps/13"),
            Follows(
                ("q", "C_B", "power", "U + B", "root", "rate sign"),
                ("", "", "", "1", f"{C_B}*d*S*y**(-1/q)", C_U),
            ),
            "B <= eps/13",
            name="B",
        ),
        Step(
            Fact("L*Dbar/eps**2*(sqrt(d)/eps)**(p/(p - 1)) == L*Dbar*d**(p/(2*(p - 1)))*eps**(-(3*p - 2)/(p - 1))"),
            Decide(),
            "(1-beta) in M and 1/(1-beta) in T cancel: the order of the base method",
        ),
    ),
    concludes=(("G",), ("U",), ("B",)),
)
COMPLEXITY = Statement(
    label="rem:momentum-complexity",
    title="Query complexity and momentum tradeoff",
    kind="remark",
    part=PART,
    text="Q_MOM = 2 M_0 + 2 M (T-1) has the order of the base method up to logarithms and the additive warm start; M "
    "falls by 1-beta, "
    "T grows by 1/(1-beta).",
    imprecise="the orders hide constants that depend on p and logarithms of all parameters",
    as_used=BATCHES,
    twins=(Twin("the factor 2 q^2 lowered to q", {"(2*q**2*(1 + log(A)))**(q/2)": "(q*(1 + log(A)))**(q/2)"}),),
)

INTERPRETATION = Statement(
    label="rem:interpretation",
    title="Effective batch size of the momentum buffer",
    kind="remark",
    part=PART,
    text="(1-beta) lambda/M = lambda/M_eff with M_eff = M/(1-beta): the bounds of the running phase are those of a "
    "batch of that size.",
    parameters=(
        BETA,
        Parameter("M", "running batch size", ("M >= 1",), integer=True),
        Parameter("lam", "lambda", ("lam > 0",)),
    ),
    claims=(Fact("(1 - beta)*lam/M == lam/(M/(1 - beta))"),),
    steps=(Step(Fact("(1 - beta)*lam/M == lam/(M/(1 - beta))"), Decide()),),
    twins=(Twin("M_eff = M/(1-beta)^2", {"lam/(M/(1 - beta))": "lam/(M/(1 - beta)**2)"}),),
)

_STEPS = "512*sqrt(3)*L*Dbar/(k*eps**2)"
UNIT_BATCH_USED = Statement(
    label="rem:momentum-unit-batch",
    title="A batch of one, with an explicit beta",
    kind="remark",
    part=PART,
    text="With r = A^-q (2 q^2 (1 + log A))^(-q/2) <= 1, a = 4 (512 sqrt(3) L bar Delta_0/eps^2 + 3)/delta, l = "
    "log(a/r) and "
    "1 - beta = r/(2 l): M = 1 satisfies M >= (1-beta) lambda/r, so rem:momentum-complexity applies; beta is in "
    "[1/2, 1).",
    parameters=(
        L,
        GAP,
        EPS,
        DELTA,
        Parameter("T", "number of steps", ("T >= 1",), integer=True),
        Parameter("lam", "lambda = log(2T/delta)"),
        Parameter("k", "1 - beta", ("k > 0",)),
        Parameter("r", "largest (1 - beta) lambda/M", ("r > 0", "r <= 1")),
        Parameter("a", "4 (X + 3)/delta"),
        Parameter("ell", "log(a/r)"),
        Parameter("X", "512 sqrt(3) L bar Delta_0/eps^2", ("X > 0",)),
    ),
    hypotheses={
        "X": Fact("X == 512*sqrt(3)*L*Dbar/eps**2"),
        "a": Fact("a == 4*(X + 3)/delta"),
        "l": Fact("ell == log(a/r)"),
        "k": Fact("k == r/(2*ell)"),
        "horizon": Fact(f"T == ceil({_STEPS}) + 2"),
        "lambda": Fact("lam == log(2*T/delta)"),
    },
    claims=(Fact("k*lam <= r"), Fact("k <= 1/2")),
    steps=(
        Step(Fact("4*(X + 3)/delta >= 12"), Decide(), name="twelve"),
        Step(Fact("a >= 12"), Follows(("a", "twelve"), ("-1", "1")), name="a large"),
        Step(Fact("a/r >= 12"), Decide(("a large",)), name="a over r"),
        Step(Fact("log(b) >= 1", over=("b",), where=("b >= 12",)), Decide(), name="log"),
        Step(Fact("ell >= 1"), Follows(("a over r", "l", Use("log", {"b": "a/r"})), ("", "-1", "1")), name="ell"),
        Step(Fact("r/(2*e) <= 1/2", over=("e",), where=("e >= 1",)), Decide(), name="half"),
        Step(
            Fact("k <= 1/2"),
            Follows(("ell", "k", Use("half", {"e": "ell"})), ("", "", "1")),
            "beta >= 1/2",
            name="k half",
        ),
        Step(Fact("ceil(b) <= b + 1", over=("b",)), Decide(), name="ceil"),
        Step(Fact(f"{_STEPS} == X/k"), Follows(("X",)), name="steps"),
        Step(Fact("T <= X/k + 3"), Follows(("horizon", "steps", Use("ceil", {"b": _STEPS}))), name="T"),
        Step(Fact("X/k + 3 <= (X + 3)/k"), Decide(("k half",)), name="T above"),
        Step(Fact("k*(2*ell) == r"), Decide(("k", "ell")), name="k ell"),
        Step(
            Fact("2*((X + 3)/k)/delta == a/r*ell"),
            Decide(("a", "k", "ell")),
            name="argument",
        ),
        Step(
            Fact("2*T/delta <= a/r*ell"),
            Follows(("T", "T above", "argument"), ("2/delta", "2/delta", "1")),
            name="below",
        ),
        Step(Fact("log(b) <= log(c)", over=("b", "c"), where=("b > 0", "b <= c")), Decide(), name="monotone"),
        Step(Fact("2*T/delta > 0"), Decide(), name="positive"),
        Step(
            Fact("lam <= log(a/r*ell)"),
            Follows(
                ("a over r", "ell", "positive", "below", "lambda", Use("monotone", {"b": "2*T/delta", "c": "a/r*ell"}))
            ),
            name="lambda below",
        ),
        Step(
            Fact("log(b*e) == log(b) + log(e)", over=("b", "e"), where=("b >= 1", "e >= 1")), Decide(), name="product"
        ),
        Step(Fact("log(e) <= e", over=("e",), where=("e >= 1",)), Decide(), name="log below"),
        Step(
            Fact("lam <= 2*ell"),
            Follows(
                (
                    "a over r",
                    "ell",
                    "l",
                    "lambda below",
                    Use("product", {"b": "a/r", "e": "ell"}),
                    Use("log below", {"e": "ell"}),
                ),
                ("", "", "-1", "1", "1", "1"),
            ),
            name="lam",
        ),
        Step(Fact("k*lam <= r"), Follows(("lam", "k ell"), ("k", "1")), "(1-beta) lambda <= r", name="unit"),
    ),
    concludes=(("unit",), ("k half",)),
)
UNIT_BATCH = Statement(
    label="rem:momentum-unit-batch",
    title="A batch of one",
    kind="remark",
    part=PART,
    text="beta = 1 - Theta~((eps/R_mu)^(p/(p-1))) and T = O~(L bar Delta_0/eps^2 (R_mu/eps)^(p/(p-1))) suffice with "
    "M = 1.",
    imprecise="the order of 1 - beta hides a constant and logarithms, and T, lambda depend on beta",
    as_used=UNIT_BATCH_USED,
    twins=(Twin("1 - beta = r/(2 l) raised to r/l", {"k == r/(2*ell)": "k == r/ell"}),),
)
STATEMENTS = (SUFFICIENT_BATCH, COMPLEXITY, INTERPRETATION, UNIT_BATCH)
