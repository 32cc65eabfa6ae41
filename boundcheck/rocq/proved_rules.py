"""Which rule schemas are proved in Rocq (Rules.v, from definitions), and which remain axioms of the method."""

from __future__ import annotations

import re
from functools import cache
from pathlib import Path

FILE = Path(__file__).parent / "Rules.v"
WHOLE = FILE.with_name("Whole.v")


def theorem(rule: str) -> str:
    """The name of the theorem that proves a rule schema: every other character than letters and digits as _."""
    return "rule_" + re.sub(r"[^A-Za-z0-9]", "_", rule)


@cache
def theorems(file: Path = FILE) -> frozenset[str]:
    """The names of the theorems in Rules.v; in Whole.v those of rules as whole statements state them, typed_..."""
    text = file.read_text(encoding="utf-8")
    return frozenset(re.findall(r"^Theorem ((?:rule|typed)_\w+)", text, re.MULTILINE))


def proved(rule: str) -> bool:
    """Whether a rule schema is a theorem of Rules.v."""
    return theorem(rule) in theorems()
