"""Sheets of panels: looks, labels, legend and size, for curves and sweeps."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from pathlib import Path

from matplotlib.lines import Line2D

from svmbench.errors import UserError
from svmbench.figures.labels import fit, further, handles_of, label_ends, put_legend, put_title
from svmbench.figures.panel import NOTE, Plot, draw_panel, is_wide
from svmbench.figures.series import METRICS, calm_since
from svmbench.figures.style import Look, Picture, drawing, looks, save

#: Most lines in a panel that can be distinguished.
MOST_LINES = 16
#: In a single column of panels, lines are named at their ends instead of in a legend, if there are at most
#: this many and their names have at most this many characters.
_DIRECT, _SHORT = 6, 24

#: Inches: the size of one panel by default, room beside its axes, and the columns of a journal.
_PANEL = (3.55, 3.0)
_SIDE = 0.8
WIDTHS = {"one": 3.4, "two": 7.0}


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
) -> list[Path]:
    """Draw rows of panels as in `make_sheet`, write the pictures and return their paths.

    Parameters
    ----------
    stem : Path
        Path of the pictures without extension.
    caption : str
        Text beside the pictures.
    """
    with drawing():
        figure = make_sheet(rows, x_label, y_labels, title=title, scale=scale, x_scale=x_scale)
        return save(figure, stem, caption)


def make_sheet(
    rows: Sequence[Sequence[Plot]],
    x_label: str | Sequence[str],
    y_labels: Sequence[str],
    *,
    title: str | None = None,
    scale: str | None = None,
    x_scale: str = "log",
    width: float | None = None,
    style: Mapping[str, Look] | None = None,
    handles: Sequence[Line2D] | None = None,
) -> Picture:
    """Draw rows of panels; call it, and save the picture, within `style.drawing`.

    Parameters
    ----------
    rows : sequence of sequence of Plot
        From top to bottom and from left to right; panels with the same y label share the scale of the y axis.
    x_label : str or sequence of str
        Label of all columns, or one per row.
    y_labels : sequence of str
        One per row.
    title : str, optional
        Title of the sheet.
    scale : {"log", "linear"}, optional
        Scale of all y axes. Default: logarithmic if values with the same label span more than a factor of
        three.
    x_scale : {"log", "linear"}
        Scale of all x axes.
    width : float, optional
        Width of the sheet in inches. Default: it grows with the columns.
    style : mapping of str to Look, optional
        Looks by the label of a line. Default: each solver has its own.
    handles : sequence of Line2D, optional
        Entries of the legend. Default: one per line.

    Raises
    ------
    UserError
        If a panel has more lines than can be distinguished.
    """
    plots = [plot for row in rows for plot in row]
    style = style or looks((line.label, line.solver) for plot in plots for line in plot.lines)
    _check_crowd(plots, style)
    columns = max(len(row) for row in rows)
    panel = _PANEL[0] if width is None else width / columns
    height = min(_PANEL[1], 0.9 + 0.6 * panel)
    figure = Picture(figsize=(width or max(5.2, panel * columns), 0.75 + height * len(rows)))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(len(rows), columns, squeeze=False)
    few = len(style) <= _DIRECT and all(len(label) <= _SHORT for label in style)
    direct = handles is None and columns == 1 and few and figure.get_figwidth() > 5.0
    for place, (row, label) in enumerate(zip(rows, y_labels, strict=True)):
        alike = (plot for other, name in zip(rows, y_labels) if name == label for plot in other)
        kind = scale or ("log" if any(is_wide(plot) for plot in alike) else "linear")
        for ax, plot in zip(axes[place], row, strict=False):
            draw_panel(ax, plot, style, x_scale, kind)
            above = rows[place - 1] if place else ()
            if len(above) == len(row) and above[list(row).index(plot)].heading == plot.heading:
                ax.set_title("")  # same as above
            if plot.x_label is not None:
                ax.set_xlabel(plot.x_label)
            elif not isinstance(x_label, str):
                ax.set_xlabel(x_label[place])
            elif place == len(rows) - 1 or len(row) > len(rows[place + 1]):
                ax.set_xlabel(x_label)
            if direct:
                label_ends(ax, [(line.label, line.x[-1], line.y[-1]) for line in plot.lines], style)
        for ax in axes[place][len(row) :]:
            ax.remove()
        axes[place][0].set_ylabel(label)
    _wrap_labels(figure, panel, 12 if len(rows) > 3 else 14)
    if title:
        put_title(figure, title)
    bare = {line.label for plot in plots for line in plot.lines if line.bare}
    entries = list(handles) if handles is not None else [] if direct else handles_of(style, bare)
    entries += further(
        optimum=_optimum(rows, y_labels),
        published=any(plot.known for plot in plots),
        bounds=any(line.open is not None and line.open.any() for plot in plots for line in plot.lines),
        jumps=any(
            line.thin and calm_since(line.y) for plot in plots if len(plot.lines) > 1 for line in plot.lines
        ),
    )
    if entries:
        put_legend(figure, entries)
    return figure


def _optimum(rows: Sequence[Sequence[Plot]], y_labels: Sequence[str]) -> str:
    """Return the name of the line of the optimum, or "" without one; only objectives are never below it."""
    drawn = dict.fromkeys(
        label.removesuffix(" (%)")
        for row, label in zip(rows, y_labels, strict=True)
        if any(plot.optimum is not None for plot in row)
    )
    if not drawn or list(drawn) == [METRICS["primal_objective"][0]]:
        return "certified optimum" if drawn else ""
    return f"{' and '.join(drawn)} of the optimum"


def _wrap_labels(figure: Picture, panel: float, letters: int) -> None:
    """Break labels of x axes, titles and notes that are wider than their panel.

    An inch fits ``letters`` letters. The layout narrows axes to make room for a wider label, so labels must
    be shorter where axes are narrow already: in sheets of many rows, whose y axes differ.
    """
    for ax in figure.axes:
        ax.set_xlabel(textwrap.fill(ax.get_xlabel(), max(16, int(letters * panel))))
        head, *rest = ax.get_title().split("\n")
        if head:
            ax.set_title(head, y=1.0)
            fit(ax.title, 0.95 * panel * figure.dpi)
            ax.set_title("\n".join([ax.get_title(), *rest]), y=1.0)
        for note in (text for text in ax.texts if text.get_gid() == NOTE):
            fit(note, max(0.5 * panel, panel - _SIDE) * figure.dpi)


def _check_crowd(plots: Sequence[Plot], style: Mapping[str, Look]) -> None:
    def distinct(plot: Plot) -> int:
        return len({style[line.label] for line in plot.lines})

    crowded = max(plots, key=distinct)
    if distinct(crowded) > MOST_LINES:
        raise UserError(
            f"{distinct(crowded)} lines in the panel {crowded.title!r} cannot be told apart (at most "
            f"{MOST_LINES}): draw fewer at a time, by naming the runs, such as 'sbp-*' 'smo-*', or put them "
            "into panels of their own by a key in which they differ, such as --panels-by kernel.gamma"
        )
