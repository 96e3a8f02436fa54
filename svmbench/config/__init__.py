"""Configuration: what ``conf/`` offers, how overrides become one resolved dict, and what is allowed in it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path


def resolve(overrides: Sequence[str], folders: Sequence[Path] = ()) -> dict[str, Any]:
    """Return the resolved configuration of one run; see `svmbench.config.compose.resolve`."""
    from svmbench.config import compose

    return compose.resolve(overrides, folders)


def resolve_all(many: Sequence[Sequence[str]], folders: Sequence[Path] = ()) -> list[dict[str, Any]]:
    """Return the resolved configurations of many runs; see `svmbench.config.compose.resolve_all`."""
    from svmbench.config import compose

    return compose.resolve_all(many, folders)
