"""Explicit feature maps, which turn a kernel problem into a linear one that any linear solver can solve.

For example, ``svmbench run solver=dcd features=nystrom features.s=512 dataset=adult kernel.gamma=0.05``.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING

from svmbench.errors import UserError, nearest

if TYPE_CHECKING:
    from svmbench.features.base import FeatureMap

#: Values of ``features=`` with a map, each in the module of its name.
NAMES = ("nystrom", "fourier")


def get(name: str) -> type[FeatureMap]:
    """Return the map of that name.

    Raises
    ------
    UserError
        If there is no such map.
    """
    if name not in NAMES:
        raise UserError(
            f"features '{name}' are unknown: give one of none, {', '.join(NAMES)}{nearest(name, NAMES)}"
        )
    own = vars(importlib.import_module(f"{__name__}.{name}")).values()
    return next(kind for kind in own if isinstance(kind, type) and vars(kind).get("name") == name)
