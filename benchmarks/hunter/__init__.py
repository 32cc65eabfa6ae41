"""A machine that hunts for holes: rule schemas and proof steps of the typed kernel, tried on random models.

    python -m benchmarks.hunter rules --seed 1 --models 1000 --json rules.json --markdown docs/rules-on-models.md
    python -m benchmarks.hunter mutants --seed 1 --mutants 200000 --state hunt.json

The models and their evaluator (``evaluate``, ``nums``, ``ratio``) and ``meet`` know formulas and sorts
alone; :mod:`benchmarks.hunter.adapter` asks the proof layer.
"""
