"""Dual coordinate ascent on a budget (Qaadan, Schüler and Glasmachers 2019)."""

import numpy as np

from tests.specification.bsgd import Expansion

VARIANTS = [{"budget": 6}, {"budget": 1}, {"budget": 30}]
APPROXIMATE = VARIANTS
ON_DEMAND = True
POINTS = True
TINY = 1e-14  # of coefficients and their steps: rounding


def run(problem, w, rng, iterations, *, budget=500):
    y, n, C = problem.y, problem.n, problem.C
    v, alpha, searched = Expansion(w), np.zeros(n), 0
    for _ in range(iterations):
        i = rng.integers(n)
        old = alpha[i]
        alpha[i] = min(max(old + 1.0 - y[i] * v.score(i), 0.0), C)
        if abs(alpha[i] - old) <= TINY * max(alpha[i], old):
            alpha[i] = old
            continue
        v.changed(1)
        before, place = 0.0, None
        if i in v.source:
            place = v.source.index(i)
            before = y[i] * v.a[place]
        after = alpha[i] - (old - before)  # the rest of α_i was merged
        if abs(after) <= TINY * C:
            after = 0.0
        if place is not None and before * after > 0.0:
            v.a[place] = y[i] * after
            continue
        if place is not None:
            v.remove(place)
        if after != 0.0:
            v.add(w.oracle.X[i], y[i] * after, i)
        if len(v.a) > budget:
            searched += v.merge()
    w.oracle.iterated = n * iterations + searched
    return v.responses(y)
