"""Momentum RSC-ZO: the stopped weighted fluctuation and the clipping bias along the trajectory."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Ref, Statement, Step, Twin, Use
from boundcheck.paper.momentum_array import ARRAY_FACTS, PART, ROWS, TIMES, VARIATION
from boundcheck.paper.momentum_estimator import BASE_ASSUMPTIONS, RANGE, VARIANCE
from boundcheck.paper.momentum_freedman import ARRAY_SUM
from boundcheck.paper.momentum_levels import LEVEL_STEPS, MOMENT, R, V
from boundcheck.paper.momentum_symbols import (
    BOUND_U,
    RUNNING,
    RUNNING_HYPOTHESES,
    RUNNING_RANDOM,
    THRESHOLD,
    U_BOUND,
)

SUM = ARRAY_SUM.replace(", 1, n)", ", 1, t)").replace("at(X,", "at(at(X, t),")
BAD = "norm(at(zst, t)) > U"
_LEVEL = f"2*(sqrt(({V})*lam) + {R}*lam)"

SUMMANDS = ("W range", "W moment", "W centred", "range sign", "moment sign")


def good_event_steps(level: str, tail: tuple[Ref, ...], times: tuple[str, ...]) -> tuple[Step, ...]:
    """From the tail of the array's sum beyond ``level`` <= U ("level U") to P(|z_t| <= U for all t) >= 1 - delta/2.

    ``tail`` and ``times`` are the facts that give P(|z_t| > U) <= delta/(2T), "smaller" and "event" among them.
    """
    return (
        Step(
            Fact(f"P(norm({SUM}) > U) <= P(norm({SUM}) > {level})", over=("t",)),
            ByRule(
                "larger level",
                {"X": f"norm({SUM})", "a": level, "b": "U"},
                using=("level U",),
            ),
            name="smaller",
        ),
        Step(
            Fact(f"norm(at(zst, t)) == norm({SUM})", over=("t",)),
            ByRule("norm of equals", {"v": "at(zst, t)", "w": SUM}, using=("stopped",)),
            name="z",
        ),
        Step(
            Fact(f"P({BAD}) <= P(norm({SUM}) > U)", over=("t",)),
            ByRule("monotone", {"A": BAD, "B": f"norm({SUM}) > U"}, using=("z",)),
            name="event",
        ),
        Step(
            Fact(f"P({BAD}) <= delta/(2*T)", over=("t",), where=("t >= 1", "t <= T - 1")),
            Follows(tail, times),
            "P(|z_t| > U) <= delta/(2T)",
            name="tail of z",
        ),
        Step(
            Fact(f"P(union({BAD}, t, 1, T - 1)) <= (T - 1 - 1 + 1)*(delta/(2*T))"),
            ByRule(
                "union over a range",
                {"A": BAD, "t": "t", "a": "1", "b": "T - 1", "q": "delta/(2*T)"},
                using=("tail of z",),
            ),
            "union bound",
            name="union",
        ),
        Step(
            Fact(f"P(meet(complement({BAD}), t, 1, T - 1)) == 1 - P(union({BAD}, t, 1, T - 1))"),
            ByRule("de Morgan", {"A": BAD, "t": "t", "a": "1", "b": "T - 1"}),
            name="de Morgan",
        ),
        Step(Fact("(T - 1 - 1 + 1)*(delta/(2*T)) <= delta/2"), Decide(), name="share"),
        Step(
            Fact(f"P(meet(complement({BAD}), t, 1, T - 1)) >= 1 - delta/2"),
            Follows(("union", "de Morgan", "share"), ("1", "", "1")),
            "P(E) >= 1 - delta/2",
            name="good event",
        ),
    )


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
        **ARRAY_FACTS,
        "stopped": Fact(f"at(zst, t) == {SUM}", over=("t",)),
        "U": Fact(f"U == {U_BOUND}"),
    },
    claims=(
        Fact(f"P({BAD}) <= delta/(2*T)", over=("t",), where=("t >= 1", "t <= T - 1")),
        Fact(f"P(meet(complement({BAD}), t, 1, T - 1)) >= 1 - delta/2"),
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
        Step(Fact(f"{RANGE} >= 0"), Decide(), name="range sign"),
        Step(
            Fact("Egiven(at(at(X, t), s, l), at(H, s, l - 1)) == 0", over=("s", "l", "t"), where=ROWS),
            Cite("app:momentum-array", {"r": RANGE, "m": MOMENT}, using=SUMMANDS),
            "martingale differences",
            name="differences",
        ),
        Step(
            Fact(f"norm(at(at(X, t), s, l)) <= {R}", over=("s", "l", "t"), where=ROWS),
            Cite("app:momentum-array", {"r": RANGE, "m": MOMENT}, using=SUMMANDS, part=1),
            "|X_{s,l}| <= 2 d tau (1-beta)/M = R",
            name="bounded",
        ),
        Step(
            Fact(f"{VARIATION} <= (1 - beta)/(1 + beta)*(M*({MOMENT}))", over=("t",), where=TIMES),
            Cite("app:momentum-array", {"r": RANGE, "m": MOMENT}, using=SUMMANDS, part=2),
            name="array variation",
        ),
        Step(Fact("(1 - beta)/(1 + beta) <= 1 - beta"), Decide(), name="plain"),
        Step(Fact(f"M*({MOMENT})*(1 - beta) == {V}"), Decide(), name="V form"),
        Step(Fact(f"M*({MOMENT}) >= 0"), Follows(("moment sign",), ("M",)), name="M moment"),
        Step(
            Fact(f"{VARIATION} <= {V}", over=("t",), where=TIMES),
            Follows(
                ("log tau", "M moment", "array variation", "plain", "V form"), ("", "", "1", f"M*({MOMENT})", "1")
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
                f"P(norm({SUM}) > {_LEVEL}) <= exp(-lam)",
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
        Step(Fact(f"{_LEVEL} <= U"), Follows(("levels", "U")), name="level U"),
        *good_event_steps(_LEVEL, ("Freedman", "smaller", "event", "lambda", "probability"), ("1", "1", "1", "", "1")),
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
