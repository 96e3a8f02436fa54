"""From a catalogue entry to a verified, prepared matrix with labels.

`load` gives the data of a run; `catalogue` answers what there is without importing anything heavy.
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
    """Import what needs numpy when it is asked for, so that listing and completion stay instant."""
    if name not in _HOMES:
        raise AttributeError(f"module 'svmbench.data' has no attribute '{name}'")
    return getattr(importlib.import_module(_HOMES[name]), name)
