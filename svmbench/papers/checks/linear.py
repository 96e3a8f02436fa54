"""Checks of the Pegasos slides and the lecture that need only a small linear or quadratic problem."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import numpy as np

from svmbench.kernels._linear_data import LinearData
from svmbench.papers.checks import Outcome
from svmbench.problem import Problem
from svmbench.rng import Generator
from svmbench.solvers import registry


def solution_in_ball(given: Mapping[str, Any]) -> Outcome:
    """Slides: the solution lies in the ball of radius 1/sqrt(λ); the norm of dcd's solution times sqrt(λ)."""
    generator = np.random.default_rng(9101)
    X = generator.standard_normal((300, 10)).astype(np.float32)
    y = np.where(X[:, 0] + 0.5 * generator.standard_normal(300) > 0.0, 1.0, -1.0)
    found = []
    for lam in given["lam"]:
        problem = Problem.build(y, lam=float(lam))
        solver = registry.get("dcd")
        run = solver(solver.Params(eps=1e-8)).start(problem, LinearData(X), Generator(0))
        run.advance("iterations", 3_000_000)
        found.append(float(np.linalg.norm(run.snapshot().model.weights)) * float(np.sqrt(lam)))  # type: ignore[union-attr]
    panel = {
        "title": "300 examples in 10 dimensions",
        "x_label": "λ",
        "y_label": "norm of the solution times √λ",
        "x_scale": "log",
        "lines": [{"label": "solution", "solver": "dcd", "x": list(given["lam"]), "y": found}],
    }
    return Outcome({"greatest": {"value": max(found)}}, [panel])


def lecture_errata(given: Mapping[str, Any]) -> Outcome:
    """Compare the printed rules of the slides with the correct ones on random two-variable problems.

    Second-order choice: the slide takes the least of (F_i - F_k)²/(K_ii + K_kk - 2 K_ik), the correct rule
    the greatest, which is twice the gain of an unclipped step. Intervals of the step: the correct ones keep
    both coefficients between 0 and C. The bias can be anywhere in an interval if both coefficients are at
    bounds; if neither is, both examples give the same bias.
    """
    greatest, least, inside, apart = [], [], [], []
    for trial in range(int(given["trials"])):
        generator = np.random.default_rng([1201, trial])
        X = generator.standard_normal((12, 3))
        K = X @ X.T
        y = np.where(generator.uniform(size=12) < 0.5, -1.0, 1.0)
        alpha = generator.uniform(0.0, 1.0, 12)
        F = y - (alpha * y) @ K
        i = int(np.argmax(F))
        others = np.flatnonzero(F[i] > F)
        curvature = K[i, i] + K[others, others] - 2.0 * K[i, others]
        score = (F[i] - F[others]) ** 2 / curvature
        gains = np.array([_gain(F[i] - F[k], h) for k, h in zip(others, curvature, strict=True)])
        greatest.append(bool(np.argmax(score) == np.argmax(gains)))
        least.append(bool(np.argmin(score) == np.argmax(gains)))
        j = int(others[np.argmax(score)])
        low, high = _interval(alpha[i], alpha[j], y[i] * y[j], 1.0)
        for at in (low, high):
            moved = np.array([alpha[i] + at, alpha[j] - y[i] * y[j] * at])
            inside.append(bool(((moved >= -1e-12) & (moved <= 1.0 + 1e-12)).all()))
        apart.append(abs(_after(F, K, i, j, (F[i] - F[j]) / (K[i, i] + K[j, j] - 2.0 * K[i, j]))))
    return Outcome(
        {
            "greatest score has the greatest gain": {"value": float(np.mean(greatest))},
            "least score has the greatest gain": {"value": float(np.mean(least))},
            "steps inside the box": {"value": float(np.mean(inside))},
            "biases apart where neither is at a bound": {"value": max(apart)},
        }
    )


def _gain(slope: float, curvature: float) -> float:
    """Return the maximum of slope·t - curvature·t²/2, found by trying steps."""
    t = np.linspace(0.0, 2.0 * slope / curvature, 2001)
    return float((slope * t - 0.5 * curvature * t * t).max())


def _interval(a: float, b: float, sign: float, C: float) -> tuple[float, float]:
    """Return how far α_i can move while α_j changes to keep Σ α y."""
    return (max(-a, b - C), min(C - a, b)) if sign > 0.0 else (max(-a, -b), min(C - a, C - b))


def _after(F: np.ndarray[Any, Any], K: np.ndarray[Any, Any], i: int, j: int, step: float) -> float:
    """Return F_i - F_j after an unclipped step along the pair: the difference of their biases."""
    return float((F[i] - step * (K[i, i] - K[i, j])) - (F[j] - step * (K[i, j] - K[j, j])))
