"""The catalogue: every statement of the paper as data, one module per part."""

from __future__ import annotations

from functools import cache

from boundcheck.kernel.statement import Statement


class UnknownLabel(KeyError):
    """No statement of the catalogue has this label; ``str`` says which come close."""

    def __init__(self, label: str, near: list[str]):
        hint = f"; did you mean {near[0]}?" if near else "; `list` shows all labels"
        super().__init__(f"unknown label {label}{hint}")

    def __str__(self) -> str:
        return str(self.args[0])


@cache
def catalogue() -> dict[str, Statement]:
    """All statements by label, in the order of the paper."""
    from boundcheck.paper import (
        assumptions,
        clipping,
        complexity,
        concentration,
        convergence,
        descent,
        deviation,
        directional,
        introduction,
        momentum_array,
        momentum_complexity,
        momentum_convergence,
        momentum_drift,
        momentum_estimator,
        momentum_fluctuation,
        momentum_freedman,
        momentum_initialization,
        momentum_lyapunov,
        momentum_remarks,
        momentum_sharp,
        momentum_start,
        noise,
        sharp_bias,
        sharp_clipping,
        sharp_constant,
        sharp_convergence,
        sharp_deviation,
        sharp_momentum,
        sharp_slope,
        smoothness,
        two_point,
    )

    modules = (
        assumptions,
        noise,
        smoothness,
        clipping,
        directional,
        two_point,
        concentration,
        deviation,
        descent,
        convergence,
        complexity,
        momentum_estimator,
        momentum_freedman,
        momentum_array,
        momentum_fluctuation,
        momentum_drift,
        momentum_lyapunov,
        momentum_start,
        momentum_initialization,
        momentum_convergence,
        momentum_complexity,
        momentum_remarks,
        momentum_sharp,
        sharp_slope,
        sharp_clipping,
        sharp_bias,
        sharp_deviation,
        sharp_constant,
        sharp_convergence,
        sharp_momentum,
        introduction,
    )
    found: dict[str, Statement] = {}
    for module in modules:
        for statement in module.STATEMENTS:
            if statement.label in found:
                raise ValueError(f"label {statement.label} stands twice in the catalogue")
            found[statement.label] = statement
    return found


def lookup(label: str) -> Statement:
    """The statement called ``label``; raises :class:`UnknownLabel` with the nearest labels."""
    import difflib

    statements = catalogue()
    if label not in statements:
        raise UnknownLabel(label, difflib.get_close_matches(label, statements, 1))
    return statements[label]
