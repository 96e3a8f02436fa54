"""Learning curves: what an error cost, one panel per data set, one line per solver."""

from __future__ import annotations

import textwrap
from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import numpy as np

from svmbench.errors import UserError
from svmbench.report import FORMATS
from svmbench.report.selection import Selection, optimum_value, select
from svmbench.report.series import COUNTERS, METRICS, Curve
from svmbench.report.sheet import Drawn, Known, Plot, draw_sheet
from svmbench.store import StoredRun

#: Factors of ten that are shown where no range is given: further left lie methods that are charged little at
#: first.
DECADES = 5.0


@dataclass(frozen=True)
class View:
    """How one panel is shown; None is chosen from the data.

    Attributes
    ----------
    title : str or None
        In place of the data set's name.
    x, y : (float, float) or None
        Ranges of the cost and of the metric, in the units of their axes.
    known : sequence of Known
        Published points.
    levels : sequence of (str, float)
        Published values that belong to no cost.
    """

    title: str | None = None
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    known: Sequence[Known] = ()
    levels: Sequence[tuple[str, float]] = ()


def draw(
    runs: Sequence[StoredRun],
    counter: str,
    stem: Path,
    *,
    title: str | None = None,
    metric: str = "test_error",
    notes: Sequence[str] = (),
    formats: Sequence[str] = FORMATS,
) -> list[Path]:
    """Draw the metric against the cost for any set of stored runs.

    Parameters
    ----------
    runs : sequence of StoredRun
        Runs that differ only in their seed become one line, the median, in a band of the seeds' spread.
    counter : str
        Column of the trace on the logarithmic x axis, one of `series.COUNTERS`.
    stem : Path
        Path of the pictures without extension.
    title : str, optional
        Title of the figure.
    metric : str
        Column of the trace on the y axis, one of `series.METRICS`.
    notes : sequence of str
        Further paragraphs for the caption.
    formats : sequence of str
        Of `svmbench.report.FORMATS`.

    Returns
    -------
    list of Path
        A picture for each format and the caption as text.

    Raises
    ------
    UserError
        If the counter or metric is unknown, or nothing can be drawn.
    """
    return draw_selections(
        {metric: select(runs, counter, metric)}, counter, stem, title=title, notes=notes, formats=formats
    )


def draw_selections(
    selections: Mapping[str, Selection],
    counter: str,
    stem: Path,
    *,
    title: str | None = None,
    views: Mapping[str, View] | None = None,
    notes: Sequence[str] = (),
    scale: str | None = None,
    formats: Sequence[str] = FORMATS,
    known: str = "published",
) -> list[Path]:
    """Draw curves that are grouped already, one row of panels for each metric; the rest as in `draw`.

    Parameters
    ----------
    selections : mapping of str to Selection
        By metric; the panels of each in their order.
    views : mapping of str to View, optional
        How the panel of this data set is shown; published values and the range of y belong to the first row.
    scale : {"log", "linear"}, optional
        Of the y axes.
    known : str
        What the legend calls known points.
    """
    rows = {metric: chosen for metric, chosen in selections.items() if chosen.panels}
    left_out = [entry for chosen in selections.values() for entry in chosen.left_out]
    if not rows:
        reasons = "; ".join(f"{run}: {reason}" for run, reason in left_out) or "no run was given"
        raise UserError(f"there is nothing to draw ({reasons}); `svmbench list` shows the stored runs")
    views = views or {}
    plots = [
        plot
        for place, (metric, chosen) in enumerate(rows.items())
        for plot in _wrapped(_plots(chosen, metric, views, first=place == 0))
    ]
    labels = [METRICS[metric][0] for metric, chosen in rows.items() for _ in _wrapped(chosen.panels)]
    optimum = any(plot.optimum is not None for row in plots for plot in row)
    levels = any(plot.levels for row in plots for plot in row)
    caption = _caption(title, rows, left_out, counter, optimum, levels, _early(plots), notes)
    return draw_sheet(
        plots, COUNTERS[counter], labels, stem, caption=caption, title=title, scale=scale,
        formats=formats, known=known,
    )  # fmt: skip


def _wrapped(panels: Sequence[Any]) -> list[Sequence[Any]]:
    """Put at most four panels in a row."""
    columns = len(panels) if len(panels) <= 4 else 3
    return [panels[start : start + columns] for start in range(0, len(panels), columns)]


def _plots(chosen: Selection, metric: str, views: Mapping[str, View], *, first: bool) -> list[Plot]:
    plots = []
    for panel in chosen.panels:
        view = views.get(panel.dataset, View())
        low, high = view.x or cost_range(panel.curves)
        lines = tuple(line for curve in panel.curves if (line := _line(curve, low, high)) is not None)
        known, levels = (view.known, view.levels) if first else ((), ())
        optimum = optimum_value(panel, metric)
        y = view.y if first else None
        plots.append(Plot(view.title or panel.dataset, lines, optimum, known, levels, (low, high), y))
    return plots


def _line(curve: Curve, low: float, high: float) -> Drawn | None:
    """Return the part of a curve that is in the range of costs, from its last value before it."""
    costs = curve.costs()
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


def cost_range(curves: Iterable[Curve]) -> tuple[float, float]:
    """Show up to the last checkpoint, and from the first, but not more than some factors of ten."""
    curves = list(curves)
    high = max(curve.end for curve in curves)
    low = max(min(curve.start for curve in curves), high / 10.0**DECADES)
    return (low, high) if low < high else (low / 2.0, high * 2.0)


def _early(plots: Sequence[Sequence[Plot]]) -> list[str]:
    """Name what begins left of the picture."""
    found = []
    for plot in (plot for row in plots for plot in row):
        early = [line.label for line in plot.lines if plot.x is not None and line.x[0] <= plot.x[0]]
        if early and len(early) < len(plot.lines):
            found.append(f"{plot.title}: {', '.join(early)}")
    return list(dict.fromkeys(found))


def _caption(
    title: str | None,
    rows: Mapping[str, Selection],
    left_out: Sequence[tuple[str, str]],
    counter: str,
    has_optimum: bool,
    has_levels: bool,
    early: Sequence[str],
    notes: Sequence[str],
) -> str:
    """Say how to read the picture, which runs are in it and which are not."""
    names = " and ".join(METRICS[metric][0] for metric in rows)
    reading = (
        f"{names[0].upper()}{names[1:]} against {COUNTERS[counter]}, on a logarithmic axis; what is "
        "evaluated to observe or to predict is not counted. A line is the median over seeds, its band the "
        "quartiles, which hold the middle half of the seeds; a thin line is a single run. At each cost a run "
        "shows its last checkpoint so far; a line starts where every seed has one and ends where the first "
        "run ends. A dotted continuation means that the solver has converged, or gains nothing any more, "
        "and stays where it is."
    )
    if has_optimum:
        reading += " The thin grey line is that of the certified optimum of the regularised problem."
    if has_levels:
        reading += " Dashed grey lines are levels, named at their right end."
    if early:
        reading += f" Cut off at the left, where they cost less than is shown: {'; '.join(early)}."
    paragraphs = [title] if title else []
    paragraphs += [reading, *notes]
    text = "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in paragraphs)
    drawn = [
        f"  {panel.dataset}, {curve.label}: {len(curve.steps)} run{'s' * (len(curve.steps) > 1)} "
        f"({', '.join(f'{s.run.id} seed {s.run.seed} {s.run.status}' for s in curve.steps)})"
        for chosen in list(rows.values())[:1]
        for panel in chosen.panels
        for curve in panel.curves
    ]
    missing = [f"  {run}: {reason}" for run, reason in dict.fromkeys(left_out)]
    text += "\n\nRuns drawn:\n" + "\n".join(drawn)
    return text + "\n\nRuns left out:\n" + ("\n".join(missing) if missing else "  none") + "\n"
