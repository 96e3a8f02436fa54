"""Greedy dual coordinate ascent a second time, plainly: what the conformance suite compares with.

``w`` keeps the coefficients ``w.a`` and the responses ``w.c``; ``w.put`` changes a coefficient. Its oracle
notes every kernel value that these take.
"""

import numpy as np

VARIANTS = [{}, {"eps": 1e-8}]  # parameters to try


def run(problem, w, rng, iterations, *, eps=1e-3):
    """Return the coefficients after so many iterations, or at the end."""
    diagonal, C = w.oracle.diagonal(), problem.C
    for _ in range(iterations):
        if np.mean(np.maximum(1.0 - w.c, 0.0) - w.a / C * (1.0 - w.c)) <= eps:
            break
        change = [best(a, c, K, C) - a for a, c, K in zip(w.a, w.c, diagonal)]
        i = int(np.argmax(np.abs(change)))
        w.put(i, w.a[i] + change[i])
    return w.a


def best(a, c, K, C):
    """Return the best value of one coefficient, the others as they are."""
    return C if K == 0.0 else min(max(a + (1.0 - c) / K, 0.0), C)
