"""Formulas typeset: expressions and relations of both vocabularies as boxes, which :mod:`.boxes` writes.

The heads of the proof vocabulary print as in a paper: ``E(...)`` as an expectation, ``norm(...)`` in double bars,
``at(xs, t)`` as x with index t, ``independent(a, b) == 1`` as a relation. Names print by their spelling: Greek
letters, digits at the end as an index; a catalogue may say otherwise for some (:data:`Names`). Only how a formula
looks is decided here, never what it means.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Mapping
from fractions import Fraction

from boundcheck.author.layout import (
    ATOM,
    POWER,
    PRODUCT,
    SUM,
    Atom,
    Box,
    Fence,
    Large,
    Ratio,
    Root,
    Row,
    Script,
    latex,
    level,
    mathml,
    unicode,
)
from boundcheck.kernel.formula import ARITHMETIC, BINDERS, Expr, Relation
from boundcheck.kernel.formula.functions import TABLE
from boundcheck.kernel.formula.vocabulary import FUNCTIONS, PROOF_HEADS, RELATIONS

#: name -> (text, LaTeX of it, index or ""): how a catalogue wants some of its names to look
Names = Mapping[str, tuple[str, str, str]]

_SMALL = "alpha beta gamma delta epsilon zeta eta theta iota kappa lambda mu nu xi omicron pi rho"
_GREEK = {
    **{name: chr(0x3B1 + n) for n, name in enumerate(_SMALL.split())},
    **{name: chr(0x3C3 + n) for n, name in enumerate(("sigma", "tau", "upsilon", "phi", "chi", "psi", "omega"))},
    "Gamma": "Γ",
    "Delta": "Δ",
    "Theta": "Θ",
    "Lambda": "Λ",
    "Xi": "Ξ",
    "Pi": "Π",
    "Sigma": "Σ",
    "Phi": "Φ",
    "Psi": "Ψ",
    "Omega": "Ω",
    "ell": "ℓ",
}
_SHORT = {"eps": "epsilon", "lam": "lambda", "Gam": "Gamma"}
_TEX_OF = {"ε": r"\varepsilon", "φ": r"\varphi", "ο": "o"}
_RELATION = {"<=": ("≤", r"\le"), ">=": ("≥", r"\ge"), "==": ("=", "="), "!=": ("≠", r"\ne")}
_RELATION |= {"<": ("<", "<"), ">": (">", ">")}
_CONSTANTS = {"pi": ("π", r"\mathrm{\pi}"), "E": ("e", r"\mathrm{e}"), "oo": ("∞", r"\infty")}
_SIDED = {"norm": "‖‖", "abs": "||", "floor": "⌊⌋", "ceil": "⌈⌉"}
#: head -> (text, LaTeX) of a letter that is applied to its arguments in parentheses
_APPLIED = {
    "f": ("f", "f"),
    "gradf": ("∇f", r"\nabla f"),
    "law": ("law", r"\mathrm{law}"),
    "integrable": ("integrable", r"\mathrm{integrable}"),
    "increasing": ("increasing", r"\mathrm{increasing}"),
    **{
        name: (f.latex.removeprefix("\\") or name, f.latex or rf"\operatorname{{{name}}}") for name, f in TABLE.items()
    },
    "gamma": ("Γ", r"\Gamma"),
    "loggamma": ("log Γ", r"\log\Gamma"),
    **{name: (name, rf"\{name}") for name in ("min", "max")},
}
#: predicates, which are 1 or 0: what stands between their arguments (LaTeX "": words)
_PREDICATES = {
    "independent": ("⫫", r"\perp\!\!\!\perp"),
    "iid": ("i.i.d. over", ""),
    "measurable": ("measurable in", ""),
    "gradient": ("has the gradient", ""),
}
#: what has a form of its own; of functions that a statement declares, only those of a catalogue
_WORDS = frozenset({*ARITHMETIC, *FUNCTIONS, *BINDERS, *PROOF_HEADS})
_OF_THE_PAPER = frozenset({"F", "gradF", "fmu", "gradfmu"})
_FAMILIES = {"union": ("⋃", r"\bigcup"), "meet": ("⋂", r"\bigcap")}


def sign(text: str, tex: str = "") -> Atom:
    """An operator."""
    return Atom("sign", text, tex or text)


def word(text: str) -> Atom:
    """Upright text with its spaces."""
    return Atom("word", text, rf"\text{{{text}}}")


_GAP = Atom("gap", " ", r"\,")
_COMMA = Atom("sign", ", ", ", ")


class _Builder:
    """The boxes of expressions under one choice of names."""

    def __init__(self, names: Names):
        self.names = names

    # -------------------------------------------------------- names and numbers

    def name(self, text: str) -> Box:
        """A variable: as the catalogue wants it, else Greek letters as such and digits at the end as an index."""
        if text in self.names:
            shown, tex, index = self.names[text]
            base = Atom("name", shown, tex)
            return Script(base, self._index(index)) if index else base
        stem, _, rest = text.partition("_")
        match = re.fullmatch(r"(.*?[A-Za-z])([0-9]+)", stem)
        if match:
            stem, digits = match[1], match[2]
            rest = f"{digits}_{rest}" if rest else digits
        if not stem or not rest.strip("_"):
            return self._letters(text if not stem else stem + "_" * (text.count("_") if not rest.strip("_") else 0))
        return Script(self._letters(stem), self._index(rest))

    def _letters(self, text: str) -> Atom:
        full = _SHORT.get(text, text)
        if full in _GREEK:
            letter = _GREEK[full]
            return Atom("name", letter, _TEX_OF.get(letter, rf"\{full}"))
        if len(text) == 1:
            return Atom("name", text, text)
        return Atom("word", text, rf"\mathrm{{{text.replace('_', chr(92) + '_')}}}")

    def _index(self, text: str) -> Box:
        parts: list[Box] = []
        for part in text.split("_"):
            if parts:
                parts.append(sign(","))
            parts.append(Atom("number", part, part) if part.isdigit() else self.name(part))
        return parts[0] if len(parts) == 1 else Row(tuple(parts))

    def number(self, value: Fraction) -> Box:
        """An exact number; powers of ten are written as such where the digits would fill a line."""
        if value < 0:
            return Row((sign("−", "-"), self.number(-value)), SUM)
        if value.denominator == 1:
            digits = str(value.numerator)
            short = digits.rstrip("0")
            zeros = len(digits) - len(short)
            return self._power_of_ten(short, zeros) if zeros > 6 else _digits(digits)
        ten = len(str(value.denominator)) - 1
        if ten > 4 and value.denominator == 10**ten:
            return self._power_of_ten(str(value.numerator), -ten)
        return Ratio(_digits(str(value.numerator)), _digits(str(value.denominator)))

    def _power_of_ten(self, digits: str, exponent: int) -> Box:
        power = Script(_digits("10"), high=self.number(Fraction(exponent)))
        return power if digits == "1" else Row((_digits(digits), sign("·", r"\cdot "), power), PRODUCT)

    # -------------------------------------------------------- arithmetic

    def fit(self, e: Expr, need: int) -> Box:
        """The box of ``e``, in parentheses where its outermost sign binds less tightly than ``need``."""
        box = self.box(e)
        own = level(box)
        if isinstance(box, Ratio) and need <= POWER:
            own = need  # a fraction holds together by its bar; one line of text brackets it itself
        return Fence("()", box) if own < need else box

    def box(self, e: Expr) -> Box:
        """The box of an expression or of an event."""
        if e.op == "num":
            return self.number(e.value)
        if e.op == "var":
            return self.name(e.value)
        if e.op == "const":
            text, tex = _CONSTANTS[e.value]
            return Atom("name", text, tex)
        if e.op in RELATIONS:
            return self.relation(e.op, *e.args)
        found: Callable[[Expr], Box] = getattr(self, f"_{e.op}", self._head)
        return found(e) if e.op in _WORDS or (self.names and e.op in _OF_THE_PAPER) else self._head(e)

    def relation(self, op: str, lhs: Expr, rhs: Expr) -> Box:
        """Both sides of a relation; a predicate that is 1 is written as what it says."""
        if op == "==" and lhs.op in _PREDICATES and rhs.op == "num" and rhs.value == 1:
            return self._said(lhs)
        text, tex = _RELATION[op]
        return Row((self.fit(lhs, SUM), Atom("sign", f" {text} ", tex + " "), self.fit(rhs, SUM)), 0)

    def _add(self, e: Expr) -> Box:
        between = Atom("sign", " + ", "+") if e.op == "add" else Atom("sign", " − ", "-")
        return Row((self.fit(e.args[0], SUM), between, self._unless_large(e.args[1], SUM + 1)), SUM)

    _sub = _add

    def _unless_large(self, e: Expr, need: int) -> Box:
        """What stands behind a sign: in parentheses where it binds less tightly, large operators as they are."""
        box = self.box(e)
        return box if isinstance(box, Large) else self.fit(e, need)

    def _neg(self, e: Expr) -> Box:
        return Row((Atom("sign", "−", "-"), self.fit(e.args[0], PRODUCT)), SUM)

    def _mul(self, e: Expr) -> Box:
        left, right = self.fit(e.args[0], PRODUCT), self.fit(e.args[1], POWER)
        items = left.items if isinstance(left, Row) and left.level == PRODUCT else (left,)
        first = _first(right)
        crowded = first.kind == "number" or (isinstance(right, Fence) and _called(items[-1]))
        if crowded:
            return Row((*items, sign("·", r"\cdot "), right), PRODUCT)
        after = isinstance(items[-1], Atom) and items[-1].kind == "number"
        close = after and first.kind == "name" and not isinstance(right, Ratio)  # 2x
        return Row((*items, right) if close else (*items, _GAP, right), PRODUCT)

    def _div(self, e: Expr) -> Box:
        return Ratio(self.box(e.args[0]), self.box(e.args[1]))

    def _pow(self, e: Expr) -> Box:
        base, high = self.fit(e.args[0], ATOM), self.box(e.args[1])
        if e.args[0].op in ("exp", "log", "sin", "cos", "tan") or (isinstance(base, Script) and base.high is not None):
            base = Fence("()", base)
        if isinstance(base, Script):
            return Script(base.base, base.low, high)
        return Script(base, high=high)

    # -------------------------------------------------------- functions and heads

    def _sqrt(self, e: Expr) -> Box:
        return Root(self.box(e.args[0]))

    def _at(self, e: Expr) -> Box:
        """A member of a family: the family's name without the s of the plural, the indices below it."""
        family, *indices = e.args
        while family.op == "at":
            indices = [*family.args[1:], *indices]
            family = family.args[0]
        name = family.value if family.op == "var" else ""
        single = name not in self.names and len(name) in (2,) and name.endswith("s")
        base = self.name(name[:-1] if single else name) if name else self.fit(family, ATOM)
        if isinstance(base, Script):
            indices_box = self._list(tuple(indices), sign(","))
            return Script(base.base, Row((base.low or word(""), sign(","), indices_box)), base.high)
        return Script(base, self._list(tuple(indices), sign(",")))

    def _P(self, e: Expr) -> Box:
        """A probability in parentheses or an expectation in brackets, also given information."""
        letter, box = e.op[0], self.box(e.args[0])
        if len(e.args) > 1:
            box = Row((box, Atom("sign", " | ", r"\mid "), self._list(e.args[1:])), 0)
        return Row((Atom("name", letter, rf"\mathbb{{{letter}}}"), Fence("()" if letter == "P" else "[]", box)))

    _E = _Pgiven = _Egiven = _P

    def _ind(self, e: Expr) -> Box:
        return Row((Atom("number", "1", r"\mathbf{1}"), Fence("{}", self._list(e.args))))

    def _dot(self, e: Expr) -> Box:
        return Fence("⟨⟩", self._list(e.args))

    def _clip(self, e: Expr) -> Box:
        psi = Script(Atom("name", "ψ", r"\psi"), self.box(e.args[1]))
        return Row((psi, Fence("()", self.box(e.args[0]))))

    def _fmu(self, e: Expr) -> Box:
        return Row((Script(Atom("name", "f", "f"), self.name("mu")), Fence("()", self._list(e.args))))

    def _gradfmu(self, e: Expr) -> Box:
        return Row((sign("∇", r"\nabla "), self._fmu(e)))

    def _F(self, e: Expr) -> Row:
        *sample, at = e.args  # F(z, y) is the paper's F(y; z)
        values = Row((self.box(at), Atom("sign", "; ", r";\,"), self._list(tuple(sample))))
        return Row((Atom("name", "F", "F"), Fence("()", values)))

    def _gradF(self, e: Expr) -> Box:
        return Row((sign("∇", r"\nabla "), *self._F(e).items))

    def _sphere(self, e: Expr) -> Box:
        high = Row((self._list(e.args), Atom("sign", "−", "-"), _digits("1")), SUM)
        return Row((word("Unif"), Fence("()", Script(Atom("name", "S", r"\mathbb{S}"), high=high))))

    def _ball(self, e: Expr) -> Box:
        ball = Script(Atom("name", "B", r"\mathbb{B}"), high=self._list(e.args))
        return Row((word("Unif"), Fence("()", ball)))

    def _both(self, e: Expr) -> Box:
        between = Atom("sign", " ∩ ", r"\cap ") if e.op == "both" else Atom("sign", " ∪ ", r"\cup ")
        return Row((self._event(e.args[0]), between, self._event(e.args[1])), SUM)

    _either = _both

    def _complement(self, e: Expr) -> Box:
        return Script(self._event(e.args[0]), high=Atom("word", "c", r"\mathrm{c}"))

    def _event(self, e: Expr) -> Box:
        """An event inside of another one, in braces where it is a relation."""
        box = self.box(e)
        if e.op in RELATIONS:
            return Fence("{}", box)
        return Fence("()", box) if level(box) < ATOM else box

    def _union(self, e: Expr) -> Box:
        if not e.binds:
            return self._head(e)
        text, tex = _FAMILIES[e.op]
        return Large(sign(text, tex), self._from(e), self.box(e.args[3]), self._event(e.args[0]))

    _meet = _union

    def _coordinate(self, e: Expr) -> Box:
        return Row((word("coordinate of "), self._sphere(e)))

    def _least(self, e: Expr) -> Box:
        if not e.binds:
            return self._head(e)
        body, name, low, high = e.args
        extreme = "min" if e.op == "least" else "max"
        step = Atom("sign", "≤", r"\le ")
        below = Row((self.box(low), step, self.box(name), step, self.box(high)), 0)
        return Large(Atom("word", extreme, rf"\{extreme}"), below, None, self.fit(body, PRODUCT))

    _most = _least

    def _sum(self, e: Expr) -> Box:
        body = self._unless_large(e.args[0], PRODUCT)
        return Large(sign("∑", r"\sum"), self._from(e), self.box(e.args[3]), body)

    def _integral(self, e: Expr) -> Box:
        body, name, low, high = e.args
        tail = Row((_GAP, Atom("name", "d", r"\mathrm{d}"), self.box(name)))
        return Large(sign("∫", r"\int"), self.box(low), self.box(high), self.fit(body, PRODUCT), tail)

    def _from(self, e: Expr) -> Box:
        return Row((self.box(e.args[1]), sign("="), self.box(e.args[2])), 0)

    def _said(self, e: Expr) -> Box:
        """A predicate in words."""
        text, tex = _PREDICATES[e.op]
        between = Atom("sign", f" {text} ", tex + " ") if tex else word(f" {text} ")
        first, *others = e.args
        return Row((self.fit(first, SUM), between, self._list(tuple(others))), 0)

    def _list(self, args: tuple[Expr, ...], comma: Atom = _COMMA) -> Box:
        parts: list[Box] = []
        for a in args:
            parts += [comma, self.box(a)] if parts else [self.box(a)]
        return parts[0] if len(parts) == 1 else Row(tuple(parts), 0)

    def _head(self, e: Expr) -> Box:
        """Functions written before their arguments, bars around them, and any head that has no form of its own."""
        if e.op in _SIDED and len(e.args) == 1:
            return Fence(_SIDED[e.op], self.box(e.args[0]))
        if e.op in _PREDICATES:
            return Row((Atom("number", "1", r"\mathbf{1}"), Fence("{}", self._said(e))))
        fence = Fence("{}" if e.op in ("min", "max") else "()", self._list(e.args))
        if e.op in self.names:
            return Row((self.name(e.op), fence))
        text, tex = _APPLIED.get(e.op, (e.op, rf"\operatorname{{{e.op}}}"))
        kind = "name" if len(text) == 1 else "word"
        return Row((Atom(kind, text, tex), fence))


def _digits(text: str) -> Atom:
    return Atom("number", text, text)


def _first(box: Box) -> Atom:
    """The sign that a box begins with."""
    while not isinstance(box, Atom):
        if isinstance(box, Row):
            box = box.items[0]
        elif isinstance(box, Ratio):
            box = box.top
        elif isinstance(box, Script):
            box = box.base
        else:
            return Atom("sign", "", "")
    return box


def _called(box: Box) -> bool:
    """Whether a box before parentheses would read as a function that is called."""
    return isinstance(box, Atom) and box.text in ("f", "F", "P", "E", "D")


# ---------------------------------------------------------------- front


def boxes(e: Expr | Relation, names: Names | None = None) -> Box:
    """The boxes of an expression or a relation."""
    builder = _Builder(names or {})
    return builder.relation(e.op, e.lhs, e.rhs) if isinstance(e, Relation) else builder.box(e)


def to_latex(e: Expr | Relation, names: Names | None = None) -> str:
    """The formula in LaTeX, without dollar signs."""
    return latex(boxes(e, names)).strip()


def to_unicode(e: Expr | Relation, names: Names | None = None) -> str:
    """The formula in one line of Unicode text."""
    return unicode(boxes(e, names)).strip()


def to_mathml(e: Expr | Relation, names: Names | None = None) -> str:
    """The formula as MathML elements, one ``math`` for each part between which a line may end."""
    return "".join(f"<math>{mathml(part)}</math>" for part in pieces(boxes(e, names)))


def pieces(box: Box) -> list[Box]:
    """A box cut where a line may end: before the sign of a relation and before those of its sums.

    The sign leads its line, so that it is seen where the part before it is too wide for the screen.
    """
    if isinstance(box, Row) and box.level in (0, SUM) and len(box.items) == 3 and isinstance(box.items[1], Atom):
        left, operator, right = box.items
        first, *rest = pieces(right) if box.level == 0 else [right]
        return [*pieces(left), Row((operator, first), 0), *rest]
    return [box]


#: Every head and function that has a form of its own: the rest prints as ``head(arguments)``.
COVERED = frozenset(
    {name for name in (*PROOF_HEADS, *FUNCTIONS) if name in _SIDED or name in _APPLIED or name in _PREDICATES}
    | {name for name in (*PROOF_HEADS, *FUNCTIONS, "integral", "sum") if hasattr(_Builder, f"_{name}")}
)
