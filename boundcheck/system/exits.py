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


def opening() -> None:
    """The first call of a front door that runs as a program, before its long imports.

    Until :func:`attempt`, and after it, nothing is begun that could be lost: SIGINT and SIGTERM end the process at
    once, with a line instead of the traceback of some import. What it was started to ignore stays ignored.
    """
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is usual:
            signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    _tell("interrupted")
    os._exit(128 + number)


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

    replaced = {}
    if threading.current_thread() is threading.main_thread():
        if signal.getsignal(signal.SIGINT) is _leave:
            replaced[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
        if signal.getsignal(signal.SIGTERM) in (_leave, signal.SIG_DFL):
            replaced[signal.SIGTERM] = signal.signal(signal.SIGTERM, terminate)
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
        for number, before in replaced.items():
            signal.signal(number, before)
    return TERMINATED if terminated else status


def _tell(line: str) -> None:
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr)


def _mute() -> None:
    """What is still unwritten goes nowhere, so that the interpreter does not try again when it ends."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
