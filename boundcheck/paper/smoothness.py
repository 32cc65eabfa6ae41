"""Smoothness, spherical smoothing, and the one-step descent of the base method."""

from __future__ import annotations

from boundcheck.kernel.statement import ByRule, Decide, Fact, Follows, Statement, Step, Twin, Use
from boundcheck.paper.symbols import BELOW, DIRECTION, MU, SMOOTH_F, SMOOTH_SAMPLE, D, L

PART = "Smoothness and descent"
BALL = Fact("law(v) == ball(d)")

F_SMOOTH = Statement(
    label="rem:f-smooth",
    title="f is L-smooth, and its gradient is the mean of the sample gradients",
    kind="remark",
    part=PART,
    text="If E|grad F(x0; xi)| is finite at one point x0, then grad f(x) = E grad F(x; xi) and f is L-smooth.",
    parameters=(L,),
    random=("xi",),
    assumes=("ass:sample-smooth",),
    hypotheses={
        "sample smooth": SMOOTH_SAMPLE,
        "integrable": Fact("E(norm(gradF(x0))) <= G0"),
    },
    claims=(
        Fact("gradf(x) == E(gradF(x))", over=("x",)),
        Fact("norm(gradf(x) - gradf(y)) <= L*norm(x - y)", over=("x", "y")),
    ),
    steps=(
        Step(
            Fact("norm(gradF(y)) <= norm(gradF(y) - gradF(x0)) + norm(gradF(x0))", over=("y",)),
            ByRule("triangle", {"v": "gradF(y) - gradF(x0)", "w": "gradF(x0)"}),
        ),
        Step(
            Fact("norm(gradF(y)) <= norm(gradF(x0)) + L*norm(y - x0)", over=("y",)),
            Follows((1, Use("sample smooth", {"z": "x0"}))),
            "sup over K of |grad F(x; xi)| <= |grad F(x0; xi)| + L sup |x - x0|",
        ),
        Step(
            Fact("gradf(x) == E(gradF(x))", over=("x",)),
            ByRule("dominated differentiation", {"x": "x", "y": "y", "g": "G0"}, using=(2, "integrable")),
            "dominated convergence",
        ),
        Step(
            Fact("E(gradF(x) - gradF(y)) == E(gradF(x)) - E(gradF(y))", over=("x", "y")),
            ByRule("expectation shift", {"X": "gradF(x)", "Y": "gradF(y)"}),
        ),
        Step(
            Fact("gradf(x) - gradf(y) == E(gradF(x) - gradF(y))", over=("x", "y")),
            Follows((3, Use(3, {"x": "y"}), 4)),
        ),
        Step(
            Fact("norm(gradf(x) - gradf(y)) == norm(E(gradF(x) - gradF(y)))", over=("x", "y")),
            ByRule("norm of equals", {"v": "gradf(x) - gradf(y)", "w": "E(gradF(x) - gradF(y))"}, using=(5,)),
        ),
        Step(
            Fact("norm(E(gradF(x) - gradF(y))) <= E(norm(gradF(x) - gradF(y)))", over=("x", "y")),
            ByRule("norm of the expectation", {"X": "gradF(x) - gradF(y)"}),
            "<= E|grad F(x; xi) - grad F(y; xi)|",
        ),
        Step(
            Fact("E(norm(gradF(x) - gradF(y))) <= E(L*norm(x - y))", over=("x", "y")),
            ByRule(
                "expectation monotone",
                {"X": "norm(gradF(x) - gradF(y))", "Y": "L*norm(x - y)"},
                using=(Use("sample smooth", {"y": "x", "z": "y"}),),
            ),
        ),
        Step(
            Fact("E(L*norm(x - y)) == L*norm(x - y)", over=("x", "y")),
            ByRule("expectation of a constant", {"c": "L*norm(x - y)"}),
        ),
        Step(
            Fact("norm(gradf(x) - gradf(y)) <= L*norm(x - y)", over=("x", "y")),
            Follows((6, 7, 8, 9)),
            "<= L|x - y|",
        ),
    ),
    concludes=((3,), (10,)),
    twins=(
        Twin(
            "the constant L of the conclusion lowered to 0.99 L",
            {"norm(gradf(x) - gradf(y)) <= L*": "norm(gradf(x) - gradf(y)) <= 0.99*L*"},
        ),
    ),
)

SMOOTHING_IDENTITIES = Statement(
    label="app:smoothing-identities",
    title="Spherical smoothing identities",
    kind="equation",
    part=PART,
    text="grad f_mu(x) = (d/mu) E[f(x + mu u) u] = d E[D_mu f(x, u) u] for u uniform on the sphere.",
    parameters=(D, L, MU),
    random=("u",),
    hypotheses={"smooth": SMOOTH_F, "direction": DIRECTION},
    claims=(
        Fact("gradfmu(x) == d/mu*E(f(x + mu*u)*u)"),
        Fact("gradfmu(x) == d*E(slopef(x, u)*u)"),
    ),
    steps=(
        Step(
            Fact("gradfmu(x) == d/mu*E(f(x + mu*u)*u)"),
            ByRule("divergence on the ball", {"x": "x"}, using=("direction",)),
        ),
        Step(
            Fact("E(f(x + mu*u)*u) == E(-f(x - mu*u)*u)"),
            ByRule("symmetry of the sphere", {"G": "f(x + mu*u)*u"}, using=("direction",)),
            "u and -u have the same law",
        ),
        Step(
            Fact("slopef(x, u) == (f(x + mu*u) - f(x - mu*u))/(2*mu)"),
            ByRule("two-point slope", {"x": "x", "u": "u"}),
            "definition of D_mu f",
        ),
        Step(
            Fact("slopef(x, u)*u == 1/(2*mu)*(f(x + mu*u)*u - f(x - mu*u)*u)"),
            Follows((3,)),
        ),
        Step(
            Fact("E(slopef(x, u)*u) == E(1/(2*mu)*(f(x + mu*u)*u - f(x - mu*u)*u))"),
            ByRule(
                "expectation of equals",
                {"X": "slopef(x, u)*u", "Y": "1/(2*mu)*(f(x + mu*u)*u - f(x - mu*u)*u)"},
                using=(4,),
            ),
        ),
        Step(
            Fact("E(1/(2*mu)*(f(x + mu*u)*u - f(x - mu*u)*u)) == 1/(2*mu)*E(f(x + mu*u)*u - f(x - mu*u)*u)"),
            ByRule("expectation scale", {"c": "1/(2*mu)", "X": "f(x + mu*u)*u - f(x - mu*u)*u"}),
        ),
        Step(
            Fact("E(f(x + mu*u)*u - f(x - mu*u)*u) == E(f(x + mu*u)*u) - E(f(x - mu*u)*u)"),
            ByRule("expectation shift", {"X": "f(x + mu*u)*u", "Y": "f(x - mu*u)*u"}),
        ),
        Step(
            Fact("E((-1)*(f(x - mu*u)*u)) == (-1)*E(f(x - mu*u)*u)"),
            ByRule("expectation scale", {"c": "-1", "X": "f(x - mu*u)*u"}),
        ),
        Step(
            Fact("gradfmu(x) == d*E(slopef(x, u)*u)"),
            Follows((1, 2, 5, 6, 7, 8)),
            "two-point form",
        ),
    ),
    concludes=((1,), (9,)),
    twins=(
        Twin(
            "the factor 2 mu of the slope replaced by mu in the two-point form",
            {"gradfmu(x) == d*E(slopef(x, u)*u)": "gradfmu(x) == 2*d*E(slopef(x, u)*u)"},
        ),
    ),
)

GRADIENT_SUBOPTIMALITY = Statement(
    label="lem:hp-shared-grad-subopt",
    title="Gradient bound from suboptimality",
    kind="lemma",
    part=PART,
    text="If f is L-smooth and bounded below by f_*, then |grad f(x)|^2 <= 2 L (f(x) - f_*).",
    parameters=(L,),
    hypotheses={"smooth": SMOOTH_F, "below": BELOW},
    claims=(Fact("norm(gradf(x))**2 <= 2*L*(f(x) - fstar)"),),
    steps=(
        Step(
            Fact("f(x - 1/L*gradf(x)) <= f(x) + dot(gradf(x), -1/L*gradf(x)) + L/2*norm(-1/L*gradf(x))**2"),
            ByRule("descent lemma", {"x": "x", "h": "-1/L*gradf(x)"}, using=("smooth",)),
        ),
        Step(
            Fact("dot(gradf(x), -1/L*gradf(x)) == -1/L*dot(gradf(x), gradf(x))"),
            ByRule("dot of a multiple", {"c": "-1/L", "v": "gradf(x)", "w": "gradf(x)"}),
        ),
        Step(
            Fact("dot(gradf(x), gradf(x)) == norm(gradf(x))**2"),
            ByRule("dot with itself", {"v": "gradf(x)"}),
        ),
        Step(
            Fact("norm(-1/L*gradf(x)) == abs(-1/L)*norm(gradf(x))"),
            ByRule("norm scale", {"c": "-1/L", "v": "gradf(x)"}),
        ),
        Step(Fact("abs(-1/L) == 1/L"), Decide()),
        Step(
            Fact("f(x - 1/L*gradf(x)) <= f(x) - 1/(2*L)*norm(gradf(x))**2"),
            Follows((1, 2, 3, 4, 5), ("1", "", "", "", "")),
            "descent along -grad f(x)/L",
        ),
        Step(
            Fact("fstar <= f(x - 1/L*gradf(x))"),
            Follows((Use("below", {"y": "x - 1/L*gradf(x)"}),)),
            "f_* is a lower bound",
        ),
        Step(
            Fact("norm(gradf(x))**2 <= 2*L*(f(x) - fstar)"),
            Follows((6, 7), ("2*L", "2*L")),
        ),
    ),
    bound="2*L*gap",
    twins=(Twin("the constant 2 lowered to 1.99", {"2*L*(f(x)": "1.99*L*(f(x)"}),),
)

SMOOTHING_BIAS = Statement(
    label="lem:hp-shared-smoothing-bias",
    title="Smoothing bias",
    kind="lemma",
    part=PART,
    text="If f is L-smooth, then |f_mu(x) - f(x)| <= L mu^2/2 and |grad f_mu(x) - grad f(x)| <= L mu.",
    parameters=(D, L, MU),
    random=("v",),
    hypotheses={"smooth": SMOOTH_F, "ball": BALL},
    claims=(
        Fact("abs(fmu(x) - f(x)) <= L*mu**2/2"),
        Fact("norm(gradfmu(x) - gradf(x)) <= L*mu"),
    ),
    steps=(
        Step(
            Fact("abs(f(x + mu*v) - f(x) - dot(gradf(x), mu*v)) <= L/2*norm(mu*v)**2"),
            ByRule("quadratic bound", {"x": "x", "h": "mu*v"}, using=("smooth",)),
        ),
        Step(Fact("norm(mu*v) == abs(mu)*norm(v)"), ByRule("norm scale", {"c": "mu", "v": "v"})),
        Step(Fact("norm(v) <= 1"), ByRule("in the ball", {"v": "v", "d": "d"}, using=("ball",))),
        Step(Fact("norm(v)**2 <= 1"), Follows((3,)), "|v|^2 <= 1"),
        Step(
            Fact("L/2*norm(mu*v)**2 <= L*mu**2/2"),
            Follows((2, 4), ("", "L*mu**2/2")),
            "L mu^2 |v|^2/2 <= L mu^2/2",
        ),
        Step(
            Fact("abs(f(x + mu*v) - f(x) - dot(gradf(x), mu*v)) <= L*mu**2/2"),
            Follows((1, 5)),
        ),
        Step(
            Fact(
                "abs(E(f(x + mu*v) - f(x) - dot(gradf(x), mu*v))) <= E(abs(f(x + mu*v) - f(x) - dot(gradf(x), mu*v)))"
            ),
            ByRule("modulus of the expectation", {"X": "f(x + mu*v) - f(x) - dot(gradf(x), mu*v)"}),
        ),
        Step(
            Fact("E(abs(f(x + mu*v) - f(x) - dot(gradf(x), mu*v))) <= E(L*mu**2/2)"),
            ByRule(
                "expectation monotone",
                {"X": "abs(f(x + mu*v) - f(x) - dot(gradf(x), mu*v))", "Y": "L*mu**2/2"},
                using=(6,),
            ),
        ),
        Step(Fact("E(L*mu**2/2) == L*mu**2/2"), ByRule("expectation of a constant", {"c": "L*mu**2/2"})),
        Step(
            Fact("E((f(x + mu*v) - f(x)) - dot(gradf(x), mu*v)) == E(f(x + mu*v) - f(x)) - E(dot(gradf(x), mu*v))"),
            ByRule("expectation shift", {"X": "f(x + mu*v) - f(x)", "Y": "dot(gradf(x), mu*v)"}),
        ),
        Step(
            Fact("E(f(x + mu*v) - f(x)) == E(f(x + mu*v)) - E(f(x))"),
            ByRule("expectation shift", {"X": "f(x + mu*v)", "Y": "f(x)"}),
        ),
        Step(Fact("E(f(x)) == f(x)"), ByRule("expectation of a constant", {"c": "f(x)"})),
        Step(
            Fact("dot(gradf(x), mu*v) == mu*dot(gradf(x), v)"),
            ByRule("dot of a multiple", {"c": "mu", "v": "gradf(x)", "w": "v"}),
        ),
        Step(
            Fact("E(dot(gradf(x), mu*v)) == E(mu*dot(gradf(x), v))"),
            ByRule("expectation of equals", {"X": "dot(gradf(x), mu*v)", "Y": "mu*dot(gradf(x), v)"}, using=(13,)),
        ),
        Step(
            Fact("E(mu*dot(gradf(x), v)) == mu*E(dot(gradf(x), v))"),
            ByRule("expectation scale", {"c": "mu", "X": "dot(gradf(x), v)"}),
        ),
        Step(
            Fact("E(dot(gradf(x), v)) == 0"),
            ByRule("centre of the ball", {"w": "gradf(x)", "v": "v", "d": "d"}, using=("ball",)),
            "E[v] = 0",
        ),
        Step(Fact("fmu(x) == E(f(x + mu*v))"), ByRule("smoothing of the value", {"x": "x"}, using=("ball",))),
        Step(
            Fact("abs(fmu(x) - f(x)) <= L*mu**2/2"),
            Follows((7, 8, 9, 10, 11, 12, 14, 15, 16, 17)),
            "|f_mu(x) - f(x)| <= L mu^2/2",
        ),
        Step(
            Fact("gradfmu(x) == E(gradf(x + mu*v))"),
            ByRule("smoothing of the gradient", {"x": "x"}, using=("ball", "smooth")),
        ),
        Step(Fact("E(gradf(x)) == gradf(x)"), ByRule("expectation of a constant", {"c": "gradf(x)"})),
        Step(
            Fact("E(gradf(x + mu*v) - gradf(x)) == E(gradf(x + mu*v)) - E(gradf(x))"),
            ByRule("expectation shift", {"X": "gradf(x + mu*v)", "Y": "gradf(x)"}),
        ),
        Step(
            Fact("gradfmu(x) - gradf(x) == E(gradf(x + mu*v) - gradf(x))"),
            Follows((19, 20, 21)),
        ),
        Step(
            Fact("norm(gradfmu(x) - gradf(x)) == norm(E(gradf(x + mu*v) - gradf(x)))"),
            ByRule(
                "norm of equals", {"v": "gradfmu(x) - gradf(x)", "w": "E(gradf(x + mu*v) - gradf(x))"}, using=(22,)
            ),
        ),
        Step(
            Fact("norm(E(gradf(x + mu*v) - gradf(x))) <= E(norm(gradf(x + mu*v) - gradf(x)))"),
            ByRule("norm of the expectation", {"X": "gradf(x + mu*v) - gradf(x)"}),
        ),
        Step(
            Fact("norm(gradf(x + mu*v) - gradf(x)) <= L*mu"),
            Follows((Use("smooth", {"y": "x + mu*v", "z": "x"}), 2, 3), ("1", "", "L*mu")),
            "|grad f(x + mu v) - grad f(x)| <= L mu |v| <= L mu",
        ),
        Step(
            Fact("E(norm(gradf(x + mu*v) - gradf(x))) <= E(L*mu)"),
            ByRule("expectation monotone", {"X": "norm(gradf(x + mu*v) - gradf(x))", "Y": "L*mu"}, using=(25,)),
        ),
        Step(Fact("E(L*mu) == L*mu"), ByRule("expectation of a constant", {"c": "L*mu"})),
        Step(Fact("norm(gradfmu(x) - gradf(x)) <= L*mu"), Follows((23, 24, 26, 27))),
    ),
    concludes=((18,), (28,)),
    bound="L*mu",
    twins=(
        Twin(
            "the constant 1/2 of the value lowered to 0.49",
            {"abs(fmu(x) - f(x)) <= L*mu**2/2": "abs(fmu(x) - f(x)) <= 0.49*L*mu**2"},
        ),
        Twin(
            "the constant 1 of the gradient lowered to 0.99",
            {"norm(gradfmu(x) - gradf(x)) <= L*mu": "norm(gradfmu(x) - gradf(x)) <= 0.99*L*mu"},
        ),
    ),
)
LOWER_BOUND = Statement(
    label="app:smoothing-lower-bound",
    title="The smoothing keeps the lower bound",
    kind="remark",
    part=PART,
    text="If f >= f_*, then f_mu >= f_*. (Used silently when the descent inequality is summed.)",
    parameters=(D, MU),
    random=("v",),
    hypotheses={"below": BELOW, "ball": BALL},
    claims=(Fact("fmu(x) >= fstar"),),
    steps=(
        Step(Fact("fmu(x) == E(f(x + mu*v))"), ByRule("smoothing of the value", {"x": "x"}, using=("ball",))),
        Step(
            Fact("E(fstar) <= E(f(x + mu*v))"),
            ByRule(
                "expectation monotone",
                {"X": "fstar", "Y": "f(x + mu*v)"},
                using=(Use("below", {"y": "x + mu*v"}),),
            ),
        ),
        Step(Fact("E(fstar) == fstar"), ByRule("expectation of a constant", {"c": "fstar"})),
        Step(Fact("fmu(x) >= fstar"), Follows((1, 2, 3))),
    ),
    twins=(Twin("the bound raised to f_* + 1", {"fmu(x) >= fstar": "fmu(x) >= fstar + 1"}),),
)
STATEMENTS = (LOWER_BOUND, F_SMOOTH, SMOOTHING_IDENTITIES, GRADIENT_SUBOPTIMALITY, SMOOTHING_BIAS)
