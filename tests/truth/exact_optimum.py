"""Optima of small linear problems without a bias in exact arithmetic: from floating point, then repaired."""

from dataclasses import dataclass
from fractions import Fraction
from typing import Any

import numpy as np
from numpy.typing import NDArray

Floats = NDArray[np.float64]


def fractions(values: Any) -> Any:
    """Return float64 values as an array of Fractions."""
    wide = np.asarray(values, dtype=np.float64)
    made = np.empty(wide.shape, dtype=object)
    made.flat = [Fraction(float(value)) for value in wide.flat]
    return made


def solved(K: Floats, y: Floats, C: float, biased: bool) -> Floats:
    """Return about the best α, by an interior-point method on a = α/C.

    J. Nocedal and S. Wright, Numerical Optimization, 2nd ed., 2006, section 16.6.
    """
    n = y.size
    scale = max(1.0, float(np.abs(C * K).max()))
    Q, e = C * K * np.outer(y, y) / scale, np.ones(n) / scale
    a, u, s, t, b = np.full(n, 0.5), np.full(n, 0.5), np.ones(n), np.ones(n), 0.0  # u = 1 - a
    for _ in range(60):
        mu = float(a @ s + u @ t) / (2 * n)
        if mu < 1e-17:
            break
        stationary = Q @ a - e - s + t - (b * y if biased else 0.0)
        rhs = -stationary - s + 0.1 * mu / a + t - 0.1 * mu / u
        M = Q + np.diag(s / a + t / u)
        if biased:
            M = np.block([[M, -y[:, None]], [y[None, :], np.zeros((1, 1))]])
            rhs = np.append(rhs, -float(y @ a))
        try:
            step = np.linalg.solve(M, rhs)
        except np.linalg.LinAlgError:
            break
        da = step[:n]
        ds, dt = (0.1 * mu - s * da) / a - s, (0.1 * mu + t * da) / u - t
        size = 1.0
        for value, change in ((a, da), (u, -da), (s, ds), (t, dt)):
            falls = change < 0.0
            size = min([size, *(-0.99 * value[falls] / change[falls])])
        if not np.isfinite([size, *da, *ds, *dt]).all():
            break
        a, u, s, t = a + size * da, u - size * da, s + size * ds, t + size * dt
        b += size * float(step[n]) if biased else 0.0
    return C * np.where(a < 1e-9, 0.0, np.where(u < 1e-9, 1.0, a))


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
