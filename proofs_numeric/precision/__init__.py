"""Draws computed again in balls: rounding errors, and ties decided."""
