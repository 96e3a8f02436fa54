"""Projectron and Projectron++ (Orabona, Keshet and Caputo 2009)."""

import numpy as np

from tests.specification.expansion import Maintained, averaged

VARIANTS = [
    {"eta": 0.3},
    {"eta": 0.3, "margin": True},
    {"eta": 0.1, "margin": True, "average": True, "epochs": 3},
    {"eta": 0.0, "epochs": 2},
    {"eta": 0.2, "order": "given"},
]
ON_DEMAND = True
TIES = True
SIGNS = "either"


def run(problem, w, rng, iterations, *, eta, margin=False, epochs=None, average=False, order="random"):
    y, n, oracle = problem.y, problem.n, w.oracle
    K = np.array([oracle.again(i) for i in range(n)])
    oracle.rows.clear()
    oracle.diagonal()
    diagonal, maintained = K.diagonal(), isinstance(w, Maintained)
    S = []
    hypotheses = []
    items = np.arange(n)

    def response(i):
        """Score the example: from what is maintained, or by one value for each example of S."""
        if maintained:
            return w.response(i)
        return y[i] * sum(w.a[j] * y[j] * oracle.value(j, i) for j in S)

    def project(i, factor):
        """Add a multiple of y_i P Φ(x_i)."""
        for j, part in zip(S, d, strict=True):
            w.put(j, w.a[j] + factor * y[j] * y[i] * part)

    while len(hypotheses) < iterations and (epochs is None or len(hypotheses) < epochs * n):
        if order == "random":
            items = items[rng.permutation(n)]
        updates = 0
        for i in items[: iterations - len(hypotheses)]:
            score, k = response(i), K[S, i]  # k: the values behind the score, or parts of rows
            d = np.linalg.solve(K[np.ix_(S, S)], k) if S else np.zeros(0)
            squared = diagonal[i] - k @ d
            if score <= 0.0:
                updates += 1
                if squared <= max(eta**2, 1e-6 * diagonal[i]):
                    project(i, 1.0)
                else:
                    w.put(i, 1.0)
                    S.append(int(i))
            elif margin and 1.0 - score > 1e-6:
                loss, distance = 1.0 - score, np.sqrt(max(squared, 0.0))
                if loss > distance / eta:
                    updates += 1
                    tau = min(loss / (k @ d), 2.0 * (loss - distance / eta) / (k @ d), 1.0)
                    project(i, tau)
                elif maintained:
                    oracle.pairs.extend((j, int(i)) for j in S)
            hypotheses.append(w.a.copy())
        if updates == 0 and len(hypotheses) % n == 0:
            break
    return averaged(hypotheses, False) if average else w.a
