"""The only place where a kernel is evaluated: layouts, row cache, oracle and its ledger."""

from __future__ import annotations


def isa() -> str:
    """Return the name of the instruction-set variant that the kernel loops use on this processor."""
    from svmbench.kernels import _layouts

    return str(_layouts.isa())


__all__ = ["isa"]
