"""Conjugate gradients for the least-squares SVM (Suykens and Vandewalle 1999, Suykens and others 1999)."""

import numpy as np

VARIANTS = [{}, {"eps": 1e-4}]
MAINTAINS = True
ON_DEMAND = True
SIGNS = "either"
ROUNDING = 1e-5


def run(problem, w, rng, iterations, *, eps=1e-3):
    y, every = problem.y, list(range(problem.n))
    beta, r, p = np.zeros(problem.n), y.copy(), y.copy()
    w.oracle.iterated = 0
    for _ in range(iterations):
        q = w.oracle.block(every, every) @ p + p / problem.C
        w.oracle.iterated += problem.n**2
        if p @ q <= 0.0:
            break
        step, before = (r @ r) / (p @ q), r @ r
        beta, r = beta + step * p, r - step * q
        p = r + (r @ r) / before * p
        if r @ r <= eps**2 * problem.n:
            break
    return beta * y
