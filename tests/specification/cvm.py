"""The core vector machine (Tsang, Kwok and Cheung 2005): the dual over a growing core set, solved by SMO."""

import numpy as np

from tests.specification.expansion import OnDemand

VARIANTS = [
    {},
    {"eps": 1e-2},
    {"sample": 4, "eps": 1e-3},
    {"sample": 0, "eps": 1e-4},
]
APPROXIMATE = VARIANTS
ON_DEMAND = True
#: The last bits of kernel values decide between distances that are nearly equal.
TIES = True
ENDLESS = {"eps": 1e-12}


def run(problem, w, rng, iterations, *, eps=1e-6, sample=59):
    y, n, oracle = problem.y, problem.n, w.oracle
    own = 1.0 / (2.0 * problem.C)
    core = []
    Q = np.zeros((n, n))
    tolerance, failed = (0.1 if sample else eps), 0

    def enter(z):
        """Values with members of positive weight are known from the response, or by rows from the row."""
        for i in core:
            paid = isinstance(w, OnDemand) and w.a[i] == 0.0
            Q[z, i] = Q[i, z] = y[z] * y[i] * (oracle.value(i, z) if paid else oracle.again(i)[z])
        Q[z, z] = 1.0 + own
        core.append(z)

    def products():
        return np.array([sum(w.a[j] * Q[i, j] for j in core) for i in core])

    def outside(product, norm2, far):
        return 1.0 + own + norm2 - 2.0 * product > (1.0 + far) ** 2 * (1.0 + own - norm2)

    def norm2():
        return float(w.a[core] @ products())

    def solve(b):
        K = Q[np.ix_(core, core)]
        for _ in range(5000):
            v = np.array([sum(row * b) for row in K])
            # Without its last bits: of two that a step made equal, rounding must not choose.
            i = int(np.argmin((v.view(np.int64) & ~0xFFFFF).view(np.float64)))
            if not outside(v[i], b @ v, tolerance / 2.0):
                break
            bend = K[i, i] + K.diagonal() - 2.0 * K[i]
            gain = np.where(b > 0.0, (v - v[i]) ** 2, 0.0) / np.where(bend > 0.0, bend, 1.0)
            j = int(np.argmax(gain))
            step = min((v[j] - v[i]) / bend[j], b[j])
            b[i], b[j] = b[i] + step, 0.0 if step == b[j] else b[j] - step
        for i, weight in zip(core, b, strict=True):
            if weight != w.a[i]:
                w.put(i, weight)

    for _ in range(iterations):
        if not core:
            order = rng.permutation(n)
            for label in (1.0, -1.0):
                for z in [i for i in order if y[i] == label][:10]:
                    enter(int(z))
            solve(np.full(len(core), 1.0 / len(core)))
            continue
        if outside(products().min(), norm2(), tolerance / 2.0):
            solve(w.a[core])
            continue
        others = [i for i in range(n) if i not in core]
        every = sample == 0 or len(others) <= sample
        if not every:
            others = sorted({others[rng.integers(len(others))] for _ in range(sample)})
        found = [w.response(i) for i in others]
        z = int(np.argmin(found)) if found else -1
        if found and outside(found[z], norm2(), tolerance):
            failed = 0
            enter(others[z])
            solve(w.a[core])
            continue
        failed += 1
        if failed == 7 or every:
            failed = 0
            if tolerance <= eps:
                break
            tolerance = max(tolerance / 2.0, eps)
    return w.a / norm2()
