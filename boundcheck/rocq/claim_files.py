"""What a certificate's obligations are as Coq text, and the file of a statement or of a claim."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass
from typing import Any

from flint import ctx

from boundcheck.kernel.certificate import PRECISION, read_claim
from boundcheck.kernel.check.gram_certificate import decode_claim, encode_claim
from boundcheck.kernel.check.rate_certificate import replayed
from boundcheck.kernel.check.sequent import Refused
from boundcheck.kernel.check.statement_certificate import demanded
from boundcheck.kernel.rate import RateError
from boundcheck.kernel.statement import GramClaim
from boundcheck.rocq.compiler import HEADER
from boundcheck.rocq.coq_text import NotStated, comment, whole_bases
from boundcheck.rocq.gram_proofs import gram_theorem
from boundcheck.rocq.nodes import claim_lemmas
from boundcheck.rocq.whole_powers import bases

FAULTS = (
    Refused, NotStated, ArithmeticError, KeyError, IndexError, ValueError, TypeError, AttributeError, RecursionError,
    StopIteration, AssertionError,
)  # fmt: skip


@dataclass(frozen=True)
class Obligation:
    """One assertion of a certificate: its theorem's name and text, or why it is not stated over Coq's reals."""

    name: str
    about: str  #: the claim, for people
    text: str = ""
    said: str = ""  #: what the theorem states, from the claim alone
    refused: str = ""
    rules: tuple[str, ...] = ()  #: the certificate's rules, one for each lemma
    same_as: str = ""  #: the earlier obligation that makes the same claim


@dataclass(frozen=True)
class Export:
    """The obligations of one certificate."""

    label: str
    kind: str  #: statement, claim, gram, rate or skolem
    obligations: tuple[Obligation, ...]

    def file(self, without: frozenset[str] = frozenset(), assumptions: bool = True) -> str:
        """The text of the file; obligations named in ``without`` are left out, and the file says so."""
        lines = [
            f"(* {comment(self.label)}: the obligations of a certificate of boundcheck, over the reals of Coq.",
            "   Boundcheck.v (beside this file) holds the definitions; compile it first: coqc Boundcheck.v *)",
            HEADER,
        ]
        stated = []
        for o in self.obligations:
            lines.append(f"(* {o.name}: {comment(o.about)} *)")
            if o.refused:
                lines.append(f"(* not stated: {comment(o.refused)} *)")
            elif o.same_as:
                lines.append(f"(* the same claim as {o.same_as} *)")
            elif o.name in without:
                lines.append("(* not proved: the proof that was exported does not compile *)")
            else:
                lines.append(o.text)
                stated.append(o.name)
            lines.append("")
        lines.append(f"Definition everything := ({', '.join(['I', *stated])}).")
        if stated and assumptions:
            lines.append("Print Assumptions everything.")
        return "\n".join(lines) + "\n"

    @property
    def stated(self) -> tuple[Obligation, ...]:
        """The obligations that have a theorem of their own in the file."""
        return tuple(o for o in self.obligations if not o.refused and not o.same_as)


def export(label: str, certificate: Mapping[str, Any]) -> Export:
    """The obligations of a certificate of any kind. Raises :class:`NotStated` on other data."""
    kind = certificate.get("kind", "claim")
    if kind == "statement":
        found: list[Obligation] = []
        known: dict[str, str] = {}
        for name, about, scalar in _of_statement(certificate):
            key = repr(scalar.get("claim"))
            if key in known:
                found.append(Obligation(name, about, same_as=known[key]))
                continue
            known[key] = name
            found.append(obligation(name, about, scalar))
        return Export(label, "statement", tuple(found))
    if kind in ("claim", "gram"):
        return Export(label, str(kind), (obligation("claim", _claim_text(certificate), certificate),))
    if kind == "rate":
        return Export(label, "rate", tuple(_of_rate(certificate)))
    if kind == "skolem":
        claims = enumerate(certificate["certificates"], 1)
        return Export(label, "skolem", tuple(obligation(f"refutation_{k}", _claim_text(c), c) for k, c in claims))
    raise NotStated(f"a certificate of the kind {kind!r}")


def obligation(name: str, about: str, certificate: Mapping[str, Any]) -> Obligation:
    """One scalar or gram certificate as a theorem called ``name``."""
    try:
        if certificate.get("kind") == "gram":
            stated, proof = gram_theorem(name, certificate)
            return Obligation(name, about, "\n".join(proof), _said(name, stated), rules=("gram",))
        claim = read_claim(certificate.get("claim"))
        with ctx.workprec(PRECISION), whole_bases(bases(claim)):
            lemmas, theorem = claim_lemmas(name, claim, certificate["proofs"])
            written = [lemma.text() for lemma in lemmas]
    except FAULTS as fault:
        return Obligation(name, about, refused=f"{fault}" or type(fault).__name__)
    rules = tuple(lemma.rule for lemma in lemmas)
    return Obligation(name, about, "\n".join([*written, *theorem]), _said(name, theorem[0]), rules=rules)


def _said(name: str, line: str) -> str:
    """The statement in the first line of a theorem."""
    return line.removeprefix(f"Theorem {name} : ").removesuffix(".")


def _of_rate(certificate: Mapping[str, Any]) -> Iterator[Obligation]:
    """The claims about free vectors that a rate comes down to, expanded anew from its texts, each as a theorem."""
    try:
        _, expanded = replayed(certificate)
    except RateError as fault:
        raise NotStated(f"a rate: {fault}") from None
    wanted, cases = (*expanded.cases, *expanded.defined), certificate["cases"]
    if len(cases) != len(wanted):
        raise NotStated(f"{len(cases)} cases for {len(wanted)}")
    for k, (claim, case) in enumerate(zip(wanted, cases, strict=True), 1):
        if encode_claim(claim) != case.get("claim"):
            raise NotStated(f"case {k} is about another claim")
        yield obligation(f"case_{k}", _claim_text(case), case)


def _of_statement(certificate: Mapping[str, Any]) -> Iterator[tuple[str, str, Mapping[str, Any]]]:
    """(name, what, certificate) of every scalar and gram certificate: the only place that reads a statement's."""
    for k, step in enumerate(certificate["steps"], 1):
        for j, scalar in enumerate(step["certificates"], 1):
            if not isinstance(scalar, Mapping):
                raise NotStated("a certificate that is no object")
            yield f"step{k}_{j}", f"step {k}: {_claim_text(scalar)}", scalar


def of_its_statement(certificate: Mapping[str, Any]) -> None:
    """Raise :class:`NotStated`, or what reading raises, unless its parts are about what its statement demands."""
    for number, wanted, found in demanded(certificate):
        for obligation, scalar in zip(wanted, found, strict=True):
            claim = obligation.claim
            if isinstance(claim, GramClaim):
                same = scalar.get("kind") == "gram" and encode_claim(decode_claim(scalar["claim"])) == encode_claim(
                    claim
                )
            else:
                about = read_claim(scalar.get("claim"))
                same = scalar.get("kind", "claim") == "claim" and (about.claim, about.where, about.integers) == (
                    claim.claim, claim.where, claim.integers
                )  # fmt: skip
            if not same:
                raise NotStated(f"step {number}: a certificate is about another claim than {claim}")


def _claim_text(certificate: Mapping[str, Any]) -> str:
    claim = certificate.get("claim")
    if not isinstance(claim, Mapping):
        return ""
    if "goal" in claim:
        return f"{claim.get('goal')} for all vectors {', '.join(map(str, claim.get('vectors') or ()))}"
    where = ", ".join((*map(str, claim.get("where") or ()), *(f"{n} whole" for n in claim.get("integers") or ())))
    return " and ".join(map(str, claim.get("claim") or ())) + (f" where {where}" if where else "")
