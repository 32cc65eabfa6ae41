"""How every front door ends where it cannot end by itself: interrupted, terminated, unheard, out of room."""

from __future__ import annotations

import contextlib
import os
import signal
import sys
import threading
from collections.abc import Callable
from types import FrameType

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
UNUSABLE = 2


def attempt(command: Callable[[], int], hint: str = "interrupted") -> int:
    """The exit status of ``command()``, and where it is cut short a line on stderr instead of a traceback.

    130 after SIGINT and 143 after SIGTERM (both reach the command as KeyboardInterrupt, so that it can end its
    processes, take away its half-written files and print what it knows); 2 where the output cannot be written; 0
    where its reader has seen enough and closed the pipe.
    """
    terminated = False

    def terminate(number: int, frame: FrameType | None) -> None:
        nonlocal terminated
        terminated = True
        raise KeyboardInterrupt

    main = threading.current_thread() is threading.main_thread()
    heeded = main and signal.getsignal(signal.SIGTERM) is signal.SIG_DFL
    if heeded:
        signal.signal(signal.SIGTERM, terminate)
    try:
        status = command()
        if sys.stdout is not None:
            sys.stdout.flush()
    except KeyboardInterrupt:
        _tell(hint)
        status = INTERRUPTED
    except BrokenPipeError:
        _mute()
        status = 0
    except OSError as fault:
        _mute()
        _tell(f"error: {fault.filename or 'the output'}: cannot be written or read ({fault.strerror or fault})")
        status = UNUSABLE
    finally:
        if heeded:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
    return TERMINATED if terminated else status


def _tell(line: str) -> None:
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr)


def _mute() -> None:
    """What is still unwritten goes nowhere, so that the interpreter does not try again when it ends."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
