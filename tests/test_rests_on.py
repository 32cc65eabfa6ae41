"""What a verdict rests on: rules are imported when a certificate names them, and `verify` says what was imported."""

import json
import os
import subprocess
import sys
from importlib import import_module
from pathlib import Path

import pytest

from boundcheck.kernel.check import refine as rules
from boundcheck.kernel.check.sequent import Refused, Sequent
from boundcheck.kernel.formula import parse_relation

ROOT = Path(__file__).parent.parent
GOAL = Sequent((), parse_relation("x**2 >= 0"))


@pytest.fixture(scope="module")
def answer(tmp_path_factory):
    """What `verify --json` says in a process of its own, of certificates with these claims and nodes."""

    def ask(*certificates: tuple[str, list[dict[str, object]]]) -> tuple[int, dict[str, object]]:
        folder = tmp_path_factory.mktemp("certificates")
        for n, (claim, proofs) in enumerate(certificates):
            data = {"schema": 1, "claim": {"claim": [claim], "where": [], "integers": []}, "proofs": proofs}
            (folder / f"c{n}.json").write_text(json.dumps(data))
        files = sorted(map(str, folder.iterdir()))
        command = [sys.executable, "-m", "boundcheck.lemma", "verify", "--json", *files]
        done = subprocess.run(command, capture_output=True, text=True, timeout=120, env=os.environ, cwd=ROOT)
        return done.returncode, json.loads(done.stdout)

    return ask


EVAL = [{"rule": "eval"}]
LIMITS = {"check.expansion", "check.expansion_rule", "check.laurent", "check.series", "check.limits", "check.formal"}
AREAS = {"enclosure.integrals", "enclosure.complexes", "enclosure.quadrature", "enclosure.growth"}
FORMS = {"rate", "rate_cases", "check.gram_certificate", "check.quadratic", "check.ratios", "proof.forms"}


def test_a_certificate_rests_on_the_rules_that_it_names(answer):
    status, told = answer(("3**(1/2) < 1.7321", EVAL))
    base = told["rests_on"]
    assert status == 0 and [r["verdict"] for r in told["results"]] == ["valid"]
    assert {"certificate", "check.refine", "check.reductions", "enclosure.points"} <= set(base["modules"])
    assert LIMITS | AREAS | FORMS | {"check.binder_rules", "check.integers"} <= set(base["without"])
    kernel = ROOT / "boundcheck" / "kernel"
    counted = {m: len((kernel / f"{m.replace('.', '/')}.py").read_text().splitlines()) for m in base["modules"]}
    assert base["lines"] == sum(counted.values()) and not set(base["modules"]) & set(base["without"])


@pytest.mark.parametrize(
    ("claim", "proofs", "needed", "still_without"),
    [
        ("integral(t**2, t, 0, 1) < 1", EVAL, {"enclosure.integrals", "enclosure.quadrature"}, LIMITS | FORMS),
        ("atan(1/2) + atan(1/3) == pi/4", [{"rule": "identity"}], {"check.algebraic"}, LIMITS | AREAS | FORMS),
        ("x**2 >= 0", [{"rule": "expansion"}], LIMITS - {"check.limits"}, AREAS | FORMS),  # not valid, and yet asked
    ],
)
def test_what_a_certificate_asks_for_is_told(answer, claim, proofs, needed, still_without):
    base = answer((claim, proofs))[1]["rests_on"]
    assert needed <= set(base["modules"]) and still_without <= set(base["without"])


def test_the_answers_of_one_run_rest_on_what_any_of_them_needs(answer):
    status, told = answer(("3**(1/2) < 1.7321", EVAL), ("integral(t**2, t, 0, 1) < 1", EVAL), ("1 < 0", EVAL))
    assert status == 1 and [r["verdict"] for r in told["results"]] == ["valid", "valid", "NOT VALID"]
    assert {"enclosure.integrals"} <= set(told["rests_on"]["modules"])


def test_the_table_of_rules_is_that_of_the_modules():
    for module, names in rules.BY_NEED.items():
        assert import_module(module).RULES.keys() == set(names)
    every = [*rules.OWN, *(name for names in rules.BY_NEED.values() for name in names)]
    assert len(every) == len(set(every)) and set(rules.LONG) < set(every)


@pytest.mark.parametrize("name", ["", "os", "boundcheck.kernel.check.integers", "RULES", None, 1, ["ladder"], {}])
def test_a_rule_of_another_name_is_refused(name):
    with pytest.raises(Refused, match="an unknown rule"):
        rules.refine({"rule": name}, GOAL)
