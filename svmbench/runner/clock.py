"""Clocks of training, and the time by which training may exceed its limit."""

from __future__ import annotations

import time


class Clock:
    """Wall and CPU time of training: making features and `Run.advance`."""

    def __init__(self, wall: float = 0.0, cpu: float = 0.0) -> None:
        self.wall = wall
        self.cpu = cpu

    def __enter__(self) -> None:
        self._started = time.perf_counter(), time.process_time()

    def __exit__(self, *exception: object) -> None:
        wall, cpu = time.perf_counter(), time.process_time()
        self.wall += wall - self._started[0]
        self.cpu += cpu - self._started[1]


def grace(seconds: float) -> float:
    """Return the seconds by which a fit may exceed a limit before it is ended.

    An iteration of our own solvers, which can be interrupted, has half of it.
    """
    return min(max(2.0, seconds / 10.0), 20.0)
