"""The catalogue's texts: what was found for them is stored and up to date."""

import pytest

from boundcheck.paper import catalogue, texts


@pytest.mark.parametrize("name", texts.texts())
def test_what_was_found_is_stored_for_the_text_as_it_stands(name):
    from boundcheck.author.cache import from_data, key_of

    text = texts.texts()[name]
    kept = text.kept()
    assert kept.keys() == {w.statement.label for w in text.written}, f"python -m boundcheck.paper {name} searches anew"
    for one in text.written:
        forms = {"own": one, **({"used": one.used} if one.used is not None else {})}
        for form, written in forms.items():
            found = from_data(kept[one.statement.label].get(form), written.statement)
            assert found is not None and found.key == key_of(written), f"{one.statement.label}: {form}"
            assert not found.made.faults


def test_the_header_of_a_label_is_its_statement_without_the_proof():
    for label, statement in catalogue().items():
        header = texts.header(label)
        for found, whole in ((header, statement), (header.as_used, statement.as_used)):
            assert (found is None) is (whole is None)
            if found is not None and whole is not None:
                assert found.steps == () and found.claims == whole.claims and found.hypotheses == whole.hypotheses
    with pytest.raises(KeyError):
        texts.header("lem:none")
