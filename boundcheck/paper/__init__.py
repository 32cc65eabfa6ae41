"""The catalogue: every statement of the paper and beyond it, with its proof, as text: one TOML file for each part."""

from __future__ import annotations

from functools import cache

from boundcheck.kernel.statement import Statement
from boundcheck.paper import texts
from boundcheck.system.exits import Unusable


class UnknownLabel(Unusable, KeyError):
    """No statement of the catalogue has this label; ``str`` says which come close."""

    def __init__(self, label: str, near: list[str]):
        hint = f"; did you mean {near[0]}?" if near else "; `list` shows all labels"
        super().__init__(f"unknown label {label}{hint}")


@cache
def catalogue() -> dict[str, Statement]:
    """All statements by label, in the order of :data:`boundcheck.paper.texts.ORDER`."""
    return texts.statements()


def said(label: str) -> Statement:
    """What the statement called ``label`` says, without its proof. Raises :class:`UnknownLabel`."""
    headers = texts.headers()
    return headers[label] if label in headers else lookup(label)


def lookup(label: str) -> Statement:
    """The statement called ``label``; raises :class:`UnknownLabel` with the nearest labels."""
    import difflib

    statements = catalogue()
    if label not in statements:
        raise UnknownLabel(label, difflib.get_close_matches(label, statements, 1))
    return statements[label]
