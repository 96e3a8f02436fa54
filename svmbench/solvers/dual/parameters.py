"""Parameters that several decomposition methods share, each written once: its default, limits and help."""

from __future__ import annotations

from dataclasses import field
from typing import Any


def tolerance_field() -> Any:
    """Return the field ``eps`` of a method that follows the program SVM-light."""
    text = "Stop when no optimality condition is violated by more than this. The default of the program."
    return field(default=1e-3, metadata={"above": 0.0, "help": text})


def shrinking_field() -> Any:
    """Return the field ``shrinking``."""
    text = (
        "Shrink coefficients that seem to stay at their bound. This shortens passes over vectors, but takes "
        "additional kernel rows when the other coefficients have converged."
    )
    return field(default=True, metadata={"help": text})
