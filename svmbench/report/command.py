"""The command that repeats a stored run."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Mapping
from typing import Any

from svmbench.run_config import CHOICES, RunConfig, role, written

#: Sections composed from an option of a group.
_GROUPS = (*CHOICES, "budget")
#: The data set of the user's own files (`svmbench.data.catalogue.OWN`).
_OWN = "file"


def command(config: RunConfig) -> str:
    """Return the command line of a resolved configuration, with all keys, quoted for a shell."""
    parts = [
        part
        for key, value in config.document().items()
        if role(key) != "place"  # locations, and what to do about stored runs
        for part in _parts(key, value)
    ]
    return shlex.join(["svmbench", "run", *parts])


def _parts(key: str, value: Any) -> Iterator[str]:
    if not isinstance(value, Mapping):
        yield f"{key}={written(value)}"
        return
    option = _option(key, value) if key in _GROUPS else None
    if option is not None:
        yield f"{key}={option}"
    for name, inner in value.items():
        if name != "name" or inner != option:
            yield from _parts(f"{key}.{name}", inner)


def _option(group: str, section: Mapping[str, Any]) -> str:
    """Return the option of a group from which a section was composed.

    This is the section's name, except for the user's own files, whose section has the name of the data.
    """
    return _OWN if group == "dataset" and "path" in section else str(section["name"])
