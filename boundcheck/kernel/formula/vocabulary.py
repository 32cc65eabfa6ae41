"""The words of formulas: functions and binders of claims, heads of proofs, relations."""

from __future__ import annotations

from boundcheck.kernel.formula.functions import TABLE

#: name -> number of arguments (None: two or more). The closed list of functions of a claim.
FUNCTIONS: dict[str, int | None] = {
    **dict.fromkeys(TABLE, 1),
    "min": None,
    "max": None,
}
BINDERS = ("integral", "sum")  #: integral(body, t, lo, hi), sum(body, k, lo, hi)
CONSTANTS = ("pi", "E", "oo")
#: Names, in small letters, that look like a number or a truth value: no variable is called so.
LOOKALIKES = frozenset({
    "oo", "inf", "infinity", "infty", "infinite", "ninf", "pinf", "negativeinfinity", "complexinfinity", "zoo", "nan",
    "qnan", "snan", "undefined", "indeterminate", "pi", "m_pi", "exp1", "m_e", "true", "false", "none", "null", "nil",
    "and", "or", "not", "in", "if", "implies", "huge_val", "dbl_max", "flt_max", "dbl_min", "flt_min", "dbl_epsilon",
    "eulergamma", "euler_gamma", "goldenratio", "golden_ratio",
})  # fmt: skip
#: Heads of the proof vocabulary and their meaning: compared as terms, never evaluated.
PROOF_HEADS: dict[str, str] = {
    "P": "probability of an event",
    "E": "expectation of a number or a vector; 0 where it is not integrable",
    "Pgiven": "conditional probability of an event given information or a random quantity",
    "Egiven": "conditional expectation given information or a random quantity; 0 where it is not integrable",
    "ind": "indicator of an event",
    "integrable": "1 if the mean (of the first), or the integral over the second from the third to the fourth, exists",
    "law": "law of a random variable",
    "sphere": "uniform law on the unit sphere of R^d",
    "ball": "uniform law on the unit ball of R^d",
    "coordinate": "law of a coordinate of a uniform vector on the unit sphere of R^d",
    "independent": "1 if the two random objects, or information, are independent",
    "measurable": "1 if the first is known from the second",
    "increasing": "1 if a family of information forgets nothing as its last index grows",
    "norm": "Euclidean norm",
    "dot": "Euclidean inner product",
    "clip": "scalar clipping psi_tau, tau >= 0: clip(z, tau) = max(-tau, min(z, tau)) = z min(1, tau/|z|)",
    "gradient": "1 if the second is the gradient of the first, everywhere",
    "at": "a member of a family indexed by integers",
    "least": "least of the terms of an indexed family",
    "most": "largest of the terms of an indexed family",
    "union": "union of the events of an indexed family",
    "meet": "intersection of the events of an indexed family",
    "both": "intersection of two events",
    "either": "union of two events",
    "complement": "complement of an event",
}
#: Heads of the proof vocabulary that bind their second argument, as integrals and sums do: union(A, t, a, b).
FAMILIES = ("union", "meet", "least", "most", "integrable")
RELATIONS = ("<=", ">=", "==", "!=", "<", ">")
