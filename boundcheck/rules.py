"""The rule schemas: the trusted base of every proof, as data.

A schema is a conclusion with premises, scalar side conditions and pointwise implications between events; all
its free names are metavariables. A step that names a rule gives a value for each; :mod:`boundcheck.proof`
instantiates the schema, matches the premises with known facts and leaves the rest to the engines.
"""

from __future__ import annotations

from dataclasses import dataclass

from boundcheck.statement import Fact


@dataclass(frozen=True)
class Implies:
    """Pointwise: wherever all events of ``given`` hold, ``then`` holds; ``~A`` is the complement of A."""

    given: tuple[str, ...]
    then: str


@dataclass(frozen=True)
class Derived:
    """Metavariable ``name`` is the term of ``source`` with ``value`` put for ``variable``.

    Both may themselves be metavariables.
    """

    name: str
    source: str
    variable: str
    value: str


@dataclass(frozen=True)
class Rule:
    """A schema. ``names`` are its metavariables; bound names (such as t in an integral) are not among them."""

    name: str
    names: tuple[str, ...]
    conclusion: str
    premises: tuple[Fact, ...] = ()
    sides: tuple[Fact, ...] = ()  #: scalar relations that must hold on the step's domain
    implies: tuple[Implies, ...] = ()
    fixed: tuple[tuple[str, str], ...] = ()  #: (metavariable, name): its term may not mention that name
    only: tuple[tuple[str, str], ...] = ()  #: (metavariable, term): its random names are among those of the term
    whole: tuple[str, ...] = ()  #: metavariables (or names) whose values are integers
    derived: tuple[Derived, ...] = ()
    source: str = ""


def _facts(*claims: str) -> tuple[Fact, ...]:
    return tuple(Fact(c) for c in claims)


_RULES = (
    # ---- events and expectations
    Rule(
        "monotone",
        ("A", "B"),
        "P(A) <= P(B)",
        implies=(Implies(("A",), "B"),),
        source="monotonicity of probability",
    ),
    Rule(
        "same event",
        ("A", "B"),
        "P(A) == P(B)",
        implies=(Implies(("A",), "B"), Implies(("B",), "A")),
        source="equal events have equal probabilities",
    ),
    Rule(
        "impossible",
        ("A",),
        "P(A) == 0",
        implies=(Implies((), "~A"),),
        source="the empty event",
    ),
    Rule(
        "larger level",
        ("X", "a", "b"),
        "P(X > b) <= P(X > a)",
        premises=_facts("a <= b"),
        source="monotonicity of probability",
    ),
    Rule(
        "larger variable",
        ("X", "Y", "a", "b"),
        "P(X > a + b) <= P(Y > a)",
        premises=_facts("X <= Y + b"),
        source="X > a + b and X <= Y + b give Y > a",
    ),
    Rule(
        "level of equals",
        ("X", "a", "b", "q"),
        "P(X > b) <= q",
        premises=_facts("P(X > a) <= q", "b == a"),
        source="equal levels",
    ),
    Rule("expectation of a square", ("X",), "E(X**2) >= 0", source="monotonicity of the expectation"),
    Rule("norm of zero", ("v",), "norm(v) == 0", premises=_facts("v == 0"), source="definiteness of the norm"),
    Rule(
        "two cases",
        ("A", "B", "t", "a"),
        "A <= B",
        premises=(
            Fact("A <= B", where=("0 < t", "t < a")),
            Fact("A == B", where=("t >= a",)),
        ),
        sides=_facts("t > 0"),
        source="case split at t = a, for t > 0",
    ),
    Rule(
        "union",
        ("A", "B", "C"),
        "P(A) <= P(B) + P(C)",
        implies=(Implies(("A", "~B"), "C"),),
        source="union bound for A contained in B or C",
    ),
    Rule("complement", ("A",), "P(A) == 1 - P(complement(A))", source="probability of the complement"),
    Rule(
        "union of a family",
        ("A", "t", "a", "b", "q"),
        "P(union(A, t, a, b)) <= (b - a + 1)*q",
        premises=(Fact("P(A) <= q", over=("t",)),),
        sides=_facts("b >= a"),
        fixed=(("q", "t"), ("a", "t"), ("b", "t")),
        source="union bound over the integers t = a, ..., b",
    ),
    Rule(
        "de Morgan",
        ("A", "t", "a", "b"),
        "P(meet(complement(A), t, a, b)) == 1 - P(union(A, t, a, b))",
        source="complement of an intersection",
    ),
    Rule(
        "Markov",
        ("X", "a", "q"),
        "P(X > a) <= E(X**q)/a**q",
        sides=_facts("X >= 0", "a > 0", "q > 0"),
        fixed=(("a", "random"), ("q", "random")),
        source="Markov's inequality for X**q",
    ),
    Rule(
        "expectation of equals",
        ("X", "Y"),
        "E(X) == E(Y)",
        premises=_facts("X == Y"),
        source="equal random variables have equal expectations",
    ),
    Rule(
        "expectation monotone",
        ("X", "Y"),
        "E(X) <= E(Y)",
        premises=_facts("X <= Y"),
        source="monotonicity of the expectation",
    ),
    Rule(
        "expectation scale",
        ("c", "X"),
        "E(c*X) == c*E(X)",
        fixed=(("c", "random"),),
        source="linearity of the expectation, c a constant",
    ),
    Rule("expectation shift", ("X", "Y"), "E(X - Y) == E(X) - E(Y)", source="linearity of the expectation"),
    Rule("expectation of a constant", ("c",), "E(c) == c", fixed=(("c", "random"),), source="E is normalised"),
    Rule(
        "Lyapunov",
        ("X", "q", "r"),
        "E(X**q) <= E(X**r)**(q/r)",
        sides=_facts("X >= 0", "q > 0", "q <= r"),
        fixed=(("q", "random"), ("r", "random")),
        source="Jensen's inequality for y -> y**(r/q)",
    ),
    Rule(
        "modulus of the expectation",
        ("X",),
        "abs(E(X)) <= E(abs(X))",
        source="Jensen's inequality for the modulus",
    ),
    Rule(
        "norm of the expectation",
        ("X",),
        "norm(E(X)) <= E(norm(X))",
        source="Jensen's inequality for the norm",
    ),
    Rule(
        "tower",
        ("X", "V"),
        "E(X) == E(Egiven(X, V))",
        source="law of total expectation",
    ),
    Rule(
        "total probability",
        ("A", "V"),
        "P(A) == E(Pgiven(A, V))",
        source="law of total probability",
    ),
    Rule(
        "variance below second moment",
        ("X",),
        "E(norm(X - E(X))**2) <= E(norm(X)**2)",
        source="E|X - EX|^2 = E|X|^2 - |EX|^2",
    ),
    # ---- layer cake
    Rule(
        "excess as an integral",
        ("X", "a"),
        "max(X - a, 0) == integral(ind(X > t), t, a, oo)",
        fixed=(("X", "t"), ("a", "t")),
        source="length of the interval (a, X)",
    ),
    Rule(
        "square as an integral",
        ("X",),
        "X**2 == 2*integral(t*ind(X > t), t, 0, oo)",
        sides=_facts("X >= 0"),
        fixed=(("X", "t"),),
        source="integral of 2 t over (0, X)",
    ),
    Rule(
        "Tonelli",
        ("W", "A", "t", "a", "b"),
        "E(integral(W*ind(A), t, a, b)) == integral(W*P(A), t, a, b)",
        sides=(Fact("W >= 0", where=("a <= t", "t <= b")),),
        fixed=(("W", "random"), ("a", "random"), ("b", "random")),
        source="Tonelli's theorem and E ind(A) = P(A)",
    ),
    Rule(
        "integral monotone",
        ("G", "H", "t", "a", "b"),
        "integral(G, t, a, b) <= integral(H, t, a, b)",
        premises=(Fact("G <= H", over=("t",), where=("a <= t", "t <= b")),),
        sides=_facts("a <= b"),
        fixed=(("a", "t"), ("b", "t")),
        source="monotonicity of the integral",
    ),
    Rule(
        "integral of equals",
        ("G", "H", "t", "a", "b"),
        "integral(G, t, a, b) == integral(H, t, a, b)",
        premises=(Fact("G == H", over=("t",), where=("a < t", "t < b")),),
        sides=_facts("a <= b"),
        fixed=(("a", "t"), ("b", "t")),
        source="equal integrands on the open interval",
    ),
    Rule(
        "integral split",
        ("G", "t", "a", "c", "b"),
        "integral(G, t, a, b) == integral(G, t, a, c) + integral(G, t, c, b)",
        sides=_facts("a <= c", "c <= b"),
        source="additivity of the integral",
    ),
    Rule(
        "integral truncate",
        ("G", "t", "a", "c"),
        "integral(G, t, a, oo) == integral(G, t, a, c)",
        premises=(Fact("G == 0", over=("t",), where=("t >= c",)),),
        sides=_facts("a <= c"),
        fixed=(("a", "t"), ("c", "t")),
        source="the integrand vanishes beyond c",
    ),
    Rule(
        "integral scale",
        ("c", "G", "t", "a", "b"),
        "integral(c*G, t, a, b) == c*integral(G, t, a, b)",
        fixed=(("c", "t"),),
        source="linearity of the integral",
    ),
    # ---- tails
    Rule(
        "tail of a multiple",
        ("X", "v", "a", "c", "p"),
        "P(X*v > a) <= (c*v/a)**p",
        premises=(Fact("P(X > t) <= (c/t)**p", over=("t",), where=("t > 0",)),),
        sides=_facts("v > 0", "a > 0"),
        fixed=(("X", "t"), ("c", "t"), ("p", "t"), ("v", "random"), ("a", "random"), ("p", "random")),
        source="X v > a is X > a/v",
    ),
    Rule(
        "tail of zero",
        ("X", "v", "a", "B"),
        "P(X*v > a) <= B",
        premises=(Fact("P(X*v > a) <= B", where=("v > 0",)),),
        sides=_facts("v >= 0", "a > 0", "B >= 0"),
        fixed=(("v", "random"),),
        source="for v = 0 the event X v > a is empty",
    ),
    # ---- arithmetic
    Rule(
        "root of a product",
        ("a", "b", "c"),
        "sqrt(a) <= sqrt(b)*sqrt(c)",
        premises=_facts("a <= b*c"),
        sides=_facts("a >= 0", "b >= 0", "c >= 0"),
        source="monotonicity and multiplicativity of the square root",
    ),
    Rule(
        "root of a bound",
        ("a", "b", "c"),
        "sqrt(a) <= c",
        premises=_facts("a == b", "sqrt(b) <= c"),
        source="equal terms",
    ),
    # ---- geometry
    Rule("norm of equals", ("v", "w"), "norm(v) == norm(w)", premises=_facts("v == w"), source="equal vectors"),
    Rule("triangle", ("v", "w"), "norm(v + w) <= norm(v) + norm(w)", source="triangle inequality"),
    Rule("norm of a difference", ("v", "w"), "norm(v - w) <= norm(v) + norm(w)", source="triangle inequality"),
    Rule("norm scale", ("c", "v"), "norm(c*v) == abs(c)*norm(v)", source="homogeneity of the norm"),
    Rule("Cauchy-Schwarz", ("v", "w"), "abs(dot(v, w)) <= norm(v)*norm(w)", source="Cauchy-Schwarz inequality"),
    Rule(
        "square of a sum",
        ("v", "w"),
        "norm(v + w)**2 == norm(v)**2 + 2*dot(v, w) + norm(w)**2",
        source="bilinearity of the inner product",
    ),
    Rule("dot of a multiple", ("c", "v", "w"), "dot(v, c*w) == c*dot(v, w)", source="bilinearity"),
    Rule("dot of a sum", ("v", "w", "z"), "dot(v, w + z) == dot(v, w) + dot(v, z)", source="bilinearity"),
    Rule(
        "difference of projections",
        ("v", "w", "z", "u"),
        "dot(v, u) == dot(w, u) + dot(z, u)",
        premises=_facts("z == v - w"),
        source="bilinearity",
    ),
    Rule("dot with itself", ("v",), "dot(v, v) == norm(v)**2", source="definition of the norm"),
    Rule(
        "mean along a segment",
        ("V", "W", "u", "s"),
        "integral(dot(V, u), s, -1, 1)/2 == dot(W, u) + integral(dot(V - W, u), s, -1, 1)/2",
        fixed=(("W", "s"), ("u", "s")),
        source="linearity of the integral over [-1, 1]",
    ),
    Rule(
        "integral Cauchy-Schwarz",
        ("V", "u", "s"),
        "abs(integral(dot(V, u), s, -1, 1)) <= integral(norm(V), s, -1, 1)",
        premises=_facts("norm(u) == 1"),
        fixed=(("u", "s"),),
        source="Cauchy-Schwarz inequality under the integral",
    ),
    # ---- smooth functions
    Rule(
        "fundamental theorem, sample",
        ("x", "u"),
        "slopeF(x, u) == integral(dot(gradF(x + mu*w*u), u), w, -1, 1)/2",
        sides=_facts("mu > 0"),
        fixed=(("x", "w"), ("u", "w")),
        source="fundamental theorem of calculus along w -> x + mu w u",
    ),
    Rule(
        "fundamental theorem",
        ("x", "u"),
        "slopef(x, u) == integral(dot(gradf(x + mu*w*u), u), w, -1, 1)/2",
        sides=_facts("mu > 0"),
        fixed=(("x", "w"), ("u", "w")),
        source="fundamental theorem of calculus along w -> x + mu w u",
    ),
    Rule(
        "descent lemma",
        ("x", "h"),
        "f(x + h) <= f(x) + dot(gradf(x), h) + L/2*norm(h)**2",
        premises=(Fact("norm(gradf(y) - gradf(z)) <= L*norm(y - z)", over=("y", "z")),),
        source="Nesterov, Lectures on Convex Optimization (2018), Lemma 1.2.3",
    ),
    Rule(
        "quadratic bound",
        ("x", "h"),
        "abs(f(x + h) - f(x) - dot(gradf(x), h)) <= L/2*norm(h)**2",
        premises=(Fact("norm(gradf(y) - gradf(z)) <= L*norm(y - z)", over=("y", "z")),),
        source="Nesterov, Lectures on Convex Optimization (2018), Lemma 1.2.3",
    ),
    Rule(
        "descent lemma, smoothed",
        ("x", "h"),
        "fmu(x + h) <= fmu(x) + dot(gradfmu(x), h) + L/2*norm(h)**2",
        premises=(Fact("norm(gradfmu(y) - gradfmu(z)) <= L*norm(y - z)", over=("y", "z")),),
        source="Nesterov, Lectures on Convex Optimization (2018), Lemma 1.2.3, for the smoothed objective",
    ),
    Rule(
        "dominated differentiation",
        ("x", "y", "g"),
        "gradf(x) == E(gradF(x))",
        premises=(
            Fact("norm(gradF(y)) <= norm(gradF(x0)) + L*norm(y - x0)", over=("y",)),
            Fact("E(norm(gradF(x0))) <= g"),
        ),
        fixed=(("y", "x0"), ("x", "random"), ("g", "random")),
        source="differentiation under the expectation, dominated on compact sets",
    ),
    Rule(
        "two-point slope",
        ("x", "u"),
        "slopef(x, u) == (f(x + mu*u) - f(x - mu*u))/(2*mu)",
        sides=_facts("mu > 0"),
        source="definition of D_mu f",
    ),
    # ---- the sphere and the ball
    Rule(
        "smoothing of the value",
        ("x",),
        "fmu(x) == E(f(x + mu*v))",
        premises=_facts("law(v) == ball(d)"),
        fixed=(("x", "random"),),
        source="definition of the spherical smoothing",
    ),
    Rule(
        "smoothing of the gradient",
        ("x",),
        "gradfmu(x) == E(gradf(x + mu*v))",
        premises=(
            Fact("law(v) == ball(d)"),
            Fact("norm(gradf(y) - gradf(z)) <= L*norm(y - z)", over=("y", "z")),
        ),
        fixed=(("x", "random"),),
        source="differentiation under the expectation over the bounded v, gradf Lipschitz",
    ),
    Rule(
        "divergence on the ball",
        ("x",),
        "gradfmu(x) == d/mu*E(f(x + mu*u)*u)",
        premises=_facts("law(u) == sphere(d)"),
        sides=_facts("mu > 0", "d >= 1"),
        fixed=(("x", "random"),),
        source="Flaxman, Kalai, McMahan (2005), Lemma 1 (divergence theorem)",
    ),
    Rule(
        "symmetry of the sphere",
        ("G",),
        "E(G) == E(H)",
        premises=_facts("law(u) == sphere(d)"),
        only=(("G", "u"),),
        derived=(Derived("H", "G", "u", "-u"),),
        source="u and -u have the same law",
    ),
    Rule("unit length", ("u", "d"), "norm(u) == 1", premises=_facts("law(u) == sphere(d)"), source="|u| = 1"),
    Rule("in the ball", ("v", "d"), "norm(v) <= 1", premises=_facts("law(v) == ball(d)"), source="|v| <= 1"),
    Rule(
        "centre of the ball",
        ("w", "v", "d"),
        "E(dot(w, v)) == 0",
        premises=_facts("law(v) == ball(d)"),
        fixed=(("w", "random"),),
        source="v and -v have the same law",
    ),
    Rule(
        "second moment of a coordinate",
        ("U1", "d"),
        "E(U1**2) == 1/d",
        premises=_facts("law(U1) == sphere(d)"),
        source="the d squared coordinates of u have equal laws and sum to 1",
    ),
    Rule(
        "projection of an independent direction",
        ("z", "u", "U1", "d", "r"),
        "P(abs(dot(z, u)) > r) == P(norm(z)*abs(U1) > r)",
        premises=_facts(
            "law(u) == sphere(d)",
            "independent(z, u) == 1",
            "law(U1) == sphere(d)",
            "independent(sqrt(d)*abs(U1), z) == 1",
        ),
        fixed=(("r", "random"),),
        source="rotational invariance: given z, <z, u> and |z| U_1 have the same law",
    ),
    Rule(
        "projection of a fixed direction",
        ("z", "u", "U1", "d", "r"),
        "P(abs(dot(z, u)) > r) == P(norm(z)*abs(U1) > r)",
        premises=_facts("law(u) == sphere(d)", "law(U1) == sphere(d)"),
        fixed=(("z", "random"), ("r", "random")),
        source="rotational invariance of the uniform law on the sphere",
    ),
    Rule(
        "freezing",
        ("Q", "v", "V", "X", "B"),
        "Pgiven(Qv, V) <= Bv",
        premises=(
            Fact("independent(V, X) == 1"),
            Fact("P(Q) <= B", over=("v",), where=("v >= 0",)),
        ),
        sides=_facts("V >= 0"),
        fixed=(("B", "random"),),
        only=(("Q", "X"),),
        derived=(Derived("Qv", "Q", "v", "V"), Derived("Bv", "B", "v", "V")),
        source="a bound for every fixed v >= 0 holds given an independent V, with V put for v",
    ),
    # ---- sequences
    Rule(
        "fresh samples",
        ("b", "q", "c", "Lo", "t"),
        "ind(Lo)*Pgiven(norm(at(gs, t) - gradfmu(at(xs, t))) > b, past) <= ind(Lo)*q",
        premises=(
            Fact("P(norm(g - gradfmu(x)) > b) <= q"),
            Fact("f(x) - fstar <= c"),
            Fact("iid(samples, past) == 1"),
        ),
        implies=(Implies(("Lo",), "f(at(xs, t)) - fstar <= c"),),
        fixed=(("b", "x"), ("b", "g"), ("q", "x"), ("c", "x")),
        source="given the past, x_t is a fixed point and the samples of step t are fresh",
    ),
    Rule(
        "conditioning on the past",
        ("A", "G", "q"),
        "P(both(A, G)) <= q",
        premises=_facts("measurable(ind(G), past) == 1", "ind(G)*Pgiven(A, past) <= ind(G)*q"),
        sides=_facts("q >= 0"),
        fixed=(("q", "random"),),
        source="P(A and G) = E(ind(G) P(A | past)) <= q E(ind(G)) for G known from the past",
    ),
    Rule(
        "on the good event",
        ("A", "B", "q", "t", "a", "b"),
        "P(B) >= 1 - q",
        premises=(Fact("P(meet(complement(A), t, a, b)) >= 1 - q"),),
        implies=(Implies((), "B"),),
        source="B is derived under the hypothesis that no A_t happens",
    ),
    Rule("same point", ("y", "z"), "fmu(y) == fmu(z)", premises=_facts("y == z"), source="equal points"),
    Rule(
        "minimum below average",
        ("G", "s", "n", "c"),
        "least(G, s, 0, n - 1) <= c",
        premises=(Fact("sum(G, s, 0, n - 1)/n <= c"),),
        sides=_facts("n >= 1"),
        whole=("n",),
        source="the least of n terms is at most their average",
    ),
    Rule(
        "telescope",
        ("v", "w", "c", "n"),
        "at(v, n) <= at(v, 0) - sum(at(w, s), s, 0, n - 1) + n*c",
        premises=(Fact("at(v, s + 1) <= at(v, s) - at(w, s) + c", over=("s",), where=("s >= 0", "s <= n - 1")),),
        sides=_facts("n >= 1"),
        fixed=(("v", "s"), ("w", "s"), ("c", "s"), ("n", "s")),
        source="sum of a one-step inequality over s = 0, ..., n-1",
    ),
    Rule(
        "induction",
        ("v", "c", "n"),
        "at(v, t) <= c",
        premises=(
            Fact("at(v, 0) <= c"),
            Fact("at(v, s + 1) <= c", over=("s",), where=("at(v, s) <= c", "s >= 0", "s <= n - 1")),
        ),
        sides=_facts("t >= 0", "t <= n"),
        fixed=(("v", "s"), ("c", "s"), ("n", "s")),
        source="induction over t = 0, ..., n",
    ),
    Rule(
        "sum monotone",
        ("G", "H", "s", "a", "b"),
        "sum(G, s, a, b) <= sum(H, s, a, b)",
        premises=(Fact("G <= H", over=("s",), where=("a <= s", "s <= b")),),
        fixed=(("a", "s"), ("b", "s")),
        source="a sum of inequalities",
    ),
    Rule(
        "sum affine",
        ("c", "k", "G", "s", "n"),
        "sum(c*G + k, s, 0, n - 1) == c*sum(G, s, 0, n - 1) + n*k",
        fixed=(("c", "s"), ("k", "s")),
        sides=_facts("n >= 1"),
        whole=("n",),
        source="linearity of a finite sum",
    ),
    Rule(
        "sum of nonnegative terms",
        ("w", "s", "n"),
        "sum(at(w, s), s, 0, n - 1) >= 0",
        premises=(Fact("at(w, s) >= 0", over=("s",)),),
        fixed=(("w", "s"),),
        source="a sum of nonnegative terms",
    ),
    # ---- conditional expectations and arrays (momentum)
    Rule(
        "indicator of an excess",
        ("X", "a"),
        "X*ind(X > a) == max(X - a, 0) + a*ind(X > a)",
        source="both sides are 0 for X <= a and X for X > a",
    ),
    Rule("expectation of an indicator", ("A",), "E(ind(A)) == P(A)", source="definition of the probability"),
    Rule("expectation of a sum", ("X", "Y"), "E(X + Y) == E(X) + E(Y)", source="linearity of the expectation"),
    Rule("indicator squared", ("A",), "ind(A)**2 == ind(A)", source="an indicator is 0 or 1"),
    Rule(
        "indicator that holds",
        ("A", "b"),
        "b <= ind(A)*b",
        implies=(Implies((), "A"),),
        source="the indicator is 1 where the event happens",
    ),
    Rule(
        "conditional expectation of equals",
        ("X", "Y", "V"),
        "Egiven(X, V) == Egiven(Y, V)",
        premises=_facts("X == Y"),
        source="equal random variables have equal conditional expectations",
    ),
    Rule(
        "known factor",
        ("k", "Y", "V"),
        "Egiven(k*Y, V) == k*Egiven(Y, V)",
        premises=_facts("measurable(k, V) == 1"),
        source="a factor that is known given V comes out of the conditional expectation",
    ),
    Rule(
        "fresh range",
        ("R", "c", "Lo", "s", "l"),
        "ind(Lo)*norm(at(W, s, l)) <= ind(Lo)*R",
        premises=_facts("norm(X1) <= R", "f(x) - fstar <= c", "iid(samples, past) == 1"),
        implies=(Implies(("Lo",), "f(at(xs, s)) - fstar <= c"),),
        fixed=(("R", "x"), ("R", "X1"), ("c", "x")),
        source="given the past, x_s is a fixed point and the samples of step s are fresh",
    ),
    Rule(
        "fresh second moment",
        ("v", "c", "Lo", "s", "l"),
        "ind(Lo)*Egiven(norm(at(W, s, l))**2, at(H, s, l - 1)) <= ind(Lo)*v",
        premises=_facts("E(norm(X1)**2) <= v", "f(x) - fstar <= c", "iid(samples, past) == 1"),
        implies=(Implies(("Lo",), "f(at(xs, s)) - fstar <= c"),),
        fixed=(("v", "x"), ("v", "X1"), ("c", "x")),
        source="given the past, x_s is a fixed point and the samples of step s are fresh",
    ),
    Rule(
        "fresh centring",
        ("s", "l"),
        "Egiven(at(W, s, l), at(H, s, l - 1)) == 0",
        premises=_facts("E(X1) == 0", "iid(samples, past) == 1"),
        source="given the past, the samples of step s are fresh, and W_{s,l} is centred at its conditional mean",
    ),
    Rule(
        "fresh bias",
        ("b", "c", "t"),
        "norm(Egiven(at(gs, t), past) - gradfmu(at(xs, t))) <= b",
        premises=_facts("norm(E(g) - gradfmu(x)) <= b", "f(x) - fstar <= c", "iid(samples, past) == 1"),
        sides=_facts("f(at(xs, t)) - fstar <= c"),
        fixed=(("b", "x"), ("b", "g"), ("c", "x")),
        source="given the past, x_t is a fixed point and the samples of step t are fresh",
    ),
    Rule(
        "union over a range",
        ("A", "t", "a", "b", "q"),
        "P(union(A, t, a, b)) <= (b - a + 1)*q",
        premises=(Fact("P(A) <= q", over=("t",), where=("t >= a", "t <= b")),),
        sides=_facts("b >= a"),
        fixed=(("q", "t"), ("a", "t"), ("b", "t")),
        source="union bound over the integers t = a, ..., b",
    ),
    Rule(
        "norm of a sum",
        ("G", "s", "a", "b"),
        "norm(sum(G, s, a, b)) <= sum(norm(G), s, a, b)",
        source="triangle inequality",
    ),
    Rule(
        "last term of a discounted sum",
        ("c", "G", "s", "t"),
        "sum(c**(t - s)*G, s, 1, t) == c*sum(c**(t - 1 - s)*G, s, 1, t - 1) + H",
        sides=_facts("t >= 2", "c > 0"),
        fixed=(("c", "s"),),
        derived=(Derived("H", "G", "s", "t"),),
        source="the term s = t split off, a factor c taken out of the others",
    ),
    Rule(
        "either case",
        ("A", "B", "t", "a"),
        "A <= B",
        premises=(
            Fact("A <= B", where=("t > 0", "t < a")),
            Fact("A <= B", where=("t > 0", "t >= a")),
        ),
        sides=_facts("t > 0"),
        source="case split at t = a, for t > 0",
    ),
    Rule(
        "wider range",
        ("X", "a", "b"),
        "P(X <= a) <= P(X <= b)",
        premises=_facts("a <= b"),
        source="monotonicity of probability",
    ),
    Rule(
        "negation",
        ("X", "a"),
        "P(complement(X <= a)) == P(X > a)",
        source="X > a is the complement of X <= a",
    ),
    Rule(
        "first term",
        ("G", "s"),
        "sum(G, s, 1, 1) == H",
        derived=(Derived("H", "G", "s", "1"),),
        source="a sum of one term",
    ),
    Rule(
        "both events",
        ("A", "B", "a", "b"),
        "P(both(A, B)) >= 1 - a - b",
        premises=_facts("P(A) >= 1 - a", "P(B) >= 1 - b"),
        source="union bound for the complements",
    ),
    Rule(
        "on both good events",
        ("A", "B", "C", "q", "t", "a", "b"),
        "P(C) >= 1 - q",
        premises=(Fact("P(both(B, meet(complement(A), t, a, b))) >= 1 - q"),),
        implies=(Implies((), "C"),),
        source="C is derived under the hypotheses that B happens and that no A_t happens",
    ),
    Rule(
        "on the event",
        ("A", "B", "q"),
        "P(B) >= 1 - q",
        premises=_facts("P(A) >= 1 - q"),
        implies=(Implies((), "B"),),
        source="B is derived under the hypothesis that A happens",
    ),
)
RULES: dict[str, Rule] = {r.name: r for r in _RULES}
