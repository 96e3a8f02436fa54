"""Numbers with uncertainty: a value, and its repetitions with other seeds and tests.

Every estimate is an array with the estimate itself as first entry, followed by `RESAMPLES` repetitions, made
by drawing seeds with replacement (the bootstrap). Elementwise arithmetic on such arrays propagates the
uncertainty. The draws depend on the seeds only, so that two curves with the same seeds are resampled together
(paired), and verdicts are reproducible.

Some numbers are known only up to bounds. A run is observed at checkpoints, so the cost at which it reaches a
level lies between two checkpoints; if the run ended before, the cost is censored: it lies above that of the
last checkpoint. `Rows` propagates such bounds.

B. Efron, R. Tibshirani: An Introduction to the Bootstrap, 1993, chapters 6, 8 and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Repetitions in addition to the estimate.
RESAMPLES = 1000
#: Seed of the generator of all draws.
SEED = 20120626
#: Coverage of intervals.
LEVEL = 0.95

REPRODUCED = "reproduced"
HOLDS = "holds by construction"
DEVIATES = "deviates"
INCONCLUSIVE = "inconclusive"
NOT_ATTEMPTED = "not attempted"
#: All verdicts, in the order of pages.
VERDICTS = (REPRODUCED, HOLDS, DEVIATES, INCONCLUSIVE, NOT_ATTEMPTED)


class NotAttempted(Exception):
    """Nothing can be said; the message says why."""


def repeated(values: Floats, seeds: Sequence[int]) -> Floats:
    """Return the median over seeds, and over each resample of them.

    Parameters
    ----------
    values : ndarray of float64, shape (S, ...)
        One row per seed; may be infinite.
    seeds : sequence of int
        The S seeds; the same seeds give the same draws.

    Returns
    -------
    ndarray of float64, shape (1 + RESAMPLES, ...)
    """
    generator = np.random.default_rng([SEED, *seeds])
    drawn = generator.integers(len(seeds), size=(RESAMPLES, len(seeds)))
    index = np.vstack([np.arange(len(seeds)), drawn])
    return np.asarray(np.median(values[index], axis=1))


def with_noise(rows: Floats, deviation: float, *salt: int) -> Floats:
    """Return an estimate with independent normal errors added to its repetitions."""
    if deviation == 0.0:
        return rows
    generator = np.random.default_rng([SEED, 1, *salt])
    return np.concatenate([rows[:1], rows[1:] + deviation * generator.standard_normal(RESAMPLES)])


def binomial_error(percent: float, tests: int) -> float:
    """Return the standard error, in points, of a test error in percent on this number of examples."""
    share = min(max(percent / 100.0, 1.0 / (tests + 2.0)), 1.0 - 1.0 / (tests + 2.0))
    return 100.0 * float(np.sqrt(share * (1.0 - share) / tests))


def two_sets_error(percent: float, tests: int) -> float:
    """Return the standard error, in points, of the difference of two such errors on different test sets."""
    return float(np.sqrt(2.0)) * binomial_error(percent, tests)


def discordance_error(points: float, tests: int) -> float:
    """Return the least standard error, in points, of the difference of two errors on the same test examples.

    The two predictors disagree on at least as many examples as the difference of their numbers of errors; no
    more is known unless the misclassified examples are stored (McNemar 1947).
    """
    return 100.0 * float(np.sqrt(max(abs(points) / 100.0, 1.0 / tests) / tests))


def paired_error(one: Sequence[NDArray[np.bool_]], other: Sequence[NDArray[np.bool_]]) -> float:
    """Return the standard error, in points, of the difference of two errors on the same test examples.

    Parameters
    ----------
    one, other : sequence of ndarray of bool, shape (tests,)
        Misclassified examples, one array per seed. The mean variance over all pairs of a seed of one and a
        seed of the other is used.
    """
    variances = [float(np.var(a.astype(float) - b)) / a.size for a in one for b in other]
    return 100.0 * float(np.sqrt(np.mean(variances)))


@dataclass(frozen=True)
class Rows:
    """A number with its repetitions, and the bounds between which it lies.

    Attributes
    ----------
    at, low, high : ndarray of float64, shape (1 + RESAMPLES, ...)
        The observed number, and its lower and upper bound. If a cost was not reached, the first and the last
        are infinite, and the second is what was spent.
    """

    at: Floats
    low: Floats
    high: Floats

    @classmethod
    def of(cls, rows: Floats) -> Rows:
        """Return a number that is known exactly."""
        return cls(rows, rows, rows)

    @classmethod
    def hull(cls, one: Floats, other: Floats) -> Rows:
        """Return a number between two others, observed at the second."""
        return cls(other, np.minimum(one, other), np.maximum(one, other))

    def each(self, change: Callable[[Floats], Floats]) -> Rows:
        """Return an increasing function of the number."""
        if self.low is self.at and self.high is self.at:
            return Rows.of(change(self.at))
        return Rows(change(self.at), change(self.low), change(self.high))

    def scaled(self, factor: float, plus: float) -> Rows:
        """Return the number times a factor, plus a constant."""
        made = self.each(lambda rows: factor * rows + plus)
        return made if factor >= 0.0 else Rows(made.at, made.high, made.low)

    def over(self, other: Rows) -> Rows:
        """Return the quotient of two numbers, which must not be negative if they have bounds.

        A quotient with a cost that was not reached has only bounds.
        """
        with np.errstate(divide="ignore", invalid="ignore"):
            at = np.where(np.isinf(other.at), np.nan, self.at / other.at)
            return Rows(at, self.low / other.high, self.high / other.low)

    def less(self, other: Rows) -> Rows:
        """Return the difference of two numbers."""
        with np.errstate(invalid="ignore"):
            return Rows(self.at - other.at, self.low - other.high, self.high - other.low)

    def noisy(self, deviation: float, *salt: int) -> Rows:
        """Return the number with independent normal errors, see `with_noise`."""
        return self.each(lambda rows: with_noise(rows, deviation, *salt))


@dataclass(frozen=True)
class Estimate:
    """A number, its interval and its unit.

    Attributes
    ----------
    value, low, high : float
        Interval ends may be infinite; the value is NaN if unknown.
    unit : str
        Such as ``points``; empty for a ratio or a pure number.
    bound : {"", "<", ">"}
        Whether the value is only an upper or a lower bound, because a run ended too early.
    """

    value: float
    low: float
    high: float
    unit: str = ""
    bound: str = ""

    @classmethod
    def of(cls, rows: Rows, unit: str = "") -> Estimate:
        """Return the estimate of a number and its repetitions, shape (1 + RESAMPLES,)."""
        value, least, most = (float(part[0]) for part in (rows.at, rows.low, rows.high))
        if np.isnan(least) or np.isnan(most):
            raise NotAttempted("the two cannot be compared: both are 0")
        # Quantiles without interpolation, since repetitions may be infinite.
        low, high = (
            float(np.quantile(part[~np.isnan(part)], end, method="nearest"))
            for part, end in ((rows.low[1:], (1.0 - LEVEL) / 2.0), (rows.high[1:], (1.0 + LEVEL) / 2.0))
        )
        low, high = min(low, least), max(high, most)
        if np.isfinite(value):
            return cls(value, low, high, unit)
        if np.isfinite(most):
            return cls(most, low, high, unit, "<")
        return cls(least, low, high, unit, ">") if least > 0.0 else cls(np.nan, low, high, unit)

    def decide(self, least: float, most: float) -> str:
        """Return the verdict, by whether the interval lies in the range from ``least`` to ``most``."""
        if least <= self.low and self.high <= most:
            return REPRODUCED
        return DEVIATES if self.high < least or self.low > most else INCONCLUSIVE

    @property
    def shown(self) -> str:
        """The number alone, such as ``1.23`` or ``< 0.2``."""
        return f"{self.bound} {short(self.value)}".strip()

    def text(self) -> str:
        """Return the number with its interval, such as ``1.23 (1.10 to 1.40) points``."""
        low, high = short(self.low), short(self.high)
        spread = "" if low == high == self.shown else f" ({low} to {high})"
        return f"{self.shown}{spread}{' ' + self.unit if self.unit else ''}"


def short(value: float) -> str:
    """Format a number with three digits, such as ``0.842``, ``12.3`` or ``4.5e+08``."""
    if np.isnan(value):
        return "unknown"
    if np.isinf(value):
        return "unbounded" if value > 0 else "-inf"
    if value == 0.0:
        return "0"
    return f"{value:.3g}" if 1e-3 <= abs(value) < 1e5 else f"{value:.2e}"


def log_slope(x: Floats, rows: Rows) -> Rows:
    """Return the least-squares slope of log y against log x for each repetition.

    Parameters
    ----------
    x : ndarray of float64, shape (K,)
        Positive, at least two distinct.
    rows : Rows
        y, shape (1 + RESAMPLES, K). Points that are not positive are left out of their repetition. Points
        that were not reached make the bounds of the slope infinite.

    Returns
    -------
    Rows
        Shape (1 + RESAMPLES,).
    """
    if np.unique(x).size < 2:
        raise NotAttempted("a slope needs two different places")
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v, low, high = (np.log(part) for part in (x[None, :], rows.at, rows.low, rows.high))
    known = ~np.isnan(v) & (v > -np.inf)
    count = known.sum(axis=1, keepdims=True)
    if count[0, 0] < 2:
        raise NotAttempted("fewer than two positive numbers are known")
    weight = known / np.maximum(count, 1)
    centred = np.where(known, u - (weight * u).sum(axis=1, keepdims=True), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        parts = centred / (centred**2).sum(axis=1, keepdims=True)
        at, least, most = (
            np.where(parts == 0.0, 0.0, parts * y).sum(axis=1)
            for y in (v, np.where(parts > 0.0, low, high), np.where(parts > 0.0, high, low))
        )
    return Rows(at, least, most)
