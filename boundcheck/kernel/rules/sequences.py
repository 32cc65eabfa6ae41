"""Rule schemas: families, sums, induction."""

from __future__ import annotations

from boundcheck.kernel.rules.schema import Derived, Rule, facts
from boundcheck.kernel.statement import Fact

_FAMILY = "G(s): random real; s: bound"
RULES = (
    Rule(
        "minimum below average",
        f"{_FAMILY}; n: integer; c: random real",
        "least(G, s, 0, n - 1) <= c",
        premises=facts("sum(G, s, 0, n - 1)/n <= c"),
        sides=facts("n >= 1"),
        source="the least of n terms is at most their average",
    ),
    Rule(
        "telescope",
        "v, w: integer -> random real; c: random real; n: integer",
        "at(v, n) <= at(v, 0) - sum(at(w, s), s, 0, n - 1) + n*c",
        premises=(
            Fact("at(v, s + 1) <= at(v, s) - at(w, s) + c", over=("s: integer",), where=("s >= 0", "s <= n - 1")),
        ),
        sides=facts("n >= 1"),
        source="sum of a one-step inequality over s = 0, ..., n-1",
    ),
    Rule(
        "induction",
        "v: integer -> random real; c: random real; n, t: integer",
        "at(v, t) <= c",
        premises=(
            Fact("at(v, 0) <= c"),
            Fact("at(v, s + 1) <= c", over=("s: integer",), where=("at(v, s) <= c", "s >= 0", "s <= n - 1")),
        ),
        sides=facts("t >= 0", "t <= n"),
        source="induction over t = 0, ..., n",
    ),
    Rule(
        "sum monotone",
        "G(s), H(s): random real; s: bound; a, b: integer",
        "sum(G, s, a, b) <= sum(H, s, a, b)",
        premises=(Fact("G <= H", over=("s: integer",), where=("a <= s", "s <= b")),),
        source="a sum of inequalities",
    ),
    Rule(
        "sum of equal terms",
        "G(s), H(s): random quantity; s: bound; a, b: integer",
        "sum(G, s, a, b) == sum(H, s, a, b)",
        premises=(Fact("G == H", over=("s: integer",), where=("a <= s", "s <= b")),),
        source="sums of equal terms",
    ),
    Rule(
        "sum of a difference",
        "G(s), H(s): random quantity; s: bound; a, b: integer",
        "sum(G - H, s, a, b) == sum(G, s, a, b) - sum(H, s, a, b)",
        source="linearity of a finite sum",
    ),
    Rule(
        "sum of a constant",
        "c: random quantity; s: bound; a, b: integer",
        "sum(c, s, a, b) == (b - a + 1)*c",
        sides=facts("b >= a - 1"),
        source="b - a + 1 equal terms; none for b = a - 1",
    ),
    Rule(
        "sum scale",
        "c: random real; G(s): random quantity; s: bound; a, b: integer",
        "sum(c*G, s, a, b) == c*sum(G, s, a, b)",
        source="linearity of a finite sum, c the same for all terms",
    ),
    Rule(
        "expectation of a finite sum",
        "G(s): random quantity; s: bound; a, b: integer",
        "E(sum(G, s, a, b)) == sum(E(G), s, a, b)",
        premises=(Fact("integrable(G) == 1", over=("s: integer",), where=("a <= s", "s <= b")),),
        source="linearity of the expectation, for finitely many integrable terms",
    ),
    Rule(
        "sum affine",
        f"{_FAMILY}; c, k: random real; n: integer",
        "sum(c*G + k, s, 0, n - 1) == c*sum(G, s, 0, n - 1) + n*k",
        sides=facts("n >= 1"),
        source="linearity of a finite sum",
    ),
    Rule(
        "last term of a sum",
        f"{_FAMILY}; n: integer",
        "sum(G, s, 0, n) == sum(G, s, 0, n - 1) + H",
        sides=facts("n >= 1"),
        derived=(Derived("H", "G", "s", "n"),),
        source="the term s = n split off",
    ),
    Rule(
        "first term",
        "G(s): random quantity; s: bound",
        "sum(G, s, 1, 1) == H",
        derived=(Derived("H", "G", "s", "1"),),
        source="a sum of one term",
    ),
    Rule(
        "last term of a range",
        "G(s): random quantity; s: bound; a, n: integer",
        "sum(G, s, a, n) == sum(G, s, a, n - 1) + H",
        sides=facts("n >= a"),
        derived=(Derived("H", "G", "s", "n"),),
        source="the term s = n split off; a sum from a to a - 1 is empty, and 0",
    ),
    Rule(
        "no terms",
        "G(s): random quantity; s: bound; a, b: integer",
        "sum(G, s, a, b) == 0",
        sides=facts("b == a - 1"),
        source="an empty sum is 0",
    ),
    Rule(
        "sum of nonnegative terms",
        "w: integer -> random real; s: bound; n: integer",
        "sum(at(w, s), s, 0, n - 1) >= 0",
        premises=(Fact("at(w, s) >= 0", over=("s: integer",)),),
        source="a sum of nonnegative terms",
    ),
    Rule(
        "norm of a sum",
        "G(s): random vector; s: bound; a, b: integer",
        "norm(sum(G, s, a, b)) <= sum(norm(G), s, a, b)",
        source="triangle inequality",
    ),
    Rule(
        "last term of a discounted sum",
        "c: random real; G(s): random quantity; s: bound; t: integer",
        "sum(c**(t - s)*G, s, 1, t) == c*sum(c**(t - 1 - s)*G, s, 1, t - 1) + H",
        sides=facts("t >= 2", "c > 0"),
        derived=(Derived("H", "G", "s", "t"),),
        source="the term s = t split off, a factor c taken out of the others",
    ),
)
