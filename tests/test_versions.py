"""What rows of a ledger are summed: those of one version of all that a draw rests on, in doubles."""

from __future__ import annotations

import subprocess
import sys

import numpy as np
import pytest

from proofs_numeric.campaigns import campaign
from proofs_numeric.campaigns.ledger import Chunk, Ledger, LedgerError
from proofs_numeric.stats.heavy_mean import HeavyMean


def test_a_module_beside_a_check_is_part_of_it(tmp_path):
    """Rows drawn by an older version of what the user's program imports are not summed with new ones."""
    (tmp_path / "mine.py").write_text("import beside_it\n")
    code = "import sys; sys.path.insert(0, sys.argv[1]); import mine\n"
    code += "from proofs_numeric.campaigns.versions import own_digest; print(own_digest(sys.argv[1] + '/mine.py'))"
    found = []
    for text in ("A = 1", "A = 20"):
        (tmp_path / "beside_it.py").write_text(text)
        found.append(
            subprocess.run([sys.executable, "-c", code, str(tmp_path)], capture_output=True, check=True).stdout
        )
    assert len(set(found)) == 2 and b"" not in found


def test_a_ledger_that_is_named_is_a_file(tmp_path, monkeypatch):
    """An empty name, that of a shell's unset variable say, kept nothing and said nothing."""
    monkeypatch.chdir(tmp_path)
    with pytest.raises(LedgerError, match="cannot be opened"):
        Ledger("")
    chunk = Chunk([1], 1, 0.0, None)
    for name in (":memory:", "usual"):
        with Ledger(name) as ledger:
            ledger.write(1, "cell", "mark", 0, 0, chunk)
        with Ledger(name) as ledger:
            assert ledger.read(1, "cell", "mark") == {(0, 0): chunk}


@pytest.mark.parametrize("kind", [np.float16, np.float32, np.float64, list])
def test_evidence_is_computed_in_doubles(kind):
    """A chunk's sums are those of its values, in whatever type a user's draw gives them."""
    given = np.array([0.25, 0.5, 0.75, 200.0], dtype=np.float16)
    values = given.astype(float).tolist() if kind is list else given.astype(kind)
    test = HeavyMean(1.0, 2.0, 9.0, 1.0, proved="x").test(4, 1e-9, 1e-6)
    assert test.summary(campaign._fit(values, 4)) == test.summary(given.astype(np.float64))
