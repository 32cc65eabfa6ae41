"""Appendix "High-Probability Analysis of Base RSC-ZO": what clipping does to a variable with a weak-L_p tail."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Decide, Fact, Follows, Statement, Step, Twin, Use
from boundcheck.paper.symbols import TAU_4S, P, S

PART = "Base: clipping"

#: The tail that both lemmas assume, with the constant that lem:hp-shared-directional-total-tail delivers.
TAIL_BOUND = "2**(2*p + 1)*S**p*t**(-p)"
TAIL = Fact(f"P(abs(Z) > t) <= {TAIL_BOUND}", over=("t",), where=("t >= 4*S",))
BIAS_BOUND = "2**(2*p + 1)/(p - 1)*S**p*tau**(1 - p)"
SECOND_MOMENT_BOUND = "64*S**p*tau**(2 - p)*(1 + log(tau/S))"

CLIPPED_BIAS = Statement(
    label="lem:hp-shared-clipped-bias-abstract",
    title="Clipping bias under weak-L_p control",
    kind="lemma",
    part=PART,
    text="If P(|Z| > t) <= 2^(2p+1) S^p t^-p for all t >= 4S, then for every tau >= 4S the expected clipped-off "
    "part E|Z - psi_tau(Z)| is at most 2^(2p+1)/(p-1) S^p tau^(1-p).",
    parameters=(P, S, TAU_4S),
    random=("Z",),
    hypotheses={"tail": TAIL},
    claims=(Fact(f"E(abs(Z - clip(Z, tau))) <= {BIAS_BOUND}"),),
    steps=(
        Step(
            Fact("z*min(1, tau/abs(z)) == z/abs(z)*min(abs(z), tau)", where=("z != 0",)),
            Decide(),
            "psi_tau(z) = sgn(z) min{|z|, tau}",
        ),
        Step(Fact("abs(Z - clip(Z, tau)) == max(abs(Z) - tau, 0)"), Decide(), "|Z - psi_tau(Z)| = (|Z| - tau)_+"),
        Step(
            Fact("max(abs(Z) - tau, 0) == integral(ind(abs(Z) > t), t, tau, oo)"),
            ByRule("excess as an integral", {"X": "abs(Z)", "a": "tau"}),
            "(X - a)_+ is the length of {t > a: X > t}",
        ),
        Step(
            Fact("E(max(abs(Z) - tau, 0)) == E(integral(ind(abs(Z) > t), t, tau, oo))"),
            ByRule(
                "expectation of equals",
                {"X": "max(abs(Z) - tau, 0)", "Y": "integral(ind(abs(Z) > t), t, tau, oo)"},
                using=(3,),
            ),
            "E[(X - a)_+] = E[int_a^oo 1{X > t} dt]",
        ),
        Step(
            Fact("E(integral(ind(abs(Z) > t), t, tau, oo)) == integral(P(abs(Z) > t), t, tau, oo)"),
            ByRule("Tonelli", {"W": "1", "A": "abs(Z) > t", "t": "t", "a": "tau", "b": "oo"}),
            "= int_a^oo P(X > t) dt",
        ),
        Step(
            Fact("E(abs(Z - clip(Z, tau))) == E(max(abs(Z) - tau, 0))"),
            ByRule("expectation of equals", {"X": "abs(Z - clip(Z, tau))", "Y": "max(abs(Z) - tau, 0)"}, using=(2,)),
        ),
        Step(
            Fact("E(abs(Z - clip(Z, tau))) == integral(P(abs(Z) > t), t, tau, oo)"),
            Follows((4, 5, 6)),
            "E|Z - psi_tau(Z)| = int_tau^oo P(|Z| > t) dt",
        ),
        Step(
            Fact(f"integral(P(abs(Z) > t), t, tau, oo) <= integral({TAIL_BOUND}, t, tau, oo)"),
            ByRule(
                "integral monotone",
                {"G": "P(abs(Z) > t)", "H": TAIL_BOUND, "t": "t", "a": "tau", "b": "oo"},
                using=("tail",),
            ),
            "the tail bound is valid for every t >= tau >= 4S",
        ),
        Step(
            Fact(f"integral({TAIL_BOUND}, t, tau, oo) == 2**(2*p + 1)*S**p*integral(t**(-p), t, tau, oo)"),
            Decide(),
        ),
        Step(Fact("integral(t**(-p), t, tau, oo) == tau**(1 - p)/(p - 1)"), Decide(), "p > 1"),
        Step(
            Fact(f"2**(2*p + 1)*S**p*(tau**(1 - p)/(p - 1)) == {BIAS_BOUND}"),
            Decide(),
        ),
    ),
    concludes=((7, 8, 9, 10, 11),),
    bound=BIAS_BOUND,
    worst_law="clipped-bias",
    twins=(Twin("the constant 2^(2p+1) of the bound times 0.999", {BIAS_BOUND: f"0.999*{BIAS_BOUND}"}),),
)


def layer_cake_steps(at: int, cut: str) -> tuple[Step, ...]:
    """The eleven steps of E[psi_tau(Z)^2] = 2 int_0^tau t P(|Z| > t) dt, with P <= 1 below ``cut``.

    ``at`` is the number of the first of them.
    """
    return (
        Step(
            Fact("abs(clip(Z, tau))**2 == 2*integral(t*ind(abs(clip(Z, tau)) > t), t, 0, oo)"),
            ByRule("square as an integral", {"X": "abs(clip(Z, tau))"}),
            "layer cake",
        ),
        Step(
            Fact("E(clip(Z, tau)**2) == E(2*integral(t*ind(abs(clip(Z, tau)) > t), t, 0, oo))"),
            ByRule(
                "expectation of equals",
                {"X": "clip(Z, tau)**2", "Y": "2*integral(t*ind(abs(clip(Z, tau)) > t), t, 0, oo)"},
                using=(at,),
            ),
        ),
        Step(
            Fact(
                "E(2*integral(t*ind(abs(clip(Z, tau)) > t), t, 0, oo)) "
                "== 2*E(integral(t*ind(abs(clip(Z, tau)) > t), t, 0, oo))"
            ),
            ByRule("expectation scale", {"c": "2", "X": "integral(t*ind(abs(clip(Z, tau)) > t), t, 0, oo)"}),
        ),
        Step(
            Fact(
                "E(integral(t*ind(abs(clip(Z, tau)) > t), t, 0, oo)) == integral(t*P(abs(clip(Z, tau)) > t), t, 0, oo)"
            ),
            ByRule("Tonelli", {"W": "t", "A": "abs(clip(Z, tau)) > t", "t": "t", "a": "0", "b": "oo"}),
            "E[psi_tau(Z)^2] = 2 int_0^oo t P(|psi_tau(Z)| > t) dt",
        ),
        Step(
            Fact("P(abs(clip(Z, tau)) > t) == 0", over=("t",), where=("t >= tau",)),
            ByRule("impossible", {"A": "abs(clip(Z, tau)) > t"}),
            "|psi_tau(Z)| <= tau",
        ),
        Step(
            Fact("integral(t*P(abs(clip(Z, tau)) > t), t, 0, oo) == integral(t*P(abs(clip(Z, tau)) > t), t, 0, tau)"),
            ByRule(
                "integral truncate",
                {"G": "t*P(abs(clip(Z, tau)) > t)", "t": "t", "a": "0", "c": "tau"},
                using=(at + 4,),
            ),
        ),
        Step(
            Fact("P(abs(clip(Z, tau)) > t) == P(abs(Z) > t)", over=("t",), where=("0 < t", "t < tau")),
            ByRule("same event", {"A": "abs(clip(Z, tau)) > t", "B": "abs(Z) > t"}),
            "for t < tau",
        ),
        Step(
            Fact(
                "integral(t*P(abs(clip(Z, tau)) > t), t, 0, tau) == integral(t*P(abs(Z) > t), t, 0, tau)",
            ),
            ByRule(
                "integral of equals",
                {"G": "t*P(abs(clip(Z, tau)) > t)", "H": "t*P(abs(Z) > t)", "t": "t", "a": "0", "b": "tau"},
                using=(at + 6,),
            ),
            "= 2 int_0^tau t P(|Z| > t) dt",
        ),
        Step(
            Fact(
                "integral(t*P(abs(Z) > t), t, 0, tau) "
                f"== integral(t*P(abs(Z) > t), t, 0, {cut}) + integral(t*P(abs(Z) > t), t, {cut}, tau)"
            ),
            ByRule("integral split", {"G": "t*P(abs(Z) > t)", "t": "t", "a": "0", "c": cut, "b": "tau"}),
            f"split at {cut.replace('*', '')}",
        ),
        Step(
            Fact("t*P(abs(Z) > t) <= t", over=("t",), where=("t >= 0",)),
            Follows(()),
            "P <= 1",
        ),
        Step(
            Fact(f"integral(t*P(abs(Z) > t), t, 0, {cut}) <= integral(t, t, 0, {cut})"),
            ByRule(
                "integral monotone",
                {"G": "t*P(abs(Z) > t)", "H": "t", "t": "t", "a": "0", "b": cut},
                using=(at + 9,),
            ),
        ),
    )


CLIPPED_SECOND_MOMENT = Statement(
    label="lem:hp-shared-clipped-second-moment",
    title="Clipped second moment under weak-L_p control",
    kind="lemma",
    part=PART,
    text="Under the same tail, E[psi_tau(Z)^2] <= 64 S^p tau^(2-p) (1 + log(tau/S)) for every tau >= 4S.",
    parameters=(P, S, TAU_4S),
    random=("Z",),
    hypotheses={"tail": TAIL},
    claims=(Fact(f"E(clip(Z, tau)**2) <= {SECOND_MOMENT_BOUND}"),),
    steps=(
        Step(Fact("a**r <= b**r", over=("a", "b", "r"), where=("0 < a", "a <= b", "r >= 0")), Decide(), name="power"),
        Step(Fact("2 - p >= 0"), Decide(), name="power sign"),
        Step(Fact("t**(1 - p) == t**(-1)*t**(2 - p)", over=("t",), where=("0 < t",)), Decide(), name="split"),
        Step(Fact("S**2 == S**p*S**(2 - p)"), Decide(), name="square"),
        Step(Fact("S <= tau"), Decide(), name="below"),
        Step(
            Fact("z*min(1, tau/abs(z)) == z/abs(z)*min(abs(z), tau)", where=("z != 0",)),
            Decide(),
            "psi_tau(z) = sgn(z) min{|z|, tau}",
        ),
        Step(Fact("clip(Z, tau)**2 == min(Z**2, tau**2)"), Decide(), "psi_tau(Z)^2 = min{Z^2, tau^2}"),
        *layer_cake_steps(8, "4*S"),
        Step(Fact("2*integral(t, t, 0, 4*S) == 16*S**2"), Decide()),
        Step(
            Fact(f"t*P(abs(Z) > t) <= t*({TAIL_BOUND})", over=("t",), where=("t >= 4*S",)),
            Follows(("tail",), times=("t",)),
        ),
        Step(
            Fact(f"integral(t*P(abs(Z) > t), t, 4*S, tau) <= integral(t*({TAIL_BOUND}), t, 4*S, tau)"),
            ByRule(
                "integral monotone",
                {"G": "t*P(abs(Z) > t)", "H": f"t*({TAIL_BOUND})", "t": "t", "a": "4*S", "b": "tau"},
                using=(20,),
            ),
        ),
        Step(
            Fact(
                f"t*({TAIL_BOUND}) == 2**(2*p + 1)*S**p*t**(1 - p)",
                over=("t",),
                where=("4*S < t", "t < tau"),
            ),
            Decide(),
        ),
        Step(
            Fact(f"integral(t*({TAIL_BOUND}), t, 4*S, tau) == integral(2**(2*p + 1)*S**p*t**(1 - p), t, 4*S, tau)"),
            ByRule(
                "integral of equals",
                {
                    "G": f"t*({TAIL_BOUND})",
                    "H": "2**(2*p + 1)*S**p*t**(1 - p)",
                    "t": "t",
                    "a": "4*S",
                    "b": "tau",
                },
                using=(22,),
            ),
        ),
        Step(
            Fact(
                "integral(2**(2*p + 1)*S**p*t**(1 - p), t, 4*S, tau) "
                "== 2**(2*p + 1)*S**p*integral(t**(1 - p), t, 4*S, tau)"
            ),
            ByRule(
                "integral scale",
                {"c": "2**(2*p + 1)*S**p", "G": "t**(1 - p)", "t": "t", "a": "4*S", "b": "tau"},
            ),
            "2 int t P dt <= 2^(2p+2) S^p int_4S^tau t^(1-p) dt",
        ),
        Step(
            Fact("t**(1 - p) <= t**(-1)*tau**(2 - p)", over=("t",), where=("0 < t", "t <= tau")),
            Follows(("power sign", "split", Use("power", {"a": "t", "b": "tau", "r": "2 - p"})), ("", "", "t**(-1)")),
            "t^(1-p) = t^-1 t^(2-p) <= t^-1 tau^(2-p)",
        ),
        Step(
            Fact("integral(t**(1 - p), t, 4*S, tau) <= integral(t**(-1)*tau**(2 - p), t, 4*S, tau)"),
            ByRule(
                "integral monotone",
                {"G": "t**(1 - p)", "H": "t**(-1)*tau**(2 - p)", "t": "t", "a": "4*S", "b": "tau"},
                using=(25,),
            ),
        ),
        Step(
            Fact("integral(t**(-1)*tau**(2 - p), t, 4*S, tau) == tau**(2 - p)*log(tau/(4*S))"),
            Decide(),
        ),
        Step(
            Fact("E(clip(Z, tau)**2) <= 16*S**2 + 2**(2*p + 2)*S**p*tau**(2 - p)*log(tau/(4*S))"),
            Follows(
                (9, 10, 11, 13, 15, 16, 18, 19, 21, 23, 24, 26, 27),
                times=(
                    *("1", "1", "2", "2", "2", "2", "2", "1", "2", "2", "2"),
                    *("2**(2*p + 2)*S**p", "2**(2*p + 2)*S**p"),
                ),
            ),
        ),
        Step(
            Fact("S**2 <= S**p*tau**(2 - p)"),
            Follows(
                ("below", "power sign", "square", Use("power", {"a": "S", "b": "tau", "r": "2 - p"})),
                ("", "", "", "S**p"),
            ),
            "tau >= 4S and p <= 2",
        ),
        Step(Fact("16*S**2 <= 16*S**p*tau**(2 - p)"), Follows((29,), times=("16",))),
        Step(Fact("log(tau/(4*S)) <= log(tau/S)"), Decide()),
        Step(
            Fact("E(clip(Z, tau)**2) <= (16 + 2**(2*p + 2)*log(tau/S))*S**p*tau**(2 - p)"),
            Follows((28, 30, 31), times=("1", "1", "2**(2*p + 2)*S**p*tau**(2 - p)")),
        ),
        Step(Fact("2**(2*p + 2) <= 64"), Decide(), "p <= 2"),
        Step(Fact("log(tau/S) >= 0"), Decide()),
        Step(
            Fact("16 + 2**(2*p + 2)*log(tau/S) <= 64*(1 + log(tau/S))"),
            Follows((33, 34), times=("log(tau/S)", "0")),
        ),
        Step(Fact("S**p*tau**(2 - p) >= 0"), Decide()),
        Step(
            Fact(f"(16 + 2**(2*p + 2)*log(tau/S))*S**p*tau**(2 - p) <= {SECOND_MOMENT_BOUND}"),
            Follows((35,), times=("S**p*tau**(2 - p)",)),
        ),
        Step(Fact(f"E(clip(Z, tau)**2) <= {SECOND_MOMENT_BOUND}"), Follows((32, 37), ("1", "1"))),
    ),
    bound=SECOND_MOMENT_BOUND,
    worst_law="clipped-second-moment",
    twins=(Twin("the constant 64 lowered to 62", {"64": "62"}),),
)

STATEMENTS = (CLIPPED_BIAS, CLIPPED_SECOND_MOMENT)
