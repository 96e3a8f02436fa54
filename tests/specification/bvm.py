"""The ball vector machine (Tsang, Kocsor and Kwok 2007): a ball of fixed radius."""

import numpy as np

VARIANTS = [
    {"eps": 1e-2},
    {"eps": 1e-3, "sample": 4},
    {"eps": 1e-3, "sample": 0},
]
APPROXIMATE = [{}, *VARIANTS]
ON_DEMAND = True
#: The last bits of kernel values decide between distances that are nearly equal.
TIES = True
ENDLESS = {"eps": 1e-12}


def run(problem, w, rng, iterations, *, eps=1e-6, sample=59):
    n, own = problem.n, 1.0 / (2.0 * problem.C)
    radius2 = 1.0 + own
    height, norm2 = np.sqrt(radius2), radius2
    tolerance, failed = (0.1 if sample else eps), 0
    for t in range(iterations):
        if t == 0:
            w.put(rng.integers(n), 1.0)
            continue
        every = sample == 0 or n <= sample
        examined = range(n) if every else sorted({rng.integers(n) for _ in range(sample)})
        products = {i: w.response(i) + own * w.a[i] for i in examined}
        z = min(products, key=lambda i: products[i])
        distance = np.sqrt(norm2 + height**2 + radius2 - 2.0 * products[z])
        if distance > (1.0 + tolerance) * np.sqrt(radius2):
            failed = 0
            kept = np.sqrt(radius2) / distance
            norm2 = kept**2 * norm2 + 2.0 * kept * (1.0 - kept) * products[z] + (1.0 - kept) ** 2 * radius2
            height *= kept
            w.scale(kept)
            w.put(z, w.a[z] + 1.0 - kept)
            continue
        failed += 1
        if failed == 10 or every:
            failed = 0
            if tolerance <= eps:
                break
            tolerance = max(tolerance / 2.0, eps)
    return w.a / norm2 if iterations else w.a
