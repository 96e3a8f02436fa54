r"""An interior-point method for the dual of few rows, which bad scaling does not slow down.

Steps of few coefficients need the more rounds the worse the kernel matrix is conditioned, as with the linear
kernel of features whose scales differ by a factor of 1e7. Newton steps on the perturbed optimality conditions

.. math:: Q \alpha - g - b y - p + q = 0, \qquad y^T \alpha = 0, \qquad
          p_i \alpha_i = \mu, \qquad q_i (C_i - \alpha_i) = \mu, \qquad \mu \to 0,

with :math:`Q_{ij} = y_i y_j K_{ij}`, and g = 1 for classification, need a few dozen solutions of n linear
equations for any scaling (S. Mehrotra, On the Implementation of a Primal-Dual Interior Point Method, SIAM J.
Optim. 2, 1992; with the reduction to n equations of M. Ferris and T. Munson, Interior-Point Methods for
Massive Support Vector Machines, SIAM J. Optim. 13, 2002).
"""

from __future__ import annotations

import math
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray

from svmbench.problem import Problem

Floats = NDArray[np.float64]

#: Part of the way to the boundary that a step goes; most steps, and most without a smaller gap.
_PART, _STEPS, _IDLE = 0.995, 100, 10

#: Gap at which to stop, relative to the sum of the coefficients.
_ENOUGH = 1e-13

#: Distance from a bound, relative to the largest coefficient, below which a coefficient is at it.
_AT_BOUND = 1e-9


#: Most rows of a kernel matrix in double precision.
MOST = 2048

#: Rounds of another method after which this one is tried: so many, or rows³ over the other number, which take
#: about as long.
_ROUNDS, _CUBE = 200, 3e6


def rounds_before(n: int) -> float:
    """Return the rounds of another method on n rows after which this one is tried."""
    return max(_ROUNDS, n**3 / _CUBE) if n <= MOST else math.inf


def near_points(K: Floats, problem: Problem, largest: float, gain: Floats | float = 1.0) -> Iterator[Floats]:
    """Generate dual coefficients near the optimum, feasible, found from starts of several sizes.

    Of each, first those that are at their bounds where they are close. This may change scores too much if
    coefficients are large.

    Parameters as of `interior_point`; `largest` is the largest coefficient known.
    """
    for size in (math.inf, max(1.0, largest), 1.0):
        if (near := interior_point(K, problem, size, gain)) is not None:
            yield from (_feasible(near, problem, distance) for distance in (_AT_BOUND, 0.0))


def interior_point(K: Floats, problem: Problem, size: float, gain: Floats | float = 1.0) -> Floats | None:
    """Return dual coefficients near the optimum, within bounds, shape (n,); None if they cannot be found.

    Parameters
    ----------
    K : ndarray of float64, shape (n, n)
        Kernel matrix.
    problem : Problem
        With or without bias.
    size : float
        The coefficients at the start, above 0; at most half of their bounds are used.
    gain : ndarray of float64, shape (n,), or float
        g of the dual.
    """
    point, best, least, idle = _Point(K, problem, size, gain), None, math.inf, 0
    with np.errstate(all="ignore"):
        for _ in range(_STEPS):
            gap = point.gap()
            if gap < least:
                best, least, idle = point.alpha, gap, 0
            idle += 1
            if idle > _IDLE or not gap > _ENOUGH * float(point.alpha.sum()):
                break
            try:
                point.improve()
            except np.linalg.LinAlgError:
                break
    return best


class _Point:
    """A point strictly within the bounds, with multipliers p and q of the bounds, and b.

    Parameters as of `interior_point`.
    """

    def __init__(self, K: Floats, problem: Problem, size: float, gain: Floats | float) -> None:
        y = problem.y
        self._gain = gain
        self._Q, self._bounds = K * np.outer(y, y), problem.bounds
        self._y = y if problem.bias != "none" else np.zeros_like(y)
        self.alpha = np.minimum(0.5 * self._bounds, size)
        self._p, self._q, self._b = np.ones_like(y), np.ones_like(y), 0.0

    def gap(self) -> float:
        """Return the duality gap, and find by how much the conditions are violated."""
        short = self._gain - self._Q @ self.alpha + self._b * self._y
        self._room = self._bounds - self.alpha
        self._excess, self._off = float(self._y @ self.alpha), self._q - self._p - short
        gap = float(self._bounds @ np.maximum(short, 0.0) - self.alpha @ short)
        return gap + abs(self._b * self._excess)

    def improve(self) -> None:
        """Make a step of Mehrotra's method: a prediction with μ = 0, corrected to second order."""
        alpha, room, p, q = self.alpha, self._room, self._p, self._q
        M = self._Q + np.diag(p / alpha + q / room)
        scale = np.outer(*[1.0 / np.sqrt(np.diagonal(M))] * 2)
        self._inverse = np.linalg.inv(M * scale) * scale
        now = float(p @ alpha + q @ room)
        change, _, dp, dq = self._step(-p * alpha, -q * room)
        t = self._length(change, dp, dq)
        left = float((p + t * dp) @ (alpha + t * change) + (q + t * dq) @ (room - t * change))
        mu = now / (2 * alpha.size) * (left / now) ** 3
        change, db, dp, dq = self._step(mu - change * dp - p * alpha, mu + change * dq - q * room)
        t = _PART * self._length(change, dp, dq)
        self.alpha, self._b = alpha + t * change, self._b + t * db
        self._p, self._q = p + t * dp, q + t * dq

    def _step(self, low: Floats, high: Floats) -> tuple[Floats, float, Floats, Floats]:
        """Return the Newton step that changes p α and q (C - α) by these numbers."""
        along = self._inverse @ (low / self.alpha - high / self._room - self._off)
        across = self._inverse @ self._y
        slope = float(self._y @ across)
        db = -(self._excess + float(self._y @ along)) / slope if slope > 0.0 else 0.0
        change = along + db * across
        return change, db, (low - self._p * change) / self.alpha, (high + self._q * change) / self._room

    def _length(self, change: Floats, dp: Floats, dq: Floats) -> float:
        """Return the part of a step, at most 1, that keeps the point within its bounds."""
        steps = ((self.alpha, change), (self._room, -change), (self._p, dp), (self._q, dq))
        return min(1.0, *(float((x / -dx)[dx < 0.0].min(initial=1.0)) for x, dx in steps))


def _feasible(alpha: Floats, problem: Problem, distance: float) -> Floats:
    """Return coefficients, shape (n,), at bounds within a relative distance, balanced if they must be."""
    y, bounds = problem.y, problem.bounds
    near = distance * float(alpha.max())
    alpha = np.where(
        alpha < near, 0.0, np.where(alpha > bounds - np.minimum(near, 0.5 * bounds), bounds, alpha)
    )
    for i in np.argsort(-np.minimum(alpha, bounds - alpha)) if problem.bias != "none" else ():
        excess = y[i] * math.fsum(alpha * y)
        alpha[i] = min(max(alpha[i] - excess, 0.0), bounds[i])
        if math.fsum(alpha * y) == 0.0:
            break
    return alpha
