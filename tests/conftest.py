"""What all tests share: Hypothesis draws the same examples in every run, from the text of the test alone; Matplotlib's
list of fonts is this run's own, for the processes under test too, since a user's may name files that are gone; so is
the folder of proofs that were found. Compiled modules are kept, as Python does unless it is told otherwise. NumPy has
one thread, as in ``proofs_numeric``: with a worker on each processor, a second one only waits."""
# ruff: noqa: E402 - the thread counts must be set before NumPy is imported

import contextlib
import gc
import importlib
import os
import signal
import sys
import tempfile
import time
import zlib
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

for _name in ("OPENBLAS_NUM_THREADS", "MKL_NUM_THREADS", "OMP_NUM_THREADS"):
    os.environ.setdefault(_name, "1")

import pytest
from _pytest.outcomes import Skipped
from hypothesis import settings

from boundcheck.decide.memory import remembering
from boundcheck.kernel import clock
from boundcheck.stored.found import shipped

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")


def pytest_addoption(parser: pytest.Parser) -> None:
    text = "how many times as fast the clock of the engines runs: what fails at 3 is near its limit (docs/testing.md)"
    parser.addoption("--clock", type=float, default=1.0, help=text)
    text = "K/N: of the thorough tests only the K-th of N parts (docs/testing.md)"
    parser.addoption("--part", type=lambda t: tuple(map(int, t.split("/"))), default=(1, 1), metavar="K/N", help=text)


def pytest_configure(config: pytest.Config) -> None:
    if (k := config.getoption("--clock")) != 1:
        faster = {"thread_time": lambda: k * time.thread_time(), "monotonic": lambda: k * time.monotonic()}
        clock.time = SimpleNamespace(**faster)
    if signal.getsignal(signal.SIGINT) is signal.SIG_IGN:  # a run in the background, as its processes would have it
        signal.signal(signal.SIGINT, signal.default_int_handler)
    if hasattr(config, "workerinput"):  # a worker of pytest-xdist: it has the environment of the process that began it
        return
    folder = tempfile.TemporaryDirectory(prefix="boundcheck-fonts-")
    config.add_cleanup(folder.cleanup)
    # Half of collecting, and a fifth of each command under test, is compiling what no process may keep compiled.
    os.environ.pop("PYTHONDONTWRITEBYTECODE", None)
    sys.dont_write_bytecode = False
    os.environ["MPLCONFIGDIR"] = folder.name
    os.environ["BOUNDCHECK_CACHE"] = os.path.join(folder.name, "found")  # nothing that was found before this run
    import matplotlib.font_manager  # noqa: F401 - it writes the list, and says so where that takes long


def pytest_collection(session: pytest.Session) -> None:
    """In a new checkout compiling the tests is half of collecting: each worker begins with other files of a whole run,
    and finds compiled what the others began with. Warnings are errors here, as they are where tests are collected."""
    config = session.config
    worker = getattr(config, "workerinput", None)
    if worker is None or config.args_source is not pytest.Config.ArgsSource.TESTPATHS:
        return
    names = sorted(file.stem for file in Path(__file__).parent.glob("test_*.py"))
    start = len(names) * int(worker["workerid"].removeprefix("gw")) // worker["workercount"]
    for name in names[start:] + names[:start]:
        with contextlib.suppress(Exception, Skipped):  # collecting imports it again, and tells what is wrong with it
            importlib.import_module(name)


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    """Leave out the other parts of the thorough tests."""
    k, n = config.getoption("--part")
    others = [i for i in items if i.get_closest_marker("thorough") and zlib.crc32(i.nodeid.encode()) % n != k - 1]
    if others:
        config.hook.pytest_deselected(items=others)
        left = set(others)
        items[:] = [i for i in items if i not in left]


@pytest.hookimpl(optionalhook=True)
def pytest_xdist_make_scheduler(config: pytest.Config, log: Any) -> Any:
    """Each worker has the tests of whole files, which share what they made, and takes over from one that is slower."""
    from xdist.scheduler import WorkStealingScheduling

    return WorkStealingScheduling(config, log) if config.getvalue("dist") == "load" else None


def pytest_collection_finish() -> None:
    """What collecting made lives until the end: the garbage collector need not go through it again and again,
    nor through the memories of searches as often as it does by default: that is a tenth of the run."""
    os.environ.pop("PYTEST_ADDOPTS", None)  # for this run, whose workers have read it too, and not for those of tests
    import sympy  # noqa: F401 - the first search to need it would pay for it, out of a slice of its time

    gc.collect()
    gc.freeze()
    gc.set_threshold(20_000, 20, 20)


@pytest.fixture(scope="session", autouse=True)
def _what_was_found() -> Iterator[None]:
    """The certificates of the catalogue are known to all tests: they are checked, and not searched again."""
    with remembering(shipped()):
        yield


@pytest.fixture
def one_process(monkeypatch: pytest.MonkeyPatch) -> None:
    """``check`` decides in this process: two workers take a second or more to start, and what is looked at is told."""
    import doors

    from boundcheck.app.commands import session

    monkeypatch.setattr(session, "run_jobs", doors.in_turn)


@pytest.fixture
def no_worlds(monkeypatch: pytest.MonkeyPatch) -> None:
    """No world is searched in which a line or a claim is false: for tests that only ask whether it has a reason.

    test_world_search, test_author_files and others read what is told of worlds.
    """
    monkeypatch.setattr("boundcheck.author.elaborate.FALSE", 0.0)
    monkeypatch.setattr("boundcheck.decide.statements.WORLD_SHARE", 0.0)
