"""The modified finite Newton method for the squared hinge loss.

S. S. Keerthi, D. DeCoste, A Modified Finite Newton Method for Fast Solution of Large Scale Linear SVMs, JMLR
6, 2005.
"""

import numpy as np

from tests.specification.line_search import line_minimum

VARIANTS = [{}, {"eps": 0.1}]


def run(problem, x, rng, iterations, *, eps=1e-6):
    C, yX = problem.C, x.y[:, None] * x.X
    w, c = np.zeros(x.X.shape[1]), np.zeros(problem.n)
    tol, F, spent = max(0.01, eps), C * problem.n, 0
    for rounds in range(50):
        if spent == iterations:
            break
        A = c < 1.0
        wb, cb = w.copy(), c.copy()
        at_zero = 2.0 * C * yX[A].sum(axis=0)
        small = tol * np.sqrt(x.between(at_zero, at_zero))
        r = 2.0 * C * (1.0 - cb[A]) @ yX[A] - wb
        rr, p, steps = x.between(r, r), r, 0
        while True:
            if spent == iterations:
                return w
            spent += 1
            if np.sqrt(rr) > small:
                q = np.array([x.response(i, p) for i in np.flatnonzero(A)])
                length = rr / (x.between(p, p) + 2.0 * C * q @ q)
                wb = wb + length * p
                cb[A] += length * q
                r = 2.0 * C * (1.0 - cb[A]) @ yX[A] - wb
                before, rr = rr, x.between(r, r)
                p = r + rr / before * p
                steps += 1
            if np.sqrt(rr) <= small or steps == (10_000 if rounds else 10):
                break
        cb[~A] = [x.response(i, wb) for i in np.flatnonzero(~A)]
        settled = np.all(cb[A] <= 1.0 + tol) and np.all(cb[~A] >= 1.0 - tol)
        a, b = x.between(wb - w, wb - w), x.between(w, wb - w)
        t = line_minimum(2, a, b, C, c, cb) if a > 0.0 else 0.0
        w, c = w + t * (wb - w), c + t * (cb - c)
        before, F = F, 0.5 * x.between(w, w) + C * np.square(np.maximum(0.0, 1.0 - c)).sum()
        if settled or before - F < 1e-9 * before:
            if tol <= eps:
                break
            tol = eps
    return w
