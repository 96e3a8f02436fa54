"""Samples: quantities over seeds with repetitions, and their computation from observations of runs."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import NDArray

from svmbench.analysis.arrivals import between
from svmbench.figures.series import OVERSHOOT, Curve, Steps, costs_of
from svmbench.figures.tables import count
from svmbench.papers.estimate import Draw, Floats, NotAttempted, Rows, binomial_error


@dataclass(frozen=True)
class Sample:
    """A quantity with repetitions, and the test-set noise missing in them.

    Attributes
    ----------
    rows : Rows
        Shape (1 + R,), see `svmbench.papers.estimate`.
    shown : str
        The values over seeds as text.
    single : bool
        Whether a test error is from one run, so that seeds give no spread; no matter for anything else.
    tests : int or None
        Size of the test set, if it is a test error in percent.
    wrong : sequence of ndarray of bool
        Misclassified test examples for each seed, if stored and the value is the last one.
    spread : float
        Standard deviation of a test error over seeds, in points; 0 for a single run.
    """

    rows: Rows
    shown: str
    single: bool = True
    tests: int | None = None
    wrong: Sequence[NDArray[np.bool_]] = ()
    spread: float = 0.0

    @property
    def noise(self) -> float:
        """Standard error of one run's test error, in points; 0 for anything else."""
        return binomial_error(float(self.rows.at[0]), self.tests) if self.tests and self.single else 0.0


def exactly(value: float, draw: Draw) -> Sample:
    """Return a number that is known exactly."""
    return Sample(Rows.of(draw.constant(value)), f"{value:.6g}")


def certified(value: float, interval: Sequence[float | None], draw: Draw) -> Sample:
    """Return a number with the bounds that a certificate proves; None: there is no upper bound."""
    least, most = (np.inf if end is None else float(end) for end in interval)
    rows = Rows(*(draw.constant(end) for end in (value, least, most)))
    return Sample(rows, f"{value:.6g}")


def measured(found: Mapping[str, Any], draw: Draw) -> Sample:
    """Return a number of a check: one value, with or without an interval, or several repetitions."""
    if "values" in found:
        values = np.array(found["values"], dtype=float)
        return Sample(Rows.of(draw.medians(values, range(len(values)))), counts(values))
    value = float(found["value"])
    rows = draw.constant(value)
    if "low" in found:  # half of the repetitions at either end, which gives the stated interval
        rows[1::2], rows[2::2] = float(found["low"]), float(found["high"])
    return Sample(Rows.of(rows), f"{value:.6g}")


def counts(values: Floats) -> str:
    """Return the median of values over seeds, with the least and the greatest."""
    median, low, high = (
        f"{number:.3g}" if abs(number) < 1e4 else count(number)
        for number in (np.median(values), values.min(), values.max())
    )
    return median if low == high else f"{median} ({low} to {high})"


def arrival_words(before: Floats, at: Floats) -> str:
    """Return the median of costs of arrival, with the least and the greatest.

    Parameters
    ----------
    before, at : ndarray of float64, shape (S,)
        See `svmbench.analysis.arrivals.stays_below`. A cost with only a lower bound is shown as ``> 1.0e9``.
    """
    if np.isfinite(at).all():
        return counts(at)

    def words(bound: float, cost: float) -> str:
        return count(cost) if np.isfinite(cost) else f"> {count(bound)}"

    order = np.lexsort((before, at))
    least, most = (words(float(before[k]), float(at[k])) for k in (order[0], order[-1]))
    median = words(float(np.median(before)), float(np.median(at)))
    return median if least == most else f"{median} ({least} to {most})"


def value_until(steps: Steps, cost: float, envelope: bool) -> float:
    """Return the value at a cost, or the least value up to it."""
    value = float(steps.at(np.array([cost]))[0])
    if not envelope or np.isnan(value):
        return value
    return float(steps.value[steps.cost <= cost * 1.001].min())


def first_stable(steps: Steps, span: float, within: float) -> tuple[float, float]:
    """Return bounds of the cost at which a run is first known to be stable; see `stays_below`.

    Parameters
    ----------
    steps : Steps
        The run.
    span : float
        Length of the stable part: from a ``span``-th of the cost, where the run must have been observed.
    within : float
        The greatest value since then exceeds the least by at most this.
    """
    for place in np.flatnonzero(steps.cost >= span * steps.cost[0]):
        cost = steps.cost[place]
        since = steps.value[(steps.cost * OVERSHOOT >= cost / span) & (steps.cost <= cost)]
        if np.ptp(since) <= within:
            return between(steps, int(place))
    return between(steps, steps.cost.size)


def wrong_tests(curve: Curve) -> list[NDArray[np.bool_]]:
    """Return the misclassified test examples at the last checkpoint, by seed; empty if one lacks them."""
    found = [steps.run.mistaken_tests() for steps in curve.steps]
    known = [wrong for wrong in found if wrong is not None]
    return known if len(known) == len(found) else []


def first_epoch_end(steps: Steps, counter: str) -> float:
    """Return the cost after as many iterations as examples, from the last checkpoint up to then."""
    n = int(steps.run.manifest["dataset"]["rows"]["train"])
    rows = steps.run.rows()
    if int(rows[-1]["iterations"]) < n:
        raise NotAttempted("the runs end within the first epoch")
    costs = costs_of(steps.run, counter)
    return max(float(cost) for cost, row in zip(costs, rows, strict=True) if row["iterations"] <= n)
