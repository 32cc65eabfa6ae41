"""Every command and code block of README and docs is run, in order, in an empty folder, and says what is printed.

A block ``console`` holds commands after ``$`` and what they print ("..." stands for anything, alone on a line for any
lines); ``# exit N`` gives a status other than 0. ``<!-- file: NAME -->`` before a block writes it to NAME. Blocks and
commands that install are run by ``.ci/run``; those marked ``campaign`` on request.
"""

from __future__ import annotations

import importlib.util
import os
import re
import shlex
import shutil
import signal
import subprocess
import sys
import textwrap
from dataclasses import dataclass
from functools import lru_cache
from pathlib import Path

import doors
import pytest

ROOT = Path(__file__).parent.parent
PAGES = sorted((ROOT / "docs").glob("*.md"))
BLOCK = re.compile(r"(?:<!-- file: (\S+) -->\n)?```([^\n]*)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
#: Pages that other tests run (claims.md), that show no commands, or that are generated.
ELSEWHERE = ("claims.md",)
SLOW = re.compile(r"proofs_numeric run --executor processes")


@dataclass(frozen=True)
class Block:
    file: str
    kind: str
    text: str


def blocks(page: Path) -> list[Block]:
    return [Block(*(part or "" for part in found)) for found in BLOCK.findall(page.read_text(encoding="utf-8"))]


def told(command: str, folder: Path) -> doors.Done | subprocess.CompletedProcess[str]:
    """The command as a reader gives it; in this process where it is a front door and nothing else."""
    asked = doors.plain(command)
    return shell(command, folder) if asked is None else doors.here(asked[0], asked[1], folder, asked[2])


def shell(command: str, folder: Path) -> subprocess.CompletedProcess[str]:
    path = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
    own = {k: v for k, v in os.environ.items() if k != "COLUMNS"} | {"PATH": path}  # lines as wide as in a pipe
    return subprocess.run(command, shell=True, cwd=folder, env=own, capture_output=True, text=True, timeout=300)


def commands(text: str) -> list[tuple[str, int, list[str]]]:
    """(command, status, expected lines) of a console block."""
    found: list[tuple[str, int, list[str]]] = []
    for line in text.splitlines():
        if line.startswith("$ "):
            command, _, status = line[2:].partition("  # exit ")
            found.append((command, int(status or 0), []))
        else:
            found[-1][2].append(line)
    return found


def says(expected: list[str], output: str) -> bool:
    """Whether the output is the expected lines, "..." alone standing for any number of lines."""
    pattern = "".join(
        r"(?:.*\n)*" if line == "..." else ".*".join(map(re.escape, line.split("..."))) + r"\n" for line in expected
    )
    return re.fullmatch(pattern, output) is not None


def run_page(page: Path, folder: Path, campaign: bool) -> int:
    count = 0
    for block in blocks(page):
        kind, _, mark = block.kind.partition(" ")
        if block.file:
            (folder / block.file).write_text(block.text)
        elif kind == "console" and (mark == "campaign") == campaign:
            for command, status, expected in commands(block.text):
                found = told(command, folder)
                assert found.returncode == status, f"{command}\n{found.stdout}{found.stderr}"
                assert "Traceback" not in found.stderr, f"{command}\n{found.stderr}"
                assert says(expected, found.stdout), f"{command}\n{found.stdout}"
                count += 1
    return count


RUN = [p for p in PAGES if p.name not in ELSEWHERE and "```console\n" in p.read_text(encoding="utf-8")]
#: Pages whose commands are also those of the README, of the tutorial, or of test_own, test_plugin and test_report.
REPEATED = ("howto-paper.md", "howto-statements.md", "howto-pytest.md", "howto-report.md")
#: Pages whose commands take seconds.
LONG = ("tutorial.md", "howto-rates.md")
#: Pages whose commands need the extra torch.
TORCH = ("howto-torch.md",)
NEEDS_TORCH = [
    pytest.mark.torch,
    pytest.mark.skipif(not importlib.util.find_spec("torch"), reason='needs pip install "boundcheck[torch]"'),
]


def marks(page: Path) -> list[pytest.MarkDecorator]:
    slow = [pytest.mark.campaign] * (page.name in REPEATED) + [pytest.mark.thorough] * (page.name in LONG)
    return slow + NEEDS_TORCH * (page.name in TORCH)


@pytest.mark.parametrize("page", [pytest.param(p, id=p.stem, marks=marks(p)) for p in RUN])
def test_commands_print_what_the_page_shows(page, tmp_path):
    assert run_page(page, tmp_path, campaign=False)


@pytest.mark.campaign
@pytest.mark.parametrize(
    "page", [p for p in PAGES if "```console campaign" in p.read_text(encoding="utf-8")], ids=lambda p: p.stem
)
def test_slow_commands_print_what_the_page_shows(page, tmp_path):
    assert run_page(page, tmp_path, campaign=True)


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda p: p.stem)
def test_no_block_is_left_unrun(page):
    """Every block is of a kind that some test runs, or is marked as an installation, or is plain text or a formula."""
    for block in blocks(page):
        kind, _, mark = block.kind.partition(" ")
        if page.name in ELSEWHERE:
            assert kind in ("toml", "python", "")
        elif page.name == "README.md":
            assert kind in ("sh", "text")
        else:
            assert block.file or kind in ("console", "text", "math", "") or (kind, mark) == ("sh", "install"), block


def readme_commands() -> list[str]:
    text = (ROOT / "README.md").read_text(encoding="utf-8")
    return re.findall(r"^\|[^|]*\| `(python -m [^`]*)`", text, re.MULTILINE)


@pytest.fixture
def checkout(tmp_path):
    """A copy of the project, with what is compiled, as a repository of its own; everything is committed."""
    if shutil.which("git") is None:
        pytest.skip("git is not installed")
    folder = tmp_path / "checkout"
    unwanted = shutil.ignore_patterns("*.egg-info")
    for name in ("boundcheck", "proofs_numeric", "docs", "examples"):
        shutil.copytree(ROOT / name, folder / name, ignore=unwanted)
    for name in ("README.md", "REPORT.md", ".gitignore"):
        shutil.copy(ROOT / name, folder / name)
    (folder / "FILE.toml").write_text('[[claim]]\nname = "a"\nclaim = "x**2 >= 0"\n')
    identity = "-c user.name=test -c user.email=test@localhost"
    done = shell(f"git init -q && git add -A && git {identity} commit -qm all", folder)
    assert done.returncode == 0 and changed(folder) == [], done.stderr
    return folder


def changed(folder: Path) -> list[str]:
    return shell("git status --porcelain", folder).stdout.splitlines()


@pytest.mark.thorough
def test_the_commands_of_the_readme_run_and_change_nothing_tracked(checkout):
    quick = [c for c in readme_commands() if not SLOW.search(c)]
    assert len(quick) >= 10
    (checkout / "docs/figures/tails.svg").write_text("drawn by another program")
    (checkout / "REPORT.md").write_text("written by another program")
    damaged = [" M REPORT.md", " M docs/figures/tails.svg"]
    for command in quick:
        done = shell(command, checkout)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"
        damaged = [] if command.startswith("python -m boundcheck.report") else damaged
        assert changed(checkout) == damaged, command
    assert damaged == []


@pytest.mark.campaign
def test_the_slow_commands_of_the_readme_run(tmp_path):
    slow = [c for c in readme_commands() if SLOW.search(c)]
    assert slow
    for command in slow:
        done = shell(command, tmp_path)
        assert done.returncode == 0, f"{command}\n{done.stdout}{done.stderr}"


OPTION = re.compile(r"--[a-z][a-z-]+")


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda p: p.stem)
def test_commands_beside_the_blocks_have_the_options_that_they_name(page):
    """Commands in running text, tables and indented synopses, and programs that need a cluster: not run but read."""
    text = re.sub(r"```.*?```", "", page.read_text(encoding="utf-8"), flags=re.DOTALL)
    for module, rest in re.findall(r"python -m (boundcheck\.\w+|proofs_numeric)\b([^`\n]*)", text):
        words = [w for w in rest.split()[:2] if re.fullmatch(r"[a-z]+", w)] if module != "boundcheck.report" else []
        known = helped(module, *words)
        assert [o for o in OPTION.findall(rest) if o not in known] == [], f"{page.name}: {module}{rest}"
    for program in re.findall(r"(?:^    (?:from|import) .*\n(?:(?:    .*)?\n)*)", text, re.MULTILINE):
        compile(textwrap.dedent(program), page.name, "exec")


@lru_cache
def helped(module: str, *words: str) -> str:
    found = told(shlex.join(["python", "-m", module, *words, "--help"]), ROOT)
    assert found.returncode == 0, f"{module} {words}: {found.stderr}"
    return found.stdout


def test_the_sample_of_the_readme_is_what_is_printed(tmp_path):
    samples = [b for b in blocks(ROOT / "README.md") if b.kind == "text" and b.text.startswith("$ ")]
    assert samples
    for block in samples:
        for command, status, expected in commands(block.text):
            done = shell(command, tmp_path)
            assert done.returncode == status and says(expected, done.stdout), done.stdout


def test_the_reference_is_up_to_date():
    done = shell(f"{sys.executable} {ROOT / 'docs' / 'make_reference.py'} --check", ROOT)
    assert done.returncode == 0, "python docs/make_reference.py writes it"


@pytest.mark.parametrize("page", [*PAGES, ROOT / "README.md"], ids=lambda p: p.stem)
def test_links_lead_to_files(page):
    for target in re.findall(r"\]\(([^)#:\s]+)\)", re.sub(r"```.*?```", "", page.read_text(), flags=re.DOTALL)):
        assert (page.parent / target).exists(), target


def test_every_front_door_is_shown_by_a_command_that_runs():
    shown = "\n".join(c for p in PAGES for b in blocks(p) if b.kind == "console" for c, _, _ in commands(b.text))
    for module in ("boundcheck.lemma", "proofs_numeric"):
        words = re.findall(r"^    ([a-z]+)  +\S", helped(module), re.MULTILINE)
        assert len(words) >= 4
        for word in words:
            assert f"python -m {module} {word}" in shown, f"{module} {word}"
    assert "python -m boundcheck.report " in shown and "--boundcheck " in shown


def test_a_command_in_this_process_leaves_it_as_it_was(tmp_path):
    before = Path.cwd(), dict(os.environ), sys.stdout, sys.stderr, sys.__stdout__, signal.getsignal(signal.SIGINT)
    found = doors.here("boundcheck.lemma", ["check", "missing.toml"], tmp_path)
    assert (found.returncode, found.stdout) == (2, "") and found.stderr.startswith("error: missing.toml")
    merged = doors.here("boundcheck.lemma", ["check", "missing.toml"], tmp_path, together=True)
    assert (merged.stdout, merged.stderr) == (found.stderr, "")
    assert doors.here("proofs_numeric", ["--version"], tmp_path).stdout.startswith("boundcheck ")
    after = Path.cwd(), dict(os.environ), sys.stdout, sys.stderr, sys.__stdout__, signal.getsignal(signal.SIGINT)
    assert after == before


def test_what_asks_a_shell_or_is_no_front_door_is_a_process():
    assert doors.plain("python -m boundcheck.lemma check a.toml 2>&1") == (
        "boundcheck.lemma",
        ["check", "a.toml"],
        True,
    )
    assert doors.plain("python -m proofs_numeric list") == ("proofs_numeric", ["list"], False)
    for command in (
        "python -m boundcheck.lemma verify proofs/*.json", "python -m boundcheck.lemma > out", "python train.py",
        "python -m pytest -q", "python -m boundcheck.lemma check 'a b.toml'", "sed 's/a/b/' c",
    ):  # fmt: skip
        assert doors.plain(command) is None, command


def test_the_comparison_can_fail():
    assert says(["a ... c", "..."], "a b c\nmore\n") and says(["a", "...", "z"], "a\nz\n")
    assert not says(["a"], "a\nb\n") and not says(["a ... c"], "a b\n") and not says(["a"], "")
