"""SVM-light for linear kernels, without bias.

T. Joachims, Making Large-Scale SVM Learning Practical, in Advances in Kernel Methods, MIT Press, 1999,
chapter 11.
"""

import numpy as np

from svmbench.solvers.dual.small_qp import minimise

VARIANTS = [
    {},
    {"shrinking": False},
    {"q": 4, "entering": 2},
    {"q": 1, "entering": 1, "eps": 0.1},
    {"q": 100, "entering": 100},
]


def run(problem, x, rng, iterations, *, q=10, entering=10, shrinking=True, eps=1e-3):
    n, C = problem.n, problem.C
    a, g, w = np.zeros(n), np.full(n, -1.0), np.zeros(x.X.shape[1])
    active, last, settled = list(range(n)), [], np.zeros(n, dtype=int)

    def violation():
        off = np.maximum(np.where(a < C, -g, 0.0), np.where(a > 0.0, g, 0.0))
        return np.where(off > eps, off, 0.0)

    for _ in range(iterations):
        off = violation()
        stay = sorted((i for i in active if i in last), key=lambda i: -off[i])
        new = sorted((i for i in active if i not in last and off[i] > 0.0), key=lambda i: -off[i])
        B = sorted(stay + new[: min(entering, q)], key=lambda i: -off[i])[:q]
        Q = np.zeros((len(B), len(B)))
        for s, i in enumerate(B):
            for t, j in enumerate(B[: s + 1]):
                Q[s, t] = Q[t, s] = x.y[i] * x.y[j] * x.between(x.X[i], x.X[j])
        z, _ = minimise(Q, g[B] - Q @ a[B], C, start=a[B], tol=1e-4 * eps, most=1000 * len(B))
        for i, new_a in zip(B, z):
            x.add(i, new_a - a[i], w)
            a[i] = new_a
        last, looked_at = B, active
        g[active] = [x.response(i, w) - 1.0 for i in active]
        settled = np.where(((a == 0.0) & (g > eps)) | ((a == C) & (g < -eps)), settled + 1, 0)
        worst = violation()[active].max()
        active = [i for i in active if not (shrinking and settled[i] >= 2)]
        if worst > 0.0:
            continue
        if len(looked_at) == n:
            break
        others = [i for i in range(n) if i not in active]
        g[others] = [x.response(i, w) - 1.0 for i in others]
        active, settled = list(range(n)), np.zeros(n, dtype=int)
        if violation().max() == 0.0:
            break
    return w
