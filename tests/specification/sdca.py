"""Dual coordinate ascent with replacement, on kernel coefficients.

C.-J. Hsieh, K.-W. Chang, C.-J. Lin, S. S. Keerthi, S. Sundararajan, A Dual Coordinate Descent Method for
Large-scale Linear SVM, ICML 2008: Algorithm 1, with coefficients in place of the weight vector.
"""

import numpy as np

from tests.specification.expansion import averaged

VARIANTS = [{}, {"average": True}, {"average": True, "suffix": True}]
APPROXIMATE = VARIANTS[1:]  # an average approaches the optimum long after the last iterate


def run(problem, w, rng, iterations, *, average=False, suffix=False):
    iterates = []
    diagonal = w.oracle.diagonal()
    for _ in range(iterations):
        i = rng.integers(problem.n)
        gradient = 1.0 - w.response(i)
        best = w.a[i] + gradient / diagonal[i] if diagonal[i] > 0.0 else np.inf
        value = min(max(best, 0.0), problem.C)
        if abs(value - w.a[i]) > 1e-14 * max(value, w.a[i]):  # a smaller step is rounding
            w.put(i, value)
        iterates.append(w.a.copy())
    return averaged(iterates, suffix) if average else w.a
