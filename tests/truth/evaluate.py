"""Objectives of a kernel machine from its coefficients, by numpy in float64 and by nothing of this project.

What the table of certificates (`tests.truth.table`) is made with. Objectives are those of the λ-form,
λ = 1/(Cn), of the Gaussian kernel exp(-γ|x - z|²).
"""

import math
from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]

#: Examples whose kernel values are held at a time.
PART = 512


@dataclass(frozen=True)
class Truth:
    """What coefficients are worth.

    Attributes
    ----------
    primal, dual : float
        The primal objective of w and the given bias; the dual one of the feasible point next to α.
    rounding : float
        What either may be off by: half an ulp for each of the sums' largest terms, times λ or 1.
    """

    primal: float
    dual: float
    rounding: float


def scores(X: Floats, at: NDArray[np.int64], beta: Floats, gamma: float) -> Floats:
    """Return Σ_k beta[k] K(x_at[k], x_i) for every row x_i of X, shape (n,)."""
    Z = X[at]
    f = np.empty(len(X))
    by_columns = X.shape[1] <= 32  # differences of features: no cancellation at all
    for begin in range(0, len(X), PART):
        rows = X[begin : begin + PART]
        if by_columns:
            squared = np.zeros((len(rows), len(Z)))
            for column in range(X.shape[1]):
                squared += np.square(rows[:, column, None] - Z[None, :, column])
        else:
            squared = -2.0 * (rows @ Z.T)
            squared += np.einsum("ij,ij->i", rows, rows)[:, None]
            squared += np.einsum("ij,ij->i", Z, Z)
        np.maximum(squared, 0.0, out=squared)
        squared *= -gamma
        f[begin : begin + PART] = np.exp(squared, out=squared) @ beta
    return f


def feasible(alpha: Floats, y: Floats, C: float, biased: bool) -> Floats:
    """Return α within [0, C]; with a bias the heavier class is scaled down until both weigh the same."""
    alpha = np.clip(alpha, 0.0, C)
    if biased:
        weights = {sign: math.fsum(alpha[y == sign]) for sign in (1.0, -1.0)}
        least = min(weights.values())
        for sign, weight in weights.items():
            if weight > least:
                alpha[y == sign] *= least / weight
    return alpha


def evaluate(X: Floats, y: Floats, gamma: float, C: float, alpha: Floats, bias: float, biased: bool) -> Truth:
    """Return what α, shape (n,), and a bias are worth on examples X, shape (n, d), with labels y."""
    n = y.size
    lam = 1.0 / (C * n)
    at = np.flatnonzero(alpha)
    f = scores(X, at, alpha[at] * y[at], gamma)
    hinge = np.maximum(0.0, 1.0 - y * (f + bias))
    primal = 0.5 * lam * math.fsum(alpha * y * f) + math.fsum(hinge) / n
    point = feasible(alpha, y, C, biased)
    moved = np.flatnonzero(point != alpha)
    g = f + scores(X, moved, (point - alpha)[moved] * y[moved], gamma) if moved.size else f
    dual = lam * math.fsum(point * (1.0 - 0.5 * y * g))
    # Each score is a sum of terms of both signs, no larger together than Σα.
    size = math.fsum(alpha) * np.finfo(float).eps
    return Truth(primal, dual, 0.5 * size * (1.0 + lam * math.fsum(alpha)))
