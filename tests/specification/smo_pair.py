"""SMO with bias: pairs of coordinates, with and without shrinking (papers, B12 and B14)."""

from __future__ import annotations

import numpy as np
from numpy.typing import NDArray

from svmbench.problem import Problem
from svmbench.rng import Generator
from tests.specification.expansion import Maintained

VARIANTS = [
    {"selection": "second_order", "shrinking": False},
    {"selection": "worst_pair", "shrinking": False},
    {"selection": "second_order", "shrinking": True},
    {"selection": "worst_pair", "shrinking": True, "eps": 1e-6},
]
MAINTAINS = True
ROWS_PER_ITERATION = 2


def run(
    problem: Problem,
    w: Maintained,
    rng: Generator,
    iterations: int,
    *,
    selection: str,
    shrinking: bool,
    eps: float = 1e-3,
) -> NDArray:
    y, C, n = problem.y, problem.C, problem.n
    diagonal = w.oracle.diagonal()
    v = y.copy()
    active = np.arange(n)
    was_near = False

    def ends() -> tuple[int, int, float, float]:
        up = [t for t in active if (w.a[t] < C if y[t] > 0 else w.a[t] > 0)]
        down = [t for t in active if (w.a[t] > 0 if y[t] > 0 else w.a[t] < C)]
        i, j = max(up, key=lambda t: v[t]), min(down, key=lambda t: v[t])
        return i, j, v[i], v[j]

    i, j, high, low = ends()
    for t in range(1, iterations + 1):
        if high - low < eps:
            break
        row_i = w.oracle.row(i)
        if selection == "second_order":
            below = [s for s in active if v[s] < high and (w.a[s] > 0 if y[s] > 0 else w.a[s] < C)]
            j = max(below, key=lambda s: (high - v[s]) ** 2 / curvature(diagonal[i], diagonal[s], row_i[s]))
        row_j = w.oracle.row(j)
        delta = (high - v[j]) / curvature(row_i[i], row_j[j], row_i[j])
        rooms = C - w.a[i] if y[i] > 0 else w.a[i], w.a[j] if y[j] > 0 else C - w.a[j]
        delta = min(delta, *rooms)
        for s, step, room in ((i, y[i] * delta, rooms[0]), (j, -y[j] * delta, rooms[1])):
            w.a[s] = (C if step > 0 else 0.0) if delta == room else w.a[s] + step
        v[active] -= delta * (row_i - row_j)[active]
        i, j, high, low = ends()
        if not shrinking:
            continue
        if high - low < eps or (high - low < 10 * eps and not was_near):
            was_near = True
            shrunk = np.setdiff1d(np.arange(n), active)
            if shrunk.size:
                v[shrunk] = recomputed(w, y, C, shrunk)
                active = np.arange(n)
        elif t % min(n, 1000) == 0:
            up = np.where(y > 0, w.a < C, w.a > 0)
            down = np.where(y > 0, w.a > 0, w.a < C)
            held = (~up & (v > high)) | (~down & (v < low))
            active = active[~held[active]]
        i, j, high, low = ends()
    return w.a


def curvature(own: float, other: float, both: float) -> float:
    result = own + other - 2.0 * both
    return result if result > 0.0 else 1e-12


def recomputed(w: Maintained, y: NDArray, C: float, shrunk: NDArray) -> NDArray:
    """Values of the shrunk examples, by the rows of the free coefficients or their own, the fewer.

    The share of the coefficients at C is maintained from rows that were there; here it is looked up.
    """
    K = np.float32(w.oracle._values).astype(float)
    free = np.flatnonzero((w.a > 0) & (w.a < C))
    bound = np.flatnonzero(w.a == C)
    f = K[np.ix_(shrunk, bound)] @ (w.a * y)[bound]
    if free.size <= shrunk.size:
        for j in free:
            f += w.a[j] * y[j] * w.oracle.row(j)[shrunk]
    else:
        f += [float(w.oracle.row(t)[free] @ (w.a * y)[free]) for t in shrunk]
    return y[shrunk] - f
