"""Sums of squares, means, products and roots: what each search finds, and twins for which it must find nothing."""

from __future__ import annotations

import pytest
from flint import ctx, fmpq
from sequents import sequent
from slow import larger, more

from boundcheck.claims import as_claim
from boundcheck.decide import decide, prove, rules_used
from boundcheck.decide.scalar import symbolic
from boundcheck.decide.scalar.bases import atoms
from boundcheck.decide.scalar.basic import trivial
from boundcheck.decide.scalar.comparisons import drawn_out
from boundcheck.decide.scalar.equivalents import grounded
from boundcheck.decide.scalar.farkas import contradicted, farkas
from boundcheck.decide.scalar.prover import Proved, Prover
from boundcheck.decide.scalar.reduce import put_at_bounds
from boundcheck.decide.scalar.semidefinite import Block, Program, ldl, product
from boundcheck.decide.scalar.zero import based
from boundcheck.kernel.certificate import PRECISION, verify
from boundcheck.kernel.check.refine import refine
from boundcheck.kernel.formula import parse, substitute, text
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status


def _q(rows):
    return [[fmpq(x) for x in r] for r in rows]


def test_a_rational_matrix_is_taken_apart_or_refused():
    for rows in ([[2, 1], [1, 1]], [[1, 1], [1, 1]], [[0, 0], [0, 3]], [[4, -2, 0], [-2, 1, 0], [0, 0, 0]]):
        parts = ldl(_q(rows))
        assert parts is not None and all(d > 0 for d, _ in parts)
        n = len(rows)
        total = [[sum((d * r[i] * r[j] for d, r in parts), fmpq(0)) for j in range(n)] for i in range(n)]
        assert total == _q(rows)
    for rows in ([[1, 2], [2, 1]], [[0, 1], [1, 5]], [[-1]], [[1, 0], [0, -1]]):
        assert ldl(_q(rows)) is None


def _program(target, strict=False):
    """x**4 + ... in one variable: the basis 1, x, x**2."""
    basis = tuple((((k,), fmpq(1)),) for k in range(3))
    blocks = [Block((((0,), fmpq(1)),), basis, "squares")]
    if strict:
        blocks.append(Block((((0,), fmpq(1)),), basis[:1], "one", True))
    return Program({(k,): fmpq(c) for k, c in target.items()}, blocks, [], strict, lambda: None).solve(1.0)


@pytest.mark.parametrize(
    "target", [{4: 1, 2: -2, 0: 1}, {4: 1, 3: -4, 2: 6, 1: -4, 0: 1}, {4: 1, 0: 1}, {4: 2, 1: -1, 0: 1}]
)
def test_the_identity_found_is_exact(target):
    found = _program(target)
    assert found is not None
    total = {}
    for block, weight, root in found.squares:
        assert weight > 0
        for m, c in product(block.multiplier, product(root, root)).items():
            total[m] = total.get(m, fmpq(0)) + weight * c
    assert {m[0]: c for m, c in total.items() if c != 0} == target


def test_what_is_negative_somewhere_or_touches_is_not_found():
    assert _program({4: 1, 2: -2, 0: fmpq(99, 100)}) is None
    assert _program({4: 1, 2: -2, 0: 1}, strict=True) is None
    assert _program({4: 1, 2: -2, 0: fmpq(101, 100)}, strict=True) is not None


#: claim, domain, a rule that its proof uses, and a twin just beyond what is true
PAIRS = [
    ("x**4*y**2 + x**2*y**4 + 1 >= 3*x**2*y**2", [], "farkas", "x**4*y**2 + x**2*y**4 + 1 >= 3.001*x**2*y**2"),
    ("a**5 + b**5 + c**5 >= a*b*c*(a*b + b*c + c*a)", ["a >= 0", "b >= 0", "c >= 0"], "farkas",
     "a**5 + b**5 + c**5 >= 1.001*a*b*c*(a*b + b*c + c*a)"),
    more("x*y*z <= 1/27", ["x + y + z == 1", "x >= 0", "y >= 0", "z >= 0"], "substitute", "x*y*z <= 0.037"),
    ("x + y + z <= sqrt(3)", ["x**2 + y**2 + z**2 == 1"], "monotone", "x + y + z <= 1.732"),
    ("x**t*y**(1 - t) <= t*x + (1 - t)*y", ["x >= 0", "y >= 0", "0 < t", "t < 1"], "means",
     "x**t*y**(1 - t) <= 0.999*(t*x + (1 - t)*y)"),
    ("((a + b)/2)**p <= (a**p + b**p)/2", ["a > 0", "b > 0", "p >= 1"], "jensen",
     "((a + b)/2)**p <= 0.999*(a**p + b**p)/2"),
    ("r**p <= r**q*h**(p - q)", ["0 < r", "r <= h", "p >= q", "q > 0"], "monotone",
     "1.001*r**p <= r**q*h**(p - q)"),
    ("x**p <= x**q", ["0 <= x", "x <= 1", "p >= q", "q > 0"], "case", "x**p <= x**q - 1e-9"),
    ("abs(a) <= abs(b)", ["a**2 <= b**2"], "farkas", "1.001*abs(a) <= abs(b)"),
    ("sqrt((a + b)**2 + (c + d)**2) <= sqrt(a**2 + c**2) + sqrt(b**2 + d**2)", [], "monotone",
     "sqrt((a + b)**2 + (c + d)**2) <= 0.999*(sqrt(a**2 + c**2) + sqrt(b**2 + d**2))"),
    more("x*s + y*t <= 1", ["s**2 == 1 - y**2", "t**2 == 1 - x**2"], "farkas", "x*s + y*t <= 0.999"),
    # a tangent of the logarithm (Shalev-Shwartz and Ben-David, Understanding Machine Learning, lemma A.2), Bernoulli
    ("x >= a*log(x) + b", ["a >= 1", "b > 0", "x > 0", "x >= 4*a*log(2*a) + 2*b"], "let", "x >= 2.8*a*log(x) + b"),
    ("log(x) <= n*(x**(1/n) - 1)", ["n > 0", "x > 0"], "substitute", "log(x) <= 0.999*n*(x**(1/n) - 1)"),
    ("(a + b)**33 < (a + b + c + 1)**55", ["a > 0", "b > 0", "c > 0"], "let", "(a + b)**33 < (a + b + c)**55"),
    ("cosh(t) + y*sinh(t) > 0", ["1 >= abs(y)"], "drop", "cosh(t) + y*sinh(t) > 0.01"),
    more("1/(1 + exp(2*t) + exp(2*t)*y - y)**2 > 0", ["y >= -1", "y <= 1"], "factor",
     "1/(1 + exp(2*t) + exp(2*t)*y - y)**2 > 0.001"),
    ("1/(y - 1 - exp(2*t) - exp(2*t)*y) < 0", ["y >= -1", "y <= 1"], "farkas",
     "1/(y - 1 - exp(2*t) - exp(2*t)*y) < -0.001"),
    # a product of variables as one; powers below exponentials, by the first and the second tangent of the logarithm
    ("1 - exp(-n*x) >= (1 - exp(-1))*n*x", ["x >= 0", "n >= 1", "n*x <= 1"], "substitute",
     "1 - exp(-n*x) >= 0.633*n*x"),
    ("1 - exp(-n*x) >= 1 - exp(-2)", ["x >= 1", "n >= 2"], "substitute", "1 - exp(-n*x) >= 1 - exp(-2.01)"),
    more("x*(1 - x)**n <= 1/(E*n)", ["0 <= x", "x <= 1", "n >= 1"], "substitute", "x*(1 - x)**n <= 0.99/(E*n)"),
    more("(1 + u)**n - 1 <= 53/50*n*u", ["n >= 1", "u >= 0", "n*u <= 1/10"], "monotone", "(1 + u)**n - 1 <= 1.05*n*u"),
    ("exp(n*h) - (1 + h)**n <= n*h**2/2*exp(n*h)", ["n >= 1", "h >= 0"], "monotone",
     "exp(n*h) - (1 + h)**n <= 0.49*n*h**2*exp(n*h)"),
    # a product of powers at the weights of its exponents, whatever the coefficients
    ("A/h + B*h**q >= (1 + q)*(A/q)**(q/(1 + q))*B**(1/(1 + q))", ["A > 0", "B > 0", "h > 0", "q > 0"], "means",
     "A/h + B*h**q >= 1.001*(1 + q)*(A/q)**(q/(1 + q))*B**(1/(1 + q))"),
    ("x - c <= (p - 1)**(p - 1)/p**p*x**p/c**(p - 1)", ["c > 0", "x >= c", "p > 1"], "means",
     "x - c <= 0.999*(p - 1)**(p - 1)/p**p*x**p/c**(p - 1)"),
    more("2*x + 3*y + p*z >= 3*(6*p*x*y*z)**(1/3)", ["x > 0", "y > 0", "z > 0", "p > 0"], "means",
     "2*x + 3*y + p*z >= 3.003*(6*p*x*y*z)**(1/3)"),
    # a value at a weighted mean of two arguments lies below the chord (Jensen), or above
    ("exp(y*a + (1 - y)*b) <= y*exp(a) + (1 - y)*exp(b)", ["0 <= y", "y <= 1"], "jensen",
     "exp(y*a + (1 - y)*b) <= y*exp(a) + (1 - y)*exp(b) - 1e-6"),
    ("(y*a + (1 - y)*b)**p <= y*a**p + (1 - y)*b**p", ["0 <= y", "y <= 1", "a >= 0", "b >= 0", "p >= 1"], "jensen",
     "(y*a + (1 - y)*b)**(p + 1/100) <= y*a**p + (1 - y)*b**p"),
    more("(y*a + (1 - y)*b)**p >= y*a**p + (1 - y)*b**p", ["0 <= y", "y <= 1", "a > 0", "b > 0", "0 <= p", "p <= 1"],
     "jensen", "(y*a + (1 - y)*b)**p >= 1.001*(y*a**p + (1 - y)*b**p)"),
    ("(y*a + (1 - y)*b)**p < y*a**p + (1 - y)*b**p", ["0 < y", "y < 1", "a >= 0", "b > a", "p > 1"], "jensen",
     "(y*a + (1 - y)*b)**p < y*a**p + (1 - y)*b**p - 1e-6"),
    ("(a + b)**p <= 2**(p - 1)*(a**p + b**p)", ["a >= 0", "b >= 0", "p >= 1"], "jensen",
     "(a + b)**p <= 0.999*2**(p - 1)*(a**p + b**p)"),
    # a variable at its bound
    ("a <= s", ["s >= 0", "a >= 0", "b >= 0", "a <= sqrt(b)", "b <= s**2"], "ladder", "1.001*a <= s"),
    more("y*sinh(y*a)/(a + b)*(a*z) <= y*sinh(y*c)*z", ["y > 0", "c > 0", "a >= 0", "a <= c", "0 <= b", "b <= 1",
     "z >= 0", "a + b > 0"], "ladder", "y*sinh(y*a)/(a + b)*(a*z) <= 0.999*y*sinh(y*c)*z"),
    # powers by their bases; the least of two powers; what a power says of its base
    ("abs(min(abs(x), b)**p) <= b**p", ["1 < p", "p <= 2", "b >= 1"], "peel", "abs(min(abs(x), b)**p) <= 0.999*b**p"),
    ("p*(1 + b)**(p - 1) <= p*b**(p - 1)", ["0 <= p", "p <= 1", "b > 0"], "peel",
     "p*(1 + b)**(p - 1) <= 0.999*p*b**(p - 1)"),
    ("min(x, b)**2 <= b**(2 - p)*x**p", ["1 < p", "p <= 2", "b > 0", "x >= 0"], "case",
     "min(x, b)**2 <= 0.999*b**(2 - p)*x**p"),
    ("x**p*y <= b**p*c", ["p > 0", "0 <= x", "x <= b", "0 <= y", "y <= c"], "peel", "1.001*x**p*y <= b**p*c"),
    ("exp(-t**2/(2*(v + t))) <= max(exp(-t**2/(4*v)), exp(-t/4))", ["v > 0", "t >= 0"], "monotone",
     "1.001*exp(-t**2/(2*(v + t))) <= max(exp(-t**2/(4*v)), exp(-t/4))"),
    # logarithms of products, exponentials of a logarithm
    more("2*exp(-2*n*t**2) <= d", ["0 < d", "d < 1", "t > 0", "n >= log(2/d)/(2*t**2)"], "ladder",
     "2.001*exp(-2*n*t**2) <= d"),
    more("D*(1 - a/L)**n <= e", ["0 < a", "a < L", "0 < e", "e <= D", "n >= L/a*log(D/e)"], "monotone",
     "1.001*D*exp(-n*a/L) <= e"),
    ("a*t <= log(exp(a*t) + exp(b*t))", ["t > 0"], "monotone", "a*t + 1/1000 <= log(exp(a*t) + exp(b*t))"),
    # a base and an exponent whose signs the hypotheses say together; a product that may be 0
    ("(1 - h*a)**n <= exp(-n*h*a)", ["a > 0", "0 < h", "h*c < 1", "a <= c", "n >= 1"], "cut",
     "(1 - h*a)**n <= 0.999*exp(-n*h*a)"),
    more("(1 - u)**(-n) - 1 <= n*u/(1 - n*u)", ["n >= 1", "u >= 0", "n*u < 1"], "substitute",
     "(1 - u)**(-n) - 1 <= 0.999*n*u/(1 - n*u)"),
    more("exp(n*u) - 1 <= n*u + (n*u)**2", ["n >= 0", "u >= 0", "n*u <= 1"], "scale",
     "exp(n*u) - 1 <= n*u + 0.7*(n*u)**2"),
    # an exponential by the tangent at another one: a step of the discrete Gronwall lemma; and from above
    ("(1 + c)*exp(c*s)*(y + d*s) + d <= exp(c*(s + 1))*(y + d*(s + 1))", ["c >= 0", "d >= 0", "y >= 0", "s >= 0"],
     "scale", "(1 + c)*exp(c*s)*(y + d*s) + 1.001*d <= exp(c*(s + 1))*(y + d*(s + 1))"),
    ("exp(c*s + c)*(1 - c)*(y + d) <= exp(c*s)*(y + 2*d)", ["c >= 0", "c < 1", "d >= 0", "y >= 0", "s >= 0"],
     "scale", "exp(c*s + c)*(1 - c)*(y + d) <= exp(c*s)*(0.999*y + 2*d)"),
    # all terms with one root, squared together
    ("(a - 1)*r + b/(a - 1) >= 2*sqrt(r*b)", ["a > 1", "r > 0", "b > 0"], "farkas",
     "(a - 1)*r + b/(a - 1) >= 2.001*sqrt(r*b)"),
]  # fmt: skip
SLOW_PAIRS = [
    ("a*b <= a**p/p + b**q/q", ["a >= 0", "b >= 0", "p > 1", "q > 1", "1/p + 1/q == 1"], "means",
     "a*b <= 0.999*(a**p/p + b**q/q)"),
    ("x**y + y**x > 1", ["x > 0", "y > 0"], "cut", "x**y + y**x > 1.01"),
    # logarithms of both sides, then a ladder from a point inside the domain (Hoeffding 1963, (4.16))
    ("p*exp(t*(1 - p)) + (1 - p)*exp(-t*p) <= exp(t**2/8)", ["0 < p", "p < 1"], "ladder",
     "p*exp(t*(1 - p)) + (1 - p)*exp(-t*p) <= exp(t**2/8.1)"),
    ("(1 + x)**r >= 1 + r*x/(1 + (1 - r)*x)", ["0 < r", "r < 1", "x >= 0"], "monotone",
     "(1 + x)**r >= 1 + 1.001*r*x/(1 + (1 - r)*x)"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "where", "rule", "twin"), PAIRS + larger(SLOW_PAIRS))
def test_a_claim_is_proved_and_its_twin_is_not(claim, where, rule, twin):
    asked = as_claim(claim, where)
    certificate, reason = prove(asked, 20.0)
    assert certificate is not None, reason
    assert rule in rules_used(certificate) and verify(certificate, asked).valid
    assert not verify({**certificate, "claim": {**certificate["claim"], "claim": [twin]}}).valid
    assert prove(as_claim(twin, where), 0.5)[0] is None


@pytest.mark.parametrize(
    ("goal", "where", "split"),
    [
        ("b*integral(t**(1 - p), t, 1, 2) + sqrt(a) >= 0", "a >= 0; b >= 0; 1 < p; p <= 2", ["a"]),
        ("b*integral(t**(1 - p), t, 1, 2) + sqrt(a) >= 0", "a > 0; b >= 0; 1 < p; p <= 2", []),
        ("b*integral(t**(1 - p), t, 1, 2) >= 0", "b >= 0; 1 < p; p <= 2", []),
        ("b*integral(t**(1 - p), t, 1, 2) >= 0", "t >= 0; b >= 0; 1 < p; p <= 2", []),
        ("b*log(1 + a) >= 0", "a >= 0; b >= 0", []),  # 1 + a does not vanish with a
        ("b*log(1 + a) + sqrt(a*c) >= 0", "a >= 0; b >= 0; c > 0", ["a"]),
    ],
)
def test_only_a_free_variable_is_split_at_zero(goal, where, split):
    asked = []
    with ctx.workprec(PRECISION):
        prover = Prover(5.0, ())
        prover.apply = lambda node, seq, depth, *guide: asked.append(node["on"])
        assert based(prover, sequent(where, goal), 9) is None
    assert asked == split


def test_what_is_proved_is_remembered_and_a_goal_turned_about_is_the_same():
    asked = []

    def tactic(prover, seq, depth):
        asked.append(str(seq.goal))
        if seq.goal.op == "<=":  # goes in a circle
            return prover.prove(sequent("x*y >= 1", f"{seq.goal.rhs} >= {seq.goal.lhs}"), depth - 1)
        return {"rule": "hypothesis"}

    with ctx.workprec(PRECISION):
        prover = Prover(5.0, (tactic,))
        assert prover.prove(sequent("x*y >= 1", "2*x*y <= x**2 + y**2")) is None
        known = sequent("x*y >= 1", "x**4 + y**4 >= 1")
        assert prover.prove(known) == prover.prove(known) == {"rule": "hypothesis"}
        assert prover.prove(sequent("x*y >= 2", "x**4 + y**4 >= 1")) == {"rule": "hypothesis"}
    assert asked == ["2*x*y <= x**2 + y**2", *["x**4 + y**4 >= 1"] * 2]


def test_what_sympy_takes_for_a_polynomial_and_is_none_has_no_antiderivative():
    """Its error is no ValueError: the search ended with it, and the claim had no answer."""
    assert symbolic.antiderivative(parse("0**(t**2)"), "t", lambda: None) == []
    assert symbolic.antiderivative(parse("t"), "t", lambda: None)


def test_an_antiderivative_is_found_after_a_search_that_was_cut_short():
    """SymPy remembers an integral that it has begun as one without an answer."""
    from sympy.integrals import manualintegrate as rules

    class Spent(Exception):
        pass

    def clock():
        if None in rules._integral_cache.values():
            raise Spent

    symbolic.antiderivative(parse("t"), "t", lambda: None)  # SymPy is loaded
    body = parse("t**4*exp(3*t)")
    with pytest.raises(Spent):
        symbolic.antiderivative(body, "t", clock)
    assert None in rules._integral_cache.values()
    [found] = symbolic.antiderivative(body, "t", lambda: None)
    assert found.free == {"t"}


@pytest.mark.thorough
@pytest.mark.parametrize(
    ("claim", "status"),
    [
        ("integral(abs(sin(t)*cos(t)), t, 0, 2*pi) == 2", Status.PROVED),
        ("integral(abs(sin(t)*cos(t)), t, 0, 2*pi) == 2.01", Status.REFUTED),
        ("integral(abs(sin(t)*cos(t)), t, 0, 2*pi) <= 1.99", Status.REFUTED),
    ],
)
def test_an_integral_with_many_kinks_is_divided_at_each(claim, status):
    assert decide(as_claim(claim), 10.0).status is status


@pytest.mark.parametrize(("side", "status"), [("<= 0", Status.PROVED), (">= 1", Status.REFUTED)])
def test_a_kink_of_which_no_end_is_known_is_no_fault_of_a_tactic(side, status):
    verdict = decide(as_claim(f"integral(0**abs(t), t, 0, x) {side}"), 5.0)
    assert verdict.status is status and "failed" not in verdict.reason


def test_a_proof_serves_where_more_is_known_and_where_less_is_it_does_not():
    small = sequent("x >= 0; y >= 0", "x + y >= 0", "n")
    proved, node = Proved(), {"rule": "eval"}
    proved.add(small, node)
    assert proved.found(small) is node
    larger_one = sequent("n >= 1; y >= 0; x >= 0", "x + y >= 0", "n")
    found = proved.found(larger_one)
    assert found == {"rule": "drop", "keep": [2, 1], "then": [node]} and refine(found, larger_one) == [small]
    for where, goal, integers in [("x >= 0", "x + y >= 0", "n"), ("x >= 0; y >= 0", "x + y > 0", "n"),
                                  ("x >= 0; y >= 0", "x + y >= 0", "")]:  # fmt: skip
        assert proved.found(sequent(where, goal, integers)) is None


@pytest.mark.parametrize(
    ("where", "at"),
    [
        ("a <= sqrt(b); sqrt(b) <= s", "sqrt(b)"),
        ("a >= sqrt(b); sqrt(b) <= s", None),
        ("a <= b**2; b**2 <= s", None),  # a polynomial is left to sums of hypotheses
        ("a <= sqrt(a + b); sqrt(a + b) <= s", None),
        ("a <= (1 - q)*b + sqrt(c); b <= t; 0 < q; q < 1; (1 - q)*t + sqrt(c) <= s", "(1 - q)*b + sqrt(c)"),
        ("a <= (1 - q)*b + sqrt(c); b <= t; 0 < q; q < 2; (1 - q)*t + sqrt(c) <= s", None),  # 1 - q has no sign
    ],
)
def test_a_variable_is_put_at_its_bound_where_the_goal_is_linear_in_it(where, at):
    with ctx.workprec(PRECISION):
        tactics = (trivial, put_at_bounds)
        found = Prover(5.0, tactics).prove(sequent(where, "a <= s"))
        assert (found and (found["rule"], found["at"])) == (at and ("ladder", at))
        assert Prover(5.0, tactics).prove(sequent(where, "exp(a) <= s")) is None


@pytest.mark.parametrize(("bound", "lemma"), [("h*c < 1", "1 - h*a > 0"), ("h*c < 2", None)])
def test_the_sign_of_a_base_that_the_hypotheses_say_together_is_a_lemma(bound, lemma):
    def rest(p, seq, depth):
        return {"rule": "eval"} if "**" in str(seq.goal) else None

    with ctx.workprec(PRECISION):
        goal = sequent(f"a > 0; 0 < h; {bound}; a <= c; n >= 1", "(1 - h*a)**n <= exp(-n*h*a)")
        found = grounded(Prover(5.0, (trivial, farkas, rest)), goal, 10)
        assert (found and found["lemma"]) == lemma


SELF_BOUNDING = [  # what bounds a number by its own root, what it says of the number, and what it does not
    more("R <= D*sqrt(2*(L + R))", "R <= 2*D**2 + D*sqrt(2*L)", "R <= 9/5*D**2 + D*sqrt(2*L)"),
    ("R <= D + L*sqrt(R)", "sqrt(R) <= L + sqrt(D)", "sqrt(R) <= 9/10*L + sqrt(D)"),
    ("R <= D + L*sqrt(R)", "R <= D + L**2 + L*sqrt(D)", "R <= D + 9/10*L**2 + L*sqrt(D)"),
    ("R**3 <= D*R**2 + D**2*R", "R**2 <= 3*D**2", "R**2 <= 5/2*D**2"),
    ("R**2 <= R", "R <= 1", "R <= 9/10"),
]


@pytest.mark.parametrize(("said", "claim", "false"), SELF_BOUNDING)
def test_a_number_below_its_own_root(said, claim, false):
    where = ["R >= 0", "D >= 0", "L >= 0", said]
    verdict = decide(as_claim(claim, where), 5.0)
    assert verdict.status is Status.PROVED and verify(verdict.certificate, as_claim(claim, where)).valid
    assert decide(as_claim(false, where), 5.0).status is Status.REFUTED


@pytest.mark.parametrize(
    ("where", "goal", "scale"),
    [
        ("t >= 0; s >= 0; c >= 0; t**2 <= s**2 + c*t", "t**2 <= s**2 + c**2 + c*s", True),
        ("t >= 0; s >= 0; c >= 0; t**2 <= s**2 + c*t", "t**2 <= s**2 + c**2", False),
        ("t >= 0; s >= 0; c >= 0", "t**2 <= s**2 + c**2 + c*s", False),
    ],
)
def test_a_goal_times_a_factor_that_is_not_0_where_it_would_fail(where, goal, scale):
    def rest(p, seq, depth):
        return {"rule": "eval"} if seq.goal.strict else {"rule": "hypothesis"} if seq.goal in seq.hyps else None

    with ctx.workprec(PRECISION):
        seq = sequent(where, goal)
        found = contradicted(Prover(5.0, (trivial, rest)), seq, 10)
        assert (found is not None) is scale
        if found is not None:
            factor = found["then"][0]
            at_0, at_1 = ({"t": v, "s": 1, "c": 1} for v in (0, 1))
            assert factor["rule"] == "farkas" and "scale" in factor and len(refine(found, seq)) == 2
            assert text(substitute(parse(factor["scale"]), at_0)) != text(substitute(parse(factor["scale"]), at_1))


@pytest.mark.parametrize(
    ("claim", "where", "holds"),
    [
        ("3**x == 1 + 2*x", ["x**2 == x"], True),
        more("3**x == 1 + 2*x", ["x**3 == x"], False),
        ("exp(s*x) == 1 + x*(exp(s) - 1)", ["x**2 == x", "s >= 0"], True),
        ("exp(s*x) == 1 + x*(exp(s) - 1)", ["x**2 == s*x", "s >= 0"], False),
        ("max(x, y) == x + y", ["x >= 0", "y >= 0", "x*y == 0"], True),
        ("max(x, y) == x + y", ["x >= 0", "y >= 0", "x*y == x"], False),
    ],
)
def test_an_equation_that_is_a_product_is_taken_apart(claim, where, holds):
    assert decide(as_claim(claim, where), 5.0).status is (Status.PROVED if holds else Status.REFUTED)


OWN_VARIABLES = [  # a logarithm or an exponential with variables of its own, and a claim that is false
    ("a*r + log(1/d)/(a - 1) >= r + 2*sqrt(r*log(1/d))", ["a > 1", "r > 0", "0 < d < 1"], "2*sqrt", "2.01*sqrt"),
    more("t**2/2 >= (v + r*t/3)*log(1/d)", ["v > 0", "r > 0", "0 < d < 1", "t >= sqrt(2*v*log(1/d)) + 2*r*log(1/d)/3"],
     "t/3", "t*5/12"),
    ("a*x**2 + exp(s)/a >= 2*x*exp(s/2)", ["a > 0", "x >= 0"], "2*x", "2.01*x"),
]  # fmt: skip


@pytest.mark.parametrize(("claim", "where", "old", "new"), OWN_VARIABLES)
def test_a_function_with_variables_of_its_own_is_a_variable(claim, where, old, new):
    verdict = decide(as_claim(claim, where), 5.0)
    assert verdict.status is Status.PROVED and verify(verdict.certificate, as_claim(claim, where)).valid
    assert decide(as_claim(claim.replace(old, new), where), 5.0).status is Status.REFUTED


@pytest.mark.parametrize(
    ("goal", "term"),
    [
        ("a*log(x) >= c", "log(x)"),
        ("a*log(x) + x >= c", None),  # x stands outside as well
        ("a*log(x + c) >= c", None),  # so does c, in what is known
        ("log(x) >= 1", None),  # nothing else is there
    ],
)
def test_what_is_named_has_its_variables_to_itself(goal, term):
    with ctx.workprec(PRECISION):
        found = atoms(
            Prover(5.0, (trivial, lambda p, s, d: {"rule": "eval"})), sequent("x >= 3; a >= c; c > 0", goal), 10
        )
    assert (found and found["term"]) == term
    assert term is None or (found["facts"][0].endswith("> 0") and found["facts"][1].endswith(">= 70/64"))


def test_a_lemma_that_is_proved_apart_fits_behind_other_lemmas():
    """Its proof numbers its own hypotheses; behind another lemma the verifier found other ones there."""
    claim = as_claim("n*(1 - 1/n)**t <= d", ["n > 1", "0 < d < 1", "t >= n*log(n/d)"])
    verdict = decide(claim, 10.0)
    assert verdict.status is Status.PROVED and verify(verdict.certificate, claim).valid
    assert (
        decide(as_claim("n*(1 - 1/n)**t <= d", ["n > 1", "0 < d < 1", "t >= n*log(1/d)"]), 5.0).status
        is Status.REFUTED
    )


@pytest.mark.parametrize(
    ("claim", "status"),
    [
        more("1 + sum(2/k**2, k, 1, n) < 1 + pi**2/3", Status.PROVED),
        more("sum(1/k**4, k, 1, n) <= pi**4/90", Status.PROVED),
        ("sum(1/k**4, k, 1, n) <= 11/10", Status.PROVED),
        ("sum(1/k**4, k, 1, n) <= 11/10 - 1/50", Status.REFUTED),
        more("sum(1/k**4, k, 1, n) <= pi**4/90 - 1/1000", Status.REFUTED),
    ],
)
def test_a_sum_of_positive_terms_is_below_the_sum_to_infinity(claim, status):
    assert decide(Claim.read(claim, ["n >= 1"], integers=["n"]), 10.0).status is status


@pytest.mark.parametrize(
    ("claim", "wrong", "where"),
    [
        ("y < a", "y < a/2", ["exp(y - a) < 1", "a > 0"]),
        ("x + y <= log(b)", "x + y <= log(b)/2", ["exp(x + y) <= b"]),
        ("x*y <= E", "x*y <= 2", ["log(x*y) <= 1", "x > 0", "y > 0"]),
        ("n >= log(2/d)/(2*e**2)", "n >= log(2/d)/e**2", ["2*exp(-2*n*e**2) <= d", "e > 0", "d > 0"]),
    ],
)
def test_a_hypothesis_without_its_exponential(claim, wrong, where):
    assert decide(as_claim(claim, where), 10.0).status is Status.PROVED
    assert decide(as_claim(wrong, where), 10.0).status is Status.REFUTED


@pytest.mark.parametrize(
    ("goal", "hyps", "left"),
    [
        ("sum(d/(2*t**2), t, 1, n) <= d", "", "1/2*d*sum(t0_**(-2), t0_, 1, n) <= d"),
        ("sum(d/t, t, 1, n) <= 1 + log(n)", "", "d*sum(t0_**(-1), t0_, 1, n) <= 1 + log(n)"),
        ("sum(1/t, t, 1, n) <= d", "", None),  # nothing is the same at every place
        ("sum(d/t, t, 1, n) <= 2", "sum(d/t, t, 1, n) <= 1", None),  # of an induction that is under way
        ("d <= 1", "", None),
    ],
)
def test_what_does_not_move_is_drawn_out_of_a_sum(goal, hyps, left):
    with ctx.workprec(PRECISION):
        seq = sequent(f"n >= 1; d > 0; d < 1; {hyps}", goal, "n")
        found = drawn_out(Prover(5.0, (lambda p, s, d: {"rule": "eval"},)), seq, 10)
    assert (found and found["lemma"]) == left


@pytest.mark.parametrize(
    ("claim", "wrong"),
    [
        ("sum(d/(2*t**2), t, 1, n) <= d", "sum(d/(2*t**2), t, 1, n) <= d*4/5"),
        more("c + sum(a**2*d/sqrt(t), t, 1, n) <= c + 2*a**2*d*sqrt(n)",
         "c + sum(a**2*d/sqrt(t), t, 1, n) <= c + a**2*d*sqrt(n)"),
        more("sum(-d/t, t, 1, n) >= -d*(1 + log(n))", "sum(-d/t, t, 1, n) >= -d*log(n)"),
    ],
)  # fmt: skip
def test_a_factor_in_front_of_a_sum(claim, wrong):
    """It is proved without the factor, by the tactics that fit the sum alone."""
    where = ["n >= 1", "0 < d < 1"]
    verdict = decide(Claim.read(claim, where, integers=["n"]), 20.0)
    assert verdict.status is Status.PROVED and "termwise" in rules_used(verdict.certificate)
    assert decide(Claim.read(wrong, where, integers=["n"]), 10.0).status is Status.REFUTED
