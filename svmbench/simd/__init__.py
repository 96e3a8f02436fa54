"""Vector code: instruction sets and their choice, memory, and operations on vectors."""

from __future__ import annotations


def isa() -> str:
    """Return the name of the instruction set used for vector loops on this processor."""
    from svmbench.simd.targets import isa as name  # compiled; not needed to import the package

    return str(name())


__all__ = ["isa"]
