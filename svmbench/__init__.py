"""Experiment runner for SVM and kernel-method solvers: true counts, certified optima, fair clocks."""

from __future__ import annotations

import importlib

from svmbench.version import __version__

# As `typing` has it, whose import takes longer than all else that happens before `svmbench.cli.entry`.
TYPE_CHECKING = False
if TYPE_CHECKING:
    from typing import Any

    from svmbench.api import load_runs, plot, run

__all__ = ["__version__", "load_runs", "plot", "run"]


def __dir__() -> list[str]:
    return sorted({*globals(), *__all__})


def __getattr__(name: str) -> Any:
    """Give what `svmbench.api` holds, imported when it is first asked for."""
    if name in ("load_runs", "plot", "run"):
        return getattr(importlib.import_module("svmbench.api"), name)
    raise AttributeError(f"module 'svmbench' has no attribute '{name}'")
