"""ASSET and ASSET*: robust or 1/(λ j) steps, the last iterates averaged in both.

S. Lee, S. J. Wright, ASSET: Approximate Stochastic Subgradient Estimation Training for Support Vector
Machines, ICPRAM 2012: Algorithm 1.
"""

import numpy as np

VARIANTS = [
    {},
    {"average": 1},
    {"average": 7, "B": 2.0},
    {"order": "given", "average": 11},
    {"step": "strong"},
    {"step": "strong", "average": 1},
    {"step": "strong", "order": "given", "average": 11},
]
REFUSED = [{"step": "strong", "bias": "unregularised"}]

# Its steps shrink like 1/√T, and the rate is proved for the average of a part of all iterates, not of 100.
RATE, WITHIN = 0.75, 0.05


def run(problem, x, rng, iterations, *, step="robust", average=100, order="uniform", B=10.0):
    n, lam, y = problem.n, problem.lam, problem.y
    biased = problem.bias == "unregularised"
    if step == "robust":
        sample = [rng.integers(n) if order == "uniform" else k for k in range(min(n, 100))]
        D_G = np.sqrt(np.mean([x.squared_norm(i) for i in sample]) + biased)
        D_X = np.sqrt(1.0 / lam + biased * B**2)
    g, b = np.zeros(x.X.shape[1]), 0.0
    iterates, weights = [], []
    for j in range(1, min(iterations, n if order == "given" else iterations) + 1):
        eta = D_X / (D_G * np.sqrt(j)) if step == "robust" else 1.0 / (lam * j)
        i = rng.integers(n) if order == "uniform" else j - 1
        violation = x.response(i, g) + y[i] * b < 1.0
        g *= 1.0 - (eta * lam if step == "robust" else 1.0 / j)
        if violation:
            x.add_measured(i, eta, g)
            b += biased * eta * y[i]
        norm = np.linalg.norm(g)
        if norm > 1.0 / np.sqrt(lam):
            g *= 1.0 / (np.sqrt(lam) * norm)
        b = min(max(b, -B), B)
        iterates.append([*g, b])
        weights.append(eta)
    answer = np.average(iterates[-average:], axis=0, weights=weights[-average:])
    return answer if biased else answer[:-1]
