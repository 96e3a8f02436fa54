"""Explicit feature maps, which turn a kernel problem into a linear one that any linear solver can solve.

For example, ``svmbench run solver=dcd features=nystrom features.s=512 dataset=adult kernel.gamma=0.05``.
"""

from __future__ import annotations

from svmbench.errors import UserError, nearest
from svmbench.features.base import FeatureMap
from svmbench.features.fourier import Fourier
from svmbench.features.nystrom import Nystrom

#: Maps by the value of ``features=``.
MAPS: dict[str, type[FeatureMap]] = {"nystrom": Nystrom, "fourier": Fourier}


def get(name: str) -> type[FeatureMap]:
    """Return the map of that name.

    Raises
    ------
    UserError
        If there is no such map.
    """
    if name not in MAPS:
        raise UserError(
            f"features '{name}' are unknown: give one of none, {', '.join(MAPS)}{nearest(name, MAPS)}"
        )
    return MAPS[name]


__all__ = ["MAPS", "FeatureMap", "get"]
