"""Learning curves: error against cost, one panel per data set, one line per solver."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.lines import Line2D

from svmbench.errors import UserError
from svmbench.figures import FORMATS
from svmbench.figures.panel import Drawn, Known, Plot
from svmbench.figures.selection import Selection, nothing_to_draw, optimum_value, select
from svmbench.figures.series import COUNTERS, METRICS, Curve
from svmbench.figures.settings import shared
from svmbench.figures.sheet import make_sheet
from svmbench.figures.style import Look, Picture, drawing, save
from svmbench.store import StoredRun

#: Factors of ten shown by default. Methods that are charged little at first begin further left.
DECADES = 5.0

#: Least width of a panel in inches, if the width of the sheet is given.
_NARROWEST = 2.2


@dataclass(frozen=True)
class View:
    """View of one panel; None is chosen from the data.

    Attributes
    ----------
    title : str or None
        Replaces the name of the data set.
    x, y : (float, float) or None
        Ranges of the cost and the metric, in the units of their axes.
    known : sequence of Known
        Published points.
    levels : sequence of (str, float)
        Published values without a cost.
    optimum : float or None
        The metric at the certified optimum. None: the optimum stored with the runs.
    """

    title: str | None = None
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    known: Sequence[Known] = ()
    levels: Sequence[tuple[str, float]] = ()
    optimum: float | None = None


@dataclass(frozen=True)
class Row:
    """One row of panels: a metric against a cost.

    Attributes
    ----------
    counter, metric : str
        Keys of `series.COUNTERS` and `series.METRICS`.
    selection : Selection
        The curves, panel by panel.
    views : mapping of str to View
        Views by panel name.
    """

    counter: str
    metric: str
    selection: Selection
    views: Mapping[str, View] = field(default_factory=dict)


@dataclass(frozen=True)
class Looks:
    """Looks of lines that are distinguished by keys of the configuration, and the legend for them."""

    style: Mapping[str, Look]
    handles: Sequence[Line2D]


def draw(
    runs: Sequence[StoredRun],
    counter: str,
    stem: Path,
    *,
    title: str | None = None,
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Draw the test error against a cost for stored runs, one panel per data set.

    Parameters
    ----------
    runs : sequence of StoredRun
        Runs that differ only in their seed form one line, the median, with a band for their spread.
    counter : str
        Column of the trace on the logarithmic x axis, one of `series.COUNTERS`.
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

    Raises
    ------
    UserError
        If the counter is unknown, or nothing can be drawn.
    """
    row = Row(counter, "test_error", select(runs, counter))
    with drawing():
        return save(make_figure([row], title=title)[0], stem, None, formats)


def draw_rows(
    rows: Sequence[Row],
    stem: Path,
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
    scale: str | None = None,
    formats: Sequence[str] = FORMATS,
    looks: Looks | None = None,
    listed: bool = True,
) -> list[Path]:
    """Draw grouped curves as in `make_figure`; write a picture per format, and the caption as text."""
    with drawing():
        figure, caption = make_figure(rows, title=title, notes=notes, scale=scale, looks=looks, listed=listed)
        return save(figure, stem, caption, formats)


def make_figure(
    rows: Sequence[Row],
    *,
    title: str | None = None,
    notes: Sequence[str] = (),
    scale: str | None = None,
    x_scale: str = "log",
    width: float | None = None,
    looks: Looks | None = None,
    listed: bool = True,
) -> tuple[Picture, str]:
    """Draw rows of panels and return the picture and its caption; call it within `style.drawing`.

    Parameters
    ----------
    rows : sequence of Row
        Rows without a curve are omitted; more than four panels are wrapped.
    title, notes : str, sequence of str
        Title of the sheet, and paragraphs at the end of the caption.
    scale : {"log", "linear"}, optional
        Scale of the y axes, as in `sheet.make_sheet`; likewise `x_scale` and `width`.
    looks : Looks, optional
        Looks of lines by label. Default: each solver has its own.
    listed : bool
        Whether the caption lists the runs.
    """
    left_out = [entry for row in rows for entry in row.selection.left_out]
    rows = [row for row in rows if row.selection.panels]
    if not rows:
        raise nothing_to_draw(left_out)
    most = 4 if width is None else max(1, int(width / _NARROWEST))
    sheet = [(row, plots) for row in rows for plots in _wrapped(_plots(row, x_scale), most)]
    counters = [COUNTERS[row.counter] for row, _ in sheet]
    plots = [plots for _, plots in sheet]
    figure = make_sheet(
        plots,
        counters[0] if len(set(counters)) == 1 else counters,
        [METRICS[row.metric][0] for row, _ in sheet],
        title=title,
        scale=scale,
        x_scale=x_scale,
        width=width,
        style=None if looks is None else looks.style,
        handles=None if looks is None else looks.handles,
    )
    return figure, _caption(title, rows, left_out, plots, x_scale, notes, listed)


def _wrapped(panels: Sequence[Any], most: int) -> list[Sequence[Any]]:
    """Arrange panels in one row if at most `most` fit, else in rows of at most three."""
    columns = len(panels) if len(panels) <= most else min(most, 3)
    return [panels[start : start + columns] for start in range(0, len(panels), columns)]


def _plots(row: Row, x_scale: str) -> list[Plot]:
    plots = []
    every = list(dict.fromkeys(curve.label for panel in row.selection.panels for curve in panel.curves))
    for panel in row.selection.panels:
        view = row.views.get(panel.name, View())
        low, high = view.x or cost_range(panel.curves, x_scale)
        lines = tuple(line for curve in panel.curves if (line := _line(curve, low, high)) is not None)
        if not lines:
            raise UserError(f"no run of {panel.name} has a cost from {low:g} to {high:g}: give a wider range")
        optimum = optimum_value(panel, row.metric) if view.optimum is None else view.optimum
        title, settings = view.title or panel.name, shared(panel.runs, panel.told)
        labels = {curve.label for curve in panel.curves}
        absent = [label for label in every if label not in labels]
        plots.append(
            Plot(title, lines, optimum, view.known, view.levels, (low, high), view.y, settings, absent)
        )
    return plots


def _line(curve: Curve, low: float, high: float) -> Drawn | None:
    """Return the part of a curve within a range of costs; it begins with the last value before the range."""
    costs = curve.costs()
    if curve.known_until < low:
        return None
    before = np.flatnonzero(costs < low)
    costs = costs[(before[-1] if before.size else 0) :]
    costs = np.maximum(costs[costs <= high * 1.001], low) if costs.size else costs
    if costs.size == 0:
        return None
    values = curve.values(costs)
    several = len(curve.steps) > 1
    band = np.quantile(values, [0.25, 0.75], axis=0) if several else None
    until = high if curve.settled else None
    return Drawn(curve.label, curve.solver, costs, np.median(values, axis=0), band, not several, until)


def cost_range(curves: Iterable[Curve], x_scale: str = "log") -> tuple[float, float]:
    """Return the range from the first to the last checkpoint, limited to some factors of ten."""
    curves = list(curves)
    high = max(curve.end for curve in curves)
    if x_scale == "linear":
        return 0.0, high
    low = max(min(curve.start for curve in curves), high / 10.0**DECADES)
    return (low, high) if low < high else (low / 2.0, high * 2.0)


def _early(plots: Sequence[Sequence[Plot]]) -> list[str]:
    """Return the names of curves that begin to the left of the picture."""
    found = []
    for plot in (plot for row in plots for plot in row):
        early = [line.label for line in plot.lines if plot.x is not None and line.x[0] <= plot.x[0]]
        if early and len(early) < len(plot.lines):
            found.append(f"{plot.title}: {', '.join(early)}")
    return list(dict.fromkeys(found))


def _caption(
    title: str | None,
    rows: Sequence[Row],
    left_out: Sequence[tuple[str, str]],
    plots: Sequence[Sequence[Plot]],
    x_scale: str,
    notes: Sequence[str],
    listed: bool,
) -> str:
    """Describe how to read the picture and, if listed, which runs are in it, and which are not."""
    names = " and ".join(dict.fromkeys(METRICS[row.metric][0] for row in rows))
    costs = ", ".join(dict.fromkeys(COUNTERS[row.counter] for row in rows))
    axis = ", on a logarithmic axis" if x_scale == "log" else ""
    reading = (
        f"{names[0].upper()}{names[1:]} against {costs}{axis}. The cost of observation "
        "and prediction is not counted. A line is the median over seeds, and its band lies between the "
        "quartiles (the middle half of the seeds); a thin line is a single run. At each cost a run "
        "has the value of its last checkpoint up to that cost; a line starts where every seed has one and "
        "ends where the first run ends. A dotted continuation means that the solver has converged, or can "
        "make no further progress, and stays where it is. A single run is pale and without markers for as "
        "long as it jumps up and down."
    )
    if any(plot.optimum is not None for row in plots for plot in row):
        reading += (
            " Broad pale dashes are the value at the certified optimum of the regularised problem, below "
            "which only an objective cannot fall."
        )
    early = _early(plots)
    if early:
        reading += f" Cut off at the left, where they cost less than is shown: {'; '.join(early)}."
    paragraphs = [title] if title else []
    paragraphs += [reading, *notes]
    text = "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in paragraphs)
    drawn = [
        f"  {panel.name}, {curve.label}: {len(curve.steps)} run{'s' * (len(curve.steps) > 1)} "
        f"({', '.join(f'{s.run.id} seed {s.run.seed} {s.run.status}' for s in curve.steps)})"
        for panel in rows[0].selection.panels
        for curve in panel.curves
    ]
    missing = [f"  {run}: {reason}" for run, reason in dict.fromkeys(left_out)]
    if not listed:
        return text + "\n"
    text += "\n\nRuns drawn:\n" + "\n".join(drawn)
    return text + "\n\nRuns left out:\n" + ("\n".join(missing) if missing else "  none") + "\n"
