"""The commands of ``python -m boundcheck.lemma``, one module each: ``add(subparsers)`` and ``run(options) -> status``.

Modules import engines only when they run, so that the table comes at once.
"""
