"use strict";
(() => {
  const $ = id => document.getElementById(id);
  const statements = [...document.querySelectorAll("details.statement")];
  const folded = [...document.querySelectorAll("details.statement, details.part")];
  let store = null;
  const texts = new Map();

  const unpacked = (async () => {
    const bytes = Uint8Array.from(atob($("store").textContent), c => c.charCodeAt(0));
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
    store = await new Response(stream).json();
    attach(document);
    for (const d of folded) texts.set(d.id, store[d.id].replace(/<[^>]*>/g, " ").replace(/\s+/g, " ").toLowerCase());
    for (const d of folded) if (d.open) fill(d);
  })();

  const unfitted = new Set();
  function fit(root) {  // a part of a formula that is wider than its line scrolls by itself
    if (!unfitted.size) requestAnimationFrame(measure);
    unfitted.add(root);
  }
  function measure() {  // all that waits at once, and no change between two measurements: each would lay out the page
    const parts = [...new Set([...unfitted].flatMap(root => [...root.querySelectorAll(".f")]))];
    unfitted.clear();
    for (const f of parts) f.classList.remove("over");
    const wide = parts.filter(f => {
      const line = f.parentElement.closest("td, li, p, summary, div") || f.parentElement;
      return f.clientWidth && f.getBoundingClientRect().right > line.getBoundingClientRect().right + 1;
    });
    for (const f of wide) { f.classList.add("over"); f.tabIndex = 0; }
  }
  let waiting = 0;
  addEventListener("resize", () => { clearTimeout(waiting); waiting = setTimeout(() => fit(document), 150); });
  function attach(root) {
    for (const image of root.querySelectorAll("img[data-image]")) image.src = store[image.dataset.image];
    for (const link of root.querySelectorAll("a[data-file]")) link.href = store[link.dataset.file];
  }
  function fill(details) {
    const body = details.querySelector(".body");
    if (store && body && !body.hasChildNodes()) {
      body.innerHTML = store[body.dataset.key];
      attach(body);
    }
    if (details.open) fit(details);
  }
  for (const d of folded) d.addEventListener("toggle", () => d.open && fill(d));

  async function go() {
    const name = decodeURIComponent(location.hash.slice(1));
    if (!name) return;
    await unpacked;
    let target = $(name);
    if (!target) {
      for (const d of folded) if (store[d.id].includes(`id="${name}"`)) { d.open = true; fill(d); }
      target = $(name);
    }
    if (!target) return;
    for (let e = target; e; e = e.parentElement) if (e.tagName === "DETAILS") { e.open = true; fill(e); }
    target.classList.remove("missed");
    target.scrollIntoView();
    const focus = target.querySelector("summary");
    if (focus) focus.focus({ preventScroll: true });
  }
  addEventListener("hashchange", go);
  document.addEventListener("click", event => {
    const link = event.target.closest && event.target.closest("a[href^='#']");
    if (link && link.getAttribute("href") === location.hash) go();
  });

  const counts = new Map();
  for (const s of statements) counts.set(s.dataset.verdict, (counts.get(s.dataset.verdict) || 0) + 1);
  const boxes = [...counts].map(([word, count]) => {
    const label = document.createElement("label"), box = document.createElement("input");
    box.type = "checkbox";
    box.checked = true;
    box.value = word;
    label.append(box, ` ${word} (${count})`);
    $("filter").append(label);
    box.addEventListener("change", show);
    return box;
  });

  async function show() {
    const words = $("search").value.toLowerCase().split(/\s+/).filter(Boolean);
    if (words.length) await unpacked;
    const wanted = new Set(boxes.filter(b => b.checked).map(b => b.value));
    let shown = 0;
    for (const s of statements) {
      const text = s.querySelector("summary").textContent.toLowerCase() + " " + (texts.get(s.id) || "");
      const hit = wanted.has(s.dataset.verdict) && words.every(w => text.includes(w));
      s.classList.toggle("missed", !hit);
      shown += hit;
    }
    const all = shown === statements.length;
    $("hits").textContent = all ? "" : `${shown} of ${statements.length} statements shown`;
  }
  $("search").addEventListener("input", show);
  $("search").addEventListener("keydown", event => {
    if (event.key === "Escape") { event.target.value = ""; show(); event.target.blur(); }
    if (event.key === "Enter") {
      const first = statements.find(s => !s.classList.contains("missed"));
      if (first) { location.hash = ""; location.hash = first.id; }
    }
  });
  addEventListener("keydown", event => {
    if (event.key === "/" && !/INPUT|TEXTAREA/.test(event.target.tagName)) {
      event.preventDefault();
      $("menu").open = true;
      $("search").focus();
    }
  });
  $("unfold").addEventListener("click", async () => {
    await unpacked;
    for (const s of statements) if (!s.classList.contains("missed")) { s.open = true; fill(s); }
  });

  const narrow = matchMedia("(max-width: 63.99rem)");
  const menu = () => { $("menu").open = !narrow.matches; };
  narrow.addEventListener("change", menu);
  menu();
  const links = new Map([...document.querySelectorAll("nav ol a")].map(a => [a.hash.slice(1), a]));
  const marks = [...links.keys()].map($).filter(Boolean);
  function follow() {
    let current = null;
    for (const m of marks) if (m.getBoundingClientRect().top < 120) current = m;
    for (const [name, a] of links) {
      if (current && name === current.id) a.setAttribute("aria-current", "location");
      else a.removeAttribute("aria-current");
    }
  }
  addEventListener("scroll", follow, { passive: true });
  follow();
  fit(document);
  document.addEventListener("toggle", event => event.target.open && fit(event.target), true);
  go();
})();
