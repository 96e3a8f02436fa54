"""Heat maps of the last value of a metric over two keys of the configuration."""

from __future__ import annotations

import textwrap
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.colors import LogNorm, Normalize
from matplotlib.patches import Rectangle
from matplotlib.ticker import FuncFormatter, LogLocator, NullFormatter
from numpy.typing import NDArray

from svmbench.errors import UserError
from svmbench.figures.bounds import problem_of, references
from svmbench.figures.panel import number_format
from svmbench.figures.selection import check_axes, in_order, nothing_to_draw
from svmbench.figures.series import CERTIFIED, METRICS, Floats, last_value
from svmbench.figures.settings import name_of, setting, shared, written
from svmbench.figures.style import Picture
from svmbench.store import StoredRun

#: Most cells in one direction. With more, their numbers would be illegible.
MOST = 16
#: Metrics without a best value.
_NONE_BEST = ("support_vectors", "norm", "mean_hinge")

#: Fewest values among which outliers are sought.
_FENCED = 8
#: Name of a colour bar's extension, by whether values lie below and above its range.
_BEYOND = {
    (False, False): "neither",
    (True, False): "min",
    (False, True): "max",
    (True, True): "both",
}

_LETTERS = 14  # characters of a tick label per inch
_COST = "iterations"  # any counter would do: only the last checkpoint is used

#: An axis is logarithmic if, between the logarithms of its values, the largest step is at most this many
#: times the smallest. This admits decades with some half decades between them.
_EVEN = 2.1


@dataclass(frozen=True)
class Cells:
    """The values of a key along an axis.

    Attributes
    ----------
    values : sequence
        The values in order.
    edges : ndarray of float64, shape (K + 1,)
        The edges of their cells, in the units of the axis.
    log : bool
        Whether the axis is logarithmic; otherwise value k is at k.
    """

    values: Sequence[Any]
    edges: NDArray[np.float64]
    log: bool

    @classmethod
    def of(cls, values: Sequence[Any]) -> Cells:
        """Return one cell per value, with edges midway between neighbouring values."""
        log = _logarithmic(values)
        at = np.log10(values) if log else np.arange(float(len(values)))
        half = 0.5 * (np.diff(at) if at.size > 1 else np.ones(1))
        edges = np.concatenate([[at[0] - half[0]], at[:-1] + half[: at.size - 1], [at[-1] + half[-1]]])
        return cls(values, 10.0**edges if log else edges, log)

    @property
    def places(self) -> list[float]:
        """Positions of the values, in the units of the axis."""
        return [float(value) if self.log else float(place) for place, value in enumerate(self.values)]

    @property
    def room(self) -> float:
        """Length of the axis, in widths of its narrowest cell."""
        edges = np.log(self.edges) if self.log else self.edges
        return float((edges[-1] - edges[0]) / np.diff(edges).min())

    def within(self, cell: int, part: float = 0.5) -> float:
        """Return the position at a fraction of a cell's width, in the units of the axis."""
        low, high = (float(edge) for edge in self.edges[cell : cell + 2])
        return low ** (1.0 - part) * high**part if self.log else (1.0 - part) * low + part * high


def _logarithmic(values: Sequence[Any]) -> bool:
    """Return whether the logarithms of the values are nearly evenly spaced, more evenly than the values."""
    if not all(type(value) in (int, float) and value > 0.0 for value in values) or len(values) < 2:
        return False
    if len(values) == 2:
        return bool(values[1] >= 10.0 * values[0])
    uneven, plain = (float(steps.max() / steps.min()) for steps in (np.diff(np.log(values)), np.diff(values)))
    return uneven <= _EVEN and uneven < plain


@dataclass(frozen=True)
class _Map:
    """One panel: the median over seeds for each cell, NaN if there is no run."""

    title: str
    settings: str
    columns: Cells
    rows: Cells
    values: Floats


def make_heat(
    runs: Sequence[StoredRun],
    metric: str,
    keys: tuple[str, str],
    panels_by: Sequence[str],
    title: str | None,
    width: float | None,
) -> tuple[Picture, str, list[tuple[str, str]]]:
    """Draw the last value of a metric, the median over seeds; see `request.make`.

    Parameters
    ----------
    keys : (str, str)
        Keys of the horizontal and the vertical axis.
    panels_by : sequence of str
        Keys; each combination of their values gets a panel. Default: data set and solver.
    """
    check_axes(_COST, metric)
    panels_by = tuple(panels_by) or tuple(key for key in ("dataset", "solver") if key not in keys)
    groups: dict[tuple[Any, ...], dict[tuple[Any, Any], dict[int, tuple[float, StoredRun]]]] = {}
    left_out = []
    known = references(runs) if metric in CERTIFIED else {}
    for run in runs:
        value = last_value(run, _COST, metric, known.get(problem_of(run)))
        if isinstance(value, str):
            left_out.append((run.id, value))
            continue
        panel = tuple((key, setting(run, key)) for key in panels_by)
        place = (setting(run, keys[0]), setting(run, keys[1]))
        seeds = groups.setdefault(panel, {}).setdefault(place, {})
        if run.seed in seeds:
            other = seeds[run.seed][1]
            raise UserError(
                f"{run.id} and {other.id} would be one cell: they agree in {keys[0]}, {keys[1]} and seed; "
                "name fewer runs, or tell them apart by --panels-by KEY"
            )
        seeds[run.seed] = (value, run)
    if not groups:
        raise nothing_to_draw(left_out)
    maps = [
        _map(panel, cells, (*keys, *panels_by))
        for panel, cells in sorted(groups.items(), key=lambda entry: [in_order(v) for _, v in entry[0]])
    ]
    caption = _caption(maps, metric, keys, title, left_out)
    return _draw(maps, metric, keys, title, width), caption, left_out


def _map(
    panel: tuple[tuple[str, Any], ...],
    cells: Mapping[tuple[Any, Any], Mapping[int, tuple[float, StoredRun]]],
    told: Sequence[str],
) -> _Map:
    columns, rows = (sorted({place[k] for place in cells}, key=in_order) for k in (0, 1))
    title = ", ".join(written(key, value) for key, value in panel)
    if max(len(columns), len(rows)) > MOST:
        raise UserError(
            f"the map of {title} has {len(columns)} by {len(rows)} cells, at most {MOST} in a direction can "
            "be read: name fewer runs"
        )
    values = np.full((len(rows), len(columns)), np.nan)
    for (column, row), seeds in cells.items():
        values[rows.index(row), columns.index(column)] = np.median([value for value, _ in seeds.values()])
    runs = [run for seeds in cells.values() for _, run in seeds.values()]
    return _Map(title, shared(runs, told), Cells.of(columns), Cells.of(rows), values)


def _draw(
    maps: Sequence[_Map], metric: str, keys: tuple[str, str], title: str | None, width: float | None
) -> Picture:
    columns = min(len(maps), 3 if width is None or width > 5.0 else 1)
    lines = -(-len(maps) // columns)
    most = max(one.columns.room for one in maps)
    wide = (width or columns * max(2.4, 0.45 * most + 0.9) + 0.8) / columns
    tall = max(0.9 + 0.33 * max(one.rows.room for one in maps), 2.0)
    figure = Picture(figsize=(wide * columns, tall * lines + (0.5 if title else 0.2)))
    figure.set_layout_engine("constrained")
    axes = figure.subplots(lines, columns, squeeze=False)
    known = np.concatenate([one.values[np.isfinite(one.values)] for one in maps])
    low, high, beyond = colour_range(known)
    scale = LogNorm(low, high) if low > 0.0 and high > 10.0 * low else Normalize(low, high)
    shades = ScalarMappable(scale, "viridis")
    size = min(8.0, 11.0 * wide / max(most, 4))
    for place, ax in enumerate(axes.flat):
        if place >= len(maps):
            ax.remove()
            continue
        _panel(ax, maps[place], scale, metric, size, wide - 1.2)
        ax.set(xlabel=name_of(keys[0]), ylabel=name_of(keys[1]))
    bar = figure.colorbar(
        shades, ax=list(axes.flat)[: len(maps)], label=METRICS[metric][0], pad=0.02, extend=beyond
    )
    if isinstance(scale, LogNorm):
        bar.ax.yaxis.set_major_locator(LogLocator(subs=(1.0, 2.0, 5.0)))
        bar.ax.yaxis.set_minor_formatter(NullFormatter())
    bar.ax.yaxis.set_major_formatter(FuncFormatter(number_format(low, high, 1e3)))
    if title:
        figure.suptitle(textwrap.fill(title, int(12 * figure.get_figwidth())), fontsize=11)
    return figure


def colour_range(values: Floats) -> tuple[float, float, str]:
    """Return the range of the colours, and the ends of the colour bar at which values lie beyond it.

    Outliers would leave a single shade for all other values, so the range excludes them and they get the
    shade at its end. They lie more than 1.5 interquartile ranges outside the quartiles (Tukey's fences), on a
    logarithmic scale if the values span more than a factor of ten.
    """
    least, greatest = float(values.min()), float(values.max())
    if values.size < _FENCED:
        return least, greatest, "neither"
    log = least > 0.0 and greatest > 10.0 * least
    compared = np.log(values) if log else values
    first, third = np.percentile(compared, (25.0, 75.0))
    fence = 1.5 * (third - first)
    within = values[(compared >= first - fence) & (compared <= third + fence)]
    low, high = float(within.min()), float(within.max())
    if not low < high:
        return least, greatest, "neither"
    return low, high, _BEYOND[least < low, greatest > high]


def _panel(ax: Axes, one: _Map, scale: Normalize, metric: str, size: float, wide: float) -> None:
    """Draw a map of the given width in inches: values in its cells, and a frame around the best one."""
    shades = ScalarMappable(scale, "viridis")
    if one.columns.log:
        ax.set_xscale("log")
    if one.rows.log:
        ax.set_yscale("log")
    ax.pcolormesh(one.columns.edges, one.rows.edges, one.values, norm=scale, cmap=shades.cmap)
    best = None if metric in _NONE_BEST else np.nanmin(one.values)
    for row, column in np.ndindex(one.values.shape):
        value, middle = one.values[row, column], (one.columns.within(column), one.rows.within(row))
        if not np.isfinite(value):
            ax.text(*middle, "–", ha="center", va="center", color="0.4", fontsize=size)
            continue
        red, green, blue, _ = shades.to_rgba(value)
        dark = 0.3 * red + 0.6 * green + 0.1 * blue < 0.5
        ax.text(
            *middle, f"{value:.3g}", ha="center", va="center", color="white" if dark else "black",
            fontsize=size, fontweight="bold" if value == best else "normal",
        )  # fmt: skip
        if value == best:
            ax.add_patch(_frame(one, column, row))
    ax.set_xticks(one.columns.places, columns := _ticks(one.columns.values))
    ax.set_yticks(one.rows.places, _ticks(one.rows.values))
    for axis in (ax.xaxis, ax.yaxis):
        axis.set_ticks([], minor=True)
    ax.tick_params(length=0, labelsize=8)
    if len(columns) * max(len(text) + 1 for text in columns) > _LETTERS * wide:
        turn = {"rotation": 45, "ha": "right", "rotation_mode": "anchor"}
        for label in ax.get_xticklabels():
            label.set(**(turn if wide > 0.3 * len(columns) else {"rotation": 90}))
    ax.set_title(f"{one.title}\n{one.settings}" if one.settings else one.title)


def _frame(one: _Map, column: int, row: int) -> Rectangle:
    left, right = (one.columns.within(column, part) for part in (0.03, 0.97))
    low, high = (one.rows.within(row, part) for part in (0.05, 0.95))
    return Rectangle((left, low), right - left, high - low, fill=False, edgecolor="#D55E00", linewidth=2.0)


def _ticks(values: Sequence[Any]) -> list[str]:
    """Return the values as text, with numbers rounded to three digits if they remain distinct."""
    short, long = ([_tick(value, digits) for value in values] for digits in (3, 6))
    return short if len(set(short)) == len(values) else long


def _tick(value: Any, digits: int) -> str:
    if isinstance(value, bool) or not isinstance(value, int | float):
        return str(value)
    return f"{value:.{digits}g}" if abs(value) < 1000.0 else f"{value:g}"


def _caption(
    maps: Sequence[_Map],
    metric: str,
    keys: tuple[str, str],
    title: str | None,
    left_out: Sequence[tuple[str, str]],
) -> str:
    name = METRICS[metric][0]
    text = (
        f"{name[0].upper()}{name[1:]} at the last checkpoint, over {keys[0]} and {keys[1]}: the median over "
        f"seeds. {'' if metric in _NONE_BEST else 'A frame marks the least value of a map. '}"
        "A dash means no run. An axis is logarithmic if its values have nearly equal ratios."
    )
    paragraphs = "\n\n".join(textwrap.fill(part, 100) for part in (title, text) if part)
    shown = "\n".join(f"  {one.title}: {np.isfinite(one.values).sum()} cells" for one in maps)
    missing = "\n".join(f"  {run}: {reason}" for run, reason in left_out) or "  none"
    return f"{paragraphs}\n\nMaps:\n{shown}\n\nRuns left out:\n{missing}\n"
