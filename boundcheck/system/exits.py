"""How every front door ends where it cannot end by itself: interrupted, terminated, unheard, out of room."""

from __future__ import annotations

import _thread
import atexit
import contextlib
import os
import signal
import sys
import threading
import time
from collections.abc import Callable, Iterable
from functools import partial
from types import FrameType

INTERRUPTED = 128 + signal.SIGINT
TERMINATED = 128 + signal.SIGTERM
UNUSABLE = 2


class Unusable(ValueError):
    """What a user has to mend, in ``lines``: a front door tells each of them and ends with status 2."""

    def __init__(self, lines: str | Iterable[str]):
        self.lines = [lines] if isinstance(lines, str) else list(lines)
        super().__init__(self.lines)

    def __str__(self) -> str:
        return "\n".join(self.lines)


def opening() -> None:
    """The first call of a front door that runs as a program, before its long imports.

    Until :func:`attempt`, and after it, nothing is begun that could be lost: SIGINT and SIGTERM end the process at
    once, with a line instead of the traceback of some import. What it was started to ignore stays ignored.
    """
    atexit.register(_last)
    for number, usual in ((signal.SIGINT, signal.default_int_handler), (signal.SIGTERM, signal.SIG_DFL)):
        if signal.getsignal(number) is usual:
            signal.signal(number, _leave)


def _leave(number: int, frame: FrameType | None) -> None:
    try:
        _tell("interrupted")
    finally:  # also where stderr cannot be written now: the signal may have come while it was
        os._exit(128 + number)


_CUT: list[int] = []  #: the status of a command that was cut short


def _last() -> None:
    """End with the status of what was cut short; registered first, so that it is called last.

    An interrupt that passes through the ``exec`` of a text, as of a dataclass, would have Python itself end by a
    signal, whoever caught it afterwards.
    """
    if _CUT:
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stdout.flush()
        with contextlib.suppress(OSError, ValueError, AttributeError):
            sys.stderr.flush()
        os._exit(_CUT[-1])


def attempt(command: Callable[[], int], hint: str = "interrupted") -> int:
    """The exit status of ``command()``, and where it is cut short a line on stderr instead of a traceback.

    130 after SIGINT and 143 after SIGTERM (both reach the command as KeyboardInterrupt, so that it can end its
    processes, take away its half-written files and print what it knows); 2 for what is :class:`Unusable` and where
    the output cannot be written; 0 where its reader has seen enough and closed the pipe.
    """
    terminated = False

    def terminate(number: int, frame: FrameType | None) -> None:
        nonlocal terminated
        terminated = True
        raise KeyboardInterrupt

    replaced = {}
    unheard = sys.unraisablehook
    if threading.current_thread() is threading.main_thread():
        sys.unraisablehook = partial(_again, unheard)
        if signal.getsignal(signal.SIGINT) is _leave:
            replaced[signal.SIGINT] = signal.signal(signal.SIGINT, signal.default_int_handler)
        if signal.getsignal(signal.SIGTERM) in (_leave, signal.SIG_DFL):
            replaced[signal.SIGTERM] = signal.signal(signal.SIGTERM, terminate)
    try:
        try:
            status = command()
        except Unusable as fault:
            for line in fault.lines:
                _tell(f"error: {' '.join(line.split())}")
            status = UNUSABLE
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
        sys.unraisablehook = unheard
        for number, before in replaced.items():
            signal.signal(number, before)
    status = TERMINATED if terminated else status
    if status in (INTERRUPTED, TERMINATED):
        _CUT.append(status)
    return status


def _again(usual: Callable[[sys.UnraisableHookArgs], object], unheard: sys.UnraisableHookArgs) -> None:
    """Bring an interrupt again that came where Python drops it: in what clears a weak reference, or in ``__del__``.

    Terms of formulas are cleared all the time. The interrupt comes from another thread, a little later: here it would
    be raised inside of this function, and be dropped once more.
    """
    if isinstance(unheard.exc_value, KeyboardInterrupt):
        _thread.start_new_thread(_later, ())  # no Thread: its start takes locks that may be held here
    else:
        usual(unheard)


def _later() -> None:
    time.sleep(0.001)
    _thread.interrupt_main()


def _tell(line: str) -> None:
    with contextlib.suppress(OSError):
        print(line, file=sys.stderr)


def _mute() -> None:
    """What is still unwritten goes nowhere, so that the interpreter does not try again when it ends."""
    with contextlib.suppress(OSError, AttributeError):
        os.dup2(os.open(os.devnull, os.O_WRONLY), sys.stdout.fileno())
