"""The clock behind every budget of engines and verifier.

It counts the processor time of the calling thread, not the time on the wall: a machine that is busy with other work
takes longer, and decides the same.
"""

from __future__ import annotations

import time


def seconds_used() -> float:
    """Processor time of this thread in seconds, from an arbitrary start: differences count."""
    return time.thread_time()
