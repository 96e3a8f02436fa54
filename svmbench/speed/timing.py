"""Timing on a machine that others use as well."""

from __future__ import annotations

import time
from collections.abc import Callable


def best_seconds(work: Callable[[], object], budget: float, least: int = 3) -> float:
    """Return the shortest wall time of repeated calls, the one that was disturbed least.

    Parameters
    ----------
    work : callable
        What to time; its first call, which warms the caches, counts as any other.
    budget : float
        Seconds after which no further call is made.
    least : int
        Calls that are made in any case.
    """
    shortest = float("inf")
    calls = 0
    begin = time.perf_counter()
    while calls < least or time.perf_counter() - begin < budget:
        start = time.perf_counter()
        work()
        shortest = min(shortest, time.perf_counter() - start)
        calls += 1
    return shortest
