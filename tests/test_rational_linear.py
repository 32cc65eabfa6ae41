"""Linear equations over the rationals: what is found solves them, and nothing is missed."""

from flint import fmpq, fmpq_mat
from hypothesis import given
from hypothesis import strategies as st

from boundcheck.arith.rational_linear import null_space, solution

ROWS = st.integers(1, 4).flatmap(lambda n: st.lists(st.lists(st.integers(-2, 2), min_size=n, max_size=n), max_size=4))


def times(row, x):
    return sum((a * b for a, b in zip(row, x, strict=True)), fmpq(0))


@given(ROWS, st.integers(1, 4))
def test_the_null_space_has_all_directions(rows, n):
    n = len(rows[0]) if rows else n
    rows = [list(map(fmpq, row)) for row in rows]
    found = null_space(rows, n)
    assert all(times(row, x) == 0 for row in rows for x in found)
    rank = fmpq_mat(rows).rank() if rows else 0
    assert len(found) == n - rank and (not found or fmpq_mat(found).rank() == len(found))


@given(ROWS.filter(bool), st.data())
def test_what_has_a_solution_is_solved_and_what_has_none_is_not(rows, data):
    n = len(rows[0])
    right = data.draw(st.lists(st.integers(-2, 2), min_size=len(rows), max_size=len(rows)))
    table = [[*map(fmpq, row), fmpq(b)] for row, b in zip(rows, right, strict=True)]
    found = solution(table, n)
    assert (found is None) == (fmpq_mat(table).rank() > fmpq_mat([row[:n] for row in table]).rank())
    assert found is None or all(times(row[:n], found) == row[n] for row in table)
