"""The engine for rates: every case by the gram engine; a counterexample is shown as points, gradients and values."""

from __future__ import annotations

import contextlib
from collections.abc import Mapping
from fractions import Fraction

from boundcheck.decide.certificates import make_rate
from boundcheck.decide.quadratic.gram_engine import decide_gram
from boundcheck.decide.quadratic.gram_sdp import interior_samples
from boundcheck.decide.quadratic.gram_signs import samples
from boundcheck.decide.quadratic.gram_witness import Counterexample, at_values
from boundcheck.decide.quadratic.rate_moves import expand_by_moves, meanings, now, told
from boundcheck.decide.quadratic.witness import Point, refutes
from boundcheck.kernel.check.gram_certificate import Signs
from boundcheck.kernel.check.quadratic import NotQuadratic, problem
from boundcheck.kernel.check.rate_certificate import verify_rate
from boundcheck.kernel.check.ratios import NotRational
from boundcheck.kernel.clock import seconds_used
from boundcheck.kernel.formula import Expr, num, parse
from boundcheck.kernel.rate import Expanded, Rate, RateError, spelled
from boundcheck.kernel.rate_cases import Case
from boundcheck.kernel.statement import GramClaim
from boundcheck.verdict import Status, Verdict

METHOD = "gram"
LEAST = 0.05  #: share of the time that is there for what is left, whatever was used before
SPLITS = 2  #: how often the domain of a case is split where no multipliers do on all of it


def decide_rate(rate: Rate, seconds: float = 10.0, refuting: bool = True) -> Verdict:
    """PROVED with a verified certificate, REFUTED with exact vectors, or UNDECIDED with the reason."""
    start = seconds_used()

    def verdict(status: Status, **more: object) -> Verdict:
        return Verdict(rate.name, status, METHOD, seconds=seconds_used() - start, **more)  # type: ignore[arg-type]

    try:
        expanded, moves = expand_by_moves(rate)
    except RateError as fault:
        return verdict(Status.UNDECIDED, reason=str(fault))
    certificates, open_ones = [], []
    todo = len(expanded.cases) + len(expanded.defined)

    def share(done: int) -> float:
        """An equal part of the time that is left; nothing is asked for no time at all."""
        return max(seconds - (seconds_used() - start), LEAST * seconds) / (todo - done)

    for number, case in enumerate(expanded.cases):
        found = decide_gram(case, refuting=refuting, seconds=share(number), splits=SPLITS)
        if found.status is Status.PROVED and found.certificate is not None:
            certificates.append(found.certificate)
            continue
        broken = found.witness and Counterexample.read(found.witness, case.vectors)
        if found.status is Status.REFUTED and broken:
            if refutes(rate, parameters_of(expanded.forms[number], broken), broken.vectors, broken.levels):
                return verdict(
                    Status.REFUTED,
                    witness=shown(rate, expanded, broken, number),
                    reason="explicit points, gradients and values",
                )
            reason = "it does not follow from the classes' inequalities, which are necessary but not sufficient here"
            return verdict(Status.UNDECIDED, reason=reason)
        part = f"case {number + 1} of {len(expanded.cases)}: " if len(expanded.cases) > 1 else ""
        reason = spelled(found.reason, (*rate.functions, *(rate.sums or ())))
        open_ones.append(part + told(reason, expanded.forms[number]))
    for number, claim in enumerate(expanded.defined, len(expanded.cases)):
        found = decide_gram(claim, refuting=False, seconds=share(number))
        if found.status is not Status.PROVED or found.certificate is None:
            form = next(f for f in expanded.forms if claim in f.defined)
            return verdict(Status.UNDECIDED, reason=f"not proved on the domain: {told(claim.name, form)}")
        certificates.append(found.certificate)
    if not any(map(_has_points, expanded.cases)):
        return verdict(Status.UNDECIDED, reason="no point of the parameters' domain was found; is it empty?")
    if open_ones:
        return verdict(Status.UNDECIDED, reason=open_ones[0])
    certificate = make_rate(rate, moves, certificates)
    check = verify_rate(certificate, rate)
    if not check.valid:
        return verdict(Status.UNDECIDED, reason=f"the verifier refuses the proof found: {check.reason}")
    return verdict(Status.PROVED, certificate=certificate)


def _has_points(case: GramClaim) -> bool:
    """Whether some point of the domain is known, in floats: a claim on an empty domain says nothing."""
    try:
        p = problem(case)
    except (NotQuadratic, NotRational, ArithmeticError):
        return True  # what cannot be read is told as such
    signs = Signs(p, lambda *_: None)
    numbers = [
        (0 if g.is_zero() else g.leading_coefficient(), strict) for g, strict in signs.constraints if g.is_constant()
    ]
    if any(c < 0 or (strict and c == 0) for c, strict in numbers):
        return False
    return not p.field.parameters or len(interior_samples(signs, 1)) > 0 or len(samples(signs)) > 0


def parameters_of(form: Case, found: Counterexample) -> dict[str, str]:
    """The parameters of the text at a counterexample to one case."""
    known = {n: parse(v) for n, v in found.parameters.items()}
    for old, new in reversed(form.steps):
        if old.op == "var":  # solved for when a root became a parameter
            known[old.value] = at_values(new, known)
    return {n: str(v) for n, v in known.items()}


def shown(rate: Rate, expanded: Expanded, found: Counterexample, number: int) -> dict[str, str]:
    """A counterexample to one case for people: parameters, then every point, gradient and value by its own name."""
    form = expanded.forms[number]
    given = {name for name, _ in problem(expanded.cases[number]).solved}
    parameters = {n: Fraction(v) for n, v in found.parameters.items() if n not in given}
    new = meanings(form)
    out = {str(new.get(n, n)): v for n, v in found.parameters.items() if n in parameters}
    for old, _ in form.steps:
        if old.op == "var":  # solved for when a root became a parameter
            out[str(new.get(old.value, old))] = str(value_at(now(form, old), parameters))
    point = Point({n: str(v) for n, v in parameters.items()}, found.vectors, {})
    loose = {f for f, known in rate.functions.items() if known.strip() == "any"}
    functions = (*rate.functions, *(rate.sums or ()))
    for name, e in expanded.places.items():
        if name.partition("__")[0] in loose:
            continue  # a number under a name, not a function
        with contextlib.suppress(KeyError, ArithmeticError, ValueError, TypeError):  # no linear combination of vectors
            coordinates = [value_at(c, {}) for c in point.vector(now(form, e))]
            out[spelled(name, functions)] = f"({', '.join(map(str, coordinates))})"
    for name, value in found.levels.items():
        out[spelled(name, functions)] = value
    return out


def value_at(e: Expr, parameters: Mapping[str, Fraction]) -> Fraction:
    """The value of a rational function. Raises ValueError where it has none."""
    value = at_values(e, {n: num(v) for n, v in parameters.items()})
    if value.op != "num":
        raise ValueError(f"{e} is no number")
    return Fraction(value.value)
