"""Parameters of solvers that can return an average of their iterates instead of the last one."""

from __future__ import annotations

from typing import Any

from svmbench.option import option


def average_field() -> bool:
    """Return the field of a parameter ``average`` that is false by default."""
    return option(False, "Answer with the average of the iterates instead of the last one.", later=True)


def suffix_field() -> bool:
    """Return the field of a parameter ``suffix`` that is false by default."""
    return option(
        False,
        "Average only the iterates since the last but one power of two, a half to three quarters of them. "
        "Only for average=true.",
        later=True,
    )


def only_averaged(params: Any) -> None:
    """Set ``suffix`` of frozen parameters to False if nothing is averaged: one task has one identity."""
    if not params.average:
        object.__setattr__(params, "suffix", False)
