"""Decision regions of a predictor in the plane, with the training points.

The caller evaluates the predictor on the points of a `Grid`, so that this module needs no solver or kernel.
"""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from numpy.typing import NDArray

from svmbench.figures import FORMATS
from svmbench.figures.plane import Grid
from svmbench.figures.style import drawing, save

_NEGATIVE, _POSITIVE = "#D55E00", "#0072B2"

#: More points would hide each other and the regions.
_MOST_POINTS = 2000

#: Values of a predictor are clipped to this magnitude.
_LARGEST = 1e100


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
        Grid on which the predictor was evaluated, usually ``Grid.around(X)``.
    values : ndarray of float64, shape (k²,)
        Its decision function at ``grid.points``.
    X, y : ndarray of shape (n, 2) and (n,)
        Training points and their labels in {-1, +1}.
    stem : Path
        Path of the pictures without extension.
    title : str, optional
        Title of the figure.
    formats : sequence of str
        Formats in `svmbench.figures.FORMATS`.

    Returns
    -------
    list of Path
        A picture per format.
    """
    # A predictor that has overflowed is also shown. NaN counts as -1.
    surface = np.clip(np.nan_to_num(values, nan=-1.0), -_LARGEST, _LARGEST).reshape(
        grid.x2.size, grid.x1.size
    )
    height = float(np.ptp(grid.x2) / np.ptp(grid.x1))  # relative to the width
    shown = np.linspace(0, len(y) - 1, min(len(y), _MOST_POINTS)).astype(np.int64)
    with drawing():
        figure = Figure(figsize=(4.6, 1.3 + 3.8 * min(max(height, 0.3), 1.5)), layout="constrained")
        ax = figure.subplots()
        levels = [-2.0 * _LARGEST, 0.0, 2.0 * _LARGEST]
        ax.contourf(grid.x1, grid.x2, surface, levels=levels, colors=[_NEGATIVE, _POSITIVE], alpha=0.22)
        if surface.min() <= 0.0 < surface.max():
            ax.contour(grid.x1, grid.x2, surface, levels=[0.0], colors="black", linewidths=0.9)
        for label, colour, marker in ((1.0, _POSITIVE, "o"), (-1.0, _NEGATIVE, "^")):
            chosen = shown[y[shown] == label]
            ax.scatter(X[chosen, 0], X[chosen, 1], s=7, c=colour, marker=marker, linewidths=0)
        ax.set_aspect("equal")
        ax.set(xlim=grid.x1[[0, -1]], ylim=grid.x2[[0, -1]], xlabel="feature 1", ylabel="feature 2")
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
            title=f"{len(shown)} of {len(y)} training points" if len(shown) < len(y) else None,
        )
        return save(figure, stem, None, formats)
