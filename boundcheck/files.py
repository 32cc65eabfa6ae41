"""Files written whole or not at all, and read with a cap on their size."""

from __future__ import annotations

import contextlib
import json
import os
import tempfile
from pathlib import Path
from typing import Any


class FileFault(ValueError):
    """A file that cannot be read or written; the message is one line that names it."""


def write_text(path: str | os.PathLike[str], text: str) -> None:
    """Write ``text`` (UTF-8) to ``path`` so that a reader sees the old file or the new one, never a part."""
    target = Path(path)
    temporary = None
    try:
        target.parent.mkdir(parents=True, exist_ok=True)
        handle, temporary = tempfile.mkstemp(prefix=f".{target.name}.", dir=target.parent)
        with os.fdopen(handle, "w", encoding="utf-8", newline="\n") as stream:
            stream.write(text)
            stream.flush()
            os.fsync(stream.fileno())
        os.chmod(temporary, 0o644)
        os.replace(temporary, target)
    except OSError as fault:
        raise FileFault(f"{target}: cannot be written ({fault.strerror or fault})") from None
    finally:
        if temporary is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(temporary)


def write_json(path: str | os.PathLike[str], data: Any) -> None:
    """Write JSON, keys in the order given, one item a line, ending in a newline."""
    write_text(path, json.dumps(data, indent=1, ensure_ascii=False, allow_nan=False) + "\n")


def read_json(path: str | os.PathLike[str], largest: int = 1 << 26) -> Any:
    """The data in a JSON file of at most ``largest`` bytes. Raises :class:`FileFault`, whatever the file holds."""
    source = Path(path)
    try:
        with source.open("rb") as stream:
            raw = stream.read(largest + 1)
    except OSError as fault:
        raise FileFault(f"{source}: cannot be read ({fault.strerror or fault})") from None
    if len(raw) > largest:
        raise FileFault(f"{source}: longer than {largest} bytes")
    try:
        return json.loads(raw.decode("utf-8"), parse_constant=_refuse)
    except (ValueError, RecursionError) as fault:
        told = "nested too deeply" if isinstance(fault, RecursionError) else str(fault).splitlines()[0]
        raise FileFault(f"{source}: not JSON ({told})") from None


def _refuse(name: str) -> Any:
    raise ValueError(f"{name} is not a JSON number")
