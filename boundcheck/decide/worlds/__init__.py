"""Planted falsehoods: small worlds where every hypothesis holds and the changed claim does not."""
