"""Claims confronted with exact laws: every outcome on a discrete law, sums of martingale differences."""
