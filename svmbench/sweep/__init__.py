"""Sweeps of many runs: planned completely in advance, made by reused worker processes, and recorded."""
