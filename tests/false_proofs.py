"""False statements with proofs that abuse a schema, a scope or a citation, as data."""

import re

from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Definition,
    Fact,
    Follows,
    Parameter,
    Statement,
    Step,
    Use,
)

#: what a name is where a statement does not say it
SORTS = {
    **dict.fromkeys(("f", "fmu"), "vector -> real"),
    **dict.fromkeys(("gradf", "gradfmu"), "vector -> vector"),
    **dict.fromkeys(("xs", "gs"), "integer -> random vector"),
    **dict.fromkeys(("x", "z", "w", "g"), "vector"),
    **dict.fromkeys(("u", "U", "X1"), "random vector"),
    "v": "random vector",
}


def statement(claims, steps, hypotheses=None, domains=None, integers=(), random=(), label="s", **more):
    """A statement; a random name with a domain gets it as a hypothesis, names of SORTS that occur their sort."""
    domains, hypotheses = dict(domains or {}), dict(hypotheses or {})
    for name in [n for n in domains if n in random]:
        hypotheses |= {f"{name} {k}": Fact(text) for k, text in enumerate(domains.pop(name))}
    parameters = tuple(Parameter(n, n, tuple(d), n in integers) for n, d in domains.items())
    if more.get("declares") is None:
        facts = [*claims, *hypotheses.values(), *(s.fact for s in steps)]
        told = " ".join(t for f in facts for t in (f.claim, *f.where))
        ranging = {n.split(":")[0] for f in facts for n in f.over}
        bound = set(re.findall(r"(?:sum|integral|least|union)\([^,]*, (\w+),", told))
        words = set(re.findall(r"[A-Za-z]\w*", told)) - ranging - bound - domains.keys() - set(random)
        vectors = [n for n in random if SORTS.get(n) == "random vector"]
        random = tuple(n for n in random if n not in vectors)
        more["declares"] = {n: SORTS[n] for n in SORTS if n in words} | dict.fromkeys(vectors, "random vector")
    return Statement(
        label,
        "title",
        "lemma",
        "part",
        "text",
        parameters,
        hypotheses,
        tuple(claims),
        tuple(steps),
        random=random,
        **more,
    )


def one_step(fact, by, **more):
    """A statement that is proved in one step."""
    return statement([fact], [Step(fact, by)], **more)


CITED = {
    "L1": statement(
        [Fact("P(X > c) <= 1/(1+c)")],
        [],
        hypotheses={"h": Fact("P(X > c) <= 1/(1 + c)")},
        domains={"c": ("c > 0",)},
        random=("X",),
        label="L1",
    ),
    "M0": statement(
        [Fact("P(X > c) <= E(X)/c")],
        [Step(Fact("P(X > c) <= E(X**1)/c**1"), ByRule("Markov", {"A": "X > c", "X": "X", "a": "c", "q": "1"}, ()))],
        domains={"c": ("c > 0",), "X": ("X >= 0",)},
        random=("X",),
        label="M0",
    ),
    "L2": statement(
        [Fact("2 <= b")],
        [Step(Fact("2 <= b"), Follows((Use("h", {"y": "2"}),)))],
        hypotheses={"h": Fact("y <= b", over=("y",), where=("y <= 5",))},
        domains={"b": ()},
        label="L2",
    ),
    "A": statement(
        [Fact("0 == 1")],
        [Step(Fact("0 == 1"), Cite("B", {}))],
        label="A",
    ),
    "B": statement(
        [Fact("0 == 1")],
        [Step(Fact("0 == 1"), Cite("A", {}))],
        label="B",
    ),
    "L3": statement(
        [Fact("x <= c")],
        [Step(Fact("c == x"), Definition()), Step(Fact("x <= c"), Follows((1,)))],
        domains={"x": ()},
        label="L3",
    ),
}

#: what is abused -> a statement that is false (for some values, or as read with the words of the proof vocabulary)
FALSE = {
    "oo-trivial Decide": statement(
        [Fact("integral(exp(-t), t, 0, oo) <= 1/2")],
        [Step(Fact("integral(exp(-t), t, 0, oo) <= 1/2"), Decide())],
    ),
    "times strict": statement(
        [Fact("x > 0")],
        [Step(Fact("x > 0"), Follows(("h",), ("1",)))],
        hypotheses={"h": Fact("x >= 0")},
        domains={"x": ()},
    ),
    "times ==": statement(
        [Fact("x == 0")],
        [Step(Fact("x == 0"), Follows(("h",), ("1",)))],
        hypotheses={"h": Fact("x >= 0")},
        domains={"x": ()},
    ),
    "times !=": statement(
        [Fact("x != 0")],
        [Step(Fact("x != 0"), Follows(("h",), ("1",)))],
        hypotheses={"h": Fact("x >= 0")},
        domains={"x": ()},
    ),
    "o1_ name": statement(
        [Fact("P(X > 1) <= 0")],
        [Step(Fact("P(X > 1) <= 0"), Decide())],
        domains={"o1_": ("o1_ <= 0",)},
        random=("X",),
    ),
    "rewriting binder": statement(
        [Fact("integral(2*t, t, 0, 1) >= 5")],
        [Step(Fact("integral(2*t, t, 0, 1) >= 5"), Decide(("h",)))],
        hypotheses={"h": Fact("2*t == 6")},
        domains={"t": ()},
    ),
    "generalise undeclared": statement(
        [Fact("x <= x - 1")],
        [
            Step(Fact("x <= t", over=("t",)), Follows(("h",))),
            Step(Fact("x <= x - 1"), Follows((Use(1, {"t": "x - 1"}),))),
        ],
        hypotheses={"h": Fact("x <= t")},
        domains={"x": ()},
    ),
    "definition of a parameter": statement(
        [Fact("c == 1")],
        [Step(Fact("c == 1"), Definition())],
        domains={"c": ()},
    ),
    "definition over": statement(
        [Fact("0 == 1")],
        [
            Step(Fact("c == t", over=("t",)), Definition()),
            Step(
                Fact("0 == 1"),
                Follows(
                    (
                        Use(1, {"t": "0"}),
                        Use(1, {"t": "1"}),
                    )
                ),
            ),
        ],
    ),
    "definition random": statement(
        [Fact("E(X) == X")],
        [
            Step(Fact("c == X"), Definition()),
            Step(Fact("E(c) == c"), ByRule("expectation of a constant", {"c": "c"}, ())),
            Step(Fact("E(X) == E(c)"), ByRule("expectation of equals", {"X": "X", "Y": "c"}, (1,))),
            Step(
                Fact("E(X)==X"),
                Follows(
                    (
                        1,
                        2,
                        3,
                    )
                ),
            ),
        ],
        random=("X",),
    ),
    "integral monotone reversed": statement(
        [Fact("integral(0, t, 1, 0) <= integral(1, t, 1, 0)")],
        [
            Step(Fact("0 <= 1", over=("t",)), Decide()),
            Step(
                Fact("integral(0, t, 1, 0) <= integral(1, t, 1, 0)"),
                ByRule("integral monotone", {"G": "0", "H": "1", "t": "t", "a": "1", "b": "0"}, (1,)),
            ),
        ],
    ),
    "bound param domain": statement(
        [Fact("integral(1, t, 0, 1) <= integral(t, t, 0, 1)")],
        [
            Step(
                Fact("integral(1, t, 0, 1) <= integral(t, t, 0, 1)"),
                ByRule("integral monotone", {"G": "1", "H": "t", "t": "t", "a": "0", "b": "1"}, ("h",)),
            )
        ],
        hypotheses={"h": Fact("1 <= t", over=("t",), where=("t >= 1",))},
        domains={"t": ("t >= 1",)},
    ),
    "bound goal where": statement(
        [Fact("integral(1, t, 0, 1) <= integral(t, t, 0, 1)")],
        [
            Step(
                Fact("integral(1, t, 0, 1) <= integral(t, t, 0, 1)", over=("t",), where=("t >= 1",)),
                ByRule("integral monotone", {"G": "1", "H": "t", "t": "t", "a": "0", "b": "1"}, ("h",)),
            ),
            Step(Fact("integral(1, t, 0, 1) <= integral(t, t, 0, 1)"), Follows((Use(1, {"t": "1"}),))),
        ],
        hypotheses={"h": Fact("1 <= t", over=("t",), where=("t >= 1",))},
    ),
    "case split on random": statement(
        [Fact("P(X > 1) <= X**9", where=("X > 0",))],
        [
            Step(
                Fact("P(X > 1) == 0", over=("X",), where=("X > 0", "X < 1")), ByRule("impossible", {"A": "X > 1"}, ())
            ),
            Step(Fact("P(X > 1) <= X**9", over=("X",), where=("X > 0", "X < 1")), Follows((1,))),
            Step(Fact("P(X > 1) <= X**9", over=("X",), where=("X > 0", "X >= 1")), Follows(())),
            Step(
                Fact("P(X > 1) <= X**9", where=("X > 0",)),
                ByRule(
                    "either case",
                    {"A": "P(X > 1)", "B": "X**9", "t": "X", "a": "1"},
                    (
                        2,
                        3,
                    ),
                ),
            ),
        ],
        random=("X",),
    ),
    "telescope c over s": statement(
        [Fact("at(v, n) <= at(v, 0) - sum(at(w, s), s, 0, n - 1) + n*s", over=("s",))],
        [
            Step(
                Fact("at(v, n) <= at(v, 0) - sum(at(w, s), s, 0, n - 1) + n*s", over=("s",)),
                ByRule("telescope", {"v": "v", "w": "w", "c": "s", "n": "n"}, ("h",)),
            )
        ],
        hypotheses={"h": Fact("at(v, s + 1) <= at(v, s) - at(w, s) + s", over=("s",), where=("s >= 0", "s <= n - 1"))},
        domains={"n": ("n >= 1",)},
        integers=("n",),
    ),
    "induction c over s": statement(
        [Fact("at(v, t) <= s + 1", over=("s",), where=("s >= 0",))],
        [
            Step(
                Fact("at(v, t) <= s + 1", over=("s",), where=("s >= 0",)),
                ByRule(
                    "induction",
                    {"X": "at(v, s)", "C": "s + 1", "s": "s", "a": "0", "n": "n"},
                    (
                        "h0",
                        "h1",
                    ),
                ),
            )
        ],
        hypotheses={"h0": Fact("at(v, 0) <= 1"), "h1": Fact("at(v, s + 1) == s + 1", over=("s",), where=("s >= 0",))},
        domains={"n": ("n >= 1",), "t": ("t >= 0", "t <= n")},
        integers=("n", "t"),
    ),
    "union bound": statement(
        [Fact("P(union(at(X, t) > 1, t, 1, n)) <= sum(q, t, 1, n)")],
        [
            Step(
                Fact("P(union(at(X, t) > 1, t, 1, n)) <= sum(q, t, 1, n)"),
                ByRule("union bound", {"A": "at(X, t) > 1", "t": "t", "a": "1", "b": "n", "q": "q"}, ("h",)),
            )
        ],
        hypotheses={"h": Fact("P(at(X, t) > 1) <= q")},
        domains={"n": ("n>=1",), "t": (), "q": ()},
        integers=("n",),
        random=("X",),
    ),
    "Markov random level": statement(
        [Fact("P(X > Y) <= E(X**1)/Y**1")],
        [Step(Fact("P(X > Y) <= E(X**1)/Y**1"), ByRule("Markov", {"A": "X > Y", "X": "X", "a": "Y", "q": "1"}, ()))],
        hypotheses={"h": Fact("X >= 0"), "k": Fact("Y > 0")},
        domains={"X": ("X >= 0",), "Y": ("Y > 0",)},
        random=("X", "Y"),
    ),
    "Lyapunov random": statement(
        [Fact("E(X**Y) <= E(X**2)**(Y/2)")],
        [Step(Fact("E(X**Y) <= E(X**2)**(Y/2)"), ByRule("Lyapunov", {"X": "X", "q": "Y", "r": "2"}, ()))],
        domains={"X": ("X >= 0",), "Y": ("Y > 0", "Y <= 2")},
        random=("X", "Y"),
    ),
    "Tonelli random end": statement(
        [Fact("E(integral(1*ind(X > t), t, 0, Y)) == integral(1*P(X > t), t, 0, Y)")],
        [
            Step(
                Fact("E(integral(1*ind(X > t), t, 0, Y)) == integral(1*P(X > t), t, 0, Y)"),
                ByRule("Tonelli", {"W": "1", "A": "X > t", "t": "t", "a": "0", "b": "Y"}, ()),
            )
        ],
        random=("X", "Y"),
    ),
    "tail of a multiple": statement(
        [Fact("P(X*V > a) <= (c*V/a)**p")],
        [
            Step(
                Fact("P(X*V > a) <= (c*V/a)**p"),
                ByRule("tail of a multiple", {"X": "X", "v": "V", "a": "a", "c": "c", "p": "p"}, ("h",)),
            )
        ],
        hypotheses={"h": Fact("P(X > t) <= (c/t)**p", over=("t",), where=("t > 0",))},
        domains={"V": ("V > 0",), "a": ("a > 0",), "c": ("c > 0",), "p": ("p > 0",)},
        random=("X", "V"),
    ),
    "tail c=t": statement(
        [Fact("P(X*v > a) <= (1*t*v/a)**p", over=("t",), where=("t > 0",))],
        [
            Step(Fact("P(X > t) <= (t/t)**p", over=("t",), where=("t > 0",)), Decide()),
            Step(
                Fact("P(X*v > a) <= (t*v/a)**p", over=("t",), where=("t > 0",)),
                ByRule("tail of a multiple", {"X": "X", "v": "v", "a": "a", "c": "t", "p": "p"}, (1,)),
            ),
        ],
        domains={"v": ("v > 0",), "a": ("a > 0",), "p": ("p > 0",)},
        random=("X",),
    ),
    "mean along a segment": statement(
        [Fact("integral(dot(s*x, u), s, -1, 1)/2 == dot(0*x, u) + integral(dot(s*x - 0*x, u), w, -1, 1)/2")],
        [
            Step(
                Fact("integral(dot(s*x, u), s, -1, 1)/2 == dot(0*x, u) + integral(dot(s*x - 0*x, u), w, -1, 1)/2"),
                ByRule("mean along a segment", {"V": "s*x", "W": "0*x", "u": "u", "s": "s"}, ()),
            )
        ],
        domains={"s": (), "x": (), "u": ()},
    ),
    "segment capture": statement(
        [Fact("slopef(w*z, u) == integral(dot(gradf(w*z + mu*w*u), u), w, -1, 1)/2")],
        [
            Step(
                Fact("slopef(w*z, u) == integral(dot(gradf(w*z + mu*w*u), u), w, -1, 1)/2"),
                ByRule("fundamental theorem", {"x": "w*z", "u": "u"}, ()),
            )
        ],
        domains={"mu": ("mu > 0",), "w": (), "z": (), "u": ()},
    ),
    "smoothing random x": statement(
        [Fact("fmu(v) == E(f(v + mu*v))")],
        [Step(Fact("fmu(v) == E(f(v + mu*v))"), ByRule("smoothing of the value", {"x": "v"}, ("h",)))],
        hypotheses={"h": Fact("law(v) == ball(d)")},
        domains={"mu": (), "d": ()},
        random=("v",),
    ),
    "symmetry of the sphere": statement(
        [Fact("E(dot(g, u)) == E(dot(g, -u))")],
        [Step(Fact("E(dot(g, u)) == E(dot(g, -u))"), ByRule("symmetry of the sphere", {"G": "dot(g, u)"}, ("h",)))],
        hypotheses={"h": Fact("law(u) == sphere(d)")},
        domains={"d": ()},
        random=("u", "g"),
    ),
    "fixed direction random r": statement(
        [Fact("P(abs(dot(z, u)) > R) == P(norm(z)*abs(U1) > R)")],
        [
            Step(
                Fact("P(abs(dot(z, u)) > R) == P(norm(z)*abs(U1) > R)"),
                ByRule(
                    "projection of a fixed direction",
                    {"z": "z", "u": "u", "U1": "U1", "d": "d", "r": "R"},
                    (
                        "h",
                        "k",
                    ),
                ),
            )
        ],
        hypotheses={"h": Fact("law(u) == sphere(d)"), "k": Fact("law(U1) == sphere(d)")},
        domains={"d": (), "z": ()},
        random=("u", "U1", "R"),
    ),
    "freezing": statement(
        [Fact("Pgiven(V >= V, V) <= 1/(1+V)")],
        [
            Step(
                Fact("Pgiven(V >= V, V) <= 1/(1+V)"),
                ByRule(
                    "freezing",
                    {"Q": "V >= v", "v": "v", "V": "V", "X": "X", "B": "1/(1 + v)"},
                    (
                        "i",
                        "h",
                    ),
                ),
            )
        ],
        hypotheses={
            "i": Fact("independent(V, X) == 1"),
            "h": Fact("P(V >= v) <= 1/(1 + v)", over=("v",), where=("v >= 0",)),
        },
        domains={"V": ("V >= 0",)},
        random=("V", "X"),
    ),
    "conditioning random q": statement(
        [Fact("P(both(A > 0, G > 0)) <= Pgiven(A > 0, past)")],
        [
            Step(
                Fact("P(both(A > 0, G > 0)) <= Pgiven(A > 0, past)"),
                ByRule(
                    "conditioning on the past",
                    {"A": "A > 0", "G": "G > 0", "q": "Pgiven(A > 0, past)"},
                    (
                        "m",
                        "r",
                    ),
                ),
            )
        ],
        hypotheses={
            "m": Fact("measurable(ind(G > 0), past) == 1"),
            "r": Fact("ind(G > 0)*Pgiven(A > 0, past) <= ind(G > 0)*Pgiven(A > 0, past)"),
        },
        random=("A", "G", "past"),
    ),
    "sum affine n=3/2": one_step(
        Fact("sum(1*0 + 1, s, 0, 3/2 - 1) == 1*sum(0, s, 0, 3/2 - 1) + 3/2*1"),
        ByRule("sum affine", {"c": "1", "k": "1", "G": "0", "s": "s", "n": "3/2"}, ()),
    ),
    "inner products w=v(s)": one_step(
        Fact("sum(norm(at(v, s))**2, s, 1, 2) == dot(at(v, s), sum(at(v, s), s, 1, 2))", over=("s: integer",)),
        ByRule("sum of inner products", {"w": "at(v, s)", "G": "at(v, s)", "s": "s", "a": "1", "b": "2"}, ()),
        declares={"v": "integer -> vector"},
    ),
    "discounted c=s": one_step(
        Fact("sum(s**(2 - s)*1, s, 1, 2) == s*sum(s**(2 - 1 - s)*1, s, 1, 2 - 1) + 1"),
        ByRule("last term of a discounted sum", {"c": "s", "G": "1", "s": "s", "t": "2"}, ()),
        domains={"s": ("s > 0",)},
    ),
    "cite random for constant": statement(
        [Fact("P(X > Y) <= 1/(1 + Y)")],
        [Step(Fact("P(X > Y) <= 1/(1 + Y)"), Cite("L1", {"c": "Y"}))],
        hypotheses={"h": Fact("P(X > Y) <= 1/(1 + Y)")},
        domains={"Y": ("Y > 0",)},
        random=("X", "Y"),
    ),
    "cite Markov with random level": statement(
        [Fact("P(X > Y) <= E(X)/Y")],
        [Step(Fact("P(X > Y) <= E(X)/Y"), Cite("M0", {"c": "Y"}))],
        domains={"Y": ("Y > 0",), "X": ("X >= 0",)},
        random=("X", "Y"),
    ),
    "cite specialises over": statement(
        [Fact("2 <= b")],
        [Step(Fact("2 <= b"), Cite("L2", {"y": "0"}))],
        hypotheses={"h": Fact("0 <= b", where=("0 <= 5",))},
        domains={"b": ()},
    ),
    "circular": statement(
        [Fact("0 == 1")],
        [Step(Fact("0 == 1"), Cite("B", {}))],
        label="A",
    ),
    "cite puts a value for a defined symbol": statement(
        [Fact("1 <= 0")],
        [Step(Fact("1 <= 0"), Cite("L3", {"c": "0", "x": "1"}))],
    ),
    "gram v1_": statement(
        [Fact("norm(x)**2 <= 0")],
        [Step(Fact("norm(x)**2 <= 0"), ByGram(("x",), ("h",)))],
        hypotheses={"h": Fact("norm(v1_)**2 <= 0")},
        domains={"x": (), "v1_": ()},
    ),
    "step integers let": statement(
        [Fact("1/2 >= 1")],
        [
            Step(Fact("n >= 1", over=("n",), where=("n > 0",)), Decide(), integers=("n",)),
            Step(Fact("1/2 >= 1"), Follows((Use(1, {"n": "1/2"}),))),
        ],
    ),
    "step integers through": statement(
        [Fact("n >= 1", over=("n",), where=("n > 0",))],
        [Step(Fact("n >= 1", over=("n",), where=("n > 0",)), Decide(), integers=("n",))],
    ),
    "step integers over param": statement(
        [Fact("n >= 1")],
        [Step(Fact("n >= 1"), Decide(), integers=("n",))],
        domains={"n": ("n > 0",)},
    ),
}
