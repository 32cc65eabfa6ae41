"""What really happens: the estimator, the optimizer and heavy-tailed oracles, simulated."""
