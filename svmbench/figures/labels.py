"""Text on a sheet: names at the ends of lines, legends that fit."""

from __future__ import annotations

import textwrap
from collections.abc import Collection, Mapping, Sequence
from typing import Any

import numpy as np
from matplotlib import rc_context
from matplotlib.axes import Axes
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.legend import Legend
from matplotlib.lines import Line2D
from matplotlib.markers import MarkerStyle
from matplotlib.text import Text
from numpy.typing import NDArray

from svmbench.figures.style import Look

Floats = NDArray[np.float64]

#: Height in inches of a legend of one line; every sheet has room for it.
_LEGEND_LINE = 0.3

#: Look of the certified optimum: broad pale dashes, which show on both sides of a line that runs along them.
JUMPS: dict[str, Any] = {"color": "black", "linewidth": 0.5, "alpha": 0.4}
OPTIMUM: dict[str, Any] = {"color": "0.75", "linewidth": 4.0, "linestyle": (0, (1.8, 0.9))}

#: A name that is moved by more than this fraction of the panel's height gets a leader.
_MOVED = 0.02

#: Marker of a value that is only a lower bound.
_UPWARDS = "$\u2191$"


def label_ends(ax: Axes, ends: Sequence[tuple[str, float, float]], style: Mapping[str, Look]) -> None:
    """Write the name of each line beside the panel, at the height where the line ends.

    Names that would touch are moved apart and get short grey leaders. Leaders lie outside the panel, so they
    cannot be mistaken for lines.
    """
    places = ax.transData.transform([(x, y) for _, x, y in ends])
    heights = ax.transAxes.inverted().transform(places)[:, 1]
    order = np.argsort(heights)
    placed = np.clip(heights[order], 0.0, 1.0)
    for k in range(1, placed.size):
        placed[k] = max(placed[k], placed[k - 1] + 0.075)
    placed -= max(0.0, float(placed[-1]) - 1.0)
    leader: dict[str, Any] = {
        "arrowstyle": "-", "color": "0.6", "linewidth": 0.5, "shrinkA": 0, "shrinkB": 0, "relpos": (0, 0.5),
    }  # fmt: skip
    for at, k in zip(placed, order, strict=True):
        label, height = ends[k][0], min(max(heights[k], 0.0), 1.0)
        ax.annotate(
            label, (1.01, height), xytext=(1.04, at), xycoords="axes fraction", textcoords="axes fraction",
            va="center", color=style[label].colour, fontsize=8, annotation_clip=False,
            arrowprops=leader if abs(at - height) > _MOVED else None,
        )  # fmt: skip


def draw_levels(
    ax: Axes, levels: Sequence[tuple[str, float]], curves: Sequence[tuple[Floats, Floats]]
) -> None:
    """Draw dashed grey lines across a panel, each with its name where no curve passes.

    The name is at the right end, above or below the line, or else at the left end. Axis ranges must be set.

    Parameters
    ----------
    ax : Axes
        The panel.
    levels : sequence of (str, float)
        Names and values.
    curves : sequence of (ndarray of float64, ndarray of float64)
        Points of all curves.
    """
    to_axes = ax.transScale + ax.transLimits
    passes = [np.empty((0, 2))]
    for x, y in curves:
        points = to_axes.transform(np.column_stack([x, y]))
        points = points[np.isfinite(points).all(axis=1)]
        if not len(points):
            continue
        steps = np.linspace(0.0, len(points) - 1, 40 * len(points))
        ends = np.arange(len(points))
        passes.append(np.column_stack([np.interp(steps, ends, part) for part in points.T]))
    every = np.concatenate(passes)
    for name, value in levels:
        ax.axhline(value, color="0.6", linewidth=0.8, linestyle=(0, (4, 3)), zorder=1)
        height = float(to_axes.transform([[ax.get_xlim()[1], value]])[0, 1])
        width = min(0.9, 0.022 * len(name))
        corners = [(side, up) for side in ("right", "left") for up in ("bottom", "top")]

        def crossed(corner: tuple[str, str], height: float = height, width: float = width) -> int:
            """Count the points of curves in the box of the name."""
            low = height if corner[1] == "bottom" else height - 0.07
            left = 1.0 - width if corner[0] == "right" else 0.0
            inside = (every >= (left, low)) & (every <= (left + width, low + 0.07))
            return int(inside.all(axis=1).sum()) + (1000 if not 0.0 <= low <= 0.93 else 0)

        side, up = min(corners, key=crossed)
        ax.annotate(
            name, (1.0 if side == "right" else 0.0, value), xytext=(0, 1 if up == "bottom" else -2),
            xycoords=("axes fraction", "data"), textcoords="offset points", ha=side, va=up, fontsize=7,
            color="0.4",
        )  # fmt: skip


def handles_of(style: Mapping[str, Look], bare: Collection[str] = ()) -> list[Line2D]:
    """Return the legend entries, one per line; those of ``bare`` lines have no marker."""
    return [
        Line2D(
            [], [], color=look.colour, linestyle=look.line, marker="" if label in bare else look.marker,
            markeredgecolor="white", markeredgewidth=0.5, label=label,
        )
        for label, look in style.items()
    ]  # fmt: skip


def further(*, optimum: str, published: bool, bounds: bool, jumps: bool = False) -> list[Line2D]:
    """Return the legend entries for anything other than lines of solvers; ``optimum`` names its line."""
    hollow: dict[str, Any] = {"color": "0.3", "linestyle": "none", "markerfacecolor": "white"}
    handles = []
    if published:
        handles.append(Line2D([], [], marker="o", label="published", **hollow))
    if bounds:  # its marker is a formula, whose first one takes a third of the time of a picture
        with rc_context({"text.parse_math": True}):
            upwards = MarkerStyle(_UPWARDS)
        handles.append(Line2D([], [], marker=upwards, label="not reached: at least so much", **hollow))
    if jumps:
        handles.append(Line2D([], [], **JUMPS, label="a single run that still jumps"))
    if optimum:
        handles.append(Line2D([], [], **OPTIMUM, label=optimum))
    return handles


def put_title(figure: Figure, title: str) -> None:
    """Add a title above the sheet, in as few lines as possible."""
    text = figure.suptitle(title, fontsize=11)
    fit(text, 0.98 * float(figure.bbox.width))


def fit(text: Text, width: float) -> None:
    """Break a text wider than this number of pixels into lines, after a colon or comma, else at a space.

    A break after a colon is preferred even if the first line is short, since it looks intended. Words are
    never broken.
    """
    figure = text.get_figure(root=True)
    assert figure is not None
    renderer = RendererAgg(1, 1, figure.dpi)  # only measures, without an image of the whole sheet

    def fits(lines: Sequence[str]) -> bool:
        text.set_text("\n".join(lines))
        return text.get_window_extent(renderer).width <= width

    words = text.get_text().split(" ")
    if fits([" ".join(words)]):
        return
    halves = [(" ".join(words[:k]), " ".join(words[k:])) for k in range(1, len(words))]
    pause = {":": 0, ",": 1}
    halves.sort(key=lambda pair: (pause.get(pair[0][-1], 2), abs(len(pair[0]) - len(pair[1]))))
    if not any(fits(pair) for pair in halves):
        longest = text.get_window_extent(renderer).width / max(map(len, text.get_text().split("\n")))
        fits(textwrap.wrap(" ".join(words), max(12, int(width / longest)), break_on_hyphens=False))


def put_legend(figure: Figure, handles: Sequence[Line2D]) -> Legend:
    """Add the legend below, with as many columns as fit the width; the sheet grows by its height.

    Names wider than the sheet are broken into lines.
    """
    width = 0.98 * float(figure.bbox.width)
    renderer = RendererAgg(1, 1, figure.dpi)
    for columns in range(min(len(handles), 8), 0, -1):
        legend = figure.legend(handles=handles, loc="outside lower center", ncols=columns, handlelength=3.2)
        box = legend.get_window_extent(renderer)
        if columns == 1 and box.width > width:
            _break_names(legend, width / box.width)
            box = legend.get_window_extent(renderer)
        if columns == 1 or box.width <= width:
            more = box.height / figure.dpi - _LEGEND_LINE
            figure.set_figheight(figure.get_figheight() + max(0.0, more))
            return legend
        legend.remove()
    raise AssertionError("one column is always taken")


def _break_names(legend: Legend, share: float) -> None:
    """Break the names of a legend so that its width is about this fraction of the current one."""
    longest = max(len(text.get_text()) for text in legend.get_texts())
    for text in legend.get_texts():
        text.set_text(
            textwrap.fill(text.get_text(), max(12, int((longest + 6) * share) - 6), break_on_hyphens=False)
        )
