"""Conditions of rules that no model needs, and why they stand there all the same.

A line for every condition that a search does not show to be needed; what has no line here is listed as "not shown".
"""

OUTSIDE = "for readability: the term stands outside of what the name binds"
DEFINED = "says that a term is defined; needless once functions are total"
ORIENTED = "for readability: an integral from b to a is the negative of that from a to b"
FINITE = "needed for laws with infinitely many atoms alone: finite sums may always be exchanged"
POINTWISE = "redundant: the premise holds at every outcome, and so does the instance of it that is wanted"
SMOOTH = "needed for objectives that are no quadratics alone"
RESTRICTS = "no demand but the range of points at which the other premises are assumed"
DIMENSION = "d is a dimension: every model has d >= 1"

#: (rule, start of the condition's text) -> why
REASONS: dict[tuple[str, str], str] = {
    ("two cases", "side 0*a == 0"): DEFINED,
    ("either case", "side 0*a == 0"): DEFINED,
    ("negation", "side 0*X == 0"): DEFINED,
    ("negation", "side 0*a == 0"): DEFINED,
    ("union of a family", "a free of t"): OUTSIDE,
    ("union of a family", "b free of t"): OUTSIDE,
    ("excess as an integral", "a free of t"): OUTSIDE,
    ("Tonelli", "side W >= 0"): FINITE,
    ("Tonelli", "a free of t"): OUTSIDE,
    ("Tonelli", "b free of t"): OUTSIDE,
    ("integral split", "side a <= c"): ORIENTED,
    ("integral split", "side c <= b"): ORIENTED,
    ("integral truncate", "side a <= c"): ORIENTED,
    ("integral truncate", "a free of t"): OUTSIDE,
    ("divergence on the ball", "side d >= 1"): DIMENSION,
    ("dominated differentiation", "premise"): FINITE,
    ("dominated differentiation", "y free of x0"): FINITE,
    ("dominated differentiation", "g free"): FINITE,
    ("dominated differentiation", "x0 free"): FINITE,
    ("dominated differentiation", "L free"): FINITE,
    (
        "conditioning on the past",
        "premise measurable",
    ): "redundant: P(A | past) <= q holds on an event of the past that contains G, and q >= 0",
    ("telescope", "w free of s"): "for readability: s is bound wherever w stands",
    ("sum of nonnegative terms", "w free of s"): "for readability: s is bound wherever w stands",
    (
        "last term of a discounted sum",
        "side c > 0",
    ): "for readability: the exponents are integers >= 0, and 0**0 is 1 for these",
    ("tail of a multiple", "p free of random"): POINTWISE,
    ("frozen expectation", "B free of random"): POINTWISE,
    ("freezing", "B free of random"): POINTWISE,
    ("frozen expectation", "side Q >= 0"): FINITE,
    ("smoothing of the gradient", "premise norm(gradf"): SMOOTH,
    ("fresh range", "R free of random"): POINTWISE,
    ("fresh second moment", "v free of random"): POINTWISE,
    ("fresh bias", "b free of random"): POINTWISE,
    ("fresh samples", "premise f(x)"): RESTRICTS,
    ("fresh range", "premise f(x)"): RESTRICTS,
    ("fresh second moment", "premise f(x)"): RESTRICTS,
    ("fresh bias", "premise f(x)"): RESTRICTS,
}


def reason(rule: str, condition: str) -> str:
    """Why a condition that no model needs stands in a rule; "" where nothing is known."""
    return next((why for (r, start), why in REASONS.items() if r == rule and condition.startswith(start)), "")
