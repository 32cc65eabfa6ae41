"""What is raised inside of an integrand comes out as it was raised; python-flint alone makes a SystemError of it."""

from __future__ import annotations

import _thread
import signal

import pytest
from flint import acb, arb
from slow import more

from boundcheck import laws
from boundcheck.arith import in_balls
from boundcheck.kernel.enclosure import complexes, integrals
from boundcheck.kernel.enclosure.quadrature import GivenUp, integrate
from boundcheck.kernel.formula import parse


def interrupted(after, when):
    """sin, with an interrupt at the call ``after``: raised inside of it, or pending when it ends."""
    calls = []

    def f(z, analytic):
        calls.append(z)
        value = z.sin()
        if len(calls) == after:
            when()
        return value

    return f


def raised(error):
    def now():
        raise error

    return now


@pytest.mark.parametrize("after", [1, more(2), 40, more(100)])
@pytest.mark.parametrize("when", [lambda: signal.raise_signal(signal.SIGINT), _thread.interrupt_main])
def test_an_interrupt_is_an_interrupt(after, when):
    with pytest.raises(KeyboardInterrupt):
        integrate(interrupted(after, when), 0, 1000)


@pytest.mark.parametrize(
    "error", [ValueError, MemoryError, more(RecursionError), more(TimeoutError), SystemExit, more(ZeroDivisionError)]
)
def test_an_exception_is_itself(error):
    fault = error("here")
    with pytest.raises(error) as told:
        integrate(interrupted(40, raised(fault)), 0, 1000)
    assert told.value is fault


@pytest.mark.parametrize("error", [GivenUp, ZeroDivisionError])
def test_nothing_is_evaluated_after_a_fault(error):
    calls = []

    def f(z, analytic):
        calls.append(z)
        if len(calls) == 40:
            raise error
        return z.sin()

    try:
        value = integrate(f, 0, 1000)
    except ZeroDivisionError:
        assert error is ZeroDivisionError
    else:
        assert error is GivenUp and not value.is_finite()
    assert len(calls) == 40


def test_an_integral_without_time_ends_soon_and_has_no_value(monkeypatch):
    calls, late = [], []
    value = complexes.value
    monkeypatch.setattr(complexes, "value", lambda *a: calls.append(1) or value(*a))
    monkeypatch.setattr(integrals, "exhausted", lambda: len(calls) >= 20 and (late.append(1) or True))
    assert not in_balls.at_point(parse("integral(sin(t)/(1 + t**2), t, 0, 20)"), {}).is_finite()
    assert len(calls) == 20 and len(late) == 1


def test_a_value_is_that_of_flint():
    assert str(integrate(lambda z, _: z.sin(), 0, 1)) == str(acb.integral(lambda z, _: z.sin(), acb(0), acb(1)))


@pytest.mark.parametrize(
    "work",
    [
        lambda: in_balls.at_point(parse("integral(sin(t)/(1 + t**2), t, 0, 20)"), {}),
        lambda: laws.aligned_tail(3, arb(1.5), arb(1), arb(1), True, arb(2)),
    ],
)
def test_no_integral_of_the_house_hides_an_interrupt(work, monkeypatch):
    calls = []

    def interrupting(original):
        def f(*arguments):
            calls.append(1)
            if len(calls) == 50:
                _thread.interrupt_main()
            return original(*arguments)

        return f

    monkeypatch.setattr(complexes, "value", interrupting(complexes.value))
    whole = laws.piecewise_integral
    inside = lambda piece, *rest: whole(lambda x: interrupting(piece(x)), *rest)  # noqa: E731
    monkeypatch.setattr(laws, "piecewise_integral", inside)
    with pytest.raises(KeyboardInterrupt):
        work()
    assert len(calls) >= 50
