"""Enclosures: one formula in balls and exact numbers."""
