"""Solvers, one file per method in `kernel`, `linear` and `baselines`; the rest is shared code."""
