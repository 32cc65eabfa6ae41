"""Momentum RSC-ZO: the stopped weighted fluctuation and the clipping bias along the trajectory."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.paper.momentum_estimator import BASE_ASSUMPTIONS, RANGE, VARIANCE
from boundcheck.paper.momentum_freedman import ARRAY_SUM
from boundcheck.paper.momentum_levels import LEVEL_STEPS, MOMENT, R, V
from boundcheck.paper.momentum_symbols import (
    BOUND_U,
    L_S,
    RUNNING,
    RUNNING_HYPOTHESES,
    RUNNING_RANDOM,
    THRESHOLD,
    U_BOUND,
)
from boundcheck.statement import ByRule, Cite, Decide, Fact, Follows, Statement, Step, Twin, Use

PART = "Momentum"
_SUM = ARRAY_SUM.replace(", 1, n)", ", 1, t)").replace("at(X,", "at(at(X, t),")
_WEIGHT = f"beta**(t - s)*(1 - beta)*ind({L_S})"
_PLAIN = "beta**(t - s)*(1 - beta)"
_BAD = "norm(at(zst, t)) > U"
_ROWS = ("s >= 1", "s <= t")

FLUCTUATION_USED = Statement(
    label="lem:momentum-stopped-fluctuation",
    title="Stopped weighted fluctuation, with C_U = 112",
    kind="lemma",
    part=PART,
    text="With U = 112 d S_mu q^((p-1)/p) sqrt(1 + log(1/q)), q = (1-beta) lambda/M: P(|z_t| > U) <= delta/(2T) for "
    "every t < T, and |z_t| <= U for all t < T at once with probability at least 1 - delta/2.",
    parameters=(*RUNNING, BOUND_U),
    random=RUNNING_RANDOM,
    assumes=BASE_ASSUMPTIONS,
    hypotheses={
        **RUNNING_HYPOTHESES,
        "array": Fact(f"at(at(X, t), s, l) == {_WEIGHT}*at(W, s, l)", over=("s", "l", "t"), where=_ROWS),
        "known": Fact(f"measurable({_WEIGHT}, at(H, s, l - 1)) == 1", over=("s", "l", "t")),
        "known squared": Fact(f"measurable(({_PLAIN})**2*ind({L_S}), at(H, s, l - 1)) == 1", over=("s", "l", "t")),
        "stopped": Fact(f"at(zst, t) == {_SUM}", over=("t",)),
        "U": Fact(f"U == {U_BOUND}"),
    },
    claims=(
        Fact(f"P({_BAD}) <= delta/(2*T)", over=("t",), where=("t >= 1", "t <= T - 1")),
        Fact(f"P(meet(complement({_BAD}), t, 1, T - 1)) >= 1 - delta/2"),
    ),
    steps=(
        *THRESHOLD,
        Step(
            Fact(f"norm(X1) <= {RANGE}"),
            Cite("lem:momentum-onestep-estimator", using=("tau above",), part=1, as_used=True),
            name="W range",
        ),
        Step(
            Fact(f"M*E(norm(X1)**2) <= {VARIANCE}"),
            Cite("lem:momentum-onestep-estimator", using=("tau above",), part=2, as_used=True),
            name="W variance",
        ),
        Step(
            Fact("E(X1) == 0"),
            Cite("lem:momentum-onestep-estimator", using=("tau above",), part=3, as_used=True),
            name="W centred",
        ),
        Step(Fact(f"E(norm(X1)**2) <= {MOMENT}"), Follows(("W variance",), ("1/M",)), name="W moment"),
        Step(
            Fact(f"ind({L_S})*norm(at(W, s, l)) <= ind({L_S})*({RANGE})", over=("s", "l")),
            ByRule(
                "fresh range",
                {"R": RANGE, "c": "4*Dbar", "Lo": L_S, "s": "s", "l": "l"},
                using=("W range", "localized", "fresh", Use("covers", {"t": "s"})),
            ),
            name="range",
        ),
        Step(
            Fact(
                f"ind({L_S})*Egiven(norm(at(W, s, l))**2, at(H, s, l - 1)) <= ind({L_S})*({MOMENT})", over=("s", "l")
            ),
            ByRule(
                "fresh second moment",
                {"v": MOMENT, "c": "4*Dbar", "Lo": L_S, "s": "s", "l": "l"},
                using=("W moment", "localized", "fresh", Use("covers", {"t": "s"})),
            ),
            name="moment",
        ),
        Step(
            Fact("Egiven(at(W, s, l), at(H, s, l - 1)) == 0", over=("s", "l")),
            ByRule("fresh centring", {"s": "s", "l": "l"}, using=("W centred", "fresh")),
            "E[W_{s,l} | H_{s,l-1}] = 0",
            name="centring",
        ),
        Step(
            Fact(
                f"Egiven(at(at(X, t), s, l), at(H, s, l - 1)) == Egiven({_WEIGHT}*at(W, s, l), at(H, s, l - 1))",
                over=("s", "l", "t"),
                where=_ROWS,
            ),
            ByRule(
                "conditional expectation of equals",
                {"X": "at(at(X, t), s, l)", "Y": f"{_WEIGHT}*at(W, s, l)", "V": "at(H, s, l - 1)"},
                using=("array",),
            ),
            name="X mean",
        ),
        Step(
            Fact(
                f"Egiven({_WEIGHT}*at(W, s, l), at(H, s, l - 1)) == {_WEIGHT}*Egiven(at(W, s, l), at(H, s, l - 1))",
                over=("s", "l", "t"),
            ),
            ByRule("known factor", {"k": _WEIGHT, "Y": "at(W, s, l)", "V": "at(H, s, l - 1)"}, using=("known",)),
            name="X factor",
        ),
        Step(
            Fact("Egiven(at(at(X, t), s, l), at(H, s, l - 1)) == 0", over=("s", "l", "t"), where=_ROWS),
            Follows(("X mean", "X factor", "centring")),
            "martingale differences",
            name="differences",
        ),
        Step(
            Fact(f"norm(at(at(X, t), s, l)) == norm({_WEIGHT}*at(W, s, l))", over=("s", "l", "t"), where=_ROWS),
            ByRule("norm of equals", {"v": "at(at(X, t), s, l)", "w": f"{_WEIGHT}*at(W, s, l)"}, using=("array",)),
            name="X norm",
        ),
        Step(
            Fact(f"norm({_WEIGHT}*at(W, s, l)) == abs({_WEIGHT})*norm(at(W, s, l))", over=("s", "l", "t")),
            ByRule("norm scale", {"c": _WEIGHT, "v": "at(W, s, l)"}),
            name="X scale",
        ),
        Step(Fact("beta**(t - s) >= 0", over=("s", "t")), Decide(), name="weight sign"),
        Step(Fact("beta**(t - s) <= 1", over=("s", "t"), where=_ROWS), Decide(), name="weight"),
        Step(
            Fact("abs(a*b*c) == a*b*c", over=("a", "b", "c"), where=("a >= 0", "b >= 0", "c >= 0")),
            Decide(),
            name="modulus",
        ),
        Step(
            Fact(f"norm(at(at(X, t), s, l)) == {_WEIGHT}*norm(at(W, s, l))", over=("s", "l", "t"), where=_ROWS),
            Follows(
                (
                    "weight sign",
                    "X norm",
                    "X scale",
                    Use("modulus", {"a": "beta**(t - s)", "b": "1 - beta", "c": f"ind({L_S})"}),
                )
            ),
            name="X length",
        ),
        Step(
            Fact(f"{_WEIGHT}*norm(at(W, s, l)) <= {_PLAIN}*(ind({L_S})*({RANGE}))", over=("s", "l", "t"), where=_ROWS),
            Follows(("weight sign", "range"), ("", _PLAIN)),
            name="X range",
        ),
        Step(
            Fact(
                "a*b*(c*r) <= b*r",
                over=("a", "b", "c", "r"),
                where=("a >= 0", "a <= 1", "b >= 0", "c >= 0", "c <= 1", "r >= 0"),
            ),
            Decide(),
            name="cap",
        ),
        Step(Fact(f"ind({L_S}) <= 1", over=("s",)), Follows(()), name="indicator below"),
        Step(Fact(f"ind({L_S}) >= 0", over=("s",)), Follows(()), name="indicator above"),
        Step(Fact(f"{RANGE} >= 0"), Decide(), name="range sign"),
        Step(
            Fact(f"{_PLAIN}*(ind({L_S})*({RANGE})) <= {R}", over=("s", "t"), where=_ROWS),
            Follows(
                (
                    "weight",
                    "weight sign",
                    "indicator below",
                    "indicator above",
                    "range sign",
                    Use("cap", {"a": "beta**(t - s)", "b": "1 - beta", "c": f"ind({L_S})", "r": RANGE}),
                )
            ),
            name="R",
        ),
        Step(
            Fact(f"norm(at(at(X, t), s, l)) <= {R}", over=("s", "l", "t"), where=_ROWS),
            Follows(("X length", "X range", "R"), ("1", "1", "1")),
            "|X_{s,l}| <= 2 d tau (1-beta)/M = R",
            name="bounded",
        ),
        Step(
            Fact(f"ind({L_S})**2 == ind({L_S})", over=("s",)),
            ByRule("indicator squared", {"A": L_S}),
            name="indicator",
        ),
        Step(
            Fact(
                f"norm(at(at(X, t), s, l))**2 == ({_PLAIN})**2*ind({L_S})*norm(at(W, s, l))**2",
                over=("s", "l", "t"),
                where=_ROWS,
            ),
            Follows(("X length", "indicator"), ("", f"-({_PLAIN})**2*norm(at(W, s, l))**2")),
            name="X square",
        ),
        Step(
            Fact(
                f"Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)) == Egiven(({_PLAIN})**2*ind({L_S})*norm(at(W, "
                "s, l))**2, at(H, s, l - 1))",
                over=("s", "l", "t"),
                where=_ROWS,
            ),
            ByRule(
                "conditional expectation of equals",
                {
                    "X": "norm(at(at(X, t), s, l))**2",
                    "Y": f"({_PLAIN})**2*ind({L_S})*norm(at(W, s, l))**2",
                    "V": "at(H, s, l - 1)",
                },
                using=("X square",),
            ),
            name="X moment",
        ),
        Step(
            Fact(
                f"Egiven(({_PLAIN})**2*ind({L_S})*norm(at(W, s, l))**2, at(H, s, l - 1)) == "
                f"({_PLAIN})**2*ind({L_S})*Egiven(norm(at(W, s, l))**2, at(H, s, l - 1))",
                over=("s", "l", "t"),
            ),
            ByRule(
                "known factor",
                {"k": f"({_PLAIN})**2*ind({L_S})", "Y": "norm(at(W, s, l))**2", "V": "at(H, s, l - 1)"},
                using=("known squared",),
            ),
            name="X moment factor",
        ),
        Step(
            Fact(f"({_PLAIN})**2 == beta**(2*(t - s))*(1 - beta)**2", over=("s", "t")),
            Decide(),
            name="squared weight",
        ),
        Step(Fact("1 + log(tau/S) >= 1"), Decide(("tau above",)), name="log tau"),
        Step(Fact("64*d**2/M**2 > 0"), Decide(), name="moment factor"),
        Step(Fact("S**p*tau**(2 - p) > 0"), Decide(), name="V power"),
        Step(Fact("a*b*c > 0", over=("a", "b", "c"), where=("a > 0", "b > 0", "c >= 1")), Decide(), name="product"),
        Step(
            Fact(f"{MOMENT} > 0"),
            Follows(
                (
                    "log tau",
                    "moment factor",
                    "V power",
                    Use("product", {"a": "64*d**2/M**2", "b": "S**p*tau**(2 - p)", "c": "1 + log(tau/S)"}),
                )
            ),
            name="moment positive",
        ),
        Step(Fact(f"{MOMENT} >= 0"), Follows(("moment positive",)), name="moment sign"),
        Step(
            Fact(f"ind({L_S})*({MOMENT}) <= {MOMENT}", over=("s",)),
            Follows(("log tau", "moment sign", "indicator below"), ("", "", MOMENT)),
            name="indicator capped",
        ),
        Step(
            Fact(
                "Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)) <= beta**(2*(t - s))*((1 - "
                f"beta)**2*({MOMENT}))",
                over=("s", "l", "t"),
                where=_ROWS,
            ),
            Follows(
                (
                    "weight sign",
                    "moment sign",
                    "X moment",
                    "X moment factor",
                    "squared weight",
                    "moment",
                    "indicator capped",
                ),
                ("", "", "1", "1", MOMENT, f"({_PLAIN})**2", f"({_PLAIN})**2"),
            ),
            name="X moment bound",
        ),
        Step(
            Fact(
                "sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M) <= sum(beta**(2*(t - s))*((1 - "
                f"beta)**2*({MOMENT})), l, 1, M)",
                over=("s", "t"),
                where=_ROWS,
            ),
            ByRule(
                "sum monotone",
                {
                    "G": "Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1))",
                    "H": f"beta**(2*(t - s))*((1 - beta)**2*({MOMENT}))",
                    "s": "l",
                    "a": "1",
                    "b": "M",
                },
                using=("X moment bound",),
            ),
            name="row sum",
        ),
        Step(Fact("sum(c, l, 1, M) == M*c", over=("c",)), Decide(), name="row"),
        Step(
            Fact(
                "sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M) <= beta**(2*(t - s))*(M*(1 - "
                f"beta)**2*({MOMENT}))",
                over=("s", "t"),
                where=_ROWS,
            ),
            Follows(("row sum", Use("row", {"c": f"beta**(2*(t - s))*((1 - beta)**2*({MOMENT}))"})), ("1", "1")),
            name="row bound",
        ),
        Step(
            Fact(
                "sum(sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M), s, 1, t) <= "
                f"sum(beta**(2*(t - s))*(M*(1 - beta)**2*({MOMENT})), s, 1, t)",
                over=("t",),
                where=("t >= 1", "t <= T - 1"),
            ),
            ByRule(
                "sum monotone",
                {
                    "G": "sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M)",
                    "H": f"beta**(2*(t - s))*(M*(1 - beta)**2*({MOMENT}))",
                    "s": "s",
                    "a": "1",
                    "b": "t",
                },
                using=("row bound",),
            ),
            name="sum of rows",
        ),
        Step(
            Fact(
                "sum(beta**(2*(t - s))*c, s, 1, t) == (1 - beta**(2*t))/(1 - beta**2)*c",
                over=("c", "t"),
                where=("t >= 1",),
            ),
            Decide(),
            integers=("t",),
            name="geometric",
        ),
        Step(
            Fact("(1 - beta)**2*((1 - beta**(2*t))/(1 - beta**2)) <= 1 - beta", over=("t",), where=("t >= 1",)),
            Decide(),
            "(1-beta)^2 sum beta^(2j) <= 1 - beta",
            integers=("t",),
            name="geometric bound",
        ),
        Step(Fact(f"M*({MOMENT})*(1 - beta) == {V}"), Decide(), name="V form"),
        Step(Fact(f"M*({MOMENT}) >= 0"), Follows(("moment sign",), ("M",)), name="M moment"),
        Step(
            Fact(
                f"sum(sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M), s, 1, t) <= {V}",
                over=("t",),
                where=("t >= 1", "t <= T - 1"),
            ),
            Follows(
                (
                    "log tau",
                    "M moment",
                    "sum of rows",
                    Use("geometric", {"c": f"M*(1 - beta)**2*({MOMENT})"}),
                    "geometric bound",
                    "V form",
                ),
                ("", "", "1", "1", f"M*({MOMENT})", "1"),
            ),
            "sum E|X_{s,l}|^2 <= C_var d^2 (1-beta)/M S_mu^p tau^(2-p)(1 + log(tau/S_mu)) = V",
            integers=("t",),
            name="variation",
        ),
        Step(Fact("log(2*T/delta) >= log(2)"), Decide(), name="log two"),
        Step(Fact("lam >= log(2)"), Follows(("lambda", "log two")), name="level"),
        Step(Fact("64*d**2*(1 - beta)/M > 0"), Decide(), name="V factor"),
        Step(
            Fact(f"{V} > 0"),
            Follows(
                (
                    "log tau",
                    "V factor",
                    "V power",
                    Use("product", {"a": "64*d**2*(1 - beta)/M", "b": "S**p*tau**(2 - p)", "c": "1 + log(tau/S)"}),
                )
            ),
            name="V sign",
        ),
        Step(
            Fact(
                f"P(norm({_SUM}) > 2*(sqrt(({V})*lam) + {R}*lam)) <= exp(-lam)",
                over=("t",),
                where=("t >= 1", "t <= T - 1"),
            ),
            Cite(
                "lem:momentum-freedman",
                {"X": "at(X, t)", "n": "t", "R": R, "V": V, "eta": "lam"},
                using=("level", "V sign"),
                as_used=True,
            ),
            "vector Freedman with eta = lambda",
            integers=("t",),
            name="Freedman",
        ),
        *LEVEL_STEPS,
        Step(Fact(f"2*(sqrt(({V})*lam) + {R}*lam) <= U"), Follows(("levels", "U")), name="level U"),
        Step(
            Fact(f"P(norm({_SUM}) > U) <= P(norm({_SUM}) > 2*(sqrt(({V})*lam) + {R}*lam))", over=("t",)),
            ByRule(
                "larger level",
                {"X": f"norm({_SUM})", "a": f"2*(sqrt(({V})*lam) + {R}*lam)", "b": "U"},
                using=("level U",),
            ),
            name="smaller",
        ),
        Step(
            Fact(f"norm(at(zst, t)) == norm({_SUM})", over=("t",)),
            ByRule("norm of equals", {"v": "at(zst, t)", "w": _SUM}, using=("stopped",)),
            name="z",
        ),
        Step(
            Fact(f"P({_BAD}) <= P(norm({_SUM}) > U)", over=("t",)),
            ByRule("monotone", {"A": _BAD, "B": f"norm({_SUM}) > U"}, using=("z",)),
            name="event",
        ),
        Step(
            Fact(f"P({_BAD}) <= delta/(2*T)", over=("t",), where=("t >= 1", "t <= T - 1")),
            Follows(("Freedman", "smaller", "event", "lambda", "probability"), ("1", "1", "1", "", "1")),
            "P(|z_t| > U) <= delta/(2T)",
            name="tail of z",
        ),
        Step(
            Fact(f"P(union({_BAD}, t, 1, T - 1)) <= (T - 1 - 1 + 1)*(delta/(2*T))"),
            ByRule(
                "union over a range",
                {"A": _BAD, "t": "t", "a": "1", "b": "T - 1", "q": "delta/(2*T)"},
                using=("tail of z",),
            ),
            "union bound",
            name="union",
        ),
        Step(
            Fact(f"P(meet(complement({_BAD}), t, 1, T - 1)) == 1 - P(union({_BAD}, t, 1, T - 1))"),
            ByRule("de Morgan", {"A": _BAD, "t": "t", "a": "1", "b": "T - 1"}),
            name="de Morgan",
        ),
        Step(Fact("(T - 1 - 1 + 1)*(delta/(2*T)) <= delta/2"), Decide(), name="share"),
        Step(
            Fact(f"P(meet(complement({_BAD}), t, 1, T - 1)) >= 1 - delta/2"),
            Follows(("union", "de Morgan", "share"), ("1", "", "1")),
            "P(E) >= 1 - delta/2",
            name="good event",
        ),
    ),
    concludes=(("tail of z",), ("good event",)),
    bound=U_BOUND,
)
FLUCTUATION = replace(
    FLUCTUATION_USED,
    title="Stopped weighted fluctuation",
    text="If C_U is sufficiently large, then P(|z_t| > U) <= delta/(2T) for every t < T; consequently |z_t| <= U for "
    "all "
    "t < T at once with probability at least 1 - delta/2.",
    claims=(),
    steps=(),
    concludes=(),
    imprecise="C_U is to be sufficiently large, and no value is given",
    as_used=FLUCTUATION_USED,
    twins=(
        Twin("C_U = 112 lowered to 108", {"112": "108"}),
        Twin("the failure probability delta/(2T) lowered to delta/(3T)", {"<= delta/(2*T)": "<= delta/(3*T)"}),
    ),
)
STATEMENTS = (FLUCTUATION,)
