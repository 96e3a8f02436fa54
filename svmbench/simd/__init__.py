"""Vector code: instruction sets and the choice among them, memory, and passes over vectors."""

from __future__ import annotations


def isa() -> str:
    """Return the name of the instruction set that vector loops use on this processor."""
    from svmbench.simd.targets import isa as name  # compiled; not needed to import the package

    return str(name())


__all__ = ["isa"]
