"""Reading the files ``*.rules``: text is data and is never evaluated as code. A file is paragraphs such as

    let G is L-Lipschitz: norm(G(y) - G(z)) <= L*norm(y - z) for vector y, vector z
    [union over a range] for A(t): event; t: bound; a, b: integer; q: real
      if P(A) <= q for integer t where t >= a, t <= b
      with b >= a
      then P(union(A, t, a, b)) <= (b - a + 1)*q   source: union bound over the integers t = a, ..., b

Semicolons separate the items of a clause; an item that is the name of a ``let`` above stands for its items. A line
that begins with four spaces goes on with the one before it; # begins a line of comment. Behind ``for`` stand the
metavariables, behind ``if`` facts that a step cites, behind ``with`` what has to hold besides.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Set
from pathlib import Path
from typing import Any

from boundcheck.kernel.formula import BINDERS, CONSTANTS, FAMILIES, FUNCTIONS, PROOF_HEADS, FormulaError
from boundcheck.kernel.proof.facts import quantified, read_term
from boundcheck.kernel.proof.sorts import SortError
from boundcheck.kernel.rules.schema import Derived, Implies, Rule, split
from boundcheck.kernel.statement import Fact

_WORDS = frozenset({*BINDERS, *CONSTANTS, *FAMILIES, *FUNCTIONS, *PROOF_HEADS})
_NAMES = re.compile(r"[^\W\d]\w*")
Items = tuple[str, ...]


class RuleTextError(ValueError):
    """A file of rules that cannot be read: the message names file, line, what is wrong and how to mend it."""


def paragraphs(paths: Iterable[Path], words: Items) -> dict[str, tuple[str, dict[str, Items]]]:
    """What stands under each name in brackets: its place, and the items of its clauses by their first word.

    ``words`` are the words that a clause may begin with. Raises :class:`RuleTextError`.
    """
    found: dict[str, tuple[str, dict[str, Items]]] = {}
    for path in paths:
        lets: dict[str, Items] = {}
        clauses: dict[str, Items] | None = None
        for place, line in _lines(path):
            if line.startswith("let "):
                name, _, text = line[4:].partition(": ")
                if not text or name in lets:
                    raise RuleTextError(f"{place}: {name!r} is no new abbreviation; write let NAME: ITEM; ITEM")
                lets[name] = _items(place, text, lets)
                continue
            if line.startswith("["):
                name, _, line = line[1:].partition("]")
                if name in found:
                    raise RuleTextError(f"{place}: {name} is at {found[name][0]} already; choose another name")
                clauses = {}
                found[name] = place, clauses
            elif clauses is None or not line.startswith("  "):
                raise RuleTextError(f"{place}: {line!r} is in no paragraph; write [NAME], and its clauses indented")
            text, told, source = line.strip().partition(" source: ")
            for clause in filter(None, (text, told and f"source: {source}")):
                word, _, said = clause.partition(" ")
                if word not in words or word in clauses:
                    raise RuleTextError(f"{place}: {word!r} is no clause here; write, once each, {', '.join(words)}")
                clauses[word] = (said,) if word == "source:" else _items(place, said, lets)
    for name, (place, clauses) in found.items():
        if "source:" not in clauses:
            raise RuleTextError(f"{place}: {name} has no source; end it with source: WHERE IT IS FROM")
    return found


def _lines(path: Path) -> list[tuple[str, str]]:
    """The lines with their places, each with those that go on with it."""
    lines: list[tuple[str, str]] = []
    for number, line in enumerate(path.read_text(encoding="utf-8").splitlines(), 1):
        if line.startswith("    ") and lines:
            lines[-1] = (lines[-1][0], f"{lines[-1][1]} {line.strip()}")
        elif line.strip() and not line.startswith("#"):
            lines.append((f"{path.name}:{number}", line.rstrip()))
    return lines


def _items(place: str, text: str, lets: dict[str, Items]) -> Items:
    items = [" ".join(item.split()) for item in text.split(";")]
    if not all(items):
        raise RuleTextError(f"{place}: an item is missing in {text!r}; write one on each side of a semicolon")
    return tuple(part for item in items for part in lets.get(item, (item,)))


def read_rules(paths: Iterable[Path]) -> dict[str, Rule]:
    """The rules of files by name, in their order. Raises :class:`RuleTextError`."""
    rules: dict[str, Rule] = {}
    for name, (place, clauses) in paragraphs(paths, ("for", "if", "with", "then", "source:")).items():
        if "for" not in clauses or len(clauses.get("then", ())) != 1:
            raise RuleTextError(f"{place}: {name} wants declarations and one claim; write for NAME: SORT, then CLAIM")
        needs: dict[str, Any] = {}
        for field, value in map(_need, clauses.get("with", ())):
            needs[field] = (*needs.get(field, ()), value)
        declared, (claim,), (source,) = "; ".join(clauses["for"]), clauses["then"], clauses["source:"]
        rules[name] = Rule(name, declared, claim, tuple(map(_fact, clauses.get("if", ()))), source=source, **needs)
        try:
            _all_declared(rules[name])
        except SortError as fault:
            raise RuleTextError(f"{place}: {name}: {fault}") from None
    return rules


def _fact(text: str) -> Fact:
    """``CLAIM for integer t, y where CONDITION, CONDITION``, with or without ``for`` and ``where``."""
    text, _, conditions = text.partition(" where ")
    claim, _, over = text.partition(" for ")
    names = [o.strip().rpartition(" ") for o in over.split(",")] if over else []
    where = tuple(split(conditions)) if conditions else ()
    return Fact(claim, tuple(f"{n}: {sort}" if sort else n for sort, _, n in names), where)


def _need(item: str) -> tuple[str, Any]:
    """The field of a rule that an item behind ``with`` is for, and its value there."""
    match item.split(" "):
        case [*term, "is", "integrable"]:
            return "integrable", " ".join(term)
        case [name, "is", "random", "through", term, "alone"]:
            return "only", (name, term)
        case [name, "=", source, "at", variable, "=", *value]:
            return "derived", Derived(name, source, variable, " ".join(value))
        case [*event, "everywhere"]:
            return "implies", Implies((), " ".join(event))
    left, found, right = item.partition(" wherever ")
    if found:
        return "implies", Implies(tuple(right.split(" and ")), left)
    left, found, right = item.partition(" is known from ")
    if found:
        return "measurable", (left, right)
    left, found, right = item.partition(" exists")
    return ("converges", left + right.replace(" where ", " if ")) if found else ("sides", _fact(item))


def undeclared(text: str, known: Set[str]) -> str:
    """What to say of names in a formula that are neither ``known``, nor words of formulas, nor bound; "" if none."""
    names = set(_NAMES.findall(text)) - known - _WORDS
    if names:  # few texts bind names of their own
        try:
            e = read_term(text.removeprefix("~"))
        except FormulaError as fault:
            return f"{text!r} is no formula ({fault}); mend it, or declare {', '.join(sorted(names))}"
        names &= e.free | {n.op for n in e.walk()}
    return f"{', '.join(sorted(names))} in {text!r} is unknown; declare it behind for" if names else ""


def _all_declared(rule: Rule) -> None:
    """Refuse a name that is neither declared nor derived nor bound where it stands. Raises :class:`SortError`."""
    known = {*rule.metas, *(d.name for d in rule.derived)}
    if len(known) < len(rule.metas) + len(rule.derived) or known & _WORDS:
        raise SortError("a name is declared twice, or is a word of formulas; choose another")
    bound = {n for n, m in rule.metas.items() if m.bound}
    groups = [(rule.conclusion,), rule.integrable, *rule.measurable, *rule.only, *(m.on for m in rule.metas.values())]
    groups += [(d.source, d.variable, d.value) for d in rule.derived] + [(*i.given, i.then) for i in rule.implies]
    texts = [(text, known) for group in (*groups, [term for term, _ in rule.existence]) for text in group]
    for fact in (*rule.premises, *rule.sides, *(condition for _, condition in rule.existence if condition)):
        own = quantified(fact, {}).keys()
        if own & (known - bound) or not all(map(str.isidentifier, own)):
            raise SortError(f"{fact.claim!r} cannot be for all {', '.join(own)}; take new names, or bound ones")
        texts += [(text, known | own) for text in (fact.claim, *fact.where)]
    for text, names in texts:
        if told := undeclared(text, names):
            raise SortError(told)
