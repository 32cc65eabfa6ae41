"""What drawn numbers depend on besides their seed: the sources, those of a user's program, the libraries."""

from __future__ import annotations

import hashlib
import sys
from functools import cache
from importlib.metadata import version
from pathlib import Path

ROOT = Path(__file__).parents[2]
ROOMS = (
    "__init__.py",
    "arith",
    "author",
    "claims.py",
    "hints.py",
    "kernel",
    "paper",
    "plans",
    "statement.py",
    "system",
    "verdict.py",
    "written.py",
)
APART = ("experiments", "tuning")  #: of proofs_numeric; no cell draws by them
LIBRARIES = ("numpy", "scipy", "python-flint")


def sources() -> list[Path]:
    """The files by which a cell of the paper draws: its formulas are text of :mod:`boundcheck.paper`."""
    rooms = [ROOT / "boundcheck" / name for name in ROOMS]
    rooms += [p for p in sorted((ROOT / "proofs_numeric").iterdir()) if p.name not in APART]
    found = [p for room in rooms for p in ([room] if room.is_file() else room.rglob("*"))]
    return sorted(p for p in found if p.suffix in (".py", ".toml", ".rules"))


@cache
def code_digest() -> str:
    """A digest of :func:`sources` and of the versions of the libraries."""
    digest = hashlib.blake2b(repr([version(name) for name in LIBRARIES]).encode(), digest_size=16)
    for path in sources():
        digest.update(str(path.relative_to(ROOT)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()


@cache
def own_digest(file: str) -> str:
    """A digest of a user's program and of the modules beside it that it has imported; "" for no program.

    Asked before anything is drawn; what a draw imports later does not count.
    """
    if not file:
        return ""
    folder, digest = Path(file).parent, hashlib.blake2b(digest_size=16)
    loaded = {str(getattr(module, "__file__", None) or "") for module in list(sys.modules.values())}
    beside = [p for p in map(Path, loaded) if p.is_file() and p.is_relative_to(folder)]
    for path in sorted({Path(file), *(p for p in beside if "site-packages" not in p.parts and p.suffix == ".py")}):
        digest.update(str(path.relative_to(folder)).encode() + b"\0" + path.read_bytes())
    return digest.hexdigest()
