"""Models of statements: what meets all hypotheses at once, evaluated in exact rationals and balls.

    python -m boundcheck.models

``nums``, ``ratio``, ``evaluate``: values of proof formulas; the hunter of ``benchmarks`` has them in random models of
finitely many atoms. ``outcomes``: values on an infinite product of finite laws. ``named``: what the
declared names of a statement are there. ``numbers``: its parameters. ``told``: which hypotheses hold and bite.
``absurd``: the engines asked for 0 >= 1 from the hypotheses alone.
"""
