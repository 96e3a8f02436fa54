"""A parameter of a method: default, meaning and limits in one call."""

from __future__ import annotations

from dataclasses import field
from typing import Any, TypeVar

_T = TypeVar("_T")


def option(default: _T, meaning: str, **limits: Any) -> _T:
    """Return a field of a dataclass of parameters, such as ``Solver.Params``.

    Parameters
    ----------
    default : object
        Default value; each instance has its own copy of a list.
    meaning : str
        The ``help`` of its metadata: meaning, unit and reason for the default.
    **limits
        Its other metadata: ``min``, ``above``, ``max``, ``choices``; ``later`` for a parameter that was added
        later, whose default is omitted from the configuration, so that older stored runs keep their
        identities.
    """
    metadata = {"help": meaning, **limits}
    if isinstance(default, list):
        copied: Any = default.copy
        return field(default_factory=copied, metadata=metadata)
    return field(default=default, metadata=metadata)
