"""The paper's parameters, each written once, and hypotheses that many statements share."""

from __future__ import annotations

from boundcheck.kernel.statement import Fact, Parameter

P = Parameter("p", "tail exponent", ("1 < p", "p <= 2"))
S = Parameter("S", "scale of the tail", ("S > 0",))
TAU = Parameter("tau", "clipping threshold", ("tau > 0",))
TAU_4S = Parameter("tau", "clipping threshold", ("tau > 0", "tau >= 4*S"))
D = Parameter("d", "dimension", ("d >= 1",), integer=True)
L = Parameter("L", "smoothness constant", ("L > 0",))
MU = Parameter("mu", "smoothing radius", ("mu > 0",))
SIGMA = Parameter("sigma", "noise level", ("sigma > 0",))
GAP = Parameter("Dbar", "bar Delta_0 = Delta_0 + L mu^2/2", ("Dbar > 0",))
BATCH = Parameter("M", "batch size", ("M >= 1",), integer=True)
LEVEL = Parameter("s", "level", ("s >= 1",))
ALPHA = Parameter("alpha", "stepsize (positive, Algorithm 1)", ("alpha > 0", "alpha <= 1/(4*L)"))

#: S_mu of the paper as a formula, and the hypothesis that S is this scale.
S_MU = "(sqrt(L*Dbar) + sigma)/sqrt(d) + L*mu"
SCALE = Fact(f"S == {S_MU}")
#: The parameters of every statement about the localized estimator.
LOCAL = (P, D, L, MU, SIGMA, GAP, S)

SMOOTH_F = Fact("norm(gradf(y) - gradf(z)) <= L*norm(y - z)", over=("y", "z"))
SMOOTH_SAMPLE = Fact("norm(gradF(y) - gradF(z)) <= L*norm(y - z)", over=("y", "z"))
WEAK_LP = Fact("P(norm(zeta) > t) <= (sigma/t)**p", over=("t",), where=("t > 0",))
DIRECTION = Fact("law(u) == sphere(d)")
COORDINATE = Fact("law(U1) == sphere(d)")
INDEPENDENT = Fact("independent(zeta, u) == 1")

LOCALIZED = Fact("f(x) - fstar <= 4*Dbar")
BELOW = Fact("f(y) >= fstar", over=("y",))
