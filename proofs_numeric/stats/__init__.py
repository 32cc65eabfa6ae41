"""Decision rules with declared error rates."""
