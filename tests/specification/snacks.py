"""Stochastic subgradient descent in balls that shrink (Tanji and others 2023; Xu, Lin and Yang 2017)."""

import numpy as np

VARIANTS = [
    {"stage": 20, "stages": 3, "radius": 0.5},
    {"stage": 8_000, "stages": 8, "step": 0.5, "radius": 10.0},
]
ENDLESS = {"stage": 10**9}


def run(problem, x, rng, iterations, *, stage, stages, radius, step=1.0):
    centre = np.zeros(x.X.shape[1])
    w, iterates = centre.copy(), []
    for t in range(min(iterations, stage * stages)):
        k, at = divmod(t, stage)
        if at == 0 and t > 0:
            centre = np.mean(iterates, axis=0)
            w, iterates = centre.copy(), []
        eta, most = step / 3.0 / 2**k, radius / 2**k
        i = rng.integers(problem.n)
        violated = x.response(i, w) < 1.0
        w = (1.0 - eta * problem.lam) * w
        if violated:
            x.add(i, eta, w)
        distance = np.sqrt(x.between(w - centre, w - centre))
        if distance > most:
            w = centre + most / distance * (w - centre)
        iterates.append(w.copy())
    return np.mean(iterates, axis=0)
