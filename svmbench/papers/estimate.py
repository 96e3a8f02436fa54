"""Numbers with their uncertainty: a value, and what it would have been with other seeds and tests.

Everything that is estimated is an array whose first entry is the estimate itself and whose others are
`RESAMPLES` repetitions, made by drawing seeds with replacement (the bootstrap). Arithmetic on such arrays,
entry by entry, carries the uncertainty along. The draws depend on the seeds alone, so that two curves with
the same seeds are resampled together (paired), and a verdict is the same whenever it is repeated.

B. Efron, R. Tibshirani: An Introduction to the Bootstrap, 1993, chapters 6, 8 and 13.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Repetitions beside the estimate.
RESAMPLES = 1000
#: Of the generator of all draws.
SEED = 20120626
#: Share of the repetitions that an interval holds.
LEVEL = 0.95

REPRODUCED = "reproduced"
HOLDS = "holds by construction"
DEVIATES = "deviates"
INCONCLUSIVE = "inconclusive"
NOT_ATTEMPTED = "not attempted"
#: The verdicts, in the order in which pages list them.
VERDICTS = (REPRODUCED, HOLDS, DEVIATES, INCONCLUSIVE, NOT_ATTEMPTED)


class NotAttempted(Exception):
    """Nothing can be said; the message says why."""


def repeated(values: Floats, seeds: Sequence[int]) -> Floats:
    """Return the median over seeds, and that of every resample of them.

    Parameters
    ----------
    values : ndarray of float64, shape (S, ...)
        One row per seed; may be infinite.
    seeds : sequence of int
        The S seeds; the same seeds are drawn in the same way.

    Returns
    -------
    ndarray of float64, shape (1 + RESAMPLES, ...)
    """
    generator = np.random.default_rng([SEED, *seeds])
    drawn = generator.integers(len(seeds), size=(RESAMPLES, len(seeds)))
    index = np.vstack([np.arange(len(seeds)), drawn])
    return np.asarray(np.median(values[index], axis=1))


def with_noise(rows: Floats, deviation: float, *salt: int) -> Floats:
    """Return an estimate with a normal error of its own added to the repetitions, the estimate left alone."""
    if deviation == 0.0:
        return rows
    generator = np.random.default_rng([SEED, 1, *salt])
    return np.concatenate([rows[:1], rows[1:] + deviation * generator.standard_normal(RESAMPLES)])


def binomial_error(percent: float, tests: int) -> float:
    """Return the standard error, in points, of a test error in percent measured on so many examples."""
    share = min(max(percent / 100.0, 1.0 / (tests + 2.0)), 1.0 - 1.0 / (tests + 2.0))
    return 100.0 * float(np.sqrt(share * (1.0 - share) / tests))


def discordance_error(points: float, tests: int) -> float:
    """Return the least standard error, in points, of a difference of two errors on the same test examples.

    The two predictors disagree on at least as many examples as their numbers of errors differ by; where it is
    not stored which examples are wrong, no more is known (McNemar 1947).
    """
    return 100.0 * float(np.sqrt(max(abs(points) / 100.0, 1.0 / tests) / tests))


def paired_error(one: Sequence[NDArray[np.bool_]], other: Sequence[NDArray[np.bool_]]) -> float:
    """Return the standard error, in points, of a difference of two errors on the same test examples.

    Parameters
    ----------
    one, other : sequence of ndarray of bool, shape (tests,)
        Which examples are wrong, one for each seed; every seed of one is held against every one of the other,
        and the mean variance taken.
    """
    variances = [float(np.var(a.astype(float) - b)) / a.size for a in one for b in other]
    return 100.0 * float(np.sqrt(np.mean(variances)))


@dataclass(frozen=True)
class Estimate:
    """A number, the interval that holds it, and its unit.

    Attributes
    ----------
    value, low, high : float
        May be infinite.
    unit : str
        Such as ``points``; empty for a ratio or a pure number.
    """

    value: float
    low: float
    high: float
    unit: str = ""

    @classmethod
    def of(cls, rows: Floats, unit: str = "") -> Estimate:
        """Return the estimate of an array of repetitions, shape (1 + RESAMPLES,)."""
        value = float(rows[0])
        if np.isnan(value):
            raise NotAttempted("neither of the two is reached, so that they cannot be compared")
        known = rows[1:][~np.isnan(rows[1:])]
        if known.size == 0:
            return cls(value, value, value, unit)
        # Of the repetitions as they are, not between two of them: one may be infinite.
        ends = np.quantile(known, [(1.0 - LEVEL) / 2.0, (1.0 + LEVEL) / 2.0], method="nearest")
        return cls(value, min(float(ends[0]), value), max(float(ends[1]), value), unit)

    def decide(self, least: float, most: float) -> str:
        """Return the verdict, by whether the interval lies in the range from ``least`` to ``most``."""
        if least <= self.low and self.high <= most:
            return REPRODUCED
        return DEVIATES if self.high < least or self.low > most else INCONCLUSIVE

    def text(self) -> str:
        """Return the number with its interval, such as ``1.23 (1.10 to 1.40) points``."""
        shown, low, high = map(short, (self.value, self.low, self.high))
        spread = "" if low == high == shown else f" ({low} to {high})"
        return f"{shown}{spread}{' ' + self.unit if self.unit else ''}"


def short(value: float) -> str:
    """Return a number with three digits, such as ``0.842``, ``12.3`` or ``4.5e+08``."""
    if np.isinf(value):
        return "never" if value > 0 else "-inf"
    if value == 0.0:
        return "0"
    return f"{value:.3g}" if 1e-3 <= abs(value) < 1e5 else f"{value:.2e}"


def log_slope(x: Floats, rows: Floats) -> Floats:
    """Return the least-squares slope of log y against log x for each repetition.

    Parameters
    ----------
    x : ndarray of float64, shape (K,)
        Positive, at least two different.
    rows : ndarray of float64, shape (1 + RESAMPLES, K)
        y; a point that is not positive or finite is left out of its repetition.
    """
    if np.unique(x).size < 2:
        raise NotAttempted("a slope needs two different places")
    with np.errstate(divide="ignore", invalid="ignore"):
        u, v = np.log(x)[None, :], np.log(rows)
    known = np.isfinite(v)
    count = known.sum(axis=1, keepdims=True)
    if count[0, 0] < 2:
        raise NotAttempted("fewer than two positive numbers are known")
    v = np.where(known, v, 0.0)
    weight = known / np.maximum(count, 1)
    centred = np.where(known, u - (weight * u).sum(axis=1, keepdims=True), 0.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((centred * v).sum(axis=1) / (centred**2).sum(axis=1))
