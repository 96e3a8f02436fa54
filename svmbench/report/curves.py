"""Learning curves: what an error cost, one panel per data set, one line per solver."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator

from svmbench.errors import UserError
from svmbench.report.series import (
    COUNTERS,
    METRICS,
    OVERSHOOT,
    Curve,
    Panel,
    Selection,
    optimum_value,
    select,
)
from svmbench.report.style import Look, drawing, looks, save
from svmbench.store import StoredRun

#: Decades shown where no range is given; further down lie only methods that are charged little at the start.
_DECADES = 4.0


@dataclass(frozen=True)
class View:
    """How one panel is shown; None is chosen from the data.

    Attributes
    ----------
    title : str or None
        In place of the data set's name.
    x : (float, float) or None
        Range of the cost.
    y : (float, float) or None
        Range of the metric, in the units of its axis.
    """

    title: str | None = None
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None


def draw(
    runs: Sequence[StoredRun],
    counter: str,
    stem: Path,
    *,
    title: str | None = None,
    metric: str = "test_error",
    notes: Sequence[str] = (),
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

    Returns
    -------
    list of Path
        PNG, SVG, PDF and the caption as text.

    Raises
    ------
    UserError
        If the counter or metric is unknown, or nothing can be drawn.
    """
    return draw_selection(
        select(runs, counter, metric), counter, stem, title=title, metric=metric, notes=notes
    )


def draw_selection(
    selection: Selection,
    counter: str,
    stem: Path,
    *,
    title: str | None = None,
    metric: str = "test_error",
    views: Mapping[str, View] | None = None,
    notes: Sequence[str] = (),
) -> list[Path]:
    """Draw curves that are grouped already, panels in their order; the rest as in `draw`.

    Parameters
    ----------
    views : mapping of str to View, optional
        How the panel of this data set is shown.
    """
    if not selection.panels:
        reasons = "; ".join(f"{run}: {reason}" for run, reason in selection.left_out) or "no run was given"
        raise UserError(f"there is nothing to draw ({reasons}); `svmbench list` shows the stored runs")
    views = views or {}
    with drawing():
        columns = min(3, len(selection.panels))
        lines = -(-len(selection.panels) // columns)
        figure = Figure(figsize=(max(5.2, 3.55 * columns), 0.75 + 3.0 * lines), layout="constrained")
        style = looks((curve.label, curve.solver) for panel in selection.panels for curve in panel.curves)
        axes = figure.subplots(lines, columns, squeeze=False).ravel()
        panels = selection.panels
        optima = {panel.dataset: optimum_value(panel, metric) for panel in panels}
        for place, (ax, panel) in enumerate(zip(axes, panels, strict=False)):
            _draw_panel(ax, panel, style, views.get(panel.dataset, View()), optima[panel.dataset])
            if place + columns >= len(panels):
                ax.set_xlabel(COUNTERS[counter])
        for ax in axes[len(panels) :]:
            ax.remove()
        for ax in axes[::columns]:
            ax.set_ylabel(METRICS[metric][0])
        if title:
            figure.suptitle(title, fontsize=11)
        has_optimum = any(value is not None for value in optima.values())
        handles = _legend_handles(style, has_optimum)
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=min(len(handles), 2 * columns),
            handlelength=3.2,
        )
        return save(figure, stem, _caption(title, selection, counter, metric, has_optimum, notes))


def _draw_panel(ax: Axes, panel: Panel, style: Mapping[str, Look], view: View, optimum: float | None) -> None:
    low, high = view.x or _cost_range(panel.curves)
    shown = [(curve, _inside(curve, low, high)) for curve in panel.curves]
    bottom, top = view.y or _value_range([curve.median(costs) for curve, costs in shown], optimum)
    if optimum is not None:
        ax.axhline(optimum, color="0.45", linewidth=0.8, zorder=1)
    for place, (curve, costs) in enumerate(shown):
        _draw_curve(ax, curve, style[curve.label], high)
        _draw_markers(ax, curve, costs, style[curve.label], place)
    ax.set_title(view.title or panel.dataset)
    ax.set_xscale("log")
    ax.set_xlim(low, high)
    ax.xaxis.set_major_locator(LogLocator(numticks=12))
    ax.xaxis.set_minor_formatter(NullFormatter())
    _scale_values(ax, bottom, top)
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)


def _draw_curve(ax: Axes, curve: Curve, look: Look, high: float) -> None:
    """Draw one solver: the band, the median, and a dotted line after convergence."""
    costs = curve.costs()
    values = curve.values(costs)
    median = np.median(values, axis=0)
    # A single run has no median to calm it; drawn first and thinner it hides nothing.
    width, layer = (1.1, 2) if len(curve.steps) == 1 else (1.6, 3)
    if len(curve.steps) > 1:
        band = np.quantile(values, [0.25, 0.75], axis=0)
        ax.fill_between(costs, band[0], band[1], color=look.colour, alpha=0.13, linewidth=0, zorder=1)
    ax.plot(costs, median, color=look.colour, linestyle=look.line, linewidth=width, zorder=layer)
    if curve.converged and costs[-1] < high:
        ax.plot(
            [costs[-1], high], [median[-1]] * 2, color=look.colour, linestyle=":", linewidth=0.9, zorder=layer
        )


def _draw_markers(ax: Axes, curve: Curve, costs: np.ndarray, look: Look, place: int) -> None:
    """Mark some of the checkpoints that are in view."""
    if costs.size == 0:
        return
    spots = costs[_marked(costs, place)]
    ax.plot(
        spots,
        curve.median(spots),
        linestyle="none",
        marker=look.marker,
        color=look.colour,
        markeredgecolor="white",
        markeredgewidth=0.5,
        zorder=5,
    )


def _marked(costs: np.ndarray, place: int) -> np.ndarray:
    """Choose the checkpoints that carry a marker, two in a decade, staggered from solver to solver."""
    targets = np.arange(np.log10(costs[0]) + 0.1 * place, np.log10(costs[-1]) + 0.05, 0.5)
    return np.unique(np.clip(np.searchsorted(np.log10(costs), targets), 0, costs.size - 1))


def _inside(curve: Curve, low: float, high: float) -> np.ndarray:
    costs = curve.costs()
    return costs[(costs >= low) & (costs <= high * OVERSHOOT)]


def _cost_range(curves: Sequence[Curve]) -> tuple[float, float]:
    """Show up to the last checkpoint, and from the first, but not more than some decades."""
    high = max(curve.end for curve in curves)
    low = max(min(curve.start for curve in curves), high / 10.0**_DECADES)
    return (low, high) if low < high else (low / 2.0, high * 2.0)


def _value_range(medians: Sequence[np.ndarray], optimum: float | None) -> tuple[float, float]:
    """Show every end and a typical start; a curve that starts or strays higher leaves at the top."""
    some = [median for median in medians if median.size]
    known = np.concatenate([*some, [] if optimum is None else [optimum]])
    bottom = float(known.min())
    start = float(np.median([median[0] for median in some]))
    top = max(start, *(float(median[-1]) for median in some), bottom)
    if _is_wide(bottom, top):
        margin = (top / bottom) ** 0.05
        return bottom / margin, top * margin
    margin = 0.05 * (top - bottom) or 0.05 * abs(top) or 1.0
    return bottom - margin if bottom < 0.0 else max(0.0, bottom - margin), top + margin


def _is_wide(bottom: float, top: float) -> bool:
    """Tell whether the range needs a logarithmic axis."""
    return bottom > 0.0 and top > 3.0 * bottom


def _scale_values(ax: Axes, bottom: float, top: float) -> None:
    if _is_wide(bottom, top):
        ax.set_yscale("log")
        ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 3.0, 5.0), numticks=20))
        ax.yaxis.set_minor_locator(NullLocator())
    else:
        ax.yaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
    ax.set_ylim(bottom, top)


def _legend_handles(style: Mapping[str, Look], has_optimum: bool) -> list[Line2D]:
    handles = [
        Line2D(
            [],
            [],
            color=look.colour,
            linestyle=look.line,
            marker=look.marker,
            markeredgecolor="white",
            markeredgewidth=0.5,
            label=label,
        )
        for label, look in style.items()
    ]
    if has_optimum:
        handles.append(Line2D([], [], color="0.45", linewidth=0.8, label="certified optimum"))
    return handles


def _caption(
    title: str | None,
    selection: Selection,
    counter: str,
    metric: str,
    has_optimum: bool,
    notes: Sequence[str],
) -> str:
    """Say how to read the picture, which runs are in it and which are not."""
    reading = (
        f"{METRICS[metric][0].capitalize()} against {COUNTERS[counter]}, on a logarithmic axis; what is "
        "evaluated to observe or to predict is not counted. A line is the median over seeds, its band the "
        "quartiles, which hold the middle half of the seeds. At each cost a run shows its last checkpoint "
        "so far; a line starts where every seed has one and ends where the first run ends. A dotted "
        "continuation means that the solver has converged and stays where it is. A line that leaves at the "
        "top lies above the range shown."
    )
    if has_optimum:
        reading += " The thin grey line is that of the certified optimum of the regularised problem."
    paragraphs = [title] if title else []
    paragraphs += [reading, *notes]
    drawn = [
        f"  {panel.dataset}, {curve.label}: {len(curve.steps)} run{'s' * (len(curve.steps) > 1)} "
        f"({', '.join(f'{s.run.id} seed {s.run.seed} {s.run.status}' for s in curve.steps)})"
        for panel in selection.panels
        for curve in panel.curves
    ]
    missing = [f"  {run}: {reason}" for run, reason in selection.left_out]
    text = "\n\n".join(textwrap.fill(paragraph, 100) for paragraph in paragraphs)
    text += "\n\nRuns drawn:\n" + "\n".join(drawn)
    return text + "\n\nRuns left out:\n" + ("\n".join(missing) if missing else "  none") + "\n"
