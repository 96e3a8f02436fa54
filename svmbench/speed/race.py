"""Measurements of a baseline and our solver: all fits, with medians computed on access."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence

HEADER = ("job", "baseline", "reached", "baseline s", "ours", "ours s", "ratio", "test errors", "load")


@dataclasses.dataclass(frozen=True)
class Fit:
    """One fit or, if scoring is timed, one call.

    Attributes
    ----------
    turn : int
        Number of the turn, which is also the seed of our solver; -1 for a warm-up call.
    iterations : int or None
        Iteration at which the goal was reached; None if it was not.
    cpu_seconds, wall_seconds : float or None
        Training time to the goal; None if it was not reached.
    test_error : float or None
        Test error when the goal was reached, a fraction.
    begun : str
        Start of the process, in UTC.
    load : float
        One-minute load average of the machine at that time.
    """

    turn: int
    iterations: int | None
    cpu_seconds: float | None
    wall_seconds: float | None
    test_error: float | None
    begun: str
    load: float


@dataclasses.dataclass(frozen=True)
class Race:
    """All fits of one baseline and of our solver; medians are computed on access.

    Attributes
    ----------
    job, baseline, ours : str
        Their names.
    release : str
        Versions of the baseline's adapter and program.
    goal : str
        Description of the goal.
    baseline_fits, our_fits : tuple of Fit
        Fits of each turn.
    warm_ups : tuple of Fit
        Fits that do not count: our earlier ones, which determined the iteration that reaches the goal, or the
        first call of each side if scoring is timed.
    """

    job: str
    baseline: str
    release: str
    ours: str
    goal: str
    baseline_fits: tuple[Fit, ...]
    our_fits: tuple[Fit, ...]
    warm_ups: tuple[Fit, ...]

    @property
    def baseline_seconds(self) -> float | None:
        """Median CPU time of the baseline to the goal; a fit that does not reach it counts as infinite."""
        return _median(self.baseline_fits, "cpu_seconds")

    @property
    def our_seconds(self) -> float | None:
        """Median CPU time of our solver to the goal."""
        return _median(self.our_fits, "cpu_seconds")

    @property
    def baseline_error(self) -> float | None:
        """Median test error of the baseline at the goal, a fraction."""
        return _median(self.baseline_fits, "test_error")

    @property
    def our_error(self) -> float | None:
        """Median test error of our solver at the goal, a fraction."""
        return _median(self.our_fits, "test_error")

    @property
    def ratio(self) -> float | None:
        """CPU time of the baseline divided by ours."""
        if self.baseline_seconds is None or self.our_seconds is None:
            return None
        return self.baseline_seconds / max(self.our_seconds, 1e-9)

    @property
    def load(self) -> float:
        """Largest load of the machine at the start of a fit."""
        return max(fit.load for fit in (*self.baseline_fits, *self.our_fits))

    def line(self) -> tuple[object, ...]:
        """Return the cells for `HEADER`."""
        both = (self.baseline_error, self.our_error)
        errors = " / ".join("–" if error is None else f"{100 * error:.2f}" for error in both)
        return (
            *(self.job, self.baseline, self.goal, self.baseline_seconds, self.ours, self.our_seconds),
            *(self.ratio, errors, self.load),
        )


def _median(fits: Sequence[Fit], field: str) -> float | None:
    """Return the median of a field; a fit that does not reach its goal counts as infinite."""
    found = [getattr(fit, field) for fit in fits]
    middle = statistics.median(math.inf if value is None else float(value) for value in found)
    return middle if math.isfinite(middle) else None
