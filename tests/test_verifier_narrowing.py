"""The box that hypotheses imply, as text: every direction of narrowing through every operation, open ends included."""

from __future__ import annotations

import itertools
from fractions import Fraction

import pytest
from enclosures import box as place
from flint import ctx

from boundcheck.kernel.check.leaves import natural
from boundcheck.kernel.check.sequent import Box, propagate
from boundcheck.kernel.enclosure import intervals as iv
from boundcheck.kernel.formula import parse_relation

#: (hypotheses, names of whole numbers, box)
BOXES: list[tuple[str, str, str]] = [
    ("x + y <= 3; x >= 1; y >= 0", "", "x [1, 3]; y [0, 2]"),
    ("x - y >= 2; y >= 1; x < 5", "", "x [3, 5); y [1, 3)"),
    ("x + y == 4; x >= 1; x <= 2", "", "x [1, 2]; y [2, 3]"),
    ("x - y > 0; x <= 1; y >= -2", "", "x (-2, 1]; y [-2, 1)"),
    ("x*y <= 6; x >= 2; y >= 1", "", "x [2, 6]; y [1, 3]"),
    ("x*y >= 6; x <= 2; x > 0; y <= 10", "", "x [0.6, 2]; y [3, 10]"),
    ("x*y == 6; x >= 2; x <= 3", "", "x [2, 3]; y [2, 3]"), ("x*x <= 4", "", "x [-2, 2]"),
    ("x*x < 9; x >= 0", "", "x [0, 3)"), ("x*x <= 0", "", "x [0, 0]"), ("x*x < 0", "", "empty"),
    ("x*x == 2", "", "x [-1.41421, 1.41421]"), ("x*x >= 4; x >= 0", "", "x [0, oo)"),
    ("x/y <= 2; x >= 1; y > 0; y <= 8", "", "x [1, 16]; y [0.5, 8]"),
    ("x/y >= 2; x <= 8; y >= 1", "", "x [2, 8]; y [1, 4]"), ("x/y == 4; x >= 8; x <= 16", "", "x [8, 16]; y [2, 4]"),
    ("-x >= 2", "", "x (-oo, -2]"), ("-x < 2; x <= 0", "", "x (-2, 0]"), ("exp(x) <= 1", "", "x (-oo, 0]"),
    ("exp(x) >= 1; x <= 5", "", "x [0, 5]"), ("exp(x) > 1; exp(x) < 1", "", "empty"), ("exp(x) <= 0", "", "empty"),
    ("exp(x) < 0", "", "empty"), ("exp(x) >= 0", "", "x (-oo, oo)"), ("exp(x) == 1", "", "x [0, 0]"),
    ("log(x) >= 0; x <= 9", "", "x [1, 9]"), ("log(x) < 1", "", "x (0, 2.71828)"), ("log(x) == 0", "", "x [1, 1]"),
    ("sqrt(x) <= 3", "", "x [0, 9]"), ("sqrt(x) >= 2; x <= 9", "", "x [4, 9]"), ("sqrt(x) > 0", "", "x (0, oo)"),
    ("sqrt(x) < 0", "", "empty"), ("sqrt(x) <= 0", "", "x [0, 0]"), ("sqrt(x) >= -1", "", "x [0, oo)"),
    ("sqrt(x) > -1", "", "x [0, oo)"), ("abs(x) <= 3", "", "x [-3, 3]"), ("abs(x) < 0", "", "empty"),
    ("abs(x) <= 0", "", "x [0, 0]"), ("abs(x) > 1; x <= 5", "", "x (-oo, 5]"),
    ("max(x, y) <= 3", "", "x (-oo, 3]; y (-oo, 3]"), ("max(x, y) < 3; x >= 0", "", "x [0, 3); y (-oo, 3)"),
    ("min(x, y) >= -1", "", "x [-1, oo); y [-1, oo)"), ("min(x, y) > -1; y < 4", "", "x (-1, oo); y (-1, 4)"),
    ("x**2 <= 9", "", "x [-3, 3]"), ("x**2 < 2", "", "x [-1.41421, 1.41421]"), ("x**2 < 0", "", "empty"),
    ("x**2 <= 0", "", "x [0, 0]"), ("x**3 <= 27; x >= 1", "", "x [1, 3]"), ("x**3 >= -8; x <= 0", "", "x [-2, 0]"),
    ("x**3 < 0", "", "x (-oo, oo)"), ("x**3 > 0", "", "x (-oo, oo)"), ("x**3 >= 0", "", "x (-oo, oo)"),
    ("x**3 <= 0", "", "x (-oo, oo)"), ("x**3 < 8; x**3 > -8", "", "x [-2, 2]"), ("x**4 < 16", "", "x (-2, 2)"),
    ("x**4 <= 3", "", "x [-1.31607, 1.31607]"), ("x**(-2) <= 4; x > 0", "", "x (0, oo)"),
    ("x**(1/2) <= 4", "", "x (-oo, oo)"), ("x**1001 <= 1; x >= -5", "", "x [-5, oo)"),
    ("x**1000 <= 1", "", "x [-1, 1]"), ("x**x <= 4; x >= 1; x <= 9", "", "x [1, 9]"),
    ("x >= 1; x <= 0", "", "empty"), ("x > 1; x <= 1", "", "empty"), ("x >= 1; x <= 1; x != 1", "", "empty"),
    ("x >= 1; x <= 2; x != 1", "", "x (1, 2]"), ("x >= 1; x <= 2; x != 2; 2 != x", "", "x [1, 2)"),
    ("x >= 1; x <= 2; x != 3", "", "x [1, 2]"), ("x >= 1; x <= 2; x != sqrt(2)", "", "x [1, 2]"),
    ("x >= 1; x <= 2; x + 1 != 2", "", "x [1, 2]"), ("y >= x; x >= 3; x != y", "", "x [3, oo); y [3, oo)"),
    ("x > 1/2; x < 7/2", "x", "x [1, 3] whole"), ("x >= 2; x <= 5/2", "x", "x [2, 2] whole"),
    ("x > 2; x < 3", "x", "empty"), ("x >= 2; x <= 2", "x", "x [2, 2] whole"), ("x > 2", "x", "x [3, oo) whole"),
    ("x < 2", "x", "x (-oo, 1] whole"), ("x > 1; x < 4; y > 1; y < 4", "x", "x [2, 3] whole; y (1, 4)"),
    ("x >= log(y); y >= 1; x <= 1", "", "x [0, 1]; y [1, 2.71828]"),
    ("x >= log(0 - y); y >= 1; x <= 1", "", "empty"), ("1/x >= 1; x > 0", "", "x (0, 1]"),
    ("1/x <= 1/2; x > 0; x <= 8", "", "x [2, 8]"), ("2*x + 3 <= 7; x > -1", "", "x (-1, 2]"),
    ("x - x >= 1", "", "x (-oo, oo)"), ("x/2 == 3", "", "x [6, 6]"),
    ("x <= integral(t, t, 0, 2); x >= 0", "", "x [0, 2]"), ("x >= sum(k, k, 1, 3); x <= 9", "", "x [6, 9]"),
    ("(x + 1)**2 <= 4; x >= 0", "", "x [0, 1]"), ("exp(-x**2) >= 1/2", "", "x [-0.832555, 0.832555]"),
    ("log(x + y) <= 0; y >= 1/2; x >= 1/4", "", "x [0.25, 0.5]; y [0.5, 0.75]"), ("3 >= x; x >= 2", "", "x [2, 3]"),
    ("2 < x; x < 2 + 1", "", "x (2, 3)"), ("x == y; y >= 1; y < 2", "", "x [1, 2); y [1, 2)"),
    ("abs(x - 1) <= y; y <= 2", "", "x [-1, 3]; y [0, 2]"), ("0 >= 1; x >= 0", "", "x [0, oo)"),
    ("x*y <= 4; x >= -1; y >= 2", "", "x [-1, 2]; y [2, oo)"),
    ("x*y >= 4; y >= 2; y <= 4; x <= 9", "", "x [1, 9]; y [2, 4]"), ("4 >= x*x; x >= -9", "", "x [-2, 2]"),
    ("sin(x) >= 2", "", "empty"), ("sin(x) <= 1; x >= 0; x <= 1", "", "x [0, 1]"),
    ("x*(y + 1) <= 4; y >= 0; y <= 1; x >= 0", "", "x [0, 4]; y [0, 1]"),
]  # fmt: skip
GRID = [Fraction(k, 4) for k in range(-36, 44)]


def _end(x: object) -> str:
    return "oo" if x == iv.INF else "-oo" if x == iv.NINF else f"{float(x):.6g}"  # type: ignore[arg-type]


def _text(found: Box | None) -> str:
    if found is None:
        return "empty"
    sides = []
    for v, a in sorted(found.items()):
        whole = " whole" if isinstance(a, iv.Whole) else ""
        sides.append(f"{v} {'[('[a[2]]}{_end(a[0])}, {_end(a[1])}{'])'[a[3]]}{whole}")
    return "; ".join(sides)


@pytest.mark.parametrize(("where", "integers", "wanted"), BOXES, ids=[f"{w} {i}".strip() for w, i, _ in BOXES])
def test_hypotheses_imply_this_box(where, integers, wanted):
    with ctx.workprec(96):
        hyps = tuple(map(parse_relation, where.split("; ")))
        names = sorted(frozenset().union(*(h.free for h in hyps)))
        found = propagate(hyps, dict.fromkeys(names, iv.ENTIRE), frozenset(integers.split()))
        assert _text(found) == wanted
        for values in itertools.product(GRID[:: 4 if len(names) > 1 else 1], repeat=len(names)):
            here = place(**dict(zip(names, values, strict=True)))
            whole = all(values[names.index(n)].denominator == 1 for n in integers.split())
            if whole and all(natural(h, here) for h in hyps):
                assert found is not None
                for v, a in here.items():
                    low, high = found[v][:2]
                    assert low < a[0] or (low == a[0] and not found[v][2])
                    assert a[1] < high or (a[1] == high and not found[v][3])
