"""Inputs behind public bug reports on other tools: each file of data/reports with the outcome that is right.

The statistics, the optimizers and the pages of reports have their own tests of theirs (test_calibration.py,
test_scipy_method.py, test_rsczo_finite.py, test_markdown.py).
"""

from __future__ import annotations

import json
from fractions import Fraction
from pathlib import Path

import pytest

from boundcheck.arith import in_balls
from boundcheck.claims import ClaimFileError, as_claim, read_claims
from boundcheck.decide import decide
from boundcheck.kernel import clock
from boundcheck.kernel.certificate import verify
from boundcheck.kernel.enclosure.balls import enclose
from boundcheck.kernel.formula import FormulaError, parse
from boundcheck.kernel.statement import Claim
from boundcheck.lemma import main
from boundcheck.plans.theorem_plan import Problem, short, usable
from boundcheck.verdict import Status

REPORTS = Path(__file__).parent / "data" / "reports"


def claims(name):
    return {c.name: c for c in read_claims(REPORTS / f"{name}.toml")}


# Names and numerals


def test_names_that_look_like_numbers_are_refused_with_the_mend(capsys):
    assert main(["check", str(REPORTS / "names.toml")]) == 2
    told = capsys.readouterr().err.splitlines()
    wanted = {"inf-name": "oo", "nan-name": "number", "e-name": "write E", "int-inf": "oo", "Pi-name": "write pi"}
    assert len(told) == 5
    for line, (name, word) in zip(told, wanted.items(), strict=True):
        assert f"claim {name}: claim column" in line and word in line


def test_an_e_with_a_condition_is_a_variable(tmp_path):
    path = tmp_path / "a.toml"
    path.write_text('[[claim]]\nname = "a"\nwhere = ["e > 0"]\nclaim = "e + 1/e >= 2"\n')
    assert read_claims(path)[0].claim[0].free == {"e"}
    path.write_text('[[claim]]\nname = "a"\nwhere = ["x > 0"]\nclaim = "x - e < x"\n')
    with pytest.raises(ClaimFileError, match=r"claim column 5: e is a variable here; write E"):
        read_claims(path)
    with pytest.raises(FormulaError, match="write E"):
        as_claim("exp(1) == e")
    assert as_claim("sum(e, e, 1, 3) == 6").claim[0].free == frozenset()


@pytest.mark.usefixtures("one_process")
def test_a_name_that_is_written_once_is_noted(tmp_path, capsys):
    path, notes = tmp_path / "a.toml", []
    path.write_text(
        '[[claim]]\nname = "a"\nwhere = ["x > 0"]\nclaim = "x**2 + lambada*x > 0"\n'
        '[[claim]]\nname = "b"\nclaim = "y**2 + y >= y"\n'
        '[[claim]]\nname = "c"\nclaim = "n >= 0"\nintegers = ["n"]\n'
        '[[claim]]\nname = "d"\nclaim = "sum(k, k, 1, 3) == 6"\n'
    )
    read_claims(path, note=notes.append)
    assert len(notes) == 1 and "claim a: lambada occurs once, in the claim alone" in notes[0]
    main(["check", str(path), "--seconds", "0.5"])
    assert f"note: {path}: claim a: lambada" in capsys.readouterr().err


def test_a_byte_order_mark_is_skipped():
    assert (REPORTS / "bom.toml").read_bytes()[:3] == b"\xef\xbb\xbf"
    assert decide(claims("bom")["bom"], 2.0).status is Status.PROVED


@pytest.mark.parametrize("name", ["big", "tiny", "e5", "bigint", "nearbig"])
def test_numerals_are_proved_and_verified(name):
    claim = claims("numerals")[name]
    verdict = decide(claim, 2.0)
    assert verdict.status is Status.PROVED
    assert verify(json.loads(json.dumps(verdict.certificate)), claim).valid


# Gamma between its poles


@pytest.mark.parametrize("name", ["gamma-half", "gamma-neg", "floor-below"])
def test_gamma_has_values_between_its_poles(name):
    claim = claims("integers_gamma")[name]
    verdict = decide(claim, 3.0)
    assert verdict.status is Status.PROVED and verify(verdict.certificate, claim).valid


@pytest.mark.parametrize(
    ("text", "where", "status"),
    [
        ("gamma(x) > 0", ["-2 < x", "x < -1"], Status.PROVED),
        ("gamma(-5/2) < 0", [], Status.PROVED),
        ("gamma(-3/2) < 0", [], Status.REFUTED),
        ("gamma(x) > 0", ["-1 < x", "x < 0"], Status.REFUTED),
        ("gamma(-2) < 1", [], Status.UNDECIDED),  # a pole
        ("gamma(x) > -10**9", ["-3/2 < x", "x < -1/2"], Status.REFUTED),  # beside the pole inside
        ("gamma(x)**2 >= 0", ["-3/2 < x", "x < -1/2"], Status.UNDECIDED),  # undefined there
    ],
)
def test_gamma_on_the_negative_axis(text, where, status):
    assert decide(Claim.read(text, where), 2.0).status is status


def test_what_has_a_value_is_not_called_undefined():
    """gamma(x) for x < 0 is settled by no tactic, and -1/2 is no point where it is undefined."""
    reason = decide(Claim.read("gamma(x)**2 > 0", ["x < 0"]), 1.0).reason
    assert "undefined at" not in reason or "x = -" not in reason


@pytest.mark.parametrize("end", ["-7/2", "-1/3", "-5/4", "-59/2"])
def test_enclosures_of_gamma_hold_its_value(end):
    lo, hi, _, _ = enclose(parse(f"gamma({end})"), {})
    value = in_balls.at_point(parse(f"gamma({end})"), {}, 1024)  # far narrower than the enclosure
    assert lo <= value and value <= hi and hi - lo < abs(value) * 1e-12


@pytest.mark.parametrize("end", ["-1", "-7", "0"])
def test_gamma_at_a_pole_has_no_enclosure(end):
    assert enclose(parse(f"gamma({end})"), {}) is None


# Radii that no double carries


def plan(capsys, *more):
    numbers = {"p": "2", "d": "10", "L": "1", "Delta0": "1", "sigma": "1", "eps": "1e-3", "delta": "0.1"}
    arguments = [word for name, number in numbers.items() if f"--{name}" not in more for word in (f"--{name}", number)]
    code = main(["plan", *arguments, *more])
    return code, capsys.readouterr()


def test_a_radius_below_the_doubles_of_x_is_said_to_be_unusable(capsys):
    code, said = plan(capsys, "--json")
    found = json.loads(said.out)
    assert code == 0 and found["mu"] < 1e-17 and found["mu_usable"] is False
    assert found["usable"]["mu"] == found["usable_from"] == pytest.approx(2**-48.5, rel=1e-2)
    assert found["usable"]["queries"] >= found["queries"]
    code, said = plan(capsys)
    assert "is unusable in floating point" in said.out and "The best usable one is --mu 2.52e-15" in said.out


def test_the_proposed_radius_is_usable_and_gives_the_plan_it_says(capsys):
    found = json.loads(plan(capsys, "--json")[1].out)
    again = json.loads(plan(capsys, "--mu", str(found["usable"]["mu"]), "--json")[1].out)
    assert again["mu_usable"] is True and again["queries"] == found["usable"]["queries"]
    code, said = plan(capsys, "--mu", str(found["usable"]["mu"]))
    assert code == 0 and "floating point" not in said.out


def test_a_radius_that_a_double_carries_is_not_spoken_of(capsys):
    code, said = plan(capsys, "--eps", "1", "--mu", "1/160")
    assert code == 0 and "floating point" not in said.out


def test_advice_that_underflows_is_spelt_out(capsys):
    code, said = plan(capsys, "--eps", "1e-400", "--mu", "1e-300")
    assert code == 2 and "choose mu below eps/(4 L) = 2.5e-401" in said.err and "= 0" not in said.err
    code, said = plan(capsys, "--L", "1e350", "--mu", "1")
    assert code == 2 and "L mu = 1e+350" in said.err and "eps/(4 L) = 2.5e-354" in said.err


@pytest.mark.parametrize(
    ("number", "wanted"),
    [
        ("1/160", "0.00625"),
        ("1e-400", "1e-400"),
        ("25e399", "2.5e+400"),
        ("2/3", "0.666667"),
        ("-1/8", "-0.125"),
        ("0", "0"),
    ],
)
def test_rational_numbers_are_told_however_small(number, wanted):
    assert short(Fraction(number)) == wanted


def test_the_usable_radius_moves_points_of_its_size():
    """x + mu u is rounded by a 16th of mu u at most; at a hundredth of mu many entries do not move."""
    import numpy as np

    problem = Problem(Fraction(2), 100, *map(Fraction, (1, 1, 1, 1)), Fraction(1, 10))
    rng, mu = np.random.default_rng(3), float(usable(problem))
    x, u = (v / np.linalg.norm(v) for v in rng.standard_normal((2, 100)))
    x *= np.sqrt(2)
    assert np.linalg.norm((x + mu * u) - x - mu * u) < mu / 16
    assert ((x + mu / 100 * u) == x).mean() > 0.3


# One clock


def test_a_slow_sum_answers_within_its_budget(capsys):
    assert main(["check", str(REPORTS / "budget.toml"), "--seconds", "0.5"]) == 3
    said = capsys.readouterr().out
    assert "UNDECIDED" in said and "no answer" not in said


@pytest.mark.parametrize(
    "text",
    [
        "sum(cos(k*pi/20)/k**2, k, 1, oo)",
        "sum(1/(k**2 + 1), k, 1, 19000)",
        "integral(sin(t)/(1 + t**3), t, 0, oo)",
        "integral(exp(-t**2)*cos(30*t), t, 0, 7)",
    ],
)
def test_enclosures_look_at_the_budget(text):
    """Without time nothing is decided; afterwards, and without a budget, everything is as before."""
    e = parse(text)
    with clock.budget(-1.0):
        assert in_balls.at_point(e, {}).is_nan()
        with clock.budget(100.0):  # one inside of it is no longer
            assert in_balls.at_point(e, {}).is_nan()
    assert not clock.exhausted()
    with clock.budget(600.0):
        assert not clock.exhausted() and abs(in_balls.at_point(parse("integral(t, t, 0, 1)"), {}) - 0.5) < 1e-15
