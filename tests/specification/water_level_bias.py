"""The water level of two basins by sorting.

A. Cotter, S. Shalev-Shwartz, N. Srebro, The Kernelized Stochastic Batch Perceptron, ICML 2012: the level and
bias that Algorithm 3 of appendix B finds by partitions.
"""

import numpy as np

from tests.specification.water_level import water_level


def water_level_bias(c, y, volume):
    """Level, bias and number covered in each class: a single basin over the sums of the sorted pairs."""
    c, y = np.asarray(c, dtype=np.float64), np.asarray(y)
    P, N = np.sort(c[y > 0]), np.sort(c[y < 0])
    m = min(P.size, N.size)
    pairs = P[:m] + N[:m]
    both = water_level(pairs, volume)
    k = covered(pairs, volume)
    u_from = max(P[k - 1], both - N[k] if k < N.size else -np.inf)
    u_to = min(P[k] if k < P.size else np.inf, both - N[k - 1])
    return both / 2.0, both / 2.0 - (u_from + u_to) / 2.0, k


def covered(pairs, volume):
    """How many of the ascending points are under water, at least one."""
    pairs = np.asarray(pairs)
    spent = pairs * np.arange(1, pairs.size + 1) - np.cumsum(pairs)
    return max(1, int(np.count_nonzero(spent < volume)))
