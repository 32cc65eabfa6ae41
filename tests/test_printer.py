"""The printer: a statement printed and read again is the same statement."""

import json
import re
import tomllib
from dataclasses import replace

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from boundcheck.author.proof_reader import read_proof
from boundcheck.author.toml import Written, read_statements
from boundcheck.author.toml_printer import statement_text
from boundcheck.kernel.statement import Fact, Parameter, Statement, Twin
from boundcheck.lemma import main
from boundcheck.paper import texts

WRITTEN = {w.statement.label: w for text in texts.texts().values() for w in text.written}


def again(written: Written) -> Written:
    """The statement that the reader makes of what is printed, without the lines of its proof."""
    told: list[str] = []
    text = statement_text(written)
    (found,), faults = read_statements(tomllib.loads(text), "printed", text, told.append, proofs=False)
    assert (told, faults) == ([], [])
    return found


def plain(written: Written | None) -> object:
    """What is compared: everything but the line of the file on which the proof begins."""
    if written is None:
        return None
    return replace(written.statement, as_used=None), written.proof, plain(written.used)


@pytest.mark.parametrize("label", WRITTEN)
def test_a_statement_of_the_catalogue_is_the_same_after_printing_and_reading(label):
    assert plain(again(WRITTEN[label])) == plain(WRITTEN[label])


NAMES = st.sampled_from(["a", "b", "c", "r", "S", "tau", "T"])
ROOMS = st.sampled_from(["{x} > 0", "{x} <= 4*{y}", "{y} <= {x}", "1/{y} < {x}", "{x} >= sqrt({y})", "0 <= {x}"])
WORDS = st.text(st.characters(blacklist_categories=["Cs"]), max_size=12)


@st.composite
def statements(draw) -> Written:
    symbols = draw(st.lists(NAMES, min_size=2, unique=True))
    parameters = []
    for n, x in enumerate(symbols):
        before = symbols[:n] or [x]
        room = [draw(ROOMS).format(x=x, y=draw(st.sampled_from(before)))] if draw(st.booleans()) else []
        room = [r for r in room if n or len(set(re.findall(r"[A-Za-z]\w*", r))) == 1]
        room += [f"{x} <= {draw(st.sampled_from(symbols))}"] if draw(st.booleans()) else []
        whole = draw(st.booleans())
        if whole:  # the integer of "integer a <= b" is a, so that b cannot have this relation in a text
            room = [r for r in room if re.findall(r"[A-Za-z]\w*", r)[0] == x]
        parameters.append(Parameter(x, draw(WORDS), tuple(str(Fact(r).relation) for r in room), whole))
    facts = [
        Fact(f"E(Z**2) <= {symbols[0]}"),
        Fact("E(at(X, s)) <= k", ("k", "s: integer"), ("k >= 1", f"k <= {symbols[1]}")),
        Fact(f"norm(v) <= {symbols[1]}", (), (f"{symbols[0]} > 2",)),
    ]
    chosen = st.lists(st.sampled_from(facts), min_size=1, unique=True)
    names = draw(st.lists(WORDS, min_size=3, max_size=3, unique=True))
    statement = Statement(
        "lem:own", draw(WORDS) or "Own", "lemma", "own", draw(WORDS), tuple(parameters),
        dict(zip(names, draw(chosen), strict=False)), tuple(draw(chosen)), note=draw(WORDS),
        twins=(Twin(draw(WORDS), {draw(WORDS): draw(WORDS)}, draw(st.dictionaries(WORDS, WORDS, max_size=1))),),
        declares={"Z": "random real", "X": "integer -> random real", "v": "vector"},
    )  # fmt: skip
    return Written(statement, (), draw(st.sampled_from(["x <= x + 1\n", "a: b <= 'c'''\n"])), 1)


@settings(max_examples=200, deadline=None)
@given(statements())
def test_a_generated_statement_is_the_same_after_printing_and_reading(written):
    assert plain(again(written)) == plain(written)


@pytest.mark.parametrize(("own", "symbols"), [(["a < b", "a < b"], "ab"), (["a < b"], "a"), (["a > 0", "a > 0"], "a")])
def test_a_relation_that_one_list_says_twice_is_kept_and_a_setting_may_say_it_too(own, symbols):
    """The second of two brings in the next name; what a setting has said already does not."""
    setting = {"parameters": own[:1]}
    for table in ({"parameters": own}, {"parameters": own, "settings": ["s"]}):
        table = {"label": "lem:own", "claims": ["a <= a + 1"], **table}
        document = {"setting": {"s": setting}, "statement": [table]}
        (found,), faults = read_statements(document, "own", "", print)
        names = symbols if "settings" not in table else symbols[:1]
        assert ("".join(q.symbol for q in found.statement.parameters), faults) == (names, [])


def test_show_prints_the_text(capsys, tmp_path):
    label = "lem:hp-shared-clipped-bias-abstract"
    assert main(["show", label, "--text"]) == 0
    shown = capsys.readouterr().out
    assert shown == statement_text(WRITTEN[label])
    (tmp_path / "own.toml").write_text(shown.replace(label, "lem:own"))
    assert main(["show", f"{tmp_path}/own.toml:lem:own", "--text"]) == 0
    assert capsys.readouterr().out == shown.replace(label, "lem:own")
    assert json.dumps(WRITTEN[label].proof) and read_proof(WRITTEN[label].proof)
