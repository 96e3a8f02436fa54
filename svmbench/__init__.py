"""Experiment runner for SVM and kernel-method solvers: true counts, certified optima, fair clocks."""

from __future__ import annotations

import importlib

from svmbench.version import __version__

# As in `typing`, whose import takes longer than everything else before `svmbench.cli.entry`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from svmbench.api import compare, load_runs, multirun, plot, predict, run, table, tune

__all__ = ["__version__", "compare", "load_runs", "multirun", "plot", "predict", "run", "table", "tune"]


def __dir__() -> list[str]:
    return __all__


def __getattr__(name: str) -> Any:
    """Return an object of `svmbench.api`, imported on first use."""
    if name in __all__:
        return getattr(importlib.import_module("svmbench.api"), name)
    raise AttributeError(f"module 'svmbench' has no attribute '{name}'")
