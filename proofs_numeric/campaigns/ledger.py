"""The ledger: one SQLite row per finished chunk, written as it arrives; a killed run loses only what was in flight."""

from __future__ import annotations

import hashlib
import json
import sqlite3
from pathlib import Path
from types import TracebackType
from typing import NamedTuple

from boundcheck.system.exits import Unusable
from proofs_numeric.stats.decision_rules import Summary

SCHEMA = 3
SQLITE = (sqlite3.Error, UnicodeDecodeError)  #: what a damaged file makes of SQLite: its complaint need not be text


class Chunk(NamedTuple):
    """A finished chunk; ``near`` counts the trials decided in high precision, None where no event is compared."""

    summary: Summary
    trials: int
    seconds: float
    near: int | None


def _digest(*row: object) -> str:
    """A checksum of a row: SQLite has none of its own, and a flipped bit in a sum would pass for a number."""
    return hashlib.blake2b(repr(row).encode("utf-8", "surrogatepass"), digest_size=16).hexdigest()


class LedgerError(Unusable):
    """A ledger that cannot be opened, read or written; the message says what to do."""


class Ledger:
    """Summaries by (seed, cell, fingerprint, stage, chunk). ``path`` None keeps them in memory.

    The fingerprint names the code and the question, so rows of an older version are left alone and unread.
    """

    def __init__(self, path: str | Path | None = None):
        self.path = None if path is None else Path(path)
        # to SQLite an empty name and ":memory:" are no files
        file = ":memory:" if self.path is None else str(self.path.absolute())
        try:
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
        except SQLITE as error:
            raise self._told(error) from error
        if found != str(SCHEMA):
            raise LedgerError(
                f"the ledger {self.path} has schema {found}, this version reads {SCHEMA}; name a new file"
            )

    def _told(self, error: Exception) -> LedgerError:
        text = str(error)
        if "locked" in text or "busy" in text:
            return LedgerError(
                f"the ledger {self.path} is locked by another process; wait for it or name another file"
            )
        if "full" in text:
            return LedgerError(
                f"no room to write the ledger {self.path} (disk full); the rows written so far are kept"
            )
        if "unable to open" in text:
            return LedgerError(f"the ledger {self.path} cannot be opened: does its folder exist and is it writable?")
        if "readonly" in text:
            return LedgerError(f"the ledger {self.path} is read-only")
        return LedgerError(
            f"the file {self.path} is not a readable ledger ({text}); move it away or name another file"
        )

    def read(self, seed: int, cell: str, fingerprint: str) -> dict[tuple[int, int], Chunk]:
        """(stage, chunk) -> what is known of the finished chunks of one cell."""
        try:
            rows = self._db.execute(
                "SELECT stage, chunk, summary, trials, seconds, near, digest FROM chunks "
                "WHERE seed = ? AND cell = ? AND fingerprint = ?",
                (seed, cell, fingerprint),
            ).fetchall()
        except SQLITE as error:
            raise self._told(error) from error
        found = {}
        for stage, chunk, text, trials, seconds, near, digest in rows:
            if digest != _digest(seed, cell, fingerprint, stage, chunk, trials, seconds, near, text):
                raise LedgerError(f"the ledger {self.path} holds a damaged row; move it away or name another file")
            found[stage, chunk] = Chunk(json.loads(text), trials, seconds, near)
        return found

    def write(
        self,
        seed: int,
        cell: str,
        fingerprint: str,
        stage: int,
        chunk: int,
        done: Chunk,
    ) -> None:
        """Add one finished chunk; a chunk that is there already stays as it is (the numbers are the same)."""
        row = (seed, cell, fingerprint, stage, chunk, *done[1:], json.dumps(done.summary))
        try:
            self._db.execute(
                "INSERT OR IGNORE INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?)", (*row, _digest(*row))
            )
        except SQLITE as error:
            raise self._told(error) from error

    def progress(self) -> list[tuple[int, int, int, int]]:
        """(seed, cells, chunks, trials) for each seed in the ledger."""
        try:
            return self._db.execute(
                "SELECT seed, COUNT(DISTINCT cell), COUNT(*), SUM(trials) FROM chunks GROUP BY seed ORDER BY seed"
            ).fetchall()
        except SQLITE as error:
            raise self._told(error) from error

    def begun(self, seed: int) -> frozenset[str]:
        """The keys of the cells of which the ledger holds something."""
        try:
            rows = self._db.execute("SELECT DISTINCT cell FROM chunks WHERE seed = ?", (seed,)).fetchall()
        except SQLITE as error:
            raise self._told(error) from error
        return frozenset(key for (key,) in rows)

    def close(self) -> None:
        """Close the file; everything written is already safe."""
        self._db.close()

    def __enter__(self) -> Ledger:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, value: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()
