"""Parameters that several decomposition methods share, each written once: its default, limits and help."""

from __future__ import annotations

from svmbench.option import option


def tolerance_field() -> float:
    """Return the field ``eps`` of a method that follows the program SVM-light."""
    return option(
        1e-3,
        "Stop when no optimality condition is violated by more than this. The default of the program.",
        above=0.0,
    )


def shrinking_field() -> bool:
    """Return the field ``shrinking``."""
    return option(
        True,
        "Shrink coefficients that seem to stay at their bound. This shortens passes over vectors, but takes "
        "additional kernel rows when the other coefficients have converged.",
    )
