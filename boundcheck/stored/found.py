"""Where the certificates and witnesses of earlier searches are kept: shipped for the catalogue, in a folder for users.

They are hints (:mod:`boundcheck.decide.memory`): whoever changes them can lose time, not make a proof.
"""

from __future__ import annotations

import contextlib
import json
import lzma
from collections.abc import Mapping
from functools import lru_cache
from pathlib import Path
from typing import Any

from boundcheck.author.cache import folder
from boundcheck.decide.memory import Record
from boundcheck.system.files import read_json, replacing, write_json

PATH = Path(__file__).parents[1] / "data" / "found.json.xz"
MAX_BYTES = 1 << 28  #: of the shipped records, unpacked
MAX_RECORD = 1 << 22  #: of a user's record


@lru_cache(maxsize=1)
def shipped() -> Mapping[str, Record]:
    """The records of the catalogue; none where the file is missing or damaged."""
    try:
        unpacked = lzma.LZMADecompressor().decompress(PATH.read_bytes(), MAX_BYTES)
        found = json.loads(unpacked)
    except (OSError, lzma.LZMAError, ValueError, RecursionError):
        return {}
    return found if isinstance(found, dict) else {}


def ship(records: Mapping[str, Record]) -> None:
    """Store the records of the catalogue."""
    text = json.dumps(dict(sorted(records.items())), separators=(",", ":"))
    with replacing(PATH) as path:
        path.write_bytes(lzma.compress(text.encode(), preset=9))


class Folder:
    """A user's records, one file each, in the folder of :func:`boundcheck.author.cache.folder`."""

    def __init__(self) -> None:
        self.path = folder() / "found"

    def get(self, key: str, /) -> Record | None:
        """The record, None where there is none that can be read."""
        with contextlib.suppress(OSError, ValueError):
            found: Any = read_json(self.path / f"{key}.json", MAX_RECORD)
            return found if isinstance(found, dict) else None
        return None

    def write(self, records: Mapping[str, Record]) -> None:
        """Keep what is new or changed; a folder that cannot be written keeps nothing."""
        with contextlib.suppress(OSError):
            self.path.mkdir(parents=True, exist_ok=True)
            for key, record in records.items():
                if self.get(key) != record:
                    write_json(self.path / f"{key}.json", record)
