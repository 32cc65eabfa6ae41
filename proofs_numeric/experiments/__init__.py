"""The paper's experiments as programs."""
