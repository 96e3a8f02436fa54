"""Arrivals: the cost from which a run stays at or below a target.

A noisy curve, such as a test error on few examples, falls below a target by chance long before it stays
there. So the first crossing does not count as the arrival, except where a claim asks for it.
"""

from __future__ import annotations

import numpy as np

from svmbench.figures.series import Steps


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


def first_below(steps: Steps, target: float) -> tuple[float, float]:
    """Return bounds of the cost at which a run first reaches a target; see `stays_below`."""
    there = np.flatnonzero(steps.value <= target)
    return between(steps, int(there[0]) if there.size else steps.cost.size)


def between(steps: Steps, place: int) -> tuple[float, float]:
    """Return the costs of the previous checkpoint (0 if none) and of this one (infinity past the last)."""
    before = float(steps.cost[place - 1]) if place > 0 else 0.0
    return before, float(steps.cost[place]) if place < steps.cost.size else np.inf
