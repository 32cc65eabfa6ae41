"""Series times exponentials, function by function: what they say holds the values, and none falls too fast."""

from __future__ import annotations

import itertools
from collections.abc import Callable
from fractions import Fraction

import pytest
from flint import arb, ctx, fmpq
from slow import thinned
from small_series import NARROW, SAMPLES, exact, expander, exponent, klass, sample, series, symbolic, told, trans

from boundcheck.kernel.check.laurent import NoExpansion, Series, Trans
from boundcheck.kernel.check.poly import AlgebraLimit
from boundcheck.kernel.check.series import MAX_CLASSES
from boundcheck.kernel.enclosure import intervals as iv

F = Fraction
HERE = (F(1), F(1, 3), F(1, 50), F(1, 10**5))
EXPONENTS = [
    {(-1, 0): -1},
    {(-2, 0): -1},
    {(0, 2): -1},
    {(0, 1): -3},
    {(0, 1): "-1/2"},
    {(0, "1/2"): -1},
    {(0, "1/2"): -9},
    {(-1, 0): -1, (0, 2): 1},
    {(-1, 0): -1, ("-1/2", 0): 3},
    {(-1, 0): -1, ("-1/2", 0): -3},
    {(-1, 1): -1},
    {("-1/2", 0): -1, (0, 1): 1},
    {(0, 2): -1, (0, 1): 5},
    {(0, 2): -1, (0, "3/2"): "1/2"},
    {(-1, 0): "-a"},
    {(0, 1): "-a"},
    {(0, 2): "-a"},
    {(-1, 2): -1, (-1, 1): 2},
    {(0, 3): -1},
    {(-1, 0): "-a/9", ("-1/2", 0): "a/2"},
    {(0, "1/2"): -2, (0, "1/3"): 1},
    {(-1, 1): "-1/9"},
    {(-1, 0): "-1/100"},
    {(-1, 2): -1},
    {(-1, 0): "-1/100", ("-1/2", 0): -3},
    {(-1, 0): "-1/100", (0, 2): -1},
]


@pytest.mark.parametrize("terms", EXPONENTS)
def test_bounds_of_an_exponential_that_falls(terms):
    decided = 0
    orders = (0, F(1, 2), 1, 2, 3, 5, F(34, 5), 10, 20)
    for width, order in itertools.product((F(9, 10), F(1, 3), NARROW, F(1, 500)), orders):
        x = expander(width=width)
        k = klass(x, terms)
        try:
            low, high, _, high_open = x.exp_bound(k, F(order))
        except NoExpansion:
            continue
        decided += 1
        assert low == 0 and not high_open
        for part, a in itertools.product((*HERE, F(2, 3)), (F(1), F(2))):
            h = exact(width * part)
            value = exponent(k, h, a).exp() / h ** exact(order)
            assert value.lower() <= high, (terms, width, order, part)
    assert decided


@pytest.mark.parametrize(
    "terms",
    [{(-1, 0): 1}, {(0, 1): 1}, {(-1, 0): "c"}, {(0, 2): 1}, {(-1, 0): 1, (0, 1): -5}, {(-1, 0): "a - 1"},
     {(0, 1): "c - 1"}, {(0, "1/2"): 1}, {(0, 1): -3, (0, "1/2"): 1}, {(-1, -1): -1}],
)  # fmt: skip
def test_no_bound_of_an_exponential_that_may_not_fall(terms):
    x = expander(width=NARROW)
    with pytest.raises(NoExpansion):
        x.exp_bound(klass(x, terms), F(0))


def gamma(v: arb) -> arb:
    return v.gamma() if v > 0 else arb.nan()


APPLIED: dict[str, tuple[Callable, Callable]] = {
    "inverse": (lambda x, t: x.inverse(t), lambda v: 1 / v),
    **{f"power {q}": (lambda x, t, q=q: x.power(t, q), lambda v, q=q: v ** exact(q))
       for q in map(F, ("-3", "-1", "-1/2", "0", "1/2", "1/3", "2", "3", "12", "13", "5/2"))},
    "log": (lambda x, t: x.log(t), lambda v: v.log() if v > 0 else arb.nan()),
    "exp": (lambda x, t: x.exp(t), lambda v: v.exp()),
    "sin": (lambda x, t: x.analytic("sin", t), lambda v: v.sin()),
    "cos": (lambda x, t: x.analytic("cos", t), lambda v: v.cos()),
    "atan": (lambda x, t: x.analytic("atan", t), lambda v: v.atan()),
    "erf": (lambda x, t: x.analytic("erf", t), lambda v: v.erf()),
    "asin": (lambda x, t: x.analytic("asin", t), lambda v: v.asin()),
    "gamma": (lambda x, t: x.analytic("gamma", t), gamma),
    "asinh": (lambda x, t: x.analytic("asinh", t), lambda v: v.asinh()),
    "half": (lambda x, t: x.t_scale(t, fmpq(1, 2)), lambda v: v / 2),
    "square": (lambda x, t: x.t_mul(t, t), lambda v: v * v),
    "double": (lambda x, t: x.t_add(t, t), lambda v: v + v),
    "all of it": (lambda x, t: {(): Series({}, F(0), {F(0): x.t_range(t)})}, lambda v: v),
}  # fmt: skip
WIDTHS = ((NARROW, 5), (F(1, 5), 2))


@pytest.mark.parametrize("at", thinned(range(len(SAMPLES)), 2))
@pytest.mark.parametrize(("width", "depth"), WIDTHS)
def test_a_function_of_a_series_holds_the_values(at, width, depth):
    with ctx.workprec(128):
        x = expander(depth, width)
        t = sample(x, at)
        places = [(exact(width * part), a) for part, a in itertools.product(HERE, (F(1), F(2)))]
        given = [(h, a, [told(t, h, a, end) for end in (0, 1)]) for h, a in places]
        for name, (run, true) in APPLIED.items():
            try:
                found = run(x, t)
            except (NoExpansion, AlgebraLimit):
                continue
            for h, a, points in given:
                low, high, *_ = told(found, h, a)
                for value in filter(arb.is_finite, map(true, points)):
                    assert not low > value and not high < value, (name, h, a)


@pytest.mark.parametrize("at", range(len(SAMPLES)))
def test_a_sign_is_that_of_all_values(at):
    with ctx.workprec(128):
        for width, depth in ((F(9, 10), 5), *WIDTHS):
            x = expander(depth, width)
            t = sample(x, at)
            try:
                sign = x.t_sign(t)
            except NoExpansion:
                continue
            for part, a, end in itertools.product(HERE, (F(1), F(2)), (0, 1)):
                value = told(t, exact(width * part), a, end)
                assert (value > 0) == (sign > 0) and (value < 0) == (sign < 0), (width, depth, part, a)


def test_the_smallest_of_many_exponentials_are_in_a_remainder():
    with ctx.workprec(128):
        for width, shift in itertools.product((F(1, 500), F(1, 100)), (0, 1)):
            x = expander(5, width)
            parts = {
                klass(x, {(-1, 0): -k}): symbolic(x, {(F(shift), 0): k, (1, 0): "a"})
                for k in range(1, MAX_CLASSES + 2)
            }
            parts[()] = symbolic(x, {(1, 0): 1})
            found: Trans = {}
            for k, s in sorted(parts.items(), key=lambda t: hash(str(t[0])) % 7):
                found = x.t_add(found, {k: s})
            assert len(found) <= MAX_CLASSES
            pruned = x._prune(parts)
            assert len(pruned) == MAX_CLASSES // 2 and set(pruned) == {
                (),
                *(klass(x, {(-1, 0): -k}) for k in range(1, 6)),
            }
            for part, a in itertools.product(HERE, (F(1), F(2))):
                h = exact(width * part)
                value = told(parts, h, a, 0)
                for t in (found, pruned):
                    low, high, *_ = told(t, h, a)
                    assert low <= value.upper() and value.lower() <= high


SMALL = [({(-1, 0): -1}, 0), ({(-1, 0): -1}, -2), ({(0, 1): "-a"}, 1), ({(0, 2): -1}, F(1, 2)), ({(-1, 0): -2}, 3),
         ({(0, "1/2"): -1}, 2)]  # fmt: skip


@pytest.mark.parametrize(("terms", "low"), SMALL)
def test_what_is_absorbed_is_in_the_remainder(terms, low):
    decided = 0
    with ctx.workprec(128):
        for width, order in itertools.product((NARROW, F(1, 5)), (0, F(1, 2), 1, 2)):
            x = expander(5, width)
            small = Series(
                {(F(low), F(0)): fmpq(2), (F(low) + 1, F(1)): fmpq(-1)}, F(low) + 2, {F(0): iv.point(arb(3))}
            )
            s = series({(0, 0): 1, (1, 0): 1})
            try:
                found = x.absorb(s, {klass(x, terms): small}, F(order))
            except NoExpansion:
                continue
            decided += 1
            assert found.order == order
            for part, a in itertools.product(HERE, (F(1), F(2))):
                h = exact(width * part)
                value = told({(): s, klass(x, terms): small}, h, a, 0)
                least, most, *_ = told({(): found}, h, a)
                assert least <= value.upper() and value.lower() <= most, (width, order, part)
    assert decided


def test_the_parts_of_a_series():
    x = expander(5, NARROW)
    up, down, slow = ({(-1, 0): 1}, {(-1, 0): -1}, {(0, 1): "c"})
    one = series({(0, 0): 1})
    big = trans(x, ({}, one), (down, one), (up, one))
    k, s, small = x.split(big)
    assert k == klass(x, up) and s.terms == one.terms and set(small) == {klass(x, down), klass(x, {(-1, 0): -2})}
    for order in itertools.permutations([({}, one), (down, one), (up, one)]):
        assert x.split(trans(x, *order))[0] == klass(x, up)
    with pytest.raises(NoExpansion, match="zero"):
        x.split({})
    with pytest.raises(NoExpansion, match="unknown sign"):
        x.split(trans(x, (slow, one), ({}, one)))
    assert [x._rate(klass(x, t)) for t in ({}, up, down, {(-1, 0): -1, (-2, 0): 1}, {(0, 2): -1, (0, 1): 9})] == [
        0,
        1,
        -1,
        1,
        -1,
    ]
    assert x._rate(klass(x, {(-1, 0): 1, (-1, 1): -1})) == -1 and x._rate(klass(x, {(0, 1): "a"})) == 1
    for text in ("c", "a - 1", "1 - a", "a - 2"):
        with pytest.raises(NoExpansion):
            x._rate(klass(x, {(-1, 0): text}))
    assert x.leading(series({(1, 0): 2, (2, 0): 3, (1, 1): 5})) == ((1, 1), 5)
    for bad in (series({}), series({(1, 0): 1}, 1, l0=(0, 1)), series({(1, 0): 1}, 0, l0=(0, 1))):
        with pytest.raises(NoExpansion):
            x.leading(bad)
    assert x.leading(series({(1, 0): 1}, 2, l0=(0, 1))) == ((1, 0), 1)


REFUSED = {
    "unit": [{(0, 0): "c"}, {(0, 1): 1, (0, 0): 1}, {(1, 1): 1, (1, 0): 2}, {(0, 0): "a - 1"}, {(0, 0): "1 - a"}],
    "log": [{(0, 0): -1}, {(0, 1): 1}, {(1, 0): "-a"}, {(1, -1): 1}, {(0, 0): "c"}],
    "root": [{(0, 0): -1}, {(1, 0): "-a"}, {(0, 0): "c"}],
    "parts": [{(-1, 0): 1}, {(0, 1): 1}, {(0, -1): 1}, {(-1, 1): 1, (0, 0): 1}, {(F(-1, 2), 0): "c"}],
}


@pytest.mark.parametrize("name", REFUSED)
def test_what_has_no_such_series(name):
    x = expander(5, NARROW)
    run = {"unit": x.unit, "log": x.log, "root": lambda t: x.power(t, F(1, 2)), "parts": x.parts}[name]
    for terms in REFUSED[name]:
        with pytest.raises(NoExpansion):
            run({(): symbolic(x, terms)})
    far = trans(x, ({(-1, 0): 1}, series({(0, 0): 1})), ({}, series({(0, 0): 1})))
    for order in (0, -1):
        with pytest.raises(NoExpansion):
            x.parts({(): series({}, order, l0=(0, 1))})
        with pytest.raises(NoExpansion):
            x.exp({(): series({}, order, l0=(0, 1))})
    for run in (x.parts, x.exp):
        with pytest.raises(NoExpansion):
            run(far)


def test_wide_ranges_have_no_remainder():
    x = expander(3, F(9, 10))
    for terms in ({(0, 0): 1, (1, 0): -2}, {(0, 0): 1, (1, 0): 2, (2, 0): -4}):
        for run in (x.inverse, x.log, lambda t: x.power(t, F(1, 2)), lambda t: x.power(t, F(-3))):
            with pytest.raises(NoExpansion, match="width"):
                run({(): series(terms)})


def test_constants_and_counts():
    x = expander(6, NARROW)
    assert x.constant(fmpq(0)) == {} and x.constant(fmpq(2))[()].terms == {(F(0), F(0)): 2}
    assert x.count({}) == 6 and x.count(trans(x, ({}, series({(1, 0): 1})))) == 6
    assert x.count(trans(x, ({}, series({(1, 0): 1})), ({(-1, 0): -1}, series({(0, 0): 1})))) == 4
    assert expander(3).count(trans(x, ({(-1, 0): -1}, series({(0, 0): 1})))) == 3
    assert x.exp({}) == x.power({}, F(0)) or x.exp({})[()].terms == {(F(0), F(0)): 1}
    assert x.t_sign({}) == 0
    difference = x.t_add(trans(x, ({}, series({(1, 0): 1}))), trans(x, ({}, series({(1, 0): -1}))))
    assert difference == {} and x.t_sign(difference) == 0
    for text in ("c + 1", "c - 1", "-1 - c", "1 - c", "c"):
        with pytest.raises(NoExpansion, match="width"):
            x.t_sign({(): symbolic(x, {(1, 0): text, (2, 0): "a - a"})})
    for s in (series({}, 2, l0=(0, 0)), series({(1, 0): 1}, 1, l0=(0, 0)), series({(1, 0): 1}, 0, l0=(0, 0))):
        with pytest.raises(NoExpansion, match="no leading term"):
            x.t_sign({(): s})
