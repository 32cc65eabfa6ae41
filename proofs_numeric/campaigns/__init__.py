"""Monte Carlo campaigns: the ledger, executors, results and what is told of them."""
