"""Stochastic gradient descent on the hinge loss in a norm ball.

M. Zinkevich, Online Convex Programming and Generalized Infinitesimal Gradient Ascent, ICML 2003, as in Table
1 of A. Cotter, S. Shalev-Shwartz, N. Srebro, The Kernelized Stochastic Batch Perceptron, ICML 2012.
"""

import numpy as np

VARIANTS = [{"R": 2.0}, {"R": 0.3}, {"R": 30.0}]


def run(problem, w, rng, iterations, *, R):
    diagonal = w.oracle.diagonal()
    scale, norm2 = 1.0, 0.0  # w is scale times what is kept
    mean = np.zeros(problem.n)
    for t in range(1, iterations + 1):
        i = rng.integers(problem.n)
        eta = R / np.sqrt(diagonal.max() * t)
        response = scale * w.response(i)
        if response < 1.0:
            w.put(i, w.a[i] + eta / scale)
            norm2 += 2.0 * eta * response + eta**2 * diagonal[i]
        if norm2 > R**2:
            scale *= R / np.sqrt(norm2)
            norm2 = R**2
        mean += (scale * w.a - mean) / t
    return mean
