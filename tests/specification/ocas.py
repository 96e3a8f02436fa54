"""Optimised cutting planes.

V. Franc, S. Sonnenburg, Optimized Cutting Plane Algorithm for Support Vector Machines, ICML 2008.
"""

import numpy as np

from tests.specification.line_search import line_minimum
from tests.specification.one_slack import Cuts

VARIANTS = [{}, {"eps": 1e-6}, {"eps": 1e-9, "buffer": 5}]


def run(problem, x, rng, iterations, *, eps=0.01, buffer=2000):
    cuts, wb = Cuts(problem, x), np.zeros(x.X.shape[1])
    cb = cc = np.zeros(problem.n)
    for _ in range(iterations):
        cuts.add(cc <= 1.0)
        w = cuts.solve(relative=0.5 * eps)
        c = x.responses(w)
        A = x.between(w - wb, w - wb)
        if A > 0.0:
            t = line_minimum(1, A, x.between(wb, w - wb), problem.C, cb, c)
            wb, cb = wb + t * (w - wb), cb + t * (c - cb)
            cc = 0.9 * cb + 0.1 * c
        F = 0.5 * x.between(wb, wb) + problem.C * np.maximum(0.0, 1.0 - cb).sum()
        if F - cuts.dual <= eps * F or A == 0.0 or cuts.count == buffer:
            break
    return wb
