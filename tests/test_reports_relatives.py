"""Relatives of the inputs behind public bug reports: other names, signs, numerals, powers and enclosures."""

from __future__ import annotations

import gc

import pytest
import sympy
from slow import more

from boundcheck.claims import as_claim, read_claims
from boundcheck.decide import decide
from boundcheck.kernel import clock
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import FormulaError, parse, parse_relations
from boundcheck.kernel.statement import Claim
from boundcheck.verdict import Status

# Names, functions and signs


@pytest.mark.parametrize(
    ("text", "column", "mend"),
    [
        ("x <= iNF", 6, "oo as an end"),
        ("OO > x", 1, "oo as an end"),
        ("PInf > x", 1, "oo as an end"),
        ("nAn == nAn", 1, "nothing for it"),
        ("undefined == undefined", 1, "nothing for it"),
        ("NULL == NULL", 1, "a relation"),
        ("pI > 3", 1, "write pi"),
        ("M_PI > 3", 1, "write pi"),
        ("M_E > 2", 1, "write E"),
        ("x < HUGE_VAL", 5, "the number itself"),
        ("EulerGamma < 1", 1, "pi and E are the constants"),
        ("sum(Inf, Inf, 1, 3) == 6", 5, "oo as an end"),
    ],
)
def test_names_of_constants_elsewhere_are_no_variables(text, column, mend):
    with pytest.raises(FormulaError, match=mend) as caught:
        as_claim(text)
    assert caught.value.column == column


@pytest.mark.parametrize("name", ["info", "nano", "pin", "E1", "nu", "infimum", "pi_1", "e1"])
def test_names_that_only_begin_like_constants_are_variables(name):
    assert as_claim(f"{name}**2 + {name} >= {name}").claim[0].free == {name}


@pytest.mark.parametrize(
    ("text", "mend"),
    [
        ("Sign(x) <= 1", "x/abs(x)"),
        ("signum(x) <= 1", "x/abs(x)"),
        ("arcsinh(x) < x", "mean asinh"),
        ("csc(x) > x", "1/sin(x)"),
        ("mod(x, 2) < 2", "x - y*floor(x/y)"),
        ("round(x) <= x + 1", "floor(x + 1/2)"),
        ("square(x) >= 0", "x**2"),
        ("LN(x) < x", "mean log"),
        ("zeta(2) > 1", "the functions are exp, log"),
        ("x(x + 1) > x", "a product is written with *"),
        ("x <> 1", "!= for unequal"),
        ("x =< 1", "write <="),
        ("x => 1", "write >="),
        ("x // 2 <= x", "floor(x/y)"),
        ("1,000 > 1", "without commas"),
        ("x ~= 1", "!= for unequal"),
        ("\\frac{1}{2} > 0", "not as in TeX"),
        ("$x$ > 0", "not as in TeX"),
        ("x\u2074 >= 0", "write **4"),
        ("x\u207b\u00b9 > 0", "write **-"),
        ("x\u2081 > 0", "as in x1"),
        ("\u00bd > 0", "write the fraction"),
        ("\uff11 > 0", "write 1"),
        ("\u0663 > 0", "write 3"),
        ("x \uff1c 1", "write <"),
        ("x \u2a7d 1", "write <="),
        ("x \u2266 1", "write <="),
        ("x \u2267 1", "write >="),
        ("x \u2022 x >= 0", "write \\* for"),
        ("x \u2010 1 < x", "write - for"),
        ("x \ufe63 1 < x", "write - for"),
        ("\u230ax\u230b <= x", "floor(x)"),
        ("\u2016x\u2016 >= 0", "abs(x)"),
        ("\u2200 x", "one relation in each string"),
        ("x \u27f9 y", "one relation in each string"),
        ("x \u00b1 1 > 0", "for each sign"),
        ("x\u200b > 0", "ZERO WIDTH SPACE cannot be seen"),
        ("\u202ex > 0", "cannot be seen"),
        ("\u2207f > 0", "NABLA is no sign of formulas"),
        ("\u0445 > 0", "the letters a to z"),
        ("x ; y", "write with"),
    ],
)
def test_functions_and_signs_of_elsewhere_get_a_hint(text, mend):
    with pytest.raises(FormulaError) as caught:
        as_claim(text)
    assert mend.replace("\\", "") in str(caught.value) and caught.value.column


def test_symbols_of_sympy_are_held_to_the_same_names():
    for name in ("INF", "nan", "sum", "integral", "Pi", "\u03b1", "oo"):
        with pytest.raises(FormulaError, match="cannot name a variable"):
            as_claim(sympy.Symbol(name, real=True) > 0)


def test_an_e_of_conditions_alone_is_noted(tmp_path):
    path, notes = tmp_path / "a.toml", []
    path.write_text(
        '[[claim]]\nname = "a"\nwhere = ["0 < x", "x <= e"]\nclaim = "log(x) <= 1"\n'
        '[[claim]]\nname = "b"\nwhere = ["e > 0"]\nclaim = "e + 1/e >= 2"\n'
    )
    read_claims(path, note=notes.append)
    assert len(notes) == 1 and "claim a: e is a variable here" in notes[0]


# Numerals at the caps: what is read is decided, printed, read back and verified


@pytest.mark.parametrize(
    ("text", "where", "status"),
    [
        ("1E400 > 1", [], Status.PROVED),
        ("1e00000000000400 > 1e-0000", [], Status.PROVED),
        ("2**-1000000 > 0", [], Status.PROVED),
        ("(10**1000)**1000 > 1", [], Status.PROVED),
        ("1e400*1e400 > 1e400", [], Status.PROVED),
        ("1e-400 < 0", [], Status.REFUTED),
        ("x*1e-400 > 0", ["x > 0"], Status.PROVED),
        ("1e400/7e399 > 1", [], Status.PROVED),
        ("5e-324/2 > 0", [], Status.PROVED),
        ("1e16 + 1 > 1e16", [], Status.PROVED),
        ("1e400 + 1 > 1e400", [], Status.PROVED),
        ("10**1000 + 1 > 10**1000", [], Status.PROVED),
        ("10**1000 + 1 <= 10**1000", [], Status.REFUTED),
        ("floor(1e400) == 1e400", [], Status.PROVED),
        ("x < 1e400", [], Status.REFUTED),
        ("x*1e-300 < 1", [], Status.REFUTED),
    ],
)
def test_numerals_at_the_caps(text, where, status):
    claim = as_claim(text, where)
    assert parse_relations(str(claim.claim[0])) == claim.claim
    verdict = decide(claim, 2.0)
    assert verdict.status is status
    assert status is not Status.PROVED or verify(verdict.certificate, claim).valid


@pytest.mark.parametrize("exponent", ["401", "-401", "1000000", "99999999999999999999"])
def test_an_exponent_beyond_the_cap_is_quoted_whole(exponent):
    with pytest.raises(FormulaError, match=f"exponent {exponent} of a numeral; at most 400"):
        as_claim(f"1e{exponent} > 0")


# Powers with whole exponents


@pytest.mark.parametrize(
    ("text", "where", "status"),
    [
        ("(-1)**(n**2) == (-1)**n", [], Status.PROVED),
        ("(-1)**(n**2) <= 1", [], Status.PROVED),
        ("(-2)**(n**2) > 0", [], Status.REFUTED),
        ("0**(n**2) <= 1", [], Status.PROVED),
        ("(-1)**(n*(n + 1)) == 1", [], Status.PROVED),
        ("(-1)**floor(x) <= 1", [], Status.PROVED),
        ("(-1/2)**n <= 1", ["n >= 0"], Status.PROVED),
        ("(-1/2)**n <= 1", [], Status.REFUTED),
        ("0**n == 0", ["n >= 0"], Status.REFUTED),  # 0**0 is 1
        ("x**(-n) >= 0", ["x != 0", "n >= 1"], Status.REFUTED),
        ("(-1)**(n/2) <= 1", [], Status.UNDECIDED),
        ("(-1)**(n**(-1)) <= 1", [], Status.UNDECIDED),
        ("(-1)**(n**m) <= 1", [], Status.UNDECIDED),  # m may be negative
    ],
)
def test_whole_exponents(text, where, status):
    read = as_claim(text, where)
    claim = Claim("a", read.claim, read.where, frozenset({"n", "m"} & (read.claim[0].free | {"n"})))
    verdict = decide(claim, 1.0)
    assert verdict.status is status
    assert status is not Status.PROVED or verify(verdict.certificate, claim).valid


def test_a_place_where_a_formula_is_undefined_is_written_plainly():
    claim = Claim("a", as_claim("1/n <= 1").claim, (), frozenset({"n"}))
    reason = decide(claim, 1.0).reason
    assert "undefined at n = 0 (" in reason


# One clock


@pytest.mark.parametrize(
    "text",
    [
        more("sum(log(k)/k**(11/10), k, 1, oo) <= 101"),
        more("sum(sum(1/(j**2*k**2), j, 1, oo), k, 1, oo) <= 3"),
        "integral(exp(-t)*abs(sin(100*t)), t, 0, oo) <= 2/3",
    ],
)
def test_a_claim_with_a_slow_enclosure_keeps_its_budget(text, uncollected):
    before = clock.seconds_used()
    decide(as_claim(text), 0.5)
    assert clock.seconds_used() - before < 1.5


@pytest.fixture
def uncollected():
    """No garbage collection meanwhile: one of a long test run's memory takes a second that is not the engine's."""
    gc.disable()
    yield
    gc.enable()


def test_what_a_spent_budget_left_out_is_not_remembered():
    """The same integral later, with time: its value."""
    e = parse("integral(exp(-t**2)*cos(3*t), t, 0, 2)")
    with clock.budget(-1.0):
        assert enclose(e, {}) is None
    low, high, *_ = enclose(e, {})
    assert 0 < low <= high < 1
