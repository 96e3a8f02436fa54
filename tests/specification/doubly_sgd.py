"""Stochastic gradients on examples and blocks of features (Dai and others 2014)."""

import numpy as np

VARIANTS = [{}, {"batch": 1, "block": 2}, {"batch": 5, "block": 1, "step": 0.3}]
RATE = 0.65
WITHIN = 0.03


def run(problem, x, rng, iterations, *, batch=32, block=128, step=1.0):
    width = x.X.shape[1]
    blocks = [list(range(first, min(first + block, width))) for first in range(0, width, block)]
    w = np.zeros(width)
    for t in range(1, iterations + 1):
        eta = step / (1.0 + problem.lam * step * t)
        chosen = [rng.integers(problem.n) for _ in range(batch)]
        direction = np.zeros(width)
        for i in chosen:
            if x.response(i, w) < 1.0:
                x.add(i, 1.0, direction)
        J = blocks[(t - 1) % len(blocks)]
        w *= 1.0 - eta * problem.lam
        w[J] += eta * width / len(J) * direction[J] / batch
    return w
