"""Running Rocq (coqc) on exported files: a limit of time for each, which obligations compile, what they rest on."""

from __future__ import annotations

import re
import shutil
import subprocess
import time
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from boundcheck.rocq.claim_files import Export
    from boundcheck.rocq.pieces import Whole

#: the head of every file that is compiled
HEADER = """\
From Coq Require Import Reals Lra Psatz ZArith.
From Coquelicot Require Import Coquelicot.
From Interval Require Import Tactic.
Require Import Boundcheck.
Open Scope R_scope.
"""
BASE = Path(__file__).parent / "Boundcheck.v"
INSTALL = "Rocq is not here: `apt-get install coq libcoq-interval` installs it (Debian 12: Coq 8.16, coq-interval 4.6)"
#: What the standard library's reals rest on.
REALS = (
    "ClassicalDedekindReals.sig_forall_dec", "ClassicalDedekindReals.sig_not_dec", "Classical_Prop.classic",
    "FunctionalExtensionality.functional_extensionality_dep",
)  # fmt: skip
#: Coq's own machine integers and floats, by which coq-interval computes.
MACHINE = ("PrimInt63.", "Uint63.", "PrimFloat.", "FloatAxioms.")
OWN = ("Boundcheck", "Rules", "Whole", "Grounds")  #: files that are here already
OWN_SECONDS = 300.0  #: for one of these
SENTENCE = 40.0  #: seconds for one tactic or command, so that what is slow is named and the rest goes on
LONG_SENTENCE = 300.0  #: the same in whole statements, whose sentences do more
MAX_IDLE = 1  #: runs of coqc that end without a fault of one obligation, before all that are left are given up


class NoCompiler(RuntimeError):
    """There is no coqc on this machine, or it lacks a library; the message says how to install."""


@dataclass
class CoqOutcome:
    """What became of an export: the obligations that Rocq accepts, why others failed, the axioms beneath."""

    label: str
    accepted: list[str] = field(default_factory=list)
    failed: dict[str, str] = field(default_factory=dict)
    axioms: list[str] = field(default_factory=list)
    seconds: float = 0.0
    said: dict[str, str] = field(default_factory=dict)  #: what each theorem states

    @property
    def foreign(self) -> list[str]:
        """Axioms beyond those of the reals and of Coq's machine arithmetic: they would make a proof worthless."""
        return [a for a in self.axioms if a not in REALS and not a.startswith(MACHINE)]


def module_name(label: str) -> str:
    """A file name that Coq reads as a module: letters, digits and _, beginning with a letter."""
    body = "".join(c if c.isascii() and c.isalnum() else "_" for c in label)[:80]
    return body if body[:1].isalpha() and body not in OWN else f"c_{body}"


def compiler() -> str:
    """The version of coqc. Raises :class:`NoCompiler`."""
    if shutil.which("coqc") is None:
        raise NoCompiler(INSTALL)
    told = subprocess.run(["coqc", "--version"], capture_output=True, text=True, check=False).stdout
    found = re.search(r"version ([0-9][0-9.]*)", told)
    return found[1] if found else "of unknown version"


def prepare(directory: Path, names: tuple[str, ...] = ("Boundcheck",)) -> None:
    """Write the named files of this folder into ``directory``, compile them. Raises :class:`NoCompiler`."""
    last = 0.0
    for name in names:
        text, own = BASE.with_name(f"{name}.v").read_text(encoding="utf-8"), directory / f"{name}.v"
        made = own.with_suffix(".vo")
        if made.exists() and made.stat().st_mtime >= last and own.read_text(encoding="utf-8") == text:
            last = made.stat().st_mtime
            continue
        own.write_text(text, encoding="utf-8")
        code, told = run(directory, own.name, OWN_SECONDS)
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
        foreign = CoqOutcome(made.label, axioms=axioms(told)).foreign if code == 0 else []
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
    limit = f"Default Timeout={max(1, int(min(seconds, sentence)))}"
    code, told = _ended(["coqc", "-q", "-w", "-all", "-set", limit, "-R", ".", "", file], directory, seconds)
    return (code, told) if code != 124 else (124, f"{told}\nError: the limit of {seconds:g} s is over")


def _ended(command: list[str], directory: Path, seconds: float) -> tuple[int, str]:
    with subprocess.Popen(
        command, cwd=directory, stdin=subprocess.DEVNULL, stdout=subprocess.PIPE, stderr=subprocess.STDOUT, text=True
    ) as process:
        try:
            told, _ = process.communicate(timeout=seconds)
        except BaseException as ended:
            process.kill()
            rest, _ = process.communicate()
            if isinstance(ended, subprocess.TimeoutExpired):
                return 124, rest
            raise
        return process.returncode, told


def accept(export: Export, directory: Path, seconds: float, say: Callable[[str], None] = lambda _: None) -> CoqOutcome:
    """Compile the export; what fails is left out, named with Coq's error. The file stays in ``directory``.

    coqc stops at the first error, so the obligations behind it are compiled by themselves, as often as one fails; the
    file of those that are left comes last. ``seconds`` limits each run of coqc. What axioms are beneath,
    :func:`ground` says. Raises :class:`NoCompiler`.
    """
    prepare(directory)
    outcome = CoqOutcome(export.label, said={o.name: o.said for o in export.stated if o.said})
    start = time.monotonic()
    module = module_name(export.label)
    outcome.failed |= {o.name: f"not stated: {o.refused}" for o in export.obligations if o.refused}
    every = [o.name for o in export.stated]
    left, waiting = list(every), list(every)  # not known to fail; not known at all
    idle = 0
    while True:
        whole = waiting == left  # the file itself, not the rest behind an error
        text = export.file(frozenset(every) - frozenset(waiting), assumptions=False)
        path = directory / (f"{module}.v" if whole else f"{module}_rest.v")
        path.write_text(text if whole and not idle else marked(text), encoding="utf-8")
        say(f"coqc {path.name}: {len(waiting)} obligations")
        code, told = run(directory, path.name, seconds)
        if code == 0 and whole:
            outcome.accepted = left
            break
        if code == 0:
            waiting = list(left)
            continue
        name, reason = blame(path.read_text(encoding="utf-8"), told)
        if name not in waiting:  # the clock decided, or what precedes the obligations: once more, or it is told of all
            idle += 1
            if idle > MAX_IDLE:
                outcome.failed |= dict.fromkeys(waiting, reason)
                left = [x for x in left if x not in waiting]
                waiting = list(left)
            continue
        outcome.failed[name] = reason
        left.remove(name)
        if not left:  # a file without a theorem says why; coqc has nothing to say of it
            (directory / f"{module}.v").write_text(export.file(frozenset(every), assumptions=False), encoding="utf-8")
            break
        waiting = waiting[waiting.index(name) + 1 :] or list(left)
    for o in (o for o in export.obligations if o.same_as):
        if o.same_as in outcome.accepted:
            outcome.accepted.append(o.name)
        else:
            outcome.failed[o.name] = f"the same claim as {o.same_as}"
    outcome.seconds = time.monotonic() - start
    return outcome


def ground(outcomes: Sequence[CoqOutcome], directory: Path, seconds: float) -> None:
    """Ask Rocq once what all that was accepted rests on: the axioms of each are among those of all together.

    One question walks through all of coq-interval, which takes far longer than a file. What rests on others than those
    of the reals and of Coq's machine arithmetic is not accepted.
    """
    made = [o for o in outcomes if o.accepted]
    if not made:
        return
    modules = [module_name(o.label) for o in made]
    path = directory / "Grounds.v"
    said = [(f"{m}.{n}", o.said[n]) for m, o in zip(modules, made, strict=True) for n in o.accepted if n in o.said]
    path.write_text(grounds([f"{m}.everything" for m in modules], modules, said), encoding="utf-8")
    code, told = run(directory, path.name, seconds)
    for o in made:
        o.axioms = axioms(told) if code == 0 else [f"unknown: {_error(told)}"]
        if o.foreign:
            o.failed |= dict.fromkeys(o.accepted, f"axioms: {', '.join(o.foreign)}")
            o.accepted = []


def grounds(terms: Sequence[str], modules: Sequence[str], said: Sequence[tuple[str, str]] = ()) -> str:
    """The file that asks what terms of compiled modules rest on, and whether theorems state what is ``said``.

    Without a limit of time: coqc takes a proof whose reading is interrupted for an axiom. No text of a proof is in
    this file, so what is said is what a theorem states, whatever stands in its own file.
    """
    every = f"Definition everything := ({', '.join(['I', *terms])})."
    lines = [HEADER] if said else []
    lines += [f"Require {' '.join(modules)}.", "Unset Default Timeout."]
    lines += [f"Definition said_{k} : {statement} := {term}." for k, (term, statement) in enumerate(said, 1)]
    return "\n".join([*lines, every, "Print Assumptions everything."]) + "\n"


def axioms(told: str) -> list[str]:
    """The names under ``Axioms:`` in the output of Print Assumptions, also of what is only assumed to be guarded."""
    at = told.rfind("Axioms:")
    found = set(re.findall(r"^([^\s:]+)", told[at + 7 :], re.MULTILINE)) if at >= 0 else set()
    return sorted(found | set(re.findall(r"^(Theory):", told, re.MULTILINE)))


def _error(told: str) -> str:
    at = told.find("Error:")
    return " ".join((told[at:] if at >= 0 else told[-300:]).split())[:300] or "coqc ended without a word"


_OBLIGATION = re.compile(r"\(\* (step\d+_\d+|claim|case_\d+|refutation_\d+): ")
_RULE = re.compile(r"\(\* (\w+) \*\)")


def marked(text: str) -> str:
    """The file with a word said before each obligation, so that one that takes all the time is named."""
    lines = []
    for line in text.splitlines():
        start = _OBLIGATION.match(line)
        if start:
            lines.append(f'Goal True. idtac "@@ {start[1]}". Abort.')
        lines.append(line)
    return "\n".join(lines) + "\n"


def blame(text: str, told: str) -> tuple[str, str]:
    """The obligation in which coqc stopped, and the reason: the rule of the lemma and the error.

    Without a place in what coqc says, its time was over: then the last obligation that was named, or "".
    """
    place = re.search(r"line (\d+), characters", told)
    name = rule = ""
    if place is None:
        names = re.findall(r"^@@ (\w+)$", told, re.MULTILINE)
        return (names[-1] if names else ""), _error(told)
    for line in text.splitlines()[: int(place[1])]:
        start, kind = _OBLIGATION.match(line), _RULE.fullmatch(line)
        if start:
            name, rule = start[1], ""
        elif kind:
            rule = kind[1]
    return name, f"{rule}: {_error(told)}"[:300] if rule else _error(told)
