"""``python -m boundcheck.paper [NAME|LABEL ...]``: search and keep the reasons that the texts leave out."""

from __future__ import annotations

import argparse
import sys

from boundcheck.author.made import Found
from boundcheck.paper import texts


def main(arguments: list[str] | None = None) -> int:
    """Run the command; the exit status is 1 where no reason was found for some line."""
    parser = argparse.ArgumentParser(prog="python -m boundcheck.paper", description=__doc__)
    parser.add_argument("what", nargs="*", help="files or labels; without any, all files")
    parser.add_argument("-v", "--verbose", action="store_true", help="tell what was found for every line")
    given = parser.parse_args(arguments)
    files = texts.texts()
    places = {w.statement.label: name for name, text in files.items() for w in text.written}
    unknown = [w for w in given.what if w not in files and w not in places]
    if unknown:
        parser.error(f"{unknown[0]} is neither a file nor a label; files are {', '.join(files)}")

    def told(label: str, line: Found) -> None:
        if line.fault or given.verbose:
            why = line.fault or f"{line.kind} ({line.steps} steps, {line.seconds:.1f} s): {line.text}"
            print(f"{label}: {line.place}: {why}", flush=True)

    whole = True
    for what in given.what or files:
        only = what if what in places else ""
        whole = texts.search(places.get(what, what), told, only) and whole
    print("a reason was found for every line" if whole else "open lines: see above", file=sys.stderr)
    return 0 if whole else 1


if __name__ == "__main__":
    sys.exit(main())
