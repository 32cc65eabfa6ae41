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
    return time.thread_time()


@contextmanager
def budget(seconds: float) -> Iterator[None]:
    """Inside, :func:`exhausted` holds from ``seconds`` of work on, or sooner where a budget around this one ends."""
    outer: float = getattr(_HERE, "deadline", math.inf)
    _set(deadline(seconds))
    try:
        yield
    finally:
        _set(outer)


def deadline(seconds: float) -> float:
    """The time of :func:`seconds_used` at which ``seconds`` of work are done, or a budget around it ends."""
    outer: float = getattr(_HERE, "deadline", math.inf)
    return min(outer, seconds_used() + seconds)


def exhausted() -> bool:
    """Whether the budget of this thread is spent; never without one.

    A thread works no faster than the wall's clock goes. So with s seconds left the dearer clock of the processor is
    looked at again after s seconds on the wall.
    """
    if time.monotonic() < getattr(_HERE, "earliest", math.inf):
        return False
    left: float = _HERE.deadline - seconds_used()
    _HERE.earliest = time.monotonic() + left
    return left < 0


def _set(end: float) -> None:
    _HERE.deadline = end
    _HERE.earliest = math.inf if end == math.inf else -math.inf
