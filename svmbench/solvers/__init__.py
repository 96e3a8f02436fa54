"""Solvers: a file for each method, in `kernel`, `linear` and `baselines`; beside these what they share."""
