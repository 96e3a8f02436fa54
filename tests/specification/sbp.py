"""Stochastic Batch Perceptron (papers, B3)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.problem import Problem
from svmbench.solvers.parts.random import Generator
from tests.specification.expansion import Maintained
from tests.specification.water_level import water_level

VARIANTS = [{"nu": 0.05}, {"nu": 0.0}, {"nu": 3.0}]
ENDLESS = {"nu": 0.05}
MAINTAINS = True


def run(problem: Problem, w: Maintained, rng: Generator, iterations: int, *, nu: float) -> NDArray:
    n = problem.n
    diagonal = w.oracle.diagonal()
    eta0 = 1.0 / np.sqrt(diagonal.max())
    r2 = 0.0
    a_mean, c_mean = np.zeros(n), np.zeros(n)
    for t in range(1, iterations + 1):
        eta = eta0 / np.sqrt(t)
        i = draw(w.c, water_level(w.c, n * nu), rng)
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
    level = water_level(c_mean, n * nu)
    return np.where(diagonal > 0.0, a_mean, 0.0) / (level if level > 0.0 else 1.0)


def draw(c: NDArray, level: float, rng: Generator) -> int:
    """Uniform over the covered points, by draws from all; by rank if 1024 draws meet none of them."""
    chosen = c < level
    if not chosen.any():
        chosen = c <= level + 1e-12 * max(1.0, abs(level))
    for _ in range(1024):
        i = rng.integers(c.size)
        if chosen[i]:
            return i
    return int(np.flatnonzero(chosen)[rng.integers(int(chosen.sum()))])
