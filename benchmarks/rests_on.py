"""How many lines of the kernel the verdict of each statement rests on.

    python benchmarks/rests_on.py [--readme] [--json FILE]

Every proved statement of the catalogue is decided anew, which takes some minutes, and its certificate
verified in a process that has imported nothing but the door to the verifier: what is imported then is what the verdict
rests on. With ``--readme`` the table goes into docs/verdicts.md. The texts of rules are not counted: a proof rests on
the rules that it names.
"""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections import Counter
from collections.abc import Iterator, Mapping
from pathlib import Path
from typing import Any

from blocks import replace_block

from boundcheck.app.commands.verify import Base, checked, trusted

TARGET = Path(__file__).parent.parent / "docs" / "verdicts.md"


def certificates() -> Iterator[tuple[str, Mapping[str, Any]]]:
    """(label, certificate) of every proved statement, in the form that holds."""
    from boundcheck.app.commands.export import proved
    from boundcheck.paper import catalogue

    for label in catalogue():
        certificate = proved(label, 10.0)
        if certificate is not None:
            yield label, certificate


def apart(work: Any) -> Any:
    """What ``work()`` gives, as JSON, in a forked process."""
    reading, writing = os.pipe()
    child = os.fork()
    if child == 0:
        with os.fdopen(writing, "w") as out:
            json.dump(work(), out)
        os._exit(0)
    os.close(writing)
    with os.fdopen(reading) as found:
        told = json.load(found)
    os.waitpid(child, 0)
    return told


def rests_on(certificate: dict[str, Any]) -> dict[str, Any]:
    """The modules and lines of the kernel that are imported once the certificate is verified."""
    check, base = checked(certificate), trusted()
    return {"valid": check.valid, "modules": base.modules, "lines": base.lines}


def table(every: Mapping[str, Mapping[str, Any]], base: Base) -> list[str]:
    """The spread of the lines, and how many statements need each module that not all of them need."""
    lines = sorted(found["lines"] for found in every.values())
    used = Counter(m for found in every.values() for m in found["modules"])
    named: dict[int, list[str]] = {}
    for module in (*base.modules, *base.without):
        named.setdefault(used[module], []).append(module.rpartition(".")[2])
    rows = [f"| {n} | {', '.join(f'`{m}`' for m in sorted(named[n]))} |" for n in sorted(named) if n < len(lines)]
    return [
        f"Of {len(lines)} statements one rests on {lines[0]:,} to {lines[-1]:,} of the kernel's {base.of:,} lines,"
        f" half of them on at most {lines[(len(lines) - 1) // 2]:,}:",
        "",
        "| statements | need |",
        "|---|---|",
        *rows,
    ]


def main(arguments: list[str]) -> int:
    """Print the table; 1 if a certificate is not valid."""
    parser = argparse.ArgumentParser(description=(__doc__ or "").partition("\n")[0])
    parser.add_argument("--readme", action="store_true", help="put the table into docs/verdicts.md")
    parser.add_argument("--json", metavar="FILE", help="write what each statement needs")
    options = parser.parse_args(arguments)
    ready = apart(lambda: list(certificates()))
    every = {label: apart(lambda c=certificate: rests_on(c)) for label, certificate in ready}
    text = table(every, trusted())
    print(*text, sep="\n")
    if options.readme:
        replace_block("benchmarks/rests_on.py", text, TARGET)
    if options.json:
        Path(options.json).write_text(json.dumps(every, indent=1), encoding="utf-8")
    return 0 if all(found["valid"] for found in every.values()) else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
