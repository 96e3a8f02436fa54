"""Arrivals: the cost from which a run stays at or below a target.

A noisy curve, such as a test error on few examples, falls below a target by chance long before it stays
there. So the first crossing does not count as the arrival, except where a claim asks for it.
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from svmbench.figures.series import Floats, Steps


def stays_below(steps: Steps, target: float) -> tuple[float, float]:
    """Return bounds of the cost from which a run stays at or below a target until its end.

    Returns
    -------
    before, at : float
        Costs of the last checkpoint above the target and of the next one; `before` is 0 if no checkpoint is
        above. If the run ends above the target, the cost of its last checkpoint and infinity: the arrival is
        censored.
    """
    above = np.flatnonzero(steps.value > target)
    return between(steps, 0 if above.size == 0 else int(above[-1]) + 1)


def arrivals(family: Sequence[Steps], target: float) -> Floats:
    """Return the second number that `stays_below` returns for each of several runs, much faster."""
    lengths = np.array([steps.cost.size for steps in family])
    ends = np.cumsum(lengths)
    starts = ends - lengths
    above = np.concatenate([steps.value for steps in family]) > target
    after = np.maximum.reduceat(np.where(above, np.arange(1, above.size + 1), 0), starts)
    at = np.maximum(after, starts)
    costs = np.append(np.concatenate([steps.cost for steps in family]), np.inf)
    return np.where(at < ends, costs[at], np.inf)


def first_below(steps: Steps, target: float) -> tuple[float, float]:
    """Return bounds of the cost at which a run first reaches a target; see `stays_below`."""
    there = np.flatnonzero(steps.value <= target)
    return between(steps, int(there[0]) if there.size else steps.cost.size)


def between(steps: Steps, place: int) -> tuple[float, float]:
    """Return the costs of the previous checkpoint (0 if none) and of this one (infinity past the last)."""
    before = float(steps.cost[place - 1]) if place > 0 else 0.0
    return before, float(steps.cost[place]) if place < steps.cost.size else np.inf
