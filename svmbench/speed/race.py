"""What was measured of a baseline and of our solver: every fit, and medians made when they are read."""

from __future__ import annotations

import dataclasses
import math
import statistics
from collections.abc import Sequence
from typing import Any

HEADER = ("job", "baseline", "reached", "baseline s", "ours", "ours s", "ratio", "test errors", "load")


@dataclasses.dataclass(frozen=True)
class Fit:
    """One fit, or one call where scores are timed.

    Attributes
    ----------
    turn : int
        Which of the turns it was; with our solver also the seed. -1 before the first.
    iterations : int or None
        Where the goal was reached; None where it was not.
    cpu_seconds, wall_seconds : float or None
        Of training to the goal; None where it was not reached.
    test_error : float or None
        There, a fraction.
    begun : str
        When the process of the fit was started, in UTC.
    load : float
        One-minute load average of the machine then.
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
    """One baseline against our solver: every fit of both; medians are made of them when they are asked for.

    Attributes
    ----------
    job, baseline, ours : str
        Their names.
    release : str
        Versions of the baseline's adapter and program.
    goal : str
        What both reached, in words.
    baseline_fits, our_fits : tuple of Fit
        Of each turn.
    warm_ups : tuple of Fit
        What was run before and counts for nothing: with fits, those of ours that found the iteration at which
        the goal is reached; with scores, the first call of both.
    """

    job: str
    baseline: str
    release: str
    ours: str
    goal: str
    baseline_fits: tuple[Fit, ...]
    our_fits: tuple[Fit, ...]
    warm_ups: tuple[Fit, ...]

    @classmethod
    def from_dict(cls, stored: dict[str, Any]) -> Race:
        """Return the race that ``dataclasses.asdict`` gave, read from JSON."""
        fits = {
            key: tuple(Fit(**fit) for fit in stored[key]) for key in ("baseline_fits", "our_fits", "warm_ups")
        }
        return cls(**{**stored, **fits})

    @property
    def baseline_seconds(self) -> float | None:
        """Median CPU time of the baseline to the goal; a fit that does not reach it counts as infinite."""
        return _median(self.baseline_fits, "cpu_seconds")

    @property
    def our_seconds(self) -> float | None:
        """The same of ours."""
        return _median(self.our_fits, "cpu_seconds")

    @property
    def baseline_error(self) -> float | None:
        """Median test error of the baseline at the goal, a fraction."""
        return _median(self.baseline_fits, "test_error")

    @property
    def our_error(self) -> float | None:
        """The same of ours."""
        return _median(self.our_fits, "test_error")

    @property
    def ratio(self) -> float | None:
        """How many times as long the baseline takes."""
        if self.baseline_seconds is None or self.our_seconds is None:
            return None
        return self.baseline_seconds / max(self.our_seconds, 1e-9)

    @property
    def load(self) -> float:
        """Greatest load of the machine at the start of a fit."""
        return max(fit.load for fit in (*self.baseline_fits, *self.our_fits))

    def line(self) -> tuple[object, ...]:
        """Return the cells of `HEADER`."""
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
