"""The report: the same text for the same data, --check sees every change, missing results are told in a line."""

from __future__ import annotations

import csv
import io
import posixpath
import re
import shutil
from dataclasses import replace
from pathlib import Path

import pytest

from boundcheck import report
from boundcheck.app.reporting import markdown, sources
from boundcheck.app.reporting.context import context
from boundcheck.app.reporting.figures import figures
from boundcheck.app.reporting.html import page
from boundcheck.app.reporting.markdown import CLOSE, OPEN, anchor, page_of, worded
from boundcheck.app.reporting.render import FRONT, pages
from boundcheck.app.reporting.sources import Sources
from boundcheck.app.reporting.waterfall import waterfall
from boundcheck.paper import catalogue, lookup
from boundcheck.stored import decisions
from boundcheck.stored.decisions import Record
from boundcheck.verdict import OPEN as UNSHOWN

ROOT = Path(__file__).parent.parent
PLAN = {"p": 1.5, "d": 1, "sigma": 1.0, "eps": 1.0, "beta": None, "radius": "free"}
PLAN |= {"L": 2.0, "Delta0": 3.0, "fault": "not to be had", "ratio": None}


def cell(label: str, name: str, kind: str, verdict: str, **more: object) -> Record:
    row = {"threshold": 1.0, "claimed": 0.1, "observed": 0.05, "lower": 0.04, "upper": 0.06}
    rows = [{**row, "threshold": 2.0**k, "claimed": 2.0**-k / 4, "observed": 2.0**-k / 8} for k in range(6)]
    base = {"name": f"{label}/{name}", "label": label, "kind": kind, "verdict": verdict, "note": "", "rows": rows}
    numbers = {"trials": 100, "bad": 3, "claimed": 0.1, "observed": 0.03, "upper": 0.09, "detectable": 0.15}
    return {**base, **numbers, "unit": "probability", "audit": None, **more}


@pytest.fixture(scope="module")
def stored() -> Sources:
    tuned = "cor:hp-shared-localized-tuned"
    quantile = {"level": 0.9, "bound": 50.0, "low": 1.0, "high": 1.3}
    monte_carlo = {
        "schema": 1,
        "seed": 7,
        "restated": {"thm:tuned-dev": tuned},
        "budget": {
            "cells": 4,
            "false_refutation": 1e-6,
            "false_bound": 1e-3,
            "power": 0.99,
            "detectable_ratio": 2.0,
        },
        "cells": [
            cell("lem:hp-shared-directional-tail", "d1", "claim", "CONSISTENT"),
            cell(tuned, "d1", "claim", "REFUTED-STAT", quantile=quantile),
            cell(tuned, "law-d1", "companion", "CONSISTENT"),
            cell(tuned, "planted-a", "planted", "REFUTED-STAT", note="constant: 1 for 2"),
            cell(tuned, "planted-b", "planted", "CONSISTENT", note="constant: 1.9 for 2"),
        ],
        "provenance": {
            "date": "2026-01-01",
            "seconds": 1.0,
            "chunk_seconds": 7.5,
            "executor": "serial",
            "python": "3",
            "numpy": "2",
            "scipy": "1",
            "mpmath": "1",
        },
    }
    known = sources.load().decisions
    current = {k: {**r, "fingerprint": decisions.fingerprint(lookup(k))} for k, r in known["decisions"].items()}
    return Sources({**known, "decisions": current}, monte_carlo, None, ())


@pytest.fixture(scope="module")
def whole(stored: Sources) -> dict[str, str]:
    return pages(catalogue(), stored, [waterfall(catalogue(), stored), *figures(catalogue(), stored)])


@pytest.fixture(scope="module")
def text(whole) -> str:
    return whole[FRONT]


def front(stored: Sources) -> str:
    return pages(catalogue(), stored, [])[FRONT]


@pytest.mark.thorough
def test_the_same_data_give_the_same_text_and_drawings(stored, whole, tmp_path):
    drawn = [waterfall(catalogue(), stored), *figures(catalogue(), stored)]
    assert pages(catalogue(), stored, drawn) == whole
    for figure in figures(catalogue(), stored):
        figure.save(tmp_path / "a.svg")
        figure.save(tmp_path / "b.svg")
        assert (tmp_path / "a.svg").read_bytes() == (tmp_path / "b.svg").read_bytes()


def test_the_front_page_is_one_that_code_hosts_render():
    text = (ROOT / "REPORT.md").read_text(encoding="utf-8")
    assert len(text.encode()) <= 60_000
    assert text.index("## Findings") < text.index("## Statements") < text.index("## Trusted base")
    assert {p.name for p in (ROOT / "docs/statements").glob("*.md")} == {
        page_of(label).rpartition("/")[2] for label in catalogue()
    }


def test_every_statement_has_a_row_and_a_page_and_every_link_leads_somewhere(whole, text):
    anchors = {}
    for path, page_text in whole.items():
        found = [anchor(h) for h in re.findall(r"^#+ (.+)$", page_text, re.M)]
        assert len(found) == len(set(found)), path
        anchors[path] = set(found)
    for label in catalogue():
        assert f"| [{label}]({page_of(label)})" in text
        assert whole[page_of(label)].startswith(f"# {label}\n")
    for path, page_text in whole.items():
        for target, name in re.findall(r"(?<!!)\[[^\]]*\]\(([^)#\s]*)(?:#([^)\s]*))?\)", page_text):
            where = posixpath.normpath(posixpath.join(posixpath.dirname(path), target)) if target else path
            assert where in whole or (ROOT / where).is_file() or where.endswith((".csv", ".svg")), (path, target)
            assert not name or where not in whole or name in anchors[where], (path, name)


def test_monte_carlo_is_joined_by_label_and_restated_statements_share_cells(whole, text):
    section = whole[page_of("thm:tuned-dev")]
    assert "| d1 | REFUTED-STAT | 100 | 3 |" in section
    assert "| [cor:hp-shared-localized-tuned, thm:tuned-dev](#finding-corhp-shared-localized-tuned-cell-d1) |" in text
    assert "Simulation rejects it in cell d1: 3 of 100 trials." in text
    assert "| 1 REFUTED-STAT | 1 CONSISTENT | 1 of 2 caught | 400 |" in text


def test_planted_falsehoods_are_listed_with_what_became_of_them(whole):
    text = whole["docs/report/planted.md"]
    assert "constant: 1 for 2 | 100 | 3 | 0.1 | REFUTED-STAT | yes |" in text
    assert "constant: 1.9 for 2 | 100 | 3 | 0.1 | CONSISTENT | **NO** |" in text
    for statement in catalogue().values():
        for twin in statement.twins:
            assert statement.label in text and markdown.cell(worded(twin.what)) in text


def test_planted_falsehoods_are_counted_by_kind(whole):
    text = whole["docs/report/planted.md"]
    rows = [
        (t["what"].startswith(UNSHOWN), t["verdict"])
        for s in decisions.load()["decisions"].values()
        for t in s["twins"]
    ]
    refuted = sum(v == "REFUTED" for _, v in rows)
    opened = sum(named and v != "REFUTED" for named, v in rows)
    assert f"of {len(rows)}, {refuted} are refuted by a witness, {opened} are named" in text
    assert f"{len(rows) - refuted - opened} are neither" in text


def test_formulas_are_typeset_and_no_mark_of_one_is_left(whole):
    for path, text in whole.items():
        assert OPEN not in text and CLOSE not in text, path
        told = re.sub(r"\$`.*?`\$|`[^`]*`", "", text)
        assert not re.search(r"\w\*\*\(", told), path  # a power of a formula in plain text
    assert "$`\\lVert X_{s,l}\\rVert \\le R`$" in whole[page_of("lem:momentum-freedman")]


def test_tables_are_whole(whole):
    width = None
    for line in "\n\n".join(whole.values()).splitlines():
        if not line.startswith("|"):
            width = None
            continue
        bars = len(re.findall(r"(?<!\\)\|", line))
        width = width or bars
        assert bars == width, line[:200]


def test_figures_have_titles_captions_units_and_data(stored):
    drawn = figures(catalogue(), stored)
    assert {f.name for f in drawn} >= {"tails", "deviation"}
    for figure in drawn:
        rows = list(csv.reader(io.StringIO(figure.data())))
        assert tuple(rows[0]) == figure.columns and len(rows) == len(figure.rows) + 1
        assert figure.title and figure.caption


def test_no_legend_of_the_tails_lies_over_the_data(stored):
    from matplotlib.backends.backend_agg import FigureCanvasAgg
    from matplotlib.figure import Figure

    [tails] = [f for f in figures(catalogue(), stored) if f.name == "tails"]
    canvas = Figure(layout="constrained")
    drawn = FigureCanvasAgg(canvas)
    tails.draw(canvas, tails.rows)
    drawn.draw()
    for axes in canvas.axes:
        legend = axes.get_legend()
        if legend is not None:
            assert not legend.get_window_extent().overlaps(axes.get_window_extent())
            assert canvas.bbox.containsx(legend.get_window_extent().x0) and legend.get_window_extent().y0 > 0


def test_the_first_screen_says_what_the_main_theorems_rest_on(stored, text):
    beyond = sum(s.part.startswith("Beyond the paper") for s in catalogue().values())
    assumed = (
        "ass:Well-defined, ass:sample-smooth, ass:hp-shared-prob, eq:momentum-init-condition, eq:momentum-localization"
    )
    weak = f"rests on what is ASSUMED: {assumed}-condition"
    title = "High-probability convergence of momentum RSC-ZO"
    known = f"[thm:momentum-main]({page_of('thm:momentum-main')}), {title}: **REPAIRED**"
    line = f"{known}, the repaired form **PROVED** ({weak})"
    assert line in text and f"{len(catalogue())} statements ({beyond} of them beyond the paper): " in text
    without = {k: v for k, v in stored.decisions["decisions"].items() if k != "lem:momentum-warm-start"}
    other = replace(stored, decisions={**stored.decisions, "decisions": without})
    assert line.replace(weak, "rests on what is UNDECIDED: lem:momentum-warm-start") in front(other)


def test_a_step_that_others_name_shows_its_name(whole):
    text = whole[page_of("app:every-ratio")]
    [number] = [n for n, s in enumerate(catalogue()["app:every-ratio"].steps, 1) if s.name == "exponential"]
    assert f"\n- **({number})** *exponential* PROVED: " in text and f"({number}) at a = " in text


def test_of_a_statement_that_has_changed_nothing_old_is_shown(stored):
    """No verdict, slack, step or planted falsehood; what rests on it rests on something undecided."""
    label, user = "lem:hp-shared-clipped-bias-abstract", "lem:hp-shared-clipping-bias"
    known = stored.decisions["decisions"]
    changed = {**known, label: {**known[label], "fingerprint": "of an earlier form"}}
    found = replace(stored, decisions={**stored.decisions, "decisions": changed})
    before, after = context(catalogue(), stored), context(catalogue(), found)
    rows = [{s["label"]: s for s in c["statements"]} for c in (before, after)]
    old, new = (r[label] for r in rows)
    assert (old["verdict"], bool(old["stored"]["slack"]), bool(old["twins"])) == ("PROVED", True, True)
    assert (new["verdict"], new["stored"]["slack"], new["twins"], new["weakest"]) == ("STALE", None, [], None)
    assert sum(old["split"].values()) > 0 == sum(new["split"].values())
    assert all(not known["verdict"] for _, _, known in new["steps"]) and len(new["steps"]) == len(old["steps"])
    assert rows[0][user]["weakest"][0] != "UNDECIDED" and rows[1][user]["weakest"] == ("UNDECIDED", [label])
    assert sum(after["steps"].values()) == sum(before["steps"].values()) - sum(old["split"].values())
    assert len(after["twins"]) == len(before["twins"]) - len(old["twins"])
    [(_, slack)] = [(f.name, f) for f in figures(catalogue(), found) if f.name == "slack"]
    assert label not in {row[1] for row in slack.rows}


def test_sentences_change_with_what_is_stored(stored, whole):
    text = "\n".join(whole.values())
    cells = [dict(c) for c in stored.monte_carlo["cells"]]
    cells[0]["audit"] = {"trials": 6, "discrepancy": 1e-17, "bound": 1e-15, "held": True}
    deviation = [
        {
            "d": d,
            "M": 9 * d,
            "rho": 0.25,
            "p": 1.5,
            "sharp": s,
            "paper_own_tau": 8.0,
            "paper_best_tau": 7.0,
            "cell": "",
        }
        for d, s in ((1, 2.0), (10, 5.0))
    ]
    shown = "\n".join(
        pages(
            catalogue(),
            replace(
                stored,
                monte_carlo={**stored.monte_carlo, "cells": cells, "deviation": deviation},
                plans={"rows": [{**PLAN, "constants": c, "delta": d} for c, d in (("paper", 0.1), ("sharp", 0.2))]},
            ),
            [],
        ).values()
    )
    assert "1 of 3 cells (planted ones apart) were audited: 6 trials each" in shown
    assert "0 of 3 cells (planted ones apart) were audited. The others" in text
    assert ", 1.0 s (serial; 7.5 s of chunks, those of a ledger included), Python 3" in text
    assert "L = 2, Delta_0 = 3, delta = 0.1 or 0.2." in shown
    assert "with probability 0.75, p = 1.5" in shown and "From d = 1, M = 9 to d = 10, M = 90" in shown
    assert "is multiplied by 2.5, " in shown and "by 1 with its own tau and by 1 with the best" in shown


def test_a_later_run_on_a_part_is_told_apart(stored):
    run = stored.decisions["provenance"]
    part = {**run, "date": "2031-01-02T03:04:05", "elapsed": 0.5, "labels": ["thm:main"]}
    shown = replace(stored, decisions={**stored.decisions, "provenance": {**run, "later": [part]}})
    text = front(shown)
    assert "(decided later: 1)" in text and "\nDecided later, thm:main: 2031-01-02T03:04:05, 0.5 s, " in text
    assert f"\nDecisions: {run['date']}, {run['elapsed']} s, " in text


def test_the_ledger_speaks_of_a_simulation_only_where_there_is_one(stored):
    assert "against simulation" in waterfall(catalogue(), stored).caption
    assert "against simulation" not in waterfall(catalogue(), replace(stored, monte_carlo=None)).caption


@pytest.fixture(scope="module")
def written(tmp_path_factory, stored):
    """The folder of a report on what is stored, and what was rendered for it, which is the same at each look."""
    folder = tmp_path_factory.mktemp("report")
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(sources, "load", lambda: stored)
        once = report.rendered("REPORT.md")
        assert report.main(["-o", str(folder / "REPORT.md")]) == 0
    return folder, once


@pytest.fixture
def place(tmp_path, monkeypatch, written):
    folder, once = written
    shutil.copytree(folder, tmp_path, dirs_exist_ok=True)
    monkeypatch.setattr(report, "rendered", lambda front: once)
    return tmp_path / "REPORT.md"


@pytest.mark.thorough
def test_check_passes_on_what_was_written_and_sees_every_change(place, capsys):
    assert report.main(["-o", str(place), "--check"]) == 0  # also: rendered twice, it is the same
    statement = place.parent / page_of("thm:tuned-dev")
    for changed in (place, place.parent / "docs/figures/tails.csv", statement):
        old = changed.read_text()
        changed.write_text(old.replace("0.05", "0.06", 1) if "0.05" in old else old + "x\n")
        capsys.readouterr()
        assert report.main(["-o", str(place), "--check"]) == 1
        assert changed.name in capsys.readouterr().err
        changed.write_text(old)
    (place.parent / "docs/figures/tails.svg").write_text("drawn otherwise")
    assert report.main(["-o", str(place), "--check"]) == 0
    old = statement.with_name("lem-gone.md")
    old.write_text("of a statement that has left")
    assert report.main(["-o", str(place), "--check"]) == 1
    assert f"{old}: no page of the report any more" in capsys.readouterr().err
    old.unlink()
    place.unlink()
    assert report.main(["-o", str(place), "--check"]) == 1 and not place.exists()


@pytest.mark.thorough
def test_what_is_up_to_date_is_left_alone(place, capsys):
    """Reading writes nothing: not a page, not a drawing, though another Matplotlib would draw other bytes."""
    drawing = place.parent / "docs/figures/waterfall.svg"
    drawing.write_text(drawing.read_text().replace("</svg>", "<!-- other bytes --></svg>"))
    before = {f: (f.stat().st_mtime_ns, f.read_bytes()) for f in place.parent.rglob("*") if f.is_file()}
    assert report.main(["-o", str(place), "--html", str(place.with_name("report.html"))]) == 0
    place.with_name("report.html").unlink()
    after = {f: (f.stat().st_mtime_ns, f.read_bytes()) for f in place.parent.rglob("*") if f.is_file()}
    assert after == before
    drawing.write_text(re.sub("boundcheck drawing [0-9a-f]+", "boundcheck drawing 0", drawing.read_text()))
    assert report.main(["-o", str(place)]) == 0
    assert "other bytes" not in drawing.read_text()


@pytest.mark.parametrize(
    ("words", "told"),
    [
        (["--bogus"], "unrecognized arguments: --bogus"),
        (["out.md"], "or FILE.toml is wanted here"),
        (["--check", "--html", "x.html"], "not allowed with argument --check"),
    ],
)
def test_a_wrong_command_line_is_one_line(words, told, capsys):
    try:
        status = report.main(words)
    except SystemExit as end:
        status = end.code
    err = capsys.readouterr().err
    assert status == 2 and err.startswith("error: ") and told in err and err.count("\n") == 1


def test_what_is_missing_is_told_in_a_line(tmp_path):
    found = sources.load(tmp_path)
    text = front(found)
    assert "> no Monte Carlo results stored: run `python -m proofs_numeric run" in text
    assert "> no decisions stored: run `python -m boundcheck.lemma check --save`" in text
    assert "not decided" in text


def test_a_broken_data_file_is_told(tmp_path, monkeypatch, capsys):
    (tmp_path / "monte_carlo.json").write_text("{}")
    original = sources.load
    monkeypatch.setattr(sources, "load", lambda: original(tmp_path))
    assert report.main(["-o", str(tmp_path / "R.md")]) == 2
    assert "monte_carlo.json" in capsys.readouterr().err and not (tmp_path / "R.md").exists()


def test_html_holds_fenced_texts_named_places_and_the_data_of_figures(tmp_path):
    (tmp_path / "a.csv").write_text("x,y\n1,2\n")
    lines = [
        "<details><summary>formulas as text</summary>",
        "",
        "</details>",
        "",
        '<a id="here"></a>',
        "",
        "```text",
        "# not a heading, **not strong**",
        "",
        "| no table |",
        "```",
        "[data](a.csv)",
    ]
    document = page("\n".join([*lines, "![gone](b.svg)", "[out](https://example.org/a.csv)"]), tmp_path)
    assert '<a id="here"></a>' in document and "<details><summary>formulas as text</summary>" in document
    assert "<pre># not a heading, **not strong**\n\n| no table |</pre>" in document
    assert 'href="data:text/csv;base64,eCx5CjEsMgo=" download="a.csv"' in document
    assert "(missing figure: b.svg)" in document and "<img" not in document
    assert 'href="https://example.org/a.csv"' in document


def test_formulas_of_a_users_report_are_typeset_in_html_too(tmp_path):
    """They stood there as LaTeX between dollar signs. Their names mean nothing that the paper says."""
    (tmp_path / "own.toml").write_text(
        '[[statement]]\nlabel = "lem:own"\ntitle = "Half"\ntext = "Half of it."\nparameters = ["gradf >= 0"]\n'
        'claims = ["gradf/2 <= gradf"]\n'
    )
    assert report.main([str(tmp_path / "own.toml"), "--html", str(tmp_path / "own.html")]) == 0
    document, text = (tmp_path / "own.html").read_text(encoding="utf-8"), (tmp_path / "own.md").read_text()
    assert r"claim: $`\frac{\mathrm{gradf}}{2}\le \mathrm{gradf}`$" in text
    assert "<mfrac><mtext>gradf</mtext><mn>2</mn></mfrac>" in document and "$" not in document and "∇" not in document
