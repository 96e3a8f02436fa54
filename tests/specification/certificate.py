"""Bounds of the optimum in double precision, in numpy alone, and small problems beyond single precision.

``python -m tests.specification.certificate`` solves the problems with all exact solvers and prints what they
report beside what their coefficients give here.
"""

import math
import sys
import time
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def two_moons(n: int = 600, seed: int = 0, noise: float = 0.25) -> tuple[NDArray[np.float32], Floats]:
    """Return two interleaved classes in the plane, features from 0 to 2; noise 0.25 makes them overlap."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    t = rng.uniform(0.0, np.pi, n)
    X = np.column_stack([np.cos(t) + (y < 0), np.where(y > 0, np.sin(t), 0.5 - np.sin(t))])
    X += rng.normal(0.0, noise, X.shape)
    low, high = X.min(axis=0), X.max(axis=0)
    return (2.0 * (X - low) / (high - low)).astype(np.float32), y


def many_features(n: int = 700, d: int = 24, seed: int = 0) -> tuple[NDArray[np.float32], Floats]:
    """Return a linear rule in d features with a seventh of the labels wrong: at large C nothing fits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    y = np.where(X @ rng.normal(size=d) + rng.normal(0.0, 0.5, n) > 0.0, 1.0, -1.0)
    y[rng.random(n) < 1.0 / 7.0] *= -1.0
    return X, y


def gram(X: NDArray[np.float32], Z: NDArray[np.float32], kernel: dict) -> Floats:
    """Return the kernel matrix by the documented formula, float64 all through."""
    X, Z = X.astype(np.float64), Z.astype(np.float64)
    if kernel["name"] == "gaussian":
        squared = np.zeros((len(X), len(Z)))
        for k in range(X.shape[1]):
            squared += (X[:, k, None] - Z[None, :, k]) ** 2
        return np.exp(-kernel["gamma"] * squared)
    dot = X @ Z.T
    return (
        dot if kernel["name"] == "linear" else (kernel["gamma"] * dot + kernel["coef0"]) ** kernel["degree"]
    )


def bounds(
    K: Floats, y: Floats, C: float, alpha: Floats, bias: bool, weights: Floats | None = None
) -> tuple[float, float]:
    """Return the primal objective of α's w, at its best bias, and the dual one of the point next to α.

    That point is α within [0, C] and, with a bias, with the heavier class shrunk so that the classes balance.
    Objectives are those of the λ-form, λ = 1/(Cn), with weights of the losses if given.
    """
    lam = 1.0 / (C * y.size)
    weights = np.ones(y.size) if weights is None else weights
    alpha = np.clip(alpha, 0.0, C * weights)
    if bias:
        sums = {sign: math.fsum(alpha[y == sign]) for sign in (1.0, -1.0)}
        level = min(sums.values())
        for sign, total in sums.items():
            alpha = np.where(y == sign, alpha * (level / total if total > 0.0 else 0.0), alpha)
    scores = K @ (alpha * y)
    norm2 = float(alpha * y @ scores)
    best = 0.0
    if bias:  # the sum of hinges is piecewise linear in b: one of its bends is a minimum
        candidates = np.sort(y - scores)
        losses = [(weights * np.maximum(0.0, 1.0 - y * (scores + b))).sum() for b in candidates]
        best = float(candidates[int(np.argmin(losses))])
    loss = float((weights * np.maximum(0.0, 1.0 - y * (scores + best))).mean())
    return 0.5 * lam * norm2 + loss, lam * (math.fsum(alpha) - 0.5 * norm2)


@dataclass(frozen=True)
class Case:
    """A problem of the table."""

    name: str
    gamma: float
    C: float
    bias: str


CASES = [
    Case(name, gamma, C, bias)
    for name, gamma, values in (("two_moons", 1.0, (1.0, 1e2, 1e4)), ("many_features", 0.03, (1.0, 1e3, 1e6)))
    for C in values
    for bias in ("none", "unregularised")
]

SETS = {"two_moons": two_moons, "many_features": many_features}

EXACT = ("smo", "smo_pair", "decomposition", "svm_light", "gpdt", "chunking")


def main(seconds: float = 20.0, solvers: tuple[str, ...] = EXACT) -> None:
    """Print reported and recomputed bounds of each case and solver, and whether any bound is violated."""
    from svmbench.certify.certificate import TrainingScores, certify, diagonal
    from svmbench.kernels._oracle import Oracle
    from svmbench.problem import Problem
    from svmbench.rng import Generator
    from svmbench.solvers import registry

    print(
        f"{'problem':34} {'solver':14} {'end':9} {'P':>17} {'D':>17} {'gap':>9} {'true gap':>9} {'off by':>8}"
    )
    for case in CASES:
        X, y = SETS[case.name]()
        kernel = {"name": "gaussian", "gamma": case.gamma}
        K = gram(X, X, kernel)
        problem = Problem.build(y, C=case.C, bias=case.bias)
        for name in solvers:
            solver = registry.get(name)
            if case.bias not in solver.biases:
                continue
            oracle = Oracle(X, kernel, 1 << 26)
            run = solver(solver.Params(eps=1e-9)).start(problem, oracle, Generator(0))
            scores, started, gap = TrainingScores(oracle, limited=False), time.monotonic(), {}
            while True:
                run.advance("iterations", run.iterations + max(1, y.size), 20 * y.size)
                snapshot = run.snapshot()
                responses = scores(snapshot.model)
                assert snapshot.alpha is not None and responses is not None
                gap = certify(problem, snapshot.alpha, y * responses, diagonal(oracle))
                end = "converged" if run.converged else "stalled" if run.stalled else ""
                end = end or ("gap" if gap["relative_gap"] <= 1e-7 else "")
                if end or time.monotonic() - started > seconds:
                    break
            P, D = bounds(K, y, case.C, snapshot.alpha, case.bias != "none")
            off = max(abs(P - gap["primal"]), abs(D - gap["dual"])) / P
            label = f"{case.name} g={case.gamma:g} C={case.C:g} {case.bias[:5]}"
            print(
                f"{label:34} {name:14} {end or 'time':9} {gap['primal']:17.12f} {gap['dual']:17.12f} "
                f"{gap['relative_gap']:9.1e} {(P - D) / P:9.1e} {off:8.1e}",
                flush=True,
            )


if __name__ == "__main__":
    main(*(float(given) for given in sys.argv[1:2]))
