"""Settings of an experiment: the domain of each, and one line for whatever lies outside of it."""

from __future__ import annotations

import math
from collections.abc import Callable
from dataclasses import field, fields
from typing import Any, NamedTuple

from boundcheck.system.exits import Unusable


class SettingError(Unusable):
    """A setting outside its domain: a line for each, naming the flag, its value, its domain and a mend."""


class Domain(NamedTuple):
    """What the value of a setting (each value of a list) must satisfy, in words too, and what to give instead."""

    holds: Callable[[Any], bool]
    text: str
    mend: str
    empty: bool = False  #: whether a list may be empty


def whole(low: int, high: int) -> Domain:
    """The integers low, ..., high."""
    return Domain(
        lambda v: low <= v <= high, f"an integer of at least {low} and at most {high}", f"give {low} or more"
    )


def between(low: float, high: float = math.inf, empty: bool = False) -> Domain:
    """The open interval (low, high)."""
    return Domain(lambda v: low < v < high, f"a number in ({low:g}, {high:g})", f"give a number above {low:g}", empty)


def among(*words: str) -> Domain:
    """One of the words."""
    return Domain(lambda v: v in words, "one of " + ", ".join(words), f"give {words[0]}")


def setting(default: Any, domain: Domain, told: str) -> Any:
    """A field of a record of settings, with what its flag's help says."""
    return field(default=default, metadata={"domain": domain, "help": told})


def flag(name: str) -> str:
    """The flag of a setting."""
    return "--" + name.replace("_", "-")


def fault(name: str, value: Any, domain: Domain) -> str | None:
    """One line on what is wrong with the value (or the tuple of values) of a setting, or None."""
    values = value if isinstance(value, tuple) else (value,)
    if not values and not domain.empty:
        return f"{flag(name)}: no value given; each must be {domain.text}; {domain.mend}"
    for v in values:
        if not domain.holds(v):
            return f"{flag(name)}: {v!r} is not {domain.text}; {domain.mend}"
    if len(set(values)) < len(values):
        return f"{flag(name)}: {', '.join(map(str, values))} repeats a value; drop the repetition"
    return None


def faults(settings: Any) -> list[str]:
    """One line for each field of the record ``settings`` whose value lies outside its domain."""
    found = (fault(f.name, getattr(settings, f.name), f.metadata["domain"]) for f in fields(settings))
    return [line for line in found if line]


def read(name: str, given: str | list[str], default: Any, domain: Domain) -> Any:
    """A flag's text (or list of texts) as the type of the default. Raises :class:`SettingError` for no number."""
    if isinstance(default, tuple):
        return tuple(read(name, text, default[0], domain) for text in given)
    if isinstance(default, str):
        return given
    try:
        return type(default)(given)
    except ValueError:
        raise SettingError(f"{flag(name)}: {given!r} is not {domain.text}; {domain.mend}") from None
