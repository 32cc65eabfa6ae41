"""Conditions of rules that no model needs, and why they stand there all the same.

A line for every condition that a search does not show to be needed; what has no line here is listed as "not shown".
"""

OUTSIDE = "for readability: the term stands outside of what the name binds"
ORIENTED = "for readability: an integral from b to a is the negative of that from a to b"
POINTWISE = "redundant: with random values the premises hold at every outcome, and so does the conclusion"
DIMENSION = "a dimension: the law of a vector of the space says what it is"
POLES = "needed for integrands with poles or many pieces, which are no polynomials piece by piece"
BOTH = "redundant by convention: if this mean does not exist, neither does the one on the smaller side, and both are 0"
FINITE = "needed for laws with infinitely many values alone: finite sums may always be exchanged"
CONTINUOUS = "needed for fields that are not continuous along lines; those of the models are"
COMPACT = "needed for fields that are not bounded on balls; those of the models are"
POWERS = (
    "needed where a < q < b, X**q has a mean and X**b has none: fractional powers of laws that balls do not enclose"
)
SECOND = (
    "redundant by convention: with X**2 of no mean and Y**2 of a mean, (X + Y)**2 has no mean and the left side is 0"
)
WITHIN = "redundant by convention: a term whose mean exists has finite means given almost every frozen value"

EVENTS = "redundant: an identity between events, whatever their ends"
ENDS = "needed: N = 0 or 2 with probability 1/2, A_0 = {N = 0}, A_1 = {N = 2}, q = 1/2, the union up to N, at N = 0"

UNBOUNDED = "needed for laws without a bound"
MADE = "redundant: the premises make it a constant at every outcome"
ANY_L = "redundant: a field that satisfies this with any L(y) is continuous, and the conclusion does not speak of L"
STEEP = "needed: |G(z) - G(0)| <= |z| for a G that is steep elsewhere, L(y) = 1 at y = 0 and large elsewhere"
NOT_CONTINUOUS = "needed for functions that are not continuous; those of the models are"
ON_THE_LINE = "needed for information on the line, which the models do not have"
ORTHOGONAL = "needed: e orthogonal to u, in R^2"

#: rules that speak of no law, or of one through a number alone, and metavariables that may then be random
_POINTWISE = {
    "all of an intersection": "a b",
    "first member of an intersection": "a",
    "last member of an intersection": "a n",
    "minimum below average": "n",
    "telescope": "n",
    "induction": "n",
    "sum monotone": "a b",
    "sum of equal terms": "a b",
    "sum of a difference": "a b",
    "sum of a constant": "a b",
    "sum scale": "a b",
    "sum affine": "n",
    "last term of a sum": "n",
    "last term of a range": "a n",
    "no terms": "a b",
    "sum of nonnegative terms": "n",
    "norm of a sum": "a b",
    "last term of a discounted sum": "t",
    "frozen probability": "K c q",
    "frozen bound of the mean": "K c q",
    "frozen distance of the mean": "M K c q",
}
#: (rule, start of the condition's text) -> why
REASONS: dict[tuple[str, str], str] = {
    ("level of equals", "q constant"): POINTWISE,
    ("expectation monotone, nonnegative", "side X >= 0"): "needed: X = -N of no mean, Y = -1",
    ("integrable, tail", "side X >= 0"): "needed: X = -N of no mean",
    ("integral monotone", "converges integral(H"): "needed: G = ind(t < 1) and H = 1 on (0, oo), 1 against 0",
    ("union of a family", "q constant"): POINTWISE,
    ("union over a range", "q constant"): POINTWISE,
    ("union of a family", "a constant"): ENDS,
    ("union of a family", "b constant"): ENDS,
    ("union over a range", "a constant"): ENDS,
    ("union over a range", "b constant"): ENDS,
    ("de Morgan", "a constant"): EVENTS,
    ("de Morgan", "b constant"): EVENTS,
    ("union over a range", "a free of t"): OUTSIDE,
    ("union over a range", "b free of t"): OUTSIDE,
    ("both events", "a constant"): POINTWISE,
    ("both events", "b constant"): POINTWISE,
    ("on the event", "q constant"): POINTWISE,
    ("member of an intersection", "a constant"): POINTWISE,
    ("member of an intersection", "b constant"): POINTWISE,
    ("member of an intersection", "k constant"): POINTWISE,
    (
        "integrable, lower power",
        "side X >= 0",
    ): "needed for powers of negative numbers, of which the models know nothing",
    ("integrable, lower power", "side q > 0"): "needed for laws with mass near 0; those of the models stay off it",
    ("integrable, lower power", "q constant"): "needed for random exponents without a bound",
    ("integrable, lower power", "r constant"): POINTWISE,
    ("integrable, tail", "G constant"): POINTWISE,
    ("integrable, tail", "a constant"): POINTWISE,
    ("integrable, tail", "X free of t"): OUTSIDE,
    ("integrable, tail", "a free of t"): OUTSIDE,
    ("moments between", "integrable X**b"): POWERS,
    ("Minkowski", "integrable X**2"): SECOND,
    ("Minkowski", "integrable Y**2"): SECOND,
    ("tower", "integrable X"): BOTH,
    ("tower given more", "integrable X"): BOTH,
    ("variance below second moment", "integrable"): BOTH,
    ("known factor", "integrable k*Y"): ON_THE_LINE,
    ("known vector", "integrable dot(k, Y)"): ON_THE_LINE,
    ("known quantity", "integrable k"): ON_THE_LINE,
    ("known direction", "integrable Y*k"): ON_THE_LINE,
    ("mean at an independent point", "integrable QY"): ON_THE_LINE,
    ("frozen distance of the mean", "integrable QY"): ON_THE_LINE,
    ("conditional expectation monotone", "integrable X"): "needed as in expectation monotone, given information",
    ("tail of a multiple", "c constant"): POINTWISE,
    ("tail of a multiple", "p constant"): POINTWISE,
    ("tail of zero", "B constant"): POINTWISE,
    ("tail of zero", "v constant"): POINTWISE,
    ("tail of zero", "a constant"): POINTWISE,
    ("Tonelli", "side W >= 0"): FINITE,
    ("Tonelli", "side a <= b"): POLES,
    ("Tonelli", "converges"): POLES,
    ("Tonelli", "X free of t"): OUTSIDE,
    ("integral monotone", "converges integral(G"): POLES,
    ("integral monotone", "b constant"): POINTWISE,
    ("integral monotone", "a free of t"): OUTSIDE,
    ("integral monotone", "b free of t"): OUTSIDE,
    ("integral monotone, nonnegative", "side G >= 0"): POLES,
    ("integral monotone, nonnegative", "b constant"): POINTWISE,
    ("integral monotone, nonnegative", "a free of t"): OUTSIDE,
    ("integral monotone, nonnegative", "b free of t"): OUTSIDE,
    ("integral of equals", "b constant"): POINTWISE,
    ("integral of equals", "a free of t"): OUTSIDE,
    ("integral of equals", "b free of t"): OUTSIDE,
    ("integral split", "side a <= c"): ORIENTED,
    ("integral split", "side c <= b"): ORIENTED,
    ("integral split", "b constant"): POINTWISE,
    ("integral truncate", "side a <= c"): ORIENTED,
    ("integral scale", "b constant"): POINTWISE,
    ("root of a product", "side"): "needed for roots of negative numbers, which are unknown",
    ("mean along a segment", "converges"): POLES,
    ("integral Cauchy-Schwarz", "converges"): POLES,
    ("integral Cauchy-Schwarz", "u free of s"): POINTWISE,
    ("continuous along a line", "premise"): CONTINUOUS,
    ("continuous along a line", "a constant"): POINTWISE,
    ("continuous along a line", "b constant"): POINTWISE,
    ("continuous along a line", "L constant"): POINTWISE,
    ("continuous along a line", "x free of s"): CONTINUOUS,
    ("continuous along a line", "h free of s"): CONTINUOUS,
    ("continuous along a line", "w free of s"): CONTINUOUS,
    ("continuous along a line", "u free of s"): CONTINUOUS,
    ("continuous along a line", "L free of"): CONTINUOUS,
    ("Lipschitz is integrable", "premise norm(G"): COMPACT,
    ("Lipschitz is integrable", "premise norm(v"): UNBOUNDED,
    ("Lipschitz is integrable near the unit ball", "G constant"): UNBOUNDED,
    ("Lipschitz is integrable near the unit ball", "x constant"): UNBOUNDED,
    ("smooth is integrable near the unit ball", "phi constant"): UNBOUNDED,
    ("smooth is integrable near the unit ball", "x constant"): UNBOUNDED,
    ("smooth is integrable near the unit ball", "G constant"): MADE,
    ("Lipschitz is integrable", "L "): COMPACT,
    ("smooth is integrable", "premise"): COMPACT,
    ("smooth is integrable", "L "): COMPACT,
    ("excess along an independent direction", "premise independent(U1, z)"): "redundant for z of one length alone",
    ("excess along an independent direction", "integrable norm(z)"): BOTH,
    ("last term of a discounted sum", "side c > 0"): "for readability: 0**0 is 1, and the exponents are integers >= 0",
    ("conditioning on the past", "ind(G) known from H"): (
        "redundant: P(A | H) <= q holds on an event of H that contains G, and q >= 0"
    ),
    ("freezing", "B constant"): POINTWISE,
    ("frozen expectation", "B constant"): POINTWISE,
    ("frozen expectation", "side Q >= 0"): FINITE,
    ("frozen expectation", "integrable"): WITHIN,
    ("frozen bound of the mean", "side Q >= 0"): FINITE,
    ("frozen bound of the mean", "integrable"): WITHIN,
    ("frozen mean", "integrable"): WITHIN,
    ("smoothing of the gradient", "premise norm(G"): "needed for gradients that are not continuous",
    ("dominated differentiation", "premise norm(H"): FINITE,
    ("divergence on the ball", "side d >= 1"): DIMENSION,
    ("divergence on the ball", "premise gradient(phi, G)"): NOT_CONTINUOUS,
    ("divergence on the ball", "premise norm(G"): NOT_CONTINUOUS,
    ("divergence on the ball", "phimu constant"): MADE,
    ("divergence on the ball", "G constant"): MADE,
    ("divergence on the ball", "Gmu constant"): MADE,
    ("divergence on the ball", "L free of"): ANY_L,
    ("smoothing of the gradient", "premise law(v)"): UNBOUNDED,
    ("smoothing of the gradient", "phi constant"): UNBOUNDED,
    ("smoothing of the gradient", "G constant"): UNBOUNDED,
    ("smoothing of the gradient", "L constant"): UNBOUNDED,
    ("smoothing of the gradient", "mu constant"): UNBOUNDED,
    ("smoothing of the gradient", "phimu constant"): MADE,
    ("smoothing of the gradient", "Gmu constant"): MADE,
    ("smoothing of the gradient", "L free of"): ANY_L,
    ("dominated differentiation", "phi constant"): MADE,
    ("dominated differentiation", "G constant"): MADE,
    ("dominated differentiation", "x0 constant"): UNBOUNDED,
    ("dominated differentiation", "L constant"): UNBOUNDED,
    ("dominated differentiation", "L free of y"): COMPACT,
    ("dominated differentiation", "x0 free of y"): "needed as the premise about it is, which says nothing for x0 = y",
    ("dominated differentiation", "integrable Phi(x0)"): "needed: Phi(x) = N + dot(c, x) with N of no mean",
    ("dominated differentiation", "integrable norm(H(x0))"): (
        "needed: H = N c near x0 with N of no mean, H = c far from it, where phi is 0 by convention"
    ),
    ("fundamental theorem", "premise norm(G"): "needed for gradients that are not continuous",
    ("fundamental theorem", "L constant"): POINTWISE,
    ("fundamental theorem", "mu constant"): POINTWISE,
    ("fundamental theorem", "L free of"): ANY_L,
    ("descent lemma", "L constant"): POINTWISE,
    ("descent lemma", "L free of"): STEEP,
    ("quadratic bound", "L constant"): POINTWISE,
    ("quadratic bound", "L free of"): STEEP,
    ("some unit vector", "premise law(u)"): "needed where no vector of the space has length 1",
    ("excess along a fixed direction", "e constant"): ORTHOGONAL,
    ("excess along an independent direction", "e constant"): ORTHOGONAL,
    ("Markov", "q constant"): "needed: X = 3, q = 1/100 or X = 0, q = 10, with probability 1/2 each, a = 2",
    ("expectation monotone", "integrable X"): "needed: X = -N of no mean, Y = -1",
    ("power as an integral", "side q >= 1"): "needed: q = 0 and X = 1, 1 against 0",
    ("power as an integral", "q constant"): POINTWISE,
    ("integrable tail", "side a <= b"): ORIENTED,
    ("integrable tail", "side W >= 0"): POLES,
    ("integrable tail", "converges"): POLES,
    ("integrable tail", "W constant"): POINTWISE,
    ("integrable tail", "a constant"): POINTWISE,
    ("integrable tail", "b constant"): POINTWISE,
    ("integrable tail", "X free of t"): "redundant: a probability is between 0 and 1, whatever X is",
    ("norm of the conditional expectation", "integrable X"): BOTH,
    ("conditional variance below second moment", "integrable"): BOTH,
    ("same frozen mean", "integrable QY"): BOTH,
    ("same frozen mean", "premise integrable(Q)"): WITHIN,
    ("expectation of a finite sum", "b free of s"): OUTSIDE,
    ("conditional expectation of a finite sum", "a free of s"): OUTSIDE,
    ("conditional expectation of a finite sum", "b free of s"): OUTSIDE,
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
