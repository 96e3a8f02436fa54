"""Gradient steps on batches with a preconditioner from a subsample (Ma and Belkin 2019)."""

import numpy as np

VARIANTS = [
    {"batch": 8},
    {"batch": 5, "subsample": 30, "components": 4},
    {"batch": 4, "components": 1},
]
APPROXIMATE = VARIANTS
MAINTAINS = True
ON_DEMAND = True
SIGNS = "either"
TIES = True
ROUNDING = 1e-6


def run(problem, w, rng, iterations, *, batch=256, subsample=2000, components=0):
    y, n, m, alpha = problem.y, problem.n, min(batch, problem.n), np.zeros(problem.n)
    if iterations > 0:
        S = np.sort(rng.permutation(n)[: min(subsample, n)])
        K_SS = w.oracle.block(S, S)
        q, V, D, rate = preconditioner(K_SS, m, components)
        fixed = S if q > 1 else S[:0]
    order = []
    met = set()
    for _ in range(iterations):
        order = order or list(rng.permutation(n))
        j, order = order[:m], order[m:]
        known = sorted(met | {*fixed})
        met |= {*j}
        K = w.oracle.block(known, j)
        r = alpha[known] @ K - y[j]
        alpha[j] -= rate * r
        if q > 1:
            alpha[S] += rate * V @ np.diag(D) @ V.T @ K[np.searchsorted(known, S)] @ r
    w.oracle.iterated = len(w.oracle.pairs)
    return alpha * y


def preconditioner(K, m, components):
    """q, the vectors before it, the diagonal between them, and the step for each example of a batch."""
    values, vectors = np.linalg.eigh(K)
    kept = values >= 1e-6 * values[-1]
    values, vectors = values[kept][::-1], vectors[:, kept][:, ::-1]
    found = []
    for q in range(1, values.size + 1):
        V, D = vectors[:, : q - 1], (1.0 - values[q - 1] / values[: q - 1]) / values[: q - 1]
        beta = np.max(np.diagonal(K - K @ V @ np.diag(D) @ V.T @ K))
        largest = values[q - 1] / len(K)
        found.append((q, V, D, 1.0 / (beta + (m - 1) * largest), beta / largest + 1.0))
    if components:
        return found[min(components, len(found)) - 1][:4]
    return max([f for f in found if f[4] <= m] or found[:1], key=lambda f: f[0])[:4]
