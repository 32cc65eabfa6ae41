"""The ledger: one SQLite row per finished chunk, written as it arrives; a killed run loses only what was in flight."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any, NamedTuple

from boundcheck.system.exits import Unusable

SCHEMA = 3
SQLITE = (sqlite3.Error, UnicodeDecodeError)  #: what a damaged file makes of SQLite: its complaint need not be text


class Chunk(NamedTuple):
    """A finished chunk; ``near`` counts the trials decided in high precision, None where no event is compared.

    ``summary`` is what is known of the trials; of an experiment's job, which is one trial, its result. JSON holds it.
    """

    summary: Any
    trials: int
    seconds: float
    near: int | None


def _digest(*row: object) -> str:
    """A checksum of a row: SQLite has none of its own, and a flipped bit in a sum would pass for a number."""
    return hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class LedgerError(Unusable):
    """A ledger that cannot be opened, read or written; the message says what to do."""


#: what SQLite says -> what a ledger says of its file
FAULTS = {
    "locked": "the ledger {} is locked by another process; wait for it or name another file",
    "busy": "the ledger {} is locked by another process; wait for it or name another file",
    "full": "no room to write the ledger {} (disk full); the rows written so far are kept",
    "disk I/O": "the ledger {} cannot be written or read (disk I/O error): is there room, and is its disk sound?",
    "unable to open": "the ledger {} cannot be opened: does its folder exist and is it writable?",
    "readonly": "the ledger {} is read-only",
}


class Ledger:
    """Summaries by (seed, cell, fingerprint, stage, chunk). ``path`` None keeps them in memory.

    The fingerprint names the code and the question, so rows of an older version are left alone and unread.
    """

    def __init__(self, path: str | Path | None = None):
        self.path = None if path is None else Path(path)
        # to SQLite an empty name and ":memory:" are no files
        file = ":memory:" if self.path is None else str(self.path.absolute())
        with self._told():
            self._db = sqlite3.connect(file, timeout=5.0, isolation_level=None)
            self._db.execute("PRAGMA journal_mode=WAL")
            self._db.execute("PRAGMA synchronous=NORMAL")
            self._db.execute("CREATE TABLE IF NOT EXISTS meta (key TEXT PRIMARY KEY, value TEXT) WITHOUT ROWID")
            self._db.execute("INSERT OR IGNORE INTO meta VALUES ('schema', ?)", (str(SCHEMA),))
            found = self._db.execute("SELECT value FROM meta WHERE key = 'schema'").fetchone()[0]
            self._db.execute(
                "CREATE TABLE IF NOT EXISTS chunks (seed INTEGER, cell TEXT, fingerprint TEXT, stage INTEGER, "
                "chunk INTEGER, trials INTEGER, seconds REAL, near INTEGER, summary TEXT, digest TEXT, "
                "PRIMARY KEY (seed, cell, fingerprint, stage, chunk)) WITHOUT ROWID"
            )
        if found != str(SCHEMA):
            raise LedgerError(
                f"the ledger {self.path} has schema {found}, this version reads {SCHEMA}; name a new file"
            )

    @contextmanager
    def _told(self) -> Iterator[None]:
        try:
            yield
        except SQLITE as error:
            text = str(error)
            other = f"the file {self.path} is not a readable ledger ({text}); move it away or name another file"
            known = (said.format(self.path) for word, said in FAULTS.items() if word in text)
            raise LedgerError(next(known, other)) from error

    def _rows(self, query: str, *values: object) -> list[Any]:
        with self._told():
            return self._db.execute(query, values).fetchall()

    def read(self, seed: int, cell: str, fingerprint: str) -> dict[tuple[int, int], Chunk]:
        """(stage, chunk) -> what is known of the finished chunks of one cell."""
        rows = self._rows(
            "SELECT stage, chunk, summary, trials, seconds, near, digest FROM chunks "
            "WHERE seed = ? AND cell = ? AND fingerprint = ?",
            *(seed, cell, fingerprint),
        )
        found = {}
        for stage, chunk, text, trials, seconds, near, digest in rows:
            if digest != _digest(seed, cell, fingerprint, stage, chunk, trials, seconds, near, text):
                raise LedgerError(f"the ledger {self.path} holds a damaged row; move it away or name another file")
            found[stage, chunk] = Chunk(json.loads(text), trials, seconds, near)
        return found

    def write(self, seed: int, cell: str, fingerprint: str, stage: int, chunk: int, done: Chunk) -> None:
        """Add one finished chunk; a chunk that is there already stays as it is (the numbers are the same)."""
        row = (seed, cell, fingerprint, stage, chunk, *done[1:], json.dumps(done.summary))
        self._rows("INSERT OR IGNORE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", *row, _digest(*row))

    def progress(self) -> list[tuple[int, int, int, int]]:
        """(seed, cells, chunks, trials) for each seed in the ledger."""
        return self._rows(
            "SELECT seed, COUNT(DISTINCT cell), COUNT(*), SUM(trials) FROM chunks GROUP BY seed ORDER BY seed"
        )

    def begun(self, seed: int) -> frozenset[str]:
        """The keys of the cells of which the ledger holds something."""
        rows = self._rows("SELECT DISTINCT cell FROM chunks WHERE seed = ?", seed)
        return frozenset(key for (key,) in rows)

    def close(self) -> None:
        """Close the file; everything written is already safe."""
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()
