"""Curves, tables and verdicts from stored runs; reads only the store."""
