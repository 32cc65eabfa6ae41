"""Proof steps: which scalar claims a step must deliver."""
