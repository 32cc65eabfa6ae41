"""Lemmas about all laws with a given tail: the extremal law and the exact supremum."""
