"""Monte Carlo checks, one module per part of the paper, keyed by label."""
