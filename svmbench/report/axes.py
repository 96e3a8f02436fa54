"""Ranges, scales and tick labels of axes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.axes import Axes
from matplotlib.ticker import FuncFormatter, LogLocator, MaxNLocator, NullFormatter, NullLocator
from numpy.typing import NDArray

from svmbench.report.labels import power_of_ten

Floats = NDArray[np.float64]


def span(xs: Sequence[Floats], x_scale: str) -> tuple[float, float]:
    """Return the range that holds all lines, and is not empty."""
    low, high = min(float(x.min()) for x in xs), max(float(x.max()) for x in xs)
    if x_scale == "log":
        return (low / 1.06, high * 1.06) if low < high else (low / 2.0, high * 2.0)
    margin = 0.03 * (high - low) or 0.5
    return low - margin, high + margin


def is_wide(bottom: float, top: float) -> bool:
    """Tell whether a range needs a logarithmic axis."""
    return bottom > 0.0 and top > 3.0 * bottom


def padded(bottom: float, top: float, kind: str) -> tuple[float, float]:
    """Return a range with room at both ends."""
    if kind == "log" and top > 0.0:
        bottom = bottom if bottom > 0.0 else top * 1e-4
        margin = (top / bottom) ** 0.05 if bottom < top else 1.1
        return bottom / margin, top * margin
    margin = 0.05 * (top - bottom) or 0.05 * abs(top) or 1.0
    return bottom - margin if bottom < 0.0 else max(0.0, bottom - margin), top + margin


def scale_x(ax: Axes, low: float, high: float, x_scale: str) -> None:
    """Set scale, range and ticks of the x axis."""
    ax.set_xscale(x_scale)
    ax.set_xlim(low, high)
    if x_scale == "log":
        subs = (1.0, 2.0, 5.0) if high < 60.0 * low else (1.0,)
        ax.xaxis.set_major_locator(LogLocator(subs=subs, numticks=8))
        ax.xaxis.set_major_formatter(FuncFormatter(_tick))
        ax.xaxis.set_minor_formatter(NullFormatter())
        ax.tick_params(axis="x", which="minor", labelbottom=False)  # empty labels take time


def scale_y(ax: Axes, bottom: float, top: float, kind: str) -> None:
    """Set scale, range and ticks of the y axis."""
    if kind == "log" and bottom > 0.0:
        ax.set_yscale("log")
        subs = (1.0, 1.5, 2.0, 3.0, 5.0, 7.0) if top < 8.0 * bottom else (1.0, 2.0, 3.0, 5.0)
        ax.yaxis.set_major_locator(LogLocator(subs=subs if top < 300.0 * bottom else (1.0,), numticks=12))
        ax.yaxis.set_minor_locator(NullLocator())
    else:
        ax.yaxis.set_major_locator(MaxNLocator(7, steps=[1, 2, 5, 10]))
    ax.yaxis.set_major_formatter(FuncFormatter(_tick))
    ax.set_ylim(bottom, top)


def _tick(value: float, _: object) -> str:
    """Return a number of an axis: plain, or as a power of ten where it would have many digits."""
    few = value <= 0.0 or 1e-3 <= value < 1e4
    return f"{value:g}" if few else power_of_ten(value)
