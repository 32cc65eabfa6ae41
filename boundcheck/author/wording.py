"""Facts, justifications and rules as one line of text, for show, the report and the reference."""

from __future__ import annotations

from collections.abc import Callable

from boundcheck.author.typeset import Names, to_unicode
from boundcheck.kernel.formula import FormulaError, parse, parse_relations
from boundcheck.kernel.rules import Rule
from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Decide,
    Definition,
    Fact,
    Follows,
    Literature,
    Ref,
    Step,
    Use,
)


def fact_text(fact: Fact) -> str:
    """The assertion with its quantified names and conditions."""
    over = f"for all {', '.join(fact.over)}" if fact.over else ""
    where = f"where {', '.join(fact.where)}" if fact.where else ""
    return " ".join(t for t in (fact.claim, over, where) if t)


def fact_unicode(fact: Fact, names: Names | None = None) -> str:
    """The assertion as :func:`fact_text` has it, its formulas as they are printed in a paper that has these names."""
    over = f"for all {', '.join(shown(o, names) for o in fact.over)}" if fact.over else ""
    where = f"where {', '.join(shown(w, names) for w in fact.where)}" if fact.where else ""
    return " ".join(t for t in (shown(fact.claim, names), over, where) if t)


def shown(source: str, names: Names | None = None) -> str:
    """A formula (a relation, a chain of them, or an expression) in Unicode text; what is none stays as it is."""
    try:
        return ", ".join(to_unicode(r, names) for r in parse_relations(source, proof=True))
    except FormulaError:
        try:
            return to_unicode(parse(source, proof=True), names)
        except FormulaError:
            return source


def rule_premises(rule: Rule, formula: Callable[[str], str] = str) -> list[str]:
    """What stands behind ``if`` in the text of a rule, each formula as ``formula`` writes it."""
    return [_rule_fact(f, formula) for f in rule.premises]


def rule_needs(rule: Rule, formula: Callable[[str], str] = str) -> list[str]:
    """What stands behind ``with`` in the text of a rule, each formula as ``formula`` writes it."""

    def event(text: str) -> str:
        return f"~{formula(text[1:])}" if text.startswith("~") else formula(text)

    needs = [_rule_fact(f, formula) for f in rule.sides]
    for i in rule.implies:
        given = " and ".join(map(event, i.given))
        needs.append(f"{event(i.then)} wherever {given}" if given else f"{event(i.then)} everywhere")
    needs += [f"{formula(t)} is integrable" for t in rule.integrable]
    for term, condition in rule.existence:
        where = f" where {formula(condition.claim)}" if condition is not None else ""
        needs.append(f"{formula(term)} exists{where}")
    needs += [f"{formula(t)} is known from {formula(h)}" for t, h in rule.measurable]
    needs += [f"{formula(name)} is random through {formula(term)} alone" for name, term in rule.only]
    needs += [
        f"{formula(d.name)} = {formula(d.source)} at {formula(d.variable)} = {formula(d.value)}" for d in rule.derived
    ]
    return needs


def _rule_fact(fact: Fact, formula: Callable[[str], str]) -> str:
    entries = (entry.partition(":") for entry in fact.over)
    over = ", ".join(f"{sort.strip()} {formula(name.strip())}".strip() for name, _, sort in entries)
    where = ", ".join(map(formula, fact.where))
    return formula(fact.claim) + (f" for {over}" if over else "") + (f" where {where}" if where else "")


#: how the engines call what they do -> in words
METHODS = {
    "case": "cases",
    "cover": "a cover by intervals",
    "drop": "fewer of the facts",
    "enumerate": "cases of an integer",
    "eval": "evaluation in balls",
    "expansion": "an expansion",
    "factor": "the signs of factors",
    "farkas": "a combination of the facts",
    "given": "a fact that is given",
    "gram": "a sum of squares",
    "hypothesis": "a hypothesis",
    "identity": "an exact identity",
    "ladder": "the signs of derivatives",
    "peel": "monotone functions taken off",
    "refute": "a search for counterexamples",
    "scale": "a scaling",
}


def method_text(method: str) -> str:
    """What the engines did, in words: "cover+eval" is a cover by intervals and evaluation in balls."""
    words = [METHODS.get(word, word) for word in method.split("+")]
    return ", ".join(words[:-1]) + (" and " if len(words) > 1 else "") + words[-1]


def reason_text(step: Step) -> str:
    """Why a step is said to hold, with what it uses."""
    by = step.by
    if isinstance(by, Decide):
        return _using("decided by the engines", by.using)
    if isinstance(by, Follows):
        return _using("follows", by.using) if by.using else "follows from the domain"
    if isinstance(by, ByRule):
        return _using(f"rule {by.rule}", by.using)
    if isinstance(by, ByGram):
        return _using("quadratic forms in free vectors", by.using)
    if isinstance(by, Cite):
        part = f", claim {by.part + 1}" if by.part else ""
        return _using(f"cites {by.label}{part}{' (as used)' if by.as_used else ''}", by.using)
    if isinstance(by, Definition):
        return "definition"
    assert isinstance(by, Literature)
    return f"taken from {by.reference}"


def _using(head: str, refs: tuple[Ref, ...]) -> str:
    return f"{head} from {', '.join(map(_ref, refs))}" if refs else head


def _ref(ref: Ref) -> str:
    if isinstance(ref, Use):
        let = ", ".join(f"{k} = {v}" for k, v in ref.let.items())
        return f"{_ref(ref.ref)} at {let}" if let else _ref(ref.ref)
    return f"({ref})" if isinstance(ref, int) else ref
