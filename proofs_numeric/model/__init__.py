"""The real thing: noise, directions, objectives, oracles, the estimator and the optimizer."""
