"""Data sets: from a catalogue entry to a verified, prepared matrix with labels.

`load` returns the data of a run; `catalogue` lists data sets without importing numpy.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

from svmbench.data.catalogue import names, schema

if TYPE_CHECKING:
    from svmbench.data.dataset import Dataset, Part
    from svmbench.data.loading import known_checksum, load

__all__ = ["Dataset", "Part", "known_checksum", "load", "names", "schema"]

_HOMES = {
    "load": "svmbench.data.loading",
    "known_checksum": "svmbench.data.loading",
    "Dataset": "svmbench.data.dataset",
    "Part": "svmbench.data.dataset",
}


def __getattr__(name: str) -> Any:
    """Import modules that need numpy on first use, so that listing and completion are instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'svmbench.data' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
