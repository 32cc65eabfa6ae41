"""``eval`` where a bound holds norm(...), P(...) or another declared head: values for them, with their ranges."""

from __future__ import annotations

import json

import pytest
from slow import thinned

from boundcheck import lemma

OWN = '''"""A bound with terms under heads."""

from boundcheck.statement import Decide, Fact, Parameter, Statement, Step

STATEMENTS = (
    Statement(
        label="own:heads",
        title="Heads",
        kind="lemma",
        part="own",
        text="a bound",
        parameters=(Parameter("tau", "threshold", ("tau > 0",)),),
        claims=(Fact("0 <= tau*norm(g - h)**2 + P(abs(Z) >= tau)/2 + dot(g, h)"),),
        steps=(Step(Fact("0 <= 1"), Decide()),),
        declares={"g": "vector", "h": "vector", "Z": "random real"},
        bound="tau*norm(g - h)**2 + P(abs(Z) >= tau)/2 + dot(g, h)",
    ),
)
'''


@pytest.fixture
def own(tmp_path):
    path = tmp_path / "own.py"
    path.write_text(OWN)
    return str(path)


def test_heads_take_values_as_parameters_do(own, capsys):
    values = ["tau=2", "norm(g-h)=3", "P(abs(Z)>=tau)=1/4", "dot(g, h) = -1"]
    assert lemma.main(["eval", own, *values, "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bound"] == 2 * 9 + 0.125 - 1
    given = {"tau": 2, "norm(g - h)": 3, "P(abs(Z) >= tau)": 0.25, "dot(g, h)": -1}
    assert found["parameters"] == given


@pytest.mark.parametrize(
    ("values", "told"),
    [
        (["tau=2"], "norm(g - h) is missing (Euclidean norm): its domain is norm(g - h) >= 0; add norm(g - h)=VALUE"),
        (["tau=2", "norm(g - h)=-1", "P(abs(Z) >= tau)=0", "dot(g, h)=0"], "norm(g - h) = -1 (Euclidean norm): "),
        (["tau=2", "norm(g - h)=1", "P(abs(Z) >= tau)=2", "dot(g, h)=0"], "P(abs(Z) >= tau) <= 1 does not hold"),
        (["tau=2", "norm(h)=1"], "norm(h) = 1: no parameter of own:heads has this name; did you mean norm(g - h)?"),
    ],
)
def test_faults_name_the_term_and_its_range(values, told, own, capsys):
    assert lemma.main(["eval", own, *values]) == 2
    err = capsys.readouterr().err
    assert told in err and "Traceback" not in err


SCALAR = OWN.replace("tau*norm(g - h)**2 + P(abs(Z) >= tau)/2 + dot(g, h)", "{}")


@pytest.mark.parametrize(
    ("bound", "tau", "told"),
    [
        ("tau**2", "1e-200", "beyond the range of double precision"),  # 1e-400 is no bound of 0
        ("sin(tau)", "1e999", "cannot be told"),
        ("sqrt(tau)**2 - tau", "3", 0.0),
        ("sin(tau)", "2", 0.9092974268256817),
        ("tau - 1", "1", 0.0),
    ],
)
def test_a_bound_is_printed_only_where_a_double_tells_it(bound, tau, told, tmp_path, capsys):
    path = tmp_path / "own.py"
    path.write_text(SCALAR.replace("{}", bound))
    status = lemma.main(["eval", str(path), f"tau={tau}", "--json"])
    out, err = capsys.readouterr()
    assert (status == 2 and told in err) if isinstance(told, str) else json.loads(out)["bound"] == told


def test_values_beyond_the_doubles_are_told_as_they_are(tmp_path, capsys):
    path = tmp_path / "own.py"
    path.write_text(SCALAR.replace("{}", "tau/(tau + 1)"))
    assert lemma.main(["eval", str(path), "tau=1e999/7", "--json"]) == 0
    found = json.loads(capsys.readouterr().out)
    assert found["bound"] == 1 and found["parameters"] == {"tau": f"{10**999}/7"}
    assert lemma.main(["eval", "lem:hp-shared-clipped-bias-abstract", "p=1.5", "S=1e999/7", "tau=1/7"]) == 2
    err = capsys.readouterr().err
    assert "tau >= 4*S does not hold" in err and "Traceback" not in err


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("prop:p2-infinite-variance L=2", "t is missing: its domain is t > 0; add t=VALUE"),
        ("prop:p2-infinite-variance t=-4", "t = -4: t > 0 does not hold"),
        ("lem:hp-shared-grad-subopt L=3", "gap is missing: its domain is all reals; add gap=VALUE"),
    ],
)
def test_a_name_of_the_bound_that_is_no_parameter_is_asked_for(words, told, capsys):
    assert lemma.main(["eval", *words.split(), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and err.startswith(f"error: {told}")


def test_a_name_of_the_bound_that_is_no_parameter_takes_a_value(capsys):
    assert lemma.main(["eval", "prop:p2-infinite-variance", "t=4", "--json"]) == 0
    assert json.loads(capsys.readouterr().out)["bound"] == 0.0625


@pytest.mark.parametrize(
    ("words", "told"),
    [
        ("lem:momentum-warm-start S=1.5 d=2 p=2 q0=3", "q0 = 3"),
        ("lem:momentum-onestep-bias S=1 d=1 p=1 q=1/3", "p = 1"),
        ("app:sharp-start M0=2 N0=1 Q0=9 d=4 h0=1 p=2 sigma=9 theta0=2 theta10=1 theta20=1", "theta0 = 2"),
    ],
)
def test_values_outside_of_the_domain_of_a_defined_parameter_are_told(words, told, capsys):
    """What defines the parameter is undefined there itself; that is no reason to end in a traceback."""
    assert lemma.main(["eval", *words.split(), "--json"]) == 2
    out, err = capsys.readouterr()
    assert out == "" and told in err and all(line.startswith("error: ") for line in err.splitlines())
    assert "which is undefined there" in err


CLAIMED = """
[[statement]]
label = "own:bound"
title = "t"
text = "t"
parameters = ["G > 0", "tau > 0", "U > 0"]
declares = {X = "random real"}
hypotheses = {size = "U == 2*G + tau", room = "G**2/2 <= tau"}
claims = ["CLAIM"]
bound = "BOUND"
proof = "CLAIM"
"""


@pytest.mark.parametrize(
    ("claim", "bound", "value"),
    thinned(
        [
            ("E(X) <= 2*G", "2*G", 6),
            ("E(X) <= 2*G", "G + G", 6),
            ("2*G <= E(X)", "2*G", 6),
            ("E(X) <= 2*(G + tau)", "2*gap", None),
            ("P(X > 2*G) <= 1", "2*G", 6),
            ("E(X) <= U", "2*G + tau", 16),
            ("E(X) <= tau", "G**2/2", 4.5),
            ("E(X) <= 2*G", "G", ""),
            ("E(X) <= 2*G", "2*tau", ""),
            ("P(X > 2*G) <= G**2/2", "G**2", ""),
            ("E(X) <= U", "2*G", ""),
            ("E(X) <= G", "G**2/2", ""),
        ],
        3,
    ),
)
def test_a_bound_is_what_is_claimed(claim, bound, value, tmp_path, capsys):
    path = tmp_path / "own.toml"
    path.write_text(CLAIMED.replace("CLAIM", claim).replace("BOUND", bound))
    given = ["gap=1"] if value is None else ["G=3", "tau=10"]
    status = lemma.main(["eval", str(path), *given, "--json"])
    out, err = capsys.readouterr()
    if value == "":
        assert status == 2 and f"the bound {bound} is no side of a claim" in err and out == ""
        lemma.main(["check", str(path)])
        assert f"the bound {bound} is no side of a claim" in capsys.readouterr().err
    else:
        assert status == 0 and json.loads(out)["bound"] == (2 if value is None else value), err
