"""Attacks on what is put for a name: random, undefined, a vector for a scalar, or moved into an average.

Each false statement here was PROVED before what it abuses was mended; its twin without the abuse still is.
"""

import pytest
from false_proofs import statement

from boundcheck.decide import decide
from boundcheck.decide.quantified import decide_exists
from boundcheck.decide.statements import decide_statement
from boundcheck.kernel.check.statement_certificate import verify_statement
from boundcheck.kernel.statement import ByRule, Cite, Decide, Definition, Exists, Fact, Family, Follows, Step, Use
from boundcheck.verdict import Status

UNIFORM = {"h": Fact("law(U) == sphere(d)")}
BALL = {"h": Fact("law(v) == ball(d)")}
INDEPENDENT = {"i": Fact("independent(V, X) == 1")}
SAMPLES = Fact("iid(samples, past) == 1")
NEAR = "f(at(xs, t)) - fstar <= c"


def one(claim, by, **more):
    return statement([Fact(claim)], [Step(Fact(claim), by)], **more)


def freezing(bound):
    """A bound for every fixed v, put for the random V."""
    return statement(
        [Fact(f"Pgiven(X > V, V) <= {bound('V')}")],
        [
            Step(Fact(f"P(X > v) <= {bound('v')}", ("v",), ("v >= 0",)), Follows(("h",))),
            Step(
                Fact(f"Pgiven(X > V, V) <= {bound('V')}"),
                ByRule("freezing", {"Q": "X > v", "v": "v", "V": "V", "X": "X", "B": bound("v")}, ("i", 1)),
            ),
        ],
        hypotheses={**INDEPENDENT, "h": Fact("P(X > v) <= 1/(1 + v)", ("v",), ("v >= 0",))},
        domains={"V": ("V >= 0",)},
        random=("V", "X"),
    )


def frozen(bound):
    """E of a term that a fixed v bounds, averaged over V: P(X < V) has no V left to average."""
    return statement(
        [Fact(f"E(V*ind(X < V)) <= E({bound('V')})")],
        [
            Step(
                Fact("E(v*ind(X < v)) == v*E(ind(X < v))", ("v",)),
                ByRule("expectation scale", {"c": "v", "X": "ind(X < v)"}),
            ),
            Step(Fact("E(ind(X < v)) == P(X < v)", ("v",)), ByRule("expectation of an indicator", {"A": "X < v"})),
            Step(Fact(f"E(v*ind(X < v)) <= {bound('v')}", ("v",), ("v >= 0",)), Follows((1, 2))),
            Step(
                Fact(f"E(V*ind(X < V)) <= E({bound('V')})"),
                ByRule(
                    "frozen expectation",
                    {"Q": "v*ind(X < v)", "v": "v", "V": "V", "X": "X", "B": bound("v")},
                    ("i", 3),
                ),
            ),
        ],
        hypotheses=INDEPENDENT,
        domains={"V": ("V >= 0",)},
        random=("V", "X"),
    )


def fresh(level, suboptimality, random):
    """The samples of step t against a level that may depend on them."""
    near = f"f(at(xs, t)) - fstar <= {suboptimality}"
    return one(
        f"ind({near})*Pgiven(norm(at(gs, t) - gradfmu(at(xs, t))) > {level}, past) <= ind({near})*q",
        ByRule("fresh samples", {"b": level, "q": "q", "c": suboptimality, "Lo": near, "t": "t"}, ("h", "k", "i")),
        hypotheses={
            "h": Fact(f"P(norm(g - gradfmu(x)) > {level}) <= q"),
            "k": Fact(f"f(x) - fstar <= {suboptimality}"),
            "i": SAMPLES,
        },
        domains={"t": ("t >= 0",)},
        integers=("t",),
        random=("g", "gs", "xs", "samples", "past", *random),
    )


def fresh_at(term):
    """A bound that is defined by ``term``, at the point of step t."""
    claim = f"ind({NEAR})*Pgiven(norm(at(gs, t) - gradfmu(at(xs, t))) > b, past) <= ind({NEAR})*q"
    return statement(
        [Fact(claim.replace("*q", f"*({term})"))],
        [
            Step(Fact(f"q == {term}"), Definition()),
            Step(Fact("P(norm(g - gradfmu(x)) > b) <= q"), Follows((1, "h"))),
            Step(
                Fact(claim),
                ByRule("fresh samples", {"b": "b", "q": "q", "c": "c", "Lo": NEAR, "t": "t"}, (2, "k", "i")),
            ),
            Step(
                Fact(claim.replace("*q", f"*({term})")),
                Follows((1, 3)),
            ),
        ],
        hypotheses={
            "h": Fact(f"P(norm(g - gradfmu(x)) > b) <= {term}"),
            "k": Fact("f(x) - fstar <= c"),
            "i": SAMPLES,
        },
        domains={"t": ("t >= 0",)},
        integers=("t",),
        random=("g", "gs", "xs", "samples", "past"),
    )


def fresh_range(random):
    return one(
        "ind(f(at(xs, s)) - fstar <= c)*norm(at(W, s, l)) <= ind(f(at(xs, s)) - fstar <= c)*R",
        ByRule(
            "fresh range",
            {"R": "R", "c": "c", "Lo": "f(at(xs, s)) - fstar <= c", "s": "s", "l": "l"},
            ("h", "k", "i"),
        ),
        hypotheses={"h": Fact("norm(X1) <= R"), "k": Fact("f(x) - fstar <= c"), "i": SAMPLES},
        random=("X1", "W", "xs", "samples", "past", *random),
    )


def smoothed(random):
    return one(
        "fmu(x) == E(f(x + mu*v))",
        ByRule("smoothing of the value", {"x": "x"}, ("h",)),
        hypotheses=BALL,
        random=("v", *random),
    )


def differentiated(random):
    return one(
        "gradf(x) == E(gradF(x))",
        ByRule("dominated differentiation", {"x": "x", "y": "y", "g": "g"}, ("h", "k")),
        hypotheses={
            "h": Fact("norm(gradF(y)) <= norm(gradF(x0)) + L*norm(y - x0)", ("y",)),
            "k": Fact("E(norm(gradF(x0))) <= g"),
        },
        random=random,
    )


def event(quotient, domain):
    """An event that always happens where it is defined."""
    return statement(
        [Fact(f"P({quotient} <= 1) == 1")],
        [
            Step(Fact("P(1 > 1) == 0"), ByRule("impossible", {"A": "1 > 1"})),
            Step(Fact("P(complement(1 <= 1)) == P(1 > 1)"), ByRule("negation", {"X": "1", "a": "1"})),
            Step(Fact("P(1 <= 1) == 1 - P(complement(1 <= 1))"), ByRule("complement", {"A": "1 <= 1"})),
            Step(Fact(f"P({quotient} <= 1) == 1"), Follows((1, 2, 3))),
        ],
        domains={"Y": domain},
        random=("Y",),
    )


def nonnegative(domain):
    """a >= -1, because a square is nonnegative and sqrt(a) has one."""
    return statement(
        [Fact("a >= -1")],
        [
            Step(Fact("0 <= t**2", ("t",)), Decide()),
            Step(Fact("a >= -1"), Follows((Use(1, {"t": "sqrt(a)"}),))),
        ],
        domains={"a": domain},
    )


def mass(end, value):
    """The mass of an exponential law, which is below 1 up to every real number b."""
    return statement(
        [Fact(f"{value} < 1")],
        [
            Step(Fact("integral(exp(-s), s, 0, b) == 1 - exp(-b)", ("b",), ("b > 0",)), Decide()),
            Step(Fact("1 - exp(-b) < 1", ("b",)), Decide()),
            Step(Fact("integral(exp(-s), s, 0, b) < 1", ("b",), ("b > 0",)), Follows((1, 2))),
            Step(Fact(f"integral(exp(-s), s, 0, {end}) < 1"), Follows((Use(3, {"b": end}),))),
            Step(Fact(f"integral(exp(-s), s, 0, {end}) == {value}"), Decide()),
            Step(Fact(f"{value} < 1"), Follows((4, 5))),
        ],
    )


def cited(domain):
    return statement(
        [Fact("a >= -1")],
        [Step(Fact("0 <= sqrt(a)**2"), Cite("SQUARE", {"t": "sqrt(a)"})), Step(Fact("a >= -1"), Follows((1,)))],
        domains={"a": domain},
    )


def multiple(factor, vector):
    """|c v| = |c| |v| and <v, c w> = c <v, w>, c a scalar."""
    return statement(
        [Fact(f"norm({factor}*{vector}) == abs({factor})*norm({vector})")],
        [
            Step(
                Fact(f"dot(z, {factor}*{vector}) == {factor}*dot(z, {vector})"),
                ByRule("dot of a multiple", {"c": factor, "v": "z", "w": vector}),
            ),
            Step(
                Fact(f"norm({factor}*{vector}) == abs({factor})*norm({vector})"),
                ByRule("norm scale", {"c": factor, "v": vector}),
            ),
        ],
        hypotheses={"h": Fact("norm(w) <= 1")},
    )


def radius_one(first, claim="E(f(x + 1*v)) <= 5", **more):
    """What is known of fmu, for some radius mu, said of the radius 1."""
    return statement(
        [Fact(claim)],
        [
            Step(Fact("mu == 1"), first),
            Step(Fact("fmu(x) == E(f(x + mu*v))"), ByRule("smoothing of the value", {"x": "x"}, ("h",))),
            Step(Fact("x + mu*v == x + 1*v"), Follows((1,))),
            Step(
                Fact("f(x + mu*v) == f(x + 1*v)"),
                ByRule("same point of f", {"y": "x + mu*v", "z": "x + 1*v"}, (3,)),
            ),
            Step(
                Fact("E(f(x + mu*v)) == E(f(x + 1*v))"),
                ByRule("expectation of equals", {"X": "f(x + mu*v)", "Y": "f(x + 1*v)"}, (4,)),
            ),
            Step(Fact(claim), Follows((2, 5, *more.get("using", ())))),
        ],
        hypotheses={**BALL, **more.get("hypotheses", {})},
        domains=more.get("domains"),
        random=("v",),
    )


def slope(over, known):
    """What is known of a two-point slope, as a difference quotient, for all that ``over`` names."""
    claim = Fact("(f(x + mu*u) - f(x - mu*u))/(2*mu) <= 1", over, ("mu > 0",))
    return statement(
        [claim],
        [Step(claim, ByRule("two-point slope", {"x": "x", "u": "u"}, ("h",)))],
        hypotheses={"h": Fact("slopef(x, u) <= 1", known)},
    )


def averaged_where(condition):
    claim = Fact("E(min(F(x), c)) <= E(1)", (), (condition,))
    return statement(
        [claim],
        [
            Step(Fact("min(F(x), c) <= 1", (), (condition,)), Follows(())),
            Step(claim, ByRule("expectation monotone", {"X": "min(F(x), c)", "Y": "1"}, (1,))),
        ],
        domains={"c": ()},
    )


def known_factor(later, now, over):
    """The indicator of a level at step ``later`` taken out of a mean over the samples of step ``now``."""
    low, g, slope = f"ind(at(gap, {later}) <= c)", f"at(gs, {now})", f"gradfmu(at(xs, {now}))"
    error = f"Egiven({g}, past) - {slope}"
    whole = f"Egiven({low}*{g}, past) - {low}*{slope}"
    claims = [
        Fact(f"norm({error}) <= 0", over),
        Fact(f"Egiven({low}*{g}, past) == {low}*Egiven({g}, past)", over),
        Fact(f"norm({low}*({error})) == abs({low})*norm({error})", over),
        Fact(f"{whole} == {low}*({error})", over),
        Fact(f"norm({whole}) == norm({low}*({error}))", over),
        Fact(f"norm({error}) == 0", over),
        Fact(f"norm({whole}) <= 0", over),
    ]
    near, past = ("near", "past") if over else (Use("near", {"t": now}), Use("past", {"t": later}))
    reasons = [
        ByRule("fresh bias", {"b": "0", "c": "c", "t": now}, ("bias", "all", "fresh", near)),
        ByRule("known factor", {"k": low, "Y": g, "V": "past"}, (past,)),
        ByRule("norm scale", {"c": low, "v": error}),
        Follows((2,)),
        ByRule("norm of equals", {"v": whole, "w": f"{low}*({error})"}, (4,)),
        Follows((1,)),
        Follows((3, 5, 6)),
    ]
    return statement(
        [claims[-1]],
        [Step(claim, reason) for claim, reason in zip(claims, reasons, strict=True)],
        hypotheses={
            "past": Fact("measurable(ind(at(gap, t) <= c), past) == 1", ("t",)),
            "fresh": SAMPLES,
            "bias": Fact("norm(E(g) - gradfmu(x)) <= 0"),
            "all": Fact("f(x) - fstar <= c"),
            "near": Fact("f(at(xs, t)) - fstar <= c", ("t",)),
        },
        random=("g", "gs", "xs", "gap", "samples", "past"),
    )


BOUNDED = {"k": Fact("fmu(x) <= 5")}

#: the steps that make 3 d^2 == d (d + 2) of a vector U on the sphere, taken for a coordinate of it
CONTRADICTION = statement(
    [Fact("3*d**2 == d*(d + 2)")],
    [
        Step(Fact("norm(U) == 1"), ByRule("unit length", {"u": "U", "d": "d"}, ("h",))),
        Step(Fact("norm(U*1) == abs(U)*norm(1)"), ByRule("norm scale", {"c": "U", "v": "1"})),
        Step(Fact("norm(1)*abs(U) == 1"), Follows((1, 2))),
        Step(Fact("norm(1)**2*U**2 == 1"), Follows((3,), ("-(norm(1)*abs(U) + 1)",))),
        Step(Fact("norm(1)**4*U**4 == 1"), Follows((4,), ("-(norm(1)**2*U**2 + 1)",))),
        Step(Fact("E(U**2) == 1/d"), ByRule("second moment of a coordinate", {"U1": "U", "d": "d"}, ("h",))),
        Step(Fact("E(U**4) == 3/(d*(d + 2))"), ByRule("fourth moment of a coordinate", {"U1": "U", "d": "d"}, ("h",))),
        Step(
            Fact("E(norm(1)**2*U**2) == E(1)"),
            ByRule("expectation of equals", {"X": "norm(1)**2*U**2", "Y": "1"}, (4,)),
        ),
        Step(
            Fact("E(norm(1)**4*U**4) == E(1)"),
            ByRule("expectation of equals", {"X": "norm(1)**4*U**4", "Y": "1"}, (5,)),
        ),
        Step(Fact("E(1) == 1"), ByRule("expectation of a constant", {"c": "1"})),
        Step(
            Fact("E(norm(1)**2*U**2) == norm(1)**2*E(U**2)"),
            ByRule("expectation scale", {"c": "norm(1)**2", "X": "U**2"}),
        ),
        Step(
            Fact("E(norm(1)**4*U**4) == norm(1)**4*E(U**4)"),
            ByRule("expectation scale", {"c": "norm(1)**4", "X": "U**4"}),
        ),
        Step(Fact("norm(1)**2 == d"), Follows((6, 8, 10, 11), ("d*norm(1)**2", "-d", "-d", "d"))),
        Step(
            Fact("3*norm(1)**4 == d*(d + 2)"),
            Follows((7, 9, 10, 12), ("norm(1)**4*d*(d + 2)", "-d*(d + 2)", "-d*(d + 2)", "d*(d + 2)")),
        ),
        Step(Fact("3*d**2 == d*(d + 2)"), Follows((13, 14), ("3*(norm(1)**2 + d)", "-1"))),
    ],
    hypotheses=UNIFORM,
    domains={"d": ("d >= 2",)},
    integers=("d",),
)

LIBRARY = {
    "SQUARE": one("0 <= t**2", Decide(), domains={"t": ()}, label="SQUARE"),
    "MASS": one("integral(exp(-s), s, 0, b) < 1", Decide(), domains={"b": ("b > 0",)}, label="MASS"),
}

FALSE = {
    "freezing: a probability, which averages over V": freezing(lambda v: f"P(X > {v})"),
    "frozen expectation: a probability, which averages over V": frozen(lambda v: f"{v}*P(X < {v})"),
    "fresh samples: a level that depends on them": fresh("B", "c", ("B",)),
    "fresh samples: a random bound on f": fresh("b", "C", ("C",)),
    "fresh samples: a bound that is defined by the point": fresh_at("norm(x)"),
    "fresh range: a random range": fresh_range(("R",)),
    "smoothing with a random radius": smoothed(("mu",)),
    "differentiation dominated by a random constant": differentiated(("L",)),
    "an event that is undefined at 0": event("Y/Y", ()),
    "a hypothesis on an event that is undefined at 0": one(
        "1 <= 1/2",
        Follows(("h", "one")),
        hypotheses={"h": Fact("P(Y/Y <= 1) <= 1/2"), "one": Fact("P(1 <= 1) == 1")},
        random=("Y",),
    ),
    "infinity as a real number": mass("oo", "1"),
    "infinity as a real number, cited": one("integral(exp(-s), s, 0, oo) < 1", Cite("MASS", {"b": "oo"})),
    "a value that is undefined": nonnegative(()),
    "a value that is undefined, cited": cited(()),
    "a vector as a factor": multiple("w", "v"),
    "the radius of what is known, defined afterwards": radius_one(Definition(), hypotheses=BOUNDED, using=("k",)),
    "the radius of what is claimed, defined by the proof": radius_one(Definition(), "fmu(x) == E(f(x + 1*v))"),
    "one radius taken for all": slope(("mu",), ()),
    "a condition on the sample under an average": averaged_where("F(x) <= 1"),
    "the future taken for known": known_factor("5", "0", ()),
    "a vector on the sphere as a coordinate": CONTRADICTION,
}


@pytest.mark.usefixtures("no_worlds")
@pytest.mark.parametrize("abuse", FALSE)
def test_an_abuse_proves_nothing(abuse):
    verdict = decide_statement(FALSE[abuse], LIBRARY.__getitem__, 0.5, 0.0)
    assert verdict.status not in (Status.PROVED, Status.REPAIRED), abuse
    assert verdict.certificate is None


HONEST = {
    "a real number": mass("3", "1 - exp(-3)"),
    "a real number, cited": one("integral(exp(-s), s, 0, 3) < 1", Cite("MASS", {"b": "3"})),
    "a value": nonnegative(("a >= 0",)),
    "a value, cited": cited(("a >= 0",)),
}


@pytest.mark.parametrize("name", HONEST)
def test_the_honest_twin_is_proved_and_its_certificate_holds(name):
    verdict = decide_statement(HONEST[name], LIBRARY.__getitem__, 4.0, 0.0)
    assert verdict.status is Status.PROVED, verdict.reason
    assert verify_statement(verdict.certificate).valid


# ---------------------------------------------------------------- there is no constant


def exists(name, hypothesis):
    """a <= C for all a that meet the hypothesis, tried at a = ``name`` >= 1."""
    family = Family("f", (name,), (f"{name} >= 1",), {"a": name})
    return statement(
        [], [], hypotheses={"h": hypothesis}, domains={"a": ()}, exists=(Exists("C", Fact("a <= C"), (family,)),)
    )


#: assertions that hold with the constant in the name, and a family that would refute them
TRUE = {
    "C = 1: a hypothesis for all t, the family's own t": exists("t", Fact("a <= t", ("t",), ("t >= 1",))),
    "C = 3: an integral binds the family's name": exists("x", Fact("integral(a, x, 0, 1) <= 3")),
}


@pytest.mark.parametrize("name", TRUE)
def test_a_name_of_the_family_is_no_other(name):
    s = TRUE[name]
    assert decide_exists(s, s.exists[0], decide).status is Status.UNDECIDED


@pytest.mark.parametrize("hypothesis", [Fact("t <= a + t", ("t",)), Fact("integral(t, t, 0, 1) <= a")])
def test_other_names_are_no_hindrance(hypothesis):
    s = exists("x", hypothesis)
    assert decide_exists(s, s.exists[0], decide).status is Status.REFUTED
