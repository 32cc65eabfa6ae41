"""What the hypotheses of a file are for all of: each name once, with its sort, and none that was meant otherwise."""

from pathlib import Path

import pytest

from boundcheck.author import lint
from boundcheck.user_files import OwnFault, load


def _on_a_range(tmp_path, range_, parameter="c", claim="f(-5) <= c"):
    file = tmp_path / "own.toml"
    file.write_text(
        f'[[statement]]\nlabel = "lem:own"\nparameters = ["alpha", "{parameter}"]\ndeclares = {{f = "real -> real"}}\n'
        f'hypotheses = {{below = "f(t) <= c for {range_}"}}\nclaims = ["{claim}"]\nproof = "{claim}"\n'
    )
    return str(file)


def test_a_range_by_its_conditions_alone_is_for_all_of_one_name(tmp_path):
    """With alpha misspelt f(t) <= c was assumed of every t: f(-5) <= c was PROVED from t >= alfa, with alpha >= 0."""
    with pytest.raises(
        OwnFault, match="alfa, t are new: declare what stands for one thing, or write: for alfa, t where"
    ):
        load(_on_a_range(tmp_path, "t >= alfa"), search=False)
    for range_ in ("t >= alpha", "t, s where t >= s", "s, t where s <= t"):
        load(_on_a_range(tmp_path, range_), search=False)


def test_no_hypothesis_is_for_all_of_a_parameter_with_a_domain(tmp_path):
    """f(-1) <= c was PROVED from "f(n) <= c for integer n" beside the parameter n >= 1."""
    for parameter, told in (("n >= 1", True), ("n", False)):
        path = Path(_on_a_range(tmp_path, "integer n", parameter, "f(0) <= f(0)"))
        path.write_text(path.read_text().replace("f(t) <= c", "f(n) <= 1"))
        if told:
            with pytest.raises(OwnFault, match="hypothesis below is for all n, also outside of the domain"):
                load(str(path), search=False)
        else:
            load(str(path), search=False)


@pytest.mark.parametrize("range_", ["integer t, t where t >= 0", "t, t", "integer t, real t"])
def test_a_range_has_each_name_once(tmp_path, range_):
    """f(1/2) <= c was PROVED from what is said of every integer t."""
    with pytest.raises(OwnFault, match="twice; two things, two names"):
        load(_on_a_range(tmp_path, range_), search=False)


@pytest.mark.parametrize(("range_", "told"), [("integer s, t where t >= s", True), ("integer s, integer t", False),
                                              ("integer s, real t", False), ("t, integer s", False)])  # fmt: skip
def test_the_lint_tells_that_a_sort_is_of_one_name(tmp_path, range_, told):
    remarks = lint.remarks(load(_on_a_range(tmp_path, range_), search=False).statements["lem:own"])
    wanted = "for every real t; for whole ones write: for integer s, integer t; real t where all reals are meant"
    assert any(wanted in r for r in remarks) == told
