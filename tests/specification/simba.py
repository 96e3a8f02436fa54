"""SIMBA, the sublinear primal-dual method.

E. Hazan, T. Koren, N. Srebro, Beating SGD: Learning SVMs in Sublinear Time, NIPS 2011: the
algorithm SVM-SIMBA.
"""

import numpy as np

from tests.specification.water_level import water_level

VARIANTS = [{"nu": 0.05}, {"nu": 0.0, "T": 900}, {"nu": 3.0, "T": 300}, {"nu": 100.0}]
ENDLESS = {"nu": 0.05, "T": 10**15}
LOOKS = 1


def run(problem, x, rng, iterations, *, nu, T=100_000):
    n, d = x.X.shape
    R = np.sqrt(x.squared_norms().max())
    eta = np.sqrt(np.log(n) / T)
    u, q, w_sum, volume = np.zeros(d), np.ones(n), np.zeros(d), n * nu / R
    made = min(iterations, T)
    for _ in range(made):
        i = drawn(q, rng)
        p = q / q.sum()
        x.add_measured(i, 1.0 / (R * np.sqrt(2.0 * T)), u)
        w = u / max(1.0, np.linalg.norm(u))
        w_sum += w
        v = np.zeros(n)
        order = np.argsort(-p, kind="stable")
        v[order] = np.clip(volume - 2.0 * np.arange(n), 0.0, 2.0)
        if w.any():
            j = drawn(u**2, rng)
            v += x.y * x.X[:, j] / R * (w @ w) / w[j]
        v = np.clip(v, -1.0 / eta, 1.0 / eta)
        q = p * (1.0 - eta * v + eta**2 * v**2)
    x.products += made * n // d
    w = w_sum / max(made, 1)
    level = water_level(x.y * (x.X @ w), n * nu)
    return w / level if level > 0.0 else w


def drawn(weights, rng):
    sums = np.cumsum(weights)
    return int(np.searchsorted(sums, rng.random() * weights.sum(), side="right"))
