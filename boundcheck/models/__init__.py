"""Models of statements: what meets all hypotheses at once, evaluated in exact rationals and balls.

    python -m boundcheck.models

``nums``, ``area``, ``functions``, ``model``, ``evaluate``: values of proof formulas in a model of finitely many atoms;
the hunter draws such models at random. ``outcomes``: values on an infinite product of finite laws. ``named``: what the
declared names of a statement are there. ``numbers``: its parameters. ``told``: which hypotheses hold and bite.
``absurd``: the engines asked for 0 >= 1 from the hypotheses alone.
"""
