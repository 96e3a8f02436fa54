"""The water level by sorting.

A. Cotter, S. Shalev-Shwartz, N. Srebro, The Kernelized Stochastic Batch Perceptron, ICML 2012: the level of
equation 2.3, which Algorithm 2 of appendix B finds by partitions.
"""

import numpy as np


def water_level(c, volume):
    """Fill from the lowest point up: the first level that does not reach the next point."""
    c = np.sort(np.asarray(c, dtype=np.float64))
    if volume == 0.0:
        return float(c[0])
    levels = (volume + np.cumsum(c)) / np.arange(1, c.size + 1)
    reaches_next = levels[:-1] > c[1:]
    return float(levels[np.argmin(reaches_next)] if not reaches_next.all() else levels[-1])
