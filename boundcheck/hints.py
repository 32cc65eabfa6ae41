"""What a formula says instead of what people write elsewhere: names, functions and signs, each with the mend.

The kernel raises :class:`boundcheck.kernel.formula.FormulaError` with the text at fault, and ``boundcheck`` gives it
these words.
"""

from __future__ import annotations

import difflib
import unicodedata
from collections.abc import Iterable

from boundcheck.kernel.formula import BINDERS, FUNCTIONS

_INFINITE = "oo as an end of integral(...) or sum(...); a variable has no value that is infinite"
_NO_VALUE = "nothing for it: every term of a claim is a number"
_TRUTH = "a relation, such as x > 0: a claim has no truth values"
_ONE_BY_ONE = "one relation in each string, or a chain such as 0 < x <= 1"
_BOUNDED = "a variable with the bounds that are needed: pi and E are the constants of a claim"
#: Names that look like numbers and would be read as variables, in small letters: what to write instead.
_LOOKALIKES: dict[str, str] = {
    **dict.fromkeys(
        ("oo", "inf", "infinity", "infty", "infinite", "ninf", "pinf", "negativeinfinity", "complexinfinity", "zoo"),
        _INFINITE,
    ),
    **dict.fromkeys(("nan", "qnan", "snan", "undefined", "indeterminate"), _NO_VALUE),
    **dict.fromkeys(("pi", "m_pi"), "pi"),
    **dict.fromkeys(("exp1", "m_e"), "E"),
    **dict.fromkeys(("true", "false", "none", "null", "nil"), _TRUTH),
    **dict.fromkeys(("and", "or", "not", "in", "if", "implies"), _ONE_BY_ONE),
    **dict.fromkeys(
        ("huge_val", "dbl_max", "flt_max", "dbl_min", "flt_min", "dbl_epsilon"), "the number itself, such as 2**1024"
    ),
    **dict.fromkeys(("eulergamma", "euler_gamma", "goldenratio", "golden_ratio"), _BOUNDED),
}
_SIGN = "write x/abs(x) where x != 0, or one claim for each sign"
#: Functions of other languages, in small letters: how a claim says the same.
_ELSEWHERE: dict[str, str] = {
    **dict.fromkeys(("sign", "sgn", "signum"), _SIGN),
    "log2": "write log(x)/log(2)",
    "log10": "write log(x)/log(10)",
    **dict.fromkeys(("pow", "power"), "write x**y"),
    **dict.fromkeys(("square", "sqr"), "write x**2"),
    "cbrt": "write x**(1/3) where x >= 0",
    "factorial": "write gamma(n + 1)",
    **dict.fromkeys(("binomial", "comb", "choose"), "write gamma(n + 1)/(gamma(k + 1)*gamma(n - k + 1))"),
    "beta": "write gamma(x)*gamma(y)/gamma(x + y)",
    "cot": "write 1/tan(x)",
    "sec": "write 1/cos(x)",
    "csc": "write 1/sin(x)",
    **dict.fromkeys(("arcsinh", "arsinh"), "did you mean asinh?"),
    **dict.fromkeys(("arccosh", "arcosh"), "did you mean acosh?"),
    **dict.fromkeys(("arctanh", "artanh"), "did you mean atanh?"),
    **dict.fromkeys(("mod", "fmod", "rem"), "write x - y*floor(x/y)"),
    "round": "write floor(x + 1/2)",
    "trunc": "write floor(x) where x >= 0",
    "frac": "write x - floor(x)",
    "relu": "write max(x, 0)",
    **dict.fromkeys(("ln", "lg"), "did you mean log?"),
    "lgamma": "did you mean loggamma?",
    "gamma": "did you mean gamma?",
    "arcsin": "did you mean asin?",
    "arccos": "did you mean acos?",
    "arctan": "did you mean atan?",
    "fabs": "did you mean abs?",
    "integrate": "did you mean integral?",
    "ceiling": "did you mean ceil?",
}
_MINUS, _TIMES = "write - for minus", "write * for a product"
_EACH = "put one relation in each string, or write a chain such as 0 < x <= 1"
#: Signs that formulas do not have: what to write instead.
SIGNS: dict[str, str] = {
    "^": "write ** for a power",
    "=": "write == for equality",
    "&": "put one relation in each string",
    "|": "write abs(x) for |x|, and put one relation in each string",
    "!": "write gamma(n + 1) for n!, != for unequal",
    "%": "write 0.05 for 5%, and x - y*floor(x/y) for a remainder",
    "~": "write != for unequal",
    "\\": "write formulas as in Python, not as in TeX",
    "$": "write formulas as in Python, not as in TeX",
    **dict.fromkeys("'\"`", "write names with the letters a to z, digits and _"),
    "[": "write parentheses ( )",
    "{": "write parentheses ( )",
    **dict.fromkeys("\u2264\u2266\u2a7d\u2272", "write <="),
    **dict.fromkeys("\u2265\u2267\u2a7e\u2273", "write >="),
    "\u2260": "write !=",
    "\u2261": "write ==",
    "\u2212": _MINUS,
    **dict.fromkeys("\u00b7\u22c5\u2219\u2022\u00d7\u2a2f\u2715\u2217\u204e", _TIMES),
    **dict.fromkeys("\u00f7\u2215\u2044", "write / for a quotient"),
    "\u221a": "write sqrt(x)",
    "\u03c0": "write pi",
    "\u221e": "write oo",
    "\u2211": "write sum(expression, k, a, b)",
    "\u03a3": "write sum(expression, k, a, b), or a name of the letters a to z",
    "\u222b": "write integral(expression, t, a, b)",
    **dict.fromkeys("\u2227\u2228\u00ac\u21d2\u2192\u27f9\u27f6\u21d4\u27fa\u2200\u2203", _EACH),
    "\u2208": "write the bounds, such as 0 < x and x <= 1, one in each string",
    "\u2223": "write abs(x) for |x|",
    "\u2016": "write abs(x) for a number",
    **dict.fromkeys("\u230a\u230b", "write floor(x)"),
    **dict.fromkeys("\u2308\u2309", "write ceil(x)"),
    "\u221b": "write x**(1/3) where x >= 0",
    "\u2248": "write two bounds, such as 1.2 <= x <= 1.3",
    **dict.fromkeys("\u00b1\u2213", "write one claim for each sign"),
}

#: Pairs of signs that formulas do not have.
_PAIRS = {"=<": "write <=", "=>": "write >=", "<>": "write != for unequal", "//": "write floor(x/y)"}


def mend(kind: str, text: str) -> str:
    """How the message about a text ends that is no formula: "; " and the mend, "" if none is known.

    ``text`` is of the ``kind`` "sign" (with the one behind it), "name", "pair" of signs, "function", or "rest": where
    a formula should be at its end. "" has no mend.
    """
    match kind:
        case "sign":
            return f"; {sign(text[0], text[1:])}"
        case "name":
            return f"; write {_LOOKALIKES[text.lower()]}"
        case "pair":
            return f"; {_PAIRS[text]}" if text in _PAIRS else ""
        case "function":
            return f"; {function(text, [*FUNCTIONS, *BINDERS])}"
        case "rest" if text.lower() in _LOOKALIKES:
            return f"; write {_LOOKALIKES[text.lower()]}"
        case "rest" if text == ",":
            return "; a numeral is written without commas"
        case "rest" if text == "(" or text[0].isalnum() or text[0] in "_.":
            return "; a product is written with *"
    return ""


def nearest(word: str, known: Iterable[str], otherwise: str = "") -> str:
    """``did you mean this?`` with the known word that is spelled nearly so, else what there is to say otherwise."""
    near = difflib.get_close_matches(word, list(known), 1)
    return f"did you mean {near[0]}?" if near else otherwise


def function(name: str, known: list[str]) -> str:
    """The mend for a function that claims do not have; ``known`` are those that they have."""
    if name.lower() in _LOOKALIKES:
        return f"write {_LOOKALIKES[name.lower()]}"
    if hint := _ELSEWHERE.get(name.lower(), ""):
        return hint
    if len(name) == 1:
        return "a product is written with *"
    same = f"did you mean {name.lower()}?" if name.lower() in known else ""
    return nearest(name, known, same or f"the functions are {', '.join([*FUNCTIONS, *BINDERS])}")


def sign(character: str, after: str = "") -> str:
    """The mend for a character that formulas do not have; ``after`` is the next one."""
    if character in SIGNS:
        return _PAIRS.get(character + after, SIGNS[character])
    kind, plain = unicodedata.category(character), unicodedata.normalize("NFKC", character).replace("\u2212", "-")
    how = unicodedata.decomposition(character).partition(" ")[0]
    if how == "<super>" and plain.isascii():
        return f"write **{plain}"
    if how == "<sub>" and plain.isascii():
        return f"write {plain} without lowering it, as in x{plain}"
    if how == "<fraction>":
        return "write the fraction as 1/2"
    if kind == "Nd":
        return f"write {unicodedata.decimal(character)}"
    if kind == "Pd":
        return _MINUS
    if kind in ("Cf", "Cc"):
        return f"{unicodedata.name(character, 'a control character')} cannot be seen: delete it"
    if how == "<wide>" and plain.isascii():
        return f"write {plain}"
    if character.isalpha():
        return "names are written with the letters a to z, digits and _"
    said = "" if character.isascii() else f"{unicodedata.name(character, 'it')} is no sign of formulas: "
    return f"{said}write with + - * / ** ( ) , and the relations <= >= == != < >"
