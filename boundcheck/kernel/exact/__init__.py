"""Exact symbolic arithmetic: the normal form behind every identity, and the zero test on it."""
