"""The door of every certificate: data from elsewhere is of a size that can be checked, before anything reads it."""

from __future__ import annotations

import re
from collections.abc import Mapping
from typing import Any

from boundcheck.kernel.formula import MAX_DIGITS, MAX_NUMERAL_EXPONENT

MAX_ITEMS = 3_000_000  #: values in one certificate
MAX_DEPTH = 400
MAX_BITS = 4_096  #: of an integer that is no text
_EXPONENT = re.compile(r"[\d._][eE][+-]?([\d_]+)")  # as Python's numbers read it: with _ between digits of any script
_DIGITS = re.compile(f"[0-9]{{{10 * MAX_DIGITS}}}")


class TooLarge(ValueError):
    """Data that no check could finish reading."""


def require_bounded(data: Any) -> None:
    """Refuse numerals, integers, depth and size beyond the caps of the formula reader. Raises :class:`TooLarge`.

    1e1000000000 is a short text and a number that no memory holds.
    """
    pending, seen = [(data, 0)], 0
    while pending:
        value, depth = pending.pop()
        seen += 1
        if seen > MAX_ITEMS or depth > MAX_DEPTH:
            raise TooLarge(f"a certificate of more than {MAX_ITEMS} values, or deeper than {MAX_DEPTH}")
        if isinstance(value, str):
            _text(value)
        elif isinstance(value, int):
            if value.bit_length() > MAX_BITS:
                raise TooLarge(f"an integer of {value.bit_length()} bits; at most {MAX_BITS} are read")
        elif isinstance(value, Mapping):
            pending += [(v, depth + 1) for pair in value.items() for v in pair]
        elif isinstance(value, (list, tuple)):
            pending += [(v, depth + 1) for v in value]


def _text(text: str) -> None:
    for found in _EXPONENT.finditer(text):
        digits = found[1].replace("_", "").lstrip("0") or "0"
        if len(digits) > 4 or int(digits) > MAX_NUMERAL_EXPONENT:
            raise TooLarge(f"a numeral with exponent {digits[:12]}; at most {MAX_NUMERAL_EXPONENT} is read")
    if len(text) > 10 * MAX_DIGITS and _DIGITS.search(text):
        raise TooLarge(f"a numeral of more than {10 * MAX_DIGITS} digits")
