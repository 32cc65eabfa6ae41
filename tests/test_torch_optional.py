"""What works without extras: every module that is not behind one, and the optimizer's units, records and warnings."""

from __future__ import annotations

import math
import subprocess
import sys
import warnings

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from slow import more

from proofs_numeric.tuning import ClipFractionWarning, Plateau, Settings, gaussian_from_sphere, sphere_from_gaussian
from proofs_numeric.tuning.watch import WINDOW, ClipWatch

WITHOUT = """
import sys
EXTRAS = ("torch", "safetensors", "tokenizers", "dask", "distributed", "pytest", "hypothesis", "selenium", "z3")
class Absent:
    def find_spec(self, name, path=None, target=None):
        if name.partition(".")[0] in EXTRAS:
            raise ModuleNotFoundError(f"No module named {name!r}", name=name)
sys.meta_path.insert(0, Absent())
"""


def python(code: str) -> str:
    return subprocess.run([sys.executable, "-c", code], check=True, timeout=120, capture_output=True, text=True).stdout


@pytest.mark.thorough
def test_everything_but_the_optimizer_works_without_torch():
    assert python(
        WITHOUT + "import proofs_numeric.tuning, proofs_numeric.scipy_method, proofs_numeric.__main__; print(1)"
    )


WALK = """
import importlib, pkgutil, boundcheck, proofs_numeric
for top in (boundcheck, proofs_numeric):
    for module in pkgutil.walk_packages(top.__path__, top.__name__ + "."):
        if module.name.endswith("__main__"):
            continue
        try:
            importlib.import_module(module.name)
        except ModuleNotFoundError as error:
            print(module.name, error, sep=": ")
"""
FINETUNE = ("analysis", "protocol", "task", "training")
TUNING = ("backend", "closure", "estimate", "models", "perturbation", "rsczo", "text")


@pytest.mark.thorough
def test_an_install_without_extras_imports_all_that_is_not_behind_one_and_the_rest_names_it():
    torch = [f"proofs_numeric.experiments.finetune_{name}" for name in FINETUNE]
    torch += [f"proofs_numeric.tuning.{name}" for name in TUNING]
    expected = dict.fromkeys(torch, 'this part needs PyTorch: pip install "boundcheck[torch]"')
    expected["boundcheck.pytest_plugin"] = 'the plugin needs pytest: pip install "boundcheck[test]"'
    assert dict(line.split(": ", 1) for line in python(WITHOUT + WALK).splitlines()) == expected


@pytest.mark.parametrize(
    "wish", ["from proofs_numeric.tuning import RSCZO", more("import proofs_numeric.tuning.rsczo")]
)
def test_the_optimizer_names_the_extra(wish):
    code = f"{WITHOUT}\ntry:\n    {wish}\nexcept ModuleNotFoundError as error:\n    print(error)"
    assert 'pip install "boundcheck[torch]"' in python(code)


def test_nothing_loads_torch_unasked():
    code = (
        "import sys, proofs_numeric.tuning, proofs_numeric.scipy_method, proofs_numeric.__main__, boundcheck.report\n"
    )
    assert python(code + "print('torch' in sys.modules)") == "False\n"


@given(st.integers(1, 10**9), st.floats(1e-6, 1e3), st.floats(1e-3, 1e3))
@settings(deadline=None)
def test_units_map_there_and_back(d, mu, tau):
    there = sphere_from_gaussian(d, mu, tau)
    assert there == pytest.approx((mu * math.sqrt(d), tau / math.sqrt(d)))
    assert gaussian_from_sphere(d, *there) == pytest.approx((mu, tau))


def make(**changes):
    values = {"mu": 1e-3, "M": 1, "tau": math.inf, "beta": 0.0, "M0": None, "tau0": None}
    return Settings(**{**values, "clip": "scalar", "parametrisation": "gaussian", **changes})


def test_the_radius_is_the_largest_norm_that_scalar_clipping_leaves():
    d = 400
    mu, tau = sphere_from_gaussian(d, 1e-3, 8.0)
    sphere = make(parametrisation="sphere", mu=mu, tau=tau)
    assert sphere.radius(d, tau) == pytest.approx(d * tau) == pytest.approx(make().radius(d, 8.0))
    assert sphere.factor(d) == d and make().factor(d) == 1


@pytest.mark.parametrize(
    "changes, word",
    [
        ({"mu": 0.0}, "mu"),
        ({"mu": math.inf}, "mu"),
        ({"M": 1.5}, "M must"),
        ({"tau": 0.0}, "tau"),
        ({"tau": math.nan}, "tau"),
        ({"beta": 1.0}, "beta"),
        ({"beta": 0.9}, "M0 and tau0"),
        ({"beta": 0.9, "M0": 0, "tau0": 1.0}, "M must"),
        ({"clip": "norm"}, "clip"),
        ({"parametrisation": "cube"}, "parametrisation"),
    ],
)
def test_settings_outside_their_domain_are_named(changes, word):
    with pytest.raises(ValueError, match=word):
        make(**changes)


def quotients(error):
    """Y at h = 1/2, 1, 2 with the error ``error(h)`` along two directions."""
    return tuple(tuple(slope + error(h) for h in (0.5, 1.0, 2.0)) for slope in (1.0, -2.0))


@pytest.mark.parametrize(
    "error, verdict",
    [
        (lambda h: 0.0, "plateau"),
        (lambda h: 0.01 * h**2, "plateau"),
        (lambda h: 0.3 * h**2, "curvature"),
        (lambda h: 0.5 / h, "unstable"),
        (lambda h: math.nan, "non-finite"),
    ],
)
def test_a_plateau_is_told_from_what_is_none(error, verdict):
    assert Plateau.read(1.0, quotients(error), 0.1).verdict == verdict


def test_quotients_that_vanish_are_flat_and_not_a_plateau():
    assert Plateau.read(1.0, ((0.0, 0.0, 0.0),), 0.1).verdict == "flat"
    assert Plateau.read(1.0, ((1.0, 0.0, 0.0),), 0.1).verdict == "unstable"


def told(fraction, steps):
    """How often a clip fraction over ``steps`` estimates is warned of, and what is said."""
    watch = ClipWatch()
    with warnings.catch_warnings(record=True) as caught:
        warnings.simplefilter("always")
        for number in range(steps):
            watch.add(1, int(number % 100 < 100 * fraction), 8.0)
    assert watch.fraction == pytest.approx(fraction, abs=0.01)
    assert all(w.category is ClipFractionWarning for w in caught)
    return [str(w.message) for w in caught]


def test_a_clip_fraction_of_zero_or_nearly_one_is_told_once():
    assert len(told(0.0, 5 * WINDOW)) == 1 and "none of the last" in told(0.0, WINDOW)[0]
    assert len(told(1.0, 5 * WINDOW)) == 1 and "tau = 8" in told(0.95, WINDOW)[0]
    assert not told(0.02, 5 * WINDOW) and not told(0.9, 5 * WINDOW) and not told(0.0, WINDOW - 1)
