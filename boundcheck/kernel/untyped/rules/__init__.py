"""The rule schemas: the trusted base of every proof, as data.

A schema is a conclusion with premises, scalar side conditions and pointwise implications between events; all
its free names are metavariables. A step that names a rule gives a value for each; :mod:`boundcheck.kernel.proof`
instantiates the schema, matches the premises with known facts and leaves the rest to the engines.
"""

from boundcheck.kernel.untyped.rules import calculus, geometry, momentum, probability, sequences
from boundcheck.kernel.untyped.rules.schema import Derived, Implies, Rule

_ALL = (*probability.RULES, *calculus.RULES, *geometry.RULES, *sequences.RULES, *momentum.RULES)
RULES: dict[str, Rule] = {r.name: r for r in _ALL}
if len(RULES) != len(_ALL):
    raise ValueError("two rule schemas have the same name")

__all__ = ["RULES", "Derived", "Implies", "Rule"]
