"""Solvers that access the data through kernel values only."""
