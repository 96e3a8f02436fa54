"""Linear Pegasos with mini-batches, Norma and Zhang's steps.

S. Shalev-Shwartz, Y. Singer, N. Srebro, A. Cotter, Pegasos: Primal Estimated sub-GrAdient SOlver for SVM,
Math. Programming 127(1), 2011: section 2, and section 7 for the steps of its competitors.
"""

import numpy as np

VARIANTS = [
    {},
    {"k": 5},
    {"k": 5, "projection": True},
    {"sampling": "permutation", "projection": True},
    {"sampling": "fixed_permutation", "k": 3},
    {"steps": "norma"},
    {"steps": "norma", "p": 1.0, "projection": True},
    {"steps": "zhang", "eta": 0.3},
]


def run(
    problem, x, rng, iterations, *, k=1, projection=False, sampling="iid", steps="pegasos", p=0.7, eta=0.01
):
    n, lam = problem.n, problem.lam
    items = np.arange(n) if sampling == "iid" else rng.permutation(n)
    at = 0
    w = np.zeros(x.X.shape[1])
    for t in range(1, iterations + 1):
        batch = []
        for r in range(k):
            if sampling == "iid":
                j = r + rng.integers(n - r)
                items[r], items[j] = items[j], items[r]
                batch.append(items[r])
                continue
            if at == n:
                at = 0
                if sampling == "permutation":
                    items = items[rng.permutation(n)]
            batch.append(items[at])
            at += 1
        step = {"pegasos": 1.0 / (lam * t), "norma": p / (lam * np.sqrt(t)), "zhang": eta}[steps]
        violations = [i for i in batch if x.response(i, w) < 1.0]
        w *= 1.0 - step * lam if t > 1 or steps != "pegasos" else 0.0
        for i in violations:
            (x.add_measured if projection else x.add)(i, step / k, w)
        norm = np.linalg.norm(w)
        if projection and norm > 0.0:
            w *= min(1.0, 1.0 / (np.sqrt(lam) * norm))
    return w
