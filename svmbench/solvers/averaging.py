"""Parameters of the solvers that can answer with an average of their iterates in place of the last one."""

from __future__ import annotations

from dataclasses import field
from typing import Any

#: Metadata of a parameter that was added later. A configuration leaves it out at its default, as those of the
#: runs that were stored before do, so that they keep their identities.
LATER = {"later": True}


def average_field() -> Any:
    """Return the field of a parameter ``average`` that is false by default."""
    text = "Answer with the average of the iterates instead of the last one."
    return field(default=False, metadata={"help": text, **LATER})


def suffix_field() -> Any:
    """Return the field of a parameter ``suffix`` that is false by default."""
    text = (
        "Average only the iterates since the last but one power of two, a half to three quarters of them. "
        "Without effect where average=false."
    )
    return field(default=False, metadata={"help": text, **LATER})


def only_averaged(params: Any) -> None:
    """Set ``suffix`` of frozen parameters to false where nothing is averaged: one task has one identity."""
    if not params.average:
        object.__setattr__(params, "suffix", False)
