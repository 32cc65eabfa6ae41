"""The words of formulas: functions and binders of claims, heads of proofs, relations."""

from __future__ import annotations

#: name -> number of arguments (None: two or more). The closed list of functions of a claim.
FUNCTIONS: dict[str, int | None] = {
    **dict.fromkeys(("exp", "log", "sqrt", "abs", "sin", "cos", "tan", "asin", "acos", "atan"), 1),
    **dict.fromkeys(("sinh", "cosh", "tanh", "gamma", "loggamma", "erf", "erfc", "floor", "ceil"), 1),
    "min": None,
    "max": None,
}
BINDERS = ("integral", "sum")  #: integral(body, t, lo, hi), sum(body, k, lo, hi)
CONSTANTS = ("pi", "E", "oo")
#: Heads of the proof vocabulary and their meaning: compared as terms, never evaluated.
PROOF_HEADS: dict[str, str] = {
    "P": "probability of an event",
    "E": "expectation (of a scalar or of a vector), which exists and is finite wherever it is written",
    "Pgiven": "conditional probability of an event given a random variable or the past",
    "Egiven": "conditional expectation given a random variable or the past; the expectation of its modulus is finite",
    "ind": "indicator of an event",
    "law": "law of a random variable",
    "sphere": "uniform law on the unit sphere of R^d",
    "ball": "uniform law on the unit ball of R^d",
    "independent": "1 if the two random objects are independent",
    "iid": "1 if the terms over the index are independent (of the past) and identically distributed",
    "measurable": "1 if the first is measurable with respect to the second",
    "norm": "Euclidean norm",
    "dot": "Euclidean inner product",
    "clip": "scalar clipping psi_tau, tau >= 0: clip(z, tau) = max(-tau, min(z, tau)) = z min(1, tau/|z|)",
    "f": "the objective",
    "F": "the sample objective F(.; xi)",
    "fmu": "the spherical smoothing of f",
    "gradf": "gradient of f",
    "gradF": "gradient of F(.; xi)",
    "gradfmu": "gradient of the smoothing of f",
    "slopef": "two-point slope D_mu f(x, u) of f",
    "slopeF": "two-point slope (F(x+mu u; xi) - F(x-mu u; xi))/(2 mu)",
    "at": "a member of a family of vectors or scalars indexed by integers",
    "least": "least of the terms of an indexed family",
    "union": "union of the events of an indexed family",
    "meet": "intersection of the events of an indexed family",
    "both": "intersection of two events",
    "either": "union of two events",
    "complement": "complement of an event",
}
#: Heads of the proof vocabulary that bind their second argument, as integrals and sums do: union(A, t, a, b).
FAMILIES = ("union", "meet", "least")
RELATIONS = ("<=", ">=", "==", "!=", "<", ">")

#: Names that look like numbers and would be read as variables: what to write instead. Refused in every formula.
LOOKALIKES: dict[str, str] = {
    **dict.fromkeys(
        ("inf", "Inf", "INF", "infinity", "Infinity", "INFINITY", "infty", "Infty", "NegativeInfinity", "zoo"),
        "oo as an end of integral(...) or sum(...); a variable has no value that is infinite",
    ),
    **dict.fromkeys(("nan", "NaN", "NAN", "Nan"), "nothing for it: every term of a claim is a number"),
    **dict.fromkeys(("Pi", "PI"), "pi"),
    **dict.fromkeys(("Exp1", "exp1"), "E"),
    **dict.fromkeys(
        ("True", "False", "true", "false", "None", "null"), "a relation, such as x > 0: a claim has no truth values"
    ),
    **dict.fromkeys(
        ("and", "or", "not", "AND", "OR", "NOT", "And", "Or", "Not", "in", "if", "implies"),
        "one relation in each string, or a chain such as 0 < x <= 1",
    ),
}
#: Functions of other languages: how a claim says the same.
ELSEWHERE: dict[str, str] = {
    "sign": "write x/abs(x) where x != 0, or one claim for each sign",
    "sgn": "write x/abs(x) where x != 0, or one claim for each sign",
    "log2": "write log(x)/log(2)",
    "log10": "write log(x)/log(10)",
    "log1p": "write log(1 + x)",
    "expm1": "write exp(x) - 1",
    "pow": "write x**y",
    "cbrt": "write x**(1/3) where x >= 0",
    "factorial": "write gamma(n + 1)",
    "binomial": "write gamma(n + 1)/(gamma(k + 1)*gamma(n - k + 1))",
    "cot": "write 1/tan(x)",
    "sec": "write 1/cos(x)",
    "csc": "write 1/sin(x)",
    "ln": "did you mean log?",
    "lgamma": "did you mean loggamma?",
    "Gamma": "did you mean gamma?",
    "arcsin": "did you mean asin?",
    "arccos": "did you mean acos?",
    "arctan": "did you mean atan?",
    "fabs": "did you mean abs?",
    "Abs": "did you mean abs?",
    "integrate": "did you mean integral?",
    "ceiling": "did you mean ceil?",
}
_MINUS, _TIMES = "write - for minus", "write * for a product"
_EACH = "put one relation in each string, or write a chain such as 0 < x <= 1"
#: Signs that formulas do not have: what to write instead.
SIGNS: dict[str, str] = {
    "^": "write ** for a power",
    "=": "write == for equality",
    "&": "put one relation in each string",
    "|": "write abs(x) for |x|, and put one relation in each string",
    "!": "write gamma(n + 1) for n!, != for unequal",
    "%": "write 0.05 for 5%",
    "[": "write parentheses ( )",
    "{": "write parentheses ( )",
    "\u2264": "write <=",
    "\u2a7d": "write <=",
    "\u2265": "write >=",
    "\u2a7e": "write >=",
    "\u2260": "write !=",
    "\u2261": "write ==",
    "\u2212": _MINUS,
    "\u2013": _MINUS,
    "\u2014": _MINUS,
    "\u00b7": _TIMES,
    "\u22c5": _TIMES,
    "\u2219": _TIMES,
    "\u00d7": _TIMES,
    "\u2217": _TIMES,
    "\u00f7": "write / for a quotient",
    "\u2215": "write / for a quotient",
    "\u2044": "write / for a quotient",
    "\u221a": "write sqrt(x)",
    "\u00b2": "write **2",
    "\u00b3": "write **3",
    "\u03c0": "write pi",
    "\u221e": "write oo",
    "\u2211": "write sum(expression, k, a, b)",
    "\u03a3": "write sum(expression, k, a, b), or a name of the letters a to z",
    "\u222b": "write integral(expression, t, a, b)",
    "\u2227": _EACH,
    "\u2228": _EACH,
    "\u00ac": _EACH,
    "\u21d2": _EACH,
    "\u2192": _EACH,
    "\u2208": "write the bounds, such as 0 < x and x <= 1, one in each string",
    "\u2223": "write abs(x) for |x|",
    "\u00a0": "write a plain space",
}
