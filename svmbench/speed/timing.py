"""Timing on a shared machine: all single values are stored, and summaries are computed on access."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass

#: Each value times as many calls as take at least this many seconds, so that the clock's resolution does not
#: matter.
LEAST_SECONDS = 0.005


@dataclass(frozen=True)
class Timings:
    """Repeated times of one operation.

    Attributes
    ----------
    values : tuple of float
        Seconds of one call, each the mean of `calls` consecutive calls.
    calls : int
        Calls per value.
    warm_up : tuple of float
        Seconds of earlier calls, which warmed the caches and determined `calls`; they do not count.
    clock : str
        ``wall`` or ``cpu``.
    begun : str
        Start of the first value, in UTC.
    load : float
        One-minute load average of the machine at that time.
    """

    values: tuple[float, ...]
    calls: int
    warm_up: tuple[float, ...]
    clock: str
    begun: str
    load: float

    @property
    def median(self) -> float:
        """The median of the values, in seconds."""
        return statistics.median(self.values)

    @property
    def least(self) -> float:
        """The shortest value in seconds, which was disturbed least."""
        return min(self.values)

    @property
    def spread(self) -> float:
        """Half the interquartile range relative to the median; 0 for fewer than four values."""
        if len(self.values) < 4:
            return 0.0
        low, _, high = statistics.quantiles(self.values, n=4)
        return (high - low) / 2 / self.median


def repeat(work: Callable[[], object], budget: float, least: int = 3) -> Timings:
    """Measure the wall time of repeated calls.

    Parameters
    ----------
    work : callable
        What to time.
    budget : float
        Seconds after which no new value is started.
    least : int
        Least number of values.
    """
    now = time.perf_counter
    warm_up, calls = [_mean(work, 1)], 1
    while budget > 0.0 and (spent := _mean(work, calls)) * calls < LEAST_SECONDS:
        warm_up.append(spent)
        calls *= 2
    begun, load = stamp()
    begin = now()
    values: list[float] = []
    while len(values) < least or now() - begin < budget:
        values.append(_mean(work, calls))
    return Timings(tuple(values), calls, tuple(warm_up), "wall", begun, load)


def stamp() -> tuple[str, float]:
    """Return the current time in UTC, and the one-minute load average of the machine."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime()), os.getloadavg()[0]


def _mean(work: Callable[[], object], calls: int) -> float:
    """Return the mean seconds of one of several consecutive calls."""
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls
