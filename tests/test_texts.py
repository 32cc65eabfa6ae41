"""The catalogue's texts: what was found for them is stored and up to date."""

import pytest

from boundcheck.paper import texts


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


def test_the_catalogue_has_at_most_five_thousand_lines():
    files = [p for p in texts.FOLDER.iterdir() if p.suffix in (".py", ".toml")]
    assert len(files) > len(texts.ORDER)
    assert sum(len(p.read_text(encoding="utf-8").splitlines()) for p in files) <= 5000
