"""What a reader would trip over in an HTML page, found in headless Chromium: broken images, overflow, poor contrast.

Used by test_html.py. Thresholds are those of WCAG 2.1, level AA, criterion 1.4.3: 4.5, and 3 for large text.
"""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

FLAGS = (
    "--headless --no-sandbox --disable-gpu --disable-quic --no-first-run --disable-background-networking "
    "--disable-component-update --disable-sync --force-color-profile=srgb"
)
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DRIVERS = ("chromedriver", "chromium.chromedriver")

CHECK = r"""
const faults = [];
const told = text => text.trim().replace(/\s+/g, ' ').slice(0, 60);
for (const image of document.images)
  if (!image.complete || image.naturalWidth === 0) faults.push('broken image: ' + told(image.alt || image.src));

const root = document.documentElement, width = root.clientWidth;
if (root.scrollWidth > width) faults.push(`the page is ${root.scrollWidth} wide on a screen of ${width}`);
const scrolls = e => ['auto', 'scroll'].includes(getComputedStyle(e).overflowX);
const inside = e => e.parentElement !== null && (scrolls(e.parentElement) || inside(e.parentElement));
for (const e of document.body.querySelectorAll('*')) {
  const box = e.getBoundingClientRect();
  if (box.width > 0 && (box.right > width + 1 || box.left < -1) && !inside(e))
    faults.push(`${e.tagName.toLowerCase()} sticks out: ` + told(e.textContent));
}

const parse = text => { const n = text.match(/[\d.]+/g).map(Number); return n.length > 3 ? n : [...n, 1]; };
const over = (a, b) => [0, 1, 2].map(k => a[k] * a[3] + b[k] * (1 - a[3])).concat(1);
const linear = c => (c /= 255) <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4;
const luminance = c => 0.2126 * linear(c[0]) + 0.7152 * linear(c[1]) + 0.0722 * linear(c[2]);
const canvas = arguments[0] === 'dark' ? [18, 18, 18, 1] : [255, 255, 255, 1];
const known = new Map();
const ground = e => {  // what is painted behind the text of e
  if (!e) return canvas;
  if (!known.has(e)) known.set(e, over(parse(getComputedStyle(e).backgroundColor), ground(e.parentElement)));
  return known.get(e);
};
const ratios = new Map();
const walker = document.createTreeWalker(document.body, NodeFilter.SHOW_TEXT);
let texts = 0, least = 21;
for (let node = walker.nextNode(); node; node = walker.nextNode()) {
  const e = node.parentElement;
  if (!node.data.trim() || ['SCRIPT', 'STYLE'].includes(e.tagName) || e.getClientRects().length === 0) continue;
  texts += 1;
  if (!ratios.has(e)) {
    const style = getComputedStyle(e), behind = ground(e);
    const pair = [over(parse(style.color), behind), behind].map(luminance);
    const size = parseFloat(style.fontSize), large = size >= 24 || (size >= 56 / 3 && style.fontWeight >= 700);
    const ratio = (Math.max(...pair) + 0.05) / (Math.min(...pair) + 0.05);
    ratios.set(e, ratio);
    least = Math.min(least, ratio);
    if (ratio < (large ? 3 : 4.5)) faults.push(`contrast ${ratio.toFixed(2)}: ` + told(node.data));
  }
}
return {faults, texts, least};
"""


def missing() -> str:
    """What is missing for these checks, "" if nothing is."""
    try:
        import selenium  # noqa: F401
    except ImportError:
        return "Selenium is not installed (pip install 'boundcheck[browser]')"
    if not any(map(shutil.which, BROWSERS)) or not any(map(shutil.which, DRIVERS)):
        return "no Chromium with its driver (apt-get install chromium chromium-driver)"
    return ""


@contextmanager
def chromium(profile: Path) -> Iterator[Any]:
    """A headless Chromium with its data in ``profile``, a new empty folder."""
    from selenium import webdriver

    options = webdriver.ChromeOptions()
    for flag in (*FLAGS.split(), f"--user-data-dir={profile}"):
        options.add_argument(flag)
    options.binary_location = next(filter(None, map(shutil.which, BROWSERS)))
    driver = next(filter(None, map(shutil.which, DRIVERS)))
    browser = webdriver.Chrome(options=options, service=webdriver.ChromeService(driver))
    try:
        browser.set_page_load_timeout(60)
        browser.set_script_timeout(60)
        yield browser
    finally:
        browser.quit()


def look(browser: Any, page: Path, width: int, scheme: str, prepare: str = "") -> dict[str, Any]:
    """``faults`` in words, the number of ``texts`` and their ``least`` contrast; a screen of ``width`` CSS pixels.

    ``prepare``: a program that is run first and calls its last argument when it is ready.
    """
    screen = {"width": width, "height": 900, "deviceScaleFactor": 1, "mobile": False}
    browser.execute_cdp_cmd("Emulation.setDeviceMetricsOverride", screen)
    feature = {"name": "prefers-color-scheme", "value": scheme}
    browser.execute_cdp_cmd("Emulation.setEmulatedMedia", {"features": [feature]})
    browser.get(page.resolve().as_uri())
    if prepare:
        browser.execute_async_script(prepare)
    return dict(browser.execute_script(CHECK, scheme))
