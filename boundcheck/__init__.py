"""boundcheck: statements of a theory paper as data, decided with certificates or witnesses."""

from importlib import import_module
from typing import Any

from boundcheck.kernel.formula.tree import FormulaError

__version__ = "0.1.0"


def _mend(kind: str, text: str) -> str:
    """What to write instead of a text that is no formula; the words are loaded when they are first asked for."""
    from boundcheck import hints

    return hints.mend(kind, text)


FormulaError.mend = staticmethod(_mend)


def __getattr__(name: str) -> Any:
    """``boundcheck.decide`` without an import of its own: the engines are loaded when they are first asked for."""
    if name == "decide":
        return import_module("boundcheck.decide")
    raise AttributeError(f"module 'boundcheck' has no attribute {name!r}")
