"""Streams are a function of their address, and of nothing else."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from proofs_numeric.model.streams import SEED, stream, words


def test_the_hash_of_a_name_is_pinned():
    """A change of hash would silently change every published number."""
    assert words("lem:hp-shared-directional-tail") == (3760529732, 2451682353)


def test_an_address_gives_the_same_numbers_in_any_order():
    addresses = list(itertools.product(("a", "b"), ("x", "y"), (0, 1), (0, 7)))
    forward = {a: stream(*a, seed=5).standard_normal(4).tolist() for a in addresses}
    backward = {a: stream(*a, seed=5).standard_normal(4).tolist() for a in reversed(addresses)}
    assert forward == backward
    assert len({tuple(v) for v in forward.values()}) == len(addresses)


@settings(deadline=None, max_examples=50)
@given(st.text(max_size=8), st.text(max_size=8), st.integers(0, 2**32 - 1), st.integers(0, 2**62))
def test_neighbouring_addresses_differ(check, cell, chunk, seed):
    here = stream(check, cell, 0, chunk, seed).integers(0, 2**63, 2).tolist()
    for other in ((check, cell, 1, chunk), (check + "x", cell, 0, chunk), (check, cell + "x", 0, chunk)):
        assert stream(*other, seed).integers(0, 2**63, 2).tolist() != here


@pytest.mark.parametrize(("stage", "chunk"), [(-1, 0), (0, 2**32)])
def test_an_address_outside_its_words_is_refused(stage, chunk):
    with pytest.raises(ValueError, match="stage and chunk"):
        stream("a", "b", stage, chunk)


def test_an_address_without_stage_and_chunk_is_the_first():
    assert stream("check", "cell").random() == stream("check", "cell", 0, 0, SEED).random()
