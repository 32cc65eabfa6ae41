"""Beyond the paper: the quadratic inequalities with their best constants, each from its smoothness facts alone."""

from __future__ import annotations

from boundcheck.kernel.statement import ByGram, Fact, Parameter, Statement, Step, Twin
from boundcheck.paper.momentum_symbols import BETA
from boundcheck.paper.symbols import L

PART = "Beyond the paper"
_STEP_L = Parameter("alpha", "stepsize", ("alpha > 0", "alpha <= 1/L"))
_STEP = Parameter("alpha", "stepsize", ("alpha > 0",))
_ONE_STEP = "fmu(y) <= fmu(x) - alpha/2*norm(G)**2 + {c}*alpha*norm(e)**2"

ONE_STEP = Statement(
    label="app:sharp-onestep",
    title="One-step descent with its best constant and step range",
    kind="proposition",
    part=PART,
    text="For every alpha <= 1/L: f_mu(x - alpha g) <= f_mu(x) - (alpha/2)|grad f_mu(x)|^2 + (alpha/2)|g - grad "
    "f_mu(x)|^2.",
    parameters=(L, _STEP_L),
    hypotheses={
        "estimate": Fact("g == G + e"),
        "smooth": Fact("fmu(y) <= fmu(x) - alpha*dot(G, g) + L*alpha**2/2*norm(g)**2"),
    },
    claims=(Fact(_ONE_STEP.format(c="1/2")),),
    steps=(
        Step(
            Fact(_ONE_STEP.format(c="1/2")),
            ByGram(
                ("G", "g", "e"),
                using=("estimate", "smooth"),
                sharp={
                    "1/2": (_ONE_STEP.format(c="c"),),
                    "1": (_ONE_STEP.format(c="1/2"), "alpha <= c/L"),
                },
            ),
        ),
    ),
    twins=(
        Twin("the constant 1/2 of the error lowered to 0.49", {"1/2*alpha*norm(e)": "0.49*alpha*norm(e)"}),
        Twin("the step range 1/L widened to 1.05/L", {"alpha <= 1/L": "alpha <= 1.05/L"}),
    ),
    note="G = grad f_mu(x), y = x - alpha g. Equality in the smoothness fact: f = L|x|^2/2, so that nothing below is "
    "true for all f.",
)
_LYAPUNOV = (
    "fmu(y) + 2*alpha/(1 - beta)*norm(w)**2 <= fmu(x) + 2*alpha/(1 - beta)*norm(u)**2 - alpha/2*norm(G)**2 "
    "- {c}*alpha*norm(m)**2 + alpha*(U**2 + 4*B**2)"
)
_FACTS = {
    "error": Fact("m == G + u + z"),
    "recurrence": Fact("w == beta*u + (1 - beta)*b + r"),
    "smooth": Fact("fmu(y) <= fmu(x) - alpha*dot(G, m) + L*alpha**2/2*norm(m)**2"),
    "bias": Fact("norm(b) <= B"),
    "drift": Fact("norm(r) <= beta*L*alpha*norm(m)"),
    "good": Fact("norm(z) <= U"),
}
_LENGTHS = (
    Parameter("B", "bound of the bias", ("B >= 0",)),
    Parameter("U", "bound of the fluctuation", ("U >= 0",)),
)
_VECTORS = ("G", "m", "u", "w", "z", "b", "r", "B", "U")
_RANGE = "{k}*beta**2*L**2*alpha**2 <= (1 - beta)**2"

LYAPUNOV = Statement(
    label="app:sharp-lyapunov",
    title="The Lyapunov step for larger steps, from its facts at once",
    kind="theorem",
    part=PART,
    text="With alpha <= 1/(2L) the Lyapunov inequality holds for alpha <= (1-beta)/(sqrt(13) beta L), in place of "
    "(1-beta)/(sqrt(48) beta L); and with 48 the coefficient 1/8 of |m_t|^2 may be 1/3.",
    parameters=(L, BETA, _STEP, *_LENGTHS),
    hypotheses=_FACTS,
    claims=(
        Fact(_LYAPUNOV.format(c="1/8"), where=("alpha <= 1/(2*L)", _RANGE.format(k="13"))),
        Fact(_LYAPUNOV.format(c="1/3"), where=("alpha <= 1/(2*L)", _RANGE.format(k="48"))),
    ),
    steps=(
        Step(
            Fact(_LYAPUNOV.format(c="1/8"), where=("alpha <= 1/(2*L)", _RANGE.format(k="13"))),
            ByGram(_VECTORS, using=tuple(_FACTS)),
            name="range",
        ),
        Step(
            Fact(_LYAPUNOV.format(c="1/3"), where=("alpha <= 1/(2*L)", _RANGE.format(k="48"))),
            ByGram(_VECTORS, using=tuple(_FACTS), sharp={"1/3": (_LYAPUNOV.format(c="c"),)}),
            name="coefficient",
        ),
    ),
    concludes=(("range",), ("coefficient",)),
    twins=(
        Twin("the range 13 lowered to 10", {"13*beta**2": "10*beta**2"}),
        Twin("the coefficient 1/3 raised to 0.4", {"1/3*alpha*norm(m)": "0.4*alpha*norm(m)"}),
    ),
)
STATEMENTS = (ONE_STEP, LYAPUNOV)
