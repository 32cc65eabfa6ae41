"""Rule schemas: layer cake, integrals, elementary arithmetic."""

from __future__ import annotations

from boundcheck.kernel.rules.schema import Rule, facts
from boundcheck.kernel.statement import Fact

_RANGE = ("a <= t", "t <= b")
RULES = (
    # ---- layer cake
    Rule(
        "excess as an integral",
        "X, a: random real",
        "max(X - a, 0) == integral(ind(X > t), t, a, oo)",
        source="length of the interval (a, X)",
    ),
    Rule(
        "square as an integral",
        "X: random real",
        "X**2 == 2*integral(t*ind(X > t), t, 0, oo)",
        sides=facts("X >= 0"),
        source="integral of 2 t over (0, X)",
    ),
    Rule(
        "power as an integral",
        "X: random real; q: real",
        "X**q == q*integral(t**(q - 1)*ind(X > t), t, 0, oo)",
        sides=facts("X >= 0", "q >= 1"),
        source="integral of q t**(q - 1) over (0, X)",
    ),
    Rule(
        "Tonelli",
        "W(t): real; X: random real; t, n: bound; a: real; b: end",
        "E(integral(W*ind(X > t), t, a, b)) == integral(W*P(X > t), t, a, b)",
        sides=(Fact("a <= b"), Fact("W >= 0", where=_RANGE)),
        converges=("integral(W, t, a, n) if n >= a",),
        source="Tonelli's theorem and E ind(A) = P(A); the inner integral is finite, since X is",
    ),
    Rule(
        "integrable tail",
        "W(t): real; X: random real; t: bound; a: real; b: end",
        "integrable(W*P(X > t), t, a, b) == 1",
        sides=(Fact("a <= b"), Fact("W >= 0", where=_RANGE)),
        converges=("integral(W, t, a, b)",),
        source="0 <= W P(X > t) <= W, and P(X > t) falls with t",
    ),
    Rule(
        "integral monotone",
        "G(t), H(t): random real; t: bound; a: random real; b: end",
        "integral(G, t, a, b) <= integral(H, t, a, b)",
        premises=(Fact("G <= H", over=("t",), where=_RANGE),),
        sides=facts("a <= b"),
        converges=("integral(G, t, a, b)", "integral(H, t, a, b)"),
        source="monotonicity of the integral",
    ),
    Rule(
        "integral monotone, nonnegative",
        "G(t), H(t): random real; t: bound; a: random real; b: end",
        "integral(G, t, a, b) <= integral(H, t, a, b)",
        premises=(Fact("G <= H", over=("t",), where=_RANGE),),
        sides=(Fact("a <= b"), Fact("G >= 0", where=_RANGE)),
        converges=("integral(H, t, a, b)",),
        source="monotonicity of the integral, G dominated by H",
    ),
    Rule(
        "integral of equals",
        "G(t), H(t): random quantity; t: bound; a: random real; b: end",
        "integral(G, t, a, b) == integral(H, t, a, b)",
        premises=(Fact("G == H", over=("t",), where=("a < t", "t < b")),),
        sides=facts("a <= b"),
        source="equal integrands on the open interval",
    ),
    Rule(
        "integral split",
        "G(t): random quantity; t: bound; a, c: random real; b: end",
        "integral(G, t, a, b) == integral(G, t, a, c) + integral(G, t, c, b)",
        sides=facts("a <= c", "c <= b"),
        converges=("integral(G, t, a, b)",),
        source="additivity of the integral",
    ),
    Rule(
        "integral truncate",
        "G(t): random quantity; t: bound; a, c: random real",
        "integral(G, t, a, oo) == integral(G, t, a, c)",
        premises=(Fact("G == 0", over=("t",), where=("t >= c",)),),
        sides=facts("a <= c"),
        source="the integrand vanishes beyond c",
    ),
    Rule(
        "integral scale",
        "c: random real; G(t): random quantity; t: bound; a: random real; b: end",
        "integral(c*G, t, a, b) == c*integral(G, t, a, b)",
        source="linearity of the integral",
    ),
    # ---- arithmetic
    Rule(
        "root of a product",
        "a, b, c: random real",
        "sqrt(a) <= sqrt(b)*sqrt(c)",
        premises=facts("a <= b*c"),
        sides=facts("a >= 0", "b >= 0", "c >= 0"),
        source="monotonicity and multiplicativity of the square root",
    ),
    Rule(
        "root of a bound",
        "a, b, c: random real",
        "sqrt(a) <= c",
        premises=facts("a == b", "sqrt(b) <= c"),
        source="equal terms",
    ),
)
