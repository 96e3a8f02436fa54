"""Figures and tables of papers: their runs, published numbers and claims as data, and verdicts."""
