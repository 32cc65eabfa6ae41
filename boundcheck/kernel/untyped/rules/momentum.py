"""Rule schemas: conditional expectations and martingale arrays of the momentum proofs."""

from __future__ import annotations

from boundcheck.kernel.statement import Fact
from boundcheck.kernel.untyped.rules.schema import Derived, Implies, Rule, facts

RULES = (
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
        premises=facts("X == Y"),
        source="equal random variables have equal conditional expectations",
    ),
    Rule(
        "known factor",
        ("k", "Y", "V"),
        "Egiven(k*Y, V) == k*Egiven(Y, V)",
        premises=facts("measurable(k, V) == 1"),
        source="a factor that is known given V comes out of the conditional expectation",
    ),
    Rule(
        "fresh range",
        ("R", "c", "Lo", "s", "l"),
        "ind(Lo)*norm(at(W, s, l)) <= ind(Lo)*R",
        premises=facts("norm(X1) <= R", "f(x) - fstar <= c", "iid(samples, past) == 1"),
        implies=(Implies(("Lo",), "f(at(xs, s)) - fstar <= c"),),
        fixed=(("R", "x"), ("R", "X1"), ("c", "x"), ("R", "random"), ("c", "random")),
        source="given the past, x_s is a fixed point and the samples of step s are fresh; "
        "what is assumed of x and X1 holds at every point",
    ),
    Rule(
        "fresh second moment",
        ("v", "c", "Lo", "s", "l"),
        "ind(Lo)*Egiven(norm(at(W, s, l))**2, at(H, s, l - 1)) <= ind(Lo)*v",
        premises=facts("E(norm(X1)**2) <= v", "f(x) - fstar <= c", "iid(samples, past) == 1"),
        implies=(Implies(("Lo",), "f(at(xs, s)) - fstar <= c"),),
        fixed=(("v", "x"), ("v", "X1"), ("c", "x"), ("v", "random"), ("c", "random")),
        source="given the past, x_s is a fixed point and the samples of step s are fresh; "
        "what is assumed of x and X1 holds at every point",
    ),
    Rule(
        "fresh centring",
        ("s", "l"),
        "Egiven(at(W, s, l), at(H, s, l - 1)) == 0",
        premises=facts("E(X1) == 0", "iid(samples, past) == 1"),
        source="given the past, the samples of step s are fresh, and W_{s,l} is centred at its conditional mean",
    ),
    Rule(
        "fresh bias",
        ("b", "c", "t"),
        "norm(Egiven(at(gs, t), past) - gradfmu(at(xs, t))) <= b",
        premises=facts("norm(E(g) - gradfmu(x)) <= b", "f(x) - fstar <= c", "iid(samples, past) == 1"),
        sides=facts("f(at(xs, t)) - fstar <= c"),
        fixed=(("b", "x"), ("b", "g"), ("c", "x"), ("b", "random"), ("c", "random")),
        source="given the past, x_t is a fixed point and the samples of step t are fresh; "
        "what is assumed of x and g holds at every point",
    ),
    Rule(
        "union over a range",
        ("A", "t", "a", "b", "q"),
        "P(union(A, t, a, b)) <= (b - a + 1)*q",
        premises=(Fact("P(A) <= q", over=("t",), where=("t >= a", "t <= b")),),
        sides=facts("b >= a"),
        whole=("a", "b"),
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
        sides=facts("t >= 2", "c > 0"),
        whole=("t",),
        fixed=(("c", "s"), ("t", "s")),
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
        sides=facts("t > 0", "0*a == 0"),
        source="case split at t = a, for t > 0 (0 a = 0 says that a is defined)",
    ),
    Rule(
        "wider range",
        ("X", "a", "b"),
        "P(X <= a) <= P(X <= b)",
        premises=facts("a <= b"),
        source="monotonicity of probability",
    ),
    Rule(
        "negation",
        ("X", "a"),
        "P(complement(X <= a)) == P(X > a)",
        sides=facts("0*X == 0", "0*a == 0"),
        source="X > a is the complement of X <= a, both sides defined",
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
        premises=facts("P(A) >= 1 - a", "P(B) >= 1 - b"),
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
        premises=facts("P(A) >= 1 - q"),
        implies=(Implies((), "B"),),
        source="B is derived under the hypothesis that A happens",
    ),
)
