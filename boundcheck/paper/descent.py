"""The one-step descent inequality of base RSC-ZO, in the main text and in the appendix."""

from __future__ import annotations

from dataclasses import replace

from boundcheck.kernel.statement import ByRule, Cite, Decide, Fact, Follows, Statement, Step, Twin, Use
from boundcheck.paper.smoothness import BALL
from boundcheck.paper.symbols import ALPHA, SMOOTH_F, D, L

PART = "Base: descent"
_E = "(g - gradfmu(x))"

ONE_STEP = Statement(
    label="prop:hp-shared-onestep",
    title="One-step descent inequality",
    kind="proposition",
    part=PART,
    text="If f is L-smooth and 0 < alpha <= 1/(4L), then f_mu(x - alpha g) <= f_mu(x) - (alpha/2)|grad f_mu(x)|^2 "
    "+ (5 alpha/4)|g - grad f_mu(x)|^2.",
    parameters=(D, L, ALPHA),
    random=("v",),
    hypotheses={"smooth": SMOOTH_F, "ball": BALL},
    claims=(Fact(f"fmu(x - alpha*g) <= fmu(x) - alpha/2*norm(gradfmu(x))**2 + 5*alpha/4*norm{_E}**2"),),
    steps=(
        Step(
            Fact("gradfmu(x) == E(gradf(x + mu*v))", over=("x",)),
            ByRule("smoothing of the gradient", {"x": "x"}, using=("ball", "smooth")),
        ),
        Step(
            Fact("E(gradf(y + mu*v) - gradf(z + mu*v)) == E(gradf(y + mu*v)) - E(gradf(z + mu*v))", over=("y", "z")),
            ByRule("expectation shift", {"X": "gradf(y + mu*v)", "Y": "gradf(z + mu*v)"}),
        ),
        Step(
            Fact("gradfmu(y) - gradfmu(z) == E(gradf(y + mu*v) - gradf(z + mu*v))", over=("y", "z")),
            Follows((Use(1, {"x": "y"}), Use(1, {"x": "z"}), 2)),
        ),
        Step(
            Fact("norm(gradfmu(y) - gradfmu(z)) == norm(E(gradf(y + mu*v) - gradf(z + mu*v)))", over=("y", "z")),
            ByRule(
                "norm of equals",
                {"v": "gradfmu(y) - gradfmu(z)", "w": "E(gradf(y + mu*v) - gradf(z + mu*v))"},
                using=(3,),
            ),
        ),
        Step(
            Fact(
                "norm(E(gradf(y + mu*v) - gradf(z + mu*v))) <= E(norm(gradf(y + mu*v) - gradf(z + mu*v)))",
                over=("y", "z"),
            ),
            ByRule("norm of the expectation", {"X": "gradf(y + mu*v) - gradf(z + mu*v)"}),
        ),
        Step(
            Fact("E(norm(gradf(y + mu*v) - gradf(z + mu*v))) <= E(L*norm(y - z))", over=("y", "z")),
            ByRule(
                "expectation monotone",
                {"X": "norm(gradf(y + mu*v) - gradf(z + mu*v))", "Y": "L*norm(y - z)"},
                using=(Use("smooth", {"y": "y + mu*v", "z": "z + mu*v"}),),
            ),
        ),
        Step(
            Fact("E(L*norm(y - z)) == L*norm(y - z)", over=("y", "z")),
            ByRule("expectation of a constant", {"c": "L*norm(y - z)"}),
        ),
        Step(
            Fact("norm(gradfmu(y) - gradfmu(z)) <= L*norm(y - z)", over=("y", "z")),
            Follows((4, 5, 6, 7)),
            "the smoothing f_mu is L-smooth",
        ),
        Step(
            Fact("fmu(x - alpha*g) <= fmu(x) + dot(gradfmu(x), -alpha*g) + L/2*norm(-alpha*g)**2"),
            ByRule("descent lemma, smoothed", {"x": "x", "h": "-alpha*g"}, using=(8,)),
            "smoothness inequality for f_mu",
        ),
        Step(
            Fact("dot(gradfmu(x), -alpha*g) == -alpha*dot(gradfmu(x), g)"),
            ByRule("dot of a multiple", {"c": "-alpha", "v": "gradfmu(x)", "w": "g"}),
        ),
        Step(
            Fact("norm(-alpha*g) == abs(-alpha)*norm(g)"),
            ByRule("norm scale", {"c": "-alpha", "v": "g"}),
        ),
        Step(
            Fact("fmu(x - alpha*g) <= fmu(x) - alpha*dot(gradfmu(x), g) + L*alpha**2/2*norm(g)**2"),
            Follows((9, 10, 11), ("1", "", "")),
            "x^+ - x = -alpha g",
        ),
        Step(
            Fact(f"dot(gradfmu(x), gradfmu(x) + {_E}) == dot(gradfmu(x), gradfmu(x)) + dot(gradfmu(x), {_E})"),
            ByRule("dot of a sum", {"v": "gradfmu(x)", "w": "gradfmu(x)", "z": _E}),
            "g = grad f_mu + e",
        ),
        Step(
            Fact("dot(gradfmu(x), gradfmu(x)) == norm(gradfmu(x))**2"),
            ByRule("dot with itself", {"v": "gradfmu(x)"}),
        ),
        Step(
            Fact(f"dot(gradfmu(x), g) == norm(gradfmu(x))**2 + dot(gradfmu(x), {_E})"),
            Follows((13, 14)),
            "<grad f_mu, g> = |grad f_mu|^2 + <grad f_mu, e>",
        ),
        Step(
            Fact(f"norm(gradfmu(x) + {_E})**2 == norm(gradfmu(x))**2 + 2*dot(gradfmu(x), {_E}) + norm{_E}**2"),
            ByRule("square of a sum", {"v": "gradfmu(x)", "w": _E}),
        ),
        Step(
            Fact(f"abs(dot(gradfmu(x), {_E})) <= norm(gradfmu(x))*norm{_E}"),
            ByRule("Cauchy-Schwarz", {"v": "gradfmu(x)", "w": _E}),
        ),
        Step(
            Fact("2*a*b <= a**2 + b**2", over=("a", "b")),
            Decide(),
        ),
        Step(
            Fact(f"norm(g)**2 <= 2*norm(gradfmu(x))**2 + 2*norm{_E}**2"),
            Follows((16, 17, Use(18, {"a": "norm(gradfmu(x))", "b": f"norm{_E}"}))),
            "|g|^2 <= 2|grad f_mu|^2 + 2|e|^2",
        ),
        Step(Fact("a*b <= a**2/4 + b**2", over=("a", "b")), Decide(), "Young"),
        Step(
            Fact(f"abs(dot(gradfmu(x), {_E})) <= norm(gradfmu(x))**2/4 + norm{_E}**2"),
            Follows((17, Use(20, {"a": "norm(gradfmu(x))", "b": f"norm{_E}"}))),
            "|<grad f_mu, e>| <= |grad f_mu|^2/4 + |e|^2",
        ),
        Step(
            Fact(f"-dot(gradfmu(x), {_E}) <= abs(dot(gradfmu(x), {_E}))"),
            Follows(()),
        ),
        Step(
            Fact(
                "fmu(x - alpha*g) <= fmu(x) - alpha*(3/4 - L*alpha)*norm(gradfmu(x))**2 "
                f"+ alpha*(1 + L*alpha)*norm{_E}**2"
            ),
            Follows((12, 15, 19, 21, 22), ("1", "", "L*alpha**2/2", "alpha", "alpha")),
        ),
        Step(Fact("3/4 - L*alpha >= 1/2"), Decide(), "alpha <= 1/(4L)"),
        Step(Fact("1 + L*alpha <= 5/4"), Decide(), "alpha <= 1/(4L)"),
        Step(
            Fact(f"fmu(x - alpha*g) <= fmu(x) - alpha/2*norm(gradfmu(x))**2 + 5*alpha/4*norm{_E}**2"),
            Follows((23, 24, 25), ("1", "alpha*norm(gradfmu(x))**2", f"alpha*norm{_E}**2")),
        ),
    ),
    twins=(
        Twin("the coefficient alpha/2 raised to 0.51 alpha", {"alpha/2*norm(gradfmu": "0.51*alpha*norm(gradfmu"}),
        Twin("the step range 1/(4L) widened to 1/(3L)", {"alpha <= 1/(4*L)": "alpha <= 1/(3*L)"}),
    ),
)
ONE_STEP_MAIN = replace(
    ONE_STEP,
    label="prop:descent-main",
    title="One-step descent inequality (main text)",
    steps=(Step(ONE_STEP.claims[0], Cite("prop:hp-shared-onestep"), "the appendix form, prop:hp-shared-onestep"),),
    twins=(Twin("the step range 1/(4L) widened to 1/(3L)", {"alpha <= 1/(4*L)": "alpha <= 1/(3*L)"}),),
)
STATEMENTS = (ONE_STEP, ONE_STEP_MAIN)
