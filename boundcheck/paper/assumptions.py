"""Assumptions of the paper: ASSUMED, never decided."""

from __future__ import annotations

from boundcheck.kernel.statement import Statement
from boundcheck.paper.symbols import BELOW, SIGMA, SMOOTH_SAMPLE, WEAK_LP, L, P

PART = "Assumptions"

WELL_DEFINED = Statement(
    label="ass:Well-defined",
    title="Well-defined problem",
    kind="assumption",
    part=PART,
    text="f is bounded below: f_* = inf f > -oo; Delta_0 = f(x_0) - f_*.",
    claims=(BELOW,),
)
SAMPLE_SMOOTH = Statement(
    label="ass:sample-smooth",
    title="Sample smoothness",
    kind="assumption",
    part=PART,
    text="For almost every xi, x -> F(x; xi) is L-smooth.",
    parameters=(L,),
    claims=(SMOOTH_SAMPLE,),
)
WEAK_NOISE = Statement(
    label="ass:hp-shared-prob",
    title="Weak-L_p control of the sample gradient noise",
    kind="assumption",
    part=PART,
    text="P(|grad F(x; xi) - grad f(x)| > t) <= (sigma/t)^p for every x and every t > 0, with p in (1, 2].",
    parameters=(P, SIGMA),
    random=("zeta",),
    claims=(WEAK_LP,),
)
STATEMENTS = (WELL_DEFINED, SAMPLE_SMOOTH, WEAK_NOISE)
