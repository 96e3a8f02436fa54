"""Panels of lines on one sheet: axes, looks, labels and legend, for curves and sweeps alike."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.report import FORMATS
from svmbench.report.axes import is_wide, padded, scale_x, scale_y, span
from svmbench.report.labels import further, handles_of, label_ends, put_legend
from svmbench.report.style import Look, drawing, looks, save

Floats = NDArray[np.float64]

#: More lines than this in one panel cannot be told apart.
MOST_LINES = 16
#: Up to so many lines, in a single column of panels, are named at their ends and not in a legend.
_DIRECT = 6
#: And no name may be longer, in letters: it would take the width from the panel.
_LONGEST = 24
#: Letters of a panel's title in an inch.
_LETTERS = 11


@dataclass(frozen=True)
class Drawn:
    """One line of a panel.

    Attributes
    ----------
    label, solver : str
        What the legend calls it, and whose look it has.
    x, y : ndarray of float64, shape (k,)
        The line.
    band : ndarray of float64, shape (2, k), or None
        Lower and upper edge of what surrounds it.
    thin : bool
        Drawn thinner and below the others: a single run has no median to calm it.
    until : float or None
        The line goes on to here at its last value, dotted.
    bare : bool
        Without markers.
    """

    label: str
    solver: str
    x: Floats
    y: Floats
    band: Floats | None = None
    thin: bool = False
    until: float | None = None
    bare: bool = False


@dataclass(frozen=True)
class Known:
    """A published value at a place: from ``low`` to ``high``, drawn hollow in the look of its line."""

    solver: str
    x: float
    low: float
    high: float


@dataclass(frozen=True)
class Plot:
    """One panel.

    Attributes
    ----------
    title : str
        Above it.
    lines : sequence of Drawn
        In the order of the legend.
    optimum : float or None
        A thin grey line.
    known : sequence of Known
        Published points.
    levels : sequence of (str, float)
        Published values that belong to no place, as dashed grey lines with a word.
    x, y : (float, float) or None
        Ranges; None: everything that is drawn.
    """

    title: str
    lines: Sequence[Drawn]
    optimum: float | None = None
    known: Sequence[Known] = ()
    levels: Sequence[tuple[str, float]] = ()
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None


def draw_sheet(
    rows: Sequence[Sequence[Plot]],
    x_label: str,
    y_labels: Sequence[str],
    stem: Path,
    *,
    caption: str,
    title: str | None = None,
    scale: str | None = None,
    x_scale: str = "log",
    formats: Sequence[str] = FORMATS,
    known: str = "published",
) -> list[Path]:
    """Draw rows of panels; the panels of a row share the kind of their y axis.

    Parameters
    ----------
    rows : sequence of sequence of Plot
        From top to bottom and from left to right.
    x_label : str
        Of every column.
    y_labels : sequence of str
        One for each row.
    stem : Path
        Path of the pictures without extension.
    caption : str
        How to read it.
    title : str, optional
        Above the sheet.
    scale : {"log", "linear"}, optional
        Of all y axes; by default logarithmic where the values of a row span more than a factor of three.
    x_scale : {"log", "linear"}
        Of all x axes.
    formats : sequence of str
        Of `svmbench.report.FORMATS`.
    known : str
        What the legend calls the known points.

    Returns
    -------
    list of Path
        A picture for each format and the caption as text.

    Raises
    ------
    UserError
        If a panel has more lines than can be told apart.
    """
    plots = [plot for row in rows for plot in row]
    crowded = max(plots, key=lambda plot: len(plot.lines))
    if len(crowded.lines) > MOST_LINES:
        raise UserError(
            f"{len(crowded.lines)} lines in the panel {crowded.title!r} cannot be told apart (at most "
            f"{MOST_LINES}): draw fewer at a time, by naming the runs, such as 'sbp-*' 'smo-*'"
        )
    with drawing():
        columns = max(len(row) for row in rows)
        figure = Figure(figsize=(max(5.2, 3.55 * columns), 0.75 + 3.0 * len(rows)), layout="constrained")
        style = looks((line.label, line.solver) for plot in plots for line in plot.lines)
        axes = figure.subplots(len(rows), columns, squeeze=False)
        direct = columns == 1 and len(style) <= _DIRECT and max(map(len, style)) <= _LONGEST
        letters = int(_LETTERS * figure.get_figwidth() / columns)
        for place, (row, label) in enumerate(zip(rows, y_labels, strict=True)):
            kind = scale or ("log" if any(is_wide(*_extent(plot)) for plot in row) else "linear")
            for ax, plot in zip(axes[place], row, strict=False):
                _draw(ax, plot, style, x_scale, kind)
                ax.set_title(textwrap.fill(plot.title, letters))
                if place == len(rows) - 1 or len(row) > len(rows[place + 1]):
                    ax.set_xlabel(x_label)
                if direct:
                    label_ends(ax, [(line.label, line.x[-1], line.y[-1]) for line in plot.lines], style)
            for ax in axes[place][len(row) :]:
                ax.remove()
            axes[place][0].set_ylabel(label)
        if title:
            figure.suptitle(textwrap.fill(title, int(12 * figure.get_figwidth())), fontsize=11)
        optimum = any(plot.optimum is not None for plot in plots)
        bare = {line.label for plot in plots for line in plot.lines if line.bare}
        handles = [] if direct else handles_of(style, bare)
        handles += further(optimum, known if any(plot.known for plot in plots) else None)
        if handles:
            put_legend(figure, handles)
        return save(figure, stem, caption, formats)


def _draw(ax: Axes, plot: Plot, style: Mapping[str, Look], x_scale: str, kind: str) -> None:
    low, high = plot.x or span([line.x for line in plot.lines], x_scale)
    if plot.optimum is not None:
        ax.axhline(plot.optimum, color="0.45", linewidth=0.8, zorder=1)
    for name, value in plot.levels:
        ax.axhline(value, color="0.6", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        ax.annotate(
            name, (1.0, value), xycoords=("axes fraction", "data"), ha="right", va="bottom", fontsize=7,
            color="0.4",
        )  # fmt: skip
    for place, line in enumerate(plot.lines):
        _draw_line(ax, line, style[line.label], place, (low, high), x_scale)
    by_solver = {line.solver: style[line.label] for line in plot.lines}
    for point in plot.known:
        look = by_solver.get(point.solver)
        if look is not None:
            _draw_known(ax, point, look)
    scale_x(ax, low, high, x_scale)
    scale_y(ax, *(plot.y or padded(*_extent(plot), kind)), kind)
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)


def _draw_line(
    ax: Axes, line: Drawn, look: Look, place: int, shown_x: tuple[float, float], x_scale: str
) -> None:
    width, layer = (1.1, 2) if line.thin else (1.6, 3)
    if line.band is not None:
        ax.fill_between(
            line.x, line.band[0], line.band[1], color=look.colour, alpha=0.13, linewidth=0, zorder=1
        )
    ax.plot(line.x, line.y, color=look.colour, linestyle=look.line, linewidth=width, zorder=layer)
    end = shown_x[1] if line.until is None else min(line.until, shown_x[1])
    if line.until is not None and line.x[-1] < end:
        ax.plot(
            [line.x[-1], end], [line.y[-1]] * 2, color=look.colour, linestyle=":", linewidth=0.9, zorder=layer
        )
    shown = np.flatnonzero((line.x >= shown_x[0]) & (line.x <= shown_x[1] * 1.001))
    if shown.size and not line.bare:
        spots = shown[_marked(line.x[shown], place, x_scale)]
        ax.plot(
            line.x[spots], line.y[spots], linestyle="none", marker=look.marker, color=look.colour,
            markeredgecolor="white", markeredgewidth=0.5, zorder=5, clip_on=False,
        )  # fmt: skip


def _draw_known(ax: Axes, point: Known, look: Look) -> None:
    middle = 0.5 * (point.low + point.high)
    ax.errorbar(
        [point.x], [middle], yerr=[[middle - point.low], [point.high - middle]], linestyle="none",
        marker=look.marker, color=look.colour, markerfacecolor="white", markeredgewidth=0.9, elinewidth=0.8,
        zorder=6,
    )  # fmt: skip


def _marked(x: Floats, place: int, x_scale: str) -> NDArray[np.int64]:
    """Choose the points that carry a marker: all if they are few, else two in a decade, staggered."""
    if x.size <= 12:
        return np.arange(x.size)
    at = np.log10(x) if x_scale == "log" else x
    step = 0.5 if x_scale == "log" else (at[-1] - at[0]) / 8.0
    targets = np.arange(at[0] + 0.2 * place * step, at[-1] + 0.1 * step, step)
    return np.unique(np.clip(np.searchsorted(at, targets), 0, x.size - 1))


def _extent(plot: Plot) -> tuple[float, float]:
    """Return the least and the greatest value of a panel that has to be seen."""
    parts = [line.y for line in plot.lines]
    parts += [line.band.ravel() for line in plot.lines if line.band is not None]
    parts += [np.array([point.low, point.high]) for point in plot.known]
    parts += [np.array([value]) for _, value in plot.levels]
    if plot.optimum is not None:
        parts.append(np.array([plot.optimum]))
    values = np.concatenate(parts)
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)
