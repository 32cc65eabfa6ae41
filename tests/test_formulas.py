"""Formulas that plans and simulation share with the statements are those of the statements."""

from dataclasses import replace

import pytest

from boundcheck.author.headline import claimed
from boundcheck.kernel.formula import parse, parse_relation
from boundcheck.paper import catalogue, formulas, lookup

THEOREM, WARM = "thm:hp-shared-clipped", "lem:momentum-warm-start"


@pytest.mark.parametrize(
    ("label", "symbol", "formula"),
    [
        (THEOREM, "alpha", "1/(4*L)"),
        (THEOREM, "T", "max(3, ceil(32*L*Dbar/eps**2))"),
        (THEOREM, "Dbar", "Delta0 + L*mu**2/2"),  # f(x_0) - f_* is called Delta0
        (WARM, "lam0", "log(2/delta)"),
        ("app:sharp-convergence", "N", "sqrt(2*L*Gam)"),
    ],
)
def test_a_parameter_is_what_a_hypothesis_defines_it_to_be(label, symbol, formula):
    assert formulas.value(label, symbol) is parse(formula)


def test_bounds_hypotheses_and_domains_are_read_from_the_form_that_is_proved():
    printed = lookup("lem:momentum-freedman")
    assert formulas.form(printed.label).claims == printed.as_used.claims != printed.claims
    assert formulas.bound(WARM) is parse(lookup(WARM).as_used.bound)
    assert formulas.relation(THEOREM, "accuracy") == parse_relation("eta <= eps/4")
    assert parse_relation("alpha <= 1/(4*L)") in formulas.domain("thm:momentum-localized-convergence", "alpha")


def test_what_is_not_said_raises():
    with pytest.raises(KeyError, match="defines zeta"):
        formulas.value(THEOREM, "zeta")
    with pytest.raises(KeyError):
        formulas.relation(THEOREM, "no such hypothesis")
    with pytest.raises(KeyError, match="unknown label"):
        formulas.form("thm:nowhere")
    with pytest.raises(ValueError, match="no bound formula"):
        formulas.bound("Berst-thm")


def test_every_bound_is_claimed():
    """What eval, plans and simulation evaluate is a side of what is proved; the next larger constant is not."""
    bounded = [s for t in catalogue().values() for s in (t, t.as_used) if s is not None and s.bound]
    assert len(bounded) > 40 and all(map(claimed, bounded))
    assert not any(claimed(replace(s, bound=f"2*({s.bound})")) for s in bounded)
