"""What the commands share in talking to people: faults in one line, tables, colour only on a terminal."""

from __future__ import annotations

import argparse
import contextlib
import json
import math
import os
import shutil
import sys
import textwrap
import threading
from collections.abc import Callable, Iterable, Iterator, Sequence
from decimal import ROUND_CEILING, ROUND_FLOOR, Context
from pathlib import Path
from typing import Any, TypeVar

from boundcheck.kernel.statement import Statement
from boundcheck.system.exits import Unusable
from boundcheck.user_files import NONE_HERE, OwnFile, load, split_target

T = TypeVar("T")
WIDTH = 100  #: characters of a line of text, and of a table that goes to no terminal
VERDICT = 12  #: characters of a verdict with what separates it from the rest of its line
STYLES = {
    "PROVED": "green",
    "ASSUMED": "cyan",
    "CITED": "cyan",
    "CONSISTENT": "green",
    "REPAIRED": "yellow",
    "UNDERPOWERED": "yellow",
    "UNDECIDED": "yellow",
    "STALE": "yellow",
    "REFUTED": "bold red",
    "REFUTED-STAT": "bold red",
}


def command(commands: Any, name: str, told: str, run: Callable[[argparse.Namespace], int]) -> Any:
    """The parser of a command; ``told`` is its line in the list of commands and heads its own help."""
    parser = commands.add_parser(name, help=told, description=f"{told[0].upper()}{told[1:]}.")
    parser.set_defaults(run=run)
    return parser


def gathered(read: Callable[[str], T], words: Iterable[str]) -> tuple[list[T], list[str]]:
    """What ``read`` makes of each word, and the faults of those that are :class:`Unusable`."""
    found, faults = [], []
    for word in words:
        try:
            found.append(read(word))
        except Unusable as fault:
            faults += fault.lines
    return found, faults


def own_statements(target: str, search: bool = True, some: bool = False) -> tuple[OwnFile, list[Statement]]:
    """The file behind ``FILE.py[:LABEL]`` and the statements meant; says that the file is run. Raises OwnFault.

    Without ``search`` the statements of a text have no steps, and it takes no time. With ``some`` a file without
    statements is a fault.
    """
    path, label = split_target(target)
    said_program(path)
    with said_after(f"note: {path}: reasons of its lines are searched, at most a minute of processor time for each"):
        file = load(path, search)
    chosen = file.chosen(label)
    if some and not chosen:
        raise Unusable(f"{path}: {NONE_HERE}")
    for line in file.remarks:
        print(f"warning: {line}", file=sys.stderr)
    return file, chosen


def said_program(path: str) -> None:
    """Say that a file is run, where it is one that is."""
    if os.path.isfile(path) and path.endswith(".py"):
        print(f"note: {path} is a program and is run as such", file=sys.stderr)


def no_certificate(target: str) -> None:
    """Raise :class:`Unusable`, with what to do, where a certificate is named and statements are wanted."""
    if target.endswith(".json"):
        told = f"`verify {target}` checks a certificate again"
        raise Unusable(f"{target}: the name of a certificate, not of statements; {told}")


def directory(name: str) -> Path:
    """The folder ``name``, made where it is missing. Raises :class:`Unusable`."""
    path = Path(name)
    try:
        path.mkdir(parents=True, exist_ok=True)
    except OSError as fault:
        raise Unusable(f"{name}: no directory to write to ({fault.strerror})") from None
    return path


def finite(number: float | None) -> float | None:
    """A number as JSON has it."""
    return number if number is not None and math.isfinite(number) else None


@contextlib.contextmanager
def said_after(line: str, seconds: float = 5.0) -> Iterator[None]:
    """A line on stderr, if what stands inside takes longer than ``seconds``."""
    timer = threading.Timer(seconds, lambda: print(line, file=sys.stderr, flush=True))
    timer.daemon = True
    timer.start()
    try:
        yield
    finally:
        timer.cancel()
        timer.join()


def print_json(data: Any) -> None:
    """One object on stdout."""
    print(json.dumps(data, allow_nan=False))


def bracket(slack: Sequence[float | None] | None) -> str:
    """A slack bracket for people, rounded outwards: one number where both ends are the same, "" for none."""
    if slack is None or (slack[0] is None and slack[1] is None):
        return ""
    low, high = slack
    if low is not None and low == high:
        return f"{low:.6g}"
    ends = ["" if low is None else _rounded(low, ROUND_FLOOR), "" if high is None else _rounded(high, ROUND_CEILING)]
    if not ends[0]:
        return f"<= {ends[1]}"
    return f"{ends[0]} .. {ends[1]}" if ends[1] else f">= {ends[0]}"


def _rounded(x: float, direction: str, digits: int = 6) -> str:
    """``x`` with six digits, rounded outwards."""
    if not math.isfinite(x):
        return str(x)
    short = float(Context(prec=digits, rounding=direction).create_decimal_from_float(x))
    return f"{short:.{digits}g}"


def cut(digits: str | None, shown: int) -> str:
    """A whole number given as decimal digits: in full, or cut to three of them and its power of ten; "" for none."""
    if digits is None or len(digits) <= shown:
        return digits or ""
    return f"{digits[0]}.{digits[1:3]}e{len(digits) - 1}"


def shortened(text: str, length: int = 150) -> str:
    """The beginning of a long text."""
    return text if len(text) <= length else text[: length - 3] + "..."


def counted(n: int, thing: str) -> str:
    """A number of things: ``1 node``, ``2 nodes``."""
    return f"{n} {thing}" if n == 1 else f"{n} {thing}s"


def columns() -> int:
    """The width of the terminal; COLUMNS in the environment overrides it, and without a terminal it is WIDTH."""
    return shutil.get_terminal_size((WIDTH, 24)).columns


def fitting(widths: Sequence[int], spare: Sequence[int], room: int, least: int = 20) -> list[int] | None:
    """The columns that are shown in ``room`` characters, those in ``spare`` left out as needed; None where none fit.

    Each column takes its width and two more. The last column may be folded down to ``least`` characters; no other one
    is, since a label that is broken in the middle cannot be copied.
    """
    last = len(widths) - 1
    kept = list(range(len(widths)))
    for left_out in (None, *spare):
        kept = [i for i in kept if i != left_out]
        if sum(min(widths[i], least) + 2 if i == last else widths[i] + 2 for i in kept) <= room:
            return kept
    return None


def print_table(
    headers: Sequence[str],
    rows: Sequence[Sequence[str]],
    right: frozenset[int] = frozenset(),
    spare: Sequence[int] = (),
) -> None:
    """A table: drawn on a terminal where it fits, plain aligned text, a line a row, elsewhere.

    Columns in ``right`` are flush right. Where there is no room for all (see :func:`columns`), those in ``spare`` are
    left out, the first of them first, and it is said which.
    """
    widths = [max(len(r[i]) for r in (headers, *rows)) for i in range(len(headers))]
    terminal = sys.stdout.isatty()
    kept = fitting(widths, spare, columns()) if terminal else fitting(widths, spare, columns() + 2, widths[-1])
    shown = kept or list(range(len(headers)))
    if terminal and kept is not None:
        _drawn(
            [headers[i] for i in kept], [[r[i] for i in kept] for r in rows], {kept.index(i) for i in right & {*kept}}
        )
    else:
        for row in (headers, *rows):
            cells = (row[i].rjust(widths[i]) if i in right else row[i].ljust(widths[i]) for i in shown)
            print("  ".join(cells).rstrip())
    if len(shown) < len(headers):
        left_out = ", ".join(h for i, h in enumerate(headers) if i not in shown)
        wider = "a wider terminal also shows" if terminal else f"beyond {columns()} columns, shown with COLUMNS=200"
        print(f"{wider}: {left_out}")


def _drawn(headers: Sequence[str], rows: Sequence[Sequence[str]], right: set[int]) -> None:
    from rich import box
    from rich.console import Console
    from rich.table import Table
    from rich.text import Text

    table = Table(box=box.SIMPLE_HEAD, pad_edge=False, padding=(0, 1, 0, 0))
    for i, header in enumerate(headers):
        last = i == len(headers) - 1
        table.add_column(header, justify="right" if i in right else "left", overflow="fold", no_wrap=not last)
    for row in rows:
        table.add_row(*(Text(c, style=STYLES.get(c, "")) for c in row))
    Console(highlight=False).print(table)


def print_verdict(word: str, rest: str, indent: int = 0, hang: int = VERDICT) -> None:
    """A text that begins with a verdict, coloured on a terminal; what does not fit a line hangs below."""
    text = _filled(f"{'':{indent}}{word:<{VERDICT - 2}}  {rest}".rstrip(), "", " " * (indent + hang))
    if not sys.stdout.isatty():
        print(text, flush=True)
        return
    from rich.console import Console
    from rich.text import Text

    line = Text(text)
    line.stylize(STYLES.get(word, ""), indent, indent + len(word))
    Console(highlight=False, soft_wrap=True).print(line)


def wrapped(label: str, text: str, indent: int = 2) -> str:
    """``label: text`` wrapped at the width of a line with a hanging indent."""
    return _filled(text, f"{'':{indent}}{label}", " " * (indent + 2))


def _filled(text: str, first: str, later: str) -> str:
    """A text in lines of at most WIDTH characters, or what the terminal has; a long word stays whole."""
    width = min(columns(), WIDTH)
    return textwrap.fill(
        text, width, initial_indent=first, subsequent_indent=later, break_long_words=False, break_on_hyphens=False
    )
