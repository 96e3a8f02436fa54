"""Optima of small linear problems without a bias in exact arithmetic: from floating point, then repaired."""

from __future__ import annotations

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

from tests.truth.degenerate import fractions, solved

Floats = NDArray[np.float64]


@dataclass(frozen=True)
class Optimum:
    """A dual point in Fractions; w* is within √gap of its w (`svmbench.solvers.dual.gap_safe`)."""

    margins: Any  # y_i <w, x_i>, shape (n,)
    gap: Fraction  # primal minus dual objective in the C-form; 0 for an optimum
    objective: Fraction


def optimum(X: NDArray[np.float32], y: Floats, C: float) -> Optimum:
    """Return the best dual point that is found of the hinge loss.

    The coefficients off their bounds solve the equations m_i = 1 exactly; what these do not determine, as of
    copies, keeps its value.
    """
    wide = X.astype(np.float64)
    near = solved(wide @ wide.T, y, C, biased=False)
    signed = fractions(y)[:, None] * fractions(X)
    free = [int(i) for i in np.flatnonzero((near > 0.0) & (near < C))]
    exact = fractions(near)
    points = [_point(signed, C, a) for a in (exact, _repaired(signed, C, exact, free))]
    return min(points, key=lambda point: point.gap)


def _point(signed: Any, C: float, alpha: Any) -> Optimum:
    w = signed.T @ alpha
    margins, norm2 = signed @ w, w @ w
    loss = sum(max(Fraction(0), 1 - m) for m in margins)
    dual = sum(alpha) - norm2 / 2
    return Optimum(margins, norm2 / 2 + Fraction(C) * loss - dual, dual)


def _repaired(signed: Any, C: float, alpha: Any, free: list[int]) -> Any:
    """Solve m_i = 1 for the free coefficients by elimination, cut to the box."""
    A = signed[free] @ signed[free].T
    b = np.array([Fraction(1)] * len(free), dtype=object) - signed[free] @ (signed.T @ alpha)
    change = np.array([Fraction(0)] * len(free), dtype=object)
    pivots: list[tuple[int, int]] = []
    for column in range(len(free)):
        used = {row for row, _ in pivots}
        row = next((r for r in range(len(free)) if r not in used and A[r, column] != 0), None)
        if row is None:
            continue
        pivots.append((row, column))
        b[row], A[row] = b[row] / A[row, column], A[row] / A[row, column]
        for other in range(len(free)):
            if other != row and A[other, column] != 0:
                b[other] -= A[other, column] * b[row]
                A[other] = A[other] - A[other, column] * A[row]
    for row, column in pivots:
        change[column] = b[row]
    result = alpha.copy()
    result[free] = [min(max(a, Fraction(0)), Fraction(C)) for a in alpha[free] + change]
    return result
