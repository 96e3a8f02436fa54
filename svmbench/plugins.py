"""What installed packages add: their entry points, by group."""

from __future__ import annotations

import sys
from functools import cache
from importlib.metadata import EntryPoint, entry_points
from typing import Any

from svmbench.errors import UserError


def plugins(group: str) -> dict[str, EntryPoint]:
    """Return the entry points of a group by name; none is imported."""
    return _on(group, tuple(sys.path))


@cache  # reading entry points reads files of all distributions
def _on(group: str, path: tuple[str, ...]) -> dict[str, EntryPoint]:
    return {entry.name: entry for entry in entry_points(group=group)}


def loaded(plugin: EntryPoint, kind: str) -> Any:
    """Return what an entry point of a kind, such as a solver, names; raise a `UserError` if it fails."""
    try:
        return plugin.load()
    except Exception as error:  # third-party code may raise anything on import
        raise UserError(
            f"the plug-in '{plugin.value}' of {kind} '{plugin.name}' cannot be imported "
            f"({type(error).__name__}: {error}): install what it needs, or uninstall it"
        ) from error
