"""Data sets: from a catalogue entry to a verified, prepared matrix with labels.

`load` returns the data of a run; `catalogue` lists data sets without importing numpy. A set is a file in
``sets/``, with an entry in the catalogue if it has files (`entries`) and a class of `parameters`::

    loading              `load`: a `dataset.Dataset`; subset: a random part of it
      |-- cache          prepared arrays on disk; folders: where data lie
      |-- raw            verified tables, read by _parse; download: from a mirror or the network; unpack
      |-- generate       what generated sets share
      `-- sets.file      the user's own files
            |-- foreign                      to UTF-8, and to the formats that are read; openml: its data sets
            |-- delimited, frames, arrays    the layout of text; values missing or in words; arrays
            `-- filling, columns, splits     values filled in, empty columns left out; splits and scalings

`rows` prepares rows to predict as the training data were (`unlabelled`: without labels), and `describe` says
what a reader of results must know about a set.
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
