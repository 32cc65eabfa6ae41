"""Momentum RSC-ZO: parameters, explicit constants and hypotheses that its statements share."""

from __future__ import annotations

from boundcheck.kernel.statement import Decide, Fact, Follows, Parameter, Step
from boundcheck.paper.momentum_estimator import HYPOTHESES, RANDOM
from boundcheck.paper.smoothness import BALL
from boundcheck.paper.symbols import LOCAL

BETA = Parameter("beta", "momentum parameter", ("beta >= 1/2", "beta < 1"))
HORIZON = Parameter("T", "number of steps", ("T >= 4",), integer=True)
DELTA = Parameter("delta", "failure probability", ("0 < delta", "delta <= 1"))
BATCH = Parameter("M", "running batch size", ("M >= 1",), integer=True)
LAMBDA = Parameter("lam", "lambda = log(2T/delta)", ("lam > 0",))
RATIO = Parameter("q", "q = (1 - beta) lambda/M", ("q > 0", "q <= 1"))
TAU = Parameter("tau", "running threshold", ("tau > 0",))
STEP = Parameter("alpha", "stepsize", ("alpha > 0",))
BOUND_U = Parameter("U", "bound of the weighted fluctuation", ("U >= 0",))
BOUND_B = Parameter("B", "bound of the clipping bias", ("B >= 0",))
BOUND_G = Parameter("G", "bound of the warm start's deviation", ("G >= 0",))

#: The constants that the paper leaves open, for p in (1, 2]; C_U and C_F = 2 do not depend on p.
C_U = "112"
C_B = "(2**(4 - p)/(p - 1))"
C_G = "(126 + 2**(4 - p)/(p - 1))"
U_BOUND = f"{C_U}*d*S*q**((p - 1)/p)*sqrt(1 + log(1/q))"
B_BOUND = f"{C_B}*d*S*q**((p - 1)/p)"

RUNNING = (*LOCAL, BETA, HORIZON, DELTA, BATCH, LAMBDA, RATIO, TAU)
RUNNING_RANDOM = (*RANDOM, "W", "X", "H", "v")
#: L_t of the paper is the event gap_t <= 4 bar Delta_0, gap_t the running maximum of f(x_s) - f_*.
L_S = "at(gap, s) <= 4*Dbar"
RUNNING_HYPOTHESES = {
    **HYPOTHESES,
    "lambda": Fact("lam == log(2*T/delta)"),
    "ratio": Fact("q == (1 - beta)*lam/M"),
    "threshold": Fact("tau == 8*S*(M/((1 - beta)*lam))**(1/p)"),
    "fresh": Fact("iid(samples, past) == 1"),
    "covers": Fact("f(at(xs, t)) - fstar <= at(gap, t)", over=("t",)),
    "growing": Fact("at(gap, s) <= at(gap, t)", over=("s", "t"), where=("s <= t",)),
}
#: The recursion of Algorithm 1 with momentum, and the decomposition of its estimator.
PROCESS = {
    "momentum": Fact("at(ms, t) == beta*at(ms, t - 1) + (1 - beta)*at(gs, t)", over=("t",), where=("t >= 1",)),
    "iterate": Fact("at(xs, t + 1) == at(xs, t) - alpha*at(ms, t)", over=("t",)),
    "split": Fact("at(gs, t) == gradfmu(at(xs, t)) + at(as, t) + at(bs, t)", over=("t",)),
    "error": Fact("at(es, t) == at(ms, t) - gradfmu(at(xs, t))", over=("t",)),
    "weighted": Fact(
        "at(zs, t) == sum(beta**(t - s)*((1 - beta)*at(as, s)), s, 1, t)", over=("t",), where=("t >= 1",)
    ),
    "corrected": Fact("at(us, t) == at(es, t) - at(zs, t)", over=("t",)),
    "drift": Fact("at(rs, t) == beta*(gradfmu(at(xs, t - 1)) - gradfmu(at(xs, t)))", over=("t",)),
}
SMOOTHED = {"ball": BALL, "smoothed": Fact("norm(gradfmu(y) - gradfmu(z)) <= L*norm(y - z)", over=("y", "z"))}
#: The steps that show tau = 8 S_mu q^(-1/p) >= 8 S_mu.
THRESHOLD = (
    Step(Fact("1/q == M/((1 - beta)*lam)"), Decide(("ratio",)), name="inverse"),
    Step(
        Fact("(M/((1 - beta)*lam))**(1/p) == q**(-1/p)"),
        Decide(("ratio",)),
        name="power of q",
    ),
    Step(Fact("tau == 8*S*q**(-1/p)"), Follows(("threshold", "power of q")), "tau/S_mu = 8 q^(-1/p)", name="tau"),
    Step(Fact("8*S*q**(-1/p) >= 8*S"), Decide(), name="8S"),
    Step(Fact("tau >= 8*S"), Follows(("tau", "8S")), name="tau above"),
)
