"""Forecasts of a cost on new data from costs on other data sets, as a power of their rows and columns."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace

import numpy as np

#: Fewest data sets from which a power law with three parameters is fitted.
LEAST = 6

#: Confidence of the interval.
_SURE = 0.8


@dataclass(frozen=True)
class Forecast:
    """A cost on new data.

    Attributes
    ----------
    value, low, high : float
        The prediction and its 80 % interval, in units of the cost.
    sets : int
        Number of data sets in the fit.
    """

    value: float
    low: float
    high: float
    sets: int

    def at_least(self, least: float) -> Forecast:
        """Return the forecast of a cost that is known to be at least this much."""
        low, value, high = (max(least, one) for one in (self.low, self.value, self.high))
        return replace(self, value=value, low=low, high=high)


def forecast(
    shapes: Sequence[tuple[int, int]], costs: Sequence[float], new: tuple[int, int]
) -> Forecast | None:
    """Fit cost = a rows^b columns^c by least squares of logarithms, and predict a cost with an interval.

    Parameters
    ----------
    shapes : sequence of (int, int)
        Rows and columns of the data sets.
    costs : sequence of float
        Positive costs on them.
    new : (int, int)
        Rows and columns of the new data.

    Returns
    -------
    Forecast or None
        None for fewer than `LEAST` data sets, or if their rows or columns do not vary enough to fit a power.
    """
    if len(costs) < LEAST:
        return None
    from scipy.stats import t

    design = np.column_stack([np.ones(len(shapes)), np.log(np.array(shapes, dtype=np.float64))])
    if np.linalg.matrix_rank(design) < design.shape[1]:
        return None
    logs = np.log(np.array(costs))
    found, *_ = np.linalg.lstsq(design, logs, rcond=None)
    free = len(costs) - design.shape[1]
    variance = float(((logs - design @ found) ** 2).sum()) / free
    place = np.array([1.0, *np.log(np.array(new, dtype=np.float64))])
    spread = place @ np.linalg.inv(design.T @ design) @ place
    half = float(t.ppf(0.5 + 0.5 * _SURE, free)) * float(np.sqrt(variance * (1.0 + spread)))
    value = float(place @ found)
    center, low, high = (float(np.exp(value + part)) for part in (0.0, -half, half))
    return Forecast(center, low, high, len(costs))
