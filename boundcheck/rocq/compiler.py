"""Running Rocq (coqc) on exported files: a limit of time for each, which obligations compile, what they rest on."""

from __future__ import annotations

import os
import re
import shutil
import signal
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boundcheck.rocq.pieces import Whole
    from boundcheck.rocq.scalar import Export

BASE = Path(__file__).parent / "Boundcheck.v"
INSTALL = "Rocq is not here: `apt-get install coq libcoq-interval` installs it (Debian 12: Coq 8.16, coq-interval 4.6)"
#: What the standard library's reals rest on.
REALS = (
    "ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
)  # fmt: skip
#: Coq's own machine integers and floats, by which coq-interval computes.
MACHINE = ("PrimInt63.", "Uint63.", "PrimFloat.", "FloatAxioms.")
SENTENCE = 20.0  #: seconds for one tactic or command, so that what is slow is named and the rest goes on
LONG_SENTENCE = 120.0  #: the same in whole statements, whose sentences do more
MAX_IDLE = 2  #: runs of coqc that fail where coqtop finds no fault
MAX_ROUNDS = 40  #: obligations of one file that may fail before the rest is given up


class NoCompiler(RuntimeError):
    """There is no coqc on this machine, or it lacks a library; the message says how to install."""


@dataclass
class Outcome:
    """What became of an export: the obligations that Rocq accepts, why others failed, the axioms beneath."""

    label: str
    accepted: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    axioms: list[str] = field(default_factory=list)
    seconds: float = 0.0

    @property
    def foreign(self) -> list[str]:
        """Axioms beyond those of the reals and of Coq's machine arithmetic: they would make a proof worthless."""
        return [a for a in self.axioms if a not in REALS and not a.startswith(MACHINE)]


def module_name(label: str) -> str:
    """A file name that Coq reads as a module: letters, digits and _, beginning with a letter."""
    body = "".join(c if c.isascii() and c.isalnum() else "_" for c in label)[:80]
    return body if body[:1].isalpha() else f"c_{body}"


def compiler() -> str:
    """The version of coqc. Raises :class:`NoCompiler`."""
    if shutil.which("coqc") is None:
        raise NoCompiler(INSTALL)
    told = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"version ([0-9][0-9.]*)", told)
    return found[1] if found else "of unknown version"


def prepare(directory: Path, seconds: float = 300.0, names: tuple[str, ...] = ("Boundcheck",)) -> None:
    """Write the named files of this folder into ``directory``, compile them. Raises :class:`NoCompiler`."""
    last = 0.0
    for name in names:
        text, own = BASE.with_name(f"{name}.v").read_text(encoding="utf-8"), directory / f"{name}.v"
        made = own.with_suffix(".vo")
        if made.exists() and made.stat().st_mtime >= last and own.read_text(encoding="utf-8") == text:
            last = made.stat().st_mtime
            continue
        own.write_text(text, encoding="utf-8")
        code, told = run(directory, own.name, seconds)
        if code != 0:
            missing = "Cannot find a physical path" in told or "Unable to locate library" in told
            raise NoCompiler(INSTALL if missing else f"{own.name} does not compile: {_error(told)}")
        last = made.stat().st_mtime


def theorem(made: Whole, module: str, directory: Path, seconds: float) -> dict[str, Any]:
    """Whether Rocq accepts a whole statement, given the compiled obligations ``module``, and what it assumes."""
    prepare(directory, names=("Boundcheck", "Rules", "Whole"))
    path = directory / f"{module}_whole.v"
    path.write_text(made.file(module), encoding="utf-8")
    code, told = run(directory, path.name, seconds, LONG_SENTENCE)
    foreign: list[str] = []
    if code == 0:
        asked = directory / "Grounds.v"
        asked.write_text(grounds([f"@{path.stem}.{c}" for c in made.claims], [path.stem]), encoding="utf-8")
        code, told = run(directory, asked.name, seconds)
        foreign = Outcome(made.label, axioms=axioms(told)).foreign if code == 0 else []
    found: dict[str, Any] = {"accepted": code == 0 and not foreign, "rules": made.rules, "cited": made.cited}
    if not found["accepted"]:
        found["reason"] = (
            f"axioms {', '.join(foreign)}" if foreign else f"{piece(made.file(module), told)}: {_error(told)}"[:200]
        )
    return found


def piece(text: str, told: str) -> str:
    """The lemma in whose proof an error lies."""
    found = re.search(r"line (\d+), characters", told)
    heads = (
        re.match(r"(?:Lemma|Theorem|Hypothesis|Let|Variable|Definition) ([\w']+)", x)
        for x in text.splitlines()[: int(found[1]) if found else 0]
    )
    return ([h[1] for h in heads if h] or ["the file"])[-1]


def run(directory: Path, file: str, seconds: float, sentence: float = SENTENCE) -> tuple[int, str]:
    """Exit status and output of coqc on one file of ``directory``; 124 where the time is up."""
    code, told = _ended(["coqc", *_flags(min(seconds, sentence)), file], directory, None, seconds)
    return (code, told) if code != 124 else (124, f"Error: the limit of {seconds:g} s is over")


def session(directory: Path, text: str, seconds: float) -> str:
    """What coqtop says to a text, all of it, errors among it; what it said so far where the time is up."""
    return _ended(["coqtop", *_flags(min(seconds, SENTENCE))], directory, text, seconds)[1]


def _flags(sentence: float) -> list[str]:
    return ["-q", "-w", "-all", "-set", f"Default Timeout={max(1, int(sentence))}", "-R", ".", ""]


def _ended(command: list[str], directory: Path, text: str | None, seconds: float) -> tuple[int, str]:
    with subprocess.Popen(
        command, cwd=directory, stdin=subprocess.PIPE if text is not None else subprocess.DEVNULL,
        stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True, start_new_session=True,
    ) as process:  # fmt: skip
        try:
            told, _ = process.communicate(text, timeout=seconds)
        except BaseException as ended:
            os.killpg(process.pid, signal.SIGKILL)
            rest, _ = process.communicate()
            if isinstance(ended, subprocess.TimeoutExpired):
                return 124, rest
            raise
        return process.returncode, told


def accept(export: Export, directory: Path, seconds: float, say: Callable[[str], None] = lambda _: None) -> Outcome:
    """Compile the export; what fails is left out, named with Coq's error. The file stays in ``directory``.

    ``seconds`` limits each run of coqc. What axioms are beneath, :func:`ground` says. Raises :class:`NoCompiler`.
    """
    prepare(directory)
    outcome = Outcome(export.label)
    start = time.monotonic()
    module = module_name(export.label)
    path = directory / f"{module}.v"
    left = {o.name for o in export.stated}
    idle = 0
    for o in export.obligations:
        if o.refused:
            outcome.failed[o.name] = f"not stated: {o.refused}"
    for _ in range(MAX_ROUNDS):
        without = frozenset({o.name for o in export.stated} - left)
        text = export.file(without, assumptions=False)
        path.write_text(text, encoding="utf-8")
        say(f"coqc {path.name}: {len(left)} obligations")
        code, told = run(directory, path.name, seconds)
        if code == 0:
            outcome.accepted = [o.name for o in export.stated if o.name in left]
            break
        say(f"coqtop {path.name}: which ones fail")
        failed = faults(text, session(directory, marked(text), seconds))
        failed = {name: reason for name, reason in failed.items() if name in left}
        if not failed:  # the clock decided: once more, or it is told of all
            idle += 1
            failed = dict.fromkeys(left, _error(told)) if idle > MAX_IDLE else {}
        outcome.failed |= failed
        left -= failed.keys()
    for o in export.obligations:
        if o.same_as:
            if o.same_as in outcome.accepted:
                outcome.accepted.append(o.name)
            else:
                outcome.failed[o.name] = f"the same claim as {o.same_as}"
    outcome.seconds = time.monotonic() - start
    return outcome


def ground(outcomes: Sequence[Outcome], directory: Path, seconds: float) -> None:
    """Ask Rocq once what all that was accepted rests on: the axioms of each are among those of all together.

    One question walks through all of coq-interval, which takes far longer than a file.
    """
    made = [o for o in outcomes if o.accepted]
    if not made:
        return
    modules = [module_name(o.label) for o in made]
    path = directory / "Grounds.v"
    path.write_text(grounds([f"{m}.everything" for m in modules], modules), encoding="utf-8")
    code, told = run(directory, path.name, seconds)
    for o in made:
        o.axioms = axioms(told) if code == 0 else [f"unknown: {_error(told)}"]


def grounds(terms: Sequence[str], modules: Sequence[str]) -> str:
    """The file that asks what terms of compiled modules rest on.

    Without a limit of time: coqc takes a proof whose reading is interrupted for an axiom.
    """
    every = f"Definition everything := ({', '.join(['I', *terms])})."
    lines = [f"Require {' '.join(modules)}.", "Unset Default Timeout.", every, "Print Assumptions everything."]
    return "\n".join(lines) + "\n"


def axioms(told: str) -> list[str]:
    """The names under ``Axioms:`` in the output of Print Assumptions."""
    at = told.rfind("Axioms:")
    if at < 0:
        return []
    return sorted(set(re.findall(r"^([A-Za-z_][\w.']*)\s*(?::|$)", told[at + 7 :], re.MULTILINE)) - {"Axioms"})


def _error(told: str) -> str:
    at = told.find("Error:")
    return " ".join((told[at:] if at >= 0 else told[-300:]).split())[:300] or "coqc ended without a word"


_OBLIGATION = re.compile(r"\(\* (step\d+_\d+|claim|case_\d+|refutation_\d+): ")
_RULE = re.compile(r"\(\* (\w+) \*\)")


def marked(text: str) -> str:
    """The file for coqtop, which goes on after an error: it says which obligation and which lemma comes next."""
    lines = []
    for line in text.splitlines():
        start, rule = _OBLIGATION.match(line), _RULE.fullmatch(line)
        if start:
            lines += ["Abort All.", _mark(f"@@ {start[1]}")]
        elif rule:
            lines.append(_mark(f"@ {rule[1]}"))  # not said inside of a proof that failed
        if not line.startswith(("Print Assumptions", "Definition everything")):
            lines.append(line)
    return "\n".join([*lines, "Abort All.", _mark("@@ end")]) + "\n"


def _mark(what: str) -> str:
    return f'Goal True. idtac "{what}". Abort.'


def faults(text: str, told: str) -> dict[str, str]:
    """The obligations that coqtop refuses, each with the rule of the lemma and the error."""
    wanted = [m[1] for m in map(_OBLIGATION.match, text.splitlines()) if m]
    found: dict[str, str] = {}
    name, rule = "", ""
    for line in told.splitlines():
        mark = re.search(r"@(@?) (\w+)$", line)
        if mark and mark[1]:
            name, rule = mark[2], ""
        elif mark:
            rule = mark[2]
        elif line.startswith("Error:") and name not in ("", "end") and "proof-editing" not in line:
            found.setdefault(name, f"{rule}: {line}"[:300] if rule else line[:300])
    if name != "end" and name:  # its time was up there
        late = "Error: the limit of time is over"
        found.setdefault(name, f"{rule}: {late}" if rule else late)
        found |= dict.fromkeys(wanted[wanted.index(name) + 1 :], late)
    return found
