"""Figures and tables of papers: their runs, published numbers and claims as data, and verdicts."""

from __future__ import annotations


def ids() -> list[str]:
    """Return the names of all figures that can be reproduced."""
    from svmbench.config import folder

    return folder.papers()
