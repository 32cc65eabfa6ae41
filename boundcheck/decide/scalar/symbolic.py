"""Antiderivatives and antidifferences from sympy: proposals, which the kernel differentiates or subtracts again."""

from __future__ import annotations

import gc
import operator
import signal
import sys
import threading
import warnings
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from fractions import Fraction
from functools import partial
from inspect import CO_GENERATOR
from math import comb, prod
from typing import Any

from boundcheck.kernel.check.reductions import replaced
from boundcheck.kernel.formula import BINDERS, Expr, FormulaError, substitute, var
from boundcheck.sympy_terms import expression_from_sympy

_NAMES = {"abs": "Abs", "min": "Min", "max": "Max", "ceil": "ceiling"}
_OPERATORS: dict[str, Callable[..., Any]] = {
    "add": operator.add, "sub": operator.sub, "mul": operator.mul, "div": operator.truediv, "neg": operator.neg,
    "pow": operator.pow,
}  # fmt: skip
_RAISED = (ValueError, TypeError, ArithmeticError, NotImplementedError, AttributeError, RecursionError, KeyError)
_DEAF = ("weakref", "_weakrefset", "contextlib", "signal", __name__)  #: modules in which an exception could be lost
TICK = 0.01  #: seconds of processor time between two looks at the clock


#: terms that a formula may have when it is multiplied out; sympy does that in one breath, with no look at a clock
TERMS = 20_000


class NotSymbolic(ValueError):
    """A formula that sympy is not asked about."""


def _unheard(frame: Any) -> bool:
    """Whether Python would drop what is raised there: in what the collector of garbage calls, or in ``__del__``."""
    callbacks = [getattr(callback, "__code__", None) for callback in gc.callbacks]
    while frame is not None and frame.f_code not in callbacks and frame.f_code.co_name != "__del__":
        frame = frame.f_back
    return frame is not None


@contextmanager
def watched(clock: Callable[[], None]) -> Iterator[None]:
    """sympy looks at no clock: a call of a function inside looks at ours, every :data:`TICK`; that may raise.

    A hook on all calls doubles the time of sympy. So a timer sets it, and it is gone after one look; where there is no
    timer, outside of the main thread, it stays and looks every 500 calls. Not in a generator, which may not end by it.
    """
    before, count = sys.getprofile(), 0
    timed = hasattr(signal, "setitimer") and threading.current_thread() is threading.main_thread()

    def look(frame: Any, event: str, _: Any) -> None:
        nonlocal count
        count += 1
        if event != "call" or not (timed or count >= 500) or frame.f_code.co_flags & CO_GENERATOR:
            return
        if frame.f_globals.get("__name__") not in _DEAF and not _unheard(frame):
            count = 0
            if timed:
                sys.setprofile(before)
            clock()

    if timed:
        handler = signal.signal(signal.SIGVTALRM, lambda *_: sys.setprofile(look)) or signal.SIG_DFL
        signal.setitimer(signal.ITIMER_VIRTUAL, TICK, TICK)
    else:
        sys.setprofile(look)
    try:
        yield
    finally:
        if timed:
            signal.setitimer(signal.ITIMER_VIRTUAL, 0)
            signal.signal(signal.SIGVTALRM, handler)
        sys.setprofile(before)


def to_sympy(e: Expr, symbols: dict[str, Any]) -> Any:
    """The formula as a sympy expression; ``symbols`` are used for the variables and filled up with positive ones."""
    import sympy

    if e.op == "num":
        q: Fraction = e.value
        return sympy.Rational(q.numerator, q.denominator)
    if e.op == "var":
        return symbols.setdefault(e.value, sympy.Symbol(e.value, positive=True))
    if e.op == "const":
        return {"pi": sympy.pi, "E": sympy.E, "oo": sympy.oo}[e.value]
    if e.op in BINDERS or e.op in ("floor", "ceil", "polygamma"):
        raise NotSymbolic(e.op)
    a = [to_sympy(x, symbols) for x in e.args]
    return _OPERATORS[e.op](*a) if e.op in _OPERATORS else getattr(sympy, _NAMES.get(e.op, e.op))(*a)


def _terms(e: Expr) -> int:
    """At most how many terms ``e`` has, up to ``TERMS + 1``, when names are moved by one and all is multiplied out."""
    if e.op in ("add", "sub"):
        found = sum(map(_terms, e.args))
    elif e.op in ("mul", "div", "neg"):
        found = prod(map(_terms, e.args))
    elif e.op == "pow" and e.args[1].op == "num":
        found, times = _terms(e.args[0]), int(abs(e.args[1].value))
        if found > 1:
            found = comb(times + found - 1, found - 1) if max(times, found) <= TERMS else TERMS + 1
    else:  # inside of a function it is multiplied out too
        found = 2 if e.op == "var" else max(map(_terms, e.args), default=1)
    return min(found, TERMS + 1)


def _asked(e: Expr, run: Callable[[], Any], clock: Callable[[], None]) -> Expr | None:
    """The formula of what sympy answers about ``e``, None where it is not asked or answers what no formula can say."""
    from sympy.polys.polyerrors import BasePolynomialError

    with warnings.catch_warnings():
        warnings.simplefilter("ignore")
        try:
            if _terms(e) > TERMS:
                raise NotSymbolic(e.op)
            with watched(clock):
                found = run()
            return None if found is None else expression_from_sympy(found)
        except (*_RAISED, BasePolynomialError, FormulaError, NotSymbolic):
            return None


def antiderivative(body: Expr, t: str, clock: Callable[[], None]) -> list[Expr]:
    """Formulas whose derivative in ``t`` may be ``body``."""
    import sympy
    from sympy.integrals import manualintegrate as rules
    from sympy.integrals.manualintegrate import manualintegrate

    def whole(form: Callable[[Any], Any]) -> Any:
        x = sympy.Symbol(t, real=True)
        # what a spent budget cut short stands there as known to have no antiderivative
        getattr(rules, "_integral_cache", {}).clear()
        found = manualintegrate(form(to_sympy(body, {t: x})), x)
        if isinstance(found, sympy.Piecewise) or found.has(sympy.Piecewise):
            found = found.replace(lambda e: isinstance(e, sympy.Piecewise), _generic)
        return None if found.has(sympy.Integral) else found

    forms: tuple[Callable[[Any], Any], ...] = (lambda e: e, sympy.expand, sympy.apart, sympy.together)
    for form in forms:
        found = _asked(body, partial(whole, form), clock)
        if found is not None:
            return [found]
    return []


def _generic(*branches: Any) -> Any:
    """The branch of a Piecewise whose condition is an inequality, such as p != -1."""
    return branches[0][0]


def antidifference(term: Expr, k: str, clock: Callable[[], None]) -> Expr | None:
    """A formula F with F(k + 1) - F(k) = term, by Gosper's algorithm, for rational terms by partial fractions.

    A sum that is raised to a power that moves, (1 - a)**k, is a name to sympy, which would write (-1)**k (a - 1)**k.
    """
    import sympy
    from sympy.concrete.gosper import gosper_term

    raised = (n.args[0] for n in term.walk() if n.op == "pow" and k in n.args[1].free and k not in n.args[0].free)
    bases = {f"base{i}_": base for i, base in enumerate(b for b in dict.fromkeys(raised) if b.op in ("add", "sub"))}
    for name, base in bases.items():
        term = replaced(term, base, var(name))

    def run() -> Any:
        x = sympy.Symbol(k, integer=True, positive=True)
        f = sympy.simplify(to_sympy(term, {k: x}))
        ratio = gosper_term(f, x)
        return None if ratio is None else sympy.factor(f * ratio)

    found = _asked(term, run, clock)
    return None if found is None else substitute(found, bases)
