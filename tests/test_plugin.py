"""The pytest plugin: an item for each question, failures that can be read, no effect on other runs."""

from __future__ import annotations

import subprocess
import sys
from importlib import metadata

import pytest
from slow import more

from boundcheck.app.commands import new

pytest_plugins = ("pytester",)

CLAIMS = """
[[claim]]
name = "tangent"
where = ["x > 0"]
claim = "log(x) <= x-1"

[[claim]]
name = "wrong"
where = ["x > 0"]
claim = "log(x) <= 0.36*x"
"""
UNDECIDED = """
[[claim]]
name = "undefined"
claim = "x/x == 1"
"""


@pytest.fixture
def here(pytester):
    pytester.makefile(".toml", claims=CLAIMS, undecided=UNDECIDED)
    new.write("my_lemma", pytester.path)
    return pytester


def test_it_is_registered():
    (entry,) = [e for e in metadata.entry_points(group="pytest11") if e.name == "boundcheck"]
    assert entry.value == "boundcheck.pytest_plugin"


def test_each_question_is_an_item_of_its_own(here):
    result = here.runpytest_inprocess("--boundcheck", "my_lemma.py", "-v")
    result.assert_outcomes(passed=9)
    steps = [f"*my_lemma.py::lem:my_lemma-chebyshev::step-{n} PASSED*" for n in range(1, 6)]
    rest = ["claim", "planted-1", "check-two-point", "check-planted"]
    result.stdout.fnmatch_lines([*steps, *(f"*::lem:my_lemma-chebyshev::{name} PASSED*" for name in rest)])


def test_a_refuted_claim_fails_with_its_witness_and_both_sides(here):
    result = here.runpytest_inprocess("--boundcheck", "claims.toml")
    result.assert_outcomes(passed=1, failed=1)
    result.stdout.fnmatch_lines(
        [
            "claim      log(x) <= 9/25[*]x where x > 0",
            "verdict    REFUTED by *",
            "witness    x = 3",
            "left       1.098612289 *",
            "right      1.08 *",
        ]
    )
    assert "Traceback" not in result.stdout.str() and "NotHeld" not in result.stdout.str()


RATE = """
[[rate]]
name = "proximal point"
functions = { f = "convex" }
points = ["x0"]
method = ["xs = 0", "f'(xs) = 0", "x1 = x0 - a*f'(x1)"]
where = ["a > 0"]
claim = "f(x1) - f(xs) <= 1/(4*a)*norm(x0 - xs)**2"
"""


def test_a_rate_is_an_item_with_or_without_claims_beside_it(here):
    """It was passed over: a file with a false rate passed."""
    false = RATE.replace("proximal point", "false").replace("1/(4*a)", "0.99/(4*a)")
    here.makefile(".toml", rates=RATE, mixed=CLAIMS.partition('[[claim]]\nname = "wrong')[0] + RATE + false)
    here.runpytest_inprocess("--boundcheck", "rates.toml").assert_outcomes(passed=1)
    result = here.runpytest_inprocess("--boundcheck", "mixed.toml", "-v")
    result.assert_outcomes(passed=2, failed=1)
    result.stdout.fnmatch_lines(["*mixed.toml::tangent PASSED*", "*::proximal point PASSED*", "*::false FAILED*"])
    result.stdout.fnmatch_lines(
        ["claim      f(x1) - f(xs) <= 0.99*", "verdict    REFUTED by gram", "witness    *a = *"]
    )


@pytest.mark.parametrize(("option", "outcome"), [("fail", "failed"), more("xfail", "xfailed")])
def test_undecided_never_passes(here, option, outcome):
    result = here.runpytest_inprocess("--boundcheck", "undecided.toml", f"--boundcheck-undecided={option}")
    result.assert_outcomes(**{outcome: 1})


@pytest.mark.parametrize("seconds", ["nan", "inf", "0", "-1", "ten"])
def test_a_time_that_is_none_is_refused(here, seconds):
    """With nan no budget was ever spent: what is undecided was searched without end."""
    result = here.runpytest_inprocess("--boundcheck", "undecided.toml", f"--boundcheck-seconds={seconds}")
    assert result.ret == pytest.ExitCode.USAGE_ERROR
    result.stderr.fnmatch_lines([f"*'{seconds}' is not a positive number of seconds*"])


def test_a_check_that_says_too_little_tells_what_is_missing(here):
    text = (here.path / "my_lemma.py").read_text().replace("LEVEL, MASS / LEVEL**2", "1e9, 0.0")
    (here.path / "zero.py").write_text(text)
    result = here.runpytest_inprocess("--boundcheck", "zero.py", "-k", "check-two-point")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["verdict    UNDERPOWERED *", "missing    a claim of 0 is not positive*"])


def test_a_refuted_claim_fails_also_where_undecided_may(here):
    here.runpytest_inprocess("--boundcheck", "claims.toml", "--boundcheck-undecided=xfail").assert_outcomes(
        passed=1, failed=1
    )


def test_a_wrong_step_and_a_useless_planted_falsehood_fail(here):
    text = (here.path / "my_lemma.py").read_text()
    wrong = text.replace('Fact("abs(Z)**2 == Z**2"), Decide()', 'Fact("abs(Z)**2 == 2*Z**2"), Decide()')
    (here.path / "wrong.py").write_text(wrong)
    result = here.runpytest_inprocess("--boundcheck", "wrong.py", "-v")
    result.assert_outcomes(passed=6, failed=2, skipped=1)
    result.stdout.fnmatch_lines(["*step-2 FAILED*", "*claim FAILED*", "*planted-1 SKIPPED*"])
    (here.path / "weak.py").write_text(text.replace('"0.9*V/t**2"', '"1.1*V/t**2"'))
    result = here.runpytest_inprocess("--boundcheck", "weak.py", "-v")
    result.stdout.fnmatch_lines(["*planted-1 FAILED*", "*the statement can be made stronger*"])


def test_a_violated_check_fails(here):
    text = (here.path / "my_lemma.py").read_text().replace("LEVEL, MASS / LEVEL**2", "LEVEL, 0.8 * MASS")
    (here.path / "wrong.py").write_text(text)
    result = here.runpytest_inprocess("--boundcheck", "wrong.py", "-k", "check-two-point")
    result.assert_outcomes(failed=1)
    result.stdout.fnmatch_lines(["verdict    REFUTED-STAT *", "claimed    0.08 *", "observed   0.0993*"])


def test_an_unusable_file_is_an_error_of_one_line_a_fault(here):
    here.makefile(".toml", broken='[[claim]]\nname = "a"\nclaim = "x <="\n')
    here.makepyfile(broken_lemma="STATEMENTS = (missing,)")
    result = here.runpytest_inprocess("--boundcheck", "broken.toml", "broken_lemma.py")
    assert result.ret == pytest.ExitCode.INTERRUPTED
    result.stdout.fnmatch_lines(["*broken.toml: claim a: claim column*"])
    result.stdout.fnmatch_lines(["*broken_lemma.py line 1: NameError*"])


def test_without_the_option_nothing_is_collected_or_imported(here):
    here.makepyfile(test_plain="import sys\ndef test_it():\n    assert 'boundcheck.user_files' not in sys.modules\n")
    code = "import sys, pytest; s = pytest.main(['-q', 'test_plain.py']); print('flint' in sys.modules); sys.exit(s)"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, cwd=here.path, timeout=60)
    assert done.returncode == 0 and done.stdout.splitlines()[-1] == "False"
    here.runpytest_inprocess("claims.toml").assert_outcomes()


def test_files_that_are_not_named_are_left_alone(here):
    here.makepyfile(test_plain="def test_it():\n    pass\n")
    here.runpytest_inprocess("--boundcheck", ".").assert_outcomes(passed=1)


OPEN = """
[[statement]]
label = "lem:open"
parameters = ["c > 0"]
random = ["X"]
hypotheses = {moment = "E(X**2) <= c"}
claims = ["E(X**2) <= c/2"]
proof = "E(X**2) <= c/2  by nothing"
"""


@pytest.mark.parametrize("filters", [[], ["-W", "error"]])
def test_a_line_without_reason_is_told_by_the_item_that_fails(pytester, filters):
    """Also where warnings are errors: the lines of a proof are no fault of the collection."""
    pytester.makefile(".toml", mine=OPEN)
    result = pytester.runpytest_inprocess("--boundcheck", "mine.toml", *filters)
    result.assert_outcomes(failed=2, passed=1)
    result.stdout.fnmatch_lines(["*mine.toml lem:open claim*", "text       line 7 column *: no reason found for *"])
