"""Cells of a table, each with the values of a group of runs; the best cells of a row are marked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import numpy as np

from svmbench.analysis.compare import ALPHA
from svmbench.analysis.ranks import holm, least_p, rank_sum, signed_rank
from svmbench.figures.series import Floats
from svmbench.store import StoredRun


@dataclass
class Cell:
    """Values of one group of runs.

    Attributes
    ----------
    values : dict of int to float
        Seed -> value, in the units of the metric's axis; infinite if a target is not reached.
    runs : list of StoredRun
        One per seed.
    constant : bool
        Whether the solver makes no random choices.
    best : bool
        Whether it is marked as the best of its row, or as not significantly worse; see `mark`.
    """

    values: dict[int, float] = field(default_factory=dict)
    runs: list[StoredRun] = field(default_factory=list)
    constant: bool = False
    best: bool = False

    @property
    def array(self) -> Floats:
        """The values, by seed."""
        return np.array([self.values[seed] for seed in sorted(self.values)])


def center(values: Floats, average: str) -> float:
    """Return the mean or median of values, some of which may be infinite."""
    return float(np.median(values) if average == "median" else values.mean())


def spread(values: Floats, average: str) -> tuple[float, ...]:
    """Return the sample standard deviation, or the quartiles; empty for a single value."""
    finite = bool(np.isfinite(values).all())
    if values.size < 2 or (average == "mean" and not finite):
        return ()
    if average == "mean":
        return (float(values.std(ddof=1)),)
    # With infinite values, which cannot be interpolated, quartiles are values of the sample.
    quartiles = np.quantile(values, [0.25, 0.75], method="linear" if finite else "higher")
    return tuple(float(value) for value in quartiles)


def mark(row: Sequence[Cell], average: str, *, timed: bool) -> None:
    """Mark the smallest value of a row, and those not significantly larger.

    Nothing is marked if no value is significantly larger than the smallest, or if all are infinite.

    Parameters
    ----------
    row : sequence of Cell
        One per column.
    average : {'mean', 'median'}
        Determines the smallest value.
    timed : bool
        Whether values vary between runs even without random choices.
    """
    centers = [center(cell.array, average) for cell in row]
    if len(row) < 2 or not np.isfinite(min(centers)):
        return
    best = row[int(np.argmin(centers))]
    others = [cell for cell in row if cell is not best]
    tests = [_p(best, cell, timed) for cell in others]
    corrected = iter(holm([p for p, least in tests if least <= ALPHA]))
    told = [least <= ALPHA and next(corrected) < ALPHA for _, least in tests]
    if any(told):
        best.best = True
        for cell, apart in zip(others, told, strict=True):
            cell.best = not apart


def _p(a: Cell, b: Cell, timed: bool) -> tuple[float, float]:
    """Return the p-value of a difference, and the least p-value that so many seeds could give."""
    if a.constant and b.constant and not timed:
        return (0.0 if not np.array_equal(a.array[:1], b.array[:1]) else 1.0), 0.0
    x, y = a.values, b.values
    if a.constant != b.constant:
        if a.constant:
            x = dict.fromkeys(y, center(a.array, "median"))
        else:
            y = dict.fromkeys(x, center(b.array, "median"))
    shared = sorted(x.keys() & y.keys())
    if len(shared) > 1:
        with np.errstate(invalid="ignore"):
            differences = np.array([x[seed] - y[seed] for seed in shared])
        differences = differences[~np.isnan(differences)]  # drops pairs in which neither reaches the target
        return signed_rank(differences), least_p(max(1, differences.size), 0, 0)
    first, second = (np.array(list(values.values())) for values in (x, y))
    return rank_sum(first, second), least_p(0, first.size, second.size)
