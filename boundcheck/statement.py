"""What an author of statements imports: the records of :mod:`boundcheck.kernel.statement`, by a short name."""

from boundcheck.kernel.statement import (
    ByGram,
    ByRule,
    Cite,
    Claim,
    Decide,
    Definition,
    Exists,
    Fact,
    Family,
    Follows,
    GramClaim,
    Literature,
    Parameter,
    Ref,
    Statement,
    Step,
    Twin,
    Use,
)
from boundcheck.verdict import Status, Verdict

__all__ = [
    "ByGram", "ByRule", "Cite", "Claim", "Decide", "Definition", "Exists", "Fact", "Family", "Follows", "GramClaim",
    "Literature", "Parameter", "Ref", "Statement", "Status", "Step", "Twin", "Use", "Verdict",
]  # fmt: skip
