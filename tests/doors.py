"""Front doors in this process: status and output of a command, without a start of one to three seconds for each.

What a process alone shows (signals, kills, limits, what is imported, how it ends) is asked of real ones, by
``faults.py`` and in ``test_cli.py``; the commands of the README are processes too, in a checkout of their own.
"""

from __future__ import annotations

import contextlib
import io
import os
import pickle
import re
import sys
from collections.abc import Callable, Generator, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

import proofs_numeric.__main__ as proofs
from boundcheck import lemma, report
from boundcheck.app.commands import session
from boundcheck.system.workers import WORKERS, Assignment, Lost

DOORS: dict[str, Callable[[Sequence[str]], int]] = {
    "boundcheck.lemma": lemma.main,
    "boundcheck.report": report.main,
    "proofs_numeric": proofs.main,
}


@dataclass(frozen=True)
class Done:
    """As what ``subprocess.run`` gives."""

    returncode: int
    stdout: str
    stderr: str


def in_turn(
    jobs: Sequence[Assignment], workers: int = WORKERS, tick: Callable[[], None] = lambda: None
) -> Generator[tuple[int, Any], None, None]:
    """What :func:`boundcheck.system.workers.run` does with jobs that end by themselves; what is sent is pickled."""
    for index, job in enumerate(jobs):
        sent = pickle.loads(pickle.dumps(job))
        tick()
        try:
            result = pickle.dumps(sent.function(*sent.args))
        except Exception as error:
            lost = Lost(f"{type(error).__name__}: {error}")
            lost.__cause__ = error
            yield index, lost
        else:
            yield index, pickle.loads(result)


def here(module: str, words: Sequence[str], folder: Path, together: bool = False) -> Done:
    """``python -m module *words`` in ``folder``, lines as wide as in a pipe; ``together``: stderr goes to stdout."""
    out = io.StringIO()
    err = out if together else io.StringIO()
    with contextlib.ExitStack() as stack:
        stack.enter_context(contextlib.chdir(folder))
        stack.enter_context(mock.patch.dict(os.environ))
        os.environ.pop("COLUMNS", None)
        stack.enter_context(mock.patch.object(sys, "__stdout__", out))  # the size of no terminal is asked
        stack.enter_context(mock.patch.object(session, "run_jobs", in_turn))
        stack.enter_context(contextlib.redirect_stdout(out))
        stack.enter_context(contextlib.redirect_stderr(err))
        try:
            status = DOORS[module](list(words))
        except SystemExit as left:  # --help and --version
            assert left.code is None or isinstance(left.code, int)
            status = left.code or 0
    return Done(status, out.getvalue(), "" if together else err.getvalue())


def plain(command: str) -> tuple[str, list[str], bool] | None:
    """(module, words, whether stderr goes to stdout) of a command line that is a front door and asks no shell."""
    asked = command.removesuffix(" 2>&1")
    words = asked.split()
    if re.fullmatch(r"[\w./:= -]*", asked) is None or words[:2] != ["python", "-m"] or words[2] not in DOORS:
        return None
    return words[2], words[3:], asked != command
