"""Hostile claim files: each is refused in one line a fault, within 5 s and 1 GiB, in a process of its own."""

from __future__ import annotations

import os
import resource
import subprocess
import sys
from pathlib import Path

import numpy as np
import pytest
from slow import apart

HEAD = b'[[claim]]\nname = "a"\nclaim = "'
HOSTILE: dict[str, bytes] = {
    "binary": np.random.default_rng(0).bytes(20_000),
    "nul": b"\x00" * 1000,
    "huge": b"a = 1\n" * 17_000_000,
    "brackets": b"x = " + b"[" * 100_000,
    "tables": b"x = " + b"{a=" * 50_000,
    "dotted": b"a." * 400_000 + b"b = 1",
    "dotted-inline": b"x = {" + b"a." * 400_000 + b"b = 1}",
    "parentheses": HEAD + b"(" * 15_000 + b'x <= 1"',
    "long-sum": HEAD + b"x+" * 9_900 + b'x <= 1"',
    "long-product": HEAD + b"x*" * 9_900 + b'x <= 1"',
    "powers": HEAD + b"x**" * 5_000 + b'2 <= 1"',
    "calls": HEAD + b"exp(" * 4_000 + b'x <= 1"',
    "exponent": HEAD + b'x**1000000000 <= 1"',
    "exponent-chain": HEAD + b'((x**1000)**1000)**1000 <= 1"',
    "tower": HEAD + b'9**9**9**9 <= 1"',
    "numeral": HEAD + b"1" * 5_000 + b' <= x"',
    "numeral-exponent": HEAD + b'1e999999999 <= x"',
    "toml-integer": b"[[claim]]\nname = 1" + b"0" * 100_000,
    "attribute": HEAD + b'x.__class__.__mro__ <= 1"',
    "code": HEAD + b"__import__('os').system('true') <= 1\"",
    "duplicate-key": HEAD + b'x <= 1"\nclaim = "x <= 2"',
    "duplicate-names": (HEAD + b'x <= 1"\n') * 2,
    "missing": b"[[claim]]\n" * 3,
    "many": b"[[claim]]\n" * 90_000,
    "array": b"x = [" + b"1," * 490_000 + b"]",
    "types": b"[[claim]]\nname = [1]\nclaim = {a = 1}\nwhere = 1979-05-27\nintegers = 3.5\n",
    "look-alike": HEAD + 'x < 1 + \u0435xp(y)"'.encode(),  # a Cyrillic e
    "wide-digits": HEAD + 'x <= \uff11"'.encode(),
    "minus-sign": HEAD + 'x \u2212 1 <= 1"'.encode(),
    "bidi": '[[claim]]\nname = "a\u202eb"\nclaim = "x <= 1"'.encode(),
    "utf-16": (HEAD + b'x <= 1"').decode().encode("utf-16"),
    "latin-1": '[[claim]]\nname = "\xe9"'.encode("latin-1"),
    "conditions": HEAD + b'x <= 1"\nwhere = [' + b'"x > 0",' * 101 + b"]",
    "unicode": HEAD + 'x ≤ 1"'.encode(),
    "escape": b'[[claim]]\nname = "\\u001b[31m"\nclaim = "x <= 1"',
}
RUN = """
import sys, resource
resource.setrlimit(resource.RLIMIT_AS, (2**30, 2**30))
resource.setrlimit(resource.RLIMIT_CPU, (10, 10))  # half of it is needed at most
from boundcheck.claims import ClaimFileError, read_claims
try:
    read_claims(sys.argv[1])
except ClaimFileError as error:
    print(len(error.faults)); print(error)
    sys.exit(2)
"""


@pytest.mark.parametrize("name", apart(HOSTILE, "array", "many"))
def test_hostile_files_are_refused(name: str, tmp_path: Path):
    file = tmp_path / "hostile.toml"
    file.write_bytes(HOSTILE[name])
    done = subprocess.run(
        [sys.executable, "-c", RUN, str(file)],
        capture_output=True,
        text=True,
        timeout=120,
        env={**os.environ, "OPENBLAS_NUM_THREADS": "1"},
    )
    assert done.returncode == 2, (done.stdout[-300:], done.stderr[-600:])
    count, *lines = done.stdout.splitlines()
    assert int(count) == len(lines) and done.stderr == ""
    assert all(line.startswith(str(file)) and line.isprintable() and len(line) < 600 for line in lines)


def test_a_harmless_file_is_not_refused(tmp_path: Path):
    file = tmp_path / "fine.toml"
    file.write_bytes(HEAD + b'x**2 >= 0"\n')
    done = subprocess.run([sys.executable, "-c", RUN, str(file)], capture_output=True, text=True, timeout=30)
    assert done.returncode == 0, done.stderr


def test_special_files_are_refused():
    from boundcheck.claims import ClaimFileError, read_claims

    with pytest.raises(ClaimFileError, match="not a regular file"):
        read_claims("/dev/zero")
    assert resource.getrusage(resource.RUSAGE_SELF).ru_maxrss > 0
