"""Conditions of rules that no model needs, and why they stand there all the same.

A line for every condition that neither a search nor a model written by hand (:mod:`benchmarks.hunter.witnesses`) shows
to be needed; what has no line here is listed as "not shown". "needed" comes with an example that the models do not
have; "redundant" is said of a condition alone: where two are redundant beside each other, one of them may be needed.
"""

POINTWISE = "redundant: with random values the premises hold at every outcome, and so does the conclusion"
DIMENSION = "a dimension: the law of a vector of the space says what it is"
BOTH = "redundant by convention: if this mean does not exist, neither does the one on the smaller side, and both are 0"
EITHER = "redundant by convention: if this mean does not exist, neither does any on the other side, and both are 0"
FUBINI = "redundant: the term at the frozen point has a mean, which is all that Fubini's theorem asks for"
ZERO = "redundant by convention: if this mean does not exist it is 0, and the other side is not negative"
POWERS = (
    "needed where a < q < b, X**q has a mean and X**b has none: fractional powers of laws that balls do not enclose"
)
SECOND = (
    "redundant by convention: with X**2 of no mean and Y**2 of a mean, (X + Y)**2 has no mean and the left side is 0; "
    "without both it fails for Y = 1 - X"
)
EVENTS = "redundant: an identity between events, whatever their ends"
MADE = "redundant: the premises make it a constant at every outcome"
ANY_L = "redundant: a field that satisfies this with any L(y) is continuous, and the conclusion does not speak of L"
ONE_L = "redundant: where the field is a constant, the value of L at one outcome will do"
CONTINUOUS = "redundant: what has a gradient is continuous, hence bounded on balls"
STEEP = "needed: |G(z) - G(0)| <= |z| for a G that is steep elsewhere, L(y) = 1 at y = 0 and large elsewhere"
FAR = "needed: v = N of no mean"
BEYOND = "redundant: beyond c the integrand is 0 on both sides"
SIGN = "redundant: W has a finite integral, and a chance is between 0 and 1"
SQUARES = "redundant: for b < 0 <= c (or c < 0 <= b) the premise leaves a = 0 and b c = 0, and both sides are 0"
VOLTERRA = "needed: a derivative that is not integrable, as that of x**2*sin(1/x**2)"
INFORMED = "needed: a term whose means at fixed points exist, at a point N that is known and has none"

#: rules that speak of no law, or of one through a number alone, and metavariables that may then be random
_POINTWISE = {
    "all of an intersection": "a b",
    "first member of an intersection": "a",
    "last member of an intersection": "a n",
    "minimum below average": "n",
    "telescope": "n",
    "induction": "a n t",
    "strict induction": "a n t",
    "sum monotone": "a b",
    "sum of equal terms": "a b",
    "sum of a difference": "a b",
    "sum of a constant": "a b",
    "sum scale": "a b",
    "sum of inner products": "a b",
    "sum affine": "n",
    "last term of a sum": "n",
    "last term of a range": "a n",
    "no terms": "a b",
    "sum of nonnegative terms": "a b",
    "norm of a sum": "a b",
    "last term of a discounted sum": "t",
    "integral monotone": "b",
    "integral of equals": "b",
    "integral split": "b",
    "integral scale": "b",
    "integrable tail": "W a b",
    "power as an integral": "q",
    "continuous along a line": "a b L",
    "fundamental theorem": "L mu",
    "descent lemma": "L",
    "quadratic bound": "L",
    "frozen probability": "K c q",
    "frozen bound of the mean": "K c q",
    "frozen distance of the mean": "M K c q",
    # of a law as a number: what is random stands outside of it
    "level of equals": "q",
    "union bound": "q",
    "union over a range": "q",
    "intersection over a range": "q",
    "both events": "a b",
    "on the event": "q",
    "member of an intersection": "a b k",
    "tail of a multiple": "c p",
    "freezing": "B",
    "integrable, tail": "G a",
}
#: (rule, start of the condition's text) -> why
REASONS: dict[tuple[str, str], str] = {
    ("de Morgan", "a constant"): EVENTS,
    ("de Morgan", "b constant"): EVENTS,
    ("integrable, lower power", "side X >= 0"): (
        "needed for powers that have no value, as (-1)**(1/2); where both powers have one it is redundant"
    ),
    ("integrable, lower power", "side q > 0"): "needed: X uniform on (0, 1), q = -1, r = 1",
    ("integrable, lower power", "q constant"): "redundant: X**q <= 1 + X**r at every outcome",
    ("integrable, lower power", "r constant"): "redundant: X**q <= 1 + X**r at every outcome",
    ("moments between", "integrable X**b"): POWERS,
    ("Minkowski", "integrable X**2"): SECOND,
    ("Minkowski", "integrable Y**2"): SECOND,
    ("tower", "integrable X"): BOTH,
    ("variance below second moment", "integrable"): BOTH,
    ("mean as best constant", "integrable"): BOTH,
    ("known factor", "integrable k*Y"): INFORMED,
    ("known vector", "integrable dot(k, Y)"): INFORMED,
    ("known quantity", "integrable k"): INFORMED,
    ("known direction", "integrable Y*k"): INFORMED,
    ("mean at an independent point", "integrable QY"): INFORMED,
    ("frozen distance of the mean", "integrable QY"): INFORMED,
    ("frozen mean", "integrable"): INFORMED,
    ("tail of zero", "B constant"): "redundant: where v is 0 the chance is; v and B together may not be random: v = B",
    ("tail of zero", "v constant"): (
        "redundant: where v > 0 somewhere the premise says it of B; v and B together may not be random: v = B"
    ),
    ("tail of zero", "a constant"): "redundant: for v > 0 the premise says it, for v = 0 nothing is above a > 0",
    ("Tonelli", "side W >= 0"): (
        "needed: W of changing sign with bounded integrals up to X, for which that of abs(W)*P(X > t) does not exist"
    ),
    ("integral truncate", "side a <= c"): BEYOND,
    ("root of a product", "side"): SQUARES,
    ("Lipschitz is integrable", "premise norm(G"): "needed: G(y) = y/|y|**2 in R^1, v uniform",
    ("Lipschitz is integrable", "premise norm(v"): FAR,
    ("Lipschitz is integrable near the unit ball", "L constant"): ONE_L,
    ("Lipschitz is integrable near the unit ball", "L free of"): ANY_L,
    ("continuous along a line", "L free of"): ANY_L,
    ("continuous along a line, norm", "x free of s"): "needed: x = z/s, as in the rule before",
    ("smooth is integrable near the unit ball", "phi constant"): "needed: phi(y) = N of no mean",
    ("smooth is integrable near the unit ball", "G constant"): MADE,
    ("smooth is integrable near the unit ball", "L constant"): ONE_L,
    ("smooth is integrable near the unit ball", "L free of"): ANY_L,
    (
        "smooth is integrable near the unit ball",
        "premise gradient",
    ): "needed: phi(y) = 1/|y|**2 in R^1, G = 0, v uniform",
    ("smooth is integrable near the unit ball", "premise norm(v"): FAR,
    ("smooth is integrable near the unit ball", "premise norm(G"): CONTINUOUS,
    ("excess along an independent direction", "integrable norm(z)"): (
        "redundant by convention: if |z| has no mean, the left side is 0 too (given z it is about c|z||w|)"
    ),
    (
        "last term of a discounted sum",
        "side c > 0",
    ): "redundant: the exponents are whole and not negative, and 0**0 is 1",
    ("conditioning on the past", "ind(G) known from H"): (
        "redundant: P(A | H) <= q holds on an event of H that contains G, and q >= 0"
    ),
    (
        "frozen expectation",
        "B constant",
    ): "redundant: E(Q) <= B at every outcome, with V put for v, and means are taken",
    ("frozen expectation", "side Q >= 0"): FUBINI,
    ("frozen expectation", "integrable Bv"): "needed: Q = 1, B(v) = v + 1, V = N of no mean",
    ("frozen expectation", "integrable Qv"): ZERO,
    ("frozen bound of the mean", "side Q >= 0"): FUBINI,
    ("frozen bound of the mean", "integrable"): ZERO,
    ("same frozen mean", "premise integrable(Q)"): FUBINI,
    ("same frozen mean", "integrable QY"): EITHER,
    ("smoothing of the gradient", "premise norm(G"): VOLTERRA,
    (
        "smoothing of the gradient",
        "premise law(v)",
    ): "needed: v = N of no mean, phi linear: phimu is 0 and E(G) is not",
    ("smoothing of the gradient", "phi constant"): "needed: phi(y) = N + dot(c, y): phimu is 0 and E(G) is c",
    ("smoothing of the gradient", "G constant"): MADE,
    ("smoothing of the gradient", "L constant"): ONE_L,
    ("smoothing of the gradient", "phimu constant"): MADE,
    ("smoothing of the gradient", "Gmu constant"): MADE,
    ("smoothing of the gradient", "L free of"): ANY_L,
    ("smoothing of the gradient", "v free of"): (
        "needed: phi(y) = y**2 in R^1, v = y b for b of the ball, so of its law at y = 1: phimu = y**2 (1 + mu**2/3)"
    ),
    ("divergence on the ball", "side d >= 1"): DIMENSION,
    ("divergence on the ball", "premise gradient(phi, G)"): "needed: phi = 0 but at x + mu, and G = 0, in R^1",
    ("divergence on the ball", "premise norm(G"): (
        "redundant: what has a gradient is continuous, and then the mean over the ball has this gradient"
    ),
    ("divergence on the ball", "phimu constant"): MADE,
    ("divergence on the ball", "G constant"): MADE,
    ("divergence on the ball", "Gmu constant"): MADE,
    ("divergence on the ball", "L constant"): ONE_L,
    ("divergence on the ball", "L free of"): ANY_L,
    ("divergence on the ball", "v free of"): (
        "needed: phi(y) = y**2 in R^1, v = y b for b of the ball, so of its law at y = 1: phimu = y**2 (1 + mu**2/3)"
    ),
    ("dominated differentiation", "premise norm(H"): (
        "needed: phi = 0 with E(H(0)) = 1, where the n-th of infinitely many outcomes has Phi(y) = y near 0 and steep "
        "bumps at a distance 1/n that make up for it"
    ),
    ("dominated differentiation", "phi constant"): MADE,
    ("dominated differentiation", "G constant"): MADE,
    ("dominated differentiation", "x0 constant"): "needed: Phi(y) = |y - N|**2/2, x0 = N of no second moment",
    (
        "dominated differentiation",
        "L constant",
    ): "needed: Phi(y) = N |y|**2 + dot(c, y), x = x0 = 0, L = 2 N of no mean",
    ("dominated differentiation", "L free of y"): "needed by the same example: at each y one bump alone is steep",
    ("dominated differentiation", "x0 free of y"): "needed as the premise about it is, which says nothing for x0 = y",
    ("dominated differentiation", "integrable Phi(x0)"): "needed: Phi(x) = N + dot(c, x) with N of no mean",
    ("dominated differentiation", "integrable norm(H(x0))"): (
        "needed: H = N c near x0 with N of no mean, H = c far from it, where phi is 0 by convention"
    ),
    ("fundamental theorem", "premise norm(G"): VOLTERRA,
    ("fundamental theorem", "L free of"): ANY_L,
    ("descent lemma", "L free of"): STEEP,
    ("quadratic bound", "L free of"): STEEP,
    ("some unit vector", "premise law(u)"): "needed where no vector of the space has length 1",
    ("integrable tail", "side a <= b"): SIGN,
    ("integrable tail", "side W >= 0"): SIGN,
    (
        "integrable tail",
        "X free of t",
    ): "redundant where P(X > t) is a measurable function of t, as it is between 0 and 1",
    ("norm of the conditional expectation", "integrable X"): BOTH,
    ("conditional variance below second moment", "integrable"): BOTH,
    **{(rule, f"{end} constant"): POINTWISE for rule, ends in _POINTWISE.items() for end in ends.split()},
    ("frozen mean", "M constant"): MADE,
    ("mean at an independent point", "M constant"): MADE,
    ("", "d constant"): DIMENSION,
}
#: What the sorts and the door of the kernel see to, whatever a model says.
TYPES = "That an index or an end of a range is an integer is a matter of sorts: no term is formed otherwise."


def reason(rule: str, condition: str) -> str:
    """Why a condition that no model needs stands in a rule; "" where nothing is known."""
    found = (why for (r, start), why in REASONS.items() if rule.startswith(r) and condition.startswith(start))
    return next(found, "")
