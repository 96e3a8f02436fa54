"""Configuration: the options in ``conf/``, their composition with overrides, and validation."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

    from svmbench.run_config import RunConfig


def resolve(overrides: Sequence[str], folders: Sequence[Path] = ()) -> RunConfig:
    """Return the resolved configuration of one run; see `svmbench.config.compose.resolve`."""
    from svmbench.config import compose

    return compose.resolve(overrides, folders)


def resolve_all(many: Sequence[Sequence[str]], folders: Sequence[Path] = ()) -> list[RunConfig]:
    """Return the resolved configurations of many runs; see `svmbench.config.compose.resolve_all`."""
    from svmbench.config import compose

    return compose.resolve_all(many, folders)
