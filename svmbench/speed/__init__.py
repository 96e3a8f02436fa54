"""Limits of the machine, what rows and solvers reach of them, and baselines; only the command uses it."""
