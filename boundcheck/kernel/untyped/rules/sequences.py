"""Rule schemas: trajectories, sums, the past and fresh samples."""

from __future__ import annotations

from boundcheck.kernel.statement import Fact
from boundcheck.kernel.untyped.rules.schema import Derived, Implies, Rule, facts

RULES = (
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
        fixed=(("b", "x"), ("b", "g"), ("q", "x"), ("c", "x"), ("b", "random"), ("c", "random")),
        source="given the past, x_t is a fixed point and the samples of step t are fresh; "
        "what is assumed of x and g holds at every point",
    ),
    Rule(
        "conditioning on the past",
        ("A", "G", "q"),
        "P(both(A, G)) <= q",
        premises=facts("measurable(ind(G), past) == 1", "ind(G)*Pgiven(A, past) <= ind(G)*q"),
        sides=facts("q >= 0"),
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
    Rule("same point", ("y", "z"), "fmu(y) == fmu(z)", premises=facts("y == z"), source="equal points"),
    Rule("same point of f", ("y", "z"), "f(y) == f(z)", premises=facts("y == z"), source="equal points"),
    Rule(
        "minimum below average",
        ("G", "s", "n", "c"),
        "least(G, s, 0, n - 1) <= c",
        premises=(Fact("sum(G, s, 0, n - 1)/n <= c"),),
        sides=facts("n >= 1"),
        whole=("n",),
        source="the least of n terms is at most their average",
    ),
    Rule(
        "telescope",
        ("v", "w", "c", "n"),
        "at(v, n) <= at(v, 0) - sum(at(w, s), s, 0, n - 1) + n*c",
        premises=(Fact("at(v, s + 1) <= at(v, s) - at(w, s) + c", over=("s",), where=("s >= 0", "s <= n - 1")),),
        sides=facts("n >= 1"),
        whole=("n",),
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
        sides=facts("t >= 0", "t <= n"),
        whole=("t",),
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
        sides=facts("n >= 1"),
        whole=("n",),
        source="linearity of a finite sum",
    ),
    Rule(
        "last term of a sum",
        ("G", "s", "n"),
        "sum(G, s, 0, n) == sum(G, s, 0, n - 1) + H",
        sides=facts("n >= 1"),
        whole=("n",),
        derived=(Derived("H", "G", "s", "n"),),
        source="the term s = n split off",
    ),
    Rule(
        "sum of nonnegative terms",
        ("w", "s", "n"),
        "sum(at(w, s), s, 0, n - 1) >= 0",
        premises=(Fact("at(w, s) >= 0", over=("s",)),),
        fixed=(("w", "s"),),
        source="a sum of nonnegative terms",
    ),
)
