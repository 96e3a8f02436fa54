"""The time of training: its clocks, and how far it may pass its limit."""

from __future__ import annotations

import time


class Clock:
    """Wall and CPU time of training alone: of making features, and of `Run.advance`."""

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
    """Return the seconds beyond a limit of so many that a fit has, to end by itself with an answer.

    An iteration of a solver of ours, which can be cut, has half of them.
    """
    return min(max(2.0, seconds / 10.0), 20.0)
