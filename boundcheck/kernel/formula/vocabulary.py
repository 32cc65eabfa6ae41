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
