"""Configuration: options, their composition with overrides, and validation.

Words become a `RunConfig`, or one for each combination of a sweep::

    compose              words, in Hydra's grammar, to configurations
      |-- overrides      the form of the words, and messages for unknown keys
      |-- options        keys of options, of svmbench and in files of users; folder: names and files
      `-- validation     what is impossible, and values that depend on the data set or the solver
            `-- schema       launchers, budgets and sweeps; svmbench.option: single values
"""

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
