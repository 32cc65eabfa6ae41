"""Integrals and sums whose values no antiderivative gives: a short table, each entry with its source.

A node names the entry and what its letters stand for, ``of``: formulas without the bound variable. The body is then
the entry's with ``factor`` before it, everywhere on the range, and the conditions of the entry hold.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from boundcheck.kernel.check.binder_rules import binder, with_value
from boundcheck.kernel.check.nodes_read import Node, known, need
from boundcheck.kernel.check.sequent import Refused, Sequent, has_binder, obligations
from boundcheck.kernel.formula import Expr, Relation, const, folded, num, parse, parse_relation, substitute, var


@dataclass(frozen=True)
class Known:
    """The integral or sum of ``body`` in t from ``low`` to ``high`` (oo or -oo are ends too) under ``conditions``."""

    head: str
    body: str
    low: str
    high: str
    conditions: tuple[str, ...]
    value: str


#: DLMF 5.9.1 twice (the second by symmetry), 5.12.1, 5.12.3, 4.2.19, 4.6.1, 25.6.1 twice
KNOWN: Mapping[str, Known] = {
    "gamma": Known(
        "integral", "t**(a - 1)*exp(-c*t**k)", "0", "oo", ("a > 0", "c > 0", "k > 0"), "gamma(a/k)*c**(-a/k)/k"
    ),
    "gauss": Known(
        "integral", "abs(t)**(a - 1)*exp(-c*abs(t)**k)", "-oo", "oo", ("a >= 1", "c > 0", "k > 0"),
        "2*gamma(a/k)*c**(-a/k)/k",
    ),
    "beta": Known(
        "integral", "t**(a - 1)*(1 - t)**(b - 1)", "0", "1", ("a > 0", "b > 0"), "gamma(a)*gamma(b)/gamma(a + b)"
    ),
    "beta prime": Known(
        "integral", "t**(a - 1)*(1 + t)**(-a - b)", "0", "oo", ("a > 0", "b > 0"), "gamma(a)*gamma(b)/gamma(a + b)"
    ),
    "exponential": Known("sum", "a**t/gamma(t + 1)", "0", "oo", (), "exp(a)"),
    "logarithm": Known("sum", "a**t/t", "1", "oo", ("-1 <= a", "a < 1"), "-log(1 - a)"),
    "zeta(2)": Known("sum", "1/t**2", "1", "oo", (), "pi**2/6"),
    "zeta(4)": Known("sum", "1/t**4", "1", "oo", (), "pi**4/90"),
}  # fmt: skip


_END = {"0": num(0), "1": num(1), "oo": const("oo"), "-oo": Expr("neg", (const("oo"),))}


def _known(node: Node, seq: Sequent) -> list[Sequent]:
    """The term replaced by a value of the table; obligations: its conditions, and that the body is the entry's."""
    entry = KNOWN.get(str(node.get("entry")))
    b = binder(node, seq)
    given = node.get("of")
    if entry is None or not isinstance(given, Mapping):
        raise Refused(f"known wants an entry of {', '.join(KNOWN)} and what its letters are")
    letters = [*sorted(parse(entry.body).free - {"t"}), "factor"]
    if sorted(given) != sorted(letters):
        raise Refused(f"of: {', '.join(letters)} are wanted")
    values = {name: known(given, name, seq) for name in letters}
    if any(map(has_binder, values.values())):
        raise Refused("of: formulas without sums and integrals are wanted")
    if b.term.op != entry.head or b.term.args[2:] != (_END[entry.low], _END[entry.high]):
        raise Refused(f"{node.get('entry')} goes from {entry.low} to {entry.high}")

    def put(text: str) -> Expr:
        return values["factor"] * substitute(parse(text), {**values, "t": var(b.t)})

    body, value = folded(put(entry.body)), put(entry.value)  # t**(1 - 1) is t**0, which is 1 at t = 0 too
    left = [s for e in values.values() for s in obligations(e, seq)]
    for condition in entry.conditions:
        left += need(parse_relation(condition).map(lambda e: substitute(e, values)), seq)
    left += [*b.defined(b.body, body), b.inside(Relation("==", body, b.body)), *obligations(value, seq)]
    return [*left, *with_value(b, value)]


RULES = {"known": _known}
