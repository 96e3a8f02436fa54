r"""An interior-point method for linear classifiers, from the answer of a few passes of coordinate descent.

Coordinate descent needs the more passes the larger C is, and thousands where features are correlated or of
different scales. The Newton steps of `svmbench.sklearn._interior_point` do not, and with explicit features a
step costs one pass over the :math:`m \times m` products of features. With the rows :math:`z_i = y_i x_i` of
Z, :math:`w = Z^T \alpha`, and :math:`D = p / \alpha + q / (C - \alpha)`,

.. math:: (I + Z^T D^{-1} Z)\, \Delta w = Z^T D^{-1} g + (Z^T \alpha - w), \qquad
          \Delta \alpha = D^{-1} (g - Z \Delta w),

where g are the conditions that are left (M. Ferris and T. Munson, Interior-Point Methods for Massive Support
Vector Machines, SIAM J. Optim. 13, 2002). Starts near the coefficients known halve the number of steps.
"""

from __future__ import annotations

import contextlib
import functools
import math
import threading
from collections.abc import Iterator

import numpy as np
from numpy.typing import NDArray
from scipy.linalg.blas import dsyrk
from scipy.linalg.lapack import dpotrf, dpotrs
from threadpoolctl import ThreadpoolController

from svmbench.problem import Problem, dual_objective, primal_objective

Floats = NDArray[np.float64]

#: Part of the way to the boundary that a step goes; and the least distance of the start from the bounds, in
#: units of C. Closer starts need more steps on large problems.
_PART, _INSIDE = 0.995, 0.3

#: Change of the distances from the lower and upper bound with a coefficient.
_SIDES = np.array([[1.0], [-1.0]])

#: Least multiplier at the start.
_LEAST = 1e-3

#: Relative gap from which the coefficients of all rows are free. Below it, those of rows near the margin are:
#: of so many in units of the features, or of this part of all rows.
_FAR, _NEAR, _SHARE = 0.05, 3, 0.25

#: Gap at which to stop, relative to the one asked for, which also contains the losses of the other rows.
_OURS = 0.5

#: Steps that are made usually, and their price in nanoseconds: of a step, of a row, of a product of two
#: features of it, and of a third power of their number. A visit of coordinate descent: for itself, and for a
#: value. And that of a basis of few rows, for their number squared and each feature.
_STEPS, _BASIS_NS = 12, 0.2
_STEP_NS, _ROW_NS, _PRODUCT_NS, _CUBE_NS = 8e4, 100.0, 0.07, 0.02
_VISIT_NS, _VALUE_NS = 40.0, 0.5

#: Most numbers of the matrix Z.
_MOST = 1 << 25


def pass_ns(n: int, stored: int) -> float:
    """Return the nanoseconds of a pass over n rows with so many values that are not 0."""
    return _VISIT_NS * n + _VALUE_NS * stored


def passes_worth(n: int, m: int, stored: int) -> float:
    """Return the passes of coordinate descent that take about as long as the interior-point method.

    Parameters
    ----------
    n, m, stored : int
        Numbers of rows, of features, and of values of all rows that are not 0. Infinite if Z is too large.
    """
    if n * m > _MOST:
        return np.inf
    k = min(n, m)
    step = _STEP_NS + n * (_ROW_NS + _PRODUCT_NS * k * k) + _CUBE_NS * k**3
    begin = _BASIS_NS * m * n * n if n < m else 0.0
    return (begin + _STEPS * step) / pass_ns(n, stored)


def from_near(
    Z: Floats, problem: Problem, alpha: Floats, weights: Floats, tol: float, most: int
) -> tuple[Floats, Floats, int]:
    """Return a dual point, shape (n,), weights, shape (m,), and the rows read by the steps.

    If the gap is small, the coefficients of rows that are not near the margin are kept at their bounds. Those
    that turn out to be on the other side of the margin are added to the others, as long as the gap is too
    large.

    Parameters
    ----------
    Z : ndarray of float64, shape (n, m)
        Rows, each multiplied by its label.
    problem : Problem
        Without bias, and with equal bounds.
    alpha : ndarray of float64, shape (n,)
        Coefficients to begin near.
    weights : ndarray of float64, shape (m,)
        Their weights, about.
    tol : float
        Relative gap between weights and dual point at which to stop.
    most : int
        Most rows to read; then the last point is returned.
    """
    if alpha.size < Z.shape[1]:  # as many coordinates suffice
        basis, part = np.linalg.qr(Z.T)
        alpha, weights, read = from_near(part.T.copy(), problem, alpha, weights @ basis, tol, most)
        return alpha, basis @ weights, read
    C, read = problem.C, 0
    free = None
    while True:
        sums, short = alpha @ Z, 1.0 - Z @ weights
        primal = primal_objective(problem.lam, float(weights @ weights), problem.mean_loss(1.0 - short))
        dual = dual_objective(problem.lam, alpha, float(sums @ sums))
        # If all coefficients were free, rounding has ended the steps.
        if primal - dual <= tol * primal or read >= most or (free is not None and free.all()):
            return alpha, weights, read
        if free is None:
            distance, count = np.abs(short), max(_NEAR * Z.shape[1], math.ceil(_SHARE * alpha.size))
            free = np.full(alpha.size, primal - dual > _FAR * primal or count >= alpha.size)
            if not free.any():
                free = distance <= np.partition(distance, count - 1)[count - 1]
        else:
            wrong = ~free & ((short > 0.0) != (alpha > 0.0))
            free = free | wrong if wrong.any() else np.full(alpha.size, True)
        fixed = np.where(free | (short <= 0.0), 0.0, C)
        others = float(fixed.sum()), fixed @ Z
        with _one_thread():
            found = _solved(Z[free], others, C, alpha[free], weights, _OURS * tol, most - read)
        if found is None:
            return alpha, weights, read
        fixed[free], weights, steps = found
        alpha, read = fixed, read + steps * int(np.count_nonzero(free))


#: Held by the fit that limits threads. Limits of several at the same time would not end in the order in which
#: they began, so that the last one would remain.
_LIMITING = threading.Lock()


@contextlib.contextmanager
def _one_thread() -> Iterator[None]:
    """Let BLAS use one thread, unless another fit does so at this time.

    The steps alternate between numpy's and scipy's, each with a thread for every processor. Those of the one
    that waits occupy the processors for a while, and a step takes up to ten times longer than on one thread.
    """
    if not _LIMITING.acquire(blocking=False):
        yield
        return
    try:
        with _libraries().limit(limits=1, user_api="blas"):
            yield
    finally:
        _LIMITING.release()


@functools.cache
def _libraries() -> ThreadpoolController:
    """Return what limits the threads of libraries; to find them takes a while."""
    return ThreadpoolController()


def _solved(
    Z: Floats, others: tuple[float, Floats], C: float, alpha: Floats, w: Floats, tol: float, most: int
) -> tuple[Floats, Floats, int] | None:
    """Return coefficients, weights and steps of the problem of some rows; None if they cannot be found.

    Parameters
    ----------
    Z : ndarray of float64, shape (n, m)
        The rows.
    others : float and ndarray of float64, shape (m,)
        Sums of the coefficients of the other rows, and of these rows.
    C, tol : float
        Bound of the coefficients, and the gap at which to stop, relative to the dual objective.
    alpha, w : ndarray of float64, shapes (n,) and (m,)
        Coefficients and weights to begin near.
    most : int
        Most rows to read; then the last point is returned.
    """
    n, m = Z.shape
    steps = 0
    short = 1.0 - Z @ w
    losses = np.maximum(short, 0.0)
    at = np.clip(alpha, _INSIDE * C, (1.0 - _INSIDE) * C)
    room = np.stack([at, C - at])  # the distances from both bounds, and their multipliers
    p = np.stack([losses - short, losses]) + max(_LEAST, float((C * losses - alpha * short).mean()) / C)
    with np.errstate(all="ignore"):
        while True:
            sums = room[0] @ Z + others[1]
            off, dual = sums - w, float(room[0].sum() - 0.5 * (sums @ sums)) + others[0]
            # The objectives differ by the losses that remain, and by the mismatch of w.
            gap = float(C * np.maximum(short, 0.0).sum() - room[0] @ short + 0.5 * (off @ off))
            if not np.isfinite(gap):
                return None
            if gap <= tol * dual or steps * n >= most:
                return np.clip(room[0], 0.0, C), w, steps
            slope = p / room
            inverse = 1.0 / (slope[0] + slope[1])
            M = dsyrk(1.0, (Z * np.sqrt(inverse)[:, np.newaxis]).T, lower=1)
            M.flat[:: m + 1] += 1.0
            M, failed = dpotrf(M, lower=1, overwrite_a=1)
            if failed:
                return None

            # Mehrotra's method: a prediction with μ = 0, corrected to second order. Both change the distances
            # by a relative amount, and the first one the multipliers by one that is -1 with it.
            dw = dpotrs(M, (inverse * short) @ Z + off, lower=1)[0]
            change = _SIDES * (inverse * (short - Z @ dw)) / room
            t = 1.0 / max(1.0, -float(change.min()), 1.0 + float(change.max()))
            products = p * room
            now = float(products.sum())
            left = float(np.vdot(products, (1.0 - t - t * change) * (1.0 + t * change)))
            aim = (now / (2 * n) * (left / now) ** 3 + products * change * (1.0 + change)) / room
            g = aim[0] - aim[1] + short
            dw = dpotrs(M, (inverse * g) @ Z + off, lower=1)[0]
            along = Z @ dw
            droom = _SIDES * (inverse * (g - along))
            dp = aim - p - slope * droom
            t = _PART / max(_PART, -float((droom / room).min()), -float((dp / p).min()))
            room, p, w, short = room + t * droom, p + t * dp, w + t * dw, short - t * along
            steps += 1
