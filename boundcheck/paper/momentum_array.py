"""Momentum RSC-ZO: the stopped weighted fluctuation as a martingale array; its range and its variation."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Decide, Fact, Follows, Parameter, Statement, Step, Twin, Use
from boundcheck.paper.momentum_symbols import BATCH, BETA, HORIZON, L_S, RUNNING_HYPOTHESES, RUNNING_RANDOM

PART = "Momentum"
WEIGHT = f"beta**(t - s)*(1 - beta)*ind({L_S})"
PLAIN = "beta**(t - s)*(1 - beta)"
ROWS = ("s >= 1", "s <= t")
ARRAY_FACTS = {
    "array": Fact(f"at(at(X, t), s, l) == {WEIGHT}*at(W, s, l)", over=("s", "l", "t"), where=ROWS),
    "known": Fact(f"measurable({WEIGHT}, at(H, s, l - 1)) == 1", over=("s", "l", "t")),
    "known squared": Fact(f"measurable(({PLAIN})**2*ind({L_S}), at(H, s, l - 1)) == 1", over=("s", "l", "t")),
}
VARIATION = "sum(sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M), s, 1, t)"
TIMES = ("t >= 1", "t <= T - 1")
ARRAY = Statement(
    label="app:momentum-array",
    title="The stopped weighted fluctuation as a martingale array",
    kind="lemma",
    part=PART,
    text="If the summands of one step satisfy |X_1| <= r and E|X_1|^2 <= m at every localized point, the weighted "
    "and stopped array has differences of at most (1-beta) r and a predictable variation of at most (1-beta)/(1+beta) "
    "M m.",
    parameters=(
        BETA,
        HORIZON,
        BATCH,
        Parameter("Dbar", "bar Delta_0", ("Dbar > 0",)),
        Parameter("r", "range of a summand", ("r >= 0",)),
        Parameter("m", "second moment of a summand", ("m >= 0",)),
    ),
    random=RUNNING_RANDOM,
    hypotheses={
        **{k: RUNNING_HYPOTHESES[k] for k in ("localized", "fresh", "covers")},
        **ARRAY_FACTS,
        "summand range": Fact("norm(X1) <= r"),
        "summand moment": Fact("E(norm(X1)**2) <= m"),
        "centred": Fact("E(X1) == 0"),
    },
    claims=(
        Fact("Egiven(at(at(X, t), s, l), at(H, s, l - 1)) == 0", over=("s", "l", "t"), where=ROWS),
        Fact("norm(at(at(X, t), s, l)) <= (1 - beta)*r", over=("s", "l", "t"), where=ROWS),
        Fact(f"{VARIATION} <= (1 - beta)/(1 + beta)*(M*m)", over=("t",), where=TIMES),
    ),
    steps=(
        Step(
            Fact(f"ind({L_S})*norm(at(W, s, l)) <= ind({L_S})*r", over=("s", "l")),
            ByRule(
                "fresh range",
                {"R": "r", "c": "4*Dbar", "Lo": L_S, "s": "s", "l": "l"},
                using=("summand range", "localized", "fresh", Use("covers", {"t": "s"})),
            ),
            name="range",
        ),
        Step(
            Fact(f"ind({L_S})*Egiven(norm(at(W, s, l))**2, at(H, s, l - 1)) <= ind({L_S})*m", over=("s", "l")),
            ByRule(
                "fresh second moment",
                {"v": "m", "c": "4*Dbar", "Lo": L_S, "s": "s", "l": "l"},
                using=("summand moment", "localized", "fresh", Use("covers", {"t": "s"})),
            ),
            name="moment",
        ),
        Step(
            Fact("Egiven(at(W, s, l), at(H, s, l - 1)) == 0", over=("s", "l")),
            ByRule("fresh centring", {"s": "s", "l": "l"}, using=("centred", "fresh")),
            "E[W_{s,l} | H_{s,l-1}] = 0",
            name="centring",
        ),
        Step(
            Fact(
                f"Egiven(at(at(X, t), s, l), at(H, s, l - 1)) == Egiven({WEIGHT}*at(W, s, l), at(H, s, l - 1))",
                over=("s", "l", "t"),
                where=ROWS,
            ),
            ByRule(
                "conditional expectation of equals",
                {"X": "at(at(X, t), s, l)", "Y": f"{WEIGHT}*at(W, s, l)", "V": "at(H, s, l - 1)"},
                using=("array",),
            ),
            name="X mean",
        ),
        Step(
            Fact(
                f"Egiven({WEIGHT}*at(W, s, l), at(H, s, l - 1)) == {WEIGHT}*Egiven(at(W, s, l), at(H, s, l - 1))",
                over=("s", "l", "t"),
            ),
            ByRule("known factor", {"k": WEIGHT, "Y": "at(W, s, l)", "V": "at(H, s, l - 1)"}, using=("known",)),
            name="X factor",
        ),
        Step(
            Fact("Egiven(at(at(X, t), s, l), at(H, s, l - 1)) == 0", over=("s", "l", "t"), where=ROWS),
            Follows(("X mean", "X factor", "centring")),
            "martingale differences",
            name="differences",
        ),
        Step(
            Fact(f"norm(at(at(X, t), s, l)) == norm({WEIGHT}*at(W, s, l))", over=("s", "l", "t"), where=ROWS),
            ByRule("norm of equals", {"v": "at(at(X, t), s, l)", "w": f"{WEIGHT}*at(W, s, l)"}, using=("array",)),
            name="X norm",
        ),
        Step(
            Fact(f"norm({WEIGHT}*at(W, s, l)) == abs({WEIGHT})*norm(at(W, s, l))", over=("s", "l", "t")),
            ByRule("norm scale", {"c": WEIGHT, "v": "at(W, s, l)"}),
            name="X scale",
        ),
        Step(Fact("beta**(t - s) >= 0", over=("s", "t")), Decide(), name="weight sign"),
        Step(Fact("beta**(t - s) <= 1", over=("s", "t"), where=ROWS), Decide(), name="weight"),
        Step(
            Fact("abs(a*b*c) == a*b*c", over=("a", "b", "c"), where=("a >= 0", "b >= 0", "c >= 0")),
            Decide(),
            name="modulus",
        ),
        Step(
            Fact(f"norm(at(at(X, t), s, l)) == {WEIGHT}*norm(at(W, s, l))", over=("s", "l", "t"), where=ROWS),
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
            Fact(f"{WEIGHT}*norm(at(W, s, l)) <= {PLAIN}*(ind({L_S})*r)", over=("s", "l", "t"), where=ROWS),
            Follows(("weight sign", "range"), ("", PLAIN)),
            name="X range",
        ),
        Step(
            Fact(
                "a*b*(c*x) <= b*x",
                over=("a", "b", "c", "x"),
                where=("a >= 0", "a <= 1", "b >= 0", "c >= 0", "c <= 1", "x >= 0"),
            ),
            Decide(),
            name="cap",
        ),
        Step(Fact(f"ind({L_S}) <= 1", over=("s",)), Follows(()), name="indicator below"),
        Step(Fact(f"ind({L_S}) >= 0", over=("s",)), Follows(()), name="indicator above"),
        Step(
            Fact(f"{PLAIN}*(ind({L_S})*r) <= (1 - beta)*r", over=("s", "t"), where=ROWS),
            Follows(
                (
                    "weight",
                    "weight sign",
                    "indicator below",
                    "indicator above",
                    Use("cap", {"a": "beta**(t - s)", "b": "1 - beta", "c": f"ind({L_S})", "x": "r"}),
                )
            ),
            name="R",
        ),
        Step(
            Fact("norm(at(at(X, t), s, l)) <= (1 - beta)*r", over=("s", "l", "t"), where=ROWS),
            Follows(("X length", "X range", "R"), ("1", "1", "1")),
            "|X_{s,l}| <= (1-beta) r",
            name="bounded",
        ),
        Step(
            Fact(f"ind({L_S})**2 == ind({L_S})", over=("s",)),
            ByRule("indicator squared", {"A": L_S}),
            name="indicator",
        ),
        Step(
            Fact(
                f"norm(at(at(X, t), s, l))**2 == ({PLAIN})**2*ind({L_S})*norm(at(W, s, l))**2",
                over=("s", "l", "t"),
                where=ROWS,
            ),
            Follows(("X length", "indicator"), ("", f"-({PLAIN})**2*norm(at(W, s, l))**2")),
            name="X square",
        ),
        Step(
            Fact(
                f"Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)) == Egiven(({PLAIN})**2*ind({L_S})*norm(at(W, "
                "s, l))**2, at(H, s, l - 1))",
                over=("s", "l", "t"),
                where=ROWS,
            ),
            ByRule(
                "conditional expectation of equals",
                {
                    "X": "norm(at(at(X, t), s, l))**2",
                    "Y": f"({PLAIN})**2*ind({L_S})*norm(at(W, s, l))**2",
                    "V": "at(H, s, l - 1)",
                },
                using=("X square",),
            ),
            name="X moment",
        ),
        Step(
            Fact(
                f"Egiven(({PLAIN})**2*ind({L_S})*norm(at(W, s, l))**2, at(H, s, l - 1)) == "
                f"({PLAIN})**2*ind({L_S})*Egiven(norm(at(W, s, l))**2, at(H, s, l - 1))",
                over=("s", "l", "t"),
            ),
            ByRule(
                "known factor",
                {"k": f"({PLAIN})**2*ind({L_S})", "Y": "norm(at(W, s, l))**2", "V": "at(H, s, l - 1)"},
                using=("known squared",),
            ),
            name="X moment factor",
        ),
        Step(
            Fact(f"({PLAIN})**2 == beta**(2*(t - s))*(1 - beta)**2", over=("s", "t")),
            Decide(),
            name="squared weight",
        ),
        Step(
            Fact(f"ind({L_S})*m <= m", over=("s",)),
            Follows(("indicator below",), ("m",)),
            name="indicator capped",
        ),
        Step(
            Fact(
                "Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)) <= beta**(2*(t - s))*((1 - beta)**2*m)",
                over=("s", "l", "t"),
                where=ROWS,
            ),
            Follows(
                (
                    "weight sign",
                    "X moment",
                    "X moment factor",
                    "squared weight",
                    "moment",
                    "indicator capped",
                ),
                ("", "1", "1", "m", f"({PLAIN})**2", f"({PLAIN})**2"),
            ),
            name="X moment bound",
        ),
        Step(
            Fact(
                "sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M) <= sum(beta**(2*(t - s))*((1 - "
                "beta)**2*m), l, 1, M)",
                over=("s", "t"),
                where=ROWS,
            ),
            ByRule(
                "sum monotone",
                {
                    "G": "Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1))",
                    "H": "beta**(2*(t - s))*((1 - beta)**2*m)",
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
                "beta)**2*m)",
                over=("s", "t"),
                where=ROWS,
            ),
            Follows(("row sum", Use("row", {"c": "beta**(2*(t - s))*((1 - beta)**2*m)"})), ("1", "1")),
            name="row bound",
        ),
        Step(
            Fact(
                "sum(sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M), s, 1, t) <= "
                "sum(beta**(2*(t - s))*(M*(1 - beta)**2*m), s, 1, t)",
                over=("t",),
                where=("t >= 1", "t <= T - 1"),
            ),
            ByRule(
                "sum monotone",
                {
                    "G": "sum(Egiven(norm(at(at(X, t), s, l))**2, at(H, s, l - 1)), l, 1, M)",
                    "H": "beta**(2*(t - s))*(M*(1 - beta)**2*m)",
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
            Fact(
                "(1 - beta)**2*((1 - beta**(2*t))/(1 - beta**2)) <= (1 - beta)/(1 + beta)",
                over=("t",),
                where=("t >= 1",),
            ),
            Decide(),
            "(1-beta)^2 sum beta^(2j) <= (1-beta)/(1+beta)",
            integers=("t",),
            name="geometric bound",
        ),
        Step(
            Fact(
                f"{VARIATION} <= (1 - beta)/(1 + beta)*(M*m)",
                over=("t",),
                where=("t >= 1", "t <= T - 1"),
            ),
            Follows(
                ("sum of rows", Use("geometric", {"c": "M*(1 - beta)**2*m"}), "geometric bound"), ("1", "1", "M*m")
            ),
            "sum E|X_{s,l}|^2 <= (1-beta)/(1+beta) M m",
            integers=("t",),
            name="variation",
        ),
    ),
    concludes=(("differences",), ("bounded",), ("variation",)),
    twins=(
        Twin("the variation lowered to (1-beta)/(1.1+beta)", {"(1 - beta)/(1 + beta)": "(1 - beta)/(1.1 + beta)"}),
        Twin("the range lowered to 0.9 (1-beta) r", {"<= (1 - beta)*r": "<= 0.9*(1 - beta)*r"}),
    ),
)

STATEMENTS = (ARRAY,)
