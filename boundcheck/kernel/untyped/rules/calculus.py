"""Rule schemas: layer cake, integrals, elementary arithmetic."""

from __future__ import annotations

from boundcheck.kernel.statement import Fact
from boundcheck.kernel.untyped.rules.schema import Rule, facts

RULES = (
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
        sides=facts("X >= 0"),
        fixed=(("X", "t"),),
        source="integral of 2 t over (0, X)",
    ),
    Rule(
        "Tonelli",
        ("W", "A", "t", "a", "b"),
        "E(integral(W*ind(A), t, a, b)) == integral(W*P(A), t, a, b)",
        sides=(Fact("W >= 0", where=("a <= t", "t <= b")),),
        fixed=(("W", "random"), ("a", "random"), ("b", "random"), ("a", "t"), ("b", "t")),
        source="Tonelli's theorem and E ind(A) = P(A)",
    ),
    Rule(
        "integral monotone",
        ("G", "H", "t", "a", "b"),
        "integral(G, t, a, b) <= integral(H, t, a, b)",
        premises=(Fact("G <= H", over=("t",), where=("a <= t", "t <= b")),),
        sides=facts("a <= b"),
        fixed=(("a", "t"), ("b", "t")),
        source="monotonicity of the integral",
    ),
    Rule(
        "integral of equals",
        ("G", "H", "t", "a", "b"),
        "integral(G, t, a, b) == integral(H, t, a, b)",
        premises=(Fact("G == H", over=("t",), where=("a < t", "t < b")),),
        sides=facts("a <= b"),
        fixed=(("a", "t"), ("b", "t")),
        source="equal integrands on the open interval",
    ),
    Rule(
        "integral split",
        ("G", "t", "a", "c", "b"),
        "integral(G, t, a, b) == integral(G, t, a, c) + integral(G, t, c, b)",
        sides=facts("a <= c", "c <= b"),
        source="additivity of the integral",
    ),
    Rule(
        "integral truncate",
        ("G", "t", "a", "c"),
        "integral(G, t, a, oo) == integral(G, t, a, c)",
        premises=(Fact("G == 0", over=("t",), where=("t >= c",)),),
        sides=facts("a <= c"),
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
    # ---- arithmetic
    Rule(
        "root of a product",
        ("a", "b", "c"),
        "sqrt(a) <= sqrt(b)*sqrt(c)",
        premises=facts("a <= b*c"),
        sides=facts("a >= 0", "b >= 0", "c >= 0"),
        source="monotonicity and multiplicativity of the square root",
    ),
    Rule(
        "root of a bound",
        ("a", "b", "c"),
        "sqrt(a) <= c",
        premises=facts("a == b", "sqrt(b) <= c"),
        source="equal terms",
    ),
)
