"""Hypothesis draws the same examples in every run, from the text of the test alone."""

from hypothesis import settings

settings.register_profile("same", derandomize=True, deadline=None)
settings.load_profile("same")
