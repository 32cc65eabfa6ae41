"""What the catalogue claims, as numbers: the one door from a label to a bound."""

from __future__ import annotations

from boundcheck.arith.mp import evaluate
from boundcheck.formula import parse

S_MU = "((sqrt(L*Dbar) + sigma)/sqrt(d) + L*mu)"
_TEXTS = {
    "lem:hp-shared-clipped-bias-abstract": "2**(2*p + 1)/(p - 1)*S**p*tau**(1 - p)",
    "lem:hp-shared-clipped-second-moment": "64*S**p*tau**(2 - p)*(1 + log(tau/S))",
    "lem:hp-shared-directional-tail": "s**(-p)",
    "lem:hp-shared-directional-signal-tail": "s**(-p)",
    "lem:hp-shared-directional-total-tail": "2*s**(-p)",
    "lem:hp-shared-clipping-bias": "2**(2*p + 1)/(p - 1)*d*S**p*tau**(1 - p)",
    "lem:hp-shared-empirical-fluctuation": "8*d/sqrt(M)*S**(p/2)*tau**(1 - p/2)*sqrt(1 + log(tau/S))"
    "*(1 + sqrt(2*log(1/rho))) + 8*d*tau/(3*M)*log(1/rho)",
    "cor:hp-shared-localized": "8*d/sqrt(M)*S**(p/2)*tau**(1 - p/2)*sqrt(1 + log(tau/S))"
    "*(1 + sqrt(2*log(T/delta))) + 8*d*tau/(3*M)*log(T/delta) + 2**(2*p + 1)/(p - 1)*d*S**p*tau**(1 - p)",
    "cor:hp-shared-localized-tuned": "(120 + 2**(4 - p)/(p - 1))*d*S*(log(T/delta)/M)**((p - 1)/p)"
    "*sqrt(1 + log(M/log(T/delta)))",
}


def bound(label: str, **parameters: float) -> float:
    """The right-hand side of the statement ``label`` at ``parameters``."""
    return float(evaluate(parse(_TEXTS[label]), parameters, dps=30))
