"""Models of statements: small worlds in which all hypotheses hold at once, each of them proved there.

    python -m boundcheck.models

``record``: the model of a statement, what holds and bites in it. ``worlds.toml``: values of names for statements of
which no planted falsehood has a world that does. ``absurd``: the engines asked for 0 >= 1 from the hypotheses alone.
"""
