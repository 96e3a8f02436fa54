"""Numbers with uncertainty: a value, and its repetitions with other seeds and tests.

Every estimate is an array with the estimate itself as first entry, followed by the repetitions of a `Draw`,
made by drawing seeds with replacement (the bootstrap). Elementwise arithmetic on such arrays propagates the
uncertainty. The draws depend on the seeds only, so that two curves with the same seeds are resampled together
(paired), and verdicts are reproducible.

The first draw has 1,000 repetitions. The ends of an interval are quantiles of them, which have a confidence
interval of their own. If that leaves the verdict open (`Rows.verdict`), more are drawn, up to 100,000; a
verdict that is open even then is inconclusive.

Some numbers are known only up to bounds. A run is observed at checkpoints, so the cost at which it reaches a
level lies between two checkpoints; if the run ended before, the cost is censored: it lies above that of the
last checkpoint. `Rows` propagates such bounds.

B. Efron, R. Tibshirani: An Introduction to the Bootstrap, 1993, chapters 6, 8 and 13.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from dataclasses import dataclass
from functools import lru_cache

import numpy as np
import scipy
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Repetitions of each draw, in addition to the estimate: 100,000 together.
DRAWS = (1000, 9000, *(9 * (10000,)))
#: Seed of the generator of all draws.
SEED = 20120626
#: Coverage of intervals.
LEVEL = 0.95
#: Share of repetitions in which a test sees a difference that it is said to see.
POWER = 0.8
#: Probability that a quantile lies below its confidence interval, and that it lies above.
MISSED = 1e-4

REPRODUCED = "reproduced"
HOLDS = "holds by construction"
DEVIATES = "deviates"
INCONCLUSIVE = "inconclusive"
NOT_ATTEMPTED = "not attempted"
#: All verdicts, in the order of pages.
VERDICTS = (REPRODUCED, HOLDS, DEVIATES, INCONCLUSIVE, NOT_ATTEMPTED)


class NotAttempted(Exception):
    """Nothing can be said; the message says why."""


@dataclass(frozen=True)
class Draw:
    """Repetitions that are drawn together.

    Attributes
    ----------
    number : int
        Place in `DRAWS`.
    """

    number: int = 0

    @property
    def size(self) -> int:
        """Repetitions, R."""
        return DRAWS[self.number]

    def generator(self, *entropy: int) -> np.random.Generator:
        """Return the generator of this draw, another one for each entropy."""
        key = (self.number,) if self.number else ()
        return np.random.default_rng(np.random.SeedSequence(entropy, spawn_key=key))

    def constant(self, value: float) -> Floats:
        """Return a number that is known exactly, shape (1 + R,)."""
        return np.full(1 + self.size, value)

    def medians(self, values: Floats, seeds: Sequence[int]) -> Floats:
        """Return the median over seeds, and over each resample of them.

        Parameters
        ----------
        values : ndarray of float64, shape (S, ...)
            One row per seed; may be infinite.
        seeds : sequence of int
            The S seeds; the same seeds give the same draws.

        Returns
        -------
        ndarray of float64, shape (1 + R, ...)
        """
        resamples, number = _resamples(self, tuple(seeds))
        return np.asarray(np.median(values[resamples], axis=1)[number])

    def means(self, values: Floats, seeds: Sequence[int]) -> Floats:
        """Return the mean over seeds, and over each resample of them, shape (1 + R,)."""
        drawn = self.generator(0, *seeds).integers(len(seeds), size=(self.size, len(seeds)))
        return np.concatenate([[values.mean()], values[drawn].mean(axis=1)])

    def deviations(self, deviation: float, seeds: Sequence[int]) -> Floats:
        """Return a standard deviation over seeds, and draws of the true one, if errors are normal."""
        freedom = len(seeds) - 1
        drawn = self.generator(2, *seeds).chisquare(freedom, size=self.size)
        return np.concatenate([[deviation], deviation * np.sqrt(freedom / drawn)])

    def noisy(self, rows: Floats, deviation: float, *salt: int) -> Floats:
        """Return an estimate with independent normal errors added to its repetitions."""
        if deviation == 0.0:
            return rows
        noise = self.generator(SEED, 1, *salt).standard_normal(self.size)
        return np.concatenate([rows[:1], rows[1:] + deviation * noise])


@lru_cache(maxsize=128)
def _resamples(draw: Draw, seeds: tuple[int, ...]) -> tuple[NDArray[np.int64], NDArray[np.int64]]:
    """Return the different resamples of a draw, whatever their order, and the one of each repetition.

    A median does not depend on the order, and few seeds have few resamples: six have 462.
    The first repetition is the seeds themselves.
    """
    drawn = draw.generator(SEED, *seeds).integers(len(seeds), size=(draw.size, len(seeds)))
    index = np.sort(np.vstack([np.arange(len(seeds)), drawn]), axis=1)
    resamples, number = np.unique(index, axis=0, return_inverse=True)
    return resamples, number.ravel()


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
    at, low, high : ndarray of float64, shape (1 + R, ...)
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

    @classmethod
    def stack(cls, numbers: Sequence[Rows], axis: int) -> Rows:
        """Return several numbers as one, joined along a new axis."""
        parts = zip(*((one.at, one.low, one.high) for one in numbers))
        return cls(*(np.stack(part, axis=axis) for part in parts))

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

    def plus(self, other: Rows) -> Rows:
        """Return the sum of two numbers."""
        return Rows(self.at + other.at, self.low + other.low, self.high + other.high)

    def less(self, other: Rows) -> Rows:
        """Return the difference of two numbers."""
        with np.errstate(invalid="ignore"):
            return Rows(self.at - other.at, self.low - other.high, self.high - other.low)

    def noisy(self, draw: Draw, deviation: float, *salt: int) -> Rows:
        """Return the number with independent normal errors, see `Draw.noisy`."""
        return self.each(lambda rows: draw.noisy(rows, deviation, *salt))

    def joined(self, more: Rows) -> Rows:
        """Return the number with the repetitions of another draw beside its own."""
        parts = ((self.at, more.at), (self.low, more.low), (self.high, more.high))
        return Rows(*(np.concatenate([own, other[1:]]) for own, other in parts))

    def ends(self, trust: int = 0) -> tuple[float, float]:
        """Return the ends of the interval that holds `LEVEL` of the repetitions, and the estimate.

        Parameters
        ----------
        trust : {-1, 0, 1}
            The ends are quantiles, which have confidence intervals of their own. -1: the widest interval that
            they allow; 1: the narrowest; 0: that of the quantiles themselves.
        """
        least, most = float(self.low[0]), float(self.high[0])
        if np.isnan(least) or np.isnan(most):
            raise NotAttempted("the two cannot be compared: both are 0")
        # Quantiles without interpolation, since repetitions may be infinite.
        low, high = (np.sort(part[1:][~np.isnan(part[1:])]) for part in (self.low, self.high))
        low_end = float(low[_places(low.size)[1 + trust]])
        high_end = float(high[-1 - _places(high.size)[1 + trust]])
        return min(low_end, least), max(high_end, most)

    def verdict(self, least: float, most: float) -> str | None:
        """Return whether the interval lies in the range from ``least`` to ``most``, or None.

        None: more repetitions may change the verdict, see `MISSED`.
        """
        wide, narrow = (decide(*self.ends(trust), least, most) for trust in (-1, 1))
        return wide if wide == narrow else None


def detectable(rows: Rows) -> float:
    """Return how far outside a range a number must lie for its interval to lie outside, too.

    It does so in a share of `POWER` of repetitions, if the interval is that of a normal distribution.
    """
    low, high = rows.ends()
    power, width = scipy.special.ndtri([POWER, (1.0 + LEVEL) / 2.0])
    return (high - low) / 2.0 * float(1.0 + power / width)


def decide(low: float, high: float, least: float, most: float) -> str:
    """Return the verdict, by whether an interval lies in the range from ``least`` to ``most``."""
    if least <= low and high <= most:
        return REPRODUCED
    return DEVIATES if high < least or low > most else INCONCLUSIVE


@lru_cache
def _places(size: int) -> tuple[int, int, int]:
    """Return the places of the lower quantile among sorted repetitions: at least, by itself and at most.

    How many repetitions lie below a quantile is binomial; the first and the last place are those of its
    confidence interval (Clopper, Pearson 1934).
    """
    share = (1.0 - LEVEL) / 2.0
    at_most = scipy.special.bdtr(np.arange(size + 1.0), size, share)
    first = int(np.searchsorted(at_most, MISSED, side="right")) - 1
    last = int(np.searchsorted(at_most, 1.0 - MISSED))
    return max(first, 0), round(share * (size - 1)), min(last, size - 1)


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
        """Return the estimate of a number and its repetitions, shape (1 + R,)."""
        low, high = rows.ends()
        value, least, most = (float(part[0]) for part in (rows.at, rows.low, rows.high))
        if np.isfinite(value):
            return cls(value, low, high, unit)
        if np.isfinite(most):
            return cls(most, low, high, unit, "<")
        return cls(least, low, high, unit, ">") if least > 0.0 else cls(np.nan, low, high, unit)

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
        y, shape (1 + R, K). Points that are not positive are left out of their repetition. Points
        that were not reached make the bounds of the slope infinite.

    Returns
    -------
    Rows
        Shape (1 + R,).
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
