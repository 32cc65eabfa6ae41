"""The engines: each one takes a claim and returns a verdict."""
