"""Stochastic Batch Perceptron, without and with a bias.

A. Cotter, S. Shalev-Shwartz, N. Srebro, The Kernelized Stochastic Batch Perceptron, ICML 2012: Algorithm 1
of appendix B, and section 3.6 for the unregularised bias.
"""

import numpy as np

from tests.specification.water_level import water_level
from tests.specification.water_level_bias import water_level_bias

VARIANTS = [{"nu": 0.05}, {"nu": 0.0}, {"nu": 3.0}]
ENDLESS = {"nu": 0.05}


def run(problem, w, rng, iterations, *, nu):
    n = problem.n
    diagonal = w.oracle.diagonal()
    eta0 = 1.0 / np.sqrt(diagonal.max())
    r2 = 0.0
    a_mean, c_mean = np.zeros(n), np.zeros(n)
    for t in range(1, iterations + 1):
        eta = eta0 / np.sqrt(t)
        if problem.bias == "none":
            i = draw(w.c, water_level(w.c, n * nu), rng)
        else:
            i = draw_from_basins(w.c, problem.y, n * nu, rng)
        r2 = r2 + 2.0 * eta * w.c[i] + eta**2 * diagonal[i]
        w.put(i, w.a[i] + eta)
        if r2 > 1.0:
            w.a /= np.sqrt(r2)
            w.c /= np.sqrt(r2)
            r2 = 1.0
        if t % 1000 == 0:
            r2 = max(0.0, w.a @ w.c)
        a_mean += w.a / iterations
        c_mean += w.c / iterations
    biased = problem.bias != "none"
    level = water_level_bias(c_mean, problem.y, n * nu)[0] if biased else water_level(c_mean, n * nu)
    return np.where(diagonal > 0.0, a_mean, 0.0) / (level if level > 0.0 else 1.0)


def draw(c, level, rng):
    """Uniform over the covered points, or over the ties of the least one."""
    chosen = c < level
    if not chosen.any():
        chosen = c <= level + 1e-12 * max(1.0, abs(level))
    return from_set(chosen, rng)


def draw_from_basins(c, y, volume, rng):
    """A class by a fair coin, then one of its k lowest responses, the k-th a random one of its ties."""
    _, _, k = water_level_bias(c, y, volume)
    members = np.flatnonzero(y < 0 if rng.integers(2) else y > 0)
    cut = np.sort(c[members])[k - 1]
    below = c[members] < cut
    chosen = below if rng.integers(k) < np.count_nonzero(below) else c[members] == cut
    return int(members[from_set(chosen, rng)])


def from_set(chosen, rng):
    """Uniform over the set, by draws from all; by rank if 1024 draws meet none of it."""
    for _ in range(1024):
        i = rng.integers(chosen.size)
        if chosen[i]:
            return i
    return int(np.flatnonzero(chosen)[rng.integers(int(chosen.sum()))])
