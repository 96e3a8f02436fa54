"""Solvers that touch the data through kernel rows only."""
