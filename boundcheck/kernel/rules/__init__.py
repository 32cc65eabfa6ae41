"""The rule schemas: the trusted base of every proof, as data.

A schema is a conclusion with premises, scalar side conditions and pointwise implications between events, over typed
metavariables. A step that names a rule gives a value for each; :mod:`boundcheck.kernel.proof.instances` checks the
sorts, instantiates the schema, matches the premises with known facts and leaves the rest to the engines.
"""

from boundcheck.kernel.rules import geometry, given, integration, probability, sequences
from boundcheck.kernel.rules.schema import Derived, Implies, Rule

_ALL = (*probability.RULES, *integration.RULES, *geometry.RULES, *sequences.RULES, *given.RULES)
RULES: dict[str, Rule] = {r.name: r for r in _ALL}
if len(RULES) != len(_ALL):
    raise ValueError("two rule schemas have the same name")

__all__ = ["RULES", "Derived", "Implies", "Rule"]
