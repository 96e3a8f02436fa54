"""Timing on a machine that others use as well: every value is kept, and summed up where it is read."""

from __future__ import annotations

import os
import statistics
import time
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

#: A value takes at least so many seconds, as many calls as that needs, so that the clock's steps do not show.
LEAST_SECONDS = 0.005


@dataclass(frozen=True)
class Timings:
    """The times of one thing, measured again and again.

    Attributes
    ----------
    values : tuple of float
        Seconds of one call, each the mean of `calls` calls in a row.
    calls : int
        Calls behind each value.
    warm_up : tuple of float
        Seconds of the calls before, which warmed the caches and found `calls`; they count for nothing.
    clock : str
        ``wall`` or ``cpu``.
    begun : str
        When the first value began, in UTC.
    load : float
        One-minute load average of the machine then.
    """

    values: tuple[float, ...]
    calls: int
    warm_up: tuple[float, ...]
    clock: str
    begun: str
    load: float

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Timings:
        """Return the timings that ``dataclasses.asdict`` gave, read from JSON."""
        return cls(**{**stored, "values": tuple(stored["values"]), "warm_up": tuple(stored["warm_up"])})

    @property
    def median(self) -> float:
        """The median of the values, in seconds."""
        return statistics.median(self.values)

    @property
    def least(self) -> float:
        """The shortest value, in seconds: that which was disturbed least."""
        return min(self.values)

    @property
    def spread(self) -> float:
        """Half the interquartile range as a part of the median; 0 of fewer than four values."""
        if len(self.values) < 4:
            return 0.0
        low, _, high = statistics.quantiles(self.values, n=4)
        return (high - low) / 2 / self.median


def repeat(work: Callable[[], object], budget: float, least: int = 3) -> Timings:
    """Time repeated calls by the wall clock.

    Parameters
    ----------
    work : callable
        What to time.
    budget : float
        Seconds after which no further value is begun.
    least : int
        Values that are taken in any case.
    """
    now = time.perf_counter
    warm_up, calls = [_mean(work, 1)], 1
    while budget > 0.0 and (spent := _mean(work, calls)) * calls < LEAST_SECONDS:
        warm_up.append(spent)
        calls *= 2
    begun, load = stamp(), os.getloadavg()[0]
    begin = now()
    values: list[float] = []
    while len(values) < least or now() - begin < budget:
        values.append(_mean(work, calls))
    return Timings(tuple(values), calls, tuple(warm_up), "wall", begun, load)


def stamp() -> str:
    """Return the time now, in UTC."""
    return time.strftime("%Y-%m-%dT%H:%M:%SZ", time.gmtime())


def _mean(work: Callable[[], object], calls: int) -> float:
    """Return the seconds of one call, the mean of some in a row."""
    start = time.perf_counter()
    for _ in range(calls):
        work()
    return (time.perf_counter() - start) / calls
