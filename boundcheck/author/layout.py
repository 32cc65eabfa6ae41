"""A formula as boxes, and the boxes as LaTeX, MathML or Unicode text: how things stand, whatever they mean.

:mod:`boundcheck.author.typeset` makes the boxes from expressions. Each writer here is one function of the boxes, so
that the three forms of a formula cannot differ in what they say.
"""

from __future__ import annotations

import html
from dataclasses import dataclass

SUM, PRODUCT, POWER, ATOM = 1, 2, 4, 9  #: how tightly the outermost sign of a box binds
#: brackets: key -> (text, LaTeX) of the left and of the right one
BRACKETS = {
    "()": (("(", "("), (")", ")")),
    "[]": (("[", "["), ("]", "]")),
    "{}": (("{", r"\{"), ("}", r"\}")),
    "||": (("|", r"\lvert "), ("|", r"\rvert ")),
    "‖‖": (("‖", r"\lVert "), ("‖", r"\rVert ")),
    "⟨⟩": (("⟨", r"\langle "), ("⟩", r"\rangle ")),
    "⌊⌋": (("⌊", r"\lfloor "), ("⌋", r"\rfloor ")),
    "⌈⌉": (("⌈", r"\lceil "), ("⌉", r"\rceil ")),
}
_RAISED = dict(zip("0123456789−+n", "⁰¹²³⁴⁵⁶⁷⁸⁹⁻⁺ⁿ", strict=True))
_LOWERED = dict(zip("0123456789−+aehijklmnoprstuvxβρ", "₀₁₂₃₄₅₆₇₈₉₋₊ₐₑₕᵢⱼₖₗₘₙₒₚᵣₛₜᵤᵥₓᵦᵨ", strict=True))


@dataclass(frozen=True)
class Atom:
    """One sign: ``kind`` is name (italic), word (upright), number, sign (an operator) or gap (a space)."""

    kind: str
    text: str
    tex: str


@dataclass(frozen=True)
class Row:
    """Boxes side by side; ``level`` tells how tightly what joins them binds."""

    items: tuple[Box, ...]
    level: int = ATOM


@dataclass(frozen=True)
class Ratio:
    """A fraction."""

    top: Box
    bottom: Box


@dataclass(frozen=True)
class Script:
    """A base with what stands below and above its right end."""

    base: Box
    low: Box | None = None
    high: Box | None = None


@dataclass(frozen=True)
class Root:
    """A square root."""

    inside: Box


@dataclass(frozen=True)
class Fence:
    """A box in brackets; ``kind`` is a key of BRACKETS."""

    kind: str
    inside: Box


@dataclass(frozen=True)
class Large:
    """A large sign with limits, before the box that it works on: sums, integrals, unions, least values."""

    sign: Atom
    low: Box
    high: Box | None
    body: Box
    tail: Box | None = None  #: what closes it: the d t of an integral


Box = Atom | Row | Ratio | Script | Root | Fence | Large


def level(box: Box) -> int:
    """How tightly the outermost sign of a box binds."""
    if isinstance(box, Row):
        return box.level
    if isinstance(box, Large):
        return SUM
    return PRODUCT if isinstance(box, Ratio) else ATOM


def tall(box: Box) -> bool:
    """Whether a box is higher than a line, so that brackets around it have to grow."""
    if isinstance(box, Atom):
        return False
    if isinstance(box, Row):
        return any(map(tall, box.items))
    if isinstance(box, Script):
        return tall(box.base) or any(tall(b) for b in (box.low, box.high) if b is not None)
    return tall(box.inside) if isinstance(box, Fence) else True


# ---------------------------------------------------------------- LaTeX


def latex(box: Box) -> str:
    """The box in LaTeX's mathematics, without dollar signs; needs no package but amsmath and amssymb."""
    if isinstance(box, Atom):
        return box.tex
    if isinstance(box, Row):
        return _joined([latex(item) for item in box.items])
    if isinstance(box, Ratio):
        return rf"\frac{{{latex(box.top)}}}{{{latex(box.bottom)}}}"
    if isinstance(box, Script):
        base = latex(box.base) if isinstance(box.base, Atom | Fence) else f"{{{latex(box.base)}}}"
        low = "" if box.low is None else f"_{{{latex(box.low)}}}"
        return base + low + ("" if box.high is None else f"^{{{latex(box.high)}}}")
    if isinstance(box, Root):
        return rf"\sqrt{{{latex(box.inside)}}}"
    if isinstance(box, Fence):
        (_, left), (_, right) = BRACKETS[box.kind]
        if tall(box.inside):
            return rf"\left{left.strip()} {latex(box.inside)} \right{right.strip()}"
        return _joined([left, latex(box.inside).strip(), right])
    high = "" if box.high is None else f"^{{{latex(box.high)}}}"
    parts = [f"{box.sign.tex}_{{{latex(box.low)}}}{high}", latex(box.body)]
    return _joined(parts if box.tail is None else [*parts, latex(box.tail)])


def _joined(parts: list[str]) -> str:
    """Parts side by side, a space where a command would else run into a letter."""
    found = ""
    for part in parts:
        command = found[len(found.rstrip("abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ")) - 1 :]
        found += (" " if command[:1] == "\\" and part[:1].isalpha() else "") + part
    return found


# ---------------------------------------------------------------- MathML

_DOUBLE = {"P": "ℙ", "E": "𝔼", "S": "𝕊", "B": "𝔹", "1": "𝟏"}  #: letters that MathML has no style for, by their LaTeX
_TAGS = {"name": "mi", "word": "mtext", "number": "mn", "sign": "mo"}


def mathml(box: Box) -> str:
    """The box as presentation MathML (the core that browsers draw), without the ``math`` element around it."""
    if isinstance(box, Atom):
        if box.kind == "gap":
            return '<mspace width="0.17em"/>'
        # blanks at the ends of an mtext are dropped
        spaced = box.text.replace(" ", "\u00a0") if box.kind == "word" else box.text.strip()
        tag, text = _TAGS[box.kind], html.escape(spaced)
        if box.tex.startswith((r"\mathbb", r"\mathbf")):
            text = _DOUBLE[text]
        if box.kind == "name" and box.tex.startswith(r"\mathrm"):
            tag += ' mathvariant="normal"'
        if box.kind == "sign" and box.text.startswith(" "):
            tag += ' form="infix"'  # also where it stands at the start of a part
        return f"<{tag}>{text}</{_TAGS[box.kind]}>"
    if isinstance(box, Row):
        return f"<mrow>{''.join(map(mathml, box.items))}</mrow>"
    if isinstance(box, Ratio):
        return f"<mfrac>{mathml(box.top)}{mathml(box.bottom)}</mfrac>"
    if isinstance(box, Script):
        inner = "".join(mathml(b) for b in (box.base, box.low, box.high) if b is not None)
        tag = "msubsup" if box.low is not None and box.high is not None else "msup" if box.low is None else "msub"
        return f"<{tag}>{inner}</{tag}>"
    if isinstance(box, Root):
        return f"<msqrt>{mathml(box.inside)}</msqrt>"
    if isinstance(box, Fence):
        (left, _), (right, _) = BRACKETS[box.kind]
        grow = "" if tall(box.inside) else ' stretchy="false"'
        signs = (f'<mo form="{form}"{grow}>{s}</mo>' for form, s in (("prefix", left), ("postfix", right)))
        return f"<mrow>{next(signs)}{mathml(box.inside)}{next(signs)}</mrow>"
    tag = "munder" if box.high is None else "munderover"
    high = "" if box.high is None else mathml(box.high)
    large = f"<{tag}>{mathml(box.sign)}{mathml(box.low)}{high}</{tag}>"
    return f"<mrow>{large}{mathml(box.body)}{'' if box.tail is None else mathml(box.tail)}</mrow>"


# ---------------------------------------------------------------- Unicode


def unicode(box: Box) -> str:
    """The box in one line of text."""
    if isinstance(box, Atom):
        return box.text
    if isinstance(box, Row):
        need = PRODUCT + 1 if box.level == PRODUCT and len(box.items) > 1 else 0
        return "".join(_held(item, need) for item in box.items)
    if isinstance(box, Ratio):
        return f"{_held(box.top, PRODUCT)}/{_held(box.bottom, PRODUCT + 1)}"
    if isinstance(box, Script):
        low = "" if box.low is None else _script(unicode(box.low), _LOWERED, "_", box.low)
        high = "" if box.high is None else _script(unicode(box.high), _RAISED, "^", box.high)
        return _held(box.base, ATOM) + low + high
    if isinstance(box, Root):
        return f"√{unicode(box.inside)}" if isinstance(box.inside, Atom) else f"√({unicode(box.inside)})"
    if isinstance(box, Fence):
        (left, _), (right, _) = BRACKETS[box.kind]
        return f"{left}{unicode(box.inside)}{right}"
    low = _script(unicode(box.low), _LOWERED, "_", box.low)
    high = "" if box.high is None else _script(unicode(box.high), _RAISED, "^", box.high)
    return f"{box.sign.text}{low}{high} {unicode(box.body)}" + ("" if box.tail is None else unicode(box.tail))


def _held(box: Box, need: int) -> str:
    """The text of a box, in parentheses where its outermost sign binds less tightly than ``need``."""
    return f"({unicode(box)})" if level(box) < need else unicode(box)


def _script(text: str, signs: dict[str, str], mark: str, box: Box) -> str:
    """A raised or lowered text: in such characters where there are some for all of it, else behind its mark."""
    if text and all(c in signs for c in text):
        return "".join(signs[c] for c in text)
    return mark + (text if isinstance(box, Atom) else f"({text})")
