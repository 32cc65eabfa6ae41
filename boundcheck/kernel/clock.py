"""The clock behind every budget of engines and verifier.

It counts the processor time of the calling thread, not the time on the wall: a machine that is busy with other work
takes longer, and decides the same. What takes long in one piece, an enclosure of a sum or of an integral, asks
:func:`exhausted` on its way and gives up, which decides nothing.
"""

from __future__ import annotations

import math
import threading
import time
from collections.abc import Iterator
from contextlib import contextmanager

_HERE = threading.local()


def seconds_used() -> float:
    """Processor time of this thread in seconds, from an arbitrary start: differences count."""
    wall = time.monotonic()
    used = time.thread_time()
    _HERE.reading = used, wall
    return used


def passed(end: float) -> bool:
    """Whether :func:`seconds_used` is beyond ``end``.

    A thread works no faster than the clock on the wall goes. So from the last reading of the two on it is known how
    much was used at most, and the processor's clock, which costs a call of the system, is read where that may do.
    """
    used, wall = getattr(_HERE, "reading", (math.inf, 0.0))
    return used + (time.monotonic() - wall) > end and seconds_used() > end


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """Inside, :func:`exhausted` holds from ``seconds`` of work on, or sooner where a budget around this one ends."""
    outer: float = getattr(_HERE, "deadline", math.inf)
    _HERE.deadline = deadline(seconds)
    try:
        yield
    finally:
        _HERE.deadline = outer


def deadline(seconds: float) -> float:
    """The time of :func:`seconds_used` at which ``seconds`` of work are done, or a budget around it ends."""
    outer: float = getattr(_HERE, "deadline", math.inf)
    return min(outer, seconds_used() + seconds)


def exhausted() -> bool:
    """Whether the budget of this thread is spent; never without one."""
    end: float = getattr(_HERE, "deadline", math.inf)
    return end < math.inf and passed(end)
