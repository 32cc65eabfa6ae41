"""Appendix "High-Probability Analysis of Base RSC-ZO": vector Bernstein and the fluctuation of the clipped average."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Parameter, Statement, Step, Twin
from boundcheck.paper.clipping import SECOND_MOMENT_BOUND, TAIL_BOUND
from boundcheck.paper.symbols import BATCH, LOCAL, TAU_4S
from boundcheck.paper.two_point import TOTAL_TAIL

PART = "Base: concentration"
RHO = Parameter("rho", "failure probability", ("0 < rho", "rho < 1"))

BERNSTEIN_BOUND = "sqrt(V)*(1 + sqrt(2*log(1/rho))) + 4*R/3*log(1/rho)"
#: The sum of X_l over l = 1..M is written X; the summand X_l is X1 (all l alike).
VECTOR_BERNSTEIN_HYPOTHESES = {
    "independent sum": Fact("iid(X1, X) == 1"),
    "centred": Fact("norm(E(X1)) == 0"),
    "bounded": Fact("norm(X1) <= R"),
}

BERNSTEIN_CITED = Statement(
    label="Berst-thm",
    title="Bernstein inequality in Hilbert space",
    kind="theorem",
    part=PART,
    text="Independent mean-zero X_i in a Hilbert space with |X_i| <= c satisfy P(|sum X_i| > sqrt(sum E|X_i|^2) "
    "(1 + sqrt(2 log(1/delta))) + (4c/3) log(1/delta)) < delta for delta in (0, 1).",
    parameters=(BATCH, Parameter("R", "almost sure bound", ("R >= 0",)), RHO),
    random=("X", "X1"),
    hypotheses=VECTOR_BERNSTEIN_HYPOTHESES,
    claims=(Fact(f"P(norm(X) > {BERNSTEIN_BOUND.replace('sqrt(V)', 'sqrt(M*E(norm(X1)**2))')}) <= rho"),),
    literature="Mirzaei, Maurer, Kostic, Pontil, AISTATS 2025 (PMLR 258:5158-5166), Theorem 5 as the paper cites it",
    note="Taken from the literature; stress-tested by simulation and against exact laws of small sums.",
)

VECTOR_BERNSTEIN = Statement(
    label="lem:hp-shared-vector-bernstein",
    title="Vector Bernstein inequality with variance proxy",
    kind="lemma",
    part=PART,
    text="If moreover sum E|X_l|^2 <= V, then |sum X_l| <= sqrt(V)(1 + sqrt(2 log(1/delta))) + (4R/3) "
    "log(1/delta) with "
    "probability at least 1 - delta.",
    parameters=(
        BATCH,
        Parameter("R", "almost sure bound", ("R >= 0",)),
        Parameter("V", "variance proxy", ("V >= 0",)),
        RHO,
    ),
    random=("X", "X1"),
    hypotheses={**VECTOR_BERNSTEIN_HYPOTHESES, "variance": Fact("M*E(norm(X1)**2) <= V")},
    claims=(Fact(f"P(norm(X) > {BERNSTEIN_BOUND}) <= rho"),),
    steps=(
        Step(
            Fact(f"P(norm(X) > {BERNSTEIN_BOUND.replace('sqrt(V)', 'sqrt(M*E(norm(X1)**2))')}) <= rho"),
            Cite("Berst-thm"),
            "the theorem with H = R^d, m = M, c = R",
        ),
        Step(Fact("log(1/rho) >= 0"), Decide()),
        Step(Fact("E(norm(X1)**2) >= 0"), ByRule("expectation of a square", {"X": "norm(X1)"})),
        Step(
            Fact("sqrt(M*E(norm(X1)**2)) <= sqrt(V)"),
            Follows(("variance", 3)),
        ),
        Step(
            Fact(f"{BERNSTEIN_BOUND.replace('sqrt(V)', 'sqrt(M*E(norm(X1)**2))')} <= {BERNSTEIN_BOUND}"),
            Follows((4, 3, 2), ("1 + sqrt(2*log(1/rho))", "", "")),
            "sum E|X_l|^2 <= V",
        ),
        Step(
            Fact(
                f"P(norm(X) > {BERNSTEIN_BOUND}) "
                f"<= P(norm(X) > {BERNSTEIN_BOUND.replace('sqrt(V)', 'sqrt(M*E(norm(X1)**2))')})"
            ),
            ByRule(
                "larger level",
                {
                    "X": "norm(X)",
                    "b": BERNSTEIN_BOUND,
                    "a": BERNSTEIN_BOUND.replace("sqrt(V)", "sqrt(M*E(norm(X1)**2))"),
                },
                using=(5,),
            ),
        ),
        Step(Fact(f"P(norm(X) > {BERNSTEIN_BOUND}) <= rho"), Follows((1, 6))),
    ),
    bound=BERNSTEIN_BOUND,
    twins=(Twin("the constant 1 of the variance term lowered to 0.99", {"> sqrt(V)*": "> 0.99*sqrt(V)*"}),),
)

_CLIPPED = "clip(slopeF(x, u), tau)"
_SUMMAND = f"({_CLIPPED}*u - E({_CLIPPED}*u))"
FLUCTUATION_BOUND = (
    "8*d/sqrt(M)*S**(p/2)*tau**(1 - p/2)*sqrt(1 + log(tau/S))*(1 + sqrt(2*log(1/rho))) + 8*d*tau/(3*M)*log(1/rho)"
)
_VARIANCE = "64*d**2/M*S**p*tau**(2 - p)*(1 + log(tau/S))"
_RANGE = "2*d*tau/M"
_BERNSTEIN = f"sqrt({_VARIANCE})*(1 + sqrt(2*log(1/rho))) + 4*({_RANGE})/3*log(1/rho)"


def summand_steps() -> tuple[Step, ...]:
    """The summands X_l = (d/M)(psi_tau(Y_l) u_l - E[psi_tau(Y) u]): range, variance, centring; all steps named."""
    return (
        Step(Fact("norm(u) == 1"), ByRule("unit length", {"u": "u", "d": "d"}, using=("direction",)), name="unit"),
        Step(
            Fact(f"norm({_CLIPPED}*u) == abs({_CLIPPED})*norm(u)"),
            ByRule("norm scale", {"c": _CLIPPED, "v": "u"}),
            name="clipped norm",
        ),
        Step(Fact(f"abs({_CLIPPED}) <= tau"), Follows(()), name="clipped"),
        Step(
            Fact(f"norm({_CLIPPED}*u) <= tau"),
            Follows(("unit", "clipped norm", "clipped")),
            "|psi_tau(Y) u| <= tau",
            name="clipped range",
        ),
        Step(
            Fact(f"norm{_SUMMAND} <= norm({_CLIPPED}*u) + norm(E({_CLIPPED}*u))"),
            ByRule("norm of a difference", {"v": f"{_CLIPPED}*u", "w": f"E({_CLIPPED}*u)"}),
            name="centred norm",
        ),
        Step(
            Fact("norm(X1) == norm(d/M*" + _SUMMAND + ")"),
            ByRule("norm of equals", {"v": "X1", "w": f"d/M*{_SUMMAND}"}, using=("summand",)),
            name="summand norm",
        ),
        Step(
            Fact(f"norm(d/M*{_SUMMAND}) == abs(d/M)*norm{_SUMMAND}"),
            ByRule("norm scale", {"c": "d/M", "v": _SUMMAND}),
            name="summand scale",
        ),
        Step(Fact("abs(d/M) == d/M"), Decide(), name="factor"),
        Step(
            Fact(f"norm(X1) <= d/M*(tau + norm(E({_CLIPPED}*u)))"),
            Follows(
                ("summand norm", "summand scale", "factor", "centred norm", "clipped range"),
                ("", "", "", "d/M", "d/M"),
            ),
            "|X_l| <= (d/M)(|Y~| + |E Y~ u|)",
            name="summand range",
        ),
        Step(
            Fact(f"E(norm{_SUMMAND}**2) <= E(norm({_CLIPPED}*u)**2)"),
            ByRule("variance below second moment", {"X": f"{_CLIPPED}*u"}),
            "E|Z - EZ|^2 <= E|Z|^2",
            name="centring",
        ),
        Step(
            Fact(f"norm({_CLIPPED}*u)**2 == {_CLIPPED}**2"),
            Follows(("unit", "clipped norm")),
            "|u| = 1",
            name="clipped square",
        ),
        Step(
            Fact(f"E(norm({_CLIPPED}*u)**2) == E({_CLIPPED}**2)"),
            ByRule(
                "expectation of equals",
                {"X": f"norm({_CLIPPED}*u)**2", "Y": f"{_CLIPPED}**2"},
                using=("clipped square",),
            ),
            name="clipped mean",
        ),
        Step(
            Fact(f"norm(X1)**2 == (d/M)**2*norm{_SUMMAND}**2"),
            Follows(("summand norm", "summand scale", "factor")),
            name="summand square",
        ),
        Step(
            Fact(f"E(norm(X1)**2) == E((d/M)**2*norm{_SUMMAND}**2)"),
            ByRule(
                "expectation of equals",
                {"X": "norm(X1)**2", "Y": f"(d/M)**2*norm{_SUMMAND}**2"},
                using=("summand square",),
            ),
            name="summand mean",
        ),
        Step(
            Fact(f"E((d/M)**2*norm{_SUMMAND}**2) == (d/M)**2*E(norm{_SUMMAND}**2)"),
            ByRule("expectation scale", {"c": "(d/M)**2", "X": f"norm{_SUMMAND}**2"}),
            name="summand mean scaled",
        ),
        Step(
            Fact(f"M*E(norm(X1)**2) <= d**2/M*E({_CLIPPED}**2)"),
            Follows(("summand mean", "summand mean scaled", "centring", "clipped mean"), ("", "", "d**2/M", "")),
            "sum E|X_l|^2 <= (d^2/M) E[Y~^2]",
            name="variance",
        ),
        Step(
            Fact(f"E({_SUMMAND}) == E({_CLIPPED}*u) - E(E({_CLIPPED}*u))"),
            ByRule("expectation shift", {"X": f"{_CLIPPED}*u", "Y": f"E({_CLIPPED}*u)"}),
            name="shifted",
        ),
        Step(
            Fact(f"E(E({_CLIPPED}*u)) == E({_CLIPPED}*u)"),
            ByRule("expectation of a constant", {"c": f"E({_CLIPPED}*u)"}),
            name="constant",
        ),
        Step(
            Fact(f"E(X1) == E(d/M*{_SUMMAND})"),
            ByRule("expectation of equals", {"X": "X1", "Y": f"d/M*{_SUMMAND}"}, using=("summand",)),
            name="mean",
        ),
        Step(
            Fact(f"E(d/M*{_SUMMAND}) == d/M*E({_SUMMAND})"),
            ByRule("expectation scale", {"c": "d/M", "X": _SUMMAND}),
            name="mean scaled",
        ),
        Step(
            Fact("E(X1) == 0"),
            Follows(("shifted", "constant", "mean", "mean scaled")),
            "the summands are centred",
            name="zero mean",
        ),
        Step(
            Fact("norm(E(X1)) == 0"),
            ByRule("norm of zero", {"v": "E(X1)"}, using=("zero mean",)),
            name="centred",
        ),
    )


EMPIRICAL_FLUCTUATION = Statement(
    label="lem:hp-shared-empirical-fluctuation",
    title="Empirical fluctuation of the clipped estimator",
    kind="lemma",
    part=PART,
    text="If f(x) - f_* <= 4 bar Delta_0, rho in (0, 1) and tau >= 4 S_mu, then with probability at least 1 - rho the "
    "centred average A satisfies |A| <= (8d/sqrt(M)) S^(p/2) tau^(1-p/2) sqrt(1 + log(tau/S)) (1 + "
    "sqrt(2 log(1/rho))) "
    "+ (8 d tau/(3M)) log(1/rho).",
    parameters=(*LOCAL, BATCH, TAU_4S, RHO),
    random=("zeta", "u", "U1", "xi", "A", "X1"),
    assumes=("ass:Well-defined", "ass:sample-smooth", "ass:hp-shared-prob"),
    hypotheses={
        **TOTAL_TAIL.hypotheses,
        "summand": Fact(f"X1 == d/M*{_SUMMAND}"),
        "independent sum": Fact("iid(X1, A) == 1"),
    },
    claims=(Fact(f"P(norm(A) > {FLUCTUATION_BOUND}) <= rho"),),
    steps=(
        *summand_steps(),
        Step(
            Fact(f"norm(E({_CLIPPED}*u)) <= E(norm({_CLIPPED}*u))"),
            ByRule("norm of the expectation", {"X": f"{_CLIPPED}*u"}),
            name="mean norm",
        ),
        Step(
            Fact(f"E(norm({_CLIPPED}*u)) <= E(tau)"),
            ByRule("expectation monotone", {"X": f"norm({_CLIPPED}*u)", "Y": "tau"}, using=("clipped range",)),
            name="mean range",
        ),
        Step(Fact("E(tau) == tau"), ByRule("expectation of a constant", {"c": "tau"}), name="tau mean"),
        Step(
            Fact(f"norm(X1) <= {_RANGE}"),
            Follows(("summand range", "mean norm", "mean range", "tau mean"), ("1", "d/M", "d/M", "")),
            "|X_l| <= 2 d tau/M",
            name="range",
        ),
        Step(
            Fact(f"P(abs(slopeF(x, u)) > t) <= {TAIL_BOUND}", over=("t",), where=("t >= 4*S",)),
            Cite("lem:hp-shared-directional-total-tail", part=1),
        ),
        Step(
            Fact(f"E({_CLIPPED}**2) <= {SECOND_MOMENT_BOUND}"),
            Cite("lem:hp-shared-clipped-second-moment", {"Z": "slopeF(x, u)"}),
            name="second moment",
        ),
        Step(
            Fact(f"M*E(norm(X1)**2) <= {_VARIANCE}"),
            Follows(("variance", "second moment"), ("1", "d**2/M")),
            "V <= (64 d^2/M) S^p tau^(2-p) (1 + log(tau/S))",
            name="V",
        ),
        Step(Fact("1 + log(tau/S) >= 0"), Decide(), name="log"),
        Step(Fact(f"{_VARIANCE} >= 0"), Follows(("log",), ("64*d**2/M*S**p*tau**(2 - p)",)), name="V sign"),
        Step(
            Fact(f"P(norm(A) > {_BERNSTEIN}) <= rho"),
            Cite("lem:hp-shared-vector-bernstein", {"X": "A", "R": _RANGE, "V": _VARIANCE}, using=("V sign",)),
            "vector Bernstein",
            name="Bernstein",
        ),
        Step(
            Fact(f"sqrt({_VARIANCE}) == 8*d/sqrt(M)*S**(p/2)*tau**(1 - p/2)*sqrt(1 + log(tau/S))"),
            Decide(("log",)),
            name="root",
        ),
        Step(
            Fact(f"{_BERNSTEIN} <= {FLUCTUATION_BOUND}"),
            Follows(("root", "log"), ("1 + sqrt(2*log(1/rho))", "")),
            name="levels",
        ),
        Step(
            Fact(f"P(norm(A) > {FLUCTUATION_BOUND}) <= P(norm(A) > {_BERNSTEIN})"),
            ByRule("larger level", {"X": "norm(A)", "b": FLUCTUATION_BOUND, "a": _BERNSTEIN}, using=("levels",)),
            name="larger",
        ),
        Step(Fact(f"P(norm(A) > {FLUCTUATION_BOUND}) <= rho"), Follows(("Bernstein", "larger"))),
    ),
    bound=FLUCTUATION_BOUND,
    twins=(
        Twin("the constant 8 of the variance term lowered to 7.9", {"8*d/sqrt(M)": "7.9*d/sqrt(M)"}),
        Twin("the constant 8/3 of the range term lowered to 7.9/3", {"8*d*tau/(3*M)": "7.9*d*tau/(3*M)"}),
    ),
)
STATEMENTS = (BERNSTEIN_CITED, VECTOR_BERNSTEIN, EMPIRICAL_FLUCTUATION)
