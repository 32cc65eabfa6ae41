"""The rule schemas: the trusted base of every proof, as text in the files ``*.rules`` beside this module.

A schema is a conclusion with premises, scalar side conditions and pointwise implications between events, over typed
metavariables. A step that names a rule gives a value for each; :mod:`boundcheck.kernel.proof.instances` checks the
sorts, instantiates the schema, matches the premises with known facts and leaves the rest to the engines.
"""

from pathlib import Path

from boundcheck.kernel.rules.rule_reader import read_rules
from boundcheck.kernel.rules.schema import Derived, Implies, Rule

PARTS = ("probability", "integration", "geometry", "sequences", "given")
RULES: dict[str, Rule] = read_rules(Path(__file__).with_name(f"{part}.rules") for part in PARTS)

__all__ = ["RULES", "Derived", "Implies", "Rule"]
