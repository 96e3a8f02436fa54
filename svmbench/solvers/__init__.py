"""Solvers: a file for each method, in `kernel`, `linear` and `external`; beside these what they share."""
