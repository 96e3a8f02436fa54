"""Sweeps of many runs: completely planned in advance, made by reused worker processes, and recorded."""
