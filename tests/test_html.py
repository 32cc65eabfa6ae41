"""The HTML twins in headless Chromium (skipped where it is not installed): nothing broken, cut off or hard to read."""

from __future__ import annotations

import re
from pathlib import Path

import browser
import pytest

from boundcheck.reporting.html import page

ROOT = Path(__file__).parent.parent
REASON = browser.missing()
pytestmark = pytest.mark.skipif(bool(REASON), reason=REASON)
SCREENS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]
PAGES = ("REPORT.md", *(f"examples/{p.name}" for p in sorted((ROOT / "examples").glob("*.md"))))


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser.chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.mark.parametrize("name", PAGES)
def test_the_reports_are_whole_and_readable(name, chromium, tmp_path):
    text = (ROOT / name).read_text(encoding="utf-8")
    file = tmp_path / "page.html"
    file.write_text(page(text, (ROOT / name).parent), encoding="utf-8")
    assert "(missing figure: " not in file.read_text(encoding="utf-8")
    for width, scheme in SCREENS:
        found = browser.look(chromium, file, width, scheme)
        assert found["faults"] == [], (width, scheme)
        assert found["texts"] > 100 and found["least"] < 21  # it has looked


def test_everything_is_in_the_file(chromium, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(page((ROOT / "REPORT.md").read_text(encoding="utf-8"), ROOT), encoding="utf-8")
    chromium.get(file.as_uri())
    loaded = chromium.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert [name for name in loaded if not name.startswith("data:")] == []
    dead = "return [...document.links].map(a => a.hash).filter(h => h && !document.getElementById(h.slice(1)))"
    assert chromium.execute_script(dead) == []


def _twin(body: str, style: str = "") -> str:
    head = "<meta charset=utf-8><style>:root { color-scheme: light dark }" + style + "</style>"
    return f"<!DOCTYPE html><html lang=en><head>{head}</head><body><p>Fine.</p>{body}</body></html>"


WIDE = "<table><tr>" + "".join(f"<td>{'x' * 40}</td>" for _ in range(40)) + "</tr></table>"
PIXEL = "data:image/svg+xml,%3Csvg xmlns='http://www.w3.org/2000/svg' width='9' height='9'/%3E"


@pytest.mark.parametrize(
    ("body", "style", "fault"),
    [
        ('<img alt="tails" src="nowhere.svg">', "", "broken image: tails"),
        ('<img alt="cut" src="data:image/svg+xml;base64,PHN2Zw==">', "", "broken image: cut"),
        (WIDE, "", "the page is"),
        (f"<div>{WIDE}</div>", "body { overflow-x: hidden }", "sticks out"),
        ('<p style="color: #999">grey</p>', "p { background: #fff }", r"contrast 2\.85: grey"),
        ('<p style="color: #0008">half</p>', "p { background: #fff }", r"contrast \d\.\d\d: half"),
        (
            "<p>night</p>",
            "@media (prefers-color-scheme: dark) { body { background: #222; color: #333 } }",
            r"contrast 1\.26",
        ),
        ('<h1 style="color: #999; background: #fff">large</h1>', "", r"contrast 2\.85: large"),
    ],
)
def test_planted_faults_are_found(body, style, fault, chromium, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(_twin(body, style), encoding="utf-8")
    found = [f for width, scheme in SCREENS for f in browser.look(chromium, file, width, scheme)["faults"]]
    assert any(re.search(fault, f) for f in found), found


@pytest.mark.parametrize(
    ("body", "style"),
    [
        (f'<img alt="" src="{PIXEL}">', ""),
        (f'<div style="overflow-x: auto">{WIDE}</div>', ""),
        ('<h1 style="color: #888; background: #fff">large, 3.5</h1>', ""),
        ('<p style="color: #767676; background: #fff">just enough, 4.54</p>', ""),
    ],
)
def test_what_is_no_fault_is_not_found(body, style, chromium, tmp_path):
    file = tmp_path / "page.html"
    file.write_text(_twin(body, style), encoding="utf-8")
    assert [f for width, scheme in SCREENS for f in browser.look(chromium, file, width, scheme)["faults"]] == []
