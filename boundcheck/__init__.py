"""boundcheck: statements of a theory paper as data, decided with certificates or witnesses."""

from importlib import import_module
from typing import Any

__version__ = "0.1.0"


def __getattr__(name: str) -> Any:
    """``boundcheck.decide`` without an import of its own: the engines are loaded when they are first asked for."""
    if name == "decide":
        return import_module("boundcheck.decide")
    raise AttributeError(f"module 'boundcheck' has no attribute {name!r}")
