"""What Rocq's kernel accepts beyond the catalogue: claims drawn at random, rates, the refutation of a constant.

    python benchmarks/rocq.py [--claims 50] [--seed 0] [--rates] [--refutation] [--seconds 300] [-o DIR] [--readme]

Needs coqc (docs/rocq.md says what to install). The claims are those of ``claims/``, shuffled with the seed and decided
in that order until so many are PROVED; what is not PROVED is passed over and counted. Neither ``truth`` nor a name is
read. A certificate counts as accepted when Rocq compiles every obligation of it and they rest on no foreign axiom.
"""

from __future__ import annotations

import argparse
import random
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from pathlib import Path
from typing import Any

from blocks import machine, replace_block

from boundcheck.app.commands.check_jobs import decide_own
from boundcheck.app.reporting.markdown import table
from boundcheck.claims import read_claims
from boundcheck.decide import decide
from boundcheck.decide.quadratic.rate_engine import decide_rate
from boundcheck.kernel.statement import Claim
from boundcheck.paper import lookup
from boundcheck.rates import read_rates
from boundcheck.rocq.claim_files import Export, export
from boundcheck.rocq.compiler import CoqOutcome, accept, compiler, ground
from boundcheck.rocq.coq_text import NotStated
from boundcheck.verdict import Status

HERE = Path(__file__).parent
CLAIMS, RATES = HERE / "claims", HERE.parent / "examples" / "rates"
REFUTED = "lem:momentum-freedman"  #: no constant makes its printed bound true
DECIDE = 10.0  #: seconds to decide one claim or rate


@dataclass(frozen=True)
class Row:
    """One certificate under Rocq's kernel."""

    name: str
    export: Export | None
    outcome: CoqOutcome
    refused: str = ""  #: why nothing was exported

    @property
    def accepted(self) -> bool:
        """Whether every obligation compiles and rests on the reals alone."""
        return not (self.refused or self.outcome.failed or self.outcome.foreign)

    @property
    def rules(self) -> str:
        """The rules of the certificate's lemmas, the most frequent first."""
        counts = Counter(r for o in (self.export.obligations if self.export else ()) for r in o.rules)
        return ", ".join(f"{rule} {n}" if n > 1 else rule for rule, n in counts.most_common())


def every_claim() -> list[tuple[str, Claim]]:
    """(family, claim) of all files, in the order of the files."""
    return [(path.stem, claim) for path in sorted(CLAIMS.glob("*.toml")) for claim in read_claims(path)]


def drawn(count: int, seed: int, passed: Counter[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(name, certificate) of the first ``count`` PROVED claims of a shuffled list; ``passed`` counts the others."""
    claims = every_claim()
    random.Random(seed).shuffle(claims)
    found = 0
    for family, claim in claims:
        if found == count:
            return
        verdict = decide(claim, DECIDE)
        if verdict.status is not Status.PROVED or verdict.certificate is None:
            passed[verdict.status.value] += 1
            continue
        found += 1
        yield f"{family}/{claim.name}", verdict.certificate


def rates(passed: Counter[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(name, certificate) of every rate of examples/rates that is PROVED."""
    for path in sorted(RATES.glob("*.toml")):
        for entry in read_rates(path):
            verdict = decide_rate(entry.rate, DECIDE)
            if verdict.status is Status.PROVED and verdict.certificate is not None:
                yield f"{path.stem}/{entry.rate.name}", verdict.certificate
            else:
                passed[verdict.status.value] += 1


def refutation(passed: Counter[str]) -> Iterator[tuple[str, Mapping[str, Any]]]:
    """The certificate that a statement's printed bound holds for no constant."""
    verdict = decide_own(lookup(REFUTED), (), DECIDE, False, True)
    if verdict.certificate is not None and verdict.certificate.get("kind") == "skolem":
        yield REFUTED, verdict.certificate
    else:
        passed[verdict.status.value] += 1


def run(found: Iterator[tuple[str, Mapping[str, Any]]], directory: Path, seconds: float) -> list[Row]:
    """Every certificate exported and compiled; the axioms of all are asked once, at the end."""
    rows: list[Row] = []
    for number, (name, certificate) in enumerate(found, 1):
        start = time.perf_counter()
        try:
            made = export(f"n{number} {name}", certificate)  # a module of its own, whatever the name
        except NotStated as fault:
            rows.append(Row(name, None, CoqOutcome(name), f"{fault}"))
        else:
            rows.append(Row(name, made, accept(made, directory, seconds)))
        told = "accepted" if rows[-1].accepted else "NOT ACCEPTED"
        print(f"{told:12} {name} {time.perf_counter() - start:.1f} s", file=sys.stderr, flush=True)
        for obligation, reason in rows[-1].outcome.failed.items():
            print(f"             {obligation}: {reason}", file=sys.stderr, flush=True)
    ground([row.outcome for row in rows], directory, seconds)
    return rows


def lines(rows: list[Row], passed: Mapping[str, int], version: str) -> list[str]:
    """The figures as Markdown: counts, a table of all, what fails and why."""
    good = [r for r in rows if r.accepted]
    obligations = sum(len(r.outcome.accepted) + len(r.outcome.failed) for r in rows)
    accepted = sum(len(r.outcome.accepted) for r in rows)
    share = 100 * len(good) / max(1, len(rows))
    beneath = sorted({a for r in rows for a in r.outcome.foreign})
    left = ", ".join(f"{n} {status}" for status, n in sorted(passed.items())) or "none"
    out = [
        f"Rocq {version}; {machine()}.",
        "",
        f"Accepted: {len(good)} of {len(rows)} ({share:.0f} %), {accepted} of {obligations} obligations, in "
        f"{sum(r.outcome.seconds for r in rows):.0f} s. Passed over because they are not PROVED: {left}. "
        f"Foreign axioms: {', '.join(beneath) or 'none'}.",
        "",
        *table(("", "rules of the certificate", "obligations", "s", "Rocq"), map(_told, rows)),
    ]
    if len(good) < len(rows):
        out += ["", "Not accepted, by the rule in whose lemma the proof stops:", ""]
    for r in rows:
        reasons = [r.refused] if r.refused else [f"{o}: {reason}" for o, reason in r.outcome.failed.items()]
        reasons += [f"axiom {a}" for a in r.outcome.foreign]
        out += [f"- {r.name}, {reason[:160]}" for reason in reasons]
    return out


def _told(r: Row) -> tuple[str, ...]:
    total = len(r.outcome.accepted) + len(r.outcome.failed)
    told = "accepted" if r.accepted else "**no**"
    return r.name, r.rules, f"{len(r.outcome.accepted)}/{total}", f"{r.outcome.seconds:.1f}", told


def main(arguments: list[str] | None = None) -> int:
    """Run what is asked for; 0 where something was compiled."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--claims", type=int, default=0, metavar="N", help="so many PROVED claims, drawn at random")
    parser.add_argument("--seed", type=int, default=0, help="of the draw (default 0)")
    parser.add_argument("--rates", action="store_true", help="the rates of examples/rates")
    parser.add_argument("--refutation", action="store_true", help=f"the refutation of {REFUTED}")
    parser.add_argument("--seconds", type=float, default=300.0, help="limit for each run of coqc (default 300)")
    parser.add_argument("-o", "--output", type=Path, help="keep the files there")
    parser.add_argument("--readme", action="store_true", help="write the figures into benchmarks/README.md")
    options = parser.parse_args(arguments)
    if not (options.claims or options.rates or options.refutation):
        parser.error("nothing to do: name --claims N, --rates or --refutation")
    version = compiler()
    for asked, block in ((options.claims, "claims"), (options.rates, "rates"), (options.refutation, "refutation")):
        if not asked:
            continue
        passed: Counter[str] = Counter()
        sources = {
            "claims": lambda p=passed: drawn(options.claims, options.seed, p),
            "rates": lambda p=passed: rates(p),
            "refutation": lambda p=passed: refutation(p),
        }
        with tempfile.TemporaryDirectory() as folder:
            directory = options.output or Path(folder)
            directory.mkdir(parents=True, exist_ok=True)
            told = lines(run(sources[block](), directory, options.seconds), passed, version)
        print("\n".join(told))
        if options.readme:
            replace_block(f"rocq.py {block}", told)
    return 0


if __name__ == "__main__":
    sys.exit(main())
