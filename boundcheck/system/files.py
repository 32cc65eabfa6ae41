"""Files written whole or not at all, and read with a cap on their size."""

from __future__ import annotations

import contextlib
import json
import math
import os
import tempfile
from collections import Counter
from collections.abc import Iterator
from pathlib import Path
from typing import Any

from boundcheck.system.exits import Unusable


class FileFault(Unusable):
    """A file that cannot be read or written; the message is one line that names it."""


@contextlib.contextmanager
def replacing(path: str | os.PathLike[str]) -> Iterator[Path]:
    """A new file beside ``path``, of the same suffix, for the block to fill. It takes the place of ``path`` when the
    block ends well and is gone otherwise, so a reader sees the old file or the new one, never a part.

    A link is followed. Raises :class:`FileFault` where ``path`` is no regular file (a device would be replaced), and
    for every OSError of the block.
    """
    target, temporary = Path(os.path.realpath(path)), None
    try:
        if target.exists() and not target.is_file():
            raise FileFault(f"{path}: cannot be written (not a regular file)")
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, name = tempfile.mkstemp(prefix=f".{target.stem}.", suffix=target.suffix, dir=target.parent)
        temporary = Path(name)
        os.close(handle)
        yield temporary
        with temporary.open("rb") as stream:
            os.fsync(stream.fileno())
        temporary.chmod(0o644)
        temporary.replace(target)
    except OSError as fault:
        raise FileFault(f"{path}: cannot be written ({fault.strerror or fault})") from None
    finally:
        if temporary is not None:
            temporary.unlink(missing_ok=True)


def require_writable(path: str | os.PathLike[str]) -> None:
    """Raise :class:`FileFault` now where a file cannot be made beside ``path``, before long work that ends there."""
    target = Path(os.path.realpath(path))
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        with tempfile.TemporaryFile(dir=target.parent):
            pass
    except OSError as fault:
        raise FileFault(f"{path}: cannot be written ({fault.strerror or fault})") from None


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write ``text`` (UTF-8) to ``path``, whole or not at all. Raises :class:`FileFault`."""
    with replacing(path) as new:
        new.write_text(text, encoding="utf-8", newline="\n")


def write_page(path: Path, text: str, arguments: list[str]) -> int:
    """Write a generated page; with ``--check`` among the arguments only compare: 1 if it is missing or out of date."""
    if "--check" in arguments:
        return int(not path.is_file() or path.read_text(encoding="utf-8") != text)
    write_text(path, text)
    return 0


def between(path: Path, first: str, last: str, new: str) -> str:
    """The text of a file with ``new`` between its lines ``first`` and ``last``. Raises :class:`FileFault`."""
    head, begin, rest = path.read_text(encoding="utf-8").partition(f"{first}\n")
    _, end, tail = rest.partition(f"{last}\n")
    if not begin or not end:
        raise FileFault(f"{path} has no line {last if begin else first}")
    return f"{head}{begin}{new}{end}{tail}"


def write_json(path: str | os.PathLike[str], data: Any) -> None:
    """Write JSON, keys in the order given, one item a line, ending in a newline."""
    write_text(path, json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: str | os.PathLike[str], largest: int = 1 << 26) -> Any:
    """The data in a JSON file of at most ``largest`` bytes. Raises :class:`FileFault`, whatever the file holds.

    Stricter than JSON: no key twice in an object (two readers could see two things), no number beyond the doubles.
    """
    source = Path(path)
    try:
        if source.exists() and not source.is_file():
            raise FileFault(f"{source}: cannot be read (not a regular file)")
        with source.open("rb") as stream:
            raw = stream.read(largest + 1)
    except OSError as fault:
        raise FileFault(f"{source}: cannot be read ({fault.strerror or fault})") from None
    if len(raw) > largest:
        raise FileFault(f"{source}: longer than {largest} bytes")
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_refuse, parse_float=_finite, object_pairs_hook=_unique)
    except (ValueError, RecursionError) as fault:
        told = "nested too deeply" if isinstance(fault, RecursionError) else str(fault).splitlines()[0]
        raise FileFault(f"{source}: not JSON ({told})") from None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")


def _finite(text: str) -> float:
    value = float(text)
    return value if math.isfinite(value) else _refuse(text)


def _unique(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    found = dict(pairs)
    if len(found) < len(pairs):
        counts = Counter(key for key, _ in pairs)
        twice = max(counts, key=counts.__getitem__)
        raise ValueError(f"the key {twice[:60]!r} occurs twice in an object")
    return found
