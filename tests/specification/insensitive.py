"""The dual of ε-insensitive regression by rounds of the dual of classification."""

import numpy as np

from tests.specification.decomposition import Level, flat, nested


def rounds(oracle, box, targets, epsilon, count, working_set):
    """Return β and the violation after each of some rounds from 0."""
    n, own = targets.size, oracle.diagonal()
    if n > 8 * working_set and oracle.X.shape[1] <= 128:
        level = Level(oracle, box, np.ones(n), own, 8 * working_set, nested(working_set))
    else:
        level = Level(oracle, box, np.ones(n), own, min(working_set, n), flat())
    level.v = targets - epsilon * level.y
    level.untouched = False
    choose_sides(level, epsilon)
    found = []
    for _ in range(count):
        level.round()
        found.append((level.a * level.y, choose_sides(level, epsilon)))
    return found


def choose_sides(level, epsilon):
    """Put each coefficient at 0 on the side that it may leave; return the violation of the conditions."""
    C, beta, residuals = level.problem.C, level.a * level.y, level.v + epsilon * level.y
    up = np.where(beta < 0.0, residuals + epsilon, residuals - epsilon)[beta < C]
    down = np.where(beta > 0.0, residuals - epsilon, residuals + epsilon)[beta > -C]
    high, low = up.max(initial=-np.inf), down.min(initial=np.inf)
    center = 0.5 * high + 0.5 * low if level.balanced else 0.0
    side = np.where(level.a > 0.0, level.y, np.where(residuals >= center, 1.0, -1.0))
    level.v = np.where(side != level.y, residuals - epsilon * side, level.v)
    level.y = side
    return high - low if level.balanced else max(high, -low)
