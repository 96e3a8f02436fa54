"""Parameters of solvers that can return an average of their iterates instead of the last one."""

from __future__ import annotations

from dataclasses import field
from typing import Any

#: Metadata of a parameter that was added later. At its default it is omitted from the configuration, so that
#: runs stored before keep their identities.
LATER = {"later": True}


def average_field() -> Any:
    """Return the field of a parameter ``average`` that is false by default."""
    text = "Answer with the average of the iterates instead of the last one."
    return field(default=False, metadata={"help": text, **LATER})


def suffix_field() -> Any:
    """Return the field of a parameter ``suffix`` that is false by default."""
    text = (
        "Average only the iterates since the last but one power of two, a half to three quarters of them. "
        "Only for average=true."
    )
    return field(default=False, metadata={"help": text, **LATER})


def only_averaged(params: Any) -> None:
    """Set ``suffix`` of frozen parameters to False if nothing is averaged: one task has one identity."""
    if not params.average:
        object.__setattr__(params, "suffix", False)
