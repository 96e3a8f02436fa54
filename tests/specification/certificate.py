"""Bounds of the optimum in double precision, in numpy alone, and small problems beyond single precision."""

import math

import numpy as np


def two_moons(n=600, seed=0, noise=0.25):
    """Return two interleaved classes in the plane, features from 0 to 2; noise 0.25 makes them overlap."""
    rng = np.random.default_rng(seed)
    y = np.where(np.arange(n) % 2 == 0, 1.0, -1.0)
    t = rng.uniform(0.0, np.pi, n)
    X = np.column_stack([np.cos(t) + (y < 0), np.where(y > 0, np.sin(t), 0.5 - np.sin(t))])
    X += rng.normal(0.0, noise, X.shape)
    low, high = X.min(axis=0), X.max(axis=0)
    return (2.0 * (X - low) / (high - low)).astype(np.float32), y


def many_features(n=700, d=24, seed=0):
    """Return a linear rule in d features with a seventh of the labels wrong: at large C nothing fits."""
    rng = np.random.default_rng(seed)
    X = rng.normal(size=(n, d)).astype(np.float32)
    y = np.where(X @ rng.normal(size=d) + rng.normal(0.0, 0.5, n) > 0.0, 1.0, -1.0)
    y[rng.random(n) < 1.0 / 7.0] *= -1.0
    return X, y


def bounds(K, y, C, alpha, bias, weights=None):
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
