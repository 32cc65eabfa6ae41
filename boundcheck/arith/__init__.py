"""One formula, several arithmetics: floats, mpmath, balls, interval boxes."""
