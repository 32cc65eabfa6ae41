"""A machine that hunts for holes: rules, proof steps and statements tried on random finite models.

    python -m benchmarks.hunter rules --seed 1 --models 1000
    python -m benchmarks.hunter mutants --seed 1 --mutants 20000
    python -m benchmarks.hunter statements --seed 1

Everything that depends on the proof layer under test stands in :mod:`benchmarks.hunter.adapter`; the models and the
evaluator (``nums``, ``sorts``, ``model``, ``evaluate``, ``meet``) know formulas alone.
"""
