"""Experiment runner for SVM and kernel-method solvers: true counts, certified optima, fair clocks."""

__version__ = "0.1.0"
