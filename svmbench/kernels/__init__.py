"""The only place where a kernel is evaluated: layouts, row cache, oracle and its ledger."""

from __future__ import annotations


def isa() -> str:
    """Return the name of the instruction set that the kernel loops use on this processor."""
    from svmbench.kernels._layout import isa as name  # compiled; not needed to import the package

    return str(name())


__all__ = ["isa"]
