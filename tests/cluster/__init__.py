"""Sweeps on real engines, by hand: ``python -m tests.cluster slurm`` or ``ray``."""
