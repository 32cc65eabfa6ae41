"""``python -m boundcheck.models``: looks for a model of each statement, evaluates it, stores it and writes the page.

With labels it does so for these alone; ``--page`` writes the page from what is stored.
"""

from __future__ import annotations

import argparse
import sys

from boundcheck.models.kept import DATA, PAGE, page, stored
from boundcheck.paper import catalogue
from boundcheck.system.files import write_json, write_text


def main(arguments: list[str] | None = None) -> int:
    """Store the models and write the page."""
    parser = argparse.ArgumentParser(prog="python -m boundcheck.models", description=__doc__)
    parser.add_argument("labels", nargs="*", metavar="LABEL", help="statements (default: all)")
    parser.add_argument("--page", action="store_true", help="write the page alone")
    options = parser.parse_args(arguments)
    known = catalogue()
    if unknown := set(options.labels) - known.keys():
        parser.error(f"no statement is called {', '.join(sorted(unknown))}")
    if not options.page:
        from boundcheck.models.record import record

        sys.setrecursionlimit(20_000)  # a point of a run is told from the one before
        for label in options.labels or known:
            write_json(DATA, {**stored(), label: record(known[label])})
            print(label, flush=True)
    write_text(PAGE, page(known, stored()))
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
