"""Inequalities between quadratic forms in free vectors, their sharp constants, and rates of methods."""
