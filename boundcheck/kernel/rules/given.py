"""Rule schemas: conditional laws, independence, filtrations.

Freezing: where Y is known from H and X is independent of H, a property of the law of Q(y, X) that holds for every
constant y holds given H with Y put for y.
"""

from __future__ import annotations

from boundcheck.kernel.rules.schema import Derived, Rule, facts
from boundcheck.kernel.statement import Fact

_FROZEN = "y: bound; Y: random vector; X: source; H: information"
_KNOWN = (("Y", "H"),)
_DERIVED = (Derived("QY", "Q", "y", "Y"), Derived("KY", "K", "y", "Y"))
_HERE = ("K <= c",)
RULES = (
    # ---- conditional expectations
    Rule(
        "conditional expectation of equals",
        "X, Y: random quantity; V: source",
        "Egiven(X, V) == Egiven(Y, V)",
        premises=facts("X == Y"),
        source="equal random variables have equal conditional expectations",
    ),
    Rule(
        "conditional expectation monotone",
        "X, Y: random real; V: source",
        "Egiven(X, V) <= Egiven(Y, V)",
        premises=facts("X <= Y"),
        integrable=("X", "Y"),
        source="monotonicity of the conditional expectation",
    ),
    Rule(
        "conditional expectation of a sum",
        "X, Y: random quantity; V: source",
        "Egiven(X + Y, V) == Egiven(X, V) + Egiven(Y, V)",
        integrable=("X", "Y"),
        source="linearity of the conditional expectation",
    ),
    Rule(
        "known factor",
        "k: random real; Y: random quantity; V: source",
        "Egiven(k*Y, V) == k*Egiven(Y, V)",
        measurable=(("k", "V"),),
        integrable=("Y", "k*Y"),
        source="a factor that is known given V comes out of the conditional expectation",
    ),
    Rule(
        "known vector",
        "k, Y: random vector; V: source",
        "Egiven(dot(k, Y), V) == dot(k, Egiven(Y, V))",
        measurable=(("k", "V"),),
        integrable=("Y", "dot(k, Y)"),
        source="a vector that is known given V comes out of the inner product under the conditional expectation",
    ),
    Rule(
        "known quantity",
        "k: random quantity; V: source",
        "Egiven(k, V) == k",
        measurable=(("k", "V"),),
        integrable=("k",),
        source="what is known given V is its own conditional expectation",
    ),
    Rule(
        "tower given more",
        "X: random quantity; H: integer -> information; i, j: integer",
        "Egiven(Egiven(X, at(H, j)), at(H, i)) == Egiven(X, at(H, i))",
        premises=facts("increasing(H) == 1"),
        sides=facts("i <= j"),
        integrable=("X",),
        source="tower property along an increasing filtration",
    ),
    Rule(
        "known later",
        "X: random quantity; H: integer -> information; i, j: integer",
        "measurable(X, at(H, j)) == 1",
        premises=facts("increasing(H) == 1", "measurable(X, at(H, i)) == 1"),
        sides=facts("i <= j"),
        source="an increasing filtration forgets nothing",
    ),
    Rule(
        "conditioning on the past",
        "A, G: event; q: real; H: source",
        "P(both(A, G)) <= q",
        premises=facts("ind(G)*Pgiven(A, H) <= ind(G)*q"),
        measurable=(("ind(G)", "H"),),
        sides=facts("q >= 0"),
        source="P(A and G) = E(ind(G) P(A | H)) <= q E(ind(G)) for G known from H",
    ),
    # ---- freezing
    Rule(
        "freezing",
        "Q(v): event; B(v): real; v: bound; V: random real; X: source",
        "Pgiven(Qv, V) <= Bv",
        premises=(Fact("independent(V, X) == 1"), Fact("P(Q) <= B", over=("v",), where=("v >= 0",))),
        sides=facts("V >= 0"),
        only=(("Q", "X"),),
        derived=(Derived("Qv", "Q", "v", "V"), Derived("Bv", "B", "v", "V")),
        source="a bound for every fixed v >= 0 holds given an independent V, with V put for v",
    ),
    Rule(
        "frozen expectation",
        "Q(v): random real; B(v): real; v: bound; V: random real; X: source",
        "E(Qv) <= E(Bv)",
        premises=(Fact("independent(V, X) == 1"), Fact("E(Q) <= B", over=("v",), where=("v >= 0",))),
        sides=(Fact("V >= 0"), Fact("Q >= 0", where=("v >= 0",))),
        integrable=("Bv", "Qv"),
        only=(("Q", "X"),),
        derived=(Derived("Qv", "Q", "v", "V"), Derived("Bv", "B", "v", "V")),
        source="Tonelli's theorem: a bound for every fixed v >= 0, averaged over an independent V, of a term Q >= 0",
    ),
    Rule(
        "frozen probability",
        f"Q(y): event; K(y): real; c, q: real; {_FROZEN}",
        "ind(KY <= c)*Pgiven(QY, H) <= ind(KY <= c)*q",
        premises=(Fact("independent(X, H) == 1"), Fact("P(Q) <= q", over=("y: vector",), where=_HERE)),
        measurable=_KNOWN,
        only=(("Q", "X"),),
        derived=_DERIVED,
        source="freezing: Y is known from H, X independent of H; y ranges over the points with K(y) <= c",
    ),
    Rule(
        "frozen bound of the mean",
        f"Q(y): random real; K(y): real; c, q: real; {_FROZEN}",
        "ind(KY <= c)*Egiven(QY, H) <= ind(KY <= c)*q",
        premises=(Fact("independent(X, H) == 1"), Fact("E(Q) <= q", over=("y: vector",), where=_HERE)),
        sides=(Fact("Q >= 0"),),
        measurable=_KNOWN,
        integrable=("QY",),
        only=(("Q", "X"),),
        derived=_DERIVED,
        source="freezing, for a term Q >= 0",
    ),
    Rule(
        "frozen mean",
        f"Q(y): random quantity; M(y): quantity; K(y): real; c: real; {_FROZEN}",
        "Egiven(ind(KY <= c)*QY, H) == ind(KY <= c)*MY",
        premises=(Fact("independent(X, H) == 1"), Fact("E(Q) == M", over=("y: vector",), where=_HERE)),
        measurable=_KNOWN,
        integrable=("ind(KY <= c)*QY",),
        only=(("Q", "X"),),
        derived=(*_DERIVED, Derived("MY", "M", "y", "Y")),
        source="freezing: the conditional mean is the mean at the frozen point",
    ),
)
