"""b(s) and b[s] of one sequence are two terms: where they are mixed, the messages say so."""

import pytest

from boundcheck.user_files import load

LEMMA = """[[statement]]
label = "lem:positive"
declares = {b = "integer -> real"}
hypotheses = {large = "b[s] > 1 for integer s where s >= 0"}
parameters = ["integer T >= 0"]
claims = ["b[T] > 0"]
proof = '''
b[T] > 0 by large
'''
"""
OWN = """[[statement]]
label = "lem:own"
declares = {b = "integer -> real"}
hypotheses = {large = "b(s) > 1 for integer s where s >= 0"}
claims = ["%s > 0"]
proof = '''
%s > 0 %s
'''
"""
TOLD = "b(...) and b[...] are two terms: write one of them throughout"


@pytest.fixture(autouse=True)
def _own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("BOUNDCHECK_CACHE", str(tmp_path / "cache"))


def remarks(tmp_path, text):
    path = tmp_path / "own.toml"
    path.write_text(text)
    return load(str(path)).remarks


@pytest.mark.parametrize("term", ["b(5)", "b[5]"])
def test_a_citation_whose_lemma_writes_a_sequence_otherwise_says_so(tmp_path, term):
    found = remarks(tmp_path, LEMMA + OWN % (term, term, "by lem:positive with T = 5"))
    (line,) = [r for r in found if "no reason found" in r]
    assert "its hypothesis large is missing" in line and TOLD in line


@pytest.mark.parametrize("hint", ["by large", ""])
def test_a_line_that_writes_a_sequence_otherwise_than_the_hypotheses_says_so(tmp_path, hint):
    found = remarks(tmp_path, OWN % ("b[5]", "b[5]", hint))
    (line,) = [r for r in found if "no reason found" in r]
    assert TOLD in line
    assert any(r.endswith(f"lem:own: {TOLD}") for r in found)


def test_one_way_throughout_is_not_spoken_of(tmp_path):
    assert remarks(tmp_path, LEMMA + OWN % ("b(5)", "b(5)", "by large")) == ()


def test_a_member_that_is_a_function_may_be_applied(tmp_path):
    """F[t] is the function t of a family, F(t, u) its value at u: these are one thing."""
    text = """[[statement]]
label = "lem:family"
declares = {F = "integer, vector -> real", G = "integer, vector -> vector"}
hypotheses = {slope = "gradient(F[t], G[t]) == 1 for integer t", low = "F(t, u) >= 1 for integer t, vector u"}
claims = ["F(2, u) > 0 for vector u"]
proof = '''
F(2, u) > 0 for vector u by low
'''
"""
    assert not [r for r in remarks(tmp_path, text) if "two terms" in r]
