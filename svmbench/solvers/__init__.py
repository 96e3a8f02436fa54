"""Solvers: one file per method, grouped by what they touch (kernel, linear, approximate, peers)."""
