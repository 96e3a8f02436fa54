"""Chunking.

V. Vapnik, Estimation of Dependences Based on Empirical Data, 1982; B. Boser, I. Guyon, V. Vapnik, A Training
Algorithm for Optimal Margin Classifiers, COLT 1992.
"""

import numpy as np

from tests.specification.expansion import Maintained, OnDemand
from tests.specification.small_qp import movable, one_step, pair_step, violation

VARIANTS = [{"first": 5, "q": 4}, {"first": 2, "q": 30, "eps": 1e-2}, {"first": 30, "q": 500}]
#: The conditions would have to hold exactly; from one large chunk they may, from small ones they do not.
ENDLESS = {"first": 5, "eps": 1e-300}
TIES = True
ROWS_PER_ITERATION = 2


def run(problem, w, rng, iterations, *, first=500, q=500, eps=1e-3):
    y, C, n = problem.y, problem.C, problem.n
    own = w.oracle.diagonal()
    with_bias = problem.bias == "unregularised"
    chunk = np.sort(rng.permutation(n)[:first])
    v, solved = y.copy(), np.zeros(n)
    t = 0
    while True:
        before = t
        while not is_solved(v, w.a, y, C, chunk, eps, with_bias) and t < iterations:
            v[chunk] -= step(w, y, C, v, own, chunk, with_bias)
            t += 1
        if not is_solved(v, w.a, y, C, chunk, eps, with_bias):
            return w.a
        outside = np.setdiff1d(np.arange(n), chunk)
        v[outside] = search(w, y, v, solved, chunk, outside)
        solved = w.a.copy()
        b = bias_of(v[chunk], w.a[chunk], y[chunk], C) if with_bias else 0.0
        violators = outside[y[outside] * (v[outside] - b) > eps]
        violators = violators[np.argsort(-y[violators] * (v[violators] - b), kind="stable")[:q]]
        if violators.size == 0:
            return w.a
        kept = np.flatnonzero(w.a) if w.a.any() and t > before else chunk
        chunk = np.union1d(kept, violators)


def is_solved(v, a, y, C, chunk, eps, with_bias):
    left = violation(a[chunk], -y[chunk] * v[chunk], C, y[chunk] if with_bias else None)
    return left < eps if with_bias else left <= eps


def step(w, y, C, v, own, chunk, with_bias):
    """Make a step of SMO; return by how much the scores of the chunk grow."""
    K = np.float32(w.oracle._values[np.ix_(chunk, chunk)]).astype(float)
    labels = y[chunk]
    at = w.a[chunk], -labels * v[chunk], C
    if with_bias:
        steps = pair_step(labels[:, None] * labels * K, own[chunk], *at, labels)
    else:
        steps = one_step(own[chunk], *at)
    rows, factors = [], []
    for k, change in steps:
        i = chunk[k]
        bound = C if change > 0 else 0.0
        w.a[i] = bound if abs(change) >= abs(bound - w.a[i]) else w.a[i] + change
        rows.append(row(w, i, chunk))
        factors.append(y[i] * change)
    return factors[0] * (rows[0] - rows[1] if with_bias else rows[0])


def row(w, i, chunk):
    """The values of a row in the chunk; where all responses are maintained the whole row is charged."""
    if isinstance(w, OnDemand):
        return np.array([w.oracle.value(i, j) for j in chunk])
    return w.oracle.row(i)[chunk]


def search(w, y, v, solved, chunk, outside):
    """The values of the examples outside, from those when the last chunk was solved.

    From nothing they are the same but for rounding, which would part equal examples.
    """
    values = v[outside]
    if outside.size:
        for i in chunk:
            if w.a[i] != solved[i]:
                row = np.float32(w.oracle._values[i]).astype(float)
                if isinstance(w, Maintained):
                    row = w.oracle.again(i)
                values -= y[i] * (w.a[i] - solved[i]) * row[outside]
    if isinstance(w, OnDemand):
        recomputed = [y[t] * (1.0 - w.response(t)) for t in outside]
        np.testing.assert_allclose(values, recomputed, rtol=1e-9, atol=1e-9)
    return values


def bias_of(v, a, y, C):
    free = (a > 0.0) & (a < C)
    if free.any():
        return float(v[free].mean())
    up, down = movable(a, C, y)
    ends = v[up].max(initial=-np.inf), v[down].min(initial=np.inf)
    return float(np.mean([end for end in ends if np.isfinite(end)]))
