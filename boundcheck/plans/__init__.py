"""The parameters that the convergence theorems prescribe or allow, as exact numbers and in balls."""
