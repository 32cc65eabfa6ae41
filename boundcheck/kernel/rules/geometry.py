"""Rule schemas: vectors, smooth functions, the sphere and the ball.

``gradient(f, g) == 1`` says that g is the gradient of the differentiable function f, everywhere.
"""

from __future__ import annotations

from boundcheck.kernel.rules.schema import Derived, Rule, facts
from boundcheck.kernel.statement import Fact

_VW = "v, w: random vector"
_LIPSCHITZ = Fact("norm(G(y) - G(z)) <= L*norm(y - z)", over=("y: vector", "z: vector"))
_SMOOTH = (Fact("gradient(phi, G) == 1"), _LIPSCHITZ)
_FUNCTION = "phi: vector -> real; G: vector -> vector; L: real"
_RANDOM_FUNCTION = "phi: vector -> random real; G: vector -> random vector; L: real"
_SMOOTHED = Fact("phimu(y) == E(phi(y + mu*v))", over=("y: vector",))
_NESTEROV = "Nesterov, Lectures on Convex Optimization (2018), Lemma 1.2.3"
_DIRECTION = "u: random vector; d: integer"
_UNIT = "e: vector"
RULES = (
    # ---- geometry
    Rule("norm of equals", _VW, "norm(v) == norm(w)", premises=facts("v == w"), source="equal vectors"),
    Rule("norm of zero", "v: random vector", "norm(v) == 0", premises=facts("v == 0"), source="definiteness"),
    Rule("triangle", _VW, "norm(v + w) <= norm(v) + norm(w)", source="triangle inequality"),
    Rule("norm of a difference", _VW, "norm(v - w) <= norm(v) + norm(w)", source="triangle inequality"),
    Rule("norm scale", "c: random real; v: random vector", "norm(c*v) == abs(c)*norm(v)", source="homogeneity"),
    Rule("Cauchy-Schwarz", _VW, "abs(dot(v, w)) <= norm(v)*norm(w)", source="Cauchy-Schwarz inequality"),
    Rule(
        "square of a sum",
        _VW,
        "norm(v + w)**2 == norm(v)**2 + 2*dot(v, w) + norm(w)**2",
        source="bilinearity of the inner product",
    ),
    Rule(
        "dot of a multiple",
        "c: random real; v, w: random vector",
        "dot(v, c*w) == c*dot(v, w)",
        source="bilinearity",
    ),
    Rule(
        "dot of a sum",
        "v, w, z: random vector",
        "dot(v, w + z) == dot(v, w) + dot(v, z)",
        source="bilinearity",
    ),
    Rule(
        "difference of projections",
        "v, w, z, u: random vector",
        "dot(v, u) == dot(w, u) + dot(z, u)",
        premises=facts("z == v - w"),
        source="bilinearity",
    ),
    Rule("dot with itself", "v: random vector", "dot(v, v) == norm(v)**2", source="definition of the norm"),
    Rule(
        "mean along a segment",
        "V(s), W, u: random vector; s: bound",
        "integral(dot(V, u), s, -1, 1)/2 == dot(W, u) + integral(dot(V - W, u), s, -1, 1)/2",
        converges=("integral(dot(V, u), s, -1, 1)",),
        source="linearity of the integral over [-1, 1]",
    ),
    Rule(
        "integral Cauchy-Schwarz",
        "V(s), u: random vector; s: bound",
        "abs(integral(dot(V, u), s, -1, 1)) <= integral(norm(V), s, -1, 1)",
        premises=facts("norm(u) == 1"),
        converges=("integral(norm(V), s, -1, 1)",),
        source="Cauchy-Schwarz inequality under the integral",
    ),
    # ---- smooth functions
    Rule(
        "continuous along a line, inner product",
        "G: vector -> random vector; x, h, w, u: random vector; s: bound; a, b, L: real",
        "integrable(dot(G(x + s*h) - w, u), s, a, b) == 1",
        premises=(_LIPSCHITZ,),
        source="s -> G(x + s h) is continuous",
    ),
    Rule(
        "continuous along a line, norm",
        "G: vector -> random vector; x, h, w: random vector; s: bound; a, b, L: real",
        "integrable(norm(G(x + s*h) - w), s, a, b) == 1",
        premises=(_LIPSCHITZ,),
        source="s -> G(x + s h) is continuous",
    ),
    Rule(
        "fundamental theorem",
        f"{_RANDOM_FUNCTION}; x, u: random vector; mu: real; w: bound",
        "phi(x + mu*u) - phi(x - mu*u) == mu*integral(dot(G(x + mu*w*u), u), w, -1, 1)",
        premises=_SMOOTH,
        source="fundamental theorem of calculus along w -> x + mu w u, G continuous",
    ),
    Rule(
        "descent lemma",
        f"{_RANDOM_FUNCTION}; x, h: random vector",
        "phi(x + h) <= phi(x) + dot(G(x), h) + L/2*norm(h)**2",
        premises=_SMOOTH,
        source=_NESTEROV,
    ),
    Rule(
        "quadratic bound",
        f"{_RANDOM_FUNCTION}; x, h: random vector",
        "abs(phi(x + h) - phi(x) - dot(G(x), h)) <= L/2*norm(h)**2",
        premises=_SMOOTH,
        source=_NESTEROV,
    ),
    Rule(
        "dominated differentiation",
        "Phi: vector -> random real; phi: vector -> real; H: vector -> random vector; G: vector -> vector; "
        "x, x0: vector; L: real",
        "G(x) == E(H(x))",
        premises=(
            Fact("phi(y) == E(Phi(y))", over=("y: vector",)),
            Fact("gradient(phi, G) == 1"),
            Fact("gradient(Phi, H) == 1"),
            Fact("norm(H(y)) <= norm(H(x0)) + L*norm(y - x0)", over=("y: vector",)),
        ),
        integrable=("norm(H(x0))", "Phi(x0)"),
        source="differentiation under the expectation, dominated on compact sets",
    ),
    Rule(
        "equal arguments",
        "phi: vector -> random real; y, z: random vector",
        "phi(y) == phi(z)",
        premises=facts("y == z"),
        source="equal points",
    ),
    Rule(
        "equal arguments of a field",
        "G: vector -> random vector; y, z: random vector",
        "G(y) == G(z)",
        premises=facts("y == z"),
        source="equal points",
    ),
    # ---- smoothing over the ball
    Rule(
        "smoothing of the gradient",
        "phi, phimu: vector -> real; G, Gmu: vector -> vector; L, mu: real; v: random vector; d: integer; x: vector",
        "Gmu(x) == E(G(x + mu*v))",
        premises=(_SMOOTHED, *_SMOOTH, Fact("gradient(phimu, Gmu) == 1"), Fact("law(v) == ball(d)")),
        source="differentiation under the expectation over the bounded v, G Lipschitz",
    ),
    Rule(
        "divergence on the ball",
        "phi, phimu: vector -> real; G, Gmu: vector -> vector; mu: real; u, v: random vector; d: integer; "
        "x: vector; L: real",
        "Gmu(x) == d/mu*E(phi(x + mu*u)*u)",
        premises=(
            _SMOOTHED,
            *_SMOOTH,
            Fact("gradient(phimu, Gmu) == 1"),
            Fact("law(v) == ball(d)"),
            Fact("law(u) == sphere(d)"),
        ),
        sides=facts("mu > 0", "d >= 1"),
        source="Flaxman, Kalai and McMahan (SODA 2005), the lemma on the smoothed gradient (divergence theorem)",
    ),
    Rule(
        "Lipschitz is integrable near the unit ball",
        "G: vector -> vector; L, mu: real; v: random vector; x: vector",
        "integrable(G(x + mu*v)) == 1",
        premises=(_LIPSCHITZ, Fact("norm(v) <= 1")),
        source="|G(x + mu v)| <= |G(x)| + L mu",
    ),
    Rule(
        "smooth is integrable near the unit ball",
        f"{_FUNCTION}; mu: real; v: random vector; x: vector",
        "integrable(phi(x + mu*v)) == 1",
        premises=(*_SMOOTH, Fact("norm(v) <= 1")),
        source="phi is continuous, hence bounded on the ball around x",
    ),
    # ---- the sphere and the ball
    Rule(
        "symmetry of the sphere",
        f"G: random quantity; {_DIRECTION}",
        "E(G) == E(H)",
        premises=facts("law(u) == sphere(d)"),
        only=(("G", "u"),),
        derived=(Derived("H", "G", "u", "-u"),),
        source="u and -u have the same law",
    ),
    Rule("unit length", _DIRECTION, "norm(u) == 1", premises=facts("law(u) == sphere(d)"), source="|u| = 1"),
    Rule(
        "some unit vector",
        f"A, B: random real; {_DIRECTION}",
        "A <= B",
        premises=(
            Fact("law(u) == sphere(d)"),
            Fact("A <= B", over=("e: vector",), where=("norm(e) == 1",)),
        ),
        source="there is a unit vector, a value of u: what holds for each one, and does not speak of it, holds",
    ),
    Rule(
        "in the ball",
        "v: random vector; d: integer",
        "norm(v) <= 1",
        premises=facts("law(v) == ball(d)"),
        source="|v| <= 1",
    ),
    Rule(
        "centre of the ball",
        "w: vector; v: random vector; d: integer",
        "E(dot(w, v)) == 0",
        premises=facts("law(v) == ball(d)"),
        source="v and -v have the same law",
    ),
    Rule(
        "second moment of a projection",
        f"z: vector; {_DIRECTION}",
        "E(dot(z, u)**2) == norm(z)**2/d",
        premises=facts("law(u) == sphere(d)"),
        source="E[u u^T] = I/d",
    ),
    Rule(
        "fourth moment of a projection",
        f"z: vector; {_DIRECTION}",
        "E(dot(z, u)**4) == 3*norm(z)**4/(d*(d + 2))",
        premises=facts("law(u) == sphere(d)"),
        source="<z, u> has the law of |z| u_1, and u_1**2 the law Beta(1/2, (d-1)/2) with second moment 3/(d(d+2))",
    ),
    Rule(
        "projection of a fixed direction",
        f"z: vector; {_DIRECTION}; {_UNIT}; r: real",
        "P(abs(dot(z, u)) > r) == P(norm(z)*abs(dot(e, u)) > r)",
        premises=facts("law(u) == sphere(d)", "norm(e) == 1"),
        source="rotational invariance: <z, u> and |z| <e, u> have the same law",
    ),
    Rule(
        "projection of an independent direction",
        f"z: random vector; {_DIRECTION}; {_UNIT}; r: real",
        "P(abs(dot(z, u)) > r) == P(norm(z)*abs(dot(e, u)) > r)",
        premises=facts("law(u) == sphere(d)", "independent(z, u) == 1", "norm(e) == 1"),
        source="rotational invariance: given z, <z, u> and |z| <e, u> have the same law",
    ),
    Rule(
        "excess along a fixed direction",
        f"z, w: vector; {_DIRECTION}; {_UNIT}; a: real",
        "E(max(abs(dot(z, u)) - a, 0)*abs(dot(w, u))) <= norm(w)*E(max(norm(z)*abs(dot(e, u)) - a, 0)*abs(dot(e, u)))",
        premises=facts("law(u) == sphere(d)", "norm(e) == 1"),
        source="Hardy, Littlewood, Polya, Inequalities (1934), chapter X (rearrangements): |<z,u>|/|z| and "
        "|<w,u>|/|w| have the law of |<e,u>|; E[phi(A) B] <= E[phi(A) A] for A, B of one law, phi >= 0 nondecreasing",
    ),
    Rule(
        "excess along an independent direction",
        f"z: random vector; w: vector; {_DIRECTION}; {_UNIT}; a: real",
        "E(max(abs(dot(z, u)) - a, 0)*abs(dot(w, u))) <= norm(w)*E(max(norm(z)*abs(dot(e, u)) - a, 0)*abs(dot(e, u)))",
        premises=facts("law(u) == sphere(d)", "independent(z, u) == 1", "norm(e) == 1"),
        integrable=("norm(z)",),
        source="the same given z, then averaged over z",
    ),
)
