"""One number per run against a key of the configuration: the median over seeds and their spread."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from numpy.typing import NDArray

from svmbench.figures.panel import Drawn, Known, Plot, common_x, common_y
from svmbench.figures.sheet import draw_sheet


@dataclass(frozen=True)
class Points:
    """One line of a sweep.

    Attributes
    ----------
    label, solver : str
        Name, and the solver whose look it has.
    x : ndarray of float64, shape (k,)
        Values of the key, ascending.
    values : sequence of ndarray of float64
        For each x, one value per seed.
    bounds : sequence of ndarray of bool, optional
        Which values are only lower bounds, because their runs ended too early.
    """

    label: str
    solver: str
    x: NDArray[np.float64]
    values: Sequence[NDArray[np.float64]]
    bounds: Sequence[NDArray[np.bool_]] | None = None


def draw_sweep(
    panels: Mapping[str, Sequence[Points]],
    x_label: str,
    y_label: str,
    stem: Path,
    *,
    title: str,
    titles: Mapping[str, str],
    notes: Sequence[str],
    runs: Sequence[str],
    left_out: Sequence[tuple[str, str]],
    scale: str | None = None,
    known: Mapping[str, Sequence[Known]] | None = None,
    levels: Mapping[str, Sequence[tuple[str, float]]] | None = None,
    share_y: bool = False,
) -> list[Path]:
    """Draw one panel per data set.

    Parameters
    ----------
    panels : mapping of str to sequence of Points
        Lines by panel, in the order of the sheet.
    x_label, y_label : str
        Labels of the axes.
    stem : Path
        Path of the pictures without extension.
    title : str
        Title of the sheet.
    titles : mapping of str to str
        Titles of the panels.
    notes, runs, left_out : sequence
        For the caption: paragraphs, runs that are drawn, and runs that are not, with reasons.
    scale : {"log", "linear"}, optional
        Scale of the y axes.
    known, levels : mapping, optional
        Published points and values, by panel.
    share_y : bool
        Whether all panels have the same range of y.
    """
    positive = all(points.x.min() > 0.0 for lines in panels.values() for points in lines)
    x_scale = "log" if positive else "linear"
    every = list(dict.fromkeys(points.label for lines in panels.values() for points in lines))
    row = [
        Plot(
            titles[name],
            [_line(points) for points in lines],
            known=(known or {}).get(name, ()),
            levels=(levels or {}).get(name, ()),
            absent=[label for label in every if label not in {points.label for points in lines}],
        )
        for name, lines in panels.items()
    ]
    if share_y:
        y, x = common_y(row, scale), common_x(row, x_scale)
        row = [replace(plot, x=x, y=y) for plot in row]
    reading = (
        f"{y_label[0].upper()}{y_label[1:]} against {x_label}. A point is the median over seeds; the "
        "band around a line reaches from the least value to the greatest."
    )
    if any(line.open is not None and line.open.any() for plot in row for line in plot.lines):
        reading += (
            " A hollow marker with an arrow is a lower bound: at least half of the runs ended before they "
            "came so far, and the marker is at what they had paid by then."
        )
    if any((levels or {}).values()):
        reading += " Dashed grey lines are published values."
    text = "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in (title, reading, *notes))
    text += "\n\nRuns drawn:\n" + "\n".join(f"  {run}" for run in runs)
    missing = "\n".join(f"  {run}: {reason}" for run, reason in left_out) or "  none"
    columns = len(row) if len(row) <= 4 else min((4, 3), key=lambda count: -len(row) % count)
    rows = [row[start : start + columns] for start in range(0, len(row), columns)]
    return draw_sheet(
        rows, x_label, [y_label] * len(rows), stem, caption=f"{text}\n\nRuns left out:\n{missing}\n",
        title=title, scale=scale, x_scale=x_scale,
    )  # fmt: skip


def _line(points: Points) -> Drawn:
    median = np.array([np.median(values) for values in points.values])
    several = any(len(values) > 1 for values in points.values)
    ends = np.array([[values.min() for values in points.values], [values.max() for values in points.values]])
    bounds = points.bounds or [np.zeros(len(values), dtype=bool) for values in points.values]
    unsure = np.array([2 * bound.sum() >= bound.size for bound in bounds])
    return Drawn(points.label, points.solver, points.x, median, ends if several else None, open=unsure)
