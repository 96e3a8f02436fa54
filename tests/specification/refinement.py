"""Refinement in mixed precision, played on coordinate ascent: rows in single precision, scores in double."""

import numpy as np

ROW_ERROR, SHARE, BETWEEN = 4.0 * 2.0**-24, 0.5, 64


def run(rows, exact, y, C, eps, iterations):
    """Return α of `smo`, how often the scores were recomputed, and the evaluations that took.

    Parameters
    ----------
    rows, exact : ndarray, shape (n, n)
        The kernel matrix with K(x, x) = 1, as the solver's rows have it and in double precision.
    """
    n = y.size
    alpha, known, g = np.zeros(n), np.zeros(n), -np.ones(n)
    rounds = evaluations = last = 0
    for t in range(1, iterations + 1):
        d = np.clip(alpha - g, 0.0, C) - alpha
        i = int(np.argmax(-d * (g + 0.5 * d)))
        alpha[i] += d[i]
        g += d[i] * y[i] * y * rows[i]
        violation, noise = violation_of(g, alpha, C), ROW_ERROR * np.linalg.norm(alpha - known)
        converged = violation < eps
        if noise > SHARE * eps if converged else t % BETWEEN == 0 and t - last >= n and violation < noise:
            evaluations += np.count_nonzero(alpha != known) * n
            rounds, last = rounds + 1, t
            g, known = y * (exact @ (alpha * y)) - 1.0, alpha.copy()
            converged = violation_of(g, alpha, C) < eps
        if converged:
            break
    return alpha, rounds, evaluations


def violation_of(g, alpha, C):
    return max(np.max(-g[alpha < C], initial=0.0), np.max(g[alpha > 0.0], initial=0.0))
