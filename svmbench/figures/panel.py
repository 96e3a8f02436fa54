"""One panel: its lines, and how lines, bands, published points, ranges and ticks are drawn."""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, Locator, LogLocator, MaxNLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from svmbench.figures.labels import JUMPS, OPTIMUM, draw_levels
from svmbench.figures.series import calm_since
from svmbench.figures.settings import power_of_ten
from svmbench.figures.style import Look

Floats = NDArray[np.float64]

#: Most names in the note on lines missing from a panel, and most lines in a panel whose markers affect the
#: layout.
_NAMED, _CROWDED = 2, 12

#: Greatest distance of a tick from the ends of the curves, as a share of the height.
_NEAR = 0.1

#: Mark of that note, by which `sheet` finds it to break it into lines.
NOTE = "absent"


@dataclass(frozen=True)
class Drawn:
    """One line of a panel.

    Attributes
    ----------
    label, solver : str
        Name in the legend, and the solver whose look it has.
    x, y : ndarray of float64, shape (k,)
        The line.
    band : ndarray of float64, shape (2, k), or None
        Lower and upper edge of the band around it.
    thin : bool
        Whether to draw it thinner and below the others. Used for a single run, which fluctuates more than a
        median.
    until : float or None
        End of a dotted continuation at the last value.
    bare : bool
        Whether the line has no markers.
    open : ndarray of bool, shape (k,), or None
        Where y is only a lower bound: drawn hollow, with an arrow.
    """

    label: str
    solver: str
    x: Floats
    y: Floats
    band: Floats | None = None
    thin: bool = False
    until: float | None = None
    bare: bool = False
    open: NDArray[np.bool_] | None = None


@dataclass(frozen=True)
class Known:
    """A published value or range at ``x``, drawn hollow in the look of the line ``label``."""

    label: str
    x: float
    low: float
    high: float


@dataclass(frozen=True)
class Plot:
    """One panel.

    Attributes
    ----------
    title : str
        Title above the panel.
    lines : sequence of Drawn
        Lines in the order of the legend.
    optimum : float or None
        The certified optimum, drawn as broad dashes below the lines.
    known : sequence of Known
        Published points.
    levels : sequence of (str, float)
        Published values without an x value, drawn as dashed grey lines with names.
    x, y : (float, float) or None
        Ranges of the axes. None: everything drawn.
    settings : str
        What all runs of the panel have in common, written below the title.
    absent : sequence of str
        Names of lines that other panels have and this one lacks, listed in a note.
    x_label : str or None
        Label of its x axis, instead of the sheet's.
    """

    title: str
    lines: Sequence[Drawn]
    optimum: float | None = None
    known: Sequence[Known] = ()
    levels: Sequence[tuple[str, float]] = ()
    x: tuple[float, float] | None = None
    y: tuple[float, float] | None = None
    settings: str = ""
    absent: Sequence[str] = ()
    x_label: str | None = None

    @property
    def heading(self) -> str:
        """Text above the panel."""
        return f"{self.title}\n{self.settings}" if self.settings else self.title


def draw_panel(ax: Axes, plot: Plot, style: Mapping[str, Look], x_scale: str, kind: str) -> None:
    """Draw a panel; ``kind`` is the scale of its y axis."""
    low, high = plot.x or _span([line.x for line in plot.lines], x_scale)
    bottom, top = plot.y or _padded(*_extent(plot), kind)
    if plot.optimum is not None:
        ax.axhline(plot.optimum, **OPTIMUM, zorder=1.2)
    for place, line in enumerate(plot.lines):
        _draw_line(ax, line, style[line.label], place, (low, high), (bottom, top), x_scale, len(plot.lines))
    labels = {line.label for line in plot.lines}
    for point in plot.known:
        if point.label in labels:
            _draw_known(ax, point, style[point.label])
    if plot.absent:
        more = f" and {len(plot.absent) - _NAMED} more" if len(plot.absent) > _NAMED else ""
        note = ax.annotate(
            f"not shown: {', '.join(plot.absent[:_NAMED])}{more}", (0.98, 0.97), xycoords="axes fraction",
            ha="right", va="top", fontsize=7, color="0.4",
        )  # fmt: skip
        note.set_in_layout(False)  # panels do not shrink for it
        note.set_gid(NOTE)
    # Without y, matplotlib would measure all ticks at each drawing to find out that nothing is above the
    # axes.
    ax.set_title(plot.heading, y=1.0)
    scale_x(ax, low, high, x_scale, np.concatenate([line.x for line in plot.lines]))
    _scale_y(ax, bottom, top, kind, [float(line.y[-1]) for line in plot.lines])
    points = [(np.array([point.x]), np.array([point.low])) for point in plot.known if point.label in labels]
    draw_levels(ax, plot.levels, [*((line.x, line.y) for line in plot.lines), *points])
    ax.grid(True, which="major", color="0.9", linewidth=0.6)
    ax.set_axisbelow(True)


def _draw_line(
    ax: Axes,
    line: Drawn,
    look: Look,
    place: int,
    span: tuple[float, float],
    heights: tuple[float, float],
    x_scale: str,
    lines: int,
) -> None:
    # Panels shrink to make room for markers at their edges; with many lines, no space would be left.
    within, alone = lines <= _CROWDED, lines == 1
    width, layer = (1.1, 2) if line.thin else (1.6, 3)
    if line.band is not None:
        ax.fill_between(
            line.x, line.band[0], line.band[1], color=look.colour, alpha=0.13, linewidth=0, zorder=1
        )
    calm = calm_since(line.y) if line.thin and not alone else 0
    if calm:
        jumping = slice(0, calm + 1)
        ax.plot(line.x[jumping], line.y[jumping], zorder=1.5, **(JUMPS | {"color": look.colour}))
    y = line.y if line.open is None else np.where(line.open, np.nan, line.y)
    ax.plot(line.x[calm:], y[calm:], color=look.colour, linestyle=look.line, linewidth=width, zorder=layer)
    if line.open is not None and line.open.any():
        _draw_open(ax, line, look, line.open)
    end = span[1] if line.until is None else min(line.until, span[1])
    if line.until is not None and line.x[-1] < end:
        ax.plot(
            [line.x[-1], end], [line.y[-1]] * 2, color=look.colour, linestyle=":", linewidth=0.9, zorder=layer
        )
    shown = np.flatnonzero((line.x >= span[0]) & (line.x <= span[1] * 1.001) & np.isfinite(y))
    # A marker is not clipped, so that it is whole at an edge; beyond the panel there is none.
    shown = shown[(shown >= calm) & (line.y[shown] >= heights[0]) & (line.y[shown] <= heights[1])]
    if shown.size and not line.bare:
        spots = shown[_marked(line.x[shown], place, x_scale)]
        (drawn,) = ax.plot(
            line.x[spots], line.y[spots], linestyle="none", marker=look.marker, color=look.colour,
            markeredgecolor="white", markeredgewidth=0.5, zorder=5, clip_on=False,
        )  # fmt: skip
        drawn.set_in_layout(within)


def _draw_open(ax: Axes, line: Drawn, look: Look, open_: NDArray[np.bool_]) -> None:
    """Draw values that are lower bounds, and their connections to the others."""
    ax.plot(line.x, line.y, color=look.colour, linestyle=":", linewidth=0.8, zorder=2)
    ax.errorbar(
        line.x[open_], line.y[open_], yerr=0.5 * np.abs(line.y[open_]), lolims=True, linestyle="none",
        marker=look.marker, color=look.colour, markerfacecolor="white", markeredgewidth=0.9, elinewidth=0.8,
        zorder=5, clip_on=False,
    )  # fmt: skip


def _draw_known(ax: Axes, point: Known, look: Look) -> None:
    middle = 0.5 * (point.low + point.high)
    ax.errorbar(
        [point.x], [middle], yerr=[[middle - point.low], [point.high - middle]], linestyle="none",
        marker=look.marker, color=look.colour, markerfacecolor="white", markeredgewidth=0.9, elinewidth=0.8,
        zorder=6,
    )  # fmt: skip


def _marked(x: Floats, place: int, x_scale: str) -> NDArray[np.int64]:
    """Return the indices of points with markers: all if few, else two per decade, staggered by line."""
    if x.size <= 12:
        return np.arange(x.size)
    at = np.log10(x) if x_scale == "log" else x
    step = 0.5 if x_scale == "log" else (at[-1] - at[0]) / 8.0
    targets = np.arange(min(at[0] + 0.2 * place * step, at[-1]), at[-1] + 0.1 * step, step)
    return np.unique(np.clip(np.searchsorted(at, targets), 0, x.size - 1))


def _span(xs: Sequence[Floats], x_scale: str) -> tuple[float, float]:
    """Return a non-empty range that contains all lines."""
    low, high = min(float(x.min()) for x in xs), max(float(x.max()) for x in xs)
    if x_scale == "log":
        return (low / 1.06, high * 1.06) if low < high else (low / 2.0, high * 2.0)
    margin = 0.03 * (high - low) or 0.5
    return low - margin, high + margin


def _extent(plot: Plot) -> tuple[float, float]:
    """Return the least and greatest value of a panel that must be visible."""
    parts = [line.y for line in plot.lines]
    parts += [line.band.ravel() for line in plot.lines if line.band is not None]
    parts += [np.array([point.low, point.high]) for point in plot.known]
    parts += [np.array([value]) for _, value in plot.levels]
    if plot.optimum is not None:
        parts.append(np.array([plot.optimum]))
    values = np.concatenate(parts)
    values = values[np.isfinite(values)]
    return (float(values.min()), float(values.max())) if values.size else (0.0, 1.0)


def common_x(plots: Sequence[Plot], x_scale: str) -> tuple[float, float]:
    """Return the range of x that contains the lines of all panels."""
    return _span([line.x for plot in plots for line in plot.lines], x_scale)


def common_y(plots: Sequence[Plot], kind: str | None) -> tuple[float, float]:
    """Return the range of y with everything that must be visible in any of the panels."""
    extents = [_extent(plot) for plot in plots]
    bottom, top = min(low for low, _ in extents), max(high for _, high in extents)
    wide = kind or ("log" if bottom > 0.0 and top > 3.0 * bottom else "linear")
    return _padded(bottom, top, wide)


def is_wide(plot: Plot) -> bool:
    """Return whether the values of a panel need a logarithmic axis."""
    bottom, top = plot.y or _extent(plot)
    return bottom > 0.0 and top > 3.0 * bottom


def _padded(bottom: float, top: float, kind: str) -> tuple[float, float]:
    if kind == "log" and top > 0.0:
        bottom = bottom if bottom > 0.0 else top * 1e-4
        margin = (top / bottom) ** 0.05 if bottom < top else 1.1
        return bottom / margin, top * margin
    margin = 0.05 * (top - bottom) or 0.05 * abs(top) or 1.0
    return bottom - margin if bottom < 0.0 else max(0.0, bottom - margin), top + margin


def scale_x(ax: Axes, low: float, high: float, x_scale: str, places: Floats) -> None:
    """Set range, ticks and tick labels of an x axis; matplotlib's own labels of powers are formulas.

    Where all places are powers of two, such as the dimensions of a paper, so are the ticks.
    """
    ax.set_xscale(x_scale)
    ax.set_xlim(low, high)
    if x_scale == "log" and high < 1e5 and (np.log2(places) % 1.0 == 0.0).all():
        ax.xaxis.set_major_locator(LogLocator(base=2.0 if high < 30.0 * low else 4.0))
        ax.xaxis.set_major_formatter(FuncFormatter(lambda value, _: f"{value:g}"))
        ax.xaxis.set_minor_locator(NullLocator())
    elif x_scale == "log":
        ax.xaxis.set_major_locator(_places(low, high))
        ax.xaxis.set_major_formatter(FuncFormatter(number_format(low, high, 30.0)))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.tick_params(axis="x", which="minor", labelbottom=False)  # empty labels cost time
    else:
        ax.xaxis.set_major_locator(MaxNLocator(4, steps=[1, 2, 5, 10]))
        ax.xaxis.set_major_formatter(FuncFormatter(number_format(low, high, math.inf)))


def _places(low: float, high: float) -> Locator:
    """Return the ticks of a logarithmic x axis: powers of ten, or a few numbers between them."""
    if math.floor(math.log10(high) + 1e-9) > math.ceil(math.log10(low) - 1e-9) and high > 30.0 * low:
        return LogLocator(subs=(1.0,), numticks=8)  # at least two are visible
    decade = 10.0 ** math.floor(math.log10(low))
    if sum(low <= decade * step <= high for step in (1.0, 2.0, 5.0, 10.0, 20.0)) > 1:
        return LogLocator(subs=(1.0, 2.0, 5.0), numticks=8)
    return MaxNLocator(3, steps=[1, 2, 2.5, 5, 10])  # LogLocator alone would crowd a narrow range


def _scale_y(ax: Axes, bottom: float, top: float, kind: str, ends: Sequence[float]) -> None:
    if kind == "log" and bottom > 0.0:
        ax.set_yscale("log")
        subs = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if top < 8.0 * bottom else (1.0, 2.0, 3.0, 5.0)
        whole = LogLocator(subs=subs if top < 300.0 * bottom else (1.0,), numticks=12)
        few = [MaxNLocator(count, steps=[1, 2, 5, 10]) for count in (5, 7, 9)]
        locator = _telling(few, bottom, top, ends, np.log) if top < 3.0 * bottom else whole
        ax.yaxis.set_major_locator(locator)
        ax.yaxis.set_minor_locator(NullLocator())
    else:
        few = [MaxNLocator(count, steps=[1, 2, 5, 10]) for count in (7, 9)]
        ax.yaxis.set_major_locator(_telling(few, bottom, top, ends, np.asarray))
    wide = 1000.0 if kind == "log" and (bottom < 0.01 or top > 200.0) else math.inf
    ax.yaxis.set_major_formatter(FuncFormatter(number_format(bottom, top, wide)))
    ax.set_ylim(bottom, top)


def _telling(
    few: Sequence[Locator], bottom: float, top: float, ends: Sequence[float], height: Callable[..., Floats]
) -> Locator:
    """Return the first locator with a tick near the ends of the curves, which are compared, or the first.

    ``height`` returns heights in the panel, but for scale and origin.
    """
    seen = [end for end in ends if bottom < end < top]
    for locator in few if seen else ():
        ticks = np.asarray(locator.tick_values(bottom, top))
        ticks = ticks[(ticks > bottom) & (ticks < top)]
        near = _NEAR * (height(top) - height(bottom))
        if ticks.size and np.abs(height(ticks) - height(float(np.median(seen)))).min() <= near:
            return locator
    return few[0]


def number_format(low: float, high: float, wide: float) -> Callable[[float, int | None], str]:
    """Return the formatter of an axis: all numbers as powers of ten, or none.

    Powers are used if the range spans a factor of ``wide``, or if plain numbers would have many zeros.
    """
    size = max(abs(low), abs(high))
    powers = high > wide * low > 0.0 or not 1e-3 <= size < 1e5 or 0.0 < low < 1e-4
    return power_of_ten if powers else lambda value, _: f"{value:g}"
