"""The HTML twins in headless Chromium (skipped where it is not installed): nothing broken, cut off or hard to read."""

from __future__ import annotations

import re
from pathlib import Path

import browser
import pytest

from boundcheck.app.reporting.html import page
from boundcheck.app.reporting.site import site
from boundcheck.paper import catalogue
from boundcheck.report import rendered

ROOT = Path(__file__).parent.parent
REASON = browser.missing()
pytestmark = [pytest.mark.browser, pytest.mark.skipif(bool(REASON), reason=REASON)]
SCREENS = [(width, scheme) for width in (360, 1280) for scheme in ("light", "dark")]
PAGES = tuple(f"examples/{p.name}" for p in sorted((ROOT / "examples").glob("*.md")))
#: unpacks the page and unfolds some statements, with all their steps, and all other pages
UNFOLD = """
const done = arguments[arguments.length - 1];
location.hash = "lemmomentum-freedman";
const wait = setInterval(() => {
  if (!document.querySelector("#lemmomentum-freedman .step")) return;
  clearInterval(wait);
  const names = ["lemmomentum-freedman", "thmhp-shared-clipped", "remhp-shared-complexity"];
  for (const name of names) document.getElementById(name).open = true;
  for (const part of document.querySelectorAll("details.part, details.map")) part.open = true;
  setTimeout(() => {
    for (const step of document.querySelectorAll(".step details")) step.open = true;
    setTimeout(() => { scrollTo(0, 0); done(); }, 500);
  }, 500);
}, 50);
"""


@pytest.fixture(scope="module")
def chromium(tmp_path_factory):
    with browser.chromium(tmp_path_factory.mktemp("profile")) as found:
        yield found


@pytest.fixture(scope="module")
def report(tmp_path_factory):
    """The stored results as the one HTML file."""
    found = rendered("REPORT.md")
    file = tmp_path_factory.mktemp("site") / "report.html"
    file.write_text(site(found.drafts, found.statements, "REPORT.md", ROOT, found.figures), encoding="utf-8")
    return file


@pytest.fixture
def opened(chromium, report):
    """The report on a wide screen, unpacked."""
    screen = {"width": 1280, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    chromium.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    chromium.get("about:blank")
    chromium.get(report.as_uri())
    soon(chromium, "return [...document.images].every(i => i.complete && i.naturalWidth > 0)")
    return chromium


def soon(chromium, program: str) -> None:
    """Wait until the program gives something true."""
    from selenium.webdriver.support.ui import WebDriverWait

    WebDriverWait(chromium, 30).until(lambda b: b.execute_script(program))


@pytest.mark.parametrize("name", PAGES)
def test_the_reports_on_files_are_whole_and_readable(name, chromium, tmp_path):
    text = (ROOT / name).read_text(encoding="utf-8")
    file = tmp_path / "page.html"
    file.write_text(page(text, (ROOT / name).parent), encoding="utf-8")
    assert "(missing figure: " not in file.read_text(encoding="utf-8")
    for width, scheme in SCREENS:
        found = browser.look(chromium, file, width, scheme)
        assert found["faults"] == [], (width, scheme)
        assert found["texts"] > 100 and found["least"] < 21  # it has looked


@pytest.mark.parametrize(("width", "scheme"), [(360, "light"), (390, "dark"), (1280, "dark"), (1600, "light")])
def test_the_report_is_whole_and_readable(width, scheme, chromium, report):
    assert report.stat().st_size < 1_500_000
    assert "(missing figure: " not in report.read_text(encoding="utf-8")
    found = browser.look(chromium, report, width, scheme, UNFOLD)
    assert found["faults"] == []
    assert found["texts"] > 4000 and found["least"] < 21


def test_everything_is_in_the_file_and_every_link_leads_somewhere(opened):
    opened.find_element("id", "unfold").click()
    for part in opened.find_elements("css selector", "details.part > summary"):
        opened.execute_script("arguments[0].click()", part)
    soon(opened, "return [...document.querySelectorAll('.body')].every(b => b.hasChildNodes())")
    loaded = opened.execute_script("return performance.getEntriesByType('resource').map(r => r.name)")
    assert [name for name in loaded if not name.startswith("data:")] == []
    dead = "return [...document.links].map(a => a.hash).filter(h => h && !document.getElementById(h.slice(1)))"
    assert opened.execute_script(dead) == []
    outside = opened.execute_script("return [...document.links].map(a => a.getAttribute('href'))")
    assert all((ROOT / a).is_file() for a in outside if not a.startswith(("#", "data:", "https://")))
    assert opened.execute_script("return document.querySelectorAll('math').length") > 5000
    doubled = "const ids = [...document.querySelectorAll('[id]')].map(e => e.id);"
    assert opened.execute_script(f"{doubled} return ids.filter((n, k) => ids.indexOf(n) !== k)") == []


def test_search_looks_into_labels_and_proofs_and_is_reached_by_the_keyboard(opened):
    from selenium.webdriver.common.keys import Keys

    shown = "return [...document.querySelectorAll('details.statement')].filter(d => d.offsetParent).map(d => d.id)"
    every = opened.execute_script(shown)
    assert len(every) == len(catalogue())
    opened.find_element("tag name", "body").send_keys("/")
    field = opened.switch_to.active_element
    assert field.get_attribute("id") == "search" and field.get_attribute("value") == ""
    field.send_keys("momentum-freedman")
    soon(opened, "return document.getElementById('hits').textContent.includes(' of ')")
    hits = opened.execute_script(shown)
    assert "lemmomentum-freedman" in hits and "lemmomentum-stopped-fluctuation" in hits and len(hits) < 10
    field.send_keys(Keys.ENTER)
    soon(opened, "return document.activeElement.tagName === 'SUMMARY'")
    field.send_keys(Keys.ESCAPE)
    assert opened.execute_script(shown) == every
    field.send_keys("no such word at all")
    soon(opened, "return document.getElementById('hits').textContent.startsWith('0 of ')")


def test_filters_show_the_statements_with_a_verdict(opened):
    boxes = {b.get_attribute("value"): b for b in opened.find_elements("css selector", "#filter input")}
    assert {"PROVED", "REPAIRED", "ASSUMED"} <= boxes.keys()
    boxes["PROVED"].click()
    left = "return [...document.querySelectorAll('details.statement')].filter(d => d.offsetParent)"
    assert "PROVED" not in opened.execute_script(f"{left}.map(d => d.dataset.verdict)")
    assert " statements shown" in opened.find_element("id", "hits").text


def test_the_map_leads_to_a_statement_whose_steps_unfold(opened):
    link = opened.find_element("css selector", ".map svg a[href='#lemhp-shared-directional-tail']")
    opened.execute_script("arguments[0].scrollIntoView({block: 'center'})", link)
    link.click()
    soon(opened, "return document.querySelector('#lemhp-shared-directional-tail .step')")
    step = opened.find_element("css selector", "#lemhp-shared-directional-tail .step details")
    reason = step.find_element("css selector", "p")
    assert not reason.is_displayed()
    step.find_element("css selector", "summary").send_keys(" ")
    soon(opened, "return document.querySelector('#lemhp-shared-directional-tail .step details').open")
    assert reason.is_displayed() and reason.text


def test_the_contents_follow_the_reader(opened):
    current = "return [...document.querySelectorAll('nav a[aria-current]')].map(a => a.hash)"
    opened.execute_script("document.getElementById('trusted-base').scrollIntoView()")
    soon(opened, f"{current}.includes('#trusted-base')")
    opened.execute_script("document.getElementById('findings').scrollIntoView()")
    soon(opened, f"{current}.includes('#findings')")
    assert len(opened.execute_script(current)) == 1


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
