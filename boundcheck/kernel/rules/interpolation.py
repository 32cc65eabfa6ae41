"""Classes of functions and operators as the inequalities that their values at finitely many points satisfy.

Trusted data, like the rule schemas. In the texts x and y are points, g and h what the function (its gradient, or
one of its subgradients) or the operator gives there, u and v the function's values there; the other names are the
class's own. ``pairs`` hold for every ordered pair of different points, ``singles`` at every point. ``exact`` is up
to how many points the inequalities are also sufficient, i.e. some member of the class (on a space of large enough
dimension) takes these values: up to there a counterexample to the inequalities is one to the class; None: for any
number of points.

Sources. [THG] Taylor, Hendrickx, Glineur, Smooth strongly convex interpolation and exact worst-case performance of
first-order methods, Math. Programming 161 (2017). [THG2] the same, Exact worst-case performance of first-order
methods for composite convex optimization, SIAM J. Optimization 27 (2017). [RTBG] Ryu, Taylor, Bergeling, Giselsson,
Operator splitting performance estimation, SIAM J. Optimization 30 (2020). [GSD] Goujaud, Taylor, Dieuleveut,
Optimal first-order methods for convex functions with a quadratic upper bound (2022). [GGT] Guille-Escuret, Ibrahim,
Goujaud, Mitliagkas, Gradient descent is optimal under lower restricted secant inequality and upper error bound
(2022).
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Class:
    """One class; ``parameters`` are the names in its parentheses, ``conditions`` the relations that they satisfy.

    ``operator`` says that a member has no values u, v. A parameter in ``points`` is a point of the method.
    """

    name: str
    parameters: tuple[str, ...]
    source: str
    pairs: tuple[str, ...] = ()
    singles: tuple[str, ...] = ()
    conditions: tuple[str, ...] = ()
    operator: bool = False
    exact: int | None = None
    points: tuple[str, ...] = ()


ALL = (
    # ---- functions
    Class("convex", (), "[THG], Theorem 4 with mu = 0, L = oo", ("u >= v + dot(h, x - y)",)),
    Class(
        "strongly_convex",
        ("mu",),
        "[THG], Theorem 4 with L = oo",
        ("u >= v + dot(h, x - y) + mu/2*norm(x - y)**2",),
        conditions=("mu >= 0",),
    ),
    Class(
        "smooth_convex",
        ("L",),
        "[THG], Theorem 4 with mu = 0",
        ("u >= v + dot(h, x - y) + norm(g - h)**2/(2*L)",),
        conditions=("L > 0",),
    ),
    Class(
        "smooth_strongly_convex",
        ("mu", "L"),
        "[THG], Theorem 4",
        ("u >= v + dot(h, x - y) + (norm(g - h)**2 + mu*L*norm(x - y)**2 - 2*mu*dot(g - h, x - y))/(2*(L - mu))",),
        conditions=("mu >= 0", "mu < L"),
    ),
    Class(
        "smooth",
        ("L",),
        "[THG2], Theorem 3.10 (mu = -L in the inequality for smooth strongly convex functions)",
        ("u >= v + dot(h, x - y) + (norm(g - h)**2 - L**2*norm(x - y)**2 + 2*L*dot(g - h, x - y))/(4*L)",),
        conditions=("L > 0",),
    ),
    Class(
        "lipschitz_convex",
        ("M",),
        "[THG2], Theorem 3.5: convex, every subgradient at most M",
        ("u >= v + dot(h, x - y)",),
        ("norm(g)**2 <= M**2",),
        conditions=("M >= 0",),
    ),
    Class(
        "indicator",
        (),
        "[THG2], Theorem 3.6 with D = oo: the values are 0 on the set, g lies in the normal cone",
        ("dot(h, x - y) <= 0",),
        ("u == 0",),
    ),
    Class(
        "bounded_indicator",
        ("D",),
        "[THG2], Theorem 3.6: a convex set of diameter at most D",
        ("dot(h, x - y) <= 0", "norm(x - y)**2 <= D**2"),
        ("u == 0",),
        conditions=("D >= 0",),
    ),
    Class(
        "quadratic_growth_convex",
        ("L", "xs"),
        "[GSD], Theorem 2.6: convex, and at most f(xs) + L/2 |x - xs|^2 where f(xs) is the least value",
        ("u >= v + dot(h, x - y)",),
        ("u + dot(g, xs - x) + norm(g)**2/(2*L) <= value(xs)",),
        conditions=("L > 0",),
        points=("xs",),
    ),
    Class(
        "restricted_secant_error_bound",
        ("mu", "L", "xs"),
        "[GGT], Definition 1: <g, x - xs> >= mu |x - xs|^2 and |g| <= L |x - xs|",
        (),
        ("dot(g, x - xs) >= mu*norm(x - xs)**2", "norm(g)**2 <= L**2*norm(x - xs)**2"),
        conditions=("mu >= 0", "L >= mu"),
        operator=True,
        exact=2,
        points=("xs",),
    ),
    # ---- operators
    Class("monotone", (), "[RTBG], Fact 1 (any number of points)", ("dot(g - h, x - y) >= 0",), operator=True),
    Class(
        "strongly_monotone",
        ("mu",),
        "[RTBG], Proposition 1",
        ("dot(g - h, x - y) >= mu*norm(x - y)**2",),
        conditions=("mu >= 0",),
        operator=True,
    ),
    Class(
        "cocoercive",
        ("beta",),
        "[RTBG], Proposition 2",
        ("dot(g - h, x - y) >= beta*norm(g - h)**2",),
        conditions=("beta >= 0",),
        operator=True,
    ),
    Class(
        "lipschitz",
        ("L",),
        "[RTBG], Proposition 3 (Kirszbraun's extension)",
        ("norm(g - h)**2 <= L**2*norm(x - y)**2",),
        conditions=("L >= 0",),
        operator=True,
    ),
    Class(
        "nonexpansive",
        (),
        "[RTBG], Proposition 3 with L = 1",
        ("norm(g - h)**2 <= norm(x - y)**2",),
        operator=True,
    ),
    Class(
        "lipschitz_strongly_monotone",
        ("mu", "L"),
        "[RTBG], Theorem 3: exact for two points, necessary for more",
        ("dot(g - h, x - y) >= mu*norm(x - y)**2", "norm(g - h)**2 <= L**2*norm(x - y)**2"),
        conditions=("mu >= 0", "L >= mu"),
        operator=True,
        exact=2,
    ),
    Class(
        "cocoercive_strongly_monotone",
        ("mu", "beta"),
        "[RTBG], Theorem 3: exact for two points, necessary for more",
        ("dot(g - h, x - y) >= mu*norm(x - y)**2", "dot(g - h, x - y) >= beta*norm(g - h)**2"),
        conditions=("mu >= 0", "beta >= 0"),
        operator=True,
        exact=2,
    ),
    Class(
        "lipschitz_monotone",
        ("L",),
        "[RTBG], Theorem 3: exact for two points, necessary for more",
        ("dot(g - h, x - y) >= 0", "norm(g - h)**2 <= L**2*norm(x - y)**2"),
        conditions=("L >= 0",),
        operator=True,
        exact=2,
    ),
)
CLASSES = {c.name: c for c in ALL}
