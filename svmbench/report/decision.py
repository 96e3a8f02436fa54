"""Where a predictor in the plane says +1 and where -1, with the training points.

The caller evaluates its predictor on the points of a `Grid`, so that nothing here needs a solver or a kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.colors import ListedColormap
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.report import FORMATS
from svmbench.report.style import drawing, save

_NEGATIVE, _POSITIVE = "#D55E00", "#0072B2"

#: More points than this hide each other and the regions.
_MOST_POINTS = 2000


@dataclass(frozen=True)
class Grid:
    """Points of a regular grid over the plane, row by row from below.

    Attributes
    ----------
    x1, x2 : ndarray of float64, shape (k,)
        Coordinates of the columns and of the rows.
    """

    x1: NDArray[np.float64]
    x2: NDArray[np.float64]

    @classmethod
    def around(cls, X: NDArray[np.float32], resolution: int = 250) -> Grid:
        """Cover the points X, shape (n, 2), and a margin of 3 %.

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
    def points(self) -> NDArray[np.float32]:
        """All grid points, shape (k², 2), C-contiguous, as the kernels take them."""
        columns, rows = np.meshgrid(self.x1, self.x2)
        return np.ascontiguousarray(np.column_stack([columns.ravel(), rows.ravel()]), dtype=np.float32)

    @property
    def extent(self) -> tuple[float, float, float, float]:
        """Left, right, lower and upper edge of the cells around the points."""
        half = [0.5 * (x[1] - x[0]) for x in (self.x1, self.x2)]
        return (
            float(self.x1[0] - half[0]), float(self.x1[-1] + half[0]),
            float(self.x2[0] - half[1]), float(self.x2[-1] + half[1]),
        )  # fmt: skip


def draw_regions(
    grid: Grid,
    values: NDArray[np.float64],
    X: NDArray[np.float32],
    y: NDArray[np.float64],
    stem: Path,
    *,
    title: str | None = None,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Draw the decision regions of a predictor and the training points.

    Parameters
    ----------
    grid : Grid
        Where the predictor was evaluated, usually ``Grid.around(X)``.
    values : ndarray of float64, shape (k²,)
        Its decision function at ``grid.points``.
    X, y : ndarray of shape (n, 2) and (n,)
        Training points and their labels in {-1, +1}.
    stem : Path
        Path of the pictures without extension.
    title : str, optional
        Title of the figure.
    formats : sequence of str
        Of `svmbench.report.FORMATS`.

    Returns
    -------
    list of Path
        A picture for each format and the caption as text.
    """
    surface = values.reshape(grid.x2.size, grid.x1.size)
    shown = np.linspace(0, len(y) - 1, min(len(y), _MOST_POINTS)).astype(np.int64)
    with drawing():
        figure = Figure(figsize=(4.6, 4.9), layout="constrained")
        ax = figure.subplots()
        side = np.where(surface > 0.0, 1.0, -1.0)
        colours = ListedColormap([_NEGATIVE, _POSITIVE])
        # A picture also in SVG and PDF, where one shape for each cell would make files of megabytes.
        ax.imshow(
            side, cmap=colours, vmin=-1, vmax=1, alpha=0.22, origin="lower", extent=grid.extent,
            interpolation="nearest",
        )  # fmt: skip
        if side.min() < side.max():
            ax.contour(grid.x1, grid.x2, surface, levels=[0.0], colors="black", linewidths=0.9)
        for label, colour, marker in ((1.0, _POSITIVE, "o"), (-1.0, _NEGATIVE, "^")):
            chosen = shown[y[shown] == label]
            ax.scatter(X[chosen, 0], X[chosen, 1], s=7, c=colour, marker=marker, linewidths=0)
        ax.set_aspect("equal")
        ax.set_xlim(grid.x1[0], grid.x1[-1])
        ax.set_ylim(grid.x2[0], grid.x2[-1])
        ax.set_xlabel("feature 1")
        ax.set_ylabel("feature 2")
        if title:
            ax.set_title(title)
        figure.legend(
            handles=[
                Line2D([], [], linestyle="none", color=_POSITIVE, marker="o", label="label +1"),
                Line2D([], [], linestyle="none", color=_NEGATIVE, marker="^", label="label -1"),
                Line2D([], [], color="black", linewidth=0.9, label="decision boundary"),
            ],
            loc="outside lower center",
            ncols=3,
        )
        points = (
            f"{len(shown)} of {len(y)} training points"
            if len(shown) < len(y)
            else f"{len(y)} training points"
        )
        caption = (
            f"{title or 'Decision regions'}\n\nShaded: where the predictor says +1 (blue) and -1 (orange); "
            f"its value is 0 on the line.\nDots are +1, triangles -1: {points}.\n"
        )
        return save(figure, stem, caption, formats)
