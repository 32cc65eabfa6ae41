"""``doctor``: versions, self-tests of the arithmetic behind the verdicts and of the random streams, room on disk.

Also repeats two known failures of libraries that are therefore no part of the trusted base. They are told, not
counted: a library that mends one breaks nothing here.
"""

from __future__ import annotations

import argparse
import platform
import random
import shutil
import tempfile
from collections.abc import Callable
from dataclasses import asdict, dataclass
from fractions import Fraction
from importlib import metadata
from pathlib import Path
from typing import Any

from boundcheck.app.commands.output import command, print_json, print_verdict, wrapped

PACKAGES = (
    "boundcheck", "numpy", "scipy", "sympy", "mpmath", "python-flint", "clarabel", "crival", "rich", "matplotlib",
    "jinja2", "grandalf", "markdown-it-py",
)  # fmt: skip
OPTIONAL = ("crival",)  #: balls, one box at a time, take its place where it has no wheel
ROOM = 50_000_000  #: bytes that a campaign's ledger and a folder of certificates may need

#: formula -> its value, cut or rounded after 40 digits.
KNOWN = {
    "exp(1)": "2.7182818284590452353602874713526624977572",
    "4*atan(1)": "3.1415926535897932384626433832795028841971",
    "log(2)": "0.6931471805599453094172321214581765680755",
    "sqrt(2)": "1.4142135623730950488016887242096980785696",
    "gamma(1/2)**2": "3.1415926535897932384626433832795028841971",
    "integral(exp(-t**2), t, -oo, oo)**2": "3.1415926535897932384626433832795028841971",
    "sum(k**(-2), k, 1, oo)": "1.6449340668482264364724151666460251892189",
    "integral(abs(t), t, -1, 1)": "1.0000000000000000000000000000000000000000",
}
WIDEST = 1e-15  #: radius of a ball that still means something
#: Formulas of one variable whose interval arrays are compared with balls on random boxes, and the boxes' range.
BOXES = {
    "exp(x)": (-20, 20),
    "log(x)": (Fraction(1, 100), 50),
    "sqrt(x)": (0, 50),
    "sin(x)": (-20, 20),
    "x**3 - 2*x": (-5, 5),
    "x**x": (Fraction(1, 100), 5),
    "erf(x)": (-3, 3),
    "gamma(x)": (Fraction(1, 10), 6),
}
#: address of a stream -> the first three 63-bit integers that it gives with the default seed.
VECTORS = {
    ("a", "b", 0, 0): [2684563461992215711, 2709108372245550788, 6999749977180729801],
    ("lem:hp-shared-directional-tail", "d1", 1, 7): [1168239013999629596, 55978398783665451, 6104338998858365554],
}


@dataclass(frozen=True)
class Finding:
    """One self-test: what was asked, whether it came out as it must (None: told only), and what was seen."""

    name: str
    good: bool | None
    told: str


def add(commands: Any) -> None:
    """Register the command."""
    parser = command(commands, "doctor", "versions, self-tests of arithmetic and streams, disk: 0 good, 1 not", run)
    parser.add_argument("--json", action="store_true", help="print one JSON object")


def run(options: argparse.Namespace) -> int:
    """Print the findings; 0 if all is good, else 1."""
    found = examine()
    good = all(f.good is not False for f in found)
    if options.json:
        print_json({"schema": 1, "good": good, "versions": versions(), "findings": [asdict(f) for f in found]})
        return 0 if good else 1
    print(wrapped("", ", ".join(f"{name} {version or 'missing'}" for name, version in versions().items()), 0))
    for f in found:
        word = {True: "good", False: "NOT GOOD", None: "note"}[f.good]
        print_verdict(word, f"{f.name}: {f.told}")
    print("all is good" if good else "NOT GOOD: do not trust a verdict of this installation")
    return 0 if good else 1


def examine() -> list[Finding]:
    """All findings; a test that raises is itself a finding."""
    found = []
    for name, test in TESTS.items():
        try:
            found.append(Finding(name, *test()))
        except Exception as fault:
            found.append(Finding(name, False, f"{type(fault).__name__}: {' '.join(str(fault).split())}"))
    return found


def versions() -> dict[str, str | None]:
    """The versions of Python and of the packages at work; None where one is missing."""
    found: dict[str, str | None] = {"python": platform.python_version(), "platform": platform.platform()}
    for name in PACKAGES:
        try:
            found[name] = metadata.version(name)
        except metadata.PackageNotFoundError:
            found[name] = None
    return found


Told = tuple[bool | None, str]


def packages() -> Told:
    """Whether everything that is needed is installed."""
    missing = [n for n, v in versions().items() if v is None and n not in OPTIONAL]
    return not missing, f"missing: {', '.join(missing)}" if missing else "everything needed is installed"


def enclosures() -> Told:
    """Whether balls contain the known values, and are narrow enough to mean something."""
    from flint import arb, ctx

    from boundcheck.arith import in_balls
    from boundcheck.kernel.formula import parse

    wrong = []
    with ctx.workprec(160):
        for text, digits in KNOWN.items():
            value = arb(in_balls.at_point(parse(text), {}, 160))
            low = Fraction(digits) - Fraction(1, 10**40)
            high = Fraction(digits) + Fraction(1, 10**40)
            truth = arb(low.numerator) / low.denominator
            truth = truth.union(arb(high.numerator) / high.denominator)
            if not value.is_finite() or not value.overlaps(truth) or not value.rad() < WIDEST:
                wrong.append(f"{text} = {value.str(20)}")
    return not wrong, "; ".join(wrong) or f"{len(KNOWN)} constants enclosed by balls"


def boxes() -> Told:
    """Whether interval arrays are finite and contain the ball values at random points of random boxes."""
    import numpy as np
    from flint import arb

    from boundcheck.arith import in_balls
    from boundcheck.arith.boxes import enclose
    from boundcheck.kernel.formula import parse

    rng, count, wrong = random.Random(8), 60, []
    for text, (low, high) in BOXES.items():
        e = parse(text)
        ends = np.sort([[rng.uniform(float(low), float(high)) for _ in range(2)] for _ in range(count)], axis=1)
        lo, hi, ok = enclose(e, {"x": (ends[:, 0], ends[:, 1])})
        for n, (a, b) in enumerate(ends.tolist()):
            x = Fraction(min(b, max(a, a + (b - a) * rng.random())))
            value = arb(in_balls.at_point(e, {"x": x}, 128))
            known = ok[n] and np.isfinite(lo[n]) and np.isfinite(hi[n])
            if not (known and arb(float(lo[n])) <= value <= arb(float(hi[n]))):
                wrong.append(f"{text} at {float(x)!r}")
    return not wrong, "; ".join(wrong[:3]) or f"{len(BOXES) * count} boxes of interval arrays hold their ball values"


def decisions() -> Told:
    """Whether a truth is proved, its falsehood refuted, and the certificate accepted only for the truth."""
    from boundcheck.decide import decide
    from boundcheck.kernel.certificate import verify
    from boundcheck.kernel.statement import Claim
    from boundcheck.verdict import Status

    true = decide(Claim.read("log(x) <= x-1", ("x > 0",)), 5.0)
    false = decide(Claim.read("log(x) <= 0.999*(x-1)", ("x > 0",)), 5.0)
    if true.status is not Status.PROVED or false.status is not Status.REFUTED or true.certificate is None:
        return False, f"log(x) <= x-1 is {true.status}, log(x) <= 0.999 (x-1) is {false.status}"
    swapped = {**true.certificate, "claim": {**true.certificate["claim"], "claim": ["log(x) <= 0.999*(x-1)"]}}
    accepted = verify(true.certificate).valid, verify(swapped).valid
    good = accepted == (True, False)
    return good, "a truth is proved, a falsehood refuted, a certificate of another claim refused" if good else (
        f"the certificate is accepted for (truth, falsehood): {accepted}"
    )


def streams() -> Told:
    """Whether the random numbers are those of every other machine."""
    from proofs_numeric.model.streams import stream

    wrong = [address for address, first in VECTORS.items() if stream(*address).integers(0, 2**63, 3).tolist() != first]
    return not wrong, f"other numbers at {wrong}" if wrong else f"{len(VECTORS)} test vectors reproduced"


def disk() -> Told:
    """Whether this folder and the one for temporary files can be written and have room."""
    told = []
    for folder in dict.fromkeys((Path.cwd(), Path(tempfile.gettempdir()))):
        free = shutil.disk_usage(folder).free
        try:
            with tempfile.TemporaryFile(dir=folder) as file:
                file.write(b"boundcheck")
        except OSError as fault:
            return False, f"{folder} cannot be written ({fault.strerror})"
        if free < ROOM:
            return False, f"{free / 1e6:.0f} MB left in {folder}"
        told.append(f"{free / 1e9:.1f} GB in {folder}")
    return True, ", ".join(told)


def iv_exp() -> Told:
    """mpmath.iv.exp at a double whose exponential its interval misses."""
    from flint import arb, ctx, fmpq
    from mpmath import iv
    from mpmath.libmp import to_rational

    point = 3893924827815215, 2**50
    old, iv.prec = iv.prec, 53
    try:
        box = iv.exp(iv.mpf(point[0]) / point[1])
    finally:
        iv.prec = old
    with ctx.workprec(200):
        value = arb(fmpq(*point)).exp()
        low, high = (arb(fmpq(*map(int, to_rational(end)))) for end in box._mpi_)
        inside = low <= value <= high
        told = f"says [{float(low)!r}, {float(high)!r}] for {value.str(22, radius=False)} = exp(3893924827815215/2^50)"
    return None, f"{'is right here by now' if inside else 'is wrong, so no part of the trusted base'}: {told}"


def unflagged() -> Told:
    """acb.integral of sqrt(z^2) = |z| over [-1, 1] without asking the integrand whether it is analytic."""
    from flint import acb, arb, ctx

    with ctx.workprec(53):
        blind = acb.integral(lambda z, flag: (z * z).sqrt(), acb(-1), acb(1)).real
        asked = acb.integral(lambda z, flag: (z * z).sqrt(analytic=flag), acb(-1), acb(1)).real
    if not asked.contains(arb(1)):
        return False, f"even with the analytic flag int |z| dz over [-1, 1] is {asked}"
    word = "is right here by now" if blind.contains(arb(1)) else "is wrong, so every integrand here passes the flag on"
    return None, f"{word}: {blind.str(10)} for int |z| dz over [-1, 1] = 1; with the flag {asked.str(10)}"


TESTS: dict[str, Callable[[], Told]] = {
    "packages": packages,
    "balls": enclosures,
    "interval arrays": boxes,
    "decisions": decisions,
    "streams": streams,
    "disk": disk,
    "mpmath.iv.exp": iv_exp,
    "acb.integral without the analytic flag": unflagged,
}
