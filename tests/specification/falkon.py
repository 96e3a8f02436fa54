"""Preconditioned conjugate gradients for ridge regression over random centres (Rudi and others 2017)."""

import numpy as np

VARIANTS = [{"centres": 12}, {"centres": 30, "eps": 1e-4}]
APPROXIMATE = VARIANTS
MAINTAINS = True
ON_DEMAND = True
SIGNS = "either"
ROUNDING = 1e-6
TIES = True


def run(problem, w, rng, iterations, *, centres, eps=1e-3):
    y, n, M = problem.y, problem.n, min(centres, problem.n)
    alpha = np.zeros(n)
    w.oracle.iterated = 0
    if iterations == 0:
        return alpha
    S = np.sort(rng.permutation(n)[:M])
    K_SS, K = w.oracle.block(S, S), w.oracle.block(S, range(n))
    w.oracle.iterated += M * M + M * n
    s, U = np.linalg.eigh(K_SS)
    U, s = U[:, s >= 1e-6 * s[-1]], s[s >= 1e-6 * s[-1]]
    B = U / np.sqrt(s * (s / M + problem.lam))
    r = B.T @ K @ y / n
    p, goal = r.copy(), eps * np.sqrt(r @ r)
    for _ in range(iterations - 1):
        if np.sqrt(r @ r) <= goal:
            break
        K = w.oracle.block(S, range(n))
        w.oracle.iterated += M * n
        q = B.T @ (K @ (K.T @ (B @ p))) / n + problem.lam * p / (s / M + problem.lam)  # B' K_SS B
        step, before = (r @ r) / (p @ q), r @ r
        alpha[S] += step * B @ p
        r = r - step * q
        p = r + (r @ r) / before * p
    return alpha * y
