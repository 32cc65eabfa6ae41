"""The classes' inequalities hold for random members, in exact rationals; each class refuses what lies just outside."""

from __future__ import annotations

import random
from fractions import Fraction as Q
from functools import cache
from itertools import permutations

import pytest

from boundcheck.kernel.formula import Expr, parse_relation
from boundcheck.kernel.rules.interpolation import CLASSES, Class

Vector = tuple[Q, ...]
ORIGIN = (Q(0), Q(0))


def dot(a: Vector, b: Vector) -> Q:
    return sum((x * y for x, y in zip(a, b, strict=True)), Q(0))


def value(e: Expr, names: dict):
    """A scalar (Fraction) or a vector (tuple) term at given values."""
    if e.op == "num":
        return Q(e.value)
    if e.op == "var":
        return names[e.value]
    args = [value(a, names) for a in e.args]
    if e.op == "norm":
        return ("norm", dot(args[0], args[0]))
    if e.op == "pow":
        return args[0][1] if isinstance(args[0], tuple) and args[0][0] == "norm" else args[0] ** int(args[1])
    if e.op == "dot":
        return dot(*args)
    if e.op == "neg":
        return tuple(-c for c in args[0]) if isinstance(args[0], tuple) else -args[0]
    a, b = args
    if isinstance(a, tuple):
        return tuple({"add": x + y, "sub": x - y}[e.op] for x, y in zip(a, b, strict=True))
    return a / b if e.op == "div" else {"add": a + b, "sub": a - b, "mul": a * b}[e.op]


read = cache(lambda text: parse_relation(text, proof=True))


def holds(text: str, names: dict) -> bool:
    r = read(text)
    a, b = value(r.lhs, names), value(r.rhs, names)
    return {"<=": a <= b, ">=": a >= b, "==": a == b}[r.op]


def accepts(known: Class, parameters: dict, data: list) -> bool:
    """Whether (point, gradient, value) triples meet every inequality of the class; the first is the optimum."""
    table = {**parameters, "xs": data[0][0], "fs": data[0][2]}
    pairs = all(
        holds(t, {**table, "x": a[0], "g": a[1], "u": a[2], "y": b[0], "h": b[1], "v": b[2]})
        for a, b in permutations(data, 2)
        for t in known.pairs
    )
    singles = [t.replace("value(xs)", "fs") for t in known.singles]
    return pairs and all(holds(t, {**table, "x": x, "g": g, "u": u}) for x, g, u in data for t in singles)


def rational(rng: random.Random) -> Q:
    return Q(rng.randint(-40, 40), rng.randint(1, 9))


def points(rng: random.Random, count: int = 5) -> list[Vector]:
    return [ORIGIN, *((rational(rng), rational(rng)) for _ in range(count))]


def quadratic(low: Q, high: Q, rng: random.Random):
    """x -> (gradient, value) of c x1^2/2 + d x2^2/2 in a turned frame; low <= c, d <= high, with the ends."""
    c, d = low + (high - low) * Q(rng.randint(0, 4), 4), high
    p = (Q(3, 5), Q(4, 5))
    q = (Q(-4, 5), Q(3, 5))

    def f(x: Vector):
        s, t = dot(p, x), dot(q, x)
        return tuple(c * s * a + d * t * b for a, b in zip(p, q, strict=True)), (c * s * s + d * t * t) / 2

    return f


def kinks(rng: random.Random, mu: Q = Q(0)):
    """mu |x|^2/2 plus a maximum of affine functions, with a slope that is attained as subgradient."""
    planes = [((rational(rng), rational(rng)), rational(rng)) for _ in range(4)]

    def f(x: Vector):
        slope, at = max(planes, key=lambda plane: dot(plane[0], x) + plane[1])
        return tuple(s + mu * c for s, c in zip(slope, x, strict=True)), dot(slope, x) + at + mu * dot(x, x) / 2

    f.largest = max(abs(a) + abs(b) for (a, b), _ in planes)  # type: ignore[attr-defined]
    return f


def tangent(high: Q, rng: random.Random):
    """max(0, L r |x1| - L r^2/2), which stays below L x^2/2 and has kinks away from its minimum."""
    r = abs(rational(rng)) + Q(1, 10)

    def f(x: Vector):
        v = high * r * abs(x[0]) - high * r * r / 2
        slope = high * r * (1 if x[0] > 0 else -1) if v > 0 else Q(0)
        return (slope, Q(0)), max(v, Q(0))

    return f


def matrix(a: Q, b: Q, c: Q, d: Q):
    return lambda x: ((a * x[0] + b * x[1], c * x[0] + d * x[1]), Q(0))


def box(x: Vector) -> Vector:
    return tuple(max(Q(-1), min(Q(1), c)) for c in x)


def normal_cone(rng: random.Random):
    """At the nearest point of the box |x_i| <= 1: a normal there, and the value 0."""
    return lambda x: (tuple(2 * (c - b) for c, b in zip(x, box(x), strict=True)), Q(0))


MU, L = Q(1, 3), Q(5, 2)
#: class -> (its parameters, a random member, a random function just outside)
MODELS = {
    "convex": ({}, lambda r: kinks(r), lambda r: quadratic(Q(-1, 50), Q(-1, 50), r)),
    "strongly_convex": ({"mu": MU}, lambda r: kinks(r, MU), lambda r: quadratic(MU * Q(99, 100), MU * Q(99, 100), r)),
    "smooth_convex": ({"L": L}, lambda r: quadratic(Q(0), L, r), lambda r: quadratic(L, L * Q(101, 100), r)),
    "smooth_strongly_convex": (
        {"mu": MU, "L": L},
        lambda r: quadratic(MU, L, r),
        lambda r: quadratic(MU * Q(99, 100), MU * Q(99, 100), r),
    ),
    "smooth": ({"L": L}, lambda r: quadratic(-L, L, r), lambda r: quadratic(-L * Q(101, 100), -L * Q(101, 100), r)),
    "quadratic_growth_convex": (
        {"L": L},
        lambda r: r.choice([tangent(L, r), quadratic(Q(0), L, r)]),
        lambda r: quadratic(L, L * Q(101, 100), r),
    ),
    "restricted_secant_error_bound": (
        {"mu": MU, "L": L},
        lambda r: matrix(MU, Q(-2), Q(2), MU),
        lambda r: matrix(MU * Q(99, 100), Q(-2), Q(2), MU * Q(99, 100)),
    ),
    "monotone": ({}, lambda r: matrix(Q(0), Q(-7), Q(7), Q(1, 9)), lambda r: matrix(Q(-1, 9), Q(-7), Q(7), Q(-1, 9))),
    "strongly_monotone": (
        {"mu": MU},
        lambda r: matrix(MU, Q(-7), Q(7), MU),
        lambda r: matrix(MU * Q(99, 100), Q(-7), Q(7), MU * Q(99, 100)),
    ),
    "cocoercive": (
        {"beta": 1 / L},
        lambda r: quadratic(Q(0), L, r),
        lambda r: quadratic(L * Q(101, 100), L * Q(101, 100), r),
    ),
    "lipschitz": (
        {"L": L},
        lambda r: matrix(L * Q(3, 5), L * Q(-4, 5), L * Q(4, 5), L * Q(3, 5)),
        lambda r: matrix(L * Q(3, 5), L * Q(-41, 50), L * Q(41, 50), L * Q(3, 5)),
    ),
    "nonexpansive": (
        {},
        lambda r: r.choice([matrix(Q(3, 5), Q(-4, 5), Q(4, 5), Q(3, 5)), lambda x: (box(x), Q(0))]),
        lambda r: matrix(Q(3, 5), Q(-41, 50), Q(41, 50), Q(3, 5)),
    ),
    "lipschitz_strongly_monotone": (
        {"mu": MU, "L": L},
        lambda r: matrix(MU, Q(-2), Q(2), MU),
        lambda r: matrix(MU * Q(99, 100), Q(-2), Q(2), MU * Q(99, 100)),
    ),
    "lipschitz_monotone": (
        {"L": L},
        lambda r: matrix(Q(0), -L, L, Q(0)),
        lambda r: matrix(Q(-1, 100), -L, L, Q(-1, 100)),
    ),
    "cocoercive_strongly_monotone": (
        {"mu": MU, "beta": 1 / L},
        lambda r: quadratic(MU, L, r),
        lambda r: quadratic(MU * Q(99, 100), MU * Q(99, 100), r),
    ),
}


@pytest.mark.parametrize("name", MODELS)
def test_members_meet_the_inequalities_and_what_lies_just_outside_does_not(name):
    parameters, member, outside = MODELS[name]
    rng = random.Random(name)
    refused = 0
    for _ in range(12):
        f, g = member(rng), outside(rng)
        at = points(rng)
        assert accepts(CLASSES[name], parameters, [(x, *f(x)) for x in at])
        refused += not accepts(CLASSES[name], parameters, [(x, *g(x)) for x in at])
    assert refused == 12


def test_lipschitz_functions_and_sets():
    rng = random.Random(5)
    for _ in range(12):
        f, at = kinks(rng), points(rng)
        data = [(x, *f(x)) for x in at]
        assert accepts(CLASSES["lipschitz_convex"], {"M": f.largest}, data)
        steepest = max(dot(g, g) for _, g, _ in data)
        assert not accepts(CLASSES["lipschitz_convex"], {"M": min(Q(1, 100), steepest / 2)}, data)
        cone = normal_cone(rng)
        inside = [(box(x), *cone(x)) for x in at]
        assert accepts(CLASSES["indicator"], {}, inside)
        assert accepts(CLASSES["bounded_indicator"], {"D": Q(3)}, inside)  # the box has diameter sqrt(8)
    corners = [((Q(-1), Q(-1)), ORIGIN, Q(0)), ((Q(1), Q(1)), ORIGIN, Q(0))]
    assert not accepts(CLASSES["bounded_indicator"], {"D": Q(28, 10)}, corners)
    assert not accepts(CLASSES["indicator"], {}, [(ORIGIN, (Q(1), Q(0)), Q(0)), ((Q(1), Q(0)), ORIGIN, Q(0))])


def test_every_class_has_a_model_a_source_and_conditions():
    assert set(MODELS) | {"lipschitz_convex", "indicator", "bounded_indicator"} == set(CLASSES)
    for known in CLASSES.values():
        assert known.source.startswith("[") and (known.pairs or known.singles)
        assert all(any(p in c for c in known.conditions) for p in known.parameters if p not in known.points)
