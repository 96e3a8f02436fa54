"""Grid points of the plane for pictures of decision regions."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.errors import UserError


@dataclass(frozen=True)
class Grid:
    """Regular grid of the plane, row by row from below.

    Attributes
    ----------
    x1, x2 : ndarray of float64, shape (k,)
        Coordinates of the columns and of the rows.
    """

    x1: NDArray[np.float64]
    x2: NDArray[np.float64]

    @classmethod
    def around(cls, X: NDArray[Any], resolution: int = 250) -> Grid:
        """Return a grid that covers the points X, shape (n, 2), with a margin of 3 %.

        Raises
        ------
        UserError
            If the points are not in the plane.
        """
        if X.shape[1] != 2:
            raise UserError(
                f"decision regions need points with 2 features, these have {X.shape[1]}: use a 2-D data set "
                "such as dataset=checkerboard"
            )
        low, high = X.min(axis=0).astype(np.float64), X.max(axis=0).astype(np.float64)
        margin = 0.03 * np.where(high > low, high - low, 1.0)
        first, second = np.linspace(low - margin, high + margin, resolution, axis=1)
        return cls(first, second)

    @property
    def points(self) -> NDArray[np.float64]:
        """All grid points, shape (k², 2), C-contiguous."""
        columns, rows = np.meshgrid(self.x1, self.x2)
        return np.ascontiguousarray(np.column_stack([columns.ravel(), rows.ravel()]))
