"""Formula text <-> expression: one grammar, one closed list of functions, exact rational numbers.

The reader is its own tokenizer and precedence parser: text is data and is never evaluated as code.
An :class:`Expr` is an immutable, interned tree; a :class:`Relation` compares two of them.
Two vocabularies share the grammar: claims (the closed list of ``FUNCTIONS``) and proofs, which add
the opaque heads of ``PROOF_HEADS`` (probability, expectation, norm, ...).
"""

from boundcheck.kernel.formula.reader import (
    MAX_DEPTH,
    MAX_LENGTH,
    MAX_POWER,
    parse,
    parse_relation,
    parse_relations,
)
from boundcheck.kernel.formula.tree import (
    ARITHMETIC,
    MAX_DIGITS,
    MAX_NUMERAL_EXPONENT,
    Expr,
    ExprLike,
    FormulaError,
    Relation,
    as_expr,
    call,
    const,
    endless,
    factors,
    folded,
    free_names,
    has_opaque,
    is_one,
    is_opaque,
    is_zero,
    num,
    product,
    signed_terms,
    substitute,
    text,
    var,
)
from boundcheck.kernel.formula.vocabulary import (
    BINDERS,
    CONSTANTS,
    FAMILIES,
    FUNCTIONS,
    LOOKALIKES,
    PROOF_HEADS,
    RELATIONS,
)

__all__ = [
    "ARITHMETIC", "BINDERS", "CONSTANTS", "FAMILIES", "FUNCTIONS", "LOOKALIKES", "MAX_DEPTH", "MAX_DIGITS",
    "MAX_LENGTH", "MAX_NUMERAL_EXPONENT", "MAX_POWER", "PROOF_HEADS", "RELATIONS", "Expr", "ExprLike", "FormulaError",
    "Relation", "as_expr", "call", "const", "endless", "factors", "folded", "free_names", "has_opaque", "is_one",
    "is_opaque", "is_zero", "num", "parse", "parse_relation", "parse_relations", "product", "signed_terms",
    "substitute", "text", "var",
]  # fmt: skip
