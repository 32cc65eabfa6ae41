"""The texts of the rules: what is read is what is meant, each wrong text is refused with its place and a mend."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path

import pytest

from boundcheck.author.wording import rule_needs, rule_premises
from boundcheck.kernel.formula import parse_relation
from boundcheck.kernel.proof.facts import read_term
from boundcheck.kernel.rules import PARTS, RULES, Derived, Implies, Rule
from boundcheck.kernel.rules import __file__ as package
from boundcheck.kernel.rules.interpolation import CLASSES, read_classes
from boundcheck.kernel.rules.rule_reader import RuleTextError, read_rules
from boundcheck.kernel.statement import Fact

RANGE = """
# a comment; then an abbreviation within an abbreviation
let t lies in the range: t >= a
let two facts: t lies in the range; P(A) <= q for integer t
    where t >= a, t <= b

[union over a range] for A(t): event; t: bound; a, b: integer; q: real
  if P(A) <= q for integer t where t >= a, t <= b
  with b >= a
  then P(union(A, t, a, b)) <= (b - a + 1)*q   source: union bound; see [1],
    page 2
"""


def read(tmp_path: Path, *texts: str) -> dict[str, Rule]:
    paths = [tmp_path / f"part{n}.rules" for n, _ in enumerate(texts, 1)]
    for path, text in zip(paths, texts, strict=True):
        path.write_text(text, encoding="utf-8")
    return read_rules(paths)


def test_a_paragraph_is_the_rule_that_it_says(tmp_path):
    (rule,) = read(tmp_path, RANGE).values()
    assert rule == Rule(
        "union over a range",
        "A(t): event; t: bound; a, b: integer; q: real",
        "P(union(A, t, a, b)) <= (b - a + 1)*q",
        premises=(Fact("P(A) <= q", over=("t: integer",), where=("t >= a", "t <= b")),),
        sides=(Fact("b >= a"),),
        source="union bound; see [1], page 2",
    )


def test_every_kind_of_need_is_the_field_that_it_says(tmp_path):
    needs = {
        "W >= 0 where a <= t, t <= b": {"sides": (Fact("W >= 0", where=("a <= t", "t <= b")),)},
        "B wherever A and ~C": {"implies": (Implies(("A", "~C"), "B"),)},
        "~A everywhere": {"implies": (Implies((), "~A"),)},
        "norm(X - Y)**2 is integrable": {"integrable": ("norm(X - Y)**2",)},
        "integral(W, t, a, n) exists where n >= a": {"converges": ("integral(W, t, a, n) if n >= a",)},
        "integral(W, t, a, oo) exists": {"converges": ("integral(W, t, a, oo)",)},
        "ind(X <= a) is known from at(H, i + 1)": {"measurable": (("ind(X <= a)", "at(H, i + 1)"),)},
        "X is random through Y alone": {"only": (("X", "Y"),)},
        "Z = X at Y = a + b": {"derived": (Derived("Z", "X", "Y", "a + b"),)},
    }
    declared = (
        "A, B, C: event; X, Y: random real; H: integer -> information; i: integer; t, n: bound; W(t), a, b: real"
    )
    found = read(
        tmp_path,
        "".join(f"[{n}] for {declared}\n  with {n}\n  then a <= b   source: none\n" for n in needs)
        + f"[all] for {declared}\n  with {'; '.join(needs)}\n  then a <= b\n  source: none",
    )
    for name, fields in needs.items():
        assert found[name] == Rule(name, declared, "a <= b", source="none", **fields)
    together = {f: tuple(v for fields in needs.values() for v in fields.get(f, ())) for f in vars(found["all"])}
    assert found["all"] == replace(found["all"], **{f: v for f, v in together.items() if v})


def test_an_abbreviation_stands_for_its_items_in_its_file(tmp_path):
    both = RANGE.replace("  if P(A) <= q for integer t where t >= a, t <= b", "  if two facts")
    (rule,) = read(tmp_path, both).values()
    assert rule.premises == (Fact("t >= a"), Fact("P(A) <= q", ("t: integer",), ("t >= a", "t <= b")))
    elsewhere = both[both.index("[") :].replace("[union over a range]", "[second]")
    with pytest.raises(RuleTextError, match=r"part2.rules:1: second: 'two facts' is no formula"):
        read(tmp_path, RANGE, elsewhere)


UNKNOWN = "is unknown; declare it behind for"
FAULTS = [
    ("  with b", "  wiht b", r"part1.rules:9: 'wiht' is no clause here; write, once each, for, if, with, then"),
    ("  with b >= a", "  if b >= a", r":9: 'if' is no clause here; write, once each"),
    ("  with b >= a", "  with b >= a   source: none", r":10: 'source:' is no clause here"),
    ("   source: union bound; see [1],", " # none", r":7: union over a range has no source; end it with source: "),
    (" union bound; see [1],\n    page 2", "", r":7: union over a range has no source; end it with source: "),
    (
        "# a",
        "[union over a range] for x: real\n  then x <= x   source: -\n#",
        r":9: .* is at part1.rules:2 already; choose",
    ),
    ("[union over a range] for", "[union over a range]", r":7: 'A\(t\):' is no clause here"),
    (" for A(t): event; t: bound; a, b: integer; q: real", "", r":7: .* wants declarations and one claim; write"),
    ("  then P(union(A, t, a, b)) <= (b - a + 1)*q  ", " ", r":7: .* wants declarations and one claim; write"),
    ("*q   source", "*q; a <= b   source", r":7: .* wants declarations and one claim; write for NAME: SORT"),
    ("  with b >= a", "  with", r":9: an item is missing in ''; write one on each side"),
    ("  with b >= a", "  with b >= a; ; a <= b", r":9: an item is missing in 'b >= a; ; a <= b'; write"),
    ("(b - a + 1)*q", "(b - a + 1)*r", rf":7: union over a range: r in 'P\(union.* {UNKNOWN}"),
    ("(b - a + 1)*q", "f(b)*q", rf":7: .*: f in .* {UNKNOWN}"),
    ("(b - a + 1)*q", "sum(s, s, a, b) + s", rf":7: .*: s in .* {UNKNOWN}"),
    ("with b >= a", "with b >= c", rf":7: .*: c in 'b >= c' {UNKNOWN}"),
    ("t >= a, t <= b\n  w", "t >= a, t <= k\n  w", rf":7: .*: k in 't <= k' {UNKNOWN}"),
    ("A(t): event", "A(s): event", rf":7: .*: s in 's' {UNKNOWN}"),
    ("a, b: integer", "a, a, b: integer", r":7: .*: 'a' is no new metavariable"),
    ("; q: real", "; q, E: real", r":7: .*: a name is declared twice, or is a word of formulas; choose"),
    ("with b >= a", "with a = q at t = b", r":7: .*: a name is declared twice, or is a word of formulas; choose"),
    ("q: real", "q: rael", r":7: .*: 'rael': 'rael' is no sort; one of real, "),
    ("with b >= a", "with A is integrabel", r":7: .* 'A is integrabel' is no formula .*; mend it, or"),
    ("if P(A) <= q", "if A is integrable; P(A) <= q", r":7: .* 'A is integrable' is no formula .*; mend it"),
    ("let two facts: ", "let t lies in the range: ", r":4: 't lies in the range' is no new abbreviation; write let"),
    ("let t lies in the range: t >= a", "let t lies", r":3: 't lies' is no new abbreviation; write let NAME: ITEM"),
    ("with b >= a", "with it lies in the range", r":7: .*'it lies in the range' is no formula .*; mend it"),
    (
        "with b >= a",
        'with __import__("os").system("false") >= 0',
        r":7: .*is no formula .*; mend it, or declare __i",
    ),
    ("integer t where", "integr t where", r":7: .*: 't: integr': 'integr' is no sort"),
    (
        "integer t where",
        "integer t, where",
        r":7: .*: 'P\(A\) <= q' cannot be for all t, ; take new names, or bound ones",
    ),
    (
        "integer t where",
        "integer a where",
        r":7: .*: 'P\(A\) <= q' cannot be for all a; take new names, or bound ones",
    ),
    (
        "\n  with b >= a",
        "\n    with b >= a",
        r":7: .*: 't <= b with b >= a' is no formula .*; mend it, or declare with",
    ),
    ("# a", "  if b >= a\n#", r":2: '  if b >= a' is in no paragraph; write \[NAME\], and its clauses indented"),
    ("  with b", "with b", r":9: 'with b >= a' is in no paragraph; write \[NAME\], and its clauses"),
]


@pytest.mark.parametrize(("old", "new", "told"), FAULTS)
def test_a_wrong_text_is_refused_with_place_and_mend(old, new, told, tmp_path):
    assert old in RANGE
    with pytest.raises(RuleTextError, match=told):
        read(tmp_path, RANGE.replace(old, new, 1))


def test_one_name_in_two_files_is_refused(tmp_path):
    with pytest.raises(RuleTextError, match=r"part2.rules:7: union over a range is at part1.rules:7 already"):
        read(tmp_path, RANGE, RANGE)


# ---------------------------------------------------------------- the files that are shipped


def printed(rule: Rule) -> str:
    """The paragraph of a rule."""

    def said(fact: Fact) -> str:
        over = ", ".join(" ".join(reversed(o.split(": "))) for o in fact.over)
        return (
            fact.claim + (f" for {over}" if over else "") + (f" where {', '.join(fact.where)}" if fact.where else "")
        )

    needs = [said(f) for f in rule.sides]
    needs += [
        f"{i.then} wherever {' and '.join(i.given)}" if i.given else f"{i.then} everywhere" for i in rule.implies
    ]
    needs += [f"{t} is integrable" for t in rule.integrable]
    needs += [" exists where ".join(t.split(" if ")) if " if " in t else f"{t} exists" for t in rule.converges]
    needs += [f"{t} is known from {h}" for t, h in rule.measurable]
    needs += [f"{a} is random through {b} alone" for a, b in rule.only]
    needs += [f"{d.name} = {d.source} at {d.variable} = {d.value}" for d in rule.derived]
    clauses = [f"  if {'; '.join(map(said, rule.premises))}"] if rule.premises else []
    clauses += [f"  with {'; '.join(needs)}"] if needs else []
    return "\n".join(
        [f"[{rule.name}] for {rule.declared}", *clauses, f"  then {rule.conclusion}", f"  source: {rule.source}\n"]
    )


def test_a_printed_rule_is_read_as_the_same_rule(tmp_path):
    found = read(tmp_path, "".join(map(printed, RULES.values())))
    assert list(found.items()) == list(RULES.items()) and len(found) == 162


def test_every_file_is_read_and_every_formula_in_it_is_one():
    folder = Path(package).parent
    assert {p.stem for p in folder.glob("*.rules")} == {*PARTS, "classes"}
    for rule in RULES.values():
        for fact in (Fact(rule.conclusion), *rule.premises, *rule.sides):
            assert fact.relation and len(fact.conditions) == len(fact.where)
        terms = [*rule.integrable, *(t for t, _ in rule.existence), *(t for pair in rule.measurable for t in pair)]
        terms += [t.removeprefix("~") for i in rule.implies for t in (*i.given, i.then)]
        assert all(map(read_term, terms))
    for known in CLASSES.values():
        assert all(parse_relation(t, proof=True) for t in (*known.pairs, *known.singles, *known.conditions))


def test_no_line_of_the_files_is_too_wide_to_read():
    for path in Path(package).parent.glob("*.rules"):
        lines = path.read_text(encoding="utf-8").splitlines()
        assert not [n for n, line in enumerate(lines, 1) if len(line) > 119 or line != line.rstrip()], path


CLASS = """
[mine] for L; point xs
  is an operator; exact for 2 points
  with L > 0
  pairs dot(g - h, x - y) >= L*norm(x - y)**2
  singles norm(g) <= L*norm(x - xs)   source: nobody
"""


@pytest.mark.parametrize(
    ("old", "new", "told"),
    [
        (
            "an operator",
            "an operator; quick",
            r":2: mine is an operator; quick; exact for 2 points; write: is an operator",
        ),
        (
            "exact for 2 points",
            "exact for two points",
            r":2: mine is .*; write: is an operator; differentiable; exact for NUMBER points",
        ),
        ("with L > 0", "with M > 0", r":2: mine: M in 'M > 0' is unknown; declare it behind for"),
        ("with L > 0", "with norm(x) > 0", r":2: mine: x in 'norm\(x\) > 0' is unknown"),
        ("norm(g) <=", "norm(h) <=", r":2: mine: h in .* is unknown"),
        ("pairs dot", "pairs v <= u; dot", r":2: mine: u, v in 'v <= u' is unknown"),
        ("   source: nobody", "", r":2: mine has no source; end it with source: WHERE IT IS FROM"),
        (
            "  pairs",
            "  premises",
            r":5: 'premises' is no clause here; write, once each, for, is, with, pairs, singles",
        ),
    ],
)
def test_a_wrong_class_is_refused(old, new, told, tmp_path):
    path = tmp_path / "classes.rules"
    path.write_text(CLASS, encoding="utf-8")
    (known,) = read_classes(path).values()
    assert known.operator and known.exact == 2 and known.points == ("xs",) and known.parameters == ("L", "xs")
    path.write_text(CLASS.replace(old, new), encoding="utf-8")
    with pytest.raises(RuleTextError, match=told):
        read_classes(path)


@pytest.mark.parametrize("name", RULES)
def test_a_rule_is_told_whole(tmp_path, name):
    """What the reference and the report print of a rule, read as a text of one, is the rule."""
    rule = RULES[name]
    clauses = [("if", rule_premises(rule)), ("with", rule_needs(rule))]
    lines = [f"[{name}] for {rule.declared}", *(f"  {word} {'; '.join(items)}" for word, items in clauses if items)]
    again = read(tmp_path, "\n".join([*lines, f"  then {rule.conclusion}   source: {rule.source}"]))[name]
    assert replace(again, declared=rule.declared) == rule
