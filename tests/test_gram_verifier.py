"""The verifier of Gram certificates: signs of polynomials, forged certificates."""

from __future__ import annotations

from fractions import Fraction
from typing import Any

import numpy as np
import pytest
from slow import apart

from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.kernel.check.gram_certificate import (
    MAX_RELATIONS,
    Refused,
    Signs,
    decode_claim,
    encode_claim,
    verify_gram,
)
from boundcheck.kernel.check.quadratic import Form, FormProblem, NotQuadratic, basis, matrix, problem
from boundcheck.kernel.check.ratios import Field, NotRational, Ratio
from boundcheck.kernel.formula import Expr, parse, parse_relation
from boundcheck.kernel.statement import GramClaim
from boundcheck.verdict import Status


def claim(vectors: str, goal: str, hypotheses: tuple[str, ...] = (), where: tuple[str, ...] = ()) -> GramClaim:
    def read(text: str):
        return parse_relation(text, proof=True)

    return GramClaim("test", tuple(vectors.split()), read(goal), tuple(map(read, hypotheses)), tuple(map(read, where)))


def signs() -> Signs:
    """Constraints number 0: k > 0, 1: m >= 0, 2 and 3: k z == 0."""
    p = problem(claim("a", "k*m*z*norm(a)**2 >= 0", (), ("k > 0", "m >= 0", "k*z == 0", "k != 5")))
    return Signs(p, lambda *_: None)


@pytest.mark.parametrize(
    ("polynomial", "terms", "weak", "strict"),
    [
        ("k", [["1", [[0, 1]]]], True, True),
        ("m", [["1", [[1, 1]]]], True, False),
        ("-k", [["-1", [[0, 1]]]], False, False),
        ("k*m", [["1", [[0, 1], [1, 1]]]], True, False),
        ("m*k", [["1", [[1, 1], [0, 1]]]], True, False),
        ("k**2*m", [["1", [[0, 2], [1, 1]]]], True, False),
        ("k**2", [["1", [[0, 2]]]], True, True),
        ("2", [["2", []]], True, True),
        ("k - k", [["0", [[0, 1]]]], True, False),
        ("m", [["1", [[1, 1]]], ["0", [[0, 1]]]], True, False),
        ("m + k/2", [["1", [[1, 1]]], ["1/2", [[0, 1]]]], True, True),
        ("k", [["1", [[1, 1]]]], False, False),
        ("2*k", [["1", [[0, 1]]]], False, False),
        ("-k*z", [["1", [[3, 1]]]], True, False),
        ("k*z", [["1", [[2, 1]]]], True, False),
        ("k", [["1", [[4, 1]]]], False, False),
        ("-k*z", [["1", [[-1, 1]]]], False, False),
        ("m", [["1", [[True, 1]]]], False, False),
        ("k", [["1", [[0, True]]]], False, False),
        ("1", [["1", [[0, 0]]]], False, False),
        ("k**40*k", [["1", [[0, 41]]]], False, False),
        ("k**40", [["1", [[0, 40]]]], True, True),
    ],
)
def test_a_sum_of_products_of_constraints(polynomial, terms, weak, strict):
    s = signs()
    p = s.field.read(parse_relation(f"{polynomial} >= 0").lhs).num
    for flag, good in ((False, weak), (True, strict)):
        if good:
            s.nonnegative(p, terms, strict=flag)
        else:
            with pytest.raises(Refused):
                s.nonnegative(p, terms, strict=flag)


K, M = [["1", [[0, 1]]]], [["1", [[1, 1]]]]


@pytest.mark.parametrize(
    ("polynomial", "constant", "factors", "weak", "strict"),
    [
        ("k*m", "1", [("k", 1, 1, K), ("m", 1, 1, M)], 1, None),
        ("k", "1", [("k", 1, 1, K)], 1, 1),
        ("-3*k", "-3", [("k", 1, 1, K)], -1, -1),
        ("-3*k", "3", [("-k", 1, -1, K)], -1, -1),
        ("9*k**2", "9", [("-k", 2, -1, K)], 1, 1),
        ("-k**3", "1", [("-k", 3, -1, K)], -1, -1),
        ("-3*k", "3", [("k", 1, 1, K)], None, None),
        ("m**2", "1", [("m", 2, 1, [])], 1, None),
        ("m**2", "1", [("m", 2, 1, M)], 1, None),
        ("m**3", "1", [("m", 3, 1, [])], None, None),
        ("k - m", "1", [("k - m", 1, 1, K)], None, None),
        ("(k - m)**2", "1", [("k - m", 2, 1, [])], 1, None),
        ("-(k - m)**2", "-1", [("k - m", 2, 1, [])], -1, None),
        ("k - k", "0", [("k", 1, 1, K)], 1, None),
        ("k", "0", [("k", 1, 1, K)], None, None),
        ("k", "1", [("k", 1, 0, K)], None, None),
        ("k", "1", [("k", 1, 2, K)], None, None),
        ("1", "1", [("k", 0, 1, K)], None, None),
        ("k", "1", [("k", True, 1, K)], None, None),
        ("k**2", "1", [("k", 1, 1, K)], None, None),
    ],
)
def test_the_sign_of_a_product(polynomial, constant, factors, weak, strict):
    s = signs()

    def read(text: str) -> Any:
        return s.field.read(parse_relation(f"{text} >= 0").lhs).num

    proof = {
        "constant": constant,
        "factors": [
            {"polynomial": s.field.encode(read(q)), "power": n, "sign": own, "terms": t} for q, n, own, t in factors
        ],
    }
    for flag, wanted in ((False, weak), (True, strict)):
        if wanted is None:
            with pytest.raises(Refused):
                s.sign(read(polynomial), proof, strict=flag)
        else:
            assert s.sign(read(polynomial), proof, strict=flag) == wanted
    for broken in (None, {}, {"constant": "1"}, {"constant": "1", "factors": 3}):
        with pytest.raises(Refused):
            s.sign(read(polynomial), broken, strict=False)


def number(value: str) -> list[Any]:
    """A constant of a claim without parameters."""
    return [[[value, []]] if value != "0" else [], [["1", []]]]


def forged(about: GramClaim, **fields: Any) -> dict[str, Any]:
    return {
        "schema": 1, "kind": "gram", "claim": encode_claim(about),
        "multipliers": [], "domain": {}, "order": [], "lower": [],
        "diagonal": [], "signs": {}, **fields,
    }  # fmt: skip


ONE = number("1")
FALSE = {
    "levels that do not cancel": (claim("a", "f(x) <= f(y) + norm(a)**2"), {"order": [0], "diagonal": [ONE]}),
    "levels alone": (claim("a", "f(x) <= f(y)"), {}),
    "a negative pivot": (claim("a", "norm(a)**2 <= 0"), {"order": [0], "diagonal": [number("-1")]}),
    "another pivot": (claim("a", "norm(a)**2 <= 0"), {"order": [0], "diagonal": [ONE]}),
    "the first of two pivots": (claim("a b", "norm(a)**2 >= norm(b)**2"), {"order": [0, 1], "diagonal": [ONE]}),
    "one vector of two": (claim("a b", "norm(a)**2 >= norm(b)**2"), {"order": [0], "diagonal": [ONE]}),
    "an order that is none": (claim("a b", "norm(a)**2 >= norm(b)**2"), {"order": [0, 0], "diagonal": [ONE, ONE]}),
    "a mixed term": (claim("a b", "norm(a)**2 + norm(b)**2 + 3*dot(a, b) >= 0"),
    {"order": [0, 1], "diagonal": [ONE, ONE]}),
    "a large factor": (
        claim("a b", "norm(a)**2 + norm(b)**2 + 4*dot(a, b) >= 0"),
        {"order": [0, 1], "diagonal": [ONE, ONE], "lower": [[1, 0, number("2")]]},
    ),
    "a factor above the diagonal": (
        claim("a b", "norm(a)**2 + norm(b)**2 + 4*dot(a, b) >= 0"),
        {"order": [0, 1], "diagonal": [ONE, ONE], "lower": [[0, 1, number("2")], [1, 0, number("2")]]},
    ),
    "a negative multiplier": (claim("a b", "norm(a)**2 >= norm(b)**2", ("norm(b)**2 >= norm(a)**2",)),
    {"multipliers": [number("-1")]}),
    "no multiplier": (claim("a b", "norm(a)**2 >= norm(b)**2", ("norm(a)**2 >= norm(b)**2",)), {}),
    "a strict goal": (claim("a", "norm(a)**2 > 0"), {"order": [0], "diagonal": [ONE]}),
    "an equation as goal": (claim("a", "norm(a)**2 == 0"), {"order": [0], "diagonal": [ONE]}),
}  # fmt: skip


@pytest.mark.parametrize("name", FALSE)
def test_a_forged_certificate_is_refused(name):
    about, fields = FALSE[name]
    assert not verify_gram(forged(about, **fields)).valid


TRUE = {
    "a square": (claim("a", "norm(a)**2 >= 0"), {"order": [0], "diagonal": [ONE]}),
    "a square of a sum": (
        claim("a b", "norm(a)**2 + norm(b)**2 + 2*dot(a, b) >= 0"),
        {"order": [0, 1], "diagonal": [ONE, number("0")], "lower": [[1, 0, ONE]]},
    ),
    "a hypothesis": (claim("a b", "norm(a)**2 >= norm(b)**2", ("norm(b)**2 <= norm(a)**2",)),
    {"multipliers": [ONE]}),
    "an equation": (claim("a b", "norm(a)**2 >= norm(b)**2", ("norm(a)**2 == norm(b)**2",)),
    {"multipliers": [number("-1")]}),
    "levels": (claim("a", "f(x) <= f(y) + norm(a)**2", ("f(x) <= f(y)",)),
    {"multipliers": [ONE], "order": [0], "diagonal": [ONE]}),
}  # fmt: skip


@pytest.mark.parametrize("name", TRUE)
def test_its_honest_twin_is_valid(name):
    about, fields = TRUE[name]
    data = forged(about, **fields)
    found = verify_gram(data, about)
    assert found.valid, found.reason
    assert decode_claim(encode_claim(about)) == GramClaim(
        "certificate", about.vectors, about.goal, about.hypotheses, about.where
    )
    other = GramClaim("test", (*about.vectors, "v"), about.goal, about.hypotheses, about.where)
    assert not verify_gram(data, other).valid
    for wrong in ({"schema": 2}, {"schema": True}, {"kind": "other"}, {"domain": None}, {"signs": None}, {"claim": {}},
                  {"claim": {**encode_claim(about), "where": "k > 0"}}, {"claim": {**encode_claim(about),
                  "where": ["k > 0"] * (MAX_RELATIONS + 1)}}):  # fmt: skip
        assert not verify_gram({**data, **wrong}).valid, wrong


def test_a_divisor_must_not_vanish_on_the_domain():
    for where, status in (("k > 1", True), ("k >= 1", False), ("k > 0", False), ("k < 1", False)):
        assert (decide_gram(claim("a", "norm(a)**2/(k - 1) >= 0", (), (where,))).status is Status.PROVED) == status
    about = claim("a", "norm(a)**2/(k - k) >= 0", (), ("k > 0",))
    assert decide_gram(about).status is not Status.PROVED


def test_what_is_no_form_is_refused():
    for goal in ("norm(a) >= 0", "norm(a)**3 >= 0", "exp(k)*norm(a)**2 >= 0", "dot(a, b)**2 >= 0"):
        with pytest.raises(NotQuadratic):
            problem(claim("a b", goal, (), ("k > 0",)))


# ---------------------------------------------------------------- reading

VECTORS = {"a": (2.0, -1.0, 0.5), "b": (0.25, 3.0, -1.0), "B": (1.75, 0.0, 0.0), "1": (1.0, 0.0, 0.0)}
NUMBERS = {"k": 1.5, "m": -0.75, "root_2_1_": 2**0.5, "root_1_3_": 3**-0.5}


def valued(e: Expr) -> Any:
    """The value of a relation's side at VECTORS and NUMBERS; B is a length."""
    if e.op == "var":
        return NUMBERS[e.value] if e.value in NUMBERS else 1.75 if e.value == "B" else np.array(VECTORS[e.value])
    x = [valued(c) for c in e.args]
    table = {
        "num": lambda: float(e.value),
        "add": lambda: x[0] + x[1],
        "sub": lambda: x[0] - x[1],
        "mul": lambda: x[0] * x[1],
        "div": lambda: x[0] / x[1],
        "neg": lambda: -x[0],
        "pow": lambda: x[0] ** x[1],
        "norm": lambda: np.linalg.norm(x[0]),
        "dot": lambda: x[0] @ x[1],
        "sqrt": lambda: np.sqrt(x[0]),
    }
    return table[e.op]()


def at(p: FormProblem, r: Ratio) -> float:
    def polynomial(q: Any) -> float:
        return sum(
            float(c.p) / float(c.q) * np.prod([NUMBERS[n] ** int(i) for n, i in zip(p.field.names, m, strict=True)])
            for m, c in q.to_dict().items()
        )

    return polynomial(r.num) / polynomial(r.den)


def form_at(p: FormProblem, form: Form) -> float:
    return sum(at(p, c) * np.dot(VECTORS[key[1]], VECTORS[key[2]]) for key, c in form.items())


FORMS = [
    "2**3*norm(a)**2 >= k",
    "3**-2*dot(a, b) <= (1/2)**2*norm(b)**2",
    "norm(a)**2 >= 0", "norm(a + b)**2 <= 3*norm(b)**2", "norm(k*a - b/m)**2 >= dot(a, b)/2",
    "dot(a - 2*b, k*a + b) <= m*norm(a)**2",
    "-dot(a, b)*k >= -(norm(b)**2)", "norm(a*k)**2/(k + 2) >= k*m", "B**2 <= norm(a)**2", "B*(2*B - B*m) >= k",
    "norm(-a)**2*3 + norm(b)**2/4 - 2 >= (k - m)**2", "norm(a - b + a)**2 >= 0",
    "norm((k + m)*(a - b))**2 <= k*(dot(a, b) - m)",
    "k**-2*norm(a)**2 >= k**3/m**2", "sqrt(2)*norm(a)**2 >= dot(a, b)/sqrt(2)",
    "(1/3)**(1/2)*dot(a, b) <= 2**(1/2)*norm(b)**2",
    "norm(sqrt(2)*a)**2 >= sqrt(2)**2*k", "norm(a/k)**2 + norm(b/(2*k))**2 >= 0", "k*B**2/m >= B*B*k", "-B**2 <= 0",
    "norm(0*a + b)**2 >= 1",
]  # fmt: skip


@pytest.mark.parametrize("source", FORMS)
def test_a_form_has_the_value_of_what_is_written(source):
    r = parse_relation(source, proof=True)
    p = problem(claim("a b B", source, (), ("k > 0", "m < 0")))
    lhs, rhs = valued(r.lhs), valued(r.rhs)
    assert form_at(p, p.goal) == pytest.approx(lhs - rhs if r.op == ">=" else rhs - lhs, rel=1e-12, abs=1e-12)
    entries = matrix(p, p.goal, basis(p, p.goal))
    total = sum(
        at(p, c) * np.dot(VECTORS[v], VECTORS[w])
        for v, row in zip(basis(p, p.goal), entries, strict=True)
        for w, c in zip(basis(p, p.goal), row, strict=True)
    )
    assert total == pytest.approx(form_at(p, p.goal), rel=1e-12, abs=1e-12)


@pytest.mark.parametrize(
    ("source", "bound", "inner"),
    [
        ("norm(a) <= k", "k**2", "a"),
        ("norm(a - b) <= k*B", "k**2*B**2", "a - b"),
        ("k*norm(b)/2 >= norm(a)", "k**2*norm(b)**2/4", "a"),
        ("norm(a) <= norm(k*b)", "norm(k*b)**2", "a"),
        ("norm(a) <= B", "B**2", "a"),
        ("norm(a) < B*k/m", "B**2*k**2/m**2", "a"),
    ],
)
def test_a_bound_of_a_norm_is_read_as_its_square_in_hypotheses_alone(source, bound, inner):
    p = problem(claim("a b B", "norm(a)**2 >= 0", (source,), ("k > 0", "m < 0")))
    wanted = valued(parse_relation(f"{bound} >= 0", proof=True).lhs) - np.linalg.norm(valued(parse(inner))) ** 2
    assert form_at(p, p.hypotheses[0]) == pytest.approx(wanted, rel=1e-12)
    assert p.equations == [False]
    for goal in (source, source.replace("<=", "==").replace("<", "==") if "<" in source else "norm(a) == k"):
        with pytest.raises(NotQuadratic):
            problem(claim("a b B", goal, (), ("k > 0", "m < 0")))
    with pytest.raises(NotQuadratic):
        problem(claim("a b B", "norm(a)**2 >= 0", ("norm(a) >= k",), ("k > 0",)))


def test_equations_are_solved_where_they_define_something():
    p = problem(claim("a b", "norm(a)**2 >= k", ("a == 2*b",), ("k == m + 1", "m < 0")))
    assert p.vectors == ("b",) and p.hypotheses == [] and [str(r) for r in p.where] == ["m < 0"]
    assert form_at(p, p.goal) == pytest.approx(4 * np.dot(VECTORS["b"], VECTORS["b"]) - (-0.75 + 1))
    p = problem(claim("a b", "norm(a)**2 >= k", (), ("k == k*m",)))
    assert [str(r) for r in p.where] == ["k == k*m"]
    for equation in ("2*a == 3*b", "a - a + 2*b == 3*b", "a + (b - a) == 2*b + 2*a", "k*a == a + b - b"):
        with pytest.raises(NotQuadratic):
            problem(claim("a b", "norm(a)**2 >= k", (equation,), ("k > 0",)))


@pytest.mark.parametrize(
    ("equations", "goal", "status"),
    [
        (("e == c - a", "e == d - b"), "dot(c, b) - dot(a, b) <= dot(d, b) - dot(b, b)", Status.PROVED),
        (("e == c - a", "e == d - b"), "dot(c, b) - dot(a, b) <= dot(d, b) - 1.1*dot(b, b)", Status.REFUTED),
        (("2*b == a",), "norm(a)**2 >= 4*norm(b)**2", Status.PROVED),
        (("2*b == a",), "norm(a)**2 >= 4.1*norm(b)**2", Status.REFUTED),
        (("a == a + b",), "norm(b)**2 <= 0", Status.PROVED),  # says that b is 0, and nothing of a
        (("a == a + b",), "norm(a)**2 <= 0", Status.REFUTED),
        (("a - b + 2*c == 3*d + e",), "norm(a - b)**2 >= norm(3*d + e - 2*c)**2", Status.PROVED),
        (("a - b + 2*c == 3*d + e",), "norm(a - b)**2 >= norm(3*d + e + 2*c)**2", Status.REFUTED),
    ],
)
def test_an_equation_is_solved_for_a_vector_that_is_a_term_of_it(equations, goal, status):
    found = decide_gram(claim("a b c d e", goal, equations))
    assert found.status is status


@pytest.mark.parametrize(
    "source", ["exp(k)", "k**m", "k**(1/3)", "k**41", "1/0", "k/(m - m)", "sqrt(k)", "sqrt(-2)", "z", "0**-1"]
)
def test_what_is_no_rational_function(source):
    field = Field(("k", "m"), {})
    with pytest.raises(NotRational):
        field.read(parse(source))


def test_divisors_are_remembered():
    field = Field(("k", "m"), {})
    field.read(parse("1/(k - 1) + m/2 + m**-2 + k**2/3"))
    assert [str(d) for d in field.divisors] == ["k - 1", "m^2"]
    root = Field((), {"root_2_1_": Fraction(2)})
    x = root.read(parse("sqrt(2)"))
    assert root.same(root.mul(x, x), root.number(2)) and not root.same(x, root.number(1))
    assert root.same(root.div(root.number(2), x), x) and root.reduce(x.num**3) == 2 * x.num
    for data in ([["1", [1, 1]]], [["1", [-1]]], [["1", [True]]], [["1", [0]], ["2", [0]]], 3, [["x", [0]]]):
        with pytest.raises((ValueError, TypeError)):
            Field(("k",), {}).decode(data)


@pytest.mark.parametrize(
    ("polynomial", "terms", "weak", "strict"),
    [
        ("(k - z)**2", [["1", [], "k - z"]], True, False),
        ("k*(k - z)**2", [["1", [[0, 1]], "k - z"]], True, False),
        ("1 + z**2", [["1", []], ["1", [], "z"]], True, True),
        ("-z**2", [["-1", [], "z"]], False, False),
        ("z", [["1", [], "z"]], False, False),
        ("z**2*k**2", [["1", [], "z", "k"]], True, False),
        ("k*z", [["1", [], "k"], ["1", [], "z"]], False, False),
    ],
)
def test_products_may_be_multiplied_by_squares(polynomial, terms, weak, strict):
    s = signs()

    def read(text: str) -> Any:
        return s.field.read(parse(text)).num

    p = read(polynomial)
    coded = [[c, powers, *(s.field.encode(read(q)) for q in squared)] for c, powers, *squared in terms]
    for flag, good in ((False, weak), (True, strict)):
        if good:
            s.nonnegative(p, coded, strict=flag)
        else:
            with pytest.raises(Refused):
                s.nonnegative(p, coded, strict=flag)


@pytest.mark.parametrize("c", ["2", "3/7", "9/4", "1000001", "1/10000019"])
def test_a_root_lies_between_fractions(c):
    p = problem(claim("a", f"sqrt({c})*norm(a)**2 >= 0"))
    found = Signs(p, lambda *_: None)
    (name,) = p.field.roots
    root = float(Fraction(c)) ** 0.5
    assert len(found.constraints) == 3
    for g, strict in found.constraints:
        value = float(g.subs({name: 0}).leading_coefficient() if not g.subs({name: 0}).is_zero() else 0)
        slope = float((g - g.subs({name: 0})).leading_coefficient())
        assert value + slope * root > -1e-12 and (strict or Fraction(c) == Fraction(9, 4))


def test_a_domain_is_empty_only_by_a_sum_that_is_zero():
    about = claim("a", "norm(a)**2 <= 0", (), ("k > 1", "k < 1"))
    data = {"schema": 1, "kind": "gram", "claim": encode_claim(about), "domain": {}}
    empty = [["1", [[0, 1]]], ["1", [[1, 1]]]]  # (k - 1) + (1 - k) = 0
    assert verify_gram({**data, "empty": empty}, about).valid
    assert decide_gram(about).status is Status.PROVED
    for forged in ([], [["0", [[0, 1]]]], [["1", [[0, 1]]]], [["-1", [[0, 1]]], ["1", [[0, 1]]]], [["1", [], []]], 3):
        assert not verify_gram({**data, "empty": forged}, about).valid
    closed = claim("a", "norm(a)**2 <= 0", (), ("k >= 1", "k <= 1"))
    assert not verify_gram({**data, "claim": encode_claim(closed), "empty": empty}, closed).valid
    assert decide_gram(closed).status is Status.REFUTED


def _many(terms: int, step: int = 13) -> list[list[Any]]:
    """A polynomial in four parameters with so many terms, as data."""
    powers = ([i, j, k, m] for i in range(0, 99, step) for j in range(0, 99, step) for k in range(8) for m in range(8))
    return [["1", p] for p, _ in zip(powers, range(terms), strict=False)]


BIG, SOME = _many(3900), _many(60)
#: The first took hours before products had a limit; the others are its relatives.
UNENDING: dict[str, dict[str, Any]] = {
    "a power of a factor": {"factors": [{"polynomial": BIG, "power": 40, "sign": 1, "terms": []}]},
    "two factors": {"factors": [{"polynomial": BIG, "power": 1, "sign": 1, "terms": [["1", []]]}] * 2},
    "a power of a small factor": {"factors": [{"polynomial": SOME, "power": 40, "sign": 1, "terms": []}]},
    "a square in a term": {"factors": [{"polynomial": SOME, "power": 1, "sign": 1, "terms": [["1", [], BIG]]}]},
    "many squares": {"factors": [{"polynomial": SOME, "power": 1, "sign": 1, "terms": [["1", [], *[SOME] * 9]]}]},
    "a divisor": {
        "factors": [
            {"polynomial": BIG, "power": 1, "sign": 1, "terms": [], "times": {"polynomial": BIG, "terms": [["1", []]]}}
        ]
    },
}


@pytest.mark.parametrize("case", apart(UNENDING, "a power of a small factor"))
def test_a_forged_sign_does_not_keep_the_verifier(case: str) -> None:
    asked = claim("x", "a*b*c*d*norm(x)**2 >= 0", (), ("a > 0", "b > 0", "c > 0", "d > 0"))
    found = decide_gram(asked)
    assert found.status is Status.PROVED and verify_gram(found.certificate, asked).valid
    for key in found.certificate["signs"]:
        forged = {
            **found.certificate,
            "signs": {**found.certificate["signs"], key: {"constant": "1", **UNENDING[case]}},
        }
        check = verify_gram(forged, asked, 2.0)
        assert not check.valid and check.seconds < 8


def test_polynomials_are_multiplied_up_to_a_size_and_a_time() -> None:
    field = Field("abcd", {})
    p, q = field.decode(BIG), field.decode(SOME)
    assert field.times(q, q) == q * q
    with pytest.raises(NotRational, match="too large"):
        field.times(p, p)
    late = Field("abcd", {}, 0.0)
    with pytest.raises(NotRational, match="too long"):
        late.times(late.one, late.one)
    assert not verify_gram(decide_gram(claim("x", "a*norm(x)**2 >= 0", (), ("a > 0",))).certificate, None, 0.0).valid
